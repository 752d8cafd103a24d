// The arrows of the house: one call per stage, each const in, new value out (docs/pipeline.md).
#pragma once
#include "asked.h"
#include <stdio.h>
#include "../base/diag.h"
#include "../check/check.h"
#include "../emit/emit.h"
#include "../jit/jit.h"
#include "../kernel/kernels.h"
#include "../model/elaborate.h"
#include "../plan/plan.h"
#include "../syntax/ast_print.h"
#include "../syntax/parse.h"
#include "../system/system.h"
#include "../system/system_print.h"
#include "../whole/whole.h"

typedef enum { STAGE_SOURCE, STAGE_AST, STAGE_MODEL, STAGE_SYSTEM, STAGE_PLAN, STAGE_C } PipelineStage;

// Where things of the model stand, by their numbers in emitted code: for messages of a run.
typedef struct Places { int nclass, nparam, nvar, nexpect; const Span *cls, *param, *var, *expect; } Places;

// What is large lives as long as the stages that read it: the tree until the model is made, everything from the model
// to the plan until the code is emitted and nobody asks for the derivation.
typedef struct Compilation {
  Arena *arena;                  // text, names, diagnostics, kernels, places: to the end
  Arena *stages;                 // model, system, plan; NULL: released
  Interner *names;
  DiagBag *bag;
  const char *path;              // of the model as it was given: "-" is standard input
  const char **read; int nread;  // files that it reads
  Asked asked;                   // by blocks of the model
  const SourceFile *source;
  const Ast *ast;                // kept where the tree is the last stage
  const Model *model;
  const System *system;
  const Plan *plan;
  PlanKernels kernels;
  const Whole *whole;            // NULL: the model has none
  Places places;
  Text c;                        // emitted C
  bool usage_trouble;            // a --set that fits no parameter (exit 2)
  bool file_trouble;             // the file could not be read (exit 4)
  const char *trouble;           // what a --set is refused for; NULL
  const char *note;              // lines about values that may surprise; NULL
  double seconds;                // spent so far
} Compilation;

typedef struct PipelineOptions {
  const char *path;
  const char *text;              // the model itself, which `path` names then; NULL: the file is read
  const OpenTexts *open;         // texts that stand for files, its own too; NULL: none
  Override *set; int nset;
  const char *scheme;            // from the command line, NULL if not given
  const char *dump;              // "ast,model,system,plan"; NULL
  bool looks;                    // view: the run is to be seen
  bool analyse;                  // where the `analyse` of the model asks of what is at rest, the scheme is moreau
  bool at_rest;                  // what is asked is asked of what is at rest: moreau, and nothing is told of steps
  bool library;                  // check: a file of functions and parts is fine
  bool derivatives;              // of runs or of rest are asked for
  bool contacts;                 // those between shapes are to be recorded
  const char *measures;          // of a sweep: what it records of a run; NULL
  bool together;                 // many runs of it: fused steps for several at a time, too
  bool weights;                  // theta or gamma were given: a model that names no scheme gets moreau
  CodeFor code_for;              // who takes the C
  double step;                   // from the command line, in seconds; 0: not given
  int located;                   // from the command line: 1, -1; 0: as the model says
  int order;                     // likewise of `consistent`; 0
  int projection;                // likewise of `moreau`: 1, -1; 0
} PipelineOptions;

Compilation *compilation_new(void);
void compilation_free(Compilation *c);
// Before a run: gives back all that only compiling needs. model, system and plan are NULL afterwards.
void compilation_release_stages(Compilation *c);
// Runs the stages up to and including `last`; stops at the first that has errors. True when all went well.
bool compile_to(Compilation *c, const PipelineOptions *o, PipelineStage last, FILE *dump);
// Diagnostics on stderr and a closing line with their number.
void compilation_report(const Compilation *c, FILE *err);
bool wants_colour(FILE *f);    // a terminal, and NO_COLOR is not set
double now_seconds(void);
const char *std_dir(Arena *a);  // the folder of `import "std/..."`
SchemeFacts scheme_facts(const Plan *p);
