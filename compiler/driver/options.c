// Options. Flags that the compiler does not know go to the simulation, which refuses what it does not know either.
#include <stdlib.h>
#include <string.h>
#include "../../runtime/record/record.h"
#include "../base/suggest.h"
#include "options.h"

static const char *const commands[] = { "run",  "check", "derive",  "emit", "build",  "fmt",
                                        "test", "solve", "explain", "help", "version" };
// Flags of the simulation that take a value as their next argument.
static const char *const with_value[] = { "--set",           "--until", "--step",   "--start",          "--scheme",
                                          "--theta",         "--gamma", "--solver", "--tolerance",      "-o",
                                          "--output",        "--every", "--record", "--summary",        "--bench",
                                          "--dump-problems", "--kind",  "--tol",    "--max-iterations", NULL };

void options_usage(FILE *f) {
  fputs(
      "usage: nsm COMMAND FILE.nsm [flags]\n"
      "\n"
      "  run F.nsm        compile in memory and simulate; CSV on stdout or to -o FILE\n"
      "  check F.nsm      all diagnostics, no code            [--dump=ast,model,system,plan]\n"
      "  derive F.nsm     classes, matrices, degrees, levels  [--json | --latex]\n"
      "  emit F.nsm       the specialised C on stdout\n"
      "  build F.nsm -o S a standalone simulator that takes the flags of run\n"
      "  fmt F.nsm        canonical layout on stdout          [--write: in place]\n"
      "  test F.nsm...    run and check the `expect` claims\n"
      "  solve P.json     one problem of a step, from a file (also .dat files of Siconos)  [--json]\n"
      "  explain E0420    the long story of a diagnostic\n"
      "\n"
      "flags of run: --set NAME=VALUE  --until 5s  --step 1ms  --scheme S  --theta X  --gamma X  --solver S  "
      "--tolerance X\n"
      "              -o FILE  --every K  --record a,b  --summary FILE  --bench N  --dump-problems DIR  --jit=tcc|cc  "
      "--quiet\n"
      "flags of solve: --kind lcp|mlcp|relay|fc2d|fc3d  --solver S  --tol X  --max-iterations N  --check  --json\n",
      f);
}

static const char *const without_value[] = { "--quiet", "--expect", "--help", "-h",      "--json", "--latex",
                                             "--write", "--dump",   "--jit",  "--check", NULL };

static bool in_list(const char *flag, size_t n, const char *const *list) {
  for (; *list; list++) if (strlen(*list) == n && !strncmp(*list, flag, n)) return true;
  return false;
}

static int unknown_flag(const char *arg) {
  const char *all[64];
  size_t n = 0;
  for (const char *const *w = with_value; *w; w++) all[n++] = *w;
  for (const char *const *w = without_value; *w; w++) all[n++] = *w;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, "="), arg);
  const char *near = suggest(name, all, n);
  fprintf(stderr, "error: there is no flag '%s'%s%s%s\n", name, near ? "; did you mean " : "", near ? near : "",
          near ? "?" : "");
  return 2;
}

static bool takes_value(const char *flag) {
  for (const char *const *w = with_value; *w; w++) if (!strcmp(*w, flag)) return true;
  return false;
}

static const char *value_of(const char *arg, const char *flag) {
  size_t n = strlen(flag);
  return !strncmp(arg, flag, n) && arg[n] == '=' ? arg + n + 1 : NULL;
}

// name=number for the elaborator; other forms (units) are the simulation's business.
static void note_set(Arena *a, Options *o, const char *text) {
  const char *eq = strchr(text, '=');
  if (!eq) return;
  char *end;
  double v = strtod(eq + 1, &end);
  if (end == eq + 1 || *end) return;
  o->set[o->nset++] = (Override){ arena_strndup(a, text, (size_t)(eq - text)), v };
}

static void note_scheme(Arena *a, Options *o, const char *text) {
  o->scheme = arena_strndup(a, text, strcspn(text, "( "));
}

static int unknown_command(const char *c) {
  const char *near = suggest(c, commands, sizeof commands / sizeof *commands);
  fprintf(stderr, "error: nsm has no command '%s'%s%s%s\n", c, near ? "; did you mean '" : "", near ? near : "",
          near ? "'?" : "");
  fputs("       nsm help lists them\n", stderr);
  return 2;
}

static bool is_command(const char *c) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) if (!strcmp(c, commands[i])) return true;
  return false;
}

static bool known_dumps(const char *list) {
  static const char *const stage[] = { "ast", "model", "system", "plan", NULL };
  for (const char *at = list;; at++) {
    size_t n = strcspn(at, ",");
    if (!in_list(at, n, stage)) {
      fprintf(stderr, "error: --dump=%s: there is no stage '%.*s'; the stages are ast, model, system, plan\n", list,
              (int)n, at);
      return false;
    }
    at += n;
    if (!*at) return true;
  }
}

// A flag of the compiler? 1: yes; 0: no; 2: yes and wrong.
static int own_flag(Options *o, const char *a) {
  const char *v;
  if (!strcmp(a, "--json")) o->json = true;
  else if (!strcmp(a, "--latex")) o->latex = true;
  else if (!strcmp(a, "--write")) o->write = true;
  else if ((v = value_of(a, "--dump"))) { if (!known_dumps(v)) return 2; o->dump = v; }
  else if ((v = value_of(a, "--jit"))) {
    if (!strcmp(v, "tcc")) o->jit = JIT_TCC;
    else if (!strcmp(v, "cc")) o->jit = JIT_CC;
    else { fprintf(stderr, "error: --jit=%s: the backends are tcc and cc\n", v); return 2; }
  } else return 0;
  return 1;
}

int options_parse(Arena *a, int argc, char **argv, Options *o) {
  *o = (Options){ .jit = JIT_TCC };
  if (argc < 2) { options_usage(stderr); return 2; }
  o->command = argv[1];
  if (!strcmp(o->command, "--help") || !strcmp(o->command, "-h")) o->command = "help";
  if (!strcmp(o->command, "--version")) o->command = "version";
  if (!is_command(o->command)) return unknown_command(o->command);
  o->file = ARENA_ARRAY(a, const char *, argc);
  o->set = ARENA_ARRAY(a, Override, argc);
  o->rest = ARENA_ARRAY(a, char *, argc + 8);
  o->rest[o->nrest++] = argv[0];
  for (int i = 2; i < argc; i++) {
    char *arg = argv[i];
    int own = own_flag(o, arg);
    if (own == 2) return 2;
    if (own) continue;
    if (arg[0] != '-' || !arg[1]) { o->file[o->nfile++] = arg; continue; }
    size_t length = strcspn(arg, "=");
    if (!in_list(arg, length, with_value) && !in_list(arg, length, without_value)) return unknown_flag(arg);
    const char *v = NULL;
    bool pair = takes_value(arg);
    if (pair) {
      if (i + 1 >= argc) { fprintf(stderr, "error: %s needs a value\n", arg); return 2; }
      v = argv[i + 1];
    }
    const char *set = pair && !strcmp(arg, "--set") ? v : value_of(arg, "--set");
    const char *scheme = pair && !strcmp(arg, "--scheme") ? v : value_of(arg, "--scheme");
    const char *output = pair && (!strcmp(arg, "-o") || !strcmp(arg, "--output")) ? v : value_of(arg, "--output");
    const char *step = pair && !strcmp(arg, "--step") ? v : value_of(arg, "--step");
    if (step && nsm_read_quantity(step, "s", &o->step)) o->step = 0;   // the simulation refuses it
    if (set) note_set(a, o, set);
    if (scheme) note_scheme(a, o, scheme);
    if (output) o->output = output;
    o->weights |= length == 7 && (!strncmp(arg, "--theta", 7) || !strncmp(arg, "--gamma", 7));
    if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) o->help = true;
    o->rest[o->nrest++] = arg;
    if (pair) o->rest[o->nrest++] = argv[++i];
  }
  return 0;
}
