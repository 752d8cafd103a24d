// A series: two bits for its kind, then
//   RAW       n doubles, 64 bits each, the low ones first;
//   CONSTANT  one double for all;
//   QUANTA    the digit of the quantum (1, 2, 5: two bits), its power of ten (ten bits), the least number in quanta,
//             and blocks of BLOCK numbers, counted in quanta from the least.
// A block: two bits for the order p, six for k, then the residuals of its numbers, none where k = NOTHING: all are 0.
// The residual r of a number x_i is its p-th difference, by x_i = r + sum_j (-1)^(j+1) C(p, j) x_(i-j) with zeros
// before the first; it stands as u = 2 r, or -2 r - 1 where it is negative, in Rice's code with the parameter k:
// floor(u/2^k) ones, a zero, the k low bits. FAR ones are followed by u as a whole number of 53 bits instead.
#include "pack.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../base/fatal.h"

enum { BLOCK = 64, ORDERS = 4, NOTHING = 63, FAR = 24, WHOLE = 53, POWER = 512 };
enum { RAW, CONSTANT, QUANTA };
#define MOST 0x1p48                     // of a number in quanta: its third difference has 52 bits
#define SMALLEST 1e-290                 // of a quantum; its inverse is the largest

static void put(Text *out, PackBits *b, uint64_t x, unsigned n) {
  enum { PART = 16 };
  for (; n > PART; n -= PART, x >>= PART) put(out, b, x & 0xffff, PART);
  b->held |= (unsigned)(x & ((1u << n) - 1)) << b->n;
  for (b->n += n; b->n >= 8; b->n -= 8, b->held >>= 8) text_addc(out, (char)(b->held & 255));
}

void pack_finish(Text *out, PackBits *b) {
  if (b->n) put(out, b, 0, 8 - b->n);
}

static void put_double(Text *out, PackBits *b, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put(out, b, bits, 64);
}

static uint64_t unsigned_of(int64_t r) { return r < 0 ? (uint64_t)(-(r + 1))*2 + 1 : (uint64_t)r*2; }

// ---- blocks ---------------------------------------------------------------------------------------------------------
// Bits of n residuals with the parameter k.
static size_t cost(const uint64_t *u, int n, int k) {
  size_t bits = 0;
  for (int i = 0; i < n; i++) {
    uint64_t ones = u[i] >> k;
    bits += ones < FAR ? (size_t)ones + 1 + (size_t)k : FAR + WHOLE;
  }
  return bits;
}

// The cheapest k of those about the mean of u.
static int cheapest(const uint64_t *u, int n, size_t *bits) {
  enum { MOST_K = 48 };
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (double)u[i];
  *bits = 0;
  if (sum <= 0) return NOTHING;
  int about = (int)fmin(MOST_K - 1, fmax(1, floor(log2(sum/n + 1)))), best = about;
  *bits = SIZE_MAX;
  for (int k = about > 3 ? about - 3 : 0; k <= about + 1; k++) {
    size_t now = cost(u, n, k);
    if (now < *bits) { *bits = now; best = k; }
  }
  return best;
}

// x[-3], x[-2], x[-1] are those before.
static void put_block(Text *out, PackBits *b, const int64_t *x, int n) {
  uint64_t u[ORDERS][BLOCK];
  int k[ORDERS], order = 0;
  size_t bits[ORDERS];
  for (int i = 0; i < n; i++) {
    int64_t d[ORDERS] = { x[i], x[i] - x[i - 1], x[i] - 2*x[i - 1] + x[i - 2],
                          x[i] - 3*x[i - 1] + 3*x[i - 2] - x[i - 3] };
    for (int p = 0; p < ORDERS; p++) u[p][i] = unsigned_of(d[p]);
  }
  for (int p = 0; p < ORDERS; p++) {
    k[p] = cheapest(u[p], n, &bits[p]);
    if (bits[p] < bits[order]) order = p;
  }
  put(out, b, (unsigned)order, 2);
  put(out, b, (unsigned)k[order], 6);
  for (int i = 0; i < n && k[order] != NOTHING; i++) {
    uint64_t at = u[order][i], ones = at >> k[order];
    if (ones < FAR) {
      put(out, b, (1u << ones) - 1, (unsigned)ones + 1);
      put(out, b, at & ((1ull << k[order]) - 1), (unsigned)k[order]);
    } else {
      put(out, b, (1u << FAR) - 1, FAR);
      put(out, b, at, WHOLE);
    }
  }
}

// ---- series ---------------------------------------------------------------------------------------------------------
// The largest of 1, 2, 5 times a power of ten that is at most `most`.
static double quantum_of(double most, int *digit, int *power) {
  static const int digits[] = { 1, 2, 5 };
  *power = (int)floor(log10(most));
  *digit = 0;
  for (int i = 1; i < 3; i++) if (digits[i]*pow(10, *power) <= most) *digit = i;
  return digits[*digit]*pow(10, *power);
}

void pack_series(Text *out, PackBits *b, const double *x, size_t n, size_t stride, double near) {
  double least = INFINITY, most = -INFINITY;
  bool finite = true;
  for (size_t i = 0; i < n; i++) {
    double v = x[i*stride];
    finite = finite && isfinite(v);
    least = fmin(least, v);
    most = fmax(most, v);
  }
  if (finite && (n == 0 || least == most)) {
    put(out, b, CONSTANT, 2);
    put_double(out, b, n ? least : 0);
    return;
  }
  int digit = 0, power = 0;
  double goal = finite ? 4*near*(most/2 - least/2) : 0;
  double quantum = goal > SMALLEST && goal < 1/SMALLEST ? quantum_of(goal, &digit, &power) : 0;
  if (!(quantum > 0 && fmax(fabs(least), fabs(most))/quantum < MOST)) {
    put(out, b, RAW, 2);
    for (size_t i = 0; i < n; i++) put_double(out, b, x[i*stride]);
    return;
  }
  put(out, b, QUANTA, 2);
  put(out, b, (unsigned)digit, 2);
  put(out, b, (unsigned)(power + POWER), 10);
  int64_t begin = llround(least/quantum), *whole = memory_for((n + ORDERS)*sizeof *whole);
  put(out, b, unsigned_of(begin), WHOLE);
  for (int i = 0; i < ORDERS; i++) whole[i] = 0;
  for (size_t i = 0; i < n; i++) whole[ORDERS + i] = llround(x[i*stride]/quantum) - begin;
  for (size_t i = 0; i < n; i += BLOCK)
    put_block(out, b, whole + ORDERS + i, n - i < BLOCK ? (int)(n - i) : BLOCK);
  free(whole);
}
