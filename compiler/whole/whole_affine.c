// Steps whose equations are affine in the unknowns and taken at one point that the begin knows (schemes/scheme.h), in
// which no contact is closed, or one alone is struck. At the point of the piece and with u_B in place of u_E:
//
//   [ M  -H^T ] [ du ]   [  h f         ]
//   [ H   0   ] [ p  ] = [ -(1 + e) rate ],   u_E = u_B + du
//
// from the kernels of the statements; H and e of the constraints (e = 0), and of the contact that is struck: it is one
// more constraint, rate_E + e rate_B = 0, whose impulse must press. Its system is written once more for each such
// contact. The rates at the end are asked for as in whole_newton.c; where a velocity may be at rest, where M may not be
// positive definite: the general road.
//
// s: q [nq], v [nq], p [constraints], reach [rows]; of the contacts that can be struck: impulses; how often they were
#include <float.h>
#include "solve.h"

enum { STRUCK = WHOLE_STRUCK };

typedef struct Affine {
  Step *p;
  const Instance **constraint, **contact, *struck[STRUCK];
  int nc, ncontact, nstruck, number[STRUCK];      // of those that can be struck among the contacts
  Ex *f, *M;                            // [nq], [nq, nq]
  Ex *H, *rate;                         // [nc + nstruck, nq], [nc + nstruck]: constraints, contacts that can be struck
  Ex *e, *gap;                          // [nstruck], [ncontact]
  const Point *to, *on;                 // from the begin to the point, from there to the end
  KValue to_begin, on_begin, on_end, till;   // their shares of velocities and of time, times h; K_NONE: 0
  bool mass_moves;
  KValue tolerance, *q, *v, *pv, *push, strikes, ok;     // constants; variables
  KValue *Q, *V, *point, *force, *mass, *bounce;      // of the step
  Factors factors;                      // of M, where it is constant and there are no constraints
} Affine;

static void rows_of(Affine *m) {
  Written *w = m->p->w;
  m->nc = written_list(w, CLASS_CONSTRAINT, &m->constraint);
  m->ncontact = written_list(w, CLASS_CONTACT, &m->contact);
  for (int j = 0; j < m->ncontact && m->nstruck < STRUCK; j++) {
    if (!written_rebounds(w, m->contact[j])) continue;
    m->number[m->nstruck] = j;
    m->struck[m->nstruck++] = m->contact[j];
  }
}

static KValue way(const Affine *m, Ex by, const char *name) {
  KBuilder *b = m->p->b;
  double share = ex_value(m->p->w->pool, by);
  return share == 0 ? K_NONE : k_name(b, k_op2(b, OP_TIMES, k_number(b, share), m->p->h), name, NULL);
}

static KValue moved(const Affine *m, KValue q, KValue share, KValue u) {
  KBuilder *b = m->p->b;
  return share == K_NONE ? q : k_op2(b, OP_PLUS, q, k_op2(b, OP_TIMES, share, u));
}

static void collect(Affine *m) {
  Written *w = m->p->w;
  int nq = w->nq, n = m->nc + m->nstruck;
  m->f = written_zeros(w, nq);
  m->M = written_zeros(w, nq * nq);
  m->H = written_zeros(w, n * nq);
  m->rate = written_zeros(w, n);
  m->e = written_zeros(w, m->nstruck);
  m->gap = written_zeros(w, m->ncontact);
  m->mass_moves = written_smooth(w, false, m->f, m->M);
  for (int k = 0; k < n; k++) {
    const Instance *at = k < m->nc ? m->constraint[k] : m->struck[k - m->nc];
    written_row(w, at, &m->rate[k], &m->H[k * nq]);
    if (k >= m->nc)
      m->e[k - m->nc] = ex_sym(w->pool, written_symbol(w, ROLE_CONSTANT, AT_END,
                                                       written_constant(w, at, at->pc->e_num)));
  }
  for (int j = 0; j < m->ncontact; j++)
    m->gap[j] = written(w, m->contact[j], m->contact[j]->pc->kernel[KERNEL_GAP].value[0]);
}

static Ex none(const Affine *m) { return ex_num(m->p->w->pool, 0); }

// The rows of a system: all constraints, then the contact `struck` (-1: none).
static int row_at(const Affine *m, int k, int struck) { return k < m->nc ? k : m->nc + struck; }

static bool *pattern_of(const Affine *m, int struck) {
  int nq = m->p->w->nq, n = nq + m->nc + (struck >= 0);
  bool *pattern = ARENA_ARRAY(m->p->arena, bool, n * n + 1);
  for (int i = 0; i < nq; i++) for (int j = 0; j < nq; j++) pattern[i * n + j] = m->M[i * nq + j] != none(m);
  for (int k = 0; k < n - nq; k++)
    for (int j = 0; j < nq; j++)
      pattern[j * n + nq + k] = pattern[(nq + k) * n + j] = m->H[row_at(m, k, struck) * nq + j] != none(m);
  return pattern;
}

static KValue plus(const Affine *m, KValue x, KValue y) { return k_op2(m->p->b, OP_PLUS, x, y); }
static KValue times(const Affine *m, KValue x, KValue y) { return k_op2(m->p->b, OP_TIMES, x, y); }

static KValue *matrix_of(const Affine *m, int n, int struck, const KValue *M, const KValue *H) {
  KBuilder *b = m->p->b;
  int nq = m->p->w->nq;
  KValue *A = ARENA_ARRAY(m->p->arena, KValue, n * n + 1);
  for (int i = 0; i < n * n; i++) A[i] = K_NONE;
  for (int i = 0; i < nq; i++)
    for (int j = 0; j < nq; j++) if (m->M[i * nq + j] != none(m)) A[i * n + j] = M[i * nq + j];
  for (int k = 0; k < n - nq; k++)
    for (int j = 0; j < nq; j++) {
      if (m->H[row_at(m, k, struck) * nq + j] == none(m)) continue;
      A[(nq + k) * n + j] = H[k * nq + j];
      A[j * n + nq + k] = k_op1(b, OP_OPPOSITE, H[k * nq + j]);
    }
  return A;
}

// Do the rates at the end stand, and does no velocity on which an impulse acts rest?
static KValue judged(const Affine *m, int n, int struck, const KValue *H, const KValue *goal, const KValue *dv,
                     const KValue *impulse, const KValue *v1) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nq = p->w->nq;
  KValue good = K_NONE, *known = ARENA_ARRAY(p->arena, KValue, nq + 1);
  for (int j = 0; j < nq && n > nq; j++)
    known[j] = k_name(b, plus(m, step_abs(p, v1[j]), step_abs(p, m->V[j])), step_name(p, "known", j), NULL);
  for (int k = 0; k < n - nq; k++) {
    KValue sum = goal[k], size = K_NONE;
    for (int j = 0; j < nq; j++) {
      if (m->H[row_at(m, k, struck) * nq + j] == none(m)) continue;
      sum = plus(m, sum, times(m, H[k * nq + j], dv[j]));
      size = step_add(p, size, times(m, step_abs(p, H[k * nq + j]), known[j]));
    }
    if (size == K_NONE) continue;
    size = k_name(b, size, step_name(p, "size", k), NULL);
    good = step_both(p, good, k_op2(b, OP_LE, step_abs(p, sum), times(m, m->tolerance, size)));
    if (k < m->nc) continue;
    // struck: it presses, with a rate that its law does not make 0
    good = step_both(p, good, k_op2(b, OP_LT, k_number(b, 0), impulse[k]));
    good = step_both(p, good, k_op2(b, OP_LT, times(m, k_number(b, 1e-6), size), step_abs(p, m->bounce[struck])));
  }
  for (int j = 0; j < nq && n > nq; j++) {
    KValue push = K_NONE, M = step_abs(p, m->mass[j * nq + j]);
    for (int k = 0; k < n - nq; k++)
      if (m->H[row_at(m, k, struck) * nq + j] != none(m))
        push = step_add(p, push, step_abs(p, times(m, H[k * nq + j], impulse[k])));
    if (push == K_NONE) continue;
    KValue terms = plus(m, plus(m, push, step_abs(p, m->force[j])), times(m, M, step_abs(p, m->V[j])));
    good = step_both(p, good, k_op2(b, OP_LT, times(m, k_number(b, 16 * DBL_EPSILON), terms),
                                    times(m, M, step_abs(p, v1[j]))));
  }
  return good;
}

// (2)-(6) with the contact `struck`, -1: none. Sets the state and `ok` where the step stands.
static void solve(Affine *m, int struck) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nq = p->w->nq, n = nq + m->nc + (struck >= 0);
  p->suffix = struck < 0 ? "" : arena_printf(p->arena, "%c", 'a' + struck);
  Ex *He = written_zeros(m->p->w, (n - nq) * nq), *rate = written_zeros(m->p->w, n - nq);
  for (int k = 0; k < n - nq; k++) {
    rate[k] = m->rate[row_at(m, k, struck)];
    for (int j = 0; j < nq; j++) He[k * nq + j] = m->H[row_at(m, k, struck) * nq + j];
  }
  KValue *H = ARENA_ARRAY(p->arena, KValue, (n - nq) * nq + 1), *goal = ARENA_ARRAY(p->arena, KValue, n - nq + 1),
         *x = ARENA_ARRAY(p->arena, KValue, n + 1), *v1 = ARENA_ARRAY(p->arena, KValue, nq + 1),
         *q1 = ARENA_ARRAY(p->arena, KValue, nq + 1), regular = K_NONE, sum = K_NONE;
  step_values(p, He, (n - nq) * nq, H);
  for (int j = 0; j < (n - nq) * nq; j++)
    if (He[j] != none(m) && !k_node(b, H[j])->name && k_node(b, H[j])->code != KN_NUMBER)
      k_name(b, H[j], step_name(p, "slope", j), NULL);
  step_values(p, rate, n - nq, goal);
  for (int k = 0; k < n - nq; k++) {
    if (k == m->nc) {
      m->bounce[struck] = k_name(b, times(m, p->constant[written_role(p->w, ex_symbol(p->w->pool, m->e[struck])).index],
                                          goal[k]), step_name(p, "kick", k), NULL);
      goal[k] = plus(m, goal[k], m->bounce[struck]);
    }
    goal[k] = k_name(b, goal[k], step_name(p, "goal", k), NULL);
  }
  for (int j = 0; j < nq; j++) x[j] = m->force[j];
  for (int k = 0; k < n - nq; k++) x[nq + k] = k_op1(b, OP_OPPOSITE, goal[k]);
  Factors f = m->factors;
  if (n > nq || m->mass_moves) f = factor_unrolled(p, p->suffix, n, nq, matrix_of(m, n, struck, m->mass, H), &regular);
  solve_unrolled(p, p->suffix, &f, x);
  for (int j = 0; j < n; j++)
    if (!k_node(b, x[j])->name) k_name(b, x[j], step_name(p, j < nq ? "dv" : "impulse", j), NULL);
  for (int j = 0; j < nq; j++) {
    v1[j] = k_name(b, plus(m, m->V[j], x[j]), step_name(p, "ve", j), NULL);
    q1[j] = moved(m, moved(m, m->point[j], m->on_begin, m->V[j]), m->on_end, v1[j]);
    k_name(b, q1[j], step_name(p, "qe", j), NULL);
    sum = step_add(p, step_add(p, sum, v1[j]), q1[j]);
  }
  sum = k_name(b, sum, step_name(p, "sum", 0), NULL);
  KValue good = step_both(p, regular, judged(m, n, struck, H, goal, x, x + nq, v1));
  good = step_both(p, good, k_op2(b, OP_EQ, k_op2(b, OP_MINUS, sum, sum), k_number(b, 0)));
  if (m->mass_moves) {
    KValue *M = ARENA_ARRAY(p->arena, KValue, nq * nq + 1);
    for (int i = 0; i < nq * nq; i++) M[i] = m->M[i] == none(m) ? K_NONE : m->mass[i];
    good = step_both(p, good, definite_unrolled(p, nq, M));
  }
  k_if(b, good);
  for (int j = 0; j < nq; j++) { k_set(b, m->q[j], q1[j]); k_set(b, m->v[j], v1[j]); }
  for (int k = 0; k < m->nc; k++) k_set(b, m->pv[k], x[nq + k]);
  step_pushed(p, m->nstruck, m->push, struck, x[n - 1], m->strikes);
  k_set(b, m->ok, k_integer(b, 1));
  k_close(b);
  p->suffix = "";
}

// The number of the contact that is struck plus one, 0: none is closed; the loop ends where it is otherwise.
static KValue which_is_struck(Affine *m, const KValue *reach) {
  Step *p = m->p;
  KBuilder *b = p->b;
  KValue *gap = ARENA_ARRAY(p->arena, KValue, m->ncontact + 1), *sure = ARENA_ARRAY(p->arena, KValue, m->ncontact + 1),
         hit = m->nstruck ? k_variable(b, "hit", k_integer(b, 0)) : K_NONE;
  step_values(p, m->gap, m->ncontact, gap);
  for (int j = 0; j < m->ncontact; j++) {
    if (!k_node(b, gap[j])->name) k_name(b, gap[j], step_name(p, "gap", j), NULL);
    sure[j] = k_op2(b, OP_LT, reach[j], gap[j]);
  }
  step_struck(p, m->ncontact, gap, sure, reach, m->number, m->nstruck, hit);
  return hit;
}

static void constants(Affine *m) {
  Step *p = m->p;
  Written *w = p->w;
  int nq = w->nq, n = m->nc + m->nstruck;
  p->h = step_scalar(p, WHOLE_STEP);
  step_scalar(p, WHOLE_START);
  m->to_begin = way(m, m->to->begin, "to");
  m->on_begin = way(m, m->on->begin, "by");
  m->on_end = m->on->end == m->to->begin ? m->to_begin : way(m, m->on->end, "on");
  m->till = m->to->time == m->to->begin ? m->to_begin : way(m, m->to->time, "till");
  m->tolerance = n ? step_scalar(p, WHOLE_TOLERANCE) : K_NONE;
  step_constants(p, m->f, nq);
  step_constants(p, m->M, nq * nq);
  step_constants(p, m->H, n * nq);
  step_constants(p, m->rate, n);
  step_constants(p, m->e, m->nstruck);
  step_constants(p, m->gap, m->ncontact);
}

// M, where it is named already and constant: its factors.
static void masses(Affine *m) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nq = p->w->nq;
  m->mass = ARENA_ARRAY(p->arena, KValue, nq * nq + 1);
  step_values(p, m->M, nq * nq, m->mass);
  for (int i = 0; i < nq * nq; i++)
    if (m->M[i] != none(m) && !k_node(b, m->mass[i])->name && k_node(b, m->mass[i])->code != KN_NUMBER)
      k_name(b, m->mass[i], step_name(p, "mass", i), NULL);
  if (m->mass_moves || m->nc) return;
  KValue *A = ARENA_ARRAY(p->arena, KValue, nq * nq + 1), regular;
  for (int i = 0; i < nq * nq; i++) A[i] = m->M[i] == none(m) ? K_NONE : m->mass[i];
  m->factors = factor_unrolled(p, "m", nq, nq, A, &regular);
}

const Whole *whole_affine(Arena *a, Written *w) {
  const Point *end = &w->plan->point[END];
  if (w->nx > 0 || !written_by_impulses(w)) return NULL;
  Step step = step_open(a, w, "Whole steps by affine equations, while no contact stays closed."), *p = &step;
  Affine affine = { .p = p, .to = &w->plan->point[end->from], .on = end }, *m = &affine;
  KBuilder *b = p->b;
  int nq = w->nq;
  rows_of(m);
  collect(m);
  if (!factors_exist(a, nq + m->nc, nq, pattern_of(m, -1))) return step_drop(p);
  for (int k = 0; k < m->nstruck; k++)
    if (!factors_exist(a, nq + m->nc + 1, nq, pattern_of(m, k))) return step_drop(p);
  int at_v = nq, at_p = 2 * nq, at_reach = at_p + m->nc, at_push = at_reach + w->nrow;
  constants(m);
  m->q = step_variables(p, "q", nq, 0);
  m->v = step_variables(p, "v", nq, at_v);
  m->pv = step_variables(p, "p", m->nc, at_p);
  m->push = step_variables(p, "push", m->nstruck, at_push);
  m->strikes = m->nstruck ? k_variable(b, "strikes", k_number(b, 0)) : K_NONE;
  KValue *reach = ARENA_ARRAY(a, KValue, m->ncontact + 1);
  for (int j = 0; j < m->ncontact; j++)
    reach[j] = k_name(b, k_at_number(b, p->s, at_reach + m->contact[j]->row), step_name(p, "reach", j), NULL);
  if (!m->mass_moves) masses(m);
  m->bounce = ARENA_ARRAY(a, KValue, m->nstruck + 1);
  KValue done = k_variable(b, "done", k_integer(b, 0));
  m->ok = k_variable(b, "ok", k_integer(b, 0));

  KValue i = k_loop(b, "i", k_integer(b, 0), p->n);
  m->Q = step_gotten(p, "qk", nq, m->q);
  m->V = step_gotten(p, "vk", nq, m->v);
  m->point = ARENA_ARRAY(a, KValue, nq + 1);
  m->force = ARENA_ARRAY(a, KValue, nq + 1);
  for (int j = 0; j < nq; j++)
    m->point[j] = k_name(b, moved(m, m->Q[j], m->to_begin, m->V[j]), step_name(p, "qm", j), NULL);
  p->t = k_name(b, step_add(p, step_time(p, i, 0), m->till), "tm", NULL);
  step_use(p, AT_END, m->point, m->V);
  step_use(p, AT_BEGIN, m->Q, m->V);
  KValue hit = m->ncontact ? which_is_struck(m, reach) : K_NONE;
  if (m->mass_moves) masses(m);
  step_values(p, m->f, nq, m->force);
  for (int j = 0; j < nq; j++)
    m->force[j] = k_name(b, times(m, p->h, m->force[j]), step_name(p, "hf", j), NULL);
  k_set(b, m->ok, k_integer(b, 0));
  if (m->nstruck) k_if(b, k_op2(b, OP_EQ, k_get(b, hit), k_integer(b, 0)));
  solve(m, -1);
  for (int k = 0; k < m->nstruck; k++) {
    k_else(b);
    if (k + 1 < m->nstruck) k_if(b, k_op2(b, OP_EQ, k_get(b, hit), k_integer(b, k + 1)));
    solve(m, k);
  }
  for (int k = 0; k < m->nstruck; k++) k_close(b);
  k_if(b, k_op2(b, OP_EQ, k_get(b, m->ok), k_integer(b, 0)));
  k_break(b);
  k_close(b);
  k_set(b, done, k_op2(b, OP_PLUS, i, k_integer(b, 1)));
  k_close(b);
  step_store(p, 0, nq, m->q);
  step_store(p, at_v, nq, m->v);
  step_store(p, at_p, m->nc, m->pv);
  step_store(p, at_push, m->nstruck, m->push);
  step_store(p, at_push + m->nstruck, m->nstruck > 0, &m->strikes);
  Whole *o = step_close(p, WHOLE_AFFINE, done);
  o->nstruck = m->nstruck;
  for (int k = 0; k < m->nstruck; k++) o->struck[k] = m->struck[k]->row;
  return o;
}
