// The stages of a piece of length r with the set of its begin, by Newton's method with the derivative of the begin:
//
//   (1/r) sum_j omega_ij E (Z_j - z_0) = F(t + c_i r, Z_i),   i = 1..s,      z_1 = Z_s                             (3)
//
// Only E z_0 enters: nothing algebraic has to be consistent at the begin. c_s = 1: all that is recorded holds at the
// end. Where everything is affine one iteration is made, and a second one where its round-off is more than that of the
// terms.
#include "radau.h"

enum { MOST_ITERATIONS = 15 };
static const double enough = 1e-9;       // what may stand where the residual falls no more
static const double rounds = 16 * DBL_EPSILON;

static void stages_at_begin(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  memcpy(w->z0, s->now.z, (size_t)w->nz * sizeof(double));
  memcpy(w->z0 + w->nz, s->now.l, (size_t)w->nl * sizeof(double));
  w->z0[w->n] = 0;
  for (int i = 0; i < w->m.s; i++) memcpy(w->Z[i], w->z0, ((size_t)w->n + 1) * sizeof(double));
}

static void evaluate(nsm_sim *s, double r) {
  struct sim_radau *w = s->n.radau;
  for (int i = 0; i < w->m.s; i++)
    radau_evaluate(s, s->now.t + w->m.c[i] * r, w->Z[i], w->F[i], w->y[i], w->lo[i], w->hi[i]);
}

// R of (3), F - (1/r) sum_j omega_ij E (Z_j - z_0), completed by (4). 0: the set contradicts itself.
static int residual(nsm_sim *s, const radau_set *set, double r) {
  struct sim_radau *w = s->n.radau;
  evaluate(s, r);
  for (int i = 0; i < w->m.s; i++) {
    if (set->free > 0 && radau_contradicts(s, set, w->Z[i], w->F[i])) return 0;
    memcpy(w->R[i], w->F[i], (size_t)w->n * sizeof(double));
    radau_complete(s, set, w->Z[i], w->R[i]);
    for (int k = 0; k < w->n; k++) {
      w->sum[k] = 0;
      for (int j = 0; j < w->m.s; j++) w->sum[k] += w->m.omega[i][j] * (w->Z[j][k] - w->z0[k]);
    }
    if (w->moving_mass) radau_mass(s, s->now.t + w->m.c[i] * r, w->Z[i], w->other);
    radau_times(w, w->moving_mass ? w->other : w->E, -1 / r, w->sum, w->R[i]);
  }
  return 1;
}

// What rounding may leave of each equation: terms made of the largest unknowns of each unit so far. A potential that a
// diode holds at 0 has no terms of its own.
void radau_round_off(nsm_sim *s, const radau_set *set) {
  struct sim_radau *w = s->n.radau;
  for (int k = 0; k < w->n; k++) w->sum[k] = s->now.size_z[w->group[k]];
  memset(w->least, 0, (size_t)w->n * sizeof(double));
  radau_terms(w, set->A, w->sum, w->least);
}

// The largest residual R at Z beside the size of the terms of its row, (1/r) E Z among them: their round-off is none,
// nor is that of the largest terms that solutions had so far. Those of this one into w.terms.
double radau_off(nsm_sim *s, const radau_set *set, double r, const double *Z, const double *F, const double *R) {
  struct sim_radau *w = s->n.radau;
  double most = 0;
  memset(w->sum, 0, (size_t)w->n * sizeof(double));
  memset(w->xr, 0, (size_t)w->n * sizeof(double));
  radau_terms(w, set->A, Z, w->sum);
  radau_terms_of_mass(w, Z, w->xr);
  for (int k = 0; k < w->n; k++) {
    double size = w->sum[k] + fabs(F[k]), off = fabs(R[k]);
    if (!(size < INFINITY && off < INFINITY)) return INFINITY;
    w->terms[k] = fmax(w->terms[k], size);
    double largest = fmax(fmax(s->now.size_f[k], w->least[k]), size);
    if (off > rounds * (largest + 8 * w->xr[k] / fabs(r))) most = fmax(most, off / size);
  }
  return most;
}

static double measure(nsm_sim *s, const radau_set *set, double r) {
  struct sim_radau *w = s->n.radau;
  double most = 0;
  memset(w->terms, 0, (size_t)w->n * sizeof(double));
  for (int i = 0; i < w->m.s; i++) most = fmax(most, radau_off(s, set, r, w->Z[i], w->F[i], w->R[i]));
  return most;
}

// Is what is left of each equation within the round-off of its own terms?
static int is_rounded(nsm_sim *s, const radau_set *set, double r) {
  struct sim_radau *w = s->n.radau;
  for (int i = 0; i < w->m.s; i++) {
    memset(w->sum, 0, (size_t)w->n * sizeof(double));
    memset(w->xr, 0, (size_t)w->n * sizeof(double));
    radau_terms(w, set->A, w->Z[i], w->sum);
    radau_terms_of_mass(w, w->Z[i], w->xr);
    for (int k = 0; k < w->n; k++)
      if (!(fabs(w->R[i][k]) <= DBL_EPSILON * (w->sum[k] + fabs(w->F[i][k]) + 4 * w->xr[k] / r))) return 0;
  }
  return 1;
}

static void go(nsm_sim *s, const radau_factors *f) {
  struct sim_radau *w = s->n.radau;
  radau_solve(s, f, w->R);
  for (int i = 0; i < w->m.s; i++) for (int k = 0; k < w->n; k++) w->Z[i][k] += w->R[i][k];
  s->now.count.newton_iterations++;
}

static radau_outcome iterate(nsm_sim *s, const radau_set *set, const radau_factors *f, double r) {
  struct sim_radau *w = s->n.radau;
  double last = INFINITY;
  if (!w->linear) radau_round_off(s, set);
  for (int k = 0; k <= MOST_ITERATIONS; k++) {
    if (w->linear && k == 2) {
      evaluate(s, r);                                      // what is watched
      return RADAU_GOOD;
    }
    if (!residual(s, set, r)) return RADAU_CONTRADICTS;
    if (w->linear && k == 1 && is_rounded(s, set, r)) return RADAU_GOOD;
    if (!w->linear && k > 0) {
      double off = measure(s, set, r);
      if (off <= s->a->tolerance) return RADAU_GOOD;
      if (!(off < 0.5 * last) && k > 2) return off <= enough ? RADAU_GOOD : RADAU_DIVERGES;
      last = off;
    }
    go(s, f);
  }
  return RADAU_DIVERGES;
}

// What no unknown drives is an integral of F: by the last row of (a_ij), whose sum is 1, so that a constant has its
// exact share, where the factors of (6) leave round-off.
static void integrate(const struct sim_radau *w, const radau_set *set, double r) {
  int s = w->m.s;
  for (int k = 0; k < w->nz; k++) {
    if (!set->alone[k]) continue;
    double f = w->F[s - 1][k], more = 0;
    for (int j = 0; j + 1 < s; j++) more += w->m.a[s - 1][j] * (w->F[j][k] - f);
    w->Z[s - 1][k] = w->z0[k] + r * (f + more) / w->inertia[k];
  }
}

radau_outcome radau_trial(nsm_sim *s, double r) {
  struct sim_radau *w = s->n.radau;
  w->r = r;
  stages_at_begin(s);
  radau_set *set = radau_set_now(s);
  radau_factors *f = set ? radau_factors_of(s, set, r, 0) : NULL;
  w->outcome = f ? iterate(s, set, f, r) : RADAU_DIVERGES;
  if (w->outcome == RADAU_GOOD && !w->moving_mass) integrate(w, set, r);
  const double *end = w->Z[w->outcome == RADAU_GOOD ? w->m.s - 1 : 0];
  double sum = 0;
  for (int k = 0; k < w->n; k++) sum += end[k] - end[k];
  if (sum != 0) w->outcome = RADAU_DIVERGES;
  if (w->outcome != RADAU_GOOD) end = w->z0;
  for (int k = 0; k < w->nz; k++) s->w.z1[k] = fabs(end[k]) < DBL_MIN ? 0 : end[k];    // denormals say nothing
  memcpy(s->w.l1, end + w->nz, (size_t)w->nl * sizeof(double));
  if (w->outcome == RADAU_GOOD) {
    for (int k = 0; k < w->n && !w->linear; k++) s->now.size_f[k] = fmax(s->now.size_f[k], w->terms[k]);
    radau_watch(s);
    radau_clip(s, s->w.l1);
  }
  return w->outcome;
}
