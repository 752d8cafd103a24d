// Proximal point loop around a semismooth Newton method, with an adaptive parameter: the workhorse for friction.
//
//   x+ solves (1) with  M + alpha D,  q - alpha D x,   D = mean diagonal of M, node by node
//   (Rockafellar 1976; with friction: Acary, Bremond, Huber 2018)
//
// alpha makes every local problem regular, also where M has no full rank (many contacts on one body). It starts large
// enough for Newton from zero, falls tenfold as long as Newton needs few steps, so that the loop ends superlinearly,
// and rises where Newton fails. Behind admm.c the loop takes larger steps rho in the map (push), which changes the
// places at which its line search can stop.
#include "newton.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { OUTER = 300, INNER = 30 };

// |F|_inf / |x|_inf at alpha = 0.
static double distance(nsm_graph *g, nsm_newton *n, const double *x, double *y, double *F) {
  double worst = 0, scale = 0;
  nsm_graph_apply(g, x, 1, y);
  n->map(g, 0, x, y, F, NULL, NULL, NULL);
  for (int i = 0; i < g->rows; i++) {
    worst = fabs(F[i]) <= worst ? worst : fabs(F[i]);
    scale = fmax(scale, fabs(x[i]));
  }
  return scale > 0 ? worst / scale : worst;
}

nsm_cone_outcome nsm_proximal_loop(const nsm_cone_problem *p, const nsm_cone_try *t, nsm_graph *g, nsm_newton *n,
                                   double alpha, int newton_limit, double *x, double *lambda, double *u) {
  size_t bytes = (size_t)g->rows * sizeof(double);
  int limit = t->max_iterations > 0 ? t->max_iterations : OUTER, last = n->iterations + newton_limit;
  double *x_new = n->x_outer, *F = n->F_trial, now = distance(g, n, x, u, F), ready = t->tolerance;
  for (int k = 0; k < limit && n->iterations < last; k++) {
    if (nsm_newton_ran_away(g, x)) { memset(x, 0, bytes); break; }
    if (now <= ready) {
      if (!p) return NSM_CONE_PROPOSED;
      nsm_cone_check c;
      nsm_graph_lambda(g, x, lambda);
      nsm_cone_check_answer(p, n->w, t, lambda, u, &c);
      if (c.accepted) return NSM_CONE_PROPOSED;
      ready = 0.3 * now;
    }
    memcpy(x_new, x, bytes);
    int before = n->iterations, ok = nsm_newton_solve(n, alpha, x, fmax(1e-14, 1e-3 * now), INNER, x_new),
        used = n->iterations - before;
    double next = distance(g, n, x_new, u, F);
    if (ok) alpha *= used <= 4 ? 0.1 : used <= 6 ? 0.3 : used > 12 ? 2 : 1;
    else    alpha = fmin(5 * alpha, 1e6);
    if (ok || next < now) { memcpy(x, x_new, bytes); now = next; }
  }
  nsm_graph_lambda(g, x, lambda);
  return NSM_CONE_GAVE_UP;
}

nsm_cone_outcome nsm_cone_proximal_newton(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                          double *lambda, double *u) {
  size_t mark = w->used;
  nsm_graph g;
  nsm_newton n;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  double *x = nsm_cone_take_doubles(w, (size_t)p->m);
  if (x && nsm_graph_make(p, w, &g) && nsm_newton_take(&g, nsm_map_alart_curnier, w, &n)) {
    nsm_graph_start(&g, t, lambda, x);
    outcome = nsm_proximal_loop(p, t, &g, &n, 10, 700, x, lambda, u);
  }
  w->used = mark;
  return outcome;
}
