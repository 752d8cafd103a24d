// The document of MJCF [MuJoCo 2022, "XML reference"]: frames, bodies, joints, geoms and their masses.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "mjcf.h"

static const double pi = 3.14159265358979323846;

// ---- frames ---------------------------------------------------------------------------------------------------------
static double angle_of(const Mjcf *m, double x) { return m->degree ? x * pi / 180 : x; }

// The smallest rotation that takes z to this direction.
static Frame z_to(const double to[3]) {
  double n = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
  const double axis[3] = { -to[1], to[0], 0 };
  if (!(n > 0)) return frame_rest();
  if (to[0] == 0 && to[1] == 0) return frame_about((const double[3]){ 1, 0, 0 }, to[2] < 0 ? pi : 0);
  return frame_about(axis, atan2(sqrt(to[0] * to[0] + to[1] * to[1]), to[2]));
}

static void columns(Frame *f, double x[3], double y[3]) {
  double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), along = 0;
  for (int i = 0; i < 3; i++) x[i] /= n;
  for (int i = 0; i < 3; i++) along += x[i] * y[i];
  for (int i = 0; i < 3; i++) y[i] -= along * x[i];
  n = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
  for (int i = 0; i < 3; i++) {
    f->R[i][0] = x[i];
    f->R[i][1] = y[i] / n;
  }
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    f->R[i][2] = f->R[k][0] * f->R[l][1] - f->R[l][0] * f->R[k][1];
  }
}

static Frame euler(const Mjcf *m, const double x[3]) {
  Frame f = frame_rest();
  for (int i = 0; i < 3; i++) {
    const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    char c = m->eulerseq[i];
    int which = c == 'x' || c == 'X' ? 0 : c == 'y' || c == 'Y' ? 1 : 2;
    Frame one = frame_about(axes[which], angle_of(m, x[i]));
    f = c >= 'a' ? frame_of(&f, &one) : frame_of(&one, &f);          // axes that go with it, or of the parent
  }
  return f;
}

static bool attitude(Mjcf *m, const XmlNode *n, const char *tag, const char *class, Frame *f) {
  double x[6] = { 0 };
  int count;
  Frame turned = frame_rest();
  if ((count = mjcf_numbers(m, n, tag, "quat", class, 4, x)) == 4) {
    double s = sqrt(x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    turned = frame_about(x + 1, 2 * atan2(s, x[0]));
  } else if (count == 0 && (count = mjcf_numbers(m, n, tag, "axisangle", class, 4, x)) == 4)
    turned = frame_about(x, angle_of(m, x[3]));
  else if (count == 0 && (count = mjcf_numbers(m, n, tag, "euler", class, 3, x)) == 3) turned = euler(m, x);
  else if (count == 0 && (count = mjcf_numbers(m, n, tag, "xyaxes", class, 6, x)) == 6) columns(&turned, x, x + 3);
  else if (count == 0 && (count = mjcf_numbers(m, n, tag, "zaxis", class, 3, x)) == 3) turned = z_to(x);
  else if (count > 0) return xml_wrong(m->a, m->wrong, n->at, "the rotation of this `%s` lacks numbers", n->name);
  memcpy(f->R, turned.R, sizeof f->R);
  return count >= 0;
}

// A place or a direction: three numbers, or none.
static bool three(Mjcf *m, const XmlNode *n, const char *tag, const char *name, const char *class, double *to) {
  int count = mjcf_numbers(m, n, tag, name, class, 3, to);
  if (count <= 0 || count == 3) return count >= 0;
  return xml_wrong(m->a, m->wrong, n->at, "`%s` of `%s` has three numbers, and not %d", name, n->name, count);
}

// Where an element is in its body.
static bool frame(Mjcf *m, const XmlNode *n, const char *tag, const char *class, Frame *f) {
  *f = frame_rest();
  return three(m, n, tag, "pos", class, f->r) && attitude(m, n, tag, class, f);
}

// ---- masses ---------------------------------------------------------------------------------------------------------
// Adds a mass with its inertia about its centre of mass, all in axes of the world: Steiner's rule for both.
static void add_mass(MjBody *b, double mass, const double at[3], const double inertia[3][3]) {
  double whole = b->mass + mass, d[3];
  if (!(whole > 0)) return;
  for (int i = 0; i < 3; i++) d[i] = at[i] - b->com[i];
  double reduced = b->mass * mass / whole, square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      b->inertia[i][k] += inertia[i][k] + reduced * ((i == k ? square : 0) - d[i] * d[k]);
  for (int i = 0; i < 3; i++) b->com[i] += d[i] * mass / whole;
  b->mass = whole;
}

// Volume, and principal moments over density.
static double volume(const MjGeom *g, double J[3]) {
  double a = g->size[0], b = g->size[1], c = g->size[2], V = 0, x, y, z;
  switch (g->shape) {
  case MJ_SPHERE:
    V = 4 * pi / 3 * a * a * a;
    x = y = z = 0.4 * a * a;
    break;
  case MJ_BOX:
    V = 8 * a * b * c;
    x = (b * b + c * c) / 3, y = (a * a + c * c) / 3, z = (a * a + b * b) / 3;
    break;
  case MJ_ELLIPSOID:
    V = 4 * pi / 3 * a * b * c;
    x = (b * b + c * c) / 5, y = (a * a + c * c) / 5, z = (a * a + b * b) / 5;
    break;
  case MJ_CYLINDER:
    V = 2 * pi * a * a * b;
    x = y = a * a / 4 + b * b / 3, z = a * a / 2;
    break;
  case MJ_CAPSULE: {                                       // a cylinder and two halves of a ball
    double tube = 2 * pi * a * a * b, ball = 4 * pi / 3 * a * a * a;
    V = tube + ball;
    x = y = (tube * (a * a / 4 + b * b / 3) + ball * (0.4 * a * a + b * b + 0.75 * a * b)) / V;
    z = (tube * a * a / 2 + ball * 0.4 * a * a) / V;
    break;
  }
  default: x = y = z = 0;
  }
  J[0] = V * x, J[1] = V * y, J[2] = V * z;
  return V;
}

// Volume, centre and inertia for density 1, in the axes of the geom.
static bool measures(Mjcf *m, const MjGeom *g, RobotMesh *to) {
  double J[3];
  *to = (RobotMesh){ 0 };
  if (g->shape == MJ_OTHER)
    return xml_wrong(m->a, m->wrong, g->node->at, "the mass of this body follows from a geom of a type that is not "
                     "read: give the body an `inertial`");
  if (g->shape == MJ_MESH) {
    if (!mjcf_mesh(m, g, to)) return false;
    return to->volume > 0 || xml_wrong(m->a, m->wrong, g->node->at, "the mass of this body follows from a mesh, which "
                                       "is not there or has no volume: give the body an `inertial`");
  }
  to->volume = volume(g, J);
  for (int i = 0; i < 3; i++) to->inertia[4 * i] = J[i];
  return true;
}

static bool geom_mass(Mjcf *m, const MjGeom *g, const char *class, MjBody *to) {
  double density = 1000, mass = 0, I[3][3], world[3][3], centre[3];
  RobotMesh of;
  int given = mjcf_numbers(m, g->node, "geom", "mass", class, 1, &mass);
  if (given < 0 || mjcf_numbers(m, g->node, "geom", "density", class, 1, &density) < 0) return false;
  if ((given > 0 ? mass : density) == 0) return true;
  if (!measures(m, g, &of)) return false;
  if (given > 0) density = of.volume > 0 ? mass / of.volume : 0;
  else if (g->shape == MJ_MESH && !m->exact)
    robot_left_out(&m->text, g->node, "MuJoCo's estimate of volumes of meshes: here they are exact, as by its "
                   "`exactmeshinertia`");
  for (int i = 0; i < 9; i++) I[i / 3][i % 3] = density * of.inertia[i];
  frame_tensor(&g->at, (const double(*)[3])I, world);
  frame_point(&g->at, of.centre, centre);
  add_mass(to, density * of.volume, centre, (const double(*)[3])world);
  return true;
}

static bool inertial(Mjcf *m, const XmlNode *n, const MjBody *b, MjBody *to) {
  Frame own;
  double mass = 0, d[6] = { 0 }, I[3][3] = { { 0 } }, world[3][3];
  if (!frame(m, n, "inertial", NULL, &own) || mjcf_numbers(m, n, "inertial", "mass", NULL, 1, &mass) < 0) return false;
  if (mjcf_numbers(m, n, "inertial", "fullinertia", NULL, 6, d) == 6) {
    I[0][1] = I[1][0] = d[3], I[0][2] = I[2][0] = d[4], I[1][2] = I[2][1] = d[5];
  } else if (mjcf_numbers(m, n, "inertial", "diaginertia", NULL, 3, d) != 3)
    return xml_wrong(m->a, m->wrong, n->at, "an `inertial` has a `diaginertia` or a `fullinertia`");
  for (int i = 0; i < 3; i++) I[i][i] = d[i];
  Frame in_world = frame_of(&b->at, &own);
  frame_tensor(&in_world, (const double(*)[3])I, world);
  add_mass(to, mass, in_world.r, (const double(*)[3])world);
  return true;
}

// ---- geoms ----------------------------------------------------------------------------------------------------------
static MjShape shape_of(const char *type) {
  static const char *const name[] = { "plane", "sphere", "capsule", "cylinder", "box", "ellipsoid",
                                     "mesh" };
  for (int i = 0; type && i < MJ_OTHER; i++)
    if (!strcmp(type, name[i])) return (MjShape)i;
  return type ? MJ_OTHER : MJ_SPHERE;
}

// `fromto`: z from one end to the other, half the length the last size that counts.
static bool from_to(Mjcf *m, MjGeom *g, const char *class, Frame *own) {
  double x[6], d[3];
  int n = mjcf_numbers(m, g->node, "geom", "fromto", class, 6, x);
  if (n <= 0) return n == 0;
  if (n < 6) return xml_wrong(m->a, m->wrong, g->node->at, "`fromto` has six numbers");
  for (int i = 0; i < 3; i++) {
    own->r[i] = (x[i] + x[i + 3]) / 2;
    d[i] = x[i] - x[i + 3];
  }
  Frame turned = z_to(d);
  memcpy(own->R, turned.R, sizeof own->R);
  double half = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / 2;
  if (g->shape == MJ_BOX || g->shape == MJ_ELLIPSOID) {
    g->size[1] = g->size[0];
    g->size[2] = half;
  } else g->size[1] = half;
  return true;
}

static bool has_sizes(const MjGeom *g) {
  static const int count[] = { [MJ_SPHERE] = 1, [MJ_CAPSULE] = 2, [MJ_CYLINDER] = 2, [MJ_BOX] = 3, [MJ_ELLIPSOID] = 3,
                               [MJ_OTHER] = 0 };
  for (int i = 0; i < count[g->shape]; i++) if (!(g->size[i] > 0)) return false;
  return true;
}

static bool geom(Mjcf *m, const XmlNode *n, MjBody *b, const MjPlace *in) {
  const char *class = in->class;
  MjGeom *g = ARENA_NEW(m->a, MjGeom);
  double number[3] = { 1, 1, 3 };
  static const char *const words[] = { "contype", "conaffinity", "condim" };
  Frame own;
  *g = (MjGeom){ .name = xml_text(n, "name"), .node = n, .body = b, .class = class, .friction = { 1, 0.005, 0.0001 } };
  g->shape = shape_of(mjcf_text(m, n, "geom", "type", class));
  if (!mjcf_known_class(m, n, "class") || !frame(m, n, "geom", class, &own) ||
      mjcf_numbers(m, n, "geom", "size", class, 3, g->size) < 0 ||
      mjcf_numbers(m, n, "geom", "friction", class, 3, g->friction) < 0 || !from_to(m, g, class, &own))
    return false;
  if (!has_sizes(g)) return xml_wrong(m->a, m->wrong, n->at, "a size of this `geom` is missing or not positive");
  for (int i = 0; i < 3; i++)
    if (mjcf_numbers(m, n, "geom", words[i], class, 1, &number[i]) < 0) return false;
  g->contype = (int)number[0], g->conaffinity = (int)number[1], g->condim = (int)number[2];
  g->at = frame_of(&in->at, &own);
  RobotMesh of;                                               // what touches nothing is not asked for one
  if (g->shape == MJ_MESH && (g->contype || g->conaffinity)) {
    if (!mjcf_mesh(m, g, &of)) return false;
    g->hull = of.shape;
  }
  if (g->shape == MJ_OTHER)
    robot_left_whole(&m->text, n, arena_printf(m->a, "geoms of the type `%s`", mjcf_text(m, n, "geom", "type", class)));
  if (xml_text(n, "shellinertia") && !strcmp(xml_text(n, "shellinertia"), "true"))
    robot_left_out(&m->text, n, "`shellinertia`: such geoms are full");
  vec_push(&m->geoms, g);
  return true;
}

static bool counts(Mjcf *m, const XmlNode *n, const char *class) {
  double group = 0;
  mjcf_numbers(m, n, "geom", "group", class, 1, &group);
  return group >= m->groups[0] && group <= m->groups[1];
}

// ---- joints ---------------------------------------------------------------------------------------------------------
static bool joint(Mjcf *m, const XmlNode *n, MjBody *b, const MjPlace *in) {
  const char *class = in->class;
  static const char *const kinds[] = { "hinge", "slide", "ball" };
  const char *type = mjcf_text(m, n, "joint", "type", class), *limited = mjcf_text(m, n, "joint", "limited", class);
  MjJoint *j = ARENA_NEW(m->a, MjJoint);
  double pos[3] = { 0 }, axis[3] = { 0, 0, 1 };
  *j = (MjJoint){ .name = xml_text(n, "name"), .node = n, .body = b };
  if (!mjcf_known_class(m, n, "class")) return false;
  if (!type) type = "hinge";
  if (!strcmp(n->name, "freejoint") || !strcmp(type, "free")) {
    b->free = true;
    if (b->parent) return xml_wrong(m->a, m->wrong, n->at, "a body with a free joint stands in the world itself");
    mjcf_key_free(m, b);
    static const char *const words[] = { "armature", "damping", "frictionloss", "stiffness" };
    for (size_t i = 0; i < 4 && strcmp(n->name, "freejoint"); i++) {
      double x = 0;
      if (mjcf_numbers(m, n, "joint", words[i], class, 1, &x) < 0) return false;
      if (x != 0) robot_left_out(&m->text, n, arena_printf(m->a, "%s of free joints", words[i]));
    }
    xml_take(n);
    return true;
  }
  while (j->kind <= MJ_BALL && strcmp(type, kinds[j->kind]) != 0) j->kind++;
  if (j->kind > MJ_BALL)
    return xml_wrong(m->a, m->wrong, n->at, "a joint is free, ball, slide or hinge, and not `%s`", type);
  const struct { const char *name; int count; double *to; } numbers[] = {
    { "ref", 1, &j->ref }, { "stiffness", 1, &j->stiffness }, { "springref", 1, &j->springref },
    { "damping", 1, &j->damping }, { "armature", 1, &j->armature }, { "frictionloss", 1, &j->dry },
    { "range", 2, j->range }
  };
  if (!three(m, n, "joint", "pos", class, pos) || !three(m, n, "joint", "axis", class, axis)) return false;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (mjcf_numbers(m, n, "joint", numbers[i].name, class, numbers[i].count, numbers[i].to) < 0) return false;
  if (!(axis[0] || axis[1] || axis[2])) return xml_wrong(m->a, m->wrong, n->at, "the axis has no direction");
  j->limited = limited && !strcmp(limited, "true");
  if (!limited || !strcmp(limited, "auto")) j->limited = mjcf_text(m, n, "joint", "range", class) && m->autolimits;
  if (j->limited && !(j->range[0] < j->range[1]))
    return xml_wrong(m->a, m->wrong, n->at, "the `range` of a joint rises");
  if (j->kind == MJ_HINGE) {
    double *const angle[] = { &j->ref, &j->springref, &j->range[0], &j->range[1] };
    for (int i = 0; i < 4; i++) *angle[i] = angle_of(m, *angle[i]);
  }
  if (mjcf_text(m, n, "joint", "springdamper", class)) robot_left_out(&m->text, n, "`springdamper` of joints");
  Frame now = frame_of(&b->moved, &in->at);
  frame_point(&now, pos, j->at);
  frame_vector(&now, axis, j->axis);
  mjcf_key_joint(m, b, j);
  b->njoint++;
  vec_push(&m->joints, j);
  return true;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------
static bool inside(Mjcf *m, const XmlNode *n, MjBody *b, const MjPlace *in);

static bool body(Mjcf *m, const XmlNode *n, MjBody *parent, const MjPlace *in) {
  MjBody *b = ARENA_NEW(m->a, MjBody);
  MjPlace own = *in;
  Frame at;
  *b = (MjBody){ .name = xml_text(n, "name"), .node = n, .parent = parent, .moved = frame_rest() };
  if (xml_text(n, "childclass")) own.class = xml_text(n, "childclass");
  if (!mjcf_known_class(m, n, "childclass") || !frame(m, n, "body", NULL, &at)) return false;
  if (xml_text(n, "gravcomp")) robot_left_out(&m->text, n, "`gravcomp` of bodies");
  if (xml_text(n, "mocap") && !strcmp(xml_text(n, "mocap"), "true"))
    robot_left_out(&m->text, n, "`mocap`: such bodies stand still");
  own.at = b->at = frame_of(&in->at, &at);
  vec_push(&m->bodies, b);
  return inside(m, n, b, &own);
}

static bool mass_of(Mjcf *m, const XmlNode *n, MjBody *b, size_t first, const char *class) {
  const XmlNode *own = xml_child(n, "inertial");
  MjBody *to = b->rigid;
  if (!to) return true;                                    // it stands still
  if (own && !m->geoms_always) return inertial(m, own, b, to);
  for (size_t i = first; i < m->geoms.n && !m->geoms_never; i++)
    if (m->geoms.at[i]->body == b && counts(m, m->geoms.at[i]->node, class) &&
        !geom_mass(m, m->geoms.at[i], m->geoms.at[i]->class, to))
      return false;
  return true;
}

static bool site(Mjcf *m, const XmlNode *n, MjBody *b, const MjPlace *in) {
  Frame own;
  if (!frame(m, n, "site", in->class, &own)) return false;
  MjSite *s = ARENA_NEW(m->a, MjSite);
  *s = (MjSite){ .name = xml_text(n, "name"), .body = b, .at = frame_of(&in->at, &own) };
  vec_push(&m->sites, s);
  return true;
}

// A `frame` within a body, or the body itself: its joints, the other parts of it, or the bodies in it. A frame places
// what is in it.
typedef enum { JOINTS, PARTS, BODIES } Pass;

static bool each(Mjcf *m, const XmlNode *n, MjBody *b, const MjPlace *in, Pass pass) {
  static const char *const seen[] = { "inertial", "site", "camera", "light", "body", "geom", "joint", "freejoint",
                                      "frame" };
  for (const XmlNode *x = n->first; x; x = x->next) {
    size_t i = 0;
    while (i < sizeof seen / sizeof *seen && strcmp(seen[i], x->name) != 0) i++;
    if (i == sizeof seen / sizeof *seen) robot_left_out(&m->text, x, arena_printf(m->a, "`%s` of bodies", x->name));
    bool is_body = !strcmp(x->name, "body");
    if (pass == BODIES && is_body && !body(m, x, b, in)) return false;
    if (!strcmp(x->name, "frame")) {
      MjPlace own = *in;
      Frame at;
      if (xml_text(x, "childclass")) own.class = xml_text(x, "childclass");
      if (!mjcf_known_class(m, x, "childclass") || !frame(m, x, "frame", NULL, &at)) return false;
      own.at = frame_of(&in->at, &at);
      if (!each(m, x, b, &own, pass)) return false;
    }
    bool is_joint = !strcmp(x->name, "joint") || !strcmp(x->name, "freejoint");
    if (pass == JOINTS && b && is_joint && !joint(m, x, b, in)) return false;
    if (pass != PARTS) continue;
    if (!strcmp(x->name, "geom") && !geom(m, x, b, in)) return false;
    if (!strcmp(x->name, "site") && !site(m, x, b, in)) return false;
  }
  return true;
}

static bool inside(Mjcf *m, const XmlNode *n, MjBody *b, const MjPlace *in) {
  size_t first = m->geoms.n;
  MjPlace own = *in;
  if (!each(m, n, b, in, JOINTS)) return false;
  if (b) own.at = b->at = frame_of(&b->moved, &in->at);
  if (!each(m, n, b, &own, PARTS)) return false;
  if (b) b->rigid = b->njoint > 0 || b->free ? b : b->parent ? b->parent->rigid : NULL;
  if (b && b->free && b->njoint > 0)
    return xml_wrong(m->a, m->wrong, n->at, "a body with a free joint has no other joint");
  return (!b || mass_of(m, n, b, first, in->class)) && each(m, n, b, &own, BODIES);
}

const MjBody *mjcf_rigid(const MjBody *b) { return b ? b->rigid : NULL; }
const char *mjcf_own(const MjBody *b) { return b && b->rigid ? b->rigid->own : "ground"; }

const MjJoint *mjcf_joint(const Mjcf *m, const char *name) {
  for (size_t i = 0; name && i < m->joints.n; i++)
    if (m->joints.at[i]->name && !strcmp(m->joints.at[i]->name, name)) return m->joints.at[i];
  return NULL;
}

// The moments about its axes, where these are the principal ones.
static void bound(Mjcf *m, MjBody *b, double least) {
  Frame back = frame_rest();
  double own[3][3], off = 0;
  for (int i = 0; i < 9; i++) back.R[i / 3][i % 3] = b->at.R[i % 3][i / 3];
  frame_tensor(&back, (const double(*)[3])b->inertia, own);
  for (int i = 0; i < 3; i++) off = fmax(off, fabs(own[i][(i + 1) % 3]) / (own[i][i] + 1e-300));
  if (off > 1e-12) robot_left_out(&m->text, b->node, "`boundinertia` where principal axes are not those of the body");
  for (int i = 0; i < 3 && off <= 1e-12; i++) own[i][i] = fmax(own[i][i], least);
  frame_tensor(&b->at, (const double(*)[3])own, b->inertia);
}

// `boundmass`, `boundinertia` and `settotalmass` of the compiler.
static bool masses(Mjcf *m) {
  double total = 0, least = 0, inertia = 0, whole = -1;
  for (const XmlNode *n = xml_child(m->root, "compiler"); n; n = xml_next(n, "compiler"))
    if (mjcf_numbers(m, n, "compiler", "boundmass", NULL, 1, &least) < 0 ||
        mjcf_numbers(m, n, "compiler", "boundinertia", NULL, 1, &inertia) < 0 ||
        mjcf_numbers(m, n, "compiler", "settotalmass", NULL, 1, &whole) < 0)
      return false;
  for (size_t i = 0; i < m->bodies.n; i++) {
    MjBody *b = m->bodies.at[i];
    if (b->rigid != b) continue;
    b->mass = fmax(b->mass, least);
    if (inertia > 0) bound(m, b, inertia);
    total += b->mass;
    if (b->mass > 0) continue;
    return xml_wrong(m->a, m->wrong, b->node->at, "the body `%s` moves and has no mass", b->name ? b->name : "");
  }
  for (size_t i = 0; i < m->bodies.n && whole > 0; i++) {
    MjBody *b = m->bodies.at[i];
    b->mass *= whole / total;
    for (int k = 0; k < 9; k++) b->inertia[k / 3][k % 3] *= whole / total;
  }
  return true;
}

// ---- the whole ------------------------------------------------------------------------------------------------------
static bool settings(Mjcf *m) {
  for (const XmlNode *n = xml_child(m->root, "compiler"); n; n = xml_next(n, "compiler")) {
    const char *angle = xml_text(n, "angle"), *geoms = xml_text(n, "inertiafromgeom"), *seq = xml_text(n, "eulerseq");
    const char *limits = xml_text(n, "autolimits"), *coordinate = xml_text(n, "coordinate");
    if (angle && strcmp(angle, "radian") && strcmp(angle, "degree"))
      return xml_wrong(m->a, m->wrong, n->at, "`angle` is radian or degree");
    if (angle) m->degree = !strcmp(angle, "degree");
    if (limits) m->autolimits = !strcmp(limits, "true");
    if (xml_text(n, "exactmeshinertia")) m->exact = !strcmp(xml_text(n, "exactmeshinertia"), "true");
    m->geoms_always |= geoms && !strcmp(geoms, "true");
    m->geoms_never |= geoms && !strcmp(geoms, "false");
    if (seq && (strlen(seq) != 3 || strspn(seq, "xyzXYZ") != 3))
      return xml_wrong(m->a, m->wrong, n->at, "`eulerseq` is three of x, y, z, X, Y, Z");
    if (seq) m->eulerseq = seq;
    if (coordinate && !strcmp(coordinate, "global"))
      return xml_wrong(m->a, m->wrong, n->at, "global coordinates are not read, which MuJoCo gave up as well");
    static const char *const left[] = { "balanceinertia", "fitaabb" };
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
      if (xml_text(n, left[i]) && strcmp(xml_text(n, left[i]), "false") != 0)
        robot_left_out(&m->text, n, arena_printf(m->a, "`%s` of the compiler", left[i]));
    if (mjcf_numbers(m, n, "compiler", "inertiagrouprange", NULL, 2, m->groups) < 0) return false;
  }
  return true;
}

static bool read_includes(Mjcf *m, XmlNode *n, int depth) {
  for (XmlNode **at = &n->first; *at;) {
    XmlNode *x = *at;
    if (strcmp(x->name, "include") != 0) {
      if (!read_includes(m, x, depth)) return false;
      at = &x->next;
      continue;
    }
    const char *file = xml_text(x, "file"), *slash = strrchr(m->file->path, '/');
    if (!file || depth > 20) return xml_wrong(m->a, m->wrong, x->at, "an `include` names a `file`, at most 20 deep");
    const char *path = *file == '/' || !slash ? file
                     : arena_printf(m->a, "%.*s/%s", (int)(slash - m->file->path), m->file->path, file);
    const SourceFile *f;
    if (source_read(m->a, path, &f) != SOURCE_OK) return xml_wrong(m->a, m->wrong, x->at, "cannot read %s", path);
    XmlNode *root = xml_read(m->a, f, m->wrong);
    if (!root || !read_includes(m, root, depth + 1)) return false;
    for (XmlNode *c = root->first; c; c = c->next) c->parent = n;
    if (root->last) {
      root->last->next = x->next;
      *at = root->first;
      while (*at != root->last) at = &(*at)->next;
      at = &(*at)->next;
    } else *at = x->next;
  }
  return true;
}

// The next element behind n in the order of the text, within `in`.
static const XmlNode *behind(const XmlNode *n, const XmlNode *in) {
  if (n->first) return n->first;
  while (n != in && !n->next) n = n->parent;
  return n == in ? NULL : n->next;
}

// Elements of one kind have names of their own: who refers to one means one.
static bool names_differ(Mjcf *m, const XmlNode *in, const char *kind) {
  Vec(const XmlNode *) known = { 0 };
  bool good = true;
  for (const XmlNode *n = in; good && n; n = behind(n, in)) {
    const char *name = strcmp(n->name, kind) == 0 ? xml_text(n, "name") : NULL;
    if (!name) continue;
    for (size_t i = 0; good && i < known.n; i++)
      if (strcmp(xml_text(known.at[i], "name"), name) == 0)
        good = xml_wrong(m->a, m->wrong, n->at, "a second `%s` has the name `%s`", kind, name);
    vec_push(&known, n);
  }
  vec_free(&known);
  return good;
}

bool mjcf_read(Mjcf *m, const char *key) {
  m->degree = m->autolimits = true;
  m->eulerseq = "xyz";
  m->groups[1] = 5;
  m->root = xml_read(m->a, m->file, m->wrong);
  if (!m->root) return false;
  if (strcmp(m->root->name, "mujoco") != 0)
    return xml_wrong(m->a, m->wrong, m->root->at, "a file of MJCF is a `mujoco`, and not `%s`", m->root->name);
  if (!read_includes(m, m->root, 0) || !settings(m) || !mjcf_key_read(m, key)) return false;
  const XmlNode *world = xml_child(m->root, "worldbody");
  static const char *const kinds[] = { "body", "geom", "joint", "site" };
  for (const XmlNode *w = world; w; w = xml_next(w, "worldbody"))
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
      if (!names_differ(m, w, kinds[i])) return false;
  if (!world) return xml_wrong(m->a, m->wrong, m->root->at, "there is no `worldbody`");
  for (; world; world = xml_next(world, "worldbody"))
    if (!inside(m, world, NULL, &(MjPlace){ frame_rest(), NULL })) return false;
  return mjcf_key_complete(m) && masses(m);
}
