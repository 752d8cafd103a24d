// Points of contact before a step: pairs that are near (runtime/shapes/pairs.h), of these every pair of features that
// may close within the step:
//
//   gap < (h/2) (how fast the two bodies can come together) + slack
//
// Slack lets a contact that just opened keep its row, and what the row remembers. Found touches are ordered by bodies,
// shapes and features: the same scene gives the same rows.
#include "touching.h"
#include <math.h>
#include <string.h>

enum { MOST_OF_PAIR = 32 };             // touches of two convex shapes
static const double slack = 1e-3;       // of the radius of the smaller body

static double length(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// How far body i looks: the way of its fastest point in half a step, and its slack.
static double reach_of(const struct nsm_touching *t, int i, double h) {
  const sim_body *b = &t->body[i];
  double size = isfinite(b->radius) ? b->radius : 0, speed = length(t->motion[i]) + size * length(t->motion[i] + 3);
  return 0.5 * h * speed + (b->still ? 0 : slack * size + t->further);
}

double sim_touch_slack(const nsm_sim *s, int body) {
  const sim_body *b = &s->touching->body[body];
  return isfinite(b->radius) ? slack * b->radius : 0;
}

static sim_found *more(nsm_sim *s, sim_touch_group *g, int count) {
  if (g->nfound + count > g->found_room) {
    int room = 2 * g->found_room > g->nfound + count ? 2 * g->found_room : g->nfound + count + 64;
    sim_found *at = sim_pool_more(s, &g->found_pool, (size_t)room, sizeof *at);
    if (!at) return NULL;
    g->found = at;
    g->found_room = room;
  }
  return g->found + g->nfound;
}

static void sort(nsm_touch *t, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && t[j].feature < t[j - 1].feature; j--) {
      nsm_touch x = t[j];
      t[j] = t[j - 1];
      t[j - 1] = x;
    }
}

static int touches(const struct nsm_touching *t, const sim_found *f, double margin, nsm_touch *out) {
  return (t->body[f->a].planar ? nsm_touches_planar : nsm_touches)(
    &t->shape[f->shape_a], &t->pose[f->a], &t->shape[f->shape_b], &t->pose[f->b], margin, out, MOST_OF_PAIR);
}

static int pair(nsm_sim *s, int contact, int a, int b, double margin) {
  struct nsm_touching *t = s->touching;
  if (t->body[b].still) { int x = a; a = b; b = x; }
  const sim_body *A = &t->body[a], *B = &t->body[b];
  if (A->planar != B->planar) return 1;
  sim_touch_group *g = &t->group[contact * SIM_VARIANTS + (A->planar ? SIM_PLANAR : SIM_SPATIAL) + A->still];
  for (int i = A->shape0; i < A->shape0 + A->nshape; i++)
    for (int j = B->shape0; j < B->shape0 + B->nshape; j++) {
      nsm_touch out[MOST_OF_PAIR];
      sim_found of = { .a = a, .b = b, .shape_a = i, .shape_b = j };
      int n = touches(t, &of, margin, out);
      sim_found *to = n > 0 ? more(s, g, n) : NULL;
      if (n > 0 && !to) return 0;
      sort(out, n);
      for (int k = 0; k < n; k++) { of.touch = out[k]; to[k] = of; }
      g->nfound += n;
    }
  return 1;
}

int sim_touch_find(nsm_sim *s, double h) {
  struct nsm_touching *t = s->touching;
  for (int i = 0; i < t->ngroup; i++) t->group[i].nfound = 0;
  for (int c = 0; c < s->a->m->nshape_contact; c++) {
    sim_touch_side *of = &t->of[c];
    for (int i = 0; i < of->nmember; i++) {
      of->pose[i] = t->pose[of->member[i]];
      of->reach[i] = reach_of(t, of->member[i], h);
    }
    if (nsm_pairs_update(of->pairs, of->pose, of->reach) < 0) return 0;
    int n;
    const nsm_pair *list = nsm_pairs_list(of->pairs, &n);
    for (int i = 0; i < n; i++)
      if (nsm_pairs_near(of->pairs, list[i], of->pose, of->reach) &&
          !pair(s, c, of->member[list[i].a], of->member[list[i].b], of->reach[list[i].a] + of->reach[list[i].b]))
        return 0;
  }
  return 1;
}
