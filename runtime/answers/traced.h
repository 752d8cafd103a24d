// What a trace is told of kernels (trace.h).
#pragma once
typedef void trace_kernel(const void *view, const void *table, int stride, double *value, double *slope);
// By this node, with that number of its slopes, which moves or is the same in all pieces.
typedef struct trace_slope { int node, slope, moves; } trace_slope;
