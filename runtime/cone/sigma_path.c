// The way to the answer of a large friction problem: along the path of the smoothed problems, through its folds.
//
// For each tau the smoothed problem (sigma_newton.c (a)) with the term alpha D (x - center), alpha ~ tau, has
// solutions; with a large tau only one. They form a curve, smooth but for rare points, which begins there and ends at
// tau = 0, at a solution of the problem. It is not monotone in tau: the sliding speeds in the normal rows (De Saxce's
// shift) fold it, in piles of a thousand contacts dozens of times. A method that makes tau smaller from step to step
// stalls at the first fold with a residual that no proximal term removes: there is no solution near by, and x drifts
// along the null vector of the fold. So tau is an unknown here and the length of the path the parameter (Keller 1977;
// Allgower and Georg, Numerical Continuation Methods, 1990, ch. 2, 6):
//
//   J t = -dR/d(log tau) t_tau,   |t| = 1;   predictor  z + step t;   corrector  J dz + dR/d(log tau) dtheta = -R,
//   t.dz = 0
//
// both with the factors of J alone. Forward is where the last tangent pointed: the sign of det J, which would tell it
// too, changes at the bifurcations of regular piles as well. For the same reason tau differs a little from contact to
// contact. Lengths are relative: |dz|^2 = sum (dX^2 + (r dsigma)^2) / (X^2 + (r sigma)^2 + tau^2) + (d log tau)^2.
//
// Where tau falls steadily, Newton's method with a proximal term that is moved along (Rockafellar 1976) is quicker and
// ends at the answer to round-off. Where it stalls the walk goes on from where it was left, for twice as long.
#include "sigma.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { CORRECTIONS = 5, LOOK = 4, STALL = 2 };
static const double last_tau = 1e-14, least_alpha = 1e-12,
    near_path = 0.05,        // of tau: a point of the path
    steady = 0.9;            // -t_tau where tau falls steadily

// (x, y, s) := p + step times a direction.
static void move(nsm_sigma *k, const nsm_sigma_point *p, double step, const double *dx, const double *dy,
                 const double *ds) {
  for (int i = 0; i < k->g.rows; i++) {
    k->x[i] = p->x[i] + step * dx[i];
    k->y[i] = p->y[i] + step * dy[i];
  }
  for (int c = 0; c < k->g.nodes; c++) k->s[c] = p->s[c] + step * ds[c];
}

// The largest alpha |x - center|, in units of tau.
static double pull(const nsm_sigma *k) {
  double most = 0;
  for (int c = 0; c < k->g.nodes; c++)
    for (int i = k->g.node[c].first; i < k->g.node[c].first + k->g.node[c].size; i++)
      most = fmax(most, fabs(k->x[i] - k->center[i]) / k->share[c]);
  return k->alpha * most / k->tau;
}

// Smaller and smaller tau, the proximal term moved along. 1 accepted; 0 it stalls, after `patience` failures of
// Newton's method in turn: what it leaves behind is of no use.
static int descend(nsm_sigma *k, int patience, double end) {
  nsm_sigma_point *old = &k->old;
  memcpy(k->center, k->x, (size_t)k->g.rows * sizeof(double));
  nsm_sigma_keep(k, old);
  for (int fails = 0; k->tau > end && nsm_sigma_may_go_on(k);) {
    int used;
    double start, norm;
    if (!nsm_sigma_stage(k, &used, &start, &norm)) {
      if (fails++ == patience) return 0;
      k->alpha *= 3;
      if (!(norm <= start)) nsm_sigma_go_back(k, old);
      continue;
    }
    if (used > 0 && nsm_sigma_checked(k, k->x, k->tau)) return 1;
    if (patience == STALL && pull(k) > 1) return 0;
    fails = 0;
    k->tau *= used == 1 ? 0.2 : used <= 4 ? 0.5 : 0.7;
    k->alpha = fmax(0.5 * k->alpha, least_alpha);
    memcpy(k->center, k->x, (size_t)k->g.rows * sizeof(double));
    nsm_sigma_keep(k, old);
  }
  return 0;
}

// Scalar product of two directions in (x, s), in the lengths of the head.
static double along(const nsm_sigma *k, const double *ax, const double *as, const double *bx, const double *bs) {
  double sum = 0;
  for (int c = 0; c < k->g.nodes; c++) {
    const nsm_node *n = k->g.node + c;
    double r = k->push * k->rho[c], part = r * r * as[c] * bs[c];
    for (int i = n->first; i < n->first + n->size; i++) part += ax[i] * bx[i];
    sum += k->weight[c] * part;
  }
  return sum;
}

static void take_weights(nsm_sigma *k) {
  for (int c = 0; c < k->g.nodes; c++) {
    const nsm_node *n = k->g.node + c;
    double tau = k->tau * k->share[c], rs = n->kind == NSM_NODE_CONTACT ? k->push * k->rho[c] * k->s[c] : 0,
           sum = tau * tau + rs * rs;
    for (int i = n->first; i < n->first + n->size; i++) sum += k->x[i] * k->x[i];
    k->weight[c] = 1 / sum;
  }
}

typedef struct walk {
  double ratio;              // alpha / tau
  double step, t_tau;
  double most;               // tau at the beginning
  int    fresh;              // p holds the tangent of the last corrector
} walk;

static void set_tau(nsm_sigma *k, const walk *o, double tau) {
  k->tau = tau;
  k->alpha = o->ratio * tau;
}

// p := dz / d(log tau) at the present point; its factors. 0: singular.
static int differentiate(nsm_sigma *k) {
  k->steps++;
  k->w->iterations++;
  if (!nsm_sigma_factor(k)) return 0;
  nsm_sigma_by_tau(k);
  return nsm_sigma_solve(k, k->T, k->T0, k->dV, k->px, k->py, k->ps);
}

// t := p normed, in the direction of the path.
static void take_tangent(nsm_sigma *k, walk *o) {
  take_weights(k);
  double length = sqrt(along(k, k->px, k->ps, k->px, k->ps) + 1),
         sign = o->t_tau == 0 || along(k, k->px, k->ps, k->tx, k->ts) + o->t_tau < 0 ? -1 : 1;
  for (int i = 0; i < k->g.rows; i++) { k->tx[i] = sign * k->px[i] / length; k->ty[i] = sign * k->py[i] / length; }
  for (int c = 0; c < k->g.nodes; c++) k->ts[c] = sign * k->ps[c] / length;
  o->t_tau = sign / length;
  if (o->step * fabs(o->t_tau) > 1.5) o->step = 1.5 / fabs(o->t_tau);
}

// One step of the present length from k->old. Returns the corrections it needed, -1: too long. *first: |R| / tau after
// the predictor.
static int step_along(nsm_sigma *k, walk *o, double *first) {
  double theta = o->step * o->t_tau, before = HUGE_VAL, norm;
  move(k, &k->old, o->step, k->tx, k->ty, k->ts);
  for (int used = 0;; used++) {
    set_tau(k, o, k->old.tau * exp(theta));
    nsm_sigma_residual(k, k->x, k->y, k->s, 1, &norm);
    if (used == 0) *first = norm / k->tau;
    if (norm <= near_path * k->tau) return used;
    if (norm > (used ? 2 * before : 3 * k->tau) || used == CORRECTIONS || !nsm_sigma_may_go_on(k)) return -1;
    before = norm;
    if (!differentiate(k) || !nsm_sigma_solve(k, k->R, k->R0, NULL, k->dx, k->dy, k->ds)) return -1;
    double change = -along(k, k->dx, k->ds, k->tx, k->ts) / (along(k, k->px, k->ps, k->tx, k->ts) + o->t_tau);
    if (!(fabs(change) < 3 * o->step)) return -1;
    theta += change;
    for (int i = 0; i < k->g.rows; i++) k->x[i] += k->dx[i] + change * k->px[i];
    for (int c = 0; c < k->g.nodes; c++) k->s[c] += k->ds[c] + change * k->ps[c];
    nsm_graph_apply(&k->g, k->x, 1, k->y);
  }
}

// Along the path until tau has fallen steadily for `patience` points. 1 accepted, 0 there, -1 no way on.
static int follow(nsm_sigma *k, walk *o, int patience, double end) {
  for (int points = 1, calm = 0; k->tau > end && nsm_sigma_may_go_on(k); points++) {
    double norm, first = 0;
    int used = -1;
    if (!o->fresh) {
      nsm_sigma_residual(k, k->x, k->y, k->s, 1, &norm);
      if (!differentiate(k)) return -1;
    }
    take_tangent(k, o);
    nsm_sigma_keep(k, &k->old);
    for (int tries = o->fresh ? 3 : 16; tries > 0 && used < 0; tries--) {
      used = step_along(k, o, &first);
      if (used < 0) o->step *= 0.4;
    }
    if (used < 0) {
      nsm_sigma_go_back(k, &k->old);
      set_tau(k, o, k->tau);
      if (!o->fresh) return -1;
      o->fresh = 0;
      o->step *= 10;
      continue;
    }
    o->fresh = used > 0;
    nsm_graph_apply(&k->g, k->x, 1, k->y);
    if (k->tau > 10 * o->most) return -1;
    if (points % LOOK == 0 && nsm_sigma_checked(k, k->x, k->tau)) return 1;
    o->step *= fmin(2, fmax(0.5, sqrt((used <= 2 ? 0.7 : 0.3) / fmax(first, DBL_MIN))));
    calm = o->t_tau < -steady ? calm + 1 : 0;
    if (calm >= patience) return 0;
  }
  return -1;
}

int nsm_sigma_path(nsm_sigma *k, double push, double ratio, double tau) {
  nsm_sigma_begin(k, push, tau);
  double end = last_tau * k->tau, start, norm;
  walk o = { .ratio = ratio / k->tau, .step = 0.3, .most = k->tau };
  int done = 0, used, there = 0;
  k->alpha = ratio;
  for (int tries = 0; tries < 20 && !there; tries++) there = nsm_sigma_stage(k, &used, &start, &norm);
  if (!there) return 0;
  for (int patience = 3; done == 0 && k->tau > end; patience *= 2) {
    done = follow(k, &o, patience, end);
    if (done) break;
    nsm_sigma_keep(k, &k->turn);
    done = descend(k, STALL, end);
    if (done) break;
    nsm_sigma_go_back(k, &k->turn);
    set_tau(k, &o, k->tau);
    o.fresh = 0;
  }
  return done == 1;
}
