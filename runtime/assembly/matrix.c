// Sparse matrices by blocks: the connected components of their graph, each factored by itself: scalars, small ones as
// inverses, tridiagonal and banded ones in Cuthill-McKee order, dense ones by LU, large ones by fronts (la/sparse.h).
// assembly.c fills in W of the theta-gamma scheme, mass.c M, consistent_matrix.c K.
#include "assembly.h"
#include <limits.h>
#include <math.h>
#include <string.h>

// ---- shapes ---------------------------------------------------------------------------------------------------------
// A block of up to FEW rows, or of a band up to NARROW, is what it always was; others are compared with the fronts.
enum { FEW = 48, NARROW = 8 };
// What factors and solves cost, in multiplications: solves come often. A front has some overhead.
static const double solves = 8, front = 300, gain = 0.7;
// Of a pivot of the fronts, beside the largest entry of its column: then all rows of a band are searched.
static const double vanishes = 1e-13;

static void shape(sim_block *b, int bandwidth) {
  b->reach = bandwidth;
  if (b->n == 1) b->kind = BLOCK_SCALAR;
  else if (b->n <= NSM_LA_SMALL) b->kind = BLOCK_SMALL;
  else if (bandwidth == 1) b->kind = BLOCK_TRIDIAGONAL;
  else b->kind = 2 * (3 * bandwidth + 1) < b->n ? BLOCK_BAND : BLOCK_DENSE;
  b->ld = b->kind == BLOCK_BAND || b->kind == BLOCK_TRIDIAGONAL ? 3 * bandwidth + 1 : b->n;
}

static double cost(const sim_block *b) {
  double n = b->n, reach = b->reach;
  return b->kind == BLOCK_BAND ? n * reach * reach + solves * 3 * n * reach : n * n * n / 3 + solves * n * n;
}

// The graph of one block with the numbers of its own order; node [n] likewise, or NULL.
static nsm_sparse *analysed(nsm_sim *s, const sim_matrix *w, const sim_block *b, const int *start, const int *neighbour,
                            const int *node) {
  nsm_la_memory memory = sim_la_memory(s);
  int n = b->n, *from = SIM_LEND(s, n + 1, int), *group = node ? SIM_LEND(s, n, int) : NULL, groups = 0;
  for (int i = 0; i < n; i++) {
    int row = w->order[b->first + i];
    from[i + 1] = from[i] + start[row + 1] - start[row];
  }
  int *to = SIM_LEND(s, from[n], int);
  for (int i = 0, at = 0; i < n; i++)
    for (int row = w->order[b->first + i], e = start[row]; e < start[row + 1]; e++)
      to[at++] = w->place[neighbour[e]] - b->first;
  if (node) {                                            // nodes are numbered by their first row here
    for (int i = 0; i < n; i++) {
      int first = w->place[node[w->order[b->first + i]]] - b->first;
      group[i] = first == i ? groups++ : -1 - first;
    }
    for (int i = 0; i < n; i++) if (group[i] < 0) group[i] = group[-1 - group[i]];
  }
  nsm_sparse *sparse = nsm_sparse_analyse(n, from, to, group, &memory);
  sim_give(s, from);
  sim_give(s, to);
  sim_give(s, group);
  if (!sparse) sim_no_room(s);
  return sparse;
}

// Places of block b: values of the fronts where they are cheaper.
static long take_shape(nsm_sim *s, sim_matrix *w, sim_block *b, int bandwidth, const int *start,
                       const int *neighbour, const int *node) {
  shape(b, bandwidth);
  if (b->n > FEW && bandwidth > NARROW) {
    nsm_sparse *sparse = analysed(s, w, b, start, neighbour, node);
    if (sparse->work + solves * (double)sparse->factor_size + front * sparse->fronts < gain * cost(b)) {
      b->kind = BLOCK_SPARSE;
      w->large = 1;
      b->sparse = sparse;
      b->ld = 0;
      return (long)sparse->values;
    }
    nsm_la_memory memory = sim_la_memory(s);
    nsm_sparse_free(sparse, &memory);
  }
  return (long)b->n * b->ld;
}

// Blocks, their shapes and places from a graph. node [n] or NULL: rows with the same one, the number of one of them,
// find their pivots among each other.
void sim_matrix_shape(nsm_sim *s, sim_matrix *w, int n, const int *start, const int *neighbour, const int *node) {
  w->n = n;
  w->order = SIM_NEW(s, n, int);
  w->place = SIM_NEW(s, n, int);
  w->block_of = SIM_NEW(s, n, int);
  int *scratch = SIM_LEND(s, 2 * (size_t)n, int);
  w->nblock = sim_rcm(n, start, neighbour, w->order, w->block_of, scratch);
  sim_give(s, scratch);
  for (int i = 0; i < n; i++) w->place[w->order[i]] = i;
  w->block = SIM_NEW(s, w->nblock, sim_block);
  w->diagonal = w->nblock == n;
  for (int i = 0, b = 0; i < n; b++) {
    int first = i, widest = 0;
    for (; i < n && w->block_of[w->order[i]] == w->block_of[w->order[first]]; i++)
      for (int e = start[w->order[i]]; e < start[w->order[i] + 1]; e++) {
        int d = i - w->place[neighbour[e]];
        widest = d > widest ? d : widest;
      }
    for (int j = first; j < i; j++) w->block_of[w->order[j]] = b;
    w->block[b] = (sim_block){ .n = i - first, .first = first, .at = w->nval };
    long more = take_shape(s, w, &w->block[b], widest, start, neighbour, node);
    if (more > INT_MAX - w->nval) sim_no_room(s);        // 16 GiB
    w->nval += (int)more;
  }
  w->base = SIM_NEW(s, w->nval, double);
  w->val = SIM_NEW(s, w->nval, double);
  w->inverse = SIM_NEW(s, n, double);
  w->pivot = SIM_NEW(s, n, int);
  w->work = SIM_NEW(s, n, double);
}

// A multiplier stands in one node with coordinates that it acts on, those that no other constraint has where there are
// any: then it has a pivot whatever the order of elimination. Coordinates of the same constraints, as those of a point,
// go together: which of them gives the pivot depends on the direction.
int *sim_nodes(nsm_sim *s, int n, int count, const int *row, int first, int second) {
  const sim_rows *r = &s->n.r;
  int *node = SIM_LEND(s, n, int), *taken = SIM_LEND(s, n, int);
  uint64_t *of = SIM_LEND(s, n, uint64_t);               // a number made of the constraints of a coordinate
  for (int i = 0; i < n; i++) node[i] = i;
  for (int j = 0; j < count; j++)
    for (int e = r->b0[row[j]]; e < r->b0[row[j] + 1]; e++) of[r->bz[e]] += ((uint64_t)j + 1) * 0x9E3779B97F4A7C15u;
  for (int j = 0; j < count; j++) {
    int best = -1, mine = first + j;
    for (int e = r->b0[row[j]]; e < r->b0[row[j] + 1]; e++)
      if (best < 0 || taken[r->bz[e]] < taken[best]) best = r->bz[e];
    if (best >= 0 && taken[best]) mine = node[best];
    node[first + j] = mine;
    if (second >= 0) node[second + j] = mine;
    for (int e = r->b0[row[j]]; e < r->b0[row[j] + 1] && mine == first + j; e++) {
      int z = r->bz[e];
      if (taken[z] || of[z] != of[best]) continue;
      taken[z] = 1;
      node[z] = mine;
    }
  }
  sim_give(s, taken);
  sim_give(s, of);
  return node;
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

double *sim_block_band(nsm_sim *s, sim_matrix *w, int block) {
  sim_block *b = &w->block[block];
  int ld = 3 * b->reach + 1;
  sim_pool room = { b->band, b->band ? SIZE_MAX : 0 };
  if (!b->band) b->band = sim_pool_room(s, &room, (size_t)b->n * (size_t)ld, sizeof(double));
  if (!b->band) return NULL;
  nsm_sparse_expand_band(b->sparse, w->val + b->at, b->reach, ld, b->band);
  b->banded = 1;
  return b->band;
}

double sim_root_metric(double inertia) { return inertia > 0 && isfinite(inertia) ? ldexp(1, -ilogb(inertia) / 2) : 1; }

void sim_block_scale(sim_matrix *w, const sim_block *b, const double *by) {
  double *A = w->val + b->at;
  int banded = b->kind == BLOCK_BAND || b->kind == BLOCK_TRIDIAGONAL, reach = banded ? b->reach : b->n;
  if (b->kind == BLOCK_SPARSE) { nsm_sparse_scale(b->sparse, A, by); return; }
  for (int j = 0; j < b->n; j++)
    for (int i = j > reach ? j - reach : 0; i < b->n && i <= j + reach; i++)
      A[banded ? nsm_la_band_index(reach, reach, b->ld, i, j) : i + (long)j * b->ld] *= by[i] * by[j];
}

int sim_block_factor(nsm_sim *s, sim_matrix *w, int block) {
  sim_block *b = &w->block[block];
  double *A = w->val + b->at;
  int *pivot = w->pivot + b->first;
  nsm_la_status st = { NSM_LA_OK, 0 };
  if (b->scaled) sim_block_scale(w, b, w->by + b->first);
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
    case BLOCK_SPARSE: {
      b->banded = 0;
      int bad = nsm_sparse_factor(b->sparse, A, NSM_SPARSE_PIVOTS, vanishes, 0, NULL);
      if (bad < 0) return -1;
      double *band = sim_block_band(s, w, block);
      if (!band) return w->order[b->first + bad];
      st = nsm_la_band_factor(b->n, b->reach, b->reach, band, 3 * b->reach + 1, pivot);
      break;
    }
    default:
      if (b->reach == 1) {
        int done = factor_tridiagonal(w, b);
        if (done > 0) return -1;
        if (done < 0) return w->order[b->first];
      }
      st = nsm_la_band_factor(b->n, b->reach, b->reach, A, b->ld, pivot);
  }
  return st.code == NSM_LA_OK ? -1 : w->order[b->first + (st.pivot < b->n ? st.pivot : 0)];
}

// ---- solves ---------------------------------------------------------------------------------------------------------
static void scaled_solve(const sim_matrix *w, int block, double *x) {
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
    case BLOCK_DENSE: nsm_la_lu_solve(b->n, 1, A, b->ld, w->pivot + b->first, x, b->n); return;
    case BLOCK_SPARSE:
      if (!b->banded) nsm_sparse_solve(b->sparse, x);
      else nsm_la_band_solve(b->n, b->reach, b->reach, 1, b->band, 3 * b->reach + 1, w->pivot + b->first, x, b->n);
      return;
    default: nsm_la_band_solve(b->n, b->reach, b->reach, 1, A, b->ld, w->pivot + b->first, x, b->n);
  }
}

static void times_metric(const sim_matrix *w, const sim_block *b, double *x) {
  for (int i = 0; b->scaled && i < b->n; i++) x[i] *= w->by[b->first + i];
}

void sim_block_solve(const sim_matrix *w, int block, double *x) {
  times_metric(w, &w->block[block], x);
  scaled_solve(w, block, x);
  times_metric(w, &w->block[block], x);
}

void sim_block_solve_lanes(const sim_matrix *w, int block, double *const x[NSM_SPARSE_LANES]) {
  const sim_block *b = &w->block[block];
  for (int l = 0; l < NSM_SPARSE_LANES; l++) times_metric(w, b, x[l]);
  nsm_sparse_solve_lanes(b->sparse, x);
  for (int l = 0; l < NSM_SPARSE_LANES; l++) times_metric(w, b, x[l]);
}

void sim_matrix_solve(const nsm_sim *s, double *x) { sim_matrix_solve_in(&s->n.w, x); }

void sim_matrix_solve_in(const sim_matrix *w, double *x) {
  if (w->diagonal) {
    for (int i = 0; i < w->n; i++) x[i] *= w->inverse[i];
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
