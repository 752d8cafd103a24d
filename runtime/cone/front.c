// Multifrontal LU [Duff and Reid 1983] of a matrix by nodes of a graph, on the nodes that were taken: the Newton matrix
// J = A + B (M + alpha metric), or the values of the graph themselves (newton.h, elimination.c).
//
// Each front gathers its rows and the contributions of its children, factors its own block with row pivoting, and
// hands the Schur complement on to its parent:  P F11 = L U,  F12 := L^{-1} P F12,  F21 := F21 U^{-1},  F22 - F21 F12
// -> stack. Pivoting stays within a front: with alpha > 0 the own blocks are regular where the contact problems are. A
// vanishing pivot is reported.
#include "newton.h"
#include "runtime/la/la.h"
#include <math.h>
#include <string.h>

int nsm_factor_take(const nsm_graph *g, const nsm_fronts *f, nsm_cone_work *w, nsm_factor *k) {
  size_t most = (size_t)f->max_rows;
  k->factor = nsm_cone_take_doubles(w, f->factor_size);
  k->pivot = nsm_cone_take_ints(w, (size_t)g->rows);
  k->front = nsm_cone_take_doubles(w, most * most);
  k->stack = nsm_cone_take_doubles(w, f->stack_size);
  k->x = nsm_cone_take_doubles(w, most);
  k->position = nsm_cone_take_ints(w, (size_t)g->nodes);
  k->run = nsm_cone_take(w, (size_t)g->nodes * sizeof *k->run);
  return k->factor && k->pivot && k->front && k->stack && k->x && k->position && k->run;
}

// J = A + B (M + alpha metric), A and B by nodes; A NULL: M.
typedef struct jacobian { const nsm_graph *g; double alpha; const double *A, *B; } jacobian;

// The k-th block of J, in the rows of node c, into a front at `to`.
static void put_block(const jacobian *J, int c, int k, double *to, int lda) {
  const nsm_graph *g = J->g;
  const nsm_node *n = g->node + c, *d = g->node + g->column[k];
  const double *v = g->value + g->at[k];
  if (!J->A) {
    for (int s = 0; s < d->size; s++)
      for (int r = 0; r < n->size; r++) to[(size_t)s * (size_t)lda + (size_t)r] = v[r * d->size + s];
    return;
  }
  const double *b = J->B + (size_t)c * NSM_NODE_BLOCK, *a = J->A + (size_t)c * NSM_NODE_BLOCK;
  int diagonal = g->column[k] == c;
  if (!diagonal && n->size == 3 && d->size == 3) {
    for (int s = 0; s < 3; s++) {
      double *out = to + (size_t)s * (size_t)lda;
      for (int r = 0; r < 3; r++) {
        const double *of = b + r * NSM_NODE_ROWS;
        out[r] += of[0] * v[s] + of[1] * v[3 + s] + of[2] * v[6 + s];
      }
    }
    return;
  }
  for (int s = 0; s < d->size; s++) {
    double *out = to + (size_t)s * (size_t)lda;
    for (int r = 0; r < n->size; r++) {
      double sum = 0;
      for (int t = 0; t < n->size; t++) sum += b[r * NSM_NODE_ROWS + t] * v[t * d->size + s];
      if (diagonal) sum += a[r * NSM_NODE_ROWS + s] + b[r * NSM_NODE_ROWS + s] * J->alpha * n->metric;
      out[r] += sum;
    }
  }
}

// Rows and columns of J that belong to the own nodes: (own, own or border) and (border, own).
static void gather(const nsm_graph *g, const nsm_front *f, const int *member, double alpha, const double *A,
                   const double *B, nsm_factor *w) {
  const jacobian J = { g, alpha, A, B };
  int *position = w->position, at = 0;
  size_t lda = (size_t)f->rows;
  for (int i = 0; i < f->own + f->border; i++) { position[member[i]] = at; at += g->node[member[i]].size; }
  for (int i = 0; i < f->own; i++) {
    int c = member[i];
    for (int k = g->start[c]; k < g->start[c + 1]; k++) {
      int d = g->column[k];
      if (position[d] >= 0) put_block(&J, c, k, w->front + (size_t)position[d] * lda + position[c], f->rows);
    }
  }
  for (int i = f->own; i < f->own + f->border; i++) {
    int c = member[i];
    for (int k = g->start[c]; k < g->start[c + 1]; k++) {
      int d = g->column[k];
      if (position[d] >= 0 && position[d] < f->own_rows)
        put_block(&J, c, k, w->front + (size_t)position[d] * lda + position[c], f->rows);
    }
  }
}

// Adds the contribution of a child: its border nodes, column-major border x border. Rows of the child's border that are
// neighbours in the front too are added in one go.
static void add_child(const nsm_graph *g, const nsm_front *child, const int *member, const double *in, int lda,
                      const nsm_factor *w) {
  int (*run)[2] = w->run, runs = 0, end = -1;                // rows: first one in the front, how many
  for (int i = child->own; i < child->own + child->border; i++) {
    int at = w->position[member[i]], size = g->node[member[i]].size;
    if (at != end) { run[runs][0] = at; run[runs++][1] = 0; }
    run[runs - 1][1] += size;
    end = at + size;
  }
  for (int c = 0; c < runs; c++)
    for (int s = 0; s < run[c][1]; s++) {
      double *out = w->front + (size_t)(run[c][0] + s) * (size_t)lda;
      for (int r = 0; r < runs; r++) {
        double *to = out + run[r][0];
        int n = run[r][1];
        for (int i = 0; i < n; i++) to[i] += in[i];
        in += n;
      }
    }
}

static int vanishes(const double *U, int n, int lda) {
  for (int i = 0; i < n; i++) {
    double a = fabs(U[(size_t)i * (size_t)lda + (size_t)i]);
    if (!(a > 1e-300 && a < HUGE_VAL)) return 1;
  }
  return 0;
}

int nsm_factor_make(const nsm_graph *g, const nsm_fronts *f, double alpha, const double *A, const double *B,
                    nsm_factor *w) {
  double *factor = w->factor, *stack = w->stack;
  int *pivot = w->pivot, top = 0, *waiting = f->scratch[0];     // fronts whose contributions stand on the stack
  *g->work += f->work + (A ? 2.0 * (double)g->entries : 0);
  for (int c = 0; c < g->nodes; c++) w->position[c] = -1;
  for (int k = 0; k < f->count; k++) {
    const nsm_front *front = f->front + k;
    const int *member = f->member + front->list;
    int rows = front->rows, own = front->own_rows, border = rows - own;
    memset(w->front, 0, (size_t)rows * (size_t)rows * sizeof(double));
    gather(g, front, member, alpha, A, B, w);
    for (int c = 0; c < front->children; c++) {
      const nsm_front *child = f->front + waiting[--top];
      size_t size = (size_t)(child->rows - child->own_rows);
      stack -= size * size;
      add_child(g, child, f->member + child->list, stack, rows, w);
    }
    for (int i = 0; i < front->own + front->border; i++) w->position[member[i]] = -1;

    nsm_la_pivots rule = nsm_la_any_pivot();
    if (!front->stays &&
        (nsm_la_front(own, rows, w->front, pivot, &rule) >= 0 || vanishes(w->front, own, rows)))
      return 0;
    const double *F12 = w->front + (size_t)own * (size_t)rows, *F22 = F12 + own;
    for (int j = 0; j < own; j++, factor += rows)
      memcpy(factor, w->front + (size_t)j * (size_t)rows, (size_t)rows * sizeof(double));
    for (int j = 0; j < border; j++, factor += own)
      memcpy(factor, F12 + (size_t)j * (size_t)rows, (size_t)own * sizeof(double));
    for (int j = 0; j < border; j++, stack += border)
      memcpy(stack, F22 + (size_t)j * (size_t)rows, (size_t)border * sizeof(double));
    waiting[top++] = k;
    pivot += own;
  }
  return 1;
}

static void load(const nsm_graph *g, const int *member, int from, int to, const double *x, double *out) {
  for (int i = from; i < to; i++) {
    const nsm_node *n = g->node + member[i];
    for (int r = 0; r < n->size; r++) *out++ = x[n->first + r];
  }
}

static void store(const nsm_graph *g, const int *member, int from, int to, const double *in, double *x) {
  for (int i = from; i < to; i++) {
    const nsm_node *n = g->node + member[i];
    for (int r = 0; r < n->size; r++) x[n->first + r] = *in++;
  }
}

void nsm_factor_down(const nsm_graph *g, const nsm_fronts *f, nsm_factor *w, double *x) {
  const double *factor = w->factor;
  *g->work += (double)f->factor_size;
  const int *pivot = w->pivot;
  for (int k = 0; k < f->count; k++) {
    const nsm_front *front = f->front + k;
    const int *member = f->member + front->list, own = front->own_rows, rows = front->rows, border = rows - own;
    if (!front->stays) {
      load(g, member, 0, front->own + front->border, x, w->x);
      for (int i = 0; i < own; i++) { double t = w->x[i]; w->x[i] = w->x[pivot[i]]; w->x[pivot[i]] = t; }
      nsm_la_lower_solve(own, 1, 1, factor, rows, w->x, own);
      if (border) nsm_la_gemv(border, own, -1.0, factor + own, rows, w->x, 1.0, w->x + own);
      store(g, member, 0, front->own + front->border, w->x, x);
    }
    factor += (size_t)own * (size_t)(rows + border);
    pivot += own;
  }
}

void nsm_factor_up(const nsm_graph *g, const nsm_fronts *f, nsm_factor *w, double *x) {
  const double *factor = w->factor + f->factor_size;
  *g->work += (double)f->factor_size;
  for (int k = f->count - 1; k >= 0; k--) {
    const nsm_front *front = f->front + k;
    const int *member = f->member + front->list, own = front->own_rows, rows = front->rows, border = rows - own;
    factor -= (size_t)own * (size_t)(rows + border);
    if (front->stays) continue;
    load(g, member, 0, front->own + front->border, x, w->x);
    if (border) nsm_la_gemv(own, border, -1.0, factor + (size_t)own * (size_t)rows, own, w->x + own, 1.0, w->x);
    nsm_la_upper_solve(own, 1, factor, rows, w->x, own);
    store(g, member, 0, front->own, w->x, x);
  }
}

void nsm_factor_solve(const nsm_graph *g, const nsm_fronts *f, nsm_factor *w, double *x) {
  nsm_factor_down(g, f, w, x);
  nsm_factor_up(g, f, w, x);
}

const double *nsm_factor_complement(const nsm_fronts *f, const nsm_factor *w) {
  const double *factor = w->factor;
  for (int k = 0; k < f->count; k++) {
    size_t own = (size_t)f->front[k].own_rows, rows = (size_t)f->front[k].rows;
    if (f->front[k].stays) return factor;
    factor += own * (2 * rows - own);
  }
  return NULL;
}

double nsm_factor_least(const nsm_fronts *f, const nsm_factor *w) {
  const double *factor = w->factor;
  double least = HUGE_VAL;
  for (int k = 0; k < f->count; k++) {
    size_t own = (size_t)f->front[k].own_rows, rows = (size_t)f->front[k].rows;
    double small = HUGE_VAL, large = 0;
    for (size_t j = 0; j < own; j++) {
      double pivot = fabs(factor[j * (rows + 1)]);
      small = fmin(small, pivot);
      large = fmax(large, pivot);
    }
    if (own > 0 && !f->front[k].stays) least = fmin(least, small / large);
    factor += own * (2 * rows - own);
  }
  return least;
}
