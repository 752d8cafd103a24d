// models/double_pendulum.nsm by hand: the energy-consistent scheme [Möller 2011, (5.106), (5.107)], h = 10 ms, e = 1.
// Newton's method in du, lambda, kappa; x and y of a block each, what is left is 4 equations. Steps with a closed wall
// (one in fifty) are made with small dense systems.
#include "hand.h"

static double q[4], v[4];
static long iterations;

static const double m = 0.2, g = 9.81, h = 1e-2, e = 1;

static void gauss(int n, double A[10][11]) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
    for (int j = 0; p != k && j <= n; j++) { double t = A[k][j]; A[k][j] = A[p][j]; A[p][j] = t; }
    for (int i = k + 1; i < n; i++) {
      double f = A[i][k] / A[k][k];
      for (int j = k; j <= n; j++) A[i][j] -= f * A[k][j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) A[i][n] -= A[i][j] * A[j][n];
    A[i][n] /= A[i][i];
  }
}

static inline void four(double A[4][5]) {
  for (int k = 0; k < 4; k++) {
    double d = 1 / A[k][k];
    for (int i = k + 1; i < 4; i++) {
      double f = A[i][k] * d;
      for (int j = k + 1; j < 5; j++) A[i][j] -= f * A[k][j];
    }
    for (int j = k + 1; j < 5; j++) A[k][j] *= d;
  }
  for (int i = 2; i >= 0; i--) for (int j = i + 1; j < 4; j++) A[i][4] -= A[i][j] * A[j][4];
}

// u := after the impact of the walls in `walls` and of the rods.
static void impact(const double *x, double *u, int walls) {
  for (int s = 0; s < 4; s++) {
    if ((s & 1 && !(walls & 1)) || (s & 2 && !(walls & 2))) continue;
    double H[4][4] = { { 2 * x[0], 2 * x[1] }, { -2 * (x[2] - x[0]), -2 * (x[3] - x[1]), 2 * (x[2] - x[0]),
                       2 * (x[3] - x[1]) } }, A[10][11] = { { 0 } }, w[4];
    int rows = 2;
    if (s & 1) H[rows++][0] = 1;
    if (s & 2) H[rows++][2] = 1;
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < rows; j++) for (int k = 0; k < 4; k++) A[i][j] += H[i][k] * H[j][k] / m;
      for (int k = 0; k < 4; k++) A[i][rows] -= (i < 2 ? 1 : 1 + e) * H[i][k] * u[k];
    }
    gauss(rows, A);
    int ok = 1;
    for (int k = 0; k < 4; k++) {
      w[k] = u[k];
      for (int i = 0; i < rows; i++) w[k] += H[i][k] * A[i][rows] / m;
    }
    for (int i = 2; i < rows; i++) ok &= A[i][rows] >= 0;
    if (walls & 1 && !(s & 1)) ok &= w[0] + e * u[0] >= 0;
    if (walls & 2 && !(s & 2)) ok &= w[2] + e * u[2] >= 0;
    if (ok) { memcpy(u, w, sizeof w); return; }
  }
}

static inline void add(double *high, double *low, double x) {
  x += *low;
  double s = *high + x, t = s - *high;
  *low = (*high - (s - t)) + (x - t);
  *high = s;
}

static void run(long n) {
  double x[4] = { 0, 0.5, 0, 1 }, xl[4] = { 0 }, u[4] = { 2.5, 0, 5, 0 }, ul[4] = { 0 }, G[4] = { 0 }, l1 = 0, l2 = 0,
      k1 = 0,
         k2 = 0, O[4] = { 0 };
  long its = 0;
  const double hh = 0.5 * h, im = 1 / m, hmg = h * m * g;
  for (long step = 0; step < n; step++) {
    int walls = (x[0] <= 0) | (x[2] <= 0) << 1;
    double w[4] = { u[0], u[1], u[2], u[3] };
    if (walls) impact(x, w, walls);
    double d0 = 2 * G[0] - O[0], d1 = 2 * G[1] - O[1], d2 = 2 * G[2] - O[2], d3 = 2 * G[3] - O[3], before = 1e300;
    const double bx = 2 * x[0], by = 2 * x[1], cx = 2 * (x[2] - x[0]), cy = 2 * (x[3] - x[1]);     // H at the begin
    double size[4] = { 0 }, i0, i1, i2, i3;
    for (int it = 0; it < 20; it++) {
      i0 = h * (w[0] + (ul[0] + 0.5 * d0)) - im * (bx * k1 - cx * k2);
      i1 = h * (w[1] + (ul[1] + 0.5 * d1)) - im * (by * k1 - cy * k2);
      i2 = h * (w[2] + (ul[2] + 0.5 * d2)) - im * cx * k2;
      i3 = h * (w[3] + (ul[3] + 0.5 * d3)) - im * cy * k2;
      double X1 = x[0] + (xl[0] + i0), Y1 = x[1] + (xl[1] + i1), X2 = x[2] + (xl[2] + i2), Y2 = x[3] + (xl[3] + i3);
      double A1 = w[0] + (ul[0] + d0), B1 = w[1] + (ul[1] + d1), A2 = w[2] + (ul[2] + d2), B2 = w[3] + (ul[3] + d3);
      double mx = x[0] + X1, my = x[1] + Y1, nx = (x[2] + X2) - mx, ny = (x[3] + Y2) - my, dA = A2 - A1, dB = B2 - B1,
             dx = X2 - X1, dy = Y2 - Y1;
      double a = mx * l1, b = my * l1, c = nx * l2, d = ny * l2, p = 2 * A1 * k1, r = 2 * B1 * k1, s = 2 * dA * k2,
             t = 2 * dB * k2;
      double r0 = m * d0 - a + c - p + s, r1 = m * d1 - hmg - b + d - r + t, r2 = m * d2 - c - s, r3 =
          m * d3 - hmg - d - t;
      double g1 = 2 * (X1 * A1 + Y1 * B1), g2 = 2 * (dx * dA + dy * dB);
      double f1 = mx * i0 + my * i1, f2 = nx * (i2 - i0) + ny * (i3 - i1);
      if (it > 0) {
        double f0 = fabs(a) + fabs(c) + fabs(p) + fabs(s), e1 = fabs(b) + fabs(d) + fabs(r) + fabs(t);
        double E0 = fabs(r0) / (size[0] + f0), E1 = fabs(r1) / (size[1] + e1), E2 = fabs(r2) / (size[2] + fabs(c) +
            fabs(s)),
               E3 = fabs(r3) / (size[3] + fabs(d) + fabs(t));
        double sx = fabs(X1) * (fabs(A1) + fabs(w[0])) + fabs(Y1) * (fabs(B1) + fabs(w[1])),
               sy = fabs(dx) * (fabs(dA) + fabs(w[0]) + fabs(w[2])) + fabs(dy) * (fabs(dB) + fabs(w[1]) + fabs(w[3]));
        double E4 = fmax(fabs(g1), fabs(f1) / h) / (2 * sx), E5 = fmax(fabs(g2), fabs(f2) / h) / (2 * sy);
        double error = fmax(fmax(fmax(E0, E1), fmax(E2, E3)), fmax(E4, E5));
        if (error <= 2e-16 || (it > 1 && error <= 1e-12 && error > 0.25 * before)) break;
        before = error;
      }
      its++;
      double l = l1 + l2, w11 = m - hh * l - 2 * (k1 + k2), w12 = hh * l2 + 2 * k2, w22 = m - hh * l2 - 2 * k2,
             q11 = -l, q12 = l2, q22 = -l2, D = 1 / (w11 * w22 - w12 * w12), v11 = w22 * D, v12 = -w12 * D, v22 =
                 w11 * D;
      if (it == 0 || 1) {
        size[0] = fmax(size[0], fabs(w11 * A1) + fabs(w12 * A2) + fabs(q11 * X1) + fabs(q12 * X2));
        size[1] = fmax(size[1], fabs(w11 * B1) + fabs(w12 * B2) + fabs(q11 * Y1) + fabs(q12 * Y2));
        size[2] = fmax(size[2], fabs(w12 * A1) + fabs(w22 * A2) + fabs(q12 * X1) + fabs(q22 * X2));
        size[3] = fmax(size[3], fabs(w12 * B1) + fabs(w22 * B2) + fabs(q12 * Y1) + fabs(q22 * Y2));
      }
      // columns of the multipliers, by blocks x (1, 2), y (1, 2): lambda1, lambda2, kappa1, kappa2
      double P1 = im * bx, P2 = im * cx, R1 = im * by, R2 = im * cy;             // P: x1: P1 k1 - P2 k2, x2: P2 k2
      double C[4][4] = { { -mx, 0, -my, 0 }, { nx, -nx, ny, -ny },
                         { -2 * A1 - q11 * P1, -q12 * P1, -2 * B1 - q11 * R1, -q12 * R1 },
                         { 2 * dA + q11 * P2 - q12 * P2, -2 * dA + q12 * P2 - q22 * P2, 2 * dB + q11 * R2 - q12 * R2,
                           -2 * dB + q12 * R2 - q22 * R2 } };
      // rows: rates by u and q, gaps by q alone
      double ux1 = 2 * X1 + h * A1, uy1 = 2 * Y1 + h * B1, ux2 = 2 * dx + h * dA, uy2 = 2 * dy + h * dB;
      double S[4][5];
      for (int j = 0; j < 5; j++) {
        double a1 = j < 4 ? C[j][0] : r0, a2 = j < 4 ? C[j][1] : r2, b1 = j < 4 ? C[j][2] : r1, b2 =
            j < 4 ? C[j][3] : r3;
        double z1 = v11 * a1 + v12 * a2, z2 = v12 * a1 + v22 * a2, y1 = v11 * b1 + v12 * b2, y2 = v12 * b1 + v22 * b2;
        S[0][j] = -(ux1 * z1 + uy1 * y1);
        S[1][j] = -(ux2 * (z2 - z1) + uy2 * (y2 - y1));
        S[2][j] = -(h * (X1 * z1 + Y1 * y1));
        S[3][j] = -(h * (dx * (z2 - z1) + dy * (y2 - y1)));
      }
      S[0][2] -= 2 * (A1 * P1 + B1 * R1); S[0][3] += 2 * (A1 * P2 + B1 * R2);
      S[1][2] += 2 * (dA * P1 + dB * R1); S[1][3] -= 4 * (dA * P2 + dB * R2);
      S[2][2] -= 2 * (X1 * P1 + Y1 * R1); S[2][3] += 2 * (X1 * P2 + Y1 * R2);
      S[3][2] += 2 * (dx * P1 + dy * R1); S[3][3] -= 4 * (dx * P2 + dy * R2);
      S[0][4] += g1; S[1][4] += g2; S[2][4] += f1; S[3][4] += f2;
      four(S);
      double j1 = S[0][4], j2 = S[1][4], o1 = S[2][4], o2 = S[3][4];
      double a1 = r0 - C[0][0] * j1 - C[1][0] * j2 - C[2][0] * o1 - C[3][0] * o2,
             a2 = r2 - C[0][1] * j1 - C[1][1] * j2 - C[2][1] * o1 - C[3][1] * o2,
             b1 = r1 - C[0][2] * j1 - C[1][2] * j2 - C[2][2] * o1 - C[3][2] * o2,
             b2 = r3 - C[0][3] * j1 - C[1][3] * j2 - C[2][3] * o1 - C[3][3] * o2;
      d0 -= v11 * a1 + v12 * a2;
      d2 -= v12 * a1 + v22 * a2;
      d1 -= v11 * b1 + v12 * b2;
      d3 -= v12 * b1 + v22 * b2;
      l1 -= j1; l2 -= j2; k1 -= o1; k2 -= o2;
    }
    if ((walls & 1 && i0 < 0) || (walls & 2 && i2 < 0)) { fprintf(stderr, "a wall acts in the motion\n"); exit(1); }
    memcpy(O, G, sizeof G);
    G[0] = d0; G[1] = d1; G[2] = d2; G[3] = d3;
    add(&x[0], &xl[0], i0); add(&x[1], &xl[1], i1); add(&x[2], &xl[2], i2); add(&x[3], &xl[3], i3);
    memcpy(u, w, sizeof w);
    add(&u[0], &ul[0], d0); add(&u[1], &ul[1], d1); add(&u[2], &ul[2], d2); add(&u[3], &ul[3], d3);
  }
  memcpy(q, x, sizeof x);
  memcpy(v, u, sizeof u);
  iterations = its;
}

static void show(void) {
  static const char *const name[] = { "x1", "y1", "x2", "y2" };
  for (int i = 0; i < 4; i++) printf("%s %.17g\n%s' %.17g\n", name[i], q[i], name[i], v[i]);
  fprintf(stderr, "iterations %ld\n", iterations);
}
HAND(1000, run, show)
