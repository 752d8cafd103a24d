// Inside of the printers in two dimensions: the words of a notation (latex.c, mathml.c) for one arrangement
// (typeset.c).
#pragma once
#include "print_layout.h"

typedef struct Notation {
  const char *open, *close;                              // parentheses
  const char *row, *row_end;                             // around what is one thing: arguments, parts of a fraction
  const char *minus, *between_minus, *plus;              // in front of a term, between terms
  const char *beside;                                    // between factors
  const char *comma;                                     // between arguments
  const char *fraction, *over, *fraction_end;
  const char *power, *exponent, *exponent_end;
  const char *root, *root_end, *abs, *abs_end, *floor, *floor_end;
  const char *less, *at_most, *equal, *both, *either, *no;
  const char *cases, *case_, *when, *case_end, *otherwise;
  const char *(*function)(Op op);                        // its name; NULL: no function
  void (*number)(Printer *w, double x);
} Notation;

void typeset(Printer *w, const Notation *n, Ex e);
