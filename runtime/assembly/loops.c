// The loops of a class of rows as they run: pair[i, j] with j in i+1:n has another range of j for each i. A node of
// level k is one run of loop k; its nodes of level k + 1, one for each value, follow each other in the order in which
// `fill` tells them, so three numbers a node are enough to find an instance by its indices: the first value, how many
// there are, and the first node (of the last level: the first instance) below.
#include "assembly.h"
#include <math.h>

void sim_loops_record(nsm_sim *s, int level, long lo, long hi) {
  sim_loops *l = &s->a->cls[s->filling].loops;
  if (level < 0 || level >= NSM_MOST_INDICES) return;
  long n = hi < lo ? 0 : hi - lo + 1;
  sim_loop *k = &l->level[level];
  if (k->node) k->node[k->n] = (sim_loop_node){ lo, n, k->below };
  k->n++;
  k->below += n;
  if (level >= l->nlevel) l->nlevel = level + 1;
}

// Counts the instances of class `cls`, and keeps its loops where it tells them.
long sim_loops_count(nsm_sim *s, int cls) {
  const nsm_class *c = s->a->cls[cls].c;
  const nsm_setup_view view = { s->a->p, c->own, c->number }, *g = &view;
  sim_loops *l = &s->a->cls[cls].loops;
  if (!c->fill) return 0;
  s->filling = cls;
  long count = c->fill((nsm_setup *)s, g, NULL, NULL);
  if (s->fill_failed || l->nlevel == 0) return count;
  for (int i = 0; i < l->nlevel; i++) {
    l->level[i].node = SIM_NEW(s, l->level[i].n, sim_loop_node);
    l->level[i].n = l->level[i].below = 0;
  }
  return c->fill((nsm_setup *)s, g, NULL, NULL);
}

long sim_loops_find(const nsm_sim *s, int cls, int nidx, const double *idx, int *level, long *lo, long *hi) {
  const sim_loops *l = &s->a->cls[cls].loops;
  long at = 0;
  for (int i = 0; i < nidx; i++) {
    const sim_loop_node *k = &l->level[i].node[at];
    double n = idx[i] - (double)k->lo;
    if (!(n >= 0 && n < (double)k->n && n == floor(n))) {
      *level = i;
      *lo = k->lo;
      *hi = k->lo + k->n - 1;
      return -1;
    }
    at = k->below + (long)n;
  }
  return at;
}
