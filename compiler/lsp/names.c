// Two passes over the trees: what each model declares; then every place where a name stands. Indices of loops, sums and
// families and the `var`s of blocks are seen inside of them alone.
#include "names.h"
#include <string.h>
#include "../base/diag.h"
#include "../model/elaborate.h"
#include "../syntax/parse.h"

// What an expression sees beside the names of its model: innermost first.
typedef struct Seen { const Named *of; const struct Seen *next; } Seen;
typedef struct Walk { Names *n; const Ast *owner; Map *scope; const Seen *seen; } Walk;

static void walk(Walk w, const Ast *x);
static void walk_list(Walk w, AstList list);

// ---- declarations ---------------------------------------------------------------------------------------------------
static Named *named(Names *n, NamedKind kind, const char *name, Span at, const Ast *item, const Ast *owner) {
  Named *y = ARENA_NEW(n->a, Named);
  *y = (Named){ kind, name, at, item, item, owner };
  vec_push(&n->named, y);
  if (kind != NAMED_FILE) vec_push(&n->use, ((NameUse){ at, y }));
  return y;
}

// The first of its name counts; a second one is the same to who renames.
static void declare(Names *n, Map *in, NamedKind kind, const Ast *x, const Ast *item, const Ast *owner) {
  if (!x->name || !x->name_span.file) return;
  Named *first = map_get(in, x->name);
  if (first) { vec_push(&n->use, ((NameUse){ x->name_span, first })); return; }
  Named *y = named(n, kind, x->name, x->name_span, item, owner);
  y->decl = x;
  map_put(in, x->name, y);
}

static void declare_decls(Names *n, Map *in, NamedKind kind, const Ast *item, const Ast *owner) {
  for (int i = 0; i < item->list.n; i++)
    if (item->list.at[i]->kind == AST_DECL && item->list.at[i]->primes == 0)
      declare(n, in, kind, item->list.at[i], item, owner);
}

// Inside of a `for` only rows are seen from outside.
static void declare_items(Names *n, Map *in, AstList items, const Ast *owner, bool looped) {
  for (int i = 0; i < items.n; i++) {
    const Ast *x = items.at[i];
    switch (x->kind) {
    case AST_CONTACT:
    case AST_CONSTRAINT:
    case AST_RELATION:
    case AST_TOUCH: declare(n, in, NAMED_ROW, x, x, owner); break;
    case AST_FOR: declare_items(n, in, x->list2, owner, true); break;
    case AST_IF:
      for (const Ast *part = x; part; part = part->b) declare_items(n, in, part->list2, owner, looped);
      break;
    case AST_INSTANCE: if (!looped) declare(n, in, NAMED_INSTANCE, x, x, owner); break;
    case AST_BODY: if (!looped) declare(n, in, NAMED_BODY, x, x, owner); break;
    case AST_PARAM: if (!looped) declare_decls(n, in, NAMED_PARAM, x, owner); break;
    case AST_MATERIAL:
      for (int k = 0; k < x->list.n; k++) {
        const Ast *m = x->list.at[k];
        const Named *first = map_get(n->material, m->name);
        if (first) vec_push(&n->use, ((NameUse){ m->span, first }));
        else map_put(n->material, m->name, named(n, NAMED_MATERIAL, m->name, m->span, x, owner));
      }
      break;
    case AST_STATE:
    case AST_COORD:
    case AST_MULTIPLIER:
    case AST_ALGEBRAIC:
    case AST_NODE:
    case AST_INPUT:
    case AST_DISCRETE:
    case AST_OUTPUT:
    case AST_VAR: if (!looped) declare_decls(n, in, NAMED_VARIABLE, x, owner); break;
    default: break;
    }
  }
}

static void declare_file(Names *n, const Ast *file) {
  for (int i = 0; i < file->list.n; i++) {
    const Ast *x = file->list.at[i];
    if (x->kind == AST_FUNCTION) declare(n, n->function, NAMED_FUNCTION, x, x, NULL);
    if (x->kind == AST_PARAM) declare_decls(n, n->global, NAMED_PARAM, x, NULL);
    if (x->kind != AST_MODEL) continue;
    declare(n, n->model, NAMED_MODEL, x, x, NULL);
    Map *in = map_new(n->a);
    for (int k = 0; k < x->list.n; k++) declare(n, in, NAMED_FORMAL, x->list.at[k], x->list.at[k], x);
    declare_items(n, in, x->list2, x, false);
    map_put(n->scope, x, in);
  }
}

// ---- what a name means ----------------------------------------------------------------------------------------------
static const Named *find(Walk w, const char *name) {
  for (const Seen *s = w.seen; s; s = s->next)
    if (s->of->name == name) return s->of;
  const Named *y = w.scope ? map_get(w.scope, name) : NULL;
  return y ? y : map_get(w.n->global, name);
}

Map *names_of_instance(const Names *n, const Named *y) {
  const Named *model = y && y->kind == NAMED_INSTANCE ? map_get(n->model, y->item->b->name) : NULL;
  return model ? map_get(n->scope, model->item) : NULL;
}

// The name that a reference ends in: bead[i].z is the z of the model of bead.
static const Named *means(Walk w, const Ast *x) {
  if (x->kind == AST_NAME) return find(w, x->name);
  if (x->kind == AST_INDEX || x->kind == AST_PRIME || x->kind == AST_PAREN) return means(w, x->a);
  if (x->kind != AST_MEMBER) return NULL;
  Map *in = names_of_instance(w.n, means(w, x->a));
  return in ? map_get(in, x->name) : NULL;
}

static void use(Walk w, Span at, const Named *of) {
  if (of && at.file) vec_push(&w.n->use, ((NameUse){ at, of }));
}

// ---- the places -----------------------------------------------------------------------------------------------------
static Walk inside(Walk w, NamedKind kind, const Ast *x) {
  Seen *s = ARENA_NEW(w.n->a, Seen);
  *s = (Seen){ named(w.n, kind, x->name, x->name_span, x, w.owner), w.seen };
  w.seen = s;
  return w;
}

static Walk inside_indexers(Walk w, AstList indexers) {
  for (int i = 0; i < indexers.n; i++) {
    walk(w, indexers.at[i]->a);
    w = inside(w, NAMED_INDEX, indexers.at[i]);
  }
  return w;
}

// The items of a block, with its own `var`s.
static void walk_block(Walk w, AstList items) {
  for (int i = 0; i < items.n; i++)
    for (int k = 0; items.at[i]->kind == AST_VAR && k < items.at[i]->list.n; k++)
      w = inside(w, NAMED_VARIABLE, items.at[i]->list.at[k]);
  walk_list(w, items);
}

static void walk_instance(Walk w, const Ast *x) {
  const Named *model = map_get(w.n->model, x->b->name);
  Map *in = model ? map_get(w.n->scope, model->item) : NULL;
  use(w, x->b->span, model);
  w = inside_indexers(w, x->list);
  for (int i = 0; i < x->list2.n; i++) {
    const Ast *arg = x->list2.at[i];
    if (arg->kind == AST_ARG && in) use(w, arg->name_span, map_get(in, arg->name));
    walk(w, arg->kind == AST_ARG ? arg->a : arg);
  }
}

static void material(Walk w, const Ast *x) {
  if (x && x->kind == AST_NAME) use(w, x->span, map_get(w.n->material, x->name));
}

static void walk_body(Walk w, const Ast *x) {
  w = inside_indexers(w, x->list);
  for (int i = 0; i < x->list2.n; i++) {
    const Ast *arg = x->list2.at[i];
    if (arg->kind != AST_ARG) continue;                    // `fixed`
    if (strcmp(arg->name, "material") == 0) material(w, arg->a);
    else walk(w, arg->a);
  }
}

static void walk_simulate(Walk w, const Ast *x) {
  for (int i = 0; i < x->list.n; i++) {
    const Ast *arg = x->list.at[i];
    if (arg->kind != AST_ARG) continue;
    bool word = strcmp(arg->name, "scheme") == 0 || strcmp(arg->name, "solver") == 0;
    if (!word) walk(w, arg->a);
    else if (arg->a && arg->a->kind == AST_CALL) walk_list(w, arg->a->list);
  }
}

static void walk_model(Walk w, const Ast *x) {
  w.owner = x;
  w.scope = map_get(w.n->scope, x);
  for (int i = 0; i < x->list.n; i++) walk(w, x->list.at[i]->a);
  walk_list(w, x->list2);
}

static void walk_decl(Walk w, const Ast *x) {
  const Named *of = find(w, x->name);
  if (x->primes > 0) use(w, x->name_span, of);             // z' = 0: of a coordinate that is declared beside it
  const Seen *seen = x->primes > 0 && of ? map_get(w.n->elements, of) : NULL;
  if (x->list2.n) w = inside_indexers(w, x->list2);
  else if (seen) w.seen = seen;                            // x[i in 1:n] = i, x' = 2*i
  else walk_list(w, x->list);
  if (x->list2.n && of) map_put(w.n->elements, of, (void *)w.seen);
  walk(w, x->a);
  walk(w, x->b);
  walk(w, x->c);
}

static void walk_call(Walk w, const Ast *x) {
  if (x->a) walk(w, x->a);                                 // b.point(x)
  else use(w, x->name_span, map_get(w.n->function, x->name));
  walk_list(w, x->list);
}

// A column of data is no name of the model; z(0) is z.
static void walk_term(Walk w, const Ast *x) {
  bool initial = x->a->kind == AST_CALL && !x->a->a && x->a->list.n == 1 && x->a->list.at[0]->kind == AST_NUMBER;
  if (initial) use(w, x->a->name_span, find(w, x->a->name));
  else walk(w, x->a);
  if (x->b && x->b->kind != AST_NAME) walk(w, x->b);
  walk(w, x->c);
  walk_list(w, x->list);
  walk_list(w, x->list2);
}

static void walk_function(Walk w, const Ast *x) {
  w.owner = x;
  w.scope = NULL;
  for (int i = 0; i < x->list.n; i++) w = inside(w, NAMED_FORMAL, x->list.at[i]);
  walk(w, x->a);
}

static void walk(Walk w, const Ast *x) {
  if (!x) return;
  switch (x->kind) {
  case AST_NAME: use(w, x->span, find(w, x->name)); return;
  case AST_MEMBER:
    walk(w, x->a);
    use(w, x->name_span, means(w, x));
    return;
  case AST_CALL: walk_call(w, x); return;
  case AST_SUM:
    walk(w, x->a);
    walk(inside(w, NAMED_INDEX, x), x->b);
    return;
  case AST_FOR:
    walk(w, x->a);
    walk_block(inside(w, NAMED_INDEX, x), x->list2);
    return;
  case AST_IF:
  case AST_ELSE:
    walk(w, x->a);
    walk_list(w, x->list2);
    walk(w, x->b);
    return;
  case AST_EVERY:
  case AST_WHEN:
    walk(w, x->a);
    walk(w, x->b);
    walk_block(w, x->list2);
    return;
  case AST_MODEL: walk_model(w, x); return;
  case AST_FUNCTION: walk_function(w, x); return;
  case AST_INSTANCE: walk_instance(w, x); return;
  case AST_BODY: walk_body(w, x); return;
  case AST_SIMULATE: walk_simulate(w, x); return;
  case AST_DECL: walk_decl(w, x); return;
  case AST_TERM: walk_term(w, x); return;
  case AST_MATERIAL: return;
  case AST_PAIR:
    material(w, x->a);
    material(w, x->b);
    walk_list(w, x->list2);
    return;
  default:
    walk(w, x->a);
    walk(w, x->b);
    walk(w, x->c);
    walk_list(w, x->list);
    walk_list(w, x->list2);
  }
}

static void walk_list(Walk w, AstList list) {
  for (int i = 0; i < list.n; i++) walk(w, list.at[i]);
}

// ---- files ----------------------------------------------------------------------------------------------------------
static void collect(Names *n, const Ast *file, const char *path, const char *std, const OpenTexts *open, DiagBag *bag) {
  vec_push(&n->file, file);
  vec_push(&n->path, path);
  for (int i = 0; i < file->list.n; i++) {
    const Ast *x = file->list.at[i];
    if (x->kind != AST_IMPORT || !x->span.file) continue;
    const char *to = import_path(n->a, n->in, std, x);
    const SourceFile *f = NULL;
    bool known = false;
    for (size_t k = 0; k < n->path.n && !f; k++)
      if (!strcmp(n->path.at[k], to)) known = true, f = n->file.at[k]->span.file;
    if (!known && source_read_open(n->a, to, open, &f) == SOURCE_OK)
      collect(n, parse_file(n->a, n->in, f, bag), to, std, open, bag);
    if (f) vec_push(&n->use, ((NameUse){ x->name_span, named(n, NAMED_FILE, to, (Span){ f, 0, 0 }, x, NULL) }));
  }
}

Names *names_find(Arena *a, Interner *in, const Ast *file, const char *std, const OpenTexts *open) {
  Names *n = ARENA_NEW(a, Names);
  *n = (Names){ .model = map_new(a), .function = map_new(a), .global = map_new(a), .material = map_new(a),
                .scope = map_new(a), .elements = map_new(a), .a = a, .in = in };
  collect(n, file, file->span.file->path, std, open, diag_bag_new(a));
  for (size_t i = 0; i < n->file.n; i++) declare_file(n, n->file.at[i]);
  for (size_t i = 0; i < n->file.n; i++) walk_list((Walk){ .n = n }, n->file.at[i]->list);
  return n;
}

void names_free(Names *n) {
  if (!n) return;
  vec_free(&n->file);
  vec_free(&n->path);
  vec_free(&n->named);
  vec_free(&n->use);
}

// ---- asking ---------------------------------------------------------------------------------------------------------
const NameUse *name_at(const Names *n, const SourceFile *f, size_t offset) {
  for (size_t i = 0; i < n->use.n; i++) {
    const NameUse *u = &n->use.at[i];
    if (u->at.file && !strcmp(u->at.file->path, f->path) && u->at.lo <= offset && offset <= u->at.hi) return u;
  }
  return NULL;
}

const Ast *model_at(const Names *n, const SourceFile *f, size_t offset) {
  for (size_t i = 0; i < n->named.n; i++) {
    const Named *y = n->named.at[i];
    if (y->kind == NAMED_MODEL && !strcmp(y->at.file->path, f->path) && y->item->span.lo <= offset &&
        offset <= y->item->span.hi)
      return y->item;
  }
  return NULL;
}

const Named *name_in(const Names *n, const Ast *model, const char *name) {
  Map *in = model ? map_get(n->scope, model) : NULL;
  const Named *y = in ? map_get(in, name) : NULL;
  return y ? y : map_get(n->global, name);
}

bool same_name(const Named *a, const Named *b) {
  return a->kind == b->kind && a->at.lo == b->at.lo && a->at.file && b->at.file &&
         !strcmp(a->at.file->path, b->at.file->path) && !strcmp(a->name, b->name);
}
