// Derivatives along the motion of bodies. The attitude p of a body is moved by its turn, p' = 1/2 G(p) spin (docs/
// numerics/bodies.md (1)): an expression of p has derivatives along the three turns, quasi-coordinates that stand in no
// expression themselves. Whoever asks how something changes with a coordinate asks here.
#pragma once
#include "system.h"

bool   is_turn(const System *s, const Slot *t);
bool   is_position(const System *s, int symbol);       // a VALUE of an attitude
bool   is_memory(const System *s, int symbol);         // a VALUE that turned(y, x) remembers: one for the whole step
bool   reads_positions(const SysClass *c);
bool   reads_turns(const System *s, const SysClass *c);  // some slot is a turn
// The symbols of the four numbers of the attitude that the turn of slot t moves, at the moment of `kind` (SYM_VALUE,
// SYM_VALUE0).
void   attitude_of(const System *s, const Slot *t, SymKind kind, int *symbol);
int    turn_number(const System *s, const Slot *t);     // 0, 1, 2: which of the three turns of its body
int    turn_symbol(const System *s, const Slot *t, int i, SymKind kind);   // another turn of the same body
Ex     half_g(Pool *p, const Ex *attitude, int row, int column);           // 1/2 G(p)
Ex     attitude_rate(const System *s, int symbol);      // p' of one number of an attitude: 1/2 G(p) spin
// d e/d(turn i) of what has the derivatives by_p with respect to the attitude p: 1/2 G(p)^T by_p
Ex     turned(Pool *p, const Ex *attitude, const Ex *by_p, int i);
// d e/dq along slot t: of a coordinate the partial derivative. Slots of kind SLOT_Q or SLOT_X.
Ex     diff_along(const System *s, Ex e, const Slot *t);
// out[k] = d e/dq along each slot k of c (0 for multipliers and attitudes): by reverse accumulation where e is large.
void   gradient_along(Arena *a, const System *s, const SysClass *c, Ex e, Ex *out);
