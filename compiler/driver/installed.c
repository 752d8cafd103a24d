// The program stands in ROOT/build/PRESET/nsm.
#include "installed.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char *parent(Arena *a, const char *path, int levels) {
  size_t n = strlen(path);
  for (; levels > 0 && n > 0; levels--)
    while (n > 0 && path[--n] != '/') {}
  return arena_strndup(a, path, n);
}

const Installed *installed(Arena *a) {
  Installed *at = ARENA_NEW(a, Installed);
  *at = (Installed){ NSM_STD_DIR, NSM_INCLUDE_DIR, NSM_LIB_DIR };
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return at;
  self[n] = 0;
  const char *built = parent(a, self, 1), *root = parent(a, self, 3);
  if (access(arena_printf(a, "%s/runtime/nsm_abi.h", root), R_OK) != 0 ||
      access(arena_printf(a, "%s/stdlib", root), R_OK) != 0)
    return at;
  *at = (Installed){ arena_printf(a, "%s/stdlib", root), arena_printf(a, "%s/runtime", root),
                     arena_printf(a, "%s/lib", built) };
  return at;
}
