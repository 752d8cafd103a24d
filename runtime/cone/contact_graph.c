// The one-step problem as a graph of nodes with its matrix in small dense blocks (newton.h).
#include "newton.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { BITS = 512 };                     // nodes of rows up to which their pattern is one of bits

static void make_nodes(const nsm_cone_problem *p, nsm_graph *g, int *node_of) {
  int c = 0, next = 0;
  for (int i = 0; i < p->m; ) {
    nsm_node *n = g->node + c;
    *n = (nsm_node){
      .kind = NSM_NODE_INTERVAL, .first = i, .size = 1, .lo = p->lo ? p->lo[i] : 0, .hi = p->hi ? p->hi[i] : HUGE_VAL
    };
    g->scale[i] = 1;
    if (next < p->cones && p->cone[next].first == i) {
      const nsm_cone_block *b = p->cone + next++;
      n->size = b->size;
      n->kind = nsm_cone_is_grip(b->type)      ? NSM_NODE_GRIP
                : nsm_cone_is_given(b->type) ? NSM_NODE_DISK
                                           : NSM_NODE_CONTACT;
      n->normals = nsm_cone_normals(b->type);
      n->exact = nsm_cone_is_exact(b);
      for (int k = 0; k < b->size; k++) g->scale[i + k] = 1;
      n->mu = nsm_cone_round(b, g->scale + i + n->normals);
      if (nsm_cone_set_of(b->type).parts == 2) n->rolling = (b->size - 1) / 2;
      for (int k = n->normals; k < b->size; k++)
        if (n->mu == 0 || g->scale[i + k] == 0) { n->pinned |= 1 << k; g->scale[i + k] = 0; }
    }
    for (int k = 0; k < n->size; k++) node_of[i + k] = c;
    i += n->size;
    c++;
  }
  g->nodes = c;
}

static double entry(const nsm_cone_problem *p, int i, int j) { return p->M[(size_t)i + (size_t)j * (size_t)p->m]; }

static size_t place(nsm_graph *g, int c, int k, size_t at) {
  g->at[k] = at;
  if (g->column[k] == c) g->diagonal[c] = k;
  return at + (size_t)(g->node[c].size * g->node[g->column[k]].size);
}

// Bit j of row c of `bits` says that c and j are coupled, in either direction.
static void couple(uint64_t *bits, size_t words, size_t c, size_t d) {
  bits[c * words + d / 64] |= 1ull << d % 64;
  bits[d * words + c / 64] |= 1ull << c % 64;
}

// One look along the columns, or the rows.
static int pattern_bits(const nsm_cone_problem *p, nsm_cone_work *w, nsm_graph *g, const int *node_of) {
  size_t nodes = (size_t)g->nodes, words = (nodes + 63) / 64;
  uint64_t *bits = nsm_cone_take(w, nodes * words * sizeof *bits);
  if (!bits) return 0;
  memset(bits, 0, nodes * words * sizeof *bits);
  for (size_t c = 0; c < nodes; c++) couple(bits, words, c, c);
  for (int j = 0; j < p->m; j++) {
    size_t d = (size_t)node_of[j];
    for (int k = p->row_start ? p->row_start[j] : 0, end = p->row_start ? p->row_start[j + 1] : 0; k < end; k++)
      if (p->M[k] != 0) couple(bits, words, d, (size_t)node_of[p->col[k]]);
    for (int i = 0; !p->row_start && i < p->m; i++)
      if (entry(p, i, j) != 0) couple(bits, words, d, (size_t)node_of[i]);
  }
  size_t total = 0;
  for (size_t k = 0; k < nodes * words; k++) total += (size_t)__builtin_popcountll(bits[k]);
  if (total > INT32_MAX) return 0;
  g->column = nsm_cone_take_ints(w, total);
  if (!g->column) return 0;
  int k = 0;
  for (size_t c = 0; c < nodes; c++) {
    g->start[c] = k;
    for (size_t v = 0; v < words; v++)
      for (uint64_t b = bits[c * words + v]; b; b &= b - 1) g->column[k++] = (int)(64 * v) + __builtin_ctzll(b);
  }
  g->start[nodes] = k;
  return 1;
}

static void add_sorted(int *list, int *count, int j) {
  int k = *count;
  for (int i = 0; i < k; i++) if (list[i] == j) return;
  for (; k > 0 && list[k - 1] > j; k--) list[k] = list[k - 1];
  list[k] = j;
  ++*count;
}

// Rows: room for each coupling twice (once from each side), then duplicates are dropped.
static int pattern_sparse(const nsm_cone_problem *p, nsm_cone_work *w, nsm_graph *g, const int *node_of) {
  int nodes = g->nodes;
  int *count = nsm_cone_take_ints(w, (size_t)nodes + 1), *room = nsm_cone_take_ints(w, (size_t)nodes + 1),
      *last = nsm_cone_take_ints(w, (size_t)nodes);
  if (!count || !room || !last) return 0;
  memset(room, 0, ((size_t)nodes + 1) * sizeof(int));
  for (int pass = 0; pass < 2; pass++) {
    if (pass) {
      size_t total = 0;
      g->start[0] = 0;
      for (int c = 0; c < nodes; c++) {
        total += (size_t)room[c] + 1;
        if (total > INT32_MAX) return 0;
        g->start[c + 1] = (int)total;
      }
      g->column = nsm_cone_take_ints(w, total);
      if (!g->column) return 0;
      memset(count, 0, (size_t)nodes * sizeof(int));
      for (int c = 0; c < nodes; c++) add_sorted(g->column + g->start[c], count + c, c);
    }
    for (int c = 0; c < nodes; c++) last[c] = -1;
    for (int c = 0; c < nodes; c++)
      for (int i = g->node[c].first; i < g->node[c].first + g->node[c].size; i++)
        for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
          int j = node_of[p->col[k]];
          if (j == c || last[j] == c || p->M[k] == 0) continue;
          last[j] = c;
          if (pass == 0) { room[c]++; room[j]++; }
          else { add_sorted(g->column + g->start[c], count + c, j); add_sorted(g->column + g->start[j], count + j, c); }
        }
  }
  for (int c = 0, k = 0; c < nodes; c++) {
    int from = g->start[c];
    g->start[c] = k;
    for (int i = 0; i < count[c]; i++) g->column[k++] = g->column[from + i];
    if (c == nodes - 1) g->start[nodes] = k;
  }
  return 1;
}

static void fill(const nsm_cone_problem *p, nsm_graph *g, const int *node_of) {
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    for (int r = 0; r < n->size; r++) {
      int i = n->first + r;
      if (p->row_start) {
        for (int k = p->row_start[i], e = g->start[c]; k < p->row_start[i + 1]; k++) {
          int j = p->col[k], d = node_of[j];
          if (p->M[k] == 0) continue;
          while (g->column[e] < d) e++;                    // both ascend
          g->value[g->at[e] + (size_t)(r * g->node[d].size + j - g->node[d].first)] +=
              g->scale[i] * p->M[k] * g->scale[j];
        }
      } else {
        for (int k = g->start[c]; k < g->start[c + 1]; k++) {
          const nsm_node *d = g->node + g->column[k];
          for (int s = 0; s < d->size; s++)
            g->value[g->at[k] + (size_t)(r * d->size + s)] =
                g->scale[i] * entry(p, i, d->first + s) * g->scale[d->first + s];
        }
      }
    }
  }
}

// Of a problem in factors the blocks on the diagonal, C_c X_c + D_c.
static int pattern_factors(nsm_cone_work *w, nsm_graph *g) {
  g->column = nsm_cone_take_ints(w, (size_t)g->nodes);
  for (int c = 0; g->column && c < g->nodes; c++) g->start[c] = g->column[c] = c;
  g->start[g->nodes] = g->nodes;
  return g->column != NULL;
}

static void fill_factors(const nsm_cone_factors *f, nsm_graph *g) {
  for (int k = 0; k < g->nodes; k++) {
    int size = g->node[k].size, first = g->node[k].first, e = f->start[k + 1] - f->start[k];
    const double *C = f->c + f->at[k], *X = f->x + f->at[k];
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++) {
        double sum = i == j && f->d ? f->d[first + i] : 0;
        for (int z = 0; z < e; z++) sum += C[i * e + z] * X[j * e + z];
        g->value[g->at[k] + (size_t)(i * size + j)] = g->scale[first + i] * sum * g->scale[first + j];
      }
  }
}

// Units of stiffness: means of diagonal entries over the rows that are not pinned; where they vanish, means of row
// sums; else 1.
static double stiffness(const nsm_graph *g, int c, int from, int to) {
  const nsm_node *n = g->node + c;
  const double *block = g->value + g->at[g->diagonal[c]];
  double diagonal = 0, sum = 0;
  int count = 0;
  for (int r = from; r < to; r++) {
    if (n->pinned & 1 << r) continue;
    count++;
    diagonal += block[r * n->size + r];
    for (int k = g->start[c]; k < g->start[c + 1]; k++) {
      int size = g->node[g->column[k]].size;
      for (int s = 0; s < size; s++) sum += fabs(g->value[g->at[k] + (size_t)(r * size + s)]);
    }
  }
  if (diagonal > 1e-14 * sum) return diagonal / count;
  return sum >= DBL_MIN ? sum / count : 1.0;
}

int nsm_graph_make(const nsm_cone_problem *p, nsm_cone_work *w, nsm_graph *g) {
  size_t m = (size_t)p->m;
  *g = (nsm_graph){ .rows = p->m, .push = 1, .work = &w->work };
  g->node = nsm_cone_take(w, m * sizeof *g->node);
  g->start = nsm_cone_take_ints(w, m + 1);
  g->diagonal = nsm_cone_take_ints(w, m);
  g->q = nsm_cone_take_doubles(w, m);
  g->scale = nsm_cone_take_doubles(w, m);
  int *node_of = nsm_cone_take_ints(w, m);
  if (!g->node || !g->start || !g->diagonal || !g->q || !g->scale || !node_of) return 0;
  make_nodes(p, g, node_of);
  if (p->factors     ? !pattern_factors(w, g)
      : p->row_start && g->nodes > BITS ? !pattern_sparse(p, w, g, node_of)
                                        : !pattern_bits(p, w, g, node_of))
    return 0;
  g->at = nsm_cone_take(w, (size_t)g->start[g->nodes] * sizeof *g->at);
  if (!g->at) return 0;
  size_t size = 0;
  for (int c = 0; c < g->nodes; c++)
    for (int k = g->start[c]; k < g->start[c + 1]; k++) size = place(g, c, k, size);
  g->entries = size;
  g->value = nsm_cone_take_doubles(w, size);
  if (!g->value) return 0;
  memset(g->value, 0, size * sizeof(double));
  if (p->factors) fill_factors(p->factors, g);
  else fill(p, g, node_of);
  for (size_t i = 0; i < m; i++) g->q[i] = g->scale[i] * p->q[i];
  for (int c = 0; c < g->nodes; c++) {
    nsm_node *n = g->node + c;
    n->metric = stiffness(g, c, 0, n->size);
    n->normal = n->kind == NSM_NODE_DISK || n->kind == NSM_NODE_INTERVAL ? n->metric : stiffness(g, c, 0, n->normals);
    n->tangent = n->kind == NSM_NODE_DISK || n->size == 1 ? n->metric : stiffness(g, c, n->normals, n->size);
  }
  return 1;
}

void nsm_graph_start(const nsm_graph *g, const nsm_cone_try *t, const double *lambda, double *x) {
  for (int i = 0; i < g->rows; i++) x[i] = t->warm && g->scale[i] > 0 ? lambda[i] / g->scale[i] : 0;
}

void nsm_graph_lambda(const nsm_graph *g, const double *x, double *lambda) {
  for (int i = 0; i < g->rows; i++) lambda[i] = g->scale[i] * x[i];
}

void nsm_graph_apply(const nsm_graph *g, const double *x, int add_q, double *y) {
  *g->work += 2.0 * (double)g->entries + g->rows;
  for (int c = 0; c < g->nodes; c++) {
    int size = g->node[c].size, first = g->node[c].first;
    double sum[NSM_NODE_ROWS];
    for (int r = 0; r < size; r++) sum[r] = add_q ? g->q[first + r] : 0;
    if (size == 3) {
      for (int k = g->start[c]; k < g->start[c + 1]; k++) {
        const nsm_node *d = g->node + g->column[k];
        const double *b = g->value + g->at[k], *z = x + d->first;
        if (d->size == 3) {
          sum[0] += b[0] * z[0] + b[1] * z[1] + b[2] * z[2];
          sum[1] += b[3] * z[0] + b[4] * z[1] + b[5] * z[2];
          sum[2] += b[6] * z[0] + b[7] * z[1] + b[8] * z[2];
        } else {
          for (int r = 0; r < 3; r++) for (int s = 0; s < d->size; s++) sum[r] += b[r * d->size + s] * z[s];
        }
      }
    } else {
      for (int k = g->start[c]; k < g->start[c + 1]; k++) {
        const nsm_node *d = g->node + g->column[k];
        const double *b = g->value + g->at[k], *z = x + d->first;
        for (int r = 0; r < size; r++) for (int s = 0; s < d->size; s++) sum[r] += b[r * d->size + s] * z[s];
      }
    }
    for (int r = 0; r < size; r++) y[first + r] = sum[r];
  }
}
