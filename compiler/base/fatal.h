// A broken invariant of the compiler itself: says file and line on stderr and ends with exit code 125.
#pragma once

_Noreturn void fatal_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#define FATAL(...)      fatal_at(__FILE__, __LINE__, __VA_ARGS__)
#define INVARIANT(cond) ((cond) ? (void)0 : fatal_at(__FILE__, __LINE__, "broken invariant: %s", #cond))
