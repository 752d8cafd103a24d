// For wasm32, whose libc has none: there is nothing to come back to, the host ends the run (runtime/assembly/memory.c
// goes this way where memory is short, and nobody else).
#pragma once
typedef int jmp_buf[1];
__attribute__((import_module("live"), import_name("no_memory"))) _Noreturn void live_no_memory(void);
#define setjmp(place) ((void)(place), 0)
#define longjmp(place, value) ((void)(place), live_no_memory())
