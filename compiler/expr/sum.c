// Sums: flattened, like terms collected, sorted.
//
// A canonical sum is ADD(t1, ..., tn, [number]): n-ary, no ADD inside (up to FLATTEN_LIMIT), terms in ascending order
// of what stands behind their numeric coefficient, no two terms alike, the number last and never 0. A coefficient is
// the first argument of a MUL. See docs/numerics/algebra.md, section 2.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "pool_impl.h"

enum {
  FLATTEN_LIMIT = 8192,  // a longer sum is taken up as one term: building n terms one by one stays affordable
  FEW = 24               // room for so many is on the stack: most sums are short, and very many are made
};

// --- numeric coefficients ---

Ex split_coefficient(Pool *p, Ex e, double *c) {
  const Node *q = node_of(p, e);
  const Ex *a = args_of(p, e);
  *c = 1;
  if (ex_is_written(p, e)) {
    Ex free = written_in_algebra(p, e);
    return free == e ? e : split_coefficient(p, free, c);
  }
  if (q->op != OP_MUL || node_of(p, a[0])->op != OP_NUM) return e;
  *c = node_of(p, a[0])->value;
  return q->n_args == 2 ? a[1] : node_make(p, OP_MUL, a + 1, q->n_args - 1);
}

Ex with_coefficient(Pool *p, double c, Ex rest) {
  if (c == 1) return rest;
  const Node *q = node_of(p, rest);
  if (q->op == OP_NUM) return ex_num(p, c*q->value);
  const Ex *more = q->op == OP_MUL ? args_of(p, rest) : &rest;
  int n = q->op == OP_MUL ? q->n_args : 1;
  Ex few[FEW + 1], *v = n <= FEW ? few : memory_for(sizeof *v*((size_t)n + 1));
  v[0] = ex_num(p, c);
  memcpy(v + 1, more, sizeof *v*(size_t)n);
  Ex e = node_make(p, OP_MUL, v, n + 1);
  if (v != few) free(v);
  return e;
}

// --- the sum ---

typedef struct Sum { Part *at; size_t n; double number; } Sum;

static void push_term(Pool *p, Sum *v, Ex e) {
  const Node *q = node_of(p, e);
  if (q->op == OP_NUM) {
    v->number += q->value;
  } else {
    double c;
    Ex rest = split_coefficient(p, e, &c);
    v->at[v->n++] = (Part){rest, c};
  }
}

static int term_order(const Pool *p, Part a, Part b) { return ex_compare(p, a.e, b.e); }

Ex build_sum(Pool *p, const Ex *args, int n) {
  Part few[FEW];
  Ex few_args[FEW], few_out[FEW + 1], *arg = n <= FEW ? few_args : memory_for(sizeof *arg*(size_t)n);
  size_t most = 0;
  for (int i = 0; i < n; i++) {
    arg[i] = written_in_algebra(p, args[i]);
    bool opens = node_of(p, arg[i])->op == OP_ADD && node_of(p, arg[i])->n_args <= FLATTEN_LIMIT;
    most += opens ? (size_t)node_of(p, arg[i])->n_args : 1;
  }
  Sum v = {most <= FEW ? few : memory_for(sizeof *v.at*most), 0, 0};
  for (int i = 0; i < n; i++) {
    const Ex *inner = args_of(p, arg[i]);
    int m = node_of(p, arg[i])->n_args;
    if (node_of(p, arg[i])->op == OP_ADD && m <= FLATTEN_LIMIT)
      for (int j = 0; j < m; j++) push_term(p, &v, inner[j]);
    else
      push_term(p, &v, arg[i]);
  }
  parts_sort(p, v.at, v.n, term_order);

  Ex *out = most <= FEW ? few_out : memory_for(sizeof *out*(most + 1));
  int terms = 0;
  bool again = false;
  for (size_t i = 0; i < v.n;) {
    double c = v.at[i].k;
    size_t j = i + 1;
    // a*t + b*t = (a + b)*t, unless a + b overflows where a*t + b*t need not
    while (j < v.n && v.at[j].e == v.at[i].e && (isfinite(c + v.at[j].k) || !isfinite(c))) c += v.at[j++].k;
    if (c != 0) out[terms++] = with_coefficient(p, c, v.at[i].e);
    again = again || (c == 1 && node_of(p, v.at[i].e)->op == OP_ADD && node_of(p, v.at[i].e)->n_args <= FLATTEN_LIMIT);
    i = j;
  }
  if (v.number != 0 || terms == 0) out[terms++] = ex_num(p, v.number);
  Ex e = terms == 1 ? out[0]
       : again      ? build_sum(p, out, terms)     // a sum had hidden behind a coefficient that is now 1
                    : node_make(p, OP_ADD, out, terms);
  if (arg != few_args) free(arg);
  if (v.at != few) free(v.at);
  if (out != few_out) free(out);
  return e;
}

// --- a number times a sum ---

// c*(t1 + ... + tn)/divisor = (c/divisor)*t1 + ...; EX_NONE when a coefficient would overflow or vanish.
Ex scale_sum(Pool *p, Ex sum, double c, double divisor) {
  const Ex *a = args_of(p, sum);
  int n = node_of(p, sum)->n_args;
  Ex few[FEW], *out = n <= FEW ? few : memory_for(sizeof *out*(size_t)n);
  bool fits = true, nested = false;
  for (int i = 0; i < n && fits; i++) {
    double own = 1;
    bool number = node_of(p, a[i])->op == OP_NUM;
    Ex rest = number ? a[i] : split_coefficient(p, a[i], &own);
    if (number) own = node_of(p, a[i])->value;
    double scaled = own*c/divisor;
    fits = scaled != 0 && (isfinite(scaled) || !isfinite(own));
    nested = nested || (scaled == 1 && node_of(p, rest)->op == OP_ADD);
    out[i] = number ? ex_num(p, scaled) : with_coefficient(p, scaled, rest);
  }
  Ex e = !fits ? EX_NONE : nested ? build_sum(p, out, n) : node_make(p, OP_ADD, out, n);
  if (out != few) free(out);
  return e;
}

// The number that is taken out of a sum standing as a factor or under an integer power, so that m*(a - b) + m*(b - a)
// and m*(2*a + 2*b) - 2*m*(a + b) vanish: the common magnitude of all coefficients, or their greatest common divisor
// when all are integers, else 1 (taking it out must be exact); with the sign of the last term that is not a number.
double sum_content(Pool *p, Ex sum) {
  const Ex *a = args_of(p, sum);
  double gcd = 0, magnitude = -1, sign = 1;
  bool equal = true, integers = true;
  for (int i = 0, n = node_of(p, sum)->n_args; i < n; i++) {
    const Node *q = node_of(p, a[i]);
    double c = 1;
    if (q->op == OP_NUM) {
      c = q->value;
    } else {
      if (q->op == OP_MUL && node_of(p, args_of(p, a[i])[0])->op == OP_NUM) c = node_of(p, args_of(p, a[i])[0])->value;
      sign = c < 0 ? -1 : 1;
    }
    if (!isfinite(c)) return 1;
    double x = fabs(c);
    if (magnitude < 0) magnitude = x;
    equal = equal && x == magnitude;
    integers = integers && x == floor(x) && x < 0x1p53;
    if (integers)
      for (double y = x; y != 0;) {                // Euclid
        double r = fmod(gcd, y);
        gcd = y;
        y = r;
      }
  }
  return sign*(equal ? magnitude : integers ? gcd : 1);
}
