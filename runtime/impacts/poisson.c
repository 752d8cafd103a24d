// Poisson's law for several contacts with friction [Glocker and Pfeiffer 1995]:
//
//   compression   0 <= u_C _|_ N_C >= 0,                u_C = u- + D P_C                                            (1)
//   expansion     N_E = e N_C + z, 0 <= u+ _|_ z >= 0,  u+  = u_C + D P_E                                           (2)
//
// with Coulomb's law for the slip at the end of each phase, under the normal impulse of that phase. (2) is a problem of
// cones for given sets: where z = 0 the normal impulse is known, and friction has a disk of given size; elsewhere
// u_N = 0, and N_E >= 0 is a contact like any other. The sets are found by exchanging what contradicts them.
//
// Without friction no energy is made for any e in [0, 1]. With friction nobody has proved it: where P (u- + u+)/2 > 0
// the second phase is taken s times, with the largest s <= 1 for which that is 0; 0 <= u_N+ and the cones hold then.
// And where friction is so strong that (2) has no solution, a contact gives back less than e N_C, with u_N+ = 0.
#include "impact.h"
#include "runtime/cone/sets.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { EXCHANGES = 40, BACK = 20 };
static const double rounding = 1e-13, gains = 1e-14, nothing = 1e-9, roundings = 64;

typedef struct phase {
  int k, n;                             // rows, contacts
  int *row, *first, *given;             // [k] of the impact; [n] of the sub-problem; [n] its normal impulse is
  double *M, *q, *lo, *hi, *P, *u;      // [k*k], [k]
  const nsm_cone_block **of;
} phase;

// Rows of contact c of the sub-problem, whose friction stands under the normal impulse N.
static int under(const nsm_cone_block *b, int first, double N, nsm_cone_block *out) {
  nsm_cone_set set = nsm_cone_set_of(b->type);
  int n = (b->size - 1) / set.parts;
  double d[NSM_CONE_MOST_ROWS];
  nsm_cone_half_axes(b, d);
  for (int k = 0; k < set.parts; k++)
    out[k] = (nsm_cone_block){ .type = NSM_CONE_DISK, .first = first + 1 + k * n, .size = n, .radius = d[k * n] * N };
  if (set.parts == 1 && set.last != NSM_AXIS_MU) {
    double mu = nsm_cone_round(b, d);
    *out = (nsm_cone_block){ set.exact ? NSM_CONE_ELLIPSE_EXACT : NSM_CONE_ELLIPSE, first + 1, n, d[0], d[n - 1],
                             mu * N };
  }
  return set.parts;
}

// The problem of cones of one phase; `low` [n]: e N_C, or NULL in compression.
static int solve(const nsm_impact *p, const int *which, const phase *s, const double *low, const impact_work *w) {
  int cones = 0;
  for (int c = 0; c < s->n; c++) {
    const nsm_cone_block *b = &p->contact[which[c]];
    int f = s->first[c], given = low && b->size > 1 && s->given[c];
    s->lo[f] = low ? low[c] : 0;
    s->hi[f] = given ? low[c] : INFINITY;
    if (b->size == 1) continue;
    if (given) { cones += under(b, f, low[c], w->blocks + cones); continue; }
    w->blocks[cones] = *b;
    w->blocks[cones++].first = f;
  }
  nsm_cone_problem problem = { .m = s->k, .M = s->M, .q = s->q, .lo = s->lo, .hi = s->hi, .cones = cones,
                               .cone = w->blocks };
  nsm_cone_options o = { .accept = 1e-10 };
  nsm_cone_result r;
  memset(s->P, 0, (size_t)s->k * sizeof(double));
  nsm_cone_workspace_init(w->cone, w->cone_bytes);
  nsm_cone_status status = nsm_cone_solve(&problem, &o, w->cone, s->P, s->u, &r);
  return status == NSM_CONE_SOLVED || status == NSM_CONE_ACCEPTED;
}

// (2), with `low` = e N_C.
typedef struct sizes { double rate, impulse; } sizes;

static int expand(const nsm_impact *p, const int *which, phase *s, const double *low, const sizes *of,
                  const impact_work *w) {
  for (int c = 0; c < s->n; c++) s->given[c] = 1;
  for (int n = 0; n < EXCHANGES; n++) {
    int changed = 0;
    if (!solve(p, which, s, low, w)) return 0;
    for (int c = 0; c < s->n; c++) {
      int f = s->first[c];
      if (p->contact[which[c]].size == 1) continue;
      if (s->given[c] && s->u[f] < -rounding * of->rate) changed = 1, s->given[c] = 0;
      else if (!s->given[c] && n < BACK && s->P[f] < low[c] - rounding * of->impulse) changed = s->given[c] = 1;
    }
    if (!changed) return 1;
  }
  return 0;
}

static phase gather(const nsm_impact *p, const int *which, int n, const double *from, impact_work *w) {
  phase s = { .n = n, .row = w->whole, .first = w->whole + p->m, .given = w->whole + p->m + p->contacts };
  for (int c = 0; c < n; c++) {
    const nsm_cone_block *b = &p->contact[which[c]];
    s.first[c] = s.k;
    for (int i = 0; i < b->size; i++) s.row[s.k++] = b->first + i;
  }
  size_t k = (size_t)s.k;
  s.M = impact_take(w, k * k);
  double **by_row[] = { &s.q, &s.lo, &s.hi, &s.P, &s.u };
  for (int i = 0; i < 5; i++) *by_row[i] = impact_take(w, k);
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < k; i++) s.M[i + j * k] = p->D[(size_t)s.row[i] + (size_t)s.row[j] * (size_t)p->m];
  for (size_t i = 0; i < k; i++) s.q[i] = from[s.row[i]];
  return s;
}

// The largest share s <= 1 of the second phase that makes no energy: P = C + s E has the work a + b s + c s^2.
static double harmless(const phase *s, const double *from, const double *C, const double *E) {
  double a = 0, b = 0, c = 0, size = 0;
  for (int i = 0; i < s->k; i++) {
    double dC = 0, dE = 0;
    for (int j = 0; j < s->k; j++) {
      dC += s->M[i + (size_t)j * (size_t)s->k] * C[j];
      dE += s->M[i + (size_t)j * (size_t)s->k] * E[j];
    }
    a += C[i] * (from[s->row[i]] + 0.5 * dC);
    b += E[i] * (from[s->row[i]] + 0.5 * dC) + 0.5 * C[i] * dE;
    c += 0.5 * E[i] * dE;
    size += fabs(C[i] * from[s->row[i]]) + fabs(E[i] * from[s->row[i]]);
  }
  if (a + b + c <= gains * size) return 1;
  if (!(c > 0) || a > 0) return 0;
  double root = sqrt(fmax(b * b - 4 * a * c, 0));
  return fmin(1, fmax(0, b > 0 ? -2 * a / (b + root) : (root - b) / (2 * c)));
}

// u_C in the place of q, from the impulses C.
static void compress(phase *s, const double *C) {
  for (int i = 0; i < s->k; i++) {
    s->u[i] = s->q[i];
    for (int j = 0; j < s->k; j++) s->u[i] += s->M[i + (size_t)j * (size_t)s->k] * C[j];
  }
  memcpy(s->q, s->u, (size_t)s->k * sizeof(double));
}

int impact_phases(const nsm_impact *p, impact_blow *b, impact_work w) {
  phase s = gather(p, b->which, b->n, b->from, &w);
  double *C = impact_take(&w, (size_t)s.k), *low = impact_take(&w, (size_t)b->n);
  sizes of = { 0, 0 };
  int any = 0;
  b->share = 1;
  memset(b->P, 0, (size_t)p->m * sizeof(double));
  if (!solve(p, b->which, &s, NULL, &w)) return 0;
  memcpy(C, s.P, (size_t)s.k * sizeof(double));
  for (int i = 0; i < s.k; i++) {
    of.rate = fmax(of.rate, fabs(s.q[i]));
    of.impulse = fmax(of.impulse, fabs(C[i]));
    if (b->first) b->first[s.row[i]] = C[i];
  }
  compress(&s, C);
  for (int c = 0; c < b->n; c++) any |= (low[c] = b->scale * p->e[b->which[c]] * C[s.first[c]]) > 0;
  if (any && !expand(p, b->which, &s, low, &of, &w)) any = 0, b->share = 0;
  for (int c = 0; any && c < b->n; c++)
    if (s.P[s.first[c]] < low[c] * (1 - 1e-9)) b->share = fmin(b->share, fmax(s.P[s.first[c]] / low[c], 0));
  double part = any ? harmless(&s, b->from, C, s.P) : 0;
  if (any) b->share = fmin(b->share, part);
  for (int i = 0; i < s.k; i++) b->P[s.row[i]] = C[i] + (any ? part * s.P[i] : 0);
  return 1;
}

// Where rows depend on each other, small rates u = before + D P may contradict each other by their rounding: then u is
// raised by it.
static int raised(const nsm_impact *p, const double *u, impact_work w, const nsm_impact_answer *a, impact_blow *all) {
  size_t m = (size_t)p->m;
  double *from = impact_take(&w, m);
  memcpy(from, u, m * sizeof(double));
  for (int c = 0; c < p->contacts; c++) {
    size_t i = (size_t)p->contact[c].first;
    double size = fabs(p->before[i]);
    for (size_t j = 0; j < m; j++) size += fabs(p->D[i + j * m] * a->impulse[j]);
    from[i] += roundings * DBL_EPSILON * size;
  }
  all->from = from;
  return impact_phases(p, all, w);
}

int impact_rest(const nsm_impact *p, const double *u, impact_work w, nsm_impact_answer *a, double *loss) {
  size_t m = (size_t)p->m;
  double *after = impact_take(&w, m), least = 0;
  impact_blow all = impact_of_all(p, u, &w);
  all.P = impact_take(&w, m);
  *loss = 0;
  for (int c = 0; c < p->contacts; c++) least = fmin(least, u[p->contact[c].first]);
  if (!impact_phases(p, &all, w) && !raised(p, u, w, a, &all)) return least >= -nothing * impact_fastest(p);
  memcpy(after, u, m * sizeof(double));
  impact_apply(p, all.P, after);
  *loss = -impact_gain(p->m, all.P, u, after);
  for (size_t i = 0; i < m; i++) a->impulse[i] += all.P[i];
  return 1;
}
