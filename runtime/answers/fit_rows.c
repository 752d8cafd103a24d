// What is left between data and the best run (--residuals): a row for each file and time, with the data, the model and
// what the model is above the data for each column that is matched, in the unit that is shown. Times of impacts stand
// at themselves.
#include "fit.h"
#include "runtime/command/outputs.h"
#include "runtime/record/record.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct place { const fit_file *file; int at; } place;

static int earlier(const void *a, const void *b) {
  const place *p = a, *q = b;
  double s = p->file->a.of[p->at].time, t = q->file->a.of[q->at].time;
  return s < t ? -1 : s > t ? 1 : p->at - q->at;
}

int fit_same_column(const answers_of *a, const answers_of *b) {
  return a->column == b->column && a->row == b->row && strcmp(a->of, b->of) == 0;
}

void fit_column_name(const answers_of *of, char *to, size_t room) {
  snprintf(to, room, answers_of_event(of) ? "hit(%s)" : "%s", of->of);
}

int fit_columns(const answers *a, int *first) {
  int n = 0;
  for (int i = 0; i < a->nof; i++) {
    int known = 0;
    for (int k = 0; k < n; k++) known |= fit_same_column(&a->of[first[k]], &a->of[i]);
    if (!known) first[n++] = i;
  }
  return n;
}

static void number(FILE *out, double x) {
  char text[NSM_NUMBER_ROOM + 1];
  text[nsm_number(x, text)] = 0;
  fprintf(out, ",%s", isfinite(x) ? text : "");
}

// One row: which of these `count` values belongs to each column.
static void row(const fit *f, int which, const place *of, int count, const int *first, int n, FILE *out) {
  const answers *a = &f->file[which].a;
  fprintf(out, "%d", which + 1);
  number(out, a->of[of[0].at].time);
  for (int k = 0; k < n; k++) {
    double data = NAN, model = NAN;
    for (int j = 0; j < count; j++) {
      int i = of[j].at;
      if (!fit_same_column(&a->of[i], &f->file[0].a.of[first[k]])) continue;
      data = f->file[which].y[i];
      model = a->value[i] / a->of[i].scale;
    }
    number(out, data);
    number(out, model);
    number(out, model - data);
  }
  fputc('\n', out);
}

static void rows(const fit *f, place *order, const int *first, int n, FILE *out) {
  fputs("file,time", out);
  for (int k = 0; k < n; k++) {
    const answers_of *of = &f->file[0].a.of[first[k]];
    char name[280];
    fit_column_name(of, name, sizeof name);
    fprintf(out, ",%s.data,%s.model,%s.residual", name, name, name);
  }
  fputc('\n', out);
  for (int which = 0; which < f->nfile; which++) {
    const answers *a = &f->file[which].a;
    for (int i = 0; i < a->nof; i++) order[i] = (place){ &f->file[which], i };
    qsort(order, (size_t)a->nof, sizeof *order, earlier);
    for (int i = 0, next; i < a->nof; i = next) {
      for (next = i + 1; next < a->nof && a->of[order[next].at].time == a->of[order[i].at].time;) next++;
      row(f, which, order + i, next - i, first, n, out);
    }
  }
}

nsm_code fit_write_rows(fit *f, const double *x, const char *path, nsm_error *e) {
  double *r = calloc((size_t)f->n + 1, sizeof *r);
  int *first = calloc((size_t)f->n + 1, sizeof *first);
  place *order = calloc((size_t)f->n + 1, sizeof *order);
  nsm_code code = r && first && order ? fit_residuals(f, x, r, NULL, e) : sim_no_memory(e, "residuals");
  FILE *out = code == NSM_OK ? nsm_output_open(path, 0, e) : NULL;
  if (code == NSM_OK && !out) code = NSM_FILE;
  if (code == NSM_OK) rows(f, order, first, fit_columns(&f->file[0].a, first), out);
  if (out && fclose(out) != 0) {
    sim_fail(e, code = NSM_FILE, "writing to %s failed: %s", path, strerror(errno));
  }
  free(r);
  free(first);
  free(order);
  return code;
}
