// A shape's core, what is left without its rounding: a point, a segment, a polyhedron; and the common frame of a pair.
#ifndef NSM_SHAPES_CORE_H
#define NSM_SHAPES_CORE_H
#include "feature.h"

// Cosine from which a face faces a direction; sine below which edges are not taken as crossing: there corners on faces
// or on edges say the same.
#define NSM_FACING 0.1
#define NSM_NEAR_PARALLEL 1e-3
// Of the size: a foot this far out is still in the face; edges cross where they do so this far within.
#define NSM_ON_BORDER 1e-6

typedef struct {
  int corners, edges, faces;
  const double *corner, *normal, *level;
  const int *edge_corner, *edge_face, *face_from, *face_corner; // as in nsm_hull
  double rounding;
  const double *half;    // a box's half edges, else NULL
  double size;           // a length of its extent about the origin of its axes
  double own_corner[24], own_level[6]; // a box's, a capsule's
} nsm_core;

// Shapes A and B in A's axes: x_A = t + R x_B. `world`, `origin`: x_world = origin + world x_A.
typedef struct {
  const nsm_shape *A, *B;
  nsm_core a, b;         // empty for cylinders and half-spaces
  double R[9], t[3], world[9], origin[3];
  double scale;          // the larger size: round-off of the distance is a few times 1e-16 of it
} nsm_core_pair;

void nsm_core_make(const nsm_shape *shape, nsm_core *core);
void nsm_core_pair_make(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                        nsm_core_pair *pair);

// Corner that is farthest along n (in the core's axes), and how far.
int nsm_core_support(const nsm_core *core, const double n[3], double *far);

// Does a corner look along -n (in the core's axes)? Not where an edge leads from it along -n by more than 30 degrees:
// its other end comes first.
int nsm_corner_faces(const nsm_core *core, int corner, const double n[3]);

// Does an edge lie at a face that looks along n by more than NSM_FACING? A segment's does.
int nsm_edge_faces(const nsm_core *core, int edge, const double n[3]);

// Is the foot of x in the face's polygon, up to `border` [m] outside?
int nsm_in_face(const nsm_core *core, int face, const double x[3], double border);

// The form of a core's corner, edge or face in the core's axes. Returns 0 where there is none.
int nsm_core_form(const nsm_core *core, nsm_feature_kind kind, int i, nsm_form *form);

#endif
