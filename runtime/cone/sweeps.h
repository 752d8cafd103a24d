// What sweeps.c (double sweeps and their acceleration) and sweeps_factors.c (contacts of problems in factors) share.
// Not for other folders.
#pragma once
#include "newton.h"
#include "anderson.h"

typedef enum { BY_ANDERSON, BY_GRADIENTS, BY_NOTHING, WAYS } nsm_sweeps_way;

// A plain contact of three rows between two bodies, or of one with the ground: A = C W^(-1/2), row by row, six numbers
// for each body, in three lines of memory with all else that its law needs. at: the first unknown of each body; bodies:
// 0, it is none of these.
typedef struct nsm_plain {
  float  a[36];
  int    at[2];
  float  bodies, unused;
  double mu, normal, by_normal, by_tangent;
} nsm_plain;

typedef struct nsm_sweeps {
  const nsm_cone_problem *p;
  nsm_cone_work *w;
  const nsm_cone_try *t;
  nsm_graph g;
  nsm_anderson a;
  int    *block_of;                      // [nodes] its block of the problem, -1: an interval
  unsigned char *plain;                  // [nodes] Coulomb's law and a diagonal block
  const nsm_cone_factors *f;             // of the problem, or NULL
  double *v;                             // [f->n] W^(1/2) of the velocities of (d)
  double *root, *inverse;                // [f->n] v = inverse X lambda, u = C root v
  nsm_plain *contact;                    // [nodes], with factors
  double *x, *G, *P, *best, *weight, *own;  // own [nodes * NSM_NODE_BLOCK]: M_cc in the units of the problem
  double  least, ask;                    // |r| / |x| of the best; where the verifier is asked next
  int     slabs, parts, one[2];          // without slabs: one
  const int *part;                       // [parts + 1] the nodes of each
  double *sum, off, local;               // [parts, 2] |G|^2, |r|^2; |r|; operations of local laws in a sweep
  nsm_sweeps_way by;
  int     moves;                         // Anderson's next x is not made yet
} nsm_sweeps;

// 0: no room.
int  nsm_factors_open(nsm_sweeps *s);
// v := 0 on the unknowns of a slab.
void nsm_factors_clear(nsm_sweeps *s, int slab);
// Each plain contact c, c + 1, ... (up to `most` of them), as long as they are plain: what x adds to v; where x was
// moved it is projected first. How many.
int  nsm_factors_motion(const nsm_sweeps *s, int c, int most, double *x);
// u_c of node c; v after a change of x_c.
void nsm_factors_rates(const nsm_sweeps *s, int c, const double *x, double *u);
void nsm_factors_push(const nsm_sweeps *s, int c, const double *change);
// Each plain contact c, c + by, ... (up to `most` of them) by its law, as long as they are plain: how many.
int  nsm_factors_turn(const nsm_sweeps *s, int c, int by, int most, double *x);
