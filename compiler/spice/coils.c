// Coils that are coupled. Each is a winding whose voltage has a part from every other one; where they share all flux
// they are the first one beside ideal transformers.
#include <math.h>
#include <string.h>
#include "netlist.h"

static const Card *coil(const Circuit *c, const char *name) {
  for (size_t i = 0; name && i < c->cards.n; i++)
    if (!strcmp(c->cards.at[i].item[0].text, name)) return &c->cards.at[i];
  return NULL;
}

static Item *inductance(const Card *l) {
  if (l->n > 3 && !l->item[3].key) return &l->item[3];
  return spice_key(l, "l") ? spice_key(l, "l") : spice_key(l, "ind");
}

// Is a coupling complete? With a factor of 1 it has to be written as a part: then it is true.
bool spice_coupling(Spice *s, const Circuit *c, const Card *k) {
  if (k->n < 4) return spice_fail(s, k->span, "a coupling names two coils and a factor: K1 L1 L2 0.99");
  for (int i = 1; i < k->n - 1; i++) {
    const Card *l = coil(c, k->item[i].text);
    if (!l || *l->item[0].text != 'l' || !inductance(l))
      return spice_fail(s, k->item[i].span, "a coupling names coils and a factor: K1 L1 L2 0.99");
  }
  spice_take(k, 1);
  return spice_is_one(k);
}

static const char *mutual(Spice *s, Names *n, const Card *k, const Card *one, const Card *two) {
  Item *a = inductance(one), *b = inductance(two), *f = &k->item[k->n - 1];
  if (a->is_number && b->is_number && f->is_number)
    return spice_quantity(s->a, f->number * sqrt(a->number * b->number), "H");
  return arena_printf(s->a, "(%s)*sqrt((%s)*(%s))*1 [H]", spice_value(s, n, f, ""), spice_value(s, n, a, ""),
                      spice_value(s, n, b, ""));
}

// What the other coils induce in this one, M12 i2' + M13 i3' + ...; NULL: it is not coupled.
const char *spice_induced(Spice *s, const Circuit *c, Names *n, const Card *l) {
  const char *sum = NULL;
  for (size_t i = 0; i < c->cards.n; i++) {
    const Card *k = &c->cards.at[i];
    if (!spice_couples(k, l->item[0].text) || k->n < 4) continue;
    for (int j = 1; j < k->n - 1; j++) {
      const Card *other = coil(c, k->item[j].text);
      if (!other || other == l || !inductance(other) || !inductance(l)) continue;
      sum = arena_printf(s->a, "%s%s%s*%s.i'", sum ? sum : "", sum ? " + " : "", mutual(s, n, k, l, other),
                         spice_known(n, "part", other->item[0].text));
    }
  }
  return sum;
}

// A factor of 1.
const char *spice_tight(Spice *s, const Circuit *c, Names *n, const Card *k) {
  const Card *one = coil(c, k->item[1].text);
  for (int i = 1; i < k->n - 1; i++) {
    const Card *l = coil(c, k->item[i].text);
    int couplings = 0;
    for (size_t j = 0; j < c->cards.n; j++) couplings += spice_couples(&c->cards.at[j], l->item[0].text);
    if (couplings > 1) spice_fail(s, k->span, "`%s` shares all flux with others and is coupled once more: write one "
                                  "coupling of all coils", l->item[0].as);
    else if (!inductance(l)->is_number)
      spice_fail(s, l->span, "the inductance of a coil that shares all flux has to be a number here");
    if (s->wrong) return NULL;
    spice_take(&(Card){ l->item, 4, l->span }, 1);
  }
  const char *a = spice_node(s, n, one, 1), *b = spice_node(s, n, one, 2);
  Item *ic = spice_key(one, "ic");
  const char *path = arena_printf(s->a, "%s.i", spice_known(n, "part", one->item[0].text));
  const char *i0 = ic ? spice_value(s, n, ic, "A") : spice_charge(s, c, path, "A");
  const char *start = i0 ? arena_printf(s->a, ", i0 = %s", i0) : "";
  const char *text = arena_printf(s->a, "Inductor %s(a = %s, b = %s, L = %s%s);",
                                  spice_known(n, "part", one->item[0].text), a, b,
                                  spice_quantity(s->a, inductance(one)->number, "H"), start);
  for (int i = 2; i < k->n - 1; i++) {
    const Card *two = coil(c, k->item[i].text);
    text = arena_printf(s->a, "%s\n  Transformer %s%s(a = %s, b = %s, c = %s, d = %s, n = %.15g);", text,
                        spice_known(n, "part", k->item[0].text), i > 2 ? arena_printf(s->a, "_%d", i) : "", a, b,
                        spice_node(s, n, two, 1), spice_node(s, n, two, 2),
                        sqrt(inductance(one)->number / inductance(two)->number));
  }
  return text;
}
