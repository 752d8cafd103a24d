// Numbers of the multifrontal method [Duff and Reid 1983]. A front is a dense matrix of its own unknowns and border,
//
//   [ F11  F12 ]   rows and columns: own, border
//   [ F21  F22 ]
//
// the sum of the entries of A that meet an own unknown and of the contributions of its children. P F11 = L U; what it
// leaves for its parent is F22 - (F21 U^-1)(L^-1 P F12). Pivots are sought among the own rows.
#include "front_pivots.h"

enum { PANEL = 32 };

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

static void exchange(int columns, double *F, size_t ld, int i, int k) {
  for (int j = 0; j < columns; j++, F += ld) { double t = F[i]; F[i] = F[k]; F[k] = t; }
}

// P F11 = L U of [own, own], in panels; the exchanges are within the columns of the front's own. -1, or the column of
// the first pivot that vanishes.
static int eliminate(int own, double *F, size_t ld, int *pivot, nsm_la_pivots *r) {
  for (int from = 0; from < own; from += PANEL) {
    int end = from + PANEL < own ? from + PANEL : own;
    for (int j = from; j < end; j++) {
      double *a = F + (size_t)j * ld;
      int best = la_pivot(j, own, a, r);
      if (best < 0 && !r->drop) return j;
      pivot[j] = best < 0 ? la_drop(j, own, a, r) : best;
      if (best < 0) continue;
      if (best != j) exchange(own, F, ld, j, best);
      la_divide(own - j - 1, a[j], a + j + 1);
      for (int c = j + 1; c < end; c++) {
        double *x = F + (size_t)c * ld + j;
        if (*x != 0) la_subtract(own - j - 1, *x, a + j + 1, x + 1);
      }
    }
    if (end == own) break;
    nsm_la_lower_solve(end - from, 1, own - end, F + from + (size_t)from * ld, (int)ld, F + from + (size_t)end * ld,
                       (int)ld);
    nsm_la_add_product(own - end, own - end, end - from, -1, F + end + (size_t)from * ld, (int)ld,
                       F + from + (size_t)end * ld, (int)ld, 0, F + end + (size_t)end * ld, (int)ld);
  }
  return -1;
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

// Four columns of the border at a time with the few own ones of small fronts; larger ones by tiles.
static void update(int border, int own, double *F, int rows) {
  double *F12 = F + (size_t)own * (size_t)rows, *F21 = F + own, *F22 = F12 + own;
  nsm_la_add_product(border, border, own, -1, F21, rows, F12, rows, 0, F22, rows);
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
    int few = own <= NSM_LA_FEW_COLUMNS,
        zero = few ? nsm_la_front_columns(own, rows, F, pivot, &r) : eliminate(own, F, ld, pivot, &r);
    s->dropped = r.dropped;
    if (zero >= 0) return s->order[f->first + zero];
    for (int j = 0; pivots && j < own; j++) pivots[s->order[f->first + j]] = F[(size_t)j * (ld + 1)];
    if (border > 0 && !few) {
      double *F12 = F + (size_t)own * ld;
      for (int i = 0; i < own; i++) if (pivot[i] != i) exchange(border, F12, ld, i, pivot[i]);
      if (own > 1) nsm_la_lower_solve(own, 1, border, F, rows, F12, rows);
      nsm_la_upper_solve_right(border, own, F, rows, F + own, rows);
      update(border, own, F, rows);
    }
    for (int j = 0; j < own; j++, factor += ld) memcpy(factor, F + (size_t)j * ld, ld * sizeof(double));
    for (int i = 0; i < own; i++)                // F12 by rows: solve() reads it so
      for (int j = 0; j < border; j++) *factor++ = F[(size_t)i + (size_t)(own + j) * ld];
    for (int j = 0; j < border; j++, stack += border)
      memcpy(stack, F + (size_t)(own + j) * ld + own, (size_t)border * sizeof(double));
    s->waiting[top++] = k;
  }
  return -1;
}
