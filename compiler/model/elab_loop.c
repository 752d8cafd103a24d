// Loops: the environment of the items inside, with the index and the `var`s of the block. Rows count their directions
// before the loop is read (elab_contact.c), so what is inside is made once, when it is first asked for; the `var`s get
// their values on demand, and all of them when the loop is read.
#include "elab.h"

void declare_local_vars(Env *env, AstList items) {
  Vec(Symbol *) fresh = {0};
  for (int i = 0; i < items.n; i++) {
    if (items.at[i]->kind != AST_VAR) continue;
    for (int k = 0; k < items.at[i]->list.n; k++) {
      const Ast *d = items.at[i]->list.at[k];
      warn_shadow(env, d->name, d->name_span);
      Symbol *y = ARENA_NEW(env->e->a, Symbol);
      *y = (Symbol){.kind = SY_VAR, .name = d->name, .span = d->name_span, .decl = d, .id = -1};
      *env = env_with(*env, &(Local){.kind = L_SYMBOL, .name = d->name, .span = d->name_span, .symbol = y});
      vec_push(&fresh, y);
      vec_push(&env->e->symbols, y);
    }
  }
  for (size_t i = 0; i < fresh.n; i++) fresh.at[i]->env = *env;
  vec_free(&fresh);
}

static bool enter(Env env, const Ast *x, Env *in) {
  MExpr *lo, *hi;
  if (!elab_range(&env, x->a, true, "the range of a loop", &lo, &hi)) return false;
  if (env.ctx.n >= MAX_LOOPS) {
    not_supported(&env, DIAG_E0703, x->span, "loops nested this deep", "use at most eight levels");
    return false;
  }
  warn_shadow(&env, x->name, x->name_span);
  *in = env_loop(env, x->name, x->name_span, lo, hi, x->a->span);
  declare_local_vars(in, x->list2);
  return true;
}

bool loop_inside(Env env, const Ast *x, Env *in) {
  Scope *s = env.scope;
  if (!s->inside) s->inside = map_new(env.e->a);
  Env *known = map_get(s->inside, x);
  if (!known) {
    known = ARENA_NEW(env.e->a, Env);
    if (!enter(env, x, known)) known->e = NULL;                    // bad, said once
    map_put(s->inside, x, known);
  }
  *in = *known;
  return known->e != NULL;
}

void force_local_vars(const Env *in, AstList items) {
  for (int i = 0; i < items.n; i++) {
    if (items.at[i]->kind != AST_VAR) continue;
    for (int k = 0; k < items.at[i]->list.n; k++)
      for (const Local *l = in->local; l; l = l->next)
        if (l->kind == L_SYMBOL && l->symbol->decl == items.at[i]->list.at[k]) (void)symbol_force(l->symbol);
  }
}
