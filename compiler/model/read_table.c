// Files of comma-separated numbers: a first line with the names of the columns, then one line for each point; the first
// column rises. Mistakes are shown in the file itself, with row and column.
#include <string.h>

#include "../../runtime/shared/points.h"
#include "../../runtime/shared/table.h"
#include "../base/suggest.h"
#include "elab.h"

static const SourceFile *open_file(const Env *env, const Ast *file) {
  const char *path = source_beside(env->e->a, file->span.file, file->name);
  const SourceFile *f = NULL;
  SourceStatus s = source_read_open(env->e->a, path, env->e->opt ? env->e->opt->open : NULL, &f);
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

// The names of the first line, for a column that is not among them.
static void no_column(const Env *env, const SourceFile *f, const Ast *column, Span line) {
  const char *names[64];
  size_t n = 0;
  for (size_t at = line.lo; at < line.hi && n < 64;) {
    size_t len = strcspn(f->text + at, ",;\t\r\n");
    const char *name = arena_strndup(env->e->a, f->text + at, len);
    names[n++] = name + strspn(name, " \"");
    at += len + 1;
  }
  Diag *d = diag(env->e->bag, DIAG_E0238, column->span, "the file has no column `%s`", column->name);
  diag_label(d, "not in its first line");
  diag_also(d, line, "the columns of the file");
  const char *near = suggest(column->name, names, n);
  if (near) {
    diag_help(d, "did you mean \"%s\"?", near);
    diag_edit(d, column->span, "\"%s\"", near);
  }
  else diag_help(d, "the first line of a file has the names of its columns");
}

int read_table(const Env *env, const Ast *file, const Ast *column, double **x, double **y) {
  nsm_points_error wrong;
  const SourceFile *f = open_file(env, file);
  if (!f) return 0;
  int lines = nsm_points_lines(f->text, f->len);
  *x = ARENA_ARRAY(env->e->a, double, lines + 1);
  *y = ARENA_ARRAY(env->e->a, double, lines + 1);
  int n = nsm_points_read(f->text, f->len, column->name, *x, *y, &wrong);
  if (n) return n;
  Span at = { f, wrong.lo, wrong.hi };
  if (wrong.row == 0) {
    Diag *d = diag(env->e->bag, DIAG_E0238, file->span, "\"%s\": %s", file->name, wrong.what);
    diag_help(d, "a first line with names, then a line of numbers for each point");
  } else if (wrong.column == 0) no_column(env, f, column, at);
  else {
    if (at.lo == at.hi && at.lo > 0) at.lo--;
    Diag *d = diag(env->e->bag, DIAG_E0238, at, "row %d, column %d: %s", wrong.row, wrong.column, wrong.what);
    diag_also(d, file->span, "read here");
    diag_help(d, "each line has a finite number for each column; those of the first column rise");
  }
  return 0;
}

double table_value(const double *points, double a, double b, double times) {
  return nsm_table_value(points, a, b, times);
}

double table_period(const MTable *t) {
  const double *x = t->data + NSM_TABLE_HEAD;
  return t->data[2] ? x[(int)t->data[0] - 1] - x[0] : 0;
}
