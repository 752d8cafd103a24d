// Reading CSV (RFC 4180): names in the first line, then as many fields in every line. As files of inputs have them,
// fields are separated by semicolons or tabs where the first line has them. A byte order mark is skipped.
#include "table.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/text.h"
#include "../base/vec.h"
#include "../../runtime/shared/points.h"

static bool read_all(const char *path, Text *t) {
  FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
  if (!f) return false;
  char part[65536];
  size_t n;
  while ((n = fread(part, 1, sizeof part, f)) > 0) {
    text_addn(t, part, n);
    if (memchr(part, 0, n)) break;                         // no text, and a device may have no end
  }
  bool good = !ferror(f);
  int error = errno;
  if (f != stdin) fclose(f);
  errno = error;
  return good;
}

// The field at *at into `out`; *at goes to the separator behind it or to the end of the line. False: a quote is open.
static bool field(const char **at, char comma, Text *out) {
  const char ends[] = { comma, '\r', '\n', 0 };
  const char *c = *at;
  out->n = 0;
  text_add(out, "");
  if (*c != '"') {
    size_t n = strcspn(c, ends);
    text_addn(out, c, n);
    c += n;
  } else {
    for (c++; *c && (*c != '"' || c[1] == '"'); c++) {
      if (*c == '"') c++;
      text_addc(out, *c);
    }
    if (*c++ != '"') return false;
  }
  *at = c;
  return true;
}

static double number(const char *text) {
  char *end;
  double x = strtod(text, &end);
  return end != text && *end == 0 ? x : NAN;
}

typedef Vec(double) Numbers;

const Table *table_read(Arena *a, const char *path, const char **why) {
  Text text = {0}, one = {0};
  Table *t = ARENA_NEW(a, Table);
  Numbers *column = NULL;
  Vec(const char *) name = {0};
  long line = 1;
  *why = NULL;
  if (!read_all(path, &text)) *why = arena_printf(a, "%s: %s", path, strerror(errno));
  const char *at = text_str(&text);
  if (!*why && text.n >= 4 && !memcmp(at, "\x89HDF", 4))
    *why = arena_printf(a, "%s is HDF5, and CSV is read here: nsm run ... -o r.csv", path);
  else if (!*why && strlen(at) < text.n) *why = arena_printf(a, "%s is no text", path);
  if (!strncmp(at, "\xEF\xBB\xBF", 3)) at += 3;
  if (!*why && !*at) *why = arena_printf(a, "%s is empty", path);
  char comma = nsm_points_comma(at, strcspn(at, "\n"));
  while (!*why && *at) {
    int n = 0;
    for (bool more = true; more && !*why; n++) {
      if (!field(&at, comma, &one)) *why = arena_printf(a, "%s:%ld: a quote is open", path, line);
      else if (!column) vec_push(&name, arena_strndup(a, text_str(&one), one.n));
      else if (n < t->ncolumn) vec_push(&column[n], number(text_str(&one)));
      more = *at == comma;
      if (more) at++;
    }
    at += *at == '\r';
    if (!*why && *at && *at != '\n') *why = arena_printf(a, "%s:%ld: a comma is missing", path, line);
    if (*at == '\n') at++;
    if (!column) {
      t->ncolumn = (int)name.n;
      column = ARENA_ARRAY(a, Numbers, t->ncolumn + 1);
    } else if (!*why && n != t->ncolumn)
      *why = arena_printf(a, "%s:%ld: there are %d fields, and %d names", path, line, n, t->ncolumn);
    else t->rows++;
    line++;
  }
  t->name = vec_freeze(a, &name);
  t->value = ARENA_ARRAY(a, double *, t->ncolumn + 1);
  for (int i = 0; column && i < t->ncolumn; i++) t->value[i] = vec_freeze(a, &column[i]);
  text_free(&text);
  text_free(&one);
  return *why ? NULL : t;
}

int table_column(const Table *t, const char *name) {
  for (int i = 0; i < t->ncolumn; i++) if (!strcmp(t->name[i], name)) return i;
  return -1;
}
