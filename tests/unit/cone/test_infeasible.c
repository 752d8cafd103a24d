// Friction problems without a solution, made so: how many are proved to have none; and problems with a solution, for
// which that is never said. NSM_SHOW=1 prints a table.
#include "friction.h"
#include "runtime/cone/solver.h"
#include <time.h>

typedef struct tally { int count, proved, wrong; double seconds; } tally;

static double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Bodies of a heap, some of them between plates that move towards each other: two plates, or three at 120 degrees.
static friction squeezed(int k) {
  int bodies = 1 + k % 7, plates = 2 + k % 2, touches = k % 3;
  pile s = pile_open(bodies, bodies * (touches + plates));
  for (int i = 0; i < bodies; i++) {
    pile_body(&s, i, pow(10, k % 4 * draw()), 1);
    for (int j = 0; j < 6; j++) s.velocity[6 * i + j] = draw();
    for (int t = 0; t < touches; t++) {
      double n[3] = { draw(), draw(), 1 }, l = sqrt(n[0] * n[0] + n[1] * n[1] + 1), ra[3], rb[3];
      for (int j = 0; j < 3; j++) { n[j] /= l; ra[j] = -n[j]; rb[j] = n[j]; }
      pile_touch(&s, i, ra, i - 1, rb, n);
    }
  }
  int body = k % bodies, first = s.contacts;
  double a = 3 * draw(), tilt = draw();
  for (int t = 0; t < plates; t++) {
    double angle = a + 6.283185307179586 * t / plates,
           n[3] = { cos(angle) * cos(tilt), sin(angle), cos(angle) * sin(tilt) }, r[3] = { -n[0], -n[1], -n[2] };
    pile_touch(&s, body, r, -1, r, n);
  }
  double unit = pow(10, 6 * draw());
  friction f = pile_problem(&s, 0, k % 5 ? 1 : 5, unit, 1);
  for (int t = first; t < s.contacts; t++) {     // the plates close: whatever the body does, the sum of gaps shrinks
    double v = 0;
    for (int j = 0; j < 6; j++) v += s.H[(3 * t) * 6 * s.bodies + 6 * body + j] * s.velocity[6 * body + j];
    f.b.q[3 * t] = v - 0.05 - fabs(draw());
  }
  pile_close(&s);
  return f;
}

// Blocks and intervals on a matrix of any rank with M^T y = 0 (symmetric), or in the polar cone: y >= 0 on some normal
// rows and intervals, y.q < 0.
static friction random_infeasible(int k, int symmetric) {
  static const unsigned types[] = { 1, 31, 1 | 2, 1 | 4, 1 | 8, 1 | 16 };
  friction f = random_blocks(2 + k % 9, types[k % 6], 0.4 + 0.1 * (k % 7), 0, 0.05, k % 4 ? 1 : 4, 1, 1);
  int m = f.b.p.m, chosen = 0;
  double *y = zeros((size_t)m, 8), yy = 0, yq = 0;
  for (int pass = 0; chosen < 2 && pass < 50; pass++)   // one row alone would be nothing but round-off
    for (int i = 0, c = 0; i < m;) {
      const nsm_cone_block *b = c < f.b.p.cones && f.block[c].first == i ? &f.block[c++] : NULL;
      int free = b ? b->type == NSM_CONE_GRIP : f.b.lo[i] == -HUGE_VAL, bounded = b ? b->type == NSM_CONE_DISK : 0;
      if (!bounded && draw() > 0.3 && y[i] == 0) { y[i] = free ? draw() : 0.1 + fabs(draw()); chosen++; }
      i += b ? b->size : 1;
    }
  for (int i = 0; i < m; i++) yy += y[i] * y[i];
  if (symmetric) {                              // M := (1 - y y^T / yy) M (1 - y y^T / yy)
    for (int side = 0; side < 2; side++)
      for (int j = 0; j < m; j++) {
        double s = 0;
        for (int i = 0; i < m; i++) s += y[i] * (side ? f.b.M[j + i * m] : f.b.M[i + j * m]);
        for (int i = 0; i < m; i++) f.b.M[side ? j + i * m : i + j * m] -= s * y[i] / yy;
      }
  } else {
    double *target = zeros((size_t)m, 8);
    for (int i = 0, c = 0; i < m;) {
      const nsm_cone_block *b = c < f.b.p.cones && f.block[c].first == i ? &f.block[c++] : NULL;
      int n = b ? b->size : 1;
      if (b && b->type <= NSM_CONE_CONTENSOU) {
        for (int l = 1; l < n; l++) target[i + l] = draw();
        target[i] = -nsm_cone_support(b, target + i + 1) * (draw() > 0 ? 1.1 : 1 + 1e-9);
      } else if (!b && f.b.lo[i] > -HUGE_VAL && draw() > 0) target[i] = draw() > 0 ? -fabs(draw()) : 0;
      i += n;
    }
    for (int j = 0; j < m; j++) {
      double s = -target[j];
      for (int i = 0; i < m; i++) s += y[i] * f.b.M[i + j * m];
      for (int i = 0; i < m; i++) f.b.M[i + j * m] -= s * y[i] / yy;
    }
    free(target);
  }
  for (int i = 0; i < m; i++) yq += y[i] * f.b.q[i];
  double margin = 0.02 + fabs(draw());
  for (int i = 0; i < m; i++) f.b.q[i] -= (yq + margin * sqrt(yy)) * y[i] / yy;
  // disks and boxes add to the supremum: make them too small for that
  for (int c = 0; c < f.b.p.cones; c++)
    if (f.block[c].type == NSM_CONE_DISK) f.block[c].radius *= 1e-3;
  free(y);
  return f;
}

static void solve(friction *f, const char *what, int k, const char *solver, int has, tally *t) {
  double start = clock_now();
  nsm_cone_status s = bench_solve(&f->b, solver, 0);
  t->seconds += clock_now() - start;
  t->count++;
  t->proved += s == NSM_CONE_NO_SOLUTION;
  if (s == NSM_CONE_SOLVED && !has) fail_msg("%s %d: has no solution, called solved by %s", what, k, f->b.r.solver);
  if (s == NSM_CONE_NO_SOLUTION && has) fail_msg("%s %d: has a solution, denied by %s", what, k, f->b.r.solver);
  if (getenv("NSM_SHOW") && s == NSM_CONE_FAILED && !has) printf("%s %d: not proved, m %d\n", what, k, f->b.p.m);
  friction_close(f);
}

static void show(const char *what, const tally *t) {
  if (getenv("NSM_SHOW"))
    printf("%-24s %4d problems, none proved %4d, %.3f s\n", what, t->count, t->proved, t->seconds);
}

static void without_solution(void **state) {
  (void)state;
  tally plates = { 0 }, symmetric = { 0 }, any = { 0 };
  for (int k = 0; k < 40; k += THIN) {
    friction f = squeezed(k);
    solve(&f, "squeezed", k, NULL, 0, &plates);
    f = random_infeasible(k, 1);
    solve(&f, "symmetric", k, NULL, 0, &symmetric);
    f = random_infeasible(k, 0);
    solve(&f, "any", k, NULL, 0, &any);
  }
  assert_true(plates.proved == plates.count && symmetric.proved == plates.count && any.proved >= any.count - 1);
  show("squeezed", &plates);
  show("symmetric", &symmetric);
  show("any", &any);
}

static void with_solution(void **state) {
  (void)state;
  tally t = { 0 };
  for (int k = 0; k < 300; k += THIN) {
    double mu = (double[]){ 0, 0.05, 0.3, 0.8, 2, 10 }[k % 6];
    friction f = k % 3 == 0   ? random_heap(1 + k % 20, 3, 1, pow(10, k % 4), mu, mu, 1, 1)
                 : k % 3 == 1 ? random_blocks(1 + k % 12, 31, 0.5, 0, 0, fmin(mu, 2), 1, pow(10, 6 * draw()))
                              : box_stack(1 + k % 6, 4, 0.5, 10, mu, mu, pow(10, 6 * draw()), 1);
    solve(&f, "with a solution", k, "farkas", 1, &t);
  }
  show("with a solution", &t);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(without_solution), cmocka_unit_test(with_solution) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
