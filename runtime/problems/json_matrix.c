// M in JSON: [[row], [row], ...], {"row_start", "col", "value"} (compressed rows) or {"row", "col", "value"} (triplets;
// equal places are added).
#include "json_scan.h"
#include <stdlib.h>
#include <string.h>

void json_free_matrix(json_matrix *M) {
  free(M->dense.at);
  free(M->start.at);
  triplets_free(&M->t);
  *M = (json_matrix){ 0 };
}

static int read_rows(scan *s, json_matrix *M) {
  js_list l;
  size_t width = 0;
  M->form = 'd';
  js_open(s, &l, '[', "the rows of M");
  while (js_more(s, &l, "a row of M")) {
    size_t before = M->dense.n;
    js_next(s);
    const char *at = s->at;
    if (!js_numbers(s, &M->dense, 0, "an entry of M")) return 0;
    size_t n = M->dense.n - before;
    if (M->dense_rows++ == 0) width = n;
    else if (n != width)
      return scan_fail(s, at, NULL, "row %zu of M has %zu entries, and row 0 has %zu", M->dense_rows - 1, n, width);
  }
  return !s->failed;
}

static int read_sparse(scan *s, json_matrix *M) {
  js_list l;
  char key[16];
  int row = 0, start = 0, col = 0, value = 0;
  js_open(s, &l, '{', "M");
  while (js_more(s, &l, "a part of M")) {
    js_next(s);
    const char *at = s->at;
    if (!js_key(s, key, sizeof key)) return 0;
    int good;
    if (!strcmp(key, "row") && !row++) good = js_indices(s, &M->t.row, "the row of an entry");
    else if (!strcmp(key, "row_start") && !start++) good = js_indices(s, &M->start, "the start of a row");
    else if (!strcmp(key, "col") && !col++) good = js_indices(s, &M->t.col, "the column of an entry");
    else if (!strcmp(key, "value") && !value++) good = js_numbers(s, &M->t.value, 0, "an entry of M");
    else
      good = scan_fail(s, at, "M is [[row], ...], {\"row_start\", \"col\", \"value\"} or {\"row\", \"col\", \"value\"}",
                       "this key is not expected here, or a second time");
    if (!good) return 0;
  }
  if (s->failed) return 0;
  if (row + start != 1 || !col || !value)
    return scan_fail(s, M->at,
                     "M is [[row], ...], {\"row_start\", \"col\", \"value\"} or {\"row\", \"col\", \"value\"}",
                     "parts of M are missing");
  M->form = row ? 't' : 'r';
  return 1;
}

int json_read_matrix(scan *s, json_matrix *M) {
  int c = js_next(s);
  M->at = s->at;
  if (c == '{') return read_sparse(s, M);
  return read_rows(s, M);
}

// Compressed rows as triplets.
static int expand_rows(scan *s, json_matrix *M, int m) {
  if (M->start.n != (size_t)m + 1)
    return scan_fail(s, M->at, NULL, "row_start has %zu entries, and must have %d: one per row and the end", M->start.n,
                     m + 1);
  for (int i = 0; i < m; i++) {
    if (M->start.at[i + 1] < M->start.at[i] || M->start.at[0] != 0)
      return scan_fail(s, M->at, NULL, "row_start must begin with 0 and not fall (row %d)", i);
    for (int k = M->start.at[i]; k < M->start.at[i + 1]; k++) {
      if ((size_t)k >= M->t.col.n)
        return scan_fail(s, M->at, NULL, "row_start goes beyond the %zu entries of col", M->t.col.n);
      if (!indices_add(s, &M->t.row, i)) return 0;
    }
  }
  if (M->t.row.n != M->t.col.n)
    return scan_fail(s, M->at, NULL, "row_start ends at %zu, and col has %zu entries", M->t.row.n, M->t.col.n);
  return 1;
}

int json_put_matrix(scan *s, nsm_problem *p, json_matrix *M, int m) {
  size_t n = (size_t)m;
  if (M->form == 'd') {
    if (M->dense_rows != n || M->dense.n != n * n)
      return scan_fail(s, M->at, NULL, "M has %zu rows of %zu entries, and q has %d: M must be square", M->dense_rows,
                       M->dense_rows ? M->dense.n / M->dense_rows : 0, m);
    if (!prob_dense(s, p, m)) return 0;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) p->own_M[i + j * n] = M->dense.at[i * n + j];
    return 1;
  }
  if (M->form == 'r' && !expand_rows(s, M, m)) return 0;
  if (M->t.row.n != M->t.value.n || M->t.col.n != M->t.value.n)
    return scan_fail(s, M->at, NULL, "row, col and value of M must be equally long, and have %zu, %zu and %zu entries",
                     M->t.row.n, M->t.col.n, M->t.value.n);
  for (size_t k = 0; k < M->t.value.n; k++)
    if (M->t.row.at[k] >= m || M->t.col.at[k] >= m)
      return scan_fail(s, M->at, "rows and columns are counted from 0",
                       "entry %zu of M stands in row %d, column %d, and q has %d rows", k, M->t.row.at[k],
                       M->t.col.at[k], m);
  return prob_compress(s, p, m, &M->t);
}
