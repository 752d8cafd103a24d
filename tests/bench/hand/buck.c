// buck.nsm by hand: theta = 1/2, gamma = 1, h = 1 us.
#include "hand.h"

static double i, v, s;

static void run(long n) {
  const double L = 20e-3, C = 47e-6, R = 22, E = 20, a = 8.4, Vref = 11.3, low = 3.8, high = 8.2, T = 400e-6, h = 1e-6;
  // W = 1 - h/2 A, A = [0 -1/L; 1/C -1/(RC)]
  const double w12 = 0.5 * h / L, w21 = -0.5 * h / C, w22 = 1 + 0.5 * h / (R * C), d = 1 / (w22 - w12 * w21);
  const double m12 = -w12, m21 = -w21, m22 = 2 - w22;
  const double p11 = d * (w22 - w12 * m21), p12 = d * (w22 * m12 - w12 * m22), p21 = d * (m21 - w21),
               p22 = d * (m22 - w21 * m12);
  const double x1 = d * w22 * h * E / L, x2 = -d * w21 * h * E / L, M = a * x2, Minv = 1 / M;
  double I = 0.5, V = 12, S = 0;
  for (long k = 0; k < n; k++) {
    double t = (double)(k + 1) * h, cycle = floor(((double)k + 0.5) * h / T);   // a step has the ramp of one cycle
    double ramp = low + (high - low) * (t / T - cycle);
    double ip = p11 * I + p12 * V, vp = p21 * I + p22 * V, q = a * (vp - Vref) - ramp;
    S = q >= 0 ? 0 : q + M <= 0 ? 1 : -q * Minv;
    I = ip + x1 * S;
    V = vp + x2 * S;
  }
  i = I; v = V; s = S;
}

static void show(void) { printf("i %.17g\nv %.17g\ns %.17g\n", i, v, s); }
HAND(20000, run, show)
