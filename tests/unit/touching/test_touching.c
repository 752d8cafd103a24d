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

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(bounces), cmocka_unit_test(rolls) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
