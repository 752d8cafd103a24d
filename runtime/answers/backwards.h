// Derivatives backwards: of each output by the state where a piece ends, to that where it begins (adjoint.c).
#pragma once
#include "tape.h"

// What is kept of an entry of the tape until the way back: the state where it begins (backwards_states), and of a piece
// its unknowns and the factors of its matrix, of rows that are scaled; `pseudo`: its pseudo-inverse.
typedef struct kept_entry {
  const double *state, *w, *J, *scale;
  const int    *pivot;
  int    nw, n, pseudo;                 // n: nw where a piece that takes time was played by its trace
  double size;                          // of velocities, so far
  const double *slope;                  // of q, z, l by the time, which is not that of what is read (held_time.c)
} kept_entry;

typedef struct backwards backwards;
// with: that of the kernels (dual.h). NULL: no memory.
backwards *backwards_open(nsm_sim *s, void *with, int nof, nsm_error *e);
void backwards_close(backwards *b);                         // NULL is allowed
// How many: q, z, l, d, forces, grounds, time, length of the last piece.
int  backwards_states(const nsm_sim *s);
// To the derivative of output o: weight times a column at this state; times the time at hand.
void backwards_column(backwards *b, int o, const kept_entry *k, int column, double weight);
void backwards_time(backwards *b, int o, double weight);
// Of all outputs, over an entry. 0: no memory.
int  backwards_over(backwards *b, const tape_entry *e, const kept_entry *k);
// By the start: constants, state, times of the clock, in the order of start.c.
void backwards_start(const backwards *b, int o, double *to);
