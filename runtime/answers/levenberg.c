// Levenberg's and Marquardt's method with Moré's scaling [Moré 1978], bounds by the free set: a parameter at its bound
// whose gradient points out of it is held.
//
//     min | J s + r |^2 + lambda | D s |^2,    D_j the largest | J_j | so far
#include "fit.h"
#include "least.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };
static const double accepts = 1e-4, small_step = 1e-12, small_gradient = 1e-14, unseen = 1e-12,
                    most_lambda = 1e14;     // unseen: a gain beside the sum that its rounding may hide

// ---- residuals ------------------------------------------------------------------------------------------------------
// A run of one file with these values.
nsm_code fit_run_of(fit *f, int k, const double *x, fit_run *to, nsm_error *e) {
  fit_file *file = &f->file[k];
  const int *of = fit_values_of(f, k);
  const answers *a = &file->a;
  nsm_settings *set = &to->set;
  int initial = 0;
  *set = f->set;
  to->all = calloc((size_t)(set->nset + a->nby) + 1, sizeof *to->all);
  to->start = calloc((size_t)a->nby + 1, sizeof *to->start);
  if (!to->all || !to->start) return sim_no_memory(e, "a run");
  if (set->nset > 0) memcpy(to->all, set->set, (size_t)set->nset * sizeof *to->all);
  for (int j = 0; j < a->nby; j++) {
    if (a->by[j].parameter >= 0) to->all[set->nset++] = (nsm_assignment){ a->text[j], x[of[j]] * a->by[j].scale };
    else initial = 1;
  }
  set->set = to->all;
  set->until = file->last;
  nsm_sim *s = initial ? nsm_open(f->m, set, e) : NULL;
  if (initial && !s) return e ? e->code : NSM_FAILED;
  for (int j = 0; s && j < a->nby; j++)
    if (a->by[j].parameter < 0) to->start[j] = x[of[j]] * a->by[j].scale - nsm_read_column(s, a->by[j].column);
  nsm_close(s);
  return NSM_OK;
}

void fit_run_free(fit_run *r) { free(r->all); free(r->start); }

static nsm_code one_file(fit *f, int k, const double *x, int derivatives, nsm_error *e) {
  fit_run run = { 0 };
  nsm_code code = fit_run_of(f, k, x, &run, e);
  if (code == NSM_OK) code = answers_take(&f->file[k].a, &run.set, run.start, derivatives, e);
  f->runs++;
  fit_run_free(&run);
  return code;
}

// One number of the data: how far the run is above it, in its sigma, as its loss has it.
static void number(fit *f, int k, int i, int at, double *r, double *J) {
  const fit_file *file = &f->file[k];
  const answers *a = &file->a;
  double slope, scale = a->of[i].scale, sigma = file->sigma[i];
  r[at] = fit_lessened(&f->loss, (a->value[i] / scale - file->y[i]) / sigma, &slope);
  for (int j = 0; J && j < f->np; j++) J[at + (long)j * f->n] = 0;
  for (int j = 0; J && j < f->nname; j++)
    J[at + (long)fit_values_of(f, k)[j] * f->n] = slope * a->d[i * a->nby + j] / scale * a->by[j].scale / sigma;
}

nsm_code fit_residuals(fit *f, const double *x, double *r, double *J, nsm_error *e) {
  int at = 0;
  for (int k = 0; k < f->nfile; k++) {
    nsm_code code = one_file(f, k, x, J != NULL, e);
    if (code != NSM_OK) return code;
    for (int i = 0; i < f->file[k].a.nof; i++) number(f, k, i, at++, r, J);
  }
  for (int k = 0; k < f->nprior; k++, at++) {
    const fit_prior *p = &f->prior[k];
    r[at] = (x[p->which] - p->mean) / p->sd;
    for (int j = 0; J && j < f->np; j++) J[at + (long)j * f->n] = j == p->which ? 1 / p->sd : 0;
  }
  return NSM_OK;
}

static double squares(const double *r, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += r[i] * r[i];
  return sum;
}

// ---- one start ------------------------------------------------------------------------------------------------------
typedef struct search {
  fit    *f;
  double *x, *r, *J;                    // the point; J by what is varied: by logarithms where they are
  double *tried, *rt, *D, *A, *b, *s;
  int    *of, nfree;                    // those that move
  double  lambda, rss, least;           // least: |J s|^2 of the last step whose gain could not be seen
} search;

static int take(search *w, fit *f) {
  size_t n = (size_t)f->n, p = (size_t)f->np;
  double *room = calloc(p * 4 + n * 2 + n * p + (n + p) * (p + 1) + 8, sizeof *room);
  w->f = f;
  w->of = calloc(p + 1, sizeof *w->of);
  if (!room || !w->of) { free(room); free(w->of); return 0; }
  w->x = room;
  w->tried = w->x + p;
  w->D = w->tried + p;
  w->s = w->D + p;
  w->r = w->s + p;
  w->rt = w->r + n;
  w->J = w->rt + n;
  w->A = w->J + n * p;
  w->b = w->A + (n + p) * p;
  return 1;
}

static void give(search *w) { free(w->x); free(w->of); }

static nsm_code linearise(search *w, nsm_error *e) {
  fit *f = w->f;
  nsm_code code = fit_residuals(f, w->x, w->r, w->J, e);
  if (code != NSM_OK) return code;
  w->rss = squares(w->r, f->n);
  w->nfree = 0;
  for (int j = 0; j < f->np; j++) {
    double *column = w->J + (long)j * f->n, g = 0;
    for (int i = 0; f->vary[j].log && i < f->n; i++) column[i] *= w->x[j];
    for (int i = 0; i < f->n; i++) g += column[i] * w->r[i];
    w->D[j] = fmax(w->D[j], sqrt(squares(column, f->n)));
    int held = (w->x[j] <= f->vary[j].lo && g > 0) || (w->x[j] >= f->vary[j].hi && g < 0);
    if (!held && j != f->fixed) w->of[w->nfree++] = j;
  }
  return NSM_OK;
}

// The largest cosine between r and a column.
static double gradient(const search *w) {
  double most = 0, length = sqrt(w->rss);
  for (int k = 0; k < w->nfree; k++) {
    const double *column = w->J + (long)w->of[k] * w->f->n;
    double g = 0, size = sqrt(squares(column, w->f->n));
    for (int i = 0; i < w->f->n; i++) g += column[i] * w->r[i];
    if (size > 0 && length > 0) most = fmax(most, fabs(g) / (size * length));
  }
  return most;
}

// The step for this lambda into s, by free parameters; the point that it leads to, within the bounds. 0: none.
static int step(search *w) {
  fit *f = w->f;
  int n = f->n, m = n + w->nfree;
  memset(w->A, 0, (size_t)m * (size_t)w->nfree * sizeof *w->A);
  for (int i = 0; i < m; i++) w->b[i] = i < n ? -w->r[i] : 0;
  for (int k = 0; k < w->nfree; k++) {
    int j = w->of[k];
    memcpy(w->A + (long)k * m, w->J + (long)j * n, (size_t)n * sizeof *w->A);
    w->A[(long)k * m + n + k] = sqrt(w->lambda) * (w->D[j] > 0 ? w->D[j] : 1);
  }
  if (!(least_squares(m, w->nfree, w->A, w->b, w->s) > 0)) return 0;
  memcpy(w->tried, w->x, (size_t)f->np * sizeof *w->x);
  for (int k = 0; k < w->nfree; k++) {
    int j = w->of[k];
    double to = f->vary[j].log ? w->x[j] * exp(fmin(fmax(w->s[k], -3), 3)) : w->x[j] + w->s[k];
    w->tried[j] = fmin(fmax(to, f->vary[j].lo), f->vary[j].hi);
  }
  return 1;
}

// What the linear model promises of the step taken, beside rss; *moved: how far the numbers move, |J s|^2.
static double promised(const search *w, double *moved) {
  double sum = 0;
  *moved = 0;
  for (int i = 0; i < w->f->n; i++) {
    double by = 0;
    for (int j = 0; j < w->f->np; j++)
      by += w->J[i + (long)j * w->f->n] * (w->f->vary[j].log ? log(w->tried[j] / w->x[j]) : w->tried[j] - w->x[j]);
    sum += (w->r[i] + by) * (w->r[i] + by);
    *moved += by * by;
  }
  return w->rss - sum;
}

static double change(const search *w) {
  double most = 0;
  for (int j = 0; j < w->f->np; j++)
    most = fmax(most, fabs(w->tried[j] - w->x[j]) / fmax(fabs(w->x[j]), 1e-300));
  return most;
}

// One accepted step. 1: the search goes on, also by steps whose gain is too small to be seen, as long as they become
// shorter; 0: it has converged; -1: no step reduces the sum.
static int descend(search *w) {
  for (; w->lambda < most_lambda; w->lambda = w->lambda > 0 ? 4 * w->lambda : 1e-12) {
    if (!step(w)) continue;
    double moves = change(w), by, promise = promised(w, &by);
    if (moves <= small_step) return 0;
    if (promise <= unseen * w->rss) {
      if (!(by < 0.9 * w->least)) return 0;
      memcpy(w->x, w->tried, (size_t)w->f->np * sizeof *w->x);
      w->lambda = 0;
      w->least = by;
      return 1;
    }
    nsm_error why = { .code = NSM_OK };
    nsm_code code = fit_residuals(w->f, w->tried, w->rt, NULL, &why);
    double rss = code == NSM_OK ? squares(w->rt, w->f->n) : INFINITY, gain = w->rss - rss;
    if (!(gain > 0 && gain >= accepts * promise)) continue;
    memcpy(w->x, w->tried, (size_t)w->f->np * sizeof *w->x);
    w->lambda = gain > 0.75 * promise ? (w->lambda > 1e-10 ? w->lambda / 10 : 0) : w->lambda;
    return 1;
  }
  return -1;
}

// All that is matched, beside what a change of the parameter as large as itself does to it, is round-off.
static int is_silent(const search *w, int j) {
  const fit *f = w->f;
  double data = 0, by = f->vary[j].log || w->x[j] == 0 ? 1 : fabs(w->x[j]);
  for (int k = 0; k < f->nfile; k++)
    for (int i = 0; i < f->file[k].a.nof; i++) {
      const answers *a = &f->file[k].a;
      data += pow(fmax(fabs(f->file[k].y[i]), fabs(a->value[i] / a->of[i].scale)) / f->file[k].sigma[i], 2);
    }
  return j != f->fixed && !(w->D[j] * by > 1e-13 * sqrt(data));
}

nsm_code fit_from(fit *f, const double *start, fit_end *to, nsm_error *e) {
  search w = { .lambda = 1e-3, .least = INFINITY };
  if (!take(&w, f)) return sim_no_memory(e, "a fit");
  memcpy(w.x, start, (size_t)f->np * sizeof *w.x);
  nsm_error why = { .code = NSM_OK };
  nsm_code code = linearise(&w, &why);
  for (int j = f->np; code == NSM_OK && j-- > 0;) if (is_silent(&w, j)) to->silent = j + 1;
  for (to->iterations = 0; code == NSM_OK && !to->silent && to->iterations < MOST; to->iterations++) {
    if (w.nfree == 0 || w.rss == 0 || gradient(&w) <= small_gradient) { to->converged = 1; break; }
    int how = descend(&w);
    if (how == 1) { code = linearise(&w, &why); continue; }
    to->converged = how == 0 || gradient(&w) <= 1e-6;
    break;
  }
  memcpy(to->x, w.x, (size_t)f->np * sizeof *w.x);
  to->rss = code == NSM_OK ? w.rss : INFINITY;
  to->held = f->np - w.nfree;
  if (code != NSM_OK) { to->converged = 0; snprintf(to->why, sizeof to->why, "%.290s", why.text); }
  give(&w);
  if (code == NSM_USAGE || code == NSM_FILE || code == NSM_INTERRUPTED) { if (e) *e = why; return code; }
  return NSM_OK;
}

nsm_code fit_covariance(fit *f, const double *x, double *C, int *free_of, double *sensible, nsm_error *e) {
  search w = { .lambda = 0 };
  if (!take(&w, f)) return sim_no_memory(e, "a fit");
  memcpy(w.x, x, (size_t)f->np * sizeof *w.x);
  nsm_code code = fit_residuals(f, x, w.r, w.J, e);
  int n = 0, p = f->np;
  for (int j = 0; j < p; j++) {
    free_of[j] = x[j] > f->vary[j].lo && x[j] < f->vary[j].hi;
    if (free_of[j]) memcpy(w.A + (long)n++ * f->n, w.J + (long)j * f->n, (size_t)f->n * sizeof *w.A);
  }
  memset(C, 0, (size_t)p * (size_t)p * sizeof *C);
  double *own = calloc((size_t)n * (size_t)n + 1, sizeof *own), s2 = squares(w.r, f->n) / (f->n - n);
  if (!own) code = sim_no_memory(e, "a covariance");
  if (code == NSM_OK) {
    *sensible = least_squares(f->n, n, w.A, w.b, w.s);
    if (*sensible > 0) least_covariance(f->n, n, w.A, own);
    else for (int i = 0; i < n * n; i++) own[i] = NAN;       // they hang together
    for (int i = 0, a = 0; i < p; i++) {
      if (!free_of[i]) continue;
      for (int j = 0, b = 0; j < p; j++) if (free_of[j]) C[i + (long)j * p] = s2 * own[a + (long)b++ * n];
      a++;
    }
  }
  free(own);
  give(&w);
  return code;
}
