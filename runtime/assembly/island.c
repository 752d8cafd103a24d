// One island: the one-step problem of rows that are coupled with each other, whatever scheme it comes from. Small ones
// are dense and have a workspace for each size, which keeps factors and answers as long as the problem is the same
// again; corrections of what rounding left have one of their own, so that they leave these alone.
#include "assembly.h"
#include <math.h>
#include <string.h>

// ---- room -----------------------------------------------------------------------------------------------------------
size_t sim_cone_room(const nsm_sim *s, int m, size_t nnz, int bandwidth) {
  return nsm_cone_workspace_size_with(m, nnz, bandwidth, 2 * s->n.r.nfriction < m ? 2 * s->n.r.nfriction : m);
}

void *sim_cone_workspace(nsm_sim *s, int m, size_t nnz, int bandwidth, int dense) {
  size_t bytes = sim_cone_room(s, m, nnz, bandwidth),
         of_dense = sim_cone_room(s, dense, (size_t)dense * (size_t)dense, dense);
  if (bytes < of_dense) bytes = of_dense;
  void *w = sim_take_scratch(s, bytes);
  nsm_cone_workspace_init(w, bytes);
  return w;
}

void sim_solver_analyse(nsm_sim *s, sim_solver *w, sim_tiny *tiny, int most) {
  w->tiny = tiny;
  w->tiny_most = s->n.r.nfriction > 0 ? SIM_TINY_BLOCKS : SIM_TINY;
  w->cone = SIM_NEW(s, 2 * s->n.r.nfriction, nsm_cone_block);
  for (int m = 1; m <= w->tiny_most && m <= most; m++) {
    size_t full = (size_t)m * (size_t)m;
    w->tiny_work[m] = sim_cone_workspace(s, m, full, m, m);
    if (m == w->tiny_most || m == most) w->apart = sim_cone_workspace(s, m, full, m, m);
  }
}

// ---- friction -------------------------------------------------------------------------------------------------------
// Its rows are neighbours and active together; where normal rows are not in the island, the force is given.
int sim_island_cones(const nsm_sim *s, const sim_solver *w, const int *row, const int *at, int m,
                     nsm_cone_block *cone) {
  const sim_rows *r = &s->n.r;
  int n = 0;
  for (int i = 0; r->nfriction > 0 && w->kind != SIM_CORRECTION && i < m;) {
    int f = r->friction_of[row[at[i]]];
    if (f < 0 || !r->active[r->friction[f].row[0]]) { i++; continue; }
    const sim_friction *k = &r->friction[f];
    double given = k->normals == 0 ? sim_friction_pressed(s, f, NULL) : w->disk ? w->disk[f] : -1;
    if (given >= 0) {
      while (row[at[i]] != k->row[0]) i++;              // of the normal rows those that act
      int parts = sim_friction_under(s, f, given, i, cone + n);
      if (parts == 2 && !r->active[k->row[cone[n].size]]) parts = 1;    // its rolling takes no part
      for (; parts > 0; parts--) i += cone[n++].size;
      continue;
    }
    cone[n] = sim_friction_block(s, f, i);
    i += cone[n++].size;
  }
  return n;
}

// ---- the same problem again -----------------------------------------------------------------------------------------
static inline int same_cones(const nsm_cone_block *a, const nsm_cone_block *b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i].type != b[i].type || a[i].first != b[i].first || a[i].size != b[i].size || a[i].mu != b[i].mu ||
        a[i].mu2 != b[i].mu2 || a[i].radius != b[i].radius)
      return 0;
  return 1;
}

// Which bounds are finite, two bits a row: a solver's factors are those of rows of these kinds.
static inline unsigned kinds_of(const nsm_cone_problem *p) {
  unsigned kinds = 0;
  for (int i = 0; i < p->m; i++)
    kinds = 4 * kinds + 2 * (p->lo[i] > -INFINITY) + (p->hi[i] < INFINITY);
  return kinds;
}

// Field by field: they are saved, with the bytes between them, and the state of a run has one form.
static void keep_cones(nsm_cone_block *to, const nsm_cone_block *from, int n) {
  for (int i = 0; i < n; i++) {
    to[i].type = from[i].type;
    to[i].first = from[i].first;
    to[i].size = from[i].size;
    to[i].mu = from[i].mu;
    to[i].mu2 = from[i].mu2;
    to[i].radius = from[i].radius;
  }
}

// A problem equal to the last of its size keeps its id: beads of equal mass give the same small ones over and over.
static inline void notice(sim_tiny *t, nsm_cone_problem *p) {
  int m = p->m;
  size_t bytes = (size_t)(m * m) * sizeof *p->M;
  unsigned kinds = kinds_of(p);
  if (t->id[m] == 0 || memcmp(p->M, t->matrix[m], bytes) != 0 || kinds != t->kinds[m] || p->cones != t->cones[m] ||
      !same_cones(p->cone, t->cone[m], p->cones)) {
    memcpy(t->matrix[m], p->M, bytes);
    keep_cones(t->cone[m], p->cone, p->cones);
    t->cones[m] = p->cones;
    t->kinds[m] = kinds;
    t->id[m] = ++t->next_id;
  }
  p->M = t->matrix[m];
  p->cone = t->cone[m];
  p->matrix_id = t->id[m];
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

// Is the proof that of a loop of a network? Then isl.why names its parts.
static int is_loop(nsm_sim *s, const nsm_cone_problem *p, const void *work, const int *row, const int *at) {
  enum { MOST_ROWS = 64 };
  int of[MOST_ROWS];
  double margin;
  const double *y = nsm_cone_proof(work, &margin);
  if (!y || p->m > MOST_ROWS) return 0;
  for (int i = 0; i < p->m; i++) of[i] = row[at[i]];
  return sim_unlimited_loop(s, of, y, p->m, s->n.isl.why, sizeof s->n.isl.why);
}

// Into isl.why; the row that weighs most, -1 for none.
static int explain(nsm_sim *s, const nsm_cone_problem *p, const void *work, const int *row, const int *at) {
  place w = { s, row, at };
  int i = nsm_cone_explain(p, work, name_of_u, &w, s->n.isl.why, sizeof s->n.isl.why);
  s->n.isl.loop = is_loop(s, p, work, row, at);
  return i >= 0 ? row[at[i]] : -1;
}

// ---- solve ----------------------------------------------------------------------------------------------------------
// A correction of what rounding left (closed.c, consistent_rest.c): a linear system, or, where M is singular, its
// solution near 0. Few pivoting steps, as the active set is known; then a few proximal ones (runtime/cone/proximal.c).
// It is no problem of the model and is not written by --dump-problems.
static nsm_cone_status correct(nsm_sim *s, int small, const sim_island *k, void *work, nsm_cone_result *r) {
  nsm_cone_options o = s->w.cone;
  o.once = 1;
  o.tolerance = 0;                                         // of round-off, whatever the run asks for
  if (small) return nsm_cone_solve(&k->p, &o, work, k->lambda, k->u, r);
  o.solver = "pivot";
  o.max_iterations = 3;
  nsm_cone_status status = nsm_cone_solve(&k->p, &o, work, k->lambda, k->u, r);
  if (status == NSM_CONE_SOLVED) return status;
  s->w.work += r->work;
  memset(k->lambda, 0, (size_t)k->p.m * sizeof(double));
  o.solver = "proximal";
  o.max_iterations = 8;
  return nsm_cone_solve(&k->p, &o, work, k->lambda, k->u, r);
}

// The two levels of a problem: its tolerance is that of the run (w.cone.tolerance), and this is the residual with which
// it will do where it misses that; 0: none.
enum { SEVERAL = 4 };                    // contacts with friction
static const double will_do = 100, strictly = 10,         // times what is enough, in an iteration
                    sharply = 0.1,                        // of the tolerance
                    accept_large = 1e-6;
static inline double accept_of(const nsm_sim *s, const nsm_cone_problem *p) {
  return s->a->accept > 0 ? s->a->accept : p->cones > SIM_PILE ? accept_large : 0;
}

// ---- piles ----------------------------------------------------------------------------------------------------------
// More than SIM_PILE contacts of bodies by `moreau`: to a tolerance at which heights, energies and depths are those of
// 1e-12 (touching.md, 6), by sweeps, unless a tolerance is asked for that is not one of piles (piles.c).
static const double pile_tolerance = 1e-4, pile_accept = 1e-2;

static int is_pile(const nsm_sim *s, const sim_solver *w, const nsm_cone_problem *p) {
  return p->factors || (w->kind == SIM_BY_LAW && p->cones > SIM_PILE && !(w->enough > 0) && sim_piles_are_asked(s));
}

// The options of its problem; those of the run stay in *kept.
static void ask_of_pile(nsm_sim *s, nsm_cone_options *kept) {
  *kept = s->w.cone;
  if (!(s->w.cone.tolerance > 0)) s->w.cone.tolerance = pile_tolerance;
  if (!(s->a->accept > 0)) s->w.cone.accept = fmax(pile_accept, s->w.cone.tolerance);
  s->w.cone.solver = "sweeps";
  s->w.cone.once = 1;
}

static void count_pile(nsm_sim *s) {
  nsm_counters *c = &s->now.count;
  if (c->pile_step != s->now.k + 1) c->piles++;
  c->pile_step = s->now.k + 1;
  c->pile_tolerance = s->w.cone.tolerance > 0 ? s->w.cone.tolerance : pile_tolerance;
}

// A problem that misses both levels: the run goes on with the best answer, whose forces lie in their cones. It may make
// no energy: where lambda.(u + q)/2 > 0 all forces are taken smaller by one factor, to where that is least.
static void go_on(nsm_sim *s, const sim_island *k, double residual) {
  nsm_counters *c = &s->now.count;
  double a = 0, b = 0;
  for (int i = 0; i < k->p.m; i++) { a += k->lambda[i] * (k->u[i] - k->p.q[i]); b += k->lambda[i] * k->p.q[i]; }
  if (b + 0.5 * a > 0) {
    double share = b < 0 && a > 0 ? fmin(1, -b / a) : 0;
    for (int i = 0; i < k->p.m; i++) {
      k->lambda[i] *= share;
      k->u[i] = k->p.q[i] + share * (k->u[i] - k->p.q[i]);
    }
  }
  for (int i = 0; i < k->p.cones; i++)
    if (nsm_cone_normals(k->p.cone[i].type) == 1) c->closing = fmax(c->closing, -k->u[k->p.cone[i].first]);
  if (c->missed_step != s->now.k + 1) c->missed++;
  c->missed_step = s->now.k + 1;
  c->worst_missed = fmax(c->worst_missed, residual);
}

static void count_accepted(nsm_sim *s, double residual) {
  nsm_counters *c = &s->now.count;
  if (c->accepted_step != s->now.k + 1) c->accepted++;
  c->accepted_step = s->now.k + 1;
  if (residual > c->worst_accepted) c->worst_accepted = residual;
}

int sim_island_solve(nsm_sim *s, sim_solver *w, sim_island *k) {
  nsm_cone_result res;
  int m = k->p.m, small = m <= w->tiny_most && !k->work;
  void *work = k->work ? k->work : w->work;
  if (small && w->kind == SIM_BY_LAW) {
    notice(w->tiny, &k->p);
    work = w->tiny_work[m];
  } else if (small) work = w->apart;
  s->w.cone.warm = k->warm;
  s->w.cone.accept = w->kind == SIM_CORRECTION ? 0 : accept_of(s, &k->p);
  s->w.cone.brief = w->kind != SIM_CORRECTION ? w->brief : 0;
  const char *solver = s->w.cone.solver;
  if (w->kind == SIM_BY_LAW && w->only && k->p.cones >= SEVERAL && (!solver || strcmp(solver, "auto") == 0))
    s->w.cone.solver = w->only;
  double tolerance = s->w.cone.tolerance, enough = w->kind == SIM_BY_LAW ? w->enough : 0;
  if (enough > tolerance || (enough > 0 && w->strict)) s->w.cone.tolerance = enough;
  if (w->kind == SIM_BY_LAW && w->strict) s->w.cone.accept = strictly * enough;
  else if (enough > 0) s->w.cone.accept = fmax(s->w.cone.accept, will_do * enough);
  if (w->kind == SIM_BY_LAW && w->sharp) {
    s->w.cone.accept = fmax(s->w.cone.accept, s->a->tolerance);
    s->w.cone.tolerance = sharply * s->a->tolerance;
  }
  nsm_cone_options kept;
  int pile = is_pile(s, w, &k->p);
  if (pile) ask_of_pile(s, &kept);
  nsm_cone_status status = w->kind == SIM_CORRECTION
                               ? correct(s, small, k, work, &res)
                               : sim_cone_solve(s, k, work, &res);
  if (w->least && w->kind == SIM_BY_LAW && status == NSM_CONE_SOLVED) sim_least(s, w, k, small ? w->apart : work);
  if (pile) s->w.cone = kept;
  s->w.cone.tolerance = tolerance;
  s->w.cone.solver = solver;
  s->w.cone.brief = 0;
  s->now.count.solver_iterations += res.iterations;
  s->w.work += res.work;
  if (enough > 0 && (status == NSM_CONE_SOLVED || status == NSM_CONE_ACCEPTED)) return 1;
  if (status == NSM_CONE_ACCEPTED && !(w->sharp && res.residual <= s->a->tolerance)) count_accepted(s, res.residual);
  if (pile && (status == NSM_CONE_SOLVED || status == NSM_CONE_ACCEPTED)) count_pile(s);
  if (status == NSM_CONE_SOLVED || status == NSM_CONE_ACCEPTED) {
    if (res.residual > s->now.count.max_residual) s->now.count.max_residual = res.residual;
    if (__builtin_expect(s->unique != NULL, 0) && w->kind == SIM_BY_LAW)
      sim_unique_look(s, &k->p, k->lambda, k->row, k->at);
    return 1;
  }
  if (w->kind == SIM_CORRECTION) return 0;
  if (pile && status == NSM_CONE_FAILED && !s->a->settings.strict && !(s->a->accept > 0) && !sim_interrupted(s)) {
    go_on(s, k, res.residual);
    count_pile(s);
    return 1;
  }
  w->result = res;
  w->failed_row = k->row[k->at[res.worst >= 0 && res.worst < m ? res.worst : 0]];
  if (status == NSM_CONE_NO_SOLUTION && !s->w.cone.once) {
    int row = explain(s, &k->p, work, k->row, k->at);
    if (row >= 0) w->failed_row = row;
  }
  return 0;
}
