// Words that are names everywhere but where an item begins with them in its own form:
//
//   body NAME { ... }     body NAME[i in 1:n] { ... }
//   gravity [a, b, c];    gravity [a, b, c] [m/s^2];    gravity NAME;
//   algebraic NAME ...    node NAME ...                  a declaration: behind the name stands one of  ; , : = [ "
//   flow NAME ... to ... = ...;                          and there `to`, between two references
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

int word_in_place(const Parse *p, const char *name, Span at, AstKind *kind) {
  const SourceFile *f = p->file;
  if (p->item_n > 0) return is_to(p, name) ? TOK_TO : TOK_NAME;
  bool body = strcmp(name, "body") == 0, gravity = strcmp(name, "gravity") == 0, flow = strcmp(name, "flow") == 0;
  bool algebraic = strcmp(name, "algebraic") == 0, node = strcmp(name, "node") == 0;
  if (!body && !gravity && !flow && !algebraic && !node) return TOK_NAME;
  size_t lo = skip_blanks(f, at.hi), hi = skip_blanks(f, name_end(f, lo));
  if (algebraic || node) {
    if (lo == at.hi || !declares(f, lo)) return TOK_NAME;
    *kind = node ? AST_NODE : AST_ALGEBRAIC;
    return TOK_DECLARE;
  }
  if (flow) {
    size_t to = reference_end(f, lo);
    return to > lo && follows(f, to, "to") && !is_name_char(f->text[to + 2]) ? TOK_FLOW : TOK_NAME;
  }
  if (body) return hi > lo && f->text[bracket_end(f, hi)] == '{' ? TOK_BODY : TOK_NAME;
  if (f->text[lo] == '[') hi = bracket_end(f, bracket_end(f, lo));
  return hi > lo && f->text[hi] == ';' ? TOK_GRAVITY : TOK_NAME;
}
