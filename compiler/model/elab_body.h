// Bodies: body b { mass = ..., inertia = ..., position = ..., ... } and what they bring (docs/language.md, section 9).
#pragma once
#include "elab_shape.h"

// What a body in braces is made of; the names that it brings are symbols of its scope.
typedef struct Body {
  bool   planar, fixed, driven;
  int    turn, attitude;                // variables of a moving body in space; -1
  MExpr *mass, *J[9];                   // J: inertia about the centre in body axes; planar: J[0]. Of moving ones
  MExpr *r[3], *v[3];                   // position and velocity of the centre
  MExpr *start[3], *start_v[3], *start_q[4], *start_spin[3];   // at the start; planar: q[0] the angle, spin[0] its rate
  int    place, angle;                  // variables of r, and of the angle in the plane; -1
  Shapes shapes;                        // n = 0: none
  MExpr *omega[3];                      // in world axes; planar: omega[0]
  MExpr *R[9];                          // the rotation from body axes to the world's, of planar ones too
  int    solid;                         // number in Model.solid; -1
} Body;

void  bodies_by_themselves(Elab *e);                      // elab_looks.c
bool  body_force(Symbol *y);                              // of an AST_BODY
void  body_items(Symbol *y);                              // its energies and initial values
Value initial_call(const Env *env, const Ast *x);         // initial(x)
Symbol *ground_symbol(Elab *e, bool planar);              // predeclared, fixed
MExpr *attitude_derivative(Elab *e, const MExpr *q);      // q' of b.q[k]: 1/2 G(q) spin
