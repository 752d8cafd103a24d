// The discrete derivative from the begin of a piece to its end, and derivatives by the unknowns at the end (ends.h).
#include "ends.h"

// What a two-point form moves: symbols of f, at the begin, at the end.
typedef struct Moving { int *id, *begin, n; } Moving;

static void move(Moving *m, int id, int begin) {
  m->id[m->n] = id;
  m->begin[m->n++] = begin;
}

static Moving moving_of(const BothEnds *j, bool velocities) {
  int most = 2 * j->n + 18 * j->nbody + 1;
  Moving m = { ARENA_ARRAY(j->arena, int, most), ARENA_ARRAY(j->arena, int, most), 0 };
  for (int k = 0; k < j->n; k++) move(&m, j->q[k], j->q0[k]);
  for (int b = 0; b < j->nbody; b++)
    for (int i = 0; i < 9; i++) move(&m, j->rotation[b].R[i], j->rotation[b].R0[i]);
  for (int b = 0; b < j->nbody && velocities; b++)
    for (int i = 0; i < 9; i++) move(&m, j->rotation[b].rate[i], j->rotation[b].rate0[i]);
  for (int k = 0; k < j->n && velocities; k++)
    if (j->c->slot[k].kind == SLOT_Q) move(&m, j->v[k], j->v0[k]);
  return m;
}

// Along each turn, from by[]: derivatives by the coordinates, then by the R of each body and, where `rates`, by the R'.
static void along_turns(const BothEnds *j, const Ex *by, bool rates, Ex *out) {
  Pool *p = j->p;
  for (int k = 0; k < j->n; k++) out[k] = by[k];
  for (int b = 0; b < j->nbody; b++) {
    const Turn *u = j->body[b];
    Ex by_p[4], along_R[3];
    const Ex *by_R = by + j->n + 9 * b, *by_rate = rates ? by_R + 9 * j->nbody : NULL;
    rotation_along(j->s, &u->R, by_R, by_rate, along_R);
    for (int i = 0; i < 4; i++) by_p[i] = by[u->slot[i]];
    for (int k = 0; k < j->n; k++) {
      if (j->turn[k] != u) continue;
      int i = turn_number(j->s, &j->c->slot[k]);
      out[k] = ex_add(p, ex_mul(p, u->k, turned(p, u->mean, by_p, i)), along_R[i]);
    }
  }
  for (int k = 0; k < j->n; k++) if (j->c->slot[k].kind == SLOT_POSITION) out[k] = ex_num(p, 0);
}

// Df/Dq from q0 to q; nothing where f is free of coordinates. on: angles of atan2 go on over +-pi. plain: in the
// numbers of p, not of R.
bool discrete_over(const BothEnds *j, Ex f, bool on, bool plain, Ex *out) {
  bool any = false;
  for (int k = 0; k < j->n; k++) any |= ex_depends(j->p, f, j->q[k]);
  if (!any) return false;
  Moving m = moving_of(j, false);
  Ex *by = ARENA_ARRAY(j->arena, Ex, m.n + 1), g = f;
  if (!plain) g = rotation_written(j->arena, j->s, f, j->rotation, j->nbody);
  (on ? ex_discrete_turning : ex_discrete)(j->p, g, m.id, m.begin, m.id, m.n, by);
  along_turns(j, by, false, out);
  return true;
}

// The rate of f(q) by both its arguments together, docs/numerics/bodies.md (13): by_q and by_v with
//   by_q . (q - q0) + by_v . (v - v0) = rate(v, q) - rate(v0, q0)
void discrete_rate(const BothEnds *j, Ex f, Ex *by_q, Ex *by_v) {
  Pool *p = j->p;
  Ex g = rotation_written(j->arena, j->s, f, j->rotation, j->nbody), rate;
  int most = j->n + 9 * j->nbody + 1, n = 0, *id = ARENA_ARRAY(j->arena, int, most);
  Ex *seed = ARENA_ARRAY(j->arena, Ex, most);
  for (int k = 0; k < j->n; k++) {
    bool position = j->c->slot[k].kind == SLOT_POSITION && !is_memory(j->s, j->q[k]);
    if (!position && (j->c->slot[k].kind != SLOT_Q || is_turn(j->s, &j->c->slot[k]))) continue;
    id[n] = j->q[k];
    seed[n++] = position ? attitude_rate(j->s, j->q[k]) : ex_sym(p, j->v[k]);
  }
  for (int b = 0; b < j->nbody; b++)
    for (int i = 0; i < 9; i++) {
      id[n] = j->rotation[b].R[i];
      seed[n++] = ex_sym(p, j->rotation[b].rate[i]);
    }
  ex_tangent(p, &g, 1, id, seed, n, &rate);
  Moving m = moving_of(j, true);
  Ex *by = ARENA_ARRAY(j->arena, Ex, m.n + 1);
  ex_discrete(p, rate, m.id, m.begin, m.id, m.n, by);
  along_turns(j, by, true, by_q);
  const Ex *by_rate = by + j->n + 9 * j->nbody, *last = by_rate + 9 * j->nbody;
  for (int k = 0; k < j->n; k++) by_v[k] = j->c->slot[k].kind == SLOT_Q ? *last++ : ex_num(p, 0);
  for (int b = 0; b < j->nbody; b++) {
    Ex by_spin[3];
    rotation_by_spin(j->s, &j->rotation[b], by_rate + 9 * b, by_spin);
    for (int k = 0; k < j->n; k++)
      if (j->turn[k] == j->body[b]) by_v[k] = ex_add(p, by_v[k], by_spin[turn_number(j->s, &j->c->slot[k])]);
  }
}

// Numbers of R become those of p again, in e[0..n).
void back_from_rotations(const BothEnds *j, Ex *e, int n) {
  int *from = ARENA_ARRAY(j->arena, int, 36 * j->nbody + 1);
  Ex *to = ARENA_ARRAY(j->arena, Ex, 36 * j->nbody + 1);
  for (int b = 0; b < j->nbody; b++) rotation_back(j->s, &j->rotation[b], from + 36 * b, to + 36 * b);
  if (j->nbody > 0) ex_subst_all(j->p, e, n, from, to, 36 * j->nbody);
}

void entries_back(const BothEnds *j, Entries *e) {
  Ex *value = ARENA_ARRAY(j->arena, Ex, e->n + 1);
  for (int i = 0; i < e->n; i++) value[i] = e->at[i].value;
  back_from_rotations(j, value, e->n);
  for (int i = 0; i < e->n; i++) e->at[i].value = value[i];
}

bool discrete_of(const BothEnds *j, Ex f, Ex *out) { return discrete_over(j, f, false, false, out); }

// d e/dq along slot k at one time.
Ex along_slot(const BothEnds *j, Ex e, int k) { return diff_along(j->s, e, &j->c->slot[k]); }

// d e/d q_k and d e/d v_k at the end, the increment moving along.
static Ex end_and_increment(const BothEnds *j, Ex e, int end, int increment) {
  if (ex_is_shared(j->p, e)) return ex_diff_two(j->p, e, end, increment);
  return ex_add(j->p, ex_diff(j->p, e, end), ex_diff(j->p, e, increment));
}

// d p/d xi_i of the attitude at the end: c/2 G(p0) e_i - c^2/4 xi_i p. Of slot k: [4].
static const Ex *attitude_by_increment(const BothEnds *j, Turn *u, int k) {
  Pool *p = j->p;
  int i = turn_number(j->s, &j->c->slot[k]);
  for (int row = 0; row < 4 && u->by_turn[i][3] == EX_NONE; row++) {
    Ex shrinks[] = { ex_num(p, 0.25), u->c, u->c, j->dq[k], u->px[row] };
    u->by_turn[i][row] = ex_sub(p, ex_mul(p, u->c, half_g(p, u->p0x, row, i)), ex_op(p, OP_MUL, shrinks, 5));
  }
  return u->by_turn[i];
}

static const RotationSlope *slope_of(const BothEnds *j, Turn *u, int k) {
  int i = turn_number(j->s, &j->c->slot[k]);
  if (u->slope[i].R[0] == EX_NONE) u->slope[i] = rotation_slope(j->s, &u->R, i);
  return &u->slope[i];
}

Ex by_position(const BothEnds *j, Ex e, int k) {
  Turn *u = j->turn[k];
  if (!u) return end_and_increment(j, e, j->q[k], j->qd[k]);
  const Ex *by_turn = attitude_by_increment(j, u, k);
  const RotationSlope *slope = slope_of(j, u, k);
  Ex part[23] = { ex_diff(j->p, e, j->qd[k]) };
  for (int i = 0; i < 4; i++) part[1 + i] = ex_mul(j->p, ex_diff(j->p, e, u->p[i]), by_turn[i]);
  for (int i = 0; i < 9; i++) {
    part[5 + i] = ex_mul(j->p, ex_diff(j->p, e, u->R.R[i]), slope->R[i]);
    part[14 + i] = ex_mul(j->p, ex_diff(j->p, e, u->R.rate[i]), slope->rate[i]);
  }
  return ex_op(j->p, OP_ADD, part, 23);
}

Ex by_velocity(const BothEnds *j, Ex e, int k) {
  Turn *u = j->turn[k];
  Ex sum = end_and_increment(j, e, j->v[k], j->vd[k]);
  for (int i = 0; u && i < 9; i++)
    sum = ex_add(j->p, sum, ex_mul(j->p, ex_diff(j->p, e, u->R.rate[i]), slope_of(j, u, k)->by_spin[i]));
  return sum;
}

// The same of large rows r [m]: [m, 2 n], by the q_k, then by the v_k.
const Ex *slopes_of(const BothEnds *j, const Ex *r, int m) {
  int n = 2 * j->n, *ids = ARENA_ARRAY(j->arena, int, n + 1), *also = ARENA_ARRAY(j->arena, int, n + 1);
  Ex *out = ARENA_ARRAY(j->arena, Ex, m * n + 1);
  for (int k = 0; k < j->n; k++) {
    ids[k] = j->q[k];
    also[k] = j->qd[k];
    ids[j->n + k] = j->v[k];
    also[j->n + k] = j->vd[k];
  }
  ex_jacobian_dense(j->p, r, m, ids, also, n, out);
  return out;
}
