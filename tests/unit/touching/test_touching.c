// Contacts of shapes in steps of `moreau`: what falls comes to rest where it should, with the forces that it should.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "scene.h"

static nsm_sim *opened(void) {
  nsm_error e;
  nsm_sim *s = scene_open(NULL, &e);
  if (!s) fail_msg("%s", e.text);
  return s;
}

static void steps(nsm_sim *s, int n) {
  nsm_error e;
  for (int i = 0; i < n; i++) if (nsm_step(s, &e) != NSM_OK) fail_msg("step %ld: %s", s->now.k + 1, e.text);
}

// A ball falls from rest, bounces off the floor with e = 0.5.
static void bounces(void **state) {
  (void)state;
  scene_body body[] = { scene_sphere(0.1, 2, 0, 0, 0.6), scene_plane(2, 1, 0) };
  at_hand = (scene){ .n = 1, .fixed = 1, .body = body, .gravity = 10, .e = 0.5, .step = 1e-4, .until = 10 };
  nsm_sim *s = opened();
  double lowest = 1, highest = 0;
  for (int i = 0; i < 5000; i++) {
    steps(s, 1);
    double z = scene_r_of(s, 0)[2];
    if (s->now.t < 0.4) lowest = fmin(lowest, z);
    else highest = fmax(highest, z);
  }
  assert_true(fabs(lowest - 0.1) < 1e-4 * sqrt(10));
  assert_true(fabs(highest - (0.1 + 0.25 * 0.5)) < 2e-3);
  nsm_close(s);
}

// Thrown with v and no spin it rolls from t = 2 v/(7 mu g) on, at 5 v/7.
static void rolls(void **state) {
  (void)state;
  scene_body body[] = { scene_sphere(0.1, 2, 0, 0, 0.1), scene_plane(2, 1, 0) };
  body[0].v[0] = 3;
  at_hand = (scene){ .n = 1, .fixed = 1, .body = body, .gravity = 10, .mu = 0.2, .step = 1e-3, .until = 10 };
  nsm_sim *s = opened();
  double t = 2 * 3 / (7 * 0.2 * 10);
  steps(s, (int)(0.9 * t / 1e-3));
  assert_true(scene_v_of(s, 0)[0] > 5. / 7 * 3 + 0.01);
  steps(s, 100);
  assert_true(fabs(scene_v_of(s, 0)[0] - 5. / 7 * 3) < 1e-12 * 3);
  steps(s, 1000);
  assert_true(fabs(scene_v_of(s, 0)[0] - 5. / 7 * 3) < 1e-12 * 3);
  assert_true(fabs(scene_r_of(s, 0)[2] - 0.1) < 1e-12);
  nsm_close(s);
}

// A tilted block falls on its corner, tumbles and comes to rest on a face; by the energy-consistent scheme no step gains
// energy, and corners never get deeper than at their first touch.
static void tumbles(void **state) {
  (void)state;
  scene_body body[] = { scene_box(0.2, 0.3, 0.1, 2, 0, 0, 0.5), scene_plane(2, 1, 0) };
  body[0].q[0] = cos(0.4);
  body[0].q[1] = sin(0.4) * 0.6;
  body[0].q[3] = sin(0.4) * 0.8;
  body[0].w[0] = 3;
  at_hand = (scene){ .n = 1, .fixed = 1, .body = body, .gravity = 10, .mu = 0.3, .e = 0.3, .step = 1e-3, .until = 10,
                     .scheme = NSM_SCHEME_CONSISTENT };
  nsm_sim *s = opened();
  nsm_keep_ledger(s);
  steps(s, 4000);
  nsm_energy energy;
  nsm_get_energy(s, &energy);
  assert_true(s->now.ledger.gain <= 1e-11);
  assert_true(energy.residue <= 1e-11);
  assert_true(energy.contacts > 5);
  assert_true(s->now.count.deepest < 4e-3);
  assert_true(energy.kinetic < 1e-12);
  double z = scene_r_of(s, 0)[2];
  assert_true(fabs(z - 0.05) < 4e-3 || fabs(z - 0.1) < 4e-3 || fabs(z - 0.15) < 4e-3);
  nsm_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(bounces), cmocka_unit_test(rolls), cmocka_unit_test(tumbles) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
