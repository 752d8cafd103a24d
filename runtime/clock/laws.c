// Relations of a block `every`: implicit discrete laws (docs/numerics/events.md, section 7). At its instant a block
// solves, for all of its instances that are due,
//
//     -y_i(d) in N_[lo_i, hi_i](d_i)                                                                              (3)
//
// for the discrete variables d that its relations name, with all else as it is. By Josephy and Newton's method: y is
// linearised at the last d, the problem goes to the solver of one-step problems, until its verifier finds that d solves
// the problem linearised at d itself. An affine law takes one iteration and the verifier's second look. Unknowns that
// no law couples are solved apart.
#include "clock.h"
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 60, FREE_ITERATIONS = 8 };

// An unknown: its law, in which class and instance it stands, and what else belongs to it.
typedef struct unknown { int cls, instance, d, group; } unknown;

struct sim_laws {
  int n, most;               // unknowns; of the largest group
  unknown *of;               // [n] by groups
  int *number;               // [nd] of a discrete variable; -1
  double *y, *lo, *hi, *old; // [n]; old: d before
  double *h;                 // entries of the class at hand
  double *M, *q, *x, *u, *l, *r;                           // one group: [most^2], [most] each
  int *row;                  // [n] place in the group at hand
  void *work;
};

static int find(int *root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static int law_class(const nsm_model *m, int i, int block) {
  return m->cls[i].kind == NSM_LAW && m->cls[i].block == block;
}

static inline int slot_at(const sim_class *k, int i, int slot) {
  return k->tab.ix[(size_t)i*(size_t)k->c->nslot + (size_t)slot];
}

// Unknowns in the order of their classes, united where one law reads two of them.
static void couple(nsm_sim *s, struct sim_laws *w, int *root) {
  for (int u = 0; u < w->n; u++) {
    const sim_class *k = &s->a->cls[w->of[u].cls];
    for (int e = 0; e < k->c->h.n; e++) {
      int other = w->number[slot_at(k, w->of[u].instance, k->c->h.col[e])];
      if (other >= 0) root[find(root, other)] = find(root, u);
    }
  }
}

static void order_by_group(nsm_sim *s, struct sim_laws *w) {
  int *root = SIM_NEW(s, w->n, int), *size = SIM_NEW(s, w->n, int), *first = SIM_NEW(s, w->n, int);
  unknown *sorted = SIM_NEW(s, w->n, unknown);
  for (int u = 0; u < w->n; u++) root[u] = u;
  couple(s, w, root);
  for (int u = 0; u < w->n; u++) size[find(root, u)]++;
  for (int u = 0, at = 0; u < w->n; u++) {
    first[u] = at;
    at += size[u];
    if (size[u] > w->most) w->most = size[u];
  }
  for (int u = 0; u < w->n; u++) {
    int g = find(root, u);
    sorted[first[g]] = w->of[u];
    sorted[first[g]++].group = g;
  }
  w->of = sorted;
  for (int u = 0; u < w->n; u++) w->number[w->of[u].d] = u;
}

static int twice(const nsm_sim *s, const struct sim_laws *w, int u, nsm_error *e) {
  char name[256];
  sim_d_name(s, w->of[u].d, name, sizeof name);
  const nsm_class *a = s->a->cls[w->of[u].cls].c, *b = s->a->cls[w->of[w->number[w->of[u].d]].cls].c;
  sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(w->of[u].cls),
              "line %d: %s has two laws in this block; the other one is in line %d", a->line, name, b->line);
  return 0;
}

int sim_laws_analyse(nsm_sim *s, int block, sim_event *v, nsm_error *e) {
  const nsm_model *m = s->a->m;
  struct sim_laws *w = SIM_NEW(s, 1, struct sim_laws);
  size_t entries = 1;
  for (int i = 0; i < m->nclass; i++)
    if (law_class(m, i, block)) w->n += s->a->cls[i].tab.count;
  if (w->n == 0) return 1;
  v->laws = w;
  w->of = SIM_NEW(s, w->n, unknown);
  w->number = SIM_NEW(s, s->a->nd, int);
  for (int d = 0; d < s->a->nd; d++) w->number[d] = -1;
  for (int i = 0, n = 0; i < m->nclass; i++) {
    const sim_class *k = &s->a->cls[i];
    if (!law_class(m, i, block)) continue;
    for (int j = 0; j < k->tab.count; j++, n++) {
      w->of[n] = (unknown){ .cls = i, .instance = j, .d = slot_at(k, j, k->c->lambda_slot) };
      if (w->number[w->of[n].d] >= 0) return twice(s, w, n, e);
      w->number[w->of[n].d] = n;
    }
    if ((size_t)k->tab.count*(size_t)k->c->h.n > entries) entries = (size_t)k->tab.count*(size_t)k->c->h.n;
  }
  order_by_group(s, w);
  size_t most = (size_t)w->most;
  double **by_unknown[] = { &w->y, &w->lo, &w->hi, &w->old }, **by_group[] = { &w->q, &w->x, &w->u, &w->l, &w->r };
  for (size_t i = 0; i < sizeof by_unknown/sizeof *by_unknown; i++) *by_unknown[i] = SIM_NEW(s, w->n, double);
  for (size_t i = 0; i < sizeof by_group/sizeof *by_group; i++) *by_group[i] = SIM_NEW(s, most, double);
  w->h = SIM_NEW(s, entries, double);
  w->M = SIM_NEW(s, most*most, double);
  w->row = SIM_NEW(s, w->n, int);
  size_t bytes = nsm_cone_workspace_size((int)most, most*most, (int)most);
  w->work = SIM_NEW(s, bytes + 64, char);
  w->work = (char *)w->work + (64 - (size_t)(uintptr_t)w->work%64)%64;
  nsm_cone_workspace_init(w->work, bytes);
  return 1;
}

// ---- one group ------------------------------------------------------------------------------------------------------
static void evaluate(nsm_sim *s, struct sim_laws *w, int first, int n, double t) {
  sim_signals_forget(s);                                   // the view has a copy of d beside the signals
  nsm_view view = sim_view(s, t, s->now.q, s->now.z, s->now.l);
  for (int u = first; u < first + n; u++) {
    const sim_class *k = &s->a->cls[w->of[u].cls];
    nsm_table one = sim_part(k, w->of[u].instance, 1);
    k->c->y_fn(&view, &one, &w->y[u]);
    w->lo[u] = k->c->row_type == NSM_ROW_NONNEG ? 0 : -INFINITY;
    w->hi[u] = INFINITY;
    if (k->c->law_fn) k->c->law_fn(&view, &one, &w->lo[u], &w->hi[u]);
  }
}

// M and q of the group, for the m of its unknowns whose instances are due: u[row] are their numbers.
static void linearise(nsm_sim *s, struct sim_laws *w, const int *row, int m, double t) {
  nsm_view view = sim_view(s, t, s->now.q, s->now.z, s->now.l);
  memset(w->M, 0, (size_t)m*(size_t)m*sizeof *w->M);
  for (int i = 0; i < m; i++) {
    const unknown *o = &w->of[row[i]];
    const sim_class *k = &s->a->cls[o->cls];
    nsm_table one = sim_part(k, o->instance, 1);
    if (k->c->h.n > 0) k->c->h_fn(&view, &one, w->h);
    w->q[i] = w->y[row[i]];
    w->l[i] = w->lo[row[i]];
    w->r[i] = w->hi[row[i]];
    w->x[i] = s->now.d[o->d];
    for (int e = 0; e < k->c->h.n; e++) {
      int other = w->number[slot_at(k, o->instance, k->c->h.col[e])];
      for (int j = 0; other >= 0 && j < m; j++)
        if (row[j] == other) w->M[i + j*m] += w->h[e];
    }
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) w->q[i] -= w->M[i + j*m]*w->x[j];
}

static nsm_code failed(nsm_sim *s, const struct sim_laws *w, int u, const char *why, double t, nsm_error *e) {
  const nsm_class *c = s->a->cls[w->of[u].cls].c;
  char name[256];
  sim_instance_name(s, w->of[u].cls, w->of[u].instance, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, sim_at_class(w->of[u].cls), "line %d: %s %s at t = %.10g s", c->line, name, why, t);
  return NSM_FAILED;
}

static int all_finite(const struct sim_laws *w, int m) {
  for (int i = 0; i < m; i++) {
    if (!isfinite(w->q[i]) || isnan(w->l[i]) || isnan(w->r[i]) || w->l[i] > w->r[i]) return 0;
    for (int j = 0; j < m; j++) if (!isfinite(w->M[i + j*m])) return 0;
  }
  return 1;
}

// The m unknowns of w->row.
static nsm_code solve_group(nsm_sim *s, struct sim_laws *w, int first, int n, int m, double t, nsm_error *e) {
  const int *row = w->row;
  double before = INFINITY;
  const nsm_cone_options *of = &s->w.cone;
  nsm_cone_options o = { .warm = 1, .tolerance = of->tolerance, .budget = of->budget, .stop = of->stop };
  for (int it = 0; it < MOST_ITERATIONS; it++) {
    evaluate(s, w, first, n, t);
    linearise(s, w, row, m, t);
    if (!all_finite(w, m)) return failed(s, w, row[0], "or a derivative of it is not finite", t, e);
    nsm_cone_problem p = { .m = m, .M = w->M, .q = w->q, .lo = w->l, .hi = w->r };
    double floor;
    int worst = 0;
    double residual = nsm_cone_residual(&p, w->x, &floor, &worst);
    if (it > 0 && residual <= fmax(s->a->tolerance, 8*floor)) {
      if (residual > s->now.count.max_residual) s->now.count.max_residual = residual;
      return NSM_OK;
    }
    if (it > FREE_ITERATIONS && !(residual < before)) {    // kinks: halfway back
      for (int i = 0; i < m; i++) {
        double *d = &s->now.d[w->of[row[i]].d];
        *d = 0.5*(*d + w->u[i]);
      }
      before = residual*1.5;
      continue;
    }
    before = residual;
    nsm_cone_result result;
    double *x = w->x;
    for (int i = 0; i < m; i++) w->y[row[i]] = x[i];
    nsm_cone_status status = nsm_cone_solve(&p, &o, w->work, x, w->u, &result);
    s->now.count.solver_iterations += result.iterations;
    if (status != NSM_CONE_SOLVED)
      return failed(s, w, row[result.worst >= 0 && result.worst < m ? result.worst : 0],
                    status == NSM_CONE_NO_SOLUTION ? "has no solution" : "could not be solved to the tolerance", t, e);
    for (int i = 0; i < m; i++) {
      w->u[i] = w->y[row[i]];                              // where this iterate came from
      s->now.d[w->of[row[i]].d] = x[i];
    }
  }
  return failed(s, w, row[0], "could not be solved: Newton's method does not converge", t, e);
}

nsm_code sim_laws_solve(nsm_sim *s, const sim_event *v, int first, int n, double t, nsm_error *e) {
  struct sim_laws *w = v->laws;
  for (int u = 0; u < w->n; u++) w->old[u] = s->now.d[w->of[u].d];
  for (int from = 0, to; from < w->n; from = to) {
    int m = 0;
    for (to = from; to < w->n && w->of[to].group == w->of[from].group; to++)
      if (w->of[to].instance >= first && w->of[to].instance < first + n) w->row[m++] = to;
    nsm_code code = m > 0 ? solve_group(s, w, from, to - from, m, t, e) : NSM_OK;
    if (code == NSM_OK) continue;
    for (int u = 0; u < w->n; u++) s->now.d[w->of[u].d] = w->old[u];
    return code;
  }
  for (int u = 0; u < w->n; u++)
    if (s->now.d[w->of[u].d] != w->old[u]) s->w.changed |= SIM_DISCRETE;
  sim_signals_forget(s);
  return NSM_OK;
}
