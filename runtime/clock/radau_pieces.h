// Pieces of a scheme that collocates: what located.c and advance.c hand over to it (schemes/radau.h).
#pragma once
#include "located.h"
#include "runtime/schemes/radau.h"

// After so many pieces the rest of a step is taken by implicit Euler; after so many in a row below a part of the step,
// a short piece of it.
enum { RADAU_PIECES = 40, RADAU_SHORTS = 3, RADAU_SETS_OLD = 2 };    // OLD: sim_state.sets_known of those before an event
static const double RADAU_SHORT = 1e-4, RADAU_EULER = 1 / 256.0;

// radau_pieces.c
void     sim_radau_stale(nsm_sim *s);
void     sim_radau_step(nsm_sim *s);                                 // a step of the clock begins
nsm_code sim_radau_begin(nsm_sim *s, nsm_error *e);                  // a piece does
int      sim_radau_give_up(nsm_sim *s);
nsm_code sim_radau_end(nsm_sim *s, double t1, double length, int ends, nsm_error *e);
nsm_code sim_radau_checked(nsm_sim *s, double h, double t1, nsm_error *e);      // a step without location
// radau_find.c: the trial of *length is at hand; where a set ends in it, that of the shorter *length is then
nsm_code sim_radau_find(nsm_sim *s, double *length, nsm_error *e);
