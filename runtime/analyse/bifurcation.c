// Bifurcation diagrams by sweep: for each value of a parameter the points of a section, once the run has settled. Each
// run begins with the states that the one before had at its end, so that a branch is followed while it is stable.
#include "section.h"
#include "write.h"
#include "runtime/assembly/assembly.h"
#include "runtime/command/options.h"
#include "runtime/shared/nearest.h"
#include "runtime/shared/unit.h"
#include <stdlib.h>
#include <string.h>

typedef struct range { char name[256]; double from, to, scale; long n; } range;

static const char *name_of_parameter(void *s, int i) { return sim_text(s, ((nsm_sim *)s)->a->m->par[i].name); }

static nsm_code wrong(nsm_error *e, const char *text, const char *why) {
  sim_fail(e, NSM_USAGE, "--bifurcation %s: %s", text, why);
  return NSM_USAGE;
}

// P=A:B:N
static nsm_code read(range *r, const char *text, nsm_sim *s, nsm_error *e) {
  const nsm_model *m = s->a->m;
  const char *equals = strchr(text, '='), *unit = "1", *why;
  char meant[700], part[3][128] = { "", "", "" };
  int at = -1;
  if (!equals) return wrong(e, text, "it is P=A:B:N, a parameter from A to B at N values");
  snprintf(r->name, sizeof r->name, "%.*s", (int)(equals - text), text);
  for (int i = 0; i < m->npar; i++) if (strcmp(name_of_parameter(s, i), r->name) == 0) at = i;
  if (at < 0 || m->par[at].structural) {
    char near[400] = "";
    if (at < 0 && m->npar > 0) nsm_meant(r->name, m->npar, name_of_parameter, s, near, sizeof near);
    snprintf(meant, sizeof meant, at < 0 ? "there is no parameter of this name%s" : "it is a length%s", near);
    return wrong(e, text, meant);
  }
  if (*sim_text(s, m->par[at].unit)) unit = sim_text(s, m->par[at].unit);
  r->scale = nsm_unit_scale(unit);
  const char *from = equals + 1;
  for (int i = 0; i < 3; i++) {
    size_t n = strcspn(from, ":");
    snprintf(part[i], sizeof part[i], "%.*s", (int)(n < 127 ? n : 127), from);
    from += n + (from[n] == ':');
  }
  if ((why = nsm_read_quantity(part[0], unit, &r->from)) || (why = nsm_read_quantity(part[1], unit, &r->to)))
    return wrong(e, text, why);
  char *end;
  double n = strtod(part[2], &end);
  if (*end || !(n >= 2 && n <= 1e7) || n != floor(n)) return wrong(e, text, "N is a whole number from 2 on");
  r->n = (long)n;
  return NSM_OK;
}

typedef struct sweep {
  const analysis *a;
  section  at;
  range    r;
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
  nsm_code code = read(&w->r, f->text[NSM_FLAG_BIFURCATION], s, e);
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
