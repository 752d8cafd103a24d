// Where the energy went: the balance of every step, and what each contact took (docs/numerics/consistent.md (15)).
// Schemes
// book losses while they step; the clock closes the books of a step. Uses the parts of a simulation (runtime/sim.h) and
// nothing else.
//
//   ledger.c  energies, impulses, forces and dampers, the residue
//   misses.c  how far constraints are from being met
//   reason.c  a step whose balance is beyond all reason
#pragma once
#include <math.h>
#include "runtime/sim.h"

void sim_ledger_start(nsm_sim *s);
void sim_ledger_reset(nsm_sim *s);     // an event, or somebody outside, has changed the state
double sim_ledger_book(nsm_sim *s, int row, double loss);                        // adds it to the row's; returns it
// V'(z) d of the potentials of states at time t, by a difference that is exact to degree 4; at [nz] is scratch
double sim_energy_along(const nsm_sim *s, double t, const double *z, const double *d, double *at);
void sim_ledger_impulses(nsm_sim *s);  // loss at contacts from impulses and rates
// The same of a whole step (schemes/whole.c), begin in q, z, end in q1, z1, l1: which rows acted and their rates are
// found here.
void sim_ledger_whole_step(nsm_sim *s);
// what potentials that change with time put in
double sim_driven(const nsm_sim *s, double t0, const double *q0, double t1, const double *q1);
// misses.c: the largest miss of a constraint on places now, its row; the same into the counters of the run
enum { SIM_MISSES_EVERY = 128 };
int    sim_misses_any(const nsm_sim *s);                 // is there such a constraint?
double sim_miss_now(const nsm_sim *s, int *at);
void   sim_misses_take(nsm_sim *s);
static inline double sim_ledger_all(const sim_ledger *g) {      // all energies and works, and what was lost
  return g->scale + fabs(g->forces) + fabs(g->dampers) + fabs(g->contacts) + fabs(g->resets);
}
// What residues are checked by: of a step, and of whole steps as they stand now. checked: 0 where they are as the
// scheme has them, else what they come to beside that.
void   sim_residue_book(nsm_sim *s, double kinetic, double potential, double force, double damping);
void   sim_residue_whole(nsm_sim *s);
double sim_residue_checked(const nsm_sim *s);
double sim_gained_alone(const nsm_sim *s, double began, double kinetic, double potential);
double sim_made_checked(const nsm_sim *s);       // what impacts made beside all energies; 0 where that is round-off
// reason.c: are the velocities z, at places q, round-off? Is there no other motion in the step that ends now?
int    sim_rounds(const nsm_sim *s, const double *q, const double *z);
void   sim_ledger_rests(nsm_sim *s);
// The energy [J] that the step (q, z) -> (q1, z1) has from nothing, where it is beyond all reason; else 0
double sim_from_nothing(nsm_sim *s, double t1);
// The same of whole steps whose books their code keeps: has one of them been so?
int    sim_was_from_nothing(const nsm_sim *s);
// Likewise of an impact that has been accepted: a step of length 0.
int    sim_impact_from_nothing(const nsm_sim *s);
void sim_ledger_step(nsm_sim *s);                                                // after a step: q1, z1 hold its begin
