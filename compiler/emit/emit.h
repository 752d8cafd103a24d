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
// them slower. An FMU: parts are longer, as values that go from one to the next take room, there and in the binary.
typedef enum { CODE_FOR_READER, CODE_FOR_LIBTCC, CODE_FOR_PAGE, CODE_FOR_COMPILER, CODE_FOR_FMU } CodeFor;
static inline bool code_has_comments(CodeFor who) { return who != CODE_FOR_LIBTCC && who != CODE_FOR_PAGE; }

// w NULL: none.
void emit_c(Arena *a, const Plan *p, const PlanKernels *k, const Whole *w, CodeFor who, Text *out);
