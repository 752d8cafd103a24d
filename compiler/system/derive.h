// Parts of the derivation; the whole is derive_system (system.h).
#pragma once
#include "lower.h"
#include "names.h"
#include "slots.h"

typedef struct Deriver {
  Arena *arena; System *sys; DiagBag *bag; int cap;
  bool *moving_lambda;                  // [nvar] classify.c
  bool stay_rows;                       // see derive_system
} Deriver;

SysClass *derive_new_class(Deriver *d, ClassKind kind, const char *label, Span span, const MContext *ctx);
void derive_algebraic(Deriver *d);      // solve_algebraic.c: unknowns that are replaced; before all statements
void derive_energies(Deriver *d);       // derive_energy.c: M, forces, K_t, C_t
void derive_forces(Deriver *d);
void derive_equations(Deriver *d);      // derive_first_order.c: M, A, B, K
void derive_relations(Deriver *d);      // derive_rows.c: C, D
void derive_contacts(Deriver *d);       // H, dg/dt
void derive_constraints(Deriver *d);
void derive_bodies(Deriver *d);         // derive_bodies.c: bodies with shapes, contacts between them
void derive_events(Deriver *d);         // every, when
void derive_rest(Deriver *d);           // outputs, initial values, assertions, claims

// Shared: derivatives of f and g of a smooth class whose rows, slots, f, g are set.
void derive_smooth_jacobians(Deriver *d, SysClass *c);
// All expressions of a class (for guards and stages); in the arena.
int class_expressions(Arena *a, const SysClass *c, Ex **out);

// One row `target` with right-hand side F, split into f and g = the part with multipliers.
void derive_right_hand_side(Deriver *d, SysClass *c, int target_symbol, Ex F);

void derive_cover(Deriver *d);          // cover.c: every state has one equation, every multiplier one relation
void classify(Deriver *d);              // classify.c: inferred classes, asserted ones checked
void relative_degrees(Deriver *d);      // reldeg.c: relative degree, levels, E0420
