// The model as emitted, with the classes of rows of its contacts of shapes: SIM_TOUCH_CLASSES for each statement, of
// which those that can have no instance stay empty. The number of such a class says what it is of.
#include "touching.h"
#include <string.h>

enum { AT_FIRST = 16 };                 // room of a group

// Numbers behind those of the model's own classes.
void sim_touch_class(int number, int *group, int *direction) {
  *group = number / SIM_DIRECTIONS;
  *direction = number % SIM_DIRECTIONS;
}

// Which variants a statement can have, by the kinds of its bodies.
static int planar_shapes(const nsm_class *c) { return c->nshape > 0 && c->shape[0].kind >= NSM_DISK; }

static void kinds_of(const nsm_model *m, const nsm_shape_contact *c, int free[2], int still[2]) {
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < c->nmembers[side]; i++) {
      const nsm_class *body = &m->cls[c->members[side][i].cls];
      int planar = body->body == NSM_BODY_PLANAR || (body->body != NSM_BODY_SPATIAL && planar_shapes(body));
      *(body->body == NSM_BODY_FIXED || body->body == NSM_BODY_DRIVEN ? &still[planar] : &free[planar]) = 1;
    }
}

// Counts the instances: the room of the group. The tables are filled by bind.c, once the bodies are known; until then
// they stand for nothing.
static long fill(nsm_setup *setup, const nsm_setup_view *g, int *ix, double *num) {
  const nsm_sim *s = (const nsm_sim *)setup;
  int group, direction;
  (void)g; (void)ix; (void)num;
  sim_touch_class(s->filling - s->a->given->nclass, &group, &direction);
  return s->touching->group[group].room;
}

// Directions of slip and of turning.
static void directions_of(int friction, int planar, sim_touch_group *g) {
  g->turns = friction == NSM_ROLLING ? (planar ? 1 : 2) : friction == NSM_CONTENSOU && !planar;
  g->slips = friction == 0 ? 0 : (planar ? 1 : 2) + g->turns;
}

static void add_group(nsm_sim *s, const nsm_model *m, int number, const int *room, int possible, nsm_class *cls,
                      nsm_var *var) {
  int contact = number / SIM_VARIANTS, variant = number % SIM_VARIANTS, first = number * SIM_DIRECTIONS;
  const nsm_shape_contact *c = &m->shape_contact[contact];
  int planar = variant >= SIM_PLANAR;
  sim_touch_group *g = &s->touching->group[number];
  *g = (sim_touch_group){ .contact = contact, .variant = variant, .columns = sim_touch_kernels[variant].nslot,
                          .cls = m->nclass + first, .room = !possible ? 0 : room ? room[number]
                                                                                                  : AT_FIRST };
  directions_of(c->friction, planar, g);
  g->first = s->a->ntouch;
  s->a->ntouch += g->room;
  for (int d = 0; d < SIM_DIRECTIONS; d++) {
    nsm_class *k = &cls[first + d];
    *k = sim_touch_kernels[variant];
    k->kind = d == 0 || d > g->slips ? NSM_CONTACT : NSM_FRICTION;   // without instances the last ones
    k->line = c->line;
    k->file = c->file;
    k->label = c->label;
    k->row_var = m->nvar + first + d;
    k->row_type = d == 0 ? NSM_ROW_NONNEG : NSM_ROW_FREE;
    if (d > 0) k->dg_fn = NULL;
    if (k->kind == NSM_FRICTION) {
      k->normal = m->nclass + first;
      k->direction = d - 1;
      k->friction = planar && c->friction == NSM_CONTENSOU ? NSM_COULOMB : c->friction;
      if (d == 1) { k->mu_num = SIM_MU; k->mu2_num = SIM_MU2; k->radius_num = SIM_RADIUS; }
    }
    if (d <= g->slips) k->fill = fill;
    var[first + d] = (nsm_var){ .kind = NSM_VAR_ROW, .name = c->label, .line = c->line, .cls = m->nclass + first + d,
                                .file = c->file };
  }
}

const nsm_model *sim_touch_extend(nsm_sim *s, const nsm_model *m, const int *room) {
  int n = m->nshape_contact, more = n * SIM_TOUCH_CLASSES;
  if (n == 0) return m;
  nsm_model *x = SIM_NEW(s, 1, nsm_model);
  nsm_class *cls = SIM_NEW(s, m->nclass + more, nsm_class);
  nsm_var *var = SIM_NEW(s, m->nvar + more, nsm_var);
  memcpy(cls, m->cls, (size_t)m->nclass * sizeof *cls);
  memcpy(var, m->var, (size_t)m->nvar * sizeof *var);
  s->touching = SIM_NEW(s, 1, struct nsm_touching);
  s->touching->s = s;
  s->touching->ngroup = n * SIM_VARIANTS;
  s->touching->group = SIM_NEW(s, s->touching->ngroup, sim_touch_group);
  s->a->ngroup = s->touching->ngroup;
  for (int c = 0; c < n; c++) {
    int free[2] = { 0, 0 }, still[2] = { 0, 0 };
    kinds_of(m, &m->shape_contact[c], free, still);
    for (int v = 0; v < SIM_VARIANTS; v++) {
      int planar = v >= SIM_PLANAR, possible = free[planar] && (v % 2 == 0 || still[planar]);
      add_group(s, m, c * SIM_VARIANTS + v, room, possible, cls + m->nclass, var + m->nvar);
    }
  }
  *x = *m;
  x->cls = cls;
  x->var = var;
  x->nclass += more;
  x->nvar += more;
  x->whole = NULL;                      // rows that are others in every step are for the generic step
  return x;
}
