// The backends: each fills in the model's address or says why not.
#pragma once
#include "jit.h"

struct Jit { JitBackend backend; void *handle; const nsm_model *model; };
typedef struct JitSymbol { const char *name; const void *address; } JitSymbol;
extern const JitSymbol jit_symbols[];                   // ends with a NULL name

JitStatus jit_tcc_compile(Arena *a, Jit *j, const char *c_text, const char **why);
void      jit_tcc_free(Jit *j);
JitStatus jit_cc_compile(Arena *a, Jit *j, const char *c_text, const char **why);
void      jit_cc_free(Jit *j);
