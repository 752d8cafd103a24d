// Events that are located within the step (docs/numerics/located.md). A step is taken in smooth pieces, each a step of
// the scheme of another length. A piece ends where the sets that hold at its begin do: a gap closes, a contact opens,
// slip stops, a multiplier reaches its bound. Then impacts, new sets, and the rest of the step.
//
// The sets are remembered (sim_state.set) and are never read from the sign of a gap, which rounding makes.
//
//   located.c         begin and end of a piece, impacts, accumulations
//   located_rows.c    which relations are watched
//   located_find.c    where a piece ends: the root of what crosses zero first
//   located_tell.c    what is told of an event: counts, first and last times, the hook
//   located_watch.c   what crosses zero, row by row; which sets hold
#pragma once
#include "clock.h"

struct sim_located {
  // [rows]: what crosses zero at the end of the trial; at both ends of a bracket; below minus this it has crossed
  double *f, *low, *high, *tolerance;
  double *last, *past, *older, *above;  // [rows] at the lower end of the bracket, at two before it, and above it
  double *low_rate, *high_rate;         // [rows] of gaps, at both ends of the bracket
  double *near;                         // [rows] of contacts: a gap that is no larger is rounding
  double *gap, *rate;                   // [rows] of contacts, at the end of the trial; of other rows y or slip
  double *mean;                         // [rows] of forces, in the trial
  double *shown, shown_h;               // [rows] the same of the piece that showed the sets, and its length; 0: none
  int     shortened;                    // the piece at hand is short so that the next one knows how forces change
  double *e;                            // [rows] restitution by the laws: those of the rows are 0 but at impacts
  double *fall;                         // [rows] how fast a contact's rate changed before it closed
  unsigned char *hit, *often;           // [rows] its set ends here; hits of a contact in this step
  unsigned char *out;                   // [rows] the trial ends with a contact open, a slip, that were not at its begin
                                        // (of a slip in a plane: it has stopped)
  double *stops;                        // [rows] a slip in a plane that is no larger has stopped
  int     nlive, *live, nblock, *block; // rows, blocks of friction that there are: of shapes those that are bound
  int     nrelation, *relation;         // relations that are watched
  int     watches;                      // any friction or relation is
  int     begins;                       // sets were read anew in this step
  int     measured;                     // `near` is that of this piece
  int     flies_on;                     // a contact bounces until rounding hides it, in as many pieces as that takes
  int     parts;                        // of the step, that were taken because longer pieces are not solved
  int     pieces, capture, events;      // of the step; its rest is taken without location; something was hit
  double *before;                       // [rows] rates before an impact, of contacts and friction
  unsigned char *was, *ended;           // [rows] sets before an event; those that ended
  double  until;                        // end of the step of the clock
  long    touched;                      // touching->changes when they were listed; -1: they were not
  double  further;                      // in this piece bodies look so much further for others (touching/)
};

#define SIM_EACH_LIVE(s, row) \
  for (int row##_at = 0, row; row##_at < (s)->located->nlive && (row = (s)->located->live[row##_at], 1); row##_at++)

// A contact that is open, or was left at the begin of the piece.
static inline int sim_is_open(const nsm_sim *s, int row) {
  return s->now.set[row] == SIM_OPEN || s->now.set[row] == SIM_LEFT;
}

// Of every block of friction, or of those that act, every part (slip, rolling): number of the block, disk, rows.
typedef struct sim_grip { int next, block, at, n, acting; const sim_disk *of, *disk; const int *row; } sim_grip;
int  sim_next_part(const nsm_sim *s, sim_grip *p);                      // 0: it was the last one; located_rows.c
#define SIM_EACH_PART(s, p) for (sim_grip p = { 0 }; sim_next_part(s, &p);)
#define SIM_EACH_GRIP(s, p) for (sim_grip p = { .acting = 1 }; sim_next_part(s, &p);)
void sim_list_live(nsm_sim *s);                                         // rows and blocks of friction that there are

// located_find.c
// Least value of the cubic with values and rates at the ends of [0, h] (Hermite), which falls and rises; x: its place.
double   sim_least_of_cubic(double g0, double u0, double g1, double u1, double h, double *x);

// located_watch.c
void     sim_watch_begin(nsm_sim *s);                                // gap0, rate0
int      sim_watch(nsm_sim *s, double h, double t1);                 // f of the trial at hand; 1: something has crossed
void     sim_watch_show(nsm_sim *s, double h);            // what the trial of length h says of forces at its begin
int      sim_watch_ends(const nsm_sim *s, double h);      // may an unknown force end its set within the trial?
double   sim_watch_start(const nsm_sim *s, int row);                 // the same at the begin of the piece; nan: unknown
double   sim_watch_noise(const nsm_sim *s, int row);      // what a rate at the end of the trial is known to, of
                                                          // velocities that have fallen from those of the begin
void     sim_watch_tolerances(nsm_sim *s, double h);
int      sim_watch_jumps(const nsm_sim *s, int row);                 // of a relation: its y does not feel its force
int      sim_watch_turned(const nsm_sim *s);        // has a slip that ends in the trial at hand turned round in it?
void     sim_watch_contacts(nsm_sim *s);                             // sets of contacts from the present state
void     sim_watch_others(nsm_sim *s, double t1);                   // of friction and relations, from the trial at hand
void     sim_watch_still_slides(nsm_sim *s);   // what is said to stick and slips at the begin slides until it stops
void     sim_watch_keep(nsm_sim *s, double h);                      // the trial stands: what the next piece starts from

// located_tell.c
void     sim_tell_impact(nsm_sim *s);                                // of the rows that were hit, after it
void     sim_tell_sets(nsm_sim *s);                                  // of those whose sets ended without one
void     sim_tell_captured(nsm_sim *s, int row);            // after a switch of that row, -1: of none
// kind: "switches", a condition of an `if` changed; "when", a block acts; its class.
void     sim_tell_block(nsm_sim *s, const char *kind, int cls);
void     sim_before_jump(nsm_sim *s);                      // an event is about to make values jump
int      sim_event_row(const nsm_sim *s, int row);        // what an event of any row of a contact is counted at: its
                                                          // normal row, else the first of its friction
double   sim_event_statistic(const nsm_sim *s, int stat, int cls);  // NSM_STAT_EVENTS ...: of a row, by its multiplier

// located.c, called by events.c
int      sim_located_analyse(nsm_sim *s, nsm_error *e);
int      sim_located_fits(const nsm_sim *s, nsm_error *e);
void     sim_located_relations(nsm_sim *s);                          // located_rows.c: those that are watched
void     sim_located_stale(nsm_sim *s);                              // another state
void     sim_located_step(nsm_sim *s, double t1);          // a step of the clock to t1 begins, and ends
void     sim_located_kept(nsm_sim *s);                     // whole steps have kept the sets (schemes/whole_located.c)
int      sim_located_give_up(nsm_sim *s);                  // the rest of the step without location; 0: it is already
nsm_code sim_located_begin(nsm_sim *s, double h, nsm_error *e);      // of a piece that may be as long as h
// located_find.c: the trial of *length is at hand. Where a set ends within it, that of the shorter *length is then.
nsm_code sim_located_find(nsm_sim *s, double *length, nsm_error *e);
int      sim_located_stops(nsm_sim *s);   // does a slip end in the trial, so that its law is another one?
// Have bodies become so fast in the trial of length h at hand that they may have met others that they did not look for?
// They look further now: the trial has to be made again. -1: failed.
int      sim_located_further(nsm_sim *s, double h, double t1, nsm_error *e);
// The trial at hand stands, and ends at t1; ends: where a set does, if one does.
nsm_code sim_located_end(nsm_sim *s, double t1, double length, int ends, nsm_error *e);
