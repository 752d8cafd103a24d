// Joints of MJCF. One in a body is a joint of std/joints.nsm. Several in one body follow each other, and each has a
// coordinate of its own with its armature; rows hold the body where they lead:
//
//   R = R_A rot(a_1, q_1) rot(a_2, q_2) ... R_0,   r = r_A + R_A (p_1 + rot(a_1, q_1) (p_2 - p_1 + ... (c - p_n)))
//
// with places and axes in the axes of the body A above, as they are at the start. Behind them what acts along joints,
// tendons and actuators.
#include <math.h>
#include <string.h>
#include "mjcf.h"

static int line_of(const XmlNode *n) { return source_line(n->at.file, n->at.lo); }
static const char *unit_of(const MjJoint *j) { return j->kind == MJ_SLIDE ? "m" : "rad"; }
static const char *effort_of(const MjJoint *j) { return j->kind == MJ_SLIDE ? "N" : "N*m"; }

// ---- several joints in one body -------------------------------------------------------------------------------------
// In the axes of the body above, from its centre of mass; the world has its own.
static const char *in_axes(Mjcf *m, const MjBody *above, const double x[3], bool place) {
  double to[3];
  for (int i = 0; i < 3; i++) {
    to[i] = 0;
    for (int k = 0; k < 3; k++)
      to[i] += (above ? above->at.R[k][i] : i == k) * (x[k] - (above && place ? above->com[k] : 0));
  }
  return robot_vector(m->a, to);
}

static void rows(Mjcf *m, const MjBody *b, const char *turned, const char *place, Text *out) {
  const MjBody *above = mjcf_rigid(b->parent);
  const char *A = mjcf_own(b->parent), *name = robot_name(&m->text, arena_printf(m->a, "%s_follows", b->own), "_");
  const char *R = arena_printf(m->a, "%s_turn", name), *E = arena_printf(m->a, "%s_off", name);
  Frame start = frame_rest();
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      start.R[i][k] = 0;
      for (int l = 0; l < 3; l++) start.R[i][k] += (above ? above->at.R[l][i] : i == l) * b->at.R[l][k];
    }
  const char *first = robot_turn(m->a, &start);
  text_printf(out, "  var %s = %s%s%s%s%s%s;\n", R, above ? A : "", above ? ".R" : "", above && *turned ? "*" : "",
              turned, first ? "*" : "", first ? first : "");
  text_printf(out, "  var %s = transpose(%s)*%s.R;\n", E, R, b->own);
  if (above) text_printf(out, "  constraint %s_place: %s.r = %s.r + %s.R*(%s);\n", name, b->own, A, A, place);
  else text_printf(out, "  constraint %s_place: %s.r = %s;\n", name, b->own, place);
  text_printf(out, "  constraint %s_x: %s[3, 2] - %s[2, 3] = 0;\n  constraint %s_y: %s[1, 3] - %s[3, 1] = 0;\n"
              "  constraint %s_z: %s[2, 1] - %s[1, 2] = 0;\n", name, E, E, name, E, E, name, E, E);
}

static bool several(Mjcf *m, const MjBody *b, size_t first, Text *out) {
  const MjBody *above = mjcf_rigid(b->parent);
  const char *turned = "", *open = "", *close = "", *last = NULL;
  for (size_t i = first; i < first + (size_t)b->njoint; i++) {
    MjJoint *j = m->joints.at[i];
    const char *axis = in_axes(m, above, j->axis, false);
    if (j->kind == MJ_BALL)
      return xml_wrong(m->a, m->wrong, j->node->at, "a ball joint beside another joint of the same body is not read");
    if (!(j->armature > 0))
      return xml_wrong(m->a, m->wrong, j->node->at, "several joints of one body need an `armature` each: this one "
                       "would move a part without mass");
    text_printf(out, "  coord %s : %s = 0;  // line %d\n", j->own, unit_of(j), line_of(j->node));
    j->place = j->own;
    j->rate = arena_printf(m->a, "%s'", j->own);
    if (j->kind == MJ_HINGE) {
      const char *turn = arena_printf(m->a, "rotation(%s, %s)", axis, j->own), *at = in_axes(m, above, j->at, true);
      open = last ? arena_printf(m->a, "%s%s [m] - %s [m] + %s*(", open, at, last, turn)
                  : arena_printf(m->a, "%s%s [m] + %s*(", open, at, turn);
      close = arena_printf(m->a, "%s)", close);
      turned = *turned ? arena_printf(m->a, "%s*%s", turned, turn) : turn;
      last = at;
    } else {
      double n = sqrt(j->axis[0]*j->axis[0] + j->axis[1]*j->axis[1] + j->axis[2]*j->axis[2]);
      const double unit[3] = { j->axis[0] / n, j->axis[1] / n, j->axis[2] / n };
      open = arena_printf(m->a, "%s%s*%s + ", open, in_axes(m, above, unit, false), j->own);
    }
  }
  const char *centre = in_axes(m, above, b->com, true);
  const char *inmost = arena_printf(m->a, "%s [m]", centre);
  if (last) inmost = arena_printf(m->a, "%s - %s [m]", inmost, last);
  const char *place = arena_printf(m->a, "%s%s%s", open, inmost, close);
  rows(m, b, turned, place, out);
  return true;
}

// ---- one joint ------------------------------------------------------------------------------------------------------
static void one(Mjcf *m, MjJoint *j, Text *out) {
  static const char *const part[] = { "Hinge", "Slider", "Ball" }, *const place[] = { "angle", "position", "angles" },
                    *const rate[] = { "rate", "speed", "rates" };
  text_printf(out, "  %s %s(A = %s, B = %s, at = %s [m]", part[j->kind], j->own, mjcf_own(j->body->parent),
              j->body->own, robot_vector(m->a, j->at));
  if (j->kind != MJ_BALL) text_printf(out, ", axis = %s", robot_vector(m->a, j->axis));
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
  if (j->armature > 0)
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
    else if (!several(m, j->body, i, out)) return;
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

// The length of a fixed tendon from the start, its rate, and what it was at the start. False: a joint is not here.
static bool length_of(Mjcf *m, const XmlNode *n, const char **place, const char **rate, double *start) {
  *place = *rate = NULL;
  *start = 0;
  for (const XmlNode *x = xml_child(n, "joint"); x; x = xml_next(x, "joint")) {
    const MjJoint *j = mjcf_joint(m, xml_text(x, "joint"));
    double coef = 1;
    if (!j || j->kind == MJ_BALL || mjcf_numbers(m, x, "joint", "coef", "", 1, &coef) < 0) return false;
    const char *c = robot_number(m->a, coef);
    const char *plus = *place ? " + " : "";
    *place = arena_printf(m->a, "%s%s(%s)*%s", *place ? *place : "", plus, c, j->place);
    *rate = arena_printf(m->a, "%s%s(%s)*%s", *rate ? *rate : "", plus, c, j->rate);
    *start += coef * j->ref;
  }
  return *place != NULL;
}

static void tendon(Mjcf *m, const XmlNode *n, Text *out) {
  const char *place, *rate, *limited = mjcf_text(m, n, "tendon", "limited", NULL);
  double start, range[2] = { 0 }, stiffness = 0, damping = 0;
  if (!length_of(m, n, &place, &rate, &start)) {
    robot_left_out(&m->text, n, "tendons of joints that are not read");
    return;
  }
  const char *name = robot_name(&m->text, xml_text(n, "name") ? xml_text(n, "name") : "tendon", "_tendon");
  bool has = mjcf_numbers(m, n, "tendon", "range", NULL, 2, range) == 2;
  mjcf_numbers(m, n, "tendon", "stiffness", NULL, 1, &stiffness);
  mjcf_numbers(m, n, "tendon", "damping", NULL, 1, &damping);
  text_printf(out, "  var %s = %s;  // line %d\n", name, place, line_of(n));
  if (has && (limited ? !strcmp(limited, "true") : m->autolimits))
    text_printf(out, "  contact %s_low: %s - (%s) >= 0 with newton(0);\n"
                "  contact %s_high: %s - %s >= 0 with newton(0);\n", name, name,
                robot_number(m->a, range[0] - start), name, robot_number(m->a, range[1] - start), name);
  if (stiffness > 0) robot_left_out(&m->text, n, "springs of tendons");
  if (damping > 0) robot_left_out(&m->text, n, "dampers of tendons");
}

static void tendons(Mjcf *m, Text *out) {
  for (const XmlNode *all = xml_child(m->root, "tendon"); all; all = xml_next(all, "tendon")) {
    for (const XmlNode *n = xml_child(all, "fixed"); n; n = xml_next(n, "fixed")) tendon(m, n, out);
    if (xml_child(all, "spatial")) robot_left_out(&m->text, xml_child(all, "spatial"), "tendons in space");
  }
}

// ---- equality constraints -------------------------------------------------------------------------------------------
static const MjBody *body_named(const Mjcf *m, const char *name) {
  for (size_t i = 0; name && i < m->bodies.n; i++)
    if (m->bodies.at[i]->name && !strcmp(m->bodies.at[i]->name, name)) return m->bodies.at[i];
  return NULL;
}

// The first follows the second by a polynomial: what both are from the start, as MuJoCo has it.
static void follows(Mjcf *m, const XmlNode *n, const char *name, Text *out) {
  const MjJoint *j = mjcf_joint(m, xml_text(n, "joint1")), *k = mjcf_joint(m, xml_text(n, "joint2"));
  double c[5] = { 0, 1, 0, 0, 0 };
  if (!j || j->kind == MJ_BALL || (k && k->kind == MJ_BALL)) {
    robot_left_out(&m->text, n, "equality of joints that are not read");
    return;
  }
  mjcf_numbers(m, n, "equality", "polycoef", NULL, 5, c);
  text_printf(out, "  constraint %s: %s/(1 [%s]) = %s", name, j->place, unit_of(j), robot_number(m->a, c[0]));
  for (int i = 1; k && i < 5; i++)
    if (c[i] != 0)
      text_printf(out, " + (%s)*(%s/(1 [%s]))^%d", robot_number(m->a, c[i]), k->place, unit_of(k), i);
  text_printf(out, ";  // line %d\n", line_of(n));
}

static void equality(Mjcf *m, const XmlNode *n, Text *out) {
  const MjBody *b = body_named(m, xml_text(n, "body1")), *c = body_named(m, xml_text(n, "body2"));
  const char *active = xml_text(n, "active"), *A = mjcf_own(c), *B = mjcf_own(b);
  const char *name = robot_name(&m->text, xml_text(n, "name") ? xml_text(n, "name") : n->name, "_holds");
  double anchor[3] = { 0 }, at[3];
  bool connect = !strcmp(n->name, "connect");
  if (active && !strcmp(active, "false")) {
    robot_left_out(&m->text, n, "equality that is not active");
    return;
  }
  if (!strcmp(n->name, "joint")) {
    follows(m, n, name, out);
    return;
  }
  if ((!connect && strcmp(n->name, "weld")) || !b || !strcmp(A, B) || xml_text(n, "relpose")) {
    const char *posed = xml_text(n, "relpose") ? " with a pose" : "";
    robot_left_out(&m->text, n, arena_printf(m->a, "equality `%s`%s", n->name, posed));
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

static void actuator(Mjcf *m, const XmlNode *n, Text *out) {
  const MjJoint *j = mjcf_joint(m, mjcf_text(m, n, n->name, "joint", NULL));
  const XmlNode *t = tendon_named(m, mjcf_text(m, n, n->name, "tendon", NULL));
  const char *place = j ? j->place : NULL, *rate = j ? j->rate : NULL, *name = xml_text(n, "name");
  double gear = 1, range[2] = { 0 }, start = j ? j->ref : 0;
  MjForce f;
  if (xml_text(n, "cranksite")) {
    robot_left_out(&m->text, n, "actuators by a crank and a slider");
    return;
  }
  if ((!j && !t) || (j && j->kind == MJ_BALL) || (t && !length_of(m, t, &place, &rate, &start)) ||
      !force_of(m, n, &f)) {
    robot_left_out(&m->text, n, arena_printf(m->a, "actuators `%s` of this kind", n->name));
    return;
  }
  mjcf_numbers(m, n, n->name, "gear", NULL, 1, &gear);
  name = robot_name(&m->text, name ? name : "control", "_control");
  const char *control = name, *unit = j ? unit_of(j) : "rad", *effort = j ? effort_of(j) : "N*m";
  if (is_limited(m, n, "ctrllimited", "ctrlrange") && mjcf_numbers(m, n, n->name, "ctrlrange", NULL, 2, range) == 2)
    control = clamped(m, name, range);
  const char *force = arena_printf(m->a, "%s*%s", robot_number(m->a, f.gain), control);
  if (f.bias[0] != 0) force = arena_printf(m->a, "%s + (%s)", force, robot_number(m->a, f.bias[0]));
  if (f.bias[1] != 0)
    force = arena_printf(m->a, "%s + (%s)*((%s)/(1 [%s]) + (%s))", force, robot_number(m->a, gear * f.bias[1]), place,
                         unit, robot_number(m->a, start));
  if (f.bias[2] != 0)
    force = arena_printf(m->a, "%s + (%s)*(%s)/(1 [%s/s])", force, robot_number(m->a, gear * f.bias[2]), rate, unit);
  if (is_limited(m, n, "forcelimited", "forcerange") && mjcf_numbers(m, n, n->name, "forcerange", NULL, 2, range) == 2)
    force = clamped(m, force, range);
  text_printf(out, "  input %s = 0;  // line %d\n  force %s = %s [%s]*(%s);\n", name, line_of(n), place,
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
