// What scanner and parser make of the text: words, numbers, expressions.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "netlist.h"

const char *spice_lower(Arena *a, const char *text) {
  char *to = arena_strndup(a, text, strlen(text));
  for (char *c = to; *c; c++) *c = (char)tolower((unsigned char)*c);
  return to;
}

// A number and its suffix; letters behind that are a unit, as in 10uF. `m` is milli, `meg` mega. The sign of micro is
// taken as the Unicode and Latin-1 characters that editors write.
bool spice_number(const char *text, double *value) {
  static const struct { const char *suffix; double factor; } all[] = {
    { "meg", 1e6 }, { "mil", 25.4e-6 }, { "t", 1e12 }, { "g", 1e9 }, { "k", 1e3 }, { "m", 1e-3 },
    { "u", 1e-6 },  { "n", 1e-9 },      { "p", 1e-12 }, { "f", 1e-15 }, { "a", 1e-18 },
    { "\xc2\xb5", 1e-6 }, { "\xce\xbc", 1e-6 }, { "\xb5", 1e-6 } };
  const char *c = text + (*text == '-' || *text == '+');
  if (!isdigit((unsigned char)*c) && !(*c == '.' && isdigit((unsigned char)c[1]))) return false;
  char *end;
  *value = strtod(text, &end);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    size_t n = strlen(all[i].suffix), k = 0;
    while (k < n && (char)tolower((unsigned char)end[k]) == all[i].suffix[k]) k++;
    if (k < n) continue;
    *value = all[i].factor < 1 && all[i].factor != 25.4e-6 ? *value / round(1 / all[i].factor) : *value * all[i].factor;
    end += n;
    break;
  }
  while (isalpha((unsigned char)*end)) end++;
  return !*end;
}

const Ex *spice_ex(SpiceParse *p, ExKind kind, const char *text, double number, Span span) {
  Ex *e = ARENA_NEW(p->a, Ex);
  *e = (Ex){ .kind = kind, .text = text ? spice_lower(p->a, text) : NULL, .number = number, .span = span };
  return e;
}

const Ex *spice_ex_of(SpiceParse *p, ExKind kind, const char *text, const Ex *const *part, int n, Span span) {
  Ex *e = ARENA_NEW(p->a, Ex);
  const Ex **kept = arena_alloc(p->a, (size_t)(n ? n : 1) * sizeof *kept);
  for (int i = 0; i < n; i++) kept[i] = part[i];
  *e = (Ex){ .kind = kind, .text = spice_lower(p->a, text), .part = kept, .n = n, .span = span };
  return e;
}
