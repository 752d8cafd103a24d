// Contacts closed at q_B: 0 <= g(q_E) - g(q_B) perp lambda_N >= 0, linearised at an iterate a with the smooth rows
// eliminated:
//
//   w = g(q^a) - g(q_B) + H (dq_free - D^a lambda^a) + D^a lambda,
//   D^a = H [(h/2) (K^{-1} B)_u - P (K^{-1} B)_kappa],  B = Dg_N^T   (13)
//
// solved island by island: contacts are coupled where they touch the same block of K.
#include "consistent.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CORRECTED = 60 };            // rows of an island of shapes
// Residuals of an answer to go on from, and of forces that may stay as they are; what all solvers together are to gain.
static const double usable = 1e-2, stays = 1e-10, gain = 1e-3;

// B of a contact in the blocks of its list.
static void direction_in_blocks(nsm_sim *s, int row) {
  struct sim_consistent *c = s->n.con;
  const sim_matrix *w = &c->k;
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *b = con_direction(s, row);
  for (int t = c->blocks0[row]; t < c->blocks0[row + 1]; t++) {
    c->seat[c->blocks[t]] = t;
    memset(c->x + c->x0[t], 0, (size_t)w->block[c->blocks[t]].n * sizeof(double));
  }
  for (int e = 0; e < k->c->h.n; e++) {
    int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]), in = w->block_of[z];
    c->x[c->x0[c->seat[in]] + (size_t)(w->place[z] - w->block[in].first)] += b[e];
  }
}

// Columns in one block that are solved for together: places in c->blocks.
typedef struct few { int n, t[NSM_SPARSE_LANES]; } few;

// (h/2) (K^{-1} B)_u - P (K^{-1} B)_kappa
static void motion_of(nsm_sim *s, const few *f, double h) {
  struct sim_consistent *c = s->n.con;
  const sim_matrix *w = &c->k;
  const sim_rows *r = &s->n.r;
  const sim_block *block = &w->block[c->blocks[f->t[0]]];
  for (int i = 0; i < block->n; i++) {
    int z = w->order[block->first + i];
    for (int l = 0; l < f->n; l++) c->xq[c->x0[f->t[l]] + (size_t)i] = 0;
    if (z >= s->a->nv) continue;
    for (int l = 0; l < f->n; l++) c->xq[c->x0[f->t[l]] + (size_t)i] = 0.5 * h * c->x[c->x0[f->t[l]] + (size_t)i];
    for (int e = r->z0[z]; c->ns > 0 && e < r->z0[z + 1]; e++) {
      int j = c->of[r->zs[e]];
      if (j < 0) continue;
      size_t kappa = (size_t)(w->place[s->a->nv + c->ns + j] - block->first);
      double p = r->x[r->zx[e]];
      for (int l = 0; l < f->n; l++) c->xq[c->x0[f->t[l]] + (size_t)i] -= p * c->x[c->x0[f->t[l]] + kappa];
    }
  }
}

// One unknown by itself, without constraints: place t.
static void solve_single(nsm_sim *s, int t, double h) {
  struct sim_consistent *c = s->n.con;
  double x = c->x[c->x0[t]] *= c->k.inverse[c->k.order[c->k.block[c->blocks[t]].first]];
  c->xq[c->x0[t]] = 0.5 * h * x;
}

static void solve_few(nsm_sim *s, few *f, double h) {
  struct sim_consistent *c = s->n.con;
  double *x[NSM_SPARSE_LANES];
  if (f->n == 0) return;
  int b = c->blocks[f->t[0]];
  for (int l = 0; l < f->n; l++) x[l] = c->x + c->x0[f->t[l]];
  if (f->n == NSM_SPARSE_LANES && con_block_has_lanes(s, b)) con_block_solve_lanes(s, b, x);
  else for (int l = 0; l < f->n; l++) con_block_solve(s, b, x[l]);
  motion_of(s, f, h);
  f->n = 0;
}

static size_t column_size(const struct sim_consistent *c, int row) {
  size_t n = 0;
  for (int t = c->blocks0[row]; t < c->blocks0[row + 1]; t++) n += (size_t)c->k.block[c->blocks[t]].n;
  return n;
}

// Room for the columns that are missing. Where K is constant columns are kept, those of contacts that have opened too
// while these are not most of them.
static int room_for_columns(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  size_t closed = 0, missing = 0;
  for (int i = 0; i < c->na; i++) {
    size_t n = column_size(c, c->act[i]);
    closed += n;
    missing += c->has_column[c->act[i]] ? 0 : n;
  }
  if (!c->affine || (c->x_used + missing > MOST_KEPT && c->x_used + missing > 2 * closed)) {
    memset(c->has_column, 0, (size_t)s->n.r.n);
    c->x_used = 0;
    missing = closed;
  }
  c->x = sim_pool_more(s, &c->room[0], c->x_used + missing + 1, sizeof(double));
  c->xq = sim_pool_more(s, &c->room[1], c->x_used + missing + 1, sizeof(double));
  for (int i = 0; i < c->na; i++)
    for (int row = c->act[i], t = c->blocks0[row]; t < c->blocks0[row + 1] && !c->has_column[row]; t++) {
      c->x0[t] = c->x_used;
      c->x_used += (size_t)c->k.block[c->blocks[t]].n;
    }
  return c->x && c->xq;
}

int con_columns(nsm_sim *s, double h) {
  struct sim_consistent *c = s->n.con;
  few f = { 0 };
  if (!room_for_columns(s)) return 0;
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i];
    if (!c->has_column[row]) direction_in_blocks(s, row);
    for (int t = c->blocks0[row]; t < c->blocks0[row + 1] && !c->has_column[row]; t++) {
      if (c->k.block[c->blocks[t]].kind == BLOCK_SCALAR && c->ns == 0) { solve_single(s, t, h); continue; }
      if (f.n == NSM_SPARSE_LANES || (f.n > 0 && c->blocks[f.t[0]] != c->blocks[t])) solve_few(s, &f, h);
      f.t[f.n++] = t;
    }
    c->has_column[row] |= (unsigned char)c->affine;
  }
  solve_few(s, &f, h);
  return 1;
}

// H of (13). Of contacts of shapes, whose H is that of the begin of the step, the discrete gradient stands for it: its
// change with the iterate, of order |increment|/R, is left out, and D = B^T K^{-1} B has the definiteness of K. With
// another H on the left D is no longer monotone, and where bodies touch in more points than hold them the problem would
// have other forces than those at hand, far away, or none.
static const double *jacobian(const nsm_sim *s, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  if (k->c->dg_fn && k->c->h_stage < NSM_STATE) return con_direction(s, row);
  return k->h + (size_t)(row - k->row0) * (size_t)k->c->h.n;
}

// The q part of a contact's column in block b.
static const double *column_in(const struct sim_consistent *c, int row, int b) {
  int t = c->blocks0[row];
  while (c->blocks[t] != b) t++;
  return c->xq + c->x0[t];
}

// D_ii of a contact.
static double own(nsm_sim *s, int row) {
  const struct sim_consistent *c = s->n.con;
  const sim_matrix *w = &c->k;
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *h = jacobian(s, row);
  double sum = 0;
  for (int e = 0; e < k->c->h.n; e++) {
    int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]), b = w->block_of[z];
    sum += h[e] * column_in(c, row, b)[w->place[z] - w->block[b].first];
  }
  return sum;
}

static double change_of_gap(const nsm_sim *s, int row) {
  const struct sim_consistent *c = s->n.con;
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *h = jacobian(s, row);
  double sum = c->gap[row];
  for (int e = 0; e < k->c->h.n; e++) sum += h[e] * c->dq[sim_z_of(s, k, row - k->row0, k->c->h.col[e])];
  return sum;
}

// Size of the terms of the change of a gap: of the increments, since it is made of these and not of two gaps.
static double terms_of_change(const nsm_sim *s, int row) {
  const struct sim_consistent *c = s->n.con;
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *h = jacobian(s, row);
  double sum = fabs(c->gap[row]) + con_gap_terms(s, s->n.h, row);
  for (int e = 0; e < k->c->h.n; e++) sum += fabs(h[e]) * fabs(c->dq[sim_z_of(s, k, row - k->row0, k->c->h.col[e])]);
  return sum;
}

// ---- islands --------------------------------------------------------------------------------------------------------
static void join(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  for (int i = 0; i < c->na; i++) {
    c->parent[i] = i;
    for (int t = c->blocks0[c->act[i]]; t < c->blocks0[c->act[i] + 1]; t++) {
      c->seat[c->blocks[t]] = -1;
      c->crowd[c->blocks[t]] = 0;
    }
  }
  for (int i = 0; i < c->na; i++)
    for (int t = c->blocks0[c->act[i]]; t < c->blocks0[c->act[i] + 1]; t++) {
      int *seat = &c->seat[c->blocks[t]];
      c->crowd[c->blocks[t]]++;
      if (*seat < 0) *seat = i;
      else nsm_unite(c->parent, i, *seat);
    }
  for (int i = 1; i < c->na; i++) {                        // the rows of a block of friction stay together
    int f = s->n.r.friction_of[c->act[i]];
    if (f >= 0 && f == s->n.r.friction_of[c->act[i - 1]]) nsm_unite(c->parent, i, i - 1);
  }
}

// Of each block that is touched: its closed contacts and the places of their columns.
static void list_by_block(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  int used = 0;
  for (int i = 0; i < c->na; i++)
    for (int t = c->blocks0[c->act[i]]; t < c->blocks0[c->act[i] + 1]; t++) c->at_block0[c->blocks[t]] = -1;
  for (int i = 0; i < c->na; i++)
    for (int t = c->blocks0[c->act[i]]; t < c->blocks0[c->act[i] + 1]; t++) {
      int b = c->blocks[t], fresh = c->at_block0[b] < 0;
      if (fresh) {
        c->at_block0[b] = c->at_end[b] = used;
        used += c->crowd[b];
      }
      c->at_block[c->at_end[b]] = i;
      c->at_x[c->at_end[b]++] = c->x0[t];
    }
}

// Blocks list their contacts in ascending order: runs of few, one after another.
static void sort(int n, int *x) {
  for (int i = 1; i < n; i++) {
    int now = x[i], k = i;
    for (; k > 0 && x[k - 1] > now; k--) x[k] = x[k - 1];
    x[k] = now;
  }
}

// Numbers of the contacts that row a of the island is coupled with, ascending, into col; how many.
static int coupled(nsm_sim *s, int a, int *col) {
  struct sim_consistent *c = s->n.con;
  int i = c->act[c->member[a]], n = 0;
  for (int t = c->blocks0[i]; t < c->blocks0[i + 1]; t++)
    for (int b = c->blocks[t], at = c->at_block0[b]; at < c->at_end[b]; at++) {
      int j = c->at_block[at];
      if (c->mark[j] != i) col[n++] = c->local[j];
      c->mark[j] = i;
    }
  for (int e = 0; e < n; e++) c->mark[c->member[col[e]]] = -1;
  sort(n, col);
  return n;
}

// Rows of one contact, which move the same unknowns, are coupled with the same others.
static int moves_the_same(const nsm_sim *s, int a) {
  const struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  int i = c->act[c->member[a]], before = a > 0 ? c->act[c->member[a - 1]] : i;
  int n = c->blocks0[i + 1] - c->blocks0[i];
  return a > 0 && r->friction_of[i] >= 0 && r->friction_of[i] == r->friction_of[before] &&
         n == c->blocks0[before + 1] - c->blocks0[before] &&
         memcmp(c->blocks + c->blocks0[i], c->blocks + c->blocks0[before], (size_t)n * sizeof *c->blocks) == 0;
}

// Row a of D of (12) in the island, into c->line at the n numbers in col.
static void row_of_D(nsm_sim *s, int a, const int *col, int n) {
  struct sim_consistent *c = s->n.con;
  const sim_matrix *w = &c->k;
  int i = c->act[c->member[a]];
  const sim_class *k = &s->a->cls[s->n.r.cls[i]];
  const double *h = jacobian(s, i);
  for (int e = 0; e < n; e++) c->line[col[e]] = 0;
  for (int e = 0; e < k->c->h.n; e++) {
    int z = sim_z_of(s, k, i - k->row0, k->c->h.col[e]), b = w->block_of[z];
    const double *x = c->xq + w->place[z] - w->block[b].first, by = h[e];
    for (int at = c->at_block0[b], end = c->at_end[b]; at < end; at++)
      c->line[c->local[c->at_block[at]]] += by * x[c->at_x[at]];
  }
}

static int is_slip(const nsm_sim *s, int row) { return s->a->cls[s->n.r.cls[row]].c->kind == NSM_FRICTION; }

// D by compressed rows; small or full ones dense by columns, in place of them.
static nsm_cone_problem island(nsm_sim *s, int m, int sparse) {
  struct sim_consistent *c = s->n.con;
  sim_solver *w = &c->solver;
  int plain = w->kind == SIM_CORRECTION;
  nsm_cone_problem p = { .m = m, .M = c->m, .q = c->qv, .lo = c->lo, .hi = c->hi, .q_terms = c->terms };
  int n = 0, count = 0;
  if (!sparse) memset(c->m, 0, (size_t)m * (size_t)m * sizeof *c->m);
  for (int a = 0; a < m; a++) {
    int i = c->member[a], *col = c->col + n;
    if (!moves_the_same(s, a)) count = coupled(s, a, col);
    else if (sparse) memcpy(col, col - count, (size_t)count * sizeof *col);
    row_of_D(s, a, col, count);
    c->row_start[a] = n;
    c->qv[a] = !plain ? change_of_gap(s, c->act[i]) : c->zero[i] ? c->gap[c->act[i]] : 0;
    c->terms[a] = !plain ? terms_of_change(s, c->act[i]) : fabs(c->qv[a]);
    c->lo[a] = !plain ? 0 : !c->zero[i] ? 0 : is_slip(s, c->act[i]) ? -INFINITY : -c->l0[i];
    c->hi[a] = !plain || c->zero[i] ? INFINITY : 0;
    c->lam[a] = plain ? 0 : c->l0[i];
    for (int e = 0; e < count; e++) {
      int other = col[e];
      double value = c->line[other];
      c->m[sparse ? (size_t)(n + e) : (size_t)a + (size_t)other * (size_t)m] = value;
      if (other == a) c->diag[i] = value;
      if (plain) continue;
      c->qv[a] -= value * c->l0[c->member[other]];
      c->terms[a] += fabs(value * c->l0[c->member[other]]);
    }
    if (sparse) n += count;
  }
  c->row_start[m] = n;
  p.cone = w->cone;
  p.cones = sim_island_cones(s, w, c->act, c->member, m, w->cone);
  if (sparse) {
    p.row_start = c->row_start;
    p.col = c->col;
  }
  return p;
}

static int pressed_by_gap(const nsm_sim *s, int row) {
  const sim_friction *f = &s->n.r.friction[s->n.r.friction_of[row]];
  return f->normals > 0 && !nsm_cone_is_grip(f->type);
}

// What opens by itself needs no force.
static int opens(nsm_sim *s, int m) {
  struct sim_consistent *c = s->n.con;
  for (int a = 0; a < m; a++)
    if (c->l0[c->member[a]] != 0 || !(is_slip(s, c->act[c->member[a]]) ? pressed_by_gap(s, c->act[c->member[a]])
                                                                       : change_of_gap(s, c->act[c->member[a]]) >= 0))
      return 0;
  for (int a = 0; a < m; a++) {
    int i = c->member[a];
    c->diag[i] = own(s, c->act[i]);
    s->w.l_try[s->n.r.l[c->act[i]]] = 0;
  }
  return 1;
}

// Entries that D of the island can have.
static size_t entries_of(const nsm_sim *s, int m) {
  const struct sim_consistent *c = s->n.con;
  size_t n = 0;
  for (int a = 0; a < m; a++)
    for (int row = c->act[c->member[a]], t = c->blocks0[row]; t < c->blocks0[row + 1]; t++)
      n += (size_t)c->crowd[c->blocks[t]];
  return n;
}

// Entries that it has: two contacts share several blocks of K where the velocities of a body are one block each.
static size_t entries_once(nsm_sim *s, int m) {
  struct sim_consistent *c = s->n.con;
  size_t n = 0;
  for (int a = 0; a < m; a++) {
    int row = c->act[c->member[a]];
    for (int t = c->blocks0[row]; t < c->blocks0[row + 1]; t++)
      for (int b = c->blocks[t], at = c->at_block0[b]; at < c->at_end[b]; at++) {
        n += c->mark[c->at_block[at]] != row;
        c->mark[c->at_block[at]] = row;
      }
  }
  for (int a = 0; a < m; a++) c->mark[c->member[a]] = -1;
  return n;
}

// Then the projected step goes on without D.
static int no_memory(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  c->solver.result = (nsm_cone_result){ .status = NSM_CONE_FAILED, .residual = INFINITY, .worst = -1 };
  c->solver.failed_row = c->act[c->member[0]];
  s->n.r.no_room = 1;
  return 0;
}

// The workspace for p, as large as if none had been needed before: the same solvers fit.
static int workspace(nsm_sim *s, const nsm_cone_problem *p) {
  struct sim_consistent *c = s->n.con;
  size_t nnz = p->row_start ? (size_t)p->row_start[p->m] : (size_t)p->m * (size_t)p->m;
  int bandwidth = p->row_start ? 0 : p->m;
  for (int a = 0; p->row_start && a < p->m; a++)
    for (int e = p->row_start[a]; e < p->row_start[a + 1]; e++) {
      int d = p->col[e] > a ? p->col[e] - a : a - p->col[e];
      bandwidth = d > bandwidth ? d : bandwidth;
    }
  size_t bytes = sim_cone_room(s, p->m, nnz, bandwidth);
  c->solver.work = sim_pool_room(s, &c->room[4], bytes, 1);
  if (!c->solver.work) return 0;
  nsm_cone_workspace_init(c->solver.work, bytes);
  return 1;
}

// No displacement of the island is to be corrected. In piles bodies touch in more points than hold them: their
// equations depend on each other, and are not tried where there are many.
static int is_right(nsm_sim *s, int m) {
  struct sim_consistent *c = s->n.con;
  for (int a = 0; a < m && (!s->touching || m <= MOST_CORRECTED); a++)
    if (c->zero[c->member[a]] == CON_IS_OFF) return 0;
  for (int a = 0; a < m; a++) s->w.l_try[s->n.r.l[c->act[c->member[a]]]] = c->l0[c->member[a]];
  return 1;
}

// An answer that is not within what was asked for, but better than the forces at hand, is one to go on from. So are
// these forces where nothing better was found and they are nearly right: the iteration then stands with them.
static int leads_on(const nsm_cone_result *r) {
  int same = !r->solver || strcmp(r->solver, "start") == 0;
  return r->status == NSM_CONE_FAILED && r->residual <= (same ? stays : usable);
}

// By all solvers, from the forces at hand, whose residual was found: to a good part of that.
static int solve_in_full(nsm_sim *s, sim_island *k) {
  struct sim_consistent *c = s->n.con;
  double enough = c->solver.enough;
  for (int a = 0; a < k->p.m; a++) c->lam[a] = c->l0[c->member[a]];
  c->solver.brief = 0;
  c->solver.only = NULL;
  if (c->solver.result.residual < HUGE_VAL) c->solver.enough = fmax(enough, gain * c->solver.result.residual);
  int ok = sim_island_solve(s, &c->solver, k);
  c->solver.brief = 1;
  c->solver.enough = enough;
  return ok;
}

static int solve_island(nsm_sim *s, int m) {
  struct sim_consistent *c = s->n.con;
  int plain = c->solver.kind == SIM_CORRECTION;
  if (plain && is_right(s, m)) return 1;
  if (!plain && opens(s, m)) return 1;
  for (int a = 0; a < m; a++) c->local[c->member[a]] = a;
  size_t square = (size_t)m * (size_t)m, entries = entries_of(s, m);
  if (m > DENSE_ISLAND && entries >= square / 4) entries = entries_once(s, m);
  int sparse = m > DENSE_ISLAND && entries < square / 4;
  c->m = sim_pool_room(s, &c->room[2], sparse ? entries : square, sizeof *c->m);
  c->col = sim_pool_room(s, &c->room[3], sparse || entries > square ? entries : square, sizeof *c->col);
  if (!c->m || !c->col) return no_memory(s);
  sim_island k = { island(s, m, sparse), c->act, c->member, c->lam, c->uv, 1, NULL };
  if (m > c->solver.tiny_most && !workspace(s, &k.p)) return no_memory(s);
  s->w.cone.once = 1;                                        // where it fails there is the projected step
  int ok = sim_island_solve(s, &c->solver, &k);
  if (!ok && !plain && c->solver.brief) ok = leads_on(&c->solver.result) || solve_in_full(s, &k);
  else if (!ok && !plain && c->stuck) ok = leads_on(&c->solver.result);
  s->w.cone.once = 0;
  if (!ok) return 0;
  double change = 0, force = 0;
  for (int a = 0; plain && a < m; a++) {
    change = fmax(change, fabs(c->lam[a]));
    force = fmax(force, fabs(c->l0[c->member[a]]));
  }
  if (plain && !sim_is_correction(change, force)) return 0;
  for (int a = 0; a < m; a++) {
    int i = c->member[a];
    s->w.l_try[s->n.r.l[c->act[i]]] = plain ? c->l0[i] + c->lam[a] : c->lam[a];
  }
  return 1;
}

// A grip's normal force is an unknown of K: it is given by the iterate.
static void limits(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  sim_pressed_grips(s, c->press, c->disk);
  c->solver.disk = c->disk;
}

int con_contacts(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  for (int i = 0; i < c->na; i++) c->l0[i] = s->w.l1[s->n.r.l[c->act[i]]];
  join(s);
  list_by_block(s);
  limits(s);
  for (int i = 0; i < c->na; i++) c->count[i] = 0;
  for (int i = c->na - 1; i >= 0; i--) {                   // the first is the root
    int r = nsm_root(c->parent, i);
    c->next[i] = c->count[r]++ > 0 ? c->local[r] : -1;
    c->local[r] = i;
  }
  for (int first = 0; first < c->na; first++) {
    int m = c->count[first];
    if (m == 0) continue;
    for (int i = first, n = 0; n < m; i = c->next[i]) c->member[n++] = i;
    if (!solve_island(s, m)) return 0;
  }
  return 1;
}

// The directions of slip of a contact from number i on, with the normal force found before; the number of the last.
static int project_slip(nsm_sim *s, int i) {
  struct sim_consistent *c = s->n.con;
  int f = s->n.r.friction_of[c->act[i]], n = s->n.r.friction[f].n, normal = s->n.r.friction[f].normal[0];
  double u[SIM_SLIPS], diagonal[SIM_SLIPS], lambda[SIM_SLIPS];
  for (int d = 0; d < n; d++) {
    int row = c->act[i + d];
    c->diag[i + d] = diagonal[d] = own(s, row);
    c->l0[i + d] = lambda[d] = s->w.l1[s->n.r.l[row]];
    u[d] = change_of_gap(s, row);
  }
  const double *l = normal < 0 || s->n.con->of[normal] >= 0 ? c->press : s->w.l_try;
  sim_friction_prox(s, f, sim_friction_pressed(s, f, l), u, diagonal, 0.8, lambda);
  for (int d = 0; d < n; d++) s->w.l_try[s->n.r.l[c->act[i + d]]] = lambda[d];
  return i + n - 1;
}

// (2.72) of [Möller 2011], with the factor of a contact from its own entry of D: lambda := prox(lambda - r w), r = 0.8
// / D_ii.
void con_project(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  s->now.con.projections++;
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i];
    double d = c->diag[i] = own(s, row), l = s->w.l1[s->n.r.l[row]];
    c->l0[i] = l;
    if (is_slip(s, row)) { i = project_slip(s, i); continue; }
    s->w.l_try[s->n.r.l[row]] = d > 0 ? fmax(0, l - 0.8 / d * change_of_gap(s, row)) : l;
  }
}

void con_apply_contacts(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  const sim_matrix *w = &c->k;
  for (int i = 0; i < c->na; i++) {
    int row = c->act[i];
    double d = s->w.l_try[s->n.r.l[row]] - c->l0[i];
    if (d == 0) continue;
    for (int t = c->blocks0[row]; t < c->blocks0[row + 1]; t++) {
      const sim_block *b = &w->block[c->blocks[t]];
      for (int e = 0; e < b->n; e++) c->dz[w->order[b->first + e]] += d * c->x[c->x0[t] + e];
    }
  }
}
