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

const char *spice_expression(Spice *s, Names *n, const Ex *e) { return written(s, n, e); }

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
  spice_fail(s, i->span, "a value stands here: a number, as 4.7k, or an expression in braces");
  return "0";
}
