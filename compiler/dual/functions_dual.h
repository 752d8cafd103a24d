// The functions of kernels in dual numbers.
#pragma once
#include "../kernel/kernel.h"
#include "../../runtime/answers/dual.h"

dual dual_operation(Op op, const dual *arg);               // an operation of expr_ops.def that is a function
dual dual_call(KSymbol function, const dual *arg);         // one of symbols.def that gives a double
