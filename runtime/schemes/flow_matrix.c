// The dense system of an instant, rows scaled: by LU, where it is regular; else its pseudo-inverse, which gives the
// smallest multipliers of rows that depend on each other.
#include "flow.h"

static const double dependent = 1e-11;

void flow_factor(nsm_sim *s, int n) {
  struct sim_flow *w = s->n.flow;
  size_t m = (size_t)n;
  double most = 0;
  for (size_t i = 0; i < m; i++) {
    double big = 0;
    for (size_t j = 0; j < m; j++) big = fmax(big, fabs(w->E[i + j * m]));
    w->scale[i] = big > 0 ? 1 / big : 1;
    for (size_t j = 0; j < m; j++) w->E[i + j * m] *= w->scale[i];
  }
  memcpy(w->kept, w->E, m * m * sizeof(double));
  w->singular = n > 0 && nsm_la_lu_factor(n, w->E, n, w->pivot).code != NSM_LA_OK;
  for (size_t i = 0; i < m; i++) most = fmax(most, fabs(w->E[i + i * m]));
  for (size_t i = 0; i < m; i++) w->singular |= !(fabs(w->E[i + i * m]) > dependent * most);
  if (!w->singular) return;
  memcpy(w->E, w->kept, m * m * sizeof(double));
  (void)nsm_la_pseudo_inverse(n, w->E, dependent, w->inverse, w->jpvt, w->work, w->lwork);
}

void flow_solve(nsm_sim *s, int n, const double *e, double *x) {
  struct sim_flow *w = s->n.flow;
  double *right = w->singular ? w->work : x;
  for (int i = 0; i < n; i++) right[i] = w->scale[i] * e[i];
  if (!w->singular) nsm_la_lu_solve(n, 1, w->E, n, w->pivot, x, n);
  else nsm_la_gemv(n, n, 1, w->inverse, n, right, 0, x);
}

// What is left of the equations, beside their terms: where the matrix is singular they may contradict each other.
double flow_off(const nsm_sim *s, int n, const double *e, const double *x) {
  const struct sim_flow *w = s->n.flow;
  double off = 0, most = DBL_MIN;
  for (int i = 0; w->singular && i < n; i++) {
    double sum = -w->scale[i] * e[i], size = fabs(sum);
    for (int j = 0; j < n; j++) {
      double term = w->kept[(size_t)i + (size_t)j * (size_t)n] * x[j];
      sum += term;
      size += fabs(term);
    }
    off = fmax(off, fabs(sum));
    most = fmax(most, size);
  }
  return off / most;
}
