// Which parts of the runtime a model calls (parts.h).
#include "parts.h"
#include "runtime/sim.h"
#include "runtime/schemes/schemes.h"

int fmi_needs(const nsm_sim *s, fmi_part part) {
  const int needs[FMI_PARTS] = { [FMI_TWO_POINT] = s->a->scheme->two_point, [FMI_RADAU] = s->a->scheme->collocates,
                                 [FMI_TOUCHING] = s->touching != NULL, [FMI_FLOW] = s->a->scheme->flows };
  return needs[part] != 0;
}
