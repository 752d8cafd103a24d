// The one-step problem (1), island by island: rows that are not coupled are solved apart, so n contacts far from each
// other cost n small problems. Islands are intervals of the active rows in the order of rows.c, found in one pass.
// Where all rows are always active and the matrix is constant, islands are found once and each keeps its factors.
#include "assembly.h"
#include "augmented.h"
#include <math.h>
#include <string.h>

enum { FIXED_WORK = 64 << 20 };         // bytes: more fixed islands than fit share one workspace

// Index in the active list of the last active row coupled to place i, itself included.
static inline int last_coupled(const sim_rows *r, const sim_islands *a, int i) {
  for (int e = r->m0[i + 1] - 1; e >= r->m0[i]; e--) {
    int j = r->mc[e];
    if (j == i || r->active[r->row_at[j]]) return a->index[j];
  }
  return a->index[i];
}

// End of the island that starts at index `first` of the active list.
static inline int island_end(const sim_rows *r, const sim_islands *a, int first) {
  int reach = first, pile = sim_pile_end(r, a->active[first]);
  if (pile > 0) return first + pile - a->active[first];
  for (int i = first; i <= reach; i++) {
    int last = last_coupled(r, a, a->active[i]);
    if (last > reach) reach = last;
  }
  return reach + 1;
}

int sim_island_end(const nsm_sim *s, int first) { return island_end(&s->n.r, &s->n.isl, first); }

// Few rows of many are active: 32 flags are looked at together. `index` is that of active rows alone.
static void list(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  int n = 0, i = 0;
  for (uint64_t any[4]; r->in_order && i + (int)sizeof any <= r->n; i += (int)sizeof any) {
    memcpy(any, r->active + i, sizeof any);
    if ((any[0] | any[1] | any[2] | any[3]) == 0) continue;
    for (int j = i; j < i + (int)sizeof any; j++) {
      a->active[n] = j;
      a->index[j] = n;
      n += r->active[j];
    }
  }
  for (; i < r->n; i++) {
    a->active[n] = i;
    a->index[i] = n;
    n += r->active[r->row_at[i]];
  }
  a->nactive = a->zeros = n;
  a->impacts = SIM_NOT_COUNTED;
}

void sim_islands_list(nsm_sim *s) {
  sim_rows_follow(s);
  list(s);
}

// Where an island has its matrix: dense column-major, row_start NULL, or compressed rows.
typedef struct entries { double *M; int *row_start, *col; } entries;

// The matrix of the island of m rows that begins with entry `first` of the list.
static void take_matrix(const sim_rows *r, const sim_islands *a, int first, int m, entries to) {
  double *M = to.M;
  if (!to.row_start) {
    memset(M, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++) {
      int at = a->active[first + i];
      for (int e = r->m0[at]; e < r->m0[at + 1]; e++)
        if (r->active[r->row_at[r->mc[e]]]) M[i + (a->index[r->mc[e]] - first) * m] = r->m[e];
    }
    return;
  }
  int n = 0;
  to.row_start[0] = 0;
  for (int i = 0; i < m; i++) {
    int at = a->active[first + i];
    for (int e = r->m0[at]; e < r->m0[at + 1]; e++)
      if (r->active[r->row_at[r->mc[e]]]) { to.col[n] = a->index[r->mc[e]] - first; M[n++] = r->m[e]; }
    to.row_start[i + 1] = n;
  }
}

// Of the island of m rows that begins with entry `first` of the list: entries of its rows.
static inline size_t entries_of(const sim_rows *r, const sim_islands *a, int first, int m) {
  return (size_t)(r->m0[a->active[first + m - 1] + 1] - r->m0[a->active[first]]);
}

// Where the patterns follow, the entries are counted: bodies in a pile touch few others.
static inline int is_dense(const sim_rows *r, const sim_islands *a, int first, int m) {
  return m <= a->solver.tiny_most ||
         (3 * r->bandwidth >= m && (r->m_follows ? 4 * entries_of(r, a, first, m) >= (size_t)m * (size_t)m
                                                 : m <= a->dense_cap));
}

// Islands whose rows and matrix never change: each has a problem and a workspace of its own.
static void fix_islands(nsm_sim *s, int n) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  if (!(r->always && r->constant) || s->a->on.mu.n > 0) return;
  a->fixed = SIM_NEW(s, n, struct sim_fixed);
  size_t total = 0;
  for (int first = 0; first < n; a->nfixed++) {
    int end = island_end(r, a, first), m = end - first, dense = is_dense(r, a, first, m);
    size_t nnz = entries_of(r, a, first, m);
    size_t size = dense ? (size_t)m * (size_t)m : nnz;
    struct sim_fixed *f = &a->fixed[a->nfixed];
    total += sim_cone_room(s, m, size, dense ? m : r->bandwidth);
    if (total > FIXED_WORK) { a->nfixed = 0; return; }
    *f = (struct sim_fixed){ .first = first, .m = m };
    f->p = (nsm_cone_problem){
      .m = m, .M = SIM_NEW(s, size, double), .q = a->q + first, .lo = a->lo + first, .hi = a->hi + first,
      .q_terms = a->terms + first
    };
    if (!dense) {
      f->p.row_start = SIM_NEW(s, m + 1, int);
      f->p.col = SIM_NEW(s, nnz, int);
    }
    f->cone = SIM_NEW(s, m, nsm_cone_block);
    f->work = sim_cone_workspace(s, m, size, dense ? m : r->bandwidth, 0);
    first = end;
  }
}

// Memory for the largest of the islands of n rows.
static void take_for_largest(nsm_sim *s, int n) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  int most = 0;
  size_t widest_nnz = 0;
  for (int first = 0; first < n;) {
    int end = island_end(r, a, first);
    size_t nnz = entries_of(r, a, first, end - first);
    if (end - first > most) most = end - first;
    if (nnz > widest_nnz) widest_nnz = nnz;
    first = end;
  }
  sim_solver_analyse(s, &a->solver, s->now.tiny, most);
  int tiny = a->solver.tiny_most;
  a->dense_cap = 3 * r->bandwidth >= most ? most : 3 * r->bandwidth > tiny ? 3 * r->bandwidth : tiny;
  if (a->dense_cap > most) a->dense_cap = most;
  size_t cap = (size_t)a->dense_cap;
  a->dense = SIM_NEW(s, cap * cap, double);
  a->row_start = SIM_NEW(s, most + 1, int);
  a->col = SIM_NEW(s, widest_nnz, int);
  a->val = SIM_NEW(s, widest_nnz, double);
  const char *solver = s->w.cone.solver;
  a->chains = r->constant && r->bandwidth <= 1 && r->nfriction == 0 && (!solver || strcmp(solver, "auto") == 0);
  for (int k = 0; k < 3; k++) a->diagonals[k] = SIM_NEW(s, a->chains ? r->n : 0, double);
  a->joined = SIM_NEW(s, a->chains ? r->n : 0, unsigned char);
  a->solver.work = sim_cone_workspace(s, most, widest_nnz, r->bandwidth, a->dense_cap);
}

void sim_islands_analyse(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  int n = r->n;
  a->active = SIM_NEW(s, n + 1, int);                 // one more: the list is written ahead
  a->index = SIM_NEW(s, n, int);
  a->zero = SIM_NEW(s, n, unsigned char);
  a->equation = SIM_NEW(s, n, unsigned char);
  double **sized[] = { &a->q, &a->terms, &a->lo, &a->hi, &a->lambda, &a->u, &a->kept };
  for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) *sized[i] = SIM_NEW(s, n, double);
  if (n == 0) return;
  if (r->m_follows) {                                 // room is taken where it is needed
    sim_solver_analyse(s, &a->solver, s->now.tiny, n);
    return;
  }
  for (int i = 0; i < n; i++) r->active[i] = r->border_of[i] < 0;
  sim_islands_list(s);
  if ((n = a->nactive) == 0) { sim_solver_analyse(s, &a->solver, s->now.tiny, 0); return; }
  take_for_largest(s, n);
  fix_islands(s, n);
}

// M by its diagonals, where each row is coupled with two others at most.
static void take_diagonals(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  for (int at = 0; a->chains && at < r->n; at++) {
    int e = r->diagonal[at];
    a->joined[at] = e + 1 < r->m0[at + 1];
    a->diagonals[0][at] = e > r->m0[at] ? r->m[e - 1] : 0;
    a->diagonals[1][at] = r->m[e];
    a->diagonals[2][at] = a->joined[at] ? r->m[e + 1] : 0;
  }
}

void sim_islands_fix(nsm_sim *s) {
  sim_islands *a = &s->n.isl;
  a->fixes++;
  take_diagonals(s);
  for (int i = 0; i < a->nfixed; i++) {
    struct sim_fixed *f = &a->fixed[i];
    take_matrix(&s->n.r, a, f->first, f->m, (entries){ (double *)(uintptr_t)f->p.M,
                (int *)(uintptr_t)f->p.row_start, (int *)(uintptr_t)f->p.col });
    f->p.cone = f->cone;
    f->p.cones = sim_island_cones(s, &a->solver, s->n.r.row_at, a->active + f->first, f->m, f->cone);
    f->p.matrix_id = a->fixes;
  }
}

// ---- solve ----------------------------------------------------------------------------------------------------------
static inline int solved(nsm_sim *s, const nsm_cone_problem *p, int first, int warm, void *work) {
  sim_islands *a = &s->n.isl;
  return sim_island_solve(s, &a->solver, &(sim_island){ *p, s->n.r.row_at, a->active + first, a->lambda + first,
                                                        a->u + first, warm, work });
}

// X and M_osns are needed after all: the rows get another order, and q, lo, hi, lambda and their terms with them.
static int take_columns(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  double *of[] = { a->q, a->terms, a->lo, a->hi, a->lambda, a->u };
  double *by_row = sim_pool_room(s, &a->room[4], 6 * (size_t)r->n, sizeof *by_row);
  if (!by_row) return 0;
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < a->nactive; i++) by_row[(size_t)k * (size_t)r->n + (size_t)r->row_at[a->active[i]]] = of[k][i];
  if (!sim_rows_columns(s)) return 0;
  list(s);
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < a->nactive; i++) of[k][i] = by_row[(size_t)k * (size_t)r->n + (size_t)r->row_at[a->active[i]]];
  return 1;
}

// Room for an island of m rows, where the patterns follow; 0: no memory.
static int take_room(nsm_sim *s, int first, int m) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  int dense = is_dense(r, a, first, m);
  size_t nnz = dense ? (size_t)m * (size_t)m : entries_of(r, a, first, m),
         bytes = sim_cone_room(s, m, nnz, dense ? m : r->bandwidth);
  double *values = sim_pool_room(s, &a->room[0], nnz, sizeof *values);
  a->row_start = sim_pool_room(s, &a->room[1], (size_t)m + 1, sizeof *a->row_start);
  a->col = sim_pool_room(s, &a->room[2], nnz, sizeof *a->col);
  a->solver.work = sim_pool_room(s, &a->room[3], bytes, 1);
  if (!values || !a->row_start || !a->col || !a->solver.work) return 0;
  a->val = a->dense = values;
  nsm_cone_workspace_init(a->solver.work, bytes);       // as large as if it had never been larger: the same solvers
  return 1;
}

// The island that begins with entry `first` of the list, where each row is coupled with its neighbours alone
// (cone/tridiagonal.c). *end: the first entry behind it. 0 where it is one for the other solvers, *near: which begin
// best with this answer.
static int solve_chain(nsm_sim *s, int first, int *end, int *near) {
  sim_islands *a = &s->n.isl;
  double residual;
  int next = first + 1, at = a->active[first];
  while (next < a->nactive && a->active[next] == at + (next - first) && a->joined[a->active[next] - 1]) next++;
  *end = next;
  nsm_cone_tridiagonal p = { next - first, a->diagonals[0] + at, a->diagonals[1] + at, a->diagonals[2] + at,
                             a->q + first, a->terms + first, a->lo + first, a->hi + first };
  int rounds = nsm_cone_solve_tridiagonal(&p, a->zero + first, a->kept + first, a->lambda + first, a->u + first,
                                          &residual);
  s->now.count.solver_iterations += rounds;
  if (rounds > 0 && residual > s->now.count.max_residual) s->now.count.max_residual = residual;
  *near = residual < HUGE_VAL;
  if (!*near) memset(a->lambda + first, 0, (size_t)p.m * sizeof(double));
  return rounds > 0;
}

static int no_room(nsm_sim *s) {
  sim_islands *a = &s->n.isl;
  a->solver.result = (nsm_cone_result){ .status = NSM_CONE_FAILED, .worst = -1 };
  a->solver.failed_row = s->n.r.row_at[a->active[0]];
  s->n.r.no_room = 1;
  return 0;
}

// A pile, in factors.
static int solve_pile(nsm_sim *s, int first, int m) {
  sim_islands *a = &s->n.isl;
  nsm_cone_factors f;
  nsm_cone_problem p = { .m = m, .q = a->q + first, .lo = a->lo + first, .hi = a->hi + first,
                         .cone = a->solver.cone, .q_terms = a->terms + first };
  p.cones = sim_island_cones(s, &a->solver, s->n.r.row_at, a->active + first, m, a->solver.cone);
  if (a->solver.kind == SIM_CORRECTION || !sim_pile_pose(s, a->active[first], &p, &f)) return 0;
  size_t bytes = nsm_cone_factors_workspace(m, f.nodes, f.n);
  if (!(a->solver.work = sim_pool_room(s, &a->room[3], bytes, 1))) return no_room(s);
  nsm_cone_workspace_init(a->solver.work, bytes);
  return solved(s, &p, first, 1, NULL);
}

// Constraints in a problem with friction, for cone/reduced.c; NULL: there are none.
static const unsigned char *equations(nsm_sim *s, int first, int m) {
  const sim_rows *r = &s->n.r;
  const sim_islands *a = &s->n.isl;
  int any = 0;
  for (int i = first; i < first + m; i++) {
    int row = r->row_at[a->active[i]];
    a->equation[i] = s->a->cls[r->cls[row]].c->kind == NSM_CONSTRAINT && !sim_is_implied(s, row) &&
                     a->lo[i] == -INFINITY && a->hi[i] == INFINITY;
    any |= a->equation[i];
  }
  return any ? a->equation + first : NULL;
}

// Narrow bands go as compressed rows: their factors cost O(m). Others dense. near: lambda is all but the answer.
static int solve_island(nsm_sim *s, int first, int m, int near) {
  sim_islands *a = &s->n.isl;
  double small[SIM_TINY_BLOCKS * SIM_TINY_BLOCKS];
  if (sim_pile_end(&s->n.r, a->active[first]) > 0) return solve_pile(s, first, m);
  int tiny = m <= a->solver.tiny_most, dense = is_dense(&s->n.r, a, first, m);
  if (s->n.r.m_follows && !tiny && !take_room(s, first, m)) return no_room(s);
  nsm_cone_problem p = { .m = m, .q = a->q + first, .lo = a->lo + first, .hi = a->hi + first,
                         .cone = a->solver.cone, .q_terms = a->terms + first };
  p.cones = sim_island_cones(s, &a->solver, s->n.r.row_at, a->active + first, m, a->solver.cone);
  if (p.cones > 0 && s->a->on.constraint.n > 0) p.equation = equations(s, first, m);
  p.M = tiny ? small : dense ? a->dense : a->val;
  take_matrix(&s->n.r, a, first, m, (entries){ tiny ? small : dense ? a->dense : a->val,
                                               dense ? NULL : a->row_start, a->col });
  if (!dense) {
    p.row_start = a->row_start;
    p.col = a->col;
  }
  // The impulses of the last step say little where a contact has just closed, and chains have a good start of their own
  // (cone/chain.c).
  int warm = 1;
  if (!near && !tiny && s->n.r.bandwidth == 1 && !s->n.r.always)
    for (int i = first; i < first + m && warm; i++) warm = a->lambda[i] != 0;
  return solved(s, &p, first, warm, NULL);
}

int sim_islands_solve(nsm_sim *s) {
  sim_islands *a = &s->n.isl;
  for (int i = 0; i < a->nactive; i++) a->q[i] = sim_rate(a->q[i]);
  if (s->unique) sim_unique_begin(s);
  if (s->n.r.whole && a->nactive > 0) {
    if (sim_augmented_solve(s)) return 1;
    if (!take_columns(s)) return no_room(s);
  }
  if (s->n.r.no_room && a->nactive > 0) return no_room(s);
  if (a->nfixed > 0 && a->nactive == s->n.r.n && !a->solver.disk && a->solver.kind != SIM_CORRECTION) {
    for (int i = 0; i < a->nfixed; i++)
      if (!solved(s, &a->fixed[i].p, a->fixed[i].first, 1, a->fixed[i].work)) return 0;
    return 1;
  }
  int chains = sim_solves_chains(s) && a->solver.kind == SIM_BY_LAW;
  for (int first = 0, end, near = 0; first < a->nactive; first = end) {
    if (chains && solve_chain(s, first, &end, &near)) continue;
    end = island_end(&s->n.r, a, first);
    if (solve_island(s, first, end - first, near)) continue;
    if (!a->leaves) return 0;
    for (int i = first; i < end; i++) a->u[i] = NAN;
  }
  return 1;
}
