// The planar pendulum of 20 links in relative angles (planar_pendulum of tests/lib/generated.py) by hand, dense:
// Moreau's midpoint rule, theta = 1/2, h = 1 ms,
//
//   M(qm)(v1 - v0) = h/2 (f(q0, v0) + f(q1, v1)),   q1 = q0 + h/2 (v0 + v1),   qm = (q0 + q1)/2
//
// by Newton's method with all derivatives and LU with pivots. What is made in absolute angles a = L p (L: lower
// triangle of ones), M_ij = m l^2 (n - max(i, j)) cos(a_i - a_j), comes to relative ones as L^T M L, by suffix sums.
#include "hand.h"

enum { N = 20 };
static const double m = 0.1, l = 0.1, g = 9.81, h = 1e-3;
static double q[N], v[N];
static long iterations;

static void prefix(const double *p, double *a) {
  double sum = 0;
  for (int i = 0; i < N; i++) a[i] = sum += p[i];
}

static void angles(const double *a, double *s, double *c) {
  for (int i = 0; i < N; i++) {
    s[i] = sin(a[i]);
    c[i] = cos(a[i]);
  }
}

static inline double weight(int i, int j) { return m * l * l * (N - (i > j ? i : j)); }

// f in absolute angles
static void force(const double *s, const double *c, const double *w, double *f) {
  for (int i = 0; i < N; i++) {
    double sum = -m * g * l * (N - i) * s[i];
    for (int j = 0; j < N; j++) sum -= weight(i, j) * (s[i] * c[j] - c[i] * s[j]) * w[j] * w[j];
    f[i] = sum;
  }
}

static void solve(double A[N][N], double *b) {
  for (int k = 0; k < N; k++) {
    int p = k;
    for (int i = k + 1; i < N; i++) if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
    if (p != k) {
      for (int j = 0; j < N; j++) { double t = A[k][j]; A[k][j] = A[p][j]; A[p][j] = t; }
      double t = b[k]; b[k] = b[p]; b[p] = t;
    }
    double d = 1 / A[k][k];
    for (int i = k + 1; i < N; i++) {
      double f = A[i][k] * d;
      for (int j = k + 1; j < N; j++) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  for (int i = N - 1; i >= 0; i--) {
    for (int j = i + 1; j < N; j++) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
}

static void run(long n) {
  double p[N], u[N], gain[N] = { 0 };
  for (int i = 0; i < N; i++) p[i] = i ? 0.05 : 0.3, u[i] = 0;
  iterations = 0;
  for (long step = 0; step < n; step++) {
    double a0[N], w0[N], s0[N], c0[N], f0[N], u1[N];
    prefix(p, a0);
    prefix(u, w0);
    angles(a0, s0, c0);
    force(s0, c0, w0, f0);
    for (int i = 0; i < N; i++) u1[i] = u[i] + gain[i];
    for (int it = 0; it < 20; it++) {
      double p1[N], pm[N], a1[N], am[N], w1[N], s1[N], c1[N], sm[N], cm[N], f1[N], r[N], size[N], W[N][N];
      for (int i = 0; i < N; i++) {
        p1[i] = p[i] + h * 0.5 * (u[i] + u1[i]);
        pm[i] = 0.5 * (p[i] + p1[i]);
      }
      prefix(p1, a1);
      prefix(pm, am);
      prefix(u1, w1);
      angles(a1, s1, c1);
      angles(am, sm, cm);
      force(s1, c1, w1, f1);
      for (int i = 0; i < N; i++) {
        double sum = 0, most = 0;
        for (int j = 0; j < N; j++) {
          double t = weight(i, j) * (cm[i] * cm[j] + sm[i] * sm[j]) * (w1[j] - w0[j]);
          sum += t;
          most += fabs(t);
        }
        r[i] = sum - 0.5 * h * (f0[i] + f1[i]);
        size[i] = most + 0.5 * h * (fabs(f0[i]) + fabs(f1[i]));
      }
      double error = 0;
      for (int i = N - 2; i >= 0; i--) r[i] += r[i + 1], size[i] += size[i + 1];
      for (int i = 0; i < N; i++) error = fmax(error, fabs(r[i]) / size[i]);
      if (it > 0 && error <= 1e-12) break;
      iterations++;
      // W = M + h/4 d(M dz)/dq - h/2 (df/dv + h/2 df/dq)
      for (int i = 0; i < N; i++) {
        double own = 0, ownm = 0;
        for (int j = 0; j < N; j++) {
          double b = weight(i, j), cd = c1[i] * c1[j] + s1[i] * s1[j], sd = s1[i] * c1[j] - c1[i] * s1[j];
          double cdm = cm[i] * cm[j] + sm[i] * sm[j], sdm = sm[i] * cm[j] - cm[i] * sm[j];
          double fv = -2 * b * sd * w1[j], fq = b * cd * w1[j] * w1[j], mq = b * sdm * (w1[j] - w0[j]);
          W[i][j] = b * cdm + 0.25 * h * mq - 0.5 * h * (fv + 0.5 * h * fq);
          own += fq;
          ownm += mq;
        }
        W[i][i] += -0.25 * h * ownm + 0.25 * h * h * (own + m * g * l * (N - i) * c1[i]);
      }
      for (int i = N - 2; i >= 0; i--) for (int j = 0; j < N; j++) W[i][j] += W[i + 1][j];
      for (int i = 0; i < N; i++) for (int j = N - 2; j >= 0; j--) W[i][j] += W[i][j + 1];
      solve(W, r);
      for (int i = 0; i < N; i++) u1[i] -= r[i];
    }
    for (int i = 0; i < N; i++) {
      gain[i] = u1[i] - u[i];
      p[i] += h * 0.5 * (u[i] + u1[i]);
      u[i] = u1[i];
    }
  }
  memcpy(q, p, sizeof p);
  memcpy(v, u, sizeof u);
}

static void show(void) {
  for (int i = 0; i < N; i++) printf("p%d %.17g\np%d' %.17g\n", i + 1, q[i], i + 1, v[i]);
  fprintf(stderr, "iterations %ld\n", iterations);
}
HAND(1000, run, show)
