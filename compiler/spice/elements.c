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
    "// A junction by Shockley's equation, at 27 degrees Celsius: exp(x) - 1 = tanh(x/2) (exp(x) + 1), which keeps\n"
    "// its digits at 0. A large exponential goes on as a line.\n"
    "model Junction(a : node, b : node, Is : A = 1e-14, N = 1) {\n"
    "  var x = (a - b)/(N*25.864926 [mV]);\n"
    "  flow a to b = Is*tanh(x/2)*(exp(min(x, 40))*(1 + max(x - 40, 0)) + 1) + (a - b)*1e-12 [S];\n"
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
    "  var between = max(min(sign*(d - s), forth), -back);      // forth - back, with its digits where d is near s\n"
    "  flow d to s = sign*K/2*(forth + back)*between*(1 + lambda*abs(d - s));\n"
    "}\n" },
  { PART_BJT,
    "// A bipolar transistor by Ebers and Moll, at 27 degrees Celsius; sign: 1 of npn, -1 of pnp; exp(x) - 1 in a\n"
    "// form that keeps its digits at 0.\n"
    "function junction(x) = tanh(x/2)*(exp(min(x, 40))*(1 + max(x - 40, 0)) + 1);\n"
    "model Bipolar(c : node, b : node, e : node, sign = 1, Is : A = 1e-16, BF = 100, BR = 1) {\n"
    "  var f = Is*junction(sign*(b - e)/25.864926 [mV]), r = Is*junction(sign*(b - c)/25.864926 [mV]);\n"
    "  flow b to e = sign*f/BF + (b - e)*1e-12 [S];\n"
    "  flow b to c = sign*r/BR + (b - c)*1e-12 [S];\n"
    "  flow c to e = sign*(f - r);\n"
    "}\n" },
  { PART_WINDING,
    "// A coil in which others induce a voltage.\n"
    "model Winding(a : node, b : node, L : H, induced : V = 0, i0 : A = 0) {\n"
    "  state i : A = i0;\n"
    "  L*i' + induced = a - b;\n"
    "  flow a to b = i;\n"
    "}\n" } };

const char *spice_parts(unsigned parts) {
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (own[i].part == parts) return own[i].text;
  return NULL;
}

// ---- models --------------------------------------------------------------------------------------------------------
static const Card *model_of(Spice *s, const Card *c, int at, const char *type) {
  const Card *m = at < c->n && c->item[at].text ? spice_model(s, c->item[at].text) : NULL;
  if (!m) spice_fail(s, c->span, "`%s` names no `.model`", c->item[0].as);
  else if (m->item[1].taken = c->item[at].taken = true, strncmp(m->item[2].text, type, strlen(type)) != 0)
    spice_fail(s, c->item[at].span, "the model `%s` is of type %s, and not %s", c->item[at].as, m->item[2].as, type);
  return m;
}

// ---- diodes, switches, transistors ---------------------------------------------------------------------------------
// What junctions do not have here: charges, and another temperature than 27 degrees Celsius.
static void left_out_of_junctions(Spice *s, const Card *m) {
  static const char *const keys[] = { "cjo", "cj0", "tt", "cje", "cjc", "tf", "tr", "cgso", "cgdo", "cbd", "cbs" };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (spice_key(m, keys[i])) spice_left_out(s, spice_key(m, keys[i])->span, "capacitances and charges of junctions");
  bool ideal = *m->item[2].text == 'd' && !s->set->exponential;
  if (!ideal && (s->temperature != 27 || s->nominal != 27))
    spice_left_out(s, m->span, "the temperature of diodes and transistors (they are at 27 degrees Celsius)");
}

// A value of the model for so many of it side by side (the area, M); of a resistance divided by it.
static const char *scaled(Spice *s, const char *value, const char *many, bool divided) {
  return many ? arena_printf(s->a, divided ? "%s/(%s)" : "%s*(%s)", value, many) : value;
}

// The area behind the model or by its key, and M; NULL: one. `off` is a hint for the operating point.
static const char *area_of(Spice *s, Names *n, const Card *c, int at) {
  Item *m = spice_key(c, "m");
  const char *area = spice_key_or(s, n, c, "area", "", NULL), *many = m ? spice_value(s, n, m, "") : NULL;
  for (int i = at; i < c->n; i++)
    if (spice_is_word(&c->item[i], "off")) c->item[i].taken = true;
  if (at < c->n && !c->item[at].key && (c->item[at].is_number || c->item[at].ex))
    area = spice_value(s, n, &c->item[at], "");
  return area && many ? arena_printf(s->a, "(%s)*(%s)", area, many) : area ? area : many;
}

// LTspice's diode of straight lines: RON above VFWD, ROFF below, RREV (RON) below -VREV.
static const char *straight_lines(Spice *s, Names *n, const Card *c, const Card *m) {
  const char *on = spice_key_or(s, n, m, "ron", "ohm", "1 [ohm]"), *off = spice_key_or(s, n, m, "roff", "ohm", NULL),
             *forward = spice_key_or(s, n, m, "vfwd", "V", "0 [V]"), *back = spice_key_or(s, n, m, "vrev", "V", NULL),
             *name = spice_known(n, "part", c->item[0].text), *rest = "";
  const char *back_on = spice_key_or(s, n, m, "rrev", "ohm", on);
  if (off)
    rest = arena_printf(s->a, "\n  Resistor %s_off(a = %s, b = %s, R = %s);", name, spice_node(s, n, c, 1),
                        spice_node(s, n, c, 2), off);
  if (back)
    rest = arena_printf(s->a, "%s\n  ThresholdDiode %s_back(a = %s, b = %s, Vf = %s, R = %s);", rest, name,
                        spice_node(s, n, c, 2), spice_node(s, n, c, 1), back, back_on);
  return arena_printf(s->a, "%s, Vf = %s, R = %s);%s", spice_two(s, n, c, "ThresholdDiode"), forward, on, rest);
}

// A part of two nodes with the resistance rs (NULL: none) before it, by a node of its own. *from: what is at the part.
static const char *behind_resistance(Spice *s, Names *n, const Card *c, const char *part, const char *rs,
                                     const char **from) {
  const char *name = spice_known(n, "part", c->item[0].text);
  *from = spice_node(s, n, c, 1);
  if (!rs) return spice_two(s, n, c, part);
  const char *inner = spice_name(n, "node", arena_printf(s->a, "%s.inner", c->item[0].text),
                                 arena_printf(s->a, "%s_inner", name));
  const char *text = arena_printf(s->a, "node %s : V;  Resistor %s_Rs(a = %s, b = %s, R = %s);\n  %s %s(a = %s, b = %s",
                                  inner, name, *from, inner, rs, part, name, inner, spice_node(s, n, c, 2));
  *from = inner;
  return text;
}

// Breakdown as in ngspice: the same law backwards with NBV (or N), so placed that IBV (or 1 mA) flows at BV.
static const char *breakdown(Spice *s, Names *n, const Card *c, const Card *m, const char *from, const char *is) {
  const char *bv = spice_key_or(s, n, m, "bv", "V", NULL), *at = spice_key_or(s, n, m, "ibv", "A", "1 [mA]"),
             *steep = spice_key_or(s, n, m, "nbv", "", spice_key_or(s, n, m, "n", "", "1"));
  if (!bv) return "";
  const char *name = spice_known(n, "part", c->item[0].text), *wanted = arena_printf(s->a, "%s_zener", name);
  const char *inner = spice_name(n, "node", arena_printf(s->a, "%s.zener", c->item[0].text), wanted);
  return arena_printf(s->a, "\n  node %s : V;  Junction %s_back(a = %s, b = %s, Is = %s, N = %s);\n"
                      "  VoltageSource %s_Bv(a = %s, b = %s, V = %s - %s*25.864926 [mV]*log(1 + (%s)/(%s)));", inner,
                      name, spice_node(s, n, c, 2), inner, is, steep, name, inner, from, bv, steep, at, is);
}

static const char *diode(Spice *s, Names *n, const Card *c) {
  const Card *m = model_of(s, c, 3, "d");
  if (!m) return NULL;
  const char *many = area_of(s, n, c, 4);
  if (spice_key(m, "ron") || spice_key(m, "roff") || spice_key(m, "vfwd")) return straight_lines(s, n, c, m);
  const char *rs = spice_key_or(s, n, m, "rs", "ohm", "0"), *is = spice_key_or(s, n, m, "is", "A", "1e-14 [A]"),
             *steep = spice_key_or(s, n, m, "n", "", "1");
  const char *from;
  bool resists = strcmp(rs, "0") && strncmp(rs, "0 [", 3);
  rs = resists ? scaled(s, rs, many, true) : NULL;
  left_out_of_junctions(s, m);
  if (s->set->exponential) {
    s->parts |= PART_JUNCTION;
    spice_key(m, "vj");                                    // of the capacitance
    const char *all = scaled(s, is, many, false), *part = behind_resistance(s, n, c, "Junction", rs, &from);
    return arena_printf(s->a, "%s, Is = %s, N = %s);%s", part, all, steep, breakdown(s, n, c, m, from, all));
  }
  Item *bv = spice_key(m, "bv");
  const char *vf = spice_key_or(s, n, m, "vj", "V", "0.7 [V]");
  if (bv) {
    const char *part = behind_resistance(s, n, c, "Zener", rs, &from);
    return arena_printf(s->a, "%s, Vf = %s, Vz = %s);", part, vf, spice_value(s, n, bv, "V"));
  }
  if (!resists) return arena_printf(s->a, "%s, Vf = %s);", spice_two(s, n, c, "ThresholdDiode"), vf);
  return arena_printf(s->a, "%s, Vf = %s, R = %s);", spice_two(s, n, c, "ThresholdDiode"), vf, rs);
}

static const char *no_control(Spice *s, const Card *c) {
  spice_fail(s, c->span, "the current that controls `%s` is of no part", c->item[0].as);
  return NULL;
}

static bool has(const Card *c, const char *key) {
  for (int i = 1; i < c->n; i++)
    if (c->item[i].key && !strcmp(c->item[i].key, key)) return true;
  return false;
}

// The voltage source between the nodes that control a switch: its wave is known as a function of time, and the instants
// of the switch with it.
static const Card *source_at(const Circuit *in, const Card *c) {
  for (size_t i = 0; c->n > 4 && c->item[3].text && c->item[4].text && i < in->cards.n; i++) {
    const Card *v = &in->cards.at[i];
    bool wave = *v->item[0].text == 'v' && v->n > 3 && v->item[1].text && v->item[2].text;
    if (wave && !has(v, "rser") && !strcmp(v->item[1].text, c->item[3].text) &&
        !strcmp(v->item[2].text, c->item[4].text))
      return v;
  }
  return NULL;
}

// The voltage of the capacitor between the nodes that control a switch: it is a state, so the instant at which the
// switch turns is located. NULL: there is none.
static const char *charge_at(Spice *s, const Circuit *in, const Names *n, const Card *c) {
  if (c->n < 5 || !c->item[3].text || !c->item[4].text || s->set->hold) return NULL;
  for (size_t i = 0; i < in->cards.n; i++) {
    const Card *x = &in->cards.at[i];
    if (*x->item[0].text != 'c' || x->n < 4 || !x->item[1].text || !x->item[2].text || has(x, "rser")) continue;
    const char *name = spice_known(n, "part", x->item[0].text);
    bool same = !strcmp(x->item[1].text, c->item[3].text) && !strcmp(x->item[2].text, c->item[4].text);
    bool turned = !strcmp(x->item[1].text, c->item[4].text) && !strcmp(x->item[2].text, c->item[3].text);
    if (same || turned) return arena_printf(s->a, "%s%s.u/1 [V]", turned ? "-" : "", name);
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
  if (!has_switch(in, c)) return spice_part_with(s, n, c, true, wave);
  return arena_printf(s->a, "var %s_wave = %s;\n  %s", name, wave,
                      spice_part_with(s, n, c, true, arena_printf(s->a, "%s_wave", name)));
}

// Where a switch turns: ngspice's SW and CSW at VT + VH (IT, IH) upwards and at VT - VH downwards; PSpice's VSWITCH and
// ISWITCH, whose resistance goes from ROFF at VOFF to RON at VON (ION, IOFF), half way between. LTspice goes over
// smoothly where VH is negative: half way, too.
typedef struct Threshold { const char *below, *above; bool inverted; } Threshold;

// a + sign b as text, a number where both are.
static const char *sum_of(Spice *s, Names *n, Item *a, double a0, Item *b, double b0, double sign, double factor) {
  if ((!a || a->is_number) && (!b || b->is_number))
    return spice_quantity(s->a, factor * ((a ? a->number : a0) + sign * (b ? b->number : b0)), "");
  return arena_printf(s->a, "%.12g*((%s) %s (%s))", factor, a ? spice_value(s, n, a, "") : spice_quantity(s->a, a0, ""),
                      sign < 0 ? "-" : "+", b ? spice_value(s, n, b, "") : spice_quantity(s->a, b0, ""));
}

static Threshold threshold(Spice *s, Names *n, const Card *m, bool by_current) {
  if (strstr(m->item[2].text, "switch")) {
    Item *on = spice_key(m, by_current ? "ion" : "von"), *off = spice_key(m, by_current ? "ioff" : "voff");
    double on0 = by_current ? 1e-3 : 1;
    if ((on && !on->is_number) || (off && !off->is_number))
      spice_fail(s, m->span, "where the switch `%s` turns has to be given by numbers here", m->item[1].as);
    bool inverted = (on ? on->number : on0) < (off ? off->number : 0);
    const char *middle = sum_of(s, n, on, on0, off, 0, 1, inverted ? -0.5 : 0.5);
    return (Threshold){ middle, middle, inverted };
  }
  Item *middle = spice_key(m, by_current ? "it" : "vt"), *half = spice_key(m, by_current ? "ih" : "vh");
  if (half && half->is_number && half->number < 0) half = NULL;
  return (Threshold){ sum_of(s, n, middle, 0, half, 0, -1, 1), sum_of(s, n, middle, 0, half, 0, 1, 1), false };
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
  const char *charge = by_current ? NULL : charge_at(s, in, n, c);
  const char *x = charge       ? charge
                  : by_current ? arena_printf(s->a, "%s.i/1 [A]", control)
                  : source     ? arena_printf(s->a, "%s_wave/1 [V]", spice_known(n, "part", source->item[0].text))
                               : arena_printf(s->a, "(%s - %s)/1 [V]", spice_node(s, n, c, 3),
                                              spice_node(s, n, c, 4));
  Threshold turns = threshold(s, n, m, by_current);
  if (turns.inverted) x = arena_printf(s->a, *x == '-' ? "-(%s)" : "-%s", x);
  bool on = at + 1 < c->n && spice_is_word(&c->item[at + 1], "on");
  if (on || (at + 1 < c->n && spice_is_word(&c->item[at + 1], "off"))) c->item[at + 1].taken = true;
  spice_take(&(Card){ c->item, at, c->span }, 3);
  s->parts |= PART_SWITCH;
  return arena_printf(s->a, "%s, x = %s, below = %s, above = %s, Ron = %s, Roff = %s%s);",
                      spice_two(s, n, c, "SwitchBy"), x, turns.below, turns.above,
                      spice_key_or(s, n, m, "ron", "ohm", "1 [ohm]"),
                      spice_key_or(s, n, m, "roff", "ohm", "1e6 [Mohm]"), on ? ", closed = 1" : "");
}

static const char *bipolar(Spice *s, Names *n, const Card *c) {
  int at = 4;
  if (at < c->n && c->item[at].text && !spice_model(s, c->item[at].text)) c->item[at++].taken = true;   // the substrate
  bool pnp = at < c->n && c->item[at].text && spice_model(s, c->item[at].text) &&
             !strcmp(spice_model(s, c->item[at].text)->item[2].text, "pnp");
  const Card *m = model_of(s, c, at, pnp ? "pnp" : "npn");
  if (!m) return NULL;
  s->parts |= PART_BJT;
  left_out_of_junctions(s, m);
  const char *is = scaled(s, spice_key_or(s, n, m, "is", "A", "1e-4 [pA]"), area_of(s, n, c, at + 1), false);
  return arena_printf(s->a, "Bipolar %s(c = %s, b = %s, e = %s%s, Is = %s, BF = %s, BR = %s);",
                      spice_known(n, "part", c->item[0].text), spice_node(s, n, c, 1), spice_node(s, n, c, 2),
                      spice_node(s, n, c, 3), pnp ? ", sign = -1" : "", is, spice_key_or(s, n, m, "bf", "", "100"),
                      spice_key_or(s, n, m, "br", "", "1"));
}

// Is the value of an item a number, or is it not there? Then it is put into *x.
static bool plain(const Item *i, double *x) {
  if (i && i->is_number) *x = i->number;
  return !i || i->is_number;
}

// KP W/L and what stands side by side.
static const char *strength(Spice *s, Names *n, const Card *c, const Card *m) {
  Item *of[] = { spice_key(m, "kp"), spice_key(c, "w"), spice_key(c, "l"), spice_key(c, "m") };
  double x[] = { 2e-5, 1e-4, 1e-4, 1 };
  bool number = true;
  for (int i = 0; i < 4; i++) number &= plain(of[i], &x[i]);
  if (number) return arena_printf(s->a, "%.12g [A/V^2]", x[0] * x[1] / x[2] * x[3]);
  const char *text[4];
  for (int i = 0; i < 4; i++) text[i] = of[i] ? spice_value(s, n, of[i], "") : spice_quantity(s->a, x[i], "");
  return arena_printf(s->a, "(%s)*(%s)/(%s)*(%s)*1 [A/V^2]", text[0], text[1], text[2], text[3]);
}

// The junction between the bulk and an end of a channel, the diode that a MOS transistor has in itself: forwards from
// the p side to the n side. None where both are one node.
static const char *body_diode(Spice *s, Names *n, const Card *c, const Card *m, int end, bool p) {
  const char *bulk = spice_node(s, n, c, 4), *other = spice_node(s, n, c, end);
  const char *is = spice_key_or(s, n, m, "is", "A", "1e-14 [A]"), *name = spice_known(n, "part", c->item[0].text);
  if (!strcmp(bulk, other)) return "";
  if (s->set->exponential) s->parts |= PART_JUNCTION;
  return arena_printf(s->a, "\n  %s %s_b%s(a = %s, b = %s%s%s);", s->set->exponential ? "Junction" : "ThresholdDiode",
                      name, end == 1 ? "d" : "s", p ? other : bulk, p ? bulk : other,
                      s->set->exponential ? ", Is = " : "", s->set->exponential ? is : "");
}

static const char *mosfet(Spice *s, Names *n, const Card *c) {
  const Card *m = c->n > 5 && c->item[5].text ? spice_model(s, c->item[5].text) : NULL;
  bool p = m && !strcmp(m->item[2].text, "pmos");
  if (!(m = model_of(s, c, 5, p ? "pmos" : "nmos"))) return NULL;
  Item *level = spice_key(m, "level"), *vto = spice_key(m, "vto");
  if (level && (!level->is_number || level->number != 1)) {
    spice_left_out(s, m->span, "levels of MOS transistors above 1");
    return NULL;
  }
  if (!vto) vto = spice_key(m, "vt0");
  double vt = 0;
  const char *threshold = plain(vto, &vt) ? spice_quantity(s->a, p ? -vt : vt, "V")
                                          : arena_printf(s->a, p ? "-%s" : "%s", spice_value(s, n, vto, "V"));
  if (vto) vto->taken = true;
  s->parts |= PART_MOS;
  left_out_of_junctions(s, m);
  const char *drain = body_diode(s, n, c, m, 1, p), *source = body_diode(s, n, c, m, 3, p);
  return arena_printf(s->a, "Mosfet %s(d = %s, g = %s, s = %s%s, K = %s, Vt = %s, lambda = %s);%s%s",
                      spice_known(n, "part", c->item[0].text), spice_node(s, n, c, 1), spice_node(s, n, c, 2),
                      spice_node(s, n, c, 3), p ? ", sign = -1" : "", strength(s, n, c, m), threshold,
                      spice_key_or(s, n, m, "lambda", "1/V", "0 [1/V]"), drain, source);
}

// ---- lines ---------------------------------------------------------------------------------------------------------
static const char *line(Spice *s, Names *n, const Card *c) {
  Item *f = spice_key(c, "f"), *nl = spice_key(c, "nl");
  const char *late = spice_key_or(s, n, c, "td", "s", NULL);
  if (!late && f && f->is_number)
    late = spice_quantity(s->a, (nl && nl->is_number ? nl->number : 0.25) / f->number, "s");
  if (!late) { spice_fail(s, c->span, "a line needs its delay: TD=10n"); return NULL; }
  s->parts |= PART_LINE;
  const char *z0 = spice_key_or(s, n, c, "z0", "ohm", NULL);
  if (!z0) z0 = spice_key_or(s, n, c, "zo", "ohm", "50 [ohm]");
  return arena_printf(s->a, "%s, c = %s, d = %s, Z0 = %s, Td = %s);", spice_two(s, n, c, "Line"),
                      spice_node(s, n, c, 3), spice_node(s, n, c, 4), z0, late);
}

// ---- subcircuits ---------------------------------------------------------------------------------------------------
static const char *argument_name(Spice *s, const Circuit *of, const Card *c, const Item *x) {
  for (int i = 2; i < of->head.n; i++)
    if (of->head.item[i].key && !strcmp(of->head.item[i].key, x->key)) return spice_known(&of->names, "param", x->key);
  spice_fail(s, x->span, "the subcircuit `%s` of `%s` has no parameter `%s`", of->name, c->item[0].as, x->key);
  return x->key;
}

static const char *instance(Spice *s, Names *n, const Card *c) {
  int at = c->n - 1;
  while (at > 0 && (c->item[at].key || spice_is_mark(&c->item[at]))) at--;
  Circuit *of = spice_circuit_of(s, s->in, c);
  if (!of) { spice_fail(s, c->item[at].span, "there is no subcircuit `%s`", c->item[at].as); return NULL; }
  Text t = { 0 };
  int ports = 0;
  const char *comma = "";
  text_printf(&t, "%s %s(", of->own, spice_known(n, "part", c->item[0].text));
  for (int i = 2; i < of->head.n && !of->head.item[i].key; i++) {
    if (spice_is_mark(&of->head.item[i])) continue;
    if (++ports >= at) break;
    if (spice_is_ground(of->head.item[i].text)) {          // ground is one node, also as the name of a pin
      if (!spice_is_ground(c->item[ports].text))
        spice_left_out(s, c->item[ports].span, "what stands at a pin called 0 or gnd (it is the ground everywhere)");
      c->item[ports].taken = true;
      continue;
    }
    text_printf(&t, "%s%s = %s", comma, spice_known(&of->names, "node", of->head.item[i].text),
                spice_node(s, n, c, ports));
    comma = ", ";
  }
  if (ports != at - 1)
    spice_fail(s, c->span, "`%s` has %d nodes, and the subcircuit `%s` another number", c->item[0].as, at - 1,
               of->name);
  for (size_t g = 0; g < s->globals.n; g++) {
    if (!(of->globals >> g & 1)) continue;
    const char *node = spice_known(n, "node", s->globals.at[g]);
    text_printf(&t, "%s%s = %s", comma, spice_global_name(s, g), node ? node : "gnd");
    comma = ", ";
  }
  spice_take(&(Card){ c->item, at + 1, c->span }, at);
  for (int i = at + 1; i < c->n; i++) {
    Item *x = &c->item[i];
    if (!x->key) { x->taken = true; continue; }                            // params:
    if (!strcmp(x->key, "m")) {
      spice_fail(s, x->span, "several subcircuits side by side by M= are not taken: write them one by one");
      continue;
    }
    text_printf(&t, "%s%s = %s", comma, argument_name(s, of, c, x), spice_value(s, n, x, ""));
    comma = ", ";
  }
  for (size_t i = 0; i < of->inherits.n; i++)
    text_printf(&t, ", %s = %s", spice_known(&of->names, "param", of->inherits.at[i]),
                spice_known(n, "param", of->inherits.at[i]));
  for (size_t i = 0; s->set->nstart && i < of->charges.n; i++) {
    const Charge *x = &of->charges.at[i];
    const char *path = arena_printf(s->a, "%s.%s", spice_known(n, "part", c->item[0].text), x->path);
    const char *start = spice_charge(s, s->in, path, x->unit);
    if (start) text_printf(&t, "%s%s = %s", comma, spice_known(&of->names, "start", x->path), start);
  }
  text_add(&t, ");");
  const char *kept = arena_strndup(s->a, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

static const char *element(Spice *s, Circuit *in, Names *n, const Card *c) {
  switch (*c->item[0].text) {
  case 'r': case 'c': case 'l': return spice_passive(s, in, n, c);
  case 'v': return voltage(s, in, n, c);
  case 'i': return spice_part_with(s, n, c, false, spice_source(s, n, c, 3, "A"));
  case 'd': return diode(s, n, c);
  case 's': return switched(s, in, n, c, false);
  case 'w': return switched(s, in, n, c, true);
  case 'e': case 'g': case 'f': case 'h': case 'b': return spice_controlled(s, n, c);
  case 't': return line(s, n, c);
  case 'q': return bipolar(s, n, c);
  case 'm': return mosfet(s, n, c);
  case 'x': return instance(s, n, c);
  default:
    spice_left_out(s, c->span, spice_elements(s, c));
    return NULL;
  }
}

// What stands in a part comes between it and its second node.
const char *spice_element(Spice *s, Circuit *in, Names *n, const Card *c) {
  Text before = { 0 };
  bool inside = strchr("clv", *c->item[0].text) && c->n > 3;
  const char *inner = inside ? spice_inside(s, n, c, &before) : NULL;
  const char *outer = inner ? c->item[2].text : NULL;
  if (inner) c->item[2].text = inner;
  const char *part = element(s, in, n, c);
  if (inner) c->item[2].text = outer;
  if (!part) spice_take(c, 1);
  else if (before.n) part = arena_printf(s->a, "%s%s", text_str(&before), part);
  text_free(&before);
  return part;
}
