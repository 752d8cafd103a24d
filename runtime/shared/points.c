#include "points.h"
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
  for (size_t at = 0; at <= end;) {
    cell c = cell_at(text, at, end, comma);
    size_t behind = c.lo + own;
    int is = !name || (c.hi - c.lo > own && strncmp(text + c.lo, name, own) == 0 && text[c.hi - 1] == ']');
    while (name && behind < c.hi && text[behind] == ' ') behind++;
    if (is && (!name || text[behind] == '[') && c.hi - c.lo < size) {
      memcpy(whole, text + c.lo, c.hi - c.lo);
      whole[c.hi - c.lo] = 0;
      return 1;
    }
    if (!name) return 0;
    at = c.next;
  }
  return 0;
}

// x NULL: cells of y may be empty.
static int read_rows(const char *text, size_t n, const char *name, double *x, double *y, nsm_points_error *e) {
  size_t stop = line_end(text, 0, n), lo = stop + 1;
  size_t first = shown_end(text, 0, stop);
  char comma = nsm_points_comma(text, first);
  int columns, k = column_of(text, first, comma, name, &columns, e), count = 0;
  if (k == 0 && x)
    return fail(e, cell_at(text, 0, first, comma), 1, 1,
                "the first column has the places of the points, not their values");
  if (k < 0) return 0;
  for (int row = 2; lo < n; row++, lo = stop + 1) {
    stop = line_end(text, lo, n);
    size_t end = shown_end(text, lo, stop), at = lo;
    if (end == lo) continue;
    int i = 0, has = x != NULL;
    for (; at <= end; i++) {
      cell c = cell_at(text, at, end, comma);
      if (i == columns) return fail(e, c, row, i + 1, "the row is longer than the first line");
      if (i == 0 && x && !number_in(text, c, row, 1, &x[count], e)) return 0;
      has |= i == k && c.hi > c.lo;
      if (i == k && has && !number_in(text, c, row, k + 1, &y[count], e)) return 0;
      at = c.next;
    }
    if (i < columns) return fail(e, (cell){ end - 1, end, 0 }, row, i + 1, "the row ends before this column");
    if (x && count > 0 && !(x[count] > x[count - 1]))
      return fail(e, cell_at(text, lo, end, comma), row, 1, "the first column does not rise");
    count += has;
  }
  return count;
}

int nsm_points_read(const char *text, size_t n, const char *name, double *x, double *y, nsm_points_error *e) {
  *e = (nsm_points_error){ 0 };
  int count = read_rows(text, n, name, x, y, e);
  if (count < 2 && !e->what) fail(e, (cell){ 0, 0, 0 }, 0, 0, "there are fewer than two points");
  return count < 2 ? 0 : count;
}

int nsm_points_numbers(const char *text, size_t n, const char *name, double *y, nsm_points_error *e) {
  *e = (nsm_points_error){ 0 };
  int count = read_rows(text, n, name, NULL, y, e);
  if (count == 0 && !e->what) fail(e, (cell){ 0, 0, 0 }, 0, 0, "the column has no numbers");
  return count;
}
