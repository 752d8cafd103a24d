// The constructors of items: files, models, declarations, equations, families, experiments. Expressions are in
// ast_build_expr.c, relations and contacts in ast_build_laws.c. Here too: which items may stand where.
#include "ast_build.h"

#include <string.h>

#include "ast_node.h"
#include "foreign_words.h"
#include "nsm.tab.h"
#include "parse_state.h"

// --- files and blocks ---

void ast_file(Parse *p, AstList items) {
  if (items.n == 0 && p->problems == 0) {
    Diag *d = problem(p, DIAG_E0109, (Span){p->file, 0, 0}, "nothing here: a file holds at least one model");
    diag_help(d, "model NAME { ... }");
  }
  p->result = ast_new(p, AST_FILE, (Span){ p->file, 0, p->file->len });
  p->result->list = items;
  ast_done(p, p->result);
}

static const char *kind_text(AstKind kind) {
  static const char *const texts[] = {
#define NODE(kind, text) text,
#include "ast_nodes.def"
#undef NODE
  };
  return texts[kind];
}

static const char *article(const char *word) { return strchr("aeiou", *word) ? "an" : "a"; }

AstList ast_file_item(Parse *p, AstList items, Ast *item) {
  if (!item || item->kind == AST_ERROR) return items;
  if (item->kind == AST_IMPORT || item->kind == AST_FUNCTION || item->kind == AST_MODEL || item->kind == AST_PARAM)
    return ast_append(p, items, item);
  if (!p->outside) {   // after a '}' too many everything is outside: said once
    const char *what = kind_text(item->kind);
    Span start = {item->span.file, item->span.lo, item->span.lo + 1};
    while (start.hi < item->span.hi && start.file->text[start.hi] > ' ') start.hi++;
    Diag *d = problem(p, DIAG_E0119, item->name ? item->name_span : start, "%s %s must stand inside a model",
                      article(what), what);
    bool ended = p->model_end.file && extra_brace(p, p->model_end.hi);
    bool behind = p->model_end.file && (ended || item->kind != AST_EQUATION);
    if (behind) diag_also(d, p->model_end, "the model ends here");
    else diag_note(d, "outside of models stand only import, function, model and param");
    if (ended) diag_help(d, "remove this '}', or look for one too many above");
    else if (behind) diag_help(d, "move it in front of this '}'");
    else if (item->kind == AST_EQUATION && item->a->kind == AST_NAME)
      diag_help(d, "param %s = %s;", item->a->name, span_text(p, item->b->span));
    else if (item->kind == AST_EQUATION && item->a->kind == AST_CALL)
      diag_help(d, "function %s;", span_text(p, item->span));
    else if (item->kind == AST_EQUATION) diag_help(d, "model NAME { %s }", span_text(p, item->span));
    else diag_help(d, "model NAME { %.*s ... }", (int)(start.hi - start.lo), start.file->text + start.lo);
  }
  p->outside = true;
  return items;
}

AstList ast_block_item(Parse *p, AstList items, Ast *item) {
  if (!item || item->kind == AST_ERROR) return items;
  if (item->kind != AST_IMPORT && item->kind != AST_FUNCTION && item->kind != AST_MODEL)
    return ast_append(p, items, item);
  const char *what = kind_text(item->kind);
  Diag *d = problem(p, DIAG_E0119, item->name_span, "%s %s cannot stand inside braces", article(what), what);
  for (size_t k = p->open.n; k-- > 0;) {
    if (p->open.at[k].at.lo >= item->span.lo) continue;
    diag_also(d, p->open.at[k].at, "inside of this");
    diag_help(d, "move it out of the braces; if it does stand outside, a '}' is missing before it");
    p->blamed = 1 + p->open.at[k].at.lo;
    break;
  }
  return items;
}

AstList ast_stray_brace(Parse *p, Span at, AstList items) {
  if (p->outside) return items;
  Diag *d = problem(p, DIAG_E0105, at, "this '}' closes nothing");
  diag_help(d, "remove it, or look for a '}' too many above");
  return items;
}

// --- definitions ---

Ast *ast_new_named(Parse *p, AstKind kind, Span at, Span name_at, const char *name) {
  Ast *n = ast_new(p, kind, at);
  n->name = name;
  n->name_span = name_at;
  return n;
}

Ast *ast_import(Parse *p, Span at, Span name_at, const char *name) {
  return ast_done(p, ast_new_named(p, AST_IMPORT, at, name_at, name));
}

// x[i in 1:n] = ... where no variable is declared that has a value at the start.
static void no_indices(Parse *p, AstList decls, const char *word) {
  for (int k = 0; k < decls.n; k++) {
    const Ast *x = decls.at[k];
    if (x->kind != AST_DECL || !x->list2.n) continue;
    const Ast *i = x->list2.at[0];
    Diag *d = problem(p, DIAG_E0121, i->name_span, "statements for all elements stand in a loop");
    if (!strcmp(word, "output"))
      diag_help(d, "for %s { output %s[%s] = ...; }", span_text(p, i->span), x->name, i->name);
    else if (!strcmp(word, "var"))
      diag_help(d, "a var of a loop has a value for each index: for %s { var %s = ...; ... }", span_text(p, i->span),
                x->name);
    else diag_help(d, "only state, coord and discrete declare an index with an array; others have a size: %s[n]",
                   x->name);
  }
}

// Only of parameters: state x = 1 in [0, 2].
static void no_ranges(Parse *p, AstList decls) {
  for (int k = 0; k < decls.n; k++) {
    const Ast *x = decls.at[k];
    if (x->kind != AST_DECL || !x->b) continue;
    Diag *d = problem(p, DIAG_E0253, x->b->span, "only a parameter has a range");
    diag_help(d, "leave it out; `expect max(%s) <= ...` makes a claim about the values of a run", x->name);
  }
}

Ast *ast_function(Parse *p, Span at, Span name_at, const char *name, AstList formals, Span unit, Ast *body) {
  Ast *n = ast_new_named(p, AST_FUNCTION, at, name_at, name);
  no_indices(p, formals, "");
  no_ranges(p, formals);
  n->list = formals;
  n->unit = unit_of(p, unit);
  n->unit_span = unit;
  n->a = body;
  return ast_done(p, n);
}

Ast *ast_model(Parse *p, Span at, Span name_at, const char *name, AstList formals, AstList items) {
  Ast *n = ast_new_named(p, AST_MODEL, at, name_at, name);
  no_indices(p, formals, "");
  n->list = formals;
  n->list2 = items;
  return ast_done(p, n);
}

// --- declarations ---

Ast *ast_named(Parse *p, Span at, Span name_at, const char *name, int primes, AstList dims) {
  Ast *n = ast_new_named(p, AST_DECL, at, name_at, name);
  n->primes = primes;
  n->list = dims;
  return n;
}

// x[i in 1:n]: an array of n elements whose value at the start may use i.
Ast *ast_named_over(Parse *p, Span at, Span name_at, const char *name, int primes, AstList indexers) {
  AstList dims = ast_list();
  for (int k = 0; k < indexers.n; k++) {
    const Ast *range = indexers.at[k]->a;
    if (range->a->kind != AST_NUMBER || range->a->number != 1) {
      Diag *d = problem(p, DIAG_E0118, range->a->span, "the elements of an array are counted from 1");
      const char *i = indexers.at[k]->name;
      diag_help(d, "%s[%s in 1:...], with %s shifted where it stands", name, i, i);
    }
    dims = ast_append(p, dims, range->b);
  }
  Ast *n = ast_named(p, at, name_at, name, primes, dims);
  n->list2 = indexers;
  return n;
}

Ast *ast_decl(Parse *p, Span at, Ast *named, Span unit, Ast *value, AstList within, const char *doc) {
  if (within.n) {
    named->b = within.at[0];
    named->c = within.at[1];
  }
  named->span = at;
  named->unit = unit_of(p, unit);
  named->unit_span = unit;
  named->a = value;
  named->doc = doc;
  return ast_done(p, named);
}

Ast *ast_declare(Parse *p, Span at, AstKind kind, AstList decls) {
  if (kind != AST_PARAM) no_ranges(p, decls);
  Ast *n = ast_new(p, kind, at);
  if (kind != AST_STATE && kind != AST_COORD && kind != AST_DISCRETE)
    no_indices(p, decls, kind == AST_OUTPUT ? "output" : kind == AST_VAR ? "var" : "");
  n->list = decls;
  return ast_done(p, n);
}

// --- mechanics and equations ---

Ast *ast_energy(Parse *p, Span at, AstKind kind, Ast *value) {
  Ast *n = ast_new(p, kind, at);
  n->a = value;
  return ast_done(p, n);
}

// force z' = F; is meant as force z = F; and force(z) = F; as a call.
static bool odd_target(const Ast *on) {
  const Ast *in = on->kind == AST_PAREN ? on->a : NULL;
  return on->kind == AST_PRIME ||
         (in && (in->kind == AST_NAME || in->kind == AST_INDEX || in->kind == AST_MEMBER || in->kind == AST_PRIME));
}

Ast *ast_force(Parse *p, Span at, Ast *on, Ast *value) {
  if (odd_target(on)) {
    Diag *d = problem(p, DIAG_E0118, on->span, on->kind == AST_PRIME
                                                   ? "a force acts on a coordinate, not on its velocity"
                                                   : "what a force acts on stands without brackets");
    diag_help(d, "force %s = %s;", span_text(p, on->a->span), span_text(p, value->span));
  }
  Ast *n = ast_new(p, AST_FORCE, at);
  n->a = on;
  n->b = value;
  return ast_done(p, n);
}

// Do parentheses with a named argument follow? Hinge in(A = ground, ...);
static bool names_arguments(const Parse *p, size_t at) {
  const char *c = p->file->text + skip_blanks(p->file, at);
  if (*c++ != '(') return false;
  c += strspn(c, " \n");
  size_t name = strspn(c, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  c += name;
  c += strspn(c, " ");
  return name > 0 && c[0] == '=' && c[1] != '=';
}

Ast *ast_equation(Parse *p, Span at, Ast *left, Ast *right) {
  Ast *n = ast_new(p, AST_EQUATION, at);
  n->a = left;
  n->b = right;
  return ast_done(p, n);
}

// V1 1 0 DC 10: a line of a netlist, at the head of a file.
bool names_part(const char *name) {
  size_t digits = strspn(name + 1, "0123456789");
  return strchr("RLCVIDQME", *name) && digits > 0 && !name[1 + digits];
}

static bool netlist_line(Parse *p, const Ast *expr) {
  bool alike = p->open.n == 0 && !p->problems && expr->kind == AST_NAME && strchr("RLCVIDQMEFGHKXSB", *expr->name) &&
               (p->now.kind == TOK_NUMBER || p->now.kind == TOK_NAME) &&
               source_line(p->file, expr->span.lo) == source_line(p->file, p->now.at.lo);
  if (!alike) return false;
  Diag *d = problem(p, DIAG_E0121, expr->span, "this looks like a netlist: parts stand in a model, between nodes");
  diag_help(d, NETLIST_HELP);
  p->stopped = true;
  return true;
}

// d/dt x = ...
static bool quotient(Parse *p, Span at, const Ast *expr) {
  if (expr->kind != AST_BINARY || expr->op != AO_DIV || strcmp(span_text(p, expr->span), "d/dt") != 0) return false;
  size_t lo = skip_blanks(p->file, at.hi), hi = lo;
  while (is_name_char(p->file->text[hi])) hi++;
  Diag *d = problem(p, DIAG_E0121, at, "the time derivative is the mark '");
  if (hi > lo) diag_help(d, "%s' = ...;", span_text(p, (Span){p->file, lo, hi}));
  give_up(p, skip_item(p->file, at.hi));
  return true;
}

// A word in front of a declaration, or a type.
static bool before_declaration(Parse *p, Span at, const Ast *expr) {
  if (expr->kind == AST_MEMBER && p->now.kind == TOK_NAME && p->now.at.lo > at.hi) {               // SI.Mass m = 1;
    Diag *d = problem(p, DIAG_E0121, at, "'%s': types are not written", span_text(p, at));
    diag_help(d, "a constant is a param, a quantity that changes a state or coord: param %s = 1;",
              span_text(p, p->now.at));
    give_up(p, skip_item(p->file, at.hi));
    return true;
  }
  if (expr->kind != AST_NAME || p->now.kind != TOK_DECLARE || p->now.at.lo <= at.hi ||             // final param k = 1;
      source_line(p->file, at.lo) != source_line(p->file, p->now.at.lo)) return false;
  Diag *d = problem(p, DIAG_E0121, at, "'%s': no word stands in front of a declaration", expr->name);
  diag_help(d, "remove it: %s ...", span_text(p, p->now.at));
  return true;
}

// u in sgn(x);  0 <= x perp u >= 0;
static bool law_alone(Parse *p, Span at, const Ast *expr) {
  if (p->now.kind == TOK_IN && expr->kind == AST_NAME &&                        // V1(in, g);  R1 in out 1k;
      (names_arguments(p, p->now.at.hi) || names_part(expr->name))) {
    Diag *d = problem(p, DIAG_E0114, p->now.at, "'in' is a word of the language and cannot be a name");
    diag_help(d, "choose another name, such as in_ or in1");
    give_up(p, skip_item(p->file, at.hi));
    return true;
  }
  if (p->now.kind != TOK_IN && p->now.kind != TOK_PERP) return false;
  size_t end = skip_item(p->file, at.hi);
  Diag *d = problem(p, DIAG_E0118, (Span){ p->file, at.lo, end }, "a law stands in a relation, which has a name");
  diag_help(d, "relation r: %s;", span_text(p, (Span){ p->file, at.lo, end }));
  give_up(p, end);
  return true;
}

// name: Type(...);  as in Modelica's cousins;  name: m = 1;  without the word in front;  name: x' = ...;
static void says_what_a_name_is(Parse *p, Diag *d, Span at, const char *name) {
  size_t from = skip_blanks(p->file, p->now.at.hi), end = skip_item(p->file, at.hi);
  const char *text = p->file->text + from;
  size_t type = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  size_t unit = strcspn(text, "='()<>;");
  size_t args = skip_blanks(p->file, from + type);
  if (type > 0 && p->file->text[args] == '(')
    diag_help(d, "an instance reads: %s %s%s;", span_text(p, (Span){ p->file, from, from + type }), name,
              span_text(p, (Span){ p->file, args, end }));
  else if (from + unit < end && text[unit] == '=')
    diag_help(d, "a quantity has a word in front, such as param, state, coord: state %s; an equation has no name",
              span_text(p, (Span){ p->file, at.lo, end }));
  else diag_help(d, "an equation has no name: x' = ...;");
  give_up(p, end);
}

static void says_nothing(Parse *p, Span at, const Ast *expr) {
  Diag *d = problem(p, DIAG_E0118, at, "an expression alone says nothing");
  bool compares = expr->kind == AST_BINARY && expr->op >= AO_LT && expr->op <= AO_NE;
  const char *arrow = compares && expr->op == AO_LT ? p->file->text + expr->a->span.hi : "";
  arrow += strspn(arrow, " ");
  if (!strncmp(arrow, "<-", 2))
    diag_help(d, "an equation has the sign =: %s = %s;", span_text(p, expr->a->span),
              span_text(p, (Span){ p->file, (size_t)(arrow - p->file->text) + 2 + strspn(arrow + 2, " "), at.hi }));
  else if (compares)
    diag_help(d, "a condition on the run: assert %s; what is to hold always: a contact or a relation",
              span_text(p, at));
  else if (p->now.kind == ':' && expr->kind == AST_NAME) says_what_a_name_is(p, d, at, expr->name);
  else diag_help(d, "an equation has a right-hand side: %s = ...;", span_text(p, at));
}

// An expression with neither word nor sign: says why it is none of the items.
static void refuse_lone(Parse *p, Span at, const Ast *expr) {
  const Ast *first = expr;   // the name that the expression starts with
  while (first->kind == AST_BINARY || first->kind == AST_INDEX || first->kind == AST_MEMBER || first->kind == AST_PRIME)
    first = first->a;
  bool named = first->kind == AST_NAME || first->kind == AST_CALL;
  const char *near = named ? word_near(p, first->name_span) : NULL, *what, *help;
  if (quotient(p, at, expr)) return;
  if (named && foreign_word(first->name, &what, &help)) {
    Diag *d = problem(p, DIAG_E0121, first->name_span, "'%s': %s", first->name, what);
    diag_help(d, "%s", help);
  } else if (expr->kind == AST_BINARY && expr->op == AO_EQ) {
    Diag *d = problem(p, DIAG_E0115, (Span){ at.file, expr->a->span.hi, expr->b->span.lo },
                      "'==' compares; an equation is written with '='");
    diag_help(d, "%s = %s;", span_text(p, expr->a->span), span_text(p, expr->b->span));
    diag_edit(d, (Span){ at.file, expr->a->span.hi, expr->b->span.lo }, " = ");
  } else if (before_declaration(p, at, expr)) return;
  else if (expr->kind == AST_NAME && (!strcmp(expr->name, "stop") || !strcmp(expr->name, "fail"))) {
    Diag *d = problem(p, DIAG_E0118, at, "'%s' says why", expr->name);
    diag_help(d, "%s \"the reason\";", expr->name);
  } else if (near && !(expr->kind == AST_BINARY && expr->op >= AO_LT && expr->op <= AO_NE)) {
    Diag *d = problem(p, DIAG_E0117, first->name_span, "unknown word '%s'", first->name);
    diag_help(d, "did you mean '%s'?", near);
    diag_edit(d, first->name_span, "%s", near);
  } else if (!law_alone(p, at, expr) && p->lexical != at.hi) says_nothing(p, at, expr);
}

Ast *ast_lone(Parse *p, Span at, Ast *expr) {
  bool unread = p->unread.file && at.lo >= p->unread.lo && at.lo < p->unread.hi;
  if (netlist_line(p, expr)) return ast_new(p, AST_ERROR, at);
  if (unread || (p->broken.at.file && at.lo == p->broken.at.lo)) return ast_new(p, AST_ERROR, at);
  size_t block = skip_blanks(p->file, at.hi);
  refuse_lone(p, at, expr);
  if (follows(p->file, block, "{")) p->unread = (Span){p->file, block, skip_bracket(p->file, block)};
  return ast_new(p, AST_ERROR, at);
}

// --- families, events, experiments ---

Ast *ast_instance(Parse *p, Span at, Ast *model, Span name_at, const char *name, AstList indexers,
                  AstList args) {
  Ast *n = ast_new_named(p, AST_INSTANCE, at, name_at, name);
  n->b = model;
  n->list = indexers;
  n->list2 = args;
  return ast_done(p, n);
}

Ast *ast_body(Parse *p, Span at, Span name_at, const char *name, AstList indexers, AstList entries) {
  Ast *n = ast_new_named(p, AST_BODY, at, name_at, name);
  n->list = indexers;
  n->list2 = entries;
  return ast_done(p, n);
}

Ast *ast_materials(Parse *p, Span at, AstList names) {
  Ast *n = ast_new(p, AST_MATERIAL, at);
  n->list = names;
  return ast_done(p, n);
}

Ast *ast_pair(Parse *p, Span at, Span a_at, const char *a, Span b_at, const char *b, AstList entries) {
  Ast *n = ast_new(p, AST_PAIR, at);
  n->a = ast_name(p, a_at, a);
  n->b = ast_name(p, b_at, b);
  n->list2 = entries;
  return ast_done(p, n);
}

Ast *ast_gravity(Parse *p, Span at, Ast *value) {
  Ast *n = ast_new(p, AST_GRAVITY, at);
  n->a = value;
  return ast_done(p, n);
}

Ast *ast_flow(Parse *p, Span at, Ast *from, Ast *to, Ast *value) {
  Ast *n = ast_new(p, AST_FLOW, at);
  n->a = from;
  n->b = to;
  n->c = value;
  return ast_done(p, n);
}

Ast *ast_indexer(Parse *p, Span at, Span name_at, const char *name, Ast *range) {
  Ast *n = ast_new_named(p, AST_INDEXER, at, name_at, name);
  n->a = range;
  return ast_done(p, n);
}

Ast *ast_draw(Parse *p, Span at, AstList pictures) {
  Ast *n = ast_new(p, AST_DRAW, at);
  n->list2 = pictures;
  return ast_done(p, n);
}

Ast *ast_picture(Parse *p, Span at, Ast *what) {
  Ast *n = ast_new(p, AST_PICTURE, at);
  n->a = what;
  return ast_done(p, n);
}

AstList ast_pictures(Parse *p, AstList pictures, Ast *one) { return one ? ast_append(p, pictures, one) : pictures; }

Ast *ast_for(Parse *p, Span at, Span name_at, const char *name, Ast *range, AstList items) {
  Ast *n = ast_new_named(p, AST_FOR, at, name_at, name);
  n->a = range;
  n->list2 = items;
  return ast_done(p, n);
}

Ast *ast_if(Parse *p, Span at, Ast *condition, Span block, AstList items, Ast *otherwise) {
  Ast *n = ast_new(p, AST_IF, at);
  n->name_span = block;
  n->a = condition;
  n->b = otherwise;
  n->list2 = items;
  return ast_done(p, n);
}

Ast *ast_else(Parse *p, Span at, AstList items) {
  Ast *n = ast_new(p, AST_ELSE, at);
  n->name_span = at;
  n->list2 = items;
  return ast_done(p, n);
}

Ast *ast_timed(Parse *p, Span at, AstKind kind, Ast *when, Ast *offset, AstList items) {
  Ast *n = ast_new(p, kind, at);
  n->a = when;
  n->b = offset;
  n->list2 = items;
  return ast_done(p, n);
}

Ast *ast_offset(Parse *p, Span at, AstKind kind, Ast *when, Ast *word, Ast *offset, AstList items) {
  if (kind == AST_EVERY && !strcmp(word->name, "offset")) return ast_timed(p, at, kind, when, offset, items);
  Diag *d = problem(p, DIAG_E0121, word->span, "'%s' has no meaning here", word->name);
  if (kind == AST_EVERY)
    diag_help(d, "every %s offset %s { ... }", span_text(p, when->span), span_text(p, offset->span));
  else diag_help(d, "when %s { ... }", span_text(p, when->span));
  return ast_new(p, AST_ERROR, at);
}

Ast *ast_ending(Parse *p, Span at, Span word_at, const char *word, const char *text) {
  bool stops = !strcmp(word, "stop"), fails = !strcmp(word, "fail");
  if (!stops && !fails) return ast_lone(p, at, ast_name(p, word_at, word));
  Ast *n = ast_new(p, stops ? AST_STOP : AST_FAIL, at);
  n->name = word;
  n->name_span = word_at;
  n->doc = text;
  return ast_done(p, n);
}

Ast *ast_over(Parse *p, Span word_at, const char *word, Ast *over) {
  if (!strcmp(word, "vs")) return over;
  Diag *d = problem(p, DIAG_E0101, word_at, "`%s` cannot stand here", word);
  diag_help(d, "plot \"phase\": x' vs x; or a comma between columns");
  return NULL;
}

Ast *ast_plot(Parse *p, Span at, Span word_at, const char *word, const char *title, AstList columns, Ast *over) {
  if (strcmp(word, "plot")) return ast_lone(p, at, ast_name(p, word_at, word));
  Ast *n = ast_new(p, AST_PLOT, at);
  n->name = word;
  n->name_span = word_at;
  n->doc = title;
  n->list = columns;
  n->a = over;
  return ast_done(p, n);
}

Ast *ast_simulate(Parse *p, Span at, AstList entries) {
  for (int k = 0; k < entries.n; k++) {
    const Ast *x = entries.at[k];
    if (x->kind == AST_ARG || (x->kind == AST_NAME && !strcmp(x->name, "project_start"))) continue;
    Diag *d = problem(p, DIAG_E0118, entries.at[k]->span, "an entry of simulate has a name and a value");
    diag_help(d, "simulate { until = 2 [s], step = 5 [ms] }");
  }
  Ast *n = ast_new(p, AST_SIMULATE, at);
  n->list = entries;
  return ast_done(p, n);
}

// --- questions to runs ---

Ast *ast_ask(Parse *p, Span at, AstKind kind, AstList questions) {
  Ast *n = ast_new(p, kind, at);
  n->list2 = questions;
  return ast_done(p, n);
}

Ast *ast_question(Parse *p, Span at, Span word_at, const char *word, AstList terms) {
  Ast *n = ast_new(p, AST_ASKED, at);
  n->name = word;
  n->name_span = word_at;
  n->list = terms;
  return ast_done(p, n);
}

Ast *ast_asked(Parse *p, Span at, Ast *what, Ast *of_data) {
  Ast *n = ast_new(p, AST_TERM, at);
  n->a = what;
  n->b = of_data;
  return n;
}

Ast *ast_initial(Parse *p, Span at, Ast *what, Ast *zero) {
  Ast *n = ast_new(p, AST_INITIAL, at);
  n->a = what;
  n->b = zero;
  return ast_done(p, n);
}

Ast *ast_term(Parse *p, Span at, Ast *asked, AstList within, Ast *value) {
  asked->span = at;
  asked->list = within;
  asked->c = value;
  return ast_done(p, asked);
}

Ast *ast_worded(Parse *p, Ast *term, Span word_at, const char *word) {
  if (term->name) problem(p, DIAG_E0101, word_at, "`%s` cannot stand here", word);
  term->name = word;
  term->name_span = word_at;
  return term;
}

Ast *ast_with(Parse *p, Ast *term, Ast *setting) {
  term->list2 = ast_append(p, ast_list(), setting);
  return ast_done(p, term);
}

Ast *ast_claim(Parse *p, Span at, AstKind kind, Ast *condition, const char *doc) {
  Ast *n = ast_new(p, kind, at);
  n->a = condition;
  n->doc = doc;
  return ast_done(p, n);
}
