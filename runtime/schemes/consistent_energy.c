// Works and losses of an energy-consistent step, as the scheme itself has them: the ledger finds round-off only.
#include "consistent.h"
#include <float.h>
#include <math.h>

// By the law: where an impulse acts, rate_C = -e rate_B, so that it takes -Lambda (rate_B + rate_C)/2. A drive, which
// has a part w of both rates, does the work -Lambda w.
double con_impact_loss(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  double loss = 0;
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i];
    if (s->a->cls[r->cls[row]].c->kind == NSM_FRICTION) continue;
    s->now.ledger.forces_now -= s->now.impulse[r->l[row]] * c->drive_begin[row];
    loss += sim_ledger_book(s, row, -0.5 * s->now.impulse[r->l[row]] * (r->rate0[row] - sim_bounce(r, row)));
  }
  return loss;
}

// The block of M of the first velocity of a row, and with that all that its impact hangs together with.
int con_impact_group(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  return r->c0[row] < r->c0[row + 1] ? nsm_root(s->n.con->link, s->n.w.block_of[r->cz[r->c0[row]]]) : 0;
}

// About the kinetic energy at the begin.
static double moving(const nsm_sim *s) {
  double energy = 0;
  for (int z = 0; z < s->a->nv; z++) energy += 0.5 * s->now.z[z] * s->now.z[z] / s->n.con->mass_inverse[z];
  return energy;
}

// Which groups of contacts (1) gives energy: sum of Lambda (rate_B + rate_C)/2 > 0, by more than the problem is exact.
// Newton's law does with different coefficients, or with one and friction, where directions act on each other
// (docs/numerics/checks.md, section 6). Into con->wants, by con_impact_group; how many contacts they have.
int con_impact_gains(nsm_sim *s) {
  static const double exact = 1e-9;
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  double *gain = c->dq, *size = c->fresh;                  // [blocks of M], fewer than velocities
  int found = 0;
  for (int b = 0; b < s->n.w.nblock; b++) {
    c->link[b] = b;
    gain[b] = size[b] = 0;
  }
  for (int i = 0; i < c->na; i++)
    for (int row = c->act[i], x = r->c0[row]; x < r->c0[row + 1]; x++)
      nsm_unite(c->link, s->n.w.block_of[r->cz[r->c0[row]]], s->n.w.block_of[r->cz[x]]);
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i], group = con_impact_group(s, row);
    double p = s->now.impulse[r->l[row]], rate = 2 * r->rate0[row];
    for (int x = r->c0[row]; p != 0 && x < r->c0[row + 1]; x++)
      rate += r->c[x] * (c->uc[r->cz[x]] - s->now.z[r->cz[x]]);
    gain[group] += 0.5 * p * rate;
    size[group] += fabs(p) * (fabs(rate) + fabs(r->rate0[row]));
  }
  // an impact by no more than the round-off of the velocities makes no energy that anybody sees
  double seen = DBL_EPSILON * moving(s);
  for (int b = 0; b < s->n.w.nblock; b++) c->wants[b] = gain[b] > exact * size[b] + seen;
  for (int i = 0; i < c->na; i++) found += c->wants[con_impact_group(s, c->act[i])];
  return found;
}

// Forces see the velocities of the motion (2): before friction settles them.
void con_works(nsm_sim *s, const nsm_view *v) {
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.smooth.of[a]];
    if (k->c->work_fn) k->c->work_fn(v, &k->tab, &s->now.ledger.forces_now, &s->now.ledger.dampers_now);
  }
  for (int i = 0; i < s->n.con->na; i++) {                // of drives on gaps: (Dg/Dq (q_E - q_B) + moved) lambda = 0
    int row = s->n.con->act[i];
    s->now.ledger.forces_now -= s->w.l1[s->n.r.l[row]] * s->n.con->moved[row] / v->h;
  }
  s->now.ledger.forces_now += sim_driven(s, v->t0, v->q0, v->t, v->q);
}
