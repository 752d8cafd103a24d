// A proof that a problem has no solution, checked on the problem itself (one-step-problem.md (7), cone.md (16)).
//
// What every solution has, whatever its multipliers:
//   free row: u_i = 0;   [lo, inf): u_i >= 0;   (-inf, hi]: u_i <= 0;   [lo, hi]: no sign;
//   contact with friction: u_N >= 0, as u + s lies in the dual cone of K and s = mu |u_T|;   grip: u_N = 0, each of
//   them;   disk: none.
// With y_i free, >= 0, <= 0, = 0 in these cases, y.u >= 0 at every solution. But y.u = s.lambda + y.q with s = M^T y,
// so there is none where
//   sup over lambda in K of s.lambda + y.q < 0                               (Farkas; Rockafellar, Convex Analysis, 22)
// The supremum is a sum over rows and blocks: of an interval s_i times the bound on its side, of a disk radius |s_T|,
// of a cone 0 where s_N + h(s_T) <= 0, h(s_T) = max of s_T.lambda_T under lambda_N = 1.
// In a branch (branch.c) some rows are decided: basic, u_i = 0; low, lambda_i = lo_i and u_i >= 0; high, lambda_i =
// hi_i and u_i <= 0. The same holds with K_i and the sign of y_i taken from the decision.
//
// Round-off. Where K is unbounded, s_j must vanish (or s_N + h(s_T) <= 0), but something of it is left. The bounded
// rest of the supremum is -kappa size, size the sum of the absolute terms of y.q and of the bounds. Then in any
// solution sum |s_j lambda_j| >= kappa size over what is left, so either
//   - where |s_j| <= 400 eps kappa times its terms: sum_i |y_i| sum_j |M_ij lambda_j| >= size / (800 eps), q is
//     drowned;
//   - or, over the others (where M_ij itself is nothing but round-off), some |lambda'_j| >= Q / (800 eps) in the
//     balanced problem M' = E M D (scale.c), Q the largest of its q' and finite bounds, if sum |s'_j| Q / (800 eps) <=
//     kappa size / 2.
// In both cases the verifier would not accept it (one-step-problem.md (4)), and "there is no solution" may be said.
//
// What q is known to. q_i is a sum whose terms have the size q_terms_i, and u_i within 8 eps of them is zero to the
// verifier (residual.c). So q may be any of q_i +- 8 eps q_terms_i, and y proves something for all of them where
//   sup over lambda in K of s.lambda + y.q < -8 eps sum |y_i| q_terms_i                                            (7a)
#include "solver.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { OPEN = NSM_OPEN };
static const double least_margin = 1e-9, drowned = 0x1p-33, known = 8 * DBL_EPSILON;

typedef struct proof {
  const nsm_cone_problem *p;
  const unsigned char *state;      // NULL: nothing is decided
  double *s, *terms;               // M^T y and the sums of its absolute terms
  double *d;                       // exponents of D, or NULL: nothing is excused by them
  double  yq, yq_size;             // y.q and the sum of its absolute terms
  double  unknown;                 // what y.q may be off by, as q is the round-off of its own terms
  double  sum, size, zeta;         // with the bounds
  double  excused, left;           // s of up to this share of its terms; sum of the other |s'|
} proof;

// y_i of a row outside of blocks, or 0 where its sign is not admissible.
static double admissible(const proof *f, int i, double y) {
  const nsm_cone_problem *p = f->p;
  int low = p->lo[i] > -HUGE_VAL, high = p->hi[i] < HUGE_VAL, s = f->state ? f->state[i] : OPEN;
  if (s == NSM_BASIC) return y;
  if (s == NSM_LOW) { low = 1; high = 0; }
  if (s == NSM_HIGH) { low = 0; high = 1; }
  if (low && high) return 0;
  return low ? fmax(y, 0) : high ? fmin(y, 0) : y;
}

// Adds row i with its factor; 0 where a product has been lost by underflow, so that nothing is proved.
static int add_row(proof *f, int i, double y) {
  const nsm_cone_problem *p = f->p;
  if (!(fabs(y) < HUGE_VAL)) return 0;
  if (y == 0) return 1;
  f->yq += y * p->q[i];
  f->yq_size += fabs(y * p->q[i]);
  if (p->q_terms) f->unknown += known * fabs(y * p->q_terms[i]);
  int first = p->row_start ? p->row_start[i] : 0, end = p->row_start ? p->row_start[i + 1] : p->m;
  for (int k = first; k < end; k++) {
    int j = p->row_start ? p->col[k] : k;
    double M = p->row_start ? p->M[k] : p->M[(size_t)i + (size_t)k * (size_t)p->m], t = M * y;
    if (M != 0 && !(fabs(t) >= DBL_MIN)) return 0;
    f->s[j] += t;
    f->terms[j] += fabs(t);
  }
  return 1;
}

// What must vanish: `part` of terms of this size, in column j.
static void must_vanish(proof *f, int j, double part, double terms) {
  if (!(part > 0)) return;
  if (f->d && !(part <= f->excused * terms)) f->left += ldexp(part, (int)f->d[j]);
  else f->zeta = fmax(f->zeta, part / terms);
}

static void add_bounded(proof *f, double s, double terms, double bound) {
  f->sum += s * bound;
  f->size += fabs(terms * bound);
}

static void close_interval(proof *f, int j) {
  double s = f->s[j], bound = s > 0 ? f->p->hi[j] : f->p->lo[j];
  if (f->state && f->state[j] == NSM_LOW) bound = f->p->lo[j];
  if (f->state && f->state[j] == NSM_HIGH) bound = f->p->hi[j];
  if (fabs(bound) == HUGE_VAL) must_vanish(f, j, fabs(s), f->terms[j]);
  else add_bounded(f, s, f->terms[j], bound);
}

static void close_block(proof *f, const nsm_cone_block *b) {
  const double *s = f->s + b->first, *terms = f->terms + b->first;
  int normals = nsm_cone_normals(b->type), grip = nsm_cone_is_grip(b->type);
  double h = nsm_cone_support(b, s + normals), size = nsm_cone_support(b, terms + normals), N = 0, of_N = 0;
  for (int k = 0; k < normals; k++) { N += grip ? fabs(s[k]) : s[k]; of_N += terms[k]; }
  if (normals == 0) add_bounded(f, h, size, 1);
  else must_vanish(f, b->first, N + h, of_N + size);
}

// What y_i counts as: that of an interval, or of a row of a block.
static double factor_of(const proof *f, const nsm_cone_block *b, int i, double y) {
  if (!b) return admissible(f, i, y);
  if (i - b->first >= nsm_cone_normals(b->type)) return 0;
  return nsm_cone_is_grip(b->type) ? y : fmax(y, 0);
}

static int add_rows(proof *f, const double *y) {
  const nsm_cone_problem *p = f->p;
  f->yq = f->yq_size = f->unknown = 0;
  memset(f->s, 0, (size_t)p->m * sizeof(double));
  memset(f->terms, 0, (size_t)p->m * sizeof(double));
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, i, &c);
    for (int end = i + (b ? b->size : 1); i < end; i++)
      if (!add_row(f, i, factor_of(f, b, i, y[i]))) return 0;
  }
  return 1;
}

static void close_all(proof *f) {
  const nsm_cone_problem *p = f->p;
  f->zeta = f->left = 0;
  f->sum = f->yq;
  f->size = f->yq_size;
  for (int j = 0, c = 0; j < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, j, &c);
    if (b) close_block(f, b);
    else close_interval(f, j);
    j += b ? b->size : 1;
  }
}

// The margin is clear, also of what is not known of q (7a), and what has not vanished, `left` in the unit of the
// margin, is drowned.
static int is_proof(const proof *f, double left) {
  return f->size < HUGE_VAL && f->sum < -least_margin * f->size && f->sum < -f->unknown &&
         left <= 0.5 * drowned * -f->sum;
}

int nsm_cone_is_certificate_at(const nsm_cone_problem *p, const unsigned char *state, const double *y,
                               double *scratch) {
  proof f = { .p = p, .state = state, .s = scratch, .terms = scratch + p->m };
  if (!add_rows(&f, y)) return 0;
  close_all(&f);
  return is_proof(&f, f.zeta * f.size);
}

int nsm_cone_is_certificate(const nsm_cone_problem *p, const double *y, double *scratch) {
  return nsm_cone_is_certificate_at(p, NULL, y, scratch);
}

// The largest |q'| and finite bound of the balanced problem.
static double largest_given(const nsm_cone_problem *p, const double *e, const double *d) {
  double most = 0;
  for (int i = 0; i < p->m; i++) most = fmax(most, ldexp(fabs(p->q[i]), (int)e[i]));
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, i, &c);
    double lo = b ? 0 : fabs(p->lo[i]), hi = b ? nsm_cone_reach(b) : fabs(p->hi[i]);
    if (lo < HUGE_VAL) most = fmax(most, ldexp(lo, -(int)d[i]));
    if (hi < HUGE_VAL) most = fmax(most, ldexp(hi, -(int)d[i]));
    i += b ? b->size : 1;
  }
  return most;
}

// y as it counts, with largest entry 1.
static void keep(const proof *f, nsm_cone_work *w, const double *y) {
  double largest = 0;
  if (!w->proof) return;
  for (int i = 0, c = 0; i < f->p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(f->p, i, &c);
    for (int end = i + (b ? b->size : 1); i < end; i++) {
      w->proof[i] = factor_of(f, b, i, y[i]);
      largest = fmax(largest, fabs(w->proof[i]));
    }
  }
  for (int i = 0; i < f->p->m; i++) w->proof[i] /= largest;
  w->margin = -f->sum / largest;
  w->zeta = f->zeta;
}

int nsm_cone_proves(const nsm_cone_problem *p, nsm_cone_work *w, const double *y) {
  size_t mark = w->used, m = (size_t)p->m;
  double *room = nsm_cone_take_doubles(w, 7 * m);
  int proved = 0;
  if (room) {
    proof f = { .p = p, .s = room, .terms = room + m };
    if (add_rows(&f, y)) {
      close_all(&f);
      if (!(proved = is_proof(&f, f.zeta * f.size))) {
        double *e = room + 2 * m;
        f.d = room + 3 * m;
        nsm_cone_balance_once(p, w, e, f.d, room + 4 * m);
        f.excused = f.size > 0 ? 0.5 * drowned * fmax(-f.sum, 0) / f.size : 0;
        close_all(&f);
        proved = is_proof(&f, f.left * largest_given(p, e, f.d));
      }
    }
    if (proved) keep(&f, w, y);
  }
  w->used = mark;
  return proved;
}

const double *nsm_cone_proof(const void *workspace, double *margin) {
  const nsm_cone_work *w = workspace;
  *margin = w->margin;
  return w->margin > 0 ? w->proof : NULL;
}
