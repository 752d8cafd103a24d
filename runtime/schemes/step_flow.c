// A piece of event_driven: the smooth motion from the state of now, with the sets of now, to the time that is asked for
// or to the first root before it (docs/numerics/event_driven.md). The solver goes on from piece to piece as long as
// nothing has jumped: what is recorded is its dense output, projected.
//
// Its memory is no part of the state. The state has what it began with instead, and where it stopped: a copy takes the
// same steps again before it goes on, and so has the same bits. Thus the solver sees nothing of the times at which it
// is asked, other than where it stops.
#include "flow.h"
#include <limits.h>

enum { MOST_STEPS = 20000, STIFF_STEPS = 2000 };           // of a piece; after which it is taken as stiff
enum { LONGEST = 4096 };                 // after which it begins anew: so many a copy may have to take again
enum { MANY = 32, LOW = 8, TIRES = 8 };  // so many steps, of so low an order, in so many pieces in a row: it is, too
static const double fewer = 0.5;         // of the steps: else it is not taken as stiff any more
static const double soon = 1 / 32.0,     // of the step of the clock
                    of_size = 1e-2,      // absolute tolerances: this part of rtol times the size
                    of_turn = 1e-4,      // [rad] that of an angle: errors of many steps add up to less than half a turn
                    looser = 100;        // those of quadratures: so many times

// ---- what the solver asks -------------------------------------------------------------------------------------------
static int rhs(void *with, double t, const double *y, double *dy) {
  nsm_sim *s = with;
  struct sim_flow *w = s->n.flow;
  flow_take(s, y, w->q, w->dz);
  if (!flow_instant(s, t, w->q, w->dz)) return 1;
  flow_derivative(s, y, y + w->nq, w->x, dy);            // of attitudes as they are in y
  return 0;
}

static int slides(const struct sim_flow *w, int n) {
  for (int f = 0; f < n; f++) if (w->slides[f]) return 1;
  return 0;
}

static int quad(void *with, double t, const double *y, double *dq) {
  nsm_sim *s = with;
  struct sim_flow *w = s->n.flow;
  if (s->a->on.row.n == s->a->on.relation.n && s->a->on.energy.n == 0) {     // no impulses, no books
    memset(dq, 0, (size_t)w->nquad * sizeof(double));
    return 0;
  }
  flow_take(s, y, w->q, w->dz);
  if (!flow_instant(s, t, w->q, w->dz)) return 1;
  if (slides(w, s->n.r.nfriction)) flow_allow(s);          // else forces that are not unique are no reason for steps
  flow_powers(s, t, w->q, w->dz, dq);
  return 0;
}

static int root(void *with, double t, const double *y, double *g) {
  nsm_sim *s = with;
  struct sim_flow *w = s->n.flow;
  if (w->again) {
    for (int i = 0; i < w->nroot; i++) g[i] = 1;
    return 0;
  }
  int only_constraints = s->n.r.nfriction + s->a->on.contact.n + s->a->on.relation.n == 0;
  flow_take(s, y, s->w.q1, s->w.z1);
  if (!only_constraints && !flow_allowed(s, t, s->w.q1, s->w.z1)) return -1;
  memcpy(s->w.l1, w->in.force, (size_t)s->a->nl * sizeof(double));
  w->watch(s, t, g);
  return 0;
}

// ---- begin ----------------------------------------------------------------------------------------------------------
// Absolute tolerances, by the largest values of each unit so far.
static void tolerances(nsm_sim *s, double *to) {
  const struct sim_flow *w = s->n.flow;
  for (int i = 0; i < w->n; i++) {
    double size = s->now.flow_size[w->group[i]];
    to[i] = w->atol > 0 ? w->atol : of_size * w->rtol * (size > 0 ? size : 1);
    if (i < w->nq && w->angle[i]) to[i] = of_turn;         // only its number of turns counts
  }
}

// The solver has come to y by a step of its own. What grows from 0 has no size yet: tolerances are those of the begin
// for a step of the clock.
static void grow(void *with, double t, const double *y, double *to) {
  nsm_sim *s = with;
  struct sim_flow *w = s->n.flow;
  double *size = s->now.flow_size;
  for (int i = 0; i < w->n; i++) size[w->group[i]] = fmax(size[w->group[i]], fabs(y[i]));
  for (int i = 0; i < s->a->nown; i++)
    size[w->group[i]] = fmax(size[w->group[i]], s->a->step * size[w->group[w->nq + i]]);
  if (t == s->now.flow.begun || t > s->now.flow.begun + s->a->step) tolerances(s, w->tolerance);
  memcpy(to, w->tolerance, (size_t)w->n * sizeof(double));
}

// Of velocities what a step may add to them, by forces that balance each other too.
static void sizes_of_terms(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  for (int i = 0; i < s->a->nv; i++) {
    double *of = &s->now.flow_size[w->group[w->nq + i]], m = s->n.inertia_start[i];
    if (m > 0 && isfinite(w->terms[i])) *of = fmax(*of, s->a->step * w->terms[i] / m);
  }
}

// What begins with its derivative, as a current behind a diode that begins to conduct, has the size of what it comes
// to: by derivatives a little later, along a straight line. So have velocities that friction holds against it.
static void sizes_soon(nsm_sim *s, double t) {
  struct sim_flow *w = s->n.flow;
  double h = s->a->step, r = fmin(soon * h, 0.5 * (w->to - t)), *size = s->now.flow_size, *y = w->there_y;
  for (int i = 0; i < w->n; i++) y[i] = w->y[i] + r * w->dy[i];
  if (!(r > 0) || rhs(s, t + r, y, w->dy) != 0) return;
  for (int i = 0; i < w->n; i++)
    if (isfinite(w->dy[i])) size[w->group[i]] = fmax(size[w->group[i]], h * fabs(w->dy[i]));
  flow_take(s, y, w->q, w->dz);
  flow_terms(s, t + r, w->q, w->dz);
  sizes_of_terms(s);
}

// Sizes where it begins: also what a step may add to values. Velocities that are nothing beside what would move
// coordinates by their size within the run have that size.
static void sizes_at_begin(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  double h = s->a->step, run = fmax(s->a->until - s->now.flow.begun, h), places = 0, *size = s->now.flow_size;
  for (int i = 0; i < w->n; i++) size[w->group[i]] = fmax(size[w->group[i]], fmax(fabs(w->y[i]), h * fabs(w->dy[i])));
  for (int i = s->a->nown; i < w->nq; i++) if (!w->angle[i]) places = fmax(places, size[w->group[i]]);   // of bodies
  for (int i = 0; i < s->a->nv; i++) {
    double *of = &size[w->group[w->nq + i]];
    *of = fmax(*of, (i < s->a->nown ? size[w->group[i]] : places) / run);
  }
  sizes_of_terms(s);
  for (int i = 0; i < s->a->nown; i++) size[w->group[i]] = fmax(size[w->group[i]], h * size[w->group[w->nq + i]]);
}

// Of impulses those that velocities would take, of works the energy of these. They are looser: steps are for the
// motion, and where it rests for the forces that hold it.
static void sizes_of_quads(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  double impulse = 0, energy = 0;
  for (int i = 0; i < s->a->nv; i++) {
    double u = s->now.flow_size[w->group[w->nq + i]], p = s->n.inertia_start[i] * u;
    impulse = fmax(impulse, p);
    energy += p * u;
  }
  for (int i = 0; i < w->nquad; i++) {
    double size = i < s->a->nl ? impulse : energy;
    w->quad_size[i] = looser * (size > 0 ? size : 1);
  }
}

static int opened(nsm_sim *s, int stiff) {
  struct sim_flow *w = s->n.flow;
  s->now.flow.stiff = stiff;
  if (w->motion && w->stiff == stiff) return 1;
  if (w->motion) w->solver->close(w->motion);
  int e;
  (void)frexp(s->a->step, &e);
  double longest = w->nroot > 0 ? ldexp(1, e) : 0;         // no rounding: a copy is told the first step of the first
  nsm_flow_problem p = { w->n, w->nquad, w->nroot, w->rtol, longest, rhs, quad, root, grow, w->quad_size, s };
  w->motion = w->solver->open(&p, stiff);
  w->stiff = stiff;
  w->taken = 0;
  return w->motion != NULL;
}

static long taken(const nsm_sim *s) {
  long steps, evaluations;
  s->n.flow->solver->counts(s->n.flow->motion, &steps, &evaluations);
  return steps;
}

// At time t from y.
static int begin_at(nsm_sim *s, double t, double first) {
  struct sim_flow *w = s->n.flow;
  s->now.flow.begun = t;
  s->now.flow.first = first;
  s->now.flow.stops = 0;
  memcpy(s->now.flow_y, w->y, (size_t)w->n * sizeof(double));
  memcpy(s->now.flow_size0, s->now.flow_size, (size_t)w->n * sizeof(double));
  flow_take(s, w->y, w->q, w->dz);
  int slips = sim_instant_slips(s, &w->in, t, w->q, w->dz, w->qa, w->z);
  (void)flow_guessed_anew(s);                              // as a copy does, which has no guess
  if (rhs(s, t, w->y, w->dy) != 0) return 0;
  sizes_soon(s, t);
  if (rhs(s, t, w->y, w->dy) != 0) return 0;
  flow_terms(s, t, w->q, w->dz);
  sizes_at_begin(s);
  if (slips) (void)sim_instant_slips(s, &w->in, t, w->q, w->dz, w->qa, w->z);          // d is a share of these sizes
  sizes_of_quads(s);
  tolerances(s, w->tolerance);
  w->first = taken(s);
  return w->solver->begin(w->motion, t, w->y, first) == 0;
}

// From the state of now.
static int begin(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  sim_flow_holds(s);
  memcpy(w->y, s->now.q, (size_t)w->nq * sizeof(double));
  memcpy(w->y + w->nq, s->now.z, (size_t)s->a->nz * sizeof(double));
  memset(w->before, 0, (size_t)w->nquad * sizeof(double));
  return begin_at(s, s->now.t, 0);
}

// Is the state of now the one that the solver goes on from?
static int goes_on(const nsm_sim *s, double t1) {
  const struct sim_flow *w = s->n.flow;
  return s->now.flow.runs && !w->reached && s->now.flow.stops < SIM_FLOW_STOPS && w->end_t == s->now.t &&
         t1 > s->now.t &&
         memcmp(w->end_q, s->now.q, (size_t)w->nq * sizeof(double)) == 0 &&
         memcmp(w->end_z, s->now.z, (size_t)s->a->nz * sizeof(double)) == 0;
}

// ---- a copy ---------------------------------------------------------------------------------------------------------
// Rates before and after an instant may differ; they are looked at within a piece where there are such instants.
static void look_within(struct sim_flow *w, double from, double to) {
  w->from = w->stops ? from : -INFINITY;
  w->to = w->stops ? to : INFINITY;
}

// The solver takes the steps from its begin to the state of now again.
static int take_again(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  int stops = s->now.flow.stops, code = NSM_FLOW_THERE;
  double from = s->now.flow.begun, now = s->now.t, t = from;
  memcpy(s->now.flow_size, s->now.flow_size0, (size_t)w->n * sizeof(double));
  memcpy(w->y, s->now.flow_y, (size_t)w->n * sizeof(double));
  w->again = 1;
  look_within(w, from, stops > 0 ? s->now.flow_stop[0] : now);
  int good = opened(s, s->now.flow.stiff) && begin_at(s, from, s->now.flow.first);
  s->now.flow.stops = stops;
  for (int i = 0; good && i < stops; i++) {
    double stop = s->now.flow_stop[i];
    look_within(w, from, stop);
    code = w->solver->go(w->motion, fmin(stop, now), stop, LONG_MAX, &t, w->y, w->quad, w->hits);
    good = code == NSM_FLOW_THERE;
    from = stop;
  }
  if (good && t < now) code = w->solver->go(w->motion, now, INFINITY, LONG_MAX, &t, w->y, w->quad, w->hits);
  w->again = 0;
  if (good) w->taken = taken(s);
  return good && code == NSM_FLOW_THERE;
}

void sim_flow_restored(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  memcpy(w->end_q, s->now.q, (size_t)w->nq * sizeof(double));
  memcpy(w->end_z, s->now.z, (size_t)s->a->nz * sizeof(double));
  w->end_t = s->now.t;
  w->reached = 0;
  w->copied = s->now.flow.runs;
  tolerances(s, w->tolerance);
}

// ---- the piece ------------------------------------------------------------------------------------------------------
static nsm_code failed(nsm_sim *s, double t, int code, nsm_error *e) {
  s->now.flow.runs = 0;
  if (code == NSM_FLOW_TOO_MUCH)
    sim_fail(e, NSM_FAILED, "the motion after t = %.10g s, step %ld, takes more than %d steps of the solver before "
             "%.10g s; a larger rtol than %g may help", s->now.t, sim_step_number(s), MOST_STEPS, t, s->a->rtol);
  else
    sim_fail(e, NSM_FAILED, "the motion after t = %.10g s, step %ld, is not found: its equations have no solution "
             "there, or rtol = %g is below what rounding allows", s->now.t, sim_step_number(s), s->a->rtol);
  return NSM_FAILED;
}

// The end of the trial: projected, with the forces there.
static int take_end(nsm_sim *s, double t) {
  struct sim_flow *w = s->n.flow;
  flow_take(s, w->y, s->w.q1, s->w.z1);
  if (!flow_instant(s, t, s->w.q1, s->w.z1)) return 0;
  if (!flow_project(s, t, s->w.q1, s->w.z1)) return 0;
  if (!flow_allowed(s, t, s->w.q1, s->w.z1)) return 0;
  double length = t - s->now.t;
  memset(s->w.l1, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  for (int row = 0; row < s->n.r.n; row++) {
    int l = s->n.r.l[row], acts = sim_contactlike(s->a->cls[s->n.r.cls[row]].c);
    s->w.l1[l] = acts ? w->quad[l] - w->before[l] : length * w->in.force[l];
  }
  if (length > 0) sim_instant_share(s, &w->in, s->a->nz + w->m, length, s->w.l1);
  SIM_EACH(s, relation, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) s->w.l1[s->n.r.l[row]] = w->in.force[s->n.r.l[row]];
  return 1;
}

static int on_to(nsm_sim *s, double t1, long most, double *t) {
  struct sim_flow *w = s->n.flow;
  int stops = w->stops || w->fixed_end, n = s->now.flow.stops;
  if (stops && (n == 0 || s->now.flow_stop[n - 1] != t1)) s->now.flow_stop[s->now.flow.stops++] = t1;
  int code = w->solver->go(w->motion, t1, stops ? t1 : INFINITY, most, t, w->y, w->quad, w->hits);
  if (s->now.flow.first == 0) s->now.flow.first = w->solver->first(w->motion);
  return code;
}

// On from a root that is passed, where the solver finds it again and again: it begins anew there.
static int anew(nsm_sim *s, double t1, long most, double *t) {
  struct sim_flow *w = s->n.flow;
  for (int i = 0; i < w->nquad; i++) w->before[i] -= w->quad[i];
  return !begin_at(s, *t, 0) ? NSM_FLOW_FAILED : on_to(s, t1, most, t);
}

// Between two instants that are all but one: the solver does not take that.
static int is_instant(const nsm_sim *s, double t1) {
  return t1 - s->now.t <= 16 * DBL_EPSILON * fmax(fabs(t1), fabs(s->now.t));
}

static int over_instant(nsm_sim *s, double t1) {
  struct sim_flow *w = s->n.flow;
  for (int i = 0; i < w->n; i++) w->y[i] += (t1 - s->now.t) * w->dy[i];
  memcpy(w->quad, w->before, (size_t)w->nquad * sizeof(double));
  w->rooted = 0;
  w->at = t1;
  return NSM_FLOW_THERE;
}

// Values have jumped: does a set not hold at the begin? The solver sees what falls through 0, not what is below it.
static int ended_at_begin(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  int any = 0;
  if (!s->now.flow.jumped || w->fixed_end || root(s, s->now.t, w->y, w->there) != 0) return 0;
  s->now.flow.jumped = 0;
  for (int i = 0; i < w->nroot; i++) any |= w->hits[i] = w->there[i] < 0 ? -1 : 0;
  if (!any || !w->ends(s)) return 0;
  memcpy(w->quad, w->before, (size_t)w->nquad * sizeof(double));
  w->rooted = 1;
  w->at = s->now.t;
  return 1;
}

// On to t1, or to a root where there is one; what falls through 0 without being one of the model's is passed.
static int go(nsm_sim *s, double t1, long most) {
  struct sim_flow *w = s->n.flow;
  double t = s->now.flow.begun;
  int code = on_to(s, t1, most, &t);
  while (code == NSM_FLOW_ROOT && (w->fixed_end || (root(s, t, w->y, w->there) == 0 && !w->ends(s)))) {
    if (t >= t1) { code = NSM_FLOW_THERE; break; }
    code = on_to(s, t1, most, &t);
    if (code == NSM_FLOW_NEAR) code = anew(s, t1, most, &t);
  }
  w->rooted = code == NSM_FLOW_ROOT;
  w->at = w->rooted ? t : t1;
  return code;
}

// Steps of a piece that was taken, or tried.
static void count_steps(nsm_sim *s, long steps, double length) {
  s->now.flow.low++;
  s->now.flow.steps += steps;
  s->now.flow.span += length;
}

static void count_none(nsm_sim *s) {
  s->now.flow.low = 0;
  s->now.flow.steps = 0;
  s->now.flow.span = 0;
}

static void other_formulas(nsm_sim *s, int stiff) {
  s->now.flow.tires = stiff;
  s->now.flow.adams = stiff && s->now.flow.span > 0 ? (double)s->now.flow.steps / s->now.flow.span : 0;
  count_none(s);
  s->now.flow.runs = 0;
}

// Adams' formulas whose steps are limited by stability, and not by the error, are of low order. Backward differences
// show whether they are: they take fewer steps, or Adams' formulas go on.
static void look_for_stiffness(nsm_sim *s, double length) {
  struct sim_flow *w = s->n.flow;
  sim_state *k = &s->now;
  long steps = taken(s), now = steps - w->taken;
  w->taken = steps;
  if (steps - w->first > LONGEST) k->flow.runs = 0;
  if (k->flow.is_not || (w->stiff && k->flow.adams == 0)) return;     // it is decided
  if (!w->stiff && !(now >= MANY && w->solver->order(w->motion) <= LOW)) { count_none(s); return; }
  count_steps(s, now, length);
  if (k->flow.low < TIRES) return;
  if (!w->stiff) { other_formulas(s, 1); return; }
  k->flow.is_not = (double)k->flow.steps > fewer * k->flow.adams * k->flow.span;
  if (k->flow.is_not) other_formulas(s, 0);
  k->flow.adams = 0;
}

// The piece from the state of now, by one kind of formulas.
static int take_anew(nsm_sim *s, double t1, int stiff, long most, int *goes) {
  if (!opened(s, stiff) || !begin(s)) return NSM_FLOW_FAILED;
  *goes = !is_instant(s, t1);
  return ended_at_begin(s) ? NSM_FLOW_ROOT : !*goes ? over_instant(s, t1) : go(s, t1, most);
}

// By Adams' formulas; where they take many steps, by backward differences; where these fail, by Adams' with more.
static int take(nsm_sim *s, double t1, int *goes) {
  int code = s->now.flow.tires ? NSM_FLOW_TOO_MUCH
                               : take_anew(s, t1, 0, s->now.flow.is_not ? MOST_STEPS : STIFF_STEPS, goes);
  if (code >= 0 || s->now.flow.is_not) return code;
  if (!s->now.flow.tires) {
    count_steps(s, STIFF_STEPS, t1 - s->now.t);
    other_formulas(s, 1);
  }
  code = take_anew(s, t1, 1, MOST_STEPS, goes);
  if (code >= 0) return code;
  s->now.flow.is_not = 1;
  other_formulas(s, 0);
  return take_anew(s, t1, 0, MOST_STEPS, goes);
}

nsm_code sim_step_flow(nsm_sim *s, double t1, nsm_error *e) {
  struct sim_flow *w = s->n.flow;
  int on = goes_on(s, t1), goes = 1, code = NSM_FLOW_FAILED;
  s->w.flows = 1;
  flow_rows(s);
  if (w->copied) on = on && take_again(s);
  w->copied = 0;
  look_within(w, s->now.t, t1);
  if (on) {
    memcpy(w->before, w->quad, (size_t)w->nquad * sizeof(double));
    code = go(s, t1, w->stiff || s->now.flow.is_not ? MOST_STEPS : STIFF_STEPS);
  }
  if (code < 0) code = take(s, t1, &goes);
  w->reached = 1;
  s->now.flow.runs = code >= 0 && goes;
  if (code >= 0) look_for_stiffness(s, w->at - s->now.t);
  if (code < 0 || !take_end(s, w->at)) return failed(s, t1, code, e);
  flow_book(s);
  return NSM_OK;
}

void sim_flow_accept(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  for (int row = 0; row < s->n.r.n; row++)
    if (s->a->cls[s->n.r.cls[row]].c->kind == NSM_FRICTION)
      (void)sim_ledger_book(s, row, w->quad[s->a->nl + row] - w->before[s->a->nl + row]);
  memcpy(w->end_q, s->w.q1, (size_t)w->nq * sizeof(double));
  memcpy(w->end_z, s->w.z1, (size_t)s->a->nz * sizeof(double));
  memcpy(s->now.flow_stood, s->now.flow_size, (size_t)w->n * sizeof(double));
  w->end_t = w->at;
  w->reached = 0;
}

void sim_flow_stale(nsm_sim *s) {
  s->now.flow.runs = 0;
  s->now.flow.jumped = 1;
  s->now.flow_holds[0] = 0;
}

// A motion that was not found says nothing of sizes: they are those of what stands, and of the state at hand.
void sim_flow_give_up(nsm_sim *s) {
  const struct sim_flow *w = s->n.flow;
  double *size = s->now.flow_size;
  sim_flow_stale(s);
  memcpy(size, s->now.flow_stood, (size_t)w->n * sizeof(double));
  for (int i = 0; i < w->n; i++) {
    double of = fabs(i < w->nq ? s->now.q[i] : s->now.z[i - w->nq]);
    size[w->group[i]] = fmax(size[w->group[i]], of);
  }
  tolerances(s, w->tolerance);
}

double sim_flow_force(const nsm_sim *s, int row) { return s->n.flow->in.force[s->n.r.l[row]]; }


double sim_flow_gap_error(const nsm_sim *s, int row) {
  const struct sim_flow *w = s->n.flow;
  const sim_rows *r = &s->n.r;
  double error = w->rtol * r->terms[row], places = 0;
  for (int i = s->a->nown; i < w->nq; i++) if (!w->angle[i]) places = fmax(places, w->tolerance[i]);
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++)
    error += fabs(r->c[e]) * (r->cz[e] < s->a->nown ? w->tolerance[r->cz[e]] : r->cz[e] < s->a->nv ? places : 0);
  return error;
}
