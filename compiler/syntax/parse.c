// Running the parser: what is no text at all is refused first; then the grammar takes tokens (tokens.c).
#include "parse.h"

#include <string.h>

#include "../base/char_width.h"
#include "../base/fatal.h"
#include "nsm.tab.h"
#include "parse_state.h"

static bool is_text(Parse *p) {
  const SourceFile *f = p->file;
  const char *nul = memchr(f->text, 0, f->len);
  if (nul) {
    size_t at = (size_t)(nul - f->text);
    Diag *d = problem(p, DIAG_E0108, (Span){f, at, at + 1}, "this is not a text file: byte %zu is zero", at + 1);
    if (f->len >= 2 && (memcmp(f->text, "\xFF\xFE", 2) == 0 || memcmp(f->text, "\xFE\xFF", 2) == 0))
      diag_help(d, "it looks like UTF-16; save it as UTF-8");
    return false;
  }
  size_t bad = 0, first = 0;
  for (size_t i = 0; i < f->len;) {
    size_t n = utf8_length(f->text + i, f->len - i);
    if (n == 0 && bad++ == 0) first = i;
    i += n ? n : 1;
  }
  if (bad == 0) return true;
  Diag *d = problem(p, DIAG_E0107, (Span){ f, first, first + 1 }, "the byte 0x%02X is not valid UTF-8",
                    (unsigned char)f->text[first]);
  if (bad > 1) diag_note(d, "%zu more such %s", bad - 1, bad == 2 ? "byte follows" : "bytes follow");
  diag_help(d, "save the file as UTF-8");
  return true;
}

static Ast *run(Arena *a, Interner *in, const SourceFile *f, DiagBag *bag) {
  Parse p = { .arena = a, .names = in, .file = f, .bag = bag, .foreign = foreign_form, .item_ends = true };
  if (!is_text(&p)) return NULL;
  if (nsm_scan_lex_init_extra(&p, &p.scanner) != 0) out_of_memory(1 << 14);
  nsm_scan__scan_bytes(f->text, (int)f->len, p.scanner);   // at most 64 MiB, see source.h
  int failed = nsm_parse(&p);
  nsm_scan_lex_destroy(p.scanner);
  vec_free(&p.open);
  INVARIANT(!failed || p.problems);
  return failed ? NULL : p.result;
}

Ast *parse_file(Arena *a, Interner *in, const SourceFile *f, DiagBag *bag) {
  Ast *file = run(a, in, f, bag);
  if (file) return file;
  file = ARENA_NEW(a, Ast);
  file->kind = AST_FILE;
  file->span = (Span){f, 0, f->len};
  file->depth = 1;
  return file;
}
