// Newton's law written as an equation, m*x'' = -k*x: refused, with the two lines that say it of a coordinate. The terms
// of both sides are collected as M x'' = F: kinetic M*x'^2/2; force x = F;
#include <string.h>
#include "elab.h"

enum { MOST_TERMS = 16 };
typedef struct Term { const Ast *x; bool minus, opens; } Term;   // opens: with a minus of its own, -c*x, counted
typedef struct Terms { int n; Term at[MOST_TERMS]; } Terms;

static const Ast *bare(const Ast *x) {
  while (x->kind == AST_PAREN) x = x->a;
  return x;
}

// The terms of a sum, each with its sign. False: too many.
static bool add_terms(Terms *t, const Ast *x, bool minus) {
  const Ast *in = x->kind == AST_PAREN && bare(x)->kind != AST_COND ? bare(x) : x;
  if (in->kind == AST_BINARY && (in->op == AO_ADD || in->op == AO_SUB))
    return add_terms(t, in->a, minus) && add_terms(t, in->b, minus != (in->op == AO_SUB));
  if (in->kind == AST_UNARY && in->op == AO_NEG) return add_terms(t, in->a, !minus);
  if (in->kind == AST_NUMBER && in->number == 0) return true;
  if (t->n == MOST_TERMS) return false;
  const Ast *first = in;
  while (first->kind == AST_BINARY && (first->op == AO_MUL || first->op == AO_DIV)) first = first->a;
  bool negative = first->kind == AST_UNARY && first->op == AO_NEG;
  t->at[t->n++] = (Term){ in, minus != negative, negative };
  return true;
}

// Without its sign.
static const char *text_of(const Env *env, const Term *t) {
  const char *text = ast_text(env->e, t->x);
  return t->opens ? text + 1 + strspn(text + 1, " ") : text;
}

// The factors of a product, of which the first may have a minus.
static bool add_factors(Terms *t, const Ast *x) {
  if (x->kind == AST_BINARY && x->op == AO_MUL) return add_factors(t, x->a) && add_factors(t, x->b);
  if (t->n == MOST_TERMS) return false;
  bool negative = t->n == 0 && x->kind == AST_UNARY && x->op == AO_NEG;
  t->at[t->n++] = (Term){ negative ? x->a : x, false, false };
  return true;
}

// x of x'', where it is a coordinate of this model.
static const Ast *accelerated(const Env *env, const Ast *x) {
  x = bare(x);
  if (x->kind != AST_PRIME || bare(x->a)->kind != AST_PRIME) return NULL;
  const Ast *of = bare(bare(x->a)->a), *name = of->kind == AST_INDEX ? of->a : of;
  const Symbol *y = name->kind == AST_NAME ? scope_find(env->scope, name->name) : NULL;
  return y && y->kind == SY_VARIABLE && y->var_kind == MV_COORD ? of : NULL;
}

typedef struct Law { const Ast *of, *at; const char *mass; bool minus; } Law;   // M x'', or -M x''

static bool inertia(const Env *env, const Term *term, Law *law) {
  Terms f = { 0 };
  if (!add_factors(&f, term->x)) return false;
  const char *mass = NULL;
  const Ast *of = NULL;
  for (int i = 0; i < f.n; i++) {
    const Ast *x = accelerated(env, f.at[i].x);
    if (x && !of) { of = x; law->at = f.at[i].x; continue; }
    const char *one = ast_text(env->e, f.at[i].x);
    mass = mass ? arena_printf(env->e->a, "%s*%s", mass, one) : one;
  }
  law->of = of;
  law->mass = mass;
  law->minus = term->minus;
  return of != NULL;
}

static const char *force(const Env *env, const Terms *t, int but, bool minus) {
  const char *sum = "";
  for (int i = 0; i < t->n; i++) {
    if (i == but) continue;
    bool negative = t->at[i].minus == minus;                // behind the other side's sign
    sum = arena_printf(env->e->a, "%s%s%s", sum, *sum ? negative ? " - " : " + " : negative ? "-" : "",
                       text_of(env, &t->at[i]));
  }
  return *sum ? sum : "0";
}

// K of F = -K x, a product of names and numbers: the force of a spring. NULL: another one.
static const char *stiffness(const Env *env, const Terms *t, int but, const Law *law) {
  if (t->n != 2 || t->at[1 - but].minus != law->minus) return NULL;
  Terms f = { 0 };
  if (!add_factors(&f, t->at[1 - but].x) || f.n < 2) return NULL;
  const char *k = NULL;
  for (int i = 0; i + 1 < f.n; i++) {
    const Ast *x = f.at[i].x;
    const Symbol *y = x->kind == AST_NAME ? scope_find(env->scope, x->name) : NULL;
    if (x->kind != AST_NUMBER && !(y && y->kind == SY_PARAM)) return NULL;
    k = k ? arena_printf(env->e->a, "%s*%s", k, ast_text(env->e, x)) : ast_text(env->e, x);
  }
  return strcmp(ast_text(env->e, f.at[f.n - 1].x), ast_text(env->e, law->of)) ? NULL : k;
}

bool newtons_law(const Env *env, const Ast *x) {
  Terms t = { 0 };
  Law law = { 0 };
  int but = -1;
  if (!add_terms(&t, x->a, false) || !add_terms(&t, x->b, true)) return false;
  for (int i = 0; i < t.n && but < 0; i++) if (inertia(env, &t.at[i], &law)) but = i;
  if (but < 0) return false;
  const char *name = ast_text(env->e, law.of), *f = force(env, &t, but, law.minus),
             *k = law.mass ? stiffness(env, &t, but, &law) : NULL;
  Diag *d = diag(env->e->bag, DIAG_E0222, law.at->span, "accelerations cannot be written");
  diag_label(d, "no time derivative");
  diag_note(d, "the motion of a coordinate follows from its energies and forces");
  if (k) diag_note(d, "the potential of this force, in its place, is in the balance of energy: potential %s*%s^2/2;", k,
                   name);
  if (law.mass) diag_help(d, "kinetic %s*%s'^2/2; force %s = %s;", law.mass, name, name, f);
  else diag_help(d, "with its mass m: kinetic m*%s'^2/2; force %s = m*(%s);", name, name, f);
  return true;
}
