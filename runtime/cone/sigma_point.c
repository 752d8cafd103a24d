// Points on the ways to the answer of a large friction problem: where all begin, how they are kept and checked, and
// which of them is the best so far.
#include "sigma.h"
#include <math.h>
#include <string.h>

static const double spread = 1.0001;     // of tau

static size_t rows_bytes(const nsm_sigma *k) { return (size_t)k->g.rows * sizeof(double); }
static size_t nodes_bytes(const nsm_sigma *k) { return (size_t)k->g.nodes * sizeof(double); }

void nsm_sigma_keep(const nsm_sigma *k, nsm_sigma_point *p) {
  memcpy(p->x, k->x, rows_bytes(k));
  memcpy(p->y, k->y, rows_bytes(k));
  memcpy(p->s, k->s, nodes_bytes(k));
  if (p->center) memcpy(p->center, k->center, rows_bytes(k));
  p->tau = k->tau;
}

void nsm_sigma_go_back(nsm_sigma *k, const nsm_sigma_point *p) {
  memcpy(k->x, p->x, rows_bytes(k));
  memcpy(k->y, p->y, rows_bytes(k));
  memcpy(k->s, p->s, nodes_bytes(k));
  if (p->center) memcpy(k->center, p->center, rows_bytes(k));
  k->tau = p->tau;
}

int nsm_sigma_checked(nsm_sigma *k, const double *x, double tau) {
  const nsm_cone_problem *p = k->p;
  const nsm_cone_try *t = k->t;
  const nsm_graph *g = &k->g;
  nsm_cone_try asked = { .tolerance = t->asked, .sqrt_tolerance = t->sqrt_tolerance };
  nsm_cone_check check = { .accepted = 0 };
  memcpy(k->xt, x, rows_bytes(k));
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    if (n->kind == NSM_NODE_CONTACT && x[n->first] < tau * k->share[c])
      memset(k->xt + n->first, 0, (size_t)n->size * sizeof(double));
  }
  nsm_graph_lambda(g, k->xt, k->lambda);
  nsm_cone_project_all(p, k->lambda);
  double distance = nsm_cone_distance(p, k->w, k->lambda);
  if (distance < 2 * t->asked) nsm_cone_check_answer(p, k->w, &asked, k->lambda, k->u, &check);
  if (!check.accepted && !(distance < k->least)) return 0;
  k->least = distance;
  memcpy(k->best, k->lambda, rows_bytes(k));
  if (check.accepted) return 1;
  if (distance <= t->accept) {
    nsm_cone_try level = { .tolerance = t->accept, .sqrt_tolerance = sqrt(t->accept) };
    nsm_cone_check_answer(p, k->w, &level, k->lambda, k->u, &check);
    k->enough = check.accepted;
  }
  return 0;
}

int nsm_sigma_may_go_on(const nsm_sigma *k) { return k->steps < k->limit && !nsm_cone_late(k->w); }

int nsm_sigma_will_do(const nsm_sigma *k) { return k->enough && k->g.nodes > NSM_SIGMA_LARGE; }

// The middle one of x by exchanges (Hoare 1961); x is sorted in part.
static double median(int n, double *x) {
  int low = 0, high = n - 1, middle = n / 2;
  while (low < high) {
    double pivot = x[middle];
    int i = low, j = high;
    while (i <= j) {
      while (x[i] < pivot) i++;
      while (pivot < x[j]) j--;
      if (i <= j) { double t = x[i]; x[i++] = x[j]; x[j--] = t; }
    }
    if (j < middle) low = i;
    if (middle < i) high = j;
  }
  return x[middle];
}

void nsm_sigma_begin(nsm_sigma *k, double push, double tau) {
  nsm_seed *d = &k->seed;
  const nsm_graph *g = &k->g;
  double q = 0;
  for (int i = 0; i < g->rows; i++) q = fmax(q, fabs(g->q[i]));
  for (int c = 0; c < g->nodes; c++) k->st[c] = k->rho[c] = 1 / g->node[c].metric;
  double middle = median(g->nodes, k->st);
  k->push = push;
  k->tau = (q > 0 ? q * middle : 1) * tau;
  memset(k->x, 0, rows_bytes(k));
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    k->share[c] = sqrt(k->rho[c] / middle) * nsm_seed_between(d, 1, spread);
    k->s0[c] = k->s[c] = k->tau * k->share[c] / (push * k->rho[c]);
    k->x[n->first] = n->kind == NSM_NODE_CONTACT ? k->tau * k->share[c] : nsm_cone_project(0, n->lo, n->hi);
  }
  nsm_graph_apply(g, k->x, 1, k->y);
  memcpy(k->center, k->x, rows_bytes(k));
}
