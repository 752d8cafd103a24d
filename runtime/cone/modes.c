// Planar friction, up to eight rows, dense: every set of modes keeps its inverse, and the last set is tried first. The
// idea of bases.c carried over to contacts with one tangential row, which are piecewise linear too:
//   open  lambda = 0;   stick  u = 0;   slip+-  u_N = 0, lambda_T = +-mu lambda_N;
//   interval and DISK rows: basic or at a bound.
// A set of modes gives lambda = bound + E z with R u = 0 for its rows R, so that
//   lambda = bound + G (q + M bound),  G = -E (R M E)^{-1} R  (m x m, kept while the matrix and the coefficients stay).
// A solve whose modes are those of the last one costs this product and the verifier. Where they do not fit, the blocks
// that violate their conditions change modes all at once, as in block pivoting, until a set comes back; planar.c then
// tries all of them.
#include "trial.h"
#include <math.h>
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))
enum { N = NSM_MODES_MAX, TRIES = 24 };
enum { STICK, OPEN, PLUS, MINUS, BASIC = STICK, LOW = OPEN, HIGH = PLUS };  // two bits of the set for each row or block

int nsm_cone_is_planar(const nsm_cone_problem *p) {
  for (int c = 0; c < p->cones; c++) {
    nsm_cone_type type = p->cone[c].type;
    if (!(type == NSM_CONE_DISK && p->cone[c].size == 1) &&
        !((type == NSM_CONE_COULOMB || type == NSM_CONE_GRIP) && p->cone[c].size == 2))
      return 0;
  }
  return 1;
}

// X := A^{-1}, n x n with leading dimension N, Gauss-Jordan with row pivoting; 0 where a pivot is below 1e-14 of the
// largest entry.
static int invert(int n, double *A, double *X) {
  double largest = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) { X[i + j * N] = i == j; largest = fmax(largest, fabs(A[i + j * N])); }
  for (int p = 0; p < n; p++) {
    int r = p;
    for (int i = p + 1; i < n; i++) r = fabs(A[i + p * N]) > fabs(A[r + p * N]) ? i : r;
    if (!(fabs(A[r + p * N]) > 1e-14 * largest)) return 0;
    double pivot = 1 / A[r + p * N];
    for (int j = 0; j < n; j++) {
      double a = A[r + j * N], x = X[r + j * N];
      A[r + j * N] = A[p + j * N]; A[p + j * N] = a * pivot;
      X[r + j * N] = X[p + j * N]; X[p + j * N] = x * pivot;
    }
    for (int i = 0; i < n; i++) {
      double f = i == p ? 0 : A[i + p * N];
      if (f == 0) continue;
      for (int j = 0; j < n; j++) { A[i + j * N] -= f * A[p + j * N]; X[i + j * N] -= f * X[p + j * N]; }
    }
  }
  return 1;
}

// Walks over the rows and blocks of a problem: item k stands at row `first`, has `mode`; block NULL for intervals and
// DISKs.
typedef struct item { int k, first, size; unsigned mode; const nsm_cone_block *block; double lo, hi; } item;

ALWAYS_INLINE int next_item(const nsm_cone_problem *p, unsigned modes, int *c, item *it) {
  it->first += it->size;
  it->k++;
  if (it->first >= p->m) return 0;
  it->mode = modes >> 2 * it->k & 3;
  it->size = 1;
  it->block = NULL;
  if (*c < p->cones && p->cone[*c].first == it->first) {
    const nsm_cone_block *b = &p->cone[(*c)++];
    it->size = b->size;
    if (b->type == NSM_CONE_DISK) { it->lo = -b->radius; it->hi = b->radius; }
    else it->block = b;
  } else { it->lo = p->lo[it->first]; it->hi = p->hi[it->first]; }
  return 1;
}

static const item before_first = { -1, 0, 0, 0, NULL, 0, 0 };

// G of a set of modes; 0 where its matrix is singular.
static int compute_inverse(const nsm_cone_problem *p, unsigned modes, double *G) {
  int m = p->m, n = 0, row[N];
  double E[N * N] = { 0 }, A[N * N], X[N * N];    // E [m, n]
  item it = before_first;
  for (int c = 0; next_item(p, modes, &c, &it);) {
    int i = it.first;
    if (!it.block) {
      if (it.mode == BASIC) { E[i + n * N] = 1; row[n++] = i; }
    } else if (it.mode == STICK) {
      E[i + n * N] = 1; row[n++] = i;
      E[i + 1 + n * N] = 1; row[n++] = i + 1;
    } else if (it.mode != OPEN) {
      E[i + n * N] = 1;
      E[i + 1 + n * N] = it.mode == PLUS ? it.block->mu : -it.block->mu;
      row[n++] = i;
    }
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < m; k++) sum += p->M[row[i] + k * m] * E[k + j * N];
      A[i + j * N] = sum;
    }
  if (!invert(n, A, X)) return 0;
  memset(G, 0, (size_t)(m * m) * sizeof(double));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += E[i + k * N] * X[k + j * N];
      G[i + row[j] * m] = -sum;
    }
  return 1;
}

// The inverse of a set of modes: kept, or computed into the slot that is next in turn. NULL where it is singular.
static const double *inverse_of(const nsm_cone_problem *p, nsm_cone_work *w, unsigned modes) {
  int size = p->m * p->m, slots = NSM_MODES_ROOM / size;
  if (slots > NSM_MODES_SLOTS) slots = NSM_MODES_SLOTS;
  for (int k = 0; k < w->mode_count; k++)
    if (w->mode_set[k] == modes) { w->mode_slot = k; return w->room + k * size; }
  int k = w->mode_count < slots ? w->mode_count : w->mode_turn % slots;
  w->mode_turn = k + 1;
  if (!compute_inverse(p, modes, w->room + k * size)) {
    if (k < w->mode_count) w->mode_set[k] = NSM_MODES_NONE;
    return NULL;
  }
  if (w->mode_count <= k) w->mode_count = k + 1;
  w->mode_set[k] = modes;
  w->mode_slot = k;
  return w->room + k * size;
}

ALWAYS_INLINE void apply(const int m, const double *G, const double *x, double *out) {
#pragma GCC unroll 1
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) out[i] += G[i + j * m] * x[j];
}

// lambda of a set of modes, whose inverse is G, then the verifier.
ALWAYS_INLINE int fits(const int m, const nsm_cone_trial *a, unsigned modes, const double *G) {
  const nsm_cone_problem *p = a->p;
  double b[N], x[N] = { 0 };
  int any = 0;
  item it = before_first;
  if (modes)
    for (int at = 0; next_item(p, modes, &at, &it);)
      if (!it.block && it.mode != BASIC) any |= (x[it.first] = it.mode == LOW ? it.lo : it.hi) != 0;
  for (int i = 0; i < m; i++) b[i] = p->q[i];
  if (any) apply(m, p->M, x, b);
  apply(m, G, b, x);
  for (int i = 0; i < m; i++) a->lambda[i] = x[i];
  nsm_cone_check_answer(p, a->w, a->t, a->lambda, a->u, a->c);
  return a->c->accepted;
}

static int sized_fits(const nsm_cone_trial *a, unsigned modes, const double *G) {
  switch (a->p->m) {
    case 4:  return fits(4, a, modes, G);
    case 6:  return fits(6, a, modes, G);
    default: return fits(a->p->m, a, modes, G);
  }
}

// Round-off is in the way: lambda += G u, which restores R u = 0. Near the floor the verifier has summed u in twice the
// precision, so lambda becomes exact to its last digits even where q cancels. The best of two steps stays.
static void refine(const nsm_cone_trial *a, const double *G) {
  size_t bytes = (size_t)a->p->m * sizeof(double);
  for (int pass = 0; pass < 2 && a->c->residual > 0.01 * a->t->tolerance; pass++) {
    double x[N], v[N];
    nsm_cone_check d;
    for (int i = 0; i < a->p->m; i++) x[i] = a->lambda[i];
    apply(a->p->m, G, a->u, x);
    nsm_cone_check_answer(a->p, a->w, a->t, x, v, &d);
    if (!(d.residual < a->c->residual)) return;
    memcpy(a->lambda, x, bytes);
    memcpy(a->u, v, bytes);
    *a->c = d;
  }
}

int nsm_cone_modes_again(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda, double *u,
                         nsm_cone_check *c) {
  const nsm_cone_trial a = { p, w, t, lambda, u, c };
  if (w->modes_known == NSM_WITHOUT_INVERSE) inverse_of(p, w, w->mode_set[w->mode_slot]);
  w->modes_known = 1;
  const double *G = w->room + w->mode_slot * p->m * p->m;
  if (!sized_fits(&a, w->mode_set[w->mode_slot], G)) return 0;
  refine(&a, G);
  return 1;
}

static int set_fits(const nsm_cone_trial *a, unsigned modes, int *singular) {
  const double *G = inverse_of(a->p, a->w, modes);
  a->w->iterations++;
  *singular = G == NULL;
  if (!G) return 0;
  sized_fits(a, modes, G);
  if (a->c->residual < 1e-6) refine(a, G);
  return a->c->accepted;
}

// The modes that the natural map sees at (lambda, u).
static unsigned guess(const nsm_cone_problem *p, const double *lambda, const double *u) {
  unsigned modes = 0;
  item it = before_first;
  for (int c = 0; next_item(p, 0, &c, &it);) {
    int i = it.first, m = p->m;
    double d = p->M[i + i * m], x = lambda[i] - (d > 0 ? u[i] / d : u[i]);
    unsigned mode;
    if (!it.block) mode = x <= it.lo ? LOW : x >= it.hi ? HIGH : BASIC;
    else if (it.block->type == NSM_CONE_COULOMB && x <= 0) mode = OPEN;
    else {
      double e = p->M[i + 1 + (i + 1) * m], y = lambda[i + 1] - (e > 0 ? u[i + 1] / e : u[i + 1]);
      mode = fabs(y) <= it.block->mu * fabs(x) && it.block->mu > 0 ? STICK : (y < 0) == (x < 0) ? PLUS : MINUS;
    }
    modes |= mode << 2 * it.k;
  }
  return modes;
}

// Rows and blocks that violate the conditions of their mode take the one that they point to.
static unsigned change_modes(const nsm_cone_problem *p, unsigned modes, const double *lambda, const double *u) {
  unsigned next = 0;
  item it = before_first;
  for (int c = 0; next_item(p, modes, &c, &it);) {
    int i = it.first;
    unsigned mode = it.mode;
    if (!it.block) {
      if (mode == BASIC) mode = lambda[i] < it.lo ? LOW : lambda[i] > it.hi ? HIGH : BASIC;
      else if (it.lo < it.hi && (mode == HIGH ? u[i] > 0 : u[i] < 0)) mode = BASIC;
    } else {
      double N_ = lambda[i], T = lambda[i + 1], mu = it.block->mu;
      int grip = it.block->type == NSM_CONE_GRIP;
      if (mode == OPEN) mode = u[i] >= 0 ? OPEN : mu > 0 ? STICK : PLUS;
      else if (!grip && N_ < 0) mode = OPEN;
      else if (mode == STICK) { if (fabs(T) > mu * fabs(N_)) mode = (T < 0) == (N_ < 0) ? PLUS : MINUS; }
      else if (mu > 0 && T * u[i + 1] > 0) mode = STICK;
    }
    next |= mode << 2 * it.k;
  }
  return next;
}

int nsm_cone_modes_checked(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                          double *u, nsm_cone_check *c) {
  const nsm_cone_trial a = { p, w, t, lambda, u, c };
  unsigned met[TRIES], modes;
  int count = 0, singular;
  if (w->modes_known) modes = w->mode_set[w->mode_slot];
  else {
    double start[N] = { 0 };
    int finite = t->warm;
    for (int i = 0; i < p->m && finite; i++) finite = fabs(lambda[i]) < HUGE_VAL;
    if (finite) memcpy(start, lambda, (size_t)p->m * sizeof(double));
    else nsm_cone_start(p, start);
    nsm_cone_check_answer(p, w, t, start, u, c);
    modes = guess(p, start, u);
  }
  w->modes_known = 0;
  while (count < TRIES) {
    if (set_fits(&a, modes, &singular)) return w->modes_known = 1;
    met[count++] = modes;
    if (singular) return 0;
    modes = change_modes(p, modes, lambda, u);
    for (int k = 0; k < count; k++)
      if (met[k] == modes) return 0;
  }
  return 0;
}

nsm_cone_outcome nsm_cone_modes(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                double *u) {
  nsm_cone_check c;
  if (p->m < 1 || p->m > N || p->row_start || !nsm_cone_is_planar(p)) return NSM_CONE_GAVE_UP;
  return nsm_cone_modes_checked(p, w, t, lambda, u, &c) ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}
