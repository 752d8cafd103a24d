// Which parts of the runtime a model calls (parts.h).
#include "parts.h"
#include "runtime/clock/clock.h"
#include "runtime/schemes/schemes.h"

// Is any row no constraint, or may one be that comes with shapes? Of constraints alone M is semidefinite, and two
// solvers suffice; equations of networks have any M.
static int has_sets(const nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  int any = s->touching || r->nfriction > 0;
  for (int row = 0; row < r->n; row++) any |= s->a->cls[r->cls[row]].c->kind != NSM_CONSTRAINT;
  for (int block = 0; block < s->a->m->nblock; block++) any |= s->a->event[block].laws != NULL;
  return any;
}

int fmi_needs(const nsm_sim *s, fmi_part part) {
  const sim_scheme *scheme = s->a->scheme;
  const int needs[FMI_PARTS] = {
    [FMI_TWO_POINT] = scheme->two_point, [FMI_GALERKIN] = s->n.galerkin != NULL, [FMI_ONE_POINT] = !scheme->two_point,
    [FMI_RADAU] = scheme->collocates, [FMI_TOUCHING] = s->touching != NULL,
    [FMI_FRICTION] = s->n.r.nfriction > 0 || s->touching, [FMI_SETS] = has_sets(s),
    [FMI_CLOSED] = scheme->two_point && has_sets(s), [FMI_SOLVERS] = has_sets(s), [FMI_IMPACTS] = s->n.r.law != 0,
    [FMI_LOCATED] = s->located != NULL, [FMI_FLOW] = scheme->flows, [FMI_EVENTS] = sim_in_pieces(s)
  };
  return needs[part] != 0;
}
