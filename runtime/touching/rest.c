// Bodies that rest go on resting. Where they press on each other in many points, forces that are right to the tolerance
// of the one-step problem leave some of that of their terms as velocities, and a pile would creep: a body that was at
// rest at the begin of the step up to that, and is so at its end, stays where it is. Velocities are measured by the
// largest of what impulses and weight add to the body's velocity, at its surface:
//
//   |v_i|, R |w_i| <= creep max_j (size v_j, R size w_j),  at the begin and at the end
//
// Rates at its contacts change by no more than the tolerance allows anyway (a tenth of it).
#include "touching.h"
#include <math.h>

static const double creep = 1e-13;

static double scale_of(const sim_body *b, const double *of) {
  double most = 0;
  for (int i = 0; i < (b->planar ? 3 : 6); i++)
    most = fmax(most, (i < (b->planar ? 2 : 3) ? 1 : b->radius) * fabs(of[b->z[i]]));
  return most;
}

void sim_touch_stop(nsm_sim *s, int z, double share) {
  s->w.z1[z] = 0;
  if (z < s->a->nown) s->w.q1[z] = s->now.q[z] + share * s->now.z[z];
}

static int rest(nsm_sim *s, const sim_body *b, const double *size, sim_stop *stop, double share) {
  if (b->still) return 0;
  double most = creep * scale_of(b, size), end = scale_of(b, s->w.z1);
  if (!(end > 0) || !(end <= most) || !(scale_of(b, s->now.z) <= most)) return 0;
  for (int i = 0; i < (b->planar ? 3 : 6); i++) stop(s, b->z[i], share);
  return 1;
}

int sim_touch_rest(nsm_sim *s, const double *size, sim_stop *stop, double share) {
  const struct nsm_touching *t = s->touching;
  int any = 0;
  for (int i = 0; t && i < t->ngroup; i++)
    for (int k = 0; k < t->group[i].nfound; k++) {
      any |= rest(s, &t->body[t->group[i].found[k].a], size, stop, share);
      any |= rest(s, &t->body[t->group[i].found[k].b], size, stop, share);
    }
  return any;
}
