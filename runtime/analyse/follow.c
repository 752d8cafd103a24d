// A branch of periodic orbits over a parameter p, followed by its arc length [Keller 1977]: unknowns z = (Y, T, p), T
// where the motion is free,
//
//     P(Y; T, p) - Y = 0,    c . (Y - Y_0) = 0 (free),    t . W (z - z_0) = 0                                    (1)
//
// from a prediction z_0 along the tangent t of the branch, W = 1/size^2. On the way these are found and located:
//
//     fold      t_p = 0                          doubling  a multiplier passes -1: prod (1 + lambda_i)
//     branch    one passes 1 where no fold is    torus     a pair passes the unit circle: prod (1 - lambda_i lambda_j)
//     grazing   the events of the orbit are others from there on; but where one has come to the begin of the period
#include "write.h"
#include "runtime/assembly/assembly.h"
#include "runtime/command/options.h"
#include "runtime/shared/unit.h"
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 8, SEARCH = 60, MOST = 4000, TESTS = 4 };
static const double settled = 1e-11, first = 0.01, longest = 0.05, shortest = 1e-6, near_graze = 1e-7;
static const char *const kinds[TESTS] = { "fold", "branch", "doubling", "torus" };

// A point of the branch: z and tangent [N]; tests; which events.
typedef struct spot { double *z, *t, test[TESTS], largest, period; uint64_t sequence; long events; int pair; } spot;

typedef struct follow {
  const analysis *a;
  steady  w;
  turn    now;
  int     N, number;                    // unknowns; points that are written
  double  from, to, scale, *size;       // of p, SI; [N]
  double *A, *b, *guess;                // [N, N] [N] [N]
  int    *pivot;
  spot    last, next, found;
  FILE   *out;
} follow;

// ---- the period of what drives it -----------------------------------------------------------------------------------
static nsm_code driven_period(follow *f, double p, double *period, nsm_error *e) {
  double kept = f->w.p;
  f->w.p = p;
  nsm_settings set = steady_settings(&f->w, &f->a->o->run, 1);
  f->w.p = kept;
  set.step = f->a->o->run.step;
  set.until = f->a->o->run.until;
  nsm_sim *s = nsm_open(f->a->m, &set, e);
  if (!s) return e->code;
  nsm_code code = analysis_period(f->a, s, period, e);
  nsm_close(s);
  return code;
}

// dT/dp by differences, extrapolated.
static nsm_code slope_of_period(follow *f, double p, double *slope, nsm_error *e) {
  double d = 1e-3 * fmax(fabs(p), 1e-3 * fabs(f->to - f->from)), by[2], T[2];
  nsm_code code = NSM_OK;
  for (int k = 0; k < 2 && code == NSM_OK; k++, d *= 0.5) {
    code = driven_period(f, p + d, &T[1], e);
    if (code == NSM_OK) code = driven_period(f, p - d, &T[0], e);
    by[k] = (T[1] - T[0]) / (2 * d);
  }
  *slope = by[1] + (by[1] - by[0]) / 3;
  return code;
}

// ---- (1) ------------------------------------------------------------------------------------------------------------
// z is moved onto what laws leave.
static nsm_code evaluate(follow *f, double *z, nsm_error *e) {
  steady *w = &f->w;
  double slope = 0;
  nsm_code code = NSM_OK;
  w->p = z[f->N - 1];
  if (w->free) w->period = z[w->n];
  else if ((code = driven_period(f, w->p, &w->period, e)) == NSM_OK) code = slope_of_period(f, w->p, &slope, e);
  if (code == NSM_OK) code = manifold_onto(w, &f->a->o->run, z, e);
  if (code == NSM_OK) code = steady_turn(w, &f->a->o->run, z, w->period, &f->now, e);
  for (int i = 0; i < w->n && !w->free && code == NSM_OK; i++) f->now.by_p[i] += f->now.flow[i] * slope;
  return code;
}

// The matrix of (1) with tangent t, factored. 0: singular.
static int factor(follow *f, const double *t) {
  const steady *w = &f->w;
  size_t n = (size_t)w->n, N = (size_t)f->N;
  memset(f->A, 0, N * N * sizeof *f->A);
  for (size_t i = 0; i < n; i++) {
    int in = steady_comes_back(w, (int)i);
    for (size_t j = 0; j < n; j++) f->A[i + j * N] = in ? f->now.M[i + j * n] : 0;
    f->A[i * (N + 1)] -= 1;
    if (!in) continue;
    if (w->free) { f->A[i + n * N] = f->now.flow[i]; f->A[n + i * N] = w->across[i]; }
    f->A[i + (N - 1) * N] = f->now.by_p[i];
  }
  for (size_t j = 0; j < N; j++) f->A[N - 1 + j * N] = t[j] / (f->size[j] * f->size[j]);
  return nsm_la_lu_factor((int)N, f->A, (int)N, f->pivot).code == NSM_LA_OK;
}

// Newton's method from z on the plane across t. NSM_FAILED: it does not settle.
static nsm_code correct(follow *f, double *z, const double *t, int *steps, nsm_error *e) {
  const steady *w = &f->w;
  size_t n = (size_t)w->n, N = (size_t)f->N;
  for (*steps = 0; *steps <= CORRECTIONS; ++*steps) {
    nsm_code code = evaluate(f, z, e);
    if (code != NSM_OK) return code;
    if (f->now.most <= settled * fmax(f->size[0], 1)) return NSM_OK;
    if (!factor(f, t)) break;
    memset(f->b, 0, N * sizeof *f->b);
    for (size_t i = 0; i < n; i++) f->b[i] = steady_comes_back(w, (int)i) ? -f->now.r[i] : 0;
    nsm_la_lu_solve((int)N, 1, f->A, (int)N, f->pivot, f->b, (int)N);
    double size = 0;
    for (size_t j = 0; j < N; j++) size = fmax(size, fabs(f->b[j]) / f->size[j]);
    if (!(size < 1)) break;
    manifold_way(w, f->b);
    for (size_t j = 0; j < N; j++) z[j] += f->b[j];
  }
  sim_fail(e, NSM_FAILED, "the orbit is lost");
  return NSM_FAILED;
}

static void scale(const follow *f, double *t) {
  double sum = 0;
  for (int j = 0; j < f->N; j++) sum += t[j] * t[j] / (f->size[j] * f->size[j]);
  for (int j = 0; j < f->N; j++) t[j] /= sqrt(sum);
}

// ---- tests ----------------------------------------------------------------------------------------------------------
typedef struct number { double re, im; } number;
static number times(number a, number b) { return (number){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re }; }

// Products over all multipliers but that along a free orbit.
static void take_tests(const follow *f, spot *to) {
  const steady *w = &f->w;
  number below = { 1, 0 }, above = { 1, 0 }, pairs = { 1, 0 };
  to->pair = 0;
  for (int i = 0; i < w->nmultiplier; i++) {
    if (i == w->trivial) continue;
    number x = { w->re[i], w->im[i] };
    above = times(above, (number){ x.re - 1, x.im });
    below = times(below, (number){ 1 + x.re, x.im });
    if (fabs(x.im) > 1e-6 && fabs(hypot(x.re, x.im) - 1) < 0.1) to->pair = 1;
    for (int j = i + 1; j < w->nmultiplier; j++) {
      if (j == w->trivial) continue;
      number product = times(x, (number){ w->re[j], w->im[j] });
      pairs = times(pairs, (number){ 1 - product.re, -product.im });
    }
  }
  to->test[0] = to->t[f->N - 1];
  to->test[1] = above.re;
  to->test[2] = below.re;
  to->test[3] = pairs.re;
}

// All of a point whose z has settled; t: the tangent before.
static nsm_code take(follow *f, spot *to, const double *t, nsm_error *e) {
  size_t N = (size_t)f->N;
  if (!factor(f, t)) {
    sim_fail(e, NSM_FAILED, "the branch has no tangent");
    return NSM_FAILED;
  }
  memset(to->t, 0, N * sizeof *to->t);
  to->t[N - 1] = 1;
  nsm_la_lu_solve((int)N, 1, f->A, (int)N, f->pivot, to->t, (int)N);
  scale(f, to->t);
  manifold_way(&f->w, to->t);
  memcpy(f->w.M, f->now.M, (size_t)f->w.n * (size_t)f->w.n * sizeof *f->w.M);
  nsm_code code = steady_multipliers(&f->w, e);
  if (code != NSM_OK) return code;
  to->largest = steady_largest(&f->w);
  to->period = f->w.period;
  to->sequence = f->w.a.sequence;
  to->events = f->w.a.events;
  take_tests(f, to);
  return NSM_OK;
}

// The point at arc length s from `last`, into `to`.
static nsm_code go(follow *f, double s, spot *to, int *steps, nsm_error *e) {
  for (int j = 0; j < f->N; j++) to->z[j] = f->last.z[j] + s * f->last.t[j];
  nsm_code code = correct(f, to->z, f->last.t, steps, e);
  return code == NSM_OK ? take(f, to, f->last.t, e) : code;
}

// ---- what is written ------------------------------------------------------------------------------------------------
static void head(follow *f) {
  fprintf(f->out, "point,%s,period", f->w.vary);
  for (int i = 0; i < f->w.n; i++) fprintf(f->out, ",%s", f->w.a.of[i].name);
  fputs(",multiplier,kind\n", f->out);
}

static void row(follow *f, const spot *p, const char *kind) {
  fprintf(f->out, "%d,", ++f->number);
  analysis_number(f->out, p->z[f->N - 1] / f->scale);
  fputc(',', f->out);
  analysis_number(f->out, p->period);
  for (int i = 0; i < f->w.n; i++) {
    fputc(',', f->out);
    analysis_number(f->out, p->z[i] / f->w.a.of[i].scale);
  }
  fputc(',', f->out);
  analysis_number(f->out, p->largest);
  fprintf(f->out, ",%s\n", kind);
  if (*kind && !f->a->o->quiet && strcmp(kind, "start") != 0)
    fprintf(f->a->host->err, "%s at %s = %.12g, period %.12g s\n", kind, f->w.vary, p->z[f->N - 1] / f->scale,
            p->period);
}

// ---- what happens between two points --------------------------------------------------------------------------------
// Test k changes its sign within s: the point where it is 0 into `found`.
static nsm_code locate(follow *f, int k, double s, nsm_error *e) {
  double lo = 0, hi = s, f_lo = f->last.test[k], f_hi = f->next.test[k];
  int steps;
  for (int i = 0; i < SEARCH && hi - lo > 1e-12 * s; i++) {
    double at = i % 3 == 2 ? 0.5 * (lo + hi) : lo - f_lo * (hi - lo) / (f_hi - f_lo);
    if (!(at > lo && at < hi)) at = 0.5 * (lo + hi);
    nsm_code code = go(f, at, &f->found, &steps, e);
    if (code != NSM_OK) return code;
    double now = f->found.test[k];
    if (fabs(now) < 1e-12) break;
    if ((now < 0) == (f_lo < 0)) { lo = at; f_lo = now; }
    else { hi = at; f_hi = now; }
  }
  return NSM_OK;
}

static nsm_code look(follow *f, double s, nsm_error *e) {
  int folds = f->last.test[0] * f->next.test[0] < 0;
  for (int k = 0; k < TESTS; k++) {
    if (!(f->last.test[k] * f->next.test[k] < 0)) continue;
    if (k == 1 && folds) continue;
    nsm_code code = locate(f, k, s, e);
    if (code != NSM_OK) return code;
    if (k == 3 && !f->found.pair) continue;                // two real ones, whose product is 1
    row(f, &f->found, kinds[k]);
  }
  return NSM_OK;
}

// Up to s the orbit is lost, or has other events: the last point before that.
static nsm_code close_in(follow *f, double s, nsm_error *e) {
  double lo = 0, hi = s;
  int steps;
  nsm_code code = go(f, 0, &f->found, &steps, e);
  while (hi - lo > near_graze * s && code == NSM_OK) {
    double at = 0.5 * (lo + hi);
    nsm_error why = { .code = NSM_OK };
    nsm_code there = go(f, at, &f->found, &steps, &why);
    if (there != NSM_OK && there != NSM_FAILED) { *e = why; return there; }
    if (there == NSM_OK && f->found.sequence == f->last.sequence) lo = at;
    else hi = at;
  }
  return code == NSM_OK ? go(f, lo, &f->found, &steps, e) : code;
}

typedef struct near_begin { double start, period; int any; } near_begin;

static void take_event(void *with, const nsm_located_event *event) {
  near_begin *n = with;
  double phase = (event->time - n->start) / n->period;
  n->any |= phase < 1e-4 || phase > 1 - 1e-4;
}

// An event of the point that was found stands at the begin of the period: it is no grazing. One that stands there to
// the last digit may be none of that run, but it is one of the point before.
static nsm_code at_begin(follow *f, int *any, nsm_error *e) {
  steady *w = &f->w;
  near_begin n = { w->start, w->period, 0 };
  const spot *at[] = { &f->found, &f->last };
  nsm_code code = NSM_OK;
  for (int i = 0; i < 2 && code == NSM_OK && !n.any; i++) {
    memcpy(w->y, at[i]->z, (size_t)w->n * sizeof *w->y);
    code = steady_run(w, &f->a->o->run, take_event, &n, e);
  }
  *any = n.any;
  return code;
}

static nsm_code told(follow *f, nsm_error *e) {
  int any;
  nsm_code code = at_begin(f, &any, e);
  if (code != NSM_OK) return code;
  row(f, &f->found, any ? "begin" : "grazing");
  if (any && !f->a->o->quiet)
    fputs("  an event passes the begin of the period: the branch goes on for another phase of the drive\n",
          f->a->host->err);
  return NSM_OK;
}

static void exchange(spot *a, spot *b) { spot c = *a; *a = *b; *b = c; }

static nsm_code walk(follow *f, nsm_error *e) {
  double s = first, lo = fmin(f->from, f->to), hi = fmax(f->from, f->to);
  double most = f->a->f->number[NSM_FLAG_POINTS];
  int steps;
  row(f, &f->last, "start");
  for (int k = 0; k < MOST && !(f->number >= most); k++) {
    nsm_error why = { .code = NSM_OK };
    nsm_code code = go(f, s, &f->next, &steps, &why);
    if (code != NSM_OK && code != NSM_FAILED) { *e = why; return code; }
    if (code != NSM_OK && s > shortest) { s *= 0.25; continue; }
    int others = code == NSM_OK && f->next.sequence != f->last.sequence;
    if (others && s > 1e-3) { s *= 0.25; continue; }
    if (code != NSM_OK || others) {
      int grazes = code != NSM_OK || f->next.events != f->last.events;
      nsm_code near = close_in(f, s, e);
      if (near != NSM_OK) return near;
      if (grazes && (near = told(f, e)) != NSM_OK) return near;
      if (code != NSM_OK) return NSM_OK;
    } else if ((code = look(f, s, e)) != NSM_OK) return code;
    if (!(f->next.z[f->N - 1] >= lo && f->next.z[f->N - 1] <= hi)) return NSM_OK;
    if (f->w.free) memcpy(f->w.across, f->now.flow, (size_t)f->w.n * sizeof *f->w.across);
    exchange(&f->last, &f->next);
    row(f, &f->last, "");
    if (steps <= 3) s = fmin(1.5 * s, longest);
    if (steps > 5) s *= 0.5;
  }
  return NSM_OK;
}

// ---- the start ------------------------------------------------------------------------------------------------------
static int spot_open(spot *p, size_t N) {
  p->z = calloc(N + 1, sizeof(double));
  p->t = calloc(N + 1, sizeof(double));
  return p->z && p->t;
}

static nsm_code room(follow *f, nsm_error *e) {
  size_t n = (size_t)f->w.n, N = n + (size_t)f->w.free + 1;
  f->N = (int)N;
  double *all = calloc(N * N + 3 * N + n * n + 3 * n + 1, sizeof *all);
  f->A = all;
  f->pivot = calloc(N + 1, sizeof *f->pivot);
  if (!all || !f->pivot || !spot_open(&f->last, N) || !spot_open(&f->next, N) || !spot_open(&f->found, N))
    return sim_no_memory(e, "a branch");
  f->b = f->A + N * N;
  f->size = f->b + N;
  f->now = (turn){ f->size + N, f->size + N + n, f->size + N + n + n * n, f->size + N + 2 * n + n * n, 0 };
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(f->w.y[i]));
  for (size_t i = 0; i < n; i++) f->size[i] = fmax(most, 1e-12);
  if (f->w.free) f->size[n] = f->w.period;
  f->size[N - 1] = fabs(f->to - f->from);
  return NSM_OK;
}

static nsm_code start(follow *f, nsm_error *e) {
  steady *w = &f->w;
  double from = f->from, step;
  nsm_settings set = f->a->o->run;
  w->with_p = calloc((size_t)set.nset + 2, sizeof *w->with_p);
  nsm_assignment *own = calloc((size_t)set.nset + 2, sizeof *own);
  if (!w->with_p || !own) { free(own); return sim_no_memory(e, "a branch"); }
  if (set.nset > 0) memcpy(own, set.set, (size_t)set.nset * sizeof *own);
  own[set.nset++] = (nsm_assignment){ w->vary, from };
  set.set = own;
  w->p = from;
  nsm_sim *s = nsm_open(f->a->m, &set, e);
  nsm_code code = s ? analysis_period(f->a, s, &w->period, e) : e->code;
  step = s ? s->a->step : 1;
  nsm_close(s);
  if (code == NSM_OK && !isnan(w->period)) w->steps = (long)ceil(w->period / step * (1 - 1e-12));
  if (code == NSM_OK) code = steady_find(w, &set, e);
  free(own);
  if (code == NSM_OK) code = room(f, e);
  if (code != NSM_OK) return code;
  memcpy(f->last.z, w->y, (size_t)w->n * sizeof *w->y);
  if (w->free) f->last.z[w->n] = w->period;
  f->last.z[f->N - 1] = from;
  double *along = f->next.t;
  along[f->N - 1] = f->to > from ? f->size[f->N - 1] : -f->size[f->N - 1];
  code = evaluate(f, f->last.z, e);
  return code == NSM_OK ? take(f, &f->last, along, e) : code;
}

nsm_code follow_report(const analysis *a, nsm_error *e) {
  analysis_range r;
  follow f = { .a = a, .w = { .a = { .m = a->m, .run = a->run, .with = a->with } } };
  double levels = a->f->number[NSM_FLAG_REFINE];
  nsm_sim *s = nsm_open(a->m, &a->o->run, e);
  if (!s) return e->code;
  nsm_code code = analysis_range_read(&r, "follow", a->f->text[NSM_FLAG_FOLLOW], s, e);
  nsm_close(s);
  f.w.vary = r.name;
  f.w.vary_at = r.parameter;
  f.w.levels = isnan(levels) ? 0 : (int)levels;
  f.from = r.from;
  f.to = r.to;
  f.scale = r.scale;
  if (code == NSM_OK) code = start(&f, e);
  f.out = code == NSM_OK ? analysis_open(a, e) : NULL;
  if (code == NSM_OK && !f.out) code = NSM_FILE;
  if (f.out) {
    head(&f);
    code = walk(&f, e);
    code = analysis_close(a, f.out, code, e);
  }
  free(f.A);
  free(f.pivot);
  spot *all[] = { &f.last, &f.next, &f.found };
  for (int i = 0; i < 3; i++) { free(all[i]->z); free(all[i]->t); }
  steady_free(&f.w);
  return code;
}
