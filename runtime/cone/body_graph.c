// Which contacts meet at which body, from the graph of couplings alone.
//
// Contacts are coupled where they share a body, so the graph of contacts is the line graph of the graph of bodies
// (Whitney 1932; Lehot, J. ACM 21 (1974) 569-575): its edges are covered, each once, by one clique for every body, and
// a contact lies in two cliques, one at a wall. Two contacts c, d of one body have as common neighbours the other
// contacts of that body and, where the bodies on their other sides touch, the one between those. That one is coupled
// with none of the body's other contacts. So of the common neighbours those are taken that are coupled with all that
// are taken, most couplings first; large cliques, where this is sure, before small ones.
#include "bodies.h"
#include <string.h>

enum { MOST = 64 };          // contacts of a body

typedef struct finder {
  const nsm_graph *g;
  unsigned char *done;       // [start[nodes]] this coupling lies in a clique
  int *cliques;              // [nodes] how many it lies in
} finder;

static int find(const nsm_graph *g, int c, int d) {
  int low = g->start[c], high = g->start[c + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (g->column[middle] < d) low = middle + 1;
    else high = middle;
  }
  return low < g->start[c + 1] && g->column[low] == d ? low : -1;
}

static int open_edge(const finder *f, int c, int d) {
  int k = find(f->g, c, d);
  return k >= 0 && !f->done[k];
}

// The clique of edge (c, d) among couplings that are not in one yet; how many contacts, 0 where it is too large.
static int grow(const finder *f, int c, int d, int *member) {
  const nsm_graph *g = f->g;
  int candidate[MOST], degree[MOST], n = 0, size = 2;
  member[0] = c;
  member[1] = d;
  for (int k = g->start[c]; k < g->start[c + 1]; k++) {
    int e = g->column[k];
    if (e == c || e == d || f->done[k] || f->cliques[e] >= 2 || !open_edge(f, d, e)) continue;
    if (n == MOST - 2) return 0;
    candidate[n++] = e;
  }
  for (int i = 0; i < n; i++) {
    degree[i] = 0;
    for (int j = 0; j < n; j++) degree[i] += j != i && open_edge(f, candidate[i], candidate[j]);
  }
  for (int left = n; left > 0; left--) {
    int best = -1, fits = 1;
    for (int i = 0; i < n; i++) if (degree[i] >= 0 && (best < 0 || degree[i] > degree[best])) best = i;
    for (int i = 2; i < size && fits; i++) fits = open_edge(f, candidate[best], member[i]);
    if (fits) member[size++] = candidate[best];
    degree[best] = -1;
  }
  return size;
}

static void close_clique(const finder *f, int n, const int *member) {
  for (int i = 0; i < n; i++) {
    f->cliques[member[i]]++;
    for (int j = 0; j < n; j++) if (j != i) f->done[find(f->g, member[i], member[j])] = 1;
  }
}

int nsm_bodies_find(const nsm_graph *g, nsm_cone_work *w, nsm_bodies *b) {
  size_t nodes = (size_t)g->nodes;
  finder f = { g, nsm_cone_take(w, (size_t)g->start[g->nodes]), nsm_cone_take_ints(w, nodes) };
  *b = (nsm_bodies){ .bodies = 0 };
  b->touch = nsm_cone_take(w, 2 * nodes * sizeof *b->touch);
  b->first = nsm_cone_take_ints(w, 2 * nodes + 1);
  b->of = nsm_cone_take(w, nodes * sizeof *b->of);
  if (!f.done || !f.cliques || !b->touch || !b->first || !b->of) return 0;
  memset(f.done, 0, (size_t)g->start[g->nodes]);
  memset(f.cliques, 0, nodes * sizeof(int));
  for (size_t c = 0; c < nodes; c++) b->of[c][0] = b->of[c][1] = -1;
  static const int least[] = { 7, 5, 4, 2 };
  for (int pass = 0; pass < 4; pass++)
    for (int c = 0; c < g->nodes; c++)
      for (int k = g->start[c]; k < g->start[c + 1]; k++) {
        int member[MOST], d = g->column[k], n;
        if (d <= c || f.done[k]) continue;
        if (f.cliques[c] >= 2 || f.cliques[d] >= 2) return 0;
        if (!(n = grow(&f, c, d, member))) return 0;
        if (n < least[pass]) continue;
        close_clique(&f, n, member);
        b->first[b->bodies] = b->touches;
        for (int i = 0; i < n; i++) {
          b->of[member[i]][f.cliques[member[i]] - 1] = b->touches;
          b->touch[b->touches++] = (nsm_body_node){ member[i], b->bodies, 0 };
        }
        b->bodies++;
      }
  for (int c = 0; c < g->nodes; c++)                // alone on its body
    if (f.cliques[c] == 0) {
      b->first[b->bodies] = b->touches;
      b->of[c][0] = b->touches;
      b->touch[b->touches++] = (nsm_body_node){ c, b->bodies++, 0 };
    }
  b->first[b->bodies] = b->touches;
  return 1;
}
