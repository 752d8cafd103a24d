// Chooses what is shown: parts of the expanded system, in the notation of docs/numerics/moreau.md.
#include <string.h>
#include "view.h"

enum { SHOWN = 24, CLIP = 3 };

static bool empty(const Ex *m, int n) {
  for (int i = 0; i < n; i++) if (m[i] != EX_NONE) return false;
  return true;
}

static bool identity(const Pool *p, const Ex *m, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i == j ? m[i * n + j] == EX_NONE || !ex_is_num(p, m[i * n + j], 1) : m[i * n + j] != EX_NONE) return false;
  return true;
}

// Sub-block of a row-major matrix.
static Ex *block(Arena *a, const Ex *m, int cols, int r0, int nr, int c0, int nc) {
  Ex *b = ARENA_ARRAY(a, Ex, nr * nc + 1);
  for (int i = 0; i < nr; i++) for (int j = 0; j < nc; j++) b[i * nc + j] = m[(r0 + i) * cols + c0 + j];
  return b;
}

static Ex *combine(Arena *a, Pool *p, const Ex *m, Ex by, const Ex *plus, int n) {
  Ex *r = ARENA_ARRAY(a, Ex, n + 1);
  for (int i = 0; i < n; i++) {
    Ex t = m[i] == EX_NONE ? EX_NONE : ex_mul(p, by, m[i]);
    Ex q = plus ? plus[i] : EX_NONE;
    r[i] = t == EX_NONE ? q : q == EX_NONE ? t : ex_add(p, q, t);
  }
  return r;
}

static void put(Matrix **list, int *n, Matrix m) { (*list)[(*n)++] = m; }

typedef enum { RELATIONS, NORMAL_ROWS, SLIPS } RowKind;

static RowKind kind_of(const Expanded *x, int row) {
  ClassKind k = x->sys->cls[x->row[row].cls].kind;
  return k == CLASS_RELATION ? RELATIONS : k == CLASS_FRICTION ? SLIPS : NORMAL_ROWS;
}

static Ex *rows_of_kind(Arena *a, const Expanded *x, const Ex *m, int cols, RowKind kind, int *n) {
  Ex *r = ARENA_ARRAY(a, Ex, x->nr * cols + 1);
  *n = 0;
  for (int i = 0; i < x->nr; i++) {
    if (kind_of(x, i) != kind) continue;
    memcpy(&r[*n * cols], &m[i * cols], (size_t)cols * sizeof(Ex));
    (*n)++;
  }
  return r;
}

// Columns of the multipliers of relations.
static Ex *relation_columns(Arena *a, const Expanded *x, const Ex *m, int rows, int *n) {
  *n = 0;
  for (int i = 0; i < x->nr; i++) *n += x->sys->cls[x->row[i].cls].kind == CLASS_RELATION;
  Ex *r = ARENA_ARRAY(a, Ex, rows * *n + 1);
  for (int i = 0; i < rows; i++)
    for (int k = 0, c = 0; k < x->nr; k++)
      if (x->sys->cls[x->row[k].cls].kind == CLASS_RELATION) r[i * *n + c++] = m[i * x->nr + k];
  return r;
}

static Ex *symbolic_vector(Arena *a, const Ex *m, int n) {
  Ex *r = ARENA_ARRAY(a, Ex, n + 1);
  if (n) memcpy(r, m, (size_t)n * sizeof(Ex));
  return r;
}

static void first_order(Arena *a, View *v) {
  const Expanded *x = v->x;
  Pool *p = v->sys->pool;
  int nx = x->nx, nq = x->nq, nl, ny;
  v->first = ARENA_ARRAY(a, Matrix, 12);
  Ex *M = block(a, x->M, x->nz, nq, nx, nq, nx);
  put(&v->first, &v->nfirst, (Matrix){ "M", "M", "M x' = f + r", nx, nx, M, identity(p, M, nx) ? "identity" : NULL });
  Ex *f = symbolic_vector(a, x->f + nq, nx);
  put(&v->first, &v->nfirst, (Matrix){ "f", "f", "right-hand side without multipliers", nx, 1, f, NULL });
  put(&v->first, &v->nfirst, (Matrix){ "A", "A", "df/dx", nx, nx, block(a, x->Jx, nx, nq, nx, 0, nx), NULL });
  Ex *B = relation_columns(a, x, x->B, x->nz, &nl);
  if (nl) put(&v->first, &v->nfirst, (Matrix){ "B", "B", "dr/dlambda", nx, nl, block(a, B, nl, nq, nx, 0, nl), NULL });
  Ex *C = rows_of_kind(a, x, x->Cx, nx, RELATIONS, &ny), *D;
  if (ny) {
    put(&v->first, &v->nfirst, (Matrix){ "C", "C", "dy/dx", ny, nx, C, NULL });
    D = rows_of_kind(a, x, x->D, x->nr, RELATIONS, &ny);
    int nd;
    Ex *DD = relation_columns(a, x, D, ny, &nd);
    put(&v->first, &v->nfirst, (Matrix){ "D", "D", "dy/dlambda", ny, nd, DD, NULL });
  }
  Ex *K = block(a, x->Kx, nx, nq, nx, 0, nx);
  if (!empty(K, nx * nx)) put(&v->first, &v->nfirst, (Matrix){ "K", "K", "dr/dx", nx, nx, K, NULL });
  Ex *W = combine(a, p, block(a, x->Jx, nx, nq, nx, 0, nx),
                  ex_neg(p, ex_mul(p, ex_sym(p, symtab_id(v->sys->sym, (Sym){ .kind = SYM_STEP })),
                                   ex_sym(p, symtab_id(v->sys->sym, (Sym){ .kind = SYM_THETA })))),
                  M, nx * nx);
  put(&v->first, &v->nfirst,
      (Matrix){ "W", "W", empty(K, nx * nx) ? "M - h theta A" : "M - h theta A (and - h gamma K)", nx, nx, W, NULL });
}

static void second_order(Arena *a, View *v) {
  const Expanded *x = v->x;
  Pool *p = v->sys->pool;
  int nq = x->nq, n;
  Ex minus = ex_num(p, -1), h = ex_sym(p, symtab_id(v->sys->sym, (Sym){ .kind = SYM_STEP })),
     th = ex_sym(p, symtab_id(v->sys->sym, (Sym){ .kind = SYM_THETA }));
  v->second = ARENA_ARRAY(a, Matrix, 16);
  Ex *M = block(a, x->M, x->nz, 0, nq, 0, nq);
  put(&v->second, &v->nsecond, (Matrix){ "M", "M", "mass matrix", nq, nq, M, NULL });
  bool inertia = false;
  for (int i = 0; i < nq; i++) inertia |= x->inertia[i] != EX_NONE && !ex_is_num(p, x->inertia[i], 0);
  if (inertia)
    put(&v->second, &v->nsecond,
        (Matrix){ "N", "N", v->u ? "inertia terms, M u' + N(q, u) = F" : "inertia terms, M q'' + N(q, q') = F", nq, 1,
                  x->inertia, NULL });
  Ex *F = ARENA_ARRAY(a, Ex, nq + 1);
  for (int i = 0; i < nq; i++) {   // f holds -N as well
    F[i] = x->f[i] == EX_NONE         ? EX_NONE
           : x->inertia[i] == EX_NONE ? x->f[i]
                                      : ex_expand(p, ex_add(p, x->f[i], x->inertia[i]));
    if (F[i] != EX_NONE && ex_is_num(p, F[i], 0)) F[i] = EX_NONE;
  }
  put(&v->second, &v->nsecond, (Matrix){ "F", "F", "forces", nq, 1, F, NULL });
  Ex *K = combine(a, p, x->Jq, minus, NULL, nq * nq), *C = combine(a, p, x->Jv, minus, NULL, nq * nq);
  const char *by_q = v->u ? "-d(F - N)/dq along u" : "-d(F - N)/dq", *by_v = v->u ? "-d(F - N)/du" : "-d(F - N)/dq'";
  if (!empty(K, nq * nq)) put(&v->second, &v->nsecond, (Matrix){ "K_t", "K_t", by_q, nq, nq, K, NULL });
  if (!empty(C, nq * nq)) put(&v->second, &v->nsecond, (Matrix){ "C_t", "C_t", by_v, nq, nq, C, NULL });
  Ex *B = relation_columns(a, x, x->B, x->nz, &n);
  if (n && !empty(B, nq * n))
    put(&v->second, &v->nsecond, (Matrix){ "B", "B", "d(force)/dlambda of relations", nq, n, B, NULL });
  Ex *H = rows_of_kind(a, x, x->H, nq, NORMAL_ROWS, &n);
  if (n) {
    put(&v->second, &v->nsecond, (Matrix){ "H", "H", v->u ? "dg'/du of contacts and constraints"
                                                             : "dg/dq of contacts and constraints", n, nq, H, NULL });
    Ex *gt = ARENA_ARRAY(a, Ex, n + 1);
    for (int i = 0, k = 0; i < x->nr; i++) {
      if (kind_of(x, i) != NORMAL_ROWS) continue;
      Ex d = ex_diff(p, x->row[i].y, v->sys->sym_time);
      gt[k++] = ex_is_num(p, d, 0) || v->sys->cls[x->row[i].cls].velocity_level ? EX_NONE : d;
    }
    if (!empty(gt, n))
      put(&v->second, &v->nsecond,
          (Matrix){ "g_t", "\\partial g/\\partial t", "dg/dt of rheonomous gaps", n, 1, gt, NULL });
  }
  Ex *T = rows_of_kind(a, x, x->H, nq, SLIPS, &n);
  if (n)
    put(&v->second, &v->nsecond, (Matrix){ "H_T", "H_T", v->u ? "d(slip velocity)/du of friction"
                                                                : "d(slip velocity)/dq' of friction", n, nq, T, NULL });
  Ex *W = combine(a, p, C, ex_mul(p, h, th), M, nq * nq);
  W = combine(a, p, K, ex_mul(p, ex_mul(p, h, h), ex_mul(p, th, th)), W, nq * nq);
  put(&v->second, &v->nsecond, (Matrix){ "W", "W", "M + h theta C_t + h^2 theta^2 K_t", nq, nq, W, NULL });
}

static void couplings(Arena *a, View *v) {
  const Expanded *x = v->x;
  int nq = x->nq, nx = x->nx;
  v->coupling = ARENA_ARRAY(a, Matrix, 6);
  Ex *fx = block(a, x->Jx, nx, 0, nq, 0, nx), *aq = block(a, x->Jq, nq, nq, nx, 0, nq),
     *av = block(a, x->Jv, nq, nq, nx, 0, nq);
  if (!empty(fx, nq * nx))
    put(&v->coupling, &v->ncoupling,
        (Matrix){ "dF/dx", "\\partial F/\\partial x", "forces by states", nq, nx, fx, NULL });
  if (!empty(aq, nq * nx))
    put(&v->coupling, &v->ncoupling,
        (Matrix){ "df/dq", "\\partial f/\\partial q", "states by coordinates", nx, nq, aq, NULL });
  if (!empty(av, nq * nx))
    put(&v->coupling, &v->ncoupling,
        (Matrix){ "df/dq'", "\\partial f/\\partial \\dot q", "states by velocities", nx, nq, av, NULL });
  int n;
  Ex *cq = rows_of_kind(a, x, x->Cq, nq, RELATIONS, &n);
  if (n && !empty(cq, n * nq))
    put(&v->coupling, &v->ncoupling,
        (Matrix){ "dy/dq", "\\partial y/\\partial q", "outputs by coordinates", n, nq, cq, NULL });
  Ex *cv = rows_of_kind(a, x, x->Cv, nq, RELATIONS, &n);
  if (n && !empty(cv, n * nq))
    put(&v->coupling, &v->ncoupling,
        (Matrix){ "dy/dq'", "\\partial y/\\partial \\dot q", "outputs by velocities", n, nq, cv, NULL });
}

// The turn of a body is no position; its attitude is one, and its spin a velocity.
static void positions(Arena *a, View *v) {
  const Expanded *x = v->x;
  v->q = ARENA_ARRAY(a, int, x->nq + x->np + 1);
  for (int i = 0; i < x->nq; i++)
    if (!v->sys->model->var[symtab_at(v->sys->sym, x->value[i])->id].rate_name) v->q[v->nq++] = x->value[i];
  for (int i = 0; i < x->np; i++) v->q[v->nq++] = x->position[i];
  v->u = x->np > 0 ? x->rate : NULL;
}

View make_view(Arena *a, const System *s) {
  View v = { .sys = s };
  v.x = expand_system(a, s, SHOWN, CLIP, EXPAND_ALL);
  if (!v.x) return v;
  positions(a, &v);
  if (v.x->nx) first_order(a, &v);
  if (v.x->nq) second_order(a, &v);
  couplings(a, &v);
  return v;
}
