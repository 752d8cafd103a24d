// What all ask of cards: keys, models, nodes; mistakes and what is left out.
#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include "../base/char_width.h"
#include "netlist.h"

bool spice_is_word(const Item *i, const char *text) { return i->text && !i->key && !strcmp(i->text, text); }

bool spice_is_mark(const Item *i) {
  return spice_is_word(i, "params:") || spice_is_word(i, "optional:") || spice_is_word(i, "text:");
}

static bool is_letter_e_g(const Card *c) { return *c->item[0].text == 'e' || *c->item[0].text == 'g'; }

int spice_ports(const Card *c) {
  static const char *const words[] = { "poly", "value", "vol", "cur", "table", "laplace", "freq", "chebyshev", "vcvs",
                                       "vccs" };
  bool control = c->n > 3 && !c->item[3].key && !c->item[3].ex;
  for (size_t i = 0; control && i < sizeof words / sizeof *words; i++) control = !spice_is_word(&c->item[3], words[i]);
  switch (*c->item[0].text) {
  case 'r': case 'c': case 'l': case 'v': case 'i': case 'd': case 'b': case 'f': case 'h': case 'w': return 2;
  case 'e': case 'g': return control ? 4 : 2;
  case 's': case 't': return 4;
  case 'q': return 3;
  case 'm': return 4;
  default: return 0;
  }
}

bool spice_is_node(const Card *c, int i) {
  int last = c->n - 1, many = 0;
  if (i < 1 || i >= c->n || c->item[i].key || !c->item[i].text) return false;
  if (*c->item[0].text == 'x') {
    while (last > 0 && (c->item[last].key || !c->item[last].text || spice_is_mark(&c->item[last]))) last--;
    return i < last;
  }
  if (is_letter_e_g(c) && c->n > 4 && spice_is_word(&c->item[3], "poly")) many = 2 * (int)c->item[4].number;
  return i <= spice_ports(c) || (i > 4 && i <= 4 + many);
}

static bool reads(const Ex *e, const char *node) {
  bool any = e->kind == EX_CALL && *e->text == 'v' && strchr(e->text, '(');
  if (any && spice_is_ground(node)) return true;           // v(a) is against ground
  for (const char *at = any ? strstr(e->text, node) : NULL; at; at = strstr(at + 1, node))
    if (strchr(" \t(,", at[-1]) && strchr(" \t),", at[strlen(node)])) return true;
  for (int i = 0; i < e->n; i++)
    if (reads(e->part[i], node)) return true;
  return false;
}

bool spice_uses(const Card *c, const char *node) {
  for (int i = 1; i < c->n; i++) {
    const Item *x = &c->item[i];
    if (x->ex && reads(x->ex, node)) return true;
    if (!spice_is_node(c, i)) continue;
    if (!strcmp(x->text, node) || (spice_is_ground(node) && spice_is_ground(x->text))) return true;
  }
  return false;
}

bool spice_fail(Spice *s, Span at, const char *format, ...) {
  if (s->wrong) return false;
  va_list list;
  Text t = { 0 };
  va_start(list, format);
  text_vprintf(&t, format, list);
  va_end(list);
  s->wrong = arena_strndup(s->a, text_str(&t), t.n);
  s->wrong_at = at;
  text_free(&t);
  return false;
}

int spice_line(Span at) { return source_line(at.file, at.lo); }

Item *spice_key(const Card *c, const char *key) {
  for (int i = 0; c && i < c->n; i++)
    if (c->item[i].key && !strcmp(c->item[i].key, key)) {
      c->item[i].taken = true;
      return &c->item[i];
    }
  return NULL;
}

void spice_take(const Card *c, int from) {
  for (int i = from; i < c->n; i++) c->item[i].taken = true;
}

const Card *spice_model(const Spice *s, const char *name) {
  for (const Circuit *c = s->in ? s->in : s->whole; c; c = c->parent)
    for (size_t i = 0; i < c->models.n; i++)
      if (!strcmp(c->models.at[i].item[1].text, name)) return &c->models.at[i];
  return NULL;
}

void spice_left_out(Spice *s, Span at, const char *what) {
  const char *line = arena_printf(s->a, "%s, line %d", what, spice_line(at));
  for (size_t i = 0; i < s->left_out.n; i++)
    if (!strcmp(s->left_out.at[i].item->as, what)) return;
  Item *i = ARENA_NEW(s->a, Item);
  *i = (Item){ .as = what, .text = line, .span = at };
  vec_push(&s->left_out, ((Card){ i, 1, at }));
  text_printf(&s->notes, "note: left out: %s\n", line);
}

// ---- coupled coils -------------------------------------------------------------------------------------------------
bool spice_couples(const Card *k, const char *coil) {
  if (*k->item[0].text != 'k') return false;
  for (int i = 1; i < k->n - 1; i++)
    if (spice_is_word(&k->item[i], coil)) return true;
  return false;
}

bool spice_is_one(const Card *k) {
  return k->n > 3 && k->item[k->n - 1].is_number && k->item[k->n - 1].number >= 1 - 1e-9;
}

bool spice_is_tight(const Circuit *c, const Card *l) {
  for (size_t i = 0; *l->item[0].text == 'l' && i < c->cards.n; i++)
    if (spice_is_one(&c->cards.at[i]) && spice_couples(&c->cards.at[i], l->item[0].text)) return true;
  return false;
}

// ---- what was not taken --------------------------------------------------------------------------------------------
static const char *word_of(Spice *s, const Item *i) {
  return i->key ? i->key : i->as ? i->as : arena_strndup(s->a, "an expression", 13);
}

// Of an element: each word once for each letter. Of others, all words of the card together.
static void report(Spice *s, const Card *c, int from, const char *of) {
  Text words = { 0 };
  Span at = c->span;
  for (int i = from; i < c->n; i++) {
    if (c->item[i].taken) continue;
    if (!words.n) at = c->item[i].span;
    text_printf(&words, "%s`%s`", words.n ? ", " : "", word_of(s, &c->item[i]));
  }
  if (words.n) spice_left_out(s, at, arena_printf(s->a, "%s of %s", text_str(&words), of));
  text_free(&words);
}

// By their first letter, or what stands in its place.
const char *spice_elements(Spice *s, const Card *c) {
  const char *text = c->item[0].text;
  return arena_printf(s->a, "elements `%.*s`", (int)utf8_length(text, strlen(text)),
                      islower((unsigned char)*text) ? (char[]){ (char)toupper(*text), 0 } : text);
}

static void report_circuit(Spice *s, const Circuit *c) {
  for (size_t i = 0; i < c->cards.n; i++)
    report(s, &c->cards.at[i], 1, spice_elements(s, &c->cards.at[i]));
  for (size_t i = 0; i < c->models.n; i++)
    if (c->models.at[i].item[1].taken)
      report(s, &c->models.at[i], 3, arena_printf(s->a, "the model `%s`", c->models.at[i].item[1].as));
}

void spice_report(Spice *s) {
  report_circuit(s, s->whole);
  for (size_t i = 0; i < s->circuits.n; i++) report_circuit(s, s->circuits.at[i]);
  for (size_t i = 0; i < s->tran.n; i++) report(s, &s->tran.at[i], 1, "`.tran`");
  for (size_t i = 0; i < s->initial.n; i++)
    for (int k = 1; k < s->initial.at[i].n; k++) {
      const Item *x = &s->initial.at[i].item[k];
      if (x->key && !x->taken)
        spice_left_out(s, x->span, arena_printf(s->a, "the value of `.ic` for `%s`", x->key));
    }
}
