// Dispatch, and the table of functions that emitted C may call.
#include "jit_parts.h"

const JitSymbol jit_symbols[] = {
#define SYMBOL(name, result, arguments, pure) { #name, (const void *)name },
#include "../kernel/symbols.def"
#undef SYMBOL
  { NULL, NULL }
};

Jit *jit_compile(Arena *a, JitBackend backend, const char *c_text, JitStatus *status, const char **why) {
  Jit *j = ARENA_NEW(a, Jit);
  j->backend = backend;
  *status = backend == JIT_TCC ? jit_tcc_compile(a, j, c_text, why) : jit_cc_compile(a, j, c_text, why);
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
  if (j->backend == JIT_TCC) jit_tcc_free(j); else jit_cc_free(j);
}
