// kinetic, potential, dissipation. A sum that stands additively, also under a factor, becomes a family with one more
// loop:
//   a*sum(i in 1:n) e   is   for i in 1:n { a*e }
// so that neither code nor compile time grows with n. Sums elsewhere are written out; so is one whose index bounds a
// sum within it.
#include "elab.h"

typedef struct Energy { MEnergyKind kind; const char *what; Unit unit; Span span; } Energy;

static bool contains_sum(const Ast *x) {
  if (!x) return false;
  if (x->kind == AST_SUM) return true;
  if (contains_sum(x->a) || contains_sum(x->b) || contains_sum(x->c)) return true;
  for (int i = 0; i < x->list.n; i++)
    if (contains_sum(x->list.at[i])) return true;
  return false;
}

static bool names(const Ast *x, const char *name) {
  if (!x) return false;
  if (x->name == name) return true;
  if (names(x->a, name) || names(x->b, name) || names(x->c, name)) return true;
  for (int i = 0; i < x->list.n; i++)
    if (names(x->list.at[i], name)) return true;
  return false;
}

// Does a sum within x run up to something of `name`? A sum is written out, and for that its bounds must be numbers.
static bool bounds_a_sum(const Ast *x, const char *name) {
  if (!x) return false;
  if (x->kind == AST_SUM && names(x->a, name)) return true;
  if (bounds_a_sum(x->a, name) || bounds_a_sum(x->b, name) || bounds_a_sum(x->c, name)) return true;
  for (int i = 0; i < x->list.n; i++)
    if (bounds_a_sum(x->list.at[i], name)) return true;
  return false;
}

// Additive sums within it become loops as well.
static bool only_additive(const Ast *x, const char *name) {
  if (x->kind == AST_SUM) return names(x->a, name) ? only_additive(x->b, name) : !bounds_a_sum(x->b, name);
  if (x->kind == AST_PAREN) return only_additive(x->a, name);
  return !bounds_a_sum(x, name);
}

static void push(const Env *env, const Energy *g, Value v, const Value *factor) {
  if (factor) {
    v.at[0] = mx_2(env->e->a, MOP_MUL, factor->at[0], v.at[0], v.span);
    v.unit = unit_mul(factor->unit, v.unit);
  }
  if (!unit_check(env, v, g->unit, g->what)) return;
  if (v.at[0]->uses & MU_LAMBDA) {
    Diag *d = diag(env->e->bag, DIAG_E0231, v.span, "%s cannot depend on a multiplier", g->what);
    diag_label(d, "uses a multiplier");
    diag_help(d, "a multiplier acts through its relation, a force through `force z = ...;`");
    return;
  }
  if (g->kind == ME_POTENTIAL && v.at[0]->uses & MU_RATE) {
    Diag *d = diag(env->e->bag, DIAG_E0231, v.span, "a potential depends on positions only");
    diag_label(d, "uses a velocity");
    diag_help(d, "for damping write `dissipation`, for other forces `force z = ...;`");
    return;
  }
  MEnergy m = {.ctx = env->ctx, .kind = g->kind, .value = v.at[0], .span = g->span};
  vec_push(&env->e->energy, m);
}

static void split(const Env *env, const Energy *g, const Ast *x, const Value *factor);

// factor (times or over) other
static bool scale(const Env *env, const Value *factor, const Ast *other, bool over, Value *out) {
  Value v = elab_scalar(env, other);
  if (v.bad || !unit_check(env, v, UNIT_ANY, "a factor")) return false;
  Value f = factor ? *factor : scalar_value(mx_num(env->e->a, 1, other->span), UNIT_BARE, other->span, env);
  *out = f;
  bool trivial = !over && !factor;
  out->at = ARENA_ARRAY(env->e->a, MExpr *, 1);
  out->at[0] = trivial ? v.at[0] : mx_2(env->e->a, over ? MOP_DIV : MOP_MUL, f.at[0], v.at[0], other->span);
  out->unit = over ? unit_div(f.unit, v.unit) : unit_mul(f.unit, v.unit);
  return true;
}

static void split_sum(const Env *env, const Energy *g, const Ast *x, const Value *factor) {
  MExpr *lo, *hi;
  if (!elab_range(env, x->a, true, "the range of this sum", &lo, &hi)) return;
  if (env->ctx.n >= MAX_LOOPS) {
    not_supported(env, DIAG_E0703, x->span, "sums nested this deep", "use at most eight levels");
    return;
  }
  warn_shadow(env, x->name, x->name_span);
  Env in = env_loop(*env, x->name, x->name_span, lo, hi, x->a->span);
  split(&in, g, x->b, factor);
}

static void split(const Env *env, const Energy *g, const Ast *x, const Value *factor) {
  bool in_a = contains_sum(x->a), in_b = contains_sum(x->b);
  Value f;
  if (x->kind == AST_SUM && (only_additive(x->b, x->name) || env->ctx.n)) {
    split_sum(env, g, x, factor);
  } else if (x->kind == AST_PAREN && in_a) {
    split(env, g, x->a, factor);
  } else if (x->kind == AST_BINARY && (x->op == AO_ADD || x->op == AO_SUB) && (in_a || in_b)) {
    split(env, g, x->a, factor);
    f = factor ? *factor : scalar_value(mx_num(env->e->a, 1, x->span), UNIT_BARE, x->span, env);
    if (x->op == AO_SUB) f = negated(env, f, x->span);
    split(env, g, x->b, x->op == AO_SUB ? &f : factor);
  } else if (x->kind == AST_UNARY && x->op == AO_NEG && in_a) {
    f = factor ? *factor : scalar_value(mx_num(env->e->a, 1, x->span), UNIT_BARE, x->span, env);
    f = negated(env, f, x->span);
    split(env, g, x->a, &f);
  } else if (x->kind == AST_BINARY && x->op == AO_MUL && in_a != in_b) {
    if (scale(env, factor, in_a ? x->b : x->a, false, &f)) split(env, g, in_a ? x->a : x->b, &f);
  } else if (x->kind == AST_BINARY && x->op == AO_DIV && in_a && !in_b) {
    if (scale(env, factor, x->b, true, &f)) split(env, g, x->a, &f);
  } else {
    Value v = elab_scalar(env, x);
    if (!v.bad) push(env, g, v, factor);
  }
}

void elab_energy(Env env, const Ast *x) {
  Energy g = {.kind = ME_KINETIC, .what = "a kinetic energy", .unit = unit_named("J"), .span = x->span};
  if (x->kind == AST_POTENTIAL) {
    g.kind = ME_POTENTIAL;
    g.what = "a potential energy";
  } else if (x->kind == AST_DISSIPATION) {
    g.kind = ME_DISSIPATION;
    g.what = "a dissipation";
    g.unit = unit_named("W");
  }
  if (x->a) split(&env, &g, x->a, NULL);
}
