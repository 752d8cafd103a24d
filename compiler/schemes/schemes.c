// The table of the schemes, expanded from runtime/schemes.def.
#include <string.h>
#include "../base/suggest.h"
#include "scheme.h"

#define FORM_point(name) .explicit_step = true, .equations = &name, .check = check_##name
#define FORM_kicks(name) .explicit_step = true, .kicks = true, .equations = &name, .check = check_##name
#define FORM_implicit(name) .equations = &name
#define FORM_places(name) .places = true, .equations = &name, .check = check_##name
#define FORM_stages(name) .collocates = true, .check = check_##name
#define FORM_flow(name) .equations = &name, .flows = true, .check = check_##name
#define FORM_two_point(name) .two_point = true, .equations = &name, .check = check_consistent
const SchemeDescriptor schemes[SCHEME_COUNT] = {
#define SCHEME(name, number, form, order, needs, source, closes, ...) \
  [SCHEME_##number] = { #name, order, needs, source, .closed = closes, FORM_##form(name), __VA_ARGS__ },
#include "../../runtime/schemes.def"
#undef SCHEME
};

bool scheme_takes_shapes(const SchemeDescriptor *d) { return !d->flows && !d->kicks && !d->places && !d->one_step; }

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
