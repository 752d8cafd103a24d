// The matrix of a trace's equations by its unknowns, and its factors: entries of rows (trace_rows.c), each row scaled
// to a largest entry of 1.
#include "trace.h"
#include "runtime/assembly/assembly.h"
#include "runtime/la/pivoted.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct trace_matrix {
  nsm_columns A;
  int    *start, *row, *at, *order;     // at: of each entry the value of rows
  double *value, *plain, *scale;        // entries, scaled; before, NAN: there are no factors; [n] of rows
  nsm_lu  lu;
  nsm_lu_work work;
};

// Entries by columns.
static void take_entries(const trace *t, trace_matrix *m) {
  const trace_rows *r = &t->rows;
  int n = t->nw;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++)
      for (int e = r->eq[i].first + r->eq[i].given; e < r->eq[i].first + r->eq[i].n; e++) {
        int j = r->of[e] - r->ngiven;
        if (pass == 0) { m->start[j + 2]++; continue; }
        m->at[m->start[j + 1]] = e;
        m->row[m->start[j + 1]++] = i;
      }
    for (int j = 0; pass == 0 && j < n; j++) m->start[j + 2] += m->start[j + 1];
  }
}

int trace_matrix_open(trace *t, nsm_sim *s) {
  const nsm_la_memory memory = sim_la_memory(s);
  size_t n = (size_t)t->nw, entries = 0;
  for (size_t i = 0; i < n; i++) entries += (size_t)(t->rows.eq[i].n - t->rows.eq[i].given);
  size_t ints = 2 * n + 2 + 2 * entries;
  size_t doubles = n + 2 * entries, seen = entries;
  trace_matrix *m = memory.take(memory.of, sizeof *m + doubles * sizeof(double) + ints * sizeof(int) + seen);
  if (!m) return 0;
  m->value = (double *)(m + 1);
  m->plain = m->value + entries;
  m->scale = m->plain + entries;
  m->start = (int *)(m->scale + n);
  m->order = m->start + n + 2;
  m->row = m->order + n;
  m->at = m->row + entries;
  take_entries(t, m);
  m->A = (nsm_columns){ t->nw, m->start, m->row, m->value, NULL, (unsigned char *)(m->at + entries) };
  if (!nsm_lu_open(&m->lu, t->nw, 0, 4 * entries, &memory) || !nsm_lu_work_open(&m->work, t->nw, &memory) ||
      !nsm_lu_order(&m->A, NULL, m->order, &memory)) return 0;
  for (size_t i = 0; i < entries; i++) m->plain[i] = NAN;
  t->matrix = m;
  return 1;
}

// The same values have their factors already.
static int is_new(const trace *t, trace_matrix *m) {
  int same = 1;
  for (int e = 0; e < m->start[m->A.n]; e++) {
    double x = t->rows.value[m->at[e]];
    same &= x == m->plain[e];
    m->plain[e] = x;
  }
  return !same;
}

const double *trace_matrix_factor(trace *t, nsm_sim *s, double singular) {
  trace_matrix *m = t->matrix;
  const nsm_la_memory memory = sim_la_memory(s);
  int n = m->A.n, entries = m->start[n];
  if (!is_new(t, m)) return m->scale;
  memset(m->scale, 0, (size_t)n * sizeof *m->scale);
  for (int e = 0; e < entries; e++) m->scale[m->row[e]] = fmax(m->scale[m->row[e]], fabs(m->plain[e]));
  for (int i = 0; i < n; i++) m->scale[i] = m->scale[i] > 0 ? 1 / m->scale[i] : 1;
  for (int e = 0; e < entries; e++) m->value[e] = m->scale[m->row[e]] * m->plain[e];
  if (nsm_lu_again(&m->lu, &m->A, singular, &m->work) ||
      nsm_lu_factor(&m->lu, &m->A, m->order, singular, &m->work, &memory) == 0) return m->scale;
  for (int e = 0; e < entries; e++) m->plain[e] = NAN;
  return NULL;
}

void trace_matrix_solve(const trace *t, double *x) {
  trace_matrix *m = t->matrix;
  nsm_lu_solve(&m->lu, x, NULL, &m->work);
}

void trace_matrix_solve_lanes(const trace *t, double *b, int lanes, int *place) {
  const nsm_lu *f = &t->matrix->lu;
  nsm_lu_solve_lanes(f, b, lanes);
  for (int k = 0; k < f->n; k++) place[f->order[k]] = f->row[k];
}

void trace_matrix_places(const trace *t, const unsigned char *of, int *unknown, int *place) {
  const trace_matrix *m = t->matrix;
  for (int k = 0, n = 0; k < m->A.n; k++) {
    if (!of[m->order[k]]) continue;
    unknown[n] = m->order[k];
    place[n++] = k;
  }
}

void trace_matrix_inverse(const trace *t, const int *place, int n, double *b, int lanes) {
  nsm_lu_inverse(&t->matrix->lu, place, n, b, lanes);
}
