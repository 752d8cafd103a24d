// Lyapunov exponents: tangents of the run over pieces of its time, orthogonalised behind each,
//
//     M_k Q_(k-1) = Q_k R_k,    lambda_i = sum_k ln |R_k,ii|/time                                               (1)
//
// [Benettin et al. 1980]. M_k is the derivative of the run with every impact and switch in it. Each piece begins with
// the states that the one before had at its end; its length is the period of the drive, or 1 s where nothing drives.
// Where laws bind the state (manifold.c), tangents are moved onto what they leave before each piece.
#include "write.h"
#include "runtime/answers/aligned.h"
#include "runtime/command/options.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 10 };
static const double lost = 1e-12;        // of R_ii beside the largest

typedef struct lyapunov {
  steady  w;
  int     m;                            // exponents
  double *Q, *Z, *start, *sum, *block;  // [n, m] [n, m] [n] [m] [BLOCKS, m]
  double *room, length;
  long    pieces, settle;
} lyapunov;

// Z [n, m] = Q R by Gram and Schmidt; ln R_ii is added to log_of, -infinite where rounding has all of it.
static void orthogonalise(int n, int m, double *Z, double *log_of) {
  double most = 0;
  for (int j = 0; j < m; j++) {
    double *z = Z + (size_t)j * (size_t)n, size = nsm_la_orthogonalise(n, j, Z);
    most = fmax(most, size);
    if (log_of) log_of[j] += size > lost * most ? log(size) : -INFINITY;
    for (int i = 0; i < n; i++) z[i] = size > 0 ? z[i] / size : i == j;
  }
}

// The first tangents: all states, or a basis of what laws leave of them.
static nsm_code first_tangents(lyapunov *l, const nsm_settings *set, nsm_error *e) {
  size_t n = (size_t)l->w.n;
  nsm_code code = manifold_tangent(&l->w, set, l->w.y, e);
  for (size_t i = 0; i < n; i++) {
    if (manifold_follows(&l->w, (int)i)) continue;
    double *q = l->Q + n * (size_t)l->m++;
    q[i] = 1;
    manifold_way(&l->w, q);
  }
  orthogonalise(l->w.n, l->m, l->Q, NULL);
  return code;
}

static nsm_code piece(lyapunov *l, const nsm_settings *set, long at, nsm_error *e) {
  steady *w = &l->w;
  size_t n = (size_t)w->n;
  nsm_settings own = steady_settings(w, set, l->length);
  for (size_t i = 0; i < n; i++) l->start[i] = w->y[i] - w->begin[i];
  nsm_code code = w->levels > 0 ? aligned_refine(&w->a, &own, l->start, w->levels, w->error, e)
                                : answers_take(&w->a, &own, l->start, 1, e);
  if (code == NSM_OK) code = steady_come_near(w, set, w->y, l->length, e);
  if (code == NSM_OK) code = manifold_project(w, set, w->y, l->m, l->Q, e);
  if (code != NSM_OK) return code;
  for (size_t j = 0; j < (size_t)l->m; j++)
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += w->a.d[i * n + k] * l->Q[k + j * n];
      l->Z[i + j * n] = sum;
    }
  memcpy(w->y, w->a.value, n * sizeof *w->y);
  if ((code = manifold_begin(w, set, w->y, e)) != NSM_OK) return code;
  double *kept = l->Q;
  l->Q = l->Z;
  l->Z = kept;
  double *log_of = at < l->settle ? NULL : l->block + (size_t)((at - l->settle) * BLOCKS / l->pieces) * (size_t)l->m;
  orthogonalise(w->n, l->m, l->Q, log_of);
  return NSM_OK;
}

// A run of two pieces in one ends where two runs end: nothing but the states is handed on.
static nsm_code hands_on(lyapunov *l, const nsm_settings *set, nsm_error *e) {
  nsm_settings own = steady_settings(&l->w, set, 2 * l->length);
  double off = 0, size = 0;
  nsm_sim *s = nsm_open(l->w.a.m, &own, e);
  if (!s) return e->code;
  nsm_code code = nsm_advance(s, nsm_steps_total(s), e);
  for (int i = 0; i < l->w.n; i++) l->start[i] = nsm_read_column(s, l->w.a.by[i].column);
  nsm_close(s);
  manifold_near(&l->w, l->w.y, l->start);
  for (int i = 0; i < l->w.n && code == NSM_OK; i++) {
    off = fmax(off, fabs(l->start[i] - l->w.y[i]));
    size = fmax(size, fabs(l->w.y[i]));
  }
  if (code != NSM_OK || off <= 1e-3 * fmax(size, 1e-6)) return code;
  sim_fail(e, NSM_FAILED, "a run of two pieces of %.6g s ends elsewhere than two runs: the time or discrete variables "
           "act; --period T is that of what drives the model", l->length);
  return NSM_FAILED;
}

static nsm_code take(lyapunov *l, const analysis *a, nsm_error *e) {
  steady *w = &l->w;
  nsm_sim *s = nsm_open(a->m, &a->o->run, e);
  if (!s) return e->code;
  nsm_code code = analysis_period(a, s, &l->length, e);
  if (isnan(l->length)) l->length = 1;
  w->start = s->a->start;
  w->period = l->length;
  if (code == NSM_OK) code = steady_names(w, s, e);
  nsm_close(s);
  size_t n = (size_t)w->n;
  double *room = calloc(2 * n * n + (2 + BLOCKS) * n + 1, sizeof *room);
  if (code == NSM_OK && !room) code = sim_no_memory(e, "exponents");
  l->room = room;
  if (code != NSM_OK) return code;
  l->Q = room;
  l->Z = room + n * n;
  l->start = l->Z + n * n;
  l->sum = l->start + n;
  l->block = l->sum + n;
  code = first_tangents(l, &a->o->run, e);
  for (long k = 0; k < l->settle + l->pieces && code == NSM_OK; k++) {
    code = piece(l, &a->o->run, k, e);
    if (k == 1 && code == NSM_OK) code = hands_on(l, &a->o->run, e);
  }
  return code;
}

// Exponents, and standard errors by the means of blocks.
static void finish(lyapunov *l, double *error) {
  size_t n = (size_t)l->m;
  int blocks = l->pieces >= BLOCKS ? BLOCKS : 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0, square = 0;
    for (int b = 0; b < BLOCKS; b++) sum += l->block[(size_t)b * n + i];
    l->sum[i] = sum / ((double)l->pieces * l->length);
    for (int b = 0; b < blocks; b++) {
      double mean = l->block[(size_t)b * n + i] * BLOCKS / ((double)l->pieces * l->length);
      square += (mean - l->sum[i]) * (mean - l->sum[i]);
    }
    error[i] = blocks ? sqrt(square / (BLOCKS * (BLOCKS - 1))) : NAN;
  }
}

static void say(const lyapunov *l, const double *error, FILE *err) {
  int below = 0;
  for (int i = 0; i < l->m; i++) {
    below |= !isfinite(l->sum[i]);
    if (!isfinite(l->sum[i])) continue;
    fprintf(err, "exponent %d: %.9g 1/s", i + 1, l->sum[i]);
    if (isfinite(error[i])) fprintf(err, ", standard error %.2g", error[i]);
    fputc('\n', err);
  }
  if (l->pieces < BLOCKS) fprintf(err, "standard errors need at least %d pieces: --lyapunov %d\n", BLOCKS, BLOCKS);
  if (below) fprintf(err, "the others are lost in rounding: shorter pieces (--period) may show them; where something "
                     "sticks they are -infinite\n");
}

static void write(const lyapunov *l, const double *error, int csv, FILE *out) {
  const steady *w = &l->w;
  double sum = 0;
  for (int i = 0; i < l->m; i++) sum += l->sum[i];
  if (csv) {
    fputs("exponent,error\n", out);
    for (int i = 0; i < l->m; i++) {
      analysis_number(out, l->sum[i]);
      fputc(',', out);
      if (isfinite(error[i])) analysis_number(out, error[i]);
      fputc('\n', out);
    }
    return;
  }
  const double *list[] = { l->sum, error };
  const char *name[] = { "{\n  \"exponents\": [", ",\n  \"error\": [" };
  for (int k = 0; k < 2; k++) {
    fputs(name[k], out);
    for (int i = 0; i < l->m; i++) {
      if (i) fputs(", ", out);
      analysis_number(out, list[k][i]);
    }
    fputc(']', out);
  }
  fputs(",\n  \"sum\": ", out);
  analysis_number(out, sum);
  fprintf(out, ",\n  \"pieces\": %ld, \"length\": ", l->pieces);
  analysis_number(out, l->length);
  fputs(",\n  \"state\": {", out);
  for (int i = 0; i < w->n; i++) {
    if (i) fputs(", ", out);
    analysis_text(out, w->a.of[i].name);
    fputs(": ", out);
    analysis_number(out, w->y[i] / w->a.of[i].scale);
  }
  fputs("}\n}\n", out);
}

nsm_code lyapunov_report(const analysis *a, nsm_error *e) {
  double settle = a->f->number[NSM_FLAG_SETTLE], levels = a->f->number[NSM_FLAG_REFINE];
  lyapunov l = { .w = { .a = { .m = a->m, .run = a->run, .with = a->with } } };
  l.pieces = (long)a->f->number[NSM_FLAG_LYAPUNOV];
  l.settle = isnan(settle) ? 0 : (long)settle;
  l.w.levels = isnan(levels) ? 0 : (int)levels;
  nsm_code code = take(&l, a, e);
  double *error = code == NSM_OK ? calloc((size_t)l.w.n + 1, sizeof *error) : NULL;
  if (code == NSM_OK && !error) code = sim_no_memory(e, "exponents");
  if (code == NSM_OK) finish(&l, error);
  FILE *out = code == NSM_OK ? analysis_open(a, e) : NULL;
  if (code == NSM_OK && !out) code = NSM_FILE;
  if (out) {
    write(&l, error, analysis_is_csv(a), out);
    if (!a->o->quiet) say(&l, error, a->host->err);
    code = analysis_close(a, out, code, e);
  }
  free(error);
  free(l.room);
  steady_free(&l.w);
  return code;
}
