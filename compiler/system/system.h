// The derived system: every statement of the model as a class of elements with its local Jacobians, plus what was
// inferred. Everything is in the arena it was derived in and is const afterwards.
//
// A class is one statement with its loop nest. Its slots are the distinct variables that it reads; a slot's index
// expressions are over parameters and loop positions, so the same class stands for all its instances.
#pragma once
#include <stdbool.h>
#include "../base/diag.h"
#include "../base/map.h"
#include "../expr/expr.h"
#include "../model/model.h"

// --- symbols: what the leaves of the DAG mean ---
typedef enum {
  SYM_PARAM, SYM_PARAM_AT, SYM_LOOP, SYM_TIME, SYM_VALUE, SYM_RATE, SYM_STEP, SYM_THETA, SYM_GAMMA, SYM_RESTITUTION,
  SYM_STAT,
  SYM_COLUMN, SYM_AT,
  SYM_VALUE0, SYM_RATE0, SYM_TIME0, SYM_H, SYM_LAMBDA, SYM_KAPPA, SYM_VALUE_D, SYM_RATE_D,
  SYM_TABLE, SYM_TOUCH, SYM_ROTATION, SYM_ROTATION0, SYM_ROTATION_RATE, SYM_ROTATION_RATE0
} SymKind;
// PARAM_AT: array element chosen by idx. VALUE: q, x or lambda, a discrete variable or signal. RATE: q' or x'. STEP,
// THETA: h and theta, in printed W and, with GAMMA, in the weights of a scheme. AT: a function of the model (idx) at
// point `id` of a piece, only in equations of schemes (schemes/scheme.h). COLUMN: a hoisted constant of the instance
// (plan). TABLE: one by points, number in Model.table.
// Two-point kernels (plan): VALUE0, RATE0, TIME0 are VALUE, RATE, TIME at the begin of the step (VALUE, RATE: at its
// end), H its length at run time; LAMBDA, KAPPA: the multipliers of the row at hand on position and velocity level;
// VALUE_D, RATE_D: increments of VALUE and RATE over the step, known better than the difference of rounded values. RATE
// of a state is its derivative, so its increment is VALUE_D.
// TOUCH: what contact `id` between shapes did; idx: which (MTouchWhat), of an impulse also the body's number in
// Model.solid and that of the instance.
// ROTATION, ROTATION_RATE: numbers 1 to 9 of R(p), R(p)' in place of the last index of the attitude p, at the end of
// the step, with 0 at its begin. In no expression that is handed on (schemes/rotations.h).
typedef struct Sym { SymKind kind; int id; int nidx; Ex idx[MAX_INDICES]; } Sym;

typedef struct SymTab SymTab;
SymTab    *symtab_new(Arena *a, Pool *p);
int        symtab_id(SymTab *t, Sym s);              // interned: equal symbols get equal ids
const Sym *symtab_at(const SymTab *t, int id);
int        symtab_size(const SymTab *t);

// --- classes ---
// numbers as in nsm_abi.h; EVENT: changes at events only, with discrete variables
typedef enum { STAGE_NONE, STAGE_CONST, STAGE_EVENT, STAGE_TIME, STAGE_STATE } Stage;
typedef enum { WRT_Q, WRT_V, WRT_X, WRT_L, WRT_D } Wrt;
// As in nsm_abi.h. SLOT_POSITION: a number of an attitude, that moves with the three turns of its body, which are slots
// too (along.h); SLOT_D: a discrete variable or signal
typedef enum { SLOT_Q, SLOT_X, SLOT_L, SLOT_POSITION, SLOT_D = 5 } SlotKind;
typedef enum {
  CLASS_SMOOTH,
  CLASS_RELATION,
  CLASS_CONTACT,
  CLASS_CONSTRAINT,
  CLASS_FRICTION,
  CLASS_OUTPUT,
  CLASS_INIT,
  CLASS_ASSERT,
  CLASS_KINEMATICS,
  CLASS_BODY,
  CLASS_EVERY,             // period, offset
  CLASS_WHEN,              // value: the condition
  CLASS_CROSSING,          // value: what passes 0 where the condition before it becomes true
  CLASS_ACTION,            // slot 0: what is assigned; value
  CLASS_DELAY,             // value, of which row_var has the past; period: the delay
  CLASS_LAW                // a relation of a block: y, bounds, h over the discrete variables that its block solves for
} ClassKind;

typedef struct Slot {
  SlotKind kind;
  int      var;            // number in Model.var
  int      nidx; Ex idx[MAX_INDICES];
  int      value, rate;    // symbol ids; rate: velocity of a coordinate, derivative of a state
  Ex       guard;  // instances where the slot is read at all (EX_NONE: all): its index may be out of range elsewhere
} Slot;

typedef struct Entry { int row, col; Wrt wrt; Ex value; } Entry;   // row, col: slot numbers
typedef struct Entries { int n; Entry *at; } Entries;
typedef struct Loop { const char *name; Ex lo, hi; Span span; } Loop;

typedef struct SysClass {
  ClassKind   kind;
  const char *label;       // "kinetic", "contact pair[%]", "equation of x[%]"
  const char *shown;       // the same for messages, with the names of its loops: "contact pair[i]"
  Span        span, y_span, law_span; // of the statement; of its output, gap or slip, and of its law, as written
  const MRelation *relation; // the statement of a relation, of a contact; NULL
  const MContact  *contact;
  int nloop;  Loop *loop;
  int nslot;  Slot *slot;

  // smooth: rows of M z' = f + g; kinematics: the attitude, slots of its turn in `turn`
  int nrow;   int *row;    // slot numbers
  int turn[3];
  bool remembers;               // CLASS_KINEMATICS of turned(y, x): value is what its one row becomes
 
  Ex *f, *g;               // [nrow]
  Entries mass, jac, b, k; // d f/d(q,v,x); d g/d lambda; d g/d(q,v,x)
  Ex kinetic, potential, dissipation; // EX_NONE where there is none
  bool is_equation;        // a state equation (first order)
  bool at_end;             // an algebraic one: no inertia, holds at the end of the step
  Ex along, push;          // smooth: a force on an expression: what it acts along, and its size; EX_NONE else
  bool along_rate;         // `along` is linear in velocities

  // rows
  int row_type;            // 0 nonneg, 1 box, 2 free
  int lambda_slot;         // relations; -1
  int row_var;             // contacts, constraints; -1
  bool velocity_level, compliant;
  bool of_compliant;       // smooth: the force of a compliant contact on one of its coordinates
  Ex y, rate;              // output or gap; rate of the gap
  Ex lo, hi, e;            // EX_NONE where there is none
  Ex ratio, exponent;      // contacts with lzb
  Entries h;               // relation: d y/d(q,v,x,lambda); contact, constraint: H = d rate/d v; friction: d slip/d v
  bool affine;             // as in nsm_abi.h

  // friction: one direction of slip; y, rate: the slip velocity. The coefficients stand on direction 0.
  int normal, direction;   // class of the contact or constraint, of several normal ones the first; -1 under a given
                           // normal force
  MFrictionLaw friction;
  bool rolls;              // MF_ROLLING: this direction is one of rolling
  Ex mu, mu2, radius;      // EX_NONE where the law has none; radius of MF_GIVEN: of the disk, mu times normal force; of
                           // others under a given normal force that, and mu2 is the radius of MF_CONTENSOU

  // output, assertion, initial value
  Ex value; bool hidden; bool init_velocity; const char *name, *unit;
  const char *text;        // of an assertion, of what ends a run
  int block; MActionKind action;   // events: number of the block in the model
  Ex period, offset;

  // body: its slots say where its motion is (place, attitude, turn; of a planar one place, angle)
  const MSolid *solid;
  int ncolumn; Ex *column; // 15 for each shape, then the pose of a fixed one: constants of the instance
  Ex at_start[12];         // r, R at the start (of a driven one at all times)
  Ex *pose;                // of a driven one: r, R, velocities (18); NULL

  // inferred (classify.c, reldeg.c)
  const char *inferred;    // "type 2, linear time-invariant", "scleronomous, linear"
  int   reldeg;            // -1: lambda has no influence; else 0, 1, 2, ...
  int level_y_max, level_lambda;  // derivatives of y kept; level of the multiplier [Siconos notes, levels]
} SysClass;

// Where a user looks: the instance of a part of a library, else the statement.
static inline Span place_of_class(const SysClass *c) {
  return c->relation && c->relation->made.file ? c->relation->made : c->span;
}

// A contact between shapes.
typedef struct SysMembers { int cls; bool whole; Ex lo[MAX_INDICES], hi[MAX_INDICES]; } SysMembers;
typedef struct SysTouch {
  const MTouch *of;
  SysMembers *member[2];
  Ex (*law)[ML_NUMBERS];   // of each pair of materials, as MTouch.law; EX_NONE: 0
} SysTouch;

typedef struct Stages { unsigned char *of; Ex n, cap; } Stages;    // of the nodes below n: a memo of stage_of

typedef struct System {
  const Model *model;
  Pool   *pool;
  SymTab *sym;
  Map    *lowered[3], *lowered_whole;  // MExpr* -> Ex, memos of lower.c: as algebra, as written, every sum and product
                                       // a quantity; of whole statements that are large
  // solve_algebraic.c: [nvar] what an algebraic unknown is replaced by, EX_NONE: it is not; [nrelation] the unknown
  // that stands with a relation, -1: the relation is solved; what such a free row then reads
  Ex *solved; int *row_unknown; Ex *row_left;
  int *solved_by;          // [nvar] the relation that an unknown was solved from; -1
  bool algebraic_states;   // the unknowns that are left are states without inertia
  SysClass *cls; int ncls;
  SysTouch *touch;         // [model->ntouch]
  Stages *stages;
  int sym_time;
  Ex *param;               // [nparam] default values; EX_NONE: must be set
  double *param_value;     // [nparam] numbers: what --set gives when compiling, else the default; nan: has none
  Ex *var_lo[MAX_INDICES], *var_hi[MAX_INDICES]; // [nvar] bounds of each index; EX_NONE for rows
  Ex *stat_at;             // [nstat] EX_NONE unless MS_AT
  Ex *expect;              // [nexpect]
  Ex start, until, step, theta, gamma, tolerance, accept, rtol, atol;  // EX_NONE: not given
  bool affine;             // every class is
  const char *first_order, *second_order; // inferred class of each part, NULL if there is none
  const char *uniform_reldeg;      // for MIMO systems, printed
} System;

// stay_rows: no algebraic unknown becomes a state without inertia (check.h, needs_rows). NULL on errors.
const System *derive_system(Arena *a, const Model *m, bool stay_rows, DiagBag *bag);

// The value of an expression over parameters (as in param_value) and the loops that `loop` gives; nan where it depends
// on anything else or has none.
double value_of(const System *s, Ex e, const double *loop, int nloop);

// Stage of an expression: what it can change with.
Stage stage_of(const System *s, Ex e);
bool moves_in_time(const System *s, Ex e);               // does it read the time, or a signal?
// Are all n 0 where the velocities of the class are? e is used up.
bool all_at_rest(Arena *a, const System *s, const SysClass *c, Ex *e, int n);
bool friction_moves(const System *s, const SysClass *c);         // some coefficient of it changes during a run
int class_of_solid(const System *s, int solid);                  // number of the class of Model.solid[solid]; -1
const char *sym_name(int id, void *system);       // for ex_print: "bead[i+1].z'"
const char *sym_latex(int id, void *system);
const char *sym_mathml(int id, void *system);
