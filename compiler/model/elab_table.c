// Functions by points: table(x, [x1, ...], [y1, ...]), table("f.csv", "y", x), table("f.csv", "y") of time; `spline` the
// same as a monotone cubic; `periodic` at the end. Points are numbers when the model is compiled.
#include <math.h>
#include <string.h>

#include "../../runtime/shared/table.h"
#include "elab.h"

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

static Value made(const Env *env, const Ast *x, Value arg, Unit unit, bool periodic, const double *px, const double *py,
                  int n) {
  Elab *e = env->e;
  if (periodic && py[0] != py[n - 1]) {
    Diag *d = diag(e->bag, DIAG_E0237, x->span, "what is periodic ends where it begins: %g is not %g", py[n - 1], py[0]);
    diag_help(d, "repeat the first value at the end of the period");
    return bad_value(env, x->span);
  }
  Value v = arg;
  v.unit = unit;
  v.span = x->span;
  v.at = ARENA_ARRAY(e->a, MExpr *, value_count(&arg));
  int id = store(env, x, periodic, px, py, n);
  for (int i = 0; i < value_count(&arg); i++) {
    v.at[i] = mx_1(e->a, MOP_TABLE, arg.at[i], x->span);
    v.at[i]->id = id;
  }
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
  return points ? made(env, x, arg, UNIT_BARE, periodic, px, py, points) : bad_value(env, x->span);
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
  if (!unit_compatible(arg.unit, at.unit)) {
    (void)unit_check(env, at, arg.unit, "the points of a table");
    return bad_value(env, x->span);
  }
  if (!list_of(env, &at, "a point of a table", &px) || !list_of(env, &to, "a value of a table", &py))
    return bad_value(env, x->span);
  if (!rising(env, at.span, px, at.dim[0])) return bad_value(env, x->span);
  return made(env, x, arg, to.unit, periodic, px, py, at.dim[0]);
}
