// Rolling friction: blocks with two disks under one normal force. Answers are checked in words (no natural map), those
// of planar blocks also by trying every mode; the verifier refuses what is off and knows answers by construction.
#include "contacts.h"
#include "runtime/cone/solver.h"

// |lambda_T| <= mu N, |lambda_R| <= mu2 N, each of maximal dissipation; N >= 0, u_N >= 0, one of them 0.
static double part(int k, double mu, double N, const double *l, const double *u, double size_l, double size_u) {
  double ll = 0, uu = 0, lu = 0;
  for (int i = 0; i < k; i++) { ll += l[i] * l[i]; uu += u[i] * u[i]; lu += l[i] * u[i]; }
  ll = sqrt(ll);
  uu = sqrt(uu);
  return fmax((ll - mu * N) / size_l, (lu + mu * fmax(N, 0) * uu) / (size_l * size_u));
}

static double violation(const bench *b) {
  int m = b->p.m;
  double worst = 0, most = 0, fast = 0, *u = zeros((size_t)m, 8);
  for (int i = 0; i < m; i++) {
    long double sum = b->q[i], size = fabs(b->q[i]);
    for (int j = 0; j < m; j++) {
      sum += (long double)b->M[i + j * m] * b->lambda[j];
      size += fabs(b->M[i + j * m] * b->lambda[j]);
    }
    u[i] = (double)sum;
    most = fmax(most, fabs(b->lambda[i]));
    fast = fmax(fast, (double)size);
  }
  most = most > 0 ? most : 1;
  fast = fast > 0 ? fast : 1;
  for (int c = 0; c < b->p.cones; c++) {
    const nsm_cone_block *k = &b->p.cone[c];
    const double *l = b->lambda + k->first, *v = u + k->first;
    int half = (k->size - 1) / 2;
    worst = fmax(worst, fmax(-l[0] / most, -v[0] / fast));
    worst = fmax(worst, fmin(fabs(l[0]) / most, fabs(v[0]) / fast));
    worst = fmax(worst, part(half, k->mu, l[0], l + 1, v + 1, most, fast));
    worst = fmax(worst, part(half, k->mu2, l[0], l + 1 + half, v + 1 + half, most, fast));
  }
  free(u);
  return worst;
}

static nsm_cone_block rolls(int first, int spatial) {
  static const double mus[] = { 0, 1e-3, 0.1, 0.5, 2 };
  return (nsm_cone_block){ NSM_CONE_ROLLING, first, spatial ? 5 : 3, mus[(int)((draw() + 1) * 2.5)],
                           mus[(int)((draw() + 1) * 2.5)] * pow(10, 2 * draw()), 0 };
}

// One block: definite M of all sizes.
static void one(void **state) {
  (void)state;
  int missed[3] = { 0 };
  for (int trial = 0; trial < 20000 / THIN; trial++) {
    nsm_cone_block k = rolls(0, trial % 2);
    int n = k.size;
    bench b = bench_open(n, 0, 0);
    double size = pow(10, 4 * draw());
    fill_semidefinite(&b, n, trial % 3 ? 0 : 0.3);
    for (int i = 0; i < n; i++) b.M[i + i * n] += 1e-2;
    for (int i = 0; i < n * n; i++) b.M[i] *= size;
    for (int i = 0; i < n; i++) b.q[i] = draw() * size;
    b.p.cone = &k;
    b.p.cones = 1;
    bench_solve(&b, trial % 4 ? NULL : trial % 8 ? "contact" : "proximal_newton", 0);
    if (b.r.status == NSM_CONE_SOLVED) assert_true(violation(&b) <= 1e-9);
    else missed[trial % 4 ? 0 : trial % 8 ? 1 : 2]++;
    bench_close(&b);
  }
  print_message("not solved: %d by all, %d of 2500 by contact, %d of 2500 by Newton alone\n", missed[0], missed[1],
                missed[2]);
  assert_int_equal(missed[0], 0);
  assert_true(missed[1] <= 25 / THIN && missed[2] <= 250 / THIN);
}

// Planar: of the modes open and {stick, +, -} x {stick, +, -} exactly those that are consistent; the solver's is one.
static void planar_modes(void **state) {
  (void)state;
  for (int trial = 0; trial < 5000 / THIN; trial++) {
    nsm_cone_block k = { NSM_CONE_ROLLING, 0, 3, 0.1 + fabs(draw()), 0.05 + fabs(draw()), 0 };
    bench b = bench_open(3, 0, 0);
    fill_semidefinite(&b, 3, 0);
    for (int i = 0; i < 3; i++) { b.M[4 * i] += 0.1; b.q[i] = draw(); }
    b.p.cone = &k;
    b.p.cones = 1;
    bench_solve(&b, NULL, 0);
    assert_int_equal(b.r.status, NSM_CONE_SOLVED);
    double nearest = HUGE_VAL;
    for (int mode = 0; mode < 10; mode++) {
      int way[2] = { mode % 3 - 1, mode / 3 - 1 };        // 0: sticks; else lambda = way mu N
      double A[9], f[3], x[3] = { 0 }, mu[2] = { k.mu, k.mu2 };
      int ok = mode < 9 || b.q[0] >= 0;
      if (mode < 9) {
        for (int i = 0; i < 3; i++) {
          int slides = i > 0 && way[i - 1] != 0;
          f[i] = slides ? 0 : -b.q[i];
          double down = slides ? way[i - 1] * mu[i - 1] : 0;
          for (int j = 0; j < 3; j++) A[i + 3 * j] = slides ? (i == j) - (j == 0) * down : b.M[i + 3 * j];
        }
        double det = 0, D[9];
        for (int c = 0; c < 4; c++) {                      // Cramer
          memcpy(D, A, sizeof D);
          for (int i = 0; i < 3 && c; i++) D[i + 3 * (c - 1)] = f[i];
          double value = D[0] * (D[4] * D[8] - D[7] * D[5]) - D[3] * (D[1] * D[8] - D[7] * D[2]) +
                         D[6] * (D[1] * D[5] - D[4] * D[2]);
          if (c == 0) det = value;
          else x[c - 1] = value / det;
        }
        ok = x[0] >= 0;
        for (int i = 1; i < 3; i++) {
          double u = b.q[i];
          for (int j = 0; j < 3; j++) u += b.M[i + 3 * j] * x[j];
          ok &= way[i - 1] ? u * way[i - 1] <= 1e-12 : fabs(x[i]) <= mu[i - 1] * x[0] + 1e-12;
        }
      }
      double far = 0;
      for (int i = 0; i < 3; i++) far = fmax(far, fabs(x[i] - b.lambda[i]));
      if (ok) nearest = fmin(nearest, far);
    }
    if (!(nearest <= 1e-9)) fail_msg("trial %d: the nearest mode is %g away", trial, nearest);
    bench_close(&b);
  }
}

// Several blocks that hang together, of deficient rank too; an answer exists by construction.
static void several(void **state) {
  (void)state;
  int missed = 0, trials = 1500 / THIN;
  for (int trial = 0; trial < trials; trial++) {
    enum { MOST = 6 };
    nsm_cone_block k[MOST];
    int count = 2 + trial % (MOST - 1), m = 0;
    for (int c = 0; c < count; c++) {
      k[c] = rolls(m, trial % 3);
      k[c].mu = fmin(k[c].mu, 0.5);
      k[c].mu2 = fmin(k[c].mu2, 0.5);
      m += k[c].size;
    }
    bench b = bench_open(m, 0, 0);
    fill_semidefinite(&b, trial % 2 ? m : (2 * m + 2) / 3, 0);
    double *x = zeros((size_t)m, 8), *u = zeros((size_t)m, 8);
    for (int c = 0; c < count; c++) {
      int half = (k[c].size - 1) / 2, open = draw() > 0.4;
      double *l = x + k[c].first, *v = u + k[c].first;
      if (open) { v[0] = fabs(draw()); for (int i = 1; i < k[c].size; i++) v[i] = draw(); continue; }
      l[0] = 0.1 + fabs(draw());
      for (int p = 0; p < 2; p++) {
        double w[2] = { draw(), half > 1 ? draw() : 0 }, size = hypot(w[0], w[1]), mu = p ? k[c].mu2 : k[c].mu;
        int slides = draw() > 0;
        for (int i = 0; i < half; i++) {
          l[1 + p * half + i] = mu * l[0] * (w[i] / size) * (slides ? 1 : 0.7);
          v[1 + p * half + i] = slides ? -(w[i] / size) : 0;
        }
      }
    }
    for (int i = 0; i < m; i++) {
      b.q[i] = u[i];
      for (int j = 0; j < m; j++) b.q[i] -= b.M[i + j * m] * x[j];
    }
    b.p.cone = k;
    b.p.cones = count;
    memcpy(b.lambda, x, (size_t)m * 8);
    assert_true(nsm_cone_residual(&b.p, b.lambda, NULL, NULL) <= 1e-13);      // the verifier knows it
    b.lambda[k[0].first + 1] += 1e-3 * (1 + x[k[0].first]);
    assert_true(nsm_cone_residual(&b.p, b.lambda, NULL, NULL) > 1e-7);        // and what is off
    memset(b.lambda, 0, (size_t)m * 8);
    bench_solve(&b, trial % 5 ? NULL : "nsgs", 0);
    if (b.r.status == NSM_CONE_SOLVED) assert_true(violation(&b) <= 1e-8);
    else if (trial % 5) missed++;
    free(x);
    free(u);
    bench_close(&b);
  }
  if (missed > trials / 200) fail_msg("%d of %d were not solved", missed, trials);
}

// The projection is that of the definition: no point of the cone on a fine grid of normal forces is nearer.
static void projection(void **state) {
  (void)state;
  for (int trial = 0; trial < 3000 / THIN; trial++) {
    double mu[2] = { fabs(draw()), 2 * fabs(draw()) }, x[5], out[5], far = 0, best = HUGE_VAL;
    for (int i = 0; i < 5; i++) x[i] = draw();
    nsm_cone_project_rolling(2, mu[0], mu[1], x, out);
    for (int i = 0; i < 5; i++) far += (x[i] - out[i]) * (x[i] - out[i]);
    for (int p = 0; p < 2; p++) assert_true(hypot(out[1 + 2 * p], out[2 + 2 * p]) <= mu[p] * out[0] * (1 + 1e-14));
    for (int s = 0; s <= 4000; s++) {
      double N = 2e-3 * s, d = (N - x[0]) * (N - x[0]);
      for (int p = 0; p < 2; p++) {
        double beyond = hypot(x[1 + 2 * p], x[2 + 2 * p]) - mu[p] * N;
        if (beyond > 0) d += beyond * beyond;
      }
      best = fmin(best, d);
    }
    assert_true(far <= best + 1e-12 && far >= best - 1e-2);
  }
}

// A free row beside two disks of given radii, from a guess that is off by some percent: u of the free row is 0, and
// each disk has its law.
static void given(void **state) {
  (void)state;
  int elsewhere = 0;
  for (int trial = 0; trial < 2000 / THIN; trial++) {
    int free_at = trial % 3 * 2;                            // before, between, behind
    nsm_cone_block k[2] = { { NSM_CONE_DISK, free_at == 0, 2, 0, 0, pow(10, 2 * draw()) },
                            { NSM_CONE_DISK, free_at == 4 ? 2 : 3, 2, 0, 0, pow(10, 2 * draw()) } };
    bench b = bench_open(5, 0, 0);
    fill_semidefinite(&b, 5, 0);
    for (int i = 0; i < 5; i++) {
      b.M[6 * i] += 1e-2;
      b.q[i] = draw();
    }
    b.lo[free_at] = -HUGE_VAL;
    b.p.cone = k;
    b.p.cones = 2;
    bench_solve(&b, "proximal_newton", 0);
    for (int i = 0; i < 5; i++) b.lambda[i] *= 1 + 0.03 * draw();
    assert_int_equal(bench_solve(&b, NULL, 1), NSM_CONE_SOLVED);
    elsewhere += strcmp(b.r.solver, "contact") != 0;
    double u[5], most = 0, fast = 0;
    for (int i = 0; i < 5; i++) {
      double size = fabs(b.q[i]);
      u[i] = b.q[i];
      for (int j = 0; j < 5; j++) { u[i] += b.M[i + 5 * j] * b.lambda[j]; size += fabs(b.M[i + 5 * j] * b.lambda[j]); }
      most = fmax(most, fabs(b.lambda[i]));
      fast = fmax(fast, size);
    }
    assert_true(fabs(u[free_at]) <= 1e-9 * fast);
    for (int c = 0; c < 2; c++)
      assert_true(part(2, 1, k[c].radius, b.lambda + k[c].first, u + k[c].first, most, fast) <= 1e-9);
    bench_close(&b);
  }
  print_message("not by Newton: %d\n", elsewhere);
  assert_true(elsewhere <= 20);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(one), cmocka_unit_test(planar_modes),
                                      cmocka_unit_test(several), cmocka_unit_test(projection),
                                      cmocka_unit_test(given) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
