// Kernels -> a module -> optimised for the machine at hand -> code in memory, by ORC.
#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "function.h"

typedef struct Compiled { LLVMOrcLLJITRef jit; } Compiled;

static char *said(char *message) {
  char *copy = strdup(message);
  LLVMDisposeMessage(message);
  return copy;
}

static char *said_by(LLVMErrorRef e) {
  char *m = LLVMGetErrorMessage(e), *copy = strdup(m);
  LLVMDisposeErrorMessage(m);
  return copy;
}

// The machine that this runs on, with all that its processor can do.
static LLVMTargetMachineRef machine(LLVMCodeGenOptLevel level, char **why) {
  if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) {
    *why = strdup("LLVM has no code generator for this machine");
    return NULL;
  }
  char *triple = LLVMGetDefaultTargetTriple(), *name = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
  char *error = NULL;
  LLVMTargetRef target;
  LLVMTargetMachineRef m = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &error)) *why = said(error);
  else m = LLVMCreateTargetMachine(target, triple, name, features, level, LLVMRelocPIC,
                                   LLVMCodeModelJITDefault);
  if (!m && !*why) *why = strdup("LLVM knows no machine like this one");
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(name);
  LLVMDisposeMessage(features);
  return m;
}

// --- several runs at a time ---
static const char TOGETHER[] = "together";

// How many doubles a vector of this machine has, where it has masks or selections of them.
static unsigned lanes_of(LLVMTargetMachineRef m) {
  char *features = LLVMGetTargetMachineFeatureString(m);
  unsigned lanes = strstr(features, "+avx512f") && strstr(features, "+avx512dq") && strstr(features, "+avx512vl") ? 8
                 : strstr(features, "+avx2") ? 4 : 0;
  LLVMDisposeMessage(features);
  return lanes;
}

// Those of glibc's libmvec, by the names of its vector ABI; NULL where they are not there.
static void find_vectors(unsigned lanes, const void *vector[KS_COUNT]) {
  static const struct { KSymbol symbol; const char *name; } of[] = {
    { KS_nsm_sin, "sin" }, { KS_nsm_cos, "cos" }, { KS_nsm_tan, "tan" }, { KS_nsm_exp, "exp" }, { KS_nsm_log, "log" },
    { KS_nsm_asin, "asin" }, { KS_nsm_acos, "acos" }, { KS_nsm_atan, "atan" }, { KS_nsm_sinh, "sinh" },
    { KS_nsm_cosh, "cosh" }, { KS_nsm_tanh, "tanh" } };
  void *library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);       // never closed: the code calls it
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char name[32];
    snprintf(name, sizeof name, "_ZGV%cN%uv_%s", lanes == 8 ? 'e' : 'd', lanes, of[i].name);
    vector[of[i].symbol] = library ? dlsym(library, name) : NULL;
  }
}

static LLVMModuleRef module_of(LLVMContextRef c, LLVMTargetMachineRef m, const LlvmWork *w, unsigned lanes) {
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("model", c);
  char *triple = LLVMGetTargetMachineTriple(m);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(m);
  LLVMSetTarget(module, triple);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  LLVMDisposeMessage(triple);
  Arena *a = arena_new();
  for (int i = 0; i < w->n; i++) llvm_function(a, module, w->kernels[i], w->symbols);
  if (lanes > 0) {
    const void *vector[KS_COUNT] = { NULL };
    if (w->vectors) find_vectors(lanes, vector);
    llvm_lanes(a, module, w->together, &(LlvmLanes){ TOGETHER, lanes, w->symbols, vector });
  }
  arena_free(a);
  return module;
}

static bool optimise(LLVMModuleRef module, LLVMTargetMachineRef m, char **why) {
  char *error = NULL;
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &error)) { *why = said(error); return false; }
  LLVMDisposeMessage(error);
  LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
  LLVMErrorRef failed = LLVMRunPasses(module, "default<O2>", m, o);
  LLVMDisposePassBuilderOptions(o);
  if (failed) *why = said_by(failed);
  return !failed;
}

static void release(void *compiled) {
  Compiled *c = compiled;
  if (!c) return;
  if (c->jit) LLVMConsumeError(LLVMOrcDisposeLLJIT(c->jit));
  free(c);
}

// What LLVM makes of loops that copy or clear. Nothing else of the process can be called by name.
static int of_libc(void *unused, LLVMOrcSymbolStringPoolEntryRef symbol) {
  (void)unused;
  static const char *const names[] = { "memcpy", "memmove", "memset" };
  const char *name = LLVMOrcSymbolStringPoolEntryStr(symbol);
  for (int i = 0; i < 3; i++) if (!strcmp(name, names[i])) return 1;
  return 0;
}

static LLVMErrorRef give_libc(LLVMOrcLLJITRef jit) {
  LLVMOrcDefinitionGeneratorRef g;
  LLVMErrorRef failed = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&g, LLVMOrcLLJITGetGlobalPrefix(jit),
                                                                             of_libc, NULL);
  if (!failed) LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), g);
  return failed;
}

// The module belongs to the JIT afterwards, also when it fails.
static bool load(Compiled *c, LLVMOrcThreadSafeModuleRef module, LLVMTargetMachineRef m, char **why) {
  LLVMOrcLLJITBuilderRef b = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(b, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(m));
  LLVMErrorRef failed = LLVMOrcCreateLLJIT(&c->jit, b);
  if (failed) { LLVMOrcDisposeThreadSafeModule(module); *why = said_by(failed); c->jit = NULL; return false; }
  failed = give_libc(c->jit);
  if (!failed) failed = LLVMOrcLLJITAddLLVMIRModule(c->jit, LLVMOrcLLJITGetMainJITDylib(c->jit), module);
  if (failed) { LLVMOrcDisposeThreadSafeModule(module); *why = said_by(failed); }
  return !failed;
}

static bool addresses(Compiled *c, const LlvmWork *w, unsigned lanes, void **address, char **why) {
  for (int i = 0; i < w->n + (lanes > 0); i++) {
    LLVMOrcExecutorAddress at = 0;
    LLVMErrorRef failed = LLVMOrcLLJITLookup(c->jit, &at, i < w->n ? w->kernels[i]->name : TOGETHER);
    if (failed) { *why = said_by(failed); return false; }
    address[i] = (void *)(uintptr_t)at;
  }
  return true;
}

static void *compile(const LlvmWork *w, void **address, int *lanes, char **why) {
  *why = NULL;
  *lanes = 0;
  LLVMCodeGenOptLevel level = LLVMCodeGenLevelDefault;
  for (int i = 0; i < w->n; i++) if (w->kernels[i]->n > LLVM_LONG) level = LLVMCodeGenLevelNone;
  LLVMTargetMachineRef m = machine(level, why);
  if (!m) return NULL;
  if (w->together && lanes_take(w->together)) *lanes = (int)lanes_of(m);
  Compiled *c = calloc(1, sizeof *c);
  LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();
  LLVMModuleRef module = module_of(LLVMOrcThreadSafeContextGetContext(context), m, w, (unsigned)*lanes);
  bool good = c && optimise(module, m, why);
  LLVMOrcThreadSafeModuleRef safe = LLVMOrcCreateNewThreadSafeModule(module, context);
  LLVMOrcDisposeThreadSafeContext(context);
  if (good) good = load(c, safe, m, why) && addresses(c, w, (unsigned)*lanes, address, why);
  else { LLVMOrcDisposeThreadSafeModule(safe); LLVMDisposeTargetMachine(m); }
  if (good) return c;
  release(c);
  return NULL;
}

const LlvmPlugin *nsm_llvm_plugin(void) {
  static const LlvmPlugin plugin = { LLVM_PLUGIN_VERSION, LLVM_VERSION_STRING, compile, release };
  return &plugin;
}
