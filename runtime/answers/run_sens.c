// `nsm run --sens "e, z(0)"`: the rows of a run, and behind the columns their derivatives, in the units that are shown.
#include "sens.h"
#include "runtime/command/options.h"
#include "runtime/command/outputs.h"
#include "runtime/record/record.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct listing { answers a; answers_rows rows; nsm_sim *s; double *scale; } listing;

static double at(const listing *w, long row, int column, int place) {
  return w->rows.x[((size_t)row * (size_t)w->rows.ncolumn + (size_t)column) * (size_t)(1 + w->a.nby) + (size_t)place];
}

// Impulses of contacts have no derivative, and are left out.
static int has(const listing *w, int column) { return column > 0 && !isnan(at(w, 0, column, 1)); }

static void name(FILE *f, const char *text, const char *by) {
  int quoted = strchr(text, ',') || strchr(by, ',');
  fputs(quoted ? ",\"" : ",", f);
  fprintf(f, *by ? "d(%s)/d(%s)" : "%s", text, by);
  if (quoted) fputc('"', f);
}

static void head(const listing *w, FILE *f) {
  fputs("time", f);
  for (int c = 1; c < w->rows.ncolumn; c++) if (has(w, c)) name(f, nsm_column_name(w->s, c), "");
  for (int c = 1; c < w->rows.ncolumn; c++)
    for (int j = 0; has(w, c) && j < w->a.nby; j++) name(f, nsm_column_name(w->s, c), w->a.text[j]);
  fputc('\n', f);
}

static void number(FILE *f, double x) {
  char text[NSM_NUMBER_ROOM + 1];
  text[nsm_number(x, text)] = 0;
  fputs(text, f);
}

static void row(const listing *w, long i, FILE *f) {
  number(f, at(w, i, 0, 0));
  for (int c = 1; c < w->rows.ncolumn; c++) {
    if (!has(w, c)) continue;
    fputc(',', f);
    number(f, at(w, i, c, 0) / w->scale[c]);
  }
  for (int c = 1; c < w->rows.ncolumn; c++)
    for (int j = 0; has(w, c) && j < w->a.nby; j++) {
      fputc(',', f);
      number(f, at(w, i, c, 1 + j) / w->scale[c] * w->a.by[j].scale);
    }
  fputc('\n', f);
}

// Flags of a run that say what else is written, or how, are not taken.
static nsm_code fits(const nsm_flags *f, nsm_error *e) {
  for (int i = 0; i < NSM_FLAGS; i++) {
    int own = i == NSM_FLAG_RUN_SENS || i == NSM_FLAG_EVERY || i == NSM_FLAG_JIT;
    if (!f->text[i] || own || !nsm_flag_taken(NSM_FOR_RUN, i) || nsm_flag_taken(NSM_FOR_SENS, i)) continue;
    sim_fail(e, NSM_USAGE, "--%s: a run with --sens does not take it", nsm_flag_name(i));
    return NSM_USAGE;
  }
  return NSM_OK;
}

static nsm_code take(listing *w, const nsm_flags *f, const nsm_options *o, nsm_error *e) {
  nsm_settings set = o->run;
  if (!(w->s = nsm_open(w->a.m, &set, e))) return e->code;
  double every = f->number[NSM_FLAG_EVERY];
  w->rows = (answers_rows){ .ncolumn = nsm_ncolumn(w->s), .every = isnan(every) ? 1 : (long)every };
  w->a.rows = &w->rows;
  w->scale = calloc((size_t)w->rows.ncolumn + 1, sizeof *w->scale);
  if (!w->scale) return sim_no_memory(e, "rows");
  for (int c = 0; c < w->rows.ncolumn; c++) w->scale[c] = nsm_column_scale(w->s, c);
  nsm_code code = answers_read_by(w->s, f->text[NSM_FLAG_RUN_SENS], &w->a, e);
  return code == NSM_OK ? answers_take(&w->a, &set, NULL, 1, e) : code;
}

static nsm_code list(const listing *w, const nsm_options *o, nsm_host *host, nsm_error *e) {
  FILE *out = o->output && strcmp(o->output, "-") != 0 ? nsm_output_open(o->output, 0, e) : host->out;
  if (!out) return NSM_FILE;
  head(w, out);
  for (long i = 0; i < w->rows.n; i++) row(w, i, out);
  if (!o->quiet)
    fprintf(host->err, "%ld rows with derivatives by %d names; %ld pieces with %ld events\n", w->rows.n, w->a.nby,
            w->a.pieces, w->a.events);
  if (out == host->out || fclose(out) == 0) return NSM_OK;
  sim_fail(e, NSM_FILE, "writing to %s failed: %s", o->output, strerror(errno));
  return NSM_FILE;
}

int nsm_run_sens_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with) {
  nsm_options o;
  nsm_error e = { .code = NSM_OK };
  listing w = { .a = { .m = m, .run = run, .with = with } };
  nsm_code code = nsm_options_read(m, f, &o, &e);
  if (code == NSM_OK) code = nsm_outputs_check_flags(host->input, host->ninput, f, o.input, o.run.ninput, &e);
  if (code == NSM_OK) code = fits(f, &e);
  if (code == NSM_OK) code = take(&w, f, &o, &e);
  if (code == NSM_OK) code = list(&w, &o, host, &e);
  if (code != NSM_OK && *e.text) nsm_host_say(host, m, &e, host->err);
  nsm_close(w.s);
  answers_free(&w.a);
  free(w.rows.x);
  free(w.scale);
  nsm_options_free(&o);
  return (int)code;
}
