// A small scanner that knows comments and strings only. It is run on texts that the parser has accepted.
#include "comments.h"

#include <string.h>

// End of the comment or string that starts at i, or i if none does.
static size_t skip_opaque(const SourceFile *f, size_t i, bool *comment) {
  const char *s = f->text;
  size_t k = i;
  *comment = s[i] == '/' && (s[i + 1] == '/' || s[i + 1] == '*');
  if (*comment && s[i + 1] == '/') {
    while (k < f->len && s[k] != '\n') k++;
    while (k > i && strchr(" \t\r", s[k - 1])) k--;
  } else if (*comment) {
    const char *end = strstr(s + i + 2, "*/");
    k = end ? (size_t)(end - s) + 2 : f->len;
  } else if (s[i] == '"') {
    for (k = i + 1; k < f->len && s[k] != '"' && s[k] != '\n'; k++)
      if (s[k] == '\\' && k + 1 < f->len) k++;
    if (k < f->len) k++;
  }
  return k;
}

void comments_find(const SourceFile *f, Comments *out) {
  for (size_t i = 0; i < f->len;) {
    bool comment;
    size_t end = skip_opaque(f, i, &comment);
    if (comment) vec_push(out, ((Comment){i, end}));
    i = end > i ? end : i + 1;
  }
}

size_t comments_skip(const SourceFile *f, size_t at, char wanted) {
  while (at < f->len && f->text[at] != wanted) {
    bool comment;
    size_t end = skip_opaque(f, at, &comment);
    at = end > at ? end : at + 1;
  }
  return at;
}

bool comments_blank_before(const SourceFile *f, size_t at) {
  int lines = 0;
  while (at > 0 && strchr(" \t\r\n\f\v", f->text[at - 1])) lines += f->text[--at] == '\n';
  return lines >= 2;
}
