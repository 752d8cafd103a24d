// The pool: every expression that was ever built, each once.
//
// node_make looks a node up by operation and arguments and adds it when it is new (hash-consing), so structural
// equality is equality of ids. Everything else known about a node (its height, its symbols, a fact about its sign) is
// computed here once, from its arguments. ex_compare orders expressions by structure alone: neither ids nor addresses
// enter, so the same expression looks the same whatever was built before it.
#include <math.h>
#include <string.h>
#include "pool_impl.h"

static void *grown(Arena *a, const void *at, uint32_t used, size_t size, uint32_t cap) {
  void *fresh = arena_alloc(a, size*cap);
  if (used) memcpy(fresh, at, size*used);
  return fresh;
}

Pool *pool_new(Arena *a) {
  Pool *p = ARENA_NEW(a, Pool);
  p->arena = a;
  p->n_nodes = 1;                                  // id 0 is EX_NONE
  p->cap_pages = 16;
  p->page = ARENA_ARRAY(a, Node *, p->cap_pages);
  p->page[0] = ARENA_ARRAY(a, Node, PAGE);
  p->cap_marks = 256;
  p->mark = ARENA_ARRAY(a, uint32_t, p->cap_marks);
  p->cap_table = 512;
  p->table = ARENA_ARRAY(a, Cell, p->cap_table);
  return p;
}

// --- hashing ---

static uint64_t mix(uint64_t h, uint64_t x) {      // the finaliser of splitmix64 on a running state
  h += x + UINT64_C(0x9e3779b97f4a7c15);
  h = (h ^ (h >> 30))*UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ (h >> 27))*UINT64_C(0x94d049bb133111eb);
  return h ^ (h >> 31);
}

static uint64_t structure_hash(const Pool *p, Op op, double value, const Ex *args, int n) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint64_t h = mix((uint64_t)op + 1, bits);
  for (int i = 0; i < n; i++) h = mix(h, node_of(p, args[i])->hash);
  return h;
}

// Finds the node in the table: arguments have one number each.
static uint32_t key_of(Op op, double value, const Ex *args, int n) {
  uint64_t bits, h;
  memcpy(&bits, &value, sizeof bits);
  h = mix((uint64_t)op + 1, bits);
  for (int i = 0; i < n; i++) h = (h ^ args[i])*UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 32;
  return (uint32_t)mix(h, 0);
}

static void table_grow(Pool *p) {
  INVARIANT(p->cap_table < UINT32_MAX/2);
  uint32_t cap = p->cap_table*2;
  Cell *fresh = ARENA_ARRAY(p->arena, Cell, cap);
  for (uint32_t i = 0; i < p->cap_table; i++) {
    if (!p->table[i].e) continue;
    uint32_t at = p->table[i].key & (cap - 1);
    while (fresh[at].e) at = (at + 1) & (cap - 1);
    fresh[at] = p->table[i];
  }
  p->table = fresh;
  p->cap_table = cap;
}

// --- facts ---

// Is this node >= 0 wherever it has a value? "No" means "not known".
static bool never_negative(const Pool *p, Op op, double value, const Ex *args, int n) {
  bool all = true, any = false;
  for (int i = 0; i < n; i++) {
    bool yes = node_of(p, args[i])->never_negative;
    all = all && yes;
    any = any || yes;
  }
  long k;
  switch (op) {
    case OP_NUM: return value >= 0;
    case OP_ADD:
    case OP_MUL:
    case OP_CHAIN:
    case OP_MIN:
    case OP_FLOOR:
    case OP_ATAN:
    case OP_ASIN:
    case OP_SINH:
    case OP_TANH:
    case OP_SIGN: case OP_SHARED: return all;
    case OP_MAX: return any;
    case OP_POW: return node_of(p, args[0])->never_negative || (is_integer(p, args[1], &k) && k % 2 == 0);
    case OP_SINHC: return is_integer(p, args[1], &k) && (k % 2 == 0 || node_of(p, args[0])->never_negative);
    case OP_IF:  return node_of(p, args[1])->never_negative && node_of(p, args[2])->never_negative;
    case OP_PLUS: case OP_TIMES: case OP_OVER: return all;
    case OP_RAISED: return node_of(p, args[0])->never_negative || (is_integer(p, args[1], &k) && k % 2 == 0);
    case OP_ABS: case OP_SQRT: case OP_EXP: case OP_COSH: case OP_ACOS:
    case OP_LT: case OP_LE: case OP_EQ: case OP_AND: case OP_OR: case OP_NOT: return true;
    default: return false;
  }
}

// --- making nodes ---

// Room for one more node and its arguments.
static Ex *make_room(Pool *p, int n) {
  uint32_t number = p->n_nodes >> PAGE_BITS;
  if ((p->n_nodes & (PAGE - 1)) == 0) {
    if (number == p->cap_pages) {
      p->page = grown(p->arena, p->page, number, sizeof *p->page, p->cap_pages*2);
      p->cap_pages *= 2;
    }
    p->page[number] = ARENA_ARRAY(p->arena, Node, PAGE);
  }
  if (p->n_nodes == p->cap_marks) {
    p->mark = grown(p->arena, p->mark, p->n_nodes, sizeof *p->mark, p->cap_marks*2);
    p->cap_marks *= 2;
  }
  if (n > ARG_PAGE/8) return ARENA_ARRAY(p->arena, Ex, n);
  if ((uint32_t)n > p->free_args) {
    p->arg = ARENA_ARRAY(p->arena, Ex, ARG_PAGE);
    p->free_args = ARG_PAGE;
  }
  Ex *at = p->arg + (ARG_PAGE - p->free_args);
  p->free_args -= (uint32_t)n;
  return at;
}

static Ex intern_node(Pool *p, Op op, double value, const Ex *args, int n) {
  uint32_t key = key_of(op, value, args, n);
  if (p->n_nodes*2 >= p->cap_table) table_grow(p);
  uint32_t at = key & (p->cap_table - 1);
  for (; p->table[at].e; at = (at + 1) & (p->cap_table - 1)) {
    if (p->table[at].key != key) continue;
    const Node *q = node_of(p, p->table[at].e);
    if (q->op == op && q->n_args == n && memcmp(&q->value, &value, sizeof value) == 0 &&
        (n == 0 || memcmp(q->args, args, sizeof *args*(size_t)n) == 0))
      return p->table[at].e;
  }
  INVARIANT(p->n_nodes < UINT32_MAX/4);
  Ex e = p->n_nodes, *own = make_room(p, n);
  Node *q = node_at(p, e);
  *q = (Node){.op = (uint8_t)op, .n_args = n, .args = own, .top_symbol = -1,
              .hash = structure_hash(p, op, value, args, n), .value = value,
              .never_negative = never_negative(p, op, value, args, n), .whole = whole_bound(p, op, value, args, n),
              .steep = is_steep(p, op, args, n)};
  q->shared = op == OP_SHARED;
  q->chained = op == OP_CHAIN;
  q->choosing = op == OP_IF;
  q->still = op != OP_SYM;
  q->written = op >= OP_PLUS && op <= OP_RAISED;
  if (op == OP_SYM) {
    q->top_symbol = (int)value;
    q->symbols = symbol_bit((int)value);
  }
  for (int i = 0; i < n; i++) {
    const Node *c = node_of(p, args[i]);
    own[i] = args[i];
    q->symbols |= c->symbols;
    q->shared = q->shared || c->shared;
    q->chained = q->chained || c->chained;
    q->choosing = q->choosing || c->choosing;
    q->switching = q->switching || c->switching;
    q->still = q->still && c->still;
    q->written = q->written || c->written;
    if (c->top_symbol > q->top_symbol) q->top_symbol = c->top_symbol;
    if (c->height >= q->height) q->height = c->height + 1;
  }
  q->switching = q->switching || (op == OP_IF && !q->still);
  p->table[at] = (Cell){key, e};
  p->n_nodes++;
  return e;
}

Ex node_make(Pool *p, Op op, const Ex *args, int n) { return intern_node(p, op, 0, args, n); }

static Ex small_number(Pool *p, int i) {
  if (!p->small[i]) p->small[i] = intern_node(p, OP_NUM, i, NULL, 0);
  return p->small[i];
}

Ex ex_num(Pool *p, double x) {
  enum { SMALL = sizeof p->small/sizeof *p->small };
  if (x >= 0 && x < SMALL && x == (int)x) return small_number(p, (int)x);
  if (isnan(x)) x = NAN;                           // one nan, one zero
  if (x == 0) x = 0;
  return intern_node(p, OP_NUM, isnan(x) ? fabs(x) : x, NULL, 0);
}

Ex ex_exact_num(Pool *p, double x) { return x == 0 && signbit(x) ? intern_node(p, OP_NUM, x, NULL, 0) : ex_num(p, x); }

void ex_declare_whole(Pool *p, int id, double most) { node_at(p, ex_sym(p, id))->whole = most; }
void ex_declare_still(Pool *p, int id) { node_at(p, ex_sym(p, id))->still = true; }

Ex ex_sym(Pool *p, int id) {
  INVARIANT(id >= 0);
  return intern_node(p, OP_SYM, id, NULL, 0);
}

// --- looking inside ---

static const Node *checked(const Pool *p, Ex e) {
  INVARIANT(e != EX_NONE && e < p->n_nodes);
  return node_of(p, e);
}

Op     ex_operator(const Pool *p, Ex e) { return (Op)checked(p, e)->op; }
int    ex_nargs(const Pool *p, Ex e) { return checked(p, e)->n_args; }
bool   ex_is_num(const Pool *p, Ex e, double x) { return checked(p, e)->op == OP_NUM && node_of(p, e)->value == x; }

Ex ex_arg(const Pool *p, Ex e, int i) {
  INVARIANT(i >= 0 && i < checked(p, e)->n_args);
  return args_of(p, e)[i];
}

double ex_value(const Pool *p, Ex e) {
  INVARIANT(checked(p, e)->op == OP_NUM);
  return node_of(p, e)->value;
}

int ex_symbol(const Pool *p, Ex e) {
  INVARIANT(checked(p, e)->op == OP_SYM);
  return (int)node_of(p, e)->value;
}

// --- order ---

// Lexicographic in (largest symbol, height, operation, value, number of arguments, arguments from the left). Two
// different expressions differ in one of their arguments, and only the first such pair is looked at: one path down, no
// recursion. Tall expressions are told apart by their structure hash first, so that sorting them stays cheap.
int ex_compare(const Pool *p, Ex a, Ex b) {
  enum { TALL = 40 };
  while (a != b) {
    const Node *x = node_of(p, a), *y = node_of(p, b);
    if (x->top_symbol != y->top_symbol) return x->top_symbol < y->top_symbol ? -1 : 1;
    if (x->height != y->height) return x->height < y->height ? -1 : 1;
    if (x->op != y->op) return x->op < y->op ? -1 : 1;
    if (x->op == OP_NUM) return x->value < y->value || isnan(y->value) ? -1 : 1;
    if (x->height > TALL && x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    if (x->n_args != y->n_args) return x->n_args < y->n_args ? -1 : 1;
    const Ex *s = args_of(p, a), *t = args_of(p, b);
    int i = 0;
    while (s[i] == t[i]) i++;                      // hash-consing: some argument differs
    a = s[i];
    b = t[i];
  }
  return 0;
}
