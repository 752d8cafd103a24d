// The two ends of the compiler. A broken invariant of its own: file and line on stderr, exit code 125. Not enough
// memory: how much was asked for and what to try, exit code 4.
#pragma once
#include <stddef.h>

_Noreturn void fatal_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

_Noreturn void out_of_memory(size_t bytes);
void *memory_for(size_t bytes);        // malloc that comes back with memory; to be freed

#define FATAL(...)      fatal_at(__FILE__, __LINE__, __VA_ARGS__)
#define INVARIANT(cond) ((cond) ? (void)0 : fatal_at(__FILE__, __LINE__, "broken invariant: %s", #cond))
