// The longer actions of the lexer (grammar/nsm.l): numbers with units, reserved words, strings, and everything that is
// no token, with a message for each. A lexical problem yields the token that was meant where that can be told.
#include <math.h>
#include <stdlib.h>
#include <stdarg.h>
#include <string.h>

#include "../base/text.h"
#include "foreign_words.h"
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

// A comment inside of a comment ends it; what was to be its rest is not read.
void lex_close_comment(Parse *p, Span at) {
  const char *text = p->file->text, *inner = strstr(text + p->comment + 2, "/*");
  if (!inner || inner >= text + at.hi) return;
  const char *rest = strstr(text + at.hi, "*/"), *next = strstr(text + at.hi, "/*");
  if (!rest || (next && next < rest)) return;
  Diag *d = lexical(p, DIAG_E0111, ((Span){ p->file, at.hi - 2, at.hi }), "this */ ends the comment: they do not nest");
  diag_also(d, (Span){ p->file, p->comment, p->comment + 2 }, "begun here");
  diag_help(d, "lines that begin with // may hold anything");
  p->skip_to = (size_t)(rest - text) + 2;
  p->skip_bare = true;
  p->lexical = p->skip_to;
}

int lex_stray_comment(Parse *p, Span at) {
  if (at.lo < p->skip_to) return 0;
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
  p->skip_to = p->lexical = skip_item(p->file, at.hi);
  v->node = ast_number(p, at, number_value(p, at, s, digits), NULL, (Span){0});
  return TOK_NUMBER;
}

// 1 [[mH]: how much of it is the number.
size_t lex_doubled(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n) {
  size_t digits = number_length(s, (size_t)n), lo = (size_t)n, hi = (size_t)n;
  while (s[lo - 1] != '[') lo--;
  while (s[hi - 1] == ']') hi--;
  double x = number_value(p, at, s, digits);
  const char *unit = arena_strndup(p->arena, s + lo, hi - lo);
  v->node = ast_number(p, (Span){ at.file, at.lo, at.lo + digits }, x, NULL, (Span){0});
  if (!looks_like_unit(unit)) return digits;
  Diag *d = lexical(p, DIAG_E0116, ((Span){ at.file, at.lo + digits, at.hi }), "a unit stands in one pair of brackets");
  diag_help(d, "%.*s [%s]", (int)digits, s, unit);
  return (size_t)n;
}

// 1..n, which other languages write for 1:n.
size_t lex_range(const char *s, int n) {
  size_t digits = strspn(s, "0123456789");
  return digits && (size_t)n > digits + 1 && s[digits] == '.' && s[digits + 1] == '.' ? digits : 0;
}

static Span trimmed_span(const Parse *p, size_t lo, size_t hi) {
  while (lo < hi && strchr(" \t\r\n", p->file->text[lo])) lo++;
  while (hi > lo && strchr(" \t\r\n", p->file->text[hi - 1])) hi--;
  return (Span){p->file, lo, hi};
}

// A help that ends in what is to be written in place of the number.
static void number_meant(Diag *d, Span at, const char *what, const char *fmt, ...) {
  va_list ap;
  Text t = {0};
  va_start(ap, fmt);
  text_vprintf(&t, fmt, ap);
  va_end(ap);
  diag_help(d, "%s: %s", what, text_str(&t));
  diag_edit(d, at, "%s", text_str(&t));
  text_free(&t);
}

// 10k, 4.7u: the prefix alone, as netlists have it.
static bool bare_prefix(Diag *d, Span at, const char *number, int digits, const char *rest) {
  static const struct { const char *text, *power, *unit; } known[] = {
    { "k", "e3", "kohm" }, { "K", "e3", "kohm" }, { "M", "e6", "Mohm" }, { "meg", "e6", "Mohm" },
    { "Meg", "e6", "Mohm" }, { "MEG", "e6", "Mohm" }, { "G", "e9", "Gohm" }, { "u", "e-6", "uF" },
    { "\u00b5", "e-6", "uF" }, { "n", "e-9", "nF" }, { "p", "e-12", "pF" }
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(rest, known[i].text) != 0) continue;
    bool name = strlen(rest) == 1;
    diag_edit(d, at, "%.*s [%s]", digits, number, known[i].unit);
    diag_edit(d, at, "%.*s%s", digits, number, known[i].power);
    diag_help(d, "a prefix stands with its unit: %.*s [%s], or as a power: %.*s%s%s%.*s%s%s", digits, number,
              known[i].unit, digits, number, known[i].power, name ? "; a product needs its sign: " : "",
              name ? digits : 0, number, name ? "*" : "", name ? rest : "");
    return true;
  }
  return false;
}

int lex_bad_number(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n) {
  size_t digits = number_length(s, (size_t)n);
  char *rest = arena_strndup(p->arena, s + digits, (size_t)n - digits);
  const char *wrong;
  size_t left = (size_t)n - digits;
  bool names = (p->now.kind == TOK_DECLARE || p->item_ends) && unit_text(p, rest, left, &wrong);
  Diag *d = names && seen_before(p, span_text(p, at)) ? NULL
          : lexical(p, DIAG_E0113, at, names ? "'%s' is not a name" : "'%s' is not a number", span_text(p, at));
  p->lexical = at.hi;
  if (!d) {}
  else if (names) diag_help(d, "a name starts with a letter: %s%.*s", rest, (int)digits, s);
  else if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) diag_help(d, "numbers are decimal: 255, 2.55e2");
  else if ((*rest == 'e' || *rest == 'E') && (left == 1 || strchr("+-", rest[1])))
    number_meant(d, at, "the exponent has no digits", "%.*se0", (int)digits, s);
  else if (memchr(s, '.', digits) && *rest == '.') diag_help(d, "a number has one decimal point");
  else if (*rest == '_') {
    for (char *to = rest, *c = rest;; c++) {
      if (*c != '_') *to++ = *c;
      if (!*c) break;
    }
    if (looks_like_unit(rest)) number_meant(d, at, "a unit stands in brackets", "%.*s [%s]", (int)digits, s, rest);
    else number_meant(d, at, "the digits of a number stand together", "%.*s%s", (int)digits, s, rest);
  } else if (bare_prefix(d, at, s, (int)digits, rest)) {}
  else if (!strcmp(rest, "f") || !strcmp(rest, "L") || !strcmp(rest, "u"))
    number_meant(d, at, "numbers have no suffix", "%.*s", (int)digits, s);
  else if (*rest == 'd' && left == 1 && strchr("+-", p->file->text[at.hi]) && p->file->text[at.hi + 1] >= '0' &&
           p->file->text[at.hi + 1] <= '9')
    number_meant(d, (Span){ at.file, at.lo, at.hi + 2 }, "an exponent is written with e",
                 "%.*se%.2s", (int)digits, s, p->file->text + at.hi);
  else if (*rest == 'd' && strspn(rest + 1, "0123456789") == left - 1 && left > 1)
    number_meant(d, at, "an exponent is written with e", "%.*se%s", (int)digits, s, rest + 1);
  else if (!strcmp(rest, "m")) {
    diag_help(d, "a unit stands in brackets: %.*s [m]; a prefix as a power: %.*se-3", (int)digits, s, (int)digits, s);
    diag_edit(d, at, "%.*s [m]", (int)digits, s);
    diag_edit(d, at, "%.*se-3", (int)digits, s);
  } else if (looks_like_unit(rest)) number_meant(d, at, "a unit stands in brackets", "%.*s [%s]", (int)digits, s, rest);
  else if (unit_text(p, rest, left, &wrong)) number_meant(d, at, "a product needs its sign",
                                                          "%.*s*%s", (int)digits, s, rest);
  if (names) {
    v->text = intern_n(p->names, s, (size_t)n);
    return TOK_NAME;
  }
  size_t unit = at.hi + strspn(p->file->text + at.hi, " \t");
  size_t length = p->file->text[unit] == '[' ? strcspn(p->file->text + unit, "]\n;") : 0;
  bool behind = length && p->file->text[unit + length] == ']' &&
                looks_like_unit(span_text(p, trimmed_span(p, unit + 1, unit + length)));
  if (behind) {                                      // 1e- [m]
    p->skip_to = p->lexical = unit + length + 1;
    p->skip_bare = true;
  }
  v->node = ast_number(p, at, number_value(p, at, s, digits), NULL, (Span){0});
  return TOK_NUMBER;
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

// --- strings of other languages ---

bool lex_is_quoted(const Parse *p, Span at, const char *s, int n) {
  char before = at.lo > 0 ? p->file->text[at.lo - 1] : '\n', first = s[1];
  bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  return n > 3 && letter && strchr(" \t\n=(,", before) && before && s[n - 2] != ' ';
}

int lex_quoted(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n, size_t quote) {
  Diag *d = lexical(p, DIAG_E0115, at, "a string stands in double quotes");
  size_t length = (size_t)n - 2 * quote;
  diag_help(d, "\"%.*s\"", (int)length, s + quote);
  v->text = unescaped(p, s + quote, length);
  return TOK_STRING;
}

// Behind `end`, or the end of the file; nothing in between is read.
static int skip_behind(Parse *p, Span at, const char *end) {
  const char *found = strstr(p->file->text + at.hi, end);
  p->skip_to = found ? (size_t)(found - p->file->text) + strlen(end) : p->file->len;
  p->skip_bare = true;
  p->lexical = p->skip_to;
  return 0;
}

int lex_triple(Parse *p, Span at) {
  Diag *d = lexical(p, DIAG_E0115, at, "a longer text is a comment");
  diag_help(d, "/* text */ or // text");
  return skip_behind(p, at, "\"\"\"");
}

int lex_pascal(Parse *p, Span at) {
  Diag *d = lexical(p, DIAG_E0115, at, "a comment begins with /* and ends with */");
  diag_help(d, "/* text */ or // text");
  return skip_behind(p, at, "*)");
}

int lex_open_string(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n) {
  Diag *d = lexical(p, DIAG_E0112, ((Span){at.file, at.lo, at.lo + 1}), "this string is never closed");
  diag_help(d, "a string ends on its own line with \"");
  p->lexical = at.hi + 1;
  v->text = unescaped(p, s + 1, (size_t)n - 1);
  return TOK_STRING;
}

// --- signs of other languages, and what is no sign at all ---

// The rest of the item is not read.
static int give_up_here(Parse *p, Span at) {
  p->skip_to = skip_item(p->file, at.hi);
  p->lexical = p->skip_to;
  return ';';
}

static bool value_before(const Parse *p) {
  int k = p->now.kind;
  return k == TOK_NAME || k == TOK_NUMBER || k == ')' || k == ']' || k == '\'';
}

int lex_bar(Parse *p, Span at, const char *s, int n) {
  if (value_before(p)) return lex_foreign(p, at, s, n);
  const char *end = strstr(p->file->text + at.hi, s);
  int inside = end && !memchr(p->file->text + at.hi, ';', (size_t)(end - p->file->text) - at.hi)
                   ? (int)(end - p->file->text - (long)at.hi) : 0;
  Diag *d = lexical(p, DIAG_E0115, at, n == 1 ? "an absolute value has no bars" : "a norm has no bars");
  const char *text = p->file->text + at.hi;
  if (n == 1) diag_help(d, "abs(%.*s); of a vector norm(%.*s)", inside, text, inside, text);
  else diag_help(d, "norm(%.*s)", inside, text);
  return give_up_here(p, at);
}

int lex_dots(Parse *p, Span at, const char *s, int n) {
  size_t next = at.hi + strspn(p->file->text + at.hi, " \t\r");
  if (n == 3 && (next >= p->file->len || p->file->text[next] == '\n')) {
    Diag *d = lexical(p, DIAG_E0106, at, "'...' has no meaning here");
    diag_help(d, "lines need no sign to go on: an item ends at its ';'");
    return 0;
  }
  Diag *d = lexical(p, DIAG_E0115, at, "'%s' is written ':' here", s);
  diag_help(d, "a range reads 1:n");
  return ':';
}

// x += 1; but a /= b compares where conditions stand.
int lex_update(Parse *p, Span at, const char *s) {
  if (*s == '/' && (p->item[0].kind == TOK_CLAIM || p->item[0].kind == TOK_IF || p->item[0].kind == TOK_TIMED)) {
    Diag *d = problem(p, DIAG_E0115, at, "'/=' is written '!=' here");
    diag_replace(d, "!=");
    return TOK_NE;
  }
  bool assigns = p->open.n && vec_last(&p->open).owner.kind == TOK_TIMED;              // inside of every and when
  Diag *d = problem(p, DIAG_E0115, at, assigns ? "'%s' does not exist: the new value stands behind '='"
                                               : "'%s' does not exist: an equation holds at all times", s);
  Span left = {p->file, p->item[0].at.lo, p->now.at.hi};
  if (assigns) diag_help(d, "%s = %s %c ...", span_text(p, left), span_text(p, left), *s);
  else if (p->now.kind == '\'') diag_help(d, "several terms are a sum: %s = ... %c ...", span_text(p, left), *s);
  else diag_help(d, "what changes in time is a state with an equation: x' = ...;");
  return '=';
}

// The rest of the line is not read.
static bool skip_to_line_end(Parse *p, Span at) {
  p->skip_to = skip_line(p->file, at.hi);
  p->skip_bare = true;
  p->lexical = p->skip_to;
  return true;
}

// A comment of Python, MATLAB or Ada takes the rest of its line: said once.
static bool comment_line(Parse *p, Span at, const char *sign) {
  if (!seen_before(p, sign)) {
    Diag *d = lexical(p, DIAG_E0115, at, "a comment begins with //");
    diag_help(d, "replace %s by //", sign);
    diag_edit(d, ((Span){ at.file, at.lo, at.lo + strlen(sign) }), "//");
  }
  return skip_to_line_end(p, at);
}

bool lex_line(Parse *p, Span at, const char *s) {
  static const struct { const char *start, *what, *help; } lines[] = {
    { "#include", "a file is imported by its name in quotes",
      "import \"file.nsm\"; functions such as sin are built in" },
    { "#define", "a constant is a param", "param N = 3;" },
    { "#pragma", "there are no directives", "leave the line out" },
    { "#if", "there are no directives", "leave the line out" },
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (follows(p->file, at.lo, lines[i].start)) {
      Diag *d = lexical(p, DIAG_E0121, ((Span){ at.file, at.lo, at.lo + strlen(lines[i].start) }), "%s", lines[i].what);
      diag_help(d, "%s", lines[i].help);
      return skip_to_line_end(p, at);
    }
  bool starts = p->item_ends || p->now.kind == ',' || p->now.kind == 0;
  char next = at.hi < p->file->len ? p->file->text[at.hi] : 0;
  if (*s == '-') return starts && next != '-' && comment_line(p, at, "--");
  char before = at.lo > 0 ? p->file->text[at.lo - 1] : '\n';
  if (*s != '#' && !starts && (value_before(p) || before == '[')) return false;
  return comment_line(p, at, *s == '#' ? "#" : "%");
}

// The first letter of a name that is none of a to z: said once for each.
typedef struct { const char *letter, *name; } Letter;
static const Letter letters[] = {
  { "α", "alpha" }, { "β", "beta" }, { "γ", "gamma" }, { "δ", "delta" }, { "ε", "epsilon" }, { "ζ", "zeta" },
  { "η", "eta" }, { "θ", "theta" }, { "ι", "iota" }, { "κ", "kappa" }, { "λ", "lambda" }, { "μ", "mu" },
  { "ν", "nu" }, { "ξ", "xi" }, { "π", "pi" }, { "ρ", "rho" }, { "σ", "sigma" }, { "τ", "tau" },
  { "υ", "upsilon" }, { "φ", "phi" }, { "ϕ", "phi" }, { "χ", "chi" }, { "ψ", "psi" }, { "ω", "omega" },
  { "Γ", "Gamma" }, { "Δ", "Delta" }, { "Θ", "Theta" }, { "Λ", "Lambda" }, { "Ξ", "Xi" }, { "Π", "Pi" },
  { "Σ", "sum(i in 1:n)" }, { "Φ", "Phi" }, { "Ψ", "Psi" }, { "Ω", "Omega, or ohm for the unit" },
};

int lex_letters(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n) {
  bool said = false;
  for (int i = 0; i < n;) {
    int k = (unsigned char)s[i] < 0x80 ? 1 : (unsigned char)s[i] < 0xE0 ? 2 : 3;
    const char *letter = arena_strndup(p->arena, s + i, (size_t)k), *plain = NULL;
    i += k;
    if (k == 1 || seen_before(p, letter) || said) continue;
    for (size_t j = 0; j < sizeof letters / sizeof *letters; j++)
      if (!strcmp(letters[j].letter, letter)) plain = letters[j].name;
    Span here = { at.file, at.lo + (size_t)(i - k), at.lo + (size_t)i };
    Diag *d = problem(p, DIAG_E0106, here, "the letter '%s' cannot stand in a name", letter);
    if (plain) {
      diag_help(d, "write %s", plain);
      if (!strpbrk(plain, " (,")) diag_edit(d, here, "%s", plain);
    }
    else
      diag_help(d, "names are made of the letters a to z, digits and _; others belong in comments and strings");
    said = true;
  }
  v->text = intern_n(p->names, s, (size_t)n);
  return TOK_NAME;
}

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
  { "&gt;", '>', ">", NULL },
  { "&lt;", '<', "<", NULL },
  { "&amp;", TOK_AND, "and", NULL },
  { "&", TOK_AND, "and", NULL },
  { "|", TOK_OR, "or", NULL },
  { "!", TOK_NOT, "not", NULL },
  { "~=", TOK_NE, "!=", NULL },
  { "_|_", TOK_PERP, "perp", NULL },
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
  { "∈", TOK_IN, "in", NULL },
  { "∧", TOK_AND, "and", NULL },
  { "∨", TOK_OR, "or", NULL },
  { "¬", TOK_NOT, "not", NULL },
  { "√", 0, NULL, "write a root as sqrt(x)" },
  { "∑", 0, NULL, "write a sum as sum(i in 1:n) x[i]" },
  { "∂", 0, NULL, "derivatives are taken by the compiler; the one with respect to time is x'" },
  { "∫", 0, NULL, "an integral is a state: state s = 0; s' = x;" },
  { "∞", 0, NULL, "infinity is written inf" },
  { "‖", 0, NULL, "the length of a vector is norm(a)" },
  { "²", 0, NULL, "write a power as x^2" },
  { "³", 0, NULL, "write a power as x^3" },
  { "“", 0, NULL, "strings stand in plain double quotes: \"text\"" },
  { "”", 0, NULL, "strings stand in plain double quotes: \"text\"" },
  { "µ", 0, NULL, "names are made of the letters a to z, digits and _; in a unit write u, as in uF" },
  { "Ω", 0, NULL, "names are made of the letters a to z, digits and _; the unit is written ohm" },
  { "≈", 0, NULL, "numbers agree within a tolerance: abs(a - b) <= 1e-6" },
  { "±", 0, NULL, "numbers agree within a tolerance: abs(a - b) <= 1e-6" },
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
  diag_replace(d, f->ours);
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
  if (u >= 0xFF01 && u <= 0xFF5E && strchr("=(){}[],;:.+-*/^<>'", (int)(u - 0xFEE0))) {   // full width
    if (!seen_before(p, span_text(p, at))) {
      Diag *d = problem(p, DIAG_E0115, at, "'%.*s' is written '%c' here", n, s, (int)(u - 0xFEE0));
      diag_replace(d, (char[]){ (char)(u - 0xFEE0), 0 });
    }
    return (int)(u - 0xFEE0);
  }
  if (f && f->token && f->token != ' ') return f->ours ? lex_foreign(p, at, s, n) : f->token;
  if (p->lexical == at.lo && p->lexical > 0) {       // one message for a run of them
    p->lexical = at.hi;
    return 0;
  }
  Diag *d = lexical(p, DIAG_E0106, at, "the character '%.*s' (U+%04X) has no meaning here", n, s, u);
  diag_help(d, "%s",
            f ? f->help
              : "names are made of the letters a to z, digits and _; other characters belong in comments and strings");
  if (u == 0x2248 || u == 0xB1) return give_up_here(p, at);
  return 0;
}

static int per_cent(Parse *p, Span at) {
  if (p->now.kind == TOK_NUMBER && p->now.at.hi == at.lo) {
    const char *number = span_text(p, p->now.at);
    Diag *d = lexical(p, DIAG_E0115, at, "there is no per cent sign");
    diag_help(d, "%s%% is %.12g", number, strtod(number, NULL) / 100);
    return 0;
  }
  Diag *d = lexical(p, DIAG_E0115, at, "there is no sign for the remainder");
  diag_help(d, "the remainder of x by n is x - n*floor(x/n)");
  return give_up_here(p, at);
}

// c ? a : b
static int question(Parse *p, Span at) {
  size_t lo = at.lo, hi = skip_item(p->file, at.hi), colon = at.hi;
  while (lo > 0 && !strchr("=;{}", p->file->text[lo - 1])) lo--;
  while (colon < hi && p->file->text[colon] != ':') colon++;
  Diag *d = lexical(p, DIAG_E0115, at, "a choice has the words if, then and else");
  if (colon < hi)
    diag_help(d, "if %s then %s else %s", span_text(p, trimmed_span(p, lo, at.lo)),
              span_text(p, trimmed_span(p, at.hi, colon)), span_text(p, trimmed_span(p, colon + 1, hi)));
  else diag_help(d, "if c then a else b");
  return give_up_here(p, at);
}

// \dot{x}, up to `word`
static int backslash(Parse *p, Span at, size_t word) {
  Diag *d = lexical(p, DIAG_E0106, ((Span){ at.file, at.lo, word }), "formulas are written without LaTeX");
  size_t brace = word + (p->file->text[word] == '{'), end = brace;
  while (is_name_char(p->file->text[end])) end++;
  bool dot = !strcmp(span_text(p, (Span){ at.file, at.lo, word }), "\\dot") && end > brace && brace > word;
  if (dot) diag_help(d, "the time derivative is %s'", span_text(p, (Span){ at.file, brace, end }));
  else diag_help(d, "a*b, a/b, x^2, sqrt(x), x', and the names of letters: mu, phi");
  return give_up_here(p, at);
}

// A character that has no meaning anywhere, with what may have been meant.
static int no_meaning(Parse *p, Span at, unsigned char c) {
  Diag *d;
  if (c < 0x20 || c == 0x7f) d = lexical(p, DIAG_E0106, at, "the control character U+%04X has no meaning here", c);
  else d = lexical(p, DIAG_E0106, at, "the character '%c' (U+%04X) has no meaning here", c, c);
  if (c == '\\') diag_help(d, "lines need no sign to go on: an item ends at its ';'");
  else if (c == '@' && value_before(p)) diag_help(d, "a product of matrices is A*B, of vectors dot(a, b)");
  else if (c == '@' || c == '$' || c == '`' || c == '~')
    diag_help(d, "names are made of the letters a to z, digits and _");
  return 0;
}

bool lex_in_question(const Parse *p) {
  for (size_t k = 0; k < p->open.n; k++)
    if (p->open.at[k].owner.kind == TOK_ASK) return true;
  return false;
}

int lex_odd_byte(Parse *p, Span at, const char *s) {
  unsigned char c = (unsigned char)*s;
  if (c >= 0x80 || (p->lexical == at.lo && p->lexical > 0)) {   // not UTF-8: said once, before the parse
    p->lexical = at.hi;
    return 0;
  }
  if (c == '%') return per_cent(p, at);
  if (c == '?') return question(p, at);
  if (c == '`' && value_before(p) && p->now.at.hi == at.lo) {
    Diag *d = problem(p, DIAG_E0115, at, "the time derivative is written ' here");
    diag_help(d, "replace ` by '");
    diag_edit(d, at, "'");
    return '\'';
  }
  if ((c == '$' || c == '@' || c == '~' || c == '`') && seen_before(p, span_text(p, at))) {
    p->lexical = at.hi;
    return 0;
  }
  size_t word = at.hi;
  while (is_name_char(p->file->text[word])) word++;
  if (c == '\\' && word > at.hi) return backslash(p, at, word);
  if (c == '@' && p->file->text[at.hi + strspn(p->file->text + at.hi, " \t")] == '(') {
    Diag *d = lexical(p, DIAG_E0121, at, "functions are one expression, at file level");
    diag_help(d, "function f(x) = x^2;");
    return give_up_here(p, at);
  }
  if (c == '@' && !value_before(p) && word > at.hi) {
    Diag *d = lexical(p, DIAG_E0106, ((Span){ at.file, at.lo, word }), "there are no annotations and no macros");
    diag_help(d, "leave it out");
    return give_up_here(p, at);
  }
  if (c == '~' && value_before(p)) {
    Diag *d = lexical(p, DIAG_E0106, at, "the character '~' (U+007E) has no meaning here");
    diag_help(d, "numbers agree within a tolerance: abs(a - b) <= 1e-6");
    return give_up_here(p, at);
  }
  return no_meaning(p, at, c);
}
