// Kernels as C, with as few parentheses and temporaries as C needs.
#pragma once
#include "../base/text.h"
#include "../kernel/kernel.h"

void c_kernel(Arena *a, const KKernel *k, Text *out);     // its comment and `static` function
void c_body(Arena *a, const KKernel *k, int indent, Text *out);   // its statements alone, indented by so many levels
// One value, whole: whatever it is made of stands within it. For places where no statement can stand before.
void c_expression(Arena *a, const KKernel *k, KValue v, Text *out);
