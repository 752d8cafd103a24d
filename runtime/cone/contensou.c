// The exact set of a circular contact area with Hertz' pressure and Coulomb's law at every point (Contensou; Leine and
// Glocker 2003; [Möller 2011, (3.116)-(3.120)]), and the block NSM_CONE_CONTENSOU_EXACT made of it.
//
// B: |lambda_T| <= b_T(u), |lambda_s| <= b_s(u) for some u in [0, inf), in the frame lambda_s / radius, under the
// normal force 1 and mu = 1. u = |v_T| / (R |omega|) is the ratio of the slip velocities to which the point belongs, R
// = 16 radius / (3 pi) that of the area. The outward normal there is (c u, 1), c = 16 / (3 pi); so by its angle theta,
//
//   e = (sin theta, cos theta),   tan theta = c u,   h(theta) = e.b,   b = h e + h' e',   |db/dtheta| = rho = h + h''
//
// and friction takes the power h(v) = |v| h(theta) = b_T |v_T| + b_s |v_s|. With w = 1/u and a = asin w,
//
//   u <= 1   b_T = 3 pi / 32 (4 u - u^3),   b_s = (3 u^4 - 8 u^2 + 8) / 8
//   u > 1    b_T = 3/16 ((4 u - u^3) a + (u^2 + 2) sqrt(u^2 - 1) / u)
//            b_s = ((3 u^4 - 8 u^2 + 8) a - 3 (u^2 - 2) sqrt(u^2 - 1)) / (4 pi)
//
// and where this cancels, the series in w that it is.
#include "solver.h"
#include <float.h>
#include <math.h>

enum { TERMS = 28, STEPS = 80 };
static const double pi = 3.14159265358979323846, c = 16 / (3 * 3.14159265358979323846);

// b at theta, and |db/dtheta|.
static void series(double w, double *b_T, double *b_s, double *slope) {
  double ck = 1, dk = 1, power = 1, sum_T = 0, sum_s = 0, sum_slope = 0;    // of asin w and of sqrt(1 - w^2)
  double c1 = 1.0 / 6, d1 = -0.5;
  for (int k = 0; k < TERMS; k++) {
    double c2 = c1 * (2 * k + 3) * (2 * k + 3) / ((2 * k + 4.0) * (2 * k + 5)), d2 = d1 * (k + 0.5) / (k + 2);
    double t = 4 * ck - c1 + d1 + 2 * dk;
    sum_T += t * power;
    sum_slope -= 2 * k * t * power;
    sum_s += (3 * c2 - 8 * c1 + 8 * ck - 3 * d2 + 6 * d1) * power;
    ck = c1; c1 = c2; dk = d1; d1 = d2;
    power *= w * w;
    if (power < 1e-18) break;
  }
  *b_T = 3.0 / 16 * sum_T;
  *b_s = sum_s * w / (4 * pi);
  *slope = 3.0 / 16 * sum_slope;                          // times w: db_T / du
}

static void meridian(double theta, double *b_T, double *b_s, double *rho) {
  double s = sin(theta), k = cos(theta), g;
  if (s <= k * c) {                                       // u <= 1
    double u = s / (k * c);
    *b_T = 3 * pi / 32 * u * (4 - u * u);
    *b_s = 1 + u * u * (3 * u * u / 8 - 1);
    g = 1 + c * c * u * u;
    *rho = 3 * pi / 32 * (4 - 3 * u * u) * g * sqrt(g) / c;
    return;
  }
  double w = c * k / s, u = 1 / w;
  if (w <= 0.5) {
    double slope;
    series(w, b_T, b_s, &slope);
    g = w * w + c * c;
    // slope w (1 + c^2 u^2)^(3/2) / c, and slope falls with w^2
    *rho = slope / (w * w) * g * sqrt(g) / c;
    if (w < 1e-4) *rho = 3.0 / 16 * 16 / 15 * c * c;
    return;
  }
  double r = sqrt((u - 1) * (u + 1)), a = atan2(1, r);   // not asin: so the round-off of u near 1 cancels
  *b_T = 3.0 / 16 * (u * (4 - u * u) * a + (u * u + 2) * r / u);
  *b_s = ((3 * u * u * u * u - 8 * u * u + 8) * a - 3 * (u * u - 2) * r) / (4 * pi);
  g = 1 + c * c * u * u;
  *rho = 3.0 / 16 * ((4 - 3 * u * u) * a + r * (3 - 2 * w * w)) * g * sqrt(g) / c;
}

// |b| in the direction of (t, tau) >= 0 of the meridian plane.
static double length_along(double t, double tau) {
  double low = 0, high = pi / 2, theta = atan2(t, tau), b_T, b_s, rho;
  for (int step = 0; step < STEPS; step++) {              // by Newton in a bracket
    meridian(theta, &b_T, &b_s, &rho);
    double G = b_T * tau - b_s * t, next = theta - G / (rho * (tau * cos(theta) + t * sin(theta)));
    if (G < 0) low = theta;
    else high = theta;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (G == 0 || fabs(next - theta) <= 4 * DBL_EPSILON) break;
    theta = next;
  }
  return hypot(b_T, b_s);
}

// The point (t, tau) >= 0 of the meridian plane lies in r B.
static int is_inside(double r, double t, double tau) {
  double size = hypot(t, tau);
  if (size <= 0.93 * r) return 1;                         // B lies between 0.94 and 1 of the unit disk
  return size <= r && size <= r * length_along(t, tau);
}

double nsm_cone_gauge_contensou(const double *x) {
  double t = hypot(x[0], x[1]), tau = fabs(x[2]);
  return t > 0 || tau > 0 ? hypot(t, tau) / length_along(t, tau) : 0;
}

// A point of the boundary of B in the meridian plane, and the radius of curvature there.
typedef struct spot { double T, s, rho; } spot;

// theta of the nearest point of r B to (t, tau) outside; with `normal` not NULL that of the cone { (N, N B) } to
// (*normal, t, tau), whose N is written there. The sign of F tells the side, F' = -(distance + r rho):
//   F = t cos - tau sin - r h' = 0,   r = (x_0 + h e.z) / (1 + h^2)
static double nearest(double r, double t, double tau, double mu, double *normal, spot *b) {
  double low = 0, high = pi / 2, theta = atan2(t, tau), N = r;
  for (int step = 0; step < STEPS; step++) {
    double s = sin(theta), k = cos(theta);
    meridian(theta, &b->T, &b->s, &b->rho);
    double h = s * b->T + k * b->s, turn = k * b->T - s * b->s, along = t * s + tau * k;
    if (normal) N = fmax(0, (*normal + mu * h * along) / (1 + mu * mu * h * h)) * mu;
    double F = t * k - tau * s - N * turn, next = theta + F / (along - N * h + N * b->rho);
    if (F > 0) low = theta;
    else high = theta;
    if (F == 0 || high - low <= 2 * DBL_EPSILON) break;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(next - theta) <= DBL_EPSILON * theta) break;
    theta = next;
  }
  if (normal) *normal = N / (mu > 0 ? mu : 1);
  return theta;
}

void nsm_cone_project_contensou(double radius, const double *x, double *out, double *J, double *by_radius) {
  double t = hypot(x[0], x[1]), tau = fabs(x[2]), side = x[2] < 0 ? -1 : 1;
  spot b;
  if (is_inside(radius, t, tau)) {
    for (int i = 0; i < 3; i++) {
      out[i] = x[i];
      if (by_radius) by_radius[i] = 0;
      for (int j = 0; J && j < 3; j++) J[i + 3 * j] = i == j;
    }
    return;
  }
  double theta = nearest(radius, t, tau, 1, NULL, &b), s = sin(theta), k = cos(theta), b_T = b.T, b_s = b.s,
         rho = b.rho,
         w[2] = { t > 0 ? x[0] / t : 0, t > 0 ? x[1] / t : 0 },
         distance = t * s + tau * k - radius * (s * b_T + k * b_s),
         curve = radius * rho > 0 ? radius * rho / (radius * rho + fmax(distance, 0)) : 0,
         round = t > 1e-150 ? radius * b_T / t : curve;
  if (J) {
    double T[3] = { k * w[0], k * w[1], -s * side };       // along the meridian
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        J[i + 3 * j] = curve * T[i] * T[j];
        if (i < 2 && j < 2) J[i + 3 * j] += round * ((i == j) - w[i] * w[j]);   // about the axis
      }
    double turn = k * b_T - s * b_s;
    if (by_radius) {
      by_radius[0] = w[0] * b_T - curve * turn * T[0];
      by_radius[1] = w[1] * b_T - curve * turn * T[1];
      by_radius[2] = side * b_s - curve * turn * T[2];
    }
  }
  out[0] = radius * b_T * w[0];
  out[1] = radius * b_T * w[1];
  out[2] = radius * b_s * side;
}

double nsm_cone_power_contensou(const double *v, double *lambda) {
  double t = hypot(v[0], v[1]), tau = fabs(v[2]), b_T, b_s, rho;
  meridian(atan2(t, tau), &b_T, &b_s, &rho);
  if (lambda) {
    lambda[0] = t > 0 ? b_T * (v[0] / t) : 0;
    lambda[1] = t > 0 ? b_T * (v[1] / t) : 0;
    lambda[2] = v[2] < 0 ? -b_s : t > 0 || tau > 0 ? b_s : 0;
  }
  return b_T * t + b_s * tau;
}

void nsm_cone_project_contensou_cone(double mu, const double *x, double *out) {
  double t = hypot(x[1], x[2]), tau = fabs(x[3]), N = x[0];
  spot b;
  if (N >= 0 && is_inside(mu * N, t, tau)) {
    for (int i = 0; i < 4; i++) out[i] = x[i];
    return;
  }
  if (N + mu * nsm_cone_power_contensou(x + 1, NULL) <= 0) {
    for (int i = 0; i < 4; i++) out[i] = 0;
    return;
  }
  nearest(0, t, tau, mu, &N, &b);
  out[1] = t > 0 ? mu * N * b.T * (x[1] / t) : 0;
  out[2] = t > 0 ? mu * N * b.T * (x[2] / t) : 0;
  out[3] = mu * N * b.s * (x[3] < 0 ? -1 : 1);
  out[0] = N;
}
