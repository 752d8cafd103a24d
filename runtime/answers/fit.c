// `nsm fit`: starts, the best end, what is said and written.
#include "fit.h"
#include "least.h"
#include "runtime/command/options.h"
#include "runtime/command/outputs.h"
#include "runtime/record/record.h"
#include "runtime/shared/random.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fitting {
  fit      f;
  fit_end *end; int nend, best;         // best: -1 where none has converged
  double  *C, *begin;                   // [np, np] [np]
  int     *free_of;
  double   sensible;
  fit_profile *profile; int nprofile;
} fitting;

static const char *name_of(const fit *f, int j) { return f->vary[j].name; }
static int same(double a, double b) { return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b)); }

// ---- starts ---------------------------------------------------------------------------------------------------------
// The first start are the values of the model, the others draws within the bounds: functions of their number alone.
static void start_of(const fitting *w, long i, uint64_t seed, double *x) {
  const fit *f = &w->f;
  for (int j = 0; j < f->np; j++) {
    const fit_vary *v = &f->vary[j];
    double u = nsm_uniform(seed, (uint64_t)i, (uint64_t)j, 0);
    if (i == 0) x[j] = fmin(fmax(w->begin[j], v->lo), v->hi);
    else x[j] = v->log ? v->lo * pow(v->hi / v->lo, u) : v->lo + u * (v->hi - v->lo);
  }
}

static nsm_code values_of_model(fitting *w, nsm_error *e) {
  fit *f = &w->f;
  nsm_sim *s = nsm_open(f->m, &f->set, e);
  if (!s) return e->code;
  for (int k = 0; k < f->nfile; k++)
    for (int i = 0; i < f->nname; i++) {
      const play_name *by = &f->file[k].a.by[i];
      int j = fit_values_of(f, k)[i];
      double value = by->parameter >= 0 ? s->a->p[by->parameter] : nsm_read_column(s, by->column);
      w->begin[j] = isnan(f->vary[j].from) ? value / by->scale : f->vary[j].from;
    }
  nsm_close(s);
  return NSM_OK;
}

static nsm_code all_starts(fitting *w, long starts, uint64_t seed, int threads, nsm_error *e) {
  fit *f = &w->f;
  w->end = calloc((size_t)starts, sizeof *w->end);
  w->C = calloc((size_t)f->np * (size_t)f->np + 1, sizeof *w->C);
  w->begin = calloc((size_t)f->np + 1, sizeof *w->begin);
  w->free_of = calloc((size_t)f->np + 1, sizeof *w->free_of);
  if (!w->end || !w->C || !w->begin || !w->free_of) return sim_no_memory(e, "a fit");
  for (int j = 0; starts > 1 && j < f->np; j++)
    if (!isfinite(f->vary[j].lo) || !isfinite(f->vary[j].hi)) {
      sim_fail(e, NSM_USAGE, "E0777: --starts draws within bounds, and `%s` has none: --vary \"%s=lo:hi\"",
               name_of(f, j), name_of(f, j));
      return NSM_USAGE;
    }
  nsm_code code = values_of_model(w, e);
  double *start = calloc((size_t)starts * (size_t)f->np + 1, sizeof *start);
  if (code == NSM_OK && !start) code = sim_no_memory(e, "a fit");
  for (long i = 0; code == NSM_OK && i < starts; i++) {
    fit_end *to = &w->end[w->nend++];
    to->x = calloc((size_t)f->np + 1, sizeof *to->x);
    if (!to->x) code = sim_no_memory(e, "a fit");
    start_of(w, i, seed, start + i * f->np);
  }
  if (code == NSM_OK) code = fit_all(f, start, w->end, (int)starts, threads, e);
  for (int i = 0; code == NSM_OK && i < w->nend; i++)
    if (w->end[i].converged && (w->best < 0 || w->end[i].rss < w->end[w->best].rss)) w->best = i;
  free(start);
  return code;
}

// ---- what is written ------------------------------------------------------------------------------------------------
static void number(FILE *f, double x) {
  char text[NSM_NUMBER_ROOM + 1];
  text[nsm_number(x, text)] = 0;
  fputs(isfinite(x) ? text : "null", f);
}

static double deviation(const fitting *w, int j) {
  return w->free_of[j] ? sqrt(w->C[j + (long)j * w->f.np]) : NAN;
}

static int freedom(const fitting *w) {
  int n = w->f.n;
  for (int j = 0; j < w->f.np; j++) n -= w->free_of[j];
  return n;
}

static double quantile(const fitting *w) { return student_quantile(0.95, freedom(w)); }

static void by_names(const fitting *w, FILE *out, const char *what, double (*of)(const fitting *, int)) {
  fprintf(out, "  \"%s\": {", what);
  for (int j = 0; j < w->f.np; j++) {
    fprintf(out, "%s\"%s\": ", j ? ", " : "", name_of(&w->f, j));
    number(out, of(w, j));
  }
  fputs("},\n", out);
}

static void write_units(const fitting *w, FILE *out) {
  const fit *f = &w->f;
  fputs("  \"unit\": {", out);
  for (int j = 0; j < f->np; j++) fprintf(out, "%s\"%s\": \"%s\"", j ? ", " : "", name_of(f, j), f->vary[j].unit);
  fputs("},\n  \"own\": [", out);
  for (int j = 0, n = 0; j < f->np; j++) if (f->vary[j].own) fprintf(out, "%s\"%s\"", n++ ? ", " : "", name_of(f, j));
  fputs("],\n", out);
}

static double best_value(const fitting *w, int j) { return w->end[w->best].x[j]; }

// Values, sums of squares there, and the interval by them.
static void write_profiles(const fitting *w, FILE *out) {
  for (int k = 0; k < w->nprofile; k++) {
    const fit_profile *p = &w->profile[k];
    fprintf(out, "%s    \"%s\": {\"interval\": [", k ? ",\n" : ",\n  \"profile\": {\n", name_of(&w->f, p->which));
    number(out, p->lo);
    fputs(", ", out);
    number(out, p->hi);
    fputs("], \"at\": [", out);
    for (int i = 0; i < FIT_PROFILE; i++) {
      fputs(i ? ", [" : "[", out);
      number(out, p->value[i]);
      fputs(", ", out);
      number(out, p->rss[i]);
      fputc(']', out);
    }
    fputs(k + 1 < w->nprofile ? "]}" : "]}\n  }", out);
  }
}

static void write_json(const fitting *w, FILE *out) {
  const fit *f = &w->f;
  const fit_end *b = &w->end[w->best];
  double t = quantile(w);
  fputs("{\n", out);
  by_names(w, out, "values", best_value);
  by_names(w, out, "sd", deviation);
  write_units(w, out);
  fputs("  \"interval\": {", out);
  for (int j = 0; j < f->np; j++) {
    fprintf(out, "%s\"%s\": [", j ? ", " : "", name_of(f, j));
    number(out, b->x[j] - t * deviation(w, j));
    fputs(", ", out);
    number(out, b->x[j] + t * deviation(w, j));
    fputc(']', out);
  }
  fputs("},\n  \"covariance\": [", out);
  for (int i = 0; i < f->np; i++)
    for (int j = 0; j < f->np; j++) {
      fputs(j ? ", " : i ? ", [" : "[", out);
      number(out, w->C[i + (long)j * f->np]);
      if (j + 1 == f->np) fputc(']', out);
    }
  fputs("],\n  \"rss\": ", out);
  number(out, b->rss);
  fprintf(out, ",\n  \"points\": %d,\n  \"freedom\": %d,\n  \"starts\": [", f->n, freedom(w));
  for (int i = 0; i < w->nend; i++) {
    fprintf(out, "%s\n    {\"rss\": ", i ? "," : "");
    number(out, w->end[i].rss);
    fprintf(out, ", \"converged\": %s, \"iterations\": %d, \"values\": [", w->end[i].converged ? "true" : "false",
            w->end[i].iterations);
    for (int j = 0; j < f->np; j++) {
      if (j) fputs(", ", out);
      number(out, w->end[i].x[j]);
    }
    fputs("]}", out);
  }
  fputs("\n  ]", out);
  write_profiles(w, out);
  fputs("\n}\n", out);
}

// Of a parameter that nothing depends on where the fit ends the name; one that is 0 has the size of its start.
static void silent_end(const fitting *w, char *to, size_t size) {
  const fit *f = &w->f;
  for (int i = 0; i < f->np; i++) {
    double by = deviation(w, i) / fmax(fabs(w->end[w->best].x[i]), fabs(w->begin[i]));
    if (!(by > 1e6 && by < INFINITY)) continue;
    snprintf(to, size, "where the fit ends hardly anything depends on `%s`: its deviation is %.1e times its size; "
             "other starts, or --starts N, may end elsewhere", name_of(f, i), by);
    return;
  }
}

// Of two parameters whose correlation is 1 the names.
static void alike(const fitting *w, char *to, size_t size) {
  const fit *f = &w->f;
  int a = -1, b = -1;
  *to = 0;
  if (!(w->sensible < 1e-8)) { silent_end(w, to, size); return; }
  double most = 1 - 1e-9;
  for (int i = 0; i < f->np; i++)
    for (int j = 0; j < i; j++) {
      double both = deviation(w, i) * deviation(w, j), r = fabs(w->C[i + (long)j * f->np]) / both;
      if (r > most) { most = r; a = j; b = i; }
    }
  char pair[640] = "all of these parameters", how[80] = ": some combination of them changes nothing";
  if (a >= 0) snprintf(pair, sizeof pair, "`%s` and `%s`", name_of(f, a), name_of(f, b));
  if (w->sensible > 0) snprintf(how, sizeof how, " (condition %.1e)", 1 / w->sensible);
  snprintf(to, size, "the data do not tell %s apart%s", pair, how);
}

// Starts that end in the best sum.
static int agreeing(const fitting *w) {
  int agree = 0;
  for (int i = 0; i < w->nend; i++) agree += w->end[i].converged && same(w->end[i].rss, w->end[w->best].rss);
  return agree;
}

static void say(const fitting *w, FILE *err) {
  const fit *f = &w->f;
  const fit_end *b = &w->end[w->best];
  double t = quantile(w);
  char note[800];
  for (int j = 0; j < f->np; j++) {
    double sd = deviation(w, j);
    const char *unit = f->vary[j].unit, *gap = *unit ? " " : "";
    if (!w->free_of[j]) fprintf(err, "  %s = %.11g%s%s, at its bound\n", name_of(f, j), b->x[j], gap, unit);
    else fprintf(err, "  %s = %.11g +- %.5g%s%s  [%.6g, %.6g]\n", name_of(f, j), b->x[j], sd, gap, unit,
                 b->x[j] - t * sd, b->x[j] + t * sd);
  }
  fprintf(err, "%d numbers, rms %.6g, sum of squares %.11g; %d iterations, %ld runs; %d of %d starts end here\n", f->n,
          sqrt(b->rss / f->n), b->rss, b->iterations, f->runs, agreeing(w), w->nend);
  for (int k = 0; k < w->nprofile; k++)
    fprintf(err, "  %s by its profile: [%.6g, %.6g]\n", name_of(f, w->profile[k].which), w->profile[k].lo,
            w->profile[k].hi);
  alike(w, note, sizeof note);
  if (*note) fprintf(err, "note: %s\n", note);
}

// For a page.
static nsm_code show(fitting *w, nsm_host *host, nsm_error *e) {
  fit *f = &w->f;
  const fit_end *b = &w->end[w->best];
  double t = quantile(w);
  char note[800];
  fit_shown to = { .model = (const char *)f->m->text + f->m->name, .points = f->n, .freedom = freedom(w),
                   .iterations = b->iterations, .agree = agreeing(w), .rss = b->rss, .note = note, .covariance = w->C,
                   .nvalue = f->np, .nstart = w->nend, .nprofile = w->nprofile };
  to.value = calloc((size_t)f->np + 1, sizeof *to.value);
  to.start = calloc((size_t)w->nend + 1, sizeof *to.start);
  to.profile = calloc((size_t)w->nprofile + 1, sizeof *to.profile);
  nsm_code code = to.value && to.start && to.profile ? NSM_OK : sim_no_memory(e, "a page");
  alike(w, note, sizeof note);
  for (int j = 0; code == NSM_OK && j < f->np; j++) {
    double sd = deviation(w, j), x = b->x[j];
    to.value[j] = (fit_shown_value){ name_of(f, j), f->vary[j].unit, x, sd, x - t * sd, x + t * sd, !w->free_of[j] };
  }
  for (int i = 0; code == NSM_OK && i < w->nend; i++)
    to.start[i] = (fit_shown_start){ w->end[i].rss, w->end[i].converged, w->end[i].iterations };
  for (int k = 0; code == NSM_OK && k < w->nprofile; k++) {
    const fit_profile *p = &w->profile[k];
    to.profile[k] = (fit_shown_profile){ name_of(f, p->which), FIT_PROFILE, p->value, p->rss, b->x[p->which], b->rss,
                                          p->lo, p->hi };
  }
  if (code == NSM_OK) code = fit_show_columns(f, b->x, &to, e);
  if (code == NSM_OK) host->fit_shown(host->with, &to);
  fit_shown_free(&to);
  return code;
}

// Of what a run says the part behind its code: "E0773: ".
static const char *without_code(const char *why) {
  return *why == 'E' && strspn(why + 1, "0123456789") == 4 && strncmp(why + 5, ": ", 2) == 0 ? why + 7 : why;
}

// Why no start has come to an end.
static nsm_code none(const fitting *w, nsm_error *e) {
  for (int i = 0; i < w->nend; i++)
    if (w->end[i].silent) {
      sim_fail(e, NSM_FAILED, "E0778: none of %d starts has converged: nothing that is matched depends on `%s` at a "
               "start; other starts, or --starts N, may", w->nend, name_of(&w->f, w->end[i].silent - 1));
      return NSM_FAILED;
    }
  const fit_end *first = &w->end[0];
  if (*first->why) sim_fail(e, NSM_FAILED, "E0778: none of %d starts has converged: %s", w->nend,
                            without_code(first->why));
  else sim_fail(e, NSM_FAILED, "E0778: none of %d starts has converged: after %d steps the first one is at a sum of "
                "squares of %.6g, where its steps end; bounds, logarithms or --starts N may help", w->nend,
                first->iterations, first->rss);
  return NSM_FAILED;
}

static nsm_code profiles(fitting *w, const nsm_flags *flags, nsm_error *e) {
  nsm_code code = NSM_OK;
  w->profile = calloc((size_t)flags->nlist + 1, sizeof *w->profile);
  if (!w->profile) return sim_no_memory(e, "a profile");
  for (int i = 0; i < flags->nlist && code == NSM_OK; i++) {
    if (flags->list[i].flag != NSM_FLAG_PROFILE) continue;
    fit_profile *to = &w->profile[w->nprofile];
    to->which = -1;
    for (int j = 0; j < w->f.np; j++) if (strcmp(name_of(&w->f, j), flags->list[i].text) == 0) to->which = j;
    if (to->which < 0 || !(deviation(w, to->which) > 0)) {
      sim_fail(e, NSM_USAGE, "E0777: --profile %s: %s", flags->list[i].text,
               to->which < 0 ? "it is not varied" : "it is at its bound, or the data do not tell it");
      return NSM_USAGE;
    }
    code = fit_profile_of(&w->f, &w->end[w->best], deviation(w, to->which), quantile(w), freedom(w), to, e);
    w->nprofile++;
  }
  return code;
}

// As many as there are processors, at most one for each start.
static int threads_of(const nsm_flags *flags) {
  if (!isnan(flags->number[NSM_FLAG_THREADS])) return (int)flags->number[NSM_FLAG_THREADS];
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (int)n : 1;
}

static nsm_code run_fit(fitting *w, const nsm_flags *flags, const nsm_options *o, nsm_host *host, nsm_error *e) {
  double starts = flags->number[NSM_FLAG_STARTS], seed = flags->number[NSM_FLAG_SEED];
  nsm_code code = fit_read(&w->f, flags, e);
  for (int j = 0; code == NSM_OK && host->fitted && j < w->f.np; j++)
    if (w->f.vary[j].own) {
      sim_fail(e, NSM_USAGE, "E0777: --write: `%s` has a value of its own in each file: a model has one",
               name_of(&w->f, j));
      return NSM_USAGE;
    }
  if (code == NSM_OK) code = all_starts(w, isnan(starts) ? 1 : (long)starts, isnan(seed) ? 0 : (uint64_t)seed,
                                       threads_of(flags), e);
  if (code != NSM_OK) return code;
  if (w->best < 0) return none(w, e);
  code = fit_covariance(&w->f, w->end[w->best].x, w->C, w->free_of, &w->sensible, e);
  if (code == NSM_OK) code = profiles(w, flags, e);
  const char *rows = flags->text[NSM_FLAG_RESIDUALS];
  if (code == NSM_OK && rows) code = fit_write_rows(&w->f, w->end[w->best].x, rows, e);
  if (code == NSM_OK && host->fit_shown) code = show(w, host, e);
  if (code != NSM_OK) return code;
  FILE *out = o->output && strcmp(o->output, "-") != 0 ? nsm_output_open(o->output, 0, e) : host->out;
  if (!out) return NSM_FILE;
  write_json(w, out);
  if (!o->quiet) say(w, host->err);
  for (int j = 0; host->fitted && j < w->f.np; j++)
    host->fitted(host->with, name_of(&w->f, j), best_value(w, j) * w->f.vary[j].scale);
  if (out == host->out || fclose(out) == 0) return NSM_OK;
  sim_fail(e, NSM_FILE, "writing to %s failed: %s", o->output, strerror(errno));
  return NSM_FILE;
}

static nsm_code fit_by(fitting *w, const nsm_flags *flags, const nsm_options *o, nsm_host *host, nsm_error *e) {
  w->best = w->f.fixed = -1;
  nsm_code code = run_fit(w, flags, o, host, e);
  for (int i = 0; i < w->nend; i++) free(w->end[i].x);
  free(w->end);
  free(w->C);
  free(w->begin);
  free(w->free_of);
  free(w->profile);
  fit_free(&w->f);
  return code;
}

int nsm_fit_flags(const nsm_model *m, const nsm_flags *flags, nsm_host *host, dual_kernel *run, void *with) {
  nsm_options o;
  nsm_error e = { .code = NSM_OK };
  nsm_code code = nsm_options_read(m, flags, &o, &e);
  if (code == NSM_OK)
    code = nsm_outputs_check_flags(host->input, host->ninput, flags, o.input, o.run.ninput, &e);
  fitting w = { .f = { .m = m, .set = o.run, .run = run, .with = with } };
  if (code == NSM_OK) code = fit_by(&w, flags, &o, host, &e);
  if (code != NSM_OK && *e.text) nsm_host_say(host, m, &e, host->err);
  nsm_options_free(&o);
  return (int)code;
}

nsm_code nsm_fit_asked(const nsm_model *m, const play_kernels *run, const nsm_settings *set, int argc, char **argv,
                       FILE *out, nsm_error *e) {
  nsm_flags flags;
  nsm_code code = nsm_flags_read(NSM_FOR_FIT, argc, argv, &flags, e);
  nsm_options o = { .run = *set, .quiet = 1 };
  nsm_host host = { .out = out, .err = out };
  fitting w = { .f = { .m = m, .set = *set, .run = run->run, .with = run->with } };
  if (code == NSM_OK) code = fit_by(&w, &flags, &o, &host, e);
  nsm_flags_free(&flags);
  return code;
}
