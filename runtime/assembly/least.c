// Impulses of an impact at contacts with friction that depend on each other (docs/numerics/event_driven.md, 3).
//
// Of a body that touches at more points than hold it, normal impulses are not unique, and with friction others are
// another motion: a solver takes one or another of them by the last digits of its data. Here they are those of the
// proximal point iteration [Rockafellar 1976] that begins with none,
//
//   p+ solves the problem with  M + delta D  and  q - delta D p,      D = diag(M),                              (1)
//
// each of which has one solution alone. It is solved down to round-off: feet that land together leave together. The
// iteration ends near the smallest impulses, and these follow the data.
#include "assembly.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 60 };
static const double delta = 1e-2, settled = 1e-14,         // of the largest impulse
                    sharp = 1e-15, enough = 1e-12;         // residuals

// u = M l + q
static void rates(const nsm_cone_problem *p, const double *l, double *u) {
  memcpy(u, p->q, (size_t)p->m * sizeof(double));
  if (!p->row_start) nsm_la_gemv(p->m, p->m, 1, p->M, p->m, l, 1, u);
  for (int i = 0; p->row_start && i < p->m; i++)
    for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) u[i] += p->M[e] * l[p->col[e]];
}

static int on_diagonal(const nsm_cone_problem *p, int i) {
  if (!p->row_start) return i + i * p->m;
  int e = p->row_start[i];
  while (p->col[e] != i) e++;
  return e;
}

void sim_least(nsm_sim *s, sim_solver *w, const sim_island *k, void *work) {
  const nsm_cone_problem *p = &k->p;
  int m = p->m;
  size_t size = (size_t)m, entries = p->row_start ? (size_t)p->row_start[m] : size * size;
  double *M = p->cones > 1 && !p->factors ? sim_pool_room(s, &w->least_room, entries + 4 * size, sizeof *M) : NULL;
  if (!M) return;
  double *q = M + entries, *l = q + size, *before = l + size, *u = before + size, most = 0, change = INFINITY;
  nsm_cone_problem near = *p;
  nsm_cone_options o = s->w.cone;
  o.tolerance = sharp;
  o.accept = enough;
  o.once = 1;
  near.M = M;
  near.q = q;
  near.matrix_id = 0;
  memcpy(M, p->M, entries * sizeof *M);
  for (int i = 0; i < m; i++) { M[on_diagonal(p, i)] *= 1 + delta; before[i] = l[i] = 0; }
  for (int n = 0; n < ROUNDS && change > settled * most; n++) {
    for (int i = 0; i < m; i++) q[i] = p->q[i] - delta * p->M[on_diagonal(p, i)] * before[i];
    o.warm = n > 0;
    nsm_cone_status status = nsm_cone_solve(&near, &o, work, l, u, &(nsm_cone_result){ 0 });
    if (status != NSM_CONE_SOLVED && status != NSM_CONE_ACCEPTED) return;
    most = change = 0;
    for (int i = 0; i < m; i++) {
      most = fmax(most, fabs(l[i]));
      change = fmax(change, fabs(l[i] - before[i]));
      before[i] = l[i];
    }
  }
  if (!(nsm_cone_residual(p, l, NULL, NULL) <= enough)) return;
  memcpy(k->lambda, l, size * sizeof *l);
  rates(p, l, k->u);
}
