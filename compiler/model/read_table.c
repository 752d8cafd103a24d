// Files of comma-separated numbers: a first line with the names of the columns, then one line for each point; the first
// column rises. Mistakes are shown in the file itself, with row and column.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/suggest.h"
#include "elab.h"

static const char *beside(const Env *env, const Ast *file) {
  const char *name = file->name, *from = file->span.file->path, *slash = strrchr(from, '/');
  if (name[0] == '/' || !slash) return name;
  return arena_printf(env->e->a, "%.*s/%s", (int)(slash - from), from, name);
}

static const SourceFile *open_file(const Env *env, const Ast *file) {
  const char *path = beside(env, file);
  const SourceFile *f = NULL;
  SourceStatus s = source_read_ordinary(env->e->a, path, &f);
  if (s == SOURCE_OK) {
    map_put(env->e->files, intern(env->e->in, path), (void *)f);
    return f;
  }
  Diag *d = diag(env->e->bag, DIAG_E0238, file->span, "cannot read the table \"%s\"", file->name);
  diag_label(d, s == SOURCE_MISSING ? "there is no such file" : s == SOURCE_IS_DIR ? "this is a folder"
                : s == SOURCE_IS_SPECIAL ? "this is a pipe or a device, not an ordinary file" : "not readable");
  diag_note(d, "looked for %s", path);
  diag_help(d, "a path is read from the folder of the model");
  return NULL;
}

// The cell that begins at `lo`, without blanks and quotes; *next: behind its comma, or the end of the line.
static Span cell(const SourceFile *f, size_t lo, size_t end, size_t *next) {
  size_t hi = lo;
  while (hi < end && f->text[hi] != ',' && f->text[hi] != ';' && f->text[hi] != '\t') hi++;
  *next = hi < end ? hi + 1 : end + 1;
  while (lo < hi && strchr(" \"\r", f->text[lo])) lo++;
  while (hi > lo && strchr(" \"\r", f->text[hi - 1])) hi--;
  return (Span){ f, lo, hi };
}

static size_t end_of_line(const SourceFile *f, int line) {
  size_t end = line + 1 < f->n_lines ? f->line_start[line + 1] - 1 : f->len;
  while (end > f->line_start[line] && strchr("\r\n", f->text[end - 1])) end--;
  return end;
}

static bool says(Span s, const char *name) {
  return s.hi - s.lo == strlen(name) && !strncmp(s.file->text + s.lo, name, s.hi - s.lo);
}

// The number of the column, -1: there is none, reported.
static int column_of(const Env *env, const SourceFile *f, const Ast *column) {
  size_t end = end_of_line(f, 0), next;
  const char *names[64];
  size_t n = 0;
  int k = 0;
  for (size_t at = 0; at <= end; at = next, k++) {
    Span c = cell(f, at, end, &next);
    if (says(c, column->name)) return k;
    if (n < 64) names[n++] = arena_strndup(env->e->a, f->text + c.lo, c.hi - c.lo);
  }
  Diag *d = diag(env->e->bag, DIAG_E0238, column->span, "the file has no column `%s`", column->name);
  diag_label(d, "not in its first line");
  diag_also(d, (Span){ f, 0, end }, "the columns of the file");
  const char *near = suggest(column->name, names, n);
  if (near) diag_help(d, "did you mean \"%s\"?", near);
  else diag_help(d, "the first line of a file has the names of its columns");
  return -1;
}

static bool wrong_cell(const Env *env, const Ast *file, Span at, int row, int column, const char *what) {
  if (at.lo == at.hi && at.lo > 0) at.lo--;
  Diag *d = diag(env->e->bag, DIAG_E0238, at, "row %d, column %d: %s", row, column, what);
  diag_also(d, file->span, "read here");
  diag_help(d, "each line has a finite number for each column; those of the first column rise");
  return false;
}

static bool number_in(const Env *env, const Ast *file, Span c, int row, int column, double *out) {
  char text[64], *rest;
  size_t n = c.hi - c.lo;
  if (n == 0) return wrong_cell(env, file, c, row, column, "there is no number");
  if (n >= sizeof text) return wrong_cell(env, file, c, row, column, "this is no number");
  memcpy(text, c.file->text + c.lo, n);
  text[n] = 0;
  *out = strtod(text, &rest);
  if (*rest) return wrong_cell(env, file, c, row, column, "this is no number");
  return isfinite(*out) || wrong_cell(env, file, c, row, column, "this is no finite number");
}

// The first column, or that with number k, of a line.
static bool numbers_of(const Env *env, const Ast *file, const SourceFile *f, int line, int k, double *x, double *y) {
  size_t end = end_of_line(f, line), next;
  int i = 0;
  for (size_t at = f->line_start[line]; at <= end && i <= k; at = next, i++) {
    Span c = cell(f, at, end, &next);
    if (i == 0 && !number_in(env, file, c, line + 1, 1, x)) return false;
    if (i == k && !number_in(env, file, c, line + 1, k + 1, y)) return false;
  }
  return i > k || wrong_cell(env, file, (Span){ f, end, end }, line + 1, i + 1, "the row ends before this column");
}

int read_table(const Env *env, const Ast *file, const Ast *column, double **x, double **y) {
  const SourceFile *f = open_file(env, file);
  if (!f) return 0;
  int k = column_of(env, f, column), n = 0;
  if (k < 0) return 0;
  *x = ARENA_ARRAY(env->e->a, double, f->n_lines + 1);
  *y = ARENA_ARRAY(env->e->a, double, f->n_lines + 1);
  for (int line = 1; line < f->n_lines; line++) {
    size_t at = f->line_start[line], end = end_of_line(f, line), next;
    if (cell(f, at, end, &next).lo >= end) continue;       // an empty line
    if (!numbers_of(env, file, f, line, k, &(*x)[n], &(*y)[n])) return 0;
    if (n > 0 && !((*x)[n] > (*x)[n - 1])) {
      (void)wrong_cell(env, file, cell(f, at, end, &next), line + 1, 1, "the first column does not rise");
      return 0;
    }
    n++;
  }
  if (n >= 2) return n;
  Diag *d = diag(env->e->bag, DIAG_E0238, file->span, "the file has %d point%s", n, n == 1 ? "" : "s");
  diag_help(d, "a table has two points at least");
  return 0;
}
