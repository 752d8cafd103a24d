// The one-step problem where W couples very many coordinates and very many rows are active: W^{-1} B would fill, and
// M_osns = D + C W^{-1} B too. So the motion dz = W^{-1} B lambda stays an unknown beside the multipliers:
//
//   [ W  -B ] [ dz     ]   [  0  ]      rows with u_i = 0 (basic)
//   [ C   D ] [ lambda ] = [ -q  ]
//        lambda_i = lo_i or hi_i        the others, in the place of their row                                      (1)
//
// one sparse matrix with the same pattern whichever rows are basic, factored by fronts (la/sparse.h). Which rows are
// basic is found by exchanging all that contradict their law at once, and one at a time where that goes round in
// circles (Judice and Pires, Comput. Oper. Res. 21 (1994) 587-596; Murty, Linear Algebra Appl. 7 (1974) 65-108: it ends
// for every M_osns with positive principal minors). Relations, contacts and constraints are intervals and may be solved
// so; cones need M_osns. Where it fails the solvers of cone/ get their turn, and every answer is checked by
// augmented_verifier.c.
#include "augmented.h"
#include <math.h>
#include <string.h>

enum { FEW = 24, EXCHANGES = 200, PATIENCE = 8, TRIES = 8 };
static const double vanishes = 1e-14;    // of a pivot beside its column: the basic rows depend on each other
static const double wrong = 1e-13;       // of the terms: a sign that rounding does not explain
static const double tolerance = 1e-12;   // of the verifier, as in cone/

enum { AT_LO, AT_HI, BASIC, IDLE };

struct sim_augmented {
  int         n;                         // unknowns: dz [w.n], then lambda of all rows [r.n]
  nsm_sparse *f;
  int        *w_from;                    // [entries] of W: its place in W's values
  size_t     *w_to;                      // and here
  size_t      entries;
  size_t     *b_to, *c_to, *d_to, *one;  // places of the entries of B, C, D, and of the diagonal of each row
  double     *values, *x, *rhs, *left;   // [f->values], [n]
  double     *dz;                        // [w.n] of the last solution
  unsigned char *state, *made, *last;    // [r.n] of each row; for which the factors were made; of the last solution
  int         fresh;                     // the factors are those of the values of W, B, C, D
  double      cost;                      // of a factorization and its solves, in multiplications
};

// ---- analysis -------------------------------------------------------------------------------------------------------
typedef struct edges { int *start, *to, pass; } edges;

static void edge(edges *g, int i, int j) {
  if (i == j) return;
  if (g->pass == 0) { g->start[i + 1]++; g->start[j + 1]++; }
  else { g->to[g->start[i]++] = j; g->to[g->start[j]++] = i; }
}

static void over(nsm_sim *s, edges *g) {
  const sim_rows *r = &s->n.r;
  for (int row = 0; row < r->n; row++) {
    int i = s->n.w.n + row;
    if (r->border_of[row] >= 0) continue;
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) edge(g, i, r->bz[e]);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) edge(g, i, r->cz[e]);
    for (int e = r->d0[row]; e < r->d0[row + 1]; e++) edge(g, i, s->n.w.n + r->ds[e]);
  }
}

static void w_edge(nsm_sim *s, int row, int col, int *at, void *to) {
  (void)s; (void)at;
  if (row < col) edge(to, row, col);
}
static void w_edge_back(nsm_sim *s, int row, int col, int *at, void *to) {
  (void)s; (void)at;
  if (row > col) edge(to, row, col);
}

// A multiplier stands in one node with a coordinate that it acts on, its own where there are enough: where the row is
// basic its pivot is found there.
static int *nodes(nsm_sim *s, int n) {
  const sim_rows *r = &s->n.r;
  int *node = SIM_LEND(s, n, int), *taken = SIM_LEND(s, s->n.w.n, int), next = 0;
  for (int row = 0; row < r->n; row++) {
    int best = -1;
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++)
      if (best < 0 || taken[r->cz[e]] < taken[best]) best = r->cz[e];
    node[s->n.w.n + row] = best;
    if (best >= 0) taken[best]++;
  }
  for (int z = 0; z < s->n.w.n; z++) node[z] = next++;
  for (int i = s->n.w.n; i < n; i++) node[i] = node[i] >= 0 ? node[node[i]] : next++;
  sim_give(s, taken);
  return node;
}

typedef struct entry_list { size_t n; struct sim_augmented *a; } entry_list;

static void w_entry(nsm_sim *s, int row, int col, int *at, void *to) {
  entry_list *l = to;
  (void)s;
  if (l->a->w_from) {
    l->a->w_from[l->n] = *at;
    l->a->w_to[l->n] = nsm_sparse_place(l->a->f, row, col);
  }
  l->n++;
}

static int intervals(const nsm_sim *s) { return s->n.r.nfriction == 0; }

struct sim_augmented *sim_augmented_make(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  int n = s->n.w.n + r->n;
  if (!intervals(s)) return NULL;
  struct sim_augmented *a = SIM_NEW(s, 1, struct sim_augmented);
  edges g = { SIM_LEND(s, n + 2, int), NULL, 0 };
  for (; g.pass < 2; g.pass++) {
    sim_assembly_entries(s, w_edge, &g);
    sim_assembly_entries(s, w_edge_back, &g);
    over(s, &g);
    if (g.pass == 1) break;
    for (int i = 0; i < n; i++) g.start[i + 1] += g.start[i];
    g.to = SIM_LEND(s, g.start[n], int);
  }
  for (int i = n; i > 0; i--) g.start[i] = g.start[i - 1];
  g.start[0] = 0;
  int *node = nodes(s, n);
  nsm_la_memory memory = sim_la_memory(s);
  a->n = n;
  a->f = nsm_sparse_analyse(n, g.start, g.to, node, &memory);
  sim_give(s, node);
  sim_give(s, g.to);
  sim_give(s, g.start);
  if (!a->f) sim_no_room(s);
  entry_list l = { 0, a };
  sim_assembly_entries(s, w_entry, &l);
  a->entries = l.n;
  a->w_to = SIM_NEW(s, l.n, size_t);
  a->w_from = SIM_NEW(s, l.n, int);
  l.n = 0;
  sim_assembly_entries(s, w_entry, &l);
  size_t **places[] = { &a->b_to, &a->c_to, &a->d_to };
  const int *start[] = { r->b0, r->c0, r->d0 }, *index[] = { r->bz, r->cz, r->ds };
  for (int k = 0; k < 3; k++) {
    *places[k] = SIM_NEW(s, start[k][r->n], size_t);
    for (int row = 0; row < r->n; row++)
      for (int e = start[k][row]; e < start[k][row + 1] && r->border_of[row] < 0; e++) {
        int i = s->n.w.n + row, j = k == 2 ? s->n.w.n + index[k][e] : index[k][e];
        (*places[k])[e] = nsm_sparse_place(a->f, k == 0 ? j : i, k == 0 ? i : j);
      }
  }
  a->one = SIM_NEW(s, r->n, size_t);
  for (int row = 0; row < r->n; row++) a->one[row] = nsm_sparse_place(a->f, s->n.w.n + row, s->n.w.n + row);
  a->values = SIM_NEW(s, a->f->values, double);
  double **vectors[] = { &a->x, &a->rhs, &a->left, &a->dz };
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = SIM_NEW(s, n, double);
  a->state = SIM_NEW(s, r->n, unsigned char);
  a->made = SIM_NEW(s, r->n, unsigned char);
  a->last = SIM_NEW(s, r->n, unsigned char);
  memset(a->last, IDLE, (size_t)r->n);
  a->cost = 2 * a->f->work + 400.0 * a->f->fronts + 6 * (double)a->f->factor_size;
  if (!s->n.w.constant && !s->n.w.kept) s->n.w.kept = SIM_NEW(s, s->n.w.nval, double);
  return a;
}

double sim_augmented_cost(const struct sim_augmented *a) { return a->cost; }

int sim_augmented_pays(const nsm_sim *s, int active) {
  double m = active, solve = 0;
  for (int k = 0; k < s->n.w.nblock; k++) {
    const sim_block *b = &s->n.w.block[k];
    double each = b->kind == BLOCK_SPARSE ? (double)b->sparse->factor_size : (double)b->n * b->ld;
    solve = each > solve ? each : solve;
  }
  return active > FEW && !s->dump && !s->unique && m * solve + m * m * m / 3 > s->n.r.augmented->cost;
}

void sim_augmented_stale(nsm_sim *s) { s->n.r.augmented->fresh = 0; }

// ---- the matrix -----------------------------------------------------------------------------------------------------
static void fill(nsm_sim *s) {
  struct sim_augmented *a = s->n.r.augmented;
  const sim_rows *r = &s->n.r;
  const double *w = s->n.w.constant ? s->n.w.base : s->n.w.kept;
  memset(a->values, 0, a->f->values * sizeof(double));
  for (size_t e = 0; e < a->entries; e++) a->values[a->w_to[e]] = w[a->w_from[e]];
  for (int row = 0; row < r->n; row++) {
    if (a->state[row] != BASIC) a->values[a->one[row]] = 1;
    if (a->state[row] == IDLE) continue;
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) a->values[a->b_to[e]] = -r->b[e];
    if (a->state[row] != BASIC) continue;
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) a->values[a->c_to[e]] = r->c[e];
    for (int e = r->d0[row]; e < r->d0[row + 1]; e++) a->values[a->d_to[e]] = r->d[e];
  }
}

// A basic row of those that meet the unknown, whose multiplier can be given; -1 for none.
static int depends(const nsm_sim *s, int unknown) {
  const struct sim_augmented *a = s->n.r.augmented;
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  for (int i = is->nactive - 1; i >= 0; i--) {
    int row = r->row_at[is->active[i]], meets = unknown == s->n.w.n + row;
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) meets |= r->cz[e] == unknown;
    if (meets && a->state[row] == BASIC && (is->lo[i] > -INFINITY || is->hi[i] < INFINITY)) return i;
  }
  return -1;
}

// Where basic rows depend on each other some of them leave: their laws hold with the others', and their multipliers are
// at a bound. 0 where that does not help.
static int factors(nsm_sim *s) {
  struct sim_augmented *a = s->n.r.augmented;
  const sim_islands *is = &s->n.isl;
  for (int tries = 0; tries < TRIES; tries++) {
    if (a->fresh && memcmp(a->made, a->state, (size_t)s->n.r.n) == 0) return 1;
    fill(s);
    nsm_sparse_factor(a->f, a->values, NSM_SPARSE_PIVOTS, vanishes, 1, a->x);
    a->fresh = a->f->dropped == 0;
    memcpy(a->made, a->state, (size_t)s->n.r.n);
    for (int unknown = 0; unknown < a->n && !a->fresh; unknown++) {
      if (a->x[unknown] != NSM_SPARSE_DROPPED) continue;
      int i = depends(s, unknown);
      if (i < 0) return 0;
      a->state[s->n.r.row_at[is->active[i]]] = is->lo[i] > -INFINITY ? AT_LO : AT_HI;
    }
  }
  return 0;
}

// (1), with one refinement.
static void motion(nsm_sim *s) {
  struct sim_augmented *a = s->n.r.augmented;
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  size_t bytes = (size_t)a->n * sizeof(double);
  memset(a->rhs, 0, bytes);
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]], state = a->state[row];
    a->rhs[s->n.w.n + row] = state == BASIC ? -is->q[i] : state == AT_LO ? is->lo[i] : is->hi[i];
  }
  memcpy(a->x, a->rhs, bytes);
  nsm_sparse_solve(a->f, a->x);
  memcpy(a->left, a->rhs, bytes);
  nsm_sparse_multiply(a->f, a->values, -1, a->x, a->left);
  nsm_sparse_solve(a->f, a->left);
  for (int i = 0; i < a->n; i++) a->x[i] += a->left[i];
}

// ---- which rows are basic -------------------------------------------------------------------------------------------
// The sets of the last solution, where the multipliers at hand allow them; else a row is basic where it would be broken
// without its multiplier.
static void first_guess(nsm_sim *s) {
  struct sim_augmented *a = s->n.r.augmented;
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  memset(a->state, IDLE, (size_t)r->n);
  for (int i = 0; i < is->nactive; i++) {
    double lo = is->lo[i], hi = is->hi[i], l = is->lambda[i];
    int row = r->row_at[is->active[i]], inside = l > lo && l < hi, free = lo == -INFINITY && hi == INFINITY;
    int stays = (a->last[row] == AT_LO && l <= lo) || (a->last[row] == AT_HI && l >= hi);
    a->state[row] = (unsigned char)(lo == hi          ? AT_LO
                                    : free || inside ? BASIC
                                    : stays          ? a->last[row]
                                    : is->q[i] <= 0  ? (l >= hi ? AT_HI : BASIC)
                                                     : (l <= lo ? AT_LO : BASIC));
  }
}

// u of a row of the solution at hand, and the size of its terms.
static double rate(const nsm_sim *s, int i, double *size) {
  const struct sim_augmented *a = s->n.r.augmented;
  const sim_rows *r = &s->n.r;
  int row = r->row_at[s->n.isl.active[i]];
  double u = s->n.isl.q[i];
  *size = fabs(u) + s->n.isl.terms[i];
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
    double d = r->c[e] * a->x[r->cz[e]];
    u += d;
    *size += fabs(d);
  }
  for (int e = r->d0[row]; e < r->d0[row + 1]; e++) {
    double d = r->d[e] * a->x[s->n.w.n + r->ds[e]];
    u += d;
    *size += fabs(d);
  }
  return u;
}

// The state that the law asks for in place of the one that it has.
static int wanted(const nsm_sim *s, int i) {
  const struct sim_augmented *a = s->n.r.augmented;
  const sim_islands *is = &s->n.isl;
  int row = s->n.r.row_at[is->active[i]], state = a->state[row];
  double l = a->x[s->n.w.n + row], size, u = rate(s, i, &size), inertia = sim_assembly_inertia(s, row),
         much = wrong * (inertia > 0 ? size / inertia : size);
  if (is->lo[i] == is->hi[i]) return state;
  if (state == BASIC) return l < is->lo[i] - much ? AT_LO : l > is->hi[i] + much ? AT_HI : BASIC;
  return (state == AT_LO ? u < -wrong * size : u > wrong * size) ? BASIC : state;
}

static int exchange(nsm_sim *s) {
  struct sim_augmented *a = s->n.r.augmented;
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  int fewest = is->nactive + 1, patience = PATIENCE;
  for (int k = 0; k < EXCHANGES; k++) {
    if (!factors(s)) return 0;
    motion(s);
    s->now.count.solver_iterations++;
    int off = 0, last = -1;
    for (int i = 0; i < is->nactive; i++)
      if (wanted(s, i) != a->state[r->row_at[is->active[i]]]) { off++; last = i; }
    if (off == 0) return 1;
    if (off < fewest) { fewest = off; patience = PATIENCE; }
    else patience--;
    for (int i = patience >= 0 ? 0 : last; i <= last; i++)
      a->state[r->row_at[is->active[i]]] = (unsigned char)wanted(s, i);
  }
  return 0;
}

// Basic rows that are outside of their bounds by what rounding explains are at these, and the motion with them.
static int pull_in(nsm_sim *s) {
  struct sim_augmented *a = s->n.r.augmented;
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  int pulled = 0;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double l = a->x[s->n.w.n + row];
    if (a->state[row] != BASIC || (l >= is->lo[i] && l <= is->hi[i])) continue;
    a->state[row] = l < is->lo[i] ? AT_LO : AT_HI;
    pulled = 1;
  }
  if (!pulled) return 1;
  if (!factors(s)) return 0;
  motion(s);
  return 1;
}

// ---- the answer -----------------------------------------------------------------------------------------------------
int sim_augmented_solve(nsm_sim *s) {
  struct sim_augmented *a = s->n.r.augmented;
  const sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  first_guess(s);
  if (!exchange(s) || !pull_in(s)) return 0;
  for (int i = 0; i < is->nactive; i++) {
    double l = a->x[s->n.w.n + r->row_at[is->active[i]]];
    is->kept[i] = l < is->lo[i] ? is->lo[i] : l > is->hi[i] ? is->hi[i] : l;
  }
  double *scratch[2] = { a->rhs, a->left }, residual = sim_augmented_residual(s, a->x, is->kept, is->u, scratch);
  if (!(residual <= (s->w.cone.tolerance > 0 ? s->w.cone.tolerance : tolerance))) return 0;
  if (residual > s->now.count.max_residual) s->now.count.max_residual = residual;
  memcpy(a->last, a->state, (size_t)r->n);
  memcpy(is->lambda, is->kept, (size_t)is->nactive * sizeof(double));
  memcpy(a->dz, a->x, (size_t)s->n.w.n * sizeof(double));
  return 1;
}

void sim_augmented_motion(const nsm_sim *s, double *dz) {
  for (int z = 0; z < s->n.w.n; z++) dz[z] += s->n.r.augmented->dz[z];
}

// |W^-1| |B lambda| is not at hand: what the multipliers do to each z where W is diagonal.
void sim_augmented_sizes(const nsm_sim *s, const double *lambda, double *size) {
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < s->n.isl.nactive; i++)
    for (int row = r->row_at[s->n.isl.active[i]], e = r->b0[row]; e < r->b0[row + 1]; e++) {
      double w = fabs(sim_assembly_diagonal(s, r->bz[e]));
      if (w > 0) size[r->bz[e]] += fabs(r->b[e] * lambda[i]) / w;
    }
}
