// Kernels -> machine code of this machine, by LLVM. A shared object of its own, libnsm_llvm.so, that is opened when it
// is asked for: libLLVM is large, and a program that is linked with it starts tens of milliseconds later.
// It has a copy of what it needs of compiler/kernel/, and gets the addresses of the runtime's functions.
#pragma once
#include "../../kernel/kernel.h"

// Addresses of the functions that kernels may call, in the order of kernel/symbols.def: [KS_COUNT].
typedef const void *const *LlvmSymbols;

enum { LLVM_LANES = 8 };               // runs at a time, at most

// kernels[0..n), and of them `together` for several runs at a time too (NULL: none); vectors: with vector functions,
// whose last bits may differ from those of the symbols.
typedef struct LlvmWork {
  const KKernel *const *kernels; int n;
  LlvmSymbols symbols;
  const KKernel *together;
  bool vectors;
} LlvmWork;

typedef struct LlvmPlugin {
  int plugin_version;                  // LLVM_PLUGIN_VERSION of its build
  const char *version;                 // of LLVM: "14.0.6"
  // Compiles them and gives their addresses, [n + 1]: the last one is that of `together`, which takes *lanes runs;
  // *lanes 0: it was not made. NULL: it could not, and *why says so (to be freed by free()). May be called by any
  // thread; two calls share nothing.
  void *(*compile)(const LlvmWork *w, void **address, int *lanes, char **why);
  void (*release)(void *compiled);     // the addresses are gone after this
} LlvmPlugin;

// A kernel with more nodes is translated without scheduling: that grows with the square of straight code. Of a pendulum
// of 20 links (64735 nodes) the code steps 1.5 times slower than it could, 3 times faster than libtcc's, and is there
// in 3 s instead of 12.
enum { LLVM_LONG = 20000 };

// Nor are operations of a kernel with more nodes put side by side into vectors: looking for them grows with the square.
enum { LLVM_WIDE = 8000 };

enum { LLVM_PLUGIN_VERSION = 2 };      // to be raised with any change of kernel.h or this file
const LlvmPlugin *nsm_llvm_plugin(void);                  // the one symbol that is looked for
