// Where no orbit of a driven model is found from its start. Two reasons are common: the motion of the first period
// meets nothing, so that (M - I) has no inverse there; or an event falls on the begin of the period, where the map P
// has no derivative. So the search goes on from states that the run of the model has later, of periods that begin at
// other phases of the drive. An orbit that is found so is followed to the begin that was asked for; where it has none
// there, by an event, it keeps the begin it has, and `begin` says when that is.
#include "analyse.h"
#include <stdlib.h>
#include <string.h>

typedef struct later { long periods; double phase; } later;
static const later tries[] = { { 4, 0 }, { 4, 0.382 }, { 4, 0.618 }, { 20, 0.146 }, { 20, 0 } };

// What the states at the begin are measured from: the start of the model, which is moved onto its laws at that time.
static nsm_code begin_at(steady *w, const nsm_settings *set, double start, nsm_error *e) {
  w->start = start;
  nsm_settings own = steady_settings(w, set, w->period);
  nsm_sim *s = nsm_open(w->a.m, &own, e);
  if (!s) return e->code;
  for (int i = 0; i < w->n; i++) w->begin[i] = nsm_read_column(s, w->a.by[i].column);
  nsm_close(s);
  return NSM_OK;
}

// From the begin that was found to `start`, a period after the one before it.
static nsm_code back(steady *w, const nsm_settings *set, double start, nsm_error *e) {
  double rest = start + w->period - w->start;
  nsm_code code = rest > 0 ? steady_after(w, set, w->y, rest, w->y, e) : NSM_OK;
  if (code == NSM_OK) code = begin_at(w, set, start, e);
  return code == NSM_OK ? steady_settle(w, set, e) : code;
}

static nsm_code from_later(steady *w, const nsm_settings *set, const later *t, double start, nsm_error *e) {
  double ahead = t->phase * w->period, length = (double)t->periods * w->period + ahead;
  w->start = start;
  nsm_code code = steady_after(w, set, NULL, length, w->y, e);
  if (code == NSM_OK) code = begin_at(w, set, start + ahead, e);
  return code == NSM_OK ? steady_settle(w, set, e) : code;
}

nsm_code steady_find_later(steady *w, const nsm_settings *set, nsm_error *e) {
  nsm_code first = steady_find(w, set, e), code = first;
  if (first != NSM_FAILED || w->free || w->a.grazing > 0) return first;
  double start = w->start, *y = calloc((size_t)w->n + 1, sizeof *y);
  if (!y) return sim_no_memory(e, "an orbit");
  for (size_t i = 0; code != NSM_OK && code != NSM_INTERRUPTED && i < sizeof tries / sizeof *tries; i++) {
    nsm_error why = { .code = NSM_OK };
    if (w->clocked && tries[i].phase > 0) continue;        // instants of `every` would begin with the period
    code = from_later(w, set, &tries[i], start, &why);
    if (code != NSM_OK || w->start == start) continue;
    double begin = w->start;
    memcpy(y, w->y, (size_t)w->n * sizeof *y);
    if (back(w, set, start, &why) == NSM_OK) continue;
    memcpy(w->y, y, (size_t)w->n * sizeof *y);
    code = begin_at(w, set, begin, &why);
    if (code == NSM_OK) code = steady_settle(w, set, &why);
  }
  free(y);
  if (code == NSM_OK) return code;
  w->start = start;
  return code == NSM_INTERRUPTED ? code : first;
}
