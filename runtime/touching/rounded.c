// What a rate of a contact of shapes is known to. A direction n is a unit vector to its round-off as a whole: where n
// stands at right angles to a velocity v, each term n_i v_i may be nothing but what rounding left of n_i, and the sum
// of their sizes says nothing. The sum over both bodies of |n| |v| and |x n| |w|, H = (n, x n) in parts of a vector,
// times a few eps is what the rate is known to.
#include "touching.h"
#include <math.h>

static double length(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

double sim_touch_size(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  const struct nsm_touching *t = s->touching;
  double size = 0;
  for (int i = 0; t && i < t->ngroup; i++) {
    const sim_touch_group *g = &t->group[i];
    if (r->cls[row] < g->cls || r->cls[row] > g->cls + g->slips) continue;
    int planar = g->variant >= SIM_PLANAR, each = planar ? 3 : 6, move = planar ? 2 : 3;
    for (int e = r->c0[row]; e < r->c0[row + 1]; e += each)
      for (int from = 0; from < each; from += move) {
        int n = from ? each - move : move;
        double before[3], end[3];
        for (int j = 0; j < n; j++) {
          before[j] = s->now.z[r->cz[e + from + j]];
          end[j] = s->w.z1[r->cz[e + from + j]];
        }
        size += length(n, r->c + e + from) * (length(n, before) + length(n, end));
      }
    return size;
  }
  return 0;
}
