// The tables of the laws of friction and impact, for those who print, emit or look words up.
#include <string.h>
#include "model.h"

const FrictionLaw *friction_law(MFrictionLaw law) {
  static const FrictionLaw table[] = {
    { "0", "", "", "", false, false, "", "" },
#define BLOCK(...)
#define LAW(name, block, ...) { "NSM_" #name, __VA_ARGS__ },
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
