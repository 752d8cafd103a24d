// Reading files and finding one's way in them: offset -> line and column.
// A line ends at '\n'; the '\r' of a CRLF file stays in the text and is skipped by who prints it.
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vec.h"

enum { LARGEST_FILE = 64 << 20 };

const SourceFile *source_from_text(Arena *a, const char *path, const char *text, size_t len) {
  SourceFile *f = ARENA_NEW(a, SourceFile);
  f->path = arena_strndup(a, path, strlen(path));
  f->text = arena_strndup(a, text, len);
  f->len = len;
  int lines = 1;
  for (size_t i = 0; i < len; i++) lines += text[i] == '\n';
  f->line_start = ARENA_ARRAY(a, size_t, lines);
  f->n_lines = 1;
  for (size_t i = 0; i < len; i++)
    if (text[i] == '\n') f->line_start[f->n_lines++] = i + 1;
  return f;
}

static SourceStatus read_stream(Arena *a, const char *name, FILE *in, const SourceFile **out) {
  Vec(char) text = {0};
  SourceStatus status = SOURCE_OK;
  for (;;) {
    if (text.cap - text.n < 4096) text.at = vec_grow_(text.at, &text.cap, text.n + 65536, 1);
    size_t got = fread(text.at + text.n, 1, text.cap - text.n, in);
    text.n += got;
    if (text.n > LARGEST_FILE) { status = SOURCE_TOO_LARGE; break; }
    if (got == 0) {
      if (ferror(in)) status = SOURCE_UNREADABLE;
      break;
    }
  }
  if (status == SOURCE_OK) *out = source_from_text(a, name, text.at, text.n);
  int kept = errno;
  vec_free(&text);
  errno = kept;
  return status;
}

SourceStatus source_read(Arena *a, const char *path, const SourceFile **out) {
  struct stat st;
  *out = NULL;
  errno = 0;
  if (strcmp(path, "-") == 0) return read_stream(a, "<stdin>", stdin, out);
  if (stat(path, &st) != 0) return errno == ENOENT || errno == ENOTDIR ? SOURCE_MISSING : SOURCE_UNREADABLE;
  if (S_ISDIR(st.st_mode)) return SOURCE_IS_DIR;
  if (S_ISREG(st.st_mode) && st.st_size > LARGEST_FILE) return SOURCE_TOO_LARGE;
  FILE *in = fopen(path, "rb");
  if (!in) return SOURCE_UNREADABLE;
  SourceStatus status = read_stream(a, path, in, out);
  int kept = errno;
  fclose(in);
  errno = kept;
  return status;
}

SourceStatus source_read_ordinary(Arena *a, const char *path, const SourceFile **out) {
  struct stat st;
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
    *out = NULL;
    return SOURCE_IS_SPECIAL;
  }
  return source_read(a, path, out);
}

SourceStatus source_read_open(Arena *a, const char *path, const OpenTexts *open, const SourceFile **out) {
  const char *text;
  size_t n;
  if (!open || !open->find(open->with, path, &text, &n)) return source_read_ordinary(a, path, out);
  *out = n > LARGEST_FILE ? NULL : source_from_text(a, path, text, n);
  return *out ? SOURCE_OK : SOURCE_TOO_LARGE;
}

const char *source_beside(Arena *a, const SourceFile *from, const char *name) {
  const char *slash = from ? strrchr(from->path, '/') : NULL;
  if (name[0] == '/' || !slash) return name;
  return arena_printf(a, "%.*s/%s", (int)(slash - from->path), from->path, name);
}

const char *source_status_text(SourceStatus s, int saved_errno) {
  switch (s) {
    case SOURCE_OK:         return "ok";
    case SOURCE_MISSING:    return "there is no such file";
    case SOURCE_IS_DIR:     return "this is a folder, not a file";
    case SOURCE_UNREADABLE: return saved_errno ? strerror(saved_errno) : "it cannot be read";
    case SOURCE_TOO_LARGE:  return "it is larger than 64 MiB";
    case SOURCE_IS_SPECIAL: return "this is a pipe or a device, not an ordinary file";
  }
  return "it cannot be read";
}

int source_line(const SourceFile *f, size_t offset) {
  int lo = 0, hi = f->n_lines - 1;   // the last line that starts at or before the offset
  while (lo < hi) {
    int mid = lo + (hi - lo + 1) / 2;
    if (f->line_start[mid] <= offset) lo = mid;
    else hi = mid - 1;
  }
  return lo + 1;
}

int source_column(const SourceFile *f, size_t offset) {
  int column = 1;
  if (offset > f->len) offset = f->len;
  for (size_t i = f->line_start[source_line(f, offset) - 1]; i < offset; i++)
    column += ((unsigned char)f->text[i] & 0xC0) != 0x80;   // continuation bytes of UTF-8 do not count
  return column;
}

Span span_join(Span a, Span b) {
  if (!a.file) return b;
  if (!b.file || a.file != b.file) return a;
  return (Span){a.file, a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}
