// K = S + H^T C H on the graph of bodies, and its multifrontal LU (Duff and Reid 1983), in the order of elimination.c.
// Rows are exchanged within a front only. As front.c, but for blocks of any size that stand in memory.
#include "bodies.h"
#include "runtime/la/la.h"
#include <math.h>
#include <string.h>

enum { TERMS = 200 };                    // operations of a row of contacts in K

static int block_of(const nsm_graph *k, int a, int b) {
  int low = k->start[a], high = k->start[a + 1] - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (k->column[middle] < b) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The pattern: bodies that share a contact.
static int make_pattern(const nsm_graph *g, const nsm_bodies *b, nsm_cone_work *w, nsm_graph *k) {
  size_t bodies = (size_t)b->bodies, at = 0;
  *k = (nsm_graph){ .nodes = b->bodies, .rows = b->column[b->bodies], .work = &w->work };
  k->node = nsm_cone_take(w, bodies * sizeof *k->node);
  k->start = nsm_cone_take_ints(w, bodies + 1);
  k->column = nsm_cone_take_ints(w, bodies + (size_t)b->touches);
  k->at = nsm_cone_take(w, (bodies + (size_t)b->touches) * sizeof *k->at);
  k->diagonal = nsm_cone_take_ints(w, bodies);
  if (!k->node || !k->start || !k->column || !k->at || !k->diagonal) return 0;
  (void)g;
  int n = 0;
  for (int i = 0; i < b->bodies; i++) {
    k->node[i] = (nsm_node){ .first = b->column[i], .size = b->column[i + 1] - b->column[i] };
    k->start[i] = n;
    k->column[n++] = i;
    for (int t = b->first[i]; t < b->first[i + 1]; t++) {
      const int *of = b->of[b->touch[t].node];
      int other = of[0] == t ? of[1] : of[0];
      if (other < 0) continue;
      int j = b->touch[other].body, new = 1;
      for (int e = k->start[i]; e < n; e++) new &= k->column[e] != j;
      if (!new) continue;
      int e = n++;
      for (; e > k->start[i] && k->column[e - 1] > j; e--) k->column[e] = k->column[e - 1];
      k->column[e] = j;
    }
    k->start[i + 1] = n;
  }
  for (int i = 0; i < b->bodies; i++)
    for (int e = k->start[i]; e < k->start[i + 1]; e++) {
      if (k->column[e] == i) k->diagonal[i] = e;
      k->at[e] = at;
      at += (size_t)k->node[i].size * (size_t)k->node[k->column[e]].size;
    }
  k->entries = at;
  k->value = nsm_cone_take_doubles(w, at);
  return k->value != NULL;
}

int nsm_body_factor_take(const nsm_graph *g, const nsm_bodies *b, nsm_cone_work *w, nsm_body_factor *f) {
  *f = (nsm_body_factor){ .factor = NULL };
  if (!make_pattern(g, b, w, &f->k) || !nsm_fronts_take(&f->k, w, &f->fronts)) return 0;
  unsigned char *all = nsm_cone_take(w, (size_t)b->bodies);
  if (!all) return 0;
  memset(all, 1, (size_t)b->bodies);
  nsm_fronts_make(&f->k, all, &f->fronts);
  size_t most = (size_t)f->fronts.max_rows;
  f->factor = nsm_cone_take_doubles(w, f->fronts.factor_size);
  f->stack = nsm_cone_take_doubles(w, f->fronts.stack_size);
  f->front = nsm_cone_take_doubles(w, most * most);
  f->x = nsm_cone_take_doubles(w, most);
  f->v = nsm_cone_take_doubles(w, (size_t)f->k.rows);
  f->pivot = nsm_cone_take_ints(w, (size_t)f->k.rows);
  f->position = nsm_cone_take_ints(w, (size_t)b->bodies);
  f->run = nsm_cone_take(w, (size_t)b->bodies * sizeof *f->run);
  return f->factor && f->stack && f->front && f->x && f->v && f->pivot && f->position && f->run;
}

// K_ab += H_ca^T C H_cb
static void add_term(int n, const double *C, const double *ha, int ca, const double *hb, int cb, double *K) {
  for (int i = 0; i < n; i++) {
    double Ch[NSM_BODY_COLUMNS] = { 0 };
    for (int j = 0; j < n; j++) for (int s = 0; s < cb; s++) Ch[s] += C[i * NSM_NODE_ROWS + j] * hb[j * cb + s];
    for (int r = 0; r < ca; r++) {
      double h = ha[i * ca + r];
      for (int s = 0; s < cb; s++) K[r * cb + s] += h * Ch[s];
    }
  }
}

static void assemble(const nsm_graph *g, const nsm_bodies *b, const double *C, nsm_graph *k) {
  size_t end = 0;
  for (int i = 0; i < k->nodes; i++) {
    int e = k->start[i + 1] - 1;
    end = k->at[e] + (size_t)k->node[i].size * (size_t)k->node[k->column[e]].size;
  }
  memset(k->value, 0, end * sizeof(double));
  for (int i = 0; i < k->nodes; i++) {
    int n = k->node[i].size;
    double *D = k->value + k->at[k->diagonal[i]];
    for (int r = 0; r < n; r++) D[r * n + r] = b->sign[b->column[i] + r];
  }
  for (int c = 0; c < g->nodes; c++)
    for (int s = 0; s < 2 && b->of[c][s] >= 0; s++)
      for (int t = 0; t < 2 && b->of[c][t] >= 0; t++) {
        const nsm_body_node *i = b->touch + b->of[c][s], *j = b->touch + b->of[c][t];
        int e = i->body == j->body ? k->diagonal[i->body] : block_of(k, i->body, j->body);
        add_term(g->node[c].size, C + (size_t)c * NSM_NODE_BLOCK, b->h + i->at, k->node[i->body].size, b->h + j->at,
                 k->node[j->body].size, k->value + k->at[e]);
      }
}

static void put(const nsm_graph *k, int a, int e, double *front, int lda, int i, int j) {
  int n = k->node[a].size, m = k->node[k->column[e]].size;
  const double *v = k->value + k->at[e];
  for (int s = 0; s < m; s++)
    for (int r = 0; r < n; r++) front[(size_t)(j + s) * (size_t)lda + (size_t)(i + r)] = v[r * m + s];
}

// Rows and columns of K that belong to the own nodes.
static void collect(const nsm_body_factor *f, const nsm_front *front, const int *member) {
  int *position = f->position, at = 0;
  for (int i = 0; i < front->own + front->border; i++) { position[member[i]] = at; at += f->k.node[member[i]].size; }
  for (int i = 0; i < front->own + front->border; i++) {
    int a = member[i];
    for (int e = f->k.start[a]; e < f->k.start[a + 1]; e++) {
      int b = f->k.column[e];
      if (position[b] >= 0 && (i < front->own || position[b] < front->own_rows))
        put(&f->k, a, e, f->front, front->rows, position[a], position[b]);
    }
  }
}

// Rows of the child's border that are neighbours in the front too are added in one go.
static void add_child(const nsm_body_factor *f, const nsm_front *child, const int *member, const double *in, int lda) {
  int (*run)[2] = f->run, runs = 0, end = -1;                // rows: first one in the front, how many
  for (int i = child->own; i < child->own + child->border; i++) {
    int at = f->position[member[i]], size = f->k.node[member[i]].size;
    if (at != end) { run[runs][0] = at; run[runs++][1] = 0; }
    run[runs - 1][1] += size;
    end = at + size;
  }
  for (int c = 0; c < runs; c++)
    for (int s = 0; s < run[c][1]; s++) {
      double *out = f->front + (size_t)(run[c][0] + s) * (size_t)lda;
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

int nsm_body_factor_make(const nsm_graph *g, const nsm_bodies *b, const double *C, nsm_body_factor *f) {
  double *factor = f->factor, *stack = f->stack, *F = f->front;
  int *pivot = f->pivot, top = 0, *waiting = f->fronts.scratch[0];
  assemble(g, b, C, &f->k);
  *f->k.work += f->fronts.work + TERMS * (double)g->rows;
  for (int c = 0; c < f->k.nodes; c++) f->position[c] = -1;
  for (int n = 0; n < f->fronts.count; n++) {
    const nsm_front *front = f->fronts.front + n;
    const int *member = f->fronts.member + front->list;
    int rows = front->rows, own = front->own_rows, border = rows - own;
    memset(F, 0, (size_t)rows * (size_t)rows * sizeof(double));
    collect(f, front, member);
    for (int c = 0; c < front->children; c++) {
      const nsm_front *child = f->fronts.front + waiting[--top];
      size_t size = (size_t)(child->rows - child->own_rows);
      stack -= size * size;
      add_child(f, child, f->fronts.member + child->list, stack, rows);
    }
    for (int i = 0; i < front->own + front->border; i++) f->position[member[i]] = -1;
    if (!nsm_la_front_factor(own, rows, F, pivot) || vanishes(F, own, rows)) return 0;
    const double *F12 = F + (size_t)own * (size_t)rows, *F22 = F12 + own;
    for (int j = 0; j < own; j++, factor += rows)
      memcpy(factor, F + (size_t)j * (size_t)rows, (size_t)rows * sizeof(double));
    for (int j = 0; j < border; j++, factor += own)
      memcpy(factor, F12 + (size_t)j * (size_t)rows, (size_t)own * sizeof(double));
    for (int j = 0; j < border; j++, stack += border)
      memcpy(stack, F22 + (size_t)j * (size_t)rows, (size_t)border * sizeof(double));
    waiting[top++] = n;
    pivot += own;
  }
  return 1;
}

static void move(const nsm_body_factor *f, const int *member, int count, double *v, double *x, int store) {
  for (int i = 0; i < count; i++) {
    const nsm_node *n = f->k.node + member[i];
    for (int r = 0; r < n->size; r++, x++) { if (store) v[n->first + r] = *x; else *x = v[n->first + r]; }
  }
}

void nsm_body_factor_solve(nsm_body_factor *f, double *v) {
  const double *factor = f->factor;
  *f->k.work += 2.0 * (double)f->fronts.factor_size;
  const int *pivot = f->pivot;
  for (int n = 0; n < f->fronts.count; n++) {
    const nsm_front *front = f->fronts.front + n;
    const int *member = f->fronts.member + front->list, own = front->own_rows, rows = front->rows, border = rows - own;
    move(f, member, front->own + front->border, v, f->x, 0);
    for (int i = 0; i < own; i++) { double t = f->x[i]; f->x[i] = f->x[pivot[i]]; f->x[pivot[i]] = t; }
    nsm_la_lower_solve(own, 1, 1, factor, rows, f->x, own);
    if (border) nsm_la_gemv(border, own, -1.0, factor + own, rows, f->x, 1.0, f->x + own);
    move(f, member, front->own + front->border, v, f->x, 1);
    factor += (size_t)own * (size_t)(rows + border);
    pivot += own;
  }
  for (int n = f->fronts.count - 1; n >= 0; n--) {
    const nsm_front *front = f->fronts.front + n;
    const int *member = f->fronts.member + front->list, own = front->own_rows, rows = front->rows, border = rows - own;
    factor -= (size_t)own * (size_t)(rows + border);
    move(f, member, front->own + front->border, v, f->x, 0);
    if (border) nsm_la_gemv(own, border, -1.0, factor + (size_t)own * (size_t)rows, own, f->x + own, 1.0, f->x);
    nsm_la_upper_solve(own, 1, factor, rows, f->x, own);
    move(f, member, front->own, v, f->x, 1);
  }
}

void nsm_bodies_gather(const nsm_graph *g, const nsm_bodies *b, const double *x, double *v) {
  for (int i = 0; i < b->bodies; i++) {
    int columns = b->column[i + 1] - b->column[i];
    double *out = v + b->column[i];
    memset(out, 0, (size_t)columns * sizeof(double));
    for (int t = b->first[i]; t < b->first[i + 1]; t++) {
      const nsm_node *n = g->node + b->touch[t].node;
      const double *h = b->h + b->touch[t].at;
      for (int r = 0; r < n->size; r++) for (int s = 0; s < columns; s++) out[s] += *h++ * x[n->first + r];
    }
  }
}

void nsm_bodies_spread(const nsm_graph *g, const nsm_bodies *b, const double *v, double *x) {
  for (int t = 0; t < b->touches; t++) {
    const nsm_node *n = g->node + b->touch[t].node;
    int i = b->touch[t].body, columns = b->column[i + 1] - b->column[i];
    const double *h = b->h + b->touch[t].at, *in = v + b->column[i];
    for (int r = 0; r < n->size; r++) for (int s = 0; s < columns; s++) x[n->first + r] += *h++ * in[s];
  }
}
