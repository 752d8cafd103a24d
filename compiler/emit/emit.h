// Step plan and its kernels -> specialised C text. The text includes nothing but nsm_abi.h and defines one symbol,
// nsm_model_get.
#pragma once
#include "../base/text.h"
#include "../kernel/kernels.h"
#include "../plan/plan.h"
#include "../whole/whole.h"

// w NULL: none. parts: long kernels are written in parts, which an optimising compiler takes in a fraction of the time;
// libtcc would only make them slower.
void emit_c(Arena *a, const Plan *p, const PlanKernels *k, const Whole *w, bool parts, Text *out);
