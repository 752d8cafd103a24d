// Step plan and its kernels -> specialised C text. The text includes nothing but nsm_abi.h and defines one symbol,
// nsm_model_get.
#pragma once
#include "../base/text.h"
#include "../kernel/kernels.h"
#include "../plan/plan.h"

void emit_c(Arena *a, const Plan *p, const PlanKernels *k, Text *out);
