// Words that are names everywhere but where an item begins with them in its own form:
//
//   body NAME { ... }     body NAME[i in 1:n] { ... }
//   gravity EXPRESSION;      of vectors, and so not a number; no equation gravity[1] + x = 0, and no instance
//                            gravity g(...) of a model with this name
//   material NAME, NAME;  pair NAME, NAME { ... }
// in a contact:  between = A, B;  among = A;    behind a shape:  box([1, 2, 3]) at(...), halfspace at(...).
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

// Behind NAME, NAME, ... at `at`, and how many; `at` where there are none.
static size_t names_end(const SourceFile *f, size_t at, int *n) {
  size_t hi = name_end(f, at);
  for (*n = 0; hi > at; hi = name_end(f, at)) {
    ++*n;
    hi = skip_blanks(f, hi);
    if (f->text[hi] != ',') return hi;
    at = skip_blanks(f, hi + 1);
  }
  return at;
}

// Does a shape end before `at`: a bracket that closes, or one of the shapes without arguments?
static bool behind_shape(const SourceFile *f, size_t at) {
  while (at > 0 && isspace((unsigned char)f->text[at - 1])) at--;
  if (at > 0 && f->text[at - 1] == ')') return true;
  size_t lo = at;
  while (lo > 0 && is_name_char(f->text[lo - 1])) lo--;
  size_t n = at - lo;
  return (n == 9 && !strncmp(f->text + lo, "halfspace", n)) || (n == 9 && !strncmp(f->text + lo, "halfplane", n));
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

int word_in_place(const Parse *p, const char *name, Span at, bool first) {
  const SourceFile *f = p->file;
  bool body = strcmp(name, "body") == 0, gravity = strcmp(name, "gravity") == 0;
  if (!strcmp(name, "at")) return f->text[skip_blanks(f, at.hi)] == '(' && behind_shape(f, at.lo) ? TOK_AT : TOK_NAME;
  if (!first) return TOK_NAME;
  if (!strcmp(name, "between") || !strcmp(name, "among")) {
    bool part = p->open.n > 0 && vec_last(&p->open).owner.kind == TOK_CONTACT && f->text[skip_blanks(f, at.hi)] == '=';
    return part ? TOK_SIDES : TOK_NAME;
  }
  if (!strcmp(name, "material") || !strcmp(name, "pair")) {
    int n;
    size_t end = names_end(f, skip_blanks(f, at.hi), &n);
    if (name[0] == 'm') return n > 0 && f->text[end] == ';' ? TOK_MATERIAL : TOK_NAME;
    return n == 2 && f->text[end] == '{' ? TOK_PAIR : TOK_NAME;
  }
  if (!body && !gravity) return TOK_NAME;
  size_t lo = skip_blanks(f, at.hi), hi = skip_blanks(f, name_end(f, lo));
  if (body) return hi > lo && f->text[bracket_end(f, hi)] == '{' ? TOK_BODY : TOK_NAME;
  return is_expression_item(f, lo) ? TOK_GRAVITY : TOK_NAME;
}
