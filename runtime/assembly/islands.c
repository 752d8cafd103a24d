// The one-step problem (1), island by island: rows that are not coupled are solved apart, so n contacts far from each
// other cost n small problems. Islands are intervals of the active rows in the order of rows.c, found in one pass.
// Where all rows are always active and the matrix is constant, islands are found once and each keeps its factors.
#include "assembly.h"
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
  int reach = first;
  for (int i = first; i <= reach; i++) {
    int last = last_coupled(r, a, a->active[i]);
    if (last > reach) reach = last;
  }
  return reach + 1;
}

void sim_islands_list(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  int n = 0;
  for (int i = 0; i < r->n; i++) {
    a->active[n] = i;
    a->index[i] = n;
    n += r->active[r->row_at[i]];
  }
  a->nactive = n;
}

// The blocks of friction among the m rows from `first` of the active list; how many. Their rows are neighbours and
// active together.
static int take_cones(const nsm_sim *s, int first, int m, nsm_cone_block *cone) {
  const sim_rows *r = &s->n.r;
  int n = 0;
  for (int i = 0; r->nfriction > 0 && !s->n.isl.plain && i < m;) {
    int f = r->friction_of[r->row_at[s->n.isl.active[first + i]]];
    if (f < 0 || !r->active[r->friction[f].row[0]]) { i++; continue; }
    cone[n] = sim_friction_block(s, f, i);
    if (s->n.isl.disk) {                                  // the normal row is an interval, its directions a disk
      const sim_friction *k = &r->friction[f];
      cone[n] = (nsm_cone_block){
        .type = NSM_CONE_DISK, .first = i + k->normals, .size = k->n, .radius = s->n.isl.disk[f]
      };
      i = cone[n].first;
    }
    i += cone[n++].size;
  }
  return n;
}

int sim_same_cones(const nsm_cone_block *a, const nsm_cone_block *b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i].type != b[i].type || a[i].first != b[i].first || a[i].size != b[i].size || a[i].mu != b[i].mu ||
        a[i].mu2 != b[i].mu2 || a[i].radius != b[i].radius)
      return 0;
  return 1;
}

static size_t room_for(const nsm_sim *s, int m, size_t nnz, int bandwidth) {
  return nsm_cone_workspace_size_with(m, nnz, bandwidth, s->n.r.nfriction < m ? s->n.r.nfriction : m);
}

void *sim_cone_workspace(nsm_sim *s, int m, size_t nnz, int bandwidth, int dense) {
  size_t bytes = room_for(s, m, nnz, bandwidth), of_dense = room_for(s, dense, (size_t)dense * (size_t)dense, dense);
  if (bytes < of_dense) bytes = of_dense;
  void *w = sim_take(s, bytes, 1);
  nsm_cone_workspace_init(w, bytes);
  return w;
}

// Where island [first, last) of the active list has its matrix: dense column-major, or compressed rows.
static void take_matrix(const sim_rows *r, const sim_islands *a, int first, int m, int dense, double *M, int *row_start,
                        int *col) {
  if (dense) {
    memset(M, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++) {
      int at = a->active[first + i];
      for (int e = r->m0[at]; e < r->m0[at + 1]; e++)
        if (r->active[r->row_at[r->mc[e]]]) M[i + (a->index[r->mc[e]] - first) * m] = r->m[e];
    }
    return;
  }
  int n = 0;
  row_start[0] = 0;
  for (int i = 0; i < m; i++) {
    int at = a->active[first + i];
    for (int e = r->m0[at]; e < r->m0[at + 1]; e++)
      if (r->active[r->row_at[r->mc[e]]]) { col[n] = a->index[r->mc[e]] - first; M[n++] = r->m[e]; }
    row_start[i + 1] = n;
  }
}

// Narrow bands go as compressed rows: their factors cost O(m). Others dense.
static inline int is_dense(const sim_rows *r, const sim_islands *a, int m) {
  return m <= a->tiny_most || (m <= a->dense_cap && 3 * r->bandwidth >= m);
}

void sim_islands_analyse(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  int n = r->n, most = 0;
  a->active = SIM_NEW(s, n + 1, int);                 // one more: the list is written ahead
  a->index = SIM_NEW(s, n, int);
  a->zero = SIM_NEW(s, n, unsigned char);
  double **sized[] = { &a->q, &a->terms, &a->lo, &a->hi, &a->lambda, &a->u, &a->kept };
  for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) *sized[i] = SIM_NEW(s, n, double);
  a->cone = SIM_NEW(s, r->nfriction, nsm_cone_block);
  a->tiny_most = r->nfriction > 0 ? SIM_TINY_BLOCKS : SIM_TINY;
  if (n == 0) return;
  for (int i = 0; i < n; i++) r->active[i] = r->border_of[i] < 0;
  sim_islands_list(s);
  if ((n = a->nactive) == 0) return;
  size_t widest_nnz = 0;
  for (int first = 0; first < n;) {
    int end = island_end(r, a, first);
    size_t nnz = (size_t)(r->m0[a->active[end - 1] + 1] - r->m0[a->active[first]]);
    if (end - first > most) most = end - first;
    if (nnz > widest_nnz) widest_nnz = nnz;
    first = end;
  }
  a->dense_cap = 3 * r->bandwidth >= most ? most : 3 * r->bandwidth > a->tiny_most ? 3 * r->bandwidth : a->tiny_most;
  if (a->dense_cap > most) a->dense_cap = most;
  size_t cap = (size_t)a->dense_cap;
  a->dense = SIM_NEW(s, cap * cap, double);
  a->row_start = SIM_NEW(s, most + 1, int);
  a->col = SIM_NEW(s, widest_nnz, int);
  a->val = SIM_NEW(s, widest_nnz, double);
  a->work = sim_cone_workspace(s, most, widest_nnz, r->bandwidth, a->dense_cap);
  for (int m = 1; m <= a->tiny_most && m <= most; m++)
    a->tiny_work[m] = sim_cone_workspace(s, m, (size_t)(m * m), m, m);

  if (!(r->always && r->constant) || s->a->on.mu.n > 0) return;
  a->fixed = SIM_NEW(s, n, struct sim_fixed);
  size_t total = 0;
  for (int first = 0; first < n; a->nfixed++) {
    int end = island_end(r, a, first), m = end - first, dense = is_dense(r, a, m);
    size_t nnz = (size_t)(r->m0[a->active[end - 1] + 1] - r->m0[a->active[first]]);
    size_t size = dense ? (size_t)m * (size_t)m : nnz;
    struct sim_fixed *f = &a->fixed[a->nfixed];
    total += room_for(s, m, size, dense ? m : r->bandwidth);
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

void sim_islands_fix(nsm_sim *s) {
  sim_islands *a = &s->n.isl;
  a->fixes++;
  sim_tiny_forget(s->now.tiny);
  for (int i = 0; i < a->nfixed; i++) {
    struct sim_fixed *f = &a->fixed[i];
    take_matrix(&s->n.r, a, f->first, f->m, f->p.row_start == NULL, (double *)(uintptr_t)f->p.M,
                (int *)(uintptr_t)f->p.row_start, (int *)(uintptr_t)f->p.col);
    f->p.cone = f->cone;
    f->p.cones = take_cones(s, f->first, f->m, f->cone);
    f->p.matrix_id = a->fixes;
  }
}

// Few pivoting steps, as the active set is known; then a few proximal ones (runtime/cone/proximal.c).
nsm_cone_status sim_cone_correct(nsm_sim *s, const nsm_cone_problem *p, void *work, double *lambda, double *u,
                                 nsm_cone_result *r) {
  nsm_cone_options o = s->w.cone;
  o.once = 1;
  if (p->m <= s->n.isl.tiny_most) return nsm_cone_solve(p, &o, work, lambda, u, r);
  o.solver = "pivot";
  o.max_iterations = 3;
  nsm_cone_status status = nsm_cone_solve(p, &o, work, lambda, u, r);
  if (status == NSM_CONE_SOLVED) return status;
  memset(lambda, 0, (size_t)p->m * sizeof(double));
  o.solver = "proximal";
  o.max_iterations = 8;
  return nsm_cone_solve(p, &o, work, lambda, u, r);
}

// ---- why there is none ----------------------------------------------------------------------------------------------
typedef struct place { nsm_sim *s; const int *row, *at; } place;

// "the rate of contact floor"; what stands beside ">= 0" for a relation is the relation itself.
static void name_of_u(void *with, int i, char *out, size_t size) {
  const place *w = with;
  int row = w->row[w->at[i]];
  char name[256];
  sim_row_name(w->s, row, name, sizeof name);
  int relation = w->s->a->cls[w->s->n.r.cls[row]].c->kind == NSM_RELATION;
  snprintf(out, size, "%s%s", relation ? "the output of " : "the rate of ", name);
}

int sim_cone_explain(nsm_sim *s, const nsm_cone_problem *p, const void *work, const int *row, const int *at) {
  place w = { s, row, at };
  int i = nsm_cone_explain(p, work, name_of_u, &w, s->n.isl.why, sizeof s->n.isl.why);
  return i >= 0 ? row[at[i]] : -1;
}

// ---- two levels -----------------------------------------------------------------------------------------------------
enum { LARGE = 300 };                    // contacts with friction
static const double accept_large = 1e-6;

double sim_cone_accept(const nsm_sim *s, const nsm_cone_problem *p) {
  return s->a->accept > 0 ? s->a->accept : p->cones > LARGE ? accept_large : 0;
}

int sim_cone_good(nsm_sim *s, nsm_cone_status status, double residual) {
  nsm_counters *c = &s->now.count;
  if (status == NSM_CONE_ACCEPTED) {
    if (c->accepted_step != s->now.k + 1) c->accepted++;
    c->accepted_step = s->now.k + 1;
    if (residual > c->worst_accepted) c->worst_accepted = residual;
  }
  return status == NSM_CONE_SOLVED || status == NSM_CONE_ACCEPTED;
}

// ---- solve ----------------------------------------------------------------------------------------------------------
static inline int solved(nsm_sim *s, const nsm_cone_problem *p, void *work, int first, int warm) {
  sim_islands *a = &s->n.isl;
  nsm_cone_result res;
  s->w.cone.warm = warm;
  s->w.cone.accept = a->plain ? 0 : sim_cone_accept(s, p);
  nsm_cone_status status =
      a->plain ? sim_cone_correct(s, p, work, a->lambda + first, a->u + first, &res)
               : sim_cone_solve(s, p, work, a->lambda + first, a->u + first, &res, s->n.r.row_at, a->active + first);
  s->now.count.solver_iterations += res.iterations;
  if (sim_cone_good(s, status, res.residual)) {
    if (res.residual > s->now.count.max_residual) s->now.count.max_residual = res.residual;
    return 1;
  }
  if (a->plain) return 0;
  a->result = res;
  a->failed_row = s->n.r.row_at[a->active[first + (res.worst >= 0 && res.worst < p->m ? res.worst : 0)]];
  if (status == NSM_CONE_NO_SOLUTION) {
    int row = sim_cone_explain(s, p, work, s->n.r.row_at, a->active + first);
    if (row >= 0) a->failed_row = row;
  }
  return 0;
}

// A matrix equal to the last of its size keeps its id: beads of equal mass give the same small problems over and over.
void sim_tiny_notice(sim_tiny *t, int m, const double *M, const nsm_cone_block *cone, int cones) {
  size_t bytes = (size_t)(m * m) * sizeof *M;
  if (t->id[m] != 0 && memcmp(M, t->matrix[m], bytes) == 0 && cones == t->cones[m] &&
      sim_same_cones(cone, t->cone[m], cones))
    return;
  memcpy(t->matrix[m], M, bytes);
  memcpy(t->cone[m], cone, (size_t)cones * sizeof *cone);
  t->cones[m] = cones;
  t->id[m] = ++t->next_id;
}

void sim_tiny_forget(sim_tiny *t) { memset(t->id, 0, sizeof t->id); }

static int solve_tiny(nsm_sim *s, int first, int m) {
  sim_islands *a = &s->n.isl;
  sim_tiny *t = s->now.tiny;
  double M[SIM_TINY_BLOCKS * SIM_TINY_BLOCKS];
  take_matrix(&s->n.r, a, first, m, 1, M, NULL, NULL);
  nsm_cone_block cone[SIM_TINY_BLOCKS];
  int cones = take_cones(s, first, m, cone);
  sim_tiny_notice(t, m, M, cone, cones);
  nsm_cone_problem p = { .m = m,
                         .M = t->matrix[m],
                         .q = a->q + first,
                         .lo = a->lo + first,
                         .hi = a->hi + first,
                         .matrix_id = t->id[m],
                         .cone = t->cone[m],
                         .cones = cones,
                         .q_terms = a->terms + first };
  return solved(s, &p, a->tiny_work[m], first, 1);
}

static int solve_large(nsm_sim *s, int first, int m) {
  sim_islands *a = &s->n.isl;
  nsm_cone_problem p = {
    .m = m, .q = a->q + first, .lo = a->lo + first, .hi = a->hi + first, .cone = a->cone, .q_terms = a->terms + first
  };
  p.cones = take_cones(s, first, m, a->cone);
  if (is_dense(&s->n.r, a, m)) {
    take_matrix(&s->n.r, a, first, m, 1, a->dense, NULL, NULL);
    p.M = a->dense;
  } else {
    take_matrix(&s->n.r, a, first, m, 0, a->val, a->row_start, a->col);
    p.M = a->val;
    p.row_start = a->row_start;
    p.col = a->col;
  }
  // The impulses of the last step say little where a contact has just closed, and chains have a good start of their own
  // (cone/chain.c).
  int warm = 1;
  if (s->n.r.bandwidth == 1 && !s->n.r.always)
    for (int i = first; i < first + m && warm; i++) warm = a->lambda[i] != 0;
  return solved(s, &p, a->work, first, warm);
}

int sim_islands_solve(nsm_sim *s) {
  sim_islands *a = &s->n.isl;
  if (a->nfixed > 0 && a->nactive == s->n.r.n && !a->disk && !a->plain) {
    for (int i = 0; i < a->nfixed; i++)
      if (!solved(s, &a->fixed[i].p, a->fixed[i].work, a->fixed[i].first, 1)) return 0;
    return 1;
  }
  for (int first = 0; first < a->nactive;) {
    int end = island_end(&s->n.r, a, first), m = end - first;
    if (!(m <= a->tiny_most ? solve_tiny(s, first, m) : solve_large(s, first, m))) return 0;
    first = end;
  }
  return 1;
}
