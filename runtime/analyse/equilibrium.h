// Equilibria: 0 = F + H^T lambda at rest, with every law as a set. docs/answers.md, 7
#pragma once
#include "field.h"

typedef struct equilibrium {
  field  f;                             // at the equilibrium
  int    iterations, steps;             // of Newton's method; of the motion that was followed
  double residual;                      // largest |(1)| beside the terms of its equation
  int    indifferent;                   // directions in which nothing holds it
  int    depends;                       // its equations depend on time, which was held
} equilibrium;

// From the start of the model. held: the time may be one of many, and is held. NSM_FAILED with the reason.
nsm_code equilibrium_find(equilibrium *q, nsm_sim *s, int held, nsm_error *e);
// "closed", "sticks", ... of a row.
const char *equilibrium_word(const field *f, int row);
