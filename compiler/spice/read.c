// Cards into circuits: what includes what, which subcircuit a card stands in, what it is called.
#include <string.h>
#include "netlist.h"

// ---- files ----------------------------------------------------------------------------------------------------------
enum { MOST_DEEP = 16 };
static bool read_cards(Spice *s, const SourceFile *f, size_t from, const char *section, int depth, Cards *out);

static bool other_file(Spice *s, const Card *c, const char *section, int depth, Cards *out) {
  const SourceFile *f;
  if (c->n < 2 || !c->item[1].as) return spice_fail(s, c->span, "the name of a file is missing");
  if (depth > MOST_DEEP) return spice_fail(s, c->span, "files include each other more than %d deep", MOST_DEEP);
  const char *path = source_beside(s->a, c->span.file, c->item[1].as);
  SourceStatus status = source_read_ordinary(s->a, path, &f);
  if (status != SOURCE_OK) return spice_fail(s, c->item[1].span, "%s: %s", path, source_status_text(status, 0));
  return read_cards(s, f, 0, section, depth + 1, out);
}

// section: of a file of `.lib`, what stands between `.lib section` and `.endl`; NULL: all.
static bool read_cards(Spice *s, const SourceFile *f, size_t from, const char *section, int depth, Cards *out) {
  Cards cards = { 0 };
  const char *wrong;
  Span at;
  bool good = spice_parse(s->a, f, from, &cards, &wrong, &at), inside = !section;
  if (!good) spice_fail(s, at, "%s", wrong ? wrong : "this cannot be read");
  for (size_t i = 0; i < cards.n && good; i++) {
    const Card *c = &cards.at[i];
    const char *word = c->item[0].text ? c->item[0].text : "";
    if (!strcmp(word, ".endl")) { inside = !section; continue; }
    if (section && !strcmp(word, ".lib") && c->n == 2) {
      inside = c->item[1].text && !strcmp(c->item[1].text, section);
      continue;
    }
    if (!inside) continue;
    if (!strcmp(word, ".end")) break;
    if (!strncmp(word, ".inc", 4)) good = other_file(s, c, NULL, depth, out);
    else if (!strcmp(word, ".lib"))
      good = other_file(s, c, c->n > 2 && c->item[2].text ? c->item[2].text : NULL, depth, out);
    else vec_push(out, *c);
  }
  vec_free(&cards);
  return good;
}

// ---- circuits -------------------------------------------------------------------------------------------------------
static Circuit *new_circuit(Spice *s, Circuit *parent) {
  Circuit *c = ARENA_NEW(s->a, Circuit);
  *c = (Circuit){ .parent = parent };
  return c;
}

static bool is_word(const Card *c, const char *word) { return !strncmp(c->item[0].text, word, strlen(word)); }

static void control(Spice *s, const Card *card, Circuit *in) {
  static const char *const silent[] = { ".op", ".options", ".option", ".temp", ".title", ".global", ".save", ".probe" };
  const char *word = card->item[0].text;
  if (!strcmp(word, ".param")) vec_push(&in->params, *card);
  else if (!strcmp(word, ".ic")) vec_push(&s->initial, *card);
  else if (!strcmp(word, ".func")) vec_push(&s->functions, *card);
  else if (!strcmp(word, ".tran")) vec_push(&s->tran, *card);
  else if (!strcmp(word, ".print") || !strcmp(word, ".plot")) vec_push(&s->shown, *card);
  else {
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
      if (!strcmp(word, silent[i])) return;
    spice_left_out(s, card->span, arena_printf(s->a, "`%s`", word));
  }
}

static bool sort(Spice *s, const Cards *all) {
  Circuit *in = s->whole;
  bool script = false;
  for (size_t i = 0; i < all->n; i++) {
    const Card *c = &all->at[i];
    if (!c->item[0].text) return spice_fail(s, c->item[0].span, "a card begins with a name");
    if (is_word(c, ".control")) { script = true; spice_left_out(s, c->span, "the script of `.control`"); continue; }
    if (is_word(c, ".endc")) { script = false; continue; }
    if (script) continue;
    if (is_word(c, ".subckt")) {
      if (c->n < 2 || !c->item[1].text) return spice_fail(s, c->span, "`.subckt` needs a name: .subckt NAME nodes");
      Circuit *sub = new_circuit(s, in);
      sub->name = c->item[1].text;
      sub->head = *c;
      vec_push(&s->circuits, sub);
      in = sub;
    } else if (is_word(c, ".ends")) {
      if (!in->parent) return spice_fail(s, c->span, "`.ends` without a `.subckt`");
      in = in->parent;
    } else if (is_word(c, ".model")) {
      if (c->n < 3 || !c->item[1].text || !c->item[2].text)
        return spice_fail(s, c->span, "`.model` needs a name and a type: .model NAME D(IS=1e-14)");
      vec_push(&s->models, *c);
    } else if (*c->item[0].text == '.') control(s, c, in);
    else vec_push(&in->cards, *c);
  }
  if (in->parent) return spice_fail(s, in->head.span, "this `.subckt` has no `.ends`");
  return true;
}

static bool is_circuit(const Spice *s, const Card *x, Circuit **of) {
  for (size_t i = 0; i < s->circuits.n; i++)
    for (int k = x->n; k-- > 1;)
      if (!x->item[k].key && x->item[k].text && !strcmp(x->item[k].text, s->circuits.at[i]->name)) {
        *of = s->circuits.at[i];
        return true;
      }
  return false;
}

// Does a circuit use node 0, itself or by what stands in it? Then it takes it as a node.
static void ground(Spice *s) {
  for (size_t round = 0; round <= s->circuits.n; round++)
    for (size_t i = 0; i < s->circuits.n; i++) {
      Circuit *c = s->circuits.at[i], *of;
      for (size_t k = 0; k < c->cards.n; k++) {
        const Card *card = &c->cards.at[k];
        c->grounded |= spice_uses_ground(card);
        if (*card->item[0].text == 'x' && is_circuit(s, card, &of)) c->grounded |= of->grounded;
      }
    }
}

bool spice_read(Spice *s) {
  Cards all = { 0 };
  size_t title = strcspn(s->file->text, "\n");
  s->whole = new_circuit(s, NULL);
  bool good = read_cards(s, s->file, title, NULL, 0, &all) && sort(s, &all);
  vec_free(&all);
  if (good && s->whole->cards.n == 0 && s->circuits.n == 0)
    good = spice_fail(s, (Span){ s->file, 0, title }, "this netlist has no elements; its first line is a title");
  if (good) ground(s);
  return good;
}
