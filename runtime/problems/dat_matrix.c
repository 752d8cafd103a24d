// Matrices of the plain-text problem files: dense, or by blocks.
#include "scan.h"
#include <limits.h>
#include <stdlib.h>

static int read_dense(scan *s, nsm_problem *p, int n) {
  long rows, cols;
  scan_blanks(s);
  const char *at = s->at;
  if (!scan_count(s, NSM_PROBLEM_MAX_ROWS, &rows, "the number of rows") ||
      !scan_count(s, NSM_PROBLEM_MAX_ROWS, &cols, "the number of columns"))
    return 0;
  if (rows != n || cols != n)
    return scan_fail(s, at, NULL, "the dense matrix is said to be %ld x %ld here, and %d x %d before", rows, cols, n,
                     n);
  size_t size = (size_t)n * (size_t)n;
  return scan_room(s, size, "entries of M") && prob_dense(s, p, n) && scan_reals(s, p->own_M, size, 0, "an entry of M");
}

// Cumulative ends of n blocks: ascending, the last one is `last`.
static int read_ends(scan *s, indices *ends, long n, int last, const char *what) {
  long before = 0, end = 0;
  for (long i = 0; i < n; i++, before = end) {
    scan_blanks(s);
    const char *at = s->at;
    if (!scan_count(s, INT_MAX, &end, what)) return 0;
    if (end <= before || end > last)
      return scan_fail(s, at, NULL, "%s must grow from %ld to at most %d, and is %ld", what, before, last, end);
    if (!indices_add(s, ends, (int)end)) return 0;
  }
  if (end != last) return scan_fail(s, s->at, NULL, "%s: the blocks end at %ld, the matrix at %d", what, end, last);
  return 1;
}

typedef struct blocks { indices row_end, col_end, start, col; } blocks;

static int read_layout(scan *s, blocks *b, int n, long *stored) {
  long R, C, filled1, filled2, value, before = 0;
  if (!scan_count(s, INT_MAX, stored, "the number of blocks")) return 0;
  if (!scan_count(s, n, &R, "the number of block rows") || !scan_count(s, n, &C, "the number of block columns"))
    return 0;
  if (!read_ends(s, &b->row_end, R, n, "the end of a block row") ||
      !read_ends(s, &b->col_end, C, n, "the end of a block column"))
    return 0;
  if (!scan_count(s, R + 1, &filled1, "the length of the row pointer") ||
      !scan_count(s, *stored, &filled2, "the number of block columns stored"))
    return 0;
  if (filled2 != *stored)
    return scan_fail(s, s->at, NULL, "%ld blocks are announced, and the columns of %ld", *stored, filled2);
  for (long i = 0; i < filled1; i++, before = value) {
    scan_blanks(s);
    const char *at = s->at;
    if (!scan_count(s, filled2, &value, "the row pointer")) return 0;
    if (value < before || (i == 0 && value != 0))
      return scan_fail(s, at, NULL, "the row pointer must start at 0 and not fall, and is %ld after %ld", value,
                       before);
    if (!indices_add(s, &b->start, (int)value)) return 0;
  }
  if (before != filled2)
    return scan_fail(s, s->at, NULL, "the row pointer ends at %ld, and there are %ld blocks", before, filled2);
  for (long i = 0; i < filled2; i++)
    if (!scan_count(s, C - 1, &value, "the column of a block") || !indices_add(s, &b->col, (int)value)) return 0;
  return 1;
}

static int read_one_block(scan *s, triplets *t, int r0, int r1, int c0, int c1) {
  long number;
  double x;
  if (!scan_count(s, INT_MAX, &number, "the number of a block")) return 0;
  for (int j = c0; j < c1; j++)
    for (int i = r0; i < r1; i++)
      if (!scan_real(s, &x, 0, "an entry of a block") || !indices_add(s, &t->row, i) || !indices_add(s, &t->col, j) ||
          !numbers_add(s, &t->value, x))
        return 0;
  return 1;
}

static int read_blocks(scan *s, nsm_problem *p, int n) {
  blocks b = { 0 };
  triplets t = { 0 };
  long stored;
  int good = read_layout(s, &b, n, &stored);
  for (size_t r = 0; good && r + 1 < b.start.n; r++)
    for (int k = b.start.at[r]; good && k < b.start.at[r + 1]; k++) {
      int c = b.col.at[k];
      good = read_one_block(s, &t, r > 0 ? b.row_end.at[r - 1] : 0, b.row_end.at[r], c > 0 ? b.col_end.at[c - 1] : 0,
                            b.col_end.at[c]);
    }
  good = good && prob_compress(s, p, n, &t);
  triplets_free(&t);
  free(b.row_end.at);
  free(b.col_end.at);
  free(b.start.at);
  free(b.col.at);
  return good;
}

int prob_dat_matrix(scan *s, nsm_problem *p, int n) {
  long storage, rows, cols;
  scan_blanks(s);
  const char *at = s->at;
  if (!scan_count(s, INT_MAX, &storage, "how the matrix is stored (0 dense, 1 blocks)")) return 0;
  if (storage == 2)
    return scan_fail(s, at, "write it dense (0) or as blocks (1), or use the JSON format",
                     "matrices stored sparse (2) are not supported yet");
  if (storage > 2) return scan_fail(s, at, NULL, "a matrix is stored dense (0) or as blocks (1), not as %ld", storage);
  scan_blanks(s);
  at = s->at;
  if (!scan_count(s, INT_MAX, &rows, "the number of rows") || !scan_count(s, INT_MAX, &cols, "the number of columns"))
    return 0;
  if (rows != n || cols != n)
    return scan_fail(s, at, "the kind of the problem may be another one: --kind",
                     "the matrix must be %d x %d, and is %ld x %ld", n, n, rows, cols);
  return storage == 0 ? read_dense(s, p, n) : read_blocks(s, p, n);
}
