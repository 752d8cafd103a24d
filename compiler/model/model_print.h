// The typed model as text, for --dump=model and golden tests.
#pragma once
#include "model.h"

void model_print(const Model *m, Text *out);
