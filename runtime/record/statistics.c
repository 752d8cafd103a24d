// Statistics of outputs over a run, one number each: what the claims of a model (`expect`) are made of. The mean is
// over time (trapezoidal); at(t) interpolates linearly within the step; a nan in an output makes its statistics nan.
#include "record.h"
#include <math.h>

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
  if (kind >= NSM_STAT_EVENTS) return 0;                   // known at the end
  return kind != NSM_STAT_INITIAL && kind != NSM_STAT_FINAL && !(kind == NSM_STAT_AT && a->done);
}

double nsm_statistic_idle(const nsm_statistic *a, int kind) {
  if (!nsm_statistic_follows(a, kind)) return INFINITY;
  return kind == NSM_STAT_AT ? a->time : -INFINITY;
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
