// From (1) of field.h, linear at a point, to a model without multipliers and constraints:
//
//     E w' = J w + B u,    w = (delta, v, x, lambda)                                                             (2)
//
// Rows of E that depend on each other give equations 0 = J_2 w + B_2 u. Its solutions are w = N y + R u, N a basis of
// the null space of J_2, and (2) is an equation for y. This is done again until E has full rank: once for multipliers,
// once more for rates of gaps that are closed, and for the gaps [Kunkel and Mehrmann 2006, 3.2]. Ranks are those of the
// singular values. Then components of w are chosen that determine all, as states.
#include "linear.h"
#include "runtime/assembly/assembly.h"
#include <stdlib.h>
#include <string.h>

static const double none = 1e-10;        // beside the largest singular value: no rank

typedef struct mat { int m, n; double *a; } mat;           // by columns
#define AT(x, i, j) (x).a[(size_t)(i) + (size_t)(j) * (size_t)(x).m]

typedef struct reducing {
  const nsm_lapack *la;
  player *p;                            // memory
  int nu;
  mat E, J, B, N, R;
} reducing;

static mat zeros(reducing *w, int m, int n) {
  return (mat){ m, n, play_take(w->p, (size_t)m * (size_t)n, sizeof(double)) };
}

static mat product(reducing *w, mat x, mat y) {
  mat z = zeros(w, x.m, y.n);
  if (z.a && x.m > 0 && y.n > 0 && x.n > 0) nsm_la_gemm(x.m, y.n, x.n, 1, x.a, x.m, y.a, y.m, 0, z.a, z.m);
  return z;
}

static mat part(reducing *w, mat x, int i0, int i1, int j0, int j1) {
  mat z = zeros(w, i1 - i0, j1 - j0);
  for (int j = j0; z.a && j < j1; j++) for (int i = i0; i < i1; i++) AT(z, i - i0, j - j0) = AT(x, i, j);
  return z;
}

static mat transposed(reducing *w, mat x) {
  mat z = zeros(w, x.n, x.m);
  for (int j = 0; z.a && j < x.n; j++) for (int i = 0; i < x.m; i++) AT(z, j, i) = AT(x, i, j);
  return z;
}

static void add(mat x, double by, mat y) {
  for (size_t i = 0; i < (size_t)x.m * (size_t)x.n; i++) x.a[i] += by * y.a[i];
}

static double largest(mat x) {
  double most = 0;
  for (size_t i = 0; i < (size_t)x.m * (size_t)x.n; i++) most = fmax(most, fabs(x.a[i]));
  return most;
}

// x = U diag(s) V^T; the rank.
static int svd(reducing *w, mat x, mat *U, mat *V, double **s) {
  mat copy = part(w, x, 0, x.m, 0, x.n), VT = zeros(w, x.n, x.n);
  *U = zeros(w, x.m, x.m);
  *s = play_take(w->p, (size_t)(x.m + x.n), sizeof(double));
  if (w->p->failed || !w->la->svd(x.m, x.n, copy.a, *s, U->a, VT.a)) return -1;
  if (x.m == 0 || x.n == 0) {
    for (int i = 0; i < x.m; i++) AT(*U, i, i) = 1;
    for (int i = 0; i < x.n; i++) AT(VT, i, i) = 1;
  }
  *V = transposed(w, VT);
  int rank = 0, most = x.m < x.n ? x.m : x.n;
  while (rank < most && (*s)[rank] > none * (*s)[0]) rank++;
  return rank;
}

// Rows are divided by the largest entry of E, or where that row is empty of J; of (2) nothing changes.
static void scale_rows(reducing *w) {
  for (int i = 0; i < w->E.m; i++) {
    double e = 0, j = 0;
    for (int k = 0; k < w->E.n; k++) {
      e = fmax(e, fabs(AT(w->E, i, k)));
      j = fmax(j, fabs(AT(w->J, i, k)));
    }
    double by = e > 1e-13 * j ? e : j;
    if (!(by > 0)) continue;
    for (int k = 0; k < w->E.n; k++) { AT(w->E, i, k) /= by; AT(w->J, i, k) /= by; }
    for (int k = 0; k < w->nu; k++) AT(w->B, i, k) /= by;
  }
}

typedef enum { GOES_ON, IS_DONE, HAS_FAILED, IS_SINGULAR, NEEDS_RATE } outcome;

// x = pinv(U diag(s) V^T) b
static mat pseudo(reducing *w, mat U, mat V, const double *s, int rank, mat b) {
  mat c = product(w, transposed(w, part(w, U, 0, U.m, 0, rank)), b);
  for (int j = 0; j < c.n && c.a; j++) for (int i = 0; i < rank; i++) AT(c, i, j) /= s[i];
  return product(w, part(w, V, 0, V.m, 0, rank), c);
}

static outcome reduce(reducing *w) {
  mat U, V, U2, V2;
  double *s, *s2;
  scale_rows(w);
  int rank = svd(w, w->E, &U, &V, &s), r = w->E.m, c = w->E.n;
  if (rank < 0) return HAS_FAILED;
  if (rank == r && r == c) return IS_DONE;
  if (rank == r) return IS_SINGULAR;
  mat UT = transposed(w, U), E = product(w, UT, w->E), J = product(w, UT, w->J), B = product(w, UT, w->B);
  mat J2 = part(w, J, rank, r, 0, c), B2 = part(w, B, rank, r, 0, w->nu);
  int rank2 = svd(w, J2, &U2, &V2, &s2);
  if (rank2 < 0) return HAS_FAILED;
  if (rank2 == 0) return IS_SINGULAR;
  mat Nn = part(w, V2, 0, c, rank2, c), R = pseudo(w, U2, V2, s2, rank2, B2);
  mat E1 = part(w, E, 0, rank, 0, c), J1 = part(w, J, 0, rank, 0, c), EN = product(w, E1, Nn);
  for (size_t i = 0; i < (size_t)R.m * (size_t)R.n; i++) R.a[i] = -R.a[i];
  // an input must not enter by its rate: E_1 R = 0 after a move within the null space
  int rankE = svd(w, EN, &U, &V, &s);
  if (rankE < 0) return HAS_FAILED;
  add(R, -1, product(w, Nn, pseudo(w, U, V, s, rankE, product(w, E1, R))));
  if (largest(product(w, E1, R)) > 1e-8 * fmax(largest(R), 1e-300) * fmax(largest(E1), 1e-300)) return NEEDS_RATE;
  mat NB = part(w, B, 0, rank, 0, w->nu);
  add(NB, 1, product(w, J1, R));
  add(w->R, 1, product(w, w->N, R));
  w->N = product(w, w->N, Nn);
  w->E = EN;
  w->J = product(w, J1, Nn);
  w->B = NB;
  return w->p->failed ? HAS_FAILED : GOES_ON;
}

// ---- the pencil -----------------------------------------------------------------------------------------------------
// Rows of gaps and rates that others imply: their force is 0, the others have it.
static int implied(reducing *w, const field *f, unsigned char *is) {
  int count = 0, *at = play_take(w->p, (size_t)f->rows, sizeof(int)),
      *order = play_take(w->p, (size_t)f->rows, sizeof(int));
  mat G = zeros(w, f->nv, f->rows);
  double *work = play_take(w->p, (size_t)f->rows + (size_t)f->nv, sizeof(double));
  if (w->p->failed) return 0;
  for (int row = 0; row < f->rows; row++) {
    int rate = f->law[row] == FIELD_RATE;
    if (!rate && f->law[row] != FIELD_GAP) continue;
    double size = 0;
    for (int j = 0; j < f->nv; j++)
      AT(G, j, count) = f->J[f->nz + row + (size_t)(j + rate * f->nv) * (size_t)f->m];
    for (int j = 0; j < f->nv; j++) size = fmax(size, fabs(AT(G, j, count)));
    for (int j = 0; j < f->nv && size > 0; j++) AT(G, j, count) /= size;
    at[count++] = row;
  }
  int rank = f->nv > 0 && count > 0 ? nsm_la_independent(f->nv, count, G.a, 1e-9, order, work) : 0;
  for (int i = rank; i < count; i++) is[at[order[i]]] = 1;
  return count - rank;
}

static int pencil(reducing *w, field *f) {
  int nv = f->nv, nz = f->nz, N = 2 * nv + f->nx + f->rows;
  unsigned char *is = play_take(w->p, (size_t)f->rows, 1);
  int shared = implied(w, f, is);
  w->E = zeros(w, N, N);
  w->J = zeros(w, N, N);
  w->B = zeros(w, N, w->nu);
  w->N = zeros(w, N, N);
  w->R = zeros(w, N, w->nu);
  if (w->p->failed) return 0;
  for (int i = 0; i < nv; i++) AT(w->E, i, i) = AT(w->J, i, nv + i) = 1;
  for (int i = 0; i < nz; i++)
    for (int j = 0; j < nz; j++) AT(w->E, nv + i, nv + j) = f->E[i + (size_t)j * (size_t)nz];
  for (int i = 0; i < f->m; i++) {
    int row = i - nz, replaced = row >= 0 && is[row];
    for (int j = 0; j < N; j++)
      AT(w->J, nv + i, j) = replaced ? j == 2 * nv + f->nx + row : -f->J[i + (size_t)j * (size_t)f->m];
    for (int j = 0; j < w->nu && !replaced; j++) AT(w->B, nv + i, j) = -f->B[i + (size_t)j * (size_t)f->m];
  }
  scale_rows(w);
  for (int j = 0; j < N; j++) {          // columns: a force of 10^4 N beside a displacement of 1 mm
    double size = 0;
    for (int i = 0; i < N; i++) size = fmax(size, fmax(fabs(AT(w->E, i, j)), fabs(AT(w->J, i, j))));
    double by = size > 0 ? 1 / size : 1;
    AT(w->N, j, j) = by;
    for (int i = 0; i < N; i++) { AT(w->E, i, j) *= by; AT(w->J, i, j) *= by; }
  }
  return shared;
}

// ---- states ---------------------------------------------------------------------------------------------------------
static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// Components of delta, v, x with inertia that determine y.
static int choose(linear *l, reducing *w, const field *f) {
  int most = 2 * f->nv + f->nx, count = 0, n = l->n;
  int *at = play_take(w->p, (size_t)most, sizeof(int)), *order = play_take(w->p, (size_t)most, sizeof(int));
  mat rows = zeros(w, n, most);
  double *work = play_take(w->p, (size_t)most + (size_t)n, sizeof(double));
  if (w->p->failed) return 0;
  for (int j = 0; j < most; j++) {
    double inertia = j < f->nv, size = 0;
    for (int i = 0; i < f->nz && j >= f->nv; i++)
      inertia = fmax(inertia, fabs(f->E[i + (size_t)(j - f->nv) * (size_t)f->nz]));
    for (int k = 0; k < n; k++) size = fmax(size, fabs(AT(w->N, j, k)));
    if (!(inertia > 0) || !(size > 0)) continue;
    double whole = fabs(1.0);
    for (int k = 0; k < n; k++) AT(rows, k, count) = AT(w->N, j, k) / whole;
    at[count++] = j;
  }
  if (n == 0) return 1;
  if (nsm_la_independent(n, count, rows.a, 1e-9, order, work) < n) return 0;
  for (int i = 0; i < n; i++) l->state[i] = at[order[i]];
  qsort(l->state, (size_t)n, sizeof *l->state, ascending);
  return 1;
}

static double *kept(mat x) {
  size_t n = (size_t)x.m * (size_t)x.n;
  double *to = malloc((n + 1) * sizeof *to);
  if (to && n > 0) memcpy(to, x.a, n * sizeof *to);
  return to;
}

// b := x^-1 b; 0: singular.
static int solve(reducing *w, mat x, mat b) {
  mat copy = part(w, x, 0, x.m, 0, x.n);
  int *pivot = play_take(w->p, (size_t)x.n, sizeof(int));
  if (w->p->failed || nsm_la_lu_factor(x.n, copy.a, x.n, pivot).code != NSM_LA_OK) return x.n == 0;
  nsm_la_lu_solve(x.n, b.n, copy.a, x.n, pivot, b.a, b.m);
  return 1;
}

// y = C w + D u.
static int outputs(reducing *w, field *f, const int *output, mat C, mat D) {
  double *row = play_take(w->p, (size_t)f->n, sizeof(double)), *by = play_take(w->p, (size_t)w->nu, sizeof(double));
  if (w->p->failed) return 0;
  for (int i = 0; i < C.m; i++) {
    field_column(f, output[i], row, w->nu ? by : NULL);
    for (int j = 0; j < C.n; j++) AT(C, i, j) = row[j];
    for (int j = 0; j < w->nu; j++) AT(D, i, j) = by[j];
  }
  return 1;
}

// (2) as it is, with columns of its own size.
static int keep_pencil(linear *l, reducing *w, field *f, const int *output, int ny) {
  pencil(w, f);
  mat C = zeros(w, ny, w->N.m), D = zeros(w, ny, w->nu);
  if (w->p->failed || !outputs(w, f, output, C, D)) return 0;
  l->n = w->N.m;
  l->rates = 1;
  l->E = kept(w->E);
  l->A = kept(w->J);
  l->B = kept(w->B);
  l->C = kept(product(w, C, w->N));
  l->D = kept(D);
  return l->E && l->A && l->B && l->C && l->D && !w->p->failed;
}

static int finish(linear *l, reducing *w, field *f, const int *output, int ny) {
  int n = l->n, N = w->N.m;
  l->state = malloc((size_t)(n + 1) * sizeof *l->state);
  if (!l->state || !choose(l, w, f)) return 0;
  mat T = zeros(w, n, n), I = zeros(w, n, n), Cz = zeros(w, ny, N), Du = zeros(w, ny, w->nu);
  if (w->p->failed || !outputs(w, f, output, Cz, Du)) return 0;
  for (int i = 0; i < n; i++) {
    AT(I, i, i) = 1;
    for (int k = 0; k < n; k++) AT(T, i, k) = AT(w->N, l->state[i], k);
  }
  if (!solve(w, T, I)) return 0;                           // I: T^-1
  mat all = product(w, w->N, I), EJ = part(w, w->J, 0, n, 0, n), EB = part(w, w->B, 0, n, 0, w->nu);
  if (!solve(w, w->E, EJ) || !solve(w, w->E, EB)) return 0;
  add(Du, 1, product(w, Cz, w->R));
  l->A = kept(product(w, product(w, T, EJ), I));
  l->B = kept(product(w, T, EB));
  l->C = kept(product(w, Cz, all));
  l->D = kept(Du);
  l->all = kept(all);
  l->E = kept(w->E);
  l->J = kept(w->J);
  l->base = kept(w->N);
  return l->A && l->B && l->C && l->D && l->all && l->E && l->J && l->base && !w->p->failed;
}

nsm_code linear_make(linear *l, field *f, const nsm_lapack *la, const int *output, int ny, int rates, nsm_error *e) {
  reducing w = { .la = la, .p = f->p, .nu = f->p->np };
  const sim_rows *r = &f->s->n.r;
  *l = (linear){ .nu = w.nu, .ny = ny };
  for (int i = 0; i < r->nfriction; i++)                   // what has no force and is pressed sticks
    for (int d = 0; d < r->friction[i].n; d++) {
      int row = r->friction[i].row[d], pressed = r->friction[i].normals == 0;
      for (int k = 0; k < r->friction[i].normals; k++) pressed |= f->law[r->friction[i].normal[k]] == FIELD_GAP;
      if (f->law[row] == FIELD_OPEN && pressed) f->law[row] = FIELD_RATE;
    }
  if (!field_evaluate(f, e) || (w.nu > 0 && !field_inputs(f, e))) return e->code;
  l->shared = pencil(&w, f);
  outcome now = w.p->failed ? HAS_FAILED : GOES_ON;
  while (now == GOES_ON) now = reduce(&w);
  if (now == IS_DONE) {
    l->n = w.E.n;
    l->dropped = w.N.m - l->n;
    if (finish(l, &w, f, output, ny)) return NSM_OK;
    now = w.p->failed ? HAS_FAILED : IS_SINGULAR;
  }
  if (now == NEEDS_RATE && rates && keep_pencil(l, &w, f, output, ny)) return NSM_OK;
  if (now == HAS_FAILED)
    sim_fail(e, NSM_FAILED, "the linear model was not found: its singular values did not converge");
  else
    sim_fail(e, NSM_FAILED, now == NEEDS_RATE
             ? "there is no linear model: an input acts by its rate, as a voltage on a capacitor does; --bode takes it"
             : "there is no linear model: its equations do not determine all unknowns");
  return NSM_FAILED;
}

void linear_free(linear *l) {
  double *of[] = { l->A, l->B, l->C, l->D, l->all, l->E, l->J, l->base };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) free(of[i]);
  free(l->state);
}

int linear_weak(const field *f) {
  const sim_rows *r = &f->s->n.r;
  double most = 0, near = 1e-6;
  for (int i = 0; i < f->rows; i++) most = fmax(most, fabs(f->l[i]));
  for (int i = 0; i < f->s->a->nq; i++) near = fmax(near, fabs(f->q[i]));
  for (int row = 0; row < f->rows; row++) {
    int kind = f->s->a->cls[r->cls[row]].c->kind, law = f->law[row];
    double y = fabs(f->p->y[row].a[0]), l = f->l[row], lo = f->p->lo[row].a[0], hi = f->p->hi[row].a[0];
    if (kind == NSM_CONTACT && law == FIELD_GAP && !(l > 1e-9 * most)) return row;
    if (kind == NSM_CONTACT && law == FIELD_OPEN && fabs(f->p->gap[row].a[0]) < 1e-9 * near) return row;
    if (kind == NSM_FRICTION && law == FIELD_LIMIT) return row;
    if (kind != NSM_RELATION) continue;
    double size = 1e-9 * fmax(fabs(l), fmax(isfinite(lo) ? fabs(lo) : 0, isfinite(hi) ? fabs(hi) : 0)) + 1e-300;
    if (law == FIELD_ZERO && (l - lo < size || hi - l < size)) return row;
    if ((law == FIELD_LOW || law == FIELD_HIGH) && hi > lo && !(y > 1e-12)) return row;
  }
  return -1;
}
