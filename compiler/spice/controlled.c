// Controlled sources: a gain, a polynomial, a table or an expression; sources with an expression (B).
#include <string.h>
#include "netlist.h"

// ---- polynomials ----------------------------------------------------------------------------------------------------
enum { MOST_CONTROLS = 8 };
typedef struct Controls { const char *of[MOST_CONTROLS]; int n; } Controls;

// The next product of the order 1, x1, x2, ..., x1^2, x1 x2, ..., x2^2, ... of SPICE: its factors do not fall.
static void next_product(int *factor, int *degree, int n) {
  int i = *degree;
  while (i > 0 && factor[i - 1] == n - 1) i--;
  if (i == 0) {
    ++*degree;
    for (int k = 0; k < *degree; k++) factor[k] = 0;
    return;
  }
  int to = factor[i - 1] + 1;
  for (int k = i - 1; k < *degree; k++) factor[k] = to;
}

// c0 + c1 x1 + c2 x2 + c3 x1^2 ...; a single number is c1.
static const char *polynomial(Spice *s, Names *n, const Card *c, int from, const Controls *x, const char *unit) {
  enum { MOST_DEGREE = 12 };
  int factor[MOST_DEGREE] = { 0 }, degree = 0;
  const char *sum = "";
  bool single = from + 1 == c->n || (from + 1 < c->n && c->item[from + 1].key);
  if (single) next_product(factor, &degree, x->n);
  for (int i = from; i < c->n && !c->item[i].key && degree < MOST_DEGREE; i++) {
    const char *f = spice_value(s, n, &c->item[i], "");
    bool none = c->item[i].is_number && c->item[i].number == 0;
    if (!none) sum = arena_printf(s->a, "%s%s(%s)", sum, *sum ? " + " : "", f);
    for (int k = 0; k < degree && !none; k++) sum = arena_printf(s->a, "%s*(%s)", sum, x->of[factor[k]]);
    next_product(factor, &degree, x->n);
  }
  return arena_printf(s->a, "(%s)*1 [%s]", *sum ? sum : "0", unit);
}

// POLY(n) and its n controls: pairs of nodes, or parts whose current it is. at: the first item behind them.
static bool controls_of(Spice *s, Names *n, const Card *c, bool by_current, Controls *x, int *at) {
  x->n = c->n > 4 && c->item[4].is_number ? (int)c->item[4].number : 0;
  if (x->n < 1 || x->n > MOST_CONTROLS)
    return spice_fail(s, c->span, "POLY takes from 1 to %d controls: POLY(1) a b 0 2", MOST_CONTROLS);
  spice_take(&(Card){ c->item, 5, c->span }, 3);
  *at = 5;
  for (int i = 0; i < x->n; i++, *at += by_current ? 1 : 2) {
    if (!by_current) {
      x->of[i] = arena_printf(s->a, "(%s - %s)/1 [V]", spice_node(s, n, c, *at), spice_node(s, n, c, *at + 1));
      continue;
    }
    const char *part = *at < c->n && c->item[*at].text ? spice_known(n, "part", c->item[*at].text) : NULL;
    if (!part) return spice_fail(s, c->span, "the current that controls `%s` is of no part", c->item[0].as);
    c->item[*at].taken = true;
    x->of[i] = arena_printf(s->a, "%s.i/1 [A]", part);
  }
  return *at < c->n || spice_fail(s, c->span, "the coefficients of `%s` are missing", c->item[0].as);
}

// ---- tables ---------------------------------------------------------------------------------------------------------
// Through these points, constant outside of them.
static const char *table(Spice *s, Names *n, const Card *c, int from, const char *of, const char *unit) {
  const char *x = "", *y = "", *low = "", *high = "";
  int many = 0;
  for (int i = from; i + 1 < c->n && !c->item[i + 1].key; i += 2, many++) {
    high = spice_value(s, n, &c->item[i], "");
    if (!many) low = high;
    x = arena_printf(s->a, "%s%s%s", x, many ? ", " : "", high);
    y = arena_printf(s->a, "%s%s%s", y, many ? ", " : "", spice_value(s, n, &c->item[i + 1], ""));
  }
  if (many < 2) {
    spice_fail(s, c->span, "a table needs points: TABLE {V(a)} = (0, 0) (1, 5)");
    return "0";
  }
  return arena_printf(s->a, "table(min(max(%s, %s), %s), [%s], [%s])*1 [%s]", of, low, high, x, y, unit);
}

// ---- E, G -----------------------------------------------------------------------------------------------------------
static const char *by_voltage(Spice *s, Names *n, const Card *c, bool voltage) {
  static const char *const others[] = { "laplace", "freq", "chebyshev", "delay" };
  const char *unit = voltage ? "V" : "A";
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    for (int k = 3; k < c->n; k++)
      if (spice_is_word(&c->item[k], others[i]) || (c->item[k].key && !strcmp(c->item[k].key, others[i]))) {
        spice_left_out(s, c->span, arena_printf(s->a, "sources with `%s`", others[i]));
        return NULL;
      }
  if (c->n > 3 && spice_is_word(&c->item[3], "poly")) {
    Controls x;
    int at;
    if (!controls_of(s, n, c, false, &x, &at)) return NULL;
    return spice_part_with(s, n, c, voltage, polynomial(s, n, c, at, &x, unit));
  }
  if (c->n > 4 && spice_is_word(&c->item[3], "table") && c->item[4].ex) {
    c->item[3].taken = true;
    return spice_part_with(s, n, c, voltage, table(s, n, c, 5, spice_value(s, n, &c->item[4], ""), unit));
  }
  for (int i = 3; i < c->n && i < 5; i++)                // a gain stands behind the nodes that control
    if (c->item[i].ex && !(i == 3 && c->item[3].key && !strcmp(c->item[3].key, "table"))) {
      spice_take(&(Card){ c->item, i, c->span }, 3);
      return spice_part_with(s, n, c, voltage, spice_value(s, n, &c->item[i], unit));
    }
  const char *a = spice_node(s, n, c, 3), *b = spice_node(s, n, c, 4);
  if (c->n > 5 && c->item[5].key && !strcmp(c->item[5].key, "table")) {    // the key holds the first number
    Item *first = spice_key(c, "table"), kept = *first;
    first->key = NULL;
    const char *of = arena_printf(s->a, "(%s - %s)/1 [V]", a, b);
    const char *part = spice_part_with(s, n, c, voltage, table(s, n, c, 5, of, unit));
    first->key = kept.key;
    return part;
  }
  const char *gain = spice_value_at(s, n, c, 5, voltage ? "" : "S");
  return arena_printf(s->a, "%s, c = %s, d = %s, %s = %s);",
                      spice_two(s, n, c, voltage ? "VoltageByVoltage" : "CurrentByVoltage"), a, b,
                      voltage ? "gain" : "G", gain);
}

// ---- F, H -----------------------------------------------------------------------------------------------------------
static const char *by_current(Spice *s, Names *n, const Card *c, bool voltage) {
  const char *unit = voltage ? "V" : "A";
  if (c->n > 5 && spice_is_word(&c->item[3], "poly")) {
    Controls x;
    int at;
    if (!controls_of(s, n, c, true, &x, &at)) return NULL;
    return spice_part_with(s, n, c, voltage, polynomial(s, n, c, at, &x, unit));
  }
  const char *control = c->n > 3 && c->item[3].text ? spice_known(n, "part", c->item[3].text) : NULL;
  if (!control && c->n > 3 && c->item[3].ex)             // an expression, as of B
    return spice_part_with(s, n, c, voltage, spice_value(s, n, &c->item[3], unit));
  if (!control) {
    spice_fail(s, c->span, "the current that controls `%s` is of no part", c->item[0].as);
    return NULL;
  }
  c->item[3].taken = true;
  const char *value = spice_value_at(s, n, c, 4, voltage ? "ohm" : "");
  return arena_printf(s->a, "%s, control = %s.i, %s = %s);", spice_two(s, n, c, voltage ? "VoltageByCurrent" :
                      "CurrentByCurrent"), control, voltage ? "R" : "gain", value);
}

static const char *behaviour(Spice *s, Names *n, const Card *c) {
  Item *v = spice_key(c, "v"), *i = v ? NULL : spice_key(c, "i");
  if (v || i) return spice_part_with(s, n, c, v != NULL, spice_value(s, n, v ? v : i, v ? "V" : "A"));
  spice_fail(s, c->span, "a B source is V = expression or I = expression");
  return NULL;
}

const char *spice_controlled(Spice *s, Names *n, const Card *c) {
  switch (*c->item[0].text) {
  case 'e': return by_voltage(s, n, c, true);
  case 'g': return by_voltage(s, n, c, false);
  case 'f': return by_current(s, n, c, false);
  case 'h': return by_current(s, n, c, true);
  default: return behaviour(s, n, c);
  }
}
