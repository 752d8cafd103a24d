// What the user reads when the parser meets a token that cannot stand there. The parser knows the tokens that could;
// the Parse knows the previous token, the open brackets and the start of the item. The first rule that fits speaks.
#include <string.h>

#include "../base/suggest.h"
#include "../base/text.h"
#include "nsm.tab.h"
#include "parse_state.h"

typedef struct { const char *const *names; int n; } Expected;

static bool expects(Expected e, const char *name) {
  for (int k = 0; k < e.n; k++)
    if (strcmp(e.names[k], name) == 0) return true;
  return false;
}

static bool expects_value(Expected e) { return expects(e, "a number"); }
static bool expects_operator(Expected e) { return expects(e, "'*'"); }

static bool is_word(const Parse *p, Token t) {
  return t.kind != TOK_NAME && lex_is_word(p->file->text + t.at.lo, t.at.hi - t.at.lo);
}

static bool is_comparison(int kind) {
  return kind == '<' || kind == '>' || kind == TOK_LE || kind == TOK_GE || kind == TOK_EQ || kind == TOK_NE;
}

static bool ends_value(int kind) {
  return kind == TOK_NAME || kind == TOK_NUMBER || kind == TOK_STRING || kind == ')' || kind == ']' || kind == '\'';
}

static bool on_new_line(const Parse *p) {
  return source_line(p->file, p->now.at.lo) > source_line(p->file, p->before.at.hi);
}

// Just behind the previous token.
static Span behind(const Parse *p) { return (Span){p->file, p->before.at.hi, p->before.at.hi}; }

static const char *token_text(Parse *p, Token t) {
  if (t.kind == TOK_END) return "the end of the file";
  return arena_printf(p->arena, "'%s'", span_text(p, t.at));
}

// Words of other languages for what a word means here.
static const char *translated(const char *text) {
  static const char *const other[][2] = {
    { "parameter", "param" },    { "parameters", "param" },  { "constant", "param" }, { "const", "param" },
    { "coordinate", "coord" },   { "coordinates", "coord" }, { "let", "var" },
    { "component", "model" },    { "class", "model" },       { "block", "model" },    { "experiment", "simulate" },
    { "simulation", "simulate" }, { "system", "model" },     { "module", "model" },   { "struct", "model" }
  };
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (!strcmp(text, other[i][0])) return other[i][1];
  return NULL;
}

const char *word_near(Parse *p, Span name) {
  static const char *const words[] = {
#define WORD(text, token, kind) text,
#include "words.def"
#undef WORD
    "with"};
  const char *text = arena_strndup(p->arena, name.file->text + name.lo, name.hi - name.lo);
  const char *meant = translated(text);
  return meant ? meant : suggest(text, words, sizeof words / sizeof *words);
}

// --- the rules; each says whether it spoke ---

// parm m = 1;
static bool unknown_word(Parse *p, Expected e) {
  if (p->item_n < 2 || p->item[0].kind != TOK_NAME) return false;
  bool pair = p->item[1].kind == TOK_NAME || p->item[1].kind == '{' || p->item[1].kind == TOK_STRING;
  if (!pair || expects(e, "')'")) return false;
  const char *near = word_near(p, p->item[0].at);
  if (near) {
    if (p->now.kind == '{' && strcmp(near, "model") != 0)
      p->unread = (Span){p->file, p->now.at.lo, skip_bracket(p->file, p->now.at.lo)};
    Diag *d = problem(p, DIAG_E0117, p->item[0].at, "unknown word %s", token_text(p, p->item[0]));
    diag_help(d, "did you mean '%s'?", near);
    diag_edit(d, p->item[0].at, "%s", near);
    return true;
  }
  if (p->item_n == 2 && p->now.kind == TOK_NAME) return false;   // a b: an operator is missing
  if (p->item[1].kind == TOK_NAME && p->item_n == 3) {
    if (p->open.n && find_model(p, span_text(p, p->item[0].at))) {                 // Decay d = new Decay(2);
      Diag *d = problem(p, DIAG_E0121, ((Span){ p->file, p->item[0].at.lo, p->before.at.hi }),
                        "an instance reads: MODEL NAME(arguments)");
      diag_help(d, "%s %s(...);", span_text(p, p->item[0].at), span_text(p, p->item[1].at));
      return true;
    }
    Diag *d = problem(p, DIAG_E0117, p->item[0].at, "unknown word %s", token_text(p, p->item[0]));
    if (!p->open.n) {
      diag_note(d, "a file holds import, function, model and param");
      diag_help(d, "model NAME { ... }");
      return true;
    }
    diag_note(
        d, "an item starts with a word such as param, coord, contact, or it is an equation, or an instance of a model");
    diag_help(d, "an instance reads: %s %s(...);", span_text(p, p->item[0].at), span_text(p, p->item[1].at));
    return true;
  }
  return false;
}

// fit { vary k from 15; }
static bool question(Parse *p) {
  static const char *const shapes[][2] = {
#define QUESTION(word, block, form, asks, shape) { word, shape },
#include "questions.def"
#undef QUESTION
  };
  const Open *open = p->open.n ? &vec_last(&p->open) : NULL;
  if (!open || open->bracket != '{' || open->owner.kind != TOK_ASK || p->item_n < 2) return false;
  const char *word = span_text(p, p->item[0].at);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(shapes[i][0], word)) {
      diag_help(problem(p, DIAG_E0273, p->now.at, "`%s` is not asked like this", word), "%s", shapes[i][1]);
      return true;
    }
  return false;
}

// A ')' or ']' that does not belong.
static bool wrong_closing(Parse *p) {
  int kind = p->now.kind;
  if (kind != ')' && kind != ']') return false;
  const Open *open = p->open.n ? &vec_last(&p->open) : NULL;
  if (open && open->bracket == (kind == ')' ? '(' : '[')) return false;
  if (!open || open->bracket == '{') {
    Diag *d = problem(p, DIAG_E0105, p->now.at, "this '%c' closes nothing", kind);
    diag_help(d, "remove it, or open a '%c' before it", kind == ')' ? '(' : '[');
  } else {
    Diag *d = problem(p, DIAG_E0105, p->now.at, "'%c' cannot close '%c'", kind, open->bracket);
    diag_also(d, open->at, "opened here");
  }
  return true;
}

// Something ends while a bracket is open.
static bool never_closed(Parse *p, Expected e) {
  int kind = p->now.kind;
  if (!p->open.n) return false;
  const Open *open = &vec_last(&p->open);
  const char *closing = open->bracket == '(' ? "')'" : open->bracket == '[' ? "']'" : "'}'";
  if (kind == ';' && open->bracket != '{') {               // f(a; b): the list goes on behind it
    size_t at = p->now.at.hi, end = at;
    while (end < p->file->len && !strchr(";{})]\n", p->file->text[end]))
      end = strchr("([", p->file->text[end]) ? skip_bracket(p->file, end) : end + 1;
    char c = end < p->file->len ? p->file->text[end] : 0;
    if (c == (open->bracket == '(' ? ')' : ']') && skip_blanks(p->file, at) < end) {
      Diag *d = problem(p, DIAG_E0101, p->now.at, "';' ends an item, and '%c' is open", open->bracket);
      diag_also(d, open->at, "opened here");
      diag_help(d, "arguments are separated by ','");
      give_up(p, skip_item(p->file, end + 1));
      return true;
    }
  }
  bool ends =
      kind == TOK_END || (open->bracket != '{' && (kind == ';' || kind == '{' || kind == '}' || starts_item(kind)));
  if (!ends || !(expects(e, closing) || kind == TOK_END)) return false;
  if (open->bracket == '{' && p->blamed) return true;   // said before
  if (open->bracket == '{' && p->suspect.at.file) {
    Diag *d = problem(p, DIAG_E0104, p->suspect.at, "'{' was never closed");
    diag_also(d, p->suspect.before.at, "by its indentation this one closes another '{'");
    diag_help(d, "add '}' where its items end");
    return true;
  }
  Diag *d = problem(p, DIAG_E0104, open->at, "'%c' was never closed", open->bracket);
  size_t line = skip_line(p->file, open->at.hi), comment = open->at.hi;
  while (comment + 1 < line && !follows(p->file, comment, "//")) comment++;
  if (follows(p->file, comment, "//") && open->bracket != '{') {
    diag_note(d, "its line ends at //, where a comment begins; a quotient has one /");
    p->blamed = 1 + open->at.lo;                             // braces behind // are missing, too
  }
  if (kind == TOK_END) diag_help(d, "add %s before the end of the file", closing);
  else diag_also(d, p->now.at, "%s expected before this", closing);
  return true;
}

// = and ==
static bool equals(Parse *p, Expected e) {
  if (p->now.kind == '=' && expects(e, "'=='") && !expects(e, "'='")) {
    if (p->item[0].kind == TOK_CONTACT) {
      Diag *d = problem(p, DIAG_E0118, p->now.at, "a contact says that its gap is not negative");
      diag_help(d, "contact NAME: gap >= 0 with newton(e);   an equality is a constraint");
    } else if (p->before.kind == '\'' || p->before.kind == TOK_NAME || p->before.kind == ')' || p->before.kind == ']' ||
               p->before.kind == TOK_NUMBER) {
      Diag *d = problem(p, DIAG_E0115, p->now.at, "'=' cannot stand here; to compare, write '=='");
      if (p->item[0].kind == TOK_TIMED) diag_help(d, "what moves is compared by < or >: when x >= 1 { ... }");
      else if (p->item[0].kind == TOK_NAME) diag_help(d, "if two equations were meant, a ';' is missing between them");
    } else {
      return false;
    }
    return true;
  }
  bool valueless = p->item[0].kind == TOK_DECLARE && expects(e, "';'") && !expects_operator(e);
  if (p->now.kind == TOK_EQ && (expects(e, "'='") || valueless)) {
    Diag *d = problem(p, DIAG_E0115, p->now.at, "'==' compares; a value is given with '='");
    diag_replace(d, "=");
    return true;
  }
  return false;
}

// output y "height" = x;
static bool text_before_value(Parse *p) {
  bool more = p->now.kind == '=' || p->now.kind == ':' || p->now.kind == '[' || p->now.kind == ',';
  if (!more || p->before.kind != TOK_STRING || p->item[0].kind != TOK_DECLARE) return false;
  Diag *d = problem(p, DIAG_E0101, p->now.at, "%s cannot stand here", token_text(p, p->now));
  diag_also(d, p->before.at, "the text of a declaration is its end");
  diag_help(d, "%s NAME : UNIT = VALUE %s;", span_text(p, p->item[0].at), span_text(p, p->before.at));
  return true;
}

// param state = 1;
static bool word_as_name(Parse *p, Expected e) {
  if (!is_word(p, p->now) || on_new_line(p) || expects(e, "';'")) return false;
  bool name = expects(e, "a name");
  if (!name || (expects_value(e) && starts_item(p->now.kind) && p->before.kind == '=')) return false;
  const char *word = span_text(p, p->now.at);
  if (seen_before(p, word)) return true;
  const Open *around = p->open.n ? &vec_last(&p->open) : NULL;
  if (p->now.kind == TOK_FORCE && around && around->bracket == '{' && around->owner.kind == TOK_BODY) {
    Diag *d = problem(p, DIAG_E0118, p->now.at, "a force on a body stands behind it");
    diag_help(d, "force NAME.r = ...; behind the braces of the body NAME");
    return true;
  }
  Diag *d = problem(p, DIAG_E0114, p->now.at, "'%s' is a word of the language and cannot be a name", word);
  diag_help(d, "choose another name, such as %s_ or %s1", word, word);
  return true;
}

// a = ;
static bool missing_value(Parse *p, Expected e) {
  if (!expects_value(e) || p->item_n == 1) return false;
  Diag *d = problem(p, DIAG_E0103, behind(p), "a value is missing after %s", token_text(p, p->before));
  if (p->now.kind == '=' && p->before.kind == '=') diag_help(d, "to compare, write == without a blank");
  else if (p->now.kind == '=' && (p->before.kind == '<' || p->before.kind == '>')) {
    diag_help(d, "write %s= without a blank", span_text(p, p->before.at));
    diag_edit(d, ((Span){ p->file, p->before.at.lo, p->now.at.hi }), "%s=", span_text(p, p->before.at));
  } else if (p->now.kind == '\'') diag_help(d, "' stands behind a name; strings stand in double quotes");
  else if (p->now.kind == '=' && p->before.kind == TOK_FORCE)
    diag_help(d, "a force acts on a coordinate: force x = ...;");
  return true;
}

// The contents of these blocks are no items: they are not checked where the head is wrong.
static void leave_block(Parse *p) {
  int item = p->item[0].kind;
  size_t at = p->now.at.lo;
  if (item != TOK_CONTACT && item != TOK_CONSTRAINT && item != TOK_SIMULATE) return;
  while (at < p->file->len && !strchr(";{}", p->file->text[at])) at++;
  if (at < p->file->len && p->file->text[at] == '{' && !p->unread.file)
    p->unread = (Span){p->file, at + 1, skip_bracket(p->file, at)};
}

// param = 1;
static bool missing_name(Parse *p, Expected e) {
  if (p->before.kind == ',' && p->item[0].kind == TOK_DECLARE && starts_item(p->now.kind) && on_new_line(p)) {
    Diag *d = problem(p, DIAG_E0102, p->before.at, "an item ends with ';', not with ','");
    diag_replace(d, ";");
    p->broken = p->item[0] = p->now;
    p->item_n = 1;
    leave_block(p);
    return true;
  }
  if (!expects(e, "a name") || expects_operator(e) || p->item_n == 1) return false;
  if (p->before.kind == '{' || p->before.kind == ';' || p->before.kind == '}') return false;
  if (p->item_n == 2 && is_word(p, p->item[0]) && was_seen(p, span_text(p, p->item[0].at))) return true;
  Diag *d = problem(p, DIAG_E0103, behind(p), "a name is missing after %s", token_text(p, p->before));
  if (p->before.kind == ',' && p->now.kind == ';') diag_help(d, "the last ',' of a list is left out");
  else if (p->now.kind == TOK_NUMBER && p->before.kind == ',' && p->item[0].kind == TOK_DECLARE)
    diag_help(d, "each name has its own value: %s a = 1, b = 0;", span_text(p, p->item[0].at));
  else if (p->now.kind == TOK_NUMBER) diag_help(d, "a name starts with a letter");
  else if (p->now.kind == ':' && p->before.kind == TOK_DECLARE)
    diag_help(d, "no ':' stands behind the word %s", span_text(p, p->before.at));
  else if (p->before.kind == TOK_MODEL) diag_help(d, "model NAME { ... }");
  else if (p->before.kind == TOK_FUNCTION) diag_help(d, "function NAME(x) = ...;");
  else if (p->before.kind == TOK_RELATION || p->before.kind == TOK_CONTACT || p->before.kind == TOK_CONSTRAINT)
    diag_help(d, "%s NAME: ...;", span_text(p, p->before.at));
  else if (p->before.kind == TOK_DECLARE) diag_help(d, "%s NAME = ...;", span_text(p, p->before.at));
  return true;
}

// Two comparisons in a row; a range without ':'; a name without ':'.
static bool known_mistake(Parse *p, Expected e) {
  int kind = p->now.kind, item = p->item[0].kind;
  const Open *open = p->open.n ? &vec_last(&p->open) : NULL;
  if (is_comparison(kind) && expects_operator(e) && !expects(e, "'<='")) {
    Diag *d = problem(p, DIAG_E0101, p->now.at, "comparisons cannot be chained");
    diag_help(d, "write a <= b and b <= c");
  } else if (item == TOK_FOR && expects(e, "':'") && expects_operator(e)) {
    Diag *d = problem(p, DIAG_E0101, p->now.at, "a range is missing: it has a start, ':' and an end");
    diag_help(d, "for i in 1:n { ... }");
  } else if (expects(e, "'in'") && p->before.kind == TOK_NAME && (item == TOK_FOR || (open && open->bracket == '['))) {
    Diag *d = problem(p, DIAG_E0101, p->now.at, "expected 'in' and a range after '%s'", span_text(p, p->before.at));
    diag_help(d, item == TOK_FOR ? "for i in 1:n { ... }" : "a family of instances reads: Bead bead[i in 1:n](...);");
  } else if (open && open->bracket == '{' && open->owner.kind == TOK_SIMULATE && starts_item(kind)) {
    Diag *d = problem(p, DIAG_E0104, open->at, "'{' was never closed");
    diag_also(d, p->now.at, "'}' expected before this");
    p->blamed = 1 + open->at.lo;
  } else if (open && open->bracket == '{' && open->owner.kind == TOK_SIMULATE &&
             (kind == ';' || ends_value(p->before.kind)) && !expects(e, "'('")) {
    Diag *d =
        problem(p, DIAG_E0101, kind == ';' ? p->now.at : behind(p), "the entries of simulate are separated by ','");
    diag_help(d, "simulate { until = 2 [s], step = 5 [ms] }");
  } else if ((item == TOK_RELATION || item == TOK_CONTACT || item == TOK_CONSTRAINT) && expects(e, "':'") &&
             !expects_operator(e) && p->item_n <= 3) {
    Diag *d = problem(p, DIAG_E0101, behind(p), "expected ':' after the name");
    if (item == TOK_CONTACT && kind == TOK_NAME && p->item_n == 3 && p->before.kind == TOK_NAME &&
        p->file->text[skip_blanks(p->file, p->now.at.hi)] == ';')
      diag_help(d, "of shapes: contact NAME { between = %s, %s; with newton(e); }", span_text(p, p->before.at),
                span_text(p, p->now.at));
    else if (item == TOK_CONTACT && kind == ',' && p->before.kind == TOK_NAME)              // contact ball, ground ...
      diag_help(d, "of a gap: contact NAME: gap >= 0 with newton(e); of shapes: "
                   "contact NAME { between = %s, B; with newton(e); }", span_text(p, p->before.at));
    else if (item == TOK_CONTACT && kind == TOK_WITH)
      diag_help(d, "of a gap: contact NAME: gap >= 0 with newton(e); of a force that presses: "
                   "contact NAME { normal_force = N; slip = v; with coulomb(mu); }");
    else diag_help(d, item == TOK_RELATION ? "relation NAME: 0 <= y perp lambda >= 0;"
                 : item == TOK_CONSTRAINT ? "constraint NAME: a = b;"
                 : !strcmp(span_text(p, p->now.at), "among") || !strcmp(span_text(p, p->now.at), "between")
                   ? "of shapes: contact NAME { between = A, B; with newton(e); }"
                   : "contact NAME: gap >= 0 with newton(e);");
  } else if (item == TOK_CONSTRAINT && expects(e, "'='") && expects_operator(e)) {
    Diag *d = problem(p, DIAG_E0118, kind == ';' ? behind(p) : p->now.at, "a constraint is an equality");
    diag_help(d, "constraint NAME: a = b;");
  } else if (kind == TOK_SUM || kind == TOK_IF) {
    return false;
  } else if (expects(e, "'('") && p->before.kind == TOK_SUM) {
    Diag *d = problem(p, DIAG_E0101, behind(p), "expected '(' after 'sum'");
    diag_help(d, "sum(i in 1:n) x[i]");
  } else if (expects(e, "'else'") && expects_operator(e)) {
    Diag *d = problem(p, DIAG_E0101, behind(p), "this 'if' needs an 'else'");
    diag_help(d, "if c then a else b");
  } else if (expects(e, "'then'") && expects_operator(e)) {
    Diag *d = problem(p, DIAG_E0101, behind(p), "expected 'then' after the condition");
    diag_help(d, "if c then a else b");
  } else {
    return false;
  }
  return true;
}

// Does an equation begin with the name that stands here: x' = or x[i]' = ?
static bool next_is_equation(const Parse *p) {
  const char *s = p->file->text;
  size_t at = skip_blanks(p->file, p->now.at.hi);
  if (s[at] == '[') at = skip_blanks(p->file, skip_bracket(p->file, at));
  bool prime = s[at] == '\'';
  while (s[at] == '\'') at = skip_blanks(p->file, at + 1);
  return prime && s[at] == '=';
}

// Behind the `with` of this item: newton(0.5) coulomb(0.3)
static bool in_laws(const Parse *p) {
  size_t at = p->now.at.lo;
  if (p->before.kind != ')' || p->now.kind != TOK_NAME) return false;
  while (at > 0 && !strchr(";{}", p->file->text[at - 1]))
    if (!strncmp(p->file->text + --at, "with ", 5)) return true;
  return false;
}

// Two values side by side, or an item that does not end.
static bool missing_end(Parse *p, Expected e) {
  int kind = p->now.kind;
  bool value = kind == TOK_NAME || kind == TOK_NUMBER || kind == '(' || kind == '[' || kind == TOK_SUM;
  bool may_end = expects(e, "';'") && p->item_n > 1;
  if (may_end && (on_new_line(p) || kind == TOK_END || kind == '}' || starts_item(kind))) {
    Diag *d = problem(p, DIAG_E0102, behind(p), "expected ';' after this");
    if (kind != TOK_END && kind != '}') diag_also(d, p->now.at, "the next item begins here");
    return true;
  }
  if (may_end && kind == TOK_NAME && next_is_equation(p)) {   // x = 1 x' = -x;
    Diag *d = problem(p, DIAG_E0102, behind(p), "expected ';' after this");
    diag_also(d, p->now.at, "the next item begins here");
    return true;
  }
  if (!value || !ends_value(p->before.kind) || !(expects_operator(e) || may_end)) return false;
  Diag *d = problem(p, DIAG_E0101, behind(p), "something is missing between %s and %s", token_text(p, p->before),
                    token_text(p, p->now));
  size_t next = p->now.at.hi;
  while (strchr(" \t", p->file->text[next]) && next < p->file->len) next++;
  if (strchr("=:", p->file->text[next]) || p->before.kind == TOK_STRING)
    diag_help(d, "items end with ';', lists are separated by ','");
  else if (in_laws(p)) diag_help(d, "laws are separated by ',': with newton(0.5), coulomb(0.3)");
  else diag_help(d, "a product needs its sign: %s*%s", span_text(p, p->before.at), span_text(p, p->now.at));
  return true;
}

// A block that nothing stands in front of.
static bool bare_block(Parse *p) {
  if (p->now.kind != '{' || p->item_n != 1 || !p->open.n) return false;
  size_t at = skip_blanks(p->file, p->now.at.hi);
  static const char *const entries[] = { "until", "step", "start", "scheme" },
                    *const parts[] = { "normal", "slip", "normal_force", "with" };
  bool entry = false, part = false;
  for (int k = 0; k < 4; k++) {
    entry |= follows(p->file, at, entries[k]);
    part |= follows(p->file, at, parts[k]);
  }
  Diag *d = problem(p, DIAG_E0101, p->now.at, "'{' cannot stand here");
  diag_help(d, "%s", entry  ? "simulate { until = 2 [s], step = 5 [ms] }"
                     : part ? "contact NAME { normal = gap;  slip = velocity;  with newton(0.5), coulomb(0.3); }"
                            : "braces belong to model, for, contact, constraint and simulate");
  if (entry || part) p->unread = (Span){p->file, p->now.at.lo, skip_bracket(p->file, p->now.at.lo)};
  else p->blamed = 1 + p->now.at.lo;
  return true;
}

static void anything_else(Parse *p, Expected e) {
  const char *found = token_text(p, p->now);
  Text t = {0};
  int shown = 0;
  for (int k = 0; k < e.n; k++) {   // operators are always possible and would hide the rest
    if (strlen(e.names[k]) == 3 && strchr("+-*/^<>.[", e.names[k][1])) continue;
    if (strstr("'<=' '>=' '==' '!=' 'and' 'or'", e.names[k])) continue;
    if (shown++) text_add(&t, ", ");
    text_add(&t, e.names[k]);
  }
  Diag *d = problem(p, DIAG_E0101, p->now.at, "%s cannot stand here", found);
  if (shown == 1) diag_label(d, "expected %s", text_str(&t));
  else if (shown > 1 && shown <= 4) diag_label(d, "expected one of %s", text_str(&t));
  if (p->now.kind == '\'') diag_help(d, "' is the time derivative of a name; strings stand in double quotes");
  else if (p->now.kind == '{') diag_help(d, "braces belong to model, for, contact, constraint and simulate");
  else if (p->now.kind == ';' && expects(e, "','") && expects(e, "'}'"))
    diag_help(d, "parts are separated by ',' here");
  else if (is_word(p, p->now)) diag_help(d, "remove it, or end the item before it with ;");
  if (p->now.kind == '{') p->blamed = 1 + p->now.at.lo;   // nothing more of it
  text_free(&t);
}

static void explain(Parse *p, Expected e) {
  if (bare_block(p)) return;
  leave_block(p);
  if (question(p)) return;
  if (unknown_word(p, e)) return;
  if (wrong_closing(p)) return;
  if (p->now.kind == TOK_END && !p->open.n && expects(e, "';'") && missing_end(p, e)) return;
  if (never_closed(p, e)) return;
  if (equals(p, e)) return;
  if (text_before_value(p)) return;
  if (word_as_name(p, e)) return;
  if (known_mistake(p, e)) return;
  if (missing_value(p, e)) return;
  if (missing_name(p, e)) return;
  if (missing_end(p, e)) return;
  anything_else(p, e);
}

// Is this error the consequence of one that was reported?
static bool is_echo(const Parse *p) {
  // nothing but that lies between
  if (p->lexical && p->lexical >= p->before.at.hi && p->lexical <= p->now.at.hi + 1) return true;
  if (p->said > p->item[0].at.lo && p->item_n > 1) return true;   // one message an item
  return p->broken.at.file && p->broken.at.lo == p->item[0].at.lo && !starts_item(p->item[0].kind);
}

void syntax_error(Parse *p, const char *const *names, int n) {
  Expected e = {names, n};
  if (p->stopped) return;
  bool unread = p->unread.file && p->now.at.lo >= p->unread.lo && p->now.at.lo < p->unread.hi;
  if (unread) return;
  if (!is_echo(p) && !p->foreign(p)) explain(p, e);
  if (expects(e, "';'") && !p->stopped) {   // the rule `end` of the grammar supplies it: an item starts here
    p->broken = p->item[0] = p->now;
    p->item_n = 1;
  }
}
