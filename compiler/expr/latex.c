// LaTeX (math mode, needs amsmath for cases). The same arrangement as print.c, in two dimensions: fractions, roots,
// cases.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "print_layout.h"

enum { L_CASES, L_OR, L_AND, L_NOT, L_COMPARE, L_SUM, L_PRODUCT, L_POWER, L_ATOM };

// 1.5e-9 -> 1.5 \cdot 10^{-9}
static void write_number(Printer *w, double x) {
  Text t = {0};
  text_number(&t, x);
  const char *s = text_str(&t), *e = strchr(s, 'e');
  if (isnan(x)) {
    text_add(w->out, "\\mathrm{nan}");
  } else if (isinf(x)) {
    text_add(w->out, x < 0 ? "-\\infty" : "\\infty");
  } else if (e) {
    text_addn(w->out, s, (size_t)(e - s));
    text_printf(w->out, " \\cdot 10^{%d}", (int)strtol(e + 1, NULL, 10));
  } else {
    text_add(w->out, s);
  }
  text_free(&t);
}

static void write_ratio(Printer *w, double num, double den) {
  if (den != 1) say(w, "\\frac{");
  show_number(w, num);
  if (den != 1) {
    say(w, "}{");
    show_number(w, den);
    say(w, "}");
  }
}

static void write_num(Printer *w, double x, int level) {
  double num, den;
  as_ratio(fabs(x), &num, &den);
  bool minus = signbit(x) && !isnan(x), paren = (minus && level > L_SUM) || (den != 1 && level > L_PRODUCT);
  open_if(w, paren);
  if (minus) say(w, "-");
  write_ratio(w, isnan(x) ? x : num, den);
  close_if(w, paren);
}

static void write_sum(Printer *w, Ex e, int level, bool negate) {
  PartVec terms = {0};
  layout_sum(w->p, e, negate, &terms);
  open_if(w, level > L_SUM);
  for (size_t i = 0; i < terms.n; i++) {
    bool minus = terms.at[i].k < 0;
    if (i > 0) say(w, minus ? " - " : " + ");
    else if (minus) say(w, "-");
    bool joins = i == 0 && !minus && is_sum_as_written(w->p, terms.at[i].e);
    show(w, terms.at[i].e, joins ? L_SUM : L_PRODUCT, negate != minus);
  }
  close_if(w, level > L_SUM);
  vec_free(&terms);
}

// Factors side by side; a lone factor inside \frac{}{} needs no parentheses.
static void write_factors(Printer *w, double number, const Ex *f, int n, int flip, bool enclosed, bool joins_first) {
  bool alone = enclosed && number == 1 && n == 1, first = true;
  if (number != 1 || n == 0) {
    show_number(w, number);
    first = false;
  }
  for (int i = 0; i < n; i++, first = false) {
    if (!first) say(w, " \\, ");
    show(w, f[i], alone ? L_SUM : i == 0 && joins_first ? L_PRODUCT : L_POWER, flip == i);
  }
}

static void write_product(Printer *w, Ex e, int level, bool negate) {
  Layout l = layout_product(w->p, e, negate);
  bool fraction = l.f.n_below > 0 || l.q != 1;
  bool paren = level > (l.minus ? L_SUM : L_PRODUCT);
  open_if(w, paren);
  if (l.minus) say(w, "-");
  if (fraction) say(w, "\\frac{");
  write_factors(w, l.p, l.f.above, l.f.n_above, l.flip, fraction, l.joins_first);
  if (fraction) {
    say(w, "}{");
    write_factors(w, l.q, l.f.below, l.f.n_below, l.flip - l.f.n_above, true, true);
    say(w, "}");
  }
  close_if(w, paren);
}

static const char *function_name(Op op) {
  switch (op) {
    case OP_EXP:   return "\\exp";
    case OP_LOG:   return "\\log";
    case OP_SIN:   return "\\sin";
    case OP_COS:   return "\\cos";
    case OP_TAN:   return "\\tan";
    case OP_ASIN:  return "\\arcsin";
    case OP_ACOS:  return "\\arccos";
    case OP_ATAN:  return "\\arctan";
    case OP_ATAN2: return "\\operatorname{atan2}";
    case OP_TURNED: return "\\operatorname{turned}";
    case OP_SINH:  return "\\sinh";
    case OP_COSH:  return "\\cosh";
    case OP_TANH:  return "\\tanh";
    case OP_SINC:  return "\\operatorname{sinc}";
    case OP_SINHC: return "\\operatorname{sinhc}";
    case OP_TABLE: return "\\operatorname{table}";
    case OP_POWD:  return "\\operatorname{powd}";
    case OP_SIGN:  return "\\operatorname{sign}";
    case OP_MIN:   return "\\min";
    case OP_MAX:   return "\\max";
    default:       return NULL;
  }
}

static void write_arguments(Printer *w, Ex e, const char *open, const char *close) {
  say(w, open);
  for (int i = 0; i < ex_nargs(w->p, e); i++) {
    if (i > 0) say(w, ", ");
    show(w, ex_arg(w->p, e, i), L_CASES, false);
  }
  say(w, close);
}

// \sin^{2}\left(x\right), u^{n}; a negated power is one whose base, a sum, takes the minus.
static void write_power(Printer *w, Ex e, int level, bool negate) {
  Ex base = ex_arg(w->p, e, 0), n = ex_arg(w->p, e, 1);
  const char *f = function_name(ex_operator(w->p, base));
  open_if(w, level > L_POWER);
  if (f) {
    say(w, f);
    say(w, "^{");
    show(w, n, L_CASES, false);
    say(w, "}");
    write_arguments(w, base, "\\left(", "\\right)");
  } else {
    show(w, base, L_ATOM, negate);
    say(w, "^{");
    show(w, n, L_CASES, false);
    say(w, "}");
  }
  close_if(w, level > L_POWER);
}

static void write_written(Printer *w, Ex e, int level) {
  WrittenLayout l = layout_written(w->p, e);
  switch (ex_operator(w->p, e)) {
    case OP_PLUS:  write_two(w, l, level, L_SUM, L_SUM, " + ", L_PRODUCT); return;
    case OP_MINUS: write_two(w, l, level, L_SUM, L_SUM, " - ", L_PRODUCT); return;
    case OP_TIMES: write_two(w, l, level, L_PRODUCT, L_PRODUCT, " \\, ", L_POWER); return;
    case OP_OVER:
      say(w, "\\frac{");
      show(w, l.left, L_SUM, false);
      say(w, "}{");
      show(w, l.right, L_SUM, false);
      say(w, "}");
      return;
    case OP_RAISED:
      open_if(w, level > L_POWER);
      show(w, l.left, L_ATOM, false);
      say(w, "^{");
      show(w, l.right, L_CASES, false);
      say(w, "}");
      close_if(w, level > L_POWER);
      return;
    default:
      open_if(w, level > L_SUM);
      say(w, "-");
      show(w, l.left, L_POWER, false);
      close_if(w, level > L_SUM);
  }
}

// if-else chains become one cases environment
static void write_cases(Printer *w, Ex e) {
  say(w, "\\begin{cases} ");
  while (ex_operator(w->p, e) == OP_IF) {
    show(w, ex_arg(w->p, e, 1), L_OR, false);
    say(w, " & \\text{if } ");
    show(w, ex_arg(w->p, e, 0), L_OR, false);
    say(w, " \\\\ ");
    e = ex_arg(w->p, e, 2);
  }
  show(w, e, L_OR, false);
  say(w, " & \\text{otherwise} \\end{cases}");
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
    case OP_SQRT:  write_arguments(w, e, "\\sqrt{", "}"); return;
    case OP_ABS:   write_arguments(w, e, "\\left|", "\\right|"); return;
    case OP_FLOOR: write_arguments(w, e, "\\left\\lfloor ", "\\right\\rfloor "); return;
    case OP_LT:    write_infix(w, e, level, L_COMPARE, L_SUM, " < ", L_SUM); return;
    case OP_LE:    write_infix(w, e, level, L_COMPARE, L_SUM, " \\le ", L_SUM); return;
    case OP_EQ:    write_infix(w, e, level, L_COMPARE, L_SUM, " = ", L_SUM); return;
    case OP_AND:   write_infix(w, e, level, L_AND, L_AND, " \\wedge ", L_NOT); return;
    case OP_OR:    write_infix(w, e, level, L_OR, L_OR, " \\vee ", L_AND); return;
    case OP_NOT:
      open_if(w, level > L_NOT);
      say(w, "\\neg ");
      show(w, ex_arg(w->p, e, 0), L_ATOM, false);
      close_if(w, level > L_NOT);
      return;
    case OP_IF:    write_cases(w, e); return;
    default:
      say(w, function_name(op));
      write_arguments(w, e, "\\left(", "\\right)");
      return;
  }
}

void ex_print_latex(Pool *p, Ex e, Text *out, ExNamer name, void *ctx) {
  Printer w = {.p = p, .out = out, .name = name, .ctx = ctx, .open = "\\left(", .close = "\\right)"};
  print_run(&w, without_chains(p, e), write_node, write_number);
}
