// The table of flags and its reader: spellings, values, ranges, and which command takes which.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/command/flags.h"

static nsm_flags f;
static nsm_error e;

// The arguments in one text, separated by '|'.
static nsm_code give(nsm_command command, const char *arguments) {
  static char text[1000];
  char *argv[40] = { (char *)(uintptr_t)"nsm" };
  int argc = 1;
  nsm_flags_free(&f);
  snprintf(text, sizeof text, "%s", arguments);
  for (char *at = text; at && *arguments; argv[argc++] = at, at = strchr(at, '|') ? strchr(at, '|') : NULL)
    if (at != text) *at++ = 0;
  e = (nsm_error){ .code = NSM_OK };
  return nsm_flags_read(command, argc, argv, &f, &e);
}

static void values_stand_behind_a_blank_or_an_equals_sign(void **state) {
  (void)state;
  assert_int_equal(give(NSM_FOR_RUN, "a.nsm|--until|20ms|--step=2us|-o|x.csv|--quiet|--every=10"), NSM_OK);
  assert_int_equal(f.nfile, 1);
  assert_string_equal(f.file[0], "a.nsm");
  assert_true(fabs(f.number[NSM_FLAG_UNTIL] - 0.02) < 1e-15 && fabs(f.number[NSM_FLAG_STEP] - 2e-6) < 1e-18);
  assert_true(f.number[NSM_FLAG_EVERY] == 10 && isnan(f.number[NSM_FLAG_START]));
  assert_string_equal(f.text[NSM_FLAG_OUTPUT], "x.csv");
  assert_non_null(f.text[NSM_FLAG_QUIET]);
  assert_null(f.text[NSM_FLAG_EXPECT]);
  assert_int_equal(give(NSM_FOR_RUN, "--set|a=1|--set=b=2 m|-|--|--until|-x"), NSM_OK);
  assert_int_equal(f.nset, 2);
  assert_string_equal(f.set[1], "b=2 m");
  assert_int_equal(f.nfile, 3);                                              // "-", and what follows "--"
  assert_string_equal(f.file[1], "--until");
  assert_int_equal(give(NSM_FOR_RUN, "--until=1|--until=2"), NSM_OK);        // the last one counts
  assert_true(f.number[NSM_FLAG_UNTIL] == 2);
}

static void schemes_take_their_weights(void **state) {
  (void)state;
  assert_int_equal(give(NSM_FOR_RUN, "--scheme|moreau(theta = 0.5, gamma = 1)"), NSM_OK);
  assert_string_equal(f.scheme, "moreau");
  assert_true(f.number[NSM_FLAG_THETA] == 0.5 && f.number[NSM_FLAG_GAMMA] == 1);
  assert_int_equal(give(NSM_FOR_RUN, "--scheme|midpoint(theta = 0.5)"), NSM_USAGE);
  assert_int_equal(give(NSM_FOR_RUN, "--scheme|moreau(theta = 2)"), NSM_USAGE);
  assert_int_equal(give(NSM_FOR_RUN, "--scheme|moreau("), NSM_USAGE);
  assert_int_equal(give(NSM_FOR_RUN, "--scheme|Moreau"), NSM_USAGE);
  assert_non_null(strstr(e.text, "did you mean `moreau`?"));
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  static const struct { nsm_command command; const char *arguments, *says; } wrong[] = {
    { NSM_FOR_RUN, "--untill=1", "did you mean `--until`?" },
    { NSM_FOR_RUN, "-q", "there is no flag `-q`" },
    { NSM_FOR_RUN, "-x", "nsm run takes no flag -x; it belongs to: nsm plot" },
    { NSM_FOR_RUN, "--until", "--until needs a value" },
    { NSM_FOR_RUN, "--quiet=1", "--quiet takes no value" },
    { NSM_FOR_CHECK, "--until=1", "nsm check takes no flag --until; it belongs to: " },
    { NSM_FOR_SIMULATOR, "--jit=cc", "takes no flag --jit" },
    { NSM_FOR_RUN, "--step=0", "--step 0: it must be greater than 0" },
    { NSM_FOR_RUN, "--gamma=0", "--gamma 0: it must lie in (0, 1]" },
    { NSM_FOR_RUN, "--every=1.5", "--every 1.5: it takes a whole number" },
    { NSM_FOR_RUN, "--theta=nan", "--theta nan" },
    { NSM_FOR_RUN, "--jit=gcc", "there is no choice `gcc`; did you mean `tcc`?; there are: tcc, cc" },
    { NSM_FOR_RUN, "--dump=ast,moddel", "did you mean `model`?" },
    { NSM_FOR_SOLVE, "--solver=lemk", "did you mean `lemke`?" },
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    if (give(wrong[k].command, wrong[k].arguments) != NSM_USAGE) fail_msg("%s is taken", wrong[k].arguments);
    if (!strstr(e.text, wrong[k].says)) fail_msg("%s: %s", wrong[k].arguments, e.text);
  }
}

static void help_comes_from_the_table(void **state) {
  (void)state;
  char *text = NULL;
  size_t n;
  FILE *out = open_memstream(&text, &n);
  nsm_flags_help(NSM_FOR_SOLVE, out);
  fclose(out);
  assert_non_null(strstr(text, "  --max-iterations N     limit of each iterative solver\n"));
  assert_null(strstr(text, "--until"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_stand_behind_a_blank_or_an_equals_sign), cmocka_unit_test(schemes_take_their_weights),
    cmocka_unit_test(what_is_wrong_is_said), cmocka_unit_test(help_comes_from_the_table),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  nsm_flags_free(&f);
  return failed;
}
