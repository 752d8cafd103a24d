// Statements and functions. A function's body is one block, which `return` leaves; its frame is in memory below the
// stack of the compiler.
#include "unit.h"

enum {
  UNREACHABLE = 0x00, BLOCK = 0x02, LOOP = 0x03, IF = 0x04, ELSE = 0x05, END = 0x0b, BR = 0x0c, BR_IF = 0x0d,
  DROP = 0x1a, LOCAL_GET = 0x20, LOCAL_SET = 0x21, LOCAL_TEE = 0x22, GLOBAL_GET = 0x23, GLOBAL_SET = 0x24,
  I32_CONST = 0x41, I32_EQZ = 0x45, I32_EQ = 0x46, I32_ADD = 0x6a, I32_SUB = 0x6b, NOTHING = 0x40
};

static void statement(Unit *u);

static void open(Unit *u, int code) {
  byte(u, code);
  byte(u, NOTHING);
  u->depth++;
}

static void close(Unit *u) {
  byte(u, END);
  u->depth--;
}

static void block(Unit *u) {
  size_t names = u->open.n;
  while (!is(u, "}") && !u->wrong) statement(u);
  want(u, "}");
  blocks_end(u, names);
}

// ---- declarations ---------------------------------------------------------------------------------------------------
static void variable(Unit *u, const char *name, const Type *t) {
  if (t->kind == TYPE_ARRAY) {                             // it stays until the function ends
    u->frame = (u->frame + 7)/8*8;
    declare(u, name, NAME_ROOM, t, u->frame);
    u->frame += t->size;
    if (u->frame > u->most) u->most = u->frame;
    return;
  }
  int local = new_local(u, t);
  if (take(u, "=")) {
    push_as(u, expression(u), t);
    instruction(u, LOCAL_SET, (uint64_t)local);
  }
  declare(u, name, NAME_LOCAL, t, local);
}

static void declarations(Unit *u) {
  bool is_static = false;
  const Type *base = specifiers(u, &is_static, NULL);
  do {
    const char *name = NULL;
    const Type *t = declarator(u, base, &name);
    if (!name) fail(u, "a name was expected");
    else if (is_static) object(u, name, t);
    else variable(u, name, t);
  } while (!u->wrong && take(u, ","));
}

// ---- assignments ----------------------------------------------------------------------------------------------------
static void add_to(Unit *u, Value to, int sign) {
  Value old = to;
  if (to.where == AT_MEMORY) {
    int spare = u->nparam + LOCAL_SPARE;
    instruction(u, LOCAL_TEE, (uint64_t)spare);
    instruction(u, LOCAL_GET, (uint64_t)spare);
  }
  const Type *t = push(u, old);
  if (t->kind == TYPE_POINTER) {
    Value by = expression(u);
    if (by.where != AT_NUMBER) fail(u, "a constant was expected");
    byte(u, I32_CONST);
    leb_signed(&u->code, sign*by.n*t->of->size);
    byte(u, I32_ADD);
  } else {
    push_as(u, expression(u), t);
    byte(u, (t->kind == TYPE_DOUBLE ? 0xa0 : I32_ADD) + (sign < 0));
  }
  if (to.where == AT_MEMORY) store(u, to.type, to.n);
  else instruction(u, LOCAL_SET, (uint64_t)to.n);
}

static void one_more(Unit *u, Value local) {
  instruction(u, LOCAL_GET, (uint64_t)local.n);
  byte(u, I32_CONST);
  byte(u, 1);
  byte(u, I32_ADD);
  instruction(u, LOCAL_SET, (uint64_t)local.n);
}

// An assignment, x++ or a call.
static void effect(Unit *u) {
  Value v = unary(u);
  bool place = v.where == AT_MEMORY || v.where == AT_LOCAL;
  if (place && take(u, "=")) {
    push_as(u, expression(u), v.type);
    if (v.where == AT_MEMORY) store(u, v.type, v.n);
    else instruction(u, LOCAL_SET, (uint64_t)v.n);
  } else if (place && take(u, "+=")) add_to(u, v, 1);
  else if (place && take(u, "-=")) add_to(u, v, -1);
  else if (v.where == AT_LOCAL && take(u, "++")) one_more(u, v);
  else if (v.where == AT_STACK && v.type->kind != TYPE_VOID) byte(u, DROP);
  else if (v.type->kind != TYPE_VOID) fail(u, "an assignment was expected");
}

// ---- control --------------------------------------------------------------------------------------------------------
static void to_place(Unit *u, const char *at) {
  u->at = at;
  next(u);
}

static const char *skip_parenthesis(Unit *u) {
  for (int depth = 0; u->now.kind != TOKEN_END; next(u)) {
    if (is(u, "(")) depth++;
    if (is(u, ")") && depth-- == 0) break;
  }
  return u->now.at;
}

// for (first; condition; step): the step is read where it stands, and again behind the body.
static void loop(Unit *u) {
  size_t names = u->open.n;
  int outer = u->leave;
  want(u, "(");
  if (begins_type(u)) declarations(u); else if (!is(u, ";")) effect(u);
  want(u, ";");
  open(u, BLOCK);
  u->leave = u->depth;
  open(u, LOOP);
  push_truth(u, expression(u));
  byte(u, I32_EQZ);
  instruction(u, BR_IF, 1);
  if (!is(u, ";")) fail(u, "`;` was expected");
  const char *step = u->at;
  next(u);
  skip_parenthesis(u);
  want(u, ")");
  statement(u);
  const char *behind = u->now.at;
  if (u->wrong) return;
  to_place(u, step);
  effect(u);
  instruction(u, BR, 0);
  close(u);
  close(u);
  if (!u->wrong) to_place(u, behind);
  u->leave = outer;
  blocks_end(u, names);
}

static void condition(Unit *u) {
  want(u, "(");
  push_truth(u, expression(u));
  want(u, ")");
  open(u, IF);
  statement(u);
  if (take(u, "else")) {
    byte(u, ELSE);
    statement(u);
  }
  close(u);
}

// Each case ends with `return`, so that none goes on into the next.
static void selection(Unit *u) {
  want(u, "(");
  int value = new_local(u, &type_int);
  push_as(u, expression(u), &type_int);
  instruction(u, LOCAL_SET, (uint64_t)value);
  want(u, ")");
  want(u, "{");
  while (!is(u, "}") && !u->wrong) {
    bool otherwise = take(u, "default");
    if (!otherwise) {
      want(u, "case");
      instruction(u, LOCAL_GET, (uint64_t)value);
      push_as(u, unary(u), &type_int);
      byte(u, I32_EQ);
    }
    want(u, ":");
    if (!otherwise) open(u, IF);
    bool returns = false;
    while (!returns && !u->wrong) {
      returns = is(u, "return");
      if (!returns && (is(u, "case") || is(u, "}"))) fail(u, "`return` was expected");
      else statement(u);
    }
    if (!otherwise) close(u);
  }
  want(u, "}");
}

static void leave(Unit *u) {
  if (u->result->kind != TYPE_VOID) push_as(u, expression(u), u->result);
  instruction(u, BR, (uint64_t)u->depth - 1);
  want(u, ";");
}

static void statement(Unit *u) {
  int frame = u->frame;
  if (take(u, ";")) return;
  if (take(u, "{")) { block(u); return; }
  if (take(u, "if")) { condition(u); return; }
  if (take(u, "for")) { loop(u); return; }
  if (take(u, "switch")) { selection(u); return; }
  if (take(u, "return")) { leave(u); return; }
  if (take(u, "break")) {
    instruction(u, BR, (uint64_t)(u->depth - u->leave));
    want(u, ";");
    return;
  }
  if (begins_type(u)) {
    declarations(u);
    frame = u->frame;                                      // arrays stay
  } else effect(u);
  u->frame = frame;
  want(u, ";");
}

// ---- functions ------------------------------------------------------------------------------------------------------
// Locals as runs of one type.
static void locals(const Unit *u, Text *out) {
  Text runs = { 0 };
  int n = 0;
  for (size_t i = 0, to; i < u->local.n; i = to, n++) {
    for (to = i; to < u->local.n && u->local.at[to] == u->local.at[i]; to++) {}
    leb_unsigned(&runs, to - i);
    text_addc(&runs, u->local.at[i]);
  }
  leb_unsigned(out, (uint64_t)n);
  text_addn(out, runs.n ? runs.at : "", runs.n);
  text_free(&runs);
}

// The frame: 16 bytes at a time, from the stack and back to it.
static void frame(const Unit *u, bool begins, Text *out) {
  enum { FRAME = LOCAL_FRAME };
  if (!u->most) return;
  text_addc(out, begins ? GLOBAL_GET : LOCAL_GET);
  leb_unsigned(out, begins ? 0 : (uint64_t)(u->nparam + FRAME));
  text_addc(out, I32_CONST);
  leb_signed(out, (u->most + 15)/16*16);
  text_addc(out, begins ? I32_SUB : I32_ADD);
  if (begins) {
    text_addc(out, LOCAL_TEE);
    leb_unsigned(out, (uint64_t)(u->nparam + FRAME));
  }
  text_addc(out, GLOBAL_SET);
  leb_unsigned(out, 0);
}

static void finish(Unit *u, Name *f) {
  Function made = { .signature = signature_of(u, f->type) };
  locals(u, &made.body);
  frame(u, true, &made.body);
  text_addc(&made.body, BLOCK);
  text_addc(&made.body, u->result->kind == TYPE_VOID ? NOTHING : type_code(u->result));
  text_addn(&made.body, u->code.n ? u->code.at : "", u->code.n);
  if (u->result->kind != TYPE_VOID) text_addc(&made.body, UNREACHABLE);
  text_addc(&made.body, END);
  frame(u, false, &made.body);
  text_addc(&made.body, END);
  f->value = u->imports->n + (int)u->function.n;
  vec_push(&u->function, made);
}

void function(Unit *u, Name *f) {
  size_t names = u->open.n;
  u->code.n = 0;
  u->local.n = 0;
  u->nparam = f->type->n;
  u->frame = u->most = 0;
  u->depth = u->leave = 1;
  u->result = f->type->of;
  for (int i = 0; i < LOCALS_OF_OUR_OWN; i++) vec_push(&u->local, type_code(&type_int));
  for (int i = 0; i < u->nparam; i++)
    if (f->type->field[i].name) declare(u, f->type->field[i].name, NAME_LOCAL, f->type->field[i].type, i);
  want(u, "{");
  size_t inner = u->open.n;
  while (!is(u, "}") && !u->wrong) statement(u);
  want(u, "}");
  blocks_end(u, inner);
  finish(u, f);
  blocks_end(u, names);
}
