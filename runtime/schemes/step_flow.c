// A piece of event_driven: the smooth motion from the state of now, with the sets of now, to the time that is asked for
// or to the first root before it (docs/numerics/event_driven.md). The solver goes on from piece to piece as long as
// nothing has jumped: what is recorded is its dense output, projected.
#include "flow.h"

enum { MOST_STEPS = 20000, STIFF_STEPS = 2000 };           // of a piece; after which it is taken as stiff
enum { MANY = 32, LOW = 8, TIRES = 8 };  // so many steps, of so low an order, in so many pieces in a row: it is, too
static const double fewer = 0.5;         // of the steps: else it is not taken as stiff any more
static const double of_size = 1e-2;      // absolute tolerances: this part of rtol times the size

// ---- what the solver asks -------------------------------------------------------------------------------------------
static int rhs(void *with, double t, const double *y, double *dy) {
  nsm_sim *s = with;
  struct sim_flow *w = s->n.flow;
  flow_take(s, y, w->q, w->dz);
  if (!flow_instant(s, t, w->q, w->dz)) return 1;
  flow_derivative(s, y, y + w->nq, w->x, dy);            // of attitudes as they are in y
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
  flow_powers(s, t, w->q, w->dz, dq);
  return 0;
}

static int root(void *with, double t, const double *y, double *g) {
  nsm_sim *s = with;
  struct sim_flow *w = s->n.flow;
  int only_constraints = s->n.r.nfriction + s->a->on.contact.n + s->a->on.relation.n == 0;
  flow_take(s, y, s->w.q1, s->w.z1);
  if (!only_constraints && !flow_instant(s, t, s->w.q1, s->w.z1)) return -1;
  memcpy(s->w.l1, w->in.force, (size_t)s->a->nl * sizeof(double));
  w->watch(s, t, g);
  return 0;
}

// ---- begin ----------------------------------------------------------------------------------------------------------
// Absolute tolerances, by the largest values of each unit so far, and what a step may add to them, also by forces that
// balance each other. Velocities that are nothing beside what would move coordinates by their size within the run have
// that size.
static void tolerances(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  double h = s->a->step, run = fmax(s->a->until - s->now.t, h);
  for (int i = 0; i < w->n; i++) {
    double *size = &w->size[w->group[i]];
    *size = fmax(*size, fmax(fabs(w->y[i]), h * fabs(w->dy[i])));
  }
  double places = 0;                                       // and attitudes of bodies
  for (int i = s->a->nown; i < w->nq; i++) if (!w->angle[i]) places = fmax(places, w->size[w->group[i]]);
  for (int i = 0; i < s->a->nv; i++) {
    double *size = &w->size[w->group[w->nq + i]];
    *size = fmax(*size, (i < s->a->nown ? w->size[w->group[i]] : places) / run);
  }
  for (int i = 0; i < s->a->nv; i++) {
    double *size = &w->size[w->group[w->nq + i]], m = s->n.inertia_start[i];
    if (m > 0) *size = fmax(*size, h * w->terms[i] / m);
  }
  for (int i = 0; i < s->a->nown; i++)
    w->size[w->group[i]] = fmax(w->size[w->group[i]], h * w->size[w->group[w->nq + i]]);
  for (int i = 0; i < w->n; i++) {
    double size = w->size[w->group[i]];
    w->tolerance[i] = w->atol > 0 ? w->atol : of_size * w->rtol * (size > 0 ? size : 1);
    if (i < w->nq && w->angle[i]) w->tolerance[i] = 1;     // only its number of turns counts
  }
}

static int opened(nsm_sim *s, int stiff) {
  struct sim_flow *w = s->n.flow;
  if (w->motion && w->stiff == stiff) return 1;
  if (w->motion) w->solver->close(w->motion);
  nsm_flow_problem p = { w->n, w->nquad, w->nroot, w->rtol, rhs, quad, root, s };
  w->motion = w->solver->open(&p, stiff);
  w->stiff = stiff;
  w->taken = 0;
  return w->motion != NULL;
}

// From the state of now.
static int begin(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  memcpy(w->y, s->now.q, (size_t)w->nq * sizeof(double));
  memcpy(w->y + w->nq, s->now.z, (size_t)s->a->nz * sizeof(double));
  w->begun = s->now.t;
  if (s->now.k == 0) {
    memset(w->size, 0, (size_t)w->n * sizeof(double));
    memset(w->terms, 0, (size_t)s->a->nz * sizeof(double));
    w->strong = 0;
    memset(w->most, 0, 2 * (size_t)s->n.r.n * sizeof(double));
    memset(w->scale, 0, 2 * (size_t)s->n.r.n * sizeof(double));
  }
  memset(w->before, 0, (size_t)w->nquad * sizeof(double));
  if (rhs(s, s->now.t, w->y, w->dy) != 0) return 0;
  tolerances(s);
  return w->solver->begin(w->motion, s->now.t, w->y, w->tolerance, 0) == 0;
}

// Is the state of now the one that the solver goes on from?
static int goes_on(const nsm_sim *s, double t1) {
  const struct sim_flow *w = s->n.flow;
  return w->runs && !w->reached && w->end_t == s->now.t && t1 > s->now.t &&
         memcmp(w->end_q, s->now.q, (size_t)w->nq * sizeof(double)) == 0 &&
         memcmp(w->end_z, s->now.z, (size_t)s->a->nz * sizeof(double)) == 0;
}

// ---- the piece ------------------------------------------------------------------------------------------------------
static nsm_code failed(nsm_sim *s, double t, int code, nsm_error *e) {
  struct sim_flow *w = s->n.flow;
  w->runs = 0;
  if (code == NSM_FLOW_TOO_MUCH)
    sim_fail(e, NSM_FAILED, "the motion after t = %.10g s, step %ld, takes more than %d steps of the solver before "
             "%.10g s; a larger rtol than %g may help", s->now.t, s->now.k + 1, MOST_STEPS, t, s->a->rtol);
  else
    sim_fail(e, NSM_FAILED, "the motion after t = %.10g s, step %ld, is not found: its equations have no solution "
             "there, or rtol = %g is below what rounding allows", s->now.t, s->now.k + 1, s->a->rtol);
  return NSM_FAILED;
}

// The end of the trial: projected, with the forces there.
static int take_end(nsm_sim *s, double t) {
  struct sim_flow *w = s->n.flow;
  flow_take(s, w->y, s->w.q1, s->w.z1);
  if (!flow_instant(s, t, s->w.q1, s->w.z1)) return 0;
  if (!flow_project(s, t, s->w.q1, s->w.z1)) return 0;
  if (!flow_instant(s, t, s->w.q1, s->w.z1)) return 0;
  memset(s->w.l1, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  for (int row = 0; row < s->n.r.n; row++) {
    int l = s->n.r.l[row];
    s->w.l1[l] = sim_contactlike(s->a->cls[s->n.r.cls[row]].c) ? w->quad[l] - w->before[l] : w->in.force[l];
  }
  return 1;
}

static int on_to(nsm_sim *s, double t1, long most, double *t) {
  struct sim_flow *w = s->n.flow;
  return w->solver->go(w->motion, t1, w->stops || w->fixed_end, most, t, w->y, w->quad, w->hits);
}

// On from a root that is passed, where the solver finds it again and again: it begins anew there.
static int anew(nsm_sim *s, double t1, long most, double *t) {
  struct sim_flow *w = s->n.flow;
  for (int i = 0; i < w->nquad; i++) w->before[i] -= w->quad[i];
  w->begun = *t;
  if (w->solver->begin(w->motion, *t, w->y, w->tolerance, 0) != 0) return NSM_FLOW_FAILED;
  return on_to(s, t1, most, t);
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
  if (!w->jumped || w->fixed_end || root(s, s->now.t, w->y, w->there) != 0) return 0;
  w->jumped = 0;
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
  double t = w->begun;
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
static void count_steps(struct sim_flow *w, long steps, double length) {
  w->low++;
  w->steps += steps;
  w->span += length;
}

static void other_formulas(struct sim_flow *w, int stiff) {
  w->tires = stiff;
  w->adams = stiff && w->span > 0 ? (double)w->steps / w->span : 0;
  w->low = 0;
  w->steps = 0;
  w->span = 0;
  w->runs = 0;
}

// Adams' formulas whose steps are limited by stability, and not by the error, are of low order. Backward differences
// show whether they are: they take fewer steps, or Adams' formulas go on.
static void look_for_stiffness(nsm_sim *s, double length) {
  struct sim_flow *w = s->n.flow;
  long steps, evaluations;
  w->solver->counts(w->motion, &steps, &evaluations);
  long now = steps - w->taken;
  w->taken = steps;
  if (w->is_not || (w->stiff && w->adams == 0)) return;     // it is decided
  if (!w->stiff && !(now >= MANY && w->solver->order(w->motion) <= LOW)) {
    w->low = 0;
    w->steps = 0;
    w->span = 0;
    return;
  }
  count_steps(w, now, length);
  if (w->low < TIRES) return;
  if (!w->stiff) { other_formulas(w, 1); return; }
  w->is_not = (double)w->steps > fewer * w->adams * w->span;
  if (w->is_not) other_formulas(w, 0);
  w->adams = 0;
}

// The piece from the state of now, by one kind of formulas.
static int take_anew(nsm_sim *s, double t1, int stiff, long most, int *goes) {
  if (!opened(s, stiff) || !begin(s)) return NSM_FLOW_FAILED;
  *goes = !is_instant(s, t1);
  return ended_at_begin(s) ? NSM_FLOW_ROOT : !*goes ? over_instant(s, t1) : go(s, t1, most);
}

// By Adams' formulas; where they take many steps, by backward differences; where these fail, by Adams' with more.
static int take(nsm_sim *s, double t1, int *goes) {
  struct sim_flow *w = s->n.flow;
  int code = w->tires ? NSM_FLOW_TOO_MUCH : take_anew(s, t1, 0, w->is_not ? MOST_STEPS : STIFF_STEPS, goes);
  if (code >= 0 || w->is_not) return code;
  if (!w->tires) {
    count_steps(w, STIFF_STEPS, t1 - s->now.t);
    other_formulas(w, 1);
  }
  code = take_anew(s, t1, 1, MOST_STEPS, goes);
  if (code >= 0) return code;
  w->is_not = 1;
  other_formulas(w, 0);
  return take_anew(s, t1, 0, MOST_STEPS, goes);
}

nsm_code sim_step_flow(nsm_sim *s, double t1, nsm_error *e) {
  struct sim_flow *w = s->n.flow;
  if (s->now.k == 0) { other_formulas(w, 0); w->is_not = 0; }               // nothing of a run before
  int on = goes_on(s, t1) && s->a->nheld == 0, goes = 1, code = NSM_FLOW_FAILED;   // inputs may have other values
  s->w.flows = 1;
  w->from = w->stops ? s->now.t : -INFINITY;
  w->to = w->stops ? t1 : INFINITY;
  flow_rows(s);
  if (sim_instant_shares(s, e) != NSM_OK) return NSM_FAILED;
  if (on) {
    memcpy(w->before, w->quad, (size_t)w->nquad * sizeof(double));
    tolerances(s);
    w->solver->tolerances(w->motion, w->tolerance);
    code = go(s, t1, w->stiff || w->is_not ? MOST_STEPS : STIFF_STEPS);
  }
  if (code < 0) code = take(s, t1, &goes);
  w->reached = 1;
  w->runs = code >= 0 && goes;
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
  w->end_t = w->at;
  w->reached = 0;
}

void sim_flow_stale(nsm_sim *s) {
  s->n.flow->runs = 0;
  s->n.flow->jumped = 1;
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
