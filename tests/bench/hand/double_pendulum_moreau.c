// models/double_pendulum.nsm with `--scheme moreau` by hand: theta = 1/2, h = 10 ms. Newton's method in the velocities
// and the impulses of the rods. W is two equal blocks of 2 (x and y); the impulses come of the Schur complement.
#include "hand.h"

static double q[4], v[4];
static long iterations;

// x := A^-1 b, n <= 4, with pivoting
static void solve(int n, double A[4][4], double *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
    if (p != k) {
      for (int j = 0; j < n; j++) { double t = A[k][j]; A[k][j] = A[p][j]; A[p][j] = t; }
      double t = b[k]; b[k] = b[p]; b[p] = t;
    }
    for (int i = k + 1; i < n; i++) {
      double f = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
}

static void run(long n) {
  const double m = 0.2, g = 9.81, h = 1e-2, ht = 0.5 * h, e = 1, hmg = h * m * g, tol = 1e-12;
  double x1 = 0, y1 = 0.5, x2 = 0, y2 = 1, a1 = 2.5, b1 = 0, a2 = 5, b2 = 0, p1 = 0, p2 = 0;
  double G[4] = { 0 };
  long its = 0;
  for (long k = 0; k < n; k++) {
    int w1 = x1 + ht * a1 <= 0, w2 = x2 + ht * a2 <= 0;
    double A1 = a1 + G[0], B1 = b1 + G[1], A2 = a2 + G[2], B2 = b2 + G[3], c1 = 0, c2 = 0;
    for (int it = 0; it < 30; it++) {
      double X1 = x1 + ht * (a1 + A1), Y1 = y1 + ht * (b1 + B1), X2 = x2 + ht * (a2 + A2), Y2 = y2 + ht * (b2 + B2);
      double mx = x1 + X1, my = y1 + Y1, nx = (x2 + X2) - mx, ny = (y2 + Y2) - my;     // 2 q~ = H(q~)
      double dx = X2 - X1, dy = Y2 - Y1, dA = A2 - A1, dB = B2 - B1;
      double t1 = mx * p1, t2 = my * p1, s1 = nx * p2, s2 = ny * p2;
      double i1 = m * (A1 - a1), i2 = m * (B1 - b1), i3 = m * (A2 - a2), i4 = m * (B2 - b2);
      double r1 = i1 - t1 + s1 - c1, r2 = i2 - hmg - t2 + s2, r3 = i3 - s1 - c2, r4 = i4 - hmg - s2;
      double u1 = 2 * (X1 * A1 + Y1 * B1), u2 = 2 * (dx * dA + dy * dB);
      if (it > 0 && fabs(r1) <= tol * (fabs(i1) + fabs(t1) + fabs(s1) + fabs(c1)) &&
          fabs(r2) <= tol * (fabs(i2) + hmg + fabs(t2) + fabs(s2)) && fabs(r3) <= tol * (fabs(i3) + fabs(s1) +
              fabs(c2)) &&
          fabs(r4) <= tol * (fabs(i4) + hmg + fabs(s2)) && fabs(u1) <= tol * (fabs(X1 * A1) + fabs(Y1 * B1)) &&
          fabs(u2) <= tol * (fabs(dx * dA) + fabs(dy * dB)))
        break;
      its++;
      double c = ht, w11 = m - c * (p1 + p2), w12 = c * p2, w22 = m - c * p2, d = 1 / (w11 * w22 - w12 * w12);
      double v11 = w22 * d, v12 = -w12 * d, v22 = w11 * d;                            // W^-1 of x, of y
      double C1x = 2 * X1 + h * A1, C1y = 2 * Y1 + h * B1, C2x = 2 * dx + h * dA, C2y = 2 * dy + h * dB;
      // W^-1 (mx, 0), W^-1 (-nx, nx): columns of W^-1 H^T
      double K1 = v11 * mx, K3 = v12 * mx, K2 = v11 * my, K4 = v12 * my, e1 = v12 - v11, e2 = v22 - v12;
      double L1 = e1 * nx, L3 = e2 * nx, L2 = e1 * ny, L4 = e2 * ny;
      double S11 = C1x * K1 + C1y * K2, S12 = C1x * L1 + C1y * L2, S21 = C2x * (K3 - K1) + C2y * (K4 - K2),
             S22 = C2x * (L3 - L1) + C2y * (L4 - L2);
      double R1 = r1 + c1, R3 = r3 + c2;
      double f1 = -(v11 * R1 + v12 * R3), f3 = -(v12 * R1 + v22 * R3), f2 = -(v11 * r2 + v12 * r4),
             f4 = -(v12 * r2 + v22 * r4);
      double h1 = -u1 - (C1x * f1 + C1y * f2), h2 = -u2 - (C2x * (f3 - f1) + C2y * (f4 - f2));
      double D = 1 / (S11 * S22 - S12 * S21), d1 = D * (S22 * h1 - S12 * h2), d2 = D * (S11 * h2 - S21 * h1);
      double z1 = f1 + K1 * d1 + L1 * d2, z2 = f2 + K2 * d1 + L2 * d2, z3 = f3 + K3 * d1 + L3 * d2,
             z4 = f4 + K4 * d1 + L4 * d2;
      c1 = c2 = 0;
      if (w1 | w2) {                                    // which walls act: none, one, or both
        for (int s = 1; s < 4; s++) {
          if ((s & 1 && !w1) || (s & 2 && !w2)) continue;
          double T[4][4] = { { S11, S12 }, { S21, S22 } }, b[4] = { h1, h2 }, col[2][4];
          int rows = 2, who[2];
          double none1 = A1 + z1 + e * a1, none2 = A2 + z3 + e * a2;
          if (!((w1 && none1 < 0) || (w2 && none2 < 0))) break;
          for (int j = 0; j < 2; j++) {
            if (!(s >> j & 1)) continue;
            double X[4] = { j ? v12 : v11, 0, j ? v22 : v12, 0 };
            memcpy(col[rows - 2], X, sizeof X);
            T[0][rows] = C1x * X[0];
            T[1][rows] = C2x * (X[2] - X[0]);
            T[rows][0] = j ? K3 : K1;
            T[rows][1] = j ? L3 : L1;
            b[rows] = j ? -(A2 + e * a2) - f3 : -(A1 + e * a1) - f1;
            who[rows - 2] = j;
            rows++;
          }
          if (rows == 4) {
            T[2][2] = v11; T[2][3] = v12; T[3][2] = v12; T[3][3] = v22;
          } else T[2][2] = who[0] ? v22 : v11;
          solve(rows, T, b);
          double Z1 = f1 + K1 * b[0] + L1 * b[1], Z2 = f2 + K2 * b[0] + L2 * b[1], Z3 = f3 + K3 * b[0] + L3 * b[1],
                 Z4 = f4 + K4 * b[0] + L4 * b[1];
          int ok = 1;
          for (int j = 2; j < rows; j++) { Z1 += col[j - 2][0] * b[j]; Z3 += col[j - 2][2] * b[j]; ok &= b[j] >= 0; }
          if (w1 && !(s & 1)) ok &= A1 + Z1 + e * a1 >= 0;
          if (w2 && !(s & 2)) ok &= A2 + Z3 + e * a2 >= 0;
          if (!ok) continue;
          d1 = b[0]; d2 = b[1];
          z1 = Z1; z2 = Z2; z3 = Z3; z4 = Z4;
          for (int j = 2; j < rows; j++) *(who[j - 2] ? &c2 : &c1) = b[j];
          break;
        }
      }
      A1 += z1; B1 += z2; A2 += z3; B2 += z4;
      p1 += d1; p2 += d2;
    }
    G[0] = A1 - a1; G[1] = B1 - b1; G[2] = A2 - a2; G[3] = B2 - b2;
    x1 += ht * (a1 + A1); y1 += ht * (b1 + B1); x2 += ht * (a2 + A2); y2 += ht * (b2 + B2);
    a1 = A1; b1 = B1; a2 = A2; b2 = B2;
  }
  q[0] = x1; q[1] = y1; q[2] = x2; q[3] = y2;
  v[0] = a1; v[1] = b1; v[2] = a2; v[3] = b2;
  iterations = its;
}

static void show(void) {
  static const char *const name[] = { "x1", "y1", "x2", "y2" };
  for (int i = 0; i < 4; i++) printf("%s %.17g\n%s' %.17g\n", name[i], q[i], name[i], v[i]);
}
HAND(1000, run, show)
