// Names of symbols as text; the namers themselves are declared in system.h.
#pragma once
#include "system.h"

void   sym_text(const System *s, int id, Text *t);
Arena *symtab_arena(const SymTab *t);
