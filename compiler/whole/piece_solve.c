// One step of a piece: Newton's iteration on R and the rates (piece_terms.c), or one solve where the equations are
// affine in the unknowns. An iterate stands where
//
//   |R_i| <= tolerance (sum of |its terms|) + 16 eps sum_j |M_ij| (|z1_j| + |z_j|),                                (1)
//   |rate_k| <= tolerance sum_j |H_kj| (|z1_j| + |z_j|)                                                          (2)
//
// as the generic step asks, or stricter; affine equations are asked for (2) alone. After ITERATIONS, where a velocity
// that impulses act on may be at rest, where M may not be positive definite: the generic step.
#include <float.h>
#include "pieces.h"

enum { ITERATIONS = 6 };

typedef struct Iterate {
  KValue *z1, *p1, *inc, *q1;           // K_NONE: p1, inc 0
  KValue *force[PIECE_POINTS], *M, *along, *H, *rate;
  KValue *R, **term, *scale, *known; int *terms;
} Iterate;

static KValue plus(const Pieces *m, KValue x, KValue y) { return k_op2(m->p->b, OP_PLUS, x, y); }
static KValue minus(const Pieces *m, KValue x, KValue y) { return k_op2(m->p->b, OP_MINUS, x, y); }
static KValue times(const Pieces *m, KValue x, KValue y) {
  return x == K_NONE || y == K_NONE ? K_NONE : step_mul(m->p, x, y);
}
static KValue *values(const Pieces *m, int n) {
  KValue *v = ARENA_ARRAY(m->p->arena, KValue, n + 1);
  for (int i = 0; i <= n; i++) v[i] = K_NONE;
  return v;
}
static KValue name(const Pieces *m, KValue v, const char *what, int i) {
  const KNode *n = v == K_NONE ? NULL : k_node(m->p->b, v);
  if (!n || n->name || n->code == KN_NUMBER || n->code == KN_GET) return v;   // a variable has its name
  return k_name(m->p->b, v, step_name(m->p, what, i), NULL);
}

// ---- points ---------------------------------------------------------------------------------------------------------
void piece_time(Pieces *m, int point, KValue i) {
  Step *p = m->p;
  KBuilder *b = p->b;
  Spot *s = &m->spot[point];
  if (!s->used || s->t != K_NONE) return;
  if (point == BEGIN) p->t0 = s->t = k_name(b, step_time(p, i, 0), "t", NULL);
  else if (point == END) p->t = s->t = k_name(b, step_time(p, i, 1), "tnext", NULL);
  else if (s->own_q) {
    piece_time(m, s->from, i);
    KValue from = m->spot[s->from].t;
    s->t = s->time.v == K_NONE ? from : k_name(b, plus(m, from, s->time.v), step_name(p, "tp", point), NULL);
    p->value[ROLE_TIME][s->q][0] = s->t;
  }
}

// What the begin makes of a point; of one that it knows all.
void piece_start(Pieces *m) {
  Step *p = m->p;
  int nq = p->w->nq, nz = p->w->nz;
  for (int i = 0; i < PIECE_POINTS; i++) {
    Spot *s = &m->spot[i];
    if (!s->used) continue;
    s->by_begin = values(m, nq);
    s->kept = values(m, nz);
    for (int j = 0; j < nq; j++) {
      s->by_begin[j] = times(m, s->begin.v, m->Z[j]);
      if (s->late) name(m, s->by_begin[j], arena_printf(p->arena, "part%d_", i), j);
    }
    for (int j = 0; s->own_z && s->late && j < nz; j++)
      s->kept[j] = name(m, times(m, s->rest.v, m->Z[j]), arena_printf(p->arena, "kept%d_", i), j);
  }
  m->before = values(m, nz);
  for (int j = 0; m->iterates && j < nz; j++)
    m->before[j] = k_name(p->b, step_abs(p, m->Z[j]), step_name(p, "before", j), NULL);
}

void piece_place(Pieces *m, int point, const KValue *z1) {
  Step *p = m->p;
  Spot *s = &m->spot[point];
  int nq = p->w->nq, nz = p->w->nz;
  const Spot *from = &m->spot[s->from];
  s->Q = values(m, nq);
  s->Z = values(m, nz);
  for (int j = 0; j < nq; j++) {
    KValue way = step_add(p, times(m, s->end.v, z1 ? z1[j] : K_NONE), s->by_begin[j]),
           at = point == BEGIN ? m->Q[j] : from->Q[j];
    s->Q[j] = way == K_NONE ? at : name(m, plus(m, at, way), arena_printf(p->arena, "q%d_", point), j);
  }
  for (int j = 0; j < nz; j++) {
    KValue share = z1 ? times(m, s->share.v, z1[j]) : K_NONE;
    s->Z[j] = !s->late || !s->own_z ? m->Z[j]
                                    : name(m, step_add(p, s->kept[j], share), arena_printf(p->arena, "z%d_", point), j);
  }
  for (int j = 0; j < nq; j++) {
    if (s->own_q) p->value[ROLE_Q][s->q][j] = s->Q[j];
    if (s->own_z) p->value[ROLE_V][s->z][j] = s->Z[j];
  }
  for (int j = nq; s->own_z && j < nz; j++) p->value[ROLE_X][s->z][j - nq] = s->Z[j];
}

// ---- M --------------------------------------------------------------------------------------------------------------
static KValue constant_of(const Pieces *m, Ex e) {
  const Written *w = m->p->w;
  if (ex_operator(w->pool, e) != OP_SYM) return K_NONE;
  Role y = written_role(w, ex_symbol(w->pool, e));
  return y.kind == ROLE_CONSTANT ? m->p->constant[y.index] : K_NONE;
}

// |M_ij| where it is a constant of the run.
void piece_sizes_of_mass(Pieces *m) {
  Step *p = m->p;
  int n = p->w->nz * p->w->nz;
  m->size_of_M = values(m, n);
  for (int e = 0; e < n; e++) {
    KValue c = constant_of(m, m->M[e]);
    for (int o = 0; o < e; o++) if (m->M[o] == m->M[e]) m->size_of_M[e] = m->size_of_M[o];
    if (c != K_NONE && m->size_of_M[e] == K_NONE) m->size_of_M[e] = name(m, step_abs(p, c), "inertia", e);
  }
}

static KValue *mass(const Pieces *m, const KValue *M) {
  int n = m->p->w->nz * m->p->w->nz;
  KValue *A = values(m, n);
  for (int i = 0; i < n; i++) if (m->M[i] != piece_none(m)) A[i] = name(m, M[i], "mass", i);
  return A;
}

// M at a point that the begin knows; where it is constant and no row acts, its factors.
void piece_factor_mass(Pieces *m) {
  Step *p = m->p;
  int nz = p->w->nz;
  KValue *M = values(m, nz * nz), regular;
  step_values(p, m->M, nz * nz, M);
  m->mass = mass(m, M);
  if (m->mass_moves || m->nc) return;
  KValue *A = values(m, nz * nz);
  for (int i = 0; i < nz * nz; i++) A[i] = m->mass[i];
  m->factors = factor_unrolled(p, "m", nz, nz, A, &regular);
}

// ---- values at an iterate -------------------------------------------------------------------------------------------
static void evaluate(Pieces *m, const Rows *r, Iterate *x) {
  Step *p = m->p;
  int nz = p->w->nz, n = r->n;
  for (int i = 0; m->iterates && i < PIECE_POINTS; i++)
    if (m->spot[i].used && m->spot[i].late) piece_place(m, i, x->z1);
  for (int j = 0; !m->iterates && j < nz; j++) p->value[ROLE_V][AT_END][j] = x->z1[j];
  for (int j = 0; m->iterates && j < nz; j++) {
    x->inc[j] = k_name(p->b, minus(m, x->z1[j], m->Z[j]), step_name(p, "inc", j), NULL);
    p->local[written_role(p->w, m->inc_at[j]).index] = x->inc[j];
  }
  for (int k = 0; k < n; k++) p->local[written_role(p->w, m->impulse_at[k]).index] = x->p1[k];
  KValue *v = values(m, r->nroot);
  if (m->iterates) step_values_shared(p, r->root, r->nroot, v, r->more, r->nmore, r->left);
  else step_values(p, r->root, r->nroot, v);
  for (int k = 0, to = 0; k < PIECE_POINTS; k++) {
    if (!m->force[k] || !m->spot[k].late) continue;
    x->force[k] = v + to;
    to += nz;
  }
  x->M = m->spot[m->mass_at].late ? mass(m, v + r->at_M) : m->mass;
  x->along = v + r->at_along;
  x->H = v + r->at_H;
  x->rate = v + r->at_rate;
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < nz; j++) {
      if (r->row[k]->along[j] != piece_none(m)) name(m, x->along[k * nz + j], "along", k * nz + j);
      if (r->row[k]->H[j] != piece_none(m)) name(m, x->H[k * nz + j], "slope", k * nz + j);
    }
    x->rate[k] = name(m, k < m->nc ? x->rate[k] : plus(m, x->rate[k], r->kick[k - m->nc]), "goal", k);
  }
}

static void take_term(const Pieces *m, Iterate *x, int i, KValue t, bool negative, KValue *sum) {
  if (t == K_NONE) return;
  *sum = negative ? step_sub(m->p, *sum, t) : step_add(m->p, *sum, t);
  x->term[i][x->terms[i]++] = t;
}

// R, its terms kept: of the equations of motion, then the rates.
static void residual(Pieces *m, const Rows *r, Iterate *x) {
  Step *p = m->p;
  Arena *a = p->arena;
  int nz = p->w->nz;
  for (int i = 0; i < nz; i++) {
    KValue sum = K_NONE;
    x->term[i] = values(m, nz + r->n + PIECE_POINTS + 1);
    for (int j = 0; j < nz; j++)
      take_term(m, x, i, name(m, times(m, x->M[i * nz + j], x->inc[j]), arena_printf(a, "i%d_", i), j), false, &sum);
    for (int k = 0; k < PIECE_POINTS; k++) {
      if (!x->force[k] || m->force[k][i] == piece_none(m)) continue;
      take_term(m, x, i, name(m, times(m, m->by[k].v, x->force[k][i]), arena_printf(a, "f%d_", k), i), true, &sum);
    }
    take_term(m, x, i, m->S[i], true, &sum);
    for (int k = 0; k < r->n; k++) {
      if (r->row[k]->along[i] == piece_none(m)) continue;
      KValue push = times(m, x->along[k * nz + i], x->p1[k]);
      take_term(m, x, i, name(m, push, arena_printf(a, "h%d_", k), i), true, &sum);
    }
    x->R[i] = sum == K_NONE ? k_number(p->b, 0) : name(m, sum, "res", i);
  }
  for (int k = 0; k < r->n; k++) x->R[nz + k] = x->rate[k];
}

// ---- does it stand? -------------------------------------------------------------------------------------------------
static KValue size_of_mass(const Pieces *m, const Iterate *x, int e) {
  if (m->size_of_M[e] == K_NONE) m->size_of_M[e] = name(m, step_abs(m->p, x->M[e]), "inertia", e);
  return m->size_of_M[e];
}

// |z_j|; |z1_j| + |z_j|
static KValue before(const Pieces *m, int j) {
  return m->before[j] == K_NONE ? step_abs(m->p, m->Z[j]) : m->before[j];
}
static KValue known(const Pieces *m, Iterate *x, int j) {
  if (x->known[j] == K_NONE) x->known[j] = name(m, plus(m, step_abs(m->p, x->z1[j]), before(m, j)), "known", j);
  return x->known[j];
}

// (1), row by row, as most iterates fail at the first one. How many blocks are open.
static int motion_stands(Pieces *m, Iterate *x) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nz = p->w->nz;
  for (int i = 0; i < nz; i++) {
    KValue sum = K_NONE, round = K_NONE;
    for (int k = 0; k < x->terms[i]; k++) sum = step_add(p, sum, step_abs(p, x->term[i][k]));
    for (int j = 0; m->iterates && j < nz; j++)
      if (m->M[i * nz + j] != piece_none(m))
        round = step_add(p, round, times(m, size_of_mass(m, x, i * nz + j), known(m, x, j)));
    x->scale[i] = sum == K_NONE ? k_number(b, 0) : name(m, sum, "scale", i);
    if (!m->iterates) continue;
    KValue most = times(m, m->tolerance, x->scale[i]);
    if (round != K_NONE) most = plus(m, most, times(m, k_number(b, 16 * DBL_EPSILON), round));
    k_if(b, k_op2(b, OP_LE, step_abs(p, x->R[i]), most));
  }
  return m->iterates ? nz : 0;
}

// (2); of a contact that is struck: it presses, with a rate that its law does not make 0.
static int rates_stand(Pieces *m, const Rows *r, Iterate *x) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nz = p->w->nz, open = 0;
  for (int k = 0; k < r->n; k++) {
    KValue sum = K_NONE;
    for (int j = 0; j < nz; j++)
      if (r->row[k]->H[j] != piece_none(m))
        sum = step_add(p, sum, times(m, step_abs(p, x->H[k * nz + j]), known(m, x, j)));
    if (sum == K_NONE) continue;
    sum = name(m, sum, "size", k);
    KValue good = k_op2(b, OP_LE, step_abs(p, x->R[nz + k]), times(m, m->tolerance, sum));
    if (k >= m->nc) {
      good = step_both(p, good, k_op2(b, OP_LT, times(m, k_number(b, 1e-6), sum), step_abs(p, r->kick[k - m->nc])));
      good = step_both(p, good, k_op2(b, OP_LT, k_number(b, 0), x->p1[k]));
    }
    k_if(b, good);
    open++;
  }
  return open;
}

// No velocity on which an impulse acts rests; M is positive definite; affine equations: all is finite.
static KValue sound(Pieces *m, const Rows *r, Iterate *x) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nz = p->w->nz, nq = p->w->nq;
  KValue good = K_NONE, sum = K_NONE;
  for (int j = 0; j < nz; j++) {
    bool pushed = false;
    for (int k = 0; k < r->n; k++) pushed |= r->row[k]->along[j] != piece_none(m);
    if (!pushed || m->M[j * nz + j] == piece_none(m)) continue;
    KValue M = size_of_mass(m, x, j * nz + j),
           most = times(m, k_number(b, 16 * DBL_EPSILON), plus(m, x->scale[j], times(m, M, before(m, j))));
    good = step_both(p, good, k_op2(b, OP_LT, most, times(m, M, step_abs(p, x->z1[j]))));
  }
  if (m->mass_moves) {
    KValue *A = values(m, nq * nq);
    for (int i = 0; i < nq; i++)
      for (int j = 0; j < nq; j++) if (m->M[i * nz + j] != piece_none(m)) A[i * nq + j] = x->M[i * nz + j];
    good = step_both(p, good, definite_unrolled(p, nq, A));
  }
  if (m->iterates) return good;
  for (int j = 0; j < nz; j++) sum = step_add(p, sum, x->z1[j]);
  for (int j = 0; j < nq; j++) sum = step_add(p, sum, x->q1[j]);
  sum = name(m, sum, "sum", 0);
  return step_both(p, good, k_op2(b, OP_EQ, minus(m, sum, sum), k_number(b, 0)));
}

// ---- the state after the step ---------------------------------------------------------------------------------------
// The change of z, and whether it was a good guess of the next one (runtime: sim_learn), in the metric of M.
static void learn(Pieces *m, const Iterate *x) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nz = p->w->nz;
  KValue sum[2] = { K_NONE, K_NONE };
  for (int j = 0; j < nz; j++) {
    KValue d = name(m, minus(m, x->inc[j], m->old[j]), "gd", j),
           M = m->M[j * nz + j] == piece_none(m) ? k_number(b, 1) : x->M[j * nz + j];
    sum[0] = step_add(p, sum[0], times(m, times(m, M, x->inc[j]), x->inc[j]));
    sum[1] = step_add(p, sum[1], times(m, times(m, M, d), d));
  }
  for (int j = 0; j < 2; j++)
    k_set(b, m->off[j], plus(m, times(m, k_number(b, 0.25), k_get(b, m->off[j])), sum[j]));
  for (int j = 0; j < nz; j++) k_set(b, m->gain[j], x->inc[j]);
}

// Impulses of the contacts that can be struck; how many began to be.
static void pushed(Pieces *m, const Rows *r, const Iterate *x) {
  KBuilder *b = m->p->b;
  for (int k = 0; k < m->nstruck; k++) {
    int i = 0;
    while (i < r->nstruck && r->struck[i] != k) i++;
    if (i == r->nstruck) { k_set(b, m->push[k], k_number(b, 0)); continue; }
    KValue begins = k_double(b, k_op2(b, OP_EQ, k_get(b, m->push[k]), k_number(b, 0)));
    k_set(b, m->strikes, plus(m, k_get(b, m->strikes), begins));
    k_set(b, m->push[k], x->p1[m->nc + i]);
  }
}

static void take(Pieces *m, const Rows *r, const Iterate *x, KValue it) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nz = p->w->nz, nq = p->w->nq;
  if (m->iterates) learn(m, x);
  if (m->iterates) k_set(b, m->count, plus(m, k_get(b, m->count), k_double(b, it)));
  for (int j = 0; j < nq; j++) k_set(b, m->q[j], x->q1[j]);
  for (int j = 0; j < nz; j++) k_set(b, m->z[j], x->z1[j]);
  for (int k = 0; k < m->nc; k++) k_set(b, m->pv[k], x->p1[k]);
  pushed(m, r, x);
  if (r->nstruck && m->iterates) k_set(b, m->solved, plus(m, k_get(b, m->solved), k_double(b, it)));
  for (int j = 0; m->carried && j < nz; j++)
    if (m->force[END][j] != piece_none(m)) k_set(b, m->fv[j], x->force[END][j]);
  k_set(b, m->ok, k_integer(b, 1));
}

// The state, where the iterate stands; then the iteration is over.
static void accept(Pieces *m, const Rows *r, Iterate *x, KValue it) {
  KBuilder *b = m->p->b;
  int open = motion_stands(m, x) + rates_stand(m, r, x);
  KValue good = sound(m, r, x);
  if (good != K_NONE) k_if(b, good);
  take(m, r, x, it);
  if (good != K_NONE) k_close(b);
  if (m->iterates) k_break(b);
  while (open-- > 0) k_close(b);
}

// ---- Newton's step --------------------------------------------------------------------------------------------------
// [ W H^T ; C 0 ] of the iterate: the unknowns are dz and -dp.
static KValue *matrix_of(Pieces *m, const Rows *r, const Iterate *x) {
  Step *p = m->p;
  int nz = p->w->nz, size = nz + r->n;
  KValue *W = values(m, size * size), *jac = values(m, r->nmore);
  if (m->iterates) step_values(p, r->left, r->nmore, jac);
  for (int i = 0; i < nz; i++)
    for (int j = 0; j < nz; j++)
      if (r->J[i * nz + j] != piece_none(m))
        W[i * size + j] = name(m, m->iterates ? jac[i * nz + j] : x->M[i * nz + j], "w", i * size + j);
  for (int k = 0; k < r->n; k++)
    for (int j = 0; j < nz; j++) {
      int e = k * nz + j;
      if (r->row[k]->along[j] != piece_none(m))
        W[j * size + nz + k] = name(m, x->along[e], "w", j * size + nz + k);
      if (r->C[e] != piece_none(m))
        W[(nz + k) * size + j] = name(m, m->iterates ? jac[nz * nz + e] : x->H[e], "w", (nz + k) * size + j);
    }
  return W;
}

static Iterate open_iterate(const Pieces *m, const Rows *r) {
  int nz = m->p->w->nz;
  return (Iterate){ .z1 = values(m, nz), .p1 = values(m, r->n), .inc = values(m, nz), .q1 = values(m, m->p->w->nq),
                    .R = values(m, nz + r->n), .term = ARENA_ARRAY(m->p->arena, KValue *, nz + 1),
                    .terms = ARENA_ARRAY(m->p->arena, int, nz + 1), .scale = values(m, nz), .known = values(m, nz) };
}

static void iterate(Pieces *m, const Rows *r) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nz = p->w->nz, size = nz + r->n;
  Iterate x = open_iterate(m, r);
  KValue it = k_loop(b, "it", k_integer(b, 0), k_integer(b, ITERATIONS)), regular;
  for (int j = 0; j < nz; j++) x.z1[j] = k_get(b, m->z1[j]);
  for (int k = 0; k < r->n; k++) x.p1[k] = k_get(b, m->p1[k]);
  evaluate(m, r, &x);
  residual(m, r, &x);
  x.q1 = m->spot[END].Q;
  k_if(b, k_op2(b, OP_LT, k_integer(b, 0), it));
  accept(m, r, &x, it);
  k_close(b);
  Factors f = factor_unrolled(p, p->suffix, size, nz, matrix_of(m, r, &x), &regular);
  solve_unrolled(p, p->suffix, &f, x.R);
  if (regular != K_NONE) {
    k_if(b, k_op1(b, OP_NOT, regular));
    k_break(b);
    k_close(b);
  }
  for (int j = 0; j < nz; j++) k_set(b, m->z1[j], minus(m, x.z1[j], x.R[j]));
  for (int k = 0; k < r->n; k++) k_set(b, m->p1[k], plus(m, x.p1[k], x.R[nz + k]));
  k_close(b);
}

// Affine equations: -R at z and without impulses is h f and -rate, and the rates at the end are those and C dz.
static void solve_once(Pieces *m, const Rows *r) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nz = p->w->nz, size = nz + r->n;
  Iterate x = open_iterate(m, r);
  KValue *y = values(m, size), regular = K_NONE;
  for (int j = 0; j < nz; j++) x.z1[j] = m->Z[j];
  evaluate(m, r, &x);
  for (int j = 0; j < nz; j++) y[j] = m->S[j] == K_NONE ? k_number(b, 0) : m->S[j];
  for (int k = 0; k < r->n; k++) y[nz + k] = k_op1(b, OP_OPPOSITE, x.rate[k]);
  Factors f = m->factors;
  if (r->n || m->mass_moves) f = factor_unrolled(p, p->suffix, size, nz, matrix_of(m, r, &x), &regular);
  solve_unrolled(p, p->suffix, &f, y);
  for (int j = 0; j < nz; j++) {
    name(m, y[j], "dz", j);
    x.z1[j] = k_name(b, plus(m, m->Z[j], y[j]), step_name(p, "ze", j), NULL);
    x.inc[j] = K_NONE;                                     // its part in R is what the others leave
  }
  for (int k = 0; k < r->n; k++) x.p1[k] = name(m, k_op1(b, OP_OPPOSITE, y[nz + k]), "impulse", k);
  residual(m, r, &x);
  for (int k = 0; k < r->n; k++)
    for (int j = 0; j < nz; j++)
      if (r->C[k * nz + j] != piece_none(m)) x.R[nz + k] = plus(m, x.R[nz + k], times(m, x.H[k * nz + j], y[j]));
  piece_place(m, END, x.z1);
  x.q1 = m->spot[END].Q;
  if (regular != K_NONE) k_if(b, regular);
  accept(m, r, &x, K_NONE);
  if (regular != K_NONE) k_close(b);
}

void piece_solve(Pieces *m, const Rows *r) {
  int n = m->p->w->nz * m->p->w->nz;
  KValue *before = m->size_of_M;                           // others are named within a block
  m->size_of_M = values(m, n);
  for (int i = 0; i < n; i++) m->size_of_M[i] = before[i];
  m->p->suffix = r->suffix;
  if (m->iterates) iterate(m, r);
  else solve_once(m, r);
  m->p->suffix = "";
  m->size_of_M = before;
}
