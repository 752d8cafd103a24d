// Many steps and rows of their values in one call, for programs to which a call per step is dear.
#include "clock.h"
#include <stdlib.h>

// Which columns a row has, and how it comes about: outputs are evaluated all at once (whole), other values are read.
typedef struct recording {
  const int *column;                    // NULL: all, as they stand
  int        n;
  double    *whole;                     // [nsm_ncolumn], where an output is among them; NULL else
} recording;

static int begin(const nsm_sim *s, recording *r, nsm_error *e) {
  int outputs = s->a->ncolumn, any = 0;
  r->whole = NULL;
  for (int a = 0; a < s->a->on.output.n; a++) outputs -= s->a->cls[s->a->on.output.of[a]].tab.count;
  for (int i = 0; r->column && i < r->n; i++) any |= r->column[i] >= outputs && r->column[i] < s->a->ncolumn;
  if (any && !(r->whole = malloc((size_t)s->a->ncolumn * sizeof(double)))) {
    sim_no_memory(e, "a row of the trajectory");
    return 0;
  }
  return 1;
}

static void read_row(nsm_sim *s, const recording *r, double *row) {
  if (!r->column) { nsm_read(s, row); return; }
  if (r->whole) nsm_read(s, r->whole);
  for (int i = 0; i < r->n; i++) {
    int c = r->column[i];
    row[i] = r->whole && c >= 0 && c < s->a->ncolumn ? r->whole[c] : nsm_read_column(s, c);
  }
}

nsm_code nsm_read_columns(nsm_sim *s, const int *column, int ncolumn, double *row, nsm_error *e) {
  recording r = { column, ncolumn, NULL };
  if (e) *e = (nsm_error){ .code = NSM_OK };
  if (!begin(s, &r, e)) return NSM_FILE;
  read_row(s, &r, row);
  free(r.whole);
  return NSM_OK;
}

nsm_code nsm_record(nsm_sim *s, long n, long every, const int *column, int ncolumn, double *rows, long *nrow,
                    nsm_error *e) {
  recording r = { column, ncolumn, NULL };
  nsm_code code = NSM_OK;
  if (e) *e = (nsm_error){ .code = NSM_OK };
  if (!begin(s, &r, e)) return NSM_FILE;
  long left = nsm_steps_total(s) - nsm_steps_done(s);
  for (n = n < left ? n : left; n > 0 && code == NSM_OK;) {
    long k = nsm_steps_done(s), to_row = every > 0 ? every - k % every : n;
    code = nsm_advance(s, sim_claims_idle(s, to_row < n ? to_row : n), e);
    long done = nsm_steps_done(s);
    if (done > k) sim_claims_step(s);
    n -= done - k;
    if (every <= 0 || done == k || done % every != 0) continue;
    read_row(s, &r, rows);
    rows += ncolumn;
    ++*nrow;
  }
  free(r.whole);
  return code;
}
