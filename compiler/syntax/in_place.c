// Words that are names everywhere but where an item begins with them in its own form:
//
//   body NAME { ... }     body NAME[i in 1:n] { ... }
//   gravity [a, b, c];    gravity [a, b, c] [m/s^2];    gravity NAME;
#include <ctype.h>
#include <string.h>
#include "nsm.tab.h"
#include "parse_state.h"

// Behind a name at `at`; `at` where there is none.
static size_t name_end(const SourceFile *f, size_t at) {
  if (!isalpha((unsigned char)f->text[at]) && f->text[at] != '_') return at;
  while (is_name_char(f->text[at])) at++;
  return at;
}

// Behind a pair of brackets at `at` and the blanks that follow; `at` where there is none.
static size_t bracket_end(const SourceFile *f, size_t at) {
  return f->text[at] == '[' ? skip_blanks(f, skip_bracket(f, at)) : at;
}

int word_in_place(const Parse *p, const char *name, Span at) {
  const SourceFile *f = p->file;
  bool body = strcmp(name, "body") == 0, gravity = strcmp(name, "gravity") == 0;
  if (!body && !gravity) return TOK_NAME;
  size_t lo = skip_blanks(f, at.hi), hi = skip_blanks(f, name_end(f, lo));
  if (body) return hi > lo && f->text[bracket_end(f, hi)] == '{' ? TOK_BODY : TOK_NAME;
  if (f->text[lo] == '[') hi = bracket_end(f, bracket_end(f, lo));
  return hi > lo && f->text[hi] == ';' ? TOK_GRAVITY : TOK_NAME;
}
