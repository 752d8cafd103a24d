// Meshes of MJCF: of the corners of `vertex`, or of a file, times `scale`. As a shape each is its convex hull, as in
// MuJoCo. Volume, centre and inertia are those of the closed surface of the file, else those of the hull.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "../../runtime/shapes/mass.h"
#include "../../runtime/shapes/mesh.h"
#include "mjcf.h"

static const XmlNode *mesh_named(const Mjcf *m, const char *name) {
  for (const XmlNode *all = xml_child(m->root, "asset"); all && name; all = xml_next(all, "asset"))
    for (const XmlNode *n = xml_child(all, "mesh"); n; n = xml_next(n, "mesh")) {
      const char *own = xml_text(n, "name"), *file = xml_text(n, "file"), *slash = file ? strrchr(file, '/') : NULL;
      const char *stem = slash ? slash + 1 : file;         // its name where it has no other
      if (own ? !strcmp(own, name) : stem && !strncmp(stem, name, strlen(name)) && stem[strlen(name)] == '.') return n;
    }
  return NULL;
}

// Its path from the root, so that the model may stand anywhere; NULL: no such file.
static const char *path_of(Mjcf *m, const char *file) {
  const char *slash = strrchr(m->file->path, '/'), *path = file, *folder = NULL;
  char whole[PATH_MAX];
  for (const XmlNode *n = xml_child(m->root, "compiler"); n; n = xml_next(n, "compiler"))
    if (xml_text(n, "meshdir") || xml_text(n, "assetdir"))
      folder = xml_text(n, xml_text(n, "meshdir") ? "meshdir" : "assetdir");
  if (folder && *file != '/') path = arena_printf(m->a, "%s/%s", folder, file);
  if (slash && *path != '/') path = arena_printf(m->a, "%.*s/%s", (int)(slash - m->file->path), m->file->path, path);
  return realpath(path, whole) ? arena_strndup(m->a, whole, strlen(whole)) : NULL;
}

// ---- what a mesh has ------------------------------------------------------------------------------------------------
static bool add_mass_of(MjMesh *to, nsm_hull *hull) {
  nsm_mass mass;
  nsm_shape convex = { .kind = NSM_CONVEX, .hull = hull, .turn = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
  if (nsm_mass_of(&convex, 1, &mass) != NSM_MASS_FOUND) return false;
  to->volume = mass.volume;
  memcpy(to->centre, mass.centre, sizeof to->centre);
  memcpy(to->inertia, mass.inertia, sizeof to->inertia);
  return true;
}

static const char *corners_text(Mjcf *m, const nsm_hull *hull) {
  const char *all = NULL;
  for (int i = 0; i < hull->corners; i++) {
    const char *x = robot_vector(m->a, hull->corner + 3 * i);
    all = all ? arena_printf(m->a, "%s, %s", all, x) : x;
  }
  return arena_printf(m->a, "convex([%s])", all);
}

static bool from_points(Mjcf *m, MjMesh *to, int n, const double *point, double flat) {
  nsm_hull_error error;
  nsm_hull *hull = nsm_hull_of_points(n, point, flat, &error);
  bool good = hull && add_mass_of(to, hull);
  if (good) to->shape = corners_text(m, hull);
  nsm_hull_free(hull);
  return good;
}

static bool of_corners(Mjcf *m, const XmlNode *n, const char *text, const double scale[3], MjMesh *to) {
  Vec(double) x = { 0 };
  char *rest;
  for (double value; (value = strtod(text, &rest), rest > text); text = rest) {
    double by = scale[x.n % 3];
    vec_push(&x, value * by);
  }
  bool good = x.n % 3 == 0;
  if (!good) xml_wrong(m->a, m->wrong, n->at, "`vertex` of `mesh` has three numbers for each corner");
  else if (!from_points(m, to, (int)(x.n / 3), x.at, NSM_FLAT))
    robot_left_out(&m->text, n, "meshes without a volume");
  vec_free(&x);
  return good;
}

// A closed surface has its own mass; others that of their hull.
static bool of_file(Mjcf *m, const XmlNode *n, const char *path, const double scale[3], MjMesh *to) {
  nsm_mesh_fault fault;
  nsm_mesh *mesh = nsm_mesh_read(path, &fault);
  if (!mesh) {
    return xml_wrong(m->a, m->wrong, n->at, "%s%s%s", path, fault.line > 0 ? arena_printf(m->a, ":%d: ", fault.line)
                     : ": ", fault.text);
  }
  for (int i = 0; i < 3 * mesh->points; i++) mesh->point[i] *= scale[i % 3];
  if (!from_points(m, to, mesh->points, mesh->point, mesh->single ? NSM_FLAT_SINGLE : NSM_FLAT))
    robot_left_out(&m->text, n, "meshes without a volume");
  else if (mesh->triangles > 0 && scale[0] * scale[1] * scale[2] > 0 && nsm_mesh_check(mesh, &fault)) {
    nsm_mass mass;
    nsm_mass_of_triangles(mesh->point, mesh->triangles, mesh->corner, &mass);
    to->volume = mass.volume;
    memcpy(to->centre, mass.centre, sizeof to->centre);
    memcpy(to->inertia, mass.inertia, sizeof to->inertia);
  }
  bool plain = scale[0] == 1 && scale[1] == 1 && scale[2] == 1;
  if (plain && to->shape) to->shape = arena_printf(m->a, "convex(\"%s\")", path);
  nsm_mesh_free(mesh);
  return true;
}

bool mjcf_mesh(Mjcf *m, const MjGeom *g, MjMesh *to) {
  const XmlNode *of = mesh_named(m, mjcf_text(m, g->node, "geom", "mesh", g->class));
  const char *file = of ? xml_text(of, "file") : NULL, *corners = of ? xml_text(of, "vertex") : NULL;
  double scale[3] = { 1, 1, 1 };
  *to = (MjMesh){ 0 };
  if (of && mjcf_numbers(m, of, "mesh", "scale", NULL, 3, scale) < 0) return false;
  if (corners) return of_corners(m, of, corners, scale, to);
  const char *path = file ? path_of(m, file) : NULL;
  size_t k = path ? strlen(path) : 0;
  if (path && k > 4 && (!strcasecmp(path + k - 4, ".stl") || !strcasecmp(path + k - 4, ".obj")))
    return of_file(m, of, path, scale, to);
  robot_left_out(&m->text, g->node, path ? "meshes that are neither .stl nor .obj" : "geoms whose mesh is not there");
  return true;
}
