// Friction in the energy-consistent step: what it moves, what it takes, and how it ends.
//
// The impact (1) has impulses in the cone of its own normal impulse; the motion (2)-(6) a law on the slip in the step,
//
//   -(H_T(q^)(q_E - q_B) + d) in N_D(lambda_T),   d = h w(q^, tm),   q^ = q_B + h/2 u_C    (friction.md (5))
//
// w: the part of the slip velocity that is not due to velocities. Power and force then have opposite signs over the
// step. But a contact that sticks has H_T (q_E - q_B) = 0 and so H_T u_E = -H_T u_C: the velocity left over when it
// began to stick changes sign in every step [Möller 2011, section 6.4]. Therefore the step ends with the
// impulses p - lambda_T that make the law hold for the velocity at the end too,
//
//   u+ = u_E + M^-1 (H_N^T P_N + H_T^T (p - lambda_T)),   -s+ in N_D(p),
//   rates of constraints and of pressed contacts 0  (6)
//
// with D as it was in (5), of radius mu lambda_N. A contact that slides on, s_E . lambda_T < 0 with lambda_T on the
// rim of D, is left as it is: in two directions its slip only turned. It only takes
// energy: lambda_T lies in D, so that s+ . (p - lambda_T) <= 0, and with L = (P_N, p - lambda_T), G = H M^-1 H^T, rates
// r_E before and r+ after
//
//   T+ - T_E - work of the drive = L.(r+ + r_E)/2 = L.r+ - L.G L/2 <= 0.                                         (7)
//
// Where (6) is not solved its bodies keep u_E, L = 0: no energy is gained, and the next step has the same to settle.
#include "consistent.h"
#include "twofold.h"
#include <math.h>
#include <string.h>

// A block of friction disagrees with its law; it agrees, and slides; it sticks, and rolls on.
enum { OFF = 1, SLIDES = 2, ROLLS = 4 };
static const double settled = 1e-12;     // of the radius: what is left of a disagreement at the end

// H_T and the drift where the middle of the motion is foreseen, q_B + h/2 u_C: off it by O(h^2), so that sliding is of
// second order; the iteration has them constant. Of shapes the drift is the way of a driven body's material point.
void con_slide(nsm_sim *s, double t1) {
  struct sim_consistent *c = s->n.con;
  sim_move(s, s->now.q, 0.5 * s->n.h, c->uc, s->w.qm);
  nsm_view middle = sim_view(s, 0.5 * (s->now.t + t1), s->w.qm, s->a->zero, s->w.l1);   // at rest: what is left drifts
  sim_touch_there(s, &middle);
  for (int a = 0; a < s->a->on.friction.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.friction.of[a]];
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(&middle, &k->tab, k->h);
    k->c->rate_fn(&middle, &k->tab, c->drift + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) c->drift[row] *= s->n.h;
  }
  sim_touch_driven(s, SIM_WAY, c->drift);
  sim_touch_there(s, NULL);
}

static int is_slip(const nsm_sim *s, int row) { return s->a->cls[s->n.r.cls[row]].c->kind == NSM_FRICTION; }

// Loss and work of the drive by impulse l at a rate that goes from `before` to `after`, of which w is the drive's.
static void book(nsm_sim *s, int row, double l, double before, double after, double w) {
  double loss = sim_ledger_book(s, row, -0.5 * l * (before + after));
  if (is_slip(s, row)) s->now.ledger.loss_friction += loss;
  else s->now.ledger.loss += loss;
  s->now.ledger.forces_now -= l * w;
}

void con_book_impact(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i];
    if (!is_slip(s, row)) continue;
    double begin = s->n.r.rate0[row], drive = begin - con_slip_part(s, row, s->now.z);
    book(s, row, s->now.impulse[s->n.r.l[row]], begin, drive + con_slip_part(s, row, c->uc), drive);
  }
}

// What friction took in the motion: power is lambda_T . (slip in the step)/h.
static void book_motion(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i];
    if (!is_slip(s, row)) continue;
    double w = c->drift[row] / s->n.h, mean = con_slip_part(s, row, c->inc_q) / s->n.h + w;
    book(s, row, s->w.l1[s->n.r.l[row]], mean, mean, w);
  }
}

static int lasting(const nsm_sim *s, int row) { return s->n.r.active[row] && s->w.l1[s->n.r.l[row]] > 0; }

// In a located piece a contact without friction that stays has a rate of 0 at both ends, as a constraint has: its gap
// alone leaves a rate of O(h^2) there. The impact at the begin of the next piece would take that, with an impulse that
// says nothing about the force.
static int parts_from(const nsm_sim *s, int row) {
  return s->located && s->now.set[row] == SIM_CLOSED && lasting(s, row) && s->n.r.friction_of[row] < 0 &&
         fabs(s->n.con->slip[row]) > 64 * DBL_EPSILON * con_rate_terms(s, row, s->w.z1);
}

// Is a part of friction off the law for the velocity at the end, with the set of this radius?
static int off_part(const nsm_sim *s, const sim_friction *k, const sim_disk *part, double radius) {
  const struct sim_consistent *c = s->n.con;
  const int *row = k->row + part->first;
  double x[SIM_SLIPS], off = 0;
  for (int d = 0; d < part->n; d++)         // diag is of displacements: h/2 of that of rates
    x[d] = s->w.l1[s->n.r.l[row[d]]] - c->slip[row[d]] / c->diag[c->index[row[d]]] * 0.5 * s->n.h;
  sim_disk_nearest(part, radius, x);
  for (int d = 0; d < part->n; d++)
    off = hypot(off, part->w[d] > 0 ? (s->w.l1[s->n.r.l[row[d]]] - x[d]) / part->w[d] : 0);
  return off > settled * radius;
}

// Does a part slide on, its slip at the end turned against lambda_T by less than a right angle? Where events are
// located not if friction could have stopped it: what of a slow slip is across lambda_T would change its sign in every
// piece, and each time its set would end.
static int slides_on(const nsm_sim *s, const sim_friction *k, const sim_disk *part, double radius) {
  const int *row = k->row + part->first;
  double power = 0, begin = 0, l[SIM_SLIPS], m = fabs(s->n.con->diag[s->n.con->index[row[0]]]) * 2 / s->n.h;
  for (int d = 0; d < part->n; d++) {
    l[d] = s->w.l1[s->n.r.l[row[d]]];
    power += l[d] * s->n.con->slip[row[d]];
    begin = hypot(begin, part->w[d] * s->n.r.rate0[row[d]]);
  }
  if (s->located && begin <= radius * m) return 0;
  return power < 0 && sim_disk_gauge(part, l) >= (1 - settled) * radius;
}

// Rates at the end, radii, and whether some contact disagrees with its law there. H is that of the end alone: of bodies
// the kernels of a step have its mean over the step.
static int unsettled(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  int found = 0;
  nsm_view end = sim_view(s, v->t, s->w.q1, s->w.z1, s->w.l1);
  sim_touch_there(s, v);
  for (int a = 0; a < s->a->on.row.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.row.of[a]];
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(&end, &k->tab, k->h);
    k->c->rate_fn(&end, &k->tab, c->slip + k->row0);
  }
  sim_touch_driven(s, SIM_DRIFT, c->drive_end);
  sim_touch_there(s, NULL);
  c->press = sim_implied_forces(s, con_direction, s->w.l1);
  for (int f = 0; f < r->nfriction; f++) {
    const sim_friction *k = &r->friction[f];
    c->off[f] = 0;
    int held = k->normals == 0 || nsm_cone_is_grip(k->type) || lasting(s, k->normal[0]);
    sim_disk part[2];
    int off = 0, slides = 1, limited = 0, rolls = 0;
    c->pressed[f] = c->disk[f] = held ? sim_friction_pressed(s, f, c->press) : 0;
    int parts = c->disk[f] > 0 ? sim_friction_parts(k, part) : 0;          // most rows of shapes are free
    for (int p = 0; p < parts; p++) {
      double radius = part[p].mu * c->disk[f];
      if (!(radius > 0)) continue;
      limited = 1;
      int on = slides_on(s, k, &part[p], radius);
      slides &= on;
      rolls = on && p == 1;
      off |= !rolls && off_part(s, k, &part[p], radius);
    }
    if (!limited || (slides && k->n > 1)) c->disk[f] = 0;
    else found |= off;
    c->off[f] = limited && slides && !off && s->located ? SLIDES : (unsigned char)(c->disk[f] > 0 && off);
    if (rolls && !slides) c->off[f] |= ROLLS;
  }
  for (int i = 0; i < c->na && !found; i++) found = parts_from(s, c->act[i]);
  return found;
}

// The block of M of the first velocity of a row, and with that all that hangs together with it; -1: no velocity.
static int end_of(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  return r->c0[row] < r->c0[row + 1] ? nsm_root(s->n.con->link, s->n.w.block_of[r->cz[r->c0[row]]]) : -1;
}

static int rolls_on(const nsm_sim *s, int row) {
  int f = s->n.r.friction_of[row];
  const sim_friction *k = &s->n.r.friction[f];
  return s->n.con->off[f] & ROLLS && row >= k->row[k->n / 2];
}

// The rows of (6): of what hangs together with a contact that disagrees with its law. All else stays as it is. Where
// events are located so does a contact that slides: an impulse that makes its rate 0 needs its friction with it, which
// the impact at the begin of the next piece has. Without it sliding would be of first order. What rolls on is left out,
// as its couple has turned since the middle.
static void take_part(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  struct sim_consistent *c = s->n.con;
  for (int b = 0; b < s->n.w.nblock; b++) { c->link[b] = b; c->wants[b] = 0; }
  for (int row = 0; row < r->n; row++) {
    int f = r->friction_of[row], slip = is_slip(s, row);
    r->active[row] = (c->of[row] >= 0 && con_acts(s, c->of[row])) ||
                     (!(f >= 0 && c->off[f] == SLIDES) &&
                      (slip ? c->disk[f] > 0 && !rolls_on(s, row) : lasting(s, row)));
    for (int x = r->c0[row]; r->active[row] && x < r->c0[row + 1]; x++)
      c->link[nsm_root(c->link, s->n.w.block_of[r->cz[x]])] = end_of(s, row);
  }
  for (int f = 0; f < r->nfriction; f++) {                 // the rows of a block stay together
    int rows[SIM_SLIPS + 3], n = c->disk[f] > 0 ? sim_friction_rows(s, f, rows) : 0;
    for (int d = 1; d < n; d++) {
      int first = end_of(s, rows[0]), end = end_of(s, rows[d]);
      if (first >= 0 && end >= 0) c->link[end] = first;
    }
  }
  for (int f = 0; f < r->nfriction; f++) {
    int end = c->off[f] & OFF ? end_of(s, r->friction[f].row[0]) : -1;
    if (end >= 0) c->wants[end] = 1;
  }
  for (int i = 0; i < c->na; i++) {
    int end = parts_from(s, c->act[i]) ? end_of(s, c->act[i]) : -1;
    if (end >= 0) c->wants[end] = 1;
  }
  for (int row = 0; row < r->n; row++) {
    int end = r->active[row] ? end_of(s, row) : -1;
    r->active[row] = end >= 0 && c->wants[end];
  }
}

// M and the one-step matrix at q_E, of the rows that take part.
static int matrices(nsm_sim *s, const nsm_view *v) {
  sim_rows *r = &s->n.r;
  take_part(s);
  for (int a = 0; a < s->a->on.mass_moving.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.mass_moving.of[a]];
    k->c->mass_fn(v, &k->tab, k->mass);
  }
  if (!s->n.w.constant && sim_matrix_update(s, 0) >= 0) return 0;
  sim_islands_list(s);
  if (s->a->on.h_moving.n > 0) sim_rows_outer(s, 0);
  if (!r->constant) sim_rows_couple(s);
  return 1;
}

// Bodies whose problem (6) was not solved keep their velocities; the step is counted.
static int is_left(nsm_sim *s) {
  const sim_islands *is = &s->n.isl;
  int left = 0;
  for (int i = 0; i < is->nactive; i++) left |= isnan(is->u[i]);
  return left;
}

// (6); the impulses are added to l1.
static int end_with_impulses(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  if (!matrices(s, v)) return 0;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]], slip = is_slip(s, row);
    c->start[row] = is->lambda[i] = slip ? s->w.l1[r->l[row]] : 0;
    is->lo[i] = -INFINITY;
    is->hi[i] = INFINITY;
  }
  for (int i = 0; i < is->nactive; i++) {
    int at = is->active[i], row = r->row_at[at];
    is->q[i] = c->slip[row];
    is->terms[i] = con_rate_terms(s, row, s->w.z1);
    for (int e = r->m0[at]; e < r->m0[at + 1]; e++) {
      int other = r->row_at[r->mc[e]];
      double d = r->active[other] ? r->m[e] * c->start[other] : 0;
      is->q[i] -= d;
      is->terms[i] += fabs(d);
    }
    is->q[i] = sim_rate(is->q[i]);
  }
  is->solver.kind = SIM_APART;
  is->solver.disk = c->disk;
  is->leaves = s->w.cone.once = 1;
  is->solver.brief = s->touching != NULL;
  int ok = sim_islands_solve(s);
  is->leaves = is->solver.brief = s->w.cone.once = 0;
  is->solver.kind = SIM_BY_LAW;
  is->solver.disk = NULL;
  s->now.count.unsettled += ok && is_left(s);
  for (int i = 0; ok && i < is->nactive; i++) {
    int row = r->row_at[is->active[i]], slip = is_slip(s, row);
    if (isnan(is->u[i])) { c->start[row] = 0; continue; }
    c->ended[row] = 1;
    double p = is->lambda[i] - c->start[row];
    double drive = slip ? c->slip[row] - con_slip_part(s, row, s->w.z1) : c->drive_end[row];
    book(s, row, p, c->slip[row], is->u[i], drive);
    c->start[row] = p;
  }
  for (int i = 0; ok && i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    s->w.l1[r->l[row]] += c->start[row];
    for (int x = r->x0[row]; x < r->x0[row + 1]; x++) {
      int z = r->xz[x];
      sim_add(&s->w.z1[z], &s->w.z1_low[z], r->x[x] * c->start[row]);
    }
  }
  return ok;
}

nsm_code con_settle(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  book_motion(s);
  memset(s->n.con->ended, 0, (size_t)s->n.r.n);
  if (!unsettled(s, v)) return NSM_OK;
  int ok = end_with_impulses(s, v);
  for (int row = 0; row < s->n.r.n; row++) s->n.r.active[row] = s->n.con->of[row] >= 0;
  for (int i = 0; i < s->n.con->na; i++) s->n.r.active[s->n.con->act[i]] = 1;
  return ok ? NSM_OK : sim_cone_failed(s, v->t, e);
}
