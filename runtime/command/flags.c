// Reading a command line by the table of flags.def: `--flag value`, `--flag=value` and `-o value` alike. A flag that is
// unknown, or that the command does not take, or a value outside of its range is refused, with the nearest name.
#include "flags.h"
#include "runtime/record/record.h"
#include "runtime/shared/nearest.h"
#include "runtime/clock/clock.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { SWITCH, TEXT, PATH, SET, LIST, TIME, NUMBER, WHOLE, CHOICE, CHOICES, SOLVER, SCHEME } kind;

typedef struct entry {
  const char *name, *other;
  kind        kind;
  const char *range, *argument;
  unsigned    commands;
  const char *help;
} entry;

#define FOR(command) (1u << NSM_FOR_##command)
#define RECORDED (FOR(RUN) | FOR(SIMULATOR))
#define SIMULATION (RECORDED | FOR(VIEW) | FOR(TEST) | FOR(SWEEP) | FOR(SENS) | FOR(FIT) | FOR(ANALYSE))
#define MODEL (FOR(CHECK) | FOR(DERIVE) | FOR(EMIT) | FOR(BUILD))
#define ANY (~0u)
static const entry table[NSM_FLAGS] = {
#ifdef NSM_WITHOUT_STORIES                                // in a page: nobody asks for help
#define FLAG(id, name, other, kind, range, argument, commands, help) \
  { name, other, kind, range, argument, commands, "" },
#else
#define FLAG(id, name, other, kind, range, argument, commands, help) \
  { name, other, kind, range, argument, commands, help },
#endif
#include "flags.def"
#undef FLAG
};

static const char *const command_names[] = {
  [NSM_FOR_RUN] = "run",       [NSM_FOR_VIEW] = "view",       [NSM_FOR_PLOT] = "plot",
  [NSM_FOR_TEST] = "test",       [NSM_FOR_SIMULATOR] = "a built simulator",
  [NSM_FOR_CHECK] = "check",   [NSM_FOR_DERIVE] = "derive",   [NSM_FOR_EMIT] = "emit",
  [NSM_FOR_BUILD] = "build",   [NSM_FOR_SWEEP] = "sweep",   [NSM_FOR_SENS] = "sens",
  [NSM_FOR_FIT] = "fit",       [NSM_FOR_ANALYSE] = "analyse",
  [NSM_FOR_COMPARE] = "compare",
  [NSM_FOR_FMT] = "fmt",         [NSM_FOR_SOLVE] = "solve",   [NSM_FOR_IMPORT] = "import",
  [NSM_FOR_DOCTOR] = "doctor", [NSM_FOR_PLAYGROUND] = "playground", [NSM_FOR_SERVE] = "serve",
  [NSM_FOR_NEW] = "new",       [NSM_FOR_EXPLAIN] = "explain", [NSM_FOR_LSP] = "lsp",
  [NSM_FOR_COMPLETION] = "completion", [NSM_FOR_MAN] = "man", [NSM_FOR_HELP] = "help",     [NSM_FOR_VERSION] = "version"
};
enum { COMMANDS = sizeof command_names / sizeof *command_names };

// ---- finding --------------------------------------------------------------------------------------------------------
static int takes(nsm_command command, int i) { return (table[i].commands >> command & 1u) != 0; }

static int is_called(int i, const char *name, size_t n) {
  const char *const names[] = { table[i].name, table[i].other };
  for (int k = 0; k < 2; k++)
    if (n > 0 && strlen(names[k]) == n && strncmp(names[k], name, n) == 0) return 1;
  return 0;
}

// The flag of this name that the command takes; else any of this name; else -1.
static int find(nsm_command command, const char *name, size_t n) {
  int other = -1;
  for (int i = 0; i < NSM_FLAGS; i++) {
    if (!is_called(i, name, n)) continue;
    if (takes(command, i)) return i;
    if (other < 0) other = i;
  }
  return other;
}

static const char *name_of(void *command, int i) {
  return takes(*(const nsm_command *)command, i) ? table[i].name : NULL;
}

static nsm_code unknown(nsm_command command, const char *arg, const char *name, size_t n, nsm_error *e) {
  char text[64];
  snprintf(text, sizeof text, "%.*s", (int)n, name);
  int near = nsm_nearest(text, NSM_FLAGS, name_of, &command);
  if (near >= 0)
    sim_fail(e, NSM_USAGE, "there is no flag `%.*s`; did you mean `--%s`?", (int)(name + n - arg), arg,
             table[near].name);
  else
    sim_fail(e, NSM_USAGE, "there is no flag `%.*s`; --help lists the flags%s", (int)(name + n - arg), arg,
             *arg == '-' && arg[1] != '-' ? ", and a file of this name stands behind --" : "");
  return NSM_USAGE;
}

// given: as the user wrote it, a long name or a letter.
static nsm_code misplaced(nsm_command command, int i, const char *given, nsm_error *e) {
  char list[400] = "";
  for (int c = 0; c < COMMANDS; c++) {
    if (!takes((nsm_command)c, i)) continue;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s%s", used ? ", " : "", c == NSM_FOR_SIMULATOR ? "" : "nsm ",
             command_names[c]);
  }
  sim_fail(e, NSM_USAGE, "%s%s takes no flag %.*s; it belongs to: %s", command == NSM_FOR_SIMULATOR ? "" : "nsm ",
           command_names[command], (int)strcspn(given, "="), given, list);
  return NSM_USAGE;
}

// ---- values ---------------------------------------------------------------------------------------------------------
// A range is "[a, b]", "(a, b]", ...; a bound may be missing. An empty one holds everything.
static int in_range(const char *range, double x) {
  if (!*range) return 1;
  char *end;
  double lo = strtod(range + 1, &end);
  int has_lo = end > range + 1;
  const char *comma = strchr(range, ',');
  double hi = strtod(comma + 1, &end);
  int has_hi = end > comma + 1;
  if (has_lo && !(*range == '[' ? x >= lo : x > lo)) return 0;
  return !has_hi || (range[strlen(range) - 1] == ']' ? x <= hi : x < hi);
}

static nsm_code out_of_range(const entry *f, const char *value, nsm_error *e) {
  const char *hi = strchr(f->range, ',') + 1;
  int n = (int)(hi - f->range - 2);
  hi += strspn(hi, " ");
  int m = (int)strlen(hi) - 1;
  if (f->kind == WHOLE)
    sim_fail(e, NSM_USAGE, "--%s %s: it takes a whole number from %.*s to %.*s", f->name, value, n, f->range + 1, m,
             hi);
  else if (m == 0) sim_fail(e, NSM_USAGE, "--%s %s: it must be greater than %.*s", f->name, value, n, f->range + 1);
  else sim_fail(e, NSM_USAGE, "--%s %s: it must lie in %s", f->name, value, f->range);
  return NSM_USAGE;
}

static nsm_code read_number(int i, const char *value, nsm_flags *f, nsm_error *e) {
  const entry *t = &table[i];
  double x;
  if (t->kind == WHOLE) {
    char *end;
    long n = strtol(value, &end, 10);
    if (end == value || *end || value[strspn(value, "+-0123456789")]) return out_of_range(t, value, e);
    x = (double)n;
  } else {
    const char *wrong = nsm_read_quantity(value, t->kind == TIME ? "s" : "", &x);
    if (wrong) {
      const char *hint = t->kind == TIME ? "; it takes a time: 0.5, 50ms, 2min" : "";
      if (i == NSM_FLAG_SOLVE_BUDGET)
        hint = "; it counts work, not time, so that results do not depend on the machine: 5 is five billion "
               "operations, a second or two";
      sim_fail(e, NSM_USAGE, "--%s %s: %s%s", t->name, value, wrong, hint);
      return NSM_USAGE;
    }
  }
  if (!in_range(t->range, x)) return out_of_range(t, value, e);
  f->number[i] = x;
  return NSM_OK;
}

typedef struct words { const char *at; char word[64]; } words;   // separated by '|' or ','

static const char *word_of(void *with, int i) {
  words *w = with;
  const char *c = w->at;
  for (; i > 0; i--) c += strcspn(c, "|,") + 1;
  snprintf(w->word, sizeof w->word, "%.*s", (int)strcspn(c, "|,"), c);
  return w->word;
}

// How the count words are called that a flag takes.
typedef struct known { const char *(*name)(void *, int); void *with; int count; } known;

static const char *listed(void *names, int i) { return ((const char *const *)names)[i]; }

// Is text[0, n) one of the words? If not, the nearest is named.
static nsm_code one_of(const entry *f, const char *value, const char *text, size_t n, known of, nsm_error *e) {
  for (int i = 0; i < of.count; i++) {
    const char *c = of.name(of.with, i);
    if (strlen(c) == n && strncmp(c, text, n) == 0) return NSM_OK;
  }
  char given[64], list[600] = "", nearest[64] = "";
  snprintf(given, sizeof given, "%.*s", (int)n, text);
  for (int i = 0; i < of.count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", of.name(of.with, i));
  }
  int near = nsm_nearest(given, of.count, of.name, of.with);
  if (near >= 0) snprintf(nearest, sizeof nearest, "%s", of.name(of.with, near));
  const char *what = f->kind == SCHEME ? "scheme" : f->kind == SOLVER ? "solver" : "choice";
  sim_fail(e, NSM_USAGE, "--%s %s: there is no %s `%s`%s%s%s; there are: %s", f->name, value, what, given,
           *nearest ? "; did you mean `" : "", nearest, *nearest ? "`?" : "", list);
  return NSM_USAGE;
}

static nsm_code read_choices(int i, const char *value, nsm_error *e) {
  const entry *t = &table[i];
  words w = { t->argument, "" };
  int count = 1;
  for (const char *c = t->argument; *c; c++) count += *c == '|' || *c == ',';
  for (const char *at = value;; at++) {
    size_t n = t->kind == CHOICE ? strlen(at) : strcspn(at, ",");
    nsm_code code = one_of(t, value, at, n, (known){ word_of, &w, count }, e);
    at += n;
    if (code != NSM_OK || !*at) return code;
  }
}

static nsm_code read_solver(int i, const char *value, nsm_error *e) {
  const char *instead = nsm_cone_solver_instead(value);
  if (instead) {
    sim_fail(e, NSM_USAGE, "--%s %s: this solver is gone, as no problem needs it; `%s` solves what it solved, `auto` "
             "tries all", table[i].name, value, instead);
    return NSM_USAGE;
  }
  const char *const *names = nsm_cone_solver_names();
  int count = 0;
  while (names[count]) count++;
  return one_of(&table[i], value, value, strlen(value), (known){ listed, (void *)(uintptr_t)names, count }, e);
}

static const char *scheme_name(void *with, int i) {
  (void)with;
  return sim_scheme_at(i) ? sim_scheme_at(i)->name : NULL;
}

// One parameter of a scheme, `theta = 0.5`, at p: the flag that it means, and its value; what follows, or NULL.
static const char *scheme_parameter(const char *p, int *flag, char *value, size_t room) {
  static const nsm_flag_id meant[] = { NSM_FLAG_THETA, NSM_FLAG_GAMMA, NSM_FLAG_LOCATED, NSM_FLAG_PROJECTION,
                                       NSM_FLAG_STAGES, NSM_FLAG_ORDER, NSM_FLAG_RTOL, NSM_FLAG_ATOL };
  *flag = -1;
  for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
    size_t n = strlen(table[meant[i]].name);
    if (strncmp(p, table[meant[i]].name, n) != 0) continue;
    *flag = (int)meant[i];
    p += n;
    break;
  }
  if (*flag < 0) return NULL;
  p += strspn(p, " ");
  if (*p != '=') return NULL;
  p++;
  p += strspn(p, " ");
  size_t n = strcspn(p, ",)"), rest = n;
  while (n > 0 && p[n - 1] == ' ') n--;
  if (n >= room) return NULL;
  memcpy(value, p, n);
  value[n] = 0;
  return p + rest;
}

// NAME, or moreau(theta = 0.5, gamma = 1, located = true).
static nsm_code read_scheme(const char *v, nsm_flags *f, nsm_error *e) {
  const char *p = v + strspn(v, " ");
  size_t n = strcspn(p, "( ");
  int count = 0;
  while (sim_scheme_at(count)) count++;
  nsm_code code = one_of(&table[NSM_FLAG_SCHEME], v, p, n, (known){ scheme_name, NULL, count }, e);
  if (code != NSM_OK) return code;
  snprintf(f->scheme, sizeof f->scheme, "%.*s", (int)n, p);
  p += n + strspn(p + n, " ");
  if (*p == 0) return NSM_OK;
  const sim_scheme *scheme = sim_scheme_named(f->scheme);
  int weights = scheme->weights;
  if (!weights && !scheme->located) {
    sim_fail(e, NSM_USAGE, "--scheme %s: %s takes no parameters", v, f->scheme);
    return NSM_USAGE;
  }
  while (*p == '(' || *p == ',') {
    char value[64] = "";
    int to;
    p++;
    const char *next = scheme_parameter(p + strspn(p, " "), &to, value, sizeof value);
    int truth = !strcmp(value, "true") || !strcmp(value, "false"), ordered = scheme->two_point && scheme->located;
    int takes = to == NSM_FLAG_LOCATED  ? truth
                : to == NSM_FLAG_PROJECTION ? truth && scheme->projects
                : to == NSM_FLAG_STAGES ? scheme->collocates
                : to == NSM_FLAG_ORDER  ? ordered
                : to == NSM_FLAG_RTOL || to == NSM_FLAG_ATOL ? scheme->flows
                                        : weights;
    if (!next || !takes) break;
    p = next;
    if (to == NSM_FLAG_LOCATED || to == NSM_FLAG_PROJECTION) f->text[to] = value[0] == 't' ? "on" : "off";
    else if ((code = read_number(to, value, f, e)) != NSM_OK) return code;
  }
  if (*p == ')' && p[1 + strspn(p + 1, " ")] == 0) return NSM_OK;
  if (scheme->collocates)
    sim_fail(e, NSM_USAGE, "--scheme %s: radau takes stages and located, as in \"radau(stages = 2, located = false)\"",
             v);
  else if (scheme->flows)
    sim_fail(e, NSM_USAGE, "--scheme %s: event_driven takes rtol and atol, as in \"event_driven(rtol = 1e-10)\"", v);
  else if (weights)
    sim_fail(e, NSM_USAGE, "--scheme %s: %s takes theta, gamma%s, as in \"%s(theta = 0.5%s)\"", v, f->scheme,
             scheme->projects ? ", located and projection" : "", f->scheme, scheme->located ? ", located = true" : "");
  else sim_fail(e, NSM_USAGE, "--scheme %s: %s takes order and located, as in \"%s(order = 4, located = true)\"", v,
                f->scheme, f->scheme);
  return NSM_USAGE;
}

static nsm_code read_value(int i, const char *value, nsm_flags *f, nsm_error *e) {
  f->text[i] = value;
  switch (table[i].kind) {
    case SWITCH: case TEXT: case PATH: return NSM_OK;
    case SET: f->set[f->nset++] = value; return NSM_OK;
    case LIST: f->list[f->nlist++] = (nsm_listed){ (nsm_flag_id)i, value }; return NSM_OK;
    case TIME: case NUMBER: case WHOLE: return read_number(i, value, f, e);
    case CHOICE: case CHOICES: return read_choices(i, value, e);
    case SOLVER: return read_solver(i, value, e);
    case SCHEME: return read_scheme(value, f, e);
  }
  return NSM_OK;
}

// ---- the command line -----------------------------------------------------------------------------------------------
static nsm_code no_value(int i, nsm_error *e) {
  sim_fail(e, NSM_USAGE, "--%s needs a value: --%s %s", table[i].name, table[i].name, table[i].argument);
  return NSM_USAGE;
}

// A flag where a value should stand; names of files that look so are written ./--name.
static int looks_like_a_flag(const char *text) {
  if (strncmp(text, "--", 2) != 0) return 0;
  for (int i = 0; i < NSM_FLAGS; i++)
    if (is_called(i, text + 2, strcspn(text + 2, "="))) return 1;
  return text[2] == 0;
}

// argv[*at] is a flag; *at ends at the last argument that belongs to it.
static nsm_code read_flag(int argc, char **argv, int *at, nsm_flags *f, nsm_error *e) {
  const char *arg = argv[*at], *name = arg + (arg[1] == '-' ? 2 : 1), *value = NULL;
  size_t n = strcspn(name, "=");
  if (arg[1] == 'o') n = 1;                                // -oFILE
  int i = find(f->command, name, n);
  int is_letter = i >= 0 && strlen(table[i].other) == 1 && *table[i].other == *name && n == 1;
  if (i < 0 || is_letter != (arg[1] != '-')) return unknown(f->command, arg, name, n, e);
  if (!takes(f->command, i)) return misplaced(f->command, i, arg, e);
  if (name[n]) value = name + n + (name[n] == '=');
  if (table[i].kind == SWITCH) {
    if (!value) return read_value(i, "", f, e);
    sim_fail(e, NSM_USAGE, "--%s takes no value", table[i].name);
    return NSM_USAGE;
  }
  if (!value && *at + 1 < argc && !looks_like_a_flag(argv[*at + 1])) value = argv[++*at];
  return value && *value ? read_value(i, value, f, e) : no_value(i, e);
}

nsm_code nsm_flags_scheme(const char *text, nsm_flags *f, nsm_error *e) {
  memset(f, 0, sizeof *f);
  for (int i = 0; i < NSM_FLAGS; i++) f->number[i] = NAN;
  return text ? read_scheme(text, f, e) : NSM_OK;
}

nsm_code nsm_flags_read(nsm_command command, int argc, char **argv, nsm_flags *f, nsm_error *e) {
  nsm_flags_scheme(NULL, f, e);
  f->command = command;
  f->set = calloc((size_t)argc + 1, sizeof *f->set);
  f->file = calloc((size_t)argc + 1, sizeof *f->file);
  f->list = calloc((size_t)argc + 1, sizeof *f->list);
  if (!f->set || !f->file || !f->list) return sim_no_memory(e, "reading the command line");
  int flags = 1;
  for (int i = 1; i < argc; i++) {
    if (!flags || argv[i][0] != '-' || !argv[i][1]) { f->file[f->nfile++] = argv[i]; continue; }
    if (strcmp(argv[i], "--") == 0) { flags = 0; continue; }
    nsm_code code = read_flag(argc, argv, &i, f, e);
    if (code != NSM_OK) return code;
  }
  return NSM_OK;
}

void nsm_flags_free(nsm_flags *f) {
  free(f->set);
  free(f->file);
  free(f->list);
}

int nsm_flag_taken(nsm_command command, int i) { return takes(command, i); }
const char *nsm_flag_name(int i) { return table[i].name; }
const char *nsm_flag_argument(int i) { return table[i].argument; }
const char *nsm_flag_help(int i) { return table[i].help; }
const char *nsm_flag_choices(int i) {
  return table[i].kind == CHOICE || table[i].kind == CHOICES ? table[i].argument : "";
}

void nsm_flags_help(nsm_command command, FILE *f) {
  for (int i = 0; i < NSM_FLAGS; i++) {
    if (!takes(command, i)) continue;
    char spelling[80];
    snprintf(spelling, sizeof spelling, "--%s %s", table[i].name, table[i].argument);
    if (strlen(spelling) > 22) fprintf(f, "  %s\n%25s%s\n", spelling, "", table[i].help);
    else fprintf(f, "  %-22s %s\n", spelling, table[i].help);
  }
}

int nsm_next_name(const char **list, char *name, size_t room) {
  const char *from = *list;
  size_t n = 0;
  if (!*from) return 0;
  for (int depth = 0; from[n] && (from[n] != ',' || depth > 0); n++)
    depth += (from[n] == '[' || from[n] == '(') - (from[n] == ']' || from[n] == ')');
  *list = from + n + (from[n] == ',');
  while (n > 0 && *from == ' ') { from++; n--; }
  while (n > 0 && from[n - 1] == ' ') n--;
  if (n >= room) return -1;
  memcpy(name, from, n);
  name[n] = 0;
  return 1;
}
