// What the verifier looks at where its first look does not accept: L of one-step-problem.md (2), sigma of (5).
//
//   L_j = min_i U_i / |M_ij|,  at least |lambda_j|
//
// is the largest lambda_j that no row notices for more than its own size: a lambda_j of 1e-12 L_j beside u_j > 0 counts
// as zero. A block has one L, in its frame.
//
// An answer that is huge beside q and the bounds satisfies every row to round-off of its own terms and says nothing
// about q: in all rows that it touches, q is drowned. So what explains a row must come from q or a bound, along terms
// that are not themselves drowned:
//
//   T_ij = |M_ij lambda_j| / U_i,   t_i = |q_i| / U_i
//   sigma_i = max( t_i, max_j min(phi_j, T_ij) ),
//   phi_j = 1 where bounds explain lambda_j, else max_i min(sigma_i, T_ij)
//
// the width of the widest path from q and the bounds to row i, in the graph of rows and unknowns whose edges have the
// widths T_ij. Entries of M that may be what round-off left of others, below 2^-43 in the balanced matrix E M D
// (scale.c), have no edge. Like r, neither L nor sigma changes with the units. Rows and unknowns of one cone block
// count as one.
//
// Bounds explain lambda_j up to 1000 times the largest of them. Where all K_i are bounded there is always a solution
// (Hartman and Stampacchia 1966), and nothing to be afraid of.
#include "residual_rows.h"

static const double bounds_explain = 1e3, least_share = 0x1p-34, no_share = 0x1p-50, nearly_largest = 0x1p-13;
enum { LEAST_EXPONENT = -43 };

typedef struct paths {
  const nsm_cone_problem *p;
  const double *lambda, *U;
  double *sigma, *phi, *e, *d;                           // e, d: exponents of E and D
  double *row_most, *column_most;                        // largest |M_ij| of each, in place of these; or NULL
  double  enough;
} paths;

static int first_entry(const nsm_cone_problem *p, int i) { return p->row_start ? p->row_start[i] : 0; }
static int last_entry(const nsm_cone_problem *p, int i) { return p->row_start ? p->row_start[i + 1] : p->m; }

static int column(const nsm_cone_problem *p, int k) { return p->row_start ? p->col[k] : k; }

static double entry(const nsm_cone_problem *p, int i, int k, int *j) {
  *j = column(p, k);
  return fabs(p->row_start ? p->M[k] : p->M[i + (size_t)k * (size_t)p->m]);
}

// A bounded force is no longer than its bounds: where M is so small that no u feels it, it has the side of its law all
// the same. In the frame of the block b; b NULL: of row i.
static double longest(const nsm_cone_problem *p, int i, const nsm_cone_block *b) {
  if (b) return !nsm_cone_is_given(b->type) ? HUGE_VAL
                : b->size * b->radius * (b->type == NSM_CONE_DISK ? 1 : b->mu > 0 ? b->mu : b->mu2);
  return p->lo[i] < p->hi[i] ? fmax(fabs(p->lo[i]), fabs(p->hi[i])) : HUGE_VAL;
}

void nsm_cone_lengths(const nsm_cone_problem *p, const double *lambda, const double *U, double *L) {
  int j;
  for (int i = 0; i < p->m; i++) L[i] = HUGE_VAL;
  for (int i = 0; i < p->m; i++)
    for (int k = first_entry(p, i); k < last_entry(p, i); k++) {
      double M = entry(p, i, k, &j);
      if (M > 0 && M * L[j] > U[i]) L[j] = U[i] / M;
    }
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, i, &c);
    int first = i, end = i + (b ? b->size : 1);
    double least = longest(p, first, b), length = 0;
    for (; i < end; i++) {                               // U[i] = U[first] / d; infinite where d = 0
      double inverse = i == first ? 1 : U[i] / U[first];
      if (!(inverse < HUGE_VAL)) continue;
      least = fmin(least, L[i] * inverse);
      length += fabs(lambda[i]) * inverse;
    }
    L[first] = least < HUGE_VAL ? fmax(least, length) : length;
  }
}

// May entry M of row i and column j be what round-off left of others? Not where it is nearly the largest of both: the
// largest entries of the balanced matrix are about 1.
static int is_edge(const paths *s, int i, int j, double M) {
  if (s->row_most) return M >= nearly_largest * fmax(s->row_most[i], s->column_most[j]);
  return nsm_cone_exponent(M) + s->e[i] + s->d[j] >= LEAST_EXPONENT;
}

// T_ij U_i of entry k of row i, and j.
static double width(const paths *s, int i, int k, int *j) {
  double M = entry(s->p, i, k, j), term = M * fabs(s->lambda[*j]);
  return term > 0 && is_edge(s, i, *j, M) ? term : 0;
}

static int raise(double *x, double to) {
  if (!(to > *x)) return 0;
  *x = to;
  return 1;
}

// Rows first ... first + size - 1 together, from their unknowns and on to them; 1 where something has grown.
static int visit(const paths *s, int first, int size) {
  double sigma = s->sigma[first];
  int grown = 0, j;
  for (int i = first; i < first + size && sigma < s->enough; i++)
    for (int k = first_entry(s->p, i); k < last_entry(s->p, i); k++) {
      double T = width(s, i, k, &j);
      if (T > sigma * s->U[i] && s->phi[j] > sigma) sigma = fmin(s->phi[j], T / s->U[i]);
    }
  for (int i = first; i < first + size; i++) {
    grown |= raise(&s->sigma[i], sigma);
    for (int k = first_entry(s->p, i); k < last_entry(s->p, i); k++) {
      if (!(s->phi[j = column(s->p, k)] < sigma)) continue;
      double T = width(s, i, k, &j);
      if (T > s->phi[j] * s->U[i]) grown |= raise(&s->phi[j], fmin(sigma, T / s->U[i]));
    }
  }
  return grown;
}

// The unknowns of a block share their phi.
static void share(const paths *s) {
  for (int c = 0; c < s->p->cones; c++) {
    int first = s->p->cone[c].first, end = first + s->p->cone[c].size;
    double phi = 0;
    for (int j = first; j < end; j++) phi = fmax(phi, s->phi[j]);
    for (int j = first; j < end; j++) s->phi[j] = phi;
  }
}

static int explained_by_bounds(const nsm_cone_problem *p, double lambda, int j) {
  double most = 0;
  if (fabs(p->lo[j]) < HUGE_VAL) most = fabs(p->lo[j]);
  if (fabs(p->hi[j]) < HUGE_VAL) most = fmax(most, fabs(p->hi[j]));
  return fabs(lambda) <= bounds_explain * most;
}

static void start(const paths *s) {
  const nsm_cone_problem *p = s->p;
  for (int j = 0, c = 0; j < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, j, &c);
    int end = j + (b ? b->size : 1);
    double phi = b ? nsm_cone_is_given(b->type) : explained_by_bounds(p, s->lambda[j], j);
    for (; j < end; j++) s->phi[j] = phi;
  }
}

// All entries of M are alike: none is what round-off left of others, in whatever units. *least: the smallest.
static int are_alike(const nsm_cone_problem *p, double *smallest) {
  double least = HUGE_VAL, most = 0;
  size_t entries = p->row_start ? (size_t)p->row_start[p->m] : (size_t)p->m * (size_t)p->m;
  for (size_t k = 0; k < entries; k++) {
    double M = fabs(p->M[k]);
    if (M > most) most = M;
    if (M > 0 && M < least) least = M;
  }
  *smallest = least;
  return least < HUGE_VAL && least > 0x1p-40 * most;
}

// What unknown j of an interval has from its own row alone.
static double own_share(const paths *s, int j) {
  int first = first_entry(s->p, j), end = last_entry(s->p, j), other;
  if (!s->p->row_start) first = j;
  while (first < end && column(s->p, first) < j) first++;
  if (first == end || column(s->p, first) != j) return 0;
  double T = width(s, j, first, &other);
  return T > 0 ? fmin(s->sigma[j], T / s->U[j]) : 0;
}

// Rows of intervals that are weak, from unknowns that are strong by their own rows: mostly enough, and quickly done. 1
// where it is.
static int strengthen_by_neighbours(const paths *s) {
  int weak = 0;
  if (s->p->cones > 0) return 0;
  for (int i = 0; i < s->p->m; i++) {
    if (!(s->sigma[i] < s->enough)) continue;
    int j;
    double sigma = s->sigma[i];
    for (int k = first_entry(s->p, i); k < last_entry(s->p, i) && sigma < s->enough; k++) {
      double T = width(s, i, k, &j);
      if (T > sigma * s->U[i]) sigma = fmax(sigma, fmin(fmax(s->phi[j], own_share(s, j)), T / s->U[i]));
    }
    weak |= sigma < s->enough;
    s->sigma[i] = sigma;
  }
  return !weak;
}

// The path of (5a) is as wide as its narrowest edge, however many there are. Beside all of q and the bounds together no
// row may be larger than a chain of rounded entries of M can make it: in the balanced problem E M D,
//
//   E_i U_i <= 2^34 max( max_k E_k max(|q_k|, q_terms_k), max_j |bound_j| / D_j ),   elsewhere sigma_i = 0, nearly
static void compare_with_all(const paths *s) {
  const nsm_cone_problem *p = s->p;
  double all = 0;
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, i, &c);
    int first = i, end = i + (b ? b->size : 1);
    double bound = b ? nsm_cone_reach(b) : 0, mu = b ? fmax(1, fmax(b->mu, b->mu2)) : 1;
    if (!b && fabs(p->lo[i]) < HUGE_VAL) bound = fabs(p->lo[i]);
    if (!b && fabs(p->hi[i]) < HUGE_VAL) bound = fmax(bound, fabs(p->hi[i]));
    all = fmax(all, bounds_explain * ldexp(bound, -(int)s->d[i]));
    for (; i < end; i++) {                                 // in the frame of U: U[i] = U[first] / d; with the shift
      double q = fabs(p->q[i]), d = i == first ? 1 : mu * (s->U[first] / s->U[i]);
      if (p->q_terms && p->q_terms[i] > q) q = p->q_terms[i];
      if (d < HUGE_VAL) all = fmax(all, ldexp(d * q, (int)s->e[first]));
    }
  }
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, i, &c);
    int first = i, end = i + (b ? b->size : 1);
    int drowned = all < least_share * ldexp(s->U[first], (int)s->e[first]);
    for (; i < end; i++)
      if (drowned) s->sigma[i] = fmin(s->sigma[i], no_share);
  }
}

// Along the paths, up and down through the rows, until no sigma grows.
static void walk(const paths *s) {
  const nsm_cone_problem *p = s->p;
  for (int grown = 1, up = 1; grown; up = !up) {
    grown = 0;
    if (up)
      for (int i = 0, c = 0; i < p->m;) {
        const nsm_cone_block *b = nsm_cone_block_at(p, i, &c);
        int size = b ? b->size : 1;
        grown |= visit(s, i, size);
        i += size;
      }
    else
      for (int end = p->m, c = p->cones - 1; end > 0;) {
        int size = c >= 0 && p->cone[c].first + p->cone[c].size == end ? p->cone[c--].size : 1;
        grown |= visit(s, end - size, size);
        end -= size;
      }
    share(s);
  }
}

static void limit(const paths *s) {
  for (int i = 0; i < s->p->m; i++) {
    s->sigma[i] = fmin(s->sigma[i], s->enough);
    s->phi[i] = fmin(s->phi[i], s->enough);
  }
}

// Does row i, or the block that starts there, have so much of q in it that q does not drown there?
static int has_q(const nsm_cone_problem *p, const double *U, int i, const nsm_cone_block *b) {
  double mu = b ? fmax(1, fmax(b->mu, b->mu2)) : 1, share = least_share * U[i];
  for (int first = i, end = i + (b ? b->size : 1); i < end; i++) {
    double d = i == first ? 1 : mu * (U[first] / U[i]);
    if (d < HUGE_VAL && d * nsm_cone_terms(p, i) >= share) return 1;
  }
  return 0;
}

int nsm_cone_strength_at_least(const nsm_cone_problem *p, const double *lambda, const double *U, double enough,
                               double *sigma, double *scratch) {
  size_t m = (size_t)p->m;
  paths s = { .p = p, .lambda = lambda, .U = U, .sigma = sigma, .phi = scratch, .row_most = scratch + m,
              .column_most = scratch + 2 * m, .enough = enough };
  int j;
  if (p->cones == 0) return 0;
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, i, &c);
    if (!has_q(p, U, i, b)) return 0;
    i += b ? b->size : 1;
  }
  for (size_t i = 0; i < m; i++) s.row_most[i] = s.column_most[i] = 0;
  for (int i = 0; i < p->m; i++)
    for (int k = first_entry(p, i); k < last_entry(p, i); k++) {
      double M = entry(p, i, k, &j);
      if (M > s.row_most[i]) s.row_most[i] = M;
      if (M > s.column_most[j]) s.column_most[j] = M;
    }
  start(&s);
  limit(&s);
  walk(&s);
  return 1;
}

void nsm_cone_strength(const nsm_cone_problem *p, nsm_cone_work *w, const double *lambda, const double *U,
                       double enough, double *sigma, double *scratch) {
  size_t m = (size_t)p->m;
  paths s = { .p = p, .lambda = lambda, .U = U, .sigma = sigma, .phi = scratch, .e = scratch + m,
              .d = scratch + 2 * m, .enough = enough };
  double least;
  int alike = are_alike(p, &least);
  if (alike)
    for (size_t i = 0; i < m; i++) { s.e[i] = -nsm_cone_exponent(least); s.d[i] = 0; }
  else nsm_cone_balance_once(p, w, s.e, s.d, scratch + 3 * m);
  start(&s);
  limit(&s);
  int strong = strengthen_by_neighbours(&s);
  if (strong) return;
  walk(&s);
  if (alike) nsm_cone_balance_once(p, w, s.e, s.d, scratch + 3 * m);
  compare_with_all(&s);
}
