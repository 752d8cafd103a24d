// Relations: set-valued laws between an output y and a multiplier, all brought to one form, -y in N_[lo,hi](lambda):
//   0 <= y perp lambda >= 0          ML_NONNEG: [0, inf)
//   u in a + b*sgn(s)                ML_BOX: [a - |b|, a + |b|], y = -sign(b)*s
//   -y in normal_cone([lo, hi], u)   ML_BOX; ML_FREE when both are infinite (y = 0)
// Vectors give one relation for each element.
//   u in graph(s, [(s1, u1), ...])       elab_graph.c: a box for each piece
//   -y in normal_cone({l : ...}, l)      elab_polyhedron.c: a complementarity for each face
#include <math.h>
#include <string.h>

#include "elab_relation.h"

// --- sizes ---

static void push(const Env *env, const Ast *x, const Sides *s) {
  Elab *e = env->e;
  if (!relation_fits(env, &s->y, &s->u) || (s->u.ndim && !s->y.ndim && !relation_fits(env, &s->u, &s->y))) return;
  if (s->law == ML_BOX && (!relation_fits(env, &s->lo, &s->u) || !relation_fits(env, &s->hi, &s->u))) return;
  const char *name = family_name(env, x->name);
  for (int i = 0; i < value_count(&s->u); i++) {
    MRelation r = { .ctx = env->ctx,
                    .law = s->law,
                    .y = relation_element(&s->y, i),
                    .lambda = relation_element(&s->u, i),
                    .asserted = s->asserted,
                    .span = x->span,
                    .y_span = s->y.span,
                    .lambda_span = s->u.span,
                    .law_span = s->law_span };
    r.name = s->u.ndim ? arena_printf(e->a, "%s[%d]", name, i + 1) : name;
    if (s->law == ML_BOX) {
      r.lo = relation_element(&s->lo, i);
      r.hi = relation_element(&s->hi, i);
    }
    push_relation(env, r);
  }
}

// --- complementarity ---

static void complementarity(const Env *env, const Ast *x, Sides *s) {
  const Ast *law = x->a;
  Value a = elab_expr(env, law->a), b = elab_expr(env, law->b);
  if (a.bad || b.bad || !unit_check(env, a, UNIT_ANY, "a side of a complementarity") ||
      !unit_check(env, b, UNIT_ANY, "a side of a complementarity"))
    return;
  bool in_a = is_multiplier(env, &a), in_b = is_multiplier(env, &b);
  if (!in_a && !in_b) {
    const char *kind = env->block ? "discrete variable" : "multiplier";
    Diag *d = diag(env->e->bag, DIAG_E0207, a.span, "one side of a complementarity must be a %s", kind);
    diag_label(d, "not just a %s", kind);
    diag_also(d, b.span, "nor is this");
    if (env->block) {
      diag_help(d, "discrete u = 0;  every T { relation %s: 0 <= %s perp u >= 0; }", x->name,
                ast_text(env->e, law->a));
      return;
    }
    diag_help(d, "multiplier lambda; relation %s: 0 <= %s perp lambda >= 0; and let lambda act in an equation", x->name,
              ast_text(env->e, law->a));
    return;
  }
  bool swap = !in_b;   // between two multipliers see choose_sides in elab_check.c
  s->law = ML_NONNEG;
  s->y = swap ? b : a;
  s->u = swap ? a : b;
  push(env, x, s);
}

// --- boxes ---

// Is this written as something that is not negative? Parameters count: a relay's height is one.
static bool looks_positive(const MExpr *k) {
  if (k->kind == MX_NUM) return k->num >= 0;
  if (k->kind == MX_PARAM) return true;
  if (k->kind != MX_OP) return false;
  if (k->op == MOP_ABS || k->op == MOP_SQRT || k->op == MOP_EXP) return true;
  if (k->op == MOP_MUL || k->op == MOP_DIV || k->op == MOP_ADD)
    return looks_positive(k->arg[0]) && looks_positive(k->arg[1]);
  return false;
}

static MExpr *add(Arena *m, MExpr *a, MExpr *b, bool minus, Span at) {
  if (!a) return minus ? mx_neg(m, b, at) : b;
  if (a->kind == MX_NUM && b->kind == MX_NUM) return mx_num(m, minus ? a->num - b->num : a->num + b->num, at);
  return mx_2(m, minus ? MOP_SUB : MOP_ADD, a, b, at);
}

static void relay(const Env *env, const Ast *x, Sides *s) {
  Arena *m = env->e->a;
  const Ast *law = x->a;
  Relay r;
  s->u = elab_expr(env, law->a);
  if (!relay_form(env, law->b, &r) || s->u.bad) return;
  if (!is_multiplier(env, &s->u)) {
    needs_multiplier(env, s->u.span, "the left side of `in` must be a multiplier",
                     "multiplier u; relation N: u in -K*sgn(s); and let u act in an equation");
    return;
  }
  Span at = law->b->span;
  int n = value_count(&s->u);
  if (!r.has_b) r.b = scalar_value(mx_num(m, 1, at), UNIT_BARE, at, env);
  if (!relation_fits(env, &r.s, &s->u) || !relation_fits(env, &r.b, &s->u) ||
      (r.has_a && !relation_fits(env, &r.a, &s->u))) return;
  Unit height = r.has_a ? unit_merge(r.a.unit, r.b.unit) : r.b.unit;
  if ((r.has_a && !unit_check(env, r.a, r.b.unit, "the centre of the relay")) ||
      !unit_check(env, s->u, height, "the multiplier of this relay"))
    return;
  bare_number(env, &s->u, &r.b);
  s->law = ML_BOX;
  s->lo = s->hi = s->u;
  s->y = s->u;
  s->lo.span = s->hi.span = at;
  s->y.span = r.s.span;
  s->lo.at = ARENA_ARRAY(m, MExpr *, n);
  s->hi.at = ARENA_ARRAY(m, MExpr *, n);
  s->y.at = ARENA_ARRAY(m, MExpr *, n);
  for (int i = 0; i < n; i++) {
    MExpr *k = relation_element(&r.b, i), *sense = relation_element(&r.s, i),
          *a = r.has_a ? relation_element(&r.a, i) : NULL;
    bool negative = r.negative;
    if (k->kind == MX_NUM && k->num < 0) {
      k = mx_num(m, -k->num, at);
      negative = !negative;
    } else if (k->kind == MX_OP && k->op == MOP_NEG && looks_positive(k->arg[0])) {
      k = k->arg[0];
      negative = !negative;
    } else if (!looks_positive(k)) {   // the sign is known only during the run
      sense = mx_2(m, MOP_MUL, mx_1(m, MOP_SIGN, k, at), sense, at);
      k = mx_1(m, MOP_ABS, k, at);
    }
    s->y.at[i] = negative ? sense : mx_neg(m, sense, r.s.span);
    s->lo.at[i] = add(m, a, k, true, at);
    s->hi.at[i] = add(m, a, k, false, at);
  }
  push(env, x, s);
}

static bool all_infinite(const Value *v, double sign) {
  for (int i = 0; i < value_count(v); i++)
    if (v->at[i]->kind != MX_NUM || !isinf(v->at[i]->num) || v->at[i]->num * sign < 0) return false;
  return true;
}

static bool all_zero(const Value *v) {
  for (int i = 0; i < value_count(v); i++)
    if (!mx_is_num(v->at[i], 0)) return false;
  return true;
}

static void normal_cone(const Env *env, const Ast *x, const Ast *cone, Sides *s) {
  Elab *e = env->e;
  const Ast *lhs = without_parentheses(x->a->a);
  if (!arity_ok(env, cone, 2)) return;
  const Ast *box = without_parentheses(cone->list.at[0]);
  if (box->kind == AST_SET) {
    polyhedron_law(env, x, cone, s);
    return;
  }
  if (box->kind != AST_VECTOR || box->list.n != 2) {
    Diag *d = diag(e->bag, DIAG_E0227, box->span, "the first argument of normal_cone is an interval");
    diag_label(d, "not of the form [lo, hi]");
    diag_help(d, "normal_cone([0, inf], u), or of a vector l: normal_cone({l : A*l <= b}, l)");
    return;
  }
  bool minus = lhs->kind == AST_UNARY && lhs->op == AO_NEG;
  s->y = minus ? elab_expr(env, lhs->a) : negated(env, elab_expr(env, lhs), lhs->span);
  s->lo = elab_expr(env, box->list.at[0]);
  s->hi = elab_expr(env, box->list.at[1]);
  s->u = elab_expr(env, cone->list.at[1]);
  if (s->y.bad || s->lo.bad || s->hi.bad || s->u.bad || !unit_check(env, s->y, UNIT_ANY, "the output of a relation"))
    return;
  if (!is_multiplier(env, &s->u)) {
    needs_multiplier(env, s->u.span, "the second argument of normal_cone must be a multiplier",
                     "multiplier u; relation N: -y in normal_cone([lo, hi], u);");
    return;
  }
  if (!unit_check(env, s->lo, s->u.unit, "the lower bound of the multiplier") ||
      !unit_check(env, s->hi, s->u.unit, "the upper bound of the multiplier"))
    return;
  bare_number(env, &s->u, &s->lo);
  bare_number(env, &s->u, &s->hi);
  bool no_upper = all_infinite(&s->hi, 1);
  s->law = no_upper && all_infinite(&s->lo, -1) ? ML_FREE : no_upper && all_zero(&s->lo) ? ML_NONNEG : ML_BOX;
  push(env, x, s);
}

// --- all ---

// A call of this function inside of an expression, or NULL.
static const Ast *call_of(const Ast *x, const char *name) {
  if (!x) return NULL;
  if (x->kind == AST_CALL && !strcmp(x->name, name)) return x;
  const Ast *found = call_of(x->a, name);
  if (!found) found = call_of(x->b, name);
  for (int i = 0; i < x->list.n && !found; i++) found = call_of(x->list.at[i], name);
  return found;
}

static void no_set(Elab *e, const Ast *law, const Ast *set) {
  Diag *d = diag(e->bag, DIAG_E0227, set->span, "this is not a set that a relation can use");
  diag_label(d, "neither sgn(...) nor graph(...) nor normal_cone(...)");
  if (call_of(set, "sign"))
    diag_help(d, "sgn is the set, sign the function that is 0 at 0: %s in -K*sgn(s)", ast_text(e, law->a));
  else
    diag_help(d, "u in -K*sgn(s), u in graph(s, [(-1, -1), (0, -1), (0, 1), (1, 1)]), or -y in normal_cone([lo, hi], "
              "u)");
}

void elab_relation(Env env, const Ast *x) {
  Elab *e = env.e;
  const Ast *law = x->a;
  Sides s = {.law_span = law ? law->span : x->span};
  if (!law || !own_indices(&env, x, "relation")) return;
  for (int i = 0; i < x->list2.n; i++) {
    unsigned a = asserted_class(x->list2.at[i]);
    s.asserted |= a;
    if (a) continue;
    Diag *d = diag(e->bag, DIAG_E0212, x->list2.at[i]->span, "`%s` is not a class of relations", x->list2.at[i]->name);
    diag_label(d, "unknown here");
    if (known_law(x->list2.at[i]))
      diag_help(d, "leave it out: a relation is its own law, and laws of impact and friction are those of contacts");
    else diag_help(d, "one of: type1, type2, scleronomous, rheonomous");
    return;
  }
  if (law->kind == AST_COMPLEMENTARITY) {
    complementarity(&env, x, &s);
  } else if (law->kind == AST_INCLUSION) {
    const Ast *set = without_parentheses(law->b);
    if (set->kind == AST_CALL && strcmp(set->name, "normal_cone") == 0) {
      normal_cone(&env, x, set, &s);
    } else if (set->kind == AST_CALL && strcmp(set->name, "graph") == 0) {
      graph_law(&env, x, set, &s);
    } else if (has_sgn(set)) {
      relay(&env, x, &s);
    } else {
      no_set(e, law, set);
    }
  } else if (law->kind == AST_EQUALITY) {
    Diag *d = diag(e->bag, DIAG_E0207, law->span, "this relation does not say which multiplier enforces it");
    diag_label(d, "an equation between two values");
    const Ast *relay = call_of(law->b, "sgn") ? call_of(law->b, "sgn") : call_of(law->b, "sign");
    if (relay && law->a->kind == AST_NAME) {
      diag_note(d, "a relay is a set: at 0 the multiplier takes any value between");
      const char *value = ast_text(e, law->b);
      int before = (int)(relay->span.lo - law->b->span.lo);
      diag_help(d, "relation %s: %s in %.*ssgn%s;", x->name, ast_text(e, law->a), before, value,
                value + before + (int)strlen(relay->name));
      return;
    }
    bool product = law->a->kind == AST_BINARY && law->a->op == AO_MUL && law->b->kind == AST_NUMBER &&
                   law->b->number == 0;
    if (product) {
      diag_help(d, "relation %s: 0 <= %s perp %s >= 0;", x->name, ast_text(e, law->a->a), ast_text(e, law->a->b));
      return;
    }
    diag_note(d, "a multiplier without bounds enforces y = 0: its set is [-inf, inf]");
    bool simple = law->b->kind != AST_BINARY && law->b->kind != AST_UNARY && law->b->kind != AST_COND;
    diag_help(d,
              simple ? "relation %s: -(%s - %s) in normal_cone([-inf, inf], u);"
                     : "relation %s: -(%s - (%s)) in normal_cone([-inf, inf], u);",
              x->name, ast_text(e, law->a), ast_text(e, law->b));
  }
}
