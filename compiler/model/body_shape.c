// The shapes of a body: terms as they are written, where they are put, corners of each member of a family.
#include <math.h>
#include <string.h>

#include "body_parts.h"

static ShapeTerm *shape_term(const Env *env, const Ast *x);

static Value length_value(const Env *env, const Ast *x, const char *what) {
  Value v = elab_expr(env, x);
  if (v.bad || unit_check(env, v, env->e->has_units ? unit_named("m") : UNIT_ANY, what)) return v;
  return bad_value(env, x->span);
}

// The corners of each member of the family, whose indices stand in loop.
enum { MOST_MEMBERS = 4096 };
typedef struct Members { const Env *env; const Value *v; ShapeTerm *t; double loop[MAX_LOOPS]; bool bad; } Members;

static void each_member(Members *m, int k) {
  ShapeTerm *t = m->t;
  int n = value_count(m->v);
  double lo, hi;
  if (k == t->depth) {
    if (t->nmember >= MOST_MEMBERS) { m->bad = true; return; }
    memcpy(t->member + t->nmember * t->depth, m->loop, (size_t)t->depth * sizeof(double));
    for (int i = 0; i < n; i++)
      m->bad |= !try_eval(m->env->e, m->v->at[i], true, m->loop, k, &t->point[t->nmember * n + i]);
    t->nmember++;
    return;
  }
  const MLoop *l = &m->env->ctx.loop[k];
  m->bad |= !try_eval(m->env->e, l->lo, true, m->loop, k, &lo) || !try_eval(m->env->e, l->hi, true, m->loop, k, &hi);
  for (double i = lo; !m->bad && i <= hi; i++) {
    m->loop[k] = i;
    each_member(m, k + 1);
  }
}

static bool member_corners(const Env *env, const Value *v, ShapeTerm *t) {
  Elab *e = env->e;
  int n = value_count(v);
  for (int i = 0; i < n; i++)
    for (int k = t->depth; k < env->ctx.n; k++) if (uses_loop(v->at[i], k)) t->depth = k + 1;
  if (t->depth == 0) {
    t->nmember = 1;
    t->point = ARENA_ARRAY(e->a, double, n + 1);
    for (int i = 0; i < n; i++) if (!fixed_number(env, v->at[i], "a corner of a shape", &t->point[i])) return false;
    return true;
  }
  if (extra_uses(v, MU_PARAM | MU_LOOP)) {
    not_constant(env, v, "a corner of a shape", "use numbers, parameters and indices of the family");
    return false;
  }
  t->point = ARENA_ARRAY(e->a, double, MOST_MEMBERS * n + 1);
  t->member = ARENA_ARRAY(e->a, double, MOST_MEMBERS * t->depth + 1);
  Members m = { .env = env, .v = v, .t = t };
  each_member(&m, 0);
  if (!m.bad) return true;
  Diag *d = diag(e->bag, DIAG_E0601, v->span, t->nmember >= MOST_MEMBERS
                     ? "corners that differ are written out for 4096 members at most"
                     : "the corners of the members are not known when the model is compiled");
  diag_help(d, t->nmember >= MOST_MEMBERS ? "families with less members, or the same corners for all"
                                          : "give the parameters in them and in the bounds of the family a default");
  return false;
}

// convex([...]), polygon([...]): numbers when compiling.
static bool corners(const Env *env, const Ast *x, ShapeTerm *t) {
  Value v = length_value(env, x, "a corner of a shape");
  if (v.bad) return false;
  int dim = !strcmp(t->name, "polygon") ? 2 : 3;
  if (v.ndim != 2 || v.dim[1] != dim) {
    Diag *d = diag(env->e->bag, DIAG_E0248, v.span, "corners are a list of vectors of %d", dim);
    diag_label(d, "this is %s", shape_text(env->e, &v));
    diag_help(d, dim == 2 ? "polygon([[0, 0], [1, 0], [0, 1]])"
                          : "convex([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), or convex(\"file.obj\")");
    return false;
  }
  t->dim = dim;
  t->npoint = v.dim[0];
  return member_corners(env, &v, t);
}

static bool argument(const Env *env, const Ast *x, ShapeTerm *t) {
  bool polyhedron = !strcmp(t->name, "convex") || !strcmp(t->name, "polygon");
  if (x->kind == AST_STRING && polyhedron) t->path = x->name;
  if (polyhedron) return t->path || corners(env, x, t);
  Value v = t->value[t->nvalue] = length_value(env, x, "a size of a shape");
  for (int k = 0; k < 3; k++) {
    double *n = &t->number[t->nvalue][k];
    *n = 1;
    if (!v.bad && k < value_count(&v) && mx_constant(v.at[k]) && !first_number(env, v.at[k], n)) *n = 1;
  }
  t->nvalue++;
  return !v.bad;
}

// at(place), at(place, rotation)
static ShapeTerm *placed_term(const Env *env, const Ast *x) {
  Elab *e = env->e;
  ShapeTerm *t = shape_term(env, x->a);
  if (!t) return NULL;
  if (t->placed || x->list.n < 1 || x->list.n > 2) {
    Diag *d = diag(e->bag, DIAG_E0248, x->span, t->placed ? "this shape has two places" : "at(...) takes a place, or "
                                                                                        "a place and a rotation");
    diag_help(d, "sphere(1) at([0, 0, 1]);  box([1, 2, 3]) at([0, 0, 0], rotation([0, 0, 1], 30 [deg]))");
    return NULL;
  }
  t->placed = true;
  t->at = length_value(env, x->list.at[0], "the place of a shape");
  if (x->list.n > 1) t->turn = elab_expr(env, x->list.at[1]);
  const Value *each[] = { &t->at, &t->turn };
  for (int i = 0; i < 2; i++) {
    if (each[i]->bad) return NULL;
    if (!each[i]->at || !extra_uses(each[i], MU_PARAM | MU_LOOP)) continue;
    not_constant(env, each[i], "where a shape stands in its body", "a part that moves within the body is a body");
    return NULL;
  }
  return t->turn.at && !is_rotation_matrix(env, &t->turn) ? NULL : t;
}

static ShapeTerm *shape_term(const Env *env, const Ast *x) {
  Elab *e = env->e;
  int most = 0, n = x->kind == AST_CALL ? x->list.n : 0;
  if (x->kind == AST_PAREN) return shape_term(env, x->a);
  if (x->kind == AST_AT) return placed_term(env, x);
  bool form = (x->kind == AST_CALL && !x->a) || x->kind == AST_NAME;
  int least = form ? shape_arguments(x->name, &most) : -1;
  if (least < 0 || n < least || n > most) {
    shape_unknown(e, x);
    return NULL;
  }
  ShapeTerm *t = ARENA_NEW(e->a, ShapeTerm);
  *t = (ShapeTerm){ .name = x->name, .span = x->span };
  bool several = !strcmp(x->name, "union"), ok = true;
  t->part = ARENA_ARRAY(e->a, ShapeTerm *, n + 1);
  for (int i = 0; i < n; i++) {
    if (!several) ok = argument(env, x->list.at[i], t) && ok;
    else if ((t->part[t->nparts] = shape_term(env, x->list.at[i]))) t->nparts++;
    else ok = false;
  }
  return ok ? t : NULL;
}

// The entries shape and material; where a mass follows, the origin moves to the centre of mass.
bool body_shapes(const Env *env, const Symbol *y, Body *b) {
  Elab *e = env->e;
  const Ast *x = body_entry(y, "shape"), *material = body_entry(y, "material");
  if (!x) {
    if (material) (void)wrong_body_entry(e, material->span, "a material is of a shape, and this body has none",
                                    "add shape = sphere(0.1 [m])");
    return !material;
  }
  b->shapes.planar = b->planar;
  const ShapeTerm *t = shape_term(env, x);
  if (!t || !shapes_of(e, t, &b->shapes)) return false;
  bool moves = !b->fixed && !b->driven, weighs = body_entry(y, "mass") || body_entry(y, "density");
  if (b->shapes.endless && (moves || weighs)) {
    Diag *d = diag(e->bag, DIAG_E0248, x->span, "a half-%s has no end, so a body with this shape %s",
                   b->planar ? "plane" : "space", moves ? "cannot move" : "has no mass");
    diag_help(d, moves ? "add the word `fixed`, or `driven`" : "leave mass and density out");
    return false;
  }
  if (weighs && !body_entry(y, "inertia")) shapes_moved(e, &b->shapes, b->shapes.centre);
  else for (int i = 0; i < 3; i++) b->shapes.centre[i] = number(e, 0, x->span);
  return true;
}

int body_material(const Symbol *y) {
  Elab *e = y->env.e;
  const Ast *x = body_entry(y, "material");
  if (!x) return -1;
  for (size_t i = 0; i < e->material.n; i++)
    if (x->kind == AST_NAME && e->material.at[i] == x->name) return (int)i;
  Diag *d = diag(e->bag, DIAG_E0201, x->span, "unknown material `%s`", ast_text(e, x));
  diag_label(d, "not declared");
  if (x->kind == AST_NAME) diag_help(d, "material %s;", x->name);
  else diag_help(d, "a material is declared by its name: material steel;");
  return -1;
}
