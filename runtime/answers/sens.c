// `nsm sens`: a run, its derivatives, a row for each pair of output and parameter (take.c has the run).
#include "aligned.h"
#include "sens.h"
#include "runtime/command/options.h"
#include "runtime/command/outputs.h"
#include "runtime/record/record.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- the command ----------------------------------------------------------------------------------------------------
// error: [nof, nby]; NULL: not known.
static void write_rows(const answers *a, const double *error, FILE *f) {
  char value[NSM_NUMBER_ROOM + 1], d[NSM_NUMBER_ROOM + 1], off[NSM_NUMBER_ROOM + 1] = "";
  fputs("of,by,value,d,error\n", f);
  for (int i = 0; i < a->nof; i++)
    for (int j = 0; j < a->nby; j++) {
      value[nsm_number(a->value[i] / a->of[i].scale, value)] = 0;
      d[nsm_number(a->d[i * a->nby + j] / a->of[i].scale * a->by[j].scale, d)] = 0;
      if (error) off[nsm_number(error[i * a->nby + j] / a->of[i].scale * a->by[j].scale, off)] = 0;
      int quoted = strchr(a->of[i].name, ',') != NULL;
      fprintf(f, quoted ? "\"%s\",%s,%s,%s,%s\n" : "%s,%s,%s,%s,%s\n", a->of[i].name, a->text[j], value, d, off);
    }
}

static void say_count(FILE *err, long n, const char *what) {
  if (n > 0) fprintf(err, "  %ld %s\n", n, what);
}

static void say_summary(const answers *a, FILE *err) {
  fprintf(err, "%ld derivatives of %ld pieces with %ld events\n", (long)a->nof * a->nby, a->pieces, a->events);
  if (a->grazing > 0)
    fprintf(err, "  %ld events that graze, the first at t = %.10g s, %s: the derivative of the branch taken\n",
            a->grazing, a->grazed, a->grazer);
  say_count(err, a->captured, "pieces were taken without location: the derivative is that of the scheme there");
  say_count(err, a->weak, "rows whose force and rate are both 0: the derivative of one of two branches");
  say_count(err, a->joint, "events at which several sets that feel each other end at one instant: the derivative of "
            "one of their orders");
  say_count(err, a->unique, "pieces whose forces are not unique: the least ones were taken");
  if (a->jumps > 0) fputs("  means of what jumps at times that move: their derivatives are those of integrals\n", err);
  if (a->held > 0)
    fprintf(err, "  %ld times at which numbers are read are instants that move, the first t = %.10g s: the derivative "
            "of the side before\n", a->held, a->held_at);
}

// A difference that has no more digits says nothing against those that it has not.
static nsm_code check(answers *a, const nsm_settings *set, FILE *err, nsm_error *e) {
  answers_checked c = { 0 };
  nsm_code code = answers_check(a, set, &c, e);
  if (code != NSM_OK) return code;
  fprintf(err, "check: differences with the same events, over %.2g of the values, agree to %.2g; they are sure to "
          "%.2g\n", c.distance, c.off, c.unsure);
  if (c.off <= 1e-6) return NSM_OK;
  if (c.unsure > 0.1) {
    sim_fail(e, NSM_FAILED, "--check: differences of %s have no digits that are sure", c.of);
    return NSM_FAILED;
  }
  if (c.off <= 10 * c.unsure) return NSM_OK;               // what is sure is an estimate
  if (a->held > 0) {
    sim_fail(e, NSM_FAILED, "--check: an instant that moves stands at t = %.10g s, where numbers are read: the "
             "derivative is that of the side before, and differences, %.3g off for %s, are of both sides: read at "
             "another time", a->held_at, c.off, c.of);
    return NSM_FAILED;
  }
  if (!isnan(a->on_step)) {
    sim_fail(e, NSM_FAILED, "--check: an instant is at the end of a step, t = %.10g s; one that moves "
             "stands in another step, whose error has a kink there, and differences of %s are %.3g off: a --step "
             "that does not divide the time between instants shows more", a->on_step, c.of, c.off);
    return NSM_FAILED;
  }
  sim_fail(e, NSM_CLAIM, "the derivative of %s along a random direction is off differences by %.3g, which are sure to "
           "%.3g", c.of, c.off, c.unsure);
  return NSM_CLAIM;
}

static nsm_code tell_all(const answers *a, const double *error, const nsm_options *o, nsm_host *host, nsm_error *e) {
  FILE *out = o->output && strcmp(o->output, "-") != 0 ? nsm_output_open(o->output, 0, e) : host->out;
  if (!out) return NSM_FILE;
  write_rows(a, error, out);
  if (!o->quiet) say_summary(a, host->err);
  if (out == host->out || fclose(out) == 0) return NSM_OK;
  sim_fail(e, NSM_FILE, "writing to %s failed: %s", o->output, strerror(errno));
  return NSM_FILE;
}

static nsm_code sens(answers *a, const nsm_flags *f, const nsm_options *o, nsm_host *host, nsm_error *e) {
  const char *of = f->text[NSM_FLAG_OF], *by = f->text[NSM_FLAG_BY];
  if (!of || !by) {
    sim_fail(e, NSM_USAGE, "nsm sens asks for --of (\"final(x), at(x, 1s)\") and --by (\"k, x(0)\")");
    return NSM_USAGE;
  }
  nsm_settings set = o->run;
  nsm_sim *s = nsm_open(a->m, &set, e);
  nsm_code code = s ? answers_read_of(s, of, a, e) : e->code;
  if (code == NSM_OK) code = answers_read_by(s, by, a, e);
  nsm_close(s);
  double levels = f->number[NSM_FLAG_REFINE], *error = NULL;
  a->back = f->text[NSM_FLAG_ADJOINT] != NULL;
  a->room = isnan(f->number[NSM_FLAG_MEMORY]) ? ANSWERS_ROOM : 1e6 * f->number[NSM_FLAG_MEMORY];
  if (a->back && f->number[NSM_FLAG_REFINE] > 1) {
    sim_fail(e, NSM_USAGE, "--adjoint: runs with --refine have tangents alone");
    return NSM_USAGE;
  }
  if (code == NSM_OK && !(levels > 1)) code = answers_take(a, &set, NULL, 1, e);
  if (code == NSM_OK && levels > 1) {
    error = calloc((size_t)a->nof * (size_t)a->nby + 1, sizeof *error);
    code = error ? aligned_refine(a, &set, NULL, (int)levels, error, e) : sim_no_memory(e, "errors");
  }
  if (code == NSM_OK) code = tell_all(a, error, o, host, e);
  free(error);
  if (code == NSM_OK && f->text[NSM_FLAG_SENS_CHECK]) code = check(a, &set, host->err, e);
  long without = a->grazing + a->captured + a->weak + a->held;
  if (code != NSM_OK || !f->text[NSM_FLAG_STRICT] || without == 0) return code;
  sim_fail(e, NSM_FAILED, "--strict: there is no derivative at %ld places", without);
  return NSM_FAILED;
}
int nsm_sens_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with) {
  nsm_options o;
  nsm_error e = { .code = NSM_OK };
  answers a = { .m = m, .run = run, .with = with };
  nsm_code code = nsm_options_read(m, f, &o, &e);
  if (code == NSM_OK) code = nsm_outputs_check_flags(host->input, host->ninput, f, o.input, o.run.ninput, &e);
  if (code == NSM_OK) code = sens(&a, f, &o, host, &e);
  if (code != NSM_OK && *e.text) nsm_host_say(host, m, &e, host->err);
  answers_free(&a);
  nsm_options_free(&o);
  return (int)code;
}
