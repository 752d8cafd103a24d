// What an impact leaves: it may lift closed contacts by what is nothing beside their known gaps, or by so little that
// they are back at once. They stay closed, and with the matrix of the instant
//
//   M dz = H^T tau,   H dz = -rate                                  (event_driven.md, (4))
//
// makes their rates 0, by impulses tau of either sign that the ledger has. Friction that slides goes with them, along
// the slip before. Else a piece would begin with rates that its equations make 0, and the ledger would miss that.
#include "consistent.h"
#include "flow.h"
#include "galerkin.h"
#include <float.h>

static const double left = 1024 * DBL_EPSILON;             // of the terms of a rate: more is none that an impact made 0

// Of impulses l, what presses a block that slides, along the forces of the instant at hand: of either sign.
static double presses(const nsm_sim *s, const sim_instant *in, int f, const double *l) {
  const sim_friction *of = &s->n.r.friction[f];
  double pressed = sim_slide_pressed(s, f, 0, in->force), sum = 0;
  if (of->normals == 1 && of->type != NSM_CONE_GRIP) return l[s->n.r.l[of->normal[0]]];
  for (int q = 0; pressed > 0 && q < of->normals; q++) {
    int at = s->n.r.l[of->normal[q]];
    sum += l[at] * in->force[at] / pressed;
  }
  return sum;
}

// The right side e, and rates [r.n]; are those of closed contacts 0?
static int rates_left(nsm_sim *s, sim_instant *in, int n) {
  nsm_view now = sim_now(s);
  int any = 0;
  memset(in->e, 0, (size_t)n * sizeof(double));
  SIM_EACH(s, row, k) {
    if (!sim_contactlike(k->c)) continue;
    k->c->rate_fn(&now, &k->tab, in->rate + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (in->of[row] < 0) continue;
      in->e[in->first + in->of[row]] = -in->rate[row];
      any |= k->c->kind == NSM_CONTACT && fabs(in->rate[row]) > left * sim_velocity_terms(s, row, s->now.z);
    }
  }
  return any;
}

// The solution as velocities w.z1 and impulses w.l1.
static void take(nsm_sim *s, const sim_instant *in) {
  double *l1 = s->w.l1, slide[SIM_SLIPS];
  const double *x = in->accelerations;
  memcpy(s->w.q1, s->now.q, (size_t)s->a->nq * sizeof(double));
  for (int i = 0; i < s->a->nz; i++) s->w.z1[i] = s->now.z[i] + (i < in->first ? x[i] : 0);
  for (int row = 0; row < s->n.r.n; row++) {
    int acts = sim_contactlike(s->a->cls[s->n.r.cls[row]].c), at = s->n.r.l[row];
    l1[at] = !acts ? s->now.l[at] : in->of[row] >= 0 ? x[in->first + in->of[row]] : 0;
  }
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const int *row = s->n.r.friction[f].row;
    if (!in->slides[f]) continue;
    sim_slide_force(s, f, in->slides[f], presses(s, in, f, l1), in->rate, slide);
    for (int d = 0; d < s->n.r.friction[f].n; d++) if (in->of[row[d]] < 0) l1[s->n.r.l[row[d]]] = slide[d];
  }
}

// What an impact of `consistent` hands on.
static void hand_on(nsm_sim *s) {
  memcpy(s->w.q1_low, s->now.q_low, (size_t)s->a->nq * sizeof(double));
  memcpy(s->w.z1_low, s->now.z_low, (size_t)s->a->nv * sizeof(double));
  memcpy(s->now.impulse, s->w.l1, (size_t)s->a->nl * sizeof(double));
  s->n.con->moves_on = 0;
  s->n.con->settles = 1;
}

// A flight that begins with a rate r is left out: a normal impulse -m r now, and m g in its time 2 r/g, are the m r of
// its impact, and so it is with friction. What friction gives now is what it takes too much in that time: none is made.
static void book(nsm_sim *s) {
  sim_ledger *g = &s->now.ledger;
  sim_ledger_whole_step(s);
  g->forces_now = g->drive;
  g->drive = g->dampers_now = g->least = 0;
}

int sim_instant_settle(nsm_sim *s) {
  sim_instant *in = s->n.flow ? &s->n.flow->in : s->n.galerkin ? &s->n.galerkin->in : NULL;
  double h = s->n.h;
  if (!in) return 0;
  in->rows(s);
  if (!rates_left(s, in, in->first + s->n.r.n) || !in->factors(s, s->now.t, s->now.q, s->now.z)) return 0;
  (void)rates_left(s, in, in->n);
  sim_instant_solve(in, in->n, in->e, in->accelerations);
  take(s, in);
  sim_rows_outer(s, 0);
  s->n.h = 0;
  book(s);
  if (s->n.galerkin) hand_on(s);
  else s->w.flows = SIM_FLOW_SETTLES;
  s->n.h = h;
  return 1;
}
