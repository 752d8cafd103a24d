// Two forms: a tree, ROOT/build/PRESET/nsm or ROOT/build/PRESET/lib/libnsm.so; an installation, PREFIX/bin/nsm or
// PREFIX/lib.../libnsm.so beside PREFIX/share/nsm.
#define _GNU_SOURCE
#include "installed.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *parent(Arena *a, const char *path, int levels) {
  size_t n = strlen(path);
  for (; levels > 0 && n > 0; levels--)
    while (n > 0 && path[--n] != '/') {}
  return arena_strndup(a, path, n);
}

// The program, or the shared library that this code is in; false where the system does not tell.
static bool own_path(char *path) {
  static const int here;
  Dl_info at;
  bool library = dladdr(&here, &at) && at.dli_fname && strstr(at.dli_fname, ".so");
  return realpath(library ? at.dli_fname : "/proc/self/exe", path) != NULL;
}

static bool holds(Arena *a, const char *root) {
  return access(arena_printf(a, "%s/runtime/nsm_abi.h", root), R_OK) == 0 &&
         access(arena_printf(a, "%s/stdlib", root), R_OK) == 0;
}

const Installed *installed(Arena *a) {
  Installed *at = ARENA_NEW(a, Installed);
  *at = (Installed){ NSM_STD_DIR, NSM_INCLUDE_DIR, NSM_LIB_DIR };
  char self[PATH_MAX];
  if (!own_path(self)) return at;
  bool library = strstr(self, ".so") != NULL;
  const char *built = parent(a, self, library ? 2 : 1), *root = parent(a, built, 2), *lib = "lib";
  if (!holds(a, root))                                     // PREFIX/lib/x86_64-linux-gnu or PREFIX/lib: both are tried
    for (int up = 1; up <= 3; up++) {
      root = arena_printf(a, "%s/share/nsm", parent(a, self, up));
      built = root;
      if (holds(a, root)) break;
    }
  if (!holds(a, root)) return at;
  *at = (Installed){ arena_printf(a, "%s/stdlib", root), arena_printf(a, "%s/runtime", root),
                     arena_printf(a, "%s/%s", built, lib) };
  return at;
}
