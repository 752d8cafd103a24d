// R, C, L. A value may come from a `.model`, depend on temperature, stand for several parts side by side (M), and begin
// with a charge; LTspice puts resistances and capacitances into a part.
#include <string.h>
#include "netlist.h"

static const Card *model_of(Spice *s, const Card *c, int *value_at) {
  for (int i = 3; i < c->n && i < 5; i++) {
    const Item *x = &c->item[i];
    const Card *m = !x->key && !x->is_number && x->text ? spice_model(s, x->text) : NULL;
    if (!m) continue;
    m->item[1].taken = c->item[i].taken = true;
    if (i == 3) *value_at = 4;
    return m;
  }
  return NULL;
}

// TC1, TC2 stand alone, or together behind TC.
static void coefficients(const Card *c, Item **one, Item **two) {
  for (int i = 1; c && i < c->n; i++) {
    Item *x = &c->item[i], *next = i + 1 < c->n ? x + 1 : NULL;
    if (!x->key || strncmp(x->key, "tc", 2) != 0) continue;
    bool both = !x->key[2], first = both || !strcmp(x->key, "tc1"), second = !strcmp(x->key, "tc2");
    if (first && !*one) *one = x;
    if (second && !*two) *two = x;
    if (both && next && !next->key && (next->is_number || next->ex) && !*two) *two = next;
  }
}

// How far the part is above the temperature of its value; "": not at all.
static const char *warmer(Spice *s, Names *n, const Card *c, const Card *m) {
  Item *own = spice_key(c, "temp"), *more = spice_key(c, "dtemp"), *nominal = spice_key(m, "tnom");
  double from = nominal && nominal->is_number ? nominal->number : s->nominal;
  double at = own && own->is_number ? own->number : s->temperature + (more && more->is_number ? more->number : 0);
  if (own && !own->is_number) return arena_printf(s->a, "(%s - %.12g)", spice_value(s, n, own, ""), from);
  if (more && !more->is_number)
    return arena_printf(s->a, "(%s + %.12g)", spice_value(s, n, more, ""), s->temperature - from);
  return at == from ? "" : arena_printf(s->a, at < from ? "(%.12g)" : "%.12g", at - from);
}

// value (1 + TC1 dT + TC2 dT^2)
static const char *at_temperature(Spice *s, Names *n, const Card *c, const Card *m, const char *value) {
  const char *by = warmer(s, n, c, m), *sum = "1";
  Item *one = NULL, *two = NULL;
  coefficients(c, &one, &two);
  coefficients(m, &one, &two);
  const char *tc1 = one ? spice_value(s, n, one, "") : "0", *tc2 = two ? spice_value(s, n, two, "") : "0";
  if (!*by) return value;
  if (strcmp(tc1, "0")) sum = arena_printf(s->a, "%s + (%s)*%s", sum, tc1, by);
  if (strcmp(tc2, "0")) sum = arena_printf(s->a, "%s + (%s)*%s^2", sum, tc2, by);
  return strcmp(sum, "1") ? arena_printf(s->a, "%s*(%s)", value, sum) : value;
}

// The value of a `.model` is a factor in PSpice (types RES, CAP, IND); elsewhere it stands for one that is not given.
static const char *value_of(Spice *s, Names *n, const Card *c, const char *unit, const char *long_key) {
  const char letter[2] = { *c->item[0].text, 0 };
  int at = 3;
  const Card *m = model_of(s, c, &at);
  Item *given = spice_key(c, long_key), *usual = spice_key(m, letter);
  if (!given) given = spice_key(c, letter);
  if (!given && at < c->n && !c->item[at].key) given = &c->item[at];
  const char *value = given ? spice_value(s, n, given, unit) : usual ? spice_value(s, n, usual, unit) : NULL;
  if (!value) return spice_value_at(s, n, c, c->n, unit);
  if (given && usual && strlen(m->item[2].text) > 1)
    value = arena_printf(s->a, "%s*(%s)", value, spice_value(s, n, usual, ""));
  value = at_temperature(s, n, c, m, value);
  Item *scale = spice_key(c, "scale"), *many = spice_key(c, "m");
  if (scale) value = arena_printf(s->a, "%s*(%s)", value, spice_value(s, n, scale, ""));
  if (many) value = arena_printf(s->a, *letter == 'c' ? "%s*(%s)" : "%s/(%s)", value, spice_value(s, n, many, ""));
  return value;
}

// ---- at the start ---------------------------------------------------------------------------------------------------
static const char *between(Spice *s, Names *n, const Card *c) {
  const char *side[2] = { "", "" };
  Item *of[2] = { NULL, NULL };
  for (int i = 0; i < 2; i++) {
    if (spice_is_ground(c->item[1 + i].text)) continue;
    if (!(of[i] = spice_initial(s, "v", c->item[1 + i].text))) return NULL;
  }
  for (int i = 0; i < 2; i++)
    if (of[i]) side[i] = spice_value(s, n, of[i], "V");
  if (!of[1]) return side[0];
  return of[0] ? arena_printf(s->a, "%s - (%s)", side[0], side[1]) : arena_printf(s->a, "-(%s)", side[1]);
}

// While the operating point is looked for: a source of this voltage or current.
static const char *held(Spice *s, Names *n, const Card *c, const char *start) {
  if (*c->item[0].text == 'l') return arena_printf(s->a, "%s, I = %s);", spice_two(s, n, c, "CurrentSource"), start);
  const char *a = spice_node(s, n, c, 1), *b = spice_node(s, n, c, 2);
  return arena_printf(s->a, "flow %s to %s = (%s - %s - (%s))*1e9 [S];", a, b, a, b, start);
}

// `.ic` counts in the whole.
const char *spice_passive(Spice *s, const Circuit *in, Names *n, const Card *c) {
  const char letter = *c->item[0].text;
  if (letter == 'r')
    return arena_printf(s->a, "%s, R = %s);", spice_two(s, n, c, "Resistor"), value_of(s, n, c, "ohm", "r"));
  bool coil = letter == 'l', top = !in->parent;
  Item *ic = spice_key(c, "ic");
  const char *induced = coil ? spice_induced(s, in, n, c) : NULL;
  const char *part = induced ? "Winding" : coil ? "Inductor" : "Capacitor";
  const char *text = arena_printf(s->a, "%s, %c = %s", spice_two(s, n, c, part), letter - 32,
                                  value_of(s, n, c, coil ? "H" : "F", coil ? "ind" : "cap"));
  if (induced) {
    s->parts |= PART_WINDING;
    text = arena_printf(s->a, "%s, induced = %s", text, induced);
  }
  const char *unit = coil ? "A" : "V", *start = ic ? spice_value(s, n, ic, unit) : NULL;
  if (!start && top && !coil) start = between(s, n, c);
  if (!start && top && coil && (ic = spice_initial(s, "i", c->item[0].text))) start = spice_value(s, n, ic, unit);
  if (start && s->set->hold) return held(s, n, c, start);
  const char *path = arena_printf(s->a, "%s.%c", spice_known(n, "part", c->item[0].text), coil ? 'i' : 'u');
  if (!start) start = spice_charge(s, in, path, unit);
  return start ? arena_printf(s->a, "%s, %c0 = %s);", text, coil ? 'i' : 'u', start) : arena_printf(s->a, "%s);", text);
}

// ---- what a part has inside -----------------------------------------------------------------------------------------
static void beside(Spice *s, Names *n, const Card *c, const char *key, bool capacitor, Text *before) {
  Item *x = spice_key(c, key);
  if (!x) return;
  const char *name = spice_known(n, "part", c->item[0].text);
  const char *start = capacitor ? spice_charge(s, s->in, arena_printf(s->a, "%s_%s.u", name, key), "V") : NULL;
  text_printf(before, "%s %s_%s(a = %s, b = %s, %s = %s%s);\n  ", capacitor ? "Capacitor" : "Resistor",
              name, key, spice_node(s, n, c, 1), spice_node(s, n, c, 2), capacitor ? "C" : "R",
              spice_value(s, n, x, capacitor ? "F" : "ohm"), start ? arena_printf(s->a, ", u0 = %s", start) : "");
}

// Of C, L, V: what stands beside the part is written; of a resistance in it, too. The node between it and the part is
// returned as a name of the netlist, NULL where there is none.
const char *spice_inside(Spice *s, Names *n, const Card *c, Text *before) {
  const char *name = spice_known(n, "part", c->item[0].text);
  if (*c->item[0].text != 'v') beside(s, n, c, "rpar", false, before);
  beside(s, n, c, "cpar", true, before);
  Item *rser = spice_key(c, "rser");
  if (!rser || (rser->is_number && rser->number == 0)) return NULL;
  const char *inner = arena_printf(s->a, "%s.inner", c->item[0].text);
  const char *own = spice_name(n, "node", inner, arena_printf(s->a, "%s_inner", name));
  text_printf(before, "node %s : V;  Resistor %s_rser(a = %s, b = %s, R = %s);\n  ", own, name, own,
              spice_node(s, n, c, 2), spice_value(s, n, rser, "ohm"));
  return inner;
}
