// What ends a piece of event_driven: the functions of located_watch.c, the least of open gaps, conditions of `when`.
// The solver looks for their roots; a row of an open contact has a second function, minus the rate of its gap, that
// falls through 0 where the gap is least: a gap that was negative in between is found there
// (docs/numerics/event_driven.md).
#include "flow_pieces.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double ahead = 1e-4, wrong = 1e-6;           // of the step; of the terms: an acceleration, a pull

// f of a condition: it becomes true, or, of one that has just fired, false again.
static void watch_conditions(nsm_sim *s, double t, double *g) {
  nsm_view v = sim_view(s, t, s->w.q1, s->w.z1, s->w.l1);
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *e = &s->a->event[b];
    if (e->timed) continue;
    for (int i = 0; i < e->n; i++) g[e->base + i] = 1;
    if (e->by_time || e->crossing < 0) continue;
    s->a->cls[e->crossing].c->out_fn(&v, &s->a->cls[e->crossing].tab, s->w.cross + e->base);
    for (int i = 0; i < e->n; i++) {
      if (s->now.flow_holds[e->base + i] == FLOW_HOLDS || sim_given_up(s, e, i)) continue;
      int was = s->now.was[e->base + i];
      if (was == SIM_ARMED) g[e->base + i] = -s->w.cross[e->base + i];
      else if (was == SIM_CROSSED) g[e->base + i] = s->w.cross[e->base + i];
    }
  }
}

static void watch(nsm_sim *s, double t, double *g) {
  const struct sim_located *w = s->located;
  int n = s->n.r.n;
  double since = t - s->now.flow.begun;
  (void)sim_watch(s, since, t);
  for (int row = 0; row < n; row++) {
    int set = s->now.set[row], contact = s->a->cls[s->n.r.cls[row]].c->kind == NSM_CONTACT, open = set != SIM_CLOSED;
    g[row] = isfinite(w->f[row]) ? w->f[row] : 1;
    g[n + row] = 1;
    if (isfinite(w->f[row]) && set >= SIM_LOW && set <= SIM_INSIDE) g[row] += 0.5 * w->tolerance[row];
    if (!contact || !open || !isfinite(w->f[row])) continue;
    int rests = fabs(w->rate[row]) <= FLOW_KNOWN * s->n.flow->rtol * sim_flow_speed(s, row);
    g[n + row] = rests ? 1 : -w->rate[row];                // of what rests only the error has a sign
    int gone = since > 0 && (fabs(w->f[row]) > w->tolerance[row] || w->rate[row] < 0);
    if (set == SIM_LEFT) g[row] = gone ? w->f[row] / since : w->rate[row];
  }
  if (s->a->nwhen > 0) watch_conditions(s, t, g + 2 * n);
}

// The least of a gap ends nothing, but where the gap is negative there.
static int ends(nsm_sim *s) {
  const struct sim_flow *f = s->n.flow;
  const struct sim_located *w = s->located;
  int n = s->n.r.n, any = 0;
  for (int i = 0; i < f->nroot; i++) {
    if (f->hits[i] == 0) continue;
    if (i < n && sim_is_open(s, i) && w->rate[i] >= 0) continue;                // it has just been left
    any |= i < n || i >= 2 * n || w->f[i - n] < -w->tolerance[i - n];
  }
  return any;
}

void sim_flow_open(nsm_sim *s) {
  s->n.flow->watch = watch;
  s->n.flow->ends = ends;
}

int sim_flow_is_at(const nsm_sim *s, int when) {
  const struct sim_flow *f = s->n.flow;
  int first = 2 * s->n.r.n, any = 0;
  if (!f || !s->w.flows || !f->rooted) return 0;
  for (int i = first; i < f->nroot; i++) any |= f->hits[i] != 0 && (when < 0 || i == first + when);
  return any;
}

int sim_flow_found(nsm_sim *s, double *length) {
  struct sim_flow *f = s->n.flow;
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  int missed = 0;
  if (!s->w.flows) return 1;
  if (f->rooted) *length = fmax(f->at - s->now.t, 0);
  int any = sim_watch(s, *length, s->now.t + *length);
  if (!f->rooted) { f->fixed_end |= any; return !any; }
  sim_watch_tolerances(s, *length);
  memset(w->hit, 0, (size_t)r->n);
  int stopped = sim_flow_stopped(s, w->rate);
  for (int row = 0; row < r->n; row++) {
    int set = s->now.set[row], gap = sim_is_open(s, row);
    w->hit[row] = f->hits[row] != 0 && !(gap && w->rate[row] >= 0);
    missed |= gap && !w->hit[row] && w->f[row] < -w->tolerance[row];
    if (gap && w->f[row] <= w->tolerance[row] && w->rate[row] < 0) w->hit[row] = 1;
    if (gap && w->hit[row] && s->now.ground[row] >= -w->tolerance[row]) s->now.ground[row] = 0;
    if (!gap && w->f[row] < -w->tolerance[row]) w->hit[row] = 1;
    if (stopped && (set == SIM_CLOSED || set == SIM_STICKS)) w->hit[row] = 0;
    w->events |= w->hit[row];
  }
  if (missed) { w->events = 0; f->fixed_end = 1; }
  return !missed;
}

// Of the instant at hand: rates of contacts a little later, a little earlier, and now, into rate[0 ... 2]; gaps; sizes
// of the terms of accelerations into dz.
static void rates_beside(nsm_sim *s) {
  struct sim_flow *f = s->n.flow;
  flow_terms(s, s->now.t, s->now.q, s->now.z);
  for (int i = 0; i < s->a->nz; i++)
    f->dz[i] = i < s->a->nv && s->n.inertia_start[i] > 0 ? f->terms[i] / s->n.inertia_start[i] : 0;
  for (int side = 0; side < 3; side++) {
    double step = side < 2 ? (1 - 2 * side) * ahead * s->a->step : 0;
    sim_move(s, s->now.q, step, s->now.z, f->qa);
    for (int i = 0; i < s->a->nz; i++) f->z[i] = s->now.z[i] + step * f->x[i];
    nsm_view there = sim_view(s, s->now.t + step, f->qa, f->z, s->now.l);
    SIM_EACH(s, contact, k) k->c->gap_fn(&there, &k->tab, s->located->gap + k->row0, f->rate[side] + k->row0);
  }
}

static int is_contact(const nsm_sim *s, int row) { return s->a->cls[s->n.r.cls[row]].c->kind == NSM_CONTACT; }

// Accelerations and forces by the sets of now; what is read as sticking and slips goes on to slide.
static int instant_of_sets(nsm_sim *s) {
  flow_rows(s);
  sim_watch_still_slides(s);
  flow_rows(s);
  return flow_instant(s, s->now.t, s->now.q, s->now.z);
}

// The open contact that touches, at rest, and that falls most beside its terms; -1: there is none.
static int falling(nsm_sim *s) {
  const struct sim_flow *f = s->n.flow;
  const struct sim_located *w = s->located;
  double most = wrong;
  int at = -1;
  rates_beside(s);
  SIM_EACH_LIVE(s, row) {
    if (!is_contact(s, row) || !sim_is_open(s, row) || w->gap[row] - s->now.ground[row] > w->near[row]) continue;
    if (fabs(f->rate[2][row]) > FLOW_KNOWN * f->rtol * sim_flow_speed(s, row)) continue;
    double terms = sim_velocity_terms(s, row, f->dz) + DBL_MIN,
           fall = (f->rate[1][row] - f->rate[0][row]) / (2 * ahead * s->a->step * terms);
    if (fall > most) { most = fall; at = row; }
  }
  return at;
}

// The closed contact that pulls most; -1: there is none.
static int pulling(nsm_sim *s) {
  double largest = s->now.flow.strong, most = 0;
  int at = -1;
  flow_allow(s);
  SIM_EACH_LIVE(s, row) if (is_contact(s, row)) largest = fmax(largest, fabs(sim_flow_force(s, row)));
  SIM_EACH_LIVE(s, row) {
    double pull = is_contact(s, row) && s->now.set[row] == SIM_CLOSED ? -sim_flow_force(s, row) : 0;
    if (pull > fmax(most, wrong * largest)) { most = pull; at = row; }
  }
  return at;
}

// Of contacts that depend on each other others may do the work of one that is left: one by one, what pulls opens, and
// what touches and would fall closes.
int sim_flow_touches(nsm_sim *s) {
  int any = 0;
  if (s->a->on.contact.n == 0) return 0;
  s->located->measured = 0;
  sim_watch_tolerances(s, s->a->step);
  for (int k = 0, row = 0; k < 4 * s->n.r.n && row >= 0 && instant_of_sets(s); k++) {
    if ((row = falling(s)) >= 0) s->now.set[row] = SIM_CLOSED;
    else if ((row = pulling(s)) >= 0) {
      s->now.set[row] = SIM_LEFT;
      s->now.ground[row] = fmin(s->located->gap[row], 0);
    }
    any |= row >= 0;
  }
  return any;
}

void sim_flow_rests(nsm_sim *s) {
  if (s->n.r.nfriction == 0) return;
  s->now.flow_holds[0] = 0;
  sim_flow_holds(s);
  SIM_EACH_GRIP(s, p) {
    int held = s->now.set[p.row[0]] == SIM_SLIPS_ON;
    for (int d = 0; d < p.disk->n; d++) held = held && sim_flow_holds_row(s, p.row[d]);
    if (held) s->now.set[p.row[0]] = SIM_STICKS;
  }
}

// A multiplier that is not unique may end a set that holds, again and again; with the other set it is unique. A
// short piece may be too short to show that something slips.
void sim_flow_other_set(nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  unsigned char *set = &s->now.set[row];
  double l = s->w.l1[r->l[row]];
  if (*set == SIM_LOW || *set == SIM_HIGH) *set = SIM_INSIDE;
  else if (*set == SIM_INSIDE) *set = l - r->lo[row] <= r->hi[row] - l ? SIM_LOW : SIM_HIGH;
}

// y of relations.
static void outputs_at(nsm_sim *s, const nsm_view *v, double *y) {
  SIM_EACH(s, relation, k) k->c->y_fn(v, &k->tab, y + k->row0);
}

static double size_of_y(const nsm_sim *s, int row) {
  return fmax(sim_velocity_terms(s, row, s->now.z), s->now.flow_scale[2 * row]);
}

// What y of a relation is known to.
static double known_y(const nsm_sim *s, int row) {
  return fmax(FLOW_KNOWN * s->n.flow->rtol, 256 * DBL_EPSILON) * size_of_y(s, row);
}

int sim_flow_off(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  if (s->located->nrelation == 0) return 0;
  flow_rows(s);
  if (!flow_instant(s, s->now.t, s->now.q, s->now.z)) return 1;
  memset(w->in.e, 0, (size_t)(s->a->nz + w->m) * sizeof(double));
  flow_rates_off(s, s->now.t, s->now.q, s->now.z, w->in.e);
  for (int r = 0; r < w->m; r++) {
    int row = w->row[r], relation = s->a->cls[s->n.r.cls[row]].c->kind == NSM_RELATION;
    if (relation && fabs(w->in.e[s->a->nz + r]) > known_y(s, row)) return 1;
  }
  return 0;
}

void sim_flow_jump(nsm_sim *s) {
  if (!sim_flow_off(s) || !flow_instant(s, s->now.t, s->now.q, s->now.z)) return;
  flow_project(s, s->now.t, s->now.q, s->now.z);
  s->w.begin_of = -1;
  sim_ledger_reset(s);
}

// Multipliers that are not unique may be found at a bound though y stays at 0: inside, y is held there. Whether their
// bounds allow that is seen where the motion begins.
static int rests_at_bound(nsm_sim *s, const double *y, const double *reached) {
  const sim_rows *r = &s->n.r;
  int any = 0;
  for (int i = 0; i < s->located->nrelation; i++) {
    int row = s->located->relation[i], at = s->now.set[row] == SIM_LOW || s->now.set[row] == SIM_HIGH;
    if (!at || r->d0[row] != r->d0[row + 1] || r->lo[row] == r->hi[row] || !(fabs(y[row]) <= known_y(s, row))) continue;
    if (!(fabs(reached[row]) <= DBL_EPSILON * size_of_y(s, row))) continue;
    s->now.set[row] = SIM_INSIDE;
    any = 1;
  }
  return any;
}

// What is said to slide along a law, and is not on it, is at the bound that its sign says, if there is one; what is
// said to stick and slips goes on to slide.
int sim_flow_mend_sets(nsm_sim *s, int shortest) {
  const sim_rows *r = &s->n.r;
  const struct sim_located *w = s->located;
  nsm_view now = sim_now(s), end = sim_view(s, s->now.t, s->w.q1, s->w.z1, s->w.l1);
  double *y = s->n.flow->rate[0], *reached = s->n.flow->rate[1];
  int any = 0;
  outputs_at(s, &now, y);
  outputs_at(s, &end, reached);
  s->now.flow.jumped = rests_at_bound(s, y, reached);
  for (int i = 0; i < w->nrelation; i++) {
    int row = w->relation[i];
    if (s->now.set[row] != SIM_INSIDE || r->d0[row] != r->d0[row + 1] || r->lo[row] == r->hi[row]) continue;
    double known = known_y(s, row);
    if (fabs(y[row]) <= known || (shortest && fabs(reached[row]) <= known)) continue;
    double bound = y[row] > 0 ? r->lo[row] : r->hi[row];
    if (!isfinite(bound)) continue;
    s->now.set[row] = y[row] > 0 ? SIM_LOW : SIM_HIGH;
    any = 1;
  }
  sim_watch_still_slides(s);
  return any;
}
