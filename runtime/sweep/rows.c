// Going on with a file: its complete rows are compared with what this sweep would have begun them with, number and
// values; so a file of another sweep is not mixed with this one.
#define _POSIX_C_SOURCE 200809L
#include "sweep.h"
#include "runtime/clock/clock.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long differs(const char *path, const char *what, long line, nsm_error *e) {
  sim_fail(e, NSM_USAGE, "--resume: %s holds another sweep: %s in line %ld; give the flags that it was begun with, or "
           "another file", path, what, line);
  return -1;
}

static long compare(const sweep_task *k, FILE *f, const char *path, long *end, nsm_error *e) {
  char *line = NULL;
  size_t room = 0;
  long rows = -1, at = 1;                                  // -1: the header is expected
  ssize_t n;
  while ((n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
    sweep_text own = { NULL, 0, 0, 0 };
    if (rows < 0) sweep_header(k, &own);
    else if (rows < k->plan->total) { sweep_begin_row(k, rows, &own); sweep_add(&own, ",", 1); }
    int same = own.at && !own.failed && strncmp(line, own.at, own.n) == 0 && (rows >= 0 || (size_t)n == own.n);
    free(own.at);
    if (!same) {
      free(line);
      return differs(path, rows < 0 ? "the columns differ" : "number or values of the run differ", at, e);
    }
    rows++;
    at++;
    *end = ftell(f);
  }
  free(line);
  return rows < 0 ? 0 : rows;
}

long sweep_resume(const sweep_task *k, const char *path, nsm_error *e) {
  FILE *f = fopen(path, "r+");
  if (!f && errno == ENOENT) return 0;
  long end = 0, rows = -1;
  if (f) {
    errno = 0;
    rows = compare(k, f, path, &end, e);
    if (rows < 0) { fclose(f); return -1; }
    if (ferror(f) || ftruncate(fileno(f), end) != 0) rows = -1;
  }
  int why = errno;
  if (f && fclose(f) != 0 && rows >= 0) { why = errno; rows = -1; }
  if (rows < 0) sim_fail(e, NSM_FILE, "--resume: %s: %s", path, strerror(why));
  return rows;
}
