// Joints of MJCF. One in a body is a joint of std/joints.nsm; several are in mjcf_chain.c. Behind them what acts along
// joints, tendons and actuators.
#include <math.h>
#include <string.h>
#include "mjcf.h"

static int line_of(const XmlNode *n) { return source_line(n->at.file, n->at.lo); }
static const char *unit_of(const MjJoint *j) { return j->kind == MJ_SLIDE ? "m" : "rad"; }
static const char *effort_of(const MjJoint *j) { return j->kind == MJ_SLIDE ? "N" : "N*m"; }

// ---- one joint ------------------------------------------------------------------------------------------------------
static void one(Mjcf *m, MjJoint *j, Text *out) {
  static const char *const part[] = { "Hinge", "Slider", "Ball" }, *const place[] = { "angle", "position", "angles" },
                    *const rate[] = { "rate", "speed", "rates" };
  text_printf(out, "  %s %s(A = %s, B = %s, at = %s [m]", part[j->kind], j->own, mjcf_own(j->body->parent),
              j->body->own, robot_vector(m->a, j->at));
  if (j->kind != MJ_BALL) text_printf(out, ", axis = %s", robot_vector(m->a, j->axis));
  if (j->kind == MJ_HINGE && j->armature > 0)
    text_printf(out, ", armature = %s [kg*m^2]", robot_number(m->a, j->armature));
  text_printf(out, ");  // line %d\n", line_of(j->node));
  j->place = arena_printf(m->a, "%s.%s", j->own, place[j->kind]);
  j->rate = arena_printf(m->a, "%s.%s", j->own, rate[j->kind]);
}

// ---- what acts along a joint ----------------------------------------------------------------------------------------
static void acts(Mjcf *m, const MjJoint *j, Text *out) {
  Arena *a = m->a;
  const char *effort = effort_of(j), *unit = unit_of(j), *mass = j->kind == MJ_SLIDE ? "kg" : "kg*m^2";
  const char *squared = j->kind == MJ_BALL ? arena_printf(a, "dot(%s, %s)", j->rate, j->rate)
                                           : arena_printf(a, "%s^2", j->rate);
  const char *per = j->kind == MJ_SLIDE ? "N*s/m" : "N*m*s";
  if (j->armature > 0 && (j->kind != MJ_HINGE || j->body->njoint > 1))
    text_printf(out, "  kinetic %s [%s]*%s/2;\n", robot_number(a, j->armature), mass, squared);
  if (j->damping > 0)
    text_printf(out, "  dissipation %s [%s]*%s/2;\n", robot_number(a, j->damping), per, squared);
  if (j->kind == MJ_BALL) {
    if (j->stiffness > 0) robot_left_out(&m->text, j->node, "springs of ball joints");
    if (j->limited) robot_left_out(&m->text, j->node, "limits of ball joints");
    if (j->dry > 0) robot_left_out(&m->text, j->node, "dry friction of ball joints");
    return;
  }
  double rest = j->springref - j->ref;
  if (j->stiffness > 0 && rest != 0)
    text_printf(out, "  potential %s [%s]*(%s - %s [%s])^2/2;\n", robot_number(a, j->stiffness),
                j->kind == MJ_SLIDE ? "N/m" : "N*m", j->place, robot_number(a, rest), unit);
  else if (j->stiffness > 0)
    text_printf(out, "  potential %s [%s]*%s^2/2;\n", robot_number(a, j->stiffness),
                j->kind == MJ_SLIDE ? "N/m" : "N*m", j->place);
  if (j->dry > 0)
    text_printf(out, "  contact %s_dry { normal_force = %s [%s]; slip = %s; with coulomb(1); }\n", j->own,
                robot_number(a, j->dry), effort, j->rate);
  if (j->limited)
    text_printf(out, "  contact %s_low: %s - (%s [%s]) >= 0 with newton(0);\n"
                "  contact %s_high: %s [%s] - %s >= 0 with newton(0);\n", j->own, j->place,
                robot_number(a, j->range[0] - j->ref), unit, j->own, robot_number(a, j->range[1] - j->ref), unit,
                j->place);
}

void mjcf_joints(Mjcf *m, Text *out) {
  for (size_t i = 0; i < m->joints.n && !m->wrong->what;) {
    MjJoint *j = m->joints.at[i];
    size_t n = (size_t)j->body->njoint;
    if (n == 1) one(m, j, out);
    else if (!mjcf_chain(m, j->body, &m->joints.at[i], out)) return;
    for (size_t k = i; k < i + n; k++) acts(m, m->joints.at[k], out);
    i += n;
  }
}

// ---- tendons --------------------------------------------------------------------------------------------------------
static const XmlNode *tendon_named(const Mjcf *m, const char *name) {
  for (const XmlNode *all = xml_child(m->root, "tendon"); name && all; all = xml_next(all, "tendon"))
    for (const XmlNode *n = xml_child(all, "fixed"); n; n = xml_next(n, "fixed"))
      if (xml_text(n, "name") && !strcmp(xml_text(n, "name"), name)) return n;
  return NULL;
}

// A fixed tendon: its length from the start, its rate, their unit; its length at the start and where springs are slack.
// Joints of both kinds count as numbers.
typedef struct MjLength { const char *place, *rate, *unit; double start, slack; } MjLength;

// False: a joint is not here.
static bool length_of(Mjcf *m, const XmlNode *n, MjLength *l) {
  Arena *a = m->a;
  *l = (MjLength){ 0 };
  bool mixed = false;
  for (const XmlNode *x = xml_child(n, "joint"); x; x = xml_next(x, "joint")) {
    const MjJoint *j = mjcf_joint(m, xml_text(x, "joint"));
    if (!j || j->kind == MJ_BALL) return false;
    mixed |= l->unit && strcmp(l->unit, unit_of(j)) != 0;
    l->unit = unit_of(j);
  }
  for (const XmlNode *x = xml_child(n, "joint"); x; x = xml_next(x, "joint")) {
    const MjJoint *j = mjcf_joint(m, xml_text(x, "joint"));
    double coef = 1;
    if (mjcf_numbers(m, x, "joint", "coef", "", 1, &coef) < 0) return false;
    const char *c = robot_number(a, coef), *plus = l->place ? " + " : "";
    const char *by = mixed ? arena_printf(a, "/(1 [%s])", unit_of(j)) : "";
    l->place = arena_printf(a, "%s%s(%s)*%s%s", l->place ? l->place : "", plus, c, j->place, by);
    l->rate = arena_printf(a, "%s%s(%s)*%s%s", l->rate ? l->rate : "", plus, c, j->rate, by);
    l->start += coef * j->ref;
    l->slack += coef * j->springref;
  }
  if (mixed) l->unit = "rad";
  return l->place != NULL;
}

// Stops, spring, damper and dry friction along a tendon.
static void along_tendon(Mjcf *m, const XmlNode *n, const MjLength *l, const char *name, Text *out) {
  Arena *a = m->a;
  double range[2] = { 0 }, stiffness = 0, damping = 0, dry = 0, slack[2] = { -1, -1 };
  const char *limited = mjcf_text(m, n, "tendon", "limited", NULL);
  bool way = !strcmp(l->unit, "m"), stops = limited && !strcmp(limited, "true");
  if (!limited || !strcmp(limited, "auto")) stops = m->autolimits;
  if (mjcf_numbers(m, n, "tendon", "range", NULL, 2, range) == 2 && stops)
    text_printf(out, "  contact %s_low: %s - (%s [%s]) >= 0 with newton(0);\n"
                "  contact %s_high: %s [%s] - %s >= 0 with newton(0);\n", name, name,
                robot_number(a, range[0] - l->start), l->unit, name, robot_number(a, range[1] - l->start), l->unit,
                name);
  mjcf_numbers(m, n, "tendon", "stiffness", NULL, 1, &stiffness);
  mjcf_numbers(m, n, "tendon", "damping", NULL, 1, &damping);
  mjcf_numbers(m, n, "tendon", "frictionloss", NULL, 1, &dry);
  mjcf_numbers(m, n, "tendon", "springlength", NULL, 2, slack);
  if (stiffness > 0)
    text_printf(out, "  potential %s [%s]*(%s - (%s [%s]))^2/2;\n", robot_number(a, stiffness), way ? "N/m" : "N*m",
                name, robot_number(a, (slack[0] < 0 ? l->slack : slack[0]) - l->start), l->unit);
  if (slack[1] > slack[0]) robot_left_out(&m->text, n, "slack of springs of tendons");
  if (damping > 0)
    text_printf(out, "  dissipation %s [%s]*(%s)^2/2;\n", robot_number(a, damping), way ? "N*s/m" : "N*m*s", l->rate);
  if (dry > 0)
    text_printf(out, "  contact %s_dry { normal_force = %s [%s]; slip = %s; with coulomb(1); }\n", name,
                robot_number(a, dry), way ? "N" : "N*m", l->rate);
}

static void tendon(Mjcf *m, const XmlNode *n, Text *out) {
  MjLength l;
  if (!length_of(m, n, &l)) {
    robot_left_whole(&m->text, n, "tendons of joints that are not read");
    return;
  }
  const char *name = robot_name(&m->text, xml_text(n, "name") ? xml_text(n, "name") : "tendon", "_tendon");
  text_printf(out, "  var %s = %s;  // line %d\n", name, l.place, line_of(n));
  along_tendon(m, n, &l, name, out);
}

static void tendons(Mjcf *m, Text *out) {
  for (const XmlNode *all = xml_child(m->root, "tendon"); all; all = xml_next(all, "tendon")) {
    for (const XmlNode *n = xml_child(all, "fixed"); n; n = xml_next(n, "fixed")) tendon(m, n, out);
    if (xml_child(all, "spatial")) robot_left_whole(&m->text, xml_child(all, "spatial"), "tendons in space");
  }
}

// ---- equality constraints -------------------------------------------------------------------------------------------
static const MjBody *body_named(const Mjcf *m, const char *name) {
  for (size_t i = 0; name && i < m->bodies.n; i++)
    if (m->bodies.at[i]->name && !strcmp(m->bodies.at[i]->name, name)) return m->bodies.at[i];
  return NULL;
}

// The place of a joint as a number, from where the file has it.
static const char *from_file(Mjcf *m, const MjJoint *j) {
  const char *x = arena_printf(m->a, "%s/(1 [%s])", j->place, unit_of(j));
  return j->moved == 0 ? x : arena_printf(m->a, "%s + %s", x, robot_number(m->a, j->moved));
}

// The first follows the second by a polynomial: what both are from the file, as MuJoCo has it.
static void follows(Mjcf *m, const XmlNode *n, const char *name, Text *out) {
  const MjJoint *j = mjcf_joint(m, xml_text(n, "joint1")), *k = mjcf_joint(m, xml_text(n, "joint2"));
  double c[5] = { 0, 1, 0, 0, 0 };
  if (!j || j->kind == MJ_BALL || (k && k->kind == MJ_BALL)) {
    robot_left_whole(&m->text, n, "equality of joints that are not read");
    return;
  }
  mjcf_numbers(m, n, "equality", "polycoef", NULL, 5, c);
  text_printf(out, "  constraint %s: %s = %s", name, from_file(m, j), robot_number(m->a, c[0]));
  for (int i = 1; k && i < 5; i++)
    if (c[i] != 0)
      text_printf(out, " + (%s)*(%s)^%d", robot_number(m->a, c[i]), from_file(m, k), i);
  text_printf(out, ";  // line %d\n", line_of(n));
}

static void equality(Mjcf *m, const XmlNode *n, Text *out) {
  const MjBody *b = body_named(m, xml_text(n, "body1")), *c = body_named(m, xml_text(n, "body2"));
  const char *active = xml_text(n, "active"), *A = mjcf_own(c), *B = mjcf_own(b);
  const char *name = robot_name(&m->text, xml_text(n, "name") ? xml_text(n, "name") : n->name, "_holds");
  double anchor[3] = { 0 }, at[3];
  bool connect = !strcmp(n->name, "connect");
  if (active && !strcmp(active, "false")) {
    robot_left_whole(&m->text, n, "equality that is not active");
    return;
  }
  if (!strcmp(n->name, "joint")) {
    follows(m, n, name, out);
    return;
  }
  if ((!connect && strcmp(n->name, "weld")) || !b || !strcmp(A, B) || xml_text(n, "relpose")) {
    const char *posed = xml_text(n, "relpose") ? " with a pose" : "";
    robot_left_whole(&m->text, n, arena_printf(m->a, "equality `%s`%s", n->name, posed));
    return;
  }
  if (mjcf_numbers(m, n, "equality", "anchor", NULL, 3, anchor) < 0) return;
  frame_point(&b->at, anchor, at);
  text_printf(out, "  %s %s(A = %s, B = %s, at = %s [m]);  // line %d\n", connect ? "Ball" : "Fixed", name, A, B,
              robot_vector(m->a, at), line_of(n));
}

// ---- actuators ------------------------------------------------------------------------------------------------------
// force = gain ctrl + b0 + b1 length + b2 rate, with length = gear q [MuJoCo 2022, "Actuation model"].
typedef struct MjForce { double gain, bias[3]; } MjForce;

static bool force_of(Mjcf *m, const XmlNode *n, MjForce *f) {
  double kp = 1, kv = 1;
  *f = (MjForce){ 1, { 0 } };
  if (!strcmp(n->name, "motor")) return true;
  if (!strcmp(n->name, "position")) {
    mjcf_numbers(m, n, "position", "kp", NULL, 1, &kp);
    *f = (MjForce){ kp, { 0, -kp, 0 } };
    kv = 0;
    if (mjcf_numbers(m, n, "position", "kv", NULL, 1, &kv) > 0) f->bias[2] = -kv;
    return true;
  }
  if (!strcmp(n->name, "velocity")) {
    mjcf_numbers(m, n, "velocity", "kv", NULL, 1, &kv);
    *f = (MjForce){ kv, { 0, 0, -kv } };
    return true;
  }
  const char *dyn = mjcf_text(m, n, "general", "dyntype", NULL), *gain = mjcf_text(m, n, "general", "gaintype", NULL),
             *bias = mjcf_text(m, n, "general", "biastype", NULL);
  if (strcmp(n->name, "general") || (dyn && strcmp(dyn, "none")) || (gain && strcmp(gain, "fixed")) ||
      (bias && strcmp(bias, "none") && strcmp(bias, "affine")))
    return false;
  mjcf_numbers(m, n, "general", "gainprm", NULL, 1, &f->gain);
  if (bias && !strcmp(bias, "affine")) mjcf_numbers(m, n, "general", "biasprm", NULL, 3, f->bias);
  return true;
}

static const char *clamped(Mjcf *m, const char *what, const double range[2]) {
  const char *low = robot_number(m->a, range[0]), *high = robot_number(m->a, range[1]);
  return arena_printf(m->a, "max(%s, min(%s, %s))", low, high, what);
}

static bool is_limited(const Mjcf *m, const XmlNode *n, const char *flag, const char *range) {
  const char *limited = mjcf_text(m, n, n->name, flag, NULL);
  if (limited && strcmp(limited, "auto") != 0) return !strcmp(limited, "true");
  return m->autolimits && mjcf_text(m, n, n->name, range, NULL);
}

// At a site: a force and a torque in its axes, as the six numbers of `gear` say.
static bool at_site(Mjcf *m, const XmlNode *n, const MjForce *f, Text *out) {
  MjSpot s;
  double gear[6] = { 1 }, range[2] = { 0 };
  const char *name = xml_text(n, "name");
  if (!mjcf_spot(m, "site", mjcf_text(m, n, n->name, "site", NULL), &s)) return false;
  if (f->bias[1] != 0 || f->bias[2] != 0 || mjcf_text(m, n, n->name, "refsite", NULL)) return false;
  if (mjcf_numbers(m, n, n->name, "gear", NULL, 6, gear) < 0) return false;
  name = robot_name(&m->text, name ? name : "control", "_control");
  const char *control = name, *own = s.rigid->own;
  if (is_limited(m, n, "ctrllimited", "ctrlrange") && mjcf_numbers(m, n, n->name, "ctrlrange", NULL, 2, range) == 2)
    control = clamped(m, name, range);
  const char *force = arena_printf(m->a, "%s*%s", robot_number(m->a, f->gain), control);
  if (f->bias[0] != 0) force = arena_printf(m->a, "%s + (%s)", force, robot_number(m->a, f->bias[0]));
  if (is_limited(m, n, "forcelimited", "forcerange") && mjcf_numbers(m, n, n->name, "forcerange", NULL, 2, range) == 2)
    force = clamped(m, force, range);
  text_printf(out, "  input %s = 0;  // line %d\n", name, line_of(n));
  if (gear[0] || gear[1] || gear[2])
    text_printf(out, "  force %s.point(%s [m]) = 1 [N]*(%s)*%s;\n", own, mjcf_spot_origin(m, &s), force,
                mjcf_spot_vector(m, &s, gear));
  if (gear[3] || gear[4] || gear[5])
    text_printf(out, "  force %s.omega = 1 [N*m]*(%s)*%s;\n", own, force, mjcf_spot_vector(m, &s, gear + 3));
  return true;
}

static void actuator(Mjcf *m, const XmlNode *n, Text *out) {
  const MjJoint *j = mjcf_joint(m, mjcf_text(m, n, n->name, "joint", NULL));
  const XmlNode *t = tendon_named(m, mjcf_text(m, n, n->name, "tendon", NULL));
  const char *name = xml_text(n, "name");
  double gear = 1, range[2] = { 0 };
  MjLength l = { 0 };
  MjForce f;
  if (j) l = (MjLength){ j->place, j->rate, unit_of(j), j->ref, 0 };
  if (xml_text(n, "cranksite")) {
    robot_left_whole(&m->text, n, "actuators by a crank and a slider");
    return;
  }
  if (!j && !t && force_of(m, n, &f) && at_site(m, n, &f, out)) return;
  if ((!j && !t) || (j && j->kind == MJ_BALL) || (t && !length_of(m, t, &l)) ||
      !force_of(m, n, &f)) {
    robot_left_whole(&m->text, n, arena_printf(m->a, "actuators `%s` of this kind", n->name));
    return;
  }
  mjcf_numbers(m, n, n->name, "gear", NULL, 1, &gear);
  name = robot_name(&m->text, name ? name : "control", "_control");
  const char *control = name, *effort = !strcmp(l.unit, "m") ? "N" : "N*m";
  if (is_limited(m, n, "ctrllimited", "ctrlrange") && mjcf_numbers(m, n, n->name, "ctrlrange", NULL, 2, range) == 2)
    control = clamped(m, name, range);
  const char *force = arena_printf(m->a, "%s*%s", robot_number(m->a, f.gain), control);
  if (f.bias[0] != 0) force = arena_printf(m->a, "%s + (%s)", force, robot_number(m->a, f.bias[0]));
  if (f.bias[1] != 0)
    force = arena_printf(m->a, "%s + (%s)*((%s)/(1 [%s]) + (%s))", force, robot_number(m->a, gear * f.bias[1]),
                         l.place, l.unit, robot_number(m->a, l.start));
  if (f.bias[2] != 0)
    force = arena_printf(m->a, "%s + (%s)*(%s)/(1 [%s/s])", force, robot_number(m->a, gear * f.bias[2]), l.rate,
                         l.unit);
  if (is_limited(m, n, "forcelimited", "forcerange") && mjcf_numbers(m, n, n->name, "forcerange", NULL, 2, range) == 2)
    force = clamped(m, force, range);
  text_printf(out, "  input %s = 0;  // line %d\n  force %s = %s [%s]*(%s);\n", name, line_of(n), l.place,
              robot_number(m->a, gear), effort, force);
}

void mjcf_actuators(Mjcf *m, Text *out) {
  if (m->wrong->what) return;
  tendons(m, out);
  for (const XmlNode *all = xml_child(m->root, "equality"); all; all = xml_next(all, "equality"))
    for (const XmlNode *n = all->first; n; n = n->next) equality(m, n, out);
  for (const XmlNode *all = xml_child(m->root, "actuator"); all; all = xml_next(all, "actuator"))
    for (const XmlNode *n = all->first; n; n = n->next) actuator(m, n, out);
}
