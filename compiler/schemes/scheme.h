// Schemes. A scheme is a system of equations over a *piece*, which goes from (t_B, q_B, u_B) to (t_E, q_E, u_E). It
// stands in one file, schemes/<name>.c, as expressions in functions of a model at points of the piece (Equations); all
// else follows from these: plan/ makes the kernels and their derivatives, whole/ writes the same kernels out as fused
// steps, and the runtime steps by them without knowing which scheme it is (docs/pipeline.md, "A scheme").
#pragma once
#include "../system/system.h"

// One statement of the model, for which a scheme says its equations.
typedef struct Piece { Arena *arena; const System *sys; Pool *pool; const SysClass *cls; } Piece;

// A point of the piece. From the point `from` to it time goes on by time h, positions by h (begin u_B + end u_E) on the
// manifold of attitudes; velocities and states are z_B + share (z_E - z_B). The numbers may depend on theta and
// gamma; those of the point at which a row is taken on the restitution e of the row.
enum { BEGIN, END, PIECE_POINTS = 5 };                    // those that every scheme has; others are its own
typedef struct Point { int from; Ex time, begin, end, share; } Point;

// Functions of a statement at a point, symbols in the equations. All are linear in them, with weights made of h, theta
// and gamma.
typedef enum {
  INERTIA,      // M (z_E - z_B)
  FORCE,        // f
  REACTION,     // g, what multipliers add
  IMPULSE,      // H^T p of constraints, contacts, friction
  OUTPUT,       // y of a relation
  GAP, RATE,    // of a constraint, a contact; of friction the slip velocity
  // of both ends, by the discrete derivative D from q_B to q_E (two_point.c); the point says velocities and time
  GYROSCOPIC,   // G (q_E - q_B) of a kinetic energy T
  TURNING,      // (q_E - q_B) x dT/dspin of bodies
  KINETIC_SLOPE, POTENTIAL_SLOPE,     // DT/Dq, DV/Dq
  DAMPING,      // dR/du with the velocities (q_E - q_B)/h
  APPLIED,      // F: what comes from no energy
  GAP_SLOPE, RATE_SLOPE               // Dg/Dq, D rate/Dq of a constraint, a contact
} ModelFunction;

typedef struct Equations {
  void (*points)(const Piece *p, Point *to);       // [PIECE_POINTS]
  void (*weights)(const System *s, double *theta, double *gamma);   // their defaults; NULL: it has none
  Ex (*momentum)(const Piece *p);              // smooth statements: = sum of IMPULSE of the rows
  Ex (*impulse)(const Piece *p);               // constraints, contacts, friction: what each adds to that sum
  Ex (*relation)(const Piece *p);              // -y in N(lambda)
  // constraints, contacts, friction: y + e y_before against p; or before NULL and a gap, which is all of the law
  Ex (*rate)(const Piece *p), (*before)(const Piece *p);
  Ex (*closed)(const Piece *p);                // a contact acts where this is not positive
  // With two multipliers lambda, kappa of a constraint; else NULL.
  Ex (*gap)(const Piece *p);                   // constraints, contacts: against lambda
  Ex (*shift)(const Piece *p);                 // constraints: what each takes from M (q_E - q_B)
} Equations;

// What follows from them (piece.c). An expression is the sum of its terms, each a function at a point by its weight.
enum { TERMS = 12 };
typedef struct Term { ModelFunction of; int point; Ex weight; } Term;
typedef struct Terms { int n; Term at[TERMS]; } Terms;
Terms terms_of(const Piece *p, Ex e);
int   point_of(const Piece *p, Ex e, ModelFunction of);         // the last point where e has the function; -1: nowhere
// Do unknowns move the positions of a point; velocities and states there?
bool  point_moves(const Piece *p, const Point *all, int point);
bool  point_shares(const Piece *p, const Point *all, int point);
// Is e affine in u_E, x_E and the multipliers together? Then nothing is iterated.
bool  affine_in_unknowns(const Piece *p, const Equations *q, Ex e);

// One scheme: a line of runtime/schemes.def.
typedef struct SchemeDescriptor SchemeDescriptor;
typedef void SchemeCheck(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag);
struct SchemeDescriptor {
  const char *name, *order, *needs, *source;
  bool weights;                 // has the parameters theta and gamma
  bool located;                 // can locate events within its steps
  bool projects;                // can project places after its steps
  bool explicit_step;           // nothing is iterated: the iteration matrix is M
  bool kicks;                   // its equations are those of one of two kicks
  bool two_point;               // energy-consistent: equations in functions of both ends
  bool one_step;                // energy-consistent, without an impact: elastic contacts without friction
  bool flows;                   // event to event: motions by a solver, impacts and sets by these equations
  bool collocates;              // Radau IIA: takes the kernels of weights at stages of its own
  bool places;                  // its rows are gaps at the end
  bool mass_at_begin;           // energy-consistent, with M and H of constraints at the begin of the step
  const char *closed;           // which contacts a step takes as closed, in words
  // What the scheme cannot step is refused, statement by statement (E0705); NULL: it takes every system.
  SchemeCheck *check;
  const Equations *equations;   // NULL: plan/scheme_<name>.c has the scheme
};

// What stands in schemes/<name>.c.
#define NAMES_point(name) extern const Equations name; SchemeCheck check_##name;
#define NAMES_kicks(name) extern const Equations name; SchemeCheck check_##name;
#define NAMES_implicit(name) extern const Equations name;
#define NAMES_places(name) extern const Equations name; SchemeCheck check_##name;
#define NAMES_stages(name) SchemeCheck check_##name;
#define NAMES_flow(name) extern const Equations name; SchemeCheck check_##name;
#define NAMES_two_point(name) extern const Equations name;
#define SCHEME(name, number, form, ...) NAMES_##form(name)
#include "../../runtime/schemes.def"
#undef SCHEME
SchemeCheck check_consistent;
// What keeps friction of a class from being one disk, in a frame of its own, whose radius is proportional to the normal
// force; NULL: it is one, or no friction
const char *friction_beyond_disk(const System *s, const SysClass *c);
void check_galerkin(const System *s, const SchemeDescriptor *d, DiagBag *bag);      // of an order above 2

// Of a refusal of contact t between shapes: which gap has no closed form.
void no_formulas(const Model *m, const MTouch *t, Diag *d);
// Does its step of order 2 take contacts between shapes as they are, not as formulas alone?
bool scheme_takes_shapes(const SchemeDescriptor *d);

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
Diag *refuse_in_scheme(const System *s, const SchemeDescriptor *d, Span at, const char *what, DiagBag *bag); // refuse.c
void  check_form(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag);   // do steps take its equations?
bool  refuse_states(const System *s, const SchemeDescriptor *d, DiagBag *bag);                 // true: there are some
