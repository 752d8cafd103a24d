// The tableau shared by lemke.c, lemke_free.c and branch.c: opening, exchange, rebuilding, and the accurate reading of
// a basis.
#include "tableau.h"
#include "runtime/la/la.h"
#include <math.h>
#include <string.h>

enum { EQUILIBRATIONS = 4, REFINEMENTS = 3 };

// ---- the problem, equilibrated --------------------------------------------------------------------------------------
static double power_of_two(double x) { return x > 0 && x < HUGE_VAL ? exp2(round(log2(x))) : 1.0; }

// M into T, scaled by E and D.
static void load_matrix(nsm_tableau *k) {
  const nsm_cone_problem *p = k->p;
  size_t m = (size_t)k->m;
  if (p->row_start) {
    memset(k->T, 0, m * m * sizeof(double));
    for (size_t i = 0; i < m; i++)
      for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
        k->T[i + (size_t)p->col[e] * m] = p->M[e] * k->row[i] * k->column[p->col[e]];
  } else
    for (size_t j = 0; j < m; j++)
      for (size_t i = 0; i < m; i++) k->T[i + j * m] = p->M[i + j * m] * k->row[i] * k->column[j];
}

// Rows and columns alternately divided by the root of their largest entry (Ruiz 2001). `largest` [2m] is scratch.
static void equilibrate(nsm_tableau *k, double *largest) {
  int m = k->m;
  for (int i = 0; i < m; i++) k->row[i] = k->column[i] = 1.0;
  for (int sweep = 0; sweep < EQUILIBRATIONS; sweep++) {
    load_matrix(k);
    memset(largest, 0, 2 * (size_t)m * sizeof(double));
    for (int j = 0; j < m; j++) {
      const double *C = nsm_tableau_column(k, j);
      for (int i = 0; i < m; i++) {
        double a = fabs(C[i]);
        if (a > largest[i]) largest[i] = a;
        if (a > largest[m + j]) largest[m + j] = a;
      }
    }
    int even = 1;
    for (int i = 0; i < m; i++) {
      double r = power_of_two(sqrt(largest[i])), c = power_of_two(sqrt(largest[m + i]));
      k->row[i] /= r;
      k->column[i] /= c;
      even &= r == 1 && c == 1;
    }
    if (even) break;
  }
  double q_max = 0;
  for (int i = 0; i < m; i++) q_max = fmax(q_max, fabs(k->p->q[i] * k->row[i]));
  for (int i = 0; i < m && q_max == 0; i++) {   // q = 0: the bounds give the unit
    if (fabs(k->p->lo[i]) < HUGE_VAL) q_max = fmax(q_max, fabs(k->p->lo[i] / k->column[i]));
    if (fabs(k->p->hi[i]) < HUGE_VAL) q_max = fmax(q_max, fabs(k->p->hi[i] / k->column[i]));
  }
  k->unit = power_of_two(q_max);
}

int nsm_tableau_open(nsm_tableau *k, const nsm_cone_problem *p, nsm_cone_work *w) {
  size_t m = (size_t)p->m;
  memset(k, 0, sizeof *k);
  k->p = p;
  k->m = p->m;
  k->basic = nsm_cone_take_ints(w, m);
  k->nonbasic = nsm_cone_take_ints(w, m + 1);
  k->where = nsm_cone_take_ints(w, 2 * m + 1);
  k->x = nsm_cone_take_doubles(w, m);
  k->value = nsm_cone_take_doubles(w, 2 * m + 1);
  k->q = nsm_cone_take_doubles(w, m);
  k->lo = nsm_cone_take_doubles(w, m);
  k->hi = nsm_cone_take_doubles(w, m);
  k->row = nsm_cone_take_doubles(w, m);
  k->column = nsm_cone_take_doubles(w, m);
  k->cover = nsm_cone_take_doubles(w, m);
  k->T = nsm_cone_take_doubles(w, m * (m + 1));
  k->charged = &w->work;
  if (!k->basic || !k->nonbasic || !k->where || !k->x || !k->value || !k->q || !k->lo || !k->hi || !k->row ||
      !k->column || !k->cover || !k->T)
    return 0;
  equilibrate(k, k->value);
  for (int i = 0; i < p->m; i++) {
    k->q[i] = p->q[i] * k->row[i] / k->unit;
    k->lo[i] = p->lo[i] / (k->column[i] * k->unit);
    k->hi[i] = p->hi[i] / (k->column[i] * k->unit);
    k->cover[i] = 0;
  }
  memset(k->value, 0, (2 * m + 1) * sizeof(double));
  return 1;
}

// u' = q' + M' lambda' + cover z from the values.
static void start_values(nsm_tableau *k) {
  int m = k->m;
  memcpy(k->x, k->q, (size_t)m * sizeof(double));
  for (int c = 0; c <= m; c++) {
    double t = k->value[m + c];
    const double *C = nsm_tableau_column(k, c);
    if (t != 0) for (int i = 0; i < m; i++) k->x[i] += C[i] * t;
  }
}

void nsm_tableau_load(nsm_tableau *k) {
  int m = k->m;
  load_matrix(k);
  memcpy(nsm_tableau_column(k, m), k->cover, (size_t)m * sizeof(double));
  for (int i = 0; i < m; i++) {
    k->basic[i] = k->where[i] = i;
    k->nonbasic[i] = m + i;
    k->where[m + i] = -1 - i;
    k->value[i] = 0;
  }
  k->nonbasic[m] = 2 * m;
  k->where[2 * m] = -1 - m;
  k->exchanges = 0;
  start_values(k);
}

// ---- exchange -------------------------------------------------------------------------------------------------------
void nsm_tableau_exchange(nsm_tableau *k, int r, int s, double t, double leaving_value) {
  int m = k->m, entering = k->nonbasic[s], leaving = k->basic[r];
  double *S = nsm_tableau_column(k, s), pivot = S[r];
  *k->charged += 2.0 * m * m;
  for (int i = 0; i < m; i++) k->x[i] += S[i] * t;
  k->x[r] = k->value[entering] + t;
  k->value[leaving] = leaving_value;

  // n_s = (x_r - sum T_rc n_c) / T_rs, put into the other rows
  for (int c = 0; c <= m; c++) {
    double *C = nsm_tableau_column(k, c);
    if (c == s || C[r] == 0) continue;
    double f = -C[r] / pivot;
    for (int i = 0; i < m; i++) C[i] += S[i] * f;
    C[r] = f;
  }
  double inverse = 1.0 / pivot;
  for (int i = 0; i < m; i++) S[i] *= inverse;
  S[r] = inverse;

  k->basic[r] = entering;
  k->nonbasic[s] = leaving;
  k->where[entering] = r;
  k->where[leaving] = -1 - s;
  k->exchanges++;
}

void nsm_tableau_move(nsm_tableau *k, int c, double to) {
  int v = k->nonbasic[c];
  double t = to - k->value[v];
  const double *C = nsm_tableau_column(k, c);
  if (t != 0) for (int i = 0; i < k->m; i++) k->x[i] += C[i] * t;
  k->value[v] = to;
}

int nsm_tableau_rebuild(nsm_tableau *k, unsigned char *flags) {
  int m = k->m;
  // flags: 1 basic now; the values of lambda and z become those of nonbasic variables, the targets of u stay in value
  double *target = k->value;
  for (int v = 0; v <= 2 * m; v++) {
    flags[v] = k->where[v] >= 0;
    if (flags[v]) k->value[v] = k->x[k->where[v]];
  }
  load_matrix(k);
  memcpy(nsm_tableau_column(k, m), k->cover, (size_t)m * sizeof(double));
  for (int i = 0; i < m; i++) { k->basic[i] = k->where[i] = i; k->nonbasic[i] = m + i; k->where[m + i] = -1 - i; }
  k->nonbasic[m] = 2 * m;
  k->where[2 * m] = -1 - m;
  start_values(k);
  for (;;) {
    int row = -1, column = -1;
    double best = 0;
    for (int c = 0; c <= m; c++) {
      if (!flags[k->nonbasic[c]]) continue;
      const double *C = nsm_tableau_column(k, c);
      for (int r = 0; r < m; r++)
        if (!flags[k->basic[r]] && fabs(C[r]) > best) { best = fabs(C[r]); row = r; column = c; }
    }
    if (row < 0) break;
    if (best < 1e-13) return 0;
    double to = target[k->basic[row]];
    nsm_tableau_exchange(k, row, column, (to - k->x[row]) / nsm_tableau_column(k, column)[row], to);
  }
  k->exchanges = 0;
  for (int r = 0; r < m; r++)
    if (!flags[k->basic[r]]) return 0;
  return 1;
}

// ---- the answer -----------------------------------------------------------------------------------------------------
void nsm_tableau_read(const nsm_tableau *k, double *lambda) {
  for (int i = 0; i < k->m; i++)
    lambda[i] = nsm_cone_project(nsm_tableau_value(k, k->m + i) * k->column[i] * k->unit, k->p->lo[i], k->p->hi[i]);
}

// E (u_target - q - M lambda) for row i, in extended precision.
static double row_residual(const nsm_tableau *k, int i, const double *lambda) {
  const nsm_cone_problem *p = k->p;
  long double sum = p->q[i];
  if (p->row_start)
    for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) sum += (long double)p->M[e] * lambda[p->col[e]];
  else
    for (int j = 0; j < k->m; j++) sum += (long double)p->M[(size_t)i + (size_t)j * (size_t)k->m] * lambda[j];
  return (double)((long double)k->value[i] * k->unit - sum * k->row[i]);
}

int nsm_tableau_polish(nsm_tableau *k, double *lambda, double *scratch, int *index) {
  int m = k->m, n = 0, columns = 0, *R = index, *C = index + m, *ipiv = k->nonbasic;
  nsm_tableau_read(k, lambda);
  for (int i = 0; i < m; i++) {
    if (k->where[i] < 0) R[n++] = i;
    if (k->where[m + i] >= 0) C[columns++] = i;
    else lambda[i] = nsm_cone_project(k->value[m + i] * k->column[i] * k->unit, k->p->lo[i], k->p->hi[i]);
  }
  if (n != columns) return 0;
  if (n == 0) return 1;
  // gather M'_RC: the scaled matrix is loaded again, then compressed in place (never ahead of what is still to be read)
  load_matrix(k);
  for (int c = 0; c < n; c++) {
    const double *from = nsm_tableau_column(k, C[c]);
    double *to = k->T + (size_t)c * (size_t)n;
    for (int r = 0; r < n; r++) to[r] = from[R[r]];
  }
  if (nsm_la_lu_factor(n, k->T, n, ipiv).code != NSM_LA_OK) return 0;
  for (int pass = 0; pass < REFINEMENTS; pass++) {
    double step = 0, size = 0;
    for (int r = 0; r < n; r++) scratch[r] = row_residual(k, R[r], lambda);
    nsm_la_lu_solve(n, 1, k->T, n, ipiv, scratch, n);
    for (int c = 0; c < n; c++) {
      step = fmax(step, fabs(scratch[c]));
      size = fmax(size, fabs(lambda[C[c]] / k->column[C[c]]));
    }
    if (!(step < HUGE_VAL) || (pass > 0 && step > size)) break;
    for (int c = 0; c < n; c++) lambda[C[c]] += scratch[c] * k->column[C[c]];
    if (step <= 1e-16 * size) break;
  }
  nsm_cone_project_all(k->p, lambda);
  return 1;
}
