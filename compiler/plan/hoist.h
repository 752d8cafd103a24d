// Hoisting: what depends on parameters and loop indices alone is computed once per instance.
#pragma once
#include "../base/map.h"
#include "plan.h"

typedef struct Hoist {
  Arena *arena; const System *sys;
  Ex *num; int n, cap;
  Map *column, *done;            // memos: expression -> its column + 1; what was walked -> what came of it
  Ex *from; int nfrom, from_cap;  // what was hoisted from: says under which conditions a part of it is needed
} Hoist;

Ex  hoist(Hoist *h, Ex e);             // e with its parameter-stage parts replaced by columns of num
void hoist_block(Hoist *h, const Ex *e, int n);   // the first columns, as they are, in order
int hoist_column(Hoist *h, Ex e);      // the column that holds e, added if new
