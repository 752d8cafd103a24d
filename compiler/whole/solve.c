#include "solve.h"
#include "../base/fatal.h"

static KValue named(Step *p, KValue v, const char *tag, const char *what, int number) {
  return k_name(p->b, v, arena_printf(p->arena, "%s%s%d", tag, what, number), NULL);
}

// ---- the pattern: order and fill ------------------------------------------------------------------------------------
static int fill_of(int n, const bool *A, const bool *done, int k) {
  int rows = 0, cols = 0;
  for (int i = 0; i < n; i++) {
    if (done[i] || i == k) continue;
    rows += A[i * n + k];
    cols += A[k * n + i];
  }
  return rows * cols;
}

// Markowitz: the least fill first. False where a pivot is structurally zero. A gets the fill.
static bool order_of(Arena *a, int n, int first, bool *A, int *order, bool *pair) {
  bool *done = ARENA_ARRAY(a, bool, n + 1);
  for (int s = 0; s < n; s++) {
    int k = -1;
    for (int i = 0; i < n; i++) {
      if (done[i] || !A[i * n + i] || (s < first && i >= first)) continue;
      if (k < 0 || fill_of(n, A, done, i) < fill_of(n, A, done, k)) k = i;
    }
    if (k < 0) return false;
    order[s] = k;
    done[k] = true;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (!done[i] && !done[j] && A[i * n + k] && A[k * n + j]) A[i * n + j] = true;
  }
  for (int s = 0; s + 1 < n; s++) {
    int k = order[s], l = order[s + 1];
    pair[s] = (s == 0 || !pair[s - 1]) && s + 1 != first && A[k * n + l] && A[l * n + k];
    for (int t = s + 2; t < n && pair[s]; t++) if (A[order[t] * n + l]) A[order[t] * n + k] = true;
  }
  return true;
}

bool factors_exist(Arena *a, int n, int first, const bool *pattern) {
  bool *A = ARENA_ARRAY(a, bool, n * n + 1);
  for (int i = 0; i < n * n; i++) A[i] = pattern[i];
  return order_of(a, n, first, A, ARENA_ARRAY(a, int, n + 1), ARENA_ARRAY(a, bool, n + 1));
}

// ---- values ---------------------------------------------------------------------------------------------------------
static Factors factors_new(Step *p, int n) {
  Factors f = { .n = n, .order = ARENA_ARRAY(p->arena, int, n + 1), .pair = ARENA_ARRAY(p->arena, bool, n + 1),
                .A = ARENA_ARRAY(p->arena, KValue, n * n + 1), .inverse = ARENA_ARRAY(p->arena, KValue, n + 1),
                .last = K_NONE };
  for (int i = 0; i < n * n; i++) f.A[i] = K_NONE;
  for (int i = 0; i < n; i++) f.inverse[i] = K_NONE;
  return f;
}

enum { MADE = 1024 };                   // operations that are remembered, a power of 2

typedef struct Made { Op op; KValue x, y, value; } Made;
typedef struct Elimination {
  Step *p; const char *tag; Factors f; int first, names; bool *done; KValue *terms, one;
  Made *made;                           // by hash: blocks that are equal, as those of x and y, are inverted once
} Elimination;

// x op y under a name; y K_NONE: of one argument.
static KValue made(Elimination *e, Op op, KValue x, KValue y, const char *what) {
  Made *m = &e->made[((unsigned)op * 31u + (unsigned)x * 7919u + (unsigned)(y + 1) * 104729u) % MADE];
  if (m->value != K_NONE && m->op == op && m->x == x && m->y == y) return m->value;
  KValue v = y == K_NONE ? k_op1(e->p->b, op, x) : k_op2(e->p->b, op, x, y);
  *m = (Made){ op, x, y, named(e->p, v, e->tag, what, e->names++) };
  return m->value;
}

static KValue times(Elimination *e, KValue x, KValue y) {
  return x == K_NONE || y == K_NONE ? K_NONE : k_op2(e->p->b, OP_TIMES, x, y);
}

// A_ij -= x A_kj + y A_lj, their sum first: fewer operations wait for each other. The terms of later pivots are added
// up. x, y K_NONE: none.
static void subtract(Elimination *e, int i, KValue x, int k, KValue y, int l) {
  Step *p = e->p;
  int n = e->f.n;
  for (int j = 0; j < n; j++) {
    KValue *to = &e->f.A[i * n + j], t[] = { times(e, x, e->f.A[k * n + j]), times(e, y, e->f.A[l * n + j]) };
    if (e->done[j] || (t[0] == K_NONE && t[1] == K_NONE)) continue;
    for (int m = 0; m < 2; m++) {
      if (i != j || i < e->first || t[m] == K_NONE) continue;
      t[m] = named(p, t[m], e->tag, "e", e->names++);
      e->terms[i] = step_add(p, e->terms[i], step_abs(p, t[m]));
    }
    *to = named(p, step_sub(p, *to, step_add(p, t[0], t[1])), e->tag, "e", e->names++);
  }
}

// The condition that x is more than what rounding left of `terms`.
static void is_pivot(Elimination *e, KValue x, KValue terms, KValue *good) {
  KBuilder *b = e->p->b;
  *good = step_both(e->p, *good, k_op2(b, OP_LT, k_op2(b, OP_TIMES, k_number(b, 1e-10), terms), step_abs(e->p, x)));
}

static void eliminate_one(Elimination *e, int k, KValue *good) {
  Step *p = e->p;
  Factors *f = &e->f;
  int n = f->n;
  e->done[k] = true;
  if (k >= e->first) is_pivot(e, f->A[k * n + k], e->terms[k], good);
  f->inverse[k] = made(e, OP_OVER, e->one, f->A[k * n + k], "pivot");
  for (int i = 0; i < n; i++) {
    if (e->done[i] || f->A[i * n + k] == K_NONE) continue;
    f->A[i * n + k] = named(p, times(e, f->A[i * n + k], f->inverse[k]), e->tag, "f", e->names++);
    subtract(e, i, f->A[i * n + k], k, K_NONE, k);
  }
}

// Of the block [A_kk A_kl; A_lk A_ll] the inverse; then row i takes (A_ik A_il) times it, the determinant last.
static void eliminate_two(Elimination *e, int k, int l, KValue *good) {
  Step *p = e->p;
  KBuilder *b = p->b;
  Factors *f = &e->f;
  int n = f->n;
  KValue *A = f->A, A0 = A[k * n + k], B0 = A[k * n + l], C0 = A[l * n + k], D0 = A[l * n + l];
  e->done[k] = e->done[l] = true;
  KValue ad = made(e, OP_TIMES, A0, D0, "e"), bc = made(e, OP_TIMES, B0, C0, "e"),
         det = made(e, OP_MINUS, ad, bc, "e");
  if (k >= e->first)
    is_pivot(e, det, k_op2(b, OP_PLUS, times(e, e->terms[k], e->terms[l]), step_abs(p, bc)), good);
  KValue r = made(e, OP_OVER, e->one, det, "pivot");
  bool last = true;
  for (int i = 0; i < n; i++) {
    KValue x = A[i * n + k], y = A[i * n + l];
    last &= e->done[i];
    if (e->done[i] || (x == K_NONE && y == K_NONE)) continue;
    A[i * n + k] = named(p, times(e, r, step_sub(p, times(e, x, D0), times(e, y, C0))), e->tag, "f", e->names++);
    A[i * n + l] = named(p, times(e, r, step_sub(p, times(e, y, A0), times(e, x, B0))), e->tag, "f", e->names++);
    subtract(e, i, A[i * n + k], k, A[i * n + l], l);
  }
  if (last) f->last = r;
  f->inverse[k] = last ? D0 : made(e, OP_TIMES, D0, r, "f");
  f->inverse[l] = last ? A0 : made(e, OP_TIMES, A0, r, "f");
  A[k * n + l] = made(e, OP_OPPOSITE, last ? B0 : made(e, OP_TIMES, B0, r, "f"), K_NONE, "f");
  A[l * n + k] = made(e, OP_OPPOSITE, last ? C0 : made(e, OP_TIMES, C0, r, "f"), K_NONE, "f");
}

Factors factor_unrolled(Step *p, const char *tag, int n, int first, const KValue *A, KValue *good) {
  Elimination e = { .p = p, .tag = tag, .f = factors_new(p, n), .first = first,
                    .done = ARENA_ARRAY(p->arena, bool, n + 1), .terms = ARENA_ARRAY(p->arena, KValue, n + 1) };
  bool *pattern = ARENA_ARRAY(p->arena, bool, n * n + 1);
  *good = K_NONE;
  e.one = k_number(p->b, 1);
  e.made = ARENA_ARRAY(p->arena, Made, MADE);
  for (int i = 0; i < MADE; i++) e.made[i].value = K_NONE;
  for (int i = 0; i < n * n; i++) { e.f.A[i] = A[i]; pattern[i] = A[i] != K_NONE; }
  for (int i = 0; i < n; i++) e.terms[i] = A[i * n + i] == K_NONE ? K_NONE : step_abs(p, A[i * n + i]);
  INVARIANT(order_of(p->arena, n, first, pattern, e.f.order, e.f.pair));
  for (int s = 0; s < n; s++) {
    if (e.f.pair[s]) eliminate_two(&e, e.f.order[s], e.f.order[s + 1], good);
    else eliminate_one(&e, e.f.order[s], good);
    s += e.f.pair[s];
  }
  return e.f;
}

// Of the later rows, by the unknown of pivot s, or by both of its pair.
static void forward(Step *p, const char *tag, const Factors *f, int s, KValue *x, int *names) {
  int n = f->n, two = f->pair[s], of[] = { f->order[s], two ? f->order[s + 1] : -1 };
  for (int t = s + 1 + two; t < n; t++) {
    int i = f->order[t];
    KValue sum = K_NONE;
    for (int m = 0; m < 2; m++)
      if (of[m] >= 0 && f->A[i * n + of[m]] != K_NONE && x[of[m]] != K_NONE)
        sum = step_add(p, sum, k_op2(p->b, OP_TIMES, f->A[i * n + of[m]], x[of[m]]));
    if (sum != K_NONE) x[i] = named(p, step_sub(p, x[i], sum), tag, "r", (*names)++);
  }
}

static void backward(Step *p, const Factors *f, int from, int k, KValue *x) {
  int n = f->n;
  for (int t = from; t < n; t++) {
    int j = f->order[t];
    if (f->A[k * n + j] != K_NONE) x[k] = step_sub(p, x[k], k_op2(p->b, OP_TIMES, f->A[k * n + j], x[j]));
  }
}

static KValue product(Step *p, KValue x, KValue y) { return x == K_NONE ? K_NONE : k_op2(p->b, OP_TIMES, y, x); }

void solve_unrolled(Step *p, const char *tag, const Factors *f, KValue *x) {
  int n = f->n, names = 0;
  for (int s = 0; s < n; s++) {
    forward(p, tag, f, s, x, &names);
    s += f->pair[s];
  }
  for (int s = n - 1; s >= 0; s--) {
    int two = s > 0 && f->pair[s - 1], k = f->order[s - two], l = f->order[s];
    KValue y[2];
    for (int m = 0; m <= two; m++) backward(p, f, s + 1, f->order[s - m], x);
    y[1] = product(p, x[l], f->inverse[l]);
    if (two) {
      for (int m = 0; m < 2; m++) {
        KValue v = x[f->order[s - m]];
        if (v != K_NONE && !k_node(p->b, v)->name) named(p, v, tag, "r", names++);
      }
      y[0] = step_add(p, product(p, x[k], f->inverse[k]), product(p, x[l], f->A[k * n + l]));
      y[1] = step_add(p, y[1], product(p, x[k], f->A[l * n + k]));
      for (int m = 0; s == n - 1 && m < 2; m++) y[m] = product(p, y[m], f->last);
      x[k] = y[0] == K_NONE ? k_number(p->b, 0) : named(p, y[0], tag, "d", k);
    }
    x[l] = y[1] == K_NONE ? k_number(p->b, 0) : named(p, y[1], tag, "d", l);
    s -= two;
  }
}

// ---- factors in variables -------------------------------------------------------------------------------------------
Factors factors_declare(Step *p, const char *tag, int n, int first, const bool *pattern) {
  Factors f = factors_new(p, n);
  bool *A = ARENA_ARRAY(p->arena, bool, n * n + 1);
  for (int i = 0; i < n * n; i++) A[i] = pattern[i];
  INVARIANT(order_of(p->arena, n, first, A, f.order, f.pair));
  for (int i = 0; i < n * n; i++)
    if (A[i] && i / n != i % n)
      f.A[i] = k_variable(p->b, arena_printf(p->arena, "%sv%d", tag, i), k_number(p->b, 0));
  for (int i = 0; i < n; i++)
    f.inverse[i] = k_variable(p->b, arena_printf(p->arena, "%svi%d", tag, i), k_number(p->b, 0));
  if (n > 1 && f.pair[n - 2]) f.last = k_variable(p->b, arena_printf(p->arena, "%svl", tag), k_number(p->b, 0));
  return f;
}

void factors_set(Step *p, const Factors *variables, const Factors *f) {
  int n = f->n;
  for (int i = 0; i < n * n; i++) if (i / n != i % n && f->A[i] != K_NONE) k_set(p->b, variables->A[i], f->A[i]);
  for (int i = 0; i < n; i++) k_set(p->b, variables->inverse[i], f->inverse[i]);
  if (f->last != K_NONE) k_set(p->b, variables->last, f->last);
}

Factors factors_get(Step *p, const char *tag, const Factors *variables) {
  Factors f = factors_new(p, variables->n);
  int n = f.n;
  f.order = variables->order;
  f.pair = variables->pair;
  for (int i = 0; i < n * n; i++)
    if (variables->A[i] != K_NONE) f.A[i] = named(p, k_get(p->b, variables->A[i]), tag, "g", i);
  for (int i = 0; i < n; i++) f.inverse[i] = named(p, k_get(p->b, variables->inverse[i]), tag, "gi", i);
  if (variables->last != K_NONE) f.last = named(p, k_get(p->b, variables->last), tag, "gl", 0);
  return f;
}

KValue definite_unrolled(Step *p, int n, const KValue *M) {
  KBuilder *b = p->b;
  KValue *A = ARENA_ARRAY(p->arena, KValue, n * n + 1), good = K_NONE;
  int names = 0;
  for (int i = 0; i < n * n; i++) A[i] = M[i];
  for (int k = 0; k < n; k++) {
    if (A[k * n + k] == K_NONE) return k_op2(b, OP_LT, k_number(b, 0), k_number(b, 0));
    KValue least = k_op2(b, OP_TIMES, k_number(b, 1e-13), step_abs(p, M[k * n + k]));
    good = step_both(p, good, k_op2(b, OP_LT, least, A[k * n + k]));
    for (int i = k + 1; i < n; i++) {
      if (A[i * n + k] == K_NONE) continue;
      KValue l = named(p, k_op2(b, OP_OVER, A[i * n + k], A[k * n + k]), "mass", "f", names++);
      for (int j = k + 1; j < n; j++)
        if (A[k * n + j] != K_NONE)
          A[i * n + j] = named(p, step_sub(p, A[i * n + j], k_op2(b, OP_TIMES, l, A[k * n + j])), "mass", "e", names++);
    }
  }
  return good;
}
