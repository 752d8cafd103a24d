// Rows that act in every step of a linear model: what a map makes of one step, as one affine function of what the step
// begins with, v = (q, z, tau, y at rest, 1).
//
//   y = C_q q1 + C_z z1 + rest,   q1 = q + way z + end dz,   z1 = z + dz,   dz = A v        (the free motion)
//   lambda = L y + l0,   u = M lambda + y,   dz = A v + X lambda                                                 (1)
//
// The emitted code takes z += D v and looks at W v, which is lambda of a basic row and u of a row that a bound holds
// (compiler/whole/linear_rows.c). That u of basic rows is 0 is checked here, for all v at once: with lambda = Lambda v,
//
//   |M_i Lambda + Y_i|_c <= 8 eps (|M_i| |Lambda| + |Y_i|)_c    in each column c                                   (2)
//
// An unknown of which only round-off is left in each column is at rest: it becomes 0 (closed.c).
#include "whole.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double rounds = 8 * DBL_EPSILON, cancels = 16 * DBL_EPSILON;
enum { REFINEMENTS = 2 };

// Columns: q, z, tau, y at rest of each row, 1.
static int width_of(const nsm_sim *s, const nsm_whole *o) { return s->a->nq + s->a->nz + o->ntimed + s->n.r.n + 1; }

size_t sim_whole_affine_size(const nsm_sim *s, const nsm_whole *o) {
  size_t n = (size_t)s->n.r.n;
  return (n + (size_t)s->a->nq + (size_t)s->a->nz) * (size_t)width_of(s, o) + 4 * n + 2;
}

// A by rows, with empty columns for y at rest.
static void free_motion(const nsm_sim *s, const struct sim_whole *w, double *A) {
  const nsm_whole *o = w->of;
  int width = width_of(s, o), before = s->a->nq + s->a->nz + o->ntimed;
  const double *a = w->c + NSM_WHOLE_SCALARS + o->nconstant;
  memset(A, 0, (size_t)s->a->nz * (size_t)width * sizeof *A);
  for (int e = 0; e < o->npattern; e++)
    A[o->row[e] * width + (o->col[e] < before ? o->col[e] : width - 1)] = a[e];
}

// Row i of y of the free motion.
static void output(const nsm_sim *s, const nsm_whole *o, const double *A, int row, double *Y) {
  int width = width_of(s, o), nq = s->a->nq;
  const nsm_point *to = &s->a->point[NSM_END];
  double end = s->n.h * to->end, way = s->n.h * (to->begin + to->end);
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const nsm_pattern *p = &k->c->h;
  int i = row - k->row0;
  memset(Y, 0, (size_t)width * sizeof *Y);
  Y[nq + s->a->nz + o->ntimed + row] = ((unsigned)o->with_rest >> row) & 1;
  for (int e = 0; e < p->n; e++) {
    double h = k->h[(size_t)i * (size_t)p->n + (size_t)e];
    if (p->wrt[e] == NSM_WRT_L) continue;
    int z = sim_z_of(s, k, i, p->col[e]), q = p->wrt[e] == NSM_WRT_Q;
    Y[nq + z] += q ? way * h : h;
    if (q) Y[z] += h;
    for (int c = 0; c < width; c++) Y[c] += (q ? end * h : h) * A[z * width + c];
  }
}

// Lambda of the rows, and what is left of (2), the largest share: corrected by L as long as it is too large.
static double forces(const sim_whole_map *k, int width, const double *Y, double *Lambda) {
  int m = k->m;
  double worst = 0;
  for (int i = 0; i < m; i++)
    for (int c = 0; c < width; c++) {
      double sum = c == width - 1 ? k->l0[i] : 0;
      for (int j = 0; j < m; j++) sum += k->L[i + j * m] * Y[k->row[j] * width + c];
      Lambda[i * width + c] = sum;
    }
  for (int round = 0; round <= REFINEMENTS; round++) {
    worst = 0;
    for (int c = 0; c < width; c++) {
      double left[WHOLE_ROWS];
      int off = 0;
      for (int i = 0; i < m; i++) {
        double y = Y[k->row[i] * width + c], u = y, size = fabs(y);
        left[i] = 0;
        if (k->act[i] != WHOLE_BASIC) continue;
        for (int j = 0; j < m; j++) {
          double t = k->M[i + j * m] * Lambda[j * width + c];
          u += t;
          size += fabs(t);
        }
        left[i] = u;
        if (fabs(u) > worst * size) worst = fabs(u) / size;
        off |= fabs(u) > 0.5 * rounds * size;
      }
      for (int i = 0; off && round < REFINEMENTS && i < m; i++)
        for (int j = 0; j < m; j++) Lambda[i * width + c] += k->L[i + j * m] * left[j];
    }
    if (worst <= 0.5 * rounds) break;
  }
  return worst;
}

// D of unknown z, by rows of q and of z.
static void change(const nsm_sim *s, const sim_whole_map *k, int z, int width, const double *A, const double *Lambda,
                   double *Dq, double *Dz) {
  int nq = s->a->nq, rests = 1;
  const nsm_point *to = &s->a->point[NSM_END];
  double h = s->n.h, X[WHOLE_ROWS];
  for (int j = 0; j < k->m; j++) X[j] = sim_whole_x(s, z, k->row[j]);
  for (int c = 0; c < width; c++) {
    double d = A[z * width + c], own = c == nq + z, size = fabs(own) + fabs(d), force = 0;
    for (int j = 0; j < k->m; j++) {
      double t = X[j] * Lambda[j * width + c];
      d += t;
      force += fabs(t);
    }
    Dz[c] = d;
    rests &= fabs(own + d) <= cancels * (size + force) && (force > 0 || own + d == 0);
  }
  for (int c = 0; rests && c < width; c++) Dz[c] = c == nq + z ? -1 : 0;
  if (z >= nq) return;
  for (int c = 0; c < width; c++) Dq[c] = h * to->end * Dz[c];
  Dq[nq + z] = rests ? h * to->begin : Dq[nq + z] + h * (to->begin + to->end);
}

// W of row i, its bounds, whether it is basic, and else its force.
static void watched(const sim_whole_map *k, int i, int width, const double *Y, const double *Lambda, double *W) {
  int m = k->m;
  for (int c = 0; c < width; c++) {
    W[c] = Lambda[i * width + c];
    if (k->act[i] == WHOLE_BASIC) continue;
    W[c] = Y[k->row[i] * width + c];
    for (int j = 0; j < m; j++) W[c] += k->M[i + j * m] * Lambda[j * width + c];
  }
}

// to: W by rows, D of q and of z; from, to of W; is the row basic; else its force; is there a map; its residual
static double make(const nsm_sim *s, const struct sim_whole *w, const sim_whole_map *k, double *to) {
  int n = s->n.r.n, nq = s->a->nq, nz = s->a->nz, width = width_of(s, w->of);
  double *A = w->room_affine, *Y = A + nz * width, *Lambda = Y + n * width;
  double *D = to + n * width, *from = D + (nq + nz) * width;
  free_motion(s, w, A);
  for (int row = 0; row < n; row++) output(s, w->of, A, row, Y + row * width);
  double worst = forces(k, width, Y, Lambda);
  for (int z = 0; z < nz; z++) change(s, k, z, width, A, Lambda, D + z * width, D + (nq + z) * width);
  for (int i = 0; i < n; i++) {
    int row = k->row[i], basic = k->act[i] == WHOLE_BASIC, low = k->act[i] == WHOLE_LOW;
    watched(k, i, width, Y, Lambda, to + row * width);
    from[row] = basic ? k->lo[i] : low ? 0 : -INFINITY;
    from[n + row] = basic ? k->hi[i] : low ? INFINITY : 0;
    from[2 * n + row] = basic;
    from[3 * n + row] = k->l0[i];
  }
  return worst;
}

// What the emitted code reads of the map at hand; without one nothing fits.
void sim_whole_show_affine(const nsm_sim *s, struct sim_whole *w, double *to) {
  const sim_whole_map *k = w->recent;
  size_t size = sim_whole_affine_size(s, w->of);
  if (k == w->shown && k) return;
  w->shown = k;
  double *made = k ? w->affine + (size_t)(k - w->map) * size : NULL;
  if (k && !w->affine_made[k - w->map]) {
    int all = k->m == s->n.r.n;
    double worst = all ? make(s, w, k, made) : INFINITY;
    made[size - 2] = worst <= rounds;
    made[size - 1] = worst;
    w->affine_made[k - w->map] = 1;
  }
  if (k && made[size - 2] == 1) memcpy(to, made, size * sizeof *to);
  else {
    for (size_t i = 0; i < size; i++) to[i] = NAN;
    to[size - 2] = 0;
    to[size - 1] = 0;
  }
}

void sim_whole_affine_open(nsm_sim *s, struct sim_whole *w) {
  size_t size = sim_whole_affine_size(s, w->of);
  w->affine = sim_take_scratch(s, WHOLE_MAPS * size * sizeof(double));
  w->affine_made = sim_take(s, WHOLE_MAPS, 1);
  w->room_affine = sim_take(s, (size_t)(s->a->nz + 2 * s->n.r.n) * (size_t)width_of(s, w->of), sizeof(double));
}
