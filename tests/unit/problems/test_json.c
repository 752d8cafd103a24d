// nsm's own format: what is read, what is refused and where, and that writing loses nothing.
#include "reading.h"
#include <float.h>
#include <stdio.h>

static nsm_problem *json(const char *text) { return read_text(text, "", NSM_PROBLEM_GUESS); }

static void three_forms_of_the_matrix(void **x) {
  (void)x;
  const double M[] = { 0, 2, 0, 1.5, 0, 0, 0, 0, -1 };
  const char *const forms[] = { "[[0, 2, 0], [1.5, 0, 0], [0, 0, -1]]",
                                "{\"row_start\": [0, 1, 2, 3], \"col\": [1, 0, 2], \"value\": [2, 1.5, -1]}",
                                "{\"value\": [-1, 1, 2, 0.5], \"row\": [2, 1, 0, 1], \"col\": [2, 0, 1, 0]}" };
  for (int i = 0; i < 3; i++) {
    char text[300];
    snprintf(text, sizeof text, "{\"q\": [1, 2, 3], \"M\": %s, \"nsm_problem\": 1}", forms[i]);
    nsm_problem *p = json(text);
    assert_matrix(p, M);
    assert_true((p->p.row_start != NULL) == (i > 0) && p->entries == (i ? 3u : 9u));
    nsm_problem_free(p);
  }
}

static void every_key(void **x) {
  (void)x;
  nsm_problem *p = json(json_dense);
  assert_vector(p->p.lo, (double[]){ 0, -HUGE_VAL, -1 }, 3);
  assert_vector(p->p.hi, (double[]){ HUGE_VAL, HUGE_VAL, 1 }, 3);
  assert_vector(p->guess, (double[]){ 0, 0, 0 }, 3);
  assert_vector(p->stored_lambda, (double[]){ 1, -1, 1 }, 3);
  assert_string_equal(p->label[2], "c");
  nsm_problem_free(p);
  p = json(json_cones);
  const nsm_cone_block want[] = { { NSM_CONE_COULOMB, 0, 3, 0.5, 0, 0 }, { NSM_CONE_ELLIPTIC, 3, 3, 0.5, 0.25, 0 },
    { NSM_CONE_CONTENSOU, 6, 4, 0.5, 0, 0.1 },
                                  { NSM_CONE_GRIP, 10, 2, 0.3, 0, 0 }, { NSM_CONE_DISK, 12, 2, 0, 0, 0.7 },
                                  { NSM_CONE_ELLIPSE, 14, 2, 0.5, 0.25, 0.7 } };
  assert_int_equal(p->p.cones, 6);
  for (int i = 0; i < 6; i++) {
    const nsm_cone_block *a = &p->p.cone[i], *b = &want[i];
    assert_true(a->type == b->type && a->first == b->first && a->size == b->size && a->mu == b->mu &&
                a->mu2 == b->mu2 && a->radius == b->radius);
  }
  nsm_problem_free(p);
}

// Sizes of the terms of q; the exact set of Contensou; grips with several normal rows: read, and written again.
static nsm_problem *written_and_read(const nsm_problem *p, const nsm_problem_note *n);

static void later_keys(void **x) {
  (void)x;
  nsm_problem *p =
      json("{\"nsm_problem\": 1, \"M\": {\"row\": [0], \"col\": [0], \"value\": [1]}, \"q\": [1, 2, 3, 4, "
           "5, 6, 7, 8, 9, 10, 11, 12, 13, 14], \"q_terms\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12.5, 1, 1, 1], "
           "\"cones\": [{\"type\": "
           "\"contensou_exact\", \"first\": 0, \"mu\": 0.5, \"radius\": 2}, {\"type\": \"grip\", \"first\": 4, "
           "\"size\": 3, \"normals\": 2, \"mu\": 0.25}, {\"type\": \"grip\", \"size\": 4, \"mu\": 1, "
           "\"normals\": 3, \"first\": 7}, {\"type\": \"rolling\", \"first\": 11, \"size\": 3, \"mu\": 0.5, "
           "\"mu2\": 0.125}]}");
  const nsm_cone_block want[] = { { NSM_CONE_CONTENSOU_EXACT, 0, 4, 0.5, 0, 2 },
                                  { NSM_CONE_GRIP2, 4, 3, 0.25, 0, 0 },
                                  { NSM_CONE_GRIP3, 7, 4, 1, 0, 0 },
                                  { NSM_CONE_ROLLING, 11, 3, 0.5, 0.125, 0 } };
  for (int pass = 0; pass < 2; pass++) {
    assert_int_equal(p->p.cones, 4);
    for (int i = 0; i < 4; i++) {
      const nsm_cone_block *a = &p->p.cone[i], *b = &want[i];
      assert_true(a->type == b->type && a->first == b->first && a->size == b->size && a->mu == b->mu &&
                  a->mu2 == b->mu2 && a->radius == b->radius);
    }
    assert_non_null(p->p.q_terms);
    assert_true(p->p.q_terms[0] == 1 && p->p.q_terms[10] == 12.5);
    nsm_problem *again = written_and_read(p, NULL);
    nsm_problem_free(p);
    p = again;
  }
  nsm_problem_free(p);
}

static void strings(void **x) {
  (void)x;
  nsm_problem *p = json(
      "{\"nsm_problem\": 1, \"M\": [[1, 0], [0, 1]], \"q\": [0, 0], \"labels\": [\"a\\\"\\\\\\/\\n"
      "\\t\\u00e9\\u20ac\", \"\\ud83d\\ude00\"]}");
  assert_string_equal(p->label[0], "a\"\\/\n\t\xc3\xa9\xe2\x82\xac");
  assert_string_equal(p->label[1], "\xf0\x9f\x98\x80");
  nsm_problem_free(p);
}

#define HEAD "{\"nsm_problem\": 1, \"M\": [[1]], \"q\": [1]"
static void faults_have_a_place(void **x) {
  (void)x;
  static const struct { const char *text, *says; } bad[] = {
    { "{\n \"nsm_problem\": 1,\n \"M\": [[1, @NaN]]}", "found 'NaN" },
    { "{\"nsm_problem\": 1,\n\"M\": [[1, 2],\n @[3]], \"q\": [1, 2]}", "row 1 of M has 1 entries" },
    { "{\"nsm_problem\": 1,\n\"M\": @[[1, 2], [3, 4]], \"q\": [1]}", "must be square" },
    { "{\"nsm_problem\": 1, \"M\": [[1]], \"q\": [@1e400]}", "too large" },
    { "{\"nsm_problem\": 1, \"M\": [[1]], \"q\": [@+1]}", "expected an entry of q" },
    { "{\"nsm_problem\": 1, \"M\": [[1]], \"q\": [@.5]}", "expected an entry of q" },
    { "{\"nsm_problem\": 1, \"M\": [[1]], \"q\": [@01]}", "expected an entry of q" },
    { "{\"nsm_problem\": 1, \"M\": [[1]], \"q\": [@1.]}", "expected an entry of q" },
    { "{\"nsm_problem\": 1, \"M\": [[1]], \"q\": [@0x1]}", "expected an entry of q" },
    { "{\"nsm_problem\": 1, \"M\": [[1]], \"q\": [1 @2]}", "',' or ']'" },
    { "{\"nsm_problem\": 1, \"M\": [[1]], \"q\": [1, @]}", "expected a number" },
    { HEAD ", \"lo\": [@\"infinity\"]}", "found a string" },
    { HEAD ", \"lo\": [2], \"hi\": [1]}", "bounds of row 0" },
    { HEAD ", \"hi\": [\"-inf\"], \"lo\": [\"-inf\"]}", "no finite number" },
    { HEAD ", \"rows\": @2}", "rows is 2, and q has 1" },
    { HEAD ", \"labels\": @[\"a\", \"b\"]}", "labels has 2 entries" },
    { HEAD ", \"labels\": [@\"a]}", "no end" },
    { HEAD ", \"labels\": [\"@\\ud800\"]}", "surrogate" },
    { HEAD ", @\"q\": [1]}", "second time" },
    { HEAD ", @\"Q\": [1]}", "no key of this name" },
    { HEAD "@", "',' or '}'" },
    { HEAD "} @x", "nothing may follow" },
    { "{\"nsm_problem\": @2}", "version 2" },
    { "{\"M\": [[1]], \"q\": [1]}", "\"nsm_problem\" is missing" },
    { "{\"nsm_problem\": 1, \"q\": [1]}", "\"M\" is missing" },
    { "{\"nsm_problem\": 1, \"q\": [1], \"M\": @{\"row\": [0], \"col\": [0]}}", "missing" },
    { "{\"nsm_problem\": 1, \"q\": [1], \"M\": @{\"row\": [0], \"col\": [0], \"value\": [1, 2]}}", "equally long" },
    { "{\"nsm_problem\": 1, \"q\": [1], \"M\": {\"row\": [@0.5], \"col\": [0], \"value\": [1]}}", "whole number" },
    { "{\"nsm_problem\": 1, \"q\": [1], \"M\": @{\"row_start\": [0, 2], \"col\": [0], \"value\": [1]}}", "beyond" } };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_fault(bad[i].text, NSM_PROBLEM_GUESS, bad[i].says);
}

static void faults_of_sizes(void **x) {
  (void)x;
  assert_fault(HEAD ", \"q_terms\": @[1, 2]}", NSM_PROBLEM_GUESS, "q_terms has 2 entries, and q has 1");
  assert_fault(HEAD ", \"q_terms\": [@\"inf\"]}", NSM_PROBLEM_GUESS, "an entry of q_terms");
  assert_fault(HEAD ", \"q_terms\": [-1]}", NSM_PROBLEM_GUESS, "a size is not negative");
}

static void faults_of_cones(void **x) {
  (void)x;
  static const struct { const char *cones, *says;
  } bad[] = {
    { "{\"type\": \"coulomb\", \"first\": 0, \"size\": 2, \"mu\": @-1}", "must not be negative" },
    { "@{\"type\": \"coulomb\", \"first\": 0, \"size\": 2}", "the coefficients of a cone of type coulomb are mu" },
    { "@{\"type\": \"coulomb\", \"first\": 0, \"mu\": 1}", "needs its size" },
    { "@{\"type\": \"disk\", \"first\": 0, \"size\": 2, \"mu\": 1}", "are radius" },
    { "@{\"type\": \"coulomb\", \"first\": 1, \"size\": 2, \"mu\": 1}", "q is shorter" },
    { "@{\"type\": \"coulomb\", \"first\": 2147483647, \"size\": 2, \"mu\": 1}", "q is shorter" },
    { "{\"type\": \"coulomb\", \"first\": 0, \"size\": 1, \"mu\": 1}", "has 1 rows" },
    { "{\"type\": \"disk\", \"first\": 0, \"size\": 1, \"radius\": 1}, @{\"type\": \"disk\", \"first\": 0, \"size\": "
      "1, \"radius\": 1}",
      "the one before ends later" },
    { "{\"type\": @\"cone\", \"first\": 0, \"size\": 2, \"mu\": 1}", "no cone of this type" },
    { "@{\"type\": \"disk\", \"first\": 0, \"size\": 2, \"normals\": 1, \"radius\": 1}", "has no 1 normal rows" },
    { "@{\"type\": \"grip\", \"first\": 0, \"size\": 2, \"normals\": 0, \"mu\": 1}", "has no 0 normal rows" },
    { "{\"type\": \"grip\", \"first\": 0, \"size\": 2, \"normals\": 2, \"mu\": 1}", "has 2 rows" },
    { "@{\"first\": 0, \"size\": 2, \"mu\": 1}", "no type" }
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[400];
    snprintf(text, sizeof text, "{\"nsm_problem\": 1, \"M\": [[1, 0], [0, 1]], \"q\": [0, 0], \"cones\": [%s]}",
             bad[i].cones);
    assert_fault(text, NSM_PROBLEM_GUESS, bad[i].says);
  }
}

static nsm_problem *written_and_read(const nsm_problem *p, const nsm_problem_note *n) {
  char *out = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&out, &size);
  assert_int_equal(nsm_problem_write(f, &p->p, n), 1);
  fclose(f);
  nsm_problem *r = json(out);
  free(out);
  return r;
}

static const char *label(void *with, int i) { return ((const char *const *)with)[i]; }

static void nothing_is_lost(void **x) {
  (void)x;
  const double hard[] = {
    0.1, -0.0, DBL_MIN, 4.9406564584124654e-324, DBL_MAX, 1.0 / 3, -123456789.123456789, 1e-5, 9007199254740993.0
  };
  for (int i = 0; i < SEEDS; i++) {
    nsm_problem *p = read_text(seeds[i].text, seeds[i].name, NSM_PROBLEM_GUESS);
    for (int k = 0; k < p->p.m; k++) p->own_q[k] = hard[k % 9];
    const char *names[32];
    for (int k = 0; k < p->p.m; k++) names[k] = k % 2 ? "contact a[1] \"x\"\\" : "\xc3\xa9\n";
    nsm_cone_result result = { .status = NSM_CONE_FAILED, .residual = NAN, .iterations = 3 };
    nsm_problem_note n = { "model \"m\"", "place", 7, 0.1, label, names, p->own_q, p->own_q, &result };
    nsm_problem *r = written_and_read(p, &n);
    assert_int_equal(r->p.m, p->p.m);
    for (int a = 0; a < p->p.m; a++)
      for (int b = 0; b < p->p.m; b++) assert_true(entry(r, a, b) == entry(p, a, b));
    assert_memory_equal(r->p.q, p->p.q, (size_t)p->p.m * sizeof(double));
    assert_memory_equal(r->guess, p->p.q, (size_t)p->p.m * sizeof(double));
    assert_memory_equal(r->stored_lambda, p->p.q, (size_t)p->p.m * sizeof(double));
    if (p->p.cones == 0) assert_memory_equal(r->p.lo, p->p.lo, (size_t)p->p.m * sizeof(double));
    if (p->p.cones == 0) assert_memory_equal(r->p.hi, p->p.hi, (size_t)p->p.m * sizeof(double));
    for (int k = 0; k < p->p.m; k++) assert_string_equal(r->label[k], names[k]);
    assert_int_equal(r->p.cones, p->p.cones);
    for (int k = 0; k < p->p.cones; k++) {
      const nsm_cone_block *a = &r->p.cone[k], *b = &p->p.cone[k];
      assert_true(a->type == b->type && a->first == b->first && a->size == b->size && a->mu == b->mu &&
                  a->mu2 == b->mu2 && a->radius == b->radius);
    }
    nsm_problem_free(r);
    nsm_problem_free(p);
  }
}

// A nan reaches the file as null, which the reader refuses: it never comes back as a number.
static void a_nan_is_not_read_again(void **x) {
  (void)x;
  nsm_problem *p = json(HEAD "}");
  p->own_q[0] = NAN;
  char *out = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&out, &size);
  assert_int_equal(nsm_problem_write(f, &p->p, NULL), 1);
  fclose(f);
  nsm_problem_error e;
  assert_null(nsm_problem_parse(out, size, "", NSM_PROBLEM_GUESS, &e));
  assert_non_null(strstr(e.text, "null"));
  free(out);
  nsm_problem_free(p);
}

static void a_full_disk_is_seen(void **x) {
  (void)x;
  FILE *f = fopen("/dev/full", "w");
  if (!f) skip();
  nsm_problem *p = json(HEAD "}");
  assert_int_equal(nsm_problem_write(f, &p->p, NULL), 0);
  fclose(f);
  nsm_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(three_forms_of_the_matrix),
                                      cmocka_unit_test(every_key),
                                      cmocka_unit_test(later_keys),
                                      cmocka_unit_test(strings),
                                      cmocka_unit_test(faults_have_a_place),
                                      cmocka_unit_test(faults_of_sizes),
                                      cmocka_unit_test(faults_of_cones),
                                      cmocka_unit_test(nothing_is_lost),
                                      cmocka_unit_test(a_nan_is_not_read_again),
                                      cmocka_unit_test(a_full_disk_is_seen) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
