// Proximal point loop around a semismooth Newton method, with an adaptive parameter: the workhorse for friction.
//
//   x+ solves (1) with  M + alpha D,  q - alpha D x,   D = mean diagonal of M, node by node
//   (Rockafellar 1976; with friction: Acary, Bremond, Huber 2018)
//
// alpha makes every local problem regular, also where M has no full rank (many contacts on one body). It starts large
// enough for Newton from zero, falls the faster the fewer steps Newton needs, so that the loop ends superlinearly, and
// rises where Newton fails. From the forces of the step before it starts small: what is left to do is then mostly along
// directions of forces that move little, and these come to their places by steps of |F| / alpha. A later
// attempt takes another step rho in the map (push), which changes the places at which its line search can stop.
#include "newton.h"
#include <float.h>
#include <math.h>
#include <string.h>

// Newton steps: of a problem, and of an attempt; near a guess, where a problem that wants more ends the attempt
enum { OUTER = 3000, INNER = 30, FIRST = 700, SHORT = 150, LONG = 3000, INNER_NEAR = 10, NEAR = 50 };
enum { PATIENCE = 4, POLISH = 4 };  // steps without progress, `near_enough` to the tolerance
static const double first_alpha = 10, next_alpha = 1e-2, near_alpha = 1e-6, close_by = 1e-5, near_enough = 100,
                    polish_alpha = 1e-8, round_off = 1e-15,
                    work = 1e10,                        // operations of all factorizations of an attempt
                    near_work = 3e8;                    // of one of them near a guess, 20 ms: on contacts they fill up

// lambda as it is meant: each block in its set; forces that are nothing beside the largest are none. How many of them
// were not.
static int tidy(const nsm_cone_problem *p, double nothing, double *lambda) {
  double most = 0;
  int dropped = 0;
  for (int i = 0; i < p->m; i++) most = fmax(most, fabs(lambda[i]));
  for (int c = 0; c < p->cones; c++) {
    const nsm_cone_block *b = p->cone + c;
    double size = 0;
    nsm_cone_project_block(b, lambda + b->first);
    for (int i = b->first; i < b->first + b->size; i++) size = fmax(size, fabs(lambda[i]));
    for (int i = b->first; i < b->first + b->size && size <= nothing * most; i++) lambda[i] = 0;
    dropped += size > 0 && size <= nothing * most;
  }
  nsm_cone_clip(p, lambda);
  return dropped;
}

// Is it the answer, by the verifier at this level?
static int checked(const nsm_proximal *l, const nsm_cone_try *t, const double *x, double *residual) {
  nsm_cone_check c;
  *residual = HUGE_VAL;
  for (int pass = 0; pass < 2; pass++) {
    nsm_graph_lambda(l->g, x, l->lambda);
    if (tidy(l->p, pass ? round_off : 0, l->lambda) == 0 && pass) return 0;
    nsm_cone_check_answer(l->p, l->n->w, t, l->lambda, l->u, &c);
    *residual = fmin(*residual, c.residual);
    if (c.accepted) return 1;
  }
  return 0;
}

// Is x good enough to go on with, though not the answer?
static int will_do(const nsm_proximal *l) {
  nsm_cone_try level = *l->t;
  double residual;
  if (!l->p) return 0;
  level.tolerance = fmax(level.accept, level.asked);
  level.sqrt_tolerance = sqrt(level.tolerance);
  level.brief = 1;
  return checked(l, &level, l->x, &residual);
}

// Is x the answer? The verifier measures each contact by its own size, F is measured by the largest: a few more steps
// make small forces beside large ones right to their own last digits. x becomes the best of them.
static int accepted(const nsm_proximal *l, double alpha) {
  double *x = l->x, *next = l->n->x_outer, *center = l->n->rest, best = HUGE_VAL, residual;
  size_t bytes = (size_t)l->g->rows * sizeof(double);
  for (int k = 0; k <= POLISH; k++) {
    if (checked(l, l->t, k ? next : x, &residual)) return 1;
    if (!(residual < best)) return 0;
    best = residual;
    if (k) memcpy(x, next, bytes);
    else memcpy(next, x, bytes);
    memcpy(center, x, bytes);
    if (!nsm_newton_step(l->n, fmin(alpha, polish_alpha), center, next)) return 0;
  }
  return 0;
}

// By what alpha falls where Newton's method needed so many steps; what a failure then still counts.
static double next_factor(int steps) {
  return steps <= 1 ? 1e-3 : steps <= 2 ? 1e-2 : steps <= 4 ? 0.1 : steps <= 6 ? 0.3 : steps > 12 ? 2 : 1;
}
static double forgetting(int steps) { return steps <= 2 ? 0.1 : steps <= 4 ? 0.5 : 0.7; }

nsm_cone_outcome nsm_proximal_loop(const nsm_proximal *l, double alpha, int newton_limit) {
  const nsm_cone_problem *p = l->p;
  const nsm_cone_try *t = l->t;
  nsm_graph *g = l->g;
  nsm_newton *n = l->n;
  double *x = l->x, *u = l->u;
  size_t bytes = (size_t)g->rows * sizeof(double);
  int limit = t->max_iterations > 0 ? t->max_iterations : OUTER, inner = n->most > 0 ? n->most : INNER,
      last = n->iterations + newton_limit, slow = 0;
  int follows = p && p->cones >= NSM_WARM_FEW && t->attempt == 0;    // forces that creep, until the verifier takes them
  double *x_new = n->x_outer, *F = n->F_trial, offered, now = nsm_newton_distance(n, x, u, F), ready = t->tolerance,
         failed = 0, most_work = n->work + work;
  for (int k = 0; k < limit && n->iterations < last && n->work < most_work && !nsm_cone_late(n->w); k++) {
    if (nsm_newton_ran_away(g, x)) { memset(x, 0, bytes); break; }
    if (now <= ready) {
      if (!p || accepted(l, alpha)) return NSM_CONE_PROPOSED;
      ready = 0.3 * now;
    } else if (p && slow > 0 && checked(l, t, x, &offered))
      return NSM_CONE_PROPOSED;  // forces that vanish: F stays of their size, the verifier knows what they are beside
    memcpy(x_new, x, bytes);
    int before = n->iterations, ok = nsm_newton_solve(n, alpha, x, fmax(1e-14, 1e-3 * now), inner, x_new),
        used = n->iterations - before;
    double next = nsm_newton_distance(n, x_new, u, F);
    if (ok) {
      alpha = fmax(alpha * next_factor(used), 1.5 * failed);
      failed *= forgetting(used);
    } else {
      if (n->most > 0) {
        if (next < now) memcpy(x, x_new, bytes);
        break;
      }
      failed = alpha;
      alpha = fmin(5 * alpha, 1e6);
    }
    slow = next <= 0.5 * now ? 0 : slow + 1;
    if (ok || next < now) { memcpy(x, x_new, bytes); now = next; }
    if (slow >= PATIENCE && (will_do(l) || (!follows && now <= near_enough * t->tolerance))) break;
  }
  nsm_graph_lambda(g, x, l->lambda);
  return NSM_CONE_GAVE_UP;
}

// Forces of usual size, and F is small beside them: not on the way to infinity.
static int comes_close(const nsm_graph *g, const nsm_newton *n, const double *x, double *u) {
  double size = 0, unit = nsm_graph_unit(g), now = nsm_newton_distance(n, x, u, n->F_trial);
  for (int i = 0; i < g->rows; i++) size = fmax(size, fabs(x[i]));
  return now * fmax(size / unit, 1) <= close_by;
}

// The first attempt goes on for long where it comes close: contacts that contradict each other, two nearly in the same
// place, make the loop creep along a null vector of the active set until one of them opens; not for an iterate, which
// will be followed by another one. Most others are short; the second, fourth, eighth ... have time to creep, too.
static nsm_cone_outcome attempt(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                double *u) {
  size_t mark = w->used;
  nsm_graph g;
  nsm_newton n;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  double *x = nsm_cone_take_doubles(w, (size_t)p->m);
  if (x && nsm_graph_make(p, w, &g) && nsm_newton_take(&g, w, &n)) {
    int a = t->attempt, creeps = a > 1 && (a & (a - 1)) == 0, length = a == 0 ? FIRST : creeps ? LONG : SHORT;
    int near_by = t->warm && t->max_iterations > 0 && a == 0 && p->cones >= NSM_WARM_FEW && p->cones <= NSM_NEAR;
    double alpha = near_by ? near_alpha : creeps ? next_alpha : first_alpha;
    if (near_by) { length = NEAR; n.most = INNER_NEAR; n.most_work = near_work; }
    nsm_graph_start(&g, t, lambda, x);
    if (a && !creeps) {
      nsm_seed d = nsm_seed_of(a, 0);
      nsm_graph_random(&g, &d, x);
      alpha = nsm_seed_between(&d, 1e-3, first_alpha);
      g.push = nsm_seed_between(&d, 0.2, 5);
    }
    const nsm_proximal loop = { p, t, &g, &n, x, lambda, u };
    outcome = nsm_proximal_loop(&loop, alpha, length);
    int stays = a == 0 && !t->max_iterations && !w->brief;
    if (outcome == NSM_CONE_GAVE_UP && stays && comes_close(&g, &n, x, u))
      outcome = nsm_proximal_loop(&loop, next_alpha, LONG);
  }
  w->used = mark;
  return outcome;
}

// The first attempt, of the rows that are left without equations (reduced.c). 0: all are, or that led nowhere.
static int without_equations(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                             double *u) {
  size_t mark = w->used;
  nsm_reduced r;
  nsm_cone_check c = { .accepted = 0 };
  if (t->attempt == 0 && nsm_reduced_make(p, w, &r)) {
    nsm_reduced_guess(p, &r, lambda);
    if (attempt(&r.p, w, t, r.lambda, r.u) == NSM_CONE_PROPOSED) {
      nsm_reduced_answer(p, &r, lambda);
      nsm_cone_check_answer(p, w, t, lambda, u, &c);
    }
  }
  w->used = mark;
  return c.accepted;
}

nsm_cone_outcome nsm_cone_proximal_newton(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                          double *lambda, double *u) {
  return without_equations(p, w, t, lambda, u) ? NSM_CONE_PROPOSED : attempt(p, w, t, lambda, u);
}
