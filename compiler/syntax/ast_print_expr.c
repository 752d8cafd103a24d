// Expressions and declarations in canonical layout: a + b, a*b, a^b, -a, f(a, b), 9.81 [m/s^2]; tight inside of indices
// and ranges: x[i+1], 1:n-1. The tree keeps parentheses, so none have to be invented. Comments stay between the tokens
// where they stand.
#include "ast_print_expr.h"

#include <ctype.h>
#include <string.h>

static void print(const Ast *n, bool tight, Pen *w);

// --- tokens and comments ---

static void new_line(Pen *w) {
  while (w->out->n && w->out->at[w->out->n - 1] == ' ') w->out->at[--w->out->n] = 0;
  text_addc(w->out, '\n');
  for (size_t i = 0; i < w->indent; i++) text_addc(w->out, ' ');
}

static bool alone_before(const SourceFile *f, size_t lo) {
  while (lo > 0 && strchr(" \t\r", f->text[lo - 1])) lo--;
  return lo == 0 || f->text[lo - 1] == '\n';
}

static bool alone_behind(const SourceFile *f, Comment c) {
  size_t hi = c.hi;
  while (hi < f->len && strchr(" \t\r", f->text[hi])) hi++;
  return f->text[c.lo + 1] == '/' || hi == f->len || f->text[hi] == '\n';
}

bool comment_breaks(const SourceFile *f, Comment c) { return alone_before(f, c.lo) || alone_behind(f, c); }

void pen_at(Pen *w, size_t at) {
  while (w->src && w->next < w->comments.n && w->comments.at[w->next].lo < at) {
    Comment c = w->comments.at[w->next++];
    Text *out = w->out;
    if (w->line || alone_before(w->src, c.lo)) {
      new_line(w);
    } else {
      while (out->n && out->at[out->n - 1] == ' ') out->at[--out->n] = 0;
      if (out->n && !strchr("([", out->at[out->n - 1]))
        text_add(out, w->src->text[c.lo + 1] == '/' ? "  " : " ");
    }
    for (size_t i = c.lo; i < c.hi; i++)
      if (w->src->text[i] != '\r') text_addc(out, w->src->text[i]);
    w->line = alone_behind(w->src, c);
    w->blank = !w->line;
  }
}

void pen_text(Pen *w, const char *token) {
  if (w->line) {
    new_line(w);
    while (*token == ' ') token++;
  } else if (w->blank && !(*token && strchr(" )],;", *token))) {
    text_addc(w->out, ' ');
  }
  w->line = w->blank = false;
  text_add(w->out, token);
}

// A token that stands at this place of the source.
static void put(Pen *w, size_t at, const char *token) {
  pen_at(w, at);
  pen_text(w, token);
}

size_t pen_behind(const Pen *w, size_t at) {
  for (size_t k = w->next, before = at + 1; w->src && at != before;) {
    before = at;
    at += strspn(w->src->text + at, " \t\r\n\f\v");
    while (k < w->comments.n && w->comments.at[k].lo < at) k++;
    if (k < w->comments.n && w->comments.at[k].lo == at) at = w->comments.at[k].hi;
  }
  return at;
}

// Where the token behind an expression stands.
static size_t behind(const Pen *w, const Ast *n) { return pen_behind(w, n->span.hi); }

void print_string(const char *s, Text *out) {
  text_addc(out, '"');
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') text_addc(out, '\\');
    text_addc(out, *s);
  }
  text_addc(out, '"');
}

// --- expressions ---

// The unit of a number that stands behind the list around it.
static bool unit_of_list(const Ast *n) { return n->unit && n->unit_span.file && n->unit_span.lo >= n->span.hi; }

// A number is spelled as it was written.
static void print_number(const Ast *n, Pen *w) {
  const char *s = n->span.file ? n->span.file->text + n->span.lo : "";
  size_t len = 0, most = n->span.hi - n->span.lo;
  put(w, n->span.lo, "");
  while (len < most && (isdigit((unsigned char)s[len]) || s[len] == '.')) len++;
  if (len && len + 1 < most && (s[len] == 'e' || s[len] == 'E')) {
    size_t k = len + 1 + (s[len + 1] == '+' || s[len + 1] == '-');
    if (k < most && isdigit((unsigned char)s[k])) {
      while (k < most && isdigit((unsigned char)s[k])) k++;
      len = k;
    }
  }
  if (len) text_addn(w->out, s, len);
  else text_number(w->out, n->number);
  if (n->unit && !unit_of_list(n)) text_printf(w->out, " [%s]", n->unit);
}

static void print_each(AstList list, bool tight, Pen *w) {
  for (int k = 0; k < list.n; k++) {
    if (k) put(w, behind(w, list.at[k - 1]), ", ");
    print(list.at[k], tight, w);
  }
}

// --- lists in brackets ---

static size_t flat_length(AstList list) {
  Text t = { 0 };
  print_each(list, false, &(Pen){ .out = &t });
  size_t n = t.n;
  text_free(&t);
  return n;
}

static size_t pen_column(const Pen *w) {
  size_t n = 0;
  while (n < w->out->n && w->out->at[w->out->n - 1 - n] != '\n') n++;
  return n;
}

static bool comments_ahead(const Pen *w, size_t end) {
  return w->src && w->next < w->comments.n && w->comments.at[w->next].lo < end;
}

// The elements in lines that fit; `behind_it`: columns of what closes the list. One with comments stays as it stands.
static void print_filled(AstList list, size_t behind_it, Pen *w) {
  size_t widest = w->widest, outer = w->tail, from = pen_column(w), most = 80;
  size_t tail = (outer ? outer : 1) + behind_it;
  if (from > most && w->indent) from = w->indent;
  for (int k = 0; k < list.n; k++) {
    bool last = k + 1 == list.n;
    size_t n = flat_length((AstList){ list.at + k, 1 });
    w->tail = last ? tail : 1;
    if (k) {
      put(w, behind(w, list.at[k - 1]), ",");
      bool fits = pen_column(w) + 1 + n + w->tail <= widest;
      text_addc(w->out, fits ? ' ' : '\n');
      for (size_t i = 0; i < from && !fits; i++) text_addc(w->out, ' ');
    }
    print(list.at[k], false, w);
  }
  w->tail = outer;
}

static void print_elements(AstList list, bool tight, size_t behind_it, Pen *w) {
  size_t widest = w->widest, tail = w->tail ? w->tail : 1;
  bool breaks = widest && !tight && list.n > 0 && !comments_ahead(w, list.at[list.n - 1]->span.hi) &&
                pen_column(w) + flat_length(list) + behind_it + tail > widest;
  if (breaks) {
    print_filled(list, behind_it, w);
    return;
  }
  if (!list.n || !comments_ahead(w, list.at[list.n - 1]->span.hi)) w->widest = 0;     // nothing inside is too long
  print_each(list, tight, w);
  w->widest = widest;
}

static void print_binary(const Ast *n, bool tight, Pen *w) {
  static const char *const wide[] = { " + ", " - ",  "*",    "/",    "^",     "",     " < ", " <= ",
                                      " > ", " >= ", " == ", " != ", " and ", " or ", "" };
  print(n->a, tight, w);
  put(w, behind(w, n->a), tight && (n->op == AO_ADD || n->op == AO_SUB) ? n->op == AO_ADD ? "+" : "-" : wide[n->op]);
  print(n->b, tight, w);
}

// What has the unit that stands behind a range, or NULL: a number, with its sign.
static const Ast *with_unit_behind(const Ast *end) {
  while (end->kind == AST_UNARY) end = end->a;
  return end->kind == AST_NUMBER && unit_of_list(end) ? end : NULL;
}

// in [5, 50] [N/m]
static void print_within(const Ast *lo, const Ast *hi, Pen *w) {
  const Ast *unit = with_unit_behind(hi);
  if (!unit) unit = with_unit_behind(lo);
  pen_text(w, " in [");
  print_expr(lo, w);
  pen_text(w, ", ");
  print_expr(hi, w);
  pen_at(w, behind(w, hi));
  pen_text(w, "]");
  if (unit) text_printf(w->out, " [%s]", unit->unit);
}

// The last token of a node takes the comments that are left inside of it, so that none slips out.
static void print_decl(const Ast *n, Pen *w) {
  size_t end = n->span.hi - 1, bracket = n->list.n ? behind(w, n->list.at[n->list.n - 1]) : 0;
  bool more = n->unit || n->a || n->b || n->doc;
  put(w, n->name_span.lo, n->name);
  if (n->list.n) {
    pen_text(w, "[");
    print_each(n->list2.n ? n->list2 : n->list, !n->list2.n, w);
    put(w, more || n->primes ? bracket : end, "]");
  }
  for (int k = 0; k < n->primes; k++)
    if (more || k + 1 < n->primes) pen_text(w, "'");
    else put(w, end, "'");
  if (n->unit) {
    put(w, n->unit_span.lo, " : ");
    text_add(w->out, n->unit);
  }
  if (n->a) {
    pen_text(w, " = ");
    print_expr(n->a, w);
  }
  if (n->b) print_within(n->b, n->c, w);
  if (n->doc) {
    put(w, end, " ");
    print_string(n->doc, w->out);
  }
}

// a ~ b word in [lo, hi] = c word with d: what is there of it.
static void print_term(const Ast *n, Pen *w) {
  bool last = n->name && n->c && n->name_span.lo > n->c->span.lo;
  print_expr(n->a, w);
  if (n->b) {
    put(w, behind(w, n->a), " ~ ");
    print_expr(n->b, w);
  }
  if (n->name && !last) pen_text(w, " "), put(w, n->name_span.lo, n->name);
  if (n->list.n) print_within(n->list.at[0], n->list.at[1], w);
  if (n->c) {
    pen_text(w, " = ");
    print_expr(n->c, w);
  }
  if (last) pen_text(w, " "), put(w, n->name_span.lo, n->name);
  if (n->list2.n) {
    pen_text(w, " with ");
    print_list(n->list2, w);
  }
}

// -(-x) without its parentheses: two signs side by side would be read as a comment of another language.
static bool begins_with_minus(const Ast *n) {
  while (n->kind == AST_BINARY || n->kind == AST_INDEX || n->kind == AST_MEMBER || n->kind == AST_PRIME) n = n->a;
  return n->kind == AST_UNARY && n->op == AO_NEG;
}

// Expressions in brackets, or with a list in brackets behind them.
static void print_in_brackets(const Ast *n, bool tight, Pen *w) {
  switch (n->kind) {
    case AST_INDEX:
      print(n->a, tight, w);
      pen_text(w, "[");
      print_each(n->list, true, w);
      put(w, n->span.hi - 1, "]");
      break;
    case AST_CALL:
      if (n->a) {
        print(n->a, true, w);
        put(w, n->name_span.lo, ".");
        text_add(w->out, n->name);
      } else put(w, n->span.lo, n->name);
      pen_text(w, "(");
      print_elements(n->list, false, 1, w);
      put(w, n->span.hi - 1, ")");
      break;
    case AST_AT:
      print(n->a, tight, w);
      put(w, n->name_span.lo, " at(");
      print_elements(n->list, false, 1, w);
      put(w, n->span.hi - 1, ")");
      break;
    case AST_VECTOR:
      put(w, n->span.lo, "[");
      print_elements(n->list, tight, n->unit ? strlen(n->unit) + 4 : 1, w);
      put(w, n->span.hi - 1, "]");
      if (n->unit) text_printf(w->out, " [%s]", n->unit);
      break;
    case AST_PAREN:
      put(w, n->span.lo, "(");
      print(n->a, tight, w);
      put(w, n->span.hi - 1, ")");
      break;
    case AST_POINT:
      put(w, n->span.lo, "(");
      print_each(n->list, tight, w);
      put(w, n->span.hi - 1, ")");
      break;
    case AST_SET:
      put(w, n->span.lo, "{");
      put(w, n->name_span.lo, n->name);
      pen_text(w, " : ");
      print_each(n->list, tight, w);
      put(w, n->span.hi - 1, "}");
      break;
    case AST_LAW:
      put(w, n->span.lo, n->name);
      if (!n->list.n) break;
      pen_text(w, "(");
      print_list(n->list, w);
      put(w, n->span.hi - 1, ")");
      break;
    default: pen_text(w, "?"); break;   // items are not expressions
  }
}

// Expressions with words between their parts.
static void print_with_words(const Ast *n, bool tight, Pen *w) {
  switch (n->kind) {
    case AST_ARG:
      put(w, n->span.lo, n->name);
      pen_text(w, " = ");
      print(n->a, tight, w);
      break;
    case AST_COND:
      put(w, n->span.lo, "if ");
      print(n->a, tight, w);
      put(w, behind(w, n->a), " then ");
      print(n->b, tight, w);
      put(w, behind(w, n->b), " else ");
      print(n->c, tight, w);
      break;
    case AST_SUM:
      put(w, n->span.lo, "sum(");
      pen_text(w, n->name);
      pen_text(w, " in ");
      print(n->a, true, w);
      put(w, behind(w, n->a), ") ");
      print(n->b, tight, w);
      break;
    case AST_TERM: print_term(n, w); break;
    case AST_INITIAL:
      print(n->a, true, w);
      put(w, behind(w, n->a), "(");
      print(n->b, true, w);
      pen_text(w, ")");
      break;
    case AST_RANGE:
      print(n->a, true, w);
      put(w, behind(w, n->a), ":");
      print(n->b, true, w);
      break;
    case AST_INDEXER:
      put(w, n->span.lo, n->name);
      pen_text(w, " in ");
      print(n->a, true, w);
      break;
    default: print_in_brackets(n, tight, w); break;
  }
}

static void print(const Ast *n, bool tight, Pen *w) {
  switch (n->kind) {
    case AST_NUMBER: print_number(n, w); break;
    case AST_STRING:
      put(w, n->span.lo, "");
      print_string(n->name, w->out);
      break;
    case AST_NAME:   put(w, n->span.lo, n->name); break;
    case AST_PRIME:  print(n->a, tight, w); put(w, n->span.hi - 1, "'"); break;
    case AST_MEMBER:
      print(n->a, tight, w);
      put(w, n->name_span.lo, ".");
      text_add(w->out, n->name);
      break;
    case AST_UNARY:
      put(w, n->span.lo, n->op == AO_NOT ? "not " : begins_with_minus(n->a) ? "- " : "-");
      print(n->a, tight, w);
      break;
    case AST_BINARY: print_binary(n, tight, w); break;
    case AST_DECL: print_decl(n, w); break;
    default: print_with_words(n, tight, w); break;
  }
}

void print_expr(const Ast *n, Pen *w) { print(n, false, w); }
void print_list(AstList list, Pen *w) { print_each(list, false, w); }
void print_tight_list(AstList list, Pen *w) { print_each(list, true, w); }

void print_args(AstList list, Pen *w) {
  pen_text(w, "(");
  print_list(list, w);
  if (list.n) pen_at(w, behind(w, list.at[list.n - 1]));
  pen_text(w, ")");
}
