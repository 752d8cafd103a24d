// What a bag of diagnostics holds; shared by diag.c (collecting) and diag_print.c (showing), and by nobody else.
#pragma once
#include "diag.h"
#include "vec.h"

typedef struct Lines { struct Line { const char *text; struct Line *next; } *first, **end; } Lines;

// A place with the text behind its marks. The first place of a diagnostic is the primary one.
typedef struct Place { Span at; const char *text; struct Place *next; } Place;

struct Diag {
  struct DiagBag *bag;
  DiagCode    code;
  Severity    severity;
  int         order;      // of arrival: settles ties
  const char *headline;
  Place       primary;
  Place      *last;       // of the chain that starts at primary
  Lines       notes, helps;
  struct { DiagEdit *at; int n, cap; } edit;
};

struct DiagBag {
  Arena *arena;
  struct { Diag **at; size_t n, cap; } all;   // grows inside the arena
  bool   one_each;                            // diag_one_each
  Span   part;                                // diag_within
  int    errors, warnings, notes;             // kept
  int    more_errors, more_warnings;          // dropped beyond the limit
  Diag   dropped;                             // takes the labels of what is dropped
};
