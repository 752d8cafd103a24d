// The standard form of a problem with cone blocks: every cone becomes |y_T| <= y_N with s = |v_T| (solver.h).
//
// With lambda = D y, v = D u:  u_N + mu |u_T| = v_N + |v_T| for d_T = mu, and lambda.u = y.v, so solutions correspond
// one to one. Rows without freedom (mu = 0, radius = 0) leave their block: lambda = 0, u any.
#include "solver.h"
#include <math.h>
#include <string.h>

static void set_interval(nsm_cone_standard *s, double *lo, double *hi, int i, double low, double high) {
  lo[i] = low;
  hi[i] = high;
  s->d[i] = 1;
  s->unit_of[i] = -1;
}

// Scales the rows of a block, pins those with a zero coefficient, makes a unit of the rest.
static void add_block(nsm_cone_standard *s, const nsm_cone_block *b, double *lo, double *hi) {
  double factor[4] = { 1 };
  int    normal = !nsm_cone_is_given(b->type);
  nsm_cone_unit unit = { !normal                    ? NSM_UNIT_DISK
                         : b->type == NSM_CONE_GRIP ? NSM_UNIT_GRIP
                                                    : NSM_UNIT_CONE,
                         0,
                         { 0 },
                         b->radius,
                         0 };
  if (normal) nsm_cone_half_axes(b, factor + 1);
  else unit.radius = nsm_cone_round(b, factor);
  for (int k = 0; !normal && !(unit.radius > 0) && k < b->size; k++) factor[k] = 0;
  for (int k = 0; k < b->size; k++) {
    int i = b->first + k;
    set_interval(s, lo, hi, i, k == 0 && normal ? -HUGE_VAL : 0, k == 0 && normal ? HUGE_VAL : 0);
    if (!(factor[k] > 0)) continue;
    s->d[i] = factor[k];
    unit.row[unit.size++] = i;
  }
  if (unit.size == normal) {                // nothing tangential is left: a unilateral or a free row
    if (unit.kind == NSM_UNIT_CONE) lo[b->first] = 0;
    return;
  }
  for (int k = 0; k < unit.size; k++) {
    s->unit_of[unit.row[k]] = s->units;
    lo[unit.row[k]] = -HUGE_VAL;
    hi[unit.row[k]] = HUGE_VAL;
  }
  s->unit[s->units++] = unit;
}

static int scale_matrix(const nsm_cone_problem *p, nsm_cone_work *w, nsm_cone_standard *s) {
  size_t n = (size_t)p->m, entries = p->row_start ? (size_t)p->row_start[p->m] : n * n;
  double *M = nsm_cone_take_doubles(w, entries);
  if (!M) return 0;
  if (p->row_start)
    for (size_t i = 0; i < n; i++)
      for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) M[k] = s->d[i] * p->M[k] * s->d[p->col[k]];
  else
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++) M[i + j * n] = s->d[i] * p->M[i + j * n] * s->d[j];
  s->p.M = M;
  return 1;
}

int nsm_cone_standard_make(const nsm_cone_problem *p, nsm_cone_work *w, int with_matrix, nsm_cone_standard *s) {
  size_t mark = w->used, n = (size_t)p->m;
  *s = (nsm_cone_standard){ .p = *p };
  double *q = nsm_cone_take_doubles(w, n), *lo = nsm_cone_take_doubles(w, n), *hi = nsm_cone_take_doubles(w, n);
  s->d = nsm_cone_take_doubles(w, n);
  s->unit_of = nsm_cone_take_ints(w, n);
  s->unit = nsm_cone_take(w, (size_t)p->cones * sizeof *s->unit);
  if (!q || !lo || !hi || !s->d || !s->unit_of || !s->unit) { w->used = mark; return 0; }
  int i = 0;
  for (int c = 0; c <= p->cones; c++) {
    int end = c < p->cones ? p->cone[c].first : p->m;
    for (; i < end; i++) set_interval(s, lo, hi, i, p->lo[i], p->hi[i]);
    if (c == p->cones) break;
    add_block(s, &p->cone[c], lo, hi);
    i += p->cone[c].size;
  }
  for (i = 0; i < p->m; i++) q[i] = s->d[i] * p->q[i];
  s->p.q = q;
  s->p.lo = lo;
  s->p.hi = hi;
  s->p.cones = 0;
  s->p.cone = NULL;
  s->p.M = NULL;
  s->p.matrix_id = 0;
  for (int k = 0; k < s->units; k++)
    for (int r = 0; r < s->unit[k].size; r++) {
      int row = s->unit[k].row[r];
      s->unit[k].trace += s->d[row] * s->d[row] * nsm_cone_diagonal(p, row);
    }
  if (with_matrix && !scale_matrix(p, w, s)) { w->used = mark; return 0; }
  return 1;
}

void nsm_cone_to_standard(const nsm_cone_standard *s, const double *lambda, double *y) {
  for (int i = 0; i < s->p.m; i++) y[i] = lambda[i] / s->d[i];
}

void nsm_cone_from_standard(const nsm_cone_standard *s, const double *y, double *lambda) {
  for (int i = 0; i < s->p.m; i++) lambda[i] = s->d[i] * y[i];
}
