// Where the plug-in is: near the program, near this code, in the build that made it.
#define _GNU_SOURCE                                        // dladdr
#include "hdf5.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int nsm_h5_is(const char *path) {
  size_t n = path ? strlen(path) : 0;
  return (n > 3 && strcmp(path + n - 3, ".h5") == 0) || (n > 5 && strcmp(path + n - 5, ".hdf5") == 0);
}

static void *open_in(const char *folder, int n) {
  char at[PATH_MAX + 64];
  snprintf(at, sizeof at, "%.*s/libnsm_hdf5.so", n, folder);
  return access(at, R_OK) == 0 ? dlopen(at, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *open_near(const char *path) {
  static const char *const places[] = { "lib", "../lib", ".", "../" NSM_INSTALL_LIBDIR "/nsm", "nsm" };
  const char *slash = strrchr(path, '/');
  void *library = NULL;
  char folder[2 * PATH_MAX];
  for (size_t i = 0; slash && !library && i < sizeof places / sizeof *places; i++) {
    int n = snprintf(folder, sizeof folder, "%.*s/%s", (int)(slash - path), path, places[i]);
    library = open_in(folder, n);
  }
  return library;
}

static const nsm_h5 *found;

static void look(void) {
  static const int here;
  char self[PATH_MAX];
  Dl_info where;
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = 0;
  void *library = open_near(self);
  if (!library && dladdr(&here, &where) && where.dli_fname && realpath(where.dli_fname, self))
    library = open_near(self);
  if (!library) library = open_in(NSM_LIB_DIR, (int)strlen(NSM_LIB_DIR));
  const nsm_h5 *plugin = library ? dlsym(library, "nsm_hdf5") : NULL;
  if (plugin && plugin->version == NSM_H5_VERSION) found = plugin;
}

const nsm_h5 *nsm_h5_plugin(nsm_error *e) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  if (found) return found;
  e->code = NSM_FILE;
  e->at = (nsm_place){ 0 };
  snprintf(e->text, sizeof e->text,
           "this nsm was built without HDF5: install libhdf5-dev and build again, or write CSV");
  return NULL;
}
