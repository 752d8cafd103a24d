// What helps the iteration of the motion (consistent_newton.c) where bodies touch and it is slow: forces that creep
// along a direction that moves nothing are led to its end, and contacts whose direction does not settle keep that of
// the begin of the step.
#include "consistent.h"
#include <string.h>

// ---- creeping -------------------------------------------------------------------------------------------------------
// How many times the change of its force leads a contact to the rim of its law: no force, or the rim of the disk.
static double reaches_law(const nsm_sim *s, int row) {
  const struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  if (s->a->cls[r->cls[row]].c->kind != NSM_CONTACT) return HUGE_VAL;
  double l = s->w.l1[r->l[row]], d = c->creep[row], most = d < 0 ? -l / d : HUGE_VAL;
  if (r->friction_of[row] < 0 || r->friction[r->friction_of[row]].type != NSM_CONE_COULOMB) return most;
  const sim_friction *k = &r->friction[r->friction_of[row]];    // |t + x dt|^2 = mu^2 (l + x d)^2, its least root > 0
  double a = -k->mu * k->mu * d * d, b = -k->mu * k->mu * l * d, e = -k->mu * k->mu * l * l;
  for (int i = 0; i < k->n; i++) {
    double t = s->w.l1[r->l[k->row[i]]], dt = c->creep[k->row[i]];
    a += dt * dt;
    b += t * dt;
    e += t * t;
  }
  if (!(e < -1e-9 * k->mu * k->mu * l * l) || !(b * b - a * e >= 0)) return most;    // slides already
  double root = sqrt(b * b - a * e), x = b + root > 0 ? -e / (b + root) : HUGE_VAL;
  return fmin(most, x);
}

// Bodies that touch in more points than hold them have a direction of forces that moves nothing. Where contacts
// contradict each other along it, by the curvature of their gaps, the iteration creeps that way by steps that hardly
// change, until a contact opens or begins to slide: Aitken's extrapolation, up to the first that does. As a
// factor of the step just found; 1: nothing of the kind.
double con_stride(nsm_sim *s, sim_iteration *it, int from) {
  static const double slow = 0.5, parallel = 0.9, longest = 1e3;
  struct sim_consistent *c = s->n.con;
  double both = 0, last = 0, now = 0;
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i];
    double d = s->w.l_try[s->n.r.l[row]] - c->l0[i], before = it->number > 0 ? c->creep[row] : 0;
    both += c->diag[i] * d * before;
    last += c->diag[i] * before * before;
    now += c->diag[i] * d * d;
    c->creep[row] = d;
  }
  if (it->number <= from || !(it->rate > slow) || !(both > 0) || !(both * both >= parallel * last * now)) return 1;
  double factor = both < (1 - 1 / longest) * last ? last / (last - both) : longest;
  for (int i = 0; i < c->na; i++) factor = fmin(factor, fmax(1, reaches_law(s, c->act[i])));
  it->leaps = factor > 1;
  return factor;
}

// ---- directions that do not settle ----------------------------------------------------------------------------------
// Dg of (2) changes with the iterate, which the matrix leaves out. Where the point of contact of a rim or an edge runs
// fast, or jumps from one place to another, the iteration does not contract, or has no solution to go to. After some
// iterations such contacts, those whose change of direction moves the largest momentum, get H of the begin of the
// step for Dg in (2) and (6),
//
//   0 <= H(q_B) (q_E - q_B) perp lambda >= 0                                                                     (6a)
//
// lambda times its displacement is 0 as before, so that the energy is kept; the gap may shrink by the curvature of its
// way, a term of second order in the step. Counted, and said at the end of a run.
enum { PATIENCE = 10, AGAIN = 3 };
static const double settles = 0.3, share = 0.1;

static int may_freeze(const nsm_sim *s, int row) {
  const nsm_class *k = s->a->cls[s->n.r.cls[row]].c;
  return k->kind == NSM_CONTACT && k->dg_fn && k->h_stage < NSM_STATE && !s->n.con->freeze[row];
}

// What the change of its direction since the iterate before does to momenta.
static double change_of(const nsm_sim *s, int row) {
  int cls = s->n.r.cls[row];
  const sim_class *k = &s->a->cls[cls];
  const double *now = con_direction(s, row), *before = s->n.con->cls[cls].dg_before + (now - s->n.con->cls[cls].dg);
  double most = 0;
  for (int e = 0; e < k->c->h.n; e++) {
    int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]);
    most = fmax(most, fabs(now[e] - before[e]) * s->w.l1[s->n.r.l[row]] / (s->n.con->size[z] + DBL_MIN));
  }
  return most;
}

static void keep_directions(nsm_sim *s) {
  for (int a = 0; a < s->a->on.contact.n; a++) {
    int cls = s->a->on.contact.of[a];
    const sim_class *k = &s->a->cls[cls];
    con_class *o = &s->n.con->cls[cls];
    if (k->c->dg_fn) memcpy(o->dg_before, o->dg, (size_t)k->tab.count * (size_t)k->c->h.n * sizeof(double));
  }
}

int con_freeze(nsm_sim *s, const sim_iteration *it) {
  struct sim_consistent *c = s->n.con;
  double most = 0;
  int found = 0, turn = it->number - PATIENCE;
  if (turn >= 0 && turn % AGAIN == 0 && it->rate > settles) {
    for (int i = 0; i < c->na; i++) if (may_freeze(s, c->act[i])) most = fmax(most, change_of(s, c->act[i]));
    for (int i = 0; most > 0 && i < c->na; i++) {
      if (!may_freeze(s, c->act[i]) || change_of(s, c->act[i]) < share * most) continue;
      c->freeze[c->act[i]] = 1;
      found++;
    }
    c->frozen += found;
  }
  if (turn >= -1) keep_directions(s);
  return found;
}
