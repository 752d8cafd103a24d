// Newton's method on the equations of two_point_terms.c. The residual of row i of the motion is measured by
//
//   size_i = most over the iterates of sum_j |dR1_i/dq_j q_j| + |dR1_i/du_j u_j|, + sum_k |dg_ki lambda_k|
//            + |dr_ki kappa_k|                                                                                  (2)
//
// and those of constraint k by s_k = sum_j |H_kj| (|u_Ej| + |u_Bj| + size_j/M_jj): |rate_k|/s_k, |gap_k|/(h s_k). The
// iteration goes on until the largest is at the floor of rounding, or has stopped falling and is below the tolerance
// (runtime/schemes/consistent_newton.c, verify). Factors are kept for an iterate that they take to the floor. A
// residual that grows, more than ITERATIONS: the generic step.
#include <float.h>
#include "two_point.h"

enum { ITERATIONS = 8 };
static const double at_floor = 2e-16, may_rest = 1e-9, falls = 0.25, keeps_factors = 1e-8, may_cancel = 1e6;

typedef struct Iterate {
  const Motion *m;
  KValue it, *D, *L, *K;                  // du, lambda, kappa
  Ending end;
  KValue *R1, *dg, *dr, *H, *rate;        // values
  KValue *res, *others, *push;            // [n]; [nq] of forces of constraints: sum of |terms|, of those by lambda
} Iterate;

static KValue plus(const Motion *m, KValue x, KValue y) { return motion_plus(m, x, y); }
static KValue minus(const Motion *m, KValue x, KValue y) { return motion_minus(m, x, y); }
static KValue times(const Motion *m, KValue x, KValue y) { return motion_times(m, x, y); }
static KValue name(const Motion *m, KValue v, const char *what, int i) { return motion_name(m, v, what, i); }
static KValue number(const Motion *m, double x) { return k_number(m->p->b, x); }
static KValue absolute(const Motion *m, KValue x) { return step_abs(m->p, x); }
static bool has(const Motion *m, const Ex *e, int i) { return e[i] != ex_num(m->p->w->pool, 0); }

Ending motion_place(const Motion *m, const char *tag, const KValue *du, const KValue *kappa) {
  KBuilder *b = m->p->b;
  Arena *a = m->p->arena;
  Ending x = { motion_values(m, m->nq), motion_values(m, m->nq), motion_values(m, m->nq) };
  KValue end = number(m, ex_value(m->p->w->pool, m->end->end));
  for (int i = 0; i < m->nq; i++) {
    KValue d = times(m, m->p->h, plus(m, m->UB[i], plus(m, m->UL[i], times(m, end, du[i]))));
    for (int k = 0; k < m->ns; k++)
      if (m->P[k * m->nq + i] != K_NONE) d = minus(m, d, times(m, m->P[k * m->nq + i], kappa[k]));
    x.dq[i] = k_name(b, d, arena_printf(a, "%sdq%d", tag, i), NULL);
    x.q[i] = k_name(b, plus(m, m->QB[i], plus(m, m->QL[i], x.dq[i])), arena_printf(a, "%sq%d", tag, i), NULL);
    x.u[i] = k_name(b, plus(m, m->UB[i], plus(m, m->UL[i], du[i])), arena_printf(a, "%su%d", tag, i), NULL);
  }
  return x;
}

// ---- the residual ---------------------------------------------------------------------------------------------------
static Iterate evaluate(const Motion *m, KValue it) {
  Step *p = m->p;
  int nq = m->nq, ns = m->ns;
  Iterate x = { .m = m, .it = it };
  x.D = step_gotten(p, NULL, nq, m->du);
  x.L = step_gotten(p, NULL, ns, m->l1);
  x.K = step_gotten(p, NULL, ns, m->k1);
  x.end = motion_place(m, "e", x.D, x.K);
  step_use(p, AT_END, x.end.q, x.end.u);
  step_use(p, INCREMENT, x.end.dq, x.D);
  for (int k = 0; k < ns; k++) { p->local[m->lambda_at + k] = x.L[k]; p->local[m->kappa_at + k] = x.K[k]; }
  x.R1 = motion_values(m, m->nroot);
  step_values_shared(p, m->root, m->nroot, x.R1, m->more, m->nmore, m->left);
  x.dg = x.R1 + nq;
  x.dr = x.dg + ns * nq;
  x.H = x.dr + ns * nq;
  x.rate = x.H + ns * nq;
  return x;
}

// One force of a constraint: taken from the residual, its size noted.
static KValue force(Iterate *x, KValue by, KValue multiplier, const char *what, int j, KValue *sum) {
  const Motion *m = x->m;
  KValue f = k_name(m->p->b, times(m, by, multiplier), what, NULL);
  *sum = step_sub(m->p, *sum, f);
  x->others[j] = step_add(m->p, x->others[j], absolute(m, f));
  return f;
}

static void residual(Iterate *x) {
  const Motion *m = x->m;
  Step *p = m->p;
  int nq = m->nq, ns = m->ns;
  x->res = motion_values(m, m->n);
  x->others = motion_values(m, nq);
  x->push = motion_values(m, nq);
  for (int j = 0; j < nq; j++) {
    KValue sum = has(m, m->R, j) ? x->R1[j] : K_NONE;
    for (int k = 0; k < ns; k++) {
      int e = k * nq + j;
      if (has(m, m->dg, e)) {
        KValue f = force(x, x->dg[e], x->L[k], arena_printf(p->arena, "fl%d_%d", k, j), j, &sum);
        x->push[j] = step_add(p, x->push[j], absolute(m, f));
      }
      if (has(m, m->dr, e)) (void)force(x, x->dr[e], x->K[k], arena_printf(p->arena, "fk%d_%d", k, j), j, &sum);
    }
    x->res[j] = name(m, sum == K_NONE ? number(m, 0) : sum, "res", j);
  }
  for (int k = 0; k < ns; k++) {
    KValue gap = m->gap_before[k];
    x->res[nq + k] = name(m, x->rate[k], "res", nq + k);
    for (int j = 0; j < nq; j++)
      if (has(m, m->dg, k * nq + j)) gap = step_add(p, gap, times(m, x->dg[k * nq + j], x->end.dq[j]));
    x->res[nq + ns + k] = name(m, gap == K_NONE ? number(m, 0) : gap, "res", nq + ns + k);
  }
}

// The largest relative residual.
static KValue error_of(const Iterate *x) {
  const Motion *m = x->m;
  Step *p = m->p;
  KBuilder *b = p->b;
  int nq = m->nq, ns = m->ns;
  KValue error = K_NONE, *speed = motion_values(m, nq);
  for (int j = 0; j < nq; j++) {
    KValue size = name(m, step_add(p, k_get(b, m->most[j]), x->others[j]), "size", j);
    KValue r = name(m, k_op2(b, OP_OVER, absolute(m, x->res[j]), plus(m, size, number(m, DBL_MIN))), "off_", j);
    error = error == K_NONE ? r : name(m, motion_larger(m, error, r), "error", j);
    KValue both = plus(m, absolute(m, x->end.u[j]), absolute(m, m->UB[j]));
    speed[j] = name(m, plus(m, both, times(m, size, m->inverse[j])), "speed", j);
  }
  for (int k = 0; k < ns; k++) {
    KValue s = number(m, DBL_MIN);
    for (int j = 0; j < nq; j++)
      if (has(m, m->H, k * nq + j)) s = plus(m, s, times(m, absolute(m, x->H[k * nq + j]), speed[j]));
    s = name(m, s, "sizes", k);
    KValue gap = absolute(m, x->res[nq + ns + k]), rate = times(m, absolute(m, x->res[nq + k]), p->h);
    KValue r = name(m, k_op2(b, OP_OVER, motion_larger(m, rate, gap), times(m, p->h, s)), "off_", nq + k);
    error = name(m, motion_larger(m, error, r), "error", nq + k);
  }
  return error;
}

// ---- does it stand? -------------------------------------------------------------------------------------------------
// No velocity that forces of constraints act on may be at rest (runtime/schemes/consistent_rest.c), and their round-off
// is not seen in the speeds. K_NONE: nothing is asked.
static KValue sound(const Iterate *x) {
  const Motion *m = x->m;
  Step *p = m->p;
  KBuilder *b = p->b;
  KValue stands = K_NONE, forces = K_NONE, speeds = K_NONE;
  for (int j = 0; j < m->nq && m->ns > 0; j++) {
    if (x->push[j] == K_NONE) continue;
    KValue terms = plus(m, times(m, x->push[j], m->inverse[j]), absolute(m, m->UB[j]));
    KValue noise = times(m, number(m, 16 * DBL_EPSILON), terms);
    stands = step_both(p, stands, k_op2(b, OP_LT, noise, absolute(m, x->end.u[j])));
    forces = step_add(p, forces, times(m, x->push[j], m->inverse[j]));
    speeds = step_add(p, speeds, plus(m, absolute(m, m->UB[j]), absolute(m, x->end.u[j])));
  }
  if (forces == K_NONE) return stands;
  KValue noise = times(m, number(m, DBL_EPSILON * m->nq * may_cancel), forces);
  return step_both(p, stands, k_op2(b, OP_LE, noise, speeds));
}

// The unknowns := those of the iterate - y.
static void correct(const Iterate *x, const KValue *y) {
  const Motion *m = x->m;
  KBuilder *b = m->p->b;
  for (int j = 0; j < m->nq; j++) k_set(b, m->du[j], minus(m, x->D[j], y[j]));
  for (int k = 0; k < m->ns; k++) k_set(b, m->l1[k], minus(m, x->L[k], y[m->nq + k]));
  for (int k = 0; k < m->ns; k++) k_set(b, m->k1[k], minus(m, x->K[k], y[m->nq + m->ns + k]));
}

static KValue *by_kept_factors(const Iterate *x, const char *tag) {
  const Motion *m = x->m;
  Factors f = factors_get(m->p, tag, &m->kept);
  KValue *y = motion_values(m, m->n);
  for (int j = 0; j < m->n; j++) y[j] = x->res[j];
  solve_unrolled(m->p, tag, &f, y);
  return y;
}

// At the floor the last correction is applied too, but where a contact was closed, as the generic step has it; else the
// better of the last two iterates stays.
static void accept(const Iterate *x, KValue floor, KValue error, KValue old) {
  const Motion *m = x->m;
  KBuilder *b = m->p->b;
  KValue good = sound(x);
  if (good != K_NONE) k_if(b, good);
  k_set(b, m->ok, k_integer(b, 1));
  k_if(b, k_op2(b, OP_EQ, floor, number(m, 1)));
  if (m->nstruck) k_if(b, k_op1(b, OP_NOT, motion_hit(m)));
  correct(x, by_kept_factors(x, "c"));
  if (m->nstruck) k_close(b);
  k_else(b);
  k_if(b, k_op2(b, OP_LT, old, error));
  for (int j = 0; j < m->nq; j++) k_set(b, m->du[j], k_get(b, m->try_du[j]));
  for (int k = 0; k < m->ns; k++) {
    k_set(b, m->l1[k], k_get(b, m->try_l[k]));
    k_set(b, m->k1[k], k_get(b, m->try_k[k]));
  }
  k_close(b);
  k_close(b);
  if (good != K_NONE) k_close(b);
  k_break(b);
}

// A value that is not finite ends the iteration: it is neither at the floor nor at rest.
static void ends_if_not_finite(const Iterate *x) {
  const Motion *m = x->m;
  KBuilder *b = m->p->b;
  KValue sum = K_NONE;
  for (int j = 0; j < m->n; j++) sum = step_add(m->p, sum, x->res[j]);
  sum = k_name(b, sum, "total", NULL);
  k_if(b, k_op1(b, OP_NOT, k_op2(b, OP_EQ, minus(m, sum, sum), number(m, 0))));
  k_break(b);
  k_close(b);
}

static KValue smaller(const Motion *m, KValue x, KValue y) {
  return k_choose(m->p->b, k_op2(m->p->b, OP_LT, y, x), y, x);
}

static void verify(const Iterate *x) {
  const Motion *m = x->m;
  Step *p = m->p;
  KBuilder *b = p->b;
  KValue error = error_of(x);
  ends_if_not_finite(x);
  KValue old = k_name(b, k_get(b, m->before), "last", NULL);
  KValue floor = k_name(b, k_double(b, k_op2(b, OP_LE, error, number(m, at_floor))), "floor", NULL);
  KValue rests = step_both(p, k_op2(b, OP_LT, k_integer(b, 1), x->it), k_op2(b, OP_LE, error, number(m, may_rest)));
  rests = step_both(p, rests, k_op1(b, OP_NOT, k_op2(b, OP_LE, error, times(m, number(m, falls), old))));
  rests = step_both(p, rests, k_op2(b, OP_LE, smaller(m, error, old), m->tolerance));
  KValue ends = step_either(p, k_op2(b, OP_EQ, floor, number(m, 1)), rests);
  ends = k_name(b, k_double(b, ends), "ends", NULL);
  k_if(b, k_op2(b, OP_EQ, ends, number(m, 1)));
  accept(x, floor, error, old);
  k_close(b);
  k_if(b, k_op2(b, OP_LT, times(m, number(m, 2), old), error));                  // halving is for the generic step
  k_break(b);
  k_close(b);
  k_set(b, m->keep, k_integer(b, 0));
  KValue next = times(m, error, k_op2(b, OP_OVER, error, old));
  k_if(b, k_op2(b, OP_AND, k_op2(b, OP_LE, error, number(m, keeps_factors)),
                k_op2(b, OP_LE, next, number(m, at_floor))));
  k_set(b, m->keep, k_integer(b, 1));
  k_close(b);
  k_set(b, m->before, error);
}

// ---- Newton's step --------------------------------------------------------------------------------------------------
// (2) of this iterate, from the derivatives of R1.
static void measure(const Iterate *x, const KValue *of_q, const KValue *of_u) {
  const Motion *m = x->m;
  Step *p = m->p;
  int nq = m->nq;
  for (int r = 0; r < nq; r++) {
    KValue sum = K_NONE;
    for (int c = 0; c < nq; c++) {
      int e = r * nq + c;
      if (has(m, m->Rq, e)) sum = step_add(p, sum, absolute(m, times(m, of_q[e], x->end.q[c])));
      if (has(m, m->Ru, e)) sum = step_add(p, sum, absolute(m, times(m, of_u[e], x->end.u[c])));
    }
    if (sum == K_NONE) continue;
    sum = name(m, sum, "qs", r);
    k_set(p->b, m->most[r], motion_larger(m, k_get(p->b, m->most[r]), sum));
  }
}

static void by_fresh_matrix(const Iterate *x) {
  const Motion *m = x->m;
  Step *p = m->p;
  KBuilder *b = p->b;
  int n = m->n, nq = m->nq;
  KValue *v = motion_values(m, m->nmore), *A = motion_values(m, n * n), *y = motion_values(m, n), good;
  step_values(p, m->left, m->nmore, v);
  for (int j = 0; j < n * n; j++) A[j] = m->pattern[j] ? v[j] : K_NONE;
  measure(x, v + n * n, v + n * n + nq * nq);
  Factors f = factor_unrolled(p, "k", n, nq, A, &good);
  if (good != K_NONE) { k_if(b, k_op1(b, OP_NOT, good)); k_break(b); k_close(b); }
  factors_set(p, &m->kept, &f);
  for (int j = 0; j < n; j++) y[j] = x->res[j];
  solve_unrolled(p, "k", &f, y);
  for (int j = 0; j < n; j++) k_set(b, m->dz[j], y[j]);
}

static void newton_step(const Iterate *x) {
  const Motion *m = x->m;
  KBuilder *b = m->p->b;
  int nq = m->nq, ns = m->ns;
  k_if(b, k_op2(b, OP_EQ, k_get(b, m->keep), k_integer(b, 0)));
  by_fresh_matrix(x);
  k_else(b);
  KValue *y = by_kept_factors(x, "s");
  for (int j = 0; j < m->n; j++) k_set(b, m->dz[j], y[j]);
  k_close(b);
  for (int j = 0; j < nq; j++) {
    k_set(b, m->try_du[j], x->D[j]);
    k_set(b, m->du[j], minus(m, x->D[j], k_get(b, m->dz[j])));
  }
  for (int k = 0; k < ns; k++) {
    k_set(b, m->try_l[k], x->L[k]);
    k_set(b, m->try_k[k], x->K[k]);
    k_set(b, m->l1[k], minus(m, x->L[k], k_get(b, m->dz[nq + k])));
    k_set(b, m->k1[k], minus(m, x->K[k], k_get(b, m->dz[nq + ns + k])));
  }
  k_set(b, m->iterations, plus(m, k_get(b, m->iterations), number(m, 1)));
}

void motion_iterate(Motion *m) {
  KBuilder *b = m->p->b;
  KValue it = k_loop(b, "it", k_integer(b, 0), k_integer(b, ITERATIONS));
  Iterate x = evaluate(m, it);
  residual(&x);
  k_if(b, k_op2(b, OP_LT, k_integer(b, 0), it));
  verify(&x);
  k_close(b);
  newton_step(&x);
  if (m->exact) {
    k_set(b, m->ok, k_integer(b, 1));
    k_break(b);
  }
  k_close(b);
  k_if(b, k_op2(b, OP_EQ, k_get(b, m->ok), k_integer(b, 0)));
  k_break(b);
  k_close(b);
}
