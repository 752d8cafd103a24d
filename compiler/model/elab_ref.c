// References: x, x[i], bead[i+1].z, floor.lambda. A path is walked from the scope of the expression through instances
// to a symbol; on the way the loops of the instances are bound to the indices written.
#include <math.h>
#include <string.h>

#include "../syntax/foreign_words.h"
#include "elab_body.h"

typedef enum { NO_FORCE, NORMAL, TANGENTIAL, SPIN, ROLL } Force;   // which force of a contact or constraint
// entered: the instance at hand has its indices already, place is within it
typedef struct Path {
  Place place; AstList index; Span index_at; Force force; bool per_time; AstList direction; bool entered;
  int touch;              // MTouchWhat of a contact between shapes
  bool ranges;            // bodies_of: members from place.by to hi, families whole where no index stands
  MExpr *hi[MAX_LOOPS];
} Path;

bool is_reference(const Ast *x) {
  if (x->kind == AST_NAME) return true;
  return (x->kind == AST_MEMBER || x->kind == AST_INDEX) && is_reference(x->a);
}

static bool no_value(const Env *env, Span at, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0220, at, "%s", what);
  diag_label(d, "not a value");
  diag_help(d, "%s", help);
  return false;
}

static bool wrong_indices(const Env *env, const Symbol *y, Span at, int got, int want) {
  Elab *e = env->e;
  Diag *d = want ? diag(e->bag, DIAG_E0605, at, "`%s` has %d %s", y->name, want, want == 1 ? "index" : "indices")
                 : diag(e->bag, DIAG_E0605, at, "`%s` has no index, but %d %s written", y->name, got,
                        got == 1 ? "is" : "are");
  if (want) diag_label(d, got ? "%d written" : "no index written", got);
  else diag_label(d, "not an array and not a family");
  diag_also(d, y->span, "declared here");
  if (want)
    diag_help(d, want == 1   ? "write %s[i] with i = 1, 2, ..."
                 : want == 2 ? "write %s[i, j]"
                 : want == 3 ? "write %s[i, j, k]"
                             : "write %s[i, j, k, ...]", y->name);
  else {
    const char *text = ast_text(e, &(Ast){.span = at}), *open = strrchr(text, '[');
    size_t n = open ? strcspn(open + 1, "]") : 0;
    const char *unit = open ? arena_strndup(e->a, open + 1, n) : "";
    if (looks_like_unit(unit))
      diag_help(d, "if a unit is meant: %s*1 [%s], or a declaration with : %s", y->name, unit, unit);
    else diag_help(d, "leave the index out");
  }
  return false;
}

// Indices of storage: constant during a run, whole, in range.
static bool read_index(const Env *env, const Ast *x, const MExpr *lo, const MExpr *hi, const char *of, MExpr **out) {
  Value v = elab_scalar(env, x);
  if (!unit_check(env, v, UNIT_ONE, "an index")) return false;
  if (extra_uses(&v, MU_PARAM | MU_LOOP)) {
    not_constant(env, &v, "an index", "use numbers, parameters and loop indices");
    return false;
  }
  *out = v.at[0];
  return index_in_range(env, v.at[0], lo, hi, of, v.span);
}

// Index k of a family whose members may be given by a range: from *lo to *hi; x NULL: all.
static bool read_range(const Env *env, const Ast *x, const MLoop *l, const char *of, MExpr **lo, MExpr **hi) {
  *lo = l->lo;
  *hi = l->hi;
  if (!x) return true;
  bool range = x->kind == AST_RANGE;
  if (!read_index(env, range ? x->a : x, l->lo, l->hi, of, lo)) return false;
  *hi = *lo;
  return !range || read_index(env, x->b, l->lo, l->hi, of, hi);
}

// Into an instance: the loops of the family are bound to the indices.
static bool enter(const Env *env, Path *p, Symbol *y) {
  if (!symbol_force(y)) return false;
  y->used = true;
  int want = y->decl->list.n;
  bool all = p->ranges && p->index.n == 0;
  if (p->index.n != want && !all) return wrong_indices(env, y, p->index_at, p->index.n, want);
  for (int k = 0; k < want; k++) {
    int n = p->place.n;
    if (n >= MAX_LOOPS) return false;
    const MLoop *l = &y->ctx.loop[n];
    if (p->ranges ? !read_range(env, all ? NULL : p->index.at[k], l, y->name, &p->place.by[n], &p->hi[n])
                  : !read_index(env, p->index.at[k], l->lo, l->hi, y->name, &p->place.by[n]))
      return false;
    p->place.n++;
  }
  p->place.scope = y->child;
  p->index = (AstList){0};
  return true;
}

static Symbol *walk(const Env *env, const Ast *x, Path *p);

// Is another body of this part planar? Then the ground that it is given is the one of the plane.
static bool beside_planar(const Symbol *f) {
  const Scope *s = f->env.scope;
  for (size_t i = 0; i < map_size(s->names); i++) {
    const Symbol *y = map_value_at(s->names, i);
    if (y == f || y->kind != SY_BODY || !y->given || !is_reference(y->given->a)) continue;
    const Scope *of = y->given->a->name == f->env.e->word.ground ? NULL : instance_of(&s->args_env, y->given->a);
    if (of && of->body) return of->body->planar;
  }
  return false;
}

// The body that a formal stands for, as seen from the place p of its scope.
static Symbol *given_body(Symbol *f, Path *p) {
  const Env *outside = &f->env.scope->args_env;
  Elab *e = outside->e;
  Path given = {0};
  f->used = true;
  Symbol *y = f->given ? walk(outside, f->given->a, &given) : NULL;
  if (y && y == e->ground && beside_planar(f)) y = ground_symbol(e, true);
  if (!y || y->kind != SY_INSTANCE || (!given.entered && !enter(outside, &given, y)) || !y->child->body) return NULL;
  for (int k = 0; k < given.place.n; k++) {
    MExpr *by = given.place.by[k];
    bool range = p->ranges && (by->uses & MU_LOOP) && by->kind != MX_LOOP;
    for (int l = 0; range && l < p->place.n; l++)
      if (p->place.by[l] != p->hi[l]) {
        (void)no_value(outside, f->given->a->span, "these bodies are no range of a family",
                       "name the bodies themselves, not by the parts that they are given to");
        return NULL;
      }
    given.place.by[k] = mx_subst(e->a, by, p->place.by, p->place.n);
    given.hi[k] = mx_subst(e->a, by, p->ranges ? p->hi : p->place.by, p->place.n);
  }
  memcpy(p->hi, given.hi, sizeof given.hi);
  p->place = given.place;
  p->index = (AstList){0};
  p->entered = true;
  return y;
}

static Symbol *find_start(const Env *env, const Ast *x, Path *p) {
  Scope *s = env->scope;
  Symbol *y = scope_find(s, x->name);
  if (!y) {
    s = env->e->globals;
    y = scope_find(s, x->name);
  }
  if (!y && x->name == env->e->word.ground) y = ground_symbol(env->e, false);
  if (!y) {
    unknown_name(env, x->name, x->span);
    return NULL;
  }
  p->place = (Place){.scope = s, .n = s->ctx.n};
  for (int k = 0; k < s->ctx.n && k < MAX_LOOPS; k++) p->place.by[k] = p->hi[k] = mx_loop(env->e->a, k, x->span);
  p->index_at = x->span;
  return y->kind == SY_BODY ? given_body(y, p) : y;
}

static Symbol *member(const Env *env, const Ast *x, Path *p, Symbol *y) {
  Elab *e = env->e;
  if (y->kind == SY_ROW) {
    p->per_time = !strncmp(x->name, "force", 5);         // the mean force of the step, lambda over its length
    const char *name = p->per_time ? intern(e->in, arena_printf(e->a, "lambda%s", x->name + 5)) : x->name;
    p->force = name == e->word.lambda     ? NORMAL
               : name == e->word.lambda_t ? TANGENTIAL
               : name == e->word.lambda_s ? SPIN
               : name == e->word.lambda_r ? ROLL
                                             : NO_FORCE;
    if (p->force) return y;
    Diag *d = diag(e->bag, DIAG_E0201, x->name_span, "`%s` has no `%s`", y->name, x->name);
    diag_label(d, "a contact or constraint has `lambda`, `force`, and `lambda_t`, `force_t` with friction");
    diag_help(d, "write %s.lambda", ast_text(e, x->a));
    diag_edit(d, x->name_span, "lambda");
    return NULL;
  }
  if (y->kind == SY_TOUCH) {
    p->touch = !strcmp(x->name, "count") ? MT_COUNT : !strcmp(x->name, "deepest") ? MT_DEEPEST : -1;
    if (p->touch >= 0) return y;
    Diag *d = diag(e->bag, DIAG_E0201, x->name_span, "the contact `%s` has no `%s`", y->name, x->name);
    diag_label(d, "a contact between shapes has count, deepest, impulse(body)");
    diag_help(d, "%s.count is how many points are closed", y->name);
    return NULL;
  }
  if (y->kind != SY_INSTANCE) {
    Diag *d = diag(e->bag, DIAG_E0220, x->a->span, "`%s` is not an instance of a model", y->name);
    diag_label(d, "has no members");
    diag_also(d, y->span, "declared here");
    if (y->kind == SY_RELATION && x->name == e->word.lambda)
      diag_help(d, "a relation uses a declared multiplier: write its name");
    else if (!strcmp(x->name, "dot") || !strcmp(x->name, "der") || !strcmp(x->name, "d"))
      diag_help(d, "the time derivative of %s is %s'", y->name, y->name);
    else diag_help(d, "only instances and contacts have members");
    return NULL;
  }
  // bead.g: a parameter that the whole family shares
  if (!p->entered && p->index.n == 0 && y->decl->list.n > 0 && symbol_force(y)) {
    Symbol *shared = scope_find(y->child, x->name);
    if (shared && (shared->kind == SY_PARAM || shared->kind == SY_FORMAL) && symbol_force(shared) && shared->global) {
      y->used = true;
      p->place.scope = y->child;
      p->index_at = x->span;
      return shared;
    }
  }
  if (!p->entered && !enter(env, p, y)) return NULL;
  p->entered = false;
  Symbol *z = scope_find(p->place.scope, x->name);
  if (!z && p->place.scope->placing) {
    Diag *d = diag(e->bag, DIAG_E0211, x->span, "the place of `%s` is made of itself", y->name);
    diag_label(d, "`%s` follows from its place", x->name);
    diag_help(d, "what does not is %s.centre of a shape with a density or a mass, %s.mass and %s.inertia", y->name,
              y->name, y->name);
    return NULL;
  }
  if (!z) unknown_member(p->place.scope, ast_text(e, x->a), x->name, x->name_span.file ? x->name_span : x->span);
  p->index_at = x->span;
  return z && z->kind == SY_BODY ? given_body(z, p) : z;
}

// constraint pin { normal = [a, b]; ... }: pin.lambda[1], pin.lambda[2]
static bool several_normals(Symbol *y) { return y->kind == SY_ROW && symbol_force(y) && y->nnormal > 1; }

static Symbol *walk(const Env *env, const Ast *x, Path *p) {
  Symbol *y;
  switch (x->kind) {
  case AST_NAME: return find_start(env, x, p);
  case AST_MEMBER:
    y = walk(env, x->a, p);
    return y && y->kind != SY_REFUSED ? member(env, x, p, y) : NULL;      // said at its declaration
  case AST_INDEX:
    y = walk(env, x->a, p);
    if (y && p->direction.n == 0 &&
        (p->force == TANGENTIAL || p->force == ROLL || (p->force == NORMAL && several_normals(y)))) {
      p->direction = x->list;
      return y;
    }
    if (y && p->index.n) {
      (void)no_value(env, x->span, "two pairs of brackets after each other", "write all indices in one pair: x[i, j]");
      return NULL;
    }
    p->index = x->list;
    p->index_at = x->span;
    return y;
  default:
    (void)no_value(env, x->span, "only names have members", "give the expression a name with `var`");
    return NULL;
  }
}

const Symbol *contact_of(const Env *env, const Ast *x) {
  const Scope *s = env->scope;
  if (x->kind == AST_MEMBER && is_reference(x->a)) {
    Path p = { 0 };
    const Symbol *first = x->a->kind == AST_NAME ? scope_find(env->scope, x->a->name) : NULL;
    if (!first || first->kind != SY_INSTANCE || first->decl->list.n) return NULL;
    Symbol *y = walk(env, x->a, &p);
    if (!y || !enter(env, &p, y)) return NULL;
    s = p.place.scope;
  } else if (x->kind != AST_NAME) return NULL;
  const Symbol *y = scope_find(s, x->name);
  return y && y->kind == SY_TOUCH ? y : NULL;
}

const Scope *instance_of(const Env *env, const Ast *x) {
  Path p = {0};
  Symbol *y = walk(env, x, &p);
  if (!y) return NULL;
  if (y->kind != SY_INSTANCE) {
    (void)no_value(env, x->span, arena_printf(env->e->a, "`%s` is neither a body nor an instance", ast_text(env->e, x)),
                   "a body is declared by its entries: body b { mass = 1, inertia = [1, 1, 1] }");
    return NULL;
  }
  return p.entered || enter(env, &p, y) ? p.place.scope : NULL;
}

// --- bodies ---

bool bodies_of(const Env *env, const Ast *x, BodyRange *out) {
  *out = (BodyRange){ 0 };
  Path p = { .ranges = true };
  Env of_bodies = *env;
  of_bodies.declare = "body";
  env = &of_bodies;
  if (!is_reference(x))
    return no_value(env, x->span, "this is no body",
                    "name a body, a family of bodies, a member ball[3], or some ball[2:5]");
  Symbol *y = walk(env, x, &p);
  if (!y) return false;
  if (y->kind != SY_INSTANCE || !symbol_force(y) || !y->child->body)
    return y->kind == SY_INSTANCE && y->progress == FAILED
               ? false
               : no_value(env, x->span, arena_printf(env->e->a, "`%s` is no body", ast_text(env->e, x)),
                          "a body is declared by its entries: body b { shape = sphere(1), density = 1000 }");
  if (!p.entered && !enter(env, &p, y)) return false;
  out->body = y;
  out->n = p.place.n;
  for (int k = 0; k < out->n; k++) {
    out->lo[k] = p.place.by[k];
    out->hi[k] = p.hi[k];
  }
  return true;
}

// --- what a symbol stands for ---

// All elements of an array that is stored: its shape must be known when compiling.
static Value whole_array(const Env *env, const Symbol *y, const Place *p, Span at) {
  Elab *e = env->e;
  Value v = {.unit = y->unit, .ndim = y->ndim, .span = at};
  if (y->ndim > MAX_DIMS) {
    Diag *d =
        diag(e->bag, DIAG_E0302, at, "`%s` has %d indices: it is neither a vector nor a matrix", y->name, y->ndim);
    diag_also(d, y->span, "declared here");
    diag_help(d, "use its elements: %s[%s]", y->name, y->ndim == 3 ? "i, j, k" : "i, j, ...");
    return bad_value(env, at);
  }
  for (int k = 0; k < y->ndim; k++) {
    MExpr size = y->size[k] ? *y->size[k] : (MExpr){0};
    size.span = at;
    if (y->kind != SY_VARIABLE) v.dim[k] = y->dim[k];
    else if (!fixed_size(env, &size, "the size of this array", &v.dim[k])) return bad_value(env, at);
  }
  if (v.ndim == 2 && (double)v.dim[0] * v.dim[1] > MAX_ELEMENTS) {
    Diag *d = diag(e->bag, DIAG_E0607, at, "`%s` is too large to be written out", y->name);
    diag_label(d, "%d x %d elements, the limit is %d", v.dim[0], v.dim[1], MAX_ELEMENTS);
    diag_help(d, "use its elements: %s[i, j]", y->name);
    return bad_value(env, at);
  }
  int n = value_count(&v);
  v.at = ARENA_ARRAY(e->a, MExpr *, n);
  for (int i = 0; i < n; i++) {
    if (y->kind != SY_VARIABLE) {
      v.at[i] = mx_param(e->a, y->id + i, NULL, 0, at);
      continue;
    }
    MExpr *index[MAX_INDICES];
    int k = 0;
    for (; k < p->n; k++) index[k] = p->by[k];
    if (y->ndim == 2) index[k++] = mx_num(e->a, i / v.dim[1] + 1, at);
    index[k++] = mx_num(e->a, (y->ndim == 2 ? i % v.dim[1] : i) + 1, at);
    v.at[i] = mx_var(e->a, &e->var.at[y->id], y->id, index, k, false, at);
  }
  return v;
}

typedef struct StoredAt { const Symbol *y; const Path *p; } StoredAt;
static Value stored(const Env *env, const Symbol *y, const Path *p, Span at);

static Value stored_element(const Env *env, AstList index, Span at, void *ctx) {
  const StoredAt *s = ctx;
  Path p = *s->p;
  p.index = index;
  return stored(env, s->y, &p, at);
}

static Value stored(const Env *env, const Symbol *y, const Path *p, Span at) {
  Elab *e = env->e;
  MExpr *index[MAX_INDICES], one = {.kind = MX_NUM, .num = 1};
  int outer = y->kind == SY_VARIABLE ? p->place.n : 0, n = outer;
  if (y->ndim && p->index.n == 0) return whole_array(env, y, &p->place, at);
  if (p->index.n != y->ndim) {
    (void)wrong_indices(env, y, p->index_at, p->index.n, y->ndim);
    return bad_value(env, at);
  }
  if (is_slice(p->index)) return slice_value(env, p->index, at, stored_element, &(StoredAt){y, p});
  for (int k = 0; k < outer; k++) index[k] = p->place.by[k];
  for (int k = 0; k < y->ndim; k++) {
    bool variable = y->kind == SY_VARIABLE;
    MExpr fixed = {.kind = MX_NUM, .num = variable ? 0 : y->dim[k]};
    const MExpr *hi = variable ? y->size[k] : &fixed;
    if (!read_index(env, p->index.at[k], &one, hi, y->name, &index[n++])) return bad_value(env, at);
  }
  if (y->kind == SY_VARIABLE)
    return scalar_value(mx_var(e->a, &e->var.at[y->id], y->id, index, n, false, at), y->unit, at, env);
  int offset = 0;
  bool plain = true;
  for (int k = 0; k < n; k++) {
    plain = plain && index[k]->kind == MX_NUM;
    offset = offset * y->dim[k] + (plain ? (int)index[k]->num - 1 : 0);
  }
  MExpr *x = plain ? mx_param(e->a, y->id + offset, NULL, 0, at) : mx_param(e->a, y->id, index, n, at);
  return scalar_value(x, y->unit, at, env);
}

// The place of one member of what stands in `for`s: index[0 .. *n), as many as y->ctx has loops.
static bool member_indices(const Env *env, const Symbol *y, const Path *p, MExpr **index, int *n) {
  *n = p->place.n;
  if (p->index.n != y->nfors) return wrong_indices(env, y, p->index_at, p->index.n, y->nfors);
  for (int k = 0; k < *n; k++) index[k] = p->place.by[k];
  for (int k = 0; k < y->nfors; k++) {
    const MExpr *lo = mx_subst(env->e->a, y->ctx.loop[*n].lo, index, *n);      // pair[i, j], j in 1:i
    const MExpr *hi = mx_subst(env->e->a, y->ctx.loop[*n].hi, index, *n);
    bool plain = !((lo->uses | hi->uses) & MU_LOOP);
    MExpr low = {.kind = MX_NUM, .num = -INFINITY}, high = {.kind = MX_NUM, .num = INFINITY};
    if (!read_index(env, p->index.at[k], plain ? lo : &low, plain ? hi : &high, y->name, &index[*n])) return false;
    ++*n;
  }
  return true;
}

static Value row_value(const Env *env, Symbol *y, const Path *p, Span at) {
  Elab *e = env->e;
  MExpr *index[MAX_INDICES];
  int n;
  if (!member_indices(env, y, p, index, &n)) return bad_value(env, at);
  bool rolls = is_rolling(y->decl);
  int half = y->nslip / 2, first = y->slip_id;
  if (p->force == NORMAL) first = y->id;
  if (p->force == SPIN) first = y->nslip == 3 && !is_slip_in_space(y->decl) ? y->slip_id + 2 : -1;
  if (p->force == ROLL) first = rolls ? y->slip_id + half : -1;
  for (int k = 0; first < 0 && k < y->decl->list2.n; k++)
    if (!known_law(y->decl->list2.at[k])) return bad_value(env, at);   // said there
  if (first < 0) {
    Diag *d = diag(e->bag, DIAG_E0201, at, "`%s` has no such force", y->name);
    diag_label(d, p->force == NORMAL ? "its normal force is given"
                  : p->force == SPIN ? "only contensou(mu, radius) has one"
                  : p->force == ROLL ? "only rolling(mu, mu_r) has one"
                                     : "it has no friction");
    diag_help(d, p->force == NORMAL ? "lambda_t is its friction" : "lambda is its normal force");
    return bad_value(env, at);
  }
  int many = p->force == NORMAL                        ? y->nnormal
             : p->force == ROLL || (rolls && p->force != SPIN) ? half
             : p->force == TANGENTIAL && y->nslip > 1   ? (y->nslip == 3 && is_slip_in_space(y->decl) ? 3 : 2)
                                                        : 1;
  if (many < 1) return bad_value(env, at);                 // rolling with one direction of slip: said at its law
  Value v = { .unit = e->var.at[first].unit,
              .ndim = many > 1,
              .dim = { many, 0 },
              .span = at,
              .at = ARENA_ARRAY(e->a, MExpr *, many) };
  for (int k = 0; k < many; k++) v.at[k] = mx_var(e->a, &e->var.at[first + k], first + k, index, n, false, at);
  if (p->per_time) {
    v.unit = unit_div(v.unit, unit_named("s"));
    for (int k = 0; k < many; k++) v.at[k] = mx_2(e->a, MOP_DIV, v.at[k], mx_step(e->a, at), at);
  }
  return p->direction.n ? index_value(env, v, p->direction, at) : v;
}

static Value inlined(const Env *env, Value v, const Path *p, const Ast *x) {
  Value r = v;
  r.span = x->span;
  r.at = ARENA_ARRAY(env->e->a, MExpr *, value_count(&v));
  for (int i = 0; i < value_count(&v); i++) r.at[i] = mx_subst(env->e->a, v.at[i], p->place.by, p->place.n);
  return p->index.n ? index_value(env, r, p->index, x->span) : r;
}

static Value output_value(const Env *env, const Symbol *y, const Path *p, const Ast *x) {
  if (!y->nfors) return inlined(env, y->value, p, x);
  Path member = { .place.scope = p->place.scope };
  return member_indices(env, y, p, member.place.by, &member.place.n) ? inlined(env, y->value, &member, x)
                                                                     : bad_value(env, x->span);
}

static Value symbol_value(const Env *env, Symbol *y, const Path *p, const Ast *x) {
  y->used = true;
  if (!symbol_force(y)) return bad_value(env, x->span);
  switch (y->kind) {
  case SY_VARIABLE: return stored(env, y, p, x->span);
  case SY_PARAM:
  case SY_FORMAL:
    return y->global ? set_stored(y, &p->place, stored(env, y, p, x->span)) : inlined(env, y->value, p, x);
  case SY_VAR: return inlined(env, y->value, p, x);
  case SY_OUTPUT: return output_value(env, y, p, x);
  case SY_ROW:
    if (p->force) return row_value(env, y, p, x->span);
    (void)no_value(env, x->span, arena_printf(env->e->a, "`%s` is a contact or constraint, not a number", y->name),
                   arena_printf(env->e->a, "its force is %s.lambda", ast_text(env->e, x)));
    break;
  case SY_TOUCH:
    if (is_reference(x) && x->kind == AST_MEMBER)
      return scalar_value(mx_touch(env->e->a, y->id, p->touch, NULL, 0, x->span), p->touch == MT_COUNT  ? UNIT_ONE
                                                                                  : env->e->has_units ? unit_named("m")
                                                                                                      : UNIT_ANY,
                          x->span, env);
    (void)no_value(env, x->span, arena_printf(env->e->a, "`%s` is a contact, not a number", y->name),
                   "how many points are closed is name.count; name.deepest, name.impulse(body)");
    break;
  case SY_RELATION:
    (void)no_value(env, x->span, arena_printf(env->e->a, "`%s` is a relation, not a number", y->name),
                   "use the multiplier that it ties");
    break;
  case SY_INSTANCE:
    if (y->name == env->e->word.ground && y->decl->kind == AST_BODY)
      (void)no_value(env, x->span, "`ground` is the body that does not move, not a number",
                     "the ground of a circuit is a node that is held: node gnd : V = 0;");
    else if (y->decl->kind == AST_BODY)
      (void)no_value(env, x->span, arena_printf(env->e->a, "`%s` is a body, not a number", y->name),
                     arena_printf(env->e->a, "its place is %s.r, its velocity %s.r'; a force on it: force %s.r = ...;",
                                  y->name, y->name, y->name));
    else (void)no_value(env, x->span, arena_printf(env->e->a, "`%s` is an instance of a model, not a number", y->name),
                   "use one of its variables: name.x, or name[i].x of a family");
    break;
  case SY_INPUT:
  case SY_BODY:
  case SY_REFUSED: break;
  }
  return bad_value(env, x->span);
}

// --- names that no scope declares ---

static bool constant(const Env *env, const Ast *x, Value *out) {
  Elab *e = env->e;
  if (x->name == e->word.pi)
    *out = scalar_value(mx_num(e->a, 3.14159265358979323846, x->span), UNIT_BARE, x->span, env);
  else if (x->name == e->word.inf) *out = scalar_value(mx_num(e->a, INFINITY, x->span), UNIT_BARE, x->span, env);
  else if (x->name == e->word.time)
    *out = scalar_value(mx_time(e->a, x->span), e->has_units ? unit_named("s") : UNIT_ANY, x->span, env);
  else return false;
  return true;
}

static Value local_value(const Env *env, const Local *l, AstList index, const Ast *x) {
  Path p = {.index = index};
  switch (l->kind) {
  case L_LOOP: {
    Value v = scalar_value(mx_loop(env->e->a, l->loop, x->span), UNIT_BARE, x->span, env);
    return index.n ? index_value(env, v, index, x->span) : v;
  }
  case L_VALUE: return inlined(env, l->value, &p, x);
  case L_SYMBOL: return symbol_value(env, l->symbol, &p, x);
  }
  return bad_value(env, x->span);
}

Value elab_ref(const Env *env, const Ast *x) {
  const Ast *base = x->kind == AST_INDEX ? x->a : x;
  AstList index = x->kind == AST_INDEX ? x->list : (AstList){0};
  if (!is_reference(x))
    return x->kind == AST_INDEX ? index_value(env, elab_expr(env, x->a), index, x->span)
                                : (walk(env, x, &(Path){ 0 }), bad_value(env, x->span));
  if (base->kind == AST_NAME) {
    const Local *l = local_find(env, base->name);
    if (l) return local_value(env, l, index, x);
    Value v;
    if (!scope_find(env->scope, base->name) && constant(env, base, &v))
      return index.n ? index_value(env, v, index, x->span) : v;
  }
  Path p = {0};
  Symbol *y = walk(env, x, &p);
  return y ? symbol_value(env, y, &p, x) : bad_value(env, x->span);
}

static Value no_row(const Env *env, const Ast *x, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0226, x->span, "`%s` is neither a contact nor a multiplier", ast_text(env->e, x));
  diag_label(d, "has no events of its own");
  diag_help(d, "%s", help);
  return bad_value(env, x->span);
}

// "wall" where that contact or multiplier is one of the instance's own; NULL: it has none.
static const char *row_inside(const Symbol *y) {
  const Map *names = y->child->names;
  for (size_t i = 0; i < map_size(names); i++) {
    const Symbol *part = map_get(names, map_key_at(names, i));
    if (part->kind == SY_ROW || (part->kind == SY_VARIABLE && part->var_kind == MV_MULTIPLIER)) return part->name;
  }
  return NULL;
}

Value elab_row_of(const Env *env, const Ast *x, const char *help) {
  Path p = { 0 };
  const Ast *base = x->kind == AST_INDEX ? x->a : x;
  if (!is_reference(x) || (base->kind == AST_NAME && local_find(env, base->name))) return no_row(env, x, help);
  Symbol *y = walk(env, x, &p);
  if (!y) return bad_value(env, x->span);
  if (y->kind == SY_INSTANCE && symbol_force(y)) {
    const char *part = row_inside(y);
    return no_row(env, x, part ? arena_printf(env->e->a, "name the part that has: %s.%s", ast_text(env->e, x), part)
                               : help);
  }
  if (y->kind == SY_ROW && !p.force && symbol_force(y)) p.force = y->id >= 0 ? NORMAL : TANGENTIAL;
  Value v = symbol_value(env, y, &p, x);
  if (v.bad) return v;
  const MExpr *at = v.at[0];
  bool row = at->kind == MX_VAR && !at->derivative &&
             (env->e->var.at[at->id].kind == MV_ROW || env->e->var.at[at->id].kind == MV_MULTIPLIER);
  return row ? scalar_value(v.at[0], v.unit, x->span, env) : no_row(env, x, help);
}
