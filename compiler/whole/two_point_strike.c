// A contact that is closed alone when a step of `consistent` begins (docs/numerics/consistent.md (1)): with the
// constraints s, and X = M(q_B)^-1 H^T of all these rows,
//
//   u_C = u_B + X L,   (H X) L = -(rate_s, rate + e rate_B),   0 < L of the contact,                              (1)
//
// where its gap shrinks; where it grows, u_C = u_B. Rates are refined in twice the working precision, as
// runtime/schemes/step_consistent.c does: of an elastic impact the energy is off by half of impulse times rate. (1) is
// then checked row by row. The motion begins with u_C and has no force of the contact: its gap must grow in the step.
// A rate that the law makes 0, a velocity at rest, a gap that does not grow: the generic step.
#include <float.h>
#include "two_point.h"

static const double is_motion = 1e-6;                      // of the terms of a rate

// The contact at hand, and the rows of (1): constraints, then the contact. H, X [n, nq]; L, goal [n].
typedef struct Strike { const Motion *m; int n; KValue *H, *X, *L, e, before, kick; Factors factors; } Strike;

static KValue plus(const Motion *m, KValue x, KValue y) { return motion_plus(m, x, y); }
static KValue minus(const Motion *m, KValue x, KValue y) { return motion_minus(m, x, y); }
static KValue times(const Motion *m, KValue x, KValue y) { return motion_times(m, x, y); }
static KValue name(const Motion *m, KValue v, const char *what, int i) { return motion_name(m, v, what, i); }
static KValue absolute(const Motion *m, KValue x) { return step_abs(m->p, x); }
static bool none(const Motion *m, Ex e) { return e == ex_num(m->p->w->pool, 0); }
static KValue is_hit(const Motion *m, int k) {
  return k_op2(m->p->b, OP_EQ, k_get(m->p->b, m->hit), k_integer(m->p->b, k + 1));
}
KValue motion_hit(const Motion *m) {
  return k_op1(m->p->b, OP_NOT, k_op2(m->p->b, OP_EQ, k_get(m->p->b, m->hit), k_integer(m->p->b, 0)));
}

static void end_loop_unless(const Motion *m, KValue condition) {
  k_if(m->p->b, k_op1(m->p->b, OP_NOT, condition));
  k_break(m->p->b);
  k_close(m->p->b);
}

// ---- which contacts -------------------------------------------------------------------------------------------------
// H at the begin and where the contact acts along, of every contact that can be struck.
static void add_directions(Motion *m, int k) {
  Written *w = m->p->w;
  const Instance *at = m->contact[m->struck[k]];
  const PlanClass *pc = at->pc;
  const Kernel *dg = &pc->kernel[KERNEL_DG], *h = &pc->kernel[KERNEL_H];
  for (int e = 0; e < h->n; e++) {
    int col = k * m->nq + written_z(w, at, pc->c->h.at[e].col);
    m->hit_H[col] = ex_add(w->pool, m->hit_H[col], written(w, at, h->value[e]));
    m->hit_dg[col] = ex_add(w->pool, m->hit_dg[col], written(w, at, dg->n ? dg->value[e] : h->value[e]));
  }
  m->hit_e[k] = ex_sym(w->pool, written_symbol(w, ROLE_CONSTANT, AT_END, written_constant(w, at, pc->e_num)));
}

// H X of the rows of (1) for any of these contacts.
static bool fits(const Motion *m) {
  int nq = m->nq, n = m->ns + 1;
  bool *pattern = ARENA_ARRAY(m->p->arena, bool, n * n + 1);
  for (int i = 0; i < n * n; i++) pattern[i] = true;
  for (int i = 0; i < m->ns; i++)
    for (int j = 0; j < m->ns; j++) {
      pattern[i * n + j] = false;
      for (int z = 0; z < nq; z++) pattern[i * n + j] |= !none(m, m->H[i * nq + z]) && m->has_P[j * nq + z];
    }
  return factors_exist(m->p->arena, n, n, pattern);
}

void motion_strikes(Motion *m) {
  Written *w = m->p->w;
  if (w->located || w->plan->scheme->one_step || !fits(m)) return;
  for (int j = 0; j < m->ncontact && m->nstruck < WHOLE_STRUCK; j++)
    if (written_rebounds(w, m->contact[j])) m->struck[m->nstruck++] = j;
  m->hit_H = written_zeros(w, m->nstruck * m->nq);
  m->hit_dg = written_zeros(w, m->nstruck * m->nq);
  m->hit_e = written_zeros(w, m->nstruck);
  for (int k = 0; k < m->nstruck; k++) add_directions(m, k);
  step_constants(m->p, m->hit_H, m->nstruck * m->nq);
  step_constants(m->p, m->hit_dg, m->nstruck * m->nq);
  step_constants(m->p, m->hit_e, m->nstruck);
}

// ---- what the loop keeps --------------------------------------------------------------------------------------------
// s from `at` on: for each contact the step in which it was last closed (-1: the one before this call), and its
// losses; impulse, those of constraints; strikes, problems solved
int motion_struck_open(Motion *m, int at) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int n = m->nstruck, ns = m->ns;
  if (n == 0) return at;
  m->hit = k_variable(b, "hit", k_integer(b, 0));
  m->hit_at = step_variables(p, "closed", n, at);
  m->lost = step_variables(p, "lost", n, at + n);
  m->push = step_variables(p, "push", 1 + ns, at + 2 * n);
  m->strikes = step_variables(p, "strikes", 2, at + 2 * n + 1 + ns);
  m->new_push = ARENA_ARRAY(p->arena, KValue, ns + 2);
  for (int k = 0; k <= ns; k++) m->new_push[k] = k_variable(b, step_name(p, "jump", k), k_number(b, 0));
  m->loss = k_variable(b, "loss", k_number(b, 0));
  m->saved = ARENA_ARRAY(p->arena, KValue, 2 * m->nq + 1);
  for (int j = 0; j < 2 * m->nq; j++) m->saved[j] = k_variable(b, step_name(p, "saved", j), k_number(b, 0));
  return at + 2 * n + 3 + ns;
}

// After the loop: a step that was not done has the velocities of its begin.
void motion_struck_close(const Motion *m, int at) {
  Step *p = m->p;
  int n = m->nstruck;
  if (n == 0) return;
  k_if(p->b, motion_hit(m));
  for (int j = 0; j < m->nq; j++) {
    k_set(p->b, m->u[j], k_get(p->b, m->saved[j]));
    k_set(p->b, m->u_low[j], k_get(p->b, m->saved[m->nq + j]));
  }
  k_close(p->b);
  step_store(p, at, n, m->hit_at);
  step_store(p, at + n, n, m->lost);
  step_store(p, at + 2 * n, 1 + m->ns, m->push);
  step_store(p, at + 2 * n + 1 + m->ns, 2, m->strikes);
}

// ---- (1) ------------------------------------------------------------------------------------------------------------
// One value of the contact at hand: [nstruck] expressions, `step` apart.
static KValue of_contact(const Motion *m, const Ex *e, int step, const char *what, int i) {
  KBuilder *b = m->p->b;
  KValue v = K_NONE, x;
  bool any = false;
  for (int k = 0; k < m->nstruck; k++) any |= !none(m, e[k * step]);
  if (!any) return K_NONE;
  if (m->nstruck == 1) {
    step_values(m->p, e, 1, &x);
    return k_node(b, x)->name || k_node(b, x)->code == KN_NUMBER ? x : name(m, x, what, i);
  }
  v = k_variable(b, step_name(m->p, what, i), k_number(b, 0));
  for (int k = 0; k < m->nstruck; k++) {
    if (none(m, e[k * step])) continue;
    k_if(b, is_hit(m, k));
    step_values(m->p, e + k * step, 1, &x);
    k_set(b, v, x);
    k_close(b);
  }
  return k_get(b, v);
}

static Factors mass_at_begin(const Motion *m) {
  int nq = m->nq;
  KValue *M = motion_values(m, nq * nq), regular;
  if (!m->mass_moves) return m->mass_factors;
  step_values(m->p, m->M, nq * nq, M);
  for (int j = 0; j < nq * nq; j++) M[j] = m->mass_pattern[j] ? name(m, M[j], "mb", j) : K_NONE;
  Factors f = factor_unrolled(m->p, "mh", nq, nq, M, &regular);
  if (regular != K_NONE) end_loop_unless(m, regular);
  return f;
}

static KValue product(const Strike *s, const KValue *x, const KValue *y) {
  KValue sum = K_NONE;
  for (int j = 0; j < s->m->nq; j++)
    if (x[j] != K_NONE && y[j] != K_NONE) sum = step_add(s->m->p, sum, times(s->m, x[j], y[j]));
  return sum;
}

static void rows(Strike *s, const KValue *begin) {
  const Motion *m = s->m;
  int nq = m->nq, ns = m->ns, n = s->n;
  KValue *G = motion_values(m, n * n), good;
  for (int i = 0; i < ns * nq; i++) {
    if (!none(m, m->H[i])) s->H[i] = begin[m->at_H + i];
    s->X[i] = m->P[i];
  }
  Factors mass = mass_at_begin(m);
  for (int j = 0; j < nq; j++) s->X[ns * nq + j] = s->H[ns * nq + j];
  solve_unrolled(m->p, "ph", &mass, s->X + ns * nq);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      KValue g = product(s, s->H + i * nq, s->X + j * nq);
      if (g == K_NONE && (i == ns || j == ns)) g = k_number(m->p->b, 0);
      G[i * n + j] = g == K_NONE ? g : name(m, g, "hx", i * n + j);
    }
  s->factors = factor_unrolled(m->p, "g", n, n, G, &good);
  if (good != K_NONE) end_loop_unless(m, good);
}

// (high, low) += x y, runtime/schemes/twofold.h
static void add_product(const Motion *m, KValue *high, KValue *low, KValue x, KValue y, const char *tag) {
  KValue split = k_number(m->p->b, 134217729.0), v[2] = { x, y }, top[2], rest[2];
  for (int i = 0; i < 2; i++) {
    KValue c = name(m, times(m, split, v[i]), tag, i);
    top[i] = name(m, minus(m, c, minus(m, c, v[i])), tag, 2 + i);
    rest[i] = name(m, minus(m, v[i], top[i]), tag, 4 + i);
  }
  KValue p = name(m, times(m, x, y), tag, 6), left = minus(m, p, times(m, top[0], top[1]));
  left = minus(m, minus(m, left, times(m, rest[0], top[1])), times(m, top[0], rest[1]));
  KValue lost = minus(m, times(m, rest[0], rest[1]), left);
  if (*high == K_NONE) { *high = p; *low = name(m, lost, tag, 7); return; }
  KValue sum = name(m, plus(m, *high, p), tag, 8), t = name(m, minus(m, sum, *high), tag, 9);
  KValue gone = plus(m, minus(m, *high, minus(m, sum, t)), minus(m, p, t));
  *low = name(m, plus(m, *low, plus(m, gone, lost)), tag, 10);
  *high = sum;
}

// What is left of the rates that must vanish, at uc + low.
static void rates_left(const Strike *s, const KValue *uc, const KValue *low, KValue *left) {
  const Motion *m = s->m;
  Arena *a = m->p->arena;
  for (int k = 0; k < s->n; k++) {
    KValue sum = K_NONE, rest = K_NONE, small = K_NONE;
    for (int j = 0; j < m->nq; j++) {
      KValue h = s->H[k * m->nq + j];
      if (h == K_NONE) continue;
      add_product(m, &sum, &rest, h, uc[j], arena_printf(a, "y%d_%d_", k, j));
      small = step_add(m->p, small, times(m, h, low[j]));
      if (k < m->ns) continue;
      KValue by_e = name(m, times(m, s->e, h), "eh", j);
      add_product(m, &sum, &rest, by_e, m->UB[j], arena_printf(a, "x%d_", j));
      small = step_add(m->p, small, times(m, by_e, m->UL[j]));
    }
    left[k] = name(m, plus(m, sum, plus(m, rest, small)), "left", k);
  }
}

// u and low + X L.
static void move(const Strike *s, const KValue *L, const KValue *u, const KValue *low, const char *tag, KValue *to) {
  const Motion *m = s->m;
  for (int j = 0; j < m->nq; j++) {
    KValue d = low[j];
    for (int k = 0; k < s->n; k++)
      if (s->X[k * m->nq + j] != K_NONE) d = plus(m, d, times(m, s->X[k * m->nq + j], L[k]));
    d = name(m, d, arena_printf(m->p->arena, "%sd", tag), j);
    KValue sum = name(m, plus(m, u[j], d), tag, j),
           t = name(m, minus(m, sum, u[j]), arena_printf(m->p->arena, "%st", tag), j);
    to[j] = sum;
    to[m->nq + j] = name(m, plus(m, minus(m, u[j], minus(m, sum, t)), minus(m, d, t)),
                         arena_printf(m->p->arena, "%sl", tag), j);
  }
}

// Of every row of M (u_C - u_B) = H^T L, and of every rate; the contact presses; no velocity came to rest.
static void check(const Strike *s, const KValue *M, const KValue *uc) {
  const Motion *m = s->m;
  Step *p = m->p;
  KBuilder *b = p->b;
  int nq = m->nq, n = s->n;
  KValue good = k_op2(b, OP_LT, k_number(b, 0), s->L[n - 1]);
  for (int i = 0; i < nq; i++) {
    KValue sum = K_NONE, size = K_NONE, push = K_NONE;
    for (int j = 0; j < nq; j++) {
      if (M[i * nq + j] == K_NONE) continue;
      KValue d = plus(m, minus(m, uc[j], m->UB[j]), minus(m, uc[nq + j], m->UL[j]));
      sum = step_add(p, sum, times(m, M[i * nq + j], d));
      KValue speed = plus(m, absolute(m, uc[j]), absolute(m, m->UB[j]));
      size = step_add(p, size, times(m, absolute(m, M[i * nq + j]), speed));
    }
    for (int k = 0; k < n; k++) {
      if (s->H[k * nq + i] != K_NONE) {
        KValue f = name(m, times(m, s->H[k * nq + i], s->L[k]), "hf", k * nq + i);
        sum = step_sub(p, sum, f);
        size = step_add(p, size, absolute(m, f));
      }
      if (s->X[k * nq + i] != K_NONE) push = step_add(p, push, absolute(m, times(m, s->X[k * nq + i], s->L[k])));
    }
    if (sum != K_NONE) good = step_both(p, good, k_op2(b, OP_LE, absolute(m, sum), times(m, m->tolerance, size)));
    if (push == K_NONE) continue;
    KValue noise = times(m, k_number(b, 16 * DBL_EPSILON), plus(m, push, absolute(m, m->UB[i])));
    good = step_both(p, good, k_op2(b, OP_LT, noise, absolute(m, uc[i])));
  }
  for (int k = 0; k < n; k++) {
    KValue sum = k + 1 == n ? s->kick : K_NONE, size = K_NONE;
    for (int j = 0; j < nq; j++) {
      KValue h = s->H[k * nq + j];
      if (h == K_NONE) continue;
      sum = step_add(p, sum, times(m, h, uc[j]));
      size = step_add(p, size, times(m, absolute(m, h), plus(m, absolute(m, uc[j]), absolute(m, m->UB[j]))));
    }
    if (size != K_NONE) good = step_both(p, good, k_op2(b, OP_LE, absolute(m, sum), times(m, m->tolerance, size)));
  }
  end_loop_unless(m, good);
}

static void solve(Strike *s, const KValue *begin) {
  const Motion *m = s->m;
  Step *p = m->p;
  KBuilder *b = p->b;
  int nq = m->nq, n = s->n;
  KValue *uc = motion_values(m, 2 * nq), *end = motion_values(m, 2 * nq), *M = motion_values(m, nq * nq),
         *left = motion_values(m, n);
  rows(s, begin);
  for (int k = 0; k < n; k++) {
    KValue rate = k < m->ns ? product(s, s->H + k * nq, m->UB) : plus(m, s->before, s->kick);
    s->L[k] = k_op1(b, OP_OPPOSITE, name(m, rate == K_NONE ? k_number(b, 0) : rate, "goal", k));
  }
  solve_unrolled(p, "l", &s->factors, s->L);
  for (int k = 0; k < n; k++) s->L[k] = name(m, s->L[k], "first", k);
  move(s, s->L, m->UB, m->UL, "uc", uc);
  rates_left(s, uc, uc + nq, left);
  for (int k = 0; k < n; k++) left[k] = k_op1(b, OP_OPPOSITE, left[k]);
  solve_unrolled(p, "lr", &s->factors, left);
  for (int k = 0; k < n; k++) left[k] = name(m, left[k], "more", k);
  move(s, left, uc, uc + nq, "ur", end);
  for (int k = 0; k < n; k++) s->L[k] = name(m, plus(m, s->L[k], left[k]), "impulse", k);
  step_values(p, m->M, nq * nq, M);
  for (int j = 0; j < nq * nq; j++) if (!m->mass_pattern[j]) M[j] = K_NONE;
  check(s, M, end);
  for (int j = 0; j < nq; j++) {
    k_set(b, m->u[j], end[j]);
    k_set(b, m->u_low[j], end[nq + j]);
  }
}

// Within the step, after its values at the begin: where a contact is closed, u_C in place of u_B.
void motion_strike(const Motion *m, const KValue *begin) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nq = m->nq, n = m->ns + 1;
  KValue size = k_number(b, 0);
  Strike strike = { .m = m, .n = n, .H = motion_values(m, n * nq), .X = motion_values(m, n * nq),
                    .L = motion_values(m, n) }, *s = &strike;
  k_if(b, motion_hit(m));
  for (int j = 0; j < nq; j++) {
    k_set(b, m->saved[j], m->UB[j]);
    k_set(b, m->saved[nq + j], m->UL[j]);
  }
  for (int k = 0; k < n; k++) k_set(b, m->new_push[k], k_number(b, 0));
  k_set(b, m->loss, k_number(b, 0));
  KValue *H = s->H + m->ns * nq;
  for (int j = 0; j < nq; j++) H[j] = of_contact(m, m->hit_H + j, nq, "hn", j);
  for (int j = 0; j < nq; j++)
    if (H[j] != K_NONE) size = plus(m, size, absolute(m, times(m, H[j], m->UB[j])));
  s->e = of_contact(m, m->hit_e, 1, "eh", nq);
  s->before = name(m, product(s, H, m->UB), "ratebegin", 0);
  s->kick = name(m, times(m, s->e, s->before), "kick", 0);
  end_loop_unless(m, k_op2(b, OP_LT, times(m, k_number(b, is_motion), size), absolute(m, s->kick)));
  k_if(b, k_op2(b, OP_LT, s->before, k_number(b, 0)));
  solve(s, begin);
  for (int k = 0; k < n; k++) k_set(b, m->new_push[k], s->L[k == 0 ? m->ns : k - 1]);
  KValue half = times(m, k_number(b, -0.5), s->L[m->ns]);
  k_set(b, m->loss, times(m, half, minus(m, s->before, s->kick)));
  k_close(b);
  k_close(b);
}

// At the end of a step, before anything of it is kept: the gap has grown; then what is kept.
void motion_struck(const Motion *m, const Ending *end, KValue i) {
  Step *p = m->p;
  KBuilder *b = p->b;
  KValue *dg = motion_values(m, m->nq);
  if (m->nstruck == 0) return;
  k_if(b, motion_hit(m));
  for (int k = 0; k < m->nstruck; k++) {
    KValue grows = K_NONE;
    k_if(b, is_hit(m, k));
    step_values(p, m->hit_dg + k * m->nq, m->nq, dg);
    for (int j = 0; j < m->nq; j++)
      if (!none(m, m->hit_dg[k * m->nq + j])) grows = step_add(p, grows, times(m, dg[j], end->dq[j]));
    end_loop_unless(m, k_op2(b, OP_LT, k_number(b, 0), grows));
    KValue pushed = k_op2(b, OP_LT, k_number(b, 0), k_get(b, m->new_push[0]));
    KValue last = k_op2(b, OP_MINUS, k_double(b, i), k_number(b, 1));
    KValue fresh = k_op2(b, OP_AND, pushed, k_op1(b, OP_NOT, k_op2(b, OP_EQ, k_get(b, m->hit_at[k]), last)));
    k_set(b, m->strikes[0], plus(m, k_get(b, m->strikes[0]), k_double(b, fresh)));
    k_set(b, m->strikes[1], plus(m, k_get(b, m->strikes[1]), k_double(b, pushed)));
    k_set(b, m->lost[k], plus(m, k_get(b, m->lost[k]), k_get(b, m->loss)));
    k_set(b, m->hit_at[k], k_double(b, i));
    k_close(b);
  }
  for (int k = 0; k <= m->ns; k++) k_set(b, m->push[k], k_get(b, m->new_push[k]));
  k_close(b);
}
