// The time that one problem may take (nsm_cone_options.budget), and an interrupt (stop). Long loops ask nsm_cone_late
// between their iterations and give up; the driver then returns the best answer so far. What time decides may differ
// from run to run.
#include "solver.h"
#include <math.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void nsm_cone_start_clock(nsm_cone_work *w, double budget) {
  w->late = 0;
  w->deadline = budget < HUGE_VAL ? now() + budget : HUGE_VAL;
}

int nsm_cone_late(nsm_cone_work *w) {
  if (!w->late) w->late = (w->stop && *w->stop) || (w->deadline < HUGE_VAL && now() > w->deadline);
  return w->late;
}
