// Pieces of a scheme that collocates: what located.c and advance.c hand over to it (schemes/radau.h).
#pragma once
#include "located.h"
#include "runtime/schemes/radau.h"

// After so many pieces the rest of a step is taken by implicit Euler; after so many in a row below a part of the step,
// a short piece of it.
// OLD: sim_state.sets_known of sets before an event. WRONG: a residual of the verifier that no piece may have.
enum { RADAU_PIECES = 40, RADAU_SHORTS = 3, RADAU_SETS_OLD = 2 };
static const double RADAU_SHORT = 1e-4, RADAU_EULER = 1 / 256.0, RADAU_WRONG = 1e-6;

// radau_begin.c
void     sim_radau_stale(nsm_sim *s);                                // another state
nsm_code sim_radau_sets(nsm_sim *s, nsm_error *e);                   // those of the present state, where they are old
nsm_code sim_radau_after(nsm_sim *s, nsm_error *e);                  // the same after an event
nsm_code sim_radau_checked(nsm_sim *s, double h, double t1, nsm_error *e);      // a step without location
// radau_pieces.c
void     sim_radau_step(nsm_sim *s);                                 // a step of the clock begins
nsm_code sim_radau_begin(nsm_sim *s, nsm_error *e);                  // a piece does
int      sim_radau_give_up(nsm_sim *s);
nsm_code sim_radau_end(nsm_sim *s, double t1, double length, int ends, nsm_error *e);
// radau_find.c: the trial of *length is at hand; where a set ends in it, that of the shorter *length is then
nsm_code sim_radau_find(nsm_sim *s, double *length, nsm_error *e);
