// JSON, pulled: strings, numbers, lists.
#include "json_scan.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int js_next(scan *s) {
  while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r')) s->at++;
  return s->at < s->end ? (unsigned char)*s->at : 0;
}

static int expected(scan *s, const char *what) {
  char found[48];
  js_next(s);
  scan_quote(s->at, s->end, found, sizeof found);
  const char *help = NULL;
  if (s->at >= s->end) help = "the file may be cut off";
  else if (*s->at == '/' || *s->at == '#') help = "JSON has no comments; the key \"comment\" takes text";
  else if (*s->at == '}' || *s->at == ']') help = "there may be a ',' too many";
  else if (strncasecmp(s->at, "nan", 3) == 0 || strncasecmp(s->at, "null", 4) == 0)
    help = "every entry must be a finite number";
  return scan_fail(s, s->at, help, "expected %s, found %s", what, found);
}

int js_take(scan *s, char c, const char *what) {
  if (s->failed || js_next(s) != c) return s->failed ? 0 : expected(s, what);
  s->at++;
  return 1;
}

int js_open(scan *s, js_list *l, char open, const char *what) {
  *l = (js_list){ open == '[' ? ']' : '}', 0 };
  return js_take(s, open, what);
}

int js_more(scan *s, js_list *l, const char *what) {
  if (s->failed) return 0;
  int c = js_next(s);
  if (c == l->close && s->at < s->end) {
    s->at++;
    return 0;
  }
  if (l->started) {
    char text[96];
    snprintf(text, sizeof text, "',' or '%c' after %s", l->close, what);
    if (!js_take(s, ',', text)) return 0;
    if (js_next(s) == l->close) return expected(s, what);
  }
  l->started = 1;
  return 1;
}

// ---- strings --------------------------------------------------------------------------------------------------------
static int hex4(const char *c, unsigned *x) {
  static const char digits[] = "0123456789abcdef";
  *x = 0;
  for (int i = 0; i < 4; i++) {
    const char *d = c[i] ? strchr(digits, c[i] >= 'A' && c[i] <= 'F' ? c[i] + 'a' - 'A' : c[i]) : NULL;
    if (!d) return 0;                                     // also at the final 0 of the text: never reads beyond it
    *x = 16 * *x + (unsigned)(d - digits);
  }
  return 1;
}

static char *put_utf8(char *o, unsigned x) {
  if (x < 0x80) { *o++ = (char)x; return o; }
  if (x < 0x800) *o++ = (char)(0xC0 | x >> 6);
  else {
    if (x < 0x10000) *o++ = (char)(0xE0 | x >> 12);
    else { *o++ = (char)(0xF0 | x >> 18); *o++ = (char)(0x80 | (x >> 12 & 63)); }
    *o++ = (char)(0x80 | (x >> 6 & 63));
  }
  *o++ = (char)(0x80 | (x & 63));
  return o;
}

// One escape behind the backslash at s->at; moves on.
static char *escape(scan *s, char *o) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *k = s->at[1] ? strchr(from, s->at[1]) : NULL;
  if (k) { *o++ = to[k - from]; s->at += 2; return o; }
  unsigned x, low;
  if (s->at[1] == 'u' && hex4(s->at + 2, &x) && x != 0) {
    if (x >= 0xD800 && x < 0xDC00 && s->at[6] == '\\' && s->at[7] == 'u' && hex4(s->at + 8, &low) && low >= 0xDC00 &&
        low < 0xE000) {
      x = 0x10000 + ((x - 0xD800) << 10) + (low - 0xDC00);
      s->at += 6;
    } else if (x >= 0xD800 && x < 0xE000) {
      scan_fail(s, s->at, NULL, "half a surrogate pair");
      return NULL;
    }
    s->at += 6;
    return put_utf8(o, x);
  }
  scan_fail(s, s->at, NULL, "there is no such escape in a JSON string");
  return NULL;
}

int js_string(scan *s, char **out, const char *what) {
  *out = NULL;
  if (s->failed || js_next(s) != '"') return s->failed ? 0 : expected(s, what);
  const char *start = s->at++, *close = s->at;
  while (close < s->end && *close != '"') close += *close == '\\' && close + 1 < s->end ? 2 : 1;
  if (close >= s->end) return scan_fail(s, start, NULL, "this string has no end");
  char *text = scan_new(s, (size_t)(close - s->at) + 1, 1), *o = text;
  if (!text) return 0;
  while (o && s->at < close) {
    if (*s->at == '\\') o = escape(s, o);
    else if ((unsigned char)*s->at < ' ') {
      scan_fail(s, s->at, "write \\n or \\t", "a control character in a string");
      o = NULL;
    } else *o++ = *s->at++;
  }
  if (!o) { free(text); return 0; }
  *o = 0;
  s->at = close + 1;
  *out = text;
  return 1;
}

int js_key(scan *s, char *name, size_t room) {
  char *text;
  if (!js_string(s, &text, "a key in quotes")) return 0;
  size_t n = strlen(text);
  if (n >= room) n = room - 1;
  memcpy(name, text, n);
  name[n] = 0;
  free(text);
  return js_take(s, ':', "':' after the key");
}

// ---- numbers --------------------------------------------------------------------------------------------------------
// JSON's own spelling is narrower than scan_spelling's: no '+', no leading zeros, a digit on both sides of the point.
static int json_spelling(const char *c) {
  if (*c == '-') c++;
  if (*c < '0' || *c > '9' || (*c == '0' && c[1] >= '0' && c[1] <= '9')) return 0;
  while (*c >= '0' && *c <= '9') c++;
  return *c != '.' || (c[1] >= '0' && c[1] <= '9');
}

int js_number(scan *s, double *x, int infinite, const char *what) {
  if (s->failed) return 0;
  int c = js_next(s);
  if (c == '"' && infinite) {
    int minus = s->at[1] == '-';
    if (strncmp(s->at + 1 + minus, "inf\"", 4) != 0)
      return scan_fail(s, s->at, "bounds are numbers, \"inf\" or \"-inf\"", "expected %s, found a string", what);
    *x = minus ? -HUGE_VAL : HUGE_VAL;
    s->at += 5 + minus;
    return 1;
  }
  size_t n = json_spelling(s->at) ? scan_spelling(s->at, x) : 0;
  if (n == 0) return expected(s, what);
  if (!(fabs(*x) < HUGE_VAL))
    return scan_fail(s, s->at, NULL, "%s is too large for a number of double precision", what);
  s->at += n;
  if (s->at < s->end && !strchr(" \n\t\r,]}", *s->at)) { s->at -= n; return expected(s, what); }
  return 1;
}

int js_index(scan *s, long most, int *i, const char *what) {
  double x;
  js_next(s);
  const char *at = s->at;
  if (!js_number(s, &x, 0, what)) return 0;
  if (!(x >= 0 && x <= (double)most && x == floor(x)))
    return scan_fail(s, at, NULL, "%s must be a whole number from 0 to %ld, and is %.9g", what, most, x);
  *i = (int)x;
  return 1;
}

int js_numbers(scan *s, numbers *v, int infinite, const char *what) {
  js_list l;
  double x;
  js_open(s, &l, '[', what);
  while (js_more(s, &l, "a number")) if (!js_number(s, &x, infinite, what) || !numbers_add(s, v, x)) return 0;
  return !s->failed;
}

int js_indices(scan *s, indices *v, const char *what) {
  js_list l;
  int i;
  js_open(s, &l, '[', what);
  while (js_more(s, &l, "a number")) if (!js_index(s, INT_MAX, &i, what) || !indices_add(s, v, i)) return 0;
  return !s->failed;
}
