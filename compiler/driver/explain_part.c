// nsm explain Hinge: a part of the standard library, as its page tells it: the comment above the model or function and
// what it is given. Names are found in any case, of several as of one.
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "../api/installed.h"
#include "../base/library.h"
#include "commands.h"

bool explain_part(const char *name, bool more) {
  Arena *a = arena_new();
  LibraryPart *part;
  int parts = library_parts(a, installed(a)->std, &part);
  bool found = false;
  for (int i = 0; i < parts; i++) {
    size_t n = strlen(part[i].name);
    bool several = strlen(name) == n + 1 && (name[n] | 32) == 's';
    if (strncasecmp(part[i].name, name, n) != 0 || (name[n] && !several)) continue;
    Span head = library_head(&part[i]);
    printf("%s%s (a part of std/%s)\n\n%s", more || found ? "\n" : "", part[i].name, part[i].page,
           library_comment(a, &part[i]));
    printf("\n%.*s\n", (int)(head.hi - head.lo), head.file->text + head.lo);
    found = true;
  }
  arena_free(a);
  return found;
}
