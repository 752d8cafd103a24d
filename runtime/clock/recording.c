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

// Rows as they come. Claims look at each step, or are idle until the end of the steps at hand.
typedef struct recorded { recording r; sim_seen seen; long every, *nrow; double *rows; int idle; } recorded;

static void see(nsm_sim *s, void *with) {
  recorded *t = with;
  if (!t->idle) sim_claims_step(s);
  if (t->every <= 0 || t->seen.last % t->every != 0) return;
  read_row(s, &t->r, t->rows);
  t->rows += t->r.n;
  ++*t->nrow;
}

nsm_code nsm_record(nsm_sim *s, long n, long every, const int *column, int ncolumn, double *rows, long *nrow,
                    nsm_error *e) {
  recorded t = { { column, ncolumn, NULL }, { see, &t, 1, -1 }, every, nrow, rows, 0 };
  nsm_code code = NSM_OK;
  if (e) *e = (nsm_error){ .code = NSM_OK };
  if (!begin(s, &t.r, e)) return NSM_FILE;
  long left = nsm_steps_total(s) - nsm_steps_done(s);
  for (n = n < left ? n : left; n > 0 && code == NSM_OK;) {
    long k = nsm_steps_done(s), idle = sim_claims_idle(s, n);
    t.idle = idle > 1 || idle == n;
    t.seen.every = t.idle && every > 0 ? every : 1;
    code = sim_advance_seen(s, t.idle ? idle : n, t.idle && every <= 0 ? NULL : &t.seen, e);
    long done = nsm_steps_done(s);
    if (t.idle && done > k) sim_claims_step(s);
    n -= done - k;
  }
  free(t.r.whole);
  return code;
}
