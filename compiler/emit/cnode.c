// C expression trees: constructors and the printer.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "cnode.h"

static CNode *make(Arena *a, CNodeKind kind, int n, CNode **arg) {
  CNode *c = ARENA_NEW(a, CNode);
  c->kind = kind;
  c->n = n;
  c->arg = ARENA_ARRAY(a, CNode *, n);
  for (int i = 0; i < n; i++) {
    c->arg[i] = arg[i];
    if (arg[i]->depth >= c->depth) c->depth = arg[i]->depth + 1;
  }
  return c;
}

CNode *cnode_number(Arena *a, double x) { CNode *c = make(a, CN_NUMBER, 0, NULL); c->number = x; return c; }
CNode *cnode_name(Arena *a, const char *name) {
  CNode *c = make(a, CN_NAME, 0, NULL);
  c->name = arena_strndup(a, name, strlen(name));
  return c;
}
CNode *cnode_call(Arena *a, const char *f, CNode **arg, int n) {
  CNode *c = make(a, CN_CALL, n, arg);
  c->name = f;
  return c;
}

CNode *cnode_binary(Arena *a, const char *op, CNode *l, CNode *r) {
  static const struct { const char *op; int precedence; } table[] = {
    { "||", 1 }, { "&&", 2 }, { "==", 3 }, { "<", 4 }, { "<=", 4 }, { "+", 5 }, { "-", 5 }, { "*", 6 }, { "/", 6 } };
  CNode *arg[2] = { l, r };
  CNode *c = make(a, CN_BINARY, 2, arg);
  c->name = op;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].op, op)) c->precedence = table[i].precedence;
  return c;
}

CNode *cnode_negate(Arena *a, CNode *x) { return make(a, CN_NEGATE, 1, &x); }
CNode *cnode_not(Arena *a, CNode *x) { return make(a, CN_NOT, 1, &x); }
CNode *cnode_choose(Arena *a, CNode *c, CNode *yes, CNode *no) {
  CNode *arg[3] = { c, yes, no };
  return make(a, CN_CHOOSE, 3, arg);
}

void c_number(double x, Text *out) {
  if (isnan(x)) { text_add(out, "(0.0/0.0)"); return; }
  if (isinf(x)) { text_add(out, x < 0 ? "(-1.0/0.0)" : "(1.0/0.0)"); return; }
  size_t before = out->n;
  text_printf(out, "%.17g", x);
  double back = 0;
  for (int digits = 1; digits < 17; digits++) {   // the shortest that reads back
    char s[40];
    snprintf(s, sizeof s, "%.*g", digits, x);
    sscanf(s, "%lf", &back);
    if (back == x) { out->n = before; out->at[before] = 0; text_add(out, s); break; }
  }
  if (!strpbrk(out->at + before, ".en")) text_add(out, ".0");
}

static int precedence(const CNode *n) {
  switch (n->kind) {
  case CN_BINARY: return n->precedence;
  case CN_NEGATE: case CN_NOT: return 7;
  case CN_CHOOSE: return 0;
  case CN_NUMBER: return n->number < 0 ? 7 : 9;
  default: return 9;
  }
}

static void print_at(const CNode *n, int least, Text *out) {
  bool wrap = precedence(n) < least;
  if (wrap) text_addc(out, '(');
  cnode_print(n, out);
  if (wrap) text_addc(out, ')');
}

void cnode_print(const CNode *n, Text *out) {
  switch (n->kind) {
  case CN_NUMBER: c_number(n->number, out); break;
  case CN_NAME: text_add(out, n->name); break;
  case CN_CALL:
    text_printf(out, "%s(", n->name);
    for (int i = 0; i < n->n; i++) { if (i) text_add(out, ", "); cnode_print(n->arg[i], out); }
    text_addc(out, ')');
    break;
  case CN_BINARY: {
    bool tight = n->precedence >= 6;
    print_at(n->arg[0], n->precedence, out);
    text_printf(out, tight ? "%s" : " %s ", n->name);
    print_at(n->arg[1], n->precedence + 1, out);
    break;
  }
  case CN_NEGATE: text_addc(out, '-'); print_at(n->arg[0], 8, out); break;
  case CN_NOT: text_addc(out, '!'); print_at(n->arg[0], 8, out); break;
  case CN_CHOOSE:
    print_at(n->arg[0], 1, out); text_add(out, " ? ");
    print_at(n->arg[1], 1, out); text_add(out, " : ");
    print_at(n->arg[2], 1, out);
    break;
  }
}

// What a model's author wrote may stand in a comment, and cannot leave it: printable ASCII, '*' never before '/', nor
// '/' before '*', no backslash (line splices, \u), no "??" (trigraphs).
void c_comment(const char *text, Text *out) {
  text_add(out, "/* ");
  char last = ' ';
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    char now = *c >= 0x20 && *c < 0x7f ? (char)*c : *c == '\t' || *c == '\n' ? ' ' : '.';
    if (now == '\\') now = '|';
    if ((last == '*' && now == '/') || (last == '/' && now == '*') || (last == '?' && now == '?') ||
        (last == '/' && now == '/'))
      text_addc(out, ' ');
    text_addc(out, now);
    last = now;
  }
  text_add(out, " */");
}
