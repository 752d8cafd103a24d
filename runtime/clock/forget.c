// What is known of the last step, for the next one: forgotten where the state is another one now, and where a step was
// not accepted.
#include "clock.h"
#include <string.h>

// What a step hands to the next beside q, z and l is about the state that it reached.
void sim_forget_last_step(nsm_sim *s) {
  size_t nz = (size_t)s->a->nz, rows = (size_t)s->n.r.n, nl = (size_t)s->a->nl;
  sim_state *now = &s->now;
  if (s->a->iterates) memset(now->gain, 0, nz * sizeof(double));
  memset(now->held, 0, rows * sizeof(double));
  memset(now->off, 0, sizeof now->off);
  memset(&now->past, 0, sizeof now->past);
  now->holds = now->sets_known = now->flow.runs = 0;
  s->w.rest.steps = 0;
  if (s->a->m->place_at) memcpy(now->central, now->z, nz * sizeof(double));
  if (s->located) memset(now->set, SIM_OPEN, rows);
  if (!s->a->scheme->two_point) return;
  memset(now->q_low, 0, (size_t)s->a->nq * sizeof(double));
  double *by_z[] = { now->z_low, now->gain0 }, *by_l[] = { now->impulse, now->force, now->kappa };
  for (int i = 0; i < 2; i++) memset(by_z[i], 0, nz * sizeof(double));
  for (int i = 0; i < 3; i++) memset(by_l[i], 0, nl * sizeof(double));
  memset(now->closed, 0, rows);
}
