// One energy-consistent step, docs/numerics/consistent.md: the impact (1) in every step with closed contacts, then the
// motion (2)-(6), which consistent_newton.c solves.
#include "consistent.h"
#include "twofold.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { REFINEMENTS = 2 };
static const double resting = 1e-9;      // relative to the speeds, and to what drove them in the last step
// Multiples of eps: what a gap may be off its value by evaluation; less where it makes others, implied, more.
static const double evaluated = 64, evaluated_apart = 16;

// ---- begin of the step ----------------------------------------------------------------------------------------------
// A closed contact with its directions of slip, which follow it. Constraints are not among the contacts, their slip is.
static void act(nsm_sim *s, int row) {
  struct sim_consistent *c = s->n.con;
  int f = s->n.r.friction_of[row], rows[5] = { row }, n = f < 0 ? 1 : sim_friction_rows(s, f, rows);
  for (int i = 0; i < n; i++) {
    s->n.r.active[rows[i]] = 1;
    if (c->of[rows[i]] >= 0) continue;
    c->index[rows[i]] = c->na;
    c->act[c->na++] = rows[i];
  }
}

// What evaluation loses of a gap: round-off of its terms, and, H being made of rotations, of attitudes. By symmetry
// terms can vanish that are the difference of two large ones in other axes.
static double lost(const nsm_sim *s, const sim_class *k, int i) {
  const sim_rows *r = &s->n.r;
  const double *H = k->h + (size_t)i * (size_t)k->c->h.n;
  double terms = r->terms[k->row0 + i];
  for (int e = 0; e < k->c->h.n && s->a->on.kinematics.n > 0; e++)
    if (sim_z_of(s, k, i, k->c->h.col[e]) >= s->a->nown) terms += fabs(H[e]);
  return (s->now.implied_n > 0 ? evaluated_apart : evaluated) * DBL_EPSILON * terms;
}

// The increments keep g_S(q_E) = g_S(q_B); where that is more than evaluation loses, the step goes back to 0.
void con_pull_back(nsm_sim *s, const sim_class *k, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  sim_rows *r = &s->n.r;
  if (k->c->velocity_level) return;                      // there is no gap to go back to
  sim_gap_terms(s, k, v);
  for (int i = 0; i < k->tab.count; i++) {
    double gap = r->gap[k->row0 + i];
    c->back[c->of[k->row0 + i]] = fabs(gap) > lost(s, k, i) ? gap : 0;
  }
}

// Kernels at q_B; the closed contacts: g(q_B) <= 0, to round-off, and those that had a force in the last step: by (6)
// their gap did not change then. How many rows they have.
static int at_begin(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  sim_rows *r = &s->n.r;
  nsm_view v = sim_now(s);
  if (s->touching && c->touched != s->touching->changes) {
    con_touched(s);
    c->touched = s->touching->changes;
  }
  for (int a = 0; a < s->a->on.h_moving.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.h_moving.of[a]];
    k->c->h_fn(&v, &k->tab, k->h);
  }
  if (s->a->on.h_moving.n > 0) sim_rows_outer(s, 0);
  for (int a = 0; a < s->a->on.mass_moving.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.mass_moving.of[a]];
    k->c->mass_fn(&v, &k->tab, k->mass);
    memcpy(c->cls[s->a->on.mass_moving.of[a]].mass0, k->mass,
           (size_t)k->tab.count * (size_t)k->c->mass.n * sizeof(double));
  }
  if (sim_touch_drives(s, s->n.h, c->drive_begin, c->moved)) sim_touch_driven(s, SIM_WAY, c->drive_way);
  double nearly = sim_nearly_closed(s);
  c->na = 0;
  for (int f = 0; f < r->nfriction; f++)
    for (int d = 0; d < r->friction[f].n; d++) r->active[r->friction[f].row[d]] = 0;
  for (int a = 0; a < s->a->on.contact.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.contact.of[a]];
    sim_gaps_at_begin(s, k, &v);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      double gap = r->gap[row];
      if (s->located && s->now.sets_known)
        r->active[row] = s->now.set[row] == SIM_CLOSED || (s->now.sets_known == SIM_CAPTURES && gap <= 0);
      else r->active[row] = !(gap > 0) || s->now.force[r->l[row]] > 0 ||
                       (gap <= nearly && sim_closed_by_round_off(s, k, i, gap));
      if (r->active[row]) act(s, row);
    }
  }
  int closed = c->na;
  for (int f = 0; f < r->nfriction; f++)
    if (r->friction[f].normals == 0 || c->of[r->friction[f].normal[0]] >= 0) act(s, r->friction[f].row[0]);
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    k->c->gap_fn(&v, &k->tab, r->gap + k->row0, r->rate0 + k->row0);    // on velocity level the gap is 0 here
    con_pull_back(s, k, &v);
  }
  for (int a = 0; a < s->a->on.friction.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.friction.of[a]];
    k->c->rate_fn(&v, &k->tab, r->rate0 + k->row0);
  }
  return closed;
}

// Rows that others imply have no part in (1).
static void implied_act(nsm_sim *s, int act) {
  const struct sim_consistent *c = s->n.con;
  for (int j = 0; s->now.implied_n > 0 && j < c->ns; j++) s->n.r.active[c->row[j]] = act || con_acts(s, j);
}

// Rows of M(q_B): value + (H M^{-1} H^T) Lambda, free for constraints. The impulses are left in isl.lambda.
static int solve_impact(nsm_sim *s, const double *value) {
  sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  implied_act(s, 0);
  sim_islands_list(s);
  if (!r->constant) sim_rows_couple(s);
  if (!sim_rebound(s)) return 0;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    is->q[i] = sim_rate(r->law ? value[row] + r->rebound[row] : (1 + r->e[row]) * value[row]);
    is->terms[i] = (1 + (r->law ? 1 : r->e[row])) * con_rate_terms(s, row, s->now.z);
    is->lo[i] = r->lo[row];
    is->hi[i] = r->hi[row];
    is->lambda[i] = r->law && r->struck[row] != 0 ? r->struck[row] : s->now.impulse[r->l[row]];
  }
  return sim_pressed_solve(s, sim_row_h, s->a->zero_l);
}

static void apply_impulses(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double p = is->lambda[i];
    if (p == 0) continue;
    s->now.impulse[r->l[row]] += p;
    for (int x = r->x0[row]; x < r->x0[row + 1]; x++) s->w.size[r->xz[x]] += fabs(r->x[x] * p);
    for (int x = r->x0[row]; x < r->x0[row + 1]; x++) sim_add(&c->uc[r->xz[x]], &c->uc_low[r->xz[x]], r->x[x] * p);
  }
}

// The rates that must vanish, H u_C + e H u_B where an impulse acts, as they are, in twice the working precision: a
// corrective impulse takes what is left of them, because the energy of an elastic impact is off by half of impulse
// times rate. 0 where nothing is left to do.
static int refine_impact(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  int worth = 0;
  if (r->nfriction > 0) return 0;                      // who sticks and who slides would have to be told apart;
                                                       // friction takes energy anyway
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]], acts = c->of[row] >= 0 || s->now.impulse[r->l[row]] > 0;
    double e = r->law ? 0 : r->e[row], w = (1 + e) * c->drive_begin[row] + (r->law ? r->rebound[row] : 0), low = 0;
    double size = fabs(w);
    for (int x = r->c0[row]; x < r->c0[row + 1]; x++) {
      int z = r->cz[x];
      sim_add_product(&w, &low, r->c[x], c->uc[z]);
      low += r->c[x] * c->uc_low[z];
      sim_add_product(&w, &low, e * r->c[x], s->now.z[z]);
      low += e * r->c[x] * s->now.z_low[z];
      size += fabs(r->c[x] * c->uc[z]);
    }
    w += low;
    is->q[i] = acts ? w : 0;
    is->terms[i] = size;
    is->lo[i] = acts ? -INFINITY : 0;
    is->hi[i] = acts ? INFINITY : 0;
    is->lambda[i] = 0;
    worth |= acts && fabs(w) > DBL_EPSILON * size;
  }
  if (!worth) return 0;
  is->solver.kind = SIM_APART;
  int ok = sim_islands_solve(s);
  is->solver.kind = SIM_BY_LAW;
  if (ok) apply_impulses(s);
  return ok;
}

// Factors of M(q_B), for (1), and for (9) where the scheme keeps it there.
static int mass_at_begin(nsm_sim *s, nsm_error *e) {
  if (s->n.w.constant || sim_matrix_update(s, 0) < 0) return 1;
  sim_fail(e, NSM_FAILED, "the mass matrix is singular at t = %.10g s, step %ld", s->now.t, sim_step_number(s));
  return 0;
}

// The rates at the begin; those of lasting contacts are zero but for what the solver left of them in the last step, and
// so are the impulses and the friction that would come of it. The motion does not let the gap shrink by them.
static const double *rates(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  memcpy(c->slip, r->rate0, (size_t)r->n * sizeof(double));
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i];
    if (fabs(r->rate0[row]) <= resting * con_rate_terms(s, row, s->now.z)) c->slip[row] = 0;
  }
  return c->slip;
}

// Velocities that the impulses left at 0.
static void come_to_rest(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  for (int i = 0; i < s->a->nv; i++)
    if (s->w.size[i] > 0 && sim_is_at_rest(c->uc[i], s->w.size[i] + fabs(s->now.z[i]))) c->uc[i] = c->uc_low[i] = 0;
  memset(s->w.size, 0, (size_t)s->a->nv * sizeof(double));
}

// Closed contacts of which none approaches have no impulse, however they slip: nothing is assembled for (1).
static int strikes(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  if (!s->touching || c->ns > 0 || s->a->on.mu.n > 0 || !s->n.w.constant) return 1;
  const double *rate = s->n.r.nfriction > 0 ? rates(s) : s->n.r.rate0;
  for (int i = 0; i < c->na; i++)
    if (s->a->cls[s->n.r.cls[c->act[i]]].c->kind == NSM_CONTACT && !(rate[c->act[i]] >= 0)) return 1;
  return 0;
}

// (1) from the velocities at the begin.
static nsm_code strike(nsm_sim *s, double t1, nsm_error *e) {
  sim_rows *r = &s->n.r;
  size_t bytes = (size_t)s->a->nv * sizeof(double);
  memcpy(s->n.con->uc, s->now.z, bytes);
  memcpy(s->n.con->uc_low, s->now.z_low, bytes);
  for (int f = 0; f < r->nfriction; f++)                 // a force of given size has no impulse at an instant
    for (int d = 0; r->friction[f].normals == 0 && d < r->friction[f].n; d++) r->active[r->friction[f].row[d]] = 0;
  if (!solve_impact(s, r->nfriction > 0 ? rates(s) : r->rate0)) return sim_cone_failed(s, t1, e);
  memset(s->now.impulse, 0, (size_t)s->a->nl * sizeof(double));
  apply_impulses(s);
  for (int i = 0; i < s->n.con->na; i++) r->active[s->n.con->act[i]] = 1;
  for (int i = 0; i < REFINEMENTS && refine_impact(s); i++) continue;
  come_to_rest(s);
  return NSM_OK;
}

// Bodies whose impact would make energy strike with a smaller share of their restitution; without any, one coefficient
// for all directions, none is made. c->gap keeps the coefficients.
static nsm_code strike_softer(nsm_sim *s, double t1, nsm_error *e) {
  static const double shares[] = { 0.75, 0.5, 0.25, 0 };
  struct sim_consistent *c = s->n.con;
  sim_rows *r = &s->n.r;
  nsm_code code = NSM_OK;
  for (size_t k = 0; k < sizeof shares / sizeof *shares && code == NSM_OK && (k == 0 || con_impact_gains(s)); k++) {
    for (int i = 0; i < c->na; i++)
      if (c->wants[con_impact_group(s, c->act[i])]) r->e[c->act[i]] = shares[k] * c->gap[c->act[i]];
    code = strike(s, t1, e);
  }
  s->now.count.softened++;
  return code;
}

static nsm_code impact(nsm_sim *s, double t1, nsm_error *e) {
  struct sim_consistent *c = s->n.con;
  sim_rows *r = &s->n.r;
  if (!mass_at_begin(s, e)) return NSM_FAILED;
  nsm_view now = sim_now(s);
  sim_friction_law(s, &now);
  sim_friction_guess(s, 1);
  nsm_code sound = sim_friction_sound(s, &now, e);
  if (sound != NSM_OK) return sound;
  nsm_code code = strike(s, t1, e);
  int softer = code == NSM_OK && s->touching && !r->law && r->nfriction > 0 && con_impact_gains(s) > 0;
  for (int i = 0; softer && i < c->na; i++) c->gap[c->act[i]] = r->e[c->act[i]];
  if (softer) code = strike_softer(s, t1, e);
  if (code == NSM_OK) s->now.ledger.loss = con_impact_loss(s);
  for (int i = 0; softer && i < c->na; i++) r->e[c->act[i]] = c->gap[c->act[i]];
  implied_act(s, 1);
  if (s->now.implied_n > 0 && r->x_follows) sim_islands_list(s);
  if (s->now.implied_n > 0 && !r->constant) sim_rows_couple(s);
  if (code != NSM_OK) return code;
  con_book_impact(s);
  return NSM_OK;
}

// q_E and u_E with what rounding takes from them (Hairer, Lubich and Wanner, Geometric Numerical Integration, VIII.5).
void con_carry(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  for (int i = 0; i < s->a->nv; i++) {
    s->w.q1[i] = sim_two_sum(s->now.q[i], s->now.q_low[i] + c->inc_q[i], &s->w.q1_low[i]);
    s->w.z1[i] = sim_two_sum(c->uc[i], c->uc_low[i] + c->inc_u[i], &s->w.z1_low[i]);
  }
}

// ---- the step -------------------------------------------------------------------------------------------------------
static void note_energy(nsm_sim *s) {
  double twice = 0;
  for (int z = 0; z < s->a->nv; z++) twice += s->now.z[z] * s->now.z[z] / s->n.con->mass_inverse[z];
  s->now.con.most = fmax(s->now.con.most, 0.5 * twice);
}

nsm_code sim_step_consistent(nsm_sim *s, double t1, nsm_error *e) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  int two = !s->a->scheme->one_step, closed = at_begin(s);
  c->moves_on = 1;
  note_energy(s);
  size_t bytes = (size_t)s->a->nv * sizeof(double);
  memcpy(c->uc, s->now.z, bytes);
  memcpy(c->uc_low, s->now.z_low, bytes);
  s->now.ledger.loss = s->now.ledger.loss_friction = s->now.ledger.forces_now = s->now.ledger.dampers_now = 0;
  con_light(s);
  if (two && closed > 0 && strikes(s)) {
    nsm_code code = impact(s, t1, e);
    if (code != NSM_OK) return code;
  } else {
    memset(s->now.impulse, 0, (size_t)s->a->nl * sizeof(double));
    if (s->a->scheme->mass_at_begin && c->ns > 0 && !mass_at_begin(s, e)) return NSM_FAILED;
    if (r->x_follows && c->ns > 0) sim_islands_list(s);
    if (!r->constant) sim_rows_columns_of(s, c->row, c->ns);
  }
  if (r->nfriction > 0) con_slide(s, t1);
  nsm_view v = con_view(s, t1);
  nsm_code code = con_move(s, &v, e);
  if (code != NSM_OK) return code;
  if (s->a->on.mu.n > 0) {
    nsm_view middle = con_middle(s, &v);
    if ((code = sim_friction_sound(s, &middle, e)) != NSM_OK) return code;
  }
  con_rest(s, &v);
  con_works(s, &v);
  con_carry(s);
  memcpy(s->now.force, s->w.l1, (size_t)s->a->nl * sizeof(double));
  if (con_settles(s) && (code = con_settle(s, &v, e)) != NSM_OK) return code;
  if ((code = con_mass(s, &v, e)) != NSM_OK) return code;     // last: it takes the factors of M
  memcpy(s->now.kappa, c->kappa1, (size_t)s->a->nl * sizeof(double));
  con_learn(s);
  for (int i = 0; i < s->a->nl; i++) s->w.l1[i] += s->now.impulse[i];
  con_share_out(s);
  for (int a = 0; a < s->a->on.compliant.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.compliant.of[a]];
    k->c->lambda_fn(&v, &k->tab, s->w.l1 + s->a->var[k->c->row_var].base);
  }
  for (int a = 0; a < s->a->on.contact.n && !s->located; a++) {
    const sim_class *k = &s->a->cls[s->a->on.contact.of[a]];
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      s->now.count.impacts += (two ? s->now.impulse : s->w.l1)[r->l[row]] > 0 && !s->now.closed[row];
  }
  if (s->a->on.contact.n > 0) memcpy(s->now.closed, r->active, (size_t)r->n);
  return NSM_OK;
}

// The impact (1) alone, of the contacts that are active: q stays as it is.
nsm_code sim_impact_consistent(nsm_sim *s, nsm_error *e) {
  struct sim_consistent *c = s->n.con;
  size_t bytes = (size_t)s->a->nv * sizeof(double);
  at_begin(s);
  c->moves_on = c->settles = 0;
  memcpy(c->uc, s->now.z, bytes);
  memcpy(c->uc_low, s->now.z_low, bytes);
  s->now.ledger.loss = s->now.ledger.loss_friction = s->now.ledger.forces_now = s->now.ledger.dampers_now = 0;
  nsm_code code = impact(s, s->now.t, e);
  if (code != NSM_OK) return code;
  memcpy(s->w.q1, s->now.q, (size_t)s->a->nq * sizeof(double));
  memcpy(s->w.q1_low, s->now.q_low, (size_t)s->a->nq * sizeof(double));
  memcpy(s->w.z1, c->uc, bytes);
  memcpy(s->w.z1_low, c->uc_low, bytes);
  memcpy(s->w.l1, s->now.impulse, (size_t)s->a->nl * sizeof(double));
  return NSM_OK;
}

// Contacts tell the parts of a step apart: each has a law of its own (friction.md, section 3).
static void tell_apart(nsm_sim *s) {
  if (!s->located) sim_parts_none(s);
  for (int l = 0; l < s->a->nl; l++) {
    s->now.struck[l] += s->now.impulse[l];
    if (s->n.con->moves_on) s->now.added[l] += s->w.l1[l] - s->now.impulse[l] - s->now.force[l];
  }
}

void sim_accept_consistent(nsm_sim *s) {
  if (SIM_TELLS_APART(s)) tell_apart(s);
  SIM_SWAP(s->now.q_low, s->w.q1_low);
  SIM_SWAP(s->now.z_low, s->w.z1_low);
}
