// The one-step problem of large coupled systems, without W^{-1} B and M_osns (augmented.c). 
#pragma once
#include "assembly.h"

struct sim_augmented;

// NULL where the model has rows that are no intervals. After the patterns of W, B, C and D.
struct sim_augmented *sim_augmented_make(nsm_sim *s);
// Multiplications of one factorization with its solves.
double sim_augmented_cost(const struct sim_augmented *a);
// Is it faster for so many active rows than X and M_osns?
int    sim_augmented_pays(const nsm_sim *s, int active);
void   sim_augmented_stale(nsm_sim *s);                        // values of W, B, C or D have changed
// isl.q, lo, hi, lambda of the active rows -> isl.lambda, u; 0 where it does not get there, and nothing is changed.
int    sim_augmented_solve(nsm_sim *s);
void   sim_augmented_motion(const nsm_sim *s, double *dz);     // see sim_rows_motion; of the last solution
void   sim_augmented_sizes(const nsm_sim *s, const double *lambda, double *size);   // see sim_rows_sizes

// augmented_verifier.c: the residual of a solution, from the entries of the classes and the laws alone. The largest,
// over the rows of W dz = B lambda, of what is left relative to its terms; and over the laws that of the natural map of
// u = q + C dz + D lambda, relative to its terms. motion and scratch [w.n]; lambda and u [isl.nactive] by place in
// the active list.
double sim_augmented_residual(const nsm_sim *s, const double *motion, const double *lambda, double *u,
                              double *scratch[2]);
