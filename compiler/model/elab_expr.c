// Expressions: one case for each kind of syntax node. Names are in elab_ref.c, vectors in elab_vector.c, calls in
// elab_call.c. A bad value was reported where it went wrong; everything made of it is bad and silent.
#include <math.h>
#include <string.h>

#include "elab_body.h"

// --- bare numbers beside quantities in scaled units (W0830) ---

// 0 and infinity are the same in every unit, and pi says that radians are meant.
static bool says_pi(const MExpr *x) {
  if (x->kind == MX_NUM) return x->num == 3.14159265358979323846;
  for (int i = 0; i < x->nargs; i++)
    if (says_pi(x->arg[i])) return true;
  return false;
}

static bool same_in_all_units(const Value *v) {
  for (int i = 0; i < value_count(v); i++) {
    const MExpr *x = v->at[i];
    if (!(x->kind == MX_NUM && (x->num == 0 || isinf(x->num))) && !says_pi(x)) return false;
  }
  return true;
}

// The SI unit of the same dimension, as a reader would write it; NULL where that is no help.
static const char *si_text(const Env *env, Unit u) {
  static const struct { const char *dimension, *angle; } angles[] = { {"1", "rad"}, {"1/s", "rad/s"} };
  bool angle = u.written && (!strncmp(u.written, "deg", 3) || !strncmp(u.written, "rev", 3));
  for (size_t i = 0; angle && i < sizeof angles / sizeof *angles; i++)
    if (unit_compatible(u, unit_named(angles[i].dimension))) return angles[i].angle;
  Text t = {0};
  unit_print(u, &t);
  const char *text = strlen(text_str(&t)) > 6 ? NULL : arena_strndup(env->e->a, text_str(&t), strlen(text_str(&t)));
  text_free(&t);
  return text;
}

void bare_number(const Env *env, const Value *a, const Value *b) {
  if (b->unit.state != UNIT_LITERAL) {
    const Value *t = a;
    a = b;
    b = t;
  }
  if (b->unit.state != UNIT_LITERAL || !unit_scaled(a->unit) || same_in_all_units(b)) return;
  const char *si = si_text(env, a->unit), *number = inner_text(env, b->span), *as = a->unit.written;
  Diag *d = si ? diag(env->e->bag, DIAG_W0830, b->span, "the bare number %s is taken as %s [%s]", number, number, si)
               : diag(env->e->bag, DIAG_W0830, b->span, "the bare number %s is taken in SI units", number);
  diag_label(d, "has no unit");
  diag_also(d, a->span, as ? "this is in %s" : "this is in a scaled unit", as);
  if (as) diag_edit(d, b->span, "%s [%s]", number, as);
  if (si) diag_edit(d, b->span, "%s [%s]", number, si);
  if (as && si) diag_help(d, "write %s [%s], or %s [%s]", number, as, number, si);
  else diag_help(d, "give it its unit: %s [%s]", number, as ? as : si ? si : "...");
}

Value elab_scalar(const Env *env, const Ast *x) {
  Value v = elab_expr(env, x);
  if (v.bad || v.ndim == 0) return v;
  Diag *d = diag(env->e->bag, DIAG_E0302, v.span, "a number is needed here, not %s", shape_text(env->e, &v));
  diag_label(d, "this is %s", shape_text(env->e, &v));
  diag_help(d, v.ndim == 1 ? "pick an element, v[i], or use dot(a, b) or norm(a)" : "pick an element: A[i, j]");
  return bad_value(env, x->span);
}

Value elab_condition(const Env *env, const Ast *x) {
  Value v = elab_expr(env, x);
  if (v.bad || v.truth) return v;
  Diag *d = diag(env->e->bag, DIAG_E0228, v.span, "a condition is needed here");
  diag_label(d, "this is a number");
  diag_help(d, "compare it with something: %s > 0", ast_text(env->e, x));
  return bad_value(env, x->span);
}

// --- cases ---

static Value number(const Env *env, const Ast *x) {
  Unit u = UNIT_BARE;
  double v = x->number;
  if (x->unit) {
    if (!declared_unit(env->e, x, &u)) return bad_value(env, x->span);
    v = unit_to_si(v, u);
  }
  return scalar_value(mx_num(env->e->a, v, x->span), u, x->span, env);
}

static Value misplaced(const Env *env, const Ast *x, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0220, x->span, "%s cannot stand here", what);
  diag_label(d, "not a value");
  diag_help(d, "%s", help);
  return bad_value(env, x->span);
}

// given(x) of a formal x of this model, written as a condition; it is known when the model is compiled.
static bool is_given(const Env *env, const Ast *x, bool *yes) {
  while (x->kind == AST_PAREN) x = x->a;
  if (x->kind == AST_UNARY && x->op == AO_NOT && is_given(env, x->a, yes)) {
    *yes = !*yes;
    return true;
  }
  if (x->kind != AST_CALL || x->a || !x->name || strcmp(x->name, "given") || map_get(env->e->functions, x->name))
    return false;
  const Symbol *y = x->list.n == 1 && x->list.at[0]->kind == AST_NAME ? scope_find(env->scope, x->list.at[0]->name)
                                                                       : NULL;
  if (!y || (y->kind != SY_FORMAL && y->kind != SY_BODY)) return false;
  *yes = y->given != NULL;
  return true;
}

Value given_call(const Env *env, const Ast *x) {
  bool yes;
  if (is_given(env, x, &yes)) {
    Value v = scalar_value(mx_num(env->e->a, yes, x->span), UNIT_BARE, x->span, env);
    v.truth = true;
    return v;
  }
  Diag *d = diag(env->e->bag, DIAG_E0220, x->span, "given(x) asks whether a formal x has got an argument");
  diag_label(d, "no formal of this model");
  diag_help(d, "model Part(a = 1, b = if given(a) then a else 0) { ... }");
  return bad_value(env, x->span);
}

static Value conditional(const Env *env, const Ast *x) {
  bool yes;
  if (is_given(env, x->a, &yes)) return elab_expr(env, yes ? x->b : x->c);   // the other branch is not read
  Env branch = *env;
  branch.in_branch = true;
  Value c = elab_condition(env, x->a), a = elab_expr(&branch, x->b), b = elab_expr(&branch, x->c);
  if (c.bad || a.bad || b.bad) return bad_value(env, x->span);
  if (a.truth != b.truth || !units_meet(env->e, a.unit, b.unit, x->span)) {
    Text ta = {0}, tb = {0};
    unit_print(a.unit, &ta);
    unit_print(b.unit, &tb);
    Diag *d = diag(env->e->bag, DIAG_E0301, a.span, "the two branches differ: %s and %s",
                   a.truth ? "a condition" : text_str(&ta), b.truth ? "a condition" : text_str(&tb));
    diag_label(d, "this is %s%s", a.truth ? "a condition" : "in ", a.truth ? "" : text_str(&ta));
    diag_also(d, b.span, "this is %s%s", b.truth ? "a condition" : "in ", b.truth ? "" : text_str(&tb));
    diag_help(d, "both branches must be of one kind and one unit");
    text_free(&ta);
    text_free(&tb);
    return bad_value(env, x->span);
  }
  bool one_is_number = a.ndim == 0 || b.ndim == 0;
  if (!one_is_number && (a.ndim != b.ndim || value_count(&a) != value_count(&b) || a.dim[0] != b.dim[0])) {
    shape_error(env, x->span, &a, &b, "choose between", "both branches must have the same size");
    return bad_value(env, x->span);
  }
  Value r = a.ndim ? a : b;
  int n = value_count(&r);
  r.at = ARENA_ARRAY(env->e->a, MExpr *, n);
  for (int i = 0; i < n; i++)
    r.at[i] = mx_op(env->e->a, MOP_IF, (MExpr *[]){c.at[0], a.at[a.ndim ? i : 0], b.at[b.ndim ? i : 0]}, 3, x->span);
  bare_number(env, &a, &b);
  r.unit = unit_merge(a.unit, b.unit);
  r.span = x->span;
  return r;
}

// sum(i in lo:hi) e, written out. Energies keep the loop instead, see elab_energy.c.
// Sums in sums are written out for each term of the outer one: all that one outermost sum makes is counted.
static bool written_terms(const Env *env, const Ast *x, double n) {
  Elab *e = env->e;
  if (!e->sums_open) e->sum_terms = 0;
  if (n > 0) e->sum_terms += n;
  if (e->sum_terms <= MAX_ELEMENTS) return true;
  Diag *d = diag(e->bag, DIAG_E0607, x->a->span, "these nested sums are too long to be written out");
  diag_label(d, "more than %d terms", MAX_ELEMENTS);
  diag_note(d, "sums are written out when the model is compiled, the inner one for each term of the outer one");
  diag_help(d, "give the inner sum a coordinate or state of its own in a `for`, or move what does not depend on its "
               "index in front of it");
  return false;
}

static Value unrolled_sum(const Env *env, const Ast *x) {
  Elab *e = env->e;
  Value lo = elab_scalar(env, x->a->a), hi = elab_scalar(env, x->a->b);
  double first, last;
  if (lo.bad || hi.bad) return bad_value(env, x->span);
  if (!fixed_number(env, lo.at[0], "the first index of a sum", &first) ||
      !fixed_number(env, hi.at[0], "the last index of a sum", &last))
    return bad_value(env, x->span);
  if (!(first == floor(first) && last == floor(last) && fabs(first) < 1e9 && fabs(last) < 1e9)) {
    Diag *d = diag(e->bag, DIAG_E0602, x->a->span, "the range of a sum must be whole numbers");
    diag_label(d, "this is %.17g to %.17g", first, last);
    return bad_value(env, x->span);
  }
  if (last - first >= MAX_SUM) {
    Diag *d = diag(e->bag, DIAG_E0607, x->a->span, "this sum is too long to be written out");
    diag_label(d, "%.17g terms, the limit is %d", last - first + 1, MAX_SUM);
    diag_note(d, "in kinetic, potential and dissipation a sum may have any length: there it stays a loop");
    diag_help(d, "write it as an energy, or with instances and `for`");
    return bad_value(env, x->span);
  }
  if (!written_terms(env, x, last - first + 1)) return bad_value(env, x->span);
  warn_empty(env, x->a, lo.at[0], hi.at[0]);
  warn_shadow(env, x->name, x->name_span);
  e->sums_open++;
  Vec(MExpr *) term = {0};
  Value r = scalar_value(mx_num(e->a, 0, x->span), UNIT_BARE, x->span, env);
  for (double i = first; i <= last && !r.bad; i++) {
    Env in =
        env_with(*env, &(Local){ .kind = L_VALUE,
                                 .name = x->name,
                                 .span = x->name_span,
                                 .value = scalar_value(mx_num(e->a, i, x->name_span), UNIT_BARE, x->name_span, env) });
    Value v = elab_scalar(&in, x->b);
    if (v.bad || !unit_check(env, v, r.unit, "a term of this sum")) r.bad = true;
    else if (i > first) bare_number(env, &r, &v);
    r.unit = unit_merge(r.unit, v.unit);
    vec_push(&term, v.at[0]);
  }
  e->sums_open--;
  if (!r.bad) r.at[0] = mx_sum(e->a, term.at, (int)term.n, x->span);
  vec_free(&term);
  return r;
}

static Value logical_not(const Env *env, const Ast *x) {
  Value v = elab_condition(env, x->a);
  if (v.bad) return v;
  v.at[0] = mx_1(env->e->a, MOP_NOT, v.at[0], x->span);
  v.span = x->span;
  return v;
}

Value elab_expr(const Env *env, const Ast *x) {
  switch (x->kind) {
  case AST_NUMBER: return number(env, x);
  case AST_NAME:
  case AST_MEMBER:
  case AST_INDEX: return elab_ref(env, x);
  case AST_PRIME: return elab_prime(env, x);
  case AST_CALL: return elab_call(env, x);
  case AST_UNARY: return x->op == AO_NOT ? logical_not(env, x) : negated(env, elab_expr(env, x->a), x->span);
  case AST_BINARY: {
    Value a = elab_expr(env, x->a), b = elab_expr(env, x->b);
    return binary_value(env, x->op, a, b, x);
  }
  case AST_COND: return conditional(env, x);
  case AST_VECTOR: return vector_literal(env, x);
  case AST_SUM: return unrolled_sum(env, x);
  case AST_PAREN: {
    Value v = elab_expr(env, x->a);
    v.span = x->span;
    return v;
  }
  case AST_STRING: return misplaced(env, x, "text", "a model computes with numbers only");
  case AST_RANGE:
    return misplaced(env, x, "a range", "ranges stand in `for i in 1:n`, `sum(i in 1:n)` and slices, x[1:2]");
  case AST_POINT: return misplaced(env, x, "a point", "points stand in `u in graph(s, [(0, 0), (1, 2)])`");
  case AST_SET: return misplaced(env, x, "a set", "sets stand in `-y in normal_cone({l : A*l <= b}, l)`");
  case AST_ARG: return misplaced(env, x, "a named argument", "functions take their arguments in order: f(x, y)");
  default: return bad_value(env, x->span);
  }
}

// --- the time derivative x': of a variable its velocity or rate; a composed expression keeps the mark, and is
// differentiated by the rules of algebra when it is lowered (system/lower.c). And initial(x), at the start ---

static bool refuse(const Env *env, Span at, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0222, at, "%s", what);
  diag_label(d, "no time derivative");
  diag_help(d, "%s", help);
  return false;
}

static bool variable_has_rate(const Env *env, Span at, const MExpr *x) {
  MVarKind kind = env->e->var.at[x->id].kind;
  if (x->derivative && kind == MV_COORD)
    return refuse(env, at, "accelerations cannot be written",
                  "a force is given by `force z = ...;`, the acceleration follows from it");
  if (x->derivative)
    return refuse(env, at, "a state has one derivative only", "introduce a second state: x' = v; v' = ...;");
  if (kind == MV_DELAY)
    return refuse(env, at, "a delayed quantity has no time derivative here",
                  "delay the derivative: state v; and delay(v, T)");
  if (kind == MV_DISCRETE)
    return refuse(env, at, "a discrete variable has no time derivative",
                  "it holds its value between events; what changes in between is a state");
  MAlgebraicKind algebraic = env->e->var.at[x->id].algebraic;
  if (algebraic == MALG_NODE || algebraic == MALG_HELD)
    return refuse(env, at, "a node has no time derivative",
                  "what stores is a part with a state: state u; algebraic i; a - b = u; C*u' = i; flow a to b = i; "
                  "as Capacitor of std/circuit.nsm");
  if (algebraic)
    return refuse(env, at, "an algebraic unknown has no time derivative",
                  "its equation holds at each instant; what changes by a rate is a state");
  if (kind == MV_MULTIPLIER || kind == MV_ROW)
    return refuse(env, at, "a multiplier has no time derivative",
                  "it may jump at any time; use the derivatives of states and coordinates");
  return true;
}

static bool has_rate(const Env *env, Span at, const MExpr *x, Map *seen) {
  if (!(x->uses & (MU_VAR | MU_DISCRETE | MU_INPUT)) || map_get(seen, x)) return true;
  map_put(seen, x, (void *)x);
  if (x->kind == MX_RATE)
    return refuse(env, at, "there is no second derivative",
                  "name the first one, and let a state or coordinate follow it");
  if (x->kind == MX_VAR) return variable_has_rate(env, at, x);
  for (int i = 0; i < x->nargs; i++)
    if (!has_rate(env, at, x->arg[i], seen)) return false;
  return true;
}

static MExpr *rate(const Env *env, Span at, MExpr *x) {
  Arena *m = env->e->a;
  if (!(x->uses & (MU_VAR | MU_TIME))) return mx_num(m, 0, at);
  if (x->kind == MX_TIME) return mx_num(m, 1, at);
  if (x->kind == MX_VAR && env->e->var.at[x->id].kind == MV_POSITION) return attitude_derivative(env->e, x);
  if (x->kind == MX_VAR) return mx_var(m, &env->e->var.at[x->id], x->id, x->arg, x->nargs, true, at);
  return mx_rate(m, x, at);
}

// k' of a parameter of this model or file is meant as something else.
static bool prime_of_param(const Env *env, const Ast *x, const Value *v) {
  const Ast *of = x->a->kind == AST_INDEX ? x->a->a : x->a;
  if (of->kind != AST_NAME || local_find(env, of->name)) return false;
  const Symbol *y = scope_find(env->scope, of->name);
  if (!y) y = scope_find(env->e->globals, of->name);
  if (!y || y->kind != SY_PARAM) return false;
  Diag *d = diag(env->e->bag, DIAG_E0222, x->span, "`%s` is a parameter, its derivative is 0", of->name);
  diag_also(d, y->span, "declared here");
  if (v->ndim == 1) diag_help(d, "for the scalar product write dot(%s, b)", of->name);
  else if (v->ndim > 1) diag_help(d, "the transpose is transpose(%s)", of->name);
  else diag_help(d, "what changes in time is a state or a coordinate: state %s = ...; %s' = ...;", of->name, of->name);
  return true;
}

Value elab_prime(const Env *env, const Ast *x) {
  Value v = elab_expr(env, x->a);
  if (v.bad) return v;
  if (prime_of_param(env, x, &v)) return bad_value(env, x->span);
  Value d = v;
  Map *seen = map_new(env->e->a);
  d.span = x->span;
  d.unit = v.unit.state == UNIT_LITERAL ? UNIT_ANY : unit_rate(env->e, v.unit);
  d.at = ARENA_ARRAY(env->e->a, MExpr *, value_count(&v));
  for (int i = 0; i < value_count(&v) && !d.bad; i++) {
    d.bad = !has_rate(env, x->span, v.at[i], seen);
    d.at[i] = rate(env, x->span, v.at[i]);
  }
  return d.bad ? bad_value(env, x->span) : d;
}

// --- initial(x): what x is where bodies are placed at the start ---

typedef struct Placing { const Env *env; Map *done; } Placing;

// The initial value of element x, the indices of the statement taken from its own.
static MExpr *start_of(const Placing *p, const MExpr *x) {
  Elab *e = p->env->e;
  for (size_t i = 0; i < e->placed.n; i++) {
    const Placed *q = &e->placed.at[i];
    if (q->id != x->id || q->velocity != x->derivative) continue;
    int own = x->nargs > q->nloop, k = own ? (int)x->arg[x->nargs - 1]->num - 1 : 0;
    if (own && (x->arg[x->nargs - 1]->kind != MX_NUM || k < 0 || k >= q->n)) continue;
    return mx_subst(e->a, q->value[k], x->arg, q->nloop);
  }
  return NULL;
}

// Of driven bodies, which depend on time alone: the time at which the model says that a run starts.
static MExpr *start_time(const Placing *p, Span at) {
  Elab *e = p->env->e;
  Scope *root = p->env->scope;
  while (root && root->parent) root = root->parent;
  const AstList *items = root && root->model ? &root->model->list2 : NULL;
  for (int i = 0; items && i < items->n; i++)
    for (int k = 0; items->at[i]->kind == AST_SIMULATE && k < items->at[i]->list.n; k++) {
      const Ast *arg = items->at[i]->list.at[k];
      if (arg->kind != AST_ARG || !arg->name || !arg->a || strcmp(arg->name, "start")) continue;
      Env env = env_of(root);
      Value v = elab_scalar(&env, arg->a);
      return v.bad || extra_uses(&v, MU_PARAM) ? NULL : v.at[0];
    }
  return mx_num(e->a, 0, at);
}

static MExpr *placed(Placing *p, MExpr *x) {
  if (!(x->uses & (MU_VAR | MU_TIME))) return x;
  MExpr *known = map_get(p->done, x);
  if (known) return known;
  MExpr *r = x;
  if (x->kind == MX_VAR) r = start_of(p, x);
  else if (x->kind == MX_TIME) r = start_time(p, x->span);
  else if (x->kind == MX_RATE) r = NULL;
  else {
    MExpr **arg = ARENA_ARRAY(p->env->e->a, MExpr *, x->nargs + 1);
    for (int i = 0; i < x->nargs; i++) if (!(arg[i] = placed(p, x->arg[i]))) return NULL;
    r = x->kind == MX_OP ? mx_again(p->env->e->a, x, arg) : x;
  }
  if (r) map_put(p->done, x, r);
  return r;
}

Value initial_call(const Env *env, const Ast *x) {
  if (!arity_ok(env, x, 1)) return bad_value(env, x->span);
  Value v = elab_expr(env, x->list.at[0]), r = v;
  if (v.bad) return v;
  Placing p = { .env = env, .done = map_new(env->e->a) };
  r.at = ARENA_ARRAY(env->e->a, MExpr *, value_count(&v) + 1);
  for (int i = 0; i < value_count(&v); i++) {
    r.at[i] = placed(&p, v.at[i]);
    if (r.at[i]) continue;
    bool statistic;                                        // of a run, where a claim may look back on it
    return elab_statistic(env, x, &statistic);
  }
  r.span = x->span;
  return r;
}
