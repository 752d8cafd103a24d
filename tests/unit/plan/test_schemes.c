// The tables of schemes of the compiler and of the runtime name the same schemes by the same numbers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "compiler/schemes/scheme.h"
#include "runtime/schemes/schemes.h"

static void same_tables(void **state) {
  (void)state;
  int n = 0;
  while (sim_scheme_at(n)) n++;
  assert_int_equal(n, SCHEME_COUNT);
  for (int i = 0; i < SCHEME_COUNT; i++) {
    const sim_scheme *r = sim_scheme_named(schemes[i].name);
    assert_non_null(r);
    assert_ptr_equal(r, sim_scheme_at(i));
    assert_int_equal(r->weights, schemes[i].weights);
    assert_int_equal(r->collocates, schemes[i].collocates);
    assert_int_equal(r->located, schemes[i].located);
    assert_int_equal(r->two_point, schemes[i].two_point);
    assert_int_equal(r->one_step, schemes[i].one_step);
    assert_int_equal(r->mass_at_begin, schemes[i].mass_at_begin);
  }
  assert_null(sim_scheme_named("euler"));
  assert_null(sim_scheme_at(-1));
}

static void complete(void **state) {
  (void)state;
  const char *near;
  for (int i = 0; i < SCHEME_COUNT; i++) {
    const SchemeDescriptor *d = &schemes[i];
    assert_non_null(d->closed);
    if (d->equations) {
      const Equations *q = d->equations;
      assert_true(q->points && q->momentum && q->impulse && q->rate && q->before && q->closed);
      assert_true((q->relation != NULL) == !d->two_point);
      assert_true((q->gap != NULL) == d->two_point && (q->shift != NULL) == d->two_point);
      assert_true((q->weights != NULL) == d->weights);
    }
    assert_true(*d->order && *d->needs && *d->source);
    assert_ptr_equal(scheme_named(d->name, &near), d);
    assert_non_null(sim_scheme_named(d->name)->step);
    assert_non_null(sim_scheme_named(d->name)->accept);
  }
  assert_null(scheme_named("moreau_jean", &near));
  assert_string_equal(near, "moreau");
  assert_string_equal(scheme_with_weights()->name, "moreau");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(same_tables), cmocka_unit_test(complete) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
