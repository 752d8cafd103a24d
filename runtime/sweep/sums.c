// FILE.sums beside the file of a sweep: what says at --resume that a row is the one that was written.
//
//   nsm sweep KEY          of the model and of the flags that rows depend on
//   SUM                    one line for each row,  s_i = nsm_sum(s_(i-1), nsm_sum(row i)),  s_0 = KEY
//
// Rows are written first: a row without a sum is made anew.
#include "sweep.h"
#include "runtime/clock/clock.h"
#include "runtime/command/outputs.h"
#include "runtime/shared/sum.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 27, LINE = 17 };                             // bytes of the first line, and of each other one

static uint64_t chained(uint64_t before, uint64_t more) {
  uint64_t both[2] = { before, more };
  return nsm_sum(both, sizeof both);
}

static uint64_t of_text(uint64_t before, const char *text) { return chained(before, nsm_sum(text, strlen(text))); }

uint64_t sweep_key(uint64_t model, const nsm_flags *f) {
  static const int free_to_change[] = { NSM_FLAG_RUNS, NSM_FLAG_THREADS, NSM_FLAG_TRAJECTORIES, NSM_FLAG_EVERY,
                                        NSM_FLAG_OUTPUT, NSM_FLAG_RESUME, NSM_FLAG_EXPECT, NSM_FLAG_JIT,
                                        NSM_FLAG_QUIET };
  uint64_t key = model;
  for (int i = 0; i < NSM_FLAGS; i++) {
    int counts = f->text[i] != NULL;
    for (size_t k = 0; k < sizeof free_to_change / sizeof *free_to_change; k++) counts &= i != free_to_change[k];
    if (counts) key = of_text(chained(key, (uint64_t)i), f->text[i]);
  }
  for (int i = 0; i < f->nset; i++) key = of_text(key, f->set[i]);
  for (int i = 0; i < f->nlist; i++) key = of_text(chained(key, (uint64_t)f->list[i].flag), f->list[i].text);
  return key;
}

const char *sweep_sums_path(const char *rows, char *out) {
  return snprintf(out, PATH_MAX, "%s.sums", rows) < PATH_MAX ? out : NULL;
}

// ---- writing --------------------------------------------------------------------------------------------------------
static int opened(sweep_sums *s, const char *rows, FILE *file, long keep, nsm_error *e) {
  struct stat st;
  char path[PATH_MAX];
  if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode) || !sweep_sums_path(rows, path)) return 1;
  if (!(s->file = nsm_output_open(path, keep > 0, e))) return 0;
  if (keep == 0) return fprintf(s->file, "nsm sweep %016" PRIx64 "\n", s->last) > 0;
  long end = HEAD + keep * LINE;
  return ftruncate(fileno(s->file), end) == 0 && fseek(s->file, end - LINE, SEEK_SET) == 0 &&
         fscanf(s->file, "%" SCNx64, &s->last) == 1 && fseek(s->file, end, SEEK_SET) == 0;
}

int sweep_sums_open(sweep_sums *s, const char *rows, FILE *file, long keep, nsm_error *e) {
  e->code = NSM_OK;
  if (opened(s, rows, file, keep, e)) return 1;
  if (e->code == NSM_OK) sim_fail(e, NSM_FILE, "cannot write to %s.sums: %s", rows, strerror(errno));
  return 0;
}

int sweep_sums_add(sweep_sums *s, const char *rows, size_t n, int flush) {
  if (!s->file) return 1;
  for (const char *end = rows + n, *next; rows < end; rows = next) {
    const char *line = memchr(rows, '\n', (size_t)(end - rows));
    next = line ? line + 1 : end;
    s->last = chained(s->last, nsm_sum(rows, (size_t)(next - rows)));
    if (fprintf(s->file, "%016" PRIx64 "\n", s->last) < 0) return 0;
  }
  return !flush || fflush(s->file) == 0;
}

int sweep_sums_close(sweep_sums *s) {
  int good = !s->file || fclose(s->file) == 0;
  s->file = NULL;
  return good;
}

// ---- reading --------------------------------------------------------------------------------------------------------
sweep_seal sweep_sums_read(sweep_sums *s, const char *rows, uint64_t key) {
  char path[PATH_MAX], newline = 0;
  uint64_t written;
  *s = (sweep_sums){ .last = key };
  s->file = sweep_sums_path(rows, path) ? fopen(path, "r") : NULL;
  if (!s->file || fscanf(s->file, "nsm sweep %16" SCNx64 "%c", &written, &newline) != 2 || newline != '\n')
    return SWEEP_NO_SUM;
  return written == key ? SWEEP_SAME : SWEEP_OTHER;
}

sweep_seal sweep_sums_next(sweep_sums *s, const char *row, size_t n) {
  char line[LINE + 1] = "", own[LINE + 1];
  if (!s->file || fread(line, 1, LINE, s->file) != LINE) return SWEEP_NO_SUM;
  s->last = chained(s->last, nsm_sum(row, n));
  snprintf(own, sizeof own, "%016" PRIx64 "\n", s->last);
  return strcmp(own, line) == 0 ? SWEEP_SAME : SWEEP_OTHER;
}
