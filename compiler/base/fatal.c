// The end of the line for broken invariants: one message on stderr, then exit code 125.
// Only the compiler's own faults come here; a user's mistake is a diagnostic (diag.h).
#include "fatal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void fatal_at(const char *file, int line, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fflush(stdout);
  fprintf(stderr, "nsm: a fault of the compiler itself at %s:%d: ", file, line);
  vfprintf(stderr, fmt, ap);
  fputc('\n', stderr);
  va_end(ap);
  exit(125);
}
