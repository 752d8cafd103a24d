// A trial: the problem and how it is asked, and where an answer and what the verifier says of it go. For solvers that
// look at many answers of one problem.
#pragma once
#include "solver.h"

typedef struct nsm_cone_trial {
  const nsm_cone_problem *p;
  nsm_cone_work          *w;
  const nsm_cone_try     *t;
  double                 *lambda, *u;   // [m]; u: out
  nsm_cone_check         *c;            // out
} nsm_cone_trial;
