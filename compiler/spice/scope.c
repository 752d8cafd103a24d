// What a circuit sees of the circuits around it: subcircuits, and parameters. Those of the whole stand above all models
// of the text, so each of these reads them. Those of a subcircuit become arguments of the subcircuits within it that
// read them, and each instance hands them on.
#include <string.h>
#include "netlist.h"

Circuit *spice_circuit_of(const Spice *s, const Circuit *in, const Card *x) {
  int at = x->n - 1;
  while (at > 0 && (x->item[at].key || spice_is_mark(&x->item[at]))) at--;
  for (; in && x->item[at].text; in = in->parent)
    for (size_t i = 0; i < s->circuits.n; i++)
      if (s->circuits.at[i]->parent == in && !strcmp(s->circuits.at[i]->name, x->item[at].text))
        return s->circuits.at[i];
  return NULL;
}

// ---- parameters -----------------------------------------------------------------------------------------------------
bool spice_declares(const Circuit *c, const char *key) {
  for (int i = 2; c->name && i < c->head.n; i++)
    if (c->head.item[i].key && !strcmp(c->head.item[i].key, key)) return true;
  for (size_t i = 0; i < c->params.n; i++)
    if (!strcmp(c->params.at[i].item[1].key, key)) return true;
  return false;
}

static bool reads(const Ex *e, const char *name) {
  if (e->kind == EX_NAME && !strcmp(e->text, name)) return true;
  for (int i = 0; i < e->n; i++)
    if (reads(e->part[i], name)) return true;
  return false;
}

static bool mention(const Cards *cards, const char *name) {
  for (size_t i = 0; i < cards->n; i++)
    for (int k = 1; k < cards->at[i].n; k++) {
      const Item *x = &cards->at[i].item[k];
      if (x->ex ? reads(x->ex, name) : x->text && !strcmp(x->text, name)) return true;
    }
  return false;
}

static bool inherits(const Circuit *c, const char *key) {
  for (size_t i = 0; i < c->inherits.n; i++)
    if (!strcmp(c->inherits.at[i], key)) return true;
  return false;
}

// Does the circuit read this parameter: in its cards, the models and functions that it may use, or what stands in it?
static bool needs(const Spice *s, const Circuit *c, const char *key) {
  const Cards head = { (Card *)&c->head, 1, 1 };
  if (mention(&head, key) || mention(&c->cards, key) || mention(&c->params, key) || mention(&s->functions, key))
    return true;
  for (const Circuit *at = c; at; at = at->parent)
    if (mention(&at->models, key)) return true;
  for (size_t i = 0; i < c->cards.n; i++) {
    const Circuit *of = *c->cards.at[i].item[0].text == 'x' ? spice_circuit_of(s, c, &c->cards.at[i]) : NULL;
    if (of && inherits(of, key)) return true;
  }
  return false;
}

static void inherit(const Spice *s, Circuit *c, const char *key) {
  if (key && !spice_declares(c, key) && !inherits(c, key) && needs(s, c, key)) vec_push(&c->inherits, key);
}

void spice_inherit(Spice *s) {
  for (size_t round = 0; round <= s->circuits.n; round++)
    for (size_t i = 0; i < s->circuits.n; i++)
      for (const Circuit *c = s->circuits.at[i], *at = c->parent; at->parent; at = at->parent) {
        for (int k = 2; k < at->head.n; k++) inherit(s, s->circuits.at[i], at->head.item[k].key);
        for (size_t k = 0; k < at->params.n; k++) inherit(s, s->circuits.at[i], at->params.at[k].item[1].key);
      }
}
