// Jacobians of large expressions, through what is linear. The angles of a chain in relative coordinates are sums
// a_k = a_(k-1) + q_k: moving q_k moves all angles behind it, moving a_k alone moves next to nothing. So the columns
// are taken with respect to the quantities c that are linear in the symbols, each as if it stood alone, and what they
// are made of has its columns as sums of theirs: vertex elimination [Griewank and Walther 2008, chapter 9],
//
//   forward:  D_c = df/dc with all other c held,     reverse:  df/dx = D_x + sum over the c that read x of dc/dx*df/dc
//
// See docs/numerics/algebra.md, section 9.
#include <stdlib.h>
#include "pool_impl.h"

typedef enum { STILL, LINEAR, CURVED } Shape;           // in the symbols

enum { TALL = 40 };                                     // as in diff.c

typedef struct Through {
  Pool *p;
  ExVec order, cut;                                     // all nodes; quantities that are linear, and symbols
  uint8_t *shape; bool *is_cut;                         // by node
  Ex *dot;                                              // by node; of the column at hand
  double **row, *rows; int linear;                      // by node: coefficients
} Through;

static Shape shape_of(const Through *t, Ex e, const int *ids, const int *also, int n) {
  const Node *q = node_of(t->p, e);
  int linear = 0, curved = 0, moving = 0;
  if (q->op == OP_SYM) {
    int id = ex_symbol(t->p, e);
    for (int i = 0; i < n; i++) if (ids[i] == id || (also && also[i] == id)) return LINEAR;
    return STILL;
  }
  for (int k = 0; k < q->n_args; k++) {
    Shape s = t->shape[q->args[k]];
    moving += s != STILL;
    linear += s == LINEAR;
    curved += s == CURVED;
  }
  if (!moving) return STILL;
  if (curved) return CURVED;
  return q->op == OP_ADD || q->op == OP_SHARED || (q->op == OP_MUL && linear == 1) ? LINEAR : CURVED;
}

static Ex dot_of(Through *t, Ex e, ExVec *d) {
  Pool *p = t->p;
  Ex none = ex_num(p, 0);
  bool moves = false;
  d->n = 0;
  for (int k = 0; k < node_of(p, e)->n_args; k++) {
    vec_push(d, t->dot[args_of(p, e)[k]]);
    moves = moves || vec_last(d) != none;
  }
  if (!moves) return none;
  Ex inner = power_of_power_base(p, e), r = op_derivative(p, e, d->at, inner ? t->dot[inner] : EX_NONE);
  return node_of(p, e)->height > TALL ? build_shared(p, r) : r;
}

// Of the row f, from `column` [cut], which a row that is linear as a whole does without: the derivatives by the
// symbols, which are among the cuts. What comes together in a node is added once, when all of it is there: term by term
// n of them would take n^2 places.
static void eliminate(Through *t, Ex most, Ex f, const Ex *column, Ex *adj) {
  Pool *p = t->p;
  Ex none = ex_num(p, 0);
  Reverse r = reverse_open(p, &t->order, most);
  if (t->shape[f] == LINEAR) reverse_add(&r, f, ex_num(p, 1));
  for (size_t i = 0; i < t->cut.n && t->shape[f] != LINEAR; i++)
    if (column[i] != none) reverse_add(&r, t->cut.at[i], column[i]);
  for (size_t i = t->order.n; i-- > 0;) {
    Ex e = t->order.at[i], sum = t->shape[e] == LINEAR ? reverse_adjoint(&r, e) : EX_NONE;
    Op op = (Op)node_of(p, e)->op;
    adj[e] = sum ? sum : none;
    for (int k = 0; sum && k < node_of(p, e)->n_args; k++) {
      Ex to = args_of(p, e)[k];
      if (t->shape[to] == LINEAR) reverse_add(&r, to, op == OP_MUL ? ex_mul(p, sum, op_partial(p, e, k)) : sum);
    }
  }
  reverse_close(&r);
}

static void close_through(Through *t) {
  free(t->shape);
  free(t->is_cut);
  free(t->dot);
  free(t->row);
  free(t->rows);
  vec_free(&t->order);
  vec_free(&t->cut);
}

static void one_by_one(Pool *p, const Ex *f, int m, const int *ids, const int *also, int n, Ex *out) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      out[i*n + j] = also ? ex_diff_two(p, f[i], ids[j], also[j]) : ex_diff(p, f[i], ids[j]);
}

// The coefficients of what is linear, [n] by node, where they are numbers: else NULL. `also` counts as its partner.
static void coefficients(Through *t, const int *ids, const int *also, int n) {
  t->rows = memory_for(sizeof *t->rows*((size_t)t->linear*(size_t)n + 1));
  double *free_row = t->rows;
  for (size_t i = 0; i < t->order.n; i++) {
    Ex e = t->order.at[i];
    const Node *q = node_of(t->p, e);
    t->row[e] = NULL;
    if (t->shape[e] != LINEAR) continue;
    double *row = free_row, factor = 1;
    bool numbers = true;
    for (int j = 0; j < n; j++)
      row[j] = q->op == OP_SYM && (ids[j] == ex_symbol(t->p, e) || (also && also[j] == ex_symbol(t->p, e)));
    for (int k = 0; k < q->n_args; k++) {
      const Node *x = node_of(t->p, q->args[k]);
      if (t->shape[q->args[k]] == LINEAR) numbers = numbers && t->row[q->args[k]];
      else if (q->op == OP_MUL && x->op == OP_NUM) factor *= x->value;
      else numbers = numbers && q->op == OP_ADD;
    }
    if (!numbers) continue;
    for (int k = 0; k < q->n_args; k++)
      for (int j = 0; t->shape[q->args[k]] == LINEAR && j < n; j++) row[j] += factor*t->row[q->args[k]][j];
    t->row[e] = row;
    free_row += n;
  }
}

// x with a = x*b; 0 where there is none.
static double ratio(const double *a, const double *b, int n) {
  double x = 0;
  if (!a || !b) return 0;
  for (int j = 0; j < n; j++) {
    if ((a[j] != 0) != (b[j] != 0)) return 0;
    if (b[j] != 0 && x == 0) x = a[j]/b[j];
    if (a[j] != x*b[j]) return 0;
  }
  return x;
}

// Quantities with proportional coefficients, as an angle at the end of a step and in its middle, move together: one
// column for all of them. lead [cut]: the first of them, times [cut] what it is multiplied by.
static void together(const Through *t, int n, int *lead, double *times) {
  for (int c = 0; c < (int)t->cut.n; c++) {
    lead[c] = c;
    times[c] = 1;
    for (int k = 0; k < c && lead[c] == c; k++) {
      double x = lead[k] == k ? ratio(t->row[t->cut.at[c]], t->row[t->cut.at[k]], n) : 0;
      if (x != 0) lead[c] = k, times[c] = x;
    }
  }
}

static Ex by_symbol(const Through *t, int id) {
  for (size_t c = 0; c < t->cut.n; c++)
    if (node_of(t->p, t->cut.at[c])->op == OP_SYM && ex_symbol(t->p, t->cut.at[c]) == id) return t->dot[t->cut.at[c]];
  return ex_num(t->p, 0);
}

// The nodes below f [m], their shapes, and where they are cut; how many of the cuts are quantities of their own.
static int cut_at_quantities(Through *t, const Ex *f, int m, const int *ids, const int *also, int n) {
  size_t room = 1;
  int quantities = 0;
  for (int i = 0; i < m; i++) room = (size_t)f[i] + 1 > room ? (size_t)f[i] + 1 : room;
  walk_collect(t->p, f, m, 0, &t->order);
  t->shape = memory_for(sizeof *t->shape*room);     // by node: only entries in `order` are used
  t->is_cut = memory_for(sizeof *t->is_cut*room);
  t->dot = memory_for(sizeof *t->dot*room);
  t->row = memory_for(sizeof *t->row*room);
  for (size_t i = 0; i < t->order.n; i++) {
    Ex e = t->order.at[i];
    Op op = (Op)node_of(t->p, e)->op;
    t->shape[e] = (uint8_t)shape_of(t, e, ids, also, n);
    t->is_cut[e] = t->shape[e] == LINEAR && (op == OP_SHARED || op == OP_SYM);
    t->linear += t->shape[e] == LINEAR;
    quantities += t->is_cut[e] && op == OP_SHARED;
    if (t->is_cut[e]) vec_push(&t->cut, e);
  }
  return quantities;
}

// column [m][cut]: the derivatives of f with respect to the quantities at the cuts.
static void by_cuts(Through *t, const Ex *f, int m, int n, Ex *column) {
  ExVec d = {0};
  Ex none = ex_num(t->p, 0);
  int *lead = memory_for(sizeof *lead*(t->cut.n + 1));
  double *times = memory_for(sizeof *times*(t->cut.n + 1));
  together(t, n, lead, times);
  for (size_t c = 0; c < t->cut.n; c++) {
    bool first = lead[c] == (int)c;
    for (size_t i = 0; i < t->order.n && first; i++) {
      Ex e = t->order.at[i];
      t->dot[e] = t->is_cut[e] || t->shape[e] == STILL ? none : dot_of(t, e, &d);
      for (size_t k = c; t->is_cut[e] && k < t->cut.n; k++)
        if (t->cut.at[k] == e && lead[k] == (int)c) t->dot[e] = ex_num(t->p, times[k]);
    }
    for (int i = 0; i < m; i++) column[(size_t)i*t->cut.n + c] = first ? t->dot[f[i]] : none;
  }
  free(lead);
  free(times);
  vec_free(&d);
}

void ex_jacobian_dense(Pool *p, const Ex *f, int m, const int *ids, const int *also, int n, Ex *out) {
  Through t = {.p = p};
  Ex most = 0, none = ex_num(p, 0);
  bool large = false, columns = false;
  for (int i = 0; i < m; i++) {
    most = f[i] > most ? f[i] : most;
    large = large || node_of(p, f[i])->shared;
  }
  if (!large || cut_at_quantities(&t, f, m, ids, also, n) < 2) {
    if (large) close_through(&t);
    one_by_one(p, f, m, ids, also, n, out);
    return;
  }
  Ex *column = memory_for(sizeof *column*(t.cut.n*(size_t)m + 1));     // [m][cut]
  coefficients(&t, ids, also, n);
  for (int i = 0; i < m; i++) columns = columns || t.shape[f[i]] != LINEAR;
  if (columns) by_cuts(&t, f, m, n, column);
  for (int i = 0; i < m; i++) {
    eliminate(&t, most, f[i], column + (size_t)i*t.cut.n, t.dot);
    for (int j = 0; j < n; j++) {
      Ex other = also ? by_symbol(&t, also[j]) : none;
      out[i*n + j] = ex_add(p, by_symbol(&t, ids[j]), other);
    }
  }
  free(column);
  close_through(&t);
}
