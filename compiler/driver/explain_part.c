// nsm explain Hinge: a part of the standard library, as its page tells it: the comment above the model or function and
// what it is given. Names are found in any case.
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "../api/installed.h"
#include "../base/library.h"
#include "commands.h"

bool explain_part(const char *name, bool more) {
  Arena *a = arena_new();
  LibraryPart *part;
  int n = library_parts(a, installed(a)->std, &part);
  bool found = false;
  for (int i = 0; i < n; i++) {
    if (strcasecmp(part[i].name, name) != 0) continue;
    Span head = library_head(&part[i]);
    printf("%s%s (a part of std/%s)\n\n%s", more || found ? "\n" : "", part[i].name, part[i].page,
           library_comment(a, &part[i]));
    printf("\n%.*s\n", (int)(head.hi - head.lo), head.file->text + head.lo);
    found = true;
  }
  arena_free(a);
  return found;
}
