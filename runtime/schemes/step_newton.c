// One step by Newton's method on the smooth rows with the one-step problem inside (Josephy-Newton), docs/numerics/
// moreau.md (4)-(10) for z = (v, x) at once. At the iterate (z^a, l^a):
//
//   R = M(q~, x~)(z^a - z_k) - h theta f(t1, z^a) - S - h g(z_g, l^a) - H^T p^a,
//   S = h (1-theta) f(t_k, z_k),  z_g = (1-gamma) z_k + gamma z^a                                                  (12)
//   W (z_p - z^a) = -R without the terms of l^a in the one-step problem                                            (13)
//   q = y(z^a, l^a) - D l^a + C (z_p - z^a)  or  rate(z^a) + e rate_k + C (z_p - z^a)                              (17)
//   solve (1) of one-step-problem.md;  z = z_p + X lambda                                                          (18)
//
// W has all derivatives, and the rows of constraints as its border (assembly.c). Where the iteration fails it starts
// again with M(q~), H and the rates frozen at the iterate: linear convergence with a factor of order h, but a symmetric
// one-step problem.
//
// Converged where the dynamics and the laws hold with freshly evaluated kernels, to the tolerance relative to the size
// of their terms, or to the round-off of these terms where that is larger. The step is halved where the residual grows.
#include "newton.h"
#include <string.h>

// New starts where it does not converge. Steps after which the round-off of the terms is looked at; after which a step
// ends where the residual turns.
enum { RESTARTS = 12, SLOW = 3, TURNS = 8, PARTS = 100 };
static const double PART = 0.0625, LEAST = 1e-6;   // of a path: the first part, the least
static const double exact = 1e-15;       // what Newton's method takes no further
static const double beside = 1e-14;      // of an unknown: how far its neighbours are
static const double stagnation = 1e-9;   // what may stand where the residual falls no more, with a note

// z changes as is predicted from the last steps, with the impulses of constraints; where there are none of this length,
// or rows of laws act, which take no last correction (newton_polish), as in the last step where that was the better
// guess lately, in the mass metric; else not at all. 1: it changes.
static int start_values(nsm_sim *s, int moving) {
  s->w.old = 0;
  int nz = s->a->nz, ends = s->n.isl.nactive == 0 || SIM_ON_JOINTS(s), foretold = moving && ends && sim_foretells(s);
  const double *change = foretold ? s->w.inc : moving && s->now.off[1] < s->now.off[0] ? s->now.gain : NULL;
  if (foretold) {
    sim_foretell(s, 0, 0, nz, s->w.inc);
    sim_foretell(s, 1, nz, SIM_HOLDING(s), s->w.l_try);
  }
  for (int i = 0; i < nz; i++) s->w.z1[i] = s->now.z[i] + (change ? change[i] : 0);
  newton_position(s);
  for (int i = 0; i < s->n.isl.nactive + s->n.r.nborder; i++) {
    int row = newton_row(s, i), l = s->n.r.l[row];
    s->w.l1[l] = foretold && s->n.r.border_of[row] >= 0 ? s->w.l_try[l] : sim_start_of(s, row);
  }
  sim_implied_leave(s, s->w.l1);
  return change != NULL;
}

// ---- which iterates stand -------------------------------------------------------------------------------------------
static void measure(nsm_sim *s, const nsm_view *v, sim_iteration *it) {
  newton_evaluate(s, v->t);
  if (it->number == 0) { memset(s->w.lost_before, 0, (size_t)s->a->nz * sizeof(double)); return; }
  int late = it->number >= SLOW && !s->w.old;              // derivatives at hand are those of this step
  if (late) newton_round_off(s);
  it->error = newton_residual(s, late, &it->worst);
}

static sim_verdict verify(nsm_sim *s, const nsm_view *v, sim_iteration *it) {
  if (it->error <= s->a->tolerance) {
    int foretold = SIM_PREDICTED(s) > 0 && (it->number < SLOW || s->w.old) && it->alpha == 1;
    if (foretold && it->error > exact && s->w.ahead == 0) newton_polish(s);
    return SIM_STANDS;
  }
  int stays = it->number >= SLOW && !s->w.old && it->error > 0.5 * it->before && s->n.isl.nactive > 0;
  if (stays && it->worst >= 0 && newton_rounded(s, v->t, stagnation, &it->error, &it->worst)) return SIM_STANDS;
  if (stays && newton_known(s, &it->error, &it->worst)) return SIM_STANDS;
  int sought = it->worst < 0 && sim_friction_moves(s, ~it->worst);             // friction.c seeks its coefficient
  if (it->number <= TURNS || it->halvings != 0 || sought || newton_turned(s) == 0) return SIM_GO_ON;
  it->error = newton_to_the_turn(s, v->t, &it->worst);
  it->halvings = -1;
  return it->error <= s->a->tolerance ? SIM_STANDS : SIM_GO_ON;
}

static int rests(nsm_sim *s, const nsm_view *v, sim_iteration *it) {
  int late = it->number > 3 * TURNS;
  if (!late || !(it->error <= stagnation && it->error > 0.5 * it->before)) return 0;
  sim_stagnated(s, v->t, it);
  return 1;
}

static nsm_code iterate(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  static const sim_newton_method method = { NSM_NEWTON_MAX, measure, verify, rests, newton_step, newton_go,
                                            newton_failed, NULL };
  return sim_josephy_newton(s, &method, NSM_NEWTON_MAX, 1, v, e);
}

// ---- the step -------------------------------------------------------------------------------------------------------
// What impulses leave of velocities at rest is 0 (closed.c); residual_size and diag are those of the residual accepted.
static void settle(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  int any = 0;
  for (int z = 0; z < s->a->nz; z++) s->w.size[z] = fabs(s->now.z[z]) +
      (s->w.diag[z] > 0 ? s->w.residual_size[z] / s->w.diag[z] : 0);
  for (int i = 0; i < s->n.isl.nactive + r->nborder; i++) {
    int row = newton_row(s, i);
    for (int e = r->b0[row]; s->w.l1[r->l[row]] != 0 && e < r->b0[row + 1]; e++) {
      int z = r->bz[e];
      if (!(s->w.diag[z] > 0) || !sim_is_at_rest(s->w.z1[z], s->w.size[z])) continue;
      s->w.z1[z] = 0;
      any = 1;
    }
  }
  any |= sim_touch_rest(s, s->w.size, sim_touch_stop, 0);
  if (any) newton_position(s);
}

// What is foretold and was to be 0 falls from step to step by the tolerance, to numbers that have no squares, then to
// those of few digits, and a problem of such terms cannot be solved.
static void settle_foretold(nsm_sim *s) {
  double *of[] = { s->w.z1, s->w.l1 };
  const int n[] = { s->a->nz, s->a->nl };
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < n[k]; i++) of[k][i] = of[k][i] * of[k][i] >= DBL_MIN ? of[k][i] : 0;
}

// Between the kinks of several laws Newton's method can go round in circles. It begins again, with other multipliers
// in the intervals that bound them, from a sequence that repeats: xorshift, Marsaglia 2003. 0: there are none.
static int start_elsewhere(nsm_sim *s, uint64_t *seed) {
  const sim_rows *r = &s->n.r;
  int any = 0;
  start_values(s, 0);
  for (int i = 0; i < s->n.isl.nactive; i++) {
    int row = r->row_at[s->n.isl.active[i]];
    if (!(r->hi[row] - r->lo[row] < INFINITY)) continue;
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    s->w.l1[r->l[row]] = r->lo[row] + (r->hi[row] - r->lo[row]) * ((double)(*seed >> 11) * 0x1p-53);
    any = 1;
  }
  return any;
}

// Is R a number on both sides of the iterate, a share of each unknown away? Where it is not, as beside sqrt(0), slopes
// without bound excuse any residual as round-off; beside a pole any value is as good as another.
static int is_inside(nsm_sim *s, double t1, double share) {
  size_t bytes = (size_t)s->a->nz * sizeof(double);
  int inside = 1, worst;
  memcpy(s->w.z_path, s->w.z1, bytes);
  for (int side = -1; side <= 1 && inside; side += 2) {
    for (int i = 0; i < s->a->nz; i++) s->w.z1[i] = s->w.z_path[i] * (1 + side * share);
    newton_position(s);
    newton_evaluate(s, t1);
    (void)newton_residual(s, 0, &worst);
    for (int i = 0; i < s->a->nz; i++) inside &= isfinite(s->w.residual[i]) != 0;
  }
  memcpy(s->w.z1, s->w.z_path, bytes);
  newton_position(s);
  newton_evaluate(s, t1);
  (void)newton_residual(s, 0, &worst);
  return inside;
}

// Where Newton's method leads nowhere, as where a source jumps onto exponentials, a path of roots leads from the begin
// of the step to what is sought,
//
//   R(z) = b R(z_k),   b from 1 to 0,                                                           (23)
//
// with parts of the way that are halved where no root is found and doubled where one is [Allgower and Georg 1990].
static nsm_code along_path(nsm_sim *s, const nsm_view *v) {
  size_t nz = (size_t)s->a->nz * sizeof(double), nl = (size_t)s->a->nl * sizeof(double);
  double left = 1, part = PART;
  int worst;
  start_values(s, 0);
  newton_evaluate(s, v->t);
  (void)newton_residual(s, 0, &worst);
  memcpy(s->w.off, s->w.residual, nz);
  memcpy(s->w.z_path, s->w.z1, nz);
  memcpy(s->w.l_path, s->w.l1, nl);
  for (int k = 0; k < PARTS && left > 0 && part > LEAST && !s->w.late; k++) {
    nsm_error none;
    s->w.ahead = fmax(left - part, 0);
    if (iterate(s, v, &none) == NSM_OK) {
      left = s->w.ahead;
      part *= 2;
      memcpy(s->w.z_path, s->w.z1, nz);
      memcpy(s->w.l_path, s->w.l1, nl);
      continue;
    }
    part *= 0.25;
    memcpy(s->w.z1, s->w.z_path, nz);
    memcpy(s->w.l1, s->w.l_path, nl);
    newton_position(s);
  }
  s->w.ahead = 0;
  return left > 0 || !is_inside(s, v->t, beside) ? NSM_FAILED : NSM_OK;
}

static int is_found_from_begin(nsm_sim *s, const nsm_view *v) {
  nsm_error again;
  start_values(s, 0);
  return iterate(s, v, &again) == NSM_OK;
}

// What has fallen to nothing beside the largest value of its unit so far, as what sqrt(x) leaves in a tank, is 0 where
// that solves the step up to nothing: terms of its own size are no measure of it.
static int is_nothing(nsm_sim *s, double t1) {
  static const double nothing = DBL_EPSILON * DBL_EPSILON;
  int worst, any = 0;
  if (!s->w.unit || !SIM_SIZES(s) || s->n.isl.nactive + s->n.r.nborder > 0) return 0;
  start_values(s, 0);
  for (int i = 0; i < s->a->nz; i++) {
    int falls = s->w.z1[i] != 0 && fabs(s->w.z1[i]) <= nothing * s->now.size_z[s->w.unit[i]];
    if (falls) s->w.z1[i] = 0;
    any |= falls;
  }
  if (!any) return 0;
  newton_position(s);
  newton_evaluate(s, t1);
  (void)newton_residual(s, 0, &worst);
  for (int i = 0; i < s->a->nz; i++)
    if (!(fabs(s->w.residual[i]) <= nothing * s->w.diag[i] * s->now.size_z[s->w.unit[i]])) return 0;
  return 1;
}

// In a later attempt: what the first one said is no error.
static nsm_code found(nsm_error *e) {
  if (e) *e = (nsm_error){ .code = NSM_OK };
  return NSM_OK;
}

static nsm_code step_to(nsm_sim *s, double t1, nsm_error *e) {
  memcpy(s->w.l1, s->now.l, (size_t)s->a->nl * sizeof(double));
  sim_implied_leave(s, s->w.l1);
  memset(s->w.own, 0, (size_t)s->a->nz * sizeof(double));
  if (s->a->on.contact.n + s->a->on.friction.n > 0) sim_active_set(s);
  if (s->n.r.n > 0 && !s->n.r.always) sim_islands_list(s);
  int foretold = start_values(s, 1);
  newton_explicit_part(s);
  s->w.frozen = 0;
  newton_factors_begin(s, foretold && sim_foretells(s));
  nsm_view v = newton_end(s, t1);
  nsm_code code = iterate(s, &v, e);
  // what is foretold may lie where R has no value, as sqrt(x) of a tank that runs empty
  if (code == NSM_FAILED && foretold && !s->w.late && is_found_from_begin(s, &v) &&
      is_inside(s, t1, 4 * s->a->tolerance))
    code = found(e);
  if (code != NSM_OK && s->a->on.mcurve.n + s->a->on.curve.n + s->a->on.rq_moving.n > 0) {
    s->w.frozen = 1;
    if (is_found_from_begin(s, &v)) code = found(e);
    s->w.frozen = 0;
  }
  uint64_t seed = 88172645463325252u;
  int restarts = s->a->one_iteration ? 0 : RESTARTS;
  for (int k = 0; k < restarts && code == NSM_FAILED && !s->w.late && start_elsewhere(s, &seed); k++) {
    nsm_error again;
    if (iterate(s, &v, &again) == NSM_OK) code = found(e);
  }
  int leads = s->a->algebraic && s->a->nv == 0 && restarts > 0;    // a path: where halves of the step help no more
  if (code == NSM_FAILED && leads && !s->w.late && along_path(s, &v) == NSM_OK) code = found(e);
  if (code == NSM_FAILED && !s->w.late && is_nothing(s, t1)) code = found(e);
  if (code != NSM_OK) return code;
  if (s->w.old) s->now.old.wait = s->w.old == 1 ? -1 : 0;
  nsm_view mid = newton_between(s, t1);
  if ((code = sim_friction_sound(s, &mid, e)) != NSM_OK) return code;
  if (!s->a->one_iteration) {
    for (int i = 0; s->w.unit && SIM_SIZES(s) && i < s->a->nz; i++)
      s->now.size_z[s->w.unit[i]] = fmax(s->now.size_z[s->w.unit[i]], fabs(s->w.z1[i]));
    settle(s);
    if (SIM_PREDICTED(s) > 0) settle_foretold(s);
    sim_refine(s, t1, s->w.q1, s->n.h * s->a->point[NSM_END].end);
    for (int i = 0; i < s->a->nz; i++) s->w.inc[i] = s->w.z1[i] - s->now.z[i];
    sim_learn(s, s->a->nz, s->w.inc, s->w.diag, 0);
  }
  return newton_mass(s, t1, e);
}

void sim_newton_learn(nsm_sim *s) {
  int nz = s->a->nz, nl = SIM_HOLDING(s);
  if (SIM_PREDICTED(s) == 0) return;
  sim_past_opens(s);
  for (int i = 0; i < nz; i++) s->w.inc[i] = s->w.z1[i] - s->now.z[i];
  sim_past_of(s, 0, 0, nz, s->w.inc, s->w.diag, 0);
  sim_past_of(s, 1, nz, nl, s->w.l1, NULL, 0);
  sim_past_closes(s);
}

// Unknowns without inertia stand at the end of the step in S too (newton_residual.c): in now.z, while it is made.
nsm_code sim_step_newton(nsm_sim *s, double t1, nsm_error *e) {
  if (!s->w.z_begin) return step_to(s, t1, e);
  memcpy(s->w.z_begin, s->now.z, (size_t)s->a->nz * sizeof(double));
  nsm_code code = step_to(s, t1, e);
  memcpy(s->now.z, s->w.z_begin, (size_t)s->a->nz * sizeof(double));
  return code;
}
