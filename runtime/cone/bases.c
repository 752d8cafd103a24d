// Up to five rows, dense: every basis keeps its inverse, and the last basis is tried first.
//
// A set B of basic rows (u_B = 0) and a bound for each other row give
//   lambda_N = bound,   lambda_B = -M_BB^{-1} (q_B + M_BN lambda_N).
// Stored per mask B: G_B = -M_BB^{-1}, padded with zeros to m x m, so that lambda = lambda_N + G_B (q + M lambda_N) for
// every B. While the matrix stays the same, a solve costs this product and the verifier. Where the last basis does not
// fit, its infeasible rows change sides (block pivoting), and where that comes back to a state it has seen, the
// remaining states are tried in order.
#include "trial.h"
#include "runtime/la/la.h"
#include <math.h>
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static void compute_inverse(const nsm_cone_problem *p, nsm_cone_work *w, unsigned basic) {
  int m = p->m, n = 0, at[NSM_BASES_MAX];
  double A[NSM_BASES_MAX * NSM_BASES_MAX] = { 0 }, X[NSM_BASES_MAX * NSM_BASES_MAX] = { 0 }, *G = w->inverse[basic];
  for (int i = 0; i < m; i++)
    if (basic >> i & 1) at[n++] = i;
  w->known |= 1u << basic;
  w->singular &= ~(1u << basic);
  memset(G, 0, sizeof w->inverse[0]);
  if (n == 0) return;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) A[i + j * n] = p->M[at[i] + at[j] * m];
  if (nsm_la_small_inverse(n, A, n, 1e-14, X).code != NSM_LA_OK) {
    w->singular |= 1u << basic;
    return;
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) G[at[i] + at[j] * m] = -X[i + j * n];
}

// lambda of the state (basic, high), before any clipping. The inverse is known.
ALWAYS_INLINE void candidate(const int n, const nsm_cone_problem *p, const nsm_cone_work *w, unsigned basic,
                             unsigned high, double *lambda) {
  const double *G = w->inverse[basic];
  double bound[NSM_BASES_MAX], b[NSM_BASES_MAX];
  int any = 0;
  for (int i = 0; i < n; i++) {
    bound[i] = basic >> i & 1 ? 0.0 : high >> i & 1 ? p->hi[i] : p->lo[i];
    any |= bound[i] != 0.0;
    b[i] = p->q[i];
  }
  if (any)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) b[i] += p->M[i + j * n] * bound[j];
  for (int i = 0; i < n; i++) {
    double x = bound[i];
    for (int j = 0; j < n; j++) x += G[i + j * n] * b[j];
    lambda[i] = x;
  }
}

ALWAYS_INLINE int fits(const int n, const nsm_cone_trial *a, unsigned basic, unsigned high, double *raw) {
  candidate(n, a->p, a->w, basic, high, raw);
  for (int i = 0; i < n; i++) a->lambda[i] = nsm_cone_project(raw[i], a->p->lo[i], a->p->hi[i]);
  nsm_cone_check_answer(a->p, a->w, a->t, a->lambda, a->u, a->c);
  return a->c->accepted;
}

// Accepted at the floor: lambda += G u makes it exact to its last digits, as near the floor the verifier has summed u
// in twice the precision.
static void refine(const nsm_cone_trial *a, unsigned basic) {
  const nsm_cone_problem *p = a->p;
  const double *G = a->w->inverse[basic];
  double x[NSM_BASES_MAX], v[NSM_BASES_MAX];
  nsm_cone_check d;
  if (!(a->c->residual > 0.01 * a->t->tolerance)) return;
  for (int i = 0; i < p->m; i++) {
    double sum = a->lambda[i];
    for (int j = 0; j < p->m; j++) sum += G[i + j * p->m] * a->u[j];
    x[i] = nsm_cone_project(sum, p->lo[i], p->hi[i]);
  }
  nsm_cone_check_answer(p, a->w, a->t, x, v, &d);
  if (!(d.accepted && d.residual < a->c->residual)) return;
  for (int i = 0; i < p->m; i++) { a->lambda[i] = x[i]; a->u[i] = v[i]; }
  *a->c = d;
}

static int sized_fits(const nsm_cone_trial *a, unsigned basic, unsigned high, double *raw) {
  switch (a->p->m) {
    case 1:  return fits(1, a, basic, high, raw);
    case 2:  return fits(2, a, basic, high, raw);
    case 3:  return fits(3, a, basic, high, raw);
    case 4:  return fits(4, a, basic, high, raw);
    default: return fits(5, a, basic, high, raw);
  }
}

int nsm_cone_bases_again(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda, double *u,
                         nsm_cone_check *c) {
  const nsm_cone_trial a = { p, w, t, lambda, u, c };
  double raw[NSM_BASES_MAX];
  if (w->basis_known == NSM_WITHOUT_INVERSE) compute_inverse(p, w, w->basic);
  w->basis_known = 1;
  int ok = sized_fits(&a, w->basic, w->high, raw);
  if (ok) refine(&a, w->basic);
  return ok;
}

static int state_fits(const nsm_cone_trial *a, unsigned basic, unsigned high, double *raw) {
  a->w->iterations++;
  if (!(a->w->known >> basic & 1)) compute_inverse(a->p, a->w, basic);
  if (a->w->singular >> basic & 1) return 0;
  int ok = sized_fits(a, basic, high, raw);
  if (ok) refine(a, basic);
  return ok;
}

// u = M raw + q, then the rows that are on the wrong side change: beyond a bound, to that bound; pushed off a bound,
// into the basis.
static void change_sides(const nsm_cone_problem *p, const double *raw, unsigned *basic, unsigned *high) {
  int m = p->m;
  for (int i = 0; i < m; i++) {
    unsigned bit = 1u << i;
    double u = p->q[i];
    for (int j = 0; j < m; j++) u += p->M[i + j * m] * raw[j];
    if (*basic & bit) {
      if (raw[i] < p->lo[i]) { *basic &= ~bit; *high &= ~bit; }
      else if (raw[i] > p->hi[i]) { *basic &= ~bit; *high |= bit; }
    } else if (p->lo[i] < p->hi[i] && (*high & bit ? u > 0 : u < 0)) { *basic |= bit; *high &= ~bit; }
  }
}

// The state that the natural map sees at lambda (warm) or at the projection of zero.
static void first_state(const nsm_cone_problem *p, const nsm_cone_try *t, const double *lambda, unsigned *basic,
                        unsigned *high) {
  int m = p->m;
  double x[NSM_BASES_MAX] = { 0 }, u[NSM_BASES_MAX] = { 0 };
  unsigned char state[NSM_BASES_MAX];
  for (int i = 0; i < m; i++) x[i] = nsm_cone_project(t->warm ? lambda[i] : 0.0, p->lo[i], p->hi[i]);
  for (int i = 0; i < m; i++) {
    u[i] = p->q[i];
    for (int j = 0; j < m; j++) u[i] += p->M[i + j * m] * x[j];
  }
  nsm_cone_guess_state(p, x, u, state);
  *basic = *high = 0;
  for (int i = 0; i < m; i++) {
    if (state[i] == NSM_BASIC) *basic |= 1u << i;
    if (state[i] == NSM_HIGH) *high |= 1u << i;
  }
}

int nsm_cone_bases_checked(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                          double *u, nsm_cone_check *c) {
  const nsm_cone_trial a = { p, w, t, lambda, u, c };
  int m = p->m;
  double raw[NSM_BASES_MAX];
  unsigned basic = w->basic, high = w->high;
  if (!w->basis_known) first_state(p, t, lambda, &basic, &high);
  if (state_fits(&a, basic, high, raw)) goto found;

  // The states met so far, by basic | high << m.
  unsigned char seen[1 << 2 * NSM_BASES_MAX];
  memset(seen, 0, (size_t)1 << 2 * m);
  for (;;) {
    seen[basic | high << m] = 1;
    if (w->singular >> basic & 1) break;
    change_sides(p, raw, &basic, &high);
    if (seen[basic | high << m]) break;
    if (state_fits(&a, basic, high, raw)) goto found;
  }

  unsigned must = 0, may_low = 0, may_high = 0, all = (1u << m) - 1;
  for (int i = 0; i < m; i++) {
    if (p->lo[i] > -HUGE_VAL) may_low |= 1u << i;
    if (p->hi[i] < HUGE_VAL) may_high |= 1u << i;
  }
  must = all & ~(may_low | may_high);
  for (basic = 0; basic <= all; basic++) {
    if ((basic & must) != must) continue;
    unsigned rest = all & ~basic, choose = rest & may_high & may_low, fixed = rest & may_high & ~may_low;
    // every subset of `choose`, the full one first, the empty one last
    for (unsigned part = choose;; part = (part - 1) & choose) {
      high = part | fixed;
      if (!seen[basic | high << m] && state_fits(&a, basic, high, raw)) goto found;
      if (part == 0) break;
    }
  }
  w->basis_known = 0;
  return 0;

found:
  w->basic = basic;
  w->high = high;
  w->basis_known = 1;
  return 1;
}

nsm_cone_outcome nsm_cone_bases(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                double *u) {
  nsm_cone_check c;
  if (p->m < 1 || p->m > NSM_BASES_MAX || p->row_start) return NSM_CONE_GAVE_UP;
  return nsm_cone_bases_checked(p, w, t, lambda, u, &c) ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}
