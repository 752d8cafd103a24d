// Parts of the checks: one file for each question. Numbers that they share are in a Check.
#pragma once
#include "../system/expand.h"
#include "../system/slots.h"
#include "check.h"

typedef struct Check {
  Arena *arena;
  const System *s;
  bool steps;              // the model is run: what steps make of it counts
  DiagBag *bag;
  const Expanded *x;       // all variables and rows; NULL where there are too many
  int *index, nindex;      // symbol -> k: value of variable k; nz + k: its rate; -1
  double loop[8];          // the instance at hand, in each_instance
} Check;

// written_out.c: writes the system out. parts: a large one cut to some instances; slopes: with Jq, Jv and the like.
void check_open(Check *k, bool parts, bool slopes);

// --- point.c: numbers ---
// both: circuit.c has both branches of each `if` there
typedef struct Point {
  const Check *k; const double *value, *rate; double time; const double *attitude; bool both;
} Point;
double start_time(const Check *k);
// The value of an expression of k->x; rates of states are 0. nan where it is not known.
double at_point(const Point *p, Ex e);
// Two generic points near the start, or far from it; arrays of nz in the arena.
Point  start_point(const Check *k);                     // unknown initial values: nan
Point  generic_point(const Check *k, int number, double spread);
double generic_number(int number, int i);               // in (-1, 1), the same for the same arguments
bool   moves(const Check *k, Ex e);                     // does e depend on time or a variable?
// The first, second and last instance of a class, with k->loop set; empty loops have none.
void   each_instance(Check *k, const SysClass *c, void (*visit)(Check *k, const SysClass *c, void *ctx), void *ctx);
// All instances, as far as there are not too many to look at.
void   every_instance(Check *k, const SysClass *c, void (*visit)(Check *k, const SysClass *c, void *ctx), void *ctx);
double here(int id, void *check);                       // leaf: parameters and loops of the instance at hand; else nan
double here_or_one(int id, void *check);                // the same, 1 for a parameter without a value
// "x' = 1, y' = -1": the largest components of a vector over variables i0 ... i0 + n; mark behind each name.
const char *vector_text(const Check *k, const double *v, int i0, int n, const char *mark);
// "m = -1, L = 0": parameters in e with their values, NULL where there are none.
const char *parameters_text(const Check *k, const Ex *e, int n);

// --- dense.c: small dense matrices ---
// Eigenvalues of the symmetric a[n*n] (destroyed) into w[n], eigenvectors into the columns of v[n*n]; Jacobi.
void symmetric_eigen(double *a, int n, double *w, double *v);
// Gauss with full pivoting on a[n*m] (destroyed), rows scaled; what is not above `least` is no pivot. Returns the rank;
// where it is less than n, left[n] is a combination of rows that is zero.
#define NO_PIVOT 1e-12
int  rank_of_rows(double *a, int n, int m, double least, double *left);

// Solves M X = B (n x n, n x m) in place of B, M destroyed; false where M is singular.
bool solve_dense_system(double *M, double *B, int n, int m);

// --- the questions ---
void check_numbers(Check *k);      // numbers.c      E0232: parameters and initial values that are none
void check_sizes(Check *k);        // sizes.c        E0610: families that are too large to be counted
void check_inertia(Check *k);      // inertia.c      E0506, E0507, W0832: the mass matrix
void check_equations(Check *k);    // equations.c    E0504, E0508: state equations
void check_circuit(Check *k);      // circuit.c      E0251, E0252: algebraic equations and nodes
void check_impulses(Check *k);     // impulses.c     E0419: forces of contacts in equations
void check_breaks(Check *k);       // breaks.c       E0412, E0413, E0509, W0822, W0831: jumps and kinks
void check_reach(Check *k);        // reach.c        E0417, W0826: gaps and outputs that never change sign
void check_growth(const Check *k, double h, double own);   // grows.c   W0852: the step beside what grows; own: --step
void check_falls(Check *k);        // falls.c        W0846: contacts that open as the run starts
void check_contradictions(Check *k); // contradictions.c  E0414, W0825
void check_slips(Check *k);        // slips.c        E0415, W0827, E0404: slips and coefficients of friction
void check_touch_laws(Check *k);   // touch_laws.c   E0404, W0810: laws of contacts between shapes
void check_impact_laws(Check *k);  // impact_laws.c  E0418: laws of impact that mean nothing here
void check_laws(Check *k);         // laws.c         E0416, W0824: bounds and signs of relations
void check_power(Check *k);        // power.c        W0823: dampers that feed energy
void check_overlap(Check *k);      // overlap.c      E0248, W0834: shapes at the start
void check_untouched(Check *k);    // untouched.c    W0860: shapes that no contact names
void check_restitution(Check *k);  // restitution.c  W0810, W0821
