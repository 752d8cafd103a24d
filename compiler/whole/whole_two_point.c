// Steps by an energy-consistent scheme (schemes/consistent.c; docs/numerics/consistent.md) in which no contact is
// closed, or one alone is struck (two_point_strike.c): Newton's method on the equations of two_point_terms.c, from the
// generic step's start values, with its last correction, its compensated sums and its ledger. Constraints ask for a
// constant mass matrix. A velocity that may be at rest, forces that cancel each other, more than ITERATIONS: the
// generic step.
//
// s, in this order: q, q_low, u, u_low [nq]; lambda, kappa [ns]; gain, gain0, 1/M_ii at the start [nq]; reach [rows];
// off [2], cost [2]; k mod 16; iterations, the ledger (LEDGER), what two_point_strike.c says
#include <float.h>
#include "two_point.h"

enum { TRIAL = 16 };
enum { L_ON, L_KINETIC, L_POTENTIAL, L_INITIAL, L_FORCES, L_DAMPERS, L_RESIDUE_SUM, L_RESIDUE, L_RESIDUE_NOW, L_DRIFT,
       L_GAIN, LEDGER };

static KValue plus(const Motion *m, KValue x, KValue y) { return motion_plus(m, x, y); }
static KValue minus(const Motion *m, KValue x, KValue y) { return motion_minus(m, x, y); }
static KValue times(const Motion *m, KValue x, KValue y) { return motion_times(m, x, y); }
static KValue name(const Motion *m, KValue v, const char *what, int i) { return motion_name(m, v, what, i); }

static bool takes(const Written *w) {
  bool constraints = false, moving = false;
  if (w->nx > 0) return false;
  for (int i = 0; i < w->n; i++) {
    const PlanClass *pc = w->at[i].pc;
    constraints |= pc->c->kind == CLASS_CONSTRAINT;
    moving |= pc->kernel[KERNEL_MASS].stage > STAGE_CONST;
  }
  return written_by_impulses(w) && !(constraints && moving);
}

// ---- variables ------------------------------------------------------------------------------------------------------
// Where each part of s begins.
typedef struct Places {
  int q, q_low, u, u_low, l, k, gain, gain0, inverse, reach, off, cost, phase, count, book, struck;
} Places;

static Places places(const Motion *m) {
  int nq = m->nq, ns = m->ns;
  Places at = { .q_low = nq, .u = 2 * nq, .u_low = 3 * nq, .l = 4 * nq };
  at.k = at.l + ns;
  at.gain = at.k + ns;
  at.gain0 = at.gain + nq;
  at.inverse = at.gain0 + nq;
  at.reach = at.inverse + nq;
  at.off = at.reach + m->p->w->nrow;
  at.cost = at.off + 2;
  at.phase = at.cost + 2;
  at.count = at.phase + 1;
  at.book = at.count + 1;
  at.struck = at.book + LEDGER;
  return at;
}

static void state(Motion *m, const Places *at) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nq = m->nq, ns = m->ns;
  m->q = step_variables(p, "q", nq, at->q);
  m->q_low = step_variables(p, "ql", nq, at->q_low);
  m->u = step_variables(p, "u", nq, at->u);
  m->u_low = step_variables(p, "ul", nq, at->u_low);
  m->l = step_variables(p, "l", ns, at->l);
  m->k = step_variables(p, "kappa", ns, at->k);
  m->gain = step_variables(p, "gain", nq, at->gain);
  m->gain0 = step_variables(p, "old", nq, at->gain0);
  m->off = step_variables(p, "off", 2, at->off);
  m->cost = step_variables(p, "cost", 2, at->cost);
  m->phase = k_variable(b, "phase", k_at_number(b, p->s, at->phase));
  m->count = k_variable(b, "count", k_at_number(b, p->s, at->count));
  m->book = step_variables(p, "book", LEDGER, at->book);
  m->inverse = motion_values(m, nq);
  m->mass = motion_values(m, nq);
  m->reach = motion_values(m, m->ncontact);
  for (int i = 0; i < nq; i++) {
    m->inverse[i] = name(m, k_at_number(b, p->s, at->inverse + i), "minv", i);
    m->mass[i] = name(m, k_op2(b, OP_OVER, k_number(b, 1), m->inverse[i]), "weight", i);
  }
  for (int i = 0; i < m->ncontact; i++)
    m->reach[i] = name(m, k_at_number(b, p->s, at->reach + m->contact[i]->row), "reach", i);
}

static KValue *fresh(const Motion *m, const char *what, int n) {
  KValue *v = motion_values(m, n);
  for (int i = 0; i < n; i++) v[i] = k_variable(m->p->b, step_name(m->p, what, i), k_number(m->p->b, 0));
  return v;
}

static void factors_of_mass(Motion *m) {
  int nq = m->nq;
  KValue *M = motion_values(m, nq * nq), unused;
  if (m->ns == 0 && (m->nstruck == 0 || m->mass_moves)) return;
  step_values(m->p, m->M, nq * nq, M);
  for (int i = 0; i < nq * nq; i++) if (!m->mass_pattern[i]) M[i] = K_NONE;
  m->mass_factors = factor_unrolled(m->p, "m", nq, nq, M, &unused);
}

static void variables(Motion *m, const Places *at) {
  KBuilder *b = m->p->b;
  int nq = m->nq, ns = m->ns;
  state(m, at);
  (void)motion_struck_open(m, at->struck);
  factors_of_mass(m);
  m->kept = factors_declare(m->p, "k", m->n, nq, m->pattern);
  m->du = fresh(m, "du", nq);
  m->l1 = fresh(m, "li", ns);
  m->k1 = fresh(m, "ki", ns);
  m->try_du = fresh(m, "tdu", nq);
  m->try_l = fresh(m, "tl", ns);
  m->try_k = fresh(m, "tk", ns);
  m->most = fresh(m, "qsize", nq);
  m->dz = fresh(m, "dz", m->n);
  m->before = k_variable(b, "before", k_number(b, 0));
  m->iterations = k_variable(b, "steps", k_number(b, 0));
  m->done = k_variable(b, "done", k_integer(b, 0));
  m->ok = k_variable(b, "ok", k_integer(b, 0));
  m->keep = k_variable(b, "keep", k_integer(b, 0));
}

static void store(const Motion *m, const Places *at) {
  Step *p = m->p;
  int nq = m->nq, ns = m->ns;
  step_store(p, at->q, nq, m->q);
  step_store(p, at->q_low, nq, m->q_low);
  step_store(p, at->u, nq, m->u);
  step_store(p, at->u_low, nq, m->u_low);
  step_store(p, at->l, ns, m->l);
  step_store(p, at->k, ns, m->k);
  step_store(p, at->gain, nq, m->gain);
  step_store(p, at->gain0, nq, m->gain0);
  step_store(p, at->off, 2, m->off);
  step_store(p, at->cost, 2, m->cost);
  step_store(p, at->phase, 1, &m->phase);
  step_store(p, at->count, 1, &m->count);
  step_store(p, at->book, LEDGER, m->book);
  motion_struck_close(m, at->struck);
}

// ---- the begin of a step --------------------------------------------------------------------------------------------
// Ends the loop where a contact may be closed that is not struck alone.
static void contacts(const Motion *m, const KValue *v) {
  Step *p = m->p;
  int nc = m->ncontact, rates = m->at_back - nc;            // the gaps again where events are not located
  KValue *gap = motion_values(m, nc), *sure = motion_values(m, nc);
  for (int j = 0; j < nc; j++) {
    gap[j] = v[j];
    if (m->nstruck && !k_node(p->b, v[j])->name) name(m, v[j], "near", j);
    sure[j] = step_open_for_sure(p, m->reach[j], v[j], v[rates + j], v[j]);
  }
  Strikes alone = { m->nstruck, m->nstruck, m->struck, m->hit };
  if (nc) step_struck(p, nc, gap, sure, m->reach, &alone);
}

// The gap of constraint k, where it is more than round-off of its terms, and its row of P = M^-1 H^T.
static void constraint(Motion *m, int k, const KValue *v) {
  Step *p = m->p;
  KBuilder *b = p->b;
  const Ex none = ex_num(p->w->pool, 0);
  int nq = m->nq;
  KValue gap = name(m, v[m->at_back + k], "gb", k), *x = motion_values(m, nq);
  KValue most = times(m, k_number(b, 64 * DBL_EPSILON), v[m->at_terms + k]);
  if (m->back[k] != none) {
    KValue held = k_choose(b, k_op2(b, OP_LT, most, step_abs(p, gap)), gap, k_number(b, 0));
    m->gap_before[k] = name(m, held, "back", k);
  }
  for (int j = 0; j < nq; j++) if (m->H[k * nq + j] != none) x[j] = v[m->at_H + k * nq + j];
  solve_unrolled(p, arena_printf(p->arena, "p%d", k), &m->mass_factors, x);
  for (int j = 0; j < nq; j++) {
    if (m->has_P[k * nq + j]) m->P[k * nq + j] = x[j];
    p->local[m->P_at + k * nq + j] = x[j];
  }
}

static void begin(Motion *m, KValue i) {
  Step *p = m->p;
  int nq = m->nq;
  m->QB = step_gotten(p, "qb", nq, m->q);
  m->QL = step_gotten(p, "qlb", nq, m->q_low);
  m->UB = step_gotten(p, "ub", nq, m->u);
  m->UL = step_gotten(p, "ulb", nq, m->u_low);
  p->t0 = k_name(p->b, step_time(p, i, 0), "tbegin", NULL);
  p->t = p->t0;
  step_use(p, AT_END, m->QB, m->UB);
  KValue *v = motion_values(m, m->nbegin);
  step_values(p, m->begin, m->nbegin, v);
  contacts(m, v);
  m->gap_before = motion_values(m, m->ns);
  m->P = motion_values(m, m->ns * nq);
  for (int k = 0; k < m->ns; k++) constraint(m, k, v);
  if (m->nstruck == 0) return;
  motion_strike(m, v);
  m->UB = step_gotten(p, "uc", nq, m->u);
  m->UL = step_gotten(p, "ucl", nq, m->u_low);
}

// As runtime/schemes/consistent_newton.c has them: the last change of the velocities, that of two steps extrapolated,
// or none, where that took fewer iterations.
static void start_values(Motion *m, KValue i) {
  Step *p = m->p;
  KBuilder *b = p->b;
  KValue better = k_op2(b, OP_LT, k_get(b, m->cost[0]), k_get(b, m->cost[1]));                 // no change took fewer
  m->trial = k_op2(b, OP_EQ, k_get(b, m->phase), k_number(b, TRIAL - 1));
  KValue other = minus(m, k_number(b, 1), k_double(b, better));
  m->moves = k_variable(b, "moves", k_choose(b, m->trial, k_double(b, better), other));
  KValue second = k_op2(b, OP_LT, k_get(b, m->off[1]), k_get(b, m->off[0]));
  for (int j = 0; j < m->nq; j++) {
    KValue g = k_get(b, m->gain[j]), both = minus(m, times(m, k_number(b, 2), g), k_get(b, m->gain0[j]));
    k_set(b, m->du[j], times(m, k_get(b, m->moves), k_choose(b, second, both, g)));
    k_set(b, m->most[j], k_number(b, 0));
  }
  for (int k = 0; k < m->ns; k++) { k_set(b, m->l1[k], k_get(b, m->l[k])); k_set(b, m->k1[k], k_get(b, m->k[k])); }
  k_set(b, m->ok, k_integer(b, 0));
  k_set(b, m->keep, k_integer(b, 0));
  k_set(b, m->before, k_number(b, 1e300));
  k_set(b, m->iterations, k_number(b, 0));
  p->t = k_name(b, step_time(p, i, 1), "tend", NULL);
  step_use(p, AT_BEGIN, m->QB, m->UB);
}

// ---- the end of a step ----------------------------------------------------------------------------------------------
// Ends the loop where the end is not finite, or M there is not positive definite.
static void stands(const Motion *m, const Ending *end) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nq = m->nq;
  KValue sum = K_NONE;
  for (int j = 0; j < nq; j++) sum = step_add(p, step_add(p, sum, end->q[j]), end->u[j]);
  sum = k_name(b, sum, "finite", NULL);
  KValue good = k_op2(b, OP_EQ, minus(m, sum, sum), k_number(b, 0));
  if (m->mass_moves) {
    KValue *M = motion_values(m, nq * nq);
    step_values(p, m->M, nq * nq, M);
    for (int j = 0; j < nq * nq; j++) M[j] = m->mass_pattern[j] ? name(m, M[j], "mend", j) : K_NONE;
    good = step_both(p, good, definite_unrolled(p, nq, M));
  }
  k_if(b, k_op1(b, OP_NOT, good));
  k_break(b);
  k_close(b);
}

static void booked(const Motion *m, int at, KValue x) { k_set(m->p->b, m->book[at], x); }
static KValue book(const Motion *m, int at) { return k_get(m->p->b, m->book[at]); }

// The ledger, runtime/ledger/ledger.c.
static void ledger(const Motion *m, const Ending *end) {
  Step *p = m->p;
  KBuilder *b = p->b;
  KValue e[2], work[2], *q = motion_values(m, m->nq), *u = motion_values(m, m->nq);
  k_if(b, k_op2(b, OP_LT, k_number(b, 0), book(m, L_ON)));
  step_values(p, m->work, 2, work);
  for (int j = 0; j < m->nq; j++) { q[j] = end->q[j]; u[j] = end->u[j]; }
  step_use(p, AT_END, q, u);
  step_values(p, m->energy, 2, e);
  for (int j = 0; j < 2; j++) e[j] = name(m, e[j], "joule", j);
  for (int j = 0; j < 2; j++) work[j] = name(m, work[j], "joule", 2 + j);
  KValue was = k_name(b, plus(m, book(m, L_KINETIC), book(m, L_POTENTIAL)), "was", NULL),
         now = k_name(b, plus(m, e[0], e[1]), "now", NULL), d = k_name(b, minus(m, now, was), "rise", NULL),
         given = minus(m, work[0], work[1]);
  if (m->nstruck) given = minus(m, given, k_choose(b, motion_hit(m), k_get(b, m->loss), k_number(b, 0)));
  KValue r = k_name(b, minus(m, d, given), "residue", NULL);
  booked(m, L_KINETIC, e[0]);
  booked(m, L_POTENTIAL, e[1]);
  booked(m, L_FORCES, plus(m, book(m, L_FORCES), work[0]));
  booked(m, L_DAMPERS, plus(m, book(m, L_DAMPERS), work[1]));
  booked(m, L_RESIDUE_NOW, r);
  booked(m, L_RESIDUE_SUM, plus(m, book(m, L_RESIDUE_SUM), r));
  booked(m, L_RESIDUE, motion_larger(m, book(m, L_RESIDUE), step_abs(p, r)));
  booked(m, L_DRIFT, motion_larger(m, book(m, L_DRIFT), step_abs(p, minus(m, now, book(m, L_INITIAL)))));
  booked(m, L_GAIN, motion_larger(m, book(m, L_GAIN), d));
  k_close(b);
}

// Which start values would have been good (con_learn).
static void learn(const Motion *m, const KValue *DE) {
  Step *p = m->p;
  KBuilder *b = p->b;
  KValue now = k_name(b, k_get(b, m->moves), "start_used", NULL), sum[2] = { K_NONE, K_NONE };
  for (int j = 0; j < 2; j++) {
    KValue share = j ? now : minus(m, k_number(b, 1), now), c = k_get(b, m->cost[j]);
    KValue change = times(m, times(m, k_number(b, 0.25), share), minus(m, k_get(b, m->iterations), c));
    k_set(b, m->cost[j], plus(m, c, change));
  }
  for (int j = 0; j < m->nq; j++) {
    KValue g = name(m, k_get(b, m->gain[j]), "gw", j), g0 = name(m, k_get(b, m->gain0[j]), "gv", j);
    KValue d1 = name(m, minus(m, DE[j], g), "da", j);
    KValue d2 = name(m, plus(m, minus(m, DE[j], times(m, k_number(b, 2), g)), g0), "db", j);
    sum[0] = step_add(p, sum[0], times(m, times(m, m->mass[j], d1), d1));
    sum[1] = step_add(p, sum[1], times(m, times(m, m->mass[j], d2), d2));
    k_set(b, m->gain0[j], g);
    k_set(b, m->gain[j], DE[j]);
  }
  for (int j = 0; j < 2; j++)
    k_set(b, m->off[j], plus(m, times(m, k_number(b, 0.25), k_get(b, m->off[j])), sum[j]));
}

// (high, low) := (a, low of it) + x, runtime/schemes/twofold.h
static void carry(const Motion *m, KValue high, KValue low, KValue a, KValue x, const char *tag) {
  KBuilder *b = m->p->b;
  KValue sum = name(m, plus(m, a, x), tag, 0), t = name(m, minus(m, sum, a), tag, 1);
  k_set(b, low, plus(m, minus(m, a, minus(m, sum, t)), minus(m, x, t)));
  k_set(b, high, sum);
}

static void take(const Motion *m, const Ending *end, const KValue *DE, const KValue *KE) {
  KBuilder *b = m->p->b;
  Arena *a = m->p->arena;
  for (int j = 0; j < m->nq; j++)
    carry(m, m->q[j], m->q_low[j], m->QB[j], name(m, plus(m, m->QL[j], end->dq[j]), "cq", j),
          arena_printf(a, "tq%d_", j));
  for (int j = 0; j < m->nq; j++)
    carry(m, m->u[j], m->u_low[j], m->UB[j], name(m, plus(m, m->UL[j], DE[j]), "cu", j), arena_printf(a, "tu%d_", j));
  for (int k = 0; k < m->ns; k++) { k_set(b, m->l[k], k_get(b, m->l1[k])); k_set(b, m->k[k], KE[k]); }
  k_set(b, m->count, plus(m, k_get(b, m->count), k_get(b, m->iterations)));
  k_set(b, m->phase, k_choose(b, m->trial, k_number(b, 0), plus(m, k_get(b, m->phase), k_number(b, 1))));
}

static void loop(Motion *m) {
  Step *p = m->p;
  KBuilder *b = p->b;
  KValue i = k_loop(b, "i", k_integer(b, 0), p->n);
  begin(m, i);
  start_values(m, i);
  motion_iterate(m);
  KValue *DE = step_gotten(p, "de", m->nq, m->du), *KE = step_gotten(p, "kend", m->ns, m->k1);
  Ending end = motion_place(m, "n", DE, KE);
  step_use(p, AT_END, end.q, end.u);
  step_use(p, INCREMENT, end.dq, DE);
  stands(m, &end);
  motion_struck(m, &end, i);
  ledger(m, &end);
  if (!m->exact) learn(m, DE);
  take(m, &end, DE, KE);
  if (m->nstruck) k_set(b, m->hit, k_integer(b, 0));
  step_record(p, i, m->q, m->u);
  k_set(b, m->done, k_op2(b, OP_PLUS, i, k_integer(b, 1)));
  k_close(b);
}

const Whole *whole_two_point(Arena *a, Written *w) {
  if (!takes(w)) return NULL;
  Step step = step_open(a, w, "Whole steps of an energy-consistent scheme, while no contact is closed.");
  Motion motion = { .p = &step, .text = w->plan->scheme->equations, .nq = w->nq }, *m = &motion;
  Point points[PIECE_POINTS];
  Piece any = { a, w->sys, w->pool, NULL };
  m->text->points(&any, points);
  m->end = &points[END];
  m->ns = written_list(w, CLASS_CONSTRAINT, &m->constraint);
  m->ncontact = written_list(w, CLASS_CONTACT, &m->contact);
  m->n = w->nq + 2 * m->ns;
  m->exact = w->plan->one_iteration && m->ns == 0;          // affine, and without constraints
  if (!motion_terms(m)) return step_drop(&step);
  motion_roots(m);
  motion_strikes(m);
  Places at = places(m);
  variables(m, &at);
  loop(m);
  store(m, &at);
  Whole *o = step_close(&step, WHOLE_TWO_POINT, m->done);
  o->nstruck = m->nstruck;
  for (int k = 0; k < m->nstruck; k++) o->struck[k] = m->contact[m->struck[k]]->row;
  return o;
}
