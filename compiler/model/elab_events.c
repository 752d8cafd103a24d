// Events: `every T offset T0 { ... }` and `when c { ... }` (docs/numerics/events.md). A block becomes an MBlock and one
// MAction for each number that it assigns; a `var` inside of it is an abbreviation, as elsewhere: all values of a block
// are taken at its instant, before any of its assignments.
#include <math.h>
#include <string.h>

#include "elab.h"

static bool is_name(const Ast *x, const char *name) {
  return x->kind == AST_NAME && x->name && !strcmp(x->name, name);
}

// --- every ---

static MExpr *time_constant(const Env *env, const Ast *x, const char *what) {
  Value v = elab_scalar(env, x);
  if (!unit_check(env, v, env->e->has_units ? unit_named("s") : UNIT_ANY, what)) return NULL;
  if (!extra_uses(&v, MU_PARAM | MU_LOOP)) return v.at[0];
  not_constant(env, &v, what, "instants that depend on the motion are found by `when`");
  return NULL;
}

static bool every(const Env *env, const Ast *x, MBlock *b) {
  double number;
  b->timed = true;
  b->period = time_constant(env, x->a, "the period of `every`");
  b->offset = x->b ? time_constant(env, x->b, "the offset of `every`") : mx_num(env->e->a, 0, x->span);
  if (!b->period || !b->offset) return false;
  if (try_eval(env->e, b->period, false, NULL, 0, &number) && !(number > 0)) {
    Diag *d = diag(env->e->bag, DIAG_E0233, x->a->span, "the period of `every` must be greater than 0");
    if (isnan(number)) diag_label(d, "this is not a number");
    else diag_label(d, "this is %g", number);
    diag_help(d, "every 1 [ms] { ... }");
    return false;
  }
  if (try_eval(env->e, b->offset, false, NULL, 0, &number) && number < 0) {
    Diag *d = diag(env->e->bag, DIAG_E0233, x->b->span, "the offset of `every` must not be negative");
    diag_label(d, "this is %g", number);
    diag_help(d, "the first instant is the start of the run and the offset");
    return false;
  }
  return true;
}

// --- when ---

// What passes 0 from below where the condition becomes true; NULL: it compares what is equal or not, which nothing
// passes through. What does not move is far from 0 on its side.
static MExpr *crossing(const Env *env, const MExpr *c) {
  Arena *a = env->e->a;
  const unsigned moves = MU_VAR | MU_RATE | MU_TIME | MU_INPUT;
  if (!(c->uses & moves)) {
    MExpr *far = mx_num(a, 1e300, c->span);
    return mx_op(a, MOP_IF, (MExpr *[]){ (MExpr *)c, far, mx_neg(a, far, c->span) }, 3, c->span);
  }
  if (c->kind != MX_OP) return NULL;
  switch (c->op) {
  case MOP_LT: case MOP_LE: return mx_2(a, MOP_SUB, c->arg[1], c->arg[0], c->span);
  case MOP_GT: case MOP_GE: return mx_2(a, MOP_SUB, c->arg[0], c->arg[1], c->span);
  case MOP_AND: case MOP_OR: {
    MExpr *x = crossing(env, c->arg[0]), *y = crossing(env, c->arg[1]);
    return x && y ? mx_2(a, c->op == MOP_AND ? MOP_MIN : MOP_MAX, x, y, c->span) : NULL;
  }
  case MOP_NOT: {
    MExpr *x = crossing(env, c->arg[0]);
    return x ? mx_neg(a, x, c->span) : NULL;
  }
  default: return NULL;
  }
}

static bool compares_equal(const MExpr *c) {
  if (c->kind != MX_OP) return false;
  if ((c->op == MOP_EQ || c->op == MOP_NE) && c->uses & (MU_VAR | MU_TIME)) return true;
  bool logic = c->op == MOP_AND || c->op == MOP_OR || c->op == MOP_NOT;
  for (int i = 0; logic && i < c->nargs; i++)
    if (compares_equal(c->arg[i])) return true;
  return false;
}

static bool when(const Env *env, const Ast *x, MBlock *b) {
  const Ast *c = x->a;
  if (is_name(c, "initial")) {
    Diag *d = diag(env->e->bag, DIAG_E0234, c->span, "`initial` alone is no condition");
    diag_help(d, "what holds at the start is an initial value; a condition: when initial or x > 1 { ... }");
    return false;
  }
  if (c->kind == AST_BINARY && c->op == AO_OR && (is_name(c->a, "initial") || is_name(c->b, "initial"))) {
    b->initial = true;
    c = is_name(c->a, "initial") ? c->b : c->a;
  }
  Value v = elab_condition(env, c);
  if (v.bad) return false;
  b->cond = v.at[0];
  if (!(b->cond->uses & ~(unsigned)(MU_PARAM | MU_LOOP))) {
    Diag *d = diag(env->e->bag, DIAG_E0234, c->span, "this condition never changes");
    diag_label(d, "constant during a run");
    diag_help(d, "a condition of `when` depends on the motion, the time, or discrete variables");
    return false;
  }
  if (compares_equal(b->cond)) {
    Diag *d = diag(env->e->bag, DIAG_E0234, c->span, "numbers that move are equal at single instants only");
    diag_label(d, "no step ends there");
    diag_help(d, "write when x >= 1 { ... }: it fires where that becomes true");
    return false;
  }
  if (!(b->cond->uses & MU_LAMBDA)) b->crossing = crossing(env, b->cond);
  b->wavy = b->crossing && !mx_affine_in_time(b->crossing);
  return true;
}

// --- what a block does ---

// A `var` or `output` of this model stands for an expression, also where that is one variable.
static bool stands_for_another(const Env *env, const Ast *x, const MBlock *b) {
  const Symbol *y = symbol_named(env, x);
  if (!y || (y->kind != SY_VAR && y->kind != SY_OUTPUT)) return false;
  Diag *d = diag(env->e->bag, DIAG_E0235, x->span, "%s cannot assign this", b->timed ? "`every`" : "`when`");
  diag_label(d, "%s", y->kind != SY_VAR ? "an output: it follows from others" : y->var_kind == MV_INPUT
                    ? "an input: a signal from outside" : "a `var`: an expression with a name");
  diag_also(d, y->span, "declared here");
  diag_help(d, b->timed ? "what is held between samples is discrete: discrete u = 0;"
                        : "assign the discrete variable, state, coordinate or velocity that `%s` is made of", y->name);
  return true;
}

static bool assignable(const Env *env, const MBlock *b, const Value *on) {
  const MExpr *x = on->at[0];
  Elab *e = env->e;
  MVarKind kind = x->kind == MX_VAR ? e->var.at[x->id].kind : MV_ROW;
  if (kind == MV_DISCRETE) return true;
  if (!b->timed && x->kind == MX_VAR && (kind == MV_COORD || (kind == MV_STATE && !x->derivative))) return true;
  Diag *d = diag(e->bag, DIAG_E0235, on->span, "%s cannot assign this", b->timed ? "`every`" : "`when`");
  diag_label(d, x->kind != MX_VAR ? "not a variable" : kind == MV_STATE && x->derivative ? "the derivative of a state"
                : kind == MV_STATE ? "a state" : kind == MV_COORD ? "moves continuously" : "not a discrete variable");
  if (x->kind == MX_VAR) diag_also(d, e->var.at[x->id].span, "declared here");
  if (x->kind == MX_PARAM) diag_also(d, e->param.at[x->id].span, "declared here");
  if (b->timed) diag_help(d, "what is held between samples is discrete: discrete u = 0;");
  else diag_help(d, "`when` assigns discrete variables, states x = ..., coordinates z = ... and velocities z' = ...");
  return false;
}

static bool same_target(const MExpr *a, const MExpr *b) {
  if (a->id != b->id || a->derivative != b->derivative || a->nargs != b->nargs) return false;
  for (int i = 0; i < a->nargs; i++)
    if (!mx_same(a->arg[i], b->arg[i])) return false;
  return true;
}

static void assignment(const Env *env, const Ast *x, const MBlock *b, int block) {
  Elab *e = env->e;
  Env left = *env;
  left.declare = "discrete";
  Value on = elab_expr(&left, x->a), v = elab_expr(env, x->b);
  if (on.bad || v.bad || stands_for_another(env, x->a, b) || !assignable(env, b, &on)) return;
  if (v.truth) {
    Diag *d = diag(e->bag, DIAG_E0228, v.span, "what is assigned must be a number");
    diag_label(d, "this is a condition");
    diag_help(d, "write: if ... then 1 else 0");
    return;
  }
  bool same = on.ndim == v.ndim && value_count(&on) == value_count(&v) && (!on.ndim || on.dim[0] == v.dim[0]);
  if (!same && v.ndim) {
    shape_error(env, x->span, &on, &v, "assign", "both sides must have the same size");
    return;
  }
  if (v.unit.state == UNIT_LITERAL && unit_scaled(on.unit)) v = scaled_value(env, v, on.unit);
  else if (!unit_check(env, v, on.unit, "what is assigned")) return;
  for (int i = 0; i < value_count(&on); i++) {
    for (size_t k = 0; k < e->action.n; k++) {
      const MAction *o = &e->action.at[k];
      if (o->block != block || o->kind != MA_ASSIGN || !same_target(o->on, on.at[i])) continue;
      Diag *d = diag(e->bag, DIAG_E0235, on.span, "`%s` is assigned twice in one block", ast_text(e, x->a));
      diag_label(d, "assigned again here");
      diag_also(d, o->span, "first assigned here");
      diag_help(d, "all assignments of a block are done together: keep one, or name a part with `var`");
      return;
    }
    MAction a = { .kind = MA_ASSIGN, .block = block, .on = on.at[i], .value = v.at[v.ndim ? i : 0], .span = x->span };
    vec_push(&e->action, a);
  }
}

static void ending(const Env *env, const Ast *x, const MBlock *b, int block) {
  MAction a = { .kind = x->kind == AST_STOP ? MA_STOP : MA_FAIL, .block = block, .text = x->doc, .span = x->span };
  (void)b;
  vec_push(&env->e->action, a);
}

// An implicit discrete law: solved at the instant, with discrete variables as unknowns, before the values are taken.
static void law(const Env *env, const Ast *x, int block) {
  Elab *e = env->e;
  Env in = *env;
  in.block = block + 1;
  size_t first = e->law.n;
  elab_relation(in, x);
  for (size_t i = first; i < e->law.n; i++)
    for (size_t k = 0; k < i; k++) {
      const MRelation *a = &e->law.at[k], *b = &e->law.at[i];
      if (a->block != b->block || !same_target(a->lambda, b->lambda)) continue;
      Diag *d = diag(e->bag, DIAG_E0206, b->lambda_span, "`%s` is tied by two relations of one block",
                     e->var.at[b->lambda->id].plain);
      diag_also(d, a->lambda_span, "first tied here");
      diag_help(d, "declare a second discrete variable: each relation has its own");
      return;
    }
}

// What a relation of the block gives is not assigned too.
static void check_tied(const Env *env, int block) {
  Elab *e = env->e;
  for (size_t i = 0; i < e->action.n; i++)
    for (size_t k = 0; k < e->law.n; k++) {
      const MAction *a = &e->action.at[i];
      const MRelation *r = &e->law.at[k];
      bool here = a->block == block && r->block == block + 1 && a->kind == MA_ASSIGN;
      if (!here || !same_target(a->on, r->lambda)) continue;
      Diag *d = diag(e->bag, DIAG_E0235, a->span, "`%s` is assigned, and a relation of this block gives it",
                     e->var.at[r->lambda->id].plain);
      diag_also(d, r->lambda_span, "tied here");
      diag_help(d, "keep one of the two");
      return;
    }
}

static void one_item(const Env *env, const Ast *x, const MBlock *b, int block) {
  switch (x->kind) {
  case AST_VAR: break;                                     // declared already
  case AST_EQUATION: assignment(env, x, b, block); break;
  case AST_STOP:
  case AST_FAIL: ending(env, x, b, block); break;
  case AST_RELATION:
    if (b->timed) {
      law(env, x, block);
      break;
    }
    // fall through
  default: {
    Diag *d = diag(env->e->bag, DIAG_E0236, x->span, "this cannot stand inside of %s", b->timed ? "`every`" : "`when`");
    diag_label(d, b->timed ? "neither `var`, an assignment nor a relation" : "neither `var` nor an assignment");
    if (x->kind == AST_FOR) diag_help(d, "the loop stands around the block: for i in 1:n { %s { u[i] = ...; } }",
                                      b->timed ? "every T" : "when x[i] > 1");
    else diag_help(d, b->timed ? "declare outside of the block, and assign discrete variables in it: u = ...;"
                               : "inside: var, assignments, stop \"...\", fail \"...\"");
  }
  }
}

static void one_block(Env env, const Ast *x) {
  MBlock b = { .ctx = env.ctx, .span = x->span };
  Env in = env;
  declare_local_vars(&in, x->list2);
  force_local_vars(&in, x->list2);
  if (!(x->kind == AST_EVERY ? every(&env, x, &b) : when(&env, x, &b))) return;
  int block = (int)env.e->block.n;
  b.span = (Span){ x->span.file, x->span.lo, (x->b ? x->b : x->a)->span.hi };
  vec_push(&env.e->block, b);
  for (int i = 0; i < x->list2.n; i++) one_item(&in, x->list2.at[i], &b, block);
  check_tied(&in, block);
}

void elab_events(Elab *e) {
  for (size_t i = 0; i < e->event.n; i++) one_block(e->event.at[i].env, e->event.at[i].x);
}
