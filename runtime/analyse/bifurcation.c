// Bifurcation diagrams by sweep: for each value of a parameter the points of a section, once the run has settled. Each
// run begins with the states that the one before had at its end, so that a branch is followed while it is stable.
#include "section.h"
#include "write.h"
#include "runtime/assembly/assembly.h"
#include "runtime/command/options.h"
#include <stdlib.h>
#include <string.h>

typedef struct sweep {
  const analysis *a;
  section  at;
  analysis_range r;
  long     settle, points, found;
  double  *y; int known;                // [ncolumn] where the run before has ended
  nsm_assignment *set;
} sweep;

static void take_states(sweep *w, int back) {
  nsm_sim *s = w->at.s;
  for (int c = 1; c < nsm_ncolumn(s); c++) {
    if (nsm_kind_of_column(s, c) != NSM_COLUMN_STATE) continue;
    if (back) nsm_write_column(s, c, w->y[c], NULL);
    else w->y[c] = nsm_read_column(s, c);
  }
}

// One value: p in SI. A run that goes on for ever: as long as points are asked for.
static nsm_code one(sweep *w, double p, FILE *out, nsm_error *e) {
  nsm_settings set = w->a->o->run;
  if (set.nset > 0) memcpy(w->set, set.set, (size_t)set.nset * sizeof *w->set);
  w->set[set.nset++] = (nsm_assignment){ w->r.name, p };
  set.set = w->set;
  if (w->at.kind == SECTION_PERIOD) {
    nsm_sim *s = nsm_open(w->a->m, &set, e);
    double period;
    if (!s) return e->code;
    nsm_code found = analysis_period(w->a, s, &period, e);
    set.until = s->a->start + (double)(w->settle + w->points) * period * (1 + 1e-12);
    nsm_close(s);
    if (found != NSM_OK) return found;
  }
  nsm_code code = section_start(&w->at, w->a, &set, e);
  if (code == NSM_OK && w->known) take_states(w, 1);
  if (code == NSM_OK && w->at.kind == SECTION_CROSS) w->at.before = 0;
  for (long i = 0; code == NSM_OK && i < w->settle + w->points; i++) {
    code = section_next(&w->at, e);
    if (code != NSM_OK || i < w->settle) continue;
    w->found++;
    analysis_number(out, p / w->r.scale);
    fprintf(out, ",%ld,", i - w->settle + 1);
    analysis_number(out, nsm_time(w->at.s));
    section_row(&w->at, out);
  }
  if (w->at.s && (code == NSM_OK || code == NSM_STOPPED)) { take_states(w, 0); w->known = 1; }
  section_stop(&w->at);
  return code == NSM_STOPPED ? NSM_OK : code;
}

static nsm_code begin(sweep *w, nsm_error *e) {
  const nsm_flags *f = w->a->f;
  nsm_sim *s = nsm_open(w->a->m, &w->a->o->run, e);
  if (!s) return e->code;
  w->settle = isnan(f->number[NSM_FLAG_SETTLE]) ? 100 : (long)f->number[NSM_FLAG_SETTLE];
  w->points = isnan(f->number[NSM_FLAG_POINTS]) ? 32 : (long)f->number[NSM_FLAG_POINTS];
  nsm_code code = analysis_range_read(&w->r, "bifurcation", f->text[NSM_FLAG_BIFURCATION], s, e);
  if (code == NSM_OK && w->r.n == 0) {
    sim_fail(e, code = NSM_USAGE, "--bifurcation %s=A:B:N: N says how many values", w->r.name);
  }
  if (code == NSM_OK) code = section_read(&w->at, w->a, s, e);
  w->y = calloc((size_t)nsm_ncolumn(s) + 1, sizeof *w->y);
  w->set = calloc((size_t)w->a->o->run.nset + 2, sizeof *w->set);
  if (code == NSM_OK && (!w->y || !w->set)) code = sim_no_memory(e, "a diagram");
  nsm_close(s);
  return code;
}

static void head(const sweep *w, FILE *out, nsm_error *e) {
  section names = w->at;
  fprintf(out, "%s,point,time", w->r.name);
  names.s = nsm_open(w->a->m, &w->a->o->run, e);
  if (names.s) section_head(&names, out);
  nsm_close(names.s);
}

nsm_code bifurcation_report(const analysis *a, nsm_error *e) {
  sweep w = { .a = a, .at = { .column = -1 } };
  nsm_code code = begin(&w, e);
  FILE *out = code == NSM_OK ? analysis_open(a, e) : NULL;
  if (code == NSM_OK && !out) code = NSM_FILE;
  if (code == NSM_OK) head(&w, out, e);
  for (long i = 0; i < w.r.n && code == NSM_OK; i++)
    code = one(&w, w.r.from + (w.r.to - w.r.from) * (double)i / (double)(w.r.n - 1), out, e);
  if (code == NSM_OK && w.found == 0) {
    sim_fail(e, NSM_FAILED, "no run comes to the section behind --settle %ld points; --until is the length of each",
             w.settle);
    code = NSM_FAILED;
  }
  if (code == NSM_OK && !a->o->quiet) fprintf(a->host->err, "%ld points at %ld values\n", w.found, w.r.n);
  if (out) code = analysis_close(a, out, code, e);
  section_free(&w.at);
  free(w.y);
  free(w.set);
  return code;
}
