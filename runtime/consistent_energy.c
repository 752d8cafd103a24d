// The energy of a step, and its round-off. The scheme keeps the balance (8) exactly, floating-point numbers do not:
// each step misses it by a few units in the last place of the largest energy, and 10^5 steps walk off by some hundred
// of them. As compensated summation carries the lost digits of a sum over to the next term, the miss of all steps so
// far is given back here, by a change of the speeds alone
//
//   u_E := (1 + a) u_E,  a = (E_0 + sum of works and losses - E) / (2 T)                                          (16)
//
// which keeps rates of constraints and closed gaps at zero. What is given back is bounded by what floating-point
// numbers can have lost, (17): what is not round-off is not touched, and stands in the ledger as residue. The ledger
// also sums up what was given back.
#include "consistent.h"
#include <float.h>
#include <math.h>

static const double units = 8;                // in the last place

static void energies(const nsm_sim *s, const nsm_view *v, double *kinetic, double *potential) {
  *kinetic = *potential = 0;
  for (int a = 0; a < s->on.energy.n; a++) {
    const sim_class *k = &s->cls[s->on.energy.of[a]];
    k->c->energy_fn(v, &k->tab, kinetic, potential);
  }
}

void con_energy_start(nsm_sim *s) {
  double kinetic, potential;
  sim_energy(s, &kinetic, &potential);
  s->con->balance = kinetic + potential;
  s->con->lost = 0;
}

// By the law: where an impulse acts, rate_C = -e rate_B, so that it takes -Lambda (rate_B + rate_C)/2.
double con_impact_loss(nsm_sim *s) {
  const struct sim_consistent *c = s->con;
  const sim_rows *r = &s->r;
  double loss = 0;
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i];
    if (s->cls[r->cls[row]].c->kind == NSM_FRICTION) continue;
    loss += sim_ledger_book(s, row, -0.5 * s->la[r->l[row]] * (1 - r->e[row]) * r->rate0[row]);
  }
  return loss;
}

// balance += x, compensated.
static void account(struct sim_consistent *c, double x) {
  double y = x - c->lost, sum = c->balance + y;
  c->lost = (sum - c->balance) - y;
  c->balance = sum;
}

// (17), the sum: multipliers jump by impulses, which in the one-step scheme act along a displacement, a difference of
// positions.
double con_vague_work(const nsm_sim *s, double h) {
  const struct sim_consistent *c = s->con;
  const sim_rows *r = &s->r;
  double work = 0;
  for (int row = 0; row < r->n; row++) {
    double jump = fabs(s->l1[r->l[row]] - c->force[r->l[row]]), size = 0;
    for (int x = r->c0[row]; jump > 0 && x < r->c0[row + 1]; x++)
      size += fabs(r->c[x]) * (fabs(s->q[r->cz[x]]) + fabs(s->q1[r->cz[x]]));
    work += jump * size / h;
  }
  return work;
}

void con_energy_end(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->con;
  double kinetic, potential;
  if (s->on.energy.n == 0) return;
  for (int a = 0; a < s->on.smooth.n; a++) {
    const sim_class *k = &s->cls[s->on.smooth.of[a]];
    if (k->c->work_fn) k->c->work_fn(v, &k->tab, &c->forces, &c->dampers);
  }
  c->forces += sim_driven(s, v->t0, v->q0, v->t, v->q);
  account(c, c->forces - c->dampers - c->loss - c->friction);
  energies(s, v, &kinetic, &potential);
  double off = c->balance - (kinetic + potential), most = units * DBL_EPSILON * (2 * kinetic + c->vague);
  if (!(kinetic > 0) || !isfinite(off)) return;
  off = fmax(-most, fmin(most, off));
  for (int i = 0; i < s->nq; i++) s->z1[i] += off / (2 * kinetic) * s->z1[i];
  s->ledger.rounding += fabs(off);
}
