// Graphs of sparse symmetric patterns, and orders of small bandwidth for them: reverse Cuthill-McKee (George and Liu
// 1981), component by component.
#include "assembly.h"

// ---- graphs ---------------------------------------------------------------------------------------------------------
sim_graph sim_graph_count(nsm_sim *s, int n) { return (sim_graph){ n, SIM_LEND(s, n + 2, int), NULL }; }

void sim_graph_fill(nsm_sim *s, sim_graph *g) {
  for (int i = 0; i < g->n; i++) g->start[i + 1] += g->start[i];
  g->neighbour = SIM_LEND(s, g->start[g->n], int);
}

void sim_graph_close(sim_graph *g) {
  for (int i = g->n; i > 0; i--) g->start[i] = g->start[i - 1];
  g->start[0] = 0;
}

void sim_graph_give(nsm_sim *s, sim_graph *g) {
  sim_give(s, g->start);
  sim_give(s, g->neighbour);
}

// ---- orders ---------------------------------------------------------------------------------------------------------

// Breadth first from `root`, neighbours by ascending number; appends to order, returns how many. level_end: first of
// the last level.
static int breadth_first(int root, int stamp, const int *start, const int *neighbour, int *order, int *seen,
                         int *last_level) {
  int n = 0, level = 0, level_end = 1;
  order[n++] = root;
  seen[root] = stamp;
  for (int head = 0; head < n; head++) {
    if (head == level_end) { level = head; level_end = n; }
    int v = order[head];
    for (int e = start[v]; e < start[v + 1]; e++)
      if (seen[neighbour[e]] != stamp) {
        seen[neighbour[e]] = stamp;
        order[n++] = neighbour[e];
      }
  }
  *last_level = level;
  return n;
}

// Returns the number of components. The root of each is pseudo-peripheral: the smallest number first, then twice the
// vertex of least degree in the last level. A chain numbered from end to end keeps its order.
int sim_rcm(int n, const int *start, const int *neighbour, int *order, int *comp, int *scratch) {
  int *seen = scratch, stamp = 0, done = 0, ncomp = 0;
  for (int i = 0; i < n; i++) { seen[i] = 0; comp[i] = -1; }
  for (int first = 0; first < n; first++) {
    if (comp[first] >= 0) continue;
    int root = first, count = 0, last = 0;
    for (int pass = 0; pass < 3; pass++) {
      count = breadth_first(root, ++stamp, start, neighbour, order + done, seen, &last);
      if (pass == 2 || count <= 2) break;
      int best = order[done + last];
      for (int i = last; i < count; i++) {
        int v = order[done + i];
        if (start[v + 1] - start[v] < start[best + 1] - start[best]) best = v;
      }
      root = best;
    }
    for (int i = 0; i < count; i++) comp[order[done + i]] = ncomp;
    if (order[done] > order[done + count - 1])  // reversed, but only where that does not count down
      for (int i = 0, j = count - 1; i < j; i++, j--) {
        int t = order[done + i];
        order[done + i] = order[done + j];
        order[done + j] = t;
      }
    done += count;
    ncomp++;
  }
  return ncomp;
}

int sim_bandwidth(int n, const int *start, const int *neighbour, const int *place) {
  int widest = 0;
  for (int i = 0; i < n; i++)
    for (int e = start[i]; e < start[i + 1]; e++) {
      int d = (place ? place[i] - place[neighbour[e]] : i - neighbour[e]);
      if (d < 0) d = -d;
      if (d > widest) widest = d;
    }
  return widest;
}
