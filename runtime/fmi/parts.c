// Which parts of the runtime a model calls (parts.h).
#include "parts.h"
#include "runtime/sim.h"
#include "runtime/schemes/schemes.h"

int fmi_needs(const nsm_sim *s, fmi_part part) {
  const sim_scheme *scheme = s->a->scheme;
  const int needs[FMI_PARTS] = {
    [FMI_TWO_POINT] = scheme->two_point, [FMI_GALERKIN] = s->n.galerkin != NULL, [FMI_ONE_POINT] = !scheme->two_point,
    [FMI_RADAU] = scheme->collocates, [FMI_TOUCHING] = s->touching != NULL,
    [FMI_FRICTION] = s->n.r.nfriction > 0 || s->touching, [FMI_IMPACTS] = s->n.r.law != 0,
    [FMI_LOCATED] = s->located != NULL, [FMI_FLOW] = scheme->flows
  };
  return needs[part] != 0;
}
