// K = S + H^T C H on the graph of bodies: its pattern, its values; the factors are those of front.c.
#include "bodies.h"
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
  *f = (nsm_body_factor){ .fronts = { 0 } };
  if (!make_pattern(g, b, w, &f->k) || !nsm_fronts_take(&f->k, w, &f->fronts)) return 0;
  unsigned char *all = nsm_cone_take(w, (size_t)b->bodies);
  if (!all) return 0;
  memset(all, 1, (size_t)b->bodies);
  nsm_fronts_make(&f->k, all, &f->fronts);
  return nsm_factor_take(&f->k, &f->fronts, w, &f->factor);
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

int nsm_body_factor_make(const nsm_graph *g, const nsm_bodies *b, const double *C, nsm_body_factor *f) {
  assemble(g, b, C, &f->k);
  *f->k.work += TERMS * (double)g->rows;
  return nsm_factor_make(&f->k, &f->fronts, 0, NULL, NULL, &f->factor);
}

void nsm_body_factor_solve(nsm_body_factor *f, double *v) { nsm_factor_solve(&f->k, &f->fronts, &f->factor, v); }

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
