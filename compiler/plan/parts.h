// Kinds of schemes, one function each: derived system -> plan. And what they share.
#pragma once
#include "hoist.h"
#include "plan.h"

const Plan *scheme_radau(Arena *a, const System *s, const SchemeDescriptor *d);
// those written in schemes/<name>.c
const Plan *scheme_equations(Arena *a, const System *s, const SchemeDescriptor *d, const Equations *q);
// consistent, consistent1, consistent_explicit_mass
// degree: of the polynomials of a piece, 1 for a step of second order
const Plan *scheme_consistent(Arena *a, const System *s, const SchemeDescriptor *d, int degree);

// gamma = 1, matrices constant until a class says otherwise
Plan *plan_open(Arena *a, const System *s, const SchemeDescriptor *d, double theta);

// Kernel k computes value[n], hoisted; its stage is the latest of them. Nothing for n = 0.
void kernel_set(PlanClass *pc, Hoist *h, KernelKind k, const Ex *value, int n);
void kernel_entries(PlanClass *pc, Hoist *h, KernelKind k, const Entries *e);
// Are the iteration matrix and that of the one-step problem constant?
void plan_matrices(Plan *p, const PlanClass *pc);
// those of one point in time; jacobians: d f, d g / d(q, v, x) too
void class_kernels(PlanClass *pc, Hoist *h, const SysClass *c, bool jacobians);
// curves.c: second derivatives, of M dz, of H^T p, and of the rate
void curve_of_inertia(PlanClass *pc, Hoist *h, const SysClass *c);
void curve_of_impulse(PlanClass *pc, Hoist *h, const SysClass *c);
void slope_of_rate(PlanClass *pc, Hoist *h, const SysClass *c);
void work_kernel(PlanClass *pc, Hoist *h, Ex force, Ex damping);          // EX_NONE: no such work
void kinematics_kernel(PlanClass *pc, Hoist *h, const SchemeDescriptor *d);    // of a body's attitude
Ex   magnitude(Arena *a, Pool *p, Ex e);                                      // size of the terms of e
void class_columns(PlanClass *pc, const Hoist *h);                            // last: the columns of num

void refuse_beside_contacts(const System *s, DiagBag *bag);      // plan.c: what located runs do not take
// Of an experiment that names none.
const SchemeDescriptor *default_scheme(Arena *a, const System *s, DiagBag *bag);
