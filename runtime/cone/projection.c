// Projections on the sets K_i with their generalised derivatives, and the active set seen by the natural map.
#include "solver.h"
#include <float.h>
#include <math.h>

static inline double norm(int n, const double *x) {
  double sum = 0;
  if (n == 1) return fabs(x[0]);
  for (int k = 0; k < n; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

// The three pieces of the cone: itself, its polar -{x_0 + mu |x_T| <= 0}, and between them
//   N = (x_0 + mu t) / (1 + mu^2),  T = mu N w,   t = |x_T|, w = x_T / t.
void nsm_cone_project_cone(int n, double mu, const double *x, double *out) {
  double t = norm(n - 1, x + 1), normal = x[0] + mu * t;
  if (t <= mu * x[0] && x[0] >= 0) {   // mu = 0: 0 <= -0 holds
    for (int k = 0; k < n; k++) out[k] = x[k];
    return;
  }
  normal = normal > 0 ? normal / (1 + mu * mu) : 0;
  out[0] = normal;
  for (int k = 1; k < n; k++) out[k] = t > 0 ? mu * normal * (x[k] / t) : 0;
}

//   dN = (dx_0 + mu w.dx_T) / (1 + mu^2),   dT = mu w dN + (mu N / t) (I - w w^T) dx_T
void nsm_cone_project_cone_derivative(int n, double mu, const double *x, double *out, double *J) {
  double t = norm(n - 1, x + 1), normal = x[0] + mu * t, w[4] = { 0 };
  int inside = t <= mu * x[0] && x[0] >= 0, outside = !inside && (normal <= 0 || t == 0);
  for (int k = 1; k < n && !inside && !outside; k++) w[k] = x[k] / t;
  for (int k = 0; k < n * n; k++) J[k] = 0;
  if (inside)
    for (int k = 0; k < n; k++) J[k + k * n] = 1;
  if (!inside && !outside) {
    double f = 1 / (1 + mu * mu), turn = mu * normal * f / t;
    J[0] = f;
    for (int k = 1; k < n; k++) {
      J[k] = J[k * n] = f * mu * w[k];
      for (int l = 1; l < n; l++) J[k + l * n] = f * mu * mu * w[k] * w[l] + turn * ((k == l) - w[k] * w[l]);
    }
  }
  nsm_cone_project_cone(n, mu, x, out);
}

// min over N >= 0 of (N - x_0)^2 + (|x_T| - mu N)_+^2 + (|x_R| - mu2 N)_+^2: convex, quadratic between the N at which a
// part enters its disk; its slope is 2 ((1 + sum mu_i^2) N - x_0 - sum mu_i t_i), sums over the parts outside at N.
void nsm_cone_project_rolling(int k, double mu, double mu2, const double *x, double *out) {
  double m[2] = { mu, mu2 }, t[2] = { norm(k, x + 1), norm(k, x + 1 + k) }, N = x[0];
  for (int parts = 1; parts <= 3; parts++) {            // one outside, the other, both: the largest N of them
    double sum = x[0], f = 1;
    for (int i = 0; i < 2; i++)
      if (parts >> i & 1) { sum += m[i] * t[i]; f += m[i] * m[i]; }
    int all = 1;                                        // are these outside at this N, and the others inside?
    for (int i = 0; i < 2; i++) all &= (t[i] > m[i] * (sum / f)) == (parts >> i & 1);
    if (all) N = sum / f;
  }
  if (!(N > 0)) N = 0;
  out[0] = N;
  for (int i = 0; i < 2 * k; i++) {
    double radius = m[i / k] * N, length = t[i / k];
    out[1 + i] = length <= radius ? x[1 + i] : length > 0 ? radius * (x[1 + i] / length) : 0;
  }
}

void nsm_cone_project_disk(int n, double radius, const double *x, double *out) {
  double t = norm(n, x), f = t <= radius ? 1 : radius / t;
  for (int k = 0; k < n; k++) out[k] = f * x[k];
}

void nsm_cone_project_disk_derivative(int n, double radius, const double *x, double *out, double *J,
                                      double *by_radius) {
  double t = norm(n, x), w[3] = { 0 };
  int inside = t <= radius;
  for (int k = 0; k < n && !inside; k++) w[k] = x[k] / t;
  for (int k = 0; k < n; k++) {
    by_radius[k] = w[k];
    for (int l = 0; l < n; l++) J[k + l * n] = inside ? k == l : radius / t * ((k == l) - w[k] * w[l]);
  }
  nsm_cone_project_disk(n, radius, x, out);
}

// In the frame in which the cone is circular (residual_rows.h).
void nsm_cone_project_block(const nsm_cone_block *b, double *lambda) {
  double d[4] = { 1, 1, 1, 1 }, y[4] = { 0 }, mu = b->mu;
  if (nsm_cone_set_of(b->type).parts == 2) {                    // lengths measured by mu2 / mu, as the verifier does
    double unit = mu > 0 && b->mu2 > 0 ? b->mu2 / mu : 1, x[NSM_CONE_MOST_ROWS];
    int    k = (b->size - 1) / 2;
    for (int i = 0; i < b->size; i++) x[i] = i > k ? lambda[i] / unit : lambda[i];
    nsm_cone_project_rolling(k, mu, b->mu2 / unit, x, lambda);
    for (int i = k + 1; i < b->size; i++) lambda[i] *= unit;
    return;
  }
  if (nsm_cone_is_given(b->type)) {
    double radius = nsm_cone_round(b, d);
    for (int k = 0; k < b->size; k++) y[k] = d[k] > 0 ? lambda[k] / d[k] : 0;
    if (nsm_cone_is_exact(b)) nsm_cone_project_contensou(radius, y, y, NULL, NULL);
    else nsm_cone_project_disk(b->size, radius, y, y);
    for (int k = 0; k < b->size; k++) lambda[k] = d[k] * y[k];
    return;
  }
  if (nsm_cone_is_grip(b->type)) {
    int normals = nsm_cone_normals(b->type);
    nsm_cone_project_disk(b->size - normals, mu * norm(normals, lambda), lambda + normals, lambda + normals);
    return;
  }
  mu = nsm_cone_round(b, d + 1);
  for (int k = 0; k < b->size; k++) y[k] = d[k] > 0 ? lambda[k] / d[k] : 0;
  if (nsm_cone_is_exact(b)) nsm_cone_project_contensou_cone(mu, y, y);
  else nsm_cone_project_cone(b->size, mu, y, y);
  for (int k = 0; k < b->size; k++) lambda[k] = d[k] * y[k];
}

void nsm_cone_project_all(const nsm_cone_problem *p, double *lambda) {
  int i = 0;
  for (int c = 0; c < p->cones; c++) {
    const nsm_cone_block *b = &p->cone[c];
    for (; i < b->first; i++) lambda[i] = nsm_cone_project(lambda[i], p->lo[i], p->hi[i]);
    nsm_cone_project_block(b, lambda + i);
    i += b->size;
  }
  for (; i < p->m; i++) lambda[i] = nsm_cone_project(lambda[i], p->lo[i], p->hi[i]);
}

void nsm_cone_clip(const nsm_cone_problem *p, double *lambda) {
  for (int i = 0, c = 0; i < p->m; i++) {
    if (c < p->cones && i == p->cone[c].first) i += p->cone[c++].size - 1;
    else lambda[i] = nsm_cone_project(lambda[i], p->lo[i], p->hi[i]);
  }
}

// lambda_i - rho_i u_i inside the interval: basic; outside: at the bound on that side (the choice of a semismooth
// Newton step on (2)).
void nsm_cone_guess_state(const nsm_cone_problem *p, const double *lambda, const double *u, unsigned char *state) {
  for (int i = 0; i < p->m; i++) {
    double d = nsm_cone_diagonal(p, i), x = lambda[i] - u[i] / (d >= DBL_MIN ? d : 1.0);
    state[i] = x <= p->lo[i] ? NSM_LOW : x >= p->hi[i] ? NSM_HIGH : NSM_BASIC;
  }
}
