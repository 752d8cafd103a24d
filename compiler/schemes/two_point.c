// R1 and the rows of the consistent schemes, class by class. With m for the midpoint and D for the discrete derivative
// from q0 to q:
//
//   R1 = 1/2 (M(q0) + M(q)) dv + G(vm, qm) dq + h/2 [DT/Dq(v0; .) + DT/Dq(v; .)] + h DV/Dq
//        + h dR/dv(qm, dq/h) - h F(tm, qm, vm),   dq = q - q0,  dv = v - v0,
//   G_ij = (dM_ik/dq_j - dM_jk/dq_i) v_k    (docs/numerics/consistent.md (7))
//
// The increments dq and dv are symbols of their own: the runtime knows them better than the difference of the rounded
// values (docs/numerics/consistent.md, section 6).
//
// Each class is exact by itself: (q - q0).R1 + (v - v0).1/2 (M(q0) + M(q))(h vm - (q - q0)) = h (difference of its
// energy), so their sum is (tests/unit/plan/test_consistent.c). With the mass matrix at the begin [Möller 2011, (5.58)]
// the kinetic terms are instead
//
//   M(q0) dv + G(v0, q0) dq + h DT/Dq(v; q0, q)
//
// A body (docs/numerics/bodies.md, section 3) has its attitude p among the slots, and dq of its turn is the increment
// xi_w with p = p0 cay(xi_w). All derivatives are then along the turn: those of the rotation matrix (rotations.h), and
// where p stands by itself D := 1/2 k (D/Dp) G(pm). To R1 comes dq x (dT/dspin at both ends, halved), which does no
// work.
#include "../base/fatal.h"
#include "../system/slots.h"
#include "rotations.h"
#include "two_point.h"

// A body's turn in the step: its attitude at both ends and between them, with the slots; c = 1/sqrt(1 + |xi|^2/4), the
// cosine of half the angle, and the factor k = 2c/(1 + c) of the discrete derivatives.
// by_turn: d p/d xi_i of the attitude at the end, p = p0 cay(xi), by number of i.
// R: what the discrete derivatives take; slope: of R at the end, by number of i; EX_NONE: not made.
typedef struct Turn {
  int p[4], slot[4]; Ex px[4], p0x[4], mean[4], c, k, by_turn[3][4];
  Rotation R; RotationSlope slope[3];
} Turn;

typedef struct Job {
  Arena *arena; Pool *p; const System *s; const SysClass *c;
  int n;                       // all slots of the class: coordinates, and what forces read besides: multipliers, states
  int *q, *v, *q0, *v0, *qd, *vd; // [n] symbols
  Ex *q0x, *v0x, *qm, *vm, *dq, *dv; // [n]
  Ex h, tm;
  Turn **turn;                 // [n] of turns whose attitude the class reads; NULL of others
  Turn **body;                 // [nbody] the same, once for each attitude
  Rotation *rotation;          // [nbody]
  int nbody;
} Job;

static int symbol(const System *s, SymKind kind) { return symtab_id(s->sym, (Sym){ .kind = kind }); }

static int of_kind(const System *s, int id, SymKind kind) {
  Sym y = *symtab_at(s->sym, id);
  y.kind = kind;
  return symtab_id(s->sym, y);
}

static int slot_of(const SysClass *c, int symbol) {
  for (int k = 0; k < c->nslot; k++) if (c->slot[k].value == symbol) return k;
  return -1;
}

// The attitude of turn slot k, where the class reads it; shared by the three turns of a body. What is evaluated in the
// middle has the attitude (p0 + p)/|p0 + p|, |p0 + p|^2 = 2 (1 + c).
static void turn_of(Job *j, int k) {
  const System *s = j->s;
  const Slot *t = &j->c->slot[k];
  Pool *p = j->p;
  int id[4];
  attitude_of(s, t, SYM_VALUE, id);
  if (slot_of(j->c, id[0]) < 0) return;
  for (int i = 0; i < k; i++)
    if (j->turn[i] && j->turn[i]->p[0] == id[0]) {
      j->turn[k] = j->turn[i];
      return;
    }
  Turn *u = j->turn[k] = ARENA_NEW(j->arena, Turn);
  Ex square = ex_num(p, 0), one = ex_num(p, 1);
  for (int i = 0; i < 3; i++) {
    Ex xi = ex_sym(p, turn_symbol(s, t, i, SYM_VALUE_D));
    square = ex_add(p, square, ex_mul(p, xi, xi));
  }
  u->c = ex_div(p, one, ex_1(p, OP_SQRT, ex_add(p, one, ex_mul(p, ex_num(p, 0.25), square))));
  u->k = ex_div(p, ex_mul(p, ex_num(p, 2), u->c), ex_add(p, one, u->c));
  Ex scale = ex_div(p, one, ex_1(p, OP_SQRT, ex_mul(p, ex_num(p, 2), ex_add(p, one, u->c))));
  for (int i = 0; i < 4; i++) {
    u->slot[i] = slot_of(j->c, id[i]);
    u->p[i] = id[i];
    u->px[i] = ex_sym(p, u->p[i]);
    u->p0x[i] = ex_sym(p, of_kind(s, id[i], SYM_VALUE0));
    u->mean[i] = ex_mul(p, ex_num(p, 0.5), ex_add(p, u->p0x[i], u->px[i]));
    j->qm[u->slot[i]] = ex_mul(p, scale, ex_add(p, u->p0x[i], u->px[i]));
  }
  u->R = j->rotation[j->nbody] = rotation_of(s, t);
  j->body[j->nbody++] = u;
}

static Job job_of(Arena *a, const System *s, const SysClass *c) {
  int n = c->nslot;
  Job j = { .arena = a, .p = s->pool, .s = s, .c = c, .n = n };
  int **ids[] = { &j.q, &j.v, &j.q0, &j.v0, &j.qd, &j.vd };
  Ex **exs[] = { &j.q0x, &j.v0x, &j.qm, &j.vm, &j.dq, &j.dv };
  for (int i = 0; i < 6; i++) *ids[i] = ARENA_ARRAY(a, int, n + 1);
  for (int i = 0; i < 6; i++) *exs[i] = ARENA_ARRAY(a, Ex, n + 1);
  Pool *p = s->pool;
  Ex half = ex_num(p, 0.5);
  j.turn = ARENA_ARRAY(a, Turn *, n + 1);
  j.body = ARENA_ARRAY(a, Turn *, n + 1);
  j.rotation = ARENA_ARRAY(a, Rotation, n + 1);
  for (int k = 0; k < n; k++) {
    if (c->slot[k].kind == SLOT_POSITION && !is_memory(s, c->slot[k].value)) {
      j.q[k] = c->slot[k].value;
      j.q0[k] = of_kind(s, j.q[k], SYM_VALUE0);
      j.qd[k] = j.v[k] = j.v0[k] = j.vd[k] = of_kind(s, j.q[k], SYM_VALUE_D);     // in no expression
      j.q0x[k] = ex_sym(p, j.q0[k]);
      j.v0x[k] = j.vm[k] = ex_sym(p, j.v[k]);
      j.dq[k] = j.dv[k] = ex_num(p, 0);
      continue;
    }
    if (c->slot[k].kind != SLOT_Q) {  // a multiplier, a state in a force, a remembered angle: one value for the step
      j.q[k] = j.v[k] = j.q0[k] = j.v0[k] = c->slot[k].value;
      j.qd[k] = j.vd[k] = of_kind(s, j.q[k], SYM_VALUE_D);        // in no expression
      j.q0x[k] = j.v0x[k] = j.qm[k] = j.vm[k] = ex_sym(p, c->slot[k].value);
      j.dq[k] = j.dv[k] = ex_num(p, 0);
      continue;
    }
    j.q[k] = c->slot[k].value; j.v[k] = c->slot[k].rate;
    j.q0[k] = of_kind(s, j.q[k], SYM_VALUE0); j.v0[k] = of_kind(s, j.v[k], SYM_RATE0);
    j.qd[k] = of_kind(s, j.q[k], SYM_VALUE_D); j.vd[k] = of_kind(s, j.v[k], SYM_RATE_D);
    j.q0x[k] = ex_sym(p, j.q0[k]); j.v0x[k] = ex_sym(p, j.v0[k]);
    j.qm[k] = ex_mul(p, half, ex_add(p, j.q0x[k], ex_sym(p, j.q[k])));
    j.vm[k] = ex_mul(p, half, ex_add(p, j.v0x[k], ex_sym(p, j.v[k])));
    j.dq[k] = ex_sym(p, j.qd[k]);
    j.dv[k] = ex_sym(p, j.vd[k]);
  }
  for (int k = 0; k < n; k++) if (is_turn(s, &c->slot[k])) turn_of(&j, k);
  j.h = ex_sym(p, symbol(s, SYM_H));
  j.tm = ex_add(p, ex_sym(p, symbol(s, SYM_TIME0)), ex_mul(p, half, j.h));
  return j;
}

// At the midpoint of the step: q -> qm, t -> tm, v -> by.
static void at_middle_all(const Job *j, Ex *e, int n, const Ex *by) {
  int *from = ARENA_ARRAY(j->arena, int, 2 * j->n + 1);
  Ex *to = ARENA_ARRAY(j->arena, Ex, 2 * j->n + 1);
  for (int k = 0; k < j->n; k++) {
    from[2 * k] = j->q[k]; to[2 * k] = j->qm[k];
    from[2 * k + 1] = j->v[k]; to[2 * k + 1] = by[k];
  }
  from[2 * j->n] = j->s->sym_time; to[2 * j->n] = j->tm;
  ex_subst_all(j->p, e, n, from, to, 2 * j->n + 1);
}

static Ex at_middle(const Job *j, Ex e, const Ex *by) {
  at_middle_all(j, &e, 1, by);
  return e;
}

// At the begin of the step.
static Ex at_first(const Job *j, Ex e) {
  Ex x = ex_subst(j->p, e, j->q, j->q0x, j->n);
  return ex_subst(j->p, x, j->v, j->v0x, j->n);
}

static void add(const Job *j, Ex *to, Ex e) { *to = ex_add(j->p, *to, e); }

// What a two-point form moves: symbols of f, at the begin, at the end.
typedef struct Moving { int *id, *begin, n; } Moving;

static void move(Moving *m, int id, int begin) {
  m->id[m->n] = id;
  m->begin[m->n++] = begin;
}

static Moving moving_of(const Job *j, bool velocities) {
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
static void along_turns(const Job *j, const Ex *by, bool rates, Ex *out) {
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
static bool discrete_over(const Job *j, Ex f, bool on, bool plain, Ex *out) {
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
static void discrete_rate(const Job *j, Ex f, Ex *by_q, Ex *by_v) {
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
static void back(const Job *j, Ex *e, int n) {
  int *from = ARENA_ARRAY(j->arena, int, 36 * j->nbody + 1);
  Ex *to = ARENA_ARRAY(j->arena, Ex, 36 * j->nbody + 1);
  for (int b = 0; b < j->nbody; b++) rotation_back(j->s, &j->rotation[b], from + 36 * b, to + 36 * b);
  if (j->nbody > 0) ex_subst_all(j->p, e, n, from, to, 36 * j->nbody);
}

static void back_entries(const Job *j, Entries *e) {
  Ex *value = ARENA_ARRAY(j->arena, Ex, e->n + 1);
  for (int i = 0; i < e->n; i++) value[i] = e->at[i].value;
  back(j, value, e->n);
  for (int i = 0; i < e->n; i++) e->at[i].value = value[i];
}

static bool discrete(const Job *j, Ex f, Ex *out) { return discrete_over(j, f, false, false, out); }

// d e/dq along slot k at one time.
static Ex along(const Job *j, Ex e, int k) { return diff_along(j->s, e, &j->c->slot[k]); }

// dq x p, p = dT/dspin, of the turn in slot i: half the sum of both ends, or that of the begin.
static Ex gyroscopic(const Job *j, int i, bool explicit_mass) {
  Pool *p = j->p;
  const Slot *t = &j->c->slot[i];
  int a = turn_number(j->s, t);
  Ex r = ex_num(p, 0);
  for (int side = 0; side < 2; side++) {
    int of = (a + 1 + side) % 3, with = (a + 2 - side) % 3;           // xi_of p_with - xi_with p_of
    Ex momentum = ex_diff(p, j->c->kinetic, turn_symbol(j->s, t, with, SYM_RATE)), mean = at_first(j, momentum);
    if (!explicit_mass) mean = ex_mul(p, ex_num(p, 0.5), ex_add(p, mean, momentum));
    Ex term = ex_mul(p, ex_sym(p, turn_symbol(j->s, t, of, SYM_VALUE_D)), mean);
    r = side ? ex_sub(p, r, term) : ex_add(p, r, term);
  }
  return r;
}

// The same of a large T (docs/numerics/algebra.md, section 9), without M and without products of n^2 entries. With p =
// dT/dv, each of these costs a small multiple of T:
//
//   M dv = derivative of p along v -> dv,   G dq = derivative of p along q -> dq - d/dq (derivative of T along v -> dq)
static void large_kinetic(const Job *j, bool explicit_mass, TwoPoint *t) {
  Pool *p = j->p;
  const SysClass *c = j->c;
  int n = c->nrow, *q = ARENA_ARRAY(j->arena, int, n + 1), *v = ARENA_ARRAY(j->arena, int, n + 1);
  Ex *block[7];
  for (int i = 0; i < 7; i++) block[i] = ARENA_ARRAY(j->arena, Ex, n + 1);
  Ex *dq = block[0], *dv = block[1], *pi = block[2], *m = block[3], *m0 = block[4], *g = block[5], *curl = block[6];
  Ex T = c->kinetic, half = ex_num(p, 0.5), T_dq, *d = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  for (int r = 0; r < n; r++) {
    q[r] = j->q[c->row[r]]; v[r] = j->v[c->row[r]];
    dq[r] = j->dq[c->row[r]]; dv[r] = j->dv[c->row[r]];
  }
  ex_gradient(p, T, v, n, pi);
  ex_tangent(p, pi, n, v, dv, n, m);
  for (int r = 0; r < n; r++) m0[r] = m[r];
  ex_subst_all(p, m0, n, j->q, j->q0x, j->n);
  ex_tangent(p, pi, n, q, dq, n, g);
  ex_tangent(p, &T, 1, v, dq, n, &T_dq);
  ex_gradient(p, T_dq, q, n, curl);
  for (int r = 0; r < n; r++) g[r] = ex_sub(p, g[r], curl[r]);
  if (explicit_mass) {
    ex_subst_all(p, g, n, j->q, j->q0x, j->n);
    ex_subst_all(p, g, n, j->v, j->v0x, j->n);
  } else at_middle_all(j, g, n, j->vm);
  Ex T0 = ex_subst(p, T, j->v, j->v0x, j->n), share = explicit_mass ? j->h : ex_mul(p, half, j->h);
  bool moving = discrete(j, explicit_mass ? T : ex_add(p, T0, T), d);
  for (int r = 0; r < n; r++) {
    bool same = explicit_mass || m0[r] == m[r];
    t->r[r] = same ? m0[r] : ex_mul(p, half, ex_add(p, m0[r], m[r]));
    add(j, &t->r[r], g[r]);
    if (moving) add(j, &t->r[r], ex_mul(p, share, d[c->row[r]]));
  }
}

static void kinetic(const Job *j, bool explicit_mass, TwoPoint *t) {
  Pool *p = j->p;
  const SysClass *c = j->c;
  Ex half = ex_num(p, 0.5);
  Ex *begin = ARENA_ARRAY(j->arena, Ex, c->nslot + 1);            // rows by slot
  for (int k = 0; k < j->n; k++) begin[k] = ex_num(p, 0);
  for (int i = 0; i < c->mass.n; i++) {
    const Entry *m = &c->mass.at[i];
    Ex m0 = ex_subst(p, m->value, j->q, j->q0x, j->n);
    Ex mean = m0 == m->value || explicit_mass ? m0 : ex_mul(p, half, ex_add(p, m0, m->value));
    add(j, &begin[m->row], ex_mul(p, mean, j->dv[m->col]));
  }
  Ex *d = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  Ex T0 = ex_subst(p, c->kinetic, j->v, j->v0x, j->n), share = explicit_mass ? j->h : ex_mul(p, half, j->h);
  bool moving = discrete(j, explicit_mass ? c->kinetic : ex_add(p, T0, c->kinetic), d);
  for (int r = 0; r < c->nrow; r++) {
    int i = c->row[r];
    t->r[r] = begin[i];
    if (is_turn(j->s, &c->slot[i])) add(j, &t->r[r], gyroscopic(j, i, explicit_mass));
    if (!moving) continue;
    Ex pi = ex_diff(p, c->kinetic, j->v[i]);
    for (int k = 0; k < j->n; k++) {
      if (c->slot[k].kind != SLOT_Q) continue;
      Ex g = ex_sub(p, along(j, pi, k), along(j, ex_diff(p, c->kinetic, j->v[k]), i));
      add(j, &t->r[r], ex_mul(p, explicit_mass ? at_first(j, g) : at_middle(j, g, j->vm), j->dq[k]));
    }
    add(j, &t->r[r], ex_mul(p, share, d[i]));
  }
}

static void potential(const Job *j, TwoPoint *t) {
  Pool *p = j->p;
  Ex *d = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  Ex V = ex_subst(p, j->c->potential, &j->s->sym_time, &j->tm, 1);
  if (!discrete(j, V, d)) return;
  for (int r = 0; r < j->c->nrow; r++) add(j, &t->r[r], ex_mul(p, j->h, d[j->c->row[r]]));
}

// h f(qm, (q - q0)/h): where f is affine in the velocities, h does not stand below the line.
static Ex impulse_of_damping(const Job *j, Ex f) {
  Pool *p = j->p;
  Ex *w = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  for (int k = 0; k < j->n; k++) w[k] = ex_num(p, 0);
  if (ex_affine(p, f, j->v, j->n)) {
    Ex sum = ex_mul(p, j->h, at_middle(j, f, w));
    for (int k = 0; k < j->n; k++) sum = ex_add(p, sum, ex_mul(p, at_middle(j, ex_diff(p, f, j->v[k]), w), j->dq[k]));
    return sum;
  }
  for (int k = 0; k < j->n; k++) w[k] = ex_div(p, j->dq[k], j->h);
  return ex_mul(p, j->h, at_middle(j, f, w));
}

// F(tm, qm, vm) along s: h F Ds/Dq at the middle of time, Ds/Dq (q - q0) = s(q) - s(q0), angles going on over +-pi;
// with s linear in velocities h F ds/dv(qm). The work is F times that change.
static void force_along(const Job *j, TwoPoint *t) {
  Pool *p = j->p;
  const SysClass *c = j->c;
  Ex *d = ARENA_ARRAY(j->arena, Ex, j->n + 1), F = at_middle(j, c->push, j->vm), change = ex_num(p, 0);
  if (c->along_rate)
    for (int r = 0; r < c->nrow; r++) {
      int k = c->row[r];
      ex_gradient(p, c->along, &j->v[k], 1, &d[k]);
      d[k] = at_middle(j, d[k], j->vm);
    }
  else discrete_over(j, ex_subst(p, c->along, &j->s->sym_time, &j->tm, 1), true, false, d);
  for (int r = 0; r < c->nrow; r++) {
    int k = c->row[r];
    add(j, &t->r[r], ex_neg(p, ex_mul(p, ex_mul(p, j->h, F), d[k])));
    add(j, &change, ex_mul(p, d[k], j->dq[k]));
  }
  t->force = ex_mul(p, F, change);
}

static void forces(const Job *j, TwoPoint *t) {
  Pool *p = j->p;
  const SysClass *c = j->c;
  bool damping = c->dissipation != EX_NONE;
  Ex work = ex_num(p, 0);
  for (int r = 0; r < c->nrow; r++) {
    Ex f = damping ? EX_NONE : at_middle(j, ex_add(p, c->f[r], c->g[r]), j->vm), dq = j->dq[c->row[r]];
    Ex impulse = damping ? impulse_of_damping(j, c->f[r]) : ex_mul(p, j->h, f);
    add(j, &t->r[r], ex_neg(p, impulse));
    add(j, &work, damping ? ex_neg(p, ex_mul(p, impulse, ex_div(p, dq, j->h))) : ex_mul(p, f, dq));
  }
  if (damping) t->damping = work; else t->force = work;
}

static void push(const Job *j, Entries *to, int row, int col, Wrt wrt, Ex value) {
  if (!ex_is_num(j->p, value, 0)) entries_push(j->arena, to, (Entry){ row, col, wrt, value });
}

static bool moves(int id, void *system) {
  const Sym *y = symtab_at(((const System *)system)->sym, id);
  return y->kind == SYM_VALUE || y->kind == SYM_RATE || y->kind == SYM_VALUE0 || y->kind == SYM_RATE0 ||
         y->kind == SYM_TIME0 || y->kind == SYM_VALUE_D || y->kind == SYM_RATE_D;
}

// d e/d q_k and d e/d v_k at the end, the increment moving along.
static Ex end_and_increment(const Job *j, Ex e, int end, int increment) {
  if (ex_is_shared(j->p, e)) return ex_diff_two(j->p, e, end, increment);
  return ex_add(j->p, ex_diff(j->p, e, end), ex_diff(j->p, e, increment));
}

// d p/d xi_i of the attitude at the end: c/2 G(p0) e_i - c^2/4 xi_i p. Of slot k: [4].
static const Ex *attitude_by_increment(const Job *j, Turn *u, int k) {
  Pool *p = j->p;
  int i = turn_number(j->s, &j->c->slot[k]);
  for (int row = 0; row < 4 && u->by_turn[i][3] == EX_NONE; row++) {
    Ex shrinks[] = { ex_num(p, 0.25), u->c, u->c, j->dq[k], u->px[row] };
    u->by_turn[i][row] = ex_sub(p, ex_mul(p, u->c, half_g(p, u->p0x, row, i)), ex_op(p, OP_MUL, shrinks, 5));
  }
  return u->by_turn[i];
}

static const RotationSlope *slope_of(const Job *j, Turn *u, int k) {
  int i = turn_number(j->s, &j->c->slot[k]);
  if (u->slope[i].R[0] == EX_NONE) u->slope[i] = rotation_slope(j->s, &u->R, i);
  return &u->slope[i];
}

static Ex by_q(const Job *j, Ex e, int k) {
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

static Ex by_v(const Job *j, Ex e, int k) {
  Turn *u = j->turn[k];
  Ex sum = end_and_increment(j, e, j->v[k], j->vd[k]);
  for (int i = 0; u && i < 9; i++)
    sum = ex_add(j->p, sum, ex_mul(j->p, ex_diff(j->p, e, u->R.rate[i]), slope_of(j, u, k)->by_spin[i]));
  return sum;
}

// The same of large rows r [m]: [m, 2 n], by the q_k, then by the v_k.
static const Ex *slopes(const Job *j, const Ex *r, int m) {
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

TwoPoint two_point_smooth(Arena *a, const System *s, const SysClass *c, bool explicit_mass) {
  Job j = job_of(a, s, c);
  TwoPoint t = { .affine = true };
  t.r = ARENA_ARRAY(a, Ex, c->nrow + 1);
  for (int r = 0; r < c->nrow; r++) t.r[r] = ex_num(s->pool, 0);
  bool bodies = reads_turns(s, c);
  if (c->kinetic != EX_NONE)
    (ex_is_shared(s->pool, c->kinetic) && !bodies ? large_kinetic : kinetic)(&j, explicit_mass, &t);
  else if (c->potential != EX_NONE) potential(&j, &t);
  else if (c->along != EX_NONE) force_along(&j, &t);
  else forces(&j, &t);
  bool large = false;
  for (int r = 0; r < c->nrow && !bodies; r++) large |= ex_is_shared(s->pool, t.r[r]);
  const Ex *slope = large ? slopes(&j, t.r, c->nrow) : NULL;
  for (int r = 0; r < c->nrow; r++)
    for (int k = 0; k < j.n; k++) {
      if (c->slot[k].kind != SLOT_Q) continue;
      const Ex *of = large ? slope + r * 2 * j.n : NULL;
      push(&j, &t.cjac, c->row[r], k, WRT_Q, large ? of[k] : by_q(&j, t.r[r], k));
      push(&j, &t.cjac, c->row[r], k, WRT_V, large ? of[j.n + k] : by_v(&j, t.r[r], k));
    }
  back(&j, t.r, c->nrow);
  back_entries(&j, &t.cjac);
  if (t.force != EX_NONE) back(&j, &t.force, 1);
  for (int i = 0; i < t.cjac.n && t.affine; i++)
    t.affine = !ex_depends_any(s->pool, t.cjac.at[i].value, moves, (void *)s);
  return t;
}

const SysClass *two_point_whole_turns(Arena *a, const System *s, const SysClass *c) {
  if (!reads_positions(c) || c->velocity_level) return c;
  SysClass *whole = ARENA_NEW(a, SysClass);
  *whole = *c;
  whole->h = (Entries){ 0, ARENA_ARRAY(a, Entry, c->nslot + 1) };
  for (int k = 0, i = 0; k < c->nslot; k++) {
    bool has = i < c->h.n && c->h.at[i].col == k;
    if (has) whole->h.at[whole->h.n++] = c->h.at[i++];
    else if (is_turn(s, &c->slot[k])) whole->h.at[whole->h.n++] = (Entry){ 0, k, WRT_V, ex_num(s->pool, 0) };
  }
  INVARIANT(whole->h.n >= c->h.n);
  return whole;
}

TwoPoint two_point_row(Arena *a, const System *s, const SysClass *c, bool both_levels) {
  Pool *p = s->pool;
  Job j = job_of(a, s, c);
  TwoPoint t = { .affine = false };
  Ex lambda = ex_sym(p, symbol(s, SYM_LAMBDA)), kappa = ex_sym(p, symbol(s, SYM_KAPPA));
  Ex *d = ARENA_ARRAY(a, Ex, j.n + 1), *force = ARENA_ARRAY(a, Ex, j.n + 1);
  for (int k = 0; k < j.n; k++) force[k] = ex_num(p, 0);
  t.dg = ARENA_ARRAY(a, Ex, c->h.n + 1);
  if (c->velocity_level) t.gap = ex_num(p, 0); else discrete(&j, c->y, d);
  for (int i = 0; i < c->h.n; i++) {
    int k = c->h.at[i].col;
    t.dg[i] = c->velocity_level ? at_middle(&j, c->h.at[i].value, j.vm) : d[k];
    if (c->velocity_level) add(&j, &t.gap, ex_mul(p, t.dg[i], j.dq[k]));
    add(&j, &force[k], ex_mul(p, lambda, t.dg[i]));
  }
  // With bodies the gap has other derivatives with respect to the increments than H, d rate/dv.
  bool moved = reads_positions(c) && !c->velocity_level;
  for (int i = 0; moved && c->kind == CLASS_CONTACT && i < c->h.n; i++)
    push(&j, &t.h, 0, c->h.at[i].col, WRT_V, by_q(&j, c->y, c->h.at[i].col));
  for (int k = 0; k < j.n; k++) {
    if (c->slot[k].kind != SLOT_Q) continue;
    if (moved && c->kind == CLASS_CONSTRAINT) push(&j, &t.gq, 0, k, WRT_Q, by_q(&j, c->y, k));
    if (c->velocity_level) push(&j, &t.gq, 0, k, WRT_Q, by_q(&j, t.gap, k));
    push(&j, &t.rq, 0, k, WRT_Q, j.turn[k] ? by_q(&j, c->rate, k) : ex_diff(p, c->rate, j.q[k]));
  }
  bool symmetric = moved && c->kind == CLASS_CONSTRAINT;
  if (symmetric) {
    Ex *by_v = ARENA_ARRAY(a, Ex, j.n + 1);
    discrete_rate(&j, c->y, d, by_v);
    t.hm = ARENA_ARRAY(a, Ex, c->h.n + 1);
    for (int i = 0; i < c->h.n; i++) t.hm[i] = by_v[c->h.at[i].col];
  }
  if (symmetric || ((both_levels || c->kind == CLASS_CONSTRAINT) && discrete(&j, c->rate, d)))
    for (int k = 0; k < j.n; k++) {
      if (c->slot[k].kind != SLOT_Q) continue;
      push(&j, &t.dr, 0, k, WRT_Q, d[k]);
      add(&j, &force[k], ex_mul(p, kappa, d[k]));
    }
  // The matrix takes the curvature of lambda alone and in the numbers of p: a third of the length, off by O(h^2).
  if (symmetric) {
    discrete_over(&j, c->y, false, true, d);
    for (int k = 0; k < j.n; k++) force[k] = ex_mul(p, lambda, d[k]);
  }
  for (int i = 0; moved && c->kind == CLASS_CONSTRAINT && i < c->h.n; i++)
    for (int k = 0, at = c->h.at[i].col; k < j.n; k++)
      if (j.turn[k] && j.turn[k] == j.turn[at])
        push(&j, &t.bend, at, k, WRT_Q,
             ex_mul(p, ex_mul(p, ex_num(p, 0.5), lambda), along(&j, c->h.at[i].value, k)));
  for (int i = 0; i < j.n; i++)
    for (int k = 0; k < j.n; k++) {
      if (c->slot[k].kind != SLOT_Q) continue;
      push(&j, &t.curve, i, k, WRT_Q, j.turn[k] ? by_q(&j, force[i], k) : ex_diff(p, force[i], j.q[k]));
      push(&j, &t.curve, i, k, WRT_V, by_v(&j, force[i], k));
    }
  back(&j, t.dg, c->h.n);
  if (t.hm) back(&j, t.hm, c->h.n);
  Entries *made[] = { &t.gq, &t.rq, &t.dr, &t.bend, &t.curve, &t.h };
  for (int i = 0; i < 6; i++) back_entries(&j, made[i]);
  return t;
}
