// Slices: x[1:2], A[i, 1:3], A[2:3, 1:2]. A slice is what its elements are, each taken as if it were written by number:
//   one range   a vector      two ranges   a matrix      single indices beside them stay as they are
// Ranges are known when the model is compiled, as all lengths of vectors are.
#include <math.h>
#include <string.h>

#include "elab.h"

bool is_slice(AstList index) {
  for (int k = 0; k < index.n; k++)
    if (index.at[k]->kind == AST_RANGE) return true;
  return false;
}

// lo and how many; false: reported.
static bool slice_range(const Env *env, const Ast *range, int *lo, int *n) {
  MExpr *first, *last;
  double from, to;
  if (!elab_range(env, range, false, "the range of a slice", &first, &last)) return false;
  if (!fixed_number(env, first, "the first index of a slice", &from) ||
      !fixed_number(env, last, "the last index of a slice", &to))
    return false;
  if (to >= from && to - from < MAX_ELEMENTS && fabs(from) < 1e9) {
    *lo = (int)from;
    *n = (int)(to - from) + 1;
    return true;
  }
  Diag *d = diag(env->e->bag, to < from ? DIAG_E0302 : DIAG_E0607, range->span,
                 to < from ? "this slice has no elements" : "this slice is too long to be written out");
  diag_label(d, "from %.17g to %.17g", from, to);
  if (to < from) diag_help(d, "a vector needs at least one element");
  else diag_help(d, "write the statement with loops: for i in 1:n { ... }");
  return false;
}

static bool loops_in(const Env *env, const Ast *x, Value *v) {
  *v = elab_scalar(env, x);
  return !v->bad && (v->at[0]->uses & MU_LOOP);
}

// x[3*i-2:3*i]: which elements these are is another question in each pass of the loop.
static bool range_moves(const Env *env, const Ast *range) {
  Value lo, hi;
  bool moves = loops_in(env, range->a, &lo) | loops_in(env, range->b, &hi);
  if (!moves) return false;
  Diag *d = diag(env->e->bag, DIAG_E0601, range->span, "the range of a slice cannot follow the index of a loop");
  diag_label(d, "another range in each pass");
  diag_note(d, "lengths of vectors are known when the model is compiled");
  diag_help(d, "declare the array with one more index, x[n, 3], and take x[i, 1:3]");
  return true;
}

Value slice_value(const Env *env, AstList index, Span at, SliceElement *element, void *ctx) {
  Elab *e = env->e;
  int lo[MAX_DIMS] = {0}, n[MAX_DIMS] = {1, 1}, place[MAX_DIMS] = {0}, dims = 0;
  for (int k = 0; k < index.n; k++) {
    const Ast *range = index.at[k];
    if (range->kind != AST_RANGE) continue;
    if (dims == MAX_DIMS) {
      Diag *d = diag(e->bag, DIAG_E0302, range->span, "a slice has one range, or two");
      diag_label(d, "the third one");
      diag_help(d, "vectors and matrices have no third dimension: take one index as a number");
      return bad_value(env, at);
    }
    if (range_moves(env, range) || !slice_range(env, range, &lo[dims], &n[dims])) return bad_value(env, at);
    place[dims++] = k;
  }
  if ((double)n[0] * n[1] > MAX_ELEMENTS) {
    diag(e->bag, DIAG_E0607, at, "this slice is too large to be written out");
    return bad_value(env, at);
  }
  Value r = {.unit = UNIT_BARE, .ndim = dims, .dim = {n[0], dims > 1 ? n[1] : 0}, .span = at};
  r.at = ARENA_ARRAY(e->a, MExpr *, n[0] * n[1]);
  AstList one = {.n = index.n, .at = ARENA_ARRAY(e->a, Ast *, index.n)};
  Ast number[MAX_DIMS];
  memcpy(one.at, index.at, sizeof *one.at * (size_t)index.n);
  for (int k = 0; k < dims; k++) {
    number[k] = (Ast){.kind = AST_NUMBER, .span = index.at[place[k]]->span};
    one.at[place[k]] = &number[k];
  }
  for (int i = 0; i < n[0] * n[1]; i++) {
    number[0].number = lo[0] + i / n[1];
    if (dims > 1) number[1].number = lo[1] + i % n[1];
    Value v = element(env, one, at, ctx);
    if (v.bad) return bad_value(env, at);
    r.unit = i ? unit_of_elements(r.unit, v.unit) : v.unit;
    r.at[i] = v.at[0];
  }
  return r;
}
