// The pipeline: source text -> AST -> model -> derived system -> plan -> C. Caller names the last stage; dumps are
// handled here.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../../runtime/record/record.h"
#include "../base/fatal.h"
#include "../model/instants.h"
#include "../model/touch_formulas.h"
#include "../model/model_print.h"
#include "../model/switches.h"
#include "cone/problem.h"
#include "installed.h"
#include "pipeline.h"

double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

Compilation *compilation_new(void) {
  Arena *a = arena_new();
  Compilation *c = ARENA_NEW(a, Compilation);
  c->arena = a;
  c->stages = arena_new();
  c->names = intern_new(a);
  c->bag = diag_bag_new(a);
  return c;
}

void compilation_free(Compilation *c) {
  if (!c) return;
  text_free(&c->c);
  arena_free(c->stages);
  arena_free(c->arena);
}

void compilation_release_stages(Compilation *c) {
  c->model = NULL;
  c->system = NULL;
  c->plan = NULL;
  arena_free(c->stages);
  c->stages = NULL;
}

// --- what of the model outlives it ---

static void keep_read(Compilation *c) {
  const Model *m = c->model;
  c->nread = m->nread;
  c->read = ARENA_ARRAY(c->arena, const char *, m->nread + 1);
  for (int i = 0; i < m->nread; i++) c->read[i] = arena_strndup(c->arena, m->read[i], strlen(m->read[i]));
}

static void keep_asked(Compilation *c) {
  const Model *m = c->model;
  MAsk *to = ARENA_ARRAY(c->arena, MAsk, m->nask + 1);
  for (int i = 0; i < m->nask; i++) {
    to[i] = m->ask[i];
    to[i].text = arena_strndup(c->arena, m->ask[i].text, strlen(m->ask[i].text));
  }
  c->asked = (Asked){ to, m->nask };
}

static void keep_places(Compilation *c) {
  const Model *m = c->model;
  Span *cls = ARENA_ARRAY(c->arena, Span, c->plan->ncls + 1), *param = ARENA_ARRAY(c->arena, Span, m->nparam + 1);
  Span *var = ARENA_ARRAY(c->arena, Span, m->nvar + 1), *expect = ARENA_ARRAY(c->arena, Span, m->nexpect + 1);
  for (int i = 0; i < c->plan->ncls; i++) cls[i] = place_of_class(c->plan->cls[i].c);
  for (int i = 0; i < m->nparam; i++) param[i] = m->param[i].span;
  for (int i = 0; i < m->nvar; i++) var[i] = place_of_variable(&m->var[i]);
  for (int i = 0; i < m->nexpect; i++) expect[i] = m->expect[i].span;
  c->places = (Places){ c->plan->ncls, m->nparam, m->nvar, m->nexpect, cls, param, var, expect };
}

static bool ok(const Compilation *c) { return diag_errors(c->bag) == 0; }

static bool wanted(const char *list, const char *stage) {
  size_t n = strlen(stage);
  for (const char *at = list; at && *at; at += strcspn(at, ",")) {
    if (*at == ',') at++;
    if (!strncmp(at, stage, n) && (at[n] == 0 || at[n] == ',')) return true;
  }
  return false;
}

static void put_dump(FILE *f, const char *stage, Text *t, bool several) {
  if (several) fprintf(f, "--- %s ---\n", stage);
  fputs(text_str(t), f);
  text_free(t);
}

static void dump_stage(const Compilation *c, const PipelineOptions *o, const char *stage, FILE *f) {
  if (!f || !wanted(o->dump, stage)) return;
  Text t = {0};
  if (!strcmp(stage, "ast")) ast_dump(c->ast, &t);
  if (!strcmp(stage, "model")) model_print(c->model, &t);
  if (!strcmp(stage, "system")) system_print(c->stages, c->system, NULL, &t);
  if (!strcmp(stage, "plan")) plan_print(c->plan, &t);
  put_dump(f, stage, &t, strchr(o->dump, ',') != NULL);
}

static bool read_source(Compilation *c, const char *path, const char *text, const OpenTexts *open) {
  const char *opened;
  size_t n;
  if (open && open->find(open->with, path, &opened, &n)) {
    c->source = source_from_text(c->arena, path, opened, n);
    return true;
  }
  if (text) { c->source = source_from_text(c->arena, path, text, strlen(text)); return true; }
  SourceStatus s = source_read(c->arena, path, &c->source);
  if (s == SOURCE_OK) return true;
  static const DiagCode code[] = { [SOURCE_MISSING] = DIAG_E0001,
                                   [SOURCE_IS_DIR] = DIAG_E0002,
                                   [SOURCE_UNREADABLE] = DIAG_E0003,
                                   [SOURCE_TOO_LARGE] = DIAG_E0004,
                                   [SOURCE_IS_SPECIAL] = DIAG_E0003 };
  c->file_trouble = true;
  diag(c->bag, code[s], (Span){0}, "%s: %s", strcmp(path, "-") ? path : "<stdin>", source_status_text(s, errno));
  return false;
}

SchemeFacts scheme_facts(const Plan *p) {
  SchemeFacts f = { p->scheme->name,
                    p->scheme->closed,
                    p->theta,
                    p->gamma,
                    p->sys->model->sim.located > 0 && p->scheme->located && !p->scheme->flows,
                    p->scheme->weights,
                    p->scheme->explicit_step,
                    p->constant_iteration_matrix,
                    p->constant_problem_matrix,
                    p->one_iteration };
  const System *s = p->sys;
  if (s->theta != EX_NONE && ex_operator(s->pool, s->theta) == OP_NUM) f.theta = ex_value(s->pool, s->theta);
  if (s->gamma != EX_NONE && ex_operator(s->pool, s->gamma) == OP_NUM) f.gamma = ex_value(s->pool, s->gamma);
  return f;
}

const char *std_dir(Arena *a) {
  const char *d = getenv("NSM_STD_DIR");
  return d && *d ? d : installed(a)->std;
}

static bool trouble(Compilation *c, const char *what) {
  c->trouble = what;
  return !(c->usage_trouble = true);
}

static bool refuse_set(Compilation *c, const Override *o) {
  Arena *a = c->arena;
  switch (o->use) {
  case SET_VARIES:
    return trouble(c, arena_printf(a, "--set %s: `%s` %s", o->text, o->name, o->what));
  case SET_NO_MEMBER:
    return trouble(c, arena_printf(a, "--set %s: there is no `%s`: %s", o->text, o->name, o->what));
  case SET_UNIT:
    return trouble(c, arena_printf(a, "--set %s: the value of %s has a unit of another dimension", o->text, o->name));
  default:
    return trouble(c, arena_printf(a, "--set %s: there is no parameter `%s`%s", o->text, o->name,
                                   o->what ? o->what : ""));
  }
}

// What a built simulator would say when it starts.
static bool value_fits(Compilation *c, const Override *o) {
  double x;
  const char *value = strchr(o->text, '=') + 1, *unit = o->what, *wrong = nsm_read_quantity(value, unit, &x);
  return !wrong || trouble(c, arena_printf(c->arena, "--set %s: the value of %s is `%s`: %s%s%s%s", o->text, o->name,
                                           value, wrong, *unit ? " (the model says " : "", unit, *unit ? ")" : ""));
}

// A word in a flag that names parameters; "z(0)", and numbers, are read by the command.
static bool asked_fits(Compilation *c, const Override *o) {
  bool name = isalpha((unsigned char)*o->name) && !strchr(o->name, '('), member = o->use == SET_NO_MEMBER;
  if (!name || (!member && o->use != SET_UNKNOWN)) return true;
  return trouble(c, arena_printf(c->arena, "there is no parameter `%s`%s%s", o->name, member ? ": " : "",
                                 o->what ? o->what : ""));
}

static bool sets_fit(Compilation *c, const PipelineOptions *o) {
  bool good = true;
  for (int i = 0; i < o->nset && good; i++)
    if (o->set[i].asked) good = asked_fits(c, &o->set[i]);
    else if (o->set[i].use == SET_STORED) good = value_fits(c, &o->set[i]);
    else if (o->set[i].use != SET_COMPILED) good = refuse_set(c, &o->set[i]);
    else if (o->set[i].what && o->set[i].value != 0)
      c->note = arena_printf(c->arena, "%snote: --set %s is in SI units; the model gives it in %s: --set %s%s\n",
                             c->note ? c->note : "", o->set[i].text, o->set[i].what, o->set[i].text, o->set[i].what);
  return good;
}

// Parses into `tree` and elaborates; the tree is not needed afterwards.
static bool to_model(Compilation *c, Arena *tree, const PipelineOptions *o, FILE *dump) {
  c->ast = parse_file(tree, c->names, c->source, c->bag);
  dump_stage(c, o, "ast", dump);
  if (!ok(c)) return false;
  ElaborateOptions e = { o->set, o->nset, std_dir(c->arena), nsm_cone_solver_names(), o->open, NULL, o->library,
                         o->looks, c->arena };
  c->model = elaborate(c->stages, c->names, c->ast, &e, c->bag);
  c->ast = NULL;
  if (c->model) { keep_read(c); keep_asked(c); }
  return true;
}

// What runs has its instants of time as events (instants.h); what was told of the model is told of it as written.
static bool at_instants(Compilation *c, const Model *m) {
  if (m == c->model) return true;
  DiagBag *reported = diag_bag_new(c->stages);
  const System *s = derive_system(c->stages, m, false, reported);
  if (s && needs_rows(c->stages, s)) s = derive_system(c->stages, m, true, reported);
  const Plan *p = s ? make_plan(c->stages, s, c->plan->scheme->name, reported) : NULL;
  if (!p || diag_errors(reported)) {
    diag_print(reported, stderr, false);
    FATAL("a model whose steps end at instants of time cannot be run where the model itself can");
  }
  c->model = m;
  c->system = s;
  c->plan = p;
  return true;
}

static bool asks_at_rest(const Model *m) {
  Arena *a = arena_new();
  char *none = "analyse";
  int n;
  char **words = asked_words(a, (Asked){ m->ask, m->nask }, ASK_ANALYSE, 1, &none, &n);
  bool yes = asked_at_rest(n, words);
  arena_free(a);
  return yes;
}

// Is what is asked of the model at rest, so that no step is taken?
static bool rests(const Model *m, const PipelineOptions *o) { return o->at_rest || (o->analyse && asks_at_rest(m)); }

// That of the command line, of the experiment, or by what the model is; NULL: by the system that is derived.
static const char *name_of_scheme(const Model *m, const PipelineOptions *o) {
  if (rests(m, o)) return schemes[SCHEME_MOREAU].name;
  if (o->scheme || m->sim.scheme) return o->scheme ? o->scheme : m->sim.scheme;
  if (o->order) return schemes[SCHEME_CONSISTENT].name;
  const SchemeDescriptor *d = o->weights || o->projection > 0 ? scheme_with_weights() : default_without_velocities(m);
  return d ? d->name : NULL;
}

// Does the scheme ask for kinks? Orders of consistent do not: what rests on one, as |v| does at v = 0, would end pieces
// without end.
static bool asks_for_kinks(const char *scheme) {
  const char *near;
  const SchemeDescriptor *d = scheme ? scheme_named(scheme, &near) : NULL;
  return d && (d->collocates || d->flows);
}

// What the options say of its scheme. One that they name has the order that they give, and not that of the model. Above
// order 2 events of `consistent` are located, unless it is said that they are not: what a step captures is of first
// order.
static const Model *with_order(Arena *a, const Model *given, const char *scheme, const PipelineOptions *o) {
  if (o->projection) {
    Model *m = ARENA_NEW(a, Model);
    *m = *given;
    m->sim.projection = o->projection > 0;
    given = m;
  }
  const char *near;
  const SchemeDescriptor *d = scheme ? scheme_named(scheme, &near) : NULL;
  int order = o->order || o->scheme ? o->order : given->sim.order;
  if (d && d->flows && !o->located && !given->sim.located) {
    Model *m = ARENA_NEW(a, Model);
    *m = *given;
    m->sim.located = 1;
    return m;
  }
  if (!d || !d->two_point || !d->located || (order == 0 && given->sim.order == 0)) return given;
  Model *m = ARENA_NEW(a, Model);
  *m = *given;
  m->sim.order = order;
  if (order > 2 && !o->located && !m->sim.located) m->sim.located = 1;
  return m;
}

// Contacts between shapes, by schemes that take none and for derivatives: as formulas, where their gaps have a closed
// form.
static const Model *with_gaps(Arena *a, const Model *given, const char *scheme, const PipelineOptions *o) {
  enum { MOST = 200 };
  const char *near;
  const SchemeDescriptor *d = scheme ? scheme_named(scheme, &near) : NULL;
  bool ordered = d && d->two_point && given->sim.order > 2;
  bool asks = o->derivatives || given->sim.projection || ordered || (d && !scheme_takes_shapes(d));
  return asks && !o->contacts ? with_gaps_as_formulas(a, given, MOST, d && d->flows) : given;
}

// Of a model that does not say whether its events are located.
static const Model *unlocated(Arena *a, const Model *given, MUnlocated why) {
  Model *m = ARENA_NEW(a, Model);
  *m = *given;
  m->sim.unlocated = why;
  return m;
}

static const Model *located_by_default(Arena *a, const Model *given) {
  Model *m = ARENA_NEW(a, Model);
  *m = *given;
  m->sim.located = m->sim.by_default = true;
  return m;
}

// The model as it runs, and its system. Where it does not say so, its events are located if no scheme is named, it has
// any laws, and the rules of the plan do not exclude it (plan/default_located.c). Switches of `if` are located where
// that is said: one whose branches both drive back would end a step again and again.
static void to_system(Compilation *c, const Model *given, const char *scheme, const PipelineOptions *o) {
  Arena *a = c->stages;
  bool said = o->located || given->sim.located || (model_laws(given) == 0 && given->ntouch == 0);
  MUnlocated why = said ? UNLOCATED_SAID : scheme ? UNLOCATED_NAMED : unlocated_by_default(given);
  if (said || scheme) c->model = with_switches(a, why ? unlocated(a, given, why) : given, o->located,
                                               asks_for_kinks(scheme), c->bag);
  else c->model = why ? unlocated(a, given, why) : located_by_default(a, given);
  c->system = derive_system(a, c->model, false, c->bag);
  if (!c->system || !c->model->sim.by_default || can_be_located(a, c->system)) return;
  c->model = unlocated(a, given, UNLOCATED_REFUSED);
  c->system = derive_system(a, c->model, false, c->bag);
}

// "max(z), mean (x)": is this statistic in the list?
static bool lists(const char *measures, const char *statistic) {
  size_t n = strlen(statistic);
  for (const char *at = measures; at && (at = strstr(at, statistic)); at += n)
    if ((at == measures || !isalnum((unsigned char)at[-1])) && at[n + strspn(at + n, " ")] == '(') return true;
  return false;
}

// Of runs that go together: does a claim or a measure hang on each step, so that fused ones keep all states?
static bool looks_at_steps(const Model *m, const PipelineOptions *o) {
  static const struct { MStatKind kind; const char *name; } follows[] = {
    { MS_MIN, "min" }, { MS_MAX, "max" }, { MS_MEAN, "mean" }, { MS_DRIFT, "drift" }, { MS_GAIN, "gain" } };
  for (size_t k = 0; o->together && k < sizeof follows / sizeof *follows; k++) {
    if (lists(o->measures, follows[k].name)) return true;
    for (int i = 0; i < m->nstat; i++) if (m->stat[i].kind == follows[k].kind) return true;
  }
  return false;
}

static bool stages(Compilation *c, const PipelineOptions *o, PipelineStage last, FILE *dump) {
  if (!read_source(c, o->path, o->text, o->open)) return false;
  if (last == STAGE_SOURCE) return true;

  if (last == STAGE_AST) {
    c->ast = parse_file(c->stages, c->names, c->source, c->bag);
    dump_stage(c, o, "ast", dump);
    return ok(c);
  }
  Arena *tree = arena_new();
  bool read = to_model(c, tree, o, dump);
  arena_free(tree);
  if (!read) return false;
  if (!c->model || !ok(c)) return o->library && ok(c);
  if (!sets_fit(c, o)) return false;
  dump_stage(c, o, "model", dump);
  if (last == STAGE_MODEL) return true;

  const char *scheme = name_of_scheme(c->model, o);
  to_system(c, with_gaps(c->stages, with_order(c->stages, c->model, scheme, o), scheme, o), scheme, o);
  const Model *timed = with_instants(c->stages, c->model, c->bag);
  if (c->system && needs_rows(c->stages, c->system)) c->system = derive_system(c->stages, c->model, true, c->bag);
  bool steps = !rests(c->model, o);
  if (c->system) check_system(c->stages, c->system, steps, c->bag);
  if (!c->system || !ok(c)) return false;
  dump_stage(c, o, "system", dump);
  if (last == STAGE_SYSTEM) return true;

  bool own = scheme == c->system->model->sim.scheme;       // the model's own, with its place in messages
  c->plan = make_plan(c->stages, c->system, own ? NULL : scheme, c->bag);
  if (!c->plan) return false;
  if (steps && !o->weights && !c->plan->scheme->flows)
    check_step(c->stages, c->system, c->plan->scheme->explicit_step ? c->plan->scheme->name : NULL,
               scheme_facts(c->plan).theta, o->step, c->bag);
  dump_stage(c, o, "plan", dump);
  if (last == STAGE_PLAN) return true;

  if (!at_instants(c, timed)) return false;
  c->kernels = kernels_of_plan(c->arena, c->plan, code_has_comments(o->code_for));
  bool fixed_sets = c->plan->degree > 1 || c->plan->scheme->flows;
  c->whole = fixed_sets ? NULL : whole_of_plan(c->arena, c->plan, c->model->sim.located > 0,
                                                 looks_at_steps(c->model, o));
  c->kernels = with_whole(c->arena, c->kernels, c->whole, o->together);
  emit_c(c->stages, c->plan, &c->kernels, c->whole, o->code_for, &c->c);
  keep_places(c);
  return true;
}

bool compile_to(Compilation *c, const PipelineOptions *o, PipelineStage last, FILE *dump) {
  double start = now_seconds();
  c->path = o->path;
  bool good = stages(c, o, last, dump);
  c->seconds += now_seconds() - start;
  return good;
}

bool wants_colour(FILE *f) {
  const char *no_color = getenv("NO_COLOR");
  return isatty(fileno(f)) && !(no_color && *no_color);
}

void compilation_report(const Compilation *c, FILE *err) {
  int errors = diag_errors(c->bag), warnings = diag_warnings(c->bag);
  if (!errors && !warnings && !diag_notes(c->bag)) return;
  diag_print(c->bag, err, wants_colour(err));
  if (!errors && !warnings) return;
  if (errors) fprintf(err, "%d error%s", errors, errors == 1 ? "" : "s");
  if (warnings) fprintf(err, "%s%d warning%s", errors ? ", " : "", warnings, warnings == 1 ? "" : "s");
  fputc('\n', err);
}
