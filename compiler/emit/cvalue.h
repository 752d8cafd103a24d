// Expressions of the DAG as C: leaves by a callback, shared subexpressions as temporaries.
#pragma once
#include "cnode.h"
#include "../plan/plan.h"

typedef struct CScope {
  Arena *arena;
  const System *sys;
  const char *(*leaf)(int symbol, void *ctx);   // C name of a symbol
  void *ctx;
  const char *indent;
} CScope;

// Prints `const double tN = ...;` lines for what is used more than once (or nested too deep) and returns the trees of
// the roots.
CNode **c_values(CScope *s, const Ex *root, int n, Text *out);
void    c_value(CScope *s, Ex e, Text *out);    // one expression inline, no temporaries
