// Families with more members than can be counted (E0610): what the run would refuse anyway, said at once. The product
// of the ranges of the loops, of an inner range with the first index of the outer ones.
#include <math.h>
#include "parts.h"

static const double most = 2147483647;                  // members have numbers of 32 bits (nsm_abi.h)

static double members(const Check *k, const SysClass *c) {
  double n = 1, loop[8] = { 0 };
  for (int d = 0; d < c->nloop && d < 8; d++) {
    double lo = value_of(k->s, c->loop[d].lo, loop, d), hi = value_of(k->s, c->loop[d].hi, loop, d);
    loop[d] = lo;
    n *= hi - lo + 1;
  }
  return n;
}

void check_sizes(Check *k) {
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    double n = members(k, c);
    if (!(n > most)) continue;
    Diag *d = diag(k->bag, DIAG_E0610, c->span, "this has %.10g members, and %.0f is the most", n, most);
    diag_help(d, "is this size what is meant?");
    return;
  }
}
