// The constructors of expressions, and what all constructors share: nodes, lists, the depth of the tree.
#include <string.h>

#include "ast_build.h"
#include "ast_node.h"
#include "foreign_words.h"
#include "parse_state.h"

Ast *ast_new(Parse *p, AstKind kind, Span at) {
  Ast *n = ARENA_NEW(p->arena, Ast);
  n->kind = kind;
  n->span = at;
  n->depth = 1;
  return n;
}

static void deepen(Ast *n, const Ast *child) {
  if (child && child->depth >= n->depth) n->depth = child->depth + 1;
}

Ast *ast_done(Parse *p, Ast *n) {
  deepen(n, n->a);
  deepen(n, n->b);
  deepen(n, n->c);
  for (int k = 0; k < n->list.n; k++) deepen(n, n->list.at[k]);
  for (int k = 0; k < n->list2.n; k++) deepen(n, n->list2.at[k]);
  if (n->depth > AST_DEEPEST) parse_too_deep(p, (Span){n->span.file, n->span.lo, n->span.lo + 1});
  return n;
}

AstList ast_list(void) { return (AstList){NULL, 0}; }

AstList ast_append(Parse *p, AstList list, Ast *node) {
  if (!node) return list;
  if ((list.n & (list.n - 1)) == 0) {   // full at 0, 1, 2, 4, 8 …
    Ast **wider = ARENA_ARRAY(p->arena, Ast *, list.n ? 2 * list.n : 1);
    if (list.n) memcpy(wider, list.at, (size_t)list.n * sizeof *wider);
    list.at = wider;
  }
  list.at[list.n++] = node;
  return list;
}

Ast *ast_number(Parse *p, Span at, double number, const char *unit, Span unit_at) {
  Ast *n = ast_new(p, AST_NUMBER, at);
  n->number = number;
  n->unit = unit;
  n->unit_span = unit_at;
  return n;
}

Ast *ast_string(Parse *p, Span at, const char *text) { return ast_new_named(p, AST_STRING, at, at, text); }
Ast *ast_name(Parse *p, Span at, const char *name) { return ast_new_named(p, AST_NAME, at, at, name); }

Ast *ast_prime(Parse *p, Span at, Ast *of) {
  if (of->kind == AST_NUMBER || of->kind == AST_STRING || of->kind == AST_VECTOR) {
    Diag *d = problem(p, DIAG_E0120, at, "a %s has no time derivative",
                      of->kind == AST_VECTOR ? "list in brackets" : "constant");
    diag_help(d, "' stands behind a name: z' is the derivative of z with respect to time");
  }
  Ast *n = ast_new(p, AST_PRIME, at);
  n->a = of;
  return ast_done(p, n);
}

// The unit of a list, given to each number in it: [3, 1, 5] [m/s]. NULL, or the element that takes none.
static const Ast *give_unit(Ast *n, const char *unit, Span unit_at) {
  if (n->kind == AST_NUMBER && !n->unit) {
    n->unit = unit;
    n->unit_span = unit_at;
    return NULL;
  }
  if (n->kind == AST_UNARY && n->op == AO_NEG) return give_unit(n->a, unit, unit_at);
  if (n->kind == AST_NAME && !strcmp(n->name, "inf")) return NULL;
  if (n->kind == AST_NUMBER) return n;
  if (n->kind != AST_VECTOR) return NULL;                          // an expression: the elaborator looks at its unit
  const Ast *other = n->unit ? n : NULL;
  for (int k = 0; !other && k < n->list.n; k++) other = give_unit(n->list.at[k], unit, unit_at);
  return other;
}

// The element `other` has a unit, and the list has one.
static void two_units(Parse *p, const Ast *other, Span unit_at) {
  Diag *d = problem(p, DIAG_E0120, other->span, "this element has a unit of its own");
  diag_also(d, unit_at, "the unit of the list");
  diag_help(d, "leave one of the two units out");
}

static Ast *vector_with_unit(Parse *p, Span at, Ast *vector, AstList index) {
  Span unit_at = span_join(index.at[0]->span, index.at[index.n - 1]->span);
  const char *unit = unit_of(p, unit_at);
  vector->span = at;
  if (!unit) return vector;
  const Ast *other = give_unit(vector, unit, unit_at);
  if (other) two_units(p, other, unit_at);
  else {
    vector->unit = unit;
    vector->unit_span = unit_at;
  }
  return vector;
}

AstList ast_within(Parse *p, Ast *lo, Ast *hi, AstList behind) {
  AstList ends = ast_append(p, ast_append(p, ast_list(), lo), hi);
  if (!behind.n) return ends;
  Span unit_at = span_join(behind.at[0]->span, behind.at[behind.n - 1]->span);
  const char *unit = unit_of(p, unit_at);
  for (int k = 0; unit && k < 2; k++) {
    const Ast *other = give_unit(ends.at[k], unit, unit_at);
    if (other) return two_units(p, other, unit_at), ends;
  }
  return ends;
}

// x'[i] is read as x[i]', so that a PRIME is always outermost.
Ast *ast_index(Parse *p, Span at, Ast *of, AstList index) {
  if (of->kind == AST_PRIME) return ast_prime(p, at, ast_index(p, at, of->a, index));
  if (of->kind == AST_VECTOR && !of->unit) return vector_with_unit(p, at, of, index);
  bool said = of->kind == AST_INDEX && was_seen(p, "[][]");
  bool called = of->kind == AST_CALL && of->a;             // b.point(a)[3]
  const char *unit = span_text(p, span_join(index.at[0]->span, index.at[index.n - 1]->span));
  bool grouped = of->kind == AST_PAREN && !looks_like_unit(unit);          // (a + b)[3]
  if (of->kind != AST_NAME && of->kind != AST_MEMBER && !called && !grouped && !said) {
    Diag *d = problem(p, DIAG_E0120, of->span, "only a name can be followed by an index");
    if (of->kind == AST_INDEX) seen_before(p, "[][]");
    if (of->kind == AST_INDEX) diag_help(d, "several indices stand in one pair of brackets: a[i, j]");
    else if (looks_like_unit(unit))
      diag_help(d, "a unit stands behind a number: %s*1 [%s]", span_text(p, of->span), unit);
    else diag_help(d, "give the value a name first: var a = %s;", span_text(p, of->span));
  }
  Ast *n = ast_new(p, AST_INDEX, at);
  n->a = of;
  n->list = index;
  return ast_done(p, n);
}

Ast *ast_member(Parse *p, Span at, Ast *of, Span name_at, const char *name) {
  if (of->kind != AST_NAME && of->kind != AST_MEMBER && of->kind != AST_INDEX) {
    Diag *d = problem(p, DIAG_E0120, of->span, "only an instance has parts");
    if (of->kind == AST_PRIME) diag_help(d, "the mark stands last: %s.%s'", span_text(p, of->a->span), name);
  }
  Ast *n = ast_new_named(p, AST_MEMBER, at, name_at, name);
  n->a = of;
  return ast_done(p, n);
}

Ast *ast_member_energy(Parse *p, Span at, Ast *of, Span name_at, AstKind word) {
  return ast_member(p, at, of, name_at,
                    intern(p->names, word == AST_KINETIC     ? "kinetic"
                                     : word == AST_POTENTIAL ? "potential"
                                                             : "dissipation"));
}

// der(x) is x'; an operand that is not a name gets the parentheses that x' would need.
Ast *ast_call(Parse *p, Span at, Span name_at, const char *name, AstList args) {
  if (strcmp(name, "der") == 0 && args.n == 1 && args.at[0]->kind != AST_ARG) {
    Ast *x = args.at[0];
    bool plain = x->kind == AST_NAME || x->kind == AST_INDEX || x->kind == AST_MEMBER || x->kind == AST_PRIME ||
                 x->kind == AST_PAREN || x->kind == AST_CALL || x->kind == AST_NUMBER;
    return ast_prime(p, at, plain ? x : ast_paren(p, x->span, x));
  }
  Ast *n = ast_new_named(p, AST_CALL, at, name_at, name);
  n->list = args;
  return ast_done(p, n);
}

Ast *ast_call_of(Parse *p, Span at, Ast *of, Span name_at, const char *name, AstList args) {
  if (is_function_name(name)) {                            // np.sin(x)
    Diag *d = problem(p, DIAG_E0121, (Span){ at.file, of->span.lo, name_at.hi }, "functions have no prefix");
    diag_help(d, "%s(...)", name);
  }
  Ast *n = ast_new_named(p, AST_CALL, at, name_at, name);
  n->a = of;
  n->list = args;
  return ast_done(p, n);
}

Ast *ast_at(Parse *p, Span at, Span word_at, Ast *shape, AstList args) {
  Ast *n = ast_new_named(p, AST_AT, at, word_at, "at");
  n->a = shape;
  n->list = args;
  return ast_done(p, n);
}

Ast *ast_call_sum(Parse *p, Span at, Span name_at, Ast *arg) {
  return ast_call(p, at, name_at, intern(p->names, "sum"), ast_append(p, ast_list(), arg));
}

Ast *ast_arg(Parse *p, Span at, Span name_at, const char *name, Ast *value) {
  Ast *n = ast_new_named(p, AST_ARG, at, name_at, name);
  n->a = value;
  return ast_done(p, n);
}

Ast *ast_arg_word(Parse *p, Span at, Span name_at, AstKind word, Ast *value) {
  return ast_arg(p, at, name_at, intern(p->names, word == AST_EVERY ? "every" : "when"), value);
}

Ast *ast_unary(Parse *p, Span at, AstOp op, Ast *a) {
  Ast *n = ast_new(p, AST_UNARY, at);
  n->op = op;
  n->a = a;
  return ast_done(p, n);
}

Ast *ast_binary(Parse *p, Span at, AstOp op, Ast *a, Ast *b) {
  Ast *n = ast_new(p, AST_BINARY, at);
  n->op = op;
  n->a = a;
  n->b = b;
  return ast_done(p, n);
}

Ast *ast_cond(Parse *p, Span at, Ast *condition, Ast *yes, Ast *no) {
  Ast *n = ast_new(p, AST_COND, at);
  n->a = condition;
  n->b = yes;
  n->c = no;
  return ast_done(p, n);
}

// [1 -1] has one element, which MATLAB reads as two.
static void warn_difference(Parse *p, const Ast *n) {
  if (n->kind != AST_BINARY || (n->op != AO_SUB && n->op != AO_ADD)) return;
  const char *s = p->file->text, sign = n->op == AO_SUB ? '-' : '+';
  size_t at = n->a->span.hi + strspn(s + n->a->span.hi, " \t");
  if (at == n->a->span.hi || s[at] != sign || strchr(" \t\n", s[at + 1])) return;
  Diag *d = problem(p, DIAG_W0844, n->span, "this is one element: a %s", sign == '-' ? "difference" : "sum");
  diag_help(d, "two elements are separated by ',': %s, %s", span_text(p, n->a->span),
            span_text(p, (Span){ p->file, at, n->span.hi }));
}

Ast *ast_vector(Parse *p, Span at, AstList elements) {
  Ast *n = ast_new(p, AST_VECTOR, at);
  n->list = elements;
  for (int k = 0; k < elements.n; k++) warn_difference(p, elements.at[k]);
  return ast_done(p, n);
}

Ast *ast_sum(Parse *p, Span at, Span name_at, const char *name, Ast *range, Ast *summand) {
  Ast *n = ast_new_named(p, AST_SUM, at, name_at, name);
  n->a = range;
  n->b = summand;
  return ast_done(p, n);
}

Ast *ast_range(Parse *p, Span at, Ast *from, Ast *to) {
  Ast *n = ast_new(p, AST_RANGE, at);
  n->a = from;
  n->b = to;
  return ast_done(p, n);
}

Ast *ast_paren(Parse *p, Span at, Ast *a) {
  Ast *n = ast_new(p, AST_PAREN, at);
  n->a = a;
  return ast_done(p, n);
}

Ast *ast_point(Parse *p, Span at, Ast *first, AstList rest) {
  Ast *n = ast_new(p, AST_POINT, at);
  n->list = ast_append(p, ast_list(), first);
  for (int k = 0; k < rest.n; k++) n->list = ast_append(p, n->list, rest.at[k]);
  return ast_done(p, n);
}

Ast *ast_set(Parse *p, Span at, Span name_at, const char *name, AstList inequalities) {
  Ast *n = ast_new_named(p, AST_SET, at, name_at, name);
  n->list = inequalities;
  return ast_done(p, n);
}
