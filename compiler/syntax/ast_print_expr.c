// Expressions and declarations in canonical layout: a + b, a*b, a^b, -a, f(a, b), 9.81 [m/s^2]; tight inside of indices
// and ranges: x[i+1], 1:n-1. The tree keeps parentheses, so none have to be invented.
#include "ast_print_expr.h"

#include <ctype.h>
#include <string.h>

static void print(const Ast *n, bool tight, Text *out);

void print_string(const char *s, Text *out) {
  text_addc(out, '"');
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') text_addc(out, '\\');
    text_addc(out, *s);
  }
  text_addc(out, '"');
}

// A number is spelled as it was written.
static void print_number(const Ast *n, Text *out) {
  const char *s = n->span.file ? n->span.file->text + n->span.lo : "";
  size_t len = 0, most = n->span.hi - n->span.lo;
  while (len < most && (isdigit((unsigned char)s[len]) || s[len] == '.')) len++;
  if (len && len + 1 < most && (s[len] == 'e' || s[len] == 'E')) {
    size_t k = len + 1 + (s[len + 1] == '+' || s[len + 1] == '-');
    if (k < most && isdigit((unsigned char)s[k])) {
      while (k < most && isdigit((unsigned char)s[k])) k++;
      len = k;
    }
  }
  if (len) text_addn(out, s, len);
  else text_number(out, n->number);
  if (n->unit) text_printf(out, " [%s]", n->unit);
}

static void print_each(AstList list, bool tight, Text *out) {
  for (int k = 0; k < list.n; k++) {
    if (k) text_add(out, ", ");
    print(list.at[k], tight, out);
  }
}

static void print_binary(const Ast *n, bool tight, Text *out) {
  static const char *const wide[] = { " + ", " - ",  "*",    "/",    "^",     "",     " < ", " <= ",
                                      " > ", " >= ", " == ", " != ", " and ", " or ", "" };
  print(n->a, tight, out);
  if (tight && (n->op == AO_ADD || n->op == AO_SUB)) text_addc(out, n->op == AO_ADD ? '+' : '-');
  else text_add(out, wide[n->op]);
  print(n->b, tight, out);
}

static void print(const Ast *n, bool tight, Text *out) {
  switch (n->kind) {
    case AST_NUMBER: print_number(n, out); break;
    case AST_STRING: print_string(n->name, out); break;
    case AST_NAME:   text_add(out, n->name); break;
    case AST_PRIME:  print(n->a, tight, out); text_addc(out, '\''); break;
    case AST_MEMBER: print(n->a, tight, out); text_printf(out, ".%s", n->name); break;
    case AST_INDEX:
      print(n->a, tight, out);
      text_addc(out, '[');
      print_each(n->list, true, out);
      text_addc(out, ']');
      break;
    case AST_CALL:
      text_add(out, n->name);
      print_args(n->list, out);
      break;
    case AST_ARG:
      text_printf(out, "%s = ", n->name);
      print(n->a, tight, out);
      break;
    case AST_UNARY:
      text_add(out, n->op == AO_NOT ? "not " : "-");
      print(n->a, tight, out);
      break;
    case AST_BINARY: print_binary(n, tight, out); break;
    case AST_COND:
      text_add(out, "if ");
      print(n->a, tight, out);
      text_add(out, " then ");
      print(n->b, tight, out);
      text_add(out, " else ");
      print(n->c, tight, out);
      break;
    case AST_VECTOR:
      text_addc(out, '[');
      print_each(n->list, tight, out);
      text_addc(out, ']');
      break;
    case AST_SUM:
      text_printf(out, "sum(%s in ", n->name);
      print(n->a, true, out);
      text_add(out, ") ");
      print(n->b, tight, out);
      break;
    case AST_RANGE:
      print(n->a, true, out);
      text_addc(out, ':');
      print(n->b, true, out);
      break;
    case AST_PAREN:
      text_addc(out, '(');
      print(n->a, tight, out);
      text_addc(out, ')');
      break;
    case AST_INDEXER:
      text_printf(out, "%s in ", n->name);
      print(n->a, true, out);
      break;
    case AST_LAW:
      text_add(out, n->name);
      if (n->list.n) print_args(n->list, out);
      break;
    case AST_DECL: print_decl(n, out); break;
    default: text_add(out, "?"); break;   // items are not expressions
  }
}

void print_expr(const Ast *n, Text *out) { print(n, false, out); }
void print_list(AstList list, Text *out) { print_each(list, false, out); }

void print_tight_list(AstList list, Text *out) { print_each(list, true, out); }

void print_args(AstList list, Text *out) {
  text_addc(out, '(');
  print_list(list, out);
  text_addc(out, ')');
}

void print_decl(const Ast *n, Text *out) {
  text_add(out, n->name);
  if (n->list.n) {
    text_addc(out, '[');
    print_each(n->list, true, out);
    text_addc(out, ']');
  }
  for (int k = 0; k < n->primes; k++) text_addc(out, '\'');
  if (n->unit) text_printf(out, " : %s", n->unit);
  if (n->a) {
    text_add(out, " = ");
    print_expr(n->a, out);
  }
  if (n->doc) {
    text_addc(out, ' ');
    print_string(n->doc, out);
  }
}
