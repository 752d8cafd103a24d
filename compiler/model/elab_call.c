// Calls: the model's own functions are inlined, vector functions written out, sgn and normal_cone sent to where they
// belong.
#include <stdint.h>
#include <string.h>

#include "elab_body.h"

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

static bool same_unit(const Unit *a, const Unit *b) {
  return a->state == b->state && !memcmp(a->num, b->num, sizeof a->num) && a->den == b->den && a->scale == b->scale &&
         a->written == b->written;
}

static bool same_value(const Value *a, const Value *b) {
  if (a->truth != b->truth || a->ndim != b->ndim || !same_unit(&a->unit, &b->unit)) return false;
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

// f(a[3]): what is given has the size that the formal asks for; one number does not stand for many.
static Value sized(const Env *env, Value v, const Ast *formal) {
  int n = formal->list.n, dim[MAX_DIMS] = {0};
  if (v.bad || n == 0) return v;
  Env outside = env_of(env->e->globals);
  MExpr *size[MAX_DIMS];
  if (array_sizes(&outside, formal, MAX_DIMS, size) < 0) return bad_value(env, v.span);
  for (int k = 0; k < n; k++)
    if (!fixed_size(&outside, size[k], "the size of an argument", &dim[k])) return bad_value(env, v.span);
  if (v.ndim) return shape_to(env, v, formal, n, dim);
  Value want = {.ndim = n, .dim = {dim[0], dim[1]}, .span = formal->name_span};
  Diag *d = diag(env->e->bag, DIAG_E0302, v.span, "`%s` is %s, not a number", formal->name,
                 shape_text(env->e, &want));
  diag_label(d, "this is a number");
  diag_also(d, formal->name_span, "declared here");
  diag_help(d, n == 1 ? "give it a vector: [a, b, ...]" : "give it a matrix: [[a, b], [c, d]]");
  return bad_value(env, v.span);
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
    Value v = sized(env, adopt(env, elab_expr(env, x->list.at[i]), formal, "argument"), formal);
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

// --- functions of a body: b.point(a), b.vector(e), b.velocity(x) ---

static const Ast *part(const Env *env, const Ast *of, const char *name) {
  Ast *x = ARENA_NEW(env->e->a, Ast);
  *x = (Ast){ .kind = AST_MEMBER, .span = of->span, .name_span = of->span, .name = intern(env->e->in, name),
              .a = (Ast *)of, .depth = of->depth + 1 };
  return x;
}

static const Ast *prime(const Env *env, const Ast *of) {
  Ast *x = ARENA_NEW(env->e->a, Ast);
  *x = (Ast){ .kind = AST_PRIME, .span = of->span, .a = (Ast *)of, .depth = of->depth + 1 };
  return x;
}

// w x d, with w one number in the plane
static Value crossed(const Env *env, const Value *w, const Value *d, Span at) {
  Arena *a = env->e->a;
  Value r = *d;
  int n = d->dim[0];
  r.unit = unit_mul(w->unit, d->unit);
  r.span = at;
  r.at = ARENA_ARRAY(a, MExpr *, n);
  for (int i = 0; i < n; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    if (n == 2) {
      r.at[i] = mx_2(a, MOP_MUL, w->at[0], d->at[1 - i], at);
      if (i == 0) r.at[i] = mx_neg(a, r.at[i], at);
    } else
      r.at[i] = mx_2(a, MOP_SUB, mx_2(a, MOP_MUL, w->at[j], d->at[k], at), mx_2(a, MOP_MUL, w->at[k], d->at[j], at),
                     at);
  }
  return r;
}

// --- pile.impulse(ball[3]) ---

static MExpr *number(const Env *env, double x, Span at) { return mx_num(env->e->a, x, at); }

// The number of a member among its family, from 0, the last index fastest. NULL: not worked out, reported.
static MExpr *member_number(const Env *env, const Ast *x, const BodyRange *of) {
  Arena *a = env->e->a;
  const MContext *ctx = &of->body->ctx;
  bool one = of->n == ctx->n, free = true;
  for (int k = 0; k < of->n; k++) one &= of->lo[k] == of->hi[k];
  for (int k = 1; k < ctx->n; k++) free &= !((ctx->loop[k].lo->uses | ctx->loop[k].hi->uses) & MU_LOOP);
  if (!one || !free) {
    Diag *d = diag(env->e->bag, DIAG_E0605, x->span, one ? "a member of a family whose ranges depend on each other"
                                                         : "an impulse is on one body");
    diag_help(d, one ? "use families with fixed ranges" : "name one: %s[1]", ast_text(env->e, x));
    return NULL;
  }
  MExpr *at = number(env, 0, x->span);
  for (int k = 0; k < ctx->n; k++) {
    const MLoop *l = &ctx->loop[k];
    MExpr *size = mx_plus(a, mx_minus(a, l->hi, l->lo), number(env, 1, x->span));
    at = mx_plus(a, mx_times(a, at, size), mx_minus(a, of->lo[k], l->lo));
  }
  return at;
}

static Value touch_call(const Env *env, const Ast *x, const Symbol *y) {
  Elab *e = env->e;
  BodyRange of;
  if (strcmp(x->name, "impulse") || x->list.n != 1) {
    Diag *d = diag(e->bag, DIAG_E0201, x->name_span, "a contact between shapes has impulse(body)");
    diag_help(d, "%s.impulse(ball), on ball in the last step; %s.count and %s.deepest", y->name, y->name, y->name);
    return bad_value(env, x->span);
  }
  if (!bodies_of(env, x->list.at[0], &of)) return bad_value(env, x->span);
  const Body *b = of.body->child->body;
  MExpr *arg[2] = { number(env, b->solid, x->span), member_number(env, x->list.at[0], &of) };
  if (!arg[1]) return bad_value(env, x->span);
  if (b->solid < 0) {
    Diag *d = diag(e->bag, DIAG_E0245, x->list.at[0]->span, "`%s` has no shape, so nothing touches it",
                   of.body->name);
    diag_help(d, "give the body a shape");
    return bad_value(env, x->span);
  }
  int n = b->planar ? 2 : 3;
  Value v = { .unit = e->has_units ? unit_named("N*s") : UNIT_ANY, .ndim = 1, .dim = { n, 0 }, .span = x->span };
  v.at = ARENA_ARRAY(e->a, MExpr *, n);
  for (int i = 0; i < n; i++) v.at[i] = mx_touch(e->a, y->id, MT_IMPULSE + i, arg, 2, x->span);
  return v;
}

static Value body_call(const Env *env, const Ast *x) {
  const Symbol *contact = contact_of(env, x->a);
  if (contact) return touch_call(env, x, contact);
  Elab *e = env->e;
  bool point = !strcmp(x->name, "point"), vector = !strcmp(x->name, "vector"), velocity = !strcmp(x->name, "velocity");
  const Scope *of = instance_of(env, x->a);
  if (!of) return bad_value(env, x->span);
  if (!of->body || (!point && !vector && !velocity)) {
    Diag *d = diag(e->bag, DIAG_E0201, x->name_span, "`%s` has no function `%s`", ast_text(e, x->a), x->name);
    if (of->body) diag_help(d, "a body has point(a), vector(e), velocity(x)");
    else diag_help(d, "functions of a model stand outside of it: function f(x) = ...;");
    return bad_value(env, x->span);
  }
  int n = of->body->planar ? 2 : 3;
  Value v = x->list.n == 1 ? elab_expr(env, x->list.at[0]) : (Value){ 0 };
  if (v.bad) return bad_value(env, x->span);
  if (x->list.n != 1 || v.ndim != 1 || v.dim[0] != n) {
    Diag *d = diag(e->bag, DIAG_E0302, x->span, "`%s` takes one vector of %d", x->name, n);
    if (x->list.n == 1) diag_label(d, "this is %s", shape_text(e, &v));
    diag_help(d, "%s.%s(%s)", ast_text(e, x->a), x->name, n == 2 ? "[0, 0]" : "[0, 0, 0]");
    return bad_value(env, x->span);
  }
  Value r = elab_expr(env, part(env, x->a, "r"));
  if (velocity) {
    Value w = elab_expr(env, part(env, x->a, "omega")), u = elab_expr(env, prime(env, part(env, x->a, "r")));
    Value arm = binary_value(env, AO_SUB, v, r, x);
    if (arm.bad || w.bad || u.bad) return bad_value(env, x->span);
    return binary_value(env, AO_ADD, u, crossed(env, &w, &arm, x->span), x);
  }
  Value turned = binary_value(env, AO_MUL, elab_expr(env, part(env, x->a, "R")), v, x);
  return vector ? turned : binary_value(env, AO_ADD, r, turned, x);
}

Value elab_call(const Env *env, const Ast *x) {
  const char *name = x->name ? x->name : "";
  if (x->a) return body_call(env, x);
  const Ast *f = map_get(env->e->functions, name);
  MOp op;
  bool is_statistic;
  if (f) return inline_function(env, x, f);
  if (!strcmp(name, "delay")) return elab_delay(env, x);
  if (!strcmp(name, "table") || !strcmp(name, "spline")) return elab_table(env, x);
  if (strcmp(name, "initial") == 0 && !env->in_claim) return initial_call(env, x);
  Value v = elab_statistic(env, x, &is_statistic);
  if (is_statistic) return v;
  if (strcmp(name, "turned") == 0) return turned_call(env, x);
  if (strcmp(name, "given") == 0) return given_call(env, x);
  if (find_builtin(name, &op)) return builtin_call(env, op, x);
  if (is_space_function(name)) return space_call(env, x);
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
