// Friction of contacts and constraints: coulomb(mu), coulomb(mu1, mu2), contensou(mu, radius[, exact]), rolling(mu,
// mu_r) against slip velocities.
// Each direction of slip has a row of its own; its force is name.lambda_t, in space name.lambda_t[1] and [2],
// name.lambda_s about the normal (contensou), and name.lambda_r against rolling.
#include <string.h>

#include "elab.h"

enum { MOST_SLIPS = 4, MOST_ROWS = 4 };

// The force against a slip velocity: power over velocity.
static Unit force_against(Unit slip) {
  return slip.state == UNIT_KNOWN ? force_along(unit_mul(slip, unit_named("s"))) : UNIT_ANY;
}

// How many directions a slip has: as many as are written, [v1, v2], else as its value says.
bool count_slips(const Env *env, Symbol *y) {
  const Ast *slip = y->decl->c;
  y->nslip = 0;
  if (!slip) return true;
  while (slip->kind == AST_PAREN) slip = slip->a;
  if (slip->kind == AST_VECTOR) {
    y->nslip = slip->list.n;
    return true;
  }
  y->slip = elab_expr(env, slip);
  y->nslip = value_count(&y->slip);
  return !y->slip.bad;
}

// What the force against slip k of n is called; in_space: the third is no spin.
const char *slip_part(int k, int n, bool rolls, bool in_space) {
  static const char *const plain[] = { "lambda_t[1]", "lambda_t[2]", "lambda_s", "lambda_r" };
  static const char *const rolling[] = { "lambda_t[1]", "lambda_t[2]", "lambda_r[1]", "lambda_r[2]" };
  if (n == 1) return "lambda_t";
  if (k == 2 && in_space) return "lambda_t[3]";
  if (!rolls) return plain[k];
  return n == 2 ? (k ? "lambda_r" : "lambda_t") : rolling[k];
}

void friction_rows(Symbol *y, const MVar *like) {
  Elab *e = y->env.e;
  const Ast *x = y->decl;
  y->slip_id = -1;
  if (!x->c || !has_friction(x) || y->nslip > MOST_SLIPS) return;
  y->slip_id = (int)e->var.n;
  for (int k = 0; k < y->nslip; k++) {
    MVar v = *like;
    const char *part = slip_part(k, y->nslip, is_rolling(x), is_slip_in_space(x));
    v.name = arena_printf(e->a, "%.*s%s", (int)(strlen(like->name) - strlen("lambda")), like->name, part);
    v.plain = arena_printf(e->a, "%.*s%s", (int)(strlen(like->plain) - strlen("lambda")), like->plain, part);
    vec_push(&e->var, v);
  }
}

static bool slips(const Env *env, const Ast *x, const Symbol *row, Value *v) {
  Elab *e = env->e;
  *v = row->slip.at ? row->slip : elab_expr(env, x->c);
  if (v->bad || !unit_check(env, *v, UNIT_ANY, "a slip velocity")) return false;
  int n = value_count(v);
  if (v->ndim <= 1 && n <= MOST_SLIPS && n == row->nslip) {
    for (int k = 0; row->slip_id >= 0 && k < row->nslip; k++)
      e->var.at[row->slip_id + k].unit = impulse_along(v->unit, true);
    return true;
  }
  Diag *d = diag(e->bag, DIAG_E0302, v->span, "a contact has one or two directions of slip, and a spin");
  diag_label(d, "this is %s", shape_text(e, v));
  diag_help(d, "slip = vt; in the plane, slip = [v1, v2]; in space, "
               "slip = [v1, v2, spin]; with contensou(mu, radius)");
  return false;
}

// --- the law ---

static bool no_slip(const Env *env, const Ast *x, const Ast *law) {
  Diag *d = diag(env->e->bag, DIAG_E0401, law->span, "`%s` needs a tangential direction", law->name);
  diag_label(d, "friction acts against a slip velocity");
  diag_also(d, x->a ? x->a->span : x->b->span,
            x->a ? "only the normal direction is given" : "only the normal force is given");
  Ast all = {.span = span_join(x->list2.at[0]->span, x->list2.at[x->list2.n - 1]->span)};
  const char *normal = x->a ? ast_text(env->e, x->a) : ast_text(env->e, x->b);
  bool two_sides = x->kind == AST_CONSTRAINT && x->b && !(x->b->kind == AST_NUMBER && x->b->number == 0);
  if (two_sides) normal = arena_printf(env->e->a, "%s - (%s)", normal, ast_text(env->e, x->b));
  diag_help(d, "%s %s { %s = %s; slip = ...; with %s; }", x->kind == AST_CONTACT ? "contact" : "constraint", x->name,
            x->a ? "normal" : "normal_force", normal, ast_text(env->e, &all));
  return false;
}

static bool misfit(const Env *env, const Ast *law, Span with, const char *what, const char *also, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0403, law->span, "%s", what);
  diag_also(d, with, "%s", also);
  diag_help(d, "%s", help);
  return false;
}

// Does the law fit the number of directions and what presses?
static bool fits(const Env *env, const Ast *x, const Ast *law, int n, int normals) {
  bool contensou = is_law(law, "contensou"), rolling = is_law(law, "rolling"),
       elliptic = !contensou && !rolling && law->list.n == 2;
  const char *shape = n == 1   ? "one direction of slip"
                      : n == 2 ? "two directions of slip"
                      : n == 4 ? "four velocities"
                               : "three velocities";
  if (x->kind == AST_CONSTRAINT && (contensou || elliptic || rolling))
    return misfit(env, law, x->a->span, "friction on a constraint is coulomb(mu)", "held on both sides",
                  "with coulomb(mu)");
  if (rolling && n != 2 && n != 4)
    return misfit(env, law, x->c->span, "`rolling` acts on slip and on rolling velocities, as many of each", shape,
                  "in the plane slip = [v, w]; in space slip = [v1, v2, w1, w2]; with rolling(mu, mu_r)");
  if (!rolling && n == 4)
    return misfit(env, law, x->c->span, "four velocities are those of `rolling`", shape,
                  "slip = [v1, v2, w1, w2]; with rolling(mu, mu_r)");
  if (contensou && n != 3)
    return misfit(env, law, x->c->span, "`contensou` acts on two directions of slip and on the spin", shape,
                  "slip = [v1, v2, spin]; with contensou(mu, radius)");
  if (elliptic && n != 2)
    return misfit(env, law, x->c->span, "`coulomb(mu1, mu2)` has a coefficient for each of two directions", shape,
                  n == 1 ? "coulomb(mu), where mu may be an expression of the slip velocity v, as "
                           "coulomb(mu + (mu0 - mu)*exp(-abs(v)/v0))"
                         : "slip = [v1, v2];");
  if (x->kind == AST_CONSTRAINT && normals + n > MOST_ROWS)
    return misfit(env, law, x->c->span, "friction on a constraint has at most four directions, normal and tangential",
                  arena_printf(env->e->a, "%d of slip, %d normal", n, normals),
                  "one direction: slip = r*phi';");
  if (!contensou && n == 3 && x->a)
    return misfit(env, law, x->c->span, "`coulomb` acts on one or two directions of slip along a surface", shape,
                  x->kind == AST_CONSTRAINT ? "slip = [v1, v2];"
                                            : "slip = [v1, v2]; or, where the third is the spin about the normal, "
                                              "slip = [v1, v2, spin]; with contensou(mu, radius)");
  return true;
}

// Coefficients and given forces move with time, coordinates, velocities, states and what `every`, `when` and inputs
// hold; forces with multipliers too.
static MExpr *moving(const Env *env, const Ast *x, Unit unit, const char *what, unsigned also) {
  Value v = elab_scalar(env, x->kind == AST_ARG ? x->a : x);
  if (!unit_check(env, v, unit, what)) return NULL;
  unsigned more =
    extra_uses(&v, MU_PARAM | MU_LOOP | MU_TIME | MU_VAR | MU_RATE | MU_DISCRETE | MU_INPUT | also);
  if (!more) return v.at[0];
  Diag *d = diag(env->e->bag, DIAG_E0224, v.span, "%s cannot depend on %s", what,
                 more & MU_LAMBDA ? "a multiplier" : "a result of the run");
  diag_label(d, more & MU_LAMBDA ? "a force or impulse of the same step" : "known at the end only");
  diag_help(d, "use time, coordinates, velocities, states, discrete variables, inputs and parameters");
  return NULL;
}

// contensou(mu, radius, exact)
static bool is_exact(const Env *env, const Ast *law, bool *exact) {
  const Ast *third = law->list.n > 2 ? law->list.at[2] : NULL;
  if (third && third->kind == AST_ARG) third = third->a;
  *exact = third && third->kind == AST_NAME && !strcmp(third->name, "exact");
  if (!third || *exact) return true;
  Diag *d = diag(env->e->bag, DIAG_E0209, third->span, "the third argument of `contensou` is the word `exact`");
  diag_label(d, "not `exact`");
  diag_note(d, "it takes the exact set of a circular area under Hertz' pressure instead of the ellipsoid around it");
  diag_help(d, "contensou(mu, radius), or contensou(mu, radius, exact)");
  return false;
}

static bool arguments(const Env *env, const Ast *x, const Ast *law, int normals, int slips, MFriction *f) {
  bool contensou = is_law(law, "contensou"), rolling = is_law(law, "rolling"), exact;
  if (!law_arguments(env, law, contensou || rolling ? 2 : 1, contensou ? 3 : 2)) return false;
  if (!is_exact(env, law, &exact)) return false;
  f->mu = moving(env, law->list.at[0], UNIT_ONE, "a coefficient of friction", 0);
  if (contensou)
    f->radius = moving(env, law->list.at[1], env->e->has_units ? unit_named("m") : UNIT_ANY,
                            "the radius of a contact area", 0);
  else if (rolling)
    f->mu2 = moving(env, law->list.at[1], env->e->has_units ? unit_named("m") : UNIT_ANY,
                    "a coefficient of rolling friction", 0);
  else if (law->list.n == 2) f->mu2 = moving(env, law->list.at[1], UNIT_ONE, "a coefficient of friction", 0);
  bool ball = !x->a && slips == 3 && is_law(law, "coulomb");           // |lambda| <= mu F: contensou(mu, 1)
  if (ball) f->radius = mx_num(env->e->a, 1, law->span);
  f->law = exact                       ? MF_CONTENSOU_EXACT
           : ball                      ? MF_CONTENSOU
           : contensou                 ? MF_CONTENSOU
           : rolling                   ? MF_ROLLING
           : x->kind == AST_CONSTRAINT ? (normals == 1 ? MF_GRIP : normals == 2 ? MF_GRIP2 : MF_GRIP3)
           : law->list.n == 2          ? MF_ELLIPTIC
           : !x->a                     ? MF_GIVEN
                                       : MF_COULOMB;
  return f->mu && (law->list.n < 2 || f->mu2 || f->radius);
}

// Is the slip a place, in m or rad, of which no velocity is taken?
static bool is_place(const Value *v) {
  unsigned uses = extra_uses(v, 0);
  return uses & MU_VAR && !(uses & MU_RATE) && v->unit.state == UNIT_KNOWN &&
         (unit_compatible(v->unit, unit_named("m")) || unit_compatible(v->unit, UNIT_ONE));
}

static bool pressed(const Env *env, const Ast *x, Unit slip, MFriction *f) {
  bool turns = f->radius || f->law == MF_ROLLING;         // beside slips in m/s, so that these have no unit in common
  Unit force = turns && env->e->has_units ? unit_named("N") : force_against(slip);
  f->force = moving(env, x->b, force, "the normal force", MU_LAMBDA);
  return f->force != NULL;
}

// False: bad, reported. Without a law of friction f stays empty.
bool elab_friction(const Env *env, const Ast *x, const Symbol *row, MFriction *f) {
  const Ast *law = NULL;
  bool known = true;
  for (int i = 0; i < x->list2.n; i++) {
    known = known && known_law(x->list2.at[i]);
    if (!is_friction(x->list2.at[i])) continue;
    if (law) {
      Diag *d = diag(env->e->bag, DIAG_E0225, x->list2.at[i]->span, "a second law of friction");
      diag_label(d, "there is one already");
      diag_also(d, law->span, "the first one");
      diag_help(d, "keep one of them");
      return false;
    }
    law = x->list2.at[i];
  }
  if (!law && known && x->a && x->c) {
    Diag *d =
        diag(env->e->bag, DIAG_W0813, x->c->span, "the slip velocity has no effect: `%s` has no friction", x->name);
    diag_help(d, "with coulomb(mu)");
  }
  if (!law && !x->a) {
    Diag *d = diag(env->e->bag, DIAG_E0403, x->name_span, "`%s` has a given normal force and no friction", x->name);
    diag_label(d, "a force without a law");
    diag_help(d, "contact %s { normal_force = ...; slip = ...; with coulomb(mu); }", x->name);
    return false;
  }
  Value v;
  if (x->c && !slips(env, x, row, &v)) return false;
  if (!law) return true;
  if (!law_names_fit(env, law)) return false;
  if (!x->c) return no_slip(env, x, law);
  if (!fits(env, x, law, row->nslip, row->nnormal)) return false;
  if (!arguments(env, x, law, row->nnormal, row->nslip, f)) return false;
  f->span = law->span;
  f->slip = v.at;
  f->slip_span = v.span;
  f->nslip = row->nslip;
  for (int k = 0; k < row->nslip; k++) f->var[k] = row->slip_id + k;
  if (!x->a && is_place(&v)) {
    Diag *d = diag(env->e->bag, DIAG_E0402, v.span, "a slip is a velocity, and this is a place");
    diag_help(d, x->c->kind == AST_NAME ? "slip = %s';" : "slip = (%s)';", ast_text(env->e, x->c));
    return false;
  }
  return x->a ? true : pressed(env, x, v.unit, f);
}
