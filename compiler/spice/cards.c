// What all ask of cards: keys, models, nodes; mistakes and what is left out.
#include <stdarg.h>
#include <string.h>
#include "netlist.h"

bool spice_is_word(const Item *i, const char *text) { return i->text && !i->key && !strcmp(i->text, text); }

int spice_ports(const Card *c) {
  static const char *const words[] = { "poly", "value", "vol", "cur" };
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

bool spice_uses_ground(const Card *c) {
  int ports = spice_ports(c);
  bool any = false;
  for (int i = 1; i < c->n; i++) {
    any |= c->item[i].ex != NULL;
    bool node = *c->item[0].text == 'x' ? i + 1 < c->n : i <= ports || spice_is_word(&c->item[3], "poly");
    any |= node && !c->item[i].key && spice_is_ground(c->item[i].text);
  }
  return any;
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

const Item *spice_key(const Card *c, const char *key) {
  for (int i = 0; c && i < c->n; i++)
    if (c->item[i].key && !strcmp(c->item[i].key, key)) return &c->item[i];
  return NULL;
}

const Card *spice_model(const Spice *s, const char *name) {
  for (size_t i = 0; i < s->models.n; i++)
    if (!strcmp(s->models.at[i].item[1].text, name)) return &s->models.at[i];
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
