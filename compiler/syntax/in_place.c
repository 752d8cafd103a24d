// Words that are names everywhere but where an item begins with them in its own form:
//
//   body NAME { ... }     body NAME[i in 1:n] { ... }
//   gravity EXPRESSION;      of vectors, and so not a number; no equation gravity[1] + x = 0, and no instance
//                            gravity g(...) of a model with this name
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

// Does an expression begin at lo that ends its item and may be a vector? No equation, no instance NAME(...) or
// NAME[...](...), no number.
static bool is_expression_item(const SourceFile *f, size_t lo) {
  char c = f->text[lo];
  size_t end = skip_item(f, lo), name = skip_blanks(f, name_end(f, lo));
  if (!strchr("[(-.", c) && !isalnum((unsigned char)c) && c != '_') return false;
  if (c == '\0' || f->text[end] != ';' || memchr(f->text + lo, '=', end - lo)) return false;
  if (strchr("-.0123456789", c) && !memchr(f->text + lo, '*', end - lo)) return false;
  if (name == lo) return true;
  name = bracket_end(f, name);
  return f->text[name] != '(' || skip_blanks(f, skip_bracket(f, name)) != end;
}

int word_in_place(const Parse *p, const char *name, Span at) {
  const SourceFile *f = p->file;
  bool body = strcmp(name, "body") == 0, gravity = strcmp(name, "gravity") == 0;
  if (!body && !gravity) return TOK_NAME;
  size_t lo = skip_blanks(f, at.hi), hi = skip_blanks(f, name_end(f, lo));
  if (body) return hi > lo && f->text[bracket_end(f, hi)] == '{' ? TOK_BODY : TOK_NAME;
  return is_expression_item(f, lo) ? TOK_GRAVITY : TOK_NAME;
}
