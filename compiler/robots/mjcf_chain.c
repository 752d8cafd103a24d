// Several joints in one body, which follow each other. Where each has an armature, each is a coordinate of its own, and
// rows hold the body where they lead: R = R_A rot(a_1, q_1) rot(a_2, q_2) ... R_0, and the point p_n at
//
//   r_A + R_A (p_1 + rot(a_1, q_1) (p_2 - p_1 + rot(a_2, q_2) (p_3 - p_2 + ...)))
//
// with places and axes in the axes of the body A above, as they are at the start; a way adds q along it. In the frame
// e_1 = a_1, e_2 = a_2 as far as it is across, e_3 the rows of R have few angles: e_1 e_2 = e_1 e_3 = e_3 e_2 = 0, with
// the first held in A (e_3 turned by q_1) and the second in the body (turned back by q_n, ..., q_2). Two turns across
// each other give one row without angles and two of one. Without armatures such coordinates would have no inertia.
// Ways, and behind them or before them up to three turns, are then read off the body: with p_i in A and b_i in the
// body, which are one frame e_i at the start, and d in A from where the turns, about points that may be apart, would
// put the last point,
//
//   d = r_p,n - r_p,1 - R_A rot(a_1, q_1) (p_2 - p_1 + rot(a_2, q_2) (p_3 - p_2))
//
//   ways along s_i         d = sum q_i s_i: rows across the s_i; q_i = s^i d with the dual vectors s^i, in A, or in the
//                          body where the ways are behind the turns
//   no turn                rows p_1 b_3 = p_2 b_3 = p_1 b_2 = 0
//   one, about e_3         rows p_1 b_3 = p_2 b_3 = 0;  tan q = p_2 b_1 / p_1 b_1
//   two, about a_1, a_2    row p_1 b_a2 = a_1 a_2;  tan q_1 = p_3 b_a2 / p_2 b_a2,  tan q_2 = p_1 b_3 / p_1 b_n
//                          with e_1 = a_1, e_3 across both, p_2 = p_3 x p_1 and b_n = b_a2 x b_3
//   three                  no row; the angles of Cardan: tan q_1 = -p_2 b_3 / p_3 b_3,  sin q_2 = p_1 b_3,
//                          tan q_3 = -p_1 b_2 / p_1 b_1
#include <math.h>
#include <string.h>
#include "mjcf.h"

static int line_of(const XmlNode *n) { return source_line(n->at.file, n->at.lo); }
static const char *unit_of(const MjJoint *j) { return j->kind == MJ_SLIDE ? "m" : "rad"; }

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

// ---- vectors --------------------------------------------------------------------------------------------------------
static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double to[3]) {
  for (int i = 0; i < 3; i++) to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void unit(const double a[3], double to[3]) {
  double n = sqrt(dot(a, a));
  for (int i = 0; i < 3; i++) to[i] = a[i] / n;
}

// A unit vector across the unit vector n.
static void across(const double n[3], double to[3]) {
  int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
  const double e[3] = { least == 0, least == 1, least == 2 };
  double c[3];
  cross(n, e, c);
  unit(c, to);
}

// In the axes of the body itself, from its centre of mass.
static const char *in_own(Mjcf *m, const MjBody *b, const double x[3], bool place) {
  double to[3];
  for (int i = 0; i < 3; i++) {
    to[i] = 0;
    for (int k = 0; k < 3; k++) to[i] += b->at.R[k][i] * (x[k] - (place ? b->com[k] : 0));
  }
  return robot_vector(m->a, to);
}

// ---- by coordinates -------------------------------------------------------------------------------------------------
// The turns among joint[n], in their order; how many.
static int turns_of(MjJoint **joint, int n, MjJoint **to) {
  int count = 0;
  for (int i = 0; i < n; i++)
    if (joint[i]->kind == MJ_HINGE) to[count++] = joint[i];
  return count;
}

// What is behind turn j, turned by it, where something is.
static const char *turned_about(Mjcf *m, const MjBody *above, const MjJoint *j, const char *behind) {
  if (!*behind) return behind;
  return arena_printf(m->a, "rotation(%s, %s)*(%s)", in_axes(m, above, j->axis, false), j->own, behind);
}

static const char *sum(Mjcf *m, const char *a, const char *b) {
  return !*b ? a : !*a ? b : arena_printf(m->a, "%s + %s", a, b);
}

// From the point of the first turn to that of the last, and along the ways, in the axes of the body above.
static const char *way_of(Mjcf *m, const MjBody *above, MjJoint **joint, int n) {
  const char *way = "";
  const MjJoint *next = NULL;
  for (int i = n - 1; i >= 0; i--) {
    MjJoint *j = joint[i];
    double by[3], far = 0;
    if (j->kind == MJ_SLIDE) {
      unit(j->axis, by);
      way = sum(m, arena_printf(m->a, "%s*%s", in_axes(m, above, by, false), j->own), way);
      continue;
    }
    for (int k = 0; k < 3; k++) by[k] = next ? next->at[k] - j->at[k] : 0;
    for (int k = 0; k < 3; k++) far = fmax(far, fabs(by[k]));
    if (far > 0) way = sum(m, arena_printf(m->a, "%s [m]", in_axes(m, above, by, false)), way);
    way = turned_about(m, above, j, way);
    next = j;
  }
  return way;
}

// The frame e_i: e_1 is the axis of the first turn, e_2 that of the second as far as it is across.
static void frame_of_chain(MjJoint **turn, int n, double e[3][3]) {
  static const double up[3] = { 0, 0, 1 };
  double third[3] = { 0 };
  unit(n > 0 ? turn[0]->axis : up, e[0]);
  if (n > 1) cross(e[0], turn[1]->axis, third);
  if (dot(third, third) > 1e-6 * dot(e[0], e[0])) unit(third, e[2]);
  else across(e[0], e[2]);
  cross(e[2], e[0], e[1]);
}

// e in A, turned by the first turn; e in the body, turned back by the others.
static const char *in_above(Mjcf *m, const MjBody *b, MjJoint **turn, int n, const double e[3], bool first) {
  const MjBody *above = mjcf_rigid(b->parent);
  const char *v = in_axes(m, above, e, false);
  if (n > 0 && !first) v = arena_printf(m->a, "rotation(%s, %s)*%s", in_axes(m, above, turn[0]->axis, false),
                                        turn[0]->own, v);
  return arena_printf(m->a, "%s.vector(%s)", mjcf_own(b->parent), v);
}

static const char *in_body(Mjcf *m, const MjBody *b, MjJoint **turn, int n, const double e[3]) {
  const char *v = in_own(m, b, e, false);
  double along[3], c[3];
  for (int i = 1; i < n; i++) {
    unit(turn[i]->axis, along);
    cross(along, e, c);
    if (i == 1 && dot(c, c) < 1e-28) continue;
    v = arena_printf(m->a, "rotation(%s, -%s)*(%s)", in_own(m, b, turn[i]->axis, false), turn[i]->own, v);
  }
  return arena_printf(m->a, "%s.vector(%s)", b->own, v);
}

static void by_coordinates(Mjcf *m, const MjBody *b, MjJoint **joint, Text *out) {
  const MjBody *above = mjcf_rigid(b->parent);
  const char *A = mjcf_own(b->parent), *name = robot_name(&m->text, arena_printf(m->a, "%s_follows", b->own), "_");
  MjJoint **turn = ARENA_ARRAY(m->a, MjJoint *, b->njoint);
  int n = turns_of(joint, b->njoint, turn);
  double e[3][3];
  for (int i = 0; i < b->njoint; i++) {
    MjJoint *j = joint[i];
    j->place = j->own;
    j->rate = arena_printf(m->a, "%s'", j->own);
    text_printf(out, "  coord %s : %s = 0;  // line %d: %s %s", j->own, unit_of(j), line_of(j->node),
                j->kind == MJ_HINGE ? "about" : "along", in_axes(m, above, j->axis, false));
    if (j->kind == MJ_HINGE) text_printf(out, " at %s", in_axes(m, above, j->at, true));
    text_add(out, "\n");
  }
  const char *way = way_of(m, above, joint, b->njoint);
  text_printf(out, "  constraint %s_place: %s.point(%s [m]) = %s.point(%s [m])", name, b->own,
              in_own(m, b, n > 0 ? turn[n - 1]->at : b->com, true), A,
              in_axes(m, above, n > 0 ? turn[0]->at : b->com, true));
  if (*way) text_printf(out, " + %s.vector(%s)", A, way);
  text_add(out, ";\n");
  frame_of_chain(turn, n, e);
  text_printf(out, "  constraint %s: [dot(%s, %s),\n", name, in_above(m, b, turn, n, e[0], true),
              in_body(m, b, turn, n, e[1]));
  text_printf(out, "    dot(%s, %s),\n", in_above(m, b, turn, n, e[0], true), in_body(m, b, turn, n, e[2]));
  text_printf(out, "    dot(%s, %s)] = 0;\n", in_above(m, b, turn, n, e[2], false), in_body(m, b, turn, n, e[1]));
}

// ---- read off the body ----------------------------------------------------------------------------------------------
// The chain at hand: ways, then turns. p, b: texts of the frame in A and in the body; d: of the way of the point.
typedef struct Chain {
  Mjcf *m;
  const MjBody *b;
  MjJoint **way, **turn;
  int nway, nturn;
  const char *A, *name, *d, *p[3], *own[3];
  double tilt;                          // of two turns: a_1 a_2
  bool behind;                          // the ways are behind the turns, and so in the axes of the body
} Chain;

static const char *of_A(const Chain *c, const double x[3]) {
  return arena_printf(c->m->a, "%s.vector(%s)", c->A, in_axes(c->m, mjcf_rigid(c->b->parent), x, false));
}

static bool across_each_other(const MjJoint *a, const MjJoint *b) {
  double e[3], f[3];
  unit(a->axis, e);
  unit(b->axis, f);
  return fabs(dot(e, f)) < 1e-9;
}

// Can it be read off? Ways that are independent, two turns that are not parallel, or three across each other.
static bool fits(const Chain *c) {
  double s[3][3], n[3];
  if (c->nway > 3 || c->nturn > 3) return false;
  for (int i = 0; i < c->nway; i++) unit(c->way[i]->axis, s[i]);
  if (c->nway >= 2) cross(s[0], s[1], n);
  if (c->nway >= 2 && dot(n, n) < 1e-12) return false;
  if (c->nway == 3 && fabs(dot(n, s[2])) < 1e-6) return false;
  if (c->nturn == 2) {
    unit(c->turn[0]->axis, s[0]);
    unit(c->turn[1]->axis, s[1]);
    cross(s[0], s[1], n);
    return dot(n, n) > 1e-6;
  }
  for (int i = 0; i < c->nturn; i++)
    for (int k = 0; k < i; k++)
      if (!across_each_other(c->turn[i], c->turn[k])) return false;
  return true;
}

static void reads(const Chain *c, MjJoint *j, const char *as, const char *kind, Text *out) {
  const MjBody *above = mjcf_rigid(c->b->parent);
  j->place = j->own;
  j->rate = arena_printf(c->m->a, "%s'", j->own);
  text_printf(out, "  output %s = %s;  // line %d: %s %s", j->own, as, line_of(j->node), kind,
              in_axes(c->m, above, j->axis, false));
  if (j->kind == MJ_HINGE) text_printf(out, " at %s", in_axes(c->m, above, j->at, true));
  text_add(out, "\n");
}

static void ways(const Chain *c, Text *out) {
  Arena *a = c->m->a;
  double s[3][3], dual[3][3], volume;
  int n = c->nway;
  if (n > 0) unit(c->way[0]->axis, s[0]);
  if (n > 1) unit(c->way[1]->axis, s[1]);
  else if (n > 0) across(s[0], s[1]);
  if (n > 2) unit(c->way[2]->axis, s[2]);
  else if (n > 0) {
    double third[3];
    cross(s[0], s[1], third);
    unit(third, s[2]);
  }
  if (n == 0) text_printf(out, "  constraint %s_point: %s = 0;\n", c->name, c->d);
  for (int i = 0; i < 3 && n > 0; i++) {
    cross(s[(i + 1) % 3], s[(i + 2) % 3], dual[i]);
    volume = dot(dual[i], s[i]);
    for (int k = 0; k < 3; k++) dual[i][k] /= volume;
    const char *way = c->behind ? arena_printf(a, "%s.vector(%s)", c->b->own, in_own(c->m, c->b, dual[i], false))
                                : of_A(c, dual[i]);
    const char *as = arena_printf(a, "dot(%s, %s)", way, c->d);
    if (i < n) reads(c, c->way[i], as, "along", out);
    else text_printf(out, "  constraint %s_side%s: %s = 0;\n", c->name, n == 1 ? i == 1 ? "1" : "2" : "", as);
  }
}

static const char *product(const Chain *c, int p, int b) {
  return arena_printf(c->m->a, "dot(%s, %s)", c->p[p - 1], c->own[b - 1]);
}

static const char *ratio(const Chain *c, const char *sine, const char *cosine) {
  return arena_printf(c->m->a, "turned(%s, %s)", sine, cosine);
}

// right: the third axis is e_3, and not against it.
static void turns(const Chain *c, bool right, Text *out) {
  Arena *a = c->m->a;
  MjJoint **j = c->turn;
  switch (c->nturn) {
  case 0:
    text_printf(out, "  constraint %s_turn: [%s, %s, %s] = 0;\n", c->name, product(c, 1, 3), product(c, 2, 3),
                product(c, 1, 2));
    break;
  case 1:
    text_printf(out, "  constraint %s_tilt: [%s, %s] = 0;\n", c->name, product(c, 1, 3), product(c, 2, 3));
    reads(c, j[0], ratio(c, product(c, 2, 1), product(c, 1, 1)), "about", out);
    break;
  case 2:
    text_printf(out, "  constraint %s_tilt: %s = %s;\n", c->name, product(c, 1, 2), robot_number(a, c->tilt));
    reads(c, j[0], ratio(c, product(c, 3, 2), product(c, 2, 2)), "about", out);
    reads(c, j[1], ratio(c, product(c, 1, 3), product(c, 1, 1)), "about", out);
    break;
  default:
    reads(c, j[0], ratio(c, arena_printf(a, "-%s", product(c, 2, 3)), product(c, 3, 3)), "about", out);
    reads(c, j[1], arena_printf(a, "asin(%s)", product(c, 1, 3)), "about", out);
    reads(c, j[2], ratio(c, arena_printf(a, "%s%s", right ? "-" : "", product(c, 1, 2)), product(c, 1, 1)), "about",
          out);
  }
}

// The frame e_i of one turn or three: their axes stand in it as the head of this file says.
static void frame_of_turns(const Chain *c, double e[3][3]) {
  double first[3] = { 0, 0, 1 };
  if (c->nturn > 0) unit(c->turn[0]->axis, first);
  if (c->nturn < 2) {
    memcpy(e[2], first, sizeof first);
    across(e[2], e[0]);
    cross(e[2], e[0], e[1]);
    return;
  }
  memcpy(e[0], first, sizeof first);
  unit(c->turn[1]->axis, e[1]);
  cross(e[0], e[1], e[2]);
}

// The frames e_i in A and f_i in the body, which are two where two turns are not across each other.
static void frames_of_turns(Chain *c, double e[3][3], double f[3][3]) {
  double third[3];
  if (c->nturn != 2) {
    frame_of_turns(c, e);
    memcpy(f, e, 3 * sizeof *e);
    return;
  }
  unit(c->turn[0]->axis, e[0]);
  unit(c->turn[1]->axis, f[1]);
  cross(e[0], f[1], third);
  unit(third, e[2]);
  memcpy(f[2], e[2], sizeof f[2]);
  cross(e[2], e[0], e[1]);
  cross(f[1], f[2], f[0]);
  c->tilt = across_each_other(c->turn[0], c->turn[1]) ? 0 : dot(e[0], f[1]);
}

static void by_body(Chain *c, Text *out) {
  Mjcf *m = c->m;
  Arena *a = m->a;
  const MjBody *above = mjcf_rigid(c->b->parent);
  const double *at = c->nturn > 0 ? c->turn[0]->at : c->b->com, *last = at;
  double e[3][3], f[3][3];
  if (c->nturn > 0) last = c->turn[c->nturn - 1]->at;
  c->A = mjcf_own(c->b->parent);
  c->name = robot_name(&m->text, arena_printf(a, "%s_held", c->b->own), "_");
  c->d = arena_printf(a, "%s_way", c->name);
  text_printf(out, "  var %s = %s.point(%s [m]) - %s.point(%s [m]);\n", c->d, c->b->own,
              in_own(m, c->b, last, true), c->A, in_axes(m, above, at, true));
  const char *way = way_of(m, above, c->turn, c->nturn);
  if (*way) {
    const char *off = robot_name(&m->text, arena_printf(a, "%s_off", c->name), "_");
    text_printf(out, "  var %s = %s - %s.vector(%s);\n", off, c->d, c->A, way);
    c->d = off;
  }
  frames_of_turns(c, e, f);
  for (int i = 0; i < 3; i++) {
    c->p[i] = of_A(c, e[i]);
    c->own[i] = arena_printf(a, "%s.vector(%s)", c->b->own, in_own(m, c->b, f[i], false));
  }
  if (!c->behind) ways(c, out);
  turns(c, c->nturn < 3 || dot(c->turn[2]->axis, e[2]) > 0, out);
  if (c->behind) ways(c, out);
}

bool mjcf_chain(Mjcf *m, const MjBody *b, MjJoint **joint, Text *out) {
  Chain c = { .m = m, .b = b };
  const MjJoint *bare = NULL;
  for (int i = 0; i < b->njoint; i++) {
    if (joint[i]->kind == MJ_BALL)
      return xml_wrong(m->a, m->wrong, joint[i]->node->at, "a ball joint beside another joint of the same body is not "
                       "read");
    if (!bare && !(joint[i]->armature > 0)) bare = joint[i];
  }
  c.behind = joint[0]->kind == MJ_HINGE;
  int first = 1;                                           // how many are of the kind of the first one
  while (first < b->njoint && joint[first]->kind == joint[0]->kind) first++;
  c.nway = c.behind ? b->njoint - first : first;
  c.nturn = b->njoint - c.nway;
  c.way = c.behind ? joint + first : joint;
  c.turn = c.behind ? joint : joint + first;
  for (int i = first; i < b->njoint; i++)
    if (joint[i]->kind == joint[0]->kind) c.nway = 4;      // ways and turns that alternate
  if (!bare) by_coordinates(m, b, joint, out);
  else if (fits(&c)) by_body(&c, out);
  else
    return xml_wrong(m->a, m->wrong, bare->node->at, "joints of one body without an `armature` each are ways beside "
                     "one turn, two that are not parallel, or three across each other: this one would move a part "
                     "without mass");
  return true;
}
