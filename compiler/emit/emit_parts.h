// Parts of the emitter, lowest first: each file calls those above it only.
#pragma once
#include "../base/intern.h"
#include "../base/map.h"
#include "../kernel/kernels.h"
#include "../whole/whole.h"
#include "c_kernel.h"
#include "c_text.h"
#include "emit.h"

// What is a class's own in a `fill` that statements which are alike share: emit_fill.c.
typedef struct Own { Vec(int) k; Numbers d; } Own;
typedef struct Fill { int first; size_t k, d; } Fill;   // class whose function it is; where the own data begin

typedef struct Emitter {
  Arena *arena; const Plan *plan; Text *out;
  const PlanKernels *kernels;
  int part;                                // of c_kernel
  bool alone;                              // in a function that gets no set-up
  bool comments;                           // somebody reads the text
  Text blob;                               // names, labels, units: the bytes that tables point into
  Fill *fill;                              // [ncls]
  Own *own;                                // where lines, variables, parameters and numbers go now; NULL: the text
  Interner *words; Map *word_at, *table_at;  // word -> its place in blob + 1; text of a table -> name of the first such
} Emitter;

// emit_source.c: what tables and comments say of the model's text
int  line_of(Span s);
int  blob_add(Emitter *e, const char *s);                              // offset; equal strings share
int  file_of(Emitter *e, Span s);                                      // offset of its path; 0: the file of the model
void emit_comment_source(Emitter *e, Span span, const char *before);   // /* before, model line N: text of the line */

// setup_values.c: expressions over parameters, loop counters and statistics
typedef struct SetupValues {
  Emitter *e; const PlanClass *filling;    // the class whose columns are filled; NULL elsewhere
  KBuilder *b; KValue s, p, points, own, stat, num, loop[MAX_INDICES];
} SetupValues;
SetupValues setup_begin(Emitter *e, const PlanClass *filling);
KValue setup_leaf(KBuilder *b, int symbol, void *setup_values);
KValue setup_own(const SetupValues *v, int x);                         // x, or the element of `own` that holds it
void   setup_value(Emitter *e, Ex x);                                  // prints it, whole

void emit_fill(Emitter *e, const PlanClass *c, int number);            // emit_fill.c: unless an earlier class has it
void fills_alike(Emitter *e);              // fills `fill`, before; writes what is the classes' own
void emit_setup(Emitter *e);  // emit_setup.c: params, sizes, experiment, claims
void emit_whole(Emitter *e, const Whole *w);                           // emit_whole.c: nothing where w is NULL
void emit_shapes(Emitter *e);                                          // emit_touch.c: shapes of bodies, corners
void emit_body(Emitter *e, const SysClass *c, int number);             // its fields in the table of classes
void emit_touch_functions(Emitter *e);                                 // laws and members of contacts between shapes
void emit_touches(Emitter *e);                                         // their table
const char *emit_touch_fields(Emitter *e);                             // of nsm_model
void emit_tables(Emitter *e, const Whole *w);                          // emit_table.c: patterns, classes, model
