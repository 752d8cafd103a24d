// A mesh that grows, faults, and points that are equal.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/shapes/mesh_file.h"

enum { MOST = 1 << 28 };   // points, triangles

int nsm_mesh_fails(nsm_mesh_fault *fault, nsm_mesh_error error, int line, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fault->error = error;
  fault->line = line;
  vsnprintf(fault->text, sizeof fault->text, format, args);
  va_end(args);
  return 0;
}

int nsm_mesh_no_memory(nsm_mesh_fault *fault) { return nsm_mesh_fails(fault, NSM_MESH_UNREADABLE, 0, "memory is out"); }

int nsm_mesh_add_point(nsm_mesh_maker *m, const double x[3], int line) {
  nsm_mesh *mesh = m->mesh;
  for (int k = 0; k < 3; k++)
    if (!isfinite(x[k])) return nsm_mesh_fails(m->fault, NSM_MESH_NO_NUMBER, line, "a coordinate is not finite");
  if (mesh->points == m->point_room) {
    int room = m->point_room ? 2 * m->point_room : 256;
    double *more = room <= MOST ? realloc(mesh->point, 3 * (size_t)room * sizeof *more) : NULL;
    if (!more) return nsm_mesh_no_memory(m->fault);
    mesh->point = more;
    m->point_room = room;
  }
  for (int k = 0; k < 3; k++) mesh->point[3 * mesh->points + k] = x[k] + 0.0;   // no -0: equal points are equal bytes
  mesh->points++;
  return 1;
}

int nsm_mesh_add_triangle(nsm_mesh_maker *m, int a, int b, int c, int line) {
  nsm_mesh *mesh = m->mesh;
  if (mesh->triangles == m->triangle_room) {
    int room = m->triangle_room ? 2 * m->triangle_room : 256;
    int *more = room <= MOST ? realloc(mesh->corner, 3 * (size_t)room * sizeof *more) : NULL;
    if (!more) return nsm_mesh_no_memory(m->fault);
    mesh->corner = more;
    more = realloc(mesh->line, (size_t)room * sizeof *more);
    if (!more) return nsm_mesh_no_memory(m->fault);
    mesh->line = more;
    m->triangle_room = room;
  }
  int *corner = mesh->corner + 3 * mesh->triangles;
  corner[0] = a;
  corner[1] = b;
  corner[2] = c;
  mesh->line[mesh->triangles++] = line;
  return 1;
}

typedef struct { double x[3]; int number; } numbered;

static int by_place(const void *left, const void *right) {
  const numbered *l = left, *r = right;
  for (int k = 0; k < 3; k++) if (l->x[k] != r->x[k]) return l->x[k] < r->x[k] ? -1 : 1;
  return l->number - r->number;
}

int nsm_mesh_join_points(nsm_mesh_maker *m) {
  nsm_mesh *mesh = m->mesh;
  numbered *all = malloc(((size_t)mesh->points + 1) * sizeof *all);
  int *joined = malloc(((size_t)mesh->points + 1) * sizeof *joined), kept = 0;
  if (!all || !joined) { free(all); free(joined); return nsm_mesh_no_memory(m->fault); }
  for (int i = 0; i < mesh->points; i++) {
    memcpy(all[i].x, mesh->point + 3 * i, sizeof all[i].x);
    all[i].number = i;
  }
  qsort(all, (size_t)mesh->points, sizeof *all, by_place);
  for (int i = 0, first = 0; i < mesh->points; i++) {
    if (memcmp(all[i].x, all[first].x, sizeof all[i].x) != 0) first = i;
    joined[all[i].number] = all[first].number;   // of equal ones the earliest
  }
  for (int i = 0; i < mesh->points; i++) {
    if (joined[i] == i) {
      memmove(mesh->point + 3 * kept, mesh->point + 3 * i, 3 * sizeof(double));
      joined[i] = kept++;
    } else {
      joined[i] = joined[joined[i]];
    }
  }
  mesh->points = kept;
  for (int i = 0; i < 3 * mesh->triangles; i++) mesh->corner[i] = joined[mesh->corner[i]];
  free(all);
  free(joined);
  return 1;
}
