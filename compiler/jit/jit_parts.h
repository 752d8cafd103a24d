// The backends: each fills in the model's address or says why not.
#pragma once
#include "jit.h"
#include "llvm/plugin.h"

typedef struct Tier Tier;                               // jit_auto.c: how far the second thread is

struct Jit {
  JitBackend backend;
  void *handle;                                         // of libtcc or dlopen
  const nsm_model *model;
  const PlanKernels *kernels;
  void *llvm;                                           // what LLVM compiled; NULL
  nsm_model *own; nsm_class *cls;                       // a copy of the model with kernels that can change; NULL
  Tier *tier;
};
typedef struct JitSymbol { const char *name; const void *address; } JitSymbol;
extern const JitSymbol jit_symbols[];                   // in the order of kernel/symbols.def; ends with a NULL name

JitStatus jit_tcc_compile(Arena *a, Jit *j, const char *c_text, const char **why);
void      jit_tcc_free(Jit *j);
JitStatus jit_cc_compile(Arena *a, Jit *j, const char *c_text, const char **why);
void      jit_cc_free(Jit *j);

// --- LLVM (jit_llvm.c) ---
const LlvmPlugin *llvm_plugin(const char **why);         // NULL: there is none, and *why says so and what to do
bool      llvm_takes(const PlanKernel *k, int at);       // entry `at`: a function of its own, often called
// The function for several runs at a time; lanes 0: there is none. Its vector functions are used where LLVM was asked
// for by name: a run must not hang on when the second thread is ready.
typedef struct LlvmTogether { int lanes; void *address; } LlvmTogether;
// The kernels' addresses, in their order; NULL: *why says what LLVM said, to be freed. Any thread.
void    **llvm_addresses(const LlvmPlugin *l, const Jit *j, void **compiled, LlvmTogether *together, char **why);
bool      llvm_own_model(Jit *j);                        // makes the copy; false: no memory
void      llvm_use(Jit *j, void *const *address, LlvmTogether together);   // lets the copy's kernels be these
JitStatus jit_llvm_compile(Arena *a, Jit *j, const char **why);   // after jit_tcc_compile
void      jit_llvm_free(Jit *j);
void      llvm_functions_free(JitFunctions f);

// --- tiers (jit_auto.c) ---
void      tier_start(Jit *j);                            // after jit_tcc_compile; does nothing where there is no LLVM
void      tier_end(Jit *j);                              // waits for the second thread
