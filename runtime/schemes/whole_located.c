// Whole steps of a run that locates its events (docs/numerics/located.md, 7). The emitted code takes a step only where
// each gap is above h |rate| as it begins; with the same, or less, at its end no gap is negative within the step. Where
// the code stops, the end of its last step is looked at here: if a gap may have been negative there, the steps are
// taken again but for the last one, which is then for the generic step.
#include "whole.h"
#include <string.h>

// No relations, and no friction but that of contacts: then nothing is watched while all contacts are open but gaps.
int sim_whole_locates(const nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  if (s->a->on.relation.n > 0) return 0;
  for (int i = 0; i < r->nfriction; i++) {
    const sim_friction *f = &r->friction[i];
    if (f->normals == 0 || s->a->cls[r->cls[f->normal[0]]].c->kind != NSM_CONTACT) return 0;
  }
  return 1;
}

int sim_whole_all_open(const nsm_sim *s) {
  if (s->now.sets_known != 1) return 0;
  SIM_EACH(s, contact, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) if (s->now.set[row] != SIM_OPEN) return 0;
  return 1;
}

// Is each gap at the end of the last step above h lead rate, and not negative?
static int is_clear(nsm_sim *s, double t) {
  const struct sim_whole *w = s->n.whole;
  const double *q = w->s, *z = w->s + (s->n.con ? 2 : 1) * s->a->nq;
  double lead = s->a->m->lead * s->a->step, *gap = s->w.gap0, *rate = s->w.rate0;
  nsm_view v = sim_view(s, t, q, z, s->now.l);
  s->w.begin_of = -1;
  SIM_EACH(s, contact, k) {
    k->c->gap_fn(&v, &k->tab, gap + k->row0, rate + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      if (!(gap[row] > 0 && gap[row] > lead * rate[row])) return 0;
  }
  return 1;
}

int sim_whole_located(nsm_sim *s, long tick, int m) {
  struct sim_whole *w = s->n.whole;
  memcpy(w->begin, w->s, w->room * sizeof(double));
  int done = s->a->m->whole_run(w->s, w->c, (double)tick, m);
  if (done == 0 || is_clear(s, s->a->start + (double)(tick + done) * s->a->step)) return done;
  memcpy(w->s, w->begin, w->room * sizeof(double));
  return done > 1 ? s->a->m->whole_run(w->s, w->c, (double)tick, done - 1) : 0;
}

void sim_whole_stays_open(nsm_sim *s) {
  s->w.begin_of = -1;
  s->now.set_h = 0;
  memset(s->now.ground, 0, (size_t)s->n.r.n * sizeof(double));
}
