// MathML (presentation, as browsers show it without a library). The same arrangement as latex.c; every argument of a
// fraction, root or power is one <mrow>.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "print_layout.h"

enum { L_CASES, L_OR, L_AND, L_NOT, L_COMPARE, L_SUM, L_PRODUCT, L_POWER, L_ATOM };
enum { SHOWN_NODES = 400 };                               // more than a reader looks at: a word takes its place

#define OPERATOR(c) "<mo>" c "</mo>"
#define MINUS OPERATOR("\xe2\x88\x92")

// At most eight digits: a reader's, not the model's.
static void write_number(Printer *w, double x) {
  Text t = {0};
  text_number(&t, x);
  if (t.n > 9 && isfinite(x)) {
    text_free(&t);
    text_printf(&t, "%.8g", x);
  }
  const char *s = text_str(&t), *e = strchr(s, 'e');
  if (isnan(x)) text_add(w->out, "<mi>nan</mi>");
  else if (isinf(x)) text_add(w->out, x < 0 ? "<mrow>" MINUS "<mi>\xe2\x88\x9e</mi></mrow>"
                                            : "<mi>\xe2\x88\x9e</mi>");
  else if (e)
    text_printf(w->out, "<mrow><mn>%.*s</mn>" OPERATOR("\xc2\xb7") "<msup><mn>10</mn><mn>%d</mn></msup></mrow>",
                (int)(e - s), s, (int)strtol(e + 1, NULL, 10));
  else text_printf(w->out, "<mn>%s</mn>", s);
  text_free(&t);
}

static void row_of(Printer *w, Ex e, int level, bool negate) {
  say(w, "<mrow>");
  show(w, e, level, negate);
  say(w, "</mrow>");
}

static void write_num(Printer *w, double x, int level) {
  double num, den;
  as_ratio(fabs(x), &num, &den);
  bool minus = signbit(x) && !isnan(x), paren = (minus && level > L_SUM) || (den != 1 && level > L_PRODUCT);
  open_if(w, paren);
  if (minus) say(w, MINUS);
  if (den != 1) say(w, "<mfrac>");
  show_number(w, isnan(x) ? x : num);
  if (den != 1) {
    show_number(w, den);
    say(w, "</mfrac>");
  }
  close_if(w, paren);
}

static void write_sum(Printer *w, Ex e, int level, bool negate) {
  PartVec terms = {0};
  layout_sum(w->p, e, negate, &terms);
  open_if(w, level > L_SUM);
  for (size_t i = 0; i < terms.n; i++) {
    bool minus = terms.at[i].k < 0;
    if (i > 0 || minus) say(w, minus ? MINUS : OPERATOR("+"));
    bool joins = i == 0 && !minus && is_sum_as_written(w->p, terms.at[i].e);
    show(w, terms.at[i].e, joins ? L_SUM : L_PRODUCT, negate != minus);
  }
  close_if(w, level > L_SUM);
  vec_free(&terms);
}

// Factors side by side; a lone factor inside of a fraction needs no parentheses.
static void write_factors(Printer *w, double number, const Ex *f, int n, int flip, bool enclosed, bool joins_first) {
  bool alone = enclosed && number == 1 && n == 1, first = true;
  say(w, "<mrow>");
  if (number != 1 || n == 0) {
    show_number(w, number);
    first = false;
  }
  for (int i = 0; i < n; i++, first = false) {
    if (!first) say(w, "<mspace width='0.17em'/>");
    show(w, f[i], alone ? L_SUM : i == 0 && joins_first ? L_PRODUCT : L_POWER, flip == i);
  }
  say(w, "</mrow>");
}

static void write_product(Printer *w, Ex e, int level, bool negate) {
  Layout l = layout_product(w->p, e, negate);
  bool fraction = l.f.n_below > 0 || l.q != 1;
  bool paren = level > (l.minus ? L_SUM : L_PRODUCT);
  open_if(w, paren);
  if (l.minus) say(w, MINUS);
  if (fraction) say(w, "<mfrac>");
  write_factors(w, l.p, l.f.above, l.f.n_above, l.flip, fraction, l.joins_first);
  if (fraction) {
    write_factors(w, l.q, l.f.below, l.f.n_below, l.flip - l.f.n_above, true, true);
    say(w, "</mfrac>");
  }
  close_if(w, paren);
}

static const char *function_name(Op op) {
  switch (op) {
    case OP_EXP:   return "<mi>exp</mi>";
    case OP_LOG:   return "<mi>log</mi>";
    case OP_SIN:   return "<mi>sin</mi>";
    case OP_COS:   return "<mi>cos</mi>";
    case OP_TAN:   return "<mi>tan</mi>";
    case OP_ASIN:  return "<mi>arcsin</mi>";
    case OP_ACOS:  return "<mi>arccos</mi>";
    case OP_ATAN:  return "<mi>arctan</mi>";
    case OP_ATAN2: return "<mi>atan2</mi>";
    case OP_TURNED: return "<mi>turned</mi>";
    case OP_SINH:  return "<mi>sinh</mi>";
    case OP_COSH:  return "<mi>cosh</mi>";
    case OP_TANH:  return "<mi>tanh</mi>";
    case OP_SINC:  return "<mi>sinc</mi>";
    case OP_SINHC: return "<mi>sinhc</mi>";
    case OP_TABLE: return "<mi>table</mi>";
    case OP_POWD:  return "<mi>powd</mi>";
    case OP_SIGN:  return "<mi>sign</mi>";
    case OP_MIN:   return "<mi>min</mi>";
    case OP_MAX:   return "<mi>max</mi>";
    default:       return NULL;
  }
}

static void write_arguments(Printer *w, Ex e, const char *open, const char *close) {
  say(w, "<mrow>");
  say(w, open);
  for (int i = 0; i < ex_nargs(w->p, e); i++) {
    if (i > 0) say(w, OPERATOR(","));
    show(w, ex_arg(w->p, e, i), L_CASES, false);
  }
  say(w, close);
  say(w, "</mrow>");
}

// sin^2(x), u^n; a negated power is one whose base, a sum, takes the minus.
static void write_power(Printer *w, Ex e, int level, bool negate) {
  Ex base = ex_arg(w->p, e, 0), n = ex_arg(w->p, e, 1);
  const char *f = function_name(ex_operator(w->p, base));
  open_if(w, level > L_POWER);
  say(w, "<msup>");
  if (f) say(w, f);
  else row_of(w, base, L_ATOM, negate);
  row_of(w, n, L_CASES, false);
  say(w, "</msup>");
  if (f) write_arguments(w, base, w->open, w->close);
  close_if(w, level > L_POWER);
}

static void write_written(Printer *w, Ex e, int level) {
  WrittenLayout l = layout_written(w->p, e);
  switch (ex_operator(w->p, e)) {
    case OP_PLUS:  write_two(w, l, level, L_SUM, L_SUM, OPERATOR("+"), L_PRODUCT); return;
    case OP_MINUS: write_two(w, l, level, L_SUM, L_SUM, MINUS, L_PRODUCT); return;
    case OP_TIMES: write_two(w, l, level, L_PRODUCT, L_PRODUCT, "<mspace width='0.17em'/>", L_POWER); return;
    case OP_OVER:
      say(w, "<mfrac>");
      row_of(w, l.left, L_SUM, false);
      row_of(w, l.right, L_SUM, false);
      say(w, "</mfrac>");
      return;
    case OP_RAISED:
      open_if(w, level > L_POWER);
      say(w, "<msup>");
      row_of(w, l.left, L_ATOM, false);
      row_of(w, l.right, L_CASES, false);
      say(w, "</msup>");
      close_if(w, level > L_POWER);
      return;
    default:
      open_if(w, level > L_SUM);
      say(w, MINUS);
      show(w, l.left, L_POWER, false);
      close_if(w, level > L_SUM);
  }
}

// A chain of if and else is one table behind a brace.
static void write_cases(Printer *w, Ex e) {
  say(w, "<mrow>" OPERATOR("{") "<mtable columnalign='left'>");
  while (ex_operator(w->p, e) == OP_IF) {
    say(w, "<mtr><mtd>");
    show(w, ex_arg(w->p, e, 1), L_OR, false);
    say(w, "</mtd><mtd><mtext>if&#160;</mtext>");
    show(w, ex_arg(w->p, e, 0), L_OR, false);
    say(w, "</mtd></mtr>");
    e = ex_arg(w->p, e, 2);
  }
  say(w, "<mtr><mtd>");
  show(w, e, L_OR, false);
  say(w, "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>");
}

static void write_node(Printer *w, Ex e, int level, bool negate) {
  while (ex_operator(w->p, e) == OP_SHARED) e = ex_arg(w->p, e, 0);
  Op op = ex_operator(w->p, e);
  if (reads_as_product(w->p, e)) { write_product(w, e, level, negate); return; }
  switch (op) {
    case OP_NUM: write_num(w, negate ? -ex_value(w->p, e) : ex_value(w->p, e), level); return;
    case OP_ADD: write_sum(w, e, level, negate); return;
    case OP_POW: write_power(w, e, level, negate); return;
    default: break;
  }
  INVARIANT(!negate);
  if (ex_is_written(w->p, e)) { write_written(w, e, level); return; }
  switch (op) {
    case OP_SYM:   text_add(w->out, w->name(ex_symbol(w->p, e), w->ctx)); return;
    case OP_SQRT:
      say(w, "<msqrt>");
      show(w, ex_arg(w->p, e, 0), L_CASES, false);
      say(w, "</msqrt>");
      return;
    case OP_ABS:   write_arguments(w, e, OPERATOR("|"), OPERATOR("|")); return;
    case OP_FLOOR: write_arguments(w, e, OPERATOR("\xe2\x8c\x8a"), OPERATOR("\xe2\x8c\x8b")); return;
    case OP_LT:    write_infix(w, e, level, L_COMPARE, L_SUM, OPERATOR("&lt;"), L_SUM); return;
    case OP_LE:    write_infix(w, e, level, L_COMPARE, L_SUM, OPERATOR("\xe2\x89\xa4"), L_SUM); return;
    case OP_EQ:    write_infix(w, e, level, L_COMPARE, L_SUM, OPERATOR("="), L_SUM); return;
    case OP_AND:   write_infix(w, e, level, L_AND, L_AND, OPERATOR("\xe2\x88\xa7"), L_NOT); return;
    case OP_OR:    write_infix(w, e, level, L_OR, L_OR, OPERATOR("\xe2\x88\xa8"), L_AND); return;
    case OP_NOT:
      open_if(w, level > L_NOT);
      say(w, OPERATOR("\xc2\xac"));
      show(w, ex_arg(w->p, e, 0), L_ATOM, false);
      close_if(w, level > L_NOT);
      return;
    case OP_IF:    write_cases(w, e); return;
    default:
      say(w, function_name(op));
      write_arguments(w, e, w->open, w->close);
      return;
  }
}

void ex_print_mathml(Pool *p, Ex e, Text *out, ExNamer name, void *ctx) {
  Printer w = {.p = p, .out = out, .name = name, .ctx = ctx, .open = OPERATOR("("), .close = OPERATOR(")")};
  Ex plain = without_chains(p, e);
  double nodes = ex_tree_size(p, plain);
  if (nodes > SHOWN_NODES) {
    text_printf(out, "<mtext>(an expression of %.3g operations)</mtext>", nodes);
    return;
  }
  text_add(out, "<mrow>");
  print_run(&w, plain, write_node, write_number);
  text_add(out, "</mrow>");
}
