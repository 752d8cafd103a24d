// The recorded columns: time; states, coordinates, velocities, multipliers and impulses (each in the order of the
// variables); discrete variables; outputs.
#include "assembly.h"
#include <math.h>
#include <string.h>
#include "runtime/ledger/ledger.h"

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

void sim_evaluate_class(nsm_sim *s, int cls, double *value) {
  nsm_view v = sim_now(s);
  v.h = s->n.h;                                            // of name.force, the multiplier over the step
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
