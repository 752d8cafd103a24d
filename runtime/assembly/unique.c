// --check-unique: has a one-step problem, u = M lambda + q, -u in N_[lo, hi](lambda), more solutions than the one that
// the step took? Where M is not monotone it may: a tunnel diode, u in sgn(x) at 0, a common base with feedback.
//
// All cases are tried, in each of which a row is basic (u = 0) or at a bound, as far as there are at most CASES of them
// [Cottle, Pang and Stone 1992, section 1.3]. Solutions count as different where they give different u: forces that
// several contacts share are not told apart. Problems with friction cones or more cases are counted, not looked at.
// What is found belongs to the step that is taken at last: verdicts of iterates before are forgotten.
#include "assembly.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 14, CASES = 20000, KEPT = 8 };
enum { BASIC, AT_LOW, AT_HIGH };            // a row of a case
static const double close_by = 1e-9, apart = 1e-6;

struct sim_unique {
  long steps, not_looked, looked;      // steps with several; problems of steps that were not looked at, that were
  long at_step;                        // the first with several
  double at_time;
  int row, found, rows;                // its first row, how many solutions and rows
  char text[360];
  int  now_several, now_large, now_small;                  // of the step that is tried
  int  now_row, now_found, now_rows;
  char now_text[360];
};

void sim_unique_open(nsm_sim *s, int wanted) { s->unique = wanted ? SIM_NEW(s, 1, struct sim_unique) : NULL; }

typedef struct problem { int m; double M[MOST][MOST], q[MOST], lo[MOST], hi[MOST]; } problem;

static int take(const nsm_cone_problem *p, problem *t) {
  double cases = 1;
  if (p->m > MOST || p->cones > 0) return 0;
  t->m = p->m;
  memset(t->M, 0, sizeof t->M);
  for (int i = 0; i < p->m; i++) {
    int ends = (p->lo[i] > -HUGE_VAL) + (p->hi[i] < HUGE_VAL && p->hi[i] > p->lo[i]);
    cases *= 1 + ends;
    t->q[i] = p->q[i];
    t->lo[i] = p->lo[i];
    t->hi[i] = p->hi[i];
    if (p->row_start)
      for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) t->M[i][p->col[e]] = p->M[e];
    else for (int j = 0; j < p->m; j++) t->M[i][j] = p->M[i + (size_t)j*(size_t)p->m];
  }
  return cases <= CASES;
}

// The solution of one case, by elimination with row pivoting; 0: it has none, or not one alone.
static int solution(const problem *p, const unsigned char *state, double *lambda, double *u) {
  double A[MOST][MOST + 1];
  int basic[MOST], n = 0;
  for (int i = 0; i < p->m; i++) {
    lambda[i] = state[i] == AT_LOW ? p->lo[i] : state[i] == AT_HIGH ? p->hi[i] : 0;
    if (state[i] == BASIC) basic[n++] = i;
  }
  double largest = 0;
  for (int r = 0; r < n; r++) {
    const double *row = p->M[basic[r]];
    A[r][n] = -p->q[basic[r]];
    for (int j = 0; j < p->m; j++) A[r][n] -= row[j]*lambda[j];
    for (int c = 0; c < n; c++) { A[r][c] = row[basic[c]]; largest = fmax(largest, fabs(A[r][c])); }
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int r = k + 1; r < n; r++) if (fabs(A[r][k]) > fabs(A[best][k])) best = r;
    if (!(fabs(A[best][k]) > 1e-12*largest)) return 0;
    for (int c = 0; c <= n; c++) { double x = A[k][c]; A[k][c] = A[best][c]; A[best][c] = x; }
    for (int r = k + 1; r < n; r++) {
      double f = A[r][k]/A[k][k];
      for (int c = k; f != 0 && c <= n; c++) A[r][c] -= f*A[k][c];
    }
  }
  for (int k = n; k-- > 0;) {
    double x = A[k][n];
    for (int c = k + 1; c < n; c++) x -= A[k][c]*lambda[basic[c]];
    lambda[basic[k]] = x/A[k][k];
  }
  for (int i = 0; i < p->m; i++) {
    double size = fabs(p->q[i]), slack = close_by*(1e-3 + fabs(lambda[i]));
    u[i] = p->q[i];
    for (int j = 0; j < p->m; j++) { u[i] += p->M[i][j]*lambda[j]; size += fabs(p->M[i][j]*lambda[j]); }
    if (state[i] == BASIC && !(lambda[i] >= p->lo[i] - slack && lambda[i] <= p->hi[i] + slack)) return 0;
    if (state[i] == AT_LOW && p->lo[i] < p->hi[i] && !(u[i] >= -close_by*size)) return 0;
    if (state[i] == AT_HIGH && !(u[i] <= close_by*size)) return 0;
  }
  return 1;
}

static int differs(const problem *p, const double *a, const double *b, const double *la, const double *lb) {
  for (int i = 0; i < p->m; i++) {
    double size = fabs(p->q[i]);
    for (int j = 0; j < p->m; j++) size += fabs(p->M[i][j])*fmax(fabs(la[j]), fabs(lb[j]));
    if (fabs(a[i] - b[i]) > apart*size) return 1;
  }
  return 0;
}

static void tell(nsm_sim *s, struct sim_unique *v, int m, double lambda[][MOST], const int *row, const int *at) {
  size_t n = 0;
  v->now_text[0] = 0;
  for (int k = 0; k < v->now_found && k < 3; k++)
    for (int i = 0; i < m && i < 4 && n + 60 < sizeof v->now_text; i++) {
      char name[160];
      sim_l_name(s, s->n.r.l[row[at[i]]], name, sizeof name);
      n += (size_t)snprintf(v->now_text + n, sizeof v->now_text - n, "%s%.24s = %.4g", i ? ", " : k ? "; or " : "",
                            name, lambda[k][i]);
    }
}

void sim_unique_look(nsm_sim *s, const nsm_cone_problem *given, const double *lambda0, const int *row, const int *at) {
  struct sim_unique *v = s->unique;
  problem p;
  unsigned char state[MOST] = { 0 };
  double lambda[KEPT][MOST], u[KEPT][MOST];
  int n = 1;
  if (!take(given, &p)) { v->now_large++; return; }
  v->now_small++;
  for (int i = 0; i < p.m; i++) {
    lambda[0][i] = lambda0[i];
    u[0][i] = p.q[i];
    for (int j = 0; j < p.m; j++) u[0][i] += p.M[i][j]*lambda0[j];
  }
  for (;;) {
    int possible = 1;
    for (int i = 0; i < p.m; i++) {
      possible &= state[i] != AT_LOW || p.lo[i] > -HUGE_VAL;
      possible &= state[i] != AT_HIGH || (p.hi[i] < HUGE_VAL && p.hi[i] > p.lo[i]);
    }
    if (possible && n < KEPT && solution(&p, state, lambda[n], u[n])) {
      int new = 1;
      for (int k = 0; k < n && new; k++) new = differs(&p, u[k], u[n], lambda[k], lambda[n]);
      n += new;
    }
    int i = 0;
    while (i < p.m && ++state[i] > AT_HIGH) state[i++] = BASIC;
    if (i == p.m) break;
  }
  if (n < 2) return;
  if (v->now_several++) return;
  v->now_row = row[at[0]];
  v->now_found = n;
  v->now_rows = p.m;
  tell(s, v, p.m, lambda, row, at);
}

void sim_unique_begin(nsm_sim *s) { s->unique->now_several = s->unique->now_large = s->unique->now_small = 0; }

void sim_unique_taken(nsm_sim *s) {
  struct sim_unique *v = s->unique;
  v->not_looked += v->now_large;
  v->looked += v->now_small;
  if (v->now_several && v->steps++ == 0) {
    v->at_step = sim_step_number(s);
    v->at_time = s->now.t;
    v->row = v->now_row;
    v->found = v->now_found;
    v->rows = v->now_rows;
    memcpy(v->text, v->now_text, sizeof v->text);
  }
  sim_unique_begin(s);
}

long sim_unique_steps(const nsm_sim *s) { return s->unique->steps; }

void sim_unique_report(nsm_sim *s, char *out, size_t size) {
  const struct sim_unique *v = s->unique;
  size_t n = 0;
  if (v->steps == 0)
    n = (size_t)snprintf(out, size, "--check-unique: no one-step problem of %ld had a second solution", v->looked);
  else {
    char name[256];
    sim_row_name(s, v->row, name, sizeof name);
    n = (size_t)snprintf(out, size, "--check-unique: the problems of %ld step%s had several solutions, first that of "
                         "step %ld, t = %.10g s: %s%s has %d%s: %s; the first was taken",
                         v->steps, v->steps == 1 ? "" : "s", v->at_step, v->at_time, name,
                         v->rows > 1 ? " with what is coupled to it" : "", v->found, v->found == KEPT ? " or more" : "",
                         v->text);
  }
  if (v->not_looked > 0 && n < size)
    snprintf(out + n, size - n, "; %ld problem%s with friction cones or more than %d cases %s not looked at",
             v->not_looked, v->not_looked == 1 ? "" : "s", CASES, v->not_looked == 1 ? "was" : "were");
}
