// What a step by Newton's method (step_newton.c, step_radau.c, step_flow.c) needs before the first one.
#include "newton.h"
#include <string.h>

static const double inner = 0.1;         // share of the tolerance for the problem in an iterate

int sim_own_velocities(nsm_sim *s, nsm_error *e) {
  char name[256];
  if (s->a->nv == s->a->nown) return 1;
  if (s->a->nv > s->a->nown) sim_v_name(s, s->a->nown, name, sizeof name);
  else sim_q_name(s, s->a->nown, name, sizeof name);
  sim_fail(e, NSM_MODEL_WRONG, "the scheme `%s` takes coordinates with velocities of their own, and %s is none; "
           "`midpoint` takes both", s->a->scheme->name, name);
  return 0;
}

int *newton_units(nsm_sim *s) {
  const nsm_model *m = s->a->m;
  int nz = s->a->nz, *unit = SIM_NEW(s, nz + s->a->nl, int);
  for (int i = 0; i < s->a->nv; i++) unit[i] = i;
  for (int i = 0; i < m->nvar; i++) {
    const sim_var *v = &s->a->var[i];
    int state = m->var[i].kind == NSM_VAR_STATE, first = -1;
    if ((!state && m->var[i].kind != NSM_VAR_MULTIPLIER) || v->count == 0) continue;
    for (int k = 0; k < i && first < 0; k++)
      if ((m->var[k].kind == NSM_VAR_STATE || m->var[k].kind == NSM_VAR_MULTIPLIER) && s->a->var[k].count > 0 &&
          strcmp(sim_text(s, m->var[k].unit), sim_text(s, m->var[i].unit)) == 0)
        first = unit[(m->var[k].kind == NSM_VAR_STATE ? s->a->nv : nz) + s->a->var[k].base];
    int at = (state ? s->a->nv : nz) + v->base;
    for (int j = 0; j < v->count; j++) unit[at + j] = first < 0 ? at : first;
  }
  return unit;
}

void sim_newton_analyse(nsm_sim *s) {
  if (!s->a->iterates) return;
  if (s->a->algebraic || SIM_SIZES(s)) {
    s->w.unit = newton_units(s);
    s->w.unit_size = SIM_NEW(s, s->a->nz + s->a->nl, double);
  }
  s->w.cone.tolerance *= inner;
  size_t nz = (size_t)s->a->nz, rows = (size_t)s->n.r.n;
  double **by_z[] = { &s->w.g,     &s->w.s,    &s->w.smooth, &s->w.smooth_size, &s->w.inc,    &s->w.inc_size,
                      &s->w.diag,  &s->w.drive, &s->w.lost,  &s->w.round,       &s->w.z_from, &s->w.z_try,
                      &s->w.z_kept, &s->w.own,  &s->w.off,    &s->w.z_path,
                      &s->w.lost_before };
  double **with_rows[] = { &s->w.residual, &s->w.residual_size, &s->w.before, &s->w.top, &s->w.dz };
  for (size_t i = 0; i < sizeof by_z / sizeof *by_z; i++) *by_z[i] = SIM_NEW(s, nz, double);
  for (size_t i = 0; i < sizeof with_rows / sizeof *with_rows; i++) *with_rows[i] = SIM_NEW(s, nz + rows, double);
  s->w.hold = SIM_NEW(s, nz + 2 * (size_t)s->n.r.nborder, double);
  if (s->a->algebraic && s->a->theta < 1) s->w.z_begin = SIM_NEW(s, nz, double);
  s->w.l_path = SIM_NEW(s, (size_t)s->a->nl + 1, double);
  s->w.turn = SIM_NEW(s, (size_t)s->n.w.nblock + rows, sim_turn);
  newton_force_analyse(s);
  if (SIM_KEEPS(s)) s->n.w.kept = s->now.made = SIM_NEW(s, s->n.w.nval, double);
}
