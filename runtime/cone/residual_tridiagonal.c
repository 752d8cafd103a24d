// The verifier's first look (residual.c) at intervals of which each is coupled with its neighbours alone: u = M lambda
// + q from the problem's own entries, and every row right to round-off. Rows with too little of q in them must be
// explained by others, along the chain: a sufficient case of (5a) of residual_closer.c, as for few dense rows. What
// this does not accept is for the whole verifier, with the solvers of the table.
#include "residual_rows.h"

// Row i: its entries, 0 beyond the ends, and their products with lambda. before, behind: has it such a neighbour?
typedef struct chain_row { double entry[3], product[3]; verify_sum sum; } chain_row;

VERIFY_INLINE chain_row row_of(const nsm_cone_tridiagonal *p, const double *lambda, int i, int before, int behind) {
  const nsm_cone_problem right = { .q = p->q, .q_terms = p->q_terms };
  chain_row r = { .entry = { before ? p->below[i] : 0, p->diagonal[i], behind ? p->above[i] : 0 } };
  r.product[0] = before ? r.entry[0] * lambda[i - 1] : 0;
  r.product[1] = r.entry[1] * lambda[i];
  r.product[2] = behind ? r.entry[2] * lambda[i + 1] : 0;
  r.sum = verify_terms(&right, i, p->q[i] + r.product[0] + r.product[1] + r.product[2],
                      fabs(r.product[0]) + fabs(r.product[1]) + fabs(r.product[2]), r.entry[1]);
  return r;
}

static inline double larger(double x, double y) { return x > y ? x : y; }

// Entries k = 0, 1, 2 of row i along which a strong unknown makes the row strong, and the other way round: a term that
// counts in the row, and an entry that is not small beside its row and column.
static unsigned wide(const nsm_cone_tridiagonal *p, const double *lambda, int i, int *by_q) {
  chain_row r = row_of(p, lambda, i, i > 0, i + 1 < p->m);
  double U = r.sum.terms + r.sum.known, most = 0;
  unsigned w = 0;
  *by_q = r.sum.q >= verify_explained * U;
  for (int k = 0; k < 3; k++) most = larger(most, fabs(r.entry[k]));
  for (int k = 0; k < 3; k++) {
    int j = i + k - 1;
    if (j < 0 || j >= p->m) continue;
    double M = fabs(r.entry[k]), column = fabs(p->diagonal[j]);
    if (j > 0) column = larger(column, fabs(p->above[j - 1]));
    if (j + 1 < p->m) column = larger(column, fabs(p->below[j + 1]));
    if (M > 0 && fabs(r.product[k]) >= verify_explained * U && M >= 0x1p-13 * most && M >= 0x1p-13 * column)
      w |= 1u << k;
  }
  return w;
}

// Strong rows make their unknowns strong, these their rows: down the chain, and up where that was not all. Of row i
// seen [m] has the entries of wide(), then whether it and its unknown are strong.
static int explained(const nsm_cone_tridiagonal *p, const double *lambda, unsigned char *seen) {
  enum { ROW = 8, UNKNOWN = 16 };
  int m = p->m, strong = 0;
  for (int i = 0; i < m; i++) seen[i] = 0;
  for (int n = 0; n < 2 * m && strong < m; n++) {
    int i = n < m ? n : 2 * m - 1 - n, is = seen[i] & ROW;
    if (n < m) seen[i] |= (unsigned char)wide(p, lambda, i, &is);
    for (int k = 0; k < 3; k++) if (seen[i] >> k & 1) is |= seen[i + k - 1] & UNKNOWN;
    if (!is) continue;
    strong += !(seen[i] & ROW);
    seen[i] |= ROW;
    for (int k = 0; k < 3; k++) if (seen[i] >> k & 1) seen[i + k - 1] |= UNKNOWN;
  }
  return strong == m;
}

// r of row i, and u; *unsure: it is right, but q drowns in its terms.
VERIFY_INLINE double look(const nsm_cone_tridiagonal *p, const double *lambda, int i, int before, int behind, double *u,
                          int *unsure) {
  verify_sum s = row_of(p, lambda, i, before, behind).sum;
  double r = verify_quick(lambda[i], p->lo[i], p->hi[i], s), U = s.terms + s.known;
  u[i] = s.u;
  if (!(r > verify_round_off) || !(lambda[i] >= p->lo[i] && lambda[i] <= p->hi[i] && U + fabs(lambda[i]) < HUGE_VAL &&
                                   fabs(s.u) <= verify_round_off * U))
    return r;
  *unsure = 1;
  return fabs(s.u) / U;
}

int nsm_cone_check_tridiagonal(const nsm_cone_tridiagonal *p, const double *lambda, unsigned char *strong, double *u,
                               double *residual) {
  int unsure = 0, last = p->m - 1;
  double worst = look(p, lambda, 0, 0, last > 0, u, &unsure);
  for (int i = 1; i < last; i++) {
    double r = look(p, lambda, i, 1, 1, u, &unsure);
    worst = r <= worst ? worst : r;
  }
  if (last > 0) {
    double r = look(p, lambda, last, 1, 0, u, &unsure);
    worst = r <= worst ? worst : r;
  }
  if (unsure && worst <= verify_round_off && !explained(p, lambda, strong)) worst = 1;
  *residual = worst;
  return worst <= verify_round_off;
}
