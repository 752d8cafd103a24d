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
static bool order_of(Arena *a, int n, int first, bool *A, int *order) {
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
  return true;
}

bool factors_exist(Arena *a, int n, int first, const bool *pattern) {
  bool *A = ARENA_ARRAY(a, bool, n * n + 1);
  for (int i = 0; i < n * n; i++) A[i] = pattern[i];
  return order_of(a, n, first, A, ARENA_ARRAY(a, int, n + 1));
}

// ---- values ---------------------------------------------------------------------------------------------------------
static Factors factors_new(Step *p, int n) {
  Factors f = { .n = n, .order = ARENA_ARRAY(p->arena, int, n + 1), .A = ARENA_ARRAY(p->arena, KValue, n * n + 1),
                .inverse = ARENA_ARRAY(p->arena, KValue, n + 1) };
  for (int i = 0; i < n * n; i++) f.A[i] = K_NONE;
  for (int i = 0; i < n; i++) f.inverse[i] = K_NONE;
  return f;
}

Factors factor_unrolled(Step *p, const char *tag, int n, int first, const KValue *A, KValue *good) {
  KBuilder *b = p->b;
  Factors f = factors_new(p, n);
  bool *pattern = ARENA_ARRAY(p->arena, bool, n * n + 1), *done = ARENA_ARRAY(p->arena, bool, n + 1);
  KValue *terms = ARENA_ARRAY(p->arena, KValue, n + 1);
  int names = 0;
  *good = K_NONE;
  for (int i = 0; i < n * n; i++) { f.A[i] = A[i]; pattern[i] = A[i] != K_NONE; }
  for (int i = 0; i < n; i++) terms[i] = A[i * n + i] == K_NONE ? K_NONE : step_abs(p, A[i * n + i]);
  INVARIANT(order_of(p->arena, n, first, pattern, f.order));
  for (int s = 0; s < n; s++) {
    int k = f.order[s];
    done[k] = true;
    if (k >= first) {
      KValue least = k_op2(b, OP_TIMES, k_number(b, 1e-10), terms[k]);
      *good = step_both(p, *good, k_op2(b, OP_LT, least, step_abs(p, f.A[k * n + k])));
    }
    f.inverse[k] = named(p, k_op2(b, OP_OVER, k_number(b, 1), f.A[k * n + k]), tag, "pivot", k);
    for (int i = 0; i < n; i++) {
      if (done[i] || f.A[i * n + k] == K_NONE) continue;
      KValue l = f.A[i * n + k] = named(p, k_op2(b, OP_TIMES, f.A[i * n + k], f.inverse[k]), tag, "f", names++);
      for (int j = 0; j < n; j++) {
        if (done[j] || f.A[k * n + j] == K_NONE) continue;
        KValue t = k_op2(b, OP_TIMES, l, f.A[k * n + j]);
        if (i == j && i >= first) {
          t = named(p, t, tag, "e", names++);
          terms[i] = step_add(p, terms[i], step_abs(p, t));
        }
        f.A[i * n + j] = named(p, step_sub(p, f.A[i * n + j], t), tag, "e", names++);
      }
    }
  }
  return f;
}

void solve_unrolled(Step *p, const char *tag, const Factors *f, KValue *x) {
  int n = f->n, names = 0;
  for (int s = 0; s < n; s++) {
    int k = f->order[s];
    for (int t = s + 1; t < n && x[k] != K_NONE; t++) {
      int i = f->order[t];
      if (f->A[i * n + k] == K_NONE) continue;
      x[i] = named(p, step_sub(p, x[i], k_op2(p->b, OP_TIMES, f->A[i * n + k], x[k])), tag, "r", names++);
    }
  }
  for (int s = n - 1; s >= 0; s--) {
    int k = f->order[s];
    for (int t = s + 1; t < n; t++) {
      int j = f->order[t];
      if (f->A[k * n + j] == K_NONE) continue;
      x[k] = step_sub(p, x[k], k_op2(p->b, OP_TIMES, f->A[k * n + j], x[j]));
    }
    x[k] = x[k] == K_NONE ? k_number(p->b, 0)
                          : named(p, k_op2(p->b, OP_TIMES, x[k], f->inverse[k]), tag, "d", k);
  }
}

// ---- factors in variables -------------------------------------------------------------------------------------------
Factors factors_declare(Step *p, const char *tag, int n, int first, const bool *pattern) {
  Factors f = factors_new(p, n);
  bool *A = ARENA_ARRAY(p->arena, bool, n * n + 1);
  for (int i = 0; i < n * n; i++) A[i] = pattern[i];
  INVARIANT(order_of(p->arena, n, first, A, f.order));
  for (int i = 0; i < n * n; i++)
    if (A[i] && i / n != i % n)
      f.A[i] = k_variable(p->b, arena_printf(p->arena, "%sv%d", tag, i), k_number(p->b, 0));
  for (int i = 0; i < n; i++)
    f.inverse[i] = k_variable(p->b, arena_printf(p->arena, "%svi%d", tag, i), k_number(p->b, 0));
  return f;
}

void factors_set(Step *p, const Factors *variables, const Factors *f) {
  int n = f->n;
  for (int i = 0; i < n * n; i++) if (i / n != i % n && f->A[i] != K_NONE) k_set(p->b, variables->A[i], f->A[i]);
  for (int i = 0; i < n; i++) k_set(p->b, variables->inverse[i], f->inverse[i]);
}

Factors factors_get(Step *p, const char *tag, const Factors *variables) {
  Factors f = factors_new(p, variables->n);
  int n = f.n;
  f.order = variables->order;
  for (int i = 0; i < n * n; i++)
    if (variables->A[i] != K_NONE) f.A[i] = named(p, k_get(p->b, variables->A[i]), tag, "g", i);
  for (int i = 0; i < n; i++) f.inverse[i] = named(p, k_get(p->b, variables->inverse[i]), tag, "gi", i);
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
