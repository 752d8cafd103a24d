// What the semismooth Newton solvers share (alart_curnier.c, newton.c, proximal_newton.c, rest.c): the problem as a
// graph of nodes, an order of elimination for that graph, and a multifrontal LU for the Newton matrices on it. Not for
// other folders.
//
// A node is a cone block or a single interval row. Unknowns are x with lambda = scale x; u is kept as y = scale u, so
// that every friction disk is round:
//   scale = 1, but mu_i / max(mu, mu2) on the tangents of elliptic and rolling blocks and `radius` on the spin of
//     Contensou's. Rows with scale 0 have lambda = 0.
#pragma once
#include "solver.h"

// The first four are what problems are made of; the others stand in for contacts and grips in problems that solvers
// pose themselves (rest.c).
typedef enum {
  NSM_NODE_INTERVAL, NSM_NODE_CONTACT, NSM_NODE_GRIP, NSM_NODE_DISK,
  NSM_NODE_OPEN,             // x = 0
  NSM_NODE_GLUED,            // x_N in [lo, inf), |x_T| <= mu: each by itself
  NSM_NODE_CONE,             // |x_T| <= mu x_N without a shift: -y in N_K(x);  lo < 0: the cone of -x
  NSM_NODE_RAY,              // x = t along, t >= 0 (lo = -inf: any t): -y in N_K(x)
  NSM_NODE_HELD              // row k: y = 0 where bit k of `held`, else x = 0
} nsm_node_kind;
enum { NSM_NODE_ROWS = NSM_CONE_MOST_ROWS, NSM_NODE_BLOCK = NSM_NODE_ROWS * NSM_NODE_ROWS };

typedef struct nsm_node {
  nsm_node_kind kind;
  int    first, size;        // rows
  int    normals;            // rows of the normal force, which come first; of contacts, grips and disks
  int    exact;              // contact, disk: the tangential set is Contensou's exact one, not a disk
  int    rolling;            // contact: rows of T, as many of R, each with a disk of its own (0: one disk of all rows)
  int    pinned;             // bit k: row first + k has lambda = 0
  int    held;               // HELD
  double mu;                 // contact, grip: |x_T| <= mu x_N; disk: |x| <= mu
  double lo, hi;             // interval
  double metric;             // mean of M_ii over its rows, > 0: the unit of stiffness of this node
  double normal, tangent;    // M_NN and mean M_TT, > 0
  double along[NSM_NODE_ROWS]; // RAY
} nsm_node;

// M by nodes: block k of node c couples it with node column[k] and stands at value + at[k], row-major with leading
// dimension node[column[k]].size.
typedef struct nsm_graph {
  int       rows, nodes;
  nsm_node *node;
  int      *start;           // [nodes+1]
  int      *column;          // [start[nodes]], ascending in each node
  size_t   *at;
  double   *value, *q, *scale;
  double    push;            // factor of rho in the map
  int      *diagonal;        // [nodes] which block is (c, c)
  size_t    entries;         // numbers in value
  double   *work;            // of the workspace: products and factors on the graph are charged there
} nsm_graph;

// Builds the graph of p in w's arena (0: no room). Zero blocks of a dense M are left out; the pattern is made
// symmetric.
int  nsm_graph_make(const nsm_cone_problem *p, nsm_cone_work *w, nsm_graph *g);
// x := lambda / scale where lambda is a guess (t->warm), else 0; and back.
void nsm_graph_start(const nsm_graph *g, const nsm_cone_try *t, const double *lambda, double *x);
void nsm_graph_lambda(const nsm_graph *g, const double *x, double *lambda);
// y := M x (+ q where add_q).
void nsm_graph_apply(const nsm_graph *g, const double *x, int add_q, double *y);

// ---- start.c --------------------------------------------------------------------------------------------------------
// A sequence that looks random and repeats: the same for the same attempt.
typedef struct nsm_seed { uint64_t state; } nsm_seed;
nsm_seed nsm_seed_of(int attempt, int kind);
double nsm_seed_unit(nsm_seed *d);                       // [0, 1)
double nsm_seed_between(nsm_seed *d, double a, double b);// a^(1-t) b^t: all orders of magnitude alike; 0 < a, b
// The largest |q| / stiffness: the unit of force of a problem.
double nsm_graph_unit(const nsm_graph *g);
// x := forces of random size, each contact open, or somewhere in or near its cone.
void nsm_graph_random(const nsm_graph *g, nsm_seed *d, double *x);

// ---- elimination.c: minimum degree order and the fronts that follow from it -----------------------------------------
typedef struct nsm_front {
  int own, border;           // counts of nodes: eliminated here; touched
  int list;                  // where its nodes stand in nsm_fronts.member: own first, then the border
  int rows, own_rows;        // of both; of own
  int children;              // how many contributions it takes from the top of the stack
  int stays;                 // it is assembled and not factored (nsm_fronts_complement)
} nsm_front;

typedef struct nsm_fronts {
  int        count, members, member_room, max_rows;
  nsm_front *front, *old;    // [count], in the order of work: children before parents, contributions on a stack
  int       *member;
  size_t     factor_size, stack_size;   // doubles
  double     work;           // operations of a factorization
  int       *local, *id, *degree, *scratch[3];
  uint64_t  *bits;
} nsm_fronts;

int  nsm_fronts_take(const nsm_graph *g, nsm_cone_work *w, nsm_fronts *f);
// Orders the subgraph of the nodes with take[c] != 0; one dense front where it is small or fills up.
void nsm_fronts_make(const nsm_graph *g, const unsigned char *take, nsm_fronts *f);
void nsm_fronts_one(const nsm_graph *g, const unsigned char *take, nsm_fronts *f);
// The same, with the nodes that stay in one front which is assembled alone: the Schur complement on them. 0: no room.
int nsm_fronts_complement(const nsm_graph *g, const unsigned char *take, const unsigned char *stay, nsm_fronts *f);

// ---- front.c: J = A + B (M + alpha metric), or M, restricted to the taken nodes -------------------------------------
typedef struct nsm_factor {
  double *factor;            // [factor_size]
  int    *pivot;             // [rows]
  double *front, *stack, *x; // scratch
  int    *position;          // [nodes]
  int   (*run)[2];           // [nodes]
} nsm_factor;

// A, B [nodes * NSM_NODE_BLOCK]: row-major blocks with leading dimension NSM_NODE_ROWS; NULL: of M. 0 where a pivot
// vanishes.
int  nsm_factor_take(const nsm_graph *g, const nsm_fronts *f, nsm_cone_work *w, nsm_factor *k);
int nsm_factor_make(const nsm_graph *g, const nsm_fronts *f, double alpha, const double *A, const double *B,
                    nsm_factor *k);
// x [rows] in: right-hand side; out: solution, on the rows of the taken nodes; others are left alone. The two halves:
// down the tree, up again; where nodes stay, their rows of x are between the two those of the Schur complement.
void nsm_factor_solve(const nsm_graph *g, const nsm_fronts *f, nsm_factor *k, double *x);
void nsm_factor_down(const nsm_graph *g, const nsm_fronts *f, nsm_factor *k, double *x);
void nsm_factor_up(const nsm_graph *g, const nsm_fronts *f, nsm_factor *k, double *x);
// Of the last factorization: the Schur complement, column-major, by the nodes that stay; and the least pivot relative
// to the largest of its front.
const double *nsm_factor_complement(const nsm_fronts *f, const nsm_factor *k);
double        nsm_factor_least(const nsm_fronts *f, const nsm_factor *k);

// ---- reduced.c: a problem without its equations ---------------------------------------------------------------------
typedef struct nsm_reduced {
  nsm_cone_problem p;        // of the rows that are left, dense
  int            kept, *at;  // [m] of the given problem: row of p, -1: an equation
  nsm_graph      g;          // of the given problem, each row a node
  nsm_fronts     fronts;     // of its equations
  nsm_factor     factor;
  unsigned char *all, *stay; // [m]
  double        *q, *terms, *lo, *hi, *x;
  double        *lambda, *u; // [p.m]
  nsm_cone_block *cone;
} nsm_reduced;
// 0 where nothing would be gained, equations depend on each other all the same, or there is no room.
int  nsm_reduced_make(const nsm_cone_problem *p, nsm_cone_work *w, nsm_reduced *r);
// r->lambda := the part of lambda; and lambda := the answer that belongs to r->lambda, once.
void nsm_reduced_guess(const nsm_cone_problem *p, const nsm_reduced *r, const double *lambda);
void nsm_reduced_answer(const nsm_cone_problem *p, nsm_reduced *r, double *lambda);

// ---- the map --------------------------------------------------------------------------------------------------------
// F(x, y) = 0 where x solves (1) with y = M x + q + alpha metric (x - center); F in units of x. A = dF/dx, B = dF/dy:
// row-major blocks with leading dimension NSM_NODE_ROWS, or both NULL. Of one node, or of all.
typedef struct nsm_map_rows {
  const double *x, *y;
  double *F, *A, *B;
} nsm_map_rows;
// alart_curnier.c, for all nodes. active[c] = 0 where node c has A = I and B = 0; not read without A.
void nsm_map_alart_curnier(const nsm_graph *g, double alpha, const nsm_map_rows *all, unsigned char *active);
// posed_map.c: the same for one node of the kinds OPEN, CONE, RAY, HELD, with A and B all zero on entry; 0 where A = I
// and B = 0.
int nsm_map_posed(const nsm_node *n, double alpha, const nsm_map_rows *r);

// ---- newton.c -------------------------------------------------------------------------------------------------------
typedef struct nsm_newton {
  const nsm_graph *g;
  nsm_cone_work   *w;
  nsm_fronts       fronts;
  nsm_factor       factor;
  size_t           mark;                       // w->used without the factor
  int              ordered;                    // fronts belong to `taken`
  unsigned char   *active, *trial_active, *taken;
  double *y, *F, *A, *B, *step, *y_step, *x_trial, *y_trial, *F_trial, *rest, *x_outer;
  double *next, *y_next;                       // the step that the present factors would take from a trial
  double  norm;                                // |F| in the maximum norm at the end
  double  work;                                // operations of all factorizations
  int     iterations, factored;
  int     most;                                // steps of one problem of the proximal loop; 0: its own
  double  most_work;                           // operations of a factorization that is still made; 0: any
} nsm_newton;

// The same object for another graph of the same size and pattern.
static inline void nsm_newton_change(nsm_newton *n, const nsm_graph *g) {
  n->g = g;
  n->ordered = 0;
}
// |F|_inf / |x|_inf at alpha = 0 (|F|_inf where x = 0); y := M x + q, F on exit.
double nsm_newton_distance(const nsm_newton *n, const double *x, double *y, double *F);
int nsm_newton_take(const nsm_graph *g, nsm_cone_work *w, nsm_newton *n);
// Semismooth Newton with line search on F(x) = 0 for the problem with M + alpha metric, q - alpha metric center. 1
// where |F|_inf <= tolerance |x|_inf.
int nsm_newton_solve(nsm_newton *n, double alpha, const double *center, double tolerance, int max_iterations,
                     double *x);
// One full step of it, without a line search; 0 where the matrix is singular.
int nsm_newton_step(nsm_newton *n, double alpha, const double *center, double *x);
// kinks.c: the part of the step from x, at the y, step and y_step at hand, that leads just behind the next kink of the
// map; HUGE_VAL: there is none.
double nsm_newton_kink(const nsm_newton *n, double alpha, const double *x);
// Factors A + B (M + alpha metric) on the active nodes; keeps the order where they are the same. 0: singular, or no
// room.
int nsm_newton_factor(nsm_newton *n, double alpha);
// 1 where x is so large (1e10 times the bounds and q / metric) that round-off hides u: what happens where there is no
// solution.
int nsm_newton_ran_away(const nsm_graph *g, const double *x);

// ---- proximal_newton.c: a problem by its nodes, where Newton's method is, and where lambda and u go. p NULL: no
// verifier, the distance from F = 0 alone decides.
typedef struct nsm_proximal {
  const nsm_cone_problem *p;
  const nsm_cone_try     *t;
  nsm_graph              *g;
  nsm_newton             *n;
  double                 *x, *lambda, *u;        // [rows] in and out; [m] out
} nsm_proximal;
// The loop from x with the first alpha, up to newton_limit iterations; lambda is written in any case.
nsm_cone_outcome nsm_proximal_loop(const nsm_proximal *l, double alpha, int newton_limit);
