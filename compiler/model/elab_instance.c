// Instances and families of instances: a fresh scope in which the formals stand for the arguments. Families stay
// families: the loops of the instance are the outer loops of everything inside it.
#define _GNU_SOURCE                                     // strcasestr
#include <string.h>

#include "../base/library.h"
#include "../base/suggest.h"
#include "../syntax/foreign_words.h"
#include "elab_body.h"

typedef Vec(const char *) Names;

static void say_names(Diag *d, const char *before, const char *const *name, size_t n) {
  Text t = {0};
  for (size_t i = 0; i < n; i++) text_printf(&t, "%s%s", i ? ", " : "", name[i]);
  diag_help(d, "%s%s", before, text_str(&t));
  text_free(&t);
}

// Keeps the names that contain a word of four letters or more (Source: VoltageSource, CurrentSource).
static bool names_with(const char *word, Names *names) {
  size_t kept = 0;
  for (size_t i = 0; strlen(word) >= 4 && i < names->n; i++)
    if (strcasestr(names->at[i], word)) names->at[kept++] = names->at[i];
  names->n = kept;
  return kept > 0;
}

static bool imports(const Elab *e, const SourceFile *by, const SourceFile *of) {
  for (size_t i = 0; i < e->imports.n; i++)
    if (e->imports.at[i].by == by && e->imports.at[i].of == of) return true;
  return false;
}

// Of models of one name in several imported files that of the file at hand is meant, or of the one that it imports;
// NULL where it imports several.
static const Ast *one_of_twins(Elab *e, const Ast *name, const Ast *first) {
  const Ast *found = NULL, *other = NULL;
  Twin last = { first, map_get(e->twins, name->name) };
  for (const Twin *t = &last; t; t = t->next) {
    const SourceFile *f = t->model->span.file;
    if (f == name->span.file) return t->model;
    if (!imports(e, name->span.file, f)) continue;
    other = found;
    found = t->model;
    if (other) break;
  }
  if (!other) return found ? found : first;
  Diag *d = diag(e->bag, DIAG_E0202, name->span, "two files that are imported here declare a model `%s`", name->name);
  diag_label(d, "which one is meant?");
  diag_also(d, other->name_span, "one is declared here");
  diag_also(d, found->name_span, "the other one here");
  diag_help(d, "import one of them in a file of your own, which has a model of another name with a `%s` in it",
            name->name);
  return NULL;
}

static const Ast *find_model(Symbol *y) {
  Elab *e = y->env.e;
  const Ast *name = y->decl->b;
  if (!name || !name->name) return NULL;
  const Ast *model = map_get(e->models, name->name);
  if (!model) {
    Names names = {0};
    for (size_t i = 0; i < map_size(e->models); i++) vec_push(&names, (const char *)map_key_at(e->models, i));
    Diag *d = diag(e->bag, DIAG_E0201, name->span, "unknown model `%s`", name->name);
    diag_label(d, "not declared");
    const char *near = suggest(name->name, names.at, names.n);
    const char *what, *help;
    if (foreign_word(name->name, &what, &help)) {
      diag_note(d, "%s", what);
      diag_help(d, "%s", help);
    } else if (near) diag_mean(d, near);
    else if (names_with(name->name, &names)) say_names(d, "there are ", names.at, names.n);
    else if (std_file_of(e, name->name)) {
      diag_help(d, "import \"std/%s\";", std_file_of(e, name->name));
      diag_edit(d, import_place(name->span.file), "import \"std/%s\";\n", std_file_of(e, name->name));
    }
    else diag_help(d, "declare it in this file, or import the file that does: import \"parts.nsm\";");
    vec_free(&names);
    return NULL;
  }
  if (map_get(e->twins, name->name) && !(model = one_of_twins(e, name, model))) return NULL;
  for (const Scope *s = y->env.scope; s; s = s->parent) {
    if (s->model != model) continue;
    Diag *d = diag(e->bag, DIAG_E0211, name->span, "model `%s` contains itself", model->name);
    diag_label(d, "a part of it is a `%s` again", model->name);
    diag_also(d, model->name_span, "declared here");
    diag_help(d, "for many parts of one kind declare a family: %s part[i in 1:n];", model->name);
    return NULL;
  }
  return model;
}

static bool declares_param(const Ast *x, const void *name) {
  if (x->kind != AST_PARAM && x->kind != AST_INPUT) return false;
  for (int k = 0; k < x->list.n; k++)
    if (x->list.at[k]->name == name) return true;
  return false;
}

static bool is_param_of(const Ast *model, const char *name) { return some_item(model->list2, declares_param, name); }

// Resistor r(a, b, 5 [ohm]);  all of them are said at once, with the names of their places.
static void without_names(const Symbol *y, const Ast *model, const Ast *first) {
  Elab *e = y->env.e;
  AstList given = y->decl->list2;
  Diag *d = diag(e->bag, DIAG_E0217, first->span, "the arguments of an instance are given by name");
  diag_also(d, model->name_span, "declared here");
  Text all = {0};
  for (int i = 0; i < given.n && i < model->list.n; i++)
    if (given.at[i]->kind == AST_ARG) text_printf(&all, "%s%s", i ? ", " : "", ast_text(e, given.at[i]));
    else text_printf(&all, "%s%s = %s", i ? ", " : "", model->list.at[i]->name, ast_text(e, given.at[i]));
  if (model->list.n) diag_help(d, "%s %s(%s);", model->name, y->name, text_str(&all));
  Span every = { first->span.file, given.at[0]->span.lo, given.at[given.n - 1]->span.hi };
  if (model->list.n) diag_edit(d, every, "%s", text_str(&all));
  text_free(&all);
}

// Every argument names a formal (or a parameter of the model), once; every formal without default has one.
static bool arguments_ok(Symbol *y, const Ast *model) {
  Elab *e = y->env.e;
  bool ok = true, complete = true;   // complete: what is not given by its name is missing
  for (int i = 0; i < y->decl->list2.n; i++) {
    const Ast *arg = y->decl->list2.at[i];
    if (arg->kind != AST_ARG) {
      if (complete) without_names(y, model, arg);
      complete = false;
      continue;
    }
    bool known = is_param_of(model, arg->name);
    for (int k = 0; k < model->list.n; k++) known = known || model->list.at[k]->name == arg->name;
    if (!known) {
      Vec(const char *) names = {0};
      for (int k = 0; k < model->list.n; k++) vec_push(&names, model->list.at[k]->name);
      Diag *d = diag(e->bag, DIAG_E0201, arg->name_span, "model `%s` has no argument `%s`", model->name, arg->name);
      diag_label(d, "not one of its formals");
      diag_also(d, model->name_span, "declared here");
      const char *near = suggest(arg->name, names.at, names.n);
      if (near) diag_mean(d, near);
      else if (names.n) say_names(d, "its formals are ", names.at, names.n);
      else diag_help(d, "add `%s` to the formals of model %s", arg->name, model->name);
      vec_free(&names);
      ok = complete = false;
    } else if (named_arg(y->decl->list2, arg->name) != arg) {
      Diag *d = diag(e->bag, DIAG_E0202, arg->name_span, "argument `%s` is given twice", arg->name);
      diag_label(d, "given again here");
      diag_also(d, named_arg(y->decl->list2, arg->name)->span, "first given here");
      ok = false;
    }
  }
  if (!complete) return false;
  for (int k = 0; k < model->list.n; k++) {
    const Ast *formal = model->list.at[k];
    if (formal->a || named_arg(y->decl->list2, formal->name)) continue;
    Diag *d = diag(e->bag, DIAG_E0217, y->span, "instance `%s` needs a value for `%s`", y->name, formal->name);
    diag_label(d, "argument missing");
    diag_also(d, formal->name_span, "a formal without default");
    diag_help(d, "%s %s(%s = ...);", model->name, y->name, formal->name);
    ok = false;
  }
  return ok;
}

bool instance_loops(Symbol *y, Env *env) {
  bool ok = true;
  for (int k = 0; k < y->decl->list.n; k++) {
    const Ast *x = y->decl->list.at[k];
    MExpr *lo, *hi;
    if (x->kind != AST_INDEXER || !elab_range(env, x->a, false, "the size of a family", &lo, &hi)) {
      ok = false;
      continue;
    }
    warn_shadow(env, x->name, x->name_span);
    *env = env_loop(*env, x->name, x->name_span, lo, hi, x->a->span);
  }
  if (env->ctx.n > MAX_LOOPS) {
    not_supported(env, DIAG_E0703, y->span, "families nested this deep", "use at most eight levels");
    ok = false;
  }
  return ok;
}

// --- bodies as arguments ---

static bool is_body_formal(const Ast *formal) { return formal->unit && !strcmp(formal->unit, "body"); }

// A = rod[1], B = rod[1]: what is between two bodies is not between one.
static bool different_bodies(const Symbol *instance, const Ast *a, const Ast *b) {
  Elab *e = instance->env.e;
  if (strcmp(ast_text(e, a->a), ast_text(e, b->a))) return true;
  Diag *d = diag(e->bag, DIAG_E0244, b->a->span, "`%s` joins `%s` to itself", instance->name, ast_text(e, b->a));
  diag_also(d, a->a->span, "the same body");
  diag_help(d, "%s and %s of `%s` are two bodies; what does not move is ground", a->name, b->name, instance->name);
  return false;
}

// A joint is in the plane or in space.
static bool one_dimension(const Symbol *instance, const Scope *a, const Scope *b, const Ast *given, const Ast *other) {
  if (a->body->planar == b->body->planar || !strcmp(ast_text(instance->env.e, other->a), "ground") ||
      !strcmp(ast_text(instance->env.e, given->a), "ground"))
    return true;
  Diag *d = diag(instance->env.e->bag, DIAG_E0244, given->a->span, "`%s` joins a planar body and one in space",
                 instance->name);
  diag_label(d, "this one is %s", b->body->planar ? "planar" : "in space");
  diag_also(d, other->a->span, "this one is %s", a->body->planar ? "planar" : "in space");
  diag_help(d, "a body is planar where its position has two numbers");
  return false;
}

static bool is_constraint(const Ast *x, const void *ctx) {
  (void)ctx;
  return x->kind == AST_CONSTRAINT;
}

// A constraint between two bodies that are told where they are holds nothing.
static bool one_of_them_moves(const Symbol *instance, const Scope *a, const Scope *b, const Ast *given,
                              const Ast *other) {
  Elab *e = instance->env.e;
  bool still[] = { a->body->fixed || a->body->driven, b->body->fixed || b->body->driven },
       holds = some_item(instance->child->model->list2, is_constraint, NULL);
  if (!still[0] || !still[1] || !holds) return true;
  Diag *d = diag(e->bag, DIAG_E0244, given->a->span, "`%s` joins two bodies that no force moves", instance->name);
  diag_label(d, "%s", b->body->driven ? "driven" : "fixed");
  diag_also(d, other->a->span, a->body->driven ? "driven" : "fixed");
  diag_help(d, "a joint is for a body that moves: one with mass and inertia");
  return false;
}

static bool given_bodies(Symbol *instance) {
  Elab *e = instance->env.e;
  const Scope *s = instance->child;
  bool ok = true;
  for (size_t i = 0; i < map_size(s->names); i++) {
    const Symbol *y = map_value_at(s->names, i);
    if (y->kind != SY_BODY || !y->given) continue;
    Env of_bodies = s->args_env;
    of_bodies.declare = "body";
    const Scope *of = is_reference(y->given->a) ? instance_of(&of_bodies, y->given->a) : NULL;
    if (of && of->body) {
      for (size_t k = 0; k < i; k++) {
        const Symbol *other = map_value_at(s->names, k);
        if (other->kind != SY_BODY || !other->given) continue;
        const Scope *before = is_reference(other->given->a) ? instance_of(&s->args_env, other->given->a) : NULL;
        ok = different_bodies(instance, other->given, y->given) &&
             (!before || !before->body || (one_dimension(instance, before, of, y->given, other->given) &&
                                           one_of_them_moves(instance, before, of, y->given, other->given))) && ok;
      }
      continue;
    }
    if (of || !is_reference(y->given->a)) {
      Diag *d = diag(e->bag, DIAG_E0240, y->given->a->span, "`%s` of `%s` is a body", y->name, instance->name);
      diag_label(d, "this is none");
      diag_also(d, y->span, "declared here");
      diag_help(d, "give a body by its name: %s = ground", y->name);
    }
    ok = false;
  }
  return ok;
}

// --- the instance ---

// model Part(a = none): `a` may be left out, and has no value then.
bool is_none(const Elab *e, const Ast *from) {
  return from && from->kind == AST_NAME && !strcmp(from->name, "none") && !scope_find(e->globals, from->name);
}

bool defaults_to_none(const Symbol *y) { return y->kind == SY_FORMAL && is_none(y->env.e, y->decl->a); }

const Ast *argument_of(const Scope *s, const Ast *decl) {
  const Ast *arg = s->instance ? named_arg(s->instance->list2, decl->name) : NULL;
  const Ast *from = arg ? arg->a : NULL;
  while (from && from->kind == AST_PAREN) from = from->a;
  if (!from || !decl->a || from->kind != AST_NAME || local_find(&s->args_env, from->name)) return arg;
  Symbol *around = scope_find(s->args_env.scope, from->name);                     // Part inner(a = a);
  if (!around || around->given || !defaults_to_none(around)) return arg;
  around->used = true;
  return NULL;
}

Scope *instance_scope(Symbol *y, const Ast *model, Env args) {
  Elab *e = y->env.e;
  Scope *up = y->env.scope;
  int n = y->decl->list.n;
  Text index = {0};
  for (int k = 0; k < n; k++) text_printf(&index, "%s%s", k ? "," : "[", y->decl->list.at[k]->name);
  if (n) text_addc(&index, ']');
  Scope *s = ARENA_NEW(e->a, Scope);
  *s = (Scope){
    .e = e, .model = model, .parent = up, .ctx = args.ctx, .names = map_new(e->a), .args_env = args, .instance = y->decl
  };
  s->path = arena_printf(e->a, "%s%s%s.", up->path, y->name, index_marks(e->a, n));
  s->param_path = arena_printf(e->a, "%s%s.", up->param_path, y->name);
  s->plain = arena_printf(e->a, "%s%s%s.", up->plain, y->name, text_str(&index));
  text_free(&index);
  y->child = s;
  y->ctx = args.ctx;
  return s;
}

bool instance_force(Symbol *y) {
  if (y->decl->kind == AST_BODY) return body_force(y);
  const Ast *model = find_model(y);
  if (!model) return false;
  Env args = y->env;
  bool ok = instance_loops(y, &args);
  ok = arguments_ok(y, model) && ok;
  if (!ok) return false;

  Scope *s = instance_scope(y, model, args);
  Env inside = env_of(s);
  for (int k = 0; k < model->list.n; k++) {
    const Ast *formal = model->list.at[k];
    SymbolKind kind = is_body_formal(formal) ? SY_BODY : SY_FORMAL;
    Symbol *f = scope_add(s, kind, formal->name, formal->name_span, formal, inside);
    if (f) f->given = argument_of(s, formal);
  }
  declare_items(inside, model->list2);
  return given_bodies(y);
}
