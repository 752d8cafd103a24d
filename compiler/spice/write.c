// The model as text. A subcircuit is a model of its own with its nodes p1, p2, ... as arguments.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "netlist.h"

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
// Those of the whole first: they have one name everywhere.
static void name_params(const Circuit *c, Names *n) {
  if (c->parent) name_params(c->parent, n);
  for (size_t i = 0; i < c->params.n; i++) spice_name(n, "param", c->params.at[i].item[1].key,
                                                      c->params.at[i].item[1].key);
  for (int i = 2; c->name && i < c->head.n; i++)
    if (c->head.item[i].key) spice_name(n, "param", c->head.item[i].key, c->head.item[i].key);
}

// The nodes inside of a circuit, in the order of the netlist.
static int name_nodes(const Circuit *c, Names *n, Text *out) {
  int many = 0;
  for (size_t i = 0; i < c->cards.n; i++)
    for (int k = 1; k < c->cards.at[i].n; k++) {
      const Item *x = &c->cards.at[i].item[k];
      if (!spice_is_node(&c->cards.at[i], k) || spice_is_ground(x->text) || spice_known(n, "node", x->text)) continue;
      text_printf(out, "%s%s : V", many++ ? ", " : "", spice_name(n, "node", x->text, x->as));
    }
  return many;
}

static void name_parts(const Circuit *c, Names *n) {
  for (size_t i = 0; i < c->cards.n; i++)
    spice_name(n, "part", c->cards.at[i].item[0].text, c->cards.at[i].item[0].as);
}

// ---- a circuit ------------------------------------------------------------------------------------------------------
static void params(Spice *s, Circuit *c, const char *indent, Text *out) {
  s->in = c;
  for (size_t i = 0; i < c->params.n; i++) {
    Item *x = &c->params.at[i].item[1];
    text_printf(out, "%sparam %s = %s;\n", indent, spice_known(&c->names, "param", x->key),
                spice_value(s, &c->names, x, ""));
  }
}

static void elements(Spice *s, Circuit *c, Names *n, Text *out) {
  for (size_t i = 0; i < c->cards.n && !s->wrong; i++) {
    const Card *card = &c->cards.at[i];
    if (spice_is_tight(c, card)) continue;
    if (*card->item[0].text == 'k' && !spice_coupling(s, c, card)) continue;
    const char *part = *card->item[0].text == 'k' ? spice_tight(s, c, n, card) : spice_element(s, c, n, card);
    int line = spice_line(card->span);
    if (part) text_printf(out, "  %s  // line %d\n", part, line);
    else text_printf(out, "  // left out, line %d: %s\n", line, card->item[0].as);
  }
}

// The nodes and parameters that a subcircuit takes.
static void name_arguments(Spice *s, Circuit *c) {
  Names *n = &c->names;
  int many = 0;
  for (int i = 2; c->name && i < c->head.n; i++) {
    const Item *x = &c->head.item[i];
    if (x->key || spice_is_mark(x)) continue;
    spice_name(n, "node", x->text, arena_printf(s->a, "p%d", ++many));
  }
  for (size_t g = 1; c->name && g < s->globals.n; g++)
    if ((c->globals >> g & 1) && !spice_known(n, "node", s->globals.at[g]))
      vec_push(&n->of, ((Named){ "node", s->globals.at[g], spice_global_name(s, g) }));
}

// All names of a circuit, before anything of it is written.
static void name_all(Spice *s, Circuit *c) {
  Text nodes = { 0 };
  c->names.a = s->a;
  name_params(c, &c->names);
  name_arguments(s, c);
  int many = name_nodes(c, &c->names, &nodes);
  for (size_t g = 1; !c->name && g < s->globals.n; g++)
    if (!spice_known(&c->names, "node", s->globals.at[g]))
      text_printf(&nodes, "%s%s : V", many++ ? ", " : "",
                  spice_name(&c->names, "node", s->globals.at[g], s->globals.at[g]));
  name_parts(c, &c->names);
  c->nodes = arena_strndup(s->a, text_str(&nodes), nodes.n);
  text_free(&nodes);
}

static void arguments(Spice *s, const Circuit *c, Names *n, Text *out) {
  int many = 0;
  for (int i = 2; i < c->head.n; i++)
    if (!c->head.item[i].key && !spice_is_mark(&c->head.item[i]) && !spice_is_ground(c->head.item[i].text))
      text_printf(out, "%s%s : node", many++ ? ", " : "", spice_known(n, "node", c->head.item[i].text));
  for (size_t g = 0; g < s->globals.n; g++)
    if (c->globals >> g & 1) text_printf(out, "%s%s : node", many++ ? ", " : "", spice_global_name(s, g));
  for (int i = 2; i < c->head.n; i++) {
    Item *x = &c->head.item[i];
    if (!x->key) continue;
    text_printf(out, "%s%s", many++ ? ", " : "", spice_known(n, "param", x->key));
    if (x->text || x->ex) text_printf(out, " = %s", spice_value(s, n, x, ""));
  }
  for (size_t i = 0; i < c->inherits.n; i++)
    text_printf(out, "%s%s", many++ ? ", " : "", spice_known(n, "param", c->inherits.at[i]));
  for (size_t i = 0; s->set->nstart && i < c->charges.n; i++)
    text_printf(out, "%s%s : %s = 0", many++ ? ", " : "", spice_known(n, "start", c->charges.at[i].path),
                c->charges.at[i].unit);
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

// Is this name a word of the text?
static bool mentions(const char *text, const char *name, size_t length) {
  for (const char *at = text; (at = strstr(at, name)); at++) {
    bool word = (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
                !(isalnum((unsigned char)at[length]) || at[length] == '_');
    if (word) return true;
  }
  return false;
}

// Of lines `  param NAME = ...;` those that the text needs, also by each other, in their order.
static void needed(Arena *a, const char *lines, const char *text, Text *out) {
  Text all = { 0 };
  size_t before;
  text_add(&all, text);
  do {
    before = all.n;
    for (const char *at = lines; *at; at = strchr(at, '\n') + 1) {
      size_t length = strcspn(at, "\n"), name = strcspn(at + 8, " =");
      const char *line = arena_strndup(a, at, length), *own = arena_strndup(a, at + 8, name);
      if (mentions(text_str(&all), own, name) && !strstr(text_str(&all), line)) text_printf(&all, "\n%s", line);
    }
  } while (all.n > before);
  for (const char *at = lines; *at; at = strchr(at, '\n') + 1) {
    const char *line = arena_strndup(a, at, strcspn(at, "\n"));
    if (strstr(text_str(&all), line)) text_printf(out, "%s\n", line);
  }
  text_free(&all);
}

static void subcircuit(Spice *s, Circuit *c, Text *out) {
  Names *n = &c->names;
  Text body = { 0 }, parts = { 0 }, lines = { 0 };
  s->in = c;
  text_printf(&body, "// Subcircuit %s, line %d.\nmodel %s(", c->head.item[1].as, spice_line(c->head.span), c->own);
  arguments(s, c, n, &body);
  text_add(&body, ") {\n");
  params(s, c, "  ", &lines);
  if (*c->nodes) text_printf(&parts, "  node %s;\n", c->nodes);
  elements(s, c, n, &parts);
  const char *heading = arena_strndup(s->a, text_str(&body), body.n);
  needed(s->a, text_str(&lines), arena_printf(s->a, "%s%s", heading, text_str(&parts)), &body);
  text_printf(&body, "%s}\n", text_str(&parts));
  with_ground(text_str(&body), out);
  Text *const all[] = { &body, &parts, &lines };
  for (int i = 0; i < 3; i++) text_free(all[i]);
}

// .tran STEP END [START [LARGEST]] [UIC]; LTspice writes .tran END alone, and 0 for a step that it chooses.
static void experiment(Spice *s, Names *n, Text *out) {
  if (!s->tran.n) return;
  const Card *c = &s->tran.at[0];
  int numbers = 0;
  bool uic = false;
  for (int i = 1; i < c->n; i++)
    if (spice_is_word(&c->item[i], "uic")) uic = c->item[i].taken = true;
  while (1 + numbers < c->n && spice_is_value(n, &c->item[1 + numbers])) numbers++;
  if (!numbers) { spice_fail(s, c->span, "`.tran` needs a step and an end: .tran 1u 10m"); return; }
  Item *end = &c->item[numbers > 1 ? 2 : 1], *given = numbers > 1 ? &c->item[1] : NULL,
       *largest = numbers > 3 ? &c->item[4] : NULL;
  if (end->is_number && !(end->number > 0)) {
    spice_fail(s, end->span, "the end of `.tran` is later than 0 s");
    return;
  }
  const char *until = spice_value(s, n, end, "s"), *step = NULL;
  bool none = !given || (given->is_number && given->number == 0);
  if (given) given->taken = true;
  if (largest) largest->taken = true;
  if (largest && largest->is_number && largest->number > 0 &&
      (none || (given->is_number && largest->number < given->number))) step = spice_value(s, n, largest, "s");
  else if (!none) step = spice_value(s, n, given, "s");
  else {
    step = arena_printf(s->a, "%s/2000", until);
    spice_left_out(s, c->span, "the choice of a step (`.tran` names none: the run has 2000)");
  }
  if (numbers > 2 && c->item[3].is_number && c->item[3].number == 0) c->item[3].taken = true;
  s->rests = !uic;
  if (!uic && s->set->no_rest)
    spice_left_out(s, c->span, arena_printf(s->a, "the operating point at the start (%s); the run begins with the "
                                            "given charges, as by UIC", s->set->no_rest));
  text_printf(out, "  simulate { until = %s, step = %s }\n", until, step);
}

static void whole(Spice *s, Text *out) {
  Circuit *c = s->whole;
  Names *n = &c->names;
  s->in = c;
  text_printf(out, "model %s {\n", c->own);
  text_printf(out, "  node %s%sgnd : V = 0;\n", c->nodes, *c->nodes ? ", " : "");
  elements(s, c, n, out);
  experiment(s, n, out);
  if (s->rests && (s->set->hold || s->set->nstart)) spice_hold(s, n, out);
  text_add(out, "}\n");
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
    c->own = spice_name(&models, "model", arena_printf(s->a, "%zu", i), model_name(s->a, c->head.item[1].as, "Part"));
  }
  vec_free(&models.of);
  for (size_t i = 0; i < s->circuits.n; i++) name_all(s, s->circuits.at[i]);
  name_all(s, s->whole);
  spice_count_charges(s, s->whole);
  params(s, s->whole, "", &body);
  for (size_t i = 0; i < s->circuits.n && !s->wrong; i++) subcircuit(s, s->circuits.at[i], &body);
  if (!s->wrong) whole(s, &body);
  if (!s->wrong) spice_report(s);
  const char *title = title_of(s);
  text_printf(out, "// %s\n// From the netlist %s by nsm import.\n", *title ? title : "A circuit", s->file->path);
  for (size_t i = 0; i < s->left_out.n; i++) text_printf(out, "// Left out: %s.\n", s->left_out.at[i].item->text);
  text_add(out, "import \"std/circuit.nsm\";\n\n");
  for (unsigned part = 1; part <= PART_WINDING; part *= 2)
    if (s->parts & part) text_printf(out, "%s\n", spice_parts(part));
  text_add(out, text_str(&body));
  text_free(&body);
  return !s->wrong;
}

static void release(Spice *s) {
  Cards *const lists[] = { &s->initial, &s->tran, &s->shown, &s->left_out,
                          &s->functions };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) vec_free(lists[i]);
  vec_push(&s->circuits, s->whole);
  for (size_t i = 0; i < s->circuits.n; i++) {
    vec_free(&s->circuits.at[i]->cards);
    vec_free(&s->circuits.at[i]->params);
    vec_free(&s->circuits.at[i]->models);
    vec_free(&s->circuits.at[i]->names.of);
    vec_free(&s->circuits.at[i]->charges);
    vec_free(&s->circuits.at[i]->inherits);
  }
  vec_free(&s->circuits);
  vec_free(&s->globals);
}

bool spice_import(Arena *a, const SourceFile *f, const SpiceSettings *set, SpiceModel *out) {
  Spice s = { .a = a, .file = f, .set = set };
  *out = (SpiceModel){ .rests = false };
  bool good = spice_read(&s) && write_model(&s, &out->text);
  out->notes = s.notes;
  out->wrong = (SpiceWrong){ s.wrong, s.wrong_at };
  out->rests = s.rests;
  release(&s);
  return good;
}
