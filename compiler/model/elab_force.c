// Forces. `force s = F` acts by virtual work on every coordinate that s contains:
//   s(q, t)                           Q = (ds/dq)^T F     power F s'
//   s linear in velocities            Q = (ds/dq')^T F    power F s
// `force z = F` on a coordinate is the first with ds/dz = 1. Vectors act element by element.
#include <stdio.h>

#include "elab.h"

// What stands below x: a coordinate, a first-order state.
static void variables(const Env *env, const MExpr *x, Map *seen, bool *coordinate, const MExpr **state) {
  if (!(x->uses & MU_VAR) || map_get(seen, x)) return;
  map_put(seen, x, (void *)x);
  if (x->kind == MX_VAR) {
    MVarKind kind = env->e->var.at[x->id].kind;
    *coordinate |= kind == MV_COORD || kind == MV_POSITION;
    if (kind == MV_STATE) *state = x;
  }
  for (int i = 0; i < x->nargs; i++) variables(env, x->arg[i], seen, coordinate, state);
}

static bool acts(const Env *env, const Value *on, const MExpr *s) {
  Elab *e = env->e;
  bool coordinate = false;
  const MExpr *state = NULL;
  variables(env, s, map_new(e->a), &coordinate, &state);
  bool multiplier = s->uses & MU_LAMBDA;
  if (coordinate && !state && !multiplier) return true;
  bool one = s->kind == MX_VAR || s->kind == MX_PARAM;
  Diag *d = diag(e->bag, DIAG_E0223, on->span, one ? "a force acts on a coordinate" : "a force acts on coordinates");
  diag_label(d, one          ? "this is not a coordinate"
                : multiplier ? "this contains a multiplier"
                : state      ? "this contains the first-order state `%s`"
                             : "this contains no coordinate", state ? e->var.at[state->id].plain : "");
  if (s->kind == MX_VAR) diag_also(d, e->var.at[s->id].span, "declared here");
  if (s->kind == MX_PARAM) diag_also(d, e->param.at[s->id].span, "declared here");
  diag_help(d, "on a coordinate, force z = ...; or along an expression of coordinates, force sqrt(x^2 + y^2) = ...;");
  return false;
}

void elab_force(Env env, const Ast *x) {
  Elab *e = env.e;
  Env of_coordinate = env;
  of_coordinate.declare = "coord";
  Value on = elab_expr(&of_coordinate, x->a), v = elab_expr(&env, x->b);
  if (on.bad || v.bad || !unit_check(&env, on, UNIT_ANY, "what a force acts on")) return;
  for (int i = 0; i < value_count(&on); i++)
    if (!acts(&env, &on, on.at[i])) return;
  bool same = on.ndim == v.ndim && value_count(&on) == value_count(&v) && (!on.ndim || on.dim[0] == v.dim[0]);
  if (!same) {
    shape_error(&env, x->span, &on, &v, "equate", "a force has one component for each element that it acts on");
    return;
  }
  bool rate = on.at[0]->uses & MU_RATE, mixed = false;
  for (int i = 1; i < value_count(&on); i++) mixed |= rate != !!(on.at[i]->uses & MU_RATE);
  Unit want = UNIT_ANY;
  if (on.unit.state == UNIT_KNOWN && !mixed) want = unit_div(unit_named(rate ? "W" : "J"), on.unit);
  char what[200];
  const char *text = ast_text(e, x->a);
  (void)snprintf(what, sizeof what, "the force on `%.100s`", text);
  if (!unit_check(&env, v, want, what)) return;
  for (int i = 0; i < value_count(&on); i++) {
    MForce f = {.ctx = env.ctx, .on = on.at[i], .value = v.at[i], .span = x->span, .on_span = x->a->span};
    vec_push(&e->force, f);
  }
}
