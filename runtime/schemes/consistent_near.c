// The motion (2), (4), (5) of bodies on joints with a matrix that is near to K (consistent_near_matrix.c),
// docs/numerics/consistent.md, section 4, "A near matrix". It is made once a step, at the first iterate; the residual
// falls by some 10^4 an iteration. Where it falls too slowly the step is taken with K itself, from the start, and so
// are the next ones.
//
// A step starts from speeds and second multipliers that are extrapolated from the last steps, by polynomials of the
// degree that was nearest lately.
#include "consistent_near.h"
#include <string.h>

enum { MOST = 16, BACK_AFTER = 8 };
// Relative residuals: what one more correction may leave, because it adds up over the steps; at the floor of rounding.
// Slowest fall in two iterations that is worth going on.
static const double left = 1e-17, floor_of_rounding = 2e-14, slow = 0.1;
static const double least_share = 1e-6;      // as of consistent_residual.c

static inline double larger(double a, double b) { return a > b ? a : b; }       // b where a is nan

// ---- the measure ----------------------------------------------------------------------------------------------------
// Numbers of one kind (places, turns) are known to the round-off of the largest: bodies on joints move each other.
static void raise_to_share(const struct con_near *near, int n, double *x) {
  double most[2] = { 0, 0 };
  for (int i = 0; i < n; i++) most[near->turn[i]] = larger(x[i], most[near->turn[i]]);
  for (int i = 0; i < n; i++) x[i] = larger(least_share * most[near->turn[i]], x[i]) + DBL_MIN;
}

// A direction Dg is made of rotations: each of its moments is known to the round-off of the largest.
static void add_moments(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    const nsm_pattern *p = &k->c->h;
    for (int i = 0; i < k->tab.count; i++) {
      const double *d = con_direction(s, k->row0 + i);
      double most = 0, l = fabs(s->w.l1[s->n.r.l[k->row0 + i]]);
      for (int e = 0; e < p->n; e++)
        if (c->near->turn[sim_z_of(s, k, i, p->col[e])]) most = larger(fabs(d[e]), most);
      for (int e = 0; e < p->n; e++)
        if (c->near->turn[sim_z_of(s, k, i, p->col[e])]) c->near->size[sim_z_of(s, k, i, p->col[e])] += most * l;
    }
  }
}

// The largest relative residual, as of con_residual, with these sizes.
static double residual(nsm_sim *s, double h) {
  const struct sim_consistent *c = s->n.con;
  const struct con_near *near = c->near;
  double most = 0;
  memcpy(near->size, s->now.r1_size, (size_t)s->a->nv * sizeof(double));
  add_moments(s);
  for (int i = 0; i < s->a->nv; i++)
    near->speed[i] = fabs(s->w.z1[i]) + fabs(c->uc[i]) + near->size[i] * c->mass_inverse[i];
  raise_to_share(near, s->a->nv, near->size);
  raise_to_share(near, s->a->nv, near->speed);
  for (int i = 0; i < s->a->nv; i++) {
    double x = fabs(c->res[i]) / near->size[i];
    if (!(x <= most)) most = x;
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    const double *H = k->h, *rate = c->res + s->a->nv, *gap = rate + c->ns;
    for (int i = 0; i < k->tab.count; i++, H += k->c->h.n) {
      int j = c->of[k->row0 + i];
      double terms = DBL_MIN;
      for (int e = 0; e < k->c->h.n; e++) terms += fabs(H[e]) * near->speed[sim_z_of(s, k, i, k->c->h.col[e])];
      double u = fabs(rate[j]) / terms, x = fabs(gap[j]) / (h * terms);
      x = u <= x ? x : u;                                // a nan stays
      if (!(x <= most)) most = x;
    }
  }
  return most;
}

// ---- the motion -----------------------------------------------------------------------------------------------------
static int correct(nsm_sim *s, const nsm_view *v) {
  con_near_solve(s, v->h);
  con_step(s);
  return con_evaluate_rows(s, v);
}

// Of the residual e of an iterate, which is the residual before times `rate`, one more correction leaves e times rate.
static int iterate(nsm_sim *s, const nsm_view *v) {
  memset(s->now.r1_most, 0, (size_t)s->a->nv * sizeof(double));
  if (!con_evaluate_rows(s, v) || !con_near_matrix(s, v)) return 0;
  double before = residual(s, v->h), twice = INFINITY;
  for (int n = 0; n < MOST; n++) {
    if (!correct(s, v)) return 0;
    s->now.count.newton_iterations++;
    double error = residual(s, v->h), rate = error / before;
    if (error <= floor_of_rounding && (error * rate <= left || rate > 0.25)) {
      if (!con_credible(s)) return 0;
      con_near_solve(s, v->h);
      con_go(s, v);
      con_measures(s);
      return 1;
    }
    if (!(error <= slow * twice)) return 0;
    twice = before;
    before = error;
  }
  return 0;
}

// ---- start ----------------------------------------------------------------------------------------------------------
// Backward differences of x = [inc_u; kappa], d[m] the m-th one. The polynomial through the last n values, one step on,
// is the sum of the first n; it is off by the n-th difference of the values to come (Hairer, Norsett and Wanner,
// Solving Ordinary Differential Equations I, III.1).
static int terms_of_least_miss(const nsm_sim *s) {
  int best = 0;
  for (int n = 1; n < s->now.con.differences; n++)
    if (s->now.con.miss[n] < s->now.con.miss[best]) best = n;
  return best;
}

static void start(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  int nv = s->a->nv, nl = s->a->nl;
  con_start(s);
  if (s->now.con.differences_h != s->n.h) return;
  memset(c->inc_u, 0, (size_t)nv * sizeof(double));
  memset(c->kappa1, 0, (size_t)nl * sizeof(double));
  const double *d = s->now.differences;
  for (int m = terms_of_least_miss(s); m > 0; m--, d += nv + nl) {
    for (int i = 0; i < nv; i++) c->inc_u[i] += d[i];
    for (int i = 0; i < nl; i++) c->kappa1[i] += d[nv + i];
  }
  for (int i = 0; i < nv; i++) s->w.z1[i] = c->uc[i] + (c->uc_low[i] + c->inc_u[i]);
}

void con_near_learn(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  int nv = s->a->nv, nl = s->a->nl;
  double miss[SIM_DIFFERENCES + 1] = { 0 };
  if (!c->near) return;
  if (s->now.con.differences_h != s->n.h) s->now.con.differences = 0;
  s->now.con.differences_h = s->n.h;
  int known = s->now.con.differences;
  for (int i = 0; i < nv + nl; i++) {
    double x = i < nv ? c->inc_u[i] : c->kappa1[i - nv], *d = s->now.differences + i;
    double weight = i < nv && c->mass_inverse[i] > 0 ? 1 / c->mass_inverse[i] : 0;
    for (int m = 0; m < known; m++, d += nv + nl) {
      double before = *d;
      *d = x;
      miss[m] += weight * x * x;
      x -= before;
    }
    if (known < SIM_DIFFERENCES) *d = x;
    miss[known] += weight * x * x;
  }
  for (int m = 0; m <= known; m++) s->now.con.miss[m] = 0.75 * s->now.con.miss[m] + miss[m];
  s->now.con.differences += known < SIM_DIFFERENCES;
}

// ---- the motion -----------------------------------------------------------------------------------------------------
int con_near_motion(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  if (!c->near || c->na > 0 || s->now.con.redundant || s->now.k < s->now.con.near_again) return 0;
  long before = s->now.count.newton_iterations;
  start(s);
  int stands = iterate(s, v);
  c->iterations = s->now.count.newton_iterations - before;
  if (!stands) s->now.con.near_again = s->now.k + BACK_AFTER;
  return stands;
}
