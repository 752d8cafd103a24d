// MathML (presentation, as browsers show it without a library). Every argument of a fraction or power is one
// <mrow>.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "typeset.h"

enum { SHOWN_NODES = 400 };                               // more than a reader looks at: a word takes its place

#define OPERATOR(c) "<mo>" c "</mo>"
#define BESIDE "<mspace width='0.17em'/>"
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

static const Notation mathml = {
  .open = OPERATOR("("), .close = OPERATOR(")"), .row = "<mrow>", .row_end = "</mrow>",
  .minus = MINUS, .between_minus = MINUS, .plus = OPERATOR("+"), .beside = BESIDE, .comma = OPERATOR(","),
  .fraction = "<mfrac>", .over = "", .fraction_end = "</mfrac>",
  .power = "<msup>", .exponent = "<mrow>", .exponent_end = "</mrow></msup>",
  .root = "<msqrt>", .root_end = "</msqrt>", .abs = OPERATOR("|"), .abs_end = OPERATOR("|"),
  .floor = OPERATOR("\xe2\x8c\x8a"), .floor_end = OPERATOR("\xe2\x8c\x8b"),
  .less = OPERATOR("&lt;"), .at_most = OPERATOR("\xe2\x89\xa4"), .equal = OPERATOR("="),
  .both = OPERATOR("\xe2\x88\xa7"), .either = OPERATOR("\xe2\x88\xa8"), .no = OPERATOR("\xc2\xac"),
  .cases = "<mrow>" OPERATOR("{") "<mtable columnalign='left'>", .case_ = "<mtr><mtd>",
  .when = "</mtd><mtd><mtext>if&#160;</mtext>", .case_end = "</mtd></mtr>",
  .otherwise = "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>",
  .function = function_name, .number = write_number
};

void ex_print_mathml(Pool *p, Ex e, Text *out, ExNamer name, void *ctx) {
  Printer w = {.p = p, .out = out, .name = name, .ctx = ctx};
  Ex plain = without_chains(p, e);
  double nodes = ex_tree_size(p, plain);
  if (nodes > SHOWN_NODES) {
    text_printf(out, "<mtext>(an expression of %.3g operations)</mtext>", nodes);
    return;
  }
  text_add(out, "<mrow>");
  typeset(&w, &mathml, plain);
  text_add(out, "</mrow>");
}
