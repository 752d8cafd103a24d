// A compiled model: the compilation, and its machine code. For this room and the command; others see include/nsm.h.
#pragma once
#include "include/nsm.h"
#include "pipeline.h"
#include "../dual/kernels_dual.h"

// A name of the model with a % for each index, and what nsm_meaning_of says of it.
typedef struct Meaning { const char *pattern; nsm_meaning of; bool output; } Meaning;

struct nsm_program {
  Compilation    *c;
  Jit            *jit;                  // NULL where the status is not NSM_OK
  nsm_code        status;
  const char     *message;              // in the arena of the compilation, "" for none
  nsm_diagnostic *diagnostic;
  int             ndiagnostic;
  Meaning        *meaning;              // of variables, outputs and parameters
  int             nmeaning;
  Override       *set;                  // what nsm_compile_settings gave
  int             nset;
  nsm_settings    scheme;               // what the arguments of its scheme say: theta, located, ...; else the defaults
  double          seconds;              // that the machine code took
  struct ProgramDual *dual;             // dual.c
};

void list_diagnostics(nsm_program *p);
void list_meanings(nsm_program *p);     // fills them, once the model is there
bool is_output(const nsm_program *p, const char *name);   // is this column an `output` of the model?

// Where in the model an error of a run is.
Span span_of_error(const Compilation *c, nsm_place at);

// The machine code of a compilation that went well up to the emitted C: the program's status and message say how it
// went; JIT_INTERRUPTED and a fault of the emitter are told apart by *status. The program owns the compilation.
nsm_program *program_of(Compilation *c);
bool         program_load(nsm_program *p, JitBackend backend, JitStatus *status);

// Its kernels in dual numbers, with their slopes, made when they are first asked for; any thread may ask.
DualKernels *program_dual(const nsm_program *p);
struct ProgramDual *program_dual_new(Arena *a);
void program_dual_free(nsm_program *p);

// Settings of a simulation with what the program was compiled with; what is returned is to be freed after their use.
// NULL on error.
nsm_assignment *program_settings(const nsm_program *p, const nsm_settings *set, nsm_settings *own, nsm_error *e);
