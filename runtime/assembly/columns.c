// The recorded columns: time; states, coordinates, velocities, multipliers and impulses (each in the order of the
// variables); discrete variables; outputs. Values are kept in SI; results are shown in the units that the model
// declares (docs/language.md, 21.1).
#include "assembly.h"
#include <math.h>
#include <string.h>
#include "runtime/shared/unit.h"

int nsm_ncolumn(const nsm_sim *s) { return s->a->ncolumn; }

const char *nsm_column_name(nsm_sim *s, int c) {
  s->w.name[0] = 0;
  static const char *const energies[NSM_ENERGIES] = { "energy", "energy.kinetic", "energy.potential",
                                                      "energy.residue" };
  int energy = c - s->a->ncolumn;
  if (energy >= 0 && energy < NSM_ENERGIES) return strcpy(s->w.name, energies[energy]);
  if (c < 0 || energy >= 0) return s->w.name;
  if (c == 0) return strcpy(s->w.name, "time");
  c--;
  if (c < s->a->nx) sim_z_name(s, s->a->nv + c, s->w.name, sizeof s->w.name);
  else if ((c -= s->a->nx) < s->a->nshown) sim_q_name(s, s->a->shown[c], s->w.name, sizeof s->w.name);
  else if ((c -= s->a->nshown) < s->a->nv) sim_z_name(s, c, s->w.name, sizeof s->w.name);
  else if ((c -= s->a->nv) < s->a->nl_shown) sim_l_name(s, c, s->w.name, sizeof s->w.name);
  else if ((c -= s->a->nl_shown) < s->a->ndiscrete) sim_d_name(s, c, s->w.name, sizeof s->w.name);
  else {
    c -= s->a->ndiscrete;
    for (int a = 0; a < s->a->on.output.n; a++) {
      int cls = s->a->on.output.of[a], n = s->a->cls[cls].tab.count;
      if (c < n) { sim_instance_name(s, cls, c, s->w.name, sizeof s->w.name); break; }
      c -= n;
    }
  }
  return s->w.name;
}

int nsm_find_column(nsm_sim *s, const char *name) {
  for (int c = 0; c < s->a->ncolumn + NSM_ENERGIES; c++)
    if (strcmp(nsm_column_name(s, c), name) == 0) return c;
  return -1;
}

nsm_column_kind nsm_kind_of_column(const nsm_sim *s, int c) {
  const sim_analysis *a = s->a;
  if (c-- == 0) return NSM_COLUMN_TIME;
  if (c < 0 || c >= a->ncolumn - 1) return NSM_COLUMN_ENERGY;
  if (c < a->nx + a->nshown + a->nv) return NSM_COLUMN_STATE;
  if ((c -= a->nx + a->nshown + a->nv) < a->nl_shown) return NSM_COLUMN_REACTION;
  return c - a->nl_shown < a->ndiscrete ? NSM_COLUMN_DISCRETE : NSM_COLUMN_OUTPUT;
}

// ---- units ----------------------------------------------------------------------------------------------------------
// The variable whose column it is, and whether its rate is; -1: an output, of class *cls, or the time.
static int variable_at(const nsm_sim *s, int c, int *is_rate, int *cls) {
  const sim_analysis *a = s->a;
  *is_rate = 0;
  *cls = -1;
  if (c-- <= 0) return -1;
  if (c < a->nx) return sim_variable_of(s, 0, NSM_VAR_STATE, c);
  if ((c -= a->nx) < a->nshown)
    return sim_variable_of(s, 0, a->shown[c] < a->nown ? NSM_VAR_COORD : NSM_VAR_POSITION, a->shown[c]);
  if ((c -= a->nshown) < a->nv) {
    *is_rate = c < a->nown;
    return sim_variable_of(s, 0, c < a->nown ? NSM_VAR_COORD : NSM_VAR_VELOCITY, c);
  }
  if ((c -= a->nv) < a->nl_shown) return sim_variable_of(s, 1, NSM_VAR_MULTIPLIER, c);
  if ((c -= a->nl_shown) < a->ndiscrete) return sim_variable_of(s, 0, NSM_VAR_DISCRETE, c);
  c -= a->ndiscrete;
  for (int i = 0; i < a->on.output.n; i++) {
    int n = a->cls[a->on.output.of[i]].tab.count;
    if (c < n) { *cls = a->on.output.of[i]; break; }
    c -= n;
  }
  return -1;
}

const char *nsm_column_unit(nsm_sim *s, int c) {
  const nsm_model *m = s->a->m;
  int is_rate, cls;
  if (c >= s->a->ncolumn) return c < s->a->ncolumn + NSM_ENERGIES ? "J" : "";
  if (c <= 0) return c == 0 ? "s" : "";
  int i = variable_at(s, c, &is_rate, &cls);
  if (cls >= 0) return sim_text(s, s->a->cls[cls].c->unit);
  return i < 0 ? "" : sim_text(s, is_rate ? m->var[i].rate_unit : m->var[i].unit);
}

static int is_scaled(const nsm_sim *s, int unit) { return fabs(nsm_unit_scale(sim_text(s, unit)) - 1) > 1e-12; }

// Which columns are not shown in SI: most models have none.
void sim_columns_scaled(nsm_sim *s) {
  const nsm_model *m = s->a->m;
  int any = 0;
  for (int i = 0; i < m->nvar; i++) any |= is_scaled(s, m->var[i].unit);
  for (int i = 0; i < s->a->on.output.n; i++) any |= is_scaled(s, s->a->cls[s->a->on.output.of[i]].c->unit);
  if (!any) return;
  s->a->scale = SIM_NEW(s, s->a->ncolumn, double);
  for (int c = 0; s->a->scale && c < s->a->ncolumn; c++) s->a->scale[c] = nsm_unit_scale(nsm_column_unit(s, c));
}

double nsm_column_scale(const nsm_sim *s, int c) {
  return s->a->scale && c >= 0 && c < s->a->ncolumn ? s->a->scale[c] : 1;
}

void nsm_column_in_unit(const nsm_sim *s, int c, double *value, long n, long stride) {
  double scale = nsm_column_scale(s, c);
  for (long i = 0; scale != 1 && i < n; i++) value[i * stride] = nsm_from_si(value[i * stride], scale);
}

void nsm_in_units(const nsm_sim *s, double *row) {
  for (int c = 0; s->a->scale && c < s->a->ncolumn; c++) nsm_column_in_unit(s, c, row + c, 1, 1);
}

// ---- values ---------------------------------------------------------------------------------------------------------
void sim_evaluate_class(nsm_sim *s, int cls, double *value) {
  nsm_view v = sim_now(s);
  v.h = s->now.span > 0 ? s->now.span : s->n.h;            // of name.force, the multiplier over the step
  s->a->cls[cls].c->out_fn(&v, &s->a->cls[cls].tab, value);
}

void nsm_read(nsm_sim *s, double *row) {
  *row++ = s->now.t;
  memcpy(row, s->now.z + s->a->nv, (size_t)s->a->nx * sizeof *row);
  row += s->a->nx;
  for (int i = 0; i < s->a->nshown; i++) *row++ = s->now.q[s->a->shown[i]];
  memcpy(row, s->now.z, (size_t)s->a->nv * sizeof *row);
  row += s->a->nv;
  memcpy(row, s->now.l, (size_t)s->a->nl_shown * sizeof *row);
  row += s->a->nl_shown;
  if (s->a->ndiscrete > 0) memcpy(row, s->now.d, (size_t)s->a->ndiscrete * sizeof *row);
  row += s->a->ndiscrete;
  for (int a = 0; a < s->a->on.output.n; a++) {
    sim_evaluate_class(s, s->a->on.output.of[a], row);
    row += s->a->cls[s->a->on.output.of[a]].tab.count;
  }
}

void sim_energy(const nsm_sim *s, double *kinetic, double *potential) {
  nsm_view v = sim_now(s);
  *kinetic = *potential = 0;
  SIM_EACH(s, energy, k) k->c->energy_fn(&v, &k->tab, kinetic, potential);
}

static double read_energy(const nsm_sim *s, int which) {
  double kinetic, potential;
  if (s->a->on.energy.n == 0 || which >= NSM_ENERGIES) return NAN;
  if (which == 3) return s->now.ledger.on ? s->now.ledger.residue_now : NAN;
  sim_energy(s, &kinetic, &potential);
  return which == 0 ? kinetic + potential : which == 1 ? kinetic : potential;
}

double nsm_read_column(nsm_sim *s, int c) {
  const sim_analysis *a = s->a;
  const sim_state *now = &s->now;
  if (c >= a->ncolumn) return read_energy(s, c - a->ncolumn);
  if (c < 0) return NAN;
  if (c == 0) return now->t;
  c--;
  if (c < a->nx) return now->z[a->nv + c];
  if ((c -= a->nx) < a->nshown) return now->q[a->shown[c]];
  if ((c -= a->nshown) < a->nv) return now->z[c];
  if ((c -= a->nv) < a->nl_shown) return now->l[c];
  if ((c -= a->nl_shown) < a->ndiscrete) return now->d[c];
  c -= a->ndiscrete;
  for (int i = 0; i < a->on.output.n; i++) {
    int cls = a->on.output.of[i], n = a->cls[cls].tab.count;
    if (c < n) { sim_evaluate_class(s, cls, s->w.out); return s->w.out[c]; }
    c -= n;
  }
  return NAN;
}
