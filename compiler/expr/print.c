// Printing as on paper, in the notation of .nsm: what is written here reads back as the same expression.
//
// Minus signs and divisions are reconstructed (print_layout.c); parentheses stand only where binding needs them:
// if < or < and < not < comparison < sum < product < power < atom.
#include <math.h>
#include <string.h>
#include "print_layout.h"

static void write_number(Printer *w, double x) { text_number(w->out, x); }

static void write_num(Printer *w, double x, int level) {
  double num, den;
  as_ratio(fabs(x), &num, &den);
  if (den != 1 && log2(den) == floor(log2(den))) {          // alone, 0.25 reads better than 1/4
    num = fabs(x);
    den = 1;
  }
  bool minus = signbit(x) && !isnan(x), paren = (minus && level > L_SUM) || (den != 1 && level > L_PRODUCT);
  open_if(w, paren);
  if (minus) say(w, "-");
  show_number(w, isnan(x) ? x : num);
  if (den != 1) {
    say(w, "/");
    show_number(w, den);
  }
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

static void write_product(Printer *w, Ex e, int level, bool negate) {
  Layout l = layout_product(w->p, e, negate);
  bool paren = level > (l.minus ? L_SUM : L_PRODUCT);
  open_if(w, paren);
  if (l.minus) say(w, "-");
  bool first = true;
  if (l.p != 1 || l.f.n_above == 0) {
    show_number(w, l.p);
    if (l.enclose_above) say(w, "*(");
    first = l.enclose_above;
  }
  for (int i = 0; i < l.f.n_above; i++, first = false) {
    if (!first) say(w, "*");
    show(w, l.f.above[i], i == 0 && l.joins_first ? L_PRODUCT : L_POWER, l.flip == i);
  }
  bool q_last = l.split_below || (l.enclose_above && l.q != 1), q_inside = l.q != 1 && !q_last;
  int below = l.f.n_below + q_inside;
  if (below > 0) say(w, below > 1 ? "/(" : "/");
  if (q_inside) show_number(w, l.q);
  for (int i = 0; i < l.f.n_below; i++) {
    if (i > 0 || q_inside) say(w, "*");
    show(w, l.f.below[i], L_POWER, l.flip == l.f.n_above + i);
  }
  if (below > 1) say(w, ")");
  close_if(w, l.enclose_above);
  if (q_last) {
    say(w, "/");
    show_number(w, l.q);
  }
  close_if(w, paren);
}

// A negated power is one whose base, a sum, takes the minus.
static void write_power(Printer *w, Ex e, int level, bool negate) {
  open_if(w, level > L_POWER);
  show(w, ex_arg(w->p, e, 0), L_ATOM, negate);
  say(w, "^");
  show(w, ex_arg(w->p, e, 1), L_ATOM, false);
  close_if(w, level > L_POWER);
}

// Arithmetic as written reads back as such: the left operand may be of the same strength, the right one is stronger.
static void write_written(Printer *w, Ex e, int level) {
  WrittenLayout l = layout_written(w->p, e);
  switch (ex_operator(w->p, e)) {
    case OP_PLUS:  write_two(w, l, level, L_SUM, L_SUM, " + ", L_PRODUCT); return;
    case OP_MINUS: write_two(w, l, level, L_SUM, L_SUM, " - ", L_PRODUCT); return;
    case OP_TIMES: write_two(w, l, level, L_PRODUCT, L_PRODUCT, "*", L_POWER); return;
    case OP_OVER:  write_two(w, l, level, L_PRODUCT, L_PRODUCT, "/", L_POWER); return;
    case OP_RAISED: write_two(w, l, level, L_POWER, L_ATOM, "^", L_ATOM); return;
    default:
      open_if(w, level > L_SUM);
      say(w, "-");
      show(w, l.left, L_POWER, false);
      close_if(w, level > L_SUM);
  }
}

static void write_if(Printer *w, Ex e, int level) {
  open_if(w, level > L_IF);
  say(w, "if ");
  show(w, ex_arg(w->p, e, 0), L_OR, false);
  say(w, " then ");
  show(w, ex_arg(w->p, e, 1), L_OR, false);
  say(w, " else ");
  show(w, ex_arg(w->p, e, 2), L_IF, false);
  close_if(w, level > L_IF);
}

static void write_call(Printer *w, Ex e) {
  const char *notation = ex_op_notation(ex_operator(w->p, e));
  const char *paren = strchr(notation, '(');
  INVARIANT(paren);
  text_addn(w->out, notation, (size_t)(paren - notation));   // nothing is pending before it: `next` is empty
  say(w, "(");
  for (int i = 0; i < ex_nargs(w->p, e); i++) {
    if (i > 0) say(w, ", ");
    show(w, ex_arg(w->p, e, i), L_IF, false);
  }
  say(w, ")");
}

static void write_node(Printer *w, Ex e, int level, bool negate) {
  static const Arithmetic how = { write_num, write_product, write_sum, write_power, write_written };
  if (write_arithmetic(w, &how, &e, level, negate)) return;
  switch (ex_operator(w->p, e)) {
    case OP_SYM: text_add(w->out, w->name(ex_symbol(w->p, e), w->ctx)); return;
    case OP_LT:  write_infix(w, e, level, L_COMPARE, L_SUM, " < ", L_SUM); return;
    case OP_LE:  write_infix(w, e, level, L_COMPARE, L_SUM, " <= ", L_SUM); return;
    case OP_EQ:  write_infix(w, e, level, L_COMPARE, L_SUM, " == ", L_SUM); return;
    case OP_AND: write_infix(w, e, level, L_AND, L_AND, " and ", L_NOT); return;
    case OP_OR:  write_infix(w, e, level, L_OR, L_OR, " or ", L_AND); return;
    case OP_IF:  write_if(w, e, level); return;
    case OP_NOT: write_not(w, e, level, "not "); return;
    default: write_call(w, e); return;
  }
}

void ex_print(Pool *p, Ex e, Text *out, ExNamer name, void *ctx) {
  Printer w = {.p = p, .out = out, .name = name, .ctx = ctx, .open = "(", .close = ")"};
  print_run(&w, without_chains(p, e), write_node, write_number);
}

void ex_print_short(Pool *p, Ex e, Text *out, size_t most, ExNamer name, void *ctx) {
  Printer w = {.p = p, .out = out, .name = name, .ctx = ctx, .open = "(", .close = ")", .most = out->n + most};
  print_run(&w, without_chains(p, e), write_node, write_number);
}
