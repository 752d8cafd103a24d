// A matrix near to K, (11) of docs/numerics/consistent.md, for bodies on joints. The momentum rows keep what couples
// the velocities of one body: the forces on it, and the curvature of its constraints at the begin of the step. So they
// are eliminated body by body, and what the second multipliers do to speeds and forces is put in afterwards:
//
//   [ A                -Dg^T ] [ du      ]     [ res - Drate^T dkappa     ]
//   [ H + (h/2) rate_q   0   ] [ dlambda ] = - [ rates - rate_q P dkappa  ]                                        (17)
//
//   G P dkappa = gaps + (h/2) G du,     G = dg_E/dq_E                                                              (18)
//
//   A = R1_u + (h/2) (R1_q - 1/2 d(H^T lambda)/dq), the blocks of a body alone, the last term at q_B              (19)
//
// solved in turn, twice. Left are two matrices of the size of the constraints, (H + (h/2) rate_q) A^-1 Dg^T and G P, in
// which joints meet where they share a body.
#include "consistent_near.h"
#include "runtime/la/vector.h"
#include <string.h>

enum { ROUNDS = 2, LARGE = 24, LANES = 4 };

// ---- units ----------------------------------------------------------------------------------------------------------
// What a block of M or a body couples is a unit; 0 where one is large.
static int find_units(nsm_sim *s) {
  struct con_near *near = s->n.con->near;
  int nv = s->a->nv, *up = SIM_LEND(s, nv, int), *first = SIM_LEND(s, s->n.w.nblock, int), most = 0;
  for (int b = 0; b < s->n.w.nblock; b++) first[b] = -1;
  for (int z = 0; z < nv; z++) {
    int *of = &first[s->n.w.block_of[z]];
    if (*of < 0) *of = z;
    up[z] = *of;
  }
  for (int a = 0; a < s->a->on.kinematics.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.kinematics.of[a]];
    for (int i = 0; i < k->tab.count && !k->c->remembers; i++)
      for (int e = 0, z = -1; e < k->c->nslot; e++) {
        if (k->c->slot[e] == NSM_SLOT_POSITION) continue;
        int other = sim_z_of(s, k, i, e);
        if (z >= 0) sim_unite(up, z, other);
        z = other;
      }
  }
  near->unit = SIM_NEW(s, nv, int);
  near->seat = SIM_NEW(s, nv, int);
  near->velocities = SIM_NEW(s, nv, int);
  for (int z = 0; z < nv; z++) near->unit[z] = sim_root(up, z) == z ? near->units++ : -1;
  for (int z = 0; z < nv; z++) near->unit[z] = near->unit[sim_root(up, z)];
  near->unit0 = SIM_NEW(s, near->units + 1, int);
  near->a0 = SIM_NEW(s, near->units + 1, int);
  for (int z = 0; z < nv; z++) near->seat[z] = near->velocities[near->unit[z]]++;
  for (int u = 0; u < near->units; u++) {
    int n = near->velocities[u], room = (n + LANES - 1) / LANES * LANES;
    most = n > most ? n : most;
    near->a0[u + 1] = near->a0[u] + n * room;
    near->unit0[u + 1] = near->unit0[u] + room;
  }
  for (int z = 0; z < nv; z++) near->seat[z] += near->unit0[near->unit[z]];
  near->a = SIM_NEW(s, near->a0[near->units], double);
  near->inverse = SIM_NEW(s, near->a0[near->units], double);
  sim_give(s, up);
  sim_give(s, first);
  return most <= LARGE;
}

// Its room: a multiple of LANES, zeros behind its velocities.
static int room_of(const struct con_near *near, int u) { return near->unit0[u + 1] - near->unit0[u]; }

// Where the value of velocity z stands in a row.
static int value_of(const struct con_near *near, int row, int z) {
  int at = near->value0[row];
  for (int k = near->part0[row]; near->part[k] != near->unit[z]; k++) at += room_of(near, near->part[k]);
  return at + near->seat[z] - near->unit0[near->unit[z]];
}

static void find_parts(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  const sim_rows *r = &s->n.r;
  near->value0 = SIM_NEW(s, c->ns + 1, int);
  near->part0 = SIM_NEW(s, c->ns + 1, int);
  near->part = SIM_NEW(s, r->b0[r->n], int);
  for (int j = 0, n = 0; j < c->ns; j++) {
    near->value0[j + 1] = near->value0[j];
    for (int e = r->b0[c->row[j]]; e < r->b0[c->row[j] + 1]; e++) {
      int u = near->unit[r->bz[e]], k = near->part0[j];
      while (k < n && near->part[k] != u) k++;
      if (k < n) continue;
      near->part[n++] = u;
      near->value0[j + 1] += room_of(near, u);
    }
    near->part0[j + 1] = n;
  }
  double **values[] = { &near->end, &near->h, &near->dg, &near->x, &near->g, &near->p, &near->dr, &near->rq };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    *values[i] = SIM_NEW(s, near->value0[c->ns], double);
}

// The shared units of row i and row j; NULL: how many.
static int shares_of(const struct con_near *near, int i, int j, struct con_share *to) {
  int count = 0;
  for (int a = near->part0[i], at = near->value0[i]; a < near->part0[i + 1]; at += room_of(near, near->part[a++]))
    for (int b = near->part0[j], bt = near->value0[j]; b < near->part0[j + 1]; bt += room_of(near, near->part[b++])) {
      if (near->part[a] != near->part[b]) continue;
      if (to) to[count] = (struct con_share){ at, bt, room_of(near, near->part[a]) };
      count++;
    }
  return count;
}

static void find_shares(nsm_sim *s) {
  struct con_near *near = s->n.con->near;
  int ns = s->n.con->ns;
  near->share0 = SIM_NEW(s, near->pair0[ns] + 1, int);
  for (int i = 0; i < ns; i++)
    for (int k = near->pair0[i]; k < near->pair0[i + 1]; k++)
      near->share0[k + 1] = near->share0[k] + shares_of(near, i, near->pair[k], NULL);
  near->share = SIM_NEW(s, near->share0[near->pair0[ns]], struct con_share);
  for (int i = 0; i < ns; i++)
    for (int k = near->pair0[i]; k < near->pair0[i + 1]; k++)
      shares_of(near, i, near->pair[k], near->share + near->share0[k]);
}

// Rows that share a unit, and their matrices.
static void find_pairs(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  int ns = c->ns, parts = near->part0[ns], *start = SIM_LEND(s, near->units + 1, int), *row = SIM_LEND(s, parts, int);
  int *mark = SIM_LEND(s, ns, int), *next = SIM_LEND(s, near->units, int), count = 0;
  for (int k = 0; k < parts; k++) start[near->part[k] + 1]++;
  for (int u = 0; u < near->units; u++) next[u] = start[u + 1] += start[u];
  for (int j = ns; j-- > 0;)
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++) row[--next[near->part[k]]] = j;
  near->pair0 = SIM_NEW(s, ns + 1, int);
  for (int fill = 0; fill < 2; fill++, count = 0) {
    for (int j = 0; j < ns; j++) mark[j] = -1;
    for (int i = 0; i < ns; i++) {
      for (int k = near->part0[i]; k < near->part0[i + 1]; k++)
        for (int e = start[near->part[k]]; e < start[near->part[k] + 1]; e++) {
          if (mark[row[e]] == i) continue;
          mark[row[e]] = i;
          if (fill) near->pair[count] = row[e];
          count++;
        }
      near->pair0[i + 1] = count;
    }
    if (!fill) near->pair = SIM_NEW(s, count, int);
  }
  sim_matrix_shape(s, &near->s, ns, near->pair0, near->pair, NULL);
  sim_matrix_shape(s, &near->t, ns, near->pair0, near->pair, NULL);
  near->pair_at = SIM_NEW(s, near->pair0[ns], int);
  for (int i = 0; i < ns; i++)
    for (int k = near->pair0[i]; k < near->pair0[i + 1]; k++)
      near->pair_at[k] = sim_matrix_place(&near->s, i, near->pair[k]);
  find_shares(s);
  sim_give(s, start);
  sim_give(s, row);
  sim_give(s, mark);
  sim_give(s, next);
}

// ---- places ---------------------------------------------------------------------------------------------------------
static int *places_in_units(nsm_sim *s, const sim_class *k, const nsm_pattern *p) {
  const struct con_near *near = s->n.con->near;
  int *at = SIM_NEW(s, (size_t)k->tab.count * (size_t)p->n, int), *to = at;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]), u = near->unit[row];
      int first = near->unit0[u], room = room_of(near, u);
      *to++ = near->unit[col] == u ? near->a0[u] + near->seat[row] - first + room * (near->seat[col] - first) : -1;
    }
  return at;
}

static int *places_in_rows(nsm_sim *s, const sim_class *k, const nsm_pattern *p) {
  const struct sim_consistent *c = s->n.con;
  int *at = SIM_NEW(s, (size_t)k->tab.count * (size_t)p->n, int), *to = at;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++)
      *to++ = value_of(c->near, c->of[k->row0 + i], sim_z_of(s, k, i, p->col[e]));
  return at;
}

// Bodies on constraints that are curved, with a mass that does not move.
static int worth(const nsm_sim *s) {
  int curved = 0;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const nsm_class *c = s->a->cls[s->a->on.constraint.of[a]].c;
    curved |= c->curve_fn && c->gq_fn;
  }
  return curved && s->a->on.kinematics.n > 0 && s->a->on.mass_moving.n == 0;
}

static void place_entries(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  const sim_rows *r = &s->n.r;
  int ***at[] = { &near->cjac_at, &near->bend_at, &near->h_at, &near->g_at, &near->dr_at, &near->rq_at };
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) *at[i] = SIM_NEW(s, s->a->m->nclass, int *);
  near->bend = SIM_NEW(s, s->a->m->nclass, double *);
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    int cls = s->a->on.smooth.of[a];
    const sim_class *k = &s->a->cls[cls];
    near->cjac_at[cls] = places_in_units(s, k, &k->c->cjac);
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    near->bend_at[cls] = places_in_units(s, k, &k->c->bend);
    near->bend[cls] = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->bend.n, double);
    near->h_at[cls] = places_in_rows(s, k, &k->c->h);
    near->g_at[cls] = places_in_rows(s, k, k->c->gq_fn ? &k->c->gq : &k->c->h);
    near->dr_at[cls] = places_in_rows(s, k, &k->c->dr);
    near->rq_at[cls] = places_in_rows(s, k, &k->c->rq);
  }
  int n = 0;
  for (int j = 0; j < c->ns; j++) n += r->x0[c->row[j] + 1] - r->x0[c->row[j]];
  near->p_at = SIM_NEW(s, n, int);
  n = 0;
  for (int j = 0; j < c->ns; j++)
    for (int e = r->x0[c->row[j]]; e < r->x0[c->row[j] + 1]; e++) near->p_at[n++] = value_of(near, j, r->xz[e]);
}

void con_near_analyse(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  if (!worth(s)) return;
  struct con_near *near = c->near = SIM_NEW(s, 1, struct con_near);
  if (!find_units(s)) {
    c->near = NULL;
    return;
  }
  find_parts(s);
  find_pairs(s);
  place_entries(s);
  near->right = SIM_NEW(s, near->unit0[near->units], double);
  near->solution = SIM_NEW(s, near->unit0[near->units], double);
  near->rates = SIM_NEW(s, c->ns, double);
  near->gaps = SIM_NEW(s, c->ns, double);
  near->turn = SIM_NEW(s, s->a->nv, unsigned char);
  for (int z = s->a->nown; z < s->a->nv; z++) near->turn[z] = 1;
  near->size = SIM_NEW(s, s->a->nv, double);
  near->speed = SIM_NEW(s, s->a->nv, double);
}

// ---- the matrix -----------------------------------------------------------------------------------------------------
static void add_entries(double *to, const int *at, size_t n, const double *value, double factor) {
  for (size_t i = 0; i < n; i++) if (at[i] >= 0) to[at[i]] += factor * value[i];
}

static void set_entries(double *to, const int *at, size_t n, const double *value) {
  for (size_t i = 0; i < n; i++) to[at[i]] = value[i];
}

// Derivatives of momentum rows by positions and velocities, and what the rows are measured by.
static void add_square(nsm_sim *s, const nsm_view *v, const sim_class *k, const int *at, const double *value) {
  struct sim_consistent *c = s->n.con;
  const nsm_pattern *p = &k->c->cjac;
  for (int i = 0; i < k->tab.count; i++, value += p->n, at += p->n)
    for (int e = 0; e < p->n; e++) {
      int of_q = p->wrt[e] == NSM_WRT_Q, col = sim_z_of(s, k, i, p->col[e]);
      c->fresh[sim_z_of(s, k, i, p->row[e])] += fabs(value[e] * (of_q ? v->q[col] : v->v[col]));
      if (at[e] >= 0) c->near->a[at[e]] += of_q ? 0.5 * v->h * value[e] : value[e];
    }
}

static void momentum(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  nsm_view begin = sim_now(s);
  memset(near->a, 0, (size_t)near->a0[near->units] * sizeof(double));
  memset(c->fresh, 0, (size_t)s->a->nv * sizeof(double));
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    int cls = s->a->on.smooth.of[a];
    const sim_class *k = &s->a->cls[cls];
    if (!k->c->cjac_fn) continue;
    k->c->cjac_fn(v, &k->tab, c->cls[cls].cjac);
    add_square(s, v, k, near->cjac_at[cls], c->cls[cls].cjac);
  }
  for (int i = 0; i < s->a->nv; i++) s->now.r1_most[i] = fmax(s->now.r1_most[i], c->fresh[i]);
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    if (!k->c->bend_fn) continue;
    k->c->bend_fn(&begin, &k->tab, v->l + s->n.r.l[k->row0], near->bend[cls]);
    add_entries(near->a, near->bend_at[cls], (size_t)k->tab.count * (size_t)k->c->bend.n, near->bend[cls], -0.5 * v->h);
  }
}

static void constraints(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  const sim_rows *r = &s->n.r;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    const nsm_class *d = k->c;
    con_class *o = &c->cls[cls];
    size_t count = (size_t)k->tab.count, n = count * (size_t)d->h.n;
    if (d->dg_fn && d->h_stage > NSM_EVENT) d->h_fn(v, &k->tab, k->h);
    if (d->gq_fn) d->gq_fn(v, &k->tab, o->gq);
    if (d->rq_fn) d->rq_fn(v, &k->tab, o->rq);
    set_entries(near->end, near->h_at[cls], n, k->h);
    set_entries(near->dg, near->h_at[cls], n, d->dg_fn ? o->dg : k->h);
    set_entries(near->g, near->g_at[cls], count * (size_t)(d->gq_fn ? d->gq.n : d->h.n), d->gq_fn ? o->gq : k->h);
    if (d->drate_fn) set_entries(near->dr, near->dr_at[cls], count * (size_t)d->dr.n, o->dr);
    if (d->rq_fn) set_entries(near->rq, near->rq_at[cls], count * (size_t)d->rq.n, o->rq);
  }
  for (int i = 0; i < near->value0[c->ns]; i++) near->h[i] = near->end[i] + 0.5 * v->h * near->rq[i];
  if (c->means) con_mean_columns(s);
  const int *at = near->p_at;
  for (int j = 0; j < c->ns; j++)
    for (int e = r->x0[c->row[j]]; e < r->x0[c->row[j] + 1]; e++) near->p[*at++] = r->x[e];
}

// Sums over the room of a unit, in four lanes. What is done most is compiled twice (la/vector.h).
LA_INLINE double dot(int n, const double *x, const double *y) {
  four sum = { 0 }, a, b;
  for (int i = 0; i < n; i += LANES) {
    memcpy(&a, x + i, sizeof a);
    memcpy(&b, y + i, sizeof b);
    sum += a * b;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// y := A x of one unit of n velocities, A by columns of its room.
LA_INLINE void multiply(int room, int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < room; i += LANES) {
    four sum = { 0 }, a;
    for (int j = 0; j < n; j++) {
      memcpy(&a, A + i + j * room, sizeof a);
      sum += a * x[j];
    }
    memcpy(y + i, &sum, sizeof sum);
  }
}

// A^-1, and x = A^-1 Dg^T; 1 where A can be inverted.
LA_INLINE int eliminate_any(nsm_sim *s) {
  const struct con_near *near = s->n.con->near;
  double lu[LARGE * LARGE];
  int pivot[LARGE];
  for (int u = 0; u < near->units; u++) {
    int n = near->velocities[u], room = room_of(near, u);
    double *X = near->inverse + near->a0[u];
    memcpy(lu, near->a + near->a0[u], (size_t)(n * room) * sizeof(double));
    memset(X, 0, (size_t)(n * room) * sizeof(double));
    for (int i = 0; i < n; i++) X[i * (room + 1)] = 1;
    if (nsm_la_lu_factor(n, lu, room, pivot).code != NSM_LA_OK) return 0;
    nsm_la_lu_solve(n, n, lu, room, pivot, X, room);
  }
  for (int j = 0; j < s->n.con->ns; j++)
    for (int k = near->part0[j], at = near->value0[j]; k < near->part0[j + 1]; k++) {
      int u = near->part[k], n = room_of(near, u);
      multiply(n, near->velocities[u], near->inverse + near->a0[u], near->dg + at, near->x + at);
      at += n;
    }
  return 1;
}
static int eliminate_plain(nsm_sim *s) { return eliminate_any(s); }
LA_WIDE static int eliminate_wide(nsm_sim *s) { return eliminate_any(s); }
static int eliminate(nsm_sim *s) { return (la_wide() ? eliminate_wide : eliminate_plain)(s); }

// M := rows times columns, both by the values of the constraints.
LA_INLINE void couple_any(const nsm_sim *s, sim_matrix *M, const double *rows, const double *columns) {
  const struct con_near *near = s->n.con->near;
  memset(M->val, 0, (size_t)M->nval * sizeof(double));
  for (int k = 0; k < near->pair0[s->n.con->ns]; k++) {
    double sum = 0;
    for (int e = near->share0[k]; e < near->share0[k + 1]; e++) {
      const struct con_share *c = near->share + e;
      sum += dot(c->n, rows + c->own, columns + c->other);
    }
    M->val[near->pair_at[k]] = sum;
  }
}
static void couple_plain(const nsm_sim *s, sim_matrix *M, const double *rows, const double *columns) {
  couple_any(s, M, rows, columns);
}
LA_WIDE static void couple_wide(const nsm_sim *s, sim_matrix *M, const double *rows, const double *columns) {
  couple_any(s, M, rows, columns);
}
static void couple(const nsm_sim *s, sim_matrix *M, const double *rows, const double *columns) {
  (la_wide() ? couple_wide : couple_plain)(s, M, rows, columns);
}

static int factor(nsm_sim *s, sim_matrix *M) {
  for (int b = 0; b < M->nblock; b++)
    if (sim_block_factor(s, M, b) >= 0) return 0;
  return 1;
}

int con_near_matrix(nsm_sim *s, const nsm_view *v) {
  struct con_near *near = s->n.con->near;
  momentum(s, v);
  constraints(s, v);
  if (!eliminate(s)) return 0;
  couple(s, &near->s, near->h, near->x);
  couple(s, &near->t, near->g, near->p);
  return factor(s, &near->s) && factor(s, &near->t);
}

// ---- solves ---------------------------------------------------------------------------------------------------------
// y += V^T l, y by seats; l by constraints.
LA_INLINE void add_columns_any(const nsm_sim *s, const double *value, const double *l, double *y) {
  const struct con_near *near = s->n.con->near;
  for (int j = 0; j < s->n.con->ns; j++)
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++) {
      int n = room_of(near, near->part[k]);
      la_subtract(n, -l[j], value, y + near->unit0[near->part[k]]);
      value += n;
    }
}
static void add_columns_plain(const nsm_sim *s, const double *value, const double *l, double *y) {
  add_columns_any(s, value, l, y);
}
LA_WIDE static void add_columns_wide(const nsm_sim *s, const double *value, const double *l, double *y) {
  add_columns_any(s, value, l, y);
}
static void add_columns(const nsm_sim *s, const double *value, const double *l, double *y) {
  (la_wide() ? add_columns_wide : add_columns_plain)(s, value, l, y);
}

// r += factor V y
LA_INLINE void add_rows_any(const nsm_sim *s, const double *value, double factor, const double *y, double *r) {
  const struct con_near *near = s->n.con->near;
  for (int j = 0; j < s->n.con->ns; j++) {
    double sum = 0;
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++) {
      int n = room_of(near, near->part[k]);
      sum += dot(n, value, y + near->unit0[near->part[k]]);
      value += n;
    }
    r[j] += factor * sum;
  }
}
static void add_rows_plain(const nsm_sim *s, const double *value, double factor, const double *y, double *r) {
  add_rows_any(s, value, factor, y, r);
}
LA_WIDE static void add_rows_wide(const nsm_sim *s, const double *value, double factor, const double *y, double *r) {
  add_rows_any(s, value, factor, y, r);
}
static void add_rows(const nsm_sim *s, const double *value, double factor, const double *y, double *r) {
  (la_wide() ? add_rows_wide : add_rows_plain)(s, value, factor, y, r);
}

static void solve_units(const struct con_near *near, const double *x, double *y) {
  for (int u = 0; u < near->units; u++)
    multiply(room_of(near, u), near->velocities[u], near->inverse + near->a0[u], x + near->unit0[u],
             y + near->unit0[u]);
}

// (17), dkappa in `gaps` and P dkappa in `solution` where there are such: du -> solution, dlambda -> rates.
static void solve_motion(nsm_sim *s, int again) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  double *rates = near->rates;
  for (int j = 0; j < c->ns; j++) rates[j] = -c->res[s->a->nv + j];
  if (again) add_rows(s, near->rq, 1, near->solution, rates);
  for (int z = 0; z < s->a->nv; z++) near->right[near->seat[z]] = -c->res[z];
  if (again) add_columns(s, near->dr, near->gaps, near->right);
  solve_units(near, near->right, near->solution);
  add_rows(s, near->h, -1, near->solution, rates);
  sim_matrix_solve_in(&near->s, rates);
  add_columns(s, near->x, rates, near->solution);
}

void con_near_solve(nsm_sim *s, double h) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  size_t moved = (size_t)near->unit0[near->units] * sizeof(double), held = (size_t)c->ns * sizeof(double);
  for (int round = 1;; round++) {
    solve_motion(s, round > 1);
    memcpy(near->gaps, c->res + s->a->nv + c->ns, held);
    add_rows(s, near->g, 0.5 * h, near->solution, near->gaps);
    sim_matrix_solve_in(&near->t, near->gaps);
    if (round == ROUNDS) break;
    memset(near->solution, 0, moved);
    add_columns(s, near->p, near->gaps, near->solution);
  }
  for (int z = 0; z < s->a->nv; z++) c->dz[z] = near->solution[near->seat[z]];
  memcpy(c->dz + s->a->nv, near->rates, held);
  memcpy(c->dz + s->a->nv + c->ns, near->gaps, held);
}
