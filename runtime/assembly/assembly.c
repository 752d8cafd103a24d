// The iteration matrix of the theta-gamma scheme, docs/numerics/moreau.md (11), bordered by the constraints:
//
//   [ W  -B ] [ dz ]
//   [ C   d ] [ dp ],   W = M - h theta (f_v + h theta f_q | f_x) - h gamma (g_v + h theta g_q | g_x)
//                           + d(M dz)/dz - d(H^T p)/dz
//
// with B = H^T and C of the rows of constraints, which are eliminated with the velocities and states, not left to the
// one-step problem: a chain of n links is a band. Where constraints depend on each other the border is singular; d,
// tiny beside the diagonal of C W^-1 B, lets it be factored, and Newton's method, which solves for corrections, takes
// the smallest multipliers. Rows that others imply (implied.c) are those of the identity.
//
// For the schemes whose W is M alone nothing but M is listed. Patterns once; values as often as they change.
#include "assembly.h"
#include "runtime/move.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double sim_regular = 1e-13;        // d beside the diagonal of C W^-1 B
enum { SMALL_BLOCK = 16 };               // the curves of contacts may couple bodies up to this size

// ---- lists of entries -----------------------------------------------------------------------------------------------
// The parts of W: which classes, their pattern, values and places.
typedef enum { MASS, JACOBIAN, REACTION, MASS_CURVE, ROW_CURVE, PARTS } part;

static const sim_list *classes(const nsm_sim *s, part p) {
  const sim_list *list[] = { &s->a->on.mass, &s->a->on.jac, &s->a->on.k, &s->a->on.mcurve, &s->a->on.curve };
  return list[p];
}
static const nsm_pattern *pattern(const nsm_class *c, part p) {
  const nsm_pattern *of[] = { &c->mass, &c->jac, &c->k, &c->mcurve, &c->curve };
  return of[p];
}
static int **places(sim_class *k, part p) {
  int **of[] = { &k->mass_at, &k->jac_at, &k->k_at, &k->mcurve_at, &k->curve_at };
  return of[p];
}

typedef sim_each_entry each_entry;

static void over_class(nsm_sim *s, part p, sim_class *k, each_entry *f, void *to) {
  const nsm_pattern *pat = pattern(k->c, p);
  int *at = *places(k, p);
  for (int i = 0; i < k->tab.count; i++)
    for (int n = 0; n < pat->n; n++)
      f(s, sim_z_of(s, k, i, pat->row[n]), sim_z_of(s, k, i, pat->col[n]),
        at ? at + (size_t)i * (size_t)pat->n + (size_t)n : NULL, to);
}

static void over(nsm_sim *s, part p, each_entry *f, void *to) {
  for (int a = 0; a < classes(s, p)->n; a++) over_class(s, p, &s->a->cls[classes(s, p)->of[a]], f, to);
}

static void over_border(nsm_sim *s, each_entry *f, void *to) {
  const sim_rows *r = &s->n.r;
  for (int j = 0; j < r->nborder; j++) {
    int row = r->border[j], at = s->a->nz + j;
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++)
      f(s, r->bz[e], at, r->border_b_at ? r->border_b_at + e : NULL, to);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++)
      f(s, at, r->cz[e], r->border_c_at ? r->border_c_at + e : NULL, to);
  }
}

// ---- analysis -------------------------------------------------------------------------------------------------------
typedef struct graph { int *start, *neighbour; } graph;

static void count_edge(nsm_sim *s, int row, int col, int *at, void *to) {
  (void)s; (void)at;
  if (row == col) return;
  ((graph *)to)->start[row + 1]++;
  ((graph *)to)->start[col + 1]++;
}

static void put_edge(nsm_sim *s, int row, int col, int *at, void *to) {
  (void)s; (void)at;
  graph *g = to;
  if (row == col) return;
  g->neighbour[g->start[row]++] = col;
  g->neighbour[g->start[col]++] = row;
}

static void put_place(nsm_sim *s, int row, int col, int *at, void *to) {
  (void)to;
  *at = sim_matrix_place(&s->n.w, row, col);
}

static void each_part(nsm_sim *s, each_entry *f, void *to) {
  for (part p = MASS; p < PARTS; p++) over(s, p, f, to);
  over_border(s, f, to);
}

void sim_assembly_entries(nsm_sim *s, sim_each_entry *f, void *to) { each_part(s, f, to); }

// Components by their first member, [n].
static void unite(nsm_sim *s, int row, int col, int *at, void *to) {
  (void)s; (void)at;
  nsm_unite(to, row, col);
}

static void may_fit(nsm_sim *s, int row, int col, int *at, void *to) {
  (void)at;
  const sim_matrix *w = &s->n.w;
  const sim_block *b = &w->block[w->block_of[row]];
  int i = w->place[row], j = w->place[col],
      has = w->block_of[row] == w->block_of[col] &&
            (b->kind == BLOCK_SPARSE ? nsm_sparse_has(b->sparse, i - b->first, j - b->first) : abs(i - j) <= b->reach);
  if (!has) *(int *)to = 0;
}

static void list_class(nsm_sim *s, sim_list *l, int cls) {
  if (!l->of) l->of = SIM_NEW(s, s->a->m->nclass, int);
  l->of[l->n++] = cls;
}

typedef struct sizes { int *parent; const int *size; int most; } sizes;

static void largest(nsm_sim *s, int row, int col, int *at, void *to) {
  (void)s; (void)col; (void)at;
  sizes *k = to;
  int size = k->size[nsm_root(k->parent, row)];
  if (size > k->most) k->most = size;
}

// The curves of constraints always belong to W. Those of a class of contacts do where they stand in small blocks alone,
// or within entries that are there anyway: those of the hands and feet of a robot would fill the factors of its tree.
// Elsewhere their part of Newton's iteration is a contraction of order h. taken [nclass] is set for those of the first
// kind.
static void small_curves(nsm_sim *s, int nw, unsigned char *taken) {
  int *parent = SIM_LEND(s, nw, int), *kept = SIM_LEND(s, nw, int), *size = SIM_LEND(s, nw, int);
  for (int i = 0; i < nw; i++) parent[i] = i;
  each_part(s, unite, parent);
  for (int a = 0; a < s->a->on.contact_curve.n; a++) {
    int cls = s->a->on.contact_curve.of[a];
    sizes k = { parent, size, 0 };
    memcpy(kept, parent, (size_t)nw * sizeof(int));
    memset(size, 0, (size_t)nw * sizeof(int));
    over_class(s, ROW_CURVE, &s->a->cls[cls], unite, parent);
    for (int i = 0; i < nw; i++) size[nsm_root(parent, i)]++;
    over_class(s, ROW_CURVE, &s->a->cls[cls], largest, &k);
    taken[cls] = k.most <= SMALL_BLOCK;
    if (!taken[cls]) memcpy(parent, kept, (size_t)nw * sizeof(int));
  }
  sim_give(s, parent);
  sim_give(s, kept);
  sim_give(s, size);
}

static void make_graph(nsm_sim *s, int nw) {
  graph g = { SIM_LEND(s, nw + 2, int), NULL };
  each_part(s, count_edge, &g);
  for (int i = 0; i < nw; i++) g.start[i + 1] += g.start[i];
  g.neighbour = SIM_LEND(s, g.start[nw], int);
  each_part(s, put_edge, &g);                        // moves every start to the next one
  for (int i = nw; i > 0; i--) g.start[i] = g.start[i - 1];
  g.start[0] = 0;
  int *node = s->n.r.nborder > 0 ? sim_nodes(s, nw, s->n.r.nborder, s->n.r.border, s->a->nz, -1) : NULL;
  sim_matrix_shape(s, &s->n.w, nw, g.start, g.neighbour, node);
  sim_give(s, node);
  sim_give(s, g.start);
  sim_give(s, g.neighbour);
}

// Blocks with constraints are factored in the metric of the masses: so they are the same in other units.
static void metric(nsm_sim *s) {
  sim_matrix *w = &s->n.w;
  if (s->n.r.nborder == 0) return;
  w->by = SIM_NEW(s, w->n, double);
  for (int z = 0; z < w->n; z++) w->by[w->place[z]] = sim_root_metric(z < s->a->nv ? s->n.inertia_start[z] : 0);
  for (int z = s->a->nz; z < w->n; z++) w->block[w->block_of[z]].scaled = w->block[w->block_of[z]].n > 1;
}

void sim_assembly_analyse(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  int nw = s->a->nz + r->nborder;
  unsigned char *taken = SIM_NEW(s, s->a->m->nclass, unsigned char);
  if (s->a->on.contact_curve.n > 0) small_curves(s, nw, taken);
  for (int cls = 0; cls < s->a->m->nclass; cls++)
    if (taken[cls]) list_class(s, &s->a->on.curve, cls);
  make_graph(s, nw);
  for (int a = 0; a < s->a->on.contact_curve.n; a++) {
    int cls = s->a->on.contact_curve.of[a], fits = !taken[cls];
    if (fits) over_class(s, ROW_CURVE, &s->a->cls[cls], may_fit, &fits);
    if (fits) list_class(s, &s->a->on.curve, cls);
  }
  for (part p = MASS; p < PARTS; p++)
    for (int a = 0; a < classes(s, p)->n; a++) {
      sim_class *k = &s->a->cls[classes(s, p)->of[a]];
      *places(k, p) = SIM_NEW(s, (size_t)k->tab.count * (size_t)pattern(k->c, p)->n, int);
    }
  if (r->nborder > 0) {
    r->border_b_at = SIM_NEW(s, r->b0[r->n], int);
    r->border_c_at = SIM_NEW(s, r->c0[r->n], int);
  }
  each_part(s, put_place, NULL);
  metric(s);
  s->n.w.constant = s->a->on.mass_moving.n + s->a->on.jac_moving.n + s->a->on.k_moving.n + s->a->on.mcurve.n +
      s->a->on.curve.n == 0 &&
                  r->nborder == 0;
}

// ---- assembly -------------------------------------------------------------------------------------------------------
// A part of the matrix: entries of the elements of a class, times a number and what their unknown is to the step.
typedef struct summand {
  const nsm_pattern *p;
  const double      *val;
  double           (*factor)(const nsm_sim *, int);
  double             by;
} summand;

static void add(const nsm_sim *s, const sim_class *k, summand a, const int *at, double *to) {
  const nsm_pattern *p = a.p;
  const double *val = a.val;
  double of[NSM_WRT_D + 1];
  for (int w = 0; w <= NSM_WRT_D; w++) of[w] = a.by * a.factor(s, w);
  if (k->tab.count == 1) {                    // a large element: one walk along its entries
    for (int e = 0; e < p->n; e++) to[at[e]] += of[p->wrt[e]] * val[e];
    return;
  }
  for (int e = 0; e < p->n; e++) {
    double f = of[p->wrt[e]];
    for (size_t i = 0, j = (size_t)e; i < (size_t)k->tab.count; i++, j += (size_t)p->n) to[at[j]] += f * val[j];
  }
}

static double one(const nsm_sim *s, int wrt) { (void)s; (void)wrt; return 1; }
static double at_end(const nsm_sim *s, int wrt) { return sim_chain(s, wrt); }
static double between(const nsm_sim *s, int wrt) {
  return sim_point_chain(s, &s->a->point[s->a->m->inertia_at], wrt);
}
static double along(const nsm_sim *s, int wrt) { return sim_point_chain(s, &s->a->point[s->a->m->along_at], wrt); }
// Where f is taken: the mean over the points that the unknowns move (schemes/newton_force.c has that of df).
static double of_force(const nsm_sim *s, int wrt) {
  const sim_points *late = &s->a->late;
  if (late->n == 1) return sim_point_chain(s, &s->a->point[late->at[0]], wrt);
  double sum = 0, all = 0;
  for (int i = 0; i < late->n; i++) {
    const nsm_point *p = &s->a->point[late->at[i]];
    sum += p->force * sim_point_chain(s, p, wrt);
    all += p->force;
  }
  return all != 0 ? sum / all : 0;
}

typedef double chain_of(const nsm_sim *s, int wrt);
static chain_of *force_chain(const nsm_sim *s, const sim_class *k) {
  return k->c->f_mean ? between : k->theta == s->a->theta ? of_force : at_end;
}
static double force_share(const sim_class *k) { return k->c->f_mean ? 1 : k->theta; }

// -h theta df/d(q, v, x), theta by row and column where some unknowns have no inertia.
static void add_jacobian(nsm_sim *s, const sim_class *k, double *to) {
  if (!s->a->algebraic) {
    add(s, k, (summand){ &k->c->jac, k->jac, force_chain(s, k), -s->n.h * force_share(k) }, k->jac_at, to);
    return;
  }
  const nsm_pattern *p = &k->c->jac;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      size_t j = (size_t)i * (size_t)p->n + (size_t)e;
      double theta = sim_theta_of(s, k, sim_z_of(s, k, i, p->col[e]));
      to[k->jac_at[j]] -= s->n.h * theta * at_end(s, p->wrt[e]) * k->jac[j];
    }
}

// constant: 1 the constant parts, 0 the moving ones
static void assemble(nsm_sim *s, int constant, double *to) {
  SIM_EACH(s, mass, k)
    if (sim_fixed(k->c->mass_stage) == constant) add(s, k, (summand){ &k->c->mass, k->mass, one, 1 }, k->mass_at, to);
  SIM_EACH(s, jac, k) if (sim_fixed(k->c->jac_stage) == constant) add_jacobian(s, k, to);
  SIM_EACH(s, k, k) {
    if (sim_fixed(k->c->k_stage) == constant)
      add(s, k, (summand){ &k->c->k, k->k, at_end, -s->n.h * k->gamma }, k->k_at, to);
  }
  if (constant || s->w.frozen) return;
  SIM_EACH(s, mcurve, k) add(s, k, (summand){ &k->c->mcurve, k->mcurve, between, 1 }, k->mcurve_at, to);
  SIM_EACH(s, curve, k)
    add(s, k, (summand){ &k->c->curve, k->curve, k->h_mid ? along : at_end, -1 }, k->curve_at, to);
}

static void border(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  double *val = s->n.w.val, most = 0;
  for (int j = 0; j < r->nborder; j++) {
    int row = r->border[j];
    double size = 0, start = 0, *own = &val[sim_matrix_place(&s->n.w, s->a->nz + j, s->a->nz + j)];
    r->gives[j] = 0;
    if (sim_is_implied(s, row)) { *own = 1; continue; }
    for (int e = r->b0[row], c = r->c0[row]; e < r->b0[row + 1]; e++) {
      double diagonal = fabs(val[sim_matrix_place(&s->n.w, r->bz[e], r->bz[e])]);
      val[r->border_b_at[e]] -= r->b[e];
      while (c < r->c0[row + 1] && r->cz[c] < r->bz[e]) c++;
      if (!(c < r->c0[row + 1] && r->cz[c] == r->bz[e] && diagonal > 0)) continue;
      size += fabs(r->b[e] * r->c[c]) / diagonal;
      if (r->bz[e] < s->a->nv) start += fabs(r->b[e] * r->c[c]) / s->n.inertia_start[r->bz[e]];
    }
    s->n.w.by[s->n.w.place[s->a->nz + j]] = sim_root_metric(start);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) val[r->border_c_at[e]] += r->c[e];
    most = size > most ? size : most;
    r->gives[j] = *own = sim_regular * (size > 0 ? size : most);
  }
}

// One class: its entries times x.
static void add_class(const nsm_sim *s, const sim_class *k, summand a, const double *x, double *product,
                      double *terms) {
  const nsm_pattern *p = a.p;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
      double d = a.by * a.factor(s, p->wrt[e]) * a.val[(size_t)i * (size_t)p->n + (size_t)e] * x[col];
      product[row] += d;
      terms[row] += fabs(d);
    }
}

void sim_assembly_multiply(const nsm_sim *s, const double *x, double *product, double *terms) {
  const sim_rows *r = &s->n.r;
  SIM_EACH(s, mass, k) add_class(s, k, (summand){ &k->c->mass, k->mass, one, 1 }, x, product, terms);
  SIM_EACH(s, jac, k) {
    summand jac = { &k->c->jac, k->jac, force_chain(s, k), -s->n.h * force_share(k) };
    add_class(s, k, jac, x, product, terms);
  }
  SIM_EACH(s, k, k) add_class(s, k, (summand){ &k->c->k, k->k, at_end, -s->n.h * k->gamma }, x, product, terms);
  for (int a = 0; a < s->a->on.mcurve.n && !s->w.frozen; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mcurve.of[a]];
    add_class(s, k, (summand){ &k->c->mcurve, k->mcurve, between, 1 }, x, product, terms);
  }
  for (int a = 0; a < s->a->on.curve.n && !s->w.frozen; a++) {
    const sim_class *k = &s->a->cls[s->a->on.curve.of[a]];
    add_class(s, k, (summand){ &k->c->curve, k->curve, k->h_mid ? along : at_end, -1 }, x, product, terms);
  }
  for (int j = 0; j < r->nborder; j++) {
    int row = r->border[j], at = s->a->nz + j;
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
      product[r->bz[e]] -= r->b[e] * x[at];
      terms[r->bz[e]] += fabs(r->b[e] * x[at]);
    }
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
      product[at] += r->c[e] * x[r->cz[e]];
      terms[at] += fabs(r->c[e] * x[r->cz[e]]);
    }
  }
}

static int factor(nsm_sim *s) {
  sim_matrix *w = &s->n.w;
  w->factored = 0;
  for (int b = 0; b < w->nblock; b++) {
    int z = sim_block_factor(s, w, b);
    if (z >= 0) return z;
  }
  w->factored = 1;
  return -1;
}

int sim_matrix_again(nsm_sim *s) {
  memcpy(s->n.w.val, s->n.w.kept, (size_t)s->n.w.nval * sizeof(double));
  return factor(s);
}

int sim_matrix_update(nsm_sim *s, int with_constants) {
  sim_matrix *w = &s->n.w;
  if (with_constants) {
    memset(w->base, 0, (size_t)w->nval * sizeof(double));
    assemble(s, 1, w->base);
  }
  memcpy(w->val, w->base, (size_t)w->nval * sizeof(double));
  assemble(s, 0, w->val);
  if (s->n.r.nborder > 0) border(s);
  int of_iterate = !with_constants || !SIM_KEEPS(s);
  if (w->kept && of_iterate) memcpy(w->kept, w->val, (size_t)w->nval * sizeof(double));
  if (of_iterate) s->now.old.h = 0;
  int z = factor(s);
  w->factored &= of_iterate;
  return z;
}

// ---- W of several lengths -------------------------------------------------------------------------------------------
// Pieces of steps have the same few lengths again and again. Where W is constant and its blocks are small, it and its
// factors are kept for each of them, until what W is made of changes (lengths = 0).
void sim_matrix_keep(nsm_sim *s) {
  sim_matrix *w = &s->n.w;
  int small = s->a->linear && s->a->m->nblock > 0 && !s->n.weights && !s->n.radau && !s->n.flow;
  for (int b = 0; b < w->nblock; b++) small &= w->block[b].kind == BLOCK_SCALAR || w->block[b].kind == BLOCK_SMALL;
  if (small) w->of_length = SIM_NEW(s, (size_t)SIM_LENGTHS * (size_t)(2 * w->nval + w->n), double);
}

static void exchange(sim_matrix *w, int i, int out) {
  size_t n = (size_t)w->nval, size[] = { n, n, (size_t)w->n };
  double *at = w->of_length + (size_t)i * (2 * n + (size_t)w->n), *own[] = { w->base, w->val, w->inverse };
  for (int k = 0; k < 3; at += size[k++]) memcpy(out ? at : own[k], out ? own[k] : at, size[k] * sizeof *at);
}

int sim_matrix_of_length(nsm_sim *s) {
  sim_matrix *w = &s->n.w;
  for (int i = 0; w->of_length && i < SIM_LENGTHS && i < w->lengths; i++)
    if (w->length[i] == s->n.h) { exchange(w, i, 0); return -1; }
  int z = sim_matrix_update(s, 1);
  if (z >= 0 || !w->of_length) return z;
  w->length[w->lengths % SIM_LENGTHS] = s->n.h;
  exchange(w, w->lengths++ % SIM_LENGTHS, 1);
  return z;
}

// ---- what the assembled matrix says ---------------------------------------------------------------------------------
double sim_assembly_diagonal(const nsm_sim *s, int z) {
  const sim_matrix *w = &s->n.w;
  return (w->constant ? w->base : w->kept)[sim_matrix_place(w, z, z)];
}

double sim_assembly_inertia(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  double sum = 0;
  for (int e = r->d0[row]; e < r->d0[row + 1]; e++) if (r->ds[e] == row) sum += r->d[e];
  for (int e = r->c0[row], b = r->b0[row]; e < r->c0[row + 1]; e++) {
    while (b < r->b0[row + 1] && r->bz[b] < r->cz[e]) b++;
    if (b == r->b0[row + 1]) break;
    double w = r->bz[b] == r->cz[e] ? sim_assembly_diagonal(s, r->cz[e]) : 0;
    if (w != 0) sum += r->c[e] * r->b[b] / w;
  }
  return sum;
}
