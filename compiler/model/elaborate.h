// AST -> typed model.
#pragma once
#include "model.h"
#include "../base/intern.h"

// What the command line sets. Names that the model stores are taken when the run starts (here only where the model's
// shape or a check depends on them); single members of families and arguments are written into the model. `elaborate`
// says which is which.
typedef enum {
  SET_UNKNOWN,             // nothing has this name; what: a similar one, or NULL
  SET_STORED,              // a parameter of the compiled model; what: its unit as written
  SET_COMPILED,            // written into the model; what: the scaled unit beside which a bare number stands, or NULL
  SET_VARIES,              // an argument or a quantity that changes during the run; what: more of it, or NULL
  SET_NO_MEMBER,           // an index out of range; what: the range
  SET_UNIT                 // the unit has another dimension
} SetUse;
typedef struct Override {
  const char *name;
  double      value;       // SI
  const char *text;        // as written, for messages
  bool        has_unit;
  Unit        unit;        // where one was written
  SetUse      use;
  const char *what;
  bool        asked;       // no value: what the model gives is kept as a parameter of this name, for derivatives, fits
                           // and sweeps
} Override;

// The path of the file that an IMPORT node names, interned and without parts like a/../; std_dir may be NULL.
const char *import_path(Arena *a, Interner *in, const char *std_dir, const Ast *import);

// Where imports are read from: `import "x.nsm"` relative to the importing file; `import "std/x.nsm"` from std_dir.
typedef struct ElaborateOptions {
  Override *set; int nset;      // those that are asked for behind the values
  const char *std_dir;
  const char *const *solvers;   // names that `simulate` may give, NULL behind the last; NULL: any
  const OpenTexts *open;        // texts that stand for files; NULL
  const char *root;  // name of the model to run; NULL: the last model of the file that has no formals without default
  bool        library;     // a file of functions and parameters, without any model, is fine: NULL is returned without
                           // an error
  bool        looks;       // the run is to be seen: bodies of a model without `draw` draw themselves
  Arena      *sources;     // where the text of imported files lives; NULL: with the model
} ElaborateOptions;

// NULL when there were errors (all in the bag).
const Model *elaborate(Arena *a, Interner *in, const Ast *file, const ElaborateOptions *o, DiagBag *bag);
