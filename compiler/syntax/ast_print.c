// nsm fmt: the canonical text, of which layout.c takes the tokens, and the layout of the source where that is tidy.
// Canonical is: items one a line; lists that are too long, or that hold comments between their elements, one element a
// line. Comments are found again in the source (comments.h) and put out in order: those above an item on lines of their
// own, those behind it on its line, those inside of an expression between its tokens (ast_print_expr.c), those between
// the first words of an item above it.
#include "ast_print.h"

#include <string.h>

#include "ast_print_expr.h"
#include "comments.h"
#include "layout.h"
#include "parse.h"

enum { WIDEST = 120 };

typedef struct Printer {
  const SourceFile *src;
  Text    *out;
  Pen      pen;         // holds the comments
  int      indent;      // in levels of two blanks
  bool     first;       // nothing printed in this block yet: no empty line here
} Printer;

// --- lines and comments ---

static void indent_to(Printer *w, size_t columns) {
  while (columns-- > 0) text_addc(w->out, ' ');
}

static size_t column(const Printer *w) {
  size_t n = 0;
  while (n < w->out->n && w->out->at[w->out->n - 1 - n] != '\n') n++;
  return n;
}

static bool more_before(const Printer *w, size_t end) {
  return w->pen.next < w->pen.comments.n && w->pen.comments.at[w->pen.next].lo < end;
}

// The next comment as it stands, without the '\r' of line ends.
static void put_comment(Printer *w) {
  Comment c = w->pen.comments.at[w->pen.next++];
  for (size_t i = c.lo; i < c.hi; i++)
    if (w->src->text[i] != '\r') text_addc(w->out, w->src->text[i]);
}

// An empty line if the source has one above `at`.
static void keep_blank(Printer *w, size_t at) {
  if (!w->first && comments_blank_before(w->src, at)) text_addc(w->out, '\n');
  w->first = false;
}

// Comments before `end` on lines of their own; those from `inside` on stand in the middle of an item.
static void put_comments_above(Printer *w, size_t end, size_t inside, size_t columns) {
  while (more_before(w, end)) {
    size_t at = w->pen.comments.at[w->pen.next].lo;
    if (at < inside) keep_blank(w, at);
    indent_to(w, columns);
    put_comment(w);
    text_addc(w->out, '\n');
  }
}

// Comments on the source line of `hi` that start before `limit`, behind what was printed last; also one left over from
// the end of its text. Nothing can follow a // comment.
static void put_comments_behind(Printer *w, size_t hi, size_t limit) {
  while (more_before(w, limit)) {
    Comment c = w->pen.comments.at[w->pen.next];
    if (c.lo >= hi && memchr(w->src->text + hi, '\n', c.lo - hi)) return;
    text_add(w->out, "  ");
    put_comment(w);
    if (w->src->text[c.lo + 1] == '/') return;
    if (c.hi > hi) hi = c.hi;
  }
}

// --- lists ---

static size_t flat_length(AstList list) {
  Text t = {0};
  print_list(list, &(Pen){ .out = &t });
  size_t n = t.n;
  text_free(&t);
  return n;
}

// Is there a comment between the elements, or one inside of them that ends its line?
static bool comments_inside(const Printer *w, AstList list) {
  const Comments *c = &w->pen.comments;
  size_t end = list.at[list.n - 1]->span.hi;
  for (size_t k = w->pen.next; k < c->n && c->at[k].lo < end; k++) {
    bool inside = false;
    for (int i = 0; i < list.n; i++) inside |= list.at[i]->span.lo <= c->at[k].lo && c->at[k].lo < list.at[i]->span.hi;
    if (!inside || comment_breaks(w->src, c->at[k])) return true;
  }
  return false;
}

static bool fits(const Printer *w, AstList list, size_t tail) { return column(w) + flat_length(list) + tail <= WIDEST; }

// The elements, one a line from the column where the list starts, unless it fits on the line. Comments behind the last
// element are the caller's.
static void put_list(Printer *w, AstList list, size_t tail) {
  if (list.n == 0) return;
  size_t from = column(w);
  bool broken = list.n > 1 && (!fits(w, list, tail) || comments_inside(w, list));
  for (int k = 0; k < list.n; k++) {
    const Ast *n = list.at[k];
    if (k && broken) {
      put_comments_above(w, n->span.lo, 0, from);
      indent_to(w, from);
    }
    w->pen.indent = from + 4;
    print_expr(n, &w->pen);
    if (k + 1 == list.n) break;
    text_addc(w->out, ',');
    if (broken) {
      put_comments_behind(w, n->span.hi, list.at[k + 1]->span.lo);
      text_addc(w->out, '\n');
    } else {
      text_addc(w->out, ' ');
    }
  }
}

// Up to where comments go above an item: the first element of its list.
static size_t list_start(const Ast *item, AstList list) { return list.n ? list.at[0]->span.lo : item->span.hi; }

// --- items ---

static void put_item(Printer *w, const Ast *n);

static void put_items(Printer *w, AstList items, size_t end) {
  w->first = true;
  for (int k = 0; k < items.n; k++) {
    put_item(w, items.at[k]);
    put_comments_behind(w, items.at[k]->span.hi, k + 1 < items.n ? items.at[k + 1]->span.lo : end);
    text_addc(w->out, '\n');
  }
  put_comments_above(w, end, end, (size_t)w->indent * 2);
}

// " {" and the comments that follow it on its line. `from` is somewhere before the brace, `limit` where its content
// starts.
static void put_open_brace(Printer *w, size_t from, size_t limit) {
  text_add(w->out, " {");
  put_comments_behind(w, comments_skip(w->src, from, '{'), limit);
  text_addc(w->out, '\n');
  w->first = true;
}

// " {", items, "}".
static void put_block_until(Printer *w, size_t end, size_t from, AstList items) {
  put_open_brace(w, from, items.n ? items.at[0]->span.lo : end);
  w->indent++;
  put_items(w, items, end);
  w->indent--;
  w->first = false;
  indent_to(w, (size_t)w->indent * 2);
  text_addc(w->out, '}');
}

static void put_block(Printer *w, const Ast *n, size_t from, AstList items) {
  put_block_until(w, n->span.hi - 1, from, items);
}

// if a { ... } else if b { ... } else { ... }
static void put_choice(Printer *w, const Ast *n) {
  for (; n; n = n->b) {
    if (n->kind == AST_IF) {
      text_add(w->out, "if ");
      print_expr(n->a, &w->pen);
    }
    put_block_until(w, n->name_span.hi - 1, n->name_span.lo, n->list2);
    if (n->b) text_add(w->out, n->b->kind == AST_IF ? " else " : " else");
  }
}

static void put_name(Printer *w, const char *word, const Ast *n) {
  text_printf(w->out, "%s %s", word, n->name);
  if (!n->list.n) return;
  text_addc(w->out, '[');
  print_tight_list(n->list, &w->pen);
  text_addc(w->out, ']');
}

static void put_with(Printer *w, AstList laws) {
  if (!laws.n) return;
  pen_text(&w->pen, " with ");
  print_list(laws, &w->pen);
}

static void put_law(Printer *w, const Ast *law) {
  bool zero = law->kind == AST_COMPLEMENTARITY;
  text_add(w->out, zero ? ": 0 <= " : ": ");
  print_expr(law->a, &w->pen);
  pen_text(&w->pen, zero ? " perp " : law->kind == AST_INCLUSION ? " in " : " = ");
  print_expr(law->b, &w->pen);
  if (zero) text_add(w->out, " >= 0");
}

// The long form of a contact or constraint: in braces.
static bool in_braces(const Ast *n) { return n->c || !n->a || (n->kind == AST_CONSTRAINT && !n->b); }
static const Ast *first_part(const Ast *n) { return n->a ? n->a : n->b; }

// Do the parts stand in the order normal, slip, with?
static bool in_order(const Ast *n) {
  size_t laws = n->list2.n ? n->list2.at[0]->span.lo : n->span.hi,
         last = n->list2.n ? n->list2.at[n->list2.n - 1]->span.hi : laws;
  size_t slip = n->c ? n->c->span.lo : laws, slip_end = n->c ? n->c->span.hi : slip;
  return first_part(n)->span.hi <= slip && slip_end <= laws && last <= n->span.hi;
}

static void put_parts(Printer *w, const Ast *n) {
  // The parts in their usual order, each with its comments if that is also the order of the source.
  size_t inner = (size_t)(w->indent + 1) * 2, end = n->span.hi - 1;
  const char *const words[] = {n->a ? "normal = " : "normal_force = ", "slip = ", "with "};
  AstList parts[] = {{(Ast *[]){n->a ? n->a : n->b}, 1}, {(Ast *[]){n->c}, n->c != NULL}, n->list2};
  put_open_brace(w, n->name_span.hi, in_order(n) ? first_part(n)->span.lo : 0);
  for (int k = 0; k < 3; k++) {
    if (!parts[k].n) continue;
    size_t lo = parts[k].at[0]->span.lo, hi = parts[k].at[parts[k].n - 1]->span.hi, next = end;
    for (int l = 2; l > k; l--) if (parts[l].n) next = parts[l].at[0]->span.lo;
    if (in_order(n)) put_comments_above(w, lo, lo, inner);
    indent_to(w, inner);
    text_add(w->out, words[k]);
    w->pen.indent = inner + 4;
    print_list(parts[k], &w->pen);
    text_addc(w->out, ';');
    if (in_order(n)) put_comments_behind(w, hi, next);
    text_addc(w->out, '\n');
  }
  put_comments_above(w, end, end, inner);
  indent_to(w, inner - 2);
  text_addc(w->out, '}');
}

// True: in braces, which end the item.
static bool put_row(Printer *w, const Ast *n) {
  put_name(w, n->kind == AST_CONTACT ? "contact" : "constraint", n);
  if (in_braces(n)) { put_parts(w, n); return true; }
  text_add(w->out, ": ");
  print_expr(n->a, &w->pen);
  pen_at(&w->pen, pen_behind(&w->pen, n->a->span.hi));
  pen_text(&w->pen, n->kind == AST_CONTACT ? " >= 0" : " = ");
  if (n->b) print_expr(n->b, &w->pen);
  put_with(w, n->list2);
  return false;
}

// `head { list }` of simulate and bodies.
static void put_entries(Printer *w, const Ast *n, AstList list) {
  size_t end = n->span.hi - 1, from = (size_t)(w->indent + 1) * 2;
  if (fits(w, list, 5) && !more_before(w, end)) {
    text_add(w->out, list.n ? " { " : " {");
    print_list(list, &w->pen);
    text_add(w->out, " }");
    return;
  }
  put_open_brace(w, n->span.lo, list.n ? list.at[0]->span.lo : end);
  for (int k = 0; k < list.n; k++) {
    const Ast *entry = list.at[k];
    put_comments_above(w, entry->span.lo, 0, from);
    indent_to(w, from);
    w->pen.indent = from + 4;
    print_expr(entry, &w->pen);
    if (k + 1 < list.n) text_addc(w->out, ',');
    put_comments_behind(w, entry->span.hi, k + 1 < list.n ? list.at[k + 1]->span.lo : end);
    text_addc(w->out, '\n');
  }
  put_comments_above(w, end, 0, from);
  indent_to(w, from - 2);
  text_addc(w->out, '}');
}

// contact NAME { between = A, B; with ...; }: on one line where it fits and holds no comment.
static void put_touch(Printer *w, const Ast *n) {
  size_t inner = (size_t)(w->indent + 1) * 2, end = n->span.hi - 1;
  const char *const words[] = { n->list.n > 1 ? "between = " : "among = ", "with " };
  const AstList parts[] = { n->list, n->list2 };
  bool first = !n->list2.n || n->list.at[0]->span.lo < n->list2.at[0]->span.lo;
  bool flat = !more_before(w, end) && column(w) + flat_length(n->list) + flat_length(n->list2) + 24 <= WIDEST;
  if (flat) {
    text_add(w->out, " {");
    for (int k = 0; k < 2; k++) {
      if (!parts[k].n) continue;
      text_printf(w->out, " %s", words[k]);
      print_list(parts[k], &w->pen);
      text_addc(w->out, ';');
    }
    text_add(w->out, " }");
    return;
  }
  put_open_brace(w, n->name_span.hi, first ? n->list.at[0]->span.lo : 0);
  for (int k = 0; k < 2; k++) {
    if (!parts[k].n) continue;
    size_t lo = parts[k].at[0]->span.lo, hi = parts[k].at[parts[k].n - 1]->span.hi;
    if (first) put_comments_above(w, lo, lo, inner);
    indent_to(w, inner);
    text_add(w->out, words[k]);
    w->pen.indent = inner + 4;
    put_list(w, parts[k], 1);
    text_addc(w->out, ';');
    if (first) put_comments_behind(w, hi, k == 0 && n->list2.n ? n->list2.at[0]->span.lo : end);
    text_addc(w->out, '\n');
  }
  put_comments_above(w, end, end, inner);
  indent_to(w, inner - 2);
  text_addc(w->out, '}');
}

static const char *word_of(AstKind kind) {
  switch (kind) {
    case AST_PARAM:       return "param ";
    case AST_STATE:       return "state ";
    case AST_COORD:       return "coord ";
    case AST_MULTIPLIER:  return "multiplier ";
    case AST_ALGEBRAIC:   return "algebraic ";
    case AST_NODE:        return "node ";
    case AST_INPUT:       return "input ";
    case AST_DISCRETE:    return "discrete ";
    case AST_OUTPUT:      return "output ";
    case AST_VAR:         return "var ";
    case AST_KINETIC:     return "kinetic ";
    case AST_POTENTIAL:   return "potential ";
    case AST_DISSIPATION: return "dissipation ";
    case AST_EVERY:       return "every ";
    case AST_WHEN:        return "when ";
    case AST_EXPECT:      return "expect ";
    case AST_ASSERT:      return "assert ";
    default:              return "";
  }
}

// Are comments in front of its first expression, up to `end`, printed there? Else they go above: where the item has
// more than a word in front of it, and where they do not stand in one line with it.
static bool keeps_head(const Printer *w, const Ast *n, size_t end) {
  const Comments *c = &w->pen.comments;
  for (size_t k = w->pen.next; k < c->n && c->at[k].lo < end; k++)
    if (comment_breaks(w->src, c->at[k])) return false;
  return n->kind != AST_INSTANCE && n->kind != AST_BODY && n->kind != AST_TOUCH && n->kind != AST_PAIR &&
         n->kind != AST_MATERIAL && n->kind != AST_PLOT && n->kind != AST_DRAW && n->kind != AST_MODEL &&
         n->kind != AST_SIMULATE && n->kind != AST_IMPORT && n->kind != AST_FIT && n->kind != AST_ANALYSE &&
         n->kind != AST_FUNCTION && !((n->kind == AST_CONTACT || n->kind == AST_CONSTRAINT) && in_braces(n));
}

// Where the comments end that go above the item.
static size_t head_end(const Printer *w, const Ast *n) {
  switch (n->kind) {
  case AST_PARAM:
  case AST_STATE:
  case AST_COORD:
  case AST_MULTIPLIER:
  case AST_ALGEBRAIC:
  case AST_NODE:
  case AST_INPUT:
  case AST_DISCRETE:
  case AST_OUTPUT:
  case AST_VAR: return list_start(n, n->list);
  case AST_INSTANCE: return list_start(n, n->list2);
  case AST_MODEL: return n->list.n ? n->list.at[0]->span.lo : comments_skip(w->src, n->span.lo, '{');
  case AST_CONTACT:
  case AST_CONSTRAINT: return in_braces(n) && in_order(n) ? comments_skip(w->src, n->name_span.hi, '{')
                            : in_braces(n)             ? n->span.hi
                                                       : n->a->span.lo;
  case AST_TOUCH:
  case AST_PAIR:
  case AST_DRAW:
  case AST_FIT:
  case AST_ANALYSE:
  case AST_BODY: return comments_skip(w->src, n->span.lo, '{');
  case AST_MATERIAL: return list_start(n, n->list);
  case AST_ASKED: return list_start(n, n->list);
  case AST_PLOT: return n->list.n ? n->list.at[0]->span.lo : n->span.hi;
  case AST_SIMULATE: return comments_skip(w->src, n->span.lo, '{');
  case AST_RELATION: return n->a->a ? n->a->a->span.lo : n->span.hi;
  case AST_IMPORT:
  case AST_FUNCTION: return n->name_span.hi;
  default: return n->a ? n->a->span.lo : n->span.hi;
  }
}

// A word or sign behind an expression, and another expression.
static void put_next(Printer *w, const Ast *a, const char *sign, const Ast *b) {
  pen_at(&w->pen, pen_behind(&w->pen, a->span.hi));
  pen_text(&w->pen, sign);
  print_expr(b, &w->pen);
}

// Items that end with a bracket of their own; false for others.
static bool put_with_block(Printer *w, const Ast *n) {
  Text *out = w->out;
  switch (n->kind) {
    case AST_MODEL:
      text_printf(out, "model %s", n->name);
      if (n->list.n) {
        text_addc(out, '(');
        put_list(w, n->list, 3);
        text_addc(out, ')');
      }
      put_block(w, n, n->list.n ? n->list.at[n->list.n - 1]->span.hi : n->span.lo, n->list2);
      return true;
    case AST_DRAW:
      text_add(out, "draw");
      put_block(w, n, n->span.lo, n->list2);
      return true;
    case AST_FIT: case AST_ANALYSE:
      text_add(out, n->kind == AST_FIT ? "fit" : "analyse");
      put_block(w, n, n->span.lo, n->list2);
      return true;
    case AST_FOR:
      text_printf(out, "for %s in ", n->name);
      print_expr(n->a, &w->pen);
      put_block(w, n, n->a->span.hi, n->list2);
      return true;
    case AST_IF: put_choice(w, n); return true;
    case AST_EVERY: case AST_WHEN:
      print_expr(n->a, &w->pen);
      if (n->b) put_next(w, n->a, " offset ", n->b);
      put_block(w, n, n->b ? n->b->span.hi : n->a->span.hi, n->list2);
      return true;
    case AST_SIMULATE:
      text_add(out, "simulate");
      put_entries(w, n, n->list);
      return true;
    case AST_BODY:
      put_name(w, "body", n);
      put_entries(w, n, n->list2);
      return true;
    case AST_TOUCH:
      put_name(w, "contact", &(Ast){ .name = n->name });
      put_touch(w, n);
      return true;
    case AST_PAIR:
      text_printf(out, "pair %s, %s", n->a->name, n->b->name);
      put_entries(w, n, n->list2);
      return true;
    case AST_CONTACT: case AST_CONSTRAINT: return put_row(w, n);
    default: return false;
  }
}

// Items that are an expression, or two or three with signs between them.
static void put_expressions(Printer *w, const Ast *n) {
  print_expr(n->a, &w->pen);
  if (n->kind == AST_FLOW) put_next(w, n->a, " to ", n->b);
  if (n->kind == AST_FLOW) put_next(w, n->b, " = ", n->c);
  if (n->kind == AST_FORCE || n->kind == AST_EQUATION) put_next(w, n->a, " = ", n->b);
  if ((n->kind == AST_EXPECT || n->kind == AST_ASSERT) && n->doc) {
    pen_at(&w->pen, n->span.hi - 1);
    pen_text(&w->pen, " ");
    print_string(n->doc, w->out);
  }
}

// Items that end with ';'.
static void put_statement(Printer *w, const Ast *n) {
  Text *out = w->out;
  switch (n->kind) {
    case AST_IMPORT:
      text_add(out, "import ");
      print_string(n->name, out);
      break;
    case AST_FUNCTION:
      text_printf(out, "function %s", n->name);
      print_args(n->list, &w->pen);
      if (n->unit) text_printf(out, " : %s", n->unit);
      text_add(out, " = ");
      print_expr(n->a, &w->pen);
      break;
    case AST_STOP: case AST_FAIL:
      text_printf(out, "%s ", n->name);
      print_string(n->doc, out);
      break;
    case AST_PLOT:
      text_add(out, "plot ");
      print_string(n->doc, out);
      text_add(out, ": ");
      put_list(w, n->list, 1);
      if (n->a) put_next(w, n->list.at[n->list.n - 1], " vs ", n->a);
      break;
    case AST_ASKED:
      text_printf(out, "%s%s", n->name ? n->name : "", n->name && n->list.n ? " " : "");
      put_list(w, n->list, 1);
      break;
    case AST_MATERIAL:
      text_add(out, "material ");
      put_list(w, n->list, 1);
      break;
    case AST_GRAVITY: text_add(out, "gravity "); put_expressions(w, n); break;
    case AST_FLOW:    text_add(out, "flow "); put_expressions(w, n); break;
    case AST_FORCE:   text_add(out, "force "); put_expressions(w, n); break;
    case AST_PICTURE: case AST_EQUATION: case AST_EXPECT: case AST_ASSERT: case AST_KINETIC: case AST_POTENTIAL:
    case AST_DISSIPATION: put_expressions(w, n); break;
    case AST_RELATION:
      put_name(w, "relation", n);
      put_law(w, n->a);
      put_with(w, n->list2);
      break;
    case AST_CONTACT: case AST_CONSTRAINT: break;
    case AST_INSTANCE:
      put_name(w, n->b->name, n);
      text_addc(out, '(');
      put_list(w, n->list2, 2);
      text_addc(out, ')');
      break;
    default: put_list(w, n->list, 1); break;   // declarations
  }
  text_addc(out, ';');
}

static void put_item(Printer *w, const Ast *n) {
  size_t above = head_end(w, n);
  put_comments_above(w, n->span.lo, n->span.lo, (size_t)w->indent * 2);
  keep_blank(w, n->span.lo);
  if (!keeps_head(w, n, above)) put_comments_above(w, above, 0, (size_t)w->indent * 2);
  indent_to(w, (size_t)w->indent * 2);
  w->pen.indent = (size_t)w->indent * 2 + 4;
  text_add(w->out, word_of(n->kind));
  if (!put_with_block(w, n)) put_statement(w, n);
}

static void print_canonical(const Ast *file, const SourceFile *src, Text *out) {
  Printer w = {.src = src, .out = out, .pen = {.out = out, .src = src, .widest = WIDEST}};
  comments_find(src, &w.pen.comments);
  put_items(&w, file->list, src->len);
  vec_free(&w.pen.comments);
}

static bool same_text(const Text *a, const Text *b) { return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n)); }

// One round on a text that was laid out: what the next call would make of it.
static void format_again(const Text *text, Text *out) {
  Arena *a = arena_new();
  Text canonical = {0};
  const SourceFile *f = source_from_text(a, "", text->at ? text->at : "", text->n);
  print_canonical(parse_file(a, intern_new(a), f, diag_bag_new(a)), f, &canonical);
  layout_keep(f, &canonical, out);
  text_free(&canonical);
  arena_free(a);
}

void ast_format(const Ast *file, const SourceFile *src, Text *out) {
  enum { ROUNDS = 6 };
  Text canonical = {0}, next = {0};
  print_canonical(file, src, &canonical);
  layout_keep(src, &canonical, out);
  for (int round = 0;; round++) {                          // columns move what stands below them: until nothing does
    text_free(&next);
    format_again(out, &next);
    if (same_text(out, &next)) break;
    out->n = 0;
    text_addn(out, round < ROUNDS ? next.at : canonical.at, round < ROUNDS ? next.n : canonical.n);
    if (round == ROUNDS) break;
  }
  text_free(&canonical);
  text_free(&next);
}
