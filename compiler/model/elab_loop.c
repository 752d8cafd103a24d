// Loops: the environment of the items inside, with the index and the `var`s of the block. Rows count their directions
// before the loop is read (elab_contact.c), so what is inside is made once, when it is first asked for; the `var`s get
// their values on demand, and all of them when the loop is read.
//
// Choices, if c { items } else { items }: which items a model has. It is decided once for each instance, when the model
// is compiled, and what is not taken costs nothing: it is never read. Names of the items taken belong to the model, as
// those outside do. The condition is made of given(f), numbers and parameters, which are structural then.
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

bool fors_inside(Symbol *y, Env *env) {
  for (int i = 0; i < y->nfors; i++)
    if (!loop_inside(*env, y->fors[i], env)) return false;
  y->ctx = env->ctx;
  return true;
}

void force_local_vars(const Env *in, AstList items) {
  for (int i = 0; i < items.n; i++) {
    if (items.at[i]->kind != AST_VAR) continue;
    for (int k = 0; k < items.at[i]->list.n; k++)
      for (const Local *l = in->local; l; l = l->next)
        if (l->kind == L_SYMBOL && l->symbol->decl == items.at[i]->list.at[k]) (void)symbol_force(l->symbol);
  }
}

// --- choices ---

static const Ast nothing = { .kind = AST_ELSE };           // no part of it is taken

static bool in_loop(const Env *env, const Ast *x) {
  if (env->ctx.n == env->scope->ctx.n) return false;
  Diag *d = diag(env->e->bag, DIAG_E0119, x->a->span, "items under an `if` cannot stand inside a `for`");
  diag_label(d, "decided once, when the model is compiled");
  diag_help(d, "put the `for` inside of the `if`, or let its range say it, as for %s in 2:n { ... }; for a value write "
               "x = if c then a else b", env->ctx.loop[env->ctx.n - 1].name);
  return true;
}

// -1: bad, reported.
static int holds(const Env *env, const Ast *x) {
  double value, loop[MAX_LOOPS] = { 0 };
  Value c = elab_condition(env, x);
  if (c.bad) return -1;
  if (!(c.at[0]->uses & ~(unsigned)MU_PARAM) && try_eval(env->e, c.at[0], true, loop, 0, &value)) return value != 0;
  Diag *d = diag(env->e->bag, DIAG_E0609, x->span, "whether these items are there must be known when compiling");
  diag_label(d, c.at[0]->uses & MU_LOOP ? "differs within the family"
                : c.at[0]->uses & ~(unsigned)MU_PARAM ? "changes during the run" : "has no value yet");
  diag_help(d, "an `if` on what changes chooses a value: x' = if %s then a else b;", inner_text(env, x->span));
  return -1;
}

static const Ast *choose(const Env *env, const Ast *x) {
  for (; x && x->kind == AST_IF; x = x->b) {
    int yes = holds(env, x->a);
    if (yes < 0) return &nothing;
    if (yes) return x;
  }
  return x ? x : &nothing;
}

AstList chosen_items(Env env, const Ast *x) {
  Scope *s = env.scope;
  if (!s->chosen) s->chosen = map_new(env.e->a);
  const Ast *part = map_get(s->chosen, x);
  if (!part) {
    part = in_loop(&env, x) ? &nothing : choose(&env, x);
    map_put(s->chosen, x, (void *)part);
  }
  return part->list2;
}

// Is there an item of which `is` holds, in whatever part of an `if`?
bool some_item(AstList items, bool (*is)(const Ast *, const void *), const void *ctx) {
  for (int i = 0; i < items.n; i++) {
    if (is(items.at[i], ctx)) return true;
    for (const Ast *part = items.at[i]; part && (part->kind == AST_IF || part->kind == AST_ELSE); part = part->b)
      if (some_item(part->list2, is, ctx)) return true;
  }
  return false;
}
