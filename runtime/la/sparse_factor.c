// Numbers of the multifrontal method [Duff and Reid 1983]. A front is a dense matrix of its own unknowns and border,
//
//   [ F11  F12 ]   rows and columns: own, border
//   [ F21  F22 ]
//
// the sum of the entries of A that meet an own unknown and of the contributions of its children. P F11 = L U; what it
// leaves for its parent is F22 - (F21 U^-1)(L^-1 P F12). Pivots are sought among the own rows.
#include "la.h"
#include "sparse.h"
#include <math.h>
#include <string.h>

static void gather(const nsm_sparse *s, const nsm_sparse_front *f, int rows, const double *values) {
  double *F = s->dense;
  for (int j = 0; j < f->own; j++) {
    int k = f->first + j;
    size_t ld = (size_t)rows, col = (size_t)j;
    const double *a = values + (size_t)k + 2 * s->start[k];
    F[col + col * ld] += *a++;
    for (size_t e = s->start[k]; e < s->start[k + 1]; e++, a += 2) {
      size_t i = (size_t)s->local[s->later[e]];
      F[i + col * ld] += a[0];
      F[col + i * ld] += a[1];
    }
  }
}

static void add_child(const nsm_sparse *s, const nsm_sparse_front *child, const double *from, int rows) {
  const int *index = s->index + child->list;
  int *at = (int *)s->border;                    // places of the child's border in this front
  size_t n = (size_t)child->border;
  for (size_t i = 0; i < n; i++) at[i] = s->local[index[i]];
  for (size_t j = 0; j < n; j++, from += n) {
    double *to = s->dense + (size_t)at[j] * (size_t)rows;
    for (size_t i = 0; i < n; i++) to[at[i]] += from[i];
  }
}

static double larger(double a, double b) { return b > a ? b : a; }

// Largest entry of each column of A, by place.
static void largest_entries(const nsm_sparse *s, const double *values, double *largest) {
  for (int k = 0; k < s->n; k++) largest[k] = 0;
  for (int k = 0; k < s->n; k++) {
    const double *a = values + (size_t)k + 2 * s->start[k];
    largest[k] = larger(largest[k], fabs(*a++));
    for (size_t e = s->start[k]; e < s->start[k + 1]; e++, a += 2) {
      int j = s->later[e];
      largest[k] = larger(largest[k], fabs(a[0]));
      largest[j] = larger(largest[j], fabs(a[1]));
    }
  }
}

int nsm_sparse_factor(nsm_sparse *s, const double *values, nsm_sparse_rule rule, double small, int drop,
                      double *pivots) {
  double *stack = s->stack, *factor = s->factor;
  int top = 0;
  nsm_la_pivots r = { rule == NSM_SPARSE_PIVOTS, 1.0000001, small, drop, NULL, 0 };
  s->dropped = 0;
  if (small > 0) largest_entries(s, values, s->x);
  for (int k = 0; k < s->fronts; k++) {
    const nsm_sparse_front *f = s->front + k;
    int own = f->own, border = f->border, rows = own + border;
    size_t ld = (size_t)rows;
    double *F = s->dense;
    memset(F, 0, ld * ld * sizeof(double));
    for (int i = 0; i < own; i++) s->local[f->first + i] = i;
    for (int i = 0; i < border; i++) s->local[s->index[f->list + (size_t)i]] = own + i;
    gather(s, f, rows, values);
    for (int c = 0; c < f->children; c++) {
      const nsm_sparse_front *child = s->front + s->waiting[--top];
      stack -= (size_t)child->border * (size_t)child->border;
      add_child(s, child, stack, rows);
    }
    int *pivot = s->pivot + f->first;
    r.largest = s->x + f->first;
    int zero = nsm_la_front(own, rows, F, pivot, &r);
    s->dropped = r.dropped;
    if (zero >= 0) return s->order[f->first + zero];
    for (int j = 0; pivots && j < own; j++) pivots[s->order[f->first + j]] = F[(size_t)j * (ld + 1)];
    for (int j = 0; j < own; j++, factor += ld) memcpy(factor, F + (size_t)j * ld, ld * sizeof(double));
    for (int i = 0; i < own; i++)                // F12 by rows: solve() reads it so
      for (int j = 0; j < border; j++) *factor++ = F[(size_t)i + (size_t)(own + j) * ld];
    for (int j = 0; j < border; j++, stack += border)
      memcpy(stack, F + (size_t)(own + j) * ld + own, (size_t)border * sizeof(double));
    s->waiting[top++] = k;
  }
  return -1;
}
