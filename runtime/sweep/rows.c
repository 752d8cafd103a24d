// Going on with a file: its complete rows are compared with what this sweep would have begun them with, number and
// values, and with the sums of what was written; so a file of another sweep, or of other hands, is not mixed with this.
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

typedef struct reading { const sweep_task *k; const char *path; uint64_t key; int *unsealed; } reading;

// Does a line begin as that of row `row` does (-1: is it the header)?
static int begins(const sweep_task *k, long row, const char *line, size_t n) {
  sweep_text own = { NULL, 0, 0, 0 };
  if (row < 0) sweep_header(k, &own);
  else if (row < k->plan->total) { sweep_begin_row(k, row, &own); sweep_add(&own, ",", 1); }
  int same = own.at && !own.failed && strncmp(line, own.at, own.n) == 0 && (row >= 0 || n == own.n);
  free(own.at);
  return same;
}

// *end: of what is kept.
static long compare(const reading *r, FILE *f, long *end, nsm_error *e) {
  char *line = NULL;
  size_t room = 0;
  long rows = -1, at = 1, kept = 0;                        // -1: the header is expected
  ssize_t n;
  sweep_sums sums;
  sweep_seal seal = sweep_sums_read(&sums, r->path, r->key);
  const char *what = NULL;
  while (!what && (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
    if (!begins(r->k, rows, line, (size_t)n))
      what = rows < 0 ? "the columns differ" : "number or values of the run differ";
    else if (seal == SWEEP_OTHER) what = "the model or flags differ, by the sums beside it,";
    else if (rows >= 0 && seal == SWEEP_SAME && (seal = sweep_sums_next(&sums, line, (size_t)n)) == SWEEP_OTHER) break;
    if (what) break;
    rows++;
    at++;
    if (seal == SWEEP_SAME || rows == 0) { kept = rows; *end = ftell(f); }
  }
  sweep_sums_close(&sums);
  free(line);
  if (what) return differs(r->path, what, at, e);
  if (seal == SWEEP_OTHER) {
    sim_fail(e, NSM_USAGE, "--resume: line %ld of %s is not what was written there (%s.sums); give another file, or "
             "begin again without --resume", at, r->path, r->path);
    return -1;
  }
  *r->unsealed = kept < rows;
  return kept;
}

long sweep_resume(const sweep_task *k, const char *path, uint64_t key, int *unsealed, nsm_error *e) {
  const reading r = { k, path, key, unsealed };
  FILE *f = fopen(path, "r+");
  *unsealed = 0;
  if (!f && errno == ENOENT) return 0;
  long end = 0, rows = -1;
  if (f) {
    errno = 0;
    rows = compare(&r, f, &end, e);
    if (rows < 0) { fclose(f); return -1; }
    if (ferror(f) || ftruncate(fileno(f), end) != 0) rows = -1;
  }
  int why = errno;
  if (f && fclose(f) != 0 && rows >= 0) { why = errno; rows = -1; }
  if (rows < 0) sim_fail(e, NSM_FILE, "--resume: %s: %s", path, strerror(why));
  return rows;
}
