// A model from a netlist of SPICE, for the command (netlist.h has the parts).
#pragma once
#include "../base/source.h"
#include "../base/text.h"

// What stops an import, and where.
typedef struct SpiceWrong { const char *what; Span at; } SpiceWrong;

// exponential: diodes by Shockley's equation. notes: what was left out, for a person. False: *wrong is told.
bool spice_import(Arena *a, const SourceFile *f, bool exponential, Text *out, Text *notes, SpiceWrong *wrong);
