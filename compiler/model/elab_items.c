// Statements. Each is elaborated once, in the context of the loops and instances around it; vector equations become one
// equation for each row.
#include <stdio.h>

#include "elab.h"

void not_supported(const Env *env, DiagCode code, Span at, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, code, at, "not supported yet: %s", what);
  diag_label(d, "not in this version");
  diag_help(d, "%s", help);
}

// --- names of families ---

// The rows of a family are told apart by the indices of the loops around them, in their order: for i in 1:n { contact
// pair[i]: ... }
bool own_indices(const Env *env, const Ast *x, const char *what) {
  int outer = env->scope->ctx.n, want = env->ctx.n - outer;
  bool ok = x->list.n == want;
  for (int k = 0; ok && k < want; k++) {
    const Ast *i = x->list.at[k];
    ok = i->kind == AST_NAME && i->name == env->ctx.loop[outer + k].name;
  }
  if (ok) return true;
  Text index = {0};
  for (int k = 0; k < want; k++) text_printf(&index, "%s%s", k ? ", " : "[", env->ctx.loop[outer + k].name);
  if (want) text_addc(&index, ']');
  Diag *d = diag(env->e->bag, DIAG_E0229, x->name_span.file ? x->name_span : x->span,
                 "the indices of %s `%s` do not match the loops around it", what, x->name ? x->name : "");
  if (want == 0) diag_label(d, "there is no loop around it");
  else diag_label(d, "inside the loop%s over %s", want == 1 ? "" : "s", text_str(&index));
  diag_help(d, "%s %s%s: ...", what, x->name ? x->name : "name", text_str(&index));
  text_free(&index);
  return false;
}

const char *index_marks(Elab *e, int n) {
  Text t = {0};
  for (int k = 0; k < n; k++) text_add(&t, k ? ",%" : "[%");
  if (n) text_addc(&t, ']');
  const char *r = arena_printf(e->a, "%s", text_str(&t));
  text_free(&t);
  return r;
}

const char *family_name(const Env *env, const char *name) {
  Elab *e = env->e;
  return arena_printf(e->a, "%s%s", prefixed(e, env->scope->path, name ? name : "unnamed"),
                      index_marks(e, env->ctx.n - env->scope->ctx.n));
}

// --- equations and forces ---

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

static void equation(Env env, const Ast *x) {
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
  if (!unit_compatible(a.unit, b.unit)) {
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
  if (!((extra_uses(&a, 0) | extra_uses(&b, 0)) & MU_RATE)) {
    Diag *d = diag(env.e->bag, DIAG_E0230, x->span, "this equation has no derivative of a state");
    diag_label(d, "no x' in it");
    diag_note(d, "equations give the derivatives of states: x' = ...;");
    if (is_given(&env, x, &a, &b))
      diag_help(d, "in place of the state declare var %s = %s;", x->a->name, ast_text(env.e, x->b));
    else diag_help(d, "for an abbreviation write `var`; between coordinates write constraint N: a = b;");
    return;
  }
  for (int i = 0; i < value_count(&a); i++) {
    MEquation q = {.ctx = env.ctx, .lhs = a.at[i], .rhs = b.at[i], .span = x->span};
    vec_push(&env.e->equation, q);
  }
}

static void force(Env env, const Ast *x) {
  Elab *e = env.e;
  Env of_coordinate = env;
  of_coordinate.declare = "coord";
  Value on = elab_expr(&of_coordinate, x->a), v = elab_expr(&env, x->b);
  if (on.bad || v.bad) return;
  for (int i = 0; i < value_count(&on); i++) {
    const MExpr *q = on.at[i];
    if (q->kind == MX_VAR && !q->derivative && e->var.at[q->id].kind == MV_COORD) continue;
    Diag *d = diag(e->bag, DIAG_E0223, on.span, "a force acts on a coordinate");
    diag_label(d, q->kind == MX_VAR && q->derivative ? "this is a velocity" : "this is not a coordinate");
    if (q->kind == MX_VAR) diag_also(d, e->var.at[q->id].span, "declared here");
    if (q->kind == MX_PARAM) diag_also(d, e->param.at[q->id].span, "declared here");
    diag_help(d, q->kind == MX_VAR && q->derivative ? "leave the ' out: force z = ...;"
                                                    : "a general force is written on each coordinate: force z = ...;");
    return;
  }
  bool same = on.ndim == v.ndim && value_count(&on) == value_count(&v);
  if (!same) {
    shape_error(&env, x->span, &on, &v, "equate", "a force has one component for each coordinate");
    return;
  }
  Unit want = on.unit.state == UNIT_KNOWN ? unit_div(unit_named("J"), on.unit) : UNIT_ANY;
  char what[200];
  const char *text = ast_text(e, x->a);
  (void)snprintf(what, sizeof what, "the force on `%.100s`", text);
  if (!unit_check(&env, v, want, what)) return;
  for (int i = 0; i < value_count(&on); i++) {
    MForce f = {.ctx = env.ctx, .on = on.at[i], .value = v.at[i], .span = x->span};
    vec_push(&e->force, f);
  }
}

// --- outputs ---

static void push_output(const Env *env, const char *name, MExpr *value, Unit u, const Ast *d) {
  MOutput o = {.ctx = env->ctx, .name = name, .value = value, .unit = u, .doc = d->doc, .span = d->name_span};
  vec_push(&env->e->output, o);
}

static void output(Env env, const Ast *d) {
  Elab *e = env.e;
  Value v;
  if (env.ctx.n > env.scope->ctx.n) {   // inside a for
    if (!own_indices(&env, d, "output") || !d->a) return;
    v = adopt(&env, elab_expr(&env, d->a), d, "output");
  } else {
    Symbol *y = scope_find(env.scope, d->name);
    if (!y || y->decl != d || !symbol_force(y)) return;
    v = y->value;
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

static void assertion(Env env, const Ast *x) {
  Value v = elab_condition(&env, x->a);
  if (v.bad) return;
  MAssert a = {.ctx = env.ctx, .cond = v.at[0], .text = x->doc ? x->doc : ast_text(env.e, x->a), .span = x->a->span};
  vec_push(&env.e->assertion, a);
}

// --- blocks ---

static bool belongs_outside(Env env, const Ast *x) {
  if (env.ctx.n == env.scope->ctx.n) return false;
  switch (x->kind) {
  case AST_PARAM:
  case AST_STATE:
  case AST_COORD:
  case AST_MULTIPLIER:
  case AST_DISCRETE:
  case AST_INSTANCE:
  case AST_SIMULATE:
  case AST_EXPECT: break;
  default: return false;
  }
  const char *what = x->kind == AST_PARAM        ? "a parameter"
                     : x->kind == AST_STATE      ? "a state"
                     : x->kind == AST_COORD      ? "a coordinate"
                     : x->kind == AST_MULTIPLIER ? "a multiplier"
                     : x->kind == AST_DISCRETE   ? "a discrete variable"
                     : x->kind == AST_INSTANCE   ? "an instance"
                     : x->kind == AST_SIMULATE   ? "`simulate`"
                                                 : "`expect`";
  const Ast *d = x->list.n && x->kind != AST_SIMULATE && x->kind != AST_INSTANCE ? x->list.at[0] : x;
  Diag *diagnostic = diag(env.e->bag, DIAG_E0219, d->name_span.file ? d->name_span : x->span,
                          "%s cannot be declared inside a `for`", what);
  diag_label(diagnostic, "inside the loop over %s", env.ctx.loop[env.ctx.n - 1].name);
  if (x->kind == AST_INSTANCE)
    diag_help(diagnostic, "in front of the loop: %s %s[%s in ...](...);", x->b && x->b->name ? x->b->name : "Part",
              x->name, env.ctx.loop[env.ctx.n - 1].name);
  else if (x->kind == AST_SIMULATE || x->kind == AST_EXPECT) diag_help(diagnostic, "move it out of the loop");
  else diag_help(diagnostic, "declare an array in front of the loop: %s[n]", d->name ? d->name : "x");
  return true;
}

static void loop(Env env, const Ast *x) {
  MExpr *lo, *hi;
  if (!elab_range(&env, x->a, true, "the range of a loop", &lo, &hi)) return;
  if (env.ctx.n >= MAX_LOOPS) {
    not_supported(&env, DIAG_E0703, x->span, "loops nested this deep", "use at most eight levels");
    return;
  }
  warn_shadow(&env, x->name, x->name_span);
  Env in = env_loop(env, x->name, x->name_span, lo, hi, x->a->span);
  declare_local_vars(&in, x->list2);
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
  case AST_FORCE: force(env, x); break;
  case AST_EQUATION: equation(env, x); break;
  case AST_RELATION:
    env.declare = "multiplier";
    elab_relation(env, x);
    break;
  case AST_CONTACT: elab_contact(env, x); break;
  case AST_CONSTRAINT: elab_constraint(env, x); break;
  case AST_FOR: loop(env, x); break;
  case AST_INSTANCE: {
    Symbol *y = scope_find(env.scope, x->name);
    if (y && y->decl == x) elab_instance_items(y);
    break;
  }
  case AST_SIMULATE: elab_simulate(env, x); break;
  case AST_EXPECT: elab_expect(env, x); break;
  case AST_ASSERT: assertion(env, x); break;
  case AST_DISCRETE: each(env, x, init_state); break;
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
