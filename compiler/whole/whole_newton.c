// Moreau's scheme by Newton's method (runtime/schemes/step_newton.c), in steps in which no contact stays closed: with
// the unknowns z1 and the impulses p of constraints, q1 = q + h (theta v1 + (1-theta) v), q~ between,
//
//   R = M(q~)(z1 - z) - h theta f(t1, q1, z1) - h (1-theta) f(t, q, z) - H(q~)^T p,    rates u(t1, q1, v1) = 0
//
// and all derivatives of both. f of the last iterate is that of the begin of the next step. An iterate is accepted
// where
//
//   |R_i| <= tolerance (sum of |its terms|) + 16 eps sum_j |M_ij| (|z1_j| + |z_j|),
//   |u_k| <= tolerance sum_j |H_kj| (|z1_j| + |z_j|)
//
// as the general road does or stricter. After ITERATIONS, where a velocity may be at rest, where M may not be positive
// definite: the general road.
//
// A contact without friction that is struck, alone, is one more constraint, rate + e rate_k = 0, with an impulse that
// presses; the iteration is written once more for each such contact, of two at most.
//
// s: q [nq], z [nz], p [constraints], gain [nz] (z1 - z of the last step), off [2], reach [rows], iterations; of the
// contacts that can be struck: impulses, how often they were, iterations then
#include <float.h>
#include "solve.h"

enum { ITERATIONS = 6, STRUCK = WHOLE_STRUCK, STRUCK_UNKNOWNS = 8 };

typedef struct Newton {
  Step *p;
  const Instance **constraint, **contact; int nc, ncontact;
  Ex *f, *M, *Hm, *H, *rate;            // [nz], [nz, nz] at q~, [nc, nz] at q~ and at the end, [nc]
  Ex *J, *C;                            // [nz, nz], [nc, nz]
  Ex ht, chain;                         // h theta; d q~/d v = theta h theta
  bool mass_moves, timed;
  const Instance *struck;               // the last of the constraints: a contact that is struck; NULL
  int number;                           // of it among those that can be; -1
  int kick_at, size;                    // local e rate_k of it; nz + nc
  Ex *root, *more, *left; int nroot, nmore, at_root[5];
} Newton;

// What does not change during the iteration, and variables.
typedef struct Turn {
  KValue tolerance, theta, rest, ht, i;
  KValue *q, *z, *pv, *gain, *off, count, *z1, *p1, *fv, ok, *Q, *Z, *S, *old, *part, *share, *before;
  int *inc_at, *impulse_at, nstruck;
  KValue *push, strikes, solved;        // impulses of contacts that can be struck; how many were, iterations for them
} Turn;

static Ex zero(const Newton *n) { return ex_num(n->p->w->pool, 0); }

static void add(Newton *n, Ex *to, Ex e) { *to = ex_add(n->p->w->pool, *to, e); }

// f, M, rates, H of all instances.
static void collect(Newton *n, const Instance *struck) {
  Written *w = n->p->w;
  int nz = w->nz;
  n->nc = written_list(w, CLASS_CONSTRAINT, &n->constraint);
  n->ncontact = written_list(w, CLASS_CONTACT, &n->contact);
  n->struck = struck;
  if (struck) n->constraint[n->nc++] = struck;
  n->size = nz + n->nc;
  Ex **all[] = { &n->f, &n->M, &n->J, &n->Hm, &n->H, &n->C, &n->rate };
  int size[] = { nz, nz * nz, nz * nz, n->nc * nz, n->nc * nz, n->nc * nz, n->nc };
  for (int k = 0; k < 7; k++) *all[k] = written_zeros(w, size[k]);
  n->mass_moves = written_smooth(w, true, n->f, n->M);
  for (int k = 0; k < n->nc; k++) {
    const Instance *at = n->constraint[k];
    Ex *H = &n->H[k * nz];
    written_row(w, at, &n->rate[k], H);
    bool mid = at->pc->kernel[KERNEL_H].stage > STAGE_CONST && at != struck;    // contacts: along H at the end
    for (int j = 0; j < nz; j++) n->Hm[k * nz + j] = mid ? written_at(w, H[j], AT_BEGIN) : H[j];
  }
}

static Ex slope(Newton *n, Ex e, RoleKind kind, Moment m, int index) {
  return ex_diff(n->p->w->pool, e, written_symbol(n->p->w, kind, m, index));
}

// d/d z_j of an expression at the end, of one between.
static Ex at_end(Newton *n, Ex e, int j) {
  Written *w = n->p->w;
  if (j >= w->nq) return slope(n, e, ROLE_X, AT_END, j - w->nq);
  Ex q = slope(n, e, ROLE_Q, AT_END, j);
  return ex_add(w->pool, slope(n, e, ROLE_V, AT_END, j), ex_mul(w->pool, n->ht, q));
}

static Ex between(Newton *n, Ex e, int j, Ex theta) {
  Written *w = n->p->w;
  if (j >= w->nq) return ex_mul(w->pool, theta, slope(n, e, ROLE_X, AT_BEGIN, j - w->nq));
  return ex_add(w->pool, ex_mul(w->pool, theta, slope(n, e, ROLE_V, AT_BEGIN, j)),
                ex_mul(w->pool, n->chain, slope(n, e, ROLE_Q, AT_BEGIN, j)));
}

static void derivatives(Newton *n, Ex theta, const Ex *inc, const Ex *impulse) {
  Written *w = n->p->w;
  Pool *p = w->pool;
  int nz = w->nz;
  for (int i = 0; i < nz; i++) {
    Ex curved = zero(n);                                   // what moves with q~: M (z1 - z), H^T p
    for (int l = 0; l < nz; l++) add(n, &curved, ex_mul(p, n->M[i * nz + l], inc[l]));
    Ex last = zero(n);                                     // what moves with the end, of a contact
    for (int k = 0; k < n->nc; k++) {
      Ex *to = n->constraint[k] == n->struck ? &last : &curved;
      *to = ex_sub(p, *to, ex_mul(p, impulse[k], n->Hm[k * nz + i]));
    }
    for (int j = 0; j < nz; j++) {
      Ex smooth = ex_sub(p, ex_add(p, n->M[i * nz + j], between(n, curved, j, theta)),
                         ex_mul(p, n->ht, at_end(n, n->f[i], j)));
      n->J[i * nz + j] = n->struck ? ex_add(p, smooth, at_end(n, last, j)) : smooth;
    }
  }
  for (int k = 0; k < n->nc; k++)
    for (int j = 0; j < nz; j++) n->C[k * nz + j] = at_end(n, n->rate[k], j);
}

static KValue *named(Step *p, const char *name, int n, const KValue *x) {
  KValue *v = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) v[i] = k_name(p->b, x[i], step_name(p, name, i), NULL);
  return v;
}

// Where e is a constant of the run: its value.
static KValue constant_of(const Newton *n, Ex e) {
  const Written *w = n->p->w;
  if (ex_operator(w->pool, e) != OP_SYM) return K_NONE;
  Role y = written_role(w, ex_symbol(w->pool, e));
  return y.kind == ROLE_CONSTANT ? n->p->constant[y.index] : K_NONE;
}

// Without copies, which code that keeps nothing in registers would wait for.
static KValue *read(Step *p, int n, const KValue *variable) {
  KValue *v = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) v[i] = k_get(p->b, variable[i]);
  return v;
}

// |z1_j| + |z_j|, computed where it is first needed.
static KValue known_of(const Newton *n, int j, const KValue *z1, const KValue *before, KValue *known) {
  Step *p = n->p;
  if (known[j] == K_NONE)
    known[j] = k_name(p->b, k_op2(p->b, OP_PLUS, step_abs(p, z1[j]), before[j]), step_name(p, "known", j), NULL);
  return known[j];
}

// A contact that a whole step can let be struck, alone.
static bool can_be_struck(const Written *w, const Instance *at) {
  return written_rebounds(w, at) && w->nz <= STRUCK_UNKNOWNS;
}

static bool *pattern_of(const Newton *n) {
  int nz = n->p->w->nz, size = n->size;
  bool *pattern = ARENA_ARRAY(n->p->arena, bool, size * size + 1);
  for (int r = 0; r < nz; r++) pattern[r * size + r] = n->M[r * nz + r] != zero(n);
  for (int k = 0; k < n->nc; k++)
    for (int j = 0; j < nz; j++) {
      pattern[j * size + nz + k] = n->Hm[k * nz + j] != zero(n);
      pattern[(nz + k) * size + j] = n->H[k * nz + j] != zero(n);
    }
  return pattern;
}

// What an iterate is judged by, and the derivatives; their constants.
static void expressions(Newton *n, Ex th, const Ex *inc, const Ex *impulse) {
  Step *p = n->p;
  Written *w = p->w;
  Arena *a = w->arena;
  int nz = w->nz, nc = n->nc;
  if (n->struck) {
    n->kick_at = w->nlocal;
    add(n, &n->rate[nc - 1], step_local(p, K_NONE));
  }
  derivatives(n, th, inc, impulse);
  int nroot = n->nroot = nz + nz * nz + 2 * nc * nz + nc, nmore = n->nmore = nz * nz + nc * nz;
  Ex *root = n->root = ARENA_ARRAY(a, Ex, nroot + 1), *more = n->more = ARENA_ARRAY(a, Ex, nmore + 1);
  n->left = ARENA_ARRAY(a, Ex, nmore + 1);
  Ex *parts[] = { n->f, n->M, n->Hm, n->H, n->rate };
  int sizes[] = { nz, nz * nz, nc * nz, nc * nz, nc };
  for (int k = 0, to = 0; k < 5; k++) {
    n->at_root[k] = to;
    for (int i = 0; i < sizes[k]; i++) root[to++] = parts[k][i];
  }
  for (int i = 0; i < nz * nz; i++) more[i] = n->J[i];
  for (int i = 0; i < nc * nz; i++) more[nz * nz + i] = n->C[i];
  step_constants(p, root, nroot);
  step_constants(p, more, nmore);
}

// Newton's iteration from z1, p1 on; sets the state and `ok` where it converges.
static void iterate(Newton *n, const Turn *turn) {
  Step *p = n->p;
  Written *w = p->w;
  Arena *a = w->arena;
  KBuilder *b = p->b;
  int nq = w->nq, nz = w->nz, nc = n->nc, size = n->size;
  KValue tolerance = turn->tolerance, theta = turn->theta, rest = turn->rest, ht = turn->ht, count = turn->count,
         ok = turn->ok, *q = turn->q, *z = turn->z, *pv = turn->pv, *gain = turn->gain, *off = turn->off,
         *z1 = turn->z1, *p1 = turn->p1, *fv = turn->fv,
         *Q = turn->Q, *Z = turn->Z, *S = turn->S, *old = turn->old, *part = turn->part, *share = turn->share,
         *before = turn->before,
         *size_of_M = ARENA_ARRAY(a, KValue, nz * nz + 1);
  const int *inc_at = turn->inc_at, *impulse_at = turn->impulse_at;
  for (int e = 0; e < nz * nz; e++) {
    KValue c = constant_of(n, n->M[e]);
    size_of_M[e] = K_NONE;
    for (int o = 0; o < e; o++) if (n->M[o] == n->M[e]) size_of_M[e] = size_of_M[o];
    if (c != K_NONE && size_of_M[e] == K_NONE)
      size_of_M[e] = k_name(b, step_abs(p, c), step_name(p, "inertia", e), NULL);
  }
  KValue it = k_loop(b, "it", k_integer(b, 0), k_integer(b, ITERATIONS));
  KValue *Z1 = read(p, nz, z1), *P = read(p, nc, p1), *Q1 = ARENA_ARRAY(a, KValue, nq + 1),
         *Qm = ARENA_ARRAY(a, KValue, nq + 1), *Zm = ARENA_ARRAY(a, KValue, nz + 1), *D = ARENA_ARRAY(a, KValue, nz +
             1);
  for (int j = 0; j < nq; j++)
    Q1[j] = k_name(b, k_op2(b, OP_PLUS, Q[j], k_op2(b, OP_PLUS, k_op2(b, OP_TIMES, ht, Z1[j]), part[j])),
                   step_name(p, "qe", j), NULL);
  for (int j = 0; j < nq; j++)
    Qm[j] = k_op2(b, OP_PLUS, share[j], k_op2(b, OP_TIMES, theta, Q1[j]));
  for (int j = 0; j < nz; j++)
    Zm[j] = k_op2(b, OP_PLUS, k_op2(b, OP_TIMES, rest, Z[j]), k_op2(b, OP_TIMES, theta, Z1[j]));
  Qm = named(p, "qm", nq, Qm);
  Zm = named(p, "zm", nz, Zm);
  for (int j = 0; j < nz; j++) {
    D[j] = k_name(b, k_op2(b, OP_MINUS, Z1[j], Z[j]), step_name(p, "inc", j), NULL);
    p->local[inc_at[j]] = D[j];
  }
  for (int j = 0; j < nc; j++) p->local[impulse_at[j]] = P[j];
  step_use(p, AT_END, Q1, Z1);
  step_use(p, AT_BEGIN, Qm, Zm);
  KValue *v = ARENA_ARRAY(a, KValue, n->nroot + 1);
  step_values_shared(p, n->root, n->nroot, v, n->more, n->nmore, n->left);
  KValue *f = v, *M = v + n->at_root[1], *Hm = v + n->at_root[2], *H = v + n->at_root[3], *u = v + n->at_root[4];
  KValue *R = ARENA_ARRAY(a, KValue, size + 1), *scale = ARENA_ARRAY(a, KValue, nz + 1);
  const Ex none = zero(n);
  for (int e = 0; e < nz * nz; e++)
    if (n->M[e] != none && size_of_M[e] == K_NONE)
      size_of_M[e] = k_name(b, step_abs(p, M[e]), step_name(p, "inertia", e), NULL);
  KValue **term = ARENA_ARRAY(a, KValue *, nz + 1);         // of each row, those that R sums
  int *terms = ARENA_ARRAY(a, int, nz + 1);
  for (int r = 0; r < nz; r++) {
    KValue sum = K_NONE;
    term[r] = ARENA_ARRAY(a, KValue, nz + nc + 3);
    for (int c = 0; c < nz; c++) {
      if (n->M[r * nz + c] == none) continue;
      KValue t = k_name(b, k_op2(b, OP_TIMES, M[r * nz + c], D[c]), step_name(p, arena_printf(a, "i%d_", r), c), NULL);
      sum = step_add(p, sum, t);
      term[r][terms[r]++] = t;
    }
    if (n->f[r] != none) {
      KValue t = k_name(b, k_op2(b, OP_TIMES, ht, f[r]), step_name(p, "fk", r), NULL);
      sum = step_sub(p, step_sub(p, sum, t), S[r]);
      term[r][terms[r]++] = t;
      term[r][terms[r]++] = S[r];
    }
    for (int k = 0; k < nc; k++) {
      if (n->Hm[k * nz + r] == none) continue;
      KValue t = k_name(b, k_op2(b, OP_TIMES, Hm[k * nz + r], P[k]), step_name(p, arena_printf(a, "h%d_", k), r), NULL);
      sum = step_sub(p, sum, t);
      term[r][terms[r]++] = t;
    }
    R[r] = k_name(b, sum == K_NONE ? k_number(b, 0) : sum, step_name(p, "res", r), NULL);
  }
  for (int k = 0; k < nc; k++) R[nz + k] = k_name(b, u[k], step_name(p, "res", nz + k), NULL);

  // ---- does it stand? row by row, as most iterates fail at the first one ----
  KValue *known = ARENA_ARRAY(a, KValue, nz + 1);           // |z1| + |z|
  KValue kicked = K_NONE;
  int open = 1;
  k_if(b, k_op2(b, OP_LT, k_integer(b, 0), it));
  for (int j = 0; j < nz; j++) known[j] = K_NONE;
  for (int r = 0; r < nz; r++) {
    KValue sum = K_NONE, round = K_NONE;
    for (int k = 0; k < terms[r]; k++) sum = step_add(p, sum, step_abs(p, term[r][k]));
    for (int c = 0; c < nz; c++) {
      if (n->M[r * nz + c] == none) continue;
      round = step_add(p, round, k_op2(b, OP_TIMES, size_of_M[r * nz + c], known_of(n, c, Z1, before, known)));
    }
    scale[r] = k_name(b, sum == K_NONE ? k_number(b, 0) : sum, step_name(p, "scale", r), NULL);
    KValue most = k_op2(b, OP_TIMES, tolerance, scale[r]);
    if (round != K_NONE) most = k_op2(b, OP_PLUS, most, k_op2(b, OP_TIMES, k_number(b, 16 * DBL_EPSILON), round));
    k_if(b, k_op2(b, OP_LE, step_abs(p, R[r]), most));
    open++;
  }
  for (int k = 0; k < nc; k++) {
    KValue sum = K_NONE;
    for (int j = 0; j < nz; j++)
      if (n->H[k * nz + j] != none)
        sum = step_add(p, sum, k_op2(b, OP_TIMES, step_abs(p, H[k * nz + j]), known_of(n, j, Z1, before, known)));
    if (sum == K_NONE) continue;
    k_if(b, k_op2(b, OP_LE, step_abs(p, R[nz + k]), k_op2(b, OP_TIMES, tolerance, sum)));
    open++;
    if (n->constraint[k] == n->struck)                      // with a rate that the law does not make 0
      kicked = k_op2(b, OP_LT, k_op2(b, OP_TIMES, k_number(b, 1e-6), sum), step_abs(p, p->local[n->kick_at]));
  }
  {
    KValue stands = kicked;
    if (n->struck) stands = step_both(p, stands, k_op2(b, OP_LT, k_number(b, 0), P[nc - 1]));
    for (int j = 0; j < nz && nc > 0; j++) {               // velocities that may be at rest
      if (n->M[j * nz + j] == none) continue;
      KValue m = size_of_M[j * nz + j];
      KValue most = k_op2(b, OP_TIMES, k_number(b, 16 * DBL_EPSILON),
                          k_op2(b, OP_PLUS, scale[j], k_op2(b, OP_TIMES, m, before[j])));
      stands = step_both(p, stands, k_op2(b, OP_LT, most, k_op2(b, OP_TIMES, m, step_abs(p, Z1[j]))));
    }
    if (n->mass_moves) {
      KValue *S2 = ARENA_ARRAY(a, KValue, nq * nq + 1);
      for (int r = 0; r < nq; r++)
        for (int c = 0; c < nq; c++) S2[r * nq + c] = n->M[r * nz + c] == none ? K_NONE : M[r * nz + c];
      stands = step_both(p, stands, definite_unrolled(p, nq, S2));
    }
    if (stands != K_NONE) k_if(b, stands);
    KValue sum[2] = { K_NONE, K_NONE };
    for (int j = 0; j < nz; j++) {
      KValue d = k_name(b, k_op2(b, OP_MINUS, D[j], old[j]), step_name(p, "gd", j), NULL);
      KValue m = n->M[j * nz + j] == none ? k_number(b, 1) : M[j * nz + j];
      sum[0] = step_add(p, sum[0], k_op2(b, OP_TIMES, k_op2(b, OP_TIMES, m, D[j]), D[j]));
      sum[1] = step_add(p, sum[1], k_op2(b, OP_TIMES, k_op2(b, OP_TIMES, m, d), d));
    }
    for (int j = 0; j < 2; j++)
      k_set(b, off[j], k_op2(b, OP_PLUS, k_op2(b, OP_TIMES, k_number(b, 0.75), k_get(b, off[j])), sum[j]));
    for (int j = 0; j < nz; j++) k_set(b, gain[j], D[j]);
    for (int j = 0; j < nq; j++) k_set(b, q[j], Q1[j]);
    for (int j = 0; j < nz; j++) k_set(b, z[j], Z1[j]);
    for (int j = 0; j < nc - (n->struck != NULL); j++) k_set(b, pv[j], P[j]);
    step_pushed(p, turn->nstruck, turn->push, n->number, P[nc > 0 ? nc - 1 : 0], turn->strikes);
    if (n->struck) k_set(b, turn->solved, k_op2(b, OP_PLUS, k_get(b, turn->solved), k_double(b, it)));
    for (int j = 0; j < nz; j++) if (n->f[j] != none) k_set(b, fv[j], f[j]);
    k_set(b, count, k_op2(b, OP_PLUS, k_get(b, count), k_double(b, it)));
    k_set(b, ok, k_integer(b, 1));
    if (stands != K_NONE) k_close(b);
  }
  k_break(b);
  while (open-- > 0) k_close(b);
  KValue *jac = ARENA_ARRAY(a, KValue, n->nmore + 1), *W = ARENA_ARRAY(a, KValue, size * size + 1);
  step_values(p, n->left, n->nmore, jac);
  for (int r = 0; r < size * size; r++) W[r] = K_NONE;
  int names = 0;
  for (int r = 0; r < nz; r++)
    for (int c = 0; c < nz; c++)
      if (n->J[r * nz + c] != none) W[r * size + c] = k_name(b, jac[r * nz + c], step_name(p, "w", names++), NULL);
  for (int k = 0; k < nc; k++)
    for (int j = 0; j < nz; j++) {
      if (n->Hm[k * nz + j] != none)
        W[j * size + nz + k] = k_name(b, k_op1(b, OP_OPPOSITE, Hm[k * nz + j]), step_name(p, "w", names++), NULL);
      if (n->C[k * nz + j] != none)
        W[(nz + k) * size + j] = k_name(b, jac[nz * nz + k * nz + j], step_name(p, "w", names++), NULL);
    }
  KValue regular;
  Factors factors = factor_unrolled(p, p->suffix, size, nz, W, &regular);
  solve_unrolled(p, p->suffix, &factors, R);
  if (regular != K_NONE) {
    k_if(b, k_op1(b, OP_NOT, regular));
    k_break(b);
    k_close(b);
  }
  for (int j = 0; j < nz; j++) k_set(b, z1[j], k_op2(b, OP_MINUS, Z1[j], R[j]));
  for (int j = 0; j < nc; j++) k_set(b, p1[j], k_op2(b, OP_MINUS, P[j], R[nz + j]));
  k_close(b);
}

const Whole *whole_newton(Arena *a, Written *w) {
  if (w->plan->one_iteration || !written_by_impulses(w)) return NULL;
  Step step = step_open(a, w, "Whole steps by Newton's method, while no contact is closed."), *p = &step;
  Newton newton = { .p = p, .number = -1 }, *n = &newton;
  KBuilder *b = p->b;
  Pool *pool = w->pool;
  int nq = w->nq, nz = w->nz;
  collect(n, NULL);
  int nc = n->nc, size = nz + nc;
  int at_z = nq, at_p = nq + nz, at_gain = at_p + nc, at_off = at_gain + nz, at_reach = at_off + 2,
      at_count = at_reach + w->nrow;

  if (!factors_exist(a, size, nz, pattern_of(n))) return step_drop(p);
  Newton *strike = ARENA_ARRAY(a, Newton, STRUCK + 1);
  int nstruck = 0, at_struck[STRUCK] = { 0 };
  for (int j = 0; j < n->ncontact && nstruck < STRUCK && !w->located; j++) {
    Newton *m = &strike[nstruck];
    *m = (Newton){ .p = p, .number = nstruck };
    if (!can_be_struck(w, n->contact[j])) continue;
    collect(m, n->contact[j]);
    at_struck[nstruck] = j;
    nstruck += factors_exist(a, m->size, nz, pattern_of(m));
  }

  // ---- constants, expressions ----
  KValue h = p->h = step_scalar(p, WHOLE_STEP), theta = step_scalar(p, WHOLE_THETA);
  step_scalar(p, WHOLE_START);
  KValue tolerance = step_scalar(p, WHOLE_TOLERANCE);
  KValue rest = k_name(b, k_op2(b, OP_MINUS, k_number(b, 1), theta), "rest", NULL);
  KValue ht = k_name(b, k_op2(b, OP_TIMES, h, theta), "ht", NULL), he = k_name(b, k_op2(b, OP_TIMES, h, rest), "he",
      NULL);
  KValue half = k_name(b, k_op2(b, OP_TIMES, k_number(b, 0.5), h), "half", NULL);
  KValue chain = k_name(b, k_op2(b, OP_TIMES, theta, ht), "chain", NULL);
  n->ht = step_local(p, ht);
  n->chain = step_local(p, chain);
  Ex th = step_local(p, theta), *inc = ARENA_ARRAY(a, Ex, nz + 1), *impulse = ARENA_ARRAY(a, Ex, nc + 2);
  int *inc_at = ARENA_ARRAY(a, int, nz + 1), *impulse_at = ARENA_ARRAY(a, int, nc + 2);
  for (int i = 0; i < nz; i++) { inc_at[i] = w->nlocal; inc[i] = step_local(p, K_NONE); }
  for (int i = 0; i <= nc; i++) { impulse_at[i] = w->nlocal; impulse[i] = step_local(p, K_NONE); }
  expressions(n, th, inc, impulse);
  Ex *bounce = ARENA_ARRAY(a, Ex, STRUCK);                  // restitution
  for (int k = 0; k < nstruck; k++) {
    const Instance *at = strike[k].struck;
    strike[k].ht = n->ht;
    strike[k].chain = n->chain;
    expressions(&strike[k], th, inc, impulse);
    bounce[k] = ex_sym(pool, written_symbol(w, ROLE_CONSTANT, AT_END, written_constant(w, at, at->pc->e_num)));
  }
  step_constants(p, bounce, nstruck);
  Ex *gaps = ARENA_ARRAY(a, Ex, 2 * n->ncontact + 1);
  for (int i = 0; i < n->ncontact; i++)
    for (int k = 0; k < 2; k++)
      gaps[2 * i + k] = written(w, n->contact[i], n->contact[i]->pc->kernel[KERNEL_GAP].value[k]);
  step_constants(p, gaps, 2 * n->ncontact);

  // ---- state ----
  KValue *q = step_variables(p, "q", nq, 0), *z = step_variables(p, "z", nz, at_z),
         *pv = step_variables(p, "p", nc, at_p),
         *gain = step_variables(p, "gain", nz, at_gain), *off = step_variables(p, "off", 2, at_off);
  KValue count = k_variable(b, "count", k_at_number(b, p->s, at_count)), *reach = ARENA_ARRAY(a, KValue, n->ncontact +
      1);
  for (int i = 0; i < n->ncontact; i++)
    reach[i] = k_name(b, k_at_number(b, p->s, at_reach + n->contact[i]->row), step_name(p, "reach", i), NULL);
  KValue *z1 = ARENA_ARRAY(a, KValue, nz + 1), *p1 = ARENA_ARRAY(a, KValue, nc + 2), *fv = ARENA_ARRAY(a, KValue, nz +
      1);
  for (int i = 0; i < nz; i++) z1[i] = k_variable(b, step_name(p, "zi", i), k_number(b, 0));
  for (int i = 0; i < nc + (nstruck > 0); i++) p1[i] = k_variable(b, step_name(p, "pi", i), k_number(b, 0));
  int at_push = at_count + 1;
  KValue *push = step_variables(p, "push", nstruck, at_push), *row = ARENA_ARRAY(a, KValue, 2 * n->ncontact + 1),
         hit = nstruck ? k_variable(b, "hit", k_integer(b, 0)) : K_NONE, strikes = K_NONE, solved = K_NONE;
  if (nstruck) {
    strikes = k_variable(b, "strikes", k_number(b, 0));
    solved = k_variable(b, "solved", k_number(b, 0));
  }
  KValue *Q = step_gotten(p, "qa", nq, q), *Z = step_gotten(p, "za", nz, z);
  step_use(p, AT_END, Q, Z);
  p->t = k_name(b, step_time(p, k_integer(b, 0), 0), "tb", NULL);
  step_values(p, n->f, nz, fv);
  for (int i = 0; i < nz; i++) fv[i] = k_variable(b, step_name(p, "force", i), fv[i]);
  KValue done = k_variable(b, "done", k_integer(b, 0)), ok = k_variable(b, "ok", k_integer(b, 0));

  KValue i = k_loop(b, "i", k_integer(b, 0), p->n);
  Q = step_gotten(p, "qk", nq, q);
  Z = step_gotten(p, "zk", nz, z);
  step_use(p, AT_END, Q, Z);
  if (n->ncontact) {
    KValue *x = ARENA_ARRAY(a, KValue, n->ncontact + 1), *sure = ARENA_ARRAY(a, KValue, n->ncontact + 1);
    p->t = k_name(b, step_time(p, i, 0), "t", NULL);
    step_values(p, gaps, 2 * n->ncontact, row);
    for (int j = 0; j < n->ncontact; j++) {
      x[j] = k_op2(b, OP_PLUS, row[2 * j], k_op2(b, OP_TIMES, half, row[2 * j + 1]));
      if (nstruck) k_name(b, x[j], step_name(p, "near", j), NULL);
      sure[j] = step_open_for_sure(p, reach[j], row[2 * j], row[2 * j + 1], x[j]);
    }
    if (nstruck) k_set(b, hit, k_integer(b, 0));
    step_struck(p, n->ncontact, x, sure, reach, at_struck, nstruck, hit);
  }
  KValue *S = ARENA_ARRAY(a, KValue, nz + 1), *old = step_gotten(p, "go", nz, gain);
  for (int j = 0; j < nz; j++) S[j] = k_name(b, k_op2(b, OP_TIMES, he, k_get(b, fv[j])), step_name(p, "sk", j), NULL);
  KValue moving = k_name(b, k_double(b, k_op2(b, OP_LT, k_get(b, off[1]), k_get(b, off[0]))), "moving", NULL);
  for (int j = 0; j < nz; j++)
    k_set(b, z1[j], k_op2(b, OP_PLUS, Z[j], k_op2(b, OP_TIMES, moving, old[j])));
  for (int j = 0; j < nc; j++) k_set(b, p1[j], k_get(b, pv[j]));
  p->t = k_name(b, step_time(p, i, 1), "tnext", NULL);
  p->t0 = k_name(b, k_op2(b, OP_MINUS, p->t, he), "tm", NULL);
  k_set(b, ok, k_integer(b, 0));

  // ---- iteration, and what stays the same in it ----
  KValue *part = ARENA_ARRAY(a, KValue, nq + 1), *share = ARENA_ARRAY(a, KValue, nq + 1),
         *before = ARENA_ARRAY(a, KValue, nz + 1);
  for (int j = 0; j < nq; j++) {
    part[j] = k_name(b, k_op2(b, OP_TIMES, he, Z[j]), step_name(p, "part", j), NULL);
    share[j] = k_name(b, k_op2(b, OP_TIMES, rest, Q[j]), step_name(p, "share", j), NULL);
  }
  for (int j = 0; j < nz; j++) before[j] = k_name(b, step_abs(p, Z[j]), step_name(p, "before", j), NULL);
  Turn turn = { .tolerance = tolerance, .theta = theta, .rest = rest, .ht = ht, .i = i, .q = q, .z = z, .pv = pv,
                .gain = gain, .off = off, .count = count, .z1 = z1, .p1 = p1, .fv = fv, .ok = ok, .Q = Q, .Z = Z,
                .S = S, .old = old, .part = part, .share = share, .before = before, .inc_at = inc_at,
                .impulse_at = impulse_at, .nstruck = nstruck, .push = push, .strikes = strikes, .solved = solved };
  if (nstruck) k_if(b, k_op2(b, OP_EQ, k_get(b, hit), k_integer(b, 0)));
  iterate(n, &turn);
  for (int k = 0; k < nstruck; k++) {
    Newton *m = &strike[k];
    k_else(b);
    if (k + 1 < nstruck) k_if(b, k_op2(b, OP_EQ, k_get(b, hit), k_integer(b, k + 1)));
    p->suffix = arena_printf(a, "%c", 'a' + k);
    KValue e = p->constant[written_role(w, ex_symbol(pool, bounce[k])).index];
    for (int j = 0; j < n->ncontact; j++)
      if (n->contact[j] == m->struck)
        p->local[m->kick_at] = k_name(b, k_op2(b, OP_TIMES, e, row[2 * j + 1]), step_name(p, "kick", j), NULL);
    k_set(b, p1[nc], k_get(b, push[k]));
    iterate(m, &turn);
    p->suffix = "";
  }
  for (int k = 0; k < nstruck; k++) k_close(b);

  k_if(b, k_op2(b, OP_EQ, k_get(b, ok), k_integer(b, 0)));
  k_break(b);
  k_close(b);
  k_set(b, done, k_op2(b, OP_PLUS, i, k_integer(b, 1)));
  k_close(b);
  step_store(p, 0, nq, q);
  step_store(p, at_z, nz, z);
  step_store(p, at_p, nc, pv);
  step_store(p, at_gain, nz, gain);
  step_store(p, at_off, 2, off);
  step_store(p, at_count, 1, &count);
  step_store(p, at_push, nstruck, push);
  step_store(p, at_push + nstruck, nstruck > 0, &strikes);
  step_store(p, at_push + nstruck + 1, nstruck > 0, &solved);
  Whole *o = step_close(p, WHOLE_NEWTON, done);
  o->nstruck = nstruck;
  for (int k = 0; k < nstruck; k++) o->struck[k] = strike[k].struck->row;
  return o;
}
