// Rows that are gaps (nsm_model.place_at): schatzman_paoli. compiler/schemes/schatzman_paoli.c has its equations,
// step_newton.c iterates on them. A row is its gap at q*, reached with the share 1/(1 + e) of h u_E, as a rate:
//
//   y = g(q*)/(h share),   dy/du_E = H(q*)
//
// and its impulse acts along H(q*). So the one-step problem is that of the other schemes, with e = 0. Contacts act that
// the step would take inside (projection.c). Velocities are means of steps: that of the start is moved back by half a
// step, u_B = v - (h/2) M^-1 f, and forces at the begin have the velocity of the step before (2).
#include "newton.h"
#include <string.h>

void sim_places_analyse(nsm_sim *s) {
  if (!s->a->m->place_at) return;
  s->w.z_from_begin = SIM_NEW(s, (size_t)s->a->nz, double);
  s->w.q_place = SIM_NEW(s, (size_t)s->a->nq, double);
}

void sim_places_begin(nsm_sim *s) {
  size_t bytes = (size_t)s->a->nz * sizeof(double);
  if (!s->now.centred) {
    nsm_view v = sim_now(s);
    memcpy(s->now.central, s->now.z, bytes);
    sim_forces(s, &v, 0, s->w.f);
    SIM_EACH(s, mass_moving, k) k->c->mass_fn(&v, &k->tab, k->mass);
    s->n.inertia_factored = 0;
    sim_mass_solve(s, s->w.f);
    for (int i = 0; i < s->a->nv; i++) s->now.z[i] -= 0.5 * s->n.h * s->w.f[i];
    s->now.centred = 1;
  }
  memcpy(s->w.z_from_begin, s->now.central, bytes);
}

void sim_places_accept(nsm_sim *s) {
  for (int i = 0; i < s->a->nz; i++) s->now.central[i] = 0.5 * (s->now.z[i] + s->w.z1[i]);
}

double newton_place_share(const nsm_sim *s, int row) { return sim_place_point(s, s->n.r.e[row]).end; }

void newton_place(nsm_sim *s, const sim_class *k, double t1) {
  sim_rows *r = &s->n.r;
  for (int i = 0, n; i < k->tab.count; i += n) {
    int row = k->row0 + i;
    for (n = 1; i + n < k->tab.count && r->e[row + n] == r->e[row]; n++) continue;
    nsm_point to = sim_place_point(s, r->e[row]);
    nsm_table some = sim_part(k, i, n);
    double t = sim_at_point(s, &to, t1, s->w.z1, s->w.q_place, NULL), by = 1 / (s->n.h * to.end);
    nsm_view v = sim_view(s, t, s->w.q_place, s->w.z1, s->w.l1);
    k->c->gap_fn(&v, &some, r->y + row, r->drift + row);
    k->c->size_fn(&v, &some, r->terms + row);
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(&v, &some, k->h + (size_t)i * (size_t)k->c->h.n);
    for (int j = row; j < row + n; j++) {
      r->y[j] *= by;
      r->terms[j] *= by;
    }
  }
}
