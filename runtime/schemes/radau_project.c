// A consistent begin. A switch that closes a loop of capacitors, and initial values that the laws of a set do not
// allow, make states jump. A step of implicit Euler of length e, and one back,
//
//   E (z' - z-) = e F(t + e, z'),    E (z+ - z') = -e F(t, z+)                                                      (5)
//
// project on what the set allows to an error of e^2: charges and fluxes, the left null vectors of A, stay as they are.
// In so short a step multipliers of index 2 carry the round-off of E z divided by e. So the residual says when a step
// is solved, not the change of its unknowns.
#include "radau.h"

enum { MOST_ITERATIONS = 20 };
static const double enough = 1e-9;       // what may stand where the residual falls no more
static const double moves = 1e-3;        // E z of a vector that is known moves by more than this: index 2

// One of the two, from E z0 at z: E (z - z0)/r = F(t, z). 0: not solved.
static int implicit(nsm_sim *s, radau_set *set, double t, double r, const double *z0, double *z) {
  struct sim_radau *w = s->n.radau;
  radau_factors *f = radau_factors_of(s, set, r, 1);
  double *R = w->R[0], last = INFINITY;
  if (!w->linear) radau_round_off(s, set);
  for (int k = 0; f && k < MOST_ITERATIONS; k++) {
    radau_evaluate(s, t, z, w->F[0], w->y[0], w->lo[0], w->hi[0]);
    if (set->free > 0 && radau_contradicts(s, set, z, w->F[0])) return 0;
    memcpy(R, w->F[0], (size_t)w->n * sizeof(double));
    radau_complete(s, set, z, R);
    for (int i = 0; i < w->n; i++) w->sum[i] = z[i] - z0[i];
    radau_times(w, w->E, -1 / r, w->sum, R);
    double off = w->linear ? k < 2 : radau_off(s, set, r, z, w->F[0], R);
    if (!(off < INFINITY)) return 0;
    if (off <= s->a->tolerance) return 1;
    if (!(off < 0.5 * last) && k > 2) return off <= enough;
    last = off;
    radau_solve_plain(s, f, R);
    for (int i = 0; i < w->n; i++) z[i] += R[i];
  }
  return 0;
}

// Does (5) without sources move E z? Looked at once for each set.
static int is_index2(nsm_sim *s, radau_set *set, double e) {
  struct sim_radau *w = s->n.radau;
  if (set->index2 >= 0) return set->index2;
  double *z = w->F[1], *y = w->F[0], off = 0, most = 0;
  radau_factors *f = radau_factors_of(s, set, e, 1);
  if (!f) return 1;
  for (int i = 0; i < w->n; i++) z[i] = 1 + fmod(0.6180339887498949 * (i + 1), 1);
  memset(y, 0, (size_t)w->n * sizeof(double));
  radau_times(w, w->E, 1 / e, z, y);                    // (E/e - A) z' = E z/e
  radau_solve_plain(s, f, y);
  for (int i = 0; i < w->n; i++) w->sum[i] = y[i] - z[i];
  memset(y, 0, (size_t)w->n * sizeof(double));
  radau_times(w, w->E, 1, w->sum, y);
  memset(w->sum, 0, (size_t)w->n * sizeof(double));
  radau_times(w, w->E, 1, z, w->sum);
  for (int i = 0; i < w->n; i++) {
    most = fabs(w->sum[i]);
    if (most > 0) off = fmax(off, fabs(y[i]) / most);
  }
  return set->index2 = off > moves;
}

// z+ from z0 into z.
static int there_and_back(nsm_sim *s, radau_set *set, double e, double *z) {
  struct sim_radau *w = s->n.radau;
  double *middle = w->Z[0];
  memcpy(middle, w->z0, ((size_t)w->n + 1) * sizeof(double));
  if (!implicit(s, set, s->now.t + e, e, w->z0, middle)) return 0;
  memcpy(z, middle, ((size_t)w->n + 1) * sizeof(double));
  return implicit(s, set, s->now.t, -e, middle, z);
}

// Of index 1 (5) leaves the states where they are, and gives the unknowns and multipliers that they have now.
void radau_renew(nsm_sim *s, double h, double *z) {
  struct sim_radau *w = s->n.radau;
  radau_set *set = radau_set_now(s);
  if (!set || is_index2(s, set, RADAU_JUMP * h)) return;
  memcpy(w->z0, s->now.z, (size_t)w->nz * sizeof(double));
  memcpy(w->z0 + w->nz, s->now.l, (size_t)w->nl * sizeof(double));
  w->z0[w->n] = 0;
  if (!there_and_back(s, set, RADAU_JUMP * h, z)) return;
  for (int i = 0; i < w->nz; i++) if (s->a->algebraic && s->a->algebraic[i]) s->now.z[i] = z[i];
  memcpy(s->now.l, z + w->nz, (size_t)w->nl * sizeof(double));
  w->fresh = 0;
}

int radau_project(nsm_sim *s, double h, double *z) {
  struct sim_radau *w = s->n.radau;
  double e = RADAU_JUMP * h;
  memcpy(w->z0, s->now.z, (size_t)w->nz * sizeof(double));
  memcpy(w->z0 + w->nz, s->w.l1, (size_t)w->nl * sizeof(double));
  w->z0[w->n] = 0;
  memcpy(z, w->z0, ((size_t)w->n + 1) * sizeof(double));
  radau_set *set = radau_set_now(s);
  if (!set) return 0;
  return !is_index2(s, set, e) || there_and_back(s, set, e, z);
}
