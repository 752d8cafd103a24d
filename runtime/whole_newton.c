// Whole steps by Newton's method: what goes into the array and back (compiler/whole/whole_newton.c has its layout).
#include "whole.h"
#include <string.h>

int sim_whole_newton_fits(const nsm_sim *s) {
  return !s->linear && !s->con && !s->one_iteration && s->m->scheme == NSM_SCHEME_MOREAU;
}

size_t sim_whole_newton_room(const nsm_sim *s) { return (size_t)(s->nq + 2 * s->nz + 2 * s->r.n + 3); }

// In the order of the classes, as the emitted code has constraints.
static int constraints(const nsm_sim *s, int *l) {
  int n = 0;
  for (int a = 0; a < s->on.constraint.n; a++) {
    const sim_class *k = &s->cls[s->on.constraint.of[a]];
    for (int i = 0; i < k->tab.count; i++) l[n++] = s->r.l[k->row0 + i];
  }
  return n;
}

void sim_whole_newton_load(nsm_sim *s, struct sim_whole *w) {
  int l[WHOLE_ROWS], nc = constraints(s, l), nz = s->nz;
  double *x = w->s, near = s->on.contact.n > 0 ? sim_whole_nearly(s) : 0;
  memcpy(x, s->q, (size_t)s->nq * sizeof(double));
  memcpy(x += s->nq, s->z, (size_t)nz * sizeof(double));
  x += nz;
  for (int i = 0; i < nc; i++) *x++ = s->l[l[i]];
  memcpy(x, s->gain, (size_t)nz * sizeof(double));
  x += nz;
  *x++ = s->off[0];
  *x++ = s->off[1];
  for (int i = 0; i < s->r.n; i++) *x++ = s->r.held[i] > 0 ? 1e300 : near;
  *x = 0;
}

void sim_whole_newton_store(nsm_sim *s, struct sim_whole *w, long done) {
  int l[WHOLE_ROWS], nc = constraints(s, l), nz = s->nz;
  const double *x = w->s;
  if (done == 0) return;
  sim_whole_forget(s);
  memcpy(s->q, x, (size_t)s->nq * sizeof(double));
  memcpy(s->z, x += s->nq, (size_t)nz * sizeof(double));
  x += nz;
  for (int i = 0; i < nc; i++) s->l[l[i]] = *x++;
  memcpy(s->gain, x, (size_t)nz * sizeof(double));
  x += nz;
  s->off[0] = *x++;
  s->off[1] = *x++;
  x += s->r.n;
  s->count.newton_iterations += (long)*x;
}
