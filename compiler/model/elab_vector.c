// The algebra of shapes: vectors and matrices are written out as scalars while the model is read.
//   a + b, a - b   elementwise, shapes alike      s*a, a*s, a/s   by a number
//   A*B, A*x       matrix products                dot(a, b), norm(a), transpose(A)
#include <math.h>

#include "elab.h"

// --- messages ---

void shape_error(const Env *env, Span at, const Value *a, const Value *b, const char *verb, const char *help) {
  (void)at;
  Diag *d =
      diag(env->e->bag, DIAG_E0302, a->span, "cannot %s %s and %s", verb, shape_text(env->e, a), shape_text(env->e, b));
  diag_label(d, "%s", shape_text(env->e, a));
  diag_also(d, b->span, "%s", shape_text(env->e, b));
  diag_help(d, "%s", help);
}

static Value unit_error(const Env *env, const Ast *x, const Value *a, const Value *b, const char *verb) {
  Text ta = {0}, tb = {0};
  unit_print(a->unit, &ta);
  unit_print(b->unit, &tb);
  Diag *d = diag(env->e->bag, DIAG_E0301, a->span, "cannot %s %s and %s", verb, text_str(&ta), text_str(&tb));
  diag_label(d, "in %s", text_str(&ta));
  diag_also(d, b->span, "in %s", text_str(&tb));
  Text q = {0};
  unit_print(unit_div(a->unit, b->unit), &q);
  diag_help(d, "is a factor in %s missing on the right-hand term?", text_str(&q));
  text_free(&q);
  text_free(&ta);
  text_free(&tb);
  return bad_value(env, x->span);
}

static bool numbers_only(const Env *env, const Value *a) {
  if (!a->truth) return true;
  Diag *d = diag(env->e->bag, DIAG_E0228, a->span, "cannot compute with a condition");
  diag_label(d, "this is a condition, not a number");
  diag_help(d, "write: if %s then 1 else 0", inner_text(env, a->span));
  diag_edit(d, a->span, "(if %s then 1 else 0)", inner_text(env, a->span));
  return false;
}

// --- building ---

static Value listed(const Env *env, const Ast *x, const Ast *list);

static Value make(const Env *env, const Value *like, int n, Unit u, Span at) {
  Value v = {.unit = u, .ndim = like->ndim, .dim = {like->dim[0], like->dim[1]}, .span = at};
  v.at = ARENA_ARRAY(env->e->a, MExpr *, n);
  return v;
}

// An element of [a, 2*i, sin(phi)] [m]: numbers have the unit already, what is computed without one gets it here.
static Value with_unit_of(const Env *env, const Ast *x, const Ast *list) {
  const Ast *in = x;
  while (in->kind == AST_UNARY || in->kind == AST_PAREN) in = in->a;
  if (x->kind == AST_VECTOR) return listed(env, x, list);
  Value v = elab_expr(env, x);
  Unit u;
  if (v.bad || !list || in->kind == AST_NUMBER || !declared_unit(env->e, list, &u)) return v;
  bool factor = unit_compatible(v.unit, UNIT_ONE) && !v.unit.written && v.unit.scale == 1;     // sin(a), h/r
  if (v.unit.state == UNIT_KNOWN && !factor) {
    Diag *d = diag(env->e->bag, DIAG_E0120, x->span, "this element has a unit of its own");
    diag_also(d, list->unit_span, "the unit of the list");
    diag_help(d, "leave the unit behind the list out, and give each element its own");
    return bad_value(env, x->span);
  }
  if (!numbers_only(env, &v)) return bad_value(env, x->span);
  if (u.scale != 1) v = scaled_value(env, v, u);
  v.unit = u;
  return v;
}

Value vector_literal(const Env *env, const Ast *x) { return listed(env, x, NULL); }

// list: the vector around x whose unit the elements have; NULL: none
static Value listed(const Env *env, const Ast *x, const Ast *list) {
  if (x->unit) list = x;
  Value r = {.unit = UNIT_BARE, .ndim = 1, .dim = {x->list.n, 0}, .span = x->span};
  int inner = -1;
  bool bad = false, mixed = false;
  Vec(MExpr *) at = {0};
  Value first = {0};
  for (int i = 0; i < x->list.n; i++) {
    Value v = with_unit_of(env, x->list.at[i], list);
    if (v.bad || !numbers_only(env, &v)) {
      bad = true;
      continue;
    }
    int size = v.ndim == 0 ? 0 : v.dim[0];
    if (v.ndim > 1) {
      shape_error(env, x->span, &v, &v, "put into a vector", "a matrix is a vector of rows: [[a, b], [c, d]]");
      bad = true;
    } else if (inner >= 0 && size != inner) {
      shape_error(env, x->span, &first, &v, "put into one vector",
                  "all rows of a matrix have the same length: [[a, b], [c, d]]");
      bad = true;
    }
    if (inner < 0) first = v;
    if (inner < 0) inner = size;
    mixed = mixed || !unit_compatible(r.unit, v.unit);
    if (i > 0 && !mixed) bare_number(env, &first, &v);
    r.unit = unit_of_elements(r.unit, v.unit);
    for (int k = 0; k < value_count(&v); k++) vec_push(&at, v.at[k]);
  }
  if (inner > 0) {
    r.ndim = 2;
    r.dim[1] = inner;
  }
  if (mixed) r.unit = UNIT_ANY;   // [x, phi]: each element has its own
  if (x->list.n == 0) {
    Diag *d = diag(env->e->bag, DIAG_E0302, x->span, "a vector needs at least one element");
    diag_label(d, "empty");
    bad = true;
  }
  if (bad) {
    vec_free(&at);
    return bad_value(env, x->span);
  }
  r.at = vec_freeze(env->e->a, &at);
  return r;
}

Value negated(const Env *env, Value v, Span at) {
  if (v.bad || !numbers_only(env, &v)) return bad_value(env, at);
  Value r = make(env, &v, value_count(&v), v.unit, at);
  for (int i = 0; i < value_count(&v); i++) r.at[i] = mx_neg(env->e->a, v.at[i], at);
  return r;
}

Value transpose_value(const Env *env, Value v, Span at) {
  if (v.bad || v.ndim == 0) return v;
  Value r = make(env, &v, value_count(&v), v.unit, at);
  if (v.ndim == 1) {   // a row
    r.ndim = 2;
    r.dim[0] = 1;
    r.dim[1] = v.dim[0];
    for (int i = 0; i < v.dim[0]; i++) r.at[i] = v.at[i];
    return r;
  }
  r.dim[0] = v.dim[1];
  r.dim[1] = v.dim[0];
  for (int i = 0; i < v.dim[0]; i++)
    for (int k = 0; k < v.dim[1]; k++) r.at[k * v.dim[0] + i] = v.at[i * v.dim[1] + k];
  return r;
}

// One term of a product of matrices; structural zeros and ones are not written out.
static MExpr *product_term(const Env *env, MExpr *a, MExpr *b, Span at) {
  if (mx_is_num(a, 0) || mx_is_num(b, 0)) return NULL;
  if (mx_is_num(a, 1)) return b;
  if (mx_is_num(b, 1)) return a;
  return mx_2(env->e->a, MOP_MUL, a, b, at);
}

Value dot_value(const Env *env, Value a, Value b, Span at) {
  if (a.bad || b.bad) return bad_value(env, at);
  if (a.ndim != 1 || b.ndim != 1 || a.dim[0] != b.dim[0]) {
    shape_error(env, at, &a, &b, "take the dot product of", "dot(a, b) takes two vectors of the same length");
    return bad_value(env, at);
  }
  Vec(MExpr *) term = {0};
  for (int i = 0; i < a.dim[0]; i++) {
    MExpr *t = product_term(env, a.at[i], b.at[i], at);
    if (t) vec_push(&term, t);
  }
  Value r = scalar_value(mx_sum(env->e->a, term.at, (int)term.n, at), unit_mul(a.unit, b.unit), at, env);
  vec_free(&term);
  return r;
}

Value norm_value(const Env *env, Value v, Span at) {
  if (v.bad) return v;
  if (v.ndim != 1) {
    Diag *d = diag(env->e->bag, DIAG_E0302, v.span, "norm takes a vector");
    diag_label(d, "this is %s", shape_text(env->e, &v));
    diag_help(d, v.ndim ? "norm of a matrix is not in the language" : "for a number use abs(...)");
    return bad_value(env, at);
  }
  Value s = dot_value(env, v, v, at);
  s.at[0] = mx_1(env->e->a, MOP_SQRT, s.at[0], at);
  s.unit = v.unit;
  return s;
}

// A*B with A (rows x inner), B (inner x cols); a vector on the right is one column.
static Value matrix_product(const Env *env, Value a, Value b, Span at) {
  int rows = a.dim[0], inner = a.dim[1], cols = b.ndim == 2 ? b.dim[1] : 1;
  if (inner != b.dim[0]) {
    shape_error(env, at, &a, &b, "multiply",
                "the columns of the left factor must be as many as the rows of the right one");
    return bad_value(env, at);
  }
  if ((double)rows * inner * cols > 10.0 * MAX_ELEMENTS) {
    Diag *d = diag(env->e->bag, DIAG_E0607, at, "this product is too large to be written out");
    diag_label(d, "%d x %d times %d x %d", rows, inner, inner, cols);
    diag_help(d, "write it with loops: for i in 1:n { ... }");
    return bad_value(env, at);
  }
  Value r = {.unit = unit_mul(a.unit, b.unit), .ndim = b.ndim, .dim = {rows, b.ndim == 2 ? cols : 0}, .span = at};
  r.at = ARENA_ARRAY(env->e->a, MExpr *, rows * cols);
  MExpr **term = ARENA_ARRAY(env->e->a, MExpr *, inner);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      int n = 0;
      for (int k = 0; k < inner; k++) {
        MExpr *t = product_term(env, a.at[i * inner + k], b.at[k * cols + j], at);
        if (t) term[n++] = t;
      }
      r.at[i * cols + j] = mx_sum(env->e->a, term, n, at);
    }
  return r;
}

// --- operations ---

static Value elementwise(const Env *env, MOp op, const Value *a, const Value *b, Unit u, Span at) {
  const Value *big = a->ndim ? a : b;
  Value r = make(env, big, value_count(big), u, at);
  for (int i = 0; i < value_count(big); i++)
    r.at[i] = mx_2(env->e->a, op, a->at[a->ndim ? i : 0], b->at[b->ndim ? i : 0], at);
  return r;
}

static Value sum_value(const Env *env, AstOp op, const Value *a, const Value *b, const Ast *x) {
  const char *verb = op == AO_ADD ? "add" : "subtract";
  if (a->ndim != b->ndim || value_count(a) != value_count(b) || (a->ndim && a->dim[0] != b->dim[0])) {
    shape_error(env, x->span, a, b, verb, "both must have the same size");
    return bad_value(env, x->span);
  }
  if (!units_meet(env->e, a->unit, b->unit, x->span)) return unit_error(env, x, a, b, verb);
  bare_number(env, a, b);
  return elementwise(env, op == AO_ADD ? MOP_ADD : MOP_SUB, a, b, unit_merge(a->unit, b->unit), x->span);
}

static Value product_value(const Env *env, const Value *a, const Value *b, const Ast *x) {
  if (a->ndim == 0 || b->ndim == 0) return elementwise(env, MOP_MUL, a, b, unit_mul(a->unit, b->unit), x->span);
  if (a->ndim == 2) return matrix_product(env, *a, *b, x->span);
  shape_error(env, x->span, a, b, "multiply",
              b->ndim == 1 ? "for the scalar product write dot(a, b)" : "a vector is a column: transpose(a)*B, or B*a");
  return bad_value(env, x->span);
}

static Value power_value(const Env *env, const Value *a, const Value *b, const Ast *x) {
  if (a->ndim || b->ndim) {
    const Ast *of = x->a->kind == AST_PRIME ? x->a->a : x->a;
    const char *help = "powers are for numbers; for a square write dot(a, a) or A*A";
    if (of->kind == AST_NAME && env->ctx.n > env->scope->ctx.n) {              // sum(i in 1:n) x^2
      const char *i = env->ctx.loop[env->ctx.n - 1].name, *mark = of == x->a ? "" : "'";
      help = arena_printf(env->e->a, "powers are for numbers: of an element, %s[%s]%s, or dot(%s%s, %s%s)", of->name, i,
                          mark, of->name, mark, of->name, mark);
    }
    shape_error(env, x->span, a, b, "raise to a power:", help);
    return bad_value(env, x->span);
  }
  if (!unit_check(env, *b, UNIT_ONE, "an exponent")) return bad_value(env, x->span);
  Unit u = a->unit;
  double p;
  bool plain = unit_compatible(a->unit, UNIT_ONE);
  bool known = !b->at[0]->uses && try_eval(env->e, b->at[0], false, NULL, 0, &p);
  if (!plain && (!known || !unit_pow(a->unit, p, &u))) {
    Text t = {0};
    unit_print(a->unit, &t);
    Diag *d = diag(env->e->bag, DIAG_E0304, b->span,
                   known ? "this power of %s is not a unit" : "the exponent of a quantity in %s must be a plain number",
                   text_str(&t));
    diag_label(d, known ? "only whole and half exponents of units exist" : "not a plain number");
    diag_also(d, a->span, "in %s", text_str(&t));
    diag_help(d, "divide by a reference quantity first: (x/x0)^p");
    text_free(&t);
    return bad_value(env, x->span);
  }
  if (unit_named_by(a->unit) && known) (void)unit_pow(a->unit, p, &u);
  if (a->unit.state == UNIT_UNKNOWN && !known) u = UNIT_ANY;
  if (a->unit.state == UNIT_LITERAL && b->unit.state == UNIT_UNKNOWN) u = UNIT_ANY;
  return scalar_value(mx_2(env->e->a, MOP_POW, a->at[0], b->at[0], x->span), u, x->span, env);
}

static Value comparison(const Env *env, MOp op, const Value *a, const Value *b, const Ast *x) {
  if (a->ndim || b->ndim) {
    shape_error(env, x->span, a, b, "compare", "compare numbers: elements, norm(a) or dot(a, b)");
    return bad_value(env, x->span);
  }
  if (!units_meet(env->e, a->unit, b->unit, x->span)) return unit_error(env, x, a, b, "compare");
  bare_number(env, a, b);
  Value r = scalar_value(mx_2(env->e->a, op, a->at[0], b->at[0], x->span), UNIT_ONE, x->span, env);
  r.truth = true;
  return r;
}

static Value logic(const Env *env, MOp op, const Value *a, const Value *b, const Ast *x) {
  const Value *wrong = !a->truth ? a : !b->truth ? b : NULL;
  if (wrong) {
    Diag *d = diag(env->e->bag, DIAG_E0228, wrong->span, "`%s` joins conditions", mop_text(op));
    diag_label(d, "this is a number");
    diag_help(d, "compare it with something");
    return bad_value(env, x->span);
  }
  Value r = scalar_value(mx_2(env->e->a, op, a->at[0], b->at[0], x->span), UNIT_ONE, x->span, env);
  r.truth = true;
  return r;
}

Value binary_value(const Env *env, AstOp op, Value a, Value b, const Ast *x) {
  if (a.bad || b.bad) return bad_value(env, x->span);
  if (op == AO_AND || op == AO_OR) return logic(env, op == AO_AND ? MOP_AND : MOP_OR, &a, &b, x);
  if (!numbers_only(env, &a) || !numbers_only(env, &b)) return bad_value(env, x->span);
  switch (op) {
  case AO_ADD:
  case AO_SUB: return sum_value(env, op, &a, &b, x);
  case AO_MUL: return product_value(env, &a, &b, x);
  case AO_DIV:
    if (b.ndim == 0) return elementwise(env, MOP_DIV, &a, &b, unit_div(a.unit, b.unit), x->span);
    shape_error(env, x->span, &a, &b, "divide", "only a number divides");
    return bad_value(env, x->span);
  case AO_POW: return power_value(env, &a, &b, x);
  case AO_LT: return comparison(env, MOP_LT, &a, &b, x);
  case AO_LE: return comparison(env, MOP_LE, &a, &b, x);
  case AO_GT: return comparison(env, MOP_GT, &a, &b, x);
  case AO_GE: return comparison(env, MOP_GE, &a, &b, x);
  case AO_EQ: return comparison(env, MOP_EQ, &a, &b, x);
  case AO_NE: return comparison(env, MOP_NE, &a, &b, x);
  default: return bad_value(env, x->span);
  }
}

static Value element_of(const Env *env, AstList index, Span at, void *v) {
  return index_value(env, *(const Value *)v, index, at);
}

// v[i, j] of a value that is not stored: an element by number, or one for each instance by loop indices (elab_pick.c).
Value index_value(const Env *env, Value v, AstList idx, Span at) {
  Elab *e = env->e;
  if (v.bad) return v;
  if (idx.n != v.ndim) {
    Diag *d = diag(e->bag, DIAG_E0605, at, "%d %s on %s", idx.n, idx.n == 1 ? "index" : "indices", shape_text(e, &v));
    diag_label(d, "this is %s", shape_text(e, &v));
    diag_help(d, v.ndim == 0 ? "leave the index out" : v.ndim == 1 ? "write v[i]" : "write A[i, j]");
    return bad_value(env, at);
  }
  if (is_slice(idx)) return slice_value(env, idx, at, element_of, &v);
  int offset = 0;
  bool loops = false;
  MExpr *index[MAX_DIMS];
  for (int k = 0; k < idx.n; k++) {
    Value i = elab_scalar(env, idx.at[k]);
    if (!unit_check(env, i, UNIT_ONE, "an index")) return bad_value(env, at);
    index[k] = i.at[0];
    loops = loops || i.at[0]->uses & MU_LOOP;
    if (!(i.at[0]->uses & ~(unsigned)(MU_PARAM | MU_LOOP))) continue;
    Diag *d = diag(e->bag, DIAG_E0606, i.span, "an index must be constant during a run");
    diag_label(d, "changes while the model runs");
    diag_help(d, "choose by conditions: if %s < 2 then v[1] else v[2]", ast_text(e, idx.at[k]));
    return bad_value(env, at);
  }
  if (loops) return picked_value(env, &v, index, at);
  for (int k = 0; k < idx.n; k++) {
    double n;
    if (!fixed_number(env, index[k], "this index", &n)) return bad_value(env, at);
    MExpr one = {.kind = MX_NUM, .num = 1}, last = {.kind = MX_NUM, .num = v.dim[k]};
    if (!index_in_range(env, index[k], &one, &last, "this vector", index[k]->span)) return bad_value(env, at);
    if (!(n >= 1 && n <= v.dim[k] && n == floor(n)))      // behind an `if` that does not hold, or not a number
      return scalar_value(mx_num(e->a, NAN, at), v.unit, at, env);
    offset = offset * v.dim[k] + (int)n - 1;
  }
  return scalar_value(v.at[offset], v.unit, at, env);
}
