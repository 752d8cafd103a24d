// What the hand-written programs share: a program is a function that steps n times from the start and leaves the final
// values; `main` times it. Prints "ns <per step, minimum>" and one line "name value" for each final value.
//
//   program [steps [repetitions]]
#pragma once
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double hand_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define HAND(steps, run, show)                                                     \
  int main(int argc, char **argv) {                                                \
    long n = argc > 1 ? atol(argv[1]) : (steps), times = argc > 2 ? atol(argv[2]) : 5; \
    double best = INFINITY;                                                        \
    for (long k = 0; k < times; k++) {                                             \
      double began = hand_seconds();                                               \
      run(n);                                                                      \
      double ns = 1e9 * (hand_seconds() - began) / (double)n;                      \
      best = ns < best ? ns : best;                                                \
    }                                                                              \
    printf("ns %.4f\n", best);                                                     \
    show();                                                                        \
    return 0;                                                                      \
  }
