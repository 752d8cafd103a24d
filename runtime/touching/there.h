// Poses elsewhere than at the begin of the step (bodies.c), for what is asked there (ahead.c).
#pragma once
#include "touching.h"

void sim_touch_swap(struct nsm_touching *t);               // those of the begin and those of there
void sim_touch_go(nsm_sim *s, const nsm_view *v);          // swap, and be at the poses of a view; swap leads back
