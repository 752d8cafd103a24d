// The recorded columns: time; states, coordinates, velocities, multipliers and impulses (each in the order of the
// variables); outputs.
#include "sim.h"
#include <math.h>
#include <string.h>

int nsm_ncolumn(const nsm_sim *s) { return s->ncolumn; }

const char *nsm_column_name(nsm_sim *s, int c) {
  s->name[0] = 0;
  if (c < 0 || c >= s->ncolumn) return s->name;
  if (c == 0) return strcpy(s->name, "time");
  c--;
  if (c < s->nx) sim_z_name(s, s->nq + c, s->name, sizeof s->name);
  else if ((c -= s->nx) < s->nq) sim_q_name(s, c, s->name, sizeof s->name);
  else if ((c -= s->nq) < s->nq) sim_z_name(s, c, s->name, sizeof s->name);
  else if ((c -= s->nq) < s->nl) sim_l_name(s, c, s->name, sizeof s->name);
  else {
    c -= s->nl;
    for (int a = 0; a < s->on.output.n; a++) {
      int cls = s->on.output.of[a], n = s->cls[cls].tab.count;
      if (c < n) { sim_instance_name(s, cls, c, s->name, sizeof s->name); break; }
      c -= n;
    }
  }
  return s->name;
}

int nsm_find_column(nsm_sim *s, const char *name) {
  for (int c = 0; c < s->ncolumn; c++)
    if (strcmp(nsm_column_name(s, c), name) == 0) return c;
  return -1;
}

void sim_evaluate_class(nsm_sim *s, int cls, double *value) {
  nsm_view v = sim_now(s);
  s->cls[cls].c->out_fn(&v, &s->cls[cls].tab, value);
}

void nsm_read(nsm_sim *s, double *row) {
  *row++ = s->t;
  memcpy(row, s->z + s->nq, (size_t)s->nx * sizeof *row);
  row += s->nx;
  memcpy(row, s->q, (size_t)s->nq * sizeof *row);
  row += s->nq;
  memcpy(row, s->z, (size_t)s->nq * sizeof *row);
  row += s->nq;
  memcpy(row, s->l, (size_t)s->nl * sizeof *row);
  row += s->nl;
  for (int a = 0; a < s->on.output.n; a++) {
    sim_evaluate_class(s, s->on.output.of[a], row);
    row += s->cls[s->on.output.of[a]].tab.count;
  }
}

double nsm_read_column(nsm_sim *s, int c) {
  if (c == 0) return s->t;
  c--;
  if (c < s->nx) return s->z[s->nq + c];
  if ((c -= s->nx) < s->nq) return s->q[c];
  if ((c -= s->nq) < s->nq) return s->z[c];
  if ((c -= s->nq) < s->nl) return s->l[c];
  c -= s->nl;
  for (int a = 0; a < s->on.output.n; a++) {
    int cls = s->on.output.of[a], n = s->cls[cls].tab.count;
    if (c < n) { sim_evaluate_class(s, cls, s->out); return s->out[c]; }
    c -= n;
  }
  return NAN;
}

void sim_energy(const nsm_sim *s, double *kinetic, double *potential) {
  nsm_view v = sim_now(s);
  *kinetic = *potential = 0;
  for (int a = 0; a < s->on.energy.n; a++) {
    const sim_class *k = &s->cls[s->on.energy.of[a]];
    k->c->energy_fn(&v, &k->tab, kinetic, potential);
  }
}
