// What the files of a body share: its entries as they are written, and what is made of them. y: the symbol of the
// body, b: what was found so far. Functions that return false have reported why.
#pragma once
#include "elab_body.h"

// --- expressions, with numbers folded ---

static inline MExpr *number(Elab *e, double x, Span at) { return mx_num(e->a, x, at); }

static inline MExpr *times(Elab *e, MExpr *a, MExpr *b) { return mx_times(e->a, a, b); }
static inline MExpr *plus(Elab *e, MExpr *a, MExpr *b) { return mx_plus(e->a, a, b); }
static inline MExpr *minus(Elab *e, MExpr *a, MExpr *b) { return mx_minus(e->a, a, b); }

static inline MExpr *rate_of(Elab *e, MExpr *x) {
  if (!(x->uses & (MU_VAR | MU_TIME))) return number(e, 0, x->span);
  if (x->kind == MX_VAR) return mx_var(e->a, &e->var.at[x->id], x->id, x->arg, x->nargs, true, x->span);
  return mx_rate(e->a, x, x->span);
}

static inline Unit unit_of(const Elab *e, const char *text) { return e->has_units ? unit_named(text) : UNIT_ANY; }

// --- body_entries.c ---
const Ast *body_entry(const Symbol *y, const char *name);          // its value; NULL: not given
bool body_flag(const Symbol *y, const char *name);
bool body_entries_ok(const Symbol *y);
bool wrong_body_entry(Elab *e, Span at, const char *what, const char *help);        // reports; false
bool body_entry_moves(const Symbol *y, const Body *b, const Value *v, const char *what);   // reports what must not
// n numbers of a unit; 0 where the entry is not given
bool body_vector(const Env *env, const Symbol *y, const Body *b, const char *name, const char *unit, int n,
                 MExpr **out);
bool uses_loop(const MExpr *x, int loop);
bool first_number(const Env *env, const MExpr *x, double *out);    // of the first members of families
// The numbers of each member of the families around, as far as they are known when compiling: v [n], and " of member
// [3]", or "". False: the member is wrong, and was reported; no other one is looked at.
typedef bool (*OnMember)(const Env *env, const double *v, const char *member, Span at, void *ctx);
bool every_member(const Env *env, MExpr *const *x, int n, OnMember see, Span at, void *ctx);

// --- body_turn.c ---
void rotation_matrix(Elab *e, MExpr *const *q, MExpr **R);         // [9]
void spin_of_motion(Elab *e, MExpr *const *q, MExpr **spin);       // [3]

// --- body_mass.c, body_attitude.c, body_shape.c ---
bool body_mass(const Env *env, const Symbol *y, Body *b);          // b->mass
bool body_inertia(const Env *env, const Symbol *y, Body *b);       // b->J
bool body_attitude(const Env *env, const Symbol *y, Body *b, MExpr **q);   // q [4]; planar: [1], the angle
bool is_rotation_matrix(const Env *env, const Value *v);           // of 2 x 2 or 3 x 3; reports; other forms pass
bool body_shapes(const Env *env, const Symbol *y, Body *b);        // b->shapes
int  body_material(const Symbol *y);                               // number of its material
