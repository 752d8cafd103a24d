// What depends on the length of the step: constants, matrices and their factors.
#include "clock.h"
#include "runtime/assembly/augmented.h"
#include "runtime/schemes/consistent.h"
#include <stdio.h>
#include <string.h>

void sim_evaluate_constants(nsm_sim *s) {
  nsm_view v = sim_now(s);
  sim_rows *r = &s->n.r;
  memset(s->n.f_constant, 0, (size_t)s->a->nz * sizeof(double));
  SIM_EACH(s, smooth, k) {
    const nsm_class *c = k->c;
    if (sim_fixed(c->mass_stage)) c->mass_fn(&v, &k->tab, k->mass);
    if (sim_fixed(c->jac_stage)) c->jac_fn(&v, &k->tab, k->jac);
    if (sim_fixed(c->b_stage)) c->b_fn(&v, &k->tab, k->b);
    if (sim_fixed(c->k_stage)) c->k_fn(&v, &k->tab, k->k);
    if (sim_fixed(c->f_stage)) c->f_fn(&v, &k->tab, s->n.f_constant, s->n.f_constant + s->a->nv);
  }
  SIM_EACH(s, row, k) {
    if (sim_fixed(k->c->h_stage)) k->c->h_fn(&v, &k->tab, k->h);
    if (k->rq && sim_fixed(k->c->rq_stage)) k->c->rq_fn(&v, &k->tab, k->rq);
    if (k->c->law_fn) k->c->law_fn(&v, &k->tab, r->lo + k->row0, r->hi + k->row0);
  }
}

// Moving kernels too: W and M_osns are made once at the start, so that a singular one is found before the first step.
static void evaluate_moving(nsm_sim *s) {
  nsm_view v = sim_now(s);
  SIM_EACH(s, mass_moving, k) k->c->mass_fn(&v, &k->tab, k->mass);
  SIM_EACH(s, jac_moving, k) k->c->jac_fn(&v, &k->tab, k->jac);
  SIM_EACH(s, k_moving, k) k->c->k_fn(&v, &k->tab, k->k);
  SIM_EACH(s, b_moving, k) k->c->b_fn(&v, &k->tab, k->b);
  SIM_EACH(s, mid, k) k->c->h_fn(&v, &k->tab, k->h_mid);
  SIM_EACH(s, h_moving, k) k->c->h_fn(&v, &k->tab, k->h);
  SIM_EACH(s, rq_moving, k) k->c->rq_fn(&v, &k->tab, k->rq);
}

// What constant forces do in a step.
static void constant_motion(nsm_sim *s) {
  for (int i = 0; i < s->a->nz; i++) s->n.dz_constant[i] = s->n.h * s->n.f_constant[i];
  sim_matrix_solve(s, s->n.dz_constant);
}

int sim_prepare(nsm_sim *s, double h, nsm_error *e) {
  sim_rows *r = &s->n.r;
  s->n.h = h;
  evaluate_moving(s);
  if (r->n > 0) {
    sim_rows_outer(s, 1);
    sim_rows_rates(s);
  }
  if (!s->n.checked) {
    sim_unknowns_check(s);
    sim_weights_check(s);
  }
  s->n.checked = 1;
  int z = sim_matrix_of_length(s);
  if (z >= 0) {
    char name[256], when[64] = "at the start";
    if (s->now.t > s->a->start) snprintf(when, sizeof when, "at t = %.10g s", s->now.t);
    if (z >= s->a->nz) sim_row_name(s, r->border[z - s->a->nz], name, sizeof name);
    else if (z < s->a->nv) sim_v_name(s, z, name, sizeof name);
    else sim_z_name(s, z, name, sizeof name);
    nsm_view now = sim_now(s);
    if (sim_blame(s, &now, e) != NSM_OK) return e ? e->code = NSM_MODEL_WRONG : 0, 0;      // something is no number
    s->n.h = 0.37*h;                                       // x' = x and h theta = 1: the step alone makes it singular
    if (sim_matrix_update(s, 1) < 0) {
      sim_fail_at(e, NSM_MODEL_WRONG, sim_at_z(s, z),
                  "a step of %g s is too long for %s: the equations of the implicit step have no single solution; "
                  "choose a shorter step", h, name);
      return 0;
    }
    sim_fail_at(e, NSM_MODEL_WRONG, sim_at_z(s, z),
             "the iteration matrix is singular %s: %s %s is not determined by the equations", when,
             z >= s->a->nz  ? "the force of"
             : z < s->a->nv ? "the velocity of coordinate"
                         : "state",
             name);
    return 0;
  }
  if (s->a->linear) constant_motion(s);
  if (r->m_follows) {
    r->made = 0;
    if (r->augmented) sim_augmented_stale(s);
    if (r->always) sim_islands_list(s);
  } else if (r->n > 0 && r->constant) {
    memset(r->active, 1, (size_t)r->n);
    sim_islands_list(s);
    sim_rows_couple(s);
    sim_islands_fix(s);
  }
  return 1;
}

int sim_refresh(nsm_sim *s, nsm_error *e) {
  int stale = s->n.stale;
  if (!stale) return 1;
  s->n.stale = 0;
  if (s->n.con) s->n.con->made_for = 0;
  sim_evaluate_constants(s);
  if (stale > 1) {
    s->n.checked = s->n.w.lengths = 0;
    return sim_prepare(s, s->n.h, e);
  }
  if (s->a->linear) constant_motion(s);
  return 1;
}
