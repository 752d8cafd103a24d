// The verifier's own projection on the cone over Contensou's exact set: only for residual_rows.h. It shares nothing
// with contensou.c, which the solvers use: another parameter, another equation, another way to its root.
//
// K = { (N, T, s) : (|T|, |s|) in mu N B }, the boundary of B as docs/numerics/cone.md has it after [Möller 2011,
// (3.118)-(3.119)], by x in [0, 1], u = x / (1 - x) = |v_T| / (R |omega|). The nearest point of K to z is N (1, mu
// b(x)) with
//   z - N (1, mu b) normal to the ray and along its normal,   N = z.(1, mu b) / |(1, mu b)|^2:
//   the largest of z.(1, mu b) / |(1, mu b)| over x.
#pragma once
#include <math.h>

static const double verify_pi = 3.14159265358979323846;

typedef struct verify_point { double T, s, dT, ds; } verify_point;    // b(u) and its derivative by u

// asin(w) and sqrt(1 - w^2) by their series where the closed form would cancel.
static verify_point verify_exact_far(double u) {
  double w2 = 1 / (u * u), a[40], r[40], power = 1;
  verify_point b = { 0 };
  int terms = (int)fmin(37, 8.5 / log10(u) + 3);                     // to 1e-17
  a[0] = r[0] = 1;
  for (int k = 1; k <= terms + 1; k++) {
    a[k] = a[k - 1] * (2.0 * k - 1) * (2.0 * k - 1) / (2.0 * k * (2.0 * k + 1));
    r[k] = r[k - 1] * (k - 1.5) / k;
  }
  for (int k = 0; k < terms; k++, power *= w2) {
    double T = 4 * a[k] - a[k + 1] + r[k + 1] + 2 * r[k],
           s = 3 * a[k + 2] - 8 * a[k + 1] + 8 * a[k] - 3 * r[k + 2] + 6 * r[k + 1];
    b.T += T * power;
    b.dT -= 2 * k * T * power;
    b.s += s * power;
    b.ds -= (2 * k + 1) * s * power;
  }
  return (verify_point){ 0.1875 * b.T, b.s / (4 * verify_pi * u), 0.1875 * b.dT / u, b.ds / (4 * verify_pi * u * u) };
}

static verify_point verify_exact_point(double u) {
  if (u <= 1)
    return (verify_point){ 3 * verify_pi / 32 * u * (4 - u * u), (3 * u * u * u * u - 8 * u * u + 8) / 8,
                          3 * verify_pi / 32 * (4 - 3 * u * u), 1.5 * u * u * u - 2 * u };
  if (u >= 2) return verify_exact_far(u);
  double r = sqrt((u + 1) * (u - 1)), a = atan2(1, r), dT = 0.1875 * ((4 - 3 * u * u) * a + r * (3 - 2 / (u * u)));
  return (verify_point){ 0.1875 * ((4 - u * u) * u * a + (u * u + 2) * r / u),
                        ((3 * u * u * u * u - 8 * u * u + 8) * a + (6 - 3 * u * u) * r) / (4 * verify_pi), dT,
                        -16 / (3 * verify_pi) * u * dT };
}

// Friction's power against the slip (t, s) >= 0 under the normal force 1 and mu = 1.
static double verify_exact_power(double t, double s) {
  if (!(s > 0)) return t;
  if (!(t / s < HUGE_VAL)) return t;
  verify_point b = verify_exact_point(3 * verify_pi / 16 * t / s);   // |v_T| / (R omega), R = 16 radius / (3 pi)
  return b.T * t + b.s * s;
}

// The slope by u of z.(1, mu b) / |(1, mu b)|, times what is positive, at x.
static double verify_exact_slope(double mu, double z0, double t, double s, double x, verify_point *b) {
  *b = verify_exact_point(x / (1 - x));
  double along = z0 + mu * (t * b->T + s * b->s), size = 1 + mu * mu * (b->T * b->T + b->s * b->s);
  return (t * b->dT + s * b->ds) * size - along * mu * (b->T * b->dT + b->s * b->ds);
}

// off := z - P_K(z).
static void verify_exact(double mu, const double *z, double *off) {
  double t = hypot(z[1], z[2]), s = fabs(z[3]), low = 0, high = 1, x = 0;
  if (z[0] + mu * verify_exact_power(t, s) <= 0) {                    // in the polar cone: P = 0
    for (int k = 0; k < 4; k++) off[k] = z[k];
    return;
  }
  verify_point b;
  double at_low = verify_exact_slope(mu, z[0], t, s, 0, &b), at_high = verify_exact_slope(mu, z[0], t, s, 1 - 0x1p-53,
      &b);
  for (int step = 0, side = 0; step < 100 && high - low > 0x1p-54; step++) {   // regula falsi (Illinois)
    x = at_low > at_high ? low + (high - low) * (at_low / (at_low - at_high)) : 0.5 * (low + high);
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    if (!(x < 1)) break;
    double slope = verify_exact_slope(mu, z[0], t, s, x, &b);
    if (slope == 0) break;
    if (slope > 0) { low = x; at_low = slope; if (side > 0) at_high *= 0.5; side = 1; }
    else { high = x; at_high = slope; if (side < 0) at_low *= 0.5; side = -1; }
  }
  double N = (z[0] + mu * (t * b.T + s * b.s)) / (1 + mu * mu * (b.T * b.T + b.s * b.s));
  // inside: on this side of the tangent plane there, whose normal is (-mu (n b_T + b_s), n, 1), n = 16 u / (3 pi), here
  // times 1 - x, which is 0 where nothing spins
  double n = 16 / (3 * verify_pi) * x, distance = n * (t - mu * b.T * z[0]) + (1 - x) * (s - mu * b.s * z[0]);
  if (!(distance > 0) && z[0] >= 0) {
    for (int k = 0; k < 4; k++) off[k] = 0;
    return;
  }
  off[0] = z[0] - N;
  for (int k = 1; k < 3; k++) off[k] = z[k] - (t > 0 ? mu * N * b.T * (z[k] / t) : 0);
  off[3] = z[3] - mu * N * b.s * (z[3] < 0 ? -1 : 1);
}

// z := its nearest point of r B: the least of |z - r b(x)| over x, whose slope has the sign of -(z - r b).b'.
static void verify_exact_given(double r, double *z) {
  double t = hypot(z[0], z[1]), s = fabs(z[2]), low = 0, high = 1, x = 0;
  verify_point b = verify_exact_point(0);
  if (!(r > 0) || !(r < HUGE_VAL)) {
    for (int k = 0; k < 3 && !(r > 0); k++) z[k] = 0;
    return;
  }
  for (int step = 0; step < 100 && high - low > 0x1p-54; step++) {
    x = 0.5 * (low + high);
    if (!(x < 1)) break;
    b = verify_exact_point(x / (1 - x));
    double slope = (t - r * b.T) * b.dT + (s - r * b.s) * b.ds;
    if (slope == 0) break;
    if (slope > 0) low = x;
    else high = x;
  }
  // times 1 - x, as above
  double n = 16 / (3 * verify_pi) * x, size = hypot(n, 1 - x),
         distance = (n * (t - r * b.T) + (1 - x) * (s - r * b.s)) / size;
  if (!(distance > 0)) return;                                       // on this side of the tangent plane there
  for (int k = 0; k < 2; k++) z[k] = t > 0 ? r * b.T * (z[k] / t) : 0;
  z[2] = copysign(r * b.s, z[2]);
}
