// The model: a body for each one that has joints, with what is fixed to it; shapes, contacts, and what is left out.
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "mjcf.h"

static int line_of(const XmlNode *n) { return source_line(n->at.file, n->at.lo); }

static Frame inverse(const Frame *f) {
  Frame out = frame_rest();
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) out.R[i][k] = f->R[k][i];
  double r[3] = { -f->r[0], -f->r[1], -f->r[2] };
  frame_vector(&out, r, out.r);
  return out;
}

// ---- shapes ---------------------------------------------------------------------------------------------------------
// Corners on the surface of an ellipsoid: rings of eight, and both ends.
static const char *ellipsoid(Arena *a, const double size[3]) {
  const char *all = NULL;
  const double pi = 3.14159265358979323846;
  for (int ring = 0; ring <= 6; ring++)
    for (int k = 0; k < (ring % 6 ? 8 : 1); k++) {
      double up = pi * ring / 6, about = pi * (2 * k + ring % 2) / 8;
      const double x[3] = { size[0] * sin(up) * cos(about), size[1] * sin(up) * sin(about), size[2] * cos(up) };
      all = all ? arena_printf(a, "%s, %s", all, robot_vector(a, x)) : robot_vector(a, x);
    }
  return arena_printf(a, "convex([%s])", all);
}

static const char *shape(Mjcf *m, const MjGeom *g) {
  Arena *a = m->a;
  const double box[3] = { 2 * g->size[0], 2 * g->size[1], 2 * g->size[2] };
  const char *R = robot_number(a, g->size[0]), *length = robot_number(a, 2 * g->size[1]);
  switch (g->shape) {
  case MJ_PLANE: return "halfspace";
  case MJ_SPHERE: return arena_printf(a, "sphere(%s [m])", R);
  case MJ_CAPSULE: return arena_printf(a, "capsule(%s [m], %s [m])", R, length);
  case MJ_CYLINDER: return arena_printf(a, "cylinder(%s [m], %s [m])", R, length);
  case MJ_BOX: return arena_printf(a, "box(%s [m])", robot_vector(a, box));
  case MJ_ELLIPSOID: return ellipsoid(a, g->size);
  case MJ_MESH: return g->hull;
  default: return NULL;
  }
}

// In the axes of the body, from its centre of mass.
static const char *shape_at(Mjcf *m, const MjBody *b, const MjGeom *g) {
  const char *of = shape(m, g);
  Frame axes = b->at;
  if (g->shape == MJ_PLANE) {
    robot_left_out(&m->text, g->node, "planes on bodies that move");
    return NULL;
  }
  if (!of) return NULL;
  memcpy(axes.r, b->com, sizeof axes.r);
  Frame back = inverse(&axes), in_body = frame_of(&back, &g->at);
  const char *turned = g->shape == MJ_SPHERE ? NULL : robot_turn(m->a, &in_body);
  const char *place = robot_vector(m->a, in_body.r);
  double far = fabs(in_body.r[0]) + fabs(in_body.r[1]) + fabs(in_body.r[2]);
  if (turned) return arena_printf(m->a, "%s at(%s [m], %s)", of, place, turned);
  return far < 1e-14 ? of : arena_printf(m->a, "%s at(%s [m])", of, place);
}

static void shapes(Mjcf *m, const MjBody *b, Text *out) {
  Vec(const char *) all = { 0 };
  for (size_t i = 0; i < m->geoms.n; i++) {
    const MjGeom *g = m->geoms.at[i];
    const char *one = mjcf_rigid(g->body) == b && mjcf_touches(g) ? shape_at(m, b, g) : NULL;
    if (one) vec_push(&all, one);
  }
  for (size_t i = 0; i < all.n; i++)
    text_printf(out, "%s%s", i ? ",\n                  " : all.n > 1 ? ",\n    shape = union(" : ",\n    shape = ",
                all.at[i]);
  if (all.n > 1) text_add(out, ")");
  vec_free(&all);
}

// ---- bodies ---------------------------------------------------------------------------------------------------------
static void body(Mjcf *m, const MjBody *b, Text *out) {
  Arena *a = m->a;
  Frame axes = b->at, back = inverse(&axes);
  double I[3][3];
  const char *turned = robot_turn(a, &axes), *name = b->name ? b->name : "";
  if (b->rigid != b) {
    text_printf(out, "  // line %d: %s is a part of %s\n", line_of(b->node), name, mjcf_own(b));
    return;
  }
  frame_tensor(&back, b->inertia, I);
  robot_doubt_inertia(&m->text, b->node, arena_printf(a, "the body `%s`", name), (const double(*)[3])I);
  text_printf(out, "  body %s {  // line %d\n    mass = %s [kg], inertia = %s [kg*m^2],\n    position = %s [m]", b->own,
              line_of(b->node), robot_number(a, b->mass), robot_inertia(a, (const double(*)[3])I),
              robot_vector(a, b->com));
  if (turned) text_printf(out, ", attitude = %s", turned);
  shapes(m, b, out);
  text_add(out, "\n  }\n");
}

// What stands still: a body for each geom, so that pairs of contacts can be told apart.
static void world(Mjcf *m, Text *out) {
  for (size_t i = 0; i < m->geoms.n; i++) {
    MjGeom *g = m->geoms.at[i];
    const char *of = !mjcf_rigid(g->body) && mjcf_touches(g) ? shape(m, g) : NULL;
    if (!of) continue;
    const char *turned = robot_turn(m->a, &g->at);
    g->name = robot_name(&m->text, g->name ? g->name : "world", "_geom");
    text_printf(out, "  body %s { fixed, shape = %s, position = %s [m]", g->name, of, robot_vector(m->a, g->at.r));
    if (turned) text_printf(out, ", attitude = %s", turned);
    text_printf(out, " }  // line %d\n", line_of(g->node));
  }
}

// ---- contacts -------------------------------------------------------------------------------------------------------
static bool meet(const MjGeom *g, const MjGeom *h) {
  return (g->contype & h->conaffinity) || (h->contype & g->conaffinity);
}

static MjLaw law_of_geoms(const MjGeom *g, const MjGeom *h) {
  MjLaw law = { (int)fmax(g->condim, h->condim), { 0 } };
  for (int f = 0; f < 3; f++) law.friction[f] = fmax(g->friction[f], h->friction[f]);
  return law;
}

// Of all pairs of geoms of two bodies that meet: the largest of each coefficient. condim 0: none meet. pairs: those of
// `pair` alone.
static MjLaw law_of(const Mjcf *m, const MjBody *b, const MjGeom *one, const MjBody *c, bool pairs) {
  MjLaw law = { 0, { 0 } };
  for (size_t i = 0; i < m->geoms.n; i++)
    for (size_t k = 0; k < m->geoms.n; k++) {
      const MjGeom *g = m->geoms.at[i], *h = m->geoms.at[k];
      const MjLaw *own = mjcf_pair_law(m, g, h);
      if (mjcf_rigid(g->body) != b || (one ? h != one : mjcf_rigid(h->body) != c)) continue;
      if (!own && (pairs || !meet(g, h))) continue;
      if (g->shape == MJ_OTHER || h->shape == MJ_OTHER || g->shape == MJ_PLANE) continue;
      MjLaw of = own ? *own : law_of_geoms(g, h);
      law.condim = (int)fmax(law.condim, of.condim);
      for (int f = 0; f < 3; f++) law.friction[f] = fmax(law.friction[f], of.friction[f]);
    }
  return law;
}

static const char *law_text(Mjcf *m, MjLaw law) {
  const char *mu = robot_number(m->a, law.friction[0]);
  if (law.condim >= 6)
    return arena_printf(m->a, "newton(0), rolling(%s, %s [m])", mu, robot_number(m->a, law.friction[2]));
  if (law.condim >= 4)
    return arena_printf(m->a, "newton(0), contensou(%s, %s [m])", mu, robot_number(m->a, law.friction[1]));
  return law.condim >= 3 ? arena_printf(m->a, "newton(0), coulomb(%s)", mu) : "newton(0)";
}

static bool excluded(const Mjcf *m, const MjBody *b, const MjBody *c) {
  if (b->parent && mjcf_rigid(b->parent) == c) return true;
  if (c->parent && mjcf_rigid(c->parent) == b) return true;
  for (const XmlNode *all = xml_child(m->root, "contact"); all; all = xml_next(all, "contact"))
    for (const XmlNode *n = xml_child(all, "exclude"); n; n = xml_next(n, "exclude")) {
      const char *one = xml_text(n, "body1"), *two = xml_text(n, "body2");
      const MjBody *of[2] = { NULL, NULL };
      for (size_t i = 0; one && two && i < m->bodies.n; i++) {
        const char *name = m->bodies.at[i]->name;
        if (name && !strcmp(name, one)) of[0] = mjcf_rigid(m->bodies.at[i]);
        if (name && !strcmp(name, two)) of[1] = mjcf_rigid(m->bodies.at[i]);
      }
      if ((of[0] == b && of[1] == c) || (of[0] == c && of[1] == b)) return true;
    }
  return false;
}

// One item for all bodies that meet this one by the same law: those behind `from` in the list of bodies.
static void contacts_of(Mjcf *m, const char *own, const MjBody *b, const MjGeom *still, size_t from, Text *out) {
  Vec(const char *) laws = { 0 };
  Vec(const char *) others = { 0 };
  for (size_t i = from; i < m->bodies.n; i++) {
    const MjBody *c = m->bodies.at[i];
    if (c->rigid != c) continue;
    MjLaw law = law_of(m, c, still, b, b && excluded(m, b, c));
    if (!law.condim) continue;
    const char *text = law_text(m, law);
    size_t k = 0;
    while (k < laws.n && strcmp(laws.at[k], text) != 0) k++;
    if (k < laws.n) others.at[k] = arena_printf(m->a, "%s, %s", others.at[k], c->own);
    else {
      vec_push(&laws, text);
      vec_push(&others, c->own);
    }
  }
  for (size_t k = 0; k < laws.n; k++)
    text_printf(out, "  contact %s { between = %s, [%s]; with %s; }\n",
                robot_name(&m->text, arena_printf(m->a, "%s_touches", own), "_"), own, others.at[k], laws.at[k]);
  vec_free(&laws);
  vec_free(&others);
}

void mjcf_contacts(Mjcf *m, Text *out) {
  for (size_t i = 0; i < m->geoms.n; i++) {
    const MjGeom *g = m->geoms.at[i];
    if (!mjcf_rigid(g->body) && mjcf_touches(g) && g->shape != MJ_OTHER)
      contacts_of(m, g->name, NULL, g, 0, out);
  }
  for (size_t i = 0; i < m->bodies.n; i++)
    if (m->bodies.at[i]->rigid == m->bodies.at[i])
      contacts_of(m, m->bodies.at[i]->own, m->bodies.at[i], NULL, i + 1, out);
}

// ---- the whole ------------------------------------------------------------------------------------------------------
static void unread(Mjcf *m) {
  static const char *const known[] = { "worldbody", "compiler", "option", "default", "contact", "equality", "tendon",
                                       "actuator", "visual", "statistic", "asset", "size", "sensor", "keyframe" };
  for (const XmlNode *n = m->root->first; n; n = n->next) {
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i], n->name) != 0) i++;
    if (i == sizeof known / sizeof *known) robot_left_out(&m->text, n, arena_printf(m->a, "`%s`", n->name));
  }
  if (xml_child(m->root, "keyframe") && !m->key)
    robot_left_out(&m->text, xml_child(m->root, "keyframe"), "keyframes: --key NAME starts from one");
  static const char *const air[] = { "wind", "density", "viscosity" };
  for (size_t i = 0; i < 3; i++)
    if (xml_text(xml_child(m->root, "option"), air[i]))
      robot_left_out(&m->text, xml_child(m->root, "option"), arena_printf(m->a, "`%s` of the air", air[i]));
}

// What says nothing of the motion, or is said of every file: how soft contacts are, and how MuJoCo solves them.
static const char *const quiet[] = {
  "name", "class", "rgba", "material", "user", "group", "solref", "solimp", "solreflimit", "solimplimit",
  "solreffriction", "solimpfriction", "solmix", "width", "fitscale", "strippath", "texturedir", "discardvisual",
  "fusestatic", "usethread", "convexhull", "integrator", "iterations", "tolerance", "solver", "cone", "jacobian",
  "impratio", "apirate", "noslip_iterations", "noslip_tolerance", "mpr_iterations", "mpr_tolerance", "ls_iterations",
  "ls_tolerance", "ccd_iterations", "ccd_tolerance", "texcoord", "normal", "face", "smoothnormal", "content_type",
  "noise", "cutoff", "align", "size", "type", NULL };

// Of defaults: what no element reads, and matters.
static void of_defaults(Mjcf *m, const XmlNode *n) {
  static const char *const left[] = { "margin", "gap", "priority", "fluidshape", "fluidcoef", "actuatorfrcrange",
                                      "actuatorgravcomp", "springdamper", "dynprm", "timeconst", "dampratio" };
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    for (int k = 0; n->attribute[2 * k]; k++)
      if (!n->taken[k] && !strcmp(n->attribute[2 * k], left[i]))
        robot_left_out(&m->text, n, arena_printf(m->a, "`%s` of `%s`", left[i], n->name));
  for (const XmlNode *x = n->first; x; x = x->next) of_defaults(m, x);
}

// Attributes of elements that are taken.
static void unasked(Mjcf *m) {
  for (const XmlNode *n = xml_child(m->root, "default"); n; n = xml_next(n, "default")) of_defaults(m, n);
  static const char *const rooms[] = { "worldbody", "compiler", "option", "contact", "equality", "tendon", "actuator",
                                       "asset", "sensor" };
  for (const XmlNode *n = m->root->first; n; n = n->next)
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
      if (!strcmp(n->name, rooms[i])) robot_report(&m->text, n, quiet);
}

static void name_all(Mjcf *m) {
  for (size_t i = 0; i < m->bodies.n; i++) {
    MjBody *b = m->bodies.at[i];
    if (b->rigid == b) b->own = robot_name(&m->text, b->name ? b->name : "part", "_body");
  }
  for (size_t i = 0; i < m->joints.n; i++) {
    MjJoint *j = m->joints.at[i];
    j->own = robot_name(&m->text, j->name ? j->name : "joint", "_joint");
  }
}

// A mesh that is not here is no shape.
static void meshes(Mjcf *m) {
  for (size_t i = 0; i < m->geoms.n; i++) {
    MjGeom *g = m->geoms.at[i];
    if (g->shape == MJ_MESH && !g->hull) g->shape = MJ_OTHER;
  }
}

// What `flag` of `option` switches off: gravity and contacts; the rest is left out.
static bool is_off(const Mjcf *m, const char *what) {
  for (const XmlNode *o = xml_child(m->root, "option"); o; o = xml_next(o, "option"))
    for (const XmlNode *n = xml_child(o, "flag"); n; n = xml_next(n, "flag"))
      if (xml_text(n, what) && !strcmp(xml_text(n, what), "disable")) return true;
  return false;
}

static void flags(Mjcf *m) {
  static const char *const others[] = { "constraint", "equality", "frictionloss", "limit", "passive", "clampctrl",
                                        "actuation", "filterparent" };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (is_off(m, others[i]))
      robot_left_out(&m->text, xml_child(m->root, "option"), arena_printf(m->a, "the flag `%s`", others[i]));
}

void mjcf_write(Mjcf *m, Text *out) {
  Text inner = { 0 };
  double gravity[3] = { 0, 0, -9.81 }, step = 0.002;
  const XmlNode *option = xml_child(m->root, "option");
  const char *name = xml_text(m->root, "model");
  if (option && (mjcf_numbers(m, option, "option", "gravity", NULL, 3, gravity) < 0 ||
                 mjcf_numbers(m, option, "option", "timestep", NULL, 1, &step) < 0))
    return;
  const char *own = robot_model_name(&m->text, name);
  name_all(m);
  unread(m);
  flags(m);
  if (!mjcf_pairs(m)) return;
  meshes(m);
  if (is_off(m, "gravity")) memset(gravity, 0, sizeof gravity);
  for (size_t i = 0; i < m->bodies.n; i++) body(m, m->bodies.at[i], &inner);
  world(m, &inner);
  mjcf_joints(m, &inner);
  mjcf_actuators(m, &inner);
  if (!is_off(m, "contact") && !is_off(m, "constraint")) mjcf_contacts(m, &inner);
  mjcf_sensors(m, &inner);
  unasked(m);
  text_printf(out, "// %s, from %s by nsm import.\n", name ? name : "A robot", m->file->path);
  text_add(out, "// MuJoCo's soft contacts, limits and constraints are rigid here; impacts are without restitution.\n");
  for (size_t i = 0; i < m->text.left.n; i++) text_printf(out, "// Left out: %s.\n", m->text.left.at[i]);
  text_printf(out, "import \"std/joints.nsm\";\nmodel %s {\n  gravity %s [m/s^2];\n", own, robot_vector(m->a, gravity));
  text_add(out, text_str(&inner));
  text_printf(out, "  simulate { until = 1 [s], step = %s [s] }\n}\n", robot_number(m->a, step));
  text_free(&inner);
}

bool mjcf_import(Arena *a, const SourceFile *f, const char *key, Text *out, Text *notes, RobotWrong *wrong) {
  Mjcf m = { .a = a, .file = f, .wrong = wrong, .text = { .a = a, .notes = notes } };
  *wrong = (RobotWrong){ 0 };
  if (mjcf_read(&m, key)) mjcf_write(&m, out);
  vec_free(&m.bodies);
  vec_free(&m.joints);
  vec_free(&m.geoms);
  vec_free(&m.sites);
  vec_free(&m.pairs);
  robot_text_free(&m.text);
  return !wrong->what;
}
