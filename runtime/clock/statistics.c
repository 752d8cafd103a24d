// Statistics of outputs and energies over a run: what the claims of a model (`expect`) are made of
// (record/statistics.c).
#include "located.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>

// Special classes: -1 total, -2 kinetic, -3 potential energy; of the ledger: -4 residue of the step, -5 work of forces
// so far, -6 and -7 what dampers and contacts took so far. Of problems of steps: -8 how many missed the tolerance and
// were accepted, -9 the largest residual.
static double evaluate(nsm_sim *s, int cls) {
  if (cls >= 0) {
    if (s->a->cls[cls].tab.count == 0) return NAN;
    sim_evaluate_class(s, cls, s->w.out);
    return s->w.out[0];
  }
  const sim_ledger *g = &s->now.ledger;
  if (cls == -8) return (double)s->now.count.accepted;
  if (cls == -9) return sim_max_residual(s);
  if (cls <= -4) return cls == -4 ? g->residue_now : cls == -5 ? g->forces : cls == -6 ? g->dampers : g->contacts;
  double kinetic, potential;
  sim_energy(s, &kinetic, &potential);
  return cls == -2 ? kinetic : cls == -3 ? potential : kinetic + potential;
}

const char *sim_statistic_name(nsm_sim *s, int i) {
  static const char *const kinds[] = { "final", "initial", "min", "max", "mean", "drift", "at", "gain", "events",
                                       "first", "last" };
  static const char *const ledger[] = { "energy", "energy.kinetic", "energy.potential", "energy.residue",
                                        "energy.forces", "energy.dampers", "energy.contacts", "accepted", "residual" };
  const nsm_stat *d = &s->a->m->stat[i];
  char of[sizeof s->w.name];
  if (d->cls >= 0) sim_instance_name(s, d->cls, 0, of, sizeof of);
  else snprintf(of, sizeof of, "%s", ledger[-1 - d->cls]);
  snprintf(s->w.name, sizeof s->w.name, "%s(%.*s)", kinds[d->kind], (int)sizeof s->w.name - 12, of);
  return s->w.name;
}

void nsm_statistics_start(nsm_sim *s, nsm_statistic *a) {
  for (int i = 0; i < s->a->m->nstat; i++) {
    const nsm_stat *d = &s->a->m->stat[i];
    double time = d->kind == NSM_STAT_AT && s->a->m->stat_time ? s->a->m->stat_time(s->a->p, i) : NAN;
    nsm_statistic_start(&a[i], d->kind, time, evaluate(s, d->cls), s->now.t, s->a->step);
  }
}

void nsm_statistics_step(nsm_sim *s, nsm_statistic *a) {
  for (int i = 0; i < s->a->m->nstat; i++) {
    const nsm_stat *d = &s->a->m->stat[i];
    if (nsm_statistic_follows(&a[i], d->kind)) nsm_statistic_step(&a[i], d->kind, evaluate(s, d->cls), s->now.t);
  }
}

// Does an output hang on coordinates, velocities, states, time and what is discrete alone?
static int reads_motion(const nsm_class *k) {
  for (int i = 0; i < k->nslot; i++) if (k->slot[i] == NSM_SLOT_L) return 0;
  return 1;
}

static int may_watch(const nsm_sim *s) {
  return sim_whole_records(s) && !s->now.ledger.on && s->a->nsignal == 0;
}

int sim_watches_class(const nsm_sim *s, int cls) {
  return may_watch(s) && cls >= -3 && (cls < 0 || reads_motion(s->a->cls[cls].c));
}

int sim_watches_column(const nsm_sim *s, int c) {
  const sim_analysis *a = s->a;
  if (!may_watch(s)) return 0;
  if (c < 0 || (c -= 1 + a->nx + a->nshown + a->nv) < 0) return 1;         // energies; the motion
  if ((c -= a->nl_shown) < 0) return 0;
  c -= a->ndiscrete;
  for (int i = 0; i < a->on.output.n && c >= 0; c -= a->cls[a->on.output.of[i++]].tab.count)
    if (c < a->cls[a->on.output.of[i]].tab.count) return reads_motion(a->cls[a->on.output.of[i]].c);
  return c < 0;
}

double nsm_statistics_idle(const nsm_model *m, const nsm_statistic *a) {
  double idle = INFINITY;
  for (int i = 0; i < m->nstat; i++) idle = fmin(idle, nsm_statistic_idle(&a[i], m->stat[i].kind));
  return idle;
}

// An `at` interpolates within the step that passes its time: from the values of that step's begin on.
long sim_steps_before(const nsm_sim *s, double time) {
  double n = floor((time - s->now.t) / s->a->step) - 1;
  const double most = LONG_MAX / 4;                         // it is added to numbers of steps
  return n < 1 ? 1 : n < most ? (long)n : LONG_MAX / 4;
}

void nsm_statistics_end(nsm_sim *s, nsm_statistic *a, double *value) {
  for (int i = 0; i < s->a->m->nstat; i++) {
    const nsm_stat *d = &s->a->m->stat[i];
    if (d->kind >= NSM_STAT_EVENTS) a[i].value = sim_event_statistic(s, d->kind, d->cls);
    if (d->kind == NSM_STAT_FINAL) nsm_statistic_step(&a[i], d->kind, evaluate(s, d->cls), s->now.t);
    value[i] = nsm_statistic_end(&a[i], d->kind);
  }
}
