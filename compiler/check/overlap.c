// E0248, W0834: have the shapes of all instances a volume, with the numbers at hand? Do two of them that may touch lie
// in each other as the run starts?
//
// The signed distance d of two shapes says how deep: below -(1e-9 of their size) it is no round-off (docs/numerics/
// shapes.md). Bodies whose place is not known yet, and driven ones, are left out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../runtime/shapes/hull.h"
#include "../../runtime/shapes/pairs.h"
#include "../../runtime/shapes/planar.h"
#include "../../runtime/shapes/touch.h"
#include "parts.h"

typedef struct Placed { int cls, nshape; nsm_shape *shape; nsm_pose pose; double loop[8]; } Placed;
typedef struct Scene { Placed *at; int n, cap; nsm_hull **hull; bool bad; } Scene;

// --- bodies ---

static bool sizes_ok(Check *k, const SysClass *c, const nsm_shape *s) {
  double size;
  if (!nsm_shape_size_fails(s, &size) || isnan(size)) return true;        // nan: not known when compiling
  Diag *d = diag(k->bag, DIAG_E0248, c->span, "a shape of `%s` has no volume", c->solid->plain);
  diag_label(d, "a size of it is %g", size);
  diag_help(d, "sizes are positive, of every member of a family");
  return false;
}

static const nsm_hull *hull_of(const Check *k, const Scene *s, nsm_shape_kind kind, const double *num) {
  int at = nsm_shape_corners(kind, num);
  nsm_hull_error error;
  if (at < 0) return NULL;
  const MPoints *p = &k->s->model->points[at];
  if (!s->hull[at]) s->hull[at] = nsm_hull_of_corners(kind, p->n, p->at, &error);
  return s->hull[at];
}

static void place(Check *k, const SysClass *c, void *ctx) {
  Scene *s = ctx;
  const MSolid *b = c->solid;
  if (s->bad) return;
  if (s->n == s->cap) {
    Placed *more = ARENA_ARRAY(k->arena, Placed, s->cap = s->cap ? 2 * s->cap : 64);
    if (s->n) memcpy(more, s->at, sizeof *more * (size_t)s->n);
    s->at = more;
  }
  Placed *p = &s->at[s->n];
  *p = (Placed){ .cls = (int)(c - k->s->cls), .nshape = b->nshape };
  memcpy(p->loop, k->loop, sizeof p->loop);
  p->shape = ARENA_ARRAY(k->arena, nsm_shape, b->nshape);
  bool known = b->motion != MB_DRIVEN;
  for (int i = 0; i < b->nshape; i++) {
    double v[NSM_SHAPE_COLUMNS];
    for (int j = 0; j < NSM_SHAPE_COLUMNS; j++)
      known &= !isnan(v[j] = value_of(k->s, c->column[NSM_SHAPE_COLUMNS * i + j], k->loop, 8));
    nsm_shape_kind kind = (nsm_shape_kind)b->shape[i].kind;
    p->shape[i] = nsm_shape_of_numbers(kind, v, known ? hull_of(k, s, kind, v) : NULL);
    s->bad = !sizes_ok(k, c, &p->shape[i]);
    if (s->bad) return;
  }
  double pose[12];
  for (int j = 0; j < 12; j++) known &= !isnan(pose[j] = value_of(k->s, c->at_start[j], k->loop, 8));
  memcpy(p->pose.r, pose, sizeof p->pose.r);
  memcpy(p->pose.R, pose + 3, sizeof p->pose.R);
  if (known) s->n++;
}

// --- pairs ---

static bool is_member(const Check *k, const SysMembers *m, const Placed *p) {
  if (m->cls != p->cls) return false;
  for (int i = 0; i < k->s->cls[m->cls].nloop && !m->whole; i++) {
    double lo = value_of(k->s, m->lo[i], NULL, 0), hi = value_of(k->s, m->hi[i], NULL, 0);
    if (!(p->loop[i] >= lo && p->loop[i] <= hi)) return false;
  }
  return true;
}

static unsigned char sides_of(const Check *k, const SysTouch *t, const Placed *p) {
  unsigned char of = 0;
  for (int side = 0; side < t->of->nside; side++)
    for (int i = 0; i < t->of->nmember[side]; i++)
      if (is_member(k, &t->member[side][i], p))
        of |= t->of->nside == 1 ? NSM_SIDE_A | NSM_SIDE_B : side ? NSM_SIDE_B : NSM_SIDE_A;
  return of && k->s->cls[p->cls].solid->motion == MB_FIXED ? of | NSM_SIDE_FIXED : of;
}

static double deepest(const Check *k, const Placed *a, const Placed *b, double *normal) {
  bool planar = k->s->cls[a->cls].solid->planar;
  double least = INFINITY, n[3] = { 0 };
  for (int i = 0; i < a->nshape; i++)
    for (int j = 0; j < b->nshape; j++) {
      double d = (planar ? nsm_distance_planar : nsm_shape_distance)(&a->shape[i], &a->pose, &b->shape[j], &b->pose, n);
      if (d >= least) continue;
      least = d;
      memcpy(normal, n, sizeof n);
    }
  return least;
}

static const char *member_name(const Check *k, const Placed *p) {
  const SysClass *c = &k->s->cls[p->cls];
  Text t = { 0 };
  int loop = 0;
  for (const char *s = c->solid->name; *s; s++) {
    if (*s == '%') text_number(&t, p->loop[loop++]);
    else text_addc(&t, *s);
  }
  const char *copy = arena_printf(k->arena, "%s", text_str(&t));
  text_free(&t);
  return copy;
}

typedef struct Worst { int count; double d, normal[3]; const Placed *a, *b; } Worst;

static void report(Check *k, const SysTouch *t, const Worst *w) {
  const char *a = member_name(k, w->a), *b = member_name(k, w->b);
  Diag *d = diag(k->bag, DIAG_W0834, t->of->span, "%s and %s overlap at the start, %.3g m deep", a, b, -w->d);
  if (w->count > 1) diag_label(d, "the deepest of %d pairs", w->count);
  diag_also(d, k->s->cls[w->b->cls].span, "`%s`", b);
  diag_help(d, "move %s by %.6g along [%.3g, %.3g, %.3g]", b, -w->d, w->normal[0], w->normal[1], w->normal[2]);
}

static void pairs_of(Check *k, const Scene *s, const SysTouch *t) {
  int n = 0, *which = ARENA_ARRAY(k->arena, int, s->n + 1), count = 0;
  unsigned char *side = ARENA_ARRAY(k->arena, unsigned char, s->n + 1);
  nsm_extent *bound = ARENA_ARRAY(k->arena, nsm_extent, s->n + 1);
  nsm_pose *pose = ARENA_ARRAY(k->arena, nsm_pose, s->n + 1);
  double *reach = ARENA_ARRAY(k->arena, double, s->n + 1);
  for (int i = 0; i < s->n; i++) {
    if (!(side[n] = sides_of(k, t, &s->at[i]))) continue;
    nsm_extent_of(s->at[i].shape, s->at[i].nshape, &bound[n]);
    pose[n] = s->at[i].pose;
    which[n++] = i;
  }
  nsm_pairs *pairs = nsm_pairs_new(n, bound, side);
  if (!pairs) return;
  const nsm_pair *list = nsm_pairs_update(pairs, pose, reach) >= 0 ? nsm_pairs_list(pairs, &count) : NULL;
  Worst w = { .d = INFINITY };
  for (int i = 0; i < count; i++) {
    double normal[3] = { 0 }, size = fmin(bound[list[i].a].radius, bound[list[i].b].radius);
    const Placed *a = &s->at[which[list[i].a]], *b = &s->at[which[list[i].b]];
    bool flip = k->s->cls[b->cls].solid->motion == MB_FIXED;                // what moves is told to move
    double d = deepest(k, flip ? b : a, flip ? a : b, normal);
    if (!(d < -1e-9 * size)) continue;
    w.count++;
    if (d >= w.d) continue;
    w = (Worst){ w.count, d, { normal[0], normal[1], normal[2] }, flip ? b : a, flip ? a : b };
  }
  nsm_pairs_free(pairs);
  if (w.count) report(k, t, &w);
}

void check_overlap(Check *k) {
  const System *s = k->s;
  Scene scene = { .hull = ARENA_ARRAY(k->arena, nsm_hull *, s->model->npoints + 1) };
  for (int i = 0; i < s->ncls && !scene.bad; i++)
    if (s->cls[i].kind == CLASS_BODY) every_instance(k, &s->cls[i], place, &scene);
  for (int i = 0; i < s->model->ntouch && !scene.bad; i++) pairs_of(k, &scene, &s->touch[i]);
  for (int i = 0; i < s->model->npoints; i++) nsm_hull_free(scene.hull[i]);
}
