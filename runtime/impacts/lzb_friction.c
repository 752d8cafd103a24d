// The law of lzb.c with Coulomb's friction: dT lies in the disk of mu dN and opposes the slip, or holds it. By a
// midpoint rule that keeps the books exactly, whatever its step: over a step, with mean rates U = u + D dP/2,
//
//   dN = -c (E(d1) - E(d0))/U_N,  d1 = d0 - h U_N, c = 1 where U_N < 0;  d1 = d0 - h U_N/e^2, c = e^2 where U_N > 0 (1)
//   -U_T in N_B(dT),  B the disk of radius mu dN  (2)
//
// The kinetic energy changes by dP.U, which is -c dE of each contact and what friction takes, so none is made
// (discrete gradient, [Gonzalez 1996]). The error is of second order in the step.
#include "impact.h"
#include <math.h>
#include <string.h>

enum { SHARE = 100, STEPS = 10000, SWEEPS = 200 };
static const double slow = 1e-13, settled = 1e-15, stops = 1e-7;     // of the fastest rate: a slip that ends

typedef struct motion {
  const nsm_impact *p;
  double *d, *u, *U, *dP;               // [contacts], [m]
  double  h, fastest, most;
} motion;

static double energy(const nsm_impact *p, int c, double d) {
  return d > 0 ? p->ratio[c] * d * impact_power(d, p->exponent[c]) / (p->exponent[c] + 1) : 0;
}

// Depth after the step with mean rate U, and the impulse of it: (1).
static double compressed(const motion *w, int c, double U, double *d1) {
  const nsm_impact *p = w->p;
  double e2 = p->e[c] * p->e[c], d0 = w->d[c], by = U < 0 ? 1 : e2;
  if (!(U < 0) && e2 < 1e-8) { *d1 = 0; return 0; }
  *d1 = fmax(d0 - w->h * U / by, 0);
  double way = *d1 - d0;
  if (fabs(way) > 1e-4 * (*d1 + d0)) return -by * (energy(p, c, *d1) - energy(p, c, d0)) / U;
  return w->h * p->ratio[c] * impact_power(0.5 * (*d1 + d0), p->exponent[c]);        // (E(d1) - E(d0))/way, to way^2
}

static void add(const motion *w, int row, double change) {
  for (int i = 0; i < w->p->m; i++) w->U[i] += 0.5 * w->p->D[i + (size_t)row * (size_t)w->p->m] * change;
}

// (1) of one contact, at the U of the others: U_N = free + D_NN dN/2 by Newton with bisection; dN falls with U_N.
static double strike(motion *w, int c, double *d1) {
  int row = w->p->contact[c].first;
  double half = 0.5 * w->p->D[row + (size_t)row * (size_t)w->p->m], free = w->U[row] - half * w->dP[row];
  double lo = free, hi = fmax(free, 0) + half * compressed(w, c, fmin(free, -1e-300), d1), U = w->U[row];
  if (!(U >= lo && U <= hi)) U = 0.5 * (lo + hi);
  for (int n = 0; n < 100; n++) {
    double left = U - free - half * compressed(w, c, U, d1);
    if (left > 0) hi = U;
    else lo = U;
    double next = U - left;                                // the slope is 1 and less than h^2 K D
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (fabs(next - U) <= settled * w->fastest || !(hi - lo > settled * w->fastest)) break;
    U = next;
  }
  return compressed(w, c, U, d1);
}

// (2): the nearest point of the disk.
static double slide(motion *w, const nsm_cone_block *b) {
  double radius = b->mu * w->dP[b->first], largest = 0, old[2], x[2] = { 0, 0 }, moved = 0, length = 0;
  int n = b->size - 1;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(w->p->D[b->first + 1 + i + (size_t)(b->first + 1 + j) * (size_t)w->p->m]);
    largest = fmax(largest, 0.5 * sum);
  }
  for (int i = 0; i < n; i++) {
    old[i] = w->dP[b->first + 1 + i];
    x[i] = old[i] - w->U[b->first + 1 + i] / largest;
    length = hypot(length, x[i]);
  }
  for (int i = 0; i < n; i++) {
    if (length > radius) x[i] *= radius / length;
    add(w, b->first + 1 + i, x[i] - old[i]);
    w->dP[b->first + 1 + i] = x[i];
    moved = fmax(moved, fabs(x[i] - old[i]));
  }
  return moved;
}

static void step(motion *w, double *d1) {
  const nsm_impact *p = w->p;
  memcpy(w->U, w->u, (size_t)p->m * sizeof(double));
  memset(w->dP, 0, (size_t)p->m * sizeof(double));
  for (int n = 0, moves = 1; n < SWEEPS && moves; n++) {
    double moved = 0;
    for (int c = 0; c < p->contacts; c++) {
      const nsm_cone_block *b = &p->contact[c];
      double N = strike(w, c, &d1[c]);
      moved = fmax(moved, fabs(N - w->dP[b->first]));
      add(w, b->first, N - w->dP[b->first]);
      w->dP[b->first] = N;
      if (b->size > 1) moved = fmax(moved, slide(w, b));
    }
    moves = moved > settled * w->most;
  }
}

// A share of the shortest time that a contact which acts would take alone with the energy that it has.
static double length(const motion *w) {
  const nsm_impact *p = w->p;
  double least = INFINITY;
  for (int c = 0; c < p->contacts; c++) {
    size_t row = (size_t)p->contact[c].first;
    double D = p->D[row + row * (size_t)p->m], eta = p->exponent[c], u = w->u[row];
    if (!(w->d[c] > 0 || u < 0)) continue;
    double E = energy(p, c, w->d[c]) + 0.5 * u * u / D, d = pow((eta + 1) * E / p->ratio[c], 1 / (eta + 1));
    least = fmin(least, d / sqrt(2 * D * E) * (u > 0 ? fmax(p->e[c], 0.1) : 1));
  }
  return least / SHARE;
}

// Does a slip turn within the step? The share of it after which it does, by the secant; 1: none does.
static double turn(const motion *w) {
  double first = 1;
  for (int c = 0; c < w->p->contacts; c++) {
    const nsm_cone_block *b = &w->p->contact[c];
    double before = 0, after = 0;
    for (int i = b->first + 1; i < b->first + b->size; i++) {
      double s1 = 2 * w->U[i] - w->u[i];
      before += w->u[i] * w->u[i];
      after += w->u[i] * s1;
    }
    if (before > stops * stops * w->fastest * w->fastest && after < 0) first = fmin(first, before / (before - after));
  }
  return first;
}

static int ends(const motion *w) {
  for (int c = 0; c < w->p->contacts; c++)
    if (w->d[c] > 0 || w->u[w->p->contact[c].first] < -slow * w->fastest) return 0;
  return 1;
}

int impact_lzb_friction(const nsm_impact *p, impact_work room, nsm_impact_answer *a) {
  size_t m = (size_t)p->m;
  motion w = { .p = p };
  w.d = impact_take(&room, m);
  w.u = impact_take(&room, m);
  w.U = impact_take(&room, m);
  w.dP = impact_take(&room, m);
  double *d1 = impact_take(&room, m);
  w.fastest = impact_fastest(p);
  for (int c = 0; c < p->contacts; c++) {
    size_t row = (size_t)p->contact[c].first;
    w.most = fmax(w.most, w.fastest / p->D[row + row * m]);
  }
  memset(w.d, 0, m * sizeof(double));
  memset(a->impulse, 0, m * sizeof(double));
  memcpy(w.u, p->before, m * sizeof(double));
  for (int n = 0; n < STEPS; n++) {
    if (ends(&w)) return 1;
    w.h = length(&w);
    step(&w, d1);
    for (double x; (x = turn(&w)) < 1; step(&w, d1)) w.h *= fmax(x, 0.01);
    memcpy(w.d, d1, (size_t)p->contacts * sizeof(double));
    for (size_t i = 0; i < m; i++) a->impulse[i] += w.dP[i];
    memcpy(w.u, p->before, m * sizeof(double));
    impact_apply(p, a->impulse, w.u);
  }
  double rest;
  return impact_rest(p, w.u, room, a, &rest);
}
