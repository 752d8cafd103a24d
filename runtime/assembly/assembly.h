// From kernels to systems: the analysis of a model, and the matrices, rows and islands that schemes solve. Uses the
// ledger's header, cone/, la/ and problems/; nothing here knows a scheme's step.
//
//   setup.c     parameters, sizes, tables of the classes, initial values      address.c  what `fill` calls back
//   loops.c     instances of rows by their indices                            memory.c   everything a run allocates
//   cover.c     every state has its equation, every multiplier its law        messages.c names, and texts of errors
//   matrix.c    sparse matrices by blocks: shapes, factors                    graph.c    orders of small bandwidth
//   assembly.c  W of (4), (9), bordered by constraints                        mass.c     M: is it positive definite?
//   rows.c      B, C, D of (6), (10)                                          rows_couple.c  M_osns of (10)
//   islands.c   (1), island by island                    augmented.c  (1) without W^{-1} B; augmented_verifier.c
//   implied.c   constraints that others imply; pressed.c grips on such
//   friction.c  blocks of friction: their rows, coefficients, natural map     functions.c  what emitted C may call
//   columns.c   names and values of the recorded columns                      dump.c     one-step problems as files
#pragma once
#include "runtime/sim.h"
#include "runtime/shared/joined.h"

// The step of the clock at hand, as messages tell it; now.k counts its pieces.
static inline long sim_step_number(const nsm_sim *s) { return s->now.tick + 1; }

// memory.c: zeroed, 64-byte aligned; leaves by longjmp to nsm_open when there is none
void *sim_take(nsm_sim *s, size_t count, size_t size);
void *sim_take_scratch(nsm_sim *s, size_t bytes);        // the same as it is: whoever reads it has written it
void  sim_release(nsm_sim *s);
#define SIM_NEW(s, count, type) ((type *)sim_take((s), (size_t)(count), sizeof(type)))
void *sim_lend(nsm_sim *s, size_t count, size_t size);   // the same for a while: until sim_give
void  sim_give(nsm_sim *s, void *lent);
#define SIM_LEND(s, count, type) ((type *)sim_lend((s), (size_t)(count), sizeof(type)))
nsm_la_memory sim_la_memory(nsm_sim *s);                 // the same for la/sparse.h
nsm_la_memory sim_la_fixed(nsm_sim *s);                  // that is released with all else: small pieces share blocks
void  sim_no_room(nsm_sim *s);                           // leaves to nsm_open
// Room for `count` things, as it is or larger and then without what was in it; NULL where there is no memory.
void *sim_pool_room(nsm_sim *s, sim_pool *p, size_t count, size_t size);
void *sim_pool_more(nsm_sim *s, sim_pool *p, size_t count, size_t size);   // the same, with what was in it
void  sim_pool_empty(nsm_sim *s, sim_pool *p);

// messages.c
void sim_fail(nsm_error *e, nsm_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
// the same about a place of the model, whose line is shown with it
void sim_fail_at(nsm_error *e, nsm_code code, nsm_place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
nsm_code sim_no_memory(nsm_error *e, const char *for_what);                      // NSM_FILE, with what to do
static inline nsm_place sim_at_class(int cls) { return (nsm_place){ NSM_AT_CLASS, cls, 0 }; }
static inline nsm_place sim_at_parameter(int i) { return (nsm_place){ NSM_AT_PARAMETER, i, 0 }; }
static inline nsm_place sim_at_variable(int i) { return (nsm_place){ NSM_AT_VARIABLE, i, 0 }; }
nsm_place sim_at_z(const nsm_sim *s, int z);      // where the coordinate or state of this unknown is declared
nsm_place sim_at_l(const nsm_sim *s, int l);      // where this multiplier is, or its contact or constraint
static inline nsm_place sim_at_row(const nsm_sim *s, int row) { return sim_at_class(s->n.r.cls[row]); }
// "bead[%].z" with the numbers filled in.
void sim_expand(char *out, size_t size, const char *pattern, const long *index, int nindex);
void sim_element_name(const nsm_sim *s, int var, int element, char *out, size_t size);
void sim_z_name(const nsm_sim *s, int z, char *out, size_t size);                // "bead[3].z'"
void sim_q_name(const nsm_sim *s, int q, char *out, size_t size);
void sim_v_name(const nsm_sim *s, int v, char *out, size_t size);                // what velocity v is of
void sim_l_name(const nsm_sim *s, int l, char *out, size_t size);
// signals.c
int      sim_signals_open(nsm_sim *s, const nsm_settings *set, nsm_error *e);
int      sim_inputs_given(const nsm_sim *s, nsm_error *e); // 0: one has no value
void     sim_signals_forget(nsm_sim *s);   // discrete variables or inputs have other values
void     sim_signals_start(nsm_sim *s);    // the past of delayed quantities is what they are now
void     sim_signals_changed(nsm_sim *s);  // the state has been written
void     sim_signals_keep(nsm_sim *s, int jump);   // the present becomes a part of it; jump: it has another value now
void     sim_d_name(const nsm_sim *s, int d, char *out, size_t size);   // discrete variables
// label with the loop indices of the instance
void sim_instance_name(const nsm_sim *s, int cls, int i, char *out, size_t size);
void sim_row_name(const nsm_sim *s, int row, char *out, size_t size);            // "contact pair[7]"
// "bead[...].z": all of them
void sim_family_name(char *out, size_t size, const char *pattern);
// The same with indices as they were written, which may be out of range or no whole numbers: "u[4]".
void sim_expand_written(char *out, size_t size, const char *pattern, const double *index, int nindex);
int  sim_percents(const char *pattern);
// The variable of this kind (or, with row_kinds, of rows) that an element belongs to; -1: none.
int  sim_variable_of(const nsm_sim *s, int row_kinds, int kind, int element);
int  sim_accepted_note(const nsm_sim *s, char *out, size_t size);    // 0 where no problem missed its tolerance
int  sim_pile_note(const nsm_sim *s, char *out, size_t size);        // 0 where no problem was that of a pile
const char *sim_counted(const nsm_sim *s);              // "steps", or "pieces" where steps were taken in several
int  sim_tolerance_note(const nsm_sim *s, char *out, size_t size);   // 0 where every step reached the tolerance

// setup.c, address.c, cover.c
int  sim_setup(nsm_sim *s, const nsm_settings *set, nsm_error *e);
int  sim_cover(nsm_sim *s, nsm_error *e);

// monotone.c: is D positive semidefinite on these rows, free ones eliminated?
int  sim_rows_monotone(nsm_sim *s, const int *row, int n);
int  sim_is_monotone(double *d, int n, const unsigned char *free_row, unsigned char *done);

// loop.c: "d and s form a loop in which nothing limits the current"; 0: the row is not such a diode
enum { SIM_NO_RESISTANCE = 1, SIM_NO_WAY };
int  sim_unlimited_loop(nsm_sim *s, const int *row, const double *y, int n, char *out, size_t size);

// loops.c: instances of rows by their indices
void sim_loops_record(nsm_sim *s, int level, long lo, long hi);
long sim_loops_count(nsm_sim *s, int cls);
// Number of the instance; -1: there is none, and which index is out of which range.
long sim_loops_find(const nsm_sim *s, int cls, int nidx, const double *idx, int *level, long *lo, long *hi);

// graph.c: reverse Cuthill-McKee within each connected component; components contiguous in `order`, comp[] their
// numbers.
int  sim_rcm(int n, const int *start, const int *neighbour, int *order, int *comp, int *scratch /* [2n] */);
int  sim_bandwidth(int n, const int *start, const int *neighbour, const int *place);

// graph.c: which unknowns a matrix couples, written in two passes over the same edges:
//   sim_graph g = sim_graph_count(s, n);  edges;  sim_graph_fill(s, &g);  the same edges;  sim_graph_close(&g);
// Then neighbour[start[i]] ... neighbour[start[i + 1] - 1] are those of i. Its room is lent.
typedef struct sim_graph { int n, *start, *neighbour; } sim_graph;
sim_graph sim_graph_count(nsm_sim *s, int n);
void      sim_graph_fill(nsm_sim *s, sim_graph *g);
void      sim_graph_close(sim_graph *g);
void      sim_graph_give(nsm_sim *s, sim_graph *g);
static inline void sim_graph_edge(sim_graph *g, int row, int col) {
  if (row == col) return;
  if (g->neighbour) {
    g->neighbour[g->start[row]++] = col;
    g->neighbour[g->start[col]++] = row;
  } else {
    g->start[row + 1]++;
    g->start[col + 1]++;
  }
}

// matrix.c
void sim_matrix_shape(nsm_sim *s, sim_matrix *w, int n, const int *start, const int *neighbour, const int *node);
int  sim_block_factor(nsm_sim *s, sim_matrix *w, int block);                     // -1, or the row of a zero pivot
void sim_block_scale(sim_matrix *w, const sim_block *b, const double *by);       // A_ij := A_ij by_i by_j
double sim_root_metric(double inertia);      // about inertia^(-1/2), a power of two; 1 of what is no inertia
// A sparse block as a band, for its factors: where fronts find no pivots that are good enough. NULL: no memory.
double *sim_block_band(nsm_sim *s, sim_matrix *w, int block);
// [n], lent: nodes for sim_matrix_shape. Row row[j] of the constraints has the unknowns first + j and, where there is a
// second of them (else -1), second + j.
int *sim_nodes(nsm_sim *s, int n, int count, const int *row, int first, int second);
void sim_matrix_solve(const nsm_sim *s, double *x);                              // x := W^{-1} x
void sim_matrix_solve_in(const sim_matrix *w, double *x);                        // the same with any matrix
void sim_block_solve(const sim_matrix *w, int block, double *x);                 // in the block's own order
void sim_block_solve_lanes(const sim_matrix *w, int block, double *const x[NSM_SPARSE_LANES]);   // by fronts

// unknowns.c: which unknowns without inertia the states determine, checked with the constants of now; solved for there
void sim_unknowns_analyse(nsm_sim *s);                                           // after sim_rows_patterns
void sim_unknowns_check(nsm_sim *s);
void sim_unknowns_solve(nsm_sim *s);
int  sim_unknowns_follow(const nsm_sim *s);                                      // all of them

// assembly.c: W, or M for the schemes that have no other part
void sim_assembly_analyse(nsm_sim *s);                                           // after sim_rows_patterns
typedef void sim_each_entry(nsm_sim *s, int row, int col, int *at, void *to);
// Every entry that is added to W, with its place; entries of several statements come several times.
void sim_assembly_entries(nsm_sim *s, sim_each_entry *f, void *to);
// product += W x from the statements' own entries, [w.n]; terms += the sizes of what is summed.
void sim_assembly_multiply(const nsm_sim *s, const double *x, double *product, double *terms);
// W_zz, and what a row's M_ii would be if W were diagonal, D_ii + sum_z C_z B_z/W_zz; where W is kept unfactored.
double sim_assembly_diagonal(const nsm_sim *s, int z);
double sim_assembly_inertia(const nsm_sim *s, int row);
int  sim_matrix_update(nsm_sim *s, int with_constants);  // assembles and factors; -1, or the unknown of a zero pivot
int  sim_matrix_again(nsm_sim *s);                       // factors what is kept; as sim_matrix_update
int  sim_matrix_of_length(nsm_sim *s);                   // the same, with constants, of n.h: where kept, as it was
void sim_matrix_keep(nsm_sim *s);                         // room for that, at the start

// mass.c
void sim_mass_analyse(nsm_sim *s);
int  sim_mass_start(nsm_sim *s, nsm_error *e);  // at the start: 0 and the reason where no motion can have this M
void sim_mass_solve(nsm_sim *s, double *x);     // x [nz]: M^-1 x of the coordinates; states as they are; at the start
int  sim_mass_indefinite(nsm_sim *s);           // with the values in the classes: -1, or the coordinate of a bad pivot
nsm_code sim_mass_failed(nsm_sim *s, double t, int z, nsm_error *e);            // says so

// rows.c
int  sim_rows_patterns(nsm_sim *s, nsm_error *e);                                // B, C, D
void sim_rows_outer(nsm_sim *s, int with_constants);                             // B, C, D from the kernels' outputs
void sim_rows_rates(nsm_sim *s);                                                 // adds moving d rate/d q to C
double sim_velocity_terms(const nsm_sim *s, int row, const double *z);           // size of those of a rate

// weights.c: weights of the classes; with the start values. check: the same where constants are others. begin: by the
// sets of now; 1: matrices are to be made anew. end: the step at hand was not to be had so; 1: it is to be made again.
void sim_rows_weights(nsm_sim *s);
int  sim_is_network(const nsm_sim *s);                    // of nodes, or with equations of its own
void sim_weights_check(nsm_sim *s);
int  sim_weights_begin(nsm_sim *s);
int  sim_weights_end(nsm_sim *s, int failed, double t1);
void sim_weights_accept(nsm_sim *s);                      // the step stands
int  sim_weights_note(const nsm_sim *s, char *out, size_t size);  // what is of order 1, and why; 0: nothing
// The state at t1 - (1 - gamma) h between that at the begin and (q1, z1), with the multipliers l.
nsm_view sim_between(nsm_sim *s, double t1, const double *q1, const double *z1, const double *l);

// rows_couple.c
void sim_rows_analyse(nsm_sim *s);                                               // X, M_osns; after W
void sim_rows_follow(nsm_sim *s);                                                // the active rows have changed
int  sim_rows_columns(nsm_sim *s);   // X and M_osns after all, where augmented.c does not get there; 0: no memory
void sim_rows_couple(nsm_sim *s);                                                // X and M_osns of the active rows
void sim_rows_couple_kept(nsm_sim *s);                                           // M_osns alone, with X as it is
void sim_rows_columns_of(nsm_sim *s, const int *rows, int count);                // columns of X
double sim_rows_inertia(const nsm_sim *s, int at);                               // M_ii, see there
void sim_rows_add_column(const nsm_sim *s, int row, double lambda, double *dz);  // adds X lambda of one row
void sim_rows_motion(const nsm_sim *s, const double *lambda, double *dz);        // adds X lambda of the active rows
void sim_rows_sizes(const nsm_sim *s, const double *lambda, double *size);       // adds the sizes of its terms
// C dz of a row without what d makes of it, dz of the border included; adds the size of its terms
double sim_rows_rate(const nsm_sim *s, int row, const double *dz, double *terms);

extern const double sim_regular;                          // d beside the diagonal of C W^-1 B (assembly.c)

// implied.c: constraints that others imply have no part in a step; the first makes room, the second finds them anew by
// H in the classes, and says how many rows have changed their part
void sim_implied_analyse(nsm_sim *s);
int  sim_implied_find(nsm_sim *s);
int  sim_implied_is_time(const nsm_sim *s);         // to look whether others would be better
int  sim_implied_forget(nsm_sim *s);               // all constraints take part again; how many did not
int  sim_implied_turns(const nsm_sim *s, int z);   // is it a velocity of a turn?
// How near to the others a row is that depends on them: at least 1e-8, more where constraints are missed by more.
// as_many: rows may be exchanged for others, but no more rows take part
void sim_implied_within(nsm_sim *s, double apart, int as_many);
int  sim_implied_shares(const nsm_sim *s, int row); // is its force shared with rows that have no part?
void sim_implied_leave(const nsm_sim *s, double *l);        // l of implied rows := 0
// The multipliers l of constraints, with those of implied rows 0, become the smallest ones that make the same forces.
// Entries of a row's direction, pattern h: sim_row_h of H as the class has it, sim_row_b of what its impulse acts along
typedef const double *sim_directions(const nsm_sim *, int row);
const double *sim_row_h(const nsm_sim *s, int row);
const double *sim_row_b(const nsm_sim *s, int row);
void sim_implied_share(const nsm_sim *s, sim_directions *direction, double *l);
// The same in two parts: shares at the directions of now; the multipliers after that, in place or in a copy. Number i
// of the rows on which that of `row` hangs, and d(its)/d(theirs), 0: there are no more
void sim_implied_place(const nsm_sim *s, sim_directions *direction);
void sim_implied_spread(const nsm_sim *s, double *l);
const double *sim_implied_placed(const nsm_sim *s, const double *l);
int  sim_implied_by(const nsm_sim *s, int row, int i, int *of, double *share);
// What friction is told of the multipliers l: those that are recorded. Of implied rows those of an iterate are 0, and
// as forces that press they would be a choice that nobody made.
const double *sim_implied_forces(const nsm_sim *s, sim_directions *direction, const double *l);
static inline int sim_is_implied(const nsm_sim *s, int row) { return s->now.implied[s->n.r.l[row]]; }

// pressed.c: a row that friction asks how hard it is pressed, and whose force others share; -1: none. `disk`
// [nfriction]: the normal force that l gives to a grip, -1 for all other friction. The one-step problem as
// sim_islands_solve, of such grips under what presses them; `others` [nl]: multipliers of rows that are not in the
// islands
int  sim_pressed_row(const nsm_sim *s);
void sim_pressed_grips(const nsm_sim *s, const double *l, double *disk);
int  sim_pressed_solve(nsm_sim *s, sim_directions *direction, const double *others);

// A rate that decays by a factor in each step ends at 0: below this its products with matrix and multipliers have no
// digits. The one-step problem and the residual of its rows both take it so.
static inline double sim_rate(double rate) { return rate < 1e-250 && rate > -1e-250 ? 0 : rate; }

// Are islands tridiagonal, and solved so?
static inline int sim_solves_chains(const nsm_sim *s) { return s->n.isl.chains && !s->dump && !s->unique; }

// friction.c
int  sim_friction_analyse(nsm_sim *s, nsm_error *e);                             // blocks, coefficients
void sim_friction_follow(nsm_sim *s);  // rows of closed contacts, their multipliers 0
void sim_friction_active(nsm_sim *s);  // rows of closed contacts; rates at the start where e_t needs them
int  sim_friction_moves(const nsm_sim *s, int row);                // a direction of slip whose coefficients move
// Coefficients that move, (8) of friction.md: by the law at a view; the next ones of the one-step problem, where
// `fresh` those of the law. NSM_FAILED where one of a closed contact is negative or not finite at the view.
void sim_friction_law(nsm_sim *s, const nsm_view *v);
void sim_friction_guess(nsm_sim *s, int fresh);
nsm_code sim_friction_sound(nsm_sim *s, const nsm_view *v, nsm_error *e);
int  sim_friction_rows(const nsm_sim *s, int friction, int *row);  // all its rows in order, up to 5; how many
// The impulse that presses, from multipliers l: of a constraint the length of its normal ones; h F of a given force.
double sim_friction_pressed(const nsm_sim *s, int friction, const double *l);
nsm_cone_block sim_friction_block(const nsm_sim *s, int friction, int first);    // as a block of the one-step problem
// The same under a given normal impulse, one block or two; how many.
int sim_friction_under(const nsm_sim *s, int friction, double normal, int first, nsm_cone_block *block);
// lambda [n] of the directions := its nearest point of the disk from lambda - factor/(largest M_ii) u, for the normal
// impulse given.
void sim_friction_prox(const nsm_sim *s, int friction, double normal, const double *u, const double *diagonal,
                       double factor, double *lambda);
// Natural map of the tangential part, relative to the size of its terms: rate u, M_ii and size of terms of the rows,
// impulses from l.
double sim_friction_residual(const nsm_sim *s, int friction, const double *l, const double *u, const double *diagonal,
                             const double *size);

// island.c: one island, whatever scheme it comes from
void   sim_solver_analyse(nsm_sim *s, sim_solver *w, sim_tiny *tiny, int most);  // most: rows of its largest island
size_t sim_cone_room(const nsm_sim *s, int m, size_t nnz, int bandwidth);        // bytes of a workspace
// For islands of up to m rows with nnz entries and that half bandwidth, and for dense ones of up to `dense` rows, with
// the friction of this model.
void  *sim_cone_workspace(nsm_sim *s, int m, size_t nnz, int bandwidth, int dense);
int  sim_friction_parts(const sim_friction *f, sim_disk *part);                         // [2]; how many
const sim_disk *sim_friction_disks(const sim_friction *f, int *n);                      // the same, where they are kept
void sim_friction_axes(const sim_friction *f, double *A);          // [n] lengths of the set along its directions
double sim_disk_gauge(const sim_disk *p, const double *l);                  // the least radius that holds l [n]
void   sim_disk_nearest(const sim_disk *p, double radius, double *l);       // l [n] := nearest, in that frame
// The blocks of friction among the m rows row[at[.]]; how many.
int    sim_island_cones(const nsm_sim *s, const sim_solver *w, const int *row, const int *at, int m,
                        nsm_cone_block *cone);
// k->lambda, k->u; 0 on failure, with w->failed_row and w->result but for corrections. Small ones are dense.
int    sim_island_solve(nsm_sim *s, sim_solver *w, sim_island *k);

// least.c: the answer at hand becomes the one near the smallest impulses, where there are several
void   sim_least(nsm_sim *s, sim_solver *w, const sim_island *k, void *work);

// islands.c: those of the rows that are active, by M_osns
// piles.c
enum { SIM_PILE = 300, SIM_PILE_ENTRIES = 24 };   // contacts with friction; entries of C or X of a row
int  sim_piles_are_asked(const nsm_sim *s);       // large problems have a pile's tolerance
// Of the active rows those that are in no pile stay in `rows`: how many. *behind: the others, pile after pile.
int  sim_piles_find(nsm_sim *s, int *rows, int count, const int **behind);
int  sim_pile_end(const sim_rows *r, int place);  // the place behind the last row of its pile, 0: in none
// The island of p that begins at place `first` in factors; p.m and its cones are known. 0: no room, or no pile.
int  sim_pile_pose(nsm_sim *s, int first, nsm_cone_problem *p, nsm_cone_factors *f);
// slabs.c
// Orders the rows of large piles by slabs, and numbers their unknowns (sim_piles).
void sim_slabs_order(nsm_sim *s, int *list);
// The slabs of the pile at a place: 0, it has none.
int  sim_slabs_of(const nsm_sim *s, int place, int nodes, nsm_cone_factors *f);
void sim_islands_analyse(nsm_sim *s);
void sim_islands_fix(nsm_sim *s);                                                // after the constant M_osns changed
void sim_islands_list(nsm_sim *s);                                               // rows.active -> isl.active
int  sim_island_end(const nsm_sim *s, int first);  // of the island that begins with entry `first` of the list
int  sim_islands_solve(nsm_sim *s);  // isl.q, lo, hi -> isl.lambda, u; 0 on failure

// ---- dump.c ---------------------------------------------------------------------------------------------------------
int  sim_dump_open(nsm_sim *s, const char *folder, nsm_error *e);  // 0 and the reason; folder NULL: nothing to do
const char *sim_dump_folder(const nsm_sim *s);                    // NULL: none
long sim_dump_count(const nsm_sim *s);                            // of the files written; -1: none were asked for
int  sim_dump_failed(const nsm_sim *s, nsm_error *e);                                    // a file could not be written
nsm_cone_status sim_dump_solve(nsm_sim *s, const sim_island *k, void *work, nsm_cone_result *r);

// ---- unique.c: only where s->unique ---------------------------------------------------------------------------------
void sim_unique_open(nsm_sim *s, int wanted);
void sim_unique_begin(nsm_sim *s);                         // another iterate: what was seen is forgotten
void sim_unique_look(nsm_sim *s, const nsm_cone_problem *p, const double *lambda, const int *row, const int *at);
void sim_unique_taken(nsm_sim *s);                         // the step was accepted
long sim_unique_steps(const nsm_sim *s);                   // with several solutions
void sim_unique_report(nsm_sim *s, char *out, size_t size);                // a sentence without a stop

// Every one-step problem of a run goes through here.
static inline nsm_cone_status sim_cone_solve(nsm_sim *s, const sim_island *k, void *work, nsm_cone_result *r) {
  if (__builtin_expect(s->dump != NULL, 0)) return sim_dump_solve(s, k, work, r);
  return nsm_cone_solve(&k->p, &s->w.cone, work, k->lambda, k->u, r);
}

// columns.c: an output or assertion, at the present state
void sim_evaluate_class(nsm_sim *s, int cls, double *value);
void sim_columns_scaled(nsm_sim *s);                     // after the outputs are listed

double sim_next_arrival(const nsm_sim *s, double t1);  // signals.c: the first time before t1 at which a late jump comes
// by_time.c: the next instant of instance i of a block `every`, and of all blocks
double sim_instant_of(const nsm_sim *s, const sim_event *v, int i);
double sim_next_instant(const nsm_sim *s);
// by_time.c: times nearer than this are one for conditions; where a piece ends that would go to t1, the earliest
// instant of conditions of time alone
double sim_instant_tolerance(const nsm_sim *s, double t);
double sim_next_by_time(nsm_sim *s, double t1);
int    sim_inputs_held(const nsm_sim *s);                // signals.c: none of them follows a file
int    sim_inputs_jump(const nsm_sim *s);                // at the present: a row of one that holds its values
double sim_next_row(const nsm_sim *s, double t1);        // signals.c: the first row of an input file before t1, or t1
