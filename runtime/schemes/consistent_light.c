// The inertia of light bodies that are held. Speeds are known to the round-off of what drives them, size/M (the measure
// of constraints, docs/numerics/consistent.md, section 4). A body of 1e-9 kg m^2 on a hinge, a point mass to its user,
// would have 1e7 rad/s so, and an error of 1e-12 of that is one that can be seen. Its turn is not free: where a row of
// its joint says that it takes its place with it, and what the joint is on, it has their inertia as well,
//
//   M_z + H_z^2 / (sum of H_i^2/M_i),   i: the place of the body, and all of what it is on.
#include "consistent.h"
#include <string.h>

enum { BODY = 6 };
static const double light = 1e-4;        // beside what it takes with it
static const double radius = 1e-2;       // of inertia, in metres: which bodies are looked at

// The velocities of bodies in space by class: three of the turn, then three of the place (nsm_abi.h).
void con_light_analyse(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  c->held_inverse = SIM_NEW(s, s->a->nv, double);
  c->body_of = SIM_NEW(s, s->a->nv, int);
  memcpy(c->held_inverse, c->mass_inverse, (size_t)s->a->nv * sizeof(double));
  if (s->a->on.constraint.n == 0) return;
  for (int a = 0, body = 1; a < s->a->on.kinematics.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.kinematics.of[a]];
    int slot[BODY], n = 0;
    for (int e = 0; e < k->c->nslot && !k->c->remembers; e++)
      if (k->c->slot[e] != NSM_SLOT_POSITION && n++ < BODY) slot[n - 1] = e;
    for (int i = 0; n == BODY && i < k->tab.count; i++, body++)
      for (int d = 0; d < BODY; d++) {
        double place = c->mass_inverse[sim_z_of(s, k, i, slot[BODY - 1])];
        c->body_of[sim_z_of(s, k, i, slot[d])] = body;
        c->light |= d < 3 && place < radius * radius * c->mass_inverse[sim_z_of(s, k, i, slot[d])];
      }
  }
}

// What the turns of a body take with them in a row, `others`: the sum of H^2/M of all else there.
static void take_along(nsm_sim *s, int row, int body, double others) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  for (int x = r->c0[row]; x < r->c0[row + 1]; x++) {
    int z = r->cz[x];
    if (c->body_of[z] != body || !sim_implied_turns(s, z) || !(others > 0)) continue;
    double more = r->c[x] * r->c[x] / others * c->mass_inverse[z];       // beside its own inertia
    if (more * light > 1) c->held_inverse[z] = fmin(c->held_inverse[z], c->mass_inverse[z] / (1 + more));
  }
}

void con_light(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  if (!c->light) return;
  memcpy(c->held_inverse, c->mass_inverse, (size_t)s->a->nv * sizeof(double));
  for (int j = 0; j < c->ns; j++) {
    int row = c->row[j], last = 0;
    for (int x = r->c0[row]; x < r->c0[row + 1]; x++) {
      int body = c->body_of[r->cz[x]];
      double place = 0, others = 0;
      if (body == 0 || body == last) continue;
      last = body;
      for (int y = r->c0[row]; y < r->c0[row + 1]; y++) {
        int own = c->body_of[r->cz[y]] == body, turn = sim_implied_turns(s, r->cz[y]);
        double h = r->c[y] * r->c[y] * c->held_inverse[r->cz[y]];
        if (own && !turn) place += h;
        else if (!own) others += h;
      }
      if (place > 0) take_along(s, row, body, place + others);
    }
  }
}
