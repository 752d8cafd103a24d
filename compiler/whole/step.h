// What the kinds of whole steps share: the kernel under construction, its parameters and constants.
#pragma once
#include "written.h"

enum { NAMED = 24 };                    // bytes of a name

typedef struct Step {
  Written *w; KBuilder *b; Arena *arena;
  KValue s, c, k, n, rows;              // parameters
  KValue scalar[WHOLE_SCALARS], *constant; int nconstant;   // loaded; K_NONE
  KValue *value[ROLE_H + 1][MOMENTS];   // [kind][moment][index]: what variables are in the expressions to come
  KValue t, t0, h;
  int names;                            // of conditions
  const char *suffix;                   // of names, where a part is written more than once
  KValue *local;                        // [most locals]
} Step;

Step step_open(Arena *a, Written *w, const char *about);
const Whole *step_drop(Step *p);                                   // NULL: nothing comes of it
// Every constant that the roots read is loaded, once, before the loop.
void step_constants(Step *p, const Ex *root, int n);
KValue step_scalar(Step *p, int which);                            // start, step, ...: loaded on first use
KValue step_leaf(KBuilder *b, int symbol, void *step);
void step_values(Step *p, const Ex *root, int n, KValue *value);   // NULL-free: EX_NONE gives K_NONE
KValue step_add(Step *p, KValue x, KValue y);                      // K_NONE: nothing yet
KValue step_sub(Step *p, KValue x, KValue y);
KValue step_mul(Step *p, KValue x, KValue y);
KValue step_abs(Step *p, KValue x);
const char *step_name(Step *p, const char *what, int i);           // "q1_3"
Ex step_local(Step *p, KValue v);                                  // a symbol for it
KValue *step_variables(Step *p, const char *name, int n, int at);  // that begin as s[at ...]
KValue *step_gotten(Step *p, const char *name, int n, const KValue *variable);     // what they are now
void step_use(Step *p, Moment m, const KValue *q, const KValue *z);         // q and z of the expressions to come
KValue step_time(Step *p, KValue i, double add);                   // t of step k + i + add
// value: roots; then *rest: what `more` reads, with what roots have computed in place of its expressions.
void step_values_shared(Step *p, const Ex *root, int n, KValue *value, const Ex *more, int nmore, Ex *rest);
KValue step_both(Step *p, KValue x, KValue y);                     // conditions, K_NONE: none yet
KValue step_either(Step *p, KValue x, KValue y);
// Is a contact open at the begin of a step: reach < gap + (h/2) rate? Where events are located, and throughout the
// steps on either side, too: reach < gap - h |rate|. The cubic through gaps and rates at both ends (Hermite) is then
// positive,
//
//   H_0 g_0 + h u_0 H_2 > h |u_0| (1 - x)^2 (1 + 2 x - x) > 0,  x in [0, 1],  and so from the other end            (1)
KValue step_open_for_sure(Step *p, KValue reach, KValue gap, KValue rate, KValue near);
// Contacts at the begin of a step: x, where they are closed, and is each open for sure? Of those that can be struck the
// numbers among them. `hit` := the sum of 2^k over those that are closed for sure and held by nothing, the others open.
// Where one may be closed otherwise, or `hit` is more than `most`, the loop over the steps ends.
typedef struct Strikes { int n, most; const int *number; KValue hit; } Strikes;
void step_struck(Step *p, int n, const KValue *x, const KValue *sure, const KValue *reach, const Strikes *can);
void step_store(Step *p, int at, int n, const KValue *variable);   // s[at ...] := variables
void step_record(Step *p, KValue i, const KValue *q, const KValue *z);       // what they are behind step i of the call
Whole *step_close(Step *p, WholeKind kind, KValue done);           // returns done; what the runtime compares

// here: with the rows that always act; NULL where they do not fit
const Whole *whole_linear(Arena *a, Written *w, bool here);
const Whole *whole_two_point(Arena *a, Written *w);
const Whole *whole_piece(Arena *a, Written *w);
