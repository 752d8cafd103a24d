// Expressions in two dimensions: fractions, roots, cases. The same arrangement as print.c. What the pieces are written
// with is the notation's (typeset.h).
#include <math.h>
#include "typeset.h"

static const Notation *in(const Printer *w) { return w->notation; }

static void write_num(Printer *w, double x, int level) {
  double num, den;
  as_ratio(fabs(x), &num, &den);
  bool minus = signbit(x) && !isnan(x), paren = (minus && level > L_SUM) || (den != 1 && level > L_PRODUCT);
  open_if(w, paren);
  if (minus) say(w, in(w)->minus);
  if (den != 1) say(w, in(w)->fraction);
  show_number(w, isnan(x) ? x : num);
  if (den != 1) {
    say(w, in(w)->over);
    show_number(w, den);
    say(w, in(w)->fraction_end);
  }
  close_if(w, paren);
}

static void write_sum(Printer *w, Ex e, int level, bool negate) {
  PartVec terms = {0};
  layout_sum(w->p, e, negate, &terms);
  open_if(w, level > L_SUM);
  for (size_t i = 0; i < terms.n; i++) {
    bool minus = terms.at[i].k < 0;
    if (i > 0) say(w, minus ? in(w)->between_minus : in(w)->plus);
    else if (minus) say(w, in(w)->minus);
    bool joins = i == 0 && !minus && is_sum_as_written(w->p, terms.at[i].e);
    show(w, terms.at[i].e, joins ? L_SUM : L_PRODUCT, negate != minus);
  }
  close_if(w, level > L_SUM);
  vec_free(&terms);
}

// Factors side by side; a lone factor inside of a fraction needs no parentheses.
static void write_factors(Printer *w, double number, const Ex *f, int n, int flip, bool enclosed, bool joins_first) {
  bool alone = enclosed && number == 1 && n == 1, first = true;
  say(w, in(w)->row);
  if (number != 1 || n == 0) {
    show_number(w, number);
    first = false;
  }
  for (int i = 0; i < n; i++, first = false) {
    if (!first) say(w, in(w)->beside);
    show(w, f[i], alone ? L_SUM : i == 0 && joins_first ? L_PRODUCT : L_POWER, flip == i);
  }
  say(w, in(w)->row_end);
}

static void write_product(Printer *w, Ex e, int level, bool negate) {
  Layout l = layout_product(w->p, e, negate);
  bool fraction = l.f.n_below > 0 || l.q != 1;
  bool paren = level > (l.minus ? L_SUM : L_PRODUCT);
  open_if(w, paren);
  if (l.minus) say(w, in(w)->minus);
  if (fraction) say(w, in(w)->fraction);
  write_factors(w, l.p, l.f.above, l.f.n_above, l.flip, fraction, l.joins_first);
  if (fraction) {
    say(w, in(w)->over);
    write_factors(w, l.q, l.f.below, l.f.n_below, l.flip - l.f.n_above, true, true);
    say(w, in(w)->fraction_end);
  }
  close_if(w, paren);
}

static void write_row(Printer *w, Ex e, int level, bool negate) {
  say(w, in(w)->row);
  show(w, e, level, negate);
  say(w, in(w)->row_end);
}

static void write_arguments(Printer *w, Ex e, const char *open, const char *close) {
  say(w, in(w)->row);
  say(w, open);
  for (int i = 0; i < ex_nargs(w->p, e); i++) {
    if (i > 0) say(w, in(w)->comma);
    show(w, ex_arg(w->p, e, i), L_IF, false);
  }
  say(w, close);
  say(w, in(w)->row_end);
}

static void write_exponent(Printer *w, Ex e) {
  say(w, in(w)->exponent);
  show(w, e, L_IF, false);
  say(w, in(w)->exponent_end);
}

// sin^2(x), u^n; a negated power is one whose base, a sum, takes the minus.
static void write_power(Printer *w, Ex e, int level, bool negate) {
  Ex base = ex_arg(w->p, e, 0), n = ex_arg(w->p, e, 1);
  const char *f = in(w)->function(ex_operator(w->p, base));
  open_if(w, level > L_POWER);
  say(w, in(w)->power);
  if (f) say(w, f);
  else write_row(w, base, L_ATOM, negate);
  write_exponent(w, n);
  if (f) write_arguments(w, base, w->open, w->close);
  close_if(w, level > L_POWER);
}

static void write_written(Printer *w, Ex e, int level) {
  WrittenLayout l = layout_written(w->p, e);
  switch (ex_operator(w->p, e)) {
    case OP_PLUS:  write_two(w, l, level, L_SUM, L_SUM, in(w)->plus, L_PRODUCT); return;
    case OP_MINUS: write_two(w, l, level, L_SUM, L_SUM, in(w)->between_minus, L_PRODUCT); return;
    case OP_TIMES: write_two(w, l, level, L_PRODUCT, L_PRODUCT, in(w)->beside, L_POWER); return;
    case OP_OVER:
      say(w, in(w)->fraction);
      write_row(w, l.left, L_SUM, false);
      say(w, in(w)->over);
      write_row(w, l.right, L_SUM, false);
      say(w, in(w)->fraction_end);
      return;
    case OP_RAISED:
      open_if(w, level > L_POWER);
      say(w, in(w)->power);
      write_row(w, l.left, L_ATOM, false);
      write_exponent(w, l.right);
      close_if(w, level > L_POWER);
      return;
    default:
      open_if(w, level > L_SUM);
      say(w, in(w)->minus);
      show(w, l.left, L_POWER, false);
      close_if(w, level > L_SUM);
  }
}

// A chain of if and else is one list of cases.
static void write_cases(Printer *w, Ex e) {
  say(w, in(w)->cases);
  while (ex_operator(w->p, e) == OP_IF) {
    say(w, in(w)->case_);
    show(w, ex_arg(w->p, e, 1), L_OR, false);
    say(w, in(w)->when);
    show(w, ex_arg(w->p, e, 0), L_OR, false);
    say(w, in(w)->case_end);
    e = ex_arg(w->p, e, 2);
  }
  say(w, in(w)->case_);
  show(w, e, L_OR, false);
  say(w, in(w)->otherwise);
}

static void write_node(Printer *w, Ex e, int level, bool negate) {
  static const Arithmetic how = { write_num, write_product, write_sum, write_power, write_written };
  if (write_arithmetic(w, &how, &e, level, negate)) return;
  switch (ex_operator(w->p, e)) {
    case OP_SYM:   text_add(w->out, w->name(ex_symbol(w->p, e), w->ctx)); return;
    case OP_SQRT:
      say(w, in(w)->root);
      show(w, ex_arg(w->p, e, 0), L_IF, false);
      say(w, in(w)->root_end);
      return;
    case OP_ABS:   write_arguments(w, e, in(w)->abs, in(w)->abs_end); return;
    case OP_FLOOR: write_arguments(w, e, in(w)->floor, in(w)->floor_end); return;
    case OP_LT:    write_infix(w, e, level, L_COMPARE, L_SUM, in(w)->less, L_SUM); return;
    case OP_LE:    write_infix(w, e, level, L_COMPARE, L_SUM, in(w)->at_most, L_SUM); return;
    case OP_EQ:    write_infix(w, e, level, L_COMPARE, L_SUM, in(w)->equal, L_SUM); return;
    case OP_AND:   write_infix(w, e, level, L_AND, L_AND, in(w)->both, L_NOT); return;
    case OP_OR:    write_infix(w, e, level, L_OR, L_OR, in(w)->either, L_AND); return;
    case OP_NOT:   write_not(w, e, level, in(w)->no); return;
    case OP_IF:    write_cases(w, e); return;
    default:
      say(w, in(w)->function(ex_operator(w->p, e)));
      write_arguments(w, e, w->open, w->close);
      return;
  }
}

void typeset(Printer *w, const Notation *n, Ex e) {
  w->notation = n;
  w->open = n->open;
  w->close = n->close;
  print_run(w, e, write_node, n->number);
}
