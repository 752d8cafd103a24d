// The verifier's first look (residual.c) at intervals of which each is coupled with its neighbours alone: u = M lambda
// + q from the problem's own entries, and every row right to round-off. Rows with too little of q in them must be
// explained by others, along the chain: a sufficient case of (5a) of residual_closer.c, as for few dense rows. What
// this does not accept is for the whole verifier, with the solvers of the table.
#include "residual_rows.h"
#include "runtime/shared/wide.h"
#include <stdint.h>
#include <string.h>

// Row i: its entries, 0 beyond the ends, and their products with lambda. before, behind: has it such a neighbour?
typedef struct chain_row { double entry[3], product[3]; verify_sum sum; } chain_row;

VERIFY_INLINE chain_row row_of(const nsm_cone_tridiagonal *p, const double *lambda, int i, int before, int behind) {
  chain_row r = { .entry = { before ? p->below[i] : 0, p->diagonal[i], behind ? p->above[i] : 0 } };
  r.product[0] = before ? r.entry[0] * lambda[i - 1] : 0;
  r.product[1] = r.entry[1] * lambda[i];
  r.product[2] = behind ? r.entry[2] * lambda[i + 1] : 0;
  r.sum = (verify_sum){ .u = p->q[i] + r.product[0] + r.product[1] + r.product[2], .q = fabs(p->q[i]),
                        .terms = fabs(r.product[0]) + fabs(r.product[1]) + fabs(r.product[2]),
                        .known = verify_known(p->q[i], p->q_terms[i]) };
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

// r of row i, and u.
VERIFY_INLINE double look(const nsm_cone_tridiagonal *p, const double *lambda, int i, int before, int behind,
                          double *u) {
  verify_sum s = row_of(p, lambda, i, before, behind).sum;
  u[i] = s.u;
  return verify_quick(lambda[i], p->lo[i], p->hi[i], s);
}

// The largest r of the rows with two neighbours. Of numbers >= 0 that is the one with the largest bits.
NSM_WIDE static double look_inside(const nsm_cone_tridiagonal *of, const double *lambda, double *restrict u) {
  const nsm_cone_tridiagonal p = *of;
  int64_t most = 0, bits;
  double r;
  for (int i = 1; i < p.m - 1; i++) {
    r = look(&p, lambda, i, 1, 1, u);
    memcpy(&bits, &r, sizeof r);
    most = bits > most ? bits : most;
  }
  memcpy(&r, &most, sizeof r);
  return r;
}

// Rows that are right, but for q, which drowns in its terms, are right to what they are off: the largest r so; 1 where
// another one is not.
static double look_again(const nsm_cone_tridiagonal *p, const double *lambda, const double *u) {
  double worst = 0;
  for (int i = 0; i < p->m; i++) {
    verify_sum s = row_of(p, lambda, i, i > 0, i + 1 < p->m).sum;
    double r = verify_quick(lambda[i], p->lo[i], p->hi[i], s), U = s.terms + s.known;
    if (r > verify_round_off && lambda[i] >= p->lo[i] && lambda[i] <= p->hi[i] && U + fabs(lambda[i]) < HUGE_VAL &&
        fabs(u[i]) <= verify_round_off * U)
      r = fabs(u[i]) / U;
    worst = r <= worst ? worst : r;
  }
  return worst;
}

int nsm_cone_check_tridiagonal(const nsm_cone_tridiagonal *of, const double *lambda, unsigned char *strong, double *u,
                               double *residual) {
  nsm_cone_tridiagonal with = *of, *p = &with;
  int last = p->m - 1;
  if (!p->q_terms) with.q_terms = p->q;
  double worst = larger(look_inside(p, lambda, u), look(p, lambda, 0, 0, last > 0, u));
  if (last > 0) worst = larger(worst, look(p, lambda, last, 1, 0, u));
  if (worst > verify_round_off && (worst = look_again(p, lambda, u)) <= verify_round_off &&
      !explained(p, lambda, strong))
    worst = 1;
  *residual = worst;
  return worst <= verify_round_off;
}
