// One part of the model for each card. What a card needs beyond std/circuit.nsm is written into the model itself: the
// text of these parts stands here.
#include <string.h>
#include "netlist.h"

static const struct { unsigned part; const char *text; } own[] = {
  { PART_SWITCH,
    "// A resistance, Ron where x has risen above `above`, Roff where it has fallen below `below`.\n"
    "model SwitchBy(a : node, b : node, x = 0, below = 0, above = 0, Ron : ohm = 1, Roff : ohm = 1e12, closed = 0) {\n"
    "  discrete on = closed;\n"
    "  when initial or x > above { on = 1; }\n"
    "  when initial or x < below { on = 0; }\n"
    "  flow a to b = (a - b)*(if on > 0 then 1/Ron else 1/Roff);\n"
    "}\n" },
  { PART_JUNCTION,
    "// A junction by Shockley's equation, at 27 degrees Celsius; a large exponential goes on as a line.\n"
    "model Junction(a : node, b : node, Is : A = 1e-14, N = 1) {\n"
    "  var x = (a - b)/(N*25.864186 [mV]);\n"
    "  flow a to b = Is*(exp(min(x, 40))*(1 + max(x - 40, 0)) - 1) + (a - b)*1e-12 [S];\n"
    "}\n" },
  { PART_LINE,
    "// A line without losses: what leaves one end arrives at the other one Td later.\n"
    "model Line(a : node, b : node, c : node, d : node, Z0 : ohm = 50, Td : s = 1e-9) {\n"
    "  algebraic i1 : A, i2 : A;\n"
    "  var forth = a - b + Z0*i1, back = c - d + Z0*i2;\n"
    "  a - b = Z0*i1 + delay(back, Td);\n"
    "  c - d = Z0*i2 + delay(forth, Td);\n"
    "  flow a to b = i1;\n"
    "  flow c to d = i2;\n"
    "}\n" },
  { PART_MOS,
    "// A MOS transistor of level 1, either way round; sign: 1 of n, -1 of p channels.\n"
    "model Mosfet(d : node, g : node, s : node, sign = 1, K : A/V^2 = 2e-5, Vt : V = 0, lambda : 1/V = 0) {\n"
    "  var forth = max(sign*(g - s) - Vt, 0 [V]), back = max(sign*(g - d) - Vt, 0 [V]);\n"
    "  flow d to s = sign*K/2*(forth^2 - back^2)*(1 + lambda*abs(d - s));\n"
    "}\n" },
  { PART_BJT,
    "// A bipolar transistor by Ebers and Moll, at 27 degrees Celsius; sign: 1 of npn, -1 of pnp.\n"
    "function junction(x) = exp(min(x, 40))*(1 + max(x - 40, 0)) - 1;\n"
    "model Bipolar(c : node, b : node, e : node, sign = 1, Is : A = 1e-16, BF = 100, BR = 1) {\n"
    "  var f = Is*junction(sign*(b - e)/25.864186 [mV]), r = Is*junction(sign*(b - c)/25.864186 [mV]);\n"
    "  flow b to e = sign*f/BF + (b - e)*1e-12 [S];\n"
    "  flow b to c = sign*r/BR + (b - c)*1e-12 [S];\n"
    "  flow c to e = sign*(f - r);\n"
    "}\n" } };

const char *spice_parts(unsigned parts) {
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (own[i].part == parts) return own[i].text;
  return NULL;
}

// ---- pieces ---------------------------------------------------------------------------------------------------------
static const char *node(Spice *s, Names *n, const Card *c, int i) {
  const char *name = i < c->n && c->item[i].text ? spice_known(n, "node", c->item[i].text) : NULL;
  if (!name) spice_fail(s, c->span, "the nodes of `%s` are missing", c->item[0].as);
  return name ? name : "gnd";
}

static const char *two(Spice *s, Names *n, const Card *c, const char *part) {
  return arena_printf(s->a, "%s %s(a = %s, b = %s", part, spice_known(n, "part", c->item[0].text), node(s, n, c, 1),
                      node(s, n, c, 2));
}

static const char *value_at(Spice *s, Names *n, const Card *c, int i, const char *unit) {
  if (i < c->n && !c->item[i].key) return spice_value(s, n, &c->item[i], unit);
  spice_fail(s, c->span, "`%s` has no value", c->item[0].as);
  return "0";
}

static const char *key_or(Spice *s, Names *n, const Card *c, const char *key, const char *unit, const char *other) {
  const Item *i = spice_key(c, key);
  return i ? spice_value(s, n, i, unit) : other;
}

static const Card *model_of(Spice *s, const Card *c, int at, const char *type) {
  const Card *m = at < c->n && c->item[at].text ? spice_model(s, c->item[at].text) : NULL;
  if (!m) spice_fail(s, c->span, "`%s` names no `.model`", c->item[0].as);
  else if (strncmp(m->item[2].text, type, strlen(type)) != 0)
    spice_fail(s, c->item[at].span, "the model `%s` is of type %s, and not %s", c->item[at].as, m->item[2].as, type);
  return m;
}

static const char *passive(Spice *s, Names *n, const Card *c, const char *part, const char *key, const char *unit) {
  const Item *given = spice_key(c, key);
  const char lower[2] = { *c->item[0].text, 0 };
  if (!given) given = spice_key(c, lower);
  const char *value = given ? spice_value(s, n, given, unit) : value_at(s, n, c, 3, unit);
  return arena_printf(s->a, "%s, %c = %s", two(s, n, c, part), *lower - 32, value);
}

static const char *part_with(Spice *s, Names *n, const Card *c, bool voltage, const char *value) {
  return arena_printf(s->a, "%s, %s = %s);", two(s, n, c, voltage ? "VoltageSource" : "CurrentSource"),
                      voltage ? "V" : "I", value);
}

// ---- initial values -------------------------------------------------------------------------------------------------
static bool start_of(Spice *s, const char *node_name, double *value) {
  *value = 0;
  if (spice_is_ground(node_name)) return true;
  for (size_t i = 0; i < s->initial.n; i++) {              // v(x) = 5 is `v`, and `x` with a value
    const Card *c = &s->initial.at[i];
    for (int k = 1; k < c->n; k++)
      if (c->item[k].key && !strcmp(c->item[k].key, node_name) && c->item[k].is_number) {
        *value = c->item[k].number;
        return true;
      }
  }
  return false;
}

static const char *capacitor(Spice *s, Names *n, const Card *c, bool top) {
  const char *text = passive(s, n, c, "Capacitor", "cap", "F");
  const Item *ic = spice_key(c, "ic");
  double a, b;
  if (ic) return arena_printf(s->a, "%s, u0 = %s);", text, spice_value(s, n, ic, "V"));
  if (top && c->n > 2 && start_of(s, c->item[1].text, &a) && start_of(s, c->item[2].text, &b) && a != b)
    return arena_printf(s->a, "%s, u0 = %s);", text, spice_quantity(s->a, a - b, "V"));
  return arena_printf(s->a, "%s);", text);
}

// ---- diodes, switches, transistors ----------------------------------------------------------------------------------
static const char *key_of_two(Spice *s, Names *n, const Card *m, const char *key, const char *unit, const char *other) {
  return key_or(s, n, m, key, unit, other);
}

static void capacitances(Spice *s, const Card *m) {
  static const char *const keys[] = { "cjo", "cj0", "tt", "cje", "cjc", "tf", "tr", "cgso", "cgdo", "cbd", "cbs" };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (spice_key(m, keys[i])) spice_left_out(s, spice_key(m, keys[i])->span, "capacitances and charges of junctions");
}

static const char *diode(Spice *s, Names *n, const Card *c) {
  const Card *m = model_of(s, c, 3, "d");
  if (!m) return NULL;
  const char *name = spice_known(n, "part", c->item[0].text), *rs = key_of_two(s, n, m, "rs", "ohm", "0");
  bool resists = strcmp(rs, "0") && strncmp(rs, "0 [", 3);
  capacitances(s, m);
  if (s->exponential) {
    if (spice_key(m, "bv")) spice_left_out(s, m->span, "the breakdown of diodes");
    s->parts |= PART_JUNCTION;
    const char *law = arena_printf(s->a, "Is = %s, N = %s", key_or(s, n, m, "is", "A", "1e-14 [A]"),
                                   key_or(s, n, m, "n", "", "1"));
    if (!resists) return arena_printf(s->a, "%s, %s);", two(s, n, c, "Junction"), law);
    const char *inner = spice_name(n, "node", arena_printf(s->a, "%s.inner", c->item[0].text),
                                   arena_printf(s->a, "%s_inner", name));
    return arena_printf(s->a, "node %s : V;  Resistor %s_Rs(a = %s, b = %s, R = %s);\n"
                        "  Junction %s(a = %s, b = %s, %s);", inner, name, node(s, n, c, 1), inner, rs, name, inner,
                        node(s, n, c, 2), law);
  }
  const Item *bv = spice_key(m, "bv");
  const char *vf = key_or(s, n, m, "vj", "V", "0.7 [V]");
  if (bv) {
    if (resists) spice_left_out(s, bv->span, "the resistance of diodes that break down");
    return arena_printf(s->a, "%s, Vf = %s, Vz = %s);", two(s, n, c, "Zener"), vf, spice_value(s, n, bv, "V"));
  }
  if (!resists) return arena_printf(s->a, "%s, Vf = %s);", two(s, n, c, "ThresholdDiode"), vf);
  return arena_printf(s->a, "%s, Vf = %s, R = %s);", two(s, n, c, "ThresholdDiode"), vf, rs);
}

static const char *no_control(Spice *s, const Card *c) {
  spice_fail(s, c->span, "the current that controls `%s` is of no part", c->item[0].as);
  return NULL;
}

// The voltage source between the nodes that control a switch: its wave is known as a function of time, and the instants
// of the switch with it.
static const Card *source_at(const Circuit *in, const Card *c) {
  for (size_t i = 0; c->n > 4 && c->item[3].text && c->item[4].text && i < in->cards.n; i++) {
    const Card *v = &in->cards.at[i];
    if (*v->item[0].text == 'v' && v->n > 3 && v->item[1].text && v->item[2].text &&
        !strcmp(v->item[1].text, c->item[3].text) && !strcmp(v->item[2].text, c->item[4].text))
      return v;
  }
  return NULL;
}

static bool has_switch(const Circuit *in, const Card *source) {
  for (size_t i = 0; i < in->cards.n; i++)
    if (*in->cards.at[i].item[0].text == 's' && source_at(in, &in->cards.at[i]) == source) return true;
  return false;
}

static const char *voltage(Spice *s, const Circuit *in, Names *n, const Card *c) {
  const char *wave = spice_source(s, n, c, 3, "V"), *name = spice_known(n, "part", c->item[0].text);
  if (!has_switch(in, c)) return part_with(s, n, c, true, wave);
  return arena_printf(s->a, "var %s_wave = %s;\n  %s", name, wave,
                      part_with(s, n, c, true, arena_printf(s->a, "%s_wave", name)));
}

static double number_or(const Card *c, const char *key, double other) {
  const Item *i = spice_key(c, key);
  return i && i->is_number ? i->number : other;
}

// Where a switch turns: ngspice's SW and CSW at VT + VH (IT, IH) upwards and at VT - VH downwards; PSpice's VSWITCH and
// ISWITCH, whose resistance goes from ROFF at VOFF to RON at VON (ION, IOFF), half way between.
typedef struct Threshold { double below, above; bool inverted; } Threshold;

static Threshold threshold(const Card *m, bool by_current) {
  if (strstr(m->item[2].text, "switch")) {
    double on = number_or(m, by_current ? "ion" : "von", by_current ? 1e-3 : 1);
    double off = number_or(m, by_current ? "ioff" : "voff", 0), sign = on < off ? -1 : 1;
    return (Threshold){ sign*(on + off)/2, sign*(on + off)/2, on < off };
  }
  double middle = number_or(m, by_current ? "it" : "vt", 0), half = number_or(m, by_current ? "ih" : "vh", 0);
  return (Threshold){ middle - half, middle + half, false };
}

static const char *switched(Spice *s, const Circuit *in, Names *n, const Card *c, bool by_current) {
  int at = by_current ? 4 : 5;
  const Card *of = at < c->n && c->item[at].text ? spice_model(s, c->item[at].text) : NULL;
  const char *type = by_current ? "csw" : "sw", *other = by_current ? "iswitch" : "vswitch";
  const Card *m = model_of(s, c, at, of && !strcmp(of->item[2].text, other) ? other : type);
  if (!m) return NULL;
  const char *control = by_current && c->n > 3 ? spice_known(n, "part", c->item[3].text) : NULL;
  if (by_current && !control) return no_control(s, c);
  const Card *source = by_current ? NULL : source_at(in, c);
  const char *x = by_current ? arena_printf(s->a, "%s.i/1 [A]", control)
                  : source   ? arena_printf(s->a, "%s_wave/1 [V]", spice_known(n, "part", source->item[0].text))
                             : arena_printf(s->a, "(%s - %s)/1 [V]", node(s, n, c, 3), node(s, n, c, 4));
  Threshold turns = threshold(m, by_current);
  if (turns.inverted) x = arena_printf(s->a, "-%s", x);
  bool on = at + 1 < c->n && spice_is_word(&c->item[at + 1], "on");
  s->parts |= PART_SWITCH;
  return arena_printf(s->a, "%s, x = %s, below = %s, above = %s, Ron = %s, Roff = %s%s);", two(s, n, c, "SwitchBy"), x,
                      spice_quantity(s->a, turns.below, ""), spice_quantity(s->a, turns.above, ""),
                      key_or(s, n, m, "ron", "ohm", "1 [ohm]"), key_or(s, n, m, "roff", "ohm", "1e6 [Mohm]"),
                      on ? ", closed = 1" : "");
}

static const char *bipolar(Spice *s, Names *n, const Card *c) {
  int at = 4;
  if (at < c->n && c->item[at].text && !spice_model(s, c->item[at].text)) at = 5;          // the substrate
  bool pnp = at < c->n && c->item[at].text && spice_model(s, c->item[at].text) &&
             !strcmp(spice_model(s, c->item[at].text)->item[2].text, "pnp");
  const Card *m = model_of(s, c, at, pnp ? "pnp" : "npn");
  if (!m) return NULL;
  s->parts |= PART_BJT;
  capacitances(s, m);
  return arena_printf(s->a, "Bipolar %s(c = %s, b = %s, e = %s%s, Is = %s, BF = %s, BR = %s);",
                      spice_known(n, "part", c->item[0].text), node(s, n, c, 1), node(s, n, c, 2), node(s, n, c, 3),
                      pnp ? ", sign = -1" : "", key_or(s, n, m, "is", "A", "1e-4 [pA]"),
                      key_or(s, n, m, "bf", "", "100"), key_or(s, n, m, "br", "", "1"));
}

static const char *mosfet(Spice *s, Names *n, const Card *c) {
  const Card *m = c->n > 5 && c->item[5].text ? spice_model(s, c->item[5].text) : NULL;
  bool p = m && !strcmp(m->item[2].text, "pmos");
  if (!(m = model_of(s, c, 5, p ? "pmos" : "nmos"))) return NULL;
  double sign = p ? -1 : 1, k = number_or(m, "kp", 2e-5) * number_or(c, "w", 1e-4) / number_or(c, "l", 1e-4);
  if (number_or(m, "level", 1) != 1) { spice_left_out(s, m->span, "levels of MOS transistors above 1"); return NULL; }
  s->parts |= PART_MOS;
  capacitances(s, m);
  return arena_printf(s->a, "Mosfet %s(d = %s, g = %s, s = %s%s, K = %.12g [A/V^2], Vt = %s, lambda = %.12g [1/V]);",
                      spice_known(n, "part", c->item[0].text), node(s, n, c, 1), node(s, n, c, 2), node(s, n, c, 3),
                      p ? ", sign = -1" : "", k, spice_quantity(s->a, sign * number_or(m, "vto", 0), "V"),
                      number_or(m, "lambda", 0));
}

// ---- controlled sources ---------------------------------------------------------------------------------------------
// c0 + c1 x + c2 x^2 ..., x a number.
static const char *polynomial(Spice *s, Names *n, const Card *c, int from, const char *x, const char *unit) {
  const char *sum = "";
  for (int i = from, k = 0; i < c->n && !c->item[i].key; i++, k++) {
    const char *f = spice_value(s, n, &c->item[i], "");
    const char *power = k == 0 ? "" : k == 1 ? arena_printf(s->a, "*(%s)", x) : arena_printf(s->a, "*(%s)^%d", x, k);
    sum = arena_printf(s->a, "%s%s(%s)%s", sum, *sum ? " + " : "", f, power);
  }
  return arena_printf(s->a, "(%s)*1 [%s]", *sum ? sum : "0", unit);
}

static const char *controlled(Spice *s, Names *n, const Card *c, bool voltage) {
  const char *unit = voltage ? "V" : "A";
  for (int i = 3; i < c->n && i < 5; i++)                // a gain stands behind the nodes that control
    if (c->item[i].ex) return part_with(s, n, c, voltage, spice_value(s, n, &c->item[i], unit));
  if (c->n > 6 && spice_is_word(&c->item[3], "poly")) {
    if (c->item[4].number != 1) { spice_left_out(s, c->span, "POLY of several controls"); return NULL; }
    const char *x = arena_printf(s->a, "(%s - %s)/1 [V]", node(s, n, c, 5), node(s, n, c, 6));
    return part_with(s, n, c, voltage, polynomial(s, n, c, 7, x, unit));
  }
  const char *gain = value_at(s, n, c, 5, voltage ? "" : "S");
  return arena_printf(s->a, "%s, c = %s, d = %s, %s = %s);",
                      two(s, n, c, voltage ? "VoltageByVoltage" : "CurrentByVoltage"), node(s, n, c, 3),
                      node(s, n, c, 4), voltage ? "gain" : "G", gain);
}

static const char *by_current(Spice *s, Names *n, const Card *c, bool voltage) {
  const char *unit = voltage ? "V" : "A";
  bool poly = c->n > 5 && spice_is_word(&c->item[3], "poly");
  int at = poly ? 5 : 3;
  const char *control = at < c->n && c->item[at].text ? spice_known(n, "part", c->item[at].text) : NULL;
  if (!control) return no_control(s, c);
  if (poly)
    return part_with(s, n, c, voltage, polynomial(s, n, c, 6, arena_printf(s->a, "%s.i/1 [A]", control), unit));
  return arena_printf(s->a, "%s, control = %s.i, %s = %s);", two(s, n, c, voltage ? "VoltageByCurrent" :
                      "CurrentByCurrent"), control, voltage ? "R" : "gain", value_at(s, n, c, 4, voltage ? "ohm" : ""));
}

static const char *behaviour(Spice *s, Names *n, const Card *c) {
  const Item *v = spice_key(c, "v"), *i = spice_key(c, "i");
  if (v || i) return part_with(s, n, c, v != NULL, spice_value(s, n, v ? v : i, v ? "V" : "A"));
  spice_fail(s, c->span, "a B source is V = expression or I = expression");
  return NULL;
}

static const char *line(Spice *s, Names *n, const Card *c) {
  const Item *f = spice_key(c, "f"), *nl = spice_key(c, "nl");
  const char *late = key_or(s, n, c, "td", "s", NULL);
  if (!late && f && f->is_number)
    late = spice_quantity(s->a, (nl && nl->is_number ? nl->number : 0.25) / f->number, "s");
  if (!late) { spice_fail(s, c->span, "a line needs its delay: TD=10n"); return NULL; }
  s->parts |= PART_LINE;
  return arena_printf(s->a, "%s, c = %s, d = %s, Z0 = %s, Td = %s);", two(s, n, c, "Line"), node(s, n, c, 3),
                      node(s, n, c, 4), key_or(s, n, c, "z0", "ohm", "50 [ohm]"), late);
}

// ---- subcircuits ----------------------------------------------------------------------------------------------------
static const char *instance(Spice *s, Names *n, const Card *c) {
  int at = c->n - 1;
  while (at > 0 && (c->item[at].key || (c->item[at].text && !strcmp(c->item[at].text, "params:")))) at--;
  Circuit *of = NULL;
  for (size_t i = 0; i < s->circuits.n; i++)
    if (c->item[at].text && !strcmp(s->circuits.at[i]->name, c->item[at].text)) of = s->circuits.at[i];
  if (!of) { spice_fail(s, c->item[at].span, "there is no subcircuit `%s`", c->item[at].as); return NULL; }
  Text t = { 0 };
  int ports = 0;
  text_printf(&t, "%s %s(", of->own, spice_known(n, "part", c->item[0].text));
  for (int i = 2; i < of->head.n && !of->head.item[i].key; i++) {
    if (!strcmp(of->head.item[i].text, "params:")) continue;
    if (++ports >= at) break;
    text_printf(&t, "%sp%d = %s", ports > 1 ? ", " : "", ports, node(s, n, c, ports));
  }
  if (ports != at - 1)
    spice_fail(s, c->span, "`%s` has %d nodes, and the subcircuit `%s` another number", c->item[0].as, at - 1,
               of->name);
  if (of->grounded) text_printf(&t, "%sground = gnd", ports ? ", " : "");
  for (int i = at + 1; i < c->n; i++)
    if (c->item[i].key)
      text_printf(&t, ", %s = %s", c->item[i].key, spice_value(s, n, &c->item[i], ""));
  text_add(&t, ");");
  const char *kept = arena_strndup(s->a, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

const char *spice_element(Spice *s, Circuit *in, Names *n, const Card *c) {
  bool top = in->parent == NULL;
  switch (*c->item[0].text) {
  case 'r': return arena_printf(s->a, "%s);", passive(s, n, c, "Resistor", "r", "ohm"));
  case 'c': return capacitor(s, n, c, top);
  case 'l': {
    const Item *ic = spice_key(c, "ic");
    const char *text = passive(s, n, c, "Inductor", "l", "H");
    if (ic) return arena_printf(s->a, "%s, i0 = %s);", text, spice_value(s, n, ic, "A"));
    return arena_printf(s->a, "%s);", text);
  }
  case 'v': return voltage(s, in, n, c);
  case 'i': return part_with(s, n, c, false, spice_source(s, n, c, 3, "A"));
  case 'd': return diode(s, n, c);
  case 's': return switched(s, in, n, c, false);
  case 'w': return switched(s, in, n, c, true);
  case 'e': return controlled(s, n, c, true);
  case 'g': return controlled(s, n, c, false);
  case 'f': return by_current(s, n, c, false);
  case 'h': return by_current(s, n, c, true);
  case 'b': return behaviour(s, n, c);
  case 't': return line(s, n, c);
  case 'q': return bipolar(s, n, c);
  case 'm': return mosfet(s, n, c);
  case 'x': return instance(s, n, c);
  default:
    spice_left_out(s, c->span, arena_printf(s->a, "elements `%c`", *c->item[0].text - 32));
    return NULL;
  }
}
