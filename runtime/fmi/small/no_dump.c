// In place of assembly/dump.c in every FMU: problems are not written.
#include "runtime/assembly/assembly.h"

int sim_dump_open(nsm_sim *s, const char *folder, nsm_error *e) { (void)s; (void)folder; (void)e; return 1; }
const char *sim_dump_folder(const nsm_sim *s) { (void)s; return NULL; }
nsm_cone_status sim_dump_solve(nsm_sim *s, const sim_island *k, void *work, nsm_cone_result *r) {
  return nsm_cone_solve(&k->p, &s->w.cone, work, k->lambda, k->u, r);
}
int sim_dump_failed(const nsm_sim *s, nsm_error *e) { (void)s; (void)e; return 0; }
