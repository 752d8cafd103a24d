// Shapes of bodies, as they were written and as the model has them; volume, centre and inertia of what they fill.
#pragma once
#include "elab.h"

// A shape with its arguments: sphere(R), union(...), each with at(place, rotation).
typedef struct ShapeTerm {
  const char *name;                    // "sphere"; "union"
  Span span;
  int nvalue; Value value[3];          // arguments that are numbers or vectors, lengths
  double number[3][3];                 // their elements, 1 where these depend on what is not known yet
  const char *path;                    // convex("file.obj")
  int npoint; double *point;           // convex([...]), polygon([...]): dim numbers each, of one member after the other
  int nmember, depth; double *member;  // of a family whose corners differ: depth indices of each member; 1, 0: one
  int dim;
  struct ShapeTerm **part; int nparts; // of a union
  bool placed;
  Value at, turn;                      // of at(...); turn.at NULL: none
} ShapeTerm;

typedef struct Shapes {
  bool planar, endless, has_volume;    // endless: there is a half-space
  int n; MShape *at;
  MExpr *volume, *centre[3], *inertia[9];   // inertia over the mass, about the centre
} Shapes;

bool shape_is_planar(const Ast *x);                         // by its name
bool shapes_of(Elab *e, const ShapeTerm *t, Shapes *out);   // false: bad, reported
void shapes_moved(Elab *e, Shapes *s, MExpr *const *by);    // all places less `by`
int  shape_arguments(const char *name, int *most);          // how many at least; -1: no shape of that name
void shape_unknown(Elab *e, const Ast *x);
