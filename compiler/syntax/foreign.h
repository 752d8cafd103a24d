// What the rules about forms of other languages look at (foreign.c, foreign_items.c, foreign_values.c): the tokens of
// the item so far, the open brackets, the text. Private to these files.
#pragma once
#include <string.h>

#include "../base/text.h"
#include "foreign_words.h"
#include "nsm.tab.h"
#include "parse_state.h"

static inline const char *text_of(Parse *p, Token t) { return span_text(p, t.at); }
static inline int now(const Parse *p) { return p->now.kind; }
static inline int item(const Parse *p, int k) { return p->item_n > k ? p->item[k].kind : 0; }
static inline bool word_is(Parse *p, Token t, const char *word) {
  return t.kind == TOK_NAME && !strcmp(text_of(p, t), word);
}
static inline const Open *innermost(const Parse *p) { return p->open.n ? &vec_last(&p->open) : NULL; }

static inline bool is_value_end(int kind) {
  return kind == TOK_NAME || kind == TOK_NUMBER || kind == ')' || kind == ']' || kind == '\'';
}

static inline bool inside(const Parse *p, char bracket, int owner) {
  const Open *open = innermost(p);
  return open && open->bracket == bracket && open->owner.kind == owner;
}

static inline Span between(const Parse *p, size_t lo, size_t hi) { return (Span){p->file, lo, hi > lo ? hi : lo}; }

// The text up to `hi`, without blanks around it.
static inline const char *trimmed(Parse *p, size_t lo, size_t hi) {
  while (lo < hi && strchr(" \t\r\n", p->file->text[lo])) lo++;
  while (hi > lo && strchr(" \t\r\n", p->file->text[hi - 1])) hi--;
  return span_text(p, between(p, lo, hi));
}

// The item's text behind `from`.
static inline const char *rest(Parse *p, size_t from) { return trimmed(p, from, skip_item(p->file, from)); }

static inline void give_up_item(Parse *p) {
  size_t from = p->now.at.lo;
  for (size_t k = p->open.n; k-- > 0 && p->open.at[k].bracket != '{';) from = p->open.at[k].at.lo;
  if (now(p) == '{' || now(p) == '(' || now(p) == '[') from = p->now.at.lo;
  size_t end = skip_item(p->file, from);
  // The parser enters a block that begins here: it is to find the brace that ends it.
  give_up(p, now(p) == '{' && end > 0 && p->file->text[end - 1] == '}' ? end - 1 : end);
}

static inline Diag *say(Parse *p, Span at, const char *what) { return problem(p, DIAG_E0121, at, "%s", what); }

static inline bool saw(const Parse *p, int kind) {                // among the first tokens of the item
  for (int k = 0; k < p->item_n && k < ITEM_TOKENS; k++)
    if (p->item[k].kind == kind && (k + 1 < p->item_n)) return true;
  return false;
}

// foreign_items.c, foreign_values.c: each rule says whether it spoke.
bool foreign_item(Parse *p);
bool foreign_value(Parse *p);
