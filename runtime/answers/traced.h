// What a trace is told of kernels (trace.h).
#pragma once
typedef void trace_kernel(const void *view, const void *table, int stride, double *value, double *slope);
typedef struct trace_slope { int node, slope; } trace_slope;         // by this node, with that number of its slopes
