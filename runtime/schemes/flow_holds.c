// What the rows that act hold at 0: what conditions compare, as z' > 0 of a body that lies, gaps of open contacts, as
// that of the fourth foot of a stool, and slips. There only the error of the solver has a sign, and it ends no piece.
// x(t, q, z) is held where it is 0, and where a motion that is tried, small and in no direction in particular, and then
// projected onto what holds, has changed nothing of it:
//
//   y = now + small w,  p = y projected at t + small h:
//   |x(now)| < none |x(y)|/small,  |x(p) - x(now)| < left |x(y) - x(now)|
#include "flow.h"

static const double small = 1e-4, none = 1e-10, left = 1e-8;
enum { ROUNDS = 3 };                     // each leaves `small` of what the one before has left of velocities

static void compared(nsm_sim *s, double t, const double *q, const double *z, double *x) {
  nsm_view v = sim_view(s, t, q, z, s->now.l);
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *e = &s->a->event[b];
    if (!e->timed && e->crossing >= 0) s->a->cls[e->crossing].c->out_fn(&v, &s->a->cls[e->crossing].tab, x + e->base);
  }
  x += s->a->nwhen;
  SIM_EACH(s, contact, k) {
    k->c->gap_fn(&v, &k->tab, x + k->row0, s->n.flow->rate[0] + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) x[row] -= s->now.ground[row];
  }
  SIM_EACH(s, friction, k) k->c->rate_fn(&v, &k->tab, x + k->row0);
}

// The motion that is tried, by the sizes that velocities, states and places have had.
static void try_motion(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  const double *size = s->now.flow_size;
  double places = 0, speeds = 0;
  for (int i = 0; i < w->nq; i++) if (!w->angle[i]) places = fmax(places, size[w->group[i]]);
  for (int i = 0; i < s->a->nz; i++) {
    double of = size[w->group[w->nq + i]], way = 0.5 + fmod(0.6180339887 * (i + 1), 1);
    if (i < s->a->nv) speeds = fmax(speeds, of);
    w->dz[i] = small * (of > 0 ? of : 1) * way;
    w->z[i] = s->now.z[i] + w->dz[i];
  }
  sim_move(s, s->now.q, places > 0 && speeds > 0 ? places / speeds : s->a->step, w->dz, w->q);
}

void sim_flow_holds(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  int n = s->a->nwhen + s->n.r.n;
  double *x0 = w->compared, *x1 = x0 + n, *x2 = x1 + n, t = s->now.t, later = t + small * s->a->step;
  if (s->a->nwhen + s->a->on.contact.n + s->a->on.friction.n == 0) return;
  if (s->now.flow_holds[0] != 0 || s->now.sets_known != 1) return;
  memset(s->now.flow_holds, FLOW_MOVES, (size_t)n);
  flow_rows(s);
  if (w->m == 0 || !flow_instant(s, t, s->now.q, s->now.z)) return;
  for (int i = 0; i < 3 * n; i++) x0[i] = 0;
  compared(s, t, s->now.q, s->now.z, x0);
  try_motion(s);
  compared(s, t, w->q, w->z, x1);
  for (int k = 0; k < ROUNDS; k++) if (!flow_project(s, later, w->q, w->z)) return;
  compared(s, later, w->q, w->z, x2);
  for (int i = 0; i < n; i++) {
    double moved = fabs(x1[i] - x0[i]);
    if (fabs(x0[i]) < none * fabs(x1[i]) / small && fabs(x2[i] - x0[i]) < left * moved)
      s->now.flow_holds[i] = FLOW_HOLDS;
  }
}
