// The law of Liu, Zhao and Brogliato without friction [Liu, Zhao and Brogliato 2008]: contacts are compressed and
// released while the bodies stand still, with stiffnesses K of which only the ratios matter, and exponents eta (3/2:
// Hertz). In a time t that all contacts share,
//
//   dN/dt = F = K d^eta,   dd/dt = -u where u <= 0,  -u/e^2 where u > 0,   u = u- + D N  (1)
//
// so that E = K d^(eta+1)/(eta+1) obeys dE = -u dN, or -u dN/e^2: what is stored comes back but for 1 - e^2 of it.
// A contact ends where d = 0, may begin again where u < 0, and the impact ends where all d = 0 and u >= 0. By
// extrapolation of the modified midpoint rule [Hairer, Norsett and Wanner 1993, II.9], from event to event: u_i = 0,
// d_i = 0, whose times are roots by Illinois.
#include "impact.h"
#include <math.h>
#include <string.h>

enum { COLUMNS = 8, STEPS = 5000, TRIALS = 60 };
enum { OFF, COMPRESSED, RELEASED };
static const double exact = 1e-13, slow = 1e-13, stiff = 1e-4, lost = 1e-9;

typedef struct lzb {
  const nsm_impact *p;
  int     m;
  int    *mode;                         // [m]
  double *u, *stored;                   // [m] rates; energy where its release began
  double *table;                        // [COLUMNS][2m]
  double *slope, *before, *middle;      // [2m]
  double *size;                         // [2m] impulse and depth of each contact alone
  double  loss, fastest, depth;         // the largest rate before, the largest depth
} lzb;

static double force(const nsm_impact *p, int i, double d) {
  return d > 0 ? p->ratio[i] * impact_power(d, p->exponent[i]) : 0;
}
static double energy(const nsm_impact *p, int i, double d) {
  return force(p, i, d) * fmax(d, 0) / (p->exponent[i] + 1);
}
static double rebounds(double e) { return e > stiff ? e : 0; }

static void rates(const lzb *w, const double *y) {
  memcpy(w->u, w->p->before, (size_t)w->m * sizeof(double));
  impact_apply(w->p, y, w->u);
}

static void slope(const lzb *w, const double *y, double *f) {
  rates(w, y);
  for (int i = 0; i < w->m; i++) {
    double e = w->p->e[i], d = y[w->m + i];
    f[i] = w->mode[i] == OFF ? 0 : force(w->p, i, d);
    f[w->m + i] = w->mode[i] == OFF ? 0 : w->mode[i] == COMPRESSED ? -w->u[i] : -w->u[i] / (e * e);
  }
}

// Modified midpoint rule with n substeps over H.
static void midpoint(const lzb *w, const double *y, double H, int n, double *out) {
  int k = 2 * w->m;
  double h = H / n, *a = w->before, *b = w->middle;
  slope(w, y, w->slope);
  memcpy(a, y, (size_t)k * sizeof(double));
  for (int i = 0; i < k; i++) b[i] = y[i] + h * w->slope[i];
  for (int s = 1; s < n; s++) {
    slope(w, b, w->slope);
    for (int i = 0; i < k; i++) {
      double c = a[i] + 2 * h * w->slope[i];
      a[i] = b[i];
      b[i] = c;
    }
  }
  slope(w, b, w->slope);
  for (int i = 0; i < k; i++) out[i] = 0.5 * (a[i] + b[i] + h * w->slope[i]);
}

// y after H into out; the error relative to the impulse and the depth of each contact. Columns n = 2, 4, ...: *used of
// them.
static double advance(const lzb *w, const double *y, double H, double *out, int *used) {
  int k = 2 * w->m;
  double error = INFINITY;
  for (int j = 0; j < COLUMNS; j++) {
    double *T = w->table;
    midpoint(w, y, H, 2 * (j + 1), T + (size_t)j * (size_t)k);
    error = 0;
    for (int l = j - 1; l >= 0; l--) {
      double q = (double)(j + 1) / (l + 1), by = 1 / (q * q - 1);
      for (int i = 0; i < k; i++) {
        double *lower = T + (size_t)(l + 1) * (size_t)k + i, *upper = T + (size_t)l * (size_t)k + i;
        double change = (*lower - *upper) * by;
        *upper = *lower + change;
        if (l == 0) error = fmax(error, fabs(*upper - *lower) / fmax(w->size[i], fabs(y[i])));
      }
    }
    *used = j + 1;
    if (j >= 2 && error <= exact) break;
  }
  memcpy(out, w->table, (size_t)k * sizeof(double));
  return error;
}

// What ends the mode of contact i where it falls below 0.
static double event(const lzb *w, const double *y, int i) {
  double u = w->u[i], d = y[w->m + i];
  if (w->mode[i] == OFF) return u + slow * w->fastest;
  if (w->mode[i] == COMPRESSED) return d < 0 ? d / w->depth * w->fastest : -u;
  return fmin(d / w->depth * w->fastest, u + slow * w->fastest);
}

static double first_event(const lzb *w, const double *y) {
  double least = INFINITY;
  rates(w, y);
  for (int i = 0; i < w->m; i++) least = fmin(least, event(w, y, i));
  return least;
}

static void change(lzb *w, double *y) {
  const nsm_impact *p = w->p;
  rates(w, y);
  for (int i = 0; i < w->m; i++) {
    double *d = &y[w->m + i], e = rebounds(p->e[i]);
    if (event(w, y, i) > 0) continue;
    if (w->mode[i] == OFF) {
      w->mode[i] = COMPRESSED;
      *d = 0;
    } else if (w->mode[i] == COMPRESSED && e > 0 && *d > 0) {
      w->mode[i] = RELEASED;
      w->stored[i] = energy(p, i, *d);
    } else if (w->mode[i] == COMPRESSED || *d <= slow * w->depth) {
      w->loss += w->mode[i] == RELEASED ? (1 - e * e) * w->stored[i] : energy(p, i, *d);
      w->mode[i] = OFF;
      *d = 0;
    } else {
      w->loss += (1 - e * e) * (w->stored[i] - energy(p, i, *d));
      w->mode[i] = COMPRESSED;
    }
  }
}

// The step from y to `to` of length H has passed an event: that of the earliest root of it.
static double shorten(const lzb *w, const double *y, double H, double *to) {
  double lo = 0, hi = H, flo = first_event(w, y), fhi = first_event(w, to);
  int used, side = 0;
  if (!(flo > 0)) flo = slow * w->fastest;
  for (int n = 0; n < TRIALS && hi - lo > exact * H; n++) {
    double x = n % 4 == 3 ? 0.5 * (lo + hi) : lo + (hi - lo) * flo / (flo - fhi);
    advance(w, y, x, to, &used);
    double f = first_event(w, to);
    if (f <= 0) {
      hi = x, fhi = f;
      if (side == 1) flo *= 0.5;
      side = 1;
      if (f > -exact * exact * w->fastest) break;
    } else {
      lo = x, flo = f;
      if (side == -1) fhi *= 0.5;
      side = -1;
    }
  }
  advance(w, y, hi, to, &used);
  return hi;
}

// Impulse and depth of each contact alone; the least time that one takes.
static double sizes(lzb *w) {
  double least = INFINITY;
  w->depth = 0;
  w->fastest = impact_fastest(w->p);
  for (int i = 0; i < w->m; i++) {
    double D = w->p->D[i + (size_t)i * (size_t)w->m], eta = w->p->exponent[i], v = w->fastest;
    double d = pow((eta + 1) * v * v / (2 * D * w->p->ratio[i]), 1 / (eta + 1)), e = rebounds(w->p->e[i]);
    w->size[i] = v / D;
    w->size[w->m + i] = d;
    w->depth = fmax(w->depth, d);
    least = fmin(least, d / v * (e > 0 ? e : 1));
  }
  return least;
}

static int done(const lzb *w, const double *y) {
  rates(w, y);
  for (int i = 0; i < w->m; i++) if (w->mode[i] != OFF || w->u[i] < -2 * slow * w->fastest) return 0;
  return 1;
}

int impact_lzb(const nsm_impact *p, impact_work room, nsm_impact_answer *a) {
  size_t m = (size_t)p->m;
  lzb w = { .p = p, .m = p->m, .mode = room.whole };
  w.u = impact_take(&room, m);
  w.stored = impact_take(&room, m);
  w.table = impact_take(&room, 2 * m * COLUMNS);
  w.slope = impact_take(&room, 2 * m);
  w.before = impact_take(&room, 2 * m);
  w.middle = impact_take(&room, 2 * m);
  w.size = impact_take(&room, 2 * m);
  double *y = impact_take(&room, 2 * m), *to = impact_take(&room, 2 * m), least = sizes(&w), H = 1e-3 * least;
  memset(y, 0, 2 * m * sizeof(double));
  for (int i = 0; i < p->m; i++) w.mode[i] = p->before[i] < 0 ? COMPRESSED : OFF;
  for (int n = 0; n < STEPS && !done(&w, y); n++) {
    int used;
    double error = advance(&w, y, H, to, &used);
    if (!(error <= exact) && H > 1e-12 * least) { H *= 0.5; continue; }
    int ends = first_event(&w, to) <= 0;
    if (ends) shorten(&w, y, H, to);
    memcpy(y, to, 2 * m * sizeof(double));
    if (ends) change(&w, y);
    H = fmin(ends ? 0.1 * H : used <= 5 ? 1.5 * H : H, 0.1 * least);
    H = fmax(H, 1e-12 * least);
  }
  memcpy(a->impulse, y, m * sizeof(double));
  a->loss = w.loss;
  if (done(&w, y)) return 1;
  for (int i = 0; i < p->m; i++)
    a->loss += w.mode[i] == COMPRESSED ? energy(p, i, y[p->m + i])
             : w.mode[i] == RELEASED   ? w.stored[i] - p->e[i] * p->e[i] * (w.stored[i] - energy(p, i, y[p->m + i]))
                                       : 0;
  double rest, left = a->loss - w.loss;
  int ok = impact_rest(p, w.u, room, a, &rest);
  a->loss += rest;
  if (left + rest > lost * w.fastest * w.size[0]) a->share = 0;
  return ok;
}
