// What --equilibrium, --linear and --modes write.
#include "write.h"
#include "equilibrium.h"
#include "linear.h"
#include "runtime/command/options.h"
#include "runtime/shared/nearest.h"
#include "runtime/shared/unit.h"
#include <stdlib.h>
#include <string.h>

enum { NAME = 256 };
static const double two_pi = 6.283185307179586;

// An input of the linear model: a parameter, or number `signal` of the inputs of the model, which is held at a value
// (NaN: the one that it has).
typedef struct rest_input { char name[NAME]; int parameter, signal; double scale, value; } rest_input;
typedef struct rest_output { char name[NAME]; int column; double scale; } rest_output;

typedef struct rest {
  const analysis *a;
  nsm_sim     *s;
  equilibrium  q;
  rest_input  *in;  int nin;            // as they were asked for
  rest_output *out; int nout;
  int         *column, *order;          // [nout]; [nin]: columns of B, parameters first
  linear       l;
  modes        m;
} rest;

static int asked(const rest *w, nsm_flag_id flag) { return w->a->f->text[flag] != NULL; }

// ---- inputs and outputs ---------------------------------------------------------------------------------------------
static const char *name_of_column(void *s, int i) { return nsm_column_name(s, i); }
static const char *name_of_parameter(void *s, int i) { return sim_text(s, ((nsm_sim *)s)->a->m->par[i].name); }

static nsm_code find_input(rest *w, rest_input *in, nsm_error *e) {
  const nsm_model *m = w->s->a->m;
  char meant[400], *equals = strchr(in->name, '=');
  in->parameter = in->signal = -1;
  in->value = NAN;
  if (equals) *equals = 0;
  for (int i = 0; i < m->npar; i++) if (strcmp(name_of_parameter(w->s, i), in->name) == 0) in->parameter = i;
  for (int i = 0; i < nsm_ninput(w->s); i++) if (strcmp(nsm_input_name(w->s, i), in->name) == 0) in->signal = i;
  if (in->signal >= 0) {
    const char *unit = nsm_input_unit(w->s, in->signal);
    const char *wrong = equals ? nsm_read_quantity(equals + 1, *unit ? unit : "1", &in->value) : NULL;
    in->scale = nsm_unit_scale(unit);
    if (!wrong) return NSM_OK;
    sim_fail(e, NSM_USAGE, "--inputs %s: %s", in->name, wrong);
    return NSM_USAGE;
  }
  if (in->parameter >= 0 && equals) {
    sim_fail(e, NSM_USAGE, "--inputs: `%s` is a parameter, which --set gives its value", in->name);
    return NSM_USAGE;
  }
  if (in->parameter < 0) {
    nsm_meant(in->name, m->npar, name_of_parameter, w->s, meant, sizeof meant);
    sim_fail(e, NSM_USAGE, "--inputs: there is no parameter and no input `%s`%s", in->name, meant);
    return NSM_USAGE;
  }
  if (m->par[in->parameter].structural) {
    sim_fail(e, NSM_USAGE, "--inputs: `%s` is a length: what it counts has no derivative", in->name);
    return NSM_USAGE;
  }
  in->scale = nsm_unit_scale(sim_text(w->s, m->par[in->parameter].unit));
  return NSM_OK;
}

static nsm_code find_output(rest *w, rest_output *out, nsm_error *e) {
  char meant[400];
  out->column = nsm_find_column(w->s, out->name);
  if (out->column < 0) {
    nsm_meant(out->name, nsm_ncolumn(w->s), name_of_column, w->s, meant, sizeof meant);
    sim_fail(e, NSM_USAGE, "--outputs: there is no column `%s`%s", out->name, meant);
    return NSM_USAGE;
  }
  out->scale = nsm_column_scale(w->s, out->column);
  return NSM_OK;
}

static nsm_code read_inputs(rest *w, nsm_error *e) {
  const char *text = w->a->f->text[NSM_FLAG_INPUTS];
  nsm_code code = NSM_OK;
  w->in = calloc(text ? strlen(text) + 1 : 1, sizeof *w->in);
  w->order = calloc(text ? strlen(text) + 1 : 1, sizeof *w->order);
  if (!w->in || !w->order) return sim_no_memory(e, "inputs");
  while (text && code == NSM_OK && nsm_next_name(&text, w->in[w->nin].name, NAME) > 0)
    if (*w->in[w->nin].name) code = find_input(w, &w->in[w->nin++], e);
  int at = 0;
  for (int i = 0; i < w->nin; i++) if (w->in[i].signal < 0) w->order[i] = at++;
  for (int i = 0; i < w->nin; i++) if (w->in[i].signal >= 0) w->order[i] = at++;
  return code;
}

static nsm_code read_outputs(rest *w, nsm_error *e) {
  const char *text = w->a->f->text[NSM_FLAG_OUTPUTS];
  nsm_code code = NSM_OK;
  w->out = calloc(text ? strlen(text) + 1 : 1, sizeof *w->out);
  w->column = calloc(text ? strlen(text) + 1 : 1, sizeof *w->column);
  if (!w->out || !w->column) return sim_no_memory(e, "outputs");
  while (text && code == NSM_OK && nsm_next_name(&text, w->out[w->nout].name, NAME) > 0)
    if (*w->out[w->nout].name) code = find_output(w, &w->out[w->nout++], e);
  for (int i = 0; i < w->nout; i++) w->column[i] = w->out[i].column;
  return code;
}

// Inputs of the model are held at their values, and varied there.
static nsm_code open_field(rest *w, nsm_error *e) {
  play_name *names = calloc((size_t)w->nin + 1, sizeof *names);
  int np = 0;
  nsm_code code = names ? NSM_OK : sim_no_memory(e, "inputs");
  for (int i = 0; code == NSM_OK && i < w->nin; i++) {
    const rest_input *in = &w->in[i];
    if (in->signal < 0) { names[np++] = (play_name){ in->name, in->parameter, -1, in->scale }; continue; }
    double now = isnan(in->value) ? nsm_get_input(w->s, in->signal) : in->value;
    if (isnan(now) && nsm_input_has_value(w->s, in->signal)) {
      sim_fail(e, code = NSM_USAGE, "--inputs: `%s` has its value from the model; say at which it is held: "
               "--inputs %s=0", in->name, in->name);
    } else code = nsm_set_input_at(w->s, in->signal, isnan(now) ? 0 : now, e);
  }
  field_given by = { names, np, w->nin };
  if (code == NSM_OK && !field_open(&w->q.f, w->s, w->a->run, w->a->with, &by, e)) code = e->code;
  for (int i = 0; code == NSM_OK && i < w->nin; i++)
    if (w->in[i].signal >= 0) field_vary_input(&w->q.f, w->order[i], w->in[i].signal);
  free(names);
  return code;
}

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
  char name[NAME];
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
  char name[NAME];
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
// The unit in which results show a state; of what they do not show SI.
static double scale_of_state(const rest *w, int j) {
  const field *f = &w->q.f;
  char name[NAME];
  field_name(f, j, name, sizeof name);
  int column = nsm_find_column(w->s, name);
  return column >= 0 ? nsm_column_scale(w->s, column) : 1;
}

// In the units of results: x = S x', so A' = S^-1 A S.
static void in_units(rest *w) {
  linear *l = &w->l;
  for (int j = 0; j < l->n; j++) {
    double s = scale_of_state(w, l->state[j]);
    for (int i = 0; i < l->n; i++) { l->A[i + j * l->n] *= s; l->A[j + i * l->n] /= s; }
    for (int i = 0; i < l->nu; i++) l->B[j + i * l->n] /= s;
    for (int i = 0; i < l->ny; i++) l->C[i + j * l->ny] *= s;
  }
  for (int u = 0; u < l->nu; u++) {
    double s = w->in[u].scale;
    int at = w->order[u];
    for (int i = 0; i < l->n; i++) l->B[i + at * l->n] *= s;
    for (int i = 0; i < l->ny; i++) l->D[i + at * l->ny] *= s;
  }
  for (int y = 0; y < l->ny; y++) {
    for (int j = 0; j < l->n; j++) l->C[y + j * l->ny] /= w->out[y].scale;
    for (int j = 0; j < l->nu; j++) l->D[y + j * l->ny] /= w->out[y].scale;
  }
}

static void write_linear(const rest *w, FILE *out) {
  const linear *l = &w->l;
  char name[NAME];
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
  char row[NAME], column[NAME];
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

static double damping(double re, double im) { return hypot(re, im) > 0 ? -re / hypot(re, im) : 0; }

static void write_modes(const rest *w, FILE *out) {
  const field *f = &w->q.f;
  char name[NAME];
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
  char name[NAME];
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
  char name[NAME];
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

static nsm_code take(rest *w, nsm_error *e) {
  double hold = w->a->f->number[NSM_FLAG_HOLD];
  int more = asked(w, NSM_FLAG_LINEAR) || asked(w, NSM_FLAG_MODES);
  const nsm_lapack *la = more ? nsm_lapack_plugin(e) : NULL;
  if (more && !la) return e->code;
  if (w->s->a->ngroup > 0) {
    sim_fail(e, NSM_USAGE, "contacts of shapes have no derivative yet, so there is no analysis of their equilibria");
    return NSM_USAGE;
  }
  nsm_code code = read_inputs(w, e);
  if (code == NSM_OK) code = read_outputs(w, e);
  if (code == NSM_OK) code = open_field(w, e);
  if (code != NSM_OK) return code;
  if (!isnan(hold)) w->q.f.t = hold;
  code = equilibrium_find(&w->q, w->s, !isnan(hold), e);
  if (code != NSM_OK || !more) return code;
  int weak = linear_weak(&w->q.f);
  if (weak >= 0) {
    char name[NAME];
    field_name(&w->q.f, 2 * w->q.f.nv + w->q.f.nx + weak, name, sizeof name);
    sim_fail(e, NSM_FAILED, "there is no linear model: %s is on the edge of its law, and both sides of it differ",
             name);
    return NSM_FAILED;
  }
  code = linear_make(&w->l, &w->q.f, la, w->column, w->nout, e);
  if (code == NSM_OK) in_units(w);
  return code == NSM_OK && asked(w, NSM_FLAG_MODES) ? modes_make(&w->m, &w->l, &w->q.f, la, e) : code;
}

nsm_code rest_report(const analysis *a, nsm_error *e) {
  rest w = { .a = a, .s = nsm_open(a->m, &a->o->run, e) };
  if (!w.s) return e->code;
  nsm_code code = take(&w, e);
  if (code == NSM_OK) code = write_all(&w, e);
  if (code == NSM_OK && !a->o->quiet) say(&w, a->host->err);
  modes_free(&w.m);
  linear_free(&w.l);
  if (w.q.f.p) field_close(&w.q.f);
  free(w.in);
  free(w.out);
  free(w.column);
  free(w.order);
  nsm_close(w.s);
  return code;
}
