// LaTeX (math mode, needs amsmath for cases).
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "typeset.h"

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

static const Notation latex = {
  .open = "\\left(", .close = "\\right)", .row = "", .row_end = "",
  .minus = "-", .between_minus = " - ", .plus = " + ", .beside = " \\, ", .comma = ", ",
  .fraction = "\\frac{", .over = "}{", .fraction_end = "}",
  .power = "", .exponent = "^{", .exponent_end = "}",
  .root = "\\sqrt{", .root_end = "}", .abs = "\\left|", .abs_end = "\\right|",
  .floor = "\\left\\lfloor ", .floor_end = "\\right\\rfloor ",
  .less = " < ", .at_most = " \\le ", .equal = " = ", .both = " \\wedge ", .either = " \\vee ", .no = "\\neg ",
  .cases = "\\begin{cases} ", .case_ = "", .when = " & \\text{if } ", .case_end = " \\\\ ",
  .otherwise = " & \\text{otherwise} \\end{cases}",
  .function = function_name, .number = write_number
};

void ex_print_latex(Pool *p, Ex e, Text *out, ExNamer name, void *ctx) {
  Printer w = {.p = p, .out = out, .name = name, .ctx = ctx};
  typeset(&w, &latex, without_chains(p, e));
}
