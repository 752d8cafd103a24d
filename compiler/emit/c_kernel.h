// Kernels as C, with as few parentheses and temporaries as C needs.
#pragma once
#include "../base/text.h"
#include "../base/vec.h"
#include "../kernel/kernel.h"

// Its comment and `static` function. part: 0, or a kernel of more than FEWEST_PARTS times as many nodes is written in
// parts of that size where it can be, for an optimising compiler. FOR_LIBTCC: libtcc translates as it is written, and
// keeps no value in a register between two statements. Loops test at their end, 5 instructions a turn in place of 12;
// values are set within their first use; of a sum and a product what has to be computed comes first.
enum { FEWEST_PARTS = 4, FOR_LIBTCC = -1 };
void c_kernel(Arena *a, const KKernel *k, int part, Text *out);
// Its statements alone, indented by so many levels. numbers: NULL, or gets the constants in the order of the text,
// which then says d[0], d[1], ... in their place.
typedef Vec(double) Numbers;
void c_body(Arena *a, const KKernel *k, int indent, Numbers *numbers, Text *out);
// One value, whole: whatever it is made of stands within it. For places where no statement can stand before.
void c_expression(Arena *a, const KKernel *k, KValue v, Text *out);
