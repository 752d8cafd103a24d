// Dispatch, and the table of functions that emitted code may call.
#include <stdlib.h>
#include "jit_parts.h"

const JitSymbol jit_symbols[] = {
#define SYMBOL(name, result, arguments, pure) { #name, (const void *)name },
#include "../kernel/symbols.def"
#undef SYMBOL
  { NULL, NULL }
};

static JitStatus compile(Arena *a, Jit *j, const char *c_text, const char **why) {
  if (j->backend == JIT_CC) return jit_cc_compile(a, j, c_text, why);
  JitStatus status = jit_tcc_compile(a, j, c_text, why);
  if (status == JIT_OK && j->backend == JIT_LLVM) status = jit_llvm_compile(a, j, why);
  if (status == JIT_OK && j->backend == JIT_AUTO) tier_start(j);
  return status;
}

Jit *jit_compile(Arena *a, JitBackend backend, const char *c_text, const PlanKernels *kernels, JitStatus *status,
                 const char **why) {
  Jit *j = ARENA_NEW(a, Jit);
  j->backend = backend;
  j->kernels = kernels;
  *status = compile(a, j, c_text, why);
  if (*status == JIT_OK && j->model->version != NSM_ABI_VERSION) {
    *why = "the emitted C and the runtime have different ABI versions";
    *status = JIT_REFUSED;
  }
  if (*status == JIT_OK) return j;
  jit_free(j);
  return NULL;
}

const nsm_model *jit_model(const Jit *j) { return j->model; }

void jit_free(Jit *j) {
  if (!j) return;
  tier_end(j);
  jit_llvm_free(j);
  if (j->backend == JIT_CC) jit_cc_free(j); else jit_tcc_free(j);
}
