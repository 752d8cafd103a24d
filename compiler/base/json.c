// Reading JSON: one pass, at most DEEPEST brackets deep. Bytes that are no UTF-8 become U+FFFD, as do halves of pairs.
#include "json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200 };

typedef struct Reader { Arena *a; const char *at, *end; int depth; } Reader;

static const Json *value(Reader *r, const char *key);

static void blanks(Reader *r) {
  while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}

static bool take(Reader *r, char c) {
  blanks(r);
  if (r->at >= r->end || *r->at != c) return false;
  r->at++;
  return true;
}

// ---- strings --------------------------------------------------------------------------------------------------------
static size_t put_utf8(char *out, unsigned long c) {
  if (c < 0x80) { out[0] = (char)c; return 1; }
  if (c < 0x800) { out[0] = (char)(0xC0 | c >> 6); out[1] = (char)(0x80 | (c & 63)); return 2; }
  if (c < 0x10000) {
    out[0] = (char)(0xE0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 63));
    out[2] = (char)(0x80 | (c & 63));
    return 3;
  }
  out[0] = (char)(0xF0 | c >> 18);
  out[1] = (char)(0x80 | (c >> 12 & 63));
  out[2] = (char)(0x80 | (c >> 6 & 63));
  out[3] = (char)(0x80 | (c & 63));
  return 4;
}

// The four digits of \uXXXX; -1: they are none.
static long hex4(Reader *r) {
  long c = 0;
  if (r->end - r->at < 4) return -1;
  for (int i = 0; i < 4; i++) {
    char d = *r->at++;
    int x = d >= '0' && d <= '9' ? d - '0' : d >= 'a' && d <= 'f' ? d - 'a' + 10 : d >= 'A' && d <= 'F' ? d - 'A' + 10
          : -1;
    if (x < 0) return -1;
    c = 16 * c + x;
  }
  return c;
}

// Behind \u. [RFC 8259, section 7]: beyond U+FFFF a pair of surrogates.
static long code_point(Reader *r) {
  long c = hex4(r);
  if (c < 0xD800 || c > 0xDFFF) return c;
  if (c > 0xDBFF || r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u') return 0xFFFD;
  const char *back = r->at;
  r->at += 2;
  long low = hex4(r);
  if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
  r->at = back;
  return low < 0 ? -1 : 0xFFFD;
}

// How many bytes of UTF-8 stand at s; 0: none.
static size_t utf8_here(const char *text, size_t left) {
  const unsigned char *s = (const unsigned char *)text;
  size_t n = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
  if (n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  return n;
}

static bool string(Reader *r, const char **text, size_t *length) {
  if (!take(r, '"')) return false;
  const char *close = r->at;
  while (close < r->end && *close != '"') close += *close == '\\' && close + 1 < r->end ? 2 : 1;
  char *out = arena_alloc(r->a, 3 * (size_t)(close - r->at) + 1);   // at most three bytes come of one
  size_t n = 0;
  while (r->at < r->end && *r->at != '"') {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (*r->at == '\\') {
      if (++r->at >= r->end) return false;
      char c = *r->at++;
      const char *known = c ? strchr(from, c) : NULL;
      long code = 0;
      if (known) out[n++] = to[known - from];
      else if (c != 'u' || (code = code_point(r)) < 0) return false;
      else n += put_utf8(out + n, (unsigned long)code);
      continue;
    }
    size_t k = utf8_here(r->at, (size_t)(r->end - r->at));
    if (k) memcpy(out + n, r->at, k), n += k;
    else n += put_utf8(out + n, 0xFFFD);
    r->at += k ? k : 1;
  }
  if (r->at >= r->end) return false;
  r->at++;
  *text = out;
  *length = n;
  return true;
}

// ---- values ---------------------------------------------------------------------------------------------------------
// The elements of an array or of an object, behind its bracket.
static bool elements(Reader *r, Json *of, char close) {
  const Json **end = &of->first;
  if (take(r, close)) return true;
  do {
    const char *key = NULL;
    size_t n;
    if (close == '}') {
      blanks(r);
      if (!string(r, &key, &n) || !take(r, ':')) return false;
    }
    const Json *x = value(r, key);
    if (!x) return false;
    *end = x;
    end = &((Json *)(void *)x)->next;
  } while (take(r, ','));
  return take(r, close);
}

static bool word(Reader *r, const char *text) {
  size_t n = strlen(text);
  if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0) return false;
  r->at += n;
  return true;
}

static bool number(Reader *r, double *x) {
  char digits[64];
  size_t n = 0;
  while (r->at < r->end && n + 1 < sizeof digits && *r->at && strchr("+-.eE0123456789", *r->at)) digits[n++] = *r->at++;
  digits[n] = 0;
  char *end;
  *x = strtod(digits, &end);
  return n > 0 && *end == 0;
}

static const Json *value(Reader *r, const char *key) {
  Json *x = ARENA_NEW(r->a, Json);
  blanks(r);
  if (r->at >= r->end || r->depth >= DEEPEST) return NULL;
  x->key = key;
  x->raw = r->at;
  bool good = true;
  r->depth++;
  switch (*r->at) {
  case '{': x->kind = JSON_OBJECT; r->at++; good = elements(r, x, '}'); break;
  case '[': x->kind = JSON_ARRAY; r->at++; good = elements(r, x, ']'); break;
  case '"': x->kind = JSON_STRING; good = string(r, &x->text, &x->n); break;
  case 't': x->kind = JSON_TRUE; good = word(r, "true"); break;
  case 'f': x->kind = JSON_FALSE; good = word(r, "false"); break;
  case 'n': x->kind = JSON_NULL; good = word(r, "null"); break;
  default: x->kind = JSON_NUMBER; good = number(r, &x->number);
  }
  r->depth--;
  x->nraw = (size_t)(r->at - x->raw);
  return good ? x : NULL;
}

const Json *json_read(Arena *a, const char *s, size_t n) {
  Reader r = { a, s, s + n, 0 };
  const Json *x = value(&r, NULL);
  blanks(&r);
  return r.at == r.end ? x : NULL;
}

// ---- asking ---------------------------------------------------------------------------------------------------------
const Json *json_at(const Json *o, const char *path) {
  while (o && *path) {
    size_t n = strcspn(path, ".");
    const Json *x = o->kind == JSON_OBJECT ? o->first : NULL;
    while (x && (strncmp(x->key, path, n) != 0 || x->key[n] != 0)) x = x->next;
    o = x;
    path += n + (path[n] == '.');
  }
  return o;
}

const char *json_text(const Json *o, const char *path) {
  const Json *x = json_at(o, path);
  return x && x->kind == JSON_STRING ? x->text : NULL;
}

long json_whole(const Json *o, const char *path, long otherwise) {
  const Json *x = json_at(o, path);
  return x && x->kind == JSON_NUMBER && fabs(x->number) < 1e15 ? (long)x->number : otherwise;
}
