// Arrangement on paper: signs, fractions and the order of terms. Nothing here changes an expression.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "print_layout.h"

// --- the work list ---

void print_run(Printer *w, Ex root, WriteNode write, void (*write_number)(Printer *w, double x)) {
  vec_push(&w->stack, ((Item){.e = root}));
  while (w->stack.n) {
    if (w->most && w->out->n > w->most) {
      text_add(w->out, " ...");
      break;
    }
    Item it = vec_last(&w->stack);
    w->stack.n--;
    if (it.text) text_add(w->out, it.text);
    else if (it.e == EX_NONE) write_number(w, it.number);
    else {
      w->next.n = 0;
      write(w, it.e, it.level, it.negate);
      while (w->next.n) {
        vec_push(&w->stack, vec_last(&w->next));
        w->next.n--;
      }
    }
  }
  vec_free(&w->stack);
  vec_free(&w->next);
}

// --- numbers ---

void as_ratio(double x, double *p, double *q) {
  enum { MAX_DENOMINATOR = 1000 };
  *p = x;
  *q = 1;
  if (!isfinite(x) || x == floor(x)) return;
  for (int i = 1; i <= 10; i++)
    if (x == ldexp(1, -i)) {
      *p = 1;
      *q = ldexp(1, i);
      return;
    }
  char text[40];
  snprintf(text, sizeof text, "%.6g", x);
  if (strtod(text, NULL) == x) return;               // a short decimal number
  for (int d = 3; d <= MAX_DENOMINATOR; d++) {
    double n = round(x*d);
    if (n >= 1 && n <= 1e6 && n/d == x) {
      *p = n;
      *q = d;
      return;
    }
  }
}

// --- products ---

bool reads_as_product(const Pool *p, Ex e) {
  long k;
  const Node *q = node_of(p, e);
  return q->op == OP_MUL || (q->op == OP_POW && is_integer(p, args_of(p, e)[1], &k) && k < 0);
}

ExFraction ex_fraction(Pool *p, Ex e) {
  double number = 1;
  bool is_number = node_of(p, e)->op == OP_NUM, product = node_of(p, e)->op == OP_MUL;
  if (is_number) number = node_of(p, e)->value;
  const Ex *f = product ? args_of(p, e) : &e;
  int n = product ? node_of(p, e)->n_args : is_number ? 0 : 1, first = 0;
  if (product && node_of(p, f[0])->op == OP_NUM) number = node_of(p, f[first++])->value;

  ExVec above = {0}, below = {0};
  for (int i = first; i < n; i++) {
    const Ex *a = args_of(p, f[i]);
    long k;
    if (node_of(p, f[i])->op == OP_POW && is_integer(p, a[1], &k) && k < 0)
      vec_push(&below, k == -1 ? a[0] : node_make(p, OP_POW, (Ex[]){a[0], ex_num(p, (double)-k)}, 2));
    else
      vec_push(&above, f[i]);
  }
  ExFraction r = {.number = number, .n_above = (int)above.n, .n_below = (int)below.n};
  r.above = vec_freeze(p->arena, &above);
  r.below = vec_freeze(p->arena, &below);
  return r;
}

// A sum, or an odd power of one, whose terms have both signs: written with all signs changed it absorbs a minus.
static bool absorbs_minus(Pool *p, Ex f) {
  long k;
  if (node_of(p, f)->op == OP_POW && is_integer(p, args_of(p, f)[1], &k) && k % 2 != 0) f = args_of(p, f)[0];
  if (node_of(p, f)->op != OP_ADD) return false;
  for (int i = 0; i < node_of(p, f)->n_args; i++)
    if (shows_minus(p, args_of(p, f)[i], false)) return true;
  return false;
}

static int find_flip(Pool *p, const Ex *f, int n) {
  for (int i = 0; i < n; i++)
    if (absorbs_minus(p, f[i])) return i;
  return -1;
}

// Read from the left, c*(a + b)*... starts with c*(a + b) = c*a + c*b. Does the content of that sum give c and a + b
// back?
static bool survives_reading(Pool *p, double c, Ex sum) {
  if (c == 1 || node_of(p, sum)->op != OP_ADD) return true;
  Ex scaled = scale_sum(p, sum, c, 1);
  if (!scaled) return true;
  double content = fabs(sum_content(p, scaled));
  return content == c && scale_sum(p, scaled, 1, content) == sum;
}

// -m*(b - a) reads m*(a - b).
Layout layout_product(Pool *p, Ex e, bool negate) {
  Layout l = {.f = ex_fraction(p, e), .flip = -1};
  double c = negate ? -l.f.number : l.f.number;
  if (c < 0) {
    l.flip = find_flip(p, l.f.above, l.f.n_above);
    if (l.flip < 0) {
      l.flip = find_flip(p, l.f.below, l.f.n_below);
      if (l.flip >= 0) l.flip += l.f.n_above;
    }
    l.minus = l.flip < 0;
  }
  as_ratio(fabs(c), &l.p, &l.q);
  int exponent;
  l.joins_first = frexp(l.p, &exponent) == 0.5 && frexp(l.q, &exponent) == 0.5;
  l.enclose_above = l.f.n_above > 0 && !survives_reading(p, l.p, l.f.above[0]);
  l.split_below = l.f.n_below > 0 && !survives_reading(p, l.q, l.f.below[0]);
  return l;
}

static bool is_chain(const Pool *p, Op op, Ex e) {
  Op own = (Op)node_of(p, e)->op;
  return own == op || (op == OP_TIMES && own == OP_OVER) || (op == OP_PLUS && own == OP_MINUS);
}

WrittenLayout layout_written(Pool *p, Ex e) {
  Op op = (Op)node_of(p, e)->op;
  const Ex *a = args_of(p, e);
  if (node_of(p, e)->n_args == 1) return (WrittenLayout){a[0], EX_NONE};
  WrittenLayout l = {a[0], a[1]};
  bool number = node_of(p, a[0])->op == OP_NUM, chain = !is_chain(p, op, a[0]) && is_chain(p, op, a[1]);
  if ((op == OP_PLUS && (number || chain)) || (op == OP_TIMES && !number && chain)) l = (WrittenLayout){a[1], a[0]};
  return l;
}

bool shows_minus(Pool *p, Ex e, bool negate) {
  enum { DEEP = 64 };                                 // looking for a sum to flip looks inside sums: not for ever
  const Node *q = node_of(p, e);
  if (q->op == OP_NUM) return negate ? q->value > 0 : q->value < 0;
  if (!reads_as_product(p, e)) return negate;         // a sum is never asked: its terms are
  double c = q->op == OP_MUL && node_of(p, args_of(p, e)[0])->op == OP_NUM ? node_of(p, args_of(p, e)[0])->value : 1;
  if (negate ? !(c > 0) : !(c < 0)) return false;
  return q->height > DEEP || layout_product(p, e, negate).minus;
}

// --- sums ---

bool is_sum_as_written(const Pool *p, Ex e) {
  return node_of(p, e)->op == OP_PLUS || node_of(p, e)->op == OP_MINUS;
}

void layout_sum(Pool *p, Ex e, bool negate, PartVec *out) {
  int n = node_of(p, e)->n_args;
  for (int minus = 0; minus <= 1; minus++)            // positive terms first, each group in canonical order
    for (int i = 0; i < n; i++) {
      Ex t = args_of(p, e)[i];
      if (shows_minus(p, t, negate) == (minus == 1)) vec_push(out, ((Part){t, minus ? -1 : 1}));
    }
  for (size_t i = 1; i < out->n; i++) {               // a sum as written stands first and needs no parentheses
    Part t = out->at[i];
    if (t.k < 0 || !is_sum_as_written(p, t.e)) continue;
    for (size_t k = i; k > 0; k--) out->at[k] = out->at[k - 1];
    out->at[0] = t;
    return;
  }
}

void write_two(Printer *w, WrittenLayout l, int level, int own, int left, const char *word, int right) {
  open_if(w, level > own);
  show(w, l.left, left, false);
  say(w, word);
  show(w, l.right, right, false);
  close_if(w, level > own);
}

void write_infix(Printer *w, Ex e, int level, int own, int left, const char *word, int right) {
  write_two(w, (WrittenLayout){ex_arg(w->p, e, 0), ex_arg(w->p, e, 1)}, level, own, left, word, right);
}

void write_not(Printer *w, Ex e, int level, const char *word) {
  open_if(w, level > L_NOT);
  say(w, word);
  show(w, ex_arg(w->p, e, 0), L_ATOM, false);
  close_if(w, level > L_NOT);
}

bool write_arithmetic(Printer *w, const Arithmetic *how, Ex *e, int level, bool negate) {
  while (ex_operator(w->p, *e) == OP_SHARED) *e = ex_arg(w->p, *e, 0);
  Op op = ex_operator(w->p, *e);
  if (reads_as_product(w->p, *e)) how->product(w, *e, level, negate);
  else if (op == OP_NUM) how->number(w, negate ? -ex_value(w->p, *e) : ex_value(w->p, *e), level);
  else if (op == OP_ADD) how->sum(w, *e, level, negate);
  else if (op == OP_POW) how->power(w, *e, level, negate);
  else {
    INVARIANT(!negate);
    if (!ex_is_written(w->p, *e)) return false;
    how->as_written(w, *e, level);
  }
  return true;
}
