// Attitudes in a piece: a chart about the mean attitude, (9), (10) of docs/numerics/galerkin.md.
//
//   p_M = p_B o cay(a_0/2),   xi(tau) = -a_0/2 + sum a_j I_j(tau),   p(tau) = p_M o cay(xi(tau))                  (9)
//   increment of a subinterval from xi_0 to xi_1:  B (xi_1 - xi_0),   B = (I - 1/2 xm^)/(1 + 1/4 xi_0 . xi_1),
//   xm = (xi_0 + xi_1)/2,                                              p_1 = p_0 o cay(increment)  exactly        (10)
//
// A body has three unknowns of its turn for each polynomial; B turns their increments into those of the kernels, and
// its transpose the kernels' rows into theirs.
#include "galerkin.h"

void galerkin_turns_analyse(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  int n = 0;
  SIM_EACH(s, kinematics, k) n += k->tab.count;
  g->turn = SIM_NEW(s, n, galerkin_turn);
  SIM_EACH(s, kinematics, k)
    for (int i = 0; i < k->tab.count && !k->c->remembers; i++) {
      int *z = g->turn[g->nturn++].z, found = 0;
      for (int slot = 0; slot < k->c->nslot && found < 3; slot++)
        if (k->c->slot[slot] != NSM_SLOT_POSITION) z[found++] = sim_z_of(s, k, i, slot);
    }
  g->middle = SIM_NEW(s, s->a->nq, double);
}

// xi of a body where the I_j have these values.
static void chart(const nsm_sim *s, const int *z, const double *I, double *xi) {
  const struct sim_galerkin *g = s->n.galerkin;
  for (int d = 0; d < 3; d++) {
    xi[d] = -0.5 * g->x[galerkin_at(s, 0, IN_PLACES, z[d])];
    for (int j = 0; j < g->t.s; j++) xi[d] += I[j] * g->x[galerkin_at(s, j, IN_PLACES, z[d])];
  }
}

void galerkin_turns_middle(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  if (g->nturn == 0) return;
  memset(s->w.way, 0, (size_t)s->a->nv * sizeof(double));
  for (int b = 0; b < g->nturn; b++)
    for (int d = 0; d < 3; d++) s->w.way[g->turn[b].z[d]] = 0.5 * g->x[galerkin_at(s, 0, IN_PLACES, g->turn[b].z[d])];
  sim_move_bodies_again(s, s->now.q, s->w.way, g->middle);
}

void galerkin_turns_place(nsm_sim *s, const double *I, double *q) {
  struct sim_galerkin *g = s->n.galerkin;
  if (s->a->on.kinematics.n == 0) return;
  for (int i = s->a->nown; i < s->a->nq; i++) q[i] = s->now.q[i];            // angles that are remembered stay
  memset(s->w.way, 0, (size_t)s->a->nv * sizeof(double));
  for (int b = 0; b < g->nturn; b++) {
    double xi[3];
    chart(s, g->turn[b].z, I, xi);
    for (int d = 0; d < 3; d++) s->w.way[g->turn[b].z[d]] = xi[d];
  }
  sim_move_bodies_again(s, g->middle, s->w.way, q);
}

// B of (10) for each body, from where the I_j are I0 to where they are I1.
void galerkin_turns_between(nsm_sim *s, const double *I0, const double *I1) {
  struct sim_galerkin *g = s->n.galerkin;
  for (int b = 0; b < g->nturn; b++) {
    double x0[3], x1[3], m[3], *B = g->turn[b].B, dot = 0;
    chart(s, g->turn[b].z, I0, x0);
    chart(s, g->turn[b].z, I1, x1);
    for (int d = 0; d < 3; d++) {
      m[d] = 0.25 * (x0[d] + x1[d]);
      dot += 0.25 * x0[d] * x1[d];
    }
    const double hat[9] = { 0, -m[2], m[1], m[2], 0, -m[0], -m[1], m[0], 0 };
    for (int e = 0; e < 9; e++) B[e] = ((e % 4 == 0) - hat[e]) / (1 + dot);
  }
}

void galerkin_turns_forth(const nsm_sim *s, double *x) {
  const struct sim_galerkin *g = s->n.galerkin;
  for (int b = 0; b < g->nturn; b++) {
    const int *z = g->turn[b].z;
    const double *B = g->turn[b].B, v[3] = { x[z[0]], x[z[1]], x[z[2]] };
    for (int d = 0; d < 3; d++) x[z[d]] = B[3 * d] * v[0] + B[3 * d + 1] * v[1] + B[3 * d + 2] * v[2];
  }
}

void galerkin_turns_back(const nsm_sim *s, double *x) {
  const struct sim_galerkin *g = s->n.galerkin;
  for (int b = 0; b < g->nturn; b++) {
    const int *z = g->turn[b].z;
    const double *B = g->turn[b].B, v[3] = { x[z[0]], x[z[1]], x[z[2]] };
    for (int d = 0; d < 3; d++) x[z[d]] = B[d] * v[0] + B[3 + d] * v[1] + B[6 + d] * v[2];
  }
}

// Half of an increment: cay(half) o cay(half) = cay(xi). xi at 2 atan(|xi|/2), half at half of that.
void galerkin_turns_half(const nsm_sim *s, double *x) {
  const struct sim_galerkin *g = s->n.galerkin;
  for (int b = 0; b < g->nturn; b++) {
    const int *z = g->turn[b].z;
    double c = 1 / sqrt(1 + 0.25 * (x[z[0]] * x[z[0]] + x[z[1]] * x[z[1]] + x[z[2]] * x[z[2]]));
    for (int d = 0; d < 3; d++) x[z[d]] *= c / (1 + c);
  }
}
