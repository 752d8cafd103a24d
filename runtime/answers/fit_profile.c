// The profile of a parameter: the least sum of squares S that the others leave where it has a value beside the best
// one. Its interval is where S = S_best (1 + t^2/(n - p)) [Bates and Watts 1988]; of a linear model that is +- t s.
#include "fit.h"
#include <stdlib.h>
#include <string.h>

// Where the root of the growth of S, which is linear in a linear model, is t: between the value that is nearer and the
// first that is beyond.
static double crossing(double x0, double root0, double x1, double root1, double t) {
  return x0 + (x1 - x0) * (t - root0) / (root1 - root0);
}

typedef struct side { double step, quantile, s2; } side;

// Values go upwards in the profile.
static nsm_code one_side(fit *f, const fit_end *best, const side *by, fit_profile *to, double *limit, nsm_error *e) {
  int j = to->which;
  double *start = calloc((size_t)f->np + 1, sizeof *start), at = best->x[j], root = 0;
  fit_end end = { .x = calloc((size_t)f->np + 1, sizeof(double)) };
  nsm_code code = start && end.x ? NSM_OK : sim_no_memory(e, "a profile");
  if (code == NSM_OK) memcpy(start, best->x, (size_t)f->np * sizeof *start);
  *limit = NAN;
  for (int k = 0; k < FIT_PROFILE / 2 && code == NSM_OK; k++) {
    double value = best->x[j] + (k + 1) * by->step;
    int place = by->step > 0 ? FIT_PROFILE / 2 + k : FIT_PROFILE / 2 - 1 - k;
    start[j] = fmin(fmax(value, f->vary[j].lo), f->vary[j].hi);
    code = fit_from(f, start, &end, e);
    double now = code == NSM_OK && end.rss < INFINITY ? sqrt(fmax(0, end.rss - best->rss) / by->s2) : NAN;
    to->value[place] = start[j];
    to->rss[place] = end.rss;
    if (isnan(*limit) && now >= by->quantile) *limit = crossing(at, root, start[j], now, by->quantile);
    at = start[j];
    root = now;
    memcpy(start, end.x, (size_t)f->np * sizeof *start);
  }
  free(start);
  free(end.x);
  return code;
}

nsm_code fit_profile_of(fit *f, const fit_end *best, double sd, double quantile, int freedom, fit_profile *to,
                        nsm_error *e) {
  double step = sd * quantile / 4, s2 = best->rss / freedom;
  f->fixed = to->which;
  nsm_code code = one_side(f, best, &(side){ step, quantile, s2 }, to, &to->hi, e);
  if (code == NSM_OK) code = one_side(f, best, &(side){ -step, quantile, s2 }, to, &to->lo, e);
  f->fixed = -1;
  return code;
}
