// Cards into circuits: what includes what, which subcircuit a card stands in, what it is called.
#include <string.h>
#include "../base/char_width.h"
#include "netlist.h"

// ---- files ----------------------------------------------------------------------------------------------------------
enum { MOST_DEEP = 16 };
static bool read_cards(Spice *s, const SourceFile *f, size_t from, const char *section, int depth, Cards *out);

// Older programs write Latin-1: its bytes as characters of UTF-8, which is what a model is written in.
static const SourceFile *in_utf8(Arena *a, const SourceFile *f) {
  char *text = ARENA_ARRAY(a, char, 2 * f->len + 1);
  size_t to = 0, foreign = 0;
  for (size_t i = 0, n; i < f->len; i += n) {
    const unsigned char c = (unsigned char)f->text[i];
    n = utf8_length(f->text + i, f->len - i);
    for (size_t k = 0; k < n; k++) text[to++] = f->text[i + k];
    if (n > 0) continue;
    text[to++] = (char)(0xC0 | c >> 6);
    text[to++] = (char)(0x80 | (c & 0x3F));
    foreign += n = 1;
  }
  return foreign ? source_from_text(a, f->path, text, to) : f;
}

static bool other_file(Spice *s, const Card *c, const char *section, int depth, Cards *out) {
  const SourceFile *f;
  if (c->n < 2 || !c->item[1].as) return spice_fail(s, c->span, "the name of a file is missing");
  if (depth > MOST_DEEP) return spice_fail(s, c->span, "files include each other more than %d deep", MOST_DEEP);
  const char *path = source_beside(s->a, c->span.file, c->item[1].as);
  SourceStatus status = source_read_ordinary(s->a, path, &f);
  if (status != SOURCE_OK && !strcmp(c->item[0].text, ".lib")) {           // LTspice names its own folders
    spice_left_out(s, c->item[1].span, arena_printf(s->a, "the library `%s`, which cannot be read", c->item[1].as));
    return true;
  }
  if (status != SOURCE_OK) return spice_fail(s, c->item[1].span, "%s: %s", path, source_status_text(status, 0));
  return read_cards(s, in_utf8(s->a, f), 0, section, depth + 1, out);
}

// section: of a file of `.lib`, what stands between `.lib section` and `.endl`; NULL: all.
static bool read_cards(Spice *s, const SourceFile *f, size_t from, const char *section, int depth, Cards *out) {
  Cards cards = { 0 };
  const char *wrong;
  Span at;
  const char *zero = memchr(f->text, 0, f->len);
  size_t byte = zero ? (size_t)(zero - f->text) : 0;
  if (zero)
    return spice_fail(s, (Span){ f, byte, byte + 1 }, "byte %zu is zero: this looks like UTF-16; save it as UTF-8",
                      byte + 1);
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
    if (!strcmp(word, ".alter")) { spice_left_out(s, c->span, "the variants behind `.alter`"); break; }
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

// f(x, y) = {...} gives the words f, x and the key y with the expression; here it becomes f, x, y, {...} as of .func.
static int function(Spice *s, const Card *card, int from) {
  int last = from;
  while (last < card->n && !card->item[last].ex) last++;
  if (last == card->n) return last;
  bool keyed = card->item[last].key != NULL;
  Card f = { ARENA_ARRAY(s->a, Item, last - from + 3), 0, card->span };
  f.item[f.n++] = (Item){ .text = ".func", .as = ".func", .span = card->span };
  for (int i = from; i < last; i++) f.item[f.n++] = card->item[i];
  if (keyed) f.item[f.n++] = (Item){ .text = card->item[last].key, .as = card->item[last].key, .span = card->span };
  f.item[f.n++] = (Item){ .ex = card->item[last].ex, .span = card->item[last].span };
  vec_push(&s->functions, f);
  return last + 1;
}

static void parameters(Spice *s, const Card *card, Circuit *in) {
  for (int i = 1; i < card->n;) {
    Card one = { ARENA_ARRAY(s->a, Item, 2), 2, card->span };
    if (!card->item[i].key) { i = function(s, card, i); continue; }
    one.item[0] = card->item[0];
    one.item[1] = card->item[i++];
    vec_push(&in->params, one);
  }
}

static void options(Spice *s, const Card *card) {
  const Item *temperature = spice_key(card, "temp"), *nominal = spice_key(card, "tnom");
  if (temperature && temperature->is_number) s->temperature = temperature->number;
  if (nominal && nominal->is_number) s->nominal = nominal->number;
}

static void control(Spice *s, const Card *card, Circuit *in) {
  static const char *const silent[] = { ".op", ".title", ".save", ".probe", ".backanno", ".width" };
  const char *word = card->item[0].text;
  if (!strncmp(word, ".param", 6)) parameters(s, card, in);
  else if (!strcmp(word, ".ic")) vec_push(&s->initial, *card);
  else if (!strcmp(word, ".func")) function(s, card, 1);
  else if (!strncmp(word, ".option", 7)) options(s, card);
  else if (!strcmp(word, ".temp") && card->n > 1 && card->item[1].is_number) s->temperature = card->item[1].number;
  else if (!strcmp(word, ".global")) {
    for (int i = 1; i < card->n; i++)
      if (card->item[i].text && !spice_is_ground(card->item[i].text)) vec_push(&s->globals, card->item[i].text);
  } else if (!strcmp(word, ".if"))
    spice_fail(s, card->span, "`.if` is not taken: write the netlist without it, or choose by x ? a : b");
  else if (!strcmp(word, ".tran")) vec_push(&s->tran, *card);
  else if (!strcmp(word, ".print") || !strcmp(word, ".plot")) vec_push(&s->shown, *card);
  else {
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
      if (!strcmp(word, silent[i])) return;
    spice_left_out(s, card->span, arena_printf(s->a, "`%s`", word));
  }
}

static const Card *same_name(const Circuit *in, const Card *c) {
  for (size_t i = 0; i < in->cards.n; i++)
    if (!strcmp(in->cards.at[i].item[0].text, c->item[0].text)) return &in->cards.at[i];
  return NULL;
}

static bool sort(Spice *s, const Cards *all) {
  Circuit *in = s->whole;
  const Card *twice;
  bool script = false;
  for (size_t i = 0; i < all->n; i++) {
    const Card *c = &all->at[i];
    if (!c->item[0].text) return spice_fail(s, c->item[0].span, "a card begins with a name");
    if (is_word(c, ".control")) { script = true; spice_left_out(s, c->span, "the script of `.control`"); continue; }
    if (is_word(c, ".endc")) { script = false; continue; }
    if (script) continue;
    if (is_word(c, ".subckt")) {
      if (c->n < 2 || !c->item[1].text) return spice_fail(s, c->span, "`.subckt` needs a name: .subckt NAME nodes");
      for (int k = 2; k < c->n; k++)
        if (!c->item[k].key && !c->item[k].text)
          return spice_fail(s, c->item[k].span, "a node of `.subckt` is a name: .subckt NAME nodes param = value");
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
      vec_push(&in->models, *c);
    } else if (*c->item[0].text == '.') control(s, c, in);
    else if ((twice = same_name(in, c)))
      return spice_fail(s, c->item[0].span, "there are two parts `%s`; the first stands in line %d", c->item[0].as,
                        spice_line(twice->span));
    else vec_push(&in->cards, *c);
  }
  if (in->parent) return spice_fail(s, in->head.span, "this `.subckt` has no `.ends`");
  return true;
}

// Which global nodes does a circuit use, itself or by what stands in it? It takes them as nodes.
static bool globals(Spice *s) {
  size_t most = 8 * sizeof(unsigned long);
  if (s->globals.n > most) return spice_fail(s, s->whole->head.span, "there are more than %zu global nodes", most - 1);
  for (size_t round = 0; round <= s->circuits.n; round++)
    for (size_t i = 0; i < s->circuits.n; i++) {
      Circuit *c = s->circuits.at[i];
      for (size_t k = 0; k < c->cards.n; k++) {
        const Card *card = &c->cards.at[k];
        for (size_t g = 0; g < s->globals.n; g++)
          if (spice_uses(card, s->globals.at[g])) c->globals |= 1ul << g;
        const Circuit *of = *card->item[0].text == 'x' ? spice_circuit_of(s, c, card) : NULL;
        if (of) c->globals |= of->globals;
      }
    }
  return true;
}

// LTspice passes parameters that `.subckt` does not declare: they become arguments, without a value of their own.
static void undeclared(Spice *s, const Circuit *in) {
  for (size_t i = 0; i < in->cards.n; i++) {
    const Card *x = &in->cards.at[i];
    Circuit *of = *x->item[0].text == 'x' ? spice_circuit_of(s, in, x) : NULL;
    for (int k = 1; of && k < x->n; k++) {
      const char *key = x->item[k].key;
      if (!key || spice_declares(of, key)) continue;
      Item *more = ARENA_ARRAY(s->a, Item, of->head.n + 1);
      memcpy(more, of->head.item, (size_t)of->head.n * sizeof *more);
      more[of->head.n] = (Item){ .key = key, .span = x->item[k].span };
      of->head.item = more;
      of->head.n++;
    }
  }
}

bool spice_read(Spice *s) {
  Cards all = { 0 };
  s->file = in_utf8(s->a, s->file);
  size_t title = strcspn(s->file->text, "\n");
  s->whole = new_circuit(s, NULL);
  s->temperature = s->nominal = 27;
  vec_push(&s->globals, "0");
  bool good = read_cards(s, s->file, title, NULL, 0, &all) && sort(s, &all);
  vec_free(&all);
  if (good && s->whole->cards.n == 0 && s->circuits.n == 0)
    good = spice_fail(s, (Span){ s->file, 0, title }, "this netlist has no elements; its first line is a title");
  if (!good || !globals(s)) return false;
  undeclared(s, s->whole);
  for (size_t i = 0; i < s->circuits.n; i++) undeclared(s, s->circuits.at[i]);
  spice_inherit(s);
  return true;
}
