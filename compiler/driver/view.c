// nsm view: the page of a run, or a server for it.
#include <string.h>
#include "commands.h"
#include "motion.h"
#include "view.h"

// The name of the model's file with .html, in the current folder.
static const char *page_path(const Options *o, Arena *a) {
  if (o->output) return o->output;
  const char *slash = strrchr(o->file[0], '/'), *base = slash ? slash + 1 : o->file[0], *dot = strrchr(base, '.');
  if (!strcmp(base, "-")) base = "model";
  return arena_printf(a, "%.*s.html", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

// A name that says that something else than a page is wanted.
static bool is_no_page(const char *path) {
  static const char *const other[] = { ".h5", ".hdf5", ".csv", ".json", ".svg", ".pdf", ".png", ".nsm" };
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof other / sizeof *other; i++)
    if (!strcmp(dot, other[i])) return true;
  return false;
}

int command_view(const Options *given_options) {
  Options own = motion_options(given_options), *o = &own;
  if (!motion_fits(o)) return EXIT_USAGE;
  if (o->output && is_no_page(o->output)) {
    fprintf(stderr, "error: -o %s: nsm view writes a page, NAME.html; nsm run writes columns, nsm plot draws them\n",
            o->output);
    return EXIT_USAGE;
  }
  Arena *a = arena_new();
  const char *path = page_path(o, a);
  Text page = {0};
  int code;
  if (given(o, NSM_FLAG_SERVE)) code = view_serve(o);
  else {
    ViewWish wish = { .whole = true, .live = given(o, NSM_FLAG_LIVE), .run = motion_run,
                      .err = stderr };                     // --quiet: the run says its errors alone
    code = view_run(o, path, &wish, &page);
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
