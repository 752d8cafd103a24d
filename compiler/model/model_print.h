// The typed model as text, for --dump=model and golden tests.
#pragma once
#include "model.h"

void model_print(const Model *m, Text *out);

// "pair[%]" with the names of the loops: "pair[i]", for messages.
const char *name_shown(Arena *a, const char *name, const MContext *ctx);
