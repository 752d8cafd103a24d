// Several joints in one body, which follow each other. Where each has an armature, each is a coordinate of its own, and
// rows hold the body where they lead:
//
//   R = R_A rot(a_1, q_1) rot(a_2, q_2) ... R_0,   r = r_A + R_A (p_1 + rot(a_1, q_1) (p_2 - p_1 + ... (c - p_n)))
//
// with places and axes in the axes of the body A above, as they are at the start. Without armatures such coordinates
// would have no inertia. Ways, and behind them up to three turns about one point p, are then read off the body: with d
// from where p was to where it is, in A; p_i in A and b_i in the body, which are one frame e_i at the start,
//
//   ways along s_i         d = sum q_i s_i: rows across the s_i; q_i = s^i d with the dual vectors s^i
//   no turn                rows p_1 b_3 = p_2 b_3 = p_1 b_2 = 0
//   one, about e_3         rows p_1 b_3 = p_2 b_3 = 0;  tan q = p_2 b_1 / p_1 b_1
//   two, about e_1, e_2    row p_1 b_2 = 0;  tan q_1 = p_3 b_2 / p_2 b_2,  tan q_2 = p_1 b_3 / p_1 b_1
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

static void by_coordinates(Mjcf *m, const MjBody *b, MjJoint **joint, Text *out) {
  const MjBody *above = mjcf_rigid(b->parent);
  const char *turned = "", *open = "", *close = "", *last = NULL;
  for (int i = 0; i < b->njoint; i++) {
    MjJoint *j = joint[i];
    const char *axis = in_axes(m, above, j->axis, false);
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
}

// ---- read off the body ----------------------------------------------------------------------------------------------
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

// The chain at hand: ways, then turns. p, b: texts of the frame in A and in the body; d: of the way of the point.
typedef struct Chain {
  Mjcf *m;
  const MjBody *b;
  MjJoint **way, **turn;
  int nway, nturn;
  const char *A, *name, *d, *p[3], *own[3];
} Chain;

static const char *of_A(const Chain *c, const double x[3]) {
  return arena_printf(c->m->a, "%s.vector(%s)", c->A, in_axes(c->m, mjcf_rigid(c->b->parent), x, false));
}

// Can it be read off? Ways that are independent, turns about one point and across each other.
static bool fits(const Chain *c) {
  double s[3][3], n[3];
  if (c->nway > 3 || c->nturn > 3) return false;
  for (int i = 0; i < c->nway; i++) unit(c->way[i]->axis, s[i]);
  if (c->nway >= 2) cross(s[0], s[1], n);
  if (c->nway >= 2 && dot(n, n) < 1e-12) return false;
  if (c->nway == 3 && fabs(dot(n, s[2])) < 1e-6) return false;
  for (int i = 0; i < c->nturn; i++)
    for (int k = 0; k < i; k++) {
      double e[3], f[3], apart = 0;
      unit(c->turn[i]->axis, e);
      unit(c->turn[k]->axis, f);
      for (int j = 0; j < 3; j++) apart = fmax(apart, fabs(c->turn[i]->at[j] - c->turn[k]->at[j]));
      if (fabs(dot(e, f)) > 1e-9 || apart > 1e-12) return false;
    }
  return true;
}

static void reads(const Chain *c, MjJoint *j, const char *as, const char *kind, Text *out) {
  const MjBody *above = mjcf_rigid(c->b->parent);
  j->place = j->own;
  j->rate = arena_printf(c->m->a, "%s'", j->own);
  text_printf(out, "  var %s = %s;  // line %d: %s %s", j->own, as, line_of(j->node), kind,
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
    const char *as = arena_printf(a, "dot(%s, %s)", of_A(c, dual[i]), c->d);
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
    text_printf(out, "  constraint %s_tilt: %s = 0;\n", c->name, product(c, 1, 2));
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

// The frame e_i: the axes of the turns stand in it as the head of this file says.
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

static void by_body(Chain *c, Text *out) {
  Mjcf *m = c->m;
  Arena *a = m->a;
  const MjBody *above = mjcf_rigid(c->b->parent);
  const double *at = c->nturn > 0 ? c->turn[0]->at : c->b->com;
  double e[3][3];
  c->A = mjcf_own(c->b->parent);
  c->name = robot_name(&m->text, arena_printf(a, "%s_held", c->b->own), "_");
  c->d = arena_printf(a, "%s_way", c->name);
  text_printf(out, "  var %s = %s.point(%s [m]) - %s.point(%s [m]);\n", c->d, c->b->own,
              in_own(m, c->b, at, true), c->A, in_axes(m, above, at, true));
  frame_of_turns(c, e);
  for (int i = 0; i < 3; i++) {
    c->p[i] = of_A(c, e[i]);
    c->own[i] = arena_printf(a, "%s.vector(%s)", c->b->own, in_own(m, c->b, e[i], false));
  }
  ways(c, out);
  turns(c, c->nturn < 3 || dot(c->turn[2]->axis, e[2]) > 0, out);
}

bool mjcf_chain(Mjcf *m, const MjBody *b, MjJoint **joint, Text *out) {
  Chain c = { .m = m, .b = b, .way = joint };
  const MjJoint *bare = NULL;
  for (int i = 0; i < b->njoint; i++) {
    if (joint[i]->kind == MJ_BALL)
      return xml_wrong(m->a, m->wrong, joint[i]->node->at, "a ball joint beside another joint of the same body is not "
                       "read");
    if (!bare && !(joint[i]->armature > 0)) bare = joint[i];
  }
  while (c.nway < b->njoint && joint[c.nway]->kind == MJ_SLIDE) c.nway++;
  c.turn = joint + c.nway;
  c.nturn = b->njoint - c.nway;
  for (int i = 0; i < c.nturn; i++)
    if (c.turn[i]->kind != MJ_HINGE) c.nway = 4;           // a way behind a turn
  if (!bare) by_coordinates(m, b, joint, out);
  else if (fits(&c)) by_body(&c, out);
  else
    return xml_wrong(m->a, m->wrong, bare->node->at, "joints of one body without an `armature` each are ways and then "
                     "turns about one point, across each other: this one would move a part without mass");
  return true;
}
