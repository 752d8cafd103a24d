// Piles: islands of very many contacts with friction, whose Delassus matrix M_osns = D + C X (rows_couple.c) is never
// made. Found by the unknowns that active rows share, they stand behind all other rows in the order, each one together,
// and are handed over in factors (cone/problem.h): C and X by contact, a few entries per row. All is O(contacts).
#include "assembly.h"
#include <math.h>
#include <string.h>

static const double exact = 1e-6;        // a tolerance below this is not one of piles

// Do large problems of this run have a pile's tolerance?
int sim_piles_are_asked(const nsm_sim *s) {
  const char *solver = s->w.cone.solver;
  return s->a->piles && !s->n.r.law && (!solver || strcmp(solver, "auto") == 0) &&
         !(s->w.cone.tolerance > 0 && s->w.cone.tolerance < exact);
}

// Problems that somebody wants to see are multiplied out.
static int allowed(const nsm_sim *s) {
  return sim_piles_are_asked(s) && s->n.r.nfriction > SIM_PILE && s->n.r.nborder == 0 && !s->dump && !s->unique;
}

#define ROOM(s, which, count, type) ((type *)sim_pool_room((s), &(s)->n.r.piles.room[which], (size_t)(count), \
                                                           sizeof(type)))
enum { OF_Z, COUNT, ENDS, BEHIND, SEAT, FIRST, START, AT, Z, C, X, D };

// ---- which rows belong to one ---------------------------------------------------------------------------------------
static void connect(const nsm_sim *s, const int *rows, int count, int *parent) {
  const sim_rows *r = &s->n.r;
  for (int z = 0; z < s->n.w.n; z++) parent[z] = z;
  for (int i = 0; i < count; i++) {
    int row = rows[i], from = r->x0[row];
    for (int e = from + 1; e < r->x0[row + 1]; e++) nsm_unite(parent, r->xz[from], r->xz[e]);
    for (int e = r->c0[row]; from < r->x0[row + 1] && e < r->c0[row + 1]; e++) nsm_unite(parent, r->xz[from], r->cz[e]);
  }
}

// Its rate depends on the forces of other rows without a motion between, or on friction under a given force.
static int is_other(const nsm_sim *s, int row, const int *block, int rows) {
  const sim_rows *r = &s->n.r;
  for (int e = r->d0[row]; e < r->d0[row + 1]; e++) if (r->ds[e] != row) return 1;
  for (int k = 0; k < rows; k++) if (!r->active[block[k]]) return 1;
  return rows > 0 && r->friction[r->friction_of[row]].normals == 0;
}

// cones[root]: contacts with friction of an island; -1 where it may not be a pile.
static void count_cones(const nsm_sim *s, const int *rows, int count, int *parent, int *cones) {
  const sim_rows *r = &s->n.r;
  int block[NSM_CONE_MOST_ROWS];
  memset(cones, 0, (size_t)s->n.w.n * sizeof *cones);
  for (int i = 0; i < count; i++) {
    int row = rows[i], f = r->friction_of[row], n = f < 0 ? 0 : sim_friction_rows(s, f, block);
    if (r->x0[row] == r->x0[row + 1]) continue;
    int *of = &cones[nsm_root(parent, r->xz[r->x0[row]])];
    if (is_other(s, row, block, n)) *of = -1;
    else if (*of >= 0 && n > 0 && block[0] == row) ++*of;
  }
}

// Into the list of each pile, `next` where its list goes on: a row, or all rows of its block where it is the first.
static void put(const nsm_sim *s, int row, int *behind, int *next) {
  int block[NSM_CONE_MOST_ROWS], f = s->n.r.friction_of[row], n = f < 0 ? 0 : sim_friction_rows(s, f, block);
  if (n == 0) behind[(*next)++] = row;
  for (int k = 0; n > 0 && block[0] == row && k < n; k++) behind[(*next)++] = block[k];
}

int sim_piles_find(nsm_sim *s, int *rows, int count, const int **behind) {
  sim_rows *r = &s->n.r;
  r->piles.n = 0;
  *behind = NULL;
  if (!allowed(s) || count <= SIM_PILE) return count;
  int *parent = ROOM(s, OF_Z, s->n.w.n, int), *cones = ROOM(s, COUNT, s->n.w.n, int), *list, *end, n = 0, kept = 0;
  if (!parent || !cones) return count;
  connect(s, rows, count, parent);
  count_cones(s, rows, count, parent, cones);
  for (int z = 0; z < s->n.w.n; z++) n += cones[z] > SIM_PILE;
  if (n == 0 || !(end = ROOM(s, ENDS, n + 1, int)) || !(list = ROOM(s, BEHIND, count, int))) return count;
  for (int z = 0, k = 0; z < s->n.w.n; z++) cones[z] = cones[z] > SIM_PILE ? k++ : -1;      // its number
  memset(end, 0, ((size_t)n + 1) * sizeof *end);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = kept = 0; i < count; i++) {
      int row = rows[i], empty = r->x0[row] == r->x0[row + 1],
          k = empty ? -1 : cones[nsm_root(parent, r->xz[r->x0[row]])];
      if (k >= 0 && pass) put(s, row, list, &end[k]);
      else if (k >= 0) end[k + 1]++;
      else if (pass) rows[kept] = row;
      kept += k < 0;
    }
    for (int k = 0; pass == 0 && k < n; k++) end[k + 1] += end[k];
  }
  r->piles.n = n;
  r->piles.first = kept;
  r->piles.end = end;                                      // behind the last of each
  sim_slabs_order(s, list);
  *behind = list;
  return kept;
}

int sim_pile_end(const sim_rows *r, int place) {
  if (r->piles.n == 0 || place < r->piles.first) return 0;
  int k = 0;
  while (r->piles.end[k] <= place - r->piles.first) k++;
  return r->piles.first + r->piles.end[k];
}

// ---- in factors -----------------------------------------------------------------------------------------------------
// The unknowns of a node of rows at [from, to), each at its seat, numbered anew in the order in which they are met,
// where slabs.c has not done so: `seat` [2 w.n] has the seat and the new number + 1 of each. How many; into z where it
// is not NULL.
static int unknowns(const nsm_sim *s, int from, int to, int *seat, int *numbers, int *z) {
  const sim_rows *r = &s->n.r;
  int *number = seat + s->n.w.n, count = 0;
  int met[2 * NSM_CONE_MOST_ROWS * SIM_PILE_ENTRIES];
  for (int at = from; at < to; at++) {
    int row = r->row_at[at], c = r->c0[row], x = r->x0[row];
    while (c < r->c0[row + 1] || x < r->x0[row + 1]) {
      int of = c < r->c0[row + 1] ? r->cz[c++] : r->xz[x++];
      if (seat[of] >= 0) continue;
      seat[of] = count;
      if (number[of] == 0) number[of] = ++*numbers;
      if (z) z[count] = number[of] - 1;
      met[count++] = of;
    }
  }
  if (!z) for (int i = 0; i < count; i++) seat[met[i]] = -1;
  return count;
}

// The unknowns of all rows of a node, where each has the same ones in C and X, once and in order, as between two
// spheres. How many; 0: general rows.
static int shared(const sim_rows *r, int from, int to) {
  int first = r->row_at[from], n = r->c0[first + 1] - r->c0[first];
  const int *of = r->cz + r->c0[first];
  for (int i = 1; i < n; i++) if (of[i] <= of[i - 1]) return 0;
  for (int at = from; at < to; at++) {
    int row = r->row_at[at], c = r->c0[row], x = r->x0[row];
    if (r->c0[row + 1] - c != n || r->x0[row + 1] - x != n) return 0;
    for (int i = 0; i < n; i++) if (r->cz[c + i] != of[i] || r->xz[x + i] != of[i]) return 0;
  }
  return n;
}

static void copy_rows(const sim_rows *r, int from, int to, int n, double *c, double *x) {
  for (int at = from; at < to; at++, c += n, x += n) {
    memcpy(c, r->c + r->c0[r->row_at[at]], (size_t)n * sizeof *c);
    memcpy(x, r->x + r->x0[r->row_at[at]], (size_t)n * sizeof *x);
  }
}

static void number_shared(const int *of, int n, int *number, int *numbers, int *z) {
  for (int i = 0; i < n; i++) {
    if (number[of[i]] == 0) number[of[i]] = ++*numbers;
    z[i] = number[of[i]] - 1;
  }
}

static void forget_seats(const nsm_sim *s, int from, int to, int *seat) {
  const sim_rows *r = &s->n.r;
  for (int at = from; at < to; at++) {
    int row = r->row_at[at];
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) seat[r->cz[e]] = -1;
    for (int e = r->x0[row]; e < r->x0[row + 1]; e++) seat[r->xz[e]] = -1;
  }
}

// Rows of a pile have few entries, or it is none: bodies of six freedoms each.
static int fit(const sim_rows *r, int first, int m) {
  for (int at = first; at < first + m; at++) {
    int row = r->row_at[at];
    if (r->c0[row + 1] - r->c0[row] > SIM_PILE_ENTRIES || r->x0[row + 1] - r->x0[row] > SIM_PILE_ENTRIES) return 0;
  }
  return 1;
}

static int fill(nsm_sim *s, int first, nsm_cone_factors *f, int *seat, size_t entries) {
  const sim_rows *r = &s->n.r;
  int *z = ROOM(s, Z, f->start[f->nodes], int), numbers = 0;
  double *c = ROOM(s, C, entries, double), *x = ROOM(s, X, entries, double), *d = NULL;
  if (!z || !c || !x) return 0;
  if (r->d0[r->n] > 0 && !(d = ROOM(s, D, f->first[f->nodes], double))) return 0;
  for (int k = 0; k < f->nodes; k++) {
    int from = first + f->first[k], to = first + f->first[k + 1], e = f->start[k + 1] - f->start[k];
    double *ck = c + f->at[k], *xk = x + f->at[k];
    for (int at = from; d && at < to; at++) {
      d[at - first] = 0;
      for (int i = r->d0[r->row_at[at]]; i < r->d0[r->row_at[at] + 1]; i++) d[at - first] += r->d[i];
    }
    if (shared(r, from, to) > 0) {
      number_shared(r->cz + r->c0[r->row_at[from]], e, seat + s->n.w.n, &numbers, z + f->start[k]);
      copy_rows(r, from, to, e, ck, xk);
      continue;
    }
    unknowns(s, from, to, seat, &numbers, z + f->start[k]);
    memset(ck, 0, (size_t)e * (size_t)(to - from) * sizeof *ck);
    memset(xk, 0, (size_t)e * (size_t)(to - from) * sizeof *xk);
    for (int at = from; at < to; at++, ck += e, xk += e) {
      int row = r->row_at[at];
      for (int i = r->c0[row]; i < r->c0[row + 1]; i++) ck[seat[r->cz[i]]] += r->c[i];
      for (int i = r->x0[row]; i < r->x0[row + 1]; i++) xk[seat[r->xz[i]]] += r->x[i];
    }
    forget_seats(s, from, to, seat);
  }
  if (f->slabs < 2) f->n = numbers;
  f->z = z;
  f->c = c;
  f->x = x;
  f->d = d;
  return 1;
}

int sim_pile_pose(nsm_sim *s, int first, nsm_cone_problem *p, nsm_cone_factors *f) {
  size_t n = (size_t)s->n.w.n, entries = 0;
  int *of = ROOM(s, FIRST, p->m + 1, int), *start = ROOM(s, START, p->m + 1, int), *seat = ROOM(s, SEAT, 2 * n, int),
      nodes = 0, numbers = 0;
  size_t *at = ROOM(s, AT, p->m + 1, size_t);
  if (!of || !start || !seat || !at || !fit(&s->n.r, first, p->m)) return 0;
  for (size_t z = 0; z < n; z++) { seat[z] = -1; seat[n + z] = 0; }
  start[0] = 0;
  for (int i = 0, c = 0; i < p->m; nodes++) {
    int size = c < p->cones && p->cone[c].first == i ? p->cone[c++].size : 1,
        e = shared(&s->n.r, first + i, first + i + size);
    if (e == 0) e = unknowns(s, first + i, first + i + size, seat, &numbers, NULL);
    of[nodes] = i;
    at[nodes] = entries;
    start[nodes + 1] = start[nodes] + e;
    entries += (size_t)e * (size_t)size;
    i += size;
  }
  of[nodes] = p->m;
  at[nodes] = entries;
  *f = (nsm_cone_factors){ .nodes = nodes, .first = of, .start = start, .at = at };
  if (sim_slabs_of(s, first, nodes, f)) memcpy(seat + n, s->n.r.piles.number, n * sizeof *seat);
  else memset(seat + n, 0, n * sizeof *seat);
  p->factors = f;
  return fill(s, first, f, seat, entries);
}
