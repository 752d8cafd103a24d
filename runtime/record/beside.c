// Where plug-ins are: near the program, near this code, in the build that made them.
#define _GNU_SOURCE                                        // dladdr
#include "beside.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *open_in(const char *folder, int n, const char *file) {
  char at[PATH_MAX + 64];
  snprintf(at, sizeof at, "%.*s/%s", n, folder, file);
  return access(at, R_OK) == 0 ? dlopen(at, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *open_near(const char *path, const char *file) {
  static const char *const places[] = { "lib", "../lib", ".", "../" NSM_INSTALL_LIBDIR "/nsm", "nsm" };
  const char *slash = strrchr(path, '/');
  void *library = NULL;
  char folder[2 * PATH_MAX];
  for (size_t i = 0; slash && !library && i < sizeof places / sizeof *places; i++) {
    int n = snprintf(folder, sizeof folder, "%.*s/%s", (int)(slash - path), path, places[i]);
    library = open_in(folder, n, file);
  }
  return library;
}

const void *nsm_beside(const char *file, const char *symbol) {
  static const int here;
  char self[PATH_MAX];
  Dl_info where;
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = 0;
  void *library = open_near(self, file);
  if (!library && dladdr(&here, &where) && where.dli_fname && realpath(where.dli_fname, self))
    library = open_near(self, file);
  if (!library) library = open_in(NSM_LIB_DIR, (int)strlen(NSM_LIB_DIR), file);
  return library ? dlsym(library, symbol) : NULL;
}
