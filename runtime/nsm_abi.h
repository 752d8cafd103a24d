// nsm_abi.h: the treaty between emitted C and the runtime. Emitted C sees this header and nothing else; it includes
// nothing, so this file declares all it needs. Embedded in the compiler. Change anything here: raise NSM_ABI_VERSION.
//
// The picture. A model is a list of *classes*; a class is one statement of the model (an energy, a force, an equation,
// a relation, a contact, ...) with its loop nest. A class has `count` instances, known when the run starts. What
// differs between instances stands in two tables filled once by the class's `fill`: ix[count][nslot], global indices of
// the variables it reads (its *slots*), and num[count][nnum], constants of the instance (everything that depends on
// parameters and loop indices alone). A kernel is one loop over the instances, so code size does not depend on their
// number. As in a finite-element code, the runtime scatters what elements give into global vectors and matrices.
//
// Variables: coordinates q[nq], velocities v[nv]; first-order states x[nx]; multipliers l[nl] (one per row: declared
// multipliers first, then the impulses of contacts and constraints). End-of-step unknown: z = (v, x), [nv + nx].
// Kinematics q' = B(q) v: coordinates with a velocity of their own, q' = v, are the first of both and have the same
// number there; other positions belong to a class NSM_KINEMATICS.
//
//   M(q) v' = F(t,q,v,x) + r_v,   Mx x' = f(t,q,v,x) + r_x,   r = g(t,q,v,x,l) + H^T p,   y = h(t,q,v,x,l)
//   (docs/numerics/moreau.md)
#ifndef NSM_ABI_H
#define NSM_ABI_H

#define NSM_ABI_VERSION 40
enum { NSM_MOST_INDICES = 8 };    // of a variable or an instance of a class
// A part of a long kernel: compilers take far more than twice the time for twice the function, so parts stay apart.
#define NSM_PART_OF_KERNEL __attribute__((noinline))

// --- what kernels read ---
typedef struct nsm_view {
  double t;
  const double *q;  // [nq]
  const double *v;  // [nv]
  const double *x;  // [nx]
  const double *l;  // [nl]
  // Two-point kernels (energy-consistent schemes) also read the begin of the step: q0 = q_B, v0 = u_B, or u_C after an
  // impact step.
  double t0, h;     // begin of the step; its length
  const double *q0; // [nq]
  const double *v0; // [nv]
  const double *k;  // [nl] second multipliers kappa of position constraints (velocity level), as impulses times length
  const double *dq; // [nq] increments over the step: q - q0 ...
  const double *dv; // [nv] ... v - v0 ...
  const double *dx; // [nx] ... and of x; known better than the differences of rounded values
  const double *d;      // [nd] discrete variables, then signals: inputs and delayed quantities
  const double *d_rate; // [nd] rates of the signals
  const struct nsm_touching *touching; // contacts of shapes at hand, for nsm_touch_...; opaque
} nsm_view;

typedef struct nsm_table {
  int count;
  const int *ix;     // [count][nslot]
  const double *num; // [count][nnum]; the last columns of rows and outputs hold their loop indices, one for each % of
                     // the label
  int even;          // 0; or the slots of each instance are those of the one before, plus one, and the first even - 1
                     // columns are the same in all
} nsm_table;

// --- set-up ---
typedef struct nsm_setup nsm_setup; // opaque; passed back to the calls below

typedef struct nsm_setup_view {
  const double *p;   // [npar] parameters, SI
  const int *own;    // what is the class's own, where its functions are shared: as in nsm_class
  const double *number;
} nsm_setup_view;

// Global index of element (i1, i2, ...) of variable `var` (number in nsm_model.vars). An index that is not an integer
// or is out of range is recorded with `line` (the first one counts, the run does not start) and 0 is returned.
int nsm_at(nsm_setup *s, int var, int line, int nidx, const double *idx);
int nsm_at_1(nsm_setup *s, int var, int line, double i);             // of one index, of two: most elements
int nsm_at_2(nsm_setup *s, int var, int line, double i, double k);
// The multiplier that a slot has where its guard does not hold: 0, and nothing depends on it.
int nsm_none(nsm_setup *s);
// Loop bound as an integer: not integral, NaN or beyond +-2^31 is recorded like above.
long nsm_bound(nsm_setup *s, int line, double value);
// Rows of contacts, constraints and friction, while they are counted: the loop `level` runs from lo to hi, inside of
// the last ones told of the outer levels. Elements of their variables are found by this.
void nsm_loop(nsm_setup *s, int level, long lo, long hi);
// Element (i1, ...) of an array parameter: number in p. Recorded like above when out of range.
int nsm_par_at(nsm_setup *s, int par, int line, int nidx, const double *idx);

// --- mathematics: the functions emitted code may call ---
double nsm_sqrt(double), nsm_exp(double), nsm_log(double), nsm_sin(double), nsm_cos(double), nsm_tan(double);
void   nsm_sincos(double, double *sine, double *cosine);
double nsm_asin(double), nsm_acos(double), nsm_atan(double), nsm_atan2(double, double);
double nsm_turned(double y, double x, double near);  // the angle of (x, y) within half a turn of near
double nsm_sinh(double), nsm_cosh(double), nsm_tanh(double), nsm_abs(double), nsm_sign(double);
double nsm_min(double, double), nsm_max(double, double), nsm_floor(double), nsm_pow(double, double);
double nsm_sinc(double, double), nsm_sinhc(double, double); // derivative number 0, 1, 2, ... (second argument) of
                                                            // sin(x)/x, sinh(x)/x
// Of a chain of derivatives: where one factor is 0, so is the product, whatever the other one is.
static inline double nsm_chain(double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : x * y; }
// One instruction where the compiler knows it.
#if defined(__GNUC__) && !defined(__TINYC__)
#define nsm_abs(x) __builtin_fabs(x)
#ifdef __SSE4_1__
#define nsm_floor(x) __builtin_floor(x)
#endif
#elif defined(__TINYC__)                // without a call
#define nsm_abs(x) ({ union { double d; unsigned long long u; } nsm_a; nsm_a.d = (x); \
                      nsm_a.u &= 0x7fffffffffffffffULL; nsm_a.d; })
#define nsm_size_of(x) ({ union { double d; unsigned long long u; } nsm_a;  /* nsm_abs of a variable */ \
                          nsm_a.u = *(const unsigned long long *)&x & 0x7fffffffffffffffULL; nsm_a.d; })
#endif

// Divided difference of x^r over a and b, m and n times: times = 10 m + n; a, b >= 0. times = 11: (b^r - a^r)/(b - a).
double nsm_powd(double a, double b, double r, double times);

// A function given by points (runtime/shared/table.h): which is what nsm_points gave when the columns were filled.
double nsm_points(const double *const *points, int table);
double nsm_by_points(double which, double a, double b, double times);

// --- contacts of shapes, for outputs ---
// Of statement number `contact` in nsm_model.shape_contact, at the begin of the step that was done last: how many
// points press; how deep the deepest is [m], 0 where none overlaps; component `axis` (1 to 3: impulse in world axes
// [N s], 4 to 6: its moment about the centre of mass [N m s]) of what the contacts did to instance `body` (from 0) of
// class `cls` in the last step.
double nsm_touch_count(const nsm_view *, double contact), nsm_touch_deepest(const nsm_view *, double contact);
double nsm_touch_impulse(const nsm_view *, double contact, double cls, double body, double axis);

// --- whole steps (docs/numerics/whole-steps.md) ---
// Of a step under way in nsm_model.whole_run: the rows of the step with number k (from 0) act on the free motion that s
// holds; 0 where the step is one for the generic step.
int nsm_whole_rows(double *s, double k);

// --- vocabulary ---
// what an ix entry indexes; Q: a coordinate and the velocity of the same number; POSITION, VELOCITY: one alone
// D: a discrete variable or signal
enum {
  NSM_SLOT_Q = 0, NSM_SLOT_X = 1, NSM_SLOT_L = 2, NSM_SLOT_POSITION = 3, NSM_SLOT_VELOCITY = 4, NSM_SLOT_D = 5
};
// what a Jacobian entry is with respect to; D: a discrete variable
enum { NSM_WRT_Q = 0, NSM_WRT_V = 1, NSM_WRT_X = 2, NSM_WRT_L = 3, NSM_WRT_D = 4 };
// stage: absent; constant during a run; changes at events only; with t only; with the state
enum { NSM_NONE = 0, NSM_CONST = 1, NSM_EVENT = 2, NSM_TIME = 3, NSM_STATE = 4 };
enum {
  NSM_SMOOTH = 0,
  NSM_RELATION = 1,
  NSM_CONTACT = 2,
  NSM_CONSTRAINT = 3,
  NSM_OUTPUT = 4,
  NSM_INIT = 5,
  NSM_ASSERT = 6,
  NSM_FRICTION = 7,
  NSM_KINEMATICS = 8,
  NSM_EVERY = 9,
  NSM_WHEN = 10,
  NSM_CROSSING = 11,
  NSM_ACTION = 12,
  NSM_DELAY = 13,
  NSM_BODY = 14,
  NSM_LAW = 15 // a relation of a block `every`, solved for the discrete variable of slot lambda_slot
};
enum { NSM_ACT_ASSIGN = 0, NSM_ACT_STOP = 1, NSM_ACT_FAIL = 2 };
// laws of friction: blocks of cone/problem.h
enum {
  NSM_COULOMB = 1,
  NSM_ELLIPTIC = 2,
  NSM_CONTENSOU = 3,
  NSM_GRIP = 4,
  NSM_GIVEN = 5,
  NSM_CONTENSOU_EXACT = 6,
  NSM_GRIP2 = 7, // of two, of three normal directions: classes normal, normal + 1, ...
  NSM_GRIP3 = 8,
  NSM_ROLLING = 9 // the first half of the directions is slip, limited by mu, the second rolling, limited by mu2
};
// how a body moves: freely in space, in the plane z = 0; not at all; as time says
enum { NSM_BODY_SPATIAL = 0, NSM_BODY_PLANAR = 1, NSM_BODY_FIXED = 2, NSM_BODY_DRIVEN = 3 };
// laws of impact; the exponent of NSM_IMPACT_LZB where none is given
enum { NSM_IMPACT_NEWTON = 0, NSM_IMPACT_POISSON = 1, NSM_IMPACT_BINARY = 2, NSM_IMPACT_LZB = 3 };
#define NSM_IMPACT_HERTZ 1.5

// laws of a contact of shapes: restitution normal and tangential; coefficient of friction; radius of the contact area
// (CONTENSOU), coefficient of rolling friction (ROLLING) [m]
enum { NSM_LAW_E = 0, NSM_LAW_ET = 1, NSM_LAW_MU = 2, NSM_LAW_RADIUS = 3, NSM_LAW_ROLLING = 4,
       NSM_LAW_RATIO = 5, NSM_LAW_EXPONENT = 6, NSM_LAW_NUMBERS = 7 };
enum { NSM_SHAPE_NUMBERS = 15, NSM_POSE_NUMBERS = 12, NSM_DRIVEN_NUMBERS = 18 };
enum { NSM_WORK_NONE = 0, NSM_WORK_FORCE = 1, NSM_WORK_DAMPING = 2 };
enum { NSM_ROW_NONNEG = 0, NSM_ROW_BOX = 1, NSM_ROW_FREE = 2 };
// ROW: the multiplier of a contact, constraint or friction class, [count of that class]
// COORD: a coordinate with its velocity; POSITION and VELOCITY: one alone, of bodies
enum {
  NSM_VAR_COORD = 0,
  NSM_VAR_STATE = 1,
  NSM_VAR_MULTIPLIER = 2,
  NSM_VAR_ROW = 3,
  NSM_VAR_POSITION = 4,
  NSM_VAR_VELOCITY = 5,
  NSM_VAR_DISCRETE = 6,
  NSM_VAR_INPUT = 7,
  NSM_VAR_DELAY = 8,
  NSM_VAR_GIVEN = 9,
  NSM_VAR_SOLVED = 10,            // an algebraic unknown that the compiler has replaced: it has no element
  NSM_VAR_INSTANT = 11            // a discrete variable made for an instant of time: no column of the results
};

// Sparsity of a local Jacobian: entry e is d(row slot row[e]) / d(col slot col[e], wrt[e]).
typedef struct nsm_pattern {
  int n;
  const unsigned short *row; // [n] slot number; unused (0) in row classes
  const unsigned short *col; // [n] slot number
  const unsigned char *wrt;   // [n] NSM_WRT_*
} nsm_pattern;

// A shape of a body, in the body's axes with the centre of mass as origin. What differs between the instances stands in
// columns of num from `num` on: size[3], at[3], turn[9] of runtime/shapes/shape.h (the turn row by row). Of NSM_CONVEX
// and NSM_POLYGON size[0] is a number in nsm_model.corners.
typedef struct nsm_body_shape {
  int kind;                       // nsm_shape_kind of runtime/shapes/shape.h
  int num;
} nsm_body_shape;

// Corners of a convex polyhedron or polygon, in the shape's axes: three numbers each.
typedef struct nsm_corners { int n; const double *at; } nsm_corners;

typedef struct nsm_class {
  int kind;                       // NSM_SMOOTH ...
  int line;                       // line of the statement in the model
  int file;                       // offset in text of the file that it stands in; 0: nsm_model.file
  int label;                      // offset in nsm_model.text of a short label for messages: "contact pair", "potential"
  int nslot, nnum;
  const unsigned char *slot;      // [nslot] NSM_SLOT_*
  // Counts the instances (ix == NULL) or fills both tables. Returns the count.
  long (*fill)(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num);
  // Statements that are alike share `fill`: what differs (lines, variables, parameters; numbers), in the order in which
  // it is used. NULL else.
  const int *own;
  const double *number;

  // NSM_SMOOTH: one or more rows of M z' = f + g; rows are slots of the class. The mass pattern lists every entry (both
  // triangles); the diagonal entry of a state says whose equation the class is.
  int mass_stage, f_stage, jac_stage, g_stage, b_stage, k_stage;  // NSM_NONE ... NSM_STATE, each of its kernel
  int f_mean;                     // f and its Jacobian are taken where M is, and not where they are of other classes
  int affine;                     // f affine in (q,v,x), g affine in (q,v,x,l): one Newton iteration is exact
  nsm_pattern mass, jac, b, k;    // jac: d f/d(q,v,x); b: d g/d l; k: d g/d(q,v,x)
  void (*mass_fn)(const nsm_view *, const nsm_table *, double *out);                  // out[count][mass.n]
  nsm_pattern mcurve;             // d (M dz)/d(q, v, x) at the point where M is taken, dz = (dv, dx)
  void (*mcurve_fn)(const nsm_view *, const nsm_table *, double *out);                // out[count][mcurve.n]
  void (*f_fn)(const nsm_view *, const nsm_table *, double *fv, double *fx);          // adds f into fv[nv], fx[nx]
  void (*jac_fn)(const nsm_view *, const nsm_table *, double *out);                   // out[count][jac.n]
  void (*g_fn)(const nsm_view *, const nsm_table *, double *fv, double *fx);          // adds g(t,q,v,x,l) into fv, fx
  void (*b_fn)(const nsm_view *, const nsm_table *, double *out);                     // out[count][b.n]
  void (*k_fn)(const nsm_view *, const nsm_table *, double *out);                     // out[count][k.n]
  // adds; NULL where there is none
  void (*energy_fn)(const nsm_view *, const nsm_table *, double *kinetic, double *potential);
  int driven;                     // the potential depends on time; of a contact, a constraint or friction: the rate is
                                  // not 0 where all velocities are
  int at_end;                     // 1 + slot of its unknown: 0 = f + g, without inertia, at the end of the step; 0: no
  int work;                       // NSM_WORK_*: what the ledger books the class's f and g as
  // Energy-consistent schemes, two-point kernels over (q0, v0) -> (q, v); docs/numerics/consistent.md. Contribution to
  // the first row
  //   R1 = 1/2 (M(q0) + M(q)) dv + G(vm, qm) dq + h/2 [DT/Dq(v0; q0, q) + DT/Dq(v; q0, q)] + h DV/Dq(q0, q)
  //        + h dR/dv(qm, dq/h) - h F(tm, qm, vm)          (m: midpoint; docs/numerics/consistent.md (7))
  // R1 of all classes minus the forces of multipliers is zero.
  nsm_pattern cjac;               // entries (row slot, col slot, NSM_WRT_Q or NSM_WRT_V): d R1 / d (q, v), end values
  void (*c_fn)(const nsm_view *, const nsm_table *, double *r);                       // adds into r[nv]
  void (*cjac_fn)(const nsm_view *, const nsm_table *, double *out);                  // out[count][cjac.n]
  int c_affine;                   // R1 affine in (q, v) with constant Jacobian
  // adds: work of `force` terms, loss (>= 0) by dissipation in the step
  void (*work_fn)(const nsm_view *, const nsm_table *, double *force, double *damping);

  // NSM_RELATION, NSM_CONTACT, NSM_CONSTRAINT, NSM_FRICTION: one row per instance.
  //   relation: y = h;  jac over (q,v,x,l); its multiplier is slot `lambda_slot` (an L slot)
  //   contact: gap g and rate u = dg/dt; jac = H = d u/d v = d g/d q, entries (col, NSM_WRT_V); multiplier: row k of
  //     VAR_ROW `row_var`
  //   constraint: as contact, free; on velocity level (velocity_level != 0) g_fn gives 0 for gap and u = c(q,v,t)
  int row_type;                   // NSM_ROW_*
  int lambda_slot;                // relations; -1 else
  int row_var;                    // contacts, constraints: number in vars; -1 else
  int velocity_level;
  int equation;                   // NSM_RELATION: an equation of the model or the balance of a node, y = 0
  int y_stage, h_stage, law_stage, rq_stage;
  int y_affine;  // y (relations) or rate (contacts, constraints) affine in (q,v,x,l) and gap affine in q
  nsm_pattern h;
  void (*y_fn)(const nsm_view *, const nsm_table *, double *y);                       // relations: y[count]
  // contacts, constraints: gap[count], rate[count]
  void (*gap_fn)(const nsm_view *, const nsm_table *, double *gap, double *rate);
  void (*rate_fn)(const nsm_view *, const nsm_table *, double *rate);                 // the rate alone
  // contacts, constraints on positions: size of the terms of the gap, size[count]: what it would be if nothing
  // cancelled
  void (*size_fn)(const nsm_view *, const nsm_table *, double *size);
  void (*h_fn)(const nsm_view *, const nsm_table *, double *out);                     // out[count][h.n]
  // moreau: contacts, constraints, friction
  //   rq: d rate/d q;  curve: d/d(q, v) of (l H)^T where H is taken, entries (row slot, col slot, wrt), multiplied by
  //     the row's l already
  // Energy-consistent schemes: contacts and constraints with gap g(q) (position level; time-independent)
  //   dg_fn: Dg/Dq(q0, q), entries of pattern h;  rq: d rate/d q at the end;  drate_fn: D rate/Dq (v; q0, q), entries
  //     of pattern dr;  hm_fn: constraints on bodies, D rate/Dv by both arguments together, the mean of H over the
  //     step, entries of pattern h; drate_fn is then their D rate/Dq (docs/numerics/bodies.md (13))
  //   curve: d/d(q, v) of (l Dg/Dq + k Drate/Dq)^T, likewise
  //   constraints on velocity level, H(q) v = 0: gap_fn gives H(qm) dq for the gap, dg_fn H(qm); gq: d of this
  //     gap/d q at the end
  //   bend: constraints on bodies, 1/2 d/dq of (l H)^T at one point along the turns of each body, entries and
  //     l likewise: that part of the curve of (l Dg/Dq)^T where both ends are there
  nsm_pattern rq, dr, curve, gq, bend;
  void (*dg_fn)(const nsm_view *, const nsm_table *, double *out);                    // out[count][h.n]
  void (*hm_fn)(const nsm_view *, const nsm_table *, double *out);                    // out[count][h.n]
  void (*rq_fn)(const nsm_view *, const nsm_table *, double *out);                    // out[count][rq.n]
  // out[count][gq.n], constraints on velocity level only
  void (*gq_fn)(const nsm_view *, const nsm_table *, double *out);
  void (*drate_fn)(const nsm_view *, const nsm_table *, double *out);  // out[count][dr.n], constraints only
  void (*curve_fn)(const nsm_view *, const nsm_table *, const double *l, const double *k, double *out); // l, k: [count]
  void (*bend_fn)(const nsm_view *, const nsm_table *, const double *l, double *out); // out[count][bend.n]
  // boxes: lo[count], hi[count]; NULL else
  void (*law_fn)(const nsm_view *, const nsm_table *, double *lo, double *hi);
  // Energy-consistent schemes: a compliant contact g(q) + c l is a potential, NSM_SMOOTH with multipliers row_var;
  // their value at the end, and the column of c
  void (*lambda_fn)(const nsm_view *, const nsm_table *, double *l);
  int compliance_num;
  int e_num;                      // contacts, friction: column of num that holds the restitution e or e_t; -1: none (0)
  int ratio_num, exponent_num;    // contacts: 1 + column of num, of NSM_IMPACT_LZB; 0: none

  // NSM_FRICTION: one direction of slip of every instance of class `normal` (contact or constraint; the same loops in
  // the same order), or under a given normal force (normal = -1). A row as of a constraint on velocity level: rate_fn
  // gives the slip velocity, h_fn = d slip/d v. Its rows stand behind that of `normal` in one block of the one-step
  // problem, by `direction` 0, 1, 2. Direction 0 has the coefficients: columns of num, -1: none; where one of them
  // moves all are given by mu_fn.
  int friction;                   // NSM_COULOMB ...
  int normal, direction;
  int mu_num, mu2_num, radius_num;// NSM_GIVEN: radius = mu times normal force; of other laws with normal = -1 the
                                  // normal force, and mu2 is the radius of NSM_CONTENSOU(_EXACT)
  int mu_stage;
  void (*mu_fn)(const nsm_view *, const nsm_table *, double *mu, double *mu2, double *radius);  // [count] each

  // NSM_KINEMATICS of a body in space: 10 slots, the attitude, its turn, its place. Others: nslot is not 10.
  // `remembers`: it writes an angle where the displacement begins, whatever the displacement.
  // NSM_KINEMATICS: positions (slots POSITION) that move by velocities (slots VELOCITY), q' = B(q) v: writes their
  // places of q1[nq], those of q moved by the displacement dq[nv], which is a velocity times a time
  void (*move_fn)(const nsm_view *, const nsm_table *, double *q1);
  int remembers;

  // NSM_OUTPUT: value[count]. NSM_ASSERT: value[count], nonzero means that it holds; checked at the start and after
  // every step. NSM_INIT: ix[.][0] is the variable's index, num[.][0] the value.
  void (*out_fn)(const nsm_view *, const nsm_table *, double *value);

  // NSM_BODY: a body that has shapes. Slots: SPATIAL r[3] (Q), quaternion[4] (POSITION), turn[3] (Q or VELOCITY, whose
  // velocity is the spin in body axes); PLANAR r[2], angle (Q); others none
  //   pose_num: FIXED: column of num where r[3], R[9] (row by row) begin
  //   pose_fn: DRIVEN: out[count][NSM_DRIVEN_NUMBERS]: r[3], R[9], velocity of r [3], angular velocity [3], world axes
  int body, nshape, pose_num;
  const nsm_body_shape *shape;    // [nshape]
  int material;                   // number from 0; -1: none
  void (*pose_fn)(const nsm_view *, const nsm_table *, double *out);

  int hidden;                     // outputs only needed by `expect`
  int unit;                       // outputs: as of nsm_var
  int init_velocity;              // NSM_INIT, NSM_ACTION: sets v, not q

  // Events (docs/numerics/events.md): blocks in the order of the text; the classes of a block have the same instances.
  //   NSM_EVERY: columns 0, 1 of num are period and offset. NSM_WHEN: out_fn gives the condition, NSM_CROSSING, where
  //   there is one, what passes 0 where it becomes true. NSM_ACTION: slot 0 is assigned what out_fn gives; or the run
  //   ends, with the label as its message.
  // NSM_DELAY: out_fn gives a quantity whose past variable `row_var` is; column 0 of num: the delay
  int block, action, initial;     // initial: a condition that holds at the start fires there
  int switches;                   // NSM_WHEN: of an `if`, which may change again and again; 2: of a kink, where both
                                  // branches are the same value; NSM_SMOOTH: has a force, or
                                  // a right side, that jumps with what moves
  int at_zero;                    // NSM_WHEN: 1: it holds where what crosses 0 is 0, -1: it does not, 0: not known
  int by_time, wavy;              // NSM_WHEN: made for an instant of time; what crosses 0 is not affine in time
} nsm_class;

typedef struct nsm_var {
  int kind;                       // NSM_VAR_*
  int name;                       // offset in text: "bead[%].z", one % per dimension
  int line;
  int ndim;
  int cls;                        // NSM_VAR_ROW: number of its class; -1 else
  int file;                       // as in nsm_class
  int rate;                       // NSM_VAR_COORD that is the turn of a body: the name of its velocity in text; 0 else
  int unit, rate_unit;            // offsets in text: of results, as declared or in SI, and of its rate; "" for none
} nsm_var;

typedef struct nsm_par {
  int name, unit, doc;            // offsets in text; unit and doc "" where not given; "k[2]" for elements of arrays
  int line;
  int structural;                 // fixed when the C was emitted: `fixed` is its value, another one is refused
  double fixed;
  int ndim;                       // arrays: the first element carries the shape, the others have ndim = -1
  int dim[2];
  int file;                       // as in nsm_class
} nsm_par;

// Bodies on one side of a contact of shapes: instances of class `cls`. select: counts (instance NULL) or lists their
// numbers, ascending; NULL: all of them.
typedef struct nsm_members {
  int cls;
  long (*select)(nsm_setup *s, const nsm_setup_view *g, int *instance);
} nsm_members;

// contact c { between = A, B; ... } or { among = A; ... }: where the shapes of two of these bodies touch there are
// rows, made and ended by the runtime between two steps.
typedef struct nsm_shape_contact {
  int line, file, label;          // as in nsm_class; label "contact pile"
  int name;                       // offset in text: "pile"
  int nmembers[2];                // among: none on the second side
  const nsm_members *members[2];
  int friction;                   // 0: none; NSM_COULOMB, NSM_CONTENSOU, NSM_ROLLING
  // law[NSM_LAW_NUMBERS] of bodies of two materials (of sides A and B; -1: none), from parameters
  void (*law_fn)(const nsm_setup_view *, int material_a, int material_b, double *law);
} nsm_shape_contact;

// drift: largest |y - y(start)|; gain: largest rise in one step. Of located events of the row whose multiplier the
// output is: how many, times of the first and of the last.
enum {
  NSM_STAT_FINAL = 0,
  NSM_STAT_INITIAL,
  NSM_STAT_MIN,
  NSM_STAT_MAX,
  NSM_STAT_MEAN,
  NSM_STAT_DRIFT,
  NSM_STAT_AT,
  NSM_STAT_GAIN,
  NSM_STAT_EVENTS,
  NSM_STAT_FIRST,
  NSM_STAT_LAST,
  NSM_STAT_HIT                          // the n-th impact: of answers alone
};
typedef struct nsm_stat { int kind; int cls; } nsm_stat;   // of output class cls, which has one instance

// Where the run starts and ends and how it steps; what the command line does not override.
// tolerance: nan where not given; solver: offset of its name in text, 0: automatic; located: events are located within
// the step; own_weights: theta is the model's own (1), gamma is (2); project_start: values of the start that violate
// the laws are moved, however far off; stages: of radau, 0 where it is another scheme;
// projection: places are projected after each step; unlocated: why events are not located where nobody said.
enum {
  NSM_UNLOCATED_SAID,             // the experiment says which
  NSM_UNLOCATED_NAMED,            // it names a scheme, and not that it locates
  NSM_UNLOCATED_SHAPES,           // contacts of shapes
  NSM_UNLOCATED_MANY,             // many contacts and laws
  NSM_UNLOCATED_REFUSED           // laws beside contacts that located runs refuse
};
typedef struct nsm_experiment {
  double start, until, step, theta, gamma, tolerance, accept;
  double rtol, atol;              // of event_driven; 0: not given
  int    solver, located, own_weights, project_start, stages, projection, unlocated;
} nsm_experiment;

// Whole steps of a small model: one function, nsm_model.whole_run(s, c, k, n), that takes up to n steps from step k on
// and gives how many it did, as the scheme and the generic step have them. It stops before a step that it does not
// take. In its place whole_recorded(s, c, k, n, rows) says what coordinates, velocities and states are behind each
// step, rows [n, nq + nz].
// Valid for the tables it was made for, which `count`, `ix` and `row_l` hold.
enum { NSM_WHOLE_LINEAR = 1, NSM_WHOLE_PIECE = 2, NSM_WHOLE_TWO_POINT = 3 };
// c[0 .. NSM_WHOLE_SCALARS): start, step, theta, gamma, tolerance; then the constants
enum { NSM_WHOLE_SCALARS = 8 };
typedef struct nsm_whole {
  int kind;
  const int *count;               // [nclass] instances of smooth classes and rows; 0 for others
  int nix;
  const int *ix;                  // [nix] slots of their instances, class by class
  int nrow;
  const int *row_l;               // [nrow] the multiplier of each row
  int nconstant;
  const int *constant;            // [3 nconstant] class, instance, column of num; class -1: discrete number `instance`
  int npattern;                   // NSM_WHOLE_LINEAR: entries of A, dz = A (q, z, tau, 1), which follow the constants
  const int *row, *col;           // [npattern]
  int ntimed;
  const int *timed;               // [ntimed] rows of f that time changes, in the order of tau
  int here;                       // NSM_WHOLE_LINEAR: rows act in `run`, by entries of M and X, which follow those of A
  int stays;                      // or a contact that stays closed does, by the same entries
  int nm;
  const int *m_row, *m_col;       // [nm]
  int nx;
  const int *x_row, *x_col;       // [nx]: of z, of the row
  int nstruck, struck[2];         // but NSM_WHOLE_LINEAR: rows of contacts that `run` lets be struck
  int drifts;                     // some contact's rate or slip is not 0 at rest
  int with_rest;                  // NSM_WHOLE_LINEAR, `here`: bit i: y of row i is not 0 at rest, or not always
  int located;                    // for runs that locate events: it takes steps only with h |rate| < gap at their begin
} nsm_whole;

// A point of a step of length h. From the point `from` to it time goes on by time*h, positions by h (begin u_B + end
// u_E) of the velocities at both ends; velocities and states are z_B + share (z_E - z_B). h force: weight of f there.
enum { NSM_BEGIN = 0, NSM_END = 1, NSM_POINTS = 5 };
typedef struct nsm_point { int from; double time, begin, end, share, force; } nsm_point;

typedef struct nsm_model {
  int version;                    // NSM_ABI_VERSION
  int name;                       // offsets in text
  int file;
  const unsigned char *text;      // names, units, labels: bytes, each NUL-terminated; text[0] = 0
  int scheme;                     // its place in runtime/schemes.def
  // Points of the scheme with its weights, to [NSM_POINTS]; NULL: q_E = q_B + h (u_B + u_E)/2 and no others. Those
  // where M, H of constraints' impulses, and where g and outputs are taken. A contact acts where gap + h lead rate <= 0
  // at the point from which the end is reached. place_at: rows are gaps at that point, which depends on their e,
  // and f at the begin has the velocities that the last step had where it takes f; 0: rates at the end.
  void (*points)(double theta, double gamma, double e, nsm_point *to);
  int inertia_at, along_at, law_at, place_at;
  double lead;
  int affine;                     // every class is: one iteration a step, no convergence test needed
  int nvar, npar, nclass, nstat, nexpect, nblock;
  const nsm_var *var;             // [nvar]; storage in this order within each kind
  const nsm_par *par;             // [npar]
  const nsm_class *cls;           // [nclass]
  const nsm_stat *stat;           // [nstat]
  const int *expect_line;         // [nexpect]
  const int *expect_text;         // [nexpect] offset of the claim as written
  const int *expect_stat;         // [nexpect + 1] claim i is made of the statistics from [i] up to [i + 1]
  // p[npar]: fills those with given[i] == 0 with their defaults, in order. Returns -1, or the number of a parameter
  // without value.
  int  (*params)(double *p, const unsigned char *given);
  // Bounds of every index of every variable, as doubles: bound[2*(NSM_MOST_INDICES*var + index) + {0: lo, 1: hi}]. Rows
  // have the loops of their class.
  void (*sizes)(const double *p, double *bound);
  void (*experiment)(const double *p, nsm_experiment *e);
  double (*stat_time)(const double *p, int stat);                    // NSM_STAT_AT: the time
  int  (*expect)(const double *p, const double *stat, int i);        // claim i holds?
  const nsm_whole *whole;                                            // NULL: there is none
  int  (*whole_run)(double *s, const double *c, double k, int n);
  int  (*whole_recorded)(double *s, const double *c, double k, int n, double *rows);
  // The same of `lanes` runs at a time, of each argument one for each of them; done: 1 for who takes part, 0 for
  // others, then what the function gives. 0 and NULL: there is none. Only LLVM makes them.
  int  lanes;
  void (*together)(double *const *s, const double *const *c, const double *k, const int *n, int *done);
  void (*together_recorded)(double *const *s, const double *const *c, const double *k, const int *n,
                            double *const *rows, int *done);
  int  impact;                    // law of impact of all contacts: NSM_IMPACT_...
  int  nshape_contact, nmaterial, ncorners;
  int  timeless;                  // no kernel of a step reads the time
  const nsm_shape_contact *shape_contact;                            // [nshape_contact]
  const nsm_corners *corners;                                        // [ncorners]
} nsm_model;

// The one symbol emitted C defines.
const nsm_model *nsm_model_get(void);

#endif
