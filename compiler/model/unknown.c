// Names that nothing declares: what is near them, what they mean elsewhere, where they are declared.
#include <string.h>
#include <strings.h>

#include "../base/suggest.h"
#include "elab_body.h"

typedef Vec(const char *) Names;

static void add_keys(Names *out, const Map *m) {
  for (size_t i = 0; m && i < map_size(m); i++) vec_push(out, (const char *)map_key_at(m, i));
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
    diag_help(d, "did you mean `%s`?", near);
  } else if (meant) {
    diag_help(d, "%s", meant);
  } else if (near) {
    diag_help(d, "did you mean `%s`?", near);
  } else if (env->declare && !strcmp(env->declare, "multiplier")) {
    diag_help(d, "declare it: multiplier %s; for what a law determines, or param %s = 1;", name, name);
  } else if (env->declare && !strcmp(env->declare, "body")) {
    diag_help(d, "declare it: body %s { shape = sphere(0.1), density = 1000 }, or body %s { fixed, shape = halfspace }",
              name, name);
  } else if (env->declare) {
    diag_help(d, "declare it, for example: %s %s = %s;", env->declare, name,
              strchr("opv", *env->declare) ? "..." : "0");
  } else {
    diag_help(d, "declare it, for example: param %s = 1;", name);
  }
  vec_free(&names);
}

// What other programs say of a body, and names that a body in space has and a planar one lacks.
static const char *meant_of_body(const Body *b, const char *name) {
  static const struct { const char *names, *planar, *space; } meant[] = {
    { "angle theta phi", NULL, "an angle is of planar bodies; a Hinge has one in space: hinge.angle" },
    { "q quaternion orientation", "a planar body has an angle: b.angle", "the unit quaternion is b.q, the matrix b.R" },
    { "shape", "bodies that touch: contact c { between = a, b; with newton(0.5); }",
      "bodies that touch: contact c { between = a, b; with newton(0.5); }" },
    { "position pos x p", "its centre of mass is b.r, with b.r[1], b.r[2]",
      "its centre of mass is b.r, with b.r[1] to b.r[3]" },
    { "v vel", "its velocity is b.r', with b.r[1]'", "its velocity is b.r', with b.r[1]'" },
    { "w angularvelocity angular_velocity", "its angular velocity is b.omega",
      "its angular velocity is b.omega in world axes, b.spin in body axes" },
    { "m", "its mass is b.mass", "its mass is b.mass" },
    { "J I", "its inertia is b.inertia", "its inertia is b.inertia" },
    { "y", "its height is b.r[2]", "its second coordinate is b.r[2]" }, { "z", NULL, "its height is b.r[3]" },
    { "attitude rotation", "a planar body has an angle: b.angle",
      "its attitude is the matrix b.R, or the quaternion b.q" }
  };
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
    for (const char *at = meant[i].names; *at;) {
      size_t k = strcspn(at, " ");
      if (k == n && !memcmp(at, name, n)) return b->planar ? meant[i].planar : meant[i].space;
      at += k + (at[k] == ' ');
    }
  return NULL;
}

void unknown_member(const Scope *s, const char *owner, const char *name, Span at) {
  Names names = {0};
  add_keys(&names, s->names);
  Diag *d = diag(s->e->bag, DIAG_E0201, at, "`%s` has no `%s`", owner, name);
  const char *of_body = s->body ? meant_of_body(s->body, name) : NULL;
  if (!s->model) diag_label(d, "a body has no such part");
  else diag_label(d, "not declared in model %s", s->model->name);
  if (s->model && s->model->name_span.file) diag_also(d, s->model->name_span, "the model of `%s`", owner);
  const char *near = suggest(name, names.at, names.n);
  if (of_body) diag_help(d, "%s", of_body);
  else if (near) diag_help(d, "did you mean `%s.%s`?", owner, near);
  else if (names.n && names.n <= 6) {
    Text t = {0};
    for (size_t i = 0; i < names.n; i++) text_printf(&t, "%s%s.%s", i ? ", " : "", owner, names.at[i]);
    diag_help(d, "it has %s", text_str(&t));
    text_free(&t);
  }
  vec_free(&names);
}
