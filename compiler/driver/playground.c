// nsm playground: the site that was built with nsm (docs/site/make), copied into a folder. Files of these names are
// replaced, others stay.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "../api/installed.h"
#include "commands.h"
#include "replace.h"

typedef struct Copying { Arena *a; int files; const char *what, *why; } Copying;

static bool failed(Copying *c, const char *what, const char *why) {
  c->what = what;
  c->why = why;
  return false;
}

static bool copy_file(Copying *c, const char *from, const char *to) {
  const SourceFile *f;
  if (source_read_ordinary(c->a, from, &f) != SOURCE_OK) return failed(c, from, "it cannot be read");
  if (!replace_file(c->a, to, f->text, f->len, 0644, &c->why)) return failed(c, to, c->why);
  c->files++;
  return true;
}

static bool copy_folder(Copying *c, const char *from, const char *to) {
  if (mkdir(to, 0755) && errno != EEXIST) return failed(c, to, strerror(errno));
  DIR *d = opendir(from);
  if (!d) return failed(c, from, strerror(errno));
  bool good = true;
  for (struct dirent *e; good && (e = readdir(d));) {
    struct stat is;
    const char *own = arena_printf(c->a, "%s/%s", from, e->d_name), *its = arena_printf(c->a, "%s/%s", to, e->d_name);
    if (e->d_name[0] == '.') continue;
    if (stat(own, &is)) good = failed(c, own, strerror(errno));
    else good = (S_ISDIR(is.st_mode) ? copy_folder : copy_file)(c, own, its);
  }
  closedir(d);
  return good;
}

int command_playground(const Options *o) {
  Copying c = { .a = arena_new() };
  const char *site = arena_printf(c.a, "%s/site", installed(c.a)->lib);
  struct stat is;
  int code = EXIT_FILE;
  if (!o->output) {
    fputs("error: nsm playground needs a folder to write to, -o DIR\n", stderr);
    code = EXIT_USAGE;
  } else if (stat(arena_printf(c.a, "%s/play.html", site), &is)) {
    fputs("error: this nsm was built without its site\n"
          "help: apt-get install clang lld wasi-libc libclang-rt-dev-wasm32 cmark-gfm, then cmake --preset release and "
          "cmake --build --preset release --target site, in the folder of nsm\n", stderr);
  } else if (!copy_folder(&c, site, o->output)) {
    fprintf(stderr, "error: %s: %s\n", c.what, c.why);
  } else {
    fprintf(stderr, "%d files; %s/index.html opens from disk, or from any web server\n", c.files, o->output);
    code = EXIT_OK;
  }
  arena_free(c.a);
  return code;
}
