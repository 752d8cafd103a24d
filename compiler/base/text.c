// Append-only string on the heap; doubling; always NUL-terminated once anything was added.
#include "text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatal.h"

static void reserve(Text *t, size_t more) {
  if (more >= (size_t)-1 - t->n - 1) out_of_memory(more);
  size_t need = t->n + more + 1, cap = t->cap ? t->cap : 64;
  if (need <= t->cap) return;
  while (cap < need) cap = cap > (size_t)-1 / 2 ? need : cap * 2;
  char *at = realloc(t->at, cap);
  if (!at) out_of_memory(cap);
  t->at = at;
  t->cap = cap;
}

void text_addn(Text *t, const char *s, size_t n) {
  reserve(t, n);
  if (n) memcpy(t->at + t->n, s, n);
  t->n += n;
  t->at[t->n] = 0;
}

void text_add(Text *t, const char *s) { text_addn(t, s, strlen(s)); }
void text_addc(Text *t, char c) { text_addn(t, &c, 1); }

void text_vprintf(Text *t, const char *fmt, va_list ap) {
  enum { MOSTLY = 120 };                 // formatted once where it is not longer
  va_list again;
  va_copy(again, ap);
  reserve(t, MOSTLY);
  int n = vsnprintf(t->at + t->n, t->cap - t->n, fmt, ap);
  if (n < 0) FATAL("a text could not be formatted: %s", fmt);
  if ((size_t)n >= t->cap - t->n) {
    reserve(t, (size_t)n);
    vsnprintf(t->at + t->n, (size_t)n + 1, fmt, again);
  }
  va_end(again);
  t->n += (size_t)n;
}

void text_printf(Text *t, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  text_vprintf(t, fmt, ap);
  va_end(ap);
}

void text_integer(Text *t, long long x) {
  char digits[24], *at = digits + sizeof digits;
  unsigned long long rest = x < 0 ? 0ull - (unsigned long long)x : (unsigned long long)x;
  do *--at = (char)('0' + rest % 10); while (rest /= 10);
  if (x < 0) *--at = '-';
  text_addn(t, at, (size_t)(digits + sizeof digits - at));
}

// A number of few decimals, m/10^k with m and 10^k whole: that quotient is what the text reads back as.
static bool few_decimals(Text *t, double x) {
  double power = 1, size = fabs(x);
  for (int k = 1; k <= 6; k++) {
    power *= 10;
    double m = nearbyint(size * power);
    if (m >= 1e15 || size < 1e-4) return false;
    if (m / power != size) continue;
    unsigned long long scale = (unsigned long long)power, whole = (unsigned long long)m;
    char digits[8];
    if (x < 0) text_addc(t, '-');
    text_integer(t, (long long)(whole / scale));
    whole %= scale;
    for (int i = k; i-- > 0; whole /= 10) digits[i] = (char)('0' + whole % 10);
    text_addc(t, '.');
    text_addn(t, digits, (size_t)k);
    return true;
  }
  return false;
}

// Shortest of %.1g … %.17g that reads back; whole numbers below 10^15 in full; exponents without '+' and zeros in
// front.
void text_number(Text *t, double x) {
  if (isnan(x)) { text_add(t, "nan"); return; }
  if (isinf(x)) { text_add(t, x < 0 ? "-inf" : "inf"); return; }
  if (fabs(x) < 1e15 && x == floor(x)) {
    if (x == 0 && signbit(x)) text_addc(t, '-');
    text_integer(t, (long long)x);
    return;
  }
  if (few_decimals(t, x)) return;
  char digits[40];
  for (int p = 15; p <= 17; p++) {           // what is shorter than 15 digits comes out of 15 without zeros
    snprintf(digits, sizeof digits, "%.*g", p, x);
    if (strtod(digits, NULL) == x) break;
  }
  char *e = strchr(digits, 'e');
  if (!e) {
    text_add(t, digits);
    return;
  }
  text_addn(t, digits, (size_t)(e - digits));
  text_printf(t, "e%d", atoi(e + 1));
}

void text_json_string(Text *t, const char *s) {
  text_addc(t, '"');
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\') text_printf(t, "\\%c", c);
    else if (c == '\n') text_add(t, "\\n");
    else if (c == '\t') text_add(t, "\\t");
    else if (c == '\r') text_add(t, "\\r");
    else if (c < 0x20 || c == 0x7f) text_printf(t, "\\u%04x", c);
    else text_addc(t, (char)c);
  }
  text_addc(t, '"');
}

void text_xml(Text *t, const char *s) {
  for (; *s; s++) {
    if (*s == '<') text_add(t, "&lt;");
    else if (*s == '>') text_add(t, "&gt;");
    else if (*s == '&') text_add(t, "&amp;");
    else if (*s == '"') text_add(t, "&quot;");
    else text_addc(t, (unsigned char)*s < ' ' && *s != '\n' && *s != '\t' ? ' ' : *s);
  }
}

const char *text_str(Text *t) { return t->at ? t->at : ""; }

void text_free(Text *t) {
  free(t->at);
  *t = (Text){0};
}

bool list_has(const char *list, const char *word, size_t n) {
  for (const char *at = list; *at;) {
    size_t k = strcspn(at, " ");
    if (k == n && memcmp(at, word, n) == 0) return true;
    at += k + (at[k] == ' ');
  }
  return false;
}
