// The motion of a step without the constraints that others imply (assembly/implied.c). They are found where matrices
// are singular, by H at the begin of the step. Once the step is done they are looked at: where one is off, the
// mechanism has changed, and they are found anew by H at the end. What stays undecided is left to the pseudo-inverse
// of K.
#include "consistent.h"
#include <math.h>
#include <string.h>

enum { TRIES = 3 };
// Of an implied constraint, relative to its terms: may be off; may be off where H at the end tells no others.
static const double off = 1e-11, may_be_off = 1e-10;
static const double worn = 1e-14;        // from where on others may be farther from depending on each other

static const double no_trifle = 0.03;

// H of the constraints at a view.
static void directions_at(nsm_sim *s, const nsm_view *v) {
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(v, &k->tab, k->h);
  }
}

// The implied constraints by H at a view; how many have changed. H of the begin is at hand afterwards.
static int find_at(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  nsm_view begin = sim_now(s);
  directions_at(s, v ? v : &begin);
  int changed = sim_implied_find(s);
  if (v) directions_at(s, &begin);
  sim_rows_columns_of(s, c->row, c->ns);
  if (!changed) return 0;
  s->now.past.known = 0;                                 // multipliers of other rows
  for (int j = 0; j < c->ns; j++)
    if (!con_acts(s, j)) s->now.force[s->n.r.l[c->row[j]]] = s->now.kappa[s->n.r.l[c->row[j]]] = 0;
  return changed;
}

// The largest speeds, of places and of turns, and what they are known to: bodies on joints move each other.
static void largest_speeds(const nsm_sim *s, double most[2]) {
  most[0] = most[1] = 0;
  for (int z = 0; z < s->a->nv; z++) {
    int turn = sim_implied_turns(s, z);
    most[turn] = fmax(most[turn], fabs(s->w.z1[z]) + s->now.r1_size[z] * s->n.con->held_inverse[z]);
  }
}

// The largest of what implied constraints are off by, on both levels, relative to their terms.
static double worst_implied(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  double worst = 0, most[2];
  if (s->now.implied_n == 0) return 0;
  largest_speeds(s, most);
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    k->c->gap_fn(v, &k->tab, c->gap_end + k->row0, c->rate_end + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      double terms = r->terms[row] + DBL_MIN, speeds = DBL_MIN, gap = k->c->velocity_level ? 0 : c->gap_end[row];
      if (!sim_is_implied(s, row)) continue;
      for (int x = r->c0[row]; x < r->c0[row + 1]; x++) {
        int turn = sim_implied_turns(s, r->cz[x]);
        terms += turn * fabs(r->c[x]);
        speeds += fabs(r->c[x]) * most[turn];
      }
      worst = fmax(worst, fmax(fabs(gap) / terms, fabs(c->rate_end[row]) / speeds));
    }
  }
  return worst;
}

// 0: K has to do it, with all that it can.
static int near_motion(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  c->vanished = 0;
  if (con_near_motion(s, v)) return 1;
  if (!c->vanished || !c->asks || find_at(s, NULL) == 0) return 0;
  s->now.con.near_again = 0;
  return con_near_motion(s, v);
}

// By how much P kappa turns with a body that turns, |kappa H_z|/M_z: what Newton's method leaves out of the mean of H
// (docs/numerics/bodies.md, section 6). Of a light body on a long lever it is no trifle.
static double turned_by_kappa(const nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  double most = 0;
  memset(c->dq, 0, (size_t)s->a->nv * sizeof(double));
  for (int j = 0; j < c->ns; j++) {
    double kappa = fabs(c->kappa1[r->l[c->row[j]]]);
    for (int x = r->c0[c->row[j]]; x < r->c0[c->row[j] + 1]; x++) {
      int z = r->cz[x];
      if (sim_implied_turns(s, z)) c->dq[z] += kappa * fabs(r->c[x]) * c->mass_inverse[z];
    }
  }
  for (int z = 0; z < s->a->nv; z++) most = fmax(most, c->dq[z]);
  return most;
}

nsm_code con_move(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  struct sim_consistent *c = s->n.con;
  c->asks = c->ns > 0;
  if (s->now.con.worn || sim_implied_is_time(s)) find_at(s, NULL);
  for (int n = 0;; n++) {
    c->singular = 0;
    nsm_code code = near_motion(s, v) ? NSM_OK : con_motion(s, v, e);
    if (c->ns == 0) return code;
    if (con_by_means(s) && c->light && (code != NSM_OK || !(turned_by_kappa(s) <= no_trifle))) {
      s->now.con.at_begin = 1;
      sim_rows_columns_of(s, c->row, c->ns);
      continue;
    }
    if (c->singular && c->asks) {
      s->now.con.firm = n == TRIES || find_at(s, NULL) == 0;
      c->asks = !s->now.con.firm;
      continue;
    }
    double worst = code == NSM_OK ? worst_implied(s, v) : INFINITY;
    s->now.con.worn = worst > worn;
    if (worst <= off) return code;
    if (code == NSM_OK && n < TRIES && find_at(s, v) > 0) continue;
    if (worst <= may_be_off) return code;
    if (!s->now.con.firm && !sim_implied_forget(s)) return code;
    c->asks = s->now.con.firm = 0;
  }
}

void con_share_out(nsm_sim *s) { sim_implied_share(s, con_direction, s->w.l1); }
