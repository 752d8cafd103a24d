// What a run begins with: the voltages of capacitors and the currents of coils, from `.ic` or from the operating point.
// That of a part in a subcircuit is an argument of the subcircuit.
#include <string.h>
#include "netlist.h"

static bool has(const Card *c, const char *key) {
  for (int i = 1; i < c->n; i++)
    if (c->item[i].key && !strcmp(c->item[i].key, key)) return true;
  return false;
}

// The first coil of a coupling that shares all flux has the current of all.
static bool is_first(const Circuit *c, const Card *l) {
  for (size_t i = 0; i < c->cards.n; i++) {
    const Card *k = &c->cards.at[i];
    if (spice_is_one(k) && spice_couples(k, l->item[0].text)) return spice_is_word(&k->item[1], l->item[0].text);
  }
  return true;
}

static void add(Spice *s, Circuit *c, const char *path, const char *unit) {
  char *as = arena_printf(s->a, "%s0", path);
  for (char *at = as; *at; at++)
    if (*at == '.') *at = '_';
  spice_name(&c->names, "start", path, as);
  vec_push(&c->charges, ((Charge){ path, unit }));
}

// Those that no IC= gives, of the names that the parts have already.
void spice_count_charges(Spice *s, Circuit *c) {
  if (c->counted) return;
  c->counted = 1;
  for (size_t i = 0; i < c->cards.n; i++) {
    const Card *x = &c->cards.at[i];
    const char letter = *x->item[0].text, *name = spice_known(&c->names, "part", x->item[0].text);
    if (letter == 'c' && !has(x, "ic")) add(s, c, arena_printf(s->a, "%s.u", name), "V");
    if (letter == 'l' && !has(x, "ic") && is_first(c, x)) add(s, c, arena_printf(s->a, "%s.i", name), "A");
    if (strchr("clv", letter) && has(x, "cpar")) add(s, c, arena_printf(s->a, "%s_cpar.u", name), "V");
    Circuit *of = letter == 'x' ? spice_circuit_of(s, c, x) : NULL;
    if (of && of->counted == 1) spice_fail(s, x->span, "the subcircuit `%s` is in itself", of->name);
    if (!of || of->counted == 1) continue;
    spice_count_charges(s, of);
    for (size_t k = 0; k < of->charges.n; k++)
      add(s, c, arena_printf(s->a, "%s.%s", name, of->charges.at[k].path), of->charges.at[k].unit);
  }
  c->counted = 2;
}

const char *spice_charge(Spice *s, const Circuit *in, const char *path, const char *unit) {
  if (!s->set->nstart) return NULL;
  if (in->parent) return spice_known(&in->names, "start", path);
  for (int i = 0; i < s->set->nstart; i++)
    if (!strcmp(s->set->start[i].name, path) && s->set->start[i].value != 0)
      return spice_quantity(s->a, s->set->start[i].value, unit);
  return NULL;
}

// `.ic v(x) = 5` is the word `v`, and the key `x` with a value.
Item *spice_initial(Spice *s, const char *kind, const char *name) {
  for (size_t i = 0; i < s->initial.n; i++) {
    const Card *c = &s->initial.at[i];
    for (int k = 2; k < c->n; k++)
      if (c->item[k].key && !strcmp(c->item[k].key, name) && spice_is_word(&c->item[k - 1], kind)) return &c->item[k];
  }
  return NULL;
}

void spice_hold(Spice *s, Names *n, Text *out) {
  for (size_t i = 0; i < s->initial.n; i++) {
    const Card *c = &s->initial.at[i];
    for (int k = 2; k < c->n; k++) {
      Item *x = &c->item[k];
      const char *node = x->key && spice_is_word(x - 1, "v") ? spice_known(n, "node", x->key) : NULL;
      if (!node) continue;
      const char *value = spice_value(s, n, x, "V");
      if (s->set->hold) text_printf(out, "  flow %s to gnd = (%s - (%s))*1e9 [S];\n", node, node, value);
    }
  }
}
