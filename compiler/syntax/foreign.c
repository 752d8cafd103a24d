// Forms of other languages, by the kind of item in which they stand: each rule sees the tokens of the item so far and
// the text, says what is written here, and gives up the rest of the item. Words are in foreign_words.def. Here: what
// stands at file level, words at the start of an item, loops; foreign_items.c has the items of a model,
// foreign_values.c values.
#include "foreign.h"

// --- words at the start of an item ---

// Behind the lines that are indented below a line that ends here, as the body of a Python function.
static size_t indented(const SourceFile *f, size_t line) {
  while (line < f->len && strchr(" \t\n", f->text[line + 1]) && f->text[line + 1]) line = skip_line(f, line + 1);
  return line;
}

static bool word(Parse *p) {
  const char *what, *help;
  if (item(p, 0) != TOK_NAME || p->item_n > 12 || !foreign_word(text_of(p, p->item[0]), &what, &help)) return false;
  int next = item(p, 1);
  if (inside(p, '{', TOK_SIMULATE) || inside(p, '{', TOK_CONTACT) || inside(p, '{', TOK_CONSTRAINT)) return false;
  bool quantity = next == '=' || next == '\'' || next == '[' || next == '.' || next == '*' || next == '/' ||
                  next == '+' || next == '-' || next == '^' || next == TOK_EQ;
  if (quantity || p->item_n < 2) return false;
  Diag *d = problem(p, DIAG_E0121, p->item[0].at, "%s: %s", arena_printf(p->arena, "'%s'", text_of(p, p->item[0])),
                    what);
  diag_help(d, "%s", help);
  p->outside |= p->open.n == 0;
  p->stopped |= p->open.n == 0 && word_is(p, p->item[0], "connector");                   // a file of Modelica
  size_t end = skip_item(p->file, p->item[0].at.hi), line = skip_line(p->file, p->item[0].at.hi);
  bool heading = now(p) == ':' || p->open.n == 0;          // def f(x):   from a import b
  if (heading && line < end && now(p) != '{') end = indented(p->file, line);
  give_up(p, now(p) == '{' && end > 0 && p->file->text[end - 1] == '}' ? end - 1 : end);
  return true;
}

// --- files and models ---

// .tran 1u 10m, R1 in out 1k: lines of a netlist; * its title.
static bool netlist(Parse *p) {
  bool directive = now(p) == '.' && p->item_n == 1,
       title = now(p) == '*' && p->item_n == 1 && p->open.n == 0 && !p->problems && !p->before.kind,
       part = p->open.n > 0 && p->item_n == 3 && item(p, 1) == TOK_NAME && now(p) == TOK_NAME &&
              names_part(text_of(p, p->item[0])) && skip_line(p->file, p->item[0].at.lo) > p->now.at.lo;
  if (!directive && !title && !part) return false;
  Diag *d = say(p, part ? p->item[0].at : p->now.at,
                "this looks like a netlist: parts stand in a model, between nodes");
  if (part) {
    diag_help(d, "import \"std/circuit.nsm\"; then Resistor R1(a = in1, b = out1, R = 1 [kohm]);");
    give_up_item(p);
    return true;
  }
  diag_help(d, NETLIST_HELP);
  if (p->open.n == 0) p->stopped = true;
  else give_up_item(p);
  return true;
}

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
  size_t end = find_word(p->file, p->now.at.hi, p->file->len, "end"),
      models = find_word(p->file, p->now.at.hi, end, "model");
  if (matlab && end < p->file->len && models == end) give_up(p, end + 3);
  else give_up_item(p);
  return true;
}

static bool import(Parse *p) {
  if (item(p, 0) == TOK_IMPORT && p->item_n == 3 && word_is(p, p->now, "as")) {
    Diag *d = say(p, p->now.at, "what a file declares keeps its names");
    diag_help(d, "import %s;", text_of(p, p->before));
    give_up_item(p);
    return true;
  }
  if (item(p, 0) != TOK_IMPORT || p->item_n != 2 || now(p) == TOK_STRING || now(p) == TOK_END) return false;
  size_t line = skip_line(p->file, p->now.at.lo), end = skip_item(p->file, p->now.at.lo);
  const char *what = trimmed(p, p->now.at.lo, line < end ? line : end);
  int std = !strncmp(what, "std.", 4) || !strncmp(what, "std/", 4) ? 4 : 0;
  Diag *d = say(p, p->now.at, "a file is imported by its name in quotes");
  if (!strncmp(what, "numpy", 5) || !strncmp(what, "math", 4) || !strncmp(what, "scipy", 5))
    diag_help(d, "leave it out: sqrt, sin, exp, norm and their like are there; files: import \"std/diode.nsm\";");
  else if (!strncmp(what, "siconos", 7)) diag_help(d, "nsm is a language of its own: model NAME { ... }");
  else if (strpbrk(what, " ,")) diag_help(d, "import \"std/diode.nsm\";");
  else if (strstr(what, ".nsm")) diag_help(d, "import \"%s\";", what[0] == '\'' ? "FILE.nsm" : what);
  else diag_help(d, "import \"std/%s.nsm\"; or the path of a file", what + std);
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
    if (f->text[end] == '{' && strchr(range, ':') && !strchr(range, ' '))
      diag_help(d, "for %s in %s { ... }", name, range);
    else diag_help(d, "for %s in 1:n { ... }", name);
  } else if (p->item_n > 3 && find_word(f, p->item[0].at.lo, p->now.at.lo, "range") < p->now.at.lo) {
    d = say(p, p->item[0].at, "a loop runs over a range from a to b");
    diag_help(d, "for %s in 1:n { ... }; indices count from 1", name);
  } else if (p->item_n > 3 && now(p) == ':') {
    d = say(p, p->now.at, "a range has a start and an end, its step is 1");
    diag_help(d, "for other steps compute the index: x[2*%s - 1]", name);
  } else if (p->item_n > 3 && (now(p) == TOK_NAME || starts_item(now(p))) && is_value_end(p->before.kind)) {
    d = say(p, between(p, p->before.at.hi, p->before.at.hi), "the items of a loop stand in braces");
    diag_help(d, "for %s in 1:n { ... }", name);
  }
  if (!d) return false;
  size_t brace = p->now.at.lo, end;
  while (brace < f->len && !strchr("{};", f->text[brace]))
    brace = f->text[brace] == '(' ? skip_bracket(f, brace) : brace + 1;
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
    size_t after = skip_blanks(f, end + 1);              // the '}' of the block that has no '{'
    if (end < f->len && f->text[after] == '}' && extra_brace(p, end)) end = after + 1;
    else if (end < f->len && f->text[end] == '}' && extra_brace(p, end)) end++;
  }
  give_up(p, end);
  return true;
}

bool foreign_form(Parse *p) {
  return no_model(p) || netlist(p) || word(p) || model_head(p) || function(p) || import(p) || loop(p) ||
         foreign_item(p) || foreign_value(p);
}
