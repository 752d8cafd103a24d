// --set NAME=VALUE, of the command line and of a page.
#include <string.h>
#include "../../runtime/record/record.h"
#include "options.h"

bool options_add_set(Arena *a, Options *o, const char *text) {
  const char *eq = strchr(text, '=');
  if (!eq || eq == text || !eq[1]) {
    fprintf(stderr, "error: --set %s: it takes NAME=VALUE\n", text);
    return false;
  }
  size_t n = (size_t)(eq - text);
  while (n > 0 && text[n - 1] == ' ') n--;
  Override v = { .name = arena_strndup(a, text, n), .text = text };
  int has_unit;
  nsm_unit unit;
  const char *wrong = nsm_read_any_quantity(eq + 1, &v.value, &has_unit, &unit);
  if (wrong) {
    fprintf(stderr, "error: --set %s: the value of %s is `%s`: %s\n", text, v.name, eq + 1, wrong);
    return false;
  }
  v.has_unit = has_unit;
  if (has_unit) v.unit = unit_of_shared(&unit);
  o->set[o->nset++] = v;
  return true;
}
