// Whole steps of the midpoint rule: what goes into the array and back (compiler/whole/whole_midpoint.c has its layout).
#include "whole.h"
#include <string.h>

int sim_whole_midpoint_fits(const nsm_sim *s) { return s->a->scheme->at_middle; }

size_t sim_whole_midpoint_room(const nsm_sim *s) { return (size_t)(2 * s->a->nq + 3 * s->n.r.n + 3); }

void sim_whole_midpoint_load(nsm_sim *s, struct sim_whole *w) {
  int l[WHOLE_ROWS], nc = sim_whole_constraints(s, l), nq = s->a->nq;
  double *x = w->s, near = s->a->on.contact.n > 0 ? sim_whole_nearly(s) : 0;
  memcpy(x, s->now.q, (size_t)nq * sizeof(double));
  memcpy(x += nq, s->now.z, (size_t)nq * sizeof(double));
  x += nq;
  for (int i = 0; i < nc; i++) *x++ = s->now.l[l[i]];
  for (int i = 0; i < s->n.r.n; i++) *x++ = s->now.held[i] > 0 ? 1e300 : near;
  for (int k = 0; k < w->of->nstruck; k++) *x++ = s->now.l[s->n.r.l[w->of->struck[k]]];
}

void sim_whole_midpoint_store(nsm_sim *s, struct sim_whole *w, long done) {
  int l[WHOLE_ROWS], nc = sim_whole_constraints(s, l), nq = s->a->nq;
  const double *x = w->s;
  if (done == 0) return;
  sim_whole_forget(s);
  memcpy(s->now.q, x, (size_t)nq * sizeof(double));
  memcpy(s->now.z, x += nq, (size_t)nq * sizeof(double));
  x += nq;
  for (int i = 0; i < nc; i++) s->now.l[l[i]] = *x++;
  x += s->n.r.n;
  for (int k = 0; k < w->of->nstruck; k++) s->now.l[s->n.r.l[w->of->struck[k]]] = *x++;
  s->now.count.newton_iterations += done;
  if (w->of->nstruck > 0) s->now.count.impacts += (long)*x;
}
