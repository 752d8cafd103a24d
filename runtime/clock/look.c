// What a run looks like: contacts by their state, bodies by their shapes and poses, points of contact. All of it is
// read from the state; nothing here changes how a run goes on.
#include "clock.h"
#include <math.h>
#include <string.h>

// ---- instances of a kind --------------------------------------------------------------------------------------------
// Class and instance of number i, counted over the classes of that kind of the model as it was given; 0: no such.
static int find(const nsm_sim *s, int kind, int i, int *cls, int *instance) {
  for (int c = 0; c < s->a->given->nclass; c++) {
    if (s->a->cls[c].c->kind != kind) continue;
    if (i < s->a->cls[c].tab.count) { *cls = c; *instance = i; return 1; }
    i -= s->a->cls[c].tab.count;
  }
  return 0;
}

static int count(const nsm_sim *s, int kind) {
  int n = 0;
  for (int c = 0; c < s->a->given->nclass; c++) if (s->a->cls[c].c->kind == kind) n += s->a->cls[c].tab.count;
  return n;
}

static const char *name_of(nsm_sim *s, int kind, int i) {
  int cls, instance;
  if (!find(s, kind, i, &cls, &instance)) return "";
  sim_instance_name(s, cls, instance, s->w.name, sizeof s->w.name);
  return s->w.name;
}

// ---- contacts -------------------------------------------------------------------------------------------------------
int nsm_ncontact(const nsm_sim *s) { return count(s, NSM_CONTACT); }
const char *nsm_contact_name(nsm_sim *s, int i) { return name_of(s, NSM_CONTACT, i); }

// |A^-1 lambda_T| / lambda_N, 1 at the limit of friction (docs/numerics/friction.md (1)); of two parts, of slip.
static double used(const nsm_sim *s, const sim_friction *f, double normal) {
  double l[SIM_SLIPS];
  sim_disk part[2];
  sim_friction_parts(f, part);
  for (int d = 0; d < part->n; d++) l[d] = s->now.l[s->n.r.l[f->row[d]]];
  return part->mu > 0 ? sim_disk_gauge(part, l) / (part->mu * normal) : 0;
}

nsm_contact_state nsm_contact_state_at(const nsm_sim *s, int i) {
  static const double at_limit = 1 - 1e-9;                 // solvers leave friction within their tolerance of it
  int cls, instance;
  if (!find(s, NSM_CONTACT, i, &cls, &instance)) return NSM_APART;
  int row = s->a->cls[cls].row0 + instance, friction = s->n.r.friction_of ? s->n.r.friction_of[row] : -1;
  double normal = s->now.l[s->n.r.l[row]];
  if (!(normal > 0)) return NSM_APART;
  double share = friction < 0 ? -1 : used(s, &s->n.r.friction[friction], normal);
  return share < 0 ? NSM_TOUCHES : share >= at_limit ? NSM_SLIPS : NSM_STICKS;
}

double nsm_take_residual(nsm_sim *s) {
  double residual = s->now.count.max_residual;
  s->now.residual_taken = sim_max_residual(s);
  s->now.count.max_residual = 0;
  return residual;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------
int nsm_nbody(const nsm_sim *s) { return count(s, NSM_BODY); }
const char *nsm_body_name(nsm_sim *s, int i) { return name_of(s, NSM_BODY, i); }

int nsm_body_moves(const nsm_sim *s, int i) {
  int cls, instance;
  return find(s, NSM_BODY, i, &cls, &instance) && s->a->cls[cls].c->body != NSM_BODY_FIXED;
}

int nsm_nbody_part(const nsm_sim *s, int i) {
  int cls, instance;
  return find(s, NSM_BODY, i, &cls, &instance) ? s->a->cls[cls].c->nshape : 0;
}

static const double *numbers(const sim_class *k, int instance, int from) {
  return k->tab.num + (size_t)instance * (size_t)k->c->nnum + (size_t)from;
}

nsm_part nsm_body_part(const nsm_sim *s, int i, int part) {
  int cls, instance;
  nsm_part p = { 0 };
  if (!find(s, NSM_BODY, i, &cls, &instance) || part < 0 || part >= s->a->cls[cls].c->nshape) return p;
  const nsm_body_shape *d = &s->a->cls[cls].c->shape[part];
  const double *num = numbers(&s->a->cls[cls], instance, d->num);
  nsm_shape shape = nsm_shape_of_numbers((nsm_shape_kind)d->kind, num, NULL);
  int corners = nsm_shape_corners(shape.kind, num);
  p.kind = d->kind;
  memcpy(p.size, shape.size, sizeof p.size);
  memcpy(p.at, shape.at, sizeof p.at);
  memcpy(p.turn, shape.turn, sizeof p.turn);
  if (corners >= 0) {
    p.ncorner = s->a->m->corners[corners].n;
    p.corner = s->a->m->corners[corners].at;
  }
  return p;
}

void nsm_body_pose(const nsm_sim *s, int i, double pose[12]) {
  int cls, instance;
  memset(pose, 0, 12 * sizeof *pose);
  if (!find(s, NSM_BODY, i, &cls, &instance)) return;
  const sim_class *k = &s->a->cls[cls];
  sim_body b = sim_touch_body(s, cls, instance);
  if (b.kind == NSM_BODY_FIXED) memcpy(pose, numbers(k, instance, k->c->pose_num), 12 * sizeof *pose);
  else if (b.kind == NSM_BODY_DRIVEN) {
    double out[NSM_DRIVEN_NUMBERS];
    nsm_view now = sim_now(s);
    nsm_table one = sim_part(k, instance, 1);
    k->c->pose_fn(&now, &one, out);
    memcpy(pose, out, 12 * sizeof *pose);
  } else {
    nsm_pose at;
    sim_touch_pose(&b, s->now.q, &at);
    memcpy(pose, at.r, sizeof at.r);
    memcpy(pose + 3, at.R, sizeof at.R);
  }
}

int nsm_touch_point_at(const nsm_sim *s, int i, nsm_touch_point *out) {
  sim_contact c;
  if (!sim_touch_contact(s, i, &c)) return 0;
  memcpy(out->at, c.at, sizeof out->at);
  for (int j = 0; j < 3; j++) out->impulse[j] = c.impulse * c.normal[j] + c.slip[j];
  out->gap = c.gap;
  return 1;
}
