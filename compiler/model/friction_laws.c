// The tables of the laws of friction and impact, for those who print, emit or look words up.
#include <string.h>
#include "model.h"

// Of each block: is it one ellipse with half axes mu and mu2?
enum {
  AXIS_ONE,
  AXIS_MU,
  AXIS_SPIN,
  AXIS_MU2,
#define LAW(...)
#define BLOCK(name, number, word, normals, sizes, mu, mu2, radius, parts, exact, axis) \
  IS_ELLIPSE_##name = parts == 1 && AXIS_##axis == AXIS_MU2,
#include "runtime/shared/laws.def"
};

const FrictionLaw *friction_law(MFrictionLaw law) {
  static const FrictionLaw table[] = {
    { "0", false, "", "", "", false, false, "", "" },
#define BLOCK(...)
#define LAW(name, block, ...) { "NSM_" #name, IS_ELLIPSE_##block, __VA_ARGS__ },
#include "runtime/shared/laws.def"
  };
  return &table[law];
}

static const ImpactLaw impacts[] = {
#define BLOCK(...)
#define LAW(...)
#define IMPACT(name, ...) { "NSM_IMPACT_" #name, __VA_ARGS__ },
#include "runtime/shared/laws.def"
};

const ImpactLaw *impact_law_row(MImpactLaw law) { return law < MI_ANY ? &impacts[law] : NULL; }

MImpactLaw impact_law_named(const char *word) {
  int k = 0;
  while (k < MI_ANY && strcmp(impacts[k].word, word)) k++;
  return (MImpactLaw)k;
}

MImpactLaw model_impact(const Model *m) {
  for (int i = 0; i < m->ncontact; i++)
    if (m->contact[i].has_impact_law && m->contact[i].impact > MI_NEWTON && m->contact[i].impact < MI_ANY)
      return m->contact[i].impact;
  for (int i = 0; i < m->ntouch; i++)
    if (m->touch[i].impact > MI_NEWTON && m->touch[i].impact < MI_ANY) return m->touch[i].impact;
  return MI_NEWTON;
}
