// Settings of a run of one period: from w->start on, in steps that follow its length where it is found, too, and with
// the parameter that a branch follows.
#include "analyse.h"
#include <string.h>

nsm_settings steady_settings(const steady *w, const nsm_settings *set, double length) {
  nsm_settings own = *set;
  own.start = w->start;
  own.until = w->start + length;
  if (w->steps > 0) own.step = length / (double)w->steps;
  if (!w->vary) return own;
  if (set->nset > 0) memcpy(w->with_p, set->set, (size_t)set->nset * sizeof *w->with_p);
  w->with_p[own.nset++] = (nsm_assignment){ w->vary, w->p };
  own.set = w->with_p;
  return own;
}
