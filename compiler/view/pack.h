// Columns of a page in few bits: whole multiples of a quantum, each told by what is left when the numbers before it are
// continued, as sound is stored without loss [Robinson 1994]. page/data.js reads them.
#pragma once
#include <stddef.h>
#include "../base/text.h"

#define PACK_VALUES 1e-6                // of its range, how far a number may be from what it was
#define PACK_TIMES 1e-9

// Appends n numbers, `stride` apart, so that each is within `near` of the range of all; numbers that are not all
// finite, or have no such quantum, with all their bits. `bits` are those that do not fill a byte yet: zero at first.
typedef struct PackBits { unsigned held, n; } PackBits;
void pack_series(Text *out, PackBits *bits, const double *x, size_t n, size_t stride, double near);
void pack_finish(Text *out, PackBits *bits);
