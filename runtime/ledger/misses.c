// What a run can be off by with no residual that tells.
//
// How far the constraints on places are from being met: schemes that keep them on velocities alone drift off, without
// a word in any residual (docs/numerics/moreau.md, 8).
//
//   miss of g(q, t) = 0:   |g| / (size of the terms of g)        |a + b| -> |a| + |b|, |a b| -> |a| |b|
//
// The size is at least what a radian of each spin of a body in space makes of g: of axes that stay at right angles the
// terms are products of small parts of quaternions, as small as |g| itself.
//
// Looked at in every 128th step and where a run is asked how it went: under a percent of a step's time. A size is at
// least 1e-9 of the largest among all rows; where all are below 1e-12 (a joint in the origin) there is nothing to tell.
#include "ledger.h"
#include <math.h>

static const double least_share = 1e-9, nothing = 1e-12;

static int on_places(const sim_class *k) {
  return k->c->kind == NSM_CONSTRAINT && k->c->gap_fn && k->c->size_fn && k->tab.count > 0;
}

int sim_misses_any(const nsm_sim *s) {
  for (int a = 0; a < s->a->on.constraint.n; a++)
    if (on_places(&s->a->cls[s->a->on.constraint.of[a]])) return 1;
  return 0;
}

// By H as it was evaluated last.
static double by_a_radian(const nsm_sim *s, const sim_class *k, int i) {
  const nsm_pattern *h = &k->c->h;
  double sum = 0;
  for (int e = 0; k->h && e < h->n; e++)
    if (s->w.turns[sim_z_of(s, k, i, h->col[e])]) sum += fabs(k->h[(size_t)i * (size_t)h->n + (size_t)e]);
  return sum;
}

double sim_miss_now(const nsm_sim *s, int *at) {
  double *gap = s->w.misses, largest = 0, worst = 0;
  if (!gap) return 0;
  double *rate = gap + s->n.r.n, *size = rate + s->n.r.n;
  nsm_view v = sim_now(s);
  SIM_EACH(s, constraint, k) {
    if (!on_places(k)) continue;
    k->c->gap_fn(&v, &k->tab, gap + k->row0, rate + k->row0);
    k->c->size_fn(&v, &k->tab, size + k->row0);
    for (int i = k->row0; i < k->row0 + k->tab.count; i++) {
      size[i] = fmax(size[i], by_a_radian(s, k, i - k->row0));
      largest = fmax(largest, size[i]);
    }
  }
  for (int a = 0; a < s->a->on.constraint.n && largest > nothing; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    for (int i = k->row0; on_places(k) && i < k->row0 + k->tab.count; i++) {
      double miss = fabs(gap[i]) / fmax(size[i], least_share * largest);
      if (!(miss > worst)) continue;
      worst = miss;
      *at = i;
    }
  }
  return worst;
}

void sim_misses_take(nsm_sim *s) {
  int at = 0;
  double miss = sim_miss_now(s, &at);
  if (!(miss > s->now.count.max_miss)) return;
  s->now.count.max_miss = miss;
  s->now.miss_at = at;
  s->now.miss_time = s->now.t;
}

// ---- residues of the ledger -----------------------------------------------------------------------------------------
// The energy-consistent schemes leave round-off: |residue| of a step beside the energies and works of the run,
//
//   max |r| <= 1e-6 (max (T + |V|) + |works| + losses)                                                             (1)
//
// For the others r is the error of a rule of order p. Of a motion that the step resolves it is O((h w)^p) of what is
// exchanged; of Stoermer and Verlet's rule (h w)^2/16, a quarter at h w = 2, where it loses its bound. What they take
// is damping, as implicit Euler's. What they bring,
//
//   sum max(r, 0) <= 1/4 sum (|dT| + |dV| + |work| + |losses| + sum |p_i| (|u_i-| + |u_i+|)),                      (2)
//
// above which a quarter of all that was exchanged came from nowhere: no order explains that. Steps that begin and end
// at rest, to round-off, are no part of either: all their energies can be round-off.
static const double round_off = 1e-6, from_nowhere = 0.25;

static void scale(sim_ledger *g) {
  double now = g->kinetic + fabs(g->potential);
  if (!(g->scale >= now)) g->scale = now;
}

void sim_residue_whole(nsm_sim *s) {
  sim_ledger *g = &s->now.ledger;
  scale(g);
  sim_ledger_rests(s);
  if (!g->still) g->missed = fmax(g->missed, g->residue);
}

void sim_residue_book(nsm_sim *s, double kinetic, double potential, double force, double damping) {
  sim_ledger *g = &s->now.ledger;
  scale(g);
  if (g->still) return;
  g->missed = fmax(g->missed, fabs(g->residue_now));
  g->gains += fmax(g->residue_now, 0);
  g->exchanged += fabs(kinetic) + fabs(potential) + fabs(force) + fabs(g->drive) + fabs(damping) + g->gross;
}

// What impacts made. Where an impact is a step of its own it is exact; of captured ones forces of the step are a part.
double sim_made_checked(const nsm_sim *s) {
  static const double captured = 1e-3;
  const sim_ledger *g = &s->now.ledger;
  double least = s->a->located || s->a->scheme->two_point ? round_off : captured;
  return g->on && g->scale > 0 && g->made > least * g->scale ? g->made / g->scale : 0;
}

// Without the ledger, of a motion that no force, row, state or event feeds: what the energy rose by. Infinite where it
// is not finite.
double sim_gained_alone(const nsm_sim *s, double began, double kinetic, double potential) {
  double gained = kinetic + potential - began, all = fabs(began) + kinetic + fabs(potential);
  if (isfinite(began) && !isfinite(gained)) return INFINITY;
  if (s->n.r.n > 0 || s->a->nz > s->a->nv || sim_has_events(s)) return 0;
  SIM_EACH(s, smooth, k) if (k->c->work == NSM_WORK_FORCE && k->tab.count > 0) return 0;
  SIM_EACH(s, energy, k) if (k->c->driven) return 0;
  return gained > from_nowhere * all ? gained : 0;
}

double sim_residue_checked(const nsm_sim *s) {
  const sim_ledger *g = &s->now.ledger;
  if (g->on && !isfinite(g->kinetic + g->potential)) return INFINITY;
  double all = sim_ledger_all(g);
  if (!g->on || !(all > 0)) return 0;
  if (s->a->scheme->two_point) return g->missed > round_off * all ? g->missed / all : 0;
  return g->gains > from_nowhere * g->exchanged && g->gains > round_off * all ? g->gains / g->exchanged : 0;
}
