// A run whose outputs are taken while its tape is played (take.c), and what the adjoint adds to that (adjoint.c).
// ways.c chooses.
#pragma once
#include "answers.h"

typedef struct taking {
  answers *a;
  nsm_sim *s;
  tape    *t;
  player  *p;
  double  *before;                      // [nof + 1, 1 + nby] of the last row, and its time
  double  *edge, *jump;                 // [nof] mean over the last interval between two rows; by how much it jumps
  double  *stood, stood_at;             // [nof] all that has jumped at one time, and that time
  double   done;                        // time to which outputs are marked
  int      began;
  long    *chosen, *seen;               // [nof] entry of the row that is the largest or smallest, or of the event;
                                        // events so far
  struct adjoint *back;                 // NULL: derivatives go forwards
  void   (*jumped)(const struct taking *k);                // a mean has; NULL: derivatives go forwards
  nsm_code (*played)(struct taking *k, nsm_error *e);      // what is on the tape has been; NULL: it is forgotten
  long     until;                       // entry at whose number a part of the run that is repeated ends; -1: the end
  int      resumed;                     // its first row is on the tape of before
} taking;

void     take_start(player *p, taking *k);
double  *take_row_of(const taking *k, int i);              // of `before`
void     take_row(player *p, void *to);                    // to: the taking
void     take_event(player *p, const tape_entry *e, void *to);
void     take_stop(player *p, long number, void *to);
void     take_jump(player *p, int after, void *to);
nsm_code take_play_on(void *with, int last, nsm_error *e); // what has been recorded, where it is enough
nsm_code take_record(taking *k, nsm_error *e);             // runs from the present state
nsm_code take_end(player *p, taking *k, nsm_error *e);

// adjoint.c
// with: of the kernels; room: bytes that entries, and what is kept of them, may take.
nsm_code adjoint_open(taking *k, void *with, double room, nsm_error *e);
void     adjoint_close(struct adjoint *b);                 // NULL is allowed
nsm_code adjoint_back(taking *k, nsm_error *e);            // from the end to the start: derivatives of all outputs
