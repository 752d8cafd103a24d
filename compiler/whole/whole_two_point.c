// The energy-consistent schemes (runtime/schemes/step_consistent.c, consistent_newton.c; docs/numerics/consistent.md),
// in steps in which no contact is closed. Unknowns are the increment du = u_E - u_C of the velocities and the
// multipliers lambda, kappa of constraints; q_E = q_B + dq, dq = h (u_B + du/2) - P kappa, P = M^-1 H(q_B)^T:
//
//   R1 - Dg^T lambda - Drate^T kappa = 0,    rates at the end = 0,    gaps at the end = 0
//
// with the Jacobian (11) and the start values, the stop, the last correction and the compensated sums of the generic
// step. Constraints ask for a constant mass matrix. A velocity that may be at rest, forces that cancel each other, more
// than ITERATIONS: the generic step.
//
// s, in this order: q, q_low, u, u_low [nq]; lambda, kappa [ns]; gain, gain0, 1/M_ii at the start [nq]; reach [rows];
// off [2], cost [2]; k mod 16; iterations, the ledger (LEDGER)
#include <float.h>
#include "solve.h"

enum { ITERATIONS = 8, TRIAL = 16 };
enum { L_ON, L_KINETIC, L_POTENTIAL, L_INITIAL, L_FORCES, L_DAMPERS, L_RESIDUE_SUM, L_RESIDUE, L_RESIDUE_NOW, L_DRIFT,
       L_GAIN, LEDGER };

typedef struct TwoPoint2 {
  Step *p;
  const Instance **constraint, **contact; int ns, ncontact;
  Ex *R1, *Rq, *Ru, *M, *Mend;          // [nq], [nq, nq]
  Ex *dg, *dr, *H, *HB, *rq, *G, *rate, *gap, *back, *terms;   // [ns, nq], [ns]; HB, back, terms at the begin
  Ex energy[2], work[2];
  bool mass_moves;
} TwoPoint2;

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

static void add(TwoPoint2 *t, Ex *to, Ex e) { *to = ex_add(t->p->w->pool, *to, e); }

// The row's own multipliers.
static Ex with_multipliers(TwoPoint2 *t, Ex e, Ex lambda, Ex kappa) {
  const System *s = t->p->w->sys;
  int from[] = { symtab_id(s->sym, (Sym){ .kind = SYM_LAMBDA }), symtab_id(s->sym, (Sym){ .kind = SYM_KAPPA }) };
  return ex_subst(t->p->w->pool, e, from, (Ex[]){ lambda, kappa }, 2);
}

static void add_entries(TwoPoint2 *t, const Instance *at, KernelKind kind, const Entries *pattern, Ex *of_q, Ex *of_v,
                        Ex lambda, Ex kappa, double sign) {
  Written *w = t->p->w;
  const Kernel *k = &at->pc->kernel[kind];
  for (int e = 0; e < k->n; e++) {
    int row = written_z(w, at, pattern->at[e].row), col = written_z(w, at, pattern->at[e].col);
    if (row < 0 || col < 0) continue;
    Ex v = written(w, at, k->value[e]);
    if (lambda != EX_NONE) v = with_multipliers(t, v, lambda, kappa);
    if (sign < 0) v = ex_neg(w->pool, v);
    add(t, &(pattern->at[e].wrt == WRT_Q ? of_q : of_v)[row * w->nq + col], v);
  }
}

static void smooth(TwoPoint2 *t, const Instance *at) {
  Written *w = t->p->w;
  const SysClass *c = at->pc->c;
  const Kernel *r = &at->pc->kernel[KERNEL_C], *m = &at->pc->kernel[KERNEL_MASS], *e = &at->pc->kernel[KERNEL_ENERGY],
               *k = &at->pc->kernel[KERNEL_WORK];
  for (int i = 0; i < r->n; i++) {
    int row = written_z(w, at, c->row[i]);
    if (row >= 0) add(t, &t->R1[row], written(w, at, r->value[i]));
  }
  add_entries(t, at, KERNEL_CJAC, &at->pc->cjac, t->Rq, t->Ru, EX_NONE, EX_NONE, 1);
  for (int i = 0; i < m->n; i++) {
    int row = written_z(w, at, c->mass.at[i].row), col = written_z(w, at, c->mass.at[i].col);
    if (row >= 0 && col >= 0) add(t, &t->M[row * w->nq + col], written(w, at, m->value[i]));
    t->mass_moves |= m->stage > STAGE_CONST;
  }
  for (int i = 0; i < 2; i++) {
    if (e->n) add(t, &t->energy[i], written(w, at, e->value[i]));
    if (k->n) add(t, &t->work[i], written(w, at, k->value[i]));
  }
}

static void constraint(TwoPoint2 *t, int k, Ex lambda, Ex kappa) {
  Written *w = t->p->w;
  const Instance *at = t->constraint[k];
  const PlanClass *pc = at->pc;
  int nq = w->nq;
  const Kernel *dg = &pc->kernel[KERNEL_DG], *h = &pc->kernel[KERNEL_H];
  for (int e = 0; e < h->n; e++) {
    int col = k * nq + written_z(w, at, pc->c->h.at[e].col);
    add(t, &t->dg[col], written(w, at, dg->n ? dg->value[e] : h->value[e]));
    add(t, &t->H[col], written(w, at, h->value[e]));
    if (!pc->kernel[KERNEL_GQ].n) add(t, &t->G[col], written(w, at, h->value[e]));
  }
  const struct { KernelKind kernel; const Entries *pattern; Ex *to; } part[] = {
    { KERNEL_DRATE, &pc->dr, t->dr }, { KERNEL_RQ, &pc->rq, t->rq }, { KERNEL_GQ, &pc->gq, t->G } };
  for (int i = 0; i < 3; i++)
    for (int e = 0; e < pc->kernel[part[i].kernel].n; e++)
      add(t, &part[i].to[k * nq + written_z(w, at, part[i].pattern->at[e].col)],
          written(w, at, pc->kernel[part[i].kernel].value[e]));
  t->rate[k] = written(w, at, pc->kernel[KERNEL_RATE].value[0]);
  if (pc->c->velocity_level) t->back[k] = ex_num(w->pool, 0);
  else {
    t->back[k] = written(w, at, pc->kernel[KERNEL_GAP].value[0]);
    t->terms[k] = written(w, at, pc->kernel[KERNEL_SIZE].value[0]);
  }
  add_entries(t, at, KERNEL_CURVE, &pc->curve, t->Rq, t->Ru, lambda, kappa, -1);
}

static KValue *fresh(Step *p, const char *name, int n) {
  KValue *v = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) v[i] = k_variable(p->b, step_name(p, name, i), k_number(p->b, 0));
  return v;
}

static KValue plus(Step *p, KValue x, KValue y) { return k_op2(p->b, OP_PLUS, x, y); }
static KValue minus(Step *p, KValue x, KValue y) { return k_op2(p->b, OP_MINUS, x, y); }
static KValue times(Step *p, KValue x, KValue y) { return k_op2(p->b, OP_TIMES, x, y); }
static KValue larger(Step *p, KValue x, KValue y) { return k_choose(p->b, k_op2(p->b, OP_LT, x, y), y, x); }
static KValue smaller(Step *p, KValue x, KValue y) { return k_choose(p->b, k_op2(p->b, OP_LT, y, x), y, x); }

// (q, low) := (q, low) + x, twofold.h
static void carry(Step *p, KValue high, KValue low, KValue a, KValue x, const char *name, int i) {
  const char *tag = arena_printf(p->arena, "%s%d_", name, i);
  KBuilder *b = p->b;
  KValue sum = k_name(b, plus(p, a, x), step_name(p, tag, 0), NULL), t = k_name(b, minus(p, sum, a), step_name(p, tag,
      1), NULL);
  k_set(b, low, plus(p, minus(p, a, minus(p, sum, t)), minus(p, x, t)));
  k_set(b, high, sum);
}

typedef struct Iterate { KValue *dq, *q, *u; } Iterate;

// (9) and the velocities, from the variables of the unknowns.
static Iterate place(Step *p, const char *tag, int ns, const KValue *q, const KValue *low, const KValue *u,
                     const KValue *ulow, const KValue *du, const KValue *kappa, const KValue *P) {
  int nq = p->w->nq;
  KBuilder *b = p->b;
  Iterate x = { ARENA_ARRAY(p->arena, KValue, nq + 1), ARENA_ARRAY(p->arena, KValue, nq + 1),
                ARENA_ARRAY(p->arena, KValue, nq + 1) };
  for (int i = 0; i < nq; i++) {
    KValue d = times(p, p->h, plus(p, u[i], plus(p, ulow[i], times(p, k_number(b, 0.5), du[i]))));
    for (int k = 0; k < ns; k++)
      if (P[k * nq + i] != K_NONE) d = minus(p, d, times(p, P[k * nq + i], kappa[k]));
    x.dq[i] = k_name(b, d, arena_printf(p->arena, "%sdq%d", tag, i), NULL);
    x.q[i] = k_name(b, plus(p, q[i], plus(p, low[i], x.dq[i])), arena_printf(p->arena, "%sq%d", tag, i), NULL);
    x.u[i] = k_name(b, plus(p, u[i], plus(p, ulow[i], du[i])), arena_printf(p->arena, "%su%d", tag, i), NULL);
  }
  return x;
}

const Whole *whole_two_point(Arena *a, Written *w) {
  if (!takes(w)) return NULL;
  Step step = step_open(a, w, "Whole steps of an energy-consistent scheme, while no contact is closed."), *p = &step;
  TwoPoint2 two = { .p = p }, *t = &two;
  KBuilder *b = p->b;
  Pool *pool = w->pool;
  int nq = w->nq;
  t->ns = written_list(w, CLASS_CONSTRAINT, &t->constraint);
  t->ncontact = written_list(w, CLASS_CONTACT, &t->contact);
  int ns = t->ns, n = nq + 2 * ns;
  t->R1 = written_zeros(t->p->w, nq);
  Ex **squares[] = { &t->Rq, &t->Ru, &t->M }, **rows[] = { &t->dg, &t->dr, &t->H, &t->rq, &t->G },
     **single[] = { &t->rate, &t->gap, &t->back, &t->terms };
  for (int i = 0; i < 3; i++) *squares[i] = written_zeros(t->p->w, nq * nq);
  for (int i = 0; i < 5; i++) *rows[i] = written_zeros(t->p->w, ns * nq);
  for (int i = 0; i < 4; i++) *single[i] = written_zeros(t->p->w, ns);
  for (int i = 0; i < 2; i++) t->energy[i] = t->work[i] = ex_num(pool, 0);
  Ex *lambda_of = ARENA_ARRAY(a, Ex, ns + 1), *kappa_of = ARENA_ARRAY(a, Ex, ns + 1);
  int lambda_at = w->nlocal;
  for (int k = 0; k < ns; k++) lambda_of[k] = step_local(p, K_NONE);
  int kappa_at = w->nlocal;
  for (int k = 0; k < ns; k++) kappa_of[k] = step_local(p, K_NONE);
  for (int i = 0; i < w->n; i++) if (w->at[i].pc->c->kind == CLASS_SMOOTH) smooth(t, &w->at[i]);
  for (int k = 0; k < ns; k++) constraint(t, k, lambda_of[k], kappa_of[k]);
  const Ex none = ex_num(pool, 0);
  for (int i = 0; i < nq; i++) if (t->M[i * nq + i] == none) return step_drop(p);

  // ---- the Jacobian (11) ----
  int P_at = w->nlocal;
  Ex *P = ARENA_ARRAY(a, Ex, ns * nq + 1);
  for (int k = 0; k < ns * nq; k++) P[k] = step_local(p, K_NONE);
  bool *mass_pattern = ARENA_ARRAY(a, bool, nq * nq + 1), *P_has = ARENA_ARRAY(a, bool, ns * nq + 1);
  for (int i = 0; i < nq * nq; i++) mass_pattern[i] = t->M[i] != none;
  bool diagonal = true;
  for (int i = 0; i < nq * nq; i++) diagonal &= i / nq == i % nq || !mass_pattern[i];
  for (int k = 0; k < ns; k++)
    for (int i = 0; i < nq; i++) P_has[k * nq + i] = !diagonal || t->H[k * nq + i] != none;
  KValue h = p->h = step_scalar(p, WHOLE_STEP), hh = k_name(b, times(p, k_number(b, 0.5), h), "half", NULL);
  Ex half = step_local(p, hh);
  Ex *K = written_zeros(t->p->w, n * n);
  for (int i = 0; i < nq; i++) {
    for (int j = 0; j < nq; j++)
      K[i * n + j] = ex_add(pool, t->Ru[i * nq + j], ex_mul(pool, half, t->Rq[i * nq + j]));
    for (int k = 0; k < ns; k++) {
      K[i * n + nq + k] = ex_neg(pool, t->dg[k * nq + i]);
      Ex x = ex_neg(pool, t->dr[k * nq + i]);
      for (int j = 0; j < nq; j++)
        if (P_has[k * nq + j]) x = ex_sub(pool, x, ex_mul(pool, t->Rq[i * nq + j], P[k * nq + j]));
      K[i * n + nq + ns + k] = x;
    }
  }
  for (int k = 0; k < ns; k++)
    for (int j = 0; j < nq; j++) {
      K[(nq + k) * n + j] = ex_add(pool, t->H[k * nq + j], ex_mul(pool, half, t->rq[k * nq + j]));
      K[(nq + ns + k) * n + j] = ex_mul(pool, half, t->G[k * nq + j]);
      for (int m = 0; m < ns; m++) {
        if (!P_has[m * nq + j]) continue;
        Ex *rate = &K[(nq + k) * n + nq + ns + m], *gap = &K[(nq + ns + k) * n + nq + ns + m];
        *rate = ex_sub(pool, *rate, ex_mul(pool, t->rq[k * nq + j], P[m * nq + j]));
        *gap = ex_sub(pool, *gap, ex_mul(pool, t->G[k * nq + j], P[m * nq + j]));
      }
    }
  bool *pattern = ARENA_ARRAY(a, bool, n * n + 1);
  for (int i = 0; i < n * n; i++) pattern[i] = K[i] != none;
  if (!factors_exist(a, n, nq, pattern) || !factors_exist(a, nq, nq, mass_pattern)) return step_drop(p);

  // ---- roots: of the begin, of the residual, of the matrix ----
  int nbegin = 2 * t->ncontact + 2 * ns + ns * nq;
  Ex *begin = ARENA_ARRAY(a, Ex, nbegin + 1);
  int nb = (w->located ? 2 : 1) * t->ncontact;             // gaps; and rates
  for (int i = 0; i < nb; i++) {
    const Instance *contact = t->contact[i % t->ncontact];
    begin[i] = written(w, contact, contact->pc->kernel[KERNEL_GAP].value[i / t->ncontact]);
  }
  int at_back = nb, at_terms = nb + ns, at_HB = nb + 2 * ns;
  nbegin = nb + 2 * ns + ns * nq;
  for (int k = 0; k < ns; k++) { begin[at_back + k] = t->back[k]; begin[at_terms + k] = t->terms[k]; }
  for (int k = 0; k < ns * nq; k++) begin[at_HB + k] = t->H[k];
  int nroot = nq + 3 * ns * nq + ns, nmore = n * n + 2 * nq * nq;
  Ex *root = ARENA_ARRAY(a, Ex, nroot + 1), *more = ARENA_ARRAY(a, Ex, nmore + 1), *left = ARENA_ARRAY(a, Ex, nmore +
      1);
  for (int i = 0; i < nq; i++) root[i] = t->R1[i];
  for (int k = 0; k < ns * nq; k++) {
    root[nq + k] = t->dg[k];
    root[nq + ns * nq + k] = t->dr[k];
    root[nq + 2 * ns * nq + k] = t->H[k];
  }
  for (int k = 0; k < ns; k++) root[nq + 3 * ns * nq + k] = t->rate[k];
  for (int i = 0; i < n * n; i++) more[i] = K[i];
  for (int i = 0; i < nq * nq; i++) { more[n * n + i] = t->Rq[i]; more[n * n + nq * nq + i] = t->Ru[i]; }
  Ex last[4] = { t->energy[0], t->energy[1], t->work[0], t->work[1] };
  step_scalar(p, WHOLE_START);
  KValue tolerance = step_scalar(p, WHOLE_TOLERANCE);
  step_constants(p, begin, nbegin);
  step_constants(p, root, nroot);
  step_constants(p, more, nmore);
  step_constants(p, last, 4);
  step_constants(p, t->M, nq * nq);

  // ---- state ----
  int at = 0;
#define TAKE(size) (at += (size), at - (size))
  int at_q = TAKE(nq), at_qlow = TAKE(nq), at_u = TAKE(nq), at_ulow = TAKE(nq), at_l = TAKE(ns), at_k = TAKE(ns),
      at_gain = TAKE(nq), at_gain0 = TAKE(nq), at_minv = TAKE(nq), at_reach = TAKE(w->nrow), at_off = TAKE(2),
      at_cost = TAKE(2), at_phase = TAKE(1), at_count = TAKE(1), at_ledger = TAKE(LEDGER);
#undef TAKE
  KValue *q = step_variables(p, "q", nq, at_q), *ql = step_variables(p, "ql", nq, at_qlow),
         *u = step_variables(p, "u", nq, at_u), *ul = step_variables(p, "ul", nq, at_ulow),
         *lv = step_variables(p, "l", ns, at_l), *kv = step_variables(p, "kappa", ns, at_k),
         *gain = step_variables(p, "gain", nq, at_gain), *gain0 = step_variables(p, "old", nq, at_gain0),
         *off = step_variables(p, "off", 2, at_off), *cost = step_variables(p, "cost", 2, at_cost),
         phase = k_variable(b, "phase", k_at_number(b, p->s, at_phase)),
         count = k_variable(b, "count", k_at_number(b, p->s, at_count)), *book = step_variables(p, "book", LEDGER,
             at_ledger);
  KValue *minv = ARENA_ARRAY(a, KValue, nq + 1), *mass = ARENA_ARRAY(a, KValue, nq + 1),
         *reach = ARENA_ARRAY(a, KValue, t->ncontact + 1);
  for (int i = 0; i < nq; i++) {
    minv[i] = k_name(b, k_at_number(b, p->s, at_minv + i), step_name(p, "minv", i), NULL);
    mass[i] = k_name(b, k_op2(b, OP_OVER, k_number(b, 1), minv[i]), step_name(p, "weight", i), NULL);
  }
  for (int i = 0; i < t->ncontact; i++)
    reach[i] = k_name(b, k_at_number(b, p->s, at_reach + t->contact[i]->row), step_name(p, "reach", i), NULL);
  // constant M: its factors
  Factors mf = { .n = 0 };
  KValue *Mv = ARENA_ARRAY(a, KValue, nq * nq + 1);
  if (ns > 0) {
    KValue unused;
    step_values(p, t->M, nq * nq, Mv);
    for (int i = 0; i < nq * nq; i++) if (!mass_pattern[i]) Mv[i] = K_NONE;
    mf = factor_unrolled(p, "m", nq, nq, Mv, &unused);
  }
  Factors kept = factors_declare(p, "k", n, nq, pattern);
  KValue *du = fresh(p, "du", nq), *l1 = fresh(p, "li", ns), *k1 = fresh(p, "ki", ns), *tdu = fresh(p, "tdu", nq),
         *tl = fresh(p, "tl", ns), *tk = fresh(p, "tk", ns), *qsize = fresh(p, "qsize", nq), *dz = fresh(p, "dz", n);
  KValue before = k_variable(b, "before", k_number(b, 0)), steps = k_variable(b, "steps", k_number(b, 0));
  KValue done = k_variable(b, "done", k_integer(b, 0)), ok = k_variable(b, "ok", k_integer(b, 0)),
         keep = k_variable(b, "keep", k_integer(b, 0));

  KValue i = k_loop(b, "i", k_integer(b, 0), p->n);
  KValue *QB = step_gotten(p, "qb", nq, q), *QL = step_gotten(p, "qlb", nq, ql), *UB = step_gotten(p, "ub", nq, u),
         *UL = step_gotten(p, "ulb", nq, ul);
  p->t0 = k_name(b, step_time(p, i, 0), "tbegin", NULL);
  p->t = p->t0;
  step_use(p, AT_END, QB, UB);
  KValue *bv = ARENA_ARRAY(a, KValue, nbegin + 1), any = K_NONE;
  step_values(p, begin, nbegin, bv);
  for (int j = 0; j < t->ncontact; j++)
    any = step_either(p, any,
                      k_op1(b, OP_NOT, step_open_for_sure(p, reach[j], bv[j], bv[nb - t->ncontact + j], bv[j])));
  if (any != K_NONE) { k_if(b, any); k_break(b); k_close(b); }
  KValue *back = ARENA_ARRAY(a, KValue, ns + 1), *Pv = ARENA_ARRAY(a, KValue, ns * nq + 1);
  for (int k = 0; k < ns; k++) {
    KValue g = k_name(b, bv[at_back + k], step_name(p, "gb", k), NULL);
    KValue most = times(p, k_number(b, 64 * DBL_EPSILON), bv[at_terms + k]);
    back[k] = t->back[k] == none ? K_NONE
        : k_name(b, k_choose(b, k_op2(b, OP_LT, most, step_abs(p, g)), g, k_number(b, 0)), step_name(p, "back", k),
            NULL);
    KValue *x = ARENA_ARRAY(a, KValue, nq + 1);
    for (int j = 0; j < nq; j++) x[j] = t->H[k * nq + j] == none ? K_NONE : bv[at_HB + k * nq + j];
    solve_unrolled(p, arena_printf(a, "p%d", k), &mf, x);
    for (int j = 0; j < nq; j++) {
      Pv[k * nq + j] = P_has[k * nq + j] ? x[j] : K_NONE;
      p->local[P_at + k * nq + j] = x[j];
    }
  }

  // ---- start values ----
  KValue better = k_op2(b, OP_LT, k_get(b, cost[0]), k_get(b, cost[1]));                 // no change took fewer
  KValue trial = k_op2(b, OP_EQ, k_get(b, phase), k_number(b, TRIAL - 1));
  KValue moves = k_variable(b, "moves", k_choose(b, trial, k_double(b, better), minus(p, k_number(b, 1), k_double(b,
      better))));
  KValue second = k_op2(b, OP_LT, k_get(b, off[1]), k_get(b, off[0]));
  for (int j = 0; j < nq; j++) {
    KValue g = k_get(b, gain[j]), both = minus(p, times(p, k_number(b, 2), g), k_get(b, gain0[j]));
    k_set(b, du[j], times(p, k_get(b, moves), k_choose(b, second, both, g)));
    k_set(b, qsize[j], k_number(b, 0));
  }
  for (int k = 0; k < ns; k++) { k_set(b, l1[k], k_get(b, lv[k])); k_set(b, k1[k], k_get(b, kv[k])); }
  k_set(b, ok, k_integer(b, 0));
  k_set(b, keep, k_integer(b, 0));
  k_set(b, before, k_number(b, 1e300));
  k_set(b, steps, k_number(b, 0));
  p->t = k_name(b, step_time(p, i, 1), "tend", NULL);
  step_use(p, AT_BEGIN, QB, UB);

  // ---- iteration ----
  KValue it = k_loop(b, "it", k_integer(b, 0), k_integer(b, ITERATIONS));
  KValue *D = step_gotten(p, "d", nq, du), *L = step_gotten(p, "le", ns, l1), *Kp = step_gotten(p, "ke", ns, k1);
  Iterate x = place(p, "e", ns, QB, QL, UB, UL, D, Kp, Pv);
  step_use(p, AT_END, x.q, x.u);
  step_use(p, INCREMENT, x.dq, D);
  for (int k = 0; k < ns; k++) { p->local[lambda_at + k] = L[k]; p->local[kappa_at + k] = Kp[k]; }
  KValue *v = ARENA_ARRAY(a, KValue, nroot + 1), *res = ARENA_ARRAY(a, KValue, n + 1);
  step_values_shared(p, root, nroot, v, more, nmore, left);
  KValue *dg = v + nq, *dr = v + nq + ns * nq, *H = v + nq + 2 * ns * nq, *rate = v + nq + 3 * ns * nq;
  KValue *extra = ARENA_ARRAY(a, KValue, nq + 1), *pull = ARENA_ARRAY(a, KValue, nq + 1), *push = ARENA_ARRAY(a,
      KValue, nq + 1);
  for (int j = 0; j < nq; j++) {
    KValue sum = t->R1[j] == none ? K_NONE : v[j];
    extra[j] = pull[j] = push[j] = K_NONE;
    for (int k = 0; k < ns; k++) {
      if (t->dg[k * nq + j] != none) {
        KValue f = k_name(b, times(p, dg[k * nq + j], L[k]), arena_printf(a, "fl%d_%d", k, j), NULL);
        sum = step_sub(p, sum, f);
        extra[j] = step_add(p, extra[j], step_abs(p, f));
        pull[j] = step_add(p, pull[j], f);
        push[j] = step_add(p, push[j], step_abs(p, f));
      }
      if (t->dr[k * nq + j] != none) {
        KValue f = k_name(b, times(p, dr[k * nq + j], Kp[k]), arena_printf(a, "fk%d_%d", k, j), NULL);
        sum = step_sub(p, sum, f);
        extra[j] = step_add(p, extra[j], step_abs(p, f));
      }
    }
    res[j] = k_name(b, sum == K_NONE ? k_number(b, 0) : sum, step_name(p, "res", j), NULL);
  }
  for (int k = 0; k < ns; k++) {
    res[nq + k] = k_name(b, rate[k], step_name(p, "res", nq + k), NULL);
    KValue gap = back[k];
    for (int j = 0; j < nq; j++)
      if (t->dg[k * nq + j] != none) gap = step_add(p, gap, times(p, dg[k * nq + j], x.dq[j]));
    res[nq + ns + k] = k_name(b, gap == K_NONE ? k_number(b, 0) : gap, step_name(p, "res", nq + ns + k), NULL);
  }
  k_if(b, k_op2(b, OP_LT, k_integer(b, 0), it));
  {
    KValue error = K_NONE, *size = ARENA_ARRAY(a, KValue, nq + 1), *speed = ARENA_ARRAY(a, KValue, nq + 1);
    for (int j = 0; j < nq; j++) {
      size[j] = k_name(b, step_add(p, k_get(b, qsize[j]), extra[j]), step_name(p, "size", j), NULL);
      KValue r = k_name(b, k_op2(b, OP_OVER, step_abs(p, res[j]), plus(p, size[j], k_number(b, DBL_MIN))),
                        step_name(p, "off_", j), NULL);
      error = error == K_NONE ? r : k_name(b, larger(p, error, r), step_name(p, "error", j), NULL);
      speed[j] = k_name(b, plus(p, plus(p, step_abs(p, x.u[j]), step_abs(p, UB[j])), times(p, size[j], minv[j])),
                        step_name(p, "speed", j), NULL);
    }
    for (int k = 0; k < ns; k++) {
      KValue s = k_number(b, DBL_MIN);
      for (int j = 0; j < nq; j++)
        if (t->H[k * nq + j] != none) s = plus(p, s, times(p, step_abs(p, H[k * nq + j]), speed[j]));
      s = k_name(b, s, step_name(p, "sizes", k), NULL);
      KValue r = k_name(b, k_op2(b, OP_OVER, larger(p, times(p, step_abs(p, res[nq + k]), h), step_abs(p, res[nq + ns +
          k])),
                                 times(p, h, s)), step_name(p, "off_", nq + k), NULL);
      error = k_name(b, larger(p, error, r), step_name(p, "error", nq + k), NULL);
    }
    // a nan is neither at the floor nor resting, and runs out of iterations
    KValue sum = K_NONE;
    for (int j = 0; j < n; j++) sum = step_add(p, sum, res[j]);
    sum = k_name(b, sum, "total", NULL);
    k_if(b, k_op1(b, OP_NOT, k_op2(b, OP_EQ, minus(p, sum, sum), k_number(b, 0))));
    k_break(b);
    k_close(b);
    KValue old = k_name(b, k_get(b, before), "last", NULL);
    KValue floor = k_name(b, k_double(b, k_op2(b, OP_LE, error, k_number(b, 2e-16))), "floor", NULL);
    KValue resting = step_both(p, k_op2(b, OP_LT, k_integer(b, 1), it), k_op2(b, OP_LE, error, k_number(b, 1e-9)));
    resting = step_both(p, resting, k_op1(b, OP_NOT, k_op2(b, OP_LE, error, times(p, k_number(b, 0.25), old))));
    resting = step_both(p, resting, k_op2(b, OP_LE, smaller(p, error, old), tolerance));
    KValue ends = k_name(b, k_double(b, step_either(p, k_op2(b, OP_EQ, floor, k_number(b, 1)), resting)), "ends", NULL);
    k_if(b, k_op2(b, OP_EQ, ends, k_number(b, 1)));
    {
      KValue stands = K_NONE, fresh_sum = K_NONE, speeds = K_NONE;
      for (int j = 0; j < nq && ns > 0; j++) {
        if (push[j] == K_NONE) continue;
        KValue terms = plus(p, times(p, push[j], minv[j]), step_abs(p, UB[j]));            // consistent_rest.c
        stands = step_both(p, stands, k_op2(b, OP_LT, times(p, k_number(b, 16 * DBL_EPSILON), terms), step_abs(p,
            x.u[j])));
        fresh_sum = step_add(p, fresh_sum, times(p, push[j], minv[j]));
        speeds = step_add(p, speeds, plus(p, step_abs(p, UB[j]), step_abs(p, x.u[j])));
      }
      if (fresh_sum != K_NONE)                                                           // credible
        stands = step_both(p, stands, k_op2(b, OP_LE, times(p, k_number(b, DBL_EPSILON * nq * 1e6), fresh_sum),
            speeds));
      if (stands != K_NONE) k_if(b, stands);
      k_set(b, ok, k_integer(b, 1));
      k_if(b, k_op2(b, OP_EQ, floor, k_number(b, 1)));                                   // the last correction too
      Factors f = factors_get(p, "c", &kept);
      KValue *y = ARENA_ARRAY(a, KValue, n + 1);
      for (int j = 0; j < n; j++) y[j] = res[j];
      solve_unrolled(p, "c", &f, y);
      for (int j = 0; j < nq; j++) k_set(b, du[j], minus(p, D[j], y[j]));
      for (int k = 0; k < ns; k++) k_set(b, l1[k], minus(p, L[k], y[nq + k]));
      for (int k = 0; k < ns; k++) k_set(b, k1[k], minus(p, Kp[k], y[nq + ns + k]));
      k_else(b);
      k_if(b, k_op2(b, OP_LT, old, error));                                              // the one before was better
      for (int j = 0; j < nq; j++) k_set(b, du[j], k_get(b, tdu[j]));
      for (int k = 0; k < ns; k++) { k_set(b, l1[k], k_get(b, tl[k])); k_set(b, k1[k], k_get(b, tk[k])); }
      k_close(b);
      k_close(b);
      if (stands != K_NONE) k_close(b);
      k_break(b);
    }
    k_close(b);
    // the Newton step grows: halving is for the generic step
    KValue grows = k_op2(b, OP_LT, times(p, k_number(b, 2), old), error);
    k_if(b, grows);
    k_break(b);
    k_close(b);
    k_set(b, keep, k_integer(b, 0));
    KValue keeps = k_op2(b, OP_AND, k_op2(b, OP_LE, error, k_number(b, 1e-8)),
                         k_op2(b, OP_LE, times(p, error, k_op2(b, OP_OVER, error, old)), k_number(b, 2e-16)));
    k_if(b, keeps);
    k_set(b, keep, k_integer(b, 1));
    k_close(b);
    k_set(b, before, error);
  }
  k_close(b);

  // ---- matrix, step ----
  k_if(b, k_op2(b, OP_EQ, k_get(b, keep), k_integer(b, 0)));
  {
    KValue *m = ARENA_ARRAY(a, KValue, nmore + 1), *A = ARENA_ARRAY(a, KValue, n * n + 1), good;
    step_values(p, left, nmore, m);
    for (int j = 0; j < n * n; j++) A[j] = pattern[j] ? m[j] : K_NONE;
    for (int r = 0; r < nq; r++) {
      KValue sum = K_NONE;
      for (int c = 0; c < nq; c++) {
        if (t->Rq[r * nq + c] != none) sum = step_add(p, sum, step_abs(p, times(p, m[n * n + r * nq + c], x.q[c])));
        if (t->Ru[r * nq + c] != none)
          sum = step_add(p, sum, step_abs(p, times(p, m[n * n + nq * nq + r * nq + c], x.u[c])));
      }
      if (sum == K_NONE) continue;
      sum = k_name(b, sum, step_name(p, "qs", r), NULL);
      k_set(b, qsize[r], larger(p, k_get(b, qsize[r]), sum));
    }
    Factors f = factor_unrolled(p, "k", n, nq, A, &good);
    if (good != K_NONE) { k_if(b, k_op1(b, OP_NOT, good)); k_break(b); k_close(b); }
    factors_set(p, &kept, &f);
    KValue *y = ARENA_ARRAY(a, KValue, n + 1);
    for (int j = 0; j < n; j++) y[j] = res[j];
    solve_unrolled(p, "k", &f, y);
    for (int j = 0; j < n; j++) k_set(b, dz[j], y[j]);
  }
  k_else(b);
  {
    Factors f = factors_get(p, "s", &kept);
    KValue *y = ARENA_ARRAY(a, KValue, n + 1);
    for (int j = 0; j < n; j++) y[j] = res[j];
    solve_unrolled(p, "s", &f, y);
    for (int j = 0; j < n; j++) k_set(b, dz[j], y[j]);
  }
  k_close(b);
  for (int j = 0; j < nq; j++) { k_set(b, tdu[j], D[j]); k_set(b, du[j], minus(p, D[j], k_get(b, dz[j]))); }
  for (int k = 0; k < ns; k++) {
    k_set(b, tl[k], L[k]);
    k_set(b, tk[k], Kp[k]);
    k_set(b, l1[k], minus(p, L[k], k_get(b, dz[nq + k])));
    k_set(b, k1[k], minus(p, Kp[k], k_get(b, dz[nq + ns + k])));
  }
  k_set(b, steps, plus(p, k_get(b, steps), k_number(b, 1)));
  if (w->plan->one_iteration && ns == 0) {                     // affine: exact
    k_set(b, ok, k_integer(b, 1));
    k_break(b);
  }
  k_close(b);

  // ---- the step stands ----
  k_if(b, k_op2(b, OP_EQ, k_get(b, ok), k_integer(b, 0)));
  k_break(b);
  k_close(b);
  KValue *DE = step_gotten(p, "de", nq, du), *KE = step_gotten(p, "kend", ns, k1);
  Iterate end = place(p, "n", ns, QB, QL, UB, UL, DE, KE, Pv);
  step_use(p, AT_END, end.q, end.u);
  step_use(p, INCREMENT, end.dq, DE);
  KValue finite = K_NONE;
  for (int j = 0; j < nq; j++) finite = step_add(p, step_add(p, finite, end.q[j]), end.u[j]);
  finite = k_name(b, finite, "finite", NULL);
  KValue stands = k_op2(b, OP_EQ, minus(p, finite, finite), k_number(b, 0));
  if (t->mass_moves) {
    KValue *m = ARENA_ARRAY(a, KValue, nq * nq + 1);
    step_values(p, t->M, nq * nq, m);
    for (int j = 0; j < nq * nq; j++) m[j] = mass_pattern[j] ? k_name(b, m[j], step_name(p, "mend", j), NULL) : K_NONE;
    stands = step_both(p, stands, definite_unrolled(p, nq, m));
  }
  k_if(b, k_op1(b, OP_NOT, stands));
  k_break(b);
  k_close(b);
  // the ledger, runtime/ledger/ledger.c
  k_if(b, k_op2(b, OP_LT, k_number(b, 0), k_get(b, book[L_ON])));
  {
    KValue e[4];
    step_values(p, last + 2, 2, e + 2);
    KValue *qn = ARENA_ARRAY(a, KValue, nq + 1), *un = ARENA_ARRAY(a, KValue, nq + 1);
    for (int j = 0; j < nq; j++) { qn[j] = end.q[j]; un[j] = end.u[j]; }
    step_use(p, AT_END, qn, un);
    step_values(p, last, 2, e);
    for (int j = 0; j < 4; j++) e[j] = k_name(b, e[j], step_name(p, "joule", j), NULL);
    KValue was = k_name(b, plus(p, k_get(b, book[L_KINETIC]), k_get(b, book[L_POTENTIAL])), "was", NULL),
           now = k_name(b, plus(p, e[0], e[1]), "now", NULL), d = k_name(b, minus(p, now, was), "rise", NULL),
           r = k_name(b, minus(p, d, minus(p, e[2], e[3])), "residue", NULL);
    k_set(b, book[L_KINETIC], e[0]);
    k_set(b, book[L_POTENTIAL], e[1]);
    k_set(b, book[L_FORCES], plus(p, k_get(b, book[L_FORCES]), e[2]));
    k_set(b, book[L_DAMPERS], plus(p, k_get(b, book[L_DAMPERS]), e[3]));
    k_set(b, book[L_RESIDUE_NOW], r);
    k_set(b, book[L_RESIDUE_SUM], plus(p, k_get(b, book[L_RESIDUE_SUM]), r));
    k_set(b, book[L_RESIDUE], larger(p, k_get(b, book[L_RESIDUE]), step_abs(p, r)));
    k_set(b, book[L_DRIFT], larger(p, k_get(b, book[L_DRIFT]), step_abs(p, minus(p, now, k_get(b, book[L_INITIAL])))));
    k_set(b, book[L_GAIN], larger(p, k_get(b, book[L_GAIN]), d));
  }
  k_close(b);
  // what start values would have been good (con_learn)
  if (!(w->plan->one_iteration && ns == 0)) {
    KValue now = k_name(b, k_get(b, moves), "start_used", NULL);
    for (int j = 0; j < 2; j++) {
      KValue share = j ? now : minus(p, k_number(b, 1), now);
      KValue c = k_get(b, cost[j]);
      k_set(b, cost[j], plus(p, c, times(p, times(p, k_number(b, 0.25), share), minus(p, k_get(b, steps), c))));
    }
    KValue sum[2] = { K_NONE, K_NONE };
    for (int j = 0; j < nq; j++) {
      KValue g = k_name(b, k_get(b, gain[j]), step_name(p, "gw", j), NULL), g0 = k_name(b, k_get(b, gain0[j]),
          step_name(p, "gv", j), NULL);
      KValue d1 = k_name(b, minus(p, DE[j], g), step_name(p, "da", j), NULL);
      KValue d2 = k_name(b, plus(p, minus(p, DE[j], times(p, k_number(b, 2), g)), g0), step_name(p, "db", j), NULL);
      sum[0] = step_add(p, sum[0], times(p, times(p, mass[j], d1), d1));
      sum[1] = step_add(p, sum[1], times(p, times(p, mass[j], d2), d2));
      k_set(b, gain0[j], g);
      k_set(b, gain[j], DE[j]);
    }
    for (int j = 0; j < 2; j++) k_set(b, off[j], plus(p, times(p, k_number(b, 0.75), k_get(b, off[j])), sum[j]));
  }
  for (int j = 0; j < nq; j++) carry(p, q[j], ql[j], QB[j], k_name(b, plus(p, QL[j], end.dq[j]), step_name(p, "cq", j),
      NULL), "tq", j);
  for (int j = 0; j < nq; j++) carry(p, u[j], ul[j], UB[j], k_name(b, plus(p, UL[j], DE[j]), step_name(p, "cu", j),
      NULL), "tu", j);
  for (int k = 0; k < ns; k++) { k_set(b, lv[k], k_get(b, l1[k])); k_set(b, kv[k], KE[k]); }
  k_set(b, count, plus(p, k_get(b, count), k_get(b, steps)));
  k_set(b, phase, k_choose(b, trial, k_number(b, 0), plus(p, k_get(b, phase), k_number(b, 1))));
  k_set(b, done, k_op2(b, OP_PLUS, i, k_integer(b, 1)));
  k_close(b);
  const struct { int at, n; KValue *v; } store[] = {
    { at_q, nq, q }, { at_qlow, nq, ql }, { at_u, nq, u }, { at_ulow, nq, ul }, { at_l, ns, lv }, { at_k, ns, kv },
    { at_gain, nq, gain }, { at_gain0, nq, gain0 }, { at_off, 2, off }, { at_cost, 2, cost }, { at_phase, 1, &phase },
    { at_count, 1, &count }, { at_ledger, LEDGER, book } };
  for (size_t k = 0; k < sizeof store / sizeof *store; k++)
    for (int j = 0; j < store[k].n; j++) k_store(b, p->s, k_integer(b, store[k].at + j), k_get(b, store[k].v[j]));
  return step_close(p, WHOLE_TWO_POINT, done);
}
