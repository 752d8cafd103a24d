// Models written by hand in the shape of emitted C: classes with tables, kernels as loops. Each is a function that
// returns the model. Every file that includes this one gets its own static copy.
#pragma once
#include "runtime/nsm_abi.h"
#include "points.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define UNUSED_FIXTURE __attribute__((unused))
static const unsigned char fx_q1[] = { NSM_SLOT_Q }, fx_q2[] = { NSM_SLOT_Q, NSM_SLOT_Q }, fx_wv[] = { NSM_WRT_V },
                           fx_vv[] = { NSM_WRT_V, NSM_WRT_V };
static const unsigned short fx_zero[] = { 0 }, fx_one[] = { 1 }, fx_01[] = { 0, 1 }, fx_00[] = { 0, 0 },
                            fx_23[] = { 2, 3 }, fx_012[] = { 0, 1, 2 }, fx_000[] = { 0, 0, 0 };

// ---- bouncing ball: m, g, R, e --------------------------------------------------------------------------------------
static const unsigned char ball_text[] =
    "\0Ball\0ball.nsm\0z\0floor.lambda\0kinetic\0potential\0contact floor\0m\0kg\0g\0m/s^2\0R\0m\0e\0initial "
    "value\0mass"
    "\0final(z) >= 0\0height\0energy(z)";
enum {
  BT_MODEL = 1,
  BT_FILE = 6,
  BT_Z = 15,
  BT_FLOOR = 17,
  BT_KINETIC = 30,
  BT_POTENTIAL = 38,
  BT_CONTACT = 48,
  BT_m = 62,
  BT_kg = 64,
  BT_g = 67,
  BT_ms2 = 69,
  BT_R = 75,
  BT_metre = 77,
  BT_e = 79,
  BT_INIT = 81,
  BT_MASS = 95,
  BT_CLAIM = 100,
  BT_HEIGHT = 114
};

static long ball_one(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num, int which) {
  if (ix) {
    ix[0] = nsm_at(s, 0, 4, 0, (const double *)0);
    if (which == 0) num[0] = g->p[0];
    if (which == 1) num[0] = -g->p[0] * g->p[1];
    if (which == 2) { num[0] = g->p[2]; num[1] = g->p[3]; }
    if (which == 3) num[0] = 1;
  }
  return 1;
}
static long ball_fill_mass(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return ball_one(s, g, ix, num, 0);
}
static long ball_fill_force(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return ball_one(s, g, ix, num, 1);
}
static long ball_fill_contact(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return ball_one(s, g, ix, num, 2);
}
static long ball_fill_init(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return ball_one(s, g, ix, num, 3);
}
static long ball_fill_out(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return ball_one(s, g, ix, num, 4);
}

static void fx_mass(const nsm_view *w, const nsm_table *t, double *out) {
  (void)w;
  for (int k = 0; k < t->count; k++) out[k] = t->num[k];
}
static void fx_kinetic(const nsm_view *w, const nsm_table *t, double *kin, double *pot) {
  (void)pot;
  for (int k = 0; k < t->count; k++) { double v = w->v[t->ix[k]]; *kin += 0.5 * t->num[k] * v * v; }
}
static void fx_weight(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)w; (void)fx;
  for (int k = 0; k < t->count; k++) fv[t->ix[k]] += t->num[k];
}
static void fx_potential(const nsm_view *w, const nsm_table *t, double *kin, double *pot) {
  (void)kin;
  for (int k = 0; k < t->count; k++) *pot -= t->num[k] * w->q[t->ix[k]];
}
static void ball_gap(const nsm_view *w, const nsm_table *t, double *gap, double *rate) {
  for (int k = 0; k < t->count; k++) {
    gap[k] = w->q[t->ix[k]] - t->num[2 * k];
    rate[k] = w->v[t->ix[k]];
  }
}
static void ball_rate(const nsm_view *w, const nsm_table *t, double *rate) {
  for (int k = 0; k < t->count; k++) rate[k] = w->v[t->ix[k]];
}
static void fx_ones(const nsm_view *w, const nsm_table *t, double *out) {
  (void)w;
  for (int k = 0; k < t->count; k++) out[k] = 1;
}
static void ball_height(const nsm_view *w, const nsm_table *t, double *out) {
  for (int k = 0; k < t->count; k++) out[k] = 2 * w->q[t->ix[k]];
}
static int ball_params(double *p, const unsigned char *given) {
  static const double own[] = { 1, 9.81, 0.1, 0.9 };
  for (int i = 0; i < 4; i++) if (!given[i]) p[i] = own[i];
  return -1;
}
static void fx_no_sizes(const double *p, double *bound) { (void)p; (void)bound; }
static void ball_experiment(const double *p, nsm_experiment *e) {
  (void)p;
  e->start = 0; e->until = 10; e->step = 5e-3; e->theta = 0.5; e->gamma = 1;
}
static int ball_expect(const double *p, const double *stat, int i) { (void)p; (void)i; return stat[0] >= 0; }

static const nsm_model *ball_model(void) UNUSED_FIXTURE;
static const nsm_model *ball_model(void) {
  static const nsm_var var[] = { { NSM_VAR_COORD, BT_Z, 4, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_ROW, BT_FLOOR, 7, 0, 2, 0, 0, 0, 0 } };
  static const nsm_par par[] = { { .name = BT_m, .unit = BT_kg, .line = 2 },
                                 { .name = BT_g, .unit = BT_ms2, .line = 2 },
                                 { .name = BT_R, .unit = BT_metre, .line = 2 },
                                 { .name = BT_e, .line = 3 } };
  static const nsm_class cls[] = {
    { .kind = NSM_SMOOTH,
      .line = 5,
      .label = BT_KINETIC,
      .nslot = 1,
      .nnum = 1,
      .slot = fx_q1,
      .fill = ball_fill_mass,
      .mass_stage = NSM_CONST,
      .affine = 1,
      .mass = { 1, fx_zero, fx_zero, fx_wv },
      .mass_fn = fx_mass,
      .energy_fn = fx_kinetic },
    { .kind = NSM_SMOOTH,
      .line = 6,
      .label = BT_POTENTIAL,
      .nslot = 1,
      .nnum = 1,
      .slot = fx_q1,
      .fill = ball_fill_force,
      .f_stage = NSM_CONST,
      .affine = 1,
      .f_fn = fx_weight,
      .energy_fn = fx_potential },
    { .kind = NSM_CONTACT,
      .line = 7,
      .label = BT_CONTACT,
      .nslot = 1,
      .nnum = 2,
      .slot = fx_q1,
      .fill = ball_fill_contact,
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
    { .kind = NSM_INIT, .line = 4, .label = BT_INIT, .nslot = 1, .nnum = 1, .slot = fx_q1, .fill = ball_fill_init },
    { .kind = NSM_OUTPUT,
      .line = 8,
      .label = BT_HEIGHT,
      .nslot = 1,
      .nnum = 0,
      .slot = fx_q1,
      .fill = ball_fill_out,
      .out_fn = ball_height },
  };
  static const nsm_stat stat[] = { { NSM_STAT_MIN, 4 } };
  static const int line[] = { 9 }, text[] = { BT_CLAIM };
  static const nsm_model m = { .version = NSM_ABI_VERSION, THETA_GAMMA,
                               .name = BT_MODEL,
                               .file = BT_FILE,
                               .text = ball_text,
                               .affine = 1,
                               .nvar = 2,
                               .npar = 4,
                               .nclass = 5,
                               .nstat = 1,
                               .nexpect = 1,
                               .var = var,
                               .par = par,
                               .cls = cls,
                               .stat = stat,
                               .expect_line = line,
                               .expect_text = text,
                               .params = ball_params,
                               .sizes = fx_no_sizes,
                               .experiment = ball_experiment,
                               .expect = ball_expect };
  return &m;
}

// ---- column of n beads: n, R, e, g; families in loops ---------------------------------------------------------------
static const unsigned char column_text[] =
    "\0Column\0column.nsm\0bead[%].z\0floor.lambda\0pair[%].lambda\0kinetic\0potential\0contact floor\0contact "
    "pair[%]\0n\0R\0m\0e\0g";
enum {
  CT_MODEL = 1,
  CT_FILE = 8,
  CT_Z = 19,
  CT_FLOOR = 29,
  CT_PAIR = 42,
  CT_KINETIC = 57,
  CT_POTENTIAL = 65,
  CT_CFLOOR = 75,
  CT_CPAIR = 89,
  CT_n = 105,
  CT_R = 107,
  CT_metre = 109,
  CT_e = 111,
  CT_g = 113
};

static long column_beads(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num, int which) {
  long n = nsm_bound(s, 3, g->p[0]);
  if (ix)
    for (long i = 1; i <= n; i++) {
      double at = (double)i;
      ix[i - 1] = nsm_at(s, 0, 3, 1, &at);
      num[i - 1] = which == 0 ? 1.0 : which == 1 ? -1.0 * g->p[3] : 0.2 + (at - 1) * 0.3;
    }
  return n;
}
static long column_fill_mass(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return column_beads(s, g, ix, num, 0);
}
static long column_fill_weight(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return column_beads(s, g, ix, num, 1);
}
static long column_fill_init(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return column_beads(s, g, ix, num, 2);
}
static long column_fill_floor(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  double one = 1;
  if (ix) { ix[0] = nsm_at(s, 0, 5, 1, &one); num[0] = g->p[1]; num[1] = g->p[2]; }
  return 1;
}
static long column_fill_pair(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  long n = nsm_bound(s, 6, g->p[0] - 1);
  if (ix)
    for (long i = 1; i <= n; i++) {
      double lower = (double)i, upper = (double)i + 1;
      ix[2 * (i - 1)] = nsm_at(s, 0, 6, 1, &upper);
      ix[2 * (i - 1) + 1] = nsm_at(s, 0, 6, 1, &lower);
      num[3 * (i - 1)] = 2 * g->p[1];
      num[3 * (i - 1) + 1] = g->p[2];
      num[3 * (i - 1) + 2] = lower;
    }
  return n;
}
static void pair_gap(const nsm_view *w, const nsm_table *t, double *gap, double *rate) {
  for (int k = 0; k < t->count; k++) {
    int a = t->ix[2 * k], b = t->ix[2 * k + 1];
    gap[k] = w->q[a] - w->q[b] - t->num[3 * k];
    rate[k] = w->v[a] - w->v[b];
  }
}
static void pair_rate(const nsm_view *w, const nsm_table *t, double *rate) {
  for (int k = 0; k < t->count; k++) rate[k] = w->v[t->ix[2 * k]] - w->v[t->ix[2 * k + 1]];
}
static void pair_h(const nsm_view *w, const nsm_table *t, double *out) {
  (void)w;
  for (int k = 0; k < t->count; k++) { out[2 * k] = 1; out[2 * k + 1] = -1; }
}
static int column_params(double *p, const unsigned char *given) {
  static const double own[] = { 10, 0.1, 0.9, 9.81 };
  for (int i = 0; i < 4; i++) if (!given[i]) p[i] = own[i];
  return -1;
}
static void column_sizes(const double *p, double *bound) {
  bound[0] = 1; bound[1] = p[0];          // bead[1:n]
}
static void column_experiment(const double *p, nsm_experiment *e) {
  (void)p;
  e->start = 0; e->until = 2; e->step = 5e-3; e->theta = 0.5; e->gamma = 1;
}
static const nsm_model *column_model(void) UNUSED_FIXTURE;
static const nsm_model *column_model(void) {
  static const nsm_var var[] = { { NSM_VAR_COORD, CT_Z, 2, 1, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_ROW, CT_FLOOR, 5, 0, 2, 0, 0, 0, 0 },
                                 { NSM_VAR_ROW, CT_PAIR, 6, 1, 3, 0, 0, 0, 0 } };
  static const nsm_par par[] = { { .name = CT_n, .line = 1 },
                                 { .name = CT_R, .unit = CT_metre, .line = 1 },
                                 { .name = CT_e, .line = 1 },
                                 { .name = CT_g, .line = 1 } };
  static const nsm_class cls[] = {
    { .kind = NSM_SMOOTH,
      .line = 3,
      .label = CT_KINETIC,
      .nslot = 1,
      .nnum = 1,
      .slot = fx_q1,
      .fill = column_fill_mass,
      .mass_stage = NSM_CONST,
      .affine = 1,
      .mass = { 1, fx_zero, fx_zero, fx_wv },
      .mass_fn = fx_mass,
      .energy_fn = fx_kinetic },
    { .kind = NSM_SMOOTH,
      .line = 4,
      .label = CT_POTENTIAL,
      .nslot = 1,
      .nnum = 1,
      .slot = fx_q1,
      .fill = column_fill_weight,
      .f_stage = NSM_CONST,
      .affine = 1,
      .f_fn = fx_weight,
      .energy_fn = fx_potential },
    { .kind = NSM_CONTACT,
      .line = 5,
      .label = CT_CFLOOR,
      .nslot = 1,
      .nnum = 2,
      .slot = fx_q1,
      .fill = column_fill_floor,
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
    { .kind = NSM_CONTACT,
      .line = 6,
      .label = CT_CPAIR,
      .nslot = 2,
      .nnum = 3,
      .slot = fx_q2,
      .fill = column_fill_pair,
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
    { .kind = NSM_INIT,
      .line = 2,
      .label = CT_KINETIC,
      .nslot = 1,
      .nnum = 1,
      .slot = fx_q1,
      .fill = column_fill_init },
  };
  static const nsm_model m = { .version = NSM_ABI_VERSION, THETA_GAMMA,
                               .name = CT_MODEL,
                               .file = CT_FILE,
                               .text = column_text,
                               .affine = 1,
                               .nvar = 3,
                               .npar = 4,
                               .nclass = 5,
                               .var = var,
                               .par = par,
                               .cls = cls,
                               .params = column_params,
                               .sizes = column_sizes,
                               .experiment = column_experiment };
  return &m;
}

// ---- diode bridge: L, C, R; one class per statement -----------------------------------------------------------------
static const unsigned char bridge_text[] =
    "\0Bridge\0bridge.nsm\0v\0i\0uR1\0uF2\0iF1\0iR2\0L\0H\0C\0F\0R\0ohm\0equation\0relation R1\0relation F2\0relation "
    "F1\0relation R2\0iR";
enum {
  DT_MODEL = 1,
  DT_FILE = 8,
  DT_V = 19,
  DT_I = 21,
  DT_UR1 = 23,
  DT_UF2 = 27,
  DT_IF1 = 31,
  DT_IR2 = 35,
  DT_L = 39,
  DT_H = 41,
  DT_C = 43,
  DT_F = 45,
  DT_R = 47,
  DT_OHM = 49,
  DT_EQ = 53,
  DT_R1 = 62,
  DT_F2 = 74,
  DT_F1 = 86,
  DT_R2 = 98,
  DT_IR = 110
};
static long bridge_fill_v(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {   // v' = (iR2 - iF1 - i)/C
  if (ix) {
    ix[0] = nsm_at(s, 0, 5, 0, 0);
    ix[1] = nsm_at(s, 1, 5, 0, 0);
    ix[2] = nsm_at(s, 5, 5, 0, 0);
    ix[3] = nsm_at(s, 4, 5, 0, 0);
    num[0] = 1 / g->p[1];
  }
  return 1;
}
static long bridge_fill_i(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {   // i' = v/L
  if (ix) { ix[0] = nsm_at(s, 1, 6, 0, 0); ix[1] = nsm_at(s, 0, 6, 0, 0); num[0] = 1 / g->p[0]; }
  return 1;
}
static void bridge_f_v(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fv;
  fx[t->ix[0]] -= w->x[t->ix[1]] * t->num[0];
}
static void bridge_f_i(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fv;
  fx[t->ix[0]] += w->x[t->ix[1]] * t->num[0];
}
static void bridge_jac_v(const nsm_view *w, const nsm_table *t, double *out) { (void)w; out[0] = -t->num[0]; }
static void bridge_jac_i(const nsm_view *w, const nsm_table *t, double *out) { (void)w; out[0] = t->num[0]; }
static void bridge_g_v(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fv;
  fx[t->ix[0]] += (w->l[t->ix[2]] - w->l[t->ix[3]]) * t->num[0];
}
static void bridge_b_v(const nsm_view *w, const nsm_table *t, double *out) {
  (void)w;
  out[0] = t->num[0];
  out[1] = -t->num[0];
}
static long bridge_rel(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num, int r) {
  if (!ix) return 1;
  if (r < 2) {
    ix[0] = nsm_at(s, 2, 7, 0, 0); ix[1] = nsm_at(s, 3, 7, 0, 0); ix[2] = nsm_at(s, r == 0 ? 4 : 5, 7, 0, 0);
    num[0] = 1 / g->p[2];
  } else {
    ix[0] = nsm_at(s, r == 2 ? 2 : 3, 9, 0, 0);
    ix[1] = nsm_at(s, 0, 9, 0, 0);
    ix[2] = nsm_at(s, r == 2 ? 4 : 5, 9, 0, 0);
    num[0] = r == 2 ? -1 : 1;
  }
  return 1;
}
static long bridge_fill_r0(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return bridge_rel(s, g, ix, num, 0);
}
static long bridge_fill_r1(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return bridge_rel(s, g, ix, num, 1);
}
static long bridge_fill_r2(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return bridge_rel(s, g, ix, num, 2);
}
static long bridge_fill_r3(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  return bridge_rel(s, g, ix, num, 3);
}
static void bridge_y_a(const nsm_view *w, const nsm_table *t, double *y) {
  y[0] = (w->l[t->ix[0]] + w->l[t->ix[1]]) * t->num[0] - w->l[t->ix[2]];
}
static void bridge_h_a(const nsm_view *w, const nsm_table *t, double *out) {
  (void)w;
  out[0] = t->num[0];
  out[1] = t->num[0];
  out[2] = -1;
}
static void bridge_y_b(const nsm_view *w, const nsm_table *t, double *y) {
  y[0] = w->l[t->ix[0]] + t->num[0] * w->x[t->ix[1]];
}
static void bridge_h_b(const nsm_view *w, const nsm_table *t, double *out) { (void)w; out[0] = 1; out[1] = t->num[0]; }
static long bridge_fill_init(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  (void)g;
  if (ix) { ix[0] = nsm_at(s, 0, 3, 0, 0); num[0] = 10; }
  return 1;
}
static long bridge_fill_out(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  if (ix) { ix[0] = nsm_at(s, 2, 11, 0, 0); ix[1] = nsm_at(s, 3, 11, 0, 0); num[0] = 1 / g->p[2]; }
  return 1;
}
static void bridge_out(const nsm_view *w, const nsm_table *t, double *y) {
  y[0] = (w->l[t->ix[0]] + w->l[t->ix[1]]) * t->num[0];
}
static int bridge_params(double *p, const unsigned char *given) {
  static const double own[] = { 1e-2, 1e-6, 1e3 };
  for (int i = 0; i < 3; i++) if (!given[i]) p[i] = own[i];
  return -1;
}
static void bridge_experiment(const double *p, nsm_experiment *e) {
  (void)p;
  e->start = 0; e->until = 5e-3; e->step = 1e-6; e->theta = 0.5; e->gamma = 1;
}
static const unsigned char fx_xxll[] = { NSM_SLOT_X, NSM_SLOT_X, NSM_SLOT_L, NSM_SLOT_L },
                           fx_lll[] = { NSM_SLOT_L, NSM_SLOT_L, NSM_SLOT_L },
                           fx_lxl[] = { NSM_SLOT_L, NSM_SLOT_X, NSM_SLOT_L }, fx_x1[] = { NSM_SLOT_X },
                           fx_wx[] = { NSM_WRT_X }, fx_ll[] = { NSM_WRT_L, NSM_WRT_L },
                           fx_wlll[] = { NSM_WRT_L, NSM_WRT_L, NSM_WRT_L }, fx_wlx[] = { NSM_WRT_L, NSM_WRT_X };
static const nsm_model *bridge_model(void) UNUSED_FIXTURE;
static const nsm_model *bridge_model(void) {
  static const nsm_var var[] = {
    { NSM_VAR_STATE, DT_V, 3, 0, -1, 0, 0, 0, 0 },        { NSM_VAR_STATE, DT_I, 3, 0, -1, 0, 0, 0, 0 },
    { NSM_VAR_MULTIPLIER, DT_UR1, 4, 0, -1, 0, 0, 0, 0 }, { NSM_VAR_MULTIPLIER, DT_UF2, 4, 0, -1, 0, 0, 0, 0 },
    { NSM_VAR_MULTIPLIER, DT_IF1, 4, 0, -1, 0, 0, 0, 0 }, { NSM_VAR_MULTIPLIER, DT_IR2, 4, 0, -1, 0, 0, 0, 0 },
  };
  static const nsm_par par[] = { { .name = DT_L, .unit = DT_H, .line = 2 },
                                 { .name = DT_C, .unit = DT_F, .line = 2 },
                                 { .name = DT_R, .unit = DT_OHM, .line = 2 } };
#define BRIDGE_EQ                                                                                                      \
  .kind = NSM_SMOOTH, .label = DT_EQ, .nnum = 1, .slot = fx_xxll, .mass_stage = NSM_CONST, .f_stage = NSM_STATE,       \
  .jac_stage = NSM_CONST, .affine = 1, .mass = { 1, fx_zero, fx_zero, fx_wx }, .jac = { 1, fx_zero, fx_one, fx_wx },   \
  .mass_fn = fx_ones
#define BRIDGE_REL                                                                                                     \
  .kind = NSM_RELATION, .nslot = 3, .nnum = 1, .row_type = NSM_ROW_NONNEG, .row_var = -1, .y_stage = NSM_STATE,        \
  .h_stage = NSM_CONST, .y_affine = 1, .e_num = -1
  static const nsm_class cls[] = {
    { BRIDGE_EQ, .line = 5, .nslot = 4, .fill = bridge_fill_v, .f_fn = bridge_f_v, .jac_fn = bridge_jac_v,
      .g_stage = NSM_STATE, .b_stage = NSM_CONST, .g_fn = bridge_g_v, .b_fn = bridge_b_v,
      .b = { 2, fx_00, fx_23, fx_ll } },
    { BRIDGE_EQ, .line = 6, .nslot = 2, .fill = bridge_fill_i, .f_fn = bridge_f_i, .jac_fn = bridge_jac_i },
    { BRIDGE_REL, .line = 7, .label = DT_R1, .slot = fx_lll, .lambda_slot = 0, .fill = bridge_fill_r0,
      .h = { 3, fx_000, fx_012, fx_wlll }, .y_fn = bridge_y_a, .h_fn = bridge_h_a },
    { BRIDGE_REL, .line = 8, .label = DT_F2, .slot = fx_lll, .lambda_slot = 1, .fill = bridge_fill_r1,
      .h = { 3, fx_000, fx_012, fx_wlll }, .y_fn = bridge_y_a, .h_fn = bridge_h_a },
    { BRIDGE_REL, .line = 9, .label = DT_F1, .slot = fx_lxl, .lambda_slot = 2, .fill = bridge_fill_r2,
      .h = { 2, fx_00, fx_01, fx_wlx }, .y_fn = bridge_y_b, .h_fn = bridge_h_b },
    { BRIDGE_REL, .line = 10, .label = DT_R2, .slot = fx_lxl, .lambda_slot = 2, .fill = bridge_fill_r3,
      .h = { 2, fx_00, fx_01, fx_wlx }, .y_fn = bridge_y_b, .h_fn = bridge_h_b },
    { .kind = NSM_INIT, .line = 3, .label = DT_EQ, .nslot = 1, .nnum = 1, .slot = fx_x1, .fill = bridge_fill_init },
    { .kind = NSM_OUTPUT,
      .line = 11,
      .label = DT_IR,
      .nslot = 2,
      .nnum = 1,
      .slot = fx_lll,
      .fill = bridge_fill_out,
      .out_fn = bridge_out },
  };
  static const nsm_model m = { .version = NSM_ABI_VERSION, THETA_GAMMA,
                               .name = DT_MODEL,
                               .file = DT_FILE,
                               .text = bridge_text,
                               .affine = 1,
                               .nvar = 6,
                               .npar = 3,
                               .nclass = 8,
                               .var = var,
                               .par = par,
                               .cls = cls,
                               .params = bridge_params,
                               .sizes = fx_no_sizes,
                               .experiment = bridge_experiment };
  return &m;
}
