// Emitted C in memory -> addresses. Two backends behind one interface: libtcc (in process) and cc + dlopen.
// Emitted C can reach nothing but the functions of kernel/symbols.def.
#pragma once
#include "../base/arena.h"
#include "../../runtime/nsm_abi.h"

typedef enum { JIT_TCC, JIT_CC } JitBackend;
// JIT_REFUSED: the backend works and does not take the text, which is a fault of the emitter. JIT_SYSTEM: the backend,
// its temporary folder or memory is missing. JIT_INTERRUPTED: by Ctrl-C.
typedef enum { JIT_OK, JIT_REFUSED, JIT_SYSTEM, JIT_INTERRUPTED } JitStatus;
typedef struct Jit Jit;

// Compiles text that defines nsm_model_get. NULL on failure; *status and *why then say what the backend said (in the
// arena).
Jit *jit_compile(Arena *a, JitBackend backend, const char *c_text, JitStatus *status, const char **why);
const nsm_model *jit_model(const Jit *j);
void jit_free(Jit *j);                                  // the model is gone after this
