// What is said where Newton's method fails, and where it stops above the tolerance.
#include "newton.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static nsm_place place(const nsm_sim *s, int worst) {
  return worst >= 0 ? sim_at_z(s, worst) : sim_at_row(s, ~worst);
}

static void row_or_unknown(const nsm_sim *s, int worst, char *name, size_t size) {
  if (worst >= 0) sim_z_name(s, worst, name, size);
  else sim_row_name(s, ~worst, name, size);
}

// The coordinate whose pivot of M is not positive, at the iterate or where the velocities lead; -1 for none.
static int bad_mass(nsm_sim *s, double t1) {
  int z = s->a->on.mass_moving.n > 0 ? sim_mass_indefinite(s) : -1;
  if (z >= 0 || s->a->on.mass_moving.n == 0) return z;
  sim_move(s, s->now.q, s->n.h, s->now.z, s->w.qm);
  nsm_view v = sim_view(s, t1, s->w.qm, s->now.z, s->w.l1);
  SIM_EACH(s, mass_moving, k) k->c->mass_fn(&v, &k->tab, k->mass);
  return sim_mass_indefinite(s);
}

static nsm_code not_converged(nsm_sim *s, double t1, const sim_iteration *it, nsm_error *e) {
  char name[256], other[256], why[400] = "a smaller step may help";
  int z = bad_mass(s, t1);
  s->w.astray = z < 0;
  if (z < 0) (void)(sim_jumps(s, why, sizeof why) || sim_escapes(s, why, sizeof why));
  row_or_unknown(s, it->worst, name, sizeof name);
  if (z >= 0) {
    sim_z_name(s, z, other, sizeof other);
    snprintf(why, sizeof why, "the mass matrix is not positive definite there, see %s", other);
  }
  sim_fail_at(e, NSM_FAILED, place(s, it->worst),
              "Newton's method did not converge at t = %.10g s, step %ld: after %d iterations the relative residual of "
              "%s is %.3g (tolerance %.3g); %s",
              t1, sim_step_number(s), it->number, name, it->error, s->a->tolerance, why);
  return NSM_FAILED;
}

static int all_finite(const double *x, int n) {
  for (int i = 0; i < n; i++) if (!isfinite(x[i])) return 0;
  return 1;
}

// Where the iterate is lost, the statement that lost it is sought where the last iteration began, z_from: that is
// finite, as the square root of a negative extrapolated state. NSM_OK: it is not there, and z1 is lost as before.
static nsm_code blame_last_finite(nsm_sim *s, double t1, nsm_error *e) {
  size_t n = (size_t)s->a->nz * sizeof(double);
  if (all_finite(s->w.z1, s->a->nz) || !all_finite(s->w.z_from, s->a->nz)) return NSM_OK;
  memcpy(s->w.z1, s->w.z_from, n);
  newton_position(s);
  nsm_view v = newton_end(s, t1);
  nsm_code c = sim_blame(s, &v, e);
  if (c != NSM_OK) return c;
  memcpy(s->w.z1, s->w.z_try, n);
  newton_position(s);
  return NSM_OK;
}

static nsm_code not_finite(nsm_sim *s, double t1, nsm_error *e) {
  if (blame_last_finite(s, t1, e) != NSM_OK) return NSM_FAILED;
  nsm_view v = newton_end(s, t1);
  nsm_code c = sim_blame(s, &v, e);
  if (c == NSM_OK)
    sim_fail(e, c = NSM_FAILED, "a residual is not a number at t = %.10g s, step %ld", t1, sim_step_number(s));
  return c;
}

nsm_code newton_singular(nsm_sim *s, double t1, int z, nsm_error *e) {
  char name[256];
  nsm_view v = newton_end(s, t1);
  if (sim_blame(s, &v, e) != NSM_OK) return NSM_FAILED;                 // a kernel gave what is no number
  int at = z < s->a->nz ? z : ~s->n.r.border[z - s->a->nz];
  row_or_unknown(s, at, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, place(s, at),
              "the iteration matrix is singular at t = %.10g s, step %ld: no pivot for %s", t1, sim_step_number(s),
              name);
  return NSM_FAILED;
}

nsm_code newton_failed(nsm_sim *s, const nsm_view *v, const sim_iteration *it, nsm_error *e) {
  return isnan(it->error) ? not_finite(s, v->t, e) : not_converged(s, v->t, it, e);
}

// The residual fell no more above the tolerance: the worst of the run is kept for the summary.
nsm_code newton_mass(nsm_sim *s, double t1, nsm_error *e) {
  int z = s->a->on.mass_moving.n > 0 ? sim_mass_indefinite(s) : -1;
  return z < 0 ? NSM_OK : sim_mass_failed(s, t1, z, e);
}
