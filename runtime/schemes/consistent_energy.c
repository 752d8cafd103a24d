// Works and losses of an energy-consistent step, as the scheme itself has them: the ledger finds round-off only.
#include "consistent.h"

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
    loss += sim_ledger_book(s, row, -0.5 * s->now.impulse[r->l[row]] * (1 - r->e[row]) * r->rate0[row]);
  }
  return loss;
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
