// The model: a body for each link with a mass, in the axes of the link; a joint of std/joints.nsm for each joint;
// inputs for the efforts.
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "robot_mesh.h"
#include "urdf.h"

// ---- shapes ---------------------------------------------------------------------------------------------------------
static const char *mesh(Urdf *u, const XmlNode *n) {
  const char *path = xml_text(n, "filename");
  double scale[3] = { 1, 1, 1 };
  RobotMesh of = { 0 };
  if (!path || (xml_text(n, "scale") && !xml_numbers(u->a, n, "scale", 3, scale, u->wrong))) return NULL;
  if (!robot_mesh_is_read(path)) {
    robot_left_out(&u->text, n, "meshes that are neither .stl nor .obj");
    return NULL;
  }
  if (!strncmp(path, "package://", 10)) {
    if (!u->packages) {
      robot_left_out(&u->text, n, "meshes of packages, as --package-path is not given");
      return NULL;
    }
    path = arena_printf(u->a, "%s/%s", u->packages, path + 10);
  } else {
    if (!strncmp(path, "file://", 7)) path += 7;
    path = robot_mesh_path(u->a, u->file, path);
  }
  const SourceFile here = { .path = "" };
  path = path ? robot_mesh_path(u->a, &here, path) : NULL;
  if (path) return robot_mesh_file(&u->text, u->wrong, n, path, scale, &of) ? of.shape : NULL;
  robot_left_out(&u->text, n, "meshes whose file is not there");
  return NULL;
}

static const char *shape(Urdf *u, const XmlNode *n) {
  const XmlNode *g = xml_child(n, "geometry"), *of = g ? g->first : NULL;
  double size[3], R, length;
  if (!of) return NULL;
  if (!strcmp(of->name, "box") && xml_numbers(u->a, of, "size", 3, size, u->wrong))
    return arena_printf(u->a, "box(%s [m])", robot_vector(u->a, size));
  if (!strcmp(of->name, "mesh")) return mesh(u, of);
  if (!xml_numbers(u->a, of, "radius", 1, &R, u->wrong) || !xml_numbers(u->a, of, "length", 1, &length, u->wrong))
    return NULL;
  if (!strcmp(of->name, "sphere")) return arena_printf(u->a, "sphere(%s [m])", robot_number(u->a, R));
  if (!strcmp(of->name, "cylinder") || !strcmp(of->name, "capsule"))
    return arena_printf(u->a, "%s(%s [m], %s [m])", of->name, robot_number(u->a, R), robot_number(u->a, length));
  robot_left_out(&u->text, of, arena_printf(u->a, "shapes `%s`", of->name));
  return NULL;
}

// A shape where it stands in the axes of the link whose origin is moved to the centre of mass.
static const char *shape_at(Urdf *u, const Link *l, const XmlNode *n) {
  const XmlNode *o = xml_child(n, "origin");
  double xyz[3], rpy[3];
  const char *of = shape(u, n);
  if (!of || !xml_numbers(u->a, o, "xyz", 3, xyz, u->wrong) || !xml_numbers(u->a, o, "rpy", 3, rpy, u->wrong))
    return NULL;
  for (int i = 0; i < 3; i++) xyz[i] -= l->com[i];
  Frame f = frame_rpy(xyz, rpy);
  const char *turned = robot_turn(u->a, &f);
  if (turned) return arena_printf(u->a, "%s at(%s [m], %s)", of, robot_vector(u->a, f.r), turned);
  bool central = fabs(xyz[0]) + fabs(xyz[1]) + fabs(xyz[2]) < 1e-14;
  return central ? of : arena_printf(u->a, "%s at(%s [m])", of, robot_vector(u->a, f.r));
}

static const char *shapes(Urdf *u, const Link *l) {
  const char *all = NULL;
  int many = 0;
  for (const XmlNode *n = xml_child(l->node, "collision"); n; n = xml_next(n, "collision")) {
    const char *one = shape_at(u, l, n);
    if (!one) continue;
    all = many++ ? arena_printf(u->a, "%s, %s", all, one) : one;
  }
  if (xml_child(l->node, "visual") && !xml_child(l->node, "collision"))
    robot_left_out(&u->text, xml_child(l->node, "visual"), "shapes that are seen and touch nothing (`visual` alone)");
  return many > 1 ? arena_printf(u->a, "union(%s)", all) : all;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------
static void body(Urdf *u, const Link *l, Text *out) {
  Arena *a = u->a;
  double r[3];
  const char *of = shapes(u, l), *turned = robot_turn(a, &l->at);
  int line = source_line(u->file, l->node->at.lo);
  if (!strcmp(urdf_body(u, l), "ground") || l->mass == 0) {
    if (l->mass == 0 || !of) { text_printf(out, "  // line %d: %s is %s\n", line, l->name, urdf_body(u, l)); return; }
  }
  frame_point(&l->at, l->com, r);
  text_printf(out, "  body %s {  // line %d\n    ", l->own, line);
  if (!strcmp(urdf_body(u, l), "ground")) text_add(out, "fixed");
  else {
    text_printf(out, "mass = %s [kg], inertia = %s [kg*m^2]", robot_number(a, l->mass), robot_inertia(a, l->inertia));
    robot_doubt_inertia(&u->text, l->node, arena_printf(a, "the link `%s`", l->name), l->inertia);
  }
  text_printf(out, ",\n    position = %s [m]", robot_vector(a, r));
  if (turned) text_printf(out, ", attitude = %s", turned);
  if (of) text_printf(out, ",\n    shape = %s", of);
  text_add(out, "\n  }\n");
}

// ---- joints ---------------------------------------------------------------------------------------------------------
typedef struct Kind { const char *part, *place, *rate, *unit, *effort, *damping; } Kind;

static Kind kind_of(const Joint *j) {
  static const Kind hinge = { "Hinge", "angle", "rate", "rad", "N*m", "N*m*s/rad" },
                    slider = { "Slider", "position", "speed", "m", "N", "N*s/m" };
  return strcmp(j->type, "prismatic") ? hinge : slider;
}

// Of an attribute of child `tag` of a joint, 0 where it has none. False: it is no number, or negative.
static bool size_of(Urdf *u, const Joint *j, const char *tag, const char *name, double *x) {
  const XmlNode *n = xml_child(j->node, tag);
  return xml_numbers(u->a, n, name, 1, x, u->wrong) &&
         (*x >= 0 || xml_wrong(u->a, u->wrong, n->at, "`%s` of the joint `%s` is negative", name, j->name));
}

// One end that is not given is 0, where the other is.
static void limits(Urdf *u, const Joint *j, Text *out) {
  const XmlNode *n = xml_child(j->node, "limit");
  double lower, upper;
  bool given = xml_text(n, "lower") || xml_text(n, "upper");
  if (!given || !strcmp(j->type, "continuous")) return;
  if (!xml_numbers(u->a, n, "lower", 1, &lower, u->wrong) || !xml_numbers(u->a, n, "upper", 1, &upper, u->wrong))
    return;
  if (lower > upper)
    xml_wrong(u->a, u->wrong, n->at, "the lower limit of the joint `%s` is above the upper one", j->name);
  text_printf(out, ", lower = %s [%s], upper = %s [%s]", robot_number(u->a, lower), kind_of(j).unit,
              robot_number(u->a, upper), kind_of(j).unit);
}

static const Joint *followed(const Urdf *u, const char *name) {
  for (size_t i = 0; name && i < u->joints.n; i++)
    if (!strcmp(u->joints.at[i]->name, name)) return u->joints.at[i];
  return NULL;
}

// What acts beside the rows: friction, an input for the effort, the joint that this one follows.
static void acts(Urdf *u, const Joint *j, Text *out) {
  const XmlNode *l = xml_child(j->node, "limit"), *m = xml_child(j->node, "mimic");
  const Joint *other = followed(u, xml_text(m, "joint"));
  Kind k = kind_of(j);
  double friction, effort, factor = 1, offset;
  bool good = size_of(u, j, "dynamics", "friction", &friction) && size_of(u, j, "limit", "effort", &effort) &&
              xml_numbers(u->a, m, "offset", 1, &offset, u->wrong) &&
              (!xml_text(m, "multiplier") || xml_numbers(u->a, m, "multiplier", 1, &factor, u->wrong));
  if (!good) return;
  if (friction > 0)
    text_printf(out, "  contact %s_dry { normal_force = %s [%s]; slip = %s.%s; with coulomb(1); }\n", j->own,
                robot_number(u->a, friction), k.effort, j->own, k.rate);
  if (effort > 0)
    text_printf(out, "  input %s_effort : %s = 0;\n  force %s.%s = max(-%s [%s], min(%s [%s], %s_effort));\n", j->own,
                k.effort, j->own, k.place, robot_number(u->a, effort), k.effort, robot_number(u->a, effort), k.effort,
                j->own);
  if (m && (!other || other == j))
    xml_wrong(u->a, u->wrong, m->at, "the joint `%s` follows %s", j->name, other ? "itself" : "one that is not there");
  else if (m)
    text_printf(out, "  constraint %s_follows: %s.%s = %s*%s.%s;\n", j->own, j->own, k.place,
                robot_number(u->a, factor), other->own, kind_of(other).place);
  if (m && offset != 0)
    robot_left_out(&u->text, m, "offsets of `mimic`: joints follow from where they are at the start");
  if (xml_text(l, "velocity")) robot_left_out(&u->text, l, "limits of velocities");
}

static void joint(Urdf *u, const Joint *j, Text *out) {
  const char *A = urdf_body(u, j->parent), *B = urdf_body(u, j->child);
  int line = source_line(u->file, j->node->at.lo);
  const char *at = robot_vector(u->a, j->child->at.r);
  double damping;
  if (!strcmp(j->type, "floating") || !strcmp(A, B)) {
    text_printf(out, "  // line %d: the joint %s leaves %s %s\n", line, j->name, j->child->name,
                strcmp(A, B) ? "free" : "where it is");
    return;
  }
  bool one_way = strcmp(j->type, "fixed") && strcmp(j->type, "planar");
  const char *part = one_way ? kind_of(j).part : !strcmp(j->type, "fixed") ? "Fixed" : "Planar";
  text_printf(out, "  %s %s(A = %s, B = %s, at = %s [m]", part, j->own, A, B, at);
  if (strcmp(j->type, "fixed")) text_printf(out, ", axis = %s", robot_vector(u->a, j->axis));
  if (one_way) {
    limits(u, j, out);
    if (size_of(u, j, "dynamics", "damping", &damping) && damping > 0)
      text_printf(out, ", damping = %s [%s]", robot_number(u->a, damping), kind_of(j).damping);
  }
  text_printf(out, ");  // line %d\n", line);
  if (one_way) acts(u, j, out);
}

// ---- the whole ------------------------------------------------------------------------------------------------------
static void unknown(Urdf *u) {
  static const char *const known[] = { "link", "joint", "material", "transmission", "gazebo" };
  for (const XmlNode *n = u->robot->first; n; n = n->next) {
    size_t i = 0;
    while (i < 3 && strcmp(known[i], n->name) != 0) i++;
    if (i == 3) robot_left_out(&u->text, n, arena_printf(u->a, "`%s`", n->name));
  }
}

static void unread_children(Urdf *u, const XmlNode *n, const char *const *known) {
  for (const XmlNode *x = n->first; x; x = x->next) {
    const char *const *at = known;
    while (*at && strcmp(*at, x->name) != 0) at++;
    if (!*at) robot_left_out(&u->text, x, arena_printf(u->a, "`%s` of a `%s`", x->name, n->name));
  }
}

// Elements and attributes that nobody asked for.
static void unread(Urdf *u) {
  static const char *const of_link[] = { "inertial", "visual", "collision", NULL },
                    *const of_joint[] = { "parent", "child", "origin", "axis", "limit", "dynamics", "mimic", NULL },
                    *const acting[] = { "limit", "dynamics", "mimic" },
                    *const quiet[] = { "name", "version", "xmlns", "type", NULL };
  for (size_t i = 0; i < u->links.n; i++) unread_children(u, u->links.at[i]->node, of_link);
  for (size_t i = 0; i < u->joints.n; i++) {
    const Joint *j = u->joints.at[i];
    bool loose = !strcmp(j->type, "planar") || !strcmp(j->type, "floating");
    unread_children(u, j->node, of_joint);
    for (int k = 0; k < 3 && loose; k++)
      if (xml_child(j->node, acting[k]))
        robot_left_out(&u->text, j->node, arena_printf(u->a, "`%s` of %s joints", acting[k], j->type));
  }
  for (const XmlNode *n = u->robot->first; n; n = n->next)
    if (!strcmp(n->name, "link") || !strcmp(n->name, "joint")) robot_report(&u->text, n, quiet);
}

void urdf_write(Urdf *u, Text *out) {
  Text body_text = { 0 };
  const char *name = xml_text(u->robot, "name");
  for (size_t i = 0; i < u->links.n; i++) u->links.at[i]->own = robot_name(&u->text, u->links.at[i]->name, "_link");
  for (size_t i = 0; i < u->joints.n; i++) u->joints.at[i]->own = robot_name(&u->text, u->joints.at[i]->name, "_joint");
  unknown(u);
  for (size_t i = 0; i < u->links.n; i++) body(u, u->links.at[i], &body_text);
  for (size_t i = 0; i < u->joints.n; i++) joint(u, u->joints.at[i], &body_text);
  const char *own = robot_model_name(&u->text, name);
  unread(u);
  text_printf(out, "// The robot %s, from %s by nsm import.\n", name ? name : "", u->file->path);
  for (size_t i = 0; i < u->text.left.n; i++) text_printf(out, "// Left out: %s.\n", u->text.left.at[i]);
  text_printf(out, "import \"std/joints.nsm\";\nmodel %s {\n  gravity [0, 0, -9.81] [m/s^2];\n", own);
  text_add(out, text_str(&body_text));
  text_add(out, "  simulate { until = 1 [s], step = 1 [ms] }\n}\n");
  text_free(&body_text);
}

bool urdf_import(Arena *a, const SourceFile *f, bool fixed, const char *packages, Text *out, Text *notes,
                 RobotWrong *wrong) {
  Urdf u = { .a = a, .file = f, .fixed = fixed, .packages = packages, .wrong = wrong,
             .text = { .a = a, .notes = notes } };
  *wrong = (RobotWrong){ 0 };
  if (urdf_read(&u)) urdf_write(&u, out);
  vec_free(&u.links);
  vec_free(&u.joints);
  robot_text_free(&u.text);
  return !wrong->what;
}
