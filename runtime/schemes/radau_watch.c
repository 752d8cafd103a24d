// What ends a set, the sets themselves, and the check of a piece that stands.
//
//   multiplier inside of its bounds    l - lo and hi - l        at the lower bound    y        at the upper one    -y
//
// are watched at all stages, of every law, also of one whose y depends on its multiplier. They are as good as 0 within
// 1e-11 of the largest unknown of the same unit so far, or of the terms of y that such unknowns make; a multiplier of
// index 2 has besides the round-off of E z divided by the length of the piece.
#include "radau.h"

static const double share = 1e-11;
static const double nothing = 1e-40;     // in SI units: what rounding leaves of numbers that are 0

int radau_is_watched(const nsm_sim *s, int which) {
  const struct sim_radau *w = s->n.radau;
  int row = which / 2, upper = which % 2, last = w->m.s - 1;
  if (s->now.set[row] != SIM_INSIDE) return !upper && w->lo[last][row] < w->hi[last][row];    // else y is free
  return upper ? w->hi[last][row] < INFINITY : w->lo[last][row] > -INFINITY;
}

double radau_tolerance(const nsm_sim *s, int which, double r) {
  const struct sim_radau *w = s->n.radau;
  int row = which / 2;
  if (s->now.set[row] != SIM_INSIDE) return share * s->now.size_y[row] + nothing;
  return share * s->now.size_z[w->group[w->nz + s->n.r.l[row]]] + nothing + 16 * DBL_EPSILON * w->largest / r;
}

// Which size an unknown has by the terms of equations alone, where a law keeps it at 0: by how much they move a state
// within the piece; of an unknown without inertia, the terms of an equation beside its coefficient there, the least.
// Laws say nothing of it: theirs are as small. Into sum [n].
static void moves(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  const radau_pattern *p = &w->at;
  const double *A = w->now->A, *F = w->F[w->m.s - 1];
  double *terms = w->xr;
  for (int k = 0; k < w->n; k++) terms[k] = fabs(F[k]);
  radau_terms(w, A, w->Z[w->m.s - 1], terms);
  memset(w->sum, 0, (size_t)w->n * sizeof(double));
  for (int k = 0; k < w->nz; k++) {
    double least = INFINITY;
    for (int e = p->start[k]; e < p->start[k + 1] && w->inertia[k] == 0; e++)
      if (p->row[e] < w->nz && A[e] != 0) least = fmin(least, terms[p->row[e]] / fabs(A[e]));
    w->sum[k] = w->inertia[k] != 0 ? w->r * terms[k] / fabs(w->inertia[k]) : least < INFINITY ? least : 0;
  }
}

// Sizes so far: of unknowns of each unit, of the terms of each y.
static void take_sizes(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  double *size = s->now.size_z;
  moves(s);
  for (int i = 0; i < w->m.s; i++)
    for (int k = 0; k < w->n; k++) size[w->group[k]] = fmax(size[w->group[k]], fabs(w->Z[i][k]));
  for (int a = 0; a < s->a->on.relation.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.relation.of[a]];
    for (int j = 0; j < k->tab.count; j++) {
      double terms = fabs(w->y[w->m.s - 1][k->row0 + j]);
      for (int e = 0; e < k->c->h.n; e++) {
        int wrt = k->c->h.wrt[e], slot = k->c->h.col[e];
        int at = wrt == NSM_WRT_X ? sim_z_of(s, k, j, slot)
                                  : w->nz + k->tab.ix[(size_t)j * (size_t)k->c->nslot + (size_t)slot];
        if (at < w->n && (wrt == NSM_WRT_X || wrt == NSM_WRT_L))
          terms += fabs(k->h[(size_t)j * (size_t)k->c->h.n + (size_t)e]) * (size[w->group[at]] + w->sum[at]);
      }
      s->now.size_y[k->row0 + j] = fmax(s->now.size_y[k->row0 + j], terms);
    }
  }
}

void radau_watch(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  const sim_rows *r = &s->n.r;
  take_sizes(s);
  w->largest = 0;
  for (int z = 0; z < w->nz; z++) w->largest = fmax(w->largest, fabs(w->inertia[z] * w->Z[0][z]));
  for (int c = 0; c < w->ncase; c++) {
    int row = w->cases[c], set = s->now.set[row];
    double *f = w->f + 2 * row * RADAU_STAGES;
    for (int i = 0; i < w->m.s; i++) {
      double l = w->Z[i][w->nz + r->l[row]], y = w->y[i][row];
      f[i] = set == SIM_INSIDE ? l - w->lo[i][row] : set == SIM_LOW ? y : -y;
      f[RADAU_STAGES + i] = set == SIM_INSIDE ? w->hi[i][row] - l : INFINITY;
    }
  }
}

// Multipliers as good as at their bound are recorded at it.
void radau_clip(const nsm_sim *s, double *l) {
  const struct sim_radau *w = s->n.radau;
  int last = w->m.s - 1;
  for (int c = 0; c < w->ncase; c++) {
    int row = w->cases[c], at = s->n.r.l[row];
    double lo = w->lo[last][row], hi = w->hi[last][row];
    if (s->now.set[row] != SIM_INSIDE || (l[at] >= lo && l[at] <= hi)) continue;
    double tol = 2 * radau_tolerance(s, 2 * row, w->r);      // an event is within twice its tolerance
    if (l[at] < lo && l[at] >= lo - tol) l[at] = lo;
    else if (l[at] > hi && l[at] <= hi + tol) l[at] = hi;
  }
}

int radau_holds(const nsm_sim *s, double loose) {
  const struct sim_radau *w = s->n.radau;
  for (int c = 0; c < 2 * w->ncase; c++) {
    int which = 2 * w->cases[c / 2] + c % 2;
    if (!radau_is_watched(s, which)) continue;
    double tol = loose * radau_tolerance(s, which, w->r);
    for (int i = 0; i < w->m.s; i++) if (w->f[which * RADAU_STAGES + i] < -tol) return 0;
  }
  return 1;
}

int radau_worst(const nsm_sim *s) {
  const struct sim_radau *w = s->n.radau;
  int worst = -1;
  double most = 1;
  for (int c = 0; c < 2 * w->ncase; c++) {
    int which = 2 * w->cases[c / 2] + c % 2;
    if (!radau_is_watched(s, which)) continue;
    double tol = radau_tolerance(s, which, w->r) + DBL_MIN;
    for (int i = 0; i < w->m.s; i++) {
      double off = -w->f[which * RADAU_STAGES + i] / tol;
      if (off > most) { most = off; worst = which; }
    }
  }
  return worst;
}

// A multiplier at a bound has the set of that bound, unless the old set has the same answer.
void radau_sets_of(nsm_sim *s, double t1, int keep, unsigned char *set) {
  struct sim_radau *w = s->n.radau;
  const sim_rows *r = &s->n.r;
  double *z = w->Z[0];
  memcpy(z, s->w.z1, (size_t)w->nz * sizeof(double));
  memcpy(z + w->nz, s->w.l1, (size_t)w->nl * sizeof(double));
  radau_evaluate(s, t1, z, w->F[0], w->y[0], w->lo[0], w->hi[0]);
  for (int row = 0; row < r->n; row++) {
    double l = s->w.l1[r->l[row]], lo = w->lo[0][row], hi = w->hi[0][row];
    int to = lo == hi ? SIM_LOW : l <= lo ? SIM_LOW : l >= hi ? SIM_HIGH : SIM_INSIDE;
    int open = lo == -INFINITY && hi == INFINITY;
    if (open) to = SIM_INSIDE;
    else if (keep && s->now.set[row] == SIM_INSIDE && lo < hi &&
             fabs(w->y[0][row]) <= share * s->now.size_y[row]) to = SIM_INSIDE;
    set[row] = (unsigned char)to;
  }
}

// y and multiplier of one law where the piece ends, before the verifier of one-step problems: -y in N(l) with
// y = M l + q for an M of the size of both. Its first look is enough where they are right to round-off.
static double verified(const nsm_sim *s, int row) {
  const struct sim_radau *w = s->n.radau;
  int last = w->m.s - 1, l = s->n.r.l[row], at;
  double size = s->now.size_z[w->group[w->nz + l]], size_y = s->now.size_y[row], lambda = s->w.l1[l], u;
  double M = size > 0 && size_y > 0 ? size_y / size : 1, q = w->y[last][row] - M * lambda;
  double terms = size_y + nothing / (8 * DBL_EPSILON);
  nsm_cone_problem p = { .m = 1, .M = &M, .q = &q, .lo = &w->lo[last][row], .hi = &w->hi[last][row],
                         .q_terms = &terms };
  double off = nsm_cone_glance(&p, &lambda, &u);
  return off >= 0 ? off : nsm_cone_residual(&p, &lambda, NULL, &at);
}

// The largest residual of all laws. Inner stages have the error of a stage, and are none of the results.
double radau_verify(nsm_sim *s, int *worst) {
  const struct sim_radau *w = s->n.radau;
  double most = 0;
  for (int c = 0; c < w->ncase; c++) {
    double off = verified(s, w->cases[c]);
    if (!(off > most)) continue;
    most = off;
    *worst = w->cases[c];
  }
  return most;
}
