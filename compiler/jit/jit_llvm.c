// LLVM: opens the plug-in (llvm/plugin.h) and puts its kernels into a copy of the model. Set-up functions and tables
// stay those of libtcc: they run once.
#define _GNU_SOURCE                                     // dladdr
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "jit_parts.h"

// --- the plug-in ---

// In the build: of the program, of unit tests, of libnsm.so; installed: of the program, of libnsm.so.
static const char *const places[] = { "lib/", "../lib/", "", "../" NSM_INSTALL_LIBDIR "/nsm/", "nsm/" };
enum { PLACES = sizeof places / sizeof *places };

static void *open_beside(const char *path) {
  char at[PATH_MAX + 64];
  const char *slash = strrchr(path, '/');
  if (!slash) return NULL;
  for (int i = 0; i < PLACES; i++) {
    snprintf(at, sizeof at, "%.*s/%slibnsm_llvm.so", (int)(slash - path), path, places[i]);
    void *h = access(at, R_OK) == 0 ? dlopen(at, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (h) return h;
  }
  return NULL;
}

static const LlvmPlugin *found;
static const char *missing = "";

// Near the program, or near the library that this code is in. It is never closed: LLVM's threads and tables stay.
static void look(void) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = 0;
  void *h = open_beside(self);
  Dl_info where;
  if (!h && dladdr((void *)(uintptr_t)llvm_plugin, &where) && where.dli_fname && realpath(where.dli_fname, self))
    h = open_beside(self);
  union { void *address; const LlvmPlugin *(*get)(void); } plugin = { h ? dlsym(h, "nsm_llvm_plugin") : NULL };
  if (!plugin.address)
    missing = "this nsm was built without LLVM, so there is no --jit=llvm\n"
              "help: install llvm-dev (LLVM 14 or later) and build nsm again, or use --jit=cc";
  else if (plugin.get()->plugin_version != LLVM_PLUGIN_VERSION)
    missing = "libnsm_llvm.so belongs to another version of nsm\nhelp: build nsm again";
  else found = plugin.get();
}

const LlvmPlugin *llvm_plugin(const char **why) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  *why = missing;
  return found;
}

const char *jit_llvm_version(void) {
  const char *why;
  const LlvmPlugin *l = llvm_plugin(&why);
  return l ? l->version : NULL;
}

// --- kernels ---

bool llvm_takes(const PlanKernel *k, int at) { return k->first == at && !k->seldom; }

// From one address for each function to one for each kernel that has it; NULL where libtcc's stays.
static void spread(const PlanKernels *k, int n, void **address) {
  for (int i = k->n; i-- > 0;) address[i] = llvm_takes(&k->at[i], i) ? address[--n] : NULL;
  for (int i = 0; i < k->n; i++) address[i] = address[k->at[i].first];
}

static void *compile(const LlvmPlugin *l, LlvmWork w, void **address, int *lanes, char **why) {
  const void *symbol[KS_COUNT];
  for (int i = 0; i < KS_COUNT; i++) symbol[i] = jit_symbols[i].address;
  w.symbols = symbol;
  *why = NULL;
  return l->compile(&w, address, lanes, why);
}

static const KKernel *taken_together(const PlanKernels *k) {
  for (int i = 0; i < k->n; i++) if (k->at[i].together) return k->at[i].kernel;
  return NULL;
}

void **llvm_addresses(const LlvmPlugin *l, const Jit *j, void **compiled, LlvmTogether *together, char **why) {
  const PlanKernels *k = j->kernels;
  const KKernel **kernel = calloc((size_t)k->n + 1, sizeof *kernel);
  void **address = calloc((size_t)k->n + 1, sizeof *address);
  int n = 0;
  for (int i = 0; kernel && i < k->n; i++)
    if (llvm_takes(&k->at[i], i)) kernel[n++] = k->at[i].kernel;
  LlvmWork work = { .kernels = kernel, .n = n, .together = taken_together(k), .vectors = j->backend == JIT_LLVM };
  *why = NULL;
  *compiled = kernel && address ? compile(l, work, address, &together->lanes, why) : NULL;
  free(kernel);
  if (*compiled) {
    together->address = together->lanes > 0 ? address[n] : NULL;
    spread(k, n, address);
    return address;
  }
  free(address);
  return NULL;
}

bool llvm_own_model(Jit *j) {
  size_t n = (size_t)j->model->nclass + 1;
  j->own = malloc(sizeof *j->own);
  j->cls = malloc(n * sizeof *j->cls);
  if (!j->own || !j->cls) return false;
  *j->own = *j->model;
  memcpy(j->cls, j->model->cls, n * sizeof *j->cls);
  j->own->cls = j->cls;
  j->model = j->own;
  return true;
}

void llvm_use(Jit *j, void *const *address, LlvmTogether together) {
  for (int i = 0; i < j->kernels->n; i++) {
    const PlanKernel *k = &j->kernels->at[i];
    char *record = k->cls >= 0 ? (char *)&j->cls[k->cls] : (char *)j->own;
    if (address[i]) memcpy(record + k->offset, &address[i], sizeof address[i]);
  }
  j->own->lanes = together.lanes;
  memcpy(j->own->whole_run ? (void *)&j->own->together : (void *)&j->own->together_recorded, &together.address,
         sizeof together.address);
}

JitStatus jit_llvm_compile(Arena *a, Jit *j, const char **why) {
  const LlvmPlugin *l = llvm_plugin(why);
  if (!l) return JIT_SYSTEM;
  char *said;
  LlvmTogether together = { 0 };
  void **address = llvm_addresses(l, j, &j->llvm, &together, &said);
  if (address && llvm_own_model(j)) {
    llvm_use(j, address, together);
    free(address);
    return JIT_OK;
  }
  JitStatus status = said ? JIT_REFUSED : JIT_SYSTEM;
  *why = said ? arena_printf(a, "LLVM: %s", said)
              : "not enough memory to compile the model\nhelp: allow more (ulimit -v)";
  free(said);
  free(address);
  return status;
}

void jit_llvm_free(Jit *j) {
  const char *why;
  if (j->llvm) llvm_plugin(&why)->release(j->llvm);
  free(j->own);
  free(j->cls);
  j->llvm = NULL;
  j->own = NULL;
  j->cls = NULL;
}

JitFunctions jit_functions_of(const Jit *j, const KKernel *const *kernels, int n) {
  char *why = NULL;
  const char *none;
  int lanes;
  void **at = j->backend == JIT_LLVM ? calloc((size_t)n + 1, sizeof *at) : NULL;
  void *compiled = at ? compile(llvm_plugin(&none), (LlvmWork){ .kernels = kernels, .n = n }, at, &lanes, &why) : NULL;
  free(why);
  if (compiled) return (JitFunctions){ NULL, compiled, at };
  free(at);
  return (JitFunctions){ 0 };
}

void llvm_functions_free(JitFunctions f) {
  const char *none;
  if (!f.llvm) return;
  llvm_plugin(&none)->release(f.llvm);
  free((void *)f.at);
}
