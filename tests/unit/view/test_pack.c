// Packed numbers, read back by a reader of this file: within the range's share that was asked for; all bits of what has
// no quantum; and few bits for what is smooth.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/pack.h"

typedef struct Reader { const unsigned char *at; size_t bit; } Reader;

static uint64_t bits(Reader *r, int n) {
  uint64_t x = 0;
  for (int i = 0; i < n; i++, r->bit++) x |= (uint64_t)(r->at[r->bit/8] >> r->bit % 8 & 1) << i;
  return x;
}

static double number(Reader *r) {
  uint64_t x = bits(r, 64);
  double out;
  memcpy(&out, &x, sizeof out);
  return out;
}

static int64_t signed_of(uint64_t u) { return u & 1 ? -(int64_t)(u/2) - 1 : (int64_t)(u/2); }

static void read_series(Reader *r, size_t n, double *out) {
  uint64_t kind = bits(r, 2);
  if (kind < 2) {
    double first = kind ? number(r) : 0;
    for (size_t i = 0; i < n; i++) out[i] = kind ? first : number(r);
    return;
  }
  static const int64_t digits[] = { 1, 2, 5 };
  int64_t digit = digits[bits(r, 2)], least, last[3] = { 0 };
  int power = (int)bits(r, 10) - 512;
  least = signed_of(bits(r, 53));
  for (size_t i = 0; i < n;) {
    int order = (int)bits(r, 2), k = (int)bits(r, 6);
    for (size_t end = i + 64; i < n && i < end; i++) {
      uint64_t u = 0, ones = 0;
      if (k != 63) {
        while (ones < 24 && bits(r, 1)) ones++;
        u = ones < 24 ? ones << k | bits(r, k) : bits(r, 53);
      }
      static const int64_t by[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, -1, 0 }, { 3, -3, 1 } };
      int64_t x = signed_of(u);
      for (int j = 0; j < 3; j++) x += by[order][j]*last[j];
      last[2] = last[1];
      last[1] = last[0];
      last[0] = x;
      double whole = (double)((x + least)*digit);
      out[i] = power < 0 ? whole/pow(10, -power) : whole*pow(10, power);
    }
  }
}

// Bytes for n numbers, each within `near` of the range, or the same bits where `exact`.
static size_t is_read_back(const double *x, size_t n, double near, int exact) {
  Text out = {0};
  PackBits held = { 0 };
  double other[3] = { 1, 2, 4 }, *got = calloc(n + 3, sizeof *got), lo = INFINITY, hi = -INFINITY;
  pack_series(&out, &held, other, 3, 1, 1e-6);             // so that the series begins within a byte
  pack_series(&out, &held, x, n, 1, near);
  pack_finish(&out, &held);
  Reader r = { (const unsigned char *)out.at, 0 };
  read_series(&r, 3, got);
  read_series(&r, n, got);
  assert_true(r.bit <= 8*out.n && r.bit + 8 > 8*out.n);
  for (size_t i = 0; i < n; i++) { lo = fmin(lo, x[i]); hi = fmax(hi, x[i]); }
  for (size_t i = 0; i < n; i++) {
    if (exact) assert_memory_equal(&got[i], &x[i], sizeof(double));
    else assert_true(fabs(got[i] - x[i]) <= (hi - lo)*near*(1 + 1e-9) + 4*DBL_EPSILON*fabs(x[i]));
  }
  size_t size = out.n;
  text_free(&out);
  free(got);
  return size;
}

static uint64_t seed = 5;
static double chance(void) {                               // in [0, 1)
  seed = seed*6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11)/0x1p53;
}

enum { N = 5000 };
static double x[N];

static void series_are_within_their_share(void **state) {
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    double size = pow(10, 40*chance() - 20), offset = trial % 3 ? size*pow(10, 4*chance()) : 0;
    double rate = pow(10, -4*chance()), jump = chance();
    for (int i = 0; i < N; i++)
      x[i] = offset + size*(sin(rate*i) + (i > N*jump ? 3 : 0) + (trial % 4 == 0 ? chance() : 0)
                            + (trial % 5 == 0 && chance() < 0.01 ? 100*chance() : 0));
    is_read_back(x, 1 + (size_t)(chance()*(N - 1)), trial % 2 ? 1e-6 : 1e-9, 0);
  }
}

static void what_has_no_quantum_keeps_its_bits(void **state) {
  (void)state;
  static const double odd[][4] = { { 1, NAN, 2, 3 }, { 1, INFINITY, 0, -0.0 }, { 1e17, 1e17 + 16, 1e17 + 32, 1e17 },
                                   { 5e-324, 0, 1e-320, 0 }, { -DBL_MAX, DBL_MAX, 0, 1 }, { 7, 7, 7, 7 },
                                   { -3, -3, -3, -3 }, { 0, 0, 0, 0 } };
  for (size_t i = 0; i < sizeof odd/sizeof *odd; i++) is_read_back(odd[i], 4, 1e-6, 1);
  is_read_back(x, 0, 1e-6, 1);
  is_read_back(x, 1, 1e-6, 1);
}

static void decimals_stay_decimals(void **state) {
  (void)state;
  for (int i = 0; i < N; i++) x[i] = i/1000.0;
  assert_true(is_read_back(x, N, 1e-9, 1) < 300);
}

static void smooth_series_are_small(void **state) {
  (void)state;
  for (int i = 0; i < N; i++) x[i] = sin(0.002*i);
  assert_true(is_read_back(x, N, 1e-6, 0) < N*3/8);       // three bits a number
  for (int i = 0; i < N; i++) x[i] = i % 500 == 0 ? chance() : 0;
  assert_true(is_read_back(x, N, 1e-6, 0) < N/2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(series_are_within_their_share),
    cmocka_unit_test(what_has_no_quantum_keeps_its_bits),
    cmocka_unit_test(decimals_stay_decimals),
    cmocka_unit_test(smooth_series_are_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
