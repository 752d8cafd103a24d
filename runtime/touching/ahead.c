// Gaps where a step leads: each row's pair of features at the poses there, and its rate along the normal that it has
// there. The kernels know the begin of the step alone (kernels.c). For runs that locate their events.
#include "touching.h"
#include <math.h>

// A pair that has no such feature there is far apart.
static void measure(const nsm_sim *s, const sim_touch_group *g, int i, const double *z, double *gap, double *rate) {
  const struct nsm_touching *t = s->touching;
  sim_found at = g->found[i];
  const nsm_shape *A = &t->shape[at.shape_a], *B = &t->shape[at.shape_b];
  const nsm_pose *pa = &t->pose[at.a], *pb = &t->pose[at.b];
  const sim_class *k = &s->a->cls[g->cls];
  const int *ix = k->tab.ix + (size_t)i * (size_t)k->c->nslot;
  unsigned long feature = at.touch.feature;
  double normal[3] = { at.touch.normal[0], at.touch.normal[1], at.touch.normal[2] }, H[12];
  *gap = INFINITY;
  *rate = 0;
  if (g->variant >= SIM_PLANAR) nsm_touch_at_planar(A, pa, B, pb, feature, &at.touch);
  else if (!nsm_touch_at(A, pa, B, pb, feature, normal, &at.touch)) return;
  sim_touch_direction(t, g, &at, at.touch.normal, 0, H);
  *gap = at.touch.gap;
  *rate = sim_touch_drift(t, &at, at.touch.normal, 0);
  for (int e = 0; e < k->c->nslot; e++) *rate += H[e] * z[ix[e]];
}

void sim_touch_ahead(nsm_sim *s, const nsm_view *v, double *gap, double *rate) {
  sim_touch_poses(s, v->t, v->q, v->v);
  for (int n = 0; n < s->touching->ngroup; n++) {
    const sim_touch_group *g = &s->touching->group[n];
    int row = g->count > 0 ? s->a->cls[g->cls].row0 : 0;
    for (int i = 0; i < g->count; i++) measure(s, g, i, v->v, gap + row + i, rate + row + i);
  }
  sim_touch_poses(s, s->now.t, s->now.q, s->now.z);
}

static double speed_of(const struct nsm_touching *t, int i) {
  const double *m = t->motion[i];
  double size = isfinite(t->body[i].radius) ? t->body[i].radius : 0;
  return sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) + size * sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5]);
}

double sim_touch_further(nsm_sim *s, double h, double t1, const double *q, const double *z) {
  const struct nsm_touching *t = s->touching;
  double most = 0;
  for (int end = 0; end < 2; end++) {
    if (end) sim_touch_poses(s, t1, q, z);
    for (int i = 0; i < t->nbody; i++) {
      if (t->body[i].still) continue;
      double way = h * speed_of(t, i);
      if (end) most = fmax(most, way - t->reach[i]);
      else t->reach[i] = way + sim_touch_slack(s, i);
    }
  }
  sim_touch_poses(s, s->now.t, s->now.q, s->now.z);
  return most;
}
