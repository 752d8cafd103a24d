// Recorded numbers: a value, and the number of the node of a record that says of which two numbers it was made, and
// with which slopes. From a record derivatives of one result by all that it was made of follow backwards
// [Griewank and Walther 2008, 3.2]. Node 0 is that of constants.
//
// dual.h has this in the place of dual numbers where DUAL_RECORDED is defined (CMakeLists.txt); names of functions that
// are compiled with both are told apart here.
#pragma once
#include <math.h>
#include "traced.h"

// What a number is made by; where a trace is made (trace.h) its node is one of the trace, whose operations are done
// again with other values.
typedef enum {
  MADE_BY_SUM, MADE_BY_DIFFERENCE, MADE_BY_PRODUCT, MADE_BY_QUOTIENT, MADE_BY_ROOT, MADE_OTHERWISE
} made_by;
typedef struct record_node { int of[2]; double by[2]; } record_node;
typedef struct record { record_node *at; int n, room, failed; struct trace *trace; } record;
extern _Thread_local record *record_now;
int  trace_note(struct trace *t, made_by how, double value, const int of[2], const double values[2]);
void trace_guard(struct trace *t, const int of[2], const double values[2]);
int  record_grow(record *r);                                          // room for more; 0: there is none
static inline int record_node_of(int x, double by_x, int z, double by_z) {             // of record_now
  record *r = record_now;
  if (r->n == r->room && !record_grow(r)) return 0;
  r->at[r->n] = (record_node){ { x, z }, { by_x, by_z } };
  return r->n++;
}
void record_sweep(const record *r, double *bar);                      // bar [n]: of what each node was made, added

enum { DUAL_LANES = 1, DUAL_WIDTH = 1 };
typedef struct dual { double a[DUAL_WIDTH]; int node; } dual;

static inline dual dual_of(double x) { return (dual){ { x }, 0 }; }
static inline dual dual_made(made_by how, double y, double by_x, dual x, double by_z, dual z) {
  if (!x.node && !z.node) return dual_of(y);
  if (!record_now->trace) return (dual){ { y }, record_node_of(x.node, by_x, z.node, by_z) };
  return (dual){ { y }, trace_note(record_now->trace, how, y, (int[]){ x.node, z.node },
                                   (double[]){ x.a[0], z.a[0] }) };
}
static inline dual dual_by2(double y, double by_x, dual x, double by_z, dual z) {
  return dual_made(MADE_OTHERWISE, y, by_x, x, by_z, z);
}
static inline dual dual_by(double y, double slope, dual x) { return dual_by2(y, slope, x, 0, dual_of(0)); }
static inline int  dual_is(dual x, double number) { return !x.node && x.a[0] == number; }
static inline dual dual_add(dual x, dual y) {
  if (dual_is(y, 0)) return x;
  if (dual_is(x, 0)) return y;
  return dual_made(MADE_BY_SUM, x.a[0] + y.a[0], 1, x, 1, y);
}
static inline dual dual_sub(dual x, dual y) {
  if (dual_is(y, 0)) return x;
  return dual_made(MADE_BY_DIFFERENCE, x.a[0] - y.a[0], 1, x, -1, y);
}
static inline dual dual_mul(dual x, dual y) {
  if (dual_is(x, 0) || dual_is(y, 0)) return dual_of(0);
  if (dual_is(x, 1)) return y;
  if (dual_is(y, 1)) return x;
  return dual_made(MADE_BY_PRODUCT, x.a[0] * y.a[0], y.a[0], x, x.a[0], y);
}
static inline dual dual_scale(dual x, double by) { return dual_mul(x, dual_of(by)); }
static inline dual dual_div(dual x, dual y) {
  double q = x.a[0] / y.a[0];
  return dual_made(MADE_BY_QUOTIENT, q, 1 / y.a[0], x, -q / y.a[0], y);
}
static inline dual dual_sqrt(dual x) {
  double r = sqrt(x.a[0]);
  return dual_made(MADE_BY_ROOT, r, r > 0 ? 0.5 / r : 0, x, 0, dual_of(0));
}
static inline void dual_more(dual *sum, double by, const dual *x) {
  if (x->node) sum->node = record_node_of(sum->node, 1, x->node, by);
}
static inline int  dual_varies(dual x) { return x.node != 0; }
static inline dual dual_along(dual x, int lane, double by) { (void)lane; (void)by; return x; }
void trace_fails(struct trace *t);
static inline void dual_asks_value(void) { if (record_now->trace) trace_fails(record_now->trace); }
static inline int  dual_above(dual x, dual y) {
  if (record_now->trace) trace_guard(record_now->trace, (int[]){ x.node, y.node }, (double[]){ x.a[0], y.a[0] });
  return x.a[0] > y.a[0];
}

// A kernel with its slopes (compiler/dual/slopes_run.c): which call it is, -1: no memory; then each of its values.
struct dual_view;
struct dual_table;
int  trace_call_begin(struct trace *t, trace_kernel *run, const struct dual_view *v, const struct dual_table *tab,
                      int nvalue, int nslope);
dual trace_call_value(struct trace *t, int call, int value, const trace_slope *by, int n);

#define play_take recorded_play_take
#define play_holds_signals recorded_play_holds_signals
#define play_view recorded_play_view
#define play_kernel recorded_play_kernel
#define play_move recorded_play_move
#define play_add_inertia recorded_play_add_inertia
#define play_points recorded_play_points
#define play_two_points recorded_play_two_points
#define play_unknowns recorded_play_unknowns
#define play_scheme recorded_play_scheme
#define play_add_along recorded_play_add_along
#define play_along recorded_play_along
#define play_add_mass recorded_play_add_mass
#define play_polynomials_of recorded_play_polynomials_of
#define play_polynomial_unknowns recorded_play_polynomial_unknowns
#define play_polynomials_open recorded_play_polynomials_open
#define play_instant_force recorded_play_instant_force
#define play_two_points_unknowns recorded_play_two_points_unknowns
#define play_stages recorded_play_stages
#define play_jump recorded_play_jump
#define play_end recorded_play_end
#define play_means recorded_play_means
#define play_rows recorded_play_rows
#define play_row_laws recorded_play_row_laws
#define play_stops recorded_play_stops
#define play_part recorded_play_part
#define play_coefficients recorded_play_coefficients
#define play_slides recorded_play_slides
#define play_friction_axes recorded_play_friction_axes
#define play_pressed recorded_play_pressed
#define player_open recorded_player_open
#define player_close recorded_player_close
#define player_again recorded_player_again
#define play_column recorded_play_column
#define play_column_refused recorded_play_column_refused
#define play_block recorded_play_block
#define play_past recorded_play_past
#define play_keep_past recorded_play_keep_past
#define play_start_past recorded_play_start_past
#define play_still recorded_play_still
#define play_places recorded_play_places
#define play_reads_impulse recorded_play_reads_impulse
#define play_equations recorded_play_equations
#define play_outputs recorded_play_outputs
#define play_takes_time recorded_play_takes_time
#define play_has_forces recorded_play_has_forces
#define play_at_points recorded_play_at_points
#define dual_kernel_run recorded_dual_kernel_run
#define dual_kernels recorded_dual_kernels
#define dual_kernels_free recorded_dual_kernels_free
#define dual_operation recorded_dual_operation
#define dual_call recorded_dual_call
#define slopes_run recorded_slopes_run
#define dual_slopes recorded_dual_slopes
