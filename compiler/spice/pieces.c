// Pieces of which the text of a part is made.
#include "netlist.h"

const char *spice_node(Spice *s, Names *n, const Card *c, int i) {
  const char *name = i < c->n && c->item[i].text ? spice_known(n, "node", c->item[i].text) : NULL;
  if (!name) spice_fail(s, c->span, "the nodes of `%s` are missing", c->item[0].as);
  else c->item[i].taken = true;
  return name ? name : "gnd";
}

const char *spice_two(Spice *s, Names *n, const Card *c, const char *part) {
  return arena_printf(s->a, "%s %s(a = %s, b = %s", part, spice_known(n, "part", c->item[0].text),
                      spice_node(s, n, c, 1), spice_node(s, n, c, 2));
}

const char *spice_value_at(Spice *s, Names *n, const Card *c, int i, const char *unit) {
  if (i < c->n && !c->item[i].key) return spice_value(s, n, &c->item[i], unit);
  spice_fail(s, c->span, "`%s` has no value", c->item[0].as);
  return "0";
}

const char *spice_key_or(Spice *s, Names *n, const Card *c, const char *key, const char *unit, const char *other) {
  Item *i = spice_key(c, key);
  return i ? spice_value(s, n, i, unit) : other;
}

const char *spice_part_with(Spice *s, Names *n, const Card *c, bool voltage, const char *value) {
  return arena_printf(s->a, "%s, %s = %s);", spice_two(s, n, c, voltage ? "VoltageSource" : "CurrentSource"),
                      voltage ? "V" : "I", value);
}
