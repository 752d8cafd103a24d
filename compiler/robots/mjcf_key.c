// A keyframe as the start [MuJoCo 2022, "keyframe"]: bodies are placed where its joints lead. Joints are read in the
// order of `qpos`: a free one has a place and a quaternion, a ball a quaternion, a hinge and a slide a number. A joint
// turns what is behind it about its own point, as the joints before it in the body have placed this:
//
//   G_i = move(p_i, a_i, q_i - ref_i) G_{i-1},   with p_i, a_i in the world behind G_{i-1}
//
// From then on the place of a joint is 0 where its number is q_i, which takes the part of `ref`.
#include <math.h>
#include <string.h>
#include "mjcf.h"

enum { MOST = 4096 };                    // numbers of qpos

bool mjcf_key_read(Mjcf *m, const char *name) {
  if (!name) return true;
  for (const XmlNode *all = xml_child(m->root, "keyframe"); all; all = xml_next(all, "keyframe"))
    for (const XmlNode *n = xml_child(all, "key"); n; n = xml_next(n, "key")) {
      if (!xml_text(n, "name") || strcmp(xml_text(n, "name"), name) != 0) continue;
      double *qvel = ARENA_ARRAY(m->a, double, MOST), moves = 0;
      m->key = n;
      m->qpos = ARENA_ARRAY(m->a, double, MOST);
      m->nqpos = mjcf_numbers(m, n, "key", "qpos", NULL, MOST, m->qpos);
      int speeds = m->nqpos < 0 ? -1 : mjcf_numbers(m, n, "key", "qvel", NULL, MOST, qvel);
      for (int i = 0; i < speeds; i++) moves += fabs(qvel[i]);
      if (moves > 0) robot_left_out(&m->text, n, "velocities of a keyframe: the start is at rest");
      if (xml_text(n, "ctrl") || xml_text(n, "act"))
        robot_left_out(&m->text, n, "what actuators have in a keyframe: inputs begin with 0");
      return speeds >= 0;
    }
  return xml_wrong(m->a, m->wrong, m->root->at, "there is no keyframe `%s`", name);
}

// A key without `qpos` has the places of the file.
static bool takes(const Mjcf *m) { return m->key && m->nqpos > 0; }

static const double *next(Mjcf *m, int n) {
  const double *q = m->qpos + m->took;
  m->took += n;
  return m->took <= m->nqpos ? q : NULL;
}

bool mjcf_key_complete(Mjcf *m) {
  if (!takes(m) || m->took == m->nqpos) return true;
  return xml_wrong(m->a, m->wrong, m->key->at, "`qpos` of this keyframe has %d numbers, and the joints have %d",
                   m->nqpos, m->took);
}

static Frame turned(const double q[4]) {
  double axis[3] = { q[1], q[2], q[3] }, s = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return frame_about(axis, 2 * atan2(s, q[0]));
}

// To the frame `to` from the frame `from`: to o from^-1.
static Frame from_to(const Frame *from, const Frame *to) {
  Frame back = { .r = { 0 } };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      back.R[i][k] = from->R[k][i];
      back.r[i] -= from->R[k][i] * from->r[k];
    }
  return frame_of(to, &back);
}

// A turn R about the point p of the world.
static Frame turn_about(const double p[3], const Frame *R) {
  Frame f = *R;
  double at[3];
  memset(f.r, 0, sizeof f.r);
  frame_vector(&f, p, at);
  for (int i = 0; i < 3; i++) f.r[i] = p[i] - at[i];
  return f;
}

void mjcf_key_free(Mjcf *m, MjBody *b) {
  const double *q = takes(m) ? next(m, 7) : NULL;
  if (!q) return;
  Frame to = turned(q + 3);
  memcpy(to.r, q, sizeof to.r);
  b->moved = from_to(&b->at, &to);
}

void mjcf_key_joint(Mjcf *m, MjBody *b, MjJoint *j) {
  const double *q = takes(m) ? next(m, j->kind == MJ_BALL ? 4 : 1) : NULL;
  Frame by = frame_rest();
  if (!q) return;
  if (j->kind == MJ_BALL) {                                // in the axes of the body
    Frame now = frame_of(&b->moved, &b->at), own = turned(q), to;
    memset(now.r, 0, sizeof now.r);
    to = frame_of(&now, &own);
    by = from_to(&now, &to);
    by = turn_about(j->at, &by);
  } else {
    j->moved = q[0] - j->ref;
    j->ref = q[0];
    double n = sqrt(j->axis[0] * j->axis[0] + j->axis[1] * j->axis[1] + j->axis[2] * j->axis[2]);
    if (j->kind == MJ_SLIDE) for (int i = 0; i < 3; i++) by.r[i] = j->axis[i] / n * j->moved;
    else {
      by = frame_about(j->axis, j->moved);
      by = turn_about(j->at, &by);
    }
  }
  b->moved = frame_of(&by, &b->moved);
}
