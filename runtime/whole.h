// Whole steps: what the runtime does for the functions that the compiler writes (docs/numerics/whole-steps.md).
//
//   whole.c         does this model's function fit; constants; a run of whole steps between two of the general road
//   whole_linear.c  the matrix A of linear models, rows that act
#pragma once
#include "sim.h"

// The state that a whole step reads and writes; its emitted code gets `s`.
struct sim_whole {
  const nsm_whole *of;
  double *c;                            // constants
  long    general;                      // steps that took the general road
  long    rows_at;                      // WHOLE_LINEAR: the last step in which rows acted, -1
  nsm_sim *sim;
  double  s[];
};

void sim_whole_analyse(nsm_sim *s, const nsm_settings *set);       // after sim_prepare
long sim_whole_run(nsm_sim *s, long n);  // up to n steps; how many it did before one that the general road takes

// whole_linear.c
int  sim_whole_linear_matrix(nsm_sim *s, const nsm_whole *w, double *a);   // 0: A has entries that the code has not
void sim_whole_linear_load(nsm_sim *s, struct sim_whole *w);
void sim_whole_linear_store(nsm_sim *s, struct sim_whole *w, long done);
