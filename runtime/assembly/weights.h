// Weights of what is coupled (docs/numerics/circuits.md, 4): one number for all of a group.
//
//   weights.c         groups, what each of them may have, their weights into the classes
//   weights_sets.c    by sets: is a set of regular index 1 and not stiff? multipliers at the end of the step
#pragma once
#include "assembly.h"

enum { WEIGHTS_STATES = 64, WEIGHTS_ROWS = 128, WEIGHTS_KEPT = 64 };  // of a group that is checked; verdicts kept
enum { WEIGHTS_LASTS = 8 };             // after so many steps in a row at weight 1 a group stays there

// What is coupled by unknowns, multipliers and rows. Instances of one class are of one group.
typedef struct sim_group {
  int nz, nrow, *z, *row;               // its states and velocities; its rows
  unsigned char moves, states, unknowns, cases, equations, couples;  // has velocities, states, unknowns without
                                        // inertia, laws with cases, equations that stayed rows, entries of D
  unsigned char ruled, by_sets, end, lasts;  // has a weight of its own; that changes with its sets; is 1 now; for good
  unsigned char restricted;             // has a law of which D is singular
  unsigned char records;                // its multipliers are solved for at the end of the step once more
  double        theta, gamma;           // where it is not 1
  double        since;                  // it is 1 for good
  int       kept, next;                 // verdicts on sets, by a hash of them
  uint64_t *hash;
  double   *rate;
} sim_group;

struct sim_weights {
  int        n, *of_cls;                // groups; [nclass] group, -1
  sim_group *group;
  int        network, moving;           // made of nodes; verdicts do not last
  unsigned char *restricts;             // [nclass]: relations of which D is singular, so that they restrict states
  // of the largest group: scratch
  double        *D, *Y, *S, *M, *rates;
  int           *pivot, *local, *inside;  // local [nz + rows]: number within the group
  unsigned char *set, *aside;           // [rows]
};

// weights_sets.c
enum { WEIGHTS_LOW, WEIGHTS_HIGH, WEIGHTS_INSIDE };
void sim_sets_of(nsm_sim *s, const sim_group *g, const double *l);         // into `set`
int  sim_sets_good(nsm_sim *s, sim_group *g);                              // is `set`, for this length of the step?
int  sim_sets_unmixed(nsm_sim *s, sim_group *g);                           // do theta and gamma go together?
int  sim_sets_record(nsm_sim *s, sim_group *g, double t1);                 // w.l1 at the end; 0: not by a good set
