// What is watched, row by row. Each function is positive while the set of the row holds (docs/numerics/located.md, 3):
//
//   open contact      gap - ground                    closed contact    force, less u/M_ii where it has opened
//   multiplier low    y - M_ii (l - lo)               inside            min(l - lo, hi - l) - |y|/M_ii
//   slip              slip along its direction,       stick             mu p_N - |p_T|, less |slip|/M_ii
//                     less M_ii of the force that brakes it less
//
// At a bound, laws as they are (complementarity within the piece) and sets that are kept agree; beyond it the other
// member of the pair is what is not zero, and gives the sign. Forces are means of a piece: at its end they are
// extrapolated from the last two pieces.
#include "flow_pieces.h"
#include "runtime/schemes/consistent.h"
#include <math.h>
#include <string.h>

static const double rounds = 16 * DBL_EPSILON, share = 1e-9,     // of the largest force: what a force may be below 0
                    loose = 1e-9;                          // of a rate, between shapes

// Of the terms of a rate: what may be left of one that is 0. Problems of contacts of shapes are solved less well.
static double rate_rounds(const nsm_sim *s) { return s->touching ? loose : 4 * rounds; }

// ---- sizes ----------------------------------------------------------------------------------------------------------
double sim_watch_noise(const nsm_sim *s, int row) {
  return rate_rounds(s) * sim_velocity_terms(s, row, s->w.z1) +
         4 * rounds * sim_velocity_terms(s, row, s->now.z);
}

void sim_watch_tolerances(nsm_sim *s, double h) {
  struct sim_located *w = s->located;
  sim_rows *r = &s->n.r;
  if (w->measured) return;
  w->measured = 1;
  nsm_view now = sim_now(s);
  SIM_EACH(s, contact, k) {
    sim_gap_terms(s, k, &now);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      w->near[row] = rounds * (r->terms[row] + h * sim_velocity_terms(s, row, s->now.z)) +
                     (s->n.flow ? FLOW_KNOWN * sim_flow_gap_error(s, row) : 0);
      if (sim_is_open(s, row)) w->tolerance[row] = w->near[row];       // of closed ones it is that of forces
    }
  }
  s->w.terms_of = -1;
}

// ---- begin ----------------------------------------------------------------------------------------------------------
void sim_watch_begin(nsm_sim *s) {
  if (s->w.begin_of == s->now.k) return;
  nsm_view now = sim_now(s);
  SIM_EACH(s, contact, k) k->c->gap_fn(&now, &k->tab, s->w.gap0 + k->row0, s->w.rate0 + k->row0);
  s->w.begin_of = s->now.k;
}

double sim_watch_start(const nsm_sim *s, int row) {
  switch (s->now.set[row]) {
    case SIM_OPEN: return s->w.gap0[row] - s->now.ground[row];
    case SIM_LEFT: return s->w.rate0[row] > 0 ? s->w.rate0[row] : NAN;       // of the gap over the length
    default: return s->now.watched[row];
  }
}

// ---- the trial ------------------------------------------------------------------------------------------------------

static double inverse_mass(const nsm_sim *s, int z) {
  if (s->n.con) return s->n.con->mass_inverse[z];
  return s->n.inertia_start[z] > 0 ? 1 / s->n.inertia_start[z] : 0;
}

// H M^{-1} H^T of a row, with masses that are not coupled.
static double mobility(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  double inverse = 0;
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) inverse += r->c[e] * r->c[e] * inverse_mass(s, r->cz[e]);
  return inverse;
}

static double inertia(const nsm_sim *s, int row) {
  double m = s->n.con ? mobility(s, row) : fabs(sim_rows_inertia(s, s->n.r.at_row[row]));
  return m > 0 ? m : 1;
}

// A multiplier that does not act on its own y: a trial that ends behind the zero of y has the other bound all along.
int sim_watch_jumps(const nsm_sim *s, int row) { return !s->n.con && sim_rows_inertia(s, s->n.r.at_row[row]) == 0; }

// What an impact at the begin of an energy-consistent step gave is none of the forces of the motion: of a short piece
// it would be the largest part of its mean.
static double of_motion(const nsm_sim *s, int row) {
  int l = s->n.r.l[row];
  return s->w.l1[l] - (s->n.con ? s->now.impulse[l] : 0);
}

// A force at the end of the piece of length h, from its mean and that of the piece before. Where bodies touch in more
// points than hold them forces are not unique, and what they were says nothing: `doubt`, after it was wrong once.
static double at_end(const nsm_sim *s, int row, double mean, double h) {
  double before = s->now.set_h;
  s->located->mean[row] = mean;
  return before > 0 && !s->now.doubt[row] ? mean + (mean - s->now.mean[row]) * (h / (h + before)) : mean;
}

// What is less than 0 by no more than rounding is 0.
static double clear(double x, double tolerance) { return fabs(x) <= tolerance ? 0 : x; }

static int watch_contacts(nsm_sim *s, const nsm_view *v, double h, double *forces) {
  struct sim_located *w = s->located;
  int crossed = 0, own = s->a->given->nclass;              // classes behind these are of contacts of shapes
  if (s->touching) sim_touch_ahead(s, v, w->gap, w->rate);
  for (int a = 0; a < s->a->on.contact.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.contact.of[a]];
    if (s->a->on.contact.of[a] < own) k->c->gap_fn(v, &k->tab, w->gap + k->row0, w->rate + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (s->now.set[row] != SIM_CLOSED) {
        w->f[row] = sim_flow_holds_row(s, row) ? INFINITY : w->gap[row] - s->now.ground[row];
        if (w->f[row] < 0 || s->now.set[row] == SIM_LEFT) sim_watch_tolerances(s, h);
        crossed |= w->f[row] < -w->tolerance[row];
        continue;
      }
      if (sim_has_fixed_sets(s)) {
        w->f[row] = sim_fixed_force(s, row);
        *forces = fmax(*forces, fabs(w->f[row]));
        continue;
      }
      double p = of_motion(s, row), end = at_end(s, row, p / h, h);
      *forces = fmax(*forces, p / h);
      double noise = p > 0 ? 0 : rate_rounds(s) * sim_velocity_terms(s, row, s->w.z1);
      double opens = fmax(clear(w->rate[row], noise), 0) / (h * inertia(s, row));
      w->out[row] = opens > 0;
      w->f[row] = p > 0 ? end : opens > 0 ? fmin(end, 0) - opens : 0;
    }
  }
  return crossed;
}

static void slips(nsm_sim *s, const nsm_view *v) {
  sim_touch_there(s, v);
  SIM_EACH(s, friction, k) k->c->rate_fn(v, &k->tab, s->located->rate + k->row0);
  sim_touch_there(s, NULL);
}

// Of a part of a block of friction that is active (slip, or rolling), in the frame in which it is a disk: slip and
// force along `slide`, lengths of both, what limits the force. Sets and functions of the part stand at its first row.
typedef struct grip { double along, slip, pull, force, limit; int slides; } grip;

// Length of the slip of a part, whose rates are given, in the frame in which it is a disk; along: what of it goes along
// `slide`.
static double slip_of(const nsm_sim *s, const sim_disk *part, const int *row, const double *rate, double *along) {
  double slip = *along = 0;
  for (int d = 0; d < part->n; d++) {
    double u = part->w[d] * rate[row[d]];
    *along += u * s->now.slide[row[d]];
    slip = slip > 0 ? hypot(slip, u) : fabs(u);
  }
  return slip;
}

// `slide` goes along this slip, whose length is known; of no length it has no direction.
static void slide_along(nsm_sim *s, const sim_disk *part, const int *row, const double *rate, double slip) {
  for (int d = 0; d < part->n; d++) s->now.slide[row[d]] = slip > 0 ? part->w[d] * rate[row[d]] / slip : 0;
}

// By the energy-consistent schemes normal forces have what made rates 0 at the end, too: it does not limit the friction
// of the motion (friction.md, 3).
static grip grip_of(const nsm_sim *s, int number, const sim_disk *part) {
  const sim_rows *r = &s->n.r;
  const sim_friction *f = &r->friction[number];
  const int *row = f->row + part->first;
  grip g = { .slip = 0 };
  double l[SIM_SLIPS];
  g.slip = slip_of(s, part, row, s->located->rate, &g.along);
  for (int d = 0; d < part->n; d++) {
    l[d] = of_motion(s, row[d]);
    if (part->w[d] > 0) g.pull += l[d] / part->w[d] * s->now.slide[row[d]];
  }
  g.force = sim_disk_gauge(part, l);
  g.limit = part->mu * (s->n.con ? s->n.con->pressed[number] : sim_friction_pressed(s, number, s->w.l1));
  g.slides = !sim_is_inside_disk(g.force, g.limit);
  if (g.slip <= rate_rounds(s) * sim_velocity_terms(s, row[0], s->w.z1) ||
      g.slip <= share * g.limit * mobility(s, row[0]))
    g.slides = 0;
  return g;
}

// A trial that ends behind the reversal of a slip sticks at its end, as long as what friction may still do stops it,
// and then slides back. The force, which turns meanwhile from one rim to the other, makes one function of it that falls
// all the way; what is left of the force to its rim would vanish again where it slides back.
static double still_slides(const grip *g, double m) {
  return g->slides ? g->along - 2 * m * fmax(g->pull, 0) : -m * fmax(g->limit + g->pull, 0);
}

// The same with fixed sets, whose forces at the end are known.
static void watch_fixed(nsm_sim *s, int number, const sim_disk *part, double *forces) {
  const int *row = s->n.r.friction[number].row + part->first;
  double l[SIM_SLIPS], limit = part->mu * sim_fixed_pressed(s, number);
  *forces = fmax(*forces, limit);
  for (int d = 0; d < part->n; d++) l[d] = sim_fixed_force(s, row[d]);
  s->located->f[row[0]] = s->now.set[row[0]] == SIM_SLIPS_ON ? grip_of(s, number, part).along
                                                             : limit - sim_disk_gauge(part, l);
}

// A slip on which friction has no lever at its end, as at a dead centre, is 0 there with any force, also with that of
// a slip that has turned round: of one direction it has not turned only where the force still acts against it.
static int has_turned(const grip *g, const sim_disk *part) {
  return part->n == 1 && g->limit + g->pull > 0.5 * g->limit;
}

static void watch_part(nsm_sim *s, int number, const sim_disk *part, double h, double *forces) {
  struct sim_located *w = s->located;
  int row = s->n.r.friction[number].row[part->first];
  if (sim_has_fixed_sets(s)) { watch_fixed(s, number, part, forces); return; }
  grip g = grip_of(s, number, part);
  double m = inertia(s, row), margin = (g.limit - g.force) / h;
  *forces = fmax(*forces, g.force / h);
  if (s->now.set[row] == SIM_SLIPS_ON) {
    w->mean[row] = s->now.watched[row];
    w->f[row] = still_slides(&g, m);
    if (has_turned(&g, part)) w->f[row] = fmin(w->f[row], -2 * w->tolerance[row]);
    w->out[row] = !g.slides && part->n > 1;                // where it stops its function jumps
    w->stops[row] = part->n > 1 ? share * g.limit * mobility(s, row) : 0;
    return;
  }
  double end = at_end(s, row, margin, h);                  // falls below 0 before the mean force has the trial slide
  w->out[row] = (unsigned char)g.slides;
  w->f[row] = g.slides ? fmin(end, 0) - g.slip / (m * h) : end;
}

int sim_watch_turned(const nsm_sim *s) {
  if (s->n.r.nfriction == 0 || sim_has_fixed_sets(s)) return 0;
  SIM_EACH_GRIP(s, p) {
    grip g = grip_of(s, p.block, p.disk);
    if (s->now.set[p.row[0]] == SIM_SLIPS_ON && s->located->hit[p.row[0]] && has_turned(&g, p.disk)) return 1;
  }
  return 0;
}

// Relations: y and multiplier at the end; where the law holds between the ends, y is extrapolated as forces are.
static void watch_relations(nsm_sim *s, const nsm_view *v, double h, double *forces) {
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  nsm_view between = s->a->instant < 1 ? sim_between(s, v->t, s->w.q1, s->w.z1, s->w.l1) : *v;
  SIM_EACH(s, relation, k) k->c->y_fn(k->gamma < 1 && !k->recorded ? &between : v, &k->tab, w->rate + k->row0);
  for (int i = 0; i < w->nrelation; i++) {
    int row = w->relation[i], set = s->now.set[row];
    const sim_class *k = &s->a->cls[r->cls[row]];
    int ends = k->recorded || (k->theta == 1 && k->gamma == 1);      // its multiplier is that of the end already
    if (k->lasts) { w->f[row] = INFINITY; continue; }
    double m = inertia(s, row), l = s->w.l1[r->l[row]], over = l - r->lo[row], under = r->hi[row] - l;
    double y = clear(w->rate[row], 4 * rounds * sim_row_terms(s, row, w->rate[row]));
    w->tolerance[row] = 0;
    if (s->n.flow) {
      *forces = fmax(*forces, fabs(l));
      w->f[row] = set == SIM_INSIDE ? fmin(over, under) : r->lo[row] == r->hi[row] ? INFINITY : set == SIM_LOW ? y : -y;
    } else if (set == SIM_INSIDE) {
      double inside = fmin(over, under);
      *forces = fmax(*forces, fabs(l));
      double end = ends ? inside : at_end(s, row, fmax(inside, 0), h);
      w->f[row] = inside > 0 ? end : fmin(end, 0) - fabs(y) / m;
    } else {
      double off = set == SIM_LOW ? over : under, along = set == SIM_LOW ? y : -y;
      int there = off > 0 || k->gamma == 1 || k->recorded;
      if (there) w->mean[row] = s->now.watched[row];
      w->f[row] = there ? along - m * off : at_end(s, row, along, h);
      if (off > 0 && sim_watch_jumps(s, row)) w->f[row] = -fmax(fabs(w->rate[row]), DBL_MIN);
    }
  }
}

// What forces, multipliers and y of event_driven are known to: those of relations to some round-off.
static double solved_of(const nsm_sim *s, int row, double forces) {
  const struct sim_flow *f = s->n.flow;
  int set = s->now.set[row], bound = set == SIM_LOW || set == SIM_HIGH;
  if (bound || set == SIM_INSIDE) return 16 * rounds * s->now.flow_scale[2 * row + (set == SIM_INSIDE)];
  return FLOW_KNOWN * f->rtol * fmax(s->now.flow.strong, forces);
}

int sim_watch(nsm_sim *s, double h, double t1) {
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  SIM_EACH_LIVE(s, row) {
    w->mean[row] = NAN;
    if (r->friction_of[row] < 0) continue;
    w->f[row] = INFINITY;                                                // what does not act
    w->stops[row] = 0;
  }
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  double forces = 0;
  int crossed = watch_contacts(s, &v, h, &forces);
  if (r->nfriction > 0) slips(s, &v);
  if (r->nfriction > 0) SIM_EACH_GRIP(s, p) watch_part(s, p.block, p.disk, h, &forces);
  if (w->nrelation > 0) watch_relations(s, &v, h, &forces);
  SIM_EACH_LIVE(s, row) {
    int set = s->now.set[row];
    if (sim_is_open(s, row)) continue;
    w->tolerance[row] = set == SIM_SLIPS_ON ? sim_watch_noise(s, row)
                        : s->n.flow ? solved_of(s, row, forces)
                        : set == SIM_LOW || set == SIM_HIGH ? 0 : share * forces;
    crossed |= w->f[row] < -w->tolerance[row];
  }
  return crossed;
}

// ---- behind an event ------------------------------------------------------------------------------------------------
void sim_watch_show(nsm_sim *s, double h) {
  struct sim_located *w = s->located;
  sim_watch(s, h, s->now.t + h);
  SIM_SWAP(w->mean, w->shown);
  w->shown_h = h;
}

// The first piece behind an event has no force before it: a set whose force runs out within it would end by the mean,
// up to half a piece late. The piece that showed the sets has forces too. It is no part of the motion, so they do not
// find the end; they say that there is one.
int sim_watch_ends(const nsm_sim *s, double h) {
  const struct sim_located *w = s->located;
  double before = w->shown_h;
  if (s->now.set_h > 0 || !(before > 0) || h <= 4 * before) return 0;
  SIM_EACH_LIVE(s, row) {
    int set = s->now.set[row], gap = sim_is_open(s, row) || set == SIM_SLIPS_ON;
    if (gap || s->now.doubt[row] || !(w->shown[row] > 0)) continue;
    if (!(w->mean[row] + (w->mean[row] - w->shown[row]) * (h / (h - before)) >= 0)) return 1;
  }
  return 0;
}

// ---- sets -----------------------------------------------------------------------------------------------------------
void sim_watch_contacts(nsm_sim *s) {
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  w->measured = 0;
  sim_watch_tolerances(s, s->a->step);
  SIM_EACH(s, contact, k) {
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      double gap = s->w.gap0[row], rate = s->w.rate0[row];
      int touches = gap <= w->near[row], held = s->now.set[row] == SIM_CLOSED && s->now.l[r->l[row]] > 0;
      int rests = fabs(rate) <= 16 * rate_rounds(s) * sim_velocity_terms(s, row, s->now.z);
      s->now.set[row] = held || (touches && rests) ? SIM_CLOSED : touches && rate > 0 ? SIM_LEFT : SIM_OPEN;
      s->now.ground[row] = fmin(gap, 0);
    }
  }
}

// The slip that friction stops at once: in a share of 1e-9 of the short piece at hand, or, by event_driven, in what
// the instant at which it was found to stop is known to. At rest velocities are round-off, and beside each other not
// small.
static double stops_at_once(const nsm_sim *s, int number, const sim_disk *part) {
  const sim_rows *r = &s->n.r;
  int row = r->friction[number].row[part->first];
  double instant = s->n.flow ? 1024 * DBL_EPSILON * (fabs(s->now.t) + s->a->step) / s->w.length : 0;
  return fmax(share, instant) * part->mu * fabs(sim_friction_pressed(s, number, s->w.l1)) * mobility(s, row);
}

// A slip in several directions goes on from where it is: its direction is that of now, and not that at the end of the
// short piece, where both are less than a right angle apart.
static void from_now_on(nsm_sim *s) {
  nsm_view now = sim_now(s);
  const double *rate = s->located->rate;
  slips(s, &now);
  SIM_EACH_PART(s, p) {
    double along, slip = slip_of(s, p.disk, p.row, rate, &along);
    if (p.disk->n == 1 || s->now.set[p.row[0]] != SIM_SLIPS_ON || !(along > 0)) continue;
    if (slip <= rate_rounds(s) * sim_velocity_terms(s, p.row[0], s->now.z)) continue;
    if (slip <= stops_at_once(s, p.block, p.disk)) continue;
    slide_along(s, p.disk, p.row, rate, slip);
  }
}

void sim_watch_others(nsm_sim *s, double t1) {
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  if (r->nfriction > 0) slips(s, &v);
  SIM_EACH_PART(s, p) {
    grip g = grip_of(s, p.block, p.disk);
    s->now.set[p.row[0]] = r->active[p.row[0]] && g.slides ? SIM_SLIPS_ON : SIM_STICKS;
    slide_along(s, p.disk, p.row, w->rate, g.slip);
  }
  if (r->nfriction > 0 && !s->n.flow && !s->touching) from_now_on(s);
  for (int i = 0; i < w->nrelation; i++) {
    int row = w->relation[i];
    double l = s->w.l1[r->l[row]];
    s->now.set[row] = l <= r->lo[row] ? SIM_LOW : l >= r->hi[row] ? SIM_HIGH : SIM_INSIDE;
  }
}

void sim_watch_still_slides(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  nsm_view now = sim_now(s);
  if (r->nfriction == 0) return;
  slips(s, &now);
  SIM_EACH_GRIP(s, p) {
    double along, slip;
    const double *rate = s->located->rate;
    int head = p.row[0];
    if (s->now.set[head] != SIM_STICKS) continue;
    slip = slip_of(s, p.disk, p.row, rate, &along);
    double known = s->n.flow ? FLOW_KNOWN * s->n.flow->rtol * sim_flow_speed(s, head)
                             : rate_rounds(s) * sim_velocity_terms(s, head, s->now.z);
    if (slip <= fmax(known, stops_at_once(s, p.block, p.disk))) continue;
    s->now.set[head] = SIM_SLIPS_ON;
    slide_along(s, p.disk, p.row, rate, slip);
  }
}

// The direction of slip at the end, of the part of a block that begins at `row`.
static void slides_on(nsm_sim *s, const sim_friction *f, int row) {
  int n;
  const sim_disk *part = sim_friction_disks(f, &n);
  int k = n == 2 && f->row[part[1].first] == row;
  const int *rows = f->row + part[k].first;
  double along, slip = slip_of(s, &part[k], rows, s->w.rate0, &along);
  if (slip > 0) slide_along(s, &part[k], rows, s->w.rate0, slip);
}

void sim_watch_keep(nsm_sim *s, double h) {
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  SIM_SWAP(w->gap, s->w.gap0);
  SIM_SWAP(w->rate, s->w.rate0);
  s->w.begin_of = s->now.k;
  SIM_EACH_LIVE(s, row) {
    int *of = r->friction_of;
    if (s->now.set[row] == SIM_LEFT && w->f[row] > w->tolerance[row]) s->now.set[row] = SIM_OPEN;
    if (s->now.set[row] == SIM_OPEN && s->w.gap0[row] > 0) s->now.ground[row] = 0;
    s->now.watched[row] = w->f[row];
    s->now.mean[row] = w->mean[row];
    if (s->now.set[row] != SIM_SLIPS_ON || of[row] < 0) continue;
    slides_on(s, &r->friction[of[row]], row);
  }
  s->now.set_h = h;
}
