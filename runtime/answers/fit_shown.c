// The columns of a page of a fit: data, the run that comes nearest at their times, and that run step by step.
#include "fit.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 20000 };                  // places of a line

// What of the file is matched with the same column as number `first`.
static int points(const fit_file *file, int first, fit_shown_column *to) {
  const answers *a = &file->a;
  size_t n = (size_t)a->nof + 1;
  to->x = calloc(4 * n, sizeof *to->x);
  if (!to->x) return 0;
  to->data = to->x + n;
  to->model = to->data + n;
  to->sigma = to->model + n;
  for (int i = first; i < a->nof; i++) {
    if (!fit_same_column(&a->of[i], &a->of[first])) continue;
    to->x[to->n] = to->events ? (double)a->of[i].number : a->of[i].time;
    to->data[to->n] = file->y[i];
    to->model[to->n] = a->value[i] / a->of[i].scale;
    to->sigma[to->n++] = file->sigma[i];
  }
  return 1;
}

static void read_row(const nsm_sim *s, const fit_file *file, const int *first, fit_shown_column *of, int n) {
  for (int k = 0; k < n; k++) {
    if (of[k].events) continue;
    const answers_of *column = &file->a.of[first[k]];
    of[k].t[of[k].nline] = nsm_time(s);
    of[k].line[of[k].nline++] = nsm_read_column((nsm_sim *)s, column->column) / column->scale;
  }
}

// The run of a file, whose n columns are of[].
static nsm_code lines(fit *f, int k, const double *x, const int *first, fit_shown_column *of, int n, nsm_error *e) {
  fit_run run = { 0 };
  const answers *a = &f->file[k].a;
  nsm_code code = fit_run_of(f, k, x, &run, e);
  nsm_sim *s = code == NSM_OK ? nsm_open(f->m, &run.set, e) : NULL;
  if (code == NSM_OK && !s) code = e->code;
  for (int j = 0; s && code == NSM_OK && j < a->nby; j++)
    if (a->by[j].column >= 0)
      code = nsm_write_column(s, a->by[j].column, nsm_read_column(s, a->by[j].column) + run.start[j], e);
  long total = s ? nsm_steps_total(s) : 0, every = 1 + total / MOST;
  for (int i = 0; i < n; i++) {
    of[i].t = calloc(2 * ((size_t)(total / every) + 3), sizeof(double));
    if (!of[i].t) code = sim_no_memory(e, "a page");
    else of[i].line = of[i].t + total / every + 3;
  }
  if (code == NSM_OK) read_row(s, &f->file[k], first, of, n);
  while (code == NSM_OK && nsm_steps_done(s) < total) {
    code = nsm_step(s, e);
    if (code != NSM_OK || (nsm_steps_done(s) % every != 0 && nsm_steps_done(s) < total)) continue;
    read_row(s, &f->file[k], first, of, n);
  }
  nsm_close(s);
  fit_run_free(&run);
  return code == NSM_STOPPED ? NSM_OK : code;
}

static nsm_code one_file(fit *f, int k, const double *x, fit_shown *to, nsm_error *e) {
  fit_file *file = &f->file[k];
  const answers *a = &file->a;
  int first[a->nof + 1], n = fit_columns(a, first);
  fit_shown_column *of = to->column + to->ncolumn;
  for (int i = 0; i < n; i++) {
    fit_shown_column *c = &of[i];
    const answers_of *matched = &a->of[first[i]];
    c->events = answers_of_event(matched);
    fit_column_name(matched, c->name, sizeof c->name);
    c->path = file->path;
    c->unit = c->events ? "s" : matched->unit;
    if (!points(file, first[i], c)) return sim_no_memory(e, "a page");
  }
  to->ncolumn += n;
  return lines(f, k, x, first, of, n, e);
}

nsm_code fit_show_columns(fit *f, const double *x, fit_shown *to, nsm_error *e) {
  int most = 0;
  for (int k = 0; k < f->nfile; k++) most += f->file[k].a.nof;
  double *r = calloc((size_t)f->n + 1, sizeof *r);
  to->column = calloc((size_t)most + 1, sizeof *to->column);
  nsm_code code = r && to->column ? fit_residuals(f, x, r, NULL, e) : sim_no_memory(e, "a page");
  for (int k = 0; k < f->nfile && code == NSM_OK; k++) code = one_file(f, k, x, to, e);
  free(r);
  return code;
}

void fit_shown_free(fit_shown *of) {
  for (int k = 0; k < of->ncolumn; k++) { free(of->column[k].x); free(of->column[k].t); }
  free(of->column);
  free(of->value);
  free(of->start);
  free(of->profile);
}
