// The tree of links: names, places at the zero of all joints, masses.
#include <math.h>
#include <string.h>
#include "urdf.h"

static Link *link_named(const Urdf *u, const char *name) {
  for (size_t i = 0; name && i < u->links.n; i++)
    if (!strcmp(u->links.at[i]->name, name)) return u->links.at[i];
  return NULL;
}

// The frame of an `origin`, which may be missing.
static bool origin_of(Urdf *u, const XmlNode *n, Frame *to) {
  const XmlNode *o = xml_child(n, "origin");
  double xyz[3], rpy[3];
  bool good = xml_numbers(u->a, o, "xyz", 3, xyz, u->wrong) && xml_numbers(u->a, o, "rpy", 3, rpy, u->wrong);
  if (good) *to = frame_rpy(xyz, rpy);
  return good;
}

// ---- links ----------------------------------------------------------------------------------------------------------
static bool inertial(Urdf *u, Link *l) {
  static const char *const name[6] = { "ixx", "iyy", "izz", "ixy", "ixz", "iyz" };
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, col[6] = { 0, 1, 2, 1, 2, 2 };
  const XmlNode *n = xml_child(l->node, "inertial"), *m = xml_child(n, "mass"), *t = xml_child(n, "inertia");
  Frame f;
  double I[3][3];
  if (!n) return true;
  if (!m || !t)
    return xml_wrong(u->a, u->wrong, n->at, "`inertial` of the link `%s` needs a mass and an inertia", l->name);
  if (!origin_of(u, n, &f) || !xml_numbers(u->a, m, "value", 1, &l->mass, u->wrong)) return false;
  for (int i = 0; i < 6; i++) {
    if (!xml_numbers(u->a, t, name[i], 1, &I[row[i]][col[i]], u->wrong)) return false;
    I[col[i]][row[i]] = I[row[i]][col[i]];
  }
  if (!(l->mass >= 0)) return xml_wrong(u->a, u->wrong, m->at, "the mass of the link `%s` is negative", l->name);
  memcpy(l->com, f.r, sizeof f.r);
  frame_tensor(&f, (const double(*)[3])I, l->inertia);
  return true;
}

static bool read_link(Urdf *u, const XmlNode *n) {
  Link *l = ARENA_NEW(u->a, Link);
  *l = (Link){ .name = xml_text(n, "name"), .node = n };
  if (!l->name) return xml_wrong(u->a, u->wrong, n->at, "a link needs a name");
  if (link_named(u, l->name)) return xml_wrong(u->a, u->wrong, n->at, "there are two links `%s`", l->name);
  vec_push(&u->links, l);
  return inertial(u, l);
}

// ---- joints ---------------------------------------------------------------------------------------------------------
static Link *end_of(Urdf *u, const Joint *j, const char *which) {
  const XmlNode *n = xml_child(j->node, which);
  const char *name = xml_text(n, "link");
  Link *l = link_named(u, name);
  if (!l && name) xml_wrong(u->a, u->wrong, n->at, "there is no link `%s`", name);
  else if (!l) xml_wrong(u->a, u->wrong, j->node->at, "the joint `%s` needs a `%s`", j->name, which);
  return l;
}

static bool read_joint(Urdf *u, const XmlNode *n) {
  static const char *const types[] = { "fixed", "revolute", "continuous", "prismatic", "planar", "floating" };
  Joint *j = ARENA_NEW(u->a, Joint);
  bool known = false;
  *j = (Joint){ .name = xml_text(n, "name"), .type = xml_text(n, "type"), .node = n };
  if (!j->name || !j->type) return xml_wrong(u->a, u->wrong, n->at, "a joint needs a name and a type");
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) known |= !strcmp(types[i], j->type);
  if (!known)
    return xml_wrong(u->a, u->wrong, n->at, "a joint is fixed, revolute, continuous, prismatic, planar or floating, "
                     "and not `%s`", j->type);
  if (!(j->parent = end_of(u, j, "parent")) || !(j->child = end_of(u, j, "child"))) return false;
  if (j->child->above)
    return xml_wrong(u->a, u->wrong, n->at, "the link `%s` hangs on two joints, `%s` and `%s`", j->child->name,
                     j->child->above->name, j->name);
  j->child->above = j;
  vec_push(&u->joints, j);
  return true;
}

// ---- places ---------------------------------------------------------------------------------------------------------
static bool place(Urdf *u, Joint *j) {
  Frame own;
  double axis[3] = { 1, 0, 0 };
  const XmlNode *n = xml_child(j->node, "axis");
  if (!origin_of(u, j->node, &own) || (n && !xml_numbers(u->a, n, "xyz", 3, axis, u->wrong))) return false;
  if (strcmp(j->type, "fixed") && strcmp(j->type, "floating") && !(axis[0] || axis[1] || axis[2]))
    return xml_wrong(u->a, u->wrong, n->at, "the axis of the joint `%s` has no direction", j->name);
  j->child->at = frame_of(&j->parent->at, &own);
  j->child->placed = true;
  frame_vector(&j->child->at, axis, j->axis);
  return true;
}

// From the root outwards, as far as there is something to place.
static bool place_all(Urdf *u) {
  for (size_t i = 0; i < u->links.n; i++)
    if (!u->links.at[i]->above) {
      if (u->root)
        return xml_wrong(u->a, u->wrong, u->links.at[i]->node->at, "two links hang on no joint, `%s` and `%s`",
                         u->root->name, u->links.at[i]->name);
      u->root = u->links.at[i];
    }
  if (!u->root) return xml_wrong(u->a, u->wrong, u->robot->at, "the joints of this robot make a circle");
  u->root->at = frame_rest();
  u->root->placed = true;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < u->joints.n; i++) {
      Joint *j = u->joints.at[i];
      if (!j->parent->placed || j->child->placed) continue;
      if (!place(u, j)) return false;
      more = true;
    }
  }
  for (size_t i = 0; i < u->joints.n; i++)
    if (!u->joints.at[i]->child->placed)
      return xml_wrong(u->a, u->wrong, u->joints.at[i]->node->at, "the joints of this robot make a circle");
  return true;
}

// The first link with a mass that fixed joints join to the root.
static Link *carrier_of(const Urdf *u) {
  for (size_t i = 0; i < u->links.n; i++) {
    const Link *l = u->links.at[i];
    while (l->above && !strcmp(l->above->type, "fixed") && (l->mass == 0 || l == u->links.at[i])) l = l->above->parent;
    if (l == u->root && u->links.at[i]->mass > 0) return u->links.at[i];
  }
  return NULL;
}

// A root without a mass is a name for the place of what hangs on it.
static bool stands(const Urdf *u, const Link *l) {
  return l == u->root && (u->fixed || !strcmp(l->name, "world") || (l->mass == 0 && !u->carrier));
}

const char *urdf_body(const Urdf *u, const Link *l) {
  while (l->mass == 0 && !stands(u, l) && l->above && !strcmp(l->above->type, "fixed")) l = l->above->parent;
  if (l == u->root && l->mass == 0 && !stands(u, l)) l = u->carrier;
  return stands(u, l) ? "ground" : l->own;
}

// A link that moves has a mass, or is fixed to one that has.
static bool masses(Urdf *u) {
  for (size_t i = 0; i < u->links.n; i++) {
    const Link *l = u->links.at[i];
    bool carried = l == u->root || (l->above && !strcmp(l->above->type, "fixed"));
    if (l->mass > 0 || carried) continue;
    return xml_wrong(u->a, u->wrong, l->node->at, "the link `%s` moves and has no mass: it needs an `inertial`",
                     l->name);
  }
  return true;
}

// What was expanded may still name the space of xacro: it has no element of it.
static bool of_xacro(const XmlNode *n) {
  for (; n; n = n->next)
    if (!strncmp(n->name, "xacro:", 6) || of_xacro(n->first)) return true;
  return false;
}

bool urdf_read(Urdf *u) {
  u->robot = xml_read(u->a, u->file, u->wrong);
  if (!u->robot) return false;
  if (of_xacro(u->robot))
    return xml_wrong(u->a, u->wrong, u->robot->at, "this is a file of xacro: expand it before, xacro %s > robot.urdf",
                     u->file->path);
  if (strcmp(u->robot->name, "robot") != 0)
    return xml_wrong(u->a, u->wrong, u->robot->at, "a file of URDF is a `robot`, and not `%s`", u->robot->name);
  bool good = true;
  for (const XmlNode *n = u->robot->first; n && good; n = n->next)
    if (!strcmp(n->name, "link")) good = read_link(u, n);
  for (const XmlNode *n = u->robot->first; n && good; n = n->next)
    if (!strcmp(n->name, "joint")) good = read_joint(u, n);
  if (good && u->links.n == 0) good = xml_wrong(u->a, u->wrong, u->robot->at, "this robot has no links");
  if (!good || !place_all(u)) return false;
  u->carrier = u->root->mass == 0 ? carrier_of(u) : NULL;
  return masses(u);
}
