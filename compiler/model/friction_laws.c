// The table of the laws of friction, for those who print, emit or look words up.
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
