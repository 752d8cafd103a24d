// The whole tree as indented text, one node a line: `--dump=ast`, and how tests compare two trees. Places are left out.
#include "ast_print.h"

static const char *const kinds[] = {
#define NODE(kind, text) #kind,
#include "ast_nodes.def"
#undef NODE
};
static const char *const ops[] = {"+", "-", "*", "/", "^", "-", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not"};

enum { WIDEST_INDENT = 120 };   // a tree may be thousands of levels deep

static void dump(const Ast *n, const char *role, int level, Text *out) {
  if (!n) return;
  int indent = 2 * level < WIDEST_INDENT ? 2 * level : WIDEST_INDENT;
  text_printf(out, "%*s%s%s", indent, "", role, kinds[n->kind]);
  if (n->name) {
    text_addc(out, ' ');
    text_json_string(out, n->name);
  }
  for (int k = 0; k < n->primes; k++) text_addc(out, '\'');
  if (n->kind == AST_NUMBER) text_addc(out, ' '), text_number(out, n->number);
  if (n->kind == AST_UNARY || n->kind == AST_BINARY) text_printf(out, " %s", ops[n->op]);
  if (n->unit) text_printf(out, " [%s]", n->unit);
  if (n->doc) {
    text_add(out, " doc ");
    text_json_string(out, n->doc);
  }
  text_addc(out, '\n');
  dump(n->a, "a: ", level + 1, out);
  dump(n->b, "b: ", level + 1, out);
  dump(n->c, "c: ", level + 1, out);
  for (int k = 0; k < n->list.n; k++) dump(n->list.at[k], "", level + 1, out);
  for (int k = 0; k < n->list2.n; k++) dump(n->list2.at[k], "2: ", level + 1, out);
}

void ast_dump(const Ast *file, Text *out) { dump(file, "", 0, out); }
