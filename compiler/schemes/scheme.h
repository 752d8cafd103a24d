// Schemes. A scheme is a system of equations over a *piece*, which goes from (t_B, q_B, u_B) to (t_E, q_E, u_E). It
// stands in one file, schemes/<name>.c, as expressions for the statements of a model (Equations); all else follows from
// these: plan/ differentiates them and makes the kernels, whole/ writes the same kernels out as fused steps, and the
// runtime steps by them without knowing which scheme it is (docs/pipeline.md, "A scheme").
#pragma once
#include "../system/system.h"

// A move within the piece: time goes on by time*h, positions by h (begin u_B + end u_E) on the manifold of attitudes.
typedef struct Move { double time, begin, end; } Move;

// One statement of the model in the symbols of a piece. Positions and time in its expressions are those of the point;
// velocities u are those of the end, or by at_begin those of the begin; multipliers are those of the piece.
typedef struct Piece { Arena *arena; const System *sys; Pool *pool; const SysClass *cls; } Piece;

typedef struct Equations {
  Move point;                                  // from the begin of the piece to where a model's functions are taken
  Move end;                                    // from there to the end
  Ex (*momentum)(const Piece *p, int row);     // smooth statements: = impulses of rows along d rate/d u_E
  Ex (*relation)(const Piece *p);              // -y in N(lambda)
  Ex (*rate)(const Piece *p);                  // constraints, contacts, friction: y_E + e y_B against the impulse,
                                               // y_B: with u_B in place of u_E
  Ex (*closed)(const Piece *p);                // a contact acts where this is not positive
  Ex (*given)(const Piece *p, Ex e);           // bounds of multipliers, coefficients of friction
} Equations;

Ex   at_begin(const Piece *p, Ex e);                       // e with u_B in place of u
Ex   inertia(const Piece *p, int row);                     // row of M (u_E - u_B)
Ex   force(const Piece *p, int row);                       // row of f + g, forces and what multipliers add
Ex   length(const Piece *p);                               // h
bool affine_in_unknowns(const Piece *p, Ex e);             // in u_E and the multipliers together: nothing is iterated
// The statement as kernels need it: f, g, M, H, y, the rate and their derivatives as the equations have them.
const SysClass *class_of_piece(Arena *a, const System *s, const Equations *q, const SysClass *c);

// One scheme: a line of runtime/schemes.def.
typedef struct SchemeDescriptor SchemeDescriptor;
typedef void SchemeCheck(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag);
struct SchemeDescriptor {
  const char *name, *order, *needs, *source;
  bool weights;                 // has the parameters theta and gamma
  bool located;                 // can locate events within its steps
  bool explicit_step;           // nothing is iterated: the iteration matrix is M
  bool two_point;               // energy-consistent: steps kernels of two points
  bool one_step;                // energy-consistent, without an impact: elastic contacts without friction
  bool collocates;              // Radau IIA: takes the kernels of weights at stages of its own
  bool mass_at_begin;           // energy-consistent, with M and H of constraints at the begin of the step
  const char *closed;           // which contacts a step takes as closed, in words
  // What the scheme cannot step is refused, statement by statement (E0705); NULL: it takes every system.
  SchemeCheck *check;
  const Equations *equations;   // NULL: they still stand in plan/scheme_<name>.c and runtime/schemes
};

// What stands in schemes/<name>.c.
#define NAMES_point(name) extern const Equations name; SchemeCheck check_##name;
#define NAMES_theta_gamma(name)
#define NAMES_stages(name) SchemeCheck check_##name;
#define NAMES_two_point(name)
#define SCHEME(name, number, form, ...) NAMES_##form(name)
#include "../../runtime/schemes.def"
#undef SCHEME
SchemeCheck check_consistent;

typedef enum {                  // as NSM_SCHEME_*
#define SCHEME(name, number, ...) SCHEME_##number,
#include "../../runtime/schemes.def"
#undef SCHEME
  SCHEME_COUNT
} SchemeNumber;
extern const SchemeDescriptor schemes[SCHEME_COUNT];

const SchemeDescriptor *scheme_named(const char *name, const char **near); // NULL; *near: a similar name, NULL if none
const SchemeDescriptor *scheme_with_weights(void);                // the one that theta and gamma belong to

// What a scheme cannot step is refused, statement by statement (E0705); what the consistent schemes cannot promise is
// said.
Diag *refuse_in_scheme(const SchemeDescriptor *d, Span at, const char *what, DiagBag *bag);    // refuse.c
bool  refuse_states(const System *s, const SchemeDescriptor *d, DiagBag *bag);                 // true: there are some
