// Contensou's exact set: against integrals over the contact area, projections against a search, derivatives against
// differences; single contacts and many of them.
#include "friction.h"
#include "runtime/cone/solver.h"

static const double pi = 3.14159265358979323846;

// Power of Coulomb's friction under Hertz' pressure over a circular area, per normal force and mu = 1, for the slip
// velocity v and the spin w (mean radius, here 1, times angular velocity). About the instantaneous centre, at the
// distance a of the middle in units of R = 16 / (3 pi), the slip at the distance rho is rho omega; along a chord
// through it, from c - h to c + h with c = a cos phi, h^2 = 1 - a^2 sin^2 phi, the pressure is 3 / (2 pi) sqrt(h^2 -
// (rho - c)^2):
//   power = R omega 3 / (2 pi) integral dphi of pi/2 h^2 (c^2 + h^2 / 4)
// over half a turn for a <= 1, over the chords that meet the area for a > 1 (then a sin phi = sin psi).
static double power_by_area(double v, double w, int n) {
  double R = 16 / (3 * pi), a = v / (R * w), sum = 0;
  if (!(a < 1e6)) return v;
  for (int k = 0; k < n; k++) {
    double phi = pi * (k + 0.5) / n, c2, h2, weight = pi / n;
    if (a <= 1) { c2 = a * a * cos(phi) * cos(phi); h2 = 1 - a * a * sin(phi) * sin(phi); }
    else {
      double psi = phi - pi / 2;
      h2 = cos(psi) * cos(psi);
      c2 = a * a - sin(psi) * sin(psi);
      weight *= cos(psi) / sqrt(c2);
    }
    sum += weight * pi / 2 * h2 * (c2 + h2 / 4);
  }
  return R * w * 1.5 / pi * sum;
}

static void powers(void **state) {
  (void)state;
  for (int k = 0; k <= 40; k++) {
    double angle = pi / 2 * k / 40, v[3] = { sin(angle) * 0.6, sin(angle) * -0.8, cos(angle) }, b[3],
           h = nsm_cone_power_contensou(v, b), expected = power_by_area(sin(angle), cos(angle), 4000);
    if (!(fabs(h - expected) <= 1e-9)) fail_msg("angle %g: %.12g, the integral is %.12g", angle, h, expected);
    assert_true(fabs(b[0] * v[0] + b[1] * v[1] + b[2] * v[2] - h) <= 1e-15 * 4);
    double round = hypot(hypot(b[0], b[1]), b[2]);
    assert_true(round <= 1 + 1e-15 && round >= 0.94);
  }
  double u1[3] = { 16 / (3 * pi), 0, 1 }, b[3];   // u = |v| / (R w) = 1
  nsm_cone_power_contensou(u1, b);
  assert_true(fabs(b[0] - 9 * pi / 32) <= 1e-14 && fabs(b[2] - 0.375) <= 1e-14);
}

// Along the axes, where parts of the velocity are 0, and at rest, where there is no force.
static void power_along_axes(void **state) {
  (void)state;
  static const double v[4][3] = { { 0, 0, -2 }, { 0, 0, 3 }, { 0, -2, 0 }, { 0, 0, 0 } };
  static const double force[4][3] = { { 0, 0, -1 }, { 0, 0, 1 }, { 0, -1, 0 }, { 0, 0, 0 } };
  for (int k = 0; k < 4; k++) {
    double b[3], most = power_by_area(0, 1, 4000);            // the moment of spin alone
    double h = nsm_cone_power_contensou(v[k], b);
    for (int i = 0; i < 3; i++) assert_true(fabs(b[i] - force[k][i] * (k < 2 ? most : 1)) <= 1e-9);
    assert_true(fabs(h - fabs(v[k][1]) - most * fabs(v[k][2])) <= 1e-8);
  }
}

// The gap between a point and r B along the normals of B, by search.
static double distance(double r, const double *x) {
  double t = hypot(x[0], x[1]), s = fabs(x[2]), best = -HUGE_VAL;
  double low = 0, high = pi / 2;
  for (int pass = 0; pass < 40; pass++) {
    double step = (high - low) / 20, at = low;
    best = -HUGE_VAL;
    for (int k = 0; k <= 20; k++) {
      double a = low + k * step, e[3] = { sin(a), 0, cos(a) }, d = t * e[0] + s * e[2] - r * nsm_cone_power_contensou(e,
          NULL);
      if (d > best) { best = d; at = a; }
    }
    low = fmax(0, at - 2 * step);
    high = fmin(pi / 2, at + 2 * step);
  }
  return best;
}

static void projections(void **state) {
  (void)state;
  for (int k = 0; k < 4000 / THIN; k++) {
    double x[3] = { 2 * draw(), 2 * draw(), 2 * draw() }, r = 0.1 + fabs(draw()), p[3], J[9], by[3], q[3], off = 0;
    if (k % 10 == 0) x[0] = x[1] = 0;
    if (k % 10 == 1) x[2] = 0;
    if (k % 10 == 2) x[2] *= 1e-9;
    if (k % 10 == 3) for (int i = 0; i < 3; i++) x[i] *= 1e6;
    nsm_cone_project_contensou(r, x, p, J, by);
    for (int i = 0; i < 3; i++) off += (x[i] - p[i]) * (x[i] - p[i]);
    double d = fmax(distance(r, x), 0), size = 1 + fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    if (!(fabs(sqrt(off) - d) <= 1e-13 * size)) fail_msg("%d: at the distance %.15g, nearest is %.15g", k, sqrt(off),
        d);
    assert_true(distance(r, p) <= 1e-14 * size);
    if (k % 10 == 3 || (d > 0 && d < 1e-3)) continue;
    for (int j = 0; j < 4; j++) {                         // differences
      double y[3] = { x[0], x[1], x[2] }, h = 1e-6, z[3];
      if (j < 3) y[j] += h;
      nsm_cone_project_contensou(j < 3 ? r : r + h, y, q, NULL, NULL);
      if (j < 3) y[j] -= 2 * h;
      nsm_cone_project_contensou(j < 3 ? r : r - h, y, z, NULL, NULL);
      for (int i = 0; i < 3; i++) {
        double slope = (q[i] - z[i]) / (2 * h), given = j < 3 ? J[i + 3 * j] : by[i];
        if (d > 0 && k % 10 > 2 && !(fabs(slope - given) <= 1e-5))
          fail_msg("%d: derivative %d of %d is %g, by differences %g", k, j, i, given, slope);
      }
    }
  }
}

// What the law says of the block, with the power by the integral: N >= 0, u_N >= 0, one of them zero; lambda_T in mu N
// B; and friction takes the power of its law.
static double law(const nsm_cone_block *b, const double *l, const double *u) {
  double t = hypot(l[1], l[2]), s = fabs(l[3]) / b->radius, v = hypot(u[1], u[2]), w = b->radius * fabs(u[3]), worst;
  double size = 1 + fabs(l[0]) + hypot(v, w) + fabs(u[0]);
  worst = fmax(fmax(-l[0], -u[0]), fmin(fabs(l[0]), fabs(u[0])));
  for (int k = 0; k <= 30; k++) {
    double a = pi / 2 * k / 30;
    worst = fmax(worst, t * sin(a) + s * cos(a) - b->mu * l[0] * power_by_area(sin(a), cos(a), 400));
  }
  double power = l[1] * u[1] + l[2] * u[2] + l[3] * u[3];
  return fmax(worst, fabs(power + b->mu * l[0] * power_by_area(v, w, 400))) / size;
}

static void single(void **state) {
  (void)state;
  int modes[3] = { 0 };
  for (int k = 0; k < 3000 / THIN; k++) {
    friction f = friction_open(4, 1);
    bench *b = &f.b;
    friction_add(&f, (nsm_cone_block){ NSM_CONE_CONTENSOU_EXACT, 0, 4, (double[]){ 0.1, 0.5, 1, 3 }[k % 4], 0,
                                       pow(10, 2 * draw()) });
    fill_semidefinite(b, 4, 0);
    for (int i = 0; i < 4; i++) b->M[5 * i] += 0.05;
    for (int i = 0; i < 4; i++) {                        // the spin in units of its own
      b->M[i + 12] /= f.block[0].radius;
      b->M[3 + 4 * i] /= f.block[0].radius;
    }
    for (int i = 0; i < 4; i++) b->q[i] = draw() / (i == 3 ? f.block[0].radius : 1);
    bench_solve(b, NULL, 0);
    if (b->r.status != NSM_CONE_SOLVED || b->r.residual > 1e-12)
      fail_msg("%d: status %d, residual %g by %s", k, b->r.status, b->r.residual, b->r.solver);
    double size = 0;
    for (int i = 1; i < 4; i++) size = fmax(size, fabs(b->u[i]) * (i == 3 ? f.block[0].radius : 1));
    modes[b->lambda[0] == 0 ? 0 : size < 1e-12 ? 1 : 2]++;
    if (k % 8 == 0 && !(law(f.block, b->lambda, b->u) <= 1e-8)) fail_msg("%d: the law is off by %g", k, law(f.block,
        b->lambda, b->u));
    friction_close(&f);
  }
  if (getenv("NSM_SHOW")) printf("open %d, stick %d, slip %d\n", modes[0], modes[1], modes[2]);
  assert_true(modes[0] > 30 / THIN && modes[1] > 30 / THIN && modes[2] > 30 / THIN);
}

// The set under given normal forces, one block alone and several: lambda in radius diag(mu, mu, mu2) B, and friction
// takes the power of its law.
static double given_law(const nsm_cone_block *b, const double *l, const double *u) {
  double t = hypot(l[0], l[1]) / b->mu, s = fabs(l[2]) / b->mu2, v = b->mu * hypot(u[0], u[1]), w = b->mu2 * fabs(u[2]);
  double worst = 0, size = b->radius * (1 + hypot(v, w));
  for (int k = 0; k <= 30; k++) {
    double a = pi / 2 * k / 30;
    worst = fmax(worst, t * sin(a) + s * cos(a) - b->radius * power_by_area(sin(a), cos(a), 400));
  }
  return fmax(worst, fabs(l[0] * u[0] + l[1] * u[1] + l[2] * u[2] + b->radius * power_by_area(v, w, 400))) / size;
}

static void given(void **state) {
  (void)state;
  int modes[2] = { 0 };
  for (int k = 0; k < 1500 / THIN; k++) {
    int blocks = k % 5 == 4 ? 3 : 1, m = 3 * blocks;
    friction f = friction_open(m, blocks);
    bench *b = &f.b;
    for (int c = 0; c < blocks; c++)
      friction_add(&f, (nsm_cone_block){ NSM_CONE_ELLIPSE_EXACT, 3 * c, 3, (double[]){ 0.1, 0.5, 1, 3 }[k % 4],
                                         pow(10, draw()), 0.1 + fabs(draw()) });
    fill_semidefinite(b, m, 0);
    for (int i = 0; i < m; i++) { b->M[(m + 1) * i] += 0.05; b->q[i] = (k % 3 ? 1 : 0.1) * draw(); }
    bench_solve(b, k % 7 == 3 ? "proximal_newton" : k % 7 == 5 ? "nsgs" : NULL, 0);
    if (b->r.status != NSM_CONE_SOLVED || b->r.residual > 1e-12)
      fail_msg("%d: status %d, residual %g by %s", k, b->r.status, b->r.residual, b->r.solver);
    for (int c = 0; c < blocks; c++) {
      double *u = b->u + 3 * c;
      modes[fabs(u[0]) + fabs(u[1]) + fabs(u[2]) > 1e-12]++;
      if (k % 8 < 2 && !(given_law(&f.block[c], b->lambda + 3 * c, u) <= 1e-8))
        fail_msg("%d: the law is off by %g", k, given_law(&f.block[c], b->lambda + 3 * c, u));
    }
    friction_close(&f);
  }
  if (getenv("NSM_SHOW")) printf("given: stick %d, slip %d\n", modes[0], modes[1]);
  assert_true(modes[0] > 30 / THIN && modes[1] > 30 / THIN);
}

// An answer made first: mode by mode, the slip of the point of the set where it slides.
static void plant(friction *f, double scale) {
  bench *b = &f->b;
  int m = b->p.m;
  double *u = zeros((size_t)m, 8);
  for (int i = 0, c = 0; i < m; c++) {
    const nsm_cone_block *k = &f->block[c];
    int mode = (int)((draw() + 1) * 1.5);
    double N = mode ? scale * (0.1 + fabs(draw())) : 0, v[3] = { draw(), draw(), draw() }, p[3];
    nsm_cone_power_contensou(v, p);
    b->lambda[i] = N;
    u[i] = mode ? 0 : fabs(draw());
    for (int l = 0; l < 3; l++) {
      double d = l == 2 ? k->radius : 1;
      b->lambda[i + 1 + l] = -d * k->mu * N * p[l] * (mode == 1 ? 0.5 : 1);
      u[i + 1 + l] = mode == 1 ? 0 : v[l] / d;
    }
    i += k->size;
  }
  for (int i = 0; i < m; i++) {
    b->q[i] = u[i];
    for (int j = 0; j < m; j++) b->q[i] -= b->M[i + j * m] * b->lambda[j];
  }
  memset(b->lambda, 0, (size_t)m * 8);
  free(u);
}

static void many(void **state) {
  (void)state;
  int solved = 0, count = 200 / THIN;
  for (int k = 0; k < count; k++) {
    int blocks = 1 + k % 20, m = 4 * blocks;
    friction f = friction_open(m, blocks);
    for (int c = 0; c < blocks; c++)
      friction_add(&f, (nsm_cone_block){ NSM_CONE_CONTENSOU_EXACT, 4 * c, 4, 0.05 + fabs(draw()), 0, 0.2 +
          fabs(draw()) });
    fill_semidefinite(&f.b, (int)(m * (0.5 + 0.5 * (k % 3))), 0);
    plant(&f, pow(10, draw()));
    bench_solve(&f.b, NULL, 0);
    solved += f.b.r.status == NSM_CONE_SOLVED;
    assert_int_not_equal(f.b.r.status, NSM_CONE_NO_SOLUTION);
    if (f.b.r.status == NSM_CONE_SOLVED) {
      assert_true(f.b.r.residual <= 1e-12);
      for (int c = 0; c < blocks && k % 10 == 0; c++)
        assert_true(law(&f.block[c], f.b.lambda + 4 * c, f.b.u + 4 * c) <= 1e-8);
    }
    friction_close(&f);
  }
  if (getenv("NSM_SHOW")) printf("%d of %d solved\n", solved, count);
  assert_true(solved >= count - count / 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(powers), cmocka_unit_test(power_along_axes), cmocka_unit_test(projections),
    cmocka_unit_test(single), cmocka_unit_test(given), cmocka_unit_test(many)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
