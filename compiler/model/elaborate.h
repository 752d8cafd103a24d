// AST -> typed model.
#pragma once
#include "model.h"
#include "../base/intern.h"

// What the command line sets before compilation (structural parameters need it; others may be ignored here).
typedef struct Override { const char *name; double value; } Override;

// Where imports are read from: `import "x.nsm"` relative to the importing file; `import "std/x.nsm"` from std_dir.
typedef struct ElaborateOptions {
  const Override *set; int nset;
  const char *std_dir;
  const char *root;  // name of the model to run; NULL: the last model of the file that has no formals without default
  bool        library;     // a file of functions and parameters, without any model, is fine: NULL is returned without
                           // an error
} ElaborateOptions;

// NULL when there were errors (all in the bag).
const Model *elaborate(Arena *a, Interner *in, const Ast *file, const ElaborateOptions *o, DiagBag *bag);
