// Meshes of triangles from .obj and .stl files.
#ifndef NSM_SHAPES_MESH_H
#define NSM_SHAPES_MESH_H

#include "runtime/shapes/hull.h"

typedef struct {
  int points, triangles;
  double *point;    // 3 a point, in the file's unit
  int *corner;      // 3 a triangle, counter-clockwise seen from outside
  int *line;        // of each triangle: where it stands in the file; of a binary .stl its number from 1
  int single;       // coordinates of single precision (binary .stl)
} nsm_mesh;

typedef enum {
  NSM_MESH_FINE,
  NSM_MESH_UNREADABLE,    // missing, a folder, no memory
  NSM_MESH_UNKNOWN,       // neither .obj nor .stl
  NSM_MESH_MALFORMED,     // a line that cannot be read, a file cut short
  NSM_MESH_EMPTY,         // no points
  NSM_MESH_NO_NUMBER,     // a coordinate is not finite
  NSM_MESH_OPEN,          // an edge with one triangle
  NSM_MESH_NOT_MANIFOLD,  // an edge with more than two
  NSM_MESH_DISAGREES,     // two neighbours take different sides for the outside
  NSM_MESH_INSIDE_OUT     // closed, but of negative volume
} nsm_mesh_error;

// What is wrong, for a message: `line` of the file, 0 where it is not about one; text without file name and line.
typedef struct { nsm_mesh_error error; int line; char text[200]; } nsm_mesh_fault;

// Reads a file, by its name's ending. Points that are equal are one; triangles with two equal corners are
// left out; faces of an .obj with more corners are fans. NULL with *fault. For nsm_mesh_free.
nsm_mesh *nsm_mesh_read(const char *path, nsm_mesh_fault *fault);
void nsm_mesh_free(nsm_mesh *mesh);

// Is the mesh the surface of a solid: closed, each edge in two triangles that run along it both ways, volume above 0?
// 1, or 0 with *fault. An .obj of points alone has nothing to check.
int nsm_mesh_check(const nsm_mesh *mesh, nsm_mesh_fault *fault);

// The hull of the points, and in *convex whether the mesh fills it (volumes equal to 1e-6; 1 for points alone).
nsm_hull *nsm_mesh_hull(const nsm_mesh *mesh, int *convex, nsm_hull_error *error);

#endif
