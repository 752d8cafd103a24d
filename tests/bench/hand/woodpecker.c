// models/woodpecker.nsm by hand: Moreau's scheme, theta = 1/2, h = 10 us. One closed contact by its closed form,
// several by sweeps over them.
#include "hand.h"

static double q[3], v[3];

static const double mM = 0.3e-3, mS = 4.5e-3, JM = 5e-9, JS = 7e-7, rO = 2.5e-3, rM = 3.1e-3, hM = 5.8e-3, lM = 10e-3,
                    lG = 15e-3, hS = 20e-3, lS = 20.1e-3, c = 0.0056, g = 9.81, mu = 0.3, h = 10e-6;

static void invert(double A[3][3], double B[3][3]) {
  double T[3][6];
  for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) { T[i][j] = A[i][j]; T[i][3 + j] = i == j; }
  for (int k = 0; k < 3; k++) {
    double d = 1 / T[k][k];
    for (int j = 0; j < 6; j++) T[k][j] *= d;
    for (int i = 0; i < 3; i++) {
      double f = T[i][k];
      for (int j = 0; i != k && j < 6; j++) T[i][j] -= f * T[k][j];
    }
  }
  for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) B[i][j] = T[i][3 + j];
}

// M = [a b; b d], inverse
typedef struct contact { double N[3], T[3], XN[3], XT[3], a, b, d, e, ia, ib, id; } contact;

static inline void solve(const contact *k, double qN, double qT, double *lN, double *lT) {
  *lN = *lT = 0;
  if (qN >= 0) return;
  double N = -(k->ia * qN + k->ib * qT), T = -(k->ib * qN + k->id * qT);
  if (fabs(T) > mu * N || N < 0) {
    double s = T > 0 ? mu : -mu;
    N = -qN / (k->a + s * k->b);
    T = s * N;
    if (N < 0 || (k->b * N + k->d * T + qT) * T > 0) { N = -qN / (k->a - s * k->b); T = -s * N; }
  }
  *lN = N;
  *lT = T;
}

static void run(long n) {
  const double L[3] = { 1, lM, lG };
  double M[3][3] = { { mM, 0, 0 }, { 0, JM, 0 }, { 0, 0, JS } }, V[3][3];
  for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) M[i][j] += mS * L[i] * L[j];
  const double k2 = 0.25 * h * h * c;
  M[1][1] += k2; M[2][2] += k2; M[1][2] -= k2; M[2][1] -= k2;
  invert(M, V);
  const double f[3] = { -(mM + mS) * g, -mS * g * lM, -mS * g * lG };
  double G[3], S[3];
  for (int i = 0; i < 3; i++) {
    G[i] = h * (V[i][0] * f[0] + V[i][1] * f[1] + V[i][2] * f[2]);
    S[i] = h * c * (V[i][1] - V[i][2]);
  }
  contact k[3] = { { .N = { 0, 0, -hS }, .T = { 1, lM, lG - lS }, .e = 0.5 },
                   { .N = { 0, hM, 0 }, .T = { 1, rM, 0 } }, { .N = { 0, -hM, 0 }, .T = { 1, rM, 0 } } };
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++)
      for (int l = 0; l < 3; l++) { k[j].XN[i] += V[i][l] * k[j].N[l]; k[j].XT[i] += V[i][l] * k[j].T[l]; }
    for (int i = 0; i < 3; i++) {
      k[j].a += k[j].N[i] * k[j].XN[i];
      k[j].b += k[j].N[i] * k[j].XT[i];
      k[j].d += k[j].T[i] * k[j].XT[i];
    }
    double d = 1 / (k[j].a * k[j].d - k[j].b * k[j].b);
    k[j].ia = k[j].d * d; k[j].ib = -k[j].b * d; k[j].id = k[j].a * d;
  }
  const double beak = lM + lG - lS - rO, edge = rM - rO, hh = 0.5 * h;
  double y = 0, al = -0.1036, ph = -0.2788, u0 = -0.3411, u1 = 0, u2 = -7.4583;
  for (long step = 0; step < n; step++) {
    double s = (ph - al) + hh * (u2 - u1);
    double w0 = u0 + (G[0] + S[0] * s), w1 = u1 + (G[1] + S[1] * s), w2 = u2 + (G[2] + S[2] * s);
    int on[3] = { beak - hS * ph - hh * hS * u2 <= 0, edge + hM * al + hh * hM * u1 <= 0,
                  edge - hM * al - hh * hM * u1 <= 0 };
    int closed = on[0] + on[1] + on[2];
    if (closed == 1) {
      double lN, lT;
      if (on[1]) {
        solve(&k[1], hM * w1, w0 + rM * w1, &lN, &lT);
        w0 += k[1].XN[0] * lN + k[1].XT[0] * lT;
        w1 += k[1].XN[1] * lN + k[1].XT[1] * lT;
        w2 += k[1].XN[2] * lN + k[1].XT[2] * lT;
      } else {
        const contact *o = on[0] ? &k[0] : &k[2];
        double N = o->N[1] * w1 + o->N[2] * w2, before = o->N[1] * u1 + o->N[2] * u2;
        solve(o, N + o->e * before, w0 + o->T[1] * w1 + o->T[2] * w2, &lN, &lT);
        w0 += o->XN[0] * lN + o->XT[0] * lT;
        w1 += o->XN[1] * lN + o->XT[1] * lT;
        w2 += o->XN[2] * lN + o->XT[2] * lT;
      }
    } else if (closed > 1) {
      double lN[3] = { 0 }, lT[3] = { 0 }, f0 = w0, f1 = w1, f2 = w2;
      for (int sweep = 0; sweep < 200; sweep++) {
        double change = 0;
        for (int j = 0; j < 3; j++) {
          if (!on[j]) continue;
          double a = f0, b = f1, d = f2, N, T;
          for (int i = 0; i < 3; i++) {
            if (i == j) continue;
            a += k[i].XN[0] * lN[i] + k[i].XT[0] * lT[i];
            b += k[i].XN[1] * lN[i] + k[i].XT[1] * lT[i];
            d += k[i].XN[2] * lN[i] + k[i].XT[2] * lT[i];
          }
          double before = k[j].N[1] * u1 + k[j].N[2] * u2;
          solve(&k[j], k[j].N[1] * b + k[j].N[2] * d + k[j].e * before, a + k[j].T[1] * b + k[j].T[2] * d, &N, &T);
          change += fabs(N - lN[j]) + fabs(T - lT[j]);
          lN[j] = N;
          lT[j] = T;
        }
        if (change < 1e-18) break;
      }
      for (int i = 0; i < 3; i++) {
        w0 += k[i].XN[0] * lN[i] + k[i].XT[0] * lT[i];
        w1 += k[i].XN[1] * lN[i] + k[i].XT[1] * lT[i];
        w2 += k[i].XN[2] * lN[i] + k[i].XT[2] * lT[i];
      }
    }
    y += hh * (u0 + w0);
    al += hh * (u1 + w1);
    ph += hh * (u2 + w2);
    u0 = w0;
    u1 = w1;
    u2 = w2;
  }
  q[0] = y; q[1] = al; q[2] = ph;
  v[0] = u0; v[1] = u1; v[2] = u2;
}

static void show(void) {
  static const char *const name[] = { "y", "alpha", "phi" };
  for (int i = 0; i < 3; i++) printf("%s %.17g\n%s' %.17g\n", name[i], q[i], name[i], v[i]);
}
HAND(100000, run, show)
