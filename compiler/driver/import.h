// Parts of the command import.
#pragma once
#include "../spice/spice.h"
#include "options.h"

int import_netlist(const Options *o, Arena *a, const SourceFile *f, Text *out);
