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

void nsm_statistic_start(nsm_statistic *a, int kind, double time, double y, double t, double step) {
  *a = (nsm_statistic){ .value = y, .start = y, .previous = y, .t_start = t, .t_previous = t };
  if (kind == NSM_STAT_MEAN || kind == NSM_STAT_DRIFT || kind == NSM_STAT_GAIN) a->value = isnan(y) ? y : 0;
  if (kind == NSM_STAT_AT) {
    a->time = time;
    a->done = t >= time;
    a->outside = !a->done || t > time + 1e-9 * step;
    if (a->outside) a->value = NAN;
  }
}

int nsm_statistic_follows(const nsm_statistic *a, int kind) {
  return kind != NSM_STAT_INITIAL && kind != NSM_STAT_FINAL && !(kind == NSM_STAT_AT && a->done);
}

void nsm_statistic_step(nsm_statistic *x, int kind, double y, double t) {
  double drift = fabs(y - x->start), dt = t - x->t_previous;
  switch (kind) {
    case NSM_STAT_FINAL: x->value = y; break;
    case NSM_STAT_MIN: if (!(y >= x->value)) x->value = isnan(x->value) ? x->value : y; break;
    case NSM_STAT_MAX: if (!(y <= x->value)) x->value = isnan(x->value) ? x->value : y; break;
    case NSM_STAT_DRIFT: if (!(drift <= x->value)) x->value = isnan(x->value) ? x->value : drift; break;
    case NSM_STAT_GAIN:
      if (!(y - x->previous <= x->value)) x->value = isnan(x->value) ? x->value : y - x->previous;
      break;
    case NSM_STAT_MEAN: x->value += 0.5 * (x->previous + y) * dt; break;
    case NSM_STAT_AT:
      if (t >= x->time - 1e-9 * dt) {
        double f = (x->time - x->t_previous) / dt;
        x->value = f >= 1 - 1e-9 ? y : x->previous + f * (y - x->previous);
        x->done = 1;
        x->outside = 0;
      }
      break;
    default: break;
  }
  x->previous = y;
  x->t_previous = t;
}

double nsm_statistic_end(const nsm_statistic *a, int kind) {
  double length = a->t_previous - a->t_start;
  return kind == NSM_STAT_MEAN ? (length > 0 ? a->value / length : a->start) : a->value;
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

int nsm_statistics_follow(const nsm_model *m) {
  int any = 0;
  for (int i = 0; i < m->nstat; i++) any |= m->stat[i].kind != NSM_STAT_INITIAL && m->stat[i].kind != NSM_STAT_FINAL;
  return any;
}

void nsm_statistics_end(nsm_sim *s, nsm_statistic *a, double *value) {
  for (int i = 0; i < s->a->m->nstat; i++) {
    const nsm_stat *d = &s->a->m->stat[i];
    if (d->kind == NSM_STAT_FINAL) nsm_statistic_step(&a[i], d->kind, evaluate(s, d->cls), s->now.t);
    value[i] = nsm_statistic_end(&a[i], d->kind);
  }
}
