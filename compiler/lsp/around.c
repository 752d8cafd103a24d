// The text up to a place, read without a tree: comments, strings, brackets and items.
#include "around.h"
#include <ctype.h>
#include <string.h>

bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void bracket(Where *w, size_t i) {
  char c = w->text[i];
  if (strchr("([{", c)) {
    if (w->nopen < DEEPEST) w->open[w->nopen++] = (Open){ c, i, w->item };
    if (c == '{') w->item = i + 1;
    return;
  }
  char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
  int k = w->nopen;
  while (k > 0 && w->open[k - 1].bracket != wanted) k--;
  if (k > 0) w->nopen = k - 1;
  if (c == '}') w->item = i + 1;
}

void where_look(Where *w, const char *text, size_t at) {
  *w = (Where){ .text = text, .at = at };
  for (size_t i = 0; i < at; i++) {
    char c = text[i];
    if (c == '/' && i + 1 < at && (text[i + 1] == '/' || text[i + 1] == '*')) {
      bool line = text[i + 1] == '/';
      for (i += 2; i < at && (line ? text[i] != '\n' : !(text[i] == '*' && text[i + 1] == '/')); i++) {}
      if (i >= at) { w->comment = true; return; }
      i += line ? 0 : 1;
    } else if (c == '"') {
      size_t from = i++;
      while (i < at && text[i] != '"' && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
      if (i >= at) { w->string = true; w->word = from + 1; return; }
    } else if (c && strchr("()[]{}", c)) bracket(w, i);
    else if (c == ';') {
      while (w->nopen && w->open[w->nopen - 1].bracket != '{') w->nopen--;
      w->item = i + 1;
    }
  }
  w->word = at;
  while (w->word > 0 && in_name(text[w->word - 1])) w->word--;
}

// The k-th word from `lo` on, of words with nothing but blanks between them; "" where there is none.
void where_word(const Where *w, size_t lo, int k, char *out) {
  size_t n = 0;
  for (;; k--) {
    while (lo < w->at && isspace((unsigned char)w->text[lo])) lo++;
    for (n = 0; lo < w->at && in_name(w->text[lo]) && n + 1 < WORD_ROOM; lo++) out[n++] = w->text[lo];
    out[n] = 0;
    if (k == 0 || n == 0) return;
  }
}

// The last sign before the word, blanks left out; 0: there is none in the item.
char where_sign(const Where *w) {
  size_t i = w->word;
  while (i > w->item && isspace((unsigned char)w->text[i - 1])) i--;
  return i > w->item ? w->text[i - 1] : 0;
}

// Does the item have this word behind its last bracket, and which sign follows?
bool where_behind(const Where *w, const char *word) {
  size_t n = strlen(word);
  for (size_t i = w->word; i >= w->item + n; i--)
    if (!strncmp(w->text + i - n, word, n) && !in_name(w->text[i]) && (i == n || !in_name(w->text[i - n - 1])))
      return true;
  return false;
}

// Is this bracket that of a unit: 3 [, or [1, 2] [ ?
bool where_of_unit(const Where *w, size_t at) {
  size_t i = at;
  while (i > 0 && (w->text[i - 1] == ' ' || w->text[i - 1] == '\t')) i--;
  if (i > 0 && w->text[i - 1] == ']') return i < at;
  size_t lo = i;
  while (lo > 0 && (in_name(w->text[lo - 1]) || w->text[lo - 1] == '.')) lo--;
  return lo < i && isdigit((unsigned char)w->text[lo]);
}
