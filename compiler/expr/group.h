// Grouping the terms of a sum of products (group.c); for this folder only.
#pragma once
#include "pool_impl.h"

// The sum of k*e over all terms (e without a numeric coefficient), written with common factors outside: (m1 + m2)*l^2 +
// m2*b.
Ex grouped_sum(Pool *p, const PartVec *terms);
