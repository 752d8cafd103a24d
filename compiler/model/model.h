// The typed model: names resolved, units and shapes checked, vectors and functions written out as scalars, loops kept
// as loops. Everything is in the arena it was elaborated in and is const afterwards.
#pragma once
#include <stdbool.h>
#include "../base/arena.h"
#include "../base/diag.h"
#include "../base/source.h"
#include "../syntax/ast.h"
#include "units.h"

enum { MAX_INDICES = 8 };   // of a variable, a contact, an output: loops and arrays together; as NSM_MOST_INDICES

// --- expressions: scalar trees (nodes may be shared) ---
typedef enum {
  MX_NUM,     // num, SI
  MX_PARAM,   // id: number in Model.param; index[] for elements of array parameters (1-based, param and loop
              // expressions)
  MX_LOOP,    // id: position of the loop in the statement's context, 0 = outermost
  MX_TIME,    // id 1: the length of the step
  MX_VAR,     // id: number in Model.var; index[ndim]; derivative: false value, true time derivative (velocity of a
              // coord, x' of a state)
  MX_RATE,    // time derivative of arg[0], which is more than a variable
  MX_STAT,    // only inside an expect: id: number in Model.stat
  MX_TOUCH,   // of contacts between shapes, id: number in Model.touch; num: what (MTouchWhat); of an impulse arg[0]:
              // the number in Model.solid, arg[1]: of the instance from 0
  MX_OP       // op, arg[nargs]
} MKind;

typedef enum {
#define BUILTIN(name, text, arity, units) MOP_##name,
#include "builtins.def"
#undef BUILTIN
  MOP_COUNT
} MOp;

enum {
  MU_PARAM = 1, MU_LOOP = 2, MU_TIME = 4, MU_VAR = 8, MU_RATE = 16, MU_LAMBDA = 32, MU_STAT = 64, MU_DISCRETE = 128,
  MU_INPUT = 256, MU_TOUCH = 512
};
// MU_VAR: any variable that moves; MU_DISCRETE: one that changes at events only; MU_INPUT: a signal, with MU_TIME;
// MU_RATE: one with derivative set, or below an MX_RATE; MU_LAMBDA: a multiplier or a row;
// MU_TOUCH: what contacts of shapes did, MU_VAR too.
// Constant in time: uses <= MU_PARAM | MU_LOOP.

typedef struct MExpr MExpr;
struct MExpr {
  MKind   kind;
  MOp     op;
  int     id;
  bool    derivative;
  double  num;      // of a table: where its points are, as the runtime has it
  int     nargs;
  MExpr **arg;      // MX_OP: arguments; MX_RATE: of what; MX_PARAM, MX_VAR: index expressions
  unsigned uses;    // what stands anywhere below: MU_* bits
  Span    span;
};

// --- contexts: the loop nest of a statement ---
typedef struct MLoop { const char *name; MExpr *lo, *hi; Span span; } MLoop;   // bounds: params and outer loops
typedef struct MContext { int n; MLoop *loop; } MContext;                      // outermost first; n = 0: one instance

// MV_ROW: floor.lambda, floor.lambda_t of a contact or constraint. MV_POSITION: the four numbers of a body's attitude,
// b.q[k], which its turn moves (docs/numerics/bodies.md, section 1), or what turned(y, x) remembers: no partner.
// MV_DISCRETE: changes at events only; MV_INPUT: a signal from outside; MV_DELAY: what a quantity was some time ago;
// MV_GIVEN: 1 where a file or a program gives the input of the same name.
typedef enum {
  MV_COORD, MV_STATE, MV_MULTIPLIER, MV_ROW, MV_POSITION, MV_DISCRETE, MV_INPUT, MV_DELAY, MV_GIVEN
} MVarKind;
// MV_MULTIPLIER that a free row determines: an unknown of the model, a node (the flows away from it add up to zero), a
// node that is held at a value (docs/numerics/circuits.md).
typedef enum { MALG_NONE, MALG_UNKNOWN, MALG_NODE, MALG_HELD } MAlgebraicKind;
typedef struct MVar {
  MVarKind    kind;
  MAlgebraicKind algebraic;
  const char *name;       // full name, a % for each index: "bead[%].z", "x[%]", "floor.lambda", "pair[%].lambda"
  const char *plain;      // for messages: "z", "bead[i].z"
  int         ndim;       // number of its indices (MV_ROW: the loops of its statement; storage in loop order)
  MExpr      *lo[MAX_INDICES], *hi[MAX_INDICES];  // bounds of each, over params; MV_ROW: and outer loops
  Unit        unit;
  bool        declared;   // its unit was: results are shown in it
  const char *doc;
  bool        by_time;    // MV_DISCRETE that was made for an instant of time (instants.c): no column of the results
  bool        hidden;     // MV_DISCRETE that was made for a switch nobody asked to see: no column either
  Span        span, made; // of the name in its declaration; as MEquation.made
  // MV_COORD of a body's turn, a quasi-coordinate whose velocity is the spin: the name of that ("b.spin[%]") and the
  // number of the attitude that it moves; its value stands in no expression. MV_POSITION: the number of the turn.
  const char *rate_name;  // NULL: name and a prime
  int         partner;    // 0: none (number + 1)
  MExpr      *otherwise;  // MV_INPUT: its value where nobody gives one; NULL: it has none
} MVar;

// Where a user looks: the instance of a part of a library, else its own declaration.
static inline Span place_of_variable(const MVar *v) { return v->made.file ? v->made : v->span; }

typedef struct MParam {
  const char *name;       // full name: "m", "bead.g", "k[2]"
  MExpr      *value;      // over earlier params; NULL: must be set
  Unit        unit;
  Unit        inferred;   // of one without a unit: what its uses ask for, else UNIT_ANY
  const char *unit_text;  // as written, "" if none
  const char *doc;
  Span        span;
  int         ndim, dim[2];   // of an array: on its first element; the others have ndim = -1
  bool        structural; // a length or an unrolled sum depends on it: fixed when compiled
  double      fixed;      // its value, where structural
  double      lo, hi;     // its range, param x = 1 in [0, 2]; nan: none is given
  double      given;      // a number that --set gives on the command line of the compiler, else nan: for checks of
                          // values only
} MParam;

// --- statements ---
typedef enum { ME_KINETIC, ME_POTENTIAL, ME_DISSIPATION } MEnergyKind;
typedef struct MEnergy    { MContext ctx; MEnergyKind kind; MExpr *value; Span span; } MEnergy;
// on: a coordinate, or an expression of coordinates that it acts along
typedef struct MForce     { MContext ctx; MExpr *on; MExpr *value; Span span, on_span; } MForce;
// derivatives of states appear linearly (checked later)
// made: where the user asks for the part of a library that a statement stands in; no file: it is in none.
typedef struct MEquation  { MContext ctx; MExpr *lhs, *rhs; Span span, made; } MEquation;
typedef enum { ML_NONNEG, ML_BOX, ML_FREE } MLawKind;
enum { MA_SCLERONOMOUS = 1, MA_RHEONOMOUS = 2, MA_TYPE1 = 4, MA_TYPE2 = 8 };  // asserted classes
typedef struct MRelation {
  MContext ctx; const char *name;      // "R1", "s[%]"
  MLawKind law; MExpr *y; MExpr *lambda;   // -y in N_[lo,hi](lambda); lambda: MX_VAR of a multiplier
  MExpr *lo, *hi;                      // ML_BOX only
  MAlgebraicKind algebraic;            // ML_FREE that stands for an equation or the balance of a node
  int block;                           // number + 1 of the block `every` that it stands in: lambda is discrete; 0: none
  unsigned asserted; Span span, y_span, lambda_span, law_span, made;
} MRelation;

// Friction against the slip velocities of a contact or constraint. Laws by block of runtime/cone/problem.h; the normal
// force is given: of MF_GIVEN, and of others where `force` is there.
typedef enum {
  MF_NONE,
#define BLOCK(...)
#define LAW(name, ...) MF_##name,
#include "runtime/shared/laws.def"
  MF_LAWS
} MFrictionLaw;
// The row of a law in laws.def, with its name in nsm_abi.h; of MF_NONE all is "" or 0, and `abi` is "0". elliptic: its
// set is an ellipse with half axes mu and mu2.
typedef struct FrictionLaw {
  const char *abi;
  bool        elliptic;
  const char *word, *written, *second;
  bool        drills, rolls;
  const char *pressed, *given;
} FrictionLaw;
const FrictionLaw *friction_law(MFrictionLaw law);
typedef struct MFriction {
  MFrictionLaw law;
  MExpr *mu, *mu2, *radius;            // mu2: MF_ELLIPTIC, MF_ROLLING, radius: MF_CONTENSOU(_EXACT); no multipliers in
                                       // them
  MExpr *force;                        // a given normal force, else NULL
  MExpr **slip; int nslip; int var[4]; // slip velocities and their MV_ROW variables; the third of MF_CONTENSOU is the
                                       // spin, the second half of MF_ROLLING rolls
  Span span, slip_span;
} MFriction;

// Laws of impact; MI_ANY: inelastic, elastic, which are e = 0 and e = 1 of whatever law the others have.
typedef enum {
#define BLOCK(...)
#define LAW(...)
#define IMPACT(name, ...) MI_##name,
#include "runtime/shared/laws.def"
  MI_ANY
} MImpactLaw;
typedef struct ImpactLaw { const char *abi, *word, *written; int least, most; } ImpactLaw;
const ImpactLaw *impact_law_row(MImpactLaw law);           // friction_laws.c; NULL of MI_ANY
MImpactLaw impact_law_named(const char *word);             // MI_ANY: none

typedef struct MContact {
  MContext ctx; const char *name; int row_var;   // row_var: its MV_ROW variable; -1 where the normal force is given
  MExpr *gap;                          // NULL where the normal force is given
  MImpactLaw impact;
  MExpr *e, *e_t;  // restitution: newton(e[, e_t]); inelastic: 0, elastic: 1; NULL: no impact law given
  MExpr *ratio, *exponent;             // of lzb; NULL
  bool has_impact_law;
  MFriction friction;
  unsigned asserted; Span span, gap_span, law_span, assert_span;
} MContact;
// value = 0. A constraint with several normal directions is as many of these, one after the other; its friction stands
// with the last.
typedef struct MConstraint {
  MContext ctx;
  const char *name;
  int row_var;
  MExpr *value;
  MFriction friction;
  Span span;
} MConstraint;
typedef struct MOutput {
  MContext ctx;
  const char *name;
  MExpr *value;
  Unit unit;
  bool declared;          // as of MVar
  const char *doc;
  bool hidden;
  Span span;
} MOutput;
// on: MX_VAR (coord or state); value over params, loops
typedef struct MInit   { MContext ctx; MExpr *on; bool velocity; MExpr *value; Span span; } MInit;
// A body in space that moves: its attitude, moved by its turn, and its place r (numbers in Model.var), one for each
// instance of the context.
typedef struct MBody { MContext ctx; const char *name; int attitude, turn, place; Span span; } MBody;

// --- shapes of bodies, and contacts between them ---
// Numbers as in nsm_abi.h (NSM_BODY_...) and runtime/shapes/shape.h (nsm_shape_kind).
typedef enum { MB_SPATIAL, MB_PLANAR, MB_FIXED, MB_DRIVEN } MMotion;
typedef struct MShape {
  int    kind;                         // nsm_shape_kind
  // half edges, radius, half length; of convex and polygon size[0] is the number in Model.points; place and rotation in
  // the axes of the body
  MExpr *size[3], *at[3], *turn[9];
} MShape;
// A body that has shapes: where it is at the start (r, R), of a driven one at all times; where it is at all times, and
// its velocity and rate of turn in world axes.
typedef struct MSolid {
  MContext ctx; const char *name, *plain;  // "ball[%]", "ball[i]"
  MMotion motion; bool planar;
  int place, attitude, turn, angle;    // variables of one that moves; -1
  MExpr *pose[12], *here[12], *rates[6];
  MShape *shape; int nshape;
  int material;                        // number in Model.material; -1
  Span span;
} MSolid;
static inline bool is_still(const MSolid *b) { return b->motion == MB_FIXED || b->motion == MB_DRIVEN; }
typedef struct MPoints { int n; const double *at; } MPoints;             // corners of a polyhedron or polygon, 3 each
typedef struct MMembers { int solid; bool whole; MExpr *lo[MAX_INDICES], *hi[MAX_INDICES]; Span span; } MMembers;
enum { ML_E, ML_ET, ML_MU, ML_RADIUS, ML_ROLLING, ML_RATIO, ML_EXPONENT, ML_NUMBERS };          // as NSM_LAW_...
typedef struct MTouchLaw { MExpr *of[ML_NUMBERS]; } MTouchLaw;           // NULL: 0
// contact c { between = A, B; with laws; }, or { among = A; with laws; }: one side.
typedef struct MTouch {
  const char *name, *text;             // text: as written, "between = A, B;"
  int nside, nmember[2]; MMembers *member[2];
  MFrictionLaw friction;               // MF_NONE, MF_COULOMB, MF_CONTENSOU, MF_ROLLING
  MImpactLaw impact;
  Span law_span;
  bool by_material;
  MTouchLaw *law;                      // [materials + 1][materials + 1], material -1 first; one where not by_material
  Span span;
} MTouch;
typedef enum { MT_COUNT, MT_DEEPEST, MT_IMPULSE } MTouchWhat;            // MT_IMPULSE + 0 ... 5: axes, then moments

// A picture of a `draw`: its arguments are hidden outputs from `first` on, so many numbers each.
enum { MOST_ARGUMENTS = 8 };
typedef struct MDraw {
  const char *shape, *text;            // "line"; the string of a text, NULL: none
  int first, nargument, argument[MOST_ARGUMENTS];
} MDraw;

// What a page shows at first: columns as they are written, of families without index all; over: NULL, the time.
typedef struct MPlot { const char *title, **column, *over; int ncolumn; } MPlot;

// What fit { } and analyse { } ask: a flag of the command, without its dashes, and its text; "" of a switch.
typedef enum { ASK_FIT, ASK_ANALYSE } MAskBlock;
typedef struct MAsk { MAskBlock block; const char *flag, *text; Span span; } MAsk;

// What `turned(y, x)` remembers: variable `var` is the angle of (x, y) where the step began.
typedef struct MAngle { MContext ctx; int var; MExpr *y, *x; Span span; } MAngle;
typedef struct MAssert { MContext ctx; MExpr *cond; const char *text; Span span; } MAssert;

// Blocks `every` and `when`, in the order of the text, and what they do. The values of a block are taken before any of
// it is done.
typedef struct MBlock {
  MContext ctx;
  bool   timed;                        // every; else when
  MExpr *period, *offset;              // every: over params and loops
  MExpr *cond, *crossing;              // when: crossing passes 0 where cond becomes true; NULL: looked at after steps
  bool   initial;                      // when initial or ...: also where it holds at the start
  bool   switches;                     // made for an `if` (switches.c): it may fire again and again
  bool   kink;                         // both branches are the same where it switches
  bool   by_time;                      // made for an instant of time (instants.c)
  bool   wavy;                         // crossing is not affine in time
  Span   span;
} MBlock;
typedef enum { MA_ASSIGN, MA_STOP, MA_FAIL } MActionKind;
typedef struct MAction {
  MActionKind kind;
  int    block;
  MExpr *on, *value;                   // MA_ASSIGN: on is an MX_VAR, `derivative` for the velocity of a coordinate
  const char *text;
  Span   span;
} MAction;

typedef enum {
  MS_FINAL, MS_INITIAL, MS_MIN, MS_MAX, MS_MEAN, MS_DRIFT, MS_AT, MS_GAIN, MS_EVENTS, MS_FIRST, MS_LAST
} MStatKind;
// MS_EVENTS ...: of located events of the row whose multiplier the output is
// of output number `output` (its context has n = 0); -1: the total energy, -2: kinetic, -3: potential
typedef struct MStat   { MStatKind kind; int output; MExpr *at; } MStat;
enum {
  MSTAT_ENERGY = -1,
  MSTAT_KINETIC = -2,
  MSTAT_POTENTIAL = -3,
  MSTAT_RESIDUE = -4,
  MSTAT_FORCES = -5,
  MSTAT_DAMPERS = -6,
  MSTAT_CONTACTS = -7,
  MSTAT_ACCEPTED = -8,  // problems of steps: how many missed the tolerance and were accepted, the largest residual
  MSTAT_RESIDUAL = -9
};
// cond: over params and MX_STAT; stat: the number of its first statistic
typedef struct MExpect { MExpr *cond; const char *text; Span span; int stat; } MExpect;

// As NSM_UNLOCATED_...: why events are not located of an experiment that does not say whether they are.
typedef enum {
  UNLOCATED_SAID, UNLOCATED_NAMED, UNLOCATED_SHAPES, UNLOCATED_MANY, UNLOCATED_REFUSED
} MUnlocated;

typedef struct MExperiment {
  MExpr *start, *until, *step;         // over params; NULL: not given
  const char *scheme; Span scheme_span;// "moreau", ...; NULL: inferred
  MExpr *theta, *gamma;                // NULL: default
  int located; Span located_span;      // located = true: 1, false: -1; 0: not said
  bool by_default;                     // events are located, and nobody said so: switches of `if` are not
  MUnlocated unlocated;
  int stages; Span stages_span;        // of radau; 0: not said
  int order; Span order_span;          // of consistent: 2, 4, 6, 8; 0: not said
  MExpr *rtol, *atol; Span rtol_span;  // of event_driven; NULL: default
  bool projection; Span projection_span;   // of moreau
  const char *solver; Span solver_span;
  MExpr *tolerance, *accept;           // NULL: default
  bool project_start;
} MExperiment;

// delay(y, T): variable `var` has what y was.
typedef struct MDelay { MContext ctx; int var; MExpr *value, *time; Span span; } MDelay;

// A function by points: data as runtime/shared/table.h has it. MX_OP with MOP_TABLE: id is its number.
typedef struct MTable { double *data; int n; Span span; } MTable;
// A name that was declared without a unit, and the one that it has: its value's, or that which its uses ask for.
typedef struct MNamedUnit { Span span; Unit unit; } MNamedUnit;
double table_value(const double *points, double a, double b, double times);   // read_table.c
double table_period(const MTable *t);    // read_table.c; 0: it is not periodic

typedef struct Model {
  const char *name; const SourceFile *file; Span span;
  const char **read; int nread;        // paths of all files that were read: its own and imported ones
  MVar *var; int nvar;
  MParam *param; int nparam;
  MEnergy *energy; int nenergy;
  MForce *force; int nforce;
  MEquation *equation; int nequation;
  MRelation *relation; int nrelation;
  MRelation *law; int nlaw;            // relations of blocks
  MContact *contact; int ncontact;
  MConstraint *constraint; int nconstraint;
  MOutput *output; int noutput;
  MDraw *draw; int ndraw;
  MPlot *plot; int nplot;
  MAsk *ask; int nask;
  MInit *init; int ninit;
  MBody *body; int nbody;
  MSolid *solid; int nsolid;
  MTouch *touch; int ntouch;
  const char *no_formulas; Span no_formulas_at;            // why `touch` was not written as formulas; NULL
  MPoints *points; int npoints;
  const char **material; int nmaterial;
  MAngle *angle; int nangle;
  MAssert *assertion; int nassertion;
  MBlock *block; int nblock;
  MNamedUnit *named_unit; int nnamed_unit;
  MTable *table; int ntable;
  MDelay *delay; int ndelay;
  MAction *action; int naction;
  MStat *stat; int nstat;
  MExpect *expect; int nexpect;
  MExperiment sim;
} Model;

// States, unknowns and multipliers with the numbers of parameters that are known; nan where these are not. unknowns.c
double model_unknowns(const Model *m);
// Is `name` ("bead[3].z") an element of what the model calls `pattern` ("bead[%].z")? What stands behind it, or NULL;
// index: its indices, NULL: not asked for. unknowns.c
const char *model_element(const char *name, const char *pattern, double *index);
// The value in SI that the model says of an input, "w" or "d[2].w", with the numbers of parameters that are known; nan:
// it says none, or one that moves. unknowns.c
double model_input_value(const Model *m, const char *name);
// Contacts, relations with cases, and frictions of constraints; likewise.
double model_laws(const Model *m);

// Where parameter number id makes sense, in SI: its range, [0, 1] of a restitution; nan: nothing is known.
// elab_range.c
void model_param_range(const Model *m, int id, double *lo, double *hi);

// The law of impact that contacts of the model have: the first that is not Newton's.
MImpactLaw model_impact(const Model *m);
