// Emitted C and kernels in memory -> addresses. The backends behind one interface: libtcc (in process), cc + dlopen,
// and LLVM for the kernels with libtcc for the rest. Emitted code can reach nothing but the functions of
// kernel/symbols.def.
//
// JIT_AUTO is libtcc; a run that is long enough to gain from it has its kernels compiled by LLVM in a second thread,
// and goes on with these. All backends give the same results bit by bit, so that nobody can tell when.
#pragma once
#include <stdbool.h>
#include "../base/arena.h"
#include "../kernel/kernels.h"
#include "../../runtime/nsm_abi.h"

typedef enum { JIT_TCC, JIT_CC, JIT_LLVM, JIT_AUTO } JitBackend;
// JIT_REFUSED: the backend works and does not take the text, which is a fault of the emitter. JIT_SYSTEM: the backend,
// its temporary folder or memory is missing. JIT_INTERRUPTED: by Ctrl-C.
typedef enum { JIT_OK, JIT_REFUSED, JIT_SYSTEM, JIT_INTERRUPTED } JitStatus;
typedef struct Jit Jit;

// Compiles text that defines nsm_model_get; `kernels` are those in it, and live as long as the Jit. NULL on failure;
// *status and *why then say what the backend said (in the arena).
Jit *jit_compile(Arena *a, JitBackend backend, const char *c_text, const PlanKernels *kernels, JitStatus *status,
                 const char **why);
const nsm_model *jit_model(const Jit *j);
void jit_free(Jit *j);                                  // the model is gone after this

// Other functions, by libtcc: text that includes nsm_abi.h and defines nsm_functions_get, which gives their addresses.
// at NULL: there is no memory for them.
typedef struct JitFunctions { void *handle, *llvm; void *const *at; } JitFunctions;
JitFunctions jit_functions(const char *c_text);
// Kernels by LLVM, where that is the backend of `j`. at NULL: it is not, or has no memory.
JitFunctions jit_functions_of(const Jit *j, const KKernel *const *kernels, int n);
void         jit_functions_free(JitFunctions f);

// JIT_AUTO: to be called between steps, by the thread that steps. done, total: steps of the run, total >= done. Gives
// the number of steps done at which it wants to be called next; LONG_MAX: never. `jit` is the Jit.
long jit_between_steps(void *jit, long done, long total);
// The same for many simulations of one model in several threads: to be called by one thread, now and then. left:
// seconds of processor time that all of them have to do. True where it wants to be called with `quiet`, while no thread
// steps; it takes the kernels over then.
bool jit_between_runs(void *jit, double left, bool quiet);

const char *jit_llvm_version(void);                     // "14.0.6"; NULL: there is none
