// Meshes of robots: as a shape each is its convex hull. Volume, centre and inertia are those of the closed surface of
// the file, else those of the hull.
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "../../runtime/shapes/mass.h"
#include "../../runtime/shapes/mesh.h"
#include "robot_mesh.h"

// Its path from the root, so that the model may stand anywhere; NULL: no such file.
const char *robot_mesh_path(Arena *a, const SourceFile *beside, const char *path) {
  const char *slash = strrchr(beside->path, '/');
  char whole[PATH_MAX];
  if (slash && *path != '/') path = arena_printf(a, "%.*s/%s", (int)(slash - beside->path), beside->path, path);
  return realpath(path, whole) ? arena_strndup(a, whole, strlen(whole)) : NULL;
}

bool robot_mesh_is_read(const char *path) {
  size_t k = strlen(path);
  return k > 4 && (!strcasecmp(path + k - 4, ".stl") || !strcasecmp(path + k - 4, ".obj"));
}

static bool add_mass_of(RobotMesh *to, nsm_hull *hull) {
  nsm_mass mass;
  nsm_shape convex = { .kind = NSM_CONVEX, .hull = hull, .turn = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
  if (nsm_mass_of(&convex, 1, &mass) != NSM_MASS_FOUND) return false;
  to->volume = mass.volume;
  memcpy(to->centre, mass.centre, sizeof to->centre);
  memcpy(to->inertia, mass.inertia, sizeof to->inertia);
  return true;
}

static const char *corners_text(Arena *a, const nsm_hull *hull) {
  const char *all = NULL;
  for (int i = 0; i < hull->corners; i++) {
    const char *x = robot_vector(a, hull->corner + 3 * i);
    all = all ? arena_printf(a, "%s, %s", all, x) : x;
  }
  return arena_printf(a, "convex([%s])", all);
}

bool robot_mesh_points(Arena *a, RobotMesh *to, int n, const double *point, double flat) {
  nsm_hull_error error;
  nsm_hull *hull = nsm_hull_of_points(n, point, flat, &error);
  bool good = hull && add_mass_of(to, hull);
  if (good) to->shape = corners_text(a, hull);
  nsm_hull_free(hull);
  return good;
}

// A closed surface has its own mass; others that of their hull.
bool robot_mesh_file(RobotText *t, RobotWrong *wrong, const XmlNode *n, const char *path, const double scale[3],
                     RobotMesh *to) {
  nsm_mesh_fault fault;
  nsm_mesh *mesh = nsm_mesh_read(path, &fault);
  if (!mesh) {
    return xml_wrong(t->a, wrong, n->at, "%s%s%s", path, fault.line > 0 ? arena_printf(t->a, ":%d: ", fault.line)
                     : ": ", fault.text);
  }
  for (int i = 0; i < 3 * mesh->points; i++) mesh->point[i] *= scale[i % 3];
  if (!robot_mesh_points(t->a, to, mesh->points, mesh->point, mesh->single ? NSM_FLAT_SINGLE : NSM_FLAT))
    robot_left_out(t, n, "meshes without a volume");
  else if (mesh->triangles > 0 && scale[0] * scale[1] * scale[2] > 0 && nsm_mesh_check(mesh, &fault)) {
    nsm_mass mass;
    nsm_mass_of_triangles(mesh->point, mesh->triangles, mesh->corner, &mass);
    to->volume = mass.volume;
    memcpy(to->centre, mass.centre, sizeof to->centre);
    memcpy(to->inertia, mass.inertia, sizeof to->inertia);
  }
  bool plain = scale[0] == 1 && scale[1] == 1 && scale[2] == 1;
  if (plain && to->shape) to->shape = arena_printf(t->a, "convex(\"%s\")", path);
  nsm_mesh_free(mesh);
  return true;
}
