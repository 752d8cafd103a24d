// Factors of (mu/r) E - A for each eigenvalue mu of omega, kept by set and length; and with them the change of the
// stages: with left and right eigenvectors, one real system and one complex system in place of one of s n unknowns
// [Hairer and Wanner 1996, IV.8],
//
//   ((omega (x) E)/r - I (x) A) dZ = R    <=>    ((mu/r) E - A) x = sum_j left_j R_j,   dZ_i = sum_mu right_i x    (6)
#include "radau.h"

static int make(nsm_sim *s, const radau_set *set, radau_factors *f, int mode, double re, double im) {
  struct sim_radau *w = s->n.radau;
  size_t n = (size_t)w->n;
  double *K = f->re[mode], *L = f->im[mode];
  for (size_t i = 0; i < n * n; i++) K[i] = re * w->E[i] - set->A[i];
  for (size_t i = 0; im != 0 && i < n * n; i++) L[i] = im * w->E[i];
  if (mode == 0) {
    memset(f->scale, 0, n * sizeof(double));
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++) {
        double size = fabs(K[i + j * n]);
        f->scale[i] = size > f->scale[i] ? size : f->scale[i];
      }
    for (size_t i = 0; i < n; i++) f->scale[i] = f->scale[i] > 0 ? 1 / f->scale[i] : 1;
  }
  for (size_t j = 0; j < n; j++) for (size_t i = 0; i < n; i++) K[i + j * n] *= f->scale[i];
  for (size_t j = 0; im != 0 && j < n; j++) for (size_t i = 0; i < n; i++) L[i + j * n] *= f->scale[i];
  w->factorizations++;
  if (im == 0) return nsm_la_lu_factor(w->n, K, w->n, f->pivot[mode]).code == NSM_LA_OK;
  return nsm_la_complex_factor(w->n, K, L, f->pivot[mode]).code == NSM_LA_OK;
}

radau_factors *radau_factors_of(nsm_sim *s, radau_set *set, double r, int plain) {
  struct sim_radau *w = s->n.radau;
  radau_factors *f = &w->factors[0];
  for (int i = 0; i < w->nfactors; i++) {
    radau_factors *k = &w->factors[i];
    if (k->used > 0 && k->number == set->number && k->r == r && k->plain == plain) {
      k->used = ++w->clock;
      return k;
    }
    if (k->used < f->used) f = k;
  }
  f->used = 0;
  int good = 1;
  if (plain) good = make(s, set, f, 0, 1 / r, 0);
  for (int k = 0; k < w->m.modes && !plain && good; k++)
    good = make(s, set, f, k, w->m.mode[k].re / r, w->m.mode[k].im / r);
  if (!good) return NULL;
  f->number = set->number;
  f->r = r;
  f->plain = plain;
  f->used = ++w->clock;
  return f;
}

void radau_solve(nsm_sim *s, const radau_factors *f, double **R) {
  struct sim_radau *w = s->n.radau;
  const radau_method *m = &w->m;
  double *to[RADAU_STAGES] = { w->part, w->part + w->n, w->part + 2 * w->n };
  memset(w->part, 0, RADAU_STAGES * (size_t)w->n * sizeof(double));
  w->solves++;
  for (int k = 0; k < m->modes; k++) {
    const struct radau_mode *v = &m->mode[k];
    int pair = v->im != 0;
    for (int i = 0; i < w->n; i++) {
      w->xr[i] = w->xi[i] = 0;
      for (int j = 0; j < m->s; j++) {
        w->xr[i] += v->left[j][0] * R[j][i] * f->scale[i];
        w->xi[i] += v->left[j][1] * R[j][i] * f->scale[i];
      }
    }
    if (pair) nsm_la_complex_solve(w->n, f->re[k], f->im[k], f->pivot[k], w->xr, w->xi);
    else (void)nsm_la_lu_solve(w->n, 1, f->re[k], w->n, f->pivot[k], w->xr, w->n);
    for (int j = 0; j < m->s; j++)
      for (int i = 0; i < w->n; i++)
        to[j][i] += pair ? 2 * (v->right[j][0] * w->xr[i] - v->right[j][1] * w->xi[i]) : v->right[j][0] * w->xr[i];
  }
  for (int j = 0; j < m->s; j++) memcpy(R[j], to[j], (size_t)w->n * sizeof(double));
}

void radau_solve_plain(nsm_sim *s, const radau_factors *f, double *R) {
  struct sim_radau *w = s->n.radau;
  w->solves++;
  for (int i = 0; i < w->n; i++) R[i] *= f->scale[i];
  (void)nsm_la_lu_solve(w->n, 1, f->re[0], w->n, f->pivot[0], R, w->n);
}
