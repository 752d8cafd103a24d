// What the messages about mistakes share: how much of the text is not read, and what stands in it.
#include <string.h>
#include "nsm.tab.h"
#include "parse_state.h"

void give_up(Parse *p, size_t upto) {
  if (upto > p->now.at.hi) p->skip_to = upto;
}

bool extra_brace(const Parse *p, size_t at) {
  const SourceFile *f = p->file;
  int depth = 0;
  for (size_t k = 0; k < p->open.n; k++) depth += p->open.at[k].bracket == '{';
  for (size_t i = at; i < f->len;) {
    size_t next = skip_blanks(f, i);
    if (next > i) { i = next; continue; }
    depth += f->text[i] == '{' ? 1 : f->text[i] == '}' ? -1 : 0;
    i++;
  }
  return depth < 0;
}

// Is there a model of this name in the file?
bool find_model(Parse *p, const char *name) {
  const SourceFile *f = p->file;
  for (size_t at = 0; (at = find_word(f, at, f->len, "model")) < f->len;) {
    size_t lo = skip_blanks(f, at + 5), n = strlen(name);
    if (follows(f, lo, name) && strchr(" ({\t\r\n/", f->text[lo + n])) return true;
    at = lo;
  }
  return false;
}

bool starts_item(int kind) {
  return kind == TOK_IMPORT || kind == TOK_FUNCTION || kind == TOK_MODEL || kind == TOK_DECLARE || kind == TOK_ENERGY ||
         kind == TOK_FORCE || kind == TOK_RELATION || kind == TOK_CONTACT || kind == TOK_CONSTRAINT ||
         kind == TOK_FOR || kind == TOK_TIMED || kind == TOK_SIMULATE || kind == TOK_CLAIM ||
         kind == TOK_BODY || kind == TOK_GRAVITY || kind == TOK_FLOW ||
         kind == TOK_MATERIAL || kind == TOK_PAIR || kind == TOK_ASK;
}
