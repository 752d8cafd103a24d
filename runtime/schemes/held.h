// Sizes of rows that are known to the round-off of others (held.c).
#pragma once
#include "../sim.h"

// Share of the largest of a vector that its others have at least: far above its round-off.
static const double sim_least_share = 1e-6;

// Sizes of velocities or of rows of momentum, [nz]: each at least this share of the largest of its place or turn.
void sim_share_vectors(const nsm_sim *s, double least, double *size);
// Constraints row[0..n), and the masses of all velocities, or where `inverse` their inverses; 0: not known.
typedef struct {
  int           n;
  const int    *row;
  const double *mass;
  int           inverse;
} sim_held;

// The sizes of rows of momentum, [nz], raised to `share` of the entries of their constraints times the force that these
// are known by. near [nz + 2 n]: at first the sizes whose round-off the rows have; lost.
void sim_held_sizes(const nsm_sim *s, const sim_held *held, double share, int nz, double *near, double *size);
