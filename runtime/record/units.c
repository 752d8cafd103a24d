// Numbers with units from the command line, into SI.
#include "record.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The text between optional brackets, as a unit; an empty one is 1, and /s is 1/s.
static int read_unit(const char *t, nsm_unit *u) {
  char text[130] = "1", *inside = text + 1;
  size_t n = strlen(t);
  while (n > 0 && t[n - 1] == ' ') n--;
  if (n >= 2 && t[0] == '[' && t[n - 1] == ']') { t++; n -= 2; }
  while (n > 0 && *t == ' ') { t++; n--; }
  if (n >= sizeof text - 1) return 0;
  memcpy(inside, t, n);
  while (n > 0 && inside[n - 1] == ' ') n--;
  inside[n] = 0;
  *u = (nsm_unit){ .scale = 1 };
  return n == 0 || nsm_unit_parse(*inside == '/' ? text : inside, u, NULL, NULL);
}

const char *nsm_read_any_quantity(const char *text, double *value, int *has_unit, nsm_unit *unit) {
  char *end;
  double x = strtod(text, &end);
  *has_unit = 0;
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
  *has_unit = 1;
  if (!read_unit(end, unit)) return "its unit is not known";
  *value = nsm_to_si(x, unit->scale);
  return isfinite(*value) ? NULL : "it is not finite";
}

const char *nsm_read_quantity(const char *text, const char *expected, double *value) {
  nsm_unit given, wanted;
  int has_unit;
  const char *wrong = nsm_read_any_quantity(text, value, &has_unit, &given);
  if (wrong || !has_unit || !expected) return wrong;
  if (!read_unit(expected, &wanted)) return "the unit of the model is not known here; give a plain number in SI";
  if (*expected == 0 && !nsm_unit_same(&given, &wanted))   // deg and rev are numbers: slope = 20 [deg]
    return "it takes a number without a unit";
  return nsm_unit_same(&given, &wanted) ? NULL : "its unit has the wrong dimension";
}
