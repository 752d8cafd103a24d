// A solver of the table (cone/solver_table.c) that an FMU does not have.
#pragma once
#include "runtime/cone/solver.h"

#define NONE(name) \
  nsm_cone_outcome name(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda, \
                        double *u) { \
    (void)p; (void)w; (void)t; (void)lambda; (void)u; \
    return NSM_CONE_GAVE_UP; \
  }
