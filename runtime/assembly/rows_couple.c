// How the rows of the one-step problem couple: X = W^{-1} B by columns and M_osns = D + C X by rows (rows.c has B, C,
// D).
//
// Where they are small the patterns of X and M_osns are those of all rows, made once. Else they are those of the active
// rows, made anew where these change ("follow"): a family of all pairs of bodies costs what its closed contacts cost,
// and a column of X, as long as its block of W, is there for a closed contact only. What they stand in grows by half
// where it is too small. augmented.c does without both.
#include "assembly.h"
#include "augmented.h"
#include <math.h>
#include <string.h>

// Entries up to which the patterns are those of all rows: of X for each entry of B, of M_osns for each row; and any.
// Where all rows are always active islands keep their factors (islands.c): ALWAYS times as many.
enum { X_EACH = 16, X_ANY = 1 << 17, M_EACH = 64, M_ANY = 1 << 16, ALWAYS = 64, NETWORK = 200, PRODUCTS = 10 };
static const double most = 4.0e8;        // entries of either: more than 4 GiB

static void rewind_starts(int n, int *start) {
  for (int i = n; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

#define ROOM(s, which, count, type) ((type *)sim_pool_room((s), &(s)->n.r.pool[which], (size_t)(count), sizeof(type)))

// ---- X --------------------------------------------------------------------------------------------------------------
// Does B touch each unknown of this row once, in order? With a diagonal W it has X's own pattern then.
static int in_order(const sim_rows *r, int row) {
  int ok = r->border_of[row] < 0;
  for (int e = r->b0[row] + 1; e < r->b0[row + 1]; e++) ok &= r->bz[e] > r->bz[e - 1];
  return ok;
}

// Entries of X of these rows; of each row the blocks of W that B touches.
static double count_x(nsm_sim *s, const int *rows, int count, int *last) {
  const sim_rows *r = &s->n.r;
  double total = 0;
  for (int i = 0; i < s->n.w.nblock; i++) last[i] = -1;
  for (int i = 0; i < count; i++) {
    int row = rows[i], quick = s->n.w.diagonal && in_order(r, row);
    if (quick) total += r->b0[row + 1] - r->b0[row];
    for (int e = r->b0[row]; !quick && r->border_of[row] < 0 && e < r->b0[row + 1]; e++) {
      int k = s->n.w.block_of[r->bz[e]];
      if (last[k] != row) total += s->n.w.block[k].n;
      last[k] = row;
    }
  }
  return total;
}

// X has the blocks of W that B touches, each in the block's own order; for a diagonal W B's pattern. rows ascend.
static int pattern_x(nsm_sim *s, const int *rows, int count, int *last, int *seat, double total) {
  sim_rows *r = &s->n.r;
  const sim_matrix *w = &s->n.w;
  if (total > most || !(r->xz = ROOM(s, SIM_XZ, total + 1, int)) || !(r->x = ROOM(s, SIM_X, total + 1, double)))
    return 0;
  int at = 0, next = 0;
  for (int i = 0; i < w->nblock; i++) last[i] = -1;
  for (int i = 0; i < count; i++) {
    int row = rows[i];
    while (next <= row) r->x0[next++] = at;
    if (w->diagonal && in_order(r, row)) {
      for (int e = r->b0[row]; e < r->b0[row + 1]; e++) { r->xz[at] = r->bz[e]; r->bx[e] = at++; }
      continue;
    }
    for (int e = r->b0[row]; r->border_of[row] < 0 && e < r->b0[row + 1]; e++) {
      int k = w->block_of[r->bz[e]];
      const sim_block *b = &w->block[k];
      if (last[k] != row) {
        last[k] = row;
        seat[k] = at;
        for (int j = 0; j < b->n; j++) r->xz[at + j] = w->order[b->first + j];
        at += b->n;
      }
      r->bx[e] = seat[k] + w->place[r->bz[e]] - b->first;
    }
  }
  while (next <= r->n) r->x0[next++] = at;
  return 1;
}

// By z: which of these rows have an entry of X there, and where.
static void list_by_z(const nsm_sim *s, const int *rows, int count, int *start, int *row_of, int *at_of) {
  const sim_rows *r = &s->n.r;
  memset(start, 0, ((size_t)s->n.w.n + 1) * sizeof(int));
  for (int k = 0; k < count; k++)
    for (int i = r->x0[rows[k]]; i < r->x0[rows[k] + 1]; i++) start[r->xz[i] + 1]++;
  for (int i = 0; i < s->n.w.n; i++) start[i + 1] += start[i];
  for (int k = 0; k < count; k++)
    for (int i = r->x0[rows[k]]; i < r->x0[rows[k] + 1]; i++) {
      int at = start[r->xz[i]]++;
      row_of[at] = rows[k];
      at_of[at] = i;
    }
  rewind_starts(s->n.w.n, start);
}

// Columns of one large block of W, which is solved for several at once.
typedef struct waiting { int block, count; double *x[NSM_SPARSE_LANES]; } waiting;

static void solve_waiting(const sim_matrix *w, waiting *few) {
  if (few->count == NSM_SPARSE_LANES) sim_block_solve_lanes(w, few->block, few->x);
  else for (int k = 0; k < few->count; k++) sim_block_solve(w, few->block, few->x[k]);
  few->count = 0;
}

static void solve_later(const sim_matrix *w, int block, double *x, waiting *few) {
  if (few->count > 0 && few->block != block) solve_waiting(w, few);
  few->block = block;
  few->x[few->count++] = x;
  if (few->count == NSM_SPARSE_LANES) solve_waiting(w, few);
}

// few NULL: it is needed at once.
static void column(nsm_sim *s, int row, waiting *few) {
  sim_rows *r = &s->n.r;
  int from = r->x0[row], to = r->x0[row + 1];
  if (s->n.w.diagonal) {
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) r->x[r->bx[e]] = r->b[e] * s->n.w.inverse[r->bz[e]];
    return;
  }
  memset(r->x + from, 0, (size_t)(to - from) * sizeof(double));
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) r->x[r->bx[e]] += r->b[e];
  for (int at = from; at < to;) {
    int block = s->n.w.block_of[r->xz[at]];
    const sim_block *b = &s->n.w.block[block];
    if (few && b->kind == BLOCK_SPARSE && !b->banded) solve_later(&s->n.w, block, r->x + at, few);
    else sim_block_solve(&s->n.w, block, r->x + at);
    at += b->n;
  }
}

void sim_rows_columns_of(nsm_sim *s, const int *rows, int count) {
  waiting few = { 0 };
  for (int k = 0; k < count; k++) column(s, rows[k], &few);
  solve_waiting(&s->n.w, &few);
}

// ---- M_osns: pattern ------------------------------------------------------------------------------------------------
// Visits the rows that row `row` reads through D and C X; a row may come several times.
#define OVER_COUPLED(r, row, other, body)                                                                              \
  do {                                                                                                                 \
    for (int e_ = (r)->d0[row]; e_ < (r)->d0[(row) + 1]; e_++) { int other = (r)->ds[e_]; body }                       \
    for (int e_ = (r)->c0[row]; e_ < (r)->c0[(row) + 1]; e_++)                                                         \
      for (int f_ = (r)->k0[(r)->cz[e_]]; f_ < (r)->k0[(r)->cz[e_] + 1]; f_++) { int other = (r)->ks[f_]; body }       \
  } while (0)

typedef struct graph { int n; int *start, *neighbour; } graph;

// Sorts each list and removes repetitions; starts are updated. j stands in the list of i as often as i in that of j: so
// i, taken in order, comes into the lists of its neighbours in order, and nothing is compared. room [entries + n + 1].
static void unique(graph *g, int *room) {
  int entries = g->start[g->n], *start = room + entries, out = 0;
  memcpy(room, g->neighbour, (size_t)entries * sizeof(int));
  memcpy(start, g->start, ((size_t)g->n + 1) * sizeof(int));
  for (int i = 0; i < g->n; i++)
    for (int e = start[i]; e < start[i + 1]; e++) g->neighbour[g->start[room[e]]++] = i;
  for (int i = 0; i < g->n; i++) {
    int first = out;
    for (int e = start[i]; e < start[i + 1]; e++)
      if (out == first || g->neighbour[out - 1] != g->neighbour[e]) g->neighbour[out++] = g->neighbour[e];
    g->start[i] = first;
  }
  g->start[g->n] = out;
}

// The symmetrised pattern without the diagonal, in the numbers of `local`, -1 for rows that do not take part; the rows
// of a block of friction are coupled. 0: more than `limit` entries, or no memory.
static int coupled(nsm_sim *s, const int *rows, int count, const int *local, int *mark, double limit, graph *g) {
  sim_rows *r = &s->n.r;
  double total = 0;
  int block[5];
  g->n = count;
  if (!(g->start = ROOM(s, SIM_START, count + 2, int))) return 0;
  memset(g->start, 0, ((size_t)count + 2) * sizeof(int));
  int *start = g->start;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < count; i++) mark[i] = -1;
    for (int i = 0; i < count; i++) {
      int row = rows[i];
      mark[i] = i;
      for (int k = r->friction_of[row] < 0 ? 0 : sim_friction_rows(s, r->friction_of[row], block); k-- > 0;) {
        int o = local[block[k]];
        if (o < 0 || mark[o] == i) continue;
        mark[o] = i;
        if (pass == 0) { start[i + 1]++; start[o + 1]++; total += 2; }
        else { g->neighbour[start[i]++] = o; g->neighbour[start[o]++] = i; }
      }
      OVER_COUPLED(r, row, other, {
        int o = local[other];
        if (o >= 0 && mark[o] != i && r->border_of[row] < 0) {
          mark[o] = i;
          if (pass == 0) { start[i + 1]++; start[o + 1]++; total += 2; }
          else { g->neighbour[start[i]++] = o; g->neighbour[start[o]++] = i; }
        }
      });
      if (total > limit) return 0;
    }
    if (pass == 1) break;
    for (int i = 0; i < count; i++) start[i + 1] += start[i];
    if (!(g->neighbour = ROOM(s, SIM_NEIGHBOUR, start[count] + 1, int))) return 0;
  }
  rewind_starts(count, start);
  int *room = ROOM(s, SIM_SCRATCH, (size_t)start[count] + (size_t)count + 1, int);
  if (!room) return 0;
  unique(g, room);
  return 1;
}

// Cuthill-McKee where that narrows the band. The rows of a block of friction are one node of the graph and stay
// neighbours, the normal first. Into order [count], place [count]: numbers of `local`.
static int order_rows(nsm_sim *s, const int *rows, const int *local, const graph *full, int *order, int *place) {
  sim_rows *r = &s->n.r;
  int n = full->n, nodes = 0, block[5], entries = full->start[n];
  int *scratch = ROOM(s, SIM_SCRATCH, 9 * (size_t)n + 2 * (size_t)entries + 10, int);
  if (!scratch) return 0;
  int *node = scratch, *first = node + n, *by = first + n + 1, *natural = by + n, *component = natural + n,
      *two = component + n;
  graph g = { .start = two + 2 * n, .neighbour = two + 3 * n + 2 };
  for (int i = 0; i < n; i++) {
    int f = r->friction_of[rows[i]];
    if (f >= 0 && sim_friction_rows(s, f, block) && local[block[0]] >= 0 && local[block[0]] != i) continue;
    int m = f < 0 || local[block[0]] < 0 ? 0 : sim_friction_rows(s, f, block);
    first[nodes] = i;
    node[i] = nodes;
    for (int k = 0; k < m; k++) if (local[block[k]] >= 0) node[local[block[k]]] = nodes;
    nodes++;
  }
  g.n = nodes;
  memset(g.start, 0, ((size_t)nodes + 2) * sizeof(int));
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++)
      for (int e = full->start[i]; e < full->start[i + 1]; e++) {
        int a = node[i], b = node[full->neighbour[e]];
        if (a == b) continue;
        if (pass == 0) g.start[a + 1]++;
        else g.neighbour[g.start[a]++] = b;
      }
    for (int i = 0; pass == 0 && i < nodes; i++) g.start[i + 1] += g.start[i];
  }
  rewind_starts(nodes, g.start);
  unique(&g, g.neighbour + entries);
  sim_rcm(nodes, g.start, g.neighbour, by, component, two);
  for (int given = 0; given < 2; given++) {  // the order found, then the one of the model if its band is as narrow
    int *to = given ? natural : order, at = 0;
    for (int k = 0; k < nodes; k++) {
      int i = first[given ? k : by[k]], f = r->friction_of[rows[i]],
          m = f < 0 ? 0 : sim_friction_rows(s, f, block), together = m > 0 && local[block[0]] >= 0;
      for (int j = 0; together && j < m; j++) if (local[block[j]] >= 0) to[at++] = local[block[j]];
      if (!together) to[at++] = i;
    }
    for (int i = 0; i < n; i++) place[to[i]] = i;
    int bandwidth = sim_bandwidth(n, full->start, full->neighbour, place);
    if (given && bandwidth > r->bandwidth) break;
    r->bandwidth = bandwidth;
    if (given) memcpy(order, natural, (size_t)n * sizeof(int));
  }
  for (int i = 0; i < n; i++) place[order[i]] = i;
  return 1;
}

// Rows of piles at the places from `from` on: their own entry alone.
static void place_piles(sim_rows *r, const int *behind, int from, int more, int *local) {
  for (int i = 0, at = from, e = r->m0[from]; i < more; i++, at++, e++) {
    r->row_at[at] = behind[i];
    local[behind[i]] = r->mc[e] = at;
    r->diagonal[at] = e;
    r->m0[at + 1] = e + 1;
  }
}

// M_osns: symmetrised pattern, diagonal included; behind it the rows of piles (`more`), which have no pattern. Rows
// that take no part stand behind the others in the order. limit: of its entries; 0 where there are more, or there is no
// memory.
static int pattern_m(nsm_sim *s, const int *rows, int count, const int *behind, int more, double limit) {
  sim_rows *r = &s->n.r;
  graph g;
  int n = r->n, *local = r->at_row, *place = r->diagonal;            // both are made new below
  for (int i = 0; i < n; i++) local[i] = -1;
  for (int i = 0; i < count; i++) local[rows[i]] = i;
  int *order = ROOM(s, SIM_ORDER, count + 1, int);
  if (!order || !coupled(s, rows, count, local, r->mark, limit, &g) || !order_rows(s, rows, local, &g, order, place) ||
      !(r->mc = ROOM(s, SIM_MC, g.start[count] + count + more + 1, int)) ||
      !(r->m = ROOM(s, SIM_M, g.start[count] + count + more + 1, double)))
    return 0;
  int *m0 = r->m0, out = g.start[count] + count;
  m0[0] = 0;
  for (int i = 0; i < count; i++) m0[i + 1] = m0[i] + 1 + g.start[order[i] + 1] - g.start[order[i]];
  for (int i = 0; i < count; i++) {                        // as in unique: column i comes into its rows in order
    r->mc[m0[i]++] = i;
    for (int e = g.start[order[i]]; e < g.start[order[i] + 1]; e++) r->mc[m0[place[g.neighbour[e]]]++] = i;
  }
  rewind_starts(count, m0);
  for (int i = 0; i < count; i++) r->row_at[i] = rows[order[i]];
  place_piles(r, behind, count, more, local);
  for (int row = 0, at = count + more; row < n; row++)
    if (local[row] < 0) { r->row_at[at++] = row; r->m0[at] = out + more; }
  r->in_order = 1;
  for (int i = 0; i < n; i++) {
    r->at_row[r->row_at[i]] = i;
    r->in_order &= r->row_at[i] == i;
  }
  for (int i = 0; i < count; i++) {
    int e = r->m0[i];
    while (r->mc[e] != i) e++;
    r->diagonal[i] = e;
  }
  return 1;
}

static void rows_in_order(sim_rows *r) {
  for (int i = 0; i < r->n; i++) r->row_at[i] = r->at_row[i] = i;
  r->in_order = 1;
}

// A network: each current reaches every node, so X is full, and where the sparse matrix of nodes and currents costs
// less than products with it, augmented.c solves all.
static int is_full(nsm_sim *s, double entries) {
  sim_rows *r = &s->n.r;
  double full = (double)r->n * r->n;
  if (!r->always || r->n < NETWORK || 4 * entries < full || !s->a->scheme->implicit || s->touching) return 0;
  r->augmented = sim_augmented_make(s);
  if (r->augmented && sim_augmented_cost(r->augmented) < PRODUCTS * full) return 1;
  r->augmented = NULL;
  return 0;
}

// ---- analysis -------------------------------------------------------------------------------------------------------
void sim_rows_analyse(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  int n = r->n;
  r->always = s->a->on.contact.n == 0;
  r->contacts = s->a->on.contact.n == s->a->on.row.n;
  r->constant = s->n.w.constant && s->a->on.b_moving.n + s->a->on.h_moving.n + s->a->on.rq_moving.n == 0;
  int **by_row[] = { &r->row_at, &r->at_row, &r->mark, &r->diagonal };
  for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++) *by_row[k] = SIM_NEW(s, n, int);
  r->m0 = SIM_NEW(s, n + 1, int);
  r->x0 = SIM_NEW(s, n + 1, int);
  r->bx = SIM_NEW(s, r->b0[n], int);
  int *all = SIM_LEND(s, n, int), *last = SIM_LEND(s, s->n.w.nblock, int), *seat = SIM_LEND(s, s->n.w.nblock, int);
  for (int i = 0; i < n; i++) all[i] = r->row_at[i] = r->at_row[i] = i;
  double entries = count_x(s, all, n, last), few = (double)X_EACH * r->b0[n] + X_ANY,
         few_m = (double)M_EACH * n + M_ANY;
  if (r->always) { few *= ALWAYS; few_m *= ALWAYS; }
  r->x_follows = s->touching || is_full(s, entries) || (entries > few && !s->a->scheme->two_point);
  if (!r->x_follows) {
    if (!pattern_x(s, all, n, last, seat, entries)) sim_no_room(s);
    r->k0 = r->z0 = SIM_NEW(s, s->n.w.n + 1, int);
    r->ks = r->zs = SIM_NEW(s, r->x0[n], int);
    r->kx = r->zx = SIM_NEW(s, r->x0[n], int);
    list_by_z(s, all, n, r->z0, r->zs, r->zx);
  }
  r->m_follows = r->x_follows || !pattern_m(s, all, n, NULL, 0, few_m);
  if (r->m_follows) {
    r->made_for = SIM_NEW(s, n, unsigned char);
    rows_in_order(r);
    if (r->x_follows && s->a->scheme->implicit && !s->touching && !r->augmented && !r->law)
      r->augmented = sim_augmented_make(s);
  }
  int scratch[] = { SIM_START, SIM_NEIGHBOUR, SIM_SCRATCH, SIM_ORDER };
  for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++) sim_pool_empty(s, &r->pool[scratch[k]]);
  sim_give(s, all);
  sim_give(s, last);
  sim_give(s, seat);
  if (!r->x_follows || !s->a->scheme->two_point) return;
  for (int row = 0; row < n; row++) r->active[row] = s->a->cls[r->cls[row]].c->kind == NSM_CONSTRAINT;
  sim_rows_follow(s);                                  // z0 of the constraints, by which the graph of K goes
  if (r->no_room) sim_no_room(s);
}

// ---- the active rows ------------------------------------------------------------------------------------------------
// Patterns of the active rows. 0 where there is no memory for them.
static int follow(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  int count = 0, *rows = ROOM(s, SIM_ROWS, r->n + 1, int), *last = NULL, *seat = NULL;
  if (!rows) return 0;
  for (int i = 0; i < r->n; i++) if (r->active[i]) rows[count++] = i;
  if (r->x_follows) {
    last = ROOM(s, SIM_LAST, s->n.w.nblock + 1, int);
    seat = ROOM(s, SIM_SEAT, s->n.w.nblock + 1, int);
    if (!last || !seat || !pattern_x(s, rows, count, last, seat, count_x(s, rows, count, last))) return 0;
  }
  double entries = 0;
  for (int i = 0; i < count; i++) entries += r->x0[rows[i] + 1] - r->x0[rows[i]];
  r->k0 = ROOM(s, SIM_K0, s->n.w.n + 1, int);
  r->ks = ROOM(s, SIM_KS, entries + 1, int);
  r->kx = ROOM(s, SIM_KX, entries + 1, int);
  if (!r->k0 || !r->ks || !r->kx) return 0;
  list_by_z(s, rows, count, r->k0, r->ks, r->kx);
  if (r->x_follows) { r->z0 = r->k0; r->zs = r->ks; r->zx = r->kx; }
  const int *behind;
  int kept = r->x_follows ? sim_piles_find(s, rows, count, &behind) : count;
  return pattern_m(s, rows, kept, kept < count ? behind : NULL, count - kept, most);
}

void sim_rows_follow(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  if (!r->m_follows) return;
  int count = 0;
  for (int i = 0; i < r->n; i++) count += r->active[i];
  r->whole = r->augmented && sim_augmented_pays(s, count);
  if (r->whole) return;
  if (r->made && memcmp(r->made_for, r->active, (size_t)r->n) == 0) return;
  memcpy(r->made_for, r->active, (size_t)r->n);
  r->no_room = !follow(s);
  r->made = !r->no_room;
  if (r->no_room) rows_in_order(r);
  else if (r->constant) sim_rows_couple(s);
}

int sim_rows_columns(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  r->whole = 0;
  memcpy(r->made_for, r->active, (size_t)r->n);
  r->no_room = !follow(s);
  r->made = !r->no_room;
  if (r->made) sim_rows_couple(s);
  return r->made;
}

// M_ii alone, of a row of a pile.
static void inertia_of(sim_rows *r, int i) {
  int row = r->row_at[i];
  double sum = 0;
  for (int e = r->d0[row]; e < r->d0[row + 1]; e++) if (r->ds[e] == row) sum += r->d[e];
  for (int e = r->c0[row], x = r->x0[row]; e < r->c0[row + 1]; e++) {
    int from = x;                                          // mostly in the order of C
    while (r->xz[x] != r->cz[e] && ++x < r->x0[row + 1]) continue;
    if (x == r->x0[row + 1])
      for (x = r->x0[row]; x < from && r->xz[x] != r->cz[e];) x++;
    if (r->xz[x] == r->cz[e]) sum += r->c[e] * r->x[x];
  }
  r->m[r->diagonal[i]] = sum;
}

// Has a row's column of X the block and nothing else? It stands there in the block's own order then.
static inline int is_column_of(const nsm_sim *s, const sim_block *b, int row) {
  const sim_rows *r = &s->n.r;
  int x = r->x0[row];
  return r->x0[row + 1] - x == b->n && r->xz[x] == s->n.w.order[b->first];
}

// Row i of M where it and all rows that it is coupled with are in one block: C times columns. 0 where they are not.
enum { MOST_ENTRIES = 48 };              // of C
static int row_in_block(nsm_sim *s, int i) {
  sim_rows *r = &s->n.r;
  const sim_matrix *w = &s->n.w;
  int row = r->row_at[i], n = r->c0[row + 1] - r->c0[row], at[MOST_ENTRIES];
  if (n == 0 || n > MOST_ENTRIES || r->d0[row] < r->d0[row + 1]) return 0;
  const int *z = r->cz + r->c0[row];
  const sim_block *b = &w->block[w->block_of[z[0]]];
  for (int e = 0; e < n; e++) {
    at[e] = w->place[z[e]] - b->first;
    if (at[e] < 0 || at[e] >= b->n) return 0;
  }
  for (int k = r->m0[i]; k < r->m0[i + 1]; k++) {
    int other = r->row_at[r->mc[k]];
    if (r->active[other] && !is_column_of(s, b, other)) return 0;
  }
  const double *c = r->c + r->c0[row];
  for (int k = r->m0[i]; k < r->m0[i + 1]; k++) {
    int other = r->row_at[r->mc[k]];
    const double *x = r->x + r->x0[other];
    double sum = 0;
    for (int e = 0; r->active[other] && e < n; e++) sum += c[e] * x[at[e]];
    r->m[k] = sum;
  }
  return 1;
}

static void row_of_m(nsm_sim *s, int i) {
  sim_rows *r = &s->n.r;
  int row = r->row_at[i];
  if (row_in_block(s, i)) return;
  for (int e = r->m0[i]; e < r->m0[i + 1]; e++) {
    r->mark[r->mc[e]] = e;
    r->m[e] = 0;
  }
  for (int e = r->d0[row]; e < r->d0[row + 1]; e++)
    if (!r->m_follows || r->active[r->ds[e]]) r->m[r->mark[r->at_row[r->ds[e]]]] += r->d[e];
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
    double c = r->c[e];
    if (c == 0) continue;
    for (int f = r->k0[r->cz[e]]; f < r->k0[r->cz[e] + 1]; f++)
      if (r->active[r->ks[f]]) r->m[r->mark[r->at_row[r->ks[f]]]] += c * r->x[r->kx[f]];
  }
}

// ---- rows that the border blocks ------------------------------------------------------------------------------------
// M_ii = k (X^T W X + sum_j d_j X_j^2), with the d of the border (assembly.c) and C = k B^T, k = 1 but for relations.
// Where the second part is all of it nothing moves along this row, but for what the border gives way by:
// C = -k sum_j X_j C_j.
static const double all_of_it = 2;       // the first is its round-off then, or of second order in d

static double scale_of(const sim_rows *r, int row) {
  double b = 0, c = 0;
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) b += r->b[e] * r->b[e];
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) c += r->c[e] * r->c[e];
  return b > 0 ? sqrt(c / b) : 0;
}

static int is_blocked(const nsm_sim *s, int i) {
  const sim_rows *r = &s->n.r;
  int row = r->row_at[i];
  double given = 0;
  if (!r->active[row] || (r->lo[row] > -INFINITY && r->hi[row] < INFINITY) || sim_pile_end(r, i) > 0 ||
      s->a->cls[r->cls[row]].c->kind == NSM_FRICTION)
    return 0;
  for (int x = r->x0[row]; x < r->x0[row + 1]; x++)
    if (r->xz[x] >= s->a->nz) given += r->gives[r->xz[x] - s->a->nz] * r->x[x] * r->x[x];
  return given > 0 && fabs(r->m[r->diagonal[i]]) <= all_of_it * scale_of(r, row) * given;
}

// A multiplier of such a row does nothing, and no other one changes its rate: else one of 1/d would stand for a
// solution where there is none, as of a motor that drives a joint into its stop.
static void block(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  for (int i = 0; i < r->n; i++) {
    r->blocked[r->row_at[i]] = (unsigned char)is_blocked(s, i);
    for (int e = r->m0[i]; r->blocked[r->row_at[i]] && e < r->m0[i + 1]; e++) {
      int j = r->mc[e];
      for (int f = r->m0[j]; f < r->m0[j + 1]; f++) if (r->mc[f] == i) r->m[f] = 0;
      r->m[e] = 0;
    }
  }
}

double sim_rows_rate(const nsm_sim *s, int row, const double *dz, double *terms) {
  const sim_rows *r = &s->n.r;
  double sum = 0;
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
    double d = r->c[e] * dz[r->cz[e]];
    sum += d;
    *terms += fabs(d);
  }
  double k = r->blocked[row] ? scale_of(r, row) : 0;
  for (int x = r->x0[row]; r->blocked[row] && x < r->x0[row + 1]; x++)
    if (r->xz[x] >= s->a->nz) {
      double d = k * r->x[x] * r->gives[r->xz[x] - s->a->nz] * dz[r->xz[x]];
      sum -= d;
      *terms += fabs(d) / sim_regular;                     // what the free motion and the border's impulses cancel by
    }
  return sum;
}

void sim_rows_couple_kept(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  if (r->whole || (r->m_follows && !r->made)) return;
  for (int i = 0; i < r->n; i++) {
    if (!r->active[r->row_at[i]]) continue;
    if (sim_pile_end(r, i) > 0) inertia_of(r, i);
    else row_of_m(s, i);
  }
  if (r->nborder > 0) block(s);
}

void sim_rows_couple(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  if (r->augmented) sim_augmented_stale(s);
  if (r->whole || (r->m_follows && !r->made)) return;
  waiting few = { 0 };
  for (int row = 0; row < r->n; row++)
    if (r->active[row]) column(s, row, &few);
  solve_waiting(&s->n.w, &few);
  sim_rows_couple_kept(s);
}

// ---- what the rest asks for -----------------------------------------------------------------------------------------
// M_ii of the active row at place `at`. Without M_osns at hand, D_ii + sum_z C_z B_z/W_zz: what the row would have if
// W were diagonal, which is less where W is positive definite.
double sim_rows_inertia(const nsm_sim *s, int at) {
  const sim_rows *r = &s->n.r;
  return r->whole ? sim_assembly_inertia(s, r->row_at[at]) : r->m[r->diagonal[at]];
}

void sim_rows_add_column(const nsm_sim *s, int row, double lambda, double *dz) {
  const sim_rows *r = &s->n.r;
  for (int e = r->x0[row]; lambda != 0 && e < r->x0[row + 1]; e++) dz[r->xz[e]] += r->x[e] * lambda;
}

enum { MANY = 32 };                      // entries of a column from which on columns are added in the block's order

// dz += X lambda, [w.n]; lambda of the active rows by their places in the list. Columns of one block are added up in
// its own order, each sum in the order of the rows.
void sim_rows_motion(const nsm_sim *s, const double *lambda, double *dz) {
  const sim_rows *r = &s->n.r;
  const sim_islands *a = &s->n.isl;
  const sim_matrix *w = &s->n.w;
  if (r->whole) { sim_augmented_motion(s, dz); return; }
  for (int i = 0; i < a->nactive;) {
    int row = r->row_at[a->active[i]], x = r->x0[row], any = x < r->x0[row + 1];
    const sim_block *b = any ? &w->block[w->block_of[r->xz[x]]] : NULL;
    if (!any || b->n < MANY || !is_column_of(s, b, row)) {
      sim_rows_add_column(s, row, lambda[i++], dz);
      continue;
    }
    double *restrict sum = w->work;
    const int *order = w->order + b->first;
    for (int k = 0; k < b->n; k++) sum[k] = dz[order[k]];
    for (; i < a->nactive && is_column_of(s, b, r->row_at[a->active[i]]); i++) {
      const double *column = r->x + r->x0[r->row_at[a->active[i]]];
      double l = lambda[i];
      for (int k = 0; l != 0 && k < b->n; k++) sum[k] += column[k] * l;
    }
    for (int k = 0; k < b->n; k++) dz[order[k]] = sum[k];
  }
}

// size += the sum of the sizes of the terms of X lambda, [w.n].
void sim_rows_sizes(const nsm_sim *s, const double *lambda, double *size) {
  const sim_rows *r = &s->n.r;
  const sim_islands *a = &s->n.isl;
  if (r->whole) { sim_augmented_sizes(s, lambda, size); return; }
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]];
    for (int e = r->x0[row]; lambda[i] != 0 && e < r->x0[row + 1]; e++) size[r->xz[e]] += fabs(r->x[e] * lambda[i]);
  }
}
