// The table of the schemes, expanded from schemes.def.
#include <string.h>
#include "../base/suggest.h"
#include "scheme.h"

const SchemeDescriptor schemes[SCHEME_COUNT] = {
#define SCHEME(name, number, order, needs, source, ...) \
  [SCHEME_##number] = { #name, "NSM_SCHEME_" #number, order, needs, source, __VA_ARGS__ },
#include "schemes.def"
#undef SCHEME
};

const SchemeDescriptor *scheme_named(const char *name, const char **near) {
  const char *names[SCHEME_COUNT];
  for (int i = 0; i < SCHEME_COUNT; i++) names[i] = schemes[i].name;
  *near = suggest(name, names, SCHEME_COUNT);
  for (int i = 0; i < SCHEME_COUNT; i++) {
    if (!strcmp(names[i], name)) return &schemes[i];
    if (!*near && !strncasecmp(names[i], name, strlen(names[i]))) *near = names[i];   // moreau_jean, MoreauJeanOSI
  }
  return NULL;
}

const SchemeDescriptor *scheme_with_weights(void) {
  for (int i = 0; i < SCHEME_COUNT; i++) if (schemes[i].weights) return &schemes[i];
  return NULL;
}
