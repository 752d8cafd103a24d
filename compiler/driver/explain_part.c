// nsm explain Hinge: a part of the standard library, as its page tells it: the comment above the model or function and
// what it is given. Names are found in any case.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "../api/installed.h"
#include "../base/source.h"
#include "../base/vec.h"
#include "commands.h"

// Does the line declare the name? "model Hinge(A : body, ..." or "function saturate(x, ...".
static bool declares(const char *line, const char *name) {
  static const char *const words[] = { "model ", "function " };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t n = strlen(words[i]), m = strlen(name);
    if (!strncmp(line, words[i], n) && !strncasecmp(line + n, name, m) && strchr("( {", line[n + m])) return true;
  }
  return false;
}

static const char *line_before(const char *text, const char *line) {
  const char *at = line - 1;
  while (at > text && at[-1] != '\n') at--;
  return at;
}

// The comment that ends above the line, without its marks.
static void print_comment(const char *text, const char *line) {
  const char *first = line;
  while (first > text && !strncmp(line_before(text, first), "//", 2)) first = line_before(text, first);
  while (first < line) {
    const char *end = strchr(first, '\n'), *words = first + 2 + (first[2] == ' ');
    printf("%.*s\n", (int)(end - words > 0 ? end - words : 0), words);
    first = end + 1;
  }
}

// From the word to the body: "model Hinge(A : body, ...)".
static void print_head(const char *line) {
  int open = 0;
  const char *end = line;
  for (; *end && (open > 0 || (*end != '{' && *end != '=')); end++) open += (*end == '(') - (*end == ')');
  while (end > line && end[-1] == ' ') end--;
  printf("\n%.*s\n", (int)(end - line), line);
}

static bool on_page(Arena *a, const char *dir, const char *page, const char *name, bool more) {
  const SourceFile *f = NULL;
  bool found = false;
  if (source_read(a, arena_printf(a, "%s/%s", dir, page), &f) != SOURCE_OK) return false;
  for (const char *line = f->text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    if (!declares(line, name)) continue;
    const char *word = strchr(line, ' ') + 1;
    printf("%s%.*s (a part of std/%s)\n\n", more || found ? "\n" : "", (int)strlen(name), word, page);
    print_comment(f->text, line);
    print_head(line);
    found = true;
  }
  return found;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

bool explain_part(const char *name, bool more) {
  Arena *a = arena_new();
  const char *dir = installed(a)->std;
  DIR *folder = dir ? opendir(dir) : NULL;
  Vec(const char *) pages = { 0 };
  for (const struct dirent *entry; folder && (entry = readdir(folder));) {
    size_t n = strlen(entry->d_name);
    if (n > 4 && !strcmp(entry->d_name + n - 4, ".nsm")) vec_push(&pages, arena_strndup(a, entry->d_name, n));
  }
  if (folder) closedir(folder);
  if (pages.n) qsort(pages.at, pages.n, sizeof *pages.at, by_name);
  bool found = false;
  for (size_t i = 0; i < pages.n; i++) found |= on_page(a, dir, pages.at[i], name, more || found);
  vec_free(&pages);
  arena_free(a);
  return found;
}
