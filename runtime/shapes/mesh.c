// Files of meshes: reading the bytes, judging the surface, the hull of a mesh.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/shapes/mass.h"
#include "runtime/shapes/mesh_file.h"

static void leave_out_lines(nsm_mesh *mesh) {
  int kept = 0;
  for (int t = 0; t < mesh->triangles; t++) {
    const int *c = mesh->corner + 3 * t;
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    memmove(mesh->corner + 3 * kept, c, 3 * sizeof *c);
    mesh->line[kept++] = mesh->line[t];
  }
  mesh->triangles = kept;
}

// Pipes and devices, which may never begin or end, are refused unread. NULL: with the reason.
static FILE *open_ordinary(const char *path, nsm_mesh_fault *fault) {
  struct stat st;
  const char *why = NULL;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) why = strerror(EISDIR);
  else if (fd >= 0 && !S_ISREG(st.st_mode)) why = "this is a pipe or a device, not an ordinary file";
  FILE *file = fd >= 0 && !why ? fdopen(fd, "rb") : NULL;
  if (file) return file;
  nsm_mesh_fails(fault, NSM_MESH_UNREADABLE, 0, "%s", why ? why : strerror(errno));
  if (fd >= 0) close(fd);
  return NULL;
}

// The whole file with a NUL behind it.
static char *bytes_of(const char *path, size_t *length, nsm_mesh_fault *fault) {
  FILE *file = open_ordinary(path, fault);
  char *text = NULL;
  size_t room = 0, got = 1;
  *length = 0;
  if (!file) return NULL;
  while (got > 0) {
    if (*length + 1 >= room) {
      room = room ? 2 * room : 65536;
      char *more = realloc(text, room);
      if (!more) { free(text); fclose(file); nsm_mesh_no_memory(fault); return NULL; }
      text = more;
    }
    got = fread(text + *length, 1, room - *length - 1, file);
    *length += got;
  }
  if (ferror(file)) {
    nsm_mesh_fails(fault, NSM_MESH_UNREADABLE, 0, "%s", strerror(errno));
    fclose(file);
    free(text);
    return NULL;
  }
  fclose(file);
  text[*length] = '\0';
  return text;
}

nsm_mesh *nsm_mesh_read(const char *path, nsm_mesh_fault *fault) {
  *fault = (nsm_mesh_fault){ .error = NSM_MESH_FINE };
  const char *dot = strrchr(path, '.');
  int obj = dot && strcasecmp(dot, ".obj") == 0, stl = dot && strcasecmp(dot, ".stl") == 0;
  if (!obj && !stl) {
    nsm_mesh_fails(fault, NSM_MESH_UNKNOWN, 0, "its name ends neither in .obj nor in .stl");
    return NULL;
  }
  size_t length;
  char *text = bytes_of(path, &length, fault);
  if (!text) return NULL;
  nsm_mesh_maker m = { calloc(1, sizeof(nsm_mesh)), 0, 0, fault };
  int fine = m.mesh ? (obj ? nsm_mesh_read_obj(&m, text) : nsm_mesh_read_stl(&m, text, length))
                    : nsm_mesh_no_memory(fault);
  free(text);
  if (fine && m.mesh->points == 0) fine = nsm_mesh_fails(fault, NSM_MESH_EMPTY, 0, "the file has no points");
  if (!fine) { nsm_mesh_free(m.mesh); return NULL; }
  leave_out_lines(m.mesh);
  return m.mesh;
}

void nsm_mesh_free(nsm_mesh *mesh) {
  if (!mesh) return;
  free(mesh->point);
  free(mesh->corner);
  free(mesh->line);
  free(mesh);
}

// An edge of triangle t from low to high; `back` where the triangle runs from high to low.
typedef struct { int low, high, triangle, back; } edge;

static int by_ends(const void *left, const void *right) {
  const edge *l = left, *r = right;
  if (l->low != r->low) return l->low < r->low ? -1 : 1;
  if (l->high != r->high) return l->high < r->high ? -1 : 1;
  return l->triangle - r->triangle;
}

// The run of edges between the same points: what is wrong with it.
static int verify_edge(const nsm_mesh *mesh, const edge *run, int count, nsm_mesh_fault *fault) {
  const double *a = mesh->point + 3 * run->low, *b = mesh->point + 3 * run->high;
  int line = mesh->line[run[count - 1].triangle];
  char where[120];
  snprintf(where, sizeof where, "the edge from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)", a[0], a[1], a[2], b[0], b[1],
           b[2]);
  if (count == 1) return nsm_mesh_fails(fault, NSM_MESH_OPEN, line, "%s bounds one triangle only", where);
  if (count > 2) return nsm_mesh_fails(fault, NSM_MESH_NOT_MANIFOLD, line, "%s bounds %d triangles", where, count);
  if (run[0].back == run[1].back)
    return nsm_mesh_fails(fault, NSM_MESH_DISAGREES, line, "the triangles at %s disagree on the outside", where);
  return 1;
}

int nsm_mesh_check(const nsm_mesh *mesh, nsm_mesh_fault *fault) {
  *fault = (nsm_mesh_fault){ .error = NSM_MESH_FINE };
  if (mesh->triangles == 0) return 1;
  size_t edges = 3 * (size_t)mesh->triangles;
  edge *all = malloc(edges * sizeof *all);
  if (!all) return nsm_mesh_no_memory(fault);
  for (int t = 0; t < mesh->triangles; t++)
    for (int k = 0; k < 3; k++) {
      int a = mesh->corner[3 * t + k], b = mesh->corner[3 * t + (k + 1) % 3];
      all[3 * t + k] = (edge){ a < b ? a : b, a < b ? b : a, t, a > b };
    }
  qsort(all, edges, sizeof *all, by_ends);
  int fine = 1;
  for (size_t i = 0, next; fine && i < edges; i = next) {
    for (next = i + 1; next < edges && all[next].low == all[i].low && all[next].high == all[i].high; ) next++;
    fine = verify_edge(mesh, all + i, (int)(next - i), fault);
  }
  free(all);
  if (!fine) return 0;
  nsm_mass mass;
  nsm_mass_of_triangles(mesh->point, mesh->triangles, mesh->corner, &mass);
  if (mass.volume < 0)
    return nsm_mesh_fails(fault, NSM_MESH_INSIDE_OUT, 0, "the mesh is inside out: its volume is %.6g", mass.volume);
  return 1;
}

nsm_hull *nsm_mesh_hull(const nsm_mesh *mesh, int *convex, nsm_hull_error *error) {
  nsm_hull *hull = nsm_hull_of_points(mesh->points, mesh->point, mesh->single ? NSM_FLAT_SINGLE : NSM_FLAT, error);
  *convex = 1;
  if (!hull || mesh->triangles == 0) return hull;
  nsm_shape shape = { .kind = NSM_CONVEX, .turn = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, .hull = hull };
  nsm_mass own, all;
  nsm_mass_of_triangles(mesh->point, mesh->triangles, mesh->corner, &own);
  *convex = nsm_mass_of(&shape, 1, &all) == NSM_MASS_FOUND && fabs(own.volume - all.volume) <= 1e-6 * all.volume;
  return hull;
}
