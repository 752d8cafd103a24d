// From files to a model: imports, the tables of models and functions, the choice of the root, and the passes over it:
//   1 collect   every file once: models, functions, parameters at file level
//   2 declare   the names of the root and, through its instances, of all components
//   3 elaborate statements; expressions are typed and written out on the way
//   4 check     what can be said only about the whole: missing equations, initial values, untied multipliers
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "../base/suggest.h"
#include "../syntax/parse.h"
#include "elab_body.h"

// --- 1 collect ---

static void collect(Elab *e, const Ast *file);

// a/./b and a/x/../b are a/b, so that a file is known under one path.
static const char *plain_path(Interner *in, const char *path) {
  Vec(char) out = {0};
  for (const char *s = path; *s;) {
    size_t n = strcspn(s, "/");
    size_t rest = n + (s[n] == '/');
    size_t cut = out.n > 1 ? out.n - 1 : 0;   // start of the last part that was kept
    while (cut > 0 && out.at[cut - 1] != '/') cut--;
    bool up = n == 2 && strncmp(s, "..", 2) == 0 && out.n > 1 && strncmp(out.at + cut, "../", 3) != 0;
    if (up) out.n = cut;
    else if (!(n == 1 && *s == '.'))
      for (size_t i = 0; i < rest; i++) vec_push(&out, s[i]);
    s += rest;
  }
  vec_push(&out, 0);
  const char *kept = intern(in, out.at);
  vec_free(&out);
  return kept;
}

const char *import_path(Arena *a, Interner *in, const char *std_dir, const Ast *x) {
  const char *name = x->name ? x->name : "";
  bool std = strncmp(name, "std/", 4) == 0 && std_dir;
  return plain_path(in, std ? arena_printf(a, "%s/%s", std_dir, name + 4) : source_beside(a, x->span.file, name));
}

// The file beside `path` whose name is nearest, as the import would write it; NULL: none is near.
static const char *nearest_file(Elab *e, const char *path, const char *written) {
  const char *slash = strrchr(path, '/'), *last = strrchr(written, '/'), *name = slash ? slash + 1 : path;
  DIR *folder = opendir(slash ? arena_strndup(e->a, path, (size_t)(slash + 1 - path)) : ".");
  if (!folder) return NULL;
  Vec(const char *) names = {0};
  for (const struct dirent *f; (f = readdir(folder)) && names.n < 1000;) {
    size_t n = strlen(f->d_name);
    if (n > 4 && !strcmp(f->d_name + n - 4, ".nsm")) vec_push(&names, arena_strndup(e->a, f->d_name, n));
  }
  closedir(folder);
  const char *near = suggest(name, names.at, names.n);
  vec_free(&names);
  return near ? arena_printf(e->a, "%.*s%s", last ? (int)(last + 1 - written) : 0, written, near) : NULL;
}

// Does the rest of std/... climb? The library is one folder, and nothing beside it is called std/.
static bool leaves_library(const char *name) {
  if (!name || strncmp(name, "std/", 4)) return false;
  for (const char *at = name; at; at = strchr(at, '/')) {
    at += *at == '/';
    if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2])) return true;
  }
  return false;
}

static void import_file(Elab *e, const Ast *x) {
  if (leaves_library(x->name)) {
    Diag *d = diag(e->bag, DIAG_E0215, x->name_span.file ? x->name_span : x->span,
                   "cannot read the imported file \"%s\"", x->name);
    diag_label(d, "this leaves the standard library");
    diag_help(d, "a file of your own is imported by its path from the folder of the importing file");
    return;
  }
  const char *path = import_path(e->a, e->in, e->opt ? e->opt->std_dir : NULL, x);
  const SourceFile *f = map_get(e->files, path);
  if (f) {
    vec_push(&e->imports, ((Import){ x->span.file, f }));
    return;
  }
  Arena *keep = e->opt && e->opt->sources ? e->opt->sources : e->a;
  SourceStatus s = source_read_open(keep, path, e->opt ? e->opt->open : NULL, &f);
  map_put(e->files, path, (void *)(f ? (const void *)f : (const void *)x));
  if (s != SOURCE_OK) {
    Diag *d = diag(e->bag, DIAG_E0215, x->name_span.file ? x->name_span : x->span,
                   "cannot read the imported file \"%s\"", x->name);
    diag_label(d, s == SOURCE_MISSING  ? "there is no such file"
                  : s == SOURCE_IS_DIR ? "this is a folder"
                  : s == SOURCE_IS_SPECIAL ? "this is a pipe or a device, not an ordinary file"
                                       : "not readable");
    diag_note(d, "looked for %s", path);
    const SourceFile *with_suffix;
    const char *near;
    bool std = strncmp(x->name, "std/", 4) == 0;
    if (s == SOURCE_MISSING &&
        source_read_ordinary(e->a, arena_printf(e->a, "%s.nsm", path), &with_suffix) == SOURCE_OK) {
      diag_help(d, "did you mean \"%s.nsm\"?", x->name);
      diag_edit(d, x->name_span, "\"%s.nsm\"", x->name);
    } else if (s == SOURCE_MISSING && (near = nearest_file(e, path, x->name))) {
      diag_help(d, "did you mean \"%s\"?", near);
      diag_edit(d, x->name_span, "\"%s\"", near);
    } else if (std)
      diag_help(d, "names of the standard library begin with std/, for example \"std/diode.nsm\"");
    else diag_help(d, "a path is read from the folder of the importing file");
    return;
  }
  vec_push(&e->imports, ((Import){ x->span.file, f }));
  collect(e, parse_file(e->a, e->in, f, e->bag));
}

static void duplicate(Elab *e, const Ast *x, const Ast *first, const char *what) {
  Diag *d = diag(e->bag, DIAG_E0202, x->name_span, "%s `%s` is declared twice", what, x->name);
  diag_label(d, "declared again here");
  diag_also(d, first->name_span, "first declared here");
  diag_help(d, "give one of them another name");
}

// Files that are imported may declare models of one name: which one is meant is asked where it is used (find_model).
static bool is_imported(const Elab *e, const SourceFile *f) {
  for (size_t i = 0; i < e->imports.n; i++) if (e->imports.at[i].of == f) return true;
  return false;
}

static void collect(Elab *e, const Ast *file) {
  AstList params = {0};
  for (int i = 0; i < file->list.n; i++) {
    Ast *x = file->list.at[i];
    MOp op;
    switch (x->kind) {
    case AST_IMPORT: import_file(e, x); break;
    case AST_MODEL: {
      const Ast *first = map_get(e->models, x->name);
      if (first && is_imported(e, x->span.file) && is_imported(e, first->span.file) &&
          x->span.file != first->span.file) {
        Twin *twin = ARENA_NEW(e->a, Twin);
        *twin = (Twin){ x, map_get(e->twins, x->name) };
        map_put(e->twins, x->name, twin);
      } else if (first) duplicate(e, x, first, "model");
      else map_put(e->models, x->name, x);
      break;
    }
    case AST_FUNCTION: {
      const Ast *first = map_get(e->functions, x->name);
      if (first) {
        duplicate(e, x, first, "function");
      } else if (find_builtin(x->name, &op)) {
        Diag *d = diag(e->bag, DIAG_E0218, x->name_span, "`%s` is a function of the language and cannot be declared",
                       x->name);
        diag_label(d, "built in");
        diag_help(d, "choose another name, for example `my_%s`", x->name);
      } else {
        map_put(e->functions, x->name, x);
      }
      break;
    }
    case AST_PARAM:
      params = (AstList){.at = &file->list.at[i], .n = 1};
      declare_items(env_of(e->globals), params);
      break;
    default: break;
    }
  }
}

// Is some unit written outside `simulate` and `expect`? A model without any is not checked: there, `time` has no unit
// either.
static bool mentions_unit(const Ast *x) {
  if (!x || x->kind == AST_SIMULATE || x->kind == AST_EXPECT) return false;
  if (x->unit && strcmp(x->unit, "1") != 0 && strcmp(x->unit, "body") != 0 && strcmp(x->unit, "node") != 0)
    return true;
  if (mentions_unit(x->a) || mentions_unit(x->b) || mentions_unit(x->c)) return true;
  for (int i = 0; i < x->list.n; i++)
    if (mentions_unit(x->list.at[i])) return true;
  for (int i = 0; i < x->list2.n; i++)
    if (mentions_unit(x->list2.at[i])) return true;
  return false;
}

static bool needs_arguments(const Ast *model) {
  for (int i = 0; i < model->list.n; i++)
    if (!model->list.at[i]->a) return true;
  return false;
}

static const Ast *choose_root(Elab *e, const Ast *file) {
  const Ast *root = NULL, *last = NULL;
  const char *wanted = e->opt ? e->opt->root : NULL;
  Vec(const char *) names = {0};
  for (int i = 0; i < file->list.n; i++) {
    const Ast *x = file->list.at[i];
    if (x->kind != AST_MODEL || !x->name) continue;
    last = x;
    vec_push(&names, x->name);
    if (wanted ? strcmp(wanted, x->name) == 0 : !needs_arguments(x)) root = x;
  }
  bool library = !last && e->opt && e->opt->library;
  if (!root && diag_errors(e->bag) == 0 && !library) {
    if (wanted) {
      Diag *d = diag(e->bag, DIAG_E0216, (Span){file->span.file, 0, 0}, "there is no model `%s` in this file", wanted);
      const char *near = suggest(wanted, names.at, names.n);
      if (near) diag_mean(d, near);
    } else if (last) {
      Diag *d = diag(e->bag, DIAG_E0216, last->name_span, "no model of this file can run on its own");
      diag_label(d, "needs arguments without a default");
      diag_help(d, "give its formals defaults, or add a model that makes an instance of it");
    } else {
      Diag *d = diag(e->bag, DIAG_E0216, (Span){file->span.file, 0, 0}, "there is no model in this file");
      diag_help(d, "write one: model Name { ... }");
    }
  }
  vec_free(&names);
  return root;
}

// --- the result ---

#define FREEZE(field)                                                                                                  \
  (m->n##field = (int)e->field.n, m->field = vec_freeze(e->a, &e->field), e->field.at = NULL,                          \
   e->field.n = e->field.cap = 0)

static const Model *freeze(Elab *e, const Ast *root) {
  Model *m = ARENA_NEW(e->a, Model);
  *m = *e->out;
  m->name = root->name;
  m->file = root->span.file;
  m->span = root->name_span;
  m->nread = (int)map_size(e->files);
  m->read = ARENA_ARRAY(e->a, const char *, m->nread + 1);
  for (int i = 0; i < m->nread; i++) m->read[i] = map_key_at(e->files, (size_t)i);
  note_given(e);
  FREEZE(var);
  FREEZE(param);
  FREEZE(energy);
  FREEZE(force);
  FREEZE(equation);
  FREEZE(relation);
  FREEZE(law);
  FREEZE(contact);
  FREEZE(constraint);
  FREEZE(output);
  FREEZE(draw);
  FREEZE(plot);
  FREEZE(ask);
  FREEZE(init);
  FREEZE(body);
  FREEZE(solid);
  FREEZE(touch);
  FREEZE(points);
  FREEZE(material);
  FREEZE(angle);
  FREEZE(assertion);
  FREEZE(named_unit);
  FREEZE(table);
  FREEZE(delay);
  FREEZE(block);
  FREEZE(action);
  FREEZE(stat);
  FREEZE(expect);
  return m;
}

static void release(Elab *e) {
  vec_free(&e->var);
  vec_free(&e->imports);
  vec_free(&e->param);
  vec_free(&e->energy);
  vec_free(&e->force);
  vec_free(&e->equation);
  vec_free(&e->relation);
  vec_free(&e->law);
  vec_free(&e->contact);
  vec_free(&e->constraint);
  vec_free(&e->output);
  vec_free(&e->draw);
  vec_free(&e->plot);
  vec_free(&e->ask);
  vec_free(&e->sets);
  vec_free(&e->init);
  vec_free(&e->body);
  vec_free(&e->solid);
  vec_free(&e->touch);
  vec_free(&e->points);
  vec_free(&e->material);
  vec_free(&e->touching);
  vec_free(&e->pairs);
  vec_free(&e->angle);
  vec_free(&e->placed);
  vec_free(&e->assertion);
  vec_free(&e->table);
  vec_free(&e->delay);
  vec_free(&e->block);
  vec_free(&e->action);
  vec_free(&e->event);
  vec_free(&e->algebraic);
  vec_free(&e->flow);
  vec_free(&e->stat);
  vec_free(&e->expect);
  vec_free(&e->symbols);
  vec_free(&e->calls);
  vec_free(&e->angles);
  vec_free(&e->known);
  vec_free(&e->known_state);
  vec_free(&e->unit_name);
  vec_free(&e->unit_row);
  vec_free(&e->named_unit);
}

static void make_words(Elab *e) {
  e->word.pi = intern(e->in, "pi");
  e->word.inf = intern(e->in, "inf");
  e->word.time = intern(e->in, "time");
  e->word.energy = intern(e->in, "energy");
  e->word.lambda = intern(e->in, "lambda");
  e->word.lambda_t = intern(e->in, "lambda_t");
  e->word.lambda_s = intern(e->in, "lambda_s");
  e->word.lambda_r = intern(e->in, "lambda_r");
  e->word.kinetic = intern(e->in, "kinetic");
  e->word.ground = intern(e->in, "ground");
  e->word.potential = intern(e->in, "potential");
}

static Scope *new_global_scope(Elab *e) {
  Scope *s = ARENA_NEW(e->a, Scope);
  *s = (Scope){.e = e, .path = "", .param_path = "", .plain = "", .names = map_new(e->a)};
  return s;
}

// In the order of the source, components where they stand.
static void force_all(const Scope *s) {
  bool library = part_of_library(s).file != NULL;
  for (size_t i = 0; i < map_size(s->names); i++) {
    Symbol *y = map_value_at(s->names, i);
    if (y->kind == SY_VAR && library) continue;            // of parts of libraries those that somebody reads
    if (!y->given && defaults_to_none(y)) continue;
    if (symbol_force(y) && y->kind == SY_INSTANCE) force_all(y->child);
  }
}

static void elab_root(Elab *e, const Ast *root) {
  Scope *s = new_global_scope(e);
  s->model = root;
  Env env = env_of(s);
  for (int i = 0; i < root->list.n; i++) {
    const Ast *formal = root->list.at[i];
    scope_add(s, is_none(e, formal->a) ? SY_FORMAL : SY_PARAM, formal->name, formal->name_span, formal, env);
  }
  declare_items(env, root->list2);
  force_all(e->globals);
  force_all(s);
  elab_items(env, root->list2);
  elab_events(e);
  if (diag_errors(e->bag) == 0) elab_circuits(e);
  touch_statements(e);
  if (e->opt && e->opt->looks && diag_errors(e->bag) == 0) bodies_by_themselves(e);
}

// What the command line and the blocks of the model set and ask for.
static void collect_sets(Elab *e, const Ast *root) {
  for (int i = 0; e->opt && i < e->opt->nset; i++) {
    Override *o = &e->opt->set[i];
    o->use = SET_UNKNOWN;                          // not that of the file before
    o->what = NULL;
    vec_push(&e->sets, o);
  }
  for (int i = 0; root && i < root->list2.n; i++) ask_parameters(e, root->list2.at[i]);
}

const Model *elaborate(Arena *a, Interner *in, const Ast *file, const ElaborateOptions *o, DiagBag *bag) {
  Elab *e = ARENA_NEW(a, Elab);
  *e = (Elab){ .a = a,
               .in = in,
               .bag = bag,
               .opt = o,
               .resolve = symbol_resolve,
               .models = map_new(a),
               .functions = map_new(a),
               .twins = map_new(a),
               .done = map_new(a),
               .alike = map_new(a),
               .files = map_new(a),
               .reported = map_new(a),
               .out = ARENA_NEW(a, Model) };
  make_words(e);
  e->globals = new_global_scope(e);
  if (file->span.file) map_put(e->files, plain_path(e->in, file->span.file->path), (void *)file->span.file);
  collect(e, file);
  for (size_t i = 0; i < map_size(e->models); i++)
    e->has_units = e->has_units || mentions_unit(map_value_at(e->models, i));
  for (size_t i = 0; i < map_size(e->functions); i++)
    e->has_units = e->has_units || mentions_unit(map_value_at(e->functions, i));
  check_forms(e);
  const Ast *root = choose_root(e, file);
  collect_sets(e, root);
  if (root && diag_errors(bag) == 0) elab_root(e, root);
  if (root && diag_errors(bag) == 0) check_model(e);
  if (root && diag_errors(bag) == 0) infer_units(e);
  if (root && diag_errors(bag) == 0) classify_sets(e);
  const Model *m = root && diag_errors(bag) == 0 ? freeze(e, root) : NULL;
  release(e);
  return m;
}
