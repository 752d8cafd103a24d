// A contact that stays closed, alone: pressed in the step before, and no other one may be closed. Its forces are those
// of the map that the runtime has put into s (runtime/schemes/whole_rows.c), with q = y the rates of the free motion:
//
//   lambda = L y,   u = M lambda + y,   z1 = z_free + X lambda,   held = (h/2) M_NN lambda_N
//
// checked as whole_rows.c does, from M and y alone: u_N = 0 and lambda_N > 0; where it sticks u_T = 0 and |lambda_T| <=
// mu lambda_N, where it slides lambda_T u_T <= 0; the rates that the law makes 0 are 0 to rounding. Velocities that are
// nothing but what rounding left become 0. A step that is not so, or is another way of acting, is for nsm_whole_rows.
//
// A contact that is struck, alone too: without friction, closed, not held, and in the step before no contact had a
// force. Its impulse is that of the map of its row,
//
//   lambda = -(u + e u_k)/M_NN,   e u_k > 16 eps M_NN lambda   (else it is pressed, and a runtime's step)
//
// s from `kept` on: number of the contact (-1: none), held, forces N and T, L by rows, mu, whether it sticks, steps
// done here; of the last contact that was struck its number, that of its step and its impulse, and how many were; where
// events are located forces N and T of the step before the last one, |slip| at its end and that of the last one
#include <float.h>
#include <math.h>
#include "linear.h"

enum { MOST = 4 };
enum { ON, HELD, PRESS, RUB, NN, NT, TN, TT, MU, STICKS, STEPS, HIT, HIT_STEP, HIT_PUSH, HITS, PRESS0, RUB0,
       SLIP, SLIP0, KEPT };
// as in runtime/schemes/whole.h
static const char *const kept_name[] = { "on", "held", "press", "rub", "NN", "NT", "TN", "TT", "mu", "sticks",
                                         "acted", "hit", "hit_step", "hit_push", "hits", "press0", "rub0", "slip",
                                         "slip0" };

// Variables; for each contact (h/2) M_NN and -1/M_NN; d rate/d z of each row [nrow, nz] and its size.
typedef struct Stays { KValue variable[KEPT], share[MOST], against[MOST], *slope, *size; } Stays;

bool linear_stays_fit(Linear *l) {
  const Written *w = l->p->w;
  if (l->ncontact == 0 || l->ncontact > MOST || l->always) return false;
  l->friction = ARENA_ARRAY(w->arena, const Instance *, l->ncontact + 1);
  for (int i = 0; i < w->n; i++) {
    const Instance *at = &w->at[i];
    const SysClass *c = at->pc->c;
    if (c->kind != CLASS_FRICTION) continue;
    if (c->friction != MF_COULOMB || at->pc->e_num >= 0) return false;
    for (int j = 0; j < l->ncontact; j++) {
      if (l->contact[j]->cls != c->normal || l->contact[j]->number != at->number) continue;
      if (l->friction[j]) return false;                    // another direction
      l->friction[j] = at;
    }
  }
  return true;
}

static KValue kept(const Linear *l, int which) { return k_get(l->p->b, l->stay->variable[which]); }

static KValue times(Step *p, KValue x, KValue y) { return k_op2(p->b, OP_TIMES, x, y); }

// Can contact j be struck here? It has a restitution and no friction, and is not located.
static bool can_be_struck(const Linear *l, int j) {
  return !l->p->w->located && !l->friction[j] && l->m.contact[j].e != EX_NONE;
}

static void constants(Linear *l) {
  Step *p = l->p;
  Written *w = p->w;
  KBuilder *b = p->b;
  Stays *s = l->stay = ARENA_NEW(p->arena, Stays);
  s->slope = ARENA_ARRAY(p->arena, KValue, w->nrow * w->nz + 1);
  s->size = ARENA_ARRAY(p->arena, KValue, w->nrow * w->nz + 1);
  for (int j = 0; j < l->ncontact; j++) {
    int row = l->contact[j]->row;
    KValue half = times(p, k_number(b, 0.5), step_scalar(p, WHOLE_STEP));
    KValue M = l->M.at[row * w->nrow + row];
    s->share[j] = k_name(b, times(p, half, M), step_name(p, "share", j), NULL);
    if (!can_be_struck(l, j)) continue;
    KValue inverse = k_op2(b, OP_OVER, k_number(b, 1), M);
    s->against[j] = k_name(b, k_op1(b, OP_OPPOSITE, inverse), step_name(p, "against", j), NULL);
  }
  for (int i = 0; i < w->nrow * w->nz; i++) {
    int j = i % w->nz;
    RoleKind kind = j < w->nq ? ROLE_V : ROLE_X;
    Ex e = ex_diff(w->pool, l->y[i / w->nz], written_symbol(w, kind, AT_END, kind == ROLE_V ? j : j - w->nq));
    s->slope[i] = s->size[i] = K_NONE;
    if (ex_is_num(w->pool, e, 0)) continue;
    step_values(p, &e, 1, &s->slope[i]);
    KCode code = k_node(b, s->slope[i])->code;
    if (code != KN_NUMBER && !k_node(b, s->slope[i])->name)
      k_name(b, s->slope[i], step_name(p, "slope", i), NULL);
    s->size[i] = code == KN_NUMBER ? k_number(b, fabs(k_node(b, s->slope[i])->number))
                                   : k_name(b, step_abs(p, s->slope[i]), step_name(p, "slopes", i), NULL);
  }
}

// min(largest |u|/U so far, 8 eps)
static KValue least_of(const Linear *l) {
  KBuilder *b = l->p->b;
  KValue rounds = k_number(b, 8 * DBL_EPSILON), x = k_get(b, l->worst_value);
  return k_choose(b, k_op2(b, OP_LT, x, rounds), x, rounds);
}

static void set_least(const Linear *l) { k_set(l->p->b, l->least, least_of(l)); }

static void worst_open(Linear *l) {
  l->worst_value = k_variable(l->p->b, "worst", k_at_number(l->p->b, l->p->s, l->worst));
  l->least = k_variable(l->p->b, "least", least_of(l));
}

static void worst_load(Linear *l) {
  k_set(l->p->b, l->worst_value, k_at_number(l->p->b, l->p->s, l->worst));
  set_least(l);
}

// Row i, where no bound holds it: |u| <= 8 eps U and a force within its bounds, else `fits` becomes 0. The largest
// |u|/U is kept, and least = min(that, 8 eps), below which nothing is left to do.
static void verify_row(Linear *l, int i, KValue u, KValue U, KValue within, KValue fits) {
  Step *p = l->p;
  KBuilder *b = p->b;
  KValue rounds = k_number(b, 8 * DBL_EPSILON), never = k_integer(b, 0);
  KValue off = k_name(b, step_abs(p, u), step_name(p, "off", i), NULL);
  U = k_name(b, U, step_name(p, "size", i), NULL);
  k_if(b, k_op1(b, OP_NOT, k_op2(b, OP_LE, off, k_op2(b, OP_TIMES, k_get(b, l->least), U))));
  k_if(b, k_op1(b, OP_NOT, k_op2(b, OP_LE, off, k_op2(b, OP_TIMES, rounds, U))));
  k_set(b, fits, never);
  k_else(b);
  k_if(b, k_op2(b, OP_LT, k_op2(b, OP_TIMES, k_get(b, l->worst_value), U), off));
  k_set(b, l->worst_value, k_op2(b, OP_OVER, off, U));
  set_least(l);
  k_close(b);
  k_close(b);
  k_close(b);
  if (within == K_NONE) return;
  k_if(b, k_op1(b, OP_NOT, within));
  k_set(b, fits, never);
  k_close(b);
}

// The position where the velocity z1 comes to rest: q0 + begin z0, of the point END.
static KValue stopped(const Linear *l, KValue q0, KValue z0) {
  KValue begin = l->m.spot[END].begin.v;
  return begin == K_NONE ? q0 : k_op2(l->p->b, OP_PLUS, q0, k_op2(l->p->b, OP_TIMES, begin, z0));
}

void linear_stays_open(Linear *l) {
  Step *p = l->p;
  linear_load(l, &l->M, "m");
  linear_load(l, &l->X, "x");
  constants(l);
  for (int i = 0; i < KEPT; i++)
    l->stay->variable[i] = k_variable(p->b, kept_name[i], k_at_number(p->b, p->s, l->kept + i));
  worst_open(l);
}

void linear_stays_load(Linear *l) {
  Step *p = l->p;
  for (int i = 0; i < KEPT; i++) k_set(p->b, l->stay->variable[i], k_at_number(p->b, p->s, l->kept + i));
  worst_load(l);
}

void linear_stays_close(Linear *l) {
  Step *p = l->p;
  static const int out[] = { HELD, PRESS, RUB, STEPS, HIT, HIT_STEP, HIT_PUSH, HITS, PRESS0, RUB0, SLIP, SLIP0 };
  for (int i = 0; i < (int)(sizeof out/sizeof *out); i++)
    k_store(p->b, p->s, k_integer(p->b, l->kept + out[i]), kept(l, out[i]));
  k_store(p->b, p->s, k_integer(p->b, l->worst), k_get(p->b, l->worst_value));
}

// What stays the same of one contact while its branch is made. row [n]: N, and T where it has friction. branch: number
// of the branch, for names.
typedef struct Contact {
  Linear *l;
  const LinearMotion *m;
  int number, branch, n, row[2];
  KValue L[2][2], y[2], lambda[2], rub, u[2], U[2], fits;      // rub = |lambda_T|
  KValue *v, *way, *size;                                  // [nz] variables; |v| + its terms; K_NONE: no force acts
} Contact;

static const char *called(const Contact *c, const char *what, int i) {
  return arena_printf(c->l->p->arena, "%s%d_%d", what, i, c->branch);
}

static KValue named(const Contact *c, KValue v, const char *what, int i) {
  return k_name(c->l->p->b, v, called(c, what, i), NULL);
}

static KValue entry(const Contact *c, const Pattern2 *m, int row, int i) {
  return m->at[row * c->l->p->w->nrow + c->row[i]];
}

static void unless(Contact *c, KValue condition) {
  KBuilder *b = c->l->p->b;
  k_if(b, k_op1(b, OP_NOT, condition));
  k_set(b, c->fits, k_integer(b, 0));
  k_close(b);
}

// lambda, u and the size of its terms.
static void forces(Contact *c) {
  Linear *l = c->l;
  Step *p = l->p;
  for (int i = 0; i < c->n; i++) {
    KValue sum = K_NONE;
    for (int j = 0; j < c->n; j++) sum = step_add(p, sum, times(p, c->L[i][j], c->y[j]));
    c->lambda[i] = named(c, sum, "lambda", i);
  }
  if (c->n == 2) c->rub = named(c, step_abs(p, c->lambda[1]), "rub", 0);
  for (int i = 0; i < c->n; i++) {
    KValue u = c->y[i], U = step_abs(p, c->y[i]);
    for (int j = 0; j < c->n; j++) {
      KValue product = times(p, entry(c, &l->M, c->row[i], j), c->lambda[j]);
      if (j == 1 || i == 1) product = named(c, product, "part", 2 * i + j);
      u = step_add(p, u, product);
      U = step_add(p, U, i == 0 && j == 0 ? product : step_abs(p, product));     // M_NN, lambda_N > 0
    }
    c->u[i] = named(c, u, "u", i);
    c->U[i] = U;
  }
}

// The force that presses, or what is left to the rim of friction.
static KValue margin(Contact *c, KValue press, KValue rub) {
  return rub == K_NONE ? press : k_op2(c->l->p->b, OP_MINUS, times(c->l->p, kept(c->l, MU), press), rub);
}

// `holds`, and where events are located at the end of the step too (linear_lasts), before: in the step before.
static KValue lasts(Contact *c, KValue holds, KValue now, KValue before) {
  return c->l->p->w->located ? step_both(c->l->p, holds, linear_lasts(c->l, now, before)) : holds;
}

static void verify(Contact *c) {
  Linear *l = c->l;
  Step *p = l->p;
  KBuilder *b = p->b;
  KValue zero = k_number(b, 0), pressed = k_op2(b, OP_LT, zero, c->lambda[0]);
  verify_row(l, c->row[0], c->u[0], c->U[0], lasts(c, pressed, c->lambda[0], kept(l, PRESS)), c->fits);
  if (c->n == 1) return;
  k_if(b, k_op2(b, OP_EQ, kept(l, STICKS), zero));
  unless(c, k_op2(b, OP_LE, times(p, c->lambda[1], c->u[1]), zero));
  if (p->w->located) unless(c, linear_goes_on(l, step_abs(p, c->u[1]), kept(l, SLIP)));
  k_else(b);
  KValue sticks = k_op2(b, OP_LE, c->rub, times(p, kept(l, MU), c->lambda[0]));
  verify_row(l, c->row[1], c->u[1], c->U[1], lasts(c, sticks, margin(c, c->lambda[0], c->rub),
                                                      margin(c, kept(l, PRESS), step_abs(p, kept(l, RUB)))), c->fits);
  k_close(b);
}

// z1 and q1 by the forces; velocities that are nothing but what rounding left are 0.
static void move(Contact *c) {
  Linear *l = c->l;
  Step *p = l->p;
  KBuilder *b = p->b;
  const LinearMotion *m = c->m;
  int nq = p->w->nq, nz = p->w->nz;
  c->v = ARENA_ARRAY(p->arena, KValue, nz + 1);
  c->way = ARENA_ARRAY(p->arena, KValue, nz + 1);
  c->size = ARENA_ARRAY(p->arena, KValue, nz + 1);
  for (int i = 0; i < nz; i++) {
    KValue d = K_NONE, terms = K_NONE;
    c->v[i] = K_NONE;
    for (int j = 0; j < c->n; j++) {
      KValue x = entry(c, &l->X, i, j);
      if (x == K_NONE) continue;
      KValue product = named(c, times(p, x, c->lambda[j]), j ? "y" : "x", i);
      d = step_add(p, d, product);
      terms = step_add(p, terms, step_abs(p, product));
    }
    if (d == K_NONE) continue;
    d = named(c, d, "d", i);
    c->v[i] = k_variable(b, called(c, "v", i), k_op2(b, OP_PLUS, k_get(b, m->z[i]), d));
    if (i < nq)
      c->way[i] = k_variable(b, called(c, "way", i),
                             k_op2(b, OP_PLUS, k_get(b, m->q[i]), times(p, l->m.spot[END].end.v, d)));
    KValue size = step_add(p, terms, k_op2(b, OP_PLUS, step_abs(p, m->z0[i]),
                                               step_abs(p, k_get(b, m->z[i]))));
    size = named(c, size, "terms", i);
    c->size[i] = k_variable(b, called(c, "size", i), k_op2(b, OP_PLUS, size, step_abs(p, k_get(b, c->v[i]))));
    k_if(b, k_op1(b, OP_NOT, k_op2(b, OP_LT, times(p, k_number(b, 16 * DBL_EPSILON), size),
                                   step_abs(p, k_get(b, c->v[i])))));
    k_set(b, c->v[i], k_number(b, 0));
    k_set(b, c->size[i], k_number(b, 0));
    if (i < nq)
      k_set(b, c->way[i], stopped(l, m->q0[i], m->z0[i]));
    k_close(b);
  }
}

// The rate of row i is 0 to 4 eps of its terms, as closed.c asks. Of one velocity alone: that one is at rest.
static void rests(Contact *c, int i) {
  Linear *l = c->l;
  Step *p = l->p;
  Written *w = p->w;
  KBuilder *b = p->b;
  KValue sum = K_NONE, terms = K_NONE, only = K_NONE;
  int n = 0;
  for (int j = 0; j < w->nz; j++) {
    KValue slope = l->stay->slope[c->row[i] * w->nz + j];
    if (slope == K_NONE) continue;
    only = k_get(b, c->v[j] == K_NONE ? c->m->z[j] : c->v[j]);
    sum = step_add(p, sum, step_mul(p, slope, only));
    terms = step_add(p, terms, step_mul(p, l->stay->size[c->row[i] * w->nz + j],
                                        c->v[j] == K_NONE ? step_abs(p, only) : k_get(b, c->size[j])));
    n++;
  }
  if (n == 0) return;
  if (n == 1) { unless(c, k_op2(b, OP_EQ, only, k_number(b, 0))); return; }
  sum = named(c, sum, "rest", i);
  unless(c, k_op2(b, OP_LE, step_abs(p, sum), times(p, k_number(b, 4 * DBL_EPSILON), terms)));
}

// Within the branch that it opens the step stands; its state is set.
static void accept(Contact *c, KValue done) {
  Linear *l = c->l;
  Step *p = l->p;
  KBuilder *b = p->b;
  const LinearMotion *m = c->m;
  KValue sum = K_NONE;
  for (int i = 0; i < p->w->nz; i++) sum = step_add(p, sum, k_get(b, c->v[i] == K_NONE ? m->z[i] : c->v[i]));
  sum = named(c, sum, "sum", 0);
  k_if(b, k_op2(b, OP_AND, k_op2(b, OP_EQ, k_get(b, c->fits), k_integer(b, 1)),
                k_op2(b, OP_EQ, k_op2(b, OP_MINUS, sum, sum), k_number(b, 0))));
  for (int i = 0; i < p->w->nz; i++) {
    if (c->v[i] == K_NONE) continue;
    k_set(b, m->z[i], k_get(b, c->v[i]));
    if (i < p->w->nq) k_set(b, m->q[i], k_get(b, c->way[i]));
  }
  k_set(b, done, k_integer(b, 1));
}

static void one_more(const Linear *l, int which) {
  k_set(l->p->b, l->stay->variable[which], k_op2(l->p->b, OP_PLUS, kept(l, which), k_number(l->p->b, 1)));
}

static void pressed(Contact *c, KValue done) {
  Linear *l = c->l;
  KBuilder *b = l->p->b;
  accept(c, done);
  static const int before[] = { PRESS, PRESS0, RUB, RUB0, SLIP, SLIP0 };
  for (int i = 0; l->p->w->located && i < 6; i += 2) k_set(b, l->stay->variable[before[i + 1]], kept(l, before[i]));
  if (l->p->w->located && c->n == 2) k_set(b, l->stay->variable[SLIP], step_abs(l->p, c->u[1]));
  k_set(b, l->stay->variable[HELD], times(l->p, l->stay->share[c->number], c->lambda[0]));
  k_set(b, l->stay->variable[PRESS], c->lambda[0]);
  if (c->n == 2) k_set(b, l->stay->variable[RUB], c->lambda[1]);
  one_more(l, STEPS);
  k_close(b);
}

// What variables are in the expressions to come.
static void free_motion(const Contact *c) {
  Step *p = c->l->p;
  int nq = p->w->nq;
  for (int j = 0; j < nq; j++) p->value[ROLE_Q][AT_END][j] = k_get(p->b, c->m->q[j]);
  for (int j = 0; j < p->w->nz; j++)
    p->value[j < nq ? ROLE_V : ROLE_X][AT_END][j < nq ? j : j - nq] = k_get(p->b, c->m->z[j]);
}

static KValue rate_of_free_motion(const Contact *c, int i) {
  KValue y;
  step_values(c->l->p, &c->l->y[c->row[i]], 1, &y);
  return named(c, y, "rate", i);
}

// `closed`, and no other contact may be.
static KValue alone(const Linear *l, const LinearMotion *m, int j, KValue closed) {
  Step *p = l->p;
  for (int k = 0; k < l->ncontact; k++)
    if (k != j)
      closed = step_both(p, closed, step_open_for_sure(p, k_get(p->b, m->reach[k]), m->gap[k], m->rate[k], m->near[k]));
  return step_both(p, closed, m->finite);
}

// Is contact j the one that stays closed? Where events are located nothing but its force says so.
static KValue stays_closed(const Linear *l, const LinearMotion *m, int j) {
  KBuilder *b = l->p->b;
  KValue on = k_op2(b, OP_EQ, kept(l, ON), k_number(b, j));
  if (l->p->w->located) return on;
  return k_op2(b, OP_AND, on, k_op1(b, OP_NOT, k_op2(b, OP_LT, kept(l, HELD), m->gap[j])));
}

static void stay(Linear *l, const LinearMotion *m, int j, KValue done) {
  Step *p = l->p;
  KBuilder *b = p->b;
  Contact contact = { .l = l, .m = m, .number = j, .branch = j, .row = { l->contact[j]->row }, .n = 1,
                      .L = { { kept(l, NN), kept(l, NT) }, { kept(l, TN), kept(l, TT) } } }, *c = &contact;
  if (l->friction[j]) c->row[c->n++] = l->friction[j]->row;
  k_if(b, alone(l, m, j, stays_closed(l, m, j)));
  free_motion(c);
  for (int i = 0; i < c->n; i++) c->y[i] = rate_of_free_motion(c, i);
  c->fits = k_variable(b, called(c, "fits", 0), k_integer(b, 1));
  forces(c);
  verify(c);
  move(c);
  rests(c, 0);
  if (c->n == 2) {
    k_if(b, k_op1(b, OP_NOT, k_op2(b, OP_EQ, kept(l, STICKS), k_number(b, 0))));
    rests(c, 1);
    k_close(b);
  }
  pressed(c, done);
  k_close(b);
}

static void strike(Linear *l, const LinearMotion *m, int j, KValue done) {
  Step *p = l->p;
  KBuilder *b = p->b;
  Contact contact = { .l = l, .m = m, .number = j, .branch = l->ncontact + j, .row = { l->contact[j]->row }, .n = 1,
                      .L = { { l->stay->against[j] } } }, *c = &contact;
  KValue closed = k_op2(b, OP_AND, k_op2(b, OP_LE, m->near[j], k_number(b, 0)),
                        k_op2(b, OP_LT, k_get(b, m->reach[j]), k_number(b, 1e299))), e;
  closed = step_both(p, closed, k_op2(b, OP_LT, k_op2(b, OP_PLUS, kept(l, HIT_STEP), k_number(b, 1)), m->step));
  k_if(b, alone(l, m, j, closed));
  free_motion(c);
  step_values(p, &l->m.contact[j].e, 1, &e);
  KValue kick = named(c, times(p, e, m->rate[j]), "kick", 0);
  c->y[0] = named(c, k_op2(b, OP_PLUS, rate_of_free_motion(c, 0), kick), "struck", 0);
  c->fits = k_variable(b, called(c, "fits", 0), k_integer(b, 1));
  forces(c);
  verify(c);
  KValue M = entry(c, &l->M, c->row[0], 0);
  unless(c, k_op2(b, OP_LT, times(p, k_number(b, 16 * DBL_EPSILON), times(p, M, c->lambda[0])), step_abs(p, kick)));
  move(c);
  accept(c, done);
  k_set(b, l->stay->variable[HIT], k_number(b, j));
  k_set(b, l->stay->variable[HIT_STEP], m->step);
  k_set(b, l->stay->variable[HIT_PUSH], c->lambda[0]);
  one_more(l, HITS);
  k_close(b);
  k_close(b);
}

KValue linear_stays_act(Linear *l, const LinearMotion *m) {
  KValue done = k_variable(l->p->b, "stays", k_integer(l->p->b, 0));
  for (int j = 0; j < l->ncontact; j++) stay(l, m, j, done);
  for (int j = 0; j < l->ncontact; j++) if (can_be_struck(l, j)) strike(l, m, j, done);
  return done;
}
