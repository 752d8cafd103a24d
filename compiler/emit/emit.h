// Step plan -> specialised C text. The text includes nothing but nsm_abi.h and defines one symbol, nsm_model_get.
#pragma once
#include "../plan/plan.h"

void emit_c(Arena *a, const Plan *p, Text *out);
