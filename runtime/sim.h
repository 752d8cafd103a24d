// The running simulation: what the files of this folder share. Not for other folders (they include nsm_run.h).
//
// The constant model (nsm_model) and the running data are apart. Everything here is allocated by nsm_open from one list
// of blocks and released by nsm_close; in between only pools grow. Fields stand in the order in which they become
// valid.
//
//   tour:  instance.c  open, one step of any length, close: the table of contents of a run
//          clock.c     times of the run: nsm_step            state.c  the state as a value: save, restore, clone
//          setup.c     parameters, sizes, tables of the classes, initial values      address.c  what `fill` calls back
//          loops.c     instances of rows by their indices
//          cover.c     every state has its equation, every multiplier its law
//          matrix.c    sparse matrices by blocks: shapes, factors                graph.c  orders of small bandwidth
//          assembly.c  W of (4), (9), bordered by constraints                    mass.c   M: is it positive definite?
//          rows.c      B, C, D of (6), (10)               rows_couple.c  M_osns of (10)
//          islands.c   (1), island by island              augmented.c  (1) without W^{-1} B, and its judge
//          friction.c  blocks of friction: their rows, coefficients, natural map
//          step_linear.c  one step where all matrices are constant                   step_newton.c  one step else
//          step_midpoint.c  explicit step
//          step_consistent.c  energy-consistent step (consistent.h)          ledger.c  where the energy went
//          columns.c  names and values of the recorded columns                   blame.c  which statement made a nan
//          dump.c      one-step problems as files
#pragma once
#include <setjmp.h>
#include <stdint.h>
#include "nsm_run.h"
#include "runtime/cone/problem.h"
#include "runtime/la/la.h"
#include "runtime/la/sparse.h"

enum { NSM_NEWTON_MAX = 50 };

// The loops of a class of rows, level by level (loops.c).
typedef struct sim_loop_node { long lo, n, below; } sim_loop_node;
typedef struct sim_loop { long n, below; sim_loop_node *node; } sim_loop;
typedef struct sim_loops { int nlevel; sim_loop level[NSM_MOST_INDICES]; } sim_loops;

// A class while it runs: its table, what its kernels gave, and where that goes.
typedef struct sim_class {
  const nsm_class *c;
  nsm_table tab;
  double *mass, *jac, *b, *k, *h;       // [count][n] of the pattern
  double *mcurve, *curve, *rq;          // likewise: d(M dz)/dz, d(H^T p)/dz, d rate/d q
  double *h_mid;                        // constraints with moving H: H at q~, the direction of the impulse; NULL: h
  int    *mass_at, *jac_at, *k_at, *mcurve_at, *curve_at; // [count][n] place in W
  int    *inertia_at;                   // [count][mass.n] place in sim.inertia
  int    *rq_at;                        // [count][rq.n] place in C
  int    *b_at;                         // [count][b.n] place in B
  int    *h_at;                         // [count][h.n] place in C, or ~place in D for multipliers
  int    *h_b_at;                       // [count][h.n] contacts and constraints: place in B, -1 for none
  int     row0;                         // its first row (relations, contacts, constraints); -1 else
  int     friction0;                    // of direction 0: its first block
  sim_loops loops;                      // of rows with a multiplier of their own
} sim_class;

typedef struct sim_var {
  int  base;                            // number of its first element, within its kind
  int  count;
  long lo[NSM_MOST_INDICES], n[NSM_MOST_INDICES];   // of its indices; rows have the loops of their class
} sim_var;

// A diagonal block of W after reordering.
enum { BLOCK_SCALAR, BLOCK_SMALL, BLOCK_DENSE, BLOCK_BAND, BLOCK_TRIDIAGONAL, BLOCK_SPARSE };
typedef struct sim_block {
  nsm_sparse *sparse;                   // its factors by fronts; its unknowns are the rows in their order here
  int  n, first;                        // rows order[first .. first+n)
  int  at;                              // place of its values
  int  reach, ld;                       // half bandwidth; columns of dense and banded ones are so far apart
  short kind, banded;                   // banded: the factors of a sparse one are those of its band
  double *band;                         // [n (3 reach + 1)] for that, once it was needed
} sim_block;

typedef struct sim_matrix {
  int        n, nblock, diagonal;       // diagonal: every block is a scalar
  sim_block *block;
  int       *order, *place, *block_of;  // [n]: order of W, its inverse, block of each z
  int        nval;
  double    *base, *val;                // [nval] sum of the constant parts; current values, then factors
  double    *kept;                      // [nval] current values, where somebody needs them; else NULL
  double    *inverse;                   // [n] scalars: 1/W_ii
  int       *pivot;                     // [n]
  double    *work;                      // [n]
  int        constant;                  // the whole of W is
} sim_matrix;

// A coefficient of friction that depends on what the step is solved for: of the iteration before, what the one-step
// problem had and what the law then gave; between which values they meet.
typedef struct sim_guess { double used, law, lo, hi, width, reach; int known, slow; } sim_guess;

// Friction of one contact or constraint: its rows are neighbours in the one-step problem, the normal ones first.
typedef struct sim_friction {
  nsm_cone_type type;
  int    normals, normal[3];  // normal rows; none (0, and normal[0] = -1) under a given normal force
  int    n, row[3];           // the rows of the n directions of slip
  double mu, mu2, radius;               // in the one-step problem; DISK: radius is a force, times h an impulse
  double at[3];                         // by the law at the iterate; the same where they are constant
  sim_guess guess[3];
} sim_friction;

// Room that grows, in rare cases while the run goes on: where many more contacts are closed than ever before.
typedef struct sim_pool { void *at; size_t bytes; } sim_pool;
enum {
  SIM_XZ, SIM_X, SIM_K0, SIM_KS, SIM_KX, SIM_START, SIM_NEIGHBOUR, SIM_SCRATCH, SIM_ORDER, SIM_MC, SIM_M, SIM_ROWS,
  SIM_LAST, SIM_SEAT, SIM_POOLS
};

typedef struct sim_rows {
  int     n;
  int    *l, *cls;                      // [n] number of its multiplier; its class
  int    *of_l;                         // [nl] row of a multiplier
  double *lo, *hi, *e, *rate0, *y;      // [n] law; restitution; rate at the start of the step; output or rate
  double *gap;                          // [n] at the start of the step
  double *terms;                        // [n] size of the terms of the gap
  double *drift;                        // [n] mean of the rate that is there at rest, of a moving partner (ledger.c)
  unsigned char *active;                // [n]
  int           nfriction;
  sim_friction *friction;               // [nfriction]
  double       *coefficients;           // [3 largest count of a class of them]
  int          *friction_of;            // [n] its number, -1 for other rows
  // B [nz, n] by columns, C [n, nz] and D [n, n] by rows, X = W^{-1} B by columns: start, index, value
  int    *b0, *bz, *c0, *cz, *d0, *ds, *x0, *xz, *bx;  // bx: place in X of an entry of B
  double *b, *c, *d, *x;
  int    *z0, *zs, *zx;                 // rows of X: for each z the rows s and places in x; NULL where X follows
  int    *k0, *ks, *kx;                 // the same, where M_osns follows of the active rows only
  // M_osns [n, n] in the order `row_at`, compressed rows
  int    *row_at, *at_row;              // [n] order and its inverse
  int    *m0, *mc, *mark, *diagonal;    // diagonal: place of M_ii in m
  double *m;
  // rows_couple.c: patterns are those of the active rows; those they were made for, and whether they could be made
  int     x_follows, m_follows, made, no_room;
  unsigned char *made_for;              // [n]
  sim_pool pool[SIM_POOLS];
  struct sim_augmented *augmented;      // augmented.c; NULL: not for this model
  int     whole;                        // it solves the problem at hand: there are no X and M_osns
  int     constant;                     // B, C, D and W are
  int     always;                       // every row is active in every step
  int     bandwidth;
  // rows of constraints that are eliminated with W and never active in the one-step problem (assembly.c)
  int     nborder;
  int    *border, *border_of;           // [nborder] row; [n] its number, -1 for the others
  int    *border_b_at, *border_c_at;    // [entries of B, C] place in W
} sim_rows;

enum { SIM_TINY = 5, SIM_TINY_BLOCKS = 8 };  // islands up to this size (the second: with friction) are dense, with a
                                             // workspace per size

typedef struct sim_islands {
  int            nactive;
  int           *active, *index;        // [n] places (in row_at) of the active rows; inverse
  double        *q, *lo, *hi, *lambda, *u;
  double        *terms;                 // sizes of the terms of q
  void          *tiny_work[SIM_TINY_BLOCKS + 1];
  double        *dense;                 // [cap*cap]
  int            dense_cap;             // islands of up to this many rows are passed dense
  int           *row_start, *col;
  double        *val;
  void          *work;
  sim_pool       room[5];               // of the five above and of take_columns, where the patterns follow
  nsm_cone_block *cone;                 // [nfriction] blocks of the island at hand
  int            tiny_most;
  unsigned char *zero;                  // [n] the law makes the rate 0 (closed.c)
  double        *kept;                  // [n] u before a refinement
  int            plain;                 // rows are intervals, friction too
  const double  *disk;  // [nfriction] or NULL: friction is limited by these impulses, whatever the normal rows have
  int            failed_row;            // after a failure
  char           why[512];              // there is no solution, in words
  nsm_cone_result result;
  // islands that never change, with their own factors
  int            nfixed;
  uint64_t       fixes;                 // how often their matrices were made: the id of all of them
  struct sim_fixed { int first, m; nsm_cone_problem p; nsm_cone_block *cone; void *work; } *fixed;
} sim_islands;

// Where the energy went, docs/numerics/consistent.md (15). Work of forces; losses (>= 0) at dampers and contacts.
typedef struct sim_ledger {
  int    on;
  double kinetic, potential;            // now
  double initial, drift, gain;          // energy at the start, largest |E - E0|, largest rise in one step
  double forces, dampers, contacts;     // totals
  double residue, residue_now, residue_sum; // largest |residue| of a step, of the last step, of all
  double friction;                      // of the contacts' loss
  double loss, loss_friction, drive;    // at impacts, by friction, work of moving partners (a belt) in the step under
                                        // construction
} sim_ledger;

typedef struct sim_list { int n; int *of; } sim_list;    // numbers of classes

// Where the residual of a group of unknowns and laws changes its direction along the last step.
typedef struct sim_turn { double psi, start, a, b, fa, fb, at; int turns, side, up; } sim_turn;

// A simulation has four parts. What each holds, and from when on it is valid:
//
//   analysis  a    made by nsm_open, constant afterwards: tables, sizes, lists of classes, the experiment and options
//   state     now  all that one step hands to the next (state.def, state.c): copied, saved, restored, bit for bit
//   numbers   n    what follows from the analysis for one step h, and is made anew where h or the iterate moves it:
//                  matrices with their shapes and factors, rows, islands; nothing of it has to be kept with a state
//   work      w    scratch of one thread within one step; each array has one meaning
typedef struct sim_analysis {
  const nsm_model *m;
  double   *p;                          // parameters
  sim_var  *var;
  sim_class *cls;
  int       nq, nx, nz, nl, ndeclared;

  // experiment (runtime/clock.c) and the scheme's parameters
  double start, until, step, theta, gamma;
  long   full, total;                   // full steps, and all (one more where the last one is shorter)
  double tolerance;
  nsm_settings settings;                // as given, copied: nsm_clone opens with them again
  double *q_start, *z_start;
  const double *zero, *zero_l;          // [nz], [nl + 1]

  // phases: the classes that take part
  struct {
    sim_list smooth, f_moving, g, mass, mass_moving, jac, jac_moving, k, k_moving, b, b_moving, energy, mcurve,
             row, relation, contact, constraint, friction, mu, h_moving, mid, law, law_moving, rq, rq_moving,
             curve, contact_curve, compliant, output, assertion;  // curve: those whose curves belong to W (assembly.c)
  } on;
  int     linear;                       // step_linear applies
  int     one_iteration;                // else: step_newton, exact after one iteration
  int     ncolumn;
  char    note[512];                    // what a person should know about the start; "" for nothing
} sim_analysis;

// The last matrix of each size that islands of few rows had: the same problem again keeps its factors and its last
// answer (islands.c, consistent_contacts.c).
typedef struct sim_tiny {
  uint64_t       next_id, id[SIM_TINY_BLOCKS + 1];         // id 0: none
  double         matrix[SIM_TINY_BLOCKS + 1][SIM_TINY_BLOCKS * SIM_TINY_BLOCKS];
  nsm_cone_block cone[SIM_TINY_BLOCKS + 1][SIM_TINY_BLOCKS];
  int            cones[SIM_TINY_BLOCKS + 1];
} sim_tiny;

// Numbers first, then the arrays that state.def lists; both are what nsm_save writes.
typedef struct sim_state {
  double  t, h;                         // h: of the last step, or of the first one to come
  long    k;                            // steps done
  long    tick;                         // times of the clock that were reached; the present one lies between two
  int     between;                      // (clock.c)
  int     holds;                        // any of `held` is not 0
  double  extent;                       // largest |q| + h |v| (closed.c)
  double  off[2];                       // step_newton.c: how far no change and the same change as before were off
  sim_ledger   ledger;
  nsm_counters count;
  double  worst_time;                   // of count.worst_residual
  int     worst_at;                     // its row: z, or nz + row
  struct {                              // energy-consistent schemes
    double off[3], cost[2];             // how far constant [1] and extrapolated [2] changes were off; iterations with
                                        // either start
    double made_for;                    // the step that K of r1_most was made for, where it is constant
    long   projections;                 // steps (2.72), in all
    int    redundant;                   // dependent constraints were met in a step that stands
  } con;
#define SIM_STATE(type, name, count, what) type *name;
#include "state.def"
#undef SIM_STATE
} sim_state;

typedef struct sim_numbers {
  double  h;                            // the step that W, B, C, X and M_osns were made for
  double *f_constant;                   // [nz + rows]
  double *dz_constant;                  // [nz + rows] W^{-1} h f where f is constant
  double  terms, reach;                 // largest terms of a gap, sum |H| at the start (closed.c)
  sim_matrix  w;                        // [nz + r.nborder]
  sim_matrix  inertia;                  // [nq] M by itself (mass.c)
  double     *inertia_start;            // [nq] M_ii at the start
  int         inertia_factored;         // its values are factors, made while the start values were mended
  sim_rows    r;
  sim_islands isl;
  struct sim_consistent *con;           // energy-consistent schemes only
} sim_numbers;

typedef struct sim_work {
  nsm_cone_options cone;                // of the solve under way: `warm` and `once` are set for each
  double *q1, *z1, *l1;                 // [nq] [nz] [nl + 1] the state under construction
  double *q1_low, *z1_low;              // [nz] as q_low, z_low
  int     frozen;                       // step_newton: this attempt leaves the derivatives of M, H and the rates out
  long    terms_of;                     // step whose terms r.terms has of the class terms_class (closed.c)
  int     terms_class;
  // scratch [nz], rhs and dz [nz + r.n], or [nq]
  double *f0, *f1, *g0, *s, *rhs, *dz, *res, *scale, *qm, *zm, *za, *la, *ztry, *ltry;
  double *drive;                        // [nz] size of what multipliers do to z; step_newton.c
  double *inc, *round, *diag, *size;    // [nz] z1 - z; round-off of terms as multiples of eps; M_ii; step_newton.c
  double *before, *top;                 // [nz + r.n] R, natural maps and their sizes one iteration ago
  sim_turn *turn;                       // [w.nblock + r.n]
  double *out;                          // [largest count of an output class]
  char    name[512];
} sim_work;

struct nsm_sim {
  sim_analysis *a;
  sim_state     now;
  sim_numbers   n;
  sim_work      w;
  struct sim_dump *dump;                // --dump-problems; NULL without
  // while it is opened (memory.c, address.c)
  struct sim_memory *memory;
  size_t     taken;
  jmp_buf    no_memory;
  nsm_error *setup_error;               // while filling
  int        fill_failed, filling;      // filling: the class under way
};

// Schemes that step two-point kernels.
static inline int sim_is_consistent(const nsm_model *m) {
  return m->scheme == NSM_SCHEME_CONSISTENT || m->scheme == NSM_SCHEME_CONSISTENT1 ||
         m->scheme == NSM_SCHEME_CONSISTENT_EXPLICIT_MASS;
}
static inline const char *sim_text(const nsm_sim *s, int at) { return (const char *)s->a->m->text + at; }
static inline nsm_view sim_view(const nsm_sim *s, double t, const double *q, const double *z, const double *l) {
  return (nsm_view){ .t = t, .q = q, .v = z, .x = z + s->a->nq, .l = l, .t0 = t, .q0 = q, .v0 = z,
                     .dq = s->a->zero, .dv = s->a->zero, .dx = s->a->zero };
}
static inline nsm_view sim_now(const nsm_sim *s) { return sim_view(s, s->now.t, s->now.q, s->now.z, s->now.l); }
// Rows with an impulse of their own, H^T p.
static inline int sim_contactlike(const nsm_class *c) {
  return c->kind == NSM_CONTACT || c->kind == NSM_CONSTRAINT || c->kind == NSM_FRICTION;
}
// Rows that act only where a contact is closed (those of friction on a constraint or under a given force are always
// active too)
static inline int sim_opens(const nsm_class *c) { return c->kind == NSM_CONTACT || c->kind == NSM_FRICTION; }
// Number of z = (v, x) that slot `slot` of instance i stands for.
static inline int sim_z_of(const nsm_sim *s, const sim_class *k, int i, int slot) {
  int ix = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)slot];
  return k->c->slot[slot] == NSM_SLOT_X ? s->a->nq + ix : ix;
}
// How an entry of a Jacobian enters d/dz: q depends on v through q = q_k + h (theta v + (1-theta) v_k), (8).
static inline double sim_chain(const nsm_sim *s, int wrt) { return wrt == NSM_WRT_Q ? s->n.h * s->a->theta : 1.0; }

// Place in w->val of an entry; both in the same block.
static inline int sim_matrix_place(const sim_matrix *w, int row, int col) {
  const sim_block *b = &w->block[w->block_of[row]];
  int i = w->place[row] - b->first, j = w->place[col] - b->first;
  if (b->kind == BLOCK_SPARSE) return b->at + (int)nsm_sparse_place(b->sparse, i, j);
  int banded = b->kind == BLOCK_BAND || b->kind == BLOCK_TRIDIAGONAL;
  return b->at + (banded ? (int)nsm_la_band_index(b->reach, b->reach, b->ld, i, j) : i + j * b->ld);
}

// memory.c: zeroed, 64-byte aligned; leaves by longjmp to nsm_open when there is none
void *sim_take(nsm_sim *s, size_t count, size_t size);
void  sim_release(nsm_sim *s);
#define SIM_NEW(s, count, type) ((type *)sim_take((s), (size_t)(count), sizeof(type)))
void *sim_lend(nsm_sim *s, size_t count, size_t size);   // the same for a while: until sim_give
void  sim_give(nsm_sim *s, void *lent);
#define SIM_LEND(s, count, type) ((type *)sim_lend((s), (size_t)(count), sizeof(type)))
nsm_la_memory sim_la_memory(nsm_sim *s);                 // the same for la/sparse.h
void  sim_no_room(nsm_sim *s);                           // leaves to nsm_open

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
void sim_l_name(const nsm_sim *s, int l, char *out, size_t size);
// label with the loop indices of the instance
void sim_instance_name(const nsm_sim *s, int cls, int i, char *out, size_t size);
void sim_row_name(const nsm_sim *s, int row, char *out, size_t size);            // "contact pair[7]"
// "bead[...].z": all of them
void sim_family_name(char *out, size_t size, const char *pattern);
// The same with indices as they were written, which may be out of range or no whole numbers: "u[4]".
void sim_expand_written(char *out, size_t size, const char *pattern, const double *index, int nindex);
int  sim_percents(const char *pattern);
int  sim_tolerance_note(const nsm_sim *s, char *out, size_t size);   // 0 where every step reached the tolerance

// state.c
void sim_state_take(nsm_sim *s);                // room for the arrays of state.def
void sim_state_clear(nsm_sim *s);               // everything 0, as before the first step; nothing is remembered
void sim_work_clear(nsm_sim *s);                // what a step that was broken off, or another state, left in the work

// setup.c, address.c, cover.c
int  sim_setup(nsm_sim *s, const nsm_settings *set, nsm_error *e);
int  sim_cover(nsm_sim *s, nsm_error *e);

// loops.c: instances of rows by their indices
void sim_loops_record(nsm_sim *s, int level, long lo, long hi);
long sim_loops_count(nsm_sim *s, int cls, const nsm_setup_view *g);
// Number of the instance; -1: there is none, and which index is out of which range.
long sim_loops_find(const nsm_sim *s, int cls, int nidx, const double *idx, int *level, long *lo, long *hi);

// graph.c: reverse Cuthill-McKee within each connected component; components contiguous in `order`, comp[] their
// numbers.
int  sim_rcm(int n, const int *start, const int *neighbour, int *order, int *comp, int *scratch /* [2n] */);
int  sim_bandwidth(int n, const int *start, const int *neighbour, const int *place);

// matrix.c
void sim_matrix_shape(nsm_sim *s, sim_matrix *w, int n, const int *start, const int *neighbour, const int *node);
int  sim_block_factor(nsm_sim *s, sim_matrix *w, int block);                     // -1, or the row of a zero pivot
// A sparse block as a band, for its factors: where fronts find no pivots that are good enough. NULL: no memory.
double *sim_block_band(nsm_sim *s, sim_matrix *w, int block);
// [n], lent: nodes for sim_matrix_shape. Row row[j] of the constraints has the unknowns first + j and, where there is a
// second of them (else -1), second + j.
int *sim_nodes(nsm_sim *s, int n, int count, const int *row, int first, int second);
void sim_matrix_solve(const nsm_sim *s, double *x);                              // x := W^{-1} x
void sim_matrix_solve_in(const sim_matrix *w, double *x);                        // the same with any matrix
void sim_block_solve(const sim_matrix *w, int block, double *x);                 // in the block's own order

// assembly.c: W, or M for the schemes that have no other part
void sim_assembly_analyse(nsm_sim *s);                                           // after sim_rows_patterns
typedef void sim_each_entry(nsm_sim *s, int row, int col, int *at, void *to);
// Every entry that is added to W, with its place; entries of several statements come several times.
void sim_assembly_entries(nsm_sim *s, sim_each_entry *f, void *to);
// product += W x from the statements' own entries, [w.n]; terms += the sizes of what is summed.
void sim_assembly_multiply(const nsm_sim *s, const double *x, double *product, double *terms);
int  sim_matrix_update(nsm_sim *s, int with_constants);  // assembles and factors; -1, or the unknown of a zero pivot

// mass.c
void sim_mass_analyse(nsm_sim *s);
int  sim_mass_start(nsm_sim *s, nsm_error *e);  // at the start: 0 and the reason where no motion can have this M
void sim_mass_solve(nsm_sim *s, double *x);     // x [nz]: M^-1 x of the coordinates; states as they are; at the start
int  sim_mass_indefinite(nsm_sim *s);           // with the values in the classes: -1, or the coordinate of a bad pivot
nsm_code sim_mass_failed(nsm_sim *s, double t, int z, nsm_error *e);            // says so

// Room for `count` things, as it is or larger and then without what was in it; NULL where there is no memory.
void *sim_pool_room(nsm_sim *s, sim_pool *p, size_t count, size_t size);
void *sim_pool_more(nsm_sim *s, sim_pool *p, size_t count, size_t size);   // the same, with what was in it
void  sim_pool_empty(nsm_sim *s, sim_pool *p);

// rows.c
int  sim_rows_patterns(nsm_sim *s, nsm_error *e);                                // B, C, D
void sim_rows_outer(nsm_sim *s, int with_constants);                             // B, C, D from the kernels' outputs
void sim_rows_rates(nsm_sim *s);                                                 // adds moving d rate/d q to C

// rows_couple.c
void sim_rows_analyse(nsm_sim *s);                                               // X, M_osns; after W
void sim_rows_follow(nsm_sim *s);                                                // the active rows have changed
int  sim_rows_columns(nsm_sim *s);   // X and M_osns after all, where augmented.c does not get there; 0: no memory
void sim_rows_couple(nsm_sim *s);                                                // X and M_osns of the active rows
void sim_rows_column(nsm_sim *s, int row);                                       // column of X
double sim_rows_inertia(const nsm_sim *s, int at);                               // M_ii, see there
void sim_rows_motion(const nsm_sim *s, const double *lambda, double *dz);        // adds X lambda of the active rows
void sim_rows_sizes(const nsm_sim *s, const double *lambda, double *size);       // adds the sizes of its terms

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
int  sim_friction_rows(const nsm_sim *s, int friction, int *row);  // all its rows in order, up to 4; how many
// The force that presses, from multipliers l: of a constraint the length of its normal forces. 0 under a given force.
double sim_friction_pressed(const nsm_sim *s, int friction, const double *l);
nsm_cone_block sim_friction_block(const nsm_sim *s, int friction, int first);    // as a block of the one-step problem
// lambda [n] of the directions := its nearest point of the disk from lambda - factor/(largest M_ii) u, for the normal
// impulse given.
void sim_friction_prox(const nsm_sim *s, int friction, double normal, const double *u, const double *diagonal,
                       double factor, double *lambda);
// Natural map of the tangential part, relative to the size of its terms: rate u, M_ii and size of terms of the rows,
// impulses from l.
double sim_friction_residual(const nsm_sim *s, int friction, const double *l, const double *u, const double *diagonal,
                             const double *size);

// islands.c
void sim_tiny_notice(sim_tiny *t, int m, const double *M, const nsm_cone_block *cone, int cones);
void sim_tiny_forget(sim_tiny *t);
void sim_islands_analyse(nsm_sim *s);
void sim_islands_fix(nsm_sim *s);                                                // after the constant M_osns changed
void sim_islands_list(nsm_sim *s);                                               // rows.active -> isl.active
// For islands of up to m rows with nnz entries and that half bandwidth, and for dense ones of up to `dense` rows, with
// the friction of this model.
void *sim_cone_workspace(nsm_sim *s, int m, size_t nnz, int bandwidth, int dense);
int  sim_same_cones(const nsm_cone_block *a, const nsm_cone_block *b, int n);
int  sim_islands_solve(nsm_sim *s);  // isl.q, lo, hi -> isl.lambda, u; 0 on failure

// ---- dump.c ---------------------------------------------------------------------------------------------------------
int  sim_dump_open(nsm_sim *s, const char *folder, nsm_error *e);  // 0 and the reason; folder NULL: nothing to do
int  sim_dump_failed(const nsm_sim *s, nsm_error *e);                                    // a file could not be written
nsm_cone_status sim_dump_solve(nsm_sim *s, const nsm_cone_problem *p, void *work, double *lambda, double *u,
                               nsm_cone_result *r, const int *row, const int *at);

// Every one-step problem of a run goes through here; row i of it is row[at[i]] of the simulation.
static inline nsm_cone_status sim_cone_solve(nsm_sim *s, const nsm_cone_problem *p, void *work, double *lambda,
                                             double *u, nsm_cone_result *r, const int *row, const int *at) {
  if (__builtin_expect(s->dump != NULL, 0)) return sim_dump_solve(s, p, work, lambda, u, r, row, at);
  return nsm_cone_solve(p, &s->w.cone, work, lambda, u, r);
}

// A correction of what rounding left (closed.c, consistent_rest.c): a linear system, or, where M is singular, its
// solution near 0. It is no problem of the model and is not written by --dump-problems.
nsm_cone_status sim_cone_correct(nsm_sim *s, const nsm_cone_problem *p, void *work, double *lambda, double *u,
                                 nsm_cone_result *r);

// step_linear.c, step_newton.c: from (q,z,l) to (q1,z1,l1) at t1; NSM_OK or NSM_FAILED
nsm_code sim_step_linear(nsm_sim *s, double t1, nsm_error *e);
nsm_code sim_step_newton(nsm_sim *s, double t1, nsm_error *e);
nsm_code sim_step_midpoint(nsm_sim *s, double t1, nsm_error *e);
int      sim_midpoint_fits(nsm_sim *s, nsm_error *e);                            // may this model be stepped so?
nsm_code sim_step_consistent(nsm_sim *s, double t1, nsm_error *e);
void     sim_active_set(nsm_sim *s);                                             // gap, rate0, active
// closed.c
void     sim_closed_start(nsm_sim *s);
void     sim_close(nsm_sim *s, double lead);   // gap, rate0 -> active, for moreau and midpoint
void     sim_hold(nsm_sim *s);    // after a step of moreau or midpoint: what holds its contacts closed
double   sim_nearly_closed(nsm_sim *s);     // above this no round-off reaches
void     sim_gap_terms(nsm_sim *s, const sim_class *k, const nsm_view *v);   // into r.terms, of k's rows
int      sim_closed_by_round_off(nsm_sim *s, const sim_class *k, int i, double a);
void     sim_refine(nsm_sim *s, double t, const double *q, double share);
int      sim_is_at_rest(double v, double size);   // v is what rounding left of terms of this size
int      sim_is_correction(double change, double force);   // of what rounding left: tiny beside the largest force
int      sim_sticks(const nsm_sim *s, int row);   // a row of friction, by its force
void     sim_evaluate_constants(nsm_sim *s);                                     // all kernels whose stage is constant
void     sim_count_impacts(nsm_sim *s);
nsm_code sim_cone_failed(nsm_sim *s, double t1, nsm_error *e);
// Why the problem that `work` solved last has no solution: a->why, the row that weighs most; -1 for none. Row i of the
// problem is row[at[i]].
int sim_cone_explain(nsm_sim *s, const nsm_cone_problem *p, const void *work, const int *row, const int *at);
// Size of the terms that y + e rate_k of a row was made of, at z and z1.
double sim_row_terms(const nsm_sim *s, int row, double y);

// blame.c: finds the kernel that is not finite at the view; writes the message.
nsm_code sim_blame(nsm_sim *s, const nsm_view *v, nsm_error *e);

// consistent_setup.c
int  sim_consistent_fits(nsm_sim *s, nsm_error *e);                              // may this model be stepped so?
void sim_consistent_analyse(nsm_sim *s);

// start.c: initial values that the laws do not allow are moved (project: however far off), or refused: 0
int  sim_start(nsm_sim *s, int project, nsm_error *e);
void sim_note_solutions(nsm_sim *s);            // start_unique.c: relations with several solutions, into s->a->note
const char *sim_scheme_name(int scheme);                                         // messages.c; NULL beyond the last

// ledger.c
void sim_ledger_start(nsm_sim *s);
double sim_ledger_book(nsm_sim *s, int row, double loss);                        // adds it to the row's; returns it
void sim_ledger_impulses(nsm_sim *s);  // loss at contacts from impulses and rates
// what potentials that change with time put in
double sim_driven(const nsm_sim *s, double t0, const double *q0, double t1, const double *q1);
void sim_ledger_step(nsm_sim *s);                                                // after a step: q1, z1 hold its begin

// columns.c
void sim_energy(const nsm_sim *s, double *kinetic, double *potential);
void sim_evaluate_class(nsm_sim *s, int cls, double *value);  // an output or assertion, at the present state

// instance.c: everything that depends on the step h; 0 where W is singular
int  sim_prepare(nsm_sim *s, double h, nsm_error *e);
// One step from the present time to t1 by the scheme; h: its length, any; t1 = t + h up to round-off (clock.c knows its
// times better). On NSM_FAILED the state is that before it.
nsm_code sim_advance(nsm_sim *s, double h, double t1, nsm_error *e);

double sim_clock_first(const nsm_sim *s);       // clock.c: length of the first step
