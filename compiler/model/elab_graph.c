// u in graph(s, [(s1, u1), (s2, u2), ..., (sn, un)]): the point (s, u) lies on the polyline through these points, whose
// first and last pieces go on. Pieces may be vertical and horizontal.
//
// Where s never goes back along the polyline, u is its first ordinate and a sum of pieces, one for each that is not
// horizontal (horizontal ones add nothing):
//
//     u = u1 + p1 + p2 + ...,   p_j between 0 and du_j,   -(|ds_j/du_j| p_j -+ (s - s_j)) in N_[.., ..](p_j)       (1)
//
// with - where the piece rises and + where it falls: p_j = clip(du_j/ds_j (s - s_j)), or a relay where ds_j = 0. The
// first and the last piece lack the bound where they go on. So a graph is as many boxes as it has pieces that rise or
// fall, as in the canonical form of Chua and Kang (1977) with set-valued corners.
//
// Else the polyline has a parameter w, which is j - 1 where piece j begins, and both s and u are sums
// (van Bokhoven 1981; Leenaerts and van Bokhoven 1998):
//
//     s = s1 + ds_1 p1 + ...,   u = u1 + du_1 p1 + ...,   p_j in [0, 1],   -(p_j - (w - j + 1)) in N_[0, 1](p_j)    (2)
//
// A graph that does not rise all along, nor falls, may give problems with several solutions, or with none (W0835).
#include <math.h>
#include <string.h>

#include "elab_relation.h"

enum { MOST_POINTS = 1000 };
typedef struct Polyline { int n; double *s, *u; Span *at; } Polyline;

// --- the points ---

static void no_point(const Env *env, Span at) {
  Diag *d = diag(env->e->bag, DIAG_E0227, at, "a graph is a list of points");
  diag_label(d, "not of the form (s, u)");
  diag_help(d, "u in graph(s, [(-1, -1), (0, -1), (0, 1), (1, 1)])");
}

static bool coordinate(const Env *env, Value v, const Value *like, const char *what, double *out) {
  if (v.bad || !unit_check(env, v, like->unit, what)) return false;
  bare_number(env, like, &v);
  if (!fixed_number(env, v.at[0], "a point of a graph", out)) return false;
  if (isfinite(*out)) return true;
  Diag *d = diag(env->e->bag, DIAG_E0227, v.span, "a point of a graph is finite");
  diag_help(d, "the first and the last piece go on by themselves; a piece that ends is followed by a vertical one");
  return false;
}

static bool read_points(const Env *env, const Ast *list, const Sides *s, Polyline *p) {
  list = without_parentheses(list);
  bool ok = list->kind == AST_VECTOR, literal = ok && list->list.n > 0 && list->list.at[0]->kind == AST_POINT;
  Value table = { 0 };
  if (!literal) {                                          // a parameter: a matrix of two columns
    if (ok || is_reference(list)) table = elab_expr(env, list);
    if (table.bad) return false;
    if (table.ndim != 2 || table.dim[1] != 2) { no_point(env, list->span); return false; }
  }
  p->n = literal ? list->list.n : table.dim[0];
  if (p->n > MOST_POINTS) {
    not_supported(env, DIAG_E0703, list->span, "a graph of more than a thousand points", "a smooth part is a function");
    return false;
  }
  p->s = ARENA_ARRAY(env->e->a, double, p->n + 1);
  p->u = ARENA_ARRAY(env->e->a, double, p->n + 1);
  p->at = ARENA_ARRAY(env->e->a, Span, p->n + 1);
  for (int i = 0; i < p->n; i++) {
    Value a, b;
    p->at[i] = literal ? list->list.at[i]->span : list->span;
    if (literal) {
      const Ast *point = list->list.at[i];
      if (point->kind != AST_POINT || point->list.n != 2) { no_point(env, point->span); return false; }
      a = elab_scalar(env, point->list.at[0]);
      b = elab_scalar(env, point->list.at[1]);
    } else {
      a = b = table;
      a.ndim = b.ndim = 0;
      a.at = table.at + 2*i;
      b.at = a.at + 1;
      a.unit = b.unit = UNIT_ANY;
    }
    if (!coordinate(env, a, &s->y, "the first number of a point", &p->s[i]) ||
        !coordinate(env, b, &s->u, "the second number of a point", &p->u[i]))
      return false;
    if (i == 0 || p->s[i] != p->s[i - 1] || p->u[i] != p->u[i - 1]) continue;
    Diag *d = diag(env->e->bag, DIAG_E0227, p->at[i], "two points of this graph are the same");
    if (literal) diag_also(d, p->at[i - 1], "the point before");
    diag_help(d, "leave one of the two out");
    return false;
  }
  if (p->n >= 2) return true;
  Diag *d = diag(env->e->bag, DIAG_E0227, list->span, "a graph needs two points at least");
  diag_help(d, "u in graph(s, [(-1, -1), (0, -1), (0, 1), (1, 1)])");
  return false;
}

// --- its form ---

static void reverse(Polyline *p) {
  for (int i = 0, k = p->n - 1; i < k; i++, k--) {
    double s = p->s[i], u = p->u[i];
    p->s[i] = p->s[k];
    p->u[i] = p->u[k];
    p->s[k] = s;
    p->u[k] = u;
  }
}

// Pieces of one line in one direction are one piece.
static void join(Polyline *p) {
  int n = 1;
  for (int i = 1; i < p->n; i++) {
    double ds = n > 1 ? p->s[n - 1] - p->s[n - 2] : 0, du = n > 1 ? p->u[n - 1] - p->u[n - 2] : 0,
           es = p->s[i] - p->s[n - 1], eu = p->u[i] - p->u[n - 1];
    bool same = n > 1 && ((ds == 0 && es == 0 && du*eu > 0) || (du == 0 && eu == 0 && ds*es > 0));
    if (same) n--;
    p->s[n] = p->s[i];
    p->u[n++] = p->u[i];
  }
  p->n = n;
}

// s never goes back, and vertical pieces do not run over themselves.
static bool never_back(const Polyline *p) {
  for (int i = 1; i < p->n; i++) {
    if (p->s[i] < p->s[i - 1]) return false;
    if (i > 1 && p->s[i] == p->s[i - 1] && p->s[i - 1] == p->s[i - 2]) return false;
  }
  return true;
}

// +1: it never falls, -1: it never rises, 0: neither.
static int sense(const Polyline *p) {
  bool up = true, down = true;
  for (int i = 1; i < p->n; i++) {
    double ds = p->s[i] - p->s[i - 1], du = p->u[i] - p->u[i - 1];
    up = up && ds >= 0 && du >= 0;
    down = down && ds >= 0 && du <= 0;
  }
  if (up || down) return up ? 1 : -1;
  return 0;
}

static void warn_sense(const Env *env, const Ast *call) {
  Diag *d = diag(env->e->bag, DIAG_W0835, call->span, "this graph neither rises nor falls all along");
  diag_note(d, "a step may have several solutions, of which it takes one, or none");
  diag_help(d, "--check-unique says where there are several");
}

// --- rows ---

typedef struct Row { const Env *env; const Ast *x; const Sides *s; const char *name; } Row;

static void push_row(const Row *w, const char *name, MExpr *y, MExpr *lambda, double lo, double hi,
                     MAlgebraicKind algebraic) {
  Arena *m = w->env->e->a;
  MRelation r = { .ctx = w->env->ctx, .name = name, .y = y, .lambda = lambda, .algebraic = algebraic,
                  .asserted = w->s->asserted, .span = w->x->span, .y_span = w->s->y.span,
                  .lambda_span = w->s->u.span, .law_span = w->s->law_span };
  r.law = isinf(lo) && isinf(hi) ? ML_FREE : lo == 0 && isinf(hi) ? ML_NONNEG : ML_BOX;
  if (r.law == ML_BOX) {
    r.lo = mx_num(m, lo, w->s->law_span);
    r.hi = mx_num(m, hi, w->s->law_span);
  }
  push_relation(w->env, r);
}

static MExpr *scaled(const Row *w, double factor, MExpr *x) {
  return mx_times(w->env->e->a, mx_num(w->env->e->a, factor, x->span), x);
}

// x - c
static MExpr *less(const Row *w, MExpr *x, double c) {
  return c == 0 ? x : mx_minus(w->env->e->a, x, mx_num(w->env->e->a, c, x->span));
}

// (1) of the piece from point k - 1 to point k, with p = unknown - from.
static void piece(const Row *w, const Polyline *p, int k, const char *name, MExpr *unknown, double from, MExpr *s) {
  Arena *m = w->env->e->a;
  double ds = p->s[k] - p->s[k - 1], du = p->u[k] - p->u[k - 1];
  double before = k == 1 ? -INFINITY : 0, behind = k == p->n - 1 ? INFINITY : fabs(du);
  MExpr *y = less(w, s, p->s[k - 1]);
  if (du > 0) y = mx_neg(m, y, s->span);
  if (ds != 0) y = mx_plus(m, scaled(w, ds/fabs(du), less(w, unknown, from)), y);
  push_row(w, name, y, unknown, from + (du > 0 ? before : -behind), from + (du > 0 ? behind : -before), MALG_NONE);
}

static const char *piece_name(const Row *w, int k) {
  return arena_printf(w->env->e->a, "%s, piece %d", w->name, k);
}

static bool function_of_s(const Row *w, const Polyline *p, MExpr *s, MExpr *u) {
  Arena *m = w->env->e->a;
  int steps = 0, only = 0;
  for (int k = 1; k < p->n; k++)
    if (p->u[k] != p->u[k - 1]) { steps++; only = k; }
  if (steps == 1) { piece(w, p, only, w->name, u, p->u[0], s); return true; }
  MExpr *sum = mx_num(m, p->u[0], w->s->u.span);
  Hidden h;
  const HiddenName pieces = { w->name, "piece", steps, w->s->u.unit };
  if (steps > 0 && !hidden_multiplier(w->env, u, pieces, w->s->law_span, &h)) return false;
  for (int k = 1, n = 0; k < p->n; k++) {
    if (p->u[k] == p->u[k - 1]) continue;
    MExpr *part = hidden_number(w->env, &h, ++n, w->s->law_span);
    piece(w, p, k, piece_name(w, n), part, 0, s);
    sum = mx_plus(m, sum, part);
  }
  push_row(w, w->name, mx_minus(m, u, sum), u, -INFINITY, INFINITY, MALG_UNKNOWN);
  return true;
}

// (2)
static bool by_parameter(const Row *w, const Polyline *p, MExpr *s, MExpr *u) {
  Arena *m = w->env->e->a;
  Span at = w->s->law_span;
  Hidden h, along;
  if (!hidden_multiplier(w->env, u, (HiddenName){ w->name, "piece", p->n - 1, UNIT_ANY }, at, &h) ||
      !hidden_multiplier(w->env, u, (HiddenName){ w->name, "along", 1, UNIT_ANY }, at, &along)) return false;
  MExpr *way = hidden_number(w->env, &along, 1, at), *sum_s = mx_num(m, p->s[0], at), *sum_u = mx_num(m, p->u[0], at);
  for (int k = 1; k < p->n; k++) {
    MExpr *part = hidden_number(w->env, &h, k, at);
    double ds = p->s[k] - p->s[k - 1], du = p->u[k] - p->u[k - 1];
    push_row(w, piece_name(w, k), mx_minus(m, part, less(w, way, k - 1)), part, k == 1 ? -INFINITY : 0,
             k == p->n - 1 ? INFINITY : 1, MALG_NONE);
    if (ds != 0) sum_s = mx_plus(m, sum_s, scaled(w, ds, part));
    if (du != 0) sum_u = mx_plus(m, sum_u, scaled(w, du, part));
  }
  push_row(w, arena_printf(m, "%s, along", w->name), mx_minus(m, sum_s, s), way, -INFINITY, INFINITY, MALG_NONE);
  push_row(w, w->name, mx_minus(m, u, sum_u), u, -INFINITY, INFINITY, MALG_UNKNOWN);
  return true;
}

void graph_law(const Env *env, const Ast *x, const Ast *call, Sides *s) {
  Polyline p = { 0 };
  if (!arity_ok(env, call, 2)) return;
  s->u = elab_expr(env, x->a->a);
  s->y = elab_expr(env, call->list.at[0]);
  if (s->u.bad || s->y.bad || !unit_check(env, s->y, UNIT_ANY, "the argument of a graph")) return;
  if (!is_multiplier(env, &s->u)) {
    needs_multiplier(env, s->u.span, "the left side of `in` must be a multiplier",
                     "multiplier u; relation N: u in graph(s, [(0, 0), (1, 2)]); and let u act in an equation");
    return;
  }
  if (!relation_fits(env, &s->y, &s->u) || (s->u.ndim && !s->y.ndim && !relation_fits(env, &s->u, &s->y))) return;
  if (!read_points(env, call->list.at[1], s, &p)) return;
  bool back = true;
  for (int i = 1; i < p.n; i++) back = back && p.s[i] <= p.s[i - 1];
  if (back) reverse(&p);
  join(&p);
  if (!sense(&p)) warn_sense(env, call);
  const char *name = family_name(env, x->name);
  for (int i = 0; i < value_count(&s->u); i++) {
    Row w = { env, x, s, s->u.ndim ? arena_printf(env->e->a, "%s[%d]", name, i + 1) : name };
    MExpr *y = relation_element(&s->y, i), *u = relation_element(&s->u, i);
    if (!(never_back(&p) ? function_of_s : by_parameter)(&w, &p, y, u)) return;
  }
}
