// models/column.nsm by hand, n = 1000: Moreau's scheme, theta = 1/2, h = 5 ms. Chains of closed contacts are solved by
// Thomas' algorithm on the contacts that press, which are sought by pivoting.
#include "hand.h"

enum { N = 1000 };
static double z[N], v[N], q1[N], v1[N], gap[N], rate[N], a[N], force[N];
static unsigned char press[N];

// rows lo .. hi: contact i between bead i - 1 (none for 0) and bead i; all masses 1
static void chain(int lo, int hi) {
  int n = hi - lo;
  double q[N], d[N], r[N];
  for (int i = 0; i < n; i++) {
    int c = lo + i;
    double u = v1[c] - (c > 0 ? v1[c - 1] : 0);
    q[i] = u + 0.9 * rate[c];
    press[i] = 1;
  }
  for (int round = 0; round < 2 * n + 10; round++) {
    for (int i = 0; i < n; i++) {                          // tridiagonal (2, -1), 1 at the ground, on those that press
      double D = lo + i == 0 ? 1 : 2, R = -q[i];
      if (!press[i]) { d[i] = 1; r[i] = 0; continue; }
      if (i > 0 && press[i - 1]) { D -= 1 / d[i - 1]; R += r[i - 1] / d[i - 1]; }
      d[i] = D;
      r[i] = R;
    }
    for (int i = n - 1; i >= 0; i--)
      force[lo + i] = press[i] ? (r[i] + (i + 1 < n ? force[lo + i + 1] : 0)) / d[i] : 0;
    int changed = 0;
    for (int i = 0; i < n; i++) {
      int c = lo + i;
      if (press[i] && force[c] < 0) { press[i] = 0; changed = 1; continue; }
      if (press[i]) continue;
      double u = q[i] - (i > 0 ? force[c - 1] : 0) - (i + 1 < n ? force[c + 1] : 0);
      if (u < -1e-13 * (fabs(q[i]) + 1)) { press[i] = 1; changed = 1; }
    }
    if (!changed) break;
  }
  for (int i = 0; i < n; i++) {
    int c = lo + i;
    v1[c] += force[c];
    if (c > 0) v1[c - 1] -= force[c];
  }
  for (int c = lo > 0 ? lo - 1 : lo; c < hi; c++) q1[c] = z[c] + 0.5 * 5e-3 * (v[c] + v1[c]);
}

static void run(long n) {
  const double h = 5e-3, R = 0.1, dv = -h * 9.81, hh = 0.5 * h, fall = hh * dv;
  for (int i = 0; i < N; i++) { z[i] = 0.2 + i * 0.3; v[i] = 0; }
  for (long k = 0; k < n; k++) {
    gap[0] = z[0] - R;
    rate[0] = v[0];
    for (int i = 1; i < N; i++) {
      gap[i] = z[i] - z[i - 1] - 2 * R;
      rate[i] = v[i] - v[i - 1];
    }
    for (int i = 0; i < N; i++) a[i] = gap[i] + hh * rate[i];
    for (int i = 0; i < N; i++) {
      v1[i] = v[i] + dv;
      q1[i] = z[i] + h * v[i] + fall;
    }
    for (int i = 0; i < N;) {
      if (a[i] > 0) { i++; continue; }
      int to = i + 1;
      while (to < N && a[to] <= 0) to++;
      chain(i, to);
      i = to;
    }
    memcpy(z, q1, sizeof z);
    memcpy(v, v1, sizeof v);
  }
}

static void show(void) {
  static const int at[] = { 0, 1, 2, 9, 99, 499, 999 };
  for (int i = 0; i < 7; i++) printf("bead[%d].z %.17g\nbead[%d].z' %.17g\n", at[i] + 1, z[at[i]], at[i] + 1, v[at[i]]);
}
HAND(400, run, show)
