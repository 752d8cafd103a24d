// Shared by the tests of the parser: text in, tree or diagnostics out.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "syntax/ast_print.h"
#include "syntax/parse.h"

typedef struct { Arena *arena; Interner *names; const SourceFile *file; DiagBag *bag; Ast *tree; } Bench;

static inline Bench parsed(const char *text, size_t n) {
  Arena *a = arena_new();
  Bench b = {a, intern_new(a), source_from_text(a, "t.nsm", text, n), diag_bag_new(a), NULL};
  b.tree = parse_file(a, b.names, b.file, b.bag);
  return b;
}

// What would be printed, in the arena of the bench.
static inline const char *messages(const Bench *b) {
  char *shown = NULL;
  size_t n;
  FILE *f = open_memstream(&shown, &n);
  diag_print(b->bag, f, false);
  fclose(f);
  const char *kept = arena_strndup(b->arena, shown, n);
  free(shown);
  return kept;
}

static inline const char *dumped(const Bench *b) {
  Text t = {0};
  ast_dump(b->tree, &t);
  const char *kept = arena_strndup(b->arena, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

static inline const char *formatted(const Bench *b) {
  Text t = {0};
  ast_format(b->tree, b->file, &t);
  const char *kept = arena_strndup(b->arena, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

static inline char *whole_file(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  if (!f) fail_msg("cannot read %s", path);
  char *text = NULL;
  FILE *copy = open_memstream(&text, n);
  for (int c; (c = getc(f)) != EOF;) putc(c, copy);
  fclose(copy);
  fclose(f);
  return text;
}
