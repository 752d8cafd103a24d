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
// A constraint: the force that it is known by, and (the largest |b|)^2, by which what is near is its force. 0: it acts
// on nothing.
typedef struct { double force, by; } reach;

// The force of a row that is as large as what is near. Where a body turns about its centre, or a lever is 0 for a
// moment, a row has none of its turn, and yet the point that it holds is known to the round-off of what turns about it:
// of the largest p/sqrt(M) of all that it may act on, in the metric of the masses.
static reach reach_of(const nsm_sim *s, const sim_held *held, int row, const double *near) {
  const sim_rows *r = &s->n.r;
  double all = 0, most = 0, heavy = 0, moves = 0, f = 0;
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
    int z = r->bz[e];
    double b = fabs(r->b[e]);
    all = larger(b, all);
    f = larger(b * near[z], f);
    if (!(held->mass[z] > 0)) continue;
    double mass = held->inverse ? 1 / held->mass[z] : held->mass[z];
    most = larger(b, most);
    heavy = larger(b * b * mass, heavy);
    moves = larger(near[z] * near[z] / mass, moves);
  }
  double turns = most > 0 ? sqrt(heavy * moves) / (most * most) : 0, by = all * all,
         force = larger(turns, fabs(s->w.l1[r->l[row]]));
  return (reach){ by > 0 ? larger(f / by, force) : force, by };
}

void sim_held_sizes(const nsm_sim *s, const sim_held *held, double share, int nz, double *near, double *size) {
  const sim_rows *r = &s->n.r;
  const int n = held->n, *row = held->row, *first = r->b0, *z = r->bz;
  const double *b = r->b;
  if (n == 0) return;
  reach *of = (reach *)(near + nz);
  for (int j = 0; j < n; j++) of[j] = reach_of(s, held, row[j], near);
  for (int hop = 0; hop < HOPS; hop++) {
    for (int j = 0; hop > 0 && j < n; j++) {
      double f = 0;
      for (int e = first[row[j]], end = first[row[j] + 1]; e < end; e++) f = larger(fabs(b[e]) * near[z[e]], f);
      if (of[j].by > 0) of[j].force = larger(f / of[j].by, of[j].force);
    }
    for (int j = 0; j < n; j++) {
      double force = of[j].force;
      for (int e = first[row[j]], end = first[row[j] + 1]; e < end; e++)
        near[z[e]] = larger(fabs(b[e]) * force, near[z[e]]);
    }
  }
  for (int i = 0; i < nz; i++) size[i] = larger(share * near[i], size[i]);
}
