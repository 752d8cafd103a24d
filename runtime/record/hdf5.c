// The plug-in that writes files of HDF5.
#include "hdf5.h"
#include "beside.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

int nsm_h5_is(const char *path) {
  size_t n = path ? strlen(path) : 0;
  return (n > 3 && strcmp(path + n - 3, ".h5") == 0) || (n > 5 && strcmp(path + n - 5, ".hdf5") == 0);
}

static const nsm_h5 *found;

static void look(void) {
  const nsm_h5 *plugin = nsm_beside("libnsm_hdf5.so", "nsm_hdf5");
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
