// Where the energy went, mathematics.md section 7. Per step
//
//   residue = dE - (work of forces - loss at dampers - loss at contacts)
//
// For the energy-consistent schemes it is round-off; for Moreau's it is the error of the scheme. The loss at contacts
// is exact where the impact is a step of its own (the law gives it); else it is estimated as -p (u + u_k) / 2 from
// impulses and rates of the contacts. Work of forces includes that of multipliers of relations, and what moving gaps,
// belts and driven constraints put in.
#include "consistent.h"
#include <math.h>
#include <string.h>

void sim_ledger_start(nsm_sim *s) {
  sim_ledger *g = &s->ledger;
  *g = (sim_ledger){ .on = 1 };
  sim_energy(s, &g->kinetic, &g->potential);
  g->initial = g->kinetic + g->potential;
  if (s->r.n > 0) memset(s->r.loss, 0, (size_t)s->r.n * sizeof(double));
}

double sim_ledger_book(nsm_sim *s, int row, double loss) {
  if (s->ledger.on) s->r.loss[row] += loss;
  return loss;
}

// What a drive (a moving floor, a belt, a driven constraint) puts in: minus impulse times the part of the rate or slip
// that is there at rest, of positions q at time t.
static void book_drive(nsm_sim *s, double t, const double *q, double share) {
  const sim_rows *r = &s->r;
  const sim_islands *a = &s->isl;
  memset(s->zm, 0, (size_t)s->nz * sizeof(double));
  nsm_view rest = sim_view(s, t, q, s->zm, s->l1);
  for (int c = 0; c < s->on.row.n; c++) {
    const sim_class *k = &s->cls[s->on.row.of[c]];
    if (sim_contactlike(k->c) && memchr(r->active + k->row0, 1, (size_t)k->tab.count))
      k->c->rate_fn(&rest, &k->tab, r->y + k->row0);
  }
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]];
    if (sim_contactlike(s->cls[r->cls[row]].c)) s->ledger.drive -= share * s->l1[r->l[row]] * r->y[row];
  }
}

void sim_ledger_impulses(nsm_sim *s) {
  const sim_rows *r = &s->r;
  const sim_islands *a = &s->isl;
  sim_ledger *g = &s->ledger;
  g->loss = g->loss_friction = g->drive = 0;
  if (a->nactive == 0) return;
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]], kind = s->cls[r->cls[row]].c->kind;
    if (kind != NSM_CONTACT && kind != NSM_FRICTION) continue;
    double p = s->l1[r->l[row]], begin = r->rate0[row], end = a->u[i] - r->e[row] * begin;
    *(kind == NSM_CONTACT ? &g->loss : &g->loss_friction) += sim_ledger_book(s, row, -0.5 * p * (begin + end));
  }
  if (s->m->scheme == NSM_SCHEME_MIDPOINT) book_drive(s, s->t + 0.5 * s->h, s->qm, 1);
  else {
    book_drive(s, s->t, s->q, 0.5);
    book_drive(s, s->t + s->h, s->q1, 0.5);
  }
}

// A potential that changes with time supplies V(q0, tm) - V(q0, t0) + V(q1, t1) - V(q1, tm); what is left of its change
// is work.
double sim_driven(const nsm_sim *s, double t0, const double *q0, double t1, const double *q1) {
  double supply = 0, tm = t0 + 0.5 * (t1 - t0);
  for (int a = 0; a < s->on.energy.n; a++) {
    const sim_class *k = &s->cls[s->on.energy.of[a]];
    if (!k->c->driven) continue;
    const double *q[] = { q0, q0, q1, q1 }, t[] = { t0, tm, tm, t1 };
    for (int i = 0; i < 4; i++) {
      nsm_view v = sim_view(s, t[i], q[i], s->z, s->l);
      double kinetic = 0, potential = 0;
      k->c->energy_fn(&v, &k->tab, &kinetic, &potential);
      supply += i % 2 ? potential : -potential;
    }
  }
  return supply;
}

void sim_ledger_step(nsm_sim *s) {
  sim_ledger *g = &s->ledger;
  double kinetic, potential, force = 0, damping = 0, before = g->kinetic + g->potential;
  nsm_view v = { .t = s->t,
                 .q = s->q,
                 .v = s->z,
                 .x = s->z + s->nq,
                 .l = s->l,
                 .t0 = s->t - s->h,
                 .h = s->h,
                 .q0 = s->q1,
                 .v0 = s->z1,
                 .k = s->l };
  if (s->con) {
    force = s->con->forces;
    damping = s->con->dampers;
    g->loss = s->con->loss;
    g->loss_friction = s->con->friction;
  }
  for (int a = 0; !s->con && a < s->on.smooth.n; a++) {
    const sim_class *k = &s->cls[s->on.smooth.of[a]];
    if (k->c->work_fn) k->c->work_fn(&v, &k->tab, &force, &damping);
  }
  if (!s->con) force += sim_driven(s, s->t - s->h, s->q1, s->t, s->q);
  sim_energy(s, &kinetic, &potential);
  double now = kinetic + potential, d = now - before;
  g->kinetic = kinetic;
  g->potential = potential;
  g->forces += force;
  g->dampers += damping;
  g->contacts += g->loss + g->loss_friction;
  g->friction += g->loss_friction;
  g->forces += g->drive;
  g->residue_now = d - (force + g->drive - damping - g->loss - g->loss_friction);
  g->residue_sum += g->residue_now;
  g->residue = fmax(g->residue, fabs(g->residue_now));
  g->drift = fmax(g->drift, fabs(now - g->initial));
  g->gain = fmax(g->gain, d);
}
