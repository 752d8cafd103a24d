// Whole steps of a run that locates its events (docs/numerics/located.md, 9). The sets are those of the step before: of
// contacts, friction and relations, and with them how each row acts (whole_rows.c). The emitted code takes a step only
// where its answer keeps all of them, to the end of the step too, and each gap that is open is above h |rate| as it
// begins; with the same, or less, at its end no gap is negative within the step. Where the code stops, the end of its
// last step is looked at here: if a gap may have been negative there, the steps are taken again but for the last one,
// which is then for the generic step.
#include "whole.h"
#include <string.h>

// Of relations those that hold at the end of a step, and whose law does not read their own multiplier: the others are
// followed through their bounds within a step.
static int locates_relations(const nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  SIM_EACH(s, relation, k) {
    if (k->gamma != 1 || k->recorded || k->lasts) return 0;
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      if (r->d0[row] < r->d0[row + 1] && (r->lo[row] > -INFINITY || r->hi[row] < INFINITY)) return 0;
  }
  return 1;
}

int sim_whole_locates(const nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  int maps = s->a->m->whole->kind == NSM_WHOLE_LINEAR;
  if (s->a->on.relation.n > 0 && !(maps && locates_relations(s))) return 0;
  for (int i = 0; i < r->nfriction; i++) {
    const sim_friction *f = &r->friction[i];
    if (f->normals == 0 ? !maps : s->a->cls[r->cls[f->normal[0]]].c->kind != NSM_CONTACT) return 0;
  }
  return 1;
}

int sim_whole_is_closed(const nsm_sim *s, int row) {
  return s->a->located ? s->now.set[row] == SIM_CLOSED : s->now.held[row] > 0;
}

// Does nothing act in the set at hand but gaps that are open?
static int all_open(const nsm_sim *s) {
  if (s->n.whole->always) return 0;
  SIM_EACH(s, contact, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) if (s->now.set[row] != SIM_OPEN) return 0;
  return 1;
}

// Of contacts and their friction those that are closed.
static int row_acts(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  int normal = row;
  if (s->a->cls[r->cls[row]].c->kind == NSM_FRICTION && r->friction[r->friction_of[row]].normals > 0)
    normal = r->friction[r->friction_of[row]].normal[0];
  return s->a->cls[r->cls[normal]].c->kind != NSM_CONTACT || s->now.set[normal] == SIM_CLOSED;
}

// Has a slip, or a y at a bound, not halved in the last step (linear_goes_on, compiler/whole/linear.h)?
static int goes_on(const nsm_sim *s) {
  for (int row = 0; row < s->n.r.n; row++) {
    int set = s->now.set[row], rate = set == SIM_SLIPS_ON || set == SIM_LOW || set == SIM_HIGH;
    if (rate && row_acts(s, row) && !(s->now.mean[row] <= 2 * s->now.watched[row])) return 0;
  }
  return 1;
}

// Forces are compared with those of the step before, which has had the same sets.
int sim_whole_keeps_sets(const nsm_sim *s) {
  if (s->now.sets_known != 1) return 0;
  if (all_open(s)) return 1;
  if (!s->n.whole->maps || s->now.set_h != s->a->step || s->now.span != 0 || !goes_on(s))
    return 0;
  SIM_EACH(s, contact, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      if (s->now.set[row] != SIM_OPEN && s->now.set[row] != SIM_CLOSED) return 0;
  return 1;
}

static int case_of_slip(const nsm_sim *s, int row, int forward, int backward) {
  return s->now.set[row] == SIM_STICKS ? -1 : s->now.slide[row] > 0 ? forward : backward;
}

static int case_of(const nsm_sim *s, int row) {
  int set = s->now.set[row], kind = s->a->cls[s->n.r.cls[row]].c->kind, f, slips;
  if (kind == NSM_RELATION) return set == SIM_LOW ? WHOLE_LOW : set == SIM_HIGH ? WHOLE_HIGH : WHOLE_BASIC;
  f = s->n.r.nfriction > 0 ? s->n.r.friction_of[row] : -1;
  if (kind == NSM_FRICTION) {
    if (s->n.r.friction[f].normals > 0) return WHOLE_TANGENT;
    slips = case_of_slip(s, row, WHOLE_LOW, WHOLE_HIGH);
    return slips < 0 ? WHOLE_BASIC : slips;
  }
  if (f < 0) return WHOLE_BASIC;
  slips = case_of_slip(s, s->n.r.friction[f].row[0], WHOLE_DOWN, WHOLE_UP);
  return slips < 0 ? WHOLE_STICK : slips;
}

unsigned sim_whole_act_by_sets(nsm_sim *s) {
  unsigned mask = 0;
  for (int row = 0; row < s->n.r.n; row++) {
    int acts = row_acts(s, row);
    s->now.acts[row] = (unsigned char)(acts ? case_of(s, row) + 1 : 0);
    mask |= acts ? 1u << row : 0;
  }
  return mask;
}

// Is each open gap at the end of the last step above h lead rate, and not negative?
static int is_clear(nsm_sim *s, double t) {
  const struct sim_whole *w = s->n.whole;
  const double *q = w->s, *z = w->s + (s->n.con ? 2 : 1) * s->a->nq;
  double lead = s->a->m->lead * s->a->step, *gap = s->w.gap0, *rate = s->w.rate0;
  nsm_view v = sim_view(s, t, q, z, s->now.l);
  s->w.begin_of = -1;
  SIM_EACH(s, contact, k) {
    k->c->gap_fn(&v, &k->tab, gap + k->row0, rate + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      if (s->now.set[row] == SIM_OPEN && !(gap[row] > 0 && gap[row] > lead * rate[row])) return 0;
  }
  return 1;
}

int sim_whole_located(nsm_sim *s, long tick, int m) {
  struct sim_whole *w = s->n.whole;
  memcpy(w->begin, w->s, w->room * sizeof(double));
  int done = sim_whole_call(s, tick, m);
  if (done == 0 || is_clear(s, s->a->start + (double)(tick + done) * s->a->step)) return done;
  memcpy(w->s, w->begin, w->room * sizeof(double));
  return done > 1 ? sim_whole_call(s, tick, done - 1) : 0;
}

void sim_whole_kept_sets(nsm_sim *s) {
  s->w.begin_of = -1;
  s->now.span = 0;
  if (all_open(s)) s->now.set_h = 0;
  for (int row = 0; row < s->n.r.n; row++) if (s->now.set[row] != SIM_CLOSED) s->now.ground[row] = 0;
}
