// Large friction problems, on the bodies: one way after the other, the quick ones first, each checked as it goes.
//
//   1. sweeps, from the guess or from nothing: where the last step's forces are near, they are all that is needed
//   2. splitting with Anderson's acceleration, to the answer where the shift is tame
//   3. straight down the smoothed problems, for a few dozen factorizations; from NSM_SIGMA_LARGE nodes on only where
//      these are quick, up to there where it stalls the path of these problems, through its folds; then straight down
//      with other parameters
//   4. the flow of the shift, for those with more contacts and where the path has lost its way
//
// Up to MANY nodes the path is the first way: it is short there, and seldom fails.
//
// What is kept is the best of all that was checked. Where `accept` is given, a way that has reached it is the last one;
// from NSM_SIGMA_LARGE nodes on it ends there at once.
#include "sigma.h"
#include <math.h>
#include <string.h>

enum { LONG = 1000, WALK = 400, FIRST_WALK = 150, STRAIGHT = 50, PATIENCE = 1000, SHORT_PATIENCE = 200 };
enum { FEW = 60, MANY = 300 };           // nodes: on bodies from here, on contacts up to here
static const double first_push = 10, other_push = 100, first_ratio = 1e-4, first_step = 0.2,
    quick = 3e8;                         // operations of a factorization, about 20 ms

static int take(nsm_sigma *k) {
  size_t rows = (size_t)k->g.rows, nodes = (size_t)k->g.nodes;
  double **of_rows[] = { &k->x, &k->y, &k->center, &k->R, &k->dx, &k->dy, &k->T, &k->dV, &k->tx, &k->ty, &k->px, &k->py,
                         &k->xt, &k->yt, &k->rhs, &k->lambda, &k->best, &k->old.x, &k->old.y, &k->turn.x, &k->turn.y,
                         &k->turn.center },
         **of_nodes[] = { &k->rho, &k->share, &k->s, &k->s0, &k->R0, &k->ds, &k->T0, &k->ts, &k->ps, &k->weight, &k->st,
                          &k->old.s, &k->turn.s },
         **blocks[] = { &k->A, &k->B, &k->Ai, &k->C };
  int ok = 1;
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
    ok &= (*of_rows[i] = nsm_cone_take_doubles(k->w, rows)) != NULL;
  for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; i++)
    ok &= (*of_nodes[i] = nsm_cone_take_doubles(k->w, nodes)) != NULL;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    ok &= (*blocks[i] = nsm_cone_take_doubles(k->w, nodes * NSM_NODE_BLOCK)) != NULL;
  ok &= (k->stiff = nsm_cone_take_doubles(k->w, 2 * nodes)) != NULL;
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

// x, y := the guess, or nothing; rho and share as at the beginning of the other ways.
static void take_guess(nsm_sigma *k, const double *lambda) {
  nsm_sigma_begin(k, first_push, 1);
  nsm_graph_start(&k->g, k->t, lambda, k->x);
  nsm_graph_apply(&k->g, k->x, 1, k->y);
}

// The ways of the head, in turn. 1: the answer, 0: not, or it will do.
static int first_attempt(nsm_sigma *k, const double *lambda) {
  int large = k->g.nodes > NSM_SIGMA_LARGE, limit = k->limit;
  if (k->g.nodes <= MANY) {
    k->limit = FIRST_WALK;
    if (nsm_sigma_path(k, first_push, first_ratio, 1)) return 1;
    if (k->enough) return 0;
  }
  if (k->on_bodies) {
    take_guess(k, lambda);
    if (nsm_sigma_sweeps(k, large ? PATIENCE : SHORT_PATIENCE)) return 1;
    if (k->enough) return 0;
    if (nsm_sigma_split(k)) return 1;
    if (k->enough) return 0;
  }
  for (int way = 0; way < (large ? k->on_bodies && k->factor.fronts.work <= quick : 3); way++) {
    if (way == 1 && k->g.nodes <= MANY) continue;
    int ends = way == 1 ? WALK : STRAIGHT;
    k->limit = k->steps + (limit < ends ? limit : ends);
    if (way == 1 ? nsm_sigma_path(k, first_push, first_ratio, 1)
                 : nsm_sigma_flow(k, way ? other_push : first_push, 1, HUGE_VAL))
      return 1;
    if (k->enough) return 0;
  }
  k->limit = k->steps + (large || limit < WALK ? limit : WALK);
  return nsm_sigma_flow(k, first_push, 1, first_step);
}

nsm_cone_outcome nsm_cone_sigma(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                double *u) {
  size_t mark = w->used;
  nsm_sigma k = { .p = p, .t = t, .w = w, .u = u };
  int ok = 0;
  if (nsm_graph_make(p, w, &k.g) && to_unit_frame(&k.g) && take_systems(&k) && take(&k)) {
    nsm_seed *d = &k.seed;
    *d = nsm_seed_of(t->attempt, 3);
    k.least = HUGE_VAL;
    k.limit = t->max_iterations > 0 ? t->max_iterations : LONG;
    if (!t->attempt) ok = first_attempt(&k, lambda);
    else {
      double push = nsm_seed_between(d, 3, 100), ratio = nsm_seed_between(d, 1e-6, 1e-2),
             tau = nsm_seed_between(d, 0.3, 10);
      ok = k.g.nodes > NSM_SIGMA_LARGE ? nsm_sigma_flow(&k, push, tau, first_step)
                                       : nsm_sigma_path(&k, push, ratio, tau);
    }
    if (k.least < HUGE_VAL) memcpy(lambda, k.best, (size_t)p->m * sizeof(double));
  }
  w->used = mark;
  return ok ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}
