// A step in which nothing moves, told by one evaluation (docs/numerics/touching.md, section 4).
#include "consistent.h"
#include "held.h"
#include <float.h>
#include <math.h>

// D_ii of (12) by masses alone, what K has besides left out.
static double diagonal_of(const nsm_sim *s, int row, double h) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *d = con_direction(s, row);
  double sum = 0;
  for (int e = 0; e < k->c->h.n; e++)
    sum += 0.5 * h * d[e] * d[e] * s->n.con->mass_inverse[sim_z_of(s, k, row - k->row0, k->c->h.col[e])];
  return sum;
}

// Where nothing moved and nothing moves, state and forces of the last step are a fixed point of the step: (3) and (6)
// hold exactly, and (2) as it did then. One evaluation tells, and that is the whole step.
int con_still(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  double most = 0;
  if (!s->touching || c->na == 0 || c->ns > 0 || s->a->on.mu.n > 0 || c->projected) return 0;
  sim_share_vectors(s, 1, c->size);
  for (int z = 0; z < s->a->nv; z++) {
    if (c->uc[z] != 0 || c->uc_low[z] != 0 || c->inc_u[z] != 0 || c->inc_q[z] != 0) return 0;
    most = fmax(most, fabs(c->res[z]) / (c->size[z] + DBL_MIN));
  }
  if (!(most <= s->a->tolerance)) return 0;
  for (int i = 0; i < c->na; i++) {
    if (c->gap[c->act[i]] != 0) return 0;                  // a belt
    c->diag[i] = diagonal_of(s, c->act[i], v->h);
  }
  s->now.count.max_residual = fmax(s->now.count.max_residual, most);
  return 1;
}
