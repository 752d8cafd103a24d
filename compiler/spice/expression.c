// Values and expressions. SPICE knows no units: in an expression a voltage is the number of its volts.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "netlist.h"

const char *spice_quantity(Arena *a, double x, const char *unit) {
  static const struct { const char *prefix; double scale; } all[] = {
    { "p", 1e-12 }, { "n", 1e-9 }, { "u", 1e-6 }, { "m", 1e-3 }, { "", 1 }, { "k", 1e3 }, { "M", 1e6 } };
  Text t = { 0 };
  int best = 4;
  bool prefixed = isalpha((unsigned char)*unit);           // not 1/s
  for (int i = 0; x != 0 && prefixed && i < 7; i++)
    if (fabs(x) >= all[i].scale * 0.9999999999) best = i;
  if (x != 0 && prefixed && fabs(x) < 1e-12) best = 0;
  char short_form[40];
  snprintf(short_form, sizeof short_form, "%.12g", x / all[best].scale);
  text_add(&t, short_form);
  if (*unit) text_printf(&t, " [%s%s]", all[best].prefix, unit);
  const char *kept = arena_strndup(a, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

// "v ( a , b )" -> a, b; i: 0 for v.
static void probe(Arena *a, const char *text, const char **first, const char **second) {
  const char *open = strchr(text, '(') + 1;
  char *inside = arena_strndup(a, open, strcspn(open, ")")), *comma = strchr(inside, ',');
  *second = NULL;
  if (comma) {
    *comma++ = 0;
    comma += strspn(comma, " \t");
    comma[strcspn(comma, " \t")] = 0;
    *second = comma;
  }
  inside += strspn(inside, " \t");
  inside[strcspn(inside, " \t")] = 0;
  *first = inside;
}

static const char *measured(Spice *s, Names *n, const Ex *e) {
  const char *first, *second;
  probe(s->a, e->text, &first, &second);
  if (*e->text == 'v') {
    const char *a = spice_known(n, "node", first), *b = second ? spice_known(n, "node", second) : "gnd";
    if (a && b) return arena_printf(s->a, "(%s - %s)/1 [V]", a, b);
    spice_fail(s, e->span, "there is no node `%s` in this circuit", a ? second : first);
    return "0";
  }
  const char *part = spice_known(n, "part", first);
  for (size_t i = 0; part && i < s->in->cards.n; i++)
    if (!strcmp(s->in->cards.at[i].item[0].text, first) && spice_is_tight(s->in, &s->in->cards.at[i])) {
      spice_fail(s, e->span, "the current of `%s` is shared with the coils it is coupled with by 1: write 0.99999",
                 first);
      return "0";
    }
  if (part && strchr("vlehrcfgib", *first)) return arena_printf(s->a, "%s.i/1 [A]", part);
  spice_fail(s, e->span, "the current of an R, C, L, V, I or controlled source can be read here; there is no such part "
             "`%s`", first);
  return "0";
}

static const char *written(Spice *s, Names *n, const Ex *e);

// A condition: what is no comparison holds above 0.5, as in LTspice.
static const char *truth_of(Spice *s, const Ex *e, const char *as) {
  static const char *const truths[] = { "or", "and", "==", "!=", "<", ">", "<=", ">=", "not" };
  bool truth = false;
  for (size_t i = 0; (e->kind == EX_BINARY || e->kind == EX_NOT) && i < sizeof truths / sizeof *truths; i++)
    truth |= !strcmp(truths[i], e->text);
  return truth ? as : arena_printf(s->a, "(%s) > 0.5", as);
}

// .func name(a, b) {expression}: the expression with what the arguments stand for. NULL: there is no such function.
static const char *own_function(Spice *s, Names *n, const Ex *e) {
  enum { MOST_DEEP = 32, MOST = SPICE_ARGUMENTS };
  const Card *f = NULL;
  for (size_t i = 0; i < s->functions.n; i++) {
    const Card *c = &s->functions.at[i];
    if (c->n > 2 && c->item[1].text && !strcmp(c->item[1].text, e->text)) f = c;
  }
  if (!f) return NULL;
  int takes = f->n - 3;
  const char *text = "0";
  if (!f->item[f->n - 1].ex) spice_fail(s, f->span, "a function is `.func name(x) {expression}`");
  else if (takes != e->n || takes > MOST)
    spice_fail(s, e->span, "%s takes %d argument%s", e->text, takes, takes == 1 ? "" : "s");
  else if (s->deep >= MOST_DEEP) spice_fail(s, e->span, "the function `%s` calls itself", e->text);
  else {
    Given given[MOST];
    for (int i = 0; i < takes; i++) {
      const char *as = written(s, n, e->part[i]);
      given[i] = (Given){ f->item[2 + i].text ? f->item[2 + i].text : "",
                          arena_printf(s->a, "(%s)", as), i ? &given[i - 1] : NULL };
    }
    const Given *outside = s->given;
    s->given = takes ? &given[takes - 1] : NULL;
    s->deep++;
    text = arena_printf(s->a, "(%s)", written(s, n, f->item[f->n - 1].ex));
    s->deep--;
    s->given = outside;
  }
  return text;
}

// limit(x, low, high); if(x, yes, no); table(x, x1, y1, ...), constant outside of its points; int and pwrs, which read
// their argument twice. NULL: it is none of these.
static const char *of_several(Spice *s, Names *n, const Ex *e) {
  const char *part[SPICE_ARGUMENTS], *x = "", *y = "";
  bool is_if = !strcmp(e->text, "if") || !strcmp(e->text, "ternary_fcn");
  bool is_table = !strcmp(e->text, "table") || !strcmp(e->text, "pwl");
  bool is_limit = !strcmp(e->text, "limit"), is_int = !strcmp(e->text, "int"), is_pwrs = !strcmp(e->text, "pwrs");
  bool good = (is_if && e->n == 3) || (is_limit && e->n == 3) || (is_int && e->n == 1) || (is_pwrs && e->n == 2) ||
              (is_table && e->n > 4 && e->n % 2 == 1);
  if (!good) return NULL;
  for (int i = 0; i < e->n; i++) part[i] = written(s, n, e->part[i]);
  if (is_limit)
    return arena_printf(s->a, "max(min(%s, %s), min(max(%s, %s), %s))", part[1], part[2], part[1], part[2], part[0]);
  const char *truth = is_if ? truth_of(s, e->part[0], part[0]) : "";
  if (is_if) return arena_printf(s->a, "(if %s then %s else %s)", truth, part[1], part[2]);
  if (is_int) return arena_printf(s->a, "(sign(%s)*floor(abs(%s)))", part[0], part[0]);
  if (is_pwrs) return arena_printf(s->a, "(sign(%s)*abs(%s)^(%s))", part[0], part[0], part[1]);
  for (int i = 1; i < e->n; i += 2) {
    x = arena_printf(s->a, "%s%s%s", x, i > 1 ? ", " : "", part[i]);
    y = arena_printf(s->a, "%s%s%s", y, i > 1 ? ", " : "", part[i + 1]);
  }
  return arena_printf(s->a, "table(min(max(%s, %s), %s), [%s], [%s])", part[0], part[1], part[e->n - 2], x, y);
}

static const char *call(Spice *s, Names *n, const Ex *e) {
  static const struct { const char *from, *to; int n; } all[] = {
    { "abs", "abs(%s)", 1 },   { "sqrt", "sqrt(%s)", 1 }, { "exp", "exp(%s)", 1 },   { "ln", "log(%s)", 1 },
    { "log", "log(%s)", 1 },   { "sin", "sin(%s)", 1 },   { "cos", "cos(%s)", 1 },   { "tan", "tan(%s)", 1 },
    { "atan", "atan(%s)", 1 }, { "asin", "asin(%s)", 1 }, { "acos", "acos(%s)", 1 }, { "sinh", "sinh(%s)", 1 },
    { "cosh", "cosh(%s)", 1 }, { "tanh", "tanh(%s)", 1 }, { "sgn", "sign(%s)", 1 },  { "floor", "floor(%s)", 1 },
    { "log10", "log(%s)/log(10)", 1 }, { "u", "(if %s > 0 then 1 else 0)", 1 }, { "uramp", "max(%s, 0)", 1 },
    { "min", "min(%s, %s)", 2 }, { "max", "max(%s, %s)", 2 }, { "pow", "(%s)^(%s)", 2 },
    { "pwr", "abs(%s)^(%s)", 2 }, { "atan2", "atan2(%s, %s)", 2 }, { "arctan", "atan(%s)", 1 },
    { "ceil", "(-floor(-(%s)))", 1 }, { "round", "floor(%s + 0.5)", 1 }, { "nint", "floor(%s + 0.5)", 1 },
    { "stp", "(if %s > 0 then 1 else 0)", 1 },
    { "square", "(%s)^2", 1 }, { "sqr", "(%s)^2", 1 }, { "hypot", "sqrt((%s)^2 + (%s)^2)", 2 },
    { "cbrt", "(%s)^(1/3)", 1 }, { "buf", "(if %s > 0.5 then 1 else 0)", 1 },
    { "inv", "(if %s > 0.5 then 0 else 1)", 1 } };
  if (strchr(e->text, '(')) return measured(s, n, e);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(all[i].from, e->text)) continue;
    if (e->n != all[i].n) {
      spice_fail(s, e->span, "%s takes %d argument%s", e->text, all[i].n, all[i].n == 1 ? "" : "s");
      return "0";
    }
    const char *hole = strstr(all[i].to, "%s"), *next = strstr(hole + 2, "%s"), *x = written(s, n, e->part[0]);
    if (all[i].n == 1) return arena_printf(s->a, "%.*s%s%s", (int)(hole - all[i].to), all[i].to, x, hole + 2);
    return arena_printf(s->a, "%.*s%s%.*s%s%s", (int)(hole - all[i].to), all[i].to, x, (int)(next - hole - 2), hole + 2,
                        written(s, n, e->part[1]), next + 2);
  }
  const char *several = of_several(s, n, e);
  if (several) return several;
  const char *own = own_function(s, n, e);
  if (own) return own;
  spice_fail(s, e->span, "the function `%s` is not taken", e->text);
  return "0";
}

static int strength(const Ex *e) {
  static const char *const rank[] = { "or", "and", "== != < > <= >=", "+ -", "* /", "^" };
  if (e->kind == EX_IF) return 0;
  if (e->kind == EX_MINUS || e->kind == EX_NOT) return 4;
  if (e->kind != EX_BINARY) return e->kind == EX_CALL && strchr(e->text, '(') ? 5 : 9;
  for (int i = 0; i < 6; i++)
    if (strstr(rank[i], e->text)) return i + 1;
  return 9;
}

static const char *within(Spice *s, Names *n, const Ex *e, int least) {
  const char *text = written(s, n, e);
  return strength(e) < least ? arena_printf(s->a, "(%s)", text) : text;
}

static const char *written(Spice *s, Names *n, const Ex *e) {
  int k = strength(e);
  switch (e->kind) {
  case EX_NUMBER: return spice_quantity(s->a, e->number, "");
  case EX_NAME:
    for (const Given *g = s->given; g; g = g->next)
      if (!strcmp(g->name, e->text)) return g->as;
    if (!strcmp(e->text, "time")) return "(time/1 [s])";
    if (!strcmp(e->text, "pi")) return "pi";
    if (spice_known(n, "param", e->text)) return spice_known(n, "param", e->text);
    if (!strcmp(e->text, "temper") || !strcmp(e->text, "temp")) return spice_quantity(s->a, s->temperature, "");
    spice_fail(s, e->span, "there is no parameter `%s`", e->text);
    return "0";
  case EX_CALL: return call(s, n, e);
  case EX_MINUS: return arena_printf(s->a, "-%s", within(s, n, e->part[0], 5));
  case EX_NOT: return arena_printf(s->a, "not %s", within(s, n, e->part[0], 9));
  case EX_IF:
    return arena_printf(s->a, "if %s then %s else %s", truth_of(s, e->part[0], within(s, n, e->part[0], 1)),
                        within(s, n, e->part[1], 1),
                        written(s, n, e->part[2]));
  case EX_BINARY:
    return arena_printf(s->a, strchr("*/^", *e->text) ? "%s%s%s" : "%s %s %s", within(s, n, e->part[0], k), e->text,
                        within(s, n, e->part[1], k + 1));
  }
  return "0";
}


// "4k7", "1r5": digits, letters, digits.
static bool digits_around(const char *text) {
  static const char *const digits = "0123456789";
  size_t before = strspn(text, digits), letters = strspn(text + before, "rkmgunpf"), behind;
  behind = strspn(text + before + letters, digits);
  return before && letters && behind && !text[before + letters + behind];
}

const char *spice_value(Spice *s, Names *n, Item *i, const char *unit) {
  i->taken = true;
  if (i->is_number) return spice_quantity(s->a, i->number, unit);
  if (i->ex && i->ex->kind == EX_NUMBER) return spice_quantity(s->a, i->ex->number, unit);
  if (i->ex) {
    const char *text = written(s, n, i->ex);
    if (i->ex->kind == EX_NAME && strcmp(i->ex->text, "time")) text = arena_printf(s->a, "%s", text);
    return *unit ? arena_printf(s->a, strength(i->ex) < 5 ? "(%s)*1 [%s]" : "%s*1 [%s]", text, unit) : text;
  }
  const char *known = spice_known(n, "param", i->text);
  if (known) return *unit ? arena_printf(s->a, "%s*1 [%s]", known, unit) : known;
  if (i->text && digits_around(i->text))
    spice_fail(s, i->span, "`%s`: digits behind a suffix are 4.7k to some tools and 4k to others; write 4.7k", i->as);
  else spice_fail(s, i->span, "a value stands here: a number, as 4.7k, or an expression in braces");
  return "0";
}
