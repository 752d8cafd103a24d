// The .dat formats: what is read from a file of each kind, and where a fault is said to be.
#include "reading.h"

static void lcp_by_columns(void **x) {
  (void)x;
  nsm_problem *p = read_text("2 0 2 2 2 2  1 2 3 4  -5 -6  a comment 7", "lcp.dat", NSM_PROBLEM_GUESS);
  assert_int_equal(p->kind, NSM_PROBLEM_LCP);
  assert_true(p->guessed && p->unknowns == 2 && !p->stored_lambda && p->entries == 4);
  assert_matrix(p, (double[]){ 1, 3, 2, 4 });
  assert_vector(p->p.q, (double[]){ -5, -6 }, 2);
  assert_vector(p->p.lo, (double[]){ 0, 0 }, 2);
  assert_vector(p->p.hi, (double[]){ HUGE_VAL, HUGE_VAL }, 2);
  nsm_problem_free(p);
}

static void blocks(void **x) {
  (void)x;
  nsm_problem *p = read_text(lcp_blocks, "a.dat", NSM_PROBLEM_LCP);
  assert_true(p->p.row_start != NULL && !p->guessed);
  nsm_problem_free(p);
  // Blocks of 1 x 1, 1 x 2, 2 x 2; the lower left one is missing.
  p = read_text("3 1 3 3  3 2 2  1 3  1 3  3 3  0 2 3  0 1 1  7 4  8 -1 5  9 2 3 1 6   1 2 3", "lcp.dat",
                NSM_PROBLEM_GUESS);
  assert_matrix(p, (double[]){ 4, -1, 5, 0, 2, 1, 0, 3, 6 });
  assert_int_equal(p->bandwidth, 2);
  assert_true(nsm_problem_densify(p) && !p->p.row_start && p->entries == 9);
  assert_matrix(p, (double[]){ 4, -1, 5, 0, 2, 1, 0, 3, 6 });
  nsm_problem_free(p);
}

static void relay_or_lcp(void **x) {
  (void)x;
  nsm_problem *p = read_text(relay, "a.dat", NSM_PROBLEM_GUESS);
  assert_int_equal(p->kind, NSM_PROBLEM_RELAY);
  assert_vector(p->p.lo, (double[]){ -1, -1 }, 2);
  assert_vector(p->p.hi, (double[]){ 1, 1 }, 2);
  nsm_problem_free(p);
  p = read_text(relay, "my_lcp.dat", NSM_PROBLEM_GUESS);                // then z and w stand behind
  assert_int_equal(p->kind, NSM_PROBLEM_LCP);
  assert_vector(p->stored_lambda, (double[]){ -1, -1 }, 2);
  assert_vector(p->stored_u, (double[]){ 1, 1 }, 2);
  nsm_problem_free(p);
  p = read_text("1 0 1 1 1 1  2  -1  3 1", "a.dat", NSM_PROBLEM_GUESS);  // no bounds: 3 > 1
  assert_int_equal(p->kind, NSM_PROBLEM_LCP);
  nsm_problem_free(p);
  p = read_text(relay_unbounded, "", NSM_PROBLEM_RELAY);
  assert_true(p->p.lo[0] == -HUGE_VAL && p->p.hi[0] == HUGE_VAL);
  nsm_problem_free(p);
}

static void friction(void **x) {
  (void)x;
  nsm_problem *p = read_text(fc2d, "any.dat", NSM_PROBLEM_GUESS);
  assert_true(p->kind == NSM_PROBLEM_FC2D && p->p.cones == 2);
  assert_true(p->p.cone[1].type == NSM_CONE_COULOMB && p->p.cone[1].first == 2 && p->p.cone[1].size == 2 &&
              p->p.cone[0].mu == 0.25 && p->p.cone[1].mu == 0);
  nsm_problem_free(p);
  p = read_text("3 1 0 3 3 3 3 15 -1 -2 -1 14 1 -2 1 16 -1 2 3 0.1 1 10 20 30 4 5 6", "", NSM_PROBLEM_GUESS);
  assert_true(p->kind == NSM_PROBLEM_FC3D && p->p.cones == 1 && p->p.cone[0].size == 3);
  assert_vector(p->stored_lambda, (double[]){ 10, 20, 30 }, 3);
  assert_vector(p->stored_u, (double[]){ 4, 5, 6 }, 3);
  nsm_problem_free(p);
}

// A u + C v + a, D u + B v + b.
static void mlcp(void **x) {
  (void)x;
  nsm_problem *p = read_text(mlcp_both, "a.dat", NSM_PROBLEM_GUESS);
  assert_int_equal(p->kind, NSM_PROBLEM_MLCP);
  assert_string_equal(p->note, "");
  assert_matrix(p, (double[]){ 1, 2, 0, 0, 1, 1.25, 0, 0, 1 });
  assert_vector(p->p.lo, (double[]){ -HUGE_VAL, 0, 0 }, 3);
  assert_vector(p->stored_lambda, (double[]){ NAN, 0, 3 }, 3);
  assert_vector(p->stored_u, (double[]){ NAN, 4.75, 0 }, 3);
  nsm_problem_free(p);
  p = read_text(mlcp_one, "a.dat", NSM_PROBLEM_GUESS);                   // the complementary rows first
  assert_vector(p->p.lo, (double[]){ 0, 0, -HUGE_VAL }, 3);
  nsm_problem_free(p);
  p = read_text(mlcp_split, "a.dat", NSM_PROBLEM_GUESS);
  assert_matrix(p, (double[]){ 4, 1, 1, 1, 3, 0, -1, 0, 2 });
  assert_vector(p->p.q, (double[]){ -1, 2, -3 }, 3);
  nsm_problem_free(p);
}

static void mlcp_with_more_rows(void **x) {
  (void)x;
  nsm_problem *p = read_text("1 1 2  2 3 5 -1 -4 1", "older_mlcp.dat", NSM_PROBLEM_GUESS);
  assert_matrix(p, (double[]){ 2, 5, -1, 3 });
  assert_vector(p->p.q, (double[]){ -4, 1 }, 2);
  nsm_problem_free(p);
  // Two equations for one free unknown: the second one gets the unknown number 2, whose column is zero.
  p = read_text("1 1 3  2 4  3  5 6  -1  -4 -8  1", "older_mlcp.dat", NSM_PROBLEM_GUESS);
  assert_true(p->p.m == 3 && p->unknowns == 2);
  assert_matrix(p, (double[]){ 2, 5, 0, -1, 3, 0, 4, 6, 0 });
  assert_vector(p->p.q, (double[]){ -4, 1, -8 }, 3);
  assert_vector(p->p.lo, (double[]){ -HUGE_VAL, 0, -HUGE_VAL }, 3);
  nsm_problem_free(p);
}

static void two_forms_that_differ(void **x) {
  (void)x;
  nsm_problem *p = read_text("1 1 1 1 0 1 2 0 1 0 2 2 2 2  1 0 -1 1  -1 1   1 1 -1 9 -1 1", "", NSM_PROBLEM_MLCP);
  assert_non_null(strstr(p->note, "differ"));
  assert_matrix(p, (double[]){ 1, -1, 0, 1 });
  nsm_problem_free(p);
}

// What is cut off is refused, and never read as the other form.
static void every_cut_of_an_mlcp(void **x) {
  (void)x;
  const char *const whole[] = { mlcp_both, mlcp_one, mlcp_split, mlcp_older, mlcp_redundant };
  for (int k = 0; k < 5; k++) {
    size_t length = strlen(whole[k]), data = length;
    if (k == 0) data = (size_t)(strstr(whole[k], "\n0 3 4.75") - whole[k]);           // what follows is a stored answer
    for (size_t n = 0; n < data; n++) {
      if (strchr(" \n", whole[k][n]) == NULL || n + 1 >= data) continue;
      char *text = malloc(n + 1);
      memcpy(text, whole[k], n);
      text[n] = 0;
      nsm_problem_error e;
      nsm_problem *p = nsm_problem_parse(text, n, "a_mlcp.dat", NSM_PROBLEM_GUESS, &e);
      if (p) fail_msg("this was read: %s", text);
      free(text);
    }
  }
}

static void faults_have_a_place(void **x) {
  (void)x;
  assert_fault("2\n0\n@2 3\n", NSM_PROBLEM_LCP, "must be 2 x 2, and is 2 x 3");
  assert_fault("2 0 2 2\n@2 3\n", NSM_PROBLEM_LCP, "2 x 3 here, and 2 x 2 before");
  assert_fault("2 0 2 2\n2 2\n1 2 3 4\n-5 @x6\n", NSM_PROBLEM_LCP, "expected an entry of q, found 'x6'");
  assert_fault("2 0 2 2\n2 2\n1 2 @nan 4\n-5 6\n", NSM_PROBLEM_LCP, "found 'nan'");
  assert_fault("2 0 2 2 2 2 1 2 3 4 -5 \n@", NSM_PROBLEM_LCP, "found the end of the file");
  assert_fault("1 0 1 1 1 1 2 3\n5\n@4", NSM_PROBLEM_RELAY, "the lower one is larger");
  assert_fault("2 1 0 2 2 2 2\n1 0 0 1\n1 1\n@-0.5", NSM_PROBLEM_FC2D, "contact 0 is negative");
  assert_fault("@3 1 0 3 3", NSM_PROBLEM_FC2D, "must be 2, and is 3");
  assert_fault("@4 1 0 4 4", NSM_PROBLEM_FC3D, "must be 3, and is 4");
  assert_fault("3 1 3 3  3 2 2  1 3  1 3  3 3  0 2 @4", NSM_PROBLEM_LCP, "must be at most 3");
  assert_fault("3 1 3 3  3 2 2  1 3  1 3  3 3  0 2 @1", NSM_PROBLEM_LCP, "must start at 0 and not fall");
  assert_fault("3 1 3 3  3 2 2  2 @1", NSM_PROBLEM_LCP, "must grow");
  assert_fault("3 1 3 3  1 1 1  3  3  2 1  0 1  @5", NSM_PROBLEM_LCP, "must be at most 0");
  assert_fault("1 @2 1 1", NSM_PROBLEM_LCP, "not supported yet");
  assert_fault("1 1 @1 1\n0 1 3", NSM_PROBLEM_MLCP, "as many rows");  // no ends of blocks: of the older form then
  assert_fault("1 1 2 2\n0 2 4\n0 1 0\n@4 5 5", NSM_PROBLEM_MLCP, "must be 4 x 4");
  assert_fault("1 1 1 1\n0 1 2\n1 @1", NSM_PROBLEM_MLCP, "more than 1 complementary");
  assert_fault("@hello", NSM_PROBLEM_GUESS, "what kind");
  assert_fault("", NSM_PROBLEM_LCP, "empty");
}

// Counts that the text cannot hold are refused before anything is allocated for them: this would take 8 TB.
static void counts_beyond_the_text(void **x) {
  (void)x;
  assert_fault("1000000@ 0 1000000 1000000 1000000 1000000 1", NSM_PROBLEM_LCP, "1000000 numbers (entries of q)");
  assert_fault("3 300000@ 1", NSM_PROBLEM_FC3D, "900000 numbers");
  assert_fault("200000 1 200001@ 1", NSM_PROBLEM_MLCP, "numbers (A, B, C, D, a, b)");
  assert_fault("@4194304 0", NSM_PROBLEM_LCP, "at most 1048576");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(lcp_by_columns),
                                      cmocka_unit_test(blocks),
                                      cmocka_unit_test(relay_or_lcp),
                                      cmocka_unit_test(friction),
                                      cmocka_unit_test(mlcp),
                                      cmocka_unit_test(mlcp_with_more_rows),
                                      cmocka_unit_test(two_forms_that_differ),
                                      cmocka_unit_test(every_cut_of_an_mlcp),
                                      cmocka_unit_test(faults_have_a_place),
                                      cmocka_unit_test(counts_beyond_the_text) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
