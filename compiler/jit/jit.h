// Emitted C in memory -> addresses. Two backends behind one interface: libtcc (in process) and cc + dlopen.
// Emitted C can reach nothing but the functions of abi_symbols.def.
#pragma once
#include "../base/arena.h"
#include "../../runtime/nsm_abi.h"

typedef enum { JIT_TCC, JIT_CC } JitBackend;
typedef struct Jit Jit;

// Compiles text that defines nsm_model_get. NULL on failure; *why then says what the backend said (in the arena).
Jit *jit_compile(Arena *a, JitBackend backend, const char *c_text, const char **why);
const nsm_model *jit_model(const Jit *j);
void jit_free(Jit *j);                                  // the model is gone after this
const char *jit_c_compiler(void);                       // $CC or "cc"
