// The functions of two points of which the energy-consistent schemes are made (scheme.h), as expressions of a class:
// what a scheme says of momentum and impulse (consistent.c) is cut into terms, each a function at a point by its
// weight. Each function has its expressions here, with m for the middle and D for the discrete derivative from q0 to q:
//
//   INERTIA          M dv                                       GYROSCOPIC  G dq, G_ij = (dM_ik/dq_j - dM_jk/dq_i) v_k
//   KINETIC_SLOPE    DT/Dq with the velocities of the point     TURNING     dq x dT/dspin of bodies
//   POTENTIAL_SLOPE  DV/Dq with the time of the point           DAMPING     dR/dv(q, dq/h)
//   APPLIED          F, and g of multipliers; along an expression s: F Ds/Dq
//   GAP_SLOPE        Dg/Dq; of a constraint on velocities H     RATE_SLOPE  D rate/Dq with the velocities of the point
//
// Each class is exact by itself: (q - q0).R1 + (v - v0).1/2 (M(q0) + M(q))(h vm - (q - q0)) = h (difference of its
// energy), so their sum is (tests/unit/plan/test_consistent.c).
#include "../base/fatal.h"
#include "ends.h"
#include "two_point.h"

// What a sum of terms takes of one function: at which points, all by the same weight. n 0: nothing.
typedef struct Share { int n, point[2]; Ex weight; } Share;

static Share share_of(const Terms *t, ModelFunction of) {
  Share s = { 0 };
  for (int i = 0; i < t->n; i++) {
    if (t->at[i].of != of) continue;
    INVARIANT(s.n < 2 && (s.n == 0 || s.weight == t->at[i].weight));
    s.point[s.n++] = t->at[i].point;
    s.weight = t->at[i].weight;
  }
  return s;
}

// The sum of e at the points, by the weight.
static Ex shared(const BothEnds *j, const Share *s, Ex e) {
  Ex sum = ex_num(j->p, 0);
  for (int i = 0; i < s->n; i++) add_to(j, &sum, ends_at(j, e, s->point[i]));
  return ex_mul(j->p, s->weight, sum);
}

// ---- kinetic energy -------------------------------------------------------------------------------------------------
// M dv, by the slots of the rows.
static const Ex *inertia(const BothEnds *j, const Share *s) {
  const SysClass *c = j->c;
  Ex *by_slot = ARENA_ARRAY(j->arena, Ex, c->nslot + 1);
  for (int k = 0; k < j->n; k++) by_slot[k] = ex_num(j->p, 0);
  for (int i = 0; i < c->mass.n; i++) {
    const Entry *m = &c->mass.at[i];
    add_to(j, &by_slot[m->row], ex_mul(j->p, shared(j, s, m->value), j->dv[m->col]));
  }
  return by_slot;
}

// dq x p, p = dT/dspin, of the turn in slot i.
static Ex turning(const BothEnds *j, const Share *s, int i) {
  Pool *p = j->p;
  const Slot *t = &j->c->slot[i];
  int a = turn_number(j->s, t);
  Ex r = ex_num(p, 0);
  for (int side = 0; side < 2; side++) {
    int of = (a + 1 + side) % 3, with = (a + 2 - side) % 3;           // xi_of p_with - xi_with p_of
    Ex momentum = ex_diff(p, j->c->kinetic, turn_symbol(j->s, t, with, SYM_RATE));
    Ex term = ex_mul(p, ex_sym(p, turn_symbol(j->s, t, of, SYM_VALUE_D)), shared(j, s, momentum));
    r = side ? ex_sub(p, r, term) : ex_add(p, r, term);
  }
  return r;
}

// G dq of row r.
static void gyroscopic(const BothEnds *j, const Share *s, int r, TwoPoint *t) {
  Pool *p = j->p;
  const SysClass *c = j->c;
  int i = c->row[r];
  Ex pi = ex_diff(p, c->kinetic, j->v[i]);
  for (int k = 0; k < j->n; k++) {
    if (c->slot[k].kind != SLOT_Q) continue;
    Ex G = ex_sub(p, along_slot(j, pi, k), along_slot(j, ex_diff(p, c->kinetic, j->v[k]), i));
    add_to(j, &t->r[r], ex_mul(p, shared(j, s, G), j->dq[k]));
  }
}

// D of the sum of T with the velocities of the points; false where M is constant.
static bool kinetic_slopes(const BothEnds *j, const Share *s, Ex *d) {
  Ex T = ex_num(j->p, 0);
  for (int i = 0; i < s->n; i++) add_to(j, &T, ends_at_velocities(j, j->c->kinetic, s->point[i]));
  return discrete_of(j, T, d);
}

static void kinetic(const BothEnds *j, const Terms *terms, TwoPoint *t) {
  const SysClass *c = j->c;
  Share M = share_of(terms, INERTIA), G = share_of(terms, GYROSCOPIC), L = share_of(terms, TURNING),
        S = share_of(terms, KINETIC_SLOPE);
  const Ex *m = inertia(j, &M);
  Ex *d = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  bool moving = kinetic_slopes(j, &S, d);
  for (int r = 0; r < c->nrow; r++) {
    int i = c->row[r];
    t->r[r] = m[i];
    if (is_turn(j->s, &c->slot[i])) add_to(j, &t->r[r], turning(j, &L, i));
    if (!moving) continue;
    gyroscopic(j, &G, r, t);
    add_to(j, &t->r[r], ex_mul(j->p, S.weight, d[i]));
  }
}

// The same of a large T (docs/numerics/algebra.md, section 9), without M and without products of n^2 entries. With p =
// dT/dv, each of these costs a small multiple of T:
//
//   M dv = derivative of p along v -> dv,   G dq = derivative of p along q -> dq - d/dq (derivative of T along v -> dq)
typedef struct Rows { int n, *q, *v; Ex *dq, *dv, *p; } Rows;     // the coordinates of the rows; dT/dv

static Rows rows_of_large(const BothEnds *j) {
  const SysClass *c = j->c;
  Arena *a = j->arena;
  int n = c->nrow;
  Rows x = { n, ARENA_ARRAY(a, int, n + 1), ARENA_ARRAY(a, int, n + 1), ARENA_ARRAY(a, Ex, n + 1),
             ARENA_ARRAY(a, Ex, n + 1), ARENA_ARRAY(a, Ex, n + 1) };
  for (int r = 0; r < n; r++) {
    x.q[r] = j->q[c->row[r]]; x.v[r] = j->v[c->row[r]];
    x.dq[r] = j->dq[c->row[r]]; x.dv[r] = j->dv[c->row[r]];
  }
  ex_gradient(j->p, c->kinetic, x.v, n, x.p);
  return x;
}

static void large_inertia(const BothEnds *j, const Share *s, const Rows *x, TwoPoint *t) {
  Pool *p = j->p;
  Ex *m = ARENA_ARRAY(j->arena, Ex, 2 * x->n + 1), *there = m + x->n;
  ex_tangent(p, x->p, x->n, x->v, x->dv, x->n, m);
  for (int i = 0; i < s->n; i++) {
    for (int r = 0; r < x->n; r++) there[r] = m[r];
    ends_at_all(j, there, x->n, s->point[i]);
    for (int r = 0; r < x->n; r++) add_to(j, &t->r[r], there[r]);
  }
  for (int r = 0; r < x->n; r++) t->r[r] = ex_mul(p, s->weight, t->r[r]);
}

static void large_gyroscopic(const BothEnds *j, const Share *s, const Rows *x, TwoPoint *t) {
  Pool *p = j->p;
  Ex *g = ARENA_ARRAY(j->arena, Ex, 2 * x->n + 1), *curl = g + x->n, T = j->c->kinetic, T_dq;
  ex_tangent(p, x->p, x->n, x->q, x->dq, x->n, g);
  ex_tangent(p, &T, 1, x->v, x->dq, x->n, &T_dq);
  ex_gradient(p, T_dq, x->q, x->n, curl);
  for (int r = 0; r < x->n; r++) g[r] = ex_sub(p, g[r], curl[r]);
  INVARIANT(s->n == 1);
  ends_at_all(j, g, x->n, s->point[0]);
  for (int r = 0; r < x->n; r++) add_to(j, &t->r[r], ex_mul(p, s->weight, g[r]));
}

static void large_kinetic(const BothEnds *j, const Terms *terms, TwoPoint *t) {
  Share M = share_of(terms, INERTIA), G = share_of(terms, GYROSCOPIC), S = share_of(terms, KINETIC_SLOPE);
  Rows x = rows_of_large(j);
  Ex *d = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  large_inertia(j, &M, &x, t);
  if (!kinetic_slopes(j, &S, d)) return;
  large_gyroscopic(j, &G, &x, t);
  for (int r = 0; r < x.n; r++) add_to(j, &t->r[r], ex_mul(j->p, S.weight, d[j->c->row[r]]));
}

// ---- potential, damping, forces -------------------------------------------------------------------------------------
static void potential(const BothEnds *j, const Share *s, TwoPoint *t) {
  Ex *d = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  if (!discrete_of(j, ends_at_time(j, j->c->potential, s->point[0]), d)) return;
  for (int r = 0; r < j->c->nrow; r++) add_to(j, &t->r[r], ex_mul(j->p, s->weight, d[j->c->row[r]]));
}

// h f(qm, dq/h) = e(qm, w): where f is affine in the velocities, h does not stand below the line. Where it is linear, e
// is f itself, which keeps its factors: the rate of a damper stands in all its rows. The velocities of w are `per` dq.
static Ex impulse_of_damping(const BothEnds *j, const Ex *f, int rows, Ex *e, Ex *w) {
  Pool *p = j->p;
  Ex *still = ARENA_ARRAY(j->arena, Ex, j->n + 1), one = ex_num(p, 1), per = one;
  bool linear = j->nbody > 0;
  for (int k = 0; k < j->n; k++) still[k] = ex_num(p, 0);
  for (int r = 0; r < rows; r++) {
    if (!ex_affine(p, f[r], j->v, j->n)) per = ex_div(p, one, j->h);
    linear = linear && ex_is_num(p, ex_subst(p, f[r], j->v, still, j->n), 0);
  }
  for (int r = 0; r < rows; r++) {
    e[r] = linear && per == one ? f[r] : ex_mul(p, j->h, per == one ? ex_subst(p, f[r], j->v, still, j->n) : f[r]);
    for (int k = 0; k < j->n && per == one && !linear; k++)
      add_to(j, &e[r], ex_mul(p, ex_diff(p, f[r], j->v[k]), ex_sym(p, j->v[k])));
  }
  for (int k = 0; k < j->n; k++) w[k] = ex_mul(p, per, j->dq[k]);
  return per;
}

// Their derivatives [nrow, 2 n] where bodies turn, else NULL.
static const Ex *damping(const BothEnds *j, const Share *s, TwoPoint *t) {
  Pool *p = j->p;
  const SysClass *c = j->c;
  INVARIANT(s->n == 1 && s->weight == j->h);
  Ex *e = ARENA_ARRAY(j->arena, Ex, c->nrow + 1), *w = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  Ex per = impulse_of_damping(j, c->f, c->nrow, e, w);
  for (int r = 0; r < c->nrow; r++) e[r] = ex_neg(p, e[r]);           // f = -dR/dv
  t->damping = ex_num(p, 0);
  for (int r = 0; r < c->nrow; r++) {
    Ex impulse = ends_at_middle(j, e[r], w);
    add_to(j, &t->r[r], impulse);
    add_to(j, &t->damping, ex_mul(p, impulse, ex_div(p, j->dq[c->row[r]], j->h)));
  }
  return j->nbody > 0 ? slopes_in_middle(j, e, c->nrow, w, per) : NULL;
}

// F along s: h F Ds/Dq at the middle of time, Ds/Dq (q - q0) = s(q) - s(q0), angles going on over +-pi; with s linear
// in velocities h F ds/dv(qm). The work is F times that change.
static void applied_along(const BothEnds *j, const Share *s, TwoPoint *t) {
  Pool *p = j->p;
  const SysClass *c = j->c;
  int m = s->point[0];
  Ex *d = ARENA_ARRAY(j->arena, Ex, j->n + 1), F = ends_at(j, c->push, m), change = ex_num(p, 0);
  if (c->along_rate)
    for (int r = 0; r < c->nrow; r++) {
      int k = c->row[r];
      ex_gradient(p, c->along, &j->v[k], 1, &d[k]);
      d[k] = ends_at(j, d[k], m);
    }
  else discrete_over(j, ends_at_time(j, c->along, m), true, d);
  for (int r = 0; r < c->nrow; r++) {
    int k = c->row[r];
    t->r[r] = ex_sub(p, t->r[r], ex_mul(p, ex_mul(p, ex_neg(p, s->weight), F), d[k]));
    add_to(j, &change, ex_mul(p, d[k], j->dq[k]));
  }
  t->force = ex_mul(p, F, change);
}

static void applied(const BothEnds *j, const Share *s, TwoPoint *t) {
  Pool *p = j->p;
  t->force = ex_num(p, 0);
  for (int r = 0; r < j->c->nrow; r++) {
    Ex F = ends_at(j, ex_add(p, j->c->f[r], j->c->g[r]), s->point[0]);
    add_to(j, &t->r[r], ex_mul(p, s->weight, F));
    add_to(j, &t->force, ex_mul(p, F, j->dq[j->c->row[r]]));
  }
}

// ---- smooth statements ----------------------------------------------------------------------------------------------
static bool moves(int id, void *system) {
  const Sym *y = symtab_at(((const System *)system)->sym, id);
  return y->kind == SYM_VALUE || y->kind == SYM_RATE || y->kind == SYM_VALUE0 || y->kind == SYM_RATE0 ||
         y->kind == SYM_TIME0 || y->kind == SYM_VALUE_D || y->kind == SYM_RATE_D;
}

// slope: where they are known.
static void derivatives(const BothEnds *j, const Ex *slope, TwoPoint *t) {
  const SysClass *c = j->c;
  bool large = false;
  for (int r = 0; r < c->nrow && !reads_turns(j->s, c); r++) large |= ex_is_shared(j->p, t->r[r]);
  if (!slope) slope = slopes_of(j, t->r, c->nrow, large);
  for (int r = 0; r < c->nrow; r++)
    for (int k = 0; k < j->n; k++) {
      if (c->slot[k].kind != SLOT_Q) continue;
      entry_push(j, &t->cjac, c->row[r], k, WRT_Q, slope[r * 2 * j->n + k]);
      entry_push(j, &t->cjac, c->row[r], k, WRT_V, slope[r * 2 * j->n + j->n + k]);
    }
}

TwoPoint two_point_smooth(Arena *a, const System *s, const SysClass *c, const Equations *q) {
  BothEnds j = ends_of_piece(a, s, c, q);
  TwoPoint t = { .affine = true };
  t.r = ARENA_ARRAY(a, Ex, c->nrow + 1);
  for (int r = 0; r < c->nrow; r++) t.r[r] = ex_num(s->pool, 0);
  Piece piece = { a, s, s->pool, c };
  Terms terms = terms_of(&piece, q->momentum(&piece));
  Share V = share_of(&terms, POTENTIAL_SLOPE), R = share_of(&terms, DAMPING), F = share_of(&terms, APPLIED);
  bool large = c->kinetic != EX_NONE && ex_is_shared(s->pool, c->kinetic) && !reads_turns(s, c);
  const Ex *slope = NULL;
  if (c->kinetic != EX_NONE) (large ? large_kinetic : kinetic)(&j, &terms, &t);
  else if (c->potential != EX_NONE) potential(&j, &V, &t);
  else if (c->along != EX_NONE) applied_along(&j, &F, &t);
  else if (c->dissipation != EX_NONE) slope = damping(&j, &R, &t);
  else applied(&j, &F, &t);
  derivatives(&j, slope, &t);
  back_from_rotations(&j, t.r, c->nrow);
  entries_back(&j, &t.cjac);
  if (t.force != EX_NONE) back_from_rotations(&j, &t.force, 1);
  for (int i = 0; i < t.cjac.n && t.affine; i++)
    t.affine = !ex_depends_any(s->pool, t.cjac.at[i].value, moves, (void *)s);
  return t;
}
