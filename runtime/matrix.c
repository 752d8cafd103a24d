// The iteration matrix, mathematics.md (4) and (9) in one:
//
//   W = M - h theta (J_v + h theta J_q | J_x) - h gamma (K_v + h theta K_q | K_x)
//
// Its pattern is that of the classes; its connected components are blocks that are factored by themselves: scalars,
// small ones as inverses, tridiagonal and banded ones in Cuthill-McKee order, dense ones by LU. Analysed once,
// assembled and factored as often as the stages of its parts ask for.
#include "sim.h"
#include <math.h>
#include <string.h>

// ---- analysis -------------------------------------------------------------------------------------------------------
typedef void each_entry(nsm_sim *s, int row, int col, long *at, void *to);

static void over(nsm_sim *s, const sim_list *list, const nsm_pattern *(*of)(const nsm_class *),
                 long *(*at)(const sim_class *), each_entry *f, void *to) {
  for (int a = 0; a < list->n; a++) {
    const sim_class *k = &s->cls[list->of[a]];
    const nsm_pattern *p = of(k->c);
    long *places = at(k);
    for (int i = 0; i < k->tab.count; i++)
      for (int n = 0; n < p->n; n++)
        f(s, sim_z_of(s, k, i, p->row[n]), sim_z_of(s, k, i, p->col[n]),
          places ? places + (size_t)i * (size_t)p->n + (size_t)n : NULL, to);
  }
}
static const nsm_pattern *mass_of(const nsm_class *c) { return &c->mass; }
static const nsm_pattern *jac_of(const nsm_class *c)  { return &c->jac; }
static const nsm_pattern *k_of(const nsm_class *c)    { return &c->k; }
static long *mass_at(const sim_class *k) { return k->mass_at; }
static long *jac_at(const sim_class *k)  { return k->jac_at; }
static long *k_at(const sim_class *k)    { return k->k_at; }

static void over_all(nsm_sim *s, each_entry *f, void *to) {
  over(s, &s->on.mass, mass_of, mass_at, f, to);
  over(s, &s->on.jac, jac_of, jac_at, f, to);
  over(s, &s->on.k, k_of, k_at, f, to);
}

typedef struct graph { int *start, *neighbour; } graph;

static void count_edge(nsm_sim *s, int row, int col, long *at, void *to) {
  (void)s; (void)at;
  if (row == col) return;
  ((graph *)to)->start[row + 1]++;
  ((graph *)to)->start[col + 1]++;
}

static void put_edge(nsm_sim *s, int row, int col, long *at, void *to) {
  (void)s; (void)at;
  graph *g = to;
  if (row == col) return;
  g->neighbour[g->start[row]++] = col;
  g->neighbour[g->start[col]++] = row;
}

static void put_place(nsm_sim *s, int row, int col, long *at, void *to) {
  (void)to;
  *at = sim_matrix_place(&s->w, row, col);
}

enum { DENSE_MOST = 400 };              // rows of a block that is made dense because that was asked for

static void shape(sim_block *b, int bandwidth, int dense) {
  b->kl = b->ku = bandwidth;
  if (dense && b->n <= DENSE_MOST) b->kind = BLOCK_DENSE;
  else if (b->n == 1) b->kind = BLOCK_SCALAR;
  else if (b->n <= NSM_LA_SMALL) b->kind = BLOCK_SMALL;
  else if (bandwidth == 1) b->kind = BLOCK_TRIDIAGONAL;
  else b->kind = 2 * (3 * bandwidth + 1) < b->n ? BLOCK_BAND : BLOCK_DENSE;
  b->ld = b->kind == BLOCK_BAND || b->kind == BLOCK_TRIDIAGONAL ? 3 * bandwidth + 1 : b->n;
}

// Blocks, their shapes and places from a graph. dense: for each row whether its block is to be dense, or NULL.
void sim_matrix_shape(nsm_sim *s, sim_matrix *w, int n, const int *start, const int *neighbour,
                      const unsigned char *dense) {
  w->order = SIM_NEW(s, n, int);
  w->place = SIM_NEW(s, n, int);
  w->block_of = SIM_NEW(s, n, int);
  w->nblock = sim_rcm(n, start, neighbour, w->order, w->block_of, SIM_NEW(s, 2 * (size_t)n, int));
  for (int i = 0; i < n; i++) w->place[w->order[i]] = i;
  w->block = SIM_NEW(s, w->nblock, sim_block);
  w->diagonal = w->nblock == n;
  for (int i = 0, b = 0; i < n; b++) {
    int first = i, widest = 0, wanted = 0;
    for (; i < n && w->block_of[w->order[i]] == w->block_of[w->order[first]]; i++)
      for (int e = start[w->order[i]]; e < start[w->order[i] + 1]; e++) {
        int d = i - w->place[neighbour[e]];
        widest = d > widest ? d : widest;
      }
    for (int j = first; j < i; j++) {
      w->block_of[w->order[j]] = b;
      wanted |= dense && dense[w->order[j]];
    }
    w->block[b] = (sim_block){ .n = i - first, .first = first, .at = w->nval, .pivot_at = first };
    shape(&w->block[b], widest, wanted);
    w->nval += (long)w->block[b].n * w->block[b].ld;
  }
  w->base = SIM_NEW(s, w->nval, double);
  w->val = SIM_NEW(s, w->nval, double);
  w->inverse = SIM_NEW(s, n, double);
  w->pivot = SIM_NEW(s, n, int);
  w->work = SIM_NEW(s, n, double);
  w->work2 = SIM_NEW(s, n, double);
}

void sim_matrix_analyse(nsm_sim *s) {
  int n = s->nz;
  graph g = { SIM_NEW(s, n + 2, int), NULL };
  over_all(s, count_edge, &g);
  for (int i = 0; i < n; i++) g.start[i + 1] += g.start[i];
  g.neighbour = SIM_NEW(s, g.start[n], int);
  over_all(s, put_edge, &g);                         // moves every start to the next one
  for (int i = n; i > 0; i--) g.start[i] = g.start[i - 1];
  g.start[0] = 0;
  sim_matrix_shape(s, &s->w, n, g.start, g.neighbour, NULL);
  for (int a = 0; a < s->on.smooth.n; a++) {
    sim_class *k = &s->cls[s->on.smooth.of[a]];
    size_t count = (size_t)k->tab.count;
    k->mass_at = SIM_NEW(s, count * (size_t)k->c->mass.n, long);
    k->jac_at = SIM_NEW(s, count * (size_t)k->c->jac.n, long);
    k->k_at = SIM_NEW(s, count * (size_t)k->c->k.n, long);
  }
  over_all(s, put_place, NULL);
  s->w.constant = s->on.mass_moving.n + s->on.jac_moving.n + s->on.k_moving.n == 0;
}

// ---- assembly -------------------------------------------------------------------------------------------------------
static void add_mass(const sim_class *k, double *to) {
  size_t n = (size_t)k->tab.count * (size_t)k->c->mass.n;
  for (size_t i = 0; i < n; i++) to[k->mass_at[i]] += k->mass[i];
}

static void add_jacobian(const nsm_sim *s, const sim_class *k, const nsm_pattern *p, const double *val, const long *at,
                         double factor, double *to) {
  for (int e = 0; e < p->n; e++) {
    double f = factor * sim_chain(s, p->wrt[e]);
    for (size_t i = 0, j = (size_t)e; i < (size_t)k->tab.count; i++, j += (size_t)p->n) to[at[j]] += f * val[j];
  }
}

// what: 1 the constant parts, 0 the moving ones
static void assemble(nsm_sim *s, int constant, double *to) {
  for (int a = 0; a < s->on.mass.n; a++) {
    const sim_class *k = &s->cls[s->on.mass.of[a]];
    if ((k->c->mass_stage == NSM_CONST) == constant) add_mass(k, to);
  }
  for (int a = 0; a < s->on.jac.n; a++) {
    const sim_class *k = &s->cls[s->on.jac.of[a]];
    if ((k->c->jac_stage == NSM_CONST) == constant)
      add_jacobian(s, k, &k->c->jac, k->jac, k->jac_at, -s->h * s->theta, to);
  }
  for (int a = 0; a < s->on.k.n; a++) {
    const sim_class *k = &s->cls[s->on.k.of[a]];
    if ((k->c->k_stage == NSM_CONST) == constant) add_jacobian(s, k, &k->c->k, k->k, k->k_at, -s->h * s->gamma, to);
  }
}

// ---- factors --------------------------------------------------------------------------------------------------------
// LU without pivoting where the block is diagonally dominant: the recurrences then cannot grow. Else banded LU with
// pivoting.
static int factor_tridiagonal(sim_matrix *w, sim_block *b) {
  double *A = w->val + b->at;                        // column j: [room, above, diagonal, below]
  int dominant = 1;
  for (int i = 0; i < b->n && dominant; i++) {
    double left = i > 0 ? fabs(A[4 * (i - 1) + 3]) : 0, right = i + 1 < b->n ? fabs(A[4 * (i + 1) + 1]) : 0;
    dominant = fabs(A[4 * i + 2]) >= left + right && A[4 * i + 2] != 0;
  }
  b->kind = dominant ? BLOCK_TRIDIAGONAL : BLOCK_BAND;
  if (!dominant) return 0;
  for (int i = 0; i < b->n; i++) {
    if (i > 0) {
      double l = A[4 * (i - 1) + 3] * A[4 * (i - 1) + 2];    // below / pivot
      A[4 * (i - 1) + 3] = l;
      A[4 * i + 2] -= l * A[4 * i + 1];
    }
    if (A[4 * i + 2] == 0) { b->kind = BLOCK_BAND; return -1; }
    A[4 * i + 2] = 1.0 / A[4 * i + 2];
  }
  return 1;
}

int sim_block_factor(sim_matrix *w, int block) {
  sim_block *b = &w->block[block];
  double *A = w->val + b->at;
  int *pivot = w->pivot + b->pivot_at;
  nsm_la_status st = { NSM_LA_OK, 0 };
  switch (b->kind) {
    case BLOCK_SCALAR:
      if (A[0] == 0) return w->order[b->first];
      w->inverse[w->order[b->first]] = 1.0 / A[0];
      return -1;
    case BLOCK_SMALL: {
      double X[NSM_LA_SMALL * NSM_LA_SMALL];
      st = nsm_la_small_inverse(b->n, A, b->ld, 0, X);
      if (st.code == NSM_LA_OK) memcpy(A, X, (size_t)(b->n * b->n) * sizeof(double));
      break;
    }
    case BLOCK_DENSE: st = nsm_la_lu_factor(b->n, A, b->ld, pivot); break;
    default:
      if (b->kl == 1) {
        int done = factor_tridiagonal(w, b);
        if (done > 0) return -1;
        if (done < 0) return w->order[b->first];
      }
      st = nsm_la_band_factor(b->n, b->kl, b->ku, A, b->ld, pivot);
  }
  return st.code == NSM_LA_OK ? -1 : w->order[b->first + (st.pivot < b->n ? st.pivot : 0)];
}

int sim_matrix_update(nsm_sim *s, int with_constants) {
  sim_matrix *w = &s->w;
  if (with_constants) {
    memset(w->base, 0, (size_t)w->nval * sizeof(double));
    assemble(s, 1, w->base);
  }
  memcpy(w->val, w->base, (size_t)w->nval * sizeof(double));
  assemble(s, 0, w->val);
  for (int b = 0; b < w->nblock; b++) {
    int z = sim_block_factor(w, b);
    if (z >= 0) return z;
  }
  return -1;
}

// M symmetric, here without the Jacobians: L D L^T of every block, in place of its values. inverse: 1/M_ii of another
// time.
int sim_matrix_definite(nsm_sim *s, const double *inverse) {
  static const double zero = 1e-13, vanished = 1e-20;  // a pivot beside its diagonal entry; a diagonal entry beside
                                                       // what it was
  sim_matrix *w = &s->w;
  memcpy(w->val, w->base, (size_t)w->nval * sizeof(double));
  assemble(s, 0, w->val);
  for (int b = 0; b < w->nblock; b++) {
    const sim_block *k = &w->block[b];
    const int *order = w->order + k->first;
    int banded = k->kind == BLOCK_BAND || k->kind == BLOCK_TRIDIAGONAL, reach = banded ? k->kl : k->n;
    for (int j = 0; j < k->n; j++) {
      int from = j > reach ? j - reach : 0, end = j + reach + 1 < k->n ? j + reach + 1 : k->n;
      for (int i = j; i < end; i++) {
        double *a = &w->val[sim_matrix_place(w, order[i], order[j])], sum = *a;
        for (int m = i > reach && i - reach > from ? i - reach : from; m < j; m++)
          sum -= w->val[sim_matrix_place(w, order[i], order[m])] * w->val[sim_matrix_place(w, order[j], order[m])] *
                 w->val[sim_matrix_place(w, order[m], order[m])];
        if (i == j) {
          if (!(sum > zero * *a) || !(*a * inverse[order[j]] > vanished)) return order[j];
          *a = sum;
        } else *a = sum / w->val[sim_matrix_place(w, order[j], order[j])];
      }
    }
  }
  return -1;
}

// ---- solves ---------------------------------------------------------------------------------------------------------
void sim_block_solve(const sim_matrix *w, int block, double *x) {
  const sim_block *b = &w->block[block];
  const double *A = w->val + b->at;
  switch (b->kind) {
    case BLOCK_SCALAR: x[0] *= w->inverse[w->order[b->first]]; return;
    case BLOCK_SMALL: {
      double y[NSM_LA_SMALL];
      int n = b->n;
      if (n == 2) {
        double x0 = x[0], x1 = x[1];
        x[0] = A[0] * x0 + A[2] * x1;
        x[1] = A[1] * x0 + A[3] * x1;
        return;
      }
      for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += A[i + j * n] * x[j];
        y[i] = sum;
      }
      for (int i = 0; i < n; i++) x[i] = y[i];
      return;
    }
    case BLOCK_TRIDIAGONAL:
      for (int i = 1; i < b->n; i++) x[i] -= A[4 * (i - 1) + 3] * x[i - 1];
      x[b->n - 1] *= A[4 * (b->n - 1) + 2];
      for (int i = b->n - 2; i >= 0; i--) x[i] = (x[i] - A[4 * (i + 1) + 1] * x[i + 1]) * A[4 * i + 2];
      return;
    case BLOCK_DENSE: nsm_la_lu_solve(b->n, 1, A, b->ld, w->pivot + b->pivot_at, x, b->n); return;
    default: nsm_la_band_solve(b->n, b->kl, b->ku, 1, A, b->ld, w->pivot + b->pivot_at, x, b->n);
  }
}

void sim_matrix_solve(const nsm_sim *s, double *x) {
  const sim_matrix *w = &s->w;
  if (w->diagonal) {
    for (int i = 0; i < s->nz; i++) x[i] *= w->inverse[i];
    return;
  }
  for (int k = 0; k < w->nblock; k++) {
    const sim_block *b = &w->block[k];
    const int *order = w->order + b->first;
    if (b->kind == BLOCK_SCALAR) { x[order[0]] *= w->inverse[order[0]]; continue; }
    double *y = w->work;
    for (int i = 0; i < b->n; i++) y[i] = x[order[i]];
    sim_block_solve(w, k, y);
    for (int i = 0; i < b->n; i++) x[order[i]] = y[i];
  }
}
