// Declared names. A symbol is resolved when it is first needed, so declarations may stand in any order; a symbol that
// needs itself is a circle and an error. Parameters become MParam, variables MVar; `var` and arguments of instances
// stay values.
#include <math.h>
#include <string.h>

#include "elab.h"

// --- putting names into a scope ---

static void declare_in(Env env, AstList items, const Ast *const *fors, int nfors);

static void declare_decls(Env env, const Ast *item, SymbolKind kind, MVarKind var_kind) {
  for (int i = 0; i < item->list.n; i++) {
    const Ast *d = item->list.at[i];
    if (d->kind != AST_DECL || d->primes > 0) continue;   // x' = 2: an initial velocity, see elab_init.c
    Symbol *y = scope_add(env.scope, kind, d->name, d->name_span, d, env);
    if (!y) continue;
    y->var_kind = var_kind;
    if (item->kind == AST_ALGEBRAIC) y->algebraic = MALG_UNKNOWN;
    if (item->kind == AST_NODE) y->algebraic = d->a ? MALG_HELD : MALG_NODE;
    if ((kind == SY_PARAM || kind == SY_INPUT) && env.scope->instance) 
      y->given = argument_of(env.scope, d);
  }
}

static void declare_row(Env env, const Ast *item, SymbolKind kind, const Ast *const *fors, int nfors) {
  Symbol *y = scope_add(env.scope, kind, item->name, item->name_span, item, env);
  if (!y) return;
  y->var_kind = MV_ROW;
  y->fors = fors;
  y->nfors = nfors;
}

// Materials are known by their names in all parts of the model.
static void declare_materials(Elab *e, const Ast *x) {
  for (int i = 0; i < x->list.n; i++) {
    bool known = false;
    for (size_t k = 0; k < e->material.n; k++) known |= e->material.at[k] == x->list.at[i]->name;
    if (!known) vec_push(&e->material, x->list.at[i]->name);
  }
}

// A second family of one name, over other members, has columns and no name: V[i] for i in 1:1 and for i in 2:n.
static void declare_outputs(Env env, const Ast *item, const Ast *const *fors, int nfors) {
  for (int i = 0; i < item->list.n; i++) {
    const Ast *d = item->list.at[i];
    Symbol *y = scope_find(env.scope, d->name);
    bool second = y && y->kind == SY_OUTPUT && y->nfors;
    if (second || !(y = scope_add(env.scope, SY_OUTPUT, d->name, d->name_span, d, env))) continue;
    y->fors = fors;
    y->nfors = nfors;
  }
}

// Inside a `for` only rows and outputs are seen from outside; all else that declares belongs in front of it.
static void declare_item(Env env, const Ast *x, const Ast *const *fors, int nfors) {
  switch (x->kind) {
  case AST_CONTACT:
  case AST_CONSTRAINT: declare_row(env, x, SY_ROW, fors, nfors); return;
  case AST_RELATION: declare_row(env, x, SY_RELATION, fors, nfors); return;
  case AST_OUTPUT: declare_outputs(env, x, fors, nfors); return;
  case AST_FOR: {
    const Ast **inner = ARENA_ARRAY(env.e->a, const Ast *, nfors + 1);
    for (int i = 0; i < nfors; i++) inner[i] = fors[i];
    inner[nfors] = x;
    declare_in(env, x->list2, inner, nfors + 1);
    return;
  }
  default: break;
  }
  if (nfors) return;
  switch (x->kind) {
  case AST_PARAM: declare_decls(env, x, SY_PARAM, MV_STATE); break;
  case AST_STATE: declare_decls(env, x, SY_VARIABLE, MV_STATE); break;
  case AST_COORD: declare_decls(env, x, SY_VARIABLE, MV_COORD); break;
  case AST_MULTIPLIER:
  case AST_ALGEBRAIC:
  case AST_NODE: declare_decls(env, x, SY_VARIABLE, MV_MULTIPLIER); break;
  case AST_VAR: declare_decls(env, x, SY_VAR, MV_STATE); break;
  case AST_INPUT: declare_decls(env, x, SY_INPUT, MV_INPUT); break;
  case AST_DISCRETE: declare_decls(env, x, SY_VARIABLE, MV_DISCRETE); break;
  case AST_TOUCH: {
    Symbol *y = scope_add(env.scope, SY_TOUCH, x->name, x->name_span, x, env);
    if (!y) break;
    Touching t = { x, env, y };
    y->id = (int)env.e->touching.n;
    y->used = true;
    vec_push(&env.e->touching, t);
    break;
  }
  case AST_PAIR: {
    Touching t = { x, env, NULL };
    vec_push(&env.e->pairs, t);
    break;
  }
  case AST_MATERIAL: declare_materials(env.e, x); break;
  case AST_BODY:
  case AST_INSTANCE: (void)scope_add(env.scope, SY_INSTANCE, x->name, x->name_span, x, env); break;
  case AST_GRAVITY:
    if (env.scope->gravity) {
      Diag *d = diag(env.e->bag, DIAG_E0202, x->span, "gravity is declared twice");
      diag_also(d, env.scope->gravity->span, "first declared here");
      diag_help(d, "it acts on every body of the model; keep one of them");
    } else env.scope->gravity = x;
    break;
  default: break;
  }
}

// Conditions may read all names that stand outside of an `if`.
static void declare_in(Env env, AstList items, const Ast *const *fors, int nfors) {
  for (int i = 0; i < items.n; i++)
    if (items.at[i]->kind != AST_IF) declare_item(env, items.at[i], fors, nfors);
  for (int i = 0; i < items.n && nfors == 0; i++)
    if (items.at[i]->kind == AST_IF) declare_in(env, chosen_items(env, items.at[i]), fors, nfors);
}

void declare_items(Env env, AstList items) { declare_in(env, items, NULL, 0); }

// --- parameters ---

static void store_param(Symbol *y, const Value *v, Unit written) {
  Elab *e = y->env.e;
  const char *name = prefixed(e, y->env.scope->param_path, y->name);
  Unit u = v->unit;
  if (written.state == UNIT_KNOWN) u.scale = written.scale;
  y->global = true;
  y->ndim = v->ndim;
  memcpy(y->dim, v->dim, sizeof y->dim);
  y->unit = v->ndim ? unit_nameless(v->unit) : v->unit;
  if (v->ndim == 0) {
    y->id = push_param(e, name, v->at[0], u, y);
    unit_by_name(y);
    return;
  }
  int n = value_count(v);
  for (int i = 0; i < n; i++) {
    const char *element = v->ndim == 1 ? arena_printf(e->a, "%s[%d]", name, i + 1)
                                       : arena_printf(e->a, "%s[%d,%d]", name, i / v->dim[1] + 1, i % v->dim[1] + 1);
    int id = push_param(e, element, v->at[i], u, y);
    if (i == 0) y->id = id;
    e->param.at[id].ndim = -1;
  }
  if (n > 0) {
    e->param.at[y->id].ndim = v->ndim;
    memcpy(e->param.at[y->id].dim, v->dim, sizeof v->dim);
  }
}

// v: NULL, it has no value yet.
static bool store_range(const Symbol *y, const Value *v) {
  const Ast *d = y->decl;
  if (!d->b) return true;
  Value end[2] = { elab_scalar(&y->env, d->b), elab_scalar(&y->env, d->c) };
  if (end[0].bad || end[1].bad) return false;
  for (int k = 0; k < 2; k++)
    if (end[k].unit.state == UNIT_LITERAL && y->unit.scale != 1) end[k] = scaled_value(&y->env, end[k], y->unit);
  return param_range(y, v, end);
}

static bool no_value(const Symbol *y) {
  Diag *d = diag(y->env.e->bag, DIAG_E0217, y->env.scope->instance ? y->env.scope->instance->span : y->span,
                 "`%s` is read and has no value: it may be left out, and was", y->name);
  diag_also(d, y->decl->span, "declared here");
  diag_help(d, "give it: %s = ...; or read it under if given(%s) { ... }", y->name, y->name);
  return false;
}

static bool force_param(Symbol *y) {
  if (!y->given && defaults_to_none(y)) return no_value(y);
  Ast plain = *y->decl;
  const Ast *decl = y->decl;
  if (is_node_formal(decl)) {           // of any domain
    plain.unit = NULL;
    decl = &plain;
  }
  Scope *s = y->env.scope;
  Env env = y->given ? s->args_env : y->env;
  const Ast *from = y->given ? y->given->a : decl->a;
  Unit written;
  if (decl == &plain) env.declare = "node";
  find_sets(y);
  if (!from) {   // must be set from outside
    (void)declared_unit(env.e, decl, &written);
    Unit u = written;
    if (decl->list.n) {
      Diag *d = diag(env.e->bag, DIAG_E0217, decl->name_span, "the array `%s` has no value", decl->name);
      diag_help(d, "give it one: param %s = [1, 2, 3];", decl->name);
      return false;
    }
    y->id = push_param(env.e, prefixed(env.e, s->param_path, y->name), NULL, u, y);
    y->unit = u;
    y->global = true;
    unit_by_name(y);
    return store_range(y, NULL);
  }
  Value v = elab_expr(&env, from);
  if (v.bad) return false;
  if (y->kind == SY_PARAM && extra_uses(&v, MU_PARAM | MU_LOOP)) {
    not_constant(&env, &v, "the value of a parameter",
                 "for a quantity that changes write `var`, or `output` to record it");
    return false;
  }
  v = adopt(&env, v, decl, y->kind == SY_FORMAL ? "argument" : "parameter");
  if (decl->list.n && !v.bad) {
    MExpr *size[MAX_DIMS];
    int dim[MAX_DIMS] = {0}, n = array_sizes(&y->env, decl, MAX_DIMS, size);
    for (int k = 0; k < n; k++)
      if (!fixed_size(&y->env, size[k], "the size of an array of parameters", &dim[k])) return false;
    if (n < 0) return false;
    v = shape_to(&env, v, decl, n, dim);
  }
  if (v.bad) return false;
  bool given_formal = y->kind == SY_FORMAL && y->given;
  (void)declared_unit(env.e, decl, &written);
  if (!given_formal && !extra_uses(&v, MU_PARAM)) {
    store_param(y, &v, written);
    check_sets(y);
    return y->given || store_range(y, &v);
  } else {
    y->unit = v.unit;
    y->value = set_value(y, v);
  }
  return true;
}

// --- variables ---

static const char *variable_kind(MVarKind k) {
  switch (k) {
  case MV_COORD: return "coordinate";
  case MV_DISCRETE: return "discrete variable";
  case MV_MULTIPLIER: return "unknown";
  case MV_INPUT: return "input";
  default: return "state";
  }
}

static bool too_many_indices(const Symbol *y) {
  not_supported(&y->env, DIAG_E0703, y->span, "a variable with more than eight indices",
                "instances and arrays together may have eight");
  return false;
}

static bool force_variable(Symbol *y) {
  Elab *e = y->env.e;
  Scope *s = y->env.scope;
  MExpr *size[MAX_INDICES] = {0};
  int own = array_sizes(&y->env, y->decl, MAX_INDICES, size);
  Unit unit;
  if (own < 0) return false;
  bool has_unit = declared_unit(e, y->decl, &unit);
  if (!has_unit && y->decl->unit) return false;
  if (y->decl->a) {   // the initial value gives the shape and the unit where the declaration does not
    if (y->decl->list2.n && s->ctx.n + own > MAX_INDICES) return too_many_indices(y);
    Env inside = env_elements(y->env, y->decl, size);
    Value raw = elab_expr(&inside, y->decl->a);
    if (y->decl->list2.n && raw.ndim && !raw.bad) {
      Diag *d = diag(e->bag, DIAG_E0302, raw.span, "an element of `%s` is a number, but its value is %s", y->name,
                     shape_text(e, &raw));
      diag_label(d, "this is %s", shape_text(e, &raw));
      diag_help(d, "with an index the value is that of one element: %s[%s in 1:...] = ...", y->name,
                y->decl->list2.at[0]->name);
      return false;
    }
    Value v = adopt(&y->env, raw, y->decl, variable_kind(y->var_kind));
    y->value = v;
    if (raw.bad && !own) return false;
    if (!own)
      for (own = 0; own < raw.ndim; own++) size[own] = mx_num(e->a, raw.dim[own], v.span);
    if (!has_unit && !v.bad) unit = v.unit;
  }
  if (s->ctx.n + own > MAX_INDICES) return too_many_indices(y);
  MVar v = {.kind = y->var_kind, .algebraic = y->algebraic, .ndim = s->ctx.n + own, .unit = unit,
            .declared = has_unit, .doc = y->decl->doc, .span = y->span, .made = part_of_library(s)};
  v.name = arena_printf(e->a, "%s%s", prefixed(e, s->path, y->name), index_marks(e->a, own));
  v.plain = prefixed(e, s->plain, y->name);
  family_bounds(&v, &s->ctx);
  for (int k = 0; k < own; k++) {
    v.lo[s->ctx.n + k] = mx_num(e->a, 1, y->span);
    v.hi[s->ctx.n + k] = size[k];
    y->size[k] = size[k];
  }
  y->ndim = own;
  y->unit = unit;
  vec_push(&e->var, v);
  y->id = (int)e->var.n - 1;
  return true;
}

static bool force_inline(Symbol *y);

// A flag beside the input: does something outside give it?
static MExpr *given_flag(Symbol *y, MExpr *const *index, int n) {
  Elab *e = y->env.e;
  MVar flag = e->var.at[y->id];
  flag.kind = MV_GIVEN;
  flag.unit = UNIT_ANY;
  vec_push(&e->var, flag);
  int id = (int)e->var.n - 1;
  return mx_var(e->a, &e->var.at[id], id, index, n, false, y->span);
}

// input u;  from outside. input u = value;  the value, unless something outside gives it. An argument of an instance
// is the value.
static bool force_input(Symbol *y) {
  Elab *e = y->env.e;
  Scope *s = y->env.scope;
  if (y->given) {
    Symbol as = *y;
    Ast decl = *y->decl;
    as.env = s->args_env;
    decl.a = y->given->a;
    as.decl = &decl;
    as.kind = SY_VAR;
    if (!force_inline(&as)) return false;
    y->value = as.value;
    y->kind = SY_VAR;
    return y->used = true;
  }
  Ast bare = *y->decl;
  const Ast *decl = y->decl;
  if (!decl->a) {
    y->kind = SY_VARIABLE;
    return force_variable(y);
  }
  if (!force_inline(y)) return false;
  if (y->value.ndim || decl->list.n) {
    not_supported(&y->env, DIAG_E0703, y->span, "an array of inputs with a value", "declare inputs one by one");
    return false;
  }
  Value v = y->value;
  bare.a = NULL;
  y->decl = &bare;
  bool ok = force_variable(y);
  y->decl = decl;
  if (!ok) return false;
  if (y->unit.state != UNIT_KNOWN) e->var.at[y->id].unit = v.unit;
  MExpr *index[MAX_LOOPS];
  for (int k = 0; k < s->ctx.n; k++) index[k] = mx_loop(e->a, k, y->span);
  MExpr *outside = mx_var(e->a, &e->var.at[y->id], y->id, index, s->ctx.n, false, y->span);
  MExpr *given = mx_2(e->a, MOP_GT, given_flag(y, index, s->ctx.n), mx_num(e->a, 0, y->span), y->span);
  MExpr *inside = e->var.at[y->id].otherwise = y->value.at[0];
  v.at = ARENA_ARRAY(e->a, MExpr *, 1);
  v.at[0] = mx_op(e->a, MOP_IF, (MExpr *[]){ given, outside, inside }, 3, y->span);
  y->value = v;
  y->kind = SY_VAR;
  return true;
}

static bool force_inline(Symbol *y) {
  Env env = y->env;
  if (!fors_inside(y, &env)) return false;
  if (y->nfors && !own_indices(&env, y->decl, "output")) return false;
  Value v = elab_expr(&env, y->decl->a);
  v = adopt(&env, v, y->decl, y->kind == SY_OUTPUT ? "output" : "variable");
  if (v.bad) return false;
  if (y->decl->list.n && y->kind == SY_VAR) {
    MExpr *size[MAX_DIMS];
    int dim[MAX_DIMS] = {0}, n = array_sizes(&y->env, y->decl, MAX_DIMS, size);
    for (int k = 0; k < n; k++)
      if (!fixed_size(&y->env, size[k], "the size of a `var`", &dim[k])) return false;
    if (n < 0) return false;
    v = shape_to(&y->env, v, y->decl, n, dim);
  }
  y->value = v;
  return !v.bad;
}

// --- on demand ---

bool symbol_resolve(Symbol *y) {
  switch (y->kind) {
  case SY_PARAM:
  case SY_FORMAL: return force_param(y);
  case SY_VARIABLE: return force_variable(y);
  case SY_INPUT: return force_input(y);
  case SY_VAR:
  case SY_OUTPUT: return y->decl->a && force_inline(y);
  case SY_INSTANCE: return instance_force(y);
  case SY_ROW: return row_force(y);
  case SY_BODY:
  case SY_TOUCH:
  case SY_RELATION: return true;
  case SY_REFUSED: return false;
  }
  return false;
}
