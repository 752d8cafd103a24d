// `nsm analyse`: the command, and what it writes.
#include "write.h"
#include "runtime/command/options.h"
#include "runtime/command/outputs.h"
#include <stdlib.h>
#include <string.h>

// ---- events of the orbit --------------------------------------------------------------------------------------------
typedef struct listing { FILE *out; int n; } listing;

static void list_event(void *with, const nsm_located_event *event) {
  listing *l = with;
  fprintf(l->out, "%s\n    {\"time\": ", l->n++ ? "," : "");
  analysis_number(l->out, event->time);
  fprintf(l->out, ", \"kind\": \"%s\", \"name\": \"%s\"}", event->kind, event->name);
}

typedef struct passing { FILE *out, *err; int n; } passing;

static void list_pass(void *with, const char *name, double time, double gap) {
  passing *l = with;
  fprintf(l->out, "%s\n    {\"time\": ", l->n++ ? "," : "");
  analysis_number(l->out, time);
  fputs(", \"gap\": ", l->out);
  analysis_number(l->out, gap);
  fprintf(l->out, ", \"name\": \"%s\"}", name);
  if (l->err)
    fprintf(l->err, "  it all but grazes: %s has a gap of %.3g (SI) at t = %.10g s; orbits that touch it are others\n",
            name, gap, time);
}

static void list_mean(void *with, const char *name, const double *of) {
  static const char *const what[] = { "mean", "rms", "min", "max" };
  listing *l = with;
  fprintf(l->out, "%s\n    \"%s\": {", l->n++ ? "," : "", name);
  for (int i = 0; i < 4; i++) {
    fprintf(l->out, "%s\"%s\": ", i ? ", " : "", what[i]);
    analysis_number(l->out, of[i]);
  }
  fputc('}', l->out);
}

// ---- what is written ------------------------------------------------------------------------------------------------
static nsm_code write_json(const steady *w, const nsm_settings *set, FILE *out, FILE *err, nsm_error *e) {
  fputs("{\n  \"period\": ", out);
  analysis_number(out, w->period);
  fputs(",\n  \"begin\": ", out);
  analysis_number(out, w->start);
  fputs(",\n  \"state\": {", out);
  for (int i = 0; i < w->n; i++) {
    fprintf(out, "%s\"%s\": ", i ? ", " : "", w->a.of[i].name);
    analysis_number(out, w->y[i] / w->a.of[i].scale);
  }
  fputs("},\n  \"drift\": {", out);
  for (int i = 0, k = 0; i < w->n; i++) {
    if (!w->drifts[i]) continue;
    fprintf(out, "%s\"%s\": ", k++ ? ", " : "", w->a.of[i].name);
    analysis_number(out, w->r[i] / w->a.of[i].scale);
  }
  fputs("},\n  \"turns\": {", out);
  for (int i = 0, k = 0; i < w->n; i++)
    if (w->on.whole[i] != 0) fprintf(out, "%s\"%s\": %d", k++ ? ", " : "", w->a.of[i].name, w->on.whole[i]);
  fputs("},\n  \"multipliers\": [", out);
  for (int i = 0; i < w->nmultiplier; i++) {
    fputs(i ? ", [" : "[", out);
    analysis_number(out, w->re[i]);
    fputs(", ", out);
    analysis_number(out, w->im[i]);
    fputc(']', out);
  }
  fputs("],\n  \"residual\": ", out);
  analysis_number(out, w->residual);
  fprintf(out, ",\n  \"iterations\": %d,\n  \"events\": [", w->iterations);
  listing l = { out, 0 };
  nsm_code code = steady_run(w, set, list_event, &l, e);
  fputs("\n  ],\n  \"passes\": [", out);
  passing p = { out, err, 0 };
  if (code == NSM_OK) code = steady_passes(w, set, list_pass, &p, e);
  fputs("\n  ],\n  \"columns\": {", out);
  l.n = 0;
  if (code == NSM_OK) code = steady_means(w, set, list_mean, &l, e);
  fputs("\n  }\n}\n", out);
  return code;
}

// start: when the period was to begin.
static void say(const steady *w, double start, FILE *err) {
  fprintf(err, "%speriodic orbit of %.12g s: |P(Y) - Y| = %.2g after %d steps of Newton's method\n",
          w->free ? "free " : "", w->period,
          w->residual, w->iterations);
  if (w->on.any && w->miss > 1e-9)
    fprintf(err, "  in a period the scheme leaves the laws by up to %.2g: less with smaller steps, nothing by "
            "consistent\n", w->miss);
  if (w->start != start)
    fprintf(err, "  it begins at t = %.10g s: with a begin at %.10g s none was found, as where an event falls on it\n",
            w->start, start);
  for (int i = 0; i < w->n; i++)
    if (w->drifts[i] && w->r[i] == 0) fprintf(err, "  %s stays as it begins, whatever that is\n", w->a.of[i].name);
    else if (w->drifts[i]) fprintf(err, "  %s grows by %.12g a period\n", w->a.of[i].name, w->r[i] / w->a.of[i].scale);
    else if (w->on.whole[i] == 0) fprintf(err, "  %s = %.12g\n", w->a.of[i].name, w->y[i] / w->a.of[i].scale);
    else fprintf(err, "  %s = %.12g, and goes on by %d turn%s\n", w->a.of[i].name, w->y[i] / w->a.of[i].scale,
                 w->on.whole[i], abs(w->on.whole[i]) == 1 ? "" : "s");
  if (w->free) fprintf(err, "  along it the multiplier is %.9g, 1 in truth\n", w->re[w->trivial]);
  if (w->nmultiplier <= w->free) return;
  double most = steady_largest(w);
  fprintf(err, "%s: largest multiplier of size %.9g\n", most <= 1 + 1e-9 ? "stable" : "not stable", most);
}

static nsm_code find_period(const analysis *a, double *period, double *start, nsm_error *e) {
  nsm_sim *s = nsm_open(a->m, &a->o->run, e);
  if (!s) return e->code;
  nsm_code code = analysis_period(a, s, period, e);
  *start = nsm_time(s);
  nsm_close(s);
  return code;
}

static nsm_code find_orbit(const analysis *a, steady *w, double *start, nsm_error *e) {
  nsm_code code = find_period(a, &w->period, start, e);
  w->levels = isnan(a->f->number[NSM_FLAG_REFINE]) ? 0 : (int)a->f->number[NSM_FLAG_REFINE];
  return code == NSM_OK ? steady_find_later(w, &a->o->run, e) : code;
}

static nsm_code orbit(const analysis *a, steady *w, nsm_error *e) {
  double start = 0;
  nsm_code code = find_orbit(a, w, &start, e);
  if (code != NSM_OK) return code;
  FILE *out = analysis_open(a, e);
  if (!out) return NSM_FILE;
  if (!a->o->quiet) say(w, start, a->host->err);
  code = write_json(w, &a->o->run, out, a->o->quiet ? NULL : a->host->err, e);
  code = analysis_close(a, out, code, e);
  int stable = steady_largest(w) <= 1 + 1e-9;
  if (code != NSM_OK || !a->f->text[NSM_FLAG_STABLE] || stable) return code;
  sim_fail(e, NSM_FAILED, "--stable: the orbit is not stable");
  return NSM_FAILED;
}

static nsm_code steady_report(const analysis *a, nsm_error *e) {
  steady w = { .a = { .m = a->m, .run = a->run, .with = a->with } };
  nsm_code code = orbit(a, &w, e);
  steady_free(&w);
  return code;
}

// ---- which question is asked ----------------------------------------------------------------------------------------
enum { READ = 7 };
typedef struct question {
  nsm_flag_id flag;
  int         rest;                         // of rest: these go together
  nsm_code  (*report)(const analysis *, nsm_error *);
  nsm_flag_id reads[READ];                  // of `parts`, and a question that it takes beside; 0 ends them
} question;

static const question all[] = {
  { NSM_FLAG_BODE, 0, bode_report,
    { NSM_FLAG_FREQUENCIES, NSM_FLAG_PERIOD, NSM_FLAG_REFINE, NSM_FLAG_HOLD, NSM_FLAG_FROM } },
  { NSM_FLAG_FOLLOW, 0, follow_report,
    { NSM_FLAG_PERIOD, NSM_FLAG_POINTS, NSM_FLAG_REFINE, NSM_FLAG_UNTIL } },
  { NSM_FLAG_LYAPUNOV, 0, lyapunov_report, { NSM_FLAG_PERIOD, NSM_FLAG_SETTLE, NSM_FLAG_REFINE } },
  { NSM_FLAG_BIFURCATION, 0, bifurcation_report,
    { NSM_FLAG_SECTION, NSM_FLAG_PERIOD, NSM_FLAG_SETTLE, NSM_FLAG_POINTS, NSM_FLAG_OUTPUTS, NSM_FLAG_UNTIL } },
  { NSM_FLAG_SECTION, 0, section_report,
    { NSM_FLAG_PERIOD, NSM_FLAG_SETTLE, NSM_FLAG_POINTS, NSM_FLAG_OUTPUTS, NSM_FLAG_UNTIL } },
  { NSM_FLAG_STEADY, 0, steady_report,
    { NSM_FLAG_PERIOD, NSM_FLAG_REFINE, NSM_FLAG_STABLE, NSM_FLAG_UNTIL } },
  { NSM_FLAG_EQUILIBRIUM, 1, rest_report, { NSM_FLAG_HOLD, NSM_FLAG_FROM, NSM_FLAG_INPUTS } },
  { NSM_FLAG_LINEAR, 1, rest_report,
    { NSM_FLAG_HOLD, NSM_FLAG_FROM, NSM_FLAG_INPUTS, NSM_FLAG_OUTPUTS } },
  { NSM_FLAG_MODES, 1, rest_report, { NSM_FLAG_HOLD, NSM_FLAG_FROM, NSM_FLAG_INPUTS } } };
enum { QUESTIONS = sizeof all / sizeof *all };
// Flags that some questions read and others do not.
static const nsm_flag_id parts[] = {
  NSM_FLAG_PERIOD, NSM_FLAG_SETTLE, NSM_FLAG_POINTS, NSM_FLAG_HOLD, NSM_FLAG_FROM, NSM_FLAG_STABLE, NSM_FLAG_REFINE,
  NSM_FLAG_INPUTS, NSM_FLAG_OUTPUTS, NSM_FLAG_FREQUENCIES, NSM_FLAG_UNTIL };

static int reads(const question *q, nsm_flag_id flag) {
  int any = 0;
  for (int i = 0; i < READ; i++) any |= q->reads[i] == flag;
  return any;
}

// A flag that no question asked for reads is refused, with those that do; an end time, which a model has too, is noted.
static nsm_code all_read(const analysis *a, const question *asked, nsm_error *e) {
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char by[200] = "";
    int any = !a->f->text[parts[i]];
    for (int k = 0; k < QUESTIONS; k++) {
      any |= a->f->text[all[k].flag] && reads(&all[k], parts[i]);
      size_t used = strlen(by);
      if (reads(&all[k], parts[i]))
        snprintf(by + used, sizeof by - used, "%s--%s", used ? ", " : "", nsm_flag_name(all[k].flag));
    }
    if (any) continue;
    const char *name = nsm_flag_name(parts[i]), *to = nsm_flag_name(asked->flag);
    if (parts[i] == NSM_FLAG_UNTIL) {
      if (!a->o->quiet) fprintf(a->host->err, "note: --until says nothing to --%s; it is read by %s\n", to, by);
      continue;
    }
    sim_fail(e, NSM_USAGE, "--%s says nothing to --%s; it is read by %s", name, to, by);
    return NSM_USAGE;
  }
  return NSM_OK;
}

static nsm_code analyse(const analysis *a, nsm_error *e) {
  const question *first = NULL;
  for (const question *q = all; q < all + QUESTIONS; q++) {
    if (!a->f->text[q->flag]) continue;
    if (first && !(first->rest && q->rest) && !reads(first, q->flag)) {
      sim_fail(e, NSM_USAGE, "--%s and --%s are two questions: ask one at a time", nsm_flag_name(first->flag),
               nsm_flag_name(q->flag));
      return NSM_USAGE;
    }
    if (!first) first = q;
  }
  nsm_code code = first ? all_read(a, first, e) : NSM_USAGE;
  if (code == NSM_OK) return first->report(a, e);
  if (!first)
    sim_fail(e, NSM_USAGE, "nsm analyse asks for --equilibrium, --linear, --modes, --bode U,Y, --steady, --section S, "
             "--bifurcation P=A:B:N, or --lyapunov K");
  return code;
}

int nsm_analyse_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with) {
  nsm_options o;
  nsm_error e = { .code = NSM_OK };
  nsm_code code = nsm_options_read(m, f, &o, &e);
  if (code == NSM_OK) code = nsm_outputs_check_flags(host->input, host->ninput, f, o.input, o.run.ninput, &e);
  analysis a = { m, f, &o, host, run, with };
  if (code == NSM_OK) code = analyse(&a, &e);
  if (code != NSM_OK && *e.text) nsm_host_say(host, m, &e, host->err);
  nsm_options_free(&o);
  return (int)code;
}

static nsm_code begin_of_orbit(const analysis *a, nsm_beginning *to, nsm_error *e) {
  steady w = { .a = { .m = a->m, .run = a->run, .with = a->with } };
  double start = 0;
  nsm_code code = find_orbit(a, &w, &start, e);
  *to = (nsm_beginning){ w.n, calloc((size_t)w.n + 1, sizeof *to->column), w.y, w.start };
  w.y = NULL;
  if (code == NSM_OK && !to->column) code = sim_no_memory(e, "an orbit");
  for (int i = 0; code == NSM_OK && i < w.n; i++) to->column[i] = w.a.by[i].column;
  if (code == NSM_OK && !a->o->quiet)
    fprintf(a->host->err, "the run begins on its periodic orbit of %.12g s%s, at t = %.10g s: largest multiplier "
            "%.9g\n", w.period, w.free ? ", which nothing drives" : "", w.start, steady_largest(&w));
  steady_free(&w);
  return code;
}

int nsm_orbit_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with,
                    nsm_beginning *to) {
  nsm_options o;
  nsm_error e = { .code = NSM_OK };
  nsm_code code = nsm_options_read(m, f, &o, &e);
  analysis a = { m, f, &o, host, run, with };
  o.run.until = NAN;                                       // that of the run says nothing to where a free one is sought
  if (code == NSM_OK) code = begin_of_orbit(&a, to, &e);
  if (code != NSM_OK && *e.text) nsm_host_say(host, m, &e, host->err);
  nsm_options_free(&o);
  return (int)code;
}

nsm_code nsm_analyse_asked(const nsm_model *m, const play_kernels *run, const nsm_settings *set, int argc, char **argv,
                           FILE *out, nsm_error *e) {
  nsm_flags f;
  nsm_code code = nsm_flags_read(NSM_FOR_ANALYSE, argc, argv, &f, e);
  nsm_options o = { .run = *set, .quiet = 1 };
  nsm_host host = { .out = out, .err = out };
  analysis a = { m, &f, &o, &host, run->run, run->with };
  if (code == NSM_OK) code = analyse(&a, e);
  nsm_flags_free(&f);
  return code;
}
