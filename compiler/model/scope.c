// Names: what a scope declares, what an expression sees, and what to say about a name that nobody declared.
#include <string.h>
#include <strings.h>

#include "../base/suggest.h"
#include "elab.h"

typedef Vec(const char *) Names;

const char *prefixed(Elab *e, const char *prefix, const char *name) {
  return *prefix ? arena_printf(e->a, "%s%s", prefix, name) : name;
}

Symbol *scope_find(const Scope *s, const char *name) { return map_get(s->names, name); }

const Local *local_find(const Env *env, const char *name) {
  for (const Local *l = env->local; l; l = l->next)
    if (l->name == name) return l;
  return NULL;
}

// --- environments ---

Env env_of(Scope *s) { return (Env){.e = s->e, .scope = s, .ctx = s->ctx}; }

Env env_with(Env env, const Local *l) {
  Local *kept = ARENA_NEW(env.e->a, Local);
  *kept = *l;
  kept->next = env.local;
  env.local = kept;
  return env;
}

Env env_loop(Env env, const char *name, Span at, MExpr *lo, MExpr *hi, Span range) {
  int n = env.ctx.n;
  MLoop *loop = ARENA_ARRAY(env.e->a, MLoop, n + 1);
  if (n) memcpy(loop, env.ctx.loop, sizeof *loop * (size_t)n);
  loop[n] = (MLoop){.name = name, .lo = lo, .hi = hi, .span = range};
  env.ctx = (MContext){.n = n + 1, .loop = loop};
  return env_with(env, &(Local){.kind = L_LOOP, .name = name, .span = at, .loop = n});
}

Env env_elements(Env env, const Ast *decl, MExpr *const *size) {
  if (decl->list.n) env.array = decl;
  for (int k = 0; k < decl->list2.n; k++) {
    const Ast *i = decl->list2.at[k];
    warn_shadow(&env, i->name, i->name_span);
    env = env_loop(env, i->name, i->name_span, mx_num(env.e->a, 1, i->span), size[k], i->a->span);
  }
  return env;
}

// --- declaring ---

static bool is_reserved(const Elab *e, const char *name) {
  return name == e->word.time || name == e->word.pi || name == e->word.inf;
}

Symbol *scope_add(Scope *s, SymbolKind k, const char *name, Span at, const Ast *decl, Env env) {
  Elab *e = s->e;
  if (!name) return NULL;
  Symbol *old = scope_find(s, name);
  if (is_reserved(e, name)) {
    if (!old) {   // no more messages about its uses
      Symbol *y = ARENA_NEW(e->a, Symbol);
      *y = (Symbol){.kind = SY_REFUSED, .progress = FAILED, .name = name, .span = at, .decl = decl, .env = env,
                    .id = -1};
      map_put(s->names, name, y);
    }
    Diag *d = diag(e->bag, DIAG_E0218, at, "`%s` is a name of the language and cannot be declared", name);
    diag_label(d, name == e->word.time ? "always the time t" : "a constant");
    diag_help(d, "choose another name, for example `%s_0`", name);
    return NULL;
  }
  if (old) {
    Diag *d = diag(e->bag, DIAG_E0202, at, "`%s` is declared twice", name);
    diag_label(d, "declared again here");
    diag_also(d, old->span, "first declared here");
    diag_help(d, "give one of them another name");
    old->kind = SY_REFUSED;   // which one is meant is unclear: no more messages about its uses
    old->progress = FAILED;
    return NULL;
  }
  Symbol *y = ARENA_NEW(e->a, Symbol);
  *y = (Symbol){.kind = k, .name = name, .span = at, .decl = decl, .env = env, .id = -1};
  map_put(s->names, name, y);
  vec_push(&e->symbols, y);
  return y;
}

void warn_shadow(const Env *env, const char *name, Span at) {
  const Local *l = local_find(env, name);
  const Symbol *y = env->scope ? scope_find(env->scope, name) : NULL;
  if (!l && !y) return;
  Span first = l ? l->span : y->span;
  Diag *d = diag(env->e->bag, DIAG_W0802, at, "`%s` hides another `%s`", name, name);
  diag_label(d, "inside, the name means this");
  diag_also(d, first, "hidden there");
  diag_help(d, "give the inner one another name");
}

// --- unknown ---

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
  } else if (env->declare) {
    diag_help(d, "declare it, for example: %s %s = %s;", env->declare, name,
              strchr("opv", *env->declare) ? "..." : "0");
  } else {
    diag_help(d, "declare it, for example: param %s = 1;", name);
  }
  vec_free(&names);
}

void unknown_member(const Scope *s, const char *owner, const char *name, Span at) {
  Names names = {0};
  add_keys(&names, s->names);
  Diag *d = diag(s->e->bag, DIAG_E0201, at, "`%s` has no `%s`", owner, name);
  if (!s->model) diag_label(d, "a body has no such part");
  else diag_label(d, "not declared in model %s", s->model->name);
  if (s->model && s->model->name_span.file) diag_also(d, s->model->name_span, "the model of `%s`", owner);
  const char *near = suggest(name, names.at, names.n);
  if (near) diag_help(d, "did you mean `%s.%s`?", owner, near);
  else if (names.n && names.n <= 6) {
    Text t = {0};
    for (size_t i = 0; i < names.n; i++) text_printf(&t, "%s%s.%s", i ? ", " : "", owner, names.at[i]);
    diag_help(d, "it has %s", text_str(&t));
    text_free(&t);
  }
  vec_free(&names);
}
