// A model at rest: its equilibrium, the linear model there and its modes, as the flags ask (report.c writes them).
#include "rest.h"
#include "runtime/command/options.h"
#include "runtime/shared/nearest.h"
#include "runtime/shared/unit.h"
#include <stdlib.h>
#include <string.h>

// ---- inputs and outputs ---------------------------------------------------------------------------------------------
static const char *name_of_column(void *s, int i) { return nsm_column_name(s, i); }
static const char *name_of_parameter(void *s, int i) { return sim_text(s, ((nsm_sim *)s)->a->m->par[i].name); }

static nsm_code find_input(nsm_sim *s, rest_input *in, nsm_error *e) {
  const nsm_model *m = s->a->m;
  char meant[400], *equals = strchr(in->name, '=');
  in->parameter = in->signal = -1;
  in->value = NAN;
  if (equals) *equals = 0;
  for (int i = 0; i < m->npar; i++) if (strcmp(name_of_parameter(s, i), in->name) == 0) in->parameter = i;
  for (int i = 0; i < nsm_ninput(s); i++) if (strcmp(nsm_input_name(s, i), in->name) == 0) in->signal = i;
  if (in->signal >= 0) {
    const char *unit = nsm_input_unit(s, in->signal);
    const char *wrong = equals ? nsm_read_quantity(equals + 1, *unit ? unit : "1", &in->value) : NULL;
    in->scale = nsm_unit_scale(unit);
    if (!wrong) return NSM_OK;
    sim_fail(e, NSM_USAGE, "%s: %s", in->name, wrong);
    return NSM_USAGE;
  }
  if (in->parameter >= 0 && equals) {
    sim_fail(e, NSM_USAGE, "`%s` is a parameter, which --set gives its value", in->name);
    return NSM_USAGE;
  }
  if (in->parameter < 0) {
    nsm_meant(in->name, m->npar, name_of_parameter, s, meant, sizeof meant);
    sim_fail(e, NSM_USAGE, "there is no parameter and no input `%s`%s", in->name, meant);
    return NSM_USAGE;
  }
  if (m->par[in->parameter].structural) {
    sim_fail(e, NSM_USAGE, "`%s` is a length: what it counts has no derivative", in->name);
    return NSM_USAGE;
  }
  in->scale = nsm_unit_scale(sim_text(s, m->par[in->parameter].unit));
  return NSM_OK;
}

static nsm_code find_output(nsm_sim *s, rest_output *out, nsm_error *e) {
  char meant[400];
  out->column = nsm_find_column(s, out->name);
  if (out->column < 0) {
    nsm_meant(out->name, nsm_ncolumn(s), name_of_column, s, meant, sizeof meant);
    sim_fail(e, NSM_USAGE, "there is no column `%s`%s", out->name, meant);
    return NSM_USAGE;
  }
  out->scale = nsm_column_scale(s, out->column);
  return NSM_OK;
}

nsm_code rest_find(nsm_sim *s, const char *u, const char *y, play_name *by, int *column, nsm_error *e) {
  rest_input in;
  rest_output out;
  snprintf(in.name, sizeof in.name, "%s", u);
  snprintf(out.name, sizeof out.name, "%s", y);
  nsm_code code = find_input(s, &in, e);
  if (code == NSM_OK) code = find_output(s, &out, e);
  *by = (play_name){ u, in.parameter, -1, in.scale };
  *column = out.column;
  return code;
}

static nsm_code read_inputs(rest *w, const char *text, nsm_error *e) {
  nsm_code code = NSM_OK;
  w->in = calloc(text ? strlen(text) + 1 : 1, sizeof *w->in);
  w->order = calloc(text ? strlen(text) + 1 : 1, sizeof *w->order);
  if (!w->in || !w->order) return sim_no_memory(e, "inputs");
  while (text && code == NSM_OK && nsm_next_name(&text, w->in[w->nin].name, REST_NAME) > 0)
    if (*w->in[w->nin].name) code = find_input(w->s, &w->in[w->nin++], e);
  int at = 0;
  for (int i = 0; i < w->nin; i++) if (w->in[i].signal < 0) w->order[i] = at++;
  for (int i = 0; i < w->nin; i++) if (w->in[i].signal >= 0) w->order[i] = at++;
  return code;
}

static nsm_code read_outputs(rest *w, const char *text, nsm_error *e) {
  nsm_code code = NSM_OK;
  w->out = calloc(text ? strlen(text) + 1 : 1, sizeof *w->out);
  w->column = calloc(text ? strlen(text) + 1 : 1, sizeof *w->column);
  if (!w->out || !w->column) return sim_no_memory(e, "outputs");
  while (text && code == NSM_OK && nsm_next_name(&text, w->out[w->nout].name, REST_NAME) > 0)
    if (*w->out[w->nout].name) code = find_output(w->s, &w->out[w->nout++], e);
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
      sim_fail(e, code = NSM_USAGE, "`%s` has its value from the model; say at which it is held: %s=0", in->name,
               in->name);
    } else code = nsm_set_input_at(w->s, in->signal, isnan(now) ? 0 : now, e);
  }
  field_given by = { names, np, w->nin };
  if (code == NSM_OK && !field_open(&w->q.f, w->s, w->a->run, w->a->with, &by, e)) code = e->code;
  for (int i = 0; code == NSM_OK && i < w->nin; i++)
    if (w->in[i].signal >= 0) field_vary_input(&w->q.f, w->order[i], w->in[i].signal);
  free(names);
  return code;
}

// ---- units ----------------------------------------------------------------------------------------------------------
// The unit in which results show a state; of what they do not show SI.
static double scale_of_state(const rest *w, int j) {
  const field *f = &w->q.f;
  char name[REST_NAME];
  field_name(f, j, name, sizeof name);
  int column = nsm_find_column(w->s, name);
  return column >= 0 ? nsm_column_scale(w->s, column) : 1;
}

// In the units of results: x = S x', so A' = S^-1 A S.
static void in_units(rest *w) {
  linear *l = &w->l;
  for (int j = 0; j < l->n && !l->rates; j++) {
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

// ---- all of it ------------------------------------------------------------------------------------------------------
static nsm_code take(rest *w, const char *inputs, const char *outputs, rest_more more, nsm_error *e) {
  double hold = w->a->f->number[NSM_FLAG_HOLD];
  const nsm_lapack *la = more != REST_POINT ? nsm_lapack_plugin(e) : NULL;
  if (more != REST_POINT && !la) return e->code;
  if (strcmp(w->s->a->scheme->name, "moreau") != 0) {
    sim_fail(e, NSM_USAGE, "a point at rest is looked at with the kernels of moreau: compile the model "
             "with that scheme");
    return NSM_USAGE;
  }
  if (w->s->a->ngroup > 0) {
    sim_fail(e, NSM_USAGE, "the gaps of these contacts of shapes are not written as formulas "
             "(docs/numerics/touching.md, 8), and so there is no analysis of their equilibria");
    return NSM_USAGE;
  }
  if (more != REST_POINT && w->s->a->ndelay > 0) {
    sim_fail(e, NSM_USAGE, "E0772: what is delayed makes the linear model one of infinitely many states; --equilibrium "
             "finds its rest");
    return NSM_USAGE;
  }
  nsm_code code = read_inputs(w, inputs, e);
  if (code == NSM_OK) code = read_outputs(w, outputs, e);
  if (code == NSM_OK) code = open_field(w, e);
  if (code != NSM_OK) return code;
  if (!isnan(hold)) w->q.f.t = hold;
  code = equilibrium_find(&w->q, w->s, !isnan(hold), e);
  if (code != NSM_OK || more == REST_POINT) return code;
  int weak = linear_weak(&w->q.f);
  if (weak >= 0) {
    char name[REST_NAME];
    field_name(&w->q.f, 2 * w->q.f.nv + w->q.f.nx + weak, name, sizeof name);
    sim_fail(e, NSM_FAILED, "there is no linear model: %s is on the edge of its law, and both sides of it differ",
             name);
    return NSM_FAILED;
  }
  if (!linear_kink(&w->q.f, &weak, e)) return e->code;
  if (weak >= 0) {
    char name[REST_NAME];
    field_name(&w->q.f, weak, name, sizeof name);
    sim_fail(e, NSM_FAILED, "there is no linear model: the equations have a kink in %s at the equilibrium (abs, min, "
             "max or if), and both sides of it differ", name);
    return NSM_FAILED;
  }
  code = linear_make(&w->l, &w->q.f, la, w->column, w->nout, more == REST_RESPONSE, e);
  if (code == NSM_OK) in_units(w);
  return code == NSM_OK && more == REST_MODES ? modes_make(&w->m, &w->l, &w->q.f, la, e) : code;
}

// The motion until t.
static nsm_code run_until(nsm_sim *s, double t, nsm_error *e) {
  double before = nsm_time(s);
  nsm_code code = NSM_OK;
  while (code == NSM_OK && nsm_time(s) < t - 1e-9 * fabs(t) && nsm_steps_done(s) < nsm_steps_total(s))
    code = nsm_step(s, e);
  if (code != NSM_OK || nsm_time(s) >= t - 1e-9 * fabs(t)) return code;
  sim_fail(e, NSM_USAGE, "--from %g s: the run goes from %g s to %g s", t, before, nsm_time(s));
  return NSM_USAGE;
}

nsm_code rest_open(rest *w, const char *inputs, const char *outputs, rest_more more, nsm_error *e) {
  double from = w->a->f->number[NSM_FLAG_FROM];
  nsm_settings set = w->a->o->run;
  if (!isnan(from)) set.until = from;
  w->s = nsm_open(w->a->m, &set, e);
  nsm_code code = w->s ? NSM_OK : e->code;
  if (code == NSM_OK && !isnan(from)) code = run_until(w->s, from, e);
  return code == NSM_OK ? take(w, inputs, outputs, more, e) : code;
}

void rest_close(rest *w) {
  modes_free(&w->m);
  linear_free(&w->l);
  if (w->q.f.p) field_close(&w->q.f);
  free(w->in);
  free(w->out);
  free(w->column);
  free(w->order);
  nsm_close(w->s);
}
