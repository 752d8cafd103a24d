// Forms of other languages, by the kind of item in which they stand: each rule sees the tokens of the item so far and
// the text, says what is written here, and gives up the rest of the item. Words are in habits.def.
#include <string.h>

#include "../base/text.h"
#include "habits.h"
#include "nsm.tab.h"
#include "parse_state.h"

// --- what the rules look at ---

static const char *text_of(Parse *p, Token t) { return span_text(p, t.at); }
static int now(const Parse *p) { return p->now.kind; }
static int item(const Parse *p, int k) { return p->item_n > k ? p->item[k].kind : 0; }
static bool word_is(Parse *p, Token t, const char *word) { return t.kind == TOK_NAME && !strcmp(text_of(p, t), word); }
static const Open *innermost(const Parse *p) { return p->open.n ? &vec_last(&p->open) : NULL; }

static bool is_value_end(int kind) {
  return kind == TOK_NAME || kind == TOK_NUMBER || kind == ')' || kind == ']' || kind == '\'';
}

static bool inside(const Parse *p, char bracket, int owner) {
  const Open *open = innermost(p);
  return open && open->bracket == bracket && open->owner.kind == owner;
}

static Span between(const Parse *p, size_t lo, size_t hi) { return (Span){p->file, lo, hi > lo ? hi : lo}; }

// The text up to `hi`, without blanks around it.
static const char *trimmed(Parse *p, size_t lo, size_t hi) {
  while (lo < hi && strchr(" \t\r\n", p->file->text[lo])) lo++;
  while (hi > lo && strchr(" \t\r\n", p->file->text[hi - 1])) hi--;
  return span_text(p, between(p, lo, hi));
}

// The item's text behind `from`.
static const char *rest(Parse *p, size_t from) { return trimmed(p, from, skip_item(p->file, from)); }

void give_up(Parse *p, size_t upto) {
  if (upto > p->now.at.hi) p->skip_to = upto;
}

static void give_up_item(Parse *p) {
  size_t from = p->now.at.lo;
  for (size_t k = p->open.n; k-- > 0 && p->open.at[k].bracket != '{';) from = p->open.at[k].at.lo;
  if (now(p) == '{' || now(p) == '(' || now(p) == '[') from = p->now.at.lo;
  size_t end = skip_item(p->file, from);
  // The parser enters a block that begins here: it is to find the brace that ends it.
  give_up(p, now(p) == '{' && end > 0 && p->file->text[end - 1] == '}' ? end - 1 : end);
}

static Diag *say(Parse *p, Span at, const char *what) { return problem(p, DIAG_E0121, at, "%s", what); }

// --- words at the start of an item ---

// Behind the lines that are indented below a line that ends here, as the body of a Python function.
static size_t indented(const SourceFile *f, size_t line) {
  while (line < f->len && strchr(" \t\n", f->text[line + 1]) && f->text[line + 1]) line = skip_line(f, line + 1);
  return line;
}

static bool word(Parse *p) {
  const char *what, *help;
  if (item(p, 0) != TOK_NAME || p->item_n > 12 || !habit_of(text_of(p, p->item[0]), &what, &help)) return false;
  int next = item(p, 1);
  if (inside(p, '{', TOK_SIMULATE) || inside(p, '{', TOK_CONTACT) || inside(p, '{', TOK_CONSTRAINT)) return false;
  bool quantity = next == '=' || next == '\'' || next == '[' || next == '.' || next == '*' || next == '/' ||
                  next == '+' || next == '-' || next == '^' || next == TOK_EQ;
  if (quantity || p->item_n < 2) return false;
  Diag *d = problem(p, DIAG_E0121, p->item[0].at, "%s: %s", arena_printf(p->arena, "'%s'", text_of(p, p->item[0])), what);
  diag_help(d, "%s", help);
  p->outside |= p->open.n == 0;
  size_t end = skip_item(p->file, p->item[0].at.hi), line = skip_line(p->file, p->item[0].at.hi);
  bool heading = now(p) == ':' || p->open.n == 0;          // def f(x):   from a import b
  if (heading && line < end && now(p) != '{') end = indented(p->file, line);
  give_up(p, now(p) == '{' && end > 0 && p->file->text[end - 1] == '}' ? end - 1 : end);
  return true;
}

// --- files and models ---

// { "json": 1 }, <xml>
static bool no_model(Parse *p) {
  if (p->item_n != 1 || p->open.n || p->problems || p->before.kind) return false;
  size_t next = skip_blanks(p->file, p->now.at.hi);
  char c = next < p->file->len ? p->file->text[next] : 0;
  bool json = (now(p) == '{' && c == '"') || (now(p) == '[' && (c == '"' || c == '{')),
       xml = now(p) == '<' && (c == '?' || c == '!' || is_name_char(c));
  if (!json && !xml) return false;
  Diag *d = say(p, p->now.at, "a file of models does not begin like this");
  diag_help(d, "model NAME { ... }");
  p->stopped = true;
  return true;
}

static bool model_head(Parse *p) {
  if (item(p, 0) != TOK_MODEL || p->item_n < 3) return false;
  const char *name = text_of(p, p->item[1]);
  if (p->item_n == 3 && now(p) != TOK_END) {
    if (now(p) == TOK_STRING) {
      Diag *d = say(p, p->now.at, "a model has no text behind its name");
      diag_help(d, "write it as a comment: // %s", trimmed(p, p->now.at.lo + 1, p->now.at.hi - 1));
      size_t brace = skip_blanks(p->file, p->now.at.hi);
      if (follows(p->file, brace, "{")) p->unread = between(p, brace, skip_bracket(p->file, brace));
      return true;
    }
    Diag *d = say(p, between(p, p->before.at.hi, p->before.at.hi), "the items of a model stand in braces");
    bool modelica = find_word(p->file, 0, p->file->len, "equation") < p->file->len ||
                    find_word(p->file, 0, p->file->len, "Real") < p->file->len;
    if (modelica)
      diag_note(d, "this looks like Modelica: `parameter Real k = 1` is `param k = 1`, `Real x(start = 1)` is "
                   "`state x = 1`, and there is no `equation` and no `end`");
    diag_help(d, "model %s { ... }", name);
    p->stopped = true;
    return true;
  }
  if (item(p, 2) != '(' || !innermost(p) || innermost(p)->bracket != '(') return false;
  size_t end = skip_bracket(p->file, innermost(p)->at.lo), brace = skip_blanks(p->file, end);
  if (now(p) == TOK_DECLARE || now(p) == TOK_ENERGY) {
    Diag *d = say(p, p->now.at, "the items of a model stand in braces, its formals in parentheses");
    diag_help(d, "model %s { %s ... }", name, text_of(p, p->now));
    p->stopped = true;
    return true;
  }
  if (now(p) == TOK_NAME && p->before.kind == TOK_NAME) {
    Diag *d = say(p, p->before.at, arena_printf(p->arena, "'%s': types are not written", text_of(p, p->before)));
    diag_help(d, "model %s(%s)", name, text_of(p, p->now));
  } else if (now(p) == ';') {
    Diag *d = say(p, p->now.at, "formals are separated by ','");
    diag_help(d, "model %s(a = 1, b = 2) { ... }", name);
  } else {
    return false;
  }
  if (follows(p->file, brace, "{")) {
    p->unread = between(p, brace, skip_bracket(p->file, brace));
    p->skip_to = brace;
    p->skip_bare = true;
  }
  return true;
}

static bool function(Parse *p) {
  if (item(p, 0) != TOK_FUNCTION || now(p) == TOK_END) return false;
  bool body = now(p) == '{' || (p->before.kind == ')' && (now(p) == '-' || now(p) == TOK_GE || now(p) == TOK_NAME));
  bool matlab = p->item_n == 3 && now(p) == '=';
  if (!body && !matlab) return false;
  Diag *d = say(p, p->now.at, "a function is one expression behind '='");
  diag_help(d, "function %s(x) = x^2;", matlab ? "f" : text_of(p, p->item[1]));
  p->outside = true;
  size_t end = find_word(p->file, p->now.at.hi, p->file->len, "end"), models = find_word(p->file, p->now.at.hi, end, "model");
  if (matlab && end < p->file->len && models == end) give_up(p, end + 3);
  else give_up_item(p);
  return true;
}

static bool import(Parse *p) {
  if (item(p, 0) != TOK_IMPORT || p->item_n != 2 || now(p) == TOK_STRING || now(p) == TOK_END) return false;
  size_t line = skip_line(p->file, p->now.at.lo), end = skip_item(p->file, p->now.at.lo);
  const char *what = trimmed(p, p->now.at.lo, line < end ? line : end);
  Diag *d = say(p, p->now.at, "a file is imported by its name in quotes");
  if (!strncmp(what, "numpy", 5) || !strncmp(what, "math", 4) || !strncmp(what, "scipy", 5))
    diag_help(d, "leave it out: sqrt, sin, exp, norm and their like are there; files: import \"std/diode.nsm\";");
  else if (!strncmp(what, "siconos", 7)) diag_help(d, "nsm is a language of its own: model NAME { ... }");
  else if (strpbrk(what, " ,")) diag_help(d, "import \"std/diode.nsm\";");
  else if (strstr(what, ".nsm")) diag_help(d, "import \"%s\";", what[0] == '\'' ? "FILE.nsm" : what);
  else diag_help(d, "import \"std/%s.nsm\"; or the path of a file", what);
  p->outside = true;
  bool python = !strncmp(what, "siconos", 7) || find_word(p->file, line, p->file->len, "def") < p->file->len;
  if (python) p->stopped = true;
  give_up(p, line < end ? line : end);
  return true;
}

// --- loops ---

static bool loop(Parse *p) {
  if (item(p, 0) != TOK_FOR) return false;
  const SourceFile *f = p->file;
  const char *name = item(p, 1) == TOK_NAME ? text_of(p, p->item[1]) : "i";
  Diag *d = NULL;
  if (p->item_n == 2 && now(p) == '(') {
    size_t end = skip_bracket(f, p->now.at.lo);
    const char *in = trimmed(p, p->now.at.lo + 1, end - 1);
    d = say(p, p->now.at, "the range of a loop stands without parentheses");
    if (strstr(in, " in ")) diag_help(d, "for %s { ... }", in);
    else diag_help(d, "for i in 1:n { ... } stands for its items with i = 1, 2, ..., n");
  } else if (p->item_n == 3 && now(p) == '=') {
    size_t end = p->now.at.hi;
    while (end < f->len && !strchr("{\n;", f->text[end])) end++;
    const char *range = trimmed(p, p->now.at.hi, end);
    d = say(p, p->now.at, "a loop runs over a range, behind 'in'");
    if (f->text[end] == '{' && strchr(range, ':') && !strchr(range, ' ')) diag_help(d, "for %s in %s { ... }", name, range);
    else diag_help(d, "for %s in 1:n { ... }", name);
  } else if (p->item_n > 3 && find_word(f, p->item[0].at.lo, p->now.at.lo, "range") < p->now.at.lo) {
    d = say(p, p->item[0].at, "a loop runs over a range from a to b");
    diag_help(d, "for %s in 1:n { ... }; indices count from 1", name);
  } else if (p->item_n > 3 && now(p) == ':') {
    d = say(p, p->now.at, "a range has a start and an end, its step is 1");
    diag_help(d, "for other steps compute the index: x[2*%s - 1]", name);
  } else if (p->item_n > 3 && (now(p) == TOK_NAME || now(p) == TOK_DECLARE) && is_value_end(p->before.kind)) {
    d = say(p, between(p, p->before.at.hi, p->before.at.hi), "the items of a loop stand in braces");
    diag_help(d, "for %s in 1:n { ... }", name);
  }
  if (!d) return false;
  size_t brace = p->now.at.lo, end;
  while (brace < f->len && !strchr("{};", f->text[brace])) brace = f->text[brace] == '(' ? skip_bracket(f, brace) : brace + 1;
  if (f->text[brace] == '{') {                             // the parser may read the block, but nothing is said of it
    if (now(p) == '(') give_up(p, skip_bracket(f, brace));
    else p->unread = between(p, brace, skip_bracket(p->file, brace));
    return true;
  }
  size_t close = brace;
  while (close < f->len && f->text[close] != '}') close++;
  end = find_word(f, p->now.at.hi, close, "end");
  if (end < close) {
    end = skip_blanks(f, end + 3);
    if (follows(f, end, "for")) end += 3;
  } else {
    end = skip_item(f, p->now.at.lo);
  }
  give_up(p, end);
  return true;
}

// --- simulate, energies, forces ---

static bool simulate(Parse *p) {
  static const char example[] = "simulate { until = 2 [s], step = 5 [ms] }";
  if (item(p, 0) == TOK_SIMULATE && p->item_n == 2 && (now(p) == TOK_NAME || now(p) == '(')) {
    Diag *d = say(p, p->now.at, "the entries of simulate stand in braces");
    diag_help(d, "%s", example);
    give_up_item(p);
    return true;
  }
  if (!inside(p, '{', TOK_SIMULATE)) return false;
  Diag *d;
  if (now(p) == ':' && p->before.kind == TOK_NAME) {
    d = say(p, p->now.at, "an entry has its value behind '='");
    diag_help(d, "%s = ...", text_of(p, p->before));
  } else {
    return false;
  }
  return true;
}

static bool energy(Parse *p) {
  if (item(p, 0) != TOK_ENERGY || (now(p) != '=' && now(p) != ':')) return false;
  if (p->item_n != 2 && !(p->item_n == 3 && item(p, 1) == TOK_NAME)) return false;
  const char *word = text_of(p, p->item[0]);
  Diag *d = say(p, p->now.at, p->item_n == 2 ? "an energy stands directly behind its word" : "an energy has no name");
  diag_help(d, "%s %s;", word, rest(p, p->now.at.hi));
  give_up_item(p);
  return true;
}

static bool force(Parse *p) {
  if (item(p, 0) != TOK_FORCE || p->item_n < 2) return false;
  Diag *d = NULL;
  if (word_is(p, p->before, "on") && now(p) == TOK_NAME) {
    d = say(p, p->before.at, "the coordinate stands directly behind 'force'");
    diag_help(d, "force %s;", rest(p, p->now.at.lo));
  } else if (now(p) == ':' && p->item_n == 2) {
    d = say(p, p->now.at, "a force says on which coordinate it acts");
    diag_help(d, "force z = %s;", rest(p, p->now.at.hi));
  } else if (now(p) == ':') {
    d = say(p, p->now.at, "a force has its value behind '='");
    diag_help(d, "force %s = %s;", trimmed(p, p->item[0].at.hi, p->now.at.lo), rest(p, p->now.at.hi));
  } else if (now(p) == ';' || now(p) == '}' || now(p) == TOK_NAME || now(p) == TOK_NUMBER) {
    bool named = item(p, 1) == TOK_NAME && p->item_n > 2;
    size_t value = named ? p->item[1].at.hi : p->item[0].at.hi;
    d = say(p, between(p, value, value), "a force reads: force COORDINATE = VALUE");
    diag_help(d, "force %s = %s;", named ? text_of(p, p->item[1]) : "z", rest(p, value));
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

// --- contacts, constraints, relations ---

static bool row_item(int kind) { return kind == TOK_CONTACT || kind == TOK_CONSTRAINT || kind == TOK_RELATION; }

static bool saw(const Parse *p, int kind) {                // among the first tokens of the item
  for (int k = 0; k < p->item_n && k < ITEM_TOKENS; k++)
    if (p->item[k].kind == kind && (k + 1 < p->item_n)) return true;
  return false;
}

// 'with' is missing before a law, or stands in another form.
static bool laws(Parse *p) {
  bool row = row_item(item(p, 0)), parts = inside(p, '{', TOK_CONTACT) || inside(p, '{', TOK_CONSTRAINT);
  Token law = p->now;
  Diag *d = NULL;
  if (parts && item(p, 0) == TOK_NAME && is_law_name(text_of(p, p->item[0])) && p->item_n == 2 && now(p) != '=') {
    d = say(p, between(p, p->item[0].at.lo, p->item[0].at.lo), "'with' is missing before the laws");
    diag_help(d, "with %s;", rest(p, p->item[0].at.lo));
  } else if (row && now(p) == ',' && !saw(p, TOK_WITH)) {
    size_t at = skip_blanks(p->file, p->now.at.hi), n = strcspn(p->file->text + at, " (;,}");
    const char *next = span_text(p, between(p, at, at + n));
    if (is_law_name(next) || habit_of(next, &(const char *){NULL}, &(const char *){NULL})) {
      d = say(p, p->now.at, "laws stand behind 'with'");
      diag_help(d, "%s with %s;", trimmed(p, p->item[0].at.lo, p->now.at.lo), rest(p, at));
    }
  } else if (row && law.kind == TOK_NAME && is_law_name(text_of(p, law)) && !saw(p, TOK_WITH) &&
             is_value_end(p->before.kind)) {
    d = say(p, between(p, p->before.at.hi, p->before.at.hi), "'with' is missing before the laws");
    diag_help(d, "%s with %s;", trimmed(p, p->item[0].at.lo, p->before.at.hi), rest(p, law.at.lo));
  } else if (p->before.kind == TOK_WITH && now(p) == '=') {
    d = say(p, p->now.at, "laws stand directly behind 'with'");
    diag_help(d, "with %s;", rest(p, p->now.at.hi));
  } else if ((now(p) == TOK_WITH || now(p) == TOK_AND) && (row || parts) && saw(p, TOK_WITH)) {
    d = say(p, p->now.at, "laws are separated by ','");
    diag_help(d, "with newton(0.5), coulomb(0.3)");
  } else if (now(p) == '=' && p->before.kind == TOK_NAME && (saw(p, TOK_WITH) || p->before2.kind == TOK_WITH)) {
    const char *name = text_of(p, p->before);
    d = say(p, p->now.at, "a law has its coefficients in parentheses");
    diag_help(d, "with %s(%s)", is_law_name(name) ? name : "newton", rest(p, p->now.at.hi));
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

static bool row(Parse *p) {
  int kind = item(p, 0);
  const SourceFile *f = p->file;
  if (inside(p, '{', TOK_CONTACT) || inside(p, '{', TOK_CONSTRAINT)) {
    bool named = p->before.kind == TOK_NAME;
    if (now(p) == ':' && named) {
      Diag *d = say(p, p->now.at, "a part has its value behind '='");
      diag_help(d, "%s = %s;", text_of(p, p->before), rest(p, p->now.at.hi));
    } else if (now(p) == ',' && item(p, 0) != TOK_WITH) {
      Diag *d = say(p, p->now.at, "parts end with ';'");
      diag_help(d, "contact NAME { normal = gap;  slip = velocity;  with newton(0.5), coulomb(0.3); }");
    } else {
      return false;
    }
    return true;
  }
  if (!row_item(kind)) return false;
  const char *word = text_of(p, p->item[0]);
  Diag *d = NULL;
  if (kind == TOK_CONTACT && now(p) == TOK_PERP) {
    d = say(p, p->now.at, "a contact has a multiplier of its own and an impact law");
    size_t colon = p->item[1].at.hi;
    while (colon < p->now.at.lo && f->text[colon] != ':') colon++;
    size_t gap = skip_blanks(f, colon + 1), zero = follows(f, gap, "0") ? skip_blanks(f, gap + 1) : gap;
    bool reversed = follows(f, zero, "<=");
    diag_help(d, "contact %s: %s%s with newton(0.5);", text_of(p, p->item[1]),
              trimmed(p, reversed ? zero + 2 : gap, p->now.at.lo), reversed ? " >= 0" : "");
  } else if (kind == TOK_CONTACT && item(p, 2) == ':' && (now(p) == TOK_LE || now(p) == '<')) {
    d = say(p, p->now.at, "a contact has one gap");
    diag_help(d, "two contacts, one for each side: x - a >= 0 and b - x >= 0");
  } else if (p->item_n == 3 && item(p, 1) == TOK_NAME && strchr("^+-*/'<>.", now(p)) && now(p) < 256) {
    d = say(p, p->item[1].at, arena_printf(p->arena, "a %s has a name in front, and ':'", word));
    diag_help(d, "%s NAME: %s;", word, rest(p, p->item[1].at.lo));
  } else if (p->item_n == 2 && (now(p) == TOK_NUMBER || now(p) == '(' || now(p) == '-')) {
    d = say(p, p->now.at, arena_printf(p->arena, "a %s has a name in front, and ':'", word));
    diag_help(d, "%s NAME: %s;", word, rest(p, p->now.at.lo));
  } else if (kind == TOK_CONSTRAINT && item(p, 2) == ':' && p->item_n > 4 &&
             (now(p) == ';' || now(p) == '}' || now(p) == TOK_WITH)) {
    size_t from = p->item[2].at.hi, hi = p->before.at.hi;
    const char *sign[] = { ">=", "<=", "==", ">", "<" };
    size_t at = hi;
    int which = -1;
    for (int k = 0; k < 5 && which < 0; k++)
      for (size_t i = from; i + strlen(sign[k]) <= hi && which < 0; i++)
        if (follows(f, i, sign[k])) { which = k; at = i; }
    const char *name = text_of(p, p->item[1]);
    if (which < 0) {
      d = problem(p, DIAG_E0118, between(p, hi, hi), "a constraint is an equality");
      diag_help(d, "constraint %s: %s = 0;", name, trimmed(p, from, hi));
    } else {
      size_t n = strlen(sign[which]);
      const char *a = trimmed(p, from, at), *b = trimmed(p, at + n, hi);
      d = problem(p, DIAG_E0118, between(p, at, at + n), "a constraint is an equality");
      const char *larger = which == 0 || which == 3 ? a : b, *smaller = which == 0 || which == 3 ? b : a;
      bool sum_ = strpbrk(smaller, "+-") != NULL;
      if (which == 2) diag_help(d, "constraint %s: %s = %s;", name, a, b);
      else if (!strcmp(smaller, "0"))
        diag_help(d, "an inequality is a contact: contact %s: %s >= 0 with newton(0.5);", name, larger);
      else
        diag_help(d, "an inequality is a contact: contact %s: %s - %s%s%s >= 0 with newton(0.5);", name, larger,
                  sum_ ? "(" : "", smaller, sum_ ? ")" : "");
    }
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

// --- claims ---

static bool claim(Parse *p) {
  if (item(p, 0) != TOK_CLAIM) return false;
  const char *word = text_of(p, p->item[0]);
  Diag *d = NULL;
  if (now(p) == ',') {
    bool paren = innermost(p) && innermost(p)->bracket == '(' && item(p, 1) == '(';
    if (innermost(p) && innermost(p)->bracket == '(' && !paren) return false;
    d = say(p, p->now.at, "the text of a condition stands directly behind it");
    diag_help(d, "%s %s \"text\";", word, trimmed(p, paren ? p->item[1].at.hi : p->item[0].at.hi, p->now.at.lo));
  } else if (now(p) == '=' && is_value_end(p->before.kind)) {
    d = problem(p, DIAG_E0115, p->now.at, "'=' cannot stand here; to compare, write '=='");
    if (!strcmp(word, "expect"))
      diag_help(d, "numbers of a run agree within a tolerance: abs(%s - %s) <= 1e-6",
                trimmed(p, p->item[0].at.hi, p->now.at.lo), rest(p, p->now.at.hi));
    else diag_help(d, "replace it by ==");
  } else if (now(p) == TOK_IN) {
    d = say(p, p->now.at, "a condition compares numbers");
    diag_help(d, "a <= x and x <= b");
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

// when c then ... end when;
static bool timed(Parse *p) {
  if (item(p, 0) != TOK_TIMED || now(p) != TOK_THEN) return false;
  Diag *d = say(p, p->now.at, "what happens at an event stands in braces, and is not supported yet");
  diag_help(d, "describe the event with a contact or a relation");
  size_t end = find_word(p->file, p->now.at.hi, p->file->len, "end");
  if (end < p->file->len) {
    end = skip_blanks(p->file, end + 3);
    if (follows(p->file, end, "when")) end += 4;
    give_up(p, end);
  } else {
    give_up_item(p);
  }
  return true;
}

// --- choices and sums ---

static bool choice(Parse *p) {
  const Open *open = innermost(p);
  Diag *d = NULL;
  if (now(p) == ',' && open && open->bracket == '(' && open->before.kind == TOK_IF) {
    d = say(p, open->before.at, "a choice has the words then and else");
    diag_help(d, "if %s then a else b", trimmed(p, open->at.hi, p->now.at.lo));
  } else if (now(p) == TOK_IF && is_value_end(p->before.kind)) {
    d = say(p, p->now.at, "the condition of a choice stands in front");
    diag_help(d, "if c then a else b");
  } else if (now(p) == TOK_NAME && (word_is(p, p->now, "elif") || word_is(p, p->now, "elseif") || word_is(p, p->now, "elsif"))) {
    d = say(p, p->now.at, arena_printf(p->arena, "'%s' is written 'else if'", text_of(p, p->now)));
    diag_help(d, "if a then x else if b then y else z");
  } else if (now(p) == TOK_NAME && is_value_end(p->before.kind) &&
             (word_is(p, p->now, "endif") || word_is(p, p->now, "end") || word_is(p, p->now, "fi"))) {
    d = say(p, p->now.at, arena_printf(p->arena, "an item ends with ';' and has no '%s'", text_of(p, p->now)));
    diag_help(d, "remove it");
  } else if (item(p, 0) == TOK_IF && (now(p) == '{' || now(p) == '=')) {
    d = say(p, p->item[0].at, "an if chooses a value, not equations");
    diag_help(d, "x' = if c then a else b;");
    size_t end = skip_item(p->file, p->item[0].at.hi), last = p->item[0].at.lo;
    while (last < p->file->len && p->file->text[last] != '}') last++;
    size_t word = find_word(p->file, p->now.at.hi, last, "end");
    if (word < last && now(p) == '=') {
      end = skip_blanks(p->file, word + 3);
      if (follows(p->file, end, "if")) end += 2;
    }
    give_up(p, now(p) == '{' && p->file->text[end - 1] == '}' ? end - 1 : end);
    return true;
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

// x[i in 1:n] = ... in place of a loop.
static bool loop_in_index(Parse *p) {
  const Open *open = innermost(p);
  if (!open || open->bracket != '[' || now(p) != TOK_IN || p->before.kind != TOK_NAME) return false;
  size_t end = skip_bracket(p->file, open->at.lo) - 1;
  const char *index = text_of(p, p->before), *range = trimmed(p, open->at.hi, end), *name = text_of(p, open->before);
  Diag *d = say(p, p->now.at, "statements for all elements stand in a loop");
  diag_help(d, "for %s { ... %s[%s] ...; }", range, name, index);
  give_up_item(p);
  return true;
}

static bool sum(Parse *p) {
  const Open *open = innermost(p);
  if (!open || open->bracket != '(' || open->before.kind != TOK_SUM || (now(p) != ',' && now(p) != TOK_FOR)) return false;
  size_t end = skip_bracket(p->file, open->at.lo) - 1;
  const char *head = trimmed(p, open->at.hi, p->now.at.lo), *tail = trimmed(p, p->now.at.hi, end);
  Diag *d = say(p, p->now.at, "a sum has its index and range in parentheses, and its terms behind them");
  if (now(p) == TOK_FOR) diag_help(d, "sum(%s) %s", tail, head);
  else if (strstr(head, " in ")) diag_help(d, "sum(%s) %s", head, tail);
  else diag_help(d, "sum(i in 1:n) x[i]");
  give_up_item(p);
  return true;
}

// --- declarations ---

static bool declaration(Parse *p) {
  if (item(p, 0) != TOK_DECLARE || p->item_n < 2) return false;
  const SourceFile *f = p->file;
  const char *word = text_of(p, p->item[0]), *name = text_of(p, p->before);
  bool named = p->before.kind == TOK_NAME || p->before.kind == '\'', in_list = p->before2.kind == TOK_DECLARE || p->before2.kind == ',';
  Diag *d = NULL;
  if (now(p) == '(' && named) {
    size_t end = skip_bracket(f, p->now.at.lo), value = skip_blanks(f, end);
    const char *in = trimmed(p, p->now.at.hi, end - 1), *start = strstr(in, "start");
    bool given = follows(f, value, "=");
    if (p->before.kind == '\'') name = text_of(p, p->before2);
    if (start || strstr(in, "fixed") || strstr(in, "unit")) {
      const char *equals = start ? strchr(start, '=') : NULL;
      size_t n = equals ? strcspn(equals + 1, ",") : 0;
      d = say(p, p->now.at, "a declaration has no attributes");
      if (strstr(in, "unit")) diag_help(d, "%s %s : kg = 1;", word, name);
      else if (equals) diag_help(d, "%s %s =%.*s;", word, name, (int)n, equals + 1);
      else diag_help(d, "%s %s = %s;", word, name, given ? rest(p, value + 1) : "...");
    } else if (!strcmp(in, "0") && given) {
      d = say(p, p->now.at, "the value of a declaration is the one at the start");
      diag_help(d, "%s %s%s = %s;", word, name, p->before.kind == '\'' ? "'" : "", rest(p, value + 1));
    } else {
      d = say(p, p->now.at, "sizes and indices stand in brackets, values behind '='");
      diag_help(d, "an array: %s %s[%s] = ...; a value: %s %s = %s;", word, name, in, word, name, in);
    }
  } else if (now(p) == '-' && named && p->now.at.lo == p->before.at.hi && in_list) {
    size_t hi = p->now.at.hi;
    while (hi < f->len && (f->text[hi] == '-' || is_name_char(f->text[hi]))) hi++;
    char *joined = arena_printf(p->arena, "%s", span_text(p, between(p, p->before.at.lo, hi)));
    for (char *c = joined; *c; c++)
      if (*c == '-') *c = '_';
    d = say(p, between(p, p->before.at.lo, hi), "a name has no '-'");
    diag_help(d, "%s", joined);
  } else if (now(p) == TOK_NUMBER && named && in_list) {
    d = say(p, between(p, p->before.at.hi, p->before.at.hi), "a value is given with '='");
    diag_help(d, "%s %s = %s;", word, name, rest(p, p->now.at.lo));
  } else if (now(p) == TOK_NAME && named && in_list) {
    const char *what, *help;
    if (!habit_of(name, &what, &help)) return false;
    d = say(p, p->before.at, arena_printf(p->arena, "'%s': %s", name, what));
    diag_help(d, "%s %s;", word, rest(p, p->now.at.lo));
  } else if (now(p) == ':' && p->before.kind == TOK_NUMBER) {
    d = say(p, p->now.at, "a unit stands behind the name, or in brackets behind the number");
    const char *unit = rest(p, p->now.at.hi);
    diag_help(d, "%s [%s]", text_of(p, p->before), unit);
  } else if (now(p) == TOK_NUMBER && p->before.kind == ',' && p->before2.kind == TOK_NUMBER &&
             p->before.at.hi == p->now.at.lo && p->before2.at.hi == p->before.at.lo) {
    d = say(p, p->before.at, "a number has a decimal point");
    diag_help(d, "%s.%s", text_of(p, p->before2), text_of(p, p->now));
  } else if (now(p) == '[' && p->item_n == 2) {
    d = say(p, between(p, p->item[0].at.hi, p->item[0].at.hi), arena_printf(p->arena, "a name is missing after '%s'", word));
    diag_help(d, "%s NAME = %s;", word, rest(p, p->now.at.lo));
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

// --- instances ---

// Is there a model of this name in the file?
bool find_model(Parse *p, const char *name) {
  const SourceFile *f = p->file;
  for (size_t at = 0; (at = find_word(f, at, f->len, "model")) < f->len;) {
    size_t lo = skip_blanks(f, at + 5), n = strlen(name);
    if (follows(f, lo, name) && strchr(" ({\t\r\n/", f->text[lo + n])) return true;
    at = lo;
  }
  return false;
}

static bool instance(Parse *p) {
  Diag *d = NULL;
  if (item(p, 0) == TOK_NAME && item(p, 1) == TOK_NAME && !habit_of(text_of(p, p->item[0]), &(const char *){NULL}, &(const char *){NULL})) {
    const char *model = text_of(p, p->item[0]), *name = text_of(p, p->item[1]);
    bool known = find_model(p, model);
    if (item(p, 2) == '[' && now(p) != TOK_NAME && p->item_n == 4) {
      size_t end = skip_bracket(p->file, p->before.at.lo);
      const char *range = trimmed(p, p->before.at.hi, end - 1);
      d = say(p, p->now.at, "a family of instances has an index and its range");
      diag_help(d, strchr(range, ':') ? "%s %s[i in %s](...);" : "%s %s[i in 1:%s](...);", model, name, range);
    } else if (known && p->item_n == 3 && (now(p) == ';' || now(p) == '}')) {
      d = say(p, between(p, p->before.at.hi, p->before.at.hi), "an instance has its arguments in parentheses");
      diag_help(d, "%s %s();", model, name);
    } else if (known && item(p, 2) == '[' && p->before.kind == ']' && (now(p) == ';' || now(p) == '}')) {
      d = say(p, between(p, p->before.at.hi, p->before.at.hi), "a family of instances has its arguments in parentheses");
      diag_help(d, "%s();", trimmed(p, p->item[0].at.lo, p->before.at.hi));
    } else if (known && p->item_n == 3 && now(p) == '{') {
      size_t end = skip_bracket(p->file, p->now.at.lo);
      d = say(p, p->now.at, "an instance has its arguments in parentheses");
      diag_help(d, "%s %s(%s);", model, name, trimmed(p, p->now.at.hi, end - 1));
    } else if (item(p, 2) == '(' && now(p) == ':' && p->before.kind == TOK_NAME) {
      d = say(p, p->now.at, "arguments are given with '='");
      diag_help(d, "%s %s(%s = ...);", model, name, text_of(p, p->before));
    }
  } else if (word_is(p, p->before, "new") && now(p) == TOK_NAME && item(p, 0) == TOK_NAME) {
    d = say(p, p->before.at, "an instance reads: MODEL NAME(arguments)");
    size_t lo = skip_blanks(p->file, p->now.at.hi);
    diag_help(d, "%s %s%s;", text_of(p, p->now), text_of(p, p->item[0]), rest(p, lo));
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

// --- values ---

// m/s^2: does the sign at `hi` join two units?
static bool unit_goes_on(Parse *p, size_t lo, size_t hi) {
  char c = p->file->text[hi];
  if (c == '-') return hi > lo && p->file->text[hi - 1] == '^';
  return strchr("*/^", c) && c && looks_like_unit(span_text(p, between(p, lo, hi))) && is_name_char(p->file->text[hi + 1]);
}

static bool value(Parse *p) {
  const Open *open = innermost(p);
  const SourceFile *f = p->file;
  Diag *d = NULL;
  size_t closed = open && open->bracket == '[' ? skip_bracket(f, open->at.lo) : 0;
  if (now(p) == ';' && closed && source_line(f, closed) == source_line(f, p->now.at.lo) && f->text[closed - 1] == ']') {
    size_t end = closed;
    d = say(p, p->now.at, "elements of a vector are separated by ',', and the rows of a matrix are vectors");
    diag_help(d, "[1, 2] or [[1, 2], [3, 4]]");
    give_up(p, skip_item(f, end));
    return true;
  }
  if (open && open->bracket == '[' && open->owner.kind != 0 && (now(p) == TOK_NUMBER || now(p) == TOK_NAME) &&
      is_value_end(p->before.kind)) {
    d = say(p, between(p, p->before.at.hi, p->before.at.hi), "elements are separated by ','");
    diag_help(d, "%s, %s", text_of(p, p->before), text_of(p, p->now));
  } else if (now(p) == '{' && (p->before.kind == '=' || p->before.kind == ',' || p->before.kind == '(')) {
    size_t end = skip_bracket(f, p->now.at.lo);
    d = say(p, p->now.at, "a vector stands in brackets");
    diag_help(d, "[%s]", trimmed(p, p->now.at.hi, end - 1));
  } else if (now(p) == ',' && open && open->bracket == '(' && !is_value_end(open->before.kind) && p->item[0].kind == TOK_DECLARE) {
    size_t end = skip_bracket(f, open->at.lo);
    d = say(p, open->at, "a vector stands in brackets");
    diag_help(d, "[%s]", trimmed(p, open->at.hi, end - 1));
  } else if ((now(p) == '(' || now(p) == '{') && p->before.kind == TOK_NUMBER) {
    size_t end = skip_bracket(f, p->now.at.lo);
    const char *in = trimmed(p, p->now.at.hi, end - 1);
    if (looks_like_unit(in)) {
      d = say(p, p->now.at, "a unit stands in brackets");
      diag_help(d, "%s [%s]", text_of(p, p->before), in);
    } else if (now(p) == '(') {
      d = problem(p, DIAG_E0101, between(p, p->before.at.hi, p->before.at.hi), "a product needs its sign");
      diag_help(d, "%s*(%s)", text_of(p, p->before), in);
    }
  } else if (now(p) == TOK_NAME && p->before.kind == TOK_NUMBER && p->before.at.hi <= p->now.at.lo) {
    size_t hi = p->now.at.lo;
    while (hi < f->len && (is_name_char(f->text[hi]) || unit_goes_on(p, p->now.at.lo, hi))) hi++;
    const char *unit = span_text(p, between(p, p->now.at.lo, hi)), *number = text_of(p, p->before);
    if (!looks_like_unit(unit)) return false;
    d = problem(p, DIAG_E0101, between(p, p->before.at.hi, p->before.at.hi), "something is missing between '%s' and '%s'",
                number, text_of(p, p->now));
    diag_help(d, "a unit stands in brackets: %s [%s]; a product needs its sign: %s*%s", number, unit, number,
              text_of(p, p->now));
  } else if (now(p) == '(' && p->before.kind == TOK_NAME && p->before2.kind == '.') {
    size_t lo = p->before2.at.lo;
    while (lo > 0 && (f->text[lo - 1] == '.' || is_name_char(f->text[lo - 1]))) lo--;
    d = say(p, between(p, lo, p->before.at.hi), "functions have no prefix");
    diag_help(d, "%s(...)", text_of(p, p->before));
  } else if (p->before.kind == TOK_NAME && is_function_name(text_of(p, p->before)) && p->item_n > 3 &&
             (now(p) == TOK_NAME || now(p) == TOK_NUMBER)) {
    d = say(p, between(p, p->before.at.hi, p->before.at.hi), "a function has its arguments in parentheses");
    diag_help(d, "%s(%s)", text_of(p, p->before), text_of(p, p->now));
  } else if (now(p) == '(' && p->before.kind == ')') {
    d = problem(p, DIAG_E0101, between(p, p->before.at.hi, p->before.at.hi), "a product needs its sign");
    diag_help(d, "(...)*(...)");
  } else if (p->before.kind == '.' && (now(p) == '*' || now(p) == '/' || now(p) == '^')) {
    d = say(p, between(p, p->before.at.lo, p->now.at.hi), "there are no operations element by element");
    diag_help(d, "the scalar product is dot(a, b); elements are written one by one: [a[1]*b[1], a[2]*b[2]]");
  } else if ((p->before.kind == '+' && now(p) == ';' && p->before2.kind == '+') ||
             (p->before.kind == '-' && now(p) == ';' && p->before2.kind == '-')) {
    d = say(p, between(p, p->before2.at.lo, p->before.at.hi), "nothing is counted up while a model runs");
    diag_help(d, "what changes in time is a state: x' = 1;");
  } else if (word_is(p, p->now, "is") && is_value_end(p->before.kind)) {
    d = say(p, p->now.at, "'is' is written '=='");
    diag_help(d, "replace it by ==");
  } else if (word_is(p, p->before, "lambda") && now(p) == TOK_NAME) {
    d = say(p, p->before.at, "functions are one expression, at file level");
    diag_help(d, "function f(%s) = ...;", text_of(p, p->now));
  } else if (now(p) == ',' && (!open || open->bracket == '{') && item(p, 0) == TOK_NAME && is_value_end(p->before.kind)) {
    d = problem(p, DIAG_E0102, p->now.at, "an item ends with ';', not with ','");
    diag_help(d, "replace it by ;");
  } else if (now(p) == '=' && item(p, 0) == TOK_NAME && p->item_n > 3 && is_value_end(p->before.kind) && saw(p, '=') &&
             (!open || open->bracket == '{')) {
    d = problem(p, DIAG_E0115, p->now.at, "an equation has two sides");
    diag_help(d, "two equations, each with its ';'; to compare, write ==");
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

bool foreign_form(Parse *p) {
  return no_model(p) || word(p) || model_head(p) || function(p) || import(p) || loop(p) || timed(p) || choice(p) || sum(p) ||
         loop_in_index(p) || simulate(p) || energy(p) || force(p) || laws(p) || row(p) || claim(p) || declaration(p) ||
         instance(p) || value(p);
}
