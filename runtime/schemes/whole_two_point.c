// Whole steps of the energy-consistent schemes: what goes into the array and back (compiler/whole/whole_two_point.c has
// its layout).
#include "consistent.h"
#include "whole.h"
#include <string.h>

enum { TRIAL = 16, LEDGER = 11, STRUCK = 2 };             // STRUCK: at most, nsm_whole.struck

static int fits(const nsm_sim *s) {
  return s->n.con && !s->a->scheme->mass_at_begin && s->n.con->ns <= WHOLE_ROWS;
}

static size_t room(const nsm_sim *s) {
  return (size_t)(7 * s->a->nq + 4 * s->n.r.n + 6 + LEDGER + 3 + 2 * STRUCK);
}

// A potential that time drives has its work booked by the generic step.
static int books(const nsm_sim *s) {
  for (int a = 0; a < s->a->on.energy.n; a++) if (s->a->cls[s->a->on.energy.of[a]].c->driven) return 0;
  return 1;
}

// The constraint that the emitted code has at place k: in the order of the classes, as con->row.
static void load(nsm_sim *s, struct sim_whole *w) {
  const struct sim_consistent *c = s->n.con;
  const sim_ledger *g = &s->now.ledger;
  double *x = w->s, near = s->a->on.contact.n > 0 ? sim_whole_nearly(s) : 0;
  x = sim_whole_put(x, s->now.q, s->a->nq);
  x = sim_whole_put(x, s->now.q_low, s->a->nq);
  x = sim_whole_put(x, s->now.z, s->a->nq);
  x = sim_whole_put(x, s->now.z_low, s->a->nq);
  for (int k = 0; k < c->ns; k++) *x++ = s->now.force[s->n.r.l[c->row[k]]];
  for (int k = 0; k < c->ns; k++) *x++ = s->now.kappa[s->n.r.l[c->row[k]]];
  x = sim_whole_put(x, s->now.gain, s->a->nq);
  x = sim_whole_put(x, s->now.gain0, s->a->nq);
  x = sim_whole_put(x, c->mass_inverse, s->a->nq);
  for (int i = 0; i < s->n.r.n; i++) *x++ = s->now.force[s->n.r.l[i]] > 0 ? 1e300 : near;
  x = sim_whole_put(x, s->now.off + 1, 2);
  x = sim_whole_put(x, s->now.con.cost, 2);
  *x++ = (double)(s->now.k % TRIAL);
  *x++ = 0;
  const double book[LEDGER] = { g->on, g->kinetic, g->potential, g->initial, g->forces, g->dampers, g->residue_sum,
                                g->residue, g->residue_now, g->drift, g->gain };
  x = sim_whole_put(x, book, LEDGER);
  if (w->of->nstruck == 0) return;
  for (int k = 0; k < w->of->nstruck; k++) *x++ = s->now.closed[w->of->struck[k]] ? -1 : -2;
  memset(x, 0, (size_t)(w->of->nstruck + 3 + c->ns) * sizeof *x);
}

// What the code says of contacts that were struck in it: the last steps in which they were closed, losses, impulses of
// the contact and of the constraints in the last of these steps, strikes, problems.
static void store_struck(nsm_sim *s, const struct sim_whole *w, const double *x, long done) {
  const struct sim_consistent *c = s->n.con;
  int n = w->of->nstruck;
  const double *lost = x + n, *push = x + 2 * n, *counts = push + 1 + c->ns;
  memset(s->now.impulse, 0, (size_t)s->a->nl * sizeof(double));
  s->now.count.impacts += (long)counts[0];
  s->now.count.solver_iterations += (long)counts[1];
  for (int k = 0; k < n; k++) {
    int row = w->of->struck[k], l = s->n.r.l[row];
    if (s->now.ledger.on) s->now.ledger.contacts += sim_ledger_book(s, row, lost[k]);
    if (x[k] != (double)(done - 1)) continue;
    s->now.closed[row] = 1;
    s->now.l[l] = s->now.impulse[l] = push[0];
    for (int j = 0; j < c->ns; j++) {
      l = s->n.r.l[c->row[j]];
      s->now.impulse[l] = push[1 + j];
      s->now.l[l] += push[1 + j];
    }
  }
}

static void no_force(nsm_sim *s, sim_list classes) {
  for (int a = 0; a < classes.n; a++) {
    const sim_class *k = &s->a->cls[classes.of[a]];
    memset(s->now.force + s->n.r.l[k->row0], 0, (size_t)k->tab.count * sizeof(double));
    memset(s->now.closed + k->row0, 0, (size_t)k->tab.count);
  }
}

static void store(nsm_sim *s, struct sim_whole *w, long done) {
  struct sim_consistent *c = s->n.con;
  sim_ledger *g = &s->now.ledger;
  const double *x = w->s;
  if (done == 0) return;
  sim_whole_forget(s);
  no_force(s, s->a->on.contact);
  no_force(s, s->a->on.friction);
  x = sim_whole_take(s->now.q, x, s->a->nq);
  x = sim_whole_take(s->now.q_low, x, s->a->nq);
  x = sim_whole_take(s->now.z, x, s->a->nq);
  x = sim_whole_take(s->now.z_low, x, s->a->nq);
  for (int k = 0; k < c->ns; k++) s->now.force[s->n.r.l[c->row[k]]] = s->now.l[s->n.r.l[c->row[k]]] = *x++;
  for (int k = 0; k < c->ns; k++) s->now.kappa[s->n.r.l[c->row[k]]] = *x++;
  x = sim_whole_take(s->now.gain, x, s->a->nq);
  x = sim_whole_take(s->now.gain0, x, s->a->nq);
  x += s->a->nq + s->n.r.n;
  x = sim_whole_take(s->now.off + 1, x, 2);
  x = sim_whole_take(s->now.con.cost, x, 2) + 1;
  s->now.count.newton_iterations += (long)*x++;
  if (w->of->nstruck > 0) store_struck(s, w, x + LEDGER, done);
  if (!g->on) return;
  double *book[LEDGER] = { NULL, &g->kinetic, &g->potential, &g->initial, &g->forces, &g->dampers, &g->residue_sum,
                           &g->residue, &g->residue_now, &g->drift, &g->gain };
  for (int i = 1; i < LEDGER; i++) *book[i] = x[i];
  sim_residue_whole(s);
}

const sim_whole_kind sim_whole_two_point = { fits, room, books, load, store };
