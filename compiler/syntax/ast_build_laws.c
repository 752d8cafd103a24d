// The constructors of laws: relations, contacts, constraints, their parts, and what each of them looks like. Those of
// other items are in ast_build.c.
#include <ctype.h>
#include <string.h>

#include "ast_build.h"
#include "ast_node.h"
#include "nsm.tab.h"
#include "parse_state.h"

Ast *ast_relation(Parse *p, Span at, Ast *named, Ast *law, AstList classes) {
  Ast *n = ast_new_named(p, AST_RELATION, at, named->name_span, named->name);
  n->list = named->list;
  n->a = law;
  n->list2 = classes;
  return ast_done(p, n);
}

static bool is_zero(const Ast *n) { return n->kind == AST_NUMBER && n->number == 0; }

// y in parentheses if it ends in an `if` or `not`, which would swallow a `>= 0` behind it.
static Ast *enclosed(Parse *p, Ast *y) {
  const Ast *last = y;
  while (last->kind == AST_BINARY || last->kind == AST_SUM || (last->kind == AST_UNARY && last->op == AO_NEG))
    last = last->kind == AST_UNARY ? last->a : last->b;
  return last->kind == AST_COND || last->kind == AST_UNARY ? ast_paren(p, y->span, y) : y;
}

// `0 <= y` or `y >= 0`: gives y; otherwise NULL.
static Ast *nonnegative(Parse *p, Ast *n) {
  if (n->kind != AST_BINARY) return NULL;
  if (n->op == AO_GE && is_zero(n->b)) return n->a;
  if (n->op == AO_LE && is_zero(n->a)) return enclosed(p, n->b);
  return NULL;
}

// The same for `0 < y` and `y > 0`, which say nearly that, and for `y <= 0`, which says the contrary; else n.
static const Ast *nearly(const Ast *n, bool *contrary) {
  if (n->kind != AST_BINARY || n->op < AO_LT || n->op > AO_GE) return n;
  bool less = n->op == AO_LT || n->op == AO_LE;
  if (!is_zero(n->a) && !is_zero(n->b)) return n;
  if (less == is_zero(n->b)) *contrary = true;
  return is_zero(n->b) ? n->a : n->b;
}

Ast *ast_complementarity(Parse *p, Span at, Ast *left, Ast *right) {
  Ast *y = nonnegative(p, left), *lambda = nonnegative(p, right);
  if (!y || !lambda) {
    const Ast *odd = y ? right : left;
    bool turned[2] = { false, false };
    const Ast *first = y ? y : nearly(left, &turned[0]), *second = lambda ? lambda : nearly(right, &turned[1]);
    Diag *d = problem(p, DIAG_E0118, odd->span, "each side of 'perp' says that something is not negative");
    const char *output = span_text(p, first->span), *multiplier = span_text(p, second->span);
    if (turned[1])
      diag_note(d, "a multiplier that is never positive is turned around in the equations: -%s in place of %s",
                multiplier, multiplier);
    bool name = first->kind == AST_NAME || first->kind == AST_INDEX || first->kind == AST_MEMBER;
    const char *form = !turned[0] ? "0 <= %s perp %s >= 0" : name ? "0 <= -%s perp %s >= 0" : "0 <= -(%s) perp %s >= 0";
    diag_help(d, form, output, multiplier);
  }
  Ast *n = ast_new(p, AST_COMPLEMENTARITY, at);
  n->a = y ? y : left;
  n->b = lambda ? lambda : right;
  return ast_done(p, n);
}

static Ast *pair(Parse *p, AstKind kind, Span at, Ast *a, Ast *b) {
  Ast *n = ast_new(p, kind, at);
  n->a = a;
  n->b = b;
  return ast_done(p, n);
}

Ast *ast_inclusion(Parse *p, Span at, Ast *left, Ast *right) { return pair(p, AST_INCLUSION, at, left, right); }
Ast *ast_equality(Parse *p, Span at, Ast *left, Ast *right) { return pair(p, AST_EQUALITY, at, left, right); }

Ast *ast_no_law(Parse *p, Span at, Ast *expr) {
  Diag *d = problem(p, DIAG_E0118, at, "this relation states no law");
  diag_note(d,
            "a relation is one of: 0 <= y perp lambda >= 0,   u in -sgn(s),   -y in normal_cone([a, b], u),   a = b");
  Ast *gap = nonnegative(p, expr);
  if (expr->kind == AST_CALL && expr->list.n == 2)
    diag_help(d, "0 <= %s perp %s >= 0", span_text(p, expr->list.at[0]->span), span_text(p, expr->list.at[1]->span));
  if (gap)
    diag_help(d, "0 <= %s perp lambda >= 0; a unilateral constraint of mechanics is a contact",
              span_text(p, gap->span));
  return ast_new(p, AST_ERROR, at);
}

Ast *ast_law(Parse *p, Span at, Span name_at, const char *name, AstList args) {
  Ast *n = ast_new_named(p, AST_LAW, at, name_at, name);
  n->list = args;
  return ast_done(p, n);
}

// What a contact or constraint is made of: the normal or one side, the force or the other side, its slip.
typedef struct { Ast *a, *b, *slip; } RowParts;

static Ast *row(Parse *p, AstKind kind, Span at, const Ast *named, RowParts parts, AstList laws) {
  Ast *n = ast_new_named(p, kind, at, named->name_span, named->name);
  n->list = named->list;
  n->a = parts.a;
  n->b = parts.b;
  n->c = parts.slip;
  n->list2 = laws;
  return ast_done(p, n);
}

// Its text as it stands behind a minus.
static const char *subtrahend(Parse *p, const Ast *n) {
  bool sum = n->kind == AST_BINARY ? n->op == AO_ADD || n->op == AO_SUB : n->kind == AST_COND || n->kind == AST_UNARY;
  return sum ? arena_printf(p->arena, "(%s)", span_text(p, n->span)) : span_text(p, n->span);
}

// "- x", or "+ x" of what stands there as -x.
static const char *less(Parse *p, const Ast *n) {
  const char *text = span_text(p, n->span);
  if (n->kind != AST_UNARY || *text != '-') return arena_printf(p->arena, "- %s", subtrahend(p, n));
  return arena_printf(p->arena, "+ %s", text + 1 + strspn(text + 1, " "));
}

// The names that stand from `at` on, "crate, ground", up to what is neither a name nor a comma.
static const char *names_from(Parse *p, size_t at) {
  const char *text = p->file->text, *names = "";
  while (at < p->file->len) {
    size_t first = at;
    while (at < p->file->len && (isalnum((unsigned char)text[at]) || strchr("_.[]", text[at]))) at++;
    if (at == first) break;
    names = arena_printf(p->arena, "%s%s%.*s", names, *names ? ", " : "", (int)(at - first), text + first);
    at = skip_blanks(p->file, at);
    if (at >= p->file->len || text[at] != ',') break;
    at = skip_blanks(p->file, at + 1);
  }
  return names;
}

static bool names_sides(const char *name) { return !strcmp(name, "between") || !strcmp(name, "among"); }

Ast *ast_contact(Parse *p, Span at, Ast *named, Ast *gap, AstList laws) {
  Ast *inner = nonnegative(p, gap);
  if (!inner) {
    Diag *d = problem(p, DIAG_E0118, gap->span, "a contact says that its gap is not negative");
    bool compared = gap->kind == AST_BINARY && gap->op >= AO_LT && gap->op <= AO_NE;
    if (p->now.kind == ',' && gap->kind != AST_BINARY)
      diag_help(d, "of shapes: contact %s { between = %s; with newton(e); }", named->name,
                names_from(p, gap->span.lo));
    else if ((gap->kind == AST_NAME || (gap->kind == AST_CALL && !gap->a)) && names_sides(gap->name))
      diag_help(d, "of shapes: contact %s { %s; with newton(e); }", named->name,
                !strcmp(gap->name, "among") ? "among = A" : "between = A, B");
    else if (compared && (gap->op == AO_GE || gap->op == AO_GT) && !is_zero(gap->b))
      diag_help(d, "contact %s: %s %s >= 0", named->name, span_text(p, gap->a->span), less(p, gap->b));
    else if (compared && (gap->op == AO_LE || gap->op == AO_LT) && is_zero(gap->b))
      diag_help(d, "contact %s: -%s >= 0, if the contact opens where %s < 0", named->name, subtrahend(p, gap->a),
                span_text(p, gap->a->span));
    else if (compared && (gap->op == AO_LE || gap->op == AO_LT))
      diag_help(d, "contact %s: %s %s >= 0", named->name, span_text(p, gap->b->span), less(p, gap->a));
    else
      diag_help(d, "contact %s: %s >= 0", named->name, span_text(p, compared ? gap->a->span : gap->span));
  }
  return row(p, AST_CONTACT, at, named, (RowParts){ .a = inner ? inner : gap }, laws);
}

// A part of the long form travels as an ARG: normal = a, slip = a; the laws as one without a name.
Ast *ast_part_sides(Parse *p, Span at, Span name_at, const char *name, AstList bodies) {
  Ast *n = ast_arg(p, at, name_at, name, bodies.at[0]);
  n->list2 = bodies;
  return n;
}

// Behind a part without its semicolon, `between` is read as a name like others.
Ast *ast_part(Parse *p, Span at, Span name_at, const char *name, Ast *value) {
  if (names_sides(name)) return ast_part_sides(p, at, name_at, name, ast_append(p, ast_list(), value));
  return ast_arg(p, at, name_at, name, value);
}

Ast *ast_part_laws(Parse *p, Span at, AstList laws) {
  Ast *n = ast_new(p, AST_ARG, at);
  n->list = laws;
  return ast_done(p, n);
}

enum { PART_NORMAL, PART_FORCE, PART_SLIP, PARTS };

// The part that another name stands for, or NULL.
static const char *part_meant(const char *name) {
  static const char *const other[][2] = {
    { "gap", "normal" }, { "distance", "normal" }, { "g", "normal" }, { "n", "normal" }, { "gn", "normal" },
    { "tangent", "slip" }, { "tangential", "slip" }, { "velocity", "slip" }, { "slip_velocity", "slip" },
    { "sliding", "slip" }, { "t", "slip" }, { "law", "with" }, { "laws", "with" }, { "friction", "with" },
    { "restitution", "with" }, { "impact", "with" }, { "force", "normal_force" }, { "pressure", "normal_force" }
  };
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (!strcmp(name, other[i][0])) return other[i][1];
  return NULL;
}

// contact NAME { between = A, B; with ...; }, contact NAME { among = A; with ...; }
static Ast *touch_parts(Parse *p, Span at, const Ast *named, AstList parts) {
  Ast *n = ast_new_named(p, AST_TOUCH, at, named->name_span, named->name);
  const Ast *sides = NULL;
  if (named->list.n) {
    Diag *d = problem(p, DIAG_E0118, named->name_span, "a contact between shapes has no indices");
    diag_help(d, "it finds the pairs that touch by itself: contact %s { among = ...; }", named->name);
  }
  for (int k = 0; k < parts.n; k++) {
    const Ast *part = parts.at[k];
    if (!part->name) {
      for (int j = 0; j < part->list.n; j++) n->list2 = ast_append(p, n->list2, part->list.at[j]);
      continue;
    }
    bool between = !strcmp(part->name, "between");
    if (!names_sides(part->name)) {
      Diag *d = problem(p, DIAG_E0118, part->name_span, "a contact between shapes has no part '%s'", part->name);
      diag_help(d, "gap and slip follow from the shapes; its parts are between = A, B; or among = A; and with laws;");
    } else if (sides) {
      Diag *d = problem(p, DIAG_E0118, part->name_span, "'%s' is one too many", part->name);
      diag_also(d, sides->name_span, "these bodies already");
      diag_help(d, "write two contacts");
    } else if (part->list2.n != (between ? 2 : 1)) {
      Diag *d = problem(p, DIAG_E0118, part->span, between ? "`between` names two sides" : "`among` names one list");
      const char *first = span_text(p, part->list2.at[0]->span);
      if (between && part->list2.n > 2)
        diag_help(d, "between = [%s, %s], %s;", first, span_text(p, part->list2.at[1]->span),
                  span_text(p, part->list2.at[2]->span));
      else if (between) diag_help(d, "between = %s, other;  all pairs of one list: among = %s;", first, first);
      else diag_help(d, "among = [%s, ...];", first);
    } else {
      sides = part;
      n->list = part->list2;
    }
  }
  return sides ? ast_done(p, n) : ast_new(p, AST_ERROR, at);
}

static bool of_shapes(AstList parts) {
  for (int k = 0; k < parts.n; k++) {
    const char *name = parts.at[k]->name;
    if (name && names_sides(name)) return true;
  }
  return false;
}

// The long form of contacts and constraints. A contact under a given normal force has that in place of a gap.
static Ast *row_parts(Parse *p, AstKind kind, Span at, Ast *named, AstList parts) {
  static const char *const name[PARTS] = {"normal", "normal_force", "slip"};
  bool contact = kind == AST_CONTACT;
  const char *what = contact ? "contact" : "constraint";
  const Ast *part_of[PARTS] = {0};
  AstList laws = ast_list();
  int before = p->problems;
  for (int k = 0; k < parts.n; k++) {
    const Ast *part = parts.at[k];
    if (!part->name) {
      for (int j = 0; j < part->list.n; j++) laws = ast_append(p, laws, part->list.at[j]);
      continue;
    }
    int role = 0;
    while (role < PARTS && (strcmp(part->name, name[role]) != 0 || (role == PART_FORCE && !contact))) role++;
    if (role == PARTS) {
      Diag *d = problem(p, DIAG_E0118, part->name_span, "a %s has no part '%s'", what, part->name);
      const char *meant = part_meant(part->name), *value = span_text(p, part->a->span);
      if (meant && !strcmp(meant, "with")) diag_help(d, "with %s;", value);
      else if (meant) diag_help(d, "%s = %s;", meant, value);
      else
        diag_help(d, contact ? "its parts are: normal = gap;  slip = velocity;  with laws;  of shapes: between = A, B;"
                             : "its parts are: normal = distance;  slip = velocity;  with coulomb(mu);");
    } else if (part_of[role]) {
      Diag *d = problem(p, DIAG_E0118, part->name_span, "'%s' is given twice", part->name);
      diag_also(d, part_of[role]->name_span, "first here");
      if (role == PART_SLIP) diag_help(d, "two directions of slip are a vector: slip = [s1, s2];");
    } else {
      part_of[role] = part;
    }
  }
  const Ast *normal = part_of[PART_NORMAL], *force = part_of[PART_FORCE], *slip = part_of[PART_SLIP];
  if (normal && normal->a->kind == AST_BINARY && normal->a->op >= AO_LT && normal->a->op <= AO_NE) {
    const Ast *gap = normal->a;
    Diag *d = problem(p, DIAG_E0118, gap->span, "the normal part is the gap alone, without a comparison");
    if (is_zero(gap->b)) diag_help(d, "normal = %s;", span_text(p, gap->a->span));
    else if (is_zero(gap->a)) diag_help(d, "normal = %s;", span_text(p, gap->b->span));
    else diag_help(d, "normal = %s - %s;", span_text(p, gap->a->span), subtrahend(p, gap->b));
  }
  if (normal && force) {
    Diag *d = problem(p, DIAG_E0118, force->name_span, "a contact has a gap or a given normal force, not both");
    diag_also(d, normal->name_span, "the gap");
    diag_help(d, "keep normal = ...; where the contact can open");
  }
  if (!normal && !force && p->problems == before) {
    Diag *d = problem(p, DIAG_E0118, named->name_span,
                      contact ? "this contact has no gap" : "this constraint has no normal direction");
    diag_help(d, !contact ? "add normal = ...; to its braces: what is held at zero"
                 : slip   ? "add normal = GAP; of what can part, or normal_force = N; of what is pressed (a brake)"
                          : "add normal = ...; to its braces, or between = a, b; of bodies with shapes");
  }
  // Where the text is not checked, problems are not counted.
  if (!normal && (!force || p->problems > before)) return ast_new(p, AST_ERROR, at);
  RowParts all = { normal ? normal->a : NULL, normal ? NULL : force->a, slip ? slip->a : NULL };
  return row(p, kind, at, named, all, laws);
}

Ast *ast_contact_parts(Parse *p, Span at, Ast *named, AstList parts) {
  if (of_shapes(parts)) return touch_parts(p, at, named, parts);
  return row_parts(p, AST_CONTACT, at, named, parts);
}
Ast *ast_constraint_parts(Parse *p, Span at, Ast *named, AstList parts) {
  return row_parts(p, AST_CONSTRAINT, at, named, parts);
}

Ast *ast_constraint(Parse *p, Span at, Ast *named, Ast *left, Ast *right, AstList laws) {
  return row(p, AST_CONSTRAINT, at, named, (RowParts){ left, right, NULL }, laws);
}
