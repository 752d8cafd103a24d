#include "points.h"
#include "unit.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cell { size_t lo, hi, next; } cell;         // without blanks and quotes; behind its comma

static int among(char c, const char *set) { return c && strchr(set, c) != NULL; }

static cell cell_at(const char *text, size_t lo, size_t end, char comma) {
  size_t hi = lo;
  while (hi < end && text[hi] != comma) hi++;
  cell c = { lo, hi, hi < end ? hi + 1 : end + 1 };
  while (c.lo < c.hi && among(text[c.lo], " \"")) c.lo++;
  while (c.hi > c.lo && among(text[c.hi - 1], " \"")) c.hi--;
  return c;
}

static size_t line_end(const char *text, size_t lo, size_t n) {
  while (lo < n && text[lo] != '\n') lo++;
  return lo;
}

static size_t shown_end(const char *text, size_t lo, size_t end) {
  while (end > lo && among(text[end - 1], "\r ")) end--;
  return end;
}

int nsm_points_lines(const char *text, size_t n) {
  int lines = 1;
  for (size_t i = 0; i < n; i++) lines += text[i] == '\n';
  return lines;
}

static int fail(nsm_points_error *e, cell c, int row, int column, const char *what) {
  *e = (nsm_points_error){ c.lo, c.hi, row, column, what };
  return 0;
}

static int number_in(const char *text, cell c, int row, int column, double *out, nsm_points_error *e) {
  char copy[64], *rest;
  size_t n = c.hi - c.lo;
  if (n == 0) return fail(e, c, row, column, "there is no number");
  if (n >= sizeof copy) return fail(e, c, row, column, "this is no number");
  memcpy(copy, text + c.lo, n);
  copy[n] = 0;
  if (strpbrk(copy, "xX")) return fail(e, c, row, column, "this is no number");     // strtod reads hexadecimal ones
  *out = strtod(copy, &rest);
  if (*rest) return fail(e, c, row, column, "this is no number");
  return isfinite(*out) || fail(e, c, row, column, "this is no finite number");
}

char nsm_points_comma(const char *text, size_t end) {
  return memchr(text, ';', end) ? ';' : memchr(text, '\t', end) ? '\t' : ',';
}

// The number of the column, from 0; *columns: how many there are.
static int column_of(const char *text, size_t end, char comma, const char *name, int *columns, nsm_points_error *e) {
  int found = -1, numbers = 0, k = 0;
  for (size_t at = 0; at <= end; k++) {
    nsm_points_error none;
    double x;
    cell c = cell_at(text, at, end, comma);
    numbers += number_in(text, c, 1, k + 1, &x, &none);
    if (name ? c.hi - c.lo == strlen(name) && !strncmp(text + c.lo, name, c.hi - c.lo) : k == 1) {
      if (found >= 0) { fail(e, c, 1, k + 1, "two columns have this name"); return -1; }
      found = k;
    }
    at = c.next;
  }
  *columns = k;
  if (numbers == k) {
    fail(e, cell_at(text, 0, end, comma), 1, 1, "this is a number, and the first line has the names of the columns");
    return -1;
  }
  if (found < 0) fail(e, (cell){ 0, end, 0 }, 1, 0, "there is no such column");
  return found;
}

int nsm_points_name(const char *text, size_t n, const char *name, char *whole, size_t size) {
  size_t end = shown_end(text, 0, line_end(text, 0, n)), own = name ? strlen(name) : 0;
  char comma = nsm_points_comma(text, end);
  int found = 0;
  for (size_t at = 0; at <= end;) {
    cell c = cell_at(text, at, end, comma);
    size_t behind = c.lo + own;
    int is = !name || (c.hi - c.lo >= own && strncmp(text + c.lo, name, own) == 0), exact = is && behind == c.hi;
    while (name && behind < c.hi && text[behind] == ' ') behind++;
    is = is && (!name || exact || (text[behind] == '[' && text[c.hi - 1] == ']'));
    if (is && (!found || exact) && c.hi - c.lo < size) {
      memcpy(whole, text + c.lo, c.hi - c.lo);
      whole[c.hi - c.lo] = 0;
      found = 1;
    }
    if (!name || exact) return found;
    at = c.next;
  }
  return found;
}

int nsm_points_in_si(const char *name, const char *wanted, double *x, int count) {
  nsm_unit given, own;
  char unit[64];
  const char *open = strrchr(name, '['), *close = open ? strchr(open, ']') : NULL;
  if (!close || close[1] || open == name || isdigit((unsigned char)open[1]) || close - open > 64) return 0;
  memcpy(unit, open + 1, (size_t)(close - open) - 1);
  unit[close - open - 1] = 0;
  if (!nsm_unit_parse(unit, &given, NULL, NULL)) return -1;
  if (*wanted && nsm_unit_parse(wanted, &own, NULL, NULL) && !nsm_unit_same(&given, &own)) return -2;
  for (int i = 0; i < count; i++) x[i] = nsm_to_si(x[i], given.scale);
  return 1;
}

// Columns of the first line: of the places (-1: there are none), of the values; how many there are. holes: cells of
// values may be empty.
typedef struct reading {
  const char *text; size_t n;
  int x, y, columns, holes;
  char comma;
  nsm_points_error *e;
} reading;

static int read_names(reading *r, const char *time, const char *name) {
  size_t end = shown_end(r->text, 0, line_end(r->text, 0, r->n));
  r->comma = nsm_points_comma(r->text, end);
  r->y = column_of(r->text, end, r->comma, name, &r->columns, r->e);
  if (r->y >= 0 && time) r->x = column_of(r->text, end, r->comma, time, &r->columns, r->e);
  if (r->y < 0 || (time && r->x < 0)) return 0;
  return r->x != r->y || fail(r->e, cell_at(r->text, 0, end, r->comma), 1, 1,
                              time ? "this column has the times of the points, not their values"
                                   : "the first column has the places of the points, not their values");
}

// A row from lo to end: *x, and *y where it has one (*has).
static int read_row(const reading *r, cell line, int row, double *x, double *y, int *has) {
  int i = 0;
  *has = 0;
  for (size_t at = line.lo; at <= line.hi; i++) {
    cell c = cell_at(r->text, at, line.hi, r->comma);
    if (i == r->columns) return fail(r->e, c, row, i + 1, "the row is longer than the first line");
    if (i == r->x && !number_in(r->text, c, row, i + 1, x, r->e)) return 0;
    if (i == r->y && (!r->holes || c.hi > c.lo) && !(*has = number_in(r->text, c, row, i + 1, y, r->e))) return 0;
    at = c.next;
  }
  if (i == r->columns) return 1;
  return fail(r->e, (cell){ line.hi - 1, line.hi, 0 }, row, i + 1, "the row ends before this column");
}

static int read_rows(const reading *r, double *x, double *y) {
  int count = 0, has;
  size_t stop = line_end(r->text, 0, r->n), lo = stop + 1;
  for (int row = 2; lo < r->n; row++, lo = stop + 1) {
    stop = line_end(r->text, lo, r->n);
    cell line = { lo, shown_end(r->text, lo, stop), 0 };
    if (line.hi == lo) continue;
    if (!read_row(r, line, row, x ? &x[count] : NULL, &y[count], &has)) return 0;
    if (x && has && count > 0 && !(x[count] > x[count - 1]))
      return fail(r->e, cell_at(r->text, lo, line.hi, r->comma), row, r->x + 1,
                  r->holes ? "the time does not rise" : "the first column does not rise");
    count += has;
  }
  return count;
}

int nsm_points_read(const char *text, size_t n, const char *name, double *x, double *y, nsm_points_error *e) {
  reading r = { .text = text, .n = n, .e = e };
  *e = (nsm_points_error){ 0 };
  int count = read_names(&r, NULL, name) ? read_rows(&r, x, y) : 0;
  if (count < 2 && !e->what) fail(e, (cell){ 0, 0, 0 }, 0, 0, "there are fewer than two points");
  return count < 2 ? 0 : count;
}

int nsm_points_measured(const char *text, size_t n, const char *time, const char *name, double *x, double *y,
                        nsm_points_error *e) {
  reading r = { .text = text, .n = n, .x = -1, .holes = 1, .e = e };
  *e = (nsm_points_error){ 0 };
  int count = read_names(&r, time, name) ? read_rows(&r, time ? x : NULL, y) : 0;
  if (count == 0 && !e->what) fail(e, (cell){ 0, 0, 0 }, 0, 0, "the column has no numbers");
  return count;
}
