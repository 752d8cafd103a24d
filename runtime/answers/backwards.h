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
  const double *jump;                   // [nof] of means, where it ends; NULL: none
  int    asked;                         // what is read there stands at a time that was asked for
} kept_entry;

typedef struct backwards backwards;
// with: that of the kernels (dual.h). NULL: no memory.
backwards *backwards_open(nsm_sim *s, void *with, int nof, nsm_error *e);
void backwards_close(backwards *b);                         // NULL is allowed
// How many (play_places).
int  backwards_states(const nsm_sim *s);
// To the derivative of output o: weight times a column at this state, whose value is returned; times the time at hand.
double backwards_column(backwards *b, int o, const kept_entry *k, int column, double weight);
void backwards_time(backwards *b, int o, double weight);
// By a time of a row: `weight` times that. 0: it is none of the clock.
int  backwards_row(backwards *b, int o, double t, double weight);
// Of all outputs, over an entry. 0: no memory.
int  backwards_over(backwards *b, const tape_entry *e, const kept_entry *k);
// By the start: constants, state, times of the clock, in the order of start.c.
void backwards_start(const backwards *b, int o, double *to);
