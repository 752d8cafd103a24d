// Text as XML has it.
#include <math.h>
#include "fmu.h"

static void escaped(Text *out, const char *s) {
  for (; *s; s++)
    if (*s == '&') text_add(out, "&amp;");
    else if (*s == '<') text_add(out, "&lt;");
    else if (*s == '>') text_add(out, "&gt;");
    else if (*s == '"') text_add(out, "&quot;");
    else text_addc(out, (unsigned char)*s < ' ' ? ' ' : *s);
}

void xml_attribute(Text *out, const char *name, const char *value) {
  text_printf(out, " %s=\"", name);
  escaped(out, value);
  text_addc(out, '"');
}

void xml_number(Text *out, double x) {
  if (isnan(x)) text_add(out, "NaN");
  else if (isinf(x)) text_add(out, x > 0 ? "INF" : "-INF");
  else text_number(out, x);
}
