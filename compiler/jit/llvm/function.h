// One kernel as a function of an LLVM module.
#pragma once
#include <llvm-c/Core.h>
#include "plugin.h"

LLVMValueRef llvm_function(Arena *a, LLVMModuleRef module, const KKernel *k, LlvmSymbols symbols);
