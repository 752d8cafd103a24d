// Model expressions -> DAG. A one-to-one translation; memoised by node, since the model shares its trees.
//
// What depends on parameters, indices and results of the run alone is one number, computed as written, operation by
// operation; so is what a function with jumps (floor, sign, a comparison) is taken of, also where it moves: no
// rewriting may carry it over the jump (docs/numerics/algebra.md, section 8). All else is algebra.
//
// A statement whose tree, all its `var`s and functions written out, has more than TREE_MOST nodes is *large*: what it
// reads in several places stays an intermediate quantity, one node (algebra.md, section 9). First every sum and product
// becomes one, so that the pool finds equal ones; then those that are read once only are opened again.
#include "../base/fatal.h"
#include "along.h"
#include "lower.h"

static Sym indexed(System *s, SymKind kind, const MExpr *e) {
  Sym y = { .kind = kind, .id = e->id, .nidx = e->nargs };
  INVARIANT(e->nargs <= MAX_INDICES);
  for (int i = 0; i < e->nargs; i++) y.idx[i] = lower_expr(s, e->arg[i]);
  return y;
}

int lower_var_symbol(System *s, const MExpr *var, bool rate) {
  return symtab_id(s->sym, indexed(s, rate ? SYM_RATE : SYM_VALUE, var));
}

static bool jumps(MOp op) {
  switch (op) {
  case MOP_FLOOR: case MOP_SIGN: case MOP_SEGMENT: return true;
  case MOP_LT: case MOP_LE: case MOP_GT: case MOP_GE: case MOP_EQ: case MOP_NE: return true;
  default: return false;
  }
}

static bool is_constant(const MExpr *e) { return !(e->uses & ~(unsigned)(MU_PARAM | MU_LOOP | MU_STAT)); }

static Ex arithmetic(Pool *p, const MExpr *e, Ex a, Ex b, bool written) {
  if (written && (e->op != MOP_POW || is_constant(e))) {   // a power of what moves is multiplied out
    static const Op as_written[] = { [MOP_ADD] = OP_PLUS, [MOP_SUB] = OP_MINUS,  [MOP_MUL] = OP_TIMES,
                                     [MOP_DIV] = OP_OVER, [MOP_POW] = OP_RAISED, [MOP_NEG] = OP_OPPOSITE };
    return ex_op(p, as_written[e->op], (Ex[]){a, b}, e->nargs);
  }
  switch (e->op) {
  case MOP_ADD: return ex_add(p, a, b);
  case MOP_SUB: return ex_sub(p, a, b);
  case MOP_MUL: return ex_mul(p, a, b);
  case MOP_DIV: return ex_div(p, a, b);
  case MOP_POW: return ex_pow(p, a, b);
  default:      return ex_neg(p, a);
  }
}

typedef enum { FREE, WRITTEN, LARGE, MODES } Mode;   // as in System.lowered

static Ex lower(System *s, const MExpr *e, Mode mode);

static Ex operation(System *s, const MExpr *e, Mode mode) {
  Pool *p = s->pool;
  bool written = mode == WRITTEN;
  Mode inside = jumps(e->op) ? WRITTEN : mode;
  Ex a = lower(s, e->arg[0], inside);
  Ex b = e->nargs > 1 ? lower(s, e->arg[1], inside) : EX_NONE;
  switch (e->op) {
  case MOP_ADD: case MOP_SUB: case MOP_MUL: case MOP_DIV: case MOP_POW: case MOP_NEG:
    return arithmetic(p, e, a, b, written);
  case MOP_LT:  return ex_2(p, OP_LT, a, b);
  case MOP_LE:  return ex_2(p, OP_LE, a, b);
  case MOP_GT:  return ex_2(p, OP_LT, b, a);
  case MOP_GE:  return ex_2(p, OP_LE, b, a);
  case MOP_EQ:  return ex_2(p, OP_EQ, a, b);
  case MOP_NE:  return ex_1(p, OP_NOT, ex_2(p, OP_EQ, a, b));
  case MOP_AND: return ex_2(p, OP_AND, a, b);
  case MOP_OR:  return ex_2(p, OP_OR, a, b);
  case MOP_NOT: return ex_1(p, OP_NOT, a);
  case MOP_IF:  return ex_if(p, a, b, lower(s, e->arg[2], inside));
  case MOP_TURNED: return ex_op(p, OP_TURNED, (Ex[]){ a, b, lower(s, e->arg[2], inside) }, 3);
  case MOP_TABLE: case MOP_SEGMENT: {
    Ex which = ex_sym(p, symtab_id(s->sym, (Sym){ .kind = SYM_TABLE, .id = e->id }));
    return ex_op(p, OP_TABLE, (Ex[]){ which, a, a, ex_num(p, e->op == MOP_TABLE ? 0 : -1) }, 4);
  }
#define ONE(NAME) case MOP_##NAME: return ex_1(p, OP_##NAME, a);
#define TWO(NAME) case MOP_##NAME: return ex_2(p, OP_##NAME, a, b);
  ONE(SQRT) ONE(EXP) ONE(LOG) ONE(SIN) ONE(COS) ONE(TAN) ONE(ASIN) ONE(ACOS) ONE(ATAN) ONE(SINH) ONE(COSH) ONE(TANH)
  ONE(ABS) ONE(SIGN) ONE(FLOOR) TWO(ATAN2) TWO(MIN) TWO(MAX)
#undef ONE
#undef TWO
  case MOP_COUNT: break;
  }
  FATAL("operation %d has no lowering", (int)e->op);
}

static Ex lower_op(System *s, const MExpr *e, Mode mode) {
  Ex r = operation(s, e, mode);
  return mode == LARGE ? ex_1(s->pool, OP_SHARED, r) : r;
}

// k[2] with a literal index is the parameter itself; k[i] is looked up for each instance.
static Ex element_of_array(System *s, Sym y, const MParam *array) {
  int at = 0;
  for (int i = 0; i < y.nidx; i++) {
    if (ex_operator(s->pool, y.idx[i]) != OP_NUM) return ex_sym(s->pool, symtab_id(s->sym, y));
    double v = ex_value(s->pool, y.idx[i]);
    if (!(v >= 1 && v <= array->dim[i]) || v != (int)v) return ex_sym(s->pool, symtab_id(s->sym, y));
    at = at * array->dim[i] + (int)v - 1;
  }
  const MParam *element = &s->model->param[y.id + at];
  if (element->structural) return ex_num(s->pool, element->fixed);
  return ex_sym(s->pool, symtab_id(s->sym, (Sym){ .kind = SYM_PARAM, .id = y.id + at }));
}

static bool has_rate(const System *s, const Sym *y) {
  MVarKind kind = s->model->var[y->id].kind;
  return kind != MV_DISCRETE && kind != MV_GIVEN;
}

static Ex rate_of_value(const System *s, int symbol) {
  if (is_position(s, symbol)) return attitude_rate(s, symbol);
  if (is_memory(s, symbol)) return ex_num(s->pool, 0);
  Sym y = *symtab_at(s->sym, symbol);
  y.kind = SYM_RATE;
  return ex_sym(s->pool, symtab_id(s->sym, y));
}

static Ex rate_along(System *s, Ex e, const int *ids, int n) {
  Pool *p = s->pool;
  Arena *scratch = arena_new();
  Ex *seed = ARENA_ARRAY(scratch, Ex, n + 1), r;
  for (int i = 0; i < n; i++) {
    Sym y = *symtab_at(s->sym, ids[i]);
    seed[i] = ex_num(p, y.kind == SYM_TIME);
    if (y.kind != SYM_VALUE || !has_rate(s, &y)) continue;
    seed[i] = rate_of_value(s, ids[i]);
  }
  ex_tangent(p, &e, 1, ids, seed, n, &r);
  arena_free(scratch);
  return r;
}

// d/dt along the motion: values move with their rates.
static Ex rate_of(System *s, Ex e) {
  Pool *p = s->pool;
  const int *ids;
  int n = ex_symbols(p, e, &ids);
  if (ex_is_shared(p, e)) return rate_along(s, e, ids, n);
  Arena *scratch = arena_new();
  Ex *part = ARENA_ARRAY(scratch, Ex, n + 1), r;
  int parts = 0;
  part[parts++] = ex_diff(p, e, s->sym_time);
  for (int i = 0; i < n; i++) {
    Sym y = *symtab_at(s->sym, ids[i]);
    if (y.kind == SYM_VALUE && has_rate(s, &y))
      part[parts++] = ex_mul(p, ex_diff(p, e, ids[i]), rate_of_value(s, ids[i]));
  }
  r = ex_op(p, OP_ADD, part, parts);
  arena_free(scratch);
  return r;
}

static Ex lower_node(System *s, const MExpr *e, Mode mode) {
  switch (e->kind) {
  case MX_NUM:   return mode == WRITTEN ? ex_exact_num(s->pool, e->num) : ex_num(s->pool, e->num);
  case MX_TIME:  return ex_sym(s->pool, e->id ? symtab_id(s->sym, (Sym){ .kind = SYM_H }) : s->sym_time);
  case MX_LOOP:  return ex_sym(s->pool, symtab_id(s->sym, (Sym){ .kind = SYM_LOOP, .id = e->id }));
  case MX_STAT:  return ex_sym(s->pool, symtab_id(s->sym, (Sym){ .kind = SYM_STAT, .id = e->id }));
  case MX_PARAM: {
    const MParam *q = &s->model->param[e->id];
    if (q->structural && !e->nargs) return ex_num(s->pool, q->fixed);
    if (!e->nargs) return ex_sym(s->pool, symtab_id(s->sym, (Sym){ .kind = SYM_PARAM, .id = e->id }));
    return element_of_array(s, indexed(s, SYM_PARAM_AT, e), q);
  }
  case MX_VAR:
    if (s->solved && s->solved[e->id] != EX_NONE) return s->solved[e->id];
    return ex_sym(s->pool, lower_var_symbol(s, e, e->derivative));
  case MX_RATE:  return rate_of(s, lower(s, e->arg[0], mode == WRITTEN ? FREE : mode));
  case MX_TOUCH: {
    Sym y = { .kind = SYM_TOUCH, .id = e->id, .nidx = 1 + e->nargs, .idx = { ex_num(s->pool, e->num) } };
    for (int i = 0; i < e->nargs; i++) y.idx[1 + i] = lower_expr(s, e->arg[i]);
    return ex_sym(s->pool, symtab_id(s->sym, y));
  }
  case MX_OP:    return lower_op(s, e, mode);
  }
  FATAL("expression of kind %d", (int)e->kind);
}

static Ex lower(System *s, const MExpr *e, Mode mode) {
  mode = is_constant(e) ? WRITTEN : mode;
  Map *known = s->lowered[mode];
  Ex x = (Ex)(uintptr_t)map_get(known, e);
  if (x) return x;
  x = lower_node(s, e, mode);
  map_put(known, e, (void *)(uintptr_t)x);
  return x;
}

// Counts the tree down; false where it ends. A derivative is some times what is derived.
enum { TREE_MOST = 800, OF_RATE = 3 };

static bool within(const MExpr *e, int *left) {
  if (--*left < 0) return false;
  if (is_constant(e)) return true;
  for (int times = e->kind == MX_RATE ? OF_RATE : 1; times-- > 0;)
    for (int i = 0; i < e->nargs; i++)
      if (!within(e->arg[i], left)) return false;
  return true;
}

bool lower_is_large(const MExpr *e) {
  int left = TREE_MOST;
  return !within(e, &left);
}

Ex lower_written(System *s, const MExpr *e) { return e ? lower(s, e, WRITTEN) : EX_NONE; }

Ex lower_expr(System *s, const MExpr *e) {
  if (!e) return EX_NONE;
  if (!lower_is_large(e)) return lower(s, e, FREE);
  Ex known = (Ex)(uintptr_t)map_get(s->lowered_whole, e);
  if (known) return known;
  known = ex_keep_shared(s->pool, lower(s, e, LARGE));
  map_put(s->lowered_whole, e, (void *)(uintptr_t)known);
  return known;
}
