// What is told of located events: counts and times for claims, and each event to the hook (nsm_on_event).
#include "located.h"
#include <math.h>

int sim_event_row(const nsm_sim *s, int row) {
  int f = s->n.r.friction_of ? s->n.r.friction_of[row] : -1;
  if (f < 0) return row;
  return s->n.r.friction[f].normals > 0 ? s->n.r.friction[f].normal[0] : s->n.r.friction[f].row[0];
}

static void tell(nsm_sim *s, int row, const char *kind, double before, double after, double impulse, double loss) {
  int head = sim_event_row(s, row);
  char name[256];
  if (s->now.hits[head]++ == 0) s->now.hit_first[head] = s->now.t;
  s->now.hit_last[head] = s->now.t;
  if (!s->told) return;
  sim_row_name(s, row, name, sizeof name);
  nsm_located_event event = { s->now.t, kind, name, before, after, impulse, loss };
  s->told(s->told_with, &event);
}

static double loss_of(const nsm_sim *s, int row) {
  const struct sim_located *w = s->located;
  return -0.5 * s->w.l1[s->n.r.l[row]] * (w->before[row] + w->rate[row]);
}

void sim_tell_impact(nsm_sim *s) {
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  SIM_EACH_LIVE(s, row) {
    if (!w->hit[row]) continue;
    double loss = loss_of(s, row);
    int f = r->friction_of[row];
    for (int d = 0; f >= 0 && d < r->friction[f].n; d++) loss += loss_of(s, r->friction[f].row[d]);
    tell(s, row, "impact", w->before[row], w->rate[row], s->w.l1[r->l[row]], loss);
  }
}

void sim_tell_sets(nsm_sim *s) {
  struct sim_located *w = s->located;
  SIM_EACH_LIVE(s, row) {
    int was = w->was[row], now = s->now.set[row];
    if (!w->ended[row] || was == SIM_OPEN || was == SIM_LEFT) continue;
    const char *kind = was == SIM_CLOSED   ? "opens"
                       : now == SIM_STICKS ? "sticks"
                       : now == SIM_SLIPS_ON ? "slips"
                                             : "switches";
    tell(s, row, kind, NAN, NAN, NAN, NAN);
  }
}

void sim_tell_block(nsm_sim *s, const char *kind, int cls) {
  if (!s->told) return;
  nsm_located_event event = { s->now.t, kind, sim_text(s, s->a->cls[cls].c->label), NAN, NAN, NAN, NAN };
  s->told(s->told_with, &event);
}

void sim_tell_captured(nsm_sim *s, int row) {
  char name[256] = "";
  if (!s->told) return;
  if (row >= 0) sim_row_name(s, row, name, sizeof name);
  nsm_located_event event = { s->now.t, "captured", name, NAN, NAN, NAN, NAN };
  s->told(s->told_with, &event);
}

// ---- steps that end at events ---------------------------------------------------------------------------------------
void sim_before_jump(nsm_sim *s) {
  if (!s->w.left || s->w.stopped_at_event == 2) return;
  nsm_read(s, s->w.left);
  s->w.stopped_at_event = 2;
}

void nsm_stop_at_events(nsm_sim *s, double *before) {
  s->w.left = before;
  s->w.stopped_at_event = 0;
}

int nsm_was_event(const nsm_sim *s) { return s->w.stopped_at_event; }

// ---- the hook -------------------------------------------------------------------------------------------------------
void nsm_on_event(nsm_sim *s, nsm_event_hook *hook, void *with) {
  s->told = hook;
  s->told_with = with;
}

double sim_event_statistic(const nsm_sim *s, int stat, int cls) {
  const sim_class *k = &s->a->cls[cls];
  if (!s->located || k->tab.count == 0) return NAN;
  int row = sim_event_row(s, s->n.r.of_l[k->tab.ix[0]]);
  if (stat == NSM_STAT_EVENTS) return (double)s->now.hits[row];
  if (s->now.hits[row] == 0) return NAN;
  return stat == NSM_STAT_FIRST ? s->now.hit_first[row] : s->now.hit_last[row];
}
