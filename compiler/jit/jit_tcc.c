// libtcc: compiles in memory. All of tcc's interface is used in this file (its calls differ between versions; Debian 12
// has 0.9.27). No headers, no libraries: the text includes nsm_abi.h, which is put in front of it, and symbols are
// handed over one by one.
#include <pthread.h>
#include <string.h>
#include <libtcc.h>
#include "../base/fatal.h"
#include "../base/text.h"
#include "abi_text.h"
#include "jit_parts.h"

typedef struct Messages { Text text; } Messages;

// libtcc works with variables of its own that all its users share.
static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;

static void collect(void *opaque, const char *message) {
  Messages *m = opaque;
  text_add(&m->text, message);
  text_addc(&m->text, '\n');
}

// libtcc says so when an allocation of its own fails.
static int short_of_memory(const char *said) { return strstr(said, "memory full") || strstr(said, "mmap"); }

// The address of `get`, a function of the text; NULL: m says why.
static void *compiled(TCCState *s, const char *c_text, const char *get, Messages *m) {
  Text whole = {0};
  const char *body = strchr(c_text, '\n');                // the first line is #include "nsm_abi.h"
  if (!s) return NULL;
  text_add(&whole, nsm_abi_text);
  text_add(&whole, body ? body : "");
  tcc_set_error_func(s, m, collect);
  tcc_set_options(s, "-nostdlib -nostdinc");
  tcc_set_output_type(s, TCC_OUTPUT_MEMORY);
  int ok = tcc_compile_string(s, text_str(&whole)) == 0;
  for (const JitSymbol *y = jit_symbols; ok && y->name; y++) tcc_add_symbol(s, y->name, y->address);
  if (ok) ok = tcc_relocate(s, TCC_RELOCATE_AUTO) == 0;
  text_free(&whole);
  return ok ? tcc_get_symbol(s, get) : NULL;
}

JitStatus jit_tcc_compile(Arena *a, Jit *j, const char *c_text, const char **why) {
  Messages m = {{0}};
  pthread_mutex_lock(&alone);
  TCCState *s = tcc_new();
  j->handle = s;
  union { void *address; const nsm_model *(*get)(void); } model = { compiled(s, c_text, "nsm_model_get", &m) };
  pthread_mutex_unlock(&alone);
  int ok = model.address != NULL;
  if (ok) j->model = model.get();
  JitStatus status = ok ? JIT_OK : s && !short_of_memory(text_str(&m.text)) ? JIT_REFUSED : JIT_SYSTEM;
  if (status == JIT_SYSTEM) *why = "not enough memory to compile the model\nhelp: allow more (ulimit -v)";
  else if (!ok) *why = arena_printf(a, "%s", m.text.n ? text_str(&m.text) : "libtcc gave no reason");
  text_free(&m.text);
  return status;
}

JitFunctions jit_functions(const char *c_text) {
  Messages m = {{0}};
  pthread_mutex_lock(&alone);
  TCCState *s = tcc_new();
  union { void *address; void *const *(*get)(void); } all = { compiled(s, c_text, "nsm_functions_get", &m) };
  pthread_mutex_unlock(&alone);
  if (!all.address && s && !short_of_memory(text_str(&m.text))) FATAL("%s", text_str(&m.text));
  text_free(&m.text);
  return (JitFunctions){ s, NULL, all.address ? all.get() : NULL };
}

static void end(void *handle) {
  if (!handle) return;
  pthread_mutex_lock(&alone);
  tcc_delete(handle);
  pthread_mutex_unlock(&alone);
}

void jit_functions_free(JitFunctions f) {
  end(f.handle);
  llvm_functions_free(f);
}

void jit_tcc_free(Jit *j) {
  end(j->handle);
  j->handle = NULL;
}
