// Models with two-point kernels, in the shape of emitted C: [Möller 2011, 6.1] and 6.2, and the double pendulum in two
// angles.
#pragma once
#include <complex.h>
#include <math.h>
#include "fixtures.h"

static const unsigned char con_text[] =
    "\0Con\0con.nsm\0x1\0y1\0x2\0y2\0wall.lambda\0arm.lambda\0rod.lambda\0kinetic\0potential\0contact "
    "wall[%]\0constraint arm[%]\0constraint rod"
    "\0initial\0e\0copies\0shift";
enum {
  NT_MODEL = 1,
  NT_FILE = 5,
  NT_X1 = 13,
  NT_Y1 = 16,
  NT_X2 = 19,
  NT_Y2 = 22,
  NT_WALL_L = 25,
  NT_ARM_L = 37,
  NT_ROD_L = 48,
  NT_KINETIC = 59,
  NT_POTENTIAL = 67,
  NT_WALL = 77,
  NT_ARM = 93,
  NT_ROD = 111,
  NT_INIT = 126,
  NT_e = 134,
  NT_COPIES = 136,
  NT_SHIFT = 143
};
static const unsigned char con_q4[] = { NSM_SLOT_Q, NSM_SLOT_Q, NSM_SLOT_Q, NSM_SLOT_Q },
                           con_wqv[] = { NSM_WRT_Q, NSM_WRT_V },
                           con_vvvv[] = { NSM_WRT_V, NSM_WRT_V, NSM_WRT_V, NSM_WRT_V };
static const unsigned short con_0123[] = { 0, 1, 2, 3 }, con_0000[] = { 0, 0, 0, 0 };
static const unsigned char con_qqqq[] = { NSM_WRT_Q, NSM_WRT_Q, NSM_WRT_Q, NSM_WRT_Q };
static int con_at(nsm_setup *s, int var) { return nsm_at(s, var, 1, 0, (const double *)0); }

// parameters: e; copies of the first rod; shift of the initial x1, v1
static const nsm_par con_par[] = { { .name = NT_e, .line = 1 },
                                   { .name = NT_COPIES, .line = 1 },
                                   { .name = NT_SHIFT, .line = 1 } };
static int con_params(double *p, const unsigned char *given) {
  static const double own[] = { 1, 1, 0 };
  for (int i = 0; i < 3; i++) if (!given[i]) p[i] = own[i];
  return -1;
}

// T = sum m v^2 / 2
static void con_kin_c(const nsm_view *w, const nsm_table *t, double *r) {
  for (int i = 0; i < t->count; i++) r[t->ix[i]] += t->num[i] * (w->v[t->ix[i]] - w->v0[t->ix[i]]);
}
#define CON_KINETIC(FILL)                                                                                              \
  {                                                                                                                    \
    .kind = NSM_SMOOTH, .line = 2, .label = NT_KINETIC, .nslot = 1, .nnum = 1, .slot = fx_q1, .fill = FILL,            \
    .mass_stage = NSM_CONST, .affine = 1, .mass = { 1, fx_zero, fx_zero, fx_wv }, .mass_fn = fx_mass,                  \
    .energy_fn = fx_kinetic, .cjac = { 1, fx_zero, fx_zero, fx_wv }, .c_fn = con_kin_c, .cjac_fn = fx_mass,            \
    .c_affine = 1                                                                                                      \
  }
// V = -sum f q
static void con_weight_c(const nsm_view *w, const nsm_table *t, double *r) {
  for (int i = 0; i < t->count; i++) r[t->ix[i]] -= w->h * t->num[i];
}
#define CON_WEIGHT(FILL)                                                                                               \
  {                                                                                                                    \
    .kind = NSM_SMOOTH, .line = 3, .label = NT_POTENTIAL, .nslot = 1, .nnum = 1, .slot = fx_q1, .fill = FILL,          \
    .f_stage = NSM_CONST, .affine = 1, .f_fn = fx_weight, .energy_fn = fx_potential, .c_fn = con_weight_c,             \
    .c_affine = 1                                                                                                      \
  }
#define CON_INIT(FILL, VELOCITY)                                                                                       \
  {                                                                                                                    \
    .kind = NSM_INIT, .line = 1, .label = NT_INIT, .nslot = 1, .nnum = 1, .slot = fx_q1, .fill = FILL,                 \
    .init_velocity = VELOCITY                                                                                          \
  }

// fill of a class over the first n variables with numbers
#define CON_FILL(name, n, ...)                                                                            \
  static long name(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {                         \
    const double c[] = { __VA_ARGS__ };                                                                   \
    (void)g;                                                                                              \
    for (int i = 0; ix && i < n; i++) { ix[i] = con_at(s, i); num[i] = c[i]; }                            \
    return n;                                                                                             \
  }

// ---- two masses and a spring, [Möller 2011, 6.1]: gap x1 - x2 -------------------------------------------------------
CON_FILL(osc_mass, 2, 10, 1e-3)
CON_FILL(osc_weight, 2, -98.1, -9.81e-3)
CON_FILL(osc_start, 2, 0.11, 0.1)
static long osc_spring(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  (void)g;
  if (ix) { ix[0] = con_at(s, 1); num[0] = 4e5; num[1] = 0.1; }
  return 1;
}
static long osc_contact(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  if (ix) { ix[0] = con_at(s, 0); ix[1] = con_at(s, 1); num[0] = 0; num[1] = g->p[0]; num[2] = 1; }
  return 1;
}
static void spring_energy(const nsm_view *w, const nsm_table *t, double *kin, double *pot) {
  (void)kin;
  double d = w->q[t->ix[0]] - t->num[1];
  *pot += 0.5 * t->num[0] * d * d;
}
static void spring_c(const nsm_view *w, const nsm_table *t, double *r) {
  int i = t->ix[0];
  r[i] += w->h * t->num[0] * (0.5 * (w->q[i] + w->q0[i]) - t->num[1]);
}
static void spring_cjac(const nsm_view *w, const nsm_table *t, double *out) { out[0] = 0.5 * w->h * t->num[0]; }
static void osc_experiment(const double *p, nsm_experiment *e) { (void)p; e->start = 0; e->until = 1; e->step = 1e-3; }

#define CON_MODEL(SCHEME, VAR, CLS, EXPERIMENT)                                                                        \
  {                                                                                                                    \
    .version = NSM_ABI_VERSION, .name = NT_MODEL, .file = NT_FILE, .text = con_text, .scheme = SCHEME,                 \
    .nvar = COUNT(VAR), .npar = 3, .nclass = COUNT(CLS), .var = VAR, .par = con_par, .cls = CLS, .params = con_params, \
    .sizes = fx_no_sizes, .experiment = EXPERIMENT                                                                     \
  }

static const nsm_model *osc_model(void) {
  static const nsm_var var[] = { { NSM_VAR_COORD, NT_X1, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_COORD, NT_X2, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_ROW, NT_WALL_L, 4, 0, 3, 0, 0, 0, 0 } };
  static const nsm_class cls[] = { CON_KINETIC(osc_mass),
                                   CON_WEIGHT(osc_weight),
                                   { .kind = NSM_SMOOTH,
                                     .line = 3,
                                     .label = NT_POTENTIAL,
                                     .nslot = 1,
                                     .nnum = 2,
                                     .slot = fx_q1,
                                     .fill = osc_spring,
                                     .energy_fn = spring_energy,
                                     .cjac = { 1, fx_zero, fx_zero, con_wqv },
                                     .c_fn = spring_c,
                                     .cjac_fn = spring_cjac,
                                     .c_affine = 1 },
                                   { .kind = NSM_CONTACT,
                                     .line = 4,
                                     .label = NT_WALL,
                                     .nslot = 2,
                                     .nnum = 3,
                                     .slot = fx_q2,
                                     .fill = osc_contact,
                                     .row_type = NSM_ROW_NONNEG,
                                     .lambda_slot = -1,
                                     .row_var = 2,
                                     .y_stage = NSM_STATE,
                                     .h_stage = NSM_CONST,
                                     .y_affine = 1,
                                     .h = { 2, fx_00, fx_01, fx_vv },
                                     .gap_fn = pair_gap,
                                     .rate_fn = pair_rate,
                                     .h_fn = pair_h,
                                     .e_num = 1 },
                                   CON_INIT(osc_start, 0) };
  static const nsm_model m = CON_MODEL(NSM_SCHEME_CONSISTENT, var, cls, osc_experiment);
  return &m;
}

// ---- unilateral double pendulum, [Möller 2011, 6.2]: x1, y1, x2, y2 with rods, walls x1 >= 0, x2 >= 0 ---------------
CON_FILL(pend_mass, 4, 0.2, 0.2, 0.2, 0.2)
CON_FILL(pend_weight, 4, 0, 0.2 * 9.81, 0, 0.2 * 9.81)
static long pend_q0(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  const double c[] = { 0, 0.5, 0, 1 };
  for (int i = 0; ix && i < 4; i++) { ix[i] = con_at(s, i); num[i] = c[i]; }
  if (ix) num[1] += g->p[2];
  return 4;
}
CON_FILL(pend_v0, 4, 2.5, 0, 5, 0)
static long pend_walls(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  for (int i = 0; ix && i < 2; i++) {
    ix[i] = con_at(s, 2 * i);
    num[3 * i] = 0;
    num[3 * i + 1] = g->p[0];
    num[3 * i + 2] = i + 1;
  }
  return 2;
}
static void wall_gap(const nsm_view *w, const nsm_table *t, double *gap, double *rate) {
  for (int i = 0; i < t->count; i++) { gap[i] = w->q[t->ix[i]]; rate[i] = w->v[t->ix[i]]; }
}
static long pend_arm(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  long n = (long)g->p[1];
  for (int i = 0; ix && i < n; i++) {
    ix[2 * i] = con_at(s, 0);
    ix[2 * i + 1] = con_at(s, 1);
    num[2 * i] = 0.5;
    num[2 * i + 1] = i + 1;
  }
  return n;
}
static long pend_rod(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  (void)g;
  for (int i = 0; ix && i < 4; i++) { ix[i] = con_at(s, i); num[0] = 0.5; }
  return 1;
}
static void arm_gap(const nsm_view *w, const nsm_table *t, double *gap, double *rate) {
  for (int i = 0; i < t->count; i++) {
    const int *ix = t->ix + 2 * i;
    double x = w->q[ix[0]], y = w->q[ix[1]], l = t->num[2 * i];
    gap[i] = 0.5 * (x * x + y * y - l * l);
    rate[i] = x * w->v[ix[0]] + y * w->v[ix[1]];
  }
}
static void arm_rate(const nsm_view *w, const nsm_table *t, double *rate) { double gap[8]; arm_gap(w, t, gap, rate); }
static void arm_h(const nsm_view *w, const nsm_table *t, double *out) {
  for (int i = 0; i < 2 * t->count; i++) out[i] = w->q[t->ix[i]];
}
static void arm_dg(const nsm_view *w, const nsm_table *t, double *out) {
  for (int i = 0; i < 2 * t->count; i++) out[i] = 0.5 * (w->q0[t->ix[i]] + w->q[t->ix[i]]);
}
static void arm_v(const nsm_view *w, const nsm_table *t, double *out) {
  for (int i = 0; i < 2 * t->count; i++) out[i] = w->v[t->ix[i]];
}
static void arm_curve(const nsm_view *w, const nsm_table *t, const double *l, const double *k, double *out) {
  (void)w;
  for (int i = 0; i < t->count; i++) {
    out[4 * i] = out[4 * i + 1] = 0.5 * l[i];
    out[4 * i + 2] = out[4 * i + 3] = k[i];
  }
}
static void rod2_parts(const double *q, const double *v, const nsm_table *t, double *dq, double *dv) {
  for (int a = 0; a < 2; a++) { dq[a] = q[t->ix[a]] - q[t->ix[a + 2]]; dv[a] = v[t->ix[a]] - v[t->ix[a + 2]]; }
}
static void rod2_gap(const nsm_view *w, const nsm_table *t, double *gap, double *rate) {
  double q[2], v[2];
  rod2_parts(w->q, w->v, t, q, v);
  *gap = 0.5 * (q[0] * q[0] + q[1] * q[1] - t->num[0] * t->num[0]);
  *rate = q[0] * v[0] + q[1] * v[1];
}
static void rod2_rate(const nsm_view *w, const nsm_table *t, double *rate) { double gap; rod2_gap(w, t, &gap, rate); }
static void rod2_h(const nsm_view *w, const nsm_table *t, double *out) {
  double q[2], v[2];
  rod2_parts(w->q, w->v, t, q, v);
  for (int a = 0; a < 2; a++) { out[a] = q[a]; out[a + 2] = -q[a]; }
}
static void rod2_v(const nsm_view *w, const nsm_table *t, double *out) {
  double q[2], v[2];
  rod2_parts(w->q, w->v, t, q, v);
  for (int a = 0; a < 2; a++) { out[a] = v[a]; out[a + 2] = -v[a]; }
}
static void rod2_dg(const nsm_view *w, const nsm_table *t, double *out) {
  double q[2], v[2], p[2];
  rod2_parts(w->q, w->v, t, q, v);
  rod2_parts(w->q0, w->v, t, p, v);
  for (int a = 0; a < 2; a++) { out[a] = 0.5 * (q[a] + p[a]); out[a + 2] = -out[a]; }
}
static const unsigned short con_rod_row[] = { 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3 },
                            con_rod_col[] = { 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3, 0, 1 };
static const unsigned char con_rod_wrt[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
static void rod2_curve(const nsm_view *w, const nsm_table *t, const double *l, const double *k, double *out) {
  (void)w; (void)t;
  for (int i = 0; i < 16; i++) out[i] = (i < 8 ? 0.5 * l[0] : k[0]) * (i % 8 < 4 ? 1 : -1);
}
static const unsigned short con_0101[] = { 0, 1, 0, 1 };
static const unsigned char con_qqvv[] = { NSM_WRT_Q, NSM_WRT_Q, NSM_WRT_V, NSM_WRT_V },
                           con_qq[] = { NSM_WRT_Q, NSM_WRT_Q };
static void pend_experiment(const double *p, nsm_experiment *e) {
  (void)p;
  e->start = 0;
  e->until = 10;
  e->step = 1e-2;
}

static const nsm_model *pend_model(int scheme) {
  static const nsm_var var[] = { { NSM_VAR_COORD, NT_X1, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_COORD, NT_Y1, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_COORD, NT_X2, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_COORD, NT_Y2, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_ROW, NT_WALL_L, 4, 0, 2, 0, 0, 0, 0 },
                                 { NSM_VAR_ROW, NT_ARM_L, 5, 0, 3, 0, 0, 0, 0 },
                                 { NSM_VAR_ROW, NT_ROD_L, 6, 0, 4, 0, 0, 0, 0 } };
  static const nsm_class cls[] = { CON_KINETIC(pend_mass),
                                   CON_WEIGHT(pend_weight),
                                   { .kind = NSM_CONTACT,
                                     .line = 4,
                                     .label = NT_WALL,
                                     .nslot = 1,
                                     .nnum = 3,
                                     .slot = fx_q1,
                                     .fill = pend_walls,
                                     .row_type = NSM_ROW_NONNEG,
                                     .lambda_slot = -1,
                                     .row_var = 4,
                                     .y_stage = NSM_STATE,
                                     .h_stage = NSM_CONST,
                                     .y_affine = 1,
                                     .h = { 1, fx_zero, fx_zero, fx_wv },
                                     .gap_fn = wall_gap,
                                     .rate_fn = ball_rate,
                                     .h_fn = fx_ones,
                                     .e_num = 1 },
                                   { .kind = NSM_CONSTRAINT,
                                     .line = 5,
                                     .label = NT_ARM,
                                     .nslot = 2,
                                     .nnum = 2,
                                     .slot = fx_q2,
                                     .fill = pend_arm,
                                     .row_type = NSM_ROW_FREE,
                                     .lambda_slot = -1,
                                     .row_var = 5,
                                     .y_stage = NSM_STATE,
                                     .h_stage = NSM_STATE,
                                     .h = { 2, fx_00, fx_01, fx_vv },
                                     .gap_fn = arm_gap,
                                     .rate_fn = arm_rate,
                                     .h_fn = arm_h,
                                     .e_num = -1,
                                     .rq = { 2, fx_00, fx_01, con_qq },
                                     .dr = { 2, fx_00, fx_01, fx_vv },
                                     .curve = { 4, con_0101, con_0101, con_qqvv },
                                     .dg_fn = arm_dg,
                                     .rq_fn = arm_v,
                                     .drate_fn = arm_v,
                                     .curve_fn = arm_curve },
                                   { .kind = NSM_CONSTRAINT,
                                     .line = 6,
                                     .label = NT_ROD,
                                     .nslot = 4,
                                     .nnum = 1,
                                     .slot = con_q4,
                                     .fill = pend_rod,
                                     .row_type = NSM_ROW_FREE,
                                     .lambda_slot = -1,
                                     .row_var = 6,
                                     .y_stage = NSM_STATE,
                                     .h_stage = NSM_STATE,
                                     .h = { 4, con_0000, con_0123, con_vvvv },
                                     .gap_fn = rod2_gap,
                                     .rate_fn = rod2_rate,
                                     .h_fn = rod2_h,
                                     .e_num = -1,
                                     .rq = { 4, con_0000, con_0123, con_qqqq },
                                     .dr = { 4, con_0000, con_0123, con_vvvv },
                                     .curve = { 16, con_rod_row, con_rod_col, con_rod_wrt },
                                     .dg_fn = rod2_dg,
                                     .rq_fn = rod2_v,
                                     .drate_fn = rod2_v,
                                     .curve_fn = rod2_curve },
                                   CON_INIT(pend_q0, 0),
                                   CON_INIT(pend_v0, 1) };
  static const nsm_model two = CON_MODEL(NSM_SCHEME_CONSISTENT, var, cls, pend_experiment),
                         one = CON_MODEL(NSM_SCHEME_CONSISTENT1, var, cls, pend_experiment);
  return scheme == NSM_SCHEME_CONSISTENT ? &two : &one;
}

// ---- double pendulum in two angles: T = m l^2 (w1^2 + w1 w2 cos(a1 - a2) + w2^2 / 2), V = -m g l (2 cos a1 + cos a2) 
static const double ang_J = 0.2 * 0.25, ang_W = 0.2 * 9.81 * 0.5;
static double complex half_sinc(double complex d) {
  return cabs(d) < 1e-3 ? 1 - d * d / 24 + d * d * d * d / 1920 : csin(0.5 * d) / (0.5 * d);
}
// (cos b - cos a)/(b - a)
static double complex dcos(double complex a, double complex b) { return -csin(0.5 * (a + b)) * half_sinc(b - a); }
// R1 of (12), in complex numbers: its derivatives are imaginary parts.
static void ang_r1(const nsm_view *w, const int *ix, const double complex *q, const double complex *v,
                   double complex *r) {
  double complex d = q[0] - q[1], u[2] = { 0.5 * (v[0] + w->v0[ix[0]]), 0.5 * (v[1] + w->v0[ix[1]]) };
  double q0[2] = { w->q0[ix[0]], w->q0[ix[1]] }, v0[2] = { w->v0[ix[0]], w->v0[ix[1]] }, d0 = q0[0] - q0[1];
  double complex c = 0.5 * (cos(d0) + ccos(d)), g = ang_J * csin(0.5 * (d0 + d)) * (u[0] + u[1]);
  double complex t = 0.5 * w->h * ang_J * (v0[0] * v0[1] + v[0] * v[1]) * dcos(d0, d);
  r[0] =
      ang_J * (2 * (v[0] - v0[0]) + c * (v[1] - v0[1])) + g * (q[1] - q0[1]) + t - 2 * w->h * ang_W * dcos(q0[0], q[0]);
  r[1] = ang_J * (c * (v[0] - v0[0]) + (v[1] - v0[1])) - g * (q[0] - q0[0]) - t - w->h * ang_W * dcos(q0[1], q[1]);
}
static void ang_c(const nsm_view *w, const nsm_table *t, double *r) {
  double complex q[2], v[2], x[2];
  for (int i = 0; i < 2; i++) { q[i] = w->q[t->ix[i]]; v[i] = w->v[t->ix[i]]; }
  ang_r1(w, t->ix, q, v, x);
  for (int i = 0; i < 2; i++) r[t->ix[i]] += creal(x[i]);
}
static void ang_cjac(const nsm_view *w, const nsm_table *t, double *out) {
  const double tiny = 1e-100;
  for (int j = 0; j < 4; j++) {
    double complex q[2], v[2], x[2];
    for (int i = 0; i < 2; i++) {
      q[i] = w->q[t->ix[i]] + (j == i ? tiny * I : 0);
      v[i] = w->v[t->ix[i]] + (j == i + 2 ? tiny * I : 0);
    }
    ang_r1(w, t->ix, q, v, x);
    for (int i = 0; i < 2; i++) out[2 * j + i] = cimag(x[i]) / tiny;
  }
}
static void ang_mass(const nsm_view *w, const nsm_table *t, double *out) {
  double c = cos(w->q[t->ix[0]] - w->q[t->ix[1]]);
  out[0] = 2 * ang_J; out[1] = out[2] = ang_J * c; out[3] = ang_J;
}
static void ang_energy(const nsm_view *w, const nsm_table *t, double *kin, double *pot) {
  double a = w->q[t->ix[0]], b = w->q[t->ix[1]], x = w->v[t->ix[0]], y = w->v[t->ix[1]];
  *kin += ang_J * (x * x + x * y * cos(a - b) + 0.5 * y * y);
  *pot -= ang_W * (2 * cos(a) + cos(b));
}
static long ang_fill(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  (void)g; (void)num;
  for (int i = 0; ix && i < 2; i++) ix[i] = con_at(s, i);
  return 1;
}
CON_FILL(ang_v0, 2, 5, 5)
static const nsm_model *ang_model(void) {
  static const unsigned short row[] = { 0, 1, 0, 1, 0, 1, 0, 1 }, col[] = { 0, 0, 1, 1, 0, 0, 1, 1 };
  static const unsigned char wrt[] = { 0, 0, 0, 0, 1, 1, 1, 1 }, v4[] = { 1, 1, 1, 1 };
  static const nsm_var var[] = { { NSM_VAR_COORD, NT_X1, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_COORD, NT_X2, 1, 0, -1, 0, 0, 0, 0 } };
  static const nsm_class cls[] = { { .kind = NSM_SMOOTH,
                                     .line = 2,
                                     .label = NT_KINETIC,
                                     .nslot = 2,
                                     .slot = fx_q2,
                                     .fill = ang_fill,
                                     .mass_stage = NSM_STATE,
                                     .mass = { 4, row, col, v4 },
                                     .mass_fn = ang_mass,
                                     .energy_fn = ang_energy,
                                     .cjac = { 8, row, col, wrt },
                                     .c_fn = ang_c,
                                     .cjac_fn = ang_cjac },
                                   CON_INIT(ang_v0, 1) };
  static const nsm_model m = CON_MODEL(NSM_SCHEME_CONSISTENT, var, cls, pend_experiment);
  return &m;
}
