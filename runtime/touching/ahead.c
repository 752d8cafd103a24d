// What is known elsewhere than at the begin of the step: each row's pair of features at the poses there, its gap, and
// its rows along the directions that it has there. For runs that locate their events, and for friction.
//
// Where a body turns on a corner, its normal and its arm turn with it in a step of length h by h |w|: rows of the begin
// make any scheme one of first order.
#include "there.h"
#include <math.h>
#include <string.h>

// Touch i of a group at the poses in t. 0: the pair has no such feature there.
static int measure(const nsm_sim *s, const sim_touch_group *g, int i, sim_found *at) {
  const struct nsm_touching *t = s->touching;
  const sim_found *f = &g->found[i];
  const nsm_shape *A = &t->shape[f->shape_a], *B = &t->shape[f->shape_b];
  const nsm_pose *pa = &t->pose[f->a], *pb = &t->pose[f->b];
  *at = *f;
  if (g->variant < SIM_PLANAR) return nsm_touch_at(A, pa, B, pb, f->touch.feature, f->touch.normal, &at->touch);
  nsm_touch_at_planar(A, pa, B, pb, f->touch.feature, &at->touch);
  return 1;
}

// ---- gaps -----------------------------------------------------------------------------------------------------------
// A pair that has no such feature there is far apart.
static void look(const nsm_sim *s, const sim_touch_group *g, int i, const double *z, double *gap, double *rate) {
  const struct nsm_touching *t = s->touching;
  const sim_class *k = &s->a->cls[g->cls];
  const int *ix = k->tab.ix + (size_t)i * (size_t)k->c->nslot;
  sim_found at;
  double H[12];
  *gap = INFINITY;
  *rate = 0;
  if (!measure(s, g, i, &at)) return;
  sim_touch_direction(t, g, &at, at.touch.normal, 0, H);
  *gap = at.touch.gap;
  *rate = sim_touch_drift(t, &at, at.touch.normal, 0);
  for (int e = 0; e < k->c->nslot; e++) *rate += H[e] * z[ix[e]];
}

void sim_touch_ahead(nsm_sim *s, const nsm_view *v, double *gap, double *rate) {
  sim_touch_go(s, v);
  for (int n = 0; n < s->touching->ngroup; n++) {
    const sim_touch_group *g = &s->touching->group[n];
    int row = g->count > 0 ? s->a->cls[g->cls].row0 : 0;
    for (int i = 0; i < g->count; i++) look(s, g, i, v->v, gap + row + i, rate + row + i);
  }
  sim_touch_swap(s->touching);
}

// ---- rows -----------------------------------------------------------------------------------------------------------
// Where there is no such feature, or the contact does not act, the row is that of the begin.
static void turn(nsm_sim *s, const sim_touch_group *g, int i) {
  sim_found at;
  double slip[3];
  memcpy(slip, s->now.touch[g->first + i].slip, sizeof slip);
  if (s->n.r.active[s->a->cls[g->cls].row0 + i] && measure(s, g, i, &at)) {
    sim_touch_across(at.touch.normal, slip);
    sim_touch_rows(s, g, i, &at, slip, 1);
    return;
  }
  for (int d = 0; d <= g->slips; d++) {
    const sim_class *k = &s->a->cls[g->cls + d];
    double *num = (double *)(uintptr_t)k->tab.num + (size_t)i * (size_t)k->c->nnum;
    memcpy(num + sim_touch_row(1, g->columns), num + sim_touch_row(0, g->columns),
           (size_t)(SIM_H + g->columns) * sizeof *num);
  }
}

void sim_touch_there(nsm_sim *s, const nsm_view *v) {
  struct nsm_touching *t = s->touching;
  if (!t) return;
  t->there = v && (v->q != s->now.q || v->t != s->now.t);
  if (!t->there) return;
  sim_touch_go(s, v);
  size_t rows = (size_t)s->n.r.n;
  if (!t->there_rows || memcmp(t->there_active, s->n.r.active, rows) != 0) {
    for (int n = 0; n < t->ngroup; n++)
      for (int i = 0; i < t->group[n].count; i++) turn(s, &t->group[n], i);
    memcpy(t->there_active, s->n.r.active, rows);
    t->there_rows = t->there_known;
  }
  sim_touch_swap(t);
}

int sim_touch_acts(const nsm_sim *s) {
  for (int i = 0; i < s->touching->ngroup; i++) {
    const sim_touch_group *g = &s->touching->group[i];
    if (g->count > 0 && memchr(s->n.r.active + s->a->cls[g->cls].row0, 1, (size_t)g->count)) return 1;
  }
  return 0;
}

// ---- how far bodies look --------------------------------------------------------------------------------------------

static double speed_of(const struct nsm_touching *t, int i) {
  const double *m = t->motion[i];
  double size = isfinite(t->body[i].radius) ? t->body[i].radius : 0;
  return sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) + size * sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5]);
}

double sim_touch_further(nsm_sim *s, double h, const nsm_view *end) {
  const struct nsm_touching *t = s->touching;
  double most = 0;
  for (int at_end = 0; at_end < 2; at_end++) {
    if (at_end) sim_touch_go(s, end);
    for (int i = 0; i < t->nbody; i++) {
      if (t->body[i].still) continue;
      double way = h * speed_of(t, i);
      if (at_end) most = fmax(most, way - t->reach[i]);
      else t->reach[i] = way + sim_touch_slack(s, i);
    }
  }
  sim_touch_swap(s->touching);
  return most;
}
