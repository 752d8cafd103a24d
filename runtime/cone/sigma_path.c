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

enum { MEMORY = 3, STAGE = 8, LONG = 1000, HALVINGS = 12, SHORT = 2, CORRECTIONS = 5, LOOK = 4, STALL = 2,
       STUBBORN = 6 };
enum { FEW = 60, MANY = 300 };           // nodes: on bodies from here, on contacts up to here
static const double first_push = 10, first_ratio = 1e-4, fall_alpha = 1e-3, last_tau = 1e-14, least_alpha = 1e-12,
    near_path = 0.01,        // of tau: a point of the path
    spread = 1.0001,         // of tau
    steady = 0.9;            // -t_tau where tau falls steadily

static size_t rows_bytes(const nsm_sigma *k) { return (size_t)k->g.rows * sizeof(double); }
static size_t nodes_bytes(const nsm_sigma *k) { return (size_t)k->g.nodes * sizeof(double); }

static void keep(const nsm_sigma *k, nsm_sigma_point *p) {
  memcpy(p->x, k->x, rows_bytes(k));
  memcpy(p->y, k->y, rows_bytes(k));
  memcpy(p->s, k->s, nodes_bytes(k));
  if (p->center) memcpy(p->center, k->center, rows_bytes(k));
  p->tau = k->tau;
}

static void go_back(nsm_sigma *k, const nsm_sigma_point *p) {
  memcpy(k->x, p->x, rows_bytes(k));
  memcpy(k->y, p->y, rows_bytes(k));
  memcpy(k->s, p->s, nodes_bytes(k));
  if (p->center) memcpy(k->center, p->center, rows_bytes(k));
  k->tau = p->tau;
}

// (x, y, s) := p + step times a direction.
static void move(nsm_sigma *k, const nsm_sigma_point *p, double step, const double *dx, const double *dy,
                 const double *ds) {
  for (int i = 0; i < k->g.rows; i++) {
    k->x[i] = p->x[i] + step * dx[i];
    k->y[i] = p->y[i] + step * dy[i];
  }
  for (int c = 0; c < k->g.nodes; c++) k->s[c] = p->s[c] + step * ds[c];
}

// Judges the present point, without forces that only tau makes: 1 where it is the answer. Keeps the best.
static int judged(nsm_sigma *k, const nsm_cone_problem *p, const nsm_cone_try *t, double *u) {
  const nsm_graph *g = &k->g;
  nsm_cone_check check;
  memcpy(k->xt, k->x, rows_bytes(k));
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    if (n->kind == NSM_NODE_CONTACT && k->x[n->first] < k->tau * k->share[c])
      memset(k->xt + n->first, 0, (size_t)n->size * sizeof(double));
  }
  nsm_graph_lambda(g, k->xt, k->lambda);
  nsm_cone_project_all(p, k->lambda);
  nsm_cone_check_answer(p, k->w, t, k->lambda, u, &check);
  if (check.accepted || check.residual < k->least) {
    k->least = check.residual;
    memcpy(k->best, k->lambda, rows_bytes(k));
  }
  return check.accepted;
}

static int may_go_on(const nsm_sigma *k) { return k->steps < k->limit && !nsm_cone_late(k->w); }

// Newton's method at one tau with a line search that looks at the last MEMORY points: 1 where |R|_inf <= tau. *used:
// steps; *start: |R|_inf at first; norm at the end.
static int stage(nsm_sigma *k, int *used, double *start, double *norm) {
  double history[MEMORY] = { 0 };
  int shorts = 0;
  for (*used = 0;; ++*used) {
    double reference = nsm_sigma_residual(k, k->x, k->y, k->s, 1, norm);
    if (*used == 0) *start = *norm;
    if (!(reference < HUGE_VAL)) return 0;
    if (*norm <= k->tau) return 1;
    if (*used >= STAGE || shorts >= SHORT || !may_go_on(k)) return 0;
    history[*used % MEMORY] = reference;
    for (int j = 0; j < MEMORY && j <= *used; j++) reference = fmax(reference, history[j]);
    k->steps++;
    k->w->iterations++;
    if (!nsm_sigma_factor(k) || !nsm_sigma_solve(k, k->R, k->R0, NULL, k->dx, k->dy, k->ds)) return 0;
    double t = 1, size;
    for (int trial = 0; trial < HALVINGS; trial++, t *= 0.5) {
      for (int i = 0; i < k->g.rows; i++) {
        k->xt[i] = k->x[i] + t * k->dx[i];
        k->yt[i] = k->y[i] + t * k->dy[i];
      }
      for (int c = 0; c < k->g.nodes; c++) k->st[c] = k->s[c] + t * k->ds[c];
      if (nsm_sigma_residual(k, k->xt, k->yt, k->st, 0, &size) <= (1 - 1e-4 * t) * reference) break;
    }
    shorts += t < 0.1;
    for (int i = 0; i < k->g.rows; i++) k->x[i] += t * k->dx[i];
    for (int c = 0; c < k->g.nodes; c++) k->s[c] += t * k->ds[c];
    nsm_graph_apply(&k->g, k->x, 1, k->y);
  }
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
static int descend(nsm_sigma *k, const nsm_cone_problem *p, const nsm_cone_try *t, int patience, double end,
                   double *u) {
  nsm_sigma_point *old = &k->old;
  memcpy(k->center, k->x, rows_bytes(k));
  keep(k, old);
  for (int fails = 0; k->tau > end && may_go_on(k);) {
    int used;
    double start, norm;
    if (!stage(k, &used, &start, &norm)) {
      if (fails++ == patience) return 0;
      k->alpha *= 3;
      if (!(norm <= start)) go_back(k, old);
      continue;
    }
    if (used > 0 && judged(k, p, t, u)) return 1;
    if (patience == STALL && pull(k) > 1) return 0;
    fails = 0;
    k->tau *= used == 1 ? 0.2 : used <= 4 ? 0.5 : 0.7;
    k->alpha = fmax(0.5 * k->alpha, least_alpha);
    memcpy(k->center, k->x, rows_bytes(k));
    keep(k, old);
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
    if (norm > (used ? 2 * before : 3 * k->tau) || used == CORRECTIONS || !may_go_on(k)) return -1;
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
static int follow(nsm_sigma *k, walk *o, const nsm_cone_problem *p, const nsm_cone_try *t, int patience, double end,
                  double *u) {
  for (int points = 1, calm = 0; k->tau > end && may_go_on(k); points++) {
    double norm, first = 0;
    int used = -1;
    if (!o->fresh) {
      nsm_sigma_residual(k, k->x, k->y, k->s, 1, &norm);
      if (!differentiate(k)) return -1;
    }
    take_tangent(k, o);
    keep(k, &k->old);
    for (int tries = o->fresh ? 3 : 16; tries > 0 && used < 0; tries--) {
      used = step_along(k, o, &first);
      if (used < 0) o->step *= 0.4;
    }
    if (used < 0) {
      go_back(k, &k->old);
      set_tau(k, o, k->tau);
      if (!o->fresh) return -1;
      o->fresh = 0;
      o->step *= 10;
      continue;
    }
    o->fresh = used > 0;
    nsm_graph_apply(&k->g, k->x, 1, k->y);
    if (k->tau > 10 * o->most) return -1;
    if (points % LOOK == 0 && judged(k, p, t, u)) return 1;
    o->step *= fmin(2, fmax(0.5, sqrt((used <= 2 ? 0.7 : 0.3) / fmax(first, DBL_MIN))));
    calm = o->t_tau < -steady ? calm + 1 : 0;
    if (calm >= patience) return 0;
  }
  return -1;
}

// The middle one of x by exchanges (Hoare 1961); x is sorted in part.
static double median(int n, double *x) {
  int low = 0, high = n - 1, middle = n / 2;
  while (low < high) {
    double pivot = x[middle];
    int i = low, j = high;
    while (i <= j) {
      while (x[i] < pivot) i++;
      while (pivot < x[j]) j--;
      if (i <= j) { double t = x[i]; x[i++] = x[j]; x[j--] = t; }
    }
    if (j < middle) low = i;
    if (middle < i) high = j;
  }
  return x[middle];
}

// tau large, all contacts press a little.
static void begin(nsm_sigma *k, double push, double tau, nsm_dice *d) {
  const nsm_graph *g = &k->g;
  double q = 0;
  for (int i = 0; i < g->rows; i++) q = fmax(q, fabs(g->q[i]));
  for (int c = 0; c < g->nodes; c++) k->st[c] = k->rho[c] = 1 / g->node[c].metric;
  double middle = median(g->nodes, k->st);
  k->push = push;
  k->tau = (q > 0 ? q * middle : 1) * tau;
  memset(k->x, 0, rows_bytes(k));
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    k->share[c] = sqrt(k->rho[c] / middle) * nsm_dice_between(d, 1, spread);
    k->s[c] = k->tau * k->share[c] / (push * k->rho[c]);
    k->x[n->first] = n->kind == NSM_NODE_CONTACT ? k->tau * k->share[c] : nsm_cone_project(0, n->lo, n->hi);
  }
  nsm_graph_apply(g, k->x, 1, k->y);
  memcpy(k->center, k->x, rows_bytes(k));
}

static int solved(nsm_sigma *k, const nsm_cone_problem *p, const nsm_cone_try *t, double push, double ratio, double tau,
                  nsm_dice *d, double *u) {
  begin(k, push, tau, d);
  double end = last_tau * k->tau, start, norm;
  walk o = { .ratio = ratio / k->tau, .step = 0.3, .most = k->tau };
  int done = 0, used, there = 0;
  k->alpha = ratio;
  for (int tries = 0; tries < 20 && !there; tries++) there = stage(k, &used, &start, &norm);
  if (!there) return 0;
  for (int patience = 3; done == 0 && k->tau > end; patience *= 2) {
    done = follow(k, &o, p, t, patience, end, u);
    if (done) break;
    keep(k, &k->turn);
    done = descend(k, p, t, STALL, end, u);
    if (done) break;
    go_back(k, &k->turn);
    set_tau(k, &o, k->tau);
    o.fresh = 0;
  }
  return done == 1;
}

// Without a path: from the beginning straight down.
static int fell(nsm_sigma *k, const nsm_cone_problem *p, const nsm_cone_try *t, double alpha, nsm_dice *d, double *u) {
  begin(k, first_push, 1, d);
  k->alpha = alpha;
  return descend(k, p, t, STUBBORN, last_tau * k->tau, u);
}

static int take(nsm_sigma *k) {
  size_t rows = (size_t)k->g.rows, nodes = (size_t)k->g.nodes;
  double **of_rows[] = { &k->x, &k->y, &k->center, &k->R, &k->dx, &k->dy, &k->T, &k->dV, &k->tx, &k->ty, &k->px, &k->py,
                         &k->xt, &k->yt, &k->rhs, &k->lambda, &k->best, &k->old.x, &k->old.y, &k->turn.x, &k->turn.y,
                         &k->turn.center },
         **of_nodes[] = { &k->rho, &k->share, &k->s, &k->R0, &k->ds, &k->T0, &k->ts, &k->ps, &k->weight, &k->st,
                          &k->old.s, &k->turn.s },
         **blocks[] = { &k->A, &k->B, &k->Ai, &k->C };
  int ok = 1;
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
    ok &= (*of_rows[i] = nsm_cone_take_doubles(k->w, rows)) != NULL;
  for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; i++)
    ok &= (*of_nodes[i] = nsm_cone_take_doubles(k->w, nodes)) != NULL;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    ok &= (*blocks[i] = nsm_cone_take_doubles(k->w, nodes * NSM_NODE_BLOCK)) != NULL;
  k->v = nsm_cone_take_doubles(k->w, (size_t)k->factor.k.rows + 1);
  k->cell = nsm_cone_take(k->w, nodes * sizeof *k->cell);
  return ok && k->v && k->cell;
}

// The frame of the unit cone: tangents times mu. 0: there is a node of another kind.
static int to_unit_frame(nsm_graph *g) {
  for (int c = 0; c < g->nodes; c++) {
    nsm_node *n = g->node + c;
    if (n->kind != NSM_NODE_INTERVAL && (n->kind != NSM_NODE_CONTACT || n->exact)) return 0;
    for (int e = g->start[c]; e < g->start[c + 1]; e++) {
      const nsm_node *d = g->node + g->column[e];
      for (int i = 0; i < n->size; i++)
        for (int j = 0; j < d->size; j++)
          g->value[g->at[e] + (size_t)(i * d->size + j)] *= (i ? n->mu : 1) * (j ? d->mu : 1);
    }
  }
  for (int c = 0; c < g->nodes; c++) {
    nsm_node *n = g->node + c;
    const double *D = g->value + g->at[g->diagonal[c]];
    double sum = 0;
    for (int i = 0; i < n->size; i++) {
      sum += D[i * n->size + i];
      if (i) { g->q[n->first + i] *= n->mu; g->scale[n->first + i] *= n->mu; }
    }
    if (sum > 0) n->metric = sum / n->size;
  }
  return 1;
}

// Memory for the linear systems: on the bodies where there are some, else on the contacts.
static int take_systems(nsm_sigma *k) {
  nsm_cone_work *w = k->w;
  size_t mark = w->used;
  k->on_bodies = k->g.nodes >= FEW && nsm_bodies_make(&k->g, w, &k->bodies) &&
                 nsm_body_factor_take(&k->g, &k->bodies, w, &k->factor);
  if (k->on_bodies) return 1;
  w->used = mark;
  k->factor.k.rows = 0;
  unsigned char *all = nsm_cone_take(w, (size_t)k->g.nodes);
  if (k->g.nodes > MANY || !all || !nsm_fronts_take(&k->g, w, &k->fronts)) return 0;
  memset(all, 1, (size_t)k->g.nodes);
  nsm_fronts_make(&k->g, all, &k->fronts);
  return nsm_factor_take(&k->g, &k->fronts, w, &k->whole);
}

nsm_cone_outcome nsm_cone_sigma(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                double *u) {
  size_t mark = w->used;
  nsm_sigma k = { .w = w };
  int ok = 0;
  if (nsm_graph_make(p, w, &k.g) && to_unit_frame(&k.g) && take_systems(&k) && take(&k)) {
    nsm_dice d = nsm_dice_of(t->attempt, 3);
    double push = first_push, ratio = first_ratio, tau = 1;
    if (t->attempt) {
      push = nsm_dice_between(&d, 3, 100);
      ratio = nsm_dice_between(&d, 1e-6, 1e-2);
      tau = nsm_dice_between(&d, 0.3, 10);
    }
    k.least = HUGE_VAL;
    k.limit = t->max_iterations > 0 ? t->max_iterations : LONG;
    ok = solved(&k, p, t, push, ratio, tau, &d, u);
    k.limit += k.steps;
    ok = ok || (!t->attempt && fell(&k, p, t, fall_alpha, &d, u));
    if (k.least < HUGE_VAL) memcpy(lambda, k.best, (size_t)p->m * sizeof(double));
  }
  w->used = mark;
  return ok ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}
