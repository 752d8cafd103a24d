// The printer of one kernel, shared by values.c, flow.c (one run) and lanes.c (several runs at a time).
#pragma once
#include "function.h"

enum { LLVM_MOST_PARAMS = 8 };

// Types of values: of one run, or vectors of `lanes` of them. Pointers and what they point to are of one run each.
typedef struct Printer {
  Arena *arena; const KKernel *k; LlvmSymbols symbols;
  const KPlace *place;
  LLVMContextRef context; LLVMModuleRef module; LLVMBuilderRef b;
  LLVMValueRef function;
  LLVMBasicBlockRef entry, start, *after, *again, *otherwise;      // of the node that opens a block: where it goes on
  LLVMValueRef *value;                 // of what stands alone, of variables, counters and rooms
  LLVMTypeRef real, whole, condition, bits;
  LLVMTypeRef one_real, one_whole, one_condition, wide, byte;
  LLVMValueRef invariant;              // metadata: what is loaded does not change
  LLVMValueRef seldom;                 // metadata: a branch that is not often taken
  // several runs (lanes.c)
  unsigned lanes;                      // 0: one run
  LLVMValueRef (*call)(struct Printer *p, const KNode *n, LLVMValueRef *arg);
  LLVMValueRef (*at)(struct Printer *p, const KNode *n);  // an element of each run's array
  LlvmSymbols vectors;                 // functions of `lanes` doubles; an entry may be NULL
  KValue here;                         // the statement at hand
  LLVMValueRef (*pointer)[LLVM_LANES]; // [n] of a parameter that is an array: that of each run
  LLVMValueRef *mask, *other;          // [n + 1] who takes part in a block, the last one the function; in its else
  LLVMBasicBlockRef *end;              // [n + 1] before a block is closed
  LLVMValueRef result;
} Printer;

Printer  llvm_printer(Arena *a, LLVMModuleRef module, const KKernel *k, LlvmSymbols symbols);
void     llvm_use_lanes(Printer *p, unsigned lanes);      // values are vectors from here on
void     llvm_begin(Printer *p);                          // the function's first blocks
void     llvm_end(Printer *p);
static inline const KNode *node(const Printer *p, KValue v) { return &p->k->node[v]; }

// values.c
LLVMTypeRef  llvm_type(const Printer *p, KType t);        // of a parameter or a result of one run
void         llvm_attribute(const Printer *p, LLVMValueRef f, LLVMAttributeIndex at, const char *name, bool of_call);
LLVMValueRef llvm_room(Printer *p, LLVMTypeRef type, const char *name);
LLVMValueRef llvm_load(Printer *p, LLVMTypeRef type, LLVMValueRef from, bool fixed);
LLVMValueRef llvm_field(Printer *p, LLVMValueRef structure, KField f);
LLVMValueRef llvm_element(Printer *p, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef index);
LLVMValueRef llvm_call(Printer *p, KSymbol s, LLVMValueRef *arg);   // of one run; arg is changed
LLVMValueRef llvm_value(Printer *p, KValue v);            // as it stands in `value`, or made here
LLVMValueRef llvm_make(Printer *p, KValue v);
void         llvm_variable(Printer *p, KValue v);         // declared, with its first value
LLVMBasicBlockRef llvm_block(Printer *p, const char *name);
bool         llvm_leaves(const Printer *p, KValue v);     // does the block that v opens end its loop or the function?

