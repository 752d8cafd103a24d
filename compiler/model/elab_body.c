// A body is elaborated as an instance whose model is written here: a scope with the names that a body brings, its
// coordinates, energies and initial values.
//
//   in space  r[3], the attitude q[4] (a unit quaternion, scalar first) and its turn, whose velocity is the spin in
//             body axes; R(q) is written homogeneously of second degree (docs/numerics/bodies.md, section 1)
//   planar    r[2] and angle: coordinates like any other
//   fixed, driven: the same names, constants or functions of time
//
// A shape with a density, or with a mass, gives mass, centre of mass and inertia; the origin of the body's axes is then
// its centre of mass. A shape without them, or beside an inertia of its own, stands as it is written.
#include <math.h>
#include <string.h>

#include "../../runtime/shapes/mass.h"
#include "../base/suggest.h"
#include "elab_body.h"

// --- expressions, with numbers folded ---

static MExpr *number(Elab *e, double x, Span at) { return mx_num(e->a, x, at); }

static MExpr *times(Elab *e, MExpr *a, MExpr *b) { return mx_times(e->a, a, b); }
static MExpr *plus(Elab *e, MExpr *a, MExpr *b) { return mx_plus(e->a, a, b); }
static MExpr *minus(Elab *e, MExpr *a, MExpr *b) { return mx_minus(e->a, a, b); }

static MExpr *rate_of(Elab *e, MExpr *x) {
  if (!(x->uses & (MU_VAR | MU_TIME))) return number(e, 0, x->span);
  if (x->kind == MX_VAR) return mx_var(e->a, &e->var.at[x->id], x->id, x->arg, x->nargs, true, x->span);
  return mx_rate(e->a, x, x->span);
}

static Unit unit_of(const Elab *e, const char *text) { return e->has_units ? unit_named(text) : UNIT_ANY; }

// --- diagnostics ---

static bool wrong_entry(Elab *e, Span at, const char *what, const char *help) {
  Diag *d = diag(e->bag, DIAG_E0240, at, "%s", what);
  diag_help(d, "%s", help);
  return false;
}

static const char *const entries[] = { "mass", "inertia", "position", "attitude", "velocity", "spin",
                                       "shape", "density", "material" };
static const char *const flags[] = { "fixed", "driven" };
enum { ENTRIES = sizeof entries / sizeof *entries };

static bool one_of(const char *name, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) if (!strcmp(name, names[i])) return true;
  return false;
}

static const Ast *entry(const Symbol *y, const char *name) {
  const Ast *x = named_arg(y->decl->list2, intern(y->env.e->in, name));
  return x ? x->a : NULL;
}

static bool flag(const Symbol *y, const char *name) {
  for (int i = 0; i < y->decl->list2.n; i++) {
    const Ast *x = y->decl->list2.at[i];
    if (x->kind == AST_NAME && !strcmp(x->name, name)) return true;
  }
  return false;
}

static bool entries_ok(const Symbol *y) {
  Elab *e = y->env.e;
  bool ok = true;
  for (int i = 0; i < y->decl->list2.n; i++) {
    const Ast *x = y->decl->list2.at[i];
    bool word = x->kind == AST_NAME && one_of(x->name, flags, 2);
    bool known = word || (x->kind == AST_ARG && one_of(x->name, entries, ENTRIES));
    if (known && x->kind == AST_ARG && named_arg(y->decl->list2, x->name) != x) {
      Diag *d = diag(e->bag, DIAG_E0240, x->span, "the entry `%s` of this body is given twice", x->name);
      diag_also(d, named_arg(y->decl->list2, x->name)->span, "first given here");
      diag_help(d, "keep one of them");
      ok = false;
    }
    if (known) continue;
    Diag *d = diag(e->bag, DIAG_E0240, x->span, "a body has no entry `%s`", x->name ? x->name : ast_text(e, x));
    const char *near = x->name ? suggest(x->name, entries, ENTRIES) : NULL;
    const char *meant = x->name ? body_entry_meant(x->name) : NULL;
    if (meant) diag_help(d, "%s", meant);
    else if (near) diag_help(d, "did you mean `%s`?", near);
    else
      diag_help(d, "its entries are mass, inertia, shape, density, material, position, attitude, velocity, spin, and "
                   "the words fixed, driven");
    ok = false;
  }
  return ok;
}

static bool is_moving(const Symbol *y, const Body *b, const Value *v, const char *what) {
  unsigned more = extra_uses(v, MU_PARAM | MU_LOOP | (b->driven ? MU_TIME : 0u));
  if (!more) return false;
  Diag *d = diag(y->env.e->bag, DIAG_E0243, v->span, "the %s of a body is %s", what,
                 b->driven ? "a function of time alone" : "where it is at the start, a constant");
  diag_label(d, more & MU_VAR ? "depends on the motion" : "depends on the time");
  if (more & MU_VAR)
    diag_help(d, "where another body is at the start is initial(...); what holds a body to another one is a "
                 "constraint");
  else diag_help(d, "for a body that is moved in a given way add the word `driven` to its entries");
  return true;
}

// --- numbers at the start, for checks ---

static bool uses_loop(const MExpr *x, int loop) {
  if (x->kind == MX_LOOP && x->id == loop) return true;
  for (int i = 0; i < x->nargs; i++) if (uses_loop(x->arg[i], loop)) return true;
  return false;
}

// Of the first members of families.
static bool number_of(const Env *env, const MExpr *x, double *out) {
  double loop[MAX_LOOPS] = { 0 };
  for (int k = 0; k < env->ctx.n && k < MAX_LOOPS; k++)
    if (!try_eval(env->e, env->ctx.loop[k].lo, false, loop, k, &loop[k])) return false;
  return mx_constant(x) && try_eval(env->e, x, false, loop, env->ctx.n, out);
}

// The numbers of each member of the families around, as far as they are known when compiling: v [n], and " of member
// [3]", or "". False: the member is wrong, and was reported; no other one is looked at.
typedef bool (*OnMember)(const Env *env, const double *v, const char *member, Span at, void *ctx);
enum { MOST_CHECKED = 4096, MOST_NUMBERS = 9 };
typedef struct Visit {
  const Env *env; MExpr *const *x; int n, depth, left; OnMember see; void *ctx; Span at; double loop[MAX_LOOPS];
} Visit;

static bool visit(Visit *s, int k) {
  Elab *e = s->env->e;
  double lo, hi, v[MOST_NUMBERS];
  if (k == s->depth) {
    const char *member = "";
    for (int i = 0; i < s->n; i++)
      if (!mx_constant(s->x[i]) || !try_eval(e, s->x[i], false, s->loop, k, &v[i])) return true;
    for (int i = 0; i < k; i++)
      member = arena_printf(e->a, "%s%s%g%s", member, i ? ", " : " of member [", s->loop[i], i + 1 == k ? "]" : "");
    return s->see(s->env, v, member, s->at, s->ctx);
  }
  const MLoop *l = &s->env->ctx.loop[k];
  if (!try_eval(e, l->lo, false, s->loop, k, &lo) || !try_eval(e, l->hi, false, s->loop, k, &hi)) return true;
  for (double i = lo; i <= hi && s->left-- > 0; i++) {
    s->loop[k] = i;
    if (!visit(s, k + 1)) return false;
  }
  return true;
}

static bool every_member(const Env *env, MExpr *const *x, int n, OnMember see, Span at, void *ctx) {
  Visit s = { .env = env, .x = x, .n = n, .left = MOST_CHECKED, .see = see, .ctx = ctx, .at = at };
  for (int i = 0; i < n; i++)
    for (int k = s.depth; k < env->ctx.n && k < MAX_LOOPS; k++) if (uses_loop(x[i], k)) s.depth = k + 1;
  return visit(&s, 0);
}

// ctx: what of a body it is
static bool positive(const Env *env, const double *v, const char *member, Span at, void *ctx) {
  if (*v > 0) return true;
  Diag *d = diag(env->e->bag, DIAG_E0241, at, "the %s of a body is positive", (const char *)ctx);
  diag_label(d, "this is %g%s", *v, member);
  diag_help(d, "a body that never moves has the word `fixed` in place of a %s", (const char *)ctx);
  return false;
}

// --- mass and inertia ---

// Of a shape: density times volume.
static bool density_of(const Env *env, const Symbol *y, Body *b) {
  Elab *e = env->e;
  const Ast *x = entry(y, "density"), *mass = entry(y, "mass");
  if (mass) {
    Diag *d = diag(e->bag, DIAG_E0240, x->span, "a body with a mass has no density as well");
    diag_also(d, mass->span, "the mass");
    diag_help(d, "keep one of them: with a shape the other one follows");
    return false;
  }
  if (b->shapes.n == 0)
    return wrong_entry(e, x->span, "a density is of a shape, and this body has none",
                       "add shape = sphere(0.1 [m]), or give mass and inertia");
  const char *unit = b->planar ? "kg/m^2" : "kg/m^3";
  MExpr *density = coefficient(env, x, e->has_units ? unit_named(unit) : UNIT_ANY, "a density");
  if (!density) return false;
  if (!every_member(env, &density, 1, positive, x->span, "density")) return false;
  b->mass = times(e, density, b->shapes.volume);
  return true;
}

static bool mass_of(const Env *env, const Symbol *y, Body *b) {
  const Ast *x = entry(y, "mass");
  if (entry(y, "density")) return density_of(env, y, b);
  if (!x)
    return wrong_entry(env->e, y->span, "this body has no mass",
                       b->shapes.n ? "add mass = 1 [kg], or density = 1000 [kg/m^3] of its shape, or the word `fixed`"
                                   : "add mass = 1 [kg], or the word `fixed` if it never moves");
  b->mass = coefficient(env, x, env->e->has_units ? unit_named("kg") : UNIT_ANY, "a mass");
  return b->mass && every_member(env, &b->mass, 1, positive, x->span, "mass");
}

static bool no_inertia(const Env *env, Span at, const char *member, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0241, at, "%s", what);
  if (*member) diag_label(d, "%s", member + 1);
  diag_note(d, "A, B, C are integrals of y^2 + z^2, z^2 + x^2, x^2 + y^2 over the mass, so A + B >= C");
  diag_help(d, "%s", help);
  return false;
}

static bool planar_inertia(const Env *env, const double *J, const char *member, Span at, void *ctx) {
  (void)ctx;
  if (J[0] > 0) return true;
  Diag *d = diag(env->e->bag, DIAG_E0241, at, "the moment of inertia of a body is positive");
  diag_label(d, "this is %g%s", J[0], member);
  diag_help(d, "of a disk m*R^2/2, of a rod m*l^2/12");
  return false;
}

static bool spatial_inertia(const Env *env, const double *J, const char *member, Span at, void *ctx) {
  double w[3], axes[9];                                     // w: descending
  (void)ctx;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < i; k++)
      if (fabs(J[3 * i + k] - J[3 * k + i]) > 1e-9 * (fabs(J[3 * i + k]) + fabs(J[3 * k + i])))
        return no_inertia(env, at, member, "this matrix of inertia is not symmetric",
                          "J[i, k] = J[k, i] = -(integral of x_i x_k) for i other than k");
  nsm_principal(J, w, axes);
  Arena *a = env->e->a;
  if (!(w[2] > 0))
    return no_inertia(env, at, member, arena_printf(a, "a principal moment of inertia is %.6g, not positive", w[2]),
                      "a rod has some width: give it the small moment about its axis too");
  if (w[2] + w[1] < w[0] * (1 - 1e-9))
    return no_inertia(env, at, member,
                      arena_printf(a, "no body has these moments of inertia: %.6g + %.6g < %.6g", w[2], w[1], w[0]),
                      "the largest one is at most the sum of the others; about the centre of mass, in body axes");
  return true;
}

static bool check_inertia_numbers(const Env *env, const Body *b, Span at) {
  return every_member(env, b->J, b->planar ? 1 : 9, b->planar ? planar_inertia : spatial_inertia, at, NULL);
}

static bool inertia_of(const Env *env, const Symbol *y, Body *b) {
  Elab *e = env->e;
  const Ast *x = entry(y, "inertia");
  if (!x && b->shapes.n) {              // that of the shape, with this mass
    const Ast *shape = entry(y, "shape");
    for (int i = 0; i < 9; i++) b->J[i] = times(e, b->mass, b->shapes.inertia[b->planar ? 8 : i]);
    return check_inertia_numbers(env, b, shape->span);
  }
  if (!x)
    return wrong_entry(e, y->span, "this body has no inertia",
                       b->planar ? "add inertia = 0.1 [kg*m^2], about its centre of mass"
                                 : "add inertia = [A, B, C], the principal moments about its centre of mass");
  Value v = elab_expr(env, x);
  if (v.bad || !unit_check(env, v, e->has_units ? unit_named("kg*m^2") : UNIT_ANY, "an inertia")) return false;
  if (extra_uses(&v, MU_PARAM | MU_LOOP)) {
    not_constant(env, &v, "an inertia", "a part that moves within the body is a body of its own");
    return false;
  }
  bool vector = v.ndim == 1 && v.dim[0] == 3, matrix = v.ndim == 2 && v.dim[0] == 3 && v.dim[1] == 3;
  if (b->planar ? v.ndim != 0 : !vector && !matrix)
    return wrong_entry(e, v.span, arena_printf(e->a, "the inertia of this body is %s", shape_text(e, &v)),
                       b->planar ? "in the plane (position has two numbers) it is one number"
                                 : "three principal moments [A, B, C], or a 3 x 3 matrix");
  for (int i = 0; i < 9; i++) b->J[i] = number(e, 0, v.span);
  if (b->planar) b->J[0] = v.at[0];
  for (int i = 0; i < 3 && vector; i++) b->J[4 * i] = v.at[i];
  for (int i = 0; i < 9 && matrix; i++) b->J[i] = v.at[i];
  return check_inertia_numbers(env, b, v.span);
}

// --- placement ---

static bool vector_entry(const Env *env, const Symbol *y, const Body *b, const char *name, const char *unit, int n,
                         MExpr **out) {
  Elab *e = env->e;
  const Ast *x = entry(y, name);
  for (int i = 0; i < n; i++) out[i] = number(e, 0, y->span);
  if (!x) return true;
  Value v = elab_expr(env, x);
  if (v.bad || !unit_check(env, v, e->has_units ? unit_named(unit) : UNIT_ANY, name)) return false;
  bool fits = n == 1 ? v.ndim == 0 : v.ndim == 1 && v.dim[0] == n;
  if (!fits)
    return wrong_entry(e, v.span, arena_printf(e->a, "the %s of this body is %s", name, shape_text(e, &v)),
                       n == 1 ? "in the plane it is one number" : n == 2 ? "in the plane it has two numbers"
                                                                         : "in space it has three numbers");
  if (is_moving(y, b, &v, name)) return false;
  for (int i = 0; i < n; i++) out[i] = v.at[i];
  return true;
}

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
      if (fabs(s - (i == k)) > 1e-6)
        return no_rotation_of(env, at, member,
                              arena_printf(env->e->a, "columns %d and %d of this matrix have the product %.6g, not %d",
                                           i + 1, k + 1, s, i == k),
                              "the columns of a rotation are unit vectors at right angles");
    }
  double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
               R[2] * (R[3] * R[7] - R[4] * R[6]);
  return det > 0 || no_rotation_of(env, at, member, "this matrix is a reflection: its determinant is -1",
                                   "turn one column round");
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
  if (is_moving(y, b, &axis, "attitude") || is_moving(y, b, &angle, "attitude")) return false;
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

static bool attitude_of(const Env *env, const Symbol *y, Body *b, MExpr **q) {
  Elab *e = env->e;
  const Ast *x = entry(y, "attitude");
  if (b->planar) return vector_entry(env, y, b, "attitude", "rad", 1, q);
  for (int k = 0; k < 4; k++) q[k] = number(e, k == 0, y->span);
  if (!x) return true;
  if (is_rotations(e, x)) return rotations(env, y, b, x, q);
  Value v = elab_expr(env, x);
  if (v.bad || is_moving(y, b, &v, "attitude")) return false;
  if (v.ndim == 1 && v.dim[0] == 4) return quaternion(env, &v, q);
  bool varies = false;
  for (int i = 0; i < value_count(&v); i++) varies |= (v.at[i]->uses & MU_LOOP) != 0;
  if (v.ndim == 2 && v.dim[0] == 3 && v.dim[1] == 3)
    return varies ? from_matrix_of_family(env, &v, q) : from_matrix(env, &v, q);
  return no_rotation(env, v.span,
                     arena_printf(e->a, "an attitude in space is a rotation, and this is %s", shape_text(e, &v)),
                     "rotation(axis, angle), or a quaternion [q0, q1, q2, q3] of length 1, scalar first");
}

// --- shapes ---

static ShapeTerm *shape_term(const Env *env, const Ast *x);

static Value length_value(const Env *env, const Ast *x, const char *what) {
  Value v = elab_expr(env, x);
  if (v.bad || unit_check(env, v, env->e->has_units ? unit_named("m") : UNIT_ANY, what)) return v;
  return bad_value(env, x->span);
}

// The corners of each member of the family, whose indices stand in loop.
enum { MOST_MEMBERS = 4096 };
typedef struct Members { const Env *env; const Value *v; ShapeTerm *t; double loop[MAX_LOOPS]; bool bad; } Members;

static void each_member(Members *m, int k) {
  ShapeTerm *t = m->t;
  int n = value_count(m->v);
  double lo, hi;
  if (k == t->depth) {
    if (t->nmember >= MOST_MEMBERS) { m->bad = true; return; }
    memcpy(t->member + t->nmember * t->depth, m->loop, (size_t)t->depth * sizeof(double));
    for (int i = 0; i < n; i++)
      m->bad |= !try_eval(m->env->e, m->v->at[i], true, m->loop, k, &t->point[t->nmember * n + i]);
    t->nmember++;
    return;
  }
  const MLoop *l = &m->env->ctx.loop[k];
  m->bad |= !try_eval(m->env->e, l->lo, true, m->loop, k, &lo) || !try_eval(m->env->e, l->hi, true, m->loop, k, &hi);
  for (double i = lo; !m->bad && i <= hi; i++) {
    m->loop[k] = i;
    each_member(m, k + 1);
  }
}

static bool member_corners(const Env *env, const Value *v, ShapeTerm *t) {
  Elab *e = env->e;
  int n = value_count(v);
  for (int i = 0; i < n; i++)
    for (int k = t->depth; k < env->ctx.n; k++) if (uses_loop(v->at[i], k)) t->depth = k + 1;
  if (t->depth == 0) {
    t->nmember = 1;
    t->point = ARENA_ARRAY(e->a, double, n + 1);
    for (int i = 0; i < n; i++) if (!fixed_number(env, v->at[i], "a corner of a shape", &t->point[i])) return false;
    return true;
  }
  if (extra_uses(v, MU_PARAM | MU_LOOP)) {
    not_constant(env, v, "a corner of a shape", "use numbers, parameters and indices of the family");
    return false;
  }
  t->point = ARENA_ARRAY(e->a, double, MOST_MEMBERS * n + 1);
  t->member = ARENA_ARRAY(e->a, double, MOST_MEMBERS * t->depth + 1);
  Members m = { .env = env, .v = v, .t = t };
  each_member(&m, 0);
  if (!m.bad) return true;
  Diag *d = diag(e->bag, DIAG_E0601, v->span, t->nmember >= MOST_MEMBERS
                     ? "corners that differ are written out for 4096 members at most"
                     : "the corners of the members are not known when the model is compiled");
  diag_help(d, t->nmember >= MOST_MEMBERS ? "families with less members, or the same corners for all"
                                          : "give the parameters in them and in the bounds of the family a default");
  return false;
}

// convex([...]), polygon([...]): numbers when compiling.
static bool corners(const Env *env, const Ast *x, ShapeTerm *t) {
  Value v = length_value(env, x, "a corner of a shape");
  if (v.bad) return false;
  int dim = !strcmp(t->name, "polygon") ? 2 : 3;
  if (v.ndim != 2 || v.dim[1] != dim) {
    Diag *d = diag(env->e->bag, DIAG_E0248, v.span, "corners are a list of vectors of %d", dim);
    diag_label(d, "this is %s", shape_text(env->e, &v));
    diag_help(d, dim == 2 ? "polygon([[0, 0], [1, 0], [0, 1]])"
                          : "convex([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), or convex(\"file.obj\")");
    return false;
  }
  t->dim = dim;
  t->npoint = v.dim[0];
  return member_corners(env, &v, t);
}

static bool argument(const Env *env, const Ast *x, ShapeTerm *t) {
  bool polyhedron = !strcmp(t->name, "convex") || !strcmp(t->name, "polygon");
  if (x->kind == AST_STRING && polyhedron) t->path = x->name;
  if (polyhedron) return t->path || corners(env, x, t);
  Value v = t->value[t->nvalue] = length_value(env, x, "a size of a shape");
  for (int k = 0; k < 3; k++) {
    double *n = &t->number[t->nvalue][k];
    *n = NAN;
    if (!v.bad && k < value_count(&v) && mx_constant(v.at[k]) && !number_of(env, v.at[k], n)) *n = NAN;
  }
  t->nvalue++;
  return !v.bad;
}

// at(place), at(place, rotation)
static ShapeTerm *placed_term(const Env *env, const Ast *x) {
  Elab *e = env->e;
  ShapeTerm *t = shape_term(env, x->a);
  if (!t) return NULL;
  if (t->placed || x->list.n < 1 || x->list.n > 2) {
    Diag *d = diag(e->bag, DIAG_E0248, x->span, t->placed ? "this shape has two places" : "at(...) takes a place, or "
                                                                                        "a place and a rotation");
    diag_help(d, "sphere(1) at([0, 0, 1]);  box([1, 2, 3]) at([0, 0, 0], rotation([0, 0, 1], 30 [deg]))");
    return NULL;
  }
  t->placed = true;
  t->at = length_value(env, x->list.at[0], "the place of a shape");
  if (x->list.n > 1) t->turn = elab_expr(env, x->list.at[1]);
  const Value *each[] = { &t->at, &t->turn };
  for (int i = 0; i < 2; i++) {
    if (each[i]->bad) return NULL;
    if (!each[i]->at || !extra_uses(each[i], MU_PARAM | MU_LOOP)) continue;
    not_constant(env, each[i], "where a shape stands in its body", "a part that moves within the body is a body");
    return NULL;
  }
  return t;
}

static ShapeTerm *shape_term(const Env *env, const Ast *x) {
  Elab *e = env->e;
  int most = 0, n = x->kind == AST_CALL ? x->list.n : 0;
  if (x->kind == AST_PAREN) return shape_term(env, x->a);
  if (x->kind == AST_AT) return placed_term(env, x);
  bool form = (x->kind == AST_CALL && !x->a) || x->kind == AST_NAME;
  int least = form ? shape_arguments(x->name, &most) : -1;
  if (least < 0 || n < least || n > most) {
    shape_unknown(e, x);
    return NULL;
  }
  ShapeTerm *t = ARENA_NEW(e->a, ShapeTerm);
  *t = (ShapeTerm){ .name = x->name, .span = x->span };
  bool several = !strcmp(x->name, "union"), ok = true;
  t->part = ARENA_ARRAY(e->a, ShapeTerm *, n + 1);
  for (int i = 0; i < n; i++) {
    if (!several) ok = argument(env, x->list.at[i], t) && ok;
    else if ((t->part[t->nparts] = shape_term(env, x->list.at[i]))) t->nparts++;
    else ok = false;
  }
  return ok ? t : NULL;
}

// The entries shape and material; where a mass follows, the origin moves to the centre of mass.
static bool shape_of(const Env *env, const Symbol *y, Body *b) {
  Elab *e = env->e;
  const Ast *x = entry(y, "shape"), *material = entry(y, "material");
  if (!x) {
    if (material) (void)wrong_entry(e, material->span, "a material is of a shape, and this body has none",
                                    "add shape = sphere(0.1 [m])");
    return !material;
  }
  b->shapes.planar = b->planar;
  const ShapeTerm *t = shape_term(env, x);
  if (!t || !shapes_of(e, t, &b->shapes)) return false;
  bool moves = !b->fixed && !b->driven, weighs = entry(y, "mass") || entry(y, "density");
  if (b->shapes.endless && (moves || weighs)) {
    Diag *d = diag(e->bag, DIAG_E0248, x->span, "a half-%s has no end, so a body with this shape %s",
                   b->planar ? "plane" : "space", moves ? "cannot move" : "has no mass");
    diag_help(d, moves ? "add the word `fixed`, or `driven`" : "leave mass and density out");
    return false;
  }
  if (weighs && !entry(y, "inertia")) shapes_moved(e, &b->shapes, b->shapes.centre);
  else for (int i = 0; i < 3; i++) b->shapes.centre[i] = number(e, 0, x->span);
  return true;
}

static int material_of(const Symbol *y) {
  Elab *e = y->env.e;
  const Ast *x = entry(y, "material");
  if (!x) return -1;
  for (size_t i = 0; i < e->material.n; i++)
    if (x->kind == AST_NAME && e->material.at[i] == x->name) return (int)i;
  Diag *d = diag(e->bag, DIAG_E0201, x->span, "unknown material `%s`", ast_text(e, x));
  diag_label(d, "not declared");
  if (x->kind == AST_NAME) diag_help(d, "material %s;", x->name);
  else diag_help(d, "a material is declared by its name: material steel;");
  return -1;
}

// --- variables ---

static int new_variable(const Symbol *y, Scope *s, MVarKind kind, const char *name, int n, Unit unit) {
  Elab *e = s->e;
  MVar v = { .kind = kind, .ndim = s->ctx.n + (n > 0), .unit = unit, .span = y->span };
  v.name = arena_printf(e->a, "%s%s", prefixed(e, s->path, name), index_marks(e, n > 0));
  v.plain = prefixed(e, s->plain, name);
  family_bounds(&v, &s->ctx);
  if (n > 0) {
    v.lo[s->ctx.n] = number(e, 1, y->span);
    v.hi[s->ctx.n] = number(e, n, y->span);
  }
  vec_push(&e->var, v);
  return (int)e->var.n - 1;
}

// Element k (from 0; -1: it has none) of variable id in scope s, or its rate.
static MExpr *element(const Scope *s, int id, int k, bool rate, Span at) {
  Elab *e = s->e;
  MExpr *index[MAX_INDICES];
  int n = 0;
  for (; n < s->ctx.n; n++) index[n] = mx_loop(e->a, n, at);
  if (k >= 0) index[n++] = number(e, k + 1, at);
  return mx_var(e->a, &e->var.at[id], id, index, n, rate, at);
}

static void bring(Scope *s, const Symbol *y, const char *name, int rows, int cols, Unit unit, MExpr *const *at) {
  Elab *e = s->e;
  int n = rows * (cols ? cols : 1);
  Symbol *z = ARENA_NEW(e->a, Symbol);
  *z = (Symbol){ .kind = SY_VAR, .progress = DONE, .name = intern(e->in, name), .span = y->span, .decl = y->decl,
                 .env = env_of(s), .id = -1, .used = true };
  z->value = (Value){ .unit = unit, .ndim = rows ? cols ? 2 : 1 : 0, .dim = { rows, cols }, .span = y->span,
                      .at = ARENA_ARRAY(e->a, MExpr *, (n ? n : 1)) };
  for (int i = 0; i < (n ? n : 1); i++) z->value.at[i] = at[i];
  z->unit = unit;
  map_put(s->names, z->name, z);
}

// R(q), homogeneous of second degree in q.
static void rotation_matrix(Elab *e, MExpr *const *q, MExpr **R) {
  MExpr *s[4], *two = number(e, 2, q[0]->span);
  for (int k = 0; k < 4; k++) s[k] = times(e, q[k], q[k]);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[4 * i] = minus(e, minus(e, plus(e, s[0], s[i + 1]), s[j + 1]), s[k + 1]);
    MExpr *sym = times(e, q[i + 1], q[j + 1]), *skew = times(e, q[0], q[k + 1]);
    R[3 * i + j] = times(e, two, minus(e, sym, skew));
    R[3 * j + i] = times(e, two, plus(e, sym, skew));
  }
}

// The spin of q(t), in body axes: the vector of 2 conj(q) o q'.
static void spin_of_motion(Elab *e, MExpr *const *q, MExpr **spin) {
  MExpr *d[4], *two = number(e, 2, q[0]->span);
  for (int k = 0; k < 4; k++) d[k] = rate_of(e, q[k]);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3 + 1, k = (i + 2) % 3 + 1;
    MExpr *x = minus(e, times(e, q[0], d[i + 1]), times(e, q[i + 1], d[0]));
    x = plus(e, x, minus(e, times(e, q[k], d[j]), times(e, q[j], d[k])));
    spin[i] = times(e, two, x);
  }
}

MExpr *attitude_derivative(Elab *e, const MExpr *q) {
  const MVar *v = &e->var.at[q->id];
  int n = q->nargs, turn = v->partner - 1, number_ = (int)q->arg[n - 1]->num - 1;
  MExpr *index[MAX_INDICES], *p[4], *w[3], *half = number(e, 0.5, q->span), *x;
  for (int k = 0; k < n; k++) index[k] = q->arg[k];
  for (int k = 0; k < 4; k++) {
    index[n - 1] = number(e, k + 1, q->span);
    p[k] = mx_var(e->a, v, q->id, index, n, false, q->span);
    if (k < 3) w[k] = mx_var(e->a, &e->var.at[turn], turn, index, n, true, q->span);
  }
  if (number_ == 0)
    x = minus(e, minus(e, times(e, mx_neg(e->a, p[1], q->span), w[0]), times(e, p[2], w[1])), times(e, p[3], w[2]));
  else {
    int i = number_ - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    x = plus(e, times(e, p[0], w[i]), minus(e, times(e, p[j + 1], w[k]), times(e, p[k + 1], w[j])));
  }
  return times(e, half, x);
}

// --- the names that a body brings ---

static void bring_planar(const Symbol *y, Scope *s, Body *b) {
  Elab *e = s->e;
  MExpr *angle = b->start_q[0], *rate, *R[4];
  if (!b->fixed && !b->driven) {
    b->angle = new_variable(y, s, MV_COORD, "angle", 0, unit_of(e, "rad"));
    angle = element(s, b->angle, -1, false, y->span);
  }
  rate = rate_of(e, angle);
  R[0] = R[3] = mx_1(e->a, MOP_COS, angle, y->span);
  R[2] = mx_1(e->a, MOP_SIN, angle, y->span);
  R[1] = mx_neg(e->a, R[2], y->span);
  bring(s, y, "angle", 0, 0, unit_of(e, "rad"), &angle);
  bring(s, y, "spin", 0, 0, unit_of(e, "rad/s"), &rate);
  bring(s, y, "omega", 0, 0, unit_of(e, "rad/s"), &rate);
  b->omega[0] = rate;
  bring(s, y, "R", 2, 2, unit_of(e, "1"), R);
}

static void bring_spatial(const Symbol *y, Scope *s, Body *b) {
  Elab *e = s->e;
  MExpr *q[4], *R[9], *spin[3], *omega[3];
  for (int k = 0; k < 4; k++) q[k] = b->start_q[k];
  if (!b->fixed && !b->driven) {
    b->turn = new_variable(y, s, MV_COORD, "turn", 3, unit_of(e, "rad"));
    b->attitude = new_variable(y, s, MV_POSITION, "q", 4, unit_of(e, "1"));
    e->var.at[b->turn].rate_name = arena_printf(e->a, "%s[%%]", prefixed(e, s->path, "spin"));
    e->var.at[b->turn].plain = prefixed(e, s->plain, "spin");
    e->var.at[b->turn].partner = b->attitude + 1;
    e->var.at[b->attitude].partner = b->turn + 1;
    for (int k = 0; k < 4; k++) q[k] = element(s, b->attitude, k, false, y->span);
    for (int i = 0; i < 3; i++) spin[i] = element(s, b->turn, i, true, y->span);
  } else spin_of_motion(e, q, spin);
  rotation_matrix(e, q, R);
  for (int i = 0; i < 3; i++) {
    omega[i] = number(e, 0, y->span);
    for (int k = 0; k < 3; k++) omega[i] = plus(e, omega[i], times(e, R[3 * i + k], spin[k]));
  }
  bring(s, y, "q", 4, 0, unit_of(e, "1"), q);
  bring(s, y, "R", 3, 3, unit_of(e, "1"), R);
  bring(s, y, "spin", 3, 0, unit_of(e, "rad/s"), spin);
  bring(s, y, "omega", 3, 0, unit_of(e, "rad/s"), omega);
  memcpy(b->omega, omega, sizeof omega);
}

static bool mentions(const Ast *x, const char *name) {
  if (!x) return false;
  bool any = (x->kind == AST_NAME && x->name == name) || mentions(x->a, name) || mentions(x->b, name) ||
             mentions(x->c, name);
  for (int i = 0; i < x->list.n && !any; i++) any = mentions(x->list.at[i], name);
  return any;
}

// A place that is made of the body's own mass, inertia and centre: these come first, and the body is planar where its
// shape is. position = stone.centre puts the corners of a stone where they are written.
static bool own_names(const Env *env, const Symbol *y, Scope *s, Body *b) {
  Elab *e = env->e;
  b->planar = entry(y, "shape") && shape_is_planar(entry(y, "shape"));
  if (!shape_of(env, y, b)) return false;
  bool moves = !b->fixed && !b->driven;
  if (moves && (!mass_of(env, y, b) || !inertia_of(env, y, b))) return false;
  if (b->shapes.n) bring(s, y, "centre", b->planar ? 2 : 3, 0, unit_of(e, "m"), b->shapes.centre);
  if (b->mass) bring(s, y, "mass", 0, 0, unit_of(e, "kg"), &b->mass);
  if (b->mass) bring(s, y, "inertia", b->planar ? 0 : 3, b->planar ? 0 : 3, unit_of(e, "kg*m^2"), b->J);
  s->placing = true;
  return true;
}

static bool other_dimension(const Env *env, const Value *v, bool planar) {
  return wrong_entry(env->e, v->span, arena_printf(env->e->a, "the position of this body is %s", shape_text(env->e, v)),
                     planar ? "its shape is of the plane: two numbers" : "its shape is in space: three numbers");
}

static bool read_body(const Env *env, const Symbol *y, Scope *s, Body *b) {
  const Ast *position = entry(y, "position"), *attitude = entry(y, "attitude");
  b->fixed = flag(y, "fixed");
  b->driven = flag(y, "driven");
  if (b->fixed && b->driven)
    return wrong_entry(env->e, y->span, "a body is fixed or driven, not both", "leave one of the words out");
  bool own = mentions(position, y->name) || mentions(attitude, y->name);
  if (own && !own_names(env, y, s, b)) return false;
  if (position) {
    Value v = elab_expr(env, position);
    if (v.bad) return false;
    if (own && v.ndim == 1 && b->planar != (v.dim[0] == 2)) return other_dimension(env, &v, b->planar);
    b->planar = v.ndim == 1 && v.dim[0] == 2;
  } else if (entry(y, "shape")) b->planar = shape_is_planar(entry(y, "shape"));
  int n = b->planar ? 2 : 3;
  bool ok = vector_entry(env, y, b, "position", "m", n, b->start);
  ok = attitude_of(env, y, b, b->start_q) && ok;
  ok = (own || shape_of(env, y, b)) && ok;
  static const char *const moving[] = { "mass", "inertia", "velocity", "spin" };
  if (b->fixed || b->driven) {
    for (int i = 2; i < 4; i++)
      if (entry(y, moving[i])) {
        Diag *d = diag(env->e->bag, DIAG_E0243, entry(y, moving[i])->span, "a %s body has no `%s` of its own",
                       b->fixed ? "fixed" : "driven", moving[i]);
        diag_help(d, b->fixed ? "leave `fixed` out for a body that moves"
                              : "its velocities follow from position and attitude as functions of time");
        ok = false;
      }
    return ok;
  }
  ok = vector_entry(env, y, b, "velocity", "m/s", n, b->start_v) && ok;
  ok = vector_entry(env, y, b, "spin", "rad/s", b->planar ? 1 : 3, b->start_spin) && ok;
  return ok && (own || (mass_of(env, y, b) && inertia_of(env, y, b)));
}

static void place(const Scope *s, int id, bool velocity, MExpr *const *value, int n) {
  Placed p = { .id = id, .nloop = s->ctx.n, .n = n, .velocity = velocity, .value = ARENA_ARRAY(s->e->a, MExpr *, n) };
  for (int k = 0; k < n; k++) p.value[k] = value[k];
  vec_push(&s->e->placed, p);
}

// What contacts know of the body: its shapes, where it is.
static void push_solid(const Symbol *y, const Scope *s, Body *b) {
  Elab *e = s->e;
  MExpr *zero = number(e, 0, y->span), *one = number(e, 1, y->span);
  const char *path = s->path, *plain = s->plain;
  MSolid m = { .ctx = s->ctx, .name = arena_strndup(e->a, path, strlen(path) - 1), .planar = b->planar,
               .plain = arena_strndup(e->a, plain, strlen(plain) - 1), .span = y->span,
               .motion = b->fixed ? MB_FIXED : b->driven ? MB_DRIVEN : b->planar ? MB_PLANAR : MB_SPATIAL,
               .place = b->place, .attitude = b->attitude, .turn = b->turn, .angle = b->angle,
               .shape = b->shapes.at, .nshape = b->shapes.n, .material = material_of(y) };
  for (int i = 0; i < 12; i++) m.pose[i] = i > 2 && i % 4 == 3 ? one : zero;
  for (int i = 0; i < 6; i++) m.rates[i] = zero;
  for (int i = 0; i < (b->planar ? 2 : 3); i++) {
    m.pose[i] = b->start[i];
    m.rates[i] = b->v[i];
  }
  if (b->planar) {
    m.pose[3] = m.pose[7] = mx_1(e->a, MOP_COS, b->start_q[0], y->span);
    m.pose[6] = mx_1(e->a, MOP_SIN, b->start_q[0], y->span);
    m.pose[4] = mx_neg(e->a, m.pose[6], y->span);
    m.rates[5] = b->omega[0];
  } else {
    rotation_matrix(e, b->start_q, m.pose + 3);
    for (int i = 0; i < 3; i++) m.rates[3 + i] = b->omega[i];
  }
  b->solid = (int)e->solid.n;
  vec_push(&e->solid, m);
}

bool body_force(Symbol *y) {
  Elab *e = y->env.e;
  Env args = y->env;
  Body *b = ARENA_NEW(e->a, Body);
  *b = (Body){ .turn = -1, .attitude = -1, .place = -1, .angle = -1, .solid = -1 };
  if (!entries_ok(y) || !instance_loops(y, &args)) return false;
  Scope *s = instance_scope(y, NULL, args);
  bool read = read_body(&args, y, s, b);
  s->placing = false;
  if (!read) return false;
  s->body = b;
  int n = b->planar ? 2 : 3;
  if (!b->fixed && !b->driven) b->place = new_variable(y, s, MV_COORD, "r", n, unit_of(e, "m"));
  for (int i = 0; i < n; i++) {
    b->r[i] = b->place < 0 ? b->start[i] : element(s, b->place, i, false, y->span);
    b->v[i] = rate_of(e, b->r[i]);
  }
  bring(s, y, "r", n, 0, unit_of(e, "m"), b->r);
  if (b->planar) bring_planar(y, s, b);
  else bring_spatial(y, s, b);
  if (b->place >= 0) {
    place(s, b->place, false, b->start, n);
    place(s, b->place, true, b->start_v, n);
    place(s, b->planar ? b->angle : b->attitude, false, b->start_q, b->planar ? 1 : 4);
    place(s, b->planar ? b->angle : b->turn, true, b->start_spin, b->planar ? 1 : 3);
  }
  if (b->mass) bring(s, y, "mass", 0, 0, unit_of(e, "kg"), &b->mass);
  if (b->mass) bring(s, y, "inertia", b->planar ? 0 : 3, b->planar ? 0 : 3, unit_of(e, "kg*m^2"), b->J);
  if (b->shapes.n) {
    bring(s, y, "centre", n, 0, unit_of(e, "m"), b->shapes.centre);
    push_solid(y, s, b);
  }
  return true;
}

// --- energies and initial values ---

static void energy(const Symbol *y, const Scope *s, MEnergyKind kind, MExpr *value) {
  if (mx_is_num(value, 0)) return;
  MEnergy m = { .ctx = s->ctx, .kind = kind, .value = value, .span = y->span };
  m.value->span = y->span;
  vec_push(&s->e->energy, m);
}

static void start(const Symbol *y, const Scope *s, int id, int k, bool velocity, MExpr *value) {
  MInit i = { .ctx = s->ctx, .on = element(s, id, k, false, y->span), .velocity = velocity, .value = value,
              .span = y->span };
  vec_push(&s->e->init, i);
}

// -m g.r of the gravity that is declared nearest around the body.
static void weight(const Symbol *y, const Scope *s, const Body *b) {
  Elab *e = s->e;
  Scope *at = y->env.scope;
  while (at && !at->gravity) at = at->parent;
  if (!at) return;
  Env env = env_of(at);
  Value g = elab_expr(&env, at->gravity->a);
  if (g.bad || !unit_check(&env, g, unit_of(e, "m/s^2"), "gravity")) return;
  int n = b->planar ? 2 : 3;
  if (g.ndim != 1 || g.dim[0] != n) {
    wrong_entry(e, at->gravity->span, arena_printf(e->a, "gravity is %s, and the body `%s` is %s", shape_text(e, &g),
                                                   y->name, b->planar ? "planar" : "in space"),
                b->planar ? "gravity [0, -9.81] [m/s^2];" : "gravity [0, 0, -9.81] [m/s^2];");
    return;
  }
  if (extra_uses(&g, MU_PARAM | MU_LOOP | MU_TIME)) {
    not_constant(&env, &g, "gravity", "a force that depends on the motion is written as `force`");
    return;
  }
  MExpr *height = number(e, 0, y->span);
  for (int i = 0; i < n; i++) height = plus(e, height, times(e, g.at[i], b->r[i]));
  if (!mx_is_num(height, 0)) energy(y, s, ME_POTENTIAL, mx_neg(e->a, times(e, b->mass, height), y->span));
}

void body_items(Symbol *y) {
  if (!symbol_force(y)) return;
  Scope *s = y->child;
  const Body *b = s->body;
  Elab *e = s->e;
  if (b->fixed || b->driven) return;
  int n = b->planar ? 2 : 3;
  MExpr *half = number(e, 0.5, y->span), *square = number(e, 0, y->span), *turning = square, *w[3];
  for (int i = 0; i < n; i++) square = plus(e, square, times(e, b->v[i], b->v[i]));
  energy(y, s, ME_KINETIC, times(e, half, times(e, b->mass, square)));
  int m = b->planar ? 1 : 3;
  for (int i = 0; i < m; i++)
    w[i] = b->planar ? element(s, b->angle, -1, true, y->span) : element(s, b->turn, i, true, y->span);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++) turning = plus(e, turning, times(e, b->J[m * i + k], times(e, w[i], w[k])));
  energy(y, s, ME_KINETIC, times(e, half, turning));
  weight(y, s, b);
  for (int i = 0; i < n; i++) {
    start(y, s, b->place, i, false, b->start[i]);
    start(y, s, b->place, i, true, b->start_v[i]);
  }
  if (b->planar) {
    start(y, s, b->angle, -1, false, b->start_q[0]);
    start(y, s, b->angle, -1, true, b->start_spin[0]);
    return;
  }
  for (int k = 0; k < 4; k++) start(y, s, b->attitude, k, false, b->start_q[k]);
  for (int i = 0; i < 3; i++) start(y, s, b->turn, i, true, b->start_spin[i]);
  const char *path = s->path;
  MBody body = { .ctx = s->ctx, .name = arena_strndup(e->a, path, strlen(path) - 1), .attitude = b->attitude,
                 .turn = b->turn, .place = b->place, .span = y->span };
  vec_push(&e->body, body);
}
