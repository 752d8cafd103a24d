// Names. SPICE takes any text for a node and does not tell cases apart; nodes and parts may have one name. Here a name
// is of letters and digits, and the reserved words and what else has a meaning are not taken.
#include <ctype.h>
#include <string.h>
#include "netlist.h"

static const char *const taken[] = {
#define WORD(text, token, kind) text,
#include "../syntax/words.def"
#undef WORD
  "time", "pi", "energy", "node", "flow", "to", "at", "body", "gravity", "material", "pair", "algebraic", "gnd",
  "delay", "table", "spline", "periodic", "min", "max", "abs", "sqrt", "exp", "log", "sin", "cos", "tan", "sign",
  "floor", "inf", "draw", "initial", "offset", "stop", "fail", "nan", "e", "der", "ground"
};

// Models of the text and of std/circuit.nsm.
static const char *const models[] = {
  "Resistor", "Conductor", "Capacitor", "Inductor", "CoupledInductors", "Transformer", "VoltageSource",
  "CurrentSource", "VoltageByVoltage", "CurrentByVoltage", "VoltageByCurrent", "CurrentByCurrent", "Diode",
  "ThresholdDiode", "Transistor", "Zener", "Switch", "GatedDiode", "OpAmp", "Comparator", "SwitchBy", "Junction",
  "Line", "Mosfet", "Bipolar", "Winding" };

void spice_name_models(Names *n) {
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    vec_push(&n->of, ((Named){ "model", models[i], models[i] }));
}

bool spice_is_ground(const char *node) { return node && (!strcmp(node, "0") || !strcmp(node, "gnd")); }

static bool is_taken(const Names *n, const char *name) {
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(taken[i], name)) return true;
  for (size_t i = 0; i < n->of.n; i++)
    if (!strcmp(n->of.at[i].to, name)) return true;
  return false;
}

const char *spice_known(const Names *n, const char *kind, const char *from) {
  if (!strcmp(kind, "node") && spice_is_ground(from)) return "gnd";
  for (size_t i = 0; i < n->of.n; i++)
    if (!strcmp(n->of.at[i].kind, kind) && !strcmp(n->of.at[i].from, from)) return n->of.at[i].to;
  return NULL;
}

const char *spice_name(Names *n, const char *kind, const char *from, const char *as) {
  const char *known = spice_known(n, kind, from);
  if (known) return known;
  char *name = arena_printf(n->a, "%s%s", isalpha((unsigned char)*as) ? "" : "n", as);
  for (char *c = name; *c; c++)
    if (*c == '+') *c = 'p';
    else if (!isalnum((unsigned char)*c)) *c = '_';
  for (const char *stem = name; is_taken(n, name);) name = arena_printf(n->a, "%s_", name == stem ? stem : name);
  vec_push(&n->of, ((Named){ kind, from, name }));
  return name;
}

const char *spice_global_name(Spice *s, size_t k) {
  const char *name = s->globals.at[k];
  bool plain = true;
  for (const char *c = name; *c; c++) plain &= isalnum((unsigned char)*c) || *c == '_';
  if (k == 0) return "ground";
  return plain ? arena_printf(s->a, "global_%s", name) : arena_printf(s->a, "global_%zu", k);
}

bool spice_is_value(const Names *n, const Item *i) {
  return !i->key && (i->is_number || i->ex || (i->text && spice_known(n, "param", i->text)));
}
