// Where we are in the text: words, numbers, counts; the first fault with its line and column.
#include "scan.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- faults ---------------------------------------------------------------------------------------------------------
static void place(const scan *s, const char *where, long *line, long *column) {
  const char *start = s->text;
  *line = 1;
  for (const char *c = s->text; (c = memchr(c, '\n', (size_t)(where - c))) != NULL;) { start = ++c; ++*line; }
  *column = 1;
  for (; start < where; start++) *column += ((unsigned char)*start & 0xC0) != 0x80;
}

int scan_fail(scan *s, const char *where, const char *help, const char *format, ...) {
  if (s->failed) return 0;
  s->failed = 1;
  *s->e = (nsm_problem_error){ .code = NSM_PROBLEM_WRONG };
  if (where) place(s, where, &s->e->line, &s->e->column);
  va_list list;
  va_start(list, format);
  vsnprintf(s->e->text, sizeof s->e->text, format, list);
  va_end(list);
  if (help) snprintf(s->e->help, sizeof s->e->help, "%s", help);
  return 0;
}

int scan_no_memory(scan *s) { return scan_fail(s, NULL, NULL, "there is not enough memory for this problem"); }

void *scan_new(scan *s, size_t n, size_t size) {
  void *x = s->failed ? NULL : calloc(n ? n : 1, size);
  if (!x && !s->failed) scan_no_memory(s);
  return x;
}

void scan_quote(const char *at, const char *end, char *out, size_t room) {
  size_t n = 0;
  if (at >= end) { snprintf(out, room, "the end of the file"); return; }
  out[n++] = '\'';
  for (; at < end && n + 5 < room && n < 32 && *at > ' '; at++) out[n++] = *at >= 127 || *at < 32 ? '?' : *at;
  if (at < end && *at > ' ') { memcpy(out + n, "...", 3); n += 3; }
  else if (n == 1) out[n++] = '?';             // a control character or a byte beyond ASCII
  out[n++] = '\'';
  out[n] = 0;
}

// ---- growing arrays -------------------------------------------------------------------------------------------------
static int grow(scan *s, void **at, size_t *room, size_t n, size_t size) {
  if (n < *room) return !s->failed;
  size_t more = *room ? *room + *room / 2 : 64;
  void *x = more <= SIZE_MAX / size ? realloc(*at, more * size) : NULL;
  if (!x) return scan_no_memory(s);
  *at = x;
  *room = more;
  return !s->failed;
}

int numbers_add(scan *s, numbers *v, double x) {
  void *at = v->at;
  int good = grow(s, &at, &v->room, v->n, sizeof x);
  v->at = at;
  if (good) v->at[v->n++] = x;
  return good;
}

int indices_add(scan *s, indices *v, int x) {
  void *at = v->at;
  int good = grow(s, &at, &v->room, v->n, sizeof x);
  v->at = at;
  if (good) v->at[v->n++] = x;
  return good;
}

void triplets_free(triplets *t) {
  free(t->row.at);
  free(t->col.at);
  free(t->value.at);
  *t = (triplets){ 0 };
}

// ---- words ----------------------------------------------------------------------------------------------------------
static int blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int digit(char c) { return c >= '0' && c <= '9'; }

void scan_blanks(scan *s) { while (s->at < s->end && blank(*s->at)) s->at++; }

// sign? (digits . digits?) (e sign? digits)?   with at least one digit before the exponent
size_t scan_spelling(const char *at, double *x) {
  const char *c = at;
  int digits = 0;
  if (*c == '+' || *c == '-') c++;
  for (; digit(*c); c++) digits = 1;
  if (*c == '.') for (c++; digit(*c); c++) digits = 1;
  if (!digits) return 0;
  if (*c == 'e' || *c == 'E') {
    const char *e = c + 1;
    if (*e == '+' || *e == '-') e++;
    if (digit(*e)) { while (digit(*e)) e++; c = e; }
  }
  char *end;
  *x = strtod(at, &end);               // no program of ours calls setlocale: the point is '.'
  return end == c ? (size_t)(c - at) : 0;
}

static int expected(scan *s, const char *what) {
  char found[48];
  scan_quote(s->at, s->end, found, sizeof found);
  return scan_fail(s, s->at, s->at >= s->end ? "the file may be cut off, or a count before may be too large" : NULL,
                   "expected %s, found %s", what, found);
}

static int infinity_word(const scan *s, double *x, size_t *length) {
  static const char *const word[] = { "inf", "+inf", "-inf", "INF", "-INF", "Inf", "-Inf", "infinity", "-infinity" };
  for (size_t i = sizeof word / sizeof *word; i-- > 0;) {
    size_t n = strlen(word[i]);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word[i], n) != 0 || !(s->at + n == s->end || blank(s->at[n])))
      continue;
    *x = *s->at == '-' ? -HUGE_VAL : HUGE_VAL;
    *length = n;
    return 1;
  }
  return 0;
}

int scan_real(scan *s, double *x, int infinite, const char *what) {
  scan_blanks(s);
  size_t n = scan_spelling(s->at, x);
  if (n == 0 && infinite && infinity_word(s, x, &n)) { s->at += n; return !s->failed; }
  if (n == 0 || !(s->at + n == s->end || blank(s->at[n]))) return expected(s, what);
  if (!(fabs(*x) < HUGE_VAL))
    return scan_fail(s, s->at, NULL, "%s is too large for a number of double precision", what);
  s->at += n;
  return !s->failed;
}

int scan_count(scan *s, long most, long *n, const char *what) {
  scan_blanks(s);
  const char *c = s->at;
  long value = 0;
  int large = 0;
  for (; digit(*c); c++) {
    if (value > (LONG_MAX - 9) / 10) { large = 1; continue; }
    value = 10 * value + (*c - '0');
  }
  if (c == s->at || !(c == s->end || blank(*c))) return expected(s, what);
  if (large || value > most)
    return scan_fail(s, s->at, NULL, "%s must be at most %ld, and is %.*s", what, most,
                     (int)(c - s->at < 32 ? c - s->at : 32), s->at);
  s->at = c;
  *n = value;
  return !s->failed;
}

// A word and the blank behind it take two bytes at least; the last one needs no blank.
int scan_room(scan *s, size_t n, const char *what) {
  size_t left = (size_t)(s->end - s->at);
  if (n <= left / 2 + 1) return !s->failed;
  return scan_fail(s, s->at, "the file may be cut off, or a count may be wrong",
                   "expected %zu numbers (%s), but only %zu bytes are left", n, what, left);
}

int scan_reals(scan *s, double *x, size_t n, int infinite, const char *what) {
  for (size_t i = 0; i < n; i++)
    if (!scan_real(s, &x[i], infinite, what)) return 0;
  return !s->failed;
}
