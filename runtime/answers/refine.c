// --refine: runs whose steps are aligned to events, each with twice as many, extrapolated [Richardson 1911].
#include "aligned.h"
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 8 };

// Richardson's table for errors of h^p, h^(p + by), ...: the entry of the last level, and what that has changed.
static double extrapolated(const double *x, int levels, int p, int by, double *change) {
  double row[LEVELS] = { 0 }, before = x[0];
  for (int k = 0; k < levels; k++) {
    double left = row[0];
    row[0] = x[k];
    for (int j = 1; j <= k; j++) {
      double next = row[j - 1] + (row[j - 1] - left) / (ldexp(1, p + (j - 1) * by) - 1);
      left = row[j];
      row[j] = next;
    }
    *change = fabs(row[k] - before);
    before = row[k];
  }
  return before;
}

// Of a symmetric scheme errors have even powers, unless forces at events are extrapolated: what changes less is right.
static double best(const double *x, int levels, const nsm_sim *s, double *change) {
  double other;
  int order = s->n.galerkin ? 2 * s->a->stages : 2;
  if (s->n.radau) return extrapolated(x, levels, 5, 1, change);
  double even = extrapolated(x, levels, order, 2, change), all = extrapolated(x, levels, order, 1, &other);
  if (*change <= other) return even;
  *change = other;
  return all;
}

static nsm_code fits(const answers *a, const nsm_sim *s, const struct aligned *w, nsm_error *e) {
  for (int i = 0; i < a->nof; i++) {
    int kind = a->of[i].kind;
    if (kind != NSM_STAT_MIN && kind != NSM_STAT_MAX && kind != NSM_STAT_MEAN) continue;
    sim_fail(e, NSM_USAGE, "--of %s: min, max and mean hang on the times of rows, which --refine moves", a->of[i].name);
    return NSM_USAGE;
  }
  if (!w->captured && s->a->ndelay == 0) return NSM_OK;
  sim_fail(e, NSM_USAGE, "--refine: %s", s->a->ndelay > 0
           ? "delayed quantities are kept at times of the clock, which --refine moves; take a smaller --step"
           : "the run takes steps without location, which no aligned steps follow");
  return NSM_USAGE;
}

nsm_code aligned_refine(answers *a, const nsm_settings *set, const double *start, int levels, double *error,
                        nsm_error *e) {
  size_t n = (size_t)a->nof * (size_t)a->nby, all = n + (size_t)a->nof;
  struct aligned w = { 0 };
  double *at = calloc(all * (size_t)levels + 1, sizeof *at), x[LEVELS], off;
  nsm_sim *s = nsm_open(a->m, set, e);
  nsm_code code = at && s ? NSM_OK : s ? sim_no_memory(e, "derivatives") : e->code;
  a->note = &w;
  if (code == NSM_OK) code = answers_take(a, set, start, 0, e);
  a->note = NULL;
  if (code == NSM_OK) code = fits(a, s, &w, e);
  if (code == NSM_OK && !aligned_phases(&w, s)) code = sim_no_memory(e, "phases");
  uint64_t sequence = a->sequence;
  a->phases = &w;
  for (int k = 0; k < levels && code == NSM_OK; k++) {
    w.level = k;
    code = answers_take(a, set, start, 1, e);
    if (code == NSM_OK && a->sequence != sequence) {
      sim_fail(e, NSM_FAILED, "--refine: the run has other events with steps that are aligned to them; start from a "
               "shorter --step");
      code = NSM_FAILED;
    }
    memcpy(at + (size_t)k * all, a->d, n * sizeof *at);
    memcpy(at + (size_t)k * all + n, a->value, (size_t)a->nof * sizeof *at);
  }
  a->phases = NULL;
  for (size_t i = 0; code == NSM_OK && i < all; i++) {
    for (int k = 0; k < levels; k++) x[k] = at[(size_t)k * all + i];
    double to = best(x, levels, s, i < n ? &error[i] : &off);
    if (i < n) a->d[i] = to;
    else a->value[i - n] = to;
  }
  nsm_close(s);
  free(at);
  free(w.stop);
  return code;
}
