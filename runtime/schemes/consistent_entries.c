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
// right for.
#include <string.h>
#include "consistent.h"

enum { CALLS_A_PLACE = 4 };              // of which the places are kept; those of more calls are looked for each time

typedef struct known { int row, col, place; } known;
typedef struct by_q { int row, col; } by_q;

struct con_entries {
  known *known; int calls, room;         // of this matrix so far; how many are kept
  double h;                              // of the step
  double *Q; int *at;                    // [nval] by place in K: sum, and its number in `list` and one; 0: none yet
  by_q *list; int n;                     // [nval] the entries of Q in the order of their first call
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

void con_entries_close(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_entries *t = c->entries;
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < t->n; i++) {
    int row = t->list[i].row, col = t->list[i].col, place = place_of(c, row, col);
    double value = t->Q[place];
    t->at[place] = 0;
    c->k.val[place] += 0.5 * t->h * value;
    for (int e = r->z0[col]; e < r->z0[col + 1]; e++) {
      int j = c->of[r->zs[e]];
      if (j >= 0 && con_acts(s, j)) con_add(c, row, s->a->nv + c->ns + j, -value * r->x[r->zx[e]]);
    }
  }
  t->n = 0;
}
