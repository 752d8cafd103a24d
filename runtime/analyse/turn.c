// The map P of a period: what the state is, and P with its derivatives by the state at the begin, by the length of the
// period, and by a parameter, at the same begin. Where laws bind the state (manifold.c), derivatives are those of its
// coordinates by these.
#include "analyse.h"
#include "runtime/answers/aligned.h"
#include <stdlib.h>
#include <string.h>

static const double turned_same = 1e-7;  // beside the largest state

// ---- what the state is ----------------------------------------------------------------------------------------------
// Columns of states that have a derivative; unknowns without inertia follow from these.
static int is_state(const nsm_sim *s, int c) {
  return nsm_kind_of_column(s, c) == NSM_COLUMN_STATE && !(s->a->algebraic && c <= s->a->nx &&
                                                           s->a->algebraic[s->a->nv + c - 1]);
}

static int take_names(steady *w, nsm_sim *s, nsm_error *e) {
  answers *a = &w->a;
  int most = nsm_ncolumn(s);
  a->of = calloc(2 * (size_t)most + 1, sizeof *a->of);
  a->by = calloc((size_t)most + 2, sizeof *a->by);
  a->text = calloc((size_t)most + 4, sizeof *a->text);
  w->y = calloc((size_t)most + 1, sizeof *w->y);
  if (!a->of || !a->by || !a->text || !w->y) return sim_no_memory(e, "an orbit"), 0;
  for (int c = 1; c < most; c++) {
    if (!is_state(s, c)) continue;
    answers_of *of = &a->of[w->n];
    *of = (answers_of){ .kind = NSM_STAT_FINAL, .column = c, .row = -1, .scale = nsm_column_scale(s, c) };
    snprintf(of->name, sizeof of->name, "%.250s", nsm_column_name(s, c));
    a->text[w->n] = strdup(of->name);
    if (!a->text[w->n]) return sim_no_memory(e, "an orbit"), 0;
    a->by[w->n] = (play_name){ a->text[w->n], -1, c, of->scale };
    w->y[w->n++] = nsm_read_column(s, c);
  }
  a->nof = a->nby = w->n;
  if (w->free || w->vary) a->by[a->nby++] = (play_name){ "the period", -1, -1, 1 };
  if (w->vary) {
    a->by[a->nby++] = (play_name){ w->vary, w->vary_at, -1, 1 };
    a->nof = 2 * w->n;                  // and the begin, which may hang on the parameter
    for (int i = 0; i < w->n; i++) {
      a->of[w->n + i] = a->of[i];
      a->of[w->n + i].kind = NSM_STAT_INITIAL;
    }
  }
  size_t n = (size_t)w->n;
  w->re = calloc(n + 1, sizeof(double));
  w->im = calloc(n + 1, sizeof(double));
  w->r = calloc(n + 1, sizeof(double));
  w->M = calloc(n * n + 1, sizeof(double));
  w->drifts = calloc(n + 1, 1);
  w->turns = calloc(n + 1, 1);
  w->flow = calloc(n + 1, sizeof(double));
  w->across = calloc(n + 1, sizeof(double));
  w->begin = calloc(n + 1, sizeof(double));
  w->by_p = calloc(n + 1, sizeof(double));
  w->error = calloc(2 * n * (n + 2) + 1, sizeof(double));
  if (!w->re || !w->im || !w->r || !w->M || !w->drifts || !w->flow || !w->across || !w->begin || !w->error ||
      !w->turns || !w->by_p)
    return sim_no_memory(e, "an orbit"), 0;
  if (w->n > 0) return 1;
  sim_fail(e, NSM_USAGE, "the model has no states, so every period is like the one before");
  return 0;
}

nsm_code steady_names(steady *w, nsm_sim *s, nsm_error *e) {
  if (s->a->ndelay > 0) {
    sim_fail(e, NSM_USAGE, "E0772: what is delayed belongs to the state, which is more than numbers then: orbits and "
             "exponents of such models are not found yet");
    return NSM_USAGE;
  }
  if (!take_names(w, s, e) || manifold_open(w, s, e) != NSM_OK) return e->code;
  memcpy(w->begin, w->y, (size_t)w->n * sizeof *w->y);
  return NSM_OK;
}

// ---- a period -------------------------------------------------------------------------------------------------------
// The start of the model at the parameter of now.
static nsm_code begin(steady *w, const nsm_settings *set, nsm_error *e) {
  nsm_sim *s = nsm_open(w->a.m, set, e);
  if (!s) return e->code;
  for (int i = 0; i < w->n; i++) w->begin[i] = nsm_read_column(s, w->a.by[i].column);
  nsm_close(s);
  return NSM_OK;
}

nsm_code steady_after(const steady *w, const nsm_settings *set, const double *y, double length, double *to,
                      nsm_error *e) {
  nsm_settings own = steady_settings(w, set, w->period);
  own.until = w->start + length;
  nsm_sim *s = nsm_open(w->a.m, &own, e);
  if (!s) return e->code;
  for (int i = 0; y && i < w->n; i++) nsm_write_column(s, w->a.by[i].column, y[i], NULL);
  nsm_code code = nsm_advance(s, nsm_steps_total(s), e);
  for (int i = 0; i < w->n; i++) to[i] = nsm_read_column(s, w->a.by[i].column);
  nsm_close(s);
  if (y) manifold_near(w, y, to);
  return code;
}

void steady_same_signs(const steady *w, answers *a, const double *y) {
  for (int k = 0; k < w->on.quaternions; k++) {
    const int *q = w->on.quaternion + 4 * (size_t)k;
    int turned = manifold_turned(w, k, y, a->value);
    for (int c = 0; turned && c < 4; c++) {
      double *d = a->d + (size_t)q[c] * (size_t)a->nby;
      for (int j = 0; j < a->nby; j++) d[j] = -d[j];
      a->value[q[c]] = -a->value[q[c]];
    }
  }
}

// Whole turns of angles within a period, where a run from a begin that is turned by them ends just as much turned.
static nsm_code find_turns(steady *w, const nsm_settings *set, const double *y, double length, nsm_error *e) {
  size_t n = (size_t)w->n;
  double *from = calloc(3 * n + 1, sizeof *from), *to = from + n, most = 0, off = 0;
  if (!from) return sim_no_memory(e, "a period");
  int any = 0;
  for (size_t i = 0; i < n; i++) {
    double turns = w->on.angle[i] ? round((w->a.value[i] - y[i]) / MANIFOLD_TURN) : 0;
    from[i] = y[i] + MANIFOLD_TURN * turns;
    any |= turns != 0;
    most = fmax(most, fabs(y[i]));
  }
  steady of = *w;
  of.period = length;
  of.on.turns = (unsigned char *)(to + n);                 // none: turns are to be seen
  nsm_code code = any ? steady_after(&of, set, from, length, to, e) : NSM_OK;
  for (size_t i = 0; i < n && code == NSM_OK; i++)
    off = fmax(off, fabs(to[i] - w->a.value[i] - (from[i] - y[i])));
  memset(w->on.whole, 0, n * sizeof *w->on.whole);
  for (size_t i = 0; i < n && code == NSM_OK && any && off <= turned_same * most; i++) {
    w->on.whole[i] = (int)round((from[i] - y[i]) / MANIFOLD_TURN);
    w->on.turns[i] |= w->on.whole[i] != 0;
  }
  free(from);
  return code == NSM_INTERRUPTED || code == NSM_OK ? code : NSM_OK;
}

nsm_code steady_come_near(steady *w, const nsm_settings *set, const double *y, double length, nsm_error *e) {
  steady_same_signs(w, &w->a, y);
  nsm_code code = find_turns(w, set, y, length, e);
  if (code == NSM_OK) manifold_near(w, y, w->a.value);
  return code;
}

// By the parameter that is followed: what the begin moves by with it is taken off, but for what it has to.
static nsm_code by_parameter(steady *w, const nsm_settings *o, const double *y, turn *to, nsm_error *e) {
  size_t n = (size_t)w->n, nby = (size_t)w->a.nby;
  double *v = calloc(n + 1, sizeof *v);
  nsm_code code = !v ? sim_no_memory(e, "a period") : w->on.any ? manifold_by_parameter(w, o, y, v, e) : NSM_OK;
  for (size_t i = 0; i < n && code == NSM_OK; i++) {
    const double *d = w->a.d + i * nby;
    to->by_p[i] = d[n + 1];
    for (size_t j = 0; j < n; j++) to->by_p[i] += d[j] * (v[j] - w->a.d[(n + j) * nby + n + 1]);
  }
  free(v);
  return code;
}

nsm_code steady_turn(steady *w, const nsm_settings *o, const double *y, double length, turn *to, nsm_error *e) {
  nsm_settings set = steady_settings(w, o, length);
  int n = w->n;
  double *start = calloc((size_t)n + 1, sizeof *start);
  nsm_code code = start ? NSM_OK : sim_no_memory(e, "a period");
  if (code == NSM_OK && w->vary) code = begin(w, &set, e);
  for (int i = 0; code == NSM_OK && i < n; i++) start[i] = y[i] - w->begin[i];
  if (code == NSM_OK) code = w->levels > 0 ? aligned_refine(&w->a, &set, start, w->levels, w->error, e)
                                           : answers_take(&w->a, &set, start, 1, e);
  free(start);
  if (code == NSM_OK) code = manifold_tangent(w, o, y, e);
  if (code == NSM_OK) code = steady_come_near(w, o, y, length, e);
  if (code != NSM_OK) return code;
  if (to->by_p) code = by_parameter(w, o, y, to, e);
  to->most = 0;
  for (int i = 0; i < n; i++) {
    double *d = w->a.d + (size_t)i * (size_t)w->a.nby;
    int follows = manifold_follows(w, i);
    manifold_along(w, d);
    to->r[i] = w->a.value[i] - y[i];
    if (steady_comes_back(w, i)) to->most = fmax(to->most, fabs(to->r[i]));
    for (int j = 0; j < n; j++) to->M[i + (size_t)j * (size_t)n] = follows ? 0 : d[j];
    if (w->free || w->vary) to->flow[i] = d[n];
  }
  return code;
}

nsm_code steady_run(const steady *w, const nsm_settings *set, nsm_event_hook *hook, void *with, nsm_error *e) {
  nsm_settings own = steady_settings(w, set, w->period);
  nsm_sim *s = nsm_open(w->a.m, &own, e);
  if (!s) return e->code;
  for (int i = 0; i < w->n; i++) nsm_write_column(s, w->a.by[i].column, w->y[i], NULL);
  nsm_on_event(s, hook, with);
  nsm_code code = nsm_advance(s, nsm_steps_total(s), e);
  nsm_close(s);
  return code;
}
