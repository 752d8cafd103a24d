// A of a set of laws, kept by set and by discrete values; and what nothing determines in it.
//
// Where parts of a network float, or ideal diodes conduct in parallel, E mu - A is singular for every mu. With
// orthonormal null vectors U (left) and X (right) of the matrix with scaled rows and columns
//
//   A -> A - U X^T,    F -> F - U X^T z                                                                             (4)
//
// is regular, and X^T z = 0: of all solutions the one that equal leaks would leave. U is in no row that the others
// determine: with u of the unscaled matrix, u F(t, z) does not depend on z. Where it is not 0 the set contradicts
// itself (a switch and a diode short a source) and is never accepted.
//
// The null vectors are those of Gauss' elimination with the largest pivot of all that is left.
#include "radau.h"

enum { MOST_FREE = 16 };
static const double vanishes = 1e-12;    // a pivot beside the entries of the scaled matrix, which are at most 1
static const double is_zero = 1e-9;      // u F beside its terms

static size_t at(int i, int j, int n) { return (size_t)i + (size_t)j * (size_t)n; }

// K := mu E - A with rows, then columns scaled to a largest entry of 1.
static void scaled(const struct sim_radau *w, const double *A, double mu, double *K, double *rows, double *columns) {
  int n = w->n;
  for (size_t i = 0; i < (size_t)n * (size_t)n; i++) K[i] = mu * w->E[i] - A[i];
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(K[at(i, j, n)]));
    rows[i] = most > 0 ? 1 / most : 1;
    for (int j = 0; j < n; j++) K[at(i, j, n)] *= rows[i];
  }
  for (int j = 0; j < n; j++) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(K[at(i, j, n)]));
    columns[j] = most > 0 ? 1 / most : 1;
    for (int i = 0; i < n; i++) K[at(i, j, n)] *= columns[j];
  }
}

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

static void swap_numbers(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

static void exchange(int n, double *K, int k, int i, int j, int *row, int *col) {
  for (int c = 0; c < n && i != k; c++) swap(&K[at(k, c, n)], &K[at(i, c, n)]);
  for (int r = 0; r < n && j != k; r++) swap(&K[at(r, k, n)], &K[at(r, j, n)]);
  swap_numbers(&row[k], &row[i]);
  swap_numbers(&col[k], &col[j]);
}

// P K Q = L U by the largest pivot; the rank.
static int eliminate(int n, double *K, int *row, int *col) {
  for (int i = 0; i < n; i++) row[i] = col[i] = i;
  for (int k = 0; k < n; k++) {
    int pi = k, pj = k;
    double most = 0;
    for (int j = k; j < n; j++)
      for (int i = k; i < n; i++) if (fabs(K[at(i, j, n)]) > most) { most = fabs(K[at(i, j, n)]); pi = i; pj = j; }
    if (!(most > vanishes)) return k;
    exchange(n, K, k, pi, pj, row, col);
    for (int i = k + 1; i < n; i++) K[at(i, k, n)] /= K[at(k, k, n)];
    for (int j = k + 1; j < n; j++) {
      double f = K[at(k, j, n)];
      if (f != 0) for (int i = k + 1; i < n; i++) K[at(i, j, n)] -= f * K[at(i, k, n)];
    }
  }
  return n;
}

// Twice, so that they are orthogonal to round-off.
static void orthonormal(int n, int count, double *V) {
  for (int k = 0; k < count; k++) {
    double *v = V + (size_t)k * (size_t)n, size = 0;
    for (int turn = 0; turn < 2; turn++)
      for (int j = 0; j < k; j++) {
        const double *u = V + (size_t)j * (size_t)n;
        double dot = 0;
        for (int i = 0; i < n; i++) dot += u[i] * v[i];
        for (int i = 0; i < n; i++) v[i] -= dot * u[i];
      }
    for (int i = 0; i < n; i++) size = hypot(size, v[i]);
    for (int i = 0; i < n; i++) v[i] /= size;
  }
}

// Null vectors of the factors of rank `rank`: to the right and to the left.
static void null_vectors(int n, int rank, const double *K, const int *row, const int *col, double *X, double *U,
                         double *x) {
  for (int f = rank; f < n; f++) {
    double *right = X + at(0, f - rank, n), *left = U + at(0, f - rank, n);
    for (int i = 0; i < rank; i++) x[i] = -K[at(i, f, n)];
    for (int i = rank - 1; i >= 0; i--) {
      x[i] /= K[at(i, i, n)];
      for (int k = 0; k < i; k++) x[k] -= K[at(k, i, n)] * x[i];
    }
    memset(right, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < rank; i++) right[col[i]] = x[i];
    right[col[f]] = 1;
    for (int i = 0; i < rank; i++) x[i] = -K[at(f, i, n)];
    for (int i = rank - 1; i >= 0; i--)
      for (int k = i + 1; k < rank; k++) x[i] -= K[at(k, i, n)] * x[k];
    memset(left, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < rank; i++) left[row[i]] = x[i];
    left[row[f]] = 1;
  }
  orthonormal(n, n - rank, X);
  orthonormal(n, n - rank, U);
}

// 0: too much is left undetermined.
static int determine(nsm_sim *s, radau_set *set, double r) {
  struct sim_radau *w = s->n.radau;
  int n = w->n, *row = w->order, *col = row + n;
  double *rows = w->xr, *columns = w->xi;
  scaled(w, set->A, 1 / r, w->jac, rows, columns);
  int rank = eliminate(n, w->jac, row, col);
  set->free = n - rank;
  if (set->free == 0) return 1;
  if (set->free > MOST_FREE) return 0;
  null_vectors(n, rank, w->jac, row, col, set->X, set->U, w->sum);
  for (int k = 0; k < set->free; k++)
    for (int i = 0; i < n; i++) {
      set->left[at(i, k, n)] = set->U[at(i, k, n)] * rows[i];
      set->U[at(i, k, n)] /= rows[i];
      set->X[at(i, k, n)] /= columns[i];
    }
  for (int k = 0; k < set->free; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) set->A[at(i, j, n)] -= set->U[at(i, k, n)] * set->X[at(j, k, n)];
  return 1;
}

void radau_complete(const nsm_sim *s, const radau_set *set, const double *Z, double *F) {
  int n = s->n.radau->n;
  for (int k = 0; k < set->free; k++) {
    double dot = 0;
    for (int j = 0; j < n; j++) dot += set->X[at(j, k, n)] * Z[j];
    for (int i = 0; i < n; i++) F[i] -= set->U[at(i, k, n)] * dot;
  }
}

int radau_contradicts(nsm_sim *s, const radau_set *set, const double *Z, const double *F) {
  struct sim_radau *w = s->n.radau;
  int n = w->n, any = 0;
  for (int k = 0; k < set->free; k++) {
    double sum = 0, terms = 0;
    for (int i = 0; i < n; i++) {
      double u = set->left[at(i, k, n)], size = fabs(F[i]);
      if (u == 0) continue;
      for (int j = 0; j < n; j++) size += fabs(set->A[at(i, j, n)] * Z[j]);
      sum += u * F[i];
      terms += fabs(u) * size;
    }
    any |= fabs(sum) > is_zero * terms;
  }
  return any;
}

// States whose derivative depends on no unknown, and whose row of E is its diagonal.
static void take_alone(const struct sim_radau *w, radau_set *set) {
  int n = w->n;
  for (int i = 0; i < w->nz; i++) set->alone[i] = w->E[at(i, i, n)] != 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < w->nz; i++)
      if (set->A[at(i, j, n)] != 0 || (i != j && w->E[at(i, j, n)] != 0)) set->alone[i] = 0;
}

static int is_it(const nsm_sim *s, const radau_set *set) {
  return set->used > 0 && memcmp(set->side, s->now.set, (size_t)s->n.r.n) == 0 &&
         (!set->d || memcmp(set->d, s->now.d, (size_t)s->a->nheld * sizeof(double)) == 0);
}

radau_set *radau_set_now(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  radau_set *set = NULL;
  for (int i = 0; i < w->nset && !set; i++) if (is_it(s, &w->set[i])) set = &w->set[i];
  if (!set) {
    set = &w->set[0];
    for (int i = 1; i < w->nset; i++) if (w->set[i].used < set->used) set = &w->set[i];
    set->used = 0;
  }
  if (set->used == 0 || !(w->linear || w->fresh)) {
    if (w->moving_mass || set->used == 0) radau_mass(s, s->now.t, w->z0, w->E);
    radau_derivative(s, s->now.t, w->z0, set->A);
    take_alone(w, set);
    memcpy(set->side, s->now.set, (size_t)s->n.r.n);
    if (set->d) memcpy(set->d, s->now.d, (size_t)s->a->nheld * sizeof(double));
    set->number = ++w->numbers;
    set->index2 = -1;
    if (!determine(s, set, s->a->step)) { set->used = 0; return NULL; }
    w->fresh = 1;
  }
  set->used = ++w->clock;
  return w->now = set;
}
