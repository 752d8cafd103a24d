// Contacts between shapes of bodies: rows of the one-step problem that come and go between two steps.
//
// A statement `contact c { between = A, B; ... }` has classes of rows like any family of contacts: normals, and
// directions of slip behind them. Their instances are points of contact, found anew before each step; what differs
// between two steps is the table of the class (ix: whose velocities, num: gap and rows H), how many instances it has,
// and which columns of B and C its rows touch. All the rest of the runtime sees a family of contacts as any other.
//
// Instances stand in the order of their names (touch of shapes of two bodies, by pair of features), so that the same
// contacts give the same rows whatever happened before. One that stays keeps its multipliers, its directions of slip
// and all else that belongs to its row. There is room for so many instances; where that is not enough, the simulation
// is opened again with more room between two steps (clock/room.c), which ever fewer steps ask for.
//
//   extend.c  the model with these classes          bodies.c   which bodies, their shapes and poses
//   find.c    points of contact, in order           keep.c     what each row keeps from the last step
//   kernels.c the kernels of the classes            bind.c     tables, patterns and coefficients of the rows
//   ahead.c   gaps where a step leads, and rows there
//   rest.c    bodies that go on resting  report.c  outputs, every contact as numbers
#pragma once
#include "runtime/assembly/assembly.h"
#include "runtime/shapes/hull.h"
#include "runtime/shapes/pairs.h"
#include "runtime/shapes/planar.h"
#include "runtime/shapes/touch.h"

// Which two bodies: kinds of rows, by their columns. With one that does not move on its own, `still`, it is body A.
enum { SIM_SPATIAL, SIM_SPATIAL_STILL, SIM_PLANAR, SIM_PLANAR_STILL, SIM_VARIANTS };
enum { SIM_DIRECTIONS = 5 };            // classes of a variant: normal, up to four directions of slip and turning
_Static_assert(SIM_TOUCH_CLASSES == SIM_VARIANTS * SIM_DIRECTIONS, "classes of a statement");

// Columns of num of these classes. Two rows follow, that of the begin of the step and that of the poses of
// sim_touch_there; kernels have the one that is in force. A row: what a drive makes of the rate, and of the way in the
// step of energy-consistent schemes; H.
enum { SIM_GROUP, SIM_INDEX, SIM_GAP, SIM_SIZE, SIM_RESTITUTION, SIM_MU, SIM_MU2, SIM_RADIUS, SIM_ROW0 };
enum { SIM_DRIFT, SIM_WAY, SIM_H };
static inline int sim_touch_row(int there, int n) { return SIM_ROW0 + (there ? SIM_H + n : 0); }
static inline int sim_touch_columns(int n) { return SIM_ROW0 + 2 * (SIM_H + n); }

typedef struct sim_body {
  int    cls, instance, kind;           // NSM_BODY_*
  int    planar, still;
  int    q[7], z[6];                    // places of r and quaternion (angle); of their velocities
  int    shape0, nshape, material;
  double radius;                        // of the sphere about its centre of mass that holds it
} sim_body;

// A point of contact as it was found.
typedef struct sim_found {
  int       a, b, shape_a, shape_b;     // bodies; shapes of the simulation's list
  nsm_touch touch;
} sim_found;

// The rows of one statement between bodies of one kind.
typedef struct sim_touch_group {
  int  contact, variant, columns;
  int  slips, turns;                    // directions in all; of these, about the normal (1) or in the plane (2 or 1)
  int  cls;                             // of the normals; the directions follow
  int  first, room, count;              // its touches in now.touch; how many there may be, how many there are
  int  wanted;                          // > room: open again with more
  sim_found *found;
  int  nfound, found_room;
  sim_pool found_pool, scratch;
  int *from;                            // [room] number of a touch in the last step, -1: new
} sim_touch_group;

typedef struct sim_touch_side {
  int nmember, *member;                 // bodies of a statement, ascending
  unsigned char *side;
  nsm_pairs *pairs;
  nsm_pose *pose;                       // of the members
  double *reach;
} sim_touch_side;

struct nsm_touching {
  nsm_sim  *s;
  int       nbody, nshape, nmaterial;
  sim_body *body;
  nsm_shape *shape;
  nsm_hull **hull;                      // of nsm_model.corners
  int      *first_of;                   // [classes] first body of a class
  int       any_driven;
  nsm_pose *pose;                       // [nbody] at the begin of the step
  double  (*motion)[6];                 // [nbody] velocity of the centre, angular velocity, world axes
  nsm_pose *pose_there;                 // [nbody] the same elsewhere (ahead.c)
  double  (*motion_there)[6];
  double   *there_q, *there_z;          // [nq], [nv] where they are, if that is known
  int       there_known, there_rows;    // and the rows there are those of these poses and of these active rows
  unsigned char *there_active;          // [rows]
  int       there;                      // the rows of there are in force
  // energy-consistent schemes, of driven bodies: at the end of the step; [nbody] increment (r, then as of cay, body
  // axes; planar: x, y, angle), once they are known
  int       drives;
  nsm_pose *pose_end;
  double  (*way)[6];
  double  *moved;                       // [rows] the part of a gap's change that a drive makes (kernels.c)
  double   *reach;                      // [nbody] (ahead.c)
  sim_touch_side *of;                   // [contacts]
  double   *law;                        // [contacts][materials + 1][materials + 1][NSM_LAW_NUMBERS]
  int       ngroup;
  sim_touch_group *group;
  int       stale;                      // the tables are those of another state
  double    further;                    // bodies look so much further: they become faster within the step (ahead.c)
  long      changes;                    // how often the list of contacts became another one
};

// extend.c: m where it has no contact of shapes; room: of each group by number, NULL: as it is at first
const nsm_model *sim_touch_extend(nsm_sim *s, const nsm_model *m, const int *room);
void sim_touch_class(int number, int *group, int *direction);

// bodies.c
sim_body sim_touch_body(const nsm_sim *s, int cls, int i);   // of a class NSM_BODY, without its shapes
int  sim_touch_open(nsm_sim *s, nsm_error *e);             // after the tables of the classes; 0 and the reason
void sim_touch_close(nsm_sim *s);
void sim_touch_poses(nsm_sim *s, double t, const double *q, const double *z);
void sim_touch_motions(nsm_sim *s, const double *z);       // of the poses in t
void sim_touch_poses_now(nsm_sim *s);                      // at the begin of a step
void sim_touch_drive(nsm_sim *s, double h);                // pose_end, way
void sim_touch_pose(const sim_body *b, const double *q, nsm_pose *p);    // of a body that moves on its own
const double *sim_touch_law(const nsm_sim *s, int contact, int a, int b); // of two materials

// find.c: the groups' found; 0: no memory
int  sim_touch_find(nsm_sim *s, double h);

// keep.c
typedef enum { SIM_STATE_PLAIN, SIM_STATE_BY_ROW, SIM_STATE_BY_MULTIPLIER } sim_state_kind;
sim_state_kind sim_state_kind_of(const nsm_sim *s, int which);   // of the arrays of state.def, from 0 on
int  sim_touch_keep(nsm_sim *s, sim_touch_group *g);       // 1 where the rows are others than before
void sim_touch_across(const double *normal, double *slip); // the direction, at right angles to a normal

// bind.c
void sim_touch_begin(nsm_sim *s);                          // after the analysis: no contact yet
void sim_touch_bind(nsm_sim *s, sim_touch_group *g, int changed);
void sim_touch_restitution(const nsm_sim *s, double *e);   // [rows] by the laws, of the contacts that there are
// Row H of a direction at a touch, poses as they are in t; its rate that comes of a body which time drives.
void sim_touch_direction(const struct nsm_touching *t, const sim_touch_group *g, const sim_found *f,
                         const double *along, int spin, double *H);
double sim_touch_drift(const struct nsm_touching *t, const sim_found *f, const double *along, int spin);
void sim_touch_rows(const nsm_sim *s, const sim_touch_group *g, int i, const sim_found *f, const double *slip,
                    int there);                            // of touch i, as it is at the poses in t
// Driven bodies in a step of length h of two points: where they go, and rows of the begin that know it. begin [rows]:
// their part of the rates; moved [rows]: where the kernels put that of the discrete gradients. 0: there are none.
int  sim_touch_drives(nsm_sim *s, double h, double *begin, double *moved);
// The column SIM_DRIFT or SIM_WAY of the rows in force, into out [rows]. Without driven bodies nothing is written.
void sim_touch_driven(const nsm_sim *s, int which, double *out);
// All of it, for a step of length h from the present state. 0: there are more contacts than room, or no memory.
int  sim_touch_update(nsm_sim *s, double h);
int  sim_touch_lacks(const nsm_sim *s);                    // room, at the last update
int *sim_touch_wanted(const nsm_sim *s);                   // [groups] room to open again with, to be freed; NULL: none
int *sim_touch_rooms(const nsm_sim *s);                    // as they are, likewise
void sim_touch_scale(nsm_sim *s);                          // after sim_closed_start

// ahead.c: gap and rate [rows] at a view, of the pairs of features that have rows
void sim_touch_ahead(nsm_sim *s, const nsm_view *v, double *gap, double *rate);
// Rows of the poses of a view are in force, of the contacts that act; NULL, and the state itself: those of the begin.
void sim_touch_there(nsm_sim *s, const nsm_view *v);
int  sim_touch_acts(const nsm_sim *s);                      // any of the contacts of shapes
// How much further bodies must look in a step of length h that ends so, than twice sim_touch_update's.
double sim_touch_further(nsm_sim *s, double h, const nsm_view *end);
double sim_touch_slack(const nsm_sim *s, int body);        // find.c

// rest.c: bodies that go on resting, after impulses acted on z1; size [nz]: of the terms of what they acted on; share:
// of the velocity at the begin in the way of the step. stop: makes velocity z at the end 0. 1: some came to rest.
typedef void sim_stop(nsm_sim *s, int z, double share);
int  sim_touch_rest(nsm_sim *s, const double *size, sim_stop *stop, double share);
void sim_touch_stop(nsm_sim *s, int z, double share);      // in w.z1 and w.q1
// rounded.c: the size of H and of the velocities of a row, parts of a vector together; 0 for rows of other classes.
double sim_touch_size(const nsm_sim *s, int row);

// kernels.c
extern const nsm_class sim_touch_kernels[SIM_VARIANTS];

// report.c
// Contact i of all, in the order of the statements; 0: there are no more. As the step began, `at` where the impulse of
// moreau acts; impulses of it on B.
typedef struct sim_contact {
  const char *name;                     // of the statement
  char   a[100], b[100];                // bodies
  uint64_t feature;
  double gap, at[3], normal[3], impulse, slip[3];
  // Of these: the impact that began the step, and what its end added along the normal (friction.md (4), (6)); 0 where
  // a scheme has no such parts.
  double struck, struck_slip[3], added;
} sim_contact;
int  sim_touch_contact(const nsm_sim *s, int i, sim_contact *out);
void sim_parts_none(nsm_sim *s);         // a step begins, whose parts are to be told apart
void sim_touch_name(const nsm_sim *s, int cls, int i, char *out, size_t size);
