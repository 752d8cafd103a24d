// Forms of other languages in the items of a model: simulate, energies, forces, contacts, constraints and relations,
// claims, events, declarations, instances (see foreign.c).
#include "foreign.h"

// --- simulate, energies, forces ---

static bool simulate(Parse *p) {
  static const char example[] = "simulate { until = 2 [s], step = 5 [ms] }";
  if (item(p, 0) == TOK_SIMULATE && p->item_n == 2 && (now(p) == TOK_NAME || now(p) == '(' || now(p) == '=')) {
    Diag *d = say(p, p->now.at, "the entries of simulate stand in braces");
    diag_help(d, "%s", example);
    size_t end = skip_item(p->file, p->now.at.lo);
    give_up(p, end < p->file->len && p->file->text[end] == '}' && extra_brace(p, end) ? end + 1 : end);
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
    const char *value = rest(p, p->now.at.hi), *unit = strchr(value, '=');   // force z : N = 0
    if (unit) value = unit + 1 + strspn(unit + 1, " ");
    diag_help(d, "force %s = %s;", trimmed(p, p->item[0].at.hi, p->now.at.lo), value);
  } else if (now(p) == ';' || now(p) == '}' || now(p) == TOK_NAME || now(p) == TOK_NUMBER) {
    bool named = item(p, 1) == TOK_NAME && p->item_n > (now(p) == ';' ? 3 : 2);          // force F; has no name
    size_t value = named ? p->item[1].at.hi : p->item[0].at.hi;
    d = say(p, between(p, value, value), "a force reads: force COORDINATE = VALUE");
    const char *all = rest(p, p->item[0].at.hi), *on = strstr(all, " on ");              // force F on z
    if (on) diag_help(d, "force %s = %.*s;", on + 4, (int)(on - all), all);
    else diag_help(d, "force %s = %s;", named ? text_of(p, p->item[1]) : "z", rest(p, value));
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

// --- contacts, constraints, relations ---

static bool row_item(int kind) { return kind == TOK_CONTACT || kind == TOK_CONSTRAINT || kind == TOK_RELATION; }

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
    if (is_law_name(next) || foreign_word(next, &(const char *){NULL}, &(const char *){NULL})) {
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

// { normal = gap, slip = v, with newton(0.5), coulomb(0.3) } with ';' behind each part.
static const char *parts_mended(Parse *p, size_t brace) {
  const char *in = trimmed(p, brace + 1, skip_bracket(p->file, brace) - 1);
  Text out = {0};
  int depth = 0;
  bool laws = false;
  for (const char *c = in; *c; c++) {
    depth += *c == '(' || *c == '[' ? 1 : *c == ')' || *c == ']' ? -1 : 0;
    laws = laws || (depth == 0 && (c == in || c[-1] == ' ') && !strncmp(c, "with ", 5));
    text_addc(&out, *c == ',' && depth == 0 && !laws ? ';' : *c);
  }
  const char *kept = arena_printf(p->arena, "{ %s%s }", text_str(&out), out.n && out.at[out.n - 1] == ';' ? "" : ";");
  text_free(&out);
  return kept;
}

// Parts of a contact in braces.
static bool part(Parse *p) {
  bool named = p->before.kind == TOK_NAME;
  if (now(p) == ':' && named) {
    Diag *d = say(p, p->now.at, "a part has its value behind '='");
    diag_help(d, "%s = %s;", text_of(p, p->before), rest(p, p->now.at.hi));
    return true;
  }
  if (now(p) != ',' || item(p, 0) == TOK_WITH) return false;
  Diag *d = say(p, p->now.at, "parts end with ';'");
  diag_help(d, "%s", parts_mended(p, innermost(p)->at.lo));
  return true;
}

static void contact_with_perp(Parse *p) {
  const SourceFile *f = p->file;
  Diag *d = say(p, p->now.at, "a contact has a multiplier of its own and an impact law");
  size_t colon = p->item[1].at.hi;
  while (colon < p->now.at.lo && f->text[colon] != ':') colon++;
  size_t gap = skip_blanks(f, colon + 1), zero = follows(f, gap, "0") ? skip_blanks(f, gap + 1) : gap;
  bool reversed = follows(f, zero, "<=");
  diag_help(d, "contact %s: %s%s with newton(0.5);", text_of(p, p->item[1]),
            trimmed(p, reversed ? zero + 2 : gap, p->now.at.lo), reversed ? " >= 0" : "");
}

// A constraint that is written as an inequality, as a comparison, or without its second side.
static void constraint_without_equality(Parse *p) {
  const SourceFile *f = p->file;
  size_t from = p->item[2].at.hi, hi = p->before.at.hi, at = hi;
  const char *sign[] = { ">=", "<=", "==", ">", "<" }, *name = text_of(p, p->item[1]);
  int which = -1;
  for (int k = 0; k < 5 && which < 0; k++)
    for (size_t i = from; i + strlen(sign[k]) <= hi && which < 0; i++)
      if (follows(f, i, sign[k])) { which = k; at = i; }
  if (which < 0) {
    Diag *d = problem(p, DIAG_E0118, between(p, hi, hi), "a constraint is an equality");
    diag_help(d, "constraint %s: %s = 0;", name, trimmed(p, from, hi));
    return;
  }
  size_t n = strlen(sign[which]);
  const char *a = trimmed(p, from, at), *b = trimmed(p, at + n, hi);
  Diag *d = problem(p, DIAG_E0118, between(p, at, at + n), "a constraint is an equality");
  const char *larger = which == 0 || which == 3 ? a : b, *smaller = which == 0 || which == 3 ? b : a;
  bool sum_ = strpbrk(smaller, "+-") != NULL;
  if (which == 2) diag_help(d, "constraint %s: %s = %s;", name, a, b);
  else if (!strcmp(smaller, "0"))
    diag_help(d, "an inequality is a contact: contact %s: %s >= 0 with newton(0.5);", name, larger);
  else
    diag_help(d, "an inequality is a contact: contact %s: %s - %s%s%s >= 0 with newton(0.5);", name, larger,
              sum_ ? "(" : "", smaller, sum_ ? ")" : "");
}

// Where the expression of a row without a name begins; 0 where it has one.
static size_t nameless(Parse *p) {
  bool sign = now(p) < 256 && strchr("^+-*/'<>.", now(p));
  if (p->item_n == 3 && item(p, 1) == TOK_NAME && sign) return p->item[1].at.lo;
  if (p->item_n > 4 && item(p, 1) == TOK_NAME && item(p, 2) == '[' && p->before.kind == ']' && (sign || now(p) == '='))
    return p->item[1].at.lo;                                                  // constraint x[1]^2 + y[1]^2 = L^2;
  return p->item_n == 2 && (now(p) == TOK_NUMBER || now(p) == '(' || now(p) == '-') ? p->now.at.lo : 0;
}

static bool row(Parse *p) {
  int kind = item(p, 0);
  if (inside(p, '{', TOK_CONTACT) || inside(p, '{', TOK_CONSTRAINT)) return part(p);
  if (!row_item(kind)) return false;
  size_t begin;
  if (kind == TOK_CONTACT && now(p) == TOK_PERP) contact_with_perp(p);
  else if (kind == TOK_CONTACT && item(p, 2) == ':' && (now(p) == TOK_LE || now(p) == '<'))
    diag_help(say(p, p->now.at, "a contact has one gap"),
              "two contacts, one for each side: x - a >= 0 and b - x >= 0");
  else if ((begin = nameless(p))) {
    const char *word = text_of(p, p->item[0]);
    Diag *d = say(p, p->item_n == 2 ? p->now.at : p->item[1].at,
                  arena_printf(p->arena, "a %s has a name in front, and ':'", word));
    diag_help(d, "%s NAME: %s;", word, rest(p, begin));
  } else if (kind == TOK_CONSTRAINT && item(p, 2) == ':' && p->item_n > 4 &&
             (now(p) == ';' || now(p) == '}' || now(p) == TOK_WITH)) constraint_without_equality(p);
  else return false;
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
    const char *right = rest(p, p->now.at.hi), *about = strstr(right, "±");
    if (about)
      diag_help(d, "abs(%s - %.*s) <= %s", trimmed(p, p->item[0].at.hi, p->now.at.lo),
                (int)(about - right) - (about > right && about[-1] == ' '), right,
                about + strlen("±") + strspn(about + strlen("±"), " "));
    else if (!strcmp(word, "expect"))
      diag_help(d, "numbers of a run agree within a tolerance: abs(%s - %s) <= 1e-6",
                trimmed(p, p->item[0].at.hi, p->now.at.lo), right);
    else diag_replace(d, "==");
  } else if (now(p) == TOK_ENERGY && p->before.kind == '(') {
    d = say(p, p->now.at, "the energies of a run are parts of `energy`");
    diag_help(d, "energy.%s; both together are energy", text_of(p, p->now));
  } else if ((now(p) == ':' && p->item_n == 3 && p->before.kind == TOK_NAME) || p->before.kind == TOK_STRING) {
    d = say(p, p->before.at, "a claim has no name in front, but a text behind it");
    diag_help(d, p->before.kind == TOK_NAME ? "%s %s \"%s\";" : "%s %s %s;", word,
              rest(p, now(p) == ':' ? p->now.at.hi : p->now.at.lo), text_of(p, p->before));
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
  bool every = item(p, 0) == TOK_TIMED && !strcmp(text_of(p, p->item[0]), "every");
  if (every && p->before.kind == TOK_NAME && now(p) == '=') {
    Diag *e = say(p, p->before.at, "what is sampled stands in braces");
    diag_help(e, "every 1 [ms] { %s; }", rest(p, p->before.at.lo));
    give_up_item(p);
    return true;
  }
  if (item(p, 0) != TOK_TIMED || (now(p) != TOK_THEN && now(p) != ':')) return false;
  Diag *d = say(p, p->now.at, "what happens at an event stands in braces");
  diag_help(d, every ? "every 1 [ms] { n = n + 1; }" : "when x > 1 { n = n + 1; }");
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

// --- declarations ---

// Where the bracket that is open at `at` closes, on its line.
static size_t bracket_of(const SourceFile *f, size_t at) {
  while (at < f->len && !strchr("];\n", f->text[at])) at++;
  return at;
}

// real m(start = 1);  x(0) = 1;  x(3) = ...
static Diag *declared_with_parentheses(Parse *p, const char *word, const char *name) {
  const SourceFile *f = p->file;
  size_t end = skip_bracket(f, p->now.at.lo), value = skip_blanks(f, end);
  const char *in = trimmed(p, p->now.at.hi, end - 1), *start = strstr(in, "start");
  bool given = follows(f, value, "=");
  Diag *d;
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
  return d;
}

static Diag *declared_with_minus(Parse *p) {
  const SourceFile *f = p->file;
  size_t hi = p->now.at.hi;
  while (hi < f->len && (f->text[hi] == '-' || is_name_char(f->text[hi]))) hi++;
  char *joined = arena_printf(p->arena, "%s", span_text(p, between(p, p->before.at.lo, hi)));
  for (char *c = joined; *c; c++)
    if (*c == '-') *c = '_';
  Diag *d = say(p, between(p, p->before.at.lo, hi), "a name has no '-'");
  diag_help(d, "%s", joined);
  return d;
}

// param Real m(unit = "kg") = 1;  param const k = 2;
static Diag *declared_with_type(Parse *p, const char *word, const char *name) {
  const SourceFile *f = p->file;
  const char *what, *help;
  if (!foreign_word(name, &what, &help)) return NULL;
  Diag *d = say(p, p->before.at, arena_printf(p->arena, "'%s': %s", name, what));
  size_t open = skip_blanks(f, p->now.at.hi), behind = follows(f, open, "(") ? skip_bracket(f, open) : open;
  bool value = follows(f, behind, "=") || follows(f, skip_blanks(f, behind), "=");
  if (behind > open) diag_help(d, "%s %s : UNIT%s%s;", word, text_of(p, p->now), value ? " " : "",
                               value ? rest(p, skip_blanks(f, behind)) : "");   // attributes: unit, start, min
  else diag_help(d, "%s %s;", word, rest(p, p->now.at.lo));
  return d;
}

// A colon or a bracket that is read otherwise here: before units, lengths, ranges.
static Diag *declared_with_colon(Parse *p, const char *word) {
  const SourceFile *f = p->file;
  Diag *d;
  if (now(p) == '[') {
    size_t end = skip_bracket(f, p->now.at.lo);
    d = say(p, p->now.at, "a unit behind ':' has no brackets");
    diag_help(d, "%s : %s", text_of(p, p->before2), trimmed(p, p->now.at.hi, end - 1));
  } else if (p->before2.kind == '[' && !saw(p, '=')) {
    size_t end = bracket_of(f, p->now.at.hi);
    d = say(p, p->now.at, "an array is declared with its length; its indices begin with 1");
    diag_help(d, "%s %s[%s];", word, text_of(p, p->item[1]), trimmed(p, p->now.at.hi, end));
  } else if (saw(p, '=') && strspn(rest(p, p->now.at.hi), "0123456789.: ") == strlen(rest(p, p->now.at.hi))) {
    d = say(p, p->now.at, "a range is no value");
    diag_help(d, "the elements are written one by one: [1, 2, 3]");
  } else {
    d = say(p, p->now.at, "a unit stands behind the name, or in brackets behind the number");
    diag_help(d, "%s [%s]", text_of(p, p->before), rest(p, p->now.at.hi));
  }
  return d;
}

static bool declaration(Parse *p) {
  if (item(p, 0) != TOK_DECLARE || p->item_n < 2 || (now(p) == ':' && p->before2.kind == TOK_IN)) return false;
  const char *word = text_of(p, p->item[0]), *name = text_of(p, p->before);
  bool named = p->before.kind == TOK_NAME || p->before.kind == '\'',
       in_list = p->before2.kind == TOK_DECLARE || p->before2.kind == ',';
  Diag *d = NULL;
  if (now(p) == '(' && named) d = declared_with_parentheses(p, word, name);
  else if (now(p) == '-' && named && p->now.at.lo == p->before.at.hi && in_list) d = declared_with_minus(p);
  else if (now(p) == TOK_NUMBER && named && in_list) {
    d = say(p, between(p, p->before.at.hi, p->before.at.hi), "a value is given with '='");
    diag_help(d, "%s %s = %s;", word, name, rest(p, p->now.at.lo));
  } else if (now(p) == TOK_NAME && named && in_list) d = declared_with_type(p, word, name);
  else if (now(p) == TOK_DECLARE && p->before.kind == ',') {
    d = say(p, p->now.at, arena_printf(p->arena, "the word stands once, in front of the list: '%s'", word));
    diag_help(d, "%s a = 1, b = 2; or two items, each with its ';'", word);
  } else if ((now(p) == '[' && p->before.kind == ':') || (now(p) == ':' && p->before.kind == TOK_NUMBER))
    d = declared_with_colon(p, word);
  else if (now(p) == TOK_NUMBER && p->before.kind == ',' && p->before2.kind == TOK_NUMBER &&
           p->before.at.hi == p->now.at.lo && p->before2.at.hi == p->before.at.lo) {
    d = say(p, p->before.at, "a number has a decimal point");
    diag_help(d, "%s.%s", text_of(p, p->before2), text_of(p, p->now));
  } else if (now(p) == '[' && p->item_n == 2) {
    d = say(p, between(p, p->item[0].at.hi, p->item[0].at.hi),
            arena_printf(p->arena, "a name is missing after '%s'", word));
    diag_help(d, "%s NAME = %s;", word, rest(p, p->now.at.lo));
  }
  if (!d) return false;
  give_up_item(p);
  return true;
}

// --- instances ---

static bool instance(Parse *p) {
  Diag *d = NULL;
  if (item(p, 0) == TOK_NAME && item(p, 1) == TOK_NAME &&
      !foreign_word(text_of(p, p->item[0]), &(const char *){NULL}, &(const char *){NULL})) {
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
      d = say(p, between(p, p->before.at.hi, p->before.at.hi),
              "a family of instances has its arguments in parentheses");
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

bool foreign_item(Parse *p) {
  return timed(p) || simulate(p) || energy(p) || force(p) || laws(p) || row(p) || claim(p) || declaration(p) ||
         instance(p);
}
