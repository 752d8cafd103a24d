// One step from (q, z, l) to (q1, z1, l1): the schemes. Uses assembly/ and ledger/; who calls a step, and with which
// lengths, is the clock's business.
//
//   schemes.c        the table of all schemes
//   step_linear.c    moreau where all matrices are constant      step_newton.c  moreau else (newton.h)
//   josephy_newton.c the iteration that step_newton.c and consistent_newton.c share
//   independent.c    moreau and midpoint without the constraints that others imply
//   projection.c   moreau with places that are projected after the step
//   step_affine.c    equations that are affine in the unknowns   step_consistent.c  energy-consistent step
//   whole.c, whole_*.c (whole.h)  many steps by one function of the compiler
//   (consistent.h)   closed.c  which contacts are closed, what is at rest         blame.c  which statement made a nan
#pragma once
#include <float.h>
#include <math.h>
#include <string.h>
#include "runtime/assembly/assembly.h"
#include "runtime/ledger/ledger.h"
#include "runtime/shared/wide.h"
#include "runtime/touching/touching.h"
#include "runtime/move.h"

// schemes.c
const sim_scheme *sim_scheme_at(int number);               // NSM_SCHEME_*, from 0 on; NULL beyond the last
const sim_scheme *sim_scheme_named(const char *name);      // NULL where there is none

// step_linear.c, step_newton.c: from (q,z,l) to (q1,z1,l1) at t1; NSM_OK or NSM_FAILED
nsm_code sim_step_linear(nsm_sim *s, double t1, nsm_error *e);
// the second half of a linear step: the forces of the active rows at the free motion q1, z1, 0 where they are not
// found; what they do to it, and a sum of all that must be finite
int      sim_linear_solve(nsm_sim *s, double t1);
double   sim_linear_act(nsm_sim *s, double t1);
nsm_code sim_step_newton(nsm_sim *s, double t1, nsm_error *e);
// Derivatives with respect to positions enter Newton's matrix by q' = v alone: 0 and the reason where there is other
// kinematics.
int      sim_own_velocities(nsm_sim *s, nsm_error *e);
void     sim_newton_analyse(nsm_sim *s);          // room for step_newton; nothing where step_linear applies
nsm_code sim_step_affine(nsm_sim *s, double t1, nsm_error *e);
// step_affine.c: (1) to (5) there with kernels at m, for the velocities now.z; `rows` gives y, rate0 and which rows act
typedef void sim_affine_rows(nsm_sim *s, const nsm_view *m);
nsm_code sim_affine_solve(nsm_sim *s, const nsm_view *m, double t1, sim_affine_rows *rows, int impacts, nsm_error *e);
double   sim_affine_act(nsm_sim *s);      // (6), velocities alone; a sum that is not finite where one of them is not
void     sim_kicks_analyse(nsm_sim *s);   // step_kicks.c
nsm_code sim_step_kicks(nsm_sim *s, double t1, nsm_error *e);
nsm_code sim_step_consistent(nsm_sim *s, double t1, nsm_error *e);
nsm_code sim_impact_consistent(nsm_sim *s, nsm_error *e);
void     sim_accept_consistent(nsm_sim *s);
// independent.c: `step` without the constraints that others imply. Are there none at the first step, or later as far as
// is known?
typedef nsm_code sim_step_of(nsm_sim *s, double t1, nsm_error *e);
nsm_code sim_independent(nsm_sim *s, double t1, nsm_error *e, sim_step_of *step);
int      sim_independent_first(nsm_sim *s);
// projection.c: the same, and then places are projected on what gaps and constraints allow
static inline int sim_reaches(const nsm_sim *s) { return s->a->projects || s->a->m->place_at; }
// places.c: rows that are gaps: what the step needs, its begin, that it stands
void     sim_places_analyse(nsm_sim *s);
void     sim_places_begin(nsm_sim *s);
void     sim_places_accept(nsm_sim *s);
void     sim_projection_analyse(nsm_sim *s);
nsm_code sim_step_projected(nsm_sim *s, double t1, nsm_error *e, sim_step_of *step);
void     sim_active_set(nsm_sim *s);                                             // gap, rate0, active
// gap and rate0 of a class of contacts, as they were where the last piece of a step ended, or by the kernel.
static inline void sim_gaps_at_begin(nsm_sim *s, const sim_class *k, const nsm_view *v) {
  sim_rows *r = &s->n.r;
  if (!s->located || s->w.begin_of != s->now.k) {
    k->c->gap_fn(v, &k->tab, r->gap + k->row0, r->rate0 + k->row0);
    return;
  }
  memcpy(r->gap + k->row0, s->w.gap0 + k->row0, (size_t)k->tab.count * sizeof(double));
  memcpy(r->rate0 + k->row0, s->w.rate0 + k->row0, (size_t)k->tab.count * sizeof(double));
}
// f of all classes at a view; begin: of those that have a part at the begin of the step (forces.c).
void     sim_forces(nsm_sim *s, const nsm_view *v, int begin, double *f);
// Bounds that move: at a view, of relations of degree 0 at another.
static inline void sim_bounds(nsm_sim *s, const nsm_view *v, const nsm_view *between) {
  sim_rows *r = &s->n.r;
  for (int a = 0; a < s->a->on.law_moving.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.law_moving.of[a]];
    k->c->law_fn(k->gamma < 1 ? between : v, &k->tab, r->lo + k->row0, r->hi + k->row0);
  }
}
// Row i of the active ones in the one-step problem: its q, the size of the terms of q, and the force to start from.
static inline void sim_pose(nsm_sim *s, int i, double q, double terms, double start) {
  sim_islands *a = &s->n.isl;
  int row = s->n.r.row_at[a->active[i]];
  a->q[i] = q;
  a->terms[i] = terms;
  a->lo[i] = s->n.r.lo[row];
  a->hi[i] = s->n.r.hi[row];
  a->lambda[i] = s->n.r.law && s->n.r.struck[row] != 0 ? s->n.r.struck[row] : start;
}
// closed.c
void     sim_closed_start(nsm_sim *s);
void     sim_rates(nsm_sim *s, const sim_class *k, const nsm_view *v);   // into r.y, at least of the active rows
// rebound.c: do the numbers of contacts have a meaning in their law of impact?
int      sim_rebound_fits(const nsm_sim *s, nsm_error *e);
double   sim_start_of(const nsm_sim *s, int row);  // closed.c: multiplier from which its one-step problem starts
int      sim_rebound(nsm_sim *s);  // rebound.c: r.rebound, once M_osns of the active rows is known; 0: failed
void     sim_close(nsm_sim *s);    // gap, rate0 -> active, for step_linear, step_newton, step_affine
void     sim_hold(nsm_sim *s);    // after one of these steps: what holds its contacts closed
void     sim_take_extent(nsm_sim *s);        // of the coordinates, in now.extent
double   sim_nearly_closed(nsm_sim *s);     // above this no round-off reaches
void     sim_gap_terms(nsm_sim *s, const sim_class *k, const nsm_view *v);   // into r.terms, of k's rows
int      sim_closed_by_round_off(nsm_sim *s, const sim_class *k, int i, double a);
// Has the contact the force p, and its law no other rate than 0?
static inline int sim_is_pressed(const nsm_sim *s, int at, int row, double p) {
  const sim_rows *r = &s->n.r;
  return p > 0 && fabs(sim_bounce(r, row)) <=
                      16 * DBL_EPSILON * (r->whole ? sim_rows_inertia(s, at) : r->m[r->diagonal[at]]) * p;
}
// Rows, by the forces in w.l1, whose law makes their rate 0: isl.zero, and how many.
int      sim_rates_of_zero(nsm_sim *s);
void     sim_refine(nsm_sim *s, double t, const double *q, double share);
// v is what rounding left of terms of this size
static inline int sim_is_at_rest(double v, double size) { return v != 0 && fabs(v) <= 16 * DBL_EPSILON * size; }
// What impulses do: what they add to unknowns, the sizes of that, both 0 where nothing acts, and the numbers of those
// unknowns, of which there are n so far.
typedef struct sim_pushes { double *push, *size; int *pushed, n; } sim_pushes;
static inline sim_pushes sim_pushes_of(const nsm_sim *s) {
  return (sim_pushes){ s->w.push, s->w.size, s->w.pushed, 0 };
}
// Impulse p of a row into them.
static inline void sim_push(const sim_rows *r, int row, double p, sim_pushes *to) {
  for (int e = r->x0[row], end = r->x0[row + 1]; e < end; e++) {
    int z = r->xz[e];
    double d = r->x[e] * p, size = fabs(d);
    to->pushed[to->n] = z;
    to->n += (to->size[z] <= 0) & !(size <= 0);           // what is no number, too: sim_settle clears it
    to->size[z] += size;
    to->push[z] += d;
  }
}
// z1 of an unknown under all that pushes it, 0 where that is nothing but what rounding left; w.size of all its terms.
static inline void sim_settle(nsm_sim *s, int z) {
  double size = s->w.size[z] + (fabs(s->now.z[z]) + fabs(s->w.z1[z])), v = s->w.z1[z] + s->w.push[z];
  s->w.z1[z] = sim_is_at_rest(v, size) ? 0 : v;
  s->w.size[z] = size;
  s->w.push[z] = 0;
}
int      sim_is_correction(double change, double force);   // of what rounding left: tiny beside the largest force
int      sim_sticks(const nsm_sim *s, int row);   // a row of friction, by its force
int      sim_is_inside_disk(double force, double radius);   // a force of friction that sticks
void     sim_count_impacts(nsm_sim *s);
nsm_code sim_cone_failed(nsm_sim *s, double t1, nsm_error *e);
// Size of the terms that y + e rate_k of a row was made of, at z and z1.
double sim_row_terms(const nsm_sim *s, int row, double y);

// radau_setup.c: the trial of a piece with the sets of now, whatever comes of it (radau.h)
int      sim_radau_fits(nsm_sim *s, nsm_error *e);
void     sim_radau_analyse(nsm_sim *s);
nsm_code sim_step_radau(nsm_sim *s, double t1, nsm_error *e);
void     sim_radau_accept(nsm_sim *s);

// whole.c
void     sim_whole_analyse(nsm_sim *s, const nsm_settings *set);   // after everything else is prepared
// Up to n steps; how many it did. ends: before one that the generic step takes, at an instant that is due now, or to be
// called again.
enum { SIM_WHOLE_STOPS, SIM_WHOLE_INSTANT, SIM_WHOLE_GOES_ON };
long     sim_whole_run(nsm_sim *s, long n, int *ends);
// What its function is called with: state, constants, and rows of what is recorded or NULL.
void     sim_whole_arrays(nsm_sim *s, double **state, const double **constants, double **rows);
int      sim_whole_records(const nsm_sim *s);             // do whole steps keep the state behind each of them?

// blame.c: finds the kernel that is not finite at the view; writes the message.
nsm_code sim_blame(nsm_sim *s, const nsm_view *v, nsm_error *e);
// escape.c, of a step that failed. 1: a right side jumps with what moves, or something runs off to infinity; what is
// said of it.
int sim_jumps(const nsm_sim *s, char *out, size_t size);
int sim_escapes(const nsm_sim *s, char *out, size_t size);

// galerkin_setup.c, step_galerkin.c: pieces of order 4 and above of the energy-consistent scheme (galerkin.h)
int      sim_galerkin_fits(nsm_sim *s, nsm_error *e);
void     sim_galerkin_analyse(nsm_sim *s);
nsm_code sim_step_galerkin(nsm_sim *s, double t1, nsm_error *e);
double   sim_galerkin_verify(nsm_sim *s, double t1);             // by how much a piece that is to stand breaks its laws
double   sim_galerkin_force(const nsm_sim *s, int row);          // at the end of the piece at hand
double   sim_galerkin_pressed(const nsm_sim *s, int friction);   // likewise what presses it

// flow_setup.c, step_flow.c: pieces of event_driven (flow.h). w.flows: the step at hand is one of sim_step_flow, with
// books of its own; or of sim_instant_settle
enum { SIM_FLOWS_ALONG = 1, SIM_FLOW_SETTLES = 2 };
int      sim_flow_fits(nsm_sim *s, nsm_error *e);
void     sim_flow_analyse(nsm_sim *s);
void     sim_flow_close(nsm_sim *s);
nsm_code sim_step_flow(nsm_sim *s, double t1, nsm_error *e);
void     sim_flow_accept(nsm_sim *s);
void     sim_flow_restored(nsm_sim *s);                          // the state of now is that of another run
void     sim_flow_stale(nsm_sim *s);                             // the motion begins anew
void     sim_flow_give_up(nsm_sim *s);                           // the piece at hand was not found

// instant_settle.c: closed contacts have no rates that an impact left: impulses and velocities into w.l1, w.z1. 0: no
// contact had one
int      sim_instant_settle(nsm_sim *s);

// Pieces with fixed sets whose forces at the end are known: what is watched, and the check of what is to stand.
static inline int sim_has_fixed_sets(const nsm_sim *s) { return s->n.galerkin || s->n.flow; }
double   sim_fixed_force(const nsm_sim *s, int row);
double   sim_fixed_pressed(const nsm_sim *s, int friction);
double   sim_fixed_verify(nsm_sim *s, double t1);
double   sim_flow_force(const nsm_sim *s, int row), sim_flow_pressed(const nsm_sim *s, int friction);
double   sim_flow_gap_error(const nsm_sim *s, int row);          // of a gap, by the tolerances of its terms and places
double   sim_flow_verify(nsm_sim *s, double t1);

// foretell.c: is there a past of steps of this length? x [n] of the next step, of the numbers from `first` on, which
// are predicted together as `of`.
static inline double sim_metric(const double *weight, int inverse, int i) {
  return !weight || !(weight[i] > 0) ? 1 : inverse ? 1 / weight[i] : weight[i];
}
int  sim_foretells(const nsm_sim *s);
void sim_foretell(const nsm_sim *s, int of, int first, int n, double *x);
// The step stands, before now.k counts it: between the two calls its values x; weight [n], where it is positive: of a
// number in the measure of what predictions missed, or NULL; inverse: 1 / weight is.
void sim_past_opens(nsm_sim *s);
void sim_past_of(nsm_sim *s, int of, int first, int n, const double *x, const double *weight, int inverse);
void sim_past_closes(nsm_sim *s);

// step_newton.c: the step stands, what the next one is predicted from
void sim_newton_learn(nsm_sim *s);

// consistent_setup.c
int  sim_consistent_fits(nsm_sim *s, nsm_error *e);                              // may this model be stepped so?
void sim_consistent_analyse(nsm_sim *s);
