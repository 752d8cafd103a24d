// Tables of the rows of contacts, as a step begins: gap, H of the normal and the directions of slip; and where the list
// of contacts is another one, whose velocities they are of, their places in B and C, their coefficients.
//
//   u = n . (v_B - v_A) of the material points:  H = (-n, -(x - r_A) x n in A's axes; n, (x - r_B) x n in B's axes)
#include "touching.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int *columns_of(const sim_class *k, int i) {
  return (int *)(uintptr_t)k->tab.ix + (size_t)i * (size_t)k->c->nslot;
}
static double *numbers_of(const sim_class *k, int i) {
  return (double *)(uintptr_t)k->tab.num + (size_t)i * (size_t)k->c->nnum;
}

// ---- who they are of ------------------------------------------------------------------------------------------------
static void columns(const struct nsm_touching *t, const sim_touch_group *g, const sim_touch *c, int *ix) {
  const sim_body *A = &t->body[c->a], *B = &t->body[c->b];
  int each = g->variant < SIM_PLANAR ? 6 : 3, first = g->columns - each;
  if (first > 0) memcpy(ix, A->z, (size_t)each * sizeof *ix);
  memcpy(ix + first, B->z, (size_t)each * sizeof *ix);
}

static void places(nsm_sim *s, const sim_class *k, int i, const int *ix) {
  sim_rows *r = &s->n.r;
  int row = k->row0 + i, n = k->c->nslot;
  memcpy(columns_of(k, i), ix, (size_t)n * sizeof *ix);
  for (int e = 0; e < n; e++) {
    size_t j = (size_t)i * (size_t)n + (size_t)e;
    r->bz[k->h_b_at[j] = r->b0[row] + e] = ix[e];
    r->cz[k->h_at[j] = r->c0[row] + e] = ix[e];
  }
}

static void laws(nsm_sim *s, const sim_touch_group *g, int i, const sim_touch *c) {
  sim_rows *r = &s->n.r;
  const struct nsm_touching *t = s->touching;
  const double *law = sim_touch_law(s, g->contact, t->body[c->a].material, t->body[c->b].material);
  int row = s->a->cls[g->cls].row0 + i, f = r->friction_of[row];
  r->e[row] = law[NSM_LAW_E];
  r->ratio[row] = law[NSM_LAW_RATIO];
  r->exponent[row] = law[NSM_LAW_EXPONENT];
  if (f < 0) return;
  sim_friction *k = &r->friction[f];
  k->mu = k->at[0] = law[NSM_LAW_MU];
  k->mu2 = k->at[1] = law[NSM_LAW_ROLLING];
  k->radius = k->at[2] = law[NSM_LAW_RADIUS];
  for (int d = 0; d < k->n; d++) r->e[k->row[d]] = law[NSM_LAW_ET];
}

void sim_touch_restitution(const nsm_sim *s, double *e) {
  const struct nsm_touching *t = s->touching;
  for (int n = 0; n < t->ngroup; n++) {
    const sim_touch_group *g = &t->group[n];
    const sim_touch *list = s->now.touch + g->first;
    for (int i = 0; i < g->count; i++) {
      const double *law = sim_touch_law(s, g->contact, t->body[list[i].a].material, t->body[list[i].b].material);
      int row = s->a->cls[g->cls].row0 + i, f = s->n.r.friction_of[row];
      e[row] = law[NSM_LAW_E];
      for (int d = 0; f >= 0 && d < s->n.r.friction[f].n; d++) e[s->n.r.friction[f].row[d]] = law[NSM_LAW_ET];
    }
  }
}

// ---- where they are -------------------------------------------------------------------------------------------------
// Row H of direction `along` at a touch; spin: of turning about it. Where both bodies move it is that of one point for
// both, in the middle of the gap: forces that are opposite have no moment together.
void sim_touch_direction(const struct nsm_touching *t, const sim_touch_group *g, const sim_found *f,
                         const double *along, int spin, double *H) {
  const nsm_pose *pa = &t->pose[f->a], *pb = &t->pose[f->b];
  double full[12];
  if (spin) {
    memset(full, 0, sizeof full);
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) {
        full[3 + j] -= pa->R[3 * i + j] * along[i];
        full[9 + j] += pb->R[3 * i + j] * along[i];
      }
  } else {
    nsm_touch at = f->touch;
    int both = g->variant == SIM_SPATIAL || g->variant == SIM_PLANAR;
    for (int i = 0; both && i < 3; i++) at.on_a[i] = at.on_b[i] = 0.5 * (f->touch.on_a[i] + f->touch.on_b[i]);
    nsm_touch_row(&at, along, pa, pb, full);
  }
  if (g->variant == SIM_SPATIAL) memcpy(H, full, sizeof full);
  else if (g->variant == SIM_SPATIAL_STILL) memcpy(H, full + 6, 6 * sizeof *H);
  else {
    int n = 0;
    if (g->variant == SIM_PLANAR) { H[0] = full[0]; H[1] = full[1]; H[2] = full[5]; n = 3; }
    H[n] = full[6];
    H[n + 1] = full[7];
    H[n + 2] = full[11];
  }
}

// Velocity of the material point of A at x: m of its centre, then angular, world axes.
static void velocity_of(const double *m, const double *r, const double *x, double *v) {
  const double *w = m + 3, d[3] = { x[0] - r[0], x[1] - r[1], x[2] - r[2] };
  v[0] = m[0] + w[1] * d[2] - w[2] * d[1];
  v[1] = m[1] + w[2] * d[0] - w[0] * d[2];
  v[2] = m[2] + w[0] * d[1] - w[1] * d[0];
}

static double against(const double *along, const double *v) {
  return -(v[0] * along[0] + v[1] * along[1] + v[2] * along[2]);
}

// The rate in this direction that comes of a body which moves by itself: minus that of its point.
static int is_driven(const struct nsm_touching *t, const sim_found *f) {
  return t->body[f->a].kind == NSM_BODY_DRIVEN;
}

double sim_touch_drift(const struct nsm_touching *t, const sim_found *f, const double *along, int spin) {
  if (!is_driven(t, f)) return 0;
  const double *m = t->motion[f->a];
  double v[3];
  velocity_of(m, t->pose[f->a].r, f->touch.on_a, v);
  return against(along, spin ? m + 3 : v);
}

// What the gap is made of: places and sizes of both bodies.
static double size_of(const struct nsm_touching *t, const sim_found *f) {
  double size = t->body[f->b].radius + (isfinite(t->body[f->a].radius) ? t->body[f->a].radius : 0);
  for (int i = 0; i < 3; i++) size += fabs(f->touch.normal[i]) * (fabs(t->pose[f->a].r[i]) + fabs(t->pose[f->b].r[i]));
  return size;
}

// The directions of a touch of normal n and first slip t1: normal, slips, turns; those behind the number returned are
// of turning.
static int directions_of(const sim_touch_group *g, const double *n, const double *t1, double (*along)[3]) {
  static const double upright[3] = { 0, 0, 1 };
  const double t2[3] = { n[1] * t1[2] - n[2] * t1[1], n[2] * t1[0] - n[0] * t1[2], n[0] * t1[1] - n[1] * t1[0] },
               planar[3] = { -n[1], n[0], 0 };
  int flat = g->variant >= SIM_PLANAR, two = g->turns == 2;
  const double *of[SIM_DIRECTIONS] = { n, flat ? planar : t1, flat ? upright : t2, two ? t1 : n, two ? t2 : n };
  for (int d = 0; d < SIM_DIRECTIONS; d++) memcpy(along[d], of[d], sizeof along[d]);
  return g->slips - g->turns;
}

// What the material point of a driven body A does in the step, that touches at the poses in t, and A's turn.
static void way_of(const struct nsm_touching *t, const sim_found *f, int there, double *way, double *turned) {
  const nsm_pose *now = &t->pose[f->a], *from = there ? &t->pose_there[f->a] : now, *to = &t->pose_end[f->a];
  for (int k = 0; k < 3; k++) {
    way[k] = to->r[k] - from->r[k];
    turned[k] = 0;
    for (int j = 0; j < 3; j++) {
      double at = 0;                                       // x - r in the body's axes
      for (int i = 0; i < 3; i++) at += now->R[3 * i + j] * (f->touch.on_a[i] - now->r[i]);
      way[k] += (to->R[3 * k + j] - from->R[3 * k + j]) * at;
      if (!t->body[f->a].planar) turned[k] += 0.5 * (from->R[3 * k + j] + to->R[3 * k + j]) * t->way[f->a][3 + j];
    }
  }
  if (t->body[f->a].planar) turned[2] = t->way[f->a][2];
}

void sim_touch_rows(const nsm_sim *s, const sim_touch_group *g, int i, const sim_found *f, const double *slip,
                    int there) {
  const struct nsm_touching *t = s->touching;
  double along[SIM_DIRECTIONS][3], way[3], turned[3];
  int turns = directions_of(g, f->touch.normal, slip, along), goes = t->drives && is_driven(t, f);
  if (goes) way_of(t, f, there, way, turned);
  for (int d = 0; d <= g->slips; d++) {
    double *row = numbers_of(&s->a->cls[g->cls + d], i) + sim_touch_row(there, g->columns);
    row[SIM_DRIFT] = sim_touch_drift(t, f, along[d], d > turns);
    row[SIM_WAY] = goes ? against(along[d], d > turns ? turned : way) : 0;
    sim_touch_direction(t, g, f, along[d], d > turns, row + SIM_H);
  }
}

int sim_touch_drives(nsm_sim *s, double h, double *begin, double *moved) {
  struct nsm_touching *t = s->touching;
  if (!t || !t->any_driven) return 0;
  t->moved = moved;
  t->drives = 1;
  sim_touch_drive(s, h);
  for (int n = 0; n < t->ngroup; n++) {
    const sim_touch_group *g = &t->group[n];
    for (int i = 0; i < g->count; i++)
      if (is_driven(t, &g->found[i])) sim_touch_rows(s, g, i, &g->found[i], s->now.touch[g->first + i].slip, 0);
  }
  memset(begin, 0, (size_t)s->n.r.n * sizeof *begin);
  memset(moved, 0, (size_t)s->n.r.n * sizeof *moved);
  sim_touch_driven(s, SIM_DRIFT, begin);
  return 1;
}

void sim_touch_driven(const nsm_sim *s, int which, double *out) {
  const struct nsm_touching *t = s->touching;
  for (int n = 0; t && t->any_driven && n < t->ngroup; n++) {
    const sim_touch_group *g = &t->group[n];
    for (int d = 0; d <= g->slips && g->count > 0; d++) {
      const sim_class *k = &s->a->cls[g->cls + d];
      for (int i = 0; i < g->count; i++)
        out[k->row0 + i] = numbers_of(k, i)[sim_touch_row(t->there, g->columns) + which];
    }
  }
}

static void rows(nsm_sim *s, const sim_touch_group *g, int i) {
  const struct nsm_touching *t = s->touching;
  const sim_found *f = &g->found[i];
  for (int d = 0; d <= g->slips; d++) {
    double *num = numbers_of(&s->a->cls[g->cls + d], i);
    num[SIM_GROUP] = (double)(g - t->group);
    num[SIM_INDEX] = i;
    num[SIM_GAP] = d == 0 ? f->touch.gap : 0;
    num[SIM_SIZE] = size_of(t, f);
  }
  sim_touch_rows(s, g, i, f, s->now.touch[g->first + i].slip, 0);
}

// ---- all of it ------------------------------------------------------------------------------------------------------
static void set_count(nsm_sim *s, sim_touch_group *g, int n) {
  g->count = n;
  for (int d = 0; d <= g->slips; d++) s->a->cls[g->cls + d].tab.count = n;
}

void sim_touch_begin(nsm_sim *s) {
  struct nsm_touching *t = s->touching;
  for (int i = 0; t && i < t->ngroup; i++) {
    const sim_touch_group *g = &t->group[i];
    for (int d = 0; d <= g->slips && g->room > 0; d++)
      memset(s->n.r.active + s->a->cls[g->cls + d].row0, 0, (size_t)g->room);
    set_count(s, &t->group[i], 0);
  }
}

void sim_touch_bind(nsm_sim *s, sim_touch_group *g, int changed) {
  const sim_touch *list = s->now.touch + g->first;
  if (changed) {
    set_count(s, g, g->nfound);
    s->n.r.made = 0;
    s->touching->changes++;
    for (int d = 0; d <= g->slips; d++) {
      const sim_class *k = &s->a->cls[g->cls + d];
      memset(s->n.r.active + k->row0, 0, (size_t)g->room);
      memset(s->w.l1 + s->n.r.l[k->row0], 0, (size_t)g->room * sizeof(double));
    }
    for (int i = 0; i < g->nfound; i++) {
      int ix[12];
      columns(s->touching, g, &list[i], ix);
      for (int d = 0; d <= g->slips; d++) places(s, &s->a->cls[g->cls + d], i, ix);
      laws(s, g, i, &list[i]);
    }
  }
  for (int i = 0; i < g->nfound; i++) rows(s, g, i);
}

int sim_touch_update(nsm_sim *s, double h) {
  struct nsm_touching *t = s->touching;
  if (!t) return 1;
  int fits = 1, all = 0;
  sim_touch_poses_now(s);
  if (!sim_touch_find(s, h)) return 0;
  for (int i = 0; i < t->ngroup; i++) {
    sim_touch_group *g = &t->group[i];
    g->wanted = g->nfound > g->room ? 2 * g->nfound : 0;
    fits &= !g->wanted;
    all += g->nfound;
  }
  if (!fits) return 0;
  if (all > s->now.count.contacts) s->now.count.contacts = all;
  for (int i = 0; i < t->ngroup; i++) {
    sim_touch_group *g = &t->group[i];
    if (g->room == 0) continue;
    int changed = sim_touch_keep(s, g);
    if (changed < 0) return 0;
    sim_touch_bind(s, g, changed);
    for (int k = 0; k < g->nfound; k++) s->now.count.deepest = fmax(s->now.count.deepest, -g->found[k].touch.gap);
  }
  t->stale = t->there_rows = 0;
  return 1;
}

// ---- room -----------------------------------------------------------------------------------------------------------
int *sim_touch_rooms(const nsm_sim *s) {
  int n = s->touching ? s->touching->ngroup : 0, *room = n > 0 ? malloc((size_t)n * sizeof *room) : NULL;
  for (int i = 0; room && i < n; i++) room[i] = s->touching->group[i].room;
  return room;
}

int sim_touch_lacks(const nsm_sim *s) {
  int any = 0;
  for (int i = 0; i < s->touching->ngroup; i++) any |= s->touching->group[i].wanted > 0;
  return any;
}

int *sim_touch_wanted(const nsm_sim *s) {
  const struct nsm_touching *t = s->touching;
  int any = 0, *room = t ? malloc((size_t)t->ngroup * sizeof *room) : NULL;
  for (int i = 0; room && i < t->ngroup; i++) {
    any |= t->group[i].wanted > 0;
    room[i] = t->group[i].wanted > 0 ? t->group[i].wanted : t->group[i].room;
  }
  if (any) return room;
  free(room);
  return NULL;
}

// Sizes that round-off of gaps is measured by (closed.c), of contacts that are not there yet.
void sim_touch_scale(nsm_sim *s) {
  const struct nsm_touching *t = s->touching;
  double most = 0;
  for (int i = 0; t && i < t->nbody; i++) if (isfinite(t->body[i].radius)) most = fmax(most, t->body[i].radius);
  s->n.terms = fmax(s->n.terms, 2 * most);
  if (most > 0) s->n.reach = fmax(s->n.reach, 4 * (1 + most));
}
