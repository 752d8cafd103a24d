// The sets of friction of all laws, by hand: their parts, how far a force is from them, which force opposes a slip, and
// what the natural map leaves of it (runtime/assembly/friction.c).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/assembly/assembly.h"
#include "runtime/cone/sets.h"

// Half axes of each direction, of the normal force 1; directions of the first part.
typedef struct set { sim_friction f; int parts, exact, first; double axis[4]; } set;
#define OF(TYPE, NORMALS, N, MU, MU2, RADIUS)                                                                          \
  { .type = NSM_CONE_##TYPE, .normals = NORMALS, .normal = { 0, 1, 2 }, .n = N, .row = { 3, 4, 5, 6 }, .mu = MU,       \
    .mu2 = MU2, .radius = RADIUS, .at = { MU, MU2, RADIUS } }
static const set sets[] = {
  { OF(COULOMB, 1, 1, 0.5, 0, 0), 1, 0, 1, { 0.5 } },
  { OF(COULOMB, 1, 2, 0.5, 0, 0), 1, 0, 2, { 0.5, 0.5 } },
  { OF(ELLIPTIC, 1, 2, 0.5, 0.25, 0), 1, 0, 2, { 0.5, 0.25 } },
  { OF(ELLIPTIC, 1, 2, 0, 0.25, 0), 1, 0, 2, { 0, 0.25 } },
  { OF(ELLIPTIC, 0, 2, 0.5, 0.25, 3), 1, 0, 2, { 0.5, 0.25 } },
  { OF(CONTENSOU, 1, 3, 0.5, 0, 0.1), 1, 0, 3, { 0.5, 0.5, 0.05 } },
  { OF(CONTENSOU, 0, 3, 0.5, 0.1, 3), 1, 0, 3, { 0.5, 0.5, 0.05 } },
  { OF(CONTENSOU_EXACT, 1, 3, 0.5, 0, 0.1), 1, 1, 3, { 0.5, 0.5, 0.05 } },
  { OF(CONTENSOU_EXACT, 1, 3, 0.5, 0, 0), 1, 0, 3, { 0.5, 0.5, 0 } },
  { OF(CONTENSOU_EXACT, 1, 3, 0, 0, 0.1), 1, 0, 3, { 0, 0, 0 } },
  { OF(GRIP, 1, 2, 0.5, 0, 0), 1, 0, 2, { 0.5, 0.5 } },
  { OF(GRIP3, 3, 1, 0.5, 0, 0), 1, 0, 1, { 0.5 } },
  { OF(DISK, 0, 2, 0, 0, 3), 1, 0, 2, { 1, 1 } },
  { OF(ROLLING, 1, 2, 0.5, 0.01, 0), 2, 0, 1, { 0.5, 0.01 } },
  { OF(ROLLING, 1, 4, 0.5, 0.01, 0), 2, 0, 2, { 0.5, 0.5, 0.01, 0.01 } },
};
enum { SETS = sizeof sets / sizeof *sets };
static const double direction[] = { 3, -4, 5, 12 };

static nsm_sim *of_set(const set *k, sim_friction *f) {
  static nsm_sim s;
  static int same[] = { 0, 1, 2, 3, 4, 5, 6 };
  memset(&s, 0, sizeof s);
  *f = k->f;
  s.n.r.friction = f;
  s.n.r.l = same;
  s.n.h = 0.5;
  return &s;
}

static void parts(void **state) {
  (void)state;
  for (int k = 0; k < SETS; k++) {
    const set *is = &sets[k];
    sim_friction f = is->f;
    sim_disk part[2];
    assert_int_equal(sim_friction_parts(&f, part), is->parts);
    for (int p = 0, d = 0; p < is->parts; p++) {
      assert_true(part[p].first == d && part[p].n == is->first && part[p].exact == is->exact);
      for (int i = 0; i < part[p].n; i++, d++)
        assert_true(fabs(part[p].mu * part[p].w[i] - is->axis[d]) <= 1e-17 && (part[p].mu > 0 || part[p].w[i] == 1));
    }
    f.mu = f.mu2 = 2;                                      // made anew
    sim_friction_parts(&f, part);
    assert_true(f.type == NSM_CONE_DISK || part[0].mu == 2);
  }
}

// A force along `direction` in the scaled frame: its gauge, and the nearest one of a set of radius 2.
static void nearest(void **state) {
  (void)state;
  for (int k = 0; k < SETS; k++) {
    sim_friction f = sets[k].f;
    sim_disk part[2];
    for (int p = sim_friction_parts(&f, part); p-- > 0;) {
      double l[4] = { 0 }, was[4] = { 0 }, length = 0;
      for (int d = 0; d < part[p].n; d++) {
        l[d] = was[d] = part[p].w[d] * direction[d];
        if (part[p].w[d] > 0) length = hypot(length, direction[d]);
      }
      double gauge = sim_disk_gauge(part + p, l);
      if (!part[p].exact) assert_true(fabs(gauge - length) <= 1e-14 * length);
      sim_disk_nearest(part + p, 2 * gauge, l);
      assert_memory_equal(l, was, sizeof l);
      sim_disk_nearest(part + p, 2, l);
      if (gauge > 2) assert_true(fabs(sim_disk_gauge(part + p, l) - 2) <= 1e-9);
      for (int d = 0; d < part[p].n && !part[p].exact; d++)
        assert_true(fabs(l[d] - was[d] * 2 / length) <= 1e-14 * length);
    }
  }
}

static void blocks(void **state) {
  (void)state;
  for (int k = 0; k < SETS; k++) {
    sim_friction f;
    nsm_sim *s = of_set(&sets[k], &f);
    nsm_cone_block b[2];
    int row[8], n = f.n + f.normals;
    assert_int_equal(sim_friction_rows(s, 0, row), n);
    for (int i = 0; i < n; i++) assert_int_equal(row[i], i < f.normals ? i : 3 + i - f.normals);
    *b = sim_friction_block(s, 0, 7);
    assert_true(b->type == f.type && b->first == 7 && b->size == n);
    int many = sim_friction_under(s, 0, 4, 7, b);
    assert_int_equal(many, sets[k].parts);
    for (int p = 0, d = 0; p < many; d += b[p++].size) {
      assert_true(b[p].first == 7 + d && b[p].size == sets[k].first);
      double mu = b[p].type == NSM_CONE_DISK ? 1 : b[p].mu, mu2 = b[p].type == NSM_CONE_DISK ? 1 : b[p].mu2;
      assert_true(fabs(b[p].radius * mu - 4 * sets[k].axis[d]) <= 1e-15);
      assert_true(fabs(b[p].radius * mu2 - 4 * sets[k].axis[d + b[p].size - 1]) <= 1e-15);
    }
  }
}

// Under a slip u the map comes to the force that takes most from it, where nothing is left of a residual.
static void opposes(void **state) {
  (void)state;
  static const double diagonal[] = { 2, 3, 5, 7 }, size[] = { 10, 10, 10, 10 };
  for (int k = 0; k < SETS; k++) {
    sim_friction f;
    nsm_sim *s = of_set(&sets[k], &f);
    double l[8] = { f.normals == 3 ? 1 : -0.0, 2, 2 }, *t = l + 3, length[2] = { 0 }, residual;
    if (f.normals == 1) l[0] = f.type == NSM_CONE_GRIP ? -3 : 3;
    double normal = sim_friction_pressed(s, 0, l), r = f.normals == 0 ? 1.5 : 3;
    assert_true(fabs(fabs(normal) - r) <= 1e-15);
    double before = sim_friction_residual(s, 0, l, direction, diagonal, size);
    for (int i = 0; i < 4000; i++) sim_friction_prox(s, 0, normal, direction, diagonal, 1, t);
    residual = sim_friction_residual(s, 0, l, direction, diagonal, size);
    assert_true(residual <= 1e-12 && (before > 1e-3) == (sets[k].axis[0] + sets[k].axis[1] > 0));
    for (int d = 0; d < f.n; d++) {
      double *of = &length[d / sets[k].first];
      *of = hypot(*of, sets[k].axis[d] * direction[d]);
    }
    for (int d = 0; d < f.n && !sets[k].exact; d++) {
      double a = sets[k].axis[d], of = length[d / sets[k].first];
      assert_true(fabs(t[d] + (of > 0 ? r * a * a * direction[d] / of : 0)) <= 1e-9);
    }
  }
}

// A coefficient that its own law changes, mu = law(mu): how many iterations find 0.3 by the secant rule. Where the law
// jumps across it, the interval that holds it is halved.
static double law(double slope, double c) { return slope < -100 ? (c < 0.3 ? 0.5 : 0.13) : 0.3 + slope * (c - 0.3); }

static int iterations(double slope) {
  static const set coulomb = { OF(COULOMB, 1, 2, 0.31, 0, 0), 1, 0, 2, { 0 } };
  static sim_analysis a;
  static sim_class k = { .tab.count = 1 };
  static int first = 0;
  sim_friction f;
  nsm_sim *s = of_set(&coulomb, &f);
  s->a = &a;
  a.cls = &k;
  a.on.mu = (sim_list){ 1, &first };
  for (int n = 0; n < 200; n++) {
    f.at[0] = law(slope, f.mu);
    sim_friction_guess(s, n == 0);
    if (fabs(f.mu - 0.3) <= 1e-12) return n;
  }
  return 200;
}

static void guesses(void **state) {
  (void)state;
  static const double slope[] = { -3, -1.5, -0.5, 0, 0.5, 0.79 };
  for (int k = 0; k < 6; k++) assert_int_equal(iterations(slope[k]), slope[k] == 0 ? 0 : 2);
  assert_in_range(iterations(0.95), 60, 81);               // a fifth of the way each time
  assert_in_range(iterations(-1000), 3, 40);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(parts), cmocka_unit_test(nearest), cmocka_unit_test(blocks),
                                      cmocka_unit_test(opposes), cmocka_unit_test(guesses) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
