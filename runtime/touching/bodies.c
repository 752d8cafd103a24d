// Which bodies may touch: their shapes, from the tables of their classes; their poses and motions at a state. Who meets
// whom: the members of each statement; by which laws.
#include "there.h"
#include <math.h>
#include <string.h>

_Static_assert((int)NSM_SHAPE_COLUMNS == (int)NSM_SHAPE_NUMBERS, "what the interface and the shapes say of a table");

// ---- bodies ---------------------------------------------------------------------------------------------------------
static const double *numbers(const sim_class *k, int i, int from) {
  return k->tab.num + (size_t)i * (size_t)k->c->nnum + (size_t)from;
}

// Convex hulls of the corners that the model gives; those of polygons have z = 0.
static int take_hull(nsm_sim *s, int cls, nsm_shape_kind kind, const double *num, nsm_error *e) {
  struct nsm_touching *t = s->touching;
  int at = nsm_shape_corners(kind, num);
  nsm_hull_error wrong = NSM_HULL_MADE;
  if (at < 0 || t->hull[at]) return 1;
  const nsm_corners *p = &s->a->m->corners[at];
  t->hull[at] = nsm_hull_of_corners(kind, p->n, p->at, &wrong);
  if (t->hull[at]) return 1;
  if (wrong == NSM_HULL_NO_MEMORY) { sim_no_memory(e, "the shapes of bodies"); return 0; }
  sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(cls), "line %d: the corners of %s make no convex body: %s",
              s->a->m->cls[cls].line, sim_text(s, s->a->m->cls[cls].label), nsm_hull_error_text(wrong));
  return 0;
}

static int take_hulls(nsm_sim *s, nsm_error *e) {
  s->touching->hull = SIM_NEW(s, s->a->m->ncorners, nsm_hull *);
  for (int cls = 0; cls < s->a->m->nclass; cls++) {
    const sim_class *k = &s->a->cls[cls];
    for (int i = 0; k->c->kind == NSM_BODY && i < k->tab.count; i++)
      for (int j = 0; j < k->c->nshape; j++)
        if (!take_hull(s, cls, (nsm_shape_kind)k->c->shape[j].kind, numbers(k, i, k->c->shape[j].num), e)) return 0;
  }
  return 1;
}

sim_body sim_touch_body(const nsm_sim *s, int cls, int i) {
  const sim_class *k = &s->a->cls[cls];
  const nsm_class *c = k->c;
  const int *ix = k->tab.ix + (size_t)i * (size_t)c->nslot;
  sim_body b = { .cls = cls, .instance = i, .kind = c->body, .planar = c->body == NSM_BODY_PLANAR,
                 .still = c->body == NSM_BODY_FIXED || c->body == NSM_BODY_DRIVEN,
                 .nshape = c->nshape, .material = c->material };
  if (b.still) b.planar = c->nshape > 0 && c->shape[0].kind >= NSM_DISK;
  else if (b.planar) for (int j = 0; j < 3; j++) b.q[j] = b.z[j] = ix[j];
  else {
    for (int j = 0; j < 7; j++) b.q[j] = ix[j];
    for (int j = 0; j < 3; j++) { b.z[j] = ix[j]; b.z[3 + j] = ix[7 + j]; }
  }
  return b;
}

// With values of parameters that are set after compiling.
static int has_volume(nsm_sim *s, int cls, int i, const nsm_shape *shape, nsm_error *e) {
  double size;
  if (!nsm_shape_size_fails(shape, &size)) return 1;
  char name[256];
  sim_instance_name(s, cls, i, name, sizeof name);
  sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(cls), "line %d: a shape of %s has no volume: a size of it is %g",
              s->a->m->cls[cls].line, name, size);
  return 0;
}

static int take_body(nsm_sim *s, int cls, int i, sim_body *b, int *nshape, nsm_error *e) {
  struct nsm_touching *t = s->touching;
  const sim_class *k = &s->a->cls[cls];
  const nsm_class *c = k->c;
  *b = sim_touch_body(s, cls, i);
  b->shape0 = *nshape;
  for (int j = 0; j < c->nshape; j++) {
    const nsm_body_shape *d = &c->shape[j];
    const double *num = numbers(k, i, d->num);
    int corners = nsm_shape_corners((nsm_shape_kind)d->kind, num);
    nsm_shape *made = &t->shape[(*nshape)++];
    *made = nsm_shape_of_numbers((nsm_shape_kind)d->kind, num, corners >= 0 ? t->hull[corners] : NULL);
    if (!has_volume(s, cls, i, made, e)) return 0;
  }
  return 1;
}

static int take_bodies(nsm_sim *s, nsm_error *e) {
  struct nsm_touching *t = s->touching;
  int shapes = 0;
  for (int i = 0; i < s->a->m->nclass; i++)
    if (s->a->cls[i].c->kind == NSM_BODY) {
      t->nbody += s->a->cls[i].tab.count;
      t->nshape += s->a->cls[i].tab.count * s->a->cls[i].c->nshape;
    }
  t->body = SIM_NEW(s, t->nbody, sim_body);
  t->pose = SIM_NEW(s, t->nbody, nsm_pose);
  t->motion = sim_take(s, (size_t)t->nbody, sizeof *t->motion);
  t->pose_end = SIM_NEW(s, t->nbody, nsm_pose);
  t->pose_there = SIM_NEW(s, t->nbody, nsm_pose);
  t->motion_there = sim_take(s, (size_t)t->nbody, sizeof *t->motion);
  t->there_q = SIM_NEW(s, s->a->nq, double);
  t->there_z = SIM_NEW(s, s->a->nv, double);
  t->there_active = SIM_NEW(s, s->n.r.n, unsigned char);
  t->way = sim_take(s, (size_t)t->nbody, sizeof *t->way);
  t->reach = SIM_NEW(s, t->nbody, double);
  t->shape = SIM_NEW(s, t->nshape, nsm_shape);
  t->first_of = SIM_NEW(s, s->a->m->nclass, int);
  int n = 0;
  for (int cls = 0; cls < s->a->m->nclass; cls++) {
    t->first_of[cls] = n;
    if (s->a->cls[cls].c->kind != NSM_BODY) continue;
    for (int i = 0; i < s->a->cls[cls].tab.count; i++)
      if (!take_body(s, cls, i, &t->body[n++], &shapes, e)) return 0;
  }
  return 1;
}

// ---- poses ----------------------------------------------------------------------------------------------------------
// R(p), a homogeneous quadratic in the quaternion.
static void rotation(const double *q, const int *at, double *R) {
  double p = q[at[3]], x = q[at[4]], y = q[at[5]], z = q[at[6]];
  R[0] = p * p + x * x - y * y - z * z;
  R[4] = p * p - x * x + y * y - z * z;
  R[8] = p * p - x * x - y * y + z * z;
  R[1] = 2 * (x * y - p * z);
  R[3] = 2 * (x * y + p * z);
  R[2] = 2 * (x * z + p * y);
  R[6] = 2 * (x * z - p * y);
  R[5] = 2 * (y * z - p * x);
  R[7] = 2 * (y * z + p * x);
}

void sim_touch_pose(const sim_body *b, const double *q, nsm_pose *p) {
  if (b->still) return;
  p->r[0] = q[b->q[0]];
  p->r[1] = q[b->q[1]];
  p->r[2] = b->planar ? 0 : q[b->q[2]];
  if (!b->planar) { rotation(q, b->q, p->R); return; }
  double c = cos(q[b->q[2]]), n = sin(q[b->q[2]]);
  memcpy(p->R, (double[9]){ c, -n, 0, n, c, 0, 0, 0, 1 }, sizeof p->R);
}

static void motion_of(const sim_body *b, const nsm_pose *p, const double *z, double *m) {
  memset(m, 0, 6 * sizeof *m);
  m[0] = z[b->z[0]];
  m[1] = z[b->z[1]];
  if (b->planar) { m[5] = z[b->z[2]]; return; }
  m[2] = z[b->z[2]];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) m[3 + i] += p->R[3 * i + j] * z[b->z[3 + j]];
}

static void driven(nsm_sim *s, double time, nsm_pose *pose, double (*motion)[6]) {
  const struct nsm_touching *t = s->touching;
  nsm_view v = sim_view(s, time, s->now.q, s->now.z, s->now.l);
  for (int cls = 0; cls < s->a->m->nclass; cls++) {
    const sim_class *k = &s->a->cls[cls];
    if (k->c->kind != NSM_BODY || k->c->body != NSM_BODY_DRIVEN) continue;
    for (int i = 0; i < k->tab.count; i++) {
      double out[NSM_DRIVEN_NUMBERS];
      nsm_table one = sim_part(k, i, 1);
      k->c->pose_fn(&v, &one, out);
      int body = t->first_of[cls] + i;
      memcpy(pose[body].r, out, sizeof pose[body].r);
      memcpy(pose[body].R, out + 3, sizeof pose[body].R);
      if (motion) memcpy(motion[body], out + NSM_POSE_NUMBERS, sizeof motion[body]);
    }
  }
}

void sim_touch_motions(nsm_sim *s, const double *z) {
  struct nsm_touching *t = s->touching;
  for (int i = 0; i < t->nbody; i++)
    if (!t->body[i].still) motion_of(&t->body[i], &t->pose[i], z, t->motion[i]);
}

void sim_touch_poses(nsm_sim *s, double time, const double *q, const double *z) {
  struct nsm_touching *t = s->touching;
  if (t->any_driven) driven(s, time, t->pose, t->motion);
  for (int i = 0; i < t->nbody; i++) if (!t->body[i].still) sim_touch_pose(&t->body[i], q, &t->pose[i]);
  sim_touch_motions(s, z);
}

// ---- poses elsewhere ------------------------------------------------------------------------------------------------
// Those of the begin are kept; the next swap puts them in their place again. Poses at an end that stands are those of
// the next begin.
void sim_touch_swap(struct nsm_touching *t) {
  nsm_pose *pose = t->pose;
  double (*motion)[6] = t->motion;
  t->pose = t->pose_there;
  t->motion = t->motion_there;
  t->pose_there = pose;
  t->motion_there = motion;
}

static int are_there(const nsm_sim *s, const double *q) {
  return s->touching->there_known && memcmp(s->touching->there_q, q, (size_t)s->a->nq * sizeof *q) == 0;
}

void sim_touch_go(nsm_sim *s, const nsm_view *v) {
  struct nsm_touching *t = s->touching;
  size_t moving = (size_t)s->a->nv * sizeof(double);
  sim_touch_swap(t);
  if (!are_there(s, v->q)) {
    sim_touch_poses(s, v->t, v->q, v->v);
    memcpy(t->there_q, v->q, (size_t)s->a->nq * sizeof(double));
    t->there_known = !t->any_driven;
    t->there_rows = 0;
  } else if (memcmp(t->there_z, v->v, moving) == 0) return;
  else sim_touch_motions(s, v->v);
  memcpy(t->there_z, v->v, moving);
}

void sim_touch_poses_now(nsm_sim *s) {
  struct nsm_touching *t = s->touching;
  if (!are_there(s, s->now.q)) {
    sim_touch_poses(s, s->now.t, s->now.q, s->now.z);
    return;
  }
  sim_touch_swap(t);
  if (memcmp(t->there_z, s->now.z, (size_t)s->a->nv * sizeof(double)) != 0) sim_touch_motions(s, s->now.z);
  t->there_known = 0;
}

// R_E = R_B cay(xi), Q = R_B^T R_E: xi = 2 tan(phi/2) n = 2 axis(Q - Q^T)/(1 + tr Q); in the plane the angle of Q.
static void way_of(int planar, const nsm_pose *begin, const nsm_pose *end, double *way) {
  double Q[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      Q[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) Q[3 * i + j] += begin->R[3 * k + i] * end->R[3 * k + j];
    }
  for (int i = 0; i < 3; i++) way[i] = end->r[i] - begin->r[i];
  if (planar) {
    way[2] = atan2(Q[3], Q[0]);
    return;
  }
  double f = 2 / (1 + Q[0] + Q[4] + Q[8]);
  way[3] = f * (Q[7] - Q[5]);
  way[4] = f * (Q[2] - Q[6]);
  way[5] = f * (Q[3] - Q[1]);
}

void sim_touch_drive(nsm_sim *s, double h) {
  struct nsm_touching *t = s->touching;
  driven(s, s->now.t + h, t->pose_end, NULL);
  for (int i = 0; i < t->nbody; i++)
    if (t->body[i].kind == NSM_BODY_DRIVEN) way_of(t->body[i].planar, &t->pose[i], &t->pose_end[i], t->way[i]);
}

static void place_fixed(nsm_sim *s) {
  struct nsm_touching *t = s->touching;
  for (int i = 0; i < t->nbody; i++) {
    const sim_body *b = &t->body[i];
    t->any_driven |= b->kind == NSM_BODY_DRIVEN;
    if (b->kind != NSM_BODY_FIXED) continue;
    const sim_class *k = &s->a->cls[b->cls];
    const double *num = numbers(k, b->instance, k->c->pose_num);
    memcpy(t->pose[i].r, num, sizeof t->pose[i].r);
    memcpy(t->pose[i].R, num + 3, sizeof t->pose[i].R);
    t->pose_there[i] = t->pose[i];
  }
}

// ---- who meets whom -------------------------------------------------------------------------------------------------
static void add_members(nsm_sim *s, const nsm_members *m, unsigned char side, unsigned char *sides) {
  const sim_class *k = &s->a->cls[m->cls];
  int first = s->touching->first_of[m->cls];
  nsm_setup_view g = { .p = s->a->p };
  if (!m->select) {
    for (int i = 0; i < k->tab.count; i++) sides[first + i] |= side;
    return;
  }
  long n = m->select((nsm_setup *)s, &g, NULL);
  int *which = SIM_LEND(s, n + 1, int);
  m->select((nsm_setup *)s, &g, which);
  for (long i = 0; i < n; i++) if (which[i] >= 0 && which[i] < k->tab.count) sides[first + which[i]] |= side;
  sim_give(s, which);
}

static int take_side(nsm_sim *s, int contact) {
  struct nsm_touching *t = s->touching;
  const nsm_shape_contact *c = &s->a->m->shape_contact[contact];
  sim_touch_side *of = &t->of[contact];
  unsigned char *sides = SIM_LEND(s, t->nbody + 1, unsigned char);
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < c->nmembers[side]; i++)
      add_members(s, &c->members[side][i],
                  c->nmembers[1] == 0 ? NSM_SIDE_A | NSM_SIDE_B : side == 0 ? NSM_SIDE_A : NSM_SIDE_B, sides);
  for (int i = 0; i < t->nbody; i++) of->nmember += sides[i] != 0;
  of->member = SIM_NEW(s, of->nmember, int);
  of->pose = SIM_NEW(s, of->nmember, nsm_pose);
  of->reach = SIM_NEW(s, of->nmember, double);
  of->side = SIM_NEW(s, of->nmember, unsigned char);
  nsm_extent *bound = SIM_LEND(s, of->nmember + 1, nsm_extent);
  for (int i = 0, n = 0; i < t->nbody; i++) {
    if (!sides[i]) continue;
    of->member[n] = i;
    of->side[n] = sides[i] | (t->body[i].still ? NSM_SIDE_FIXED : 0);
    nsm_extent_of(&t->shape[t->body[i].shape0], t->body[i].nshape, &bound[n]);
    t->body[i].radius = bound[n++].radius;
  }
  of->pairs = nsm_pairs_new(of->nmember, bound, of->side);
  sim_give(s, bound);
  sim_give(s, sides);
  return of->pairs != NULL;
}

// Coefficients of friction are finite and not negative.
static int law_fits(nsm_sim *s, int contact, const double *law, nsm_error *e) {
  static const char *const name[NSM_LAW_NUMBERS] = { [NSM_LAW_MU] = "coefficient of friction",
      [NSM_LAW_RADIUS] = "radius of friction", [NSM_LAW_ROLLING] = "coefficient of rolling friction" };
  const nsm_shape_contact *c = &s->a->m->shape_contact[contact];
  for (int i = 0; i < NSM_LAW_NUMBERS; i++) {
    if (!name[i] || (law[i] >= 0 && isfinite(law[i]))) continue;
    sim_fail(e, NSM_MODEL_WRONG, "line %d (%s): the %s is %g; it must be finite and not negative", c->line,
             sim_text(s, c->label), name[i], law[i]);
    return 0;
  }
  return 1;
}

static int take_laws(nsm_sim *s, nsm_error *e) {
  struct nsm_touching *t = s->touching;
  const nsm_model *m = s->a->m;
  nsm_setup_view g = { .p = s->a->p };
  t->nmaterial = m->nmaterial + 1;
  size_t pairs = (size_t)(t->nmaterial * t->nmaterial);
  double *law = t->law = SIM_NEW(s, (size_t)m->nshape_contact * pairs * NSM_LAW_NUMBERS, double);
  for (int c = 0; c < m->nshape_contact; c++)
    for (int a = -1; a < m->nmaterial; a++)
      for (int b = -1; b < m->nmaterial; b++, law += NSM_LAW_NUMBERS)
        if (m->shape_contact[c].law_fn) {
          law[NSM_LAW_RATIO] = 1;
          law[NSM_LAW_EXPONENT] = NSM_IMPACT_HERTZ;
          m->shape_contact[c].law_fn(&g, a, b, law);
          if (!law_fits(s, c, law, e)) return 0;
        }
  return 1;
}

const double *sim_touch_law(const nsm_sim *s, int contact, int a, int b) {
  const struct nsm_touching *t = s->touching;
  return t->law + (size_t)((contact * t->nmaterial + a + 1) * t->nmaterial + b + 1) * NSM_LAW_NUMBERS;
}

// Columns of two bodies of the kind of a group, so that the patterns of rows that are not there yet have their sizes.
static void stand_in(nsm_sim *s, sim_touch_group *g) {
  const struct nsm_touching *t = s->touching;
  int of[12], n = 0, each = g->variant < SIM_PLANAR ? 6 : 3;
  for (int i = 0; i < t->nbody && n < g->columns; i++)
    if (!t->body[i].still && t->body[i].planar == (each == 3))
      for (int j = 0; j < each; j++) of[n++] = t->body[i].z[j];
  while (n < g->columns) of[n++] = 0;
  for (int d = 0; d <= g->slips; d++) {
    int *ix = (int *)(uintptr_t)s->a->cls[g->cls + d].tab.ix;
    for (int i = 0; i < g->room; i++) memcpy(ix + i * g->columns, of, (size_t)g->columns * sizeof *ix);
  }
}

int sim_touch_open(nsm_sim *s, nsm_error *e) {
  struct nsm_touching *t = s->touching;
  if (!t) return 1;
  if (!take_hulls(s, e) || !take_bodies(s, e)) return 0;
  place_fixed(s);
  if (!take_laws(s, e)) return 0;
  t->of = SIM_NEW(s, s->a->m->nshape_contact, sim_touch_side);
  for (int c = 0; c < s->a->m->nshape_contact; c++)
    if (!take_side(s, c)) { sim_no_memory(e, "contacts of shapes"); return 0; }
  for (int i = 0; i < t->ngroup; i++) {
    sim_touch_group *g = &t->group[i];
    g->from = SIM_NEW(s, g->room, int);
    stand_in(s, g);
  }
  return 1;
}

void sim_touch_close(nsm_sim *s) {
  struct nsm_touching *t = s->touching;
  for (int c = 0; t && t->of && c < s->a->m->nshape_contact; c++) nsm_pairs_free(t->of[c].pairs);
  for (int i = 0; t && t->hull && i < s->a->m->ncorners; i++) nsm_hull_free(t->hull[i]);
}
