// Calls: the model's own functions are inlined, vector functions written out, sgn and normal_cone sent to where they
// belong.
#include <stdint.h>
#include <string.h>

#include "elab.h"

enum { MAX_INLINE = 200 };

static Value recursion(const Env *env, const Ast *x, const Ast *f) {
  Diag *d = diag(env->e->bag, DIAG_E0211, x->span, "function `%s` calls itself", f->name);
  diag_label(d, "called again here");
  diag_also(d, f->name_span, "declared here");
  diag_help(d, "functions are written out where they are called; use sum(i in 1:n) or a closed form");
  return bad_value(env, x->span);
}

// --- calls that were written out already ---

// Functions that call functions several times make trees of exponential size; with the same arguments the result
// is the same node. Arguments are made one node where they are alike, so that what is computed of them is alike
// again; they are compared one level down.
typedef struct Call { int n; Value *arg, result; struct Call *next; } Call;
typedef struct Known { MExpr *x; struct Known *next; } Known;

static bool same_node(const MExpr *a, const MExpr *b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->op != b->op || a->id != b->id || a->derivative != b->derivative || a->nargs != b->nargs)
    return false;
  if (a->kind == MX_NUM) return a->num == b->num;
  for (int i = 0; i < a->nargs; i++) {
    const MExpr *x = a->arg[i], *y = b->arg[i];
    if (x != y && !(x->kind == MX_NUM && y->kind == MX_NUM && x->num == y->num)) return false;
  }
  return true;
}

static uint64_t mixed(uint64_t h, uint64_t x) {
  h = (h ^ x)*UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

static uint64_t node_hash(const MExpr *x, bool inside) {
  uint64_t bits, h = mixed((uint64_t)x->kind, (uint64_t)x->op);
  memcpy(&bits, &x->num, sizeof bits);
  if (x->kind == MX_NUM) return mixed(h, bits);
  if (!inside) return (uint64_t)(uintptr_t)x;
  h = mixed(mixed(h, (uint64_t)x->id), x->derivative);
  for (int i = 0; i < x->nargs; i++) h = mixed(h, node_hash(x->arg[i], false));
  return h;
}

static MExpr *one_for_all(Elab *e, MExpr *x) {
  void *key = (void *)(uintptr_t)(node_hash(x, true) | 1);
  for (const Known *k = map_get(e->alike, key); k; k = k->next)
    if (same_node(k->x, x)) return k->x;
  Known *k = ARENA_NEW(e->a, Known);
  *k = (Known){ x, map_get(e->alike, key) };
  map_put(e->alike, key, k);
  return x;
}

static bool same_value(const Value *a, const Value *b) {
  if (a->truth != b->truth || a->ndim != b->ndim || memcmp(&a->unit, &b->unit, sizeof a->unit)) return false;
  for (int i = 0; i < a->ndim; i++)
    if (a->dim[i] != b->dim[i]) return false;
  return !memcmp(a->at, b->at, sizeof *a->at * (size_t)value_count(a));
}

static Value copied(Arena *a, Value v) {
  MExpr **at = ARENA_ARRAY(a, MExpr *, value_count(&v));
  memcpy(at, v.at, sizeof *at * (size_t)value_count(&v));
  v.at = at;
  return v;
}

static const Call *known_call(const Env *env, const Ast *f, const Value *arg, int n) {
  enum { LOOKED_AT = 64 };
  int left = LOOKED_AT;
  for (const Call *c = map_get(env->e->done, f); c && left-- > 0; c = c->next) {
    bool same = c->n == n;
    for (int i = 0; i < n && same; i++) same = same_value(&c->arg[i], &arg[i]);
    if (same) return c;
  }
  return NULL;
}

static void remember_call(const Env *env, const Ast *f, const Value *arg, int n, Value result) {
  Arena *a = env->e->a;
  Call *c = ARENA_NEW(a, Call);
  *c = (Call){ n, ARENA_ARRAY(a, Value, n + 1), copied(a, result), (Call *)map_get(env->e->done, f) };
  for (int i = 0; i < n; i++) c->arg[i] = copied(a, arg[i]);
  map_put(env->e->done, f, c);
}

// All calls that one outermost call makes are counted.
static bool few_calls(const Env *env, const Ast *x) {
  Elab *e = env->e;
  if (e->calls.n == 0) e->calls_made = 0;
  if (++e->calls_made <= MAX_ELEMENTS) return true;
  if (e->calls_made > MAX_ELEMENTS + 1) return false;               // said once
  Diag *d = diag(e->bag, DIAG_E0607, x->span, "this function calls others too often to be written out");
  diag_label(d, "more than %d calls within one", MAX_ELEMENTS);
  diag_note(d, "functions are written out where they are called; only calls with the same arguments are shared");
  diag_help(d, "give values that are needed in several places to a `var`");
  return false;
}

// f(a, b): the body with the formals standing for the values; it sees file-level parameters and other functions,
// nothing else.
static Value inline_function(const Env *env, const Ast *x, const Ast *f) {
  Elab *e = env->e;
  if (!arity_ok(env, x, f->list.n)) return bad_value(env, x->span);
  for (size_t i = 0; i < e->calls.n; i++)
    if (e->calls.at[i] == f) return recursion(env, x, f);
  if (env->depth > MAX_INLINE) return recursion(env, x, f);
  Env in = {.e = e, .scope = e->globals, .ctx = env->ctx, .depth = env->depth + 1};
  bool bad = false;
  Value *arg = ARENA_ARRAY(e->a, Value, f->list.n + 1);
  for (int i = 0; i < f->list.n; i++) {
    const Ast *formal = f->list.at[i];
    Value v = adopt(env, elab_expr(env, x->list.at[i]), formal, "argument");
    bad = bad || v.bad;
    if (!v.bad) {
      v = copied(e->a, v);
      for (int k = 0; k < value_count(&v); k++) v.at[k] = one_for_all(e, v.at[k]);
    }
    arg[i] = v;
    for (int k = 0; k < i; k++)
      if (f->list.at[k]->name == formal->name) {
        Diag *d = diag(e->bag, DIAG_E0202, formal->name_span, "`%s` is declared twice", formal->name);
        diag_also(d, f->list.at[k]->name_span, "first declared here");
      }
    in = env_with(in, &(Local){.kind = L_VALUE, .name = formal->name, .span = formal->name_span, .value = v});
  }
  if (bad || !f->a) return bad_value(env, x->span);
  const Call *known = known_call(env, f, arg, f->list.n);
  Value r;
  if (known) r = copied(e->a, known->result);
  else if (!few_calls(env, x)) r = bad_value(env, x->span);
  else {
    vec_push(&e->calls, f);
    r = adopt(&in, elab_expr(&in, f->a), f, "function");
    e->calls.n--;
    if (!r.bad) remember_call(env, f, arg, f->list.n, r);
  }
  r.span = x->span;
  return r;
}

static Value misplaced_law(const Env *env, const Ast *x) {
  bool sgn = strcmp(x->name, "sgn") == 0;
  Diag *d = diag(env->e->bag, DIAG_E0208, x->span, "`%s` is set-valued and cannot be a term of an ordinary expression",
                 x->name);
  diag_label(d, sgn ? "at 0 this is the whole interval [-1, 1]" : "this is a set, not a number");
  diag_note(d, "a set-valued law needs a multiplier and a relation");
  if (sgn)
    diag_help(d, "relation N: u in -sgn(s); with a multiplier u -- or sign(s), the ordinary function that is 0 at 0");
  else diag_help(d, "relation N: -y in normal_cone([lo, hi], u); with a multiplier u");
  return bad_value(env, x->span);
}

Value elab_call(const Env *env, const Ast *x) {
  const char *name = x->name ? x->name : "";
  const Ast *f = map_get(env->e->functions, name);
  MOp op;
  bool is_statistic;
  if (f) return inline_function(env, x, f);
  if (!strcmp(name, "delay")) return elab_delay(env, x);
  if (!strcmp(name, "table") || !strcmp(name, "spline")) return elab_table(env, x);
  Value v = elab_statistic(env, x, &is_statistic);
  if (is_statistic) return v;
  if (find_builtin(name, &op)) return builtin_call(env, op, x);
  if (strcmp(name, "sgn") == 0 || strcmp(name, "normal_cone") == 0) return misplaced_law(env, x);
  bool dot = strcmp(name, "dot") == 0, norm = strcmp(name, "norm") == 0, transpose = strcmp(name, "transpose") == 0;
  bool sum = strcmp(name, "sum") == 0;
  if (!dot && !norm && !transpose && !sum) {
    unknown_function(env, x);
    return bad_value(env, x->span);
  }
  if (!arity_ok(env, x, dot ? 2 : 1)) return bad_value(env, x->span);
  Value a = elab_expr(env, x->list.at[0]);
  if (transpose) return transpose_value(env, a, x->span);
  if (norm) return norm_value(env, a, x->span);
  if (sum) return a.bad ? a : scalar_value(mx_sum(env->e->a, a.at, value_count(&a), x->span), a.unit, x->span, env);
  return dot_value(env, a, elab_expr(env, x->list.at[1]), x->span);
}
