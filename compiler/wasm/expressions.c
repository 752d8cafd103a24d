// Expressions. Instructions are those of https://www.w3.org/TR/wasm-core-1/, section 5.4.
#include <string.h>
#include "unit.h"

enum {
  BLOCK = 0x02, IF = 0x04, ELSE = 0x05, END = 0x0b, CALL = 0x10, LOCAL_GET = 0x20, LOCAL_SET = 0x21,
  I32_LOAD = 0x28, F64_LOAD = 0x2b, I32_LOAD8 = 0x2d, I32_LOAD16 = 0x2f, I32_STORE = 0x36, F64_STORE = 0x39,
  I32_STORE8 = 0x3a, I32_STORE16 = 0x3b, I32_CONST = 0x41, F64_CONST = 0x44, I32_EQZ = 0x45, F64_NE = 0x62,
  I32_ADD = 0x6a, I32_MUL = 0x6c, F64_ABS = 0x99, F64_NEG = 0x9a, I32_TRUNC = 0xaa, F64_CONVERT = 0xb7
};

// ---- writing --------------------------------------------------------------------------------------------------------
void byte(Unit *u, int b) { text_addc(&u->code, (char)b); }

void instruction(Unit *u, int code, uint64_t immediate) {
  byte(u, code);
  leb_unsigned(&u->code, immediate);
}

void insert(Unit *u, size_t at, int b) {
  byte(u, 0);
  memmove(u->code.at + at + 1, u->code.at + at, u->code.n - at - 1);
  u->code.at[at] = (char)b;
}

static void integer(Unit *u, long long x) {
  byte(u, I32_CONST);
  leb_signed(&u->code, (int32_t)x);
}

int new_local(Unit *u, const Type *t) {
  vec_push(&u->local, type_code(t));
  return u->nparam + (int)u->local.n - 1;
}

static int own_local(const Unit *u, int which) { return u->nparam + which; }

// A load or store: alignment as a power of two, offset.
static void memory(Unit *u, const Type *t, int of_double, int of_int, long long offset) {
  static const int narrow[] = { I32_LOAD8, I32_LOAD16, I32_STORE8, I32_STORE16 };
  int load = of_int == I32_LOAD ? 0 : 2, code = t->kind == TYPE_DOUBLE ? of_double : of_int;
  if (t->kind == TYPE_BYTE) code = narrow[load];
  if (t->kind == TYPE_SHORT) code = narrow[load + 1];
  byte(u, code);
  leb_unsigned(&u->code, t->size == 8 ? 3 : t->size == 4 ? 2 : t->size == 2 ? 1 : 0);
  leb_unsigned(&u->code, (uint64_t)offset);
}

void store(Unit *u, const Type *t, long long offset) { memory(u, t, F64_STORE, I32_STORE, offset); }

static const Type *add_offset(Unit *u, const Type *t, long long n) {
  if (n) {
    integer(u, n);
    byte(u, I32_ADD);
  }
  return t;
}

const Type *push(Unit *u, Value v) {
  if (v.type->kind == TYPE_ARRAY) {                        // in memory: its address is the pointer
    Value begin = { pointer_to(u, v.type->of), v.where == AT_MEMORY ? AT_STACK : v.where, v.n };
    return push(u, begin);
  }
  switch (v.where) {
  case AT_NUMBER: integer(u, v.n); return v.type;
  case AT_LOCAL: instruction(u, LOCAL_GET, (uint64_t)v.n); return v.type;
  case AT_MEMORY:
    memory(u, v.type, F64_LOAD, I32_LOAD, v.n);
    return v.type->kind == TYPE_BYTE || v.type->kind == TYPE_SHORT ? &type_int : v.type;
  default: return v.type->kind == TYPE_POINTER ? add_offset(u, v.type, v.n) : v.type;
  }
}

static bool is_double(const Type *t) { return t->kind == TYPE_DOUBLE; }

void push_as(Unit *u, Value v, const Type *t) {
  const Type *have = push(u, v);
  if (have->kind == TYPE_VOID) fail(u, "a value was expected");
  if (is_double(t) && !is_double(have)) byte(u, F64_CONVERT);
  if (!is_double(t) && is_double(have)) byte(u, I32_TRUNC);
}

static void truth(Unit *u, const Type *t) {
  if (!is_double(t)) return;
  byte(u, F64_CONST);
  text_addn(&u->code, "\0\0\0\0\0\0\0\0", 8);
  byte(u, F64_NE);
}

void push_truth(Unit *u, Value v) { truth(u, push(u, v)); }

// ---- primaries ------------------------------------------------------------------------------------------------------
static Value on_stack(const Type *t) { return (Value){ t, AT_STACK, 0 }; }

static Value number(Unit *u) {
  double x = u->now.number;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  byte(u, F64_CONST);
  for (int i = 0; i < 8; i++) byte(u, (int)(bits >> 8*i & 0xff));
  next(u);
  return on_stack(&type_double);
}

// (const double[]){ a, b }: in the frame until the statement ends.
static Value list(Unit *u, const Type *t) {
  enum { MOST = 8 };                                       // NSM_MOST_INDICES
  int at = u->frame;
  u->frame += MOST*t->of->size;
  if (u->frame > u->most) u->most = u->frame;
  want(u, "{");
  for (int i = 0; !is(u, "}") && !u->wrong; i++) {
    if (i == MOST) fail(u, "a long list");
    instruction(u, LOCAL_GET, (uint64_t)own_local(u, LOCAL_FRAME));
    push_as(u, expression(u), t->of);
    store(u, t->of, at + i*t->of->size);
    if (!take(u, ",")) break;
  }
  want(u, "}");
  instruction(u, LOCAL_GET, (uint64_t)own_local(u, LOCAL_FRAME));
  return (Value){ pointer_to(u, t->of), AT_STACK, at };
}

typedef struct Back { int local, at; const Type *type; } Back;

// &x as an argument: x is a local, which memory cannot hold. It gets a place in the frame, from which it is read when
// the call is done. Where x is an object, its address.
static Value address(Unit *u, Back *back, int *nback) {
  Name *n = named(u, u->now.name);
  next(u);
  if (n && n->kind == NAME_OBJECT) return (Value){ pointer_to(u, n->type), AT_NUMBER, n->value };
  if (!n || n->kind != NAME_LOCAL || *nback == 4) {
    fail(u, "no address of this");
    return on_stack(&type_int);
  }
  back[(*nback)++] = (Back){ (int)n->value, u->frame, n->type };
  instruction(u, LOCAL_GET, (uint64_t)own_local(u, LOCAL_FRAME));
  Value v = { pointer_to(u, n->type), AT_STACK, u->frame };
  u->frame += 8;
  if (u->frame > u->most) u->most = u->frame;
  return v;
}

static Value call(Unit *u, const Name *f) {
  Back back[4];
  int nback = 0;
  const Type *t = f->type;
  if (!strcmp(f->name, "nsm_abs")) {
    push_as(u, expression(u), &type_double);
    byte(u, F64_ABS);
    want(u, ")");
    return on_stack(&type_double);
  }
  for (int i = 0; i < t->n && !u->wrong; i++) {
    if (i) want(u, ",");
    push_as(u, take(u, "&") ? address(u, back, &nback) : expression(u), t->field[i].type);
  }
  want(u, ")");
  if (f->value < 0) fail(u, f->name);
  instruction(u, CALL, (uint64_t)f->value);
  for (int i = 0; i < nback; i++) {
    instruction(u, LOCAL_GET, (uint64_t)own_local(u, LOCAL_FRAME));
    memory(u, back[i].type, F64_LOAD, I32_LOAD, back[i].at);
    instruction(u, LOCAL_SET, (uint64_t)back[i].local);
  }
  return on_stack(t->of);
}

static Value name(Unit *u) {
  Name *n = named(u, u->now.name);
  if (!n || n->kind == NAME_TYPE) {
    fail(u, "unknown name");
    return on_stack(&type_int);
  }
  next(u);
  switch (n->kind) {
  case NAME_CONSTANT: return (Value){ &type_int, AT_NUMBER, n->value };
  case NAME_LOCAL: return (Value){ n->type, AT_LOCAL, n->value };
  case NAME_OBJECT:
    if (n->type->kind == TYPE_ARRAY) return (Value){ n->type, AT_NUMBER, n->value };
    integer(u, 0);
    return (Value){ n->type, AT_MEMORY, n->value };
  case NAME_ROOM:
    instruction(u, LOCAL_GET, (uint64_t)own_local(u, LOCAL_FRAME));
    return (Value){ n->type, AT_MEMORY, n->value };
  default:
    if (!take(u, "(")) fail(u, "a call was expected");
    return call(u, n);
  }
}

static Value parenthesis(Unit *u) {
  if (!begins_type(u)) {
    Value v = expression(u);
    want(u, ")");
    return v;
  }
  const char *none = NULL;
  const Type *t = declarator(u, specifiers(u, NULL, NULL), &none);
  want(u, ")");
  if (is(u, "{")) return list(u, t);
  Value v = unary(u);
  if (t->kind == TYPE_VOID) {                              // (void)x;
    if (v.where == AT_STACK || v.where == AT_MEMORY) byte(u, 0x1a);
    return (Value){ &type_void, AT_NUMBER, 0 };
  }
  push_as(u, v, t);
  return on_stack(t);
}

static Value primary(Unit *u) {
  if (u->now.kind == TOKEN_NUMBER) return number(u);
  if (u->now.kind == TOKEN_INTEGER) {
    Value v = { &type_int, AT_NUMBER, u->now.integer };
    next(u);
    return v;
  }
  if (take(u, "(")) return parenthesis(u);
  if (u->now.kind == TOKEN_NAME) return name(u);
  fail(u, "an expression was expected");
  return on_stack(&type_int);
}

// ---- postfix --------------------------------------------------------------------------------------------------------
// The place of what p points to: what can be added later stays a number. *pushed: there is an address on the stack.
static long long begin_of(Unit *u, Value p, bool *pushed) {
  *pushed = true;
  if (p.type->kind == TYPE_ARRAY || p.where == AT_NUMBER) {
    *pushed = p.where != AT_NUMBER;
    return p.n;
  }
  if (p.where == AT_STACK) return p.n;
  push(u, p);
  return 0;
}

static Value element(Unit *u, Value p) {
  bool pushed;
  const Type *of = p.type->of;
  if (p.type->kind != TYPE_POINTER && p.type->kind != TYPE_ARRAY) {
    fail(u, "an array was expected");
    return p;
  }
  long long n = begin_of(u, p, &pushed);
  Value i = expression(u);
  want(u, "]");
  if (i.where == AT_NUMBER && n + i.n*of->size >= 0) {
    if (!pushed) integer(u, 0);
    return (Value){ of, AT_MEMORY, n + i.n*of->size };
  }
  push_as(u, i, &type_int);
  integer(u, of->size);
  byte(u, I32_MUL);
  if (pushed) byte(u, I32_ADD);
  return (Value){ of, AT_MEMORY, n };
}

static Value field(Unit *u, Value s, bool pointed) {
  bool pushed = true;
  long long n = s.n;
  if (pointed) n = begin_of(u, s, &pushed);
  if (!pushed) integer(u, 0);
  const Field *f = field_named(u, pointed ? s.type->of : s.type, u->now.name);
  next(u);
  return f ? (Value){ f->type, AT_MEMORY, n + f->at } : s;
}

static Value postfix(Unit *u) {
  Value v = primary(u);
  for (;;) {
    if (take(u, "[")) v = element(u, v);
    else if (take(u, "->")) {
      if (v.type->kind != TYPE_POINTER) fail(u, "a pointer was expected");
      else v = field(u, v, true);
    } else if (take(u, ".")) v = field(u, v, false);
    else return v;
    if (u->wrong) return v;
  }
}

Value unary(Unit *u) {
  if (take(u, "-")) {
    Value v = unary(u);
    if (v.where == AT_NUMBER) return (Value){ v.type, AT_NUMBER, -v.n };
    const Type *t = push(u, v);
    if (is_double(t)) byte(u, F64_NEG);
    else {
      integer(u, -1);
      byte(u, I32_MUL);
    }
    return on_stack(t);
  }
  if (take(u, "!")) {
    push_truth(u, unary(u));
    byte(u, I32_EQZ);
    return on_stack(&type_int);
  }
  if (take(u, "&")) {
    int none = 4;
    return address(u, NULL, &none);
  }
  if (!take(u, "*")) return postfix(u);
  Value p = unary(u);
  bool pushed;
  if (p.type->kind != TYPE_POINTER) {
    fail(u, "a pointer was expected");
    return p;
  }
  long long n = begin_of(u, p, &pushed);
  if (!pushed) integer(u, 0);
  return (Value){ p.type->of, AT_MEMORY, n };
}

// ---- operations -----------------------------------------------------------------------------------------------------
typedef struct Operation { const char *sign; int level, of_double, of_int; bool compares; } Operation;
static const Operation operation[] = {
  { "==", 3, 0x61, 0x46, true },  { "!=", 3, 0x62, 0x47, true },
  { "<", 4, 0x63, 0x48, true },   { ">", 4, 0x64, 0x4a, true },
  { "<=", 4, 0x65, 0x4c, true },  { ">=", 4, 0x66, 0x4e, true },
  { "+", 5, 0xa0, 0x6a, false },  { "-", 5, 0xa1, 0x6b, false },
  { "*", 6, 0xa2, 0x6c, false },  { "/", 6, 0xa3, 0x6d, false },
};
enum { LEVEL_OR = 1, LEVEL_AND = 2, LEVEL_UNARY = 7 };

static const Operation *operation_here(const Unit *u, int level) {
  for (size_t i = 0; u->now.kind == TOKEN_SIGN && i < sizeof operation / sizeof *operation; i++)
    if (operation[i].level == level && is(u, operation[i].sign)) return &operation[i];
  return NULL;
}

static Value binary(Unit *u, int level);

// pointer + int
static Value moved(Unit *u, const Type *t, Value by) {
  if (by.where == AT_NUMBER) return (Value){ t, AT_STACK, by.n*t->of->size };
  push_as(u, by, &type_int);
  integer(u, t->of->size);
  byte(u, I32_MUL);
  byte(u, I32_ADD);
  return on_stack(t);
}

static Value arithmetic(Unit *u, Value left, const Operation *o) {
  const Type *a = push(u, left);
  size_t between = u->code.n;
  Value right = binary(u, o->level + 1);
  if (a->kind == TYPE_POINTER && !o->compares) return moved(u, a, right);
  const Type *b = push(u, right);
  bool doubles = is_double(a) || is_double(b);
  if (doubles && !is_double(a)) insert(u, between, F64_CONVERT);
  if (doubles && !is_double(b)) byte(u, F64_CONVERT);
  byte(u, doubles ? o->of_double : o->of_int);
  return on_stack(doubles && !o->compares ? &type_double : &type_int);
}

// The second operand is computed where the first does not decide.
static Value logic(Unit *u, Value left, bool is_and) {
  push_truth(u, left);
  byte(u, IF);
  byte(u, 0x7f);
  u->depth++;
  if (!is_and) {
    integer(u, 1);
    byte(u, ELSE);
  }
  push_truth(u, binary(u, is_and ? LEVEL_AND + 1 : LEVEL_OR + 1));
  if (is_and) {
    byte(u, ELSE);
    integer(u, 0);
  }
  byte(u, END);
  u->depth--;
  return on_stack(&type_int);
}

static Value binary(Unit *u, int level) {
  if (level == LEVEL_UNARY) return unary(u);
  Value v = binary(u, level + 1);
  const Operation *o;
  while (!u->wrong) {
    if (level == LEVEL_OR && take(u, "||")) v = logic(u, v, false);
    else if (level == LEVEL_AND && take(u, "&&")) v = logic(u, v, true);
    else if ((o = operation_here(u, level)) != NULL) {
      next(u);
      v = arithmetic(u, v, o);
    } else break;
  }
  return v;
}

Value expression(Unit *u) {
  Value v = binary(u, LEVEL_OR);
  if (!take(u, "?")) return v;
  push_truth(u, v);
  byte(u, IF);
  byte(u, 0x7f);
  u->depth++;
  size_t type = u->code.n - 1;
  const Type *yes = push(u, expression(u));
  size_t between = u->code.n;
  byte(u, ELSE);
  want(u, ":");
  const Type *no = push(u, expression(u)), *t = is_double(yes) ? yes : no;
  if (is_double(t) && !is_double(no)) byte(u, F64_CONVERT);
  if (is_double(t) && !is_double(yes)) insert(u, between, F64_CONVERT);
  byte(u, END);
  u->depth--;
  u->code.at[type] = type_code(t);
  return on_stack(t);
}
