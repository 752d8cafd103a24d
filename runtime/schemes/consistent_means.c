// The mean of H over the step of constraints on bodies, H~ of docs/numerics/bodies.md (13), and P = M^-1 H~^T of (9) of
// consistent.md: kernels, P kappa, columns of P.
#include "consistent.h"
#include <string.h>

// H~ of the iterate.
void con_take_means(nsm_sim *s, const nsm_view *v) {
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    if (s->n.con->cls[cls].hm) k->c->hm_fn(v, &k->tab, s->n.con->cls[cls].hm);
  }
}

// P kappa of rows with a mean of H: M^-1 sum of kappa H~^T.
void con_push_means(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  memset(c->pushed, 0, (size_t)s->n.w.n * sizeof(double));
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    const double *hm = c->cls[cls].hm;
    const int *z = c->cls[cls].hm_z;
    for (int i = 0; hm && i < k->tab.count; i++, hm += k->c->h.n, z += k->c->h.n) {
      double kappa = c->kappa1[s->n.r.l[k->row0 + i]];
      for (int e = 0; e < k->c->h.n; e++) c->pushed[z[e]] += kappa * hm[e];
    }
  }
  sim_matrix_solve(s, c->pushed);
}

// Columns of P by them.
void con_mean_columns(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  sim_rows *r = &s->n.r;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    const double *hm = c->cls[cls].hm;
    const int *at = c->cls[cls].x_at;
    for (int row = k->row0; hm && row < k->row0 + k->tab.count; row++) {
      int from = r->x0[row], to = r->x0[row + 1];
      memset(r->x + from, 0, (size_t)(to - from) * sizeof(double));
      for (int e = 0; e < k->c->h.n; e++) r->x[from + *at++] += *hm++;
      if (s->n.w.diagonal) {
        for (int x = from; x < to; x++) r->x[x] *= s->n.w.inverse[r->xz[x]];
        continue;
      }
      for (int x = from, block; x < to; x += s->n.w.block[block].n)
        sim_block_solve(&s->n.w, block = s->n.w.block_of[r->xz[x]], r->x + x);
    }
  }
}
