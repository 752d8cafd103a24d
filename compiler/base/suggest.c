// The names of the compiler's own lists, for the search that it shares with the runtime.
#include "suggest.h"

#include "../../runtime/shared/nearest.h"

static const char *name_of(void *names, int i) { return ((const char *const *)names)[i]; }

const char *suggest(const char *wrong, const char *const *names, size_t n) {
  int near = nsm_nearest(wrong, (int)n, name_of, (void *)names);
  return near < 0 ? NULL : names[near];
}

void suggest_any(const char *wrong, const char *const *names, size_t n, char *out, size_t size) {
  nsm_meant(wrong, (int)n, name_of, (void *)names, out, size);
}
