// Factors of (mu/r) E - A for each eigenvalue mu of omega, kept by set and length; and with them the change of the
// stages: with left and right eigenvectors, one real system and one complex system in place of one of s n unknowns
// [Hairer and Wanner 1996, IV.8],
//
//   ((omega (x) E)/r - I (x) A) dZ = R    <=>    ((mu/r) E - A) x = sum_j left_j R_j,   dZ_i = sum_mu right_i x    (6)
#include "radau.h"

// mu E - A by columns; with U and X of (4) as rows and columns of its own, so that it stays sparse:
//
//   [ mu E - A   U ] [ z ]   [ R ]
//   [ X^T       -1 ] [ w ] = [ 0 ]
void radau_matrix(nsm_sim *s, const radau_set *set, double re, double im) {
  struct sim_radau *w = s->n.radau;
  const radau_pattern *at = &w->at;
  int n = w->n, entries = at->start[n], to = 0;
  if (set->free == 0) {
    for (int e = 0; e < entries; e++) w->kre[e] = -set->A[e];
    if (im != 0) memset(w->kim, 0, (size_t)entries * sizeof(double));
    for (int e = 0; e < at->ne; e++) w->kre[at->eplace[e]] += re * w->E[e];
    for (int e = 0; e < at->ne && im != 0; e++) w->kim[at->eplace[e]] = im * w->E[e];
    return;
  }
  for (int j = 0, k = 0; j < n; j++) {
    w->kstart[j] = to;
    for (int e = at->start[j]; e < at->start[j + 1]; e++, to++) {
      w->krow[to] = at->row[e];
      w->kre[to] = -set->A[e];
      w->kim[to] = 0;
      if (k == at->ne || at->eplace[k] != e) continue;
      w->kre[to] += re * w->E[k];
      w->kim[to] = im * w->E[k++];
    }
    for (int f = 0; f < set->free; f++)
      if (set->X[(size_t)j + (size_t)f * (size_t)n] != 0) {
        w->krow[to] = n + f;
        w->kim[to] = 0;
        w->kre[to++] = set->X[(size_t)j + (size_t)f * (size_t)n];
      }
  }
  for (int f = 0; f < set->free; f++) {
    w->kstart[n + f] = to;
    for (int i = 0; i <= n; i++) {
      double u = i < n ? set->U[(size_t)i + (size_t)f * (size_t)n] : -1;
      if (u == 0) continue;
      w->krow[to] = i < n ? i : n + f;
      w->kim[to] = 0;
      w->kre[to++] = u;
    }
  }
  w->kstart[n + set->free] = to;
}

// Rows are scaled as those of the first matrix: the largest entry of each is 1.
static void scale_rows(const nsm_columns *K, double *re, double *im, double *scale, int first) {
  int entries = K->start[K->n];
  if (first) {
    memset(scale, 0, (size_t)K->n * sizeof(double));
    for (int e = 0; e < entries; e++) scale[K->row[e]] = fmax(scale[K->row[e]], fabs(re[e]));
    for (int i = 0; i < K->n; i++) scale[i] = scale[i] > 0 ? 1 / scale[i] : 1;
  }
  for (int e = 0; e < entries; e++) re[e] *= scale[K->row[e]];
  for (int e = 0; e < entries && im; e++) im[e] *= scale[K->row[e]];
}

static int make(nsm_sim *s, const radau_set *set, radau_factors *f, int mode, double re, double im) {
  struct sim_radau *w = s->n.radau;
  nsm_la_memory memory = sim_la_memory(s);
  radau_matrix(s, set, re, im);
  nsm_columns K = { f->n, set->free ? w->kstart : w->at.start, set->free ? w->krow : w->at.row, w->kre,
                    im != 0 ? w->kim : NULL, NULL };
  scale_rows(&K, w->kre, im != 0 ? w->kim : NULL, f->scale, mode == 0);
  w->factorizations++;
  return nsm_lu_factor(&f->lu[mode], &K, w->at.order, 0, &w->lu_work, &memory) == 0;
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
  f->n = w->n + set->free;
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
    for (int i = w->n; i < f->n; i++) w->xr[i] = w->xi[i] = 0;
    for (int i = 0; i < w->n; i++) {
      w->xr[i] = w->xi[i] = 0;
      for (int j = 0; j < m->s; j++) {
        w->xr[i] += v->left[j][0] * R[j][i] * f->scale[i];
        w->xi[i] += v->left[j][1] * R[j][i] * f->scale[i];
      }
    }
    nsm_lu_solve(&f->lu[k], w->xr, w->xi, &w->lu_work);
    for (int j = 0; j < m->s; j++)
      for (int i = 0; i < w->n; i++)
        to[j][i] += pair ? 2 * (v->right[j][0] * w->xr[i] - v->right[j][1] * w->xi[i]) : v->right[j][0] * w->xr[i];
  }
  for (int j = 0; j < m->s; j++) memcpy(R[j], to[j], (size_t)w->n * sizeof(double));
}

void radau_solve_plain(nsm_sim *s, const radau_factors *f, double *R) {
  struct sim_radau *w = s->n.radau;
  w->solves++;
  for (int i = 0; i < w->n; i++) w->xr[i] = R[i] * f->scale[i];
  for (int i = w->n; i < f->n; i++) w->xr[i] = 0;
  nsm_lu_solve(&f->lu[0], w->xr, w->xi, &w->lu_work);
  memcpy(R, w->xr, (size_t)w->n * sizeof(double));
}
