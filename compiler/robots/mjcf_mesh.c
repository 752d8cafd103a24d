// Meshes of MJCF: of the corners of `vertex`, or of a file, times `scale` (robot_mesh.h).
#include <stdlib.h>
#include <string.h>
#include "../../runtime/shapes/hull.h"
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

static const char *path_of(Mjcf *m, const char *file) {
  const char *folder = NULL;
  for (const XmlNode *n = xml_child(m->root, "compiler"); n; n = xml_next(n, "compiler"))
    if (xml_text(n, "meshdir") || xml_text(n, "assetdir"))
      folder = xml_text(n, xml_text(n, "meshdir") ? "meshdir" : "assetdir");
  return robot_mesh_path(m->a, m->file, folder && *file != '/' ? arena_printf(m->a, "%s/%s", folder, file) : file);
}

static bool of_corners(Mjcf *m, const XmlNode *n, const char *text, const double scale[3], RobotMesh *to) {
  Vec(double) x = { 0 };
  char *rest;
  for (double value; (value = strtod(text, &rest), rest > text); text = rest) {
    double by = scale[x.n % 3];
    vec_push(&x, value * by);
  }
  bool good = x.n % 3 == 0;
  if (!good) xml_wrong(m->a, m->wrong, n->at, "`vertex` of `mesh` has three numbers for each corner");
  else if (!robot_mesh_points(m->a, to, (int)(x.n / 3), x.at, NSM_FLAT))
    robot_left_out(&m->text, n, "meshes without a volume");
  vec_free(&x);
  return good;
}

bool mjcf_mesh(Mjcf *m, const MjGeom *g, RobotMesh *to) {
  const XmlNode *of = mesh_named(m, mjcf_text(m, g->node, "geom", "mesh", g->class));
  const char *file = of ? xml_text(of, "file") : NULL, *corners = of ? xml_text(of, "vertex") : NULL;
  double scale[3] = { 1, 1, 1 };
  *to = (RobotMesh){ 0 };
  if (of && mjcf_numbers(m, of, "mesh", "scale", NULL, 3, scale) < 0) return false;
  if (corners) return of_corners(m, of, corners, scale, to);
  const char *path = file ? path_of(m, file) : NULL;
  if (path && robot_mesh_is_read(path)) return robot_mesh_file(&m->text, m->wrong, of, path, scale, to);
  robot_left_out(&m->text, g->node, path ? "meshes that are neither .stl nor .obj" : "geoms whose mesh is not there");
  return true;
}
