// compiler/jit/jit.h for WebAssembly: emitted C becomes a module (compiler/wasm), which the host makes into functions
// of the table of this one. The model is in memory then, as libtcc would have put it there.
#include <limits.h>
#include <string.h>
#include "../jit/abi_text.h"
#include "../jit/jit.h"
#include "../wasm/wasm.h"

struct Jit { const nsm_model *model; int table, n; };

// Of the host: where the next functions go in the table; functions from a module, which stand there afterwards (false:
// the engine does not take it); no longer.
__attribute__((import_module("live"), import_name("table"))) int live_table(void);
__attribute__((import_module("live"), import_name("load"))) int live_load(const void *bytes, size_t n, int functions);
__attribute__((import_module("live"), import_name("unload"))) void live_unload(int table, int functions);

static const char *const symbols[] = {
#define SYMBOL(name, result, arguments, pure) #name,
#include "../kernel/symbols.def"
#undef SYMBOL
};

Jit *jit_compile(Arena *a, JitBackend backend, const char *c_text, const PlanKernels *kernels, JitStatus *status,
                 const char **why) {
  (void)backend;
  (void)kernels;
  const char *const text[] = { nsm_abi_text, c_text };
  const WasmImports imports = { symbols, sizeof symbols / sizeof *symbols };
  WasmModule m;
  int table = live_table();
  *status = JIT_REFUSED;
  if (!wasm_compile(a, text, &imports, (uint32_t)table, &m, why)) return NULL;
  bool good = live_load(m.bytes.at, m.bytes.n, m.nfunction) != 0;
  text_free(&m.bytes);
  if (!good) { *why = "the browser does not take the module"; return NULL; }
  Jit *j = ARENA_NEW(a, Jit);
  *j = (Jit){ m.model, table, m.nfunction };
  if (j->model->version != NSM_ABI_VERSION) {
    *why = "the emitted C and the runtime have different ABI versions";
    return NULL;
  }
  *status = JIT_OK;
  return j;
}

const nsm_model *jit_model(const Jit *j) { return j->model; }
void jit_free(Jit *j) { if (j) live_unload(j->table, j->n); }

long jit_between_steps(void *jit, long done, long total) {
  (void)jit;
  (void)done;
  (void)total;
  return LONG_MAX;
}

bool jit_between_runs(void *jit, double left, bool quiet) {
  (void)jit;
  (void)left;
  (void)quiet;
  return false;
}

const char *jit_llvm_version(void) { return NULL; }
