// The preset `sanitize` is worth something only if what it finds is seen: this program, called with the name of a
// fault, commits it, and must end with a report that names the fault and the function. Without sanitizers there is
// nothing to see.
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int one = 1, width = 32, zero = 0;

static int overflow_planted(void) { return INT_MAX + one; }
static int shift_planted(void) { return one << width; }
static int beyond_planted(void) { static const int at[4] = { 1, 2, 3, 4 }; return at[4 * one]; }
static int misplaced_planted(void) { return *(const volatile int *)((const char *)&zero + one); }
static int freed_planted(void) {
  static int *volatile p;                                  // of which the compiler knows nothing
  p = calloc(1, sizeof *p);
  free(p);
  return *p;
}

static const struct { const char *name, *report; int (*commit)(void);
} faults[] = {
  { "overflow_planted", "AddressSanitizer: ILL", overflow_planted },       // undefined behaviour traps
  { "shift_planted", "AddressSanitizer: ILL", shift_planted },
  { "beyond_planted", "AddressSanitizer: ILL", beyond_planted },
  { "misplaced_planted", "AddressSanitizer: ILL", misplaced_planted },
  { "freed_planted", "AddressSanitizer: heap-use-after-free", freed_planted },
};
enum { FAULTS = sizeof faults / sizeof *faults };

static const char *program;

static void a_fault_is_reported(void **state) {
  (void)state;
#ifndef __SANITIZE_ADDRESS__
  skip();
#endif
  for (int i = 0; i < FAULTS; i++) {
    char command[1024], said[1 << 14];
    snprintf(command, sizeof command, "'%s' %s 2>&1", program, faults[i].name);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    said[fread(said, 1, sizeof said - 1, f)] = 0;
    if (pclose(f) == 0) fail_msg("%s passes", faults[i].name);
    if (!strstr(said, faults[i].report) || !strstr(said, faults[i].name))
      fail_msg("%s is reported as: %s", faults[i].name, said);
  }
}

int main(int n, char **word) {
  program = word[0];
  for (int i = 0; n > 1 && i < FAULTS; i++)
    if (strcmp(word[1], faults[i].name) == 0) return faults[i].commit() == 12345;
  const struct CMUnitTest tests[] = { cmocka_unit_test(a_fault_is_reported) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
