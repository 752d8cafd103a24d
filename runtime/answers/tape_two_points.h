// The laws of a step of `consistent` with friction, for the tape.
#pragma once
#include "tape.h"

// motion: given with those of contacts and constraints as the sets have them. 1: some hold at the end. room [2 rows].
int tape_two_points_laws(nsm_sim *s, double t1, double *room, unsigned char *motion, unsigned char *impact,
                         unsigned char *end);
int tape_rests(const nsm_sim *s, int row);                 // no slip in the motion, of the part that begins with row
