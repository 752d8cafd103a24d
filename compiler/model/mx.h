// Building and walking model expressions. Nodes are immutable once built and may be shared.
#pragma once
#include "model.h"

MExpr *mx_num(Arena *a, double x, Span at);
MExpr *mx_loop(Arena *a, int position, Span at);
MExpr *mx_time(Arena *a, Span at);
MExpr *mx_step(Arena *a, Span at);          // the length of the step that was made
MExpr *mx_stat(Arena *a, int id, Span at);
MExpr *mx_param(Arena *a, int id, MExpr *const *index, int n, Span at);
MExpr *mx_var(Arena *a, const MVar *var, int id, MExpr *const *index, int n, bool derivative, Span at);
MExpr *mx_touch(Arena *a, int id, int what, MExpr *const *arg, int n, Span at);
MExpr *mx_rate(Arena *a, MExpr *x, Span at);
MExpr *mx_op(Arena *a, MOp op, MExpr *const *arg, int n, Span at);
MExpr *mx_again(Arena *a, const MExpr *x, MExpr *const *arg);        // the operation of x on other arguments
MExpr *mx_table(Arena *a, int id, const double *points, MExpr *at, Span span);
MExpr *mx_segment(Arena *a, const MExpr *table, MExpr *at);          // the number of its interval that `at` lies in
MExpr *mx_1(Arena *a, MOp op, MExpr *x, Span at);
MExpr *mx_2(Arena *a, MOp op, MExpr *x, MExpr *y, Span at);
MExpr *mx_neg(Arena *a, MExpr *x, Span at);                          // numbers are negated in place, -(-x) is x
MExpr *mx_plus(Arena *a, MExpr *x, MExpr *y);                        // with numbers folded
MExpr *mx_minus(Arena *a, MExpr *x, MExpr *y);
MExpr *mx_times(Arena *a, MExpr *x, MExpr *y);
MExpr *mx_sum(Arena *a, MExpr *const *term, int n, Span at);         // balanced, so that long sums stay shallow

bool mx_is_num(const MExpr *x, double value);
bool mx_same(const MExpr *x, const MExpr *y);                        // written alike
bool mx_constant(const MExpr *x);                                    // over params and loops only

// Of where the interval of a segment ends. Its sign does not tell: it is below 0, so that the place is found by
// bisection; derivatives of runs read how it moves.
MExpr *mx_leaves(Arena *a, const MExpr *segment);
bool mx_affine_in_time(const MExpr *x);                              // a + b t; a and b stand still between events

// x with loop i replaced by by[i] (i < n; by[i] = NULL: kept).
MExpr *mx_subst(Arena *a, MExpr *x, MExpr *const *by, int n);

// The value of one operation.
double mx_apply(MOp op, const double *v);
// The value of x; `param` gives the value of element number `id + offset in the array` and may fail; loop: values of
// the loops or NULL.
typedef bool (*MxParamValue)(int id, double *out, void *ctx);
typedef struct MxEval { MxParamValue param; const MParam *params; const double *loop; int nloop; void *ctx; } MxEval;
bool mx_eval(const MxEval *e, const MExpr *x, double *out);

const char *mop_text(MOp op);
