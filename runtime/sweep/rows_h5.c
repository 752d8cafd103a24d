// The rows of a sweep as a table of HDF5: group `runs`, a data set for each column. Rows arrive as text, as they do
// from other ranks; numbers have all their digits there.
#include "sweep.h"
#include "runtime/command/outputs.h"
#include "runtime/clock/clock.h"
#include "runtime/record/hdf5.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS = 16, MESSAGE = 400, FLUSH = 64 };

struct sweep_h5 {
  const nsm_h5 *h5;
  void   *file, *table;
  int     numbers;                      // columns of them, in front of status and message
  double *value;
  long    rows;
};

static const char *unit_of(const nsm_model *m, const char *name) {
  for (int i = 0; i < m->npar; i++)
    if (strcmp((const char *)m->text + m->par[i].name, name) == 0) return (const char *)m->text + m->par[i].unit;
  return "";
}

// A claim may hold signs that mean a path to HDF5: it has a number, and stands in the description.
static int make_table(sweep_h5 *h, const sweep_task *k) {
  int varied = k->plan->nvary + k->plan->nsample, claims = k->m->nexpect, n = 0;
  h->numbers = 1 + varied + k->nmeasure + claims;
  nsm_h5_column *c = calloc((size_t)h->numbers + 2, sizeof *c);
  char (*name)[24] = calloc((size_t)claims + 1, sizeof *name);
  h->value = calloc((size_t)h->numbers, sizeof *h->value);
  if (c && name && h->value) {
    c[n++] = (nsm_h5_column){ "run", "", "number of the run", 0 };
    for (int i = 0; i < varied; i++, n++)
      c[n] = (nsm_h5_column){ k->plan->of[i].name, unit_of(k->m, k->plan->of[i].name), "", 0 };
    for (int i = 0; i < k->nmeasure; i++) c[n++] = (nsm_h5_column){ k->measure[i].name, "", "", 0 };
    for (int i = 0; i < claims; i++, n++) {
      snprintf(name[i], sizeof name[i], "claim %d", i + 1);
      c[n] = (nsm_h5_column){ name[i], "", (const char *)k->m->text + k->m->expect_text[i], 0 };
    }
    c[n++] = (nsm_h5_column){ "status", "", "ok, claim failed, failed", STATUS };
    c[n++] = (nsm_h5_column){ "message", "", "of a run that failed", MESSAGE };
    h->table = h->h5->table(h->file, "runs", c, n, k->plan->total);
  }
  free(name);
  free(c);
  return h->table != NULL;
}

sweep_h5 *sweep_h5_open(const sweep_task *k, const char *path, nsm_error *e) {
  const nsm_h5 *h5 = nsm_h5_plugin(e);
  sweep_h5 *h = h5 ? calloc(1, sizeof *h) : NULL;
  if (!h) { if (h5) sim_no_memory(e, "the rows of a sweep"); return NULL; }
  if (nsm_output_taken(path, e)) { free(h); return NULL; }
  h->h5 = h5;
  errno = 0;
  if ((h->file = h5->open(path)) && h5->attribute(h->file, "format", "nsm sweep 1") &&
      h5->attribute(h->file, "model", (const char *)k->m->text + k->m->name) && make_table(h, k) && h5->flush(h->file))
    return h;
  sim_fail(e, NSM_FILE, "cannot write %s: %s", path, errno ? strerror(errno) : "HDF5 does not say why");
  sweep_h5_close(h);
  return NULL;
}

// A field of CSV into out, without its quotes; *at goes behind it and its comma or end of line.
static void field(const char **at, const char *end, char *out, size_t room) {
  size_t n = 0;
  int quoted = *at < end && **at == '"';
  if (quoted) ++*at;
  for (; *at < end; ++*at) {
    if (quoted && **at == '"') {
      if (*at + 1 < end && (*at)[1] == '"') ++*at;
      else { quoted = 0; continue; }
    } else if (!quoted && (**at == ',' || **at == '\n')) break;
    if (n + 1 < room) out[n++] = **at;
  }
  if (*at < end) ++*at;
  out[n] = 0;
}

int sweep_h5_rows(sweep_h5 *h, const char *bytes, size_t n) {
  const char *at = bytes, *end = bytes + n;
  char number[64], status[STATUS + 1], message[MESSAGE + 1];
  int good = 1;
  while (at < end && good) {
    for (int i = 0; i < h->numbers; i++) {
      field(&at, end, number, sizeof number);
      h->value[i] = *number ? strtod(number, NULL) : NAN;
    }
    field(&at, end, status, sizeof status);
    field(&at, end, message, sizeof message);
    good = h->h5->row(h->table, h->value, NULL, (const char *const[]){ status, message });
    h->rows++;
  }
  return good && (h->rows % FLUSH != 0 || h->h5->flush(h->file));
}

int sweep_h5_close(sweep_h5 *h) {
  int good = !h || !h->file || h->h5->close(h->file);
  if (h) free(h->value);
  free(h);
  return good;
}
