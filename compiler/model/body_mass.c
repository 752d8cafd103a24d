// Mass and inertia of a body: given, or those of its shapes, with what no solid can have.
#include <math.h>

#include "../../runtime/shapes/mass.h"
#include "body_parts.h"

// ctx: what of a body it is
static bool positive(const Env *env, const double *v, const char *member, Span at, void *ctx) {
  if (*v > 0) return true;
  Diag *d = diag(env->e->bag, DIAG_E0241, at, "the %s of a body is positive", (const char *)ctx);
  diag_label(d, "this is %g%s", *v, member);
  diag_help(d, "a body that never moves has the word `fixed` in place of a %s", (const char *)ctx);
  return false;
}

// Of a shape: density times volume.
static bool density_of(const Env *env, const Symbol *y, Body *b) {
  Elab *e = env->e;
  const Ast *x = body_entry(y, "density"), *mass = body_entry(y, "mass");
  if (mass) {
    Diag *d = diag(e->bag, DIAG_E0240, x->span, "a body with a mass has no density as well");
    diag_also(d, mass->span, "the mass");
    diag_help(d, "keep one of them: with a shape the other one follows");
    return false;
  }
  if (b->shapes.n == 0)
    return wrong_body_entry(e, x->span, "a density is of a shape, and this body has none",
                       "add shape = sphere(0.1 [m]), or give mass and inertia");
  const char *unit = b->planar ? "kg/m^2" : "kg/m^3";
  MExpr *density = coefficient(env, x, e->has_units ? unit_named(unit) : UNIT_ANY, "a density");
  if (!density) return false;
  if (!every_member(env, &density, 1, positive, x->span, "density")) return false;
  b->mass = times(e, density, b->shapes.volume);
  return true;
}

bool body_mass(const Env *env, const Symbol *y, Body *b) {
  const Ast *x = body_entry(y, "mass");
  if (body_entry(y, "density")) return density_of(env, y, b);
  if (!x)
    return wrong_body_entry(env->e, y->span, "this body has no mass",
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

// ctx: NULL where the inertia is given, else the shape that it is of
static bool spatial_inertia(const Env *env, const double *J, const char *member, Span at, void *ctx) {
  double w[3], axes[9];                                     // w: descending
  for (int i = 0; i < 9; i++) {
    bool lost = ctx && i % 4 == 0 && J[i] == 0;
    if (isfinite(J[i]) && !lost) continue;
    const char *value = isnan(J[i]) ? "no number" : lost ? "0" : "infinite";
    return no_inertia(env, at, member,
                      arena_printf(env->e->a, "the inertia of this %s is %s", ctx ? "shape" : "body", value),
                      isnan(J[i]) ? "0/0 has no value" : "numbers reach from about 1e-308 to 1e308: other sizes");
  }
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

static bool check_inertia_numbers(const Env *env, const Body *b, Span at, bool of_shape) {
  void *ctx = of_shape ? (void *)b : NULL;
  return every_member(env, b->J, b->planar ? 1 : 9, b->planar ? planar_inertia : spatial_inertia, at, ctx);
}

bool body_inertia(const Env *env, const Symbol *y, Body *b) {
  Elab *e = env->e;
  const Ast *x = body_entry(y, "inertia");
  if (!x && b->shapes.n) {              // that of the shape, with this mass
    const Ast *shape = body_entry(y, "shape");
    for (int i = 0; i < 9; i++) b->J[i] = times(e, b->mass, b->shapes.inertia[b->planar ? 8 : i]);
    return check_inertia_numbers(env, b, shape->span, true);
  }
  if (!x)
    return wrong_body_entry(e, y->span, "this body has no inertia",
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
    return wrong_body_entry(e, v.span, arena_printf(e->a, "the inertia of this body is %s", shape_text(e, &v)),
                       b->planar ? "in the plane (position has two numbers) it is one number"
                                 : "three principal moments [A, B, C], or a 3 x 3 matrix");
  for (int i = 0; i < 9; i++) b->J[i] = number(e, 0, v.span);
  if (b->planar) b->J[0] = v.at[0];
  for (int i = 0; i < 3 && vector; i++) b->J[4 * i] = v.at[i];
  for (int i = 0; i < 9 && matrix; i++) b->J[i] = v.at[i];
  return check_inertia_numbers(env, b, v.span, false);
}
