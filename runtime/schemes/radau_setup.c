// What `radau` takes, its room, and its line in the table of schemes: a step without location, and one of implicit
// Euler, which finds sets (step_moreau with theta = gamma = 1).
#include "radau.h"
#include "newton.h"

enum { LARGE = 10000 };                  // entries of A

int sim_radau_fits(nsm_sim *s, nsm_error *e) {
  if (s->a->nv > 0 || s->a->nq > 0) {
    sim_fail(e, NSM_USAGE, "the scheme `radau` takes first-order states and networks, and this model has velocities");
    return 0;
  }
  return 1;
}

static void open_lu(nsm_sim *s, nsm_lu *f, int pairs) {
  const struct sim_radau *w = s->n.radau;
  nsm_la_memory memory = sim_la_fixed(s);
  int n = w->n + (w->n < RADAU_FREE ? w->n : RADAU_FREE);
  if (!nsm_lu_open(f, n, pairs, 2 * (size_t)w->at.start[w->n], &memory)) sim_no_room(s);
}

// Sets and factors that are kept: fewer of large ones.
static void take_sets(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  nsm_la_memory memory = sim_la_fixed(s);
  size_t n = (size_t)w->n, free = n < RADAU_FREE ? n : RADAU_FREE, entries = (size_t)w->at.start[n];
  w->nset = entries > LARGE ? 4 : RADAU_SETS;
  w->nfactors = entries > LARGE ? 8 : RADAU_FACTORS;
  for (int i = 0; i < w->nset; i++) {
    radau_set *set = &w->set[i];
    set->side = SIM_NEW(s, s->n.r.n, unsigned char);
    if (s->a->event_matrix) set->d = SIM_NEW(s, s->a->nheld, double);
    set->A = SIM_NEW(s, entries, double);
    set->alone = SIM_NEW(s, n, unsigned char);
    double **of[] = { &set->U, &set->X, &set->left };
    for (int k = 0; k < 3; k++) *of[k] = SIM_NEW(s, n * free, double);
  }
  for (int i = 0; i < w->nfactors; i++) {
    radau_factors *f = &w->factors[i];
    f->scale = SIM_NEW(s, n + free, double);
    for (int k = 0; k < w->m.modes; k++) open_lu(s, &f->lu[k], w->m.mode[k].im != 0);
  }
  open_lu(s, &w->probe, 0);
  if (!nsm_lu_work_open(&w->lu_work, w->n + RADAU_FREE, &memory)) sim_no_room(s);
  size_t bordered = entries + free * (2 * n + 1);
  w->kstart = SIM_NEW(s, n + free + 1, int);
  w->krow = SIM_NEW(s, bordered, int);
  w->kre = SIM_NEW(s, bordered, double);
  w->kim = SIM_NEW(s, bordered, double);
}

void sim_radau_analyse(nsm_sim *s) {
  sim_newton_analyse(s);
  struct sim_radau *w = s->n.radau = SIM_NEW(s, 1, struct sim_radau);
  const sim_rows *r = &s->n.r;
  radau_method_make(&w->m, s->a->stages);
  w->nz = s->a->nz;
  w->nl = s->a->nl;
  w->n = w->nz + w->nl;
  w->linear = s->a->linear;
  w->moving_mass = s->a->on.mass_moving.n > 0;
  w->cases = SIM_NEW(s, r->n, int);
  for (int row = 0; row < r->n; row++) {
    const nsm_class *c = s->a->cls[r->cls[row]].c;
    if (c->row_type != NSM_ROW_FREE) w->cases[w->ncase++] = row;
  }
  size_t n = (size_t)w->n, rows = (size_t)r->n;
  radau_pattern_make(s);
  w->E = SIM_NEW(s, w->at.ne, double);
  w->other = SIM_NEW(s, w->at.ne, double);
  w->inertia = SIM_NEW(s, n, double);
  w->z0 = SIM_NEW(s, n + 1, double);
  w->zp = SIM_NEW(s, n + 1, double);
  w->part = SIM_NEW(s, RADAU_STAGES * n, double);
  for (int i = 0; i < RADAU_STAGES; i++) {
    w->Z[i] = SIM_NEW(s, n + 1, double);
    double **by_n[] = { &w->F[i], &w->R[i] }, **by_row[] = { &w->y[i], &w->lo[i], &w->hi[i] };
    for (int k = 0; k < 2; k++) *by_n[k] = SIM_NEW(s, n, double);
    for (int k = 0; k < 3; k++) *by_row[k] = SIM_NEW(s, rows, double);
  }
  double **by_n[] = { &w->xr, &w->xi, &w->sum, &w->terms, &w->least };
  for (int k = 0; k < 5; k++) *by_n[k] = SIM_NEW(s, n + RADAU_FREE, double);
  w->old = SIM_NEW(s, rows, unsigned char);
  w->before = SIM_NEW(s, n, double);
  w->next = SIM_NEW(s, rows, unsigned char);
  w->f = SIM_NEW(s, 2 * RADAU_STAGES * rows, double);
  take_sets(s);
  w->group = newton_units(s);
}

nsm_code sim_step_radau(nsm_sim *s, double t1, nsm_error *e) {
  (void)e;
  (void)t1;
  (void)radau_trial(s, s->w.length);
  return NSM_OK;                                           // what came of it: sim_radau.outcome (clock/radau_pieces.c)
}

// The change of the energy of states by what feeds them, with the weights of the quadrature: of d_i = sum_j omega_ij
// (Z_j - z_0), sum_i b_i V'(Z_i) d_i.
static double fed(nsm_sim *s) {
  const struct sim_radau *w = s->n.radau;
  double sum = 0, *d = w->xr, *at = w->xi;
  int euler = s->w.euler || w->takes;
  for (int i = 0; i < (euler ? 1 : w->m.s); i++) {
    for (int z = 0; z < w->nz; z++) {
      d[z] = euler ? s->w.z1[z] - s->now.z[z] : 0;
      for (int j = 0; j < w->m.s && !euler; j++) d[z] += w->m.omega[i][j] * (w->Z[j][z] - s->now.z[z]);
    }
    if (euler) sum += sim_energy_along(s, s->now.t, s->w.z1, d, at);
    else sum += w->m.a[w->m.s - 1][i] * sim_energy_along(s, s->now.t + w->m.c[i] * w->r, w->Z[i], d, at);
  }
  return sum;
}

void sim_radau_accept(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  if (w->takes) {
    memcpy(s->now.set, w->next, (size_t)s->n.r.n);
    s->now.count.captured++;
  }
  if (s->now.ledger.on) s->now.ledger.forces_now = fed(s);
  w->takes = w->fresh = 0;
}
