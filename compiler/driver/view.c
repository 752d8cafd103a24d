// nsm view: the page of a run, or a server for it.
#include <string.h>
#include "../../runtime/command/outputs.h"
#include "commands.h"
#include "view.h"

// The name of the model's file with .html, in the current folder.
static const char *page_path(const Options *o, Arena *a) {
  if (o->output) return o->output;
  const char *slash = strrchr(o->file[0], '/'), *base = slash ? slash + 1 : o->file[0], *dot = strrchr(base, '.');
  if (!strcmp(base, "-")) base = "model";
  return arena_printf(a, "%.*s.html", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

static bool page_is_input(const Options *o, const char *path) {
  const char *input[] = { o->file[0] };
  nsm_output output = { "--output", path };
  nsm_error e = { .code = NSM_OK };
  if (nsm_outputs_check(input, 1, &output, 1, &e) == NSM_OK) return false;
  nsm_print_error(NULL, &e, stderr);
  return true;
}

int command_view(const Options *o) {
  Arena *a = arena_new();
  const char *path = page_path(o, a);
  Text page = {0};
  int code = EXIT_USAGE;
  if (given(o, NSM_FLAG_SERVE)) code = view_serve(o);
  else if (!page_is_input(o, path)) {
    code = view_run(o, false, true, given(o, NSM_FLAG_QUIET) ? NULL : stderr, &page);
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
