// The dense system of an instant: accelerations, then the multipliers of the rows that are kept. `consistent` of order
// 4 and above (galerkin_force.c) and event_driven (flow_instant.c) set it up; what they have in common stands here.
#pragma once
#include "schemes.h"

typedef struct sim_instant {
  int     first;                         // accelerations, before the multipliers
  int    *of;                            // [r.n] number of a row among those kept, -1: it is none
  double *force;                         // [nl] multipliers of the last solution
  double *E, *e;                         // matrix, right side
  // of the last factors: LU, the matrix scaled, its pseudo-inverse, or the matrix itself where it is regular
  double *lu, *kept, *inverse;
  double *scale, *unit, *work, *mass, *rate;                     // rate [r.n]: scratch
  int    *pivot, *jpvt, lwork, singular;
  int     n;                             // unknowns of the last factors
  int     nfree;                         // columns of what the rows leave free of the multipliers, in E; -1: unknown
  // slips in a plane that begin (instant_slips.c): d, sigma, sigma' [r.n]; when they began; the time of the instant
  double *small, *sigma, *turn, begun, time;
  // of the scheme: its rows by the sets of now, and a bit for each part of a block that slides; the instant, 0: not
  // found; the same whose factors stay; its accelerations, before the multipliers; the size of a rate
  void  (*rows)(nsm_sim *s);
  const unsigned char *slides;           // [nfriction]
  int   (*at)(nsm_sim *s, double t, const double *q, const double *z);
  int   (*factors)(nsm_sim *s, double t, const double *q, const double *z);
  double *accelerations, (*speed)(const nsm_sim *s, int row);
} sim_instant;

void   sim_instant_open(nsm_sim *s, sim_instant *in, int first);
void   sim_instant_mass(nsm_sim *s, const nsm_view *v, sim_instant *in, size_t n);
void   sim_instant_coefficients(nsm_sim *s, const nsm_view *v);              // of friction, where they move
// parts: a bit for each part of a block that slides (of rolling friction the slip, the rolling)
void   sim_instant_slide(const nsm_sim *s, int friction, int parts, const double *rate, sim_instant *in, size_t n);
// E of n unknowns is factored; x from a right side, which may be x; what is left of the equations beside their terms
void   sim_instant_factor(sim_instant *in, int n);
void   sim_instant_solve(const sim_instant *in, int n, const double *e, double *x);
double sim_instant_off(const sim_instant *in, int n, const double *e, const double *x, const double *known);
// instant_bounds.c: of multipliers of rows that depend on each other, forces, or impulses over `length`, those that the
// laws allow; called after the solution, until the next factors
void   sim_instant_allow(const nsm_sim *s, sim_instant *in, int n, double length, double *l);
// Impulses over `length` before it: what is free of them as the forces have it.
void   sim_instant_share(const nsm_sim *s, sim_instant *in, int n, double length, double *l);
// instant_slips.c: which slips begin from 0 in (t, q, z), and their directions; 1: there are some. q1, z1: scratch
int    sim_instant_slips(nsm_sim *s, sim_instant *in, double t, const double *q, const double *z, double *q1,
                         double *z1);
// What presses a block of friction, of forces l, or of impulses over `length`; the force of a block that slides
double sim_slide_pressed(const nsm_sim *s, int friction, double length, const double *l);
// d(what presses)/d(one of the normal forces): the sign of the only one, or its share in their length
static inline double sim_slide_share(const sim_friction *of, double lambda, double pressed) {
  return of->normals == 1 && of->type != NSM_CONE_GRIP ? 1 : pressed > 0 ? lambda / pressed : 0;
}
int    sim_slide_along(const nsm_sim *s, const sim_disk *part, const int *row, const double *rate, double *along,
                       double *length);
void   sim_slide_force(const nsm_sim *s, int friction, int parts, double pressed, const double *rate, double *l);
