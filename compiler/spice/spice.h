// A model from a netlist of SPICE, for the command (netlist.h has the parts).
#pragma once
#include "../base/source.h"
#include "../base/text.h"

// What stops an import, and where.
typedef struct SpiceWrong { const char *what; Span at; } SpiceWrong;

// What the voltage of a capacitor or the current of a coil is at the start, by its name in the model: "X1.C1.u".
typedef struct SpiceStart { const char *name; double value; } SpiceStart;

typedef struct SpiceSettings {
  bool exponential;                     // diodes by Shockley's equation
  bool hold;                            // the model is for finding the operating point: what has a start is held there
  const SpiceStart *start; int nstart;  // the operating point; NULL: there is none
  const char *no_rest;                  // why there is none; NULL: it was not looked for
} SpiceSettings;

// What an import gives: the model; what was left out, for a person; does the netlist start from an operating point?
typedef struct SpiceModel { Text text, notes; bool rests; SpiceWrong wrong; } SpiceModel;

// False: wrong is told. To be released in any case.
bool spice_import(Arena *a, const SourceFile *f, const SpiceSettings *set, SpiceModel *out);
