// The check of a piece that is to stand: do the laws hold at its end, with the rates of the kernels there, and with the
// forces of that instant (8)? It shares nothing with the iteration that found the piece.
#include "galerkin.h"

// Of the largest terms of a rate: those that are less are rounding, as of axes that stay at right angles.
static const double least_share = 1e-9;

// Size of the terms of a rate: velocities at both ends, and what forces make of them in the piece.
static double speed(const nsm_sim *s, const sim_class *k, int i) {
  const struct sim_galerkin *g = s->n.galerkin;
  double sum = DBL_MIN;
  for (int e = 0; e < k->c->h.n; e++) {
    int z = sim_z_of(s, k, i, k->c->h.col[e]);
    double h = fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e]);
    sum += h * (fabs(s->now.z[z]) + fabs(s->w.z1[z]) + s->n.h * fabs(g->f[z]) * s->n.con->mass_inverse[z]);
  }
  return sum;
}

// Of the forces of all rows, and of what they may have to hold, H f/|H|^2: beside that a force that ends is 0.
static double largest_force(const nsm_sim *s) {
  const struct sim_galerkin *g = s->n.galerkin;
  double largest = DBL_MIN;
  for (int r = 0; r < g->m; r++) {
    const sim_class *k = &s->a->cls[s->n.r.cls[g->row[r]]];
    double held = 0, square = DBL_MIN;
    for (int e = 0; e < k->c->h.n; e++) {
      double h = k->h[(size_t)(g->row[r] - k->row0) * (size_t)k->c->h.n + (size_t)e];
      held += fabs(h * g->f[sim_z_of(s, k, g->row[r] - k->row0, k->c->h.col[e])]);
      square += h * h;
    }
    largest = fmax(largest, fmax(fabs(g->in.force[s->n.r.l[g->row[r]]]), held / square));
  }
  for (int f = 0; f < s->n.r.nfriction; f++)
    if (s->n.r.active[s->n.r.friction[f].row[0]]) largest = fmax(largest, sim_galerkin_pressed(s, f));
  return largest;
}

static double fastest(const nsm_sim *s) {
  double most = DBL_MIN;
  SIM_EACH(s, row, k)
    for (int i = 0; i < k->tab.count; i++) if (s->n.r.active[k->row0 + i]) most = fmax(most, speed(s, k, i));
  return most;
}

// Of a block of friction: what its force is beyond the disk, what sticks and moves, what slides backwards.
static double friction_off(const nsm_sim *s, int f, const double *rate, double largest, double slow) {
  const sim_friction *k = &s->n.r.friction[f];
  const struct sim_galerkin *g = s->n.galerkin;
  sim_disk part[2];
  double off = 0;
  int parts = sim_friction_parts(k, part);
  for (int p = 0; p < parts; p++) {
    const int *row = k->row + part[p].first;
    double l[SIM_SLIPS];
    if (!s->n.r.active[row[0]] || g->slides[f] & (1 << p)) continue;        // that is on the rim by (8)
    for (int d = 0; d < part[p].n; d++) {
      const sim_class *c = &s->a->cls[s->n.r.cls[row[d]]];
      l[d] = g->in.force[s->n.r.l[row[d]]];
      off = fmax(off, fabs(rate[row[d]]) / fmax(slow, speed(s, c, row[d] - c->row0)));
    }
    off = fmax(off, (sim_disk_gauge(&part[p], l) - part[p].mu * sim_galerkin_pressed(s, f)) / largest);
  }
  return off;
}

double sim_galerkin_verify(nsm_sim *s, double t1) {
  struct sim_galerkin *g = s->n.galerkin;
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, s->a->zero_l);
  double off = 0, largest = largest_force(s), slow = least_share * fastest(s);
  SIM_EACH(s, row, k) {
    k->c->rate_fn(&v, &k->tab, g->rate1 + k->row0);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      if (k->c->kind == NSM_FRICTION || !s->n.r.active[row]) continue;
      off = fmax(off, fabs(g->rate1[row]) / fmax(slow, speed(s, k, i)));
      if (k->c->kind == NSM_CONTACT) off = fmax(off, -g->in.force[s->n.r.l[row]] / largest);
    }
  }
  for (int f = 0; f < s->n.r.nfriction; f++) off = fmax(off, friction_off(s, f, g->rate1, largest, slow));
  return off;
}
