// One block alone by Newton's method on the map of Alart and Curnier (alart_curnier.c), where local.c has no closed
// form: Contensou's exact set, and grips with more than one normal row.
//
//   exact   F_N = x_N - P_+(x_N - rho v_N),   F_T = x_T - P_{mu P_+(x_N - rho v_N) B}(x_T - rho v_T)
//           from the answer with the ellipsoid around B (their radii differ by at most 6 %); under a given normal
//           force F_T alone, with the radius as it is
//   grip    F_N = rho v_N,                    F_T = x_T - P_{mu |x_N| disk}(x_T - rho v_T)
//           from stick, or where that needs too much, from sliding against it
//   rolling F_N as exact, F_T and F_R as grip, each with a disk of its own, of radius P_+(x_N - rho v_N)
//           in the frame lambda_T / mu, lambda_R / mu2; from all ways to stick and to slide
//   given   free rows beside one or two disks of given radii: F_N = rho v_N, F_T as grip in the frame
//           lambda_T / radius; from a guess
//
// in the frame x = (N, T, lambda_s / radius), v = (u_N, u_T, radius u_s); rho = 1 / max M_ii, of `given` for each part.
#include "solver.h"
#include "runtime/la/la.h"
#include <math.h>
#include <string.h>

enum { MOST = NSM_CONE_MOST_ROWS, ITERATIONS = 60, HALVINGS = 20 };

typedef struct block {
  int    n, normals, exact, given;
  int    first_part;        // two disks: rows of the first, the rest of the tangents is the other's; -1: one
  double M[MOST * MOST], q[MOST], mu, rho[MOST];          // leading dimension n
} block;

// P of the tangents z, its derivatives D by z and `by` by the radius.
static void project(const block *k, double radius, const double *z, double *P, double *D, double *by) {
  if (k->first_part >= 0) {
    int a = k->first_part, b = k->n - k->normals - a, t = a + b;
    double part[9];
    for (int i = 0; i < t * t; i++) D[i] = 0;
    nsm_cone_project_disk_derivative(a, radius, z, P, part, by);
    for (int i = 0; i < a * a; i++) D[i % a + t * (i / a)] = part[i];
    nsm_cone_project_disk_derivative(b, radius, z + a, P + a, part, by + a);
    for (int i = 0; i < b * b; i++) D[a + i % b + t * (a + i / b)] = part[i];
  } else if (k->exact) nsm_cone_project_contensou(radius, z, P, D, by);
  else nsm_cone_project_disk_derivative(k->n - k->normals, radius, z, P, D, by);
}

// F, and its Jacobian J [n*n], column-major, where it is wanted; |F|.
static double map(const block *k, const double *x, double *F, double *J) {
  int n = k->n, first = k->normals, t = n - first;
  double v[MOST], z[MOST], P[MOST], D[MOST * MOST] = { 0 }, by[MOST] = { 0 }, force = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    v[i] = k->q[i];
    for (int j = 0; j < n; j++) v[i] += k->M[i + n * j] * x[j];
    z[i] = x[i] - k->rho[i] * v[i];
    if (i < first) force += x[i] * x[i];
  }
  force = first == 0 || k->given ? 1 : k->exact ? fmax(z[0], 0) : sqrt(force);
  project(k, k->mu * force, z + first, P, D, by);
  for (int i = 0; i < first; i++) F[i] = k->exact ? x[i] - force : k->rho[i] * v[i];
  for (int i = 0; i < t; i++) F[first + i] = x[first + i] - P[i];
  for (int i = 0; i < n; i++) sum += F[i] * F[i];
  if (!J) return sqrt(sum);
  for (int j = 0; j < n; j++) {
    double dz[MOST], dforce = 0;
    for (int i = 0; i < n; i++) dz[i] = (i == j) - k->rho[i] * k->M[i + n * j];
    if (k->exact && first > 0) dforce = z[0] > 0 ? dz[0] : 0;
    else if (!k->given && j < first && force > 0) dforce = x[j] / force;
    for (int i = 0; i < first; i++) J[i + n * j] = k->exact ? (i == j) - dforce : (i == j) - dz[i];
    for (int i = 0; i < t; i++) {
      J[first + i + n * j] = (first + i == j) - by[i] * k->mu * dforce;
      for (int l = 0; l < t; l++) J[first + i + n * j] -= D[i + t * l] * dz[first + l];
    }
  }
  return sqrt(sum);
}

static double largest_of(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static int newton(const block *k, double *x) {
  double F[MOST], J[MOST * MOST], step[MOST], now = map(k, x, F, J);
  for (int it = 0; it < ITERATIONS && now > 4e-16 * largest_of(k->n, x); it++) {
    double t = 1, next = HUGE_VAL, y[MOST];
    if (nsm_la_small_solve(k->n, J, k->n, 1e-14, F, step).code != NSM_LA_OK) break;
    for (int half = 0; half < HALVINGS; half++, t *= 0.5) {
      for (int i = 0; i < k->n; i++) y[i] = x[i] - t * step[i];
      next = map(k, y, F, NULL);
      if (next <= (1 - 1e-4 * t) * now) break;
    }
    if (!(next < now)) break;
    memcpy(x, y, (size_t)k->n * sizeof *x);
    now = map(k, x, F, J);
  }
  return now <= 1e-9 * largest_of(k->n, x);
}

// rho of rows from ... to - 1, by the largest M_ii of them; 0: there is none.
static int step_of(block *k, int from, int to) {
  double most = 0;
  for (int i = from; i < to; i++) most = fmax(most, fabs(k->M[i + k->n * i]));
  for (int i = from; i < to; i++) k->rho[i] = 1 / most;
  return from == to || (most > 0 && 1 / most < HUGE_VAL);
}

// The frame; 0 where there is no rho.
static int enter(const nsm_cone_block *b, const double *M, const double *q, const double *d, block *k) {
  *k = (block){ .n = b->size, .normals = nsm_cone_normals(b->type), .exact = nsm_cone_is_exact(b),
                .first_part = -1, .mu = b->mu };
  for (int j = 0; j < k->n; j++) {
    k->q[j] = d[j] * q[j];
    for (int i = 0; i < k->n; i++) k->M[i + k->n * j] = d[i] * M[i + k->n * j] * d[j];
  }
  return step_of(k, 0, k->n);
}

int nsm_cone_local_contensou(const nsm_cone_block *b, const double *M, const double *q, int found, double *lambda) {
  double d[4] = { 1, 1, 1, b->radius }, x[4], radius = b->mu;
  int given = nsm_cone_is_given(b->type);
  block k;
  if (given) radius = nsm_cone_round(b, d);
  if (found && (given ? !(radius > 0) : lambda[0] == 0)) return 1;           // open; lambda = 0
  if (!enter(b, M, q, d, &k)) return 0;
  k.mu = radius;
  for (int j = 0; j < b->size; j++) x[j] = found ? lambda[j] / d[j] : 0;
  found = newton(&k, x);
  for (int i = 0; i < b->size; i++) lambda[i] = d[i] * x[i];
  return found;
}

int nsm_cone_local_grip(const nsm_cone_block *b, const double *M, const double *q, double *lambda) {
  static const double one[4] = { 1, 1, 1, 1 };
  double A[MOST * MOST], f[MOST], force = 0, drag = 0;
  int n = b->size, first = nsm_cone_normals(b->type), sticks;
  block k;
  if (!enter(b, M, q, one, &k)) return 0;
  for (int pass = 0; pass < 2; pass++) {                  // stick; then the normal forces alone, sliding
    int rows = pass ? first : n;
    for (int j = 0; j < rows; j++) {
      f[j] = -q[j];
      for (int i = 0; i < rows; i++) A[i + rows * j] = M[i + n * j];
    }
    for (int i = 0; i < n; i++) lambda[i] = 0;
    sticks = nsm_la_small_solve(rows, A, rows, 1e-14, f, lambda).code == NSM_LA_OK;
    force = drag = 0;
    for (int i = 0; i < n; i++) *(i < first ? &force : &drag) += lambda[i] * lambda[i];
    if (pass == 0 && sticks && b->mu > 0 && drag <= b->mu * b->mu * force) return 1;
  }
  if (!(b->mu > 0)) return sticks;
  double v[MOST], slip = 0;
  for (int i = first; i < n; i++) {
    v[i] = q[i];
    for (int j = 0; j < first; j++) v[i] += M[i + n * j] * lambda[j];
    slip += v[i] * v[i];
  }
  for (int i = first; i < n && slip > 0; i++) lambda[i] = -b->mu * sqrt(force) * v[i] / sqrt(slip);
  return newton(&k, lambda);
}

// Rows whose disks have a radius, in their unit frame; parts: bit 0, T sticks, bit 1, R does.
static int rolling_start(const block *k, int parts, double *x) {
  double A[MOST * MOST], f[MOST], y[MOST];
  int at[MOST], n = 0, t = k->first_part;
  for (int i = 0; i < k->n; i++)
    if (i == 0 || parts >> (i > t) & 1) at[n++] = i;
  for (int j = 0; j < n; j++) {
    f[j] = -k->q[at[j]];
    for (int i = 0; i < n; i++) A[i + n * j] = k->M[at[i] + k->n * at[j]];
  }
  if (nsm_la_small_solve(n, A, n, 1e-14, f, y).code != NSM_LA_OK || !(y[0] > 0)) return 0;
  for (int i = 0; i < k->n; i++) x[i] = 0;
  for (int i = 0; i < n; i++) x[at[i]] = y[i];
  for (int part = 0; part < 2; part++) {                  // what slides: against its velocity
    int from = part ? 1 + t : 1, to = part ? k->n : 1 + t;
    double v[MOST], slip = 0, force = 0;
    for (int i = from; i < to; i++) {
      v[i] = k->q[i];
      for (int j = 0; j < k->n; j++) v[i] += k->M[i + k->n * j] * x[j];
      slip += v[i] * v[i];
      force += x[i] * x[i];
    }
    if (parts >> part & 1) {
      for (int i = from; i < to && force > y[0] * y[0]; i++) x[i] *= y[0] / sqrt(force);
    } else
      for (int i = from; i < to && slip > 0; i++) x[i] = -y[0] * v[i] / sqrt(slip);
  }
  return 1;
}

int nsm_cone_local_rolling(const nsm_cone_block *b, const double *M, const double *q, double *lambda) {
  double d[MOST] = { 1 };
  int half = (b->size - 1) / 2, at[MOST];
  block k = { .n = 1, .normals = 1, .exact = 1, .mu = 1 };
  for (int i = 0; i < b->size; i++) lambda[i] = 0;
  if (q[0] >= 0) return 1;                                // open
  at[0] = 0;
  for (int i = 1; i < b->size; i++) {
    d[i] = i <= half ? b->mu : b->mu2;
    if (!(d[i] > 0)) continue;
    k.first_part += i <= half;
    at[k.n++] = i;
  }
  for (int j = 0; j < k.n; j++) {
    k.q[j] = d[at[j]] * q[at[j]];
    for (int i = 0; i < k.n; i++) k.M[i + k.n * j] = d[at[i]] * M[at[i] + b->size * at[j]] * d[at[j]];
  }
  if (!step_of(&k, 0, k.n)) return 0;
  for (int parts = 3; parts >= 0; parts--) {
    double x[MOST];
    if (!rolling_start(&k, parts, x) || !newton(&k, x)) continue;
    for (int i = 0; i < k.n; i++) lambda[at[i]] = d[at[i]] * x[i];
    return 1;
  }
  return 0;
}

// Rows of disks behind the free ones. d: the frame; 0: it is no such problem.
static int given_frame(const nsm_cone_problem *p, block *k, int *at, double *d) {
  double most = 0;
  int rows = 0;
  for (int c = 0; c < p->cones; c++) rows += p->cone[c].size;
  k->normals = p->m - rows;
  for (int c = 0, n = k->normals; c < p->cones; c++) {
    const nsm_cone_block *b = &p->cone[c];
    double radius = nsm_cone_is_given(b->type) && !nsm_cone_is_exact(b) ? nsm_cone_round(b, d + n) : 0;
    if (!(radius > 0)) return 0;
    for (int i = 0; i < b->size; i++, n++) {
      at[n] = b->first + i;
      if (!((d[n] *= radius) > 0)) return 0;
    }
    most = fmax(most, radius);
  }
  k->first_part = p->cones == 2 ? p->cone[0].size : -1;
  for (int i = 0, c = 0, n = 0; i < p->m; i++) {
    if (c < p->cones && i == p->cone[c].first) { i += p->cone[c++].size - 1; continue; }
    if (p->lo[i] > -HUGE_VAL || p->hi[i] < HUGE_VAL) return 0;
    d[n] = most;
    at[n++] = i;
  }
  return 1;
}

int nsm_cone_local_given(const nsm_cone_problem *p, double *lambda) {
  double d[MOST], x[MOST];
  int at[MOST];
  block k = { .n = p->m, .given = 1, .mu = 1 };
  if (p->m > MOST || p->cones < 1 || p->cones > 2 || p->row_start || !given_frame(p, &k, at, d)) return 0;
  for (int j = 0; j < k.n; j++) {
    k.q[j] = d[j] * p->q[at[j]];
    x[j] = lambda[at[j]] / d[j];
    for (int i = 0; i < k.n; i++) k.M[i + k.n * j] = d[i] * p->M[at[i] + p->m * at[j]] * d[j];
  }
  int second = k.normals + (k.first_part < 0 ? k.n - k.normals : k.first_part);
  if (!step_of(&k, 0, k.normals) || !step_of(&k, k.normals, second) || !step_of(&k, second, k.n)) return 0;
  if (!newton(&k, x)) return 0;
  for (int i = 0; i < k.n; i++) lambda[at[i]] = d[i] * x[i];
  return 1;
}
