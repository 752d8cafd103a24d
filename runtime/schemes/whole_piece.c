// Whole steps by the equations of a scheme: what goes into the array and back (compiler/whole/whole_piece.c has its
// layout).
#include "whole.h"

static int iterates(const nsm_sim *s) { return !sim_has_point(s); }

static int fits(const nsm_sim *s) {
  return !iterates(s) || (!s->a->linear && !s->n.con && !s->a->one_iteration && s->a->scheme->implicit);
}

static size_t room(const nsm_sim *s) { return (size_t)(s->a->nq + 2 * s->a->nz + 2 * s->n.r.n + 7); }

static void load(nsm_sim *s, struct sim_whole *w) {
  double *x = sim_whole_put_motion(s, w->s);
  if (iterates(s)) {
    x = sim_whole_put(x, s->now.gain, s->a->nz);
    x = sim_whole_put(x, s->now.off, 2);
  }
  x = sim_whole_put_near(s, x);
  if (iterates(s)) *x++ = 0;
  sim_whole_put_struck(s, w, x);
}

static void store(nsm_sim *s, struct sim_whole *w, long done) {
  if (done == 0) return;
  sim_whole_forget(s);
  const double *x = sim_whole_take_motion(s, w->s);
  if (iterates(s)) {
    x = sim_whole_take(s->now.gain, x, s->a->nz);
    x = sim_whole_take(s->now.off, x, 2);
  }
  x += s->n.r.n;
  s->now.count.newton_iterations += iterates(s) ? (long)*x++ : done;
  x = sim_whole_take_struck(s, w, x);
  if (w->of->nstruck == 0) return;
  s->now.count.impacts += (long)x[0];
  if (iterates(s)) s->now.count.solver_iterations += (long)x[1];
}

const sim_whole_kind sim_whole_piece = { fits, room, NULL, load, store };
