// nsm view: the page of a run, or a server for it.
#include <string.h>
#include "commands.h"
#include "view.h"

// The name of the model's file with .html, in the current folder.
static const char *page_path(const Options *o, Arena *a) {
  if (o->output) return o->output;
  const char *slash = strrchr(o->file[0], '/'), *base = slash ? slash + 1 : o->file[0], *dot = strrchr(base, '.');
  if (!strcmp(base, "-")) base = "model";
  return arena_printf(a, "%.*s.html", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

int command_view(const Options *o) {
  Arena *a = arena_new();
  const char *path = page_path(o, a);
  Text page = {0};
  int code;
  if (given(o, NSM_FLAG_SERVE)) code = view_serve(o);
  else {
    code = view_run(o, path, true, given(o, NSM_FLAG_QUIET) ? NULL : stderr, &page);
    if (page.n) {
      int written = write_file(&page, path);
      if (written != EXIT_OK) code = written;
      else if (!given(o, NSM_FLAG_QUIET) && strcmp(path, "-")) fprintf(stderr, "the page is %s\n", path);
    }
  }
  text_free(&page);
  arena_free(a);
  return code;
}
