// M of a problem that is being read: dense by columns, or triplets made into compressed rows.
#include "scan.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int prob_dense(scan *s, nsm_problem *p, int m) {
  if (m > 0 && (size_t)m > SIZE_MAX / sizeof(double) / (size_t)m) return scan_no_memory(s);
  p->own_M = scan_new(s, (size_t)m * (size_t)m, sizeof(double));
  return p->own_M != NULL;
}

int prob_vectors(scan *s, nsm_problem *p, int m) {
  p->p.m = m;
  p->own_q = scan_new(s, (size_t)m, sizeof(double));
  p->own_lo = scan_new(s, (size_t)m, sizeof(double));
  p->own_hi = scan_new(s, (size_t)m, sizeof(double));
  if (s->failed) return 0;
  for (int i = 0; i < m; i++) p->own_hi[i] = HUGE_VAL;
  return 1;
}

// Stable counting sort of `order` by key.
static void sort_by(const int *key, int keys, const size_t *order, size_t n, size_t *count, size_t *out) {
  memset(count, 0, ((size_t)keys + 1) * sizeof *count);
  for (size_t k = 0; k < n; k++) count[key[k] + 1]++;
  for (int i = 0; i < keys; i++) count[i + 1] += count[i];
  for (size_t k = 0; k < n; k++) {
    size_t e = order ? order[k] : k;
    out[count[key[e]]++] = e;
  }
}

int prob_compress(scan *s, nsm_problem *p, int m, triplets *t) {
  size_t n = t->value.n;
  size_t *count = scan_new(s, (size_t)m + 2, sizeof *count), *a = scan_new(s, n, sizeof *a),
         *b = scan_new(s, n, sizeof *b);
  p->own_row_start = scan_new(s, (size_t)m + 1, sizeof(int));
  p->own_col = scan_new(s, n, sizeof(int));
  p->own_M = scan_new(s, n, sizeof(double));
  if (n > INT32_MAX) scan_fail(s, NULL, NULL, "the matrix has more than %d entries", INT32_MAX);
  if (!s->failed) {
    sort_by(t->col.at, m, NULL, n, count, a);
    sort_by(t->row.at, m, a, n, count, b);
    int k = 0;
    for (size_t e = 0; e < n; e++) {
      int i = t->row.at[b[e]], j = t->col.at[b[e]];
      if (e > 0 && t->row.at[b[e - 1]] == i && p->own_col[k - 1] == j) {
        p->own_M[k - 1] += t->value.at[b[e]];
        continue;
      }
      p->own_col[k] = j;
      p->own_M[k++] = t->value.at[b[e]];
      p->own_row_start[i + 1] = k;
    }
    for (int i = 0; i < m; i++)
      if (p->own_row_start[i + 1] < p->own_row_start[i]) p->own_row_start[i + 1] = p->own_row_start[i];
  }
  free(count);
  free(a);
  free(b);
  return !s->failed;
}

void prob_finish_matrix(nsm_problem *p) {
  int m = p->p.m;
  p->p.M = p->own_M;
  p->p.row_start = p->own_row_start;
  p->p.col = p->own_col;
  if (!p->own_row_start) { p->entries = (size_t)m * (size_t)m; p->bandwidth = m; return; }
  p->entries = (size_t)p->own_row_start[m];
  p->bandwidth = 0;
  for (int i = 0; i < m; i++)
    for (int k = p->own_row_start[i]; k < p->own_row_start[i + 1]; k++) {
      int apart = abs(i - p->own_col[k]);
      if (apart > p->bandwidth) p->bandwidth = apart;
    }
}

int nsm_problem_densify(nsm_problem *p) {
  int m = p->p.m;
  size_t n = (size_t)m;
  if (!p->own_row_start) return 1;
  double *M = n == 0 || n <= SIZE_MAX / sizeof(double) / n ? calloc(n * n + 1, sizeof(double)) : NULL;
  if (!M) return 0;
  for (int i = 0; i < m; i++)
    for (int k = p->own_row_start[i]; k < p->own_row_start[i + 1]; k++)
      M[(size_t)i + (size_t)p->own_col[k] * n] += p->own_M[k];
  free(p->own_M);
  free(p->own_row_start);
  free(p->own_col);
  p->own_M = M;
  p->own_row_start = p->own_col = NULL;
  prob_finish_matrix(p);
  return 1;
}
