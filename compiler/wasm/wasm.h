// Emitted C -> a WebAssembly module, in the place of libtcc where the compiler itself runs in a browser.
//
// The tour. Emitted C is a small and regular part of C (compiler/emit): functions of doubles, ints and pointers,
// `for`, `if`, `switch`, `?:`, tables with initial values. It is read from left to right once, together with
// runtime/nsm_abi.h, and written as it is read; nothing is optimised, which engines do themselves.
//
//   tokens.c       text -> tokens
//   names.c        what names mean
//   types.c        types, their sizes on wasm32, declarations
//   expressions.c  values: on the stack of the machine, in a local, in memory, or a number not yet written
//   statements.c   statements and functions
//   objects.c      tables with initial values, which stand in the memory of the compiler at once
//   bytes.c        integers of the module
//   module.c       sections of the module (https://www.w3.org/TR/wasm-core-1/, section 5)
//
// Each operation on doubles is one instruction, in the order of the text, so that a run has the bits of the other
// backends wherever libm does.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "../base/arena.h"
#include "../base/text.h"

typedef struct WasmImports { const char *const *name; int n; } WasmImports;

// The module imports "env" "memory", "table", "stack" (a mutable i32: the end of the stack in memory), and of "f" the
// functions of the list. It puts its own functions into the table, from `table` on.
typedef struct WasmModule {
  Text        bytes;                    // text_free releases them
  int         nfunction;                // of its own
  const void *model;                    // the object `model`, whose pointers are those of wasm32
} WasmModule;

// header: text of nsm_abi.h; text: emitted C. Objects are in the arena. False: *why says what was not understood.
bool wasm_compile(Arena *a, const char *const text[2], const WasmImports *imports, uint32_t table, WasmModule *out,
                  const char **why);
