// What is done with the entries of A themselves, in the order in which they stand in the values: for each place of the
// order its diagonal entry, then A_(later, place), A_(place, later) for each later neighbour.
#include "sparse.h"
#include "la.h"
#include <math.h>
#include <string.h>

// body sees a place's unknown `row`, a later unknown `other`, and `a`: a[0] = A_(other, row), a[1] = A_(row, other).
#define OVER_PAIRS(s, values, on_diagonal, on_pair)                                               \
  for (int k_ = 0; k_ < (s)->n; k_++) {                                                           \
    int row = (s)->order[k_];                                                                     \
    size_t e_ = (s)->start[k_];                                                                   \
    size_t at_ = (size_t)k_ + 2 * e_;                                                             \
    { size_t a = at_; on_diagonal }                                                               \
    for (at_++; e_ < (s)->start[k_ + 1]; e_++, at_ += 2) {                                        \
      int other = (s)->order[(s)->later[e_]];                                                     \
      size_t a = at_;                                                                             \
      on_pair                                                                                     \
    }                                                                                             \
  }

void nsm_sparse_multiply(const nsm_sparse *s, const double *values, double factor, const double *x, double *y) {
  OVER_PAIRS(s, values, { y[row] += factor * values[a] * x[row]; }, {
    y[other] += factor * values[a] * x[row];
    y[row] += factor * values[a + 1] * x[other];
  })
}

void nsm_sparse_scale(const nsm_sparse *s, double *values, const double *by) {
  OVER_PAIRS(s, values, { values[a] *= by[row] * by[row]; }, {
    values[a] *= by[row] * by[other];
    values[a + 1] *= by[row] * by[other];
  })
}

static void largest(double value, double *most) {
  double x = fabs(value);
  if (x > *most) *most = x;
}

void nsm_sparse_balance(const nsm_sparse *s, double *values, double *rows, double *columns) {
  for (int i = 0; i < s->n; i++) rows[i] = columns[i] = 0;
  OVER_PAIRS(s, values, { largest(values[a], &rows[row]); }, {
    largest(values[a], &rows[other]);
    largest(values[a + 1], &rows[row]);
  })
  for (int i = 0; i < s->n; i++) rows[i] = rows[i] > 0 ? 1 / rows[i] : 1;
  OVER_PAIRS(s, values, { largest(values[a] *= rows[row], &columns[row]); }, {
    largest(values[a] *= rows[other], &columns[row]);
    largest(values[a + 1] *= rows[row], &columns[other]);
  })
  for (int i = 0; i < s->n; i++) columns[i] = columns[i] > 0 ? 1 / columns[i] : 1;
  OVER_PAIRS(s, values, { values[a] *= columns[row]; }, {
    values[a] *= columns[row];
    values[a + 1] *= columns[other];
  })
}

void nsm_sparse_expand(const nsm_sparse *s, const double *values, double *A) {
  size_t n = (size_t)s->n;
  memset(A, 0, n * n * sizeof(double));
  OVER_PAIRS(s, values, { A[(size_t)row * (n + 1)] = values[a]; }, {
    A[(size_t)other + (size_t)row * n] = values[a];
    A[(size_t)row + (size_t)other * n] = values[a + 1];
  })
}

void nsm_sparse_expand_band(const nsm_sparse *s, const double *values, int reach, int ldab, double *AB) {
  memset(AB, 0, (size_t)s->n * (size_t)ldab * sizeof(double));
  OVER_PAIRS(s, values, { AB[nsm_la_band_index(reach, reach, ldab, row, row)] = values[a]; }, {
    AB[nsm_la_band_index(reach, reach, ldab, other, row)] = values[a];
    AB[nsm_la_band_index(reach, reach, ldab, row, other)] = values[a + 1];
  })
}
