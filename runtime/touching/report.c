// Contacts as people see them: names, outputs, every contact as numbers. All of it from the state, after a step: where
// the contacts were as the step began, what they did in it.
#include "touching.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- names ----------------------------------------------------------------------------------------------------------
static void body_name(const nsm_sim *s, int body, char *out, size_t size) {
  const sim_body *b = &s->touching->body[body];
  sim_instance_name(s, b->cls, b->instance, out, size);
}

void sim_touch_name(const nsm_sim *s, int cls, int i, char *out, size_t size) {
  int group, direction;
  char a[100], b[100];
  sim_touch_class(cls - s->a->given->nclass, &group, &direction);
  const sim_touch_group *g = &s->touching->group[group];
  const char *label = sim_text(s, s->a->m->cls[cls].label),
             *of[] = { "", ", slip", ", second slip", ", turning", ", second turning" };
  if (i >= s->now.touches[group]) { snprintf(out, size, "%s", label); return; }
  const sim_touch *t = &s->now.touch[g->first + i];
  body_name(s, t->a, a, sizeof a);
  body_name(s, t->b, b, sizeof b);
  snprintf(out, size, "%s (%s, %s%s)", label, a, b, of[direction]);
}

// ---- outputs --------------------------------------------------------------------------------------------------------
// Impulse of touch i of a group on its body B, world axes; of the last step.
static double impulse(const nsm_sim *s, const sim_touch_group *g, int i, const double *l, double p[3]) {
  const sim_touch *t = &s->now.touch[g->first + i];
  const double *n = t->normal, *a = t->slip, planar[3] = { -n[1], n[0], 0 };
  double part[3] = { 0, 0, 0 },
         b[3] = { n[1] * a[2] - n[2] * a[1], n[2] * a[0] - n[0] * a[2], n[0] * a[1] - n[1] * a[0] };
  for (int d = 0; d <= g->slips - g->turns; d++) part[d] = l[s->n.r.l[s->a->cls[g->cls + d].row0] + i];
  if (g->variant >= SIM_PLANAR) { a = planar; part[2] = 0; }
  for (int j = 0; j < 3; j++) p[j] = part[0] * n[j] + part[1] * a[j] + part[2] * b[j];
  return part[0];
}

// Where its impulse acts, as the step began: on B, or where both bodies move in the middle of the gap (bind.c).
static void acts_at(const sim_touch_group *g, const sim_touch *t, double at[3]) {
  double half = g->variant == SIM_SPATIAL || g->variant == SIM_PLANAR ? 0.5 * t->gap : 0;
  for (int j = 0; j < 3; j++) at[j] = t->at[j] - half * t->normal[j];
}

// The impulse along the normal, and that of friction.
static double pair(const nsm_sim *s, const sim_touch_group *g, int i, const double *l, double slip[3]) {
  double normal = impulse(s, g, i, l, slip);
  for (int j = 0; j < 3; j++) slip[j] -= normal * s->now.touch[g->first + i].normal[j];
  return normal;
}

void sim_parts_none(nsm_sim *s) {
  if (!SIM_TELLS_APART(s)) return;
  memset(s->now.struck, 0, (size_t)s->a->nl * sizeof(double));
  memset(s->now.added, 0, (size_t)s->a->nl * sizeof(double));
}

int sim_touch_contact(const nsm_sim *s, int i, sim_contact *out) {
  const struct nsm_touching *t = s->touching;
  for (int k = 0; t && k < t->ngroup; i -= s->now.touches[k++]) {
    const sim_touch_group *g = &t->group[k];
    if (i >= s->now.touches[k]) continue;
    const sim_touch *c = &s->now.touch[g->first + i];
    out->name = sim_text(s, s->a->m->shape_contact[g->contact].name);
    body_name(s, c->a, out->a, sizeof out->a);
    body_name(s, c->b, out->b, sizeof out->b);
    out->feature = c->feature;
    out->gap = c->gap;
    acts_at(g, c, out->at);
    memcpy(out->normal, c->normal, sizeof out->normal);
    out->impulse = pair(s, g, i, s->now.l, out->slip);
    out->struck = out->added = out->struck_slip[0] = out->struck_slip[1] = out->struck_slip[2] = 0;
    if (!SIM_TELLS_APART(s)) return 1;
    out->struck = pair(s, g, i, s->now.struck, out->struck_slip);
    out->added = s->now.added[s->n.r.l[s->a->cls[g->cls].row0] + i];
    return 1;
  }
  return 0;
}

typedef double each_touch(const nsm_sim *s, const sim_touch_group *g, int i, const nsm_view *v, void *with);

static double over(const nsm_view *v, double contact, each_touch *f, void *with, int most) {
  double all = 0;
  const struct nsm_touching *t = v->touching;
  for (int k = 0; t && k < SIM_VARIANTS; k++) {
    const sim_touch_group *g = &t->group[(int)contact * SIM_VARIANTS + k];
    for (int i = 0; i < t->s->now.touches[g - t->group]; i++) {
      double x = f(t->s, g, i, v, with);
      all = most ? fmax(all, x) : all + x;
    }
  }
  return all;
}

static double presses(const nsm_sim *s, const sim_touch_group *g, int i, const nsm_view *v, void *with) {
  (void)with;
  return v->l[s->n.r.l[s->a->cls[g->cls].row0] + i] > 0;
}
static double depth(const nsm_sim *s, const sim_touch_group *g, int i, const nsm_view *v, void *with) {
  (void)v; (void)with;
  return -s->now.touch[g->first + i].gap;
}

typedef struct onto { int body, axis; } onto;

static double onto_body(const nsm_sim *s, const sim_touch_group *g, int i, const nsm_view *v, void *with) {
  const onto *o = with;
  const sim_touch *t = &s->now.touch[g->first + i];
  const sim_body *body = &s->touching->body[o->body];
  double p[3], sign = t->b == o->body ? 1 : t->a == o->body ? -1 : 0;
  if (sign == 0) return 0;
  impulse(s, g, i, v->l, p);
  if (o->axis < 3) return sign * p[o->axis];
  nsm_pose pose = s->touching->pose[o->body];
  sim_touch_pose(body, v->q, &pose);
  double d[3];
  acts_at(g, t, d);
  for (int j = 0; j < 3; j++) d[j] -= pose.r[j];
  int x = (o->axis + 1) % 3, y = (o->axis + 2) % 3;
  return sign * (d[x] * p[y] - d[y] * p[x]);
}

double nsm_touch_count(const nsm_view *v, double contact) { return over(v, contact, presses, NULL, 0); }
double nsm_touch_deepest(const nsm_view *v, double contact) { return over(v, contact, depth, NULL, 1); }
double nsm_touch_impulse(const nsm_view *v, double contact, double cls, double body, double axis) {
  if (!v->touching) return 0;
  onto o = { v->touching->first_of[(int)cls] + (int)body, (int)axis - 1 };
  return over(v, contact, onto_body, &o, 0);
}
