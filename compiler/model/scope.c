// Names: what a scope declares, what an expression sees.
#include <string.h>

#include "elab.h"

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

const Ast *named_arg(AstList list, const char *name) {
  for (int i = 0; i < list.n; i++)
    if (list.at[i]->kind == AST_ARG && list.at[i]->name == name) return list.at[i];
  return NULL;
}
