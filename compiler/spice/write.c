// The model as text. A subcircuit is a model of its own with its nodes p1, p2, ... as arguments.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "netlist.h"
#include "spice.h"

// A name of a model: of letters and digits, the first a capital.
static const char *model_name(Arena *a, const char *from, const char *first) {
  char *name = arena_printf(a, "%s%s", isalpha((unsigned char)*from) ? "" : first, from);
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c)) *c = '_';
  *name = (char)toupper((unsigned char)*name);
  return name;
}

static const char *title_of(Spice *s) {
  const char *text = s->file->text;
  size_t n = strcspn(text, "\r\n");
  while (n && strchr(" \t*", *text)) { text++; n--; }
  return arena_strndup(s->a, text, n);
}

// ---- names ----------------------------------------------------------------------------------------------------------
static void name_params(Spice *s, const Circuit *c, Names *n) {
  for (const Circuit *at = c; at; at = at->parent)
    for (size_t i = 0; i < at->params.n; i++)
      for (int k = 1; k < at->params.at[i].n; k++)
        if (at->params.at[i].item[k].key) spice_name(n, "param", at->params.at[i].item[k].key,
                                                     at->params.at[i].item[k].key);
  for (int i = 2; c->name && i < c->head.n; i++)
    if (c->head.item[i].key) spice_name(n, "param", c->head.item[i].key, c->head.item[i].key);
  (void)s;
}

static bool node_at(const Card *c, int i) {
  const char letter = *c->item[0].text;
  int ports = spice_ports(c), last = c->n - 1;
  if (c->item[i].key || !c->item[i].text) return false;
  if (letter != 'x') return i <= ports || ((letter == 'e' || letter == 'g') && (i == 5 || i == 6) && c->item[3].text &&
                                           !strcmp(c->item[3].text, "poly"));
  while (last > 0 && (c->item[last].key || !strcmp(c->item[last].text, "params:"))) last--;
  return i < last;
}

// The nodes inside of a circuit, in the order of the netlist.
static int name_nodes(const Circuit *c, Names *n, Text *out) {
  int many = 0;
  for (size_t i = 0; i < c->cards.n; i++)
    for (int k = 1; k < c->cards.at[i].n; k++) {
      const Item *x = &c->cards.at[i].item[k];
      if (!node_at(&c->cards.at[i], k) || spice_is_ground(x->text) || spice_known(n, "node", x->text)) continue;
      text_printf(out, "%s%s : V", many++ ? ", " : "", spice_name(n, "node", x->text, x->as));
    }
  return many;
}

static void name_parts(const Circuit *c, Names *n) {
  for (size_t i = 0; i < c->cards.n; i++)
    spice_name(n, "part", c->cards.at[i].item[0].text, c->cards.at[i].item[0].as);
}

// ---- coupled coils --------------------------------------------------------------------------------------------------
static const Card *coil(const Circuit *c, const char *name) {
  for (size_t i = 0; name && i < c->cards.n; i++)
    if (!strcmp(c->cards.at[i].item[0].text, name)) return &c->cards.at[i];
  return NULL;
}

static const Card *coupling_of(const Circuit *c, const char *name) {
  for (size_t i = 0; i < c->cards.n; i++) {
    const Card *k = &c->cards.at[i];
    if (*k->item[0].text == 'k' && k->n > 3)
      for (int j = 1; j <= 2; j++)
        if (k->item[j].text && !strcmp(k->item[j].text, name)) return k;
  }
  return NULL;
}

// A factor of 1: the first coil beside an ideal transformer.
static const char *tightly(Spice *s, Names *n, const Card *k, const Card *one, const Card *two) {
  const char *a = spice_known(n, "node", one->item[1].text), *b = spice_known(n, "node", one->item[2].text);
  const Item *ic = spice_key(one, "ic");
  const char *start = ic ? arena_printf(s->a, ", i0 = %s", spice_value(s, n, ic, "A")) : "";
  return arena_printf(s->a, "Inductor %s(a = %s, b = %s, L = %s%s);\n"
                      "  Transformer %s(a = %s, b = %s, c = %s, d = %s, n = %.15g);",
                      spice_known(n, "part", one->item[0].text), a, b, spice_quantity(s->a, one->item[3].number, "H"),
                      start, spice_known(n, "part", k->item[0].text), a, b,
                      spice_known(n, "node", two->item[1].text), spice_known(n, "node", two->item[2].text),
                      sqrt(one->item[3].number / two->item[3].number));
}

static const char *coupled(Spice *s, const Circuit *c, Names *n, const Card *k) {
  const Card *one = k->n > 3 ? coil(c, k->item[1].text) : NULL, *two = k->n > 3 ? coil(c, k->item[2].text) : NULL;
  if (!one || !two || one->n < 4 || two->n < 4) {
    spice_fail(s, k->span, "a coupling names two coils and a factor: K1 L1 L2 0.99");
    return NULL;
  }
  if (coupling_of(c, one->item[0].text) != k || coupling_of(c, two->item[0].text) != k) {
    spice_fail(s, k->span, "a coil is coupled with one other here; `%s` is the second coupling", k->item[0].as);
    return NULL;
  }
  if (!one->item[3].is_number || !two->item[3].is_number || !k->item[3].is_number) {
    spice_fail(s, k->span, "coupled coils and their factor have to be numbers here");
    return NULL;
  }
  double l1 = one->item[3].number, l2 = two->item[3].number;
  Text t = { 0 };
  if (k->item[3].number >= 1 - 1e-9) return tightly(s, n, k, one, two);
  text_printf(&t, "CoupledInductors %s(a = %s, b = %s, c = %s, d = %s, L1 = %s, L2 = %s, M = %s",
              spice_known(n, "part", k->item[0].text), spice_known(n, "node", one->item[1].text),
              spice_known(n, "node", one->item[2].text), spice_known(n, "node", two->item[1].text),
              spice_known(n, "node", two->item[2].text), spice_quantity(s->a, l1, "H"), spice_quantity(s->a, l2, "H"),
              spice_quantity(s->a, k->item[3].number * sqrt(l1 * l2), "H"));
  const Item *i1 = spice_key(one, "ic"), *i2 = spice_key(two, "ic");
  if (i1) text_printf(&t, ", i10 = %s", spice_value(s, n, i1, "A"));
  if (i2) text_printf(&t, ", i20 = %s", spice_value(s, n, i2, "A"));
  text_add(&t, ");");
  const char *kept = arena_strndup(s->a, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

// ---- a circuit ------------------------------------------------------------------------------------------------------
static void params(Spice *s, const Circuit *c, Names *n, Text *out) {
  if (c->parent) params(s, c->parent, n, out);
  for (size_t i = 0; i < c->params.n; i++)
    for (int k = 1; k < c->params.at[i].n; k++) {
      const Item *x = &c->params.at[i].item[k];
      if (x->key) text_printf(out, "  param %s = %s;\n", spice_known(n, "param", x->key), spice_value(s, n, x, ""));
    }
}

static void elements(Spice *s, Circuit *c, Names *n, Text *out) {
  for (size_t i = 0; i < c->cards.n && !s->wrong; i++) {
    const Card *card = &c->cards.at[i];
    if (*card->item[0].text == 'l' && coupling_of(c, card->item[0].text)) continue;
    const char *part = *card->item[0].text == 'k' ? coupled(s, c, n, card) : spice_element(s, c, n, card);
    int line = spice_line(card->span);
    if (part) text_printf(out, "  %s  // line %d\n", part, line);
    else text_printf(out, "  // left out, line %d: %s\n", line, card->item[0].as);
  }
}

static void arguments(Spice *s, const Circuit *c, Names *n, Text *out) {
  int many = 0;
  for (int i = 2; i < c->head.n; i++) {
    const Item *x = &c->head.item[i];
    if (x->key || !strcmp(x->text, "params:")) continue;
    const char *name = arena_printf(s->a, "p%d", ++many);
    vec_push(&n->of, ((Named){ "node", x->text, name }));
    text_printf(out, "%s%s : node", many > 1 ? ", " : "", name);
  }
  if (c->grounded) text_printf(out, "%sground : node", many ? ", " : "");
  for (int i = 2; i < c->head.n; i++)
    if (c->head.item[i].key)
      text_printf(out, ", %s = %s", spice_known(n, "param", c->head.item[i].key),
                  spice_value(s, n, &c->head.item[i], ""));
}

// "gnd" is the argument `ground` inside of a subcircuit: one replacement over its text.
static void with_ground(const char *text, Text *out) {
  for (const char *at = text; *at;) {
    bool word = !strncmp(at, "gnd", 3) && (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
                !(isalnum((unsigned char)at[3]) || at[3] == '_');
    if (word) { text_add(out, "ground"); at += 3; }
    else text_addc(out, *at++);
  }
}

static void subcircuit(Spice *s, Circuit *c, Text *out) {
  Names n = { .a = s->a };
  Text body = { 0 }, nodes = { 0 };
  name_params(s, c, &n);
  text_printf(&body, "// Subcircuit %s, line %d.\nmodel %s(", c->head.item[1].as, spice_line(c->head.span), c->own);
  arguments(s, c, &n, &body);
  text_add(&body, ") {\n");
  params(s, c, &n, &body);
  if (name_nodes(c, &n, &nodes)) text_printf(&body, "  node %s;\n", text_str(&nodes));
  name_parts(c, &n);
  elements(s, c, &n, &body);
  text_add(&body, "}\n");
  with_ground(text_str(&body), out);
  text_free(&body);
  text_free(&nodes);
  vec_free(&n.of);
}

static void experiment(Spice *s, Names *n, Text *out) {
  if (!s->tran.n) return;
  const Card *c = &s->tran.at[0];
  bool uic = false;
  const char *step = c->n > 2 ? spice_value(s, n, &c->item[1], "s") : NULL, *until = NULL;
  if (!step) { spice_fail(s, c->span, "`.tran` needs a step and an end: .tran 1u 10m"); return; }
  until = spice_value(s, n, &c->item[2], "s");
  if (c->n > 4 && c->item[4].is_number && c->item[1].is_number && c->item[4].number < c->item[1].number)
    step = spice_value(s, n, &c->item[4], "s");
  for (int i = 1; i < c->n; i++) uic |= c->item[i].text && !strcmp(c->item[i].text, "uic");
  if (!uic)
    spice_left_out(s, c->span, "the operating point at the start (the run begins with the given charges, as by UIC)");
  text_printf(out, "  simulate { until = %s, step = %s }\n", until, step);
}

static void whole(Spice *s, Text *out) {
  Names n = { .a = s->a };
  Text nodes = { 0 };
  name_params(s, s->whole, &n);
  text_printf(out, "model %s {\n", s->whole->own);
  params(s, s->whole, &n, out);
  int many = name_nodes(s->whole, &n, &nodes);
  text_printf(out, "  node %s%sgnd : V = 0;\n", text_str(&nodes), many ? ", " : "");
  name_parts(s->whole, &n);
  elements(s, s->whole, &n, out);
  experiment(s, &n, out);
  text_add(out, "}\n");
  text_free(&nodes);
  vec_free(&n.of);
}

static bool write_model(Spice *s, Text *out) {
  Text body = { 0 };
  Names models = { .a = s->a };
  spice_name_models(&models);
  const char *slash = strrchr(s->file->path, '/'), *base = slash ? slash + 1 : s->file->path;
  const char *stem = arena_strndup(s->a, base, strcspn(base, "."));
  s->whole->own = spice_name(&models, "model", "", model_name(s->a, stem, "Circuit"));
  for (size_t i = 0; i < s->circuits.n; i++) {
    Circuit *c = s->circuits.at[i];
    c->own = spice_name(&models, "model", c->name, model_name(s->a, c->head.item[1].as, "Part"));
  }
  vec_free(&models.of);
  for (size_t i = 0; i < s->circuits.n && !s->wrong; i++) subcircuit(s, s->circuits.at[i], &body);
  if (!s->wrong) whole(s, &body);
  const char *title = title_of(s);
  text_printf(out, "// %s\n// From the netlist %s by nsm import.\n", *title ? title : "A circuit", s->file->path);
  for (size_t i = 0; i < s->left_out.n; i++) text_printf(out, "// Left out: %s.\n", s->left_out.at[i].item->text);
  text_add(out, "import \"std/circuit.nsm\";\n\n");
  for (unsigned part = 1; part <= PART_BJT; part *= 2)
    if (s->parts & part) text_printf(out, "%s\n", spice_parts(part));
  text_add(out, text_str(&body));
  text_free(&body);
  return !s->wrong;
}

static void release(Spice *s) {
  Cards *const lists[] = { &s->models, &s->initial, &s->tran, &s->shown, &s->left_out,
                          &s->functions };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) vec_free(lists[i]);
  vec_push(&s->circuits, s->whole);
  for (size_t i = 0; i < s->circuits.n; i++) {
    vec_free(&s->circuits.at[i]->cards);
    vec_free(&s->circuits.at[i]->params);
  }
  vec_free(&s->circuits);
}

bool spice_import(Arena *a, const SourceFile *f, bool exponential, Text *out, Text *notes, SpiceWrong *wrong) {
  Spice s = { .a = a, .file = f, .exponential = exponential };
  bool good = spice_read(&s) && write_model(&s, out);
  *notes = s.notes;
  *wrong = (SpiceWrong){ s.wrong, s.wrong_at };
  release(&s);
  return good;
}
