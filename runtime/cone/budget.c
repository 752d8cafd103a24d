// The work that one problem may take (nsm_cone_options.budget), and an interrupt (stop). Solvers, factorizations,
// products and the verifier charge what they do, in operations; long loops ask nsm_cone_late between their iterations
// and give up; the driver then returns the best answer so far. No clock is read: the same problem ends at the same
// place on any machine, busy or not.
#include "solver.h"
#include <math.h>

enum { ASKED = 100 };                    // operations of a row in a loop that charges nothing else

void nsm_cone_start_budget(nsm_cone_work *w, double budget) {
  w->late = 0;
  w->work_most = NSM_CONE_OPERATIONS * budget;
}

int nsm_cone_late(nsm_cone_work *w) {
  nsm_cone_charge(w, ASKED * (1.0 + w->m));
  if (!w->late) w->late = (w->stop && *w->stop) || w->work > w->work_most;
  return w->late;
}
