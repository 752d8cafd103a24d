// Which entries of the matrices of the linear kind can differ from 0, by the components of W.
#include "linear.h"

bool linear_is_dry(const SysClass *c) { return c->kind == CLASS_FRICTION && c->normal < 0; }

// Time at any point, and constants that change at instants.
static bool by_time(int symbol, void *written) {
  const Written *w = written;
  Role r = written_role(w, symbol);
  return symbol == w->sys->sym_time || r.kind == ROLE_TIME || r.kind == ROLE_TIME0 ||
         (r.kind == ROLE_CONSTANT && w->constant[r.index].cls < 0);
}

bool linear_timed(const Written *w, Ex e) {
  return ex_depends_any(w->pool, e, by_time, (void *)w);
}

Ex linear_without(Written *w, RoleKind first, Ex e) {
  const int *ids;
  int n = ex_symbols(w->pool, e, &ids), m = 0, *from = ARENA_ARRAY(w->arena, int, n + 1);
  Ex *to = ARENA_ARRAY(w->arena, Ex, n + 1);
  for (int i = 0; i < n; i++) {
    Role r = written_role(w, ids[i]);
    if (r.kind >= first && r.kind <= ROLE_L) { from[m] = ids[i]; to[m++] = ex_num(w->pool, 0); }
  }
  return m ? ex_subst(w->pool, e, from, to, m) : e;
}

// f at rest, row by row; the rows that time changes. (g is 0 without multipliers.)
void linear_time(Linear *l) {
  Written *w = l->p->w;
  const Pieces *m = &l->m;
  l->tau = ARENA_ARRAY(w->arena, int, w->nz + 1);
  l->timed = ARENA_ARRAY(w->arena, int, w->nz + 1);
  l->next = ARENA_ARRAY(w->arena, KValue, w->nz + 1);
  l->rest = written_zeros(w, w->nz);
  for (int k = 0; k < PIECE_POINTS; k++) {
    if (!m->force[k]) continue;
    l->phi[k] = ARENA_ARRAY(w->arena, Ex, w->nz + 1);
    for (int i = 0; i < w->nz; i++) l->rest[i] = l->phi[k][i] = linear_without(w, ROLE_Q, m->force[k][i]);
  }
  for (int i = 0; i < w->nz; i++) {
    l->tau[i] = -1;
    if (!linear_timed(w, l->rest[i])) continue;
    for (int k = 0; k < PIECE_POINTS; k++) if (l->phi[k]) l->phi[k][l->ntimed] = l->phi[k][i];
    l->tau[i] = l->ntimed;
    l->timed[l->ntimed++] = i;
  }
}

static void components(Linear *l) {
  Written *w = l->p->w;
  l->comp = ARENA_ARRAY(w->arena, int, w->nz + 1);
  for (int i = 0; i < w->nz; i++) l->comp[i] = i;
  for (int a = 0; a < w->n; a++) {
    const SysClass *c = w->at[a].pc->c;
    const Entries *all[] = { &c->mass, &c->jac, &c->k };
    for (int k = 0; c->kind == CLASS_SMOOTH && k < 3; k++)
      for (int e = 0; e < all[k]->n; e++) {
        int row = written_z(w, &w->at[a], all[k]->at[e].row), col = written_z(w, &w->at[a], all[k]->at[e].col);
        if (row < 0 || col < 0) continue;
        int from = l->comp[row], to = l->comp[col];
        for (int j = 0; j < w->nz; j++) if (l->comp[j] == from) l->comp[j] = to;
      }
  }
}

static Pattern2 pattern_of(Arena *a, const bool *entry, int rows, int cols) {
  Pattern2 p = { .row = ARENA_ARRAY(a, int, rows * cols + 1), .col = ARENA_ARRAY(a, int, rows * cols + 1),
                 .at = ARENA_ARRAY(a, KValue, rows * cols + 1) };
  for (int i = 0; i < rows * cols; i++) {
    p.at[i] = K_NONE;
    if (!entry[i]) continue;
    p.row[p.n] = i / cols;
    p.col[p.n++] = i % cols;
  }
  return p;
}

// A row of dz takes what the rows of f in its component read.
static void of_motion(Linear *l) {
  Written *w = l->p->w;
  int nz = w->nz, width = l->width;
  bool *reads = ARENA_ARRAY(w->arena, bool, nz * width + 1), *entry = ARENA_ARRAY(w->arena, bool, nz * width + 1);
  for (int a = 0; a < w->n; a++) {
    const SysClass *c = w->at[a].pc->c;
    const Entries *all[] = { &c->jac, &c->k };
    for (int k = 0; c->kind == CLASS_SMOOTH && k < 2; k++)
      for (int e = 0; e < all[k]->n; e++) {
        const Entry *y = &all[k]->at[e];
        int row = written_z(w, &w->at[a], y->row), col = written_z(w, &w->at[a], y->col);
        if (row < 0 || col < 0) continue;
        if (y->wrt == WRT_Q) reads[row * width + col] = true;     // and of the velocity, which moves q in the step
        reads[row * width + w->nq + col] = true;
      }
  }
  for (int i = 0; i < nz; i++) {
    if (l->tau[i] >= 0) reads[i * width + w->nq + nz + l->tau[i]] = true;
    else if (!ex_is_num(w->pool, l->rest[i], 0)) reads[i * width + width - 1] = true;
  }
  for (int i = 0; i < nz; i++)
    for (int j = 0; j < nz; j++)
      for (int k = 0; l->comp[i] == l->comp[j] && k < width; k++) entry[i * width + k] |= reads[j * width + k];
  l->A = pattern_of(w->arena, entry, nz, width);
}

static int row_of_l(const Written *w, int index) {
  for (int a = 0; a < w->n; a++) if (w->at[a].row >= 0 && w->at[a].l == index) return w->at[a].row;
  return -1;
}

// X = W^-1 B, M = D + C X.
static void of_rows(Linear *l) {
  Written *w = l->p->w;
  int nz = w->nz, nr = w->nrow;
  bool *acts = ARENA_ARRAY(w->arena, bool, nz * nr + 1), *m = ARENA_ARRAY(w->arena, bool, nr * nr + 1);
  for (int a = 0; a < w->n; a++) {
    const SysClass *c = w->at[a].pc->c;
    for (int e = 0; c->kind == CLASS_SMOOTH && e < c->b.n; e++) {
      int z = written_z(w, &w->at[a], c->b.at[e].row), row = row_of_l(w, w->at[a].slot[c->b.at[e].col]);
      for (int i = 0; row >= 0 && z >= 0 && i < nz; i++) acts[i * nr + row] |= l->comp[i] == l->comp[z];
    }
  }
  for (int a = 0; a < w->n; a++) {                         // B = H^T
    const SysClass *c = w->at[a].pc->c;
    for (int e = 0; linear_is_dry(c) && e < c->h.n; e++) {
      int z = written_z(w, &w->at[a], c->h.at[e].col);
      for (int i = 0; z >= 0 && i < nz; i++) acts[i * nr + w->at[a].row] |= l->comp[i] == l->comp[z];
    }
  }
  for (int a = 0; a < w->n; a++) {
    const SysClass *c = w->at[a].pc->c;
    for (int e = 0; (c->kind == CLASS_RELATION || linear_is_dry(c)) && e < c->h.n; e++) {
      const Entry *y = &c->h.at[e];
      int row = w->at[a].row;
      if (y->wrt == WRT_L) { m[row * nr + row_of_l(w, w->at[a].slot[y->col])] = true; continue; }
      int z = written_z(w, &w->at[a], y->col);
      for (int j = 0; j < nr; j++) m[row * nr + j] |= acts[z * nr + j];
    }
  }
  l->X = pattern_of(w->arena, acts, nz, nr);
  l->M = pattern_of(w->arena, m, nr, nr);
}

// The same of contacts, X = W^-1 H^T: of M the block of each contact.
static void of_contacts(Linear *l) {
  Written *w = l->p->w;
  int nz = w->nz, nr = w->nrow;
  bool *acts = ARENA_ARRAY(w->arena, bool, nz * nr + 1), *m = ARENA_ARRAY(w->arena, bool, nr * nr + 1);
  for (int a = 0; a < w->n; a++) {
    const Instance *at = &w->at[a];
    const SysClass *c = at->pc->c;
    for (int e = 0; at->row >= 0 && e < c->h.n; e++) {
      int z = written_z(w, at, c->h.at[e].col);
      for (int i = 0; z >= 0 && i < nz; i++) acts[i * nr + at->row] |= l->comp[i] == l->comp[z];
    }
  }
  for (int j = 0; j < l->ncontact; j++) {
    int n = l->contact[j]->row, t = l->friction[j] ? l->friction[j]->row : n;
    m[n * nr + n] = m[n * nr + t] = m[t * nr + n] = m[t * nr + t] = true;
  }
  l->X = pattern_of(w->arena, acts, nz, nr);
  l->M = pattern_of(w->arena, m, nr, nr);
}

void linear_patterns(Linear *l) {
  components(l);
  of_motion(l);
  if (l->here) of_rows(l);
  if (l->stays) of_contacts(l);
}

KValue *linear_load(Linear *l, Pattern2 *m, const char *name) {
  int cols = m == &l->A ? l->width : l->p->w->nrow;
  for (int e = 0; e < m->n; e++) {
    KValue v = k_at_number(l->p->b, l->p->c, l->nconstant++);
    m->at[m->row[e] * cols + m->col[e]] = k_name(l->p->b, v, step_name(l->p, name, e), NULL);
  }
  return m->at;
}
