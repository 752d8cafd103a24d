// Random numbers, rotations and poses for the tests of shapes: the same in every run.
#ifndef NSM_TESTS_CHANCE_H
#define NSM_TESTS_CHANCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include "runtime/shapes/shape.h"

static uint64_t chance_state = 88172645463325252u;

static inline double draw(void) {   // in [-1, 1), xorshift
  chance_state ^= chance_state << 13;
  chance_state ^= chance_state >> 7;
  chance_state ^= chance_state << 17;
  return (double)(chance_state >> 11) * 0x1p-52 - 1.0;
}
static inline double between(double a, double b) { return a + (b - a) * 0.5 * (draw() + 1); }
static inline int choose(int n) { return (int)(between(0, 1) * n) % n; }

static inline void no_turn(double *R) {
  memset(R, 0, 9 * sizeof *R);
  R[0] = R[4] = R[8] = 1;
}
static inline void turn_z(double angle, double *R) {
  no_turn(R);
  R[0] = R[4] = cos(angle);
  R[3] = sin(angle);
  R[1] = -R[3];
}
// A rotation by a random unit quaternion.
static inline void random_turn(double *R) {
  double q[4], s;
  do {
    s = 0;
    for (int k = 0; k < 4; k++) { q[k] = draw(); s += q[k] * q[k]; }
  } while (s > 1 || s < 1e-3);
  for (int k = 0; k < 4; k++) q[k] /= sqrt(s);
  double w = q[0], x = q[1], y = q[2], z = q[3];
  double all[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) };
  memcpy(R, all, sizeof all);
}
static inline nsm_pose random_pose(double wide) {
  nsm_pose pose;
  for (int k = 0; k < 3; k++) pose.r[k] = wide * draw();
  random_turn(pose.R);
  return pose;
}
static inline nsm_shape shape_of(nsm_shape_kind kind, double a, double b, double c) {
  nsm_shape s = { .kind = kind, .size = { a, b, c } };
  no_turn(s.turn);
  return s;
}

#endif
