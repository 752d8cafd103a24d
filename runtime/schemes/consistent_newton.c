// The motion (2)-(6) of a step by Josephy and Newton's method: the smooth rows are linearised, the contacts solved
// exactly inside. Where the inclusion inside has no solution the iteration takes the projected step (2.72) of [Möller
// 2011] instead; where it does not converge it starts again from the velocities at the begin, and then by (2.72) alone.
// The energy is as good as the residual, so the iteration goes on until the residual stops falling. Last of all,
// contacts that are about to open, or that no force can keep from closing, are left out of the set.
#include "consistent.h"
#include "consistent_near.h"
#include <math.h>
#include <string.h>

enum { FREE = 6, STUCK = 3, TURN = 8, ALL = 4, HOPELESS = 16, TRIAL = 16, PROJECTED_MAX = 2000,
       SOUGHT = 40 };                    // iterations for a coefficient of friction, whose residual need not fall
// Relative residuals: done; done where contacts of shapes with friction are closed, which take energy (half of the
// tolerance, once a problem was solved to that); small enough to stand where it falls no more, and where a tighter
// inner tolerance has not helped.
static const double at_floor = 2e-16, of_friction = 2e-14, may_rest = 1e-10, at_last = 1e-9;
static const double same = 0.99;         // residuals of two iterates that are the same
static const double near_by = 1e-7;      // where interior points are not nearer
static const double halves = 0.5;        // what they fall by at least, or answers that will do are not good enough
static const double may_cancel = 1e-6;   // of the speeds: the round-off of forces that cancel each other
static const double growth = 100, may_err = 1e-6;   // of an iterate that ran away: kinetic energy, error of (8)

// ---- Newton's method ------------------------------------------------------------------------------------------------
static void set_speed(nsm_sim *s, int i, double inc) {
  struct sim_consistent *c = s->n.con;
  c->inc_u[i] = inc;
  s->w.z1[i] = c->uc[i] + (c->uc_low[i] + inc);
}

static void go(nsm_sim *s, double alpha) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < s->a->nv; i++) set_speed(s, i, c->try_u[i] + alpha * c->dz[i]);
  for (int j = 0; j < c->ns; j++) {
    int l = r->l[c->row[j]];
    s->w.l1[l] = c->try_l[l] + alpha * c->dz[s->a->nv + j];
    c->kappa1[l] = c->try_k[l] + alpha * c->dz[s->a->nv + c->ns + j];
  }
  for (int i = 0; i < c->na; i++) {
    int l = r->l[c->act[i]];
    s->w.l1[l] = alpha == 1 ? s->w.l_try[l] : c->try_l[l] + alpha * (s->w.l_try[l] - c->try_l[l]);
  }
}

static void keep_iterate(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  memcpy(c->try_u, c->inc_u, (size_t)s->a->nv * sizeof(double));
  memcpy(c->try_l, s->w.l1, (size_t)s->a->nl * sizeof(double));
  memcpy(c->try_k, c->kappa1, (size_t)s->a->nl * sizeof(double));
}

void con_go(nsm_sim *s, const nsm_view *v) {
  keep_iterate(s);
  go(s, 1);
  con_place(s, v);
}

// Matrix and rows are constant: one iteration is exact.
static nsm_code affine(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  double sum = 0;
  con_place(s, v);
  for (int i = 0; i < s->a->nv; i++) sum += s->w.q1[i] + s->w.z1[i];
  return isfinite(sum) ? NSM_OK : con_failed(s, v, &(sim_iteration){ .number = 1, .error = NAN }, e);
}

// The problem of an iterate need be no better than the iterate (an inexact method: Dembo, Eisenstat and Steihaug, SIAM
// J. Numer. Anal. 19 (1982) 400), as long as iterates become better. What is accepted is measured as a whole.
static const double share = 1e-5, first_share = 1e-10, most_share = 1e-10, falls = 0.1, sharper = 0.03, strict = 1e-2;
static double enough_of(const nsm_sim *s, const sim_iteration *it) {
  struct sim_consistent *c = s->n.con;
  if (!s->touching) return 0;
  c->sharper = it->number == 0 ? 1 : it->rate > falls ? c->sharper * sharper : fmin(1, c->sharper / sharper);
  if (it->number == 0) return first_share;
  return fmax(s->a->tolerance, fmin(share * it->error, most_share) * c->sharper);
}

// Do all bodies move by less than this share of the speed that their forces would give them? What is left is error, and
// at the floor it is round-off, which con_rest tells from motion.
static int almost_still(const nsm_sim *s) {
  static const double still = 1e-9;
  const struct sim_consistent *c = s->n.con;
  double fastest = 0, by_forces = 0;
  for (int z = 0; z < s->a->nv; z++) {
    fastest = fmax(fastest, fabs(s->w.z1[z]));
    by_forces = fmax(by_forces, s->now.r1_size[z] * c->mass_inverse[z]);
  }
  return fastest <= still * by_forces;
}

// Where the residual has hardly fallen, answers that will do lead nowhere: bodies that touch in more points than hold
// them contradict each other by what the curvature of their ways leaves, and until one contact opens or slides every
// step has the same trouble. Above may_rest the next problem is solved by the loop that creeps to there, and later ones
// by all solvers; below it in every eighth of such steps. What is almost still is solved to the floor in every eighth
// step, by the path of the smoothed problems, whose forces are nearest to it: so it comes to rest. 0: they do not help.
static int tightens_inner(nsm_sim *s, const sim_iteration *it) {
  struct sim_consistent *c = s->n.con;
  int slow = s->touching && it->number > 1 && it->error > s->a->tolerance && it->rate > halves;
  c->stuck = slow ? c->stuck + 1 : 0;
  int must = it->error > may_rest, creeps = c->stuck == 1 && (must || s->now.con.stagnant % TURN == TURN - 1),
      all = c->stuck % ALL == 2 && it->error > at_last;
  c->solver.enough = creeps || all ? fmax(s->a->tolerance, strict * it->error) : enough_of(s, it);
  int turn = s->touching && it->number > 0 && s->now.k % TURN == 0,
      rests = turn && it->error <= s->a->tolerance && almost_still(s);
  if (rests) c->solver.enough = of_friction;
  c->solver.only = creeps ? "proximal_newton" : rests ? "sigma" : NULL;
  c->solver.strict = creeps || all || rests;
  c->solver.brief = !c->brief || all ? 0 : it->number > 0 && it->error <= near_by ? 2 : 1;
  return !(c->stuck > HOPELESS && it->error > at_last && it->rate > same && it->rate * same < 1);
}

static nsm_code newton_step(nsm_sim *s, const nsm_view *v, sim_iteration *it, nsm_error *e) {
  struct sim_consistent *c = s->n.con;
  if (s->touching && c->na > 0 && con_freeze(s, it) && !con_evaluate(s, v))
    return con_failed(s, v, &(sim_iteration){ .number = it->number, .error = NAN }, e);
  if (!tightens_inner(s, it)) return con_failed(s, v, it, e);
  int fresh = !sim_keeps_factors(&c->k, it), made = c->affine && !c->projected && c->made_for == v->h,
      bad = fresh && !made ? con_matrix(s, v) : -1;
  it->exact = c->affine && !c->projected;
  if (c->singular && c->asks) return NSM_FAILED;         // con_move has the word
  if (bad >= 0) return con_singular(s, v, it->number, con_residual(s, v->h, &it->worst), bad, e);
  for (int i = 0; i < c->n; i++) c->dz[i] = -c->res[i];
  con_solve(s, c->dz);
  sim_friction_guess(s, it->number == 0 || it->alpha != 1);
  if (c->na > 0) {
    con_dq(s, v->h, c->dz, c->dq);
    if (fresh && !con_columns(s, v->h)) {
      sim_fail(e, NSM_FILE, "not enough memory for the columns of %d closed contacts at t = %.10g s, step %ld", c->na,
               v->t, sim_step_number(s));
      return NSM_FILE;
    }
    if (c->projected) con_project(s);
    else if (!con_contacts(s)) {
      if (c->solver.result.status == NSM_CONE_BAD_INPUT)
        return con_failed(s, v, &(sim_iteration){ .number = it->number, .error = NAN }, e);
      con_project(s);
      it->exact = 0;
    }
    con_apply_contacts(s);
  }
  keep_iterate(s);
  go(s, c->na > 0 && s->touching ? con_stride(s, it, FREE) : 1);
  return it->exact ? affine(s, v, e) : NSM_OK;
}

// What is left at the floor is round-off and the tail of Newton's series. The tail has a sign and adds up over the
// steps, so the last correction is applied too; with closed contacts it would open them.
static void polish(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  if (c->na > 0) return;
  for (int i = 0; i < c->n; i++) c->dz[i] = -c->res[i];
  con_solve(s, c->dz);
  con_go(s, v);
}

// An iterate far away, whose kinetic energy is above all that there was, while (8) does not hold for it: the sizes that
// residuals are measured by have grown with it, so they are small beside these. What moves a body by nothing, beside
// its place or its fall in the step, is round-off of the forces, of which the rows alone would give it the speed `most`
// and the others `fall`.
static int ran_away(const nsm_sim *s, double h, double most, double fall) {
  const struct sim_consistent *c = s->n.con;
  double work = 0, before = 0, after = 0, wrong = 0, fastest = 0, way = 0, place = h * fall;
  for (int z = 0; z < s->a->nv; z++) {
    double m = 1 / c->mass_inverse[z];
    before += 0.5 * m * c->uc[z] * c->uc[z];
    after += 0.5 * m * s->w.z1[z] * s->w.z1[z];
    work += c->res[z] * c->inc_q[z];
    fastest = fmax(fastest, fabs(s->w.z1[z]));
    way = fmax(way, fabs(c->inc_q[z]));
    place = fmax(place, fabs(s->now.q[z]));
  }
  double nothing = DBL_EPSILON * DBL_EPSILON * s->now.con.most;
  if (!(after > growth * (before + fabs(s->now.ledger.potential) + nothing))) return 0;
  if (fastest <= may_cancel * most && way <= may_cancel * place) return 0;
  for (int j = 0; j < c->ns; j++) {
    int l = s->n.r.l[c->row[j]];
    wrong += fabs(s->w.l1[l] * c->res[s->a->nv + c->ns + j]) + fabs(c->kappa1[l] * c->res[s->a->nv + j]);
  }
  return !(fabs(work) + wrong <= may_err * after);
}

// Forces of constraints and contacts that cancel each other until their round-off is seen in the speeds are no
// solution, however small the residual is beside them: near a configuration where they have the same direction, the
// iteration can run off to there.
int con_credible(nsm_sim *s, double h) {
  struct sim_consistent *c = s->n.con;
  double most = 0, speeds = 0, fall = 0;
  for (int z = 0; z < s->a->nv; z++) c->dq[z] = c->fresh[z] = 0;
  for (int i = 0; i < c->na + c->ns; i++) {
    int row = i < c->na ? c->act[i] : c->row[i - c->na];
    const sim_class *k = &s->a->cls[s->n.r.cls[row]];
    const double *direction = con_direction(s, row);
    for (int e = 0; e < k->c->h.n; e++) {
      int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]);
      double d = direction[e] * s->w.l1[s->n.r.l[row]] * c->mass_inverse[z];
      c->dq[z] += d;
      c->fresh[z] += fabs(d);
    }
  }
  for (int z = 0; z < s->a->nv; z++) {
    most = fmax(most, c->fresh[z]);
    fall = fmax(fall, fabs(c->inc_u[z] - c->dq[z]));
    speeds = fmax(speeds, fmax(fabs(c->dq[z]), fabs(c->uc[z]) + fabs(s->w.z1[z])));
  }
  return DBL_EPSILON * most <= may_cancel * speeds && !ran_away(s, h, most, fall);
}

static void measure(nsm_sim *s, const nsm_view *v, sim_iteration *it) {
  int placed = con_evaluate(s, v);
  if (it->number > 0) it->error = placed ? con_residual(s, v->h, &it->worst) : NAN;
}

// Bodies that press on each other in more points than hold them, and constraints that depend on each other, have forces
// that the problem does not decide: where the residual falls no more above the tolerance it stands up to may_rest, and
// is counted. A located step goes to the floor: its events are told by forces, and a gap that is right to 1e-12 of its
// terms has forces that are right to 1e-12/h^2 of theirs.
static sim_verdict verify(nsm_sim *s, const nsm_view *v, sim_iteration *it) {
  const struct sim_consistent *c = s->n.con;
  double least = fmin(it->error, it->before);
  int enough = !(it->error > same * it->before && it->error * same < it->before) ? FREE : c->stuck ? 2 : STUCK;
  double done = !s->touching || s->a->located || c->na == 0 || s->n.r.nfriction == 0 ? at_floor
                : c->solver.enough <= s->a->tolerance ? fmax(of_friction, 0.5 * s->a->tolerance) : of_friction;
  int sought = it->worst < 0 && sim_friction_moves(s, ~it->worst) && it->number <= SOUGHT,
      stays = (s->touching || s->n.con->singular) && it->number > enough && !sought,
      resting = it->number > 1 && it->error <= (c->stuck ? at_last : may_rest) && !(it->error <= 0.25 * it->before) &&
                (least <= s->a->tolerance || stays);
  if (!(it->error <= done) && !resting) return SIM_GO_ON;
  if (!resting && it->error > of_friction && almost_still(s)) return SIM_GO_ON;
  if (!con_credible(s, v->h)) return SIM_HOPELESS;
  if (s->touching && c->na > 0) s->now.count.max_residual = fmax(s->now.count.max_residual, least);
  if (it->error <= at_floor) polish(s, v);
  else if (least > s->a->tolerance) sim_stagnated(s, v->t, it);
  else if (it->error > it->before) { go(s, 0); con_place(s, v); }              // the one before was better
  return SIM_STANDS;
}

static nsm_code iterate(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  static const sim_newton_method method = { FREE, measure, verify, NULL, newton_step, go, con_failed, con_still };
  const struct sim_consistent *c = s->n.con;
  if (!c->affine) memset(s->now.r1_most, 0, (size_t)s->a->nv * sizeof(double));
  return sim_josephy_newton(s, &method, c->projected ? PROJECTED_MAX : NSM_NEWTON_MAX, !c->projected, v, e);
}

// ---- start values ---------------------------------------------------------------------------------------------------
void con_start_foretold(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  int nv = s->a->nv, nl = SIM_HOLDING(s);
  sim_foretell(s, 0, 0, nv, c->inc_u);
  for (int i = 0; i < nv; i++) set_speed(s, i, c->inc_u[i]);
  for (int of = 1; of <= 2; of++) {
    double *to = of == 1 ? c->kappa1 : s->w.l1, *x = c->newest;
    sim_foretell(s, of, nv + (of - 1)*nl, nl, x);
    for (int j = 0; j < c->ns; j++) to[s->n.r.l[c->row[j]]] = x[s->n.r.l[c->row[j]]];
  }
}

// The velocity changes as foretell.c says, with the multipliers of constraints; where there are no steps of this length
// as in the last step, or by extrapolation from the last two, whichever was nearer lately; or not at all, where that
// took fewer iterations lately: a stiff mode that a step does not resolve changes sign from step to step. What is not
// in use is tried now and then.
void con_start(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  int better = s->now.con.cost[1] > s->now.con.cost[0];
  c->moves = s->now.k % TRIAL == TRIAL - 1 ? better : !better;
  for (int i = 0; i < s->a->nv; i++) {
    double g = s->now.off[2] < s->now.off[1] ? 2 * s->now.gain[i] - s->now.gain0[i] : s->now.gain[i];
    set_speed(s, i, c->moves ? g : 0);
  }
  memcpy(s->w.q1, s->now.q, (size_t)s->a->nq * sizeof(double));
  c->placed = 0;
  memcpy(s->w.l1, s->now.force, (size_t)s->a->nl * sizeof(double));
  for (int row = 0; row < s->n.r.n; row++)
    if (c->of[row] < 0 && !s->n.r.active[row]) s->w.l1[s->n.r.l[row]] = 0;
  memcpy(c->kappa1, s->now.kappa, (size_t)s->a->nl * sizeof(double));
  if (c->moves && sim_foretells(s)) con_start_foretold(s);
  // of dependent constraints the smallest multipliers are those that come from none
  for (int j = 0; j < c->ns; j++)
    if (s->now.con.redundant || !con_acts(s, j))
      s->w.l1[s->n.r.l[c->row[j]]] = c->kappa1[s->n.r.l[c->row[j]]] = 0;
}

static void start_at_rest(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  for (int i = 0; i < s->a->nv; i++) set_speed(s, i, 0);
  memcpy(s->w.q1, s->now.q, (size_t)s->a->nq * sizeof(double));
  c->placed = 0;
  memset(s->w.l1, 0, (size_t)s->a->nl * sizeof(double));
  memset(c->kappa1, 0, (size_t)s->a->nl * sizeof(double));
}

void con_learn(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  if (c->affine) return;                                   // any start will do
  s->now.con.cost[c->moves] += 0.25 * ((double)c->iterations - s->now.con.cost[c->moves]);
  sim_learn(s, s->a->nv, c->inc_u, c->mass_inverse, 1);
  if (SIM_PREDICTED(s) == 0) return;
  const double *of[] = { c->inc_u, c->kappa1, s->now.force };
  int nv = s->a->nv, nl = SIM_HOLDING(s);
  sim_past_opens(s);
  for (int k = 0; k < 3; k++) {
    int first = k == 0 ? 0 : nv + (k - 1)*nl, n = k == 0 ? nv : nl;
    sim_past_of(s, k, first, n, of[k], k == 0 ? c->mass_inverse : NULL, 1);
  }
  sim_past_closes(s);
}

// Contacts that leave after the impact, rate > 0, or whose force would close the gap, D_ii <= 0, are taken out of the
// set; how many. Near a configuration in which the gap has no direction that the constraints allow, (6) can be met by
// no force. Without one the energy is kept all the same, and the next step has the contact again.
static int leave_out(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  sim_rows *r = &s->n.r;
  int kept = 0, n = c->na;
  for (int i = 0; i < n; i++) {
    int row = c->act[i], f = r->friction_of[row], normal = f < 0 ? row : r->friction[f].normal[0];
    double rate = 0;                                       // H(q_B) u_C
    for (int x = normal < 0 ? 0 : r->c0[normal], end = normal < 0 ? 0 : r->c0[normal + 1]; x < end; x++)
      rate += r->c[x] * c->uc[r->cz[x]];
    if (normal >= 0 && s->a->cls[r->cls[normal]].c->kind == NSM_CONTACT &&
        (rate > 0 || (row == normal && !(c->diag[i] > 0)))) {
      r->active[row] = 0;
      continue;
    }
    c->index[row] = kept;
    c->act[kept++] = row;
  }
  c->na = kept;
  return n - kept;
}

// ---- the motion -----------------------------------------------------------------------------------------------------
nsm_code con_motion(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  struct sim_consistent *c = s->n.con;
  long before = s->now.count.newton_iterations, stagnations = s->now.count.stagnations;
  c->projected = c->always_projected;
  c->singular = c->one_sided = 0;
  if (c->frozen > 0) memset(c->freeze, 0, (size_t)s->n.r.n);
  c->frozen = 0;
  con_start(s);
  c->brief = s->touching != NULL;
  nsm_code code = iterate(s, v, e);
  nsm_error again;
  if (c->singular && c->asks) return code;
  if (c->singular && con_by_means(s)) {
    c->one_sided = 1;
    sim_rows_columns_of(s, c->row, c->ns);
    c->singular = 0;
    con_start(s);
    code = iterate(s, v, e);
  }
  if (code != NSM_OK && c->brief && c->na > 0 && !s->w.late) {
    c->brief = 0;
    con_start(s);
    if (iterate(s, v, &again) == NSM_OK) code = NSM_OK;
  }
  c->brief = 0;
  for (int attempt = 0; code != NSM_OK && !s->w.late && attempt < 2 && (attempt == 0 || c->na > 0); attempt++) {
    c->projected |= attempt == 1;
    c->singular = 0;
    start_at_rest(s);
    if (iterate(s, v, &again) == NSM_OK) code = NSM_OK;
  }
  if (code != NSM_OK && !s->w.late && leave_out(s) > 0) {
    c->projected = c->always_projected;
    c->singular = 0;
    start_at_rest(s);
    if (iterate(s, v, &again) == NSM_OK) code = NSM_OK;
    s->now.count.left_out += code == NSM_OK;
  }
  if (code != NSM_OK) return code;
  c->iterations = s->now.count.newton_iterations - before;
  s->now.con.stagnant = s->now.count.stagnations > stagnations ? s->now.con.stagnant + 1 : 0;
  s->now.count.frozen += c->frozen > 0;
  s->now.con.redundant = c->singular;
  if (e) *e = (nsm_error){ .code = NSM_OK };
  return NSM_OK;
}
