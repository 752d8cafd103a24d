// Checks of the derived system: what cannot run as it was meant (errors), and what may be meant but seldom is
// (warnings). Requires a system without errors. Changes nothing. Values are those of the parameters as known when
// compiling (System.param_value); what depends on more is left to the start of the run.
#pragma once
#include "../system/system.h"

// Are the states of s without inertia undetermined where every law blocks, although the whole has a solution? The load
// behind a bridge of diodes floats then: its unknowns must stay rows beside the laws (docs/numerics/circuits.md, 4).
bool needs_rows(Arena *a, const System *s);
// steps: the model is run, and not only asked where it rests.
void check_system(Arena *a, const System *s, bool steps, DiagBag *bag);
// The step against the oscillations of a linear system. explicit_by: a scheme that iterates nothing, or NULL; theta: of
// the scheme; step: what the command line gives, or 0.
void check_step(Arena *a, const System *s, const char *explicit_by, double theta, double step, DiagBag *bag);
