// -y in normal_cone({l : A*l <= b, ...}, l): the multipliers l stay in a convex polyhedron, and -y points out of it.
// With the faces g_j(l) >= 0, affine in l, and a multiplier f_j for each [Rockafellar 1970, theorem 23.8]:
//
//     y = sum_j f_j dg_j/dl,    0 <= g_j(l) perp f_j >= 0                                                         (1)
//
// so l has free rows and the faces have complementarities. A polyhedron that is a box is better written as one.
#include <math.h>
#include <string.h>

#include "elab_relation.h"
#include "model_print.h"

typedef struct Faces { Vec(MExpr *) g; Vec(Span) at; } Faces;

// x with the elements of the multiplier replaced by numbers; NULL in `by`: by 0.
static MExpr *with_numbers(const Env *env, MExpr *x, const Value *l, const double *by) {
  if (!(x->uses & (MU_LAMBDA | MU_DISCRETE))) return x;
  if (x->kind == MX_VAR) {
    for (int i = 0; i < value_count(l); i++)
      if (mx_same(x, l->at[i])) return mx_num(env->e->a, by ? by[i] : 0, x->span);
    return x;
  }
  MExpr **arg = ARENA_ARRAY(env->e->a, MExpr *, x->nargs + 1);
  for (int i = 0; i < x->nargs; i++) arg[i] = with_numbers(env, x->arg[i], l, by);
  return x->kind == MX_OP ? mx_op(env->e->a, x->op, arg, x->nargs, x->span) : x;
}

static bool faces_of(const Env *env, const Ast *set, Faces *f) {
  for (int k = 0; k < set->list.n; k++) {
    const Ast *c = without_parentheses(set->list.at[k]);
    bool le = c->kind == AST_BINARY && (c->op == AO_LE || c->op == AO_LT),
         ge = c->kind == AST_BINARY && (c->op == AO_GE || c->op == AO_GT);
    if (!le && !ge) {
      Diag *d = diag(env->e->bag, DIAG_E0227, c->span, "a polyhedron is given by inequalities");
      diag_label(d, "not of the form a <= b");
      diag_help(d, "normal_cone({%s : A*%s <= b}, %s), or several: {%s : %s[1] + %s[2] <= 1, %s[1] >= 0}", set->name,
                set->name, set->name, set->name, set->name, set->name, set->name);
      return false;
    }
    Value a = elab_expr(env, c->a), b = elab_expr(env, c->b);
    if (a.bad || b.bad) return false;
    Value g = le ? binary_value(env, AO_SUB, b, a, c) : binary_value(env, AO_SUB, a, b, c);
    if (g.bad) return false;
    for (int i = 0; i < value_count(&g); i++) {
      vec_push(&f->g, g.at[i]);
      vec_push(&f->at, c->span);
    }
  }
  return true;
}

// Is it affine? Looked at where parameters have values, at two points that are no corners of anything: on both sides of
// 0, as abs(l) is straight on each.
static bool affine(const Env *env, MExpr *g, const Value *l) {
  int n = value_count(l);
  double *at = ARENA_ARRAY(env->e->a, double, n + 1), g0, value, moved = 0, size, loop[MAX_INDICES] = { 0 };
  if (!try_eval(env->e, with_numbers(env, g, l, NULL), false, loop, env->ctx.n, &g0)) return true;
  size = fabs(g0);
  for (int i = 0; i < n; i++) {
    double gi;
    memset(at, 0, (size_t)n * sizeof *at);
    at[i] = 1;
    if (!try_eval(env->e, with_numbers(env, g, l, at), false, loop, env->ctx.n, &gi)) return true;
    moved += (0.73 + i)*(gi - g0);
    size += fabs((0.73 + i)*(gi - g0));
  }
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int i = 0; i < n; i++) at[i] = sign*(0.73 + i);
    if (!try_eval(env->e, with_numbers(env, g, l, at), false, loop, env->ctx.n, &value)) return true;
    if (!(fabs(value - (g0 + sign*moved)) <= 1e-9*size)) return false;
  }
  return true;
}

static bool usable(const Env *env, MExpr *g, const Value *l, Span at) {
  MExpr *rest = with_numbers(env, g, l, NULL);
  bool constant = mx_constant(rest);
  if (constant && rest != g && affine(env, g, l)) return true;
  Diag *d = diag(env->e->bag, DIAG_E0227, at,
                 rest->uses & MU_LAMBDA ? "this inequality contains multipliers that the cone is not taken at"
                 : !constant ? "the faces of a polyhedron do not change during a run"
                 : rest == g ? "this inequality does not contain the multiplier"
                             : "this inequality is not affine in the multiplier");
  if (rest->uses & MU_LAMBDA) diag_help(d, "normal_cone({l : A*l <= b}, l) is taken at all of them");
  else if (!constant) diag_help(d, "a box may move: -y in normal_cone([lo, hi], u) for each element");
  else diag_help(d, "a face is A*l <= b with constant A and b");
  return false;
}

// A free row for each l, a complementarity for each face.
static void push_faces(const Env *env, const Ast *x, Sides *s, const Faces *f) {
  Elab *e = env->e;
  Arena *m = e->a;
  const char *law = family_name(env, x->name);
  Hidden h;
  int nf = (int)f->g.n, n = value_count(&s->u);
  for (int j = 0; j < nf; j++) if (!usable(env, f->g.at[j], &s->u, f->at.at[j])) return;
  if (!hidden_multiplier(env, s->u.at[0], (HiddenName){ law, "face", nf, UNIT_ANY }, s->law_span, &h)) return;
  MRelation r = { .ctx = env->ctx, .asserted = s->asserted, .span = x->span, .y_span = s->y.span,
                  .lambda_span = s->u.span, .law_span = s->law_span };
  double *unit = ARENA_ARRAY(m, double, n + 1);
  for (int k = 0; k < n; k++) {
    r.law = ML_FREE;
    r.name = s->u.ndim ? arena_printf(m, "%s[%d]", law, k + 1) : law;
    r.y = relation_element(&s->y, k);
    r.lambda = relation_element(&s->u, k);
    memset(unit, 0, (size_t)n * sizeof *unit);
    unit[k] = 1;
    for (int j = 0; j < nf; j++) {                         // - f_j dg_j/dl_k, a difference as g is affine
      MExpr *g = f->g.at[j], *slope = mx_minus(m, with_numbers(env, g, &s->u, unit), with_numbers(env, g, &s->u, NULL));
      double known;
      if (try_eval(e, slope, false, NULL, 0, &known) && known == 0 && !(slope->uses & (MU_PARAM | MU_LOOP))) continue;
      r.y = mx_minus(m, r.y, mx_times(m, slope, hidden_number(env, &h, j + 1, s->law_span)));
    }
    push_relation(env, r);
  }
  for (int j = 0; j < nf; j++) {
    r.law = ML_NONNEG;
    r.name = arena_printf(m, "%s, face %d", law, j + 1);
    r.y = f->g.at[j];
    r.lambda = hidden_number(env, &h, j + 1, f->at.at[j]);
    r.lambda_span = f->at.at[j];
    push_relation(env, r);
  }
}

void polyhedron_law(const Env *env, const Ast *x, const Ast *cone, Sides *s) {
  Elab *e = env->e;
  const Ast *lhs = without_parentheses(x->a->a), *set = without_parentheses(cone->list.at[0]),
            *name = without_parentheses(cone->list.at[1]);
  bool minus = lhs->kind == AST_UNARY && lhs->op == AO_NEG;
  s->y = minus ? elab_expr(env, lhs->a) : negated(env, elab_expr(env, lhs), lhs->span);
  s->u = elab_expr(env, name);
  if (s->y.bad || s->u.bad || !unit_check(env, s->y, UNIT_ANY, "the output of a relation")) return;
  if (!is_multiplier(env, &s->u)) {
    needs_multiplier(env, s->u.span, "the second argument of normal_cone must be a multiplier",
                     "multiplier l[2]; relation N: -y in normal_cone({l : A*l <= b}, l);");
    return;
  }
  const Ast *whole = name->kind == AST_INDEX ? name->a : name;      // l[1:2]: the set speaks of elements of l
  if (whole->kind != AST_NAME || strcmp(whole->name, set->name)) {
    Diag *d = diag(e->bag, DIAG_E0227, set->name_span, "the set and the cone speak of different multipliers");
    diag_also(d, cone->list.at[1]->span, "the cone is taken at this one");
    diag_help(d, "normal_cone({l : A*l <= b}, l) with one name; of a part: {l : l[1] + l[2] <= 1}, l[1:2]");
    return;
  }
  if (!relation_fits(env, &s->y, &s->u) || (s->u.ndim && !s->y.ndim && !relation_fits(env, &s->u, &s->y))) return;
  Faces f = { 0 };
  if (faces_of(env, set, &f)) push_faces(env, x, s, &f);
  vec_free(&f.g);
  vec_free(&f.at);
}
