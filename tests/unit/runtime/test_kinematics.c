// Kinematics q' = B(q) u with other numbers of coordinates and velocities: a pendulum whose position is a point of the
// unit circle (c, s), c' = -s u, s' = c u, beside the same pendulum in its angle.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/clock/clock.h"
#include "points.h"

static const unsigned char names[] = "\0circle\0circle.nsm\0c\0s\0u\0a\0class\0phi";
enum { T_MODEL = 1, T_FILE = 8, T_C = 19, T_S = 21, T_U = 23, T_A = 25, T_CLASS = 27, T_PHI = 33 };
static const double gravity = 9.81, start_angle = 0.7, start_speed = 2;

// Slots: c, s, u of the circle; then phi and its velocity.
static const unsigned char circle_slots[] = { NSM_SLOT_POSITION, NSM_SLOT_POSITION, NSM_SLOT_VELOCITY },
                           velocity[] = { NSM_SLOT_VELOCITY }, position[] = { NSM_SLOT_POSITION },
                           own[] = { NSM_SLOT_Q }, wrt_v[] = { NSM_WRT_V };
static const unsigned short third[] = { 2 }, first[] = { 0 };

static long fill(nsm_setup *s, int *ix, double *num, int v0, int v1, int v2, double value) {
  const int var[] = { v0, v1, v2 };
  for (int i = 0; ix && i < 3 && var[i] >= 0; i++) ix[i] = nsm_at(s, var[i], 1, 0, NULL);
  if (num && !isnan(value)) num[0] = value;
  return 1;
}
#define FILL(name, v0, v1, v2, value) \
  static long name(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) { \
    (void)g; \
    return fill(s, ix, num, v0, v1, v2, value); \
  }
FILL(fill_circle, 0, 1, 2, NAN)
FILL(fill_angle, 3, -1, -1, NAN)
FILL(init_c, 0, -1, -1, cos(start_angle))
FILL(init_s, 1, -1, -1, sin(start_angle))
FILL(init_u, 2, -1, -1, start_speed)
FILL(init_phi, 3, -1, -1, start_angle)
FILL(init_rate, 3, -1, -1, start_speed)

static void one(const nsm_view *v, const nsm_table *t, double *out) { (void)v; (void)t; out[0] = 1; }
static void circle_force(const nsm_view *v, const nsm_table *t, double *fv, double *fx) {
  (void)fx;
  fv[t->ix[2]] += -gravity * v->q[t->ix[1]];
}
static void circle_energy(const nsm_view *v, const nsm_table *t, double *kinetic, double *potential) {
  *kinetic += 0.5 * v->v[t->ix[2]] * v->v[t->ix[2]];
  *potential += -gravity * v->q[t->ix[0]];
}
static void circle_move(const nsm_view *v, const nsm_table *t, double *q1) {
  double d = v->dq[t->ix[2]], c = v->q[t->ix[0]], s = v->q[t->ix[1]];
  q1[t->ix[0]] = c * cos(d) - s * sin(d);
  q1[t->ix[1]] = s * cos(d) + c * sin(d);
}
static void angle_force(const nsm_view *v, const nsm_table *t, double *fv, double *fx) {
  (void)fx;
  fv[t->ix[0]] += -gravity * sin(v->q[t->ix[0]]);
}

static int no_parameters(double *p, const unsigned char *given) { (void)p; (void)given; return -1; }
static void no_sizes(const double *p, double *bound) { (void)p; (void)bound; }
static void experiment(const double *p, nsm_experiment *e) { (void)p; e->until = 10; e->step = 1e-2; }

// Positions stand before the coordinate in the list: storage puts the coordinate first.
static void midpoint_points(double theta, double gamma, double e, nsm_point *to) {
  (void)e;
  (void)theta; (void)gamma;
  to[0] = (nsm_point){ 0 };
  to[1] = (nsm_point){ 2, 0.5, 0, 0.5, 1, 0 };
  to[2] = (nsm_point){ 0, 0.5, 0.5, 0, 0, 1 };
  to[3] = (nsm_point){ 2, 0, 0, 0, 1, 0 };
}

static const nsm_model *model(int scheme) {
  static const nsm_var var[] = { { NSM_VAR_POSITION, T_C, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_POSITION, T_S, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_VELOCITY, T_U, 1, 0, -1, 0, 0, 0, 0 },
                                 { NSM_VAR_COORD, T_PHI, 2, 0, -1, 0, 0, 0, 0 } };
  static const nsm_class cls[] = {
    { .kind = NSM_KINEMATICS, .line = 1, .label = T_CLASS, .nslot = 3, .slot = circle_slots, .fill = fill_circle,
      .move_fn = circle_move },
    { .kind = NSM_SMOOTH, .line = 3, .label = T_CLASS, .nslot = 3, .slot = circle_slots, .fill = fill_circle,
      .mass_stage = NSM_CONST, .f_stage = NSM_STATE, .mass = { 1, third, third, wrt_v }, .mass_fn = one,
      .f_fn = circle_force, .energy_fn = circle_energy },
    { .kind = NSM_SMOOTH, .line = 4, .label = T_CLASS, .nslot = 1, .slot = own, .fill = fill_angle,
      .mass_stage = NSM_CONST, .f_stage = NSM_STATE, .mass = { 1, first, first, wrt_v }, .mass_fn = one,
      .f_fn = angle_force },
    { .kind = NSM_INIT, .line = 5, .label = T_CLASS, .nslot = 1, .nnum = 1, .slot = position, .fill = init_c },
    { .kind = NSM_INIT, .line = 5, .label = T_CLASS, .nslot = 1, .nnum = 1, .slot = position, .fill = init_s },
    { .kind = NSM_INIT, .line = 5, .label = T_CLASS, .nslot = 1, .nnum = 1, .slot = velocity, .fill = init_u },
    { .kind = NSM_INIT, .line = 5, .label = T_CLASS, .nslot = 1, .nnum = 1, .slot = own, .fill = init_phi },
    { .kind = NSM_INIT, .line = 5, .label = T_CLASS, .nslot = 1, .nnum = 1, .slot = own, .fill = init_rate,
      .init_velocity = 1 },
  };
#define MODEL(number, ...) \
  { .version = NSM_ABI_VERSION, .name = T_MODEL, .file = T_FILE, .text = names, .scheme = number, .nvar = 4, \
    .nclass = sizeof cls / sizeof *cls, .var = var, .cls = cls, .params = no_parameters, .sizes = no_sizes, \
    .experiment = experiment, __VA_ARGS__ }
  static const nsm_model of[] = {
    [NSM_SCHEME_MOREAU] = MODEL(NSM_SCHEME_MOREAU, THETA_GAMMA), [NSM_SCHEME_CONSISTENT] = MODEL(NSM_SCHEME_CONSISTENT),
    [NSM_SCHEME_CONSISTENT1] = MODEL(NSM_SCHEME_CONSISTENT1),
    [NSM_SCHEME_MIDPOINT] = MODEL(NSM_SCHEME_MIDPOINT, .points = midpoint_points, .inertia_at = 2, .along_at = 2,
                                   .law_at = 2) };
  return &of[scheme];
}

static nsm_sim *open_midpoint(void) {
  nsm_error e;
  nsm_sim *s = nsm_open(model(NSM_SCHEME_MIDPOINT), NULL, &e);
  if (!s) fail_msg("%s", e.text);
  return s;
}

static double column(nsm_sim *s, const char *name) {
  int c = nsm_find_column(s, name);
  if (c < 0) fail_msg("there is no column %s", name);
  return nsm_read_column(s, c);
}

static void sizes(void **state) {
  (void)state;
  nsm_sim *s = open_midpoint();
  assert_int_equal(s->a->nq, 3);
  assert_int_equal(s->a->nv, 2);
  assert_int_equal(s->a->nown, 1);
  assert_int_equal(nsm_ncolumn(s), 1 + 3 + 2);
  assert_true(column(s, "c") == cos(start_angle) && column(s, "s") == sin(start_angle) && column(s, "u") == 2);
  assert_true(column(s, "phi") == start_angle && column(s, "phi'") == start_speed);
  nsm_close(s);
}

// The same motion as in the angle, on the circle to round-off, and restored in the middle with the same bits.
static void moves(void **state) {
  (void)state;
  nsm_sim *s = open_midpoint();
  nsm_error e;
  void *half = malloc(nsm_state_size(s));
  double turned = 0, end[3];
  for (int k = 0; k < 1000; k++) {
    if (nsm_step(s, &e) != NSM_OK) fail_msg("%s", e.text);
    double c = column(s, "c"), y = column(s, "s"), phi = column(s, "phi");
    assert_true(fabs(c * c + y * y - 1) < 1e-12);
    assert_true(fabs(c - cos(phi)) < 1e-10 && fabs(y - sin(phi)) < 1e-10);
    assert_true(fabs(column(s, "u") - column(s, "phi'")) < 1e-10);
    turned = fmax(turned, fabs(phi - start_angle));
    if (k == 499) nsm_save(s, half);
  }
  assert_true(turned > 1);                                 // it did swing
  memcpy(end, s->now.q, sizeof end);
  if (nsm_restore(s, half, &e) != NSM_OK) fail_msg("%s", e.text);
  for (int k = 500; k < 1000; k++) assert_int_equal(nsm_step(s, &e), NSM_OK);
  assert_memory_equal(s->now.q, end, sizeof end);
  free(half);
  nsm_close(s);
}

static void refused(void **state) {
  (void)state;
  const int scheme[] = { NSM_SCHEME_MOREAU, NSM_SCHEME_CONSISTENT, NSM_SCHEME_CONSISTENT1 };
  for (int i = 0; i < 3; i++) {
    nsm_error e;
    assert_null(nsm_open(model(scheme[i]), NULL, &e));
    assert_int_equal(e.code, NSM_MODEL_WRONG);
    assert_non_null(strstr(e.text, "and u is none"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(sizes), cmocka_unit_test(moves), cmocka_unit_test(refused) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
