// Continuation in the friction: the problem without friction is the easiest one (for definite M a convex program), and
// answers move continuously with mu but for isolated jumps. So mu goes from a tenth of its value to all of it, in steps
// that grow where the proximal Newton loop follows and shrink where it does not; what the last step ends at is made
// exact as always. From a guess it starts at four fifths. For strong friction and large mass ratios, where the loop
// cycles.
#include "newton.h"
#include <string.h>

// of Newton steps: on small problems more are allowed
enum { STAGE_NEWTON = 150, PATH_NEWTON = 600, PATH_ROWS = 300000, LAST_NEWTON = 700 };
static const double first_share = 0.1, first_step = 0.2, share_of_guess = 0.8, step_of_guess = 0.05, least_step = 1e-3,
                    follows = 1e-9;

static void set_friction(nsm_graph *g, const double *mu, double share) {
  for (int c = 0; c < g->nodes; c++)
    if (g->node[c].kind == NSM_NODE_CONTACT || g->node[c].kind == NSM_NODE_GRIP) g->node[c].mu = share * mu[c];
}

// Moves x along towards all of the friction; 0 where not even the first step could be followed.
static int follow(const nsm_cone_try *t, nsm_graph *g, nsm_newton *n, const double *mu, double *x, double *x_next,
                  double *lambda, double *u) {
  size_t bytes = (size_t)g->rows * sizeof(double);
  nsm_cone_try stage = { .tolerance = follows, .max_iterations = t->max_iterations };
  double share = t->warm ? share_of_guess : 0, step = t->warm ? step_of_guess : first_share, start = share;
  while (share < 1 && step > least_step && n->iterations < PATH_NEWTON + PATH_ROWS / g->rows) {
    double next = share + step < 1 ? share + step : 1;
    memcpy(x_next, x, bytes);
    set_friction(g, mu, next);
    if (nsm_proximal_loop(NULL, &stage, g, n, 10, STAGE_NEWTON, x_next, lambda, u) != NSM_CONE_PROPOSED) {
      step *= 0.5;
      continue;
    }
    memcpy(x, x_next, bytes);
    step = share == 0 ? first_step : 1.5 * step;
    share = next;
  }
  set_friction(g, mu, 1);
  return share > start;
}

nsm_cone_outcome nsm_cone_continuation(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                       double *lambda, double *u) {
  size_t mark = w->used, m = (size_t)p->m;
  nsm_graph g;
  nsm_newton n;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  double *x = nsm_cone_take_doubles(w, m), *x_next = nsm_cone_take_doubles(w, m), *mu = nsm_cone_take_doubles(w, m);
  if (x && x_next && mu && nsm_graph_make(p, w, &g) && nsm_newton_take(&g, nsm_map_alart_curnier, w, &n)) {
    nsm_graph_start(&g, t, lambda, x);
    for (int c = 0; c < g.nodes; c++) mu[c] = g.node[c].mu;
    if (follow(t, &g, &n, mu, x, x_next, lambda, u))
      outcome = nsm_proximal_loop(p, t, &g, &n, 10, LAST_NEWTON, x, lambda, u);
  }
  w->used = mark;
  return outcome;
}
