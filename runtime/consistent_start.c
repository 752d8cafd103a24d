// Consistent initial values: the smallest change, in the mass metric, that puts q on g_S = 0 and v on rate_S = 0:
//
//   dq = M^{-1} H^T mu,  H dq = -g_S(q), repeated;  dv = M^{-1} H^T nu,  H dv = -rate_S(q, v)                   (14)
//
// Where the values as given are further off than a person's rounding can explain, the model is refused.
#include "consistent.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20 };
static const double mends = 1e-6, silent = 1e-13;

typedef struct offence { double relative, value; int row; } offence;

// The largest violation relative to the size of the terms; gaps into r->y, rates into r->rate0.
static offence violation(nsm_sim *s, int velocity) {
  sim_rows *r = &s->r;
  nsm_view v = sim_now(s);
  offence worst = { 0, 0, -1 };
  for (int a = 0; a < s->on.constraint.n; a++) {
    sim_class *k = &s->cls[s->on.constraint.of[a]];
    k->c->gap_fn(&v, &k->tab, r->y + k->row0, r->rate0 + k->row0);
    if (k->c->h_stage > NSM_CONST) k->c->h_fn(&v, &k->tab, k->h);
    for (int i = 0; i < k->tab.count; i++) {
      double size = 0, value = velocity ? r->rate0[k->row0 + i] : r->y[k->row0 + i];
      for (int e = 0; e < k->c->h.n; e++) {
        int z = sim_z_of(s, k, i, k->c->h.col[e]);
        size += fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e]) * fabs(velocity ? s->z[z] : s->q[z]);
      }
      double x = value == 0 ? 0 : fabs(value) / (size > 0 ? size : 1);
      if (!(x <= worst.relative)) worst = (offence){ x, value, k->row0 + i };
    }
  }
  return worst;
}

// One correction of q or v by (14). 0 where the rows could not be solved.
static int correct(nsm_sim *s, int velocity) {
  sim_rows *r = &s->r;
  sim_islands *is = &s->isl;
  if (s->on.h_moving.n > 0) sim_rows_outer(s, 0);
  if (!con_impact(s, 0, velocity ? r->rate0 : r->y)) return 0;
  double *to = velocity ? s->z : s->q;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    for (int x = r->x0[row]; x < r->x0[row + 1]; x++) to[r->xz[x]] += r->x[x] * is->lambda[i];
  }
  return 1;
}

static int refuse(nsm_sim *s, offence o, int velocity, nsm_error *e) {
  char name[256], why[64];
  sim_row_name(s, o.row, name, sizeof name);
  if (o.relative <= mends) snprintf(why, sizeof why, "it cannot be met together with the others");
  else snprintf(why, sizeof why, "at most %.0e is mended", mends);
  sim_fail_at(e, NSM_FAILED, sim_at_row(s, o.row), "line %d: the initial %s violate %s: the %s is %.6g, relative %.3g; %s",
           s->cls[s->r.cls[o.row]].c->line, velocity ? "velocities" : "positions", name, velocity ? "rate" : "gap",
           o.value, o.relative, why);
  return 0;
}

static int mend(nsm_sim *s, int velocity, offence *first, nsm_error *e) {
  offence o = *first = violation(s, velocity);
  if (!(o.relative <= mends)) return refuse(s, o, velocity, e);
  double before = INFINITY;
  for (int it = 0; it < ROUNDS && o.relative > 0 && o.relative < 0.5 * before; it++) {
    before = o.relative;
    if (!correct(s, velocity)) break;
    o = violation(s, velocity);
  }
  if (o.relative > 1e-12) return refuse(s, o, velocity, e);
  return 1;
}

static void mass_diagonal(nsm_sim *s) {
  struct sim_consistent *c = s->con;
  double *m = c->mass_inverse;
  for (int a = 0; a < s->on.mass.n; a++) {
    const sim_class *k = &s->cls[s->on.mass.of[a]];
    const nsm_pattern *p = &k->c->mass;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++)
        if (p->row[e] == p->col[e]) m[sim_z_of(s, k, i, p->row[e])] += k->mass[(size_t)i * (size_t)p->n + (size_t)e];
  }
  for (int i = 0; i < s->nq; i++) m[i] = m[i] > 0 ? 1 / m[i] : 0;
}

int sim_consistent_start(nsm_sim *s, nsm_error *e) {
  mass_diagonal(s);
  if (s->con->ns > 0) {
    offence q, v;
    char name[256];
    if (!mend(s, 0, &q, e) || !mend(s, 1, &v, e)) return 0;
    offence o = q.relative >= v.relative ? q : v;
    if (o.relative > silent) {
      sim_row_name(s, o.row, name, sizeof name);
      snprintf(s->note, sizeof s->note,
               "the initial values were moved onto the constraints; %s was off by %.2g (relative)", name, o.relative);
    }
    memcpy(s->q_start, s->q, (size_t)s->nq * sizeof(double));
    memcpy(s->z_start, s->z, (size_t)s->nz * sizeof(double));
  }
  return 1;
}
