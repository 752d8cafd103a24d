// Built-in functions: arity, shapes and units of their arguments, by the rules of builtins.def.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../runtime/shared/table.h"
#include "../base/suggest.h"
#include "../base/library.h"
#include "elab.h"

typedef enum {
  RULE_SAME,
  RULE_NONE,
  RULE_MUL,
  RULE_DIV,
  RULE_POW,
  RULE_SQRT,
  RULE_COMPARE,
  RULE_LOGIC,
  RULE_IF,
  RULE_ATAN2,
  RULE_FREE,
  RULE_SIGN
} UnitRule;

static const struct { const char *name; int arity; UnitRule rule; } builtins[] = {
#define BUILTIN(name, text, arity, units) {text, arity, RULE_##units},
#include "builtins.def"
#undef BUILTIN
};

static const char *const others[] = {"sgn", "normal_cone", "transpose", "dot",      "norm",
                                     "der", "cross",       "rotation",  "identity",
                                     "turned", "given"};

static bool is_word(const char *s) {
  return (*s >= 'a' && *s <= 'z') && strcmp(s, "and") && strcmp(s, "or") && strcmp(s, "not") && strcmp(s, "if");
}

bool find_builtin(const char *name, MOp *out) {
  for (int i = 0; i < MOP_COUNT; i++)
    if (is_word(builtins[i].name) && strcmp(builtins[i].name, name) == 0) {
      *out = (MOp)i;
      return true;
    }
  return false;
}

void unknown_function(const Env *env, const Ast *x) {
  Elab *e = env->e;
  Vec(const char *) names = {0};
  for (int i = 0; i < MOP_COUNT; i++)
    if (is_word(builtins[i].name)) vec_push(&names, builtins[i].name);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) vec_push(&names, others[i]);
  for (size_t i = 0; i < map_size(e->functions); i++) vec_push(&names, (const char *)map_key_at(e->functions, i));
  for (int i = 0; env->in_claim && statistic_name(i); i++) vec_push(&names, statistic_name(i));
  Diag *d = diag(e->bag, DIAG_E0210, x->name_span.file ? x->name_span : x->span, "unknown function `%s`", x->name);
  diag_label(d, "not declared");
  const char *near = suggest(x->name, names.at, names.n), *meant = function_meant(e, x), *page;
  const Symbol *quantity = scope_find(env->scope, x->name);
  if (quantity && quantity->decl && quantity->decl->kind == AST_DECL && quantity->decl->list.n > 0)
    diag_help(d, "`%s` is an array: its elements are %s[i]", x->name, x->name);
  else if (quantity && env->in_claim && x->list.n == 1)
    diag_help(d, "the value at a time is at(%s, %s)", x->name, ast_text(e, x->list.at[0]));
  else if (quantity && x->list.n == 1 && x->list.at[0]->kind == AST_NAME &&
           (!strcmp(x->list.at[0]->name, "t") || x->list.at[0]->name == e->word.time))
    diag_help(d, "a quantity changes in time without being told so: %s", x->name);
  else if (quantity || local_find(env, x->name))
    diag_help(d, "`%s` is a quantity: for a product write %s*(...)", x->name, x->name);
  else if (map_get(e->models, x->name))
    diag_help(d, "`%s` is a model: make an instance of it, %s part(...);", x->name, x->name);
  else if ((page = std_function(e, x->name))) {
    diag_help(d, "import \"std/%s\";", page);
    diag_edit(d, import_place(x->span.file), "import \"std/%s\";\n", page);
  } else if (meant) diag_help(d, "%s", meant);
  else if (near) diag_mean(d, near);
  else diag_help(d, "declare it: function %s(x) = ...;", x->name);
  vec_free(&names);
}

bool arity_ok(const Env *env, const Ast *x, int want) {
  for (int i = 0; i < x->list.n; i++)
    if (x->list.at[i]->kind == AST_ARG) {
      Diag *d =
          diag(env->e->bag, DIAG_E0209, x->list.at[i]->span, "`%s` takes its arguments in order, not by name", x->name);
      diag_label(d, "a named argument");
      diag_help(d, "leave `%s =` out", x->list.at[i]->name);
      return false;
    }
  if (x->list.n == want) return true;
  Diag *d = diag(env->e->bag, DIAG_E0209, x->span, "`%s` takes %d argument%s, not %d", x->name, want,
                 want == 1 ? "" : "s", x->list.n);
  diag_label(d, "%d given", x->list.n);
  const Ast *f = map_get(env->e->functions, x->name);
  if (f) diag_also(d, f->name_span, "declared here");
  diag_help(d, want == 0 ? "%s()" : want == 1 ? "%s(x)" : want == 2 ? "%s(x, y)" : "%s(x, y, ...)", x->name);
  return false;
}

static bool all_numbers(const Env *env, const Ast *x, const Value *v, int n) {
  for (int i = 0; i < n; i++) {
    if (v[i].bad) return false;
    if (v[i].truth) return unit_check(env, v[i], UNIT_ANY, "the argument of a function");
    if (v[i].ndim == 0) continue;
    Diag *d =
        diag(env->e->bag, DIAG_E0302, v[i].span, "`%s` takes numbers, not %s", x->name, shape_text(env->e, &v[i]));
    diag_label(d, "this is %s", shape_text(env->e, &v[i]));
    if (strcmp(x->name, "abs") == 0) diag_help(d, "for the length of a vector write norm(a)");
    else diag_help(d, "apply it to each element: [%s(a[1]), %s(a[2])]", x->name, x->name);
    return false;
  }
  return true;
}

// The unit of op(v), or false after a message.
static bool result_unit(const Env *env, MOp op, const Ast *x, const Value *v, int n, Unit *out) {
  char what[80];
  (void)snprintf(what, sizeof what, "the argument of %.40s", builtins[op].name);
  *out = UNIT_BARE;
  for (int i = 0; i < n; i++) *out = unit_merge(*out, v[i].unit);
  switch (builtins[op].rule) {
  case RULE_NONE:
    for (int i = 0; i < n; i++)
      if (!unit_check(env, v[i], UNIT_ONE, what)) return false;
    *out = unit_plain(*out);
    return true;   // bare stays bare, unknown stays unknown
  case RULE_SQRT:
    if (unit_pow(v[0].unit, 0.5, out)) return true;
    break;
  case RULE_SAME:
  case RULE_ATAN2:
    for (int i = 1; i < n; i++)
      if (!units_meet(env->e, v[0].unit, v[i].unit, x->span)) {
        Text a = {0}, b = {0};
        unit_print(v[0].unit, &a);
        unit_print(v[i].unit, &b);
        Diag *d = diag(env->e->bag, DIAG_E0301, v[0].span, "cannot take `%s` of %s and %s", builtins[op].name,
                       text_str(&a), text_str(&b));
        diag_label(d, "in %s", text_str(&a));
        diag_also(d, v[i].span, "in %s", text_str(&b));
        diag_help(d, "all arguments need the same unit");
        text_free(&a);
        text_free(&b);
        return false;
      }
    for (int i = 1; i < n; i++) bare_number(env, &v[0], &v[i]);
    if (builtins[op].rule == RULE_ATAN2) *out = out->state == UNIT_KNOWN ? UNIT_ONE : unit_nameless(*out);
    return true;
  case RULE_SIGN:
    *out = out->state == UNIT_KNOWN ? UNIT_ONE : unit_nameless(*out);
    return true;
  default: return true;
  }
  Text t = {0};
  unit_print(v[0].unit, &t);
  Diag *d = diag(env->e->bag, DIAG_E0304, x->span, "the root of %s is not a unit", text_str(&t));
  diag_label(d, "only whole and half exponents of units exist");
  diag_help(d, "divide by a reference quantity first: sqrt(x/x0)");
  text_free(&t);
  return false;
}

Value builtin_call(const Env *env, MOp op, const Ast *x) {
  bool folds = (op == MOP_MIN || op == MOP_MAX) && x->list.n > 2;   // max(a, b, c)
  if (!arity_ok(env, x, folds ? x->list.n : builtins[op].arity)) return bad_value(env, x->span);
  int n = x->list.n;
  Value *v = ARENA_ARRAY(env->e->a, Value, n);
  for (int i = 0; i < n; i++) v[i] = elab_expr(env, x->list.at[i]);
  Unit u;
  if (!all_numbers(env, x, v, n) || !result_unit(env, op, x, v, n, &u)) return bad_value(env, x->span);
  if (op == MOP_SIN || op == MOP_COS || op == MOP_TAN) note_angle(env, &v[0]);
  MExpr *r = NULL;
  if (folds) {
    r = v[0].at[0];
    for (int i = 1; i < n; i++) r = mx_2(env->e->a, op, r, v[i].at[0], x->span);
  } else {
    MExpr *arg[3] = {NULL, NULL, NULL};
    for (int i = 0; i < n && i < 3; i++) arg[i] = v[i].at[0];
    r = mx_op(env->e->a, op, arg, n, x->span);
  }
  return scalar_value(r, u, x->span, env);
}

// --- functions by points: table(x, [x1, ...], [y1, ...]), table("f.csv", "y", x), table("f.csv", "y") of time ---
// `spline` is the same as a monotone cubic; `periodic` at the end. Points are numbers when the model is compiled.

static bool is_periodic(const Ast *x) { return x->kind == AST_NAME && x->name && !strcmp(x->name, "periodic"); }

static Value usage(const Env *env, const Ast *x, const char *label) {
  Diag *d = diag(env->e->bag, DIAG_E0237, x->span, "`%s` is a function by points", x->name);
  diag_label(d, "%s", label);
  diag_help(d, "%s(x, [0, 1, 2], [0, 1, 4]), or from a file: %s(\"f.csv\", \"column\", x)", x->name, x->name);
  return bad_value(env, x->span);
}

// The points of a list in the model; n: how many.
static bool list_of(const Env *env, const Value *v, const char *what, double **out) {
  int n = value_count(v);
  *out = ARENA_ARRAY(env->e->a, double, n + 1);
  for (int i = 0; i < n; i++)
    if (!fixed_number(env, v->at[i], what, &(*out)[i])) return false;
  return true;
}

// Elements with units of their own, [0 [m], 1 [s]]: all are in that of the first, or in `unit`.
static bool same_units(const Env *env, const Ast *list, Unit unit, const char *what) {
  for (int i = 0; list->kind == AST_VECTOR && !list->unit && i < list->list.n; i++) {
    Value v = elab_expr(env, list->list.at[i]);
    if (v.bad || !unit_check(env, v, unit, what)) return false;
    if (unit.state != UNIT_KNOWN) unit = v.unit;
  }
  return true;
}

static bool finite_points(const Env *env, Span at, const double *x, int n) {
  for (int i = 0; i < n; i++) {
    if (isfinite(x[i])) continue;
    Diag *d = diag(env->e->bag, DIAG_E0237, at, "the points of a table are finite numbers");
    diag_label(d, "number %d is %s", i + 1, isnan(x[i]) ? "not a number" : "infinite");
    diag_help(d, "outside of its points a table has the end values");
    return false;
  }
  return true;
}

static bool rising(const Env *env, Span at, const double *x, int n) {
  for (int i = 1; i < n; i++) {
    if (x[i] > x[i - 1]) continue;
    Diag *d = diag(env->e->bag, DIAG_E0237, at, "the points of a table must rise: %g stands behind %g", x[i], x[i - 1]);
    diag_label(d, "number %d", i + 1);
    diag_help(d, "sort them; where the function jumps write two points close together");
    return false;
  }
  return true;
}

static int store(const Env *env, const Ast *x, bool periodic, const double *px, const double *py, int n) {
  Elab *e = env->e;
  bool cubic = !strcmp(x->name, "spline");
  int room = NSM_TABLE_HEAD + (cubic ? 3 : 2) * n;
  double *data = ARENA_ARRAY(e->a, double, room);
  data[0] = n;
  data[1] = cubic ? NSM_TABLE_CUBIC : NSM_TABLE_LINEAR;
  data[2] = periodic;
  memcpy(data + NSM_TABLE_HEAD, px, (size_t)n * sizeof *px);
  memcpy(data + NSM_TABLE_HEAD + n, py, (size_t)n * sizeof *py);
  if (cubic) nsm_table_slopes(n, px, py, periodic, data + NSM_TABLE_HEAD + 2 * n);
  for (size_t i = 0; i < e->table.n; i++)
    if (e->table.at[i].n == room && !memcmp(e->table.at[i].data, data, (size_t)room * sizeof *data)) return (int)i;
  MTable t = { data, room, x->span };
  vec_push(&e->table, t);
  return (int)e->table.n - 1;
}

// The points of a table. [n]
typedef struct Points { const double *x, *y; int n; bool periodic; } Points;

static Value made(const Env *env, const Ast *x, Value arg, Unit unit, const Points *p) {
  Elab *e = env->e;
  const double *py = p->y;
  int n = p->n;
  bool periodic = p->periodic;
  if (periodic && py[0] != py[n - 1]) {
    Diag *d = diag(e->bag, DIAG_E0237, x->span, "what is periodic ends where it begins: %g is not %g", py[n - 1],
                   py[0]);
    diag_help(d, "repeat the first value at the end of the period");
    return bad_value(env, x->span);
  }
  Value v = arg;
  v.unit = unit;
  v.span = x->span;
  v.at = ARENA_ARRAY(e->a, MExpr *, value_count(&arg));
  int id = store(env, x, periodic, p->x, py, n);
  for (int i = 0; i < value_count(&arg); i++) v.at[i] = mx_table(e->a, id, e->table.at[id].data, arg.at[i], x->span);
  return v;
}

static Value from_file(const Env *env, const Ast *x, int n, bool periodic) {
  double *px, *py;
  Elab *e = env->e;
  if (n < 2 || n > 3 || x->list.at[1]->kind != AST_STRING) return usage(env, x, "a file, a column, and an argument");
  Value arg = n == 3 ? elab_scalar(env, x->list.at[2])
                     : scalar_value(mx_time(e->a, x->span), UNIT_ANY, x->span, env);
  if (arg.bad) return arg;
  int points = read_table(env, x->list.at[0], x->list.at[1], &px, &py);
  return points ? made(env, x, arg, UNIT_BARE, &(Points){ px, py, points, periodic }) : bad_value(env, x->span);
}

Value elab_table(const Env *env, const Ast *x) {
  int n = x->list.n;
  bool periodic = n > 0 && is_periodic(x->list.at[n - 1]);
  double *px, *py;
  n -= periodic;
  if (n > 0 && x->list.at[0]->kind == AST_STRING) return from_file(env, x, n, periodic);
  if (n != 3) return usage(env, x, "an argument and two lists");
  Value arg = elab_scalar(env, x->list.at[0]), at = elab_expr(env, x->list.at[1]), to = elab_expr(env, x->list.at[2]);
  if (arg.bad || at.bad || to.bad) return bad_value(env, x->span);
  if (at.ndim != 1 || to.ndim != 1) return usage(env, x, "the points are two lists");
  if (at.dim[0] != to.dim[0]) {
    Diag *d = diag(env->e->bag, DIAG_E0237, to.span, "%d points have %d values", at.dim[0], to.dim[0]);
    diag_label(d, "%d values", to.dim[0]);
    diag_also(d, at.span, "%d points", at.dim[0]);
    diag_help(d, "both lists have the same length");
    return bad_value(env, x->span);
  }
  if (at.dim[0] < 2) return usage(env, x, "two points at least");
  if (!same_units(env, x->list.at[1], arg.unit, "a point of a table") ||
      !same_units(env, x->list.at[2], UNIT_BARE, "a value of a table"))
    return bad_value(env, x->span);
  if (!units_meet(env->e, arg.unit, at.unit, x->span)) {
    (void)unit_check(env, at, arg.unit, "the points of a table");
    return bad_value(env, x->span);
  }
  if (!list_of(env, &at, "a point of a table", &px) || !list_of(env, &to, "a value of a table", &py))
    return bad_value(env, x->span);
  if (!finite_points(env, at.span, px, at.dim[0]) || !finite_points(env, to.span, py, at.dim[0]) ||
      !rising(env, at.span, px, at.dim[0]))
    return bad_value(env, x->span);
  return made(env, x, arg, to.unit, &(Points){ px, py, at.dim[0], periodic });
}

// --- delay(y, T): what y was a time T ago (runtime/assembly/signals.c) ---
// It becomes a variable with the loops around it as indices, and a statement that says of what it is the past.

static Value no_delay(const Env *env, Span at, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0239, at, "%s", what);
  diag_help(d, "%s", help);
  return bad_value(env, at);
}

static bool same_loops(const MContext *a, const MContext *b) {
  if (a->n != b->n) return false;
  for (int i = 0; i < a->n; i++)
    if (!mx_same(a->loop[i].lo, b->loop[i].lo) || !mx_same(a->loop[i].hi, b->loop[i].hi)) return false;
  return true;
}

static int delayed(const Env *env, const Ast *x, MExpr *y, MExpr *time, Unit unit) {
  Elab *e = env->e;
  for (size_t i = 0; i < e->delay.n; i++) {
    const MDelay *o = &e->delay.at[i];
    if (same_loops(&o->ctx, &env->ctx) && mx_same(o->value, y) && mx_same(o->time, time)) return o->var;
  }
  MVar v = { .kind = MV_DELAY, .ndim = env->ctx.n, .unit = unit, .span = x->span, .plain = ast_text(e, x) };
  v.name = arena_printf(e->a, "delay%d%s", (int)e->delay.n + 1, index_marks(e->a, env->ctx.n));
  family_bounds(&v, &env->ctx);
  vec_push(&e->var, v);
  MDelay d = { .ctx = env->ctx, .var = (int)e->var.n - 1, .value = y, .time = time, .span = x->span };
  vec_push(&e->delay, d);
  return d.var;
}

Value elab_delay(const Env *env, const Ast *x) {
  Elab *e = env->e;
  double number;
  if (!arity_ok(env, x, 2)) return bad_value(env, x->span);
  Value y = elab_scalar(env, x->list.at[0]), T = elab_scalar(env, x->list.at[1]);
  if (y.bad || T.bad || !unit_check(env, T, e->has_units ? unit_named("s") : UNIT_ANY, "a delay"))
    return bad_value(env, x->span);
  if (extra_uses(&T, MU_PARAM | MU_LOOP)) {
    not_constant(env, &T, "a delay", "delays that change with time are not supported");
    return bad_value(env, x->span);
  }
  if (try_eval(e, T.at[0], false, NULL, 0, &number) && !(number > 0))
    return no_delay(env, T.span, "a delay is positive", "delay(y, T) with T of one step or more");
  if (y.at[0]->uses & MU_STAT) return no_delay(env, y.span, "a result of the run has no past", "delay what moves");
  for (int k = 0; k < env->ctx.n; k++)
    if ((env->ctx.loop[k].lo->uses | env->ctx.loop[k].hi->uses) & MU_LOOP) {
      not_supported(env, DIAG_E0703, x->span, "a delay inside of a loop whose range depends on another loop",
                    "give both loops ranges of their own");
      return bad_value(env, x->span);
    }
  MExpr *index[MAX_LOOPS];
  for (int k = 0; k < env->ctx.n; k++) index[k] = mx_loop(e->a, k, x->span);
  int id = delayed(env, x, y.at[0], T.at[0], y.unit);
  return scalar_value(mx_var(e->a, &e->var.at[id], id, index, env->ctx.n, false, x->span), y.unit, x->span, env);
}
