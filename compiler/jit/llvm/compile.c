// Kernels -> a module -> optimised for the machine at hand -> code in memory, by ORC.
#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
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
static LLVMTargetMachineRef machine(char **why) {
  if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) {
    *why = strdup("LLVM has no code generator for this machine");
    return NULL;
  }
  char *triple = LLVMGetDefaultTargetTriple(), *name = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
  char *error = NULL;
  LLVMTargetRef target;
  LLVMTargetMachineRef m = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &error)) *why = said(error);
  else m = LLVMCreateTargetMachine(target, triple, name, features, LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                   LLVMCodeModelJITDefault);
  if (!m && !*why) *why = strdup("LLVM knows no machine like this one");
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(name);
  LLVMDisposeMessage(features);
  return m;
}

static LLVMModuleRef module_of(LLVMContextRef c, LLVMTargetMachineRef m, const KKernel *const *kernels, int n,
                               LlvmSymbols symbols) {
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("model", c);
  char *triple = LLVMGetTargetMachineTriple(m);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(m);
  LLVMSetTarget(module, triple);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  LLVMDisposeMessage(triple);
  Arena *a = arena_new();
  for (int i = 0; i < n; i++) llvm_function(a, module, kernels[i], symbols);
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

static bool addresses(Compiled *c, const KKernel *const *kernels, int n, void **address, char **why) {
  for (int i = 0; i < n; i++) {
    LLVMOrcExecutorAddress at = 0;
    LLVMErrorRef failed = LLVMOrcLLJITLookup(c->jit, &at, kernels[i]->name);
    if (failed) { *why = said_by(failed); return false; }
    address[i] = (void *)(uintptr_t)at;
  }
  return true;
}

static void *compile(const KKernel *const *kernels, int n, LlvmSymbols symbols, void **address, char **why) {
  *why = NULL;
  LLVMTargetMachineRef m = machine(why);
  if (!m) return NULL;
  Compiled *c = calloc(1, sizeof *c);
  LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();
  LLVMModuleRef module = module_of(LLVMOrcThreadSafeContextGetContext(context), m, kernels, n, symbols);
  bool good = c && optimise(module, m, why);
  LLVMOrcThreadSafeModuleRef safe = LLVMOrcCreateNewThreadSafeModule(module, context);
  LLVMOrcDisposeThreadSafeContext(context);
  if (good) good = load(c, safe, m, why) && addresses(c, kernels, n, address, why);
  else { LLVMOrcDisposeThreadSafeModule(safe); LLVMDisposeTargetMachine(m); }
  if (good) return c;
  release(c);
  return NULL;
}

const LlvmPlugin *nsm_llvm_plugin(void) {
  static const LlvmPlugin plugin = { LLVM_PLUGIN_VERSION, LLVM_VERSION_STRING, compile, release };
  return &plugin;
}
