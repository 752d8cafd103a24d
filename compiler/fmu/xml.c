// Text as XML has it.
#include <math.h>
#include "fmu.h"

void xml_attribute(Text *out, const char *name, const char *value) {
  text_printf(out, " %s=\"", name);
  text_xml(out, value);
  text_addc(out, '"');
}

void xml_number(Text *out, double x) {
  if (isnan(x)) text_add(out, "NaN");
  else if (isinf(x)) text_add(out, x > 0 ? "INF" : "-INF");
  else text_number(out, x);
}
