// Whole steps by Newton's method and by affine equations: what goes into the array and back (compiler/whole/
// whole_newton.c, whole_affine.c have its layout).
#include "whole.h"

static int fits(const nsm_sim *s) {
  return !s->a->linear && !s->n.con && !s->a->one_iteration && s->a->scheme->weights;
}

static size_t room(const nsm_sim *s) { return (size_t)(s->a->nq + 2 * s->a->nz + 2 * s->n.r.n + 7); }

static void load(nsm_sim *s, struct sim_whole *w) {
  double *x = sim_whole_put_motion(s, w->s);
  x = sim_whole_put(x, s->now.gain, s->a->nz);
  x = sim_whole_put(x, s->now.off, 2);
  x = sim_whole_put_near(s, x);
  *x++ = 0;
  sim_whole_put_struck(s, w, x);
}

static void store(nsm_sim *s, struct sim_whole *w, long done) {
  if (done == 0) return;
  sim_whole_forget(s);
  const double *x = sim_whole_take_motion(s, w->s);
  x = sim_whole_take(s->now.gain, x, s->a->nz);
  x = sim_whole_take(s->now.off, x, 2) + s->n.r.n;
  s->now.count.newton_iterations += (long)*x++;
  x = sim_whole_take_struck(s, w, x);
  if (w->of->nstruck == 0) return;
  s->now.count.impacts += (long)x[0];
  s->now.count.solver_iterations += (long)x[1];
}

static int affine_fits(const nsm_sim *s) { return sim_has_point(s); }

static size_t affine_room(const nsm_sim *s) { return (size_t)(2 * s->a->nq + 3 * s->n.r.n + 3); }

static void affine_load(nsm_sim *s, struct sim_whole *w) {
  sim_whole_put_struck(s, w, sim_whole_put_near(s, sim_whole_put_motion(s, w->s)));
}

static void affine_store(nsm_sim *s, struct sim_whole *w, long done) {
  if (done == 0) return;
  sim_whole_forget(s);
  const double *x = sim_whole_take_struck(s, w, sim_whole_take_motion(s, w->s) + s->n.r.n);
  s->now.count.newton_iterations += done;
  if (w->of->nstruck > 0) s->now.count.impacts += (long)*x;
}

const sim_whole_kind sim_whole_affine = { affine_fits, affine_room, NULL, affine_load, affine_store };
const sim_whole_kind sim_whole_newton = { fits, room, NULL, load, store };
