// Where an item ends in the text, for what the grammar cannot read: brackets are matched, comments and strings left
// alone. The parser is then given a ';' in place of the rest (tokens.c), so that one mistake gives one message.
#include <string.h>

#include "comments.h"
#include "parse_state.h"

// Behind a comment or string that starts at i, or i.
static size_t behind_opaque(const SourceFile *f, size_t i) {
  const char *s = f->text;
  if (s[i] == '"') {
    size_t k = i + 1;
    while (k < f->len && s[k] != '"' && s[k] != '\n') k += s[k] == '\\' ? 2 : 1;
    return k < f->len ? k + 1 : f->len;
  }
  if (s[i] != '/' || (s[i + 1] != '/' && s[i + 1] != '*')) return i;
  if (s[i + 1] == '/') {
    const char *end = strchr(s + i, '\n');
    return end ? (size_t)(end - s) : f->len;
  }
  const char *end = strstr(s + i + 2, "*/");
  return end ? (size_t)(end - s) + 2 : f->len;
}

size_t skip_blanks(const SourceFile *f, size_t at) {
  for (size_t before = at + 1; at < f->len && at != before;) {
    before = at;
    at += strspn(f->text + at, " \t\r\n\f\v");
    if (at < f->len && f->text[at] == '/') at = behind_opaque(f, at);
  }
  return at;
}

size_t skip_bracket(const SourceFile *f, size_t at) {
  int depth = 0;
  while (at < f->len) {
    size_t next = behind_opaque(f, at);
    if (next > at) { at = next; continue; }
    char c = f->text[at++];
    depth += strchr("([{", c) && c ? 1 : strchr(")]}", c) && c ? -1 : 0;
    if (depth == 0) return at;
  }
  return f->len;
}

// As skip_bracket; a '(' or '[' that is never closed ends with its item.
static size_t skip_paren(const SourceFile *f, size_t at) {
  int depth = 0;
  while (at < f->len) {
    size_t next = behind_opaque(f, at);
    if (next > at) { at = next; continue; }
    char c = f->text[at];
    if (strchr(";{}", c) && c) return at;
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    at++;
    if (depth == 0) return at;
  }
  return f->len;
}

size_t skip_item(const SourceFile *f, size_t at) {
  while (at < f->len) {
    size_t next = behind_opaque(f, at);
    char c = f->text[at];
    if (next > at) at = next;
    else if (c == ';' || c == '}') return at;
    else if (c == '{') {
      at = skip_bracket(f, at);
      size_t then = skip_blanks(f, at);
      if (strncmp(f->text + then, "else", 4) != 0) return at;
      at = then + 4;
    } else if (c == '(' || c == '[') {
      at = skip_paren(f, at);
    } else {
      at++;
    }
  }
  return f->len;
}

size_t skip_line(const SourceFile *f, size_t at) {
  while (at < f->len && f->text[at] != '\n') at++;
  return at;
}

bool follows(const SourceFile *f, size_t at, const char *text) {
  return at + strlen(text) <= f->len && memcmp(f->text + at, text, strlen(text)) == 0;
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t find_word(const SourceFile *f, size_t from, size_t to, const char *word) {
  size_t n = strlen(word);
  for (size_t at = from; at + n <= to;) {
    size_t next = behind_opaque(f, at);
    if (next > at) { at = next; continue; }
    bool alone = (at == 0 || !is_name_char(f->text[at - 1])) && (at + n >= f->len || !is_name_char(f->text[at + n]));
    if (alone && memcmp(f->text + at, word, n) == 0) return at;
    at++;
  }
  return to;
}
