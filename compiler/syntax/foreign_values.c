// Forms of other languages in expressions: choices, sums, vectors, units, products, calls (see foreign.c).
#include "foreign.h"

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
  } else if (now(p) == TOK_NAME && (word_is(p, p->now, "elif") || word_is(p, p->now, "elseif") ||
                                    word_is(p, p->now, "elsif"))) {
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
  if (!open || open->bracket != '[' || open->before.kind != TOK_NAME) return false;      // an item may begin with [
  if (now(p) != TOK_IN || p->before.kind != TOK_NAME) return false;
  size_t end = skip_bracket(p->file, open->at.lo) - 1;
  const char *index = text_of(p, p->before), *range = trimmed(p, open->at.hi, end), *name = text_of(p, open->before);
  Diag *d = say(p, p->now.at, "statements for all elements stand in a loop");
  diag_help(d, "for %s { ... %s[%s] ...; }", range, name, index);
  give_up_item(p);
  return true;
}

static bool sum(Parse *p) {
  const Open *open = innermost(p);
  bool in_sum = open && open->bracket == '(' && open->before.kind == TOK_SUM;
  if (!in_sum || (now(p) != ',' && now(p) != TOK_FOR)) return false;
  size_t end = skip_bracket(p->file, open->at.lo) - 1;
  const char *head = trimmed(p, open->at.hi, p->now.at.lo), *tail = trimmed(p, p->now.at.hi, end);
  Diag *d = say(p, p->now.at, "a sum has its index and range in parentheses, and its terms behind them");
  if (now(p) == TOK_FOR) diag_help(d, "sum(%s) %s", tail, head);
  else if (strstr(head, " in ")) diag_help(d, "sum(%s) %s", head, tail);
  else diag_help(d, "sum(i in 1:n) x[i]");
  give_up_item(p);
  return true;
}

// --- values ---

// m/s^2: does the sign at `hi` join two units?
static bool unit_goes_on(Parse *p, size_t lo, size_t hi) {
  char c = p->file->text[hi];
  if (c == '-') return hi > lo && p->file->text[hi - 1] == '^';
  return strchr("*/^", c) && c && looks_like_unit(span_text(p, between(p, lo, hi))) &&
         is_name_char(p->file->text[hi + 1]);
}

// A list in brackets whose elements are separated in another way.
static bool list(Parse *p) {
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
    if (memchr(f->text + p->now.at.lo, ';', closed - p->now.at.lo))
      diag_help(d, "the rows of a matrix are vectors: [[1, 2], [3, 4]]");
    else diag_help(d, "%s, %s", text_of(p, p->before), text_of(p, p->now));
    give_up(p, skip_item(f, closed));
    return true;
  }
  if (now(p) == TOK_FOR && open && open->bracket == '[' && is_value_end(p->before.kind)) {
    d = say(p, p->now.at, "a list has no loop in it");
    diag_help(d, "its elements are written one by one; or write what they are where they are used");
    give_up(p, skip_item(f, closed));
    return true;
  }
  return false;
}

// {l[1:2] : ...} in place of {l : ...}.
static bool part_of_set(Parse *p) {
  const Open *open = innermost(p);
  if (now(p) != '[' || p->before.kind != TOK_NAME || p->before2.kind != '{' || open->before.kind != '(') return false;
  const char *name = text_of(p, p->before);
  Diag *d = say(p, p->now.at, "the set of a polyhedron has the name of the whole vector");
  diag_help(d, "normal_cone({%s : %s[1] + %s[2] <= 1}, %s[1:2])", name, name, name, name);
  give_up(p, skip_item(p->file, skip_bracket(p->file, open->at.lo)));
  return true;
}

// Brackets of another kind.
static Diag *brackets(Parse *p) {
  const Open *open = innermost(p);
  const SourceFile *f = p->file;
  Diag *d = NULL;
  if (now(p) == ':' && open && open->bracket == '(' && open->before.kind == TOK_NAME &&
             is_value_end(p->before.kind)) {
    size_t end = skip_bracket(f, open->at.lo);
    d = say(p, open->at, "elements are taken one by one, with an index in brackets");
    diag_help(d, "for i in %s { ... %s[i] ... }", trimmed(p, open->at.hi, end - 1), text_of(p, open->before));
  } else if (now(p) == '{' && (p->before.kind == '=' || p->before.kind == ',' || p->before.kind == '(')) {
    size_t end = skip_bracket(f, p->now.at.lo);
    const char *in = trimmed(p, p->now.at.hi, end - 1);
    if (strchr(in, ':')) {
      d = say(p, p->now.at, "there are no tables with names");
      diag_help(d, "each is a parameter: param m = 1, k = 2;");
    } else {
      d = say(p, p->now.at, "a vector stands in brackets");
      diag_help(d, "[%s]", in);
    }
  } else if (now(p) == ',' && open && open->bracket == '(' && !is_value_end(open->before.kind) &&
             (p->item[0].kind == TOK_DECLARE || open->before.kind == '=')) {
    size_t end = skip_bracket(f, open->at.lo);
    d = say(p, open->at, "a vector stands in brackets");
    diag_help(d, "[%s]", trimmed(p, open->at.hi, end - 1));
  }
  return d;
}

// A number, and a unit or a factor behind it.
static Diag *behind_number(Parse *p) {
  const SourceFile *f = p->file;
  Diag *d = NULL;
  if ((now(p) == '(' || now(p) == '{') && p->before.kind == TOK_NUMBER) {
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
    if (!looks_like_unit(unit)) return NULL;
    d = problem(p, DIAG_E0101, between(p, p->before.at.hi, p->before.at.hi),
                "something is missing between '%s' and '%s'", number, text_of(p, p->now));
    diag_help(d, "a unit stands in brackets: %s [%s]; a product needs its sign: %s*%s", number, unit, number,
              text_of(p, p->now));
  }
  return d;
}

// A function, and what it is called with.
static Diag *calls(Parse *p) {
  const SourceFile *f = p->file;
  Diag *d = NULL;
  if (now(p) == '(' && p->before.kind == TOK_NAME && p->before2.kind == '.') {
    size_t lo = p->before2.at.lo;
    while (lo > 0 && (f->text[lo - 1] == '.' || is_name_char(f->text[lo - 1]))) lo--;
    d = say(p, between(p, lo, p->before.at.hi), "functions have no prefix");
    diag_help(d, "%s(...)", text_of(p, p->before));
  } else if (p->before.kind == TOK_NAME && (now(p) == TOK_NAME || now(p) == TOK_NUMBER) && p->item_n > 3 &&
             (is_function_name(text_of(p, p->before)) || is_law_name(text_of(p, p->before)))) {
    const char *what = is_law_name(text_of(p, p->before)) ? "law" : "function";
    d = problem(p, DIAG_E0121, between(p, p->before.at.hi, p->before.at.hi), "a %s has its arguments in parentheses",
                what);
    diag_help(d, "%s(%s)", text_of(p, p->before), text_of(p, p->now));
  } else if (now(p) == '(' && p->before.kind == ')') {
    d = problem(p, DIAG_E0101, between(p, p->before.at.hi, p->before.at.hi), "a product needs its sign");
    diag_help(d, "(...)*(...)");
  }
  return d;
}

// Signs.
static Diag *signs(Parse *p) {
  const SourceFile *f = p->file;
  Diag *d = NULL;
  if (p->before.kind == '.' && (now(p) == '*' || now(p) == '/' || now(p) == '^')) {
    d = say(p, between(p, p->before.at.lo, p->now.at.hi), "there are no operations element by element");
    diag_help(d, "the scalar product is dot(a, b); elements are written one by one: [a[1]*b[1], a[2]*b[2]]");
  } else if ((p->before.kind == '+' && now(p) == ';' && p->before2.kind == '+') ||
             (p->before.kind == '-' && now(p) == ';' && p->before2.kind == '-')) {
    d = say(p, between(p, p->before2.at.lo, p->before.at.hi), "nothing is counted up while a model runs");
    diag_help(d, "what changes in time is a state: x' = 1;");
  } else if ((now(p) == TOK_LE || now(p) == TOK_GE || now(p) == '<' || now(p) == '>') && p->before.kind == ')' &&
             (item(p, 0) == TOK_WITH ||
              (item(p, 0) == TOK_CONTACT && find_word(f, p->item[0].at.lo, p->now.at.lo, "with") < p->now.at.lo))) {
    d = say(p, p->now.at, "a law has a name, its inequalities are not written");
    diag_help(d, "with newton(0.5), coulomb(0.3)");
  }
  return d;
}

// Words for signs, and functions without a name.
static Diag *words(Parse *p) {
  Diag *d = NULL;
  if (word_is(p, p->now, "is") && is_value_end(p->before.kind)) {
    d = say(p, p->now.at, "'is' is written '=='");
    diag_replace(d, "==");
  } else if (word_is(p, p->now, "xor") && is_value_end(p->before.kind)) {
    d = say(p, p->now.at, "conditions are joined by and, or, not");
    diag_help(d, "(a and not b) or (b and not a)");
  } else if (now(p) == '>' && p->before.kind == '-' && p->before.at.hi == p->now.at.lo) {
    d = say(p, between(p, p->before.at.lo, p->now.at.hi), "'->' has no meaning here");
    diag_help(d, "an equation reads x' = ...;");
  } else if (word_is(p, p->before, "lambda") && now(p) == TOK_NAME) {
    d = say(p, p->before.at, "functions are one expression, at file level");
    diag_help(d, "function f(%s) = ...;", text_of(p, p->now));
  }
  return d;
}

// Where another item should begin.
static Diag *ends(Parse *p) {
  const Open *open = innermost(p);
  Diag *d = NULL;
  if (now(p) == ',' && (!open || open->bracket == '{') && item(p, 0) == TOK_NAME &&
             is_value_end(p->before.kind)) {
    d = problem(p, DIAG_E0102, p->now.at, "an item ends with ';', not with ','");
    diag_replace(d, ";");
  } else if (now(p) == ';' && item(p, 0) == TOK_TIMED && is_value_end(p->before.kind)) {
    d = say(p, p->now.at, "what happens then stands in braces");
    diag_help(d, "%s { ... }", trimmed(p, p->item[0].at.lo, p->now.at.lo));
  } else if (now(p) == '=' && item(p, 0) == TOK_NAME && p->item_n > 3 && is_value_end(p->before.kind) && saw(p, '=') &&
             (!open || open->bracket == '{')) {
    d = problem(p, DIAG_E0115, p->now.at, "an equation has two sides");
    diag_help(d, "two equations, each with its ';'; to compare, write ==");
  }
  return d;
}

static bool value(Parse *p) {
  static Diag *(*const rule[])(Parse *) = { brackets, behind_number, calls, signs, words, ends };
  Diag *d = NULL;
  if (list(p) || part_of_set(p)) return true;
  for (size_t i = 0; i < sizeof rule / sizeof *rule && !d; i++) d = rule[i](p);
  if (!d) return false;
  give_up_item(p);
  return true;
}

bool foreign_value(Parse *p) { return choice(p) || sum(p) || loop_in_index(p) || value(p); }
