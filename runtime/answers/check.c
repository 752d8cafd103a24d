// --check: the derivative along a random direction, against central differences of runs that have the same events.
#include "answers.h"
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 14, FEWEST = 2 };

static double size_of(double x) { return x != 0 ? fabs(x) : 1; }

// The outputs of a run that is `far` along the direction.
static nsm_code outputs(const answers *a, const nsm_settings *set, const double *at, const double *way, double far,
                        double *value, uint64_t *sequence, nsm_error *e) {
  answers own = *a;
  own.value = own.d = NULL;
  nsm_settings moved = *set;
  nsm_assignment *all = calloc((size_t)(set->nset + a->nby) + 1, sizeof *all);
  double *start = calloc((size_t)a->nby + 1, sizeof *start);
  nsm_code code = all && start ? NSM_OK : sim_no_memory(e, "a run");
  if (code == NSM_OK) {
    if (set->nset > 0) memcpy(all, set->set, (size_t)set->nset * sizeof *all);
    for (int j = 0; j < a->nby; j++) {
      start[j] = far * way[j];
      if (a->by[j].parameter >= 0) all[moved.nset++] = (nsm_assignment){ a->text[j], at[j] + far * way[j] };
    }
    moved.set = all;
    code = answers_take(&own, &moved, start, 0, e);
    if (code == NSM_OK) memcpy(value, own.value, (size_t)a->nof * sizeof *value);
    *sequence = own.sequence;
  }
  free(own.value);
  free(own.d);
  free(all);
  free(start);
  return code;
}

// Values and sizes of what is varied.
static nsm_code where(const answers *a, const nsm_settings *set, double *at, double *way, nsm_error *e) {
  nsm_sim *s = nsm_open(a->m, set, e);
  if (!s) return e ? e->code : NSM_FAILED;
  for (int j = 0; j < a->nby; j++) {
    at[j] = a->by[j].parameter >= 0 ? s->a->p[a->by[j].parameter] : nsm_read_column(s, a->by[j].column);
    way[j] = size_of(at[j]) * (1 - 2 * fmod(0.6180339887498949 * (j + 1), 1));      // fixed: the same in every run
  }
  nsm_close(s);
  return NSM_OK;
}

// Richardson's table of differences over halves of a distance; the best entry, and how far the derivative is off it.
static void extrapolate(const answers *a, const double *way, const double *difference, int n, double *off) {
  *off = 0;
  for (int i = 0; i < a->nof; i++) {
    double row[LEVELS] = { 0 }, best = NAN, least = INFINITY, own = 0, terms = 0;
    for (int k = 0; k < n; k++) {
      double before = row[0];
      row[0] = difference[k * a->nof + i];
      for (int j = 1; j <= k; j++) {
        double next = row[j - 1] + (row[j - 1] - before) / (ldexp(1, 2 * j) - 1), change = fabs(next - row[j - 1]);
        if (change <= least) { least = change; best = next; }
        before = row[j];
        row[j] = next;
      }
    }
    for (int j = 0; j < a->nby; j++) {
      double x = a->d[i * a->nby + j] * way[j];
      own += x;
      terms += fabs(x);
    }
    double size = fmax(terms, fabs(a->value[i]) * 1e-3);
    if (size > 0) *off = fmax(*off, fabs(own - best) / size);
  }
}

nsm_code answers_check(answers *a, const nsm_settings *set, double *off, double *distance, nsm_error *e) {
  size_t np = (size_t)a->nby + 1, nf = (size_t)a->nof + 1;
  double *room = calloc(2 * np + nf * (LEVELS + 2), sizeof *room), far = 1.0 / 64;
  if (!room) return sim_no_memory(e, "differences");
  double *at = room, *way = room + np, *up = way + np, *down = up + nf, *difference = down + nf;
  int n = 0;
  nsm_code code = where(a, set, at, way, e);
  for (int k = 0; code == NSM_OK && k < LEVELS && n < 6; k++, far /= 2) {
    uint64_t above, below;
    nsm_error why = { .code = NSM_OK };
    int good = outputs(a, set, at, way, far, up, &above, &why) == NSM_OK &&
               outputs(a, set, at, way, -far, down, &below, &why) == NSM_OK;
    if (!good || above != a->sequence || below != a->sequence) { n = 0; continue; }
    if (n == 0) *distance = far;
    for (int i = 0; i < a->nof; i++) difference[n * a->nof + i] = (up[i] - down[i]) / (2 * far);
    n++;
  }
  if (code == NSM_OK && n < FEWEST) {
    sim_fail(e, NSM_FAILED, "--check: runs beside this one have other events, however near they are");
    code = NSM_FAILED;
  }
  if (code == NSM_OK) extrapolate(a, way, difference, n, off);
  free(room);
  return code;
}
