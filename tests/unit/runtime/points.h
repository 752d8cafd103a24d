// Points of the theta-gamma scheme for models that are written by hand, as the compiler emits them
// (compiler/schemes/moreau.c): begin, end, between both by theta (M, H of constraints), by gamma (g, outputs).
#pragma once
#include "runtime/nsm_abi.h"

static inline void theta_gamma_points(double theta, double gamma, double e, nsm_point *to) {
  (void)e;
  to[0] = (nsm_point){ .force = 1 - theta };
  to[1] = (nsm_point){ 0, 1, 1 - theta, theta, 1, theta };
  to[2] = (nsm_point){ 0, theta, theta * (1 - theta), theta * theta, theta, 0 };
  to[3] = (nsm_point){ 0, gamma, gamma * (1 - theta), gamma * theta, gamma, 0 };
}

#define THETA_GAMMA .points = theta_gamma_points, .inertia_at = 2, .along_at = 2, .law_at = 3, .lead = 0.5
