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
// The null vectors are those of an elimination in which columns find no pivot.
#include "radau.h"

static const double vanishes = 1e-12;    // a pivot beside the entries of the scaled matrix, which are at most 1
static const double is_zero = 1e-9;      // u F beside its terms
static const double nothing = 1e-20;     // an entry beside the largest of its row and that of its column

static size_t at(int i, int j, int n) { return (size_t)i + (size_t)j * (size_t)n; }

// The lines of kre, rows or columns, divided by sqrt(least * most) of their entries but 0, or at last by the most.
static void divided(struct sim_radau *w, int columns, int last, double *by) {
  const radau_pattern *p = &w->at;
  double *least = w->part, *most = w->part + w->n;
  for (int i = 0; i < w->n; i++) { least[i] = INFINITY; most[i] = 0; }
  for (int j = 0; j < w->n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      double x = fabs(w->kre[e]);
      int i = columns ? j : p->row[e];
      most[i] = fmax(most[i], x);
      if (x > 0) least[i] = fmin(least[i], x);
    }
  for (int i = 0; i < w->n; i++)
    least[i] = !(most[i] > 0) ? 1 : last ? 1 / most[i] : 1 / (sqrt(least[i]) * sqrt(most[i]));
  for (int j = 0; j < w->n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) w->kre[e] *= least[columns ? j : p->row[e]];
  for (int i = 0; i < w->n; i++) by[i] *= least[i];
}

// The slope of a junction that blocks is exp(-400) of one that conducts: it says nothing of the units.
static void without_dust(struct sim_radau *w) {
  const radau_pattern *p = &w->at;
  double *row = w->part, *column = w->part + w->n;
  memset(w->part, 0, 2 * (size_t)w->n * sizeof(double));
  for (int j = 0; j < w->n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      row[p->row[e]] = fmax(row[p->row[e]], fabs(w->kre[e]));
      column[j] = fmax(column[j], fabs(w->kre[e]));
    }
  for (int j = 0; j < w->n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (fabs(w->kre[e]) < nothing * fmin(row[p->row[e]], column[j])) w->kre[e] = 0;
}

// kre in units in which its entries lie about 1, whatever those of potentials and currents are, then by rows and by
// columns to a largest entry of 1.
static void scaled(struct sim_radau *w, double *rows, double *columns) {
  enum { ROUNDS = 4 };
  for (int i = 0; i < w->n; i++) rows[i] = columns[i] = 1;
  without_dust(w);
  for (int round = 0; round <= ROUNDS; round++)
    for (int by = 0; by < 2; by++) divided(w, by, round == ROUNDS, by ? columns : rows);
}

static void orthonormal(int n, int count, double *V) {
  for (int k = 0; k < count; k++) {
    double size = nsm_la_orthogonalise(n, k, V);
    for (int i = 0; i < n; i++) V[i + k * n] /= size;
  }
}

// 0: too much is left undetermined.
static int determine(nsm_sim *s, radau_set *set, double r) {
  struct sim_radau *w = s->n.radau;
  nsm_la_memory memory = sim_la_memory(s);
  int n = w->n;
  double *rows = w->xr, *columns = w->xi;
  set->free = 0;
  radau_matrix(s, set, 1 / r, 0);
  scaled(w, rows, columns);
  nsm_columns K = { n, w->at.start, w->at.row, w->kre, NULL, NULL };
  int dropped = nsm_lu_factor(&w->probe, &K, w->at.order, vanishes, &w->lu_work, &memory);
  if (dropped < 0 || dropped > RADAU_FREE) return 0;
  for (int k = 0; k < dropped; k++) {
    nsm_lu_null_right(&w->probe, k, set->X + at(0, k, n), &w->lu_work);
    nsm_lu_null_left(&w->probe, k, set->U + at(0, k, n), &w->lu_work);
  }
  orthonormal(n, dropped, set->X);
  orthonormal(n, dropped, set->U);
  for (int k = 0; k < dropped; k++)
    for (int i = 0; i < n; i++) {
      set->left[at(i, k, n)] = set->U[at(i, k, n)] * rows[i];
      set->U[at(i, k, n)] /= rows[i];
      set->X[at(i, k, n)] /= columns[i];
    }
  set->free = dropped;
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
  double *size = w->xi;
  for (int i = 0; i < n; i++) size[i] = fabs(F[i]);
  radau_terms(w, set->A, Z, size);
  for (int k = 0; k < set->free; k++) {
    double sum = 0, terms = 0;
    for (int i = 0; i < n; i++) {
      double u = set->left[at(i, k, n)];
      sum += u * F[i];
      terms += fabs(u) * size[i];
    }
    any |= fabs(sum) > is_zero * terms;
  }
  return any;
}

// States whose derivative depends on no unknown, and whose row of E is its diagonal.
static void take_alone(const struct sim_radau *w, radau_set *set) {
  const radau_pattern *p = &w->at;
  for (int i = 0; i < w->n; i++) set->alone[i] = i < w->nz && w->inertia[i] != 0;
  for (int e = 0; e < p->start[w->n]; e++) if (set->A[e] != 0) set->alone[p->row[e]] = 0;
  for (int e = 0; e < p->ne; e++) if (p->erow[e] != p->ecol[e] && w->E[e] != 0) set->alone[p->erow[e]] = 0;
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
