// Sensors of MJCF as outputs: places and rates of joints, counted as the file counts; places and velocities of frames
// of bodies. What has no name gets that of its kind.
#include <string.h>
#include "mjcf.h"

static int line_of(const XmlNode *n) { return source_line(n->at.file, n->at.lo); }

static const MjBody *body_of(const Mjcf *m, const XmlNode *n) {
  const char *type = xml_text(n, "objtype"), *name = xml_text(n, "objname");
  for (size_t i = 0; type && name && !strcmp(type, "xbody") && i < m->bodies.n; i++)
    if (m->bodies.at[i]->name && !strcmp(m->bodies.at[i]->name, name)) return m->bodies.at[i];
  return NULL;
}

// The origin of a body of the file, in the body of the model that it is a part of, from its centre of mass.
static const char *origin_of(Mjcf *m, const MjBody *b) {
  const MjBody *rigid = b->rigid;
  double to[3];
  for (int i = 0; i < 3; i++) {
    to[i] = 0;
    for (int k = 0; k < 3; k++) to[i] += rigid->at.R[k][i] * (b->at.r[k] - rigid->com[k]);
  }
  return robot_vector(m->a, to);
}

static const char *value_of(Mjcf *m, const XmlNode *n) {
  Arena *a = m->a;
  const MjJoint *j = mjcf_joint(m, xml_text(n, "joint"));
  const MjBody *b = body_of(m, n);
  if (j && j->kind != MJ_BALL && !strcmp(n->name, "jointpos")) {
    if (j->ref == 0) return j->place;
    return arena_printf(a, "%s + %s [%s]", j->place, robot_number(a, j->ref), j->kind == MJ_SLIDE ? "m" : "rad");
  }
  if (j && j->kind != MJ_BALL && !strcmp(n->name, "jointvel")) return j->rate;
  if (!b || !b->rigid || xml_text(n, "reftype")) return NULL;
  if (!strcmp(n->name, "framepos")) return arena_printf(a, "%s.point(%s [m])", b->rigid->own, origin_of(m, b));
  if (!strcmp(n->name, "framelinvel")) return arena_printf(a, "%s.point(%s [m])'", b->rigid->own, origin_of(m, b));
  if (!strcmp(n->name, "frameangvel")) return arena_printf(a, "%s.omega", b->rigid->own);
  return NULL;
}

void mjcf_sensors(Mjcf *m, Text *out) {
  if (m->wrong->what) return;
  for (const XmlNode *all = xml_child(m->root, "sensor"); all; all = xml_next(all, "sensor"))
    for (const XmlNode *n = all->first; n; n = n->next) {
      const char *value = value_of(m, n);
      if (!value) {
        robot_left_out(&m->text, n, arena_printf(m->a, "sensors `%s`", n->name));
        continue;
      }
      const char *name = xml_text(n, "name") ? xml_text(n, "name") : n->name;
      text_printf(out, "  output %s = %s;  // line %d\n", robot_name(&m->text, name, "_sensor"), value, line_of(n));
    }
}
