// Items that are well formed and mean something else in other languages, or nothing here: looked at before names are
// resolved, so that each mistake is said once, in the words of the item that was written.
#include <string.h>

#include "../syntax/foreign_words.h"
#include "elab.h"

static const char *text(Elab *e, const Ast *n) { return ast_text(e, n); }

static bool is_number(const Ast *n, double x) { return n->kind == AST_NUMBER && n->number == x && !n->unit; }

static bool is_derivative_name(const char *name) {
  static const char *const names[] = { "der", "ddt", "diff", "ddot", "D", "derivative", "Dt", "dt", "deriv" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i])) return true;
  return false;
}

// --- equations ---

// d x/d t, as a quotient of two names.
static const char *differentiated(const Ast *n) {
  if (n->kind != AST_BINARY || n->op != AO_DIV || n->a->kind != AST_NAME || n->b->kind != AST_NAME) return NULL;
  return n->a->name[0] == 'd' && n->a->name[1] && !strcmp(n->b->name, "dt") ? n->a->name + 1 : NULL;
}

static bool all_named(const Ast *call) {
  for (int k = 0; k < call->list.n; k++)
    if (call->list.at[k]->kind != AST_ARG) return false;
  return call->list.n > 0;
}

static bool all_names(const Ast *call) {
  for (int k = 0; k < call->list.n; k++)
    if (call->list.at[k]->kind != AST_NAME) return false;
  return call->list.n > 0;
}

// `looped`: inside of a for.
static bool foreign_equation(Elab *e, const Ast *left, const Ast *right, bool looped) {
  Diag *d = NULL;
  const char *of = differentiated(left);
  if (of) {
    d = diag(e->bag, DIAG_E0121, left->span, "the time derivative is the mark '");
    diag_help(d, "%s' = %s;", of, text(e, right));
  } else if (left->kind == AST_CALL && left->list.n > 0 && is_derivative_name(left->name)) {
    d = diag(e->bag, DIAG_E0121, left->span, "the time derivative is the mark '");
    diag_help(d, "%s' = %s;", text(e, left->list.at[0]), text(e, right));
  } else if (left->kind == AST_CALL && left->list.n == 1 && is_number(left->list.at[0], 0)) {
    d = diag(e->bag, DIAG_E0121, left->span, "the value at the start stands in the declaration");
    diag_help(d, "state %s = %s; or coord %s = %s;", left->name, text(e, right), left->name, text(e, right));
  } else if (left->kind == AST_CALL && all_names(left) && looped) {
    d = diag(e->bag, DIAG_E0121, left->span, "an element has its index in brackets");
    diag_help(d, "%s[%s]", left->name, text(e, left->list.at[0]));
  } else if (left->kind == AST_CALL && all_names(left)) {
    d = diag(e->bag, DIAG_E0121, left->span, "functions are declared at file level");
    diag_help(d, "function %s = %s;", text(e, left), text(e, right));
  } else if (left->kind == AST_NAME && right->kind == AST_CALL && all_named(right) &&
             map_get(e->models, right->name)) {
    d = diag(e->bag, DIAG_E0121, span_join(left->span, right->name_span),
                "an instance reads: MODEL NAME(arguments)");
    diag_help(d, "%s %s%s;", right->name, left->name, text(e, right) + strlen(right->name));
  }
  return d != NULL;
}

// --- a model as a whole ---

static bool has_prime(const Ast *n) {
  if (!n) return false;
  if (n->kind == AST_PRIME || has_prime(n->a) || has_prime(n->b) || has_prime(n->c)) return true;
  for (int k = 0; k < n->list.n; k++)
    if (has_prime(n->list.at[k])) return true;
  return false;
}

// The declaration of a name among the items, and the item it stands in.
static const Ast *declaration(AstList items, const char *name, const Ast **item) {
  for (int k = 0; k < items.n; k++) {
    const Ast *n = items.at[k];
    *item = n;
    if (n->kind >= AST_PARAM && n->kind <= AST_VAR)
      for (int j = 0; j < n->list.n; j++)
        if (n->list.at[j]->name == name) return n->list.at[j];
    if (n->name == name && n->kind != AST_FOR) return n;
  }
  return NULL;
}

typedef struct { Elab *e; AstList formals, items; } Known;

// Is the name declared outside of the model, by its formals or at file level?
static bool declared_outside(const Known *in, const char *name) {
  for (int k = 0; k < in->formals.n; k++)
    if (in->formals.at[k]->name == name) return true;
  return scope_find(in->e->globals, name) != NULL;
}

static const Ast *equation_of(AstList items, const char *name) {
  for (int k = 0; k < items.n; k++)
    if (items.at[k]->kind == AST_EQUATION && items.at[k]->a->kind == AST_NAME && items.at[k]->a->name == name)
      return items.at[k];
  return NULL;
}

static bool a_force(const char *name) {
  static const char *const names[] = { "Fext", "F_ext", "fext", "FExt", "force" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) if (!strcmp(names[i], name)) return true;
  return false;
}

// xdot, x_dot, dx, dxdt: the name of what is meant, if that is declared.
static const char *derivative_of(Elab *e, AstList items, const char *name) {
  size_t n = strlen(name);
  const char *inner = NULL;
  const Ast *item;
  if (n > 4 && !strcmp(name + n - 4, "_dot")) inner = intern_n(e->in, name, n - 4);
  else if (n > 3 && !strcmp(name + n - 3, "dot")) inner = intern_n(e->in, name, n - 3);
  else if (n > 3 && name[0] == 'd' && !strcmp(name + n - 2, "dt")) inner = intern_n(e->in, name + 1, n - 3);
  else if (n > 1 && name[0] == 'd') inner = intern_n(e->in, name + 1, n - 1);
  return inner && declaration(items, inner, &item) ? inner : NULL;
}

// y = x^2: an equation that gives a quantity and no derivative.
static void given_by_equation(const Known *in, const Ast *x) {
  Elab *e = in->e;
  const char *name = x->a->name;
  const Ast *item, *decl = declaration(in->items, name, &item);
  static const struct { AstKind kind; const char *word, *what; } kinds[] = {
    { AST_VAR, "var", "a var has its value in the declaration" },
    { AST_OUTPUT, "output", "an output has its value in the declaration" },
    { AST_PARAM, "param", "a parameter has its value in the declaration" },
  };
  for (size_t k = 0; decl && k < sizeof kinds / sizeof *kinds; k++) {
    if (item->kind != kinds[k].kind || decl->a) continue;
    Diag *d = diag(e->bag, DIAG_E0122, decl->name_span, "%s", kinds[k].what);
    diag_also(d, x->span, "given here");
    diag_help(d, "%s %s = %s;", kinds[k].word, name, text(e, x->b));
    return;
  }
  bool startless = decl && !decl->a && (item->kind == AST_STATE || item->kind == AST_COORD) && x->b->kind == AST_NUMBER;
  if (startless) {
    Diag *d = diag(e->bag, DIAG_E0122, decl->name_span, "the value at the start stands in the declaration");
    diag_also(d, x->span, "given here");
    diag_help(d, "%s %s = %s;", item->kind == AST_STATE ? "state" : "coord", name, text(e, x->b));
  } else if (!decl && !declared_outside(in, name)) {
    Diag *d = diag(e->bag, DIAG_E0122, x->a->span, "`%s` is not declared, and an equation gives derivatives", name);
    const char *of = derivative_of(e, in->items, name);
    if (of) diag_help(d, "the derivative of %s is %s': %s' = %s;", of, of, of, text(e, x->b));
    else if (!strcmp(name, "gravity")) diag_help(d, "gravity %s; an item without '='", text(e, x->b));
    else if (a_force(name)) diag_help(d, "a force names what it acts on: force q = %s;", text(e, x->b));
    else diag_help(d, "for an abbreviation: var %s = %s;", name, text(e, x->b));
  }
}

static void valueless(const Known *in, const Ast *item) {
  Elab *e = in->e;
  bool var = item->kind == AST_VAR;
  for (int k = 0; k < item->list.n; k++) {
    const Ast *n = item->list.at[k], *other;
    if (n->a || n->kind != AST_DECL || equation_of(in->items, n->name)) continue;
    Diag *d = diag(e->bag, DIAG_E0122, n->name_span, var ? "a var needs its value" : "an output needs its value");
    const Ast *twice = declaration(in->items, n->name, &other);
    if (!var && twice && twice != n) {
      diag_note(d, "states, coordinates and multipliers are recorded in any case; --record chooses columns");
      diag_help(d, "leave it out, or give it a name of its own: output %s_2 = 2*%s;", n->name, n->name);
    } else {
      diag_help(d, "%s %s = ...;", var ? "var" : "output", n->name);
    }
  }
}

static bool names_declared(const Known *in, const Ast *n) {
  const Ast *item;
  if (n->kind == AST_NAME) return declaration(in->items, n->name, &item) || declared_outside(in, n->name);
  return (n->a && names_declared(in, n->a)) || (n->b && names_declared(in, n->b));
}

// x[k+1] = x[k] - 1: an equation between steps. `x` has no size.
static bool between_steps(const Known *in, const Ast *x) {
  const Ast *left = x->a, *item;
  if (left->kind != AST_INDEX || left->a->kind != AST_NAME || left->list.n != 1) return false;
  const Ast *decl = declaration(in->items, left->a->name, &item), *i = left->list.at[0];
  if (!decl || decl->list.n || decl->kind != AST_DECL || names_declared(in, i) || i->kind == AST_NUMBER) return false;
  Diag *d = diag(in->e->bag, DIAG_E0122, left->span,
                 "the steps of a run are not numbered: equations hold at all times");
  if (item->kind == AST_DISCRETE) diag_help(d, "every 1 [ms] { %s = ...; } with %s on the right for its value before",
                                            left->a->name, left->a->name);
  else diag_help(d, "a quantity that changes in time: %s' = ...;", left->a->name);
  return true;
}

// param k [N/m] = 3
static bool unit_for_size(const Known *in, const Ast *n) {
  if (n->list.n != 1) return false;
  const Ast *size = n->list.at[0];
  if (size->kind == AST_NUMBER || names_declared(in, size) || !looks_like_unit(text(in->e, size))) return false;
  Diag *d = diag(in->e->bag, DIAG_E0121, size->span, "brackets behind a name hold a size, and this is a unit");
  diag_help(d, "%s : %s%s%s", n->name, text(in->e, size), n->a ? " = " : "", n->a ? text(in->e, n->a) : "");
  return true;
}

// param w = [rad/s]
static bool unit_without_number(const Known *in, const Ast *n) {
  const Ast *list = n->a && n->a->kind == AST_UNARY ? n->a->a : n->a;
  if (!list || list->kind != AST_VECTOR || list->list.n != 1 || list->unit) return false;
  const Ast *unit = list->list.at[0];
  if (unit->kind == AST_NUMBER || names_declared(in, unit) || !looks_like_unit(text(in->e, unit))) return false;
  Diag *d = diag(in->e->bag, DIAG_E0121, n->a->span, "a unit stands behind a number");
  diag_help(d, "%s = 1 [%s]", n->name, text(in->e, unit));
  return true;
}

// What a declaration of this kind cannot have, and what it hardly means.
static void check_declared(const Known *in, AstKind kind, const Ast *n) {
  Elab *e = in->e;
  if (unit_for_size(in, n) || unit_without_number(in, n)) return;
  if (kind == AST_STATE && n->primes) {
    Diag *d = diag(e->bag, DIAG_E0122, n->name_span, "the derivative of a state is given by an equation");
    diag_help(d, "state %s = 0;  %s' = %s;", n->name, n->name, n->a ? text(e, n->a) : "...");
  }
  if (kind == AST_MULTIPLIER && n->a) {
    Diag *d = diag(e->bag, DIAG_W0840, n->a->span, "a multiplier has no value of its own");
    diag_label(d, "this is not used");
    diag_help(d, "its law determines it: multiplier %s;", n->name);
  }
  if (n->doc && !n->unit && n->a && n->a->kind == AST_NUMBER && !n->a->unit && looks_like_unit(n->doc)) {
    Diag *d = diag(e->bag, DIAG_W0841, n->span, "a text in quotes is documentation, not a unit");
    diag_help(d, "%s = %s [%s]", n->name, text(e, n->a), n->doc);
  }
}

static void check_items(const Known *in, AstList items, bool looped) {
  for (int k = 0; k < items.n; k++) {
    const Ast *n = items.at[k];
    bool declares = n->kind >= AST_PARAM && n->kind <= AST_VAR;
    if (n->kind == AST_FOR) check_items(in, n->list2, true);
    for (const Ast *part = n; part && (part->kind == AST_IF || part->kind == AST_ELSE); part = part->b)
      check_items(in, part->list2, looped);
    if (n->kind == AST_EQUATION && !foreign_equation(in->e, n->a, n->b, looped) && (looped || !between_steps(in, n)) &&
        n->a->kind == AST_NAME && !has_prime(n->b))
      given_by_equation(in, n);
    if (n->kind == AST_VAR || n->kind == AST_OUTPUT) valueless(in, n);
    for (int j = 0; declares && j < n->list.n; j++) check_declared(in, n->kind, n->list.at[j]);
  }
}

void check_forms(Elab *e) {
  for (size_t i = 0; i < map_size(e->models); i++) {
    const Ast *m = map_value_at(e->models, i);
    check_items(&(Known){e, m->list, m->list2}, m->list2, false);
  }
}
