// Units: parsing with scales, algebra of exponents, printing, and the three states (known, bare number, unknown).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/units.h"

static Unit unit(const char *text) {
  Unit u;
  const char *bad = NULL;
  int n = 0;
  if (!unit_parse(text, &u, &bad, &n)) fail_msg("%s: not a unit (%.*s)", text, n, bad);
  return u;
}

static void check_scale(const char *text, const char *base, double scale) {
  Unit u = unit(text);
  assert_true(unit_compatible(u, unit(base)));
  if (fabs(u.scale - scale) > 1e-15 * scale) fail_msg("%s: scale %.17g", text, u.scale);
}

static void scales(void **state) {
  (void)state;
  check_scale("mm", "m", 1e-3);
  check_scale("kg", "kg", 1);
  check_scale("g", "kg", 1e-3);
  check_scale("mH", "H", 1e-3);
  check_scale("kohm", "ohm", 1e3);
  check_scale("uF", "F", 1e-6);
  check_scale("min", "s", 60);
  check_scale("rev/min", "1/s", 2 * 3.14159265358979323846 / 60);
  check_scale("deg", "1", 3.14159265358979323846 / 180);
  check_scale("km/h", "m/s", 1 / 3.6);
  check_scale("cm^3", "m^3", 1e-6);
  check_scale("L", "m^3", 1e-3);
  check_scale("hPa", "Pa", 100);
  check_scale("dam", "m", 10);
  check_scale("m·s²", "m*s^2", 1);
  check_scale("mm^(1/2)", "m^(1/2)", sqrt(1e-3));
}

static void si_values_round_once(void **state) {
  (void)state;
  assert_true(unit_to_si(5.8, unit("mm")) == 0.0058);
  assert_true(unit_to_si(20.1, unit("mm")) == 0.0201);
  assert_true(unit_to_si(0.3, unit("g")) == 0.0003);
  assert_true(unit_to_si(10, unit("us")) == 1e-5);
  assert_true(unit_to_si(2, unit("kN")) == 2000);
}

static void refused(void **state) {
  (void)state;
  static const char *const bad[] = { "",   "metre",   "kmin",    "m^",    "m^x", "m**s", "(m", "m)",
                                     "m/", "m^(1/3)", "m^(1/0)", "m^1e9", "2",   "kkg",  "^2", "/" };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    Unit u;
    const char *at = NULL;
    int n = -1;
    if (unit_parse(bad[i], &u, &at, &n)) fail_msg("`%s` was taken for a unit", bad[i]);
    assert_non_null(at);
    assert_true(n >= 0 && at + n <= bad[i] + strlen(bad[i]) + 1);
    assert_int_equal(u.state, UNIT_UNKNOWN);
  }
  char deep[401];
  memset(deep, '(', 400);
  deep[400] = 0;
  Unit u;
  assert_false(unit_parse(deep, &u, NULL, NULL));
}

static void check_print(Unit u, const char *want) {
  Text t = {0};
  unit_print(u, &t);
  assert_string_equal(text_str(&t), want);
  text_free(&t);
}

static void printing(void **state) {
  (void)state;
  check_print(unit("kg*m/s^2"), "N");
  check_print(unit("N*m"), "J");
  check_print(unit("m/s^2"), "m/s^2");
  check_print(unit("kg*m^2/s"), "kg*m^2/s");
  check_print(unit("1/s"), "1/s");
  check_print(unit("rad"), "1");
  check_print(unit("V/A"), "ohm");
  check_print(unit("1/(m*s)"), "1/(m*s)");
  check_print(unit("m^(1/2)"), "m^(1/2)");
}

static void algebra(void **state) {
  (void)state;
  Unit r;
  assert_true(unit_compatible(unit_mul(unit("N"), unit("m")), unit("J")));
  assert_true(unit_compatible(unit_div(unit("m"), unit("s")), unit("m/s")));
  assert_false(unit_compatible(unit("m"), unit("s")));
  assert_true(unit_pow(unit("m^2"), 0.5, &r) && unit_compatible(r, unit("m")));
  assert_true(unit_pow(unit("m"), 0.5, &r) && unit_compatible(unit_mul(r, r), unit("m")));
  assert_false(unit_pow(unit("m"), 0.3, &r));
  assert_false(unit_pow(unit("m"), NAN, &r));
  // overflow of exponents is unknown, never wrong
  Unit u = unit("m");
  for (int i = 0; i < 20; i++) u = unit_mul(u, u);
  assert_int_equal(u.state, UNIT_UNKNOWN);
}

static void states(void **state) {
  (void)state;
  assert_int_equal(unit_mul(UNIT_BARE, UNIT_BARE).state, UNIT_LITERAL);
  assert_int_equal(unit_mul(UNIT_ANY, unit("m")).state, UNIT_UNKNOWN);
  assert_true(unit_compatible(unit_mul(UNIT_BARE, unit("m")), unit("m")));
  assert_true(unit_compatible(unit_div(UNIT_BARE, unit("s")), unit("Hz")));
  assert_true(unit_compatible(UNIT_BARE, unit("m")));
  assert_true(unit_compatible(UNIT_ANY, unit("m")));
  assert_int_equal(unit_merge(UNIT_BARE, unit("m")).state, UNIT_KNOWN);
  assert_int_equal(unit_merge(UNIT_ANY, UNIT_BARE).state, UNIT_UNKNOWN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(scales),  cmocka_unit_test(si_values_round_once),
    cmocka_unit_test(refused), cmocka_unit_test(printing),
    cmocka_unit_test(algebra), cmocka_unit_test(states),
  };
  return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
