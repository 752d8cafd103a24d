// What the readers of .obj and .stl share: a mesh that grows, and faults.
#ifndef NSM_SHAPES_MESH_FILE_H
#define NSM_SHAPES_MESH_FILE_H

#include <stddef.h>
#include "runtime/shapes/mesh.h"

typedef struct { nsm_mesh *mesh; int point_room, triangle_room; nsm_mesh_fault *fault; } nsm_mesh_maker;

// 1; or 0 with the fault set.
int nsm_mesh_add_point(nsm_mesh_maker *m, const double x[3], int line);
int nsm_mesh_add_triangle(nsm_mesh_maker *m, int a, int b, int c, int line);
int nsm_mesh_fails(nsm_mesh_fault *fault, nsm_mesh_error error, int line, const char *format, ...)
  __attribute__((format(printf, 4, 5)));   // 0
int nsm_mesh_no_memory(nsm_mesh_fault *fault);   // 0

// Points that are equal become one.
int nsm_mesh_join_points(nsm_mesh_maker *m);

// text ends with a NUL at text[length].
int nsm_mesh_read_obj(nsm_mesh_maker *m, const char *text);
int nsm_mesh_read_stl(nsm_mesh_maker *m, const char *text, size_t length);

#endif
