// Why a step failed: time, step, iteration, residual, and the row it belongs to.
#include "consistent.h"
#include <math.h>
#include <stdio.h>

// At an iterate with a moving mass: the coordinate whose pivot of M is not positive; -1 for none.
static int bad_mass(nsm_sim *s, const nsm_view *v) {
  if (s->a->on.mass_moving.n == 0) return -1;
  for (int a = 0; a < s->a->on.mass_moving.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.mass_moving.of[a]];
    k->c->mass_fn(v, &k->tab, k->mass);
  }
  return sim_mass_indefinite(s);
}

// The constraint that is off most, where dependent ones were met.
static int contradicted(const nsm_sim *s, double h, double *error) {
  const struct sim_consistent *c = s->n.con;
  int row = -1;
  *error = 0;
  for (int j = 0; c->singular && j < c->ns; j++) {
    double x = con_row_error(s, h, c->row[j]);
    if (x > *error && x > s->a->tolerance) { *error = x; row = c->row[j]; }
  }
  return row;
}

nsm_code con_mass(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  int z = bad_mass(s, v);
  return z < 0 ? NSM_OK : sim_mass_failed(s, v->t, z, e);
}

nsm_code con_singular(nsm_sim *s, const nsm_view *v, int it, double error, int bad, nsm_error *e) {
  char name[256];
  const struct sim_consistent *c = s->n.con;
  int z = bad_mass(s, v);
  if (sim_blame(s, v, e) != NSM_OK) return NSM_FAILED;                 // a kernel gave what is no number
  if (z >= 0) bad = z;
  int row = bad < s->a->nv ? -1 : c->row[(bad - s->a->nv) % c->ns];
  if (row < 0) sim_z_name(s, bad, name, sizeof name);
  else sim_row_name(s, row, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, row < 0 ? sim_at_z(s, bad) : sim_at_row(s, row),
              "the %s is singular at t = %.10g s, step %ld, iteration %d (relative residual %.3g): no pivot for %s",
              z >= 0 ? "mass matrix" : "iteration matrix", v->t, sim_step_number(s), it, error, name);
  return NSM_FAILED;
}

nsm_code con_failed(nsm_sim *s, const nsm_view *v, const sim_iteration *it, nsm_error *e) {
  if (s->n.r.no_room) return sim_no_memory(e, "contacts that are closed together");
  int worst = it->worst;
  char name[256], other[256];
  if (isnan(it->error)) {
    nsm_code code = sim_blame(s, v, e);
    if (code == NSM_OK)
      sim_fail(e, code = NSM_FAILED, "a residual is not a number at t = %.10g s, step %ld, iteration %d", v->t,
               sim_step_number(s), it->number);
    return code;
  }
  if (worst >= 0) sim_z_name(s, worst, name, sizeof name);
  else sim_row_name(s, ~worst, name, sizeof name);
  double off;
  int row = contradicted(s, v->h, &off), z = bad_mass(s, v);
  for (int steps = 1; steps <= 4 && z < 0; steps *= 2) {   // or where the velocities lead soon
    sim_move(s, s->now.q, steps * v->h, s->now.z, s->w.q1);
    z = bad_mass(s, v);
  }
  char why[400] = "a smaller step may help";
  s->w.astray = row < 0 && z < 0;
  if (row >= 0) {
    sim_row_name(s, row, other, sizeof other);
    snprintf(why, sizeof why,
             "constraints depend on each other there, and %s is off by %.3g (relative): do they contradict each other?",
             other, off);
  } else if (z >= 0) {
    sim_z_name(s, z, other, sizeof other);
    snprintf(why, sizeof why, "the mass matrix is not positive definite there or close by, see %s", other);
  } else (void)(sim_jumps(s, why, sizeof why) || sim_escapes(s, why, sizeof why));
  sim_fail_at(e, NSM_FAILED, worst >= 0 ? sim_at_z(s, worst) : sim_at_row(s, ~worst),
              "Newton's method did not converge at t = %.10g s, step %ld: after %d iterations the relative residual of "
              "%s is %.3g (tolerance %.3g); %s",
              v->t, sim_step_number(s), it->number, name, it->error, s->a->tolerance, why);
  return NSM_FAILED;
}
