// The tape of a run: pieces, impacts and blocks in their order, with what held in each. docs/answers.md
//
// A run whose derivative is asked for is recorded as it goes; nothing else of it changes. What is kept of a piece is
// which equation each row had, what ended the piece, and the solution, which is where Newton's method begins when the
// piece is solved again (play.c). So active sets are those of the run and are never decided anew.
#pragma once
#include "runtime/clock/located.h"
#include "runtime/schemes/radau.h"

// JUMP: states of a network that a new set moves (docs/numerics/radau.md, (5)).
typedef enum { TAPE_PIECE, TAPE_STAGES, TAPE_IMPACT, TAPE_JUMP, TAPE_BLOCK, TAPE_ROW, TAPE_STOP } tape_kind;

// What a row has for its equation: no force; a rate of 0 after restitution e, or without; friction that slides: by the
// slip at the end, after restitution, or by the mean slip of the piece; the multiplier at a bound; y = 0; the
// multiplier as it was; friction by the slip at the begin of an impact (schemes/instant_settle.c). Recorded anew at the
// end of a step (assembly/weights_sets.c).
typedef enum {
  TAPE_NONE, TAPE_RATE, TAPE_RATE_E, TAPE_SLIDES, TAPE_SLIDES_E, TAPE_SLIDES_MEAN, TAPE_LOW, TAPE_HIGH, TAPE_INSIDE,
  TAPE_KEPT, TAPE_SLIDES_ON
} tape_law;

// What ends a piece: a time of the clock or one that was asked for; nothing but its length, which is given; an instant
// of `every`, of time; a condition; a set.
typedef enum { TAPE_CLOCK, TAPE_ASKED, TAPE_SHORT, TAPE_EVERY, TAPE_BY_TIME, TAPE_WHEN, TAPE_SET } tape_end;

typedef struct tape_entry {
  tape_kind kind;
  tape_end  end;
  double t, h;                          // begin and length
  long   number;                        // of the clock's time; of the instant of `every`; of a stop
  int    cls, instance;                 // class of the block and instance; first instance of a block that acts
  int    block, count;                  // TAPE_BLOCK: the block, instances
  int    row, side;                     // TAPE_SET: the row; 1: its upper bound
  int    set;                           // of the row
  int    hits;                          // rows that were hit at this instant
  const unsigned char *struck;          // [rows] 1 + the set of those, where they are several; NULL: `row` alone
  int    plain;                         // a force is not extrapolated
  double ground;                        // of the row: gap at which it closes
  double history;                       // length of the piece before with the same sets; 0: none
  int    let_go;                        // the row sticks no more where the piece begins: it has no length
  int    at_once;                       // a piece of length 0: its motion is free
  int    means;                         // of consistent: kappa acts along means of H
  int    polynomials;                   // of consistent: how many, 0: order 2
  const unsigned char *impact_law;      // [rows] of consistent with friction: in the impact at the begin
  const unsigned char *end_law;         // and in what makes laws hold at the end; NULL: velocities stay as they are
  int    captured, weak;                // taken without location; rows whose law and force are both 0
  long   parts;                         // it is one of so many equal parts of a phase (aligned.h); 0: of none
  int    last;                          // the last of them: what ends it ends the phase
  const unsigned char *law;             // [rows]
  const double *begin;                  // q, z, l, d of the run where it begins; NULL: not known
  const double *solution;               // z, then multipliers by rows; of stages: those
  const double *theta, *gamma;          // [nz], [nclass]; those after so many changes are the same
  long   weighed;
  const double *slide;                  // [rows] directions of slips; NULL: not known
  const double *U, *X;                  // what nothing determines in a set of stages, [n, free]
  int    free;
} tape_entry;

// Does what is read at the end stand at another time (held_time.c)?
static inline int tape_has_slope(const tape_entry *e) { return e->end == TAPE_EVERY || e->end == TAPE_ASKED; }

typedef struct tape_block { struct tape_block *next; size_t used, room; } tape_block;

typedef struct tape {
  struct sim_tape hook;
  nsm_sim    *s;
  tape_entry *at;
  long        n, room;
  tape_block *memory;
  double      bytes;                    // of all blocks
  const double *theta, *gamma;          // those of the last piece, which have changed so often
  long        weighed;
  unsigned char *laws;                  // [rows] laws of the last piece
  int         before;                   // nothing has happened since
  int         news;                     // the sets of radau are looked for anew
  int         failed;                   // no memory
  const char *jumps;                    // tape_open
  char        refused[512];             // why there is no derivative; "" where there is
  nsm_place   place;                    // and what asks for it
  nsm_code    code;
  int         asks;                     // the piece at hand leads to a time that was asked for
  long        parts;                    // of the step at hand, and whether it is the last
  int         last;
} tape;

// Records from now on; NULL: no memory. jumps: what jumps within steps and has no derivative; NULL: nothing.
tape *tape_open(nsm_sim *s, const char *jumps, nsm_error *e);
// The set that a row was in which is hit at the end of this piece; -1: it is not.
static inline int tape_set_hit(const tape_entry *e, int row) {
  if (e->end != TAPE_SET) return -1;
  return e->struck ? e->struck[row] - 1 : row == e->row ? e->set : -1;
}
// tape_room.c: room; a new entry; the gap at which an open row closes; how many numbers a piece has for its solution.
void       *tape_take(tape *t, size_t bytes);
tape_entry *tape_add(tape *t, tape_kind kind);
double      tape_ground(const nsm_sim *s, int row);
size_t      tape_solved(const nsm_sim *s);
// tape_impacts.c: the last entry is an impact; of rows that do not act on each other each has one of its own.
void        tape_part_impacts(tape *t);
void  tape_close(tape *t);                                 // NULL is allowed
int   tape_full(const tape *t);                            // it is to be played
void  tape_empty(tape *t);                                 // what has been played is forgotten
void  tape_again(tape *t);                                 // as it was opened: another run begins
double tape_bytes_of(const tape *t);                       // what it takes beside its entries
void  tape_row(tape *t);                                   // a row of results would be written here
void  tape_stop(tape *t, long number);
// The first reason counts. tape_refused: NSM_USAGE with it.
void  tape_refuse(tape *t, nsm_place at, const char *format, ...);
nsm_code tape_refused(const tape *t, nsm_error *e);
