// models/diode_bridge.nsm by hand: theta = 1/2, gamma = 1, h = 1 us. By the signs of v either the diodes F1 and F2 or
// the other two carry the current v/R, so the load acts as a resistor; all four multipliers are computed.
#include "hand.h"

static double v, i, diode[4];

static void run(long n) {
  const double L = 10e-3, C = 1e-6, R = 1e3, h = 1e-6;
  // W = 1 - h/2 A, A = [0 -1/C; 1/L 0];  z_p = W^-1 (1 + h/2 A) z;  X = W^-1 (h/C, 0)
  const double a = 0.5 * h / C, b = 0.5 * h / L, d = 1 / (1 + a * b);
  const double p11 = (1 - a * b) * d, p12 = -2 * a * d, p21 = 2 * b * d, p22 = (1 - a * b) * d;
  const double x1 = d * h / C, x2 = b * d * h / C, c = 1 / (1 + x1 / R), G = 1 / R;
  double V = 10, I = 0, uR1 = 0, uF2 = 0, iF1 = 0, iR2 = 0;
  for (long k = 0; k < n; k++) {
    double vp = p11 * V + p12 * I, ip = p21 * V + p22 * I, v1 = c * vp, j = v1 * G;
    if (v1 >= 0) { uR1 = v1; uF2 = 0; iF1 = j; iR2 = 0; }
    else { uR1 = 0; uF2 = -v1; iF1 = 0; iR2 = -j; }
    I = ip - x2 * j;
    V = v1;
  }
  v = V; i = I;
  diode[0] = uR1; diode[1] = uF2; diode[2] = iF1; diode[3] = iR2;
}

static void show(void) {
  printf("v %.17g\ni %.17g\nuR1 %.17g\nuF2 %.17g\niF1 %.17g\niR2 %.17g\n", v, i, diode[0], diode[1], diode[2],
      diode[3]);
}
HAND(5000, run, show)
