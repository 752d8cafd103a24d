// The sections of the module, and the top of the text.
#include <string.h>
#include "unit.h"

static void name(Text *t, const char *s) {
  leb_unsigned(t, strlen(s));
  text_add(t, s);
}

static void section(Text *out, int number, Text *body) {
  text_addc(out, (char)number);
  leb_unsigned(out, body->n);
  text_addn(out, body->n ? body->at : "", body->n);
  text_free(body);
}

static void imports(Unit *u, Text *out) {
  Text t = { 0 };
  leb_unsigned(&t, (uint64_t)u->imports->n + 3);
  name(&t, "env"), name(&t, "memory"), text_addn(&t, "\x02\x00\x00", 3);
  name(&t, "env"), name(&t, "table"), text_addn(&t, "\x01\x70\x00\x00", 4);
  name(&t, "env"), name(&t, "stack"), text_addn(&t, "\x03\x7f\x01", 3);
  for (int i = 0; i < u->imports->n; i++) {
    Name *f = named(u, intern(u->words, u->imports->name[i]));
    if (!f || f->kind != NAME_FUNCTION) { fail(u, u->imports->name[i]); break; }
    name(&t, "f");
    name(&t, u->imports->name[i]);
    text_addc(&t, 0);
    leb_unsigned(&t, (uint64_t)signature_of(u, f->type));
  }
  section(out, 2, &t);
}

static void sections(Unit *u, Text *out) {
  Text from = { 0 }, types = { 0 }, functions = { 0 }, elements = { 0 }, code = { 0 };
  imports(u, &from);
  leb_unsigned(&types, (uint64_t)u->nsignature);
  text_addn(&types, u->signatures.at, u->signatures.n);
  leb_unsigned(&functions, u->function.n);
  leb_unsigned(&code, u->function.n);
  text_addn(&elements, "\x01\x00\x41", 3);                 // one segment, of table 0, from i32.const on
  leb_signed(&elements, u->table);
  text_addc(&elements, 0x0b);
  leb_unsigned(&elements, u->function.n);
  for (size_t i = 0; i < u->function.n; i++) {
    Function *f = &u->function.at[i];
    leb_unsigned(&functions, (uint64_t)f->signature);
    leb_unsigned(&elements, (uint64_t)u->imports->n + i);
    leb_unsigned(&code, f->body.n);
    text_addn(&code, f->body.at, f->body.n);
  }
  text_addn(out, "\0asm\1\0\0\0", 8);
  section(out, 1, &types);
  text_addn(out, from.at, from.n);
  text_free(&from);
  section(out, 3, &functions);
  section(out, 9, &elements);
  section(out, 10, &code);
}

static int import_number(const Unit *u, const char *name) {
  for (int i = 0; i < u->imports->n; i++) if (!strcmp(u->imports->name[i], name)) return i;
  return -1;
}

static void declaration(Unit *u) {
  bool is_static = false, is_typedef = false;
  const Type *base = specifiers(u, &is_static, &is_typedef);
  while (!is(u, ";") && !u->wrong) {
    const char *name = NULL;
    const Type *t = declarator(u, base, &name);
    if (!name) { fail(u, "a name was expected"); return; }
    if (is_typedef) declare(u, name, NAME_TYPE, t, 0);
    else if (t->kind == TYPE_FUNCTION) {
      Name *f = named(u, name);
      if (!f || is(u, "{")) f = declare(u, name, NAME_FUNCTION, t, import_number(u, name));
      if (is(u, "{")) { function(u, f); return; }
    } else object(u, name, t);
    if (!take(u, ",")) break;
  }
  want(u, ";");
}

static void whole(Unit *u, const char *text) {
  u->at = text;
  next(u);
  while (u->now.kind != TOKEN_END && !u->wrong) declaration(u);
}

bool wasm_compile(Arena *a, const char *const text[2], const WasmImports *imports, uint32_t table, WasmModule *out,
                  const char **why) {
  Arena *work = arena_new();                               // types and names; objects are the caller's
  Unit u = { .a = a, .words = intern_new(work), .name = map_new(work), .signature = map_new(work), .imports = imports,
             .table = table };
  *out = (WasmModule){ 0 };
  for (int i = 0; i < 2 && !u.wrong; i++) whole(&u, text[i]);
  Name *model = named(&u, intern(u.words, "model"));
  if (!u.wrong && (!model || model->kind != NAME_OBJECT)) u.wrong = "there is no model";
  if (!u.wrong) sections(&u, &out->bytes);
  if (!u.wrong) {
    out->nfunction = (int)u.function.n;
    out->model = (const void *)(uintptr_t)model->value;
  } else text_free(&out->bytes);
  *why = u.wrong;
  for (size_t i = 0; i < u.function.n; i++) text_free(&u.function.at[i].body);
  vec_free(&u.function);
  vec_free(&u.open);
  vec_free(&u.local);
  text_free(&u.signatures);
  text_free(&u.code);
  arena_free(work);
  return !*why;
}
