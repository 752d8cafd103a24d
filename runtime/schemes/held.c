// Rows that are known to the round-off of others: those of one vector, and those that constraints hold.
//
// The forces of constraints are found together, from the sizes of all rows that they act in. So a row whose own terms
// are small, a torque that is 0 by symmetry or the joints of what falls freely, is known to the round-off of its
// neighbours. Arioli, Demmel, Duff, SIAM J. Matrix Anal. Appl. 10 (1989), section 2, measure such rows by |the entries|
// |the largest unknown|; here it is the largest near it, in its own unit.
#include "held.h"
#include "../touching/touching.h"

enum { HOPS = 3 };                        // from body to body

static inline double larger(double a, double b) { return a > b ? a : b; }       // b where a is nan

// ---- vectors --------------------------------------------------------------------------------------------------------
// The three equations of a body's turn are those of one vector, and so are those of its place, two in the plane: each
// is known to the round-off of the vector, whatever its share along the axes at hand (which may be 0, by symmetry).
enum { OF_BODY = 6 };                     // velocities: of its turn and of its place, three each

static void share(double least, int n, const int *z, double *size) {
  double most = 0;
  for (int d = 0; d < n; d++) most = larger(size[z[d]], most);
  for (int d = 0; d < n; d++) size[z[d]] = larger(least * most, size[z[d]]);
}

void sim_share_vectors(const nsm_sim *s, double least, double *size) {
  SIM_EACH(s, kinematics, k) {
    int slot[OF_BODY], n = 0;
    for (int e = 0; e < k->c->nslot; e++)
      if (k->c->slot[e] != NSM_SLOT_POSITION && n++ < OF_BODY) slot[n - 1] = e;
    for (int i = 0; n == OF_BODY && i < k->tab.count; i++)
      for (int first = 0; first < OF_BODY; first += 3) {
        int z[3];
        for (int d = 0; d < 3; d++) z[d] = sim_z_of(s, k, i, slot[first + d]);
        share(least, 3, z, size);
      }
  }
  for (int b = 0; s->touching && b < s->touching->nbody; b++) {             // planar ones have coordinates
    const sim_body *body = &s->touching->body[b];
    if (body->planar && !body->still) share(least, 2, body->z, size);
  }
}

// ---- constraints ----------------------------------------------------------------------------------------------------
// Where a body turns about its centre, or a lever is 0 for a moment, a row has none of its turn, and yet the point that
// it holds is known to the round-off of what turns about it: of the largest p/sqrt(M) of all that it may act on, in the
// metric of the masses. The force of the row that is as large.
static double turning_force(const nsm_sim *s, const sim_held *held, int row, int nz, const double *near) {
  const sim_rows *r = &s->n.r;
  double most = 0, heavy = 0, moves = 0;
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
    int z = r->bz[e];
    if (z >= nz || !(held->mass[z] > 0)) continue;
    double mass = held->inverse ? 1 / held->mass[z] : held->mass[z];
    most = larger(fabs(r->b[e]), most);
    heavy = larger(r->b[e] * r->b[e] * mass, heavy);
    moves = larger(near[z] * near[z] / mass, moves);
  }
  return most > 0 ? sqrt(heavy * moves) / (most * most) : 0;
}

void sim_held_sizes(const nsm_sim *s, const sim_held *held, double share, int nz, double *near, double *size) {
  const sim_rows *r = &s->n.r;
  int n = held->n;
  const int *row = held->row;
  if (n == 0) return;
  double *force = near + nz;
  for (int j = 0; j < n; j++)
    force[j] = larger(turning_force(s, held, row[j], nz, near), fabs(s->w.l1[r->l[row[j]]]));
  for (int hop = 0; hop < HOPS; hop++) {
    for (int j = 0; j < n; j++) {
      double most = 0, f = 0;
      for (int e = r->b0[row[j]]; e < r->b0[row[j] + 1]; e++) {
        if (r->bz[e] >= nz) continue;
        most = larger(fabs(r->b[e]), most);
        f = larger(fabs(r->b[e]) * near[r->bz[e]], f);
      }
      if (most > 0) force[j] = larger(f / (most * most), force[j]);
    }
    for (int j = 0; j < n; j++)
      for (int e = r->b0[row[j]]; e < r->b0[row[j] + 1]; e++)
        if (r->bz[e] < nz) near[r->bz[e]] = larger(fabs(r->b[e]) * force[j], near[r->bz[e]]);
  }
  for (int i = 0; i < nz; i++) size[i] = larger(share * near[i], size[i]);
}
