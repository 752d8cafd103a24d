// The map P of a period: what the state is, and P with its derivatives by the state at the begin, by the length of the
// period, and by a parameter, at the same begin.
#include "analyse.h"
#include "runtime/answers/aligned.h"
#include <stdlib.h>
#include <string.h>

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
  if (!take_names(w, s, e)) return e->code;
  memcpy(w->begin, w->y, (size_t)w->n * sizeof *w->y);
  return NSM_OK;
}

// ---- a period -------------------------------------------------------------------------------------------------------
nsm_settings steady_settings(const steady *w, const nsm_settings *set, double length) {
  nsm_settings own = *set;
  own.start = w->start;
  own.until = w->start + length;
  if (w->steps > 0) own.step = length / (double)w->steps;
  if (!w->vary) return own;
  if (set->nset > 0) memcpy(w->with_p, set->set, (size_t)set->nset * sizeof *w->with_p);
  w->with_p[own.nset++] = (nsm_assignment){ w->vary, w->p };
  own.set = w->with_p;
  return own;
}

// The start of the model at the parameter of now.
static nsm_code begin(steady *w, const nsm_settings *set, nsm_error *e) {
  nsm_sim *s = nsm_open(w->a.m, set, e);
  if (!s) return e->code;
  for (int i = 0; i < w->n; i++) w->begin[i] = nsm_read_column(s, w->a.by[i].column);
  nsm_close(s);
  return NSM_OK;
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
  if (code != NSM_OK) return code;
  to->most = 0;
  for (int i = 0; i < n; i++) {
    const double *d = w->a.d + (size_t)i * (size_t)w->a.nby;
    to->r[i] = w->a.value[i] - y[i];
    if (!w->drifts[i]) to->most = fmax(to->most, fabs(to->r[i]));
    for (int j = 0; j < n; j++) to->M[i + (size_t)j * (size_t)n] = d[j];
    if (w->free || w->vary) to->flow[i] = d[n];
    if (!to->by_p) continue;
    to->by_p[i] = d[n + 1];
    for (int j = 0; j < n; j++) to->by_p[i] -= d[j] * w->a.d[(size_t)(n + j) * (size_t)w->a.nby + (size_t)n + 1];
  }
  return NSM_OK;
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
