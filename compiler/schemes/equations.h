// What the equations of a scheme are written with (piece.c).
#pragma once
#include "scheme.h"

Ex    at(const Piece *p, ModelFunction of, int point);
Ex    number(const Piece *p, double x);
Ex    length(const Piece *p), theta_of(const Piece *p), gamma_of(const Piece *p);  // h and the weights
Ex    lambda_of(const Piece *p), kappa_of(const Piece *p);      // the multipliers of a row
Ex    plus(const Piece *p, Ex a, Ex b), minus(const Piece *p, Ex a, Ex b), times(const Piece *p, Ex a, Ex b);
Point part_of(const Piece *p, const Point *end, Ex share);      // `share` of the way from the begin to the end
bool  turns(const Piece *p);                                    // inertia of what turns
