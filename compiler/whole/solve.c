#include "solve.h"

static int fill_of(int n, const KValue *A, const bool *done, int k) {
  int rows = 0, cols = 0;
  for (int i = 0; i < n; i++) {
    if (done[i] || i == k) continue;
    rows += A[i * n + k] != K_NONE;
    cols += A[k * n + i] != K_NONE;
  }
  return rows * cols;
}

static KValue named(Step *p, KValue v, const char *what, int number) {
  return k_name(p->b, v, arena_printf(p->arena, "%s%d", what, number), NULL);
}

KValue solve_unrolled(Step *p, int n, int first, KValue *A, KValue *b) {
  KBuilder *B = p->b;
  bool *done = ARENA_ARRAY(p->arena, bool, n + 1);
  int *order = ARENA_ARRAY(p->arena, int, n + 1), names = 0;
  KValue *inverse = ARENA_ARRAY(p->arena, KValue, n + 1), *terms = ARENA_ARRAY(p->arena, KValue, n + 1), good = K_NONE;
  for (int i = 0; i < n; i++) terms[i] = A[i * n + i] == K_NONE ? K_NONE : step_abs(p, A[i * n + i]);
  for (int s = 0; s < n; s++) {
    int k = -1;                                             // Markowitz: the least fill
    for (int i = 0; i < n; i++) {
      if (done[i] || A[i * n + i] == K_NONE || (s < first && i >= first)) continue;
      if (k < 0 || fill_of(n, A, done, i) < fill_of(n, A, done, k)) k = i;
    }
    if (k < 0) return k_op2(B, OP_LT, k_number(B, 0), k_number(B, 0));       // structurally singular
    order[s] = k;
    done[k] = true;
    if (k >= first)
      good = step_both(p, good, k_op2(B, OP_LT, k_op2(B, OP_TIMES, k_number(B, 1e-10), terms[k]), step_abs(p, A[k * n + k])));
    inverse[k] = named(p, k_op2(B, OP_OVER, k_number(B, 1), A[k * n + k]), "pivot", k);
    for (int i = 0; i < n; i++) {
      if (done[i] || A[i * n + k] == K_NONE) continue;
      KValue f = named(p, k_op2(B, OP_TIMES, A[i * n + k], inverse[k]), "f", names++);
      for (int j = 0; j < n; j++) {
        if (done[j] || A[k * n + j] == K_NONE) continue;
        KValue t = k_op2(B, OP_TIMES, f, A[k * n + j]);
        if (i == j && i >= first) {
          t = named(p, t, "e", names++);
          terms[i] = step_add(p, terms[i], step_abs(p, t));
        }
        A[i * n + j] = named(p, step_sub(p, A[i * n + j], t), "e", names++);
      }
      if (b[k] != K_NONE) b[i] = named(p, step_sub(p, b[i], k_op2(B, OP_TIMES, f, b[k])), "r", names++);
    }
  }
  for (int s = n - 1; s >= 0; s--) {
    int k = order[s];
    KValue x = b[k];
    for (int t = s + 1; t < n; t++) {
      int j = order[t];
      if (A[k * n + j] != K_NONE && b[j] != K_NONE) x = step_sub(p, x, k_op2(B, OP_TIMES, A[k * n + j], b[j]));
    }
    b[k] = x == K_NONE ? k_number(B, 0) : named(p, k_op2(B, OP_TIMES, x, inverse[k]), "d", k);
  }
  return good;
}

KValue definite_unrolled(Step *p, int n, const KValue *M) {
  KBuilder *B = p->b;
  KValue *A = ARENA_ARRAY(p->arena, KValue, n * n + 1), good = K_NONE;
  int names = 0;
  for (int i = 0; i < n * n; i++) A[i] = M[i];
  for (int k = 0; k < n; k++) {
    if (A[k * n + k] == K_NONE) return k_op2(B, OP_LT, k_number(B, 0), k_number(B, 0));
    good = step_both(p, good, k_op2(B, OP_LT, k_op2(B, OP_TIMES, k_number(B, 1e-13), step_abs(p, M[k * n + k])),
                                    A[k * n + k]));
    for (int i = k + 1; i < n; i++) {
      if (A[i * n + k] == K_NONE) continue;
      KValue f = named(p, k_op2(B, OP_OVER, A[i * n + k], A[k * n + k]), "mf", names++);
      for (int j = k + 1; j < n; j++)
        if (A[k * n + j] != K_NONE)
          A[i * n + j] = named(p, step_sub(p, A[i * n + j], k_op2(B, OP_TIMES, f, A[k * n + j])), "me", names++);
    }
  }
  return good;
}
