// Points of a Poincaré map (section.h): each period of the drive, behind each impact, or where a column crosses a
// value, which is found on the motion itself by steps of other lengths from the state before (false position).
#include "section.h"
#include "write.h"
#include "runtime/assembly/assembly.h"
#include "runtime/command/options.h"
#include "runtime/shared/nearest.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCH = 60 };

static const char *name_of_column(void *s, int i) { return nsm_column_name(s, i); }

static nsm_code wrong(nsm_error *e, const char *text, const char *why) {
  sim_fail(e, NSM_USAGE, "--section %s: %s", text, why);
  return NSM_USAGE;
}

// ---- what is asked for ----------------------------------------------------------------------------------------------
static nsm_code find_column(nsm_sim *s, const char *flag, const char *name, int *column, nsm_error *e) {
  char meant[400];
  if ((*column = nsm_find_column(s, name)) >= 0) return NSM_OK;
  nsm_meant(name, nsm_ncolumn(s), name_of_column, s, meant, sizeof meant);
  sim_fail(e, NSM_USAGE, "--%s: there is no column `%s`%s", flag, name, meant);
  return NSM_USAGE;
}

static void trim(char *text) {
  size_t n = strlen(text), blanks = strspn(text, " ");
  while (n > 0 && text[n - 1] == ' ') text[--n] = 0;
  if (blanks <= n) memmove(text, text + blanks, n - blanks + 1);
}

// "hit(floor)": contact floor, or its full name.
static nsm_code read_hit(section *w, const char *text, nsm_sim *s, nsm_error *e) {
  char full[256];
  snprintf(w->name, sizeof w->name, "%.*s", (int)(strlen(text) - 5), text + 4);
  trim(w->name);
  for (int row = 0; row < s->n.r.n; row++) {
    sim_row_name(s, row, full, sizeof full);
    const char *own = strchr(full, ' ');
    if (strcmp(full, w->name) != 0 && !(own && strcmp(own + 1, w->name) == 0)) continue;
    snprintf(w->name, sizeof w->name, "%s", full);
    if (!s->a->located) return wrong(e, text, "impacts have an instant in a run that locates them: --located on");
    return NSM_OK;
  }
  return wrong(e, text, "there is no contact of this name");
}

// "x = 0 down"
static nsm_code read_crossing(section *w, const char *text, nsm_sim *s, nsm_error *e) {
  char name[256], value[256];
  const char *equals = strchr(text, '=');
  if (!equals) return wrong(e, text, "it is period, hit(CONTACT), or COLUMN = VALUE, with up or down behind it");
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  snprintf(value, sizeof value, "%s", equals + 1);
  trim(name);
  trim(value);
  size_t n = strlen(value);
  w->up = !(n > 5 && strcmp(value + n - 5, " down") == 0);
  w->down = !(n > 3 && strcmp(value + n - 3, " up") == 0);
  if (!w->up) value[n - 5] = 0;
  if (!w->down) value[n - 3] = 0;
  trim(value);
  nsm_code code = find_column(s, "section", name, &w->column, e);
  if (code != NSM_OK) return code;
  const char *unit = nsm_column_unit(s, w->column), *why = nsm_read_quantity(value, *unit ? unit : "1", &w->value);
  return why ? wrong(e, text, why) : NSM_OK;
}

static nsm_code read_columns(section *w, const char *text, nsm_sim *s, nsm_error *e) {
  char name[256];
  nsm_code code = NSM_OK;
  w->shown = calloc((size_t)nsm_ncolumn(s) + (text ? strlen(text) : 0) + 1, sizeof *w->shown);
  if (!w->shown) return sim_no_memory(e, "a section");
  for (int c = 1; !text && c < nsm_ncolumn(s); c++)
    if (nsm_kind_of_column(s, c) == NSM_COLUMN_STATE) w->shown[w->nshown++] = c;
  while (text && code == NSM_OK && nsm_next_name(&text, name, sizeof name) > 0)
    if (*name) code = find_column(s, "outputs", name, &w->shown[w->nshown++], e);
  return code;
}

nsm_code section_read(section *w, const analysis *a, nsm_sim *s, nsm_error *e) {
  const char *text = a->f->text[NSM_FLAG_SECTION];
  if (!text) text = a->f->text[NSM_FLAG_PERIOD] ? "period" : "";
  w->column = -1;
  nsm_code code = analysis_period(a, s, &w->period, e);
  if (code != NSM_OK) return code;
  size_t n = strlen(text);
  if (strcmp(text, "period") == 0) {
    w->kind = SECTION_PERIOD;
    if (isnan(w->period)) return wrong(e, text, "--period T says how long it is");
  } else if (strncmp(text, "hit(", 4) == 0 && text[n - 1] == ')') {
    w->kind = SECTION_HIT;
    code = read_hit(w, text, s, e);
  } else {
    w->kind = SECTION_CROSS;
    code = read_crossing(w, text, s, e);
  }
  return code == NSM_OK ? read_columns(w, a->f->text[NSM_FLAG_OUTPUTS], s, e) : code;
}

// ---- the run --------------------------------------------------------------------------------------------------------
static void take_event(void *with, const nsm_located_event *event) {
  section *w = with;
  w->hit |= strcmp(event->kind, "impact") == 0 && strcmp(event->name, w->name) == 0;
}

static double crossing(const section *w) { return nsm_read_column(w->s, w->column) - w->value; }

nsm_code section_start(section *w, const analysis *a, const nsm_settings *set, nsm_error *e) {
  w->set = *set;
  w->set.step_by_step = 1;
  nsm_sim *s = nsm_open(a->m, &w->set, e);
  if (!s) return e->code;
  nsm_code code = analysis_period(a, s, &w->period, e);
  double start = s->a->start;
  if (w->kind == SECTION_PERIOD) {                         // steps that end where periods do
    w->steps = (long)ceil(w->period / s->a->step * (1 - 1e-12));
    w->set.step = w->period / (double)w->steps;
    w->set.until = start + floor((s->a->until - start) / w->period + 1e-9) * w->period;
    nsm_close(s);
    s = NULL;
    if (code == NSM_OK && !(w->set.until > start)) {
      sim_fail(e, code = NSM_USAGE, "the run is shorter than a period: --until says how long it is");
    }
    if (code != NSM_OK || !(s = nsm_open(a->m, &w->set, e))) return code != NSM_OK ? code : e->code;
  }
  w->s = s;
  if (w->kind == SECTION_HIT) {
    w->kept = calloc((size_t)nsm_ncolumn(s) + 1, sizeof(double));
    if (!w->kept) return sim_no_memory(e, "a section");
    nsm_on_event(s, take_event, w);
    nsm_stop_at_events(s, w->kept);
  }
  if (w->kind != SECTION_CROSS || code != NSM_OK) return code;
  w->room = nsm_state_size(s);
  w->kept = malloc(w->room);
  if (!w->kept) return sim_no_memory(e, "a section");
  w->before = crossing(w);
  w->near = 0;
  return NSM_OK;
}

void section_stop(section *w) {
  nsm_close(w->s);
  free(w->kept);
  w->s = NULL;
  w->kept = NULL;
}

void section_free(section *w) {
  section_stop(w);
  free(w->shown);
}

static nsm_code step(section *w, nsm_error *e) {
  if (nsm_steps_done(w->s) >= nsm_steps_total(w->s)) return NSM_STOPPED;
  nsm_code code = nsm_step(w->s, e);
  return code == NSM_OK && sim_interrupted(w->s) ? NSM_INTERRUPTED : code;
}

// The state where what crosses is 0 within the step that was just taken, of length h; the state behind it comes back.
static nsm_code find_crossing(section *w, double h, double behind, nsm_error *e) {
  double lo = 0, hi = h, at = h, f_lo = w->before, f_hi = behind;
  for (int k = 0; k < SEARCH && hi - lo > 1e-13 * h; k++) {
    at = k % 3 == 2 ? 0.5 * (lo + hi) : lo - f_lo * (hi - lo) / (f_hi - f_lo);
    if (k == 0 && at <= 1e-13 * h) return nsm_restore(w->s, w->kept, e);     // where the step begins, but for rounding
    if (!(at > lo && at < hi)) at = 0.5 * (lo + hi);
    nsm_code code = nsm_restore(w->s, w->kept, e);
    if (code == NSM_OK) code = nsm_step_by(w->s, at, e);
    if (code != NSM_OK && code != NSM_STOPPED) return code;
    double now = crossing(w);
    if (now == 0) break;
    if ((now < 0) == (f_lo < 0)) { lo = at; f_lo = now; }
    else { hi = at; f_hi = now; }
  }
  return NSM_OK;
}

nsm_code section_next(section *w, nsm_error *e) {
  nsm_code code = NSM_OK;
  if (w->kind == SECTION_PERIOD) {
    for (long i = 0; i < w->steps && code == NSM_OK; i++) code = step(w, e);
    return code;
  }
  if (w->kind == SECTION_HIT) {
    for (w->hit = 0; code == NSM_OK && !w->hit;) code = step(w, e);
    return w->hit && code == NSM_STOPPED ? NSM_OK : code;
  }
  for (;;) {
    double t = nsm_time(w->s);
    nsm_save(w->s, w->kept);
    if ((code = step(w, e)) != NSM_OK) return code;
    double now = crossing(w), before = w->before;
    if (w->near > 0 && fabs(now) <= w->near) continue;     // behind a crossing at the end of a step
    double tiny = 4 * DBL_EPSILON * (fabs(w->value) + fabs(before));       // it is there, but for rounding
    int found = (w->up && before < 0 && now >= -tiny) || (w->down && before > 0 && now <= tiny);
    if (found && fabs(now) > tiny) code = find_crossing(w, nsm_time(w->s) - t, now, e);
    w->near = found ? 1e-12 * fmax(fabs(before), fabs(now)) + tiny : 0;
    w->before = found ? (before < 0 ? 1e-300 : -1e-300) : now;            // the far side, until it is left
    if (found || code != NSM_OK) return code;
  }
}

// ---- what is written ------------------------------------------------------------------------------------------------
void section_head(const section *w, FILE *out) {
  for (int i = 0; i < w->nshown; i++) fprintf(out, ",%s", nsm_column_name(w->s, w->shown[i]));
  fputc('\n', out);
}

void section_row(const section *w, FILE *out) {
  for (int i = 0; i < w->nshown; i++) {
    fputc(',', out);
    analysis_number(out, nsm_read_column(w->s, w->shown[i]) / nsm_column_scale(w->s, w->shown[i]));
  }
  fputc('\n', out);
}

nsm_code section_report(const analysis *a, nsm_error *e) {
  double settle = a->f->number[NSM_FLAG_SETTLE], most = a->f->number[NSM_FLAG_POINTS];
  section w = { .column = -1 };
  nsm_sim *s = nsm_open(a->m, &a->o->run, e);
  if (!s) return e->code;
  nsm_code code = section_read(&w, a, s, e);
  nsm_close(s);
  if (code == NSM_OK) code = section_start(&w, a, &a->o->run, e);
  FILE *out = code == NSM_OK ? analysis_open(a, e) : NULL;
  if (code == NSM_OK && !out) code = NSM_FILE;
  long points = 0, left = isnan(settle) ? 0 : (long)settle;
  if (code == NSM_OK) { fputs("point,time", out); section_head(&w, out); }
  while (code == NSM_OK && !(points >= most)) {
    code = section_next(&w, e);
    if (code != NSM_OK || left-- > 0) continue;
    fprintf(out, "%ld,", ++points);
    analysis_number(out, nsm_time(w.s));
    section_row(&w, out);
  }
  if (code == NSM_STOPPED) code = NSM_OK;
  if (code == NSM_OK && points == 0) {
    sim_fail(e, NSM_FAILED, "the run does not come to the section%s",
             left >= 0 ? ", or --settle leaves all points out" : "");
    code = NSM_FAILED;
  }
  if (code == NSM_OK && !a->o->quiet) fprintf(a->host->err, "%ld points\n", points);
  if (out) code = analysis_close(a, out, code, e);
  section_free(&w);
  return code;
}
