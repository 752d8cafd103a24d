// The equations of a piece of radau (docs/numerics/radau.md, (3), (4)):
//
//     h (F(t + c_i h, Z_i) - U X^T Z_i) - sum_j omega_ij E (Z_j - z_0) = 0,   i = 1..s
//
// times h, since a piece may be as short as rounding of the time, and Z - z_0 then has no digits to be divided.
#include "play.h"
#include <stddef.h>
#include <string.h>

static void take_undetermined(const player *p, const tape_entry *e, const dual *Z, dual *F) {
  int n = p->s->n.radau->n;
  for (int k = 0; k < e->free; k++) {
    dual dot = dual_of(0);
    for (int j = 0; j < n; j++) dot = dual_add(dot, dual_scale(Z[j], e->X[j + k * n]));
    for (int i = 0; i < n; i++) F[i] = dual_sub(F[i], dual_scale(dot, e->U[i + k * n]));
  }
}

// F - U X^T Z of the unknowns Z at time t.
static void take_forces(player *p, const tape_entry *e, dual t, dual h, const dual *Z, dual *F) {
  nsm_sim *s = p->s;
  const struct sim_radau *w = s->n.radau;
  const sim_rows *r = &s->n.r;
  memcpy(p->l1, Z + w->nz, (size_t)w->nl * sizeof(dual));
  p->l1[w->nl] = dual_of(0);
  p->now.end = play_view(p, t, p->at->q, Z, p->l1, h);
  const dual_view *v = &p->now.end;
  memset(F, 0, (size_t)w->n * sizeof(dual));
  SIM_EACH(s, smooth, k) {
    PLAY(p, k, f, v, F, F);
    PLAY(p, k, g, v, F, F);
  }
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
  const struct sim_radau *w = p->s->n.radau;
  p->now.h = h;
  for (int i = 0; i < w->m.s; i++) {
    dual *F = p->eq + i * w->n;
    for (int k = 0; k < w->nz; k++) {
      dual sum = dual_of(0);
      for (int j = 0; j < w->m.s; j++)
        sum = dual_add(sum, dual_scale(dual_sub(p->w[j * w->n + k], p->at->z[k]), w->m.omega[i][j]));
      p->inc[k] = sum;
    }
    take_forces(p, e, dual_add(p->at->t, dual_scale(h, w->m.c[i])), h, p->w + i * w->n, F);
    for (int k = 0; k < w->n; k++) F[k] = dual_mul(h, F[k]);
    play_add_inertia(p, &p->now.end, -1, F);
  }
}

// A consistent begin (radau.md, (5)): unknowns z+, then z'.
//
//     F(t + e, z') - E (z' - z-)/e = 0,    F(t, z+) + E (z+ - z')/e = 0
void play_jump(player *p, const tape_entry *e) {
  const struct sim_radau *w = p->s->n.radau;
  const dual *after = p->w, *middle = p->w + w->n;
  double length = RADAU_JUMP * p->s->a->step;
  for (int k = 0; k < w->nz; k++) p->inc[k] = dual_scale(dual_sub(middle[k], p->at->z[k]), 1 / length);
  take_forces(p, e, dual_add(p->at->t, dual_of(length)), dual_of(length), middle, p->eq + w->n);
  play_add_inertia(p, &p->now.end, -1, p->eq + w->n);
  for (int k = 0; k < w->nz; k++) p->inc[k] = dual_scale(dual_sub(after[k], middle[k]), -1 / length);
  take_forces(p, e, p->at->t, dual_of(length), after, p->eq);
  play_add_inertia(p, &p->now.end, -1, p->eq);
}
