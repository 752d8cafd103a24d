// Scenes of bodies with shapes as models written by hand, for tests and measurements of runtime/touching: free bodies
// (spheres, boxes) with weight, fixed ones, and one statement `among` of all.
#ifndef NSM_TESTS_SCENE_H
#define NSM_TESTS_SCENE_H
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/clock/clock.h"
#include "tests/unit/runtime/points.h"

typedef struct scene_body {
  int    kind;                          // nsm_shape_kind
  double size[3], mass, inertia[3];     // mass 0: fixed
  double r[3], q[4], v[3], w[3], R[9];  // R: of fixed ones
} scene_body;

typedef struct scene {
  int    n, fixed;                      // free bodies first
  scene_body *body;
  double gravity, e, mu, step, until;
  int    scheme;
} scene;

static scene at_hand;                   // the tables of a simulation are filled from it while it is opened

static const unsigned char scene_text[] =
    "\0scene\0scene.nsm\0r\0turn\0q\0bodies\0body[%]\0contact pile\0pile\0fixed[%]";
enum { ST_MODEL = 1, ST_FILE = 7, ST_R = 17, ST_TURN = 19, ST_Q = 24, ST_CLASS = 26, ST_BODY = 33, ST_LABEL = 41,
       ST_NAME = 54, ST_FIXED = 59 };

static const unsigned char scene_slots[] = { NSM_SLOT_Q, NSM_SLOT_Q, NSM_SLOT_Q, NSM_SLOT_POSITION, NSM_SLOT_POSITION,
                                             NSM_SLOT_POSITION, NSM_SLOT_POSITION, NSM_SLOT_Q, NSM_SLOT_Q, NSM_SLOT_Q };
static const unsigned char scene_position[] = { NSM_SLOT_POSITION }, scene_own[] = { NSM_SLOT_Q };
static const unsigned short scene_rows[] = { 0, 1, 2, 7, 8, 9 };
static const unsigned char scene_wrt[] = { 1, 1, 1, 1, 1, 1 };

// Slots of body i: r, quaternion, turn.
static void scene_slots_of(nsm_setup *s, int i, int *ix) {
  for (int j = 0; j < 10; j++) {
    int var = j < 3 ? 0 : j < 7 ? 2 : 1, k = j < 3 ? j : j < 7 ? j - 3 : j - 7;
    ix[j] = nsm_at(s, var, 1, 2, (const double[]){ i, k });
  }
}

// num of a body: mass, principal moments of inertia, weight.
static long scene_fill(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  (void)g;
  for (int i = 0; ix && i < at_hand.n; i++) {
    const scene_body *b = &at_hand.body[i];
    scene_slots_of(s, i, ix + 10 * i);
    const double of[] = { b->mass, b->inertia[0], b->inertia[1], b->inertia[2], -at_hand.gravity };
    memcpy(num + 5 * i, of, sizeof of);
  }
  return at_hand.n;
}

static void scene_mass(const nsm_view *v, const nsm_table *t, double *out) {
  (void)v;
  for (int i = 0; i < t->count; i++)
    for (int j = 0; j < 6; j++) out[6 * i + j] = t->num[5 * i + (j < 3 ? 0 : j - 2)];
}
static void scene_weight(const nsm_view *v, const nsm_table *t, double *fv, double *fx) {
  (void)v; (void)fx;
  for (int i = 0; i < t->count; i++) fv[t->ix[10 * i + 2]] += t->num[5 * i] * t->num[5 * i + 4];
}
// -omega x J omega
static void scene_gyroscopic(const nsm_view *v, const nsm_table *t, double *fv, double *fx) {
  (void)fx;
  for (int i = 0; i < t->count; i++)
    for (int j = 0; j < 3; j++) {
      const int *ix = t->ix + 10 * i + 7;
      const double *J = t->num + 5 * i + 1;
      int a = (j + 1) % 3, b = (j + 2) % 3;
      fv[ix[j]] += (J[a] - J[b]) * v->v[ix[a]] * v->v[ix[b]];
    }
}
static const unsigned short gyro_row[] = { 7, 7, 8, 8, 9, 9 }, gyro_col[] = { 8, 9, 9, 7, 7, 8 };
static void scene_gyroscopic_jac(const nsm_view *v, const nsm_table *t, double *out) {
  for (int i = 0; i < t->count; i++)
    for (int j = 0; j < 3; j++) {
      const int *ix = t->ix + 10 * i + 7;
      const double *J = t->num + 5 * i + 1;
      int a = (j + 1) % 3, b = (j + 2) % 3;
      out[6 * i + 2 * j] = (J[a] - J[b]) * v->v[ix[b]];
      out[6 * i + 2 * j + 1] = (J[a] - J[b]) * v->v[ix[a]];
    }
}
static void scene_energy(const nsm_view *v, const nsm_table *t, double *kinetic, double *potential) {
  for (int i = 0; i < t->count; i++) {
    const int *ix = t->ix + 10 * i;
    const double *num = t->num + 5 * i;
    for (int j = 0; j < 3; j++)
      *kinetic += 0.5 * (num[0] * v->v[ix[j]] * v->v[ix[j]] + num[1 + j] * v->v[ix[7 + j]] * v->v[ix[7 + j]]);
    *potential += -num[0] * num[4] * v->q[ix[2]];
  }
}
// The same in the energy-consistent schemes: M dv - h weight, xi x J mean omega, and their derivatives.
static void scene_discrete(const nsm_view *v, const nsm_table *t, double *r) {
  for (int i = 0; i < t->count; i++) {
    const int *ix = t->ix + 10 * i;
    const double *num = t->num + 5 * i;
    for (int j = 0; j < 3; j++) {
      r[ix[j]] += num[0] * (v->dv[ix[j]] - (j == 2 ? v->h * num[4] : 0));
      r[ix[7 + j]] += num[1 + j] * v->dv[ix[7 + j]];
    }
  }
}
static void scene_discrete_jac(const nsm_view *v, const nsm_table *t, double *out) { scene_mass(v, t, out); }
static void scene_discrete_gyroscopic(const nsm_view *v, const nsm_table *t, double *r) {
  for (int i = 0; i < t->count; i++)
    for (int j = 0; j < 3; j++) {
      const int *ix = t->ix + 10 * i + 7;
      const double *J = t->num + 5 * i + 1;
      int a = (j + 1) % 3, b = (j + 2) % 3;
      r[ix[j]] += 0.5 * (v->dq[ix[a]] * J[b] * (v->v0[ix[b]] + v->v[ix[b]]) -
                         v->dq[ix[b]] * J[a] * (v->v0[ix[a]] + v->v[ix[a]]));
    }
}
static const unsigned short turn_row[] = { 7, 7, 7, 7, 8, 8, 8, 8, 9, 9, 9, 9 },
                            turn_col[] = { 8, 9, 9, 8, 9, 7, 7, 9, 7, 8, 8, 7 };
static const unsigned char turn_wrt[] = { 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 };
static void scene_discrete_gyroscopic_jac(const nsm_view *v, const nsm_table *t, double *out) {
  for (int i = 0; i < t->count; i++)
    for (int j = 0; j < 3; j++) {
      const int *ix = t->ix + 10 * i + 7;
      const double *J = t->num + 5 * i + 1;
      int a = (j + 1) % 3, b = (j + 2) % 3;
      double *o = out + 12 * i + 4 * j;
      o[0] = 0.5 * J[b] * (v->v0[ix[b]] + v->v[ix[b]]);
      o[1] = 0.5 * J[b] * v->dq[ix[a]];
      o[2] = -0.5 * J[a] * (v->v0[ix[a]] + v->v[ix[a]]);
      o[3] = -0.5 * J[a] * v->dq[ix[b]];
    }
}
// p o exp(d); of the energy-consistent schemes p o cay(d)
static void scene_move(const nsm_view *v, const nsm_table *t, double *q1) {
  for (int i = 0; i < t->count; i++) {
    const int *q = t->ix + 10 * i + 3, *w = t->ix + 10 * i + 7;
    double d[] = { v->dq[w[0]] / 2, v->dq[w[1]] / 2, v->dq[w[2]] / 2 },
           a = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), cay = at_hand.scheme == NSM_SCHEME_MOREAU ? 0 : 1,
           c = cay ? 1 / sqrt(1 + a * a) : cos(a), f = cay ? c : nsm_sinc(a, 0),
           p = v->q[q[0]], x = v->q[q[1]], y = v->q[q[2]], z = v->q[q[3]];
    for (int j = 0; j < 3; j++) d[j] *= f;
    q1[q[0]] = p * c - x * d[0] - y * d[1] - z * d[2];
    q1[q[1]] = x * c + p * d[0] + y * d[2] - z * d[1];
    q1[q[2]] = y * c + p * d[1] + z * d[0] - x * d[2];
    q1[q[3]] = z * c + p * d[2] + x * d[1] - y * d[0];
  }
}

// Bodies of one kind of shape: spheres, boxes; fixed half-spaces, fixed boxes.
enum { SCENE_NUM = NSM_SHAPE_NUMBERS + NSM_POSE_NUMBERS + 1 };
static long scene_bodies(nsm_setup *s, int kind, int fixed, int *ix, double *num) {
  long n = 0;
  for (int i = fixed ? at_hand.n : 0; i < (fixed ? at_hand.n + at_hand.fixed : at_hand.n); i++) {
    const scene_body *b = &at_hand.body[i];
    if (b->kind != kind) continue;
    if (ix) {
      double *out = num + SCENE_NUM * n;
      memset(out, 0, SCENE_NUM * sizeof *out);
      memcpy(out, b->size, sizeof b->size);
      out[6] = out[10] = out[14] = 1;
      memcpy(out + 15, b->r, sizeof b->r);
      memcpy(out + 18, b->R, sizeof b->R);
      out[SCENE_NUM - 1] = i + 1;
      if (!fixed) scene_slots_of(s, i, ix + 10 * n);
    }
    n++;
  }
  return n;
}
#define SCENE_BODIES(name, kind, fixed)                                                                                \
  static long name(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {                                      \
    (void)g;                                                                                                           \
    return scene_bodies(s, kind, fixed, ix, num);                                                                      \
  }
SCENE_BODIES(scene_spheres, NSM_SPHERE, 0)
SCENE_BODIES(scene_boxes, NSM_BOX, 0)
SCENE_BODIES(scene_planes, NSM_HALFSPACE, 1)
SCENE_BODIES(scene_walls, NSM_BOX, 1)

static double scene_start(const scene_body *b, int j, int velocity) {
  return j < 3 ? (velocity ? b->v : b->r)[j] : j < 7 ? b->q[j - 3] : velocity ? b->w[j - 7] : 0;
}
static long scene_init(nsm_setup *s, int from, int to, int velocity, int *ix, double *num) {
  for (int i = 0; ix && i < at_hand.n; i++) {
    int of[10];
    scene_slots_of(s, i, of);
    for (int j = from; j < to; j++) {
      *ix++ = of[j];
      *num++ = scene_start(&at_hand.body[i], j, velocity);
    }
  }
  return (long)at_hand.n * (to - from);
}
#define SCENE_INIT(name, from, to, velocity)                                                                           \
  static long name(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {                                      \
    (void)g;                                                                                                           \
    return scene_init(s, from, to, velocity, ix, num);                                                                 \
  }
SCENE_INIT(scene_r, 0, 3, 0)
SCENE_INIT(scene_q, 3, 7, 0)
SCENE_INIT(scene_v, 0, 3, 1)
SCENE_INIT(scene_w, 7, 10, 1)

static int scene_params(double *p, const unsigned char *given) { (void)p; (void)given; return -1; }
static void scene_sizes(const double *p, double *bound) {
  (void)p;
  for (int var = 0; var < 3; var++) {
    double *b = bound + 2 * NSM_MOST_INDICES * var;
    b[1] = at_hand.n - 1;
    b[3] = var == 2 ? 3 : 2;
  }
}
static void scene_experiment(const double *p, nsm_experiment *e) {
  (void)p;
  e->until = at_hand.until;
  e->step = at_hand.step;
}
static void scene_law(const nsm_setup_view *g, int a, int b, double *law) {
  (void)g; (void)a; (void)b;
  law[NSM_LAW_E] = at_hand.e;
  law[NSM_LAW_MU] = at_hand.mu;
}

// The model of the scene at hand; it stays valid until the next one.
static const nsm_model *scene_model(void) {
  static const nsm_var var[] = { { NSM_VAR_COORD, ST_R, 1, 2, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_COORD, ST_TURN, 1, 2, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_POSITION, ST_Q, 1, 2, -1, 0, 0, 0, 0 } };
  static const nsm_body_shape sphere[] = { { NSM_SPHERE, 0 } }, box[] = { { NSM_BOX, 0 } },
                              plane[] = { { NSM_HALFSPACE, 0 } };
#define SCENE_SMOOTH .kind = NSM_SMOOTH, .line = 1, .label = ST_CLASS, .nslot = 10, .nnum = 5, .slot = scene_slots,    \
    .fill = scene_fill, .affine = 1
#define SCENE_FREE(shapes, with) { .kind = NSM_BODY, .line = 1, .label = ST_BODY, .nslot = 10, .nnum = SCENE_NUM,      \
    .slot = scene_slots, .fill = with, .body = NSM_BODY_SPATIAL, .nshape = 1, .shape = shapes, .material = -1 }
#define SCENE_STILL(shapes, with) { .kind = NSM_BODY, .line = 1, .label = ST_FIXED, .nnum = SCENE_NUM, .fill = with,   \
    .body = NSM_BODY_FIXED, .nshape = 1, .shape = shapes, .pose_num = 15, .material = -1 }
#define SCENE_START(slots, with, v) { .kind = NSM_INIT, .line = 1, .label = ST_CLASS, .nslot = 1, .nnum = 1,           \
    .slot = slots, .fill = with, .init_velocity = v }
  static nsm_class cls[] = {
    { SCENE_SMOOTH, .mass_stage = NSM_CONST, .f_stage = NSM_CONST, .mass = { 6, scene_rows, scene_rows, scene_wrt },
      .mass_fn = scene_mass, .f_fn = scene_weight, .energy_fn = scene_energy, .cjac = { 6, scene_rows, scene_rows,
      scene_wrt }, .c_fn = scene_discrete, .cjac_fn = scene_discrete_jac, .c_affine = 1 },
    { SCENE_SMOOTH, .f_stage = NSM_STATE, .jac_stage = NSM_STATE, .jac = { 6, gyro_row, gyro_col, scene_wrt },
      .f_fn = scene_gyroscopic, .jac_fn = scene_gyroscopic_jac, .cjac = { 12, turn_row, turn_col, turn_wrt },
      .c_fn = scene_discrete_gyroscopic, .cjac_fn = scene_discrete_gyroscopic_jac },
    { .kind = NSM_KINEMATICS, .line = 1, .label = ST_CLASS, .nslot = 10, .nnum = 5, .slot = scene_slots,
      .fill = scene_fill, .move_fn = scene_move },
    SCENE_FREE(sphere, scene_spheres), SCENE_FREE(box, scene_boxes),
    SCENE_STILL(plane, scene_planes), SCENE_STILL(box, scene_walls),
    SCENE_START(scene_own, scene_r, 0), SCENE_START(scene_position, scene_q, 0), SCENE_START(scene_own, scene_v, 1),
    SCENE_START(scene_own, scene_w, 1),
  };
  static const nsm_members all[] = { { 3, NULL }, { 4, NULL }, { 5, NULL }, { 6, NULL } };
  static nsm_shape_contact contact[] = {
    { .line = 2, .label = ST_LABEL, .name = ST_NAME, .nmembers = { 4, 0 }, .members = { all, NULL },
      .law_fn = scene_law }
  };
  static nsm_model m;
  int round = 1;                        // no body feels a gyroscopic moment
  for (int i = 0; i < at_hand.n; i++)
    for (int j = 1; j < 3; j++) round &= at_hand.body[i].inertia[j] == at_hand.body[i].inertia[0];
  cls[1].f_stage = cls[1].jac_stage = round ? NSM_NONE : NSM_STATE;
  cls[1].affine = round;
  cls[1].jac.n = round ? 0 : 6;
  cls[1].cjac.n = round ? 0 : 12;
  cls[1].c_fn = round ? NULL : scene_discrete_gyroscopic;
  cls[1].cjac_fn = round ? NULL : scene_discrete_gyroscopic_jac;
  contact[0].friction = at_hand.mu > 0 ? NSM_COULOMB : 0;
  m = (nsm_model){ .version = NSM_ABI_VERSION, THETA_GAMMA, .name = ST_MODEL, .file = ST_FILE, .text = scene_text,
                   .scheme = at_hand.scheme, .nvar = 3, .nclass = sizeof cls / sizeof *cls, .var = var, .cls = cls,
                   .params = scene_params, .sizes = scene_sizes, .experiment = scene_experiment,
                   .nshape_contact = 1, .shape_contact = contact };
  return &m;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------
static inline scene_body scene_sphere(double R, double mass, double x, double y, double z) {
  double J = 0.4 * mass * R * R;
  return (scene_body){ .kind = NSM_SPHERE, .size = { R, 0, 0 }, .mass = mass, .inertia = { J, J, J },
                       .r = { x, y, z }, .q = { 1, 0, 0, 0 } };
}
// a, b, c: its edges
static inline scene_body scene_box(double a, double b, double c, double mass, double x, double y, double z) {
  return (scene_body){ .kind = NSM_BOX, .size = { a / 2, b / 2, c / 2 }, .mass = mass,
                       .inertia = { mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12,
                                    mass * (a * a + b * b) / 12 },
                       .r = { x, y, z }, .q = { 1, 0, 0, 0 } };
}
// The half-space below the plane through r whose outward normal is axis `axis` times `sign`.
static inline scene_body scene_plane(int axis, double sign, double at) {
  scene_body b = { .kind = NSM_HALFSPACE };
  int x = (axis + 1) % 3, y = (axis + 2) % 3;
  b.r[axis] = at;
  b.R[3 * axis + 2] = sign;
  b.R[3 * x + (sign > 0 ? 0 : 1)] = 1;
  b.R[3 * y + (sign > 0 ? 1 : 0)] = 1;
  return b;
}

static inline nsm_sim *scene_open(const nsm_settings *set, nsm_error *e) { return nsm_open(scene_model(), set, e); }
// r and velocity of a body in the simulation; z: number of the velocity.
static inline const double *scene_r_of(const nsm_sim *s, int i) { return s->now.q + 3 * i; }
static inline const double *scene_v_of(const nsm_sim *s, int i) { return s->now.z + 3 * i; }
#endif
