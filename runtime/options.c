// Reading the command line: one table of flags, `--flag value` and `--flag=value` alike, suggestions for what is
// misspelt.
#include "options.h"
#include "runtime/record/record.h"
#include "sim.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef nsm_code reader(const nsm_model *m, nsm_options *o, const char *value, nsm_error *e);
typedef struct flag { const char *name, *value, *help; reader *read; } flag;

static const char *text_of(const nsm_model *m, int at) { return (const char *)m->text + at; }

static nsm_code quantity(const char *name, const char *text, const char *unit, double *to, nsm_error *e) {
  const char *wrong = nsm_read_quantity(text, unit, to);
  if (!wrong) return NSM_OK;
  sim_fail(e, NSM_USAGE, "--%s %s: %s", name, text, wrong);
  return NSM_USAGE;
}

static nsm_code positive(const char *name, const char *text, long *to, nsm_error *e) {
  char *end;
  long n = strtol(text, &end, 10);
  if (end != text && *end == 0 && n >= 1) { *to = n; return NSM_OK; }
  sim_fail(e, NSM_USAGE, "--%s %s: it takes a positive whole number", name, text);
  return NSM_USAGE;
}

static const char *parameter_name(void *m, int i) { return text_of(m, ((const nsm_model *)m)->par[i].name); }

static nsm_code read_set(const nsm_model *m, nsm_options *o, const char *text, nsm_error *e) {
  const char *equal = strchr(text, '=');
  if (!equal || equal == text) { sim_fail(e, NSM_USAGE, "--set %s: it takes NAME=VALUE", text); return NSM_USAGE; }
  size_t n = (size_t)(equal - text);
  char *name = malloc(n + 1);
  if (!name) { sim_fail(e, NSM_USAGE, "not enough memory"); return NSM_USAGE; }
  memcpy(name, text, n);
  while (n > 0 && name[n - 1] == ' ') n--;
  name[n] = 0;
  int at = o->run.nset++;
  o->names[at] = name;
  int found = -1;
  for (int i = 0; i < m->npar && found < 0; i++)
    if (strcmp(parameter_name((void *)(uintptr_t)m, i), name) == 0) found = i;
  if (found < 0) {
    int near = nsm_nearest(name, m->npar, parameter_name, (void *)(uintptr_t)m);
    sim_fail(e, NSM_USAGE, "--set %s: there is no parameter `%s`%s%s%s", text, name,
             near >= 0 ? "; did you mean `" : "", near >= 0 ? text_of(m, m->par[near].name) : "",
             near >= 0 ? "`?" : "");
    return NSM_USAGE;
  }
  const char *unit = text_of(m, m->par[found].unit), *value = equal + 1;
  double x;
  const char *wrong = nsm_read_quantity(value, unit, &x);
  if (wrong) {
    sim_fail(e, NSM_USAGE, "--set %s: the value of %s is `%s`: %s%s%s%s", text, name, value, wrong,
             *unit ? " (the model says " : "", unit, *unit ? ")" : "");
    return NSM_USAGE;
  }
  o->set[at] = (nsm_assignment){ name, x };
  return NSM_OK;
}

static nsm_code read_until(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  return quantity("until", v, "s", &o->run.until, e);
}
static nsm_code read_start(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  return quantity("start", v, "s", &o->run.start, e);
}
static nsm_code read_step(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  return quantity("step", v, "s", &o->run.step, e);
}
static nsm_code read_theta(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  return quantity("theta", v, "", &o->run.theta, e);
}
static nsm_code read_gamma(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  return quantity("gamma", v, "", &o->run.gamma, e);
}

static nsm_code read_tolerance(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  if (quantity("tolerance", v, "", &o->run.tolerance, e) != NSM_OK) return NSM_USAGE;
  if (o->run.tolerance > 0 && o->run.tolerance < 1) return NSM_OK;
  sim_fail(e, NSM_USAGE, "--tolerance %s: it must lie between 0 and 1", v);
  return NSM_USAGE;
}

// NAME | moreau(theta = 0.5, gamma = 1). The scheme is part of the compiled model: another one needs another
// compilation.
static nsm_code read_scheme(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  const char *p = v + strspn(v, " ");
  size_t n = strcspn(p, "( ");
  int scheme = 0;
  while (sim_scheme_name(scheme) &&
         (n != strlen(sim_scheme_name(scheme)) || strncmp(p, sim_scheme_name(scheme), n) != 0))
    scheme++;
  if (!sim_scheme_name(scheme)) {
    sim_fail(
        e, NSM_USAGE,
        "--scheme %s: there is no scheme `%.*s`; there are: moreau, midpoint, consistent, consistent1, "
        "consistent_explicit_mass",
        v, (int)n, p);
    return NSM_USAGE;
  }
  if (m && scheme != m->scheme) {
    sim_fail(e, NSM_USAGE, "--scheme %s: this simulator was compiled for `%s`; compile again to change it", v,
             sim_scheme_name(m->scheme) ? sim_scheme_name(m->scheme) : "another scheme");
    return NSM_USAGE;
  }
  p += n + strspn(p + n, " ");
  if (*p == 0) return NSM_OK;
  if (scheme != NSM_SCHEME_MOREAU) {
    sim_fail(e, NSM_USAGE, "--scheme %s: %s takes no parameters", v, sim_scheme_name(scheme));
    return NSM_USAGE;
  }
  while (*p == '(' || *p == ',') {
    p++;
    p += strspn(p, " ");
    double *to = strncmp(p, "theta", 5) == 0 ? &o->run.theta : strncmp(p, "gamma", 5) == 0 ? &o->run.gamma : NULL;
    if (!to) break;
    p += 5;
    p += strspn(p, " ");
    if (*p != '=') break;
    p++;
    p += strspn(p, " ");
    char value[64];
    n = strcspn(p, ",)");
    if (n >= sizeof value) break;
    memcpy(value, p, n);
    while (n > 0 && value[n - 1] == ' ') n--;
    value[n] = 0;
    if (nsm_read_quantity(value, "", to)) break;
    p += strcspn(p, ",)");
  }
  if (*p == ')' && p[1 + strspn(p + 1, " ")] == 0) return NSM_OK;
  sim_fail(e, NSM_USAGE, "--scheme %s: moreau takes theta and gamma, as in \"moreau(theta = 0.5, gamma = 1)\"", v);
  return NSM_USAGE;
}

static nsm_code read_solver(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  (void)e;
  o->run.solver = v;
  return NSM_OK;
}
static nsm_code read_dump(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  (void)e;
  o->run.dump_problems = v;
  return NSM_OK;
}
static nsm_code read_output(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  (void)e;
  o->output = v;
  return NSM_OK;
}
static nsm_code read_record(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  (void)e;
  o->record = v;
  return NSM_OK;
}
static nsm_code read_summary(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  (void)e;
  o->summary = v;
  return NSM_OK;
}
static nsm_code read_every(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  return positive("every", v, &o->every, e);
}
static nsm_code read_bench(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  return positive("bench", v, &o->bench, e);
}
static nsm_code read_project(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  (void)e;
  (void)v;
  o->run.project_start = 1;
  return NSM_OK;
}
static nsm_code read_expect(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  (void)e;
  (void)v;
  o->expect = 1;
  return NSM_OK;
}
static nsm_code read_quiet(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  (void)e;
  (void)v;
  o->quiet = 1;
  return NSM_OK;
}
static nsm_code read_help(const nsm_model *m, nsm_options *o, const char *v, nsm_error *e) {
  (void)m;
  (void)e;
  (void)v;
  o->help = 1;
  return NSM_OK;
}

static const flag flags[] = {
  { "set", "NAME=VALUE", "a parameter, in SI or with a unit: --set m=2, --set R=3mm", read_set },
  { "start", "T", "start time", read_start },
  { "until", "T", "end time: 5s, 20ms, or seconds", read_until },
  { "step", "H", "step: 1ms, 2us, or seconds", read_step },
  { "scheme", "S",
    "moreau, \"moreau(theta = 0.5, gamma = 1)\", midpoint, consistent, consistent1, consistent_explicit_mass",
    read_scheme },
  { "theta", "X", "theta of the scheme", read_theta },
  { "gamma", "X", "gamma of the scheme", read_gamma },
  { "solver", "NAME", "solver of the one-step problem (auto)", read_solver },
  { "tolerance", "X", "relative tolerance of Newton's method (1e-12)", read_tolerance },
  { "output", "FILE", "CSV file, also -o (standard output)", read_output },
  { "every", "K", "record every K-th step, and the last", read_every },
  { "record", "A,B",
    "record these columns only; `bead` stands for all its elements; energy, energy.kinetic, energy.potential, "
    "energy.residue",
    read_record },
  { "summary", "FILE", "a summary of the run as JSON", read_summary },
  { "bench", "N", "run N times without output and measure the time per step", read_bench },
  { "dump-problems", "DIR", "write every one-step problem of the run to DIR as JSON, for `nsm solve`", read_dump },
  { "project-start", NULL, "move initial values that violate constraints, contacts or relations", read_project },
  { "expect", NULL, "exit with 5 where a claim of the model does not hold", read_expect },
  { "quiet", NULL, "no summary on standard error", read_quiet },
  { "help", NULL, "this text", read_help }
};
enum { FLAGS = sizeof flags / sizeof *flags };

static const char *flag_name(void *with, int i) { (void)with; return flags[i].name; }

static const flag *find(const char *name, size_t n) {
  for (int i = 0; i < FLAGS; i++)
    if (strlen(flags[i].name) == n && strncmp(flags[i].name, name, n) == 0) return &flags[i];
  return NULL;
}

static nsm_code unknown(const char *arg, nsm_error *e) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
  int near = nsm_nearest(name, FLAGS, flag_name, NULL);
  sim_fail(e, NSM_USAGE,
           near >= 0 ? "there is no flag `--%s`; did you mean `--%s`?" : "there is no flag `--%s`; --help lists them",
           name, near >= 0 ? flags[near].name : "");
  return NSM_USAGE;
}

nsm_code nsm_options_read(const nsm_model *m, int argc, char **argv, nsm_options *o, nsm_error *e) {
  memset(o, 0, sizeof *o);
  o->every = 1;
  o->run.until = o->run.step = o->run.start = o->run.theta = o->run.gamma = NAN;
  o->set = calloc((size_t)argc + 1, sizeof *o->set);
  o->names = calloc((size_t)argc + 1, sizeof *o->names);
  o->run.set = o->set;
  if (!o->set || !o->names) { sim_fail(e, NSM_USAGE, "not enough memory"); return NSM_USAGE; }
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i], *value = NULL;
    const flag *f;
    if (strncmp(a, "-o", 2) == 0) {
      f = find("output", 6);
      if (a[2]) value = a[2] == '=' ? a + 3 : a + 2;
    } else if (strcmp(a, "-h") == 0) f = find("help", 4);
    else if (strncmp(a, "--", 2) == 0) {
      size_t n = strcspn(a + 2, "=");
      f = find(a + 2, n);
      if (!f) return unknown(a, e);
      if (a[2 + n]) value = a + 3 + n;
    } else { sim_fail(e, NSM_USAGE, "`%s` is not expected here; --help lists the flags", a); return NSM_USAGE; }
    if (!f->value && value) { sim_fail(e, NSM_USAGE, "--%s takes no value", f->name); return NSM_USAGE; }
    if (f->value && !value) {
      if (i + 1 >= argc) {
        sim_fail(e, NSM_USAGE, "--%s needs a value: --%s %s", f->name, f->name, f->value);
        return NSM_USAGE;
      }
      value = argv[++i];
    }
    nsm_code c = f->read(m, o, value, e);
    if (c != NSM_OK) return c;
  }
  return NSM_OK;
}

void nsm_options_free(nsm_options *o) {
  for (int i = 0; o->names && i < o->run.nset; i++) free(o->names[i]);
  free(o->names);
  free(o->set);
}

void nsm_options_help(const nsm_model *m, FILE *f) {
  if (m)
    fprintf(f, "Simulates %s (%s) and writes the trajectory as CSV.\n\n", text_of(m, m->name), text_of(m, m->file));
  fprintf(f, "Flags:\n");
  for (int i = 0; i < FLAGS; i++)
    fprintf(f, "  --%-13s %-10s %s\n", flags[i].name, flags[i].value ? flags[i].value : "", flags[i].help);
  if (m) fprintf(f, "\nParameters:\n");
  for (int i = 0; m && i < m->npar; i++)
    fprintf(f, "  %-12s %-8s %s%s\n", text_of(m, m->par[i].name), text_of(m, m->par[i].unit), text_of(m, m->par[i].doc),
            m->par[i].structural ? " (fixed when compiled)" : "");
  fprintf(f, "\nSolvers:");
  for (const char *const *n = nsm_cone_solver_names(); *n; n++) fprintf(f, " %s", *n);
  fprintf(
      f,
      "\nExit codes: 0 ok, 1 model wrong, 2 usage, 3 simulation failed, 4 file trouble, 5 claim failed, 130 "
      "interrupted\n");
}
