// The experiment: `simulate { ... }` and the claims `expect ...;`. Only those of the root count; a component's are for
// running it alone.
#include <stdio.h>
#include <string.h>

#include "../base/suggest.h"
#include "elab.h"

// --- simulate ---

static const char *const entries[] = {"until", "start", "step", "scheme", "solver",
                                      "tolerance", "accept", "project_start"};
enum { NENTRIES = sizeof entries / sizeof *entries };

static MExpr *constant_entry(const Env *env, const Ast *arg, const char *unit) {
  char what[64];
  (void)snprintf(what, sizeof what, "`%.40s`", arg->name);
  Value v = elab_scalar(env, arg->a);
  const char *name = arg->name;
  if (v.truth && !v.bad && strcmp(name, "until") == 0) {
    Diag *d = diag(env->e->bag, DIAG_E0228, v.span, "`until` is a time");
    diag_label(d, "this is a condition");
    diag_help(d, "an item of the model ends the run: when %s { stop \"the reason\"; }", ast_text(env->e, arg->a));
    return NULL;
  }
  if (!unit_check(env, v, unit ? unit_named(unit) : UNIT_ONE, what)) return NULL;
  if (extra_uses(&v, MU_PARAM)) {
    not_constant(env, &v, what, "use numbers and parameters");
    return NULL;
  }
  return v.at[0];
}

// located = true
static bool yes_or_no(const Env *env, const Ast *arg) {
  bool name = arg->a->kind == AST_NAME, yes = name && !strcmp(arg->a->name, "true");
  if (yes || (name && !strcmp(arg->a->name, "false"))) return yes;
  Diag *d = diag(env->e->bag, DIAG_E0213, arg->a->span, "`%s` is true or false", arg->name);
  diag_label(d, "neither of them");
  diag_help(d, "%s = true", arg->name);
  return false;
}

static void located(const Env *env, const Ast *arg) {
  MExperiment *s = &env->e->out->sim;
  s->located_span = arg->a->span;
  s->located = yes_or_no(env, arg) ? 1 : -1;
}

// stages = 2
static void stages(const Env *env, const Ast *arg) {
  MExperiment *s = &env->e->out->sim;
  s->stages_span = arg->a->span;
  s->stages = arg->a->kind != AST_NUMBER ? 0 : arg->a->number == 2 ? 2 : arg->a->number == 3 ? 3 : 0;
  if (s->stages) return;
  Diag *d = diag(env->e->bag, DIAG_E0213, arg->a->span, "`stages` is 2 or 3");
  diag_label(d, "neither of them");
  diag_help(d, "radau(stages = 3)");
}

// order = 4
static void order(const Env *env, const Ast *arg) {
  MExperiment *s = &env->e->out->sim;
  double n = arg->a->kind == AST_NUMBER ? arg->a->number : 0;
  s->order_span = arg->a->span;
  s->order = n == 2 || n == 4 || n == 6 || n == 8 ? (int)n : 0;
  if (s->order) return;
  Diag *d = diag(env->e->bag, DIAG_E0213, arg->a->span, "`order` is 2, 4, 6 or 8");
  diag_label(d, "none of them");
  diag_help(d, "consistent(order = 4)");
}

// projection = true
static void projection(const Env *env, const Ast *arg) {
  MExperiment *s = &env->e->out->sim;
  s->projection_span = arg->a->span;
  s->projection = yes_or_no(env, arg);
}

static void scheme(const Env *env, const Ast *x) {
  MExperiment *s = &env->e->out->sim;
  if (x->kind != AST_NAME && x->kind != AST_CALL && x->kind != AST_STRING) {
    Diag *d = diag(env->e->bag, DIAG_E0213, x->span, "a scheme is given by its name");
    diag_label(d, "not a name");
    diag_help(d, "scheme = moreau(theta = 1/2)");
    return;
  }
  s->scheme = x->name;
  s->scheme_span = x->kind == AST_CALL && x->name_span.file ? x->name_span : x->span;
  if (x->kind != AST_CALL) return;
  for (int i = 0; i < x->list.n; i++) {
    const Ast *arg = x->list.at[i];
    bool theta = arg->kind == AST_ARG && strcmp(arg->name, "theta") == 0,
         gamma = arg->kind == AST_ARG && strcmp(arg->name, "gamma") == 0;
    if (theta || gamma) {
      MExpr *v = constant_entry(env, arg, NULL);
      if (theta) s->theta = v;
      else s->gamma = v;
      continue;
    }
    if (arg->kind == AST_ARG && !strcmp(arg->name, "located")) {
      located(env, arg);
      continue;
    }
    if (arg->kind == AST_ARG && !strcmp(arg->name, "projection")) {
      projection(env, arg);
      continue;
    }
    if (arg->kind == AST_ARG && !strcmp(arg->name, "stages")) {
      stages(env, arg);
      continue;
    }
    if (arg->kind == AST_ARG && (!strcmp(arg->name, "rtol") || !strcmp(arg->name, "atol"))) {
      *(arg->name[0] == 'r' ? &s->rtol : &s->atol) = constant_entry(env, arg, NULL);
      s->rtol_span = arg->span;
      continue;
    }
    if (arg->kind == AST_ARG && !strcmp(arg->name, "order")) {
      order(env, arg);
      continue;
    }
    Diag *d = diag(env->e->bag, DIAG_E0213, arg->span,
                   "a scheme takes theta, gamma, order, stages, rtol, atol, located and projection, by name");
    diag_label(d, arg->kind == AST_ARG ? "unknown argument" : "an argument without a name");
    bool yes = arg->kind == AST_NAME && (!strcmp(arg->name, "located") || !strcmp(arg->name, "projection"));
    if (yes) diag_help(d, "%s(%s = true)", x->name, arg->name);
    else diag_help(d, "%s(theta = %s)", x->name, arg->kind == AST_ARG ? "1/2" : ast_text(env->e, arg));
  }
}

static void check_solver(Elab *e, const Ast *x) {
  const char *const *names = e->opt->solvers;
  int n = 0;
  if (!names) return;
  for (; names[n]; n++)
    if (!strcmp(names[n], x->name)) return;
  Diag *d = diag(e->bag, DIAG_E0124, x->span, "there is no solver `%s`", x->name);
  const char *near = suggest(x->name, names, (size_t)n);
  if (near) diag_mean(d, near);
  else diag_help(d, "leave the entry out: the problem decides which one it needs");
}

static void entry(const Env *env, const Ast *arg) {
  MExperiment *s = &env->e->out->sim;
  const char *name = arg->name;
  if (strcmp(name, "until") == 0) s->until = constant_entry(env, arg, "s");
  else if (strcmp(name, "start") == 0) s->start = constant_entry(env, arg, "s");
  else if (strcmp(name, "step") == 0) s->step = constant_entry(env, arg, "s");
  else if (strcmp(name, "tolerance") == 0) s->tolerance = constant_entry(env, arg, NULL);
  else if (strcmp(name, "accept") == 0) s->accept = constant_entry(env, arg, NULL);
  else if (strcmp(name, "project_start") == 0) s->project_start = yes_or_no(env, arg);
  else if (strcmp(name, "scheme") == 0) scheme(env, arg->a);
  else if (strcmp(name, "solver") == 0) {
    if (arg->a->kind == AST_NAME || arg->a->kind == AST_STRING || arg->a->kind == AST_CALL) {
      s->solver = arg->a->name;
      s->solver_span = arg->a->span;
      check_solver(env->e, arg->a);
    } else {
      Diag *d = diag(env->e->bag, DIAG_E0213, arg->a->span, "a solver is given by its name");
      diag_label(d, "not a name");
    }
  } else {
    Diag *d = diag(env->e->bag, DIAG_E0213, arg->name_span, "`simulate` has no entry `%s`", name);
    diag_label(d, "unknown entry");
    const char *near = suggest(name, entries, NENTRIES), *meant = entry_meant(name);
    if (meant) diag_help(d, "%s", meant);
    else if (near) diag_mean(d, near);
    else diag_help(d, "the entries are until, start, step, scheme, solver, tolerance, accept, "
                      "project_start");
  }
}

// Times that are plain numbers are checked here; those that depend on parameters when the run starts.
static bool number_of(const Env *env, const MExpr *x, double *out) {
  if (!x || x->uses) return false;
  MxEval e = {0};
  (void)env;
  return mx_eval(&e, x, out);
}

static void between_0_and_1(const Env *env, const Ast *x, const MExpr *value, const char *name, const char *wrong,
                            const char *help) {
  double number;
  if (!number_of(env, value, &number) || (number > 0 && number < 1)) return;
  const Ast *at = named_arg(x->list, intern(env->e->in, name));
  Diag *d = diag(env->e->bag, DIAG_E0123, at->a->span, "%s", wrong);
  diag_help(d, "%s", help);
}

static void check_times(const Env *env, const Ast *x) {
  const MExperiment *s = &env->e->out->sim;
  const Ast *until_at = named_arg(x->list, intern(env->e->in, "until")),
      *step_at = named_arg(x->list, intern(env->e->in, "step"));
  double step, until, start = 0;
  bool steps = number_of(env, s->step, &step), ends = number_of(env, s->until, &until);
  if (s->start && !number_of(env, s->start, &start)) ends = false;
  if (steps && !(step > 0)) {
    Diag *d = diag(env->e->bag, DIAG_E0123, step_at->a->span, "the step must be greater than 0");
    diag_help(d, "step = 1 [ms]");
    return;
  }
  if (ends && !(until > start)) {
    Diag *d = diag(env->e->bag, DIAG_E0123, until_at->a->span, "the end time must be later than the start time, %g s",
                   start);
    diag_help(d, "until = %g [s]", start + 1);
    return;
  }
  between_0_and_1(env, x, s->tolerance, "tolerance", "the tolerance must lie between 0 and 1", "tolerance = 1e-12");
  between_0_and_1(env, x, s->rtol, "rtol", "rtol must lie between 0 and 1", "event_driven(rtol = 1e-9)");
  between_0_and_1(env, x, s->accept, "accept", "what is accepted must lie between 0 and 1", "accept = 1e-6");
  double n = steps && ends ? (until - start)/step : 0;
  if (n > 9e15) {
    Diag *d = diag(env->e->bag, DIAG_E0123, step_at->a->span, "the step makes %.2g steps, more than can be counted", n);
    diag_help(d, "step = %.1g [s] makes a thousand", (until - start)/1000);
  } else if (n > 1e9) {
    Diag *d = diag(env->e->bag, DIAG_W0842, step_at->a->span, "the step makes %.2g steps", n);
    diag_note(d, "at 100 ns each they take %.2g hours", n*1e-7/3600);
    diag_help(d, "is it meant in another unit? step = %.1g [s] makes a thousand", (until - start)/1000);
  } else if (steps && ends && n < 1) {
    Diag *d = diag(env->e->bag, DIAG_W0842, step_at->a->span, "the step is longer than the run");
    diag_help(d, "step = %.1g [s] makes a thousand", (until - start)/1000);
  }
}

void elab_simulate(Env env, const Ast *x) {
  if (env.scope->parent) return;
  const Ast *before = env.e->simulate;
  if (before) {
    Diag *d =
        diag(env.e->bag, DIAG_E0202, (Span){ x->span.file, x->span.lo, x->span.lo + 8 }, "`simulate` is given twice");
    diag_label(d, "given again here");
    diag_also(d, (Span){before->span.file, before->span.lo, before->span.lo + 8}, "first given here");
    diag_help(d, "a model has one default experiment: merge them");
    return;
  }
  env.e->simulate = x;
  for (int i = 0; i < x->list.n; i++) {
    const Ast *arg = x->list.at[i];
    if (arg->kind == AST_NAME) env.e->out->sim.project_start = true;     // `project_start` alone
    if (arg->kind != AST_ARG || !arg->name || !arg->a) continue;
    if (named_arg(x->list, arg->name) != arg) {
      Diag *d = diag(env.e->bag, DIAG_E0202, arg->name_span, "`%s` is given twice", arg->name);
      diag_label(d, "given again here");
      diag_also(d, named_arg(x->list, arg->name)->span, "first given here");
      continue;
    }
    entry(&env, arg);
  }
  check_times(&env, x);
}

// --- expect ---

enum { CHANGES = MU_VAR | MU_TIME | MU_DISCRETE | MU_INPUT };

// A side of a comparison as it should be: its value at the end, where it changes during the run.
static const char *at_the_end(const Env *env, const Ast *x) {
  Value v = elab_expr(env, x);
  const char *text = ast_text(env->e, x);
  return !v.bad && v.at[0]->uses & CHANGES ? arena_printf(env->e->a, "final(%s)", text) : text;
}

static void about_the_run(const Env *env, const Ast *c, Span at, bool has_statistic) {
  Diag *d = diag(env->e->bag, DIAG_E0226, at, "a claim is about the finished run");
  diag_label(d, "uses a quantity that changes during the run");
  diag_note(d, "the statistics are final, initial, min, max, mean, drift, gain, at(x, t), and events, first, last of "
               "a contact");
  bool bound = c->kind == AST_BINARY && (c->op == AO_LT || c->op == AO_LE || c->op == AO_GT || c->op == AO_GE);
  const char *claim = "final(x) <= 1";
  if (bound)
    claim = arena_printf(env->e->a, "%s%.*s%s", at_the_end(env, c->a), (int)(c->b->span.lo - c->a->span.hi),
                         c->span.file->text + c->a->span.hi, at_the_end(env, c->b));
  if (has_statistic) diag_help(d, "expect %s;", claim);
  else diag_help(d, "expect %s; -- or, for every step: assert %s;", claim, ast_text(env->e, c));
}

void elab_expect(Env env, const Ast *x) {
  if (env.scope->parent) return;
  env.in_claim = true;
  env.declare = "output";
  int stat = (int)env.e->stat.n;
  Value v = elab_condition(&env, x->a);
  if (v.bad) return;
  if (v.at[0]->uses & CHANGES) {
    about_the_run(&env, x->a, v.span, (int)env.e->stat.n > stat);
    return;
  }
  MExpect claim = {.cond = v.at[0], .text = x->doc ? x->doc : ast_text(env.e, x->a), .span = x->a->span,
                   .stat = stat};
  vec_push(&env.e->expect, claim);
}
