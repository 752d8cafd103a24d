// A step whose balance of energy is beyond all reason is none that was solved, however small its residual: forces of
// constraints that all but depend on each other can cancel until nothing of a step is right. Looked at before a step is
// accepted, where the books are kept:
//
//   energy-consistent schemes, which have the residue of round-off:   |r| > 1e-3 (E + |works| + losses)          (1)
//   the others:   dE > 100 (E + |dV| + h sum |f_i| (|u_i-| + |u_i+|) + sum |p_j| |rate of j at rest|)             (2)
//   impacts that are located, of any scheme: M (u+ - u-) = H^T p, so T+ - T- = p.(H u+ + H u-)/2 up to round-off:
//                                                                   |r| > 1e-3 (E + |works| + losses)          (3)
//
// Velocities of the size of rounding, 16 eps |q|/h, of a higher order also 16 eps h |f|/m, have no energy to speak of:
// of a system that rests, all of it.
//
// E: the largest T + |V| so far. (2) holds for whatever forces, potentials and drives can have given, and for the
// growth of a scheme beyond its bound of stability, where potentials grow too; what it finds came of forces that do no
// work.
#include "ledger.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double of_consistent = 1e-3, of_others = 100, of_places = 16;

static double power_of(nsm_sim *s, const nsm_view *v) {
  double *f = s->w.mean, sum = 0;
  memset(f, 0, (size_t)s->a->nz * sizeof *f);
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.smooth.of[a]];
    if (k->c->f_fn) k->c->f_fn(v, &k->tab, f, f + s->a->nv);
    if (k->c->g_fn) k->c->g_fn(v, &k->tab, f, f + s->a->nv);
  }
  for (int i = 0; i < s->a->nv; i++) sum += fabs(f[i]) * (fabs(s->now.z[i]) + fabs(s->w.z1[i]));
  return s->w.length * sum;
}

static double drives(nsm_sim *s, double t, const double *q) {
  nsm_view rest = sim_view(s, t, q, s->a->zero, s->w.l1);
  double *y = s->n.r.drift, sum = 0;
  for (int a = 0; a < s->a->on.row.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.row.of[a]];
    if (!sim_contactlike(k->c)) continue;
    k->c->rate_fn(&rest, &k->tab, y + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) sum += fabs(s->w.l1[s->n.r.l[row]] * y[row]);
  }
  return sum;
}

// Are the velocities z no more than what rounding of places, or of what forces would make of them if nothing held them,
// makes in a step? Their energy is none then.
int sim_rounds(const nsm_sim *s, const double *q, const double *z) {
  double place = 0, speed = 0, push = 0, h = s->n.h > 0 ? s->n.h : s->a->step;   // before the first step
  for (int i = 0; i < s->a->nq; i++) place = fmax(place, fabs(q[i]));
  for (int i = 0; i < s->a->nv; i++) {
    speed = fmax(speed, fabs(z[i]));
    if (s->n.push) push = fmax(push, s->n.push[i]);
  }
  return speed <= of_places * DBL_EPSILON * fmax(place / h, push);
}

void sim_ledger_rests(nsm_sim *s) {
  sim_ledger *g = &s->now.ledger;
  int rests = sim_rounds(s, s->now.q, s->now.z);
  g->still = rests && g->rested;
  g->rested = rests;
}

int sim_was_from_nothing(const nsm_sim *s) {
  const sim_ledger *g = &s->now.ledger;
  return g->on && s->a->scheme->two_point && g->residue > of_consistent * sim_ledger_all(g) &&
         !sim_rounds(s, s->now.q, s->now.z);
}

int sim_impact_from_nothing(const nsm_sim *s) {
  const sim_ledger *g = &s->now.ledger;
  return g->on && !(fabs(g->residue_now) <= of_consistent * sim_ledger_all(g));
}

double sim_from_nothing(nsm_sim *s, double t1) {
  const sim_ledger *g = &s->now.ledger;
  nsm_view begin = sim_now(s), end = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  double kinetic = 0, potential = 0;
  for (int a = 0; a < s->a->on.energy.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.energy.of[a]];
    k->c->energy_fn(&end, &k->tab, &kinetic, &potential);
  }
  double there = fmax(g->scale, g->kinetic + fabs(g->potential)) + fabs(potential - g->potential),
         d = kinetic + potential - g->kinetic - g->potential;
  if (s->a->scheme->two_point) {
    double r = d - (g->forces_now - g->dampers_now - g->loss - g->loss_friction);
    there += fabs(g->forces_now) + fabs(g->dampers_now) + fabs(g->loss) + fabs(g->loss_friction);
    return fabs(r) > of_consistent * there && !sim_rounds(s, s->w.q1, s->w.z1) ? r : 0;
  }
  if (!(d > of_others * there)) return 0;
  there += power_of(s, &begin) + power_of(s, &end) + drives(s, s->now.t, s->now.q) + drives(s, t1, s->w.q1);
  return d > of_others * there && !sim_rounds(s, s->w.q1, s->w.z1) ? d : 0;
}
