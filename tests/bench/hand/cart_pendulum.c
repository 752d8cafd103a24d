// cart_pendulum.nsm by hand: Newton's method in the velocities, M at the middle of the step, theta = 1/2, h = 1 ms.
#include "hand.h"

static double x, phi, vx, vphi;
static long iterations;

// Row 2 of M(q~) (v1 - v) - h (f(q1, v1) + f(q, v))/2; row 1 likewise, with p of the wall.
static void run(long n) {
  const double M = 1, m = 0.3, l = 0.5, g = 9.81, w = 0.4, e = 0.7, h = 1e-3, ml = m * l, mgl = m * g * l, ht = 0.5 * h;
  double q1 = 0, q2 = 2.5, u1 = 1, u2 = 0, g1 = 0, g2 = 0;
  long its = 0;
  for (long k = 0; k < n; k++) {
    double s0 = sin(q2);
    double f1 = ht * (ml * s0 * u2 * u2), f2 = -ht * (mgl * s0);
    int left = q1 + w + ht * u1 <= 0, right = w - q1 - ht * u1 <= 0;
    double a = u1 + g1, b = u2 + g2, p = 0;
    for (int it = 0; it < 20; it++) {
      double e2 = q2 + ht * (u2 + b), mid = 0.5 * (q2 + e2), s1, c1, sm, cm;
      sincos(e2, &s1, &c1);
      sincos(mid, &sm, &cm);
      double da = a - u1, db = b - u2, M12 = ml * cm, M22 = ml * l;
      double i1 = (M + m) * da, i2 = M12 * db, i3 = M12 * da, i4 = M22 * db, k1 = ht * ml * s1 * b * b, k2 =
          ht * mgl * s1;
      double r1 = i1 + i2 - f1 - k1 - p, r2 = i3 + i4 - f2 + k2;
      double z1 = fabs(i1) + fabs(i2) + fabs(f1) + fabs(k1) + fabs(p), z2 = fabs(i3) + fabs(i4) + fabs(f2) + fabs(k2);
      double y = left ? a + e * u1 : -(a + e * u1);
      int hit = (left || right) && (p != 0 || y < 0);
      if (it > 0 && fabs(r1) <= 1e-12 * z1 && fabs(r2) <= 1e-12 * z2 &&
          (!hit || fabs(y) <= 1e-12 * (fabs(a) + fabs(u1))))
        break;
      double W11 = M + m, W12 = M12 - 0.5 * ht * ml * sm * db - ht * ml * (2 * s1 * b + ht * c1 * b * b), W21 = M12,
             W22 = M22 - 0.5 * ht * ml * sm * da + ht * mgl * ht * c1;
      double d = 1 / (W11 * W22 - W12 * W21), R1 = r1 + p;
      double na = a - d * (W22 * R1 - W12 * r2), nb = b - d * (W11 * r2 - W21 * R1);
      p = 0;
      if (left || right) {
        double X1 = d * W22, X2 = -d * W21, rate = na + e * u1;   // of a unit impulse in x
        if (left ? rate < 0 : rate > 0) { p = -rate / X1; na += X1 * p; nb += X2 * p; }
      }
      a = na;
      b = nb;
      its++;
    }
    g1 = a - u1;
    g2 = b - u2;
    q1 += ht * (u1 + a);
    q2 += ht * (u2 + b);
    u1 = a;
    u2 = b;
  }
  x = q1; phi = q2; vx = u1; vphi = u2;
  iterations = its;
}

static void show(void) { printf("x %.17g\nphi %.17g\nx' %.17g\nphi' %.17g\n", x, phi, vx, vphi); }
HAND(4000, run, show)
