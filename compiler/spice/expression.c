// Values and expressions. SPICE knows no units: in an expression a voltage is the number of its volts.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "netlist.h"

const char *spice_quantity(Arena *a, double x, const char *unit) {
  static const struct { const char *prefix; double scale; } all[] = {
    { "p", 1e-12 }, { "n", 1e-9 }, { "u", 1e-6 }, { "m", 1e-3 }, { "", 1 }, { "k", 1e3 }, { "M", 1e6 } };
  Text t = { 0 };
  int best = 4;
  for (int i = 0; x != 0 && *unit && i < 7; i++)
    if (fabs(x) >= all[i].scale * 0.9999999999) best = i;
  if (x != 0 && *unit && fabs(x) < 1e-12) best = 0;
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
  if (part && (*first == 'v' || *first == 'l' || *first == 'e' || *first == 'h'))
    return arena_printf(s->a, "%s.i/1 [A]", part);
  spice_fail(s, e->span, "the current of a V, L, E or H can be read here; there is no such part `%s`", first);
  return "0";
}

static const char *written(Spice *s, Names *n, const Ex *e);

// .func name(a, b) {expression}: the expression with what the arguments stand for. NULL: there is no such function.
static const char *own_function(Spice *s, Names *n, const Ex *e) {
  enum { MOST_DEEP = 32 };
  const Card *f = NULL;
  for (size_t i = 0; i < s->functions.n; i++) {
    const Card *c = &s->functions.at[i];
    if (c->n > 2 && c->item[1].text && !strcmp(c->item[1].text, e->text)) f = c;
  }
  if (!f) return NULL;
  int takes = f->n - 3;
  const char *text = "0";
  if (!f->item[f->n - 1].ex) spice_fail(s, f->span, "a function is `.func name(x) {expression}`");
  else if (takes != e->n)
    spice_fail(s, e->span, "%s takes %d argument%s", e->text, takes, takes == 1 ? "" : "s");
  else if (s->deep >= MOST_DEEP) spice_fail(s, e->span, "the function `%s` calls itself", e->text);
  else {
    Given given[4];
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

static const char *call(Spice *s, Names *n, const Ex *e) {
  static const struct { const char *from, *to; int n; } all[] = {
    { "abs", "abs(%s)", 1 },   { "sqrt", "sqrt(%s)", 1 }, { "exp", "exp(%s)", 1 },   { "ln", "log(%s)", 1 },
    { "log", "log(%s)", 1 },   { "sin", "sin(%s)", 1 },   { "cos", "cos(%s)", 1 },   { "tan", "tan(%s)", 1 },
    { "atan", "atan(%s)", 1 }, { "asin", "asin(%s)", 1 }, { "acos", "acos(%s)", 1 }, { "sinh", "sinh(%s)", 1 },
    { "cosh", "cosh(%s)", 1 }, { "tanh", "tanh(%s)", 1 }, { "sgn", "sign(%s)", 1 },  { "floor", "floor(%s)", 1 },
    { "log10", "log(%s)/log(10)", 1 }, { "u", "(if %s > 0 then 1 else 0)", 1 }, { "uramp", "max(%s, 0)", 1 },
    { "int", "floor(%s)", 1 }, { "min", "min(%s, %s)", 2 }, { "max", "max(%s, %s)", 2 }, { "pow", "(%s)^(%s)", 2 },
    { "pwr", "abs(%s)^(%s)", 2 } };
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
  if (!strcmp(e->text, "limit") && e->n == 3)
    return arena_printf(s->a, "max(%s, min(%s, %s))", written(s, n, e->part[1]), written(s, n, e->part[2]),
                        written(s, n, e->part[0]));
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
    spice_fail(s, e->span, "there is no parameter `%s`", e->text);
    return "0";
  case EX_CALL: return call(s, n, e);
  case EX_MINUS: return arena_printf(s->a, "-%s", within(s, n, e->part[0], 5));
  case EX_NOT: return arena_printf(s->a, "not %s", within(s, n, e->part[0], 9));
  case EX_IF:
    return arena_printf(s->a, "if %s then %s else %s", within(s, n, e->part[0], 1), within(s, n, e->part[1], 1),
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

const char *spice_value(Spice *s, Names *n, const Item *i, const char *unit) {
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
