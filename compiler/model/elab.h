// What the files of the elaborator share. The elaborator reads each model as a macro over scopes:
//   Scope    one instance (or family of instances) of a model: its names, its context of loops, its path
//   Symbol   a declared name, resolved on first use (so that order does not matter) and guarded against circles
//   Env      where an expression stands: the scope, loops and local names around it
//   Value    a typed expression: unit, shape and one scalar MExpr for each element
// Loops of a context are numbered from the outside; a value made in an outer context is therefore valid further in.
#pragma once
#include <string.h>
#include "../base/map.h"
#include "../base/vec.h"
#include "elaborate.h"
#include "mx.h"
#include "units.h"

enum { MAX_DIMS = 2, MAX_LOOPS = MAX_INDICES, MAX_SUM = 10000, MAX_ELEMENTS = 100000 };

typedef struct Elab Elab;
typedef struct Scope Scope;
typedef struct Symbol Symbol;

typedef struct Value {
  bool    bad;       // already reported: stay silent about it
  bool    truth;     // a condition, not a number
  Unit    unit;
  int     ndim, dim[MAX_DIMS];
  MExpr **at;        // row-major; a scalar has one
  Span    span;
} Value;

typedef enum { L_LOOP, L_VALUE, L_SYMBOL } LocalKind;
typedef struct Local {
  LocalKind   kind;
  const char *name;
  Span        span;
  int         loop;       // L_LOOP: position
  Value       value;      // L_VALUE
  Symbol     *symbol;     // L_SYMBOL
  const struct Local *next;
} Local;

typedef struct Env {
  Elab        *e;
  Scope       *scope;
  const Local *local;
  MContext     ctx;
  bool         in_stat;    // inside final(...), max(...): `energy` may stand
  bool         in_claim;   // inside an expect: statistics may stand
  bool         in_branch;  // inside a branch of an `if`: an index may be out of range where the branch is not taken
  int          depth;      // of inlined functions
  int          block;      // number + 1 of the block of an event around; 0: none
  const Ast   *array;      // in the value of x[n]: its declaration
  const char  *declare;    // what a name that is missing here is likely to be: "coord"; NULL: a parameter
} Env;

typedef enum {
  SY_PARAM,
  SY_FORMAL,
  SY_VARIABLE,
  SY_INPUT,            // becomes SY_VARIABLE or, where it has a value, SY_VAR
  SY_VAR,
  SY_OUTPUT,
  SY_INSTANCE,
  SY_ROW,
  SY_RELATION,
  SY_BODY,       // a formal that stands for a body
  SY_TOUCH,      // a contact between shapes; id: its number in Model.touch
  SY_REFUSED
} SymbolKind;
typedef enum { NEW, BUSY, DONE, FAILED } Progress;
// A value of --set for a parameter: which member of the families around it (nan: all), which element.
typedef struct SetAt {
  Override *from;
  bool      one;                            // not all members
  int       own;                            // of what is asked for: its parameter + 1; 0: not made yet
  int       nmember, nelement;
  double    member[MAX_LOOPS], element[MAX_DIMS];
} SetAt;

struct Symbol {
  SymbolKind  kind;
  Progress    progress;
  const char *name;
  Span        span;
  const Ast  *decl;      // DECL, INSTANCE, CONTACT, CONSTRAINT, RELATION
  Env         env;       // where it was declared
  MVarKind    var_kind;  // SY_VARIABLE, SY_ROW
  MAlgebraicKind algebraic;   // SY_VARIABLE
  bool        used;
  const Ast  *start_rate; // of a coordinate: the declaration that gives its initial velocity
  SetAt      *set; int nset;  // SY_PARAM, SY_FORMAL: values of the command line
  const Ast  *given;     // SY_PARAM, SY_FORMAL: the argument of the instance, read in scope->args_env
  const Ast *const *fors; int nfors;  // SY_ROW, SY_OUTPUT: the `for`s around it, outermost first
  // valid once DONE:
  int         id;        // number of the variable, or of the (first element of the) global parameter
  bool        global;    // SY_PARAM, SY_FORMAL: stored as MParam `id`; otherwise `value` is inlined
  int         ndim;      // own dimensions
  int         dim[MAX_DIMS];    // of a global parameter
  MExpr      *size[MAX_INDICES];   // of a variable, over params
  Unit        unit;
  Value       value;
  Scope      *child;     // SY_INSTANCE
  MContext    ctx;       // SY_INSTANCE, SY_ROW, SY_OUTPUT: its loops, outer ones included
  int         slip_id, nslip;   // SY_ROW: variables of the friction forces; id is -1 without a normal row
  Value       slip;             // SY_ROW: the slip velocities, where they were read to count them
  int         nnormal;          // SY_ROW: how many variables from id on: the normal directions of a constraint
                                // SY_ROW: value is what a constraint holds at zero, read when its rows are counted
};

struct Scope {
  Elab       *e;
  const Ast  *model;
  Scope      *parent;        // of the instance; NULL for the root and for globals
  const char *path;          // "" or "bead[%]." : prefix of names in the model
  const char *param_path;    // "" or "bead."
  const char *plain;         // "" or "bead[i]." : for messages
  MContext    ctx;
  Map        *names;         // interned name -> Symbol
  Env         args_env;      // where the arguments of the instance are read
  Map        *chosen;        // IF item -> the part of it that is taken (elab_loop.c)
  Map        *inside;        // FOR item -> the Env of its items (elab_loop.c)
  const Ast  *instance;      // the INSTANCE or BODY item; NULL for the root
  const struct Body *body;   // of a body (elab_body.h); NULL
  const Ast  *gravity;       // its GRAVITY item; NULL
  bool        placing;       // its body is being placed, and has the names alone that do not follow from its place
};

typedef struct EventItem { Env env; const Ast *x; } EventItem;
// An equation without derivatives, lhs - rhs = 0; of a node that is held, `held` is it.
typedef struct Algebraic { MContext ctx; const Scope *scope; MExpr *value, *held; Span span; } Algebraic;
// flow from to to = value, in the context of its item.
typedef struct Flow { Env env; MExpr *from, *to, *value; Unit unit; Span span, from_span, to_span; } Flow;
// Initial values of a variable of a body, or of its rate: n elements over nloop loops of the body.
typedef struct Placed { int id, nloop, n; bool velocity; MExpr **value; } Placed;

// A contact between shapes, or a pair of materials (symbol NULL): elaborated last (elab_touch.c).
typedef struct Touching { const Ast *item; Env env; Symbol *symbol; } Touching;

// What is without dimension, where the text at `at` has a meaning; by names.
typedef struct UnitRow { Unit one; Span at; } UnitRow;

// A further model of a name that an imported file declares already; a file that imports another one.
typedef struct Twin { const Ast *model; struct Twin *next; } Twin;
typedef struct Import { const SourceFile *by, *of; } Import;

struct Elab {
  Arena *a; Interner *in; DiagBag *bag;
  const ElaborateOptions *opt;
  bool (*resolve)(Symbol *);  // a name that is read for the first time (elab_decl.c)
  Map   *models, *functions;  // name -> Ast
  Map   *twins;               // name -> Twin: models of that name in further imported files
  Vec(Import) imports;        // which file imports which
  Map   *done, *alike;        // calls of functions that were written out, arguments of calls (elab_call.c)
  Map   *files;               // interned path -> Ast, every file once
  Map   *reported;                // indices out of range, by array and loop
  Scope *globals;             // parameters at file level
  const Ast *simulate;        // the block that counts, once met
  const Ast *asked[2];        // analyse, fit: the same
  bool   has_units;           // some declaration outside `simulate` has a unit: then time is in seconds
  int    sums_open;           // sums around the place at hand that are being written out
  int    calls_made;          // functions written out within the outermost call at hand
  double sum_terms;           // terms that the outermost of them has made so far
  Model *out;
  Vec(MVar) var;          Vec(MParam) param;        Vec(MEnergy) energy;      Vec(MForce) force;
  Vec(MEquation) equation; Vec(MRelation) relation, law; Vec(MContact) contact;    Vec(MConstraint) constraint;
  Vec(MDraw) draw;        Vec(MPlot) plot;        Vec(MAsk) ask;      Vec(Override *) sets;
  Vec(MOutput) output;    Vec(MInit) init;          Vec(MAssert) assertion;   Vec(MStat) stat;
  Vec(MTable) table;      Vec(MDelay) delay;
  Vec(MBlock) block;      Vec(MAction) action;
  Vec(EventItem) event;       // blocks as they were met
  Vec(Algebraic) algebraic;   Vec(Flow) flow;
  Vec(MExpect) expect;    Vec(MBody) body;          Vec(Placed) placed;
  Vec(MSolid) solid;      Vec(MPoints) points;      Vec(MTouch) touch;        Vec(Touching) touching;
  Vec(const char *) material;
  Vec(Touching) pairs;
  Vec(MAngle) angle;
  Symbol *ground, *plane_ground;       // NULL: not met yet
  Vec(Symbol *) symbols;      // all, for the closing checks
  Vec(const Ast *) calls;     // functions being inlined
  Vec(const MExpr *) angles;  // variables of which a sine, cosine or tangent is taken
  Vec(double) known;          // values of parameters, as far as evaluated
  Vec(char) known_state;      // 0 not yet, 1 busy, 2 known, 3 has none
  Vec(int) unit_name;         // the parameters whose units go by their names: UnitName.id - 1
  Vec(UnitRow) unit_row;
  Vec(MNamedUnit) named_unit;
  struct {
    const char *pi, *inf, *time, *energy, *lambda, *lambda_t, *lambda_s, *lambda_r, *kinetic, *potential, *ground;
  } word;
};

// --- scope.c: names ---
// NULL: duplicate or reserved, reported
Symbol *scope_add(Scope *s, SymbolKind k, const char *name, Span at, const Ast *decl, Env env);
Symbol *scope_find(const Scope *s, const char *name);
const Local *local_find(const Env *env, const char *name);
Env     env_of(Scope *s);
Env     env_with(Env env, const Local *l);
Env     env_loop(Env env, const char *name, Span at, MExpr *lo, MExpr *hi, Span range);  // one loop deeper
void    warn_shadow(const Env *env, const char *name, Span at);
// elab_forms.c: items that mean something else in other languages.
void    check_forms(Elab *e);
// meant.c: helps for names of other languages; NULL: none is known.
const char *function_meant(Elab *e, const Ast *call);
const char *body_entry_meant(const char *name);
const char *body_part_meant(Arena *a, const char *body, bool planar, const char *name);
const char *name_meant(const Env *env, const char *name);
const char *unit_meant(Elab *e, const char *whole, const char *name, int n);
const char *entry_meant(const char *name);
const char *law_meant(const char *name);
const char *prefixed(Elab *e, const char *prefix, const char *name);

// --- unknown.c: names that nothing declares ---
void unknown_name(const Env *env, const char *name, Span at);
void unknown_member(const Scope *s, const char *owner, const char *name, Span at);

// --- value.c: what every part asks of a value ---
unsigned extra_uses(const Value *v, unsigned fine);  // bits of uses beyond `fine` in any element
void  not_constant(const Env *env, const Value *v, const char *what, const char *help);
Value bad_value(const Env *env, Span at);
Value scalar_value(MExpr *x, Unit u, Span at, const Env *env);
int   value_count(const Value *v);
Unit  unit_named(const char *text);                             // of a text known to be good: "N", "s"
Unit  unit_rate(Elab *e, Unit u);                               // per second, as written: mm/s for mm
bool  unit_check(const Env *env, Value v, Unit want, const char *what);  // reports "WHAT is in m but must be in N"
const char *ast_text(Elab *e, const Ast *x);                   // as written
const char *inner_text(const Env *env, Span at);                // the same, without parentheses around it
const char *shape_text(Elab *e, const Value *v);

// --- elab_infer.c: units of parameters that have none written ---
void unit_by_name(Symbol *y);                                   // its unit gets its name, where it is not known
bool units_meet(Elab *e, Unit a, Unit b, Span at);              // compatible; what is learnt of names is kept
void infer_units(Elab *e);                                      // MParam.inferred, Model.named_unit; W0803

// --- known.c: numbers that are known when compiling ---
int   push_param(Elab *e, const char *name, MExpr *value, Unit u, const Symbol *y);  // an MParam of y; its number
void  note_given(Elab *e);                                     // fills MParam.given
bool  param_value(Elab *e, int id, bool fix, double *out);     // with overrides; fix: marks it structural
bool  try_eval(Elab *e, const MExpr *x, bool fix, const double *loop, int nloop, double *out);

// --- elab_range.c: the range of a parameter; v: its value, NULL where it has none yet ---
bool param_range(const Symbol *y, const Value *v, const Value end[2]);

// --- symbol.c: declared names, on demand ---
bool symbol_force(Symbol *y);                       // false: bad, already reported
Span part_of_library(const Scope *s);                // where the user asks for the part of a library that s is in
// --- elab_decl.c ---
bool symbol_resolve(Symbol *y);                     // the value of a name that is read for the first time
void declare_items(Env env, AstList items);         // puts the names of a model's items into its scope
// --- elab_loop.c: the names inside of a `for`; one environment for all that read it. False: bad, reported
bool  loop_inside(Env env, const Ast *loop, Env *in);
bool  fors_inside(Symbol *y, Env *env);     // from where y is declared into the `for`s around it; sets y->ctx
void  declare_local_vars(Env *env, AstList items);   // `var` inside a block: names, their values on demand
// if c { items } else { items }
AstList chosen_items(Env env, const Ast *x);         // of the part that is taken in this scope; none: bad, reported
bool  some_item(AstList items, bool (*is)(const Ast *, const void *), const void *ctx);
void  force_local_vars(const Env *in, AstList items);
// --- declared.c ---
bool declared_unit(Elab *e, const Ast *decl, Unit *out);  // false: none written (or bad, reported); *out is UNIT_ANY
                                                          // then
Value scaled_value(const Env *env, Value v, Unit u);     // a bare number as written in u, in SI
Value adopt(const Env *env, Value v, const Ast *decl, const char *what); // v under the unit that decl declares
Value shape_to(const Env *env, Value v, const Ast *decl, int ndim, const int *dim);  // broadcast or check
// Number of dimensions, at most `most`; -1: bad, reported.
int   array_sizes(const Env *env, const Ast *decl, int most, MExpr **size);

// --- elab_instance.c ---
bool instance_force(Symbol *y);
// The argument for y, which has none where a formal around it is handed on that was left out; NULL.
const Ast *argument_of(const Scope *s, const Ast *decl);
bool is_none(const Elab *e, const Ast *from);         // the default of a formal a = none, or NULL
bool defaults_to_none(const Symbol *y);
bool   instance_loops(Symbol *y, Env *env);           // the loops of a family around its arguments
Scope *instance_scope(Symbol *y, const Ast *model, Env args);   // y->child, without names

// --- elab_init.c: initial values ---
void init_statement(Env env, const Ast *decl, bool state);

// --- elab_expr.c ---
Value elab_expr(const Env *env, const Ast *x);
Value elab_scalar(const Env *env, const Ast *x);               // a number; a vector is reported
// a and b stand side by side: warns where one is a bare number and the other is declared in a scaled unit (W0830)
void  bare_number(const Env *env, const Value *a, const Value *b);
Value elab_condition(const Env *env, const Ast *x);            // a truth value
void  shape_error(const Env *env, Span at, const Value *a, const Value *b, const char *verb, const char *help);

// --- elab_ref.c: names, members, derivatives ---
typedef struct Place { Scope *scope; int n; MExpr *by[MAX_LOOPS]; } Place;  // a scope with its loops bound
// The bodies that x names: a body, a family (all its members), a member, members of a range ball[2:5].
typedef struct BodyRange { Symbol *body; int n; MExpr *lo[MAX_LOOPS], *hi[MAX_LOOPS]; } BodyRange;   // n: its loops
const Symbol *contact_of(const Env *env, const Ast *x);         // the contact between shapes that x names; NULL
bool  bodies_of(const Env *env, const Ast *x, BodyRange *out);  // false: reported
Value elab_ref(const Env *env, const Ast *x);                  // NAME, MEMBER, INDEX
// A contact, or a multiplier: the multiplier of its row. help: what is said where it is neither.
Value elab_row_of(const Env *env, const Ast *x, const char *help);
bool is_impact(const Ast *law);                                // law_words.c
const char *impact_forms(const Env *env);
bool newtons_law(const Env *env, const Ast *x);                // elab_newton.c; true: the equation is one, refused
Value elab_prime(const Env *env, const Ast *x);                // elab_expr.c
bool  is_reference(const Ast *x);
const Scope *instance_of(const Env *env, const Ast *x);        // of the instance that x names; NULL: reported

// --- elab_index.c: sizes and indices ---
bool  fixed_number(const Env *env, const MExpr *x, const char *what, double *out);  // compile-time value; reports
bool  fixed_size(const Env *env, const MExpr *x, const char *what, int *out);
bool  bound_ok(const Env *env, const Value *v, bool loops_too, const char *what);  // known when the run starts; reports
bool  index_in_range(const Env *env, const MExpr *i, const MExpr *lo, const MExpr *hi, const char *of, Span at);
void  warn_empty(const Env *env, const Ast *range, const MExpr *lo, const MExpr *hi);   // 3:1, in numbers
const char *std_function(Elab *e, const char *name);             // the page that declares a function
const char *std_file_of(Elab *e, const char *model);            // of the standard library; NULL: none declares it
Env   env_elements(Env env, const Ast *decl, MExpr *const *size);    // with the indices of x[i in 1:n]
const char *loop_indices(const Env *env);                       // of the loops around: "[i, j]", or ""
bool  elab_range(const Env *env, const Ast *range, bool loops_too, const char *what, MExpr **lo, MExpr **hi);

// --- elab_vector.c: algebra of shapes ---
Value vector_literal(const Env *env, const Ast *x);
Value binary_value(const Env *env, AstOp op, Value a, Value b, const Ast *x);
Value negated(const Env *env, Value v, Span at);
Value transpose_value(const Env *env, Value v, Span at);
Value dot_value(const Env *env, Value a, Value b, Span at);
Value norm_value(const Env *env, Value v, Span at);
Value index_value(const Env *env, Value v, AstList idx, Span at); // v[i, j] of something without storage
// --- elab_slice.c: x[1:2], A[i, 1:3]
typedef Value SliceElement(const Env *env, AstList index, Span at, void *ctx);   // the element of these indices
bool  is_slice(AstList index);
Value slice_value(const Env *env, AstList index, Span at, SliceElement *element, void *ctx);
// --- elab_space.c: cross, rotation, identity
bool  is_space_function(const char *name);
Value space_call(const Env *env, const Ast *x);
// elab_space.c: turned(y, x), the angle of a point that goes on over +-pi
Value turned_call(const Env *env, const Ast *x);
// --- elab_pick.c: the same with loop indices
Value picked_value(const Env *env, const Value *v, MExpr *const *index, Span at);

// --- elab_args.c, read_table.c: functions by points, delays ---
Value elab_table(const Env *env, const Ast *x);
Value elab_delay(const Env *env, const Ast *x);
// The column `column` of a file of comma-separated numbers, over its first one. 0: bad, reported.
int   read_table(const Env *env, const Ast *file, const Ast *column, double **x, double **y);
// --- elab_call.c: functions ---
Value elab_call(const Env *env, const Ast *x);
// elab_expr.c: given(x), true where the instance has an argument for its formal x
Value given_call(const Env *env, const Ast *x);
// --- elab_args.c: arity and units of built-in functions ---
bool  arity_ok(const Env *env, const Ast *x, int want);
Value builtin_call(const Env *env, MOp op, const Ast *x);
const Ast *named_arg(AstList list, const char *name);           // the ARG of that name, or NULL
bool  find_builtin(const char *name, MOp *out);
void  unknown_function(const Env *env, const Ast *x);

static inline bool is_node_formal(const Ast *formal) { return formal->unit && !strcmp(formal->unit, "node"); }

// --- elab_set.c: values of the command line ---
void  find_sets(Symbol *y);                                    // fills y->set
Value set_value(const Symbol *y, Value v);                      // v, the value of a parameter that is not stored
void  check_sets(const Symbol *y);                             // of a stored parameter: do the elements exist?
Value set_stored(const Symbol *y, const Place *p, Value v);     // v, a reference to a stored one from place p
void  classify_sets(Elab *e);                                  // fills Override.use

// --- elab_events.c: every, when, after all other statements
void elab_events(Elab *e);

// --- elab_circuit.c: algebraic unknowns, nodes, flows
void  hold_node(Env env, const Ast *decl);            // node gnd = 0;
void  elab_flow(Env env, const Ast *x);
bool  algebraic_equation(Env env, const Ast *x, const Value *a, const Value *b);   // false: it has no such unknown
void  elab_circuits(Elab *e);                         // after all statements: free rows

// --- elab_items.c, elab_force.c, elab_energy.c, elab_relation.c, elab_sgn.c, elab_contact.c, elab_experiment.c,
// elab_check.c ---
void elab_items(Env env, AstList items);
void elab_energy(Env env, const Ast *x);
void elab_relation(Env env, const Ast *x);
void elab_contact(Env env, const Ast *x);
void elab_constraint(Env env, const Ast *x);
void elab_force(Env env, const Ast *x);
void elab_draw(Env env, const Ast *x);              // elab_draw.c

// --- elab_ask.c: fit { ... }, analyse { ... } ---
void elab_ask(Env env, const Ast *x);
void ask_parameters(Elab *e, const Ast *block);       // parameters of parts that the block asks for, into e->sets

// --- elab_plot.c: plot "name": a, b vs c; ---
void elab_plot(Env env, const Ast *x);
bool has_column_name(const Ast *x);                           // x, x', k[2], bead[1].z, bead.z
const Symbol *symbol_named(const Env *env, const Ast *x);     // of x, x', x[2]; NULL
const char *not_a_column(const Env *env, const Ast *x);       // "an expression", "a `var`", ...; NULL: it may be
bool column_is_known(const Env *env, const Ast *x);           // false: reported
bool row_force(Symbol *y);
// --- law_words.c ---
void unknown_law(const Env *env, const Ast *law);              // reports it
bool known_law(const Ast *law);
bool is_law(const Ast *law, const char *name);
bool law_names_fit(const Env *env, const Ast *law);              // newton(e = 0.5), in the order of the law
bool law_arguments(const Env *env, const Ast *law, int least, int most);        // and how many
Unit force_along(Unit y);                                      // of the force on what is measured in y
Unit impulse_along(Unit y, bool velocities);                    // of its impulse; velocities: y is a rate
bool is_friction(const Ast *law);
bool is_rolling(const Ast *x);    // of a contact: some law is rolling(mu, mu_r)
bool is_slip_in_space(const Ast *x);   // of three directions of slip: no spin, the law is coulomb(mu)
bool has_friction(const Ast *x);  // of a contact or constraint: some law is one of friction
unsigned asserted_class(const Ast *law);                       // 0: not one of those names
// --- elab_contact.c, elab_friction.c ---
MExpr *coefficient(const Env *env, const Ast *x, Unit unit, const char *what);   // a constant; NULL: bad, reported
bool count_slips(const Env *env, Symbol *y);   // fills y->nslip and y->slip; false: bad, reported
const char *slip_part(int k, int n, bool rolls, bool in_space);  // what the force against slip k of n is called
void friction_rows(Symbol *y, const MVar *like);               // the variables of its forces
bool elab_friction(const Env *env, const Ast *x, const Symbol *row, MFriction *f);
// --- elab_family.c ---
// pair[i]: the indices written are the loops around it
bool own_indices(const Env *env, const Ast *x, const char *what);
const char *family_name(const Env *env, const char *name);     // "pair[%]" for the loops of the item
void family_bounds(MVar *v, const MContext *ctx);               // the first indices run over the loops around it
const char *index_marks(Arena *a, int n);                      // "", "[%]", "[%,%]", ...
void elab_simulate(Env env, const Ast *x);
void elab_expect(Env env, const Ast *x);
const char *statistic_name(int i);                             // 0, 1, ...; NULL after the last
Value elab_statistic(const Env *env, const Ast *x, bool *is_one);   // elab_statistic.c
void not_supported(const Env *env, DiagCode code, Span at, const char *what, const char *help);
void touch_statements(Elab *e);                                // elab_touch.c
void check_model(Elab *e);
void note_angle(const Env *env, const Value *v);               // the argument of sin, cos or tan (W0828)
// sgn: v in a + b*sgn(s). a.at NULL: 0; b.at NULL: 1. False: no (usable) sgn, reported.
typedef struct Relay { bool has_a, has_b, negative; Value a, b, s; } Relay;
bool relay_form(const Env *env, const Ast *x, Relay *out);
bool has_sgn(const Ast *x);
