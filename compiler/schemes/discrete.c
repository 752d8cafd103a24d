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

// Df/Dq from q0 to q; nothing where f is free of coordinates. on: angles of atan2 go on over +-pi.
bool discrete_over(const BothEnds *j, Ex f, bool on, Ex *out) {
  bool any = false;
  for (int k = 0; k < j->n; k++) any |= ex_depends(j->p, f, j->q[k]);
  if (!any) return false;
  Moving m = moving_of(j, false);
  Ex *by = ARENA_ARRAY(j->arena, Ex, m.n + 1);
  Ex g = rotation_written(j->arena, j->s, f, j->rotation, j->nbody);
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

bool discrete_of(const BothEnds *j, Ex f, Ex *out) { return discrete_over(j, f, false, out); }

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

// Which symbols move with the unknown of slot k, and by how much: its velocity, or its position and what moves along.
typedef struct Seeds { int n, *id; Ex *by; } Seeds;

static void seed(Seeds *s, int id, Ex by) {
  s->id[s->n] = id;
  s->by[s->n++] = by;
}

static Seeds seeds_of(const BothEnds *j, int k, Wrt wrt) {
  Turn *u = j->turn[k];
  Ex one = ex_num(j->p, 1);
  Seeds s = { 0, ARENA_ARRAY(j->arena, int, 24), ARENA_ARRAY(j->arena, Ex, 24) };
  if (wrt == WRT_Q && !u) seed(&s, j->q[k], one);
  if (wrt == WRT_V) seed(&s, j->v[k], one);
  seed(&s, wrt == WRT_V ? j->vd[k] : j->qd[k], one);
  if (!u) return s;
  const RotationSlope *slope = slope_of(j, u, k);
  const Ex *by_turn = wrt == WRT_Q ? attitude_by_increment(j, u, k) : NULL;
  for (int i = 0; by_turn && i < 4; i++) seed(&s, u->p[i], by_turn[i]);
  for (int i = 0; by_turn && i < 9; i++) seed(&s, u->R.R[i], slope->R[i]);
  for (int i = 0; i < 9; i++) seed(&s, u->R.rate[i], by_turn ? slope->rate[i] : slope->by_spin[i]);
  return s;
}

// Of rows r [m] by the position or the velocity of slot k at the end. Where bodies turn, forward through the graph: the
// nine numbers of R are many against the three turns that move them, and products keep their factors.
static void by_unknown(const BothEnds *j, const Ex *r, int m, int k, Wrt wrt, Ex *out) {
  if (j->nbody > 0) {
    Seeds s = seeds_of(j, k, wrt);
    ex_tangent(j->p, r, m, s.id, s.by, s.n, out);
    return;
  }
  for (int i = 0; i < m; i++)
    out[i] = wrt == WRT_Q ? end_and_increment(j, r[i], j->q[k], j->qd[k])
                          : end_and_increment(j, r[i], j->v[k], j->vd[k]);
}

// One row: of each number of R, and of p, its derivative serves all turns.
Ex by_position(const BothEnds *j, Ex e, int k) {
  Seeds s = seeds_of(j, k, WRT_Q);
  Ex part[24];
  if (!j->turn[k]) return end_and_increment(j, e, j->q[k], j->qd[k]);
  for (int i = 0; i < s.n; i++) part[i] = ex_mul(j->p, ex_diff(j->p, e, s.id[i]), s.by[i]);
  return ex_op(j->p, OP_ADD, part, s.n);
}

// Large rows of coordinates alone.
static void of_large(const BothEnds *j, const Ex *r, int m, Ex *out) {
  int n = 2 * j->n, *ids = ARENA_ARRAY(j->arena, int, n + 1), *also = ARENA_ARRAY(j->arena, int, n + 1);
  for (int k = 0; k < j->n; k++) {
    ids[k] = j->q[k];
    also[k] = j->qd[k];
    ids[j->n + k] = j->v[k];
    also[j->n + k] = j->vd[k];
  }
  ex_jacobian_dense(j->p, r, m, ids, also, n, out);
}

const Ex *slopes_of(const BothEnds *j, const Ex *r, int m, bool large) {
  int n = 2 * j->n;
  Ex *out = ARENA_ARRAY(j->arena, Ex, m * n + 1), *column = ARENA_ARRAY(j->arena, Ex, m + 1);
  if (large) of_large(j, r, m, out);
  for (int k = 0; k < n && !large; k++) {
    int slot = k % j->n;
    bool moves = j->c->slot[slot].kind == SLOT_Q;
    if (moves) by_unknown(j, r, m, slot, k < j->n ? WRT_Q : WRT_V, column);
    for (int i = 0; i < m; i++) out[i * n + k] = moves ? column[i] : ex_num(j->p, 0);
  }
  return out;
}

// Through R(pm): the derivatives are taken in the symbols of the end, and the middle is put in at last.
const Ex *slopes_in_middle(const BothEnds *j, const Ex *e, int m, const Ex *w, Ex per) {
  Pool *p = j->p;
  Arena *a = j->arena;
  int n = 2 * j->n, all = m * n;
  Ex *out = ARENA_ARRAY(a, Ex, all + 1), *r = ARENA_ARRAY(a, Ex, m + 1), *column = ARENA_ARRAY(a, Ex, m + 1);
  for (int i = 0; i < m; i++) r[i] = rotation_written(a, j->s, e[i], j->rotation, j->nbody);
  for (int i = 0; i < all; i++) out[i] = ex_num(p, 0);
  for (int k = 0; k < j->n; k++) {
    Turn *u = j->turn[k];
    Seeds s = { 0, ARENA_ARRAY(a, int, 24), ARENA_ARRAY(a, Ex, 24) };
    Ex eta[3], by_R[9], half_p[4];
    if (j->c->slot[k].kind != SLOT_Q) continue;
    seed(&s, j->v[k], per);
    if (!u) seed(&s, j->q[k], ex_num(p, 0.5));
    else rotation_middle_slope(j->s, &u->R, turn_number(j->s, &j->c->slot[k]), eta, by_R);
    for (int i = 0; u && i < 9; i++) seed(&s, u->R.R[i], by_R[i]);
    for (int i = 0; u && i < 4; i++) {                     // p' = 1/2 G(p) eta
      half_p[i] = ex_num(p, 0);
      for (int x = 0; x < 3; x++) half_p[i] = ex_add(p, half_p[i], ex_mul(p, half_g(p, u->px, i, x), eta[x]));
      seed(&s, u->p[i], half_p[i]);
    }
    ex_tangent(p, r, m, s.id, s.by, s.n, column);
    for (int i = 0; i < m; i++) out[i * n + k] = column[i];
  }
  back_from_rotations(j, out, all);
  ends_at_middle_all(j, out, all, w);
  return out;
}
