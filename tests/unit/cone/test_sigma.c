// The smoothed problem of runtime/cone/sigma_newton.c by differences: its blocks A and B with sigma eliminated, and its
// derivative by log tau. Contacts with one and two directions, intervals with all kinds of bounds.
#include "bench.h"
#include "runtime/cone/sigma.h"

enum { NODES = 6, ROWS = 2 + 3 + 3 * 1 + 1 };
typedef struct point { double x[ROWS], y[ROWS], s[NODES], tau, alpha; } point;
typedef struct rig { nsm_sigma k; nsm_node node[NODES]; double room[12][ROWS], of_node[6][NODES]; point at; } rig;
static double blocks[2][NODES * NSM_NODE_BLOCK];
static nsm_sigma_cell cell[NODES];

static void make(rig *o, double delta) {
  static const double lo[] = { 0, 0, 0, -HUGE_VAL, -0.3, -HUGE_VAL }, hi[] = { 0, 0, HUGE_VAL, 0.2, 0.4, HUGE_VAL };
  double (*r)[ROWS] = o->room, (*n)[NODES] = o->of_node;
  int first = 0;
  for (int c = 0; c < NODES; c++) {
    int contact = c < 2;
    o->node[c] = (nsm_node){ .kind = contact ? NSM_NODE_CONTACT : NSM_NODE_INTERVAL, .first = first,
                             .size = contact ? 2 + c : 1, .lo = lo[c], .hi = hi[c] };
    first += o->node[c].size;
    n[0][c] = 1 + 0.5 * draw();
    n[1][c] = 1 + 0.5 * draw();
    n[2][c] = draw();
    o->at.s[c] = draw();
  }
  for (int i = 0; i < ROWS; i++) { r[0][i] = draw(); o->at.x[i] = draw(); o->at.y[i] = draw(); }
  o->at.tau = 0.1;
  o->at.alpha = 0.7;
  o->k = (nsm_sigma){ .g = { .nodes = NODES, .rows = ROWS, .node = o->node }, .rho = n[0], .share = n[1], .s0 = n[2],
                      .center = r[0], .R = r[1], .R0 = n[3], .T = r[2], .T0 = n[4], .dV = r[3], .push = 0.8,
                      .delta = delta, .A = blocks[0], .B = blocks[1], .cell = cell };
}

static void residual(rig *o, const point *at, double *R, double *R0) {
  double norm;
  o->k.tau = at->tau;
  o->k.alpha = at->alpha;
  nsm_sigma_residual(&o->k, at->x, at->y, at->s, R == NULL, &norm);
  if (!R) return;
  memcpy(R, o->k.R, ROWS * sizeof *R);
  memcpy(R0, o->k.R0, NODES * sizeof *R0);
}

// d/dh of R, R0 along a direction, tau and alpha by their logarithms.
static void along(rig *o, const point *d, double *R, double *R0) {
  double h = 1e-5, two[2][ROWS], two0[2][NODES];
  for (int side = 0; side < 2; side++) {
    double by = side ? h : -h;
    point to = o->at;
    for (int i = 0; i < ROWS; i++) { to.x[i] += by * d->x[i]; to.y[i] += by * d->y[i]; }
    for (int c = 0; c < NODES; c++) to.s[c] += by * d->s[c];
    to.tau *= exp(by * d->tau);
    to.alpha *= exp(by * d->alpha);
    residual(o, &to, two[side], two0[side]);
  }
  for (int i = 0; i < ROWS; i++) R[i] = (two[1][i] - two[0][i]) / (2 * h);
  for (int c = 0; c < NODES; c++) R0[c] = (two0[1][c] - two0[0][c]) / (2 * h);
}

// (b): sigma follows so that R0 stays; then R changes by A dx + B dV.
static void by_blocks(void **state) {
  (void)state;
  for (int k = 0; k < 40; k++) {
    rig o;
    point d = { .tau = 0 };
    double V[ROWS], R[ROWS], R0[NODES], unit = 1;
    make(&o, k % 2 ? 0.3 : 0);
    residual(&o, &o.at, NULL, NULL);
    for (int c = 0; c < NODES; c++) {
      const nsm_node *n = o.node + c;
      double r = o.k.push * o.k.rho[c], sum = 0;
      for (int i = n->first; i < n->first + n->size; i++) {
        d.x[i] = draw();
        d.y[i] = draw();
        V[i] = d.y[i] + o.at.alpha / o.k.rho[c] * d.x[i];
      }
      if (n->kind != NSM_NODE_CONTACT) continue;
      for (int i = 1; i < n->size; i++) sum += cell[c].e[i] * (d.x[n->first + i] - r * V[n->first + i]);
      d.s[c] = (cell[c].c * sum - (1 - cell[c].b) * d.x[n->first]) / (r * cell[c].b);
      unit = fmax(unit, fabs(d.s[c]));
    }
    for (int i = 0; i < ROWS; i++) { d.x[i] /= unit; d.y[i] /= unit; V[i] /= unit; }
    for (int c = 0; c < NODES; c++) d.s[c] /= unit;
    along(&o, &d, R, R0);
    for (int c = 0; c < NODES; c++) {
      const nsm_node *n = o.node + c;
      assert_true(fabs(R0[c]) < 1e-7);
      for (int i = 0; i < n->size; i++) {
        double sum = 0;
        for (int j = 0; j < n->size; j++)
          sum += blocks[0][c * NSM_NODE_BLOCK + i * NSM_NODE_ROWS + j] * d.x[n->first + j] +
                 blocks[1][c * NSM_NODE_BLOCK + i * NSM_NODE_ROWS + j] * V[n->first + j];
        assert_true(fabs(sum - R[n->first + i]) < 1e-7);
      }
    }
  }
}

// dR/dlog(tau) = T, and what dV changes; of contacts.
static void by_tau(void **state) {
  (void)state;
  for (int k = 0; k < 40; k++) {
    rig o;
    double R[ROWS], R0[NODES], changed[ROWS], changed0[NODES];
    make(&o, 0);
    point d = { .tau = 1, .alpha = 1 };
    along(&o, &d, R, R0);
    o.k.x = o.at.x;
    o.k.y = o.at.y;
    o.k.s = o.at.s;
    o.k.tau = o.at.tau;
    o.k.alpha = o.at.alpha;
    nsm_sigma_by_tau(&o.k);
    d = (point){ .tau = 0 };
    memcpy(d.y, o.k.dV, sizeof d.y);
    along(&o, &d, changed, changed0);
    for (int c = 0; c < 2; c++) {
      assert_true(fabs(R0[c] - o.k.T0[c] - changed0[c]) < 1e-7);
      for (int i = o.node[c].first; i < o.node[c].first + o.node[c].size; i++)
        assert_true(fabs(R[i] - o.k.T[i] - changed[i]) < 1e-7);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(by_blocks), cmocka_unit_test(by_tau) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
