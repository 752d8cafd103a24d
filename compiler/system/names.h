// Names of symbols as text; the namers themselves are declared in system.h.
#pragma once
#include "system.h"

const char *loop_name(int position);    // of a loop in a printed expression, by its place in the nest
void   sym_text(const System *s, int id, Text *t);
Arena *symtab_arena(const SymTab *t);
