// MLCP files of Siconos: free unknowns u, complementary unknowns v.
//
//   A u + C v + a = 0,   0 <= v  perp  D u + B v + b >= 0                                    lambda = (u, v)
//
//   new form     two flags; n; m; then, as the flags say, one matrix M with its blocks marked (first flag) and/or
//              A B C D a b row by row (second)
//   older form   n; m; number of rows; A B C D row by row; a; b
//
// The number of rows may exceed n + m: equations that depend on others. Each row too many gets an unknown of its own
// with a zero column, so that the problem is square and has the same solutions; these unknowns stand last and are not
// reported. Rows that are missing are 0 = 0.
#include "scan.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sizes, and which row of the problem is which: equation i is row eq(i), complementary row k is n + k.
typedef struct shape { int n, m, equations, rows; } shape;

static shape shape_of(long n, long m, long equations) {
  return (shape){ (int)n, (int)m, (int)equations, (int)(n + m + (equations > n ? equations - n : 0)) };
}
static int eq(const shape *h, int i) { return i < h->n ? i : h->m + i; }

// A part of the matrix: rows x cols numbers, row by row; row i stands in row first + i, or in eq(i) where first < 0.
typedef struct part { int rows, cols, first, col0; const char *what; } part;

static int read_part(scan *s, const shape *h, triplets *t, const part *p) {
  double x;
  for (int i = 0; i < p->rows; i++)
    for (int j = 0; j < p->cols; j++) {
      if (!scan_real(s, &x, 0, p->what)) return 0;
      if (x != 0 && !(indices_add(s, &t->row, p->first < 0 ? eq(h, i) : p->first + i) &&
                      indices_add(s, &t->col, p->col0 + j) && numbers_add(s, &t->value, x)))
        return 0;
    }
  return 1;
}

// A B C D a b into triplets and q[h->rows].
static int read_parts(scan *s, const shape *h, triplets *t, double *q) {
  int n = h->n, m = h->m, e = h->equations;
  const part parts[] = { { e, n, -1, 0, "an entry of A" }, { m, m, n, n, "an entry of B" },
                         { e, m, -1, n, "an entry of C" }, { m, n, n, 0, "an entry of D" } };
  for (int k = 0; k < 4; k++) if (!read_part(s, h, t, parts + k)) return 0;
  for (int i = 0; i < e; i++)
    if (!scan_real(s, &q[eq(h, i)], 0, "an entry of a")) return 0;
  return scan_reals(s, q + n, (size_t)m, 0, "an entry of b");
}

static size_t part_numbers(const shape *h) {
  return ((size_t)h->equations + (size_t)h->m) * ((size_t)h->n + (size_t)h->m + 1);
}

static void mark_free(nsm_problem *p, int row) { p->own_lo[row] = -HUGE_VAL; }

// The whole problem from A B C D a b: dense where it is square, else by rows.
static int read_split(scan *s, nsm_problem *p, const shape *h) {
  triplets t = { 0 };
  int good = scan_room(s, part_numbers(h), "A, B, C, D, a, b") && prob_vectors(s, p, h->rows) &&
             read_parts(s, h, &t, p->own_q) && prob_compress(s, p, h->rows, &t);
  triplets_free(&t);
  if (!good) return 0;
  for (int i = 0; i < h->n; i++) mark_free(p, i);
  for (int i = h->n + h->m; i < h->rows; i++) mark_free(p, i);
  p->unknowns = h->n + h->m;
  prob_finish_matrix(p);
  if (h->equations == h->n && !nsm_problem_densify(p)) return scan_no_memory(s);
  return 1;
}

// Block ends from 0 to n + m, then 1 for each complementary block: which rows are free. row_of[k]: row of the k-th
// unknown of (u, v).
static int read_marks(scan *s, nsm_problem *p, int n, int m, int *row_of) {
  indices ends = { 0 };
  long end, before = -1, mark;
  int good = 1, free_rows = 0, bound_rows = 0;
  do {
    scan_blanks(s);
    const char *at = s->at;
    good = scan_count(s, n + m, &end, "the end of a block");
    if (good && (before < 0 ? end != 0 : end <= before))
      good = scan_fail(s, at, NULL, "the ends of the blocks must grow from 0 to %d, and one is %ld", n + m, end);
    good = good && indices_add(s, &ends, (int)end);
    before = end;
  } while (good && end < n + m);
  for (size_t b = 0; good && b + 1 < ends.n; b++) {
    scan_blanks(s);
    const char *at = s->at;
    if (!(good = scan_count(s, 1, &mark, "whether a block is complementary (0 or 1)"))) break;
    for (int i = ends.at[b]; i < ends.at[b + 1]; i++) {
      if (mark ? bound_rows >= m : free_rows >= n) {
        good = scan_fail(s, at, NULL, "the blocks have more than %d %s rows", mark ? m : n,
                         mark ? "complementary" : "free");
        break;
      }
      if (mark) row_of[n + bound_rows++] = i;
      else { row_of[free_rows++] = i; mark_free(p, i); }
    }
  }
  free(ends.at);
  return good;
}

static double entry(const nsm_problem *p, int i, int j) {
  if (!p->own_row_start) return p->own_M[(size_t)i + (size_t)j * (size_t)p->p.m];
  for (int k = p->own_row_start[i]; k < p->own_row_start[i + 1]; k++)
    if (p->own_col[k] == j) return p->own_M[k];
  return 0;
}

// Both forms are there: they should say the same. What is not 0 in A ... b is compared with M and q.
static int compare_forms(scan *s, nsm_problem *p, const shape *h, const int *row_of) {
  triplets t = { 0 };
  double *q = scan_new(s, (size_t)h->rows, sizeof *q);
  int good = q && scan_room(s, part_numbers(h), "A, B, C, D, a, b") && read_parts(s, h, &t, q), differ = 0;
  size_t filled = 0;
  for (size_t k = 0; good && k < t.value.n; k++)
    differ |= !(entry(p, row_of[t.row.at[k]], row_of[t.col.at[k]]) == t.value.at[k]);
  size_t all = p->own_row_start ? (size_t)p->own_row_start[h->rows] : (size_t)h->rows * (size_t)h->rows;
  for (size_t k = 0; good && k < all; k++) filled += p->own_M[k] != 0;
  for (int i = 0; good && i < h->rows; i++) differ |= !(q[i] == p->own_q[row_of[i]]);
  if (good && (differ || filled != t.value.n))
    snprintf(p->note, sizeof p->note, "A, B, C, D, a, b differ from M and q: M and q are used");
  triplets_free(&t);
  free(q);
  return good;
}

static int read_new(scan *s, nsm_problem *p) {
  long one, split, n, m;
  scan_blanks(s);
  const char *at = s->at;
  if (!scan_count(s, 1, &one, "whether M is stored as one matrix (0 or 1)") ||
      !scan_count(s, 1, &split, "whether A, B, C, D are stored (0 or 1)"))
    return 0;
  if (!one && !split) return scan_fail(s, at, NULL, "both flags are 0: there is no matrix");
  if (!scan_count(s, NSM_PROBLEM_MAX_ROWS / 2, &n, "the number of free rows") ||
      !scan_count(s, NSM_PROBLEM_MAX_ROWS / 2, &m, "the number of complementary rows")) return 0;
  shape h = shape_of(n, m, n);
  if (!one) return read_split(s, p, &h);
  if (!scan_room(s, (size_t)h.rows, "entries of q") || !prob_vectors(s, p, h.rows)) return 0;
  int *row_of = scan_new(s, (size_t)h.rows, sizeof *row_of);
  int good = row_of && read_marks(s, p, h.n, h.m, row_of) && prob_dat_matrix(s, p, h.rows) &&
             scan_reals(s, p->own_q, (size_t)h.rows, 0, "an entry of q") && (!split || compare_forms(s, p, &h, row_of));
  free(row_of);
  if (!good) return 0;
  p->unknowns = h.rows;
  prob_finish_matrix(p);
  return 1;
}

static int read_older(scan *s, nsm_problem *p) {
  long n, m, rows;
  if (!scan_count(s, NSM_PROBLEM_MAX_ROWS / 4, &n, "the number of free unknowns") ||
      !scan_count(s, NSM_PROBLEM_MAX_ROWS / 4, &m, "the number of complementary unknowns")) return 0;
  scan_blanks(s);
  const char *at = s->at;
  if (!scan_count(s, NSM_PROBLEM_MAX_ROWS / 2, &rows, "the number of rows")) return 0;
  if (rows < n + m)
    return scan_fail(s, at, NULL, "there are %ld unknowns and %ld rows: there must be as many rows, or more", n + m,
                     rows);
  shape h = shape_of(n, m, rows - m);
  return read_split(s, p, &h);
}

// The new form: two flags, not both 0; where M is one matrix, the ends of blocks rise from 0 to n + m.
// In the older form entries of A and B stand there.
static int is_new(const scan *s) {
  nsm_problem_error ignored;
  scan look = *s;
  long one, split, n, m, end, before = -1;
  look.e = &ignored;
  if (!scan_count(&look, 1, &one, "") || !scan_count(&look, 1, &split, "") || !(one || split)) return 0;
  if (!one) return 1;
  if (!scan_count(&look, NSM_PROBLEM_MAX_ROWS, &n, "") || !scan_count(&look, NSM_PROBLEM_MAX_ROWS, &m, "")) return 0;
  while (before < n + m) {
    scan_blanks(&look);
    if (look.at == look.end) return before >= 0;          // cut off
    if (!scan_count(&look, n + m, &end, "") || (before < 0 ? end != 0 : end <= before)) return 0;
    before = end;
  }
  return 1;
}

int prob_read_mlcp(scan *s, nsm_problem *p) {
  int n = 0;
  p->kind = NSM_PROBLEM_MLCP;
  if (!(is_new(s) ? read_new(s, p) : read_older(s, p))) return 0;
  for (int i = 0; i < p->unknowns; i++) n += p->own_lo[i] < 0;
  prob_stored(s, p, n);
  return 1;
}
