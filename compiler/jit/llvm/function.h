// One kernel as a function of an LLVM module: flow.c for one run, lanes.c for several; values.c for both (printer.h).
#pragma once
#include <llvm-c/Core.h>
#include "plugin.h"

LLVMValueRef llvm_function(Arena *a, LLVMModuleRef module, const KKernel *k, LlvmSymbols symbols);

// The same kernel for several runs at a time (lanes.c).
typedef struct LlvmLanes {
  const char *name;
  unsigned lanes;                      // at most LLVM_LANES
  LlvmSymbols symbols, vectors;        // vectors: functions of `lanes` doubles; an entry may be NULL
} LlvmLanes;
bool lanes_take(const KKernel *k);     // does it hold nothing that they have not?
void llvm_lanes(Arena *a, LLVMModuleRef module, const KKernel *k, const LlvmLanes *of);
