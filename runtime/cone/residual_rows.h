// The verifier's measure of one row and of one cone block: only for the files residual*.c, which differ in how u is
// summed.
//
//   U_c = size of the terms of u_c,   L_c = |lambda_c|_1, or larger (residual_closer.c)
//   r_c = |lambda_c - P_K(lambda_c - (L_c / U_c)(u_c + s_c))| / L_c       one-step-problem.md (2)
//
// r_c does not change with the units: where u_c is multiplied by e, lambda_c by 1/d, and M, q, K accordingly, U_c and
// L_c follow. COULOMB, ELLIPTIC and CONTENSOU (and its exact set, residual_exact.h) are measured in the frame y_i =
// lambda_i / d_i, v_i = d_i u_i in which K is the circular cone |y_T| <= mu y_N and s = mu |v_T|: d = 1 but for
// CONTENSOU d_s = radius and ELLIPTIC d_i = mu_i / max(mu_1, mu_2), mu = max(mu_1, mu_2); ELLIPSE (and its exact set)
// where it is a disk, d = 1 but for the last row, mu2 / mu. Rows with d = 0 have lambda = 0 and any u.
#pragma once
#include "residual_exact.h"
#include "solver.h"
#include <float.h>
#include <math.h>

#define VERIFY_INLINE static inline __attribute__((always_inline))

// What round-off may leave of u, and how much of q it may cover at most: (4).
static const double verify_round_off = 8 * DBL_EPSILON, verify_drowned = 0x1p-33, verify_natural = 1e-3,
                    verify_vanished = 0x1p-900,    // terms of this size have no round-off that a double could hold
                    verify_nothing = 0x1p-1000,    // terms of this size are 0: their unknowns lose digits to underflow
                    verify_explained = 1e-3;   // sigma from here on is as good as 1

typedef struct verifier {
  double tol, sqrt_tol;
  double worst;                     // largest r
  int    row;
  int    rejected, surely_off;        // some row is off; and it would be so with a larger L
  int    unsure;                    // some row has so little of q in it that only (5) can tell
  const double *L;                  // [m] of (2), NULL at the first look
  double *U, *t, *r, *seen;         // [m] or NULL: what (5) needs of a row or block
} verifier;

// The sum of one row: u, sum_j |M_ij lambda_j|, |q_i|, the size of the terms of q_i, |M_ii|.
typedef struct verify_sum { double u, terms, q, known, diagonal; } verify_sum;

// The rows of the block that is being collected: rows are fed in order.
typedef struct verify_block {
  int       next, n;                // block, rows of it seen
  verify_sum row[NSM_CONE_MOST_ROWS];
} verify_block;

VERIFY_INLINE verifier verify_open(double tol, double sqrt_tol) {
  return (verifier){ .tol = tol, .sqrt_tol = sqrt_tol, .worst = -1 };
}

// The size of the terms of q, where `given` says it.
VERIFY_INLINE double verify_known(double q, double given) {
  return !(given <= fabs(q)) & !(given < verify_vanished) ? given : fabs(q);
}

VERIFY_INLINE verify_sum verify_terms(const nsm_cone_problem *p, int i, double u, double terms, double diagonal) {
  double q = p->q[i], known = p->q_terms ? verify_known(q, p->q_terms[i]) : fabs(q);
  return (verify_sum){ u, terms, fabs(q), known, fabs(diagonal) };
}

// What is known of the row i or of the block that starts there. U: size of all terms; plain: without what q's terms are
// larger than q; q: size of q itself; known: of its terms; least: what r is with any L. L is at most U / M_ii, and |x -
// P(x - rho w)| rises with rho (Gafni and Bertsekas 1984): r falls by the factor |lambda| M_ii / U at most.
typedef struct verify_sizes { double U, plain, q, known, least; } verify_sizes;

// Its r. Written so that any nan is not accepted.
VERIFY_INLINE void verify_note(verifier *j, int i, double r, const verify_sizes s, int valid) {
  int small = r <= verify_round_off, close = (r <= j->tol) & (r * s.U <= j->tol * s.plain),
      natural = verify_natural * s.U <= s.known - s.q, seen = natural | (verify_drowned * s.U <= s.q);
  if (j->U) { j->U[i] = s.U; j->t[i] = s.U > 0 ? s.q / s.U : 1; j->r[i] = r; j->seen[i] = natural; }
  if (!((small | close) && s.U < HUGE_VAL && valid)) {
    j->rejected = 1;
    if (!(s.least <= fmax(j->tol, verify_round_off) && valid)) j->surely_off = 1;
  } else if (!((small | (r * s.U <= j->sqrt_tol * s.q)) && seen)) j->unsure = 1;
  if (!(r <= j->worst) && j->worst == j->worst) { j->worst = r; j->row = i; }   // the first nan stays
}

// The same with sigma, from what verify_note has kept; t = |q_i| / U_i. A u that is off by r U counts beside q; where
// others explain it, the weaker the path the more exact it must be. A u that drowns is known to round-off only.
VERIFY_INLINE void verify_again(verifier *j, int i, double sigma, double t) {
  double r = j->r[i], most = fmax(j->sqrt_tol * t, fmin(j->sqrt_tol, j->tol / verify_explained) * sigma);
  int small = r <= verify_round_off, seen = j->seen[i] != 0 || verify_drowned <= sigma;
  if (!((small | (r <= most)) && seen)) j->unsure = 1;
  if (!small && r > most && most > 0) r = fmax(r, fmin(1, r * j->tol / most));   // above tol, as it is refused
  if (!seen) r = fmax(r, fmin(1, fmax(r, verify_round_off) / sigma));
  if (!(r <= j->worst) && j->worst == j->worst) { j->worst = r; j->row = i; }
}

// One interval row. The law of a fixed one, lo = hi, does not read u: there is no need to see q in it.
VERIFY_INLINE void verify_row(verifier *j, int i, double lambda, double lo, double hi, const verify_sum s) {
  double U = s.terms + s.known, v = U < verify_nothing ? 0 : fabs(s.u) / U, size = fabs(lambda),
         L = j->L ? j->L[i] : size,
         bound = s.u > 0 ? lo : hi, a = fabs(lambda - bound), r = a > v * L ? v : a > 0 ? a / L : 0,
         least = a * s.diagonal < v * U ? a * s.diagonal / U : v;
  if (!(lambda >= lo && lambda <= hi)) {
    double nearest = lambda < lo ? lo : hi;
    r = fmax(r, fabs(lambda - nearest) / fmax(L, fabs(nearest)));
    least = 0;
  }
  verify_note(j, i, r, (verify_sizes){ U, s.terms + s.q, s.q, lo == hi ? HUGE_VAL : s.known, least },
              lo <= hi && size < HUGE_VAL);
}

// r of a row that is right to round-off, or at most 8 eps more, and has enough of q in it; 1 where it may not be.
VERIFY_INLINE double verify_quick(double lambda, double lo, double hi, const verify_sum s) {
  double U = s.terms + s.known, v = fabs(s.u) / (U + (U == 0)), size = fabs(lambda);
  int good = ((verify_drowned * U <= s.q) | (verify_natural * U <= s.known - s.q)) & (lambda >= lo) & (lambda <= hi) &
             (U + size < HUGE_VAL);
  int small = v <= verify_round_off, held = lambda == (s.u > 0 ? lo : hi);
  return good & (small | held) ? (small ? v : 0) : 1;
}

// |x|_2 without underflow or overflow.
VERIFY_INLINE double verify_norm(int n, const double *x) {
  double largest = 0, sum = 0;
  if (n == 1) return fabs(x[0]);
  // a nan stays
  for (int k = 0; k < n; k++) largest = fabs(x[k]) <= largest || largest != largest ? largest : fabs(x[k]);
  if (largest > 1e-140 && largest < 1e140) {
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
  }
  if (!(largest > 0 && largest < HUGE_VAL)) return largest;
  for (int k = 0; k < n; k++) sum += x[k] / largest * (x[k] / largest);
  return largest * sqrt(sum);
}

// x := its nearest point with |x| <= radius.
VERIFY_INLINE void verify_disk(int n, double radius, double *x) {
  double t = verify_norm(n, x);
  if (t <= radius) return;
  for (int k = 0; k < n; k++) x[k] *= radius / t;
}

// off := y - P(y - (v + s)) on |x_T| <= mu x_0 with s = mu |v_T|. Where a contact slides fast under a small force,
// x_0 + mu |x_T| cancels; it is y_0 - v_0 + mu (|x_T| - |v_T|), and the difference of the norms is y_T.(y_T - 2 v_T) /
// (|x_T| + |v_T|).
VERIFY_INLINE void verify_cone(int n, double mu, const double *y, const double *v, double *off) {
  double x[4], dot = 0, slip = verify_norm(n - 1, v + 1), shift = v[0] + mu * slip;
  for (int k = 1; k < n; k++) { x[k] = y[k] - v[k]; dot += y[k] * (y[k] - 2 * v[k]); }
  double t = verify_norm(n - 1, x + 1), both = t + slip, sum = y[0] - v[0] + (both == 0 ? 0.0 : mu * (dot / both));
  if (t <= mu * (y[0] - shift) && y[0] - shift >= 0) {   // inside; mu = 0: 0 <= -0 holds
    off[0] = shift;
    for (int k = 1; k < n; k++) off[k] = v[k];
  } else if (sum <= 0) {                                 // P = 0
    for (int k = 0; k < n; k++) off[k] = y[k];
  } else {                                               // on the side; a nan ends here
    double normal = sum / (1 + mu * mu);
    off[0] = y[0] - normal;
    for (int k = 1; k < n; k++) off[k] = y[k] - (t > 0 ? mu * normal * (x[k] / t) : 0.0);
  }
}

// off := y - P(y - (v + s)) on |x_T| <= mu x_0, |x_R| <= mu x_0, k rows each, with s = mu (|v_T| + |v_R|). The nearest
// point has x_0 = N, the root of N - x_0 = mu sum over the parts outside at N of (|x_i| - mu N); as in verify_cone,
// |x_i| - |v_i| is taken without cancellation.
VERIFY_INLINE void verify_rolling(const int k, double mu, const double *y, const double *v, double *off) {
  double x[2 * 2], t[2], slip[2], gain[2], shift = v[0], N = 0;
  for (int i = 0; i < 2; i++) {
    const double *yi = y + 1 + i * k, *vi = v + 1 + i * k;
    double dot = 0;
    for (int j = 0; j < k; j++) { x[i * k + j] = yi[j] - vi[j]; dot += yi[j] * (yi[j] - 2 * vi[j]); }
    t[i] = verify_norm(k, x + i * k);
    slip[i] = verify_norm(k, vi);
    gain[i] = t[i] + slip[i] == 0 ? 0.0 : dot / (t[i] + slip[i]);
    shift += mu * slip[i];
  }
  int outside[2] = { 1, 1 }, far = t[1] > t[0];           // both, the farther one, none: the first that is consistent
  for (int turn = 0; turn < 3; turn++) {
    outside[0] = turn == 0 || (turn == 1 && !far);
    outside[1] = turn == 0 || (turn == 1 && far);
    double sum = y[0] - v[0], f = 1;
    for (int i = 0; i < 2; i++) {
      sum += outside[i] ? mu * gain[i] : -mu * slip[i];
      f += outside[i] ? mu * mu : 0;
    }
    N = sum / f;
    if (turn == 2 || ((!outside[0] || t[0] > mu * N) && (!outside[1] || t[1] > mu * N))) break;
  }
  if (N <= 0) {                                           // P = 0; a nan goes on
    for (int j = 0; j < 1 + 2 * k; j++) off[j] = y[j];
    return;
  }
  off[0] = outside[0] || outside[1] ? y[0] - N : shift;
  for (int j = 0; j < 2 * k; j++) {
    int i = j / k;
    off[1 + j] = outside[i] ? y[1 + j] - (t[i] > 0 ? mu * N * (x[j] / t[i]) : 0.0) : v[1 + j];
  }
}

VERIFY_INLINE int verify_coefficient(double x) { return x >= 0 && x < HUGE_VAL; }

// The frame of a block, and in it y = lambda / d and v = d u in units of L and U.
typedef struct verify_frame {
  double y[NSM_CONE_MOST_ROWS], v[NSM_CONE_MOST_ROWS], length;
  verify_sizes size;
  int pinned;
} verify_frame;

VERIFY_INLINE const double *verify_own(const verifier *j, int first) { return j->L ? j->L + first : NULL; }

// Sizes add up over the rows; those of tangents count mu times more, as they are in the normal row too, by s.
// own: L of the block, or NULL.
VERIFY_INLINE void verify_enter(const double *own, verify_frame *f, const int n, const double *d, double mu,
                                const double *lambda, const verify_sum *row) {
  double terms = 0, stiff = 0;
  f->pinned = 0;
  f->length = f->size.q = f->size.known = 0;
  for (int k = 0; k < n; k++) {
    double share = k ? d[k] * (1 + mu) : d[0], stiffness = d[k] * d[k] * row[k].diagonal;
    terms += share * row[k].terms;
    f->size.q += share * row[k].q;
    f->size.known += share * row[k].known;
    stiff = stiffness > stiff ? stiffness : stiff;
    f->y[k] = d[k] > 0 ? lambda[k] / d[k] : 0.0;
    f->v[k] = d[k] * row[k].u;
    f->length += fabs(f->y[k]);
    f->pinned |= d[k] == 0 && lambda[k] != 0;
  }
  f->size.U = terms + f->size.known;
  f->size.plain = terms + f->size.q;
  f->size.least = f->length > 0 && stiff * f->length < f->size.U ? stiff * f->length / f->size.U : 1;   // times r
  double L = own ? *own : f->length, shrink = L > 0 ? 1 / L : 1,
         slow = f->size.U < verify_nothing ? 0 : 1 / f->size.U;
  for (int k = 0; k < n; k++) { f->y[k] *= shrink; f->v[k] *= slow; }
}

// r is known.
VERIFY_INLINE void verify_leave(verifier *j, int first, verify_frame *f, double r, int valid) {
  f->size.least *= r;
  verify_note(j, first, r, f->size, valid && f->length < HUGE_VAL);
}

// The other rows of a block whose first has been noted: U in their own units.
VERIFY_INLINE void verify_spread(verifier *j, int first, int n, const double *d) {
  for (int k = 1; k < n && j->U; k++) {
    j->U[first + k] = d[k] > 0 ? j->U[first] / d[k] : HUGE_VAL;
    j->t[first + k] = j->t[first];
    j->r[first + k] = 0;
    j->seen[first + k] = 1;
  }
}

// A block with s = mu |v_T|: see the head.
VERIFY_INLINE void verify_contact(verifier *j, const nsm_cone_block *b, const int n, const double *lambda,
                                  const verify_sum *row) {
  double d[4] = { 1, 1, 1, 1 }, mu = b->mu, off[4];
  int valid = verify_coefficient(b->mu);
  if (b->type == NSM_CONE_ELLIPTIC) {
    valid &= verify_coefficient(b->mu2);
    mu = b->mu > b->mu2 ? b->mu : b->mu2;
    if (mu > 0) { d[1] = b->mu / mu; d[2] = b->mu2 / mu; }
  }
  int exact = n == 4 && b->type == NSM_CONE_CONTENSOU_EXACT;
  if (b->type == NSM_CONE_CONTENSOU || exact) { valid &= verify_coefficient(b->radius); d[3] = b->radius; }
  verify_frame f;
  verify_enter(verify_own(j, b->first), &f, n, d, mu, lambda, row);
  if (exact && mu > 0 && b->radius > 0) {
    double z[4];
    f.v[0] += mu * verify_exact_power(hypot(f.v[1], f.v[2]), fabs(f.v[3]));
    for (int k = 0; k < n; k++) z[k] = f.y[k] - f.v[k];
    verify_exact(mu, z, off);
    for (int k = 0; k < n; k++) off[k] += f.v[k];
  } else
    verify_cone(n, mu, f.y, f.v, off);
  verify_leave(j, b->first, &f, f.pinned ? 1 : verify_norm(n, off), valid);
  verify_spread(j, b->first, n, d);
}

// The frame of a set with half axes radius (mu, mu2) or radius (mu, mu, mu2): d, and the radius there.
VERIFY_INLINE double verify_axes(const nsm_cone_block *b, const int n, double *d) {
  for (int k = 0; k < n; k++) d[k] = k < n - 1 ? b->mu > 0 : b->mu > 0 ? b->mu2 / b->mu : b->mu2 > 0;
  return b->radius * (b->mu > 0 ? b->mu : b->mu2);
}

// Friction under a free normal force, of `normals` rows, or a given one, 0.
VERIFY_INLINE void verify_friction(verifier *j, const nsm_cone_block *b, const int n, int normals, const double *lambda,
                                   const verify_sum *row) {
  double x[4] = { 0 }, d[4] = { 1, 1, 1, 1 }, given = b->radius;
  int axes = !normals && b->type != NSM_CONE_DISK, exact = n == 3 && b->type == NSM_CONE_ELLIPSE_EXACT;
  int valid = verify_coefficient(normals ? b->mu : b->radius);
  verify_frame f;
  if (axes) {
    given = verify_axes(b, n, d);
    valid &= verify_coefficient(b->mu) && verify_coefficient(b->mu2);
  }
  verify_enter(verify_own(j, b->first), &f, n, d, 0, lambda, row);
  double L = j->L ? j->L[b->first] : f.length,
         radius = normals ? b->mu * verify_norm(normals, f.y) : L > 0 ? given / L : given > 0 ? HUGE_VAL : 0;
  for (int k = 0; k < n; k++) x[k] = f.y[k] - f.v[k];
  if (exact) verify_exact_given(radius, x);
  else verify_disk(n - normals, radius, x + normals);
  for (int k = 0; k < n; k++) x[k] = f.y[k] - x[k];
  verify_leave(j, b->first, &f, f.pinned ? 1 : verify_norm(n, x), valid);
  verify_spread(j, b->first, n, d);
}

// Rolling friction in the frame in which both disks are alike: d_R = mu2 / mu.
VERIFY_INLINE void verify_rolls(verifier *j, const nsm_cone_block *b, const int k, const double *lambda,
                                const verify_sum *row) {
  double d[NSM_CONE_MOST_ROWS] = { 1 }, mu = b->mu > 0 ? b->mu : b->mu2 > 0 ? 1 : 0, off[NSM_CONE_MOST_ROWS];
  verify_frame f;
  for (int i = 0; i < 2 * k; i++) d[1 + i] = !(mu > 0) ? 0 : i < k ? b->mu > 0 : b->mu2 / mu;
  verify_enter(verify_own(j, b->first), &f, 1 + 2 * k, d, mu, lambda, row);
  verify_rolling(k, mu, f.y, f.v, off);
  verify_leave(j, b->first, &f, f.pinned ? 1 : verify_norm(1 + 2 * k, off),
              verify_coefficient(b->mu) && verify_coefficient(b->mu2));
  verify_spread(j, b->first, 1 + 2 * k, d);
}

static inline void verify_any_block(verifier *j, const nsm_cone_block *b, const double *lambda, const verify_sum *row) {
  lambda += b->first;
  if (b->type == NSM_CONE_ROLLING)    verify_rolls(j, b, (b->size - 1) / 2, lambda, row);
  else if (nsm_cone_is_given(b->type)) verify_friction(j, b, b->size, 0, lambda, row);
  else if (b->type == NSM_CONE_GRIP)  verify_friction(j, b, b->size, 1, lambda, row);
  else if (b->type == NSM_CONE_GRIP2) verify_friction(j, b, b->size, 2, lambda, row);
  else if (b->type == NSM_CONE_GRIP3) verify_friction(j, b, b->size, 3, lambda, row);
  else if (b->size == 2)              verify_contact(j, b, 2, lambda, row);
  else if (b->size == 3)              verify_contact(j, b, 3, lambda, row);
  else                                verify_contact(j, b, 4, lambda, row);
}

// Row i of a problem with or without blocks.
VERIFY_INLINE void verify_feed(verifier *j, verify_block *f, const nsm_cone_problem *p, const double *lambda, int i,
                               verify_sum s) {
  if (f->next < p->cones && i >= p->cone[f->next].first) {
    f->row[f->n] = s;
    if (++f->n < p->cone[f->next].size) return;
    verify_any_block(j, &p->cone[f->next], lambda, f->row);
    f->n = 0;
    f->next++;
    return;
  }
  double r = j->U ? 1 : verify_quick(lambda[i], p->lo[i], p->hi[i], s);
  if (r > verify_round_off) verify_row(j, i, lambda[i], p->lo[i], p->hi[i], s);
  else if (r > j->worst) { j->worst = r; j->row = i; }
}

VERIFY_INLINE void verify_close(const verifier *j, nsm_cone_check *c) {
  c->residual = j->worst < 0 ? 0.0 : j->worst;
  c->residual = c->residual < HUGE_VAL ? c->residual : HUGE_VAL;   // nan too: lambda is infinite or none
  c->floor = DBL_EPSILON;
  c->worst = j->row;
  c->accepted = !j->rejected && !j->unsure && c->residual < HUGE_VAL;
}

// residual_twice.c: the whole check with M lambda + q summed in twice the working precision.
void nsm_cone_check_twice(const nsm_cone_problem *p, const double *lambda, verifier *j, double *u);
// residual_closer.c, all [m]: from U as verify_note stores it, L of (2) for every row or block, at its first row; from
// t on entry sigma of (5) for every row, or `enough` where it is larger; scratch [6m].
void nsm_cone_lengths(const nsm_cone_problem *p, const double *lambda, const double *U, double *L);
void nsm_cone_strength(const nsm_cone_problem *p, nsm_cone_work *w, const double *lambda, const double *U,
                       double enough, double *sigma, double *scratch);
// Less than this at most, and sooner known, for problems with blocks: along entries of M that are nearly the largest of
// their row and column, without balancing M. 0: not for this problem, sigma is as it was.
int nsm_cone_strength_at_least(const nsm_cone_problem *p, const double *lambda, const double *U, double enough,
                               double *sigma, double *scratch);
