// `pair`: two geoms that touch by a law of their own, whatever contype, conaffinity and exclude say. In nsm bodies
// touch with all of their shapes, so the geoms of a body that are shapes touch what the others touch.
#include <string.h>
#include "mjcf.h"

static MjGeom *geom_of(Mjcf *m, const XmlNode *n, const char *attribute) {
  const char *name = xml_text(n, attribute);
  for (size_t i = 0; name && i < m->geoms.n; i++)
    if (m->geoms.at[i]->name && !strcmp(m->geoms.at[i]->name, name)) return m->geoms.at[i];
  xml_wrong(m->a, m->wrong, n->at, name ? "there is no geom `%s`" : "a pair needs `%s`", name ? name : attribute);
  return NULL;
}

bool mjcf_touches(const MjGeom *g) { return g->contype || g->conaffinity || g->paired; }

// May it be a shape? Where it touches by the pair alone, no other geom of its body may touch.
static bool free_to_touch(const Mjcf *m, const MjGeom *g) {
  const MjBody *b = mjcf_rigid(g->body);
  if (!b || mjcf_touches(g)) return true;
  for (size_t i = 0; i < m->geoms.n; i++)
    if (mjcf_rigid(m->geoms.at[i]->body) == b && mjcf_touches(m->geoms.at[i])) return false;
  return true;
}

static bool with_hull(Mjcf *m, MjGeom *g) {
  RobotMesh of;
  if (g->shape != MJ_MESH || g->hull) return true;
  if (!mjcf_mesh(m, g, &of)) return false;
  g->hull = of.shape;
  return true;
}

static bool pair(Mjcf *m, const XmlNode *n) {
  MjPair p = { geom_of(m, n, "geom1"), NULL, { 0, { 0 } } };
  double condim = 3, friction[5] = { 1, 1, 0.005, 0.0001, 0.0001 };
  if (!p.g || !(p.h = geom_of(m, n, "geom2")) || mjcf_numbers(m, n, "pair", "condim", NULL, 1, &condim) < 0 ||
      mjcf_numbers(m, n, "pair", "friction", NULL, 5, friction) < 0)
    return false;
  if (friction[0] != friction[1] || friction[3] != friction[4])
    robot_left_out(&m->text, n, "the second coefficients of friction of a `pair`");
  p.law = (MjLaw){ (int)condim, { friction[0], friction[2], friction[3] } };
  if (mjcf_rigid(p.g->body) == mjcf_rigid(p.h->body)) {
    robot_left_out(&m->text, n, "a `pair` of one body");
    return true;
  }
  if (!free_to_touch(m, p.g) || !free_to_touch(m, p.h)) {
    robot_left_out(&m->text, n, "a `pair` of a geom that touches nothing else, beside geoms of its body that do");
    return true;
  }
  p.g->paired = p.h->paired = true;
  vec_push(&m->pairs, p);
  return with_hull(m, p.g) && with_hull(m, p.h);
}

bool mjcf_pairs(Mjcf *m) {
  for (const XmlNode *all = xml_child(m->root, "contact"); all; all = xml_next(all, "contact"))
    for (const XmlNode *n = xml_child(all, "pair"); n; n = xml_next(n, "pair"))
      if (!pair(m, n)) return false;
  return true;
}

const MjLaw *mjcf_pair_law(const Mjcf *m, const MjGeom *g, const MjGeom *h) {
  for (size_t i = 0; i < m->pairs.n; i++) {
    const MjPair *p = &m->pairs.at[i];
    if ((p->g == g && p->h == h) || (p->g == h && p->h == g)) return &p->law;
  }
  return NULL;
}
