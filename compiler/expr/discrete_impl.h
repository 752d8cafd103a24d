// Inside of the discrete derivative: what discrete.c, divided.c and weights.c share.
#pragma once
#include "pool_impl.h"

// An expression at the begin and at the end; mid: of what is linear in the symbols, its value in the middle of them,
// which is its mean; else EX_NONE.
typedef struct Ends { Ex a, b, mid; } Ends;
static inline Ends ends_of(Ex a, Ex b) { return (Ends){a, b, EX_NONE}; }

// divided.c
Ex ends_mean(Pool *p, Ends x);                            // (a + b)/2; what does not change is its own mean
Ex ends_change(Pool *p, Ends x);                          // b - a
Ex divided_function(Pool *p, Op op, Ends x, Ends f, Ex order); // f = op(x); order: second argument of sinc and sinhc,
                                                               // else EX_NONE
Ex divided_power(Pool *p, Ends x, Ex r, Ends f);          // f = x^r, r the same at both ends
Ex divided_exponential(Pool *p, Ex c, Ends x, Ends f);    // f = c^x, c the same at both ends
Ex divided_positive_part(Pool *p, Ends x, int sign);      // (1 + sign*|x|[a,b])/2
Ex divided_step(Pool *p, Ends x, Ends f);                 // f piecewise constant: secant

// The Gauss-Legendre rule of n points on [-1, 1], scaled to total weight 1; exact for polynomials of degree 2*n - 1.
enum { GAUSS_MOST = 4 };
typedef struct GaussPoint { double at, weight; } GaussPoint;
const GaussPoint *gauss_rule(int n);
Ex ends_between(Pool *p, Ends x, double at);              // at = -1: a, at = 1: b

// weights.c: w[k] with Df = sum of w[k]*D(argument k), for every operation but IF. arg: the arguments at both ends,
// moves[k]: may they differ? (if not, the weight is 0); f: the node itself.
void node_weights(Pool *p, Op op, const Ends *arg, const bool *moves, int n, Ends f, Ex *w);
