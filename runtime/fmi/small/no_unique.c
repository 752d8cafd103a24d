// In place of assembly/unique.c in every FMU: sim.unique is NULL.
#include "runtime/assembly/assembly.h"

void sim_unique_open(nsm_sim *s, int wanted) { (void)s; (void)wanted; }
void sim_unique_begin(nsm_sim *s) { (void)s; }
void sim_unique_look(nsm_sim *s, const nsm_cone_problem *p, const double *lambda, const int *row, const int *at) {
  (void)s; (void)p; (void)lambda; (void)row; (void)at;
}
void sim_unique_taken(nsm_sim *s) { (void)s; }
