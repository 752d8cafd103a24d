// models/bouncing_ball.nsm by hand: Moreau's scheme, theta = 1/2, h = 5 ms.
#include "hand.h"

static double z, v;

static void run(long n) {
  const double h = 5e-3, g = 9.81, R = 0.1, e = 0.9, dv = -h * g;
  double q = 1, u = 0;
  for (long k = 0; k < n; k++) {
    double gap = q - R, next = u + dv;
    if (gap + 0.5 * h * u <= 0 && next + e * u < 0) next = -e * u;
    q += h * (0.5 * u + 0.5 * next);
    u = next;
  }
  z = q;
  v = u;
}

static void show(void) { printf("z %.17g\nz' %.17g\n", z, v); }
HAND(400, run, show)
