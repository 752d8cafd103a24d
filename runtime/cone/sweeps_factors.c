// Contacts in sweeps over problems in factors, M = C X + D, (d) of sweeps.c. Where X = W^-1 C^T with a diagonal W, as
// between spheres, one array A stands for both,
//
//   u_c = A_c v + q_c,   v += A_c^T (change of lambda_c),   A = C W^(-1/2),  v = W^(1/2) of the velocities        (f)
//
// in single precision: a sweep is as quick as memory is read. The answer is that of a matrix that differs by 6e-8 of
// its entries, below what sweeps of runs are asked for (1e-6 and more), and the verifier has C and X themselves.
#include "sweeps.h"
#include <math.h>
#include <string.h>

#define FACTORS_INLINE static inline __attribute__((always_inline))

static const double even = 1e-9,         // X and W^-1 C^T are the same to this part of the largest entry
    single = 5e-7;                       // what A is good for: below it, C and X

void nsm_factors_rates(const nsm_sweeps *s, int c, const double *x, double *u) {
  const nsm_cone_factors *f = s->f;
  const int *z = f->z + f->start[c], first = f->first[c], entries = f->start[c + 1] - f->start[c];
  const double *C = f->c + f->at[c], *scale = s->g.scale + first;
  for (int r = 0; r < s->g.node[c].size; r++, C += entries) {
    double sum = 0;
    for (int j = 0; j < entries; j++) sum += C[j] * s->root[z[j]] * s->v[z[j]];
    u[r] = s->g.q[first + r] + scale[r] * sum;
    if (f->d) u[r] += scale[r] * scale[r] * f->d[first + r] * x[first + r];
  }
}

void nsm_factors_push(const nsm_sweeps *s, int c, const double *change) {
  const nsm_cone_factors *f = s->f;
  const int *z = f->z + f->start[c], first = f->first[c], entries = f->start[c + 1] - f->start[c];
  const double *X = f->x + f->at[c];
  for (int r = 0; r < s->g.node[c].size; r++, X += entries) {
    double by = s->g.scale[first + r] * change[r];
    for (int j = 0; by != 0 && j < entries; j++) s->v[z[j]] += X[j] * s->inverse[z[j]] * by;
  }
}

// ---- plain contacts -------------------------------------------------------------------------------------------------
// Two rows at a time; unaligned.
typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

FACTORS_INLINE two pair_of(const float *a) { return (two){ a[0], a[1] }; }

// sum += A v of one body, each row in two sums.
FACTORS_INLINE void rates_of(const float *a, const int row, const double *v, two sum[3]) {
#pragma GCC unroll 3
  for (int j = 0; j < 6; j += 2) {
    two by = *(const two *)(v + j);
    sum[0] += pair_of(a + j) * by;
    sum[1] += pair_of(a + row + j) * by;
    sum[2] += pair_of(a + 2 * row + j) * by;
  }
}

FACTORS_INLINE void push_of(const float *a, const int row, const double *change, double *v) {
#pragma GCC unroll 3
  for (int j = 0; j < 6; j += 2)
    *(two *)(v + j) += pair_of(a + j) * change[0] + pair_of(a + row + j) * change[1] +
                       pair_of(a + 2 * row + j) * change[2];
}

FACTORS_INLINE void push_plain(const nsm_plain *k, const int bodies, const double *change, double *v) {
  push_of(k->a, 6 * bodies, change, v + k->at[0]);
  if (bodies == 2) push_of(k->a + 6, 12, change, v + k->at[1]);
}

FACTORS_INLINE void turn(const nsm_plain *k, const int bodies, const double *q, double *at, double *v) {
  two sum[3] = { { q[0], 0 }, { q[1], 0 }, { q[2], 0 } };
  rates_of(k->a, 6 * bodies, v + k->at[0], sum);
  if (bodies == 2) rates_of(k->a + 6, 12, v + k->at[1], sum);
  double N = k->normal * at[0] - (sum[0][0] + sum[0][1]), by = k->by_tangent,
         a = at[1] - (sum[1][0] + sum[1][1]) * by, b = at[2] - (sum[2][0] + sum[2][1]) * by, t = a * a + b * b;
  N = N > 0 ? N * k->by_normal : 0;
  if (t > k->mu * k->mu * N * N) {
    t = k->mu * N / sqrt(t);
    a *= t;
    b *= t;
  }
  double change[3] = { N - at[0], a - at[1], b - at[2] };
  at[0] = N;
  at[1] = a;
  at[2] = b;
  if (change[0] != 0 || change[1] != 0 || change[2] != 0) push_plain(k, bodies, change, v);
}

int nsm_factors_turn(const nsm_sweeps *s, int c, int by, int most, double *x) {
  const nsm_plain *k = s->contact + c;
  const double *q = s->g.q + s->f->first[c];
  double *at = x + s->f->first[c];
  int n = 0;
  for (; n < most && k->bodies > 0; n++, k += by, q += 3 * by, at += 3 * by)
    if (k->bodies > 1) turn(k, 2, q, at, s->v);
    else               turn(k, 1, q, at, s->v);
  return n;
}

// As project_one of sweeps.c, by what stands in the contact's own lines of memory.
FACTORS_INLINE void project_plain(const nsm_plain *k, double *at) {
  double t = at[1] * at[1] + at[2] * at[2];
  at[0] = at[0] > 0 ? at[0] : 0;
  if (t <= k->mu * k->mu * at[0] * at[0]) return;
  t = k->mu * at[0] / sqrt(t);
  at[1] *= t;
  at[2] *= t;
}

void nsm_factors_clear(nsm_sweeps *s, int slab) {
  const nsm_cone_factors *f = s->f;
  int from = s->slabs > 1 ? f->owned[slab] : 0, to = s->slabs > 1 ? f->owned[slab + 1] : f->n;
  memset(s->v + from, 0, (size_t)(to - from) * sizeof *s->v);
}

int nsm_factors_motion(const nsm_sweeps *s, int c, int most, double *x) {
  const nsm_plain *k = s->contact + c;
  double *at = x + s->f->first[c];
  int n = 0;
  for (; n < most && k->bodies > 0; n++, k++, at += 3) {
    if (s->moves) project_plain(k, at);
    if (k->bodies > 1) push_plain(k, 2, at, s->v);
    else               push_plain(k, 1, at, s->v);
  }
  return n;
}

// ---- made -----------------------------------------------------------------------------------------------------------
// W^(-1/2) and W^(1/2) by the largest entry of C in each column.
static void roots(nsm_sweeps *s) {
  const nsm_cone_factors *f = s->f;
  double *most = s->v;
  memset(most, 0, (size_t)f->n * sizeof *most);
  for (int z = 0; z < f->n; z++) s->root[z] = 1;
  for (int c = 0; c < f->nodes; c++) {
    const int *z = f->z + f->start[c], e = f->start[c + 1] - f->start[c];
    const double *C = f->c + f->at[c], *X = f->x + f->at[c];
    for (int r = f->first[c]; r < f->first[c + 1]; r++, C += e, X += e)
      for (int j = 0; j < e; j++) {
        if (!(fabs(C[j]) > most[z[j]])) continue;
        most[z[j]] = fabs(C[j]);
        s->root[z[j]] = X[j] / C[j];
      }
  }
  for (int z = 0; z < f->n; z++) {
    s->root[z] = s->root[z] > 0 ? sqrt(s->root[z]) : 1;
    s->inverse[z] = 1 / s->root[z];
  }
}

// Rows of six unknowns for each body, one behind the other; and X = W^-1 C^T.
static int fits(const nsm_sweeps *s, int c) {
  const nsm_cone_factors *f = s->f;
  const int *z = f->z + f->start[c], e = f->start[c + 1] - f->start[c];
  const double *C = f->c + f->at[c], *X = f->x + f->at[c];
  if (e != 6 && e != 12) return 0;
  for (int j = 0; j < e; j++) if (z[j] != z[j / 6 * 6] + j % 6) return 0;
  double most = 0, off = 0;
  for (int i = 0; i < 3 * e; i++) {
    double w = s->root[z[i % e]] * s->root[z[i % e]] * C[i];
    most = fmax(most, fabs(X[i]));
    off = fmax(off, fabs(X[i] - w));
  }
  return off <= even * most;
}

static int make(const nsm_sweeps *s, int c, nsm_plain *k) {
  const nsm_cone_factors *f = s->f;
  const nsm_node *n = s->g.node + c;
  const double *M = s->g.value + s->g.at[s->g.diagonal[c]], *scale = s->g.scale + n->first, *C = f->c + f->at[c];
  const int *z = f->z + f->start[c], e = f->start[c + 1] - f->start[c];
  if (!s->plain[c] || n->size != 3 || f->d || !(M[0] > 0 && M[4] > 0) || !fits(s, c)) return 0;
  if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) return 0;
  *k = (nsm_plain){ .at = { z[0], z[e - 6] }, .bodies = (float)(e / 6), .mu = n->mu, .normal = M[0],
                    .by_normal = 1 / M[0], .by_tangent = 1 / M[4] };
  for (int i = 0; i < 3 * e; i++) k->a[i] = (float)(C[i] * s->root[z[i % e]]);
  return 1;
}

int nsm_factors_open(nsm_sweeps *s) {
  const nsm_cone_factors *f = s->f;
  s->v = nsm_cone_take_doubles(s->w, (size_t)f->n);
  s->root = nsm_cone_take_doubles(s->w, (size_t)f->n);
  s->inverse = nsm_cone_take_doubles(s->w, (size_t)f->n);
  s->contact = nsm_cone_take(s->w, (size_t)f->nodes * sizeof *s->contact);
  if (!s->v || !s->root || !s->inverse || !s->contact) return 0;
  roots(s);
  for (int c = 0; c < f->nodes; c++)
    if (s->t->asked < single || !make(s, c, &s->contact[c])) s->contact[c].bodies = 0;
  return 1;
}
