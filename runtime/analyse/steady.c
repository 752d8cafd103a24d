// Periodic orbits of what is driven with a period T: Newton's method on P(Y) - Y = 0, with P the map of a period and
// its derivative, the monodromy matrix M, by the tangents of the run:
//
//     (M - I) dY = -(P(Y) - Y)
//
// Of a free motion the period T is unknown as well, and Y moves across the motion of the start c = dP/dT:
//
//     (M - I) dY + (dP/dT) dT = -(P(Y) - Y),    c . dY = 0
//
// with T/h kept as the step h follows T. A step that makes the residual larger is halved. The multipliers of the orbit
// are the eigenvalues of M. A state on which nothing depends, itself aside, as a counter of time, may grow from period
// to period: it is left out. P and M are those of the scheme, or of steps that are aligned to events, extrapolated.
#include "analyse.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, HALVINGS = 8, FULL = 2 };
static const double longer = 0.3;        // most that a step changes the period, beside it
static const double settled = 1e-12, rounds = 64 * DBL_EPSILON;   // absolute; beside the largest state
static const double alone = 1e-9;        // of M - I: it has no inverse
static const char one_of_many[] = "more than one multiplier is 1: it is one of many orbits";

// ---- a step of the method -------------------------------------------------------------------------------------------
static double size_of(const steady *w) {
  double most = 0;
  for (int i = 0; i < w->n; i++) most = fmax(most, fabs(w->y[i]));
  return most;
}

static double round_off(const steady *w) { return fmax(settled, rounds * size_of(w)); }

// Nothing depends on state j but itself, and those that drift where `beside` says so.
static int is_own(const steady *w, int j, int beside) {
  const double *column = w->M + (size_t)j * (size_t)w->n;
  int own = !manifold_follows(w, j);
  for (int i = 0; i < w->n; i++) own &= (beside && w->drifts[i]) || fabs(column[i] - (i == j)) <= 1e-12;
  return own;
}

// On a state that drifts nothing depends, itself aside. Of what is driven a state that stays drifts, too, where only
// such states depend on it: a speed along which nothing acts. Where a free orbit moves in such states alone, as one
// that sticks does, those that turn say where on it one is.
void steady_drifts(steady *w) {
  double most = 0, others = 0;
  for (int j = 0; j < w->n; j++) w->drifts[j] = (unsigned char)is_own(w, j, 0);
  for (int any = !w->free; any;) {
    any = 0;
    for (int j = 0; j < w->n; j++) {
      if (w->drifts[j] || !(fabs(w->r[j]) <= round_off(w)) || !is_own(w, j, 1)) continue;
      any = w->drifts[j] = 1;
    }
  }
  for (int j = 0; j < w->n; j++) {
    most = fmax(most, fabs(w->flow[j]));
    if (steady_comes_back(w, j)) others = fmax(others, fabs(w->flow[j]));
  }
  for (int j = 0; j < w->n && w->free && others <= 1e-12 * most; j++) w->drifts[j] &= !w->turns[j];
  w->residual = 0;
  for (int i = 0; i < w->n; i++) if (steady_comes_back(w, i)) w->residual = fmax(w->residual, fabs(w->r[i]));
}

// dY, and of a free orbit dT, into step. 0: the matrix has no inverse.
static int newton_step(const steady *w, double *A, int *pivot, double *step) {
  size_t n = (size_t)w->n, all = n + (size_t)w->free;
  for (size_t i = 0; i < n; i++) {
    int in = steady_comes_back(w, (int)i);
    for (size_t j = 0; j < n; j++) A[i + j * all] = in ? w->M[i + j * n] : 0;
    A[i * (all + 1)] -= 1;
    step[i] = in ? -w->r[i] : 0;
    if (!w->free) continue;
    A[i + n * all] = in ? w->flow[i] : 0;
    A[n + i * all] = in ? w->across[i] : 0;
  }
  if (w->free) A[n + n * all] = step[n] = 0;
  if (nsm_la_lu_factor((int)all, A, (int)all, pivot).code != NSM_LA_OK) return 0;
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < all; i++) {
    least = fmin(least, fabs(A[i * (all + 1)]));
    most = fmax(most, fabs(A[i * (all + 1)]));
  }
  if (!(least > alone * most)) return 0;
  nsm_la_lu_solve((int)all, 1, A, (int)all, pivot, step, (int)all);
  return 1;
}

// ---- Newton's method ------------------------------------------------------------------------------------------------
static nsm_code refuse(nsm_error *e, const char *why) {
  sim_fail(e, NSM_FAILED, "no periodic orbit was found: %s", why);
  return NSM_FAILED;
}

// The step, or a part of it that makes the residual smaller; `room` [(n + 1) (2 n + 8)].
static nsm_code advance(steady *w, const nsm_settings *o, double *room, int *pivot, nsm_error *e) {
  size_t n = (size_t)w->n, all = n + 1;
  double *step = room + all * all, *tried = step + all, part = 1;
  turn t = { tried + all, tried + 2 * all, tried + 2 * all + n * n, NULL, 0 };
  if (!newton_step(w, room, pivot, step))
    return refuse(e, w->free ? one_of_many
                                 : "a multiplier is 1, as of a motion that nothing drives with this period, or that "
                                   "meets nothing within it; where an event falls on its begin, --start or other "
                                   "initial values move that");
  manifold_way(w, step);
  if (w->free && fabs(step[n]) > longer * w->period) part = longer * w->period / fabs(step[n]);
  for (int k = 0; k < HALVINGS; k++, part *= 0.5) {
    double length = w->period + (w->free ? part * step[n] : 0);
    for (size_t i = 0; i < n; i++) tried[i] = w->y[i] + part * step[i];
    nsm_error why = { .code = NSM_OK };
    nsm_code code = manifold_onto(w, o, tried, &why);
    if (code == NSM_OK) code = steady_turn(w, o, tried, length, &t, &why);
    if (code != NSM_OK && code != NSM_FAILED) { *e = why; return code; }
    int good = code == NSM_OK && (t.most < w->residual || w->iterations < FULL);
    if (!good) continue;
    memcpy(w->y, tried, n * sizeof *tried);
    memcpy(w->r, t.r, n * sizeof *t.r);
    memcpy(w->M, t.M, n * n * sizeof *t.M);
    memcpy(w->flow, t.flow, n * sizeof *t.flow);
    w->residual = t.most;
    w->period = length;
    return NSM_OK;
  }
  return refuse(e, w->free ? "no part of a step of Newton's method brings the end of a period nearer to its begin; "
                                 "--period T is for what is driven"
                               : "no part of a step of Newton's method brings the end of a period nearer to its begin");
}

static nsm_code newton(steady *w, const nsm_settings *o, nsm_error *e) {
  size_t n = (size_t)w->n;
  double *room = calloc((n + 1) * (2 * n + 8), sizeof *room);
  int *pivot = calloc(n + 2, sizeof *pivot);
  nsm_code code = room && pivot ? NSM_OK : sim_no_memory(e, "an orbit");
  if (code == NSM_OK) {
    turn t = { w->r, w->M, w->flow, NULL, 0 };
    code = manifold_begin(w, o, w->y, e);
    if (code == NSM_OK) code = steady_turn(w, o, w->y, w->period, &t, e);
    w->residual = t.most;
    memcpy(w->across, w->flow, n * sizeof *w->flow);
    if (code == NSM_OK) steady_drifts(w);
  }
  while (code == NSM_OK && w->residual > round_off(w)) {
    if (w->iterations >= MOST) { code = refuse(e, "40 steps of Newton's method do not settle it"); break; }
    code = advance(w, o, room, pivot, e);
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

// The largest of | a - b - c + d |.
static double apart(const steady *w, const double *a, const double *b, const double *c, const double *d) {
  double most = 0;
  for (int i = 0; i < w->n; i++) if (steady_comes_back(w, i)) most = fmax(most, fabs(a[i] - b[i] - c[i] + d[i]));
  return most;
}

// How far a period, which ends in y, leads from its begin: what follows by laws is off as far as the scheme leaves
// them.
static double miss(const steady *w, const double *y) {
  double most = 0;
  for (int i = 0; i < w->n; i++) if (!w->drifts[i]) most = fmax(most, fabs(y[i] - w->y[i]));
  return most;
}

// Two periods in one run lead where two runs do, from the orbit and from a state beside it: no discrete variable hands
// anything on. Up to the error of the scheme, which is the same from both.
static nsm_code repeats(steady *w, const nsm_settings *set, nsm_error *e) {
  size_t n = (size_t)w->n;
  double *x = calloc(7 * n + 1, sizeof *x), most = 1, size = fmax(size_of(w), 1e-6), far = 1e-5 * size;
  if (!x) return sim_no_memory(e, "an orbit");
  double *once = x + n, *again = x + 2 * n, *twice = x + 3 * n;
  double *beside = x + 4 * n, *then = x + 5 * n, *both = x + 6 * n;
  for (size_t i = 0; i < n; i++) x[i] = w->drifts[i] ? 0 : far * (1 - 0.3 * (double)(i % 3));
  manifold_way(w, x);
  for (size_t i = 0; i < n; i++) x[i] += w->y[i];
  nsm_code code = manifold_onto(w, set, x, e);
  for (int i = 0; i < w->nmultiplier; i++) most = fmax(most, hypot(w->re[i], w->im[i]));
  double T = w->period;
  if (code == NSM_OK) code = steady_after(w, set, w->y, T, once, e);
  if (code == NSM_OK) code = steady_after(w, set, once, T, again, e);
  if (code == NSM_OK) code = steady_after(w, set, w->y, 2 * T, twice, e);
  w->miss = miss(w, once);
  if (code == NSM_OK && apart(w, twice, w->y, w->y, w->y) > most * most * (1e-6 * size + 4 * w->miss))
    code = refuse(e, w->free ? "the next period is another one: the time, or discrete variables, drive the model, and "
                               "--period T says with which period"
                             : "the next period is another one: is the period a multiple of that of what drives the "
                               "model, and of its discrete variables?");
  if (code == NSM_OK) code = steady_after(w, set, x, T, beside, e);
  if (code == NSM_OK) code = steady_after(w, set, beside, T, then, e);
  if (code == NSM_OK) code = steady_after(w, set, x, 2 * T, both, e);
  if (code == NSM_OK && apart(w, both, twice, then, again) > 1e-2 * far * most * most)
    code = refuse(e, w->remembers ? "beside it two periods in one run lead elsewhere than two runs: discrete variables "
                                    "hand on what is no state, and its multipliers would be without them"
                                  : "beside it two periods in one run lead elsewhere than two runs: an event all but "
                                    "falls on its begin");
  free(x);
  return code;
}

// Eigenvalues of M, of coordinates that come back.
nsm_code steady_multipliers(steady *w, nsm_error *e) {
  size_t n = (size_t)w->n, m = 0;
  double *A = malloc((n * n + 1) * sizeof *A);
  if (!A) return sim_no_memory(e, "multipliers");
  w->nmultiplier = 0;
  for (size_t i = 0; i < n; i++) w->nmultiplier += steady_comes_back(w, (int)i);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n && steady_comes_back(w, (int)j); i++)
      if (steady_comes_back(w, (int)i)) A[m++] = w->M[i + j * n];
  int found = nsm_la_eigenvalues(w->nmultiplier, A, w->re, w->im);
  free(A);
  if (!found) return refuse(e, "its multipliers were not found");
  sort(w);
  w->trivial = w->free ? 0 : -1;
  for (int i = 1; i < w->nmultiplier && w->free; i++)
    if (hypot(w->re[i] - 1, w->im[i]) < hypot(w->re[w->trivial] - 1, w->im[w->trivial])) w->trivial = i;
  return NSM_OK;
}

double steady_largest(const steady *w) {
  double most = 0;
  for (int i = 0; i < w->nmultiplier; i++) if (i != w->trivial) most = fmax(most, hypot(w->re[i], w->im[i]));
  return most;
}

// What an `every` drives has a period that is known: not one to be found.
static nsm_code look_at_drives(const steady *w, const nsm_sim *s, nsm_error *e) {
  for (int b = 0; w->free && b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    if (!v->timed || v->n == 0) continue;
    double every = s->a->cls[v->cls].tab.num[0];
    sim_fail_at(e, NSM_USAGE, sim_at_class(v->cls), "an `every` of %.10g s drives the model: its orbits have a "
                "multiple of that period, --period %.10gs", every, every);
    return NSM_USAGE;
  }
  return NSM_OK;
}

// Of a motion without losses each start has an orbit of its own: Newton's method ends at any of them.
static nsm_code is_one_of_many(const steady *w, nsm_error *e) {
  for (int i = 0; i < w->nmultiplier && w->free; i++)
    if (i != w->trivial && hypot(w->re[i] - 1, w->im[i]) < 1e-6)
      return refuse(e, one_of_many);
  return NSM_OK;
}

nsm_code steady_find(steady *w, const nsm_settings *set, nsm_error *e) {
  nsm_sim *s = nsm_open(w->a.m, set, e);
  if (!s) return e->code;
  double step = s->a->step;
  w->start = s->a->start;
  w->remembers = s->a->nd > 0;
  for (int b = 0; b < s->a->m->nblock; b++) w->clocked |= s->a->event[b].timed && s->a->event[b].n > 0;
  w->free = isnan(w->period);
  nsm_code code = look_at_drives(w, s, e);
  if (code == NSM_OK) code = steady_names(w, s, e);
  nsm_close(s);
  if (code == NSM_OK && w->free) code = steady_guess(w, set, e);
  if (w->free) w->steps = (long)ceil(w->period / step);
  if (code == NSM_OK) code = steady_settle(w, set, e);
  return code == NSM_OK ? is_one_of_many(w, e) : code;
}

nsm_code steady_settle(steady *w, const nsm_settings *set, nsm_error *e) {
  w->iterations = 0;
  memset(w->drifts, 0, (size_t)w->n);
  nsm_code code = newton(w, set, e);
  if (code == NSM_OK && w->a.grazing > 0) {
    sim_fail(e, NSM_FAILED, "the orbit grazes: %s is hit at t = %.10g s with no speed, and has no multipliers there",
             w->a.grazer, w->a.grazed);
    code = NSM_FAILED;
  }
  if (code == NSM_OK) code = steady_multipliers(w, e);
  return code == NSM_OK ? repeats(w, set, e) : code;
}

void steady_free(steady *w) {
  answers_free(&w->a);
  manifold_free(&w->on);
  double *of[] = { w->y, w->re, w->im, w->M, w->r, w->flow, w->across, w->begin, w->error, w->by_p };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) free(of[i]);
  free(w->drifts);
  free(w->turns);
  free(w->with_p);
}
