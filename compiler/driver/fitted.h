// The model with values that a fit has found.
#pragma once
#include "../api/pipeline.h"
#include "../../runtime/nsm_abi.h"

typedef struct Fitted { const char *name; double value; } Fitted;         // "e", "z'(0)"; in SI

// The text of the model's file, with these numbers in place of what its declarations say, to the file `to`. Returns an
// exit code; an error is printed.
int write_fitted(Compilation *c, const nsm_model *m, const Fitted *value, int n, const char *to);
