// Whole steps of the midpoint rule: what goes into the array and back (compiler/whole/whole_midpoint.c has its layout).
#include "whole.h"

int sim_whole_midpoint_fits(const nsm_sim *s) { return s->a->scheme->at_middle; }

size_t sim_whole_midpoint_room(const nsm_sim *s) { return (size_t)(2 * s->a->nq + 3 * s->n.r.n + 3); }

void sim_whole_midpoint_load(nsm_sim *s, struct sim_whole *w) {
  sim_whole_put_struck(s, w, sim_whole_put_near(s, sim_whole_put_motion(s, w->s)));
}

void sim_whole_midpoint_store(nsm_sim *s, struct sim_whole *w, long done) {
  if (done == 0) return;
  sim_whole_forget(s);
  const double *x = sim_whole_take_struck(s, w, sim_whole_take_motion(s, w->s) + s->n.r.n);
  s->now.count.newton_iterations += done;
  if (w->of->nstruck > 0) s->now.count.impacts += (long)*x;
}
