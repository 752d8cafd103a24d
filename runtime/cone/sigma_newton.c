// Large friction problems: Newton's method on a smoothed problem with the sliding speed as an unknown of its own, and
// linear systems on the bodies.
//
// In the frame of the unit cone, X = (N, T / mu), V = (u_N, mu u_T), each contact has a free scalar sigma in place of
// |V_T|:
//
//   N = g(N - r V_N),    X = P(X - r (sigma, V_T)),    g(z) = (z + sqrt(z^2 + 4 tau^2)) / 2,                       (a)
//
// P is g on the spectrum of the unit cone (Fukushima, Luo and Tseng, SIAM J. Optim. 12 (2001) 436-460). With
// z = X - r (sigma, V_T), g_1,2 = g(z_N -+ |z_T|), e = z_T / |z_T| and b = (g_1' + g_2') / 2, c = (g_2' - g_1') / 2,
// a = (g_2 - g_1) / (2 |z_T|), h = g_1' g_2' / b the derivative of the second without sigma is
//
//   [(1 - a)(I - e e^T) + (1 - h) e e^T] dT - (c / b) e dN + r [a (I - e e^T) + h e e^T] dV_T = -(R_T - (c / b) e R_0)
//   r b dsigma = -R_0 - (1 - b) dN + c e.dT - r c e.dV_T                                                           (b)
//
// The systems  A dX + B (M + alpha D) dX = -R  are solved with M = H S H^T + E (bodies.h) by eliminating the contacts:
//
//   Ai = (A + B (E + alpha D))^-1,  C = Ai B,   (S + H^T C H) v = -H^T Ai R,   dX = -Ai R - C H v                  (c)
//
// and corrected once with M itself. tau falls where Newton has followed, |R|_inf <= tau, and with it the proximal term
// alpha D (X - center), D = 1 / rho; where Newton fails alpha grows.
#include "bodies.h"
#include "runtime/la/la.h"
#include <float.h>
#include <math.h>
#include <string.h>
#ifdef NSM_TRACE
#include <stdio.h>
#include <stdlib.h>
#endif

typedef struct cell { double b, c, e[NSM_NODE_ROWS]; } cell;

typedef struct sigma_newton {
  nsm_graph g;
  nsm_bodies bodies;
  nsm_body_factor factor;
  nsm_cone_work *w;
  double *weight, *rho;                 // [nodes]
  double *share;               // [nodes] tau of a node is share times tau
  double *x, *y, *s;           // [rows], [rows], [nodes]; y = M x + q without the proximal term
  double *dx, *dy, *ds, *center, *s_center, *best, *xt, *yt, *st;
  double *R, *R0, *rhs, *v, *lambda;
  double *A, *B, *Ai, *C;
  cell   *cell;
  double *cold, *ox, *oy, *os, *T, *dV, *tx, *ty, *px, *py, *T0, *ts, *ps;
  double *wx, *wy, *ws, *wc, *x0, wtau, tau0;
  double  ratio, tt, step, end, push, alpha, tau, merit, norm, otau, oalpha, least;
  int     steps;
} sigma_newton;

static double plus(double z, double tau, double *slope, double *rest) {
  double s = sqrt(z * z + 4 * tau * tau), far = 2 * tau / (s + fabs(z)) * tau, thin = far / s;
  *slope = z >= 0 ? 1 - thin : thin;
  *rest = z >= 0 ? thin : 1 - thin;
  return z >= 0 ? z + far : far;
}

// R of a contact; its blocks A and B where A is not NULL.
static void contact_map(const sigma_newton *k, int c, const double *x, const double *V, double s, double *R, double *R0,
                        double *A, double *B) {
  int n = k->g.node[c].size;
  double tau = k->tau * k->share[c], r = k->push * k->rho[c], slope, rest, z[NSM_NODE_ROWS], t = 0;
  R[0] = x[0] - plus(x[0] - r * V[0], tau, &slope, &rest);
  z[0] = x[0] - r * s;
  for (int i = 1; i < n; i++) { z[i] = x[i] - r * V[i]; t += z[i] * z[i]; }
  t = sqrt(t);
  double slope1, slope2, rest1, rest2, g1 = plus(z[0] - t, tau, &slope1, &rest1), g2 = plus(z[0] + t, tau, &slope2, &rest2);
  double a, not_a, b = 0.5 * (slope1 + slope2), cc = 0.5 * (slope2 - slope1), h = slope1 * slope2 / b;
  if (t > 1e-8 * (fabs(z[0]) + tau)) { a = (g2 - g1) / (2 * t); not_a = 1 - a; }
  else { a = b; not_a = 0.5 * (rest1 + rest2); }
  *R0 = x[0] - 0.5 * (g1 + g2);
  for (int i = 1; i < n; i++) {
    double e = t > 0 ? z[i] / t : 0;
    R[i] = x[i] - 0.5 * (g2 - g1) * e;
  }
  if (!A) return;
  cell *o = k->cell + c;
  o->b = b;
  o->c = cc;
  memset(A, 0, NSM_NODE_BLOCK * sizeof *A);
  memset(B, 0, NSM_NODE_BLOCK * sizeof *B);
  A[0] = rest;
  B[0] = r * slope;
  double not_h = 0.5 * (slope1 * rest2 + slope2 * rest1) / b;
  for (int i = 1; i < n; i++) o->e[i] = t > 0 ? z[i] / t : 0;
  for (int i = 1; i < n; i++) {
    A[i * NSM_NODE_ROWS] = -cc / b * o->e[i];
    for (int j = 1; j < n; j++) {
      double e = o->e[i] * o->e[j], d = (i == j) - e;
      A[i * NSM_NODE_ROWS + j] = not_a * d + not_h * e;
      B[i * NSM_NODE_ROWS + j] = r * (a * d + h * e);
    }
  }
}

static void interval_map(const sigma_newton *k, int c, double x, double V, double *R, double *A, double *B) {
  const nsm_node *n = k->g.node + c;
  double tau = k->tau * k->share[c], r = k->push * k->rho[c], z = x - r * V, P = z, G = 1, not_G = 0, slope, rest;
  int low = n->lo > -HUGE_VAL, high = n->hi < HUGE_VAL;
  if (low) { P = n->lo + plus(z - n->lo, tau, &slope, &rest); G = slope; not_G = rest; }
  if (high && low) { P -= plus(z - n->hi, tau, &slope, &rest); G -= slope; not_G += slope; }
  if (high && !low) { P = n->hi - plus(n->hi - z, tau, &slope, &rest); G = slope; not_G = rest; }
  *R = low || high ? x - P : r * V;
  if (!A) return;
  memset(A, 0, NSM_NODE_BLOCK * sizeof *A);
  memset(B, 0, NSM_NODE_BLOCK * sizeof *B);
  A[0] = not_G;
  B[0] = r * G;
}

// R at (x, y, s), y without the proximal term; norm: the largest |R| / share, returned: their root of squares.
static double residual(sigma_newton *k, const double *x, const double *y, const double *s, int blocks, double *norm) {
  double sum = 0, most = 0;
  for (int c = 0; c < k->g.nodes; c++) {
    const nsm_node *n = k->g.node + c;
    double V[NSM_NODE_ROWS], *A = blocks ? k->A + (size_t)c * NSM_NODE_BLOCK : NULL,
           *B = blocks ? k->B + (size_t)c * NSM_NODE_BLOCK : NULL, prox = k->alpha / k->rho[c];
    int f = n->first;
    for (int i = 0; i < n->size; i++) V[i] = y[f + i] + prox * (x[f + i] - k->center[f + i]);
    k->R0[c] = 0;
    if (n->kind == NSM_NODE_CONTACT) contact_map(k, c, x + f, V, s[c], k->R + f, k->R0 + c, A, B);
    else interval_map(k, c, x[f], V[0], k->R + f, A, B);
    double weight = 1 / k->share[c], t = k->R0[c] * weight;
    most = fmax(most, fabs(t));
    sum += t * t;
    for (int i = 0; i < n->size; i++) {
      t = k->R[f + i] * weight;
      most = fmax(most, fabs(t));
      sum += t * t;
    }
  }
  *norm = most;
  return sqrt(sum);
}

// Ai and C; K is factored. 0 where something is singular.
static int factor(sigma_newton *k) {
  for (int c = 0; c < k->g.nodes; c++) {
    int n = k->g.node[c].size;
    const double *A = k->A + (size_t)c * NSM_NODE_BLOCK, *B = k->B + (size_t)c * NSM_NODE_BLOCK,
                 *E = k->bodies.rest + (size_t)c * NSM_NODE_BLOCK;
    double *Ai = k->Ai + (size_t)c * NSM_NODE_BLOCK, *C = k->C + (size_t)c * NSM_NODE_BLOCK, J[NSM_NODE_BLOCK],
           X[NSM_NODE_BLOCK], prox = k->alpha / k->rho[c];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = A[i * NSM_NODE_ROWS + j] + B[i * NSM_NODE_ROWS + j] * prox;
        for (int l = 0; l < n; l++) sum += B[i * NSM_NODE_ROWS + l] * E[l * NSM_NODE_ROWS + j];
        J[i * n + j] = sum;
      }
    if (nsm_la_small_inverse(n, J, n, 0, X).code != NSM_LA_OK) return 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int l = 0; l < n; l++) sum += X[i * n + l] * B[l * NSM_NODE_ROWS + j];
        Ai[i * NSM_NODE_ROWS + j] = X[i * n + j];
        C[i * NSM_NODE_ROWS + j] = sum;
      }
  }
  return nsm_body_factor_make(&k->g, &k->bodies, k->C, &k->factor);
}

// out -+= the blocks times in.
static void times(const nsm_graph *g, const double *block, const double *in, double sign, double *out) {
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    const double *a = block + (size_t)c * NSM_NODE_BLOCK;
    for (int i = 0; i < n->size; i++) {
      double sum = 0;
      for (int j = 0; j < n->size; j++) sum += a[i * NSM_NODE_ROWS + j] * in[n->first + j];
      out[n->first + i] += sign * sum;
    }
  }
}

// dx += the solution of the system with right-hand side rhs by (c); rhs is lost.
static void solve(sigma_newton *k, double *rhs, double *dx) {
  size_t bytes = (size_t)k->g.rows * sizeof(double);
  double *z = k->xt, *hv = k->yt;
  memset(z, 0, bytes);
  memset(hv, 0, bytes);
  times(&k->g, k->Ai, rhs, 1, z);
  nsm_bodies_gather(&k->g, &k->bodies, z, k->v);
  nsm_body_factor_solve(&k->factor, k->v);
  nsm_bodies_spread(&k->g, &k->bodies, k->v, hv);
  times(&k->g, k->C, hv, -1, z);
  for (int i = 0; i < k->g.rows; i++) dx[i] += z[i];
}

// dx, dy = M dx, ds with  J (dx, ds) = -(R, R0) - B dV  where dV (or NULL) is a change of V from elsewhere; the matrix is
// factored. 0: not finite.
static int linear(sigma_newton *k, const double *R, const double *R0, const double *dV, double *dx, double *dy,
                  double *ds) {
  const nsm_graph *g = &k->g;
  memset(dx, 0, (size_t)g->rows * sizeof(double));
  for (int pass = 0; pass < 2; pass++) {
    for (int c = 0; c < g->nodes; c++)
      for (int i = 0; i < g->node[c].size; i++) {
        int r = g->node[c].first + i;
        k->rhs[r] = -R[r];
        if (i && g->node[c].kind == NSM_NODE_CONTACT) k->rhs[r] += k->cell[c].c / k->cell[c].b * k->cell[c].e[i] * R0[c];
      }
    if (dV) times(g, k->B, dV, -1, k->rhs);
    if (pass) {
      nsm_graph_apply(g, dx, 0, dy);
      for (int c = 0; c < g->nodes; c++)
        for (int i = 0; i < g->node[c].size; i++)
          k->yt[g->node[c].first + i] = dy[g->node[c].first + i] + k->alpha / k->rho[c] * dx[g->node[c].first + i];
      times(g, k->A, dx, -1, k->rhs);
      times(g, k->B, k->yt, -1, k->rhs);
    }
#ifdef NSM_TRACE
    if (getenv("LINV")) { double n2 = 0; for (int i = 0; i < g->rows; i++) n2 += k->rhs[i] * k->rhs[i]; fprintf(stderr, "      lin %d %.2e\n", pass, sqrt(n2)); }
#endif
    solve(k, k->rhs, dx);
  }
  nsm_graph_apply(g, dx, 0, dy);
  double finite = 0;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    int f = n->first;
    ds[c] = 0;
    if (n->kind == NSM_NODE_CONTACT) {
      const cell *o = k->cell + c;
      double r = k->push * k->rho[c], prox = k->alpha / k->rho[c], sum = -R0[c] - (1 - o->b) * dx[f];
      for (int i = 1; i < n->size; i++)
        sum += o->c * o->e[i] * (dx[f + i] - r * (dy[f + i] + prox * dx[f + i] + (dV ? dV[f + i] : 0)));
      ds[c] = sum / (r * o->b);
      finite += ds[c] * 0;
    }
    for (int i = 0; i < n->size; i++) finite += dx[f + i] * 0;
  }
  return finite == 0;
}

static int direction(sigma_newton *k) {
  return factor(k) && linear(k, k->R, k->R0, NULL, k->dx, k->dy, k->ds);
}

static double median(int n, double *x) {                       // n small or large: by counting (Hoare 1961)
  int low = 0, high = n - 1, middle = n / 2;
  while (low < high) {
    double pivot = x[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (x[i] < pivot) i++;
      while (x[j] > pivot) j--;
      if (i <= j) { double t = x[i]; x[i++] = x[j]; x[j--] = t; }
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else break;
  }
  return x[middle];
}

enum { MEMORY = 3, STAGE = 8, STEPS = 1500, HALVINGS = 12, SHORT = 2 };

// Newton at one tau: 1 where |R|_inf <= tau; *used: steps.
static int stage(sigma_newton *k, int *used, double *start) {
  const nsm_graph *g = &k->g;
  double history[MEMORY] = { 0 };
  int shorts = 0;
  for (*used = 0;; ++*used) {
    k->merit = residual(k, k->x, k->y, k->s, 1, &k->norm);
    if (!(k->merit < HUGE_VAL)) return 0;
    if (*used == 0) *start = k->norm;
    if (k->norm <= k->tau) return 1;
    if (*used >= STAGE || shorts >= SHORT || nsm_cone_late(k->w)) return 0;
    double reference = k->merit;
    history[*used % MEMORY] = k->merit;
    for (int j = 0; j < MEMORY && j <= *used; j++) reference = fmax(reference, history[j]);
    if (!direction(k)) return 0;
    k->steps++;
    k->w->iterations++;
    double t = 1, norm;
    for (int trial = 0; trial < HALVINGS; trial++, t *= 0.5) {
      for (int i = 0; i < g->rows; i++) { k->xt[i] = k->x[i] + t * k->dx[i]; k->yt[i] = k->y[i] + t * k->dy[i]; }
      for (int c = 0; c < g->nodes; c++) k->st[c] = k->s[c] + t * k->ds[c];
      if (residual(k, k->xt, k->yt, k->st, 0, &norm) <= (1 - 1e-4 * t) * reference) break;
    }
    if (t < 0.1) shorts++;
    for (int i = 0; i < g->rows; i++) k->x[i] += t * k->dx[i];
    for (int c = 0; c < g->nodes; c++) k->s[c] += t * k->ds[c];
    nsm_graph_apply(g, k->x, 1, k->y);
  }
}

static int take(sigma_newton *k) {
  size_t rows = (size_t)k->g.rows, nodes = (size_t)k->g.nodes;
  double **by_row[] = { &k->x, &k->y, &k->dx, &k->dy, &k->center, &k->best, &k->xt, &k->yt, &k->R, &k->rhs, &k->lambda, &k->cold, &k->x0, &k->wx, &k->wy, &k->wc, &k->ox, &k->oy, &k->T, &k->dV, &k->tx, &k->ty, &k->px, &k->py },
         **by_node[] = { &k->weight, &k->rho, &k->share, &k->s, &k->s_center, &k->ds, &k->st, &k->R0, &k->ws, &k->os, &k->T0, &k->ts, &k->ps }, **blocks[] = { &k->A, &k->B, &k->Ai, &k->C };
  int ok = 1;
  for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) ok &= (*by_row[i] = nsm_cone_take_doubles(k->w, rows)) != NULL;
  for (size_t i = 0; i < sizeof by_node / sizeof *by_node; i++) ok &= (*by_node[i] = nsm_cone_take_doubles(k->w, nodes)) != NULL;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    ok &= (*blocks[i] = nsm_cone_take_doubles(k->w, nodes * NSM_NODE_BLOCK)) != NULL;
  k->v = nsm_cone_take_doubles(k->w, (size_t)k->factor.k.rows);
  k->cell = nsm_cone_take(k->w, nodes * sizeof *k->cell);
  return ok && k->v && k->cell;
}

// The unit frame: tangents times mu. 0: a node of another kind.
static int to_unit_frame(nsm_graph *g) {
  for (int c = 0; c < g->nodes; c++) {
    nsm_node *n = g->node + c;
    if (n->kind != NSM_NODE_INTERVAL && (n->kind != NSM_NODE_CONTACT || n->exact)) return 0;
    for (int k = g->start[c]; k < g->start[c + 1]; k++) {
      const nsm_node *d = g->node + g->column[k];
      for (int i = 0; i < n->size; i++)
        for (int j = 0; j < d->size; j++)
          g->value[g->at[k] + (size_t)(i * d->size + j)] *= (i ? n->mu : 1) * (j ? d->mu : 1);
    }
  }
  for (int c = 0; c < g->nodes; c++) {
    nsm_node *n = g->node + c;
    const double *D = g->value + g->at[g->diagonal[c]];
    double sum = 0;
    for (int i = 0; i < n->size; i++) {
      sum += D[i * n->size + i];
      if (i) { g->q[n->first + i] *= n->mu; g->scale[n->first + i] *= n->mu; }
    }
    if (sum > 0) n->metric = sum / n->size;
  }
  return 1;
}

#ifndef ALPHA
#define ALPHA 1e-3
#endif
#ifndef KAPPA
#define KAPPA 1
#endif
#ifdef NSM_TRACE
#include <stdio.h>
#include <stdlib.h>
#endif

// T, T0 := d(R, R0) / d log tau at fixed x, y, s, and dV of the proximal term, alpha ~ tau.
static void by_tau(const sigma_newton *k, const double *x, const double *y, const double *s, double *T, double *T0,
                   double *dV) {
  for (int c = 0; c < k->g.nodes; c++) {
    const nsm_node *n = k->g.node + c;
    double tau = k->tau * k->share[c], r = k->push * k->rho[c], prox = k->alpha / k->rho[c], V[NSM_NODE_ROWS];
    int f = n->first;
    for (int i = 0; i < n->size; i++) {
      dV[f + i] = prox * (x[f + i] - k->center[f + i]);
      V[i] = y[f + i] + dV[f + i];
    }
    double z = x[f] - r * V[0];
    T[f] = -2 * tau * tau / sqrt(z * z + 4 * tau * tau);
    T0[c] = 0;
    if (n->kind != NSM_NODE_CONTACT) { T[f] = 0; continue; }
    double w[NSM_NODE_ROWS], t = 0;
    z = x[f] - r * s[c];
    for (int i = 1; i < n->size; i++) { w[i] = x[f + i] - r * V[i]; t += w[i] * w[i]; }
    t = sqrt(t);
    double d1 = 2 * tau * tau / sqrt((z - t) * (z - t) + 4 * tau * tau),
           d2 = 2 * tau * tau / sqrt((z + t) * (z + t) + 4 * tau * tau);
    T0[c] = -0.5 * (d1 + d2);
    for (int i = 1; i < n->size; i++) T[f + i] = t > 0 ? -0.5 * (d2 - d1) * w[i] / t : 0;
  }
}

static double dot(const sigma_newton *k, const double *ax, const double *as, const double *bx, const double *bs) {
  double sum = 0;
  for (int c = 0; c < k->g.nodes; c++) {
    const nsm_node *n = k->g.node + c;
    double w = k->weight[c], r = k->push * k->rho[c];
    for (int i = n->first; i < n->first + n->size; i++) sum += w * ax[i] * bx[i];
    sum += w * r * r * as[c] * bs[c];
  }
  return sum;
}

static double judged(sigma_newton *k, const nsm_cone_problem *p, const nsm_cone_try *t, double *u, nsm_cone_check *check) {
  nsm_graph *g = &k->g;
  for (int i = 0; i < g->rows; i++) k->xt[i] = k->x[i];
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    if (n->kind == NSM_NODE_CONTACT && k->x[n->first] < k->tau * k->share[c])
      memset(k->xt + n->first, 0, (size_t)n->size * sizeof(double));
  }
  nsm_graph_lambda(g, k->xt, k->lambda);
  nsm_cone_project_all(p, k->lambda);
  nsm_cone_check_answer(p, k->w, t, k->lambda, u, check);
  return check->residual;
}


static double knob(const char *name, double otherwise) { const char *v = getenv(name); return v ? atof(v) : otherwise; }

static void keep(sigma_newton *k) {
  memcpy(k->ox, k->x, (size_t)k->g.rows * sizeof(double));
  memcpy(k->oy, k->y, (size_t)k->g.rows * sizeof(double));
  memcpy(k->os, k->s, (size_t)k->g.nodes * sizeof(double));
  k->otau = k->tau;
}
static void back(sigma_newton *k) {
  memcpy(k->x, k->ox, (size_t)k->g.rows * sizeof(double));
  memcpy(k->y, k->oy, (size_t)k->g.rows * sizeof(double));
  memcpy(k->s, k->os, (size_t)k->g.nodes * sizeof(double));
  k->tau = k->otau;
}

static int finished(sigma_newton *k, const nsm_cone_problem *p, const nsm_cone_try *t, double *u, const char *what) {
  nsm_cone_check check;
  judged(k, p, t, u, &check);
  if (check.residual < k->least) { k->least = check.residual; memcpy(k->best, k->lambda, (size_t)k->g.rows * sizeof(double)); }
#ifdef NSM_TRACE
  fprintf(stderr, "%4d %s tau %.2e alpha %.2e residual %.2e best %.2e\n", k->steps, what, k->tau, k->alpha, check.residual, k->least);
#endif
  return check.accepted;
}

// Stages with a proximal term. 1 accepted, 0 stalls; the state is the last that was reached.
static int descend(sigma_newton *k, const nsm_cone_problem *p, const nsm_cone_try *t, double end, double *u) {
  size_t bytes = (size_t)k->g.rows * sizeof(double);
  int fails = 0;
  memcpy(k->center, k->x, bytes);
  keep(k);
  while (k->tau > end && k->steps < STEPS && !nsm_cone_late(k->w)) {
    int used;
    double start;
    if (!stage(k, &used, &start)) {
      if (++fails > knob("FAILS", 2)) { back(k); memcpy(k->center, k->cold, bytes); return 0; }
      k->alpha *= 3;
      if (!(k->norm <= start)) back(k);
      continue;
    }
    fails = 0;
    double moved = 0;
    for (int c = 0; c < k->g.nodes; c++)
      for (int i = k->g.node[c].first; i < k->g.node[c].first + k->g.node[c].size; i++)
        moved = fmax(moved, k->alpha * fabs(k->x[i] - k->center[i]) / k->share[c]);
    if (used > 0 && finished(k, p, t, u, "stage")) return 1;
    keep(k);
    memcpy(k->cold, k->center, bytes);
    k->oalpha = k->alpha;
    if (moved > knob("MOVED", 1) * k->tau) { return 0; }
    k->tau *= used <= 1 ? 0.2 : used <= 4 ? 0.5 : 0.7;
    k->alpha = fmax(0.5 * k->alpha, 1e-12);
    memcpy(k->center, k->x, bytes);
  }
  return 0;
}

// Along the path, through folds, until tau is below `goal`. 1 accepted, 0 there, -1 failed.
static int walk(sigma_newton *k, const nsm_cone_problem *p, const nsm_cone_try *t, int patience, int again, double *u) {
  nsm_graph *g = &k->g;
  size_t bytes = (size_t)g->rows * sizeof(double), nb = (size_t)g->nodes * sizeof(double);
  double *T = k->T, *dV = k->dV, *tx = k->tx, *ty = k->ty, *px = k->px, *py = k->py, *T0 = k->T0, *ts = k->ts, *ps = k->ps;
  double ratio = k->ratio, tt = again ? k->tt : -1, step = again ? k->step : 0.3, scale = knob("SCALE", 1), goal = k->end;
  if (!again) { memset(tx, 0, bytes); memset(ts, 0, nb); }
  int points = 0, easy = 0;
  while (k->tau > goal && k->steps < STEPS && !nsm_cone_late(k->w)) {
    double norm;
    residual(k, k->x, k->y, k->s, 1, &norm);
    if (!factor(k)) return -1;
    k->steps++;
    by_tau(k, k->x, k->y, k->s, T, T0, dV);
    if (!linear(k, T, T0, dV, px, py, ps)) return -1;
    for (int c = 0; c < g->nodes; c++) {
      const nsm_node *n = g->node + c;
      double tau = k->tau * k->share[c], r = k->push * k->rho[c], sum = tau * tau;
      for (int i = 0; i < n->size; i++) sum += k->x[n->first + i] * k->x[n->first + i];
      if (n->kind == NSM_NODE_CONTACT) sum += r * r * k->s[c] * k->s[c];
      k->weight[c] = 1 / sum;
    }
    double length = sqrt(dot(k, px, ps, px, ps) * scale + 1), along = dot(k, px, ps, tx, ts) * scale + tt;
    double sign = along >= 0 ? 1 : -1;
    for (int i = 0; i < g->rows; i++) { tx[i] = sign * px[i] / length; ty[i] = sign * py[i] / length; }
    for (int c = 0; c < g->nodes; c++) ts[c] = sign * ps[c] / length;
    tt = sign / length;
    if (step * fabs(tt) > 1.5) step = 1.5 / fabs(tt);
    keep(k);
    int ok = 0, used = 0;
    double first = 0;
    for (int tries = 0; tries < 16 && !ok; tries++) {
      double theta = step * tt, before = HUGE_VAL;
      for (int i = 0; i < g->rows; i++) { k->x[i] = k->ox[i] + step * tx[i]; k->y[i] = k->oy[i] + step * ty[i]; }
      for (int c = 0; c < g->nodes; c++) k->s[c] = k->os[c] + step * ts[c];
      for (used = 0;; used++) {
        k->tau = k->otau * exp(theta);
        k->alpha = ratio * k->tau;
        residual(k, k->x, k->y, k->s, 1, &norm);
        if (used == 0) first = norm / k->tau;
        if (norm <= knob("NEAR", 0.01) * k->tau) { ok = 1; break; }
        if (used == 0 && norm > 3 * k->tau) break;
        if (used >= 5 || !(norm < 2 * before) || nsm_cone_late(k->w)) break;
        before = norm;
        if (!factor(k)) break;
        k->steps++;
        by_tau(k, k->x, k->y, k->s, T, T0, dV);
        if (!linear(k, k->R, k->R0, NULL, k->dx, k->dy, k->ds) || !linear(k, T, T0, dV, px, py, ps)) break;
        double dtheta = -dot(k, k->dx, k->ds, tx, ts) * scale / (dot(k, px, ps, tx, ts) * scale + tt);
        if (!(fabs(dtheta) < 3 * step)) break;
        theta += dtheta;
        for (int i = 0; i < g->rows; i++) k->x[i] += k->dx[i] + dtheta * px[i];
        for (int c = 0; c < g->nodes; c++) k->s[c] += k->ds[c] + dtheta * ps[c];
        nsm_graph_apply(g, k->x, 1, k->y);
      }
      if (!ok) step *= 0.4;
    }
    if (!ok) { back(k); k->alpha = ratio * k->tau; return -1; }
    points++;
    nsm_graph_apply(g, k->x, 1, k->y);
    if (points % 4 == 0 && finished(k, p, t, u, tt < 0 ? "walk -" : "walk +")) return 1;
    easy = tt < -knob("EASY", 0.9) ? easy + 1 : 0;
    step *= fmin(2, fmax(0.5, sqrt((used <= 2 ? 0.7 : 0.3) / first)));
    if (easy >= patience) { k->tt = tt; k->step = step; return 0; }
  }
  return 0;
}

static nsm_cone_outcome follow(sigma_newton *k, const nsm_cone_problem *p, const nsm_cone_try *t, double push,
                               double alpha, double *lambda, double *u) {
  nsm_graph *g = &k->g;
  size_t bytes = (size_t)g->rows * sizeof(double);
  double q = 0, middle;
  for (int i = 0; i < g->rows; i++) q = fmax(q, fabs(g->q[i]));
  for (int c = 0; c < g->nodes; c++) k->st[c] = k->rho[c] = 1 / g->node[c].metric;
  middle = median(g->nodes, k->st);
  for (int c = 0; c < g->nodes; c++) k->share[c] = pow(k->rho[c] / middle, knob("SHARE", 0.5));
  push = knob("PUSH", push);
  alpha = knob("ALPHA", alpha);
  k->push = push;
  k->alpha = alpha;
  k->tau = q > 0 ? q * middle : 1;
  k->tau *= knob("TAU", 1);
  k->least = HUGE_VAL;
  double end = 1e-14 * k->tau;
  memset(k->x, 0, bytes);
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    double tau = k->tau * k->share[c];
    k->s[c] = tau / (push * k->rho[c]);
    k->x[n->first] = n->kind == NSM_NODE_CONTACT ? tau : nsm_cone_project(0, n->lo, n->hi);
  }
  nsm_graph_apply(g, k->x, 1, k->y);
  memcpy(k->cold, k->x, bytes);
  memcpy(k->x0, k->x, bytes);
  k->tau0 = k->tau;
  int done = 0, patience = knob("PATIENCE", 3);
  k->end = end;
  k->ratio = knob("RATIO", 1e-3) / k->tau;
  if (knob("FIRST", 1)) done = descend(k, p, t, end, u);
  memcpy(k->center, k->x0, bytes);
  if (!done) {
    int ok = 0, used;
    double st;
    k->alpha = k->ratio * k->tau;
    for (int tries = 0; tries < 6 && !ok; tries++) ok = stage(k, &used, &st);
#ifdef NSM_TRACE
    fprintf(stderr, "%d walk from tau %.2e: %d\n", k->steps, k->tau, ok);
#endif
    if (!ok) {
      k->tau = k->tau0;
      memcpy(k->x, k->x0, bytes);
      for (int c = 0; c < g->nodes; c++) k->s[c] = k->tau * k->share[c] / (push * k->rho[c]);
      nsm_graph_apply(g, k->x, 1, k->y);
      k->alpha = k->ratio * k->tau;
      for (int tries = 0; tries < 20 && !ok; tries++) ok = stage(k, &used, &st);
    }
  }
  for (int round = 0; round < 40 && done == 0 && k->tau > end && !nsm_cone_late(k->w); round++) {
    done = walk(k, p, t, patience, round > 0, u);
    patience *= 2;
    if (done) break;
    memcpy(k->wx, k->x, bytes); memcpy(k->wy, k->y, bytes); memcpy(k->wc, k->center, bytes);
    memcpy(k->ws, k->s, (size_t)g->nodes * sizeof(double));
    k->wtau = k->tau;
    k->oalpha = k->alpha;
    done = descend(k, p, t, end, u);
    if (done) break;
    memcpy(k->x, k->wx, bytes); memcpy(k->y, k->wy, bytes); memcpy(k->center, k->wc, bytes);
    memcpy(k->s, k->ws, (size_t)g->nodes * sizeof(double));
    k->tau = k->wtau;
    k->alpha = k->ratio * k->tau;
  }
  memcpy(lambda, k->least < HUGE_VAL ? k->best : k->lambda, bytes);
  return done == 1 ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}

nsm_cone_outcome nsm_cone_sigma(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                double *u) {
  size_t mark = w->used;
  sigma_newton k = { .w = w };
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  if (nsm_graph_make(p, w, &k.g) && to_unit_frame(&k.g) && nsm_bodies_make(&k.g, w, &k.bodies) &&
      nsm_body_factor_take(&k.g, &k.bodies, w, &k.factor) && take(&k)) {
#ifdef NSM_TRACE
    fprintf(stderr, "%d nodes %d bodies %d columns fill %zu work %g\n", k.g.nodes, k.bodies.bodies, k.factor.k.rows, k.factor.fronts.factor_size, k.factor.fronts.work);
#endif
    outcome = follow(&k, p, t, 10, 1e-3, lambda, u);
  }
#ifdef NSM_TRACE
  else fprintf(stderr, "no bodies\n");
#endif
  w->used = mark;
  return outcome;
}
