// Forces of all classes at a view, for all schemes.
#include "schemes.h"

void sim_forces(nsm_sim *s, const nsm_view *v, int begin, double *f) {
  memcpy(f, s->n.f_constant, (size_t)s->a->nz * sizeof(double));
  SIM_EACH(s, f_moving, k) if (!begin || !k->c->at_end) k->c->f_fn(v, &k->tab, f, f + s->a->nv);
}
