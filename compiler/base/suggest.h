// "Did you mean …?": the nearest of some names by edit distance (transpositions count one), or NULL when none is near.
#pragma once
#include <stddef.h>

const char *suggest(const char *wrong, const char *const *names, size_t n);

// "; did you mean `x`?", or else "; there are a, b, ...", in out [size].
void suggest_any(const char *wrong, const char *const *names, size_t n, char *out, size_t size);
