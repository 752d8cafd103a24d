// A model from a netlist of SPICE, for the command (netlist.h has the parts).
#pragma once
#include "../base/source.h"
#include "../base/text.h"

// exponential: diodes by Shockley's equation. notes: what was left out, for a person. False: *wrong says what is wrong in
// the netlist, and *at where.
bool spice_import(Arena *a, const SourceFile *f, bool exponential, Text *out, Text *notes, const char **wrong, Span *at);
