// Random numbers of a run, as a function of (seed, run, parameter, draw): the same whoever does the run, and when.
//
// The arguments go one after the other through the finalizer of SplitMix64 [Steele et al. 2014], a bijection of 64
// bits that changes half of the bits of its result for each bit of its argument.
#include "random.h"
#include <math.h>

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

double nsm_uniform(uint64_t seed, uint64_t run, uint64_t which, uint64_t draw) {
  static const uint64_t golden = 0x9e3779b97f4a7c15u;
  uint64_t x = mix(seed + golden);
  x = mix(x + golden * (run + 1));
  x = mix(x + golden * (which + 1));
  x = mix(x + golden * (draw + 1));
  return ((double)(x >> 11) + 0.5) * 0x1p-53;
}

// [Box and Muller 1958]
double nsm_normal(uint64_t seed, uint64_t run, uint64_t which) {
  double a = nsm_uniform(seed, run, which, 0), b = nsm_uniform(seed, run, which, 1);
  return sqrt(-2 * log(a)) * cos(6.283185307179586476925 * b);
}
