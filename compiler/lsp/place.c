// Bytes and positions, paths and URIs.
#define _XOPEN_SOURCE 700
#include "place.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// UTF-16 units of the character that begins with byte c; 0 for its other bytes.
static int units(unsigned char c) { return (c & 0xC0) == 0x80 ? 0 : c >= 0xF0 ? 2 : 1; }

Position position_of(const SourceFile *f, size_t offset) {
  if (offset > f->len) offset = f->len;
  long line = source_line(f, offset) - 1, n = 0;
  for (size_t i = f->line_start[line]; i < offset; i++) n += units((unsigned char)f->text[i]);
  return (Position){ line, n };
}

size_t offset_of(const char *text, size_t n, Position at) {
  size_t i = 0;
  for (long line = 0; line < at.line; line++) {
    const char *end = memchr(text + i, '\n', n - i);
    if (!end) return n;
    i = (size_t)(end - text) + 1;
  }
  long k = 0;
  while (k < at.character && i < n && text[i] != '\n') {
    k += units((unsigned char)text[i++]);
    while (i < n && units((unsigned char)text[i]) == 0) i++;
  }
  bool beyond = k < at.character && i > 0 && i < n;
  return beyond && text[i - 1] == '\r' ? i - 1 : i;
}

void put_range(Text *t, Span at) {
  Position lo = { 0, 0 }, hi = { 0, 0 };
  if (at.file) {
    lo = position_of(at.file, at.lo);
    hi = position_of(at.file, at.hi < at.lo ? at.lo : at.hi);
  }
  text_printf(t, "{\"start\":{\"line\":%ld,\"character\":%ld},\"end\":{\"line\":%ld,\"character\":%ld}}", lo.line,
              lo.character, hi.line, hi.character);
}

static int hex(char c) {
  return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10 : -1;
}

const char *path_of_uri(Arena *a, const char *uri) {
  if (strncmp(uri, "file://", 7) != 0) return uri;
  const char *s = strchr(uri + 7, '/');                    // behind the host
  if (!s) return uri;
  char *path = arena_strndup(a, s, strlen(s)), *out = path;
  for (; *s; s++) {
    bool coded = *s == '%' && hex(s[1]) >= 0 && hex(s[2]) >= 0 && (s[1] != '0' || s[2] != '0');
    *out++ = coded ? (char)(16 * hex(s[1]) + hex(s[2])) : *s;
    if (coded) s += 2;
  }
  *out = 0;
  return path;
}

const char *uri_of_path(Arena *a, const char *path) {
  char real[PATH_MAX];
  if (strstr(path, ":") && path[0] != '/') return path;    // it came as a URI
  if (path[0] != '/' && realpath(path, real)) path = real;
  Text t = { 0 };
  text_add(&t, "file://");
  for (; *path; path++) {
    if (isalnum((unsigned char)*path) || strchr("-._~/", *path)) text_addc(&t, *path);
    else text_printf(&t, "%%%02X", (unsigned char)*path);
  }
  const char *kept = arena_strndup(a, text_str(&t), t.n);
  text_free(&t);
  return kept;
}
