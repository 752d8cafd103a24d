// Random numbers of a run, the same whoever does the run, and when: of sweeps, and of the starts of a fit.
#pragma once
#include <stdint.h>

// Number `draw` of parameter `which` in run `run`: uniform in (0, 1). A function of its arguments alone.
double nsm_uniform(uint64_t seed, uint64_t run, uint64_t which, uint64_t draw);
double nsm_normal(uint64_t seed, uint64_t run, uint64_t which);                 // mean 0, variance 1
