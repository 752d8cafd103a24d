// The longer actions of the lexer (grammar/nsm.l): numbers with units, reserved words, strings, and everything that is
// no token, with a message for each. A lexical problem yields the token that was meant where that can be told.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "nsm.tab.h"
#include "parse_state.h"

void lex_step(Parse *p, Span *at, size_t n) {
  p->lo = p->hi;
  p->hi += n;
  *at = (Span){p->file, p->lo, p->hi};
}

void lex_keep(Parse *p, Span *at, size_t n) {
  p->hi = p->lo + n;
  at->hi = p->hi;
}

// A problem of the lexer. The parser keeps quiet about its immediate consequence.
#define lexical(p, code, at, ...) ((p)->lexical = (at).hi, problem(p, code, at, __VA_ARGS__))

// --- comments ---

void lex_comment(Parse *p, Span at) { p->comment = at.lo; }

void lex_open_comment(Parse *p) {
  Span at = {p->file, p->comment, p->comment + 2};
  Diag *d = lexical(p, DIAG_E0111, at, "this comment is never closed");
  diag_label(d, "opened here");
  diag_help(d, "close it with */, or write // for a comment that ends with its line");
  p->stopped = true;
}

int lex_stray_comment(Parse *p, Span at) {
  Diag *d = lexical(p, DIAG_E0111, at, "this */ closes no comment");
  diag_help(d, "comments do not nest: the first */ ends them");
  return 0;
}

// --- numbers and units ---

// Length of the number at the start of s.
static size_t number_length(const char *s, size_t n) {
  size_t i = 0;
  while (i < n && s[i] >= '0' && s[i] <= '9') i++;
  if (i < n && s[i] == '.') i++;
  while (i < n && s[i] >= '0' && s[i] <= '9') i++;
  if (i < n && (s[i] == 'e' || s[i] == 'E')) {
    size_t k = i + 1;
    if (k < n && (s[k] == '+' || s[k] == '-')) k++;
    size_t digits = k;
    while (k < n && s[k] >= '0' && s[k] <= '9') k++;
    if (k > digits) i = k;
  }
  return i;
}

static double number_value(Parse *p, Span at, const char *s, size_t n) {
  char *copy = arena_strndup(p->arena, s, n);
  double x = strtod(copy, NULL);
  if (isinf(x))
    lexical(p, DIAG_E0113, ((Span){ at.file, at.lo, at.lo + n }),
            "this number is too large: the largest is about 1.8e308");
  return x;
}

int lex_number(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n) {
  size_t digits = number_length(s, (size_t)n), lo = digits, hi = (size_t)n;
  double x = number_value(p, at, s, digits);
  while (lo < hi && (s[lo] == ' ' || s[lo] == '\t')) lo++;
  if (lo == hi) {
    v->node = ast_number(p, at, x, NULL, (Span){0});
    return TOK_NUMBER;
  }
  if (s[lo] == '[') lo++, hi--;
  while (lo < hi && (s[lo] == ' ' || s[lo] == '\t')) lo++;
  while (lo < hi && (s[hi - 1] == ' ' || s[hi - 1] == '\t')) hi--;
  Span unit_at = {p->file, at.lo + lo, at.lo + (hi > lo ? hi : lo + 1)};
  v->node = ast_number(p, at, x, unit_of(p, (Span){p->file, at.lo + lo, at.lo + hi}), unit_at);
  if (!v->node->unit) p->lexical = at.hi;
  return TOK_NUMBER;
}

int lex_open_unit(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n) {
  size_t digits = number_length(s, (size_t)n), bracket = digits;
  while (s[bracket] != '[') bracket++;
  Diag *d = lexical(p, DIAG_E0116, ((Span){ p->file, at.lo + bracket, at.lo + bracket + 1 }),
                    "the '[' of this unit is never closed");
  p->lexical = at.hi;
  diag_help(d, "a unit stands in brackets on the line of its number: 9.81 [m/s^2]");
  v->node = ast_number(p, at, number_value(p, at, s, digits), NULL, (Span){0});
  return TOK_NUMBER;
}

int lex_bad_number(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n) {
  size_t digits = number_length(s, (size_t)n);
  const char *rest = s + digits, *wrong;
  size_t left = (size_t)n - digits;
  Diag *d = lexical(p, DIAG_E0113, at, "'%s' is not a number", span_text(p, at));
  if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) diag_help(d, "numbers are decimal: 255, 2.55e2");
  else if (left == 1 && (*rest == 'e' || *rest == 'E'))
    diag_help(d, "the exponent has no digits: %.*se0", (int)digits, s);
  else if (memchr(s, '.', digits) && *rest == '.') diag_help(d, "a number has one decimal point");
  else if (unit_text(p, rest, left, &wrong)) {
    diag_help(d, "if it is a unit, it stands in brackets: %.*s [%.*s]; a product needs its sign: %.*s*%.*s",
              (int)digits, s, (int)left, rest, (int)digits, s, (int)left, rest);
  }
  v->node = ast_number(p, at, number_value(p, at, s, digits), NULL, (Span){0});
  return TOK_NUMBER;
}

// How much of `5 s` is one quantity: `1 then` is a number and a word.
size_t lex_quantity(Parse *p, const char *s, int n) {
  (void)p;
  size_t digits = number_length(s, (size_t)n), lo = digits, hi;
  while (s[lo] == ' ' || s[lo] == '\t') lo++;
  for (hi = lo; hi < (size_t)n && !strchr("*/^", s[hi]);) hi++;
  return lex_is_word(s + lo, hi - lo) ? digits : (size_t)n;
}

// --- words and strings ---

static const struct { const char *text; int token; AstKind kind; } words[] = {
#define WORD(text, token, kind) {text, token, kind},
#include "words.def"
#undef WORD
};

bool lex_is_word(const char *s, size_t n) {
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strlen(words[k].text) == n && memcmp(words[k].text, s, n) == 0) return true;
  return false;
}

int lex_word(Parse *p, union NSM_STYPE *v, const char *s, int n) {
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    if (words[k].text[0] != s[0] || strlen(words[k].text) != (size_t)n || memcmp(words[k].text, s, (size_t)n) != 0)
      continue;
    v->kind = words[k].kind;
    return words[k].token;
  }
  v->text = intern_n(p->names, s, (size_t)n);
  return TOK_NAME;
}

// The contents of s[0, n): \" and \\ stand for themselves, other backslashes are kept.
static const char *unescaped(Parse *p, const char *s, size_t n) {
  Text t = {0};
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '\\' && i + 1 < n && (s[i + 1] == '"' || s[i + 1] == '\\')) i++;
    text_addc(&t, s[i]);
  }
  const char *kept = intern_n(p->names, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

int lex_string(Parse *p, union NSM_STYPE *v, const char *s, int n) {
  v->text = unescaped(p, s + 1, (size_t)n - 2);
  return TOK_STRING;
}

int lex_open_string(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n) {
  Diag *d = lexical(p, DIAG_E0112, ((Span){at.file, at.lo, at.lo + 1}), "this string is never closed");
  diag_help(d, "a string ends on its own line with \"");
  p->lexical = at.hi + 1;
  v->text = unescaped(p, s + 1, (size_t)n - 1);
  return TOK_STRING;
}

// --- signs of other languages, and what is no sign at all ---

typedef struct { const char *text; int token; const char *ours, *help; } Foreign;

static const Foreign foreign[] = {
  { "=>", TOK_GE, ">=", NULL },
  { "=<", TOK_LE, "<=", NULL },
  { "===", TOK_EQ, "==", NULL },
  { "<>", TOK_NE, "!=", NULL },
  { ":=", '=', "=", NULL },
  { "**", '^', "^", NULL },
  { "&&", TOK_AND, "and", NULL },
  { "||", TOK_OR, "or", NULL },
  { "&", TOK_AND, "and", NULL },
  { "|", TOK_OR, "or", NULL },
  { "!", TOK_NOT, "not", NULL },
  { "⊥", TOK_PERP, NULL, NULL },
  { "⟂", TOK_PERP, NULL, NULL },
  { "≤", TOK_LE, NULL, NULL },
  { "≥", TOK_GE, NULL, NULL },
  { "·", '*', "*", NULL },
  { "×", '*', "*", NULL },
  { "−", '-', "-", NULL },
  { "–", '-', "-", NULL },
  { "′", '\'', "'", NULL },
  { "’", '\'', "'", NULL },
  { "≠", TOK_NE, "!=", NULL },
  { "÷", '/', "/", NULL },
  { "²", 0, NULL, "write a power as x^2" },
  { "³", 0, NULL, "write a power as x^3" },
  { "“", 0, NULL, "strings stand in plain double quotes: \"text\"" },
  { "”", 0, NULL, "strings stand in plain double quotes: \"text\"" },
  { "µ", 0, NULL, "names are made of the letters a to z, digits and _; in a unit write u, as in uF" },
  { "Ω", 0, NULL, "names are made of the letters a to z, digits and _; the unit is written ohm" },
  { "°", 0, NULL, "the unit is written deg, as in 90 [deg]" },
  { "\xC2\xA0", ' ', NULL, "this is a no-break space, which looks like a blank; type a plain blank" },
};

static const Foreign *find_foreign(const char *s, size_t n) {
  for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
    if (strlen(foreign[k].text) == n && memcmp(foreign[k].text, s, n) == 0) return &foreign[k];
  return NULL;
}

int lex_foreign(Parse *p, Span at, const char *s, int n) {
  const Foreign *f = find_foreign(s, (size_t)n);
  Diag *d = problem(p, DIAG_E0115, at, "'%s' is written '%s' here", f->text, f->ours);
  diag_help(d, "replace it by %s", f->ours);
  return f->token;
}

static unsigned code_point(const char *s, int n) {
  unsigned u = (unsigned char)s[0] & (n == 2 ? 0x1Fu : n == 3 ? 0x0Fu : 0x07u);
  for (int i = 1; i < n; i++) u = u << 6 | ((unsigned char)s[i] & 0x3Fu);
  return u;
}

int lex_sign(Parse *p, Span at, const char *s, int n) {
  const Foreign *f = find_foreign(s, (size_t)n);
  unsigned u = code_point(s, n);
  if (u == 0xFEFF && at.lo == 0) return 0;           // a byte order mark is no text
  if (f && f->token && f->token != ' ') return f->ours ? lex_foreign(p, at, s, n) : f->token;
  if (p->lexical == at.lo && p->lexical > 0) {       // one message for a run of them
    p->lexical = at.hi;
    return 0;
  }
  Diag *d = lexical(p, DIAG_E0106, at, "the character '%.*s' (U+%04X) has no meaning here", n, s, u);
  diag_help(d, "%s",
            f ? f->help
              : "names are made of the letters a to z, digits and _; other characters belong in comments and strings");
  return 0;
}

int lex_odd_byte(Parse *p, Span at, const char *s) {
  unsigned char c = (unsigned char)*s;
  if (c >= 0x80 || (p->lexical == at.lo && p->lexical > 0)) {   // not UTF-8: said once, before the parse
    p->lexical = at.hi;
    return 0;
  }
  Diag *d;
  if (c < 0x20 || c == 0x7f) d = lexical(p, DIAG_E0106, at, "the control character U+%04X has no meaning here", c);
  else d = lexical(p, DIAG_E0106, at, "the character '%c' (U+%04X) has no meaning here", c, c);
  if (c == '#' || c == '%') diag_help(d, "comments start with //");
  else if (c == '\\') diag_help(d, "lines need no sign to go on: an item ends at its ';'");
  else if (c == '?') diag_help(d, "a choice is written: if c then a else b");
  else if (c == '@' || c == '$' || c == '`' || c == '~')
    diag_help(d, "names are made of the letters a to z, digits and _");
  return 0;
}
