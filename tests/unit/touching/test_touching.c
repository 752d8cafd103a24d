// Contacts of shapes in steps of `moreau`: what falls comes to rest where it should, with the forces that it should.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "scene.h"
#include "tests/unit/thin.h"
#include "runtime/schemes/newton.h"

static nsm_sim *opened(void) {
  nsm_error e;
  nsm_sim *s = scene_open(NULL, &e);
  if (!s) fail_msg("%s", e.text);
  return s;
}

static void steps(nsm_sim *s, int n) {
  nsm_error e;
  for (int i = 0; i < n; i++) if (nsm_step(s, &e) != NSM_OK) fail_msg("step %ld: %s", s->now.k + 1, e.text);
}

// A ball falls from rest, bounces off the floor with e = 0.5.
static void bounces(void **state) {
  (void)state;
  scene_body body[] = { scene_sphere(0.1, 2, 0, 0, 0.6), scene_plane(2, 1, 0) };
  at_hand = (scene){ .n = 1, .fixed = 1, .body = body, .gravity = 10, .e = 0.5, .step = 1e-4, .until = 10 };
  nsm_sim *s = opened();
  double lowest = 1, highest = 0;
  for (int i = 0; i < 5000; i++) {
    steps(s, 1);
    double z = scene_r_of(s, 0)[2];
    if (s->now.t < 0.4) lowest = fmin(lowest, z);
    else highest = fmax(highest, z);
  }
  assert_true(fabs(lowest - 0.1) < 1e-4 * sqrt(10));
  assert_true(fabs(highest - (0.1 + 0.25 * 0.5)) < 2e-3);
  nsm_close(s);
}

// Thrown with v and no spin it rolls from t = 2 v/(7 mu g) on, at 5 v/7.
static void rolls(void **state) {
  (void)state;
  scene_body body[] = { scene_sphere(0.1, 2, 0, 0, 0.1), scene_plane(2, 1, 0) };
  body[0].v[0] = 3;
  at_hand = (scene){ .n = 1, .fixed = 1, .body = body, .gravity = 10, .mu = 0.2, .step = 1e-3, .until = 10 };
  nsm_sim *s = opened();
  double t = 2 * 3 / (7 * 0.2 * 10);
  steps(s, (int)(0.9 * t / 1e-3));
  assert_true(scene_v_of(s, 0)[0] > 5. / 7 * 3 + 0.01);
  steps(s, 100);
  assert_true(fabs(scene_v_of(s, 0)[0] - 5. / 7 * 3) < 1e-12 * 3);
  steps(s, 1000);
  assert_true(fabs(scene_v_of(s, 0)[0] - 5. / 7 * 3) < 1e-12 * 3);
  assert_true(fabs(scene_r_of(s, 0)[2] - 0.1) < 1e-12);
  nsm_close(s);
}

// A tilted block falls on its corner, tumbles and comes to rest on a face; by the energy-consistent scheme no step
// gains energy, and corners never get deeper than at their first touch.
static void tumbles(void **state) {
  (void)state;
  scene_body body[] = { scene_box(0.2, 0.3, 0.1, 2, 0, 0, 0.5), scene_plane(2, 1, 0) };
  body[0].q[0] = cos(0.4);
  body[0].q[1] = sin(0.4) * 0.6;
  body[0].q[3] = sin(0.4) * 0.8;
  body[0].w[0] = 3;
  at_hand = (scene){ .n = 1, .fixed = 1, .body = body, .gravity = 10, .mu = 0.3, .e = 0.3, .step = 1e-3, .until = 10,
                     .scheme = NSM_SCHEME_CONSISTENT };
  nsm_sim *s = opened();
  nsm_keep_ledger(s);
  steps(s, THIN > 1 ? 400 : 4000);
  nsm_energy energy;
  nsm_get_energy(s, &energy);
  assert_true(s->now.ledger.gain <= 1e-11);
  assert_true(energy.residue <= 1e-11);
  assert_true(s->now.count.deepest < 4e-3);
  assert_true(THIN > 1 || energy.contacts > 5);
  assert_true(THIN > 1 || energy.kinetic < 1e-12);
  double z = scene_r_of(s, 0)[2];
  assert_true(THIN > 1 || fabs(z - 0.05) < 4e-3 || fabs(z - 0.1) < 4e-3 || fabs(z - 0.15) < 4e-3);
  nsm_close(s);
}

// A flat block on a slope of 0.3 rad: it sticks where tan alpha < mu, else it slides at g (sin alpha - mu cos alpha).
static void slides(void **state) {
  const int *scheme = *state;
  const double alpha = 0.3, g = 10, c = cos(alpha), n = sin(alpha);
  for (int sticks = 0; sticks < 2; sticks++) {
    scene_body body[] = { scene_box(0.3, 0.2, 0.1, 2, 0.05 * n, 0, 0.05 * c), scene_plane(2, 1, 0) };
    double mu = sticks ? 0.35 : 0.2;
    memcpy(body[1].R, (double[9]){ c, 0, n, 0, 1, 0, -n, 0, c }, sizeof body[1].R);    // turned by alpha about y
    body[0].q[0] = cos(alpha / 2);
    body[0].q[2] = sin(alpha / 2);
    at_hand = (scene){ .n = 1, .fixed = 1, .body = body, .gravity = g, .mu = mu, .step = 1e-3, .until = 10,
                       .scheme = *scheme };
    nsm_sim *s = opened();
    assert_int_equal(s->a->linear, 0);
    steps(s, 500);
    const double *u = scene_v_of(s, 0);
    double v = c * u[0] - n * u[2], up = n * u[0] + c * u[2];
    assert_true(fabs(up) < 1e-9);
    if (sticks) assert_true(fabs(v) < 1e-9);
    else assert_true(fabs(v - 0.5 * g * (n - mu * c)) < 1e-9);
    nsm_close(s);
  }
}

// ---- piles ----------------------------------------------------------------------------------------------------------
// Spheres that fall into a box of planes: they touch more and more, and the room for contacts grows.
static void pour(scene_body *b, int n, int scheme) {
  for (int i = 0; i < n; i++)
    b[i] = scene_sphere(0.05, 0.5, -0.06 + 0.12 * (i % 2) + 0.003 * (i % 5),
                        -0.06 + 0.12 * (i / 2 % 2) + 0.002 * (i % 3), 0.06 + 0.11 * (i / 4));
  b[n] = scene_plane(2, 1, 0);
  b[n + 1] = scene_plane(0, 1, -0.13);
  b[n + 2] = scene_plane(0, -1, 0.13);
  b[n + 3] = scene_plane(1, 1, -0.13);
  b[n + 4] = scene_plane(1, -1, 0.13);
  at_hand = (scene){ .n = n, .fixed = 5, .body = b, .gravity = 10, .mu = 0.4, .e = 0.2, .step = 1e-3, .until = 10,
                     .scheme = scheme };
}

static void grows(void **state) {
  (void)state;
  scene_body body[30];
  pour(body, 24, NSM_SCHEME_MOREAU);
  nsm_sim *s = opened();
  int room[2] = { s->touching->group[0].room, s->touching->group[1].room };
  steps(s, 450);
  assert_true(s->touching->group[0].room + s->touching->group[1].room > room[0] + room[1]);
  assert_true(s->now.count.contacts > 36);
  assert_true(s->now.count.deepest < 5e-3);
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 2; j++) assert_true(fabs(scene_r_of(s, i)[j]) < 0.13);
  nsm_close(s);
}

// A state goes on with the same bits: in the same simulation, in a clone, and in one that has room for fewer contacts.
static void goes_on(void **state) {
  const int *scheme = *state;
  scene_body body[30];
  pour(body, *scheme == NSM_SCHEME_MOREAU ? 24 : 6, *scheme);
  nsm_sim *s = opened(), *fresh = opened();
  nsm_error e;
  steps(s, 220);
  void *half = malloc(nsm_state_size(s));
  nsm_save(s, half);
  nsm_sim *c = nsm_clone(s, &e);
  if (!c) fail_msg("%s", e.text);
  if (nsm_restore(fresh, half, &e) != NSM_OK) fail_msg("%s", e.text);
  steps(s, 100);
  steps(c, 100);
  steps(fresh, 100);
  size_t q = (size_t)s->a->nq * sizeof(double), z = (size_t)s->a->nz * sizeof(double);
  for (int k = 0; k < 2; k++) {
    nsm_sim *other = k ? fresh : c;
    assert_memory_equal(s->now.q, other->now.q, q);
    assert_memory_equal(s->now.z, other->now.z, z);
  }
  if (nsm_restore(s, half, &e) != NSM_OK) fail_msg("%s", e.text);
  steps(s, 100);
  assert_memory_equal(s->now.q, c->now.q, q);
  assert_memory_equal(s->now.z, c->now.z, z);
  free(half);
  nsm_close(s);
  nsm_close(c);
  nsm_close(fresh);
}

// Ten boxes one upon the other do not move at all, and carry what lies on them.
static void rests(void **state) {
  const int *scheme = *state;
  scene_body body[11];
  for (int i = 0; i < 10; i++) body[i] = scene_box(0.2, 0.2, 0.2, 8, 0, 0, 0.1 + 0.2 * i);
  body[10] = scene_plane(2, 1, 0);
  at_hand = (scene){ .n = 10, .fixed = 1, .body = body, .gravity = 9.81, .mu = 0.5, .step = 2e-3, .until = 100,
                     .scheme = *scheme };
  nsm_sim *s = opened();
  for (int k = 0; k < 20; k++) {
    steps(s, 20);
    for (int i = 0; i < s->a->nv; i++) assert_true(fabs(s->now.z[i]) <= 1e-12);
  }
  for (int i = 0; i < 10; i++) {
    double below = 0;                                      // what presses on body i from below, by the list of contacts
    sim_contact c;
    char name[32];
    snprintf(name, sizeof name, "body[%d]", i + 1);
    for (int k = 0; sim_touch_contact(s, k, &c); k++)
      if (strcmp(c.b, name) == 0 && c.normal[2] > 0.5) below += c.impulse;
    assert_true(fabs(below - 8 * 9.81 * (10 - i) * 2e-3) < 1e-10);
    assert_true(fabs(scene_r_of(s, i)[2] - (0.1 + 0.2 * i)) < 1e-12);
  }
  nsm_view v = sim_now(s);
  assert_true(nsm_touch_count(&v, 0) >= 30);
  assert_true(nsm_touch_deepest(&v, 0) < 1e-12);
  assert_true(fabs(nsm_touch_impulse(&v, 0, 4, 0, 3) - 8 * 9.81 * 2e-3) < 1e-10);   // upwards, less what lies on it
  nsm_close(s);
}

// A free cluster that collides keeps its momentum.
static void collides(void **state) {
  (void)state;
  scene_body body[8];
  for (int i = 0; i < 8; i++) {
    body[i] = scene_sphere(0.1, 1 + 0.1 * i, 0.3 * (i % 2), 0.3 * (i / 2 % 2), 0.3 * (i / 4));
    for (int j = 0; j < 3; j++) body[i].v[j] = -3 * (body[i].r[j] - 0.15) + 0.3 * ((i * 7 + j * 3) % 5 - 2);
  }
  at_hand = (scene){ .n = 8, .body = body, .mu = 0.3, .e = 0.6, .step = 1e-3, .until = 10 };
  nsm_sim *s = opened();
  double before[3] = { 0 }, after[3] = { 0 };
  for (int i = 0; i < 8; i++) for (int j = 0; j < 3; j++) before[j] += body[i].mass * body[i].v[j];
  steps(s, 1000);
  assert_true(s->now.count.impacts > 3);
  for (int i = 0; i < 8; i++) for (int j = 0; j < 3; j++) after[j] += body[i].mass * scene_v_of(s, i)[j];
  for (int j = 0; j < 3; j++) assert_true(fabs(after[j] - before[j]) < 1e-13 * 8 * 3);
  nsm_close(s);
}

// What the residual of a contact is measured by, touching.md, section 4: two boxes side by side fall with v at right
// angles to their normal n, so each term n_i v_i of the rate is 0 or what rounding left of n_i. A rate above that is
// known to 16 eps sum |n| |v| all the same, over both bodies and both ends; one that is 0 needs no such measure.
static void measures(void **state) {
  (void)state;
  const double v = 10, rate = 1e-9, lost = 16 * DBL_EPSILON / 1e-12, known = lost * 4 * v;
  scene_body body[] = { scene_box(0.2, 0.3, 0.1, 2, 0, 0, 0), scene_box(0.2, 0.3, 0.1, 2, 0, 0, 0) };
  for (int i = 0; i < 2; i++) {                            // about z by 0.5 after about x, its own normal, by 0.3
    const double q[] = { cos(0.25) * cos(0.15), cos(0.25) * sin(0.15), sin(0.25) * sin(0.15), sin(0.25) * cos(0.15) };
    memcpy(body[i].q, q, sizeof q);
    body[i].v[2] = -v;
  }
  body[1].r[0] = 0.2 * cos(0.5);
  body[1].r[1] = 0.2 * sin(0.5);
  at_hand = (scene){ .n = 2, .body = body, .step = 1e-3, .until = 10 };
  nsm_sim *s = opened();
  steps(s, 1);
  assert_true(s->n.isl.nactive == 4);
  int worst, row = newton_row(s, 0);
  for (int moves = 0; moves < 2; moves++) {
    memcpy(s->w.z1, s->now.z, (size_t)s->a->nz * sizeof(double));
    memset(s->w.l1, 0, (size_t)s->a->nl * sizeof(double));
    double *second = s->w.z1 + s->touching->body[1].z[0];
    second[0] -= moves * rate * cos(0.5);
    second[1] -= moves * rate * sin(0.5);
    newton_position(s);
    newton_explicit_part(s);
    newton_evaluate(s, s->now.t + s->n.h);
    newton_residual(s, 0, &worst);
    double size = s->w.residual_size[s->a->nz + row] / sim_rho(sim_rows_inertia(s, s->n.r.at_row[row]));
    if (!moves) assert_true(s->n.r.y[row] == 0 && size < 1e-3 * known);
    else assert_true(fabs(s->n.r.y[row] + rate) < 1e-12 && size > 0.9 * known && size < 1.1 * known);
  }
  nsm_close(s);
}

// Corners that are on other features now: each takes over from the nearest one that vanished, along any axis.
static void takes_over(void **state) {
  (void)state;
  for (int axis = 0; axis < 3; axis++) {
    scene_body body[] = { scene_box(0.2, 0.2, 0.2, 8, 0, 0, 0.1), scene_plane(2, 1, 0) };
    at_hand = (scene){ .n = 1, .fixed = 1, .body = body, .gravity = 10, .mu = 0.5, .step = 1e-3, .until = 1 };
    nsm_sim *s = opened();
    steps(s, 2);
    sim_touch_group *g = s->touching->group;
    while (g->nfound != 4) g++;
    sim_touch *was = s->now.touch + g->first;
    for (int k = 0; k < 4; k++) {
      was[k].feature += 1000;
      memset(was[k].at, 0, sizeof was[k].at);
      memset(g->found[k].touch.on_b, 0, sizeof was[k].at);
      was[k].at[axis] = 1 + k;
      g->found[k].touch.on_b[axis] = 4.1 - k;
    }
    assert_int_equal(sim_touch_keep(s, g), 1);
    for (int k = 0; k < 4; k++) assert_int_equal(g->from[k], -2 - (3 - k));
    for (int stays = 0; stays < 4; stays++) {              // what stands behind the list is no touch
      s->now.touches[g - s->touching->group] = 2;
      for (int k = 0; k < 4; k++) was[k].feature += k < 2 && stays ? 0 : stays == 0 ? 1000 : stays - 2;
      assert_int_equal(sim_touch_keep(s, g), 1);
      for (int k = 0; k < 4; k++) assert_int_equal(g->from[k], k > 1 ? -1 : stays ? k : -2 - k);
    }
    nsm_close(s);
  }
}

// A body looks as far as its step is long, by its speed and by its turn times its radius; where it is faster at the end
// it should have looked further.
static void looks_ahead(void **state) {
  (void)state;
  const double R = 0.5, h = 1e-3;
  scene_body body[] = { scene_sphere(R, 2, 0, 0, 5), scene_plane(2, 1, 0) };
  for (int k = 0; k < 3; k++) {
    body[0].v[k] = (double[]){ 2, -3, 6 }[k];
    body[0].w[k] = (double[]){ -1, 2, 2 }[k];
  }
  at_hand = (scene){ .n = 1, .fixed = 1, .body = body, .gravity = 0, .step = h, .until = 10 };
  nsm_sim *s = opened();
  steps(s, 1);
  double faster[6], more = h * (2 * 7 + 2 * R * 3) - h * (7 + R * 3) - sim_touch_slack(s, 0);
  for (int i = 0; i < 6; i++) faster[i] = 2 * s->now.z[i];
  nsm_view end = sim_view(s, s->now.t, s->now.q, faster, s->now.l);
  assert_true(fabs(sim_touch_further(s, h, &end) - fmax(more, 0)) < 1e-12);
  assert_true(fabs(s->touching->reach[0] - h * (7 + R * 3) - sim_touch_slack(s, 0)) < 1e-12);
  nsm_close(s);
}

// A large pile in slabs: the same bits on one, two and three threads. 8 x 8 x 15 spheres that overlap by a micrometre.
static void shared_out(void **state) {
  (void)state;
  enum { WIDE = 8, N = WIDE * WIDE * 15 };
  static scene_body body[N + 1];
  double R = 0.05, *last = NULL;
  for (int i = 0; i < N; i++) {
    int x = i % WIDE, y = i / WIDE % WIDE, z = i / WIDE / WIDE;
    body[i] = scene_sphere(R, 0.5, x * (2 * R - 1e-6), y * (2 * R - 1e-6), R + z * (2 * R - 1e-6));
    body[i].v[0] = 0.01 * ((7 * x + 3 * y + z) % 5 - 2);
  }
  body[N] = scene_plane(2, 1, 0);
  at_hand = (scene){ .n = N, .fixed = 1, .body = body, .gravity = 10, .mu = 0.5, .step = 2e-3, .until = 10 };
  for (int threads = 1; threads <= 3; threads++) {
    nsm_settings set = nsm_default_settings();
    nsm_team *team = nsm_team_open(threads);
    nsm_error e;
    assert_true((team != NULL) == (threads > 1));
    set.team = team;
    nsm_sim *s = scene_open(&set, &e);
    if (!s) fail_msg("%s", e.text);
    steps(s, 2);
    assert_true(s->n.r.piles.n == 1 && s->n.r.piles.slabs[0] > 2 && s->now.count.missed == 0);
    size_t bytes = (size_t)s->a->nz * sizeof *last;
    if (last) assert_memory_equal(last, s->now.z, bytes);
    else memcpy(last = malloc(bytes), s->now.z, bytes);
    nsm_close(s);
    nsm_team_close(team);
  }
  free(last);
}

int main(void) {
  static int moreau = NSM_SCHEME_MOREAU, consistent = NSM_SCHEME_CONSISTENT;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bounces), cmocka_unit_test(rolls), cmocka_unit_test(tumbles),
    cmocka_unit_test_prestate(slides, &moreau), cmocka_unit_test_prestate(slides, &consistent),
    cmocka_unit_test(grows), cmocka_unit_test(collides), cmocka_unit_test(measures),
    cmocka_unit_test(takes_over), cmocka_unit_test(looks_ahead), cmocka_unit_test(shared_out),
    cmocka_unit_test_prestate(goes_on, &moreau), cmocka_unit_test_prestate(goes_on, &consistent),
    cmocka_unit_test_prestate(rests, &moreau), cmocka_unit_test_prestate(rests, &consistent) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
