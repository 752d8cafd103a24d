// Whole steps by Newton's method: what goes into the array and back (compiler/whole/whole_newton.c has its layout).
#include "whole.h"
#include <string.h>

int sim_whole_newton_fits(const nsm_sim *s) {
  return !s->a->linear && !s->n.con && !s->a->one_iteration && s->a->scheme->weights;
}

size_t sim_whole_newton_room(const nsm_sim *s) { return (size_t)(s->a->nq + 2 * s->a->nz + 2 * s->n.r.n + 7); }

void sim_whole_newton_load(nsm_sim *s, struct sim_whole *w) {
  int l[WHOLE_ROWS], nc = sim_whole_constraints(s, l), nz = s->a->nz;
  double *x = w->s, near = s->a->on.contact.n > 0 ? sim_whole_nearly(s) : 0;
  memcpy(x, s->now.q, (size_t)s->a->nq * sizeof(double));
  memcpy(x += s->a->nq, s->now.z, (size_t)nz * sizeof(double));
  x += nz;
  for (int i = 0; i < nc; i++) *x++ = s->now.l[l[i]];
  memcpy(x, s->now.gain, (size_t)nz * sizeof(double));
  x += nz;
  *x++ = s->now.off[0];
  *x++ = s->now.off[1];
  for (int i = 0; i < s->n.r.n; i++) *x++ = s->now.held[i] > 0 ? 1e300 : near;
  *x++ = 0;
  for (int k = 0; k < w->of->nstruck; k++) *x++ = s->now.l[s->n.r.l[w->of->struck[k]]];
}

void sim_whole_newton_store(nsm_sim *s, struct sim_whole *w, long done) {
  int l[WHOLE_ROWS], nc = sim_whole_constraints(s, l), nz = s->a->nz;
  const double *x = w->s;
  if (done == 0) return;
  sim_whole_forget(s);
  memcpy(s->now.q, x, (size_t)s->a->nq * sizeof(double));
  memcpy(s->now.z, x += s->a->nq, (size_t)nz * sizeof(double));
  x += nz;
  for (int i = 0; i < nc; i++) s->now.l[l[i]] = *x++;
  memcpy(s->now.gain, x, (size_t)nz * sizeof(double));
  x += nz;
  s->now.off[0] = *x++;
  s->now.off[1] = *x++;
  x += s->n.r.n;
  s->now.count.newton_iterations += (long)*x++;
  for (int k = 0; k < w->of->nstruck; k++) s->now.l[s->n.r.l[w->of->struck[k]]] = *x++;
  if (w->of->nstruck == 0) return;
  s->now.count.impacts += (long)x[0];
  s->now.count.solver_iterations += (long)x[1];
}
