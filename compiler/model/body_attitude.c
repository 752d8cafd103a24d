// The attitude of a body: rotations about axes and their products, a quaternion, a matrix, in the plane an angle.
#include <math.h>
#include <string.h>

#include "body_parts.h"

static bool no_rotation_of(const Env *env, Span at, const char *member, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0242, at, "%s", what);
  if (*member) diag_label(d, "%s", member + 1);
  diag_help(d, "%s", help);
  return false;
}

static bool no_rotation(const Env *env, Span at, const char *what, const char *help) {
  return no_rotation_of(env, at, "", what, help);
}

static bool some_axis(const Env *env, const double *square, const char *member, Span at, void *ctx) {
  (void)ctx;
  return *square > 0 || no_rotation_of(env, at, member, "the axis of this rotation is the zero vector",
                                       "rotation([0, 0, 1], 30 [deg])");
}

static bool unit_length(const Env *env, const double *square, const char *member, Span at, void *ctx) {
  (void)ctx;
  return fabs(sqrt(*square) - 1) <= 1e-6 ||
         no_rotation_of(env, at, member,
                        arena_printf(env->e->a, "this quaternion has length %.8g, not 1", sqrt(*square)),
                        *square > 0 ? "divide it by its length; or write rotation(axis, angle)"
                                    : "no rotation is [1, 0, 0, 0]");
}

// Columns at right angles, of length 1, not mirrored.
static bool proper(const Env *env, const double *R, const char *member, Span at, void *ctx) {
  (void)ctx;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double s = 0;
      for (int n = 0; n < 3; n++) s += R[3 * n + i] * R[3 * n + k];
      if (fabs(s - (i == k)) <= 1e-6) continue;
      Arena *a = env->e->a;
      const char *what =
          i == k ? arena_printf(a, "column %d of this matrix has length %.8g, not 1", i + 1, sqrt(s))
                 : arena_printf(a, "columns %d and %d of this matrix have the product %.6g, not 0", i + 1, k + 1, s);
      return no_rotation_of(env, at, member, what, "the columns of a rotation are unit vectors at right angles");
    }
  double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
               R[2] * (R[3] * R[7] - R[4] * R[6]);
  return det > 0 || no_rotation_of(env, at, member, "this matrix is a reflection: its determinant is -1",
                                   "turn one column round");
}

// Of a matrix that turns a shape in its body, in space or in the plane; numbers and vectors are checked elsewhere.
bool is_rotation_matrix(const Env *env, const Value *v) {
  MExpr *R[9];
  if (v->ndim != 2 || v->dim[0] != v->dim[1] || v->dim[0] < 2 || v->dim[0] > 3) return true;
  for (int i = 0; i < 9; i++) {
    bool within = i / 3 < v->dim[0] && i % 3 < v->dim[0];
    R[i] = within ? v->at[i / 3 * v->dim[0] + i % 3] : number(env->e, i == 8, v->span);
  }
  return every_member(env, R, 9, proper, v->span, NULL);
}

// rotation(axis, angle): (cos(angle/2), sin(angle/2) axis/|axis|)
static bool axis_and_angle(const Env *env, const Symbol *y, const Body *b, const Ast *x, MExpr **q) {
  Elab *e = env->e;
  if (x->list.n != 2)
    return no_rotation(env, x->span, "a rotation has an axis and an angle", "rotation([0, 0, 1], 30 [deg])");
  Value axis = elab_expr(env, x->list.at[0]), angle = elab_scalar(env, x->list.at[1]);
  if (axis.bad || angle.bad || !unit_check(env, angle, e->has_units ? unit_named("rad") : UNIT_ANY, "an angle"))
    return false;
  if (axis.ndim != 1 || axis.dim[0] != 3)
    return no_rotation(env, axis.span, "the axis of a rotation is a vector of 3", "rotation([0, 0, 1], 30 [deg])");
  if (body_entry_moves(y, b, &axis, "attitude") || body_entry_moves(y, b, &angle, "attitude")) return false;
  MExpr *square = number(e, 0, axis.span), *half = times(e, number(e, 0.5, angle.span), angle.at[0]);
  for (int i = 0; i < 3; i++) square = plus(e, square, times(e, axis.at[i], axis.at[i]));
  if (!every_member(env, &square, 1, some_axis, axis.span, NULL)) return false;
  note_angle(env, &angle);
  MExpr *sine = mx_2(e->a, MOP_DIV, mx_1(e->a, MOP_SIN, half, x->span), mx_1(e->a, MOP_SQRT, square, x->span), x->span);
  q[0] = mx_1(e->a, MOP_COS, half, x->span);
  for (int i = 0; i < 3; i++) q[i + 1] = times(e, sine, axis.at[i]);
  return true;
}

// Four numbers: a quaternion of length 1, up to what rounding by hand leaves, which is taken off.
static bool quaternion(const Env *env, const Value *v, MExpr **q) {
  Elab *e = env->e;
  MExpr *square = number(e, 0, v->span);
  for (int i = 0; i < 4; i++) square = plus(e, square, times(e, v->at[i], v->at[i]));
  if (!every_member(env, &square, 1, unit_length, v->span, NULL)) return false;
  MExpr *length = mx_1(e->a, MOP_SQRT, square, v->span);
  for (int i = 0; i < 4; i++) q[i] = mx_2(e->a, MOP_DIV, v->at[i], length, v->span);
  return true;
}

// A 3 x 3 matrix: its numbers are needed when compiling. [Shepperd 1978]
static bool from_matrix(const Env *env, const Value *v, MExpr **q) {
  double R[9], p[4];
  for (int i = 0; i < 9; i++) if (!fixed_number(env, v->at[i], "a number of an attitude", &R[i])) return false;
  if (!proper(env, R, "", v->span, NULL)) return false;
  double four[4] = { 1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8] };
  int best = 0;
  for (int k = 1; k < 4; k++) if (four[k] > four[best]) best = k;
  double a = R[7] - R[5], b = R[2] - R[6], c = R[3] - R[1], f = R[3] + R[1], g = R[2] + R[6], h = R[7] + R[5];
  const double rows[4][4] = { { four[0], a, b, c }, { a, four[1], f, g }, { b, f, four[2], h }, { c, g, h, four[3] } };
  double length = 0;
  for (int k = 0; k < 4; k++) length += rows[best][k] * rows[best][k];
  for (int k = 0; k < 4; k++) p[k] = rows[best][k] / sqrt(length);
  for (int k = 0; k < 4; k++) q[k] = number(env->e, p[k], v->span);
  return true;
}

// A 3 x 3 matrix over parameters and indices: the quaternion from its largest number, as above.
static bool from_matrix_of_family(const Env *env, const Value *v, MExpr **q) {
  Elab *e = env->e;
  MExpr *const *R = v->at, *one = number(e, 1, v->span), *four[4], *rows[4][4];
  if (!every_member(env, R, 9, proper, v->span, NULL)) return false;
  for (int k = 0; k < 4; k++) {
    four[k] = one;
    for (int i = 0; i < 3; i++) four[k] = (k == 0 || k == i + 1 ? plus : minus)(e, four[k], R[4 * i]);
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    rows[0][i + 1] = rows[i + 1][0] = minus(e, R[3 * k + j], R[3 * j + k]);
    rows[j + 1][k + 1] = rows[k + 1][j + 1] = plus(e, R[3 * j + k], R[3 * k + j]);
    rows[i + 1][i + 1] = four[i + 1];
  }
  rows[0][0] = four[0];
  MExpr *larger[4][4];                                     // four[i] >= four[k]
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) larger[i][k] = mx_2(e->a, MOP_GE, four[i], four[k], v->span);
  MExpr *left = mx_2(e->a, MOP_GE, plus(e, four[0], four[1]), plus(e, four[2], four[3]), v->span), *length = NULL;
  for (int k = 0; k < 4; k++) {
    MExpr *low = mx_op(e->a, MOP_IF, (MExpr *[]){ larger[0][1], rows[0][k], rows[1][k] }, 3, v->span),
          *high = mx_op(e->a, MOP_IF, (MExpr *[]){ larger[2][3], rows[2][k], rows[3][k] }, 3, v->span);
    q[k] = mx_op(e->a, MOP_IF, (MExpr *[]){ left, low, high }, 3, v->span);
    length = length ? plus(e, length, times(e, q[k], q[k])) : times(e, q[k], q[k]);
  }
  length = mx_1(e->a, MOP_SQRT, length, v->span);
  for (int k = 0; k < 4; k++) q[k] = mx_2(e->a, MOP_DIV, q[k], length, v->span);
  return true;
}

// rotation(...), and products of such: their quaternions are multiplied, so that they may depend on time.
static bool is_rotations(const Elab *e, const Ast *x) {
  if (x->kind == AST_PAREN) return is_rotations(e, x->a);
  if (x->kind == AST_BINARY && x->op == AO_MUL) return is_rotations(e, x->a) && is_rotations(e, x->b);
  return x->kind == AST_CALL && !x->a && !strcmp(x->name, "rotation") && !map_get(e->functions, x->name);
}

static bool rotations(const Env *env, const Symbol *y, const Body *b, const Ast *x, MExpr **q) {
  Elab *e = env->e;
  MExpr *l[4], *r[4];
  if (x->kind == AST_PAREN) return rotations(env, y, b, x->a, q);
  if (x->kind != AST_BINARY) return axis_and_angle(env, y, b, x, q);
  if (!rotations(env, y, b, x->a, l) || !rotations(env, y, b, x->b, r)) return false;
  q[0] = times(e, l[0], r[0]);
  for (int i = 1; i < 4; i++) {
    int j = i % 3 + 1, k = j % 3 + 1;
    q[0] = minus(e, q[0], times(e, l[i], r[i]));
    q[i] = plus(e, plus(e, times(e, l[0], r[i]), times(e, l[i], r[0])),
                minus(e, times(e, l[j], r[k]), times(e, l[k], r[j])));
  }
  return true;
}

bool body_attitude(const Env *env, const Symbol *y, Body *b, MExpr **q) {
  Elab *e = env->e;
  const Ast *x = body_entry(y, "attitude");
  if (b->planar) return body_vector(env, y, b, "attitude", "rad", 1, q);
  for (int k = 0; k < 4; k++) q[k] = number(e, k == 0, y->span);
  if (!x) return true;
  if (is_rotations(e, x)) return rotations(env, y, b, x, q);
  Value v = elab_expr(env, x);
  if (v.bad || body_entry_moves(y, b, &v, "attitude")) return false;
  if (v.ndim == 1 && v.dim[0] == 4) return quaternion(env, &v, q);
  bool varies = false;
  for (int i = 0; i < value_count(&v); i++) varies |= (v.at[i]->uses & MU_LOOP) != 0;
  if (v.ndim == 2 && v.dim[0] == 3 && v.dim[1] == 3)
    return varies ? from_matrix_of_family(env, &v, q) : from_matrix(env, &v, q);
  return no_rotation(env, v.span,
                     arena_printf(e->a, "an attitude in space is a rotation, and this is %s", shape_text(e, &v)),
                     "rotation(axis, angle), or a quaternion [q0, q1, q2, q3] of length 1, scalar first");
}
