// Putting a new file in the place of an old one, whole or not at all.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "../base/arena.h"

// The n bytes become the contents of the file: they are written beside it and renamed. Links are followed and stay
// links, permissions and owner stay; `mode` is for a new file (and added to an old one), 0 where the file must exist.
// What is no ordinary file is written to as it is. False: nothing was changed, and *why says what was in the way.
bool replace_file(Arena *a, const char *path, const char *bytes, size_t n, int mode, const char **why);
