// What is at rest at the end of an energy-consistent step is exactly at rest (closed.c has the reasons): velocities
// that are what rounding left are 0, and displacements along the gaps that (6) makes 0 are taken away by corrective
// forces, found from the displacements as they are, where very different masses leave more than round-off of the
// displacements.
#include "consistent.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { REFINEMENTS = 3 };
static const double refines = 4 * DBL_EPSILON, lasts = 0.1;  // of the tolerance

// D_ii of (12) by masses alone, what K has besides left out.
static double diagonal_of(const nsm_sim *s, int row, double h) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *d = con_direction(s, row);
  double sum = 0;
  for (int e = 0; e < k->c->h.n; e++)
    sum += 0.5 * h * d[e] * d[e] * s->n.con->mass_inverse[sim_z_of(s, k, row - k->row0, k->c->h.col[e])];
  return sum;
}

static int acting(const nsm_sim *s, int i) { return i < s->n.con->na ? s->n.con->act[i] :
    s->n.con->row[i - s->n.con->na]; }

// Size of the terms of velocities that forces of contacts and constraints act on, into size [nq].
static void sizes(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  memset(s->w.size, 0, (size_t)s->a->nv * sizeof(double));
  for (int i = 0; i < c->na + c->ns; i++) {
    int row = acting(s, i);
    const sim_class *k = &s->a->cls[s->n.r.cls[row]];
    const double *direction = con_direction(s, row);
    double l = s->w.l1[s->n.r.l[row]];
    for (int e = 0; l != 0 && e < k->c->h.n; e++) {
      int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]);
      s->w.size[z] += fabs(direction[e] * l) * c->mass_inverse[z];
    }
  }
}

// What these terms leave of velocities at rest is 0.
static void settle(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  sizes(s);
  for (int z = 0; z < s->a->nv; z++) {
    if (s->w.size[z] == 0) continue;
    s->w.size[z] += fabs(c->uc[z]);
    if (!sim_is_at_rest(s->w.z1[z], s->w.size[z])) continue;
    s->w.z1[z] = 0;
    c->inc_q[z] -= 0.5 * s->n.h * (c->uc[z] + (c->uc_low[z] + c->inc_u[z]));
    c->inc_u[z] = -c->uc[z];
    c->uc_low[z] = 0;
  }
}

// Displacements of the rows whose law makes them 0: how many are more than what rounding left of the terms of the
// velocities that are not at rest.
static int displacements_left(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  int left = 0;
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i], slip = s->a->cls[s->n.r.cls[row]].c->kind == NSM_FRICTION;
    const sim_class *k = &s->a->cls[s->n.r.cls[row]];
    const double *direction = slip ? k->h + (size_t)(row - k->row0) * (size_t)k->c->h.n : con_direction(s, row);
    double sum = slip ? c->drift[row] : c->moved[row], size = fabs(sum);
    int stays = slip ? sim_sticks(s, row) : s->w.l1[s->n.r.l[row]] > 0;
    for (int e = 0; e < k->c->h.n; e++) {
      int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]);
      sum += direction[e] * c->inc_q[z];
      if (s->w.z1[z] != 0 || c->uc[z] != 0) size += fabs(direction[e]) * s->n.h * (fabs(s->w.z1[z]) + s->w.size[z]);
    }
    c->gap[row] = sum;
    c->zero[i] = (unsigned char)(!stays ? 0 : size > 0 && fabs(sum) > refines * size ? CON_IS_OFF : CON_STAYS);
    left += c->zero[i] == CON_IS_OFF;
  }
  return left;
}

// Where nothing moved and nothing moves, state and forces of the last step are a fixed point of the step: (3) and (6)
// hold exactly, and (2) as it did then. One evaluation tells, and that is the whole step.
int con_still(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  double most = 0;
  if (!s->touching || c->na == 0 || c->ns > 0 || s->a->on.mu.n > 0 || c->projected) return 0;
  con_share(s, 1, c->size);
  for (int z = 0; z < s->a->nv; z++) {
    if (c->uc[z] != 0 || c->uc_low[z] != 0 || c->inc_u[z] != 0 || c->inc_q[z] != 0) return 0;
    most = fmax(most, fabs(c->res[z]) / (c->size[z] + DBL_MIN));
  }
  if (!(most <= lasts * s->a->tolerance)) return 0;
  for (int i = 0; i < c->na; i++) {
    if (c->gap[c->act[i]] != 0) return 0;                  // a belt
    c->diag[i] = diagonal_of(s, c->act[i], v->h);
  }
  s->now.count.max_residual = fmax(s->now.count.max_residual, most);
  return 1;
}

static void stop(nsm_sim *s, int z, double share) {
  struct sim_consistent *c = s->n.con;
  (void)share;
  c->uc[z] = c->uc_low[z] = c->inc_u[z] = s->w.z1[z] = 0;
}

void con_rest(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  if (c->na + c->ns == 0) return;
  settle(s);
  if (s->touching && sim_touch_rest(s, s->w.size, stop, 0)) con_place(s, v);
  for (int i = 0; i < REFINEMENTS && c->na > 0 && displacements_left(s) > 0; i++) {
    memset(c->dz, 0, (size_t)c->n * sizeof(double));
    c->solver.kind = SIM_CORRECTION;
    int ok = con_contacts(s);
    c->solver.kind = SIM_BY_LAW;
    if (!ok) break;
    con_apply_contacts(s);
    con_go(s, v);
    settle(s);
  }
  memset(s->w.size, 0, (size_t)s->a->nv * sizeof(double));
}
