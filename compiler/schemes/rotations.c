// Rotations of bodies in two-point forms (rotations.h).
#include <string.h>
#include "../base/map.h"
#include "rotations.h"

static int element(const System *s, const Slot *turn, SymKind kind, int number) {
  int attitude[4];
  attitude_of(s, turn, SYM_VALUE, attitude);
  Sym y = *symtab_at(s->sym, attitude[0]);
  y.kind = kind;
  y.idx[y.nidx - 1] = ex_num(s->pool, number);
  return symtab_id(s->sym, y);
}

Rotation rotation_of(const System *s, const Slot *turn) {
  Rotation b;
  attitude_of(s, turn, SYM_VALUE, b.p);
  attitude_of(s, turn, SYM_VALUE0, b.p0);
  for (int i = 0; i < 9; i++) {
    b.R[i] = element(s, turn, SYM_ROTATION, i + 1);
    b.R0[i] = element(s, turn, SYM_ROTATION0, i + 1);
    b.rate[i] = element(s, turn, SYM_ROTATION_RATE, i + 1);
    b.rate0[i] = element(s, turn, SYM_ROTATION_RATE0, i + 1);
  }
  for (int i = 0; i < 3; i++) {
    b.xi[i] = ex_sym(s->pool, turn_symbol(s, turn, i, SYM_VALUE_D));
    b.spin[i] = ex_sym(s->pool, turn_symbol(s, turn, i, SYM_RATE));
    b.spin0[i] = ex_sym(s->pool, turn_symbol(s, turn, i, SYM_RATE0));
    b.gain[i] = ex_sym(s->pool, turn_symbol(s, turn, i, SYM_RATE_D));
  }
  return b;
}

// ---- products of p, written by R ------------------------------------------------------------------------------------
// 4 p_i p_j = one + sum of sign*R[of], |p| = 1.
typedef struct Product { signed char one, sign[3], of[3]; } Product;
static const Product product[4][4] = {
  { { 1, { 1, 1, 1 }, { 0, 4, 8 } }, { 0, { 1, -1, 0 }, { 7, 5 } }, { 0, { 1, -1, 0 }, { 2, 6 } },
    { 0, { 1, -1, 0 }, { 3, 1 } } },
  { { 0 }, { 1, { 1, -1, -1 }, { 0, 4, 8 } }, { 0, { 1, 1, 0 }, { 1, 3 } }, { 0, { 1, 1, 0 }, { 2, 6 } } },
  { { 0 }, { 0 }, { 1, { -1, 1, -1 }, { 0, 4, 8 } }, { 0, { 1, 1, 0 }, { 5, 7 } } },
  { { 0 }, { 0 }, { 0 }, { 1, { -1, -1, 1 }, { 0, 4, 8 } } }
};

static Ex of_two(Pool *p, const Rotation *body, int i, int j) {
  const Product *x = &product[i < j ? i : j][i < j ? j : i];
  Ex sum = ex_num(p, 0.25 * x->one);
  for (int k = 0; k < 3; k++)
    if (x->sign[k]) sum = ex_add(p, sum, ex_mul(p, ex_num(p, 0.25 * x->sign[k]), ex_sym(p, body->R[(int)x->of[k]])));
  return sum;
}

typedef struct Factors { int n[4]; } Factors;               // how often each number of an attitude stands in a product

// Which number of the attitude the factor is, and how often; -1: none of it.
static int number_of(Pool *p, const Rotation *body, Ex e, int *times) {
  *times = 1;
  if (ex_operator(p, e) == OP_POW && ex_is_num(p, ex_arg(p, e, 1), 2)) {
    *times = 2;
    e = ex_arg(p, e, 0);
  }
  if (ex_operator(p, e) != OP_SYM) return -1;
  for (int k = 0; k < 4; k++) if (ex_symbol(p, e) == body->p[k]) return k;
  return -1;
}

static Ex paired(Pool *p, const Rotation *body, const Factors *f) {
  Ex e = ex_num(p, 1);
  for (int i = 0, first = -1; i < 4; i++)
    for (int k = 0; k < f->n[i]; k++) {
      if (first >= 0) e = ex_mul(p, e, of_two(p, body, first, i));
      first = first >= 0 ? -1 : i;
    }
  return e;
}

// A product, or a square: the factors of each body in pairs, where their number is even.
static Ex written_product(Arena *a, Pool *p, Ex e, const Rotation *body, int n) {
  int m = ex_operator(p, e) == OP_MUL ? ex_nargs(p, e) : 1, kept = 0;
  Ex *arg = ARENA_ARRAY(a, Ex, m + 1), pairs = ex_num(p, 1);
  bool *gone = ARENA_ARRAY(a, bool, m + 1);
  for (int i = 0; i < m; i++) {
    arg[i] = ex_operator(p, e) == OP_MUL ? ex_arg(p, e, i) : e;
    gone[i] = false;
  }
  for (int b = 0; b < n; b++) {
    Factors f = { { 0 } };
    int count = 0, times;
    for (int i = 0; i < m; i++) {
      int k = number_of(p, &body[b], arg[i], &times);
      if (k < 0) continue;
      f.n[k] += times;
      count += times;
    }
    if (count == 0 || count % 2) continue;
    for (int i = 0; i < m; i++) if (number_of(p, &body[b], arg[i], &times) >= 0) gone[i] = true;
    pairs = ex_mul(p, pairs, paired(p, &body[b], &f));
  }
  for (int i = 0; i < m; i++) if (!gone[i]) arg[kept++] = arg[i];
  return kept == m ? e : kept == 0 ? pairs : ex_mul(p, ex_op(p, OP_MUL, arg, kept), pairs);
}

Ex rotation_written(Arena *a, const System *s, Ex f, const Rotation *body, int n) {
  Pool *p = s->pool;
  const Ex *order;
  int nodes = ex_topological(p, &f, 1, &order);
  Map *now = map_new(a);
  for (int i = 0; i < nodes; i++) {
    Ex e = order[i], r = e;
    Op op = ex_operator(p, e);
    int m = ex_nargs(p, e);
    bool changed = false, square = op == OP_POW && ex_is_num(p, ex_arg(p, e, 1), 2);
    Ex *arg = ARENA_ARRAY(a, Ex, m + 1);
    for (int k = 0; k < m; k++) {
      Ex old = ex_arg(p, e, k);
      int times;
      arg[k] = (Ex)(uintptr_t)map_get(now, (void *)(uintptr_t)old);
      for (int b = 0; op == OP_MUL && b < n; b++)           // a square is taken with the other factors
        if (number_of(p, &body[b], old, &times) >= 0) arg[k] = old;
      changed |= arg[k] != old;
    }
    if (changed) r = ex_op(p, op, arg, m);
    if (op == OP_MUL || square) r = ex_operator(p, r) == OP_MUL || r == e ? written_product(a, p, r, body, n) : r;
    map_put(now, (void *)(uintptr_t)e, (void *)(uintptr_t)r);
  }
  return (Ex)(uintptr_t)map_get(now, (void *)(uintptr_t)f);
}

// ---- and back -------------------------------------------------------------------------------------------------------
// R(p) as expressions bring it (model/elab_body.c), homogeneous of second degree.
static void matrix_of(Pool *p, const int *attitude, Ex *R) {
  Ex q[4], square[4], two = ex_num(p, 2);
  for (int k = 0; k < 4; k++) {
    q[k] = ex_sym(p, attitude[k]);
    square[k] = ex_mul(p, q[k], q[k]);
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[4 * i] = ex_sub(p, ex_sub(p, ex_add(p, square[0], square[i + 1]), square[j + 1]), square[k + 1]);
    Ex even = ex_mul(p, q[i + 1], q[j + 1]), odd = ex_mul(p, q[0], q[k + 1]);
    R[3 * i + j] = ex_mul(p, two, ex_sub(p, even, odd));
    R[3 * j + i] = ex_mul(p, two, ex_add(p, even, odd));
  }
}

// A w^, row by row: columns A_j x w.
static void times_hat(Pool *p, const Ex *A, const Ex *w, Ex *out) {
  for (int row = 0; row < 3; row++)
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      out[3 * row + i] = ex_sub(p, ex_mul(p, A[3 * row + j], w[k]), ex_mul(p, A[3 * row + k], w[j]));
    }
}

void rotation_back(const System *s, const Rotation *body, int *from, Ex *to) {
  Pool *p = s->pool;
  memcpy(from, body->R, sizeof body->R);
  memcpy(from + 9, body->R0, sizeof body->R0);
  memcpy(from + 18, body->rate, sizeof body->rate);
  memcpy(from + 27, body->rate0, sizeof body->rate0);
  matrix_of(p, body->p, to);
  matrix_of(p, body->p0, to + 9);
  for (int i = 0; i < 18; i++) to[i] = ex_1(p, OP_SHARED, to[i]);
  times_hat(p, to, body->spin, to + 18);
  times_hat(p, to + 9, body->spin0, to + 27);
}

// ---- along the turn -------------------------------------------------------------------------------------------------
static Ex cross(Pool *p, const Ex *a, const Ex *b, int i) {
  int j = (i + 1) % 3, k = (i + 2) % 3;
  return ex_sub(p, ex_mul(p, a[j], b[k]), ex_mul(p, a[k], b[j]));
}

static Ex dot(Pool *p, const Ex *a, const Ex *b) {
  return ex_add(p, ex_add(p, ex_mul(p, a[0], b[0]), ex_mul(p, a[1], b[1])), ex_mul(p, a[2], b[2]));
}

// 1/(1 + |xi|^2/4)
static Ex c_square(Pool *p, const Rotation *body) {
  Ex quarter = ex_mul(p, ex_num(p, 0.25), dot(p, body->xi, body->xi));
  return ex_div(p, ex_num(p, 1), ex_add(p, ex_num(p, 1), quarter));
}

// z = R~^-1 by of a column of `by`, R~^-1 = (I - 1/2 xi^) R(p0)^T
static void to_body(Pool *p, const Rotation *body, const Ex *by, int column, Ex *z) {
  Ex y[3], x[3], half = ex_num(p, 0.5);
  for (int i = 0; i < 3; i++) {
    Ex of_R[3], along[3];
    for (int row = 0; row < 3; row++) {
      of_R[row] = ex_sym(p, body->R0[3 * row + i]);
      along[row] = ex_1(p, OP_SHARED, by[3 * row + column]);
    }
    y[i] = ex_1(p, OP_SHARED, dot(p, of_R, along));
  }
  for (int i = 0; i < 3; i++) x[i] = ex_1(p, OP_SHARED, ex_sub(p, y[i], ex_mul(p, half, cross(p, body->xi, y, i))));
  memcpy(z, x, sizeof x);
}

void rotation_by_spin(const System *s, const Rotation *body, const Ex *by, Ex *out) {
  Pool *p = s->pool;
  for (int i = 0; i < 3; i++) out[i] = ex_num(p, 0);
  for (int column = 0; column < 3; column++) {
    Ex z[3];
    to_body(p, body, by, column, z);
    int next = (column + 1) % 3, last = (column + 2) % 3;  // e_column x z
    out[next] = ex_sub(p, out[next], z[last]);
    out[last] = ex_add(p, out[last], z[next]);
  }
}

// R~^-1 R'~ e_column = w~ x e + 1/4 xi x ((w - w0) x e), w: the spin
static void velocity_in_body(Pool *p, const Rotation *body, int column, Ex *out) {
  Ex mean[3], change[3], e[3], turning[3];
  for (int i = 0; i < 3; i++) {
    e[i] = ex_num(p, i == column);
    mean[i] = ex_mul(p, ex_num(p, 0.5), ex_add(p, body->spin0[i], body->spin[i]));
    change[i] = ex_mul(p, ex_num(p, 0.25), body->gain[i]);
  }
  for (int i = 0; i < 3; i++) turning[i] = cross(p, change, e, i);
  for (int i = 0; i < 3; i++) out[i] = ex_add(p, cross(p, mean, e, i), cross(p, body->xi, turning, i));
}

void rotation_along(const System *s, const Rotation *body, const Ex *by_R, const Ex *by_rate, Ex *out) {
  Pool *p = s->pool;
  Ex v[3];
  rotation_by_spin(s, body, by_R, v);
  for (int column = 0; by_rate && column < 3; column++) {
    Ex x[3], z[3];
    to_body(p, body, by_rate, column, z);
    velocity_in_body(p, body, column, x);
    for (int i = 0; i < 3; i++) v[i] = ex_add(p, v[i], cross(p, x, z, i));
  }
  for (int i = 0; i < 3; i++) v[i] = ex_1(p, OP_SHARED, v[i]);
  Ex share = ex_op(p, OP_MUL, (Ex[]){ ex_num(p, 0.25), c_square(p, body), dot(p, body->xi, v) }, 3);
  for (int i = 0; i < 3; i++) out[i] = ex_sub(p, v[i], ex_mul(p, share, body->xi[i]));
}

// (I - 1/2 xi^) c^2 e_k
static void turn_of_end(Pool *p, const Rotation *body, const Ex *unit, Ex *eta) {
  Ex half = ex_num(p, 0.5), c2 = c_square(p, body);
  for (int i = 0; i < 3; i++)
    eta[i] = ex_mul(p, c2, ex_sub(p, unit[i], ex_mul(p, half, cross(p, body->xi, unit, i))));
}

RotationSlope rotation_slope(const System *s, const Rotation *body, int k) {
  Pool *p = s->pool;
  RotationSlope d;
  Ex R[9], unit[3], eta[3];
  for (int i = 0; i < 9; i++) R[i] = ex_sym(p, body->R[i]);
  for (int i = 0; i < 3; i++) unit[i] = ex_num(p, i == k);
  turn_of_end(p, body, unit, eta);
  times_hat(p, R, eta, d.R);
  times_hat(p, d.R, body->spin, d.rate);
  times_hat(p, R, unit, d.by_spin);
  return d;
}

void rotation_middle_slope(const System *s, const Rotation *body, int k, Ex *eta, Ex *by_R) {
  Pool *p = s->pool;
  Ex R[9], unit[3], half = ex_num(p, 0.5), c2 = c_square(p, body), c = ex_1(p, OP_SQRT, c2);
  Ex bend = ex_div(p, ex_mul(p, ex_num(p, 0.25), c2), ex_add(p, ex_num(p, 1), c));
  for (int i = 0; i < 9; i++) R[i] = ex_sym(p, body->R[i]);
  for (int i = 0; i < 3; i++) unit[i] = ex_num(p, i == k);
  for (int i = 0; i < 3; i++) {
    Ex along = ex_op(p, OP_MUL, (Ex[]){ half, c, body->xi[k], body->xi[i] }, 4);
    eta[i] = ex_sub(p, ex_mul(p, ex_mul(p, half, c), unit[i]),
                    ex_mul(p, bend, ex_add(p, cross(p, body->xi, unit, i), along)));
  }
  times_hat(p, R, eta, by_R);
}
