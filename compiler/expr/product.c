// Products and powers: flattened, like factors collected, sorted.
//
// A canonical product is MUL([number], f1, ..., fn): n-ary, no MUL inside (up to FLATTEN_LIMIT), the number first and
// never 0 or 1. A factor is a base or POW(base, integer); a/b is a*POW(b, -1). Exponents of equal bases are added only
// when they have the same sign: x*x -> x^2, but x*x^(-1) stays, because it has no value at 0. A number times a single
// sum is distributed; a sum among other factors is kept, with its numeric content taken out. See
// docs/numerics/algebra.md, section 3.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "pool_impl.h"

enum {
  FLATTEN_LIMIT  = 128,  // a longer product is taken up as one factor: building n factors one by one stays affordable
  EXPONENT_LIMIT = 1 << 20,  // larger exponents are not integers to us
  SPLIT_LIMIT    = 16        // (a*b)^n = a^n*b^n up to this |n|: beyond, a^n could overflow where (a*b)^n does not
};

bool is_integer(const Pool *p, Ex e, long *k) {
  const Node *q = node_of(p, e);
  if (q->op != OP_NUM || !(fabs(q->value) <= EXPONENT_LIMIT) || q->value != floor(q->value)) return false;
  *k = (long)q->value;
  return true;
}

// x^k by repeated squaring for small |k|; 1/x^|k| for negative k.
double integer_power(double x, long k) {
  unsigned long n = k < 0 ? 0ul - (unsigned long)k : (unsigned long)k;
  if (n > 64) return pow(x, (double)k);
  double r = 1;
  for (double s = x; n; n >>= 1, s *= s)
    if (n & 1) r *= s;
  return k < 0 ? 1/r : r;
}

// --- collecting ---

enum { FEW = 24 };           // room for so many is on the stack: most products are short, and very many are made

typedef struct Product {
  Pool  *p;
  double number, divisor;    // the numeric coefficient is number/divisor: one rounding
  Part  *factor, few[FEW];   // base, integer exponent
  size_t n, cap;
} Product;

static void product_open(Product *t, Pool *p, double divisor) {
  t->p = p;
  t->number = 1;
  t->divisor = divisor;
  t->factor = t->few;
  t->n = 0;
  t->cap = FEW;
}

static void push_part(Product *t, Ex base, double k) {
  if (t->n == t->cap) {
    Part *wider = memory_for(sizeof *wider*2*t->cap);
    memcpy(wider, t->factor, sizeof *wider*t->n);
    if (t->factor != t->few) free(t->factor);
    t->factor = wider;
    t->cap *= 2;
  }
  t->factor[t->n++] = (Part){base, k};
}

// Multiplies *into by x; false (and nothing done) when that would leave the normal range though both are in it.
static bool absorb(double *into, double x) {
  double r = *into*x;
  if (isnormal(*into) && isnormal(x) && !isnormal(r)) return false;
  *into = r;
  return true;
}

static void push_power(Product *t, Ex base, long k) {
  Pool *p = t->p;
  const Node *q = node_of(p, base);
  if (q->op == OP_ADD) {                           // (c*s)^k = c^k * s^k
    double c = sum_content(p, base);
    double ck = integer_power(c, k < 0 ? -k : k);
    bool split = labs(k) <= SPLIT_LIMIT || fabs(c) == 1;
    Ex primitive = c == 1 || !split || !isnormal(ck) ? EX_NONE : scale_sum(p, base, 1, c);
    if (primitive && absorb(k < 0 ? &t->divisor : &t->number, ck)) base = primitive;
  }
  push_part(t, base, (double)k);
}

static void push_factor(Product *t, Ex e) {
  Pool *p = t->p;
  const Node *q = node_of(p, e);
  double c;
  long k;
  if (ex_is_written(p, e)) {                       // an atom with a coefficient
    Ex rest = written_coefficient(p, e, &c);
    if (rest == e || !absorb(&t->number, c)) push_part(t, e, 1);
    else push_factor(t, rest);
  } else if (q->op == OP_MUL && q->n_args <= FLATTEN_LIMIT) {
    const Ex *inner = args_of(p, e);
    for (int i = 0, n = q->n_args; i < n; i++) push_factor(t, inner[i]);
  } else if (q->op == OP_MUL) {                    // a very long product: its coefficient, and the rest as one factor
    Ex rest = split_coefficient(p, e, &c);
    push_factor(t, ex_num(p, c));
    push_part(t, rest, 1);
  } else if (q->op == OP_NUM) {
    if (!absorb(&t->number, q->value)) {           // keep the number apart, its sign in front
      if (q->value < 0) t->number = -t->number;
      push_part(t, ex_num(p, fabs(q->value)), 1);
    }
  } else if (q->op == OP_POW && is_integer(p, args_of(p, e)[1], &k)) {
    push_power(t, args_of(p, e)[0], k);
  } else {
    push_power(t, e, 1);
  }
}

// Symbols and constants as written, functions, sums, numbers left over.
static int kind_of_base(const Pool *p, Ex base) {
  if (ex_is_written(p, base)) return 0;
  switch ((Op)node_of(p, base)->op) {
    case OP_SYM: return 0;
    case OP_ADD: return 2;
    case OP_NUM: return 3;
    default:     return 1;
  }
}

static int factor_order(const Pool *p, Part a, Part b) {
  int x = kind_of_base(p, a.e), y = kind_of_base(p, b.e);
  if (x != y) return x < y ? -1 : 1;
  if (a.e != b.e) return ex_compare(p, a.e, b.e);
  return (a.k < 0) - (b.k < 0);
}

// May (c*f*g)^k be written c^k*f^k*g^k? *ck is c^|k|.
static bool splits(const Pool *p, Ex base, long k, double *ck) {
  const Node *q = node_of(p, base);
  if (q->op != OP_MUL || q->n_args > FLATTEN_LIMIT || labs(k) > SPLIT_LIMIT) return false;
  const Node *first = node_of(p, args_of(p, base)[0]);
  double c = first->op == OP_NUM ? first->value : 1;
  *ck = integer_power(c, labs(k));
  return isnormal(*ck) || !isnormal(c);
}

// base^k with the rules that need the exponent: sqrt(u)^(2j) = u^j where u >= 0, |u|^(2j) = u^(2j), (a*b)^k for small
// k.
static Ex power_rule(Pool *p, Ex base, long k) {
  const Node *q = node_of(p, base);
  double ck;
  if (k != 1 && splits(p, base, k, &ck)) return ex_pow(p, base, ex_num(p, (double)k));
  if (k % 2 != 0) return EX_NONE;
  if (q->op == OP_ABS) return ex_pow(p, args_of(p, base)[0], ex_num(p, (double)k));
  if (q->op == OP_SQRT && node_of(p, args_of(p, base)[0])->never_negative)
    return ex_pow(p, args_of(p, base)[0], ex_num(p, (double)(k/2)));
  return EX_NONE;
}

// u^r for a factor that is a root or a power of u with an exponent that is not whole; EX_NONE for others.
static Ex real_power(const Pool *p, Ex e, double *r) {
  const Node *q = node_of(p, e);
  long k;
  *r = 0.5;
  if (q->op == OP_SQRT) return args_of(p, e)[0];
  if (q->op != OP_POW || node_of(p, args_of(p, e)[1])->op != OP_NUM) return EX_NONE;
  *r = node_of(p, args_of(p, e)[1])->value;
  return is_integer(p, args_of(p, e)[1], &k) ? EX_NONE : args_of(p, e)[0];
}

// u*sqrt(u) -> u^1.5, sqrt(u)^5 -> u^2.5, 1/(u*sqrt(u)) -> 1/u^1.5: exponents of one base are added, if they have one
// sign. The same values, where the sum is not whole or u is nowhere negative: sqrt(u)*sqrt(u) has none for u < 0, u
// has.
static void join_real_powers(Product *t) {
  Pool *p = t->p;
  for (size_t i = 0, n = t->n; i < n; i++) {
    bool below = t->factor[i].k < 0;
    double r, s, c, sum = 0, number = 1;
    Ex u = t->factor[i].k != 0 ? real_power(p, t->factor[i].e, &r) : EX_NONE;
    if (!u || !(r > 0)) continue;
    Ex v = node_of(p, u)->op == OP_ADD ? u : split_coefficient(p, u, &c);      // u = c*v
    if (v == u) c = 1;
    for (int taking = 0; taking < 2; taking++) {
      for (size_t j = 0; j < n; j++) {
        Part *f = &t->factor[j];
        bool base = f->e == v;
        double exponent = base ? 1 : real_power(p, f->e, &s) == u && s > 0 ? s : 0;
        if (f->k == 0 || (f->k < 0) != below || exponent == 0) continue;
        if (base && !taking) number *= integer_power(c, labs((long)f->k));
        if (taking) f->k = 0;
        else sum += exponent*fabs(f->k);
      }
      if (sum == r || (sum == floor(sum) && !node_of(p, u)->never_negative) || !isnormal(number)) break;
      if (!taking && !absorb(below ? &t->number : &t->divisor, number)) break;
      Ex power = taking ? ex_pow(p, u, ex_num(p, sum)) : EX_NONE;
      if (taking) push_factor(t, below ? ex_pow(p, power, ex_num(p, -1)) : power);
    }
  }
}

static Ex finish(Product *t) {
  Pool *p = t->p;
  bool again = false, only_numbers = true;
  join_real_powers(t);
  parts_sort(p, t->factor, t->n, factor_order);

  double c = t->number/t->divisor;
  if (isnormal(t->number) && isnormal(t->divisor) && !isnormal(c)) {
    push_part(t, ex_num(p, 1/t->divisor), 1);
    c = t->number;
  }
  Ex few[FEW + 1], *out = t->n <= FEW ? few : memory_for(sizeof *out*(t->n + 1));
  int n = 1;                                       // the place of the coefficient
  for (size_t i = 0; i < t->n;) {
    Part f = t->factor[i++];
    while (i < t->n && t->factor[i].e == f.e && (t->factor[i].k < 0) == (f.k < 0) &&
           node_of(p, f.e)->op != OP_NUM && fabs(f.k + t->factor[i].k) <= EXPONENT_LIMIT)
      f.k += t->factor[i++].k;
    if (f.k == 0) continue;
    only_numbers = only_numbers && node_of(p, f.e)->op == OP_NUM;
    Ex e = power_rule(p, f.e, (long)f.k);
    again = again || e;
    if (!e) e = f.k == 1 ? f.e : node_make(p, OP_POW, (Ex[]){f.e, ex_num(p, f.k)}, 2);
    out[n++] = e;
  }
  out[0] = ex_num(p, c);

  Ex e;
  if (c == 0) {
    e = out[0];                                    // 0*x -> 0
  } else if (only_numbers) {
    for (int i = 1; i < n; i++) c *= node_of(p, out[i])->value;
    e = ex_num(p, c);
  } else if (again) {                              // the power was rewritten: collect once more
    e = build_product(p, out, n, 1);
  } else {
    e = EX_NONE;
    if (n == 2 && node_of(p, out[1])->op == OP_ADD && isfinite(c))
      e = c == 1 ? out[1] : scale_sum(p, out[1], t->number, t->divisor);
    if (!e && n == 2 && c == 1) e = out[1];
    if (!e && c == 1) e = node_make(p, OP_MUL, out + 1, n - 1);
    if (!e) e = node_make(p, OP_MUL, out, n);
  }
  if (out != few) free(out);
  if (t->factor != t->few) free(t->factor);
  return e;
}

// The product of args, divided by a number.
Ex build_product(Pool *p, const Ex *args, int n, double divisor) {
  Product t;
  product_open(&t, p, divisor);
  for (int i = 0; i < n; i++) push_factor(&t, args[i]);
  return finish(&t);
}

// a/(c*rest): pushed factor by factor, so that numbers inside are divided by and not multiplied with a rounded
// reciprocal.
Ex build_quotient(Pool *p, Ex a, Ex b) {
  if (node_of(p, b)->op == OP_NUM) return build_product(p, &a, 1, node_of(p, b)->value);
  Product t;
  product_open(&t, p, 1);
  Ex rest = split_coefficient(p, b, &t.divisor);
  push_factor(&t, a);
  if (node_of(p, rest)->op == OP_ADD) push_power(&t, rest, -1);
  else push_factor(&t, build_power(p, rest, ex_num(p, -1)));
  return finish(&t);
}

// --- powers ---

// base^k for an integer k other than 0 and 1.
static Ex integer_power_of(Pool *p, Ex base, long k) {
  const Node *q = node_of(p, base);
  const Ex *a = args_of(p, base);
  long inner;
  if (q->op == OP_NUM) return ex_num(p, integer_power(q->value, k));
  if (q->op == OP_POW && is_integer(p, a[1], &inner) && labs(inner) <= EXPONENT_LIMIT/labs(k))
    return build_power(p, a[0], ex_num(p, (double)(inner*k)));      // (x^a)^b = x^(a*b)
  Product t;
  product_open(&t, p, 1);
  double ck;
  if (splits(p, base, k, &ck)) {
    *(k < 0 ? &t.divisor : &t.number) = ck;
    for (int i = node_of(p, a[0])->op == OP_NUM, n = q->n_args; i < n; i++)
      push_factor(&t, build_power(p, a[i], ex_num(p, (double)k)));
    return finish(&t);
  }
  push_power(&t, base, k);
  return finish(&t);
}

Ex build_power(Pool *p, Ex base, Ex exponent) {
  const Node *b = node_of(p, base), *n = node_of(p, exponent);
  long k;
  if (n->op == OP_NUM && n->value == 0) return ex_num(p, 1);        // also for base 0, as IEEE pow
  if (n->op == OP_NUM && n->value == 1) return base;
  if (b->op == OP_NUM && b->value == 1) return base;
  if (is_integer(p, exponent, &k)) return integer_power_of(p, written_in_algebra(p, base), k);
  if (n->op == OP_NUM) {
    if (b->op == OP_NUM) return ex_num(p, pow(b->value, n->value));
    if (n->value == 0.5) return ex_1(p, OP_SQRT, base);
    if (n->value < 0 && isfinite(n->value))                         // x^(-r) = (x^r)^(-1)
      return build_power(p, build_power(p, base, ex_num(p, -n->value)), ex_num(p, -1));
  }
  return node_make(p, OP_POW, (Ex[]){base, exponent}, 2);
}
