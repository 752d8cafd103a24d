// moreau(projection = true): velocities by the laws of the step, then places on what gaps and constraints allow
// [Acary 2013, the combined projection]. docs/numerics/projection.md.
//
//   I := constraints, and the contacts that the last step pressed                                                  (1)
//   the step of moreau, with the contacts of I as closed: z_1, q_1                                                 (2)
//   contacts outside of I with g(q_1) < 0: I := I and these, and (2) again                                         (3)
//   dq = W^-1 H^T tau,   g(q_1 (+) dq) = 0 of constraints,   0 <= g(q_1 (+) dq) _|_ tau >= 0 of the contacts of I  (4)
//   contacts outside of I with g(q_1 (+) dq) < 0: likewise (3)
//
// So nothing is inside of an obstacle at the end of a step, and no contact is guessed to close. I only grows, so it
// ends. (4) is solved by Newton's method with the matrices of the step, W and G W^-1 H^T, as they stand: W is M up to
// terms of order h. Velocities are not changed. Energies at the new places are booked as projected.
#include "newton.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 50 };
static const double met = 1e-12,                           // of the terms of a gap
    least_share = 1e-9,                                    // of the largest terms
    of_near = 1e-3;                                        // of what is nearly closed, where rows are places

void sim_projection_analyse(nsm_sim *s) {
  if (!sim_reaches(s)) return;
  s->w.reached = SIM_NEW(s, (size_t)s->n.r.n + 1, unsigned char);
  s->w.placed = SIM_NEW(s, (size_t)s->n.r.n + 1, double);
  if (s->a->iterates) s->w.gained = SIM_NEW(s, (size_t)s->a->nz, double);
}

static int has_place(const sim_class *k) {
  return k->c->kind == NSM_CONTACT || (k->c->kind == NSM_CONSTRAINT && !k->c->velocity_level);
}

// What positions of the size that they have, or had as the step began, and a radian of a turn, make of a gap: of axes
// that stay at right angles the terms are products of small parts of quaternions, as small as the gap itself
// (ledger/misses.c).
static double reach(const nsm_sim *s, const sim_class *k, int i) {
  const nsm_pattern *h = &k->c->h;
  double sum = 0;
  for (int e = 0; e < h->n; e++) {
    if (h->wrt[e] == NSM_WRT_L) continue;
    int z = sim_z_of(s, k, i, h->col[e]);
    double size = (z < s->a->nown ? fmax(fabs(s->w.q1[z]), fabs(s->now.q[z])) : 1) +
                  s->n.h * fmax(fabs(s->w.z1[z]), fabs(s->now.z[z]));
    sum += fabs(k->h[(size_t)i * (size_t)h->n + (size_t)e]) * size;
  }
  return sum;
}

// Gaps at q1 into r.y, the sizes of their terms, at least a share of the largest of all, into r.terms.
static void gaps(nsm_sim *s, double t1) {
  sim_rows *r = &s->n.r;
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  double largest = 0;
  if (s->a->m->place_at) {
    SIM_EACH(s, contact, k) newton_place(s, k, t1);
    return;
  }
  SIM_EACH(s, row, k) {
    if (!has_place(k)) continue;
    k->c->gap_fn(&v, &k->tab, r->y + k->row0, r->drift + k->row0);
    sim_gap_terms(s, k, &v);
    for (int i = 0; i < k->tab.count; i++) {
      double *terms = &r->terms[k->row0 + i];
      *terms = fmax(*terms, reach(s, k, i));
      largest = fmax(largest, *terms);
    }
  }
  SIM_EACH(s, row, k)
    for (int i = k->row0; has_place(k) && i < k->row0 + k->tab.count; i++)
      r->terms[i] = fmax(r->terms[i], least_share * largest);
  s->w.terms_of = -1;
}

static double allowed(nsm_sim *s, int row) {
  return s->a->m->place_at ? of_near * sim_nearly_closed(s) / s->n.h : met * s->n.r.terms[row];
}

// By what the largest constraint is missed, of its terms: what makes rows dependent is so up to that (independent.c).
static double drift(const nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  double most = 0;
  SIM_EACH(s, constraint, k)
    for (int row = k->row0; has_place(k) && row < k->row0 + k->tab.count; row++)
      if (r->terms[row] > 0) most = fmax(most, fabs(r->y[row]) / r->terms[row]);
  return most;
}

// (3): how many contacts join I.
static int join(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  int n = 0;
  SIM_EACH(s, contact, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (r->active[row] || !(r->y[row] < -allowed(s, row))) continue;
      s->w.reached[row] = 1;
      n++;
    }
  return n;
}

// A row that (4) has: the i-th of the one-step problem, then of those on the border of W. -1: it has no place.
static int row_at(const nsm_sim *s, int i) {
  const sim_rows *r = &s->n.r;
  int row = i < s->n.isl.nactive ? r->row_at[s->n.isl.active[i]] : r->border[i - s->n.isl.nactive];
  return has_place(&s->a->cls[r->cls[row]]) && !sim_is_implied(s, row) ? row : -1;
}

// By how much (4) is missed, of what is allowed, and by which row.
static double missed(nsm_sim *s, int *worst) {
  const sim_rows *r = &s->n.r;
  double most = 0;
  *worst = -1;
  for (int i = 0; i < s->n.isl.nactive + r->nborder; i++) {
    int row = row_at(s, i);
    if (row < 0) continue;
    int free = r->lo[row] == 0 && s->w.placed[row] == 0 && s->a->cls[r->cls[row]].c->kind == NSM_CONTACT;
    double off = (free ? fmax(0, -r->y[row]) : fabs(r->y[row])) / (allowed(s, row) + DBL_MIN);
    if (!(off <= most)) { most = off; *worst = row; }
  }
  return most;
}

// dq of one step of Newton's method into w.rhs; 0: it was not found.
static int displacement(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  double *d = s->w.rhs;
  memset(d, 0, (size_t)s->n.w.n * sizeof(double));
  for (int j = 0; j < r->nborder; j++) {
    int row = row_at(s, a->nactive + j);
    d[s->a->nz + j] = row >= 0 ? -r->y[row] : 0;
  }
  if (r->nborder > 0) sim_matrix_solve(s, d);
  if (a->nactive == 0) return 1;
  for (int i = 0; i < a->nactive; i++) {
    int at = r->row_at[a->active[i]], row = row_at(s, i),
        contact = s->a->cls[r->cls[at]].c->kind == NSM_CONTACT;
    double q = row >= 0 ? r->y[row] : 0, terms = fabs(q);
    if (row >= 0) q += sim_rows_rate(s, at, d, &terms);
    a->kept[i] = a->u[i];
    a->q[i] = q;
    a->terms[i] = terms;
    a->lo[i] = row < 0 ? 0 : contact ? -s->w.placed[row] : -INFINITY;
    a->hi[i] = row < 0 ? 0 : INFINITY;
    a->lambda[i] = 0;
  }
  a->solver.kind = SIM_CORRECTION;
  int ok = sim_islands_solve(s);
  a->solver.kind = SIM_BY_LAW;
  for (int i = 0; i < a->nactive; i++) {
    int row = row_at(s, i);
    if (ok && row >= 0) s->w.placed[row] += a->lambda[i];
    if (row < 0) a->lambda[i] = 0;
  }
  if (ok) sim_rows_motion(s, a->lambda, d);
  for (int i = 0; i < a->nactive; i++) {
    a->lambda[i] = s->w.l1[r->l[r->row_at[a->active[i]]]];
    a->u[i] = a->kept[i];
  }
  return ok;
}

// q1 := q1 (+) dq. 1: that moves them by more than rounding does.
static int displace(nsm_sim *s) {
  int moves = 0;
  for (int i = 0; i < s->a->nv; i++) {
    double size = (i < s->a->nown ? fabs(s->w.q1[i]) : 1) + s->n.h * fabs(s->w.z1[i]);
    moves |= !(fabs(s->w.rhs[i]) <= 4 * DBL_EPSILON * size);
  }
  memcpy(s->w.qm, s->w.q1, (size_t)s->a->nq * sizeof(double));
  sim_move(s, s->w.qm, 1, s->w.rhs, s->w.q1);
  return moves;
}

static double energy(const nsm_sim *s, double t1) {
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  double kinetic = 0, potential = 0;
  SIM_EACH(s, energy, k) k->c->energy_fn(&v, &k->tab, &kinetic, &potential);
  return kinetic + potential;
}

static nsm_code failed(nsm_sim *s, double t1, int row, nsm_error *e) {
  char name[256] = "a constraint";
  if (row >= 0) sim_row_name(s, row, name, sizeof name);
  s->w.astray = 1;
  sim_fail(e, NSM_FAILED, "the projection of places fails at t = %.10g s, step %ld: worst at %s; a smaller step may "
           "help", t1, sim_step_number(s), name);
  return NSM_FAILED;
}

// (4)
static nsm_code project(nsm_sim *s, double t1, nsm_error *e) {
  int row, moves = 1;
  double off = missed(s, &row), before = INFINITY;
  s->now.ledger.projected_now = 0;
  if (!(off > 1)) return NSM_OK;
  double from = s->now.ledger.on ? energy(s, t1) : 0;
  for (int n = 0; off > 1 && moves && n < ROUNDS; n++) {
    if (!(off < before || n < 3) || !displacement(s)) return failed(s, t1, row, e);
    moves = displace(s);
    gaps(s, t1);
    before = off;
    off = missed(s, &row);
  }
  if (off > 1 && moves) return failed(s, t1, row, e);
  if (s->now.ledger.on) s->now.ledger.projected_now = energy(s, t1) - from;
  return NSM_OK;
}

// What a solution of (2) that does not stand has told: what the next step is predicted from (josephy_newton.c), and
// what is counted, but for iterations.
typedef struct told { double off[3], worst_time; int worst_at; nsm_counters count; } told;

static told remember(nsm_sim *s) {
  told k = { .worst_time = s->now.worst_time, .worst_at = s->now.worst_at, .count = s->now.count };
  memcpy(k.off, s->now.off, sizeof k.off);
  if (s->w.gained) memcpy(s->w.gained, s->now.gain, (size_t)s->a->nz * sizeof(double));
  return k;
}

static void forget(nsm_sim *s, const told *k) {
  nsm_counters *c = &s->now.count, work = *c;
  *c = k->count;
  c->newton_iterations = work.newton_iterations;
  c->solver_iterations = work.solver_iterations;
  s->now.worst_time = k->worst_time;
  s->now.worst_at = k->worst_at;
  memcpy(s->now.off, k->off, sizeof k->off);
  if (s->w.gained) memcpy(s->now.gain, s->w.gained, (size_t)s->a->nz * sizeof(double));
}

nsm_code sim_step_projected(nsm_sim *s, double t1, nsm_error *e, sim_step_of *step) {
  if (s->a->m->place_at) sim_places_begin(s);
  told before = remember(s);
  memset(s->w.reached, 0, (size_t)s->n.r.n);
  for (int n = 0; n < ROUNDS; n++) {
    if (n > 0) forget(s, &before);
    nsm_code code = sim_independent(s, t1, e, step);
    if (code != NSM_OK) return code;
    memset(s->w.placed, 0, (size_t)s->n.r.n * sizeof(double));
    gaps(s, t1);
    if (join(s) > 0) continue;
    if (s->a->m->place_at) return NSM_OK;
    s->now.drifted = drift(s);
    if ((code = project(s, t1, e)) != NSM_OK || join(s) == 0) return code;
  }
  return failed(s, t1, -1, e);
}
