// The record of numbers (recorded.h).
#include "recorded.h"
#include <stdlib.h>

_Thread_local record *record_now;

int record_grow(record *r) {
  int room = r->room ? 2 * r->room : 1024;
  record_node *more = realloc(r->at, (size_t)room * sizeof *more);
  if (!more) { r->failed = 1; return 0; }
  r->at = more;
  r->room = room;
  return 1;
}

void record_sweep(const record *r, double *bar) {
  for (int i = r->n - 1; i > 0; i--) {
    const record_node *n = &r->at[i];
    if (bar[i] == 0) continue;
    if (n->of[0]) bar[n->of[0]] += n->by[0] * bar[i];
    if (n->of[1]) bar[n->of[1]] += n->by[1] * bar[i];
  }
}
