// Numbers with units from the command line, into SI.
#include "record.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/shared/unit.h"

// The text between optional brackets, as a unit; an empty one is 1.
static int read_unit(const char *t, nsm_unit *u) {
  char inside[128];
  size_t n = strlen(t);
  while (n > 0 && t[n - 1] == ' ') n--;
  if (n >= 2 && t[0] == '[' && t[n - 1] == ']') { t++; n -= 2; }
  while (n > 0 && *t == ' ') { t++; n--; }
  if (n >= sizeof inside) return 0;
  memcpy(inside, t, n);
  while (n > 0 && inside[n - 1] == ' ') n--;
  inside[n] = 0;
  *u = (nsm_unit){ .scale = 1 };
  return n == 0 || nsm_unit_parse(inside, u, NULL, NULL);
}

const char *nsm_read_quantity(const char *text, const char *expected, double *value) {
  char *end;
  double x = strtod(text, &end);
  if (end == text || (strpbrk(text, "xXnN") && strpbrk(text, "xXnN") < end)) return "it is not a number";
  while (*end == ' ') end++;
  if (*end == '/' && (end[1] == ' ' || (end[1] >= '0' && end[1] <= '9'))) {          // 1/2
    char *rest;
    double y = strtod(end + 1, &rest);
    if (rest == end + 1) return "it is not a number";
    x /= y;
    end = rest;
    while (*end == ' ') end++;
  }
  if (!isfinite(x)) return "it is not finite";
  *value = x;
  if (*end == 0) return NULL;
  nsm_unit given, wanted;
  if (!read_unit(end, &given)) return "its unit is not known";
  if (!read_unit(expected, &wanted)) return "the unit of the model is not known here; give a plain number in SI";
  if (*expected == 0 && (given.scale != 1 || !nsm_unit_same(&given, &wanted)))
    return "it takes a number without a unit";
  if (!nsm_unit_same(&given, &wanted)) return "its unit has the wrong dimension";
  *value = nsm_to_si(x, given.scale);
  if (!isfinite(*value)) return "it is not finite";
  return NULL;
}
