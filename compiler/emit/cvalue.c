// DAG -> C trees. Nodes used more than once become temporaries, in an order where arguments come first; chains deeper
// than DEPTH are cut as well, so that no C compiler's parser is strained. Sine and cosine of the same angle are one
// call.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "../base/map.h"
#include "cvalue.h"

enum { DEPTH = 40 };

typedef struct Builder { CScope *s; Map *node; } Builder;   // Ex -> CNode*

static CNode *built(Builder *b, Ex e) { return map_get(b->node, (void *)(uintptr_t)e); }

static CNode *power(Arena *a, CNode *base, int n) {
  CNode *r = NULL;                                          // square and multiply on a name or small tree
  for (int i = 0; i < n; i++) r = r ? cnode_binary(a, "*", r, base) : base;
  return r;
}

static bool small_integer(const Pool *p, Ex e, int *n) {
  if (ex_operator(p, e) != OP_NUM) return false;
  double v = ex_value(p, e);
  if (v != floor(v) || fabs(v) > 64) return false;
  *n = (int)v;
  return true;
}

// x^(n + 1/2) with n >= 0 as x^n*sqrt(x): both are not numbers for x < 0
static bool half_integer(const Pool *p, Ex e, int *n) {
  if (ex_operator(p, e) != OP_NUM) return false;
  double v = ex_value(p, e) - 0.5;
  *n = (int)v;
  return v == floor(v) && v >= 0 && v <= 4;
}

static CNode *times(Arena *a, CNode *l, CNode *r) { return l ? cnode_binary(a, "*", l, r) : r; }

// x^n for |n| <= 64: products by repeated squaring through calls of the tree would repeat it, so only names are
// multiplied out.
static CNode *power_node(Builder *b, CNode *base, int n) {
  Arena *a = b->s->arena;
  if (n == 1) return base;
  if (n <= 4 && n > 0 && (base->kind == CN_NAME)) return power(a, base, n);
  CNode *arg[2] = { base, cnode_number(a, n) };
  return cnode_call(a, "nsm_pow", arg, 2);
}

// Products: negative powers go below the line, a coefficient -1 becomes a sign.
static CNode *product(Builder *b, Ex e) {
  Pool *p = b->s->sys->pool;
  Arena *a = b->s->arena;
  CNode *above = NULL, *below = NULL;
  bool negative = false;
  for (int i = 0; i < ex_nargs(p, e); i++) {
    Ex f = ex_arg(p, e, i);
    int n;
    if (ex_operator(p, f) == OP_NUM) {
      double v = ex_value(p, f);
      if (v < 0) { negative = !negative; v = -v; }
      if (v != 1) above = times(a, above, cnode_number(a, v));
    } else if (ex_operator(p, f) == OP_POW && small_integer(p, ex_arg(p, f, 1), &n) && n < 0 &&
               built(b, f)->kind != CN_NAME)
      below = times(a, below, power_node(b, built(b, ex_arg(p, f, 0)), -n));
    else above = times(a, above, built(b, f));
  }
  if (!above) above = cnode_number(a, 1);
  if (below) above = cnode_binary(a, "/", above, below);
  return negative ? cnode_negate(a, above) : above;
}

static CNode *sum(Builder *b, Ex e) {
  Pool *p = b->s->sys->pool;
  Arena *a = b->s->arena;
  CNode *s = NULL;
  for (int pass = 0; pass < 2; pass++)                      // positive terms first
    for (int i = 0; i < ex_nargs(p, e); i++) {
      CNode *t = built(b, ex_arg(p, e, i));
      bool negative = t->kind == CN_NEGATE || (t->kind == CN_NUMBER && t->number < 0);
      if (negative != (pass == 1)) continue;
      if (!s) s = t;
      else if (!negative) s = cnode_binary(a, "+", s, t);
      else s = cnode_binary(a, "-", s, t->kind == CN_NEGATE ? t->arg[0] : cnode_number(a, -t->number));
    }
  return s;
}

static CNode *build(Builder *b, Ex e) {
  static const char *const spelling[] = {
#define OP(name, arity, cname, notation) cname,
#include "../expr/expr_ops.def"
#undef OP
  };
  Pool *p = b->s->sys->pool;
  Arena *a = b->s->arena;
  Op op = ex_operator(p, e);
  int n;
  switch (op) {
  case OP_NUM: return cnode_number(a, ex_value(p, e));
  case OP_SYM: return cnode_name(a, b->s->leaf(ex_symbol(p, e), b->s->ctx));
  case OP_ADD: return sum(b, e);
  case OP_MUL: return product(b, e);
  case OP_PLUS: case OP_MINUS: case OP_TIMES: case OP_OVER:
    return cnode_binary(a, spelling[op], built(b, ex_arg(p, e, 0)), built(b, ex_arg(p, e, 1)));
  case OP_OPPOSITE: return cnode_negate(a, built(b, ex_arg(p, e, 0)));
  case OP_SHARED: return built(b, ex_arg(p, e, 0));
  case OP_POW:
    if (small_integer(p, ex_arg(p, e, 1), &n) && n != 0) {
      CNode *x = power_node(b, built(b, ex_arg(p, e, 0)), n < 0 ? -n : n);
      return n < 0 ? cnode_binary(a, "/", cnode_number(a, 1), x) : x;
    }
    if (half_integer(p, ex_arg(p, e, 1), &n)) {
      CNode *x = built(b, ex_arg(p, e, 0)), *root = cnode_call(a, "nsm_sqrt", &x, 1);
      return n == 0 ? root : cnode_binary(a, "*", power_node(b, x, n), root);
    }
    break;
  case OP_CHAIN: {
    CNode *x = built(b, ex_arg(p, e, 0)), *y = built(b, ex_arg(p, e, 1)), *zero = cnode_number(a, 0);
    CNode *none = cnode_binary(a, "||", cnode_binary(a, "==", x, zero), cnode_binary(a, "==", y, zero));
    return cnode_choose(a, none, zero, cnode_binary(a, "*", x, y));
  }
  case OP_LT: case OP_LE: case OP_EQ: case OP_AND: case OP_OR: {
    CNode *l = built(b, ex_arg(p, e, 0));
    for (int i = 1; i < ex_nargs(p, e); i++) l = cnode_binary(a, spelling[op], l, built(b, ex_arg(p, e, i)));
    return l;
  }
  case OP_NOT: return cnode_not(a, built(b, ex_arg(p, e, 0)));
  case OP_IF: return cnode_choose(a, built(b, ex_arg(p, e, 0)), built(b, ex_arg(p, e, 1)), built(b, ex_arg(p, e, 2)));
  default: break;
  }
  int k = ex_nargs(p, e);
  CNode **arg = ARENA_ARRAY(a, CNode *, k);
  for (int i = 0; i < k; i++) arg[i] = built(b, ex_arg(p, e, i));
  return cnode_call(a, spelling[op], arg, k);
}

static void count_uses(Builder *b, const Ex *order, int n, const Ex *root, int nroot, Map *index, int *uses,
                       bool *raised) {
  Pool *p = b->s->sys->pool;
  for (int i = 0; i < n; i++) map_put(index, (void *)(uintptr_t)order[i], (void *)(uintptr_t)(i + 1));
  for (int i = 0; i < n; i++) {
    int m;
    // x^n with a compound base, and what a chain rule multiplies, are written twice: they are worth a name
    bool power = ex_operator(p, order[i]) == OP_POW, chain = ex_operator(p, order[i]) == OP_CHAIN;
    bool multiplied = power && ((small_integer(p, ex_arg(p, order[i], 1), &m) && m != 1 && m != -1) ||
                                half_integer(p, ex_arg(p, order[i], 1), &m));
    for (int k = 0; k < ex_nargs(p, order[i]); k++) {
      int at = (int)(uintptr_t)map_get(index, (void *)(uintptr_t)ex_arg(p, order[i], k)) - 1;
      uses[at]++;
      if ((multiplied && k == 0) || chain) raised[at] = true;
    }
  }
  for (int i = 0; i < nroot; i++)
    if (root[i] != EX_NONE) uses[(int)(uintptr_t)map_get(index, (void *)(uintptr_t)root[i]) - 1]++;
}

// The cosine of each sine's angle and the other way round, where both are in `order`: node -> node.
static Map *angles(Builder *b, const Ex *order, int n) {
  Pool *p = b->s->sys->pool;
  Map *pair = map_new(b->s->arena), *of[2] = { map_new(b->s->arena), map_new(b->s->arena) };
  for (int i = 0; i < n; i++) {
    Op op = ex_operator(p, order[i]);
    if (op != OP_SIN && op != OP_COS) continue;
    void *angle = (void *)(uintptr_t)ex_arg(p, order[i], 0), *other = map_get(of[op == OP_SIN], angle),
         *self = (void *)(uintptr_t)order[i];
    map_put(of[op == OP_COS], angle, self);
    if (other) { map_put(pair, self, other); map_put(pair, other, self); }
  }
  return pair;
}

// Prints both, as temporaries.
static void sine_and_cosine(Builder *b, Ex e, Ex other, int *temps, Text *out) {
  Arena *a = b->s->arena;
  char name[2][24];
  bool cosine = ex_operator(b->s->sys->pool, e) == OP_COS;
  for (int i = 0; i < 2; i++) snprintf(name[i], sizeof name[i], "t%d", (*temps)++);
  text_printf(out, "%sdouble %s, %s;\n%snsm_sincos(", b->s->indent, name[0], name[1], b->s->indent);
  cnode_print(built(b, ex_arg(b->s->sys->pool, e, 0)), out);
  text_printf(out, ", &%s, &%s);\n", name[0], name[1]);
  map_put(b->node, (void *)(uintptr_t)e, cnode_name(a, name[cosine]));
  map_put(b->node, (void *)(uintptr_t)other, cnode_name(a, name[!cosine]));
}

CNode **c_values(CScope *s, const Ex *root, int n, Text *out) {
  Builder b = { s, map_new(s->arena) };
  const Ex *order;
  int total = ex_topological(s->sys->pool, root, n, &order), temps = 0;
  int *uses = ARENA_ARRAY(s->arena, int, total + 1);
  bool *raised = ARENA_ARRAY(s->arena, bool, total + 1);
  count_uses(&b, order, total, root, n, map_new(s->arena), uses, raised);
  Map *pair = angles(&b, order, out ? total : 0);
  for (int i = 0; i < total; i++) {
    if (built(&b, order[i])) continue;                      // with its partner
    Ex partner = (Ex)(uintptr_t)map_get(pair, (void *)(uintptr_t)order[i]);
    if (partner) { sine_and_cosine(&b, order[i], partner, &temps, out); continue; }
    CNode *c = build(&b, order[i]);
    bool leaf = c->kind == CN_NUMBER || c->kind == CN_NAME || (c->kind == CN_NEGATE && c->arg[0]->kind == CN_NAME);
    if (out && !leaf && (uses[i] > 1 || raised[i] || c->depth > DEPTH)) {
      char name[24];
      snprintf(name, sizeof name, "t%d", temps++);
      text_printf(out, "%sconst double %s = ", s->indent, name);
      cnode_print(c, out);
      text_add(out, ";\n");
      c = cnode_name(s->arena, name);
    }
    map_put(b.node, (void *)(uintptr_t)order[i], c);
  }
  CNode **r = ARENA_ARRAY(s->arena, CNode *, n + 1);
  for (int i = 0; i < n; i++) r[i] = root[i] == EX_NONE ? NULL : built(&b, root[i]);
  return r;
}

void c_value(CScope *s, Ex e, Text *out) {
  CNode **r = c_values(s, &e, 1, NULL);
  cnode_print(r[0], out);
}
