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
// and corrected once with M itself. Where contacts do not come from bodies that touch, (c) is solved as it stands, by
// contacts (front.c). tau falls where Newton has followed, |R|_inf <= tau, and with it the proximal term
// alpha D (X - center), D = 1 / rho; where Newton fails alpha grows.
#include "sigma.h"
#include "runtime/la/la.h"
#include <math.h>
#include <string.h>

enum { MEMORY = 3, STAGE = 8, HALVINGS = 12, SHORT = 2 };

static double plus(double z, double tau, double *slope, double *rest) {
  double s = sqrt(z * z + 4 * tau * tau), far = 2 * tau / (s + fabs(z)) * tau, thin = far / s;
  *slope = z >= 0 ? 1 - thin : thin;
  *rest = z >= 0 ? thin : 1 - thin;
  return z >= 0 ? z + far : far;
}

// R and R0 of a contact; its blocks A and B where A is not NULL.
static void contact_map(const nsm_sigma *k, int c, const double *x, const double *V, double s, double *A, double *B) {
  int n = k->g.node[c].size;
  double *R = k->R + k->g.node[c].first, *R0 = k->R0 + c;
  double tau = k->tau * k->share[c], r = k->push * k->rho[c], slope, rest, z[NSM_NODE_ROWS], t = 0;
  R[0] = x[0] - plus(x[0] - r * (V[0] + k->delta * (k->s0[c] - s)), tau, &slope, &rest);
  z[0] = x[0] - r * s;
  for (int i = 1; i < n; i++) { z[i] = x[i] - r * V[i]; t += z[i] * z[i]; }
  t = sqrt(t);
  double slope1, slope2, rest1, rest2;
  double g1 = plus(z[0] - t, tau, &slope1, &rest1), g2 = plus(z[0] + t, tau, &slope2, &rest2);
  double a, not_a, b = 0.5 * (slope1 + slope2), cc = 0.5 * (slope2 - slope1), h = slope1 * slope2 / b;
  if (t > 1e-8 * (fabs(z[0]) + tau)) { a = (g2 - g1) / (2 * t); not_a = 1 - a; }
  else { a = b; not_a = 0.5 * (rest1 + rest2); }
  *R0 = x[0] - 0.5 * (g1 + g2);
  for (int i = 1; i < n; i++) {
    double e = t > 0 ? z[i] / t : 0;
    R[i] = x[i] - 0.5 * (g2 - g1) * e;
  }
  if (!A) return;
  nsm_sigma_cell *o = k->cell + c;
  o->b = b;
  o->c = cc;
  o->shift = slope * k->delta / b;
  memset(A, 0, NSM_NODE_BLOCK * sizeof *A);
  memset(B, 0, NSM_NODE_BLOCK * sizeof *B);
  A[0] = rest + o->shift * (1 - b);
  B[0] = r * slope;
  double not_h = 0.5 * (slope1 * rest2 + slope2 * rest1) / b;
  for (int i = 1; i < n; i++) o->e[i] = t > 0 ? z[i] / t : 0;
  for (int i = 1; i < n; i++) {
    A[i] = -o->shift * cc * o->e[i];
    B[i] = r * o->shift * cc * o->e[i];
    A[i * NSM_NODE_ROWS] = -cc / b * o->e[i];
    for (int j = 1; j < n; j++) {
      double e = o->e[i] * o->e[j], d = (i == j) - e;
      A[i * NSM_NODE_ROWS + j] = not_a * d + not_h * e;
      B[i * NSM_NODE_ROWS + j] = r * (a * d + h * e);
    }
  }
}

static void interval_map(const nsm_sigma *k, int c, double x, double V, double *R, double *A, double *B) {
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
double nsm_sigma_residual(nsm_sigma *k, const double *x, const double *y, const double *s, int blocks, double *norm) {
  double sum = 0, most = 0;
  for (int c = 0; c < k->g.nodes; c++) {
    const nsm_node *n = k->g.node + c;
    double V[NSM_NODE_ROWS], *A = blocks ? k->A + (size_t)c * NSM_NODE_BLOCK : NULL,
           *B = blocks ? k->B + (size_t)c * NSM_NODE_BLOCK : NULL, prox = k->alpha / k->rho[c];
    int f = n->first;
    for (int i = 0; i < n->size; i++) V[i] = y[f + i] + prox * (x[f + i] - k->center[f + i]);
    k->R0[c] = 0;
    if (n->kind == NSM_NODE_CONTACT) contact_map(k, c, x + f, V, s[c], A, B);
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
int nsm_sigma_factor(nsm_sigma *k) {
  if (!k->on_bodies) return nsm_factor_make(&k->g, &k->fronts, k->alpha, k->A, k->B, &k->whole);
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

void nsm_sigma_back(nsm_sigma *k, double *rhs, double *dx) {
  if (!k->on_bodies) {
    nsm_factor_solve(&k->g, &k->fronts, &k->whole, rhs);
    for (int i = 0; i < k->g.rows; i++) dx[i] += rhs[i];
    return;
  }
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

// dx, dy = M dx, ds with  J (dx, ds) = -(R, R0) - B dV  where dV (or NULL) is a change of V from elsewhere; the matrix
// is factored. 0: not finite.
int nsm_sigma_solve(nsm_sigma *k, const double *R, const double *R0, const double *dV, double *dx, double *dy,
                  double *ds) {
  const nsm_graph *g = &k->g;
  memset(dx, 0, (size_t)g->rows * sizeof(double));
  for (int pass = 0; pass < 2; pass++) {
    for (int c = 0; c < g->nodes; c++)
      for (int i = 0; i < g->node[c].size; i++) {
        int r = g->node[c].first + i;
        k->rhs[r] = -R[r];
        if (!i && g->node[c].kind == NSM_NODE_CONTACT) k->rhs[r] -= k->cell[c].shift * R0[c];
        if (i && g->node[c].kind == NSM_NODE_CONTACT)
          k->rhs[r] += k->cell[c].c / k->cell[c].b * k->cell[c].e[i] * R0[c];
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
    nsm_sigma_back(k, k->rhs, dx);
  }
  nsm_graph_apply(g, dx, 0, dy);
  double finite = 0;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    int f = n->first;
    ds[c] = 0;
    if (n->kind == NSM_NODE_CONTACT) {
      const nsm_sigma_cell *o = k->cell + c;
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

void nsm_sigma_by_tau(nsm_sigma *k) {
  const double *x = k->x, *y = k->y, *s = k->s;
  double *T = k->T, *T0 = k->T0, *dV = k->dV;
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

// Newton's method at one tau with a line search that looks at the last MEMORY points.
int nsm_sigma_stage(nsm_sigma *k, int *used, double *start, double *norm) {
  double history[MEMORY] = { 0 };
  int shorts = 0;
  for (*used = 0;; ++*used) {
    double reference = nsm_sigma_residual(k, k->x, k->y, k->s, 1, norm);
    if (*used == 0) *start = *norm;
    if (!(reference < HUGE_VAL)) return 0;
    if (*norm <= k->tau) return 1;
    if (*used >= STAGE || shorts >= SHORT || !nsm_sigma_may_go_on(k)) return 0;
    history[*used % MEMORY] = reference;
    for (int j = 0; j < MEMORY && j <= *used; j++) reference = fmax(reference, history[j]);
    k->steps++;
    k->w->iterations++;
    if (!nsm_sigma_factor(k) || !nsm_sigma_solve(k, k->R, k->R0, NULL, k->dx, k->dy, k->ds)) return 0;
    double t = 1, size;
    for (int trial = 0; trial < HALVINGS; trial++, t *= 0.5) {
      for (int i = 0; i < k->g.rows; i++) {
        k->xt[i] = k->x[i] + t * k->dx[i];
        k->yt[i] = k->y[i] + t * k->dy[i];
      }
      for (int c = 0; c < k->g.nodes; c++) k->st[c] = k->s[c] + t * k->ds[c];
      if (nsm_sigma_residual(k, k->xt, k->yt, k->st, 0, &size) <= (1 - 1e-4 * t) * reference) break;
    }
    shorts += t < 0.1;
    for (int i = 0; i < k->g.rows; i++) k->x[i] += t * k->dx[i];
    for (int c = 0; c < k->g.nodes; c++) k->s[c] += t * k->ds[c];
    nsm_graph_apply(&k->g, k->x, 1, k->y);
  }
}
