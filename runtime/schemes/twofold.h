// Sums and products with their exact errors (Dekker, Numer. Math. 18 (1971) 224; Ogita, Rump and Oishi, SIAM J. Sci.
// Comput. 26 (2005) 1955). No fused operations, so every processor gives the same digits.
#pragma once

// a + b rounded; *low: what was lost.
static inline double sim_two_sum(double a, double b, double *low) {
  double s = a + b, t = s - a;
  *low = (a - (s - t)) + (b - t);
  return s;
}

// (high, low) += x
static inline void sim_add(double *high, double *low, double x) {
  double lost;
  *high = sim_two_sum(*high, x, &lost);
  *low += lost;
}

// (high, low) += a b
static inline void sim_add_product(double *high, double *low, double a, double b) {
  const double split = 134217729.0;   // 2^27 + 1
  double c = split * a, d = split * b, p = a * b;
  double a1 = c - (c - a), b1 = d - (d - b), a2 = a - a1, b2 = b - b1;
  sim_add(high, low, p);
  *low += a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2);
}
