// Contacts and constraints. Each has a row, the variable name.lambda with the index of its loops, and more for friction
// (elab_friction.c); laws of contacts are checked here, whether they fit the form of the gap is a question for later
// stages.
#include <string.h>

#include "elab.h"

// --- rows ---

// a = b, or the normal of the long form: what is zero, a number or a vector, whose elements are rows.
static bool constraint_value(const Env *env, Symbol *y) {
  Elab *e = env->e;
  const Ast *x = y->decl;
  Value a = elab_expr(env, x->a), b = a, v = a;
  if (x->b) b = elab_expr(env, x->b);
  if (a.bad || b.bad) return false;
  bool nothing = !x->b || (b.ndim == 0 && mx_is_num(b.at[0], 0));       // a vector = 0
  bool same = nothing || (a.ndim == b.ndim && value_count(&a) == value_count(&b) && a.dim[0] == b.dim[0]);
  if (!same) {
    shape_error(env, x->a->span, &a, &b, "equate", "both sides of a constraint must have the same size");
    return false;
  }
  Ast both = {.kind = AST_BINARY, .op = AO_SUB, .span = x->a->span};
  if (!nothing) v = binary_value(env, AO_SUB, a, b, &both);
  if (v.bad || !unit_check(env, v, UNIT_ANY, "a constraint")) return false;
  if (v.ndim > 1) {
    Diag *d = diag(e->bag, DIAG_E0302, x->a->span, "a constraint is between numbers or vectors, not matrices");
    diag_label(d, "this is %s", shape_text(e, &v));
    diag_help(d, "take columns: A[1:%d, 1] = ...", v.dim[0]);
    return false;
  }
  y->value = v;
  y->nnormal = value_count(&v);
  return true;
}

bool row_force(Symbol *y) {
  Elab *e = y->env.e;
  Env env = y->env;
  if (!fors_inside(y, &env)) return false;
  if (env.ctx.n > MAX_INDICES) {
    not_supported(&env, DIAG_E0703, y->span, "a contact or constraint inside more than eight loops",
                  "instances and loops together may give eight indices");
    return false;
  }
  MVar v = {.kind = MV_ROW, .ndim = env.ctx.n, .unit = UNIT_ANY, .span = y->span};
  const char *row = family_name(&env, y->name);
  v.name = arena_printf(e->a, "%s.lambda", row);
  Text index = {0};
  for (int k = 0; k < y->nfors; k++) text_printf(&index, "%s%s", k ? "," : "[", y->fors[k]->name);
  if (y->nfors) text_addc(&index, ']');
  v.plain = arena_printf(e->a, "%s%s%s.lambda", env.scope->plain, y->name, text_str(&index));
  text_free(&index);
  family_bounds(&v, &env.ctx);
  y->id = -1;
  y->nnormal = 1;
  if (y->decl->kind == AST_CONSTRAINT && !constraint_value(&env, y)) return false;
  if (!count_slips(&env, y)) return false;
  if (y->decl->a) {
    y->id = (int)e->var.n;
    for (int k = 0; k < y->nnormal; k++) {
      MVar part = v;
      if (y->nnormal > 1) {
        part.name = arena_printf(e->a, "%s[%d]", v.name, k + 1);
        part.plain = arena_printf(e->a, "%s[%d]", v.plain, k + 1);
      }
      vec_push(&e->var, part);
    }
  }
  friction_rows(y, &v);
  return true;
}

static Symbol *row_of(const Env *env, const Ast *x) {
  Symbol *y = x->name ? scope_find(env->scope, x->name) : NULL;
  return y && y->decl == x && symbol_force(y) ? y : NULL;
}

// --- laws ---

MExpr *coefficient(const Env *env, const Ast *x, Unit unit, const char *what) {
  Value v = elab_scalar(env, x->kind == AST_ARG ? x->a : x);
  if (!unit_check(env, v, unit, what)) return NULL;
  if (extra_uses(&v, MU_PARAM | MU_LOOP)) {
    not_constant(env, &v, what, "use a number or a parameter");
    return NULL;
  }
  return v.at[0];
}

// newton(e[, e_t]), poisson(e), binary(e), lzb(e[, ratio[, exponent]]), inelastic, elastic.
static bool impact_law(const Env *env, const Ast *law, MContact *c, Span *first) {
  MImpactLaw kind = impact_law_named(law->name);
  const ImpactLaw *row = impact_law_row(kind);
  if (c->has_impact_law) {
    Diag *d = diag(env->e->bag, DIAG_E0225, law->span, "a second impact law");
    diag_label(d, "there is one already");
    diag_also(d, *first, "the first one");
    diag_help(d, "keep one of them");
    return false;
  }
  if (!law_arguments(env, law, row ? row->least : 0, row ? row->most : 0)) return false;
  c->has_impact_law = true;
  c->impact = kind;
  c->law_span = law->span;
  *first = law->span;
  if (!row) {
    c->e = mx_num(env->e->a, is_law(law, "elastic") ? 1 : 0, law->span);
    return true;
  }
  int n = law->list.n;
  Ast *const *at = law->list.at;
  c->e = coefficient(env, at[0], UNIT_ONE, "a restitution coefficient");
  if (n > 1 && kind == MI_NEWTON)
    return (c->e_t = coefficient(env, at[1], UNIT_ONE, "a tangential restitution coefficient")) && c->e;
  if (n > 1) c->ratio = coefficient(env, at[1], UNIT_ONE, "a ratio of stiffnesses");
  if (n > 2) c->exponent = coefficient(env, at[2], UNIT_ONE, "an exponent of a force");
  return c->e && (n < 2 || c->ratio) && (n < 3 || c->exponent);
}

static bool laws(const Env *env, const Ast *x, MContact *c) {
  bool ok = true;
  Span first = {0};
  for (int i = 0; i < x->list2.n; i++) {
    const Ast *law = x->list2.at[i];
    unsigned a = asserted_class(law);
    if (a) {
      c->asserted |= a;
      c->assert_span = law->span;
    } else if (is_impact(law)) {
      ok = impact_law(env, law, c, &first) && ok;
    } else if (!is_friction(law)) {
      unknown_law(env, law);
      ok = false;
    }
  }
  return ok;
}

// --- contacts ---

// Does x use variable id?
static bool uses_var(const MExpr *x, int id, unsigned along, Map *seen) {
  if (!(x->uses & along) || map_get(seen, x)) return false;
  map_put(seen, x, (void *)x);
  if (x->kind == MX_VAR && x->id == id) return true;
  for (int i = 0; i < x->nargs; i++)
    if (uses_var(x->arg[i], id, along, seen)) return true;
  return false;
}

// Under a given normal force: no gap, nothing to hit.
static void given_force(const Env *env, const Ast *x, MContact *c) {
  if (c->has_impact_law) {
    Diag *d = diag(env->e->bag, DIAG_E0403, c->law_span, "contact `%s` is always closed and has no impacts", x->name);
    diag_also(d, x->b->span, "the normal force is given");
    diag_help(d, "leave the impact law out, or give a gap: normal = ...;");
    return;
  }
  vec_push(&env->e->contact, *c);
}

void elab_contact(Env env, const Ast *x) {
  Elab *e = env.e;
  Symbol *row = row_of(&env, x);
  if (!own_indices(&env, x, "contact") || !row) return;
  MContact c = { .ctx = env.ctx,
                 .name = family_name(&env, x->name),
                 .row_var = row->id,
                 .span = x->span,
                 .law_span = x->span,
                 .assert_span = x->span };
  bool ok = laws(&env, x, &c);
  ok = elab_friction(&env, x, row, &c.friction) && ok;
  if (!x->a) {
    if (ok) given_force(&env, x, &c);
    return;
  }
  Value gap = elab_scalar(&env, x->a);
  if (gap.bad || !unit_check(&env, gap, UNIT_ANY, "a gap") || !ok) return;
  c.gap = gap.at[0];
  c.gap_span = gap.span;
  bool compliant = uses_var(c.gap, row->id, MU_LAMBDA, map_new(e->a));
  if (!c.has_impact_law && !compliant) {
    Diag *d = diag(e->bag, DIAG_E0214, x->name_span, "contact `%s` has no impact law", x->name);
    diag_label(d, "what happens to the velocity when the gap closes?");
    diag_note(d, "newton(e) reverses the normal velocity, e = 0 is inelastic and e = 1 elastic");
    const char *index = loop_indices(&env);
    if (x->c)
      diag_help(d, "contact %s%s { normal = %s; slip = %s; with newton(0.5), ...; }", x->name, index, ast_text(e, x->a),
                ast_text(e, x->c));
    else diag_help(d, "contact %s%s: %s >= 0 with newton(0.5);", x->name, index, ast_text(e, x->a));
    return;
  }
  e->var.at[row->id].unit = compliant ? force_along(gap.unit) : impulse_along(gap.unit, false);
  vec_push(&e->contact, c);
}

// --- constraints ---

enum { MOST_NORMALS = 3 };

// One row for each element, name[1], name[2], ...; the last has the friction.
static void rows(const Env *env, const Symbol *row, MConstraint c, bool normals) {
  Elab *e = env->e;
  MFriction friction = c.friction;
  const char *name = c.name;
  bool one = row->value.ndim == 0;
  for (int k = 0; k < row->nnormal; k++) {
    if (!one) c.name = arena_printf(e->a, normals ? "%s.normal[%d]" : "%s[%d]", name, k + 1);
    c.row_var = row->id + k;
    c.value = row->value.at[k];
    c.friction = k + 1 == row->nnormal ? friction : (MFriction){ 0 };
    e->var.at[c.row_var].unit = impulse_along(row->value.unit, c.value->uses & MU_RATE);
    vec_push(&e->constraint, c);
  }
}

// normal = [a, b]
static void directed(const Env *env, const Ast *x, const Symbol *row, MConstraint c) {
  if (row->nnormal > MOST_NORMALS) {
    Diag *d = diag(env->e->bag, DIAG_E0302, x->a->span, "a constraint has up to three normal directions");
    diag_label(d, "%d are given", row->nnormal);
    diag_help(d, "write several constraints, and give the friction to the one that it belongs to");
    return;
  }
  rows(env, row, c, true);
}

void elab_constraint(Env env, const Ast *x) {
  Symbol *row = row_of(&env, x);
  if (!own_indices(&env, x, "constraint") || !row) return;
  MConstraint c = {.ctx = env.ctx, .name = family_name(&env, x->name), .row_var = row->id, .span = x->span};
  for (int i = 0; i < x->list2.n; i++) {
    const Ast *law = x->list2.at[i];
    if (asserted_class(law) || is_friction(law)) continue;
    if (is_impact(law)) {
      Diag *d = diag(env.e->bag, DIAG_E0212, law->span, "a constraint holds always, without impacts and their laws");
      diag_label(d, "a law of contacts");
      diag_help(d, "leave it out; what may open is a contact: contact NAME: gap >= 0 with %s;", ast_text(env.e, law));
    } else unknown_law(&env, law);
    return;
  }
  if (!elab_friction(&env, x, row, &c.friction)) return;
  if (x->b) rows(&env, row, c, false);
  else directed(&env, x, row, c);
}
