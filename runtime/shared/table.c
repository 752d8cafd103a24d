// Piecewise polynomials. In the interval i, with s = x - x_i and h = x_{i+1} - x_i,
//
//   p(s) = c0 + c1 s + c2 s^2 + c3 s^3
//   cubic: c1 = m_i, c2 = (3 D - 2 m_i - m_{i+1})/h, c3 = (m_i + m_{i+1} - 2 D)/h^2
//
// D = (y_{i+1} - y_i)/h, m the slopes. Outside of the range a table has its end value, or goes on with its period.
//
// Divided differences f[a^m, b^n] within one interval are sums of those of the powers of s, which are complete
// symmetric polynomials of a and b: no difference is formed, so nothing cancels. Over several intervals f[a, b] is the
// mean of those of its parts, weighted with their lengths, and higher ones follow by the recursion.
#include "table.h"
#include <math.h>

enum { MOST = 4, PARTS = 64 };

typedef struct piece { double c[4], at; int degree; } piece;

static int interval(const double *x, int n, double a) {    // x[i] <= a < x[i + 1]
  int lo = 0, hi = n - 1;
  while (hi - lo > 1) {
    int mid = lo + (hi - lo) / 2;
    if (a < x[mid]) hi = mid;
    else lo = mid;
  }
  return lo;
}

static piece constant(double y) { return (piece){ { y, 0, 0, 0 }, 0, 0 }; }

static piece piece_of(const double *d, int i) {
  int n = (int)d[0], kind = (int)d[1];
  const double *x = d + NSM_TABLE_HEAD, *y = x + n, *m = y + n;
  if (kind == NSM_TABLE_HOLD) return constant(y[i]);
  double h = x[i + 1] - x[i], slope = (y[i + 1] - y[i]) / h;
  if (kind == NSM_TABLE_LINEAR) return (piece){ { y[i], slope, 0, 0 }, x[i], 1 };
  return (piece){ { y[i], m[i], (3 * slope - 2 * m[i] - m[i + 1]) / h, (m[i] + m[i + 1] - 2 * slope) / (h * h) },
                  x[i], 3 };
}

// Where a lies: number of its piece (-1, n - 1: before and behind), and how many periods were taken off.
typedef struct place { int i; double turns; } place;

static place place_of(const double *d, double a) {
  int n = (int)d[0];
  const double *x = d + NSM_TABLE_HEAD;
  place p = { 0, 0 };
  if (n < 2) return (place){ -1, 0 };
  if (d[2] != 0) {
    double period = x[n - 1] - x[0];
    p.turns = floor((a - x[0]) / period);
    a -= p.turns * period;
    if (a < x[0]) a = x[0];
    if (a >= x[n - 1]) { a = x[0]; p.turns++; }
  }
  p.i = a < x[0] ? -1 : a >= x[n - 1] ? n - 1 : interval(x, n, a);
  return p;
}

static piece at_place(const double *d, place p) {
  int n = (int)d[0];
  const double *x = d + NSM_TABLE_HEAD, *y = x + n;
  if (p.i < 0) return constant(y[0]);
  if (p.i >= n - 1) return constant(y[n - 1]);
  piece q = piece_of(d, p.i);
  if (p.turns != 0) q.at += p.turns * (x[n - 1] - x[0]);
  return q;
}

static double derivative(const piece *p, double a, int order) {
  double s = a - p->at, sum = 0;
  for (int k = p->degree; k >= order; k--) {
    double factor = 1;
    for (int j = 0; j < order; j++) factor *= k - j;
    sum = sum * s + factor * p->c[k];
  }
  return sum;
}

// s^k[a^m, b^n] = h_{k - m - n + 1}, the complete symmetric polynomial of a, m times, and b, n times.
static double divided(const piece *p, double a, double b, int m, int n) {
  double s = a - p->at, t = b - p->at, h[4] = { 1, 0, 0, 0 }, sum = 0;
  for (int node = 0; node < m + n; node++)
    for (int j = 1; j < 4; j++) h[j] += (node < m ? s : t) * h[j - 1];
  for (int k = m + n - 1; k <= p->degree; k++) sum += p->c[k] * h[k - (m + n - 1)];
  return sum;
}

static double value(const double *d, double a) {
  piece p = at_place(d, place_of(d, a));
  return derivative(&p, a, 0);
}

// The end of the piece at place p, in direction of larger arguments.
static double end_of(const double *d, place p) {
  int n = (int)d[0];
  const double *x = d + NSM_TABLE_HEAD;
  if (p.i >= n - 1) return INFINITY;
  return x[p.i + 1] + p.turns * (x[n - 1] - x[0]);
}

static place next_of(const double *d, place p) {
  int n = (int)d[0];
  p.i++;
  if (d[2] != 0 && p.i >= n - 1) return (place){ 0, p.turns + 1 };
  return p;
}

// f[a, b] over several pieces
static double secant(const double *d, double a, double b) {
  if (a > b) { double swap = a; a = b; b = swap; }
  place p = place_of(d, a);
  double from = a, sum = 0;
  for (int k = 0; from < b; k++) {
    double to = fmin(end_of(d, p), b);
    piece q = at_place(d, p);
    if (k == PARTS) return (value(d, b) - value(d, a)) / (b - a);
    sum += divided(&q, from, to, 1, 1) * (to - from);
    from = to;
    p = next_of(d, p);
  }
  return sum / (b - a);
}

static double factorial(int k) { return k < 2 ? 1 : k * factorial(k - 1); }

static double over_pieces(const double *d, const piece *pa, const piece *pb, double a, double b, int m, int n) {
  double table[MOST + 1][MOST + 1];
  for (int i = 0; i <= m; i++)
    for (int j = 0; j <= n; j++) {
      if (i + j == 0) table[i][j] = 0;
      else if (j == 0) table[i][j] = derivative(pa, a, i - 1) / factorial(i - 1);
      else if (i == 0) table[i][j] = derivative(pb, b, j - 1) / factorial(j - 1);
      else if (i == 1 && j == 1) table[i][j] = secant(d, a, b);
      else table[i][j] = (table[i - 1][j] - table[i][j - 1]) / (b - a);
    }
  return table[m][n];
}

double nsm_table_value(const double *d, double a, double b, double times) {
  int m = (int)times / 10, n = (int)times - 10 * m;
  if (isnan(a) || isnan(b)) return NAN;
  if (isinf(a)) a = copysign(1e300, a);
  if (isinf(b)) b = copysign(1e300, b);
  place p = place_of(d, a);
  if (times < 0) return p.i + p.turns * (d[0] - 1);
  piece at_a = at_place(d, p);
  if (m == 0) return derivative(&at_a, a, n);
  place q = place_of(d, b);
  if (m > MOST || n > MOST) return NAN;
  if (p.i == q.i && p.turns == q.turns) return divided(&at_a, a, b, m, n);
  piece at_b = at_place(d, q);
  return over_pieces(d, &at_a, &at_b, a, b, m, n);
}

// Three-point slopes; 0 where the data turn; then alpha^2 + beta^2 <= 9 in each interval.
void nsm_table_slopes(int n, const double *x, const double *y, int periodic, double *m) {
  if (n < 2) { if (n == 1) m[0] = 0; return; }
  for (int i = 0; i < n; i++) {
    int before = i > 0 ? i - 1 : periodic ? n - 2 : -1, behind = i < n - 1 ? i : periodic ? 0 : -1;
    if (before < 0 || behind < 0) {
      int k = before < 0 ? 0 : n - 2;
      m[i] = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
      continue;
    }
    double h0 = x[before + 1] - x[before], h1 = x[behind + 1] - x[behind], d0 = (y[before + 1] - y[before]) / h0,
           d1 = (y[behind + 1] - y[behind]) / h1;
    m[i] = d0 * d1 > 0 ? (h1 * d0 + h0 * d1) / (h0 + h1) : 0;
  }
  for (int i = 0; i < n - 1; i++) {
    double d = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
    if (d == 0) { m[i] = m[i + 1] = 0; continue; }
    double a = m[i] / d, b = m[i + 1] / d, size = a * a + b * b;
    if (size <= 9) continue;
    m[i] = 3 / sqrt(size) * a * d;
    m[i + 1] = 3 / sqrt(size) * b * d;
  }
  if (periodic) {
    double least = fabs(m[0]) < fabs(m[n - 1]) ? m[0] : m[n - 1];
    m[0] = m[n - 1] = least;
  }
}
