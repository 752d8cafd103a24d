// Rows that act in a whole step of a linear model (docs/numerics/whole-steps.md, section 3).
//
// For each set of active rows, and each way in which they act (an interval's row is basic or at a bound; a contact with
// friction is open, sticks, slides), the forces are affine in q of (1) of one-step-problem.md,
//
//   lambda = L q + l0,   basic rows: u = M lambda + q = 0                                                         (1)
//
// so a *map* (L, l0) is kept for each that was met. A step tries the map of the step before; where that does not hold,
// the generic step's solvers say how the rows act. What a map proposes is checked in the problem itself: with u = M
// lambda + q and U = |M||lambda| + |q|,
//
//   interval:  |u_i| <= 8 eps U_i, lo <= lambda_i <= hi;   or lambda_i = lo, u_i > 0;   or lambda_i = hi, u_i < 0
//   friction:  open: lambda = 0, u_N >= 0;   stick: |u_N|, |u_T| <= 8 eps U, |lambda_T| <= mu lambda_N;
//              slip: |u_N| <= 8 eps U, |lambda_T| = mu lambda_N (to 4 eps), lambda_T u_T <= 0                     (2)
//
// which is what the verifier (cone/residual.c) accepts at the first look, or stricter. That q explains lambda, its
// second look, holds for each answer of a map whose basis is well conditioned, | |G^-1| |G| | <= 30: |lambda| is then
// at most 30 times what q and the bounds ask for. A map that is not so is not kept.
#include "whole.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double rounds = 8 * DBL_EPSILON, lasting = 16 * DBL_EPSILON, cancels = 16 * DBL_EPSILON,
                    refines = 4 * DBL_EPSILON, inside = 1 - 1e-6, conditioned = 30;
static const double strict = 1e-9;       // of its terms: what is certainly not 0
enum { REFINEMENTS = 3 };

// ---- maps -----------------------------------------------------------------------------------------------------------
double sim_whole_coupling(const nsm_sim *s, int row, int col) {
  const sim_rows *r = &s->n.r;
  int at = r->at_row[row], with = r->at_row[col];
  for (int e = r->m0[at]; e < r->m0[at + 1]; e++) if (r->mc[e] == with) return r->m[e];
  return 0;
}

double sim_whole_x(const nsm_sim *s, int z, int row) {
  const sim_rows *r = &s->n.r;
  for (int e = r->x0[row]; e < r->x0[row + 1]; e++) if (r->xz[e] == z) return r->x[e];
  return 0;
}

// Inverts A [n, n] by rows into B, with pivoting; 0 where it is singular.
static int invert(int n, const double *A, double *B) {
  double T[WHOLE_ROWS * 2 * WHOLE_ROWS];
  int w = 2 * n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) { T[i * w + j] = A[i * n + j]; T[i * w + n + j] = i == j; }
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) if (fabs(T[i * w + k]) > fabs(T[p * w + k])) p = i;
    if (T[p * w + k] == 0) return 0;
    for (int j = 0; j < w && p != k; j++) { double t = T[k * w + j]; T[k * w + j] = T[p * w + j]; T[p * w + j] = t; }
    double d = 1 / T[k * w + k];
    for (int j = 0; j < w; j++) T[k * w + j] *= d;
    for (int i = 0; i < n; i++) {
      double f = T[i * w + k];
      for (int j = 0; i != k && f != 0 && j < w; j++) T[i * w + j] -= f * T[k * w + j];
    }
  }
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[i * n + j] = T[i * w + n + j];
  return 1;
}

static double condition(int n, const double *G, const double *inverse) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) sum += fabs(inverse[i * n + k]) * fabs(G[k * n + j]);
    most = sum > most ? sum : most;
  }
  return most;
}

// The friction of a contact that is one block of two rows: its direction; -1 for none.
static int direction_of(const nsm_sim *s, int row) {
  int f = s->n.r.nfriction > 0 ? s->n.r.friction_of[row] : -1;
  return f < 0 || s->n.r.friction[f].normals == 0 ? -1 : s->n.r.friction[f].row[0];
}

// Bounds of a row. Friction under a given force is an interval: its impulse is h times that at most.
static void bounds_of(const nsm_sim *s, int row, double *lo, double *hi) {
  const sim_rows *r = &s->n.r;
  const sim_friction *f = r->nfriction > 0 && r->friction_of[row] >= 0 ? &r->friction[r->friction_of[row]] : NULL;
  *lo = f && f->normals == 0 ? -s->n.h * f->radius : r->lo[row];
  *hi = f && f->normals == 0 ? s->n.h * f->radius : r->hi[row];
}

// How the rows act in the generic step's answer. 0 where a row has no clear case.
static int cases(const nsm_sim *s, sim_whole_map *k) {
  const sim_islands *is = &s->n.isl;
  for (int i = 0; i < k->m; i++) {
    double l = is->lambda[i], u = is->u[i];
    int row = k->row[i], tangent = direction_of(s, row);
    if (tangent >= 0) {
      const sim_friction *f = &s->n.r.friction[s->n.r.friction_of[row]];
      double t = is->lambda[i + 1];
      if (i + 1 >= k->m || k->row[i + 1] != tangent) return 0;
      k->mu[i] = f->mu;
      k->act[i] = l == 0 && t == 0 ? WHOLE_OPEN
                  : fabs(t) < f->mu * l * inside ? WHOLE_STICK : t > 0 ? WHOLE_UP : WHOLE_DOWN;
      k->act[++i] = WHOLE_TANGENT;
      continue;
    }
    k->act[i] = l > k->lo[i] && l < k->hi[i] ? WHOLE_BASIC : l == k->lo[i] && u >= 0 ? WHOLE_LOW : WHOLE_HIGH;
    if (k->act[i] == WHOLE_HIGH && l != k->hi[i]) k->act[i] = WHOLE_BASIC;
  }
  return 1;
}

// (1): G y = -(q + M l0) in the rows R whose u vanishes; lambda = P y + l0, column c of P is row C[c] with its
// friction.
static int solve_case(sim_whole_map *k) {
  int m = k->m, n = 0, R[WHOLE_ROWS], C[WHOLE_ROWS], zeros = 0, Z[WHOLE_ROWS];
  double slope[WHOLE_ROWS], G[WHOLE_ROWS * WHOLE_ROWS], inverse[WHOLE_ROWS * WHOLE_ROWS];
  for (int i = 0; i < m; i++) {
    k->l0[i] = k->act[i] == WHOLE_LOW ? k->lo[i] : k->act[i] == WHOLE_HIGH ? k->hi[i] : 0;
    int slips = k->act[i] == WHOLE_UP || k->act[i] == WHOLE_DOWN;
    if (k->act[i] == WHOLE_BASIC || k->act[i] == WHOLE_STICK || slips) {
      slope[n] = slips ? k->act[i] == WHOLE_UP ? k->mu[i] : -k->mu[i] : 0;
      R[n] = C[n] = i;
      n++;
      if (k->contact[i]) Z[zeros++] = i;
    }
    if (k->act[i] == WHOLE_STICK) {
      slope[n] = 0;
      R[n] = C[n] = i + 1;
      n++;
      Z[zeros++] = i + 1;
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      G[i * n + j] = k->M[R[i] + C[j] * m];
      if (slope[j] != 0) G[i * n + j] += slope[j] * k->M[R[i] + (C[j] + 1) * m];
    }
  memset(k->L, 0, (size_t)(m * m) * sizeof *k->L);
  if (n > 0 && (!invert(n, G, inverse) || !(condition(n, G, inverse) <= conditioned))) return 0;
  double fixed[WHOLE_ROWS] = { 0 };
  for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) fixed[i] += k->M[i + j * m] * k->l0[j];
  for (int c = 0; c < n; c++)
    for (int r = 0; r < n; r++) {
      double g = -inverse[c * n + r];
      k->L[C[c] + R[r] * m] = g;
      k->l0[C[c]] += g * fixed[R[r]];
      if (slope[c] != 0) k->L[C[c] + 1 + R[r] * m] = slope[c] * g;
    }
  // corrections of what rounding left, of the rows whose rate the law makes 0 (closed.c)
  k->zeros = zeros;
  k->nL = 0;
  for (int i = 0; i < zeros; i++) {
    k->zero[i] = Z[i];
    for (int j = 0; j < zeros; j++) G[i * zeros + j] = k->M[Z[i] + Z[j] * m];
  }
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      if (k->L[i + j * m] == 0) continue;
      k->L_row[k->nL] = (unsigned char)i;
      k->L_col[k->nL] = (unsigned char)j;
      k->L_value[k->nL++] = k->L[i + j * m];
    }
  return zeros == 0 || invert(zeros, G, k->Z);
}

// The map of k->m rows that act as k->act says; 0 where there is none. Sets all else of k that its user reads: a map is
// large, and most of it is never needed.
static int make_map(const nsm_sim *s, sim_whole_map *k) {
  const sim_rows *r = &s->n.r;
  k->mask = 0;
  k->nt = 0;
  memset(k->C, 0, (size_t)k->m * sizeof *k->C);
  memset(k->nc, 0, (size_t)k->m * sizeof *k->nc);
  for (int i = 0; i < k->m; i++) {
    int row = k->row[i], f = r->nfriction > 0 ? r->friction_of[row] : -1;
    k->mask |= 1u << row;
    bounds_of(s, row, &k->lo[i], &k->hi[i]);
    k->e[i] = r->e[row];
    k->contact[i] = s->a->cls[r->cls[row]].c->kind == NSM_CONTACT;
    k->l[i] = r->l[row];
    k->mu[i] = f >= 0 ? r->friction[f].mu : 0;
    for (int j = 0; j < k->m; j++) k->M[i + j * k->m] = sim_whole_coupling(s, row, k->row[j]);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
      if (k->nc[i] == WHOLE_ENTRIES) return 0;
      if (r->cz[e] < WHOLE_FEW) k->C[i][r->cz[e]] += r->c[e];
      k->cz[i][k->nc[i]] = r->cz[e];
      k->c[i][k->nc[i]++] = r->c[e];
    }
  }
  for (int z = 0; z < s->a->nz; z++) {
    int any = 0;
    for (int i = 0; i < k->m; i++) any |= (k->X[k->nt * k->m + i] = sim_whole_x(s, z, k->row[i])) != 0;
    if (any) k->touched[k->nt++] = z;
  }
  return solve_case(k);
}

// Tables of maps are a cache: what a map is follows from how its rows act, and that is a part of the state.
static int is_map_of(const nsm_sim *s, const sim_whole_map *k) {
  unsigned char acts[WHOLE_ROWS] = { 0 };
  if (!k) return 0;
  for (int i = 0; i < k->m; i++) acts[k->row[i]] = (unsigned char)(k->act[i] + 1);
  return memcmp(acts, s->now.acts, (size_t)s->n.r.n) == 0;
}

void sim_whole_recall(nsm_sim *s, struct sim_whole *w) {
  const sim_rows *r = &s->n.r;
  if (is_map_of(s, w->recent)) return;
  w->recent = NULL;
  for (int i = 0; i < w->nmap && !w->recent; i++) if (is_map_of(s, &w->map[i])) w->recent = &w->map[i];
  if (w->recent) return;
  sim_whole_map *k = &w->map[w->next];
  k->m = 0;
  for (int i = 0; i < r->n; i++) {                        // in the order of the one-step problem
    int row = r->row_at[i];
    if (s->now.acts[row] == 0) continue;
    k->row[k->m] = row;
    k->act[k->m++] = (unsigned char)(s->now.acts[row] - 1);
  }
  if (k->m == 0 || !make_map(s, k)) { k->mask = 0; k->m = 0; return; }
  if (w->shown == k) w->shown = NULL;
  if (w->affine_made) w->affine_made[w->next] = 0;
  w->recent = k;
  w->next = (w->next + 1) % WHOLE_MAPS;
  if (w->nmap < WHOLE_MAPS) w->nmap++;
}

static void take_acts(nsm_sim *s, const sim_whole_map *k) {
  memset(s->now.acts, 0, (size_t)s->n.r.n);
  for (int i = 0; i < k->m; i++) s->now.acts[k->row[i]] = (unsigned char)(k->act[i] + 1);
}

void sim_whole_learn(nsm_sim *s, struct sim_whole *w) {
  const sim_islands *is = &s->n.isl;
  const sim_rows *r = &s->n.r;
  sim_whole_map k;                                         // rows, bounds, how they act
  k.m = is->nactive;
  w->recent = NULL;
  if (k.m > WHOLE_ROWS) return;
  for (int i = 0; i < k.m; i++) {
    k.row[i] = r->row_at[is->active[i]];
    bounds_of(s, k.row[i], &k.lo[i], &k.hi[i]);
  }
  if (!cases(s, &k)) return;
  take_acts(s, &k);
  sim_whole_recall(s, w);
}

// Do the rows act strictly as the map says? Where M is monotone there is no other answer then.
static int is_strict(const sim_whole_map *k, const double *y) {
  double l[WHOLE_ROWS], size[WHOLE_ROWS];
  for (int i = 0; i < k->m; i++) { l[i] = k->l0[i]; size[i] = fabs(l[i]); }
  for (int e = 0; e < k->nL; e++) {
    double t = k->L_value[e] * y[k->row[k->L_col[e]]];
    l[k->L_row[e]] += t;
    size[k->L_row[e]] += fabs(t);
  }
  for (int i = 0; i < k->m; i++) {
    double room = strict * size[i], u = y[k->row[i]], U = fabs(u);
    if (k->act[i] == WHOLE_BASIC) {
      if (!(l[i] - k->lo[i] > room && k->hi[i] - l[i] > room)) return 0;
      continue;
    }
    for (int j = 0; j < k->m; j++) { u += k->M[i + j * k->m] * l[j]; U += fabs(k->M[i + j * k->m] * l[j]); }
    if (!((k->act[i] == WHOLE_LOW ? u : -u) > strict * U)) return 0;
  }
  return 1;
}

// Intervals that always act, with a monotone M: of the maps at hand that which is the answer, if it is among them.
int sim_whole_find(nsm_sim *s, struct sim_whole *w, const double *y) {
  for (int i = 0; w->monotone && i < w->nmap; i++) {
    if (w->map[i].m != s->n.r.n || !is_strict(&w->map[i], y)) continue;
    w->recent = &w->map[i];
    take_acts(s, w->recent);
    return 1;
  }
  return 0;
}

int sim_whole_monotone(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  double M[WHOLE_ROWS * WHOLE_ROWS];
  unsigned char flag[2 * WHOLE_ROWS];
  for (int i = 0; i < r->n; i++) {
    double lo, hi;
    bounds_of(s, i, &lo, &hi);
    flag[i] = lo == -INFINITY && hi == INFINITY;
    for (int j = 0; j < r->n; j++) M[i * r->n + j] = sim_whole_coupling(s, i, j);
  }
  return sim_is_monotone(M, r->n, flag, flag + r->n);
}

// ---- one step -------------------------------------------------------------------------------------------------------
typedef struct answer {
  double q[WHOLE_ROWS], lambda[WHOLE_ROWS], u[WHOLE_ROWS], U[WHOLE_ROWS], z1[WHOLE_UNKNOWNS], q1[WHOLE_UNKNOWNS],
         size[WHOLE_UNKNOWNS];
} answer;

#define INLINE static inline __attribute__((always_inline))

INLINE int at_bound(const sim_whole_map *k, int i, const answer *x) {
  return ((x->u[i] > 0) & (x->lambda[i] == k->lo[i])) | ((x->u[i] < 0) & (x->lambda[i] == k->hi[i]));
}

// (1), (2)
INLINE int propose(const sim_whole_map *k, const int m, answer *x) {
  double u[WHOLE_ROWS], U[WHOLE_ROWS], l[WHOLE_ROWS];
  int good = 1;
#pragma GCC unroll 4
  for (int i = 0; i < m; i++) l[i] = k->l0[i];
  if (__builtin_constant_p(m)) {
#pragma GCC unroll 4
    for (int j = 0; j < m; j++)
#pragma GCC unroll 4
      for (int i = 0; i < m; i++) l[i] += k->L[i + j * m] * x->q[j];
  } else
    for (int e = 0; e < k->nL; e++) l[k->L_row[e]] += k->L_value[e] * x->q[k->L_col[e]];
#pragma GCC unroll 4
  for (int i = 0; i < m; i++) { u[i] = x->q[i]; U[i] = fabs(x->q[i]); }
#pragma GCC unroll 4
  for (int j = 0; j < m; j++)
#pragma GCC unroll 4
    for (int i = 0; i < m; i++) {
      double t = k->M[i + j * m] * l[j];
      u[i] += t;
      U[i] += fabs(t);
    }
#pragma GCC unroll 4
  for (int i = 0; i < m; i++) {
    int small = fabs(u[i]) <= rounds * U[i];
    if (k->act[i] <= WHOLE_HIGH)
      good &= ((small & (l[i] >= k->lo[i]) & (l[i] <= k->hi[i])) | ((u[i] > 0) & (l[i] == k->lo[i])) |
               ((u[i] < 0) & (l[i] == k->hi[i])));
    else if (k->act[i] == WHOLE_OPEN) good &= u[i] >= 0;
    else if (i + 1 >= m) continue;
    else if (k->act[i] == WHOLE_STICK)
      good &= small & (fabs(u[i + 1]) <= rounds * (U[i] + U[i + 1])) & (l[i] >= 0) & (fabs(l[i +
          1]) <= k->mu[i] * l[i]);
    else if (k->act[i] != WHOLE_TANGENT)
      good &= small & (l[i] >= 0) & (l[i + 1] * u[i + 1] <= 0);
  }
#pragma GCC unroll 4
  for (int i = 0; i < m; i++) { x->lambda[i] = l[i]; x->u[i] = u[i]; x->U[i] = U[i]; }
  return good;
}

// z1, q1 += of the forces; velocities that are nothing but what rounding left become 0. The answer has them by number
// of the velocity; `state` stays as it is. Where `few` is not 0 there are so many unknowns, all velocities, and the
// forces act on all of them: known when compiled, so that all loops over them are unrolled.
INLINE int move(const sim_whole_map *k, const int m, const int few, const nsm_sim *s, const double *state,
                answer *x) {
  const int nq = few ? few : s->a->nq, nz = few ? few : s->a->nz, nt = few ? few : k->nt;
  double h = s->n.h, ht = h * s->a->point[NSM_END].end, sum = 0;
  const double *q = state, *z = q + nq, *q1 = z + nz, *z1 = q1 + nq;
  if (nt < nz) for (int i = 0; i < nz; i++) { x->size[i] = 0; x->z1[i] = z1[i]; }
#pragma GCC unroll 4
  for (int t = 0; t < nt; t++) {
    const int i = few ? t : k->touched[t];
    double free = z1[i], way = i < nq ? q1[i] : 0, d = 0, terms = 0, v;
#pragma GCC unroll 4
    for (int j = 0; j < m; j++) {
      double y = k->X[t * m + j] * x->lambda[j];
      d += y;
      terms += fabs(y);
    }
    double size = terms + (fabs(z[i]) + fabs(free));
    v = free + d;
    if (terms == 0) { v = free; size = 0; }
    else if (fabs(v) <= cancels * size) {
      v = 0;
      if (i < nq) way = q[i] + (h - ht) * z[i];
    } else way += ht * d;
    x->size[i] = size;
    x->z1[i] = v;
    x->q1[i] = way;
    sum += v;
  }
  return sum - sum == 0;
}

// What rounding left of the rates that the laws make 0 (closed.c): 0 where that is for the generic step.
INLINE int refine(const sim_whole_map *k, const int m, const int few, const nsm_sim *s, const double *state,
                  answer *x) {
  const int nq = few ? few : s->a->nq, nt = few ? few : k->nt;
  double h = s->n.h, ht = h * s->a->point[NSM_END].end, *z1 = x->z1, *q1 = x->q1, *size = x->size;
  const double *q = state, *z = q + nq;
  for (int round = 0; round < REFINEMENTS; round++) {
    double rate[WHOLE_ROWS], change = 0, force = 0, delta[WHOLE_ROWS];
    int left = 0;
    for (int a = 0; a < k->zeros; a++) {
      int i = k->zero[a];
      double y = 0, terms = 0;
      for (int e = 0; e < (few ? few : k->nc[i]); e++) {
        const int at = few ? e : k->cz[i][e];
        double c = few ? k->C[i][e] : k->c[i][e];
        y += c * z1[at];
        if (z1[at] != 0) terms += fabs(c) * (fabs(z1[at]) + size[at]);
      }
      rate[a] = y;
      left |= terms > 0 && fabs(y) > refines * terms;
    }
    if (!left) return 1;
    for (int a = 0; a < k->zeros; a++) {
      delta[a] = 0;
      for (int b = 0; b < k->zeros; b++) delta[a] -= k->Z[a * k->zeros + b] * rate[b];
      change = fmax(change, fabs(delta[a]));
      if (k->contact[k->zero[a]] && x->lambda[k->zero[a]] + delta[a] < 0) return 0;
    }
    for (int i = 0; i < m; i++) force = fmax(force, fabs(x->lambda[i]));
    if (!sim_is_correction(change, force)) return 0;
    for (int a = 0; a < k->zeros; a++) x->lambda[k->zero[a]] += delta[a];
    for (int t = 0; t < nt; t++) {
      const int i = few ? t : k->touched[t];
      double terms = 0;
      for (int a = 0; a < k->zeros; a++) z1[i] += k->X[t * m + k->zero[a]] * delta[a];
      for (int j = 0; j < m; j++) terms += fabs(k->X[t * m + j] * x->lambda[j]);
      size[i] = terms + fabs(z[i]);
      if (sim_is_at_rest(z1[i], size[i])) z1[i] = 0;
      if (i < nq) q1[i] = q[i] + (ht * z1[i] + (h - ht) * z[i]);
    }
  }
  return 1;
}

// Multipliers and what holds contacts closed, of the rows that another map wrote.
static void clear_rows(nsm_sim *s) {
  if (s->now.holds) memset(s->now.held, 0, (size_t)s->n.r.n * sizeof(double));
  for (int i = 0; i < s->n.r.n; i++) s->now.l[s->n.r.l[i]] = 0;
}

// A contact that is pressed, and whose law has no other rate than 0, holds (closed.c); counted where it had no force.
// again: this map wrote the rows of the step before too.
INLINE void hold(const sim_whole_map *k, const int m, nsm_sim *s, const answer *x, const double *rate0, int again) {
  int holds = 0;
  for (int i = 0; i < m && !s->a->located; i++)
    s->now.count.impacts += k->contact[i] && x->lambda[i] > 0 && s->now.l[k->l[i]] == 0;
  if (!again) clear_rows(s);
  for (int i = 0; i < m; i++) {
    double p = x->lambda[i], M = k->M[i + i * m];
    if (!k->contact[i]) continue;
    int held = p > 0 && fabs(k->e[i] * rate0[k->row[i]]) <= lasting * M * p;
    s->now.held[k->row[i]] = held ? 0.5 * s->n.h * M * p : 0;
    holds |= held;
  }
  s->now.holds = holds;
}

// Is each zero of the map one whose law asks for rate 0, and no other?
INLINE int zeros_fit(const sim_whole_map *k, const int m, const answer *x, const double *rate0) {
  for (int a = 0; a < k->zeros; a++) {
    int i = k->zero[a];
    if (!k->contact[i]) { if (k->e[i] != 0) return 0; continue; }
    if (fabs(k->e[i] * rate0[k->row[i]]) > lasting * k->M[i + i * m] * x->lambda[i]) return 0;
  }
  return 1;
}

// Where events are located: do the rows of the map keep their sets to the end of the step (compiler/whole/linear.h,
// linear_lasts, linear_goes_on)? What is to be positive is compared with that of the step before.
static int lasts(double now, double before) { return 3 * now > before; }

__attribute__((noinline))
static int keeps_sets(const sim_whole_map *k, const struct sim_whole *w, const double *l, const answer *x) {
  for (int i = 0; i < k->m; i++) {
    double now = x->lambda[i], before = l[k->l[i]];
    int act = k->act[i], at_rate = act == WHOLE_UP || act == WHOLE_DOWN ? i + 1 : i;
    int slides = at_rate > i || act == WHOLE_LOW || act == WHOLE_HIGH;
    if (slides && !(2 * fabs(x->u[at_rate]) >= w->rate[k->row[at_rate]])) return 0;
    if (act == WHOLE_BASIC && !(lasts(now - k->lo[i], before - k->lo[i]) && lasts(k->hi[i] - now, k->hi[i] - before)))
      return 0;
    if ((act == WHOLE_STICK || at_rate > i) && !lasts(now, before)) return 0;
    if (act == WHOLE_STICK && !lasts(k->mu[i] * now - fabs(x->lambda[i + 1]),
                                     k->mu[i] * before - fabs(l[k->l[i + 1]])))
      return 0;
  }
  return 1;
}

__attribute__((noinline))
static void remember(const sim_whole_map *k, struct sim_whole *w, const double *l, const answer *x) {
  for (int i = 0; i < k->m; i++) {
    w->l0[k->l[i]] = l[k->l[i]];
    w->rate0[k->row[i]] = w->rate[k->row[i]];
    w->rate[k->row[i]] = fabs(x->u[i]);
  }
}

// The step by the recent map, of m rows.
INLINE int by_map(nsm_sim *s, struct sim_whole *w, const int m, const int few, double *state, const double *y,
                  const double *rate0) {
  const sim_whole_map *k = w->recent;
  answer x;
  for (int j = 0; j < m; j++) x.q[j] = y[k->row[j]] + k->e[j] * rate0[k->row[j]];
  if (!propose(k, m, &x) || !move(k, m, few, s, state, &x)) return 0;
  const int nq = few ? few : s->a->nq, nz = few ? few : s->a->nz, nt = few ? few : k->nt;
  int contacts = s->a->on.contact.n > 0;
  if (contacts && k->zeros > 0 && (zeros_fit(k, m, &x, rate0) ? !refine(k, m, few, s, state, &x) : k->zeros > 1))
    return 0;
  if (w->l0) {
    if (!keeps_sets(k, w, s->now.l, &x)) return 0;
    remember(k, w, s->now.l, &x);
  }
#pragma GCC unroll 4
  for (int t = 0; t < nt; t++) {
    const int i = few ? t : k->touched[t];
    state[2 * nq + nz + i] = x.z1[i];
    if (i < nq) state[nq + nz + i] = x.q1[i];
  }
  for (int i = 0; i < m; i++)                              // a row that a bound holds has no residual
    if (fabs(x.u[i]) > s->now.count.max_residual * x.U[i] && fabs(x.u[i]) <= rounds * x.U[i] && !at_bound(k, i, &x))
      s->now.count.max_residual = fabs(x.u[i]) / x.U[i];
  if (contacts) hold(k, m, s, &x, rate0, w->written == k);
  for (int i = 0; i < m; i++) s->now.l[k->l[i]] = x.lambda[i];
  w->written = k;
  s->now.count.solver_iterations++;
  return 1;
}

// The step by the map of how the rows acted last; 0: not by it. Nothing is changed then.
int sim_whole_by_map(nsm_sim *s, struct sim_whole *w, double *state, unsigned mask, const double *y, double *rate0) {
  const sim_whole_map *k = w->recent;
  if (!k || k->mask != mask) return 0;
  int few = k->nt == s->a->nz && s->a->nz == s->a->nq && s->a->nz <= WHOLE_FEW ? s->a->nz : 0;
  switch (4 * k->m + few) {                                // (row, unknowns) of small contact problems
    case 4 * 1 + 1: return by_map(s, w, 1, 1, state, y, rate0);
    case 4 * 1 + 2: return by_map(s, w, 1, 2, state, y, rate0);
    case 4 * 2 + 2: return by_map(s, w, 2, 2, state, y, rate0);
    case 4 * 2 + 3: return by_map(s, w, 2, 3, state, y, rate0);
    case 4 * 4 + 3: return by_map(s, w, 4, 3, state, y, rate0);
  }
  return by_map(s, w, k->m, 0, state, y, rate0);
}
