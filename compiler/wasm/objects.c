// Tables with initial values. They stand in the memory of the compiler, which is that of the module, with the addresses
// of there: 32 bits each.
#include <math.h>
#include <string.h>
#include "unit.h"

typedef struct Constant { bool is_double; double number; long long integer; } Constant;

static Constant sum(Unit *u);

static double number_of(Constant c) { return c.is_double ? c.number : (double)c.integer; }

static Constant of_name(Unit *u) {
  Name *n = named(u, u->now.name);
  Constant c = { 0 };
  if (!n || n->kind == NAME_TYPE || n->kind == NAME_LOCAL) fail(u, "unknown name");
  else c.integer = n->kind == NAME_FUNCTION ? u->table + n->value - u->imports->n : n->value;
  next(u);
  return c;
}

static Constant term(Unit *u) {
  Constant c = { .is_double = u->now.kind == TOKEN_NUMBER, .number = u->now.number, .integer = u->now.integer };
  if (take(u, "-")) {
    c = term(u);
    c.number = -c.number;
    c.integer = -c.integer;
  } else if (take(u, "(")) {
    c = sum(u);
    want(u, ")");
  } else if (take(u, "&") || u->now.kind == TOKEN_NAME) c = of_name(u);
  else if (u->now.kind == TOKEN_INTEGER || u->now.kind == TOKEN_NUMBER) next(u);
  else fail(u, "a constant was expected");
  return c;
}

// a + b, where a may be a table, and a/b.
static Constant sum(Unit *u) {
  Name *n = u->now.kind == TOKEN_NAME ? named(u, u->now.name) : NULL;
  int each = n && n->type->kind == TYPE_ARRAY ? n->type->of->size : 1;
  Constant c = term(u);
  if (take(u, "+")) c.integer += each*term(u).integer;
  else if (take(u, "/")) c = (Constant){ .is_double = true, .number = number_of(c)/number_of(term(u)) };
  return c;
}

static void write(const Type *t, Constant c, unsigned char *at) {
  double x = number_of(c);
  uint64_t bits = (uint64_t)(c.is_double ? (long long)c.number : c.integer);
  if (t->kind == TYPE_DOUBLE) memcpy(&bits, &x, sizeof bits);
  for (int i = 0; i < t->size; i++) at[i] = (unsigned char)(bits >> 8*i);
}

// Room for `n` bytes, those behind the old ones 0.
static void grow(Text *t, size_t n) { while (t->n < n) text_addc(t, 0); }

// Writes a value of type t at place `at` of the bytes.
static void initial(Unit *u, const Type *t, Text *bytes, size_t at) {
  if (t->kind != TYPE_ARRAY && t->kind != TYPE_STRUCT) {
    Constant c = sum(u);
    grow(bytes, at + (size_t)t->size);
    write(t, c, (unsigned char *)bytes->at + at);
    return;
  }
  want(u, "{");
  if (t->size > 0) grow(bytes, at + (size_t)t->size);
  for (int i = 0; !is(u, "}") && !u->wrong; i++) {
    const Field *f = NULL;
    if (t->kind == TYPE_STRUCT && take(u, ".")) {
      f = field_named(u, t, u->now.name);
      next(u);
      want(u, "=");
      if (f) i = (int)(f - t->field);
    } else if (t->kind == TYPE_STRUCT && i < t->n) f = &t->field[i];
    if (t->kind == TYPE_STRUCT && !f) { fail(u, "too many values"); return; }
    initial(u, f ? f->type : t->of, bytes, at + (size_t)(f ? f->at : i*t->of->size));
    if (!take(u, ",")) break;
  }
  want(u, "}");
}

void object(Unit *u, const char *name, const Type *t) {
  Text bytes = { 0 };
  if (take(u, "=")) initial(u, t, &bytes, 0);
  if (t->size > 0) grow(&bytes, (size_t)t->size);
  void *at = arena_alloc(u->a, bytes.n + 8);
  memcpy(at, bytes.n ? bytes.at : "", bytes.n);
  declare(u, name, NAME_OBJECT, t, (long long)(uintptr_t)at);
  text_free(&bytes);
}
