// What each row keeps from the last step. Both lists of touches are ordered by name, so one pass over them tells which
// stayed. A touch whose pair of features is another one takes over from the nearest one of the same two shapes that
// vanished: a corner that slides from one face onto the next goes on with its force.
#include "touching.h"
#include <float.h>
#include <math.h>
#include <string.h>

// ---- which stay -----------------------------------------------------------------------------------------------------
// As the list of pairs is ordered: by the smaller number of the two bodies first.
static int order_of_shapes(const sim_found *f, const sim_touch *o) {
  int low = (f->a < f->b ? f->a : f->b) - (o->a < o->b ? o->a : o->b), high = f->a + f->b - o->a - o->b;
  return low ? low : high ? high : f->shape_a != o->shape_a ? f->shape_a - o->shape_a : f->shape_b - o->shape_b;
}

static int order(const sim_found *f, const sim_touch *o) {
  int d = order_of_shapes(f, o);
  return d ? d : (f->touch.feature > o->feature) - (f->touch.feature < o->feature);
}

static double distance(const double *a, const double *b) {
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

// Those found [k0, k1) and those there were [o0, o1) are of the same two shapes. ~o: takes over from o.
static void take_over(sim_touch_group *g, const sim_touch *old, int k0, int k1, int o0, int o1) {
  for (int k = k0; k < k1; k++) {
    double least = INFINITY;
    int best = -1;
    if (g->from[k] >= 0) continue;
    for (int o = o0; o < o1; o++) {
      double d = distance(g->found[k].touch.on_b, old[o].at);
      int taken = 0;
      for (int i = k0; i < k1 && !taken; i++) taken = g->from[i] == o || g->from[i] == -2 - o;
      if (!taken && d < least) { least = d; best = o; }
    }
    if (best >= 0) g->from[k] = -2 - best;
  }
}

// from [nfound]: the number of the touch in the last step; -1: new; -2 - o: new, takes over from o. 1: all are as they
// were.
static int match(sim_touch_group *g, const sim_touch *old, int nold) {
  int same = g->nfound == nold;
  for (int k = 0, o = 0; k < g->nfound;) {
    while (o < nold && order_of_shapes(&g->found[k], &old[o]) > 0) o++;
    int k0 = k, o0 = o, met = 0, all = o < nold && order_of_shapes(&g->found[k], &old[o]) == 0;
    do {
      while (all && o < nold && order_of_shapes(&g->found[k], &old[o]) == 0 && order(&g->found[k], &old[o]) > 0) o++;
      int found = all && o < nold && order(&g->found[k], &old[o]) == 0;
      g->from[k] = found ? o : -1;
      same &= g->from[k] == k;
      met += found;
      k++;
    } while (k < g->nfound && g->found[k].shape_a == g->found[k - 1].shape_a &&
             g->found[k].shape_b == g->found[k - 1].shape_b);
    while (all && o < nold && order_of_shapes(&g->found[k - 1], &old[o]) == 0) o++;
    if (met < k - k0 && o > o0) take_over(g, old, k0, k, o0, o);
  }
  return same;
}

// ---- what they keep -------------------------------------------------------------------------------------------------
static int source(int from) { return from == -1 ? -1 : from >= 0 ? from : -2 - from; }

// One array of the state, of which the group's rows stand from `base` on.
static void carry(const sim_touch_group *g, void *array, size_t size, int base, int nold, char *scratch) {
  char *at = (char *)array + (size_t)base * size;
  memcpy(scratch, at, (size_t)nold * size);
  for (int k = 0; k < g->nfound; k++) {
    int o = source(g->from[k]);
    if (o >= 0) memcpy(at + (size_t)k * size, scratch + (size_t)o * size, size);
    else memset(at + (size_t)k * size, 0, size);
  }
  if (nold > g->nfound) memset(at + (size_t)g->nfound * size, 0, (size_t)(nold - g->nfound) * size);
}

// Has array number `which` of the state an element for each row, or each multiplier?
static size_t length_of(const nsm_sim *s, size_t per_row, size_t per_multiplier, int which) {
#undef SIM_PER_ROW
#undef SIM_PER_MULTIPLIER
#define SIM_PER_ROW(s) per_row
#define SIM_PER_MULTIPLIER(s) per_multiplier
#define SIM_STATE(type, name, count, what) (size_t)(count),
  const size_t of[] = {
#include "runtime/state.def"
  };
#undef SIM_STATE
  return of[which];
}

sim_state_kind sim_state_kind_of(const nsm_sim *s, int which) {
  size_t plain = length_of(s, 0, 0, which);
  return length_of(s, 1, 0, which) != plain   ? SIM_STATE_BY_ROW
         : length_of(s, 0, 1, which) != plain ? SIM_STATE_BY_MULTIPLIER
                                              : SIM_STATE_PLAIN;
}

static void carry_rows(nsm_sim *s, const sim_touch_group *g, int nold, char *scratch) {
  for (int d = 0; d <= g->slips; d++) {
    int which = 0, row = s->a->cls[g->cls + d].row0, l = s->n.r.l[row];
    sim_state_kind kind;
#define SIM_STATE(type, name, count, what)                                                                             \
  kind = sim_state_kind_of(s, which++);                                                                                \
  if (kind != SIM_STATE_PLAIN)                                                                                         \
    carry(g, s->now.name, sizeof(type), kind == SIM_STATE_BY_ROW ? row : l, nold, scratch);
#include "runtime/state.def"
#undef SIM_STATE
    for (int i = 0; i < s->ncarried; i++) {
      const sim_carried *a = &s->carried[i];
      carry(g, a->at, a->size, a->by_multiplier ? l : row, nold, scratch);
    }
    for (int i = 0; i < g->nfound; i++) if (g->from[i] < 0) s->now.held[row + i] = 0;
  }
}

static sim_touch named(const sim_found *f) {
  return (sim_touch){ .a = f->a, .b = f->b, .shape_a = f->shape_a, .shape_b = f->shape_b, .feature = f->touch.feature };
}

// The direction of slip as it was, at right angles to the normal of now; a new one where there was none. What is so to
// round-off stays: at rest it is the same in every step.
void sim_touch_across(const double *n, double *slip) {
  static const double round_off = 4 * DBL_EPSILON;
  double along = slip[0] * n[0] + slip[1] * n[1] + slip[2] * n[2], size = 0, other[3];
  if (fabs(along) <= round_off) along = 0;
  for (int i = 0; i < 3; i++) {
    slip[i] -= along * n[i];
    size += slip[i] * slip[i];
  }
  if (!(size > 0.25)) nsm_touch_slip(n, slip, other);
  else if (along != 0) for (int i = 0; i < 3; i++) slip[i] /= sqrt(size);
}

static void slip(const sim_found *f, sim_touch *t) {
  const double *n = f->touch.normal;
  sim_touch_across(n, t->slip);
  memcpy(t->at, f->touch.on_b, sizeof t->at);
  memcpy(t->normal, n, sizeof t->normal);
  t->gap = f->touch.gap;
}

int sim_touch_keep(nsm_sim *s, sim_touch_group *g) {
  sim_touch *list = s->now.touch + g->first;
  int nold = s->now.touches[g - s->touching->group];
  if (!match(g, list, nold)) {
    char *scratch = sim_pool_room(s, &g->scratch, (size_t)(nold + 1), sizeof(sim_touch));
    if (!scratch) return -1;
    carry_rows(s, g, nold, scratch);
    carry(g, s->now.touch, sizeof(sim_touch), g->first, nold, scratch);
    for (int k = 0; k < g->nfound; k++) {
      double was[3];
      memcpy(was, list[k].slip, sizeof was);
      list[k] = named(&g->found[k]);
      memcpy(list[k].slip, was, sizeof was);
    }
    s->now.touches[g - s->touching->group] = g->nfound;
    for (int k = 0; k < g->nfound; k++) slip(&g->found[k], &list[k]);
    return 1;
  }
  for (int k = 0; k < g->nfound; k++) slip(&g->found[k], &list[k]);
  return s->touching->stale;
}
