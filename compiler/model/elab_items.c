// Statements. Each is elaborated once, in the context of the loops and instances around it; vector equations become one
// equation for each row.
#include "elab_body.h"
#include <string.h>

// --- equations ---

static bool reads(const MExpr *x, int id, Map *seen) {
  if (!(x->uses & MU_VAR) || map_get(seen, x)) return false;
  map_put(seen, x, (void *)x);
  if (x->kind == MX_VAR && x->id == id) return true;
  for (int i = 0; i < x->nargs; i++)
    if (reads(x->arg[i], id, seen)) return true;
  return false;
}

// y = x^2; of a state y, which no equation of its rate determines
static bool is_given(const Env *env, const Ast *x, const Value *a, const Value *b) {
  const MExpr *left = a->at[0];
  if (x->a->kind != AST_NAME || left->kind != MX_VAR || env->e->var.at[left->id].kind != MV_STATE) return false;
  Map *seen = map_new(env->e->a);
  for (int i = 0; i < value_count(b); i++)
    if (reads(b->at[i], left->id, seen)) return false;
  return true;
}

// x[1] = 0.1 [m]; where the value at the start is meant: how its declaration says it, else NULL.
static const char *start_meant(const Env *env, const Ast *x, const Value *b) {
  Elab *e = env->e;
  const Ast *of = x->a->kind == AST_INDEX ? x->a->a : x->a;
  const Symbol *y = of->kind == AST_NAME ? scope_find(env->scope, of->name) : NULL;
  if (!y || y->kind != SY_VARIABLE || (y->var_kind != MV_COORD && y->var_kind != MV_STATE) || y->algebraic) return NULL;
  if (extra_uses(b, MU_PARAM | MU_LOOP)) return NULL;
  const char *word = y->var_kind == MV_COORD ? "coord" : "state", *value = ast_text(e, x->b);
  const Ast *index = x->a->kind == AST_INDEX ? x->a->list.at[0] : NULL;
  if (!index) return arena_printf(e->a, "%s %s = %s;", word, y->name, value);
  const char *size = y->decl->list.n ? ast_text(e, y->decl->list.at[0]) : "n", *at = ast_text(e, index);
  if (index->kind == AST_NAME && env->ctx.n > env->scope->ctx.n)
    return arena_printf(e->a, "%s %s[%s in 1:%s] = %s;", word, y->name, at, size, value);
  return arena_printf(e->a, "%s %s[i in 1:%s] = if i == %s then %s else 0;", word, y->name, size, at, value);
}

static void equation(Env env, const Ast *x) {
  if (newtons_law(&env, x)) return;
  Env left = env;
  if (x->a->kind == AST_NAME) left.declare = x->b->kind == AST_NUMBER ? "param" : "var";
  Value a = elab_expr(&left, x->a), b = elab_expr(&env, x->b);
  if (a.bad || b.bad) return;
  if (!unit_check(&env, a, UNIT_ANY, "a side of an equation") ||
      !unit_check(&env, b, UNIT_ANY, "a side of an equation"))
    return;
  bool same = a.ndim == b.ndim && value_count(&a) == value_count(&b) && (!a.ndim || a.dim[0] == b.dim[0]);
  if (!same) {
    shape_error(&env, x->span, &a, &b, "equate", "both sides must have the same size");
    return;
  }
  if (!units_meet(env.e, a.unit, b.unit, x->span)) {
    Text ta = {0}, tb = {0};
    unit_print(a.unit, &ta);
    unit_print(b.unit, &tb);
    Diag *d = diag(env.e->bag, DIAG_E0301, a.span, "the sides of this equation are in %s and %s", text_str(&ta),
                   text_str(&tb));
    diag_label(d, "in %s", text_str(&ta));
    diag_also(d, b.span, "in %s", text_str(&tb));
    diag_help(d, "both sides need the same unit");
    text_free(&ta);
    text_free(&tb);
    return;
  }
  bare_number(&env, &a, &b);
  if (algebraic_equation(env, x, &a, &b)) return;
  if (!((extra_uses(&a, 0) | extra_uses(&b, 0)) & MU_RATE)) {
    Diag *d = diag(env.e->bag, DIAG_E0230, x->span, "this equation has no derivative of a state");
    diag_label(d, "no x' in it");
    diag_note(d, "equations give the derivatives of states: x' = ...;");
    const char *start = start_meant(&env, x, &b);
    const Symbol *held = x->a->kind == AST_NAME ? scope_find(env.scope, x->a->name) : NULL;
    if (held && held->kind == SY_VARIABLE && held->var_kind == MV_DISCRETE)
      diag_help(d, "what is held between samples is assigned in a block: every 1 [ms] { %s = %s; }", x->a->name,
                ast_text(env.e, x->b));
    else if (start) diag_help(d, "a value at the start stands in the declaration: %s", start);
    else if (is_given(&env, x, &a, &b))
      diag_help(d, "in place of the state declare var %s = %s;", x->a->name, ast_text(env.e, x->b));
    else diag_help(d, "for an abbreviation write `var`; between coordinates write constraint N: a = b;");
    return;
  }
  for (int i = 0; i < value_count(&a); i++) {
    MEquation q = { .ctx = env.ctx, .lhs = a.at[i], .rhs = b.at[i], .span = x->span,
                    .made = part_of_library(env.scope) };
    vec_push(&env.e->equation, q);
  }
}

// --- outputs ---

static void push_output(const Env *env, const char *name, MExpr *value, Unit u, const Ast *d) {
  MOutput o = {.ctx = env->ctx, .name = name, .value = value, .unit = u, .declared = d->unit != NULL, .doc = d->doc,
               .span = d->name_span};
  vec_push(&env->e->output, o);
}

static void output(Env env, const Ast *d) {
  Elab *e = env.e;
  Symbol *y = scope_find(env.scope, d->name);
  Value v;
  if (y && y->decl == d) {
    if (!symbol_force(y)) return;
    v = y->value;
  } else {                              // inside a for, and of the name of another one
    if (env.ctx.n == env.scope->ctx.n || !own_indices(&env, d, "output") || !d->a) return;
    v = adopt(&env, elab_expr(&env, d->a), d, "output");
  }
  if (v.bad) return;
  Unit u = v.unit, written;
  if (declared_unit(e, d, &written)) u = written;
  const char *name = family_name(&env, d->name);
  for (int i = 0; i < value_count(&v); i++) {
    const char *full = v.ndim == 0 ? name : v.ndim == 1 ? arena_printf(e->a, "%s[%d]", name, i + 1)
                                          : arena_printf(e->a, "%s[%d,%d]", name, i / v.dim[1] + 1, i % v.dim[1] + 1);
    push_output(&env, full, v.at[i], u, d);
  }
}

// What an assertion of a part says about constants is known here: the part does not fit where it is put.
static bool fits(const Env *env, const Ast *x, const MExpr *cond) {
  double holds, side[2], loop[MAX_LOOPS] = { 0 };
  const Ast *part = env->scope->instance;
  for (const Scope *up = env->scope->parent; part && up && up->instance && part->span.file == x->span.file;
       up = up->parent)
    part = up->instance;                                   // of a part within a part of a library, the user's one
  if (!part || part->kind != AST_INSTANCE || !mx_constant(cond)) return true;
  for (int k = 0; k < env->ctx.n; k++)
    if (!try_eval(env->e, env->ctx.loop[k].lo, false, loop, k, &loop[k])) return true;
  if (!try_eval(env->e, cond, false, loop, env->ctx.n, &holds) || holds != 0) return true;
  Diag *d = diag(env->e->bag, DIAG_E0244, part->span, "`%s` does not fit: %s", part->name,
                 x->doc ? x->doc : ast_text(env->e, x->a));
  diag_also(d, x->a->span, "this does not hold");
  if (cond->kind == MX_OP && cond->nargs == 2 && cond->op >= MOP_LT && cond->op <= MOP_NE &&
      try_eval(env->e, cond->arg[0], false, loop, env->ctx.n, &side[0]) &&
      try_eval(env->e, cond->arg[1], false, loop, env->ctx.n, &side[1]))
    diag_note(d, "the left side is %.6g, the right side %.6g", side[0], side[1]);
  diag_help(d, "change what the part is given, or where its bodies are placed at the start");
  return false;
}

static void assertion(Env env, const Ast *x) {
  Value v = elab_condition(&env, x->a);
  if (v.bad || !fits(&env, x, v.at[0])) return;
  double holds;
  if (!v.at[0]->uses && try_eval(env.e, v.at[0], false, NULL, 0, &holds) && holds != 0) return;   // known already
  MAssert a = {.ctx = env.ctx, .cond = v.at[0], .text = x->doc ? x->doc : ast_text(env.e, x->a), .span = x->a->span};
  vec_push(&env.e->assertion, a);
}

// --- blocks ---

// "i in 1:n, j in 1:m": the loops around, as what is declared in front of them names its indices; or "n, m", its sizes.
static const char *indices(Env env, bool named) {
  const char *all = "";
  for (int k = env.scope->ctx.n; k < env.ctx.n; k++) {
    const MLoop *l = &env.ctx.loop[k];
    int length = (int)(l->span.hi - l->span.lo);
    const char *range = arena_printf(env.e->a, "%.*s", length, l->span.file ? l->span.file->text + l->span.lo : "");
    const char *last = strrchr(range, ':'), *size = last ? last + 1 : "n", *comma = *all ? ", " : "";
    all = named ? arena_printf(env.e->a, "%s%s%s in %s", all, comma, l->name, *range ? range : "...")
                : arena_printf(env.e->a, "%s%s%s", all, comma, size + strspn(size, " "));
  }
  return all;
}

// Where what is declared in a loop belongs.
static void help_outside(Env env, const Ast *x, const Ast *d, Diag *diagnostic) {
  const char *name = d->name ? d->name : "x";
  switch (x->kind) {
  case AST_INSTANCE:
    diag_help(diagnostic, "in front of the loop: %s %s[%s](...);", x->b && x->b->name ? x->b->name : "Part", x->name,
              indices(env, true));
    break;
  case AST_BODY: diag_help(diagnostic, "in front of the loop: body %s[%s] { ... }", x->name, indices(env, true)); break;
  case AST_TOUCH: diag_help(diagnostic, "it finds all pairs by itself: move it out of the loop"); break;
  case AST_PARAM:
    diag_help(diagnostic, "a value for each index is a var: var %s = %s;", name, d->a ? ast_text(env.e, d->a) : "...");
    break;
  case AST_STATE:
  case AST_COORD:
  case AST_DISCRETE:
    diag_help(diagnostic, "in front of the loop: %s %s[%s] = ...;",
              x->kind == AST_STATE ? "state" : x->kind == AST_COORD ? "coord" : "discrete", name, indices(env, true));
    break;
  case AST_MULTIPLIER:
  case AST_ALGEBRAIC:
  case AST_NODE:
    diag_help(diagnostic, "in front of the loop: %s %s[%s];",
              x->kind == AST_NODE ? "node" : x->kind == AST_MULTIPLIER ? "multiplier" : "algebraic", name,
              indices(env, false));
    break;
  default: diag_help(diagnostic, "move it out of the loop");
  }
}

static bool belongs_outside(Env env, const Ast *x) {
  if (env.ctx.n == env.scope->ctx.n) return false;
  switch (x->kind) {
  case AST_PARAM:
  case AST_STATE:
  case AST_COORD:
  case AST_MULTIPLIER:
  case AST_DISCRETE:
  case AST_ALGEBRAIC:
  case AST_NODE:
  case AST_INSTANCE:
  case AST_BODY:
  case AST_GRAVITY:
  case AST_TOUCH:
  case AST_PAIR:
  case AST_MATERIAL:
  case AST_SIMULATE:
  case AST_FIT:
  case AST_ANALYSE:
  case AST_PLOT:
  case AST_EXPECT: break;
  default: return false;
  }
  const char *what = x->kind == AST_PARAM        ? "a parameter"
                     : x->kind == AST_STATE      ? "a state"
                     : x->kind == AST_COORD      ? "a coordinate"
                     : x->kind == AST_MULTIPLIER ? "a multiplier"
                     : x->kind == AST_DISCRETE   ? "a discrete variable"
                     : x->kind == AST_ALGEBRAIC  ? "an algebraic unknown"
                     : x->kind == AST_NODE       ? "a node"
                     : x->kind == AST_INSTANCE   ? "an instance"
                     : x->kind == AST_BODY       ? "a body"
                     : x->kind == AST_GRAVITY    ? "gravity"
                     : x->kind == AST_TOUCH      ? "a contact between shapes"
                     : x->kind == AST_PAIR       ? "a pair of materials"
                     : x->kind == AST_MATERIAL   ? "a material"
                     : x->kind == AST_SIMULATE   ? "`simulate`"
                     : x->kind == AST_PLOT       ? "a plot"
                     : x->kind == AST_FIT        ? "`fit`"
                     : x->kind == AST_ANALYSE    ? "`analyse`"
                                                 : "`expect`";
  bool itself = x->kind == AST_SIMULATE || x->kind == AST_PLOT || x->kind == AST_INSTANCE || x->kind == AST_BODY ||
                x->kind == AST_TOUCH || x->kind == AST_MATERIAL;
  const Ast *d = x->list.n && !itself ? x->list.at[0] : x;
  Diag *diagnostic = diag(env.e->bag, DIAG_E0219, d->name_span.file ? d->name_span : x->span,
                          "%s cannot be declared inside a `for`", what);
  diag_label(diagnostic, "inside the loop over %s", env.ctx.loop[env.ctx.n - 1].name);
  help_outside(env, x, d, diagnostic);
  return true;
}

static void loop(Env env, const Ast *x) {
  Env in;
  if (!loop_inside(env, x, &in)) return;
  force_local_vars(&in, x->list2);
  elab_items(in, x->list2);
}

static void each(Env env, const Ast *x, void (*what)(Env, const Ast *)) {
  for (int i = 0; i < x->list.n; i++)
    if (x->list.at[i]->kind == AST_DECL) what(env, x->list.at[i]);
}

static void init_state(Env env, const Ast *d) { init_statement(env, d, true); }
static void init_coord(Env env, const Ast *d) { init_statement(env, d, false); }

static void item(Env env, const Ast *x) {
  if (belongs_outside(env, x)) return;
  switch (x->kind) {
  case AST_STATE: each(env, x, init_state); break;
  case AST_COORD: each(env, x, init_coord); break;
  case AST_OUTPUT: each(env, x, output); break;
  case AST_KINETIC:
  case AST_POTENTIAL:
  case AST_DISSIPATION: elab_energy(env, x); break;
  case AST_FORCE: elab_force(env, x); break;
  case AST_EQUATION: equation(env, x); break;
  case AST_RELATION:
    env.declare = "multiplier";
    elab_relation(env, x);
    break;
  case AST_CONTACT: elab_contact(env, x); break;
  case AST_CONSTRAINT: elab_constraint(env, x); break;
  case AST_FOR: loop(env, x); break;
  case AST_IF: elab_items(env, chosen_items(env, x)); break;
  case AST_DRAW: elab_draw(env, x); break;
  case AST_PLOT: elab_plot(env, x); break;
  case AST_FIT:
  case AST_ANALYSE: elab_ask(env, x); break;
  case AST_BODY:
  case AST_INSTANCE: {
    Symbol *y = scope_find(env.scope, x->name);
    if (!y || y->decl != x || !symbol_force(y)) break;
    if (x->kind == AST_BODY) {
      body_items(y);
      break;
    }
    Span outside = diag_within(env.e->bag, part_of_library(y->child));
    elab_items(env_of(y->child), y->child->model->list2);
    (void)diag_within(env.e->bag, outside);
    break;
  }
  case AST_SIMULATE: elab_simulate(env, x); break;
  case AST_EXPECT: elab_expect(env, x); break;
  case AST_ASSERT: assertion(env, x); break;
  case AST_DISCRETE: each(env, x, init_state); break;
  case AST_NODE: each(env, x, hold_node); break;
  case AST_FLOW: elab_flow(env, x); break;
  case AST_EVERY:
  case AST_WHEN: vec_push(&env.e->event, ((EventItem){ env, x })); break;
  case AST_STOP:
  case AST_FAIL: {
    Diag *d = diag(env.e->bag, DIAG_E0236, x->span, "`%s` stands inside of a `when`", x->name);
    diag_label(d, "says nothing about when");
    diag_help(d, "when x > 1 { %s \"...\"; }", x->name);
    break;
  }
  default: break;   // PARAM, MULTIPLIER, VAR: declared already; ERROR: reported by the parser
  }
}

void elab_items(Env env, AstList items) {
  for (int i = 0; i < items.n; i++) item(env, items.at[i]);
}
