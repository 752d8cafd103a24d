// Dispatch, and the table of functions that emitted C may call.
#include <stdlib.h>
#include <string.h>
#include "jit_parts.h"

const JitSymbol jit_symbols[] = {
#define SYMBOL(name) { #name, (const void *)name },
#include "abi_symbols.def"
#undef SYMBOL
  { NULL, NULL }
};

const char *jit_c_compiler(void) {
  const char *cc = getenv("CC");
  return cc && *cc ? cc : "cc";
}

Jit *jit_compile(Arena *a, JitBackend backend, const char *c_text, const char **why) {
  Jit *j = ARENA_NEW(a, Jit);
  j->backend = backend;
  int ok = backend == JIT_TCC ? jit_tcc_compile(a, j, c_text, why) : jit_cc_compile(a, j, c_text, why);
  if (ok && j->model->version != NSM_ABI_VERSION) {
    *why = "the emitted C and the runtime have different ABI versions";
    ok = 0;
  }
  if (!ok) { jit_free(j); return NULL; }
  return j;
}

const nsm_model *jit_model(const Jit *j) { return j->model; }

void jit_free(Jit *j) {
  if (!j) return;
  if (j->backend == JIT_TCC) jit_tcc_free(j); else jit_cc_free(j);
}
