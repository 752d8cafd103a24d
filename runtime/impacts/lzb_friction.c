// The law of lzb.c with Coulomb's friction: dT lies in the disk of mu dN and opposes the slip, or holds it. By a
// midpoint rule that keeps the books exactly, whatever its step: over a step, with mean rates U = u + D dP/2,
//
//   dN = -c (E(d1) - E(d0))/U_N,  d1 = d0 - h U_N, c = 1 where U_N < 0;  d1 = d0 - h U_N/e^2, c = e^2 where U_N > 0 (1)
//   -U_T in N_B(dT),  B the disk of radius mu dN  (2)
//
// The kinetic energy changes by dP.U, which is -c dE of each contact and what friction takes, so none is made
// (discrete gradient, [Gonzalez 1996]). The error is of second order in the step.
//
// A step ends where a slip turns, found by Illinois in few trials. Where friction jams bodies, forces that balance each
// other hold contacts compressed for ever; and contacts that strike each other in turn may need no end of strikes. Both
// end the same way: by e = 0 for the rates that are left, and it is said where this takes energy that the law would
// give back.
#include "impact.h"
#include "runtime/cone/solver.h"
#include <math.h>
#include <string.h>

enum { SHARE = 100, STEPS = 10000, SWEEPS = 2000, PATIENT = 50, TURNS = 30 };
static const double slow = 1e-13, settled = 1e-15, stops = 1e-9,     // of the fastest rate: a slip that ends
                    quiet = 1e-7,       // of it: all contacts that act, for a whole contact time, are jammed
                    exact = 1e-17,      // of the work of the fastest: what (1), (2) may miss in a step
                    missed = 1e-11,     // of it: in all steps, at most
                    stiff = 1e-4,       // e below: no release
                    lost = 1e-9;        // of it: less is not worth a word

typedef struct motion {
  const nsm_impact *p;
  double *d, *u, *U, *dP;               // [contacts], [m]
  double *d1, *struck;                  // [contacts] out of a step; the U_N by which dN was found
  double  h, last, fastest, most;       // step, the one before; largest rate, impulse
  double  left;                         // work that all steps missed
} motion;

static double energy(const nsm_impact *p, int c, double d) {
  return d > 0 ? p->ratio[c] * d * impact_power(d, p->exponent[c]) / (p->exponent[c] + 1) : 0;
}

// Depth after the step with mean rate U, and the impulse of it: (1). Where e = 0 the impulse jumps at U = 0.
static double compressed(const motion *w, int c, double U, double *d1) {
  const nsm_impact *p = w->p;
  double d0 = w->d[c], by = U < 0 ? 1 : p->e[c] * p->e[c];
  if (!(U < 0) && p->e[c] < stiff) { *d1 = 0; return 0; }
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
  if (w->p->e[c] < stiff && free <= 0 && free + half * compressed(w, c, -1e-300, d1) >= 0) {
    *d1 = 0;                                               // compression ends in the step: U_N = 0
    return half > 0 ? -free / half : 0;
  }
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

// D_TT near singular: a step downhill, by the sum of a row of M, to the nearest point of the disk.
static void descend(const motion *w, const nsm_cone_block *b, const double *M, double *x) {
  int n = b->size - 1;
  double largest = 0, length = 0, radius = b->mu * w->dP[b->first];
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(M[i]) + (n > 1 ? fabs(M[i + n]) : 0));
  for (int i = 0; i < n; i++) {
    x[i] = w->dP[b->first + 1 + i] - w->U[b->first + 1 + i] / largest;
    length = hypot(length, x[i]);
  }
  for (int i = 0; i < n && length > radius; i++) x[i] *= radius / length;
}

// (2) of one contact, at the impulses of the others: U_T = q + D_TT dT/2.
static double slide(motion *w, const nsm_cone_block *b) {
  nsm_cone_block disk = { .type = NSM_CONE_DISK, .size = b->size - 1, .radius = b->mu * w->dP[b->first] };
  int n = b->size - 1, row = b->first + 1;
  double M[4], q[2], x[2] = { 0, 0 }, moved = 0;
  for (int i = 0; i < n; i++) {
    q[i] = w->U[row + i];
    for (int j = 0; j < n; j++) {
      M[i + j * n] = 0.5 * w->p->D[row + i + (size_t)(row + j) * (size_t)w->p->m];
      q[i] -= M[i + j * n] * w->dP[row + j];
    }
  }
  if (!nsm_cone_local(&disk, M, q, x)) descend(w, b, M, x);
  for (int i = 0; i < n; i++) {
    double change = x[i] - w->dP[row + i];
    add(w, row + i, change);
    w->dP[row + i] = x[i];
    moved = fmax(moved, fabs(change));
  }
  return moved;
}

// The first guess is the impulse of the last step, by its length.
static void guess(motion *w) {
  size_t m = (size_t)w->p->m;
  memcpy(w->U, w->u, m * sizeof(double));
  for (size_t i = 0; i < m; i++) {
    w->dP[i] *= w->last > 0 ? w->h / w->last : 0;
    add(w, (int)i, w->dP[i]);
  }
  w->last = w->h;
}

// Work that (1) and (2) miss: dN (U_N - that by which dN was found); mu dN |U_T| + dT.U_T, which is 0 where (2) holds.
static double missing(const motion *w) {
  double sum = 0;
  for (int c = 0; c < w->p->contacts; c++) {
    const nsm_cone_block *b = &w->p->contact[c];
    double length = 0, work = 0;
    sum += fabs(w->dP[b->first] * (w->U[b->first] - w->struck[c]));
    for (int i = b->first + 1; i < b->first + b->size; i++) {
      length = hypot(length, w->U[i]);
      work += w->dP[i] * w->U[i];
    }
    if (b->size > 1) sum += fabs(b->mu * w->dP[b->first] * length + work);
  }
  return sum;
}

// What a step may miss after n sweeps: more of them mean that rounding is more.
static double allowed(const motion *w, int n) {
  double tries = n / (double)PATIENT;
  return exact * (1 + tries * tries) * w->fastest * w->most;
}

static void step(motion *w) {
  const nsm_impact *p = w->p;
  guess(w);
  for (int n = 0, moves = 1; n < SWEEPS && moves; n++) {
    double moved = 0;
    for (int c = 0; c < p->contacts; c++) {
      const nsm_cone_block *b = &p->contact[c];
      double N = strike(w, c, &w->d1[c]);
      moved = fmax(moved, fabs(N - w->dP[b->first]));
      add(w, b->first, N - w->dP[b->first]);
      w->dP[b->first] = N;
      w->struck[c] = w->U[b->first];
      if (b->size > 1) moved = fmax(moved, slide(w, b));
    }
    moves = moved > settled * w->most && missing(w) > allowed(w, n);
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

// Does a slip turn within the step? The least of (slip before).(slip after) over the first one's square: 1 and more
// where none does, 0 where one ends.
static double turn(const motion *w) {
  double least = 1, ended = stops * stops * w->fastest * w->fastest;
  for (int c = 0; c < w->p->contacts; c++) {
    const nsm_cone_block *b = &w->p->contact[c];
    double before = 0, along = 0, after = 0;
    for (int i = b->first + 1; i < b->first + b->size; i++) {
      double s1 = 2 * w->U[i] - w->u[i];
      before += w->u[i] * w->u[i];
      along += w->u[i] * s1;
      after += s1 * s1;
    }
    if (before > ended) least = fmin(least, after > ended ? along / before : 0);
  }
  return least;
}

// A step that ends before a slip has turned, or where it turns. After TURNS trials it is taken as it is: (1) and (2)
// hold for any length.
static void advance(motion *w) {
  step(w);
  double lo = 0, hi = w->h, flo = 1, fhi = turn(w);
  int side = 0;
  for (int n = 0; n < TURNS && fhi < -stops; n++) {
    w->h = n % 4 == 3 ? 0.5 * (lo + hi) : lo + (hi - lo) * flo / (flo - fhi);
    step(w);
    double f = turn(w);
    if (f >= -stops && f <= 0.01) return;
    if (f < 0) {
      hi = w->h, fhi = f;
      if (side == 1) flo *= 0.5;
      side = 1;
    } else {
      lo = w->h, flo = f;
      if (side == -1) fhi *= 0.5;
      side = -1;
    }
  }
}

static int acts(const motion *w, int c) { return w->d[c] > 0 || w->u[w->p->contact[c].first] < -slow * w->fastest; }

static int ends(const motion *w) {
  for (int c = 0; c < w->p->contacts; c++) if (acts(w, c)) return 0;
  return 1;
}

// Is none of the contacts that act in motion?
static int rests(const motion *w) {
  for (int c = 0; c < w->p->contacts; c++) {
    const nsm_cone_block *b = &w->p->contact[c];
    for (int i = b->first; acts(w, c) && i < b->first + b->size; i++)
      if (fabs(w->u[i]) > quiet * w->fastest) return 0;
  }
  return 1;
}

static motion begin(const nsm_impact *p, impact_work *room, nsm_impact_answer *a) {
  size_t m = (size_t)p->m;
  motion w = { .p = p, .fastest = impact_fastest(p) };
  double **each[] = { &w.d, &w.u, &w.U, &w.dP, &w.d1, &w.struck };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    *each[i] = impact_take(room, m);
    memset(*each[i], 0, m * sizeof(double));
  }
  for (int c = 0; c < p->contacts; c++) {
    size_t row = (size_t)p->contact[c].first;
    w.most = fmax(w.most, w.fastest / p->D[row + row * m]);
  }
  memset(a->impulse, 0, m * sizeof(double));
  memcpy(w.u, p->before, m * sizeof(double));
  return w;
}

// What is left at the end: e = 0 for the rates. What contacts have stored is lost.
static int rest(const motion *w, impact_work room, nsm_impact_answer *a) {
  double taken, stored = 0;
  for (int c = 0; c < w->p->contacts; c++) stored += energy(w->p, c, w->d[c]);
  if (!impact_rest(w->p, w->u, room, a, &taken)) return 0;
  if (stored + taken > lost * w->fastest * w->most) a->share = 0;
  return 1;
}

int impact_lzb_friction(const nsm_impact *p, impact_work room, nsm_impact_answer *a) {
  motion w = begin(p, &room, a);
  int still = 0;
  for (int n = 0; n < STEPS && still < SHARE; n++) {
    if (ends(&w)) return 1;
    w.h = length(&w);
    advance(&w);
    w.left += missing(&w);
    if (w.left > missed * w.fastest * w.most) return 0;
    memcpy(w.d, w.d1, (size_t)p->contacts * sizeof(double));
    for (int i = 0; i < p->m; i++) a->impulse[i] += w.dP[i];
    memcpy(w.u, p->before, (size_t)p->m * sizeof(double));
    impact_apply(p, a->impulse, w.u);
    still = rests(&w) ? still + 1 : 0;
  }
  return rest(&w, room, a);
}
