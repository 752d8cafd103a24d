// Words that are names everywhere but where an item begins with them in its own form:
//
//   draw { ... }
//   body NAME { ... }     body NAME[i in 1:n] { ... }
//   gravity EXPRESSION;      of vectors, and so not a number; no equation gravity[1] + x = 0, and no instance
//                            gravity g(...) of a model with this name
//   material NAME, NAME;  pair NAME, NAME { ... }
//   algebraic NAME ...    node NAME ...                  a declaration: behind the name stands one of  ; , : = [ "
//   flow NAME ... to ... = ...;  flow if ... to ...;     and there `to`, behind a reference or a bracket
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

// Behind name[i].name[j] and the blanks that follow; `at` where there is none.
static size_t reference_end(const SourceFile *f, size_t at) {
  size_t hi = name_end(f, at);
  if (hi == at) return at;
  hi = bracket_end(f, skip_blanks(f, hi));
  return f->text[hi] == '.' ? reference_end(f, skip_blanks(f, hi + 1)) : hi;
}

static bool declares(const SourceFile *f, size_t name) {
  size_t hi = name_end(f, name), next = skip_blanks(f, hi);
  return hi > name && f->text[next] && strchr(";,:=[\"", f->text[next]);
}

// The word `to` of a flow, not a node of that name.
static bool is_to(const Parse *p, const char *name) {
  bool behind = p->now.kind == TOK_NAME || p->now.kind == ']' || p->now.kind == ')' || p->now.kind == TOK_NUMBER;
  return p->item_n > 1 && p->item[0].kind == TOK_FLOW && behind && strcmp(name, "to") == 0;
}

int word_in_place(const Parse *p, const char *name, Span at, bool first, AstKind *kind) {
  const SourceFile *f = p->file;
  bool body = strcmp(name, "body") == 0, gravity = strcmp(name, "gravity") == 0;
  if (!strcmp(name, "at")) return f->text[skip_blanks(f, at.hi)] == '(' && behind_shape(f, at.lo) ? TOK_AT : TOK_NAME;
  if (!first) return is_to(p, name) ? TOK_TO : TOK_NAME;
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
  if (!strcmp(name, "draw")) return f->text[skip_blanks(f, at.hi)] == '{' ? TOK_DRAW : TOK_NAME;
  bool fit = strcmp(name, "fit") == 0;
  if (fit || !strcmp(name, "analyse") || !strcmp(name, "analyze")) {
    *kind = fit ? AST_FIT : AST_ANALYSE;
    return f->text[skip_blanks(f, at.hi)] == '{' ? TOK_ASK : TOK_NAME;
  }
  bool flow = strcmp(name, "flow") == 0, algebraic = strcmp(name, "algebraic") == 0, node = strcmp(name, "node") == 0;
  if (!body && !gravity && !flow && !algebraic && !node) return TOK_NAME;
  size_t lo = skip_blanks(f, at.hi), hi = skip_blanks(f, name_end(f, lo));
  if (algebraic || node) {
    if (lo == at.hi || !declares(f, lo)) return TOK_NAME;
    *kind = node ? AST_NODE : AST_ALGEBRAIC;
    return TOK_DECLARE;
  }
  if (flow) {
    if (follows(f, lo, "if") && !is_name_char(f->text[lo + 2])) return TOK_FLOW;
    size_t to = skip_blanks(f, f->text[lo] == '(' ? skip_bracket(f, lo) : reference_end(f, lo));
    return to > lo && follows(f, to, "to") && !is_name_char(f->text[to + 2]) ? TOK_FLOW : TOK_NAME;
  }
  if (body) return hi > lo && f->text[bracket_end(f, hi)] == '{' ? TOK_BODY : TOK_NAME;
  return is_expression_item(f, lo) ? TOK_GRAVITY : TOK_NAME;
}
