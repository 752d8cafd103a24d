// The times of a run: opening, initial values, steps one after the other, states as values, statistics of a run. Uses
// schemes/ and all below.
//
//   open.c     open, close                               start.c, start_unique.c  initial values and laws
//   begin.c    reset, other initial values; values of the state from outside
//   clock.c    times of the run: nsm_step                advance.c  one step of any length
//   prepare.c  what depends on its length                events.c   instants of `every`, conditions of `when`: steps in
//                                                        pieces
//   change.c   parameters from outside                   room.c     room for contacts of shapes; restore, clone
//   state.c    clear, save, restore                      statistics.c  what the claims of a model are made of
//   laws.c     relations that blocks solve               look.c   what a run looks like
//   recording.c  many steps, and rows of their values
#pragma once
#include "runtime/record/record.h"
#include "runtime/schemes/schemes.h"
#include "runtime/touching/touching.h"

// start.c: initial values that the laws do not allow are moved (project: however far off), or refused: 0
int  sim_start(nsm_sim *s, int project, nsm_error *e);
static const double sim_rounded_depth = 1e-3;   // of the terms of a row: how deep a gap may be as a rounded number
// resets.c: a block is about to move places; it has. NSM_FAILED: into an obstacle
void sim_reset_begins(nsm_sim *s);
nsm_code sim_reset_ends(nsm_sim *s, nsm_error *e);
int  sim_mend(nsm_sim *s, int project, nsm_error *e);      // the same of the present state, which stays no start
int  sim_turns_hold(nsm_sim *s, nsm_error *e);             // quaternions have length 1, or are brought to it, or 0
void sim_note_solutions(nsm_sim *s);            // start_unique.c: relations with several solutions, into s->a->note
void sim_start_values(nsm_sim *s);              // start_values.c: multipliers and unknowns without inertia, now
// begin.c: nsm_begin, where inputs that were given a value keep it, and blocks of the start see it
nsm_code sim_begin_with_inputs(nsm_sim *s, int n, const int *column, const double *value, nsm_error *e);
// state.c
void sim_state_clear(nsm_sim *s);               // everything 0, as before the first step; nothing is remembered
// a state of the same sizes, as nsm_restore; the room that a state was saved with: is it another one?
nsm_code sim_restore(nsm_sim *s, const void *from, nsm_error *e);
// What nsm_save writes, without the sums that tell altered bytes: for sim_restore.
void     sim_save(const nsm_sim *s, void *to);
int  sim_saved_whole(const void *from);          // its checksum is that of its bytes
int  sim_saved_room(const nsm_sim *s, const void *from, int *room);
void sim_forget_last_step(nsm_sim *s);          // what it handed on about a state that is another one now
void sim_work_clear(nsm_sim *s);                // what a step that was broken off, or another state, left in the work

// statistics.c
// Those of the model's claims, a[nstat]. The last values are taken by nsm_statistics_end.
void nsm_statistics_start(nsm_sim *s, nsm_statistic *a);   // at the start of the run
void nsm_statistics_step(nsm_sim *s, nsm_statistic *a);    // after every step
void nsm_statistics_end(nsm_sim *s, nsm_statistic *a, double *value);
const char *sim_statistic_name(nsm_sim *s, int i);        // "max(x)": of claim statistic i; until the next name
double nsm_statistics_idle(const nsm_model *m, const nsm_statistic *a);   // as nsm_statistic_idle, of all
long sim_steps_before(const nsm_sim *s, double time);      // that may be taken at once before it, at least 1

// clock.c: nsm_advance with a look behind each step, at what sim_watches of columns, or of classes of outputs and
// energies (statistics.c): they are read off coordinates, velocities and states, which fused steps keep.
int      sim_watches_column(const nsm_sim *s, int column);
int      sim_watches_class(const nsm_sim *s, int cls);
nsm_code sim_advance_watched(nsm_sim *s, long n, struct sim_watch *w, nsm_error *e);

// claims.c: those that nsm_keep_claims keeps. How many of n steps may be taken before they look; behind each such
// piece; no more; do claims of the model need the ledger?
long sim_claims_idle(const nsm_sim *s, long n);
void sim_claims_step(nsm_sim *s);
void sim_drop_claims(nsm_sim *s);
int  sim_claims_ledger(const nsm_model *m);

// open.c: with room for so many contacts of shapes, by groups; NULL: as it is at first
nsm_sim *sim_open_with(const nsm_model *m, const nsm_settings *set, const int *room, nsm_error *e);
// room.c: other takes the place of s, and s that of other; the same simulation with other room, in the same state; with
// as much as the last search for contacts found that there should be
void     sim_exchange(nsm_sim *s, nsm_sim *other);
nsm_code sim_open_again(nsm_sim *s, const int *room, nsm_error *e);
nsm_code sim_more_room(nsm_sim *s, nsm_error *e);

void sim_evaluate_constants(nsm_sim *s);        // prepare.c: all kernels whose stage is constant
// prepare.c: everything that depends on the step h; 0 where W is singular
int  sim_prepare(nsm_sim *s, double h, nsm_error *e);
// One step from the present time to t1 by the scheme; h: its length, any; t1 = t + h up to round-off (clock.c knows its
// times better). On NSM_FAILED the state is that before it.
nsm_code sim_advance(nsm_sim *s, double h, double t1, nsm_error *e);
// What rests goes on resting (advance.c): a step stands, newton, solver: the counters as it began; is the next one, of
// length h, the same, nobody having changed anything since? Then its books and counters are those of the one before.
void     sim_see_rest(nsm_sim *s, long newton, long solver);
int      sim_rests_on(const nsm_sim *s, double h);
nsm_code sim_rest(nsm_sim *s, double t1, nsm_error *e);
// Towards t1 by `take`: all of it, or the first half, quarter, ... of which a solution is found (advance.c). Halves
// alone: all of it, from `from`, has failed, and e says why.
enum { SIM_HALVES = 6, SIM_UNREASONABLE = 2 };     // the latter: w.astray of a step that makes energy
typedef nsm_code sim_taking(nsm_sim *, double to, nsm_error *);
nsm_code sim_take_part(nsm_sim *s, double t1, sim_taking *take, nsm_error *e);
nsm_code sim_take_halves(nsm_sim *s, double from, double t1, sim_taking *take, nsm_error *e);
// The two halves of it: the step from the present state, which may be tried again with another length; it stands.
nsm_code sim_try(nsm_sim *s, double h, double t1, nsm_error *e);
nsm_code sim_accept(nsm_sim *s, double t1, nsm_error *e);
// A step that is only looked at: of a scheme that collocates one of implicit Euler, whose sets are those at its end.
nsm_code sim_try_implicit(nsm_sim *s, double h, nsm_error *e);
int      sim_refresh(nsm_sim *s, nsm_error *e);  // constants and matrices, where events changed what they are made of
// events.c
int      sim_events_analyse(nsm_sim *s, nsm_error *e);     // instants and conditions: 0 where a period makes no sense
nsm_code sim_events_start(nsm_sim *s, nsm_error *e);       // what is due at the start
nsm_code sim_events_fused(nsm_sim *s, nsm_error *e);       // fused steps were taken to an instant: what is due now
// impulses.c: of networks at the present instant; forgets those before; what is said of them
void     sim_impulses_open(nsm_sim *s);
void     sim_impulses_look(nsm_sim *s, double h);
void     sim_impulses_reset(nsm_sim *s);
int      sim_impulses_note(nsm_sim *s, char *out, size_t size);
int      sim_captured_note(const nsm_sim *s, char *out, size_t size);  // radau_pieces.c: the first of them; 0: none
int      sim_unarmed_note(const nsm_sim *s, char *out, size_t size);  // conditions that were true all along
nsm_code sim_events_step(nsm_sim *s, double t1, nsm_error *e);   // from the present time to t1, in pieces
// laws.c: relations of block number `block` with event v; 0: wrong. Those of instances first ... first + n - 1, at time
// t: discrete variables get the values that solve them
int      sim_laws_analyse(nsm_sim *s, int block, sim_event *v, nsm_error *e);
nsm_code sim_laws_solve(nsm_sim *s, const sim_event *v, int first, int n, double t, nsm_error *e);
static inline int sim_in_pieces(const nsm_sim *s) {
  return s->a->m->nblock > 0 || s->located || s->a->rows_jump;
}

// Length of the first step.
static inline double sim_clock_first(const nsm_sim *s) {
  return s->a->full > 0 ? s->a->step : s->a->until - s->a->start;
}
