// A part is a line that begins with `model` or `function`; that the pages are written so, tests/house and `nsm fmt` see
// to.
#include "library.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "vec.h"

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

typedef Vec(LibraryPart) Parts;

static void parts_of_page(Arena *a, const char *dir, const char *page, Parts *out) {
  static const char *const words[] = { "model ", "function " };
  const SourceFile *f = NULL;
  if (source_read(a, arena_printf(a, "%s/%s", dir, page), &f) != SOURCE_OK) return;
  for (const char *line = f->text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    for (size_t i = 0; i < 2; i++) {
      size_t n = strlen(words[i]);
      if (strncmp(line, words[i], n) != 0) continue;
      size_t m = strcspn(line + n, "( {\n");
      vec_push(out, ((LibraryPart){ arena_strndup(a, line + n, m), page, i == 1, f, (size_t)(line - f->text) }));
    }
}

int library_parts(Arena *a, const char *dir, LibraryPart **out) {
  DIR *folder = dir ? opendir(dir) : NULL;
  Vec(const char *) pages = { 0 };
  Parts parts = { 0 };
  for (const struct dirent *entry; folder && (entry = readdir(folder));) {
    size_t n = strlen(entry->d_name);
    if (n > 4 && !strcmp(entry->d_name + n - 4, ".nsm")) vec_push(&pages, arena_strndup(a, entry->d_name, n));
  }
  if (folder) closedir(folder);
  if (pages.n) qsort(pages.at, pages.n, sizeof *pages.at, by_name);
  for (size_t i = 0; i < pages.n; i++) parts_of_page(a, dir, pages.at[i], &parts);
  vec_free(&pages);
  int n = (int)parts.n;
  *out = vec_freeze(a, &parts);
  return n;
}

Span library_head(const LibraryPart *p) {
  int open = 0;
  const char *text = p->file->text;
  size_t end = p->line;
  for (; text[end] && (open > 0 || (text[end] != '{' && text[end] != '=')); end++)
    open += (text[end] == '(') - (text[end] == ')');
  while (end > p->line && text[end - 1] == ' ') end--;
  return (Span){ p->file, p->line, end };
}

static size_t line_before(const char *text, size_t line) {
  size_t at = line - 1;
  while (at > 0 && text[at - 1] != '\n') at--;
  return at;
}

const char *library_comment(Arena *a, const LibraryPart *p) {
  const char *text = p->file->text;
  size_t first = p->line;
  Text t = { 0 };
  while (first > 0 && !strncmp(text + line_before(text, first), "//", 2)) first = line_before(text, first);
  while (first < p->line) {
    size_t end = first + strcspn(text + first, "\n"), words = first + 2 + (text[first + 2] == ' ');
    if (end > words) text_addn(&t, text + words, end - words);
    text_addc(&t, '\n');
    first = end + 1;
  }
  const char *kept = arena_strndup(a, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

Span import_place(const SourceFile *f) {
  size_t at = 0, head = 0;
  bool only_comment = true;
  for (size_t lo = 0; lo < f->len;) {
    size_t end = lo + strcspn(f->text + lo, "\n"), next = end < f->len ? end + 1 : end;
    if (!strncmp(f->text + lo, "import", 6)) at = next;
    only_comment = only_comment && !strncmp(f->text + lo, "//", 2);
    if (only_comment) head = next;
    lo = next;
  }
  if (!at) at = head;
  return (Span){ f, at, at };
}
