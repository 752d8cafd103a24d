// A small reader of the expression notation, written for the tests: what ex_print wrote must read back as the same
// node. Names are single letters or xNN. Precedence: if, or, and, not, comparison, sum, product, unary minus, power,
// atom.
#pragma once
#include <ctype.h>
#include "rig.h"

static const char *rd;                                   // what is left to read
static bool rd_written;                                  // arithmetic as written, in place of algebra

static Ex rd_two(Op written, Ex (*algebra)(Pool *p, Ex a, Ex b), Ex a, Ex b) {
  return rd_written ? ex_2(P, written, a, b) : algebra(P, a, b);
}

static Ex read_choice(void);

static void blanks(void) { while (*rd == ' ') rd++; }

static bool take(const char *word) {
  blanks();
  size_t n = strlen(word);
  if (strncmp(rd, word, n) != 0) return false;
  if (isalpha((unsigned char)word[0]) && isalnum((unsigned char)rd[n])) return false;
  rd += n;
  return true;
}

static void must(const char *word) {
  if (!take(word)) fail_msg("expected '%s' at '%.40s'", word, rd);
}

static const struct { const char *name; Op op; int arity;
} rd_functions[] = {
  { "sqrt", OP_SQRT, 1 }, { "exp", OP_EXP, 1 },     { "log", OP_LOG, 1 },   { "sin", OP_SIN, 1 },
  { "cos", OP_COS, 1 },   { "tan", OP_TAN, 1 },     { "asin", OP_ASIN, 1 }, { "acos", OP_ACOS, 1 },
  { "atan", OP_ATAN, 1 }, { "atan2", OP_ATAN2, 2 }, { "sinh", OP_SINH, 1 }, { "cosh", OP_COSH, 1 },
  { "tanh", OP_TANH, 1 }, { "abs", OP_ABS, 1 },     { "sign", OP_SIGN, 1 }, { "min", OP_MIN, 2 },
  { "sinc", OP_SINC, 2 }, { "sinhc", OP_SINHC, 2 }, { "max", OP_MAX, 2 },   { "floor", OP_FLOOR, 1 },
};

static Ex read_atom(void) {
  blanks();
  if (take("(")) {
    Ex e = read_choice();
    must(")");
    return e;
  }
  if (isdigit((unsigned char)*rd) || *rd == '.') {
    char *end;
    double x = strtod(rd, &end);
    rd = end;
    return num(x);
  }
  for (size_t i = 0; i < sizeof rd_functions/sizeof *rd_functions; i++)
    if (take(rd_functions[i].name)) {
      Ex a[2];
      must("(");
      for (int k = 0; k < rd_functions[i].arity; k++) {
        if (k) must(",");
        a[k] = read_choice();
      }
      must(")");
      return ex_op(P, rd_functions[i].op, a, rd_functions[i].arity);
    }
  if (!islower((unsigned char)*rd)) fail_msg("no expression at '%.40s'", rd);
  if (rd[0] == 'x' && isdigit((unsigned char)rd[1])) {
    char *end;
    long id = strtol(rd + 1, &end, 10);
    rd = end;
    return ex_sym(P, (int)id);
  }
  return sym(*rd++);
}

static Ex read_unary(void);

static Ex read_power(void) {
  Ex base = read_atom();
  return take("^") ? rd_two(OP_RAISED, ex_pow, base, read_unary()) : base;
}

static Ex read_unary(void) {
  if (!take("-")) return read_power();
  Ex e = read_unary();
  return rd_written ? ex_1(P, OP_OPPOSITE, e) : ex_neg(P, e);
 }

static Ex read_product(void) {
  Ex e = read_unary();
  for (;;)
    if (take("*")) e = rd_two(OP_TIMES, ex_mul, e, read_unary());
    else if (take("/")) e = rd_two(OP_OVER, ex_div, e, read_unary());
    else return e;
}

static Ex read_sum(void) {
  Ex e = read_product();
  for (;;)
    if (take("+")) e = rd_two(OP_PLUS, ex_add, e, read_product());
    else if (take("-")) e = rd_two(OP_MINUS, ex_sub, e, read_product());
    else return e;
}

static Ex read_compare(void) {
  Ex e = read_sum();
  if (take("<=")) return ex_2(P, OP_LE, e, read_sum());
  if (take("<")) return ex_2(P, OP_LT, e, read_sum());
  if (take("==")) return ex_2(P, OP_EQ, e, read_sum());
  return e;
}

static Ex read_not(void) { return take("not") ? ex_1(P, OP_NOT, read_not()) : read_compare(); }

static Ex read_and(void) {
  Ex e = read_not();
  while (take("and")) e = ex_2(P, OP_AND, e, read_not());
  return e;
}

static Ex read_or(void) {
  Ex e = read_and();
  while (take("or")) e = ex_2(P, OP_OR, e, read_and());
  return e;
}

static Ex read_choice(void) {
  if (!take("if")) return read_or();
  Ex c = read_choice();
  must("then");
  Ex a = read_choice();
  must("else");
  return ex_if(P, c, a, read_choice());
}

__attribute__((unused)) static Ex read_text(const char *text) {
  rd = text;
  Ex e = read_choice();
  blanks();
  if (*rd) fail_msg("left over: '%.40s' of '%s'", rd, text);
  return e;
}
