// Types as wasm32 lays them out (32-bit int, long and pointers), and declarations.
#include <string.h>
#include "unit.h"

static const Type type_byte = { .kind = TYPE_BYTE, .size = 1, .align = 1 },
                  type_short = { .kind = TYPE_SHORT, .size = 2, .align = 2 };

const Type *pointer_to(Unit *u, const Type *t) {
  Type *p = ARENA_NEW(u->a, Type);
  *p = (Type){ .kind = TYPE_POINTER, .size = 4, .align = 4, .of = t };
  return p;
}

static const Type *array_of(Unit *u, const Type *t, int n) {
  Type *p = ARENA_NEW(u->a, Type);
  *p = (Type){ .kind = TYPE_ARRAY, .size = t->size*n, .align = t->align, .of = t, .n = n };
  return p;
}

char type_code(const Type *t) { return t->kind == TYPE_DOUBLE ? 0x7c : 0x7f; }

const Field *field_named(Unit *u, const Type *t, const char *name) {
  for (int i = 0; t->kind == TYPE_STRUCT && i < t->n; i++) if (t->field[i].name == name) return &t->field[i];
  fail(u, "no such field");
  return NULL;
}

// ---- specifiers -----------------------------------------------------------------------------------------------------
static int constant_integer(Unit *u) {
  bool minus = take(u, "-");
  long long x = u->now.integer;
  Name *n = u->now.kind == TOKEN_NAME ? named(u, u->now.name) : NULL;
  if (n && n->kind == NAME_CONSTANT) x = n->value;
  else if (u->now.kind != TOKEN_INTEGER) fail(u, "a constant was expected");
  next(u);
  return (int)(minus ? -x : x);
}

static void constants(Unit *u) {
  int value = 0;
  if (u->now.kind == TOKEN_NAME) next(u);
  want(u, "{");
  while (!is(u, "}") && u->now.kind == TOKEN_NAME) {
    const char *name = u->now.name;
    next(u);
    if (take(u, "=")) value = constant_integer(u);
    declare(u, name, NAME_CONSTANT, &type_int, value++);
    if (!take(u, ",")) break;
  }
  want(u, "}");
}

static void add_field(Unit *u, Type *s, const char *name, const Type *t) {
  ARENA_MORE(u->a, s->field, s->n, Field);
  s->size = (s->size + t->align - 1)/t->align*t->align;
  s->field[s->n++] = (Field){ name, t, s->size };
  s->size += t->size;
  if (t->align > s->align) s->align = t->align;
}

// struct NAME, or with its fields. A name without fields is a structure of which nothing is known.
static const Type *structure(Unit *u) {
  const char *tag = "";
  if (u->now.kind == TOKEN_NAME) {
    tag = intern(u->words, arena_printf(u->a, "struct %s", u->now.name));
    next(u);
  }
  Name *known = *tag ? named(u, tag) : NULL;
  Type *s = known ? (Type *)known->type : ARENA_NEW(u->a, Type);
  if (!known) *s = (Type){ .kind = TYPE_STRUCT, .align = 1 };
  if (*tag && !known) declare(u, tag, NAME_TYPE, s, 0);
  if (!take(u, "{")) return s;
  while (!is(u, "}") && !u->wrong) {
    const Type *base = specifiers(u, NULL, NULL);
    do {
      const char *name = NULL;
      const Type *t = declarator(u, base, &name);
      if (!u->wrong) add_field(u, s, name, t);
    } while (take(u, ","));
    want(u, ";");
  }
  want(u, "}");
  s->size = (s->size + s->align - 1)/s->align*s->align;
  return s;
}

static bool is_type_word(const char *word) {
  static const char *const all[] = { "const", "static", "typedef", "struct", "enum", "unsigned", "int", "long", "char",
                                     "short", "double", "void", "inline", "NSM_PART_OF_KERNEL" };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) if (!strcmp(word, all[i])) return true;
  return false;
}

bool begins_type(const Unit *u) {
  Name *n = u->now.kind == TOKEN_NAME ? named(u, u->now.name) : NULL;
  return u->now.kind == TOKEN_NAME && ((n && n->kind == NAME_TYPE) || (!n && is_type_word(u->now.name)));
}

const Type *specifiers(Unit *u, bool *is_static, bool *is_typedef) {
  const Type *t = NULL;
  while (begins_type(u)) {
    Name *n = named(u, u->now.name);
    if (n && t) break;
    const char *word = u->now.name;
    next(u);
    if (n) t = n->type;
    else if (!strcmp(word, "static")) { if (is_static) *is_static = true; }
    else if (!strcmp(word, "typedef")) { if (is_typedef) *is_typedef = true; }
    else if (!strcmp(word, "struct")) t = structure(u);
    else if (!strcmp(word, "enum")) { constants(u); t = &type_int; }
    else if (!strcmp(word, "char")) t = &type_byte;
    else if (!strcmp(word, "short")) t = &type_short;
    else if (!strcmp(word, "double")) t = &type_double;
    else if (!strcmp(word, "void")) t = &type_void;
    else if (!t && (!strcmp(word, "int") || !strcmp(word, "long"))) t = &type_int;
  }
  if (!t) fail(u, "a type was expected");
  return t ? t : &type_int;
}

// ---- declarators ----------------------------------------------------------------------------------------------------
static const Type *parameters(Unit *u, const Type *result) {
  Type *f = ARENA_NEW(u->a, Type);
  *f = (Type){ .kind = TYPE_FUNCTION, .of = result };
  while (!is(u, ")") && !u->wrong) {
    const char *name = NULL;
    const Type *t = declarator(u, specifiers(u, NULL, NULL), &name);
    if (t->kind == TYPE_VOID) break;
    ARENA_MORE(u->a, f->field, f->n, Field);
    f->field[f->n++] = (Field){ name, t, 0 };
    if (!take(u, ",")) break;
  }
  want(u, ")");
  return f;
}

const Type *declarator(Unit *u, const Type *t, const char **name) {
  while (is(u, "*") || is(u, "const")) {
    if (is(u, "*")) t = pointer_to(u, t);
    next(u);
  }
  bool inner = take(u, "(");                               // (*name)(...): a pointer to a function
  if (inner) want(u, "*");
  if (u->now.kind == TOKEN_NAME) {
    *name = u->now.name;
    next(u);
  }
  if (inner) want(u, ")");
  if (take(u, "(")) {
    t = parameters(u, t);
    return inner ? pointer_to(u, t) : t;
  }
  if (take(u, "[")) {
    t = array_of(u, t, is(u, "]") ? -1 : constant_integer(u));
    want(u, "]");
  }
  return t;
}

int signature_of(Unit *u, const Type *f) {
  Text t = { 0 };
  text_addc(&t, 0x60);
  leb_unsigned(&t, (uint64_t)f->n);
  for (int i = 0; i < f->n; i++) text_addc(&t, type_code(f->field[i].type));
  leb_unsigned(&t, f->of->kind != TYPE_VOID);
  if (f->of->kind != TYPE_VOID) text_addc(&t, type_code(f->of));
  Text key = { 0 };                                        // bytes may be 0
  for (size_t i = 0; i < t.n; i++) text_printf(&key, "%02x", (unsigned char)t.at[i]);
  const char *word = intern(u->words, text_str(&key));
  int have = (int)(intptr_t)map_get(u->signature, word);
  if (!have) {
    have = ++u->nsignature;
    map_put(u->signature, word, (void *)(intptr_t)have);
    text_addn(&u->signatures, t.at, t.n);
  }
  text_free(&t);
  text_free(&key);
  return have - 1;
}
