// The energy-consistent schemes: what their files share. docs/numerics/consistent.md has the equations; numbers in
// comments are its own.
//
//   step_consistent.c      one step: impact (1), then the motion (2)-(6)
//   consistent_implied.c   the motion without the constraints that others imply
//   consistent_newton.c    the motion: Newton's method           consistent_failed.c  what is said where a step fails
//   consistent_residual.c  its residuals, and what they are measured by
//   consistent_means.c     the mean of H of constraints on bodies
//   consistent_light.c     the inertia of light bodies that are held
//   consistent_matrix.c    the Jacobian of the smooth rows, K of (11), its factors
//   consistent_entries.c   its entries, as they are added up
//   consistent_near.c      the motion of bodies on joints with a matrix near to K, which consistent_near_matrix.c makes
//   consistent_contacts.c  closed contacts: the one-step problem (13) with K^{-1} inside
//   consistent_settle.c    friction at the end of the step         consistent_rest.c  what is at rest is exactly so
//   consistent_slow.c      what helps where the iteration is slow   consistent_still.c  a step in which nothing moves
//   consistent_energy.c    its works and losses
//   consistent_setup.c     checks, sizes, graph of K
#pragma once
#include "josephy_newton.h"

// Contacts up to which (13) is always dense. Rows up to which a block of dependent constraints gets its pseudo-inverse,
// and so the smallest forces; its time is that of n^3.
enum { DENSE_ISLAND = 40, PSEUDO_MOST = 400 };
enum { CON_STAYS = 1, CON_IS_OFF = 2 };  // more than round-off is left of a displacement that is 0
enum { MOST_KEPT = 1 << 22 };           // entries of columns K^{-1} B that are kept of contacts that have opened

// A class' outputs of its two-point kernels.
typedef struct con_class {
  double *cjac, *dg, *dr, *rq, *curve, *gq;   // [count][n] of the pattern
  double *dg_before;                     // dg of the iterate before, where the iteration is slow
  double *mass0;                         // M(q_B)
  double *hm;                            // [count][h.n] mean of H of the iterate; NULL: P has H(q_B)
  int *hm_z, *x_at;                      // [count][h.n] its velocity; its place in the row's column of P
} con_class;

// Unknowns of K: u [nv], lambda [ns], kappa [ns]. Its rows: momentum [nv], rates [ns], gaps [ns] of the constraints.
struct sim_consistent {
  int        ns, n;                      // rows of constraints; n = nv + 2 ns
  int       *row, *of;                   // [ns] row of a constraint; [r.n] number of a row, -1 for contacts
  con_class *cls;
  double    *uc, *uc_low;                // [nv] velocity after the impact, and what rounding took from it
  double    *inc_q, *inc_u;              // [nv] increments of the motion: q_E - q_B and u_E - u_C of the iterate
  double    *pushed;                     // [w.n] P kappa of rows with a mean of H
  double     unseen;                     // by how much iterates have moved since the means of H were taken
  int        means;                      // how many rows have one
  double    *kappa1;                     // [nl] at the end of the step; now.kappa at its begin
  int        moves_on;                   // l1 is of an impact and the motion after it; 0: of an impact alone
  int        settles;                    // the impact at hand is that of sim_instant_settle
  double    *newest;                     // [nv + nl] room of what the next steps are predicted from
  int        placed;                     // q1 of this step was written before
  int        moves;                      // the start values in use: 0 velocities stay, 1 they change as before
  double    *res, *dz;                   // [n] residual, Newton step; size of its terms: now.r1_size
  double    *dq;                         // [nv] of the Newton step
  double    *fresh;                      // [nv] sum of |d R1/d(q, u)| |(q, u)| of the last matrix; the largest of the
                                         // iteration is now.r1_most, so that residuals of its iterates can be compared
  double    *size, *speed;               // [nv] what momentum rows and displacements of the iterate are measured by
  double    *hold;                       // [nv + 2 ns] for sim_held_sizes
  double    *try_u, *try_l, *try_k;      // iterate before the last step: inc_u, multipliers
  double    *gap;                        // [r.n] its change in the step, Dg inc_q; of friction the slip in the step
  double    *back;                       // [ns] gap of a constraint at the begin, where that is more than round-off
  double    *drift;  // [r.n] friction: the part of the slip in the step that is not due to velocities (a belt)
  int        brief;                      // problems of an iterate need not be solved: in the first attempt at a pile
  double     sharper;                    // factor of what is enough of an iterate's problem: where they fall slowly
  int        stuck;                      // iterations in a row that have led nowhere
  // [r.n] contacts with a driven body: its part of the rate at both ends, of the slip in the step, and of the gap's
  // change in the step, d_A . xi_A; 0 of others
  double    *drive_begin, *drive_end, *drive_way, *moved;
  double    *creep;                      // [r.n] change of the contacts' forces in the last iteration
  unsigned char *freeze;                 // [r.n] its direction is that of the begin of the step, (6a)
  int        frozen;                     // how many
  double    *disk, *slip, *start;        // [nfriction] normal impulses of consistent_settle.c and of grips; [r.n]
                                         // rates at the end, impulses it starts from
  double    *pressed;                    // [nfriction] normal impulses of the last motion, which limited its friction
  unsigned char *ended;                  // [r.n] its law was made to hold for the velocity at the end of the last step
  unsigned char *off, *wants;            // consistent_settle.c: [nfriction] off its law at the end; [blocks of M] of an
  int       *link;                       // island with such a contact; [blocks of M] which hang together
  double    *mass_inverse;               // [nv] 1/M_ii at the start
  double    *held_inverse;               // [nv] with what light bodies take along (consistent_light.c)
  int        *body_of, light;            // [nv] number of its body in space, 0: of none; some may be light

  struct con_near *near;                 // consistent_near.c; NULL: not for this model

  sim_matrix k;
  struct con_entries *entries;           // of it, while they are added up (consistent_entries.c)
  unsigned char *constrained, *inverted; // [nblock] has rows of constraints; holds an inverse or pseudo-inverse
  double   **inverse;                    // [nblock] the pseudo-inverse, in the block's own room or in one of its own
  double    *keep, *right, *row_scale, *col_scale, *work, *rhs;
  int       *jpvt, lwork;
  int        singular;                   // dependent constraints were met in this attempt
  int        vanished;                   // likewise by the near matrix
  int        asks;                       // the attempt ends where they are met: which ones may be left out?
  double    *gap_end, *rate_end;         // [r.n] of constraints (consistent_implied.c)
  const double *press;                   // of the iterate: sim_implied_forces of l1
  int        one_sided;                  // the attempt is one without means of H (con_by_means)
  int        projected, always_projected;// the contacts by (2.72): in this attempt; in all (tests)
  long       iterations;                 // of the step
  int        affine;                     // K and the rows are constant for a given step: factors and columns are kept,
                                         // one iteration is exact
  double     made_for;                   // the step they were made for; 0: not made
  unsigned char *has_column;             // [r.n]

  // contacts: those closed at q_B
  int        na, nc;                     // closed, all
  int       *act, *index, *parent;       // [nc] row of a closed contact; [r.n] its number; [nc] islands
  int       *blocks0, *blocks;           // touched blocks of each contact row: start [r.n+1], block
  size_t    *x0, x_used;                 // place in x of each touched block; how far x is in use
  double    *x, *xq;                     // columns K^{-1} B of closed contacts by touched block; their q parts
  sim_pool   room[5];                    // of x, xq, m, col, and a workspace: as much as was needed so far
  int       *member, *local, *count, *seat; // contacts of an island, their place in it; size of an island; who sits at
                                            // a block
  int       *next;                          // [nc] of the same island, -1: none
  int       *at_block0, *at_end, *at_block, *mark;   // closed contacts by touched block: where they begin and end
  size_t    *at_x;                       // places in x of their columns there
  long       touched;                    // the list of contacts of shapes that blocks are those of
  int       *crowd;                      // [nblock] closed contacts that touch a block
  int       *row_start, *col;            // D by compressed rows
  double    *line;                       // [nc] a row of D
  double    *m, *qv, *terms, *lo, *hi, *lam, *uv, *l0, *diag;
  sim_solver solver;                     // kind SIM_CORRECTION: con_contacts finds corrections of rows with `zero`,
                                         // others keep their force
  unsigned char *zero;                   // [nc] (6) makes the displacement 0 (consistent_rest.c): 0 it does not,
                                         // else CON_STAYS, CON_IS_OFF
};

// Is P made of the means of H? Not of dependent constraints whose pseudo-inverse is taken: H(q_B) has their rank, and
// the mean between has another; and not where kappa turns a light body (con_move). Then kappa enters by D gamma(u_E)
// and H(q_B), which keep the energy as well (docs/numerics/bodies.md, section 6).
static inline int con_by_means(const nsm_sim *s) {
  return s->n.con->means && !s->now.con.redundant && !s->now.con.at_begin && !s->n.con->one_sided;
}

static inline nsm_view con_view(const nsm_sim *s, double t1) {
  return (nsm_view){ .t = t1,
                     .q = s->w.q1,
                     .v = s->w.z1,
                     .x = s->w.z1 + s->a->nv,
                     .l = s->w.l1,
                     .t0 = s->now.t,
                     .h = s->n.h,
                     .q0 = s->now.q,
                     .v0 = s->n.con->uc,
                     .k = s->n.con->kappa1,
                     .dq = s->n.con->inc_q,
                     .dv = s->n.con->inc_u,
                     .d = s->a->nsignal > 0 ? sim_signals(s, 0.5 * (s->now.t + t1)) : s->now.d,
                     .d_rate = s->a->nsignal > 0 ? s->w.moments->rate[s->w.moments->last] : s->now.d,
                     .touching = s->touching };
}

// step_consistent.c: the gaps of constraints at the begin that the step takes back; the end from uc and the increments
void con_pull_back(nsm_sim *s, const sim_class *k, const nsm_view *v);
void con_carry(nsm_sim *s);

// consistent_setup.c: which blocks of K the rows of contacts touch, after these have become others
void con_touched(nsm_sim *s);

// consistent_entries.c: an entry of K; one of it by positions, d row/d q_col, which enters when all have come
void con_entries_room(nsm_sim *s);
void con_entries_open(struct sim_consistent *c, double h);
void con_add(struct sim_consistent *c, int row, int col, double value);
void con_add_q(struct sim_consistent *c, int row, int col, double value);
void con_entries_close(nsm_sim *s);

// consistent_matrix.c
int  con_matrix(nsm_sim *s, const nsm_view *v);  // assembles and factors; -1, or the row of a zero pivot
void con_solve(nsm_sim *s, double *x);                           // x := K^{-1} x
void con_block_solve(nsm_sim *s, int block, double *x);          // in the block's own order
void con_block_solve_lanes(nsm_sim *s, int block, double *const x[NSM_SPARSE_LANES]);     // several at once, where
int con_block_has_lanes(const nsm_sim *s, int block);                                     // the block has these
void con_dq(const nsm_sim *s, double h, const double *dz, double *dq); // dq = (h/2) du - P dkappa

// consistent_energy.c
double con_impact_loss(nsm_sim *s);                        // of the impulses in la
int    con_impact_gains(nsm_sim *s);                       // how many contacts strike so that energy is made
int    con_impact_group(const nsm_sim *s, int row);        // after it
void   con_works(nsm_sim *s, const nsm_view *v);           // of forces, dampers and driven potentials in the motion

// consistent_settle.c
void     con_slide(nsm_sim *s, double t1);                       // H_T of the motion, drift in the step
void     con_book_impact(nsm_sim *s);                            // losses by friction in the impact, with H_T(q_B)
nsm_code con_settle(nsm_sim *s, const nsm_view *v, nsm_error *e);
static inline int con_settles(const nsm_sim *s) {         // where it may have something to settle
  return s->n.r.nfriction > 0 || (s->located && s->a->on.contact.n > 0);
}

// consistent_contacts.c
int  con_columns(nsm_sim *s, double h);          // K^{-1} B and its q part for the closed contacts; 0: no memory
int  con_contacts(nsm_sim *s);                                   // (13) -> con->lam; 0 on failure
void con_apply_contacts(nsm_sim *s);                             // dz += K^{-1} B (lam - l0)

void con_project(nsm_sim *s);                                    // the projected step (2.72) instead

// consistent_implied.c: the motion, as con_motion; the multipliers l1 of what is recorded are shared out
nsm_code con_move(nsm_sim *s, const nsm_view *v, nsm_error *e);
void     con_share_out(nsm_sim *s);
// Does constraint j have a part in the step? All but those that others imply.
static inline int con_acts(const nsm_sim *s, int j) {
  return !s->now.implied_n || !sim_is_implied(s, s->n.con->row[j]);
}

// consistent_newton.c: (q1, z1, l1, kappa1) of the motion (2)-(6) from (q, uc)
nsm_code con_motion(nsm_sim *s, const nsm_view *v, nsm_error *e);
void     con_start(nsm_sim *s);                          // start values
void     con_start_foretold(nsm_sim *s);                 // where sim_foretells: by foretell.c
void     con_learn(nsm_sim *s);  // the step stands: what start values would have been good
void     con_go(nsm_sim *s, const nsm_view *v);           // adds dz and takes the contacts' forces ltry
int      con_credible(nsm_sim *s, double h);              // forces do not only cancel each other

// consistent_near.c
void     con_near_analyse(nsm_sim *s);
int      con_near_motion(nsm_sim *s, const nsm_view *v);         // the motion; 0: not for this model, or slow

// consistent_means.c
void     con_move_bodies(nsm_sim *s);                            // attitudes at the end, by inc_q
void     con_take_means(nsm_sim *s, const nsm_view *v);          // means of H of the iterate
void     con_push_means(nsm_sim *s);                             // c->pushed: P kappa of rows that have one
void     con_mean_columns(nsm_sim *s);                           // columns of P by them

// consistent_residual.c
int      con_place(nsm_sim *s, const nsm_view *v);               // q1 of the iterate; 0 where M is singular
int      con_evaluate_rows(nsm_sim *s, const nsm_view *v);       // likewise, and the kernels there
void     con_measures(nsm_sim *s);                               // what con_residual measures by, after it
int      con_evaluate(nsm_sim *s, const nsm_view *v);            // both
double   con_residual(nsm_sim *s, double h, int *worst);         // the largest, relative; worst: z, or ~row
// What the displacement of a row is measured by: of a contact with friction that of all its directions, which are
// components of one vector, as the verifier of one-step problems has them
double   con_gap_terms(const nsm_sim *s, double h, int row);
double   con_row_error(const nsm_sim *s, double h, int row);     // relative
nsm_view con_middle(nsm_sim *s, const nsm_view *v);
const double *con_direction(const nsm_sim *s, int row);          // entries of Dg/Dq of the iterate, pattern h
double   con_slip_part(const nsm_sim *s, int row, const double *v);    // H_T v, or H_T inc_q
double   con_rate_terms(const nsm_sim *s, int row, const double *v);   // size of the terms of its rate at velocities v

// consistent_rest.c
void     con_rest(nsm_sim *s, const nsm_view *v);

// consistent_light.c
void     con_light_analyse(nsm_sim *s);
void     con_light(nsm_sim *s);                                  // at the begin of a step

// consistent_still.c: at rest, and held there by the forces of the last step
int      con_still(nsm_sim *s, const nsm_view *v);

// consistent_slow.c: by which factor the step just found may be longer, where it creeps, from iteration `from` on, 1:
// by none; how many contacts keep the direction of the begin from now on, more than before
double   con_stride(nsm_sim *s, sim_iteration *it, int from);
int      con_freeze(nsm_sim *s, const sim_iteration *it);

// consistent_failed.c
// NSM_FAILED where a moving mass matrix is not positive definite
nsm_code con_mass(nsm_sim *s, const nsm_view *v, nsm_error *e);
nsm_code con_singular(nsm_sim *s, const nsm_view *v, int it, double error, int bad, nsm_error *e);
nsm_code con_failed(nsm_sim *s, const nsm_view *v, const sim_iteration *it, nsm_error *e);
