// Which models take the near matrix (consistent_near.h), its units and joints, and where each number stands.
#include "consistent_near.h"
#include <stdlib.h>
#include <string.h>

// ---- units ----------------------------------------------------------------------------------------------------------
// 0 where one is large.
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
        if (z >= 0) nsm_unite(up, z, other);
        z = other;
      }
  }
  near->unit = SIM_NEW(s, nv, int);
  near->seat = SIM_NEW(s, nv, int);
  near->velocities = SIM_NEW(s, nv, int);
  for (int z = 0; z < nv; z++) near->unit[z] = nsm_root(up, z) == z ? near->units++ : -1;
  for (int z = 0; z < nv; z++) near->unit[z] = near->unit[nsm_root(up, z)];
  near->unit0 = SIM_NEW(s, near->units + 1, int);
  near->a0 = SIM_NEW(s, near->units + 1, int);
  for (int z = 0; z < nv; z++) near->seat[z] = near->velocities[near->unit[z]]++;
  for (int u = 0; u < near->units; u++) {
    int n = near->velocities[u], room = nsm_block_room(n);
    most = n > most ? n : most;
    near->a0[u + 1] = near->a0[u] + n * room;
    near->unit0[u + 1] = near->unit0[u] + room;
  }
  for (int z = 0; z < nv; z++) near->seat[z] += near->unit0[near->unit[z]];
  near->seats = near->unit0[near->units];
  near->a = SIM_NEW(s, near->a0[near->units], double);
  near->inverse = SIM_NEW(s, near->a0[near->units], double);
  sim_give(s, up);
  sim_give(s, first);
  return most <= NSM_BLOCK_MOST;
}

// ---- joints ---------------------------------------------------------------------------------------------------------
// The units of a row, ascending and each once; how many.
static int units_of(const nsm_sim *s, int row, int *to) {
  const sim_rows *r = &s->n.r;
  const struct con_near *near = s->n.con->near;
  int n = 0;
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
    int u = near->unit[r->bz[e]], k = n;
    for (int i = 0; i < n; i++) if (to[i] == u) k = -1;
    if (k < 0) continue;
    for (; k > 0 && to[k - 1] > u; k--) to[k] = to[k - 1];
    to[k] = u;
    n++;
  }
  return n;
}

typedef struct units { int row, n; const int *of; } units;
static int by_units(const void *a, const void *b) {
  const units *x = a, *y = b;
  if (x->n != y->n) return x->n - y->n;
  for (int i = 0; i < x->n; i++) if (x->of[i] != y->of[i]) return x->of[i] - y->of[i];
  return x->row - y->row;
}
static int same_units(const units *x, const units *y) {
  return x->n == y->n && memcmp(x->of, y->of, (size_t)x->n * sizeof(int)) == 0;
}

// Parts of all joints; rows [ns] the size of each. How many joints; 0 where one is large.
static int find_joints(nsm_sim *s, int *rows) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  const sim_rows *r = &s->n.r;
  units *list = SIM_LEND(s, c->ns, units);
  int *of = SIM_LEND(s, r->b0[r->n], int), joints = 0, parts = 0, most = 0;
  near->joint = SIM_NEW(s, c->ns, int);
  near->row_seat = SIM_NEW(s, c->ns, int);
  near->part0 = SIM_NEW(s, c->ns + 1, int);
  near->part = SIM_NEW(s, r->b0[r->n], int);
  for (int j = 0, at = 0; j < c->ns; j++) {
    int n = units_of(s, c->row[j], of + at);
    list[j] = (units){ j, n, of + at };
    at += n;
  }
  qsort(list, (size_t)c->ns, sizeof *list, by_units);
  for (int j = 0; j < c->ns; j++) {
    if (j == 0 || !same_units(list + j - 1, list + j)) {
      memcpy(near->part + parts, list[j].of, (size_t)list[j].n * sizeof(int));
      parts += list[j].n;
      near->part0[++joints] = parts;
    }
    near->joint[list[j].row] = joints - 1;
    near->row_seat[list[j].row] = rows[joints - 1]++;
    most = rows[joints - 1] > most ? rows[joints - 1] : most;
  }
  sim_give(s, list);
  sim_give(s, of);
  return most <= NSM_BLOCK_MOST ? joints : 0;
}

// Joints by unit: which, and with which part.
typedef struct meeting { int *start, *joint, *part; } meeting;
static meeting meet(nsm_sim *s, int joints) {
  struct con_near *near = s->n.con->near;
  int n = near->part0[joints];
  meeting m = { SIM_LEND(s, near->units + 2, int), SIM_LEND(s, n, int), SIM_LEND(s, n, int) };
  for (int k = 0; k < n; k++) m.start[near->part[k] + 2]++;
  for (int u = 0; u < near->units; u++) m.start[u + 2] += m.start[u + 1];
  for (int j = 0; j < joints; j++)
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++) {
      int at = m.start[near->part[k] + 1]++;
      m.joint[at] = j;
      m.part[at] = k;
    }
  return m;
}

static void find_shares(nsm_sim *s, int joints, const int *rows) {
  struct con_near *near = s->n.con->near;
  meeting m = meet(s, joints);
  sim_graph g = sim_graph_count(s, joints);
  for (int fill = 0; fill < 2; fill++) {
    for (int u = 0; u < near->units; u++)
      for (int a = m.start[u]; a < m.start[u + 1]; a++)
        for (int b = a + 1; b < m.start[u + 1]; b++) sim_graph_edge(&g, m.joint[a], m.joint[b]);
    if (!fill) sim_graph_fill(s, &g);
  }
  sim_graph_close(&g);
  nsm_la_memory memory = sim_la_memory(s);
  near->blocks = nsm_blocks_analyse(joints, rows, g.start, g.neighbour, &memory);
  if (!near->blocks) sim_no_room(s);
  sim_graph_give(s, &g);
  near->held = near->blocks->at[joints];
  for (int u = 0; u < near->units; u++) near->shares += (m.start[u + 1] - m.start[u]) * (m.start[u + 1] - m.start[u]);
  near->share = SIM_NEW(s, near->shares, struct con_share);
  struct con_share *to = near->share;
  for (int u = 0; u < near->units; u++)
    for (int a = m.start[u]; a < m.start[u + 1]; a++)
      for (int b = m.start[u]; b < m.start[u + 1]; b++)
        *to++ = (struct con_share){ nsm_blocks_place(near->blocks, m.joint[a], m.joint[b]), m.joint[a], m.joint[b],
                                    m.part[a], m.part[b] };
  sim_give(s, m.start);
  sim_give(s, m.joint);
  sim_give(s, m.part);
}

static int joints(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  int *rows = SIM_LEND(s, c->ns, int), n = find_joints(s, rows);
  if (n > 0) {
    find_shares(s, n, rows);
    for (int j = 0; j < c->ns; j++) near->row_seat[j] += near->blocks->at[near->joint[j]];
    near->by_row = SIM_NEW(s, near->part0[n] + 1, int);
    near->by_column = SIM_NEW(s, near->part0[n] + 1, int);
    for (int j = 0; j < n; j++)
      for (int k = near->part0[j]; k < near->part0[j + 1]; k++) {
        near->by_row[k + 1] = near->by_row[k] + rows[j] * con_room(near, near->part[k]);
        near->by_column[k + 1] = near->by_column[k] + near->velocities[near->part[k]] * nsm_block_room(rows[j]);
      }
    double **by_row[] = { &near->dg, &near->x, &near->p, &near->dr }, **by_column[] = { &near->h, &near->g, &near->rq };
    for (int i = 0; i < 4; i++) *by_row[i] = SIM_NEW(s, near->by_row[near->part0[n]], double);
    for (int i = 0; i < 3; i++) *by_column[i] = SIM_NEW(s, near->by_column[near->part0[n]], double);
    near->s = SIM_NEW(s, near->blocks->values, double);
    near->t = SIM_NEW(s, near->blocks->values, double);
  }
  sim_give(s, rows);
  return n > 0;
}

// ---- places ---------------------------------------------------------------------------------------------------------
static int *places_in_units(nsm_sim *s, const sim_class *k, const nsm_pattern *p) {
  const struct con_near *near = s->n.con->near;
  int *at = SIM_NEW(s, (size_t)k->tab.count * (size_t)p->n, int), *to = at;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]), u = near->unit[row];
      int first = near->unit0[u], room = con_room(near, u);
      *to++ = near->unit[col] == u ? near->a0[u] + near->seat[row] - first + room * (near->seat[col] - first) : -1;
    }
  return at;
}

// Where the value of velocity z stands of a row, by rows or by columns.
static int place_of(const struct con_near *near, int row, int z, int by_rows) {
  int j = near->joint[row], u = near->unit[z], k = near->part0[j], here = near->row_seat[row] - near->blocks->at[j];
  int there = near->seat[z] - near->unit0[u];
  while (near->part[k] != u) k++;
  return by_rows ? near->by_row[k] + here * con_room(near, u) + there
                 : near->by_column[k] + there * nsm_block_room(near->blocks->size[j]) + here;
}

static int *places_in_rows(nsm_sim *s, const sim_class *k, const nsm_pattern *p, int by_rows) {
  const struct sim_consistent *c = s->n.con;
  int *at = SIM_NEW(s, (size_t)k->tab.count * (size_t)p->n, int), *to = at;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++)
      *to++ = place_of(c->near, c->of[k->row0 + i], sim_z_of(s, k, i, p->col[e]), by_rows);
  return at;
}

static void place_entries(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  const sim_rows *r = &s->n.r;
  int ***at[] = { &near->cjac_at, &near->bend_at, &near->h_at, &near->g_at, &near->dg_at, &near->dr_at, &near->rq_at };
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
    near->h_at[cls] = places_in_rows(s, k, &k->c->h, 0);
    near->g_at[cls] = places_in_rows(s, k, k->c->gq_fn ? &k->c->gq : &k->c->h, 0);
    near->dg_at[cls] = places_in_rows(s, k, &k->c->h, 1);
    near->dr_at[cls] = places_in_rows(s, k, &k->c->dr, 1);
    near->rq_at[cls] = places_in_rows(s, k, &k->c->rq, 0);
  }
  int n = 0;
  for (int j = 0; j < c->ns; j++) n += r->x0[c->row[j] + 1] - r->x0[c->row[j]];
  near->p_at = SIM_NEW(s, n, int);
  n = 0;
  for (int j = 0; j < c->ns; j++)
    for (int e = r->x0[c->row[j]]; e < r->x0[c->row[j] + 1]; e++) near->p_at[n++] = place_of(near, j, r->xz[e], 1);
}

// ---- which models ---------------------------------------------------------------------------------------------------
// Bodies on constraints that are curved, with a mass that does not move.
static int worth(const nsm_sim *s) {
  int curved = 0;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const nsm_class *c = s->a->cls[s->a->on.constraint.of[a]].c;
    curved |= c->curve_fn && c->gq_fn;
  }
  return curved && s->a->on.kinematics.n > 0 && s->a->on.mass_moving.n == 0;
}

void con_near_analyse(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  if (!worth(s)) return;
  struct con_near *near = c->near = SIM_NEW(s, 1, struct con_near);
  if (!find_units(s) || !joints(s)) {
    c->near = NULL;
    return;
  }
  place_entries(s);
  double **seats[] = { &near->momentum, &near->du, &near->right };
  double **held[] = { &near->rate, &near->gap, &near->dlambda, &near->dkappa };
  for (size_t i = 0; i < sizeof seats / sizeof *seats; i++) *seats[i] = SIM_NEW(s, near->seats, double);
  for (size_t i = 0; i < sizeof held / sizeof *held; i++) *held[i] = SIM_NEW(s, near->held, double);
  near->terms = SIM_NEW(s, c->ns, double);
}
