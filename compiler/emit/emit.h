// Step plan and its kernels -> specialised C text. The text includes nothing but nsm_abi.h and defines one symbol,
// nsm_model_get.
#pragma once
#include "../base/text.h"
#include "../kernel/kernels.h"
#include "../plan/plan.h"
#include "../whole/whole.h"

// Who takes the text. A reader: comments name statements and equations. libtcc in this process: nobody reads it, and
// comments would cost as much as their compilation. A page: as libtcc, but plain, for compiler/wasm. A C compiler: long
// kernels are written in parts, which an optimising compiler takes in a fraction of the time; libtcc would only make
// them slower.
typedef enum { CODE_FOR_READER, CODE_FOR_LIBTCC, CODE_FOR_PAGE, CODE_FOR_COMPILER } CodeFor;
static inline bool code_has_comments(CodeFor who) { return who == CODE_FOR_READER || who == CODE_FOR_COMPILER; }

// w NULL: none.
void emit_c(Arena *a, const Plan *p, const PlanKernels *k, const Whole *w, CodeFor who, Text *out);
