// Initial values: `coord z = 1, z' = 0;`, `state x = [1, -1];`, `state x[n] = 0;` and, for coordinates declared
// elsewhere, `coord z' = 2;`.
#include <stdio.h>
#include <string.h>

#include "elab.h"

static void push_init(const Env *env, const Symbol *y, MExpr *const *own, bool velocity, MExpr *value) {
  Elab *e = env->e;
  MExpr *index[MAX_INDICES];
  int n = env->scope->ctx.n;
  for (int k = 0; k < n; k++) index[k] = mx_loop(e->a, k, y->span);
  for (int k = 0; k < y->ndim; k++) index[n++] = own[k];
  MInit i = {.ctx = env->ctx, .velocity = velocity, .value = value, .span = value->span};
  i.on = mx_var(e->a, &e->var.at[y->id], y->id, index, n, false, y->span);
  vec_push(&e->init, i);
}

// One value for all elements, however many: a family over the indices of the array, which the value may use.
static void init_all(Env env, const Symbol *y, bool velocity, MExpr *value) {
  MExpr *own[MAX_INDICES];
  int outer = env.ctx.n;
  for (int k = 0; k < y->ndim; k++) {
    own[k] = mx_loop(env.e->a, outer + k, y->span);
    static const char *const letters[MAX_INDICES] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    const char *index = k < y->decl->list2.n ? y->decl->list2.at[k]->name : intern(env.e->in, letters[outer + k]);
    env = env_loop(env, index, y->span, mx_num(env.e->a, 1, y->span), y->size[k], y->span);
  }
  push_init(&env, y, own, velocity, value);
}

static void init_each(const Env *env, const Symbol *y, bool velocity, Value v, const Ast *decl) {
  int dim[MAX_DIMS] = {0};
  if (y->ndim > MAX_DIMS) {
    Diag *d = diag(env->e->bag, DIAG_E0302, v.span, "`%s` has %d indices and starts with one number for all elements",
                   y->name, y->ndim);
    diag_label(d, "this is %s", shape_text(env->e, &v));
    diag_help(d, "a value for each element comes from an instance: Part part[i in 1:n](start = ...);");
    return;
  }
  for (int k = 0; k < y->ndim; k++)
    if (!fixed_size(env, y->size[k], "the size of this array", &dim[k])) return;
  if (y->ndim == 0) {
    Diag *d =
        diag(env->e->bag, DIAG_E0302, v.span, "`%s` is a number but its value is %s", y->name, shape_text(env->e, &v));
    diag_label(d, "this is %s", shape_text(env->e, &v));
    diag_also(d, y->span, "declared as a number");
    diag_help(d, "give it a size: %s[%d]", y->name, v.dim[0]);
    return;
  }
  v = shape_to(env, v, decl, y->ndim, dim);
  if (v.bad) return;
  for (int i = 0; i < value_count(&v); i++) {
    int row = y->ndim == 2 ? i / dim[1] : i, col = y->ndim == 2 ? i % dim[1] : 0;
    MExpr *own[MAX_DIMS] = {mx_num(env->e->a, row + 1, v.span), mx_num(env->e->a, col + 1, v.span)};
    push_init(env, y, own, velocity, v.at[i]);
  }
}

static void init_with(Env env, const Symbol *y, bool velocity, Value v, const Ast *decl) {
  if (v.bad) return;
  if (extra_uses(&v, MU_PARAM | MU_LOOP)) {
    not_constant(&env, &v, "an initial value",
                 "use numbers and parameters; the other initial values have no names of their own");
    return;
  }
  if (v.ndim == 0) init_all(env, y, velocity, v.at[0]);
  else init_each(&env, y, velocity, v, decl);
}

static void missing_initial(const Env *env, const Symbol *y, bool state) {
  const char *kind = y->var_kind == MV_DISCRETE ? "discrete" : state ? "state" : "coord";
  Diag *d = diag(env->e->bag, DIAG_E0204, y->span, "missing initial condition for %s `%s`",
                 y->var_kind == MV_DISCRETE ? "discrete variable" : state ? "state" : "coordinate", y->name);
  diag_label(d, "has no value at the start");
  if (!state) diag_note(d, "an initial velocity that is not given is 0; an initial position must be given");
  Text unit = {0};
  if (y->decl->unit) text_printf(&unit, " : %s", y->decl->unit);
  diag_help(d, "%s %s%s = 0;", kind, y->name, text_str(&unit));
  text_free(&unit);
}

// x[1]' = 2 would give all elements the velocity that was meant for one.
static bool of_one_element(Elab *e, const Symbol *y, const Ast *decl) {
  bool alike = decl->list.n == y->decl->list.n;
  for (int k = 0; k < decl->list.n && alike; k++)
    alike = !strcmp(ast_text(e, decl->list.at[k]), ast_text(e, y->decl->list.at[k]));
  if (decl->list.n == 0 || alike) return false;
  Diag *d = diag(e->bag, DIAG_E0223, decl->span, "an initial velocity is given to all elements of `%s` at once",
                 y->name);
  diag_label(d, "this names one of them");
  diag_also(d, y->span, "declared here");
  diag_help(d, "%s' = 0 for all, %s' = [1, 0, ...] for each; in a family: Part part[i in 1:n](v0 = if i == 1 then 1 "
            "else 0);", y->name, y->name);
  return true;
}

static void init_velocity(Env env, const Ast *decl, bool state) {
  Elab *e = env.e;
  Symbol *y = scope_find(env.scope, decl->name);
  if (!y) {
    unknown_name(&env, decl->name, decl->name_span);
    return;
  }
  y->used = true;
  if (y->kind == SY_REFUSED) return;
  if (decl->primes > 1 || state || y->kind != SY_VARIABLE || y->var_kind != MV_COORD) {
    Diag *d = diag(e->bag, DIAG_E0223, decl->name_span, "only a coordinate has an initial velocity");
    diag_label(d, decl->primes > 1 ? "this is an acceleration" : "`%s` is not a coordinate", decl->name);
    diag_also(d, y->span, "declared here");
    diag_help(d, state ? "the derivative of a state is given by an equation: %s' = ...;" : "declare it: coord %s = 0;",
              decl->name);
    return;
  }
  if (!symbol_force(y) || of_one_element(e, y, decl)) return;
  if (!decl->a) {
    Diag *d = diag(e->bag, DIAG_E0204, decl->name_span, "the initial velocity `%s'` has no value", decl->name);
    diag_help(d, "coord %s' = 0;", decl->name);
    return;
  }
  if (y->start_rate) {
    Diag *d = diag(e->bag, DIAG_E0202, decl->name_span, "the initial velocity `%s'` is given twice", decl->name);
    diag_label(d, "given again here");
    diag_also(d, y->start_rate->name_span, "first given here");
    diag_help(d, "keep one of them");
    return;
  }
  y->start_rate = decl;
  Env inside = env_elements(env, decl->list2.n ? decl : y->decl, y->size);
  Value v = elab_expr(&inside, decl->a);
  if (v.ndim) v = elab_expr(&env, decl->a);                // a vector of all elements: no index in it
  Unit per_second = unit_rate(e, y->unit);         // a bare number is in the unit of the coordinate, per second
  if (!decl->unit && !v.bad && v.unit.state == UNIT_LITERAL && unit_scaled(per_second)) {
    v = scaled_value(&env, v, per_second);
    v.unit = per_second;
  }
  v = adopt(&env, v, decl, "velocity");
  char what[200];
  (void)snprintf(what, sizeof what, "the velocity `%.100s'`", decl->name);
  if (unit_check(&env, v, per_second, what)) init_with(env, y, true, v, decl);
}

void init_statement(Env env, const Ast *decl, bool state) {
  if (decl->kind != AST_DECL) return;
  if (decl->primes) {
    init_velocity(env, decl, state);
    return;
  }
  Symbol *y = scope_find(env.scope, decl->name);
  if (!y || y->decl != decl || !symbol_force(y)) return;
  if (!decl->a) missing_initial(&env, y, state);
  else init_with(env, y, false, y->value, decl);
}
