// cc + dlopen: the system's C compiler, for long runs and as the reference of the tests. The code is for the machine at
// hand and for this run; nothing is contracted, so that it gives the bits of the other backends. Files go to a private
// temporary folder and are removed at once.
#include <dlfcn.h>
#include <string.h>
#include "../base/text.h"
#include "abi_text.h"
#include "cc.h"
#include "jit_parts.h"

#ifdef __x86_64__
#define THIS_MACHINE "-march=native"
#else
#define THIS_MACHINE "-O3"                              // clang knows no native machine elsewhere; nothing new
#endif

static JitStatus load(Arena *a, Jit *j, CcFolder f, const char **why) {
  j->handle = dlopen(cc_path(a, f, "model.so"), RTLD_NOW | RTLD_LOCAL);
  union {
    void *address;
    const nsm_model *(*get)(void);
  } model = { j->handle ? dlsym(j->handle, "nsm_model_get") : NULL };
  if (model.address) { j->model = model.get(); return JIT_OK; }
  *why = arena_printf(a, "the compiled model cannot be loaded: %s\n"
                         "help: CC must compile for this machine, and TMPDIR must not be mounted noexec", dlerror());
  return JIT_SYSTEM;
}

JitStatus jit_cc_compile(Arena *a, Jit *j, const char *c_text, const char **why) {
  CcFolder f = cc_folder(a, why);
  if (!f.path) return JIT_SYSTEM;
  JitStatus status = JIT_SYSTEM;
  if (cc_write(a, f, "model.c", c_text, why) && cc_write(a, f, "nsm_abi.h", nsm_abi_text, why)) {
    const char *made = cc_path(a, f, "model.so");
    const char *const arguments[] = { "-std=c11", "-O3", THIS_MACHINE, "-fPIC", "-shared", "-ffp-contract=off", "-w",
                                      "-o", made, cc_path(a, f, "model.c"), NULL };
    CcStatus c = cc_run(a, f, arguments, "", made, why);
    status = c == CC_REFUSED ? JIT_REFUSED : c == CC_INTERRUPTED ? JIT_INTERRUPTED
           : c == CC_SYSTEM ? JIT_SYSTEM : load(a, j, f, why);
  }
  cc_folder_remove(f);
  return status;
}

void jit_cc_free(Jit *j) {
  if (j->handle) dlclose(j->handle);
  j->handle = NULL;
}
