// Units: values are in SI, so that FMUs of several models fit together; the unit that the model declares is the display
// unit. The exponents are those of the base units; an angle is counted where its unit is the radian.
#include <math.h>
#include <string.h>
#include "fmu.h"

static const char *const base[NSM_DIMENSIONS] = { "m", "kg", "s", "A", "K", "mol", "cd" };

// "kg*m^2/s^3" from the exponents, which may be halves.
static const char *composed(Arena *a, const nsm_unit *u) {
  const char *text = "";
  for (int d = 0; d < NSM_DIMENSIONS; d++) {
    int k = u->twice[d];
    if (k == 0) continue;
    const char *dot = *text ? "*" : "";
    text = k == 2       ? arena_printf(a, "%s%s%s", text, dot, base[d])
           : k % 2 == 0 ? arena_printf(a, "%s%s%s^%d", text, dot, base[d], k / 2)
                        : arena_printf(a, "%s%s%s^(%d/2)", text, dot, base[d], k);
  }
  return text;
}

static bool dimensionless(const nsm_unit *u) {
  for (int d = 0; d < NSM_DIMENSIONS; d++)
    if (u->twice[d]) return false;
  return true;
}

UnitOf fmu_unit(Arena *a, const char *text) {
  UnitOf of = { "", NULL, 1, { 1, { 0 } } };
  if (!*text || !nsm_unit_parse(text, &of.unit, NULL, NULL)) return of;
  of.scale = of.unit.scale;
  if (fabs(of.scale - 1) <= 1e-12) {
    of.name = strcmp(text, "1") ? text : "";
    return of;
  }
  const char *common = nsm_unit_common(&of.unit);
  of.display = text;
  of.name = dimensionless(&of.unit) ? strstr(text, "%") ? "1" : "rad" : common ? common : composed(a, &of.unit);
  return of;
}

static void base_unit(const UnitOf *u, Text *out) {
  static const int order[NSM_DIMENSIONS] = { 1, 0, 2, 3, 4, 5, 6 };          // kg first, as the schema has them
  for (int d = 0; d < NSM_DIMENSIONS; d++)
    if (u->unit.twice[d] % 2) return;                      // no exponents of halves there
  text_add(out, "<BaseUnit");
  for (int i = 0; i < NSM_DIMENSIONS; i++)
    if (u->unit.twice[order[i]]) text_printf(out, " %s=\"%d\"", base[order[i]], u->unit.twice[order[i]] / 2);
  if (!strcmp(u->name, "rad")) text_add(out, " rad=\"1\"");
  text_add(out, "/>");
}

void fmu_units(Arena *a, const fmi_variable *v, int n, Text *out) {
  UnitOf *all = ARENA_ARRAY(a, UnitOf, n + 1);
  for (int i = 0; i < n; i++) all[i] = fmu_unit(a, v[i].unit);
  bool any = false;
  for (int i = 0; i < n; i++) {
    bool said = !*all[i].name;
    for (int k = 0; k < i && !said; k++) said = !strcmp(all[k].name, all[i].name);
    if (said) continue;
    text_add(out, any ? "" : "  <UnitDefinitions>\n");
    any = true;
    text_add(out, "    <Unit");
    xml_attribute(out, "name", all[i].name);
    text_add(out, ">");
    base_unit(&all[i], out);
    for (int k = i; k < n; k++) {
      bool other = all[k].display && !strcmp(all[k].name, all[i].name);
      for (int j = i; j < k && other; j++)
        other = !all[j].display || strcmp(all[j].name, all[i].name) || strcmp(all[j].display, all[k].display);
      if (!other) continue;
      text_add(out, "<DisplayUnit");
      xml_attribute(out, "name", all[k].display);
      text_add(out, " factor=\"");
      xml_number(out, 1 / all[k].scale);
      text_add(out, "\"/>");
    }
    text_add(out, "</Unit>\n");
  }
  if (any) text_add(out, "  </UnitDefinitions>\n");
}
