// Equations (constraints: u = 0, no bound on lambda) are eliminated before Newton's method sees a problem. With F the
// rows that the caller has named as such, independent of each other, and C all others
//
//   M' = M_CC - M_CF M_FF^-1 M_FC,   q' = q_C - M_CF M_FF^-1 q_F,   lambda_F = -M_FF^-1 (q_F + M_FC lambda_C)      (1)
//
// the Schur complement (Cottle, Pang and Stone, The LCP, 2.3). The joints of a robot are a tree: M_FF is factored by
// fronts with hardly any fill, once for all iterations, and what is iterated has contacts alone. The answer is verified
// as one of the problem as it was given.
#include "newton.h"
#include <math.h>
#include <string.h>

enum { FEW = 12 };                       // equations for which nothing is gained
static const double vanishing = 1e-11;   // of the largest pivot of a front: constraints that all but depend on others

// at [m]: of C the row of the reduced problem, -1 of F. Is it worth it?
static int split(const nsm_cone_problem *p, nsm_reduced *r) {
  int next = 0;
  r->kept = 0;
  for (int i = 0; i < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, i, &next);
    int size = b ? b->size : 1, equation = !b && p->equation[i];
    for (int k = 0; k < size; k++) r->at[i + k] = equation ? -1 : r->kept++;
    i += size;
  }
  double entries = p->row_start ? p->row_start[p->m] : (double)p->m * p->m;
  return p->m - r->kept >= FEW && r->kept > 0 && (double)r->kept * r->kept <= entries;
}

static int take(const nsm_cone_problem *p, nsm_cone_work *w, nsm_reduced *r) {
  size_t n = (size_t)r->kept, m = (size_t)p->m;
  double **vectors[] = { &r->q, &r->terms, &r->lo, &r->hi, &r->lambda, &r->u };
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = nsm_cone_take_doubles(w, n))) return 0;
  r->x = nsm_cone_take_doubles(w, m);
  r->cone = nsm_cone_take(w, (size_t)p->cones * sizeof *r->cone);
  r->all = nsm_cone_take(w, m);
  r->stay = nsm_cone_take(w, m);
  return r->x && r->cone && r->all && r->stay;
}

// M_FF by fronts, with M' where they end.
static int factor(const nsm_cone_problem *p, nsm_cone_work *w, nsm_reduced *r) {
  nsm_cone_problem rows = *p;              // without blocks: no row is scaled
  rows.cones = 0;
  rows.cone = NULL;
  if (!nsm_graph_make(&rows, w, &r->g) || !nsm_fronts_take(&r->g, w, &r->fronts)) return 0;
  memset(r->all, 1, (size_t)p->m);
  for (int i = 0; i < p->m; i++) r->stay[i] = r->at[i] >= 0;
  return nsm_fronts_complement(&r->g, r->all, r->stay, &r->fronts) &&
         nsm_factor_take(&r->g, &r->fronts, w, &r->factor) &&
         nsm_factor_make(&r->g, &r->fronts, 0, NULL, NULL, &r->factor) &&
         nsm_factor_least(&r->fronts, &r->factor) > vanishing;
}

int nsm_reduced_make(const nsm_cone_problem *p, nsm_cone_work *w, nsm_reduced *r) {
  *r = (nsm_reduced){ 0 };
  if (!p->equation || p->cones == 0 || p->m <= FEW || !(r->at = nsm_cone_take_ints(w, (size_t)p->m)) || !split(p, r) ||
      !take(p, w, r) || !factor(p, w, r))
    return 0;
  memcpy(r->x, p->q, (size_t)p->m * sizeof(double));
  nsm_factor_down(&r->g, &r->fronts, &r->factor, r->x);
  for (int i = 0; i < p->m; i++) {
    int at = r->at[i];
    if (at < 0) continue;
    r->q[at] = r->x[i];
    r->terms[at] = nsm_cone_terms(p, i) + fabs(r->x[i] - p->q[i]);
    r->lo[at] = p->lo[i];
    r->hi[at] = p->hi[i];
  }
  for (int c = 0; c < p->cones; c++) {
    r->cone[c] = p->cone[c];
    r->cone[c].first = r->at[p->cone[c].first];
  }
  r->p = (nsm_cone_problem){ .m = r->kept, .M = nsm_factor_complement(&r->fronts, &r->factor), .q = r->q, .lo = r->lo,
                             .hi = r->hi, .cones = p->cones, .cone = r->cone, .q_terms = r->terms };
  return 1;
}

void nsm_reduced_guess(const nsm_cone_problem *p, const nsm_reduced *r, const double *lambda) {
  for (int i = 0; i < p->m; i++) if (r->at[i] >= 0) r->lambda[r->at[i]] = lambda[i];
}

// x is q, half way: up the tree from -lambda_C it becomes -lambda_F.
void nsm_reduced_answer(const nsm_cone_problem *p, nsm_reduced *r, double *lambda) {
  for (int i = 0; i < p->m; i++) if (r->at[i] >= 0) r->x[i] = -r->lambda[r->at[i]];
  nsm_factor_up(&r->g, &r->fronts, &r->factor, r->x);
  for (int i = 0; i < p->m; i++) lambda[i] = -r->x[i];
}
