// What --equilibrium, --linear and --modes write.
#include "rest.h"
#include "write.h"
#include "runtime/command/options.h"
#include <string.h>

static const double two_pi = 6.283185307179586;

static int asked(const rest *w, nsm_flag_id flag) { return w->a->f->text[flag] != NULL; }

// ---- the equilibrium ------------------------------------------------------------------------------------------------
static void write_state(const rest *w, FILE *out) {
  nsm_sim *s = w->s;
  const field *f = &w->q.f;
  int k = 0;
  fputs("\"state\": {", out);
  for (int i = 0; i < f->nx + s->a->nshown; i++) {
    int column = 1 + i;
    double x = i < f->nx ? f->x[i] : f->q[s->a->shown[i - f->nx]];
    if (k++) fputs(", ", out);
    analysis_text(out, nsm_column_name(s, column));
    fputs(": ", out);
    analysis_number(out, x / nsm_column_scale(s, column));
  }
  fputs("}", out);
}

static void write_equilibrium(const rest *w, FILE *out) {
  const field *f = &w->q.f;
  char name[REST_NAME];
  fputs("  \"equilibrium\": {\n    \"time\": ", out);
  analysis_number(out, f->t);
  fputs(",\n    ", out);
  write_state(w, out);
  fputs(",\n    \"reactions\": {", out);
  for (int row = 0; row < f->rows; row++) {
    field_name(f, 2 * f->nv + f->nx + row, name, sizeof name);
    if (row) fputs(", ", out);
    analysis_text(out, name);
    fputs(": ", out);
    analysis_number(out, f->l[row]);
  }
  fputs("},\n    \"sets\": {", out);
  for (int row = 0; row < f->rows; row++) {
    field_name(f, 2 * f->nv + f->nx + row, name, sizeof name);
    if (row) fputs(", ", out);
    analysis_text(out, name);
    fprintf(out, ": \"%s\"", equilibrium_word(f, row));
  }
  fprintf(out, "},\n    \"indifferent\": %d, \"iterations\": %d, \"residual\": ", w->q.indifferent, w->q.iterations);
  analysis_number(out, w->q.residual);
  fputs("\n  }", out);
}

static void csv_equilibrium(const rest *w, FILE *out) {
  nsm_sim *s = w->s;
  const field *f = &w->q.f;
  char name[REST_NAME];
  fputs("name,value,set\n", out);
  for (int i = 0; i < f->nx + s->a->nshown; i++) {
    double x = i < f->nx ? f->x[i] : f->q[s->a->shown[i - f->nx]];
    fprintf(out, "%s,", nsm_column_name(s, 1 + i));
    analysis_number(out, x / nsm_column_scale(s, 1 + i));
    fputs(",\n", out);
  }
  for (int row = 0; row < f->rows; row++) {
    field_name(f, 2 * f->nv + f->nx + row, name, sizeof name);
    fprintf(out, "%s,", name);
    analysis_number(out, f->l[row]);
    fprintf(out, ",%s\n", equilibrium_word(f, row));
  }
}

// ---- the linear model -----------------------------------------------------------------------------------------------
static void write_linear(const rest *w, FILE *out) {
  const linear *l = &w->l;
  char name[REST_NAME];
  fputs("  \"linear\": {\n    \"states\": [", out);
  for (int i = 0; i < l->n; i++) {
    field_name(&w->q.f, l->state[i], name, sizeof name);
    if (i) fputs(", ", out);
    analysis_text(out, name);
  }
  fputs("],\n    \"inputs\": [", out);
  for (int i = 0; i < w->nin; i++) { if (i) fputs(", ", out); analysis_text(out, w->in[i].name); }
  fputs("],\n    \"outputs\": [", out);
  for (int i = 0; i < w->nout; i++) { if (i) fputs(", ", out); analysis_text(out, w->out[i].name); }
  fputs("],\n    \"A\": ", out);
  analysis_matrix(out, l->n, l->n, l->A, NULL);
  fputs(",\n    \"B\": ", out);
  analysis_matrix(out, l->n, l->nu, l->B, w->order);
  fputs(",\n    \"C\": ", out);
  analysis_matrix(out, l->ny, l->n, l->C, NULL);
  fputs(",\n    \"D\": ", out);
  analysis_matrix(out, l->ny, l->nu, l->D, w->order);
  fprintf(out, ",\n    \"determined\": %d, \"implied\": %d\n  }", l->dropped, l->shared);
}

static void csv_matrix(const rest *w, FILE *out, char which, const double *a, int m, int n) {
  char row[REST_NAME], column[REST_NAME];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int at = which == 'B' || which == 'D' ? w->order[j] : j;
      if (which == 'A' || which == 'B') field_name(&w->q.f, w->l.state[i], row, sizeof row);
      else snprintf(row, sizeof row, "%s", w->out[i].name);
      if (which == 'A' || which == 'C') field_name(&w->q.f, w->l.state[j], column, sizeof column);
      else snprintf(column, sizeof column, "%s", w->in[j].name);
      fprintf(out, "%c,%s,%s,", which, row, column);
      analysis_number(out, a[i + at * m]);
      fputc('\n', out);
    }
}

static void csv_linear(const rest *w, FILE *out) {
  const linear *l = &w->l;
  fputs("matrix,row,column,value\n", out);
  csv_matrix(w, out, 'A', l->A, l->n, l->n);
  csv_matrix(w, out, 'B', l->B, l->n, l->nu);
  csv_matrix(w, out, 'C', l->C, l->ny, l->n);
  csv_matrix(w, out, 'D', l->D, l->ny, l->nu);
}

// ---- modes ----------------------------------------------------------------------------------------------------------
// Of eigenvalue i: the shape's component j; of the second of a pair the conjugate of the first.
static void component(const rest *w, int i, int j, double *re, double *im) {
  size_t N = (size_t)(w->q.f.n - 1);
  const double *V = w->m.V;
  int pair = w->m.im[i] > 0 ? 1 : w->m.im[i] < 0 ? -1 : 0;
  *re = V[(size_t)(pair < 0 ? i - 1 : i) * N + (size_t)j];
  *im = pair == 0 ? 0 : pair * V[(size_t)(pair > 0 ? i + 1 : i) * N + (size_t)j];
}

static double damping(double re, double im) { return hypot(re, im) > 0 ? -re / hypot(re, im) + 0.0 : 0; }

static void write_modes(const rest *w, FILE *out) {
  const field *f = &w->q.f;
  char name[REST_NAME];
  fputs("  \"modes\": [", out);
  for (int i = 0; i < w->m.n; i++) {
    double re = w->m.re[i], im = w->m.im[i], a, b;
    fputs(i ? ",\n    {\"eigenvalue\": [" : "\n    {\"eigenvalue\": [", out);
    analysis_number(out, re);
    fputs(", ", out);
    analysis_number(out, im);
    fputs("], \"frequency\": ", out);
    analysis_number(out, hypot(re, im) / two_pi);
    fputs(", \"damping\": ", out);
    analysis_number(out, damping(re, im));
    fputs(", \"shape\": {", out);
    for (int j = 0, k = 0; j < 2 * f->nv + f->nx; j++) {
      if (j >= f->nv && j < 2 * f->nv) continue;
      component(w, i, j, &a, &b);
      field_name(f, j, name, sizeof name);
      if (k++) fputs(", ", out);
      analysis_text(out, name);
      fputs(": [", out);
      analysis_number(out, a);
      fputs(", ", out);
      analysis_number(out, b);
      fputc(']', out);
    }
    fputs("}}", out);
  }
  fputs("\n  ]", out);
}

static void csv_modes(const rest *w, FILE *out) {
  const field *f = &w->q.f;
  char name[REST_NAME];
  fputs("mode,re,im,frequency,damping,name,shape_re,shape_im\n", out);
  for (int i = 0; i < w->m.n; i++)
    for (int j = 0; j < 2 * f->nv + f->nx; j++) {
      double re = w->m.re[i], im = w->m.im[i];
      double number[] = { re, im, hypot(re, im) / two_pi, damping(re, im) }, shape[2];
      if (j >= f->nv && j < 2 * f->nv) continue;
      component(w, i, j, &shape[0], &shape[1]);
      field_name(f, j, name, sizeof name);
      fprintf(out, "%d", i + 1);
      for (int k = 0; k < 4; k++) { fputc(',', out); analysis_number(out, number[k]); }
      fprintf(out, ",%s,", name);
      analysis_number(out, shape[0]);
      fputc(',', out);
      analysis_number(out, shape[1]);
      fputc('\n', out);
    }
}

// ---- the report -----------------------------------------------------------------------------------------------------
static void say(const rest *w, FILE *err) {
  const field *f = &w->q.f;
  char name[REST_NAME];
  fprintf(err, "equilibrium: residual %.2g after %d iterations\n", w->q.residual, w->q.iterations);
  if (w->q.steps > 0) fprintf(err, "  found by %d steps of the motion without inertia\n", w->q.steps);
  if (w->q.depends) fprintf(err, "  what depends on time is held at %.6g s\n", f->t);
  if (w->q.indifferent > 0)
    fprintf(err, "  nothing holds it in %d direction%s, or forces are not unique: the nearest is taken\n",
            w->q.indifferent, w->q.indifferent > 1 ? "s" : "");
  if (sim_has_events(w->s))
    fprintf(err, "  blocks `every` and `when` do not act; discrete variables are as they start\n");
  for (int row = 0; row < f->rows; row++) {
    field_name(f, 2 * f->nv + f->nx + row, name, sizeof name);
    fprintf(err, "  %s %s: %.9g\n", name, equilibrium_word(f, row), f->l[row]);
  }
  for (int i = 0; i < w->m.n; i++) {
    if (w->m.im[i] < 0) continue;
    if (w->m.im[i] > 0)
      fprintf(err, "  mode %d: %.9g Hz (%.9g rad/s), damping %.6g\n", i + 1, hypot(w->m.re[i], w->m.im[i]) / two_pi,
              hypot(w->m.re[i], w->m.im[i]), damping(w->m.re[i], w->m.im[i]));
    else fprintf(err, "  mode %d: %.9g 1/s\n", i + 1, w->m.re[i]);
  }
}

static nsm_code write_all(const rest *w, nsm_error *e) {
  int what[] = { asked(w, NSM_FLAG_EQUILIBRIUM), asked(w, NSM_FLAG_LINEAR), asked(w, NSM_FLAG_MODES) };
  void (*csv[])(const rest *, FILE *) = { csv_equilibrium, csv_linear, csv_modes };
  void (*json[])(const rest *, FILE *) = { write_equilibrium, write_linear, write_modes };
  int table = analysis_is_csv(w->a);
  if (table && what[0] + what[1] + what[2] > 1) {
    sim_fail(e, NSM_USAGE, "a CSV file holds one table: ask for one of --equilibrium, --linear, --modes, or write "
             "JSON");
    return NSM_USAGE;
  }
  FILE *out = analysis_open(w->a, e);
  if (!out) return NSM_FILE;
  if (!table) fputs("{\n", out);
  for (int i = 0, k = 0; i < 3; i++) {
    if (!what[i]) continue;
    if (!table && k++) fputs(",\n", out);
    (table ? csv : json)[i](w, out);
  }
  if (!table) fputs("\n}\n", out);
  return analysis_close(w->a, out, NSM_OK, e);
}

nsm_code rest_report(const analysis *a, nsm_error *e) {
  rest w = { .a = a };
  rest_more more = asked(&w, NSM_FLAG_MODES) ? REST_MODES : asked(&w, NSM_FLAG_LINEAR) ? REST_LINEAR : REST_POINT;
  nsm_code code = rest_open(&w, a->f->text[NSM_FLAG_INPUTS], a->f->text[NSM_FLAG_OUTPUTS], more, e);
  if (code == NSM_OK) code = write_all(&w, e);
  if (code == NSM_OK && !a->o->quiet) say(&w, a->host->err);
  rest_close(&w);
  return code;
}
