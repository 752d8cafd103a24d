// The builder: appends nodes, checks types and blocks. Values of DAGs are made in values.c.
#include <string.h>
#include "../base/fatal.h"
#include "../base/vec.h"
#include "kernel.h"

enum { DEPTH = 40 };                   // deeper expressions get a name, so that no C compiler's parser is strained

struct KBuilder {
  Arena *arena;
  KKernel *kernel;
  Vec(KNode) node;
  Vec(KParam) param;
  int block;                           // the node that opened the innermost open block; -1
  bool instances;                      // a loop over instances was opened: there is one in a kernel
};

// --- begin and end ---

KBuilder *k_begin(Arena *a, const char *name, KType result) {
  KBuilder *b = ARENA_NEW(a, KBuilder);
  b->arena = a;
  b->kernel = ARENA_NEW(a, KKernel);
  b->kernel->name = arena_strndup(a, name, strlen(name));
  b->kernel->result = result;
  b->block = -1;
  return b;
}

void k_about(KBuilder *b, const char *comment) { b->kernel->about = arena_strndup(b->arena, comment, strlen(comment)); }
void k_remark(KBuilder *b, const char *comment) {
  INVARIANT(b->node.n > 0 && vec_last(&b->node).code >= KN_VARIABLE);
  vec_last(&b->node).text = arena_strndup(b->arena, comment, strlen(comment));
}

Arena *k_arena(const KBuilder *b) { return b->arena; }

const KKernel *k_end(KBuilder *b) {
  INVARIANT(b->block == -1);
  KKernel *k = b->kernel;
  k->n = (int)b->node.n;
  k->nparam = (int)b->param.n;
  k->node = vec_freeze(b->arena, &b->node);
  k->param = vec_freeze(b->arena, &b->param);
  return k;
}

// --- nodes ---

const KNode *k_node(const KBuilder *b, KValue v) {
  INVARIANT(v >= 0 && (size_t)v < b->node.n);
  return &b->node.at[v];
}

static KType type_of(const KBuilder *b, KValue v) { return k_node(b, v)->type; }

// Is the block of v open here?
static bool in_scope(const KBuilder *b, KValue v) {
  int home = k_node(b, v)->block;
  for (int at = b->block; at != home; at = b->node.at[at].block) if (at == -1) return false;
  return true;
}

static bool is_leaf(KCode c) {
  switch (c) {
  case KN_NUMBER: case KN_INTEGER: case KN_PARAM: case KN_COUNTER: case KN_SLOT: case KN_COLUMN:
  case KN_FIELD: case KN_AT: case KN_GET: case KN_SINE: case KN_COSINE:
    return true;
  default: return false;
  }
}

static KValue add(KBuilder *b, KNode n, const KValue *arg, int narg) {
  n.block = b->block;
  n.narg = narg;
  n.arg = narg ? ARENA_ARRAY(b->arena, KValue, narg) : NULL;
  for (int i = 0; i < narg; i++) {
    INVARIANT(arg[i] == K_NONE || in_scope(b, arg[i]));
    n.arg[i] = arg[i];
    if (arg[i] == K_NONE) continue;
    const KNode *x = k_node(b, arg[i]);
    if (!is_leaf(n.code) && x->depth >= n.depth) n.depth = x->depth + 1;
  }
  if (n.type != KT_VOID && n.code != KN_LIST && n.depth > DEPTH) n.named = true;
  if (n.named) n.depth = 0;
  vec_push(&b->node, n);
  return (KValue)b->node.n - 1;
}

static KValue add0(KBuilder *b, KCode code, KType type, int index) {
  return add(b, (KNode){ .code = code, .type = type, .index = index }, NULL, 0);
}

static KValue add1(KBuilder *b, KCode code, KType type, int index, KValue x) {
  return add(b, (KNode){ .code = code, .type = type, .index = index }, &x, 1);
}

KValue k_param(KBuilder *b, KType type, const char *name) {
  INVARIANT(b->node.n == b->param.n && type != KT_VOID && type != KT_BOOL);
  KParam p = { type, arena_strndup(b->arena, name, strlen(name)) };
  vec_push(&b->param, p);
  return add(b, (KNode){ .code = KN_PARAM, .type = type, .index = (int)b->param.n - 1, .name = p.name }, NULL, 0);
}

KValue k_name(KBuilder *b, KValue v, const char *name, const char *comment) {
  KNode *n = &b->node.at[v];
  INVARIANT(k_node(b, v)->type != KT_VOID && n->code != KN_PARAM && n->code != KN_LIST);
  n->name = arena_strndup(b->arena, name, strlen(name));
  if (comment) n->text = arena_strndup(b->arena, comment, strlen(comment));
  n->named = true;
  n->depth = 0;
  return v;
}

void k_mark(KBuilder *b, KValue v) {
  INVARIANT(k_node(b, v)->type != KT_VOID && k_node(b, v)->code != KN_LIST);
  b->node.at[v].named = true;
  b->node.at[v].depth = 0;
}

// --- values ---

KValue k_number(KBuilder *b, double x) {
  return add(b, (KNode){ .code = KN_NUMBER, .type = KT_DOUBLE, .number = x }, NULL, 0);
}

KValue k_integer(KBuilder *b, int i) { return add0(b, KN_INTEGER, KT_INT, i); }

KValue k_double(KBuilder *b, KValue x) {
  KType t = type_of(b, x);
  if (t == KT_DOUBLE) return x;
  INVARIANT(t == KT_INT || t == KT_BOOL);
  return add1(b, KN_DOUBLE, KT_DOUBLE, 0, x);
}

KValue k_truth(KBuilder *b, KValue x) {
  if (type_of(b, x) == KT_BOOL) return x;
  INVARIANT(type_of(b, x) == KT_DOUBLE);
  return add1(b, KN_TRUTH, KT_BOOL, 0, x);
}

static KValue operation(KBuilder *b, Op op, KType type, const KValue *arg, int n) {
  return add(b, (KNode){ .code = KN_OP, .op = op, .type = type }, arg, n);
}

KValue k_op(KBuilder *b, Op op, const KValue *arg, int n) {
  KValue x[4];
  KSymbol function;
  INVARIANT(n >= 1 && n <= 4);
  bool whole = true;
  for (int i = 0; i < n; i++) whole &= type_of(b, arg[i]) == KT_INT;
  bool compare = op == OP_LT || op == OP_LE || op == OP_EQ;
  if (op == OP_AND || op == OP_OR || op == OP_NOT) {
    INVARIANT(n == (op == OP_NOT ? 1 : 2));
    for (int i = 0; i < n; i++) x[i] = k_truth(b, arg[i]);
    return operation(b, op, KT_BOOL, x, n);
  }
  if (op == OP_IF) { INVARIANT(n == 3); return k_choose(b, arg[0], arg[1], arg[2]); }
  if (whole && (compare || op == OP_PLUS || op == OP_MINUS || op == OP_TIMES)) {
    INVARIANT(n == 2);
    return operation(b, op, compare ? KT_BOOL : KT_INT, arg, n);
  }
  for (int i = 0; i < n; i++) x[i] = k_double(b, arg[i]);
  if (compare || op == OP_PLUS || op == OP_MINUS || op == OP_TIMES || op == OP_OVER) {
    INVARIANT(n == 2);
    return operation(b, op, compare ? KT_BOOL : KT_DOUBLE, x, n);
  }
  if (op == OP_OPPOSITE) { INVARIANT(n == 1); return operation(b, op, KT_DOUBLE, x, n); }
  INVARIANT(k_symbol_of_op(op, &function));
  return k_call(b, function, x, n);
}

KValue k_op1(KBuilder *b, Op op, KValue x) { return k_op(b, op, &x, 1); }
KValue k_op2(KBuilder *b, Op op, KValue x, KValue y) { return k_op(b, op, (KValue[]){ x, y }, 2); }

KValue k_choose(KBuilder *b, KValue condition, KValue yes, KValue no) {
  bool whole = type_of(b, yes) == KT_INT && type_of(b, no) == KT_INT;
  KValue x[3] = { k_truth(b, condition), whole ? yes : k_double(b, yes), whole ? no : k_double(b, no) };
  return operation(b, OP_IF, whole ? KT_INT : KT_DOUBLE, x, 3);
}

void k_sincos(KBuilder *b, KValue x, KValue *sine, KValue *cosine) {
  INVARIANT(type_of(b, x) == KT_DOUBLE);
  KValue both = add1(b, KN_SINCOS, KT_VOID, 0, x);
  *sine = add1(b, KN_SINE, KT_DOUBLE, 0, both);
  *cosine = add1(b, KN_COSINE, KT_DOUBLE, 0, both);
}

static bool fits(char letter, KType t) {
  switch (letter) {
  case 'd': return t == KT_DOUBLE;
  case 'i': case 'l': return t == KT_INT;
  case 'p': return t > KT_BOOL;
  default: return false;
  }
}

KValue k_call(KBuilder *b, KSymbol function, const KValue *arg, int n) {
  const KSymbolInfo *s = k_symbol_info(function);
  INVARIANT(strlen(s->arguments) == (size_t)n && s->result != 'p');
  for (int i = 0; i < n; i++) INVARIANT(fits(s->arguments[i], type_of(b, arg[i])));
  KType t = s->result == 'd' ? KT_DOUBLE : s->result == 'v' ? KT_VOID : KT_INT;
  return add(b, (KNode){ .code = KN_CALL, .type = t, .index = (int)function }, arg, n);
}

KValue k_list(KBuilder *b, const KValue *x, int n) {
  for (int i = 0; i < n; i++) INVARIANT(type_of(b, x[i]) == KT_DOUBLE);
  return add(b, (KNode){ .code = KN_LIST, .type = KT_INPUT }, x, n);
}

// --- loads ---

KValue k_field(KBuilder *b, KValue structure, KField field) {
  const KFieldInfo *f = k_field_info(field);
  INVARIANT(type_of(b, structure) == f->structure);
  return add1(b, KN_FIELD, f->type, (int)field, structure);
}

KValue k_at(KBuilder *b, KValue array, KValue index) {
  KType t = type_of(b, array);
  INVARIANT(k_is_array(t) && type_of(b, index) == KT_INT);
  return add(b, (KNode){ .code = KN_AT, .type = t == KT_INDICES ? KT_INT : KT_DOUBLE }, (KValue[]){ array, index }, 2);
}

KValue k_from(KBuilder *b, KValue array, KValue index) {
  INVARIANT(type_of(b, array) == KT_INPUT && type_of(b, index) == KT_INT);
  return add(b, (KNode){ .code = KN_FROM, .type = KT_INPUT }, (KValue[]){ array, index }, 2);
}

KValue k_at_number(KBuilder *b, KValue array, int index) { return k_at(b, array, k_integer(b, index)); }

// --- statements ---

KValue k_variable(KBuilder *b, const char *name, KValue first) {
  KType t = type_of(b, first);
  INVARIANT(t == KT_DOUBLE || t == KT_INT);
  return add(b, (KNode){ .code = KN_VARIABLE, .type = KT_VOID,
                         .name = arena_strndup(b->arena, name, strlen(name)) }, &first, 1);
}

static KType variable_type(const KBuilder *b, KValue variable) {
  INVARIANT(k_node(b, variable)->code == KN_VARIABLE);
  return type_of(b, k_node(b, variable)->arg[0]);
}

KValue k_get(KBuilder *b, KValue variable) { return add1(b, KN_GET, variable_type(b, variable), 0, variable); }

void k_set(KBuilder *b, KValue variable, KValue x) {
  INVARIANT(variable_type(b, variable) == type_of(b, x));
  add(b, (KNode){ .code = KN_SET }, (KValue[]){ variable, x }, 2);
}

static void store(KBuilder *b, KCode code, KValue array, KValue index, KValue x) {
  INVARIANT(type_of(b, array) == KT_OUTPUT && type_of(b, index) == KT_INT && type_of(b, x) == KT_DOUBLE);
  add(b, (KNode){ .code = code }, (KValue[]){ array, index, x }, 3);
}

void k_store(KBuilder *b, KValue array, KValue index, KValue x) { store(b, KN_STORE, array, index, x); }
void k_add_to(KBuilder *b, KValue array, KValue index, KValue x) { store(b, KN_ADD_TO, array, index, x); }

void k_return(KBuilder *b, KValue x) {
  INVARIANT(x == K_NONE ? b->kernel->result == KT_VOID : b->kernel->result == type_of(b, x));
  add1(b, KN_RETURN, KT_VOID, 0, x);
}

// --- blocks ---

void k_if(KBuilder *b, KValue condition) { b->block = add1(b, KN_IF, KT_VOID, 0, k_truth(b, condition)); }

void k_else(KBuilder *b) {
  int opened = b->block;
  INVARIANT(opened >= 0 && b->node.at[opened].code == KN_IF);
  b->block = b->node.at[opened].block;
  b->block = add0(b, KN_ELSE, KT_VOID, opened);
}

KValue k_loop(KBuilder *b, const char *counter, KValue from, KValue before) {
  INVARIANT(type_of(b, from) == KT_INT && type_of(b, before) == KT_INT);
  b->block = add(b, (KNode){ .code = KN_LOOP, .name = arena_strndup(b->arena, counter, strlen(counter)) },
                 (KValue[]){ from, before }, 2);
  return add0(b, KN_COUNTER, KT_INT, b->block);
}

static int innermost_loop(const KBuilder *b) {
  int at = b->block;
  while (at >= 0 && b->node.at[at].code != KN_LOOP && b->node.at[at].code != KN_INSTANCES) at = b->node.at[at].block;
  return at;
}

void k_break(KBuilder *b) {
  INVARIANT(innermost_loop(b) >= 0);
  add0(b, KN_BREAK, KT_VOID, innermost_loop(b));
}

void k_close(KBuilder *b) {
  int opened = b->block;
  INVARIANT(opened >= 0);
  b->block = b->node.at[opened].block;
  add0(b, KN_CLOSE, KT_VOID, opened);
}

KValue k_instances(KBuilder *b, KValue table, int slots, int columns) {
  INVARIANT(type_of(b, table) == KT_TABLE && !b->instances);
  b->instances = true;
  KNode n = { .code = KN_INSTANCES, .index = slots, .number = columns, .name = "k" };
  b->block = add(b, n, &table, 1);
  return add0(b, KN_COUNTER, KT_INT, b->block);
}

static bool among_instances(const KBuilder *b) {
  for (int at = b->block; at >= 0; at = b->node.at[at].block) if (b->node.at[at].code == KN_INSTANCES) return true;
  return false;
}

KValue k_slot(KBuilder *b, int slot) { INVARIANT(among_instances(b)); return add0(b, KN_SLOT, KT_INT, slot); }

KValue k_column(KBuilder *b, int column) {
  INVARIANT(among_instances(b));
  return add0(b, KN_COLUMN, KT_DOUBLE, column);
}
