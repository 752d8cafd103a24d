// How many diagnostics of a code a bag holds.
#pragma once
#include "base/diag.h"

static inline int diagnosed(const DiagBag *bag, DiagCode code) {
  DiagText *all;
  int n = 0;
  for (int i = diag_list(bag, &all); i-- > 0;) n += all[i].code == code;
  return n;
}
