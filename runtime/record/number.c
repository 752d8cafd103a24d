// A double with 17 significant digits, digit for digit what printf("%.17g") gives, several times faster for ordinary
// numbers.
//
// With 10^e <= |x| < 10^(e+1) the digits are round(|x| 10^(16-e)). In extended precision (64 bits) a power of ten up to
// 10^27 is exact, so the product carries one rounding, of at most 2^-8 here. A larger one is the product of two: three
// roundings, of 2^-5.9 together. Where the fraction is that close to a half, or anything is unusual, printf decides.
#include "record.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { POWERS = 28, STEP = 27, STEPS = 14 };  // 10^STEP is the last of the exact ones

static int slowly(double x, char *out) { return snprintf(out, NSM_NUMBER_ROOM, "%.17g", x); }

#if LDBL_MANT_DIG >= 64
static const long double power[POWERS] = { 1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                           1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                           1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L };

static const long double steps[STEPS] = { 1e0L,   1e27L,  1e54L,  1e81L,  1e108L, 1e135L, 1e162L,
                                          1e189L, 1e216L, 1e243L, 1e270L, 1e297L, 1e324L, 1e351L };

// a 10^s; *off: what the roundings may come to, beside 1e17.
static long double scaled(double a, int s, double *off) {
  int n = s < 0 ? -s : s;
  *off = n < POWERS ? 0x1p-7 : 0x1p-5;
  if (n < POWERS) return s >= 0 ? (long double)a * power[n] : (long double)a / power[n];
  long double part = power[n % STEP], step = steps[n / STEP];
  return s >= 0 ? (long double)a * part * step : (long double)a / part / step;
}

// The 17 digits as an integer, or 0 where printf must decide. *e: decimal exponent of the first.
static uint64_t digits(double a, int *e) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits);
  int b = (int)(bits >> 52) - 1023;                        // 2^b <= a < 2^(b+1)
  if (b == -1023) b = ilogb(a);
  int k = b * 315653 >> 20;                                // floor of log10 2^b: right, or one too small
  for (int pass = 0; pass < 2; pass++, k++) {
    double off;
    long double y = scaled(a, 16 - k, &off);
    if (y >= 1e17L) continue;
    uint64_t n = (uint64_t)llrintl(y);
    double f = fabs((double)(y - (long double)(int64_t)n));
    if (n < 10000000000000000u || 0.5 - f < off || n >= 100000000000000000u) return 0;
    *e = k;
    return n;
  }
  return 0;
}
#else
static uint64_t digits(double a, int *e) { (void)a; (void)e; return 0; }
#endif

static const char pairs[] =
  "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
  "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

int nsm_number(double x, char *out) {
  double a = fabs(x);
  char *p = out;
  if (!(a < HUGE_VAL)) return slowly(x, out);
  if (signbit(x)) *p++ = '-';
  if (a == 0) { *p++ = '0'; return (int)(p - out); }
  int e = 0, n = 17;
  uint64_t d = digits(a, &e);
  if (d == 0) return slowly(x, out);
  char t[17];
  uint32_t low = (uint32_t)(d % 100000000), high = (uint32_t)(d / 100000000 % 100000000);
  for (int i = 7; i >= 1; i -= 2, low /= 100, high /= 100) {
    memcpy(t + 8 + i, pairs + 2 * (low % 100), 2);
    memcpy(t + i, pairs + 2 * (high % 100), 2);
  }
  t[0] = (char)('0' + d / 10000000000000000);
  while (n > 1 && t[n - 1] == '0') n--;
  if (e < -4 || e >= 17) {
    *p++ = t[0];
    if (n > 1) { *p++ = '.'; memcpy(p, t + 1, (size_t)(n - 1)); p += n - 1; }
    *p++ = 'e';
    *p++ = e < 0 ? '-' : '+';
    int size = e < 0 ? -e : e;
    if (size >= 100) *p++ = (char)('0' + size / 100);
    memcpy(p, pairs + 2 * (size % 100), 2);
    return (int)(p + 2 - out);
  }
  if (e < 0) {
    memcpy(p, "0.0000", 6);
    p += 1 - e;                                            // "0." and -e-1 zeros
    memcpy(p, t, (size_t)n);
    return (int)(p + n - out);
  }
  int whole = e + 1;
  if (n <= whole) {
    memcpy(p, t, (size_t)n);
    memset(p + n, '0', (size_t)(whole - n));
    return (int)(p + whole - out);
  }
  memcpy(p, t, (size_t)whole);
  p[whole] = '.';
  memcpy(p + whole + 1, t + whole, (size_t)(n - whole));
  return (int)(p + n + 1 - out);
}
