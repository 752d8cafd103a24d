// Several contacts are struck at one instant, and the run has one impact for all of them. Neighbouring runs have them
// at times of their own, unless they must come together. Of rows that do not act on each other, two balls that fall
// beside each other, the tape has one impact each, and between two of them a piece of length 0, which ends where the
// gap of the next one closes. So each has the derivative of its own instant:
//
//     piece, phi_1 = 0;   impact of group 1;   piece of length 0, phi_2 = 0;   impact of group 2;   ...             (1)
//
// Behind a piece of length 0, whose motion is free, an impact of what holds all along, constraints and contacts that
// are closed, makes of its direction that of the motion.
//
// Two rows are of one group if they, or rows that act in the impact, constraints among them, move a common velocity, or
// velocities that the inertia couples. Within a group the impact is joint. The order of the groups does not matter to
// the first order, unless forces of one hang on velocities of another: a damper between two balls feels which of them
// bounces first, and there is a derivative from each side. Both cases are counted (answers.md, 3).
#include "tape.h"
#include "runtime/assembly/assembly.h"
#include <stdlib.h>
#include <string.h>

// Sets of velocities, by a forest: of [n].
static int root(int *of, int z) {
  while (of[z] != z) z = of[z] = of[of[z]];
  return z;
}

static void join(int *of, int a, int b) { of[root(of, a)] = root(of, b); }

// Row `row` of C [n, nz] joins what it reads; its first velocity, -1: none.
static int join_row(const nsm_sim *s, int row, int *of) {
  const sim_rows *r = &s->n.r;
  int first = -1;
  for (int c = r->c0[row]; c < r->c0[row + 1]; c++) {
    if (r->cz[c] >= s->a->nv) continue;
    if (first >= 0) join(of, first, r->cz[c]);
    else first = r->cz[c];
  }
  return first;
}

// Friction acts with what presses it.
static void join_friction(const nsm_sim *s, int *of) {
  for (int i = 0; i < s->n.r.nfriction; i++) {
    const sim_friction *f = &s->n.r.friction[i];
    int first = -1;
    for (int k = 0; k < f->normals + f->n; k++) {
      int z = join_row(s, k < f->normals ? f->normal[k] : f->row[k - f->normals], of);
      if (first >= 0 && z >= 0) join(of, first, z);
      if (first < 0) first = z;
    }
  }
}

static void join_all(const nsm_sim *s, const unsigned char *law, int *of, int *block) {
  for (int z = 0; z < s->a->nv; z++) { of[z] = z; block[z] = -1; }
  for (int z = 0; z < s->a->nv && s->n.inertia.block_of; z++) {
    int b = s->n.inertia.block_of[z];
    if (block[b] >= 0) join(of, block[b], z);
    else block[b] = z;
  }
  for (int row = 0; row < s->n.r.n; row++)
    if (law[row] != TAPE_NONE || s->a->cls[s->n.r.cls[row]].c->kind == NSM_CONSTRAINT) (void)join_row(s, row, of);
  join_friction(s, of);
}

// Groups of rows that are struck by `before`, into group [rows], -1: in none of them; how many.
static int find_groups(const nsm_sim *s, const tape_entry *before, const unsigned char *law, int *of, int *group) {
  const sim_rows *r = &s->n.r;
  int *known = group + r->n, n = 0;                        // [nv] group of a root
  for (int z = 0; z < s->a->nv; z++) known[z] = -1;
  for (int k = -1; k < r->n; k++) {                        // the row that ends the piece is in the first one
    int row = k < 0 ? before->row : k, first;
    if (tape_set_hit(before, row) != SIM_OPEN || law[row] == TAPE_NONE) continue;
    if ((first = join_row(s, row, of)) < 0) continue;
    first = root(of, first);
    if (known[first] < 0) known[first] = n++;
  }
  for (int row = 0; row < r->n; row++) {
    int first = join_row(s, row, of);
    group[row] = first < 0 ? -1 : known[root(of, first)];
  }
  return n;
}

// Do forces on velocities of one of n groups hang on those of another?
static int feel_each_other(nsm_sim *s, int *of, const int *group, int n) {
  const int *known = group + s->n.r.n;
  int root_of[n], groups = 0;
  SIM_EACH(s, smooth, k) {
    const nsm_pattern *p = &k->c->jac;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++)
        if (p->wrt[e] == NSM_WRT_V) join(of, sim_z_of(s, k, i, p->row[e]), sim_z_of(s, k, i, p->col[e]));
  }
  for (int z = 0; z < s->a->nv; z++) {
    if (known[z] < 0) continue;
    int now = root(of, z), any = 0;
    for (int g = 0; g < groups; g++) any |= root_of[g] == now;
    if (any) return 1;
    root_of[groups++] = now;
  }
  return 0;
}

// Rows of a group that are struck, in an entry whose end they are.
static void take_struck(tape *t, const tape_entry *before, const int *group, int g, tape_entry *e) {
  const nsm_sim *s = t->s;
  size_t n = (size_t)s->n.r.n;
  unsigned char *struck = tape_take(t, n);
  e->row = -1;
  e->hits = 0;
  for (int row = 0; struck && row < s->n.r.n; row++) {
    int set = tape_set_hit(before, row), first = g == 0 && row == before->row;
    struck[row] = set >= 0 && (group[row] == g || (g == 0 && group[row] < 0)) ? (unsigned char)(1 + set) : 0;
    if (!struck[row]) continue;
    if (e->row < 0 || first) e->row = row;
    e->hits++;
  }
  e->struck = e->hits > 1 ? struck : NULL;
  e->end = TAPE_SET;
  e->set = e->row >= 0 ? tape_set_hit(before, e->row) : 0;
  if (e->row >= 0) e->ground = tape_ground(s, e->row);
}

// Velocities after the impacts of groups up to g; rows of other groups have no impulse.
static double *after(tape *t, const tape_entry *whole, const int *group, int *of, int g, size_t size) {
  const nsm_sim *s = t->s;
  const int *known = group + s->n.r.n;
  double *x = tape_take(t, size * sizeof *x);
  if (!x) return NULL;
  memset(x, 0, size * sizeof *x);
  memcpy(x, s->now.z, (size_t)s->a->nz * sizeof *x);
  for (int z = 0; z < s->a->nv; z++)
    if (known[root(of, z)] >= 0 && known[root(of, z)] <= g) x[z] = whole->solution[z];
  return x;
}

// The piece of length 0 to the next group: its motion is free. Where it begins the run has not been.
static tape_entry *between(tape *t, const tape_entry *before, const tape_entry *whole, const int *group, int g,
                           const double *z) {
  const nsm_sim *s = t->s;
  const sim_rows *r = &s->n.r;
  size_t nz = (size_t)s->a->nz, size = tape_solved(s);
  tape_entry *e = tape_add(t, TAPE_PIECE);
  double *x = tape_take(t, size * sizeof *x);
  unsigned char *law = tape_take(t, (size_t)r->n + 1);
  if (!e || !x || !law || t->failed) return NULL;
  memset(x, 0, size * sizeof *x);
  memcpy(x, z, nz * sizeof *x);
  if (s->n.con) memcpy(x + nz + r->n, z, (size_t)s->a->nv * sizeof *x);
  for (int row = 0; row < r->n; row++) {
    law[row] = s->a->cls[r->cls[row]].c->kind == NSM_RELATION ? TAPE_KEPT : TAPE_NONE;
    if (law[row] == TAPE_KEPT) x[nz + (size_t)row] = s->now.l[r->l[row]];
  }
  take_struck(t, before, group, g, e);
  e->law = law;
  e->solution = x;
  e->gamma = whole->gamma;
  e->theta = whole->theta;
  e->weighed = whole->weighed;
  e->at_once = 1;
  return e;
}

// What holds all along, and is not struck: constraints, contacts that were closed, their friction.
static tape_law lasting(const nsm_sim *s, const tape_entry *before, const tape_entry *whole, int row) {
  const sim_rows *r = &s->n.r;
  int kind = s->a->cls[r->cls[row]].c->kind;
  if (kind == NSM_CONSTRAINT || kind == NSM_RELATION) return whole->law[row];
  if (kind == NSM_CONTACT)
    return tape_set_hit(before, row) < 0 && s->now.set[row] == SIM_CLOSED ? TAPE_RATE : TAPE_NONE;
  const sim_friction *f = kind == NSM_FRICTION ? &r->friction[r->friction_of[row]] : NULL;
  if (!f || f->normals != 1 || lasting(s, before, whole, f->normal[0]) != TAPE_RATE) return TAPE_NONE;
  return s->now.set[f->row[0]] == SIM_SLIPS_ON ? TAPE_SLIDES : TAPE_RATE;
}

static void hold(tape *t, const tape_entry *before, const tape_entry *whole, const double *z) {
  const nsm_sim *s = t->s;
  size_t nz = (size_t)s->a->nz, size = tape_solved(s);
  tape_entry *e = tape_add(t, TAPE_IMPACT);
  double *x = tape_take(t, size * sizeof *x);
  unsigned char *law = tape_take(t, (size_t)s->n.r.n + 1);
  if (!e || !x || !law || t->failed) return;
  *e = *whole;
  memset(x, 0, size * sizeof *x);
  memcpy(x, z, nz * sizeof *x);
  for (int row = 0; row < s->n.r.n; row++) {
    law[row] = (unsigned char)lasting(s, before, whole, row);
    if (s->a->cls[s->n.r.cls[row]].c->kind == NSM_RELATION) x[nz + (size_t)row] = whole->solution[nz + (size_t)row];
  }
  e->begin = NULL;
  e->law = law;
  e->solution = x;
  e->weak = 0;
}

static void impact(tape *t, const tape_entry *whole, const int *group, int g, int last, const double *z1) {
  const nsm_sim *s = t->s;
  const sim_rows *r = &s->n.r;
  size_t nz = (size_t)s->a->nz, size = tape_solved(s);
  tape_entry *e = tape_add(t, TAPE_IMPACT);
  double *x = tape_take(t, size * sizeof *x);
  unsigned char *law = tape_take(t, (size_t)r->n + 1);
  if (!e || !x || !law || t->failed) return;
  *e = *whole;
  memcpy(x, last ? whole->solution : z1, nz * sizeof *x);
  memset(x + nz, 0, (size - nz) * sizeof *x);
  for (int row = 0; row < r->n; row++) {
    int relation = s->a->cls[r->cls[row]].c->kind == NSM_RELATION;
    int mine = group[row] == g || relation || (last && group[row] < 0);
    law[row] = mine ? whole->law[row] : TAPE_NONE;
    if (mine) x[nz + (size_t)row] = whole->solution[nz + (size_t)row];
  }
  if (g > 0) e->begin = NULL;
  e->law = law;
  e->solution = x;
  if (!last) e->weak = 0;
}

void tape_part_impacts(tape *t) {
  nsm_sim *s = t->s;
  if (t->failed || t->n < 2 || t->at[t->n - 2].kind != TAPE_PIECE || t->at[t->n - 2].hits < 2) return;
  tape_entry whole = t->at[t->n - 1], before = t->at[t->n - 2];
  size_t nv = (size_t)s->a->nv, n = (size_t)s->n.r.n;
  int *of = malloc((3 * nv + n + 1) * sizeof *of), *block = of + nv, *group = block + nv;
  if (!of) { t->failed = 1; return; }
  join_all(s, whole.law, of, block);
  int groups = find_groups(s, &before, whole.law, of, group);
  if (groups > 1) {
    memcpy(block, of, nv * sizeof *of);
    int felt = feel_each_other(s, block, group, groups);
    t->n--;
    take_struck(t, &before, group, 0, &t->at[t->n - 1]);
    const double *z0 = s->now.z;
    for (int g = 0; g < groups && !t->failed; g++) {
      tape_entry *e = g > 0 ? between(t, &before, &whole, group, g, z0) : NULL;
      if (e && felt) e->hits = 2;                          // counted
      if (g > 0) hold(t, &before, &whole, z0);
      const double *z1 = after(t, &whole, group, of, g, (size_t)s->a->nz);
      if (z1) impact(t, &whole, group, g, g == groups - 1, z1);
      z0 = z1;
    }
  }
  free(of);
}
