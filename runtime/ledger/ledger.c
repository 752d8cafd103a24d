// Where the energy went, docs/numerics/consistent.md (15). Per step
//
//   residue = dE - (work of forces - loss at dampers - loss at contacts)
//
// Forces and dampers are booked with the impulse that the scheme gives them, times the displacement of the step over
// its length. For the energy-consistent schemes the residue is round-off; for the others it is what the scheme makes of
// potentials, moving masses and moving directions. The loss at contacts is exact where the impact is a step of its own
// (the law gives it); else it is -p (u + u_k) / 2 from impulses and rates, of friction -p times its direction times the
// mean velocity. Work of forces includes that of multipliers of relations, and what moving gaps, belts and driven
// constraints put in.
#include "ledger.h"
#include "runtime/move.h"
#include <math.h>
#include <string.h>

void sim_ledger_start(nsm_sim *s) {
  sim_ledger *g = &s->now.ledger;
  *g = (sim_ledger){ .on = 1, .made_at = -1, .rested = sim_rounds(s, s->now.q, s->now.z) };
  sim_energy(s, &g->kinetic, &g->potential);
  g->initial = g->kinetic + g->potential;
  if (s->n.r.n > 0) memset(s->now.loss, 0, (size_t)s->n.r.n * sizeof(double));
}

void sim_ledger_reset(nsm_sim *s) {
  sim_ledger *g = &s->now.ledger;
  double kinetic, potential;
  if (!g->on) return;
  sim_energy(s, &kinetic, &potential);
  g->resets += g->kinetic + g->potential - kinetic - potential;
  g->kinetic = kinetic;
  g->potential = potential;
  g->rested = sim_rounds(s, s->now.q, s->now.z);
}

double sim_ledger_book(nsm_sim *s, int row, double loss) {
  sim_ledger *g = &s->now.ledger;
  if (!g->on) return loss;
  s->now.loss[row] += loss;
  if (loss < g->least) {
    g->least = loss;
    g->least_at = row;
  }
  return loss;
}

// The rows that act: i-th of those in the one-step problem, then of those on the border of W.
static int acting(const nsm_sim *s, int i) {
  return i < s->n.isl.nactive ? s->n.r.row_at[s->n.isl.active[i]] : s->n.r.border[i - s->n.isl.nactive];
}

// What the drive gives at a row. Rows that others imply act too, once multipliers are shared out.
static void drive_row(nsm_sim *s, int row, double share, double *drift) {
  double y = s->n.r.y[row];
  drift[row] += share * y;
  s->now.ledger.drive -= share * s->w.l1[s->n.r.l[row]] * y;
}

// What a drive (a moving floor, a belt, a driven constraint) puts in: minus impulse times the part of the rate or slip
// that is there at rest, of positions q at time t. That part is added to drift [r.n].
static void book_drive(nsm_sim *s, double t, const double *q, double share, double *drift) {
  const sim_rows *r = &s->n.r;
  if (s->a->on.driven.n == 0) return;
  nsm_view rest = sim_view(s, t, q, s->a->zero, s->w.l1);
  if (s->a->follows) s->a->touch_there(s, &rest);
  SIM_EACH(s, driven, k) k->c->rate_fn(&rest, &k->tab, r->y + k->row0);
  if (s->a->follows) s->a->touch_there(s, NULL);
  for (int i = 0; i < s->n.isl.nactive + r->nborder; i++) {
    int row = acting(s, i);
    if (s->a->cls[r->cls[row]].c->driven) drive_row(s, row, share, drift);
  }
  SIM_EACH(s, driven, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      if (r->border_of[row] < 0 && s->now.implied[r->l[row]]) drive_row(s, row, share, drift);
}

// Velocities from which impulses go on: those of the begin, or what kicks have made of them where an impact is.
static const double *from(const nsm_sim *s) {
  return s->a->scheme->kicks && s->w.struck ? s->w.z_struck : s->now.z;
}

// Slip of friction row `row` in the mean of the step: its direction times the mean velocity, and the drive's part.
static double mean_slip(const nsm_sim *s, int row, double drift) {
  const sim_rows *r = &s->n.r;
  const double *z = from(s);
  double sum = drift;
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) sum += r->b[e] * 0.5 * (z[r->bz[e]] + s->w.z1[r->bz[e]]);
  return sum;
}

void sim_ledger_impulses(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  const sim_islands *a = &s->n.isl;
  sim_ledger *g = &s->now.ledger;
  g->loss = g->loss_friction = g->drive = g->gross = 0;
  if (a->nactive + r->nborder == 0) return;
  double *drift = r->drift;
  memset(drift, 0, (size_t)r->n * sizeof(double));
  if (s->a->scheme->kicks) book_drive(s, s->now.t + s->n.h, s->w.q1, 1, drift);
  else if (sim_has_point(s)) book_drive(s, s->now.t + sim_point(s)->time * s->n.h, s->w.qm, 1, drift);
  else {
    book_drive(s, s->now.t, s->now.q, 0.5, drift);
    book_drive(s, s->now.t + s->n.h, s->w.q1, 0.5, drift);
  }
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]], kind = s->a->cls[r->cls[row]].c->kind;
    double p = s->w.l1[r->l[row]], begin = r->rate0[row], end = a->u[i] - sim_bounce(r, row);
    g->gross += fabs(p) * (fabs(begin) + fabs(end));
    double took = s->a->m->place_at ? -p * mean_slip(s, row, drift[row]) : -0.5 * p * (begin + end);
    if (kind == NSM_CONTACT) g->loss += sim_ledger_book(s, row, took);
    else if (kind == NSM_FRICTION) g->loss_friction += sim_ledger_book(s, row, -p * mean_slip(s, row, drift[row]));
  }
}

void sim_ledger_whole_step(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  nsm_view begin = sim_now(s), end = sim_view(s, s->now.t + s->n.h, s->w.q1, s->w.z1, s->w.l1);
  if (s->a->scheme->kicks) {                               // those at the end
    begin = sim_view(s, s->now.t + s->n.h, s->w.q1, from(s), s->now.l);
  } else if (sim_has_point(s)) {                           // there are its rates
    double t = s->now.t + sim_to_point(s, s->now.q, s->now.z, s->w.qm);
    begin = sim_view(s, t, s->w.qm, s->now.z, s->now.l);
    end = sim_view(s, t, s->w.qm, s->w.z1, s->w.l1);
  }
  if (!r->always) a->nactive = 0;                          // else the list never changes, and has no contacts
  for (int c = 0; !r->always && c < s->a->on.row.n; c++) {
    const sim_class *k = &s->a->cls[s->a->on.row.of[c]];
    int acts = 0;
    if (!sim_contactlike(k->c) || (k->tab.count > 0 && r->border_of[k->row0] >= 0)) continue;
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) acts |= s->w.l1[r->l[row]] != 0;
    if (!acts) continue;
    k->c->rate_fn(&begin, &k->tab, r->rate0 + k->row0);
    k->c->rate_fn(&end, &k->tab, r->y + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (s->w.l1[r->l[row]] == 0) continue;
      a->u[a->nactive] = r->y[row] + sim_bounce(r, row);
      a->active[a->nactive++] = r->at_row[row];
    }
  }
  sim_ledger_impulses(s);
}

// ---- forces and dampers ---------------------------------------------------------------------------------------------
// sum_i of (f or g of the classes of this kind at the view)_i u_i
static double power(nsm_sim *s, int kind, int multipliers, const nsm_view *v, const double *u) {
  double *f = s->w.f, sum = 0;
  int any = 0;
  SIM_EACH(s, smooth, k) {
    if (k->c->work != kind || !(multipliers ? k->c->g_fn : k->c->f_fn)) continue;
    if (!any++) memset(f, 0, (size_t)s->a->nz * sizeof(double));
    (multipliers ? k->c->g_fn : k->c->f_fn)(v, &k->tab, f, f + s->a->nv);
  }
  for (int i = 0; any && i < s->a->nv; i++) sum += f[i] * u[i];
  return sum;
}

// A point of the step just done, (q1, z1, l1) -> (q, z, l); one of its own into w.qg, w.zg.
static nsm_view at_point(nsm_sim *s, int point) {
  const nsm_point *to = &s->a->point[point];
  double h = s->n.h, share = to->share;
  const double *z0 = s->a->m->place_at ? s->w.z_from_begin : s->w.z1;
  if (point == NSM_BEGIN) return sim_view(s, s->now.t - h, s->w.q1, z0, s->w.l1);
  if (point == NSM_END) return sim_now(s);
  sim_move_mean(s, s->w.q1, h * to->end, s->now.z, h * to->begin, s->w.z1, s->w.qg);
  for (int i = 0; i < s->a->nz; i++) s->w.zg[i] = (1 - share) * s->w.z1[i] + share * s->now.z[i];
  return sim_view(s, s->now.t - (1 - to->time) * h, s->w.qg, s->w.zg, s->now.l);
}

// The point of g: the end, where the scheme has no points, and where gamma is 1.
static int point_of_laws(const nsm_sim *s) {
  const nsm_point *law = &s->a->point[s->a->m->law_at];
  int last = law->from == NSM_BEGIN && law->time == 1 && law->share == 1;
  return !s->a->m->points || last ? NSM_END : s->a->m->law_at;
}

// Two kicks, of the mean velocity up to the impact.
static double work_of_kicks(nsm_sim *s, int kind) {
  double *u = s->w.mean;
  const double *last = from(s);
  for (int i = 0; i < s->a->nv; i++) u[i] = 0.5 * (last[i] + s->w.z1[i]);
  nsm_view begin = at_point(s, NSM_BEGIN), end = sim_view(s, s->now.t, s->now.q, s->w.z_predicted, s->now.l);
  return 0.5 * s->n.h * (power(s, kind, 0, &begin, u) + power(s, kind, 0, &end, u));
}

// Work in the step just done: the scheme's own impulse times the displacement over h.
static double work(nsm_sim *s, int kind) {
  if (s->a->scheme->kicks) return work_of_kicks(s, kind);
  const nsm_point *all = s->a->point;
  double *u = s->w.mean, begin = 0, end = 0, sum = 0;
  for (int k = NSM_END; k != NSM_BEGIN; k = all[k].from) { begin += all[k].begin; end += all[k].end; }
  for (int i = 0; i < s->a->nv; i++) u[i] = end * s->now.z[i] + begin * s->w.z1[i];
  for (int k = 0; k < NSM_POINTS; k++) {
    if (all[k].force == 0) continue;
    nsm_view v = at_point(s, k);
    sum += all[k].force * power(s, kind, 0, &v, u);
  }
  if (s->a->on.g.n == 0) return s->n.h * sum;
  nsm_view v = at_point(s, point_of_laws(s));
  return s->n.h * (sum + power(s, kind, 1, &v, u));
}

// A potential that changes with time supplies V(q0, tm) - V(q0, t0) + V(q1, t1) - V(q1, tm); what is left of its change
// is work.
double sim_driven(const nsm_sim *s, double t0, const double *q0, double t1, const double *q1) {
  double supply = 0, tm = t0 + 0.5 * (t1 - t0);
  SIM_EACH(s, energy, k) {
    if (!k->c->driven) continue;
    const double *q[] = { q0, q0, q1, q1 }, t[] = { t0, tm, tm, t1 };
    for (int i = 0; i < 4; i++) {
      nsm_view v = sim_view(s, t[i], q[i], s->now.z, s->now.l);
      double kinetic = 0, potential = 0;
      k->c->energy_fn(&v, &k->tab, &kinetic, &potential);
      supply += i % 2 ? potential : -potential;
    }
  }
  return supply;
}

static double potential_of(const nsm_sim *s, const double *q, const double *z) {
  double kinetic = 0, potential = 0;
  nsm_view v = sim_view(s, s->now.t, q, z, s->now.l);
  SIM_EACH(s, energy, k) k->c->energy_fn(&v, &k->tab, &kinetic, &potential);
  return potential;
}

double sim_energy_along(const nsm_sim *s, double t, const double *z, const double *d, double *at) {
  static const double weight[] = { 8, -1 };
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    double kinetic = 0, potential = 0, step = 0.5 * (k / 2 + 1) * (k % 2 ? -1 : 1);
    for (int i = 0; i < s->a->nz; i++) at[i] = z[i] + step * d[i];
    nsm_view v = sim_view(s, t, s->now.q, at, s->w.l1);
    SIM_EACH(s, energy, c) c->c->energy_fn(&v, &c->tab, &kinetic, &potential);
    sum += weight[k / 2] * (k % 2 ? -1 : 1) * potential;
  }
  return sum / 6;
}

// A potential of first-order states x, as the energy of a coil whose core moves, is fed by what changes them, the
// circuit: (V(q0, x1) - V(q0, x0) + V(q1, x1) - V(q1, x0))/2. What is left of its change is work on the motion. Where
// there is no motion it is V'(x_theta) (x1 - x0), at the point at which the scheme has the equations: what is left of
// the change is (1/2 - theta) dx V'' dx of a quadratic V, which the scheme takes.
static double fed_by_states(const nsm_sim *s) {
  if (s->a->nz == s->a->nv) return 0;
  if (s->a->nv == 0 && s->a->scheme->weights && !s->w.euler) {
    double *d = s->w.zg, *x = s->w.mean, theta = s->a->theta;
    for (int i = 0; i < s->a->nz; i++) {
      d[i] = s->now.z[i] - s->w.z1[i];
      x[i] = theta * s->now.z[i] + (1 - theta) * s->w.z1[i];
    }
    return sim_energy_along(s, s->now.t, x, d, s->w.f);
  }
  return 0.5 * (potential_of(s, s->w.q1, s->now.z) - potential_of(s, s->w.q1, s->w.z1) +
                potential_of(s, s->now.q, s->now.z) - potential_of(s, s->now.q, s->w.z1));
}

// Impulses whose work is above 0: Newton's law with friction, or with coefficients that differ, may have such
// (docs/numerics/checks.md, 6). Round-off of the motion does not count.
// Contacts on places strike in two steps: the first takes what the second gives back (schatzman-paoli.md).
static void book_made(nsm_sim *s) {
  static const double rounding = 1e-9;
  sim_ledger *g = &s->now.ledger;
  double loss = g->loss + g->loss_friction, made = -loss - (s->a->m->place_at ? g->taken : 0);
  g->taken = fmax(loss, 0);
  if (made > rounding * g->kinetic && g->least < 0 && !g->still) {
    g->made += made;
    if (made > g->made_most) {
      g->made_most = made;
      g->made_time = s->now.t;
      g->made_at = g->least_at;
    }
  }
  g->least = 0;
}

void sim_ledger_step(nsm_sim *s) {
  sim_ledger *g = &s->now.ledger;
  double kinetic, potential, force = 0, damping = 0, before = g->kinetic + g->potential;
  if (s->a->scheme->two_point || s->w.flows) {          // by the scheme itself
    force = g->forces_now;
    damping = g->dampers_now;
  } else if (s->a->scheme->collocates) {                // first-order states: what feeds them at the stages
    force = g->forces_now + sim_driven(s, s->now.t - s->n.h, s->w.q1, s->now.t, s->now.q);
  } else {
    force = work(s, NSM_WORK_FORCE) + sim_driven(s, s->now.t - s->n.h, s->w.q1, s->now.t, s->now.q) +
            fed_by_states(s);
    damping = -work(s, NSM_WORK_DAMPING);
  }
  sim_ledger_rests(s);
  book_made(s);
  sim_energy(s, &kinetic, &potential);
  double now = kinetic + potential, d = now - before, d_kinetic = kinetic - g->kinetic,
         d_potential = potential - g->potential;
  g->kinetic = kinetic;
  g->potential = potential;
  g->forces += force;
  g->dampers += damping;
  g->contacts += g->loss + g->loss_friction;
  g->friction += g->loss_friction;
  g->forces += g->drive;
  g->projected += g->projected_now;
  g->residue_now = d - g->projected_now - (force + g->drive - damping - g->loss - g->loss_friction);
  g->residue_sum += g->residue_now;
  g->residue = fmax(g->residue, fabs(g->residue_now));
  sim_residue_book(s, d_kinetic, d_potential, force, damping);
  g->drift = fmax(g->drift, fabs(now - g->initial));
  g->gain = fmax(g->gain, d);
}
