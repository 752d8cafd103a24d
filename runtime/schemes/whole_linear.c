// Fused steps where every matrix is constant: A of dz = A (q, z, tau, 1), and the rows that act in a step.
//
//   dz = W^-1 h sum over points k of by_k f(t_k, q + h reach_k v, z)      (all functions of the scheme, at dz = 0)
//
// with the weights by_k of f, which add up to 1, and reach_k, how far the velocities at the begin move point k. So with
// F = df/d(q, z) the columns of A are W^-1 h F_q for q, W^-1 h (F_z + h sum by_k reach_k F_q) for z, W^-1 e_i for
// tau_i, and W^-1 h f(0) without the rows of tau. (g is affine, and 0 without multipliers.)
#include "whole.h"
#include <math.h>
#include <string.h>

// sum by_k reach_k
static double reach_of_forces(const nsm_sim *s) {
  double sum = 0;
  for (int k = 0; k < NSM_POINTS; k++) {
    const nsm_point *point = s->a->point;
    for (int at = k; at != NSM_BEGIN; at = point[at].from) sum += point[k].force * (point[at].begin + point[at].end);
  }
  return sum;
}

// Column `col` of h df/d(q, z), by `share` of F_q for z.
static void derivatives(nsm_sim *s, int col, int of_q, double *x) {
  double h = s->n.h, share = h * reach_of_forces(s);
  SIM_EACH(s, smooth, k) {
    const nsm_pattern *p = &k->c->jac;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        if (sim_z_of(s, k, i, p->col[e]) != col) continue;
        double v = h * k->jac[(size_t)i * (size_t)p->n + (size_t)e];
        int q = p->wrt[e] == NSM_WRT_Q;
        x[sim_z_of(s, k, i, p->row[e])] += !q ? of_q ? 0 : v : of_q ? v : share * v;
      }
  }
}

// f with all variables 0, without the rows that time changes.
static void at_rest(nsm_sim *s, const nsm_whole *w, double *x) {
  memset(s->w.zm, 0, (size_t)s->a->nz * sizeof(double));
  nsm_view v = sim_view(s, s->a->start, s->a->zero, s->a->zero, s->a->zero_l);
  SIM_EACH(s, smooth, k) if (k->c->f_fn) k->c->f_fn(&v, &k->tab, x, x + s->a->nv);
  for (int i = 0; i < w->ntimed; i++) x[w->timed[i]] = 0;
  for (int i = 0; i < s->a->nz; i++) x[i] *= s->n.h;
}

static int is_in(int n, const int *rows, const int *cols, int row, int col) {
  for (int e = 0; e < n; e++) if (rows[e] == row && cols[e] == col) return 1;
  return 0;
}

// M and X of the rows that act in the emitted code; M of contacts one by one.
static int rows_matrix(const nsm_sim *s, const nsm_whole *w, double *c) {
  for (int e = 0; e < w->nm; e++) *c++ = sim_whole_coupling(s, w->m_row[e], w->m_col[e]);
  for (int e = 0; e < w->nx; e++) *c++ = sim_whole_x(s, w->x_row[e], w->x_col[e]);
  for (int j = 0; j < s->n.r.n; j++) {
    for (int i = 0; i < s->n.r.n; i++)
      if (w->here && sim_whole_coupling(s, i, j) != 0 && !is_in(w->nm, w->m_row, w->m_col, i, j)) return 0;
    for (int i = 0; i < s->a->nz; i++)
      if (sim_whole_x(s, i, j) != 0 && !is_in(w->nx, w->x_row, w->x_col, i, j)) return 0;
  }
  return 1;
}

int sim_whole_linear_matrix(nsm_sim *s, const nsm_whole *w, double *a) {
  int nq = s->a->nq, nz = s->a->nz, width = nq + nz + w->ntimed + 1;
  double *x = s->w.rhs;
  for (int c = 0; c < width; c++) {
    memset(x, 0, (size_t)nz * sizeof(double));
    if (c < nq) derivatives(s, c, 1, x);
    else if (c < nq + nz) derivatives(s, c - nq, 0, x);
    else if (c < nq + nz + w->ntimed) x[w->timed[c - nq - nz]] = 1;
    else at_rest(s, w, x);
    sim_matrix_solve(s, x);
    for (int e = 0; e < w->npattern; e++)
      if (w->col[e] == c) { a[e] = x[w->row[e]]; x[w->row[e]] = 0; }
    for (int i = 0; i < nz; i++) if (x[i] != 0) return 0;
  }
  return !(w->here || w->stays) || rows_matrix(s, w, a + w->npattern);
}

// ---- the array ------------------------------------------------------------------------------------------------------
// q, z, q1, z1; of the rows gap, rate, reach, y, multiplier; the largest residual; what whole_affine.c makes of the
// map; or the contact that stays closed; where events are located what take_before reads
static inline double *gap_of(const nsm_sim *s, struct sim_whole *w) { return w->s + 2 * s->a->nq + 2 * s->a->nz; }

static inline double *l_of(const nsm_sim *s, struct sim_whole *w) { return gap_of(s, w) + 4 * s->n.r.n; }

// Where events are located: multipliers of the step before the last one, W v of the last one, |u| of the one before.
static inline double *before_of(const nsm_sim *s, struct sim_whole *w) {
  return l_of(s, w) + s->n.r.n + 1 + sim_whole_affine_size(s, w->of);
}

static void take_before(const nsm_sim *s, struct sim_whole *w) {
  int n = s->n.r.n;
  const double *before = before_of(s, w);
  for (int i = 0; w->l0 && i < n; i++) w->l0[s->n.r.l[i]] = before[i];
  for (int i = 0; w->l0 && i < n; i++) w->rate0[i] = before[2 * n + i];
}

// The rows of the last step, as the code looks at them: forces, and u of those at a bound.
static void show_before(const nsm_sim *s, struct sim_whole *w) {
  const sim_whole_map *k = w->recent;
  double *watched = before_of(s, w) + s->n.r.n;
  for (int i = 0; k && i < k->m; i++) {
    double y = s->now.watched[k->row[i]];
    watched[k->row[i]] = k->act[i] == WHOLE_BASIC ? s->now.l[k->l[i]] : k->act[i] == WHOLE_LOW ? y : -y;
  }
}

// What rows that act in the emitted code need: multipliers, the largest residual, the map.
static void show_rows(const nsm_sim *s, struct sim_whole *w) {
  int n = s->n.r.n;
  double *l = l_of(s, w);
  for (int i = 0; i < n; i++) l[i] = s->now.l[s->n.r.l[i]];
  sim_whole_show_affine(s, w, l + n + 1);
  if (w->l0) show_before(s, w);
  l[n] = fmax(s->now.count.max_residual, l[n + sim_whole_affine_size(s, w->of)]);
}

// The contact that stays closed, where it is the only one that is pressed and the map is that of its rows alone; when
// any contact had a force last. next: the number of the step to come.
static void show_contact(const nsm_sim *s, struct sim_whole *w, long next) {
  const sim_rows *r = &s->n.r;
  double *l = l_of(s, w), *kept = l + r->n + 1;
  const sim_whole_map *k = w->recent;
  int on = -1, force = 0;
  l[r->n] = s->now.count.max_residual;
  kept[WHOLE_ON] = -1;
  for (int a = 0; a < w->ncontact; a++) force |= s->now.l[r->l[w->contact[a]]] != 0;
  kept[WHOLE_HIT_STEP] = force ? (double)next - 1 : -INFINITY;
  kept[WHOLE_HITS] = 0;
  for (int a = 0; (s->now.holds || s->a->located) && k && a < w->ncontact; a++) {
    int i = w->contact[a];
    if (!sim_whole_is_closed(s, i)) continue;
    if (on >= 0 || k->mask != w->with[i]) return;
    on = a;
  }
  if (on < 0 || k->row[0] != w->contact[on] || k->act[0] == WHOLE_OPEN || k->l0[0] != 0) return;
  kept[WHOLE_ON] = on;
  kept[WHOLE_HELD] = s->now.held[k->row[0]];
  kept[WHOLE_PRESS] = s->now.l[k->l[0]];
  kept[WHOLE_RUB] = k->m > 1 ? s->now.l[k->l[1]] : 0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) kept[WHOLE_L + 2 * i + j] = i < k->m && j < k->m ? k->L[i + j * k->m] : 0;
  kept[WHOLE_MU] = k->mu[0];
  kept[WHOLE_PRESS0] = kept[WHOLE_PRESS];
  kept[WHOLE_RUB0] = kept[WHOLE_RUB];
  kept[WHOLE_SLIP] = w->rate && k->m > 1 ? w->rate[k->row[1]] : 0;
  kept[WHOLE_SLIP0] = kept[WHOLE_SLIP];
  kept[WHOLE_STICKS] = k->act[0] == WHOLE_STICK;
}

// Contacts that were struck since, none of them with a force in the step before; k: steps so far.
static void take_hits(nsm_sim *s, struct sim_whole *w, long k, double *kept) {
  long hits = (long)kept[WHOLE_HITS];
  if (hits == 0) return;
  kept[WHOLE_HITS] = 0;
  s->now.count.solver_iterations += hits;
  s->now.count.impacts += hits;
  if (kept[WHOLE_HIT_STEP] != (double)(k - 1)) return;
  sim_whole_forget(s);
  s->now.l[s->n.r.l[w->contact[(int)kept[WHOLE_HIT]]]] = kept[WHOLE_HIT_PUSH];
  w->rows_at = k - 1;
  w->written = NULL;
}

// What the emitted code has done with it since.
static void take_contact(nsm_sim *s, struct sim_whole *w, long k) {
  double *l = l_of(s, w), *kept = l + s->n.r.n + 1;
  s->now.count.max_residual = l[s->n.r.n];
  take_hits(s, w, k, kept);
  if (kept[WHOLE_STEPS] == 0) return;
  const sim_whole_map *m = w->recent;
  s->now.count.solver_iterations += (long)kept[WHOLE_STEPS];
  kept[WHOLE_STEPS] = 0;
  s->now.held[m->row[0]] = kept[WHOLE_HELD];
  s->now.l[m->l[0]] = kept[WHOLE_PRESS];
  if (m->m > 1) s->now.l[m->l[1]] = kept[WHOLE_RUB];
  if (w->l0) w->l0[m->l[0]] = kept[WHOLE_PRESS0];
  if (w->l0 && m->m > 1) w->l0[m->l[1]] = kept[WHOLE_RUB0];
  if (w->l0 && m->m > 1) w->rate0[m->row[1]] = kept[WHOLE_SLIP0];
  if (w->l0 && m->m > 1) w->rate[m->row[1]] = kept[WHOLE_SLIP];
  w->rows_at = k - 1;                                      // it stays closed until nsm_whole_rows is called
}

// A contact that was pressed is looked at in any case; the others where no round-off can close them any more.
static inline void set_reach(const nsm_sim *s, struct sim_whole *w, double *gap) {
  double *reach = gap + 2 * s->n.r.n;
  for (int a = 0; a < w->ncontact; a++) {
    int i = w->contact[a];
    reach[i] = sim_whole_is_closed(s, i) ? INFINITY : w->nearly;
  }
}

static int fits(const nsm_sim *s) { return s->a->linear; }

static size_t room(const nsm_sim *s) {
  const nsm_whole *o = s->a->m->whole;
  int n = s->n.r.n;
  size_t rows = o->here ? sim_whole_affine_size(s, o) + 3 * (size_t)n : o->stays ? WHOLE_KEPT : 0;
  return (size_t)(2 * s->a->nq + 2 * s->a->nz + 5 * n + 1) + rows;
}

static void load(nsm_sim *s, struct sim_whole *w) {
  memcpy(w->s, s->now.q, (size_t)s->a->nq * sizeof(double));
  memcpy(w->s + s->a->nq, s->now.z, (size_t)s->a->nz * sizeof(double));
  w->rows_at = s->now.k - w->steps_before - 1;
  if (s->a->located) {
    w->acting = sim_whole_act_by_sets(s);
    memcpy(w->rate, s->now.watched, (size_t)s->n.r.n * sizeof(double));
  }
  if (w->maps) sim_whole_recall(s, w);
  if (w->of->here) show_rows(s, w);
  if (w->of->stays) {
    l_of(s, w)[s->n.r.n + 1 + WHOLE_STEPS] = 0;
    show_contact(s, w, w->rows_at + 1);
  }
  w->nearly = sim_whole_nearly(s);
  w->written = NULL;
  set_reach(s, w, gap_of(s, w));
}

static void store(nsm_sim *s, struct sim_whole *w, long done) {
  memcpy(s->now.q, w->s, (size_t)s->a->nq * sizeof(double));
  memcpy(s->now.z, w->s + s->a->nq, (size_t)s->a->nz * sizeof(double));
  s->now.count.newton_iterations += done;
  if (w->of->stays) take_contact(s, w, s->now.k - w->steps_before);
  if (w->of->here) {
    const double *l = l_of(s, w);
    for (int i = 0; i < s->n.r.n; i++) s->now.l[s->n.r.l[i]] = l[i];
    take_before(s, w);
    s->now.count.max_residual = l[s->n.r.n];
    s->now.count.solver_iterations += done - w->called;
    w->called = 0;
  } else if (done > 0 && w->rows_at < s->now.k - w->steps_before - 1) sim_whole_forget(s);
}

// ---- rows that act --------------------------------------------------------------------------------------------------
// Maps are for intervals with constant bounds and for Coulomb friction in one direction without restitution, of
// contacts whose rate is 0 at rest.
const sim_whole_kind sim_whole_linear = { fits, room, NULL, load, store };

void sim_whole_linear_open(nsm_sim *s, struct sim_whole *w) {
  const sim_rows *r = &s->n.r;
  w->maps = r->n > 0 && r->constant && s->a->on.law_moving.n + s->a->on.mu.n == 0 && !w->of->drifts;
  SIM_EACH(s, contact, k)
    for (int i = k->row0; i < k->row0 + k->tab.count; i++) w->contact[w->ncontact++] = i;
  for (int i = 0; i < r->n && w->maps; i++) {
    const nsm_class *c = s->a->cls[r->cls[i]].c;
    if (c->kind == NSM_FRICTION) {
      const sim_friction *f = &r->friction[r->friction_of[i]];
      int dry = f->type == NSM_CONE_DISK && f->n == 1;
      w->maps &= (dry || (f->type == NSM_CONE_COULOMB && f->n == 1 && f->normals == 1)) && c->e_num < 0;
      if (dry) w->always |= 1u << i;
    } else if (c->kind == NSM_RELATION) w->always |= 1u << i;
    else {
      w->with[i] = 1u << i;
      if (r->nfriction > 0 && r->friction_of[i] >= 0) w->with[i] |= 1u << r->friction[r->friction_of[i]].row[0];
    }
  }
  if (w->maps) w->map = sim_take_scratch(s, WHOLE_MAPS * sizeof *w->map);
  if (w->maps && w->of->here) {
    sim_whole_affine_open(s, w);
    w->monotone = sim_whole_monotone(s);
  }
}

// As sim_close: gap, rate, reach -> which rows act; 0 where a gap is so near that round-off decides.
static inline int closed(const nsm_sim *s, const struct sim_whole *w, double *gap, unsigned *mask) {
  int clear = 1;
  unsigned m = w->always;
  double *rate = gap + s->n.r.n, lead = s->a->m->lead * s->n.h;
  for (int a = 0; a < w->ncontact; a++) {
    int i = w->contact[a];
    double held = s->now.held[i];
    if (held > 0) rate[i] = 0;
    double x = gap[i] + lead * rate[i];
    if (!(x > held)) m |= w->with[i];
    else clear &= x > w->nearly;
  }
  *mask = m;
  return clear;
}

// The free motion and the rows at the begin, where the generic step has them.
static void lay_out(nsm_sim *s, struct sim_whole *w, const double *state, double k) {
  sim_rows *r = &s->n.r;
  int nq = s->a->nq, nz = s->a->nz;
  memcpy(s->now.q, state, (size_t)nq * sizeof(double));
  memcpy(s->now.z, state + nq, (size_t)nz * sizeof(double));
  memcpy(s->w.q1, state + nq + nz, (size_t)nq * sizeof(double));
  memcpy(s->w.z1, state + 2 * nq + nz, (size_t)nz * sizeof(double));
  s->now.k = (long)k + w->steps_before;
  s->now.t = s->a->start + k * s->a->step;
  const double *gap = gap_of(s, w);
  for (int a = 0; a < s->a->on.contact.n; a++) {
    const sim_class *c = &s->a->cls[s->a->on.contact.of[a]];
    size_t bytes = (size_t)c->tab.count * sizeof(double);
    memcpy(r->gap + c->row0, gap + c->row0, bytes);
    memcpy(r->rate0 + c->row0, gap + r->n + c->row0, bytes);
    memset(s->w.l1 + r->l[c->row0], 0, bytes);
  }
  if (s->a->on.contact.n > 0) sim_close(s);
  if (s->a->on.friction.n > 0) sim_friction_active(s);
  if (!r->always) sim_islands_list(s);
}

// Who acts is found by the generic step; its forces are those of the map for that, where there is one: so no step hangs
// on what was met before it.
static int by_generic_step(nsm_sim *s, struct sim_whole *w, double *state, double k) {
  int nq = s->a->nq, nz = s->a->nz;
  double sum = 0, t1 = s->a->start + (k + 1) * s->a->step, *gap = gap_of(s, w);
  lay_out(s, w, state, k);
  w->nearly = sim_whole_nearly(s);
  w->written = NULL;
  if (s->n.isl.nactive > 0) {
    nsm_counters before = s->now.count;
    if (!sim_linear_solve(s, t1)) return 0;
    if (w->maps) {
      unsigned mask = 0;
      nsm_counters solved = s->now.count;
      sim_whole_learn(s, w);
      for (int i = 0; i < s->n.isl.nactive; i++) mask |= 1u << s->n.r.row_at[s->n.isl.active[i]];
      s->now.count = before;                               // the map counts, which was known or not
      if (sim_whole_by_map(s, w, state, mask, gap + 3 * s->n.r.n, s->n.r.rate0)) return 1;
      s->now.count = solved;
    }
    sum = sim_linear_act(s, t1);
    sim_count_impacts(s);
  }
  for (int i = 0; i < nq; i++) sum += s->w.q1[i];
  for (int i = 0; i < nz; i++) sum += s->w.z1[i];
  if (!(sum - sum == 0)) return 0;
  if (s->a->on.contact.n > 0) sim_hold(s);
  double *swap = s->now.l;
  s->now.l = s->w.l1;
  s->w.l1 = swap;
  memcpy(state + nq + nz, s->w.q1, (size_t)nq * sizeof(double));
  memcpy(state + 2 * nq + nz, s->w.z1, (size_t)nz * sizeof(double));
  return 1;
}

// Where events are located: the sets say who acts, and open gaps stay so (compiler/whole/step.h, step_open_for_sure).
static int by_sets(nsm_sim *s, struct sim_whole *w, double *state, double k) {
  double *gap = gap_of(s, w), *rate = gap + s->n.r.n;
  if (w->of->here || !w->recent) return 0;                 // a contact closes, or a set ends
  for (int a = 0; a < w->ncontact; a++) {
    int i = w->contact[a];
    if (s->now.set[i] != SIM_CLOSED && !(gap[i] - s->n.h * fabs(rate[i]) > w->nearly)) return 0;
  }
  long iterations = s->now.count.solver_iterations;
  if (w->of->stays) take_contact(s, w, (long)k);
  if (!sim_whole_by_map(s, w, state, w->acting, gap + 3 * s->n.r.n, rate)) {
    s->now.count.solver_iterations = iterations;           // the loop ends, and they are counted there
    return 0;
  }
  w->rows_at = (long)k;
  if (w->of->stays) show_contact(s, w, (long)k + 1);
  return 1;
}

int nsm_whole_rows(double *state, double k) {
  struct sim_whole *w = (struct sim_whole *)(void *)((char *)state - offsetof(struct sim_whole, s));
  nsm_sim *s = w->sim;
  double *gap = gap_of(s, w);
  unsigned mask;
  if (s->a->located) return by_sets(s, w, state, k);
  if (w->of->here) {
    const double *l = l_of(s, w);
    for (int i = 0; i < s->n.r.n; i++) s->now.l[s->n.r.l[i]] = l[i];
    s->now.count.max_residual = l[s->n.r.n];
  } else {
    if (w->of->stays) take_contact(s, w, (long)k);
    if (w->rows_at < (long)k - 1) sim_whole_forget(s);
  }
  if (w->of->here && w->maps) sim_whole_find(s, w, gap + 3 * s->n.r.n);
  if (!(w->maps && closed(s, w, gap, &mask) && mask != 0 &&
        sim_whole_by_map(s, w, state, mask, gap + 3 * s->n.r.n, gap + s->n.r.n)) &&
      !by_generic_step(s, w, state, k))
    return 0;
  set_reach(s, w, gap);
  w->rows_at = (long)k;
  if (w->of->here) {
    show_rows(s, w);
    w->called++;
  } else if (w->of->stays) show_contact(s, w, (long)k + 1);
  return 1;
}
