// Entries of K as consistent_matrix.c adds them up. Those by positions are summed up first, as Q = d R/d q, and enter
// (11) afterwards, each once:
//
//        K_(row, u) += (h/2) Q,   K_(row, kappa) -= Q P,   P = Drate^T of the begin of the step
//
// Five rows of a joint have their curvature at the same places, and a body on two joints ten multipliers in P: to
// multiply by P once for each place is a tenth of the work.
//
// In a sparse block the place of an entry is looked for in its column. The calls for one matrix come in the order of
// those for the matrix before, so each place is kept by the number of its call, with the row and column that it is
// right for. Likewise the products Q P are listed once, by what they read of a copy of P and where they go, and again
// from the first entry of Q on that is another one than in the matrix before.
#include <string.h>
#include "consistent.h"

enum { CALLS_A_PLACE = 4,                // of which the places are kept; those of more calls are looked for each time
       MOST_PRODUCTS = 1 << 20 };        // that are listed

typedef struct known { int row, col, place; } known;
typedef struct by_q { int row, col; } by_q;
typedef struct product { int into, from; } product;      // place in K, number in the copy of P

struct con_entries {
  known *known; int calls, room;         // of this matrix so far; how many are kept
  double h;                              // of the step
  double *Q; int *at;                    // [nval] by place in K: sum, and its number in `list` and one; 0: none yet
  by_q *list; int n;                     // [nval] the entries of Q in the order of their first call
  by_q *listed; int nlisted;             // [nval] those whose products are listed
  int *first;                            // [nval + 1] of each entry of `listed`
  int *copy0; unsigned char *acts;       // [ns + 1], [ns] of each constraint: its part of the copy; has it one?
  sim_pool products, copy;
};

void con_entries_room(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_entries *t = c->entries = SIM_NEW(s, 1, struct con_entries);
  for (int b = 0; b < c->k.nblock; b++)
    if (c->k.block[b].kind == BLOCK_SPARSE) t->room += CALLS_A_PLACE * (int)c->k.block[b].sparse->values;
  t->known = SIM_NEW(s, t->room, known);
  for (int i = 0; i < t->room; i++) t->known[i].row = -1;
  int values = c->ns > 0 ? c->k.nval : 0;                // without constraints there is no P
  t->Q = SIM_NEW(s, values, double);
  t->at = SIM_NEW(s, values, int);
  t->list = SIM_NEW(s, values, by_q);
  t->listed = SIM_NEW(s, values, by_q);
  t->first = SIM_NEW(s, values + 1, int);
  t->copy0 = SIM_NEW(s, c->ns + 1, int);
  t->acts = SIM_NEW(s, c->ns, unsigned char);
}

static inline int place_of(const struct sim_consistent *c, int row, int col) {
  struct con_entries *t = c->entries;
  if (c->k.block[c->k.block_of[row]].kind != BLOCK_SPARSE || t->calls == t->room)
    return sim_matrix_place(&c->k, row, col);
  known *k = &t->known[t->calls++];
  if (k->row != row || k->col != col) *k = (known){ row, col, sim_matrix_place(&c->k, row, col) };
  return k->place;
}

void con_entries_open(struct sim_consistent *c, double h) {
  memset(c->k.val, 0, (size_t)c->k.nval * sizeof(double));
  c->entries->calls = 0;
  c->entries->h = h;
}

void con_add(struct sim_consistent *c, int row, int col, double value) { c->k.val[place_of(c, row, col)] += value; }

void con_add_q(struct sim_consistent *c, int row, int col, double value) {
  struct con_entries *t = c->entries;
  if (c->ns == 0) {
    con_add(c, row, col, 0.5 * t->h * value);
    return;
  }
  int place = place_of(c, row, col);
  if (!t->at[place]) {
    t->list[t->n++] = (by_q){ row, col };
    t->at[place] = t->n;
    t->Q[place] = 0;
  }
  t->Q[place] += value;
}

// P of the constraints that act, row by row; NULL: no room. Where others act than before nothing is listed any more.
static const double *copy_of_p(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_entries *t = c->entries;
  const sim_rows *r = &s->n.r;
  int change = 0;
  for (int j = 0; j < c->ns; j++) {
    int acts = con_acts(s, j), end = t->copy0[j] + (acts ? r->x0[c->row[j] + 1] - r->x0[c->row[j]] : 0);
    change |= t->acts[j] != acts || t->copy0[j + 1] != end;
    t->acts[j] = (unsigned char)acts;
    t->copy0[j + 1] = end;
  }
  if (change) t->nlisted = 0;
  double *copy = sim_pool_room(s, &t->copy, (size_t)t->copy0[c->ns] + 1, sizeof *copy);
  for (int j = 0; copy && j < c->ns; j++)
    memcpy(copy + t->copy0[j], r->x + r->x0[c->row[j]], (size_t)(t->copy0[j + 1] - t->copy0[j]) * sizeof *copy);
  return copy;
}

// The products of one more entry of Q; 0: there is no room.
static int list_products(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_entries *t = c->entries;
  const sim_rows *r = &s->n.r;
  by_q at = t->list[t->nlisted];
  int n = t->first[t->nlisted], most = n + r->z0[at.col + 1] - r->z0[at.col];
  product *list = most <= MOST_PRODUCTS ? sim_pool_more(s, &t->products, (size_t)most + 1, sizeof *list) : NULL;
  if (!list) return 0;
  for (int e = r->z0[at.col]; e < r->z0[at.col + 1]; e++) {
    int j = c->of[r->zs[e]];
    if (j < 0 || !con_acts(s, j)) continue;
    list[n++] = (product){ sim_matrix_place(&c->k, at.row, s->a->nv + c->ns + j),
                           t->copy0[j] + r->zx[e] - r->x0[r->zs[e]] };
  }
  t->listed[t->nlisted++] = at;
  t->first[t->nlisted] = n;
  return 1;
}

// The products of an entry without a list.
static void multiply(nsm_sim *s, by_q at, double value) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  for (int e = r->z0[at.col]; e < r->z0[at.col + 1]; e++) {
    int j = c->of[r->zs[e]];
    if (j >= 0 && con_acts(s, j)) con_add(c, at.row, s->a->nv + c->ns + j, -value * r->x[r->zx[e]]);
  }
}

void con_entries_close(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_entries *t = c->entries;
  if (t->n == 0) return;
  const double *copy = copy_of_p(s);
  int same = 0;
  while (same < t->n && same < t->nlisted && t->list[same].row == t->listed[same].row &&
         t->list[same].col == t->listed[same].col) same++;
  t->nlisted = copy ? same : 0;
  while (copy && t->nlisted < t->n && list_products(s)) continue;
  const product *products = t->products.at;
  double *val = c->k.val;
  for (int i = 0; i < t->n; i++) {
    int place = place_of(c, t->list[i].row, t->list[i].col);
    double value = t->Q[place];
    t->at[place] = 0;
    val[place] += 0.5 * t->h * value;
    if (i >= t->nlisted) multiply(s, t->list[i], value);
    else for (int e = t->first[i]; e < t->first[i + 1]; e++) val[products[e].into] -= value * copy[products[e].from];
  }
  t->n = 0;
}
