// A small concrete copy of the system: loops run at the parameters' defaults, classes scattered into symbolic matrices.
// For people (derive prints it) and for generic questions (relative degree); never for code.
#pragma once
#include "names.h"

// lambda: symbol id; y and rate after substitution
typedef struct XRow { int cls; Ex y, rate, lo, hi, e, mu, mu2, radius; int lambda; } XRow;

typedef struct Expanded {
  const System *sys;
  bool clipped;             // families were cut to their first instances
  int nq, nx, nz, nr;       // coordinates, states, nq + nx, rows
  int *value, *rate;        // [nz] symbol ids: q then x; their rates
  XRow *row;                // [nr] in order of the classes
  Ex *M;                    // [nz*nz] row-major; entries EX_NONE where structurally zero
  Ex *f, *g;                // [nz]
  Ex *inertia;              // [nq] N(q, q'): minus the part of f that comes from kinetic energies; EX_NONE where zero
  Ex *Jq, *Jv, *Jx;         // [nz*nq], [nz*nq], [nz*nx]: d f
  Ex *Kq, *Kv, *Kx;         // the same of g
  Ex *B;                    // [nz*nr]: d g/d lambda of the rows' multipliers
  Ex *Cq, *Cv, *Cx, *D;     // [nr*nq], [nr*nq], [nr*nx], [nr*nr] of relations
  Ex *H;                    // [nr*nq] of contacts and constraints
  double *start, *start_rate; // [nz] initial values and velocities; nan where they have no value when compiling
  int np; int *position;    // [np] symbol ids of the attitudes of bodies
  double *position_start;   // [np]
  int *equation;            // [nz] class of the equation of a state; -1: none
} Expanded;

// What is written out besides the rows, M, B, H, D and the derivatives with respect to states.
typedef enum {
  EXPAND_FORCES = 1,        // f, g, inertia
  EXPAND_SLOPES = 2,        // derivatives with respect to coordinates and velocities: Jq, Jv, Kq, Kv, Cq
  EXPAND_ALL = 3
} ExpandParts;

// limit: at most that many variables and rows are written out; a larger system has its loops cut to `clip` instances.
// NULL if even the cut system is larger than the limit.
Expanded *expand_system(Arena *a, const System *s, int limit, int clip, ExpandParts parts);
