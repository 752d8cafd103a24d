// Hidden constraints of relations. Rows of kind (3) without derivatives may depend on each other in their multipliers:
// three coils whose currents leave by one node, an inductor in series with a diode that blocks. Elimination finds the
// sums of rows in which no multiplier is left,
//
//   sum_j G_ij y_j = c_i(q, z, t) = 0,   and so   sum_j G_ij (dy_j/dz z' + dy_j/dq v + dy_j/dt) = 0             (5)
//
// which stands in the place of one of them [Gear 1988]. What multipliers do in y is taken as constant.
#include "flow.h"

static const double none = 1e-11;        // of the largest entry, which is 1

// Row i of the derivative of y of kept row r, at rest of the multipliers: over z', then its right side.
static void derivative(const nsm_sim *s, int r, const nsm_view *v, double *to) {
  const struct sim_flow *w = s->n.flow;
  int row = w->row[r];
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *h = k->h + (size_t)(row - k->row0) * (size_t)k->c->h.n;
  memset(to, 0, ((size_t)s->a->nz + 1) * sizeof(double));
  to[s->a->nz] = -w->rate[0][row];
  for (int e = 0; e < k->c->h.n; e++) {
    int wrt = k->c->h.wrt[e];
    if (wrt == NSM_WRT_L || wrt == NSM_WRT_D) continue;
    int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]);
    if (wrt == NSM_WRT_Q) to[s->a->nz] -= h[e] * v->v[z];
    else to[z] += h[e];
  }
}

// The next pivot of rows p ..., by rows and columns: row and column; 0: nothing is left in them.
static int pivot_of(const sim_hidden *d, int p, int *row, int *column) {
  double most = none;
  for (int i = p; i < d->k; i++)
    for (int c = 0; c < d->m; c++)
      if (fabs(d->D[(size_t)i * (size_t)d->m + (size_t)c]) > most) {
        most = fabs(d->D[(size_t)i * (size_t)d->m + (size_t)c]);
        *row = i;
        *column = c;
      }
  return most > none;
}

static void swap(double *a, double *b) {
  double x = *a;
  *a = *b;
  *b = x;
}

static void swap_rows(sim_hidden *d, int a, int b) {
  double *D = d->D, *G = d->G;
  size_t m = (size_t)d->m, k = (size_t)d->k, to = (size_t)a, from = (size_t)b;
  if (a == b) return;
  for (size_t c = 0; c < m; c++) swap(&D[to * m + c], &D[from * m + c]);
  for (size_t c = 0; c < k; c++) swap(&G[to * k + c], &G[from * k + c]);
  int at = d->at[a];
  d->at[a] = d->at[b];
  d->at[b] = at;
}

// Rows of multipliers alone, D, to echelon form; G is what was added up. The first row without an entry.
static int eliminate(sim_hidden *d) {
  int p = 0, row, column;
  for (; p < d->k && pivot_of(d, p, &row, &column); p++) {
    swap_rows(d, p, row);
    const double *D = d->D + (size_t)p * (size_t)d->m, *G = d->G + (size_t)p * (size_t)d->k;
    for (int i = p + 1; i < d->k; i++) {
      double *to = d->D + (size_t)i * (size_t)d->m, f = to[column] / D[column];
      if (f == 0) continue;
      for (int c = 0; c < d->m; c++) to[c] -= f * D[c];
      for (int c = 0; c < d->k; c++) d->G[(size_t)i * (size_t)d->k + (size_t)c] -= f * G[c];
      to[column] = 0;
    }
  }
  return p;
}

// The system that was found to be singular stands anew in E and e, with (5). 0: nothing is hidden.
int flow_hidden(nsm_sim *s, const nsm_view *v) {
  struct sim_flow *w = s->n.flow;
  sim_hidden *d = &w->hidden;
  size_t nz = (size_t)s->a->nz, n = nz + (size_t)w->m;
  d->k = 0;
  d->m = w->m;
  for (int r = 0; r < w->m; r++)
    if (s->a->cls[s->n.r.cls[w->row[r]]].c->kind == NSM_RELATION && !w->level[w->row[r]]) d->at[d->k++] = r;
  for (int i = 0, r; i < d->k; i++) {
    r = d->at[i];
    d->row[i] = r;
    for (int c = 0; c < d->m; c++)
      d->D[(size_t)i * (size_t)d->m + (size_t)c] = w->in.kept[nz + (size_t)r + (nz + (size_t)c) * n];
    for (int c = 0; c < d->k; c++) d->G[(size_t)i * (size_t)d->k + (size_t)c] = i == c;
  }
  d->first = eliminate(d);
  if (d->first == d->k) return 0;
  memcpy(d->scale, w->in.scale, n * sizeof(double));
  for (size_t c = 0; c < n; c++)
    for (size_t i = 0; i < n; i++) w->in.E[i + c * n] = w->in.kept[i + c * n] / (d->scale[i] * w->in.unit[c]);
  for (int i = d->first; i < d->k; i++) {
    size_t at = nz + (size_t)d->at[i];
    for (size_t c = 0; c < n; c++) w->in.E[at + c * n] = 0;
    w->in.e[at] = 0;
    for (int j = 0; j < d->k; j++) {
      double g = d->G[(size_t)i * (size_t)d->k + (size_t)j] * d->scale[nz + (size_t)d->row[j]];
      if (g == 0) continue;
      derivative(s, d->row[j], v, d->sum);
      for (size_t c = 0; c < nz; c++) w->in.E[at + c * n] += g * d->sum[c];
      w->in.e[at] += g * d->sum[nz];
    }
  }
  return 1;
}

// What is left of hidden constraints by y, in the right sides e of a correction.
void flow_hidden_off(const nsm_sim *s, const double *y, double *e) {
  const struct sim_flow *w = s->n.flow;
  const sim_hidden *d = &w->hidden;
  size_t nz = (size_t)s->a->nz;
  if (!w->hides) return;
  for (int i = d->first; i < d->k; i++) {
    double sum = 0;
    for (int j = 0; j < d->k; j++)
      sum += d->G[(size_t)i * (size_t)d->k + (size_t)j] * d->scale[nz + (size_t)d->row[j]] * y[w->row[d->row[j]]];
    e[nz + (size_t)d->at[i]] = -sum;
  }
}

void flow_hidden_open(nsm_sim *s) {
  sim_hidden *d = &s->n.flow->hidden;
  int rows = s->n.r.n;
  d->D = SIM_NEW(s, (size_t)rows * (size_t)rows, double);
  d->G = SIM_NEW(s, (size_t)rows * (size_t)rows, double);
  d->scale = SIM_NEW(s, s->a->nz + rows, double);
  d->sum = SIM_NEW(s, s->a->nz + 1, double);
  d->at = SIM_NEW(s, rows, int);
  d->row = SIM_NEW(s, rows, int);
}
