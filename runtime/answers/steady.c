// Periodic orbits of what is driven with a period T: Newton's method on P(Y) - Y = 0, with P the map of a period and
// its derivative, the monodromy matrix M, by the tangents of the run:
//
//     (M - I) dY = -(P(Y) - Y)
//
// A step that makes the residual larger is halved. The multipliers of the orbit are the eigenvalues of M. A state on
// which nothing depends, itself aside, as a counter of time, may grow from period to period: it is left out.
#include "analyse.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, HALVINGS = 8, FULL = 2 };
static const double settled = 1e-12, rounds = 64 * DBL_EPSILON;   // absolute; beside the largest state
static const double alone = 1e-9;        // of M - I: it has no inverse

// ---- what the state is ----------------------------------------------------------------------------------------------
// Columns of states that have a derivative; unknowns without inertia follow from these.
static int is_state(const nsm_sim *s, int c) {
  return nsm_kind_of_column(s, c) == NSM_COLUMN_STATE && !(s->a->algebraic && c <= s->a->nx &&
                                                           s->a->algebraic[s->a->nv + c - 1]);
}

static int take_names(steady *w, nsm_sim *s, nsm_error *e) {
  answers *a = &w->a;
  int most = nsm_ncolumn(s);
  a->of = calloc((size_t)most + 1, sizeof *a->of);
  a->by = calloc((size_t)most + 1, sizeof *a->by);
  a->text = calloc((size_t)most + 2, sizeof *a->text);
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
  size_t n = (size_t)w->n;
  w->re = calloc(n + 1, sizeof(double));
  w->im = calloc(n + 1, sizeof(double));
  w->r = calloc(n + 1, sizeof(double));
  w->M = calloc(n * n + 1, sizeof(double));
  w->drifts = calloc(n + 1, 1);
  if (!w->re || !w->im || !w->r || !w->M || !w->drifts) return sim_no_memory(e, "an orbit"), 0;
  if (w->n > 0) return 1;
  sim_fail(e, NSM_USAGE, "the model has no states, so every period is like the one before");
  return 0;
}

// ---- a period -------------------------------------------------------------------------------------------------------
// P(y) - y [n], its derivative M [n, n], and the largest of it.
typedef struct defect { double *r, *M, most; } defect;

// begin: [n] the start of the model.
static nsm_code period(steady *w, const nsm_settings *set, const double *begin, const double *y, defect *d,
                       nsm_error *e) {
  double *start = calloc((size_t)w->n + 1, sizeof *start);
  if (!start) return sim_no_memory(e, "a period");
  for (int i = 0; i < w->n; i++) start[i] = y[i] - begin[i];
  nsm_code code = answers_take(&w->a, set, start, 1, e);
  free(start);
  if (code != NSM_OK) return code;
  d->most = 0;
  for (int i = 0; i < w->n; i++) {
    d->r[i] = w->a.value[i] - y[i];
    if (!w->drifts[i]) d->most = fmax(d->most, fabs(d->r[i]));
    for (int j = 0; j < w->n; j++) d->M[i + (size_t)j * (size_t)w->n] = w->a.d[i * w->n + j];
  }
  return NSM_OK;
}

static void find_drifts(steady *w) {
  for (int j = 0; j < w->n; j++) {
    const double *column = w->M + (size_t)j * (size_t)w->n;
    int own = w->r[j] != 0;
    for (int i = 0; i < w->n; i++) own &= fabs(column[i] - (i == j)) <= 1e-12;
    w->drifts[j] = (unsigned char)own;
  }
  w->residual = 0;
  for (int i = 0; i < w->n; i++) if (!w->drifts[i]) w->residual = fmax(w->residual, fabs(w->r[i]));
}

// dY into step. 0: M - I has no inverse.
static int newton_step(const steady *w, double *A, int *pivot, double *step) {
  size_t n = (size_t)w->n;
  for (size_t i = 0; i < n * n; i++) A[i] = w->M[i];
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; w->drifts[i] && j < n; j++) A[i + j * n] = 0;
    A[i * (n + 1)] -= 1;
    step[i] = w->drifts[i] ? 0 : -w->r[i];
  }
  if (nsm_la_lu_factor(w->n, A, w->n, pivot).code != NSM_LA_OK) return 0;
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < n; i++) {
    least = fmin(least, fabs(A[i * (n + 1)]));
    most = fmax(most, fabs(A[i * (n + 1)]));
  }
  if (!(least > alone * most)) return 0;
  nsm_la_lu_solve(w->n, 1, A, w->n, pivot, step, w->n);
  return 1;
}

static double size_of(const steady *w) {
  double most = 0;
  for (int i = 0; i < w->n; i++) most = fmax(most, fabs(w->y[i]));
  return most;
}

// ---- Newton's method ------------------------------------------------------------------------------------------------
static nsm_code refuse(nsm_error *e, const char *why) {
  sim_fail(e, NSM_FAILED, "no periodic orbit was found: %s", why);
  return NSM_FAILED;
}

// The step, or a part of it that makes the residual smaller; `room` [n (n + 4)].
static nsm_code advance(steady *w, const nsm_settings *set, const double *begin, double *room, int *pivot,
                        nsm_error *e) {
  size_t n = (size_t)w->n;
  double *step = room + n * n, *tried = step + n, part = 1;
  defect d = { .r = tried + n, .M = room };
  if (!newton_step(w, room, pivot, step))
    return refuse(e, "a multiplier is 1, as of a motion that nothing drives with this period");
  for (int k = 0; k < HALVINGS; k++, part *= 0.5) {
    for (size_t i = 0; i < n; i++) tried[i] = w->y[i] + part * step[i];
    nsm_error why = { .code = NSM_OK };
    nsm_code code = period(w, set, begin, tried, &d, &why);
    if (code != NSM_OK && code != NSM_FAILED) { *e = why; return code; }
    int good = code == NSM_OK && (d.most < w->residual || w->iterations < FULL);
    if (!good) continue;
    memcpy(w->y, tried, n * sizeof *tried);
    memcpy(w->r, d.r, n * sizeof *d.r);
    memcpy(w->M, d.M, n * n * sizeof *d.M);
    w->residual = d.most;
    return NSM_OK;
  }
  return refuse(e, "no part of a step of Newton's method brings the end of a period nearer to its begin");
}

static nsm_code newton(steady *w, const nsm_settings *set, nsm_error *e) {
  size_t n = (size_t)w->n;
  double *room = calloc(n * n + 5 * n + 1, sizeof *room), *begin = room ? room + n * n + 4 * n : NULL;
  int *pivot = calloc(n + 1, sizeof *pivot);
  nsm_code code = room && pivot ? NSM_OK : sim_no_memory(e, "an orbit");
  if (code == NSM_OK) {
    memcpy(begin, w->y, n * sizeof *begin);
    defect d = { .r = w->r, .M = w->M };
    code = period(w, set, begin, w->y, &d, e);
    w->residual = d.most;
    if (code == NSM_OK) find_drifts(w);
  }
  while (code == NSM_OK && w->residual > fmax(settled, rounds * size_of(w))) {
    if (w->iterations >= MOST) { code = refuse(e, "40 steps of Newton's method do not settle it"); break; }
    code = advance(w, set, begin, room, pivot, e);
    w->iterations++;
  }
  free(room);
  free(pivot);
  return code;
}

// Larger first, of a pair the one above first.
static void sort(steady *w) {
  for (int i = 1; i < w->nmultiplier; i++)
    for (int j = i; j > 0; j--) {
      double a = hypot(w->re[j - 1], w->im[j - 1]), b = hypot(w->re[j], w->im[j]);
      if (b < a * (1 + 1e-12) && !(fabs(a - b) <= 1e-12 * a && w->im[j] > w->im[j - 1])) break;
      double re = w->re[j], im = w->im[j];
      w->re[j] = w->re[j - 1];
      w->im[j] = w->im[j - 1];
      w->re[j - 1] = re;
      w->im[j - 1] = im;
    }
}

// The period after this one is the same: discrete variables that matter are as they were.
static nsm_code repeats(const steady *w, const nsm_settings *set, nsm_error *e) {
  nsm_settings own = *set;
  own.until += w->period;
  nsm_sim *s = nsm_open(w->a.m, &own, e);
  if (!s) return e->code;
  for (int i = 0; i < w->n; i++) nsm_write_column(s, w->a.by[i].column, w->y[i], NULL);
  nsm_code code = nsm_advance(s, nsm_steps_total(s), e);
  double off = 0;
  for (int i = 0; i < w->n; i++)
    if (!w->drifts[i]) off = fmax(off, fabs(nsm_read_column(s, w->a.by[i].column) - w->y[i]));
  nsm_close(s);
  double most = 1;
  for (int i = 0; i < w->nmultiplier; i++) most = fmax(most, hypot(w->re[i], w->im[i]));
  if (code != NSM_OK || off <= 1e-6 * most * most * fmax(size_of(w), 1e-6)) return code;
  return refuse(e, "the next period is another one: is the period a multiple of that of what drives the model, and of "
                "its discrete variables?");
}

// Eigenvalues of M without the states that drift.
static nsm_code multipliers(steady *w, nsm_error *e) {
  size_t n = (size_t)w->n, m = 0;
  double *A = malloc((n * n + 1) * sizeof *A);
  if (!A) return sim_no_memory(e, "multipliers");
  for (size_t i = 0; i < n; i++) w->nmultiplier += !w->drifts[i];
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n && !w->drifts[j]; i++) if (!w->drifts[i]) A[m++] = w->M[i + j * n];
  int found = nsm_la_eigenvalues(w->nmultiplier, A, w->re, w->im);
  free(A);
  if (!found) return refuse(e, "its multipliers were not found");
  sort(w);
  return NSM_OK;
}

nsm_code steady_find(steady *w, const nsm_settings *set, nsm_error *e) {
  nsm_sim *s = nsm_open(w->a.m, set, e);
  if (!s) return e->code;
  nsm_settings own = *set;
  own.until = s->a->start + w->period;
  nsm_code code = take_names(w, s, e) ? NSM_OK : e->code;
  nsm_close(s);
  if (code == NSM_OK) code = newton(w, &own, e);
  if (code == NSM_OK && w->a.grazing > 0) {
    sim_fail(e, NSM_FAILED, "the orbit grazes: %s is hit at t = %.10g s with no speed, and has no multipliers there",
             w->a.grazer, w->a.grazed);
    code = NSM_FAILED;
  }
  if (code == NSM_OK) code = multipliers(w, e);
  return code == NSM_OK ? repeats(w, &own, e) : code;
}

void steady_free(steady *w) {
  answers_free(&w->a);
  free(w->y);
  free(w->re);
  free(w->im);
  free(w->M);
  free(w->r);
  free(w->drifts);
}
