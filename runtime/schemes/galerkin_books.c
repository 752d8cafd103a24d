// Works and losses of a piece, as the equations have them: the ledger finds round-off only.
#include "galerkin.h"

// Of rows that are kept: what moves by itself (a belt, s) takes part in (5), (6), and does the work
//   - sum over subintervals of c_N (lambda/N s + kappa (change of s)/h)
static void book_rows(nsm_sim *s, int N, int i) {
  struct sim_galerkin *g = s->n.galerkin;
  nsm_view v = galerkin_pair(s, N, i), rest = v, begin = v;
  rest.v = begin.v = s->a->zero;
  begin.t = v.t0;
  begin.q = v.q0;
  SIM_EACH(s, friction, k) {
    k->c->rate_fn(&begin, &k->tab, g->still0 + k->row0);
    k->c->rate_fn(&rest, &k->tab, g->still1 + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      int r = g->in.of[row];
      if (r < 0) continue;
      double l = galerkin_mean(s, IN_FORCES, r, N, i), kappa = galerkin_mean(s, IN_KAPPAS, r, N, i);
      s->now.ledger.forces_now -= g->t.share[N] * (0.5 * l / N * (g->still0[row] + g->still1[row]) +
                                                   kappa * (g->still1[row] - g->still0[row]) / s->n.h);
    }
  }
}

void galerkin_book(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  s->now.ledger.loss = s->now.ledger.loss_friction = s->now.ledger.forces_now = s->now.ledger.dampers_now = 0;
  for (int N = 1; N <= g->t.s; N++) {
    galerkin_points(s, N);
    for (int i = 1; i <= N; i++) {
      double t0 = s->now.t + s->n.h * (i - 1) / N, t1 = s->now.t + s->n.h * i / N;
      s->now.ledger.forces_now += g->t.share[N] * sim_driven(s, t0, g->q[i - 1], t1, g->q[i]);
      if (s->n.r.nfriction > 0) book_rows(s, N, i);
    }
  }
  for (int r = 0; r < g->m; r++) s->w.l1[s->n.r.l[g->row[r]]] = g->x[galerkin_at(s, 0, IN_FORCES, r)];
  if (s->now.implied_n > 0) SIM_EACH(s, constraint, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) s->w.l1[s->n.r.l[row]] = 0;
  galerkin_book_forces(s);
}
