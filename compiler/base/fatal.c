// The end of the line: a broken invariant, with exit code 125, or no memory, with exit code 4. One message on stderr.
// A user's mistake does not come here, it is a diagnostic (diag.h).
#include "fatal.h"
#include "ending.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

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

_Noreturn void out_of_memory(size_t bytes) {
  struct rusage use;
  char in_use[64] = "";
  if (getrusage(RUSAGE_SELF, &use) == 0)
    snprintf(in_use, sizeof in_use, ", %.3g MiB are in use", (double)use.ru_maxrss / 1024);
  fflush(stdout);
  fprintf(stderr, "error: not enough memory: %.3g MiB more were asked for%s\n"
                  "help: try smaller sizes (--set n=...), families and loops in place of whole vectors, or allow more "
                  "(ulimit -v)\n",
          (double)bytes / (1024 * 1024), in_use);
  if (ending_watched()) {                                // libraries in the midst of their work are not asked to end
    fflush(NULL);
    ending_undo();
    _exit(4);
  }
  exit(4);
}

void *memory_for(size_t bytes) {
  void *at = malloc(bytes ? bytes : 1);
  if (!at) out_of_memory(bytes);
  return at;
}
