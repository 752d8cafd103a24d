// Names that nothing declares: what is near them, what they mean elsewhere, where they are declared.
#include <string.h>
#include <strings.h>

#include "../base/suggest.h"
#include "elab.h"

typedef Vec(const char *) Names;

static void add_keys(Names *out, const Map *m) {
  for (size_t i = 0; m && i < map_size(m); i++) vec_push(out, (const char *)map_key_at(m, i));
}

// What a pair of materials may hold (language.md 24.4).
static bool pair_word(const char *name) {
  return !strcmp(name, "e") || !strcmp(name, "e_t") || !strcmp(name, "mu") || !strcmp(name, "mu_r");
}

static bool is_named(const Ast *x, const char *name) { return x && x->kind == AST_NAME && x->name == name; }

// Does a relation among these items take the name as its multiplier?
static bool is_of_a_law(const AstList *items, const char *name) {
  for (int i = 0; i < items->n; i++) {
    const Ast *x = items->at[i], *law = x->a;
    if (x->kind == AST_FOR && is_of_a_law(&x->list2, name)) return true;
    if (x->kind != AST_RELATION || !law) continue;
    if (law->kind == AST_COMPLEMENTARITY && (is_named(law->b, name) || is_named(law->a, name))) return true;
    if (law->kind != AST_INCLUSION) continue;
    const Ast *set = law->b;
    if (is_named(law->a, name)) return true;
    if (set && set->kind == AST_CALL && set->list.n == 2 && is_named(set->list.at[1], name)) return true;
  }
  return false;
}

// `energy` where it says nothing.
static void energy_misplaced(const Env *env, Span at) {
  DiagBag *bag = env->e->bag;
  Diag *d = diag(bag, DIAG_E0226, at, env->in_stat    ? "an energy stands alone in a statistic"
                                      : env->in_claim ? "a claim is about the finished run"
                                                      : "`energy` is known in the statistics of claims only");
  if (env->in_stat) {
    diag_label(d, "inside of an expression");
    diag_note(d, "energies stand alone in a statistic: drift(energy), max(energy.residue)");
    diag_help(d, "for a bound on both sides: max(energy.residue) <= c and min(energy.residue) >= -c");
  } else if (env->in_claim) {
    diag_label(d, "changes during the run");
    diag_help(d, "expect final(energy) <= 1; or drift(energy), max(energy), ...");
  } else {
    diag_help(d, "it is recorded by --record energy; as an expression write it out: output E = m*z'^2/2 + m*g*z;");
  }
}

void unknown_name(const Env *env, const char *name, Span at) {
  Elab *e = env->e;
  if (name == e->word.energy) {
    energy_misplaced(env, at);
    return;
  }
  Names names = {0};
  for (const Local *l = env->local; l; l = l->next) vec_push(&names, l->name);
  if (env->scope) add_keys(&names, env->scope->names);
  add_keys(&names, e->globals->names);
  vec_push(&names, e->word.pi);
  vec_push(&names, e->word.time);
  Diag *d = diag(e->bag, DIAG_E0201, at, "unknown name `%s`", name);
  diag_label(d, "not declared");
  const char *near = suggest(name, names.at, names.n), *meant = name_meant(env, name);
  const Symbol *around = NULL;
  for (const Scope *s = env->scope ? env->scope->parent : NULL; s && !around; s = s->parent)
    around = scope_find(s, name);
  if (around) {
    diag_also(d, around->span, "this one belongs to the model around");
    diag_note(d, "a component sees its own names and its formals only");
    diag_help(d, "make it a formal: model %s(%s), and give it to the instance: (%s = %s)", env->scope->model->name,
              name, name, name);
  } else if (e->pairs.n && pair_word(name)) {
    diag_help(d, "a law without numbers takes those of the pair of materials: with newton, coulomb;");
  } else if (strcmp(name, "e") == 0) {
    diag_help(d, "for Euler's number write exp(1); a coefficient needs `param e = 0.9;`");
  } else if (strcmp(name, "t") == 0 && (!near || strlen(near) != 1)) {
    diag_help(d, "the time is called `time`");
  } else if (map_get(e->models, name)) {
    diag_note(d, "`%s` is a model", name);
    diag_help(d, "make an instance of it: %s part(...);", name);
  } else if (map_get(e->functions, name)) {
    diag_help(d, "`%s` is a function: write its arguments in parentheses", name);
  } else if (near && strcasecmp(near, name) == 0) {
    diag_mean(d, near);
  } else if (meant) {
    diag_help(d, "%s", meant);
  } else if (near) {
    diag_mean(d, near);
  } else if (env->scope && env->scope->model && is_of_a_law(&env->scope->model->list2, name)) {
    diag_help(d, "a relation names it: multiplier %s;", name);
  } else if (env->declare && !strcmp(env->declare, "multiplier")) {
    diag_help(d, "declare it: multiplier %s; for what a law determines, or param %s = 1;", name, name);
  } else if (env->declare && !strcmp(env->declare, "body")) {
    diag_help(d, "declare it: body %s { shape = sphere(0.1), density = 1000 }, or body %s { fixed, shape = halfspace }",
              name, name);
  } else if (env->declare && !strcmp(env->declare, "node")) {
    diag_help(d, "declare it, for example: node %s : V; or node %s : V = 0; where the potential is held", name, name);
  } else if (env->declare) {
    diag_help(d, "declare it, for example: %s %s = %s;", env->declare, name,
              strchr("opv", *env->declare) ? "..." : "0");
  } else {
    diag_help(d, "declare it, for example: param %s = 1;", name);
  }
  vec_free(&names);
}

// What `owner` has, for a help: all parts of a body and of a small model, else the outputs. NULL: too much to tell.
static const char *list_of_parts(const Scope *s, const char *owner) {
  Text t = {0};
  size_t all = map_size(s->names), n = 0;
  for (size_t i = 0; i < all; i++) {
    const Symbol *y = map_value_at(s->names, i);
    if (s->model && all > 6 && y->kind != SY_OUTPUT) continue;
    text_printf(&t, "%s%s.%s", n++ ? ", " : "", owner, (const char *)map_key_at(s->names, i));
  }
  if (!s->model) text_printf(&t, ", %s.point(a), %s.vector(e), %s.velocity(x)", owner, owner, owner);
  const char *reported = n && n <= 12 ? arena_printf(s->e->a, "it has %s", text_str(&t)) : NULL;
  text_free(&t);
  return reported;
}

void unknown_member(const Scope *s, const char *owner, const char *name, Span at) {
  Names names = {0};
  add_keys(&names, s->names);
  Diag *d = diag(s->e->bag, DIAG_E0201, at, "`%s` has no `%s`", owner, name);
  if (!s->model) diag_label(d, "a body has no such part");
  else diag_label(d, "not declared in model %s", s->model->name);
  if (s->model && s->model->name_span.file) diag_also(d, s->model->name_span, "the model of `%s`", owner);
  bool planar = map_get(s->names, intern(s->e->in, "angle"));
  const char *meant = s->model ? NULL : body_part_meant(s->e->a, owner, planar, name);
  const char *near = suggest(name, names.at, names.n), *parts;
  if (meant) diag_help(d, "%s", meant);
  else if (near) {
    diag_help(d, "did you mean `%s.%s`?", owner, near);
    diag_edit(d, at, "%s", near);
  }
  else if ((parts = list_of_parts(s, owner))) diag_help(d, "%s", parts);
  vec_free(&names);
}
