// Where a step of Newton's method meets the next kink of the map of Alart and Curnier (alart_curnier.c), at which a
// contact opens or closes, begins to stick or to slide, or an interval reaches a bound.
//
// Between kinks the map is smooth, and nearly linear where little turns. A line search on |F| stops before a kink where
// the piece behind it leads elsewhere: it comes nearer by ever smaller steps, and never gets through. Where bodies
// touch in more points than hold them most steps are of this kind, as forces have a long way to go along directions
// that move nothing. So newton.c goes on just behind the kink, where the piece is another one, as methods do that
// follow the path from piece to piece (Katzenelson, Bell System Tech. J. 44 (1965) 1605; Ralph, Math. Oper. Res. 19
// (1994) 352).
#include "newton.h"
#include <math.h>

static const double just = 1e-9, here = 1e-12;           // behind a kink; a kink at which x stands

// The least t > here at which a + 2 b t + c t^2 = 0.
static double root(double a, double b, double c) {
  double d = b * b - a * c, q = -(b + copysign(sqrt(fmax(d, 0)), b)), best = HUGE_VAL;
  if (d < 0) return best;
  if (c != 0 && q / c > here) best = q / c;
  if (q != 0 && a / q > here) best = fmin(best, a / q);
  return best;
}

static double crossing(double at, double rate) { return root(at, 0.5 * rate, 0); }

// The rim |z_T| = radius + t rate of a disk of the rows from ... size-1, z moving by d.
static double rim(const nsm_node *n, int from, double radius, double rate, const double *z, const double *d) {
  double a = -radius * radius, b = -radius * rate, c = -rate * rate;
  for (int r = from; r < n->size; r++) { a += z[r] * z[r]; b += z[r] * d[r]; c += d[r] * d[r]; }
  return root(a, b, c);
}

// Of one node, by z = x - rho y and its change d in the step. Of other kinds no kink is known.
static double of_node(const nsm_node *n, const double *z, const double *d) {
  if (n->kind == NSM_NODE_INTERVAL) return fmin(crossing(z[0] - n->lo, d[0]), crossing(z[0] - n->hi, d[0]));
  if (n->rolling || n->exact) return HUGE_VAL;
  if (n->kind == NSM_NODE_DISK) return rim(n, 0, n->mu, 0, z, d);
  if (n->kind != NSM_NODE_CONTACT) return HUGE_VAL;
  double slides = rim(n, 1, n->mu * z[0], n->mu * d[0], z, d);
  if (slides < HUGE_VAL && !(z[0] + slides * d[0] > 0)) slides = HUGE_VAL;        // the cone below its tip
  return fmin(crossing(z[0], d[0]), slides);
}

double nsm_newton_kink(const nsm_newton *w, double alpha, const double *x) {
  double t = HUGE_VAL;
  for (int c = 0; c < w->g->nodes; c++) {
    const nsm_node *n = w->g->node + c;
    double z[NSM_NODE_ROWS], d[NSM_NODE_ROWS], rho_N = w->g->push / (n->normal + alpha * n->metric),
           rho_T = w->g->push / (n->tangent + alpha * n->metric);
    for (int r = 0; r < n->size; r++) {
      int i = n->first + r;
      double rho = r < n->normals || n->kind == NSM_NODE_INTERVAL ? rho_N : rho_T;
      z[r] = x[i] - rho * w->y[i];
      d[r] = w->step[i] - rho * w->y_step[i];
    }
    t = fmin(t, of_node(n, z, d));
  }
  return t * (1 + just);
}
