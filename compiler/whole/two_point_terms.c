// The equations of an energy-consistent scheme, written out (docs/numerics/consistent.md): with dq = q_E - q_B,
//
//   R1 - sum of dg^T lambda + dr^T kappa = 0,    rate_E = 0,    gap_B + dg dq = 0
//   dq = h (u_B + e du) - P kappa,  P = M^-1 H(q_B)^T,  e: the part of u_E in q_E (schemes/consistent.c, (3))
//
// The kernels of the model have their derivatives by q_E and u_E; those by the unknowns are, by the chain rule,
//
//   d/du = d/du_E + h e d/dq_E,    d/dkappa = -d/dq_E P,                                                           (1)
//
// of R1 and what acts along the rows, of the rates, and of the gaps.
#include "../base/fatal.h"
#include "two_point.h"

// ---- what is written with -------------------------------------------------------------------------------------------
KValue motion_plus(const Motion *m, KValue x, KValue y) { return k_op2(m->p->b, OP_PLUS, x, y); }
KValue motion_minus(const Motion *m, KValue x, KValue y) { return k_op2(m->p->b, OP_MINUS, x, y); }
KValue motion_times(const Motion *m, KValue x, KValue y) { return k_op2(m->p->b, OP_TIMES, x, y); }
KValue motion_larger(const Motion *m, KValue x, KValue y) {
  return k_choose(m->p->b, k_op2(m->p->b, OP_LT, x, y), y, x);
}
KValue motion_name(const Motion *m, KValue v, const char *what, int i) {
  return k_name(m->p->b, v, step_name(m->p, what, i), NULL);
}
KValue *motion_values(const Motion *m, int n) {
  KValue *v = ARENA_ARRAY(m->p->arena, KValue, n + 1);
  for (int i = 0; i <= n; i++) v[i] = K_NONE;
  return v;
}

static void add(const Motion *m, Ex *to, Ex e) { *to = ex_add(m->p->w->pool, *to, e); }

// ---- smooth statements ----------------------------------------------------------------------------------------------
// Entries of a kernel go to by_q, by_v [nq, nq]; a row's own multipliers in them, which then count against R.
typedef struct Into { Ex *by_q, *by_v, lambda, kappa; } Into;

static void add_entries(const Motion *m, const Instance *at, KernelKind kind, const Entries *pattern, Into to) {
  Written *w = m->p->w;
  const System *s = w->sys;
  const Kernel *k = &at->pc->kernel[kind];
  int from[] = { symtab_id(s->sym, (Sym){ .kind = SYM_LAMBDA }), symtab_id(s->sym, (Sym){ .kind = SYM_KAPPA }) };
  for (int e = 0; e < k->n; e++) {
    int row = written_z(w, at, pattern->at[e].row), col = written_z(w, at, pattern->at[e].col);
    if (row < 0 || col < 0) continue;
    Ex v = written(w, at, k->value[e]);
    if (to.lambda != EX_NONE) v = ex_neg(w->pool, ex_subst(w->pool, v, from, (Ex[]){ to.lambda, to.kappa }, 2));
    add(m, &(pattern->at[e].wrt == WRT_Q ? to.by_q : to.by_v)[row * m->nq + col], v);
  }
}

static void smooth(Motion *m, const Instance *at) {
  Written *w = m->p->w;
  const SysClass *c = at->pc->c;
  const Kernel *r = &at->pc->kernel[KERNEL_C], *mass = &at->pc->kernel[KERNEL_MASS],
               *energy = &at->pc->kernel[KERNEL_ENERGY], *work = &at->pc->kernel[KERNEL_WORK];
  for (int i = 0; i < r->n; i++) {
    int row = written_z(w, at, c->row[i]);
    if (row >= 0) add(m, &m->R[row], written(w, at, r->value[i]));
  }
  add_entries(m, at, KERNEL_CJAC, &at->pc->cjac, (Into){ m->Rq, m->Ru, EX_NONE, EX_NONE });
  for (int i = 0; i < mass->n; i++) {
    int row = written_z(w, at, c->mass.at[i].row), col = written_z(w, at, c->mass.at[i].col);
    if (row >= 0 && col >= 0) add(m, &m->M[row * m->nq + col], written(w, at, mass->value[i]));
    m->mass_moves |= mass->stage > STAGE_CONST;
  }
  for (int i = 0; i < 2; i++) {
    if (energy->n) add(m, &m->energy[i], written(w, at, energy->value[i]));
    if (work->n) add(m, &m->work[i], written(w, at, work->value[i]));
  }
}

// ---- constraints ----------------------------------------------------------------------------------------------------
// What follows takes kappa along H of the begin, rates and gaps at the end.
static void as_equations_say(const Motion *m, const Instance *at) {
  const Written *w = m->p->w;
  Piece p = { w->arena, w->sys, w->pool, &w->sys->cls[at->cls] };
  INVARIANT(point_of(&p, m->text->shift(&p), IMPULSE) == BEGIN && point_of(&p, m->text->gap(&p), GAP) == END &&
            point_of(&p, m->text->rate(&p), RATE) == END);
}

static void constraint(Motion *m, int k, Ex lambda, Ex kappa) {
  Written *w = m->p->w;
  const Instance *at = m->constraint[k];
  const PlanClass *pc = at->pc;
  int nq = m->nq;
  as_equations_say(m, at);
  const Kernel *dg = &pc->kernel[KERNEL_DG], *h = &pc->kernel[KERNEL_H];
  for (int e = 0; e < h->n; e++) {
    int col = k * nq + written_z(w, at, pc->c->h.at[e].col);
    add(m, &m->dg[col], written(w, at, dg->n ? dg->value[e] : h->value[e]));
    add(m, &m->H[col], written(w, at, h->value[e]));
    if (!pc->kernel[KERNEL_GQ].n) add(m, &m->gq[col], written(w, at, h->value[e]));
  }
  const struct { KernelKind kernel; const Entries *pattern; Ex *to; } part[] = {
    { KERNEL_DRATE, &pc->dr, m->dr }, { KERNEL_RQ, &pc->rq, m->rq }, { KERNEL_GQ, &pc->gq, m->gq } };
  for (int i = 0; i < 3; i++)
    for (int e = 0; e < pc->kernel[part[i].kernel].n; e++)
      add(m, &part[i].to[k * nq + written_z(w, at, part[i].pattern->at[e].col)],
          written(w, at, pc->kernel[part[i].kernel].value[e]));
  m->rate[k] = written(w, at, pc->kernel[KERNEL_RATE].value[0]);
  if (pc->c->velocity_level) m->back[k] = ex_num(w->pool, 0);
  else {
    m->back[k] = written(w, at, pc->kernel[KERNEL_GAP].value[0]);
    m->terms[k] = written(w, at, pc->kernel[KERNEL_SIZE].value[0]);
  }
  add_entries(m, at, KERNEL_CURVE, &pc->curve, (Into){ m->Rq, m->Ru, lambda, kappa });
}

// Where P has entries: of a diagonal M where H has, else everywhere.
static void pattern_of_P(Motion *m) {
  const Ex none = ex_num(m->p->w->pool, 0);
  int nq = m->nq;
  bool diagonal = true;
  m->mass_pattern = ARENA_ARRAY(m->p->arena, bool, nq * nq + 1);
  m->has_P = ARENA_ARRAY(m->p->arena, bool, m->ns * nq + 1);
  for (int i = 0; i < nq * nq; i++) m->mass_pattern[i] = m->M[i] != none;
  for (int i = 0; i < nq * nq; i++) diagonal &= i / nq == i % nq || !m->mass_pattern[i];
  for (int k = 0; k < m->ns * nq; k++) m->has_P[k] = !diagonal || m->H[k] != none;
}

// ---- (1) ------------------------------------------------------------------------------------------------------------
static void motion_rows(Motion *m, Ex way, const Ex *P) {
  Pool *pool = m->p->w->pool;
  int nq = m->nq, ns = m->ns, n = m->n;
  for (int i = 0; i < nq; i++) {
    for (int j = 0; j < nq; j++)
      m->K[i * n + j] = ex_add(pool, m->Ru[i * nq + j], ex_mul(pool, way, m->Rq[i * nq + j]));
    for (int k = 0; k < ns; k++) {
      Ex x = ex_neg(pool, m->dr[k * nq + i]);
      m->K[i * n + nq + k] = ex_neg(pool, m->dg[k * nq + i]);
      for (int j = 0; j < nq; j++)
        if (m->has_P[k * nq + j]) x = ex_sub(pool, x, ex_mul(pool, m->Rq[i * nq + j], P[k * nq + j]));
      m->K[i * n + nq + ns + k] = x;
    }
  }
}

static void constraint_rows(Motion *m, Ex way, const Ex *P) {
  Pool *pool = m->p->w->pool;
  int nq = m->nq, ns = m->ns, n = m->n;
  for (int k = 0; k < ns; k++)
    for (int j = 0; j < nq; j++) {
      int e = k * nq + j;
      m->K[(nq + k) * n + j] = ex_add(pool, m->H[e], ex_mul(pool, way, m->rq[e]));
      m->K[(nq + ns + k) * n + j] = ex_mul(pool, way, m->gq[e]);
      for (int i = 0; i < ns; i++) {
        if (!m->has_P[i * nq + j]) continue;
        Ex *rate = &m->K[(nq + k) * n + nq + ns + i], *gap = &m->K[(nq + ns + k) * n + nq + ns + i];
        *rate = ex_sub(pool, *rate, ex_mul(pool, m->rq[e], P[i * nq + j]));
        *gap = ex_sub(pool, *gap, ex_mul(pool, m->gq[e], P[i * nq + j]));
      }
    }
}

static int locals(Motion *m, Ex *e, int n) {
  int at = m->p->w->nlocal;
  for (int k = 0; k < n; k++) e[k] = step_local(m->p, K_NONE);
  return at;
}

static bool matrix(Motion *m) {
  Step *p = m->p;
  int n = m->n;
  Ex *P = ARENA_ARRAY(p->arena, Ex, m->ns * m->nq + 1);
  pattern_of_P(m);
  m->P_at = locals(m, P, m->ns * m->nq);
  p->h = step_scalar(p, WHOLE_STEP);
  KValue end = k_number(p->b, ex_value(p->w->pool, m->end->end));
  Ex way = step_local(p, k_name(p->b, motion_times(m, end, p->h), "half", NULL));
  m->K = written_zeros(p->w, n * n);
  motion_rows(m, way, P);
  constraint_rows(m, way, P);
  m->pattern = ARENA_ARRAY(p->arena, bool, n * n + 1);
  for (int i = 0; i < n * n; i++) m->pattern[i] = m->K[i] != ex_num(p->w->pool, 0);
  return factors_exist(p->arena, n, m->nq, m->pattern) && factors_exist(p->arena, m->nq, m->nq, m->mass_pattern);
}

bool motion_terms(Motion *m) {
  Written *w = m->p->w;
  int nq = m->nq, ns = m->ns;
  m->R = written_zeros(w, nq);
  Ex **squares[] = { &m->Rq, &m->Ru, &m->M }, **rows[] = { &m->dg, &m->dr, &m->H, &m->rq, &m->gq },
     **single[] = { &m->rate, &m->back, &m->terms };
  for (int i = 0; i < 3; i++) *squares[i] = written_zeros(w, nq * nq);
  for (int i = 0; i < 5; i++) *rows[i] = written_zeros(w, ns * nq);
  for (int i = 0; i < 3; i++) *single[i] = written_zeros(w, ns);
  for (int i = 0; i < 2; i++) m->energy[i] = m->work[i] = ex_num(w->pool, 0);
  Ex *lambda = ARENA_ARRAY(w->arena, Ex, ns + 1), *kappa = ARENA_ARRAY(w->arena, Ex, ns + 1);
  m->lambda_at = locals(m, lambda, ns);
  m->kappa_at = locals(m, kappa, ns);
  for (int i = 0; i < w->n; i++) if (w->at[i].pc->c->kind == CLASS_SMOOTH) smooth(m, &w->at[i]);
  for (int k = 0; k < ns; k++) constraint(m, k, lambda[k], kappa[k]);
  for (int i = 0; i < nq; i++) if (m->M[i * nq + i] == ex_num(w->pool, 0)) return false;
  return matrix(m);
}

// ---- roots: of the begin, of the residual, of the matrix ------------------------------------------------------------
// Gaps of contacts, with rates where events are located; of constraints the gap, its size and H.
static void roots_of_begin(Motion *m) {
  Written *w = m->p->w;
  int nc = m->ncontact, ns = m->ns, n = (w->located ? 2 : 1) * nc;
  m->begin = ARENA_ARRAY(w->arena, Ex, n + 2 * ns + ns * m->nq + 1);
  for (int i = 0; i < n; i++) {
    const Instance *contact = m->contact[i % nc];
    m->begin[i] = written(w, contact, contact->pc->kernel[KERNEL_GAP].value[i / nc]);
  }
  m->at_back = n;
  m->at_terms = n + ns;
  m->at_H = n + 2 * ns;
  m->nbegin = m->at_H + ns * m->nq;
  for (int k = 0; k < ns; k++) { m->begin[m->at_back + k] = m->back[k]; m->begin[m->at_terms + k] = m->terms[k]; }
  for (int k = 0; k < ns * m->nq; k++) m->begin[m->at_H + k] = m->H[k];
}

void motion_roots(Motion *m) {
  Step *p = m->p;
  Arena *a = p->arena;
  int nq = m->nq, ns = m->ns, n = m->n;
  roots_of_begin(m);
  m->nroot = nq + 3 * ns * nq + ns;
  m->nmore = n * n + 2 * nq * nq;
  m->root = ARENA_ARRAY(a, Ex, m->nroot + 1);
  m->more = ARENA_ARRAY(a, Ex, m->nmore + 1);
  m->left = ARENA_ARRAY(a, Ex, m->nmore + 1);
  for (int i = 0; i < nq; i++) m->root[i] = m->R[i];
  for (int k = 0; k < ns * nq; k++) {
    m->root[nq + k] = m->dg[k];
    m->root[nq + ns * nq + k] = m->dr[k];
    m->root[nq + 2 * ns * nq + k] = m->H[k];
  }
  for (int k = 0; k < ns; k++) m->root[nq + 3 * ns * nq + k] = m->rate[k];
  for (int i = 0; i < n * n; i++) m->more[i] = m->K[i];
  for (int i = 0; i < nq * nq; i++) { m->more[n * n + i] = m->Rq[i]; m->more[n * n + nq * nq + i] = m->Ru[i]; }
  step_scalar(p, WHOLE_START);
  m->tolerance = step_scalar(p, WHOLE_TOLERANCE);
  step_constants(p, m->begin, m->nbegin);
  step_constants(p, m->root, m->nroot);
  step_constants(p, m->more, m->nmore);
  step_constants(p, m->energy, 2);
  step_constants(p, m->work, 2);
  step_constants(p, m->M, nq * nq);
}
