// Where to look for a free orbit: a run that has settled, from a point of it to its next return through the plane
// across the motion there, if that is near. The point is far from events, so that none
// moves over the begin of a period.
#include "analyse.h"
#include "runtime/assembly/assembly.h"
#include <stdlib.h>
#include <string.h>

static const double near_enough = 0.1;   // of the ranges of states

// Rows of states [most, n] from the end of the run on, with their times.
// far: of each row the time to the event before it.
typedef struct trace { double *y, *t, *range, *far; unsigned char *turns; long n, most; double event; } trace;

// Of sets: a block may be where the orbit begins.
static void take_event(void *with, const nsm_located_event *event) {
  if (strcmp(event->kind, "when") != 0) ((trace *)with)->event = event->time;
}

static nsm_code record(const steady *w, nsm_sim *s, trace *r, nsm_error *e) {
  size_t n = (size_t)w->n;
  long total = nsm_steps_total(s), settle = total / 2;
  nsm_code code = nsm_advance(s, settle, e);
  r->most = total - settle + 1;
  r->y = calloc((size_t)r->most * n + 1, sizeof(double));
  r->t = calloc((size_t)r->most + 1, sizeof(double));
  r->far = calloc((size_t)r->most + 1, sizeof(double));
  r->event = nsm_time(s);
  nsm_on_event(s, take_event, r);
  if (!r->y || !r->t || !r->far) return sim_no_memory(e, "a free orbit");
  while (code == NSM_OK) {
    for (size_t i = 0; i < n; i++) r->y[(size_t)r->n * n + i] = nsm_read_column(s, w->a.by[i].column);
    r->t[r->n] = nsm_time(s);
    r->far[r->n++] = nsm_time(s) - r->event;
    if (r->n >= r->most) break;
    code = nsm_step(s, e);
    if (code == NSM_OK && sim_interrupted(s)) code = NSM_INTERRUPTED;
  }
  return code == NSM_STOPPED && r->n > 2 ? NSM_OK : code;
}

// The row of the first third that has the longest time to events before and behind it is made the first.
static void start_far_from_events(const steady *w, trace *r) {
  double behind = INFINITY, most = -1;
  if (!(r->event > r->t[0])) return;
  long at = 0;
  for (long k = r->n - 1; k >= 0; k--) {
    if (k < r->n / 3 && fmin(r->far[k], behind) > most) { most = fmin(r->far[k], behind); at = k; }
    if (k > 0 && r->far[k] < r->far[k - 1]) behind = r->far[k];
    behind += k > 0 ? r->t[k] - r->t[k - 1] : 0;
  }
  r->n -= at;
  memmove(r->y, r->y + (size_t)at * (size_t)w->n, (size_t)r->n * (size_t)w->n * sizeof *r->y);
  memmove(r->t, r->t + at, (size_t)r->n * sizeof *r->t);
}

// Ranges; a state that only rises or falls, as a counter does, is not looked at, nor one that is all round-off.
static int measure(const steady *w, trace *r) {
  size_t n = (size_t)w->n;
  int any = 0;
  double largest = 0;
  for (size_t i = 0; i < (size_t)r->n * n; i++) largest = fmax(largest, fabs(r->y[i]));
  for (size_t i = 0; i < n; i++) {
    double lo = INFINITY, hi = -INFINITY, size = 0;
    int up = 0, down = 0;
    for (long k = 0; k < r->n; k++) {
      double y = r->y[(size_t)k * n + i], step = k > 0 ? y - r->y[(size_t)(k - 1) * n + i] : 0;
      lo = fmin(lo, y);
      hi = fmax(hi, y);
      size = fmax(size, fabs(y));
      up |= step > 0;
      down |= step < 0;
    }
    r->range[i] = hi - lo;
    r->turns[i] = up && down && hi - lo > fmax(1e-6 * size, 1e-12 * largest);
    any |= r->turns[i];
  }
  return any;
}

// (y_k - y_0) along y_1 - y_0, both beside their ranges; *far: how far y_k is from y_0.
static double along(const steady *w, const trace *r, long k, double *far) {
  size_t n = (size_t)w->n;
  double sum = 0, distance = 0;
  for (size_t i = 0; i < n; i++) {
    if (!r->turns[i]) continue;
    double way = (r->y[n + i] - r->y[i]) / r->range[i], off = (r->y[(size_t)k * n + i] - r->y[i]) / r->range[i];
    sum += way * off;
    distance += off * off;
  }
  *far = sqrt(distance);
  return sum;
}

static int find_return(const steady *w, const trace *r, double *period) {
  double far, before = 0;
  int left = 0;
  for (long k = 1; k < r->n; k++) {
    double now = along(w, r, k, &far);
    left |= far > 3 * near_enough || now < 0;
    if (left && before < 0 && now >= 0 && far < near_enough) {
      double part = before / (before - now);
      *period = r->t[k - 1] + part * (r->t[k] - r->t[k - 1]) - r->t[0];
      return 1;
    }
    before = now;
  }
  return 0;
}

nsm_code steady_guess(steady *w, const nsm_settings *set, nsm_error *e) {
  nsm_settings own = *set;
  nsm_sim *s = nsm_open(w->a.m, &own, e);
  if (!s) return e->code;
  own.until = s->a->until + (s->a->until - s->a->start);
  nsm_close(s);
  if (!(s = nsm_open(w->a.m, &own, e))) return e->code;
  size_t n = (size_t)w->n;
  trace r = { .range = calloc(n + 1, sizeof(double)), .turns = calloc(n + 1, 1) };
  nsm_code code = r.range && r.turns ? record(w, s, &r, e) : sim_no_memory(e, "a free orbit");
  if (code == NSM_OK) start_far_from_events(w, &r);
  for (long k = 1; k < r.n && code == NSM_OK; k++) manifold_near(w, r.y, r.y + (size_t)k * n);
  if (code == NSM_OK && !measure(w, &r)) {
    sim_fail(e, NSM_FAILED, "no periodic orbit was found: the run has come to rest, or only goes on; --equilibrium "
             "finds rest, --period T is for what is driven");
    code = NSM_FAILED;
  }
  if (code == NSM_OK && !find_return(w, &r, &w->period)) {
    sim_fail(e, NSM_FAILED, "no periodic orbit was found: in [%.6g s, %.6g s] the run does not come back to where it "
             "is at %.6g s; a longer --until lets it settle", r.t[0], r.t[r.n - 1], r.t[0]);
    code = NSM_FAILED;
  }
  if (code == NSM_OK) {
    memcpy(w->y, r.y, n * sizeof *w->y);
    memcpy(w->turns, r.turns, n);
  }
  free(r.y);
  free(r.t);
  free(r.range);
  free(r.far);
  free(r.turns);
  nsm_close(s);
  return code;
}
