// Where to start when the usual place has led nowhere: sequences that look random and repeat, forces of random size.
#include "newton.h"
#include <math.h>

nsm_seed nsm_seed_of(int attempt, int kind) {
  return (nsm_seed){ 0x9e3779b97f4a7c15u * (uint64_t)(attempt + 1) + 0xd1342543de82ef95u * (uint64_t)(kind + 1) };
}

// splitmix64 (Steele, Lea and Flood, OOPSLA 2014)
double nsm_seed_unit(nsm_seed *d) {
  uint64_t z = d->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

double nsm_seed_between(nsm_seed *d, double a, double b) { return a * pow(b / a, nsm_seed_unit(d)); }

double nsm_graph_unit(const nsm_graph *g) {
  double unit = 0;
  for (int c = 0; c < g->nodes; c++)
    for (int i = g->node[c].first; i < g->node[c].first + g->node[c].size; i++)
      unit = fmax(unit, fabs(g->q[i]) / g->node[c].metric);
  return unit > 0 ? unit : 1;
}

void nsm_graph_random(const nsm_graph *g, nsm_seed *d, double *x) {
  double unit = nsm_graph_unit(g) * nsm_seed_between(d, 1e-2, 1);
  int in_cones = nsm_seed_unit(d) < 0.5;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    int cone = in_cones && n->kind == NSM_NODE_CONTACT, open = cone && nsm_seed_unit(d) < 0.4;
    double normal = unit * nsm_seed_unit(d) * nsm_seed_unit(d);
    for (int k = 0; k < n->size; k++) {
      double sign = 2 * nsm_seed_unit(d) - 1, size = !cone ? unit * sign : k ? normal * n->mu * sign : normal;
      x[n->first + k] = open || !(g->scale[n->first + k] > 0) ? 0 : size;
    }
  }
}
