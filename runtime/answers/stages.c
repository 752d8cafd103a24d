// The equations of a piece of radau (docs/numerics/radau.md, (3), (4)):
//
//     F(t + c_i h, Z_i) - U X^T Z_i - (1/h) sum_j omega_ij E (Z_j - z_0) = 0,   i = 1..s
#include "play.h"
#include <stddef.h>
#include <string.h>

// (1/h) sum_j omega_ij (Z_j - z_0) times E, from F.
static void take_slope(player *p, int i, const dual_view *v, dual h, dual *F) {
  nsm_sim *s = p->s;
  const struct sim_radau *w = s->n.radau;
  for (int k = 0; k < w->nz; k++) {
    dual sum = dual_of(0);
    for (int j = 0; j < w->m.s; j++)
      sum = dual_add(sum, dual_scale(dual_sub(p->w[j * w->n + k], p->at->z[k]), w->m.omega[i][j]));
    p->inc[k] = dual_div(sum, h);
  }
  SIM_EACH(s, smooth, k) {
    const nsm_pattern *m = &k->c->mass;
    if (m->n == 0 || !PLAY(p, k, mass, v, p->m)) continue;
    for (int a = 0; a < k->tab.count; a++)
      for (int e = 0; e < m->n; e++) {
        dual *to = &F[sim_z_of(s, k, a, m->row[e])];
        *to = dual_sub(*to, dual_mul(p->m[a * m->n + e], p->inc[sim_z_of(s, k, a, m->col[e])]));
      }
  }
}

static void take_undetermined(const player *p, const tape_entry *e, const dual *Z, dual *F) {
  int n = p->s->n.radau->n;
  for (int k = 0; k < e->free; k++) {
    dual dot = dual_of(0);
    for (int j = 0; j < n; j++) dot = dual_add(dot, dual_scale(Z[j], e->X[j + k * n]));
    for (int i = 0; i < n; i++) F[i] = dual_sub(F[i], dual_scale(dot, e->U[i + k * n]));
  }
}

static void stage(player *p, const tape_entry *e, int i, dual h) {
  nsm_sim *s = p->s;
  const struct sim_radau *w = s->n.radau;
  const sim_rows *r = &s->n.r;
  const dual *Z = p->w + i * w->n;
  dual *F = p->eq + i * w->n;
  memcpy(p->l1, Z + w->nz, (size_t)w->nl * sizeof(dual));
  p->l1[w->nl] = dual_of(0);
  p->now.end = play_view(p, dual_add(p->at->t, dual_scale(h, w->m.c[i])), p->at->q, Z, p->l1, h);
  const dual_view *v = &p->now.end;
  memset(F, 0, (size_t)w->n * sizeof(dual));
  SIM_EACH(s, smooth, k) {
    PLAY(p, k, f, v, F, F);
    PLAY(p, k, g, v, F, F);
  }
  take_slope(p, i, v, h, F);
  SIM_EACH(s, relation, k) {
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      p->lo[row] = dual_of(r->lo[row]);
      p->hi[row] = dual_of(r->hi[row]);
    }
    PLAY(p, k, law, v, p->lo + k->row0, p->hi + k->row0);
    PLAY(p, k, y, v, p->y + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      dual l = p->l1[r->l[row]];
      F[w->nz + r->l[row]] = e->law[row] == TAPE_LOW    ? dual_sub(p->lo[row], l)
                             : e->law[row] == TAPE_HIGH ? dual_sub(p->hi[row], l)
                                                        : dual_scale(p->y[row], -1);
    }
  }
  take_undetermined(p, e, Z, F);
}

void play_stages(player *p, const tape_entry *e, dual h) {
  p->now.h = h;
  for (int i = 0; i < p->s->n.radau->m.s; i++) stage(p, e, i, h);
}
