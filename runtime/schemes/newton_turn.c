// Where the residual turns along a step of Newton's method.
#include "newton.h"
#include <string.h>

enum { CUTS = 60 };
static const double enough = 1e-3;       // of (22), where it turns

// ---- where the residual turns ---------------------------------------------------------------------------------------
// At a root where the slope is not bounded, as of |x|^(1/2), Newton's method passes the root again and again. Along its
// step then
//
//   psi = sum_i R_i before . R_i / size_i^2,  i: the unknowns and laws that are coupled                           (22)
//
// changes its sign, and these go to where it does. The groups are trees: places are the blocks of W, then the rows.
static int top_of(sim_turn *u, int i) {
  while (u[i].up != i) i = u[i].up = u[u[i].up].up;
  return i;
}

static void group(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_turn *u = s->w.turn;
  int nblock = s->n.w.nblock;
  for (int i = 0; i < nblock + r->n; i++) u[i].up = i;
  for (int i = 0; i < s->n.isl.nactive + r->nborder; i++) {
    int row = newton_row(s, i), at = nblock + row;
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) u[top_of(u, s->n.w.block_of[r->bz[e]])].up = top_of(u, at);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) u[top_of(u, s->n.w.block_of[r->cz[e]])].up = top_of(u, at);
    for (int e = r->d0[row]; e < r->d0[row + 1]; e++) u[top_of(u, nblock + r->ds[e])].up = top_of(u, at);
  }
}

static void project(nsm_sim *s) {
  sim_turn *u = s->w.turn;
  for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++) u[i].psi = 0;
  for (int i = 0; i < s->a->nz; i++)
    u[top_of(u, s->n.w.block_of[i])].psi += s->w.before[i] / s->w.top[i] * (s->w.residual[i] / s->w.top[i]);
  for (int i = 0; i < s->n.isl.nactive + s->n.r.nborder; i++) {
    int row = newton_row(s, i), at = s->a->nz + row;
    u[top_of(u, s->n.w.nblock + row)].psi += s->w.before[at] / s->w.top[at] * (s->w.residual[at] / s->w.top[at]);
  }
}

// R of an iterate, which the next step starts from.
void newton_remember(nsm_sim *s) {
  memcpy(s->w.before, s->w.residual, (size_t)(s->a->nz + s->n.r.n) * sizeof(double));
  for (int i = 0; i < s->a->nz + s->n.r.n; i++) s->w.top[i] = s->w.residual_size[i] + DBL_MIN;
  group(s);
  project(s);
  for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++) s->w.turn[i].start = s->w.turn[i].psi;
}

int newton_turned(nsm_sim *s) {
  int n = 0;
  project(s);
  for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++) {
    sim_turn *u = &s->w.turn[i];
    u->turns = u->psi < 0;
    n += u->turns;
    u->a = u->side = 0;
    u->b = 1;
    u->fa = u->start;
    u->fb = u->psi;
  }
  return n;
}

// z1 := z_from + at (z_try - z_from), the multipliers alike, each group by its own `at`.
static void go_each(nsm_sim *s) {
  sim_turn *u = s->w.turn;
  for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++)
    u[i].at = u[i].turns ? (u[i].fa * u[i].b - u[i].fb * u[i].a) / (u[i].fa - u[i].fb) : 1;
  for (int i = 0; i < s->a->nz; i++)
    s->w.z1[i] = s->w.z_from[i] + u[top_of(u, s->n.w.block_of[i])].at * (s->w.z_try[i] - s->w.z_from[i]);
  for (int i = 0; i < s->n.isl.nactive + s->n.r.nborder; i++) {
    int row = newton_row(s, i), l = s->n.r.l[row];
    s->w.l1[l] = s->w.l_from[l] + u[top_of(u, s->n.w.nblock + row)].at * (s->w.l_try[l] - s->w.l_from[l]);
  }
  newton_position(s);
}

// By false position with halved ordinates [Dowell and Jarratt 1971].
double newton_to_the_turn(nsm_sim *s, double t1, int *worst) {
  for (int k = 0, left = 1; k < CUTS && left > 0; k++) {
    go_each(s);
    newton_evaluate(s, t1);
    newton_residual(s, 1, worst);
    project(s);
    left = 0;
    for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++) {
      sim_turn *u = &s->w.turn[i];
      if (!u->turns || !(fabs(u->psi) > enough * u->start) || u->b - u->a < 4 * DBL_EPSILON * u->b) continue;
      int side = u->psi > 0 ? 1 : -1;
      if (side > 0) { u->a = u->at; u->fa = u->psi; if (u->side > 0) u->fb *= 0.5; }
      else { u->b = u->at; u->fb = u->psi; if (u->side < 0) u->fa *= 0.5; }
      u->side = side;
      left++;
    }
  }
  return newton_residual(s, 1, worst);
}
