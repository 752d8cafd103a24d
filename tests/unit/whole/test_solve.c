// Unrolled elimination: random sparse systems, solved by interpreting the kernel; small pivots are told.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "compiler/whole/solve.h"
#include "tests/unit/kernel/interpreter.h"

enum { MOST = 9 };

static unsigned seed = 1;

static double random_number(void) {
  seed = seed * 1664525u + 1013904223u;
  return (double)(seed >> 8) / (1 << 24) * 2 - 1;
}

// out [n]: the solution, out[n]: 1 where pivots are fit. The factors go through variables, as a step keeps them.
static const KKernel *kernel_of(Arena *a, int n, int first, const bool *pattern) {
  KBuilder *b = k_begin(a, "solve", KT_DOUBLE);
  KValue in = k_param(b, KT_INPUT, "in"), out = k_param(b, KT_OUTPUT, "out"), A[MOST * MOST], x[MOST], good;
  k_param(b, KT_INT, "n");
  Step p = { .b = b, .arena = a };
  for (int i = 0; i < n * n; i++)
    A[i] = pattern[i] ? k_name(b, k_at_number(b, in, i), arena_printf(a, "a%d", i), NULL) : K_NONE;
  for (int i = 0; i < n; i++) x[i] = k_name(b, k_at_number(b, in, n * n + i), arena_printf(a, "b%d", i), NULL);
  Factors kept = factors_declare(&p, "k", n, first, pattern), f = factor_unrolled(&p, "", n, first, A, &good);
  factors_set(&p, &kept, &f);
  Factors again = factors_get(&p, "g", &kept);
  solve_unrolled(&p, "s", &again, x);
  for (int i = 0; i < n; i++) k_store(b, out, k_integer(b, i), x[i]);
  KValue fit = k_variable(b, "fit", k_number(b, 1));
  if (good != K_NONE) {
    k_if(b, k_op1(b, OP_NOT, good));
    k_set(b, fit, k_number(b, 0));
    k_close(b);
  }
  k_store(b, out, k_integer(b, n), k_get(b, fit));
  k_return(b, k_number(b, 0));
  return k_end(b);
}

static void random_systems(void **state) {
  (void)state;
  int pairs = 0;
  for (int turn = 0; turn < 400; turn++) {
    Arena *a = arena_new();
    int n = 1 + turn % MOST, first = turn % 3 == 0 ? n : turn % (n + 1);
    bool pattern[MOST * MOST];
    double in[MOST * MOST + MOST], out[MOST + 1];
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) {
        bool any = i == j || random_number() > 0.2;        // a symmetric pattern
        pattern[i * n + j] = pattern[j * n + i] = any;
      }
    for (int i = 0; i < n * n; i++) in[i] = pattern[i] ? random_number() + (i / n == i % n ? n : 0) : 0;
    for (int i = 0; i < n; i++) in[n * n + i] = random_number();
    interpret(kernel_of(a, n, first, pattern), in, out, n);
    assert_true(out[n] == 1);
    for (int i = 0; i < n; i++) {
      double r = -in[n * n + i];
      for (int j = 0; j < n; j++) r += in[i * n + j] * out[j];
      assert_true(fabs(r) < 1e-13);
    }
    KBuilder *b = k_begin(a, "pairs", KT_DOUBLE);
    Step p = { .b = b, .arena = a };
    Factors f = factors_declare(&p, "k", n, first, pattern);
    for (int s = 0; s < n; s++) pairs += f.pair[s];
    k_return(b, k_number(b, 0));
    k_end(b);
    arena_free(a);
  }
  assert_true(pairs > 400);
}

// Two rows that are one: the last pivot, or the determinant of the last block, is what rounding left.
static void small_pivots(void **state) {
  (void)state;
  for (int two = 0; two < 2; two++) {
    Arena *a = arena_new();
    const bool pattern[] = { true, true, true, true, true, true, true, true, true, true, true, true, true, true, true,
                             true };
    int n = 3 + two;
    double out[5], in[20] = { 0 };
    for (int i = 0; i < n * n; i++) in[i] = 1 / (1.0 + i / n + i % n);       // Hilbert's matrix
    for (int i = 0; i < n; i++) in[(n - 1) * n + i] = in[(n - 2) * n + i];   // two rows are one
    interpret(kernel_of(a, n, 1, pattern), in, out, n);
    assert_true(out[n] == 0);
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(random_systems), cmocka_unit_test(small_pivots) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
