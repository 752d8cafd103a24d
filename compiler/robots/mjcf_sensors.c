// Sensors of MJCF as outputs: places and rates of joints, counted as the file counts; places and velocities of frames
// of bodies. What has no name gets that of its kind.
#include <string.h>
#include "mjcf.h"

static int line_of(const XmlNode *n) { return source_line(n->at.file, n->at.lo); }

// A vector in the axes of the frame.
static const char *along_axes(Mjcf *m, const MjSpot *s, const char *vector) {
  const char *x[3];
  for (int i = 0; i < 3; i++) x[i] = arena_printf(m->a, "dot(%s, %s)", vector, mjcf_spot_axis(m, s, i));
  return arena_printf(m->a, "[%s, %s, %s]", x[0], x[1], x[2]);
}

static const char *of_frame(Mjcf *m, const XmlNode *n) {
  Arena *a = m->a;
  MjSpot s;
  static const char *const axes[] = { "framexaxis", "frameyaxis", "framezaxis" };
  const char *site = xml_text(n, "site");
  if (!mjcf_spot(m, site ? "site" : xml_text(n, "objtype"), site ? site : xml_text(n, "objname"), &s)) return NULL;
  if (xml_text(n, "reftype") || xml_text(n, "refname")) return NULL;
  const char *own = s.rigid->own, *rate = arena_printf(a, "%s.point(%s [m])'", own, mjcf_spot_origin(m, &s));
  if (!strcmp(n->name, "framepos")) return arena_printf(a, "%s.point(%s [m])", own, mjcf_spot_origin(m, &s));
  if (!strcmp(n->name, "framelinvel")) return rate;
  if (!strcmp(n->name, "velocimeter")) return along_axes(m, &s, rate);
  if (!strcmp(n->name, "frameangvel")) return arena_printf(a, "%s.omega", own);
  if (!strcmp(n->name, "gyro")) return along_axes(m, &s, arena_printf(a, "%s.omega", own));
  for (int i = 0; i < 3; i++) if (!strcmp(n->name, axes[i])) return mjcf_spot_axis(m, &s, i);
  return NULL;
}

static const char *value_of(Mjcf *m, const XmlNode *n) {
  const MjJoint *j = mjcf_joint(m, xml_text(n, "joint"));
  if (j && j->kind != MJ_BALL && !strcmp(n->name, "jointpos")) {
    if (j->ref == 0) return j->place;
    const char *unit = j->kind == MJ_SLIDE ? "m" : "rad";
    return arena_printf(m->a, "%s + %s [%s]", j->place, robot_number(m->a, j->ref), unit);
  }
  if (j && j->kind != MJ_BALL && !strcmp(n->name, "jointvel")) return j->rate;
  return of_frame(m, n);
}

void mjcf_sensors(Mjcf *m, Text *out) {
  if (m->wrong->what) return;
  for (const XmlNode *all = xml_child(m->root, "sensor"); all; all = xml_next(all, "sensor"))
    for (const XmlNode *n = all->first; n; n = n->next) {
      const char *value = value_of(m, n);
      if (!value) {
        robot_left_whole(&m->text, n, arena_printf(m->a, "sensors `%s`", n->name));
        continue;
      }
      const char *name = xml_text(n, "name") ? xml_text(n, "name") : n->name;
      text_printf(out, "  output %s = %s;  // line %d\n", robot_name(&m->text, name, "_sensor"), value, line_of(n));
    }
}
