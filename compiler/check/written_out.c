// The system written out, for the checks: all variables and rows by number, or a part of each family.
#include "parts.h"

enum { LIMIT = 120, CLIP = 3 };   // variables and rows that are written out, instances of a family that is cut

// Large systems have no k->x; for questions of pairs of rows a part of each family stands for the whole.
void check_open(Check *k, bool parts, bool slopes) {
  k->x = expand_system(k->arena, k->s, LIMIT, CLIP, slopes ? EXPAND_SLOPES : 0);
  if (k->x && k->x->clipped && !parts) k->x = NULL;
  k->nindex = symtab_size(k->s->sym);
  k->index = ARENA_ARRAY(k->arena, int, k->nindex + 1);
  for (int i = 0; i < k->nindex; i++) k->index[i] = -1;
  for (int i = 0; k->x && i < k->x->nz; i++) {
    k->index[k->x->value[i]] = i;
    k->index[k->x->rate[i]] = k->x->nz + i;
  }
  for (int i = 0; k->x && i < k->x->np; i++) k->index[k->x->position[i]] = 2*k->x->nz + i;
}
