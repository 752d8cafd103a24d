// Interned strings: equal text is the same pointer, so names compare with ==.
#pragma once
#include <stddef.h>
#include "arena.h"

typedef struct Interner Interner;

Interner   *intern_new(Arena *a);                    // lives in the arena
const char *intern(Interner *in, const char *s);     // NUL-terminated, lives as long as the arena
const char *intern_n(Interner *in, const char *s, size_t n);
