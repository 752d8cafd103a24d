// Statistics of outputs over a run, one number each: what the claims of a model (`expect`) are made of. The mean is
// over time (trapezoidal); at(t) interpolates linearly within the step; a nan in an output makes its statistics nan.
#include "record.h"
#include "runtime/sim.h"
#include <math.h>

// Special classes: -1 total, -2 kinetic, -3 potential energy; of the ledger: -4 residue of the step, -5 work of forces
// so far, -6 and -7 what dampers and contacts took so far.
static double evaluate(nsm_sim *s, int cls) {
  if (cls >= 0) {
    if (s->a->cls[cls].tab.count == 0) return NAN;
    sim_evaluate_class(s, cls, s->w.out);
    return s->w.out[0];
  }
  const sim_ledger *g = &s->now.ledger;
  if (cls <= -4) return cls == -4 ? g->residue_now : cls == -5 ? g->forces : cls == -6 ? g->dampers : g->contacts;
  double kinetic, potential;
  sim_energy(s, &kinetic, &potential);
  return cls == -2 ? kinetic : cls == -3 ? potential : kinetic + potential;
}

void nsm_statistics_start(nsm_sim *s, nsm_statistic *a) {
  for (int i = 0; i < s->a->m->nstat; i++) {
    const nsm_stat *d = &s->a->m->stat[i];
    double y = evaluate(s, d->cls);
    a[i] = (nsm_statistic){ .value = y, .start = y, .previous = y, .t_start = s->now.t, .t_previous = s->now.t };
    if (d->kind == NSM_STAT_MEAN || d->kind == NSM_STAT_DRIFT || d->kind == NSM_STAT_GAIN)
      a[i].value = isnan(y) ? y : 0;
    if (d->kind == NSM_STAT_AT) {
      a[i].time = s->a->m->stat_time ? s->a->m->stat_time(s->a->p, i) : NAN;
      a[i].done = s->now.t >= a[i].time;
      a[i].outside = !a[i].done || s->now.t > a[i].time + 1e-9 * s->a->step;
      if (a[i].outside) a[i].value = NAN;
    }
  }
}

void nsm_statistics_step(nsm_sim *s, nsm_statistic *a) {
  for (int i = 0; i < s->a->m->nstat; i++) {
    const nsm_stat *d = &s->a->m->stat[i];
    nsm_statistic *x = &a[i];
    if (d->kind == NSM_STAT_INITIAL || (d->kind == NSM_STAT_AT && x->done)) continue;
    double y = evaluate(s, d->cls), drift = fabs(y - x->start), dt = s->now.t - x->t_previous;
    switch (d->kind) {
      case NSM_STAT_FINAL: x->value = y; break;
      case NSM_STAT_MIN: if (!(y >= x->value)) x->value = isnan(x->value) ? x->value : y; break;
      case NSM_STAT_MAX: if (!(y <= x->value)) x->value = isnan(x->value) ? x->value : y; break;
      case NSM_STAT_DRIFT: if (!(drift <= x->value)) x->value = isnan(x->value) ? x->value : drift; break;
      case NSM_STAT_GAIN:
        if (!(y - x->previous <= x->value)) x->value = isnan(x->value) ? x->value : y - x->previous;
        break;
      case NSM_STAT_MEAN: x->value += 0.5 * (x->previous + y) * dt; break;
      case NSM_STAT_AT:
        if (s->now.t >= x->time - 1e-9 * dt) {
          double f = (x->time - x->t_previous) / dt;
          x->value = f >= 1 - 1e-9 ? y : x->previous + f * (y - x->previous);
          x->done = 1;
          x->outside = 0;
        }
        break;
      default: break;
    }
    x->previous = y;
    x->t_previous = s->now.t;
  }
}

void nsm_statistics_end(const nsm_sim *s, const nsm_statistic *a, double *value) {
  for (int i = 0; i < s->a->m->nstat; i++) {
    double length = a[i].t_previous - a[i].t_start;
    value[i] = s->a->m->stat[i].kind == NSM_STAT_MEAN ? (length > 0 ? a[i].value / length : a[i].start) : a[i].value;
  }
}
