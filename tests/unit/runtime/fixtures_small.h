// Small nonlinear models for the unit tests, one instance per class, in the shape of emitted C.
#pragma once
#include <math.h>
#include "fixtures.h"

// A class whose slots are single elements of variables 0, 1, ...: SLOT_FILL(name, {vars}, {nums})
#define SLOT_FILL(name, nslots, vars, nums)                                                             \
  static long name(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {                       \
    (void)g;                                                                                            \
    if (ix) {                                                                                           \
      const int v[] = vars;                                                                             \
      const double c[] = nums;                                                                          \
      for (int i = 0; i < nslots; i++) ix[i] = nsm_at(s, v[i], 1, 0, (const double *)0);                \
      for (int i = 0; i < (int)(sizeof c / sizeof *c) - 1; i++) num[i] = c[i];                          \
    }                                                                                                   \
    return 1;                                                                                           \
  }
#define LIST(...) { __VA_ARGS__ }

static const unsigned char fx_wq[] = { NSM_WRT_Q }, fx_xl[] = { NSM_SLOT_X, NSM_SLOT_L }, fx_wl[] = { NSM_WRT_L };
static const unsigned char small_text[] =
    "\0Small\0small.nsm\0q\0x\0y\0lambda\0kinetic\0potential\0relation\0contact stop\0constraint rod\0force";
enum {
  ST_MODEL = 1,
  ST_FILE = 7,
  ST_Q = 17,
  ST_X = 19,
  ST_Y = 21,
  ST_LAMBDA = 23,
  ST_KINETIC = 30,
  ST_POTENTIAL = 38,
  ST_RELATION = 48,
  ST_STOP = 57,
  ST_ROD = 70,
  ST_FORCE = 85
};
#define SMALL_MODEL(VAR, CLS, EXPERIMENT)                                                                              \
  {                                                                                                                    \
    .version = NSM_ABI_VERSION, THETA_GAMMA,                                                                           \
    .name = ST_MODEL, .file = ST_FILE, .text = small_text, .nvar = COUNT(VAR),                                         \
    .nclass = COUNT(CLS), .var = VAR, .cls = CLS, .sizes = fx_no_sizes, .experiment = EXPERIMENT                       \
  }
#define EXPERIMENT(name, UNTIL, STEP, THETA)                                                                           \
  static void name(const double *p, nsm_experiment *e) {                                                               \
    (void)p;                                                                                                           \
    e->start = 0;                                                                                                      \
    e->until = UNTIL;                                                                                                  \
    e->step = STEP;                                                                                                    \
    e->theta = THETA;                                                                                                  \
    e->gamma = 1;                                                                                                      \
  }

SLOT_FILL(small_q, 1, LIST(0), LIST(1, 0))
SLOT_FILL(small_q0, 1, LIST(0), LIST(1, 0))
SLOT_FILL(small_v0, 1, LIST(0), LIST(0.5, 0))
static void small_kinetic(const nsm_view *w, const nsm_table *t, double *kin, double *pot) {
  (void)pot;
  double v = w->v[t->ix[0]];
  *kin += 0.5 * v * v;
}
#define SMALL_MASS                                                                                                     \
  {                                                                                                                    \
    .kind = NSM_SMOOTH, .line = 2, .label = ST_KINETIC, .nslot = 1, .nnum = 1, .slot = fx_q1, .fill = small_q,         \
    .mass_stage = NSM_CONST, .affine = 1, .mass = { 1, fx_zero, fx_zero, fx_wv }, .mass_fn = fx_mass,                  \
    .energy_fn = small_kinetic                                                                                         \
  }
#define SMALL_INIT(SLOT, FILL, VELOCITY)                                                                               \
  {                                                                                                                    \
    .kind = NSM_INIT, .line = 1, .label = ST_KINETIC, .nslot = 1, .nnum = 1, .slot = SLOT, .fill = FILL,               \
    .init_velocity = VELOCITY                                                                                          \
  }
static const nsm_var small_q_var[] = { { NSM_VAR_COORD, ST_Q, 1, 0, -1, 0, 0, 0, 0 } };

// ---- oscillator with a stop: q'' = -q, q + 0.5 >= 0, e = 0.8 --------------------------------------------------------
static void spring_f(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fx;
  fv[t->ix[0]] -= w->q[t->ix[0]];
}
static void spring_jac(const nsm_view *w, const nsm_table *t, double *out) { (void)w; (void)t; out[0] = -1; }
SLOT_FILL(stop_fill, 1, LIST(0), LIST(-0.5, 0.8, 0))
EXPERIMENT(stop_experiment, 20, 1e-3, 0.5)
static const nsm_model *stop_model(void) UNUSED_FIXTURE;
static const nsm_model *stop_model(void) {
  static const nsm_var var[] = { { NSM_VAR_COORD, ST_Q, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_ROW, ST_STOP, 4, 0, 2, 0, 0, 0, 0 } };
  static const nsm_class cls[] = { SMALL_MASS,
                                   { .kind = NSM_SMOOTH,
                                     .line = 3,
                                     .label = ST_POTENTIAL,
                                     .nslot = 1,
                                     .nnum = 1,
                                     .slot = fx_q1,
                                     .fill = small_q,
                                     .f_stage = NSM_STATE,
                                     .jac_stage = NSM_CONST,
                                     .affine = 1,
                                     .jac = { 1, fx_zero, fx_zero, fx_wq },
                                     .f_fn = spring_f,
                                     .jac_fn = spring_jac },
                                   { .kind = NSM_CONTACT,
                                     .line = 4,
                                     .label = ST_STOP,
                                     .nslot = 1,
                                     .nnum = 2,
                                     .slot = fx_q1,
                                     .fill = stop_fill,
                                     .row_type = NSM_ROW_NONNEG,
                                     .lambda_slot = -1,
                                     .row_var = 1,
                                     .y_stage = NSM_STATE,
                                     .h_stage = NSM_CONST,
                                     .y_affine = 1,
                                     .h = { 1, fx_zero, fx_zero, fx_wv },
                                     .gap_fn = ball_gap,
                                     .rate_fn = ball_rate,
                                     .h_fn = fx_ones,
                                     .e_num = 1 },
                                   SMALL_INIT(fx_q1, small_q0, 0) };
  static const nsm_model m = SMALL_MODEL(var, cls, stop_experiment);
  return &m;
}

// ---- pendulum in one angle: q'' = -sin q ----------------------------------------------------------------------------
static void sine_f(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fx;
  fv[t->ix[0]] -= sin(w->q[t->ix[0]]);
}
static void sine_jac(const nsm_view *w, const nsm_table *t, double *out) { out[0] = -cos(w->q[t->ix[0]]); }
EXPERIMENT(pendulum_experiment, 4, 0.02, 0.5)
static const nsm_model *pendulum_model(void) UNUSED_FIXTURE;
static const nsm_model *pendulum_model(void) {
  static const nsm_class cls[] = { SMALL_MASS,
                                   { .kind = NSM_SMOOTH,
                                     .line = 3,
                                     .label = ST_POTENTIAL,
                                     .nslot = 1,
                                     .nnum = 1,
                                     .slot = fx_q1,
                                     .fill = small_q,
                                     .f_stage = NSM_STATE,
                                     .jac_stage = NSM_STATE,
                                     .jac = { 1, fx_zero, fx_zero, fx_wq },
                                     .f_fn = sine_f,
                                     .jac_fn = sine_jac },
                                   SMALL_INIT(fx_q1, small_q0, 0) };
  static const nsm_model m = SMALL_MODEL(small_q_var, cls, pendulum_experiment);
  return &m;
}

// ---- coordinate-dependent mass: T = (1 + q^2) v^2 / 2, so (1 + q^2) v' = -q v^2; v sqrt(1 + q^2) is constant --------
static void varying_mass(const nsm_view *w, const nsm_table *t, double *out) {
  double q = w->q[t->ix[0]];
  out[0] = 1 + q * q;
}
static void varying_f(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fx;
  double q = w->q[t->ix[0]], v = w->v[t->ix[0]];
  fv[t->ix[0]] -= q * v * v;
}
static void varying_jac(const nsm_view *w, const nsm_table *t, double *out) {
  double q = w->q[t->ix[0]], v = w->v[t->ix[0]];
  out[0] = -v * v;
  out[1] = -2 * q * v;
}
static const unsigned char fx_wqv[] = { NSM_WRT_Q, NSM_WRT_V };
static const nsm_model *varying_model(void) UNUSED_FIXTURE;
static const nsm_model *varying_model(void) {
  static const nsm_class cls[] = { { .kind = NSM_SMOOTH,
                                     .line = 2,
                                     .label = ST_KINETIC,
                                     .nslot = 1,
                                     .nnum = 1,
                                     .slot = fx_q1,
                                     .fill = small_q,
                                     .mass_stage = NSM_STATE,
                                     .f_stage = NSM_STATE,
                                     .jac_stage = NSM_STATE,
                                     .mass = { 1, fx_zero, fx_zero, fx_wv },
                                     .jac = { 2, fx_00, fx_00, fx_wqv },
                                     .mass_fn = varying_mass,
                                     .f_fn = varying_f,
                                     .jac_fn = varying_jac },
                                   SMALL_INIT(fx_q1, small_v0, 1) };
  static const nsm_model m = SMALL_MODEL(small_q_var, cls, pendulum_experiment);
  return &m;
}

// ---- pendulum as x, y with a rod: x^2 + y^2 = 1, gravity 1 along -y; starts at angle 1 from the downward vertical ---
SLOT_FILL(rod_mass_x, 1, LIST(0), LIST(1, 0))
SLOT_FILL(rod_mass_y, 1, LIST(1), LIST(1, 0))
SLOT_FILL(rod_weight, 1, LIST(1), LIST(-1, 0))
SLOT_FILL(rod_fill, 2, LIST(0, 1), LIST(1, 0))
SLOT_FILL(rod_x0, 1, LIST(0), LIST(0.8414709848078965, 0))
SLOT_FILL(rod_y0, 1, LIST(1), LIST(-0.5403023058681398, 0))
static void rod_gap(const nsm_view *w, const nsm_table *t, double *gap, double *rate) {
  double x = w->q[t->ix[0]], y = w->q[t->ix[1]];
  gap[0] = x * x + y * y - 1;
  rate[0] = 2 * (x * w->v[t->ix[0]] + y * w->v[t->ix[1]]);
}
static void rod_rate(const nsm_view *w, const nsm_table *t, double *rate) { double gap; rod_gap(w, t, &gap, rate); }
static void rod_h(const nsm_view *w, const nsm_table *t, double *out) {
  out[0] = 2 * w->q[t->ix[0]];
  out[1] = 2 * w->q[t->ix[1]];
}
static const nsm_model *rod_model(void) UNUSED_FIXTURE;
static const nsm_model *rod_model(void) {
  static const nsm_var var[] = { { NSM_VAR_COORD, ST_X, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_COORD, ST_Y, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_ROW, ST_ROD, 4, 0, 3, 0, 0, 0, 0 } };
#define ROD_MASS(F)                                                                                                    \
  {                                                                                                                    \
    .kind = NSM_SMOOTH, .line = 2, .label = ST_KINETIC, .nslot = 1, .nnum = 1, .slot = fx_q1, .fill = F,               \
    .mass_stage = NSM_CONST, .affine = 1, .mass = { 1, fx_zero, fx_zero, fx_wv }, .mass_fn = fx_mass,                  \
    .energy_fn = small_kinetic                                                                                         \
  }
  static const nsm_class cls[] = { ROD_MASS(rod_mass_x),
                                   ROD_MASS(rod_mass_y),
                                   { .kind = NSM_SMOOTH,
                                     .line = 3,
                                     .label = ST_POTENTIAL,
                                     .nslot = 1,
                                     .nnum = 1,
                                     .slot = fx_q1,
                                     .fill = rod_weight,
                                     .f_stage = NSM_CONST,
                                     .affine = 1,
                                     .f_fn = fx_weight,
                                     .energy_fn = fx_potential },
                                   { .kind = NSM_CONSTRAINT,
                                     .line = 4,
                                     .label = ST_ROD,
                                     .nslot = 2,
                                     .nnum = 1,
                                     .slot = fx_q2,
                                     .fill = rod_fill,
                                     .row_type = NSM_ROW_FREE,
                                     .lambda_slot = -1,
                                     .row_var = 2,
                                     .y_stage = NSM_STATE,
                                     .h_stage = NSM_STATE,
                                     .h = { 2, fx_00, fx_01, fx_vv },
                                     .gap_fn = rod_gap,
                                     .rate_fn = rod_rate,
                                     .h_fn = rod_h,
                                     .e_num = -1 },
                                   SMALL_INIT(fx_q1, rod_x0, 0),
                                   SMALL_INIT(fx_q1, rod_y0, 0) };
  static const nsm_model m = SMALL_MODEL(var, cls, pendulum_experiment);
  return &m;
}

// ---- scalar relay: x' = lambda, lambda in -Sgn(x) -------------------------------------------------------------------
SLOT_FILL(relay_equation, 2, LIST(0, 1), LIST(1, 0))
SLOT_FILL(relay_relation, 2, LIST(0, 1), LIST(1, 0))
SLOT_FILL(relay_x0, 1, LIST(0), LIST(1.0005, 0))
static void relay_g(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fv;
  fx[t->ix[0]] += w->l[t->ix[1]];
}
static void relay_y(const nsm_view *w, const nsm_table *t, double *y) { y[0] = w->x[t->ix[0]]; }
static void relay_law(const nsm_view *w, const nsm_table *t, double *lo, double *hi) {
  (void)w;
  for (int k = 0; k < t->count; k++) { lo[k] = -1; hi[k] = 1; }
}
EXPERIMENT(relay_experiment, 2, 1e-3, 1)
static const nsm_model *relay_model(void) UNUSED_FIXTURE;
static const nsm_model *relay_model(void) {
  static const nsm_var var[] = { { NSM_VAR_STATE, ST_X, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_MULTIPLIER, ST_LAMBDA, 1, 0, -1, 0, 0, 0, 0 } };
  static const nsm_class cls[] = { { .kind = NSM_SMOOTH,
                                     .line = 2,
                                     .label = ST_FORCE,
                                     .nslot = 2,
                                     .nnum = 1,
                                     .slot = fx_xl,
                                     .fill = relay_equation,
                                     .mass_stage = NSM_CONST,
                                     .g_stage = NSM_STATE,
                                     .b_stage = NSM_CONST,
                                     .affine = 1,
                                     .mass = { 1, fx_zero, fx_zero, fx_wx },
                                     .b = { 1, fx_zero, fx_one, fx_wl },
                                     .mass_fn = fx_ones,
                                     .g_fn = relay_g,
                                     .b_fn = fx_ones },
                                   { .kind = NSM_RELATION,
                                     .line = 3,
                                     .label = ST_RELATION,
                                     .nslot = 2,
                                     .nnum = 1,
                                     .slot = fx_xl,
                                     .fill = relay_relation,
                                     .row_type = NSM_ROW_BOX,
                                     .lambda_slot = 1,
                                     .row_var = -1,
                                     .y_stage = NSM_STATE,
                                     .h_stage = NSM_CONST,
                                     .law_stage = NSM_CONST,
                                     .y_affine = 1,
                                     .h = { 1, fx_zero, fx_zero, fx_wx },
                                     .y_fn = relay_y,
                                     .h_fn = fx_ones,
                                     .law_fn = relay_law,
                                     .e_num = -1 },
                                   SMALL_INIT(fx_x1, relay_x0, 0) };
  static const nsm_model m = SMALL_MODEL(var, cls, relay_experiment);
  return &m;
}

// ---- fully nonlinear relation: x' = -1 + lambda + lambda^3, 0 <= x perp lambda >= 0, x0 = 0.5 -----------------------
SLOT_FILL(cubic_x0, 1, LIST(0), LIST(0.5, 0))
static void cubic_f(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)w;
  (void)fv;
  fx[t->ix[0]] -= 1;
}
static void cubic_g(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fv;
  double l = w->l[t->ix[1]];
  fx[t->ix[0]] += l + l * l * l;
}
static void cubic_b(const nsm_view *w, const nsm_table *t, double *out) {
  double l = w->l[t->ix[1]];
  out[0] = 1 + 3 * l * l;
}
EXPERIMENT(cubic_experiment, 1, 1e-2, 1)
static const nsm_model *cubic_model(void) UNUSED_FIXTURE;
static const nsm_model *cubic_model(void) {
  static const nsm_var var[] = { { NSM_VAR_STATE, ST_X, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_MULTIPLIER, ST_LAMBDA, 1, 0, -1, 0, 0, 0, 0 } };
  static const nsm_class cls[] = { { .kind = NSM_SMOOTH,
                                     .line = 2,
                                     .label = ST_FORCE,
                                     .nslot = 2,
                                     .nnum = 1,
                                     .slot = fx_xl,
                                     .fill = relay_equation,
                                     .mass_stage = NSM_CONST,
                                     .f_stage = NSM_CONST,
                                     .g_stage = NSM_STATE,
                                     .b_stage = NSM_STATE,
                                     .mass = { 1, fx_zero, fx_zero, fx_wx },
                                     .b = { 1, fx_zero, fx_one, fx_wl },
                                     .mass_fn = fx_ones,
                                     .f_fn = cubic_f,
                                     .g_fn = cubic_g,
                                     .b_fn = cubic_b },
                                   { .kind = NSM_RELATION,
                                     .line = 3,
                                     .label = ST_RELATION,
                                     .nslot = 2,
                                     .nnum = 1,
                                     .slot = fx_xl,
                                     .fill = relay_relation,
                                     .row_type = NSM_ROW_NONNEG,
                                     .lambda_slot = 1,
                                     .row_var = -1,
                                     .y_stage = NSM_STATE,
                                     .h_stage = NSM_CONST,
                                     .y_affine = 1,
                                     .h = { 1, fx_zero, fx_zero, fx_wx },
                                     .y_fn = relay_y,
                                     .h_fn = fx_ones,
                                     .e_num = -1 },
                                   SMALL_INIT(fx_x1, cubic_x0, 0) };
  static const nsm_model m = SMALL_MODEL(var, cls, cubic_experiment);
  return &m;
}

// ---- q'' = log(1 - t): becomes infinite at t = 1 and nan after ------------------------------------------------------
static void log_f(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fx;
  fv[t->ix[0]] += log(1 - w->t);
}
EXPERIMENT(log_experiment, 2, 0.015, 0.5)
static const nsm_model *log_model(void) UNUSED_FIXTURE;
static const nsm_model *log_model(void) {
  static const nsm_class cls[] = { SMALL_MASS,
                                   { .kind = NSM_SMOOTH,
                                     .line = 3,
                                     .label = ST_FORCE,
                                     .nslot = 1,
                                     .nnum = 1,
                                     .slot = fx_q1,
                                     .fill = small_q,
                                     .f_stage = NSM_TIME,
                                     .affine = 1,
                                     .f_fn = log_f } };
  static const nsm_model m = SMALL_MODEL(small_q_var, cls, log_experiment);
  return &m;
}
